/* SPDX-License-Identifier: Apache-2.0
 *
 * INT64 tensors of too many dims where they pass from one side to the other. onnxruntime-qnn 2.7.0 casts what passes as
 * INT64, and its casts fail with 5 dims (41 graphs of two nodes, SoC 37 and 60): it matters not which operator reads or
 * makes it. A Transpose between two such casts fails (36 graphs; no other of 12 operators does).
 */
#include "qnn/qnn.h"

struct look {
    const struct npart__hand_back *to;
    const struct npart__partitioning *partitioning;
};

/* An INT64 of more dims than that. */
static bool is_wide(const struct look *at, uint32_t value, uint64_t most)
{
    const struct npart__fact *fact = npart__fact_of(at->to->request->session->inference, value);
    return fact->element_type == NPART__INT64 && fact->has_rank && fact->rank > most;
}

/* Whether one of more dims than that comes in. What another partition makes comes in, too. */
static bool comes_in(const struct look *at, const struct npart__node *node, uint32_t partition, uint64_t most)
{
    const struct npart__session *session = at->to->request->session;
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        uint32_t value = npart__live_operand(session, node, k), producer = npart__producer(at->to->graph, value);
        if (value != NPART_NONE && (producer == NPART_NONE || at->partitioning->partition_of[producer] != partition) &&
            is_wide(at, value, most))
            return true;
    }
    return false;
}

/* The same of what leaves. */
static bool goes_out(const struct look *at, const struct npart__node *node, uint32_t partition, uint64_t most)
{
    const struct npart__session *session = at->to->request->session;
    for (uint32_t k = 0; k < node->output_count; k++) {
        uint32_t value = npart__node_output(at->to->graph, node, k);
        if (value == NPART_NONE || !is_wide(at, value, most))
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
bool npart__apply_int64(struct npart__hand_back *to, const struct npart__partitioning *partitioning,
                        const struct npart__policy *policy, bool *changed)
{
    const struct look at = {.to = to, .partitioning = partitioning};
    for (uint32_t p = 0; p < partitioning->partitions.count; p++) {
        const struct npart__partition *partition = &partitioning->partitions.items[p];
        for (uint32_t i = 0; i < partition->member_count; i++) {
            uint32_t id = partitioning->lists.items[partition->first_member + i];
            const struct npart__node *node = npart__node_at(to->graph, id);
            bool is_told = policy->kind == NPART__POLICY_FAIL_WIDE
                               ? comes_in(&at, node, p, policy->number) || goes_out(&at, node, p, policy->number)
                               : npart__is_among(node, to->ops + policy->first_op, policy->op_count) &&
                                     comes_in(&at, node, p, 0) && goes_out(&at, node, p, 0);
            if (!is_told)
                continue;
            npart__hand_back_node(to, id, policy->rule);
            *changed = true;
        }
    }
    return true;
}
