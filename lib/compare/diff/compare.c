/* SPDX-License-Identifier: Apache-2.0
 *
 * Two sides compared: nodes, causes, figures, and what all of it comes to. Whatever is told is copied, so that the
 * sides may go.
 */
#include <stdlib.h>

#include "diff/diff.h"

#define TOLERANCE 0.1

/* ---- what was given ---------------------------------------------------------------------------------------- */

/* A side may come from a file that somebody wrote, so each id is asked before it is an index. The limit of nodes
 * keeps the counts of both sides together within 32 bits. Where nothing is listed there are no nodes. */
static npart_status check_side(const struct npart_side *side, struct npart_error *error)
{
    bool is_listed = side->listing == NPART_LISTING_ALL || side->listing == NPART_LISTING_LEFT ||
                     side->listing == NPART_LISTING_NONE;
    if (!is_listed || (side->node_count && (!side->nodes || side->listing == NPART_LISTING_NONE)) ||
        (side->cause_count && !side->causes) || side->node_count >= NPART__LIMIT_NODES)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "a side lacks its nodes or causes");
    for (uint32_t i = 0; i < side->node_count; i++)
        if ((side->nodes[i].cause != NPART_NONE && side->nodes[i].cause >= side->cause_count) ||
            (unsigned)side->nodes[i].verdict > NPART_VERDICT_FUSED)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "node %u of a side has no such cause or verdict", i);
    for (uint32_t i = 0; i < side->cause_count; i++) {
        const struct npart_side_cause *cause = &side->causes[i];
        if (cause->node_count && !cause->nodes)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "cause %u of a side lacks its nodes", i);
        for (uint32_t k = 0; k < cause->node_count; k++)
            if (cause->nodes[k] >= side->node_count)
                return npart__fail(error, NPART_ERROR_ARGUMENT, "", "cause %u of a side has no such node", i);
    }
    return NPART_OK;
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

/* How far from the NPU. Nodes that are folded or fused are as good as taken: nothing of them runs on the CPU. */
static int distance(enum npart_verdict verdict)
{
    return verdict == NPART_VERDICT_FAIL      ? 3
           : verdict == NPART_VERDICT_CPU     ? 2
           : verdict == NPART_VERDICT_UNKNOWN ? 1
                                              : 0;
}

static enum npart_change change_of_verdict(enum npart_verdict before, enum npart_verdict after)
{
    int a = distance(before), b = distance(after);
    return b > a ? NPART_CHANGE_WORSE : b < a ? NPART_CHANGE_BETTER : NPART_CHANGE_NONE;
}

static uint32_t root_at(const struct npart__comparison *at, int side, uint32_t cause)
{
    return cause == NPART_NONE ? NPART_NONE : at->root_of[side][cause];
}

/* Either may be NPART_NONE, not both. Told is what stands after, where it does, with its name and place there:
 * that is the file that the reader has. */
static bool tell_node(struct npart__comparison *at, enum npart_node_change state, uint32_t before, uint32_t after,
                      enum npart_change change)
{
    const struct npart_side_node *a = before == NPART_NONE ? NULL : &at->sides[NPART__BEFORE]->nodes[before];
    const struct npart_side_node *b = after == NPART_NONE ? NULL : &at->sides[NPART__AFTER]->nodes[after];
    const int side = after == NPART_NONE ? NPART__BEFORE : NPART__AFTER;
    const struct npart_side_node *told = &at->sides[side]->nodes[after == NPART_NONE ? before : after];
    struct npart_diff_node node = {
        .size = sizeof node,
        .change = change,
        .state = state,
        .before = before,
        .after = after,
        .name = npart__text_of(told->name),
        .op = npart__text_of(told->op),
        .graph = npart__text_of(told->graph),
        .place = npart__text_of(told->place),
        .name_before = a ? npart__text_of(a->name) : "",
        .op_before = a ? npart__text_of(a->op) : "",
        .index = told->index,
        .verdict_before = a ? a->verdict : NPART_VERDICT_FOLDED,
        .verdict = b ? b->verdict : NPART_VERDICT_FOLDED,
        .cause = root_at(at, side, told->cause),
    };
    return NPART__PUSH(at->arena, &at->nodes, node);
}

/* A node that is the same operator with the same verdict is counted and not told. `itself` of 0 is a record that
 * does not know it, so nothing is said to be altered. */
static bool compare_pair(struct npart__comparison *at, uint32_t before, uint32_t after)
{
    const struct npart_side_node *a = &at->sides[NPART__BEFORE]->nodes[before];
    const struct npart_side_node *b = &at->sides[NPART__AFTER]->nodes[after];
    enum npart_change change = change_of_verdict(a->verdict, b->verdict);
    bool is_replaced = strcmp(npart__text_of(a->op), npart__text_of(b->op)) != 0;
    at->info.matched++;
    at->info.by_name += at->matches.by[before] == NPART__BY_NAME;
    at->info.altered += a->itself && b->itself && a->itself != b->itself;
    at->info.left += !npart__is_left(a) && npart__is_left(b);
    at->info.came += npart__is_left(a) && !npart__is_left(b);
    if (is_replaced)
        return tell_node(at, NPART_NODE_REPLACED, before, after, change ? change : NPART_CHANGE_OTHER);
    return !change || tell_node(at, NPART_NODE_MOVED, before, after, change);
}

/* A node that came and falls back is worse where its root is. */
static enum npart_change change_of_added(const struct npart__comparison *at, const struct npart_side_node *node)
{
    bool is_worse = npart__is_left(node) && node->cause != NPART_NONE && at->roots.count &&
                    at->roots.items[at->root_of[NPART__AFTER][node->cause]].change == NPART_CHANGE_WORSE;
    return is_worse ? NPART_CHANGE_WORSE : NPART_CHANGE_OTHER;
}

/* Worse first, and of these what does not run on the NPU now; then as they stand in the file. NPART_NONE is the
 * largest id, so removed nodes come last of their kind. */
static int compare_changed(const void *a, const void *b)
{
    const struct npart_diff_node *x = a, *y = b;
    int order = NPART__ORDER(y->change, x->change);
    order = order ? order : (distance(y->verdict) > 0) - (distance(x->verdict) > 0);
    order = order ? order : NPART__ORDER(x->after, y->after);
    return order ? order : NPART__ORDER(x->before, y->before);
}

/* Where a side lists only what is not on the NPU, nothing is known of nodes that it does not list. */
static bool compare_nodes(struct npart__comparison *at)
{
    const struct npart_side *before = at->sides[NPART__BEFORE], *after = at->sides[NPART__AFTER];
    bool is_ok = true;
    if (before->listing == NPART_LISTING_NONE || after->listing == NPART_LISTING_NONE)
        return true;
    for (uint32_t i = 0; is_ok && i < before->node_count; i++) {
        uint32_t other = at->matches.other[NPART__BEFORE][i];
        if (other != NPART_NONE)
            is_ok = compare_pair(at, i, other);
        else if (after->listing == NPART_LISTING_ALL || npart__is_left(&before->nodes[i])) {
            at->info.removed++;
            is_ok = tell_node(at, NPART_NODE_REMOVED, i, NPART_NONE, NPART_CHANGE_OTHER);
        }
    }
    for (uint32_t i = 0; is_ok && i < after->node_count; i++) {
        if (at->matches.other[NPART__AFTER][i] != NPART_NONE ||
            (before->listing != NPART_LISTING_ALL && !npart__is_left(&after->nodes[i])))
            continue;
        at->info.added++;
        is_ok = tell_node(at, NPART_NODE_ADDED, NPART_NONE, i, change_of_added(at, &after->nodes[i]));
    }
    if (is_ok && at->nodes.count)
        qsort(at->nodes.items, at->nodes.count, sizeof *at->nodes.items, compare_changed);
    return is_ok;
}

/* ---- all of it --------------------------------------------------------------------------------------------- */

static void note(struct npart__comparison *at, enum npart_change change)
{
    if (change > at->info.change)
        at->info.change = change;
}

/* The whole is as bad as the worst of it; enum npart_change rises in that order. Where nothing is told but nodes
 * have other attributes, the models do differ. */
static void sum_up(struct npart__comparison *at)
{
    for (uint32_t i = 0; i < at->figures.count; i++)
        note(at, at->figures.items[i].change);
    for (uint32_t i = 0; i < at->roots.count; i++)
        note(at, at->roots.items[i].change);
    for (uint32_t i = 0; i < at->nodes.count; i++)
        note(at, at->nodes.items[i].change);
    if (!at->info.change && at->info.altered)
        note(at, NPART_CHANGE_OTHER);
    at->info.figure_count = at->figures.count;
    at->info.cause_count = at->roots.count;
    at->info.node_count = at->nodes.count;
}

/* Of NULL it is "". False when out of memory. */
static bool keep(struct npart__comparison *at, const char **text)
{
    *text = npart__arena_copy_text(at->arena, npart__text_of(*text), strlen(npart__text_of(*text)));
    return *text != NULL;
}

/* Without nodes and causes: what of these is told has been copied by itself. */
static bool keep_side(struct npart__comparison *at, int side, const struct npart_side **out)
{
    struct npart_side *copy = npart__arena_zeroed(at->arena, 1, sizeof *copy);
    if (!copy)
        return false;
    *copy = *at->sides[side];
    copy->nodes = NULL;
    copy->causes = NULL;
    copy->allocator = NULL;
    copy->node_count = copy->cause_count = 0;
    *out = copy;
    return keep(at, &copy->model) && keep(at, &copy->target) && keep(at, &copy->toolchain) &&
           (!copy->unit || keep(at, &copy->unit));
}

/* States and words of figures are constants. */
static bool keep_texts(struct npart__comparison *at)
{
    bool is_ok = keep_side(at, NPART__BEFORE, &at->info.before) && keep_side(at, NPART__AFTER, &at->info.after);
    for (uint32_t i = 0; is_ok && i < at->roots.count; i++) {
        struct npart_diff_cause *root = &at->roots.items[i];
        is_ok = keep(at, &root->kind) && keep(at, &root->rule) && keep(at, &root->text) &&
                (!root->action || keep(at, &root->action));
    }
    for (uint32_t i = 0; is_ok && i < at->nodes.count; i++) {
        struct npart_diff_node *node = &at->nodes.items[i];
        is_ok = keep(at, &node->name) && keep(at, &node->op) && keep(at, &node->graph) && keep(at, &node->place) &&
                keep(at, &node->name_before) && keep(at, &node->op_before);
    }
    return is_ok;
}

/* Causes before nodes, as a node that came is judged by its root. A tolerance that is no positive number, NaN
 * included, is the default. */
npart_status npart__compare(const struct npart_side *before, const struct npart_side *after,
                            const struct npart_diff_options *options, struct npart__arena *arena,
                            struct npart__comparison *out, struct npart_error *error)
{
    *out = (struct npart__comparison){
        .sides = {before, after}, .options = *options, .arena = arena, .before_count = before->node_count};
    npart_status status = check_side(before, error);
    if (status == NPART_OK)
        status = check_side(after, error);
    if (status != NPART_OK)
        return status;
    if (!(out->options.cost_tolerance > 0))
        out->options.cost_tolerance = TOLERANCE;
    if (!(out->options.memory_tolerance > 0))
        out->options.memory_tolerance = TOLERANCE;
    bool is_ok = npart__match_sides(out->sides, arena, &out->matches) && npart__compare_causes(out) &&
                 npart__compare_figures(out) && compare_nodes(out);
    if (is_ok)
        sum_up(out);
    return is_ok && keep_texts(out) ? NPART_OK : npart__fail_memory(error);
}
