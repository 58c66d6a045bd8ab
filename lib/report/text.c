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
#define STEPS_SHOWN 4u /* steps of what to do; those told together are not parted */
#define FAILURES_SHOWN 2u /* reasons why nothing runs */

/* "1 node", "2 nodes". */
static void count_of(struct npart__page *page, uint64_t count, const char *noun)
{
    npart__append_format(page->out, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : "s");
}

/* ---- head -------------------------------------------------------------------------------------------------- */

/* The model in one line: "mobilenet.onnx 105 nodes, 13.9 MB of weights, opset 13, pytorch 2.1". Nodes that a
 * runtime puts in the place of others (npart_model_info.added_node_count) are not the model's and do not count. Of
 * the opsets that of ai.onnx is told, since it decides which versions of operators the model has. */
static void head(struct npart__page *page)
{
    struct npart_model_info info = {.size = sizeof info};
    struct npart__buffer line;
    struct npart__page gathered = *page;
    (void)npart_model_info(page->model, &info);
    npart__buffer_init(&line, page->arena);
    gathered.out = &line;
    count_of(&gathered, info.node_count - info.added_node_count, "node");
    npart__put(&gathered, ", ");
    npart__append_bytes(&line, info.weight_bytes);
    npart__put(&gathered, " of weights");
    for (uint32_t i = 0; i < info.opset_count; i++)
        if (strcmp(info.opsets[i].domain, "ai.onnx") == 0)
            npart__append_format(&line, ", opset %lld", (long long)info.opsets[i].version);
    if (*info.producer_name)
        npart__append_format(&line, *info.producer_version ? ", %s %s" : ", %s", info.producer_name,
                             info.producer_version);
    npart__paint(page, NPART__BOLD);
    npart__put_text(page, info.name);
    npart__paint(page, "0");
    npart__put(page, "\n");
    npart__put_line(page, NULL, "  ", npart__buffer_text(&line), 2);
    npart__buffer_release(&line);
}

/* A finding with its place in parentheses. */
static void note(struct npart__page *page, const struct npart_finding *finding)
{
    struct npart__buffer line;
    npart__buffer_init(&line, page->arena);
    npart__append_format(&line, *finding->at ? "%s (%s)" : "%s", finding->text, finding->at);
    npart__put_line(page, NPART__DIM, "  note  ", npart__buffer_text(&line), 8);
    npart__buffer_release(&line);
}

/* Each source of notes has a count of its own. */
static void more_notes(struct npart__page *page, uint32_t count)
{
    if (count > FINDINGS_SHOWN && !page->options->is_verbose)
        npart__append_format(page->out, "        and %u more\n", count - FINDINGS_SHOWN);
}

/* A model that is not loaded fails without any node that does; one without a session has a finding of its plan. */
static bool is_not_loaded(const struct npart__page *page)
{
    struct npart_finding finding = {.size = sizeof finding};
    return page->summary.verdict == NPART_PLAN_FAILS && page->summary.failed == 0 &&
           !npart_plan_finding(page->plan, 0, &finding);
}

/* Whether the finding says why the target's runtime does not load the model. An older one may refuse what the newest
 * loads. */
static bool stops_loading(const struct npart__page *page, const struct npart_finding *finding)
{
    return strcmp(finding->code, "invalid") == 0 ||
           (is_not_loaded(page) && strcmp(finding->code, "newer-runtime") == 0);
}

/* What was found in the model, then what was found of its types and shapes. With one target alone, what makes the model
 * invalid stands there. It is said as the reason why nothing runs (failures), and would stand in the report twice. In
 * a table of several targets there is no such place. */
static void notes(struct npart__page *page, bool is_alone)
{
    const npart_inference *asked = npart_plan_inference(page->plan);
    struct npart_finding finding = {.size = sizeof finding};
    uint32_t most = page->options->is_verbose ? NPART_NONE : FINDINGS_SHOWN, count = 0;
    for (; npart_model_finding(page->model, count, &finding); count++)
        if (count < most)
            note(page, &finding);
    more_notes(page, count);
    count = 0;
    for (uint32_t i = 0; npart_inference_finding(asked, i, &finding); i++)
        if (!(is_alone && stops_loading(page, &finding)) && count++ < most)
            note(page, &finding);
    more_notes(page, count);
}

/* ---- verdict ----------------------------------------------------------------------------------------------- */

/* The share of the work that the NPU does, by arithmetic first. Of what it is a share is always
 * said: of MACs, and of nodes. "coverage 99.8 % of MACs, 64.3 % of "; the noun, and a count if there is one, is the
 * caller's. A negative share is not known. */
static void coverage(struct npart__page *page, double macs, double nodes)
{
    npart__put(page, "coverage ");
    if (macs >= 0) {
        npart__append_fixed(page->out, macs * 100, 1);
        npart__put(page, " % of MACs, ");
    }
    npart__append_fixed(page->out, nodes * 100, 1);
    npart__put(page, " % of ");
}

/* "4 partitions; coverage 99.8 % of MACs, 64.3 % of 28 nodes". Undecided nodes are on the CPU in the plan; where
 * their being on the NPU changes the number of partitions both ends of the range are told. */
static void split_words(struct npart__page *page)
{
    const struct npart_summary *summary = &page->summary;
    bool has_macs = summary->has_macs && summary->macs;
    if (summary->partitions_low != summary->partitions_high)
        npart__append_format(page->out, "%u to %u partitions; ", summary->partitions_low,
                             summary->partitions_high);
    else if (summary->partitions == 1)
        npart__put(page, "1 partition and the CPU; ");
    else
        npart__append_format(page->out, "%u partitions; ", summary->partitions);
    coverage(page, has_macs ? summary->mac_coverage : -1, summary->coverage);
    count_of(page, summary->live, "node");
    npart__put(page, summary->has_macs ? "" : " (MACs unknown)");
}

/* A model that is not loaded has the same verdict without any node that fails. */
static void failing_words(struct npart__page *page)
{
    const struct npart_summary *summary = &page->summary;
    if (summary->failed)
        npart__append_format(page->out, "because of %u of %u node%s", summary->failed, summary->live,
                             summary->live == 1 ? "" : "s");
    else
        npart__put(page, "ONNX Runtime does not load the model");
}

/* "all 12 nodes fall back to the CPU", "3 nodes fall back to the CPU, 2 nodes undecided". */
static void none_words(struct npart__page *page)
{
    const struct npart_summary *summary = &page->summary;
    npart__put(page, summary->unknown || summary->live == 1 ? "" : "all ");
    if (summary->refused) {
        count_of(page, summary->refused, "node");
        npart__put(page, summary->refused == 1 ? " falls back to the CPU" : " fall back to the CPU");
    }
    if (summary->unknown) {
        npart__put(page, summary->refused ? ", " : "");
        count_of(page, summary->unknown, "node");
        npart__put(page, " undecided");
    }
}

static void whole_words(struct npart__page *page)
{
    npart__put(page, page->summary.live == 1 ? "" : "all ");
    count_of(page, page->summary.live, "node");
    npart__put(page, " on the NPU, in one partition");
}

/* The verdict "edge": all that the CPU does is to quantize the model's inputs and dequantize its outputs. */
static void edge_words(struct npart__page *page)
{
    npart__put(page, "one partition; input and output quantization on the CPU");
}

static void empty_words(struct npart__page *page)
{
    npart__put(page, "no node is left after constant folding");
}

/* One line: a word, and what it means here. Gathered on a buffer of its own first, since it is wrapped as a whole. */
static void verdict(struct npart__page *page)
{
    static void (*const all[])(struct npart__page *page) = {
        [NPART_PLAN_WHOLE] = whole_words, [NPART_PLAN_EDGE] = edge_words,     [NPART_PLAN_SPLIT] = split_words,
        [NPART_PLAN_NONE] = none_words,   [NPART_PLAN_FAILS] = failing_words, [NPART_PLAN_EMPTY] = empty_words};
    struct npart__buffer line;
    struct npart__page gathered = *page;
    npart__buffer_init(&line, page->arena);
    gathered.out = &line;
    if (page->summary.verdict < NPART__COUNT(all))
        all[page->summary.verdict](&gathered);
    npart__put(page, "  ");
    npart__put_verdict(page, 0);
    npart__put(page, "  ");
    npart__wrapped(page, npart__buffer_text(&line), 9, 9);
    npart__put(page, "\n");
    npart__buffer_release(&line);
}

/* Of a runtime that has room for so many partitions: how many of them are in use. For runtimes
 * with a limit (`partitions keep`), such as 16 subgraphs. */
static void room(struct npart__page *page)
{
    if (page->info.most_partitions)
        npart__append_format(page->out, "  uses %u of %llu partitions", page->summary.partitions,
                             (unsigned long long)page->info.most_partitions);
}

/* The legend of the strip and the numbers of nodes at once. `refused` counts nodes that fail to
 * compile, too, which are told apart here. */
static void counts(struct npart__page *page)
{
    const struct npart_summary *summary = &page->summary;
    npart__put_cell_counts(page);
    if (summary->folded) {
        npart__put(page, "  ");
        npart__paint(page, NPART__DIM);
        if (summary->folded > summary->fused)
            npart__append_format(page->out, "%u constant-folded", summary->folded - summary->fused);
        if (summary->fused)
            npart__append_format(page->out, "%s%u fused into other nodes", summary->folded > summary->fused ? ", " : "",
                                 summary->fused);
        npart__paint(page, "0");
    }
    room(page);
    npart__put(page, "\n");
}

/* ---- causes ------------------------------------------------------------------------------------------------ */

/* The requirement, where the cause's own text does not state it, and what was found: "...; found
 * rank 6". Many causes are the sentence of a rule; it is not told twice. Why it is required, where the list says so,
 * is a line of its own. `found` may be empty: of a cut point nothing is looked for. */
static void requirement_lines(struct npart__page *page, const struct npart_cause *cause, const struct npart_rule *rule,
                              const char *found)
{
    struct npart__buffer line;
    npart__buffer_init(&line, page->arena);
    if (*found && !strstr(cause->text, rule->text))
        npart__append_format(&line, "%s; ", rule->text);
    if (*found)
        npart__append_format(&line, "found %s", found);
    if (line.size)
        npart__put_line(page, NULL, "     ", npart__buffer_text(&line), 7);
    line.size = 0;
    if (*rule->because) {
        npart__append_format(&line, "because %s", rule->because);
        npart__put_line(page, NULL, "     ", npart__buffer_text(&line), 7);
    }
    npart__buffer_release(&line);
}

/* What lies under a cause, dimmed: the requirement, the first node, the rule with its source. 14 and 8 are the
 * columns of the words before the node's place, 12 those round the rule's id. A cause without a rule of the list
 * leaves the empty texts. */
static void cause_detail(struct npart__page *page, const struct npart_cause *cause, const char *found)
{
    struct npart_rule rule = {.size = sizeof rule, .id = "", .text = "", .source = "", .advice = "", .because = ""};
    (void)npart_oplist_rule(npart_plan_oplist(page->plan), cause->rule, &rule);
    npart__paint(page, NPART__DIM);
    requirement_lines(page, cause, &rule, found);
    if (cause->first_affected != NPART_NONE) {
        npart__put(page, cause->affected_count > 1 ? "     first at " : "     at ");
        npart__put_wrapped_place(page, cause->first_affected, cause->affected_count > 1 ? 14 : 8, 7);
        npart__put(page, "\n");
    }
    if (*rule.source && page->options->is_verbose) {
        npart__put(page, "     rule ");
        npart__put_text(page, rule.id);
        npart__put(page, ": ");
        npart__wrapped(page, rule.source, (uint32_t)strlen(rule.id) + 12, 7);
        npart__put(page, "\n");
    }
    npart__paint(page, "0");
}

/* The first node of a cause that fails, where others of it may only fall back; NPART_NONE: none does. One walk over
 * all nodes, so it is asked of causes alone that are fatal and shown. */
static uint32_t first_failing(const npart_plan *plan, uint32_t cause)
{
    struct npart_node_plan node = {.size = sizeof node};
    for (uint32_t i = 0; npart_plan_node(plan, i, &node); i++)
        if (node.verdict == NPART_VERDICT_FAIL && node.cause == cause)
            return i;
    return NPART_NONE;
}

/* "343 nodes fall back, 8 partitions end": what the cause does. A cut point of the user's ends
 * partitions and makes no node fall back. Where some of the nodes fail: "3 nodes fall back and 1 of them fails to
 * compile"; where all of them do: "3 nodes fail to compile". */
static void add_effect(struct npart__buffer *line, const struct npart_cause *cause)
{
    uint32_t failed = cause->failing_count;
    bool is_cut = cause->cut_value != NPART_NONE, is_one = cause->affected_count == 1;
    bool is_mixed = failed && failed < cause->affected_count;
    if (!is_cut)
        npart__append_format(line, "%u node%s %s", cause->affected_count, is_one ? "" : "s",
                             cause->is_unknown ? "undecided"
                             : failed && !is_mixed ? (is_one ? "fails to compile" : "fail to compile")
                             : is_one              ? "falls back"
                                                : "fall back");
    else if (cause->cut_count == 0)
        npart__append_text(line, "no partition ends");
    if (is_mixed)
        npart__append_format(line, " and %u of them fail%s to compile", failed, failed == 1 ? "s" : "");
    if (cause->cut_count)
        npart__append_format(line, "%s%u partition%s", is_cut ? "" : ", ", cause->cut_count,
                             cause->cut_count == 1 ? " ends" : "s end");
}

/* Numbered from 1, as advice and people refer to them. What was found stays in the page's scratch until the detail
 * is written. Red for what fails to compile, magenta for what is undecided, as in the strip; the words say it as
 * well. */
static void cause_line(struct npart__page *page, uint32_t id)
{
    struct npart_cause cause = {.size = sizeof cause};
    while (npart_plan_cause(page->plan, id, &cause, NPART__ROOM(page->scratch)) &&
           npart__buffer_lacks(page->scratch, cause.found_bytes))
        continue;
    npart__append_format(page->out, "  %2u ", id + 1);
    npart__paint(page, cause.is_fatal ? NPART__RED : cause.is_unknown ? NPART__MAGENTA : NPART__BOLD);
    struct npart__buffer line;
    npart__buffer_init(&line, page->arena);
    npart__append_format(&line, "%s; ", cause.text);
    add_effect(&line, &cause);
    npart__wrapped(page, npart__buffer_text(&line), 5, 5);
    npart__buffer_release(&line);
    npart__paint(page, "0");
    npart__put(page, "\n");
    cause_detail(page, &cause, npart__buffer_text(page->scratch));
}

/* In the plan's order: those that end most partitions first. */
static void causes(struct npart__page *page)
{
    uint32_t count = page->info.cause_count;
    uint32_t shown = page->options->is_verbose || count < CAUSES_SHOWN ? count : CAUSES_SHOWN;
    if (count == 0)
        return;
    npart__painted(page, NPART__BOLD, "  Why\n");
    for (uint32_t i = 0; i < shown && !page->arena->failed; i++)
        cause_line(page, i);
    if (shown < count)
        npart__append_format(page->out, "     and %u more (--verbose, or --format json)\n", count - shown);
}

/* ---- what fails -------------------------------------------------------------------------------------------- */

/* A sentence and, where there is one, the node. */
static void failure_line(struct npart__page *page, const char *text, uint32_t node)
{
    struct npart__buffer line;
    npart__buffer_init(&line, page->arena);
    npart__append_text(&line, text);
    if (node != NPART_NONE) {
        char place[160];
        (void)npart_model_node_text(page->model, node, place, sizeof place);
        npart__append_format(&line, ": %s", place);
    }
    npart__put_line(page, NPART__RED, "  Because   ", npart__buffer_text(&line), 12);
    npart__buffer_release(&line);
}

/* What the runtime or the compiler says, before all else: the model runs nowhere. Findings first, then causes that
 * are fatal, two lines of both together. Nothing of this where the verdict is another one. */
static void failures(struct npart__page *page)
{
    struct npart_finding finding = {.size = sizeof finding};
    struct npart_cause cause = {.size = sizeof cause};
    uint32_t most = page->options->is_verbose ? NPART_NONE : FAILURES_SHOWN, count = 0;
    if (page->summary.verdict != NPART_PLAN_FAILS)
        return;
    for (uint32_t i = 0; npart_inference_finding(npart_plan_inference(page->plan), i, &finding) && count < most; i++) {
        if (!stops_loading(page, &finding))
            continue;
        failure_line(page, finding.text, NPART_NONE);
        count++;
    }
    bool is_refused = count > 0;
    for (uint32_t i = 0; npart_plan_finding(page->plan, i, &finding) && count < most; i++, count++) {
        struct npart__buffer line;
        npart__buffer_init(&line, page->arena);
        npart__append_format(&line, "%s (%s)", finding.text, finding.at);
        failure_line(page, npart__buffer_text(&line), NPART_NONE);
        npart__buffer_release(&line);
    }
    /* A model that is not loaded is not compiled either, so what would fail then is not told. */
    for (uint32_t i = 0; !is_refused && npart_plan_cause(page->plan, i, &cause, NULL, 0) && count < most; i++) {
        if (!cause.is_fatal)
            continue;
        failure_line(page, cause.text, first_failing(page->plan, i));
        count++;
    }
}

/* ---- what to do -------------------------------------------------------------------------------------------- */

/* What is left then: "leaves 7 partitions, coverage 85.8 % of nodes". Both plans may fail to
 * compile; the numbers say how far they would get. `before` is what the action is compared with, which may be a plan
 * after earlier steps. Coverage of MACs that is not known is negative, and left out. A cost is one of a run that
 * compiles, so none is told where it still does not. */
static void left(struct npart__page *page, const struct npart_after *before, const struct npart_after *after)
{
    bool still_fails = after->verdict == NPART_PLAN_FAILS;
    struct npart__buffer line;
    struct npart__page gathered = *page;
    npart__buffer_init(&line, page->arena);
    gathered.out = &line;
    if (before->verdict == NPART_PLAN_FAILS && !still_fails)
        npart__put(&gathered, "then it compiles: ");
    npart__put(&gathered, "leaves ");
    count_of(&gathered, after->partitions, "partition");
    npart__put(&gathered, ", ");
    if (after->verdict == NPART_PLAN_WHOLE) {
        npart__put(&gathered, "all nodes on the NPU");
    } else {
        coverage(&gathered, after->mac_coverage, after->coverage);
        npart__put(&gathered, "nodes");
    }
    npart__put(&gathered, still_fails ? "; still fails to compile" : "");
    if (!still_fails && after->cost.typical_ms >= 0) {
        npart__put(&gathered, "; ");
        npart__put_milliseconds(&gathered, after->cost.typical_ms);
        npart__put(&gathered, " ms a run");
        npart__put(&gathered, page->cost.is_calibrated ? "" : ", uncalibrated");
    }
    npart__paint(page, NPART__DIM);
    npart__put(page, "            ");
    npart__wrapped(page, npart__buffer_text(&line), 12, 12);
    npart__paint(page, "0");
    npart__put(page, "\n");
    npart__buffer_release(&line);
}

/* Fewer partitions, or the first one, or more nodes on the NPU; a model that compiles at last is better whatever it
 * loses. The number of partitions alone does not say so, since none at all is the least. */
static bool is_better(const struct npart_after *after, const struct npart_after *before)
{
    if (before->verdict == NPART_PLAN_FAILS && after->verdict != NPART_PLAN_FAILS)
        return true;
    bool is_fewer = after->partitions && (!before->partitions || after->partitions < before->partitions);
    return is_fewer || after->coverage > before->coverage;
}

/* The command is there to be copied: it goes on in the next line as a shell wants it. Options begin with " --", and
 * only before these a line is broken, with a backslash at its end: so an option stays with its value. The first one
 * is written wherever it ends, and two columns are kept for " \" unless it is the last. */
static void command_lines(struct npart__page *page, const char *command)
{
    uint32_t column = 12;
    npart__put(page, "            ");
    while (*command) {
        const char *next = strstr(command + 1, " --");
        size_t length = next ? (size_t)(next - command) : strlen(command);
        uint32_t columns = (uint32_t)npart__shown_columns(page, command, length);
        if (column > 12 && column + columns + (next ? 2 : 0) > page->width) {
            npart__put(page, " \\\n           ");
            column = 11;
        }
        npart__put_outside(page, command, length);
        column += columns;
        command += length;
    }
    npart__put(page, "\n");
}

/* An action without options may be one that `npu-partition fix` does: then that command is told, with what it must
 * be allowed where results are not the same bits, and the rewrites in parentheses. */
static void action_lines(struct npart__page *page, const char *label, const struct npart_action *action)
{
    npart__put_line(page, NPART__BOLD, label, action->text, 12);
    if (action->command) {
        command_lines(page, action->command);
    } else if (action->is_fixable) {
        bool is_weaker = action->equality && strcmp(action->equality, "bits") != 0;
        npart__paint(page, NPART__DIM);
        npart__append_format(page->out, "            npu-partition fix%s%s does this (%s)\n",
                             is_weaker ? " --allow " : "", is_weaker ? action->equality : "", action->rewrites);
        npart__paint(page, "0");
    }
}

/* What may take the place of a step. Of the first step only, unless all is asked for. `before` is that of the step,
 * so that both can be compared. */
static void other_lines(struct npart__page *page, const npart_advice *advice, uint32_t step,
                        const struct npart_after *before)
{
    struct npart_action action = {.size = sizeof action};
    for (uint32_t i = 0; npart_advice_action(advice, i, &action); i++) {
        if (action.instead_of != step)
            continue;
        action_lines(page, "  or        ", &action);
        left(page, before, &action.after);
    }
}

/* An action of the kind "none" says why a cause stays as it is. */
static bool is_kept(const struct npart_action *action)
{
    return strcmp(action->kind, "none") == 0;
}

/* The step from `first` on with which something is gained; steps before it are told as one with it. NPART_NONE:
 * there is none. `before`: what the plan is after the steps that were told. A step that gains nothing by itself may
 * be what the next one needs: fixing a size, and then changing what had no shape. */
static uint32_t find_gain(const npart_advice *advice, uint32_t first, uint32_t end, const struct npart_after *before)
{
    struct npart_action action = {.size = sizeof action};
    for (uint32_t i = first; i < end && npart_advice_action(advice, i, &action) && !is_kept(&action); i++)
        if (is_better(&action.after, before))
            return i;
    return NPART_NONE;
}

/* One word of a shell: names come from the file, and the line is there to be copied. By single quotes, in which a
 * shell of POSIX changes nothing; a single quote within them must end them, stand escaped, and begin them anew. */
static void add_shell_word(struct npart__buffer *line, const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:/@%+-=";
    bool is_safe = text[strspn(text, safe)] == '\0';
    npart__append_text(line, is_safe ? "" : "'");
    for (; *text; text++)
        npart__append(line, *text == '\'' ? "'\\''" : text, *text == '\'' ? 4 : 1);
    npart__append_text(line, is_safe ? "" : "'");
}

/* The sizes of the other way to use a model, such as a part of a prompt. Use 1 is the second one, "prefill" of a
 * decoder with a cache; where the model has no other there is none, and nothing is told. `fixed` is the plan whose
 * sizes were chosen; without chosen ones its use is "". */
static void other_use(struct npart__page *page, const npart_plan *fixed)
{
    struct npart_inference_info info = {.size = sizeof info};
    struct npart_dim_binding binding = {0};
    npart_inference *made = NULL;
    struct npart__buffer line;
    if (!npart_inference_info(npart_plan_inference(fixed), &info) || !*info.use)
        return;
    const char *use = info.use;
    if (npart_inference_make_use(&made, npart_plan_inference(page->plan), 1, NULL) != NPART_OK) {
        page->arena->failed = true;
        return;
    }
    npart__buffer_init(&line, page->arena);
    for (uint32_t i = 0; npart_inference_binding(made, i, &binding); i++) {
        npart__append_text(&line, i ? " --dim " : "--dim ");
        add_shell_word(&line, binding.name);
        npart__append_format(&line, "=%lld", (long long)binding.size);
    }
    if (npart_inference_info(made, &info) && line.size && strcmp(info.use, use) != 0) {
        npart__painted(page, NPART__BOLD, "  or        ");
        npart__append_format(page->out, "for %s (the sizes above are for %s):\n", info.use, use);
        command_lines(page, npart__buffer_text(&line));
    }
    npart__buffer_release(&line);
    npart_inference_free(made);
}

/* Steps `first` to `last`, of which only the last one gains something, or none. "Do first" and "and" are done
 * together; "then" follows on what is left by those before. `left` is told once, of the last of them: its figures
 * are with all steps before it done. */
static void steps(struct npart__page *page, const struct npart_plan_pair *pair, uint32_t first, uint32_t last,
                  const struct npart_after *before)
{
    struct npart_action action = {.size = sizeof action};
    for (uint32_t i = first; i <= last && npart_advice_action(pair->advice, i, &action); i++)
        action_lines(page, i > first ? "  and       " : first ? "  then      " : "  Do first  ", &action);
    left(page, before, &action.after);
    for (uint32_t i = first; i <= last && npart_advice_action(pair->advice, i, &action); i++) {
        if (i == 0 && strcmp(action.kind, "dims") == 0)
            other_use(page, pair->fixed);
        if (i == 0 || page->options->is_verbose)
            other_lines(page, pair->advice, i, before);
    }
}

/* Fewer nodes on the NPU may be a gain, too. A cost that is not known is negative, so nothing is shorter than
 * that. */
static bool is_shorter(const struct npart__page *page, const struct npart_after *after)
{
    return after->cost.typical_ms >= 0 && after->cost.typical_ms < page->cost.total.typical_ms;
}

/* What no step changes, and steps that change no count. Two passes: first what nothing can be done about, then what
 * brings no more nodes to the NPU. A step that makes a run shorter is told with its figures all the same. */
static void rest(struct npart__page *page, const npart_advice *advice, uint32_t first, uint32_t end,
                 const struct npart_after *before)
{
    struct npart_action action = {.size = sizeof action};
    bool is_first = first == 0;
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = first; i < end && npart_advice_action(advice, i, &action); i++) {
            if (is_kept(&action) != (pass == 0))
                continue;
            action_lines(page, is_first ? "  Advice    " : "  else      ", &action);
            if (!is_kept(&action) && is_shorter(page, &action.after))
                left(page, before, &action.after);
            else if (!is_kept(&action))
                npart__put(page, "            brings no more nodes to the NPU\n");
            if (i == 0 || page->options->is_verbose)
                other_lines(page, advice, i, before);
            is_first = false;
        }
}

/* Steps come first in the list, then what may take a step's place, so steps are counted up to the first of those. A
 * round tells the steps up to the next gain and goes on from the plan after it; where a gain lies beyond the last
 * step that is shown, the steps before it are shown with it. */
static void actions(struct npart__page *page, const struct npart_plan_pair *pair)
{
    const npart_advice *advice = pair->advice;
    struct npart_action action = {.size = sizeof action};
    struct npart_after before = {.partitions = page->summary.partitions,
                                 .coverage = page->summary.coverage,
                                 .verdict = page->summary.verdict};
    uint32_t count = 0, first = 0, end, gain;
    while (npart_advice_action(advice, count, &action) && action.instead_of == NPART_NONE)
        count++;
    end = page->options->is_verbose || count <= STEPS_SHOWN ? count : STEPS_SHOWN;
    for (; (gain = find_gain(advice, first, count, &before)) != NPART_NONE && first < end; first = gain + 1) {
        steps(page, pair, first, gain, &before);
        if (npart_advice_action(advice, gain, &action))
            before = action.after;
    }
    end = end < first ? first : end;
    rest(page, advice, first, end, &before);
    if (end < count)
        npart__append_format(page->out, "            and %u more (--verbose, or --format json)\n", count - end);
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

/* What the rules come from, and how far they are verified. */
static void basis(struct npart__page *page)
{
    struct npart__buffer line;
    npart__buffer_init(&line, page->arena);
    npart__append_format(&line, "%s%s%s", page->info.toolchain,
                         *page->info.toolchain && *page->oplist.standing ? "; " : "",
                         page->oplist.standing);
    if (line.size) {
        npart__paint(page, NPART__DIM);
        npart__put(page, "  Rules: ");
        npart__wrapped(page, npart__buffer_text(&line), 9, 5);
        npart__paint(page, "0");
        npart__put(page, "\n");
    }
    npart__buffer_release(&line);
}

/* The verdict, what to do, and why come first; details after. The strip is as wide as the page between two margins
 * of two columns. Parts decide themselves whether they have anything to say; those that take a screen come with
 * --verbose. */
static void target(struct npart__page *page, const struct npart_plan_pair *pair)
{
    const char *name = page->info.target;
    npart__put(page, "\n");
    npart__put_target(page);
    npart__put(page, "  ");
    npart__wrapped(page, page->oplist.title, (uint32_t)npart__shown_columns(page, name, strlen(name)) + 2, 5);
    npart__put(page, page->info.level == NPART_LEVEL_OFF ? ", level off\n" : "\n");
    verdict(page);
    npart__put_recommendation(page, pair);
    failures(page);
    actions(page, pair);
    causes(page);
    counts(page);
    if (page->summary.live) {
        npart__put(page, "  ");
        npart__put_strip(page, page->width - 4);
        npart__put(page, "\n");
    }
    npart__put_remarks(page);
    npart__put_precisions(page);
    if (page->options->is_verbose)
        npart__put_pieces(page);
    npart__put_cost(page, pair);
    npart__put_memory(page);
    if (page->options->is_verbose) {
        npart__put_layouts(page);
        npart__put_fusions(page);
    }
    basis(page);
}

/* Head and notes once, as they hold for all targets; several targets are a table, and reports of their own only where
 * more is asked for. These stand after the table, which needs the names of all first, and each plan is asked for once.
 * Notes stand at the end, since they are of the model and change no verdict. */
void npart__plans_text(struct npart__report *report)
{
    size_t count = report->subject->count;
    struct npart__page turned, *page = npart__page_open(&turned, report);
    struct npart__buffer details;
    npart__page_turn(page, report->pair.plan);
    npart__buffer_init(&details, page->arena);
    struct npart__row *rows = npart__arena_zeroed(page->arena, count, sizeof *rows);
    head(page);
    for (size_t i = 0; i < count && !report->arena.failed; i++) {
        if (i && !npart__turn_to_plan(report, i))
            return;
        npart__page_turn(page, report->pair.plan);
        if (count > 1)
            npart__make_row(page, &report->pair, &rows[i]);
        page->out = count > 1 ? &details : &report->out;
        if (count == 1 || page->options->is_verbose)
            target(page, &report->pair);
        page->out = &report->out;
    }
    if (report->arena.failed)
        return;
    if (count > 1)
        npart__put_table(page, rows, count);
    npart__append_text(page->out, npart__buffer_text(&details));
    notes(page, count == 1);
}
