/* SPDX-License-Identifier: Apache-2.0
 *
 * A part is a model with the sizes of one use. Sizes follow the links: what an encoder makes, its
 * decoder takes. Each part is planned, and what it costs on each device is taken apart into what
 * it costs wherever the others are, and what is transferred for its links.
 */
#include "cache/cache.h"
#include "place/place.h"

/* A usual answer of a language model, in tokens. */
#define USUAL_TOKENS 128u
/* Sizes that links give one part; others are those that are usual. */
#define NPART__LIMIT_LINKED_SIZES 256u

/* ---- which parts there are ------------------------------------------------------------------------------------ */

/* A model that serves both uses of a decoder, and that no other model fills the cache of. Sizes for the second use
 * (a part of a prompt) are asked for: where there is none, there is no inference, or one without a use's name. Use
 * 0 is decoding and use 1 reading a prompt, as npart_inference_make_use counts them. Where another model fills the
 * cache, that one reads the prompt. */
static npart_status has_two_uses(const npart_placement *placement, const struct npart__model_links *links,
                                 uint32_t model, bool *out, struct npart_error *error)
{
    struct npart_inference_info info = {.size = sizeof info};
    npart_inference *second = NULL;
    *out = false;
    for (uint32_t i = 0; i < links->count; i++) {
        const struct npart__model_link *link = &links->items[i];
        if (link->kind == NPART_LINK_CACHE && link->to == model && link->from != model)
            return NPART_OK;
    }
    npart_status status = npart_inference_make_use(&second, placement->set.models[model], 1, error);
    *out = status == NPART_OK && npart_inference_info(second, &info) && *info.use;
    npart_inference_free(second);
    return status;
}

/* Texts that are not made here are constants or the model's own; those of the model are copied in the end
 * (copy_names). */
static npart_status add_part(npart_placement *placement, uint32_t model, bool has_two, uint32_t use,
                             struct npart_error *error)
{
    struct npart__placed *part = &placement->parts[placement->info.part_count];
    struct npart_model_info info = {.size = sizeof info};
    const char *const uses[] = {"decode", "prefill"}, *name = npart__short_name(&placement->set, model);
    if (placement->info.part_count == NPART__LIMIT_PARTS)
        return npart__fail(error, NPART_ERROR_LIMIT, "", "a set of more than %u parts", NPART__LIMIT_PARTS);
    (void)npart_model_info(npart_inference_model(placement->set.models[model]), &info);
    /* The name as the caller says it in --runs and --gpu. */
    if (has_two)
        name = npart__arena_format(placement->set.arena, "%s:%s", name, uses[use]);
    part->use = use;
    part->told = (struct npart_part){.size = sizeof part->told, /* what is not known yet stays 0 or empty */
                                     .name = name,
                                     .model = model,
                                     .use = has_two ? uses[use] : "",
                                     .runs = 1,
                                     .runs_from = NPART_RUNS_ONCE,
                                     .device = NPART_DEVICES,
                                     .verdict = NPART_PLAN_UNKNOWN,
                                     .why = "",
                                     .weight_bytes = info.weight_bytes};
    placement->info.part_count++;
    return part->told.name ? NPART_OK : npart__fail_memory(error);
}

/* What a link between models is between parts. A prompt is read before there is a cache of this run. Of a model
 * with two uses the decode run takes the cache that the prompt made and its own; the prompt takes none. Other
 * tensors stay within a use, or come from other models to both. */
static bool joins(const struct npart__model_link *link, const struct npart__placed *from,
                  const struct npart__placed *to)
{
    bool is_same_model = link->from == link->to;
    if (link->kind == NPART_LINK_CACHE)
        return strcmp(to->told.use, "prefill") != 0;
    return !is_same_model || from == to;
}

/* `from` and `to` are parts here. Names are the models' own until copy_names. */
static bool add_link(npart_placement *placement, const struct npart__model_link *link, uint32_t from, uint32_t to)
{
    struct npart_value output = {.size = sizeof output}, input = {.size = sizeof input};
    if (!joins(link, &placement->parts[from], &placement->parts[to]))
        return true;
    (void)npart_inference_value(placement->set.models[link->from], link->output, &output);
    (void)npart_inference_value(placement->set.models[link->to], link->input, &input);
    struct npart__joint joint = {.kind = link->kind, .output = link->output, .input = link->input};
    joint.told = (struct npart_link){.size = sizeof joint.told,
                                     .from = from,
                                     .to = to,
                                     .output = output.name,
                                     .input = input.name,
                                     .kind = link->kind,
                                     .origin = link->origin};
    return NPART__PUSH(placement->set.arena, &placement->joints, joint);
}

/* Links between models by parts: four at most for each. */
static bool add_links(npart_placement *placement, const struct npart__model_links *links)
{
    const uint32_t *first_of = placement->first_of;
    bool ok = true;
    for (uint32_t i = 0; i < links->count; i++) {
        const struct npart__model_link *link = &links->items[i];
        for (uint32_t a = first_of[link->from]; a < first_of[link->from + 1]; a++)
            for (uint32_t b = first_of[link->to]; ok && b < first_of[link->to + 1]; b++)
                ok = add_link(placement, link, a, b);
    }
    return ok;
}

/* ---- what the caller says of them ------------------------------------------------------------------------------ */

/* A part of a model with two uses has to be named with its use: a figure for both at once would be counted twice. */
static bool is_named(const npart_placement *placement, const struct npart__placed *part, const char *text)
{
    const char *colon = strrchr(text, ':');
    if (!*part->told.use)
        return npart__is_called(&placement->set, part->told.model, text, strlen(text));
    return colon && strcmp(colon + 1, part->told.use) == 0 &&
           npart__is_called(&placement->set, part->told.model, text, (size_t)(colon - text));
}

/* One figure of the caller's: how often a part runs, or what it costs on the GPU in a run, or both. 0 runs says
 * nothing. */
static npart_status take_figure(npart_placement *placement, const struct npart_part_figure *figure,
                                struct npart_error *error)
{
    struct npart__nearest nearest;
    char hint[NPART__HINT_BYTES];
    struct npart__placed *found = NULL;
    npart__nearest_init(&nearest, figure->part, strlen(figure->part));
    for (uint32_t i = 0; i < placement->info.part_count; i++) {
        struct npart__placed *part = &placement->parts[i];
        npart__nearest_offer(&nearest, part->told.name);
        if (!is_named(placement, part, figure->part))
            continue;
        if (found)
            /* Two models of the set in folders of their own may end in the same name. */
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s is the name of two parts; say the whole path",
                               figure->part);
        found = part;
    }
    if (!found)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "no part is called %s%s", figure->part,
                           npart__nearest_hint(&nearest, hint, sizeof hint));
    if (figure->runs) {
        found->told.runs = figure->runs;
        found->told.runs_from = NPART_RUNS_USER;
    }
    if (figure->has_gpu) {
        const struct npart_cost_range *gpu = &figure->gpu;
        /* Negated, so that NaN is refused, too. */
        if (!(gpu->low_ms >= 0 && gpu->low_ms <= gpu->typical_ms && gpu->typical_ms <= gpu->high_ms))
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s: the GPU's figures do not rise", figure->part);
        found->told.cost[NPART_DEVICE_GPU] = *gpu;
        found->told.has_cost[NPART_DEVICE_GPU] = true;
    }
    return NPART_OK;
}

npart_status npart__make_parts(npart_placement *placement, const struct npart__model_links *links,
                               const struct npart_placement_options *options, struct npart_error *error)
{
    npart_status status = NPART_OK;
    placement->info.tokens = options->tokens ? options->tokens : USUAL_TOKENS;
    for (uint32_t m = 0; status == NPART_OK && m < placement->set.count; m++) {
        bool has_two;
        status = has_two_uses(placement, links, m, &has_two, error);
        /* Prompt before decoding: parts are told in the order in which they run. */
        for (uint32_t use = has_two ? 2 : 1; status == NPART_OK && use-- > 0;)
            status = add_part(placement, m, has_two, use, error);
        placement->first_of[m + 1] = placement->info.part_count;
    }
    if (status == NPART_OK && !(add_links(placement, links) && npart__count_runs(placement)))
        status = npart__fail_memory(error);
    /* After the links, as what the caller says replaces what they say. */
    for (uint32_t i = 0; status == NPART_OK && i < options->figure_count; i++)
        status = take_figure(placement, &options->figures[i], error);
    return status;
}

/* ---- sizes ----------------------------------------------------------------------------------------------------- */

/* The sizes that a link gives the dynamic ones of its input. A cache has the sizes of its own part. The first link
 * that names a dim gives its size: a name means one size in all of a model. Where an encoder makes [1,1500,384]
 * and its decoder takes [batch,frames,384], `batch` is 1 and `frames` is 1500. A dim of which nothing is known has
 * no text, and no size can be given for it. */
static bool gather_sizes(npart_placement *placement, const struct npart__joint *joint, struct npart__sizes *sizes)
{
    const npart_inference *from = placement->parts[joint->told.from].known;
    const npart_inference *to = placement->set.models[placement->parts[joint->told.to].told.model];
    struct npart__arena *arena = placement->set.arena;
    struct npart_value input = {.size = sizeof input};
    (void)npart_inference_value(to, joint->input, &input);
    for (uint32_t axis = 0; axis < input.rank; axis++) {
        int64_t size = npart_inference_dim(from, joint->output, axis);
        char room[256];
        if (npart_inference_dim(to, joint->input, axis) >= 0 || size < 1)
            continue;
        size_t length = npart_inference_dim_text(to, joint->input, axis, room, sizeof room);
        bool is_there = length == 0 || length >= sizeof room || sizes->count == NPART__LIMIT_LINKED_SIZES;
        for (uint32_t i = 0; i < sizes->count && !is_there; i++)
            is_there = strcmp(sizes->items[i].name, room) == 0;
        if (is_there)
            continue;
        struct npart_dim_binding request = {.name = npart__arena_copy_text(arena, room, length), .size = size};
        if (!request.name || !NPART__PUSH(arena, sizes, request))
            return false;
    }
    return true;
}

/* Whether a part takes sizes from a link: not those of a cache that it goes on with itself, which have its own. Links
 * of one input follow one another. Whisper's decoder with past, for instance, takes the cache of the encoder's
 * states from the first decoder and hands none on: those sizes come with the link. */
static bool gives_sizes(const npart_placement *placement, uint32_t at)
{
    const struct npart__joint *items = placement->joints.items, *joint = &items[at];
    uint32_t first = at, last = at, count = placement->joints.count;
    if (joint->told.from == joint->told.to || joint->kind != NPART_LINK_CACHE)
        return joint->told.from != joint->told.to && joint->kind == NPART_LINK_TENSOR;
    while (first > 0 && strcmp(items[first - 1].told.input, joint->told.input) == 0)
        first--;
    while (last + 1 < count && strcmp(items[last + 1].told.input, joint->told.input) == 0)
        last++;
    for (uint32_t i = first; i <= last; i++)
        if (items[i].told.from == joint->told.to && items[i].told.to == joint->told.to)
            return false;
    return true;
}

/* What was chosen, for the reader: first by links, then what is usual. */
static bool tell_sizes(npart_placement *placement, struct npart__placed *part, const struct npart__sizes *sizes)
{
    struct npart_dim_binding binding = {0};
    uint32_t count = 0;
    while (part->fixed && npart_inference_binding(part->fixed, count, &binding))
        count++;
    struct npart_dim_binding *dims =
        npart__arena_zeroed(placement->set.arena, sizes->count + (size_t)count + 1, sizeof *dims);
    part->told.dims = dims;
    for (uint32_t i = 0; dims && part->bound && i < sizes->count; i++)
        dims[part->told.dim_count++] = sizes->items[i];
    for (uint32_t i = 0; dims && i < count && npart_inference_binding(part->fixed, i, &binding); i++) {
        binding.name = npart__arena_copy_text(placement->set.arena, binding.name, strlen(binding.name));
        if (!binding.name)
            return false;
        dims[part->told.dim_count++] = binding;
    }
    return dims != NULL;
}

/* First what links say, then what is usual for the rest: the other way round every size would be usual already, and a
 * link could only contradict. */
static npart_status fix_sizes(npart_placement *placement, uint32_t index, struct npart_error *error)
{
    struct npart__placed *part = &placement->parts[index];
    const npart_inference *open = placement->set.models[part->told.model];
    struct npart__sizes sizes = {0};
    struct npart_error own = {.status = NPART_OK};
    npart_status status = NPART_OK;
    for (uint32_t i = 0; i < placement->joints.count; i++) {
        const struct npart__joint *joint = &placement->joints.items[i];
        if (joint->told.to == index && placement->parts[joint->told.from].known && gives_sizes(placement, i) &&
            !gather_sizes(placement, joint, &sizes))
            return npart__fail_memory(error);
    }
    if (sizes.count)
        status = npart__inference_bind(&part->bound, open, sizes.items, sizes.count, &own);
    /* Sizes that conflict are no mistake of the caller's: the link's ends are compared later. */
    if (status != NPART_OK && status != NPART_ERROR_ARGUMENT) {
        if (error)
            *error = own;
        return status;
    }
    open = part->bound ? part->bound : open;
    status = npart_inference_make_use(&part->fixed, open, part->use, error);
    /* Nothing dynamic is left where there is no `fixed`: the model as it is, or as the links made it. */
    part->known = part->fixed ? part->fixed : open;
    if (status == NPART_OK && !tell_sizes(placement, part, &sizes))
        status = npart__fail_memory(error);
    return status;
}

/* Those first that others wait for; in a circle the first. A circle of parts that take each other's sizes has no
 * right order; whichever comes first gets what is usual. `waits` is a set of parts in one number, so a round is
 * linear in parts, of which there are 64 at most. */
static npart_status fix_all_sizes(npart_placement *placement, struct npart_error *error)
{
    uint64_t waits[NPART__LIMIT_PARTS] = {0}, fixed = 0;
    npart_status status = NPART_OK;
    for (uint32_t i = 0; i < placement->joints.count; i++) {
        const struct npart__joint *joint = &placement->joints.items[i];
        if (gives_sizes(placement, i))
            waits[joint->told.to] |= UINT64_C(1) << joint->told.from;
    }
    for (uint32_t done = 0; status == NPART_OK && done < placement->info.part_count; done++) {
        uint32_t next = NPART_NONE, waiting = NPART_NONE;
        for (uint32_t i = placement->info.part_count; i-- > 0;) { /* from the last on, so that the first wins */
            if (fixed >> i & 1)
                continue;
            waiting = i;
            next = (waits[i] & ~fixed) ? next : i;
        }
        next = next == NPART_NONE ? waiting : next;
        status = fix_sizes(placement, next, error);
        fixed |= UINT64_C(1) << next;
    }
    return status;
}

/* ---- plans ----------------------------------------------------------------------------------------------------- */

/* Costs are of one run here; weigh_part multiplies by the runs. What falls back to the CPU inside of the part is in
 * the NPU's total. */
static void find_costs(struct npart__placed *part)
{
    struct npart_cost cost = {.size = sizeof cost}, cpu = {.size = sizeof cpu};
    struct npart_summary summary = {.size = sizeof summary};
    (void)npart_plan_cost(npart__npu_plan(part), &cost);
    (void)npart_plan_cost(part->plan, &cpu);
    (void)npart_plan_summary(npart__npu_plan(part), &summary);
    part->told.verdict = summary.verdict;
    part->told.partitions = summary.partitions;
    part->told.coverage = summary.coverage;
    part->told.is_calibrated = cost.is_calibrated;
    part->told.cost[NPART_DEVICE_NPU] = cost.total;
    part->told.cost[NPART_DEVICE_CPU] = npart__times(cpu.cpu_alone, 1 / part->shares);
    /* The caller's figure counts before the published. */
    if (!part->told.has_cost[NPART_DEVICE_GPU] && cost.gpu.typical_ms > 0) {
        part->told.cost[NPART_DEVICE_GPU] = cost.gpu;
        part->told.has_cost[NPART_DEVICE_GPU] = true;
    } else {
        part->told.cost[NPART_DEVICE_GPU] = npart__times(part->told.cost[NPART_DEVICE_GPU], 1 / part->shares);
    }
    part->is_too_large = summary.fits == NPART_FIT_NO;
    /* A part that does not compile, or only for one of its runs, or has no room, cannot be there, and one without a
     * partition would only be the CPU's by another name. */
    part->told.has_cost[NPART_DEVICE_NPU] = !part->stuck && !part->is_too_large && summary.partitions &&
                                            summary.verdict != NPART_PLAN_FAILS && cost.total.typical_ms >= 0;
    part->told.has_cost[NPART_DEVICE_CPU] = cpu.cpu_alone.typical_ms >= 0;
}

/* The contract of a cache of fixed size (docs/decoder-cache.md); NULL: there is none. */
static const char *contract_of(const npart_placement *placement, uint32_t part)
{
    const struct npart__placed *at = &placement->parts[part];
    struct npart_cache_info cache = {.size = sizeof cache};
    if (at->fix)
        return npart_fix_cache(at->fix, &cache) ? cache.text : NULL;
    const struct npart__graph *graph = npart_inference_model(placement->set.models[at->told.model])->graph;
    return npart__model_metadata(graph, NPART__CACHE_KEY);
}

/* Where outputs are the new keys and values alone the host writes them into the cache, and gives it as an input. What
 * an encoder left there is none that an output belongs to. */
static bool is_kept_by_host(npart_placement *placement, uint32_t part, const char *input, bool *is_failed)
{
    const char *contract = contract_of(placement, part);
    if (!contract || !strstr(contract, "\"present\":\"new\""))
        return false;
    const char *member = npart__arena_format(placement->set.arena, "\"past\":\"%s\"", input);
    *is_failed |= !member;
    return member && strstr(contract, member);
}

static bool mark_kept(npart_placement *placement)
{
    bool is_failed = false;
    for (uint32_t i = 0; i < placement->joints.count; i++) {
        struct npart__joint *joint = &placement->joints.items[i];
        const char *input = joint->told.input;
        bool is_kept = joint->kind == NPART_LINK_CACHE &&
                       (is_kept_by_host(placement, joint->told.from, input, &is_failed) ||
                        is_kept_by_host(placement, joint->told.to, input, &is_failed));
        joint->is_by_host = is_kept || joint->kind == NPART_LINK_APPLICATION;
        joint->told.kind = is_kept ? NPART_LINK_APPLICATION : joint->told.kind;
    }
    return !is_failed;
}

/* One plan for each part, by the same target and options. Plans are kept until the sentences are made. */
npart_status npart__plan_parts(npart_placement *placement, const npart_oplist *oplist, const char *target,
                               const struct npart_placement_options *options, struct npart_error *error)
{
    npart_status status = fix_all_sizes(placement, error);
    for (uint32_t i = 0; status == NPART_OK && i < placement->info.part_count; i++) {
        struct npart__placed *part = &placement->parts[i];
        status = npart_plan_make(&part->plan, part->known, oplist, target, options->plan, error);
    }
    if (status == NPART_OK)
        status = npart__ask_reports(placement, oplist, target, options, error);
    for (uint32_t i = 0; status == NPART_OK && i < placement->info.part_count; i++)
        find_costs(&placement->parts[i]);
    return status == NPART_OK && !mark_kept(placement) ? npart__fail_memory(error) : status;
}
