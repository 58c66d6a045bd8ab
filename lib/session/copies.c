/* SPDX-License-Identifier: Apache-2.0
 *
 * A DequantizeLinear that is used more than once: ONNX Runtime gives each use one of its own, at any level, so that
 * each may go with its user. Here a user of such a copy stands on what is dequantized.
 *
 * Modelled on onnxruntime/core/optimizer/qdq_transformer/ensure_unique_dq_for_node_unit.cc: the original stays with the
 * first user, or with the graph's output or a body that captures it, where there is one.
 */
#include "session/passes.h"

struct copies {
    const struct npart__graph *graph;
    struct npart__session *session;
    uint32_t *uses; /* by value */
};

static bool is_dequantized(const struct copies *at, uint32_t value)
{
    uint32_t producer = value == NPART_NONE ? NPART_NONE : at->graph->values.items[value].producer;
    return producer != NPART_NONE && npart__is_live(at->session, producer) &&
           strcmp(npart__node_op(at->graph, &at->graph->nodes.items[producer]), "DequantizeLinear") == 0;
}

static void count_uses(struct copies *at, uint32_t id)
{
    const struct npart__graph *graph = at->graph;
    const struct npart__node *node = &graph->nodes.items[id];
    uint32_t *kept_for = at->session->kept_for;
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        bool is_captured = k >= node->input_count;
        uint32_t value = npart__node_use(graph, node, k);
        value = value == NPART_NONE ? value : at->session->stands_for[value];
        if (!is_dequantized(at, value))
            continue;
        at->uses[value]++;
        if (is_captured)
            kept_for[value] = NPART__KEPT_OUTSIDE;
        else if (kept_for[value] == NPART_NONE || (kept_for[value] != NPART__KEPT_OUTSIDE && id < kept_for[value]))
            kept_for[value] = id;
    }
}

bool npart__fold_copies(struct npart__session *session, struct npart__arena *arena)
{
    const struct npart__graph *graph = session->inference->graph;
    size_t values = graph->values.count + (size_t)1;
    struct copies at = {.graph = graph, .session = session};
    at.uses = npart__arena_zeroed(arena, values, sizeof *at.uses);
    session->kept_for = npart__arena_allocate(arena, values * sizeof *session->kept_for);
    if (!at.uses || !session->kept_for)
        return false;
    memset(session->kept_for, 0xff, values * sizeof *session->kept_for);
    for (uint32_t v = 0; v < graph->values.count; v++) {
        uint32_t value = session->stands_for[v];
        if (graph->values.items[v].is_graph_output && is_dequantized(&at, value)) {
            at.uses[value]++;
            session->kept_for[value] = NPART__KEPT_OUTSIDE;
        }
    }
    for (uint32_t i = 0; i < graph->order_count; i++)
        if (npart__is_live(session, graph->order[i]))
            count_uses(&at, graph->order[i]);
    for (uint32_t v = 0; v < graph->values.count; v++)
        if (at.uses[v] < 2)
            session->kept_for[v] = NPART_NONE;
    npart__arena_release(arena, at.uses);
    return true;
}

uint32_t npart__session_copied(const struct npart__session *session, const struct npart__node *node, uint32_t index)
{
    uint32_t value = npart__node_use(session->graph, node, index);
    uint32_t kept_for = value != NPART_NONE && session->kept_for ? session->kept_for[value] : NPART_NONE;
    bool is_kept = kept_for == NPART_NONE || kept_for == (uint32_t)(node - session->graph->nodes.items);
    return index >= node->input_count || is_kept ? NPART_NONE : session->graph->values.items[value].producer;
}

uint32_t npart__session_operand(const struct npart__session *session, const struct npart__node *node, uint32_t index)
{
    const struct npart__graph *graph = session->graph;
    uint32_t value = npart__node_use(graph, node, index), copied = npart__session_copied(session, node, index);
    uint32_t behind = copied == NPART_NONE ? NPART_NONE : npart__node_input(graph, &graph->nodes.items[copied], 0);
    return behind == NPART_NONE ? value : behind;
}
