/* SPDX-License-Identifier: Apache-2.0
 *
 * The report for a person at a terminal: what the answer is, a picture of it, why, what it costs, what to do next.
 */
#include "report/page.h"

#define CAUSES_SHOWN 5u
#define FINDINGS_SHOWN 3u

static void count_of(struct npart__page *page, uint64_t count, const char *noun)
{
    npart__append_format(page->out, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : "s");
}

static void bytes_of(struct npart__page *page, uint64_t bytes)
{
    static const char *const units[] = {" B", " kB", " MB", " GB", " TB", " PB", " EB"};
    double scaled = (double)bytes;
    size_t unit = 0;
    while (scaled >= 999.5 && unit + 1 < NPART__COUNT(units)) {
        scaled /= 1000;
        unit++;
    }
    npart__append_fixed(page->out, scaled, unit && scaled < 99.95 ? 1 : 0);
    npart__put(page, units[unit]);
}

/* ---- head -------------------------------------------------------------------------------------------------- */

static void head(struct npart__page *page)
{
    const struct npart__graph *graph = page->graph;
    npart__paint(page, NPART__BOLD);
    npart__put_text(page, page->plan->model_name);
    npart__paint(page, "0");
    npart__put(page, "  ");
    count_of(page, npart__model_nodes(graph), "node");
    npart__put(page, ", ");
    bytes_of(page, graph->weight_bytes);
    npart__put(page, " of weights");
    for (uint32_t i = 0; i < graph->opset_count; i++)
        if (strcmp(graph->opsets[i].domain, "ai.onnx") == 0)
            npart__append_format(page->out, ", opset %lld", (long long)graph->opsets[i].version);
    if (*graph->producer_name) {
        npart__put(page, ", ");
        npart__put_text(page, graph->producer_name);
        npart__put(page, *graph->producer_version ? " " : "");
        npart__put_text(page, graph->producer_version);
    }
    npart__put(page, "\n");
}

static void notes(struct npart__page *page, const struct npart__finding *list, uint32_t count)
{
    for (uint32_t i = 0; i < count && (i < FINDINGS_SHOWN || page->options->is_verbose); i++) {
        struct npart__buffer line;
        npart__buffer_init(&line, page->out->arena);
        npart__append_format(&line, *list[i].at ? "%s (%s)" : "%s", list[i].text, list[i].at);
        npart__painted(page, NPART__DIM, "  note  ");
        npart__wrapped(page, npart__buffer_text(&line), 8, 8);
        npart__put(page, "\n");
        page->out->failed |= line.failed;
    }
    if (count > FINDINGS_SHOWN && !page->options->is_verbose)
        npart__append_format(page->out, "        and %u more\n", count - FINDINGS_SHOWN);
}

/* ---- verdict ----------------------------------------------------------------------------------------------- */

static void verdict(struct npart__page *page)
{
    const struct npart_summary *summary = &page->plan->summary;
    npart__put(page, "  ");
    npart__put_verdict(page, 0);
    npart__put(page, "  ");
    count_of(page, summary->partitions, "partition");
    if (summary->partitions_low != summary->partitions_high)
        npart__append_format(page->out, " (%u to %u, by what is unknown)", summary->partitions_low,
                             summary->partitions_high);
    npart__put(page, ", ");
    npart__append_format(page->out, "%u switch%s", summary->switches, summary->switches == 1 ? "" : "es");
    npart__put(page, ", ");
    npart__append_fixed(page->out, summary->coverage * 100, 1);
    npart__append_format(page->out, " %% of %u nodes on the NPU\n", summary->live);
}

/* Of a runtime that has room for so many partitions: how many of them are in use. */
static void room(struct npart__page *page)
{
    const struct npart__target *target = &page->plan->target;
    for (uint32_t i = 0; i < target->oplist->policies.count; i++) {
        const struct npart__policy *policy = &target->oplist->policies.items[i];
        if (npart__policy_keeps(policy) && npart__target_has(target, policy->when))
            npart__append_format(page->out, "  uses %u of %llu partitions", page->plan->summary.partitions,
                                 (unsigned long long)policy->number);
    }
}

static void counts(struct npart__page *page)
{
    const struct npart_summary *summary = &page->plan->summary;
    npart__put_cell_count(page, summary->accepted, NPART__CELL_NPU, "NPU");
    npart__put_cell_count(page, summary->refused - summary->failed, NPART__CELL_CPU, "CPU");
    if (summary->failed)
        npart__put_cell_count(page, summary->failed, NPART__CELL_FAIL, "fail");
    if (summary->unknown)
        npart__put_cell_count(page, summary->unknown, NPART__CELL_UNKNOWN, "unknown");
    if (summary->folded) {
        npart__put(page, "  ");
        npart__paint(page, NPART__DIM);
        if (summary->folded > summary->fused)
            npart__append_format(page->out, "%u computed before the run", summary->folded - summary->fused);
        if (summary->fused)
            npart__append_format(page->out, "%s%u merged into others", summary->folded > summary->fused ? ", " : "",
                                 summary->fused);
        npart__paint(page, "0");
    }
    room(page);
    npart__put(page, "\n");
}

/* ---- causes ------------------------------------------------------------------------------------------------ */

static void cause_detail(struct npart__page *page, uint32_t id)
{
    const struct npart__plan *plan = page->plan;
    const struct npart__cause *cause = &plan->causes.items.items[id];
    const struct npart__rule *rule = &plan->target.oplist->rules.items[cause->rule];
    struct npart__buffer found;
    npart__buffer_init(&found, page->out->arena);
    if (cause->cut_value == NPART_NONE)
        (void)npart__rule_found(&plan->target, &plan->session, cause->rule, cause->first_victim, &found);
    npart__paint(page, NPART__DIM);
    if (found.size) {
        npart__put(page, "     ");
        npart__wrapped(page, npart__buffer_text(&found), 5, 7);
        npart__put(page, "\n");
    }
    if (cause->first_victim != NPART_NONE) {
        npart__put(page, "     ");
        npart__put_place(page, cause->first_victim);
        npart__put(page, "\n");
    }
    if (rule->advice) {
        npart__paint(page, "0");
        npart__put(page, "     ");
        npart__wrapped(page, rule->advice, 5, 7);
        npart__put(page, "\n");
        npart__paint(page, NPART__DIM);
    }
    if (*rule->source) {
        npart__put(page, "     ");
        npart__put_text(page, rule->id);
        npart__put(page, ": ");
        npart__wrapped(page, rule->source, (uint32_t)strlen(rule->id) + 7, 7);
        npart__put(page, "\n");
    }
    npart__paint(page, "0");
    page->out->failed |= found.failed;
}

static void cause_line(struct npart__page *page, uint32_t id)
{
    const struct npart__cause *cause = &page->plan->causes.items.items[id];
    npart__append_format(page->out, "  %2u ", id + 1);
    npart__paint(page, cause->is_fatal ? NPART__RED : cause->is_unknown ? NPART__MAGENTA : NPART__BOLD);
    npart__wrapped(page, cause->text, 5, 5);
    npart__paint(page, "0");
    npart__put(page, "  ");
    if (cause->cut_value == NPART_NONE)
        count_of(page, cause->victim_count, "node");
    else if (cause->cut_count == 0)
        npart__put(page, "ends no partition");
    if (cause->cut_count) {
        npart__put(page, cause->cut_value == NPART_NONE ? ", ends " : "ends ");
        count_of(page, cause->cut_count, "partition");
    }
    npart__put(page, "\n");
    cause_detail(page, id);
}

static void causes(struct npart__page *page)
{
    uint32_t count = page->plan->causes.items.count;
    uint32_t shown = page->options->is_verbose || count < CAUSES_SHOWN ? count : CAUSES_SHOWN;
    if (count == 0)
        return;
    npart__painted(page, NPART__BOLD, "  Why\n");
    for (uint32_t i = 0; i < shown; i++)
        cause_line(page, i);
    if (shown < count)
        npart__append_format(page->out, "     and %u more (--verbose, or --format json)\n", count - shown);
}

/* ---- cost -------------------------------------------------------------------------------------------------- */

static void part(struct npart__page *page, const char *name, struct npart__range range)
{
    npart__put(page, name);
    npart__put_milliseconds(page, range.low);
    npart__put(page, " to ");
    npart__put_milliseconds(page, range.high);
}

/* The range's parts, on lines of their own. */
static void parts(struct npart__page *page, const struct npart__cost *cost)
{
    struct npart__buffer line;
    struct npart__page gathered = *page;
    npart__buffer_init(&line, page->out->arena);
    gathered.out = &line;
    part(&gathered, "launches ", cost->switch_ms);
    part(&gathered, ", copies ", cost->copy_ms);
    npart__put(&gathered, " (");
    bytes_of(&gathered, cost->bytes_to_npu);
    npart__put(&gathered, " in, ");
    bytes_of(&gathered, cost->bytes_to_cpu);
    npart__put(&gathered, " out");
    if (cost->unknown_sizes)
        npart__append_format(&line, ", %u of unknown size", cost->unknown_sizes);
    part(&gathered, "), layouts ", cost->layout_ms);
    npart__append_format(&line, " (%u conversion%s)", cost->conversions, cost->conversions == 1 ? "" : "s");
    npart__paint(page, NPART__DIM);
    npart__put(page, "     ");
    npart__wrapped(page, npart__buffer_text(&line), 5, 5);
    npart__paint(page, "0");
    npart__put(page, "\n");
    page->out->failed |= line.failed;
}

static void cost(struct npart__page *page)
{
    const struct npart__cost *cost = &page->plan->cost;
    if (page->plan->summary.partitions == 0)
        return;
    npart__painted(page, NPART__BOLD, "  Switching");
    npart__put(page, " costs ");
    npart__put_milliseconds(page, cost->total_ms.low);
    npart__put(page, " to ");
    npart__put_milliseconds(page, cost->total_ms.high);
    npart__put(page, " ms a run, typically ");
    npart__put_milliseconds(page, cost->total_ms.typical);
    npart__put(page, cost->is_calibrated ? "\n" : " (uncalibrated)\n");
    parts(page, cost);
}

/* ---- what next --------------------------------------------------------------------------------------------- */

/* One word of a shell, whatever stands in it: the name of a dim comes from the file, and the line is there to be
 * copied. */
static void append_word(struct npart__buffer *out, const char *name, int64_t value)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:/@%+-";
    size_t length = strlen(name), plain = strspn(name, safe);
    bool is_quoted = plain < length, has_blanks_only = true;
    for (size_t i = plain; i < length; i++)
        has_blanks_only &= name[i] == ' ' || strchr(safe, name[i]) || strchr("()*", name[i]);
    const char *quote = !is_quoted ? "" : has_blanks_only ? "\"" : "'";
    npart__append_text(out, quote);
    for (size_t i = 0; i < length; i++) {
        if (name[i] == '\'')
            npart__append_text(out, "'\\'");
        npart__append(out, name + i, 1);
    }
    npart__append_format(out, "=%lld%s", (long long)value, quote);
}

/* Sizes as the command line takes them, in front of each `before`; the last one followed by `after`. */
static void append_bindings(struct npart__buffer *out, const struct npart__plan *fixed, const char *before,
                            const char *after)
{
    for (uint32_t i = 0; i < fixed->binding_count; i++) {
        npart__append_format(out, " %s", before);
        append_word(out, fixed->bindings[i].name, fixed->bindings[i].value);
        npart__append_text(out, i + 1 < fixed->binding_count ? "" : after);
    }
}

static void fixed_line(struct npart__page *page, const struct npart__plan *fixed)
{
    const struct npart_summary *summary = &fixed->summary;
    struct npart__buffer line;
    npart__buffer_init(&line, page->out->arena);
    npart__painted(page, NPART__BOLD, "  Fixed");
    npart__append_text(&line, "at");
    append_bindings(&line, fixed, "", ":");
    npart__append_format(&line, " %u partition%s, ", summary->partitions, summary->partitions == 1 ? "" : "s");
    npart__append_fixed(&line, summary->coverage * 100, 1);
    npart__append_format(&line, " %% of %u nodes on the NPU", summary->live);
    if (fixed->causes.items.count)
        npart__append_format(&line, "; then %s", fixed->causes.items.items[0].text);
    npart__put(page, " ");
    npart__wrapped(page, npart__buffer_text(&line), 8, 9);
    npart__put(page, "\n");
    page->out->failed |= line.failed;
}

/* What to type, so not wrapped: it can be copied. */
static void try_line(struct npart__page *page, const struct npart__plan *fixed)
{
    struct npart__buffer line;
    npart__buffer_init(&line, page->out->arena);
    append_bindings(&line, fixed, "--dim ", "");
    npart__put(page, "export with fixed sizes, or try\n       ");
    npart__put_outside(page, npart__buffer_text(&line), line.size);
    npart__put(page, "\n");
    page->out->failed |= line.failed;
}

/* The whole model is refused for its floating point: whether the line says which switch judges it as if quantized. */
static bool quantize_line(struct npart__page *page)
{
    const struct npart__plan *plan = page->plan;
    const struct npart__oplist *oplist = plan->target.oplist;
    uint32_t unless = oplist->integer_when.without;
    if (plan->causes.items.count != 1 || plan->causes.items.items[0].rule != oplist->integer_rule)
        return false;
    npart__put(page, "quantize the model to INT8 (QuantizeLinear and DequantizeLinear)");
    if (unless != NPART_NONE) {
        npart__put(page, ", or try\n        -t ");
        npart__put_target(page);
        npart__put(page, "+");
        npart__put(page, oplist->switches.items[unless]);
    }
    npart__put(page, "\n");
    return true;
}

static void next_step(struct npart__page *page, const struct npart__plan *fixed)
{
    const struct npart__plan *plan = page->plan;
    struct npart_error error;
    struct npart__next_step step;
    npart__painted(page, NPART__BOLD, "  Next  ");
    if (strcmp(plan->summary.verdict, "fails") == 0 && npart__is_invalid(plan->asked)) {
        npart__put(page, "mend what the runtime refuses to load the model for (noted above)\n");
        return;
    }
    if (fixed && fixed->summary.coverage > plan->summary.coverage) {
        try_line(page, fixed);
        return;
    }
    if (plan->causes.items.count == 0) {
        npart__put(page, "nothing: every node is taken\n");
        return;
    }
    if (quantize_line(page))
        return;
    if (npart__find_next_step(plan, &step, &error) != NPART_OK) {
        page->out->failed = true;
        return;
    }
    npart__append_format(page->out, "cause%s %u", step.last_cause > step.first_cause ? "s" : "", step.first_cause + 1);
    if (step.last_cause > step.first_cause)
        npart__append_format(page->out, " to %u together", step.last_cause + 1);
    npart__put(page, ": ");
    if (step.victim_count)
        count_of(page, step.victim_count, "node");
    else
        npart__put(page, "your own cut");
    if (plan->summary.partitions == 0)
        npart__put(page, "; without that there is no partition at all\n");
    else if (step.partitions < plan->summary.partitions)
        npart__append_format(page->out, "; %s %u partition%s in place of %u\n",
                             step.victim_count ? "with them on the NPU" : "without it", step.partitions,
                             step.partitions == 1 ? "" : "s", plan->summary.partitions);
    else
        npart__put(page, "; the number of partitions stays\n");
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

static void target(struct npart__page *page, const struct npart__plan *fixed)
{
    const struct npart__target *at = &page->plan->target;
    npart__put(page, "\n");
    npart__put_target(page);
    npart__put(page, "  ");
    npart__put_text(page, at->oplist->title);
    if (*at->toolchain_text) {
        npart__put(page, ", ");
        npart__put_text(page, at->toolchain_text);
    }
    if (page->plan->level == NPART__LEVEL_OFF)
        npart__put(page, ", level off");
    npart__put(page, "\n");
    if (*at->oplist->standing) {
        npart__put(page, "  ");
        npart__paint(page, NPART__DIM);
        npart__wrapped(page, at->oplist->standing, 2, 2);
        npart__paint(page, "0");
        npart__put(page, "\n");
    }
    verdict(page);
    counts(page);
    if (page->plan->summary.live) {
        npart__put(page, "  ");
        npart__put_strip(page, page->width - 4);
        npart__put(page, "\n");
    }
    causes(page);
    npart__put_remarks(page);
    cost(page);
    if (fixed)
        fixed_line(page, fixed);
    next_step(page, fixed);
}

void npart__report_text(const struct npart__plan_pair *pairs, size_t count,
                        const struct npart_report_options *options, struct npart__buffer *out)
{
    struct npart__page page = {.out = out, .options = options, .plan = pairs[0].plan, .graph = pairs[0].plan->graph};
    page.width = npart__page_width(options);
    head(&page);
    notes(&page, page.graph->findings.items, page.graph->findings.count);
    notes(&page, page.plan->asked->findings.items, page.plan->asked->findings.count);
    if (count > 1)
        npart__put_table(&page, pairs, count);
    for (size_t i = 0; i < count && (count == 1 || options->is_verbose); i++) {
        page.plan = pairs[i].plan;
        page.graph = page.plan->graph;
        target(&page, pairs[i].fixed);
    }
}
