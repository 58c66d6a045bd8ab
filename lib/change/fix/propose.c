/* SPDX-License-Identifier: Apache-2.0
 *
 * npart_fix_propose: which searches an advice looks at.
 */
#include <stdio.h>
#include <string.h>

#include "api/api.h"
#include "cache/cache.h"
#include "choose/choose.h"
#include "fix/editions.h"
#include "fix/handle.h"

/* Of a fix that was made: classes that some node would need, where something is still left; 0: none. */
static uint32_t wider(const npart_fix *fix)
{
    struct npart_fix_info info = {.size = sizeof info};
    (void)npart_fix_info(fix, &info);
    return npart__is_done(&npart_fix_plan(fix, 0)->plan.summary) ? 0 : info.barred;
}

/* What is compiled may lie in a file beside the model, and a version of it lies nowhere. */
static bool is_compiled(const struct npart__inference *inference)
{
    for (uint32_t i = 0; i < inference->findings.count; i++)
        if (strcmp(inference->findings.items[i].code, NPART__COMPILED) == 0)
            return true;
    return false;
}

/* What is searched, as a command line calls it. `path`: NULL of what the plan's model was read from. */
static const char *called(const char *path, const npart_plan *plan)
{
    return path ? path : plan->inference->model->file;
}

/* Whether one inference keeps the other. */
static bool keeps(const npart_inference *owner, const npart_inference *other)
{
    for (size_t i = 0; i < NPART__MOST_KEPT; i++)
        if (owner->life->kept[i] == other->life)
            return true;
    return owner == other;
}

/* What searches for all targets share goes with the inference of the plans with chosen sizes, which has kept the one
 * that these are not of; and is of its memory. NULL where that is not so. False when out of memory. */
static bool find_editions(const npart_plan *plan, const npart_inference *chosen, const char *path,
                          struct npart__planned *planned)
{
    const npart_inference *owner = chosen ? chosen : plan->inference;
    const struct npart_allocator *ours = &plan->life->arena.allocator, *theirs = &owner->life->arena.allocator;
    bool is_same = ours->payload == theirs->payload && ours->allocate == theirs->allocate;
    return !planned->skeleton || !is_same || !keeps(owner, plan->inference) ||
           npart__editions_of(owner, called(path, plan), &planned->editions);
}

/* What need not be found out again: the file's skeleton, where the plan's model has one, and plans of what is asked
 * for, where the caller gives no sizes or values of its own. Of what is in no file the skeleton is all that there
 * is. */
static struct npart__planned planned_before(const char *path, const npart_plan *plan, const npart_plan *fixed,
                                            const struct npart_inference_options *sizes,
                                            const struct npart_fix_options *options)
{
    const npart_model *model = plan->inference->model;
    bool is_read = model->skeleton.data && (!path || (model->path && strcmp(model->path, path) == 0));
    bool is_as_is = is_read && !options->value_count && (!sizes || (!sizes->dim_count && !sizes->input_count)) &&
                    !is_compiled(plan->inference->inference);
    return (struct npart__planned){.skeleton = is_read ? &model->skeleton : NULL,
                                   .life = model->life,
                                   .is_in_memory = !path && !model->path,
                                   .as_is = is_as_is ? plan : NULL,
                                   .sized = is_as_is ? fixed : NULL};
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

/* The chosen size that a message asks for; NULL: none. */
static const struct npart_dim_binding *asked_for(const npart_inference *chosen, const struct npart_error *refusal)
{
    for (uint32_t i = 0; i < chosen->chosen_count; i++) {
        char text[sizeof refusal->message];
        (void)snprintf(text, sizeof text, "the size of %s of input", chosen->chosen[i].name);
        if (strstr(refusal->message, text))
            return &chosen->chosen[i];
    }
    return NULL;
}

/* Searches of one model with one number of slots, each with more that is allowed. */
struct cached {
    const char *path, *target;
    const npart_plan *plan;
    const npart_inference *chosen;
    struct npart_fix_options options;
    struct npart_inference_options sizes;
    struct npart_dim_binding *dims; /* of `sizes`, with room for all that may be asked for */
    struct npart__begun begun;
};

/* The search, with sizes that do not follow from the cache, as the length of an encoder's output: they are given one
 * after the other, as they are asked for. */
static npart_status search_with_cache(npart_fix **out, struct cached *cached)
{
    npart_status status = NPART_ERROR_ARGUMENT;
    for (uint32_t tried = 0; tried <= cached->chosen->chosen_count && status == NPART_ERROR_ARGUMENT; tried++) {
        struct npart_error refusal = {0};
        struct npart__planned planned =
            planned_before(cached->path, cached->plan, NULL, &cached->sizes, &cached->options);
        planned.begun = &cached->begun;
        if (!find_editions(cached->plan, cached->chosen, cached->path, &planned))
            return NPART_ERROR_MEMORY;
        status = npart__fix_make(out, called(cached->path, cached->plan), &cached->plan->oplist, &cached->target, 1,
                                 &cached->options, &planned, &refusal);
        const struct npart_dim_binding *size = status == NPART_OK ? NULL : asked_for(cached->chosen, &refusal);
        if (status != NPART_OK && !size)
            break;
        if (size)
            cached->dims[cached->sizes.dim_count++] = *size;
    }
    return status;
}

/* A decoder whose cache grows, with one of so many slots. What is refused is no proposal. */
static npart_status add_cache(npart_fix **out, uint32_t *count, struct cached *cached, struct npart_error *error)
{
    npart_status status = search_with_cache(&out[*count], cached);
    *count += status == NPART_OK;
    if (npart__budget_status(cached->options.allocator, error) != NPART_OK)
        return status == NPART_OK ? NPART_ERROR_LIMIT : status;
    return status == NPART_ERROR_MEMORY ? npart__fail_memory(error) : NPART_OK;
}

/* Where most of the work stays on the CPU otherwise, as for its operators, a cache is not what matters first. */
static bool does_pay(const npart_fix *fix, const npart_plan *plan)
{
    struct npart_fix_info info = {.size = sizeof info};
    struct npart__outcome before = npart__outcome_of(&plan->plan);
    struct npart__outcome after = npart__outcome_of(&npart_fix_plan(fix, 0)->plan);
    bool is_most = !after.summary.has_macs || after.summary.mac_coverage >= 0.5;
    return npart_fix_info(fix, &info) && !info.harm && is_most &&
           npart__step_pays(&before, &after) != NPART_PAYS_NOTHING;
}

/* The step rounds otherwise in any case, so rewrites that do are allowed with it where that brings more. */
static npart_status add_allowed(npart_fix **out, uint32_t *count, struct cached *cached, struct npart_error *error)
{
    const uint32_t rounds = 1u << NPART_EQUAL_ULP, allowed = cached->options.allowed;
    npart_status status = add_cache(out, count, cached, error);
    if (status != NPART_OK || !*count)
        return status;
    cached->options.allowed |= wider(out[0]) & rounds;
    if (cached->options.allowed != allowed) {
        npart_fix_free(out[0]);
        *count = 0;
        status = add_cache(out, count, cached, error);
    }
    if (*count && !does_pay(out[0], cached->plan)) {
        npart_fix_free(out[0]);
        *count = 0;
    }
    uint32_t more = *count ? wider(out[0]) : 0;
    if (status != NPART_OK || !*count || !(more & ~cached->options.allowed))
        return status;
    cached->options.allowed |= more;
    return add_cache(out, count, cached, error);
}

/* Where a cache grows and sizes were chosen for it: as many slots as that is; else `cached->options.cache_slots` is 0.
 * False when out of memory. */
static bool open_cached(struct cached *cached, struct npart__arena *arena)
{
    const npart_inference *asked = cached->plan->inference, *chosen = cached->chosen;
    uint32_t slots = 0;
    if (chosen && cached->options.version >= 4 && chosen->inference->graph == asked->inference->graph &&
        !npart__cache_slots_of(asked->inference->graph, asked->inference, chosen->inference, arena, &slots))
        return false;
    cached->options.cache_slots = slots;
    if (!slots)
        return true;
    cached->sizes = cached->options.sizes ? *cached->options.sizes
                                          : (struct npart_inference_options)NPART_INFERENCE_OPTIONS_INIT;
    uint32_t given = cached->sizes.dim_count;
    cached->dims = npart__arena_zeroed(arena, (size_t)given + chosen->chosen_count + 2, sizeof *cached->dims);
    if (!cached->dims)
        return false;
    for (uint32_t i = 0; i < given; i++)
        cached->dims[i] = cached->sizes.dims[i];
    cached->sizes.may_lack_dims = true;
    cached->sizes.dims = cached->dims;
    cached->options.sizes = &cached->sizes;
    return true;
}

static npart_status add_caches(npart_fix **out, uint32_t *count, const char *path, const npart_plan *plan,
                               const npart_plan *fixed, const char *target, const struct npart_fix_options *options,
                               struct npart__arena *arena, struct npart_error *error)
{
    struct cached cached = {.path = path, .target = target, .plan = plan, .options = *options};
    cached.chosen = fixed ? fixed->inference : NULL;
    if (options->cache_slots)
        return NPART_OK;
    if (!open_cached(&cached, arena))
        return npart__fail_memory(error);
    if (!cached.options.cache_slots)
        return NPART_OK;
    npart_status status = add_allowed(out, count, &cached, error);
    npart__begun_end(&cached.begun);
    return status;
}

/* A file that has changed meanwhile, or has what cannot be written: the advice does without. */
static npart_status add_search(npart_fix **out, uint32_t *count, const char *path, const npart_plan *plan,
                               const char *target, const struct npart_fix_options *options,
                               const struct npart__planned *planned, struct npart_error *error)
{
    npart_status status =
        npart__fix_make(&out[*count], called(path, plan), &plan->oplist, &target, 1, options, planned, error);
    *count += status == NPART_OK;
    if (npart__budget_status(options->allocator, NULL) != NPART_OK)
        return status;
    return status == NPART_ERROR_MEMORY || status == NPART_ERROR_ARGUMENT ? status : NPART_OK;
}

/* Nothing of a model that is not quantized runs on such a target, so only what is rewritten before that helps. Results
 * are others afterwards in any case: all is allowed but other functions. */
static npart_status add_early(npart_fix **out, uint32_t *count, const char *path, const npart_plan *plan,
                              const char *quantized, const struct npart_fix_options *options,
                              const struct npart__planned *planned, struct npart_error *error)
{
    struct npart_fix_options asked = *options;
    struct npart__planned known = *planned;
    known.is_other = true;
    asked.allowed |= 1u << NPART_EQUAL_BITS_IF | 1u << NPART_EQUAL_ULP | 1u << NPART_EQUAL_STEP;
    return add_search(out, count, path, plan, quantized, &asked, &known, error);
}

/* The model ended somewhere, where what was found for the whole leaves something; of a model that is to be quantized
 * first, where that would leave it failing. */
static npart_status add_ended(npart_fix **out, uint32_t *count, const char *path, const npart_plan *plan,
                              const char *target, const struct npart_fix_options *options,
                              const struct npart_fix_options *searched, const struct npart__planned *planned,
                              struct npart_error *error)
{
    struct npart_fix_options asked = *searched;
    struct npart__planned known = *planned;
    bool is_other = npart_fix_plan(out[0], 0)->plan.target.switches != plan->plan.target.switches;
    bool is_left = !is_other || npart_fix_plan(out[0], 0)->plan.summary.failed;
    for (uint32_t i = 0; i < *count && is_left; i++)
        is_left = !npart__is_done(&npart_fix_plan(out[i], 0)->plan.summary);
    if (!is_left)
        return NPART_OK;
    asked.allowed = options->allowed;
    known.is_other = is_other;
    return npart__fix_ended(out, count, out[0], called(path, plan), plan, target, &asked, &known, error);
}

/* Without a cache of fixed size: what is allowed, and where another class would bring more, with that. */
static npart_status propose(npart_fix **out, uint32_t *count, const char *path, const npart_plan *plan,
                            const npart_plan *fixed, const char *target, const struct npart_fix_options *options,
                            struct npart_error *error)
{
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
    struct npart__planned planned = planned_before(path, plan, fixed, options->sizes, options);
    is_ready = is_ready && find_editions(plan, fixed ? fixed->inference : NULL, path, &planned);
    struct npart_fix_options with_cache = asked;
    with_cache.sizes = options->sizes;
    const char *quantized = NULL;
    is_ready = is_ready && npart__quantized_target(&plan->plan, &scratch, &quantized);
    npart_status status = is_ready ? NPART_OK : npart__fail_memory(error);
    if (status == NPART_OK && quantized)
        status = add_early(out, count, path, plan, quantized, &asked, &planned, error);
    else if (status == NPART_OK)
        status = add_caches(out, count, path, plan, fixed, target, &with_cache, &scratch, error);
    if (status == NPART_OK && !*count && !quantized) {
        status = add_search(out, count, path, plan, target, &asked, &planned, error);
        asked.allowed |= *count ? wider(out[0]) : 0;
        if (status == NPART_OK && asked.allowed != options->allowed)
            status = add_search(out, count, path, plan, target, &asked, &planned, error);
    }
    if (status == NPART_OK && *count)
        status = add_ended(out, count, path, plan, quantized ? quantized : target, options, &asked, &planned, error);
    npart__arena_clear(&scratch);
    return status;
}

/* A search reads elements of what was inferred for the plans. In the order of addresses, as in npart_advice_make. */
static void lock_both(const npart_inference *a, const npart_inference *b)
{
    bool is_first = (uintptr_t)a < (uintptr_t)b;
    npart__lock(is_first ? a : b);
    if (a != b)
        npart__lock(is_first ? b : a);
}

npart_status npart_fix_propose(npart_fix **out, uint32_t *count, const char *path, const npart_plan *plan,
                               const npart_plan *fixed, const char *target, const struct npart_fix_options *options,
                               struct npart_error *error)
{
    if (!out || !count || !plan || !options)
        return npart__fail_null(!out ? "out" : !count ? "count" : !plan ? "plan" : "options", error);
    *count = 0;
    if (options->version < 3) /* the function is younger than the struct's earlier versions */
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "fix options of version 3 are needed");
    const npart_model *model = plan->inference->model;
    bool is_there = path || model->path || model->skeleton.data;
    if ((npart__is_done(&plan->plan.summary) && !fixed) || !is_there)
        return NPART_OK;
    const npart_inference *asked = plan->inference, *chosen = fixed ? fixed->inference : asked;
    lock_both(asked, chosen);
    npart_status status = propose(out, count, path, plan, fixed, target, options, error);
    npart__unlock(asked);
    if (chosen != asked)
        npart__unlock(chosen);
    return status;
}

npart_status npart__fix_cached(npart_fix **out, const npart_plan *plan, const npart_plan *fixed, const char *target,
                               const struct npart_fix_options *options, struct npart_error *error)
{
    struct npart__arena scratch;
    struct cached cached = {.target = target, .plan = plan, .chosen = fixed->inference, .options = *options};
    npart__arena_init(&scratch, &plan->life->arena.allocator);
    cached.options.allocator = &plan->life->arena.allocator;
    cached.options.max_memory_bytes = cached.options.max_ms = 0;
    *out = NULL;
    lock_both(plan->inference, fixed->inference);
    bool is_open = open_cached(&cached, &scratch);
    npart_status status = is_open ? NPART_OK : npart__fail_memory(error);
    if (is_open && cached.options.cache_slots) {
        uint32_t count = 0;
        cached.options.cache_slots = options->cache_slots;
        status = add_cache(out, &count, &cached, error);
        npart__begun_end(&cached.begun);
    }
    npart__unlock(plan->inference);
    if (plan->inference != fixed->inference)
        npart__unlock(fixed->inference);
    npart__arena_clear(&scratch);
    return status;
}
