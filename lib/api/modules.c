/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that tell of the modules that a plan's nodes stand in. Found when they are first asked for: most
 * callers want verdicts alone.
 */
#include "api/api.h"

/* The tree of the plan's graph: most targets have the graph that was read, whose tree is made once. NULL: out of
 * memory. */
static const struct npart__modules *find_tree(const npart_plan *plan, struct npart__arena *scratch,
                                              struct npart__modules *own)
{
    const npart_inference *asked = plan->inference;
    struct npart__modules *kept = &asked->views->tree;
    bool is_asked = plan->plan.graph == asked->inference->graph;
    if (is_asked && kept->of_node)
        return kept;
    if (!npart__module_tree(plan->plan.graph, is_asked ? &asked->life->arena : scratch, own))
        return NULL;
    if (is_asked)
        *kept = *own;
    return own;
}

/* Under the lock of the inference; NULL when out of memory. Once found they do not change. Where memory was
 * short they are found anew at the next call: what was left half done is not looked at. */
static const struct npart__modules *find_modules(const npart_plan *plan)
{
    struct npart__late *late = plan->late;
    struct npart__arena scratch;
    struct npart__modules own = {.of_node = NULL};
    npart__arena_init(&scratch, &plan->life->arena.allocator);
    npart__lock(plan->inference);
    const struct npart__modules *tree = late->has_modules ? NULL : find_tree(plan, &scratch, &own);
    if (tree)
        late->has_modules = npart__find_modules(&plan->plan, tree, plan->order, plan->order_count, &scratch,
                                                &plan->life->arena, &late->modules);
    bool is_found = late->has_modules;
    npart__unlock(plan->inference);
    npart__arena_clear(&scratch);
    return is_found ? &late->modules : NULL;
}

/* A status and not a bool as of other lists, since the first call may run out of memory. */
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
    *out = modules->items.items[index];
    return NPART_OK;
}
