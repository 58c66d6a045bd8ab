/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of partition: what a partitioner is given, and gives. It sees one region at a time, or one segment
 * of it, fills in `step_of` for its live nodes, and may leave nodes to the CPU. Numbers of steps may have gaps; who
 * calls it makes partitions of them.
 */
#ifndef NPART_PARTITION_STEPS_H
#define NPART_PARTITION_STEPS_H

#include "partition/product.h"

/* One region to be given steps. Of a segment or a round it is a copy with other `order` and `count`; `place_of` and
 * `step_of` are shared. */
struct npart__step_request {
    struct npart__hand_back *back; /* for nodes that the partitioner leaves to the CPU */
    const struct npart__graph *graph;
    const struct npart__session *session;
    const bool *accepted; /* by node; changed through `back` only */
    uint32_t region;
    const uint32_t *segment_of; /* by node; NULL: there is one segment */
    uint32_t segment;           /* at hand; all others are outside */
    const uint32_t *subgraph_of;   /* by place: the partition that an earlier round made of it, whose nodes stand
                                   next to each other in `order`; NPART_NONE: none. NULL: this is the first round */
    const uint32_t *order; /* its live nodes, producers before consumers */
    uint32_t count; /* of `order` */
    uint32_t *place_of; /* by node that is in `order`: its *place*, a number of its own below `count`, which it keeps
                           when the order changes. There may be as many regions and segments as nodes: what staging one
                           of them takes is as long as that, by place, and not as long as the graph */
    uint32_t *step_of; /* by node, to fill in */
    bool is_run;        /* the order is that of a run: copies have the last numbers, as the runtime makes them last */
    struct npart__arena *arena; /* for the time of staging */
    bool failed;                /* out of memory */
};

/* cuts.c: every segment by itself, one after the other. */
void npart__step_segments(struct npart__step_request *request, npart__stepper *step);

/* rounds.c: one partitioner in as many rounds as the request has. */
void npart__step_rounds(struct npart__step_request *request, npart__stepper *step);

/* One segment. */
void npart__give_steps(struct npart__step_request *request, npart__stepper *step);

/* components.c: the accepted nodes of a step that do not touch are given steps of their own, right after each other,
 * in the order of their first nodes. */
void npart__split_steps(struct npart__step_request *request);
/* units.c: a DequantizeLinear in front of a quantized operator is given the step of that. */
void npart__join_units(struct npart__step_request *request);
/* steps.c */
void npart__step_by_waves(struct npart__step_request *request);
void npart__step_by_runs(struct npart__step_request *request);
void npart__leave_to_cpu(struct npart__step_request *request, uint32_t node, enum npart__partitioner_reason reason);

/* walk.c: a region as ONNX Runtime walks over it. ONNX Runtime's order decides what some providers form, so it is
 * repeated where one does. */
struct npart__walk {
    uint32_t *order;     /* its live nodes, producers before consumers */
    uint32_t *first_use; /* by place: its results are used by uses[first_use[p] .. first_use[p + 1]), in this region */
    uint32_t *uses;      /* nodes, one for each operand; in the order that the request lists them */
};
/* False when out of memory. */
bool npart__walk_region(struct npart__step_request *request, struct npart__walk *out);

/* Whether a node is of the region and the segment. */
bool npart__is_inside(const struct npart__step_request *request, uint32_t node);
/* The live producer of an operand (inputs, then captures) in the same region and segment, or NPART_NONE. */
uint32_t npart__producer_inside(const struct npart__step_request *request, const struct npart__node *node,
                                uint32_t operand);

#endif
