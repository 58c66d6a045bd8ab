/* SPDX-License-Identifier: Apache-2.0
 *
 * What changed between two plans, for people: of each target one line of what it comes to, then the figures, the roots
 * with what to do about them, the nodes, and how many nodes were recognized.
 */
#include "report/page.h"

/* What fits on one screen; --verbose shows all. */
#define ROOTS_SHOWN 6u
#define NODES_SHOWN 5u
#define BETTER_SHOWN 2u
#define OTHERS_SHOWN 4u

/* By enum npart_change: none, other, better, worse. */
static const char *const colors[] = {NPART__DIM, NPART__DIM, NPART__GREEN, NPART__RED};

/* ---- pieces ------------------------------------------------------------------------------------------------ */

/* "  worse   ", so that it is told without colour, too. */
static void put_mark(struct npart__page *page, enum npart_change change)
{
    bool is_told = change == NPART_CHANGE_WORSE || change == NPART_CHANGE_BETTER;
    npart__put(page, "  ");
    npart__paint(page, colors[change]);
    npart__append_format(page->out, "%-8s", is_told ? npart_change_text(change) : "");
    npart__paint(page, "0");
}

/* The mark takes ten columns, at which further lines begin, too. */
static void put_marked(struct npart__page *page, enum npart_change change, const char *plain)
{
    put_mark(page, change);
    npart__wrapped(page, plain, 10, 10);
    npart__put(page, "\n");
}

/* "Erf `/encoder/Erf_1`, model.py:41 (encoder)" onto a line that is wrapped afterwards. A node without a name is told
 * by its place in its graph: "Erf (node 12 of 3:then_branch)". That place is of the new side, so a node that is gone
 * and had no name has no place either. */
static void add_node(struct npart__buffer *line, const struct npart_diff_node *at)
{
    npart__append_text(line, at->op);
    if (*at->name) {
        npart__append_text(line, " `");
        npart__append_text(line, at->name);
        npart__append_text(line, "`");
    } else if (at->after != NPART_NONE) {
        npart__append_format(line, " (node %u", at->index);
        npart__append_text(line, *at->graph ? " of " : "");
        npart__append_text(line, at->graph);
        npart__append_text(line, ")");
    }
    npart__append_text(line, *at->place ? ", " : "");
    npart__append_text(line, at->place);
}

/* The first node that is told of a root; false where there is none. Worse ones come first, so it is one of these
 * where there is any. It goes through all nodes, but only for the few roots that are shown as worse. */
static bool find_node(const npart_diff *diff, uint32_t root, struct npart_diff_node *out)
{
    out->size = sizeof *out;
    for (uint32_t i = 0; npart_diff_node(diff, i, out); i++)
        if (out->cause == root)
            return true;
    return false;
}

/* For people; npart_verdict_text has the words of programs. */
static const char *verdict_word(const struct npart_side *side, enum npart_verdict verdict)
{
    const char *const words[] = {
        [NPART_VERDICT_CPU] = "CPU",
        [NPART_VERDICT_NPU] = side->unit ? side->unit : "NPU",
        [NPART_VERDICT_FAIL] = "fails to compile",
        [NPART_VERDICT_UNKNOWN] = "undecided",
        [NPART_VERDICT_FOLDED] = "folded",
        [NPART_VERDICT_FUSED] = "fused",
    };
    return words[verdict];
}

/* ---- parts of a comparison --------------------------------------------------------------------------------- */

/* What holds of both sides is told once. */
static void put_pair(struct npart__page *page, const char *before, const char *after)
{
    npart__put_text(page, before);
    if (strcmp(before, after) == 0)
        return;
    npart__put(page, " -> ");
    npart__put_text(page, after);
}

/* "hexagon:v73 (onnxruntime-qnn 2.5.0 -> onnxruntime-qnn 2.7.0): worse". Toolchains are told only where they
 * differ. */
static void put_head(struct npart__page *page, const struct npart_diff_info *info)
{
    /* By enum npart_change, whose values are in this order. */
    static const char *const words[] = {"nothing changed", "changed, neither worse nor better", "better", "worse"};
    npart__paint(page, NPART__BOLD);
    put_pair(page, info->before->target, info->after->target);
    if (strcmp(info->before->toolchain, info->after->toolchain) != 0) {
        npart__put(page, " (");
        put_pair(page, info->before->toolchain, info->after->toolchain);
        npart__put(page, ")");
    }
    npart__paint(page, "0");
    npart__put(page, ": ");
    npart__painted(page, colors[info->change], words[info->change]);
    npart__put(page, "\n");
}

/* Their texts are made with the comparison, so all formats have the same. */
static void put_figures(struct npart__page *page, const npart_diff *diff)
{
    struct npart_diff_figure at = {.size = sizeof at};
    for (uint32_t i = 0; npart_diff_figure(diff, i, &at); i++)
        put_marked(page, at.change, at.text);
}

/* "new root: Erf: not supported by the target: 12 nodes"; of one that is worse also where it is first met, and what
 * to do about it. The number of nodes is that of the side that has the root, or "3 -> 12 nodes" where both do. */
static void put_root(struct npart__page *page, const npart_diff *diff, uint32_t index,
                     const struct npart_diff_cause *at)
{
    struct npart__buffer line = {.arena = page->arena};
    struct npart_diff_node node;
    bool is_there = at->after != NPART_NONE, is_same = at->affected_before == at->affected_after;
    npart__append_format(&line, "%s root: %s", npart_cause_change_text(at->state), at->text);
    if (at->before != NPART_NONE && is_there && !is_same)
        npart__append_format(&line, ": %u -> %u nodes", at->affected_before, at->affected_after);
    else if (at->affected_before || at->affected_after)
        npart__append_format(&line, ": %u node%s", is_there ? at->affected_after : at->affected_before,
                             (is_there ? at->affected_after : at->affected_before) == 1 ? "" : "s");
    put_marked(page, at->change, npart__buffer_text(&line));
    npart__buffer_release(&line);
    npart__buffer_init(&line, page->arena);
    if (is_there && at->change == NPART_CHANGE_WORSE && find_node(diff, index, &node)) {
        npart__append_text(&line, "first at ");
        add_node(&line, &node);
        npart__put(page, "            ");
        npart__wrapped(page, npart__buffer_text(&line), 12, 12);
        npart__put(page, "\n");
    }
    npart__buffer_release(&line);
    if (is_there && at->action && at->change == NPART_CHANGE_WORSE) {
        npart__put(page, "            ");
        npart__wrapped(page, at->action, 12, 12);
        npart__put(page, "\n");
    }
}

/* Roots that are the same on both sides are no news; --verbose tells them all the same. */
static void put_roots(struct npart__page *page, const npart_diff *diff)
{
    struct npart_diff_cause at = {.size = sizeof at};
    uint32_t most = page->options->is_verbose ? NPART_NONE : ROOTS_SHOWN, shown = 0, count = 0;
    for (uint32_t i = 0; npart_diff_cause(diff, i, &at); i++) {
        if (at.change == NPART_CHANGE_NONE && !page->options->is_verbose)
            continue;
        count++;
        if (shown < most) {
            put_root(page, diff, i, &at);
            shown++;
        }
    }
    if (count > shown)
        npart__append_format(page->out, "          and %u more roots (--verbose, or --format json)\n", count - shown);
}

/* "moved: Erf `b`: NPU -> CPU", "replaced: Erf `b`, before Tanh: NPU -> CPU", "added: Erf `b`: CPU". Of a node that is
 * on one side only the verdict is that of this side. */
static void put_node(struct npart__page *page, const struct npart_diff_info *info, const struct npart_diff_node *at)
{
    struct npart__buffer line = {.arena = page->arena};
    npart__append_format(&line, "%s: ", npart_node_change_text(at->state));
    add_node(&line, at);
    if (at->state == NPART_NODE_REPLACED)
        npart__append_format(&line, ", before %s", at->op_before);
    const char *before = verdict_word(info->before, at->verdict_before), *now = verdict_word(info->after, at->verdict);
    if (at->before != NPART_NONE && at->after != NPART_NONE)
        npart__append_format(&line, ": %s -> %s", before, now);
    else
        npart__append_format(&line, ": %s", at->after == NPART_NONE ? before : now);
    put_marked(page, at->change, npart__buffer_text(&line));
    npart__buffer_release(&line);
}

/* How far the comparison can be trusted: with few nodes recognized the two sides have little to do with each other. */
static void put_recognized(struct npart__page *page, const struct npart_diff_info *info)
{
    npart__append_format(page->out, "          %u node%s recognized", info->matched, info->matched == 1 ? "" : "s");
    if (info->by_name)
        npart__append_format(page->out, " (%u by name alone)", info->by_name);
    npart__append_format(page->out, ", %u added, %u removed\n", info->added, info->removed);
    if (info->altered)
        npart__append_format(page->out, "          %u of them with other attributes, types or constants\n",
                             info->altered);
}

/* Nodes that only came or went are told as a number, unless all is asked for or they are few. `most` is by enum
 * npart_change. The first pass only counts: whether those that came or went are few is known after it. */
static void put_nodes(struct npart__page *page, const npart_diff *diff, const struct npart_diff_info *info)
{
    struct npart_diff_node at = {.size = sizeof at};
    uint32_t counts[NPART_CHANGE_WORSE + 1] = {0}, shown[NPART_CHANGE_WORSE + 1] = {0};
    uint32_t most[] = {0, OTHERS_SHOWN, BETTER_SHOWN, NODES_SHOWN}, left = 0;
    for (uint32_t i = 0; npart_diff_node(diff, i, &at); i++)
        counts[at.change]++;
    if (counts[NPART_CHANGE_OTHER] > OTHERS_SHOWN)
        most[NPART_CHANGE_OTHER] = 0;
    for (uint32_t i = 0; npart_diff_node(diff, i, &at); i++) {
        if (page->options->is_verbose || shown[at.change] < most[at.change]) {
            put_node(page, info, &at);
            shown[at.change]++;
        }
    }
    left = counts[NPART_CHANGE_WORSE] - shown[NPART_CHANGE_WORSE];
    if (left)
        npart__append_format(page->out, "          and %u more nodes that are worse (--verbose, --format json)\n",
                             left);
    left = counts[NPART_CHANGE_BETTER] - shown[NPART_CHANGE_BETTER];
    if (left)
        npart__append_format(page->out, "          and %u more nodes that are better\n", left);
    put_recognized(page, info);
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

/* The first comparison gives the models that stand at the top. */
void npart__diffs_text(struct npart__report *report)
{
    struct npart__page turned, *page = npart__page_open(&turned, report);
    struct npart_diff_info info = {.size = sizeof info};
    const npart_diff *const *diffs = report->subject->diffs;
    (void)npart_diff_info(diffs[0], &info);
    put_pair(page, info.before->model, info.after->model);
    npart__put(page, "\n");
    for (size_t i = 0; i < report->subject->count; i++) {
        (void)npart_diff_info(diffs[i], &info);
        put_head(page, &info);
        put_figures(page, diffs[i]);
        put_roots(page, diffs[i]);
        put_nodes(page, diffs[i], &info);
    }
}
