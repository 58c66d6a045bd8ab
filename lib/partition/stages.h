/* SPDX-License-Identifier: Apache-2.0 */
#ifndef NPART_PARTITION_STAGES_H
#define NPART_PARTITION_STAGES_H

#include "partition/partition.h"

/* One region to be staged. */
struct npart__stage_request {
    const struct npart__graph *graph;
    const struct npart__fold *fold;
    const bool *accepted; /* by node */
    uint32_t region;
    const uint32_t *order; /* its live nodes, producers before consumers */
    uint32_t count;
    uint32_t *stage_of; /* by node, to fill in */
};

void npart__give_stages(const struct npart__stage_request *request, const char *partitioner);

#endif
