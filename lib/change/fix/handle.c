/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that search for rewrites, tell what was found, and write the model. What they hand out of plans is
 * made by the functions that anybody calls, of the model that would be written.
 */
#include "api/api.h"
#include "base/base.h"
#include "base/platform.h"
#include "fix/handle.h"
#include "fix/state.h"
#include "wire/files.h"

/* Bytes of tables of truth values that are looked at where a cache is asked for: four of 2048 tokens. */
#define MOST_OF_MASKS ((uint64_t)16 << 20)

/* ---- arguments --------------------------------------------------------------------------------------------------- */

/* A count without its array, or a NULL in it. */
static bool are_there(const char *const *texts, uint32_t count)
{
    for (uint32_t i = 0; texts && i < count; i++)
        if (!texts[i])
            return false;
    return texts || !count;
}

/* What is not is told before anything is read. */
static bool are_complete(const struct npart_fix_options *options)
{
    bool is_complete = (options->values || !options->value_count) && are_there(options->only, options->only_count) &&
                       are_there(options->without, options->without_count);
    for (uint32_t i = 0; is_complete && i < options->value_count; i++)
        is_complete = options->values[i].input && options->values[i].numbers && options->values[i].count;
    return is_complete && (options->version < 3 || are_there(options->words, options->word_count)) &&
           (options->version < 6 || (are_there(options->begin_at, options->begin_count) &&
                                     are_there(options->end_at, options->end_count)));
}

/* The version first: of another struct no other member may be read. */
static npart_status check_arguments(const char *path, const npart_oplist *const *oplists, const char *const *targets,
                                    uint32_t count, const struct npart_fix_options *options, struct npart_error *error)
{
    npart_status status = options ? npart__check_version("fix options", options->version, 6, error) : NPART_OK;
    if (status != NPART_OK)
        return status;
    if (!path || !oplists || !targets)
        return npart__fail_null(!path ? "path" : !oplists ? "oplists" : "targets", error);
    if (options && !are_complete(options))
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "fix options lack a name or numbers");
    if (options && options->plan)
        status = npart__check_plan_options(options->plan, error);
    if (status != NPART_OK)
        return status;
    /* A target may be NULL, which is the list's default; a list may not. */
    for (uint32_t i = 0; i < count; i++)
        if (!oplists[i])
            return npart__fail_null("oplists", error);
    return count ? NPART_OK : npart__fail(error, NPART_ERROR_ARGUMENT, "", "at least one target is needed");
}

/* Ids that no rewrite has are a mistake; "bind" is not chosen but asked for. A misspelt id would otherwise leave out
 * nothing, or allow nothing, without a word. */
static npart_status check_ids(const char *const *ids, uint32_t count, const struct npart__rewrite_set *set,
                              struct npart_error *error)
{
    for (uint32_t i = 0; i < count; i++) {
        struct npart__nearest nearest;
        char hint[NPART__HINT_BYTES];
        bool is_known = false;
        npart__nearest_init(&nearest, ids[i], strlen(ids[i]));
        for (uint32_t k = 0; k < set->count; k++) {
            if (strcmp(set->rows[k].id, NPART__ID_BIND) == 0)
                continue;
            is_known |= strcmp(ids[i], set->rows[k].id) == 0;
            npart__nearest_offer(&nearest, set->rows[k].id);
        }
        if (!is_known)
            return npart__fail(error, NPART_ERROR_ARGUMENT, ids[i], "there is no such rewrite%s",
                               npart__nearest_hint(&nearest, hint, sizeof hint));
    }
    return NPART_OK;
}

/* A list that ends with NULL, which the caller's need not. NULL without ids, which is not the same as an empty
 * list: then all are allowed. NULL is also what fails, which `is_ok` tells apart. */
static const char *const *end_list(const char *const *ids, uint32_t count, struct npart__arena *arena, bool *is_ok)
{
    const char **list = npart__arena_zeroed(arena, count + (size_t)1, sizeof *list);
    if (list && count)
        memcpy(list, ids, count * sizeof *list);
    *is_ok &= list != NULL;
    return count ? list : NULL;
}

/* ---- searching --------------------------------------------------------------------------------------------------- */

/* npart__fix_prove() reads what was written as the model was read; what the caller gave is gone by then. */
static npart_status copy_limits(npart_fix *fix, const struct npart_fix_options *options, struct npart_error *error)
{
    struct npart__arena *arena = &fix->life->arena;
    struct npart_limit *copies = npart__arena_zeroed(arena, options->limit_count + (size_t)1, sizeof *copies);
    for (uint32_t i = 0; copies && i < options->limit_count; i++) {
        const char *name = options->limits[i].name;
        copies[i] = (struct npart_limit){npart__arena_copy_text(arena, name, strlen(name)), options->limits[i].value};
        if (!copies[i].name)
            return npart__fail_memory(error);
    }
    fix->read.limits = copies;
    fix->read.limit_count = options->limit_count;
    return copies ? NPART_OK : npart__fail_memory(error);
}

/* The file stays open until the fix goes: weights are copied from it when the model is written. What is in no file is
 * only searched. */
static npart_status read_input(npart_fix *fix, const struct npart_fix_options *options,
                               const struct npart__planned *planned, struct npart_error *error)
{
    const struct npart__skeleton *known = planned->skeleton;
    struct npart__arena *arena = &fix->life->arena;
    struct npart__wire_options wire = {.keep_bytes = options->keep_bytes};
    /* Masks of a cache may be parts of a table. */
    if (options->version >= 4 && options->cache_slots)
        wire.keep_bool_bytes = MOST_OF_MASKS;
    struct npart__source source;
    npart_status status = NPART_OK;
    if (options->version >= 2)
        status = npart__limits_of(options->limits, options->limit_count, arena, &wire.limits, error);
    /* Limits with an unknown name, or none, have failed by now. */
    if (status == NPART_OK && options->version >= 2)
        status = copy_limits(fix, options, error);
    if (status == NPART_OK && !planned->is_in_memory) {
        status = npart__input_open_file(&fix->input, fix->path, error);
        fix->is_input_open = status == NPART_OK;
    }
    if (status != NPART_OK)
        return status;
    if (known) {
        fix->original = npart__version_of(known);
        return NPART_OK;
    }
    status = npart__input_source(&fix->input, arena, &source, error);
    if (status == NPART_OK)
        status = npart__version_read(&source, &wire, arena, &fix->original, error);
    return status;
}

/* What follows the list's name in a target's text is what lib/change/fix takes; another list's name there is a mistake.
 * NULL stands for the list's default, and leaves an empty rest. */
static npart_status convert_targets(const npart_fix *fix, const npart_oplist *const *oplists,
                                    const char *const *targets, struct npart__fix_request *request,
                                    struct npart_error *error)
{
    struct npart__fix_target *list = npart__arena_zeroed(&fix->life->arena, fix->target_count, sizeof *list);
    if (!list)
        return npart__fail_memory(error);
    for (uint32_t i = 0; i < fix->target_count; i++) {
        const char *name = oplists[i]->oplist.name;
        const char *target = targets[i] ? targets[i] : name;
        list[i].oplist = &oplists[i]->oplist;
        if (strncmp(target, name, strlen(name)) != 0)
            return npart__fail(error, NPART_ERROR_ARGUMENT, target, "is no target of the op list %s", name);
        list[i].target = target + strlen(name);
    }
    request->targets = list;
    request->target_count = fix->target_count;
    return NPART_OK;
}

/* False when out of memory. A target that was given as NULL is the list's default. */
static bool copy_targets(npart_fix *fix, const npart_oplist *const *oplists, const char *const *targets)
{
    struct npart__arena *arena = &fix->life->arena;
    fix->targets = npart__arena_zeroed(arena, fix->target_count, sizeof *fix->targets);
    for (uint32_t i = 0; fix->targets && i < fix->target_count; i++) {
        const char *text = targets[i] ? targets[i] : oplists[i]->oplist.name;
        if (!(fix->targets[i] = npart__arena_copy_text(arena, text, strlen(text))))
            return false;
    }
    return fix->targets != NULL;
}

/* Everything that the search is told, from what the caller said. Values and ids are the caller's and are only used
 * while the search runs; sizes are copied, as inferences keep them. */
static npart_status convert(npart_fix *fix, const npart_oplist *const *oplists, const char *const *targets,
                            const struct npart_fix_options *options, struct npart__fix_request *request,
                            struct npart_error *error)
{
    struct npart__arena *arena = &fix->life->arena;
    bool is_ok = true;
    struct npart__bound_value *values = npart__arena_zeroed(arena, options->value_count + (size_t)1, sizeof *values);
    const struct npart__infer_options *sizes = npart__copy_inference_options(options->sizes, arena);
    request->only = end_list(options->only, options->only_count, arena, &is_ok);
    request->without = end_list(options->without, options->without_count, arena, &is_ok);
    if (!values || !sizes || !is_ok)
        return npart__fail_memory(error);
    for (uint32_t i = 0; i < options->value_count; i++)
        values[i] = (struct npart__bound_value){options->values[i].input, options->values[i].numbers,
                                                options->values[i].count};
    request->model_name = fix->path;
    request->sizes = *sizes;
    request->values = values;
    request->value_count = options->value_count;
    /* What keeps every bit is always allowed: there is nothing to ask the user. */
    request->allowed = options->allowed | 1u << NPART_EQUAL_BITS;
    request->most_growth = options->most_growth;
    if (options->version >= 4)
        request->cache = (struct npart__cache_request){
            options->cache_slots, options->cache_tokens ? options->cache_tokens : 1, options->cache_shifts,
            options->version >= 5 && options->cuts_windows};
    if (options->version >= 6)
        request->bounds = (struct npart__bounds){options->begin_at, options->end_at, options->begin_count,
                                                 options->end_count};
    request->progress = options->progress;
    request->payload = options->payload;
    request->plan = npart__plan_request_of(&fix->plan_options);
    return convert_targets(fix, oplists, targets, request, error);
}

/* Reading them takes longer than many a search, so they stay with the first op list. */
static npart_status find_rewrites(const npart_oplist *list, const struct npart__rewrite_set **out,
                                  struct npart_error *error)
{
    struct npart__life *life = list->life;
    npart_status status = NPART_OK;
    (void)pthread_mutex_lock(&life->lock);
    if (!life->rewrites) {
        struct npart__rewrite_set *made = npart__arena_allocate(&life->arena, sizeof *made);
        status = made ? npart__rewrites_gather(&life->arena, made, error) : npart__fail_memory(error);
        if (status == NPART_OK)
            life->rewrites = made;
    }
    *out = life->rewrites;
    (void)pthread_mutex_unlock(&life->lock);
    return status;
}

/* Offers are known by their rows, so searches that share what these made have those of one op list. Each keeps
 * the guard, which keeps that. */
static npart_status share_rewrites(npart_fix *fix, const npart_oplist *list, struct npart__editions *editions,
                                   const struct npart__rewrite_set **out, struct npart_error *error)
{
    npart_status status = editions && editions->rewrites ? NPART_OK : find_rewrites(list, out, error);
    if (status != NPART_OK || !editions)
        return status;
    if (!editions->rewrites) {
        npart__life_keep(editions->guard, list->life);
        editions->rewrites = *out;
    }
    *out = editions->rewrites;
    npart__life_keep(fix->life, editions->guard);
    return NPART_OK;
}

/* Whether some file of weights lies in the model's folder, from where a result elsewhere has to bring it. A location
 * that leads out of that folder is told when the model is written. */
static npart_status find_weights_beside(npart_fix *fix, struct npart__editions *editions, bool *is_found,
                                        struct npart_error *error)
{
    struct npart__arena *arena = &fix->life->arena;
    struct npart__externals externals = {0};
    const char *folder = npart__folder_of(fix->path, arena);
    *is_found = editions && editions->has_weights_beside;
    if (editions && editions->is_looked_beside)
        return NPART_OK;
    npart_status status = npart__externals_find(&externals, fix->original.data, fix->original.bytes, arena, NULL);
    if (!folder || arena->failed)
        return npart__fail_memory(error);
    for (uint32_t i = 0; status == NPART_OK && i < externals.locations.count && !*is_found; i++) {
        const char *path = npart__arena_format(arena, "%s/%s", folder, externals.locations.items[i]);
        if (!path)
            return npart__fail_memory(error);
        *is_found = npart__path_is_taken(path);
    }
    if (status == NPART_OK && editions) {
        editions->is_looked_beside = true;
        editions->has_weights_beside = *is_found;
    }
    return NPART_OK;
}

/* Everything up to the search itself. Each step needs those before it, so the first failure ends it. */
static npart_status search(npart_fix *fix, const npart_oplist *const *oplists, const char *const *targets,
                           const struct npart_fix_options *options, const struct npart__planned *planned,
                           struct npart_error *error)
{
    struct npart__arena *arena = &fix->life->arena;
    struct npart__fix_request request = {
        .as_is = planned->as_is,
        .sized = planned->sized,
        .is_other = planned->is_other,
        .begun = planned->begun,
        .editions = planned->editions,
    };
    npart_status status = share_rewrites(fix, oplists[0], request.editions, &request.rewrites, error);
    if (status == NPART_OK)
        /* Mistakes in the options first: reading a large model takes longer than to tell them. */
        status = check_ids(options->only, options->only_count, request.rewrites, error);
    if (status == NPART_OK)
        status = check_ids(options->without, options->without_count, request.rewrites, error);
    if (status == NPART_OK && options->sizes)
        status = npart__check_inference_options(options->sizes, error);
    if (status == NPART_OK)
        status = read_input(fix, options, planned, error);
    if (status == NPART_OK)
        status = convert(fix, oplists, targets, options, &request, error);
    if (status == NPART_OK)
        status = npart__fix_search(&request, &fix->original, arena, &fix->found, error);
    if (status == NPART_ERROR_MEMORY)
        npart__editions_forget(request.editions);
    if (request.begun && request.begun->base && !request.begun->life) {
        request.begun->life = fix->life;
        npart__life_share(fix->life);
    }
    bool has_weights = false;
    if (status == NPART_OK && (!planned->skeleton || planned->skeleton->may_have_external))
        status = find_weights_beside(fix, request.editions, &has_weights, error);
    /* After it, as it is known then which dims the model has. */
    const struct npart__fix_command command = {
        .path = fix->path, .targets = fix->targets, .target_count = fix->target_count, .sizes = &request.sizes,
        .plan = &fix->plan_options, .options = options,
        .leaves_weights = has_weights};
    if (status == NPART_OK && !npart__fix_command(&command, arena, &fix->run, &fix->run_count))
        status = npart__fail_memory(error);
    return status;
}

/* ---- what comes out ---------------------------------------------------------------------------------------------- */

/* Two arrays and not one of structs, so that a caller reads one figure of all targets. */
static bool split_outcomes(const npart_fix *fix, const struct npart__standing *standing,
                           struct npart_summary **summaries, double **ms)
{
    struct npart__arena *arena = &fix->life->arena;
    *summaries = npart__arena_zeroed(arena, fix->target_count, sizeof **summaries);
    *ms = npart__arena_zeroed(arena, fix->target_count, sizeof **ms);
    for (uint32_t i = 0; *summaries && *ms && i < fix->target_count; i++) {
        (*summaries)[i] = standing->outcomes[i].summary;
        (*summaries)[i].size = sizeof **summaries;
        (*ms)[i] = standing->outcomes[i].ms;
    }
    return *summaries && *ms;
}

/* External data of the model that is not beside it. Analysis needs none of it. `known`: what was scanned of the file
 * before, or NULL. */
static npart_status find_absent(npart_fix *fix, const struct npart__skeleton *known, struct npart_error *error)
{
    static const char *const none[] = {NULL};
    fix->absent = none;
    if (!fix->is_input_open || (known && !known->may_have_external))
        return NPART_OK;
    struct npart__arena *arena = &fix->life->arena;
    struct npart__externals externals;
    const char *folder = npart__folder_of(fix->path, arena);
    /* Of a model that ends somewhere what is after it has weights, too. */
    bool has_sides = fix->found.sided.models[NPART__SIDE_MODEL].version.data != NULL;
    const struct npart__version *version = has_sides ? &fix->original : &fix->found.last->version;
    npart_status status = npart__externals_find(&externals, version->data, version->bytes, arena, error);
    if (status != NPART_OK)
        return status;
    const char **absent = npart__arena_zeroed(arena, externals.locations.count + (size_t)1, sizeof *absent);
    if (!folder || !absent)
        return npart__fail_memory(error);
    fix->absent = absent;
    for (uint32_t i = 0; i < externals.locations.count; i++) {
        const char *path = npart__arena_format(arena, "%s/%s", folder, externals.locations.items[i]);
        if (!path)
            return npart__fail_memory(error);
        if (!npart__path_is_taken(path))
            *absent++ = externals.locations.items[i];
    }
    return NPART_OK;
}

/* The first target for which the model is worse than the file as it was. */
static npart_status tell_harm(npart_fix *fix, struct npart_error *error)
{
    struct npart__arena *arena = &fix->life->arena;
    const struct npart__fix *found = &fix->found;
    struct npart__balance balance = npart__balance(&found->after, &found->before);
    if (balance.unloads)
        fix->harm = "ONNX Runtime would not load the model, which it loads as it is";
    if (balance.unloads || balance.harmed == NPART_NONE)
        return NPART_OK;
    const struct npart__outcome *a = &found->before.outcomes[balance.harmed];
    const struct npart__outcome *b = &found->after.outcomes[balance.harmed];
    const char *target = fix->plans[balance.harmed]->target;
    if (b->failed > a->failed)
        fix->harm = npart__arena_format(arena, "%s: the session would fail%s", target,
                                        a->failed ? " at more nodes" : ", which does not as it is");
    else
        fix->harm = npart__arena_format(arena, "%s: %u partitions with %u nodes on the CPU as it is, %u with %u then",
                                        target, a->summary.partitions, a->left, b->summary.partitions, b->left);
    return fix->harm ? NPART_OK : npart__fail_memory(error);
}

/* An inference of the caller's is locked until the search is done. */
static bool is_locked(const struct npart__planned *planned, const npart_inference *known)
{
    return (planned->as_is && known == planned->as_is->inference) ||
           (planned->sized && known == planned->sized->inference);
}

/* What is handed out is of the model as it would be read (npart__state_analyse). */
static npart_status plan_result(npart_fix *fix, const npart_oplist *const *oplists,
                                const struct npart__planned *planned, struct npart_error *error)
{
    npart_status status = NPART_OK;
    const struct npart__state *last = fix->found.last;
    bool locks = !last->plan && !is_locked(planned, last->known);
    if (last->plan) {
        npart__life_share(last->plan->life);
        fix->plans[0] = last->plan;
    }
    if (locks)
        npart__lock(last->known);
    for (uint32_t i = 0; i < fix->target_count && status == NPART_OK && !last->plan; i++)
        status = npart__plan_of_trial(&fix->plans[i], &last->plans[i], last->known, oplists[i], &fix->plan_options,
                                      error);
    if (locks)
        npart__unlock(last->known);
    if (status == NPART_OK && (!split_outcomes(fix, &fix->found.before, &fix->before, &fix->before_ms) ||
                               !split_outcomes(fix, &fix->found.after, &fix->after, &fix->after_ms)))
        status = npart__fail_memory(error);
    for (uint32_t i = 0; status == NPART_OK && i < fix->target_count; i++) /* trials do not know */
        fix->after[i].fits = fix->plans[i]->plan.summary.fits;
    if (status == NPART_OK)
        status = find_absent(fix, planned->skeleton, error);
    return status == NPART_OK ? tell_harm(fix, error) : status;
}

npart_status npart__fix_make(npart_fix **out, const char *path, const npart_oplist *const *oplists,
                             const char *const *targets, uint32_t target_count,
                             const struct npart_fix_options *options, const struct npart__planned *planned,
                             struct npart_error *error)
{
    static const struct npart_fix_options defaults = NPART_FIX_OPTIONS_INIT;
    static const struct npart_plan_options default_plan = NPART_PLAN_OPTIONS_INIT;
    if (!out)
        return npart__fail_null("out", error);
    npart_status status = check_arguments(path, oplists, targets, target_count, options, error);
    if (status != NPART_OK)
        return status;
    options = options ? options : &defaults;
    /* Everything that can fail without a handle is checked before, so that there is one way out from here. */
    bool has_budget = options->version >= 2;
    npart_fix *fix = npart__handle_within(sizeof *fix, options->allocator, has_budget ? options->max_memory_bytes : 0,
                                          has_budget ? options->max_ms : 0, &status, error);
    if (!fix)
        return status;
    fix->target_count = target_count;
    const struct npart_plan_options *plan = options->plan ? options->plan : &default_plan;
    /* Of version 1 there is no more than what stands before the members of version 2. */
    memcpy(&fix->plan_options, plan,
           plan->version >= 2 ? sizeof *plan : offsetof(struct npart_plan_options, ram_bytes));
    fix->plan_options.allocator = NULL; /* plans go with the fix, and so does their memory, within its budget */
    fix->read = (struct npart_read_options)NPART_READ_OPTIONS_INIT;
    fix->read.keep_bytes = options->keep_bytes;
    fix->path = npart__arena_copy_text(&fix->life->arena, path, strlen(path));
    fix->plans = npart__arena_zeroed(&fix->life->arena, target_count, sizeof *fix->plans);
    bool is_ready = fix->path && fix->plans && copy_targets(fix, oplists, targets);
    if (planned->skeleton)
        npart__life_keep(fix->life, planned->life);
    if (planned->begun && planned->begun->base)
        npart__life_keep(fix->life, planned->begun->life);
    status = is_ready ? search(fix, oplists, targets, options, planned, error) : npart__fail_memory(error);
    if (status == NPART_OK)
        status = plan_result(fix, oplists, planned, error);
    status = npart__settle_for(fix->life, status, error);
    if (status == NPART_OK)
        *out = fix;
    else
        npart_fix_free(fix);
    return status;
}

npart_status npart_fix_make(npart_fix **out, const char *path, const npart_oplist *const *oplists,
                            const char *const *targets, uint32_t target_count, const struct npart_fix_options *options,
                            struct npart_error *error)
{
    static const struct npart__planned nothing;
    return npart__fix_make(out, path, oplists, targets, target_count, options, &nothing, error);
}

/* The plans before the inference, though handles could go in any order; the input last, as it is not in the arena. */
void npart_fix_free(npart_fix *fix)
{
    if (!fix)
        return;
    for (uint32_t i = 0; fix->plans && i < fix->target_count; i++)
        npart_plan_free(fix->plans[i]);
    npart__state_free(fix->found.last);
    if (fix->is_input_open)
        npart__input_close(&fix->input);
    npart__life_end(fix->life);
}

/* ---- what is told ------------------------------------------------------------------------------------------------ */

bool npart_fix_info(const npart_fix *fix, struct npart_fix_info *out)
{
    if (!fix || !NPART__HAS_ROOM(out))
        return false;
    *out = (struct npart_fix_info){
        .size = sizeof *out,
        .path = fix->path,
        .target_count = fix->target_count,
        .step_count = fix->found.steps.count,
        .taken_back_count = fix->found.taken_back.count,
        .plan_count = fix->found.plan_count,
        .before = fix->before,
        .after = fix->after,
        .before_ms = fix->before_ms,
        .after_ms = fix->after_ms,
        .harm = fix->harm,
        .absent = fix->absent,
        .barred = fix->found.barred,
        .run = fix->run,
        .run_count = fix->run_count,
    };
    return true;
}

const npart_plan *npart_fix_plan(const npart_fix *fix, uint32_t target)
{
    return fix && target < fix->target_count ? fix->plans[target] : NULL;
}

bool npart_fix_step(const npart_fix *fix, uint32_t index, struct npart_fix_step *out)
{
    if (!fix || index >= fix->found.steps.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__fix_step *step = &fix->found.steps.items[index];
    *out = (struct npart_fix_step){
        .size = sizeof *out,
        .rewrite = step->rewrite,
        .equality = (enum npart_equality)step->equality,
        .argument = step->argument,
        .caveats = step->caveats,
        .removed = step->removed,
        .added = step->added,
        .removed_count = step->removed_count,
        .added_count = step->added_count,
        .site_count = step->site_count,
        .after = step->after_summaries,
        .after_ms = step->after_ms,
    };
    return true;
}

bool npart_fix_taken_back(const npart_fix *fix, uint32_t index, const char **rewrite, const char **why)
{
    if (!fix || index >= fix->found.taken_back.count || !rewrite || !why)
        return false;
    *rewrite = fix->found.taken_back.items[index].rewrite;
    *why = fix->found.taken_back.items[index].why;
    return true;
}

bool npart_fix_cache(const npart_fix *fix, struct npart_cache_info *out)
{
    if (!fix || !fix->found.cache.info.slots || !NPART__HAS_ROOM(out))
        return false;
    *out = fix->found.cache.info;
    return true;
}

bool npart_fix_cache_port(const npart_fix *fix, uint32_t index, struct npart_cache_port *out)
{
    return NPART__GET(fix, found.cache.ports, index, out);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* What a summary says of partitions; costs follow from it. Where these agree on every target, the same nodes are
 * on the NPU in as many partitions. */
static bool is_as_predicted(const struct npart_summary *found, const struct npart_summary *predicted)
{
    return found->nodes == predicted->nodes && found->live == predicted->live &&
           found->accepted == predicted->accepted && found->refused == predicted->refused &&
           found->failed == predicted->failed && found->unknown == predicted->unknown &&
           found->partitions == predicted->partitions && found->verdict == predicted->verdict;
}

/* The file is read as any other is. That it cannot be read is no less a failure of ours than that it means
 * something else; only want of memory or time is neither. A target's text is the one that was asked for, since
 * that of a plan lacks the toolchain. Each plan goes before the next is made. */
npart_status npart__fix_prove(const npart_fix *fix, const char *path, struct npart_error *error)
{
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    struct npart_error reading = {0};
    struct npart_read_options read = fix->read;
    read.allocator = &fix->life->arena.allocator;
    npart_status status = npart_model_read_file(&model, path, &read, &reading);
    /* What it names is brought along once it is proven, so until then it is looked for where the input is. */
    if (status == NPART_OK && !(model->own.folder = npart__folder_of(fix->path, &model->life->arena)))
        status = npart__fail_memory(&reading);
    if (status == NPART_OK)
        status = npart_inference_make(&inference, model, NULL, &reading);
    for (uint32_t i = 0; i < fix->target_count && status == NPART_OK; i++) {
        npart_plan *plan = NULL;
        struct npart_summary found = {.size = sizeof found}, predicted = {.size = sizeof predicted};
        status = npart_plan_make(&plan, inference, fix->plans[i]->oplist, fix->targets[i], &fix->plan_options,
                                 &reading);
        bool is_same = status == NPART_OK && npart_plan_summary(plan, &found) &&
                       npart_plan_summary(fix->plans[i], &predicted) && is_as_predicted(&found, &predicted);
        if (status == NPART_OK && !is_same)
            status = npart__fail(&reading, NPART_ERROR_UNPROVEN, fix->plans[i]->target,
                                 "what was written has %u partitions and %u nodes on the CPU, not %u and %u",
                                 found.partitions, found.live - found.accepted, predicted.partitions,
                                 predicted.live - predicted.accepted);
        npart_plan_free(plan);
    }
    npart_inference_free(inference);
    npart_model_free(model);
    if (status == NPART_OK)
        return status;
    /* Where memory or time was short, the caller of npart_fix_write is told which. */
    if (status == NPART_ERROR_MEMORY || status == NPART_ERROR_LIMIT || status == NPART_ERROR_TIMEOUT)
        return npart__fail(error, status, reading.place, "%s", reading.message);
    return npart__fail(error, NPART_ERROR_UNPROVEN, reading.place, "%s", reading.message);
}

npart_status npart__fix_complete(const npart_fix *fix, struct npart__arena *arena, struct npart__version *out,
                                 struct npart_error *error)
{
    const struct npart__state *last = fix->found.last;
    struct npart__inference *known = last->inference;
    struct npart__editor *editor;
    bool changed;
    *out = last->version;
    if (!last->lacks_sizes)
        return NPART_OK;
    npart_status status = npart__editor_open(out, known->graph, known, NULL, arena, &editor, error);
    if (status == NPART_OK && !npart__editor_declare(editor, known, NPART__DECLARE_NO_MORE, &changed))
        status = npart__fail_memory(error);
    return status == NPART_OK ? npart__editor_pack(editor, arena, out, error) : status;
}

/* May be called several times, with other paths or choices of weights: the input stays open. Where no step was
 * kept the file is copied as it is, byte for byte, unless its weights are to move out. */
npart_status npart_fix_write(const npart_fix *fix, const char *path, enum npart_weights weights,
                             struct npart_error *error)
{
    if (!fix || !path)
        return npart__fail_null(fix ? "path" : "fix", error);
    if (!fix->is_input_open)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the model is in no file: its weights cannot be copied");
    /* An enum from C may be any number. */
    if ((unsigned)weights > NPART_WEIGHTS_EXTERNAL)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there is no choice %d of weights", (int)weights);
    const struct npart__weights how = {
        .links = weights == NPART_WEIGHTS_LINK,
        .copies = weights == NPART_WEIGHTS_COPY,
        .moves_out = weights == NPART_WEIGHTS_EXTERNAL,
        .leaves_absent = true,
        .is_unchanged = fix->found.steps.count == 0 && weights != NPART_WEIGHTS_EXTERNAL,
    };
    struct npart__arena arena;
    struct npart__save save;
    struct npart__version version;
    npart__arena_init(&arena, &fix->life->arena.allocator);
    npart_status status = npart__fix_complete(fix, &arena, &version, error);
    if (status == NPART_OK)
        status = npart__save_begin(&save, path, version.data, version.bytes, &fix->input, &how, &arena, error);
    if (status == NPART_OK) {
        /* Under its temporary name: a file that does not prove right never gets the name that the caller gave. */
        status = npart__fix_prove(fix, save.temporary, error);
        if (status == NPART_OK)
            status = npart__save_commit(&save, error);
        npart__save_close(&save);
    }
    npart__arena_clear(&arena);
    return npart__settle_for(fix->life, status, error);
}
