/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plan takes of memory, in the structs of the public header.
 */
#include "api/api.h"

bool npart_plan_memory(const npart_plan *plan, struct npart_memory *out)
{
    if (!plan || !NPART__HAS_ROOM(out))
        return false;
    *out = plan->plan.memory.told;
    return true;
}

/* Of nodes that are live alone: what is folded or fused holds nothing at a time of its own. */
bool npart_plan_held(const npart_plan *plan, uint32_t node, struct npart_held *out)
{
    if (!plan || node >= plan->plan.graph->nodes.count || !npart__is_live(&plan->plan.session, node) ||
        !NPART__HAS_ROOM(out))
        return false;
    *out = (struct npart_held){.size = sizeof *out,
                               .cpu = plan->plan.memory.held_cpu[node],
                               .npu = plan->plan.memory.held_npu[node]};
    return true;
}
