/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that tell of the modules that a plan's nodes stand in. Found when they are first asked for: most
 * callers want verdicts alone.
 */
#include "api/api.h"

/* Under the lock of the inference; NULL when out of memory. Once found they do not change. Where memory was
 * short they are found anew at the next call: what was left half done is not looked at. */
static const struct npart__modules *find_modules(const npart_plan *plan)
{
    struct npart__late *late = plan->late;
    npart__lock(plan->inference);
    if (!late->has_modules)
        late->has_modules =
            npart__find_modules(&plan->plan, plan->order, plan->order_count, &plan->life->arena, &late->modules);
    bool is_found = late->has_modules;
    npart__unlock(plan->inference);
    return is_found ? &late->modules : NULL;
}

/* A status and not a bool as of other lists, since the first call may run out of memory. Sums of
 * multiply-accumulates that are not known are 0 for the caller, with has_macs false; milliseconds stay negative. */
npart_status npart_plan_module(const npart_plan *plan, uint32_t index, struct npart_module *out,
                               struct npart_error *error)
{
    if (!plan || !NPART__HAS_ROOM(out))
        return plan ? npart__fail(error, NPART_ERROR_ARGUMENT, "", "the size of struct npart_module is not known")
                    : npart__fail_null("plan", error);
    const struct npart__modules *modules = find_modules(plan);
    if (!modules)
        return npart__settle_for(plan->life, npart__fail_memory(error), error);
    if (index >= modules->items.count)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there are %u modules", modules->items.count);
    const struct npart__module *at = &modules->items.items[index];
    bool has_macs = at->macs != NPART__WORK_UNKNOWN;
    *out = (struct npart_module){
        .size = sizeof *out,
        .path = at->path,
        .parent = at->parent,
        .own_count = at->own_count,
        .own = modules->members + at->first_own,
        .node_count = at->nodes,
        .live_count = at->live,
        .accepted_count = at->accepted,
        .switch_count = at->switches,
        .has_macs = has_macs,
        .macs = has_macs ? at->macs : 0,
        .macs_on_npu = has_macs ? at->macs_on_npu : 0,
        .npu_ms = at->npu_ms,
        .cpu_ms = at->cpu_ms,
    };
    return NPART_OK;
}
