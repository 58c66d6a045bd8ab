/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run takes, for --verbose: the ways to run the model side by side, with what the time goes into.
 */
#include "report/page.h"

/* Columns that the name of a way takes, so that the times stand below each other. */
#define NAME_COLUMNS 18u

/* A way to run the model; nothing where it is not known. */
static void put_way(struct npart__page *page, const char *name, struct npart_cost_range range)
{
    if (range.typical_ms < 0)
        return;
    npart__append_format(page->out, "     %-*s", (int)NAME_COLUMNS, name);
    npart__put_span(page, range, page->cost.is_calibrated);
    npart__put(page, "\n");
}

/* Opens a buffer for a line that is wrapped as a whole. What is put on the page that it returns goes to the buffer,
 * which put_gathered closes. */
static struct npart__page gather(struct npart__page *page, struct npart__buffer *line)
{
    struct npart__page gathered = *page;
    npart__buffer_init(line, page->arena);
    gathered.out = line;
    return gathered;
}

/* Where nothing was gathered there is no line. */
static void put_gathered(struct npart__page *page, struct npart__buffer *line)
{
    if (line->size) {
        npart__paint(page, NPART__DIM);
        npart__put(page, "     ");
        npart__wrapped(page, npart__buffer_text(line), 5, 5);
        npart__paint(page, "0");
        npart__put(page, "\n");
    }
    npart__buffer_release(line);
}

/* Shares that can be told apart from nothing, as far as two decimals show. Returns whether it was put, so that
 * what explains it may follow in parentheses. A part that is not known is negative, and left out as well. */
static bool put_part(struct npart__page *page, const char *name, struct npart_cost_range range)
{
    if (range.typical_ms < 0.005)
        return false;
    npart__put(page, page->out->size ? ", " : "of it ");
    npart__put(page, name);
    npart__put(page, " ");
    npart__put_milliseconds(page, range.typical_ms);
    return true;
}

/* "NPU computing"; "" where memory has run out, as the report's status says then. */
static const char *made_name(struct npart__page *page, const char *format, const char *word)
{
    struct npart__buffer text = {.arena = page->arena};
    npart__append_format(&text, format, word);
    return npart__keep_text(&text);
}

/* "of it CPU 1.20, NPU computing 0.41, launches 0.26 (7 device switches), copies 0.05 (1.2 MB in, 600 kB out) ms":
 * the unit stands once, at the end. The typical values of all parts add up to that of the run. */
static void put_parts(struct npart__page *page)
{
    const struct npart_cost *cost = &page->cost;
    struct npart__buffer line;
    struct npart__page at = gather(page, &line);
    put_part(&at, "CPU", cost->cpu);
    put_part(&at, made_name(page, "%s computing", page->info.unit), cost->npu_compute);
    put_part(&at, made_name(page, "%s memory", page->info.unit), cost->npu_bandwidth);
    if (put_part(&at, "launches", cost->switching) && page->summary.switches)
        npart__append_format(&line, " (%u device switch%s)", page->summary.switches,
                             page->summary.switches == 1 ? "" : "es");
    if (put_part(&at, "copies", cost->copying)) {
        npart__put(&at, " (");
        npart__append_bytes(&line, cost->bytes_to_npu);
        npart__put(&at, " in, ");
        npart__append_bytes(&line, cost->bytes_to_cpu);
        npart__put(&at, " out");
        if (cost->unknown_sizes)
            npart__append_format(&line, ", %u of unknown size", cost->unknown_sizes);
        npart__put(&at, ")");
    }
    if (put_part(&at, "layout conversions", cost->layout))
        npart__append_format(&line, " (%u tensor%s)", cost->conversions, cost->conversions == 1 ? "" : "s");
    put_part(&at, "quantizing", cost->quantizing);
    npart__put(&at, line.size ? " ms" : "");
    put_gathered(page, &line);
}

/* The causes whose nodes take longest on the CPU, which may be others than those that end most partitions. One pass
 * keeps the two largest: what is larger than the first pushes that to the second place. Causes are numbered from 1,
 * as above. */
static void put_causes(struct npart__page *page)
{
    struct npart_cause cause = {.size = sizeof cause};
    uint32_t longest[2] = {NPART_NONE, NPART_NONE};
    double ms[2] = {0.005, 0.005};
    for (uint32_t i = 0; npart_plan_cause(page->plan, i, &cause, NULL, 0); i++) {
        uint32_t place = cause.cpu_ms > ms[0] ? 0 : 1;
        if (cause.cpu_ms <= ms[place])
            continue;
        longest[1] = place ? i : longest[0];
        ms[1] = place ? cause.cpu_ms : ms[0];
        if (place == 0) {
            longest[0] = i;
            ms[0] = cause.cpu_ms;
        }
    }
    struct npart__buffer line;
    struct npart__page at = gather(page, &line);
    for (size_t i = 0; i < 2 && longest[i] != NPART_NONE; i++) {
        npart__append_format(&line, i ? ", of cause %u " : "on the CPU nodes of cause %u take ", longest[i] + 1);
        npart__put_milliseconds(&at, ms[i]);
    }
    npart__put(&at, line.size ? " ms" : "");
    put_gathered(page, &line);
}

/* What the CPU is slow at, once for each sentence (cost/slow.def); there are few, and what does not fit is left
 * out. */
static void put_slow(struct npart__page *page)
{
    const char *told[8] = {NULL};
    struct npart_node_plan node = {.size = sizeof node};
    for (uint32_t i = 0; npart_plan_node(page->plan, i, &node); i++) {
        size_t k = 0;
        if (!node.slow)
            continue;
        while (k < NPART__COUNT(told) && told[k] && strcmp(told[k], node.slow) != 0)
            k++;
        if (k == NPART__COUNT(told) || told[k])
            continue;
        told[k] = node.slow;
        npart__put(page, "     ");
        npart__wrapped(page, node.slow, 5, 5);
        npart__put(page, "\n");
    }
}

/* What keeps the NPU from being faster. The fill is told where more than half of each tile is idle; 0 means that
 * there are no products. How large a partition must be is told where there are several. */
static void put_limits(struct npart__page *page)
{
    const struct npart_cost *cost = &page->cost;
    struct npart__buffer line;
    struct npart__page at = gather(page, &line);
    if (cost->fill > 0 && cost->fill < 0.5) {
        npart__put(&at, "the matrix unit is filled to ");
        npart__append_fixed(&line, cost->fill * 100, cost->fill < 0.1 ? 1 : 0);
        npart__put(&at, " %: products with few rows or columns use a part of each tile");
    }
    put_gathered(page, &line);
    if (!cost->break_even_macs || page->summary.partitions < 2)
        return;
    at = gather(page, &line);
    npart__put(&at, "a partition pays from about ");
    npart__append_fixed(&line, (double)cost->break_even_macs / 1e6, cost->break_even_macs < 10000000 ? 1 : 0);
    npart__put(&at, " million MACs on");
    put_gathered(page, &line);
}

/* What is known where the whole is not: how many switches. The first that is lacking is named: work that is not
 * known, then sizes that are not, then an op list without rates. */
static void put_unknown(struct npart__page *page)
{
    const struct npart_cost *cost = &page->cost;
    struct npart__buffer line;
    struct npart__page at = gather(page, &line);
    npart__append_format(&line, "%u device switch%s; launches ", page->summary.switches,
                         page->summary.switches == 1 ? "" : "es");
    npart__put_span(&at, cost->switching, cost->is_calibrated);
    if (cost->unknown_sizes == 0 && cost->copying.typical_ms > 0) {
        npart__put(&at, ", copies ");
        npart__put_span(&at, cost->copying, cost->is_calibrated);
    }
    npart__put(&at, "; ");
    if (cost->unknown_nodes)
        npart__append_format(&line, "%u node%s no size", cost->unknown_nodes,
                             cost->unknown_nodes == 1 ? " has" : "s have");
    else if (cost->unknown_sizes)
        npart__append_format(&line, "%u boundary tensors of unknown size", cost->unknown_sizes);
    else
        npart__put(&at, "the op list has no rates to compute with");
    put_gathered(page, &line);
}

/* The ways first, each with its range, then what the time of the planned one goes into. "all on the NPU" is no
 * other way where the plan is whole. */
void npart__put_cost(struct npart__page *page, const struct npart_plan_pair *pair)
{
    const struct npart_cost *cost = &page->cost;
    struct npart_cost fixed = {.size = sizeof fixed};
    bool is_fixed = npart_plan_cost(pair->fixed, &fixed);
    if (page->summary.live == 0)
        return;
    npart__painted(page, NPART__BOLD, "  Estimated time of a run");
    if (strcmp(cost->runtime, "bare") != 0)
        npart__append_format(page->out, " in %s", cost->runtime);
    npart__put(page, ": median (80 % range)");
    npart__put(page, "\n");
    bool has_run = page->summary.verdict != NPART_PLAN_FAILS;
    if (page->summary.partitions && has_run)
        put_way(page, "as planned", cost->total);
    put_way(page, "CPU alone", cost->cpu_alone.typical_ms < 0 && is_fixed ? fixed.cpu_alone : cost->cpu_alone);
    if (page->summary.verdict != NPART_PLAN_WHOLE)
        put_way(page, made_name(page, "all %s", page->info.on_unit), cost->npu_whole);
    if (is_fixed)
        put_way(page, "sizes fixed", fixed.total);
    if (!has_run)
        return; /* so it has no time */
    if (cost->total.typical_ms < 0) {
        put_unknown(page);
        return;
    }
    put_parts(page);
    put_causes(page);
    put_slow(page);
    put_limits(page);
    if (page->summary.partitions)
        put_way(page, "first run adds", cost->cold);
}
