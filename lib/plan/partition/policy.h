/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NPART_PARTITION_POLICY_H
#define NPART_PARTITION_POLICY_H

#include "partition/partition.h"

/* Users of a constant that are looked at, each by a walk over the graph; none of the later ones is told. */
#define NPART__LIMIT_SHARED_TRIALS 64u

/* What `partitions` lines do. A node that is handed back is no longer accepted, and has its rule. `accepted` of
 * the request and `rules` change together, through npart__hand_back_node alone, so that each node that is given
 * back has a reason. */
struct npart__hand_back {
    const struct npart__partition_request *request;
    const struct npart__graph *graph;
    uint32_t *rules; /* by node */
    const struct npart__op_id *ops; /* the list's policy_ops in this graph */
    struct npart__arena *arena; /* the partitioning's own */
};

void npart__hand_back_node(struct npart__hand_back *to, uint32_t node, uint32_t rule);

/* The first line of this kind that counts and names the node's op, or NULL; and its rule, or NPART_NONE. */
const struct npart__policy *npart__policy_of_op(const struct npart__hand_back *to, enum npart__policy_kind kind,
                                                uint32_t node);
uint32_t npart__rule_of_op(const struct npart__hand_back *to, enum npart__policy_kind kind, uint32_t node);

/* Before staging: nodes at and after an op at which the runtime stops. False when out of memory. */
bool npart__apply_stops(struct npart__hand_back *to);
/* The same, for the user's cuts. */
bool npart__apply_cuts(struct npart__hand_back *to, struct npart__cuts *cuts);
/* Lists the cuts that end a partition, which has this result. False when out of memory. */
bool npart__list_cuts_of(const struct npart__hand_back *to, struct npart__partitioning *of, uint32_t id,
                         uint32_t result);
/* Once the nodes of a region have their steps, in execution order: splits the steps that have too many accepted
 * nodes. False when out of memory. */
bool npart__apply_splits(const struct npart__hand_back *to, const uint32_t *order, uint32_t count, uint32_t *step_of);
/* Once partitions are made: gives some of them back. `*changed` says whether any. False when out of memory. */
bool npart__apply_drops(struct npart__hand_back *to, const struct npart__partitioning *partitioning, bool *changed);
/* Then: hands back the responsible node of those that fail to compile in one partition; one whose constant operand
 * ends up in a partition of its own (npart__apply_shared); one that makes one axis of several where the runtime then
 * fails (npart__apply_flat); and one with a tensor of unknown or too high a rank (npart__apply_ranks). `*changed` says
 * whether any. False when out of memory. */
bool npart__apply_failures(struct npart__hand_back *to, const struct npart__partitioning *partitioning, bool *changed);
bool npart__apply_shared(struct npart__hand_back *to, const struct npart__partitioning *partitioning,
                         const struct npart__policy *policy, bool *changed);
bool npart__apply_flat(struct npart__hand_back *to, const struct npart__policy *policy, bool *changed);
void npart__apply_ranks(struct npart__hand_back *to, const struct npart__partitioning *partitioning,
                        const struct npart__policy *policy, bool *changed);

/* The ops of the list's `through` and `layout` lines that the graph may have, as its numbers. */
struct npart__layout_lines {
    const struct npart__op_id *through, *layout;
    uint32_t through_count, layout_count;
};
/* shared.c. False when out of memory. */
bool npart__find_layout_lines(const struct npart__hand_back *to, struct npart__layout_lines *out);
/* An op that the runtime moves a layout op past. */
static inline bool npart__goes_through(const struct npart__layout_lines *lines, const struct npart__node *node)
{
    return npart__is_among(node, lines->through, lines->through_count);
}
/* The target's own layout ops: the runtime puts a layout op before and after each that is taken. */
static inline bool npart__is_wrapped(const struct npart__hand_back *to, const struct npart__layout_lines *lines,
                                     uint32_t node)
{
    return to->request->accepted[node] &&
           npart__is_among(npart__node_at(to->graph, node), lines->layout, lines->layout_count);
}

#endif
