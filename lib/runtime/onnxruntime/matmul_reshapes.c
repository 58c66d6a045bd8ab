/* SPDX-License-Identifier: Apache-2.0
 *
 * Of a MatMul and an Add that are merged, ONNX Runtime makes a Gemm, which takes matrices: in another rank a Reshape
 * stands before it and one after it (core/optimizer/matmul_add_fusion.cc). Beside a Gemm that is taken these change
 * nothing; round one that falls back they may be partitions of their own, so there they are put into the graph.
 *
 * MatMul of float32[1,128,768] by float32[768,768] with an Add of float32[768] becomes Reshape to [-1,768], Gemm,
 * Reshape to [1,128,768].
 */
#include "onnxruntime/onnxruntime.h"

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

npart_status npart__reshape_products(struct npart__plan *plan, struct npart_error *error)
{
    struct npart__expansions list = {0};
    if (!list_products(plan, &list))
        return npart__fail_memory(error);
    if (list.items.count == 0)
        return NPART_OK;
    npart_status status =
        npart__session_reshape_products(&plan->session, list.items.items, list.items.count, plan->arena, error);
    return status == NPART_OK ? npart__judge_changed(plan, NULL, NULL, error) : status;
}
