/* SPDX-License-Identifier: Apache-2.0
 *
 * What the report of each model alone says of it, and with it of a decoder whose cache grows: no NPU runs it with other
 * sizes for each token, so its parts are placed as the report's step makes them, with a cache of fixed size. The host
 * keeps that cache: what it passes is in the cost of a run, as in the report.
 */
#include <stdlib.h>

#include "fix/handle.h"
#include "place/place.h"

/* ---- reports ------------------------------------------------------------------------------------------------- */

struct asking {
    npart_placement *placement;
    const npart_oplist *oplist;
    const char *target;
    const struct npart_placement_options *options;
};

/* As the inference was made, so that a search infers what it reads alike. */
static struct npart_inference_options sizes_of(const npart_inference *inference)
{
    struct npart_inference_options sizes = NPART_INFERENCE_OPTIONS_INIT;
    const struct npart__infer_options *given = inference->options;
    if (given) {
        sizes.dims = given->bindings;
        sizes.dim_count = given->binding_count;
        sizes.inputs = given->shapes;
        sizes.input_count = given->shape_count;
        sizes.ignore_value_info = given->ignore_value_info;
    }
    sizes.may_lack_dims = true;
    return sizes;
}

static struct npart_fix_options fix_options(const struct asking *asking, const struct npart_inference_options *sizes)
{
    struct npart_fix_options fix = NPART_FIX_OPTIONS_INIT;
    if (asking->options->version >= 2 && asking->options->fix)
        fix = *asking->options->fix;
    fix.sizes = sizes;
    fix.plan = asking->options->plan;
    return fix;
}

static npart_status propose(const struct asking *asking, struct npart__reported *out, struct npart_error *error)
{
    struct npart_inference_options sizes = sizes_of(npart_plan_inference(out->plan));
    struct npart_fix_options fix = fix_options(asking, &sizes);
    return npart_fix_propose(out->fixes, &out->fix_count, NULL, out->plan, out->sized, asking->target, &fix, error);
}

/* The plan of `open` and that with all sizes, and what is found in its file. */
static npart_status ask(const struct asking *asking, const npart_inference *open, const npart_inference *sized,
                        struct npart__reported *out, struct npart_error *error)
{
    const struct npart_plan_options *options = asking->options->plan;
    npart_status status = npart_plan_make(&out->plan, open, asking->oplist, asking->target, options, error);
    if (status == NPART_OK && sized)
        status = npart_plan_make(&out->sized, sized, asking->oplist, asking->target, options, error);
    return status == NPART_OK ? propose(asking, out, error) : status;
}

static npart_status ask_alone(const struct asking *asking, uint32_t model, struct npart_error *error)
{
    const npart_inference *open = asking->placement->set.models[model];
    struct npart__reported *out = &asking->placement->reported[model];
    npart_inference *sized = NULL;
    npart_status status = npart_inference_make_fixed(&sized, open, error);
    if (status == NPART_OK)
        status = ask(asking, open, sized, out, error);
    npart_inference_free(sized); /* the plan keeps it */
    if (status == NPART_OK)
        status = npart_advice_make(&out->advice, out->plan, out->sized, (const npart_fix *const *)out->fixes,
                                   out->fix_count, error);
    return status;
}

void npart__reported_let_go(struct npart__reported *reported)
{
    while (reported->fix_count)
        npart_fix_free(reported->fixes[--reported->fix_count]);
}

void npart__reported_end(struct npart__reported *reported)
{
    npart__reported_let_go(reported);
    npart_advice_free(reported->advice);
    npart_plan_free(reported->sized);
    npart_plan_free(reported->plan);
    *reported = (struct npart__reported){0};
}

/* ---- a cache of fixed size ------------------------------------------------------------------------------------- */

static bool has_cache(const npart_fix *fix)
{
    struct npart_cache_info cache = {.size = sizeof cache};
    return npart_fix_cache(fix, &cache) && cache.slots;
}

/* The step that gives the cache its size; NULL: there is none. */
static npart_fix *step_of(const struct npart__reported *reported)
{
    for (uint32_t i = 0; i < reported->fix_count; i++)
        if (has_cache(reported->fixes[i]))
            return reported->fixes[i];
    return NULL;
}

/* Those of the report, or where other models give it sizes, those that are found with them. */
static npart_status find_step(const struct asking *asking, struct npart__placed *part, struct npart_error *error)
{
    struct npart__reported *alone = &asking->placement->reported[part->told.model];
    npart_status status = NPART_OK;
    if (part->bound && step_of(alone)) {
        status = ask(asking, part->bound, part->known, &part->reported, error);
        alone = &part->reported;
    }
    part->fix = step_of(alone);
    return status;
}

/* The slots of a prompt that `part` reads in a run, as its sizes were chosen; 0: not known. */
static uint32_t prompt_of(const npart_placement *placement, const struct npart__placed *part)
{
    const npart_inference *open = placement->set.models[part->told.model];
    struct npart_graph graph = {.size = sizeof graph};
    struct npart_value value = {.size = sizeof value};
    int64_t least = 0;
    (void)npart_model_graph(npart_inference_model(open), 0, &graph);
    for (uint32_t i = 0; i < graph.input_count; i++) {
        bool is_ids = npart_inference_value(open, graph.inputs[i], &value) && value.rank == 2 &&
                      npart__type_is_integer(value.element_type) && npart_inference_dim(open, graph.inputs[i], 1) < 0;
        int64_t size = is_ids ? npart_inference_dim(part->known, graph.inputs[i], 1) : 0;
        if (size > 0 && size <= UINT32_MAX && (!least || size < least))
            least = size;
    }
    return (uint32_t)least;
}

/* As many as the prompt has, but a quarter of the slots at most: a power of two. */
static uint32_t tokens_of_a_run(uint32_t prompt, uint32_t slots)
{
    uint32_t most = 1;
    if (prompt <= slots / 4)
        return prompt;
    while (most <= slots / 8)
        most *= 2;
    return most;
}

/* The classes that the steps of a fix need, but for the cache, which is asked for by itself. */
static uint32_t classes_of(const npart_fix *fix)
{
    struct npart_fix_step step = {.size = sizeof step};
    uint32_t classes = 0;
    for (uint32_t i = 0; npart_fix_step(fix, i, &step); i++)
        classes |= strcmp(step.rewrite, NPART__ID_CACHE) == 0 ? 0 : UINT32_C(1) << step.equality;
    return classes;
}

/* The prompt is read in the cache that `next`, the part that goes on from it, has: in runs of several tokens, or where
 * that is refused, one by one. What was measured or is known of the whole prompt is shared by the runs. */
static npart_status read_prompt(const struct asking *asking, struct npart__placed *part,
                                const struct npart__placed *next, struct npart_error *error)
{
    const npart_placement *placement = asking->placement;
    const struct npart__reported *from = next->reported.plan ? &next->reported : &placement->reported[part->told.model];
    struct npart_cache_info cache = {.size = sizeof cache};
    struct npart_inference_options sizes = sizes_of(npart_plan_inference(from->plan));
    struct npart_fix_options fix = fix_options(asking, &sizes);
    uint32_t prompt = prompt_of(placement, part);
    (void)npart_fix_cache(next->fix, &cache);
    if (!prompt)
        return NPART_OK;
    fix.cache_slots = cache.slots;
    fix.cache_tokens = tokens_of_a_run(prompt, cache.slots);
    fix.allowed |= classes_of(next->fix);
    npart_status status =
        npart__fix_cached(&part->reported.fixes[0], from->plan, from->sized, asking->target, &fix, error);
    part->reported.fix_count = part->reported.fixes[0] != NULL;
    part->fix = part->reported.fix_count ? part->reported.fixes[0] : next->fix;
    part->new_tokens = part->reported.fix_count ? fix.cache_tokens : 1;
    part->prompt = prompt;
    return status;
}

/* ---- what is told ----------------------------------------------------------------------------------------------- */

static bool copy_run(npart_placement *placement, struct npart__placed *part)
{
    struct npart_fix_info info = {.size = sizeof info};
    struct npart__arena *arena = placement->set.arena;
    (void)npart_fix_info(part->fix, &info);
    const char **words = npart__arena_zeroed(arena, info.run_count + (size_t)1, sizeof *words);
    for (uint32_t i = 0; words && i < info.run_count; i++) {
        words[i] = npart__arena_copy_text(arena, info.run[i], strlen(info.run[i]));
        if (!words[i])
            return false;
    }
    struct npart_cache_info cache = {.size = sizeof cache};
    (void)npart_fix_cache(part->fix, &cache);
    part->told.cache_slots = cache.slots;
    part->told.cache_tokens = cache.tokens;
    part->told.run = info.run_count ? words : NULL;
    part->told.run_count = info.run_count;
    return words != NULL;
}

/* One command that writes both files of a model, in a folder that is called as the one file would be. */
static bool join_runs(npart_placement *placement, struct npart__placed *prompt, struct npart__placed *next)
{
    static const char end[] = ".onnx";
    const char *const *run = prompt->told.run;
    if (!prompt->reported.fix_count) { /* one file does for both */
        prompt->told.run = next->told.run;
        return true;
    }
    const char **words = npart__arena_zeroed(placement->set.arena, prompt->told.run_count + (size_t)1, sizeof *words);
    bool ok = words != NULL;
    for (uint32_t i = 0; ok && i < prompt->told.run_count; i++) {
        size_t length = strlen(run[i]);
        bool is_tokens = i > 0 && strcmp(run[i - 1], "--tokens") == 0, is_out = i > 0 && strcmp(run[i - 1], "-o") == 0;
        bool has_end = length > strlen(end) && strcmp(run[i] + length - strlen(end), end) == 0;
        words[i] = is_tokens         ? npart__arena_format(placement->set.arena, "1,%s", run[i])
                   : is_out && has_end ? npart__arena_copy_text(placement->set.arena, run[i], length - strlen(end))
                                       : run[i];
        ok = words[i] != NULL;
    }
    prompt->told.run = next->told.run = words;
    next->told.run_count = prompt->told.run_count;
    return ok;
}

static bool tell_slots(npart_placement *placement, const struct npart__placed *prompt)
{
    struct npart_cache_info cache = {.size = sizeof cache};
    (void)npart_fix_cache(prompt->fix, &cache);
    if (placement->info.tokens <= cache.slots && prompt->prompt <= cache.slots - placement->info.tokens)
        return true;
    uint64_t needed = npart__sum_uint64(placement->info.tokens, prompt->prompt);
    const char *text = npart__arena_format(
        placement->set.arena, "%s: a cache of %u slots is planned, as in its report; a prompt of %u tokens and %llu "
        "more need one of %llu (fix --cache)", npart__short_name(&placement->set, prompt->told.model), cache.slots,
        prompt->prompt, (unsigned long long)placement->info.tokens, (unsigned long long)needed);
    return npart__note(&placement->set, text);
}

/* One whose cache stays as it is. With the sizes of one run it may be planned, but each run has others, and without
 * them most of it is not on the NPU. False when out of memory. */
static bool look_for_stuck(npart_placement *placement, struct npart__placed *part)
{
    const struct npart__reported *alone = &placement->reported[part->told.model];
    const npart_inference *open = placement->set.models[part->told.model];
    struct npart_summary given = {.size = sizeof given}, sized = {.size = sizeof sized};
    uint32_t slots = 0;
    bool is_searched = npart_inference_model(open)->path && alone->sized;
    if (is_searched && !npart__cache_slots_of(npart_inference_model(open)->graph, open->inference,
                                              part->known->inference, placement->set.arena, &slots))
        return false;
    (void)npart_plan_summary(alone->plan, &given);
    (void)npart_plan_summary(part->plan, &sized);
    if (slots && given.coverage < sized.coverage / 2)
        part->stuck = "its cache grows, and no step is known that gives it a fixed size";
    return true;
}

/* By value of the file's graph the input or output of the same name in the model that is planned. */
static bool map_values(npart_placement *placement, struct npart__placed *part)
{
    const struct npart__graph *old = npart_inference_model(part->known)->graph;
    const struct npart__graph *made = npart_inference_model(npart_plan_inference(npart__npu_plan(part)))->graph;
    struct npart__strings names;
    struct NPART__ARRAY(uint32_t) ids = {0};
    const struct npart__scope *scope = npart__scope_at(made, 0);
    uint32_t count = scope->input_count + scope->output_count;
    part->value_of = npart__arena_zeroed(placement->set.arena, old->values.count + (size_t)1, sizeof *part->value_of);
    bool ok = part->value_of && npart__strings_init(&names, placement->set.arena);
    for (uint32_t i = 0; ok && i < count; i++) {
        uint32_t value = made->operands.items[i < scope->input_count ? scope->first_input + i
                                                                     : scope->first_output + i - scope->input_count];
        const char *name = npart__value_name(made, value);
        uint32_t id = npart__intern_text(&names, name);
        ok = id != NPART_NONE;
        while (ok && ids.count <= id)
            ok = NPART__PUSH(placement->set.arena, &ids, NPART_NONE);
        if (ok)
            ids.items[id] = value;
    }
    for (uint32_t i = 0; ok && i < old->values.count; i++) {
        const char *name = npart__value_name(old, i);
        uint32_t id = npart__strings_find_text(&names, name);
        part->value_of[i] = id < ids.count ? ids.items[id] : NPART_NONE;
    }
    return ok;
}

/* ---- all -------------------------------------------------------------------------------------------------------- */

/* The runs of a prompt that is read in pieces, unless the caller says how many there are. */
static void share_prompt(struct npart__placed *part)
{
    uint64_t runs = part->prompt / part->new_tokens + (part->prompt % part->new_tokens != 0);
    part->shares = (double)runs;
    if (part->told.runs_from == NPART_RUNS_USER)
        return;
    part->told.runs *= runs;
    part->told.runs_from = runs > 1 ? NPART_RUNS_TOKENS : part->told.runs_from;
}

static npart_status fix_part(const struct asking *asking, uint32_t index, struct npart_error *error)
{
    npart_placement *placement = asking->placement;
    struct npart__placed *part = &placement->parts[index];
    bool is_prompt = index + 1 < placement->info.part_count && strcmp(part->told.use, "prefill") == 0;
    npart_status status = is_prompt ? NPART_OK : find_step(asking, part, error);
    if (status == NPART_OK && is_prompt && part[1].fix)
        status = read_prompt(asking, part, &part[1], error);
    if (status != NPART_OK)
        return status;
    part->shares = 1;
    bool ok = true;
    if (part->fix) {
        ok = copy_run(placement, part) && map_values(placement, part);
        if (!is_prompt && part->told.runs_from == NPART_RUNS_ONCE)
            npart__run_for_tokens(placement, part);
        if (ok && is_prompt) {
            share_prompt(part);
            ok = join_runs(placement, part, &part[1]) && tell_slots(placement, part);
        }
    } else {
        ok = look_for_stuck(placement, part);
    }
    return ok ? NPART_OK : npart__fail_memory(error);
}

npart_status npart__ask_reports(npart_placement *placement, const npart_oplist *oplist, const char *target,
                                const struct npart_placement_options *options, struct npart_error *error)
{
    const struct asking asking = {placement, oplist, target ? target : oplist->oplist.name, options};
    npart_status status = NPART_OK;
    placement->reported =
        npart__arena_zeroed(placement->set.arena, placement->set.count, sizeof *placement->reported);
    if (!placement->reported)
        return npart__fail_memory(error);
    for (uint32_t m = 0; m < placement->set.count && status == NPART_OK; m++)
        status = ask_alone(&asking, m, error);
    /* From the last on: a prompt's part stands before the one that goes on from it. */
    for (uint32_t i = placement->info.part_count; i-- > 0 && status == NPART_OK;)
        status = fix_part(&asking, i, error);
    return status;
}
