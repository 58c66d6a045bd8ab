/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NPART_PARTITION_POLICY_H
#define NPART_PARTITION_POLICY_H

#include "partition/partition.h"

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
/* Then: hands back the responsible node of those that fail to compile in one partition, and what products' failures
 * speak of. `*changed` says whether any. False when out of memory. */
bool npart__apply_failures(struct npart__hand_back *to, const struct npart__partitioning *partitioning, bool *changed);

#endif
