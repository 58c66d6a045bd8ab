/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that a runtime puts after others which they stood before, or takes away because another undoes what they do.
 *
 * Transpose -> Relu -> Conv becomes Relu -> Transpose -> Conv. The value that the Conv takes keeps its id and is
 * made by the Transpose now; the one between the two is made by the Relu. So users of the last result stay as they
 * are, and only producers and operands of the two ends change. Which nodes move, and past which,
 * lib/runtime/onnxruntime/model_transposes.c says.
 */
#include "session/passes.h"

/* Ends trade places: `before` is what the node took and what those that it moves past take from now on; `between`
 * was its result and is now the last's. Facts stay where they are: `between` has the element type and number of
 * elements that are known of it, but no longer the order of its dims. */
static void move(struct npart__graph *graph, const struct npart__move *at)
{
    uint32_t *operands = graph->operands.items;
    const struct npart__node *node = &graph->nodes.items[at->node], *last = &graph->nodes.items[at->last];
    uint32_t before = operands[node->first_input], between = operands[node->first_output];
    for (uint32_t i = 0; i < at->use_count; i++)
        operands[graph->nodes.items[at->uses[i].node].first_input + at->uses[i].index] = before;
    operands[node->first_input] = between;
    operands[node->first_output] = operands[last->first_output];
    operands[last->first_output] = between;
    NPART__ASSERT(graph->values.items[between].producer == at->node, "node %u moves twice", (unsigned)at->node);
    graph->values.items[between].producer = at->last;
    graph->values.items[operands[node->first_output]].producer = at->node;
}

/* What moves stands right after the last that it moves past. False when out of memory. Each move's node is taken out of
 * the order and put in again after its last, in one walk over the order. A node has at most one follower, since no
 * node is the last of two moves. */
static bool reorder(struct npart__graph *graph, const struct npart__move *moves, uint32_t count,
                    struct npart__arena *arena)
{
    size_t nodes = graph->nodes.count + (size_t)1, made = 0;
    const uint32_t *before = graph->order;
    uint32_t *order = npart__arena_allocate(arena, (graph->order_count + (size_t)1) * sizeof *order);
    uint32_t *after = npart__arena_zeroed(arena, nodes, sizeof *after); /* by node: what follows it, plus one */
    bool *is_moved = npart__arena_zeroed(arena, nodes, sizeof *is_moved);
    if (!order || !after || !is_moved)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        is_moved[moves[i].node] = true;
        after[moves[i].last] = moves[i].node + 1;
    }
    for (uint32_t i = 0; i < graph->order_count; i++) {
        if (!is_moved[before[i]])
            order[made++] = before[i];
        if (after[before[i]])
            order[made++] = after[before[i]] - 1;
    }
    graph->order = order;
    return true;
}

/* The session's graph before stays as it is in the arena; its arrays of nodes, attributes and scopes are shared.
 * Numbers of nodes in a region do not change, so the ranges of `order` hold. */
bool npart__session_move(struct npart__session *session, const struct npart__move *moves, uint32_t count,
                         struct npart__arena *arena)
{
    struct npart__graph *graph = npart__arena_zeroed(arena, 1, sizeof *graph);
    if (!graph)
        return false;
    *graph = *session->graph; /* nodes, attributes and scopes are not written to */
    graph->operands.items = npart__arena_allocate(arena, (graph->operands.count + (size_t)1) * sizeof(uint32_t));
    graph->values.items =
        npart__arena_allocate(arena, (graph->values.count + (size_t)1) * sizeof *graph->values.items);
    if (!graph->operands.items || !graph->values.items || !reorder(graph, moves, count, arena))
        return false;
    memcpy(graph->operands.items, session->graph->operands.items, graph->operands.count * sizeof(uint32_t));
    memcpy(graph->values.items, session->graph->values.items, graph->values.count * sizeof *graph->values.items);
    for (uint32_t i = 0; i < count; i++)
        move(graph, &moves[i]);
    session->graph = graph;
    return npart__list_users(graph, session->fates, arena);
}

/* Chains of stand-ins are shortened, as the operand of one that goes may stand for another by now. */
bool npart__session_undo(struct npart__session *session, const uint32_t *nodes, uint32_t count,
                         struct npart__arena *arena)
{
    const struct npart__graph *file = session->file;
    for (uint32_t i = 0; i < count; i++) {
        const struct npart__node *node = npart__node_at(file, nodes[i]);
        uint32_t operand = npart__node_input(file, node, 0); /* in the session it may be what a copy makes */
        session->fates[nodes[i]] = NPART_FATE_NO_OP;
        session->stands_for[npart__node_output(file, node, 0)] = session->stands_for[operand];
    }
    npart__settle_stand_ins(session, file->values.count);
    return npart__session_connect(session, arena);
}
