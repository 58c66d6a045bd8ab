/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that make plans, and tell what a plan is as a whole. A plan is the answer of
 * one target about one inference: everything from session to advice's input is made here at
 * once, under the inference's lock, and does not change later.
 */
#include "api/api.h"

/* ---- making ------------------------------------------------------------------------------------------------ */

/* The partitioner's name in the library's own memory: options need not outlive the plan. As it is when unknown. */
static const char *lasting_name(const char *partitioner)
{
    const struct npart__partitioner *found =
        partitioner ? npart__find_partitioner(npart__products, partitioner) : NULL;
    return found ? found->name : partitioner;
}

/* Options are the caller's memory, so arrays and names in them may be missing. An assumption names an op or a
 * node. A count without its array is a mistake; an array without a count is none. */
static bool are_complete(const struct npart_plan_options *options)
{
    bool is_complete = (options->assumptions || !options->assumption_count) && (options->cuts || !options->cut_count);
    for (uint32_t i = 0; is_complete && i < options->assumption_count; i++)
        is_complete = options->assumptions[i].op || options->assumptions[i].node;
    for (uint32_t i = 0; is_complete && i < options->cut_count; i++)
        is_complete = options->cuts[i] != NULL;
    return is_complete;
}

bool npart_device_class(uint32_t index, struct npart_device_class *out)
{
    const struct npart__device_class *at = npart__device_class_at(index);
    if (!at || !NPART__HAS_ROOM(out))
        return false;
    *out = (struct npart_device_class){.size = sizeof *out, .name = at->word, .source = at->source,
                                       .ram_bytes = {at->ram[0], at->ram[1]},
                                       .flash_bytes = {at->flash[0], at->flash[1]}};
    return true;
}

const struct npart__device_class *npart__device_class(const char *name)
{
    const struct npart__device_class *at = NULL;
    for (uint32_t i = 0; name && (at = npart__device_class_at(i)) != NULL && strcmp(at->word, name) != 0; i++)
        continue;
    return at;
}

/* The version first: other members of a struct of another version cannot be read. */
npart_status npart__check_plan_options(const struct npart_plan_options *options, struct npart_error *error)
{
    npart_status status = npart__check_version("plan options", options->version, 2, error);
    if (status == NPART_OK && options->level != NPART_LEVEL_BASIC && options->level != NPART_LEVEL_OFF)
        status = npart__fail(error, NPART_ERROR_ARGUMENT, "", "there is no level %d", (int)options->level);
    if (status == NPART_OK && !are_complete(options))
        status = npart__fail(error, NPART_ERROR_ARGUMENT, "", "plan options lack a name");
    const char *device = status == NPART_OK && options->version >= 2 ? options->device_class : NULL;
    if (device && !npart__device_class(device))
        status = npart__fail(error, NPART_ERROR_ARGUMENT, "", "there is no class of devices %.40s", device);
    return status;
}

/* What the plan's runtime sees as an inference of its own, in `arena`. Where its graph is the model's, so is its model;
 * NULL when out of memory. */
static npart_inference *new_view(const npart_plan *plan, struct npart__arena *arena)
{
    npart_inference *view = npart__arena_zeroed(arena, 1, sizeof *view);
    struct npart__late_work *work = npart__arena_zeroed(arena, 1, sizeof *work);
    if (!view || !work)
        return NULL;
    /* It shares the life, and so the lock, of what it was made from: whoever holds a view's lock holds that. */
    *view = *plan->inference;
    view->work = work;
    view->inference = plan->plan.inference;
    view->made_from = plan->inference;
    if (view->inference->graph != plan->inference->model->graph) {
        view->model_view = *plan->inference->model;
        view->model_view.graph = view->inference->graph;
        view->model = &view->model_view;
    }
    return view;
}

/* Plans whose runtimes see the same have one view, which goes with the inference; what a plan
 * alone sees, with it. Views are kept with the inference, which outlives all its plans. */
static bool find_view(npart_plan *plan)
{
    const npart_inference *inference = plan->inference;
    struct npart__arena *arena = &inference->life->arena;
    plan->view = inference;
    /* The target's rules ask of all that is known: no view is needed. */
    if (plan->plan.inference == inference->inference)
        return true;
    /* What a plan alone sees (constant branches taken, definitions expanded) goes with the plan. */
    if (plan->plan.inference->arena != arena) {
        plan->view = new_view(plan, &plan->life->arena);
        return plan->view != NULL;
    }
    for (uint32_t i = 0; i < inference->views->items.count; i++)
        if (inference->views->items.items[i]->inference == plan->plan.inference) {
            plan->view = inference->views->items.items[i];
            return true;
        }
    npart_inference *view = new_view(plan, arena);
    plan->view = view;
    return view && NPART__PUSH(arena, &inference->views->items, view);
}

/* NULL stays NULL; only a copy that fails is a failure. */
static const char *copy_name(const char *name, struct npart__arena *arena, bool *is_ok)
{
    const char *copy = name ? npart__arena_copy_text(arena, name, strlen(name)) : NULL;
    *is_ok &= copy || !name;
    return copy;
}

/* Plans may be made again as this one was, so what it was asked for stays. False when out of memory. Advice does
 * so, long after the call that gave the options. */
static bool copy_options(const struct npart_plan_options *options, struct npart__arena *arena,
                         struct npart__plan_request *request)
{
    struct npart_assumption *assumed =
        npart__arena_zeroed(arena, options->assumption_count + (size_t)1, sizeof *assumed);
    const char **cuts = npart__arena_zeroed(arena, options->cut_count + (size_t)1, sizeof *cuts);
    bool is_ok = assumed && cuts;
    for (uint32_t i = 0; is_ok && i < options->assumption_count; i++)
        assumed[i] = (struct npart_assumption){.op = copy_name(options->assumptions[i].op, arena, &is_ok),
                                               .node = copy_name(options->assumptions[i].node, arena, &is_ok),
                                               .on_npu = options->assumptions[i].on_npu};
    for (uint32_t i = 0; is_ok && i < options->cut_count; i++)
        cuts[i] = copy_name(options->cuts[i], arena, &is_ok);
    request->assumed = assumed;
    request->cuts = cuts;
    request->target = copy_name(request->target, arena, &is_ok);
    request->stages = copy_name(options->gates, arena, &is_ok);
    request->invoker = copy_name(options->runtime, arena, &is_ok);
    return is_ok;
}

/* Plans for newer releases go at once; what is told of them stays. */
static npart_status find_newer(npart_plan *plan, struct npart_error *error)
{
    struct npart__arena scratch;
    npart__arena_init(&scratch, &plan->life->arena.allocator);
    npart_status status = npart__find_newer(&plan->plan, &plan->life->arena, &scratch, &plan->newer, error);
    npart__arena_clear(&scratch);
    return status;
}

static npart_status tell_plan(npart_plan *plan, struct npart_error *error)
{
    npart_status status = find_newer(plan, error);
    if (status == NPART_OK && (!find_view(plan) || !npart__prepare_plan(plan)))
        status = npart__fail_memory(error);
    return status;
}

/* The plan is made first; its view and the texts about it need it whole. Called with the lock of the inference
 * held. */
static npart_status make_plan(npart_plan *plan, struct npart__plan_request *request,
                              const struct npart_plan_options *options, struct npart_error *error)
{
    struct npart__arena *arena = &plan->life->arena;
    if (!copy_options(options, arena, request))
        return npart__fail_memory(error);
    npart_status status = npart__plan_make(request, arena, &plan->plan, error);
    plan->plan.arena = arena;
    plan->plan.bindings = plan->inference->chosen;
    plan->plan.binding_count = plan->inference->chosen_count;
    return status == NPART_OK ? tell_plan(plan, error) : status;
}

/* A handle that keeps what it is made from; NULL when out of memory. */
static npart_plan *new_plan(const npart_inference *inference, const npart_oplist *oplist,
                            const struct npart_plan_options *options)
{
    npart_plan *plan =
        npart__handle_new(sizeof *plan, options->allocator ? options->allocator : &inference->life->arena.allocator);
    if (!plan)
        return NULL;
    plan->inference = inference;
    plan->oplist = oplist;
    plan->late = npart__arena_zeroed(&plan->life->arena, 1, sizeof *plan->late);
    /* Both before anything can fail, so that freeing is the same from here on. */
    npart__life_keep(plan->life, inference->life);
    npart__life_keep(plan->life, oplist->life);
    return plan;
}

npart_status npart__plan_of_trial(npart_plan **out, const struct npart__plan *trial, const npart_inference *inference,
                                  const npart_oplist *oplist, const struct npart_plan_options *options,
                                  struct npart_error *error)
{
    npart_plan *plan = new_plan(inference, oplist, options);
    if (!plan)
        return npart__settle_for(inference->life, npart__fail_memory(error), error);
    bool is_found = npart__plan_find_memory(trial, &plan->life->arena, &plan->plan);
    /* What a trial was asked with goes with the call. */
    is_found = is_found && copy_options(options, &plan->life->arena, &plan->plan.request);
    is_found &= !npart__take_failure(plan->plan.session.inference) && !npart__take_failure(inference->inference);
    npart_status status = is_found ? tell_plan(plan, error) : npart__fail_memory(error);
    plan->plan.request.is_trial = false;
    return NPART__HAND_OVER(out, plan, status, error);
}

struct npart__plan_request npart__plan_request_of(const struct npart_plan_options *options)
{
    bool is_new = options->version >= 2;
    return (struct npart__plan_request){
        .products = npart__products,
        .partitioner = lasting_name(options->partitioner),
        .stages = options->gates,
        .level = options->level == NPART_LEVEL_OFF ? NPART_LEVEL_OFF : NPART_LEVEL_BASIC,
        .assumed = options->assumptions,
        .assumed_count = options->assumption_count,
        .cuts = options->cuts,
        .cut_count = options->cut_count,
        .invoker = options->runtime,
        .is_sustained = options->is_sustained,
        .ram_bytes = is_new ? options->ram_bytes : 0,
        .prompt_tokens = is_new ? options->prompt_tokens : 0,
        .device = is_new ? npart__device_class(options->device_class) : NULL,
    };
}

/* What does not depend on the model, checked as far as it can be without the op list's rules. `*options` becomes the
 * defaults where there are none. */
static npart_status begin_request(const npart_oplist *oplist, const char *target,
                                  const struct npart_plan_options **options, struct npart__plan_request *out,
                                  struct npart_error *error)
{
    static const struct npart_plan_options defaults = NPART_PLAN_OPTIONS_INIT;
    *options = *options ? *options : &defaults;
    npart_status status = npart__check_plan_options(*options, error);
    if (status != NPART_OK)
        return status;
    const char *rest = npart__target_rest(&oplist->oplist, target, error);
    if (!rest)
        return NPART_ERROR_ARGUMENT;
    *out = npart__plan_request_of(*options);
    out->oplist = &oplist->oplist;
    out->target = rest;
    return NPART_OK;
}

npart_status npart_target_check(const npart_oplist *oplist, const char *target,
                                const struct npart_plan_options *options, struct npart_error *error)
{
    struct npart__plan_request request;
    struct npart__plan plan = {0};
    if (!oplist)
        return npart__fail_null("oplist", error);
    npart_status status = begin_request(oplist, target, &options, &request, error);
    if (status != NPART_OK)
        return status;
    struct npart__arena scratch;
    npart__arena_init(&scratch, options->allocator ? options->allocator : &oplist->life->arena.allocator);
    status = npart__plan_choose(&request, &scratch, &plan, error);
    npart__arena_clear(&scratch);
    return npart__settle_for(oplist->life, status, error);
}

/* The order of the checks is that of the arguments, so that the message names the first that is
 * wrong. The inference stays locked throughout: rules read elements, and views are added to it. */
npart_status npart_plan_make(npart_plan **out, const npart_inference *inference, const npart_oplist *oplist,
                             const char *target, const struct npart_plan_options *options, struct npart_error *error)
{
    struct npart__plan_request request;
    if (!out || !inference || !oplist)
        return npart__fail_null(!out ? "out" : inference ? "oplist" : "inference", error);
    npart_status status = begin_request(oplist, target, &options, &request, error);
    if (status != NPART_OK)
        return status;
    /* A view has what one runtime knows; a plan needs all that is known. */
    if (inference->made_from)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "no plan can be made from the view of a plan");
    npart_plan *plan = new_plan(inference, oplist, options);
    if (!plan)
        return npart__settle_for(inference->life, npart__fail_memory(error), error);
    request.model_name = inference->model->file;
    request.inference = inference->inference;
    request.shared = &inference->views->shared;
    npart__lock(inference);
    status = make_plan(plan, &request, options, error);
    npart__unlock(inference);
    /* Views lie in the inference, whose budget may be another where the plan has an allocator of its own. */
    status = npart__settle_for(inference->life, npart__settle_for(plan->life, status, error), error);
    return NPART__HAND_OVER(out, plan, status, error);
}

NPART__FREES(plan)

/* ---- the whole --------------------------------------------------------------------------------------------- */

/* As it could be asked for again: "hexagon:v73+float". Switches are written only where they
 * differ from what the variant has on by default. The toolchain is left out: it is told by itself
 * (npart_plan_info), and the newest is usual. */
static bool write_target(npart_plan *plan)
{
    const struct npart__target *at = &plan->plan.target;
    const struct npart__oplist *oplist = at->oplist;
    uint32_t by_default = at->variant == NPART_NONE ? 0 : oplist->variants.items[at->variant].switches;
    struct npart__buffer text = {.arena = &plan->life->arena};
    npart__append_text(&text, oplist->name);
    npart__append_text(&text, *at->variant_text ? ":" : "");
    npart__append_text(&text, at->variant_text);
    plan->switches = npart__arena_zeroed(&plan->life->arena, oplist->switches.count + (size_t)1, sizeof(char *));
    for (uint32_t i = 0; plan->switches && i < oplist->switches.count; i++) {
        bool is_on = at->switches >> i & 1;
        if (is_on)
            plan->switches[plan->switch_count++] = oplist->switches.items[i];
        if (is_on == (by_default >> i & 1))
            continue;
        npart__append_text(&text, is_on ? "+" : "-");
        npart__append_text(&text, oplist->switches.items[i]);
    }
    plan->target = npart__buffer_text(&text);
    const char *as = plan->inference->model->as;
    plan->label = as ? npart__arena_format(&plan->life->arena, "%s as %s", plan->target, as) : plan->target;
    plan->verified = npart__verified_text(&plan->life->arena, oplist, at->toolchain_text);
    return plan->switches && plan->verified && plan->label && !text.failed;
}

/* Live nodes in the order that they run: region by region, step by step. Steps are numbered within a region.
 * Bodies come where their scope does, after the main graph, though they run within it. Copies are not in it: the
 * graph is the file's or the view's, and callers have no ids of copies. */
static bool find_order(npart_plan *plan)
{
    const struct npart__graph *graph = plan->plan.graph;
    struct npart__arena *arena = &plan->life->arena;
    uint32_t *starts = npart__arena_zeroed(arena, npart__most_steps(graph) + 1, sizeof *starts);
    plan->order = npart__arena_allocate(arena, (plan->plan.session.live_count + (size_t)1) * sizeof *plan->order);
    if (!starts || !plan->order)
        return false;
    for (uint32_t s = 0; s < graph->scopes.count; s++)
        if (npart__scope_at(graph, s)->region == s)
            plan->order_count += npart__order_of_steps(graph, &plan->plan.partitioning, s, starts,
                                                        plan->order + plan->order_count);
    npart__arena_release(arena, starts);
    return true;
}

/* Of a runtime that has room for so many partitions. The smallest number of all `keep` lines
 * that count; 0: as many as there are. Lines whose condition the target does not meet do not count. */
static void find_most_partitions(npart_plan *plan)
{
    const struct npart__target *target = &plan->plan.target;
    for (uint32_t i = 0; i < target->oplist->policies.count; i++) {
        const struct npart__policy *policy = &target->oplist->policies.items[i];
        bool counts = npart__policy_keeps(policy) && npart__target_has(target, policy->when);
        if (counts && (plan->most_partitions == 0 || policy->number < plan->most_partitions))
            plan->most_partitions = policy->number;
    }
}

/* All that getters return as an address must be there before the first is called, as they are const. What few
 * callers want is found when it is first asked for instead (npart__late), since it takes time. */
bool npart__prepare_plan(npart_plan *plan)
{
    find_most_partitions(plan);
    return plan->late && write_target(plan) && find_order(plan);
}

/* What was asked for, as it was understood. Defaults are filled in: the variant, the toolchain and the
 * partitioner that were taken where none was named. */
bool npart_plan_info(const npart_plan *handle, struct npart_plan_info *out)
{
    if (!handle || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__plan *plan = &handle->plan;
    *out = (struct npart_plan_info){
        .size = sizeof *out,
        .target = handle->target,
        .label = handle->label,
        .as = handle->inference->model->as,
        .variant = plan->target.variant_text,
        .toolchain = plan->target.toolchain_text,
        .partitioner = plan->partitioner->name,
        .level = plan->level,
        .unit = plan->target.oplist->unit,
        .on_unit = plan->target.oplist->on_unit,
        .beside = plan->target.oplist->beside,
        .verified = handle->verified,
        .switch_count = handle->switch_count,
        .switches = handle->switches,
        .most_partitions = handle->most_partitions,
        .cause_count = plan->causes.items.count,
        .crossing_count = plan->partitioning.crossings.count,
        .live_count = handle->order_count,
        .allocator = &handle->life->arena.allocator,
    };
    return true;
}

bool npart_plan_release(const npart_plan *plan, struct npart_release *out)
{
    if (!plan || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__target *target = &plan->plan.target;
    const struct npart__oplist *oplist = target->oplist;
    if (!oplist->toolchains.count ||
        (target->standing == NPART_RELEASE_LISTED && target->toolchain + 1 == oplist->toolchains.count))
        return false;
    *out = (struct npart_release){.size = sizeof *out,
                                  .standing = target->standing,
                                  .rules = oplist->toolchains.items[target->toolchain],
                                  .newer = plan->newer.toolchain,
                                  .newer_nodes = plan->newer.node_count,
                                  .newer_ops = plan->newer.ops,
                                  .newer_op_count = plan->newer.op_count};
    return true;
}

bool npart_plan_decided(const npart_plan *plan, struct npart_decided *out)
{
    if (!plan || !NPART__HAS_ROOM(out) || !plan->plan.decided.is_later)
        return false;
    const struct npart__decided *decided = &plan->plan.decided;
    const struct npart__oplist *oplist = plan->plan.target.oplist;
    uint32_t units = 0;
    while (units < NPART__LIMIT_UNITS && oplist->units[units])
        units++;
    *out = (struct npart_decided){.size = sizeof *out,
                                  .by = oplist->decided_by,
                                  .units = oplist->units,
                                  .unit_count = units,
                                  .taken = decided->taken,
                                  .elsewhere = decided->elsewhere,
                                  .most_on_npu = decided->most_on_npu,
                                  .rules = decided->rules,
                                  .rule_nodes = decided->rule_nodes,
                                  .rule_count = decided->rule_count};
    return true;
}

bool npart_plan_provider(const npart_plan *plan, struct npart_provider *out)
{
    const struct npart__provider *at = plan ? npart__target_provider(&plan->plan.target) : NULL;
    if (!at || !NPART__HAS_ROOM(out))
        return false;
    *out = (struct npart_provider){.size = sizeof *out,
                                   .name = at->name,
                                   .compiler = at->compiler,
                                   .package = at->package,
                                   .hint = at->hint ? at->hint : "",
                                   .source = at->source};
    return true;
}

/* A target that is not in sessions has no options for them. */
bool npart_plan_provider_option(const npart_plan *plan, uint32_t index, struct npart_provider_option *out)
{
    const struct npart__target *target = plan ? &plan->plan.target : NULL;
    const struct npart__provider_option *at =
        target && npart__target_provider(target) ? npart__target_option(target, index) : NULL;
    if (!at || !NPART__HAS_ROOM(out))
        return false;
    *out = (struct npart_provider_option){.size = sizeof *out,
                                          .name = at->name,
                                          .value = npart__option_value(target, at),
                                          .is_session = at->is_session,
                                          .text = at->sentence,
                                          .source = at->source};
    return true;
}

const npart_inference *npart_plan_inference(const npart_plan *plan)
{
    return plan ? plan->inference : NULL;
}

/* Those of the plan alone: an operator that is refused here may be taken by another target. */
bool npart_plan_finding(const npart_plan *plan, uint32_t index, struct npart_finding *out)
{
    return NPART__GET(plan, plan.findings, index, out);
}

/* What the target's runtime knows: reports show shapes and nodes of this one. */
const npart_inference *npart_plan_view(const npart_plan *plan)
{
    return plan ? plan->view : NULL;
}

const npart_oplist *npart_plan_oplist(const npart_plan *plan)
{
    return plan ? plan->oplist : NULL;
}

bool npart_plan_summary(const npart_plan *plan, struct npart_summary *out)
{
    if (!plan || !NPART__HAS_ROOM(out))
        return false;
    *out = plan->plan.summary;
    out->size = sizeof *out;
    return true;
}

/* A side that lacks a quantity has no time at all: a sum without it would be too low by an unknown amount. */
static struct npart_cost_range range_of_bill(const struct npart__plan *plan, const struct npart__bill *bill,
                                             bool is_known)
{
    return is_known ? npart__bill_range(&plan->node_costs->rates, bill, NPART__PART_ALL)
                    : NPART__UNKNOWN_RANGE;
}

#define USUAL_PROMPT 1024u /* that a person writes, with what goes before it */

uint64_t npart__prompt_tokens(uint32_t asked, uint64_t slots)
{
    uint64_t usual = slots / 2 < USUAL_PROMPT ? slots / 2 : USUAL_PROMPT;
    return asked && slots ? asked : usual;
}

/* Of a run, that the runtime copies nothing where buffers stay bound between runs. */
static double bound_ms(const struct npart__plan *plan)
{
    const struct npart__rates *rates = &plan->node_costs->rates;
    uint8_t rate = rates->of[NPART__ARITHMETIC_FLOAT32][NPART__PARAMETER_RUNTIME_COPY];
    double ms = plan->cost.total_ms.typical_ms;
    return rate == NPART__NO_RATE
               ? ms
               : ms - plan->cost.bill.quantities[NPART__PART_COPY][rate] * rates->items[rate].ms;
}

/* Of runs of so many new tokens. Of plans of a search no memory is known. */
static void add_serving(const struct npart__plan *plan, struct npart_cost *out)
{
    uint32_t tokens = plan->memory.told.run_tokens;
    double ms = plan->cost.total_ms.typical_ms;
    uint64_t prompt = npart__prompt_tokens(plan->request.prompt_tokens, plan->memory.told.cache_slots);
    bool is_known = tokens && ms > 0, reads = is_known && tokens > 1 && prompt <= plan->memory.told.cache_slots;
    out->prompt_tokens = prompt;
    out->tokens_per_s = is_known ? tokens * 1000.0 / ms : -1;
    out->bound_tokens_per_s = is_known ? tokens * 1000.0 / bound_ms(plan) : -1;
    out->first_token_ms = reads ? (double)((prompt + tokens - 1) / tokens) * ms : -1;
}

/* Milliseconds and bytes of one run; sizes that are not known are counted and not guessed. Parts and whole are
 * ranges by themselves: the bounds of a sum are closer than the sum of the bounds. */
bool npart_plan_cost(const npart_plan *plan, struct npart_cost *out)
{
    if (!plan || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__cost *cost = &plan->plan.cost;
    struct npart__compile_work work = {.is_partial = false};
    for (uint32_t i = 0; i < plan->plan.partitioning.partitions.count; i++)
        npart__add_compile_work(plan, i, &work);
    *out = (struct npart_cost){
        .size = sizeof *out,
        .total = cost->total_ms,
        .switching = cost->parts_ms[NPART__PART_SWITCH],
        .copying = cost->parts_ms[NPART__PART_COPY],
        .layout = cost->parts_ms[NPART__PART_LAYOUT],
        .quantizing = cost->parts_ms[NPART__PART_QUANTIZE],
        .cpu = cost->parts_ms[NPART__PART_CPU],
        .npu_compute = cost->parts_ms[NPART__PART_NPU_COMPUTE],
        .npu_bandwidth = cost->parts_ms[NPART__PART_NPU_BANDWIDTH],
        .cold = cost->cold_ms,
        .cpu_alone = range_of_bill(&plan->plan, &plan->plan.sides.cpu, plan->plan.sides.is_cpu_known),
        .npu_whole = range_of_bill(&plan->plan, &plan->plan.sides.npu, plan->plan.sides.is_npu_known),
        .gpu = NPART__UNKNOWN_RANGE,
        .toolkit = NPART__UNKNOWN_RANGE,
        .bytes_to_npu = cost->bytes_to_npu,
        .bytes_to_cpu = cost->bytes_to_cpu,
        .conversions = cost->layouts.conversions,
        .conversion_bytes = cost->layouts.bytes,
        .unknown_sizes = cost->unknown_sizes,
        .unknown_nodes = cost->unknown_nodes,
        .break_even_macs = plan->plan.sides.break_even_macs,
        .fill = cost->fill,
        .runtime = npart__invoker_names[plan->plan.node_costs->rates.invoker],
        .is_calibrated = cost->basis != NPART_BASIS_DOCUMENTS,
        .is_cpu_measured = npart__bill_is_measured(&plan->plan.node_costs->rates, &plan->plan.sides.cpu),
        .basis = cost->basis,
        .held_out_error = npart__bill_error(&plan->plan.node_costs->rates, &cost->bill),
        .compile = npart__compile_range(&plan->plan.node_costs->rates, &work),
    };
    add_serving(&plan->plan, out);
    if (plan->plan.memory.told.cache_slots) {
        const struct npart__node_costs *nodes = plan->plan.node_costs;
        out->gpu = npart__cost_elsewhere(nodes, &plan->plan.session, NPART__ON_GPU, &out->gpu_by);
        out->toolkit = npart__cost_elsewhere(nodes, &plan->plan.session, NPART__IN_TOOLKIT, &out->toolkit_by);
    }
    return true;
}

/* One row for each format that the model has weights in, and what the target does with it. */
bool npart_plan_precision(const npart_plan *plan, uint32_t index, struct npart_precision *out)
{
    if (!plan || index >= plan->plan.precisions.items.count || !NPART__HAS_ROOM(out))
        return false;
    *out = plan->plan.precisions.items.items[index].told;
    return true;
}
