/* SPDX-License-Identifier: Apache-2.0
 *
 * Tensors of which it is not known how many dims they have. A compiler that asks for them ends the session: for those
 * that come into a partition ONNX Runtime's knowledge counts, which has no inference for many operators of ai.onnx.ml;
 * for those that are made in it, ours, since the compiler infers again.
 *
 * Asked of onnxruntime-openvino 1.24.1 with graphs of two to four nodes (docs/evidence/fidelity-intel.md): it matters
 * neither which operators read such a tensor nor what they make of it, and a shape that the file declares is enough.
 */
#include "openvino/openvino.h"
#include "plan/plan.h"
#include "onnxruntime/view.h"

struct look {
    const struct npart__hand_back *to;
    const struct npart__partitioning *partitioning;
    const struct npart__inference *seen; /* what the runtime knows */
};

static bool is_unranked(const struct npart__inference *inference, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(inference, value);
    return fact->kind == NPART__TYPE_TENSOR && !fact->has_rank;
}

/* Copies are not of the runtime's view; what they are copies of is of the partition, too, and has their rank. */
static bool reads_unranked(const struct look *at, const struct npart__node *node, uint32_t partition)
{
    const struct npart__session *session = at->to->request->session;
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        uint32_t value = npart__live_operand(session, node, k);
        uint32_t producer = npart__producer(at->to->graph, value);
        bool is_own = producer != NPART_NONE && at->partitioning->partition_of[producer] == partition;
        if (value != NPART_NONE && !is_own && value < at->seen->fact_count && is_unranked(at->seen, value))
            return true;
    }
    return false;
}

/* Of other domains than the standard's we may know less than the compiler. */
static bool makes_unranked(const struct look *at, const struct npart__node *node)
{
    for (uint32_t k = 0; node->domain == 0 && k < node->output_count; k++) {
        uint32_t value = npart__node_output(at->to->graph, node, k);
        if (value != NPART_NONE && is_unranked(at->to->request->session->inference, value))
            return true;
    }
    return false;
}

/* The first of a partition's nodes; the others stay, since one ends the session. */
bool npart__apply_unranked(struct npart__hand_back *to, const struct npart__partitioning *partitioning,
                           const struct npart__policy *policy, bool *changed)
{
    const struct npart__inference *seen = to->request->seen ? to->request->seen : to->request->session->inference;
    const struct look at = {.to = to, .partitioning = partitioning, .seen = seen};
    for (uint32_t p = 0; p < partitioning->partitions.count; p++) {
        const struct npart__partition *partition = &partitioning->partitions.items[p];
        for (uint32_t i = 0; i < partition->member_count; i++) {
            uint32_t id = partitioning->lists.items[partition->first_member + i];
            const struct npart__node *node = npart__node_at(to->graph, id);
            if (!reads_unranked(&at, node, p) && !makes_unranked(&at, node))
                continue;
            npart__hand_back_node(to, id, policy->rule);
            *changed = true;
            break;
        }
    }
    return true;
}

/* Where all is taken, graph inputs alone come in, of which the file's knowledge is the runtime's. */
static bool is_any_on_cpu(const struct npart__session *session, const bool *accepted)
{
    for (uint32_t i = 0; i < session->graph->nodes.count; i++)
        if (npart__is_live(session, i) && !accepted[i])
            return true;
    return false;
}

npart_status npart__see_ranks(struct npart__plan *plan, struct npart_error *error)
{
    const struct npart__target *target = &plan->target;
    bool is_asked = false;
    for (uint32_t i = 0; i < target->oplist->policies.count; i++) {
        const struct npart__policy *policy = &target->oplist->policies.items[i];
        is_asked |= policy->kind == NPART__POLICY_FAIL_UNRANKED && npart__target_has(target, policy->when);
    }
    if (!is_asked || !is_any_on_cpu(&plan->session, plan->accepted))
        return NPART_OK;
    return npart__infer_view(plan->session.made_from, &npart__policy_folding[plan->release], &plan->seen, error);
}
