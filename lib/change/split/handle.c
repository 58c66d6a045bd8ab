/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that write what a plan says, as models.
 */
#include "api/api.h"
#include "split/split.h"

/* None of the three is set of STAY: weights inside the model go on inside the new one, external data stays where
 * it is. */
struct npart__weights npart__wire_weights(enum npart_weights weights)
{
    return (struct npart__weights){
        .links = weights == NPART_WEIGHTS_LINK,
        .copies = weights == NPART_WEIGHTS_COPY,
        .moves_out = weights == NPART_WEIGHTS_EXTERNAL,
    };
}

/* Elements of tensors are read when they are asked for, into the inference. Hence the lock, for as long as the
 * parts are written: sizes that become numbers are elements. */
npart_status npart_plan_split(const npart_plan *plan, const char *path, const char *folder, enum npart_weights weights,
                              struct npart_error *error)
{
    struct npart__arena arena;
    if (!plan || !path || !folder)
        return npart__fail_null(!plan ? "plan" : !path ? "path" : "folder", error);
    struct npart__split_request request = {
        .plan = &plan->plan,
        .order = plan->order,
        .order_count = plan->order_count,
        .path = path,
        .folder = folder,
        .weights = npart__wire_weights(weights),
    };
    npart__arena_init(&arena, &plan->life->arena.allocator);
    npart__lock(plan->inference);
    npart_status status = npart__split_write(&request, &arena, error);
    npart__unlock(plan->inference);
    npart__arena_clear(&arena);
    return npart__settle_for(plan->life, status, error);
}
