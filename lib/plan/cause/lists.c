/* SPDX-License-Identifier: Apache-2.0
 *
 * The root nodes of causes, the partitions that they end, and their order.
 */
#include <stdlib.h>

#include "cause/finder.h"

/* Every value that is cut has a cause, so the search ends. Users cut in few places. In all the work is that of
 * causes times borders at cuts. */
static uint32_t cause_of_cut(const struct npart__causes *causes, uint32_t value)
{
    uint32_t c = 0;
    while (causes->items.items[c].cut_value != value)
        c++;
    return c;
}

/* Whether a node of a cause comes after another of it, which makes what it does not take. One step back is enough:
 * in a chain each node but the first has its maker in the cause. */
static bool follows(const struct npart__finder *finder, uint32_t id)
{
    const struct npart__node *node = npart__node_at(finder->graph, id);
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t producer = npart__producer(finder->graph, npart__node_input(finder->graph, node, i));
        if (producer != NPART_NONE && finder->out->cause_of[producer] == finder->out->cause_of[id])
            return true;
    }
    return false;
}

/* Whether a node is a root of the cause that it belongs to: where a rank or a type begins, or else where a rule is
 * not met. Of rank and type the first of a chain is the root: what takes its result has the rank from there. Roots
 * that were traced to (root_in) are listed as such, and not twice. */
static bool is_own_root(const struct npart__finder *finder, uint32_t node)
{
    uint32_t cause = finder->out->cause_of[node];
    if (cause == NPART_NONE || finder->root_in[node] == cause + 1 || npart__is_left_over(finder, node))
        return false;
    enum npart__family family = (enum npart__family)finder->about.items[cause].family;
    bool begins = family == NPART__FAMILY_RANK || family == NPART__FAMILY_TYPE;
    bool is_op = family == NPART__FAMILY_OP &&
                 npart__node_at(finder->graph, node)->op_type == finder->about.items[cause].key;
    return family == NPART__FAMILY_RULE || is_op || (begins && !follows(finder, node));
}

/* The root nodes of each cause: counted, then handed out. Two passes of the same walk, so that each list is one
 * range and none is larger than it has to be; between them the ranges are laid out, and counts begin anew. */
static void list_nodes(struct npart__finder *finder)
{
    struct npart__causes *out = finder->out;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t node = 0; node < finder->graph->nodes.count; node++) {
            /* 0 - 1 is NPART_NONE. */
            const uint32_t of[2] = {is_own_root(finder, node) ? out->cause_of[node] : NPART_NONE,
                                    finder->root_in[node] - 1u};
            for (int i = 0; i < 2; i++) {
                struct npart__cause *cause = of[i] == NPART_NONE ? NULL : &out->items.items[of[i]];
                if (cause && pass == 1)
                    out->lists.items[cause->first_node + cause->node_count] = node;
                if (cause)
                    cause->node_count++;
            }
        }
        for (uint32_t c = 0; pass == 0 && c < out->items.count; c++) {
            struct npart__cause *cause = &out->items.items[c];
            /* A cut has the node before it in its list, and no other.
             * NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where there is a count there is a list */
            bool is_made = cause->cut_value != NPART_NONE && cause->first_affected != NPART_NONE;
            /* What pass 0 has counted; a cut of the user's has no root, so nothing was counted for it. */
            uint32_t count = is_made ? 1 : cause->node_count;
            cause->first_node = out->lists.count;
            if (!NPART__RESERVE(finder->arena, &out->lists, count)) {
                finder->failed = true;
                return;
            }
            if (is_made)
                out->lists.items[cause->first_node] = cause->first_affected;
            out->lists.count += count;
            cause->node_count = is_made;
        }
    }
}

/* Which partitions each cause ends: gathered as pairs, counted, handed out. A partition may end at many nodes of
 * one cause; it is listed once, as ends of a partition come together. */
static void list_cuts(struct npart__finder *finder)
{
    const struct npart__partitioning *partitioning = finder->partitioning;
    struct npart__causes *out = finder->out;
    for (int pass = 0; pass < 2; pass++) {
        for (uint32_t p = 0; p < partitioning->partitions.count; p++) {
            const struct npart__partition *partition = &partitioning->partitions.items[p];
            for (uint32_t i = 0; i < partition->end_count; i++) {
                uint32_t c = out->cause_of[partitioning->lists.items[partition->first_end + i]];
                if (c == NPART_NONE)
                    continue;
                struct npart__cause *cause = &out->items.items[c];
                /* Pass 0 may count a partition twice; the range is then a little long, and pass 1 knows better. */
                bool is_repeated = pass == 1 && cause->cut_count &&
                                   out->lists.items[cause->first_cut + cause->cut_count - 1] == p;
                if (is_repeated)
                    continue;
                if (pass == 1)
                    out->lists.items[cause->first_cut + cause->cut_count] = p;
                cause->cut_count++;
            }
        }
        for (uint32_t p = 0; p < partitioning->partitions.count; p++) {
            const struct npart__partition *partition = &partitioning->partitions.items[p];
            for (uint32_t i = 0; i < partition->cut_count; i++) {
                /* A partition that the user's cut ends has the value in its list; it belongs to that cut's cause
                 * alone. */
                uint32_t value = partitioning->lists.items[partition->first_cut + i];
                struct npart__cause *cause = &out->items.items[cause_of_cut(out, value)];
                if (pass == 1)
                    out->lists.items[cause->first_cut + cause->cut_count] = p;
                cause->cut_count++;
            }
        }
        for (uint32_t c = 0; pass == 0 && c < out->items.count; c++) {
            struct npart__cause *cause = &out->items.items[c];
            cause->first_cut = out->lists.count;
            if (!NPART__RESERVE(finder->arena, &out->lists, cause->cut_count)) {
                finder->failed = true;
                return;
            }
            out->lists.count += cause->cut_count;
            cause->cut_count = 0;
        }
    }
}

/* ---- order ------------------------------------------------------------------------------------------------ */

/* qsort may swap what is equal; the place it had keeps the order. */
struct ranked {
    struct npart__cause cause;
    uint32_t before;
};

/* Most partitions ended first, then most nodes; the rest as they were found, so that the order is the same in each
 * run. The user's cuts affect no nodes, so among causes that end as many partitions they come last. */
static int compare_ranked(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    int order = NPART__ORDER(b->cause.cut_count, a->cause.cut_count);
    order = order ? order : NPART__ORDER(b->cause.affected_count, a->cause.affected_count);
    return order ? order : NPART__ORDER(a->before, b->before);
}

/* Lists keep their places; only the causes move, and the nodes' references with them. `about` is not moved along:
 * it is not asked from here on. */
static void sort_causes(struct npart__finder *finder)
{
    struct npart__causes *out = finder->out;
    struct ranked *ranked = npart__arena_zeroed(finder->arena, out->items.count + (size_t)1, sizeof *ranked);
    uint32_t *place = npart__arena_zeroed(finder->arena, out->items.count + (size_t)1, sizeof *place);
    if (!ranked || !place) {
        finder->failed = true;
        return;
    }
    for (uint32_t i = 0; i < out->items.count; i++)
        ranked[i] = (struct ranked){.cause = out->items.items[i], .before = i};
    if (out->items.count) /* qsort may not be given NULL */
        qsort(ranked, out->items.count, sizeof *ranked, compare_ranked);
    for (uint32_t i = 0; i < out->items.count; i++) {
        /* Whole causes are sorted, as qsort hands nothing else to the comparison. */
        out->items.items[i] = ranked[i].cause;
        place[ranked[i].before] = i;
    }
    for (uint32_t node = 0; node < finder->graph->nodes.count; node++)
        if (out->cause_of[node] != NPART_NONE)
            out->cause_of[node] = place[out->cause_of[node]];
}

/* Cuts before the order, which is by them. */
void npart__list_causes(struct npart__finder *finder)
{
    list_nodes(finder);
    if (!finder->failed)
        list_cuts(finder);
    if (!finder->failed)
        sort_causes(finder);
}
