/* SPDX-License-Identifier: Apache-2.0
 *
 * How much of a model's arithmetic is in partitions.
 */
#include "partition/partition.h"

/* Saturates to unknown: a sum that does not fit is no number to print. */
static void add_macs(uint64_t *sum, uint64_t macs)
{
    *sum = macs > NPART__WORK_UNKNOWN - *sum ? NPART__WORK_UNKNOWN : *sum + macs;
}

/* A node that is not live has no work in `works`, so all are walked over. One unknown node makes the sum of its
 * partition and that of the whole unknown, since a share of a part would look like one of all. */
void npart__sum_macs(const struct npart__session *session, const struct npart__works *works,
                     struct npart__partitioning *partitioning)
{
    /* Of the file's nodes: copies of a DequantizeLinear multiply nothing. */
    partitioning->macs = partitioning->macs_in_partitions = 0;
    for (uint32_t i = 0; i < npart__file_nodes(session); i++) {
        uint32_t partition = partitioning->partition_of[i];
        uint64_t macs = works->items[i].macs;
        if (macs == 0)
            continue;
        macs = npart__node_region(session->graph, i) == 0 ? macs : NPART__WORK_UNKNOWN;
        add_macs(&partitioning->macs, macs);
        if (partition == NPART_NONE)
            continue;
        add_macs(&partitioning->macs_in_partitions, macs);
        add_macs(&partitioning->partitions.items[partition].macs, macs);
    }
}
