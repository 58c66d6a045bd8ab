/* SPDX-License-Identifier: Apache-2.0
 *
 * A DequantizeLinear that is used more than once: ONNX Runtime gives each use one of its own, at any level, so that
 * each may go with its user. Here a user of such a copy stands on what is dequantized.
 *
 * Modelled on onnxruntime/core/optimizer/qdq_transformer/ensure_unique_dq_for_node_unit.cc: the original stays with the
 * first user, or with the graph's output or a body that captures it, where there is one.
 */
#include "fold/fold.h"

struct copies {
    const struct npart__graph *graph;
    struct npart__fold *fold;
    uint32_t *uses; /* by value */
};

/* What stands for an operand, copied or not. */
static uint32_t original(const struct npart__graph *graph, const struct npart__fold *fold,
                         const struct npart__node *node, uint32_t index)
{
    uint32_t value = npart__node_use(graph, node, index);
    return value == NPART_NONE ? value : fold->stands_for[value];
}

static bool is_dequantized(const struct copies *at, uint32_t value)
{
    uint32_t producer = value == NPART_NONE ? NPART_NONE : at->graph->values.items[value].producer;
    return producer != NPART_NONE && at->fold->reasons[producer] == NPART__FOLD_LIVE &&
           strcmp(npart__node_op(at->graph, &at->graph->nodes.items[producer]), "DequantizeLinear") == 0;
}

static void count_uses(struct copies *at, uint32_t id)
{
    const struct npart__graph *graph = at->graph;
    const struct npart__node *node = &graph->nodes.items[id];
    uint32_t *kept_for = at->fold->kept_for;
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        bool is_captured = k >= node->input_count;
        uint32_t value = original(graph, at->fold, node, k);
        if (!is_dequantized(at, value))
            continue;
        at->uses[value]++;
        if (is_captured)
            kept_for[value] = NPART__KEPT_OUTSIDE;
        else if (kept_for[value] == NPART_NONE || (kept_for[value] != NPART__KEPT_OUTSIDE && id < kept_for[value]))
            kept_for[value] = id;
    }
}

bool npart__fold_copies(const struct npart__inference *inference, struct npart__arena *arena, struct npart__fold *fold)
{
    const struct npart__graph *graph = inference->graph;
    size_t values = graph->values.count + (size_t)1;
    struct copies at = {.graph = graph, .fold = fold};
    at.uses = npart__arena_zeroed(arena, values, sizeof *at.uses);
    fold->kept_for = npart__arena_allocate(arena, values * sizeof *fold->kept_for);
    if (!at.uses || !fold->kept_for)
        return false;
    memset(fold->kept_for, 0xff, values * sizeof *fold->kept_for);
    for (uint32_t v = 0; v < graph->values.count; v++) {
        uint32_t value = fold->stands_for[v];
        if (graph->values.items[v].is_graph_output && is_dequantized(&at, value)) {
            at.uses[value]++;
            fold->kept_for[value] = NPART__KEPT_OUTSIDE;
        }
    }
    for (uint32_t i = 0; i < graph->order_count; i++)
        if (fold->reasons[graph->order[i]] == NPART__FOLD_LIVE)
            count_uses(&at, graph->order[i]);
    for (uint32_t v = 0; v < graph->values.count; v++)
        if (at.uses[v] < 2)
            fold->kept_for[v] = NPART_NONE;
    npart__arena_release(arena, at.uses);
    return true;
}

uint32_t npart__fold_copied(const struct npart__graph *graph, const struct npart__fold *fold,
                            const struct npart__node *node, uint32_t index)
{
    uint32_t value = original(graph, fold, node, index);
    uint32_t kept_for = value != NPART_NONE && fold->kept_for ? fold->kept_for[value] : NPART_NONE;
    bool is_kept = kept_for == NPART_NONE || kept_for == (uint32_t)(node - graph->nodes.items);
    return index >= node->input_count || is_kept ? NPART_NONE : graph->values.items[value].producer;
}

uint32_t npart__fold_operand(const struct npart__graph *graph, const struct npart__fold *fold,
                             const struct npart__node *node, uint32_t index)
{
    uint32_t value = original(graph, fold, node, index), copied = npart__fold_copied(graph, fold, node, index);
    if (copied == NPART_NONE)
        return value;
    uint32_t behind = npart__node_input(graph, &graph->nodes.items[copied], 0);
    return behind == NPART_NONE ? value : fold->stands_for[behind];
}
