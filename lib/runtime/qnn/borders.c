/* SPDX-License-Identifier: Apache-2.0
 *
 * Element types that cannot pass from one side to the other; it matters not which operator reads or makes the tensor.
 * onnxruntime-qnn 2.7.0 casts what passes as INT64, and its casts fail with 5 dims (41 graphs of two nodes, SoC 37 and
 * 60). A Transpose between two such casts fails (36 graphs; no other of 12 operators does). DOUBLE has no such cast:
 * "Unsupported FP64 data type in graph IO" (176 graphs, SoC 37 and 60), while inside a partition it is computed.
 */
#include "qnn/qnn.h"

struct look {
    const struct npart__hand_back *to;
    const struct npart__partitioning *partitioning;
    bool is_double;     /* what is looked for, else INT64 */
    uint64_t most_dims; /* with which an INT64 may pass */
};

static bool is_told_of(const struct look *at, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(at->to->request->session->inference, value);
    if (at->is_double)
        return fact->element_type == NPART__DOUBLE && !at->to->request->session->is_constant[value];
    return fact->element_type == NPART__INT64 && fact->has_rank && fact->rank > at->most_dims;
}

/* Whether one comes in. What another partition makes comes in, too. */
static bool comes_in(const struct look *at, const struct npart__node *node, uint32_t partition)
{
    const struct npart__session *session = at->to->request->session;
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        uint32_t value = npart__live_operand(session, node, k), producer = npart__producer(at->to->graph, value);
        if (value != NPART_NONE && (producer == NPART_NONE || at->partitioning->partition_of[producer] != partition) &&
            is_told_of(at, value))
            return true;
    }
    return false;
}

/* The same of what leaves. */
static bool goes_out(const struct look *at, const struct npart__node *node, uint32_t partition)
{
    const struct npart__session *session = at->to->request->session;
    for (uint32_t k = 0; k < node->output_count; k++) {
        uint32_t value = npart__node_output(at->to->graph, node, k);
        if (value == NPART_NONE || !is_told_of(at, value))
            continue;
        if (npart__value_at(at->to->graph, value)->is_graph_output)
            return true;
        for (uint32_t i = 0; i < npart__user_count(session, value); i++)
            if (at->partitioning->partition_of[npart__user(session, value, i)] != partition)
                return true;
    }
    return false;
}

/* Each is told, as what enters is mended by itself. Of a line with ops both casts count, at any number of dims. */
bool npart__apply_borders(struct npart__hand_back *to, const struct npart__partitioning *partitioning,
                          const struct npart__policy *policy, bool *changed)
{
    const struct look at = {.to = to,
                            .partitioning = partitioning,
                            .is_double = policy->kind == NPART__POLICY_FAIL_DOUBLE,
                            .most_dims = policy->kind == NPART__POLICY_FAIL_WIDE ? policy->number : 0};
    for (uint32_t p = 0; p < partitioning->partitions.count; p++) {
        const struct npart__partition *partition = &partitioning->partitions.items[p];
        for (uint32_t i = 0; i < partition->member_count; i++) {
            uint32_t id = partitioning->lists.items[partition->first_member + i];
            const struct npart__node *node = npart__node_at(to->graph, id);
            bool is_told = policy->kind == NPART__POLICY_FAIL_PASSED
                               ? npart__is_among(node, to->ops + policy->first_op, policy->op_count) &&
                                     comes_in(&at, node, p) && goes_out(&at, node, p)
                               : comes_in(&at, node, p) || goes_out(&at, node, p);
            if (!is_told)
                continue;
            npart__hand_back_node(to, id, policy->rule);
            *changed = true;
        }
    }
    return true;
}
