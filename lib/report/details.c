/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands below the answer with --verbose: every cause with its rule and source, and what takes a screen of its
 * own. All figures come from the public getters, as docs/json.md has them.
 */
#include "report/page.h"

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
    if (page->info.cause_count)
        npart__painted(page, NPART__BOLD, "  Why\n");
    for (uint32_t i = 0; i < page->info.cause_count && !page->arena->failed; i++)
        cause_line(page, i);
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

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
        npart__add_shell_word(&line, binding.name);
        npart__append_format(&line, "=%lld", (long long)binding.size);
    }
    if (npart_inference_info(made, &info) && line.size && strcmp(info.use, use) != 0) {
        npart__append_format(page->out, "  For %s, where the sizes above are for %s: ", info.use, use);
        npart__put_text(page, npart__buffer_text(&line));
        npart__put(page, "\n");
    }
    npart__buffer_release(&line);
    npart_inference_free(made);
}

/* The legend of the strip and the numbers of nodes at once, and of a runtime that has room for so many partitions
 * (`partitions keep`) how many of them are in use. */
static void counts(struct npart__page *page)
{
    const struct npart_summary *summary = &page->summary;
    (void)npart__put_cell_counts(page);
    npart__paint(page, NPART__DIM);
    if (summary->folded > summary->fused)
        npart__append_format(page->out, "  %u constant-folded", summary->folded - summary->fused);
    if (summary->fused)
        npart__append_format(page->out, "%s%u fused into other nodes", summary->folded > summary->fused ? ", " : "  ",
                             summary->fused);
    npart__paint(page, "0");
    if (page->info.most_partitions)
        npart__append_format(page->out, "  uses %u of %llu partitions", summary->partitions,
                             (unsigned long long)page->info.most_partitions);
    npart__put(page, "\n");
}

/* What keeps a session from being made, but for the first, which stands with the verdict. */
static void failures(struct npart__page *page)
{
    struct npart_finding finding = {.size = sizeof finding};
    for (uint32_t i = 1; npart_plan_finding(page->plan, i, &finding); i++) {
        struct npart__buffer line = {.arena = page->arena};
        npart__append_format(&line, "%s (%s)", finding.text, finding.at);
        npart__put_line(page, NPART__RED, "  --> ", npart__buffer_text(&line), 6);
        npart__buffer_release(&line);
    }
}

/* The strip is as wide as the page between two margins of two columns. */
void npart__put_details(struct npart__page *page, const struct npart_plan_pair *pair)
{
    npart__put(page, "\n  ");
    npart__wrapped(page, page->oplist.title, 2, 5);
    npart__put(page, "\n");
    if (pair->fixed)
        other_use(page, pair->fixed);
    failures(page);
    causes(page);
    counts(page);
    if (page->summary.live) {
        npart__put(page, "  ");
        npart__put_strip(page, page->width - 4);
        npart__put(page, "\n");
    }
    npart__put_remarks(page);
    npart__put_precisions(page);
    npart__put_pieces(page);
    npart__put_cost(page, pair);
    npart__put_memory(page);
    npart__put_layouts(page);
    npart__put_fusions(page);
}
