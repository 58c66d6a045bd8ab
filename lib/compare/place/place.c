/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that place a set of models. What the caller gave is not needed afterwards: all
 * that is told is copied, and the plans go.
 */
#include "base/base.h"
#include "base/platform.h"
#include "place/place.h"

/* Takes NULL, so that a text that could not be made need not be asked for by itself. */
bool npart__note(struct npart__set *set, const char *text)
{
    return text && NPART__PUSH(set->arena, &set->notes, text);
}

/* The path that the model was read by, or the name that the caller gave it; "-" for one from a stream or from
 * memory without a name. */
static const char *path_of(const struct npart__set *set, uint32_t model)
{
    struct npart_model_info info = {.size = sizeof info};
    (void)npart_model_info(npart_inference_model(set->models[model]), &info);
    return info.name;
}

/* Of a path that ends in a separator the whole is told, since nothing would be left. */
const char *npart__last_component(const struct npart__set *set, uint32_t model)
{
    const char *path = path_of(set, model);
    size_t offset = npart__name_offset(path);
    return path[offset] ? path + offset : path;
}

/* As short as the set allows: the whole path only where the file of another model is called the same. */
const char *npart__short_name(const struct npart__set *set, uint32_t model)
{
    const char *name = npart__last_component(set, model);
    for (uint32_t i = 0; i < set->count; i++)
        if (i != model && strcmp(name, npart__last_component(set, i)) == 0)
            return path_of(set, model);
    return name;
}

/* All that can be wrong with the call, before anything is made: what is found later is of the models. */
static npart_status check(const npart_inference *const *models, uint32_t count, const npart_oplist *oplist,
                          const struct npart_placement_options *options, struct npart_error *error)
{
    if (!models || !count || !oplist)
        return npart__fail_null(oplist ? "models" : "oplist", error);
    for (uint32_t i = 0; i < count; i++)
        if (!models[i])
            return npart__fail_null("a model", error);
    if (count > NPART__LIMIT_PARTS)
        return npart__fail(error, NPART_ERROR_LIMIT, "", "a set of more than %u parts", NPART__LIMIT_PARTS);
    npart_status status = npart__check_version("placement options", options->version, 2, error);
    if (status != NPART_OK)
        return status;
    bool is_complete = (options->figures || !options->figure_count) && (options->links || !options->link_count);
    for (uint32_t i = 0; is_complete && i < options->figure_count; i++)
        is_complete = options->figures[i].part != NULL;
    for (uint32_t i = 0; is_complete && i < options->link_count; i++)
        is_complete = options->links[i] != NULL;
    return is_complete ? NPART_OK
                       : npart__fail(error, NPART_ERROR_ARGUMENT, "", "placement options lack a name or a link");
}

/* What the placement's own memory does not hold. Plans and inferences are handles of their own; both when all went
 * well and after a failure in the middle, where the rest is NULL. */
static void let_go(npart_placement *placement)
{
    for (uint32_t i = 0; placement->parts && i < placement->info.part_count; i++) {
        npart__reported_end(&placement->parts[i].reported);
        npart_plan_free(placement->parts[i].plan);
        npart_inference_free(placement->parts[i].fixed);
        npart_inference_free(placement->parts[i].bound);
    }
    for (uint32_t m = 0; placement->reported && m < placement->model_count; m++)
        npart__reported_let_go(&placement->reported[m]);
}

static void end_reports(npart_placement *placement)
{
    for (uint32_t m = 0; placement->reported && m < placement->model_count; m++)
        npart__reported_end(&placement->reported[m]);
}

/* Names that are the model's own. The caller may free models and lists once the placement is made, and the plans
 * are freed by let_go. */
static bool copy_names(npart_placement *placement)
{
    struct npart__arena *arena = placement->set.arena;
    struct npart_plan_info plan = {.size = sizeof plan};
    struct npart_oplist_info oplist = {.size = sizeof oplist};
    struct npart_placement_info *info = &placement->info;
    bool ok = npart_plan_info(placement->parts[0].plan, &plan) &&
              npart_oplist_info(npart_plan_oplist(placement->parts[0].plan), &oplist);
    info->target = ok ? npart__arena_copy_text(arena, plan.target, strlen(plan.target)) : NULL;
    info->title = ok ? npart__arena_copy_text(arena, oplist.title, strlen(oplist.title)) : NULL;
    ok = info->target && info->title;
    for (uint32_t i = 0; ok && i < info->part_count; i++) {
        struct npart_part *part = &placement->parts[i].told;
        part->name = npart__arena_copy_text(arena, part->name, strlen(part->name));
        ok = part->name != NULL;
    }
    for (uint32_t i = 0; ok && i < placement->joints.count; i++) {
        struct npart_link *link = &placement->joints.items[i].told;
        link->output = npart__arena_copy_text(arena, link->output, strlen(link->output));
        link->input = npart__arena_copy_text(arena, link->input, strlen(link->input));
        ok = link->output && link->input;
    }
    return ok;
}

/* Arrays of pointers, as public structs grow at their end: a caller compiled against an older header still finds
 * each. */
static bool hand_out(npart_placement *placement)
{
    struct npart_placement_info *info = &placement->info;
    struct npart__arena *arena = placement->set.arena;
    const struct npart_part **parts = npart__arena_zeroed(arena, info->part_count, sizeof *parts);
    const struct npart_link **links = npart__arena_zeroed(arena, placement->joints.count + (size_t)1, sizeof *links);
    if (!parts || !links || !copy_names(placement))
        return false;
    for (uint32_t i = 0; i < info->part_count; i++)
        parts[i] = &placement->parts[i].told;
    for (uint32_t i = 0; i < placement->joints.count; i++)
        links[i] = &placement->joints.items[i].told;
    info->size = sizeof *info;
    info->parts = parts;
    info->links = links;
    info->link_count = placement->joints.count;
    info->notes = placement->set.notes.items;
    info->note_count = placement->set.notes.count;
    info->allocator = &placement->life->arena.allocator;
    return true;
}

static bool runs_for_tokens(const npart_placement *placement, uint32_t part)
{
    const struct npart_part *at = &placement->parts[part].told;
    return at->runs_from == NPART_RUNS_TOKENS && strcmp(at->use, "prefill") != 0;
}

/* What a token takes is of the parts that run for each, with what they hand over; all else is before the first. That
 * comes of the part that reads the prompt, or of the first run of one without a cache; where a cache is filled token by
 * token it is not known when. */
static void tell_first_token(npart_placement *placement)
{
    struct npart_placement_info *info = &placement->info;
    bool is_read = false, keeps = false, has_tokens = false;
    double tokens_ms = 0;
    info->first_token_ms = info->tokens_per_s = -1;
    for (uint32_t i = 0; i < info->part_count; i++) {
        const struct npart_part *part = &placement->parts[i].told;
        if (!runs_for_tokens(placement, i) || part->device == NPART_DEVICES)
            continue;
        has_tokens = true;
        tokens_ms += part->cost[part->device].typical_ms * (double)part->runs;
    }
    for (uint32_t i = 0; i < placement->joints.count; i++) {
        const struct npart_link *link = &placement->joints.items[i].told;
        bool is_cache = link->kind != NPART_LINK_TENSOR, is_own = link->from == link->to;
        if (runs_for_tokens(placement, link->from))
            tokens_ms += link->cost.typical_ms;
        is_read |= is_cache && !is_own && runs_for_tokens(placement, link->to);
        keeps |= is_cache && is_own;
    }
    if (!info->has_total || !has_tokens || tokens_ms <= 0 || !info->tokens)
        return;
    info->tokens_per_s = 1000 * (double)info->tokens / tokens_ms;
    if (is_read || !keeps)
        info->first_token_ms = info->total.typical_ms - tokens_ms + (is_read ? 0 : 1000 / info->tokens_per_s);
}

/* Links need no sizes, parts need the links, plans need the parts' sizes, and costs need the plans. */
static npart_status place(npart_placement *placement, const npart_oplist *oplist, const char *target,
                          const struct npart_placement_options *options, struct npart_error *error)
{
    struct npart__model_links links = {0};
    struct npart__assignment assignment;
    npart_status status = npart__find_links(&placement->set, options->links, options->link_count, &links, error);
    if (status == NPART_OK)
        status = npart__make_parts(placement, &links, options, error);
    if (status == NPART_OK)
        status = npart__plan_parts(placement, oplist, target, options, error);
    if (status != NPART_OK)
        return status;
    if (!npart__weigh_parts(placement))
        return npart__fail_memory(error);
    npart__assign(placement->options, placement->info.part_count, placement->transfers.items,
                  placement->transfers.count, &assignment);
    status = npart__tell_placement(placement, &assignment, options->plan, error);
    tell_first_token(placement);
    return status == NPART_OK && !hand_out(placement) ? npart__fail_memory(error) : status;
}

npart_status npart_placement_make(npart_placement **out, const npart_inference *const *models, uint32_t count,
                                  const npart_oplist *oplist, const char *target,
                                  const struct npart_placement_options *options, struct npart_error *error)
{
    static const struct npart_placement_options defaults = NPART_PLACEMENT_OPTIONS_INIT;
    options = options ? options : &defaults;
    if (!out)
        return npart__fail_null("out", error);
    npart_status status = check(models, count, oplist, options, error);
    if (status != NPART_OK)
        return status;
    npart_placement *made = npart__handle_new(sizeof *made, &models[0]->life->arena.allocator);
    if (!made)
        return npart__settle_for(models[0]->life, npart__fail_memory(error), error);
    made->set = (struct npart__set){.models = models, .count = count, .arena = &made->life->arena};
    made->model_count = count;
    made->parts = npart__arena_zeroed(made->set.arena, NPART__LIMIT_PARTS, sizeof *made->parts);
    status = made->parts ? place(made, oplist, target, options, error) : npart__fail_memory(error);
    /* Before the result is handed out: nothing in it may point into a plan any more (copy_names). */
    let_go(made);
    if (status != NPART_OK)
        end_reports(made);
    return NPART__HAND_OVER(out, made, status, error);
}

void npart_placement_free(npart_placement *placement)
{
    if (!placement)
        return;
    end_reports(placement);
    npart__life_end(placement->life);
}

bool npart_placement_plans(const npart_placement *placement, uint32_t part, struct npart_plan_pair *out)
{
    if (!placement || !out || part >= placement->info.part_count)
        return false;
    const struct npart__reported *at = &placement->reported[placement->parts[part].told.model];
    *out = (struct npart_plan_pair){.plan = at->plan, .fixed = at->sized, .advice = at->advice};
    return true;
}

bool npart_placement_info(const npart_placement *placement, struct npart_placement_info *out)
{
    if (!placement || !NPART__HAS_ROOM(out))
        return false;
    *out = placement->info;
    return true;
}
