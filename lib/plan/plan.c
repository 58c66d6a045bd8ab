/* SPDX-License-Identifier: Apache-2.0
 *
 * The plan: every stage after inference for one target, in order, and what the caller asked to be different.
 *
 * What does not depend on the target but on how its runtime sees the graph (level, release, whether it settles
 * branches and calls) is made once and kept with the inference: several targets of one runtime share the view, the
 * session and the classes of equivalent nodes. What depends on the target is made anew each time.
 *
 * What products do by themselves with a model is no business of this file: at each moment of a plan it asks their rows
 * (lib/plan/partition/product.h). Cuts are looked up in the graph that they leave, since a name may be of a node that
 * only inlining has made visible.
 */
#include "plan/plan.h"

/* ---- what is asked for ------------------------------------------------------------------------------------ */

/* An error that names the nearest stage. Each has two names: its own, and that under which a missing entry is
 * reported, which is the one that people see in reports. */
static npart_status lack_stage(const struct npart__oplist *oplist, const char *name, size_t length,
                              struct npart_error *error)
{
    struct npart__nearest nearest;
    char hint[NPART__HINT_BYTES];
    npart__nearest_init(&nearest, name, length);
    for (uint32_t i = 0; i < oplist->stage_count; i++) {
        npart__nearest_offer(&nearest, oplist->stages[i].missing);
        npart__nearest_offer(&nearest, oplist->stages[i].name);
    }
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s has no gate \"%.*s\"%s", oplist->name, (int)length, name,
                       npart__nearest_hint(&nearest, hint, sizeof hint));
}

/* `--gates a,b` asks only some stages of the list, in the list's own order, whatever order they are named in. An
 * empty text asks none, so that only folding and partitioning are left. A bit a stage: a list has at most
 * NPART__LIMIT_STAGES of them. A comma at the end names nothing more. */
static npart_status choose_stages(struct npart__plan *plan, const char *text, struct npart_error *error)
{
    const struct npart__oplist *oplist = plan->target.oplist;
    if (!text)
        return NPART_OK;
    plan->target.stages = 0;
    /* "compiler,provider" asks these two; a name between two commas is empty, and no stage has it. */
    while (*text) {
        size_t length = strcspn(text, ",");
        uint32_t stage = NPART_NONE;
        for (uint32_t i = 0; i < oplist->stage_count; i++) {
            const char *names[] = {oplist->stages[i].name, oplist->stages[i].missing};
            for (size_t k = 0; k < 2; k++)
                if (strlen(names[k]) == length && memcmp(names[k], text, length) == 0)
                    stage = i;
        }
        if (stage == NPART_NONE)
            return lack_stage(oplist, text, length, error);
        plan->target.stages |= UINT32_C(1) << stage;
        text += length + (text[length] == ',' ? 1 : 0);
    }
    return NPART_OK;
}

static npart_status lack_word(const char *what, const char *name, const struct npart__nearest *nearest,
                              struct npart_error *error)
{
    char hint[NPART__HINT_BYTES];
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there is no %s \"%s\"%s", what, name,
                       npart__nearest_hint(nearest, hint, sizeof hint));
}

/* The caller's goes before the target's own: with another one the same verdicts can be seen as another runtime would
 * group them. Either may be misspelt: what reads a list knows no partitioners. */
static npart_status choose_partitioner(struct npart__plan *plan, const struct npart__plan_request *request,
                                       struct npart_error *error)
{
    const char *name = request->partitioner ? request->partitioner : npart__target_partitioner(&plan->target);
    struct npart__nearest nearest;
    plan->partitioner = npart__find_partitioner(request->products, name);
    if (plan->partitioner)
        return NPART_OK;
    npart__nearest_init(&nearest, name, strlen(name));
    for (size_t i = 0; npart__partitioner_name(request->products, i); i++)
        npart__nearest_offer(&nearest, npart__partitioner_name(request->products, i));
    return lack_word("partitioner", name, &nearest, error);
}

static npart_status lack_invoker(const char *name, struct npart_error *error)
{
    struct npart__nearest nearest;
    npart__nearest_init(&nearest, name, strlen(name));
    for (size_t i = 0; i < NPART__INVOKERS; i++)
        npart__nearest_offer(&nearest, npart__invoker_names[i]);
    npart__nearest_offer_as(&nearest, "ort", "onnxruntime"); /* as many call it */
    return lack_word("runtime", name, &nearest, error);
}

/* The target's own is its runtime, where that starts partitions. Another is one that some parameter speaks of. */
static npart_status choose_invoker(struct npart__plan *plan, const char *name, struct npart_error *error)
{
    enum npart__invoker *out = &plan->invoker, *own = &plan->own_invoker;
    const struct npart__oplist *oplist = plan->target.oplist;
    const struct npart__runtime *runtime = npart__target_runtime(&plan->target);
    /* A target without a runtime, or whose runtime is only a way to look at graphs, is started by the vendor's
     * own. */
    if (!runtime || !npart__find_invoker(runtime->name, strlen(runtime->name), own))
        *own = NPART__INVOKER_BARE;
    *out = *own;
    if (name && !npart__find_invoker(name, strlen(name), out))
        return lack_invoker(name, error);
    /* Lines without `via` hold for every runtime, so one that no line names would get figures that were not meant for
     * it. */
    bool has_figures = *out == *own || *out == NPART__INVOKER_BARE;
    for (uint32_t i = 0; i < oplist->parameters.count; i++)
        has_figures |= oplist->parameters.items[i].invoker == (uint8_t)*out;
    return has_figures ? NPART_OK
                       : npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s has no figures for the runtime %s",
                                     oplist->name, name);
}

npart_status npart__plan_choose(const struct npart__plan_request *request, struct npart__arena *arena,
                                struct npart__plan *out, struct npart_error *error)
{
    npart_status status = npart__target_choose(request->oplist, request->target, arena, &out->target, error);
    if (status == NPART_OK && request->release)
        npart__target_take_toolchain(&out->target, request->release - 1);
    if (status == NPART_OK)
        status = choose_stages(out, request->stages, error);
    if (status == NPART_OK) {
        out->release = npart__target_release(&out->target);
        status = choose_partitioner(out, request, error);
    }
    return status == NPART_OK ? choose_invoker(out, request->invoker, error) : status;
}

/* By cause, what its affected nodes take while they are on the CPU: what a reader may win at most by mending it. One
 * node without a figure makes the sum unknown, since a part of it would look like the whole. Negative is "not
 * known", and stays so whatever is added. */
static bool sum_up_causes(struct npart__plan *plan)
{
    plan->cause_ms = npart__arena_zeroed(plan->arena, plan->causes.items.count + (size_t)1, sizeof *plan->cause_ms);
    for (uint32_t i = 0; plan->cause_ms && i < plan->graph->nodes.count; i++) {
        uint32_t cause = plan->causes.cause_of[i];
        if (cause == NPART_NONE || !npart__is_live(&plan->session, i))
            continue;
        const struct npart__side_cost *side =
            npart__side_of(plan->node_costs, i, plan->partitioning.partition_of);
        if (!side->is_known)
            plan->cause_ms[cause] = -1;
        else if (plan->cause_ms[cause] >= 0)
            plan->cause_ms[cause] += npart__side_ms(plan->node_costs, side);
    }
    return plan->cause_ms != NULL;
}

/* What the NPU surely does not run has no time there. */
static void price_elsewhere(struct npart__plan *plan)
{
    bool is_known = !npart__is_mostly_elsewhere(&plan->decided);
    for (uint32_t i = 0; plan->decided.elsewhere && i < plan->node_costs->count; i++) {
        struct npart__node_cost *cost = &plan->node_costs->items[i];
        if (!npart__is_elsewhere(&plan->decided, i))
            continue;
        cost->npu = cost->cpu;
        cost->npu.is_known &= is_known;
        cost->npu.count = is_known ? cost->npu.count : 0;
    }
}

/* What each node costs on either side is found once, and serves every partitioning of the plan's session. What-ifs
 * of lib/change/advice ask `node_costs` again, with other nodes accepted. */
static npart_status estimate(struct npart__plan *plan, const struct npart__fused *fused, struct npart_error *error)
{
    plan->node_costs = npart__arena_zeroed(plan->arena, 1, sizeof *plan->node_costs);
    if (!plan->node_costs)
        return npart__fail_memory(error);
    /* Rates first: they decide by what a node is limited. */
    npart__find_rates(&plan->target, plan->invoker, plan->own_invoker, plan->request.is_sustained,
                      &plan->node_costs->rates);
    if (!npart__cost_nodes(&plan->target, &plan->session, &plan->works, fused, plan->arena,
                           plan->node_costs))
        return npart__fail_memory(error);
    price_elsewhere(plan);
    npart_status status =
        npart__cost_sides(&plan->target, &plan->session, plan->node_costs, plan->arena, &plan->sides, error);
    return status == NPART_OK ? npart__estimate_cost(&plan->target, &plan->session, &plan->partitioning,
                                                     plan->node_costs, &plan->sides, plan->arena, &plan->cost, error)
                              : status;
}

/* What the caller names, each name once; by name the last of the requests, and whether it was found. */
struct wanted {
    struct npart__strings names; /* id 0 is "", which names nothing */
    /* By id of a name: the request's place in the caller's list. */
    uint32_t *request_of;
    bool *is_found;
};

/* Names that the user gives are looked up by hash, since there may be thousands of them, and of nodes. */
static bool open_wanted(struct wanted *wanted, uint32_t count, struct npart__arena *arena)
{
    wanted->request_of = npart__arena_zeroed(arena, count + (size_t)1, sizeof *wanted->request_of);
    wanted->is_found = npart__arena_zeroed(arena, count + (size_t)1, sizeof *wanted->is_found);
    return wanted->request_of && wanted->is_found && npart__strings_init(&wanted->names, arena);
}

/* A name that is wanted twice counts as the later request says. */
static bool want(struct wanted *wanted, const char *name, uint32_t request)
{
    uint32_t id = npart__intern_text(&wanted->names, name);
    if (id != NPART_NONE)
        wanted->request_of[id] = request;
    return id != NPART_NONE;
}

/* The id of what is wanted of that name, or 0. An empty name has the id 0 too, so it never finds anything, also
 * where nodes without a name have it. */
static uint32_t find_wanted(const struct wanted *wanted, const char *name)
{
    uint32_t id = npart__strings_find_text(&wanted->names, name);
    return id == NPART_NONE ? 0 : id;
}

/* "Erf" and "ai.onnx:Erf" are one; the last that speaks of an op counts. It is found by the op's name alone, which few
 * domains share. */
static npart_status assume_of_ops(const struct npart__plan *plan, const struct npart__plan_request *request,
                                  uint8_t *assumed, struct npart_error *error)
{
    const struct npart__graph *graph = plan->graph;
    const struct npart_assumption *all = request->assumed;
    size_t names = graph->strings.texts.count + (size_t)1, count = request->assumed_count + (size_t)1;
    uint32_t *last = npart__arena_allocate(plan->arena, names * sizeof *last);   /* by text of the graph */
    uint32_t *before = npart__arena_allocate(plan->arena, count * sizeof *before); /* of the same name */
    if (!last || !before)
        return npart__fail_memory(error);
    memset(last, 0xff, names * sizeof *last);
    /* Lists by name, the last first: an op that no node of the graph has is left out. */
    for (uint32_t k = 0; k < request->assumed_count; k++) {
        const char *name = all[k].op ? npart__after_last(all[k].op, ':') : NULL;
        uint32_t id = name ? npart__strings_find_text(&graph->strings, name) : NPART_NONE;
        if (id == NPART_NONE)
            continue;
        before[k] = last[id];
        last[id] = k;
    }
    /* As many steps as there are assumptions of that name, in several domains. */
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        uint32_t k = last[node->op_type];
        while (k != NPART_NONE && !npart__node_is(graph, node, all[k].op))
            k = before[k];
        if (k != NPART_NONE)
            /* 0, which is left elsewhere, says that nothing is assumed. */
            assumed[i] = all[k].on_npu ? NPART__ASSUME_NPU : NPART__ASSUME_CPU;
    }
    npart__arena_release(plan->arena, last);
    npart__arena_release(plan->arena, before);
    return NPART_OK;
}

/* `names_tensors`: those of results count, too. An error that names the nearest name that there is. All names are
 * offered, which costs one pass over the graph, on the way to an error only. */
static npart_status lack_node(const struct npart__graph *graph, const char *what, const char *name, const char *purpose,
                              bool names_tensors, struct npart_error *error)
{
    struct npart__nearest nearest;
    char hint[NPART__HINT_BYTES];
    npart__nearest_init(&nearest, name, strlen(name));
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        npart__nearest_offer(&nearest, npart__node_at(graph, i)->name);
    for (uint32_t i = 0; names_tensors && i < graph->values.count; i++)
        npart__nearest_offer(&nearest, npart__value_name(graph, i));
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there is no %s \"%s\" to %s%s", what, name, purpose,
                       nearest.count ? npart__nearest_hint(&nearest, hint, sizeof hint) : "");
}

/* After the ops, so that a node by its name overrides what was said of its op. Exporters repeat names across
 * functions and bodies; then all nodes of that name are meant. An op that is not there is no mistake here: one
 * command may serve several models. A node that is not there is one. */
static npart_status assume_of_nodes(const struct npart__plan *plan, const struct npart__plan_request *request,
                                    uint8_t *assumed, struct npart_error *error)
{
    const struct npart__graph *graph = plan->graph;
    struct wanted wanted;
    if (!open_wanted(&wanted, request->assumed_count, plan->arena))
        return npart__fail_memory(error);
    for (uint32_t k = 0; k < request->assumed_count; k++)
        /* An entry has an op or a node; those with an op were looked at before. */
        if (!request->assumed[k].op && !want(&wanted, request->assumed[k].node, k))
            return npart__fail_memory(error);
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        uint32_t id = find_wanted(&wanted, npart__node_at(graph, i)->name);
        if (id == 0)
            continue;
        wanted.is_found[id] = true;
        assumed[i] = request->assumed[wanted.request_of[id]].on_npu ? NPART__ASSUME_NPU : NPART__ASSUME_CPU;
    }
    for (uint32_t k = 0; k < request->assumed_count; k++)
        if (!request->assumed[k].op && !wanted.is_found[find_wanted(&wanted, request->assumed[k].node)])
            return lack_node(graph, "node", request->assumed[k].node, "assume something of", false, error);
    return NPART_OK;
}

/* By node what is assumed of it: nodes by their names count more than ops. NULL with NPART_OK: nothing is. */
static npart_status gather_assumptions(struct npart__plan *plan, const struct npart__plan_request *request,
                                       struct npart_error *error)
{
    if (request->assumed_count == 0)
        return NPART_OK;
    plan->assumed = npart__arena_zeroed(plan->arena, plan->graph->nodes.count + (size_t)1, sizeof *plan->assumed);
    if (!plan->assumed)
        return npart__fail_memory(error);
    npart_status status = assume_of_ops(plan, request, plan->assumed, error);
    return status == NPART_OK ? assume_of_nodes(plan, request, plan->assumed, error) : status;
}

/* By what stands for a result in the session: the tensor itself may be gone with an Identity after it. A value
 * that nothing stands for stands for itself. */
static void mark_results(struct npart__plan *plan, const struct npart__node *node)
{
    for (uint32_t k = 0; k < node->output_count; k++) {
        uint32_t value = npart__node_output(plan->graph, node, k);
        if (value != NPART_NONE)
            plan->is_cut[plan->session.stands_for[value]] = true;
    }
}

/* A name is of tensors, or else of nodes, whose results are meant. By `alias`: a result that a function or a taken
 * branch hands through is another name of the same tensor. */
static void mark_cuts(struct npart__plan *plan, struct wanted *wanted, bool *is_tensor)
{
    const struct npart__graph *graph = plan->graph;
    for (uint32_t v = 0; v < graph->values.count; v++) {
        uint32_t id = find_wanted(wanted, npart__value_name(graph, v));
        if (id == 0)
            continue;
        plan->is_cut[plan->session.stands_for[npart__value_at(graph, v)->alias]] = true;
        wanted->is_found[id] = is_tensor[id] = true;
    }
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        uint32_t id = find_wanted(wanted, npart__node_at(graph, i)->name);
        if (id == 0 || is_tensor[id])
            continue;
        wanted->is_found[id] = true;
        mark_results(plan, npart__node_at(graph, i));
    }
}

/* A cut point that is not found is an error, as a misspelt name would silently plan the whole graph. */
static npart_status gather_cuts(struct npart__plan *plan, const struct npart__plan_request *request,
                                struct npart_error *error)
{
    struct wanted wanted;
    if (request->cut_count == 0)
        return NPART_OK;
    plan->is_cut = npart__arena_zeroed(plan->arena, plan->graph->values.count + (size_t)1, sizeof *plan->is_cut);
    /* By id of a name: a tensor has it, so nodes of that name are not meant. */
    bool *is_tensor = npart__arena_zeroed(plan->arena, request->cut_count + (size_t)1, sizeof *is_tensor);
    bool ok = plan->is_cut && is_tensor && open_wanted(&wanted, request->cut_count, plan->arena);
    for (uint32_t i = 0; ok && i < request->cut_count; i++)
        ok = want(&wanted, request->cuts[i], i);
    if (!ok)
        return npart__fail_memory(error);
    mark_cuts(plan, &wanted, is_tensor);
    for (uint32_t i = 0; i < request->cut_count; i++)
        if (!wanted.is_found[find_wanted(&wanted, request->cuts[i])])
            return lack_node(plan->graph, "tensor or node", request->cuts[i], "cut after", true, error);
    return NPART_OK;
}

/* ---- counting --------------------------------------------------------------------------------------------- */

struct npart__partition_request npart__partition_request_of(const struct npart__plan *plan, bool *accepted)
{
    return (struct npart__partition_request){.session = &plan->session,
                                             .unmoved = &plan->unmoved,
                                             .target = &plan->target,
                                             .products = plan->request.products,
                                             .partitioner = plan->partitioner,
                                             .accepted = accepted,
                                             .is_cut = plan->is_cut,
                                             .match_of = plan->mask.match_of,
                                             .works = &plan->works,
                                             .seen = plan->seen};
}

/* Counts partitions for another choice of nodes without making them anew for the plan. `accepted` may be changed
 * by the policies of the list, which give partitions back to the CPU; the caller's own array of what was judged is
 * not touched. Neither costs nor causes are made, and all that partitioning needs goes with the scratch. */
static npart_status count_accepted(const struct npart__plan *plan, bool *accepted, struct npart__arena *scratch,
                                   uint32_t *count, struct npart_error *error)
{
    const struct npart__partition_request request = npart__partition_request_of(plan, accepted);
    return npart__count_partitions(&request, scratch, count, error);
}

/* The same graph partitioned with undecided nodes on the NPU, or on the CPU: the two ends of what the number of
 * partitions may be. Fatal nodes are never accepted: what fails to compile is on neither side. */
static npart_status count_with(const struct npart__plan *plan, bool accept_unknown, uint32_t *count,
                               struct npart_error *error)
{
    const struct npart__graph *graph = plan->session.graph;
    struct npart__arena scratch;
    npart__arena_init(&scratch, &plan->arena->allocator);
    bool *accepted = npart__arena_zeroed(&scratch, graph->nodes.count + (size_t)1, sizeof *accepted);
    npart_status status = accepted ? NPART_OK : npart__fail_memory(error);
    for (uint32_t i = 0; accepted && i < graph->nodes.count; i++)
        accepted[i] = plan->accepted[i] || (accept_unknown && plan->mask.verdicts[i] == NPART_VERDICT_UNKNOWN);
    if (status == NPART_OK)
        status = count_accepted(plan, accepted, &scratch, count, error);
    npart__arena_clear(&scratch);
    return status;
}

/* Whether a value is an input of the main graph. */
static bool is_fed_from_outside(const struct npart__graph *graph, uint32_t value)
{
    const struct npart__value *at = value == NPART_NONE ? NULL : npart__value_at(graph, value);
    return at && at->scope == 0 && at->producer == NPART_NONE;
}

/* Whether all that is not taken quantizes inputs of the model, or dequantizes its outputs. Such a model is as good
 * as whole: the two nodes at its ends turn float inputs and outputs into what the NPU computes with. Quantized
 * exports end in such nodes by convention, and a caller that feeds integers can drop them. In a body they would
 * run once a pass, so only those of the main graph count. */
static bool is_edge_alone(const struct npart__plan *plan, const bool *accepted)
{
    const struct npart__graph *graph = plan->session.graph;
    for (uint32_t i = 0; i < plan->session.file->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        if (!npart__is_live(&plan->session, i) || accepted[i])
            continue;
        bool is_quantizing = npart__node_plays(graph, node, NPART__ROLE_QUANTIZES) ||
                             npart__node_plays(graph, node, NPART__ROLE_DEQUANTIZES);
        uint32_t result = npart__node_output(graph, node, 0);
        /* Operands as reports tell them: of a copy, what it is copied from. */
        bool is_at_edge = is_fed_from_outside(graph, npart__operand_past_copies(&plan->session, node, 0)) ||
                          (result != NPART_NONE && npart__value_at(graph, result)->is_graph_output);
        if (!is_quantizing || !is_at_edge || npart__node_region(graph, i) != 0)
            return false;
    }
    return true;
}

/* Whether sizes at a node contradict each other, which no runtime can make up for: ONNX Runtime loads most such models,
 * and its own kernel fails in the first run (probe: onnxruntime 1.32.0, 15 operators). In a branch or loop that may
 * never be run; nor is what has been folded or is not used. */
static bool contradicts_itself(const struct npart__plan *plan)
{
    const struct npart__inference *asked = plan->request.inference;
    for (uint32_t i = 0; i < asked->contradicted.count; i++) {
        uint32_t id = asked->contradicted.items[i].node;
        if (id < plan->session.graph->nodes.count && npart__node_region(asked->graph, id) == 0 &&
            npart__is_live(&plan->session, id))
            return true;
    }
    return false;
}

bool npart__plan_is_loaded(const struct npart__plan *plan)
{
    bool is_loaded = !contradicts_itself(plan);
    for (const struct npart__product *product = plan->request.products; is_loaded && product->name; product++)
        is_loaded = !product->loads || product->loads(plan);
    return is_loaded;
}

bool npart__plan_has_kernels(const struct npart__plan *plan, const bool *accepted)
{
    for (uint32_t i = 0; plan->findings.count && i < plan->graph->nodes.count; i++)
        if (plan->lacks_kernel[i] && !accepted[i])
            return false;
    return true;
}

/* What fails comes first, since nothing runs then, however much is taken. "empty" is a model whose nodes are all
 * computed when the session is created; "edge" stands before "split" because a quantized model with float inputs
 * is what quantizers export. */
enum npart_plan_verdict npart__plan_verdict(const struct npart__plan *plan, const struct npart_summary *summary,
                                const bool *accepted, bool is_loaded)
{
    if (summary->failed || !is_loaded || !npart__plan_has_kernels(plan, accepted))
        return NPART_PLAN_FAILS;
    if (summary->live == 0)
        return NPART_PLAN_EMPTY;
    if (summary->accepted == 0)
        return NPART_PLAN_NONE;
    if (summary->partitions != 1)
        return NPART_PLAN_SPLIT;
    return summary->accepted == summary->live     ? NPART_PLAN_WHOLE
           : is_edge_alone(plan, accepted) ? NPART_PLAN_EDGE
                                           : NPART_PLAN_SPLIT;
}

/* Unknown nodes were left to the CPU. With all of them on the NPU there may be fewer partitions, as gaps close, or
 * more, as new ones begin; so both ends of the range are taken of the two counts. */
static npart_status summarize(struct npart__plan *plan, struct npart_error *error)
{
    struct npart_summary *summary = &plan->summary;
    summary->nodes = plan->graph->nodes.count;
    summary->folded = plan->session.folded_count;
    summary->fused = plan->session.fused_count;
    summary->live = plan->session.live_count;
    for (uint32_t i = 0; i < plan->graph->nodes.count; i++) {
        enum npart_verdict verdict = (enum npart_verdict)plan->mask.verdicts[i];
        if (!npart__is_live(&plan->session, i))
            continue;
        summary->accepted += verdict == NPART_VERDICT_NPU;
        summary->failed += verdict == NPART_VERDICT_FAIL;
        summary->unknown += verdict == NPART_VERDICT_UNKNOWN;
    }
    /* Nodes that fail to compile are among these, too. */
    summary->refused = summary->live - summary->accepted - summary->unknown;
    summary->partitions = plan->partitioning.partitions.count;
    summary->switches = plan->partitioning.switch_count;
    summary->partitions_low = summary->partitions_high = summary->partitions;
    /* A model with nothing left to run is covered as a whole. */
    summary->coverage = summary->live ? (double)summary->accepted / (double)summary->live : 1;
    /* Unknown as a whole where one node's work is: a share of a part of the work would look like one of all of it. */
    summary->has_macs = plan->partitioning.macs != NPART__WORK_UNKNOWN;
    if (summary->has_macs) {
        summary->macs = plan->partitioning.macs;
        summary->macs_on_npu = plan->partitioning.macs_in_partitions;
        summary->mac_coverage = summary->macs ? (double)summary->macs_on_npu / (double)summary->macs : 0;
    }
    summary->verdict = npart__plan_verdict(plan, summary, plan->accepted, npart__plan_is_loaded(plan));
    summary->fits = plan->memory.fits;
    summary->placed_later = plan->decided.is_later ? summary->accepted : 0;
    /* Else both ends of the range are the number that there is. */
    if (summary->unknown == 0)
        return NPART_OK;
    uint32_t with;
    npart_status status = count_with(plan, true, &with, error);
    if (status != NPART_OK)
        return status;
    if (with < summary->partitions_low)
        summary->partitions_low = with;
    if (with > summary->partitions_high)
        summary->partitions_high = with;
    return NPART_OK;
}

/* What is told of a session, whatever its target takes of it. */
struct npart__told {
    struct npart__works works;
    struct npart__fused fused;
    struct npart__whole_memory whole;
};

/* A view of the graph at one level. */
struct npart__shared_view {
    const struct npart__inference *inference;
    enum npart_level level;
    enum npart__release release;
    bool settles; /* known branches of Ifs are taken */
    struct npart__session session; /* where it settles, of the graph whose known branches are taken */
    const uint32_t *equivalent; /* see npart__find_equivalent */
    struct npart__told *told;      /* NULL: not yet */
    struct npart__shared_view *next;
};

/* Made at the first target that sees the graph so. Views are few (a handful of levels and releases), so a list is
 * enough. A view that could not be made whole is not put into the list, so a next try begins anew. */
static npart_status find_view(const struct npart__plan *plan, enum npart_level level, enum npart__release release,
                              bool settles, struct npart__shared_view **out, struct npart_error *error)
{
    struct npart__shared *shared = plan->shared;
    struct npart__inference *inference = plan->inference;
    struct npart__shared_view *view = shared->views;
    while (view && (view->inference != inference || view->level != level || view->release != release ||
                    view->settles != settles))
        view = view->next;
    *out = view;
    if (view)
        return NPART_OK;
    view = npart__arena_zeroed(shared->arena, 1, sizeof *view);
    if (!view)
        return npart__fail_memory(error);
    view->inference = inference;
    view->level = level;
    view->release = release;
    view->settles = settles;
    npart_status status = NPART_OK;
    for (const struct npart__product *product = plan->request.products; status == NPART_OK && product->name; product++)
        if (product->rewrite)
            status = product->rewrite(inference, level, release, settles, shared->arena, &view->session, error);
    if (status != NPART_OK)
        return status;
    view->equivalent = npart__find_equivalent(&view->session, shared->arena);
    if (!view->equivalent)
        return npart__fail_memory(error);
    view->next = shared->views;
    shared->views = view;
    *out = view;
    return NPART_OK;
}

/* A stage that folds by itself sees what is folded at the basic level, whatever the plan's is. With nodes that
 * came late (inlined in a round, or round a product) a plan of level basic is not folded either: those nodes are
 * as they were written. */
npart_status npart__plan_judge(struct npart__plan *plan, struct npart_error *error)
{
    struct npart__shared_view *basic = NULL;
    npart_status status = NPART_OK;
    bool is_folded = plan->level == NPART_LEVEL_BASIC && plan->inference->graph->first_late_node == NPART_NONE;
    /* OWN, since such a stage is a compiler that was handed the graph: what it folds by itself, and not what a
     * session rewrites. */
    if (!is_folded && npart__target_folds(&plan->target))
        status = find_view(plan, NPART_LEVEL_BASIC, NPART__RELEASE_OWN, false, &basic, error);
    if (status != NPART_OK)
        return status;
    /* In the debug build alone: what later stages count on in a session. */
    NPART__CHECK(npart__check_session(&plan->session));
    struct npart__live_graph live = {.session = &plan->session, .equivalent = plan->equivalent};
    for (const struct npart__product *product = plan->request.products; product->name; product++)
        live.hold = product->hold ? product->hold : live.hold;
    /* Without a stage that folds by itself, or where the plan is folded anyway, one graph serves all stages. */
    plan->judged = plan->session.graph;
    const struct npart__live_graph folded = {.session = basic ? &basic->session : NULL,
                                              .equivalent = basic ? basic->equivalent : NULL};
    return npart__judge(&plan->target, &live, basic ? &folded : NULL, plan->assumed, plan->arena, &plan->mask, error);
}

/* All that is known of the sizes in the plan's graph, which may have nodes that the request's has not. Causes,
 * work and memory are told by what is known of all sizes, and not by the little that some runtime knows: a size
 * that only its inference loses is still a size. */
static npart_status know_all(struct npart__session *session, struct npart__inference *asked,
                             struct npart__arena *arena, struct npart_error *error)
{
    struct npart__inference *known = asked;
    const struct npart__graph *file = session->file;
    npart_status status = NPART_OK;
    /* A body may add nodes and no value: each of its results may be one of the call's. */
    if (file->values.count != asked->graph->values.count || file->nodes.count != asked->graph->nodes.count) {
        known = npart__arena_zeroed(arena, 1, sizeof *known);
        status = known ? npart__infer(file, &asked->options, arena, known, error) : npart__fail_memory(error);
    }
    return status == NPART_OK && !npart__session_know(session, known, arena) ? npart__fail_memory(error) : status;
}

/* What is told of the session that all this has left: once for a view, unless the target has made one of its own. */
static npart_status tell_session(struct npart__plan *plan, struct npart__shared_view *view, struct npart__told **out,
                                 struct npart_error *error)
{
    bool is_shared = plan->session.graph == view->session.graph;
    struct npart__arena *arena = is_shared ? plan->shared->arena : plan->arena;
    struct npart__told *told = is_shared ? view->told : NULL;
    *out = told ? told : npart__arena_zeroed(arena, 1, sizeof *told);
    if (told || !*out)
        return told ? NPART_OK : npart__fail_memory(error); /* the plan's session is a copy of the view's */
    npart_status status = know_all(&plan->session, plan->request.inference, arena, error);
    if (status == NPART_OK && (!npart__find_work(&plan->session, arena, &(*out)->works) ||
                               !npart__find_fused(&plan->session, plan->level, arena, &(*out)->fused)))
        status = npart__fail_memory(error);
    if (status == NPART_OK && is_shared) {
        view->told = *out;
        view->session.known = plan->session.known;
    }
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------------------- */

static bool find_memory(struct npart__plan *plan, struct npart__whole_memory *whole)
{
    struct npart__memory_request request = {.target = &plan->target,
                                            .ram_bytes = plan->request.ram_bytes,
                                            .device = plan->request.device,
                                            .invoker = plan->invoker,
                                            .session = &plan->session,
                                            .partitioning = &plan->partitioning,
                                            .works = &plan->works,
                                            .whole = whole};
    return npart__find_memory(&request, plan->arena, &plan->memory);
}

/* What nothing else of a plan stands on. */
static npart_status find_causes(struct npart__plan *plan, struct npart_error *error)
{
    npart_status status = npart__find_causes(&plan->target, &plan->session, plan->level, &plan->mask,
                                             &plan->partitioning, plan->arena, &plan->causes, error);
    if (status == NPART_OK && (!sum_up_causes(plan) ||
                               !npart__find_precisions(&plan->target, &plan->session, &plan->mask, &plan->works,
                                                       plan->arena, &plan->precisions)))
        status = npart__fail_memory(error);
    return status;
}

bool npart__plan_find_memory(const struct npart__plan *trial, struct npart__arena *arena, struct npart__plan *out)
{
    struct npart__whole_memory whole = {.is_found = false};
    *out = *trial;
    out->arena = arena;
    bool is_found = trial->memory.told.limits || find_memory(out, &whole);
    if (is_found && trial->request.is_step)
        is_found = find_causes(out, NULL) == NPART_OK;
    out->request.is_step = false;
    out->summary.fits = out->memory.fits;
    return is_found;
}

/* What products do with a plan that has come so far, in the order of their rows; the first error ends it. */
static npart_status pass_by(struct npart__plan *plan, enum npart__moment moment, struct npart_error *error)
{
    npart_status status = NPART_OK;
    for (const struct npart__product *product = plan->request.products; product->name; product++)
        for (size_t i = 0; status == NPART_OK && i < NPART__PASSES && product->passes[moment][i]; i++)
            status = product->passes[moment][i](plan, error);
    return status;
}

/* The session of the view that the target sees, judged. A copy of the struct: its arrays are shared with other targets
 * and only read; what changes them makes its own (npart__session_expand). */
static npart_status judge_view(struct npart__plan *plan, struct npart__shared_view **view, struct npart_error *error)
{
    npart_status status =
        find_view(plan, plan->level, plan->release, plan->level == NPART_LEVEL_BASIC, view, error);
    if (status != NPART_OK)
        return status;
    plan->session = plan->unmoved = (*view)->session;
    plan->equivalent = (*view)->equivalent;
    plan->inference = plan->session.made_from;
    plan->graph = plan->inference->graph;
    return npart__plan_judge(plan, error);
}

/* By what is accepted, which policies and failures change: what they give back to the CPU has a rule, which
 * npart__hand_back makes the reason of. */
static npart_status form_partitions(struct npart__plan *plan, struct npart_error *error)
{
    uint32_t nodes = plan->session.graph->nodes.count;
    plan->accepted = npart__arena_zeroed(plan->arena, nodes + (size_t)1, sizeof *plan->accepted);
    if (!plan->accepted)
        return npart__fail_memory(error);
    for (uint32_t i = 0; i < nodes; i++)
        plan->accepted[i] = plan->mask.verdicts[i] == NPART_VERDICT_NPU;
    npart_status status = pass_by(plan, NPART__HAS_ACCEPTED, error);
    struct npart__partition_request request = npart__partition_request_of(plan, plan->accepted);
    request.mask = &plan->mask;
    if (status == NPART_OK)
        status = npart__partition_graph(&request, plan->arena, &plan->partitioning, error);
    if (status == NPART_OK)
        status = npart__hand_back(plan->target.oplist, plan->partitioning.handed_back, nodes, plan->arena, &plan->mask,
                                  error);
    return status == NPART_OK ? pass_by(plan, NPART__HAS_PARTITIONED, error) : status;
}

/* Each stage stands on those before, and the first error ends it: what has been made lies in the arena, which the
 * caller clears. `out->graph` changes on the way, as products change it: what is indexed by node or value is made after
 * that, or carried over by what changed it. */
npart_status npart__plan_make(const struct npart__plan_request *request, struct npart__arena *arena,
                              struct npart__plan *out, struct npart_error *error)
{
    struct npart__shared_view *view = NULL;
    struct npart__told *told = NULL;
    memset(out, 0, sizeof *out);
    out->arena = arena;
    out->request = *request;
    out->inference = request->inference;
    out->shared = request->shared;
    out->graph = request->inference->graph;
    out->level = request->level;
    /* Names first: a misspelt variant or stage is told before anything costs time. */
    npart_status status = npart__plan_choose(request, arena, out, error);
    if (status == NPART_OK)
        status = pass_by(out, NPART__SEES, error);
    if (status == NPART_OK)
        status = gather_assumptions(out, request, error);
    if (status == NPART_OK)
        status = pass_by(out, NPART__SETTLES, error);
    if (status == NPART_OK)
        status = judge_view(out, &view, error);
    if (status == NPART_OK)
        status = pass_by(out, NPART__HAS_JUDGED, error);
    if (status == NPART_OK)
        status = gather_cuts(out, request, error);
    if (status == NPART_OK)
        status = tell_session(out, view, &told, error);
    if (status != NPART_OK)
        return status;
    out->works = told->works;
    NPART__CHECK(npart__check_session(&out->session)); /* Transposes have moved */
    status = form_partitions(out, error);
    if (status == NPART_OK)
        npart__sum_macs(&out->session, &out->works, &out->partitioning);
    const uint32_t *equivalent = out->session.graph == out->judged ? out->equivalent : NULL;
    if (status == NPART_OK && !npart__find_decided(&out->target, &out->session, equivalent, &out->partitioning,
                                                   &out->works, arena, &out->decided))
        status = npart__fail_memory(error);
    if (status == NPART_OK && !request->is_trial && !find_memory(out, &told->whole))
        status = npart__fail_memory(error);
    if (status == NPART_OK)
        status = estimate(out, &told->fused, error);
    if (status == NPART_OK && !request->is_step)
        status = find_causes(out, error);
    if (status == NPART_OK)
        status = summarize(out, error);
    if (status == NPART_OK)
        NPART__CHECK(npart__check_plan(out));
    return status;
}
