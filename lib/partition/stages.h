/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NPART_PARTITION_STAGES_H
#define NPART_PARTITION_STAGES_H

#include "partition/policy.h"

/* One region to be staged. */
struct npart__stage_request {
    struct npart__hand_back *back; /* for nodes that the partitioner leaves to the CPU */
    const struct npart__graph *graph;
    const struct npart__fold *fold;
    const bool *accepted; /* by node; changed through `back` only */
    uint32_t region;
    const uint32_t *segment_of; /* by node; NULL: there is one segment */
    uint32_t segment;           /* at hand; all others are outside */
    const uint32_t *order; /* its live nodes, producers before consumers */
    uint32_t count;
    uint32_t *stage_of; /* by node, to fill in */
    struct npart__arena *arena; /* for the time of staging */
    bool failed;                /* out of memory */
};

/* cuts.c: every segment by itself, one behind the other. */
void npart__stage_segments(struct npart__stage_request *request, const char *partitioner);

/* One segment. */
void npart__give_stages(struct npart__stage_request *request, const char *partitioner);

/* components.c: the accepted nodes of a stage that do not touch are given stages of their own, right behind each other,
 * in the order of their first nodes. */
void npart__split_stages(struct npart__stage_request *request);
/* openvino.c */
void npart__stage_by_openvino(struct npart__stage_request *request);

/* The live producer of an operand (inputs, then captures) in the same region and segment, or NPART_NONE. */
uint32_t npart__producer_inside(const struct npart__stage_request *request, const struct npart__node *node,
                                uint32_t operand);

#endif
