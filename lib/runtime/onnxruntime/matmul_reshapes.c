/* SPDX-License-Identifier: Apache-2.0
 *
 * Of a MatMul and an Add that are merged, ONNX Runtime makes a Gemm, which takes matrices: in another rank a Reshape
 * stands before it and one after it (core/optimizer/matmul_add_fusion.cc). Beside a Gemm that is taken these change
 * nothing; round one that falls back they may be partitions of their own, so there they are put into the graph.
 *
 * MatMul of float32[1,128,768] by float32[768,768] with an Add of float32[768] becomes Reshape to [-1,768], Gemm,
 * Reshape to [1,128,768].
 */
#include "onnxruntime/passes.h"

/* ---- which products --------------------------------------------------------------------------------------- */

/* The body as functions.def writes them: a Reshape, the product of matrices, a Reshape. The name is only for
 * messages; operands A and B are those of MatMul in the schema, so they are found by name. The first Reshape
 * leaves its number of rows to be found (-1), as the runtime writes it. */
static bool write_body(struct npart__arena *arena, const struct npart__fact *left, const struct npart__fact *result,
                       struct npart__expansion *out)
{
    struct npart__buffer text = {.arena = arena};
    struct npart__body *body = npart__arena_zeroed(arena, 1, sizeof *body);
    /* "rows" is [-1,768] for A of [1,128,768], "shape" all dims of the result. */
    npart__append_text(&text, "rows=Constant value_ints=I:-1,");
    npart__append_int64(&text, left->dims[left->rank - 1]);
    npart__append_text(&text, ";flat=Reshape A rows;product=MatMul flat B;shape=Constant value_ints=I:");
    for (uint32_t i = 0; i < result->rank; i++) {
        npart__append_text(&text, i ? "," : "");
        npart__append_int64(&text, result->dims[i]);
    }
    npart__append_text(&text, ";Y=Reshape product shape;");
    if (!body)
        return false;
    body->name = "Gemm";
    body->body = npart__made_text(&text);
    out->function = body;
    return body->body != NULL;
}

/* False when out of memory. Only of static shapes, since the runtime writes the target of the second Reshape as a
 * constant; and only where the product falls back. */
static bool list_products(const struct npart__plan *plan, struct npart__expansions *list)
{
    const struct npart__graph *graph = plan->inference->graph;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        /* Found by the Add that was merged, since a MatMul alone becomes no Gemm. */
        uint32_t into = plan->session.into[i];
        if (into == NPART_NONE || !npart__is_onnx_op(graph, npart__node_at(graph, i), "Add") ||
            !npart__is_onnx_op(graph, npart__node_at(graph, into), "MatMul") ||
            !npart__is_live(&plan->session, into) || plan->mask.verdicts[into] != NPART_VERDICT_CPU)
            continue;
        const struct npart__node *node = npart__node_at(graph, into);
        uint32_t left = npart__node_input(graph, node, 0), right = npart__node_input(graph, node, 1);
        const struct npart__fact *a = npart__fact_of(plan->inference, left);
        const struct npart__fact *y = npart__fact_of(plan->inference, npart__node_output(graph, node, 0));
        /* The MatMul is what gives way: the Add has gone into it already. */
        struct npart__expansion made = {.node = into};
        /* Of rank 2 the MatMul is a product of matrices already, and no Reshape is needed. */
        if (!npart__is_static(a) || !npart__is_static(y) || a->rank == 2 || a->rank < 1 || y->rank < 1 ||
            y->rank > NPART__LIMIT_BODY_OPERANDS)
            continue;
        /* The second matrix has rank 2, which merge.c has asked. */
        made.input_types[0] = a->element_type;
        made.input_types[1] = npart__fact_of(plan->inference, right)->element_type;
        if (!write_body(plan->arena, a, y, &made))
            return false;
        /* A file may give the MatMul more results than one, which nothing in the body makes. */
        if (npart__body_makes_results(graph, &made) && !NPART__PUSH(plan->arena, &list->items, made))
            return false;
    }
    return true;
}

/* ---- what becomes of nodes round them: what was joined with the product is part of the new one ------------------ */

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
static npart_status expand(struct npart__session *session, const struct npart__expansion *items, uint32_t count,
                           struct npart__arena *arena, struct npart_error *error)
{
    uint32_t nodes_before = session->file->nodes.count;
    npart_status status = npart__session_expand(session, items, count, 0, arena, error);
    return status == NPART_OK && !settle(session, nodes_before, arena) ? npart__fail_memory(error) : status;
}

npart_status npart__reshape_products(struct npart__plan *plan, struct npart_error *error)
{
    struct npart__expansions list = {0};
    if (!list_products(plan, &list))
        return npart__fail_memory(error);
    if (list.items.count == 0)
        return NPART_OK;
    npart_status status = expand(&plan->session, list.items.items, list.items.count, plan->arena, error);
    return status == NPART_OK ? npart__judge_changed(plan, NULL, NULL, error) : status;
}
