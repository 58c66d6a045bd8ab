/* SPDX-License-Identifier: Apache-2.0
 *
 * cost: what the switches cost. Every number is a range of low, typical and high, because the parameters are.
 *
 *   switch = partitions * (launch_ms + runtime_ms)
 *   copy   = sum over boundary tensors of map_ms + bytes / copy_gb_per_s
 *   layout = sum over conversions of 2 * bytes / layout_gb_per_s      (read and written)
 *
 * The parameters and their sources stand in the op list. A tensor whose size is not known adds nothing and is
 * counted apart.
 */
#ifndef NPART_COST_H
#define NPART_COST_H

#include "partition/partition.h"

/* Milliseconds. */
struct npart__range {
    double low, typical, high;
};

#define NPART__FOR_GRAPH (NPART_NONE - 1)

struct npart__cost {
    struct npart__range switch_ms, copy_ms, layout_ms, total_ms;
    uint64_t bytes_to_npu, bytes_to_cpu;
    uint32_t unknown_sizes; /* boundary tensors whose bytes are not known */
    uint32_t conversions;   /* tensors that change between the file's layout and the target's */
    uint64_t conversion_bytes;
    bool is_calibrated;     /* no more than half of the parameters used are assumptions */
    bool *is_native;        /* by value: held in the target's layout */
    uint32_t *converted_for; /* by value: the first node that needs it in the other layout; NPART__FOR_GRAPH: the graph,
                                as its output; NPART_NONE: it is not converted */
};

npart_status npart__estimate_cost(const struct npart__target *target, const struct npart__session *session,
                                  const struct npart__partitioning *partitioning, struct npart__arena *arena,
                                  struct npart__cost *out, struct npart_error *error);

#endif
