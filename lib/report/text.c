/* SPDX-License-Identifier: Apache-2.0
 *
 * The report for a person at a terminal: what the answer is, a picture of it, why, what it costs, what to do next.
 */
#include "report/report.h"

#define CAUSES_SHOWN 5u
#define FINDINGS_SHOWN 3u

struct page {
    struct npart__buffer *out;
    const struct npart_report_options *options;
    const struct npart__plan *plan;
    const struct npart__graph *graph;
    uint32_t width;
};

/* ---- pieces ------------------------------------------------------------------------------------------------ */

static void text(struct page *page, const char *plain)
{
    npart__append_text(page->out, plain);
}

/* SGR parameters; nothing without colour. */
static void paint(struct page *page, const char *code)
{
    if (!page->options->use_color)
        return;
    text(page, "\033[");
    text(page, code);
    text(page, "m");
}

static void painted(struct page *page, const char *code, const char *plain)
{
    paint(page, code);
    text(page, plain);
    paint(page, "0");
}

#define BOLD "1"
#define DIM "2"
#define RED "31"
#define GREEN "32"
#define YELLOW "33"
#define MAGENTA "35"

static void count_of(struct page *page, uint64_t count, const char *noun)
{
    npart__append_format(page->out, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : "s");
}

static void bytes_of(struct page *page, uint64_t bytes)
{
    static const char *const units[] = {" B", " kB", " MB", " GB", " TB", " PB", " EB"};
    double scaled = (double)bytes;
    size_t unit = 0;
    while (scaled >= 999.5 && unit + 1 < NPART__COUNT(units)) {
        scaled /= 1000;
        unit++;
    }
    npart__append_fixed(page->out, scaled, unit && scaled < 99.95 ? 1 : 0);
    text(page, units[unit]);
}

/* Characters of UTF-8 text. */
static size_t columns_of(const char *plain, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += ((unsigned char)plain[i] & 0xc0) != 0x80;
    return columns;
}

/* Breaks at blanks, with `indent` blanks before every line but the first, which begins at `column`. */
static void wrapped(struct page *page, const char *plain, uint32_t column, uint32_t indent)
{
    bool is_first = true;
    while (*plain) {
        size_t length = strcspn(plain, " ");
        size_t columns = columns_of(plain, length);
        if (!is_first && column + 1 + columns > page->width) {
            npart__append_format(page->out, "\n%*s", (int)indent, "");
            column = indent;
        } else if (!is_first) {
            text(page, " ");
            column++;
        }
        npart__append(page->out, plain, length);
        column += (uint32_t)columns;
        is_first = false;
        plain += length;
        while (*plain == ' ')
            plain++;
    }
}

/* ---- head -------------------------------------------------------------------------------------------------- */

static void head(struct page *page)
{
    const struct npart__graph *graph = page->graph;
    painted(page, BOLD, page->plan->model_name);
    text(page, "  ");
    count_of(page, graph->nodes.count, "node");
    text(page, ", ");
    bytes_of(page, graph->weight_bytes);
    text(page, " of weights");
    for (uint32_t i = 0; i < graph->opset_count; i++)
        if (strcmp(graph->opsets[i].domain, "ai.onnx") == 0)
            npart__append_format(page->out, ", opset %lld", (long long)graph->opsets[i].version);
    if (*graph->producer_name)
        npart__append_format(page->out, ", %s%s%s", graph->producer_name, *graph->producer_version ? " " : "",
                             graph->producer_version);
    text(page, "\n");
}

static void notes(struct page *page, const struct npart__finding *list, uint32_t count)
{
    for (uint32_t i = 0; i < count && (i < FINDINGS_SHOWN || page->options->is_verbose); i++) {
        struct npart__buffer line;
        npart__buffer_init(&line, page->out->arena);
        npart__append_format(&line, *list[i].at ? "%s (%s)" : "%s", list[i].text, list[i].at);
        painted(page, DIM, "  note  ");
        wrapped(page, npart__buffer_text(&line), 8, 8);
        text(page, "\n");
        page->out->failed |= line.failed;
    }
    if (count > FINDINGS_SHOWN && !page->options->is_verbose)
        npart__append_format(page->out, "        and %u more\n", count - FINDINGS_SHOWN);
}

/* ---- what a node looks like ---------------------------------------------------------------------------------- */

enum cell { CELL_NPU, CELL_CPU, CELL_FAIL, CELL_UNKNOWN, CELL_KINDS };

static const struct {
    const char *full, *partly, *ascii, *color;
} looks[CELL_KINDS] = {
    [CELL_NPU] = {"█", "█", "#", GREEN},
    [CELL_CPU] = {"░", "▒", ".", YELLOW},
    [CELL_FAIL] = {"×", "×", "!", RED},
    [CELL_UNKNOWN] = {"?", "?", "?", MAGENTA},
};

/* ---- verdict ----------------------------------------------------------------------------------------------- */

static void verdict(struct page *page)
{
    const struct npart_summary *summary = &page->plan->summary;
    static const struct {
        const char *word, *shown, *color;
    } words[] = {
        {"whole", "WHOLE", GREEN}, {"split", "SPLIT", YELLOW}, {"none", "NOTHING ON THE NPU", RED},
        {"fails", "FAILS", RED},   {"empty", "NOTHING TO RUN", DIM},
    };
    text(page, "  ");
    for (size_t i = 0; i < NPART__COUNT(words); i++) {
        if (strcmp(words[i].word, summary->verdict) != 0)
            continue;
        paint(page, BOLD);
        painted(page, words[i].color, words[i].shown);
    }
    text(page, "  ");
    count_of(page, summary->partitions, "partition");
    if (summary->partitions_low != summary->partitions_high)
        npart__append_format(page->out, " (%u to %u, by what is unknown)", summary->partitions_low,
                             summary->partitions_high);
    text(page, ", ");
    npart__append_format(page->out, "%u switch%s", summary->switches, summary->switches == 1 ? "" : "es");
    text(page, ", ");
    npart__append_fixed(page->out, summary->coverage * 100, 1);
    npart__append_format(page->out, " %% of %u nodes on the NPU\n", summary->live);
}

/* A count with the character that stands for it in the strip: the strip's legend. */
static void count_of_cells(struct page *page, uint32_t count, enum cell cell, const char *noun)
{
    text(page, "  ");
    paint(page, looks[cell].color);
    text(page, page->options->use_ascii ? looks[cell].ascii : looks[cell].full);
    npart__append_format(page->out, " %u %s", count, noun);
    paint(page, "0");
}

static void counts(struct page *page)
{
    const struct npart_summary *summary = &page->plan->summary;
    count_of_cells(page, summary->accepted, CELL_NPU, "NPU");
    count_of_cells(page, summary->refused - summary->failed, CELL_CPU, "CPU");
    if (summary->failed)
        count_of_cells(page, summary->failed, CELL_FAIL, "fail");
    if (summary->unknown)
        count_of_cells(page, summary->unknown, CELL_UNKNOWN, "unknown");
    if (summary->folded) {
        text(page, "  ");
        paint(page, DIM);
        npart__append_format(page->out, "%u computed before the run", summary->folded);
        paint(page, "0");
    }
    text(page, "\n");
}

/* ---- strip ------------------------------------------------------------------------------------------------- */

static enum cell cell_of(const struct npart__plan *plan, uint32_t node)
{
    static const enum cell cells[] = {CELL_CPU, CELL_NPU, CELL_FAIL, CELL_UNKNOWN};
    return cells[plan->mask.verdicts[node]];
}

/* Live nodes in the order they run: region by region, stage by stage. */
static uint32_t order_of_execution(struct page *page, uint32_t *order)
{
    const struct npart__plan *plan = page->plan;
    const struct npart__graph *graph = page->graph;
    uint32_t filled = 0;
    uint32_t *starts = npart__arena_zeroed(page->out->arena, 2 * ((size_t)graph->nodes.count + 2), sizeof *starts);
    if (!starts) {
        page->out->failed = true;
        return 0;
    }
    for (uint32_t s = 0; s < graph->scopes.count; s++) {
        const struct npart__scope *scope = &graph->scopes.items[s];
        uint32_t stages = 0, begin = filled;
        if (scope->region != s)
            continue;
        for (uint32_t i = 0; i < scope->order_count; i++) { /* a counting sort by stage */
            uint32_t stage = plan->partitioning.stage_of[graph->order[scope->first_order + i]];
            if (stage != NPART_NONE) {
                starts[stage + 1]++;
                stages = stage + 1 > stages ? stage + 1 : stages;
                filled++;
            }
        }
        for (uint32_t k = 0; k < stages; k++)
            starts[k + 1] += starts[k];
        for (uint32_t i = 0; i < scope->order_count; i++) {
            uint32_t node = graph->order[scope->first_order + i], stage = plan->partitioning.stage_of[node];
            if (stage != NPART_NONE)
                order[begin + starts[stage]++] = node;
        }
        memset(starts, 0, (stages + (size_t)2) * sizeof *starts);
    }
    return filled;
}

/* What stands for most nodes of a cell; a minority that would vanish wins over the NPU, so that no cut is hidden. */
static enum cell dominant(const uint32_t *tally)
{
    enum cell best = CELL_NPU;
    if (tally[CELL_FAIL])
        return CELL_FAIL;
    if (tally[CELL_UNKNOWN] > tally[CELL_CPU])
        best = CELL_UNKNOWN;
    else if (tally[CELL_CPU])
        best = CELL_CPU;
    return best;
}

static void strip(struct page *page)
{
    uint32_t live = page->plan->summary.live, cells = page->width - 4;
    uint32_t *order = npart__arena_zeroed(page->out->arena, live + (size_t)1, sizeof *order);
    if (!order || live == 0) {
        page->out->failed |= !order;
        return;
    }
    uint32_t count = order_of_execution(page, order);
    if (cells > count)
        cells = count;
    enum cell painting = CELL_KINDS;
    text(page, "  ");
    for (uint32_t c = 0; c < cells; c++) {
        uint32_t from = (uint32_t)((uint64_t)count * c / cells), to = (uint32_t)((uint64_t)count * (c + 1) / cells);
        uint32_t tally[CELL_KINDS] = {0};
        for (uint32_t i = from; i < to; i++)
            tally[cell_of(page->plan, order[i])]++;
        enum cell cell = dominant(tally);
        if (cell != painting) {
            paint(page, "0");
            paint(page, looks[cell].color);
            painting = cell;
        }
        bool is_full = tally[cell] == to - from;
        text(page, page->options->use_ascii ? looks[cell].ascii : is_full ? looks[cell].full : looks[cell].partly);
    }
    paint(page, "0");
    text(page, "\n");
}

/* ---- causes ------------------------------------------------------------------------------------------------ */

static void where(struct page *page, uint32_t node)
{
    struct npart__origin origin;
    char described[160];
    npart__describe_node(page->graph, node, described, sizeof described);
    npart__node_origin(&page->graph->nodes.items[node], &origin);
    text(page, described);
    if (origin.module) {
        text(page, " in ");
        npart__append(page->out, origin.module, origin.module_length);
    }
    if (origin.file) {
        text(page, ", ");
        npart__append(page->out, origin.file, origin.file_length);
        npart__append_format(page->out, ":%lld", (long long)origin.line);
    }
}

static void cause_detail(struct page *page, uint32_t id)
{
    const struct npart__plan *plan = page->plan;
    const struct npart__cause *cause = &plan->causes.items.items[id];
    const struct npart__rule *rule = &plan->target.oplist->rules.items[cause->rule];
    struct npart__buffer found;
    npart__buffer_init(&found, page->out->arena);
    (void)npart__rule_found(&plan->target, plan->inference, &plan->fold, cause->rule, cause->first_victim, &found);
    paint(page, DIM);
    if (found.size) {
        text(page, "     ");
        wrapped(page, npart__buffer_text(&found), 5, 7);
        text(page, "\n");
    }
    text(page, "     ");
    where(page, cause->first_victim);
    text(page, "\n");
    if (*rule->source) {
        text(page, "     ");
        npart__append_format(page->out, "%s: ", rule->id);
        wrapped(page, rule->source, (uint32_t)strlen(rule->id) + 7, 7);
        text(page, "\n");
    }
    paint(page, "0");
    page->out->failed |= found.failed;
}

static void cause_line(struct page *page, uint32_t id)
{
    const struct npart__cause *cause = &page->plan->causes.items.items[id];
    npart__append_format(page->out, "  %2u ", id + 1);
    paint(page, cause->is_fatal ? RED : cause->is_unknown ? MAGENTA : BOLD);
    wrapped(page, cause->text, 5, 5);
    paint(page, "0");
    text(page, "  ");
    count_of(page, cause->victim_count, "node");
    if (cause->cut_count) {
        text(page, ", ends ");
        count_of(page, cause->cut_count, "partition");
    }
    text(page, "\n");
    cause_detail(page, id);
}

static void causes(struct page *page)
{
    uint32_t count = page->plan->causes.items.count;
    uint32_t shown = page->options->is_verbose || count < CAUSES_SHOWN ? count : CAUSES_SHOWN;
    if (count == 0)
        return;
    painted(page, BOLD, "  Why\n");
    for (uint32_t i = 0; i < shown; i++)
        cause_line(page, i);
    if (shown < count)
        npart__append_format(page->out, "     and %u more (--verbose, or --format json)\n", count - shown);
}

/* ---- cost -------------------------------------------------------------------------------------------------- */

static void milliseconds(struct page *page, double value)
{
    npart__append_fixed(page->out, value, value < 10 ? 2 : value < 100 ? 1 : 0);
}

static void part(struct page *page, const char *name, struct npart__range range)
{
    text(page, name);
    milliseconds(page, range.low);
    text(page, " to ");
    milliseconds(page, range.high);
}

static void cost(struct page *page)
{
    const struct npart__cost *cost = &page->plan->cost;
    if (page->plan->summary.partitions == 0)
        return;
    painted(page, BOLD, "  Switching");
    text(page, " costs ");
    milliseconds(page, cost->total_ms.low);
    text(page, " to ");
    milliseconds(page, cost->total_ms.high);
    text(page, " ms a run, typically ");
    milliseconds(page, cost->total_ms.typical);
    text(page, cost->is_calibrated ? "\n" : " (uncalibrated)\n");
    paint(page, DIM);
    part(page, "     launches ", cost->switch_ms);
    part(page, ", copies ", cost->copy_ms);
    text(page, " (");
    bytes_of(page, cost->bytes_to_npu);
    text(page, " in, ");
    bytes_of(page, cost->bytes_to_cpu);
    text(page, " out");
    if (cost->unknown_sizes)
        npart__append_format(page->out, ", %u of unknown size", cost->unknown_sizes);
    part(page, "), layouts ", cost->layout_ms);
    npart__append_format(page->out, " (%u conversion%s)\n", cost->conversions, cost->conversions == 1 ? "" : "s");
    paint(page, "0");
}

/* ---- what next --------------------------------------------------------------------------------------------- */

/* Sizes as the command line takes them, in front of each `before`; the last one followed by `after`. */
static void append_bindings(struct npart__buffer *out, const struct npart__plan *fixed, const char *before,
                            const char *after)
{
    for (uint32_t i = 0; i < fixed->binding_count; i++) {
        const char *quote = strchr(fixed->bindings[i].name, ' ') ? "\"" : "";
        npart__append_format(out, " %s%s%s=%lld%s%s", before, quote, fixed->bindings[i].name,
                             (long long)fixed->bindings[i].value, quote, i + 1 < fixed->binding_count ? "" : after);
    }
}

static void fixed_line(struct page *page, const struct npart__plan *fixed)
{
    const struct npart_summary *summary = &fixed->summary;
    struct npart__buffer line;
    npart__buffer_init(&line, page->out->arena);
    painted(page, BOLD, "  Fixed");
    npart__append_text(&line, "at");
    append_bindings(&line, fixed, "", ":");
    npart__append_format(&line, " %u partition%s, ", summary->partitions, summary->partitions == 1 ? "" : "s");
    npart__append_fixed(&line, summary->coverage * 100, 1);
    npart__append_format(&line, " %% of %u nodes on the NPU", summary->live);
    if (fixed->causes.items.count)
        npart__append_format(&line, "; then %s", fixed->causes.items.items[0].text);
    text(page, " ");
    wrapped(page, npart__buffer_text(&line), 8, 9);
    text(page, "\n");
    page->out->failed |= line.failed;
}

/* What to type, so not wrapped: it can be copied. */
static void try_line(struct page *page, const struct npart__plan *fixed)
{
    text(page, "export with fixed sizes, or try\n       ");
    append_bindings(page->out, fixed, "--dim ", "");
    text(page, "\n");
}

static void next_step(struct page *page, const struct npart__plan *fixed)
{
    const struct npart__plan *plan = page->plan;
    struct npart_error error;
    struct npart__next_step step;
    painted(page, BOLD, "  Next  ");
    if (fixed && fixed->summary.coverage > plan->summary.coverage) {
        try_line(page, fixed);
        return;
    }
    if (plan->causes.items.count == 0) {
        text(page, "nothing: every node is taken\n");
        return;
    }
    if (npart__find_next_step(plan, &step, &error) != NPART_OK) {
        page->out->failed = true;
        return;
    }
    npart__append_format(page->out, "cause%s %u", step.last_cause > step.first_cause ? "s" : "", step.first_cause + 1);
    if (step.last_cause > step.first_cause)
        npart__append_format(page->out, " to %u together", step.last_cause + 1);
    text(page, ": ");
    count_of(page, step.victim_count, "node");
    if (plan->summary.partitions == 0)
        text(page, "; without that there is no partition at all\n");
    else if (step.partitions < plan->summary.partitions)
        npart__append_format(page->out, "; with them on the NPU %u partition%s in place of %u\n", step.partitions,
                             step.partitions == 1 ? "" : "s", plan->summary.partitions);
    else
        text(page, "; the number of partitions stays\n");
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

/* As it could be asked for again: "hexagon:v73+float". */
static void target_name(struct page *page)
{
    const struct npart__target *at = &page->plan->target;
    const struct npart__oplist *oplist = at->oplist;
    uint32_t by_default = at->variant == NPART_NONE ? 0 : oplist->variants.items[at->variant].switches;
    paint(page, BOLD);
    text(page, oplist->name);
    if (*at->variant_text) {
        text(page, ":");
        text(page, at->variant_text);
    }
    for (uint32_t i = 0; i < oplist->switches.count; i++) {
        bool is_on = at->switches >> i & 1;
        if (is_on == (by_default >> i & 1))
            continue;
        text(page, is_on ? "+" : "-");
        text(page, oplist->switches.items[i]);
    }
    paint(page, "0");
}

static void target(struct page *page, const struct npart__plan *fixed)
{
    const struct npart__target *at = &page->plan->target;
    text(page, "\n");
    target_name(page);
    text(page, "  ");
    text(page, at->oplist->title);
    if (*at->toolchain_text) {
        text(page, ", ");
        text(page, at->toolchain_text);
    }
    if (page->plan->level == NPART__LEVEL_OFF)
        text(page, ", level off");
    text(page, "\n");
    verdict(page);
    counts(page);
    strip(page);
    causes(page);
    cost(page);
    if (fixed)
        fixed_line(page, fixed);
    next_step(page, fixed);
}

void npart__report_text(const struct npart__plan_pair *pairs, size_t count,
                        const struct npart_report_options *options, struct npart__buffer *out)
{
    struct page page = {.out = out, .options = options, .plan = pairs[0].plan, .graph = pairs[0].plan->graph};
    page.width = options->width < 40 ? (options->width ? 40 : 100) : options->width;
    head(&page);
    notes(&page, page.graph->findings.items, page.graph->findings.count);
    notes(&page, page.plan->inference->findings.items, page.plan->inference->findings.count);
    for (size_t i = 0; i < count; i++) {
        page.plan = pairs[i].plan;
        target(&page, pairs[i].fixed);
    }
}
