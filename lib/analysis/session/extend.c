/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that a runtime inlines once it has folded: it does not fold again, but takes the constants among them for
 * initializers.
 *
 * What was decided of a node before is kept by its id, and only the new nodes are looked at. That is what ONNX Runtime
 * does between two rounds of partitioning: nodes give way to their definitions when its optimizers of the basic level
 * have run.
 */
#include "session/passes.h"

/* All is inferred again, not the new nodes alone: what a body makes has a shape now where its operator had none, and
 * so may all that comes after it. The sizes that a caller gave hold on: `options` of the inference before are
 * those of the new one. `is_late` says that the runtime does this after it has inferred shapes for the last time
 * (lib/analysis/graph/expand.c). */
npart_status npart__infer_expanded(const struct npart__inference *before, const struct npart__expansion *items,
                                   uint32_t count, bool is_late, struct npart__arena *arena,
                                   struct npart__inference **out, struct npart_error *error)
{
    struct npart__graph *graph = npart__arena_zeroed(arena, 1, sizeof *graph);
    struct npart__inference *inference = npart__arena_zeroed(arena, 1, sizeof *inference);
    if (!graph || !inference)
        return npart__fail_memory(error);
    npart_status status = npart__graph_expand(before->graph, items, count, is_late, arena, graph, error);
    if (status == NPART_OK)
        status = npart__infer(graph, &before->options, arena, inference, error);
    if (status == NPART_OK)
        *out = inference;
    return status;
}

/* New nodes are live, and offered to the provider in `round`. A Constant among them is an initializer to the
 * runtime. The nodes whose place they take become INLINED last, by their callee, so that the loop over new nodes
 * need not know which call they came from. None is folded, whatever it reads: by then the optimizers have run for
 * the last time, so a Cast of a constant in a body is a node that the provider is asked about. */
static npart_status extend(struct npart__inference *inference, const struct npart__session *before, uint32_t round,
                           struct npart__arena *arena, struct npart__session *out, struct npart_error *error)
{
    const struct npart__graph *graph = inference->graph;
    uint32_t nodes = before->file->nodes.count, values = before->file->values.count;
    *out = (struct npart__session){
        .made_from = inference, .inference = inference, .file = graph, .computes = before->computes,
        .moves_quantizers = before->moves_quantizers, .altered = before->altered,
        .altered_count = before->altered_count};
    /* Products come in round 0, whatever rounds there were before them. */
    out->round_count = round > before->round_count ? round : before->round_count;
    if (!npart__session_lengthen(before, out, nodes, values, graph->nodes.count, graph->values.count, arena))
        return npart__fail_memory(error);
    for (uint32_t v = values; v < graph->values.count; v++) {
        out->is_constant[v] = false;
        out->stands_for[v] = v;
    }
    for (uint32_t n = nodes; n < graph->nodes.count; n++) {
        const struct npart__node *node = npart__node_at(graph, n);
        /* Bodies are the standard's own text, so the operator's domain need not be asked. */
        bool is_constant = npart__is_constant_node(graph, node);
        uint32_t result = npart__node_output(graph, node, 0);
        out->fates[n] = is_constant ? NPART_FATE_CONSTANT : NPART_FATE_LIVE;
        out->into[n] = NPART_NONE;
        out->remade[n] = NPART__REMADE_NOT;
        out->round[n] = (uint8_t)round;
        out->place[n] = n;
        if (is_constant && result != NPART_NONE)
            out->is_constant[result] = true;
    }
    for (uint32_t n = 0; n < graph->nodes.count; n++)
        if (npart__is_live(out, n) && npart__node_at(graph, n)->callee != NPART_NONE)
            out->fates[n] = NPART_FATE_INLINED;
    return npart__session_connect(out, arena) ? NPART_OK : npart__fail_memory(error);
}

/* With `count` 0 nothing is inferred: the arrays alone are copied, for a caller that changes them while another plan
 * still reads those of before. */
npart_status npart__session_expand(struct npart__session *session, const struct npart__expansion *items, uint32_t count,
                                   uint32_t round, struct npart__arena *arena, struct npart_error *error)
{
    const struct npart__session before = *session;
    struct npart__inference *inference = session->made_from;
    npart_status status = NPART_OK;
    if (count)
        status = npart__infer_expanded(before.made_from, items, count, true, arena, &inference, error);
    return status == NPART_OK ? extend(inference, &before, round, arena, session, error) : status;
}
