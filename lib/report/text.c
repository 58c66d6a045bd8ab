/* SPDX-License-Identifier: Apache-2.0
 *
 * The report for a person at a terminal: what the answer is, a picture of it, why, what it
 * costs, what to do next. The order is that of a reader with ten seconds: verdict, what to do
 * first, causes; details follow, and more with --verbose. All figures come from the public
 * getters, as docs/json.md has them.
 */
#include "report/page.h"

/* What fits on one screen with all parts there; --verbose shows all. */
#define CAUSES_SHOWN 5u
#define FINDINGS_SHOWN 3u
#define STEPS_SHOWN 4u
#define FAILURES_SHOWN 2u

/* "1 node", "2 nodes". */
static void count_of(struct npart__page *page, uint64_t count, const char *noun)
{
    npart__add_format(page->out, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : "s");
}

/* ---- head -------------------------------------------------------------------------------------------------- */

/* The model in one line: "mobilenet.onnx 105 nodes, 13.9 MB of weights, opset 13, pytorch 2.1". */
static void head(struct npart__page *page)
{
    struct npart_model_info info = {.size = sizeof info};
    (void)npart_model_info(page->model, &info);
    npart__paint(page, NPART__BOLD);
    npart__put_text(page, info.name);
    npart__paint(page, "0");
    npart__put(page, "  ");
    count_of(page, info.node_count - info.added_node_count, "node");
    npart__put(page, ", ");
    npart__add_bytes(page->out, info.weight_bytes);
    npart__put(page, " of weights");
    for (uint32_t i = 0; i < info.opset_count; i++)
        if (strcmp(info.opsets[i].domain, "ai.onnx") == 0)
            npart__add_format(page->out, ", opset %lld", (long long)info.opsets[i].version);
    if (*info.producer_name) {
        npart__put(page, ", ");
        npart__put_text(page, info.producer_name);
        npart__put(page, *info.producer_version ? " " : "");
        npart__put_text(page, info.producer_version);
    }
    npart__put(page, "\n");
}

/* A finding with its place in parentheses. */
static void note(struct npart__page *page, const struct npart_finding *finding)
{
    struct npart__sheet line;
    npart__sheet_open(&line, page->pool);
    npart__add_format(&line, *finding->at ? "%s (%s)" : "%s", finding->text, finding->at);
    npart__painted(page, NPART__DIM, "  note  ");
    npart__wrapped(page, npart__sheet_text(&line), 8, 8);
    npart__put(page, "\n");
    npart__sheet_close(&line);
}

/* Each source of notes has a count of its own. */
static void more_notes(struct npart__page *page, uint32_t count)
{
    if (count > FINDINGS_SHOWN && !page->options->is_verbose)
        npart__add_format(page->out, "        and %u more\n", count - FINDINGS_SHOWN);
}

/* What was found in the model, then what was found of its types and shapes. */
static void notes(struct npart__page *page)
{
    const npart_inference *asked = npart_plan_inference(page->plan);
    struct npart_finding finding = {.size = sizeof finding};
    uint32_t most = page->options->is_verbose ? NPART_NONE : FINDINGS_SHOWN, count = 0;
    for (; npart_model_finding(page->model, count, &finding); count++)
        if (count < most)
            note(page, &finding);
    more_notes(page, count);
    for (count = 0; npart_inference_finding(asked, count, &finding); count++)
        if (count < most)
            note(page, &finding);
    more_notes(page, count);
}

/* ---- verdict ----------------------------------------------------------------------------------------------- */

/* The share of the work that the NPU does, by arithmetic first. Of what it is a share is always
 * said: of MACs, and of nodes. */
static void coverage(struct npart__page *page)
{
    const struct npart_summary *summary = &page->summary;
    npart__put(page, "coverage ");
    if (summary->has_macs && summary->macs) {
        npart__add_decimal(page->out, summary->mac_coverage * 100, 1);
        npart__put(page, " % of MACs, ");
    }
    npart__add_decimal(page->out, summary->coverage * 100, 1);
    npart__add_format(page->out, " %% of %u node%s%s", summary->live, summary->live == 1 ? "" : "s",
                      summary->has_macs ? "" : " (MACs unknown)");
}

/* Gathered on a sheet of its own first, since it is wrapped as a whole. */
static void verdict(struct npart__page *page)
{
    const struct npart_summary *summary = &page->summary;
    struct npart__sheet line;
    struct npart__page gathered = *page;
    npart__sheet_open(&line, page->pool);
    gathered.out = &line;
    if (strcmp(summary->verdict, "edge") == 0)
        npart__put(&gathered, "one partition; input and output quantization on the CPU");
    else
        count_of(&gathered, summary->partitions, "partition");
    if (summary->partitions_low != summary->partitions_high)
        npart__add_format(&line, " (%u to %u, some nodes are undecided)", summary->partitions_low,
                          summary->partitions_high);
    npart__add_format(&line, ", %u device switch%s; ", summary->switches, summary->switches == 1 ? "" : "es");
    coverage(&gathered);
    npart__put(page, "  ");
    npart__put_verdict(page, 0);
    npart__put(page, "  ");
    npart__wrapped(page, npart__sheet_text(&line), 9, 9);
    npart__put(page, "\n");
    npart__sheet_close(&line);
}

/* Of a runtime that has room for so many partitions: how many of them are in use. For runtimes
 * with a limit (`partitions keep`), such as 16 subgraphs. */
static void room(struct npart__page *page)
{
    if (page->info.most_partitions)
        npart__add_format(page->out, "  uses %u of %llu partitions", page->summary.partitions,
                          (unsigned long long)page->info.most_partitions);
}

/* The legend of the strip and the numbers of nodes at once. `refused` counts nodes that fail to
 * compile, too, which are told apart here. */
static void counts(struct npart__page *page)
{
    const struct npart_summary *summary = &page->summary;
    npart__put_cell_count(page, summary->accepted, NPART__CELL_NPU, "NPU");
    npart__put_cell_count(page, summary->refused - summary->failed, NPART__CELL_CPU, "CPU");
    if (summary->failed)
        npart__put_cell_count(page, summary->failed, NPART__CELL_FAIL, "fail to compile");
    if (summary->unknown)
        npart__put_cell_count(page, summary->unknown, NPART__CELL_UNKNOWN, "undecided");
    if (summary->folded) {
        npart__put(page, "  ");
        npart__paint(page, NPART__DIM);
        if (summary->folded > summary->fused)
            npart__add_format(page->out, "%u constant-folded", summary->folded - summary->fused);
        if (summary->fused)
            npart__add_format(page->out, "%s%u fused into other nodes", summary->folded > summary->fused ? ", " : "",
                              summary->fused);
        npart__paint(page, "0");
    }
    room(page);
    npart__put(page, "\n");
}

/* ---- causes ------------------------------------------------------------------------------------------------ */

static void detail_line(struct npart__page *page, const char *text)
{
    npart__put(page, "     ");
    npart__wrapped(page, text, 5, 7);
    npart__put(page, "\n");
}

/* The requirement, where the cause's own text does not state it, and what was found: "...; found
 * rank 6". Many causes are the sentence of a rule; it is not told twice. */
static void requirement_lines(struct npart__page *page, const struct npart_cause *cause, const struct npart_rule *rule,
                              const char *found)
{
    struct npart__sheet line;
    npart__sheet_open(&line, page->pool);
    if (*found && !strstr(cause->text, rule->text))
        npart__add_format(&line, "%s; ", rule->text);
    if (*found)
        npart__add_format(&line, "found %s", found);
    if (line.size)
        detail_line(page, npart__sheet_text(&line));
    line.size = 0;
    if (*rule->because) {
        npart__add_format(&line, "because %s", rule->because);
        detail_line(page, npart__sheet_text(&line));
    }
    npart__sheet_close(&line);
}

/* What lies under a cause, dimmed: the requirement, the first node, the rule with its source. */
static void cause_detail(struct npart__page *page, const struct npart_cause *cause, const char *found)
{
    struct npart_rule rule = {.size = sizeof rule, .id = "", .text = "", .source = "", .advice = "", .because = ""};
    (void)npart_oplist_rule(npart_plan_oplist(page->plan), cause->rule, &rule);
    npart__paint(page, NPART__DIM);
    requirement_lines(page, cause, &rule, found);
    if (cause->first_affected != NPART_NONE) {
        npart__put(page, cause->affected_count > 1 ? "     first at " : "     at ");
        npart__put_place(page, cause->first_affected);
        npart__put(page, "\n");
    }
    if (*rule.source) {
        npart__put(page, "     rule ");
        npart__put_text(page, rule.id);
        npart__put(page, ": ");
        npart__wrapped(page, rule.source, (uint32_t)strlen(rule.id) + 12, 7);
        npart__put(page, "\n");
    }
    npart__paint(page, "0");
}

/* "343 nodes fall back, 8 partitions end": what the cause does. A cut point of the user's ends
 * partitions and makes no node fall back. */
static void add_effect(struct npart__sheet *line, const struct npart_cause *cause)
{
    bool is_cut = cause->cut_value != NPART_NONE, is_one = cause->affected_count == 1;
    if (!is_cut)
        npart__add_format(line, "%u node%s %s", cause->affected_count, is_one ? "" : "s",
                          cause->is_unknown ? "undecided"
                          : cause->is_fatal ? (is_one ? "fails to compile" : "fail to compile")
                          : is_one          ? "falls back"
                                            : "fall back");
    else if (cause->cut_count == 0)
        npart__add_text(line, "no partition ends");
    if (cause->cut_count)
        npart__add_format(line, "%s%u partition%s", is_cut ? "" : ", ", cause->cut_count,
                          cause->cut_count == 1 ? " ends" : "s end");
}

/* Numbered from 1, as advice and people refer to them. */
static void cause_line(struct npart__page *page, uint32_t id)
{
    struct npart_cause cause = {.size = sizeof cause};
    while (npart_plan_cause(page->plan, id, &cause, NPART__ROOM(page->scratch)) &&
           npart__sheet_lacks(page->scratch, cause.found_bytes))
        continue;
    npart__add_format(page->out, "  %2u ", id + 1);
    npart__paint(page, cause.is_fatal ? NPART__RED : cause.is_unknown ? NPART__MAGENTA : NPART__BOLD);
    struct npart__sheet line;
    npart__sheet_open(&line, page->pool);
    npart__add_format(&line, "%s; ", cause.text);
    add_effect(&line, &cause);
    npart__wrapped(page, npart__sheet_text(&line), 5, 5);
    npart__sheet_close(&line);
    npart__paint(page, "0");
    npart__put(page, "\n");
    cause_detail(page, &cause, npart__sheet_text(page->scratch));
}

/* In the plan's order: those that end most partitions first. */
static void causes(struct npart__page *page)
{
    uint32_t count = page->info.cause_count;
    uint32_t shown = page->options->is_verbose || count < CAUSES_SHOWN ? count : CAUSES_SHOWN;
    if (count == 0)
        return;
    npart__painted(page, NPART__BOLD, "  Why\n");
    for (uint32_t i = 0; i < shown && !page->pool->failed; i++)
        cause_line(page, i);
    if (shown < count)
        npart__add_format(page->out, "     and %u more (--verbose, or --format json)\n", count - shown);
}

/* ---- cost -------------------------------------------------------------------------------------------------- */

/* A range without its typical value, which only the total has. */
static void part(struct npart__page *page, const char *name, struct npart_cost_range range)
{
    npart__put(page, name);
    npart__put_milliseconds(page, range.low_ms);
    npart__put(page, " to ");
    npart__put_milliseconds(page, range.high_ms);
    npart__put(page, " ms");
}

/* The range's parts, on lines of their own. Each part as a range: its parameters are ranges, and
 * adding their typical values would hide that. */
static void parts(struct npart__page *page, const struct npart_cost *cost)
{
    struct npart__sheet line;
    struct npart__page gathered = *page;
    npart__sheet_open(&line, page->pool);
    gathered.out = &line;
    part(&gathered, "launches ", cost->switching);
    part(&gathered, ", copies ", cost->copying);
    npart__put(&gathered, " (");
    npart__add_bytes(&line, cost->bytes_to_npu);
    npart__put(&gathered, " in, ");
    npart__add_bytes(&line, cost->bytes_to_cpu);
    npart__put(&gathered, " out");
    if (cost->unknown_sizes)
        npart__add_format(&line, ", %u of unknown size", cost->unknown_sizes);
    part(&gathered, "), layout conversions ", cost->layout);
    npart__add_format(&line, " (%u tensor%s", cost->conversions, cost->conversions == 1 ? "" : "s");
    if (cost->conversions) {
        npart__add_text(&line, ", ");
        npart__add_bytes(&line, cost->conversion_bytes);
    }
    npart__add_text(&line, ")");
    npart__paint(page, NPART__DIM);
    npart__put(page, "     ");
    npart__wrapped(page, npart__sheet_text(&line), 5, 5);
    npart__paint(page, "0");
    npart__put(page, "\n");
    npart__sheet_close(&line);
}

/* A plan without partitions switches between no devices, and costs nothing. */
static void cost(struct npart__page *page)
{
    const struct npart_cost *cost = &page->cost;
    if (page->summary.partitions == 0)
        return;
    npart__painted(page, NPART__BOLD, "  Device switches");
    npart__put(page, " cost ");
    npart__put_milliseconds(page, cost->total.typical_ms);
    npart__put(page, " ms a run (");
    npart__put_milliseconds(page, cost->total.low_ms);
    npart__put(page, " to ");
    npart__put_milliseconds(page, cost->total.high_ms);
    npart__put(page, cost->is_calibrated ? ")\n" : "), not calibrated\n");
    parts(page, cost);
}

/* ---- what fails -------------------------------------------------------------------------------------------- */

/* A sentence and, where there is one, the node. */
static void failure_line(struct npart__page *page, const char *text, uint32_t node)
{
    struct npart__sheet line;
    npart__sheet_open(&line, page->pool);
    npart__add_text(&line, text);
    if (node != NPART_NONE) {
        char place[160];
        (void)npart_model_node_text(page->model, node, place, sizeof place);
        npart__add_format(&line, ": %s", place);
    }
    npart__painted(page, NPART__RED, "  Because   ");
    npart__wrapped(page, npart__sheet_text(&line), 12, 12);
    npart__put(page, "\n");
    npart__sheet_close(&line);
}

/* What the runtime or the compiler says, before all else: the model runs nowhere. */
static void failures(struct npart__page *page)
{
    struct npart_finding finding = {.size = sizeof finding};
    struct npart_cause cause = {.size = sizeof cause};
    uint32_t most = page->options->is_verbose ? NPART_NONE : FAILURES_SHOWN, count = 0;
    bool is_invalid = false;
    if (strcmp(page->summary.verdict, "fails") != 0)
        return;
    for (uint32_t i = 0; npart_inference_finding(npart_plan_inference(page->plan), i, &finding) && count < most; i++) {
        if (strcmp(finding.code, "invalid") != 0)
            continue;
        failure_line(page, finding.text, NPART_NONE);
        is_invalid = true;
        count++;
    }
    /* A model that is not loaded is not compiled either, so what would fail then is not told. */
    for (uint32_t i = 0; !is_invalid && npart_plan_cause(page->plan, i, &cause, NULL, 0) && count < most; i++) {
        if (!cause.is_fatal)
            continue;
        failure_line(page, cause.text, cause.first_affected);
        count++;
    }
}

/* ---- what to do -------------------------------------------------------------------------------------------- */

/* What is left then: "leaves 7 partitions, 85.8 % of nodes on the NPU". Both plans may fail to
 * compile; the numbers say how far they would get. */
static void left(struct npart__page *page, const struct npart_after *before, const struct npart_after *after)
{
    bool is_whole = strcmp(after->verdict, "whole") == 0;
    bool still_fails = strcmp(after->verdict, "fails") == 0;
    npart__paint(page, NPART__DIM);
    npart__put(page, "            ");
    if (strcmp(before->verdict, "fails") == 0 && !still_fails)
        npart__put(page, "then it compiles: ");
    npart__add_format(page->out, "%s%u partition%s", after->partitions == before->partitions ? "still " : "leaves ",
                      after->partitions, after->partitions == 1 ? "" : "s");
    if (is_whole) {
        npart__put(page, ", all nodes on the NPU");
    } else {
        npart__put(page, ", ");
        npart__add_decimal(page->out, after->coverage * 100, 1);
        npart__put(page, " % of nodes on the NPU");
    }
    npart__put(page, still_fails ? "; still fails to compile" : "");
    npart__paint(page, "0");
    npart__put(page, "\n");
}

/* The command is there to be copied, so it is not wrapped. */
static void action_line(struct npart__page *page, const char *label, const struct npart_action *action,
                        const struct npart_after *before)
{
    npart__painted(page, NPART__BOLD, label);
    npart__wrapped(page, action->text, 12, 12);
    npart__put(page, "\n");
    if (action->command) {
        npart__put(page, "            ");
        npart__put_outside(page, action->command, strlen(action->command));
        npart__put(page, "\n");
    }
    if (strcmp(action->kind, "none") != 0)
        left(page, before, &action->after);
}

/* What may take the place of a step. Of the first step only, unless all is asked for. */
static void other_lines(struct npart__page *page, const npart_advice *advice, uint32_t step,
                        const struct npart_after *before)
{
    struct npart_action action = {.size = sizeof action};
    for (uint32_t i = 0; npart_advice_action(advice, i, &action); i++)
        if (action.instead_of == step)
            action_line(page, "  or        ", &action, before);
}

/* Each step's result is compared with that of the step before: "still 7 partitions" says that it
 * does not help by itself. */
static void actions(struct npart__page *page, const npart_advice *advice)
{
    struct npart_action action = {.size = sizeof action};
    struct npart_after before = {.partitions = page->summary.partitions,
                                 .coverage = page->summary.coverage,
                                 .verdict = page->summary.verdict};
    uint32_t most = page->options->is_verbose ? NPART_NONE : STEPS_SHOWN, count = 0;
    for (; npart_advice_action(advice, count, &action) && action.instead_of == NPART_NONE; count++) {
        bool is_first = count == 0;
        if (count >= most)
            continue;
        bool is_kept = strcmp(action.kind, "none") == 0;
        static const char *const labels[2][2] = {{"  then      ", "  else      "}, {"  Do first  ", "  Advice    "}};
        action_line(page, labels[is_first][is_kept], &action, &before);
        if (is_first || page->options->is_verbose)
            other_lines(page, advice, count, &before);
        if (!is_kept)
            before = action.after;
    }
    if (count > most)
        npart__add_format(page->out, "            and %u more (--verbose, or --format json)\n", count - most);
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

/* One target, from the verdict to the costs. */
static void target(struct npart__page *page, const npart_advice *advice)
{
    npart__put(page, "\n");
    npart__put_target(page);
    npart__put(page, "  ");
    npart__put_text(page, page->oplist.title);
    if (*page->info.toolchain) {
        npart__put(page, ", ");
        npart__put_text(page, page->info.toolchain);
    }
    if (page->info.level == NPART_LEVEL_OFF)
        npart__put(page, ", level off");
    npart__put(page, "\n");
    if (*page->oplist.standing) {
        npart__put(page, "  ");
        npart__paint(page, NPART__DIM);
        npart__wrapped(page, page->oplist.standing, 2, 2);
        npart__paint(page, "0");
        npart__put(page, "\n");
    }
    verdict(page);
    counts(page);
    if (page->summary.live) {
        npart__put(page, "  ");
        npart__put_strip(page, page->width - 4);
        npart__put(page, "\n");
    }
    failures(page);
    actions(page, advice);
    causes(page);
    npart__put_remarks(page);
    if (page->options->is_verbose)
        npart__put_pieces(page);
    cost(page);
    if (page->options->is_verbose) {
        npart__put_layouts(page);
        npart__put_fusions(page);
    }
}

/* Head and notes once, as they hold for all targets; several targets are a table, and reports of
 * their own only where more is asked for. */
npart_status npart_report_text(const struct npart_plan_pair *plans, size_t count,
                               const struct npart_report_options *options, npart_write_callback write, void *payload,
                               struct npart_error *error)
{
    struct npart__document document;
    struct npart__page *page = &document.page;
    npart_status status = npart__report_check(plans, count, options, write, error);
    if (status != NPART_OK)
        return status;
    npart__document_open(&document, plans[0].plan, options, write, payload);
    head(page);
    notes(page);
    if (count > 1)
        npart__put_table(page, plans, count);
    for (size_t i = 0; i < count && (count == 1 || page->options->is_verbose) && !document.pool.failed; i++) {
        npart__page_turn(page, plans[i].plan);
        target(page, plans[i].advice);
    }
    return npart__document_close(&document, error);
}
