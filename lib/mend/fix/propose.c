/* SPDX-License-Identifier: Apache-2.0
 *
 * npart_fix_propose: which searches an advice looks at.
 */
#include <string.h>

#include "api/api.h"

/* A search makes some dozen plans, so of larger models an advice says what it can without one. */
#define MOST_SEARCHED_NODES 20000u

static bool is_whole(const npart_plan *plan)
{
    struct npart_summary at = {.size = sizeof at};
    (void)npart_plan_summary(plan, &at);
    return at.verdict == NPART_PLAN_WHOLE || at.verdict == NPART_PLAN_EDGE || at.verdict == NPART_PLAN_EMPTY;
}

/* Of a fix that was made: classes that some node would need, where something is still left; 0: none. */
static uint32_t wider(const npart_fix *fix)
{
    struct npart_fix_info info = {.size = sizeof info};
    (void)npart_fix_info(fix, &info);
    return is_whole(npart_fix_plan(fix, 0)) ? 0 : info.barred;
}

/* The caller's sizes, and those that were chosen for what they leave open. That all of the caller's are of dims that
 * the model has was asked when it was inferred. False when out of memory. */
static bool join_sizes(struct npart_inference_options *sizes, const npart_plan *fixed, struct npart__arena *arena)
{
    uint32_t given = sizes->dim_count, chosen = fixed ? fixed->inference->chosen_count : 0;
    struct npart_dim_binding *dims = npart__arena_zeroed(arena, (size_t)given + chosen + 1, sizeof *dims);
    for (uint32_t i = 0; dims && i < given + chosen; i++)
        dims[i] = i < given ? sizes->dims[i] : fixed->inference->chosen[i - given];
    sizes->may_lack_dims = true;
    sizes->dims = dims;
    sizes->dim_count = given + chosen;
    return dims != NULL;
}

/* A file that has changed meanwhile, or has what cannot be written: the advice does without. */
static npart_status add_search(npart_fix **out, uint32_t *count, const char *path, const npart_plan *plan,
                               const char *target, const struct npart_fix_options *options, struct npart_error *error)
{
    npart_status status = npart_fix_make(&out[*count], path, &plan->oplist, &target, 1, options, error);
    *count += status == NPART_OK;
    if (npart__budget_status(options->allocator, NULL) != NPART_OK)
        return status;
    return status == NPART_ERROR_MEMORY || status == NPART_ERROR_ARGUMENT ? status : NPART_OK;
}

npart_status npart_fix_propose(npart_fix **out, uint32_t *count, const char *path, const npart_plan *plan,
                               const npart_plan *fixed, const char *target, const struct npart_fix_options *options,
                               struct npart_error *error)
{
    if (!out || !count || !path || !plan || !options)
        return npart__fail_null(!out ? "out" : !count ? "count" : !path ? "path" : !plan ? "plan" : "options", error);
    *count = 0;
    if (options->version < 3) /* the function is younger than the struct's earlier versions */
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "fix options of version 3 are needed");
    if ((is_whole(plan) && !fixed) || plan->inference->model->graph->nodes.count > MOST_SEARCHED_NODES)
        return NPART_OK;
    struct npart__arena scratch;
    struct npart_fix_options asked = *options;
    struct npart_inference_options sizes = options->sizes ? *options->sizes : (struct npart_inference_options)
                                                                              NPART_INFERENCE_OPTIONS_INIT;
    npart__arena_init(&scratch, &plan->life->arena.allocator);
    bool is_ready = join_sizes(&sizes, fixed, &scratch);
    asked.sizes = &sizes;
    /* It is part of the plan's analysis, so that one budget holds for all of it. */
    asked.allocator = &plan->life->arena.allocator;
    asked.max_memory_bytes = asked.max_ms = 0;
    npart_status status = is_ready ? add_search(out, count, path, plan, target, &asked, error)
                                   : npart__fail_memory(error);
    asked.allowed |= *count ? wider(out[0]) : 0;
    if (status == NPART_OK && asked.allowed != options->allowed)
        status = add_search(out, count, path, plan, target, &asked, error);
    npart__arena_clear(&scratch);
    return status;
}
