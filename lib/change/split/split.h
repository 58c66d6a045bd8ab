/* SPDX-License-Identifier: Apache-2.0
 *
 * split: the partitions of a plan's main graph, and what runs on the CPU between them, each as a model of its own.
 *
 * Parts run one after the other, in their order. What is folded (constants, sizes) has no part: each part that needs it
 * has a copy, or the numbers where they are known. Nodes of the standard and of the model's functions stay whole, also
 * where a plan looks into them: one that is in several partitions runs on the CPU.
 */
#ifndef NPART_SPLIT_H
#define NPART_SPLIT_H

#include "plan/plan.h"
#include "wire/write.h"
#include "npu_partition/mend.h"

/* All of it is the caller's, for as long as the call takes. */
struct npart__split_request {
    const struct npart__plan *plan;
    const uint32_t *order; /* the plan's live nodes as they run */
    uint32_t order_count;
    const char *path;      /* of the model's file */
    const char *folder;    /* where the parts go, beside manifest.json */
    struct npart__weights weights; /* what becomes of external data: it stays, or is linked or copied into the folder */
};

/* Writes the parts, and last the manifest. Fails with ARGUMENT where the file is not the plan's model, or a boundary
 * tensor has no type; and as npart__save_begin does. */
npart_status npart__split_write(const struct npart__split_request *request, struct npart__arena *arena,
                                struct npart_error *error);

/* handle.c: the choice as files are written by. */
struct npart__weights npart__wire_weights(enum npart_weights weights);

#endif
