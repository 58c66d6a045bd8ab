/* SPDX-License-Identifier: Apache-2.0
 *
 * How much of a model's arithmetic is in partitions.
 */
#include "partition/partition.h"

/* A node that is not live has no work in `works`, so all are walked over. One unknown node makes the sum of its
 * partition and that of the whole unknown, since a share of a part would look like one of all: unknown is the largest
 * number, at which sums stay. */
void npart__sum_macs(const struct npart__session *session, const struct npart__works *works,
                     struct npart__partitioning *partitioning)
{
    /* Of the file's nodes: copies of a DequantizeLinear multiply nothing. */
    partitioning->macs = partitioning->macs_in_partitions = 0;
    for (uint32_t i = 0; i < session->file->nodes.count; i++) {
        uint32_t partition = partitioning->partition_of[i];
        uint64_t macs = works->items[i].macs;
        if (macs == 0)
            continue;
        macs = npart__node_region(session->graph, i) == 0 ? macs : NPART__WORK_UNKNOWN;
        partitioning->macs = npart__sum_uint64(partitioning->macs, macs);
        if (partition == NPART_NONE)
            continue;
        partitioning->macs_in_partitions = npart__sum_uint64(partitioning->macs_in_partitions, macs);
        struct npart__partition *own = &partitioning->partitions.items[partition];
        own->macs = npart__sum_uint64(own->macs, macs);
    }
}
