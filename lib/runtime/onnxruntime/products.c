/* SPDX-License-Identifier: Apache-2.0
 *
 * What becomes of nodes round a product that a runtime has put Reshapes round (matmul_reshapes.c): what was
 * joined with the product is part of the new one, and neighbouring Reshapes are joined.
 */
#include "onnxruntime/passes.h"

/* A chain begins with a Reshape without `allowzero`, or one that was written anew, and goes on with others, Squeezes
 * and Unsqueezes (neighbours.c). */
static bool is_reshape(const struct npart__session *session, uint32_t id, bool begins)
{
    const struct npart__graph *graph = session->file;
    if (id == NPART_NONE || !npart__is_live(session, id))
        return false;
    const struct npart__node *node = npart__node_at(graph, id);
    bool is_it = npart__node_plays(graph, node, NPART__ROLE_RESHAPES) ||
                 (!begins && npart__comes_from(node, NPART__WAY(SQUEEZE) | NPART__WAY(UNSQUEEZE)));
    bool has_zeros = begins && session->remade[id] != NPART__REMADE_RESHAPE &&
                     npart__node_int(graph, node, "allowzero", 0) != 0;
    return is_it && !has_zeros && npart__has_one_result(graph, node);
}

/* Without shortening: chains are as long as the Reshapes that are joined here. */
static uint32_t resolve(const struct npart__session *session, uint32_t value)
{
    while (session->stands_for[value] != value)
        value = session->stands_for[value];
    return value;
}

/* Of neighbouring Reshapes the runtime makes one: the earlier gives way, if nothing else uses what it makes.
 * Passes of neighbours.c are over by now, so a Reshape that a product has brought along is joined here. */
static void join_before(struct npart__session *session, uint32_t id)
{
    const struct npart__graph *graph = session->file;
    uint32_t operand = npart__node_input(graph, npart__node_at(graph, id), 0);
    uint32_t from = operand == NPART_NONE ? operand : resolve(session, operand);
    uint32_t maker = npart__producer(graph, from);
    uint32_t reshaped = maker == NPART_NONE ? maker : npart__node_input(graph, npart__node_at(graph, maker), 0);
    if (reshaped == NPART_NONE || !is_reshape(session, maker, true) || npart__user_count(session, from) != 1 ||
        npart__value_at(session->graph, from)->is_graph_output)
        return;
    session->fates[maker] = NPART_FATE_NO_OP;
    session->remade[id] = NPART__REMADE_RESHAPE;
    session->stands_for[from] = resolve(session, reshaped);
}

/* What was fused into the product in the file, such as the Add of a bias, is fused into the MatMul of the body
 * instead. The product itself was in the place of `call`, and so are its three nodes. Uses are those of the
 * session as it was before joining; a value with one user keeps one, since whoever is joined takes the operand of
 * the node that goes. */
static bool settle(struct npart__session *session, uint32_t nodes_before, struct npart__arena *arena)
{
    const struct npart__graph *graph = session->file;
    uint32_t *product_of = npart__arena_allocate(arena, (nodes_before + (size_t)1) * sizeof *product_of);
    if (!product_of)
        return false;
    memset(product_of, 0xff, (nodes_before + (size_t)1) * sizeof *product_of); /* NPART_NONE: no product */
    for (uint32_t i = nodes_before; i < graph->nodes.count; i++) {
        uint32_t call = npart__scope_at(graph, npart__node_at(graph, i)->scope)->node;
        session->remade[i] = NPART__REMADE_PRODUCT; /* each of the three is a node by now */
        session->place[i] = session->place[call];
        if (npart__comes_from(npart__node_at(graph, i), NPART__WAY(MATMUL)))
            product_of[call] = i;
    }
    for (uint32_t i = 0; i < nodes_before; i++)
        if (session->into[i] != NPART_NONE && product_of[session->into[i]] != NPART_NONE)
            session->into[i] = product_of[session->into[i]];
    /* In the order of the graph, so that of three Reshapes the first gives way to the second, and that to the third. */
    for (uint32_t i = 0; i < graph->order_count; i++)
        if (is_reshape(session, graph->order[i], false))
            join_before(session, graph->order[i]);
    npart__settle_stand_ins(session, graph->values.count);
    npart__arena_release(arena, product_of);
    return npart__session_connect(session, arena);
}

/* In round 0, so the provider is asked about the three nodes as about all others. The count of nodes is taken
 * first, as expanding changes what it is asked of. */
npart_status npart__session_reshape_products(struct npart__session *session, const struct npart__expansion *items,
                                             uint32_t count, struct npart__arena *arena, struct npart_error *error)
{
    uint32_t nodes_before = session->file->nodes.count;
    npart_status status = npart__session_expand(session, items, count, 0, arena, error);
    return status == NPART_OK && !settle(session, nodes_before, arena) ? npart__fail_memory(error) : status;
}
