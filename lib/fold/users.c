/* SPDX-License-Identifier: Apache-2.0
 *
 * Who uses what once folded nodes are gone: a result that is handed on by nodes between is used by those behind them.
 */
#include "fold/fold.h"

/* Calls `take` for every operand of the live nodes that is there, as what stands for it. */
static void each_use(const struct npart__graph *graph, struct npart__fold *fold,
                     void (*take)(struct npart__fold *fold, uint32_t value, uint32_t node))
{
    for (uint32_t n = 0; n < graph->nodes.count; n++) {
        const struct npart__node *node = &graph->nodes.items[n];
        if (fold->reasons[n] != NPART__FOLD_LIVE)
            continue;
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t value = npart__node_use(graph, node, k);
            if (value != NPART_NONE)
                take(fold, fold->stands_for[value], n);
        }
    }
}

static void count_use(struct npart__fold *fold, uint32_t value, uint32_t node)
{
    (void)node;
    fold->first_user[value + 2]++;
}

static void list_use(struct npart__fold *fold, uint32_t value, uint32_t node)
{
    fold->users[fold->first_user[value + 1]++] = node;
}

bool npart__fold_users(const struct npart__graph *graph, struct npart__arena *arena, struct npart__fold *fold)
{
    uint32_t values = graph->values.count, total = 0;
    fold->first_user = npart__arena_zeroed(arena, values + (size_t)2, sizeof *fold->first_user);
    fold->is_output = npart__arena_zeroed(arena, values + (size_t)1, sizeof *fold->is_output);
    if (!fold->first_user || !fold->is_output)
        return false;
    for (uint32_t i = 0; i < values; i++)
        if (graph->values.items[i].is_graph_output)
            fold->is_output[fold->stands_for[i]] = true;
    each_use(graph, fold, count_use);
    for (uint32_t i = 0; i < values; i++) { /* first_user[i + 1]: where i's users begin, and once listed, end */
        uint32_t here = fold->first_user[i + 2];
        fold->first_user[i + 1] = total;
        total += here;
    }
    fold->first_user[values + 1] = total;
    fold->users = npart__arena_allocate(arena, (total + (size_t)1) * sizeof *fold->users);
    if (!fold->users)
        return false;
    each_use(graph, fold, list_use);
    return true;
}
