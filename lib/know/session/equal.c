/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that compute what another one does: the runtime keeps the first of them for the users of all (core/optimizer/
 * common_subexpression_elimination.cc), so providers are asked about that one alone. Which are equal is known of the
 * inference (lib/know/view/common_subexpression.c). Such a node is part of the first; its work is done there. This is
 * done for lists with a `rewriting` line, of which a compiler was asked (docs/evidence/fidelity-intel.md); of those
 * with a `runtime` line equal nodes are judged one by one, which has the same answers, and the same partitions where
 * these are formed of all that is connected.
 *
 * A DequantizeLinear stays by itself: the runtime merges these, too, and then gives each operator its own again
 * (qdq_transformer/ensure_unique_dq_for_node_unit.cc).
 */
#include "session/passes.h"

/* The node of which this one repeats all results, or NPART_NONE. A result of the graph keeps its node. */
static uint32_t find_equal(const struct npart__session *session, uint32_t id)
{
    const struct npart__graph *graph = session->file;
    const struct npart__node *node = npart__node_at(graph, id);
    const uint32_t *first = session->inference->first_equal;
    uint32_t equal = NPART_NONE;
    if (!npart__is_live(session, id) || node->domain != 0 || node->body_count || session->remade[id] ||
        npart__node_plays(graph, node, NPART__ROLE_DEQUANTIZES))
        return NPART_NONE;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(graph, node, i);
        if (value == NPART_NONE)
            continue;
        if (first[value] == value || npart__value_at(graph, value)->is_graph_output)
            return NPART_NONE;
        equal = npart__producer(graph, first[value]);
    }
    bool is_kept = equal != NPART_NONE && npart__is_live(session, equal) && !session->remade[equal] &&
                   npart__node_at(graph, equal)->op_type == node->op_type;
    return is_kept ? equal : NPART_NONE;
}

/* Last of the passes, since those before look at equal values by themselves. In the order of execution, so that of a
 * chain of equal nodes each is met after what it reads. */
void npart__fold_equal(struct npart__session *session)
{
    const struct npart__graph *graph = session->file;
    const uint32_t *first = session->inference->first_equal;
    bool is_any = false;
    for (uint32_t i = 0; first && i < graph->order_count; i++) {
        uint32_t id = graph->order[i], equal = find_equal(session, id);
        if (equal == NPART_NONE)
            continue;
        const struct npart__node *node = npart__node_at(graph, id);
        session->fates[id] = NPART_FATE_FUSED;
        session->into[id] = equal;
        is_any = true;
        for (uint32_t k = 0; k < node->output_count; k++)
            if (npart__node_output(graph, node, k) != NPART_NONE)
                session->stands_for[npart__node_output(graph, node, k)] =
                    session->stands_for[first[npart__node_output(graph, node, k)]];
    }
    if (is_any)
        npart__settle_stand_ins(session, graph->values.count);
}
