/* SPDX-License-Identifier: Apache-2.0
 *
 * Which nodes the `rules` of waivers put on the NPU.
 */
#ifndef TOOL_CHECK_RULES_H
#define TOOL_CHECK_RULES_H

#include "interner.h"
#include "npu_partition.h"

/* Begins with zeros. */
struct lift {
    bool *is_waived;   /* by rule of the op list, all of them: some waiver has it */
    bool *is_lifted;   /* by rule: a node that is put on the NPU falls back for it */
    struct npart_assumption *items; /* those nodes, as placement overrides */
    uint32_t count;
    struct interner names, ops; /* what the overrides point into */
};

/* Room for the rules of a list. False: out of memory, as below. */
bool lift_open(struct lift *lift, const npart_oplist *oplist);
/* Finds the nodes of a plan that fall back for waived rules and no other. A node is told by its name, else by its op;
 * where others have the name or op and fall back for a rule that is not waived, it stays on the CPU. */
bool lift_find(struct lift *lift, const npart_plan *plan);
void lift_free(struct lift *lift);

#endif
