/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that the standard defines by others. ONNX Runtime inlines one when neither the provider takes the node nor
 * the CPU has a kernel for it, and asks the provider about the nodes within. In a model with functions of its own it
 * does so before it rewrites anything (GraphPartitioner::InlineFunctionsAOT); else in rounds of partitioning: what was
 * taken in a round stays a partition, nothing is folded any more, and what is inlined makes partitions of its own
 * (core/framework/graph_partitioner.cc, PartitionOnnxFormatModel).
 *
 * Gelu of opset 20 in FLOAT16 is not taken by a provider that lacks it, and the CPU has no kernel for FLOAT16, so the
 * runtime writes its Mul, Erf and Add in its place and offers these. Of float32 it would stay a Gelu on the CPU.
 */
#include "onnxruntime/onnxruntime.h"
#include "release/release.h"

/* ---- which nodes ------------------------------------------------------------------------------------------ */

/* A line of the list says whether the runtime inlines at all. */
static bool applies(const struct npart__target *target)
{
    return target->oplist->inlines_standard && npart__target_has(target, target->oplist->standard_when);
}

/* The body of a node that the CPU cannot run; NULL for all others, and where a type is not known. A call of the
 * model's own function is none: those are inlined while the graph is built. The first operand's type decides about
 * the kernel, as the table of kernels is by that. */
static const struct npart__body *body_of(const struct npart__plan *plan, const struct npart__node *node)
{
    const struct npart__inference *inference = plan->inference;
    const struct npart__graph *graph = inference->graph;
    const struct npart__body *body =
        node->callee == NPART_NONE ? npart__body_find(node->schema, node->opset_version) : NULL;
    uint32_t first = npart__node_input(graph, node, 0);
    if (!body || node->input_count > NPART__LIMIT_BODY_OPERANDS || first == NPART_NONE ||
        npart__kernel_exists(plan->release, node->schema, npart__fact_of(inference, first)->element_type))
        return NULL;
    /* A file may write more results than the operator has. */
    struct npart__operand last; /* the body makes what the operator has, and nothing beyond */
    if (node->output_count > 0 && !npart__operator_output(node->schema, node->output_count - 1, &last))
        return NULL;
    for (uint32_t i = 0; i < node->input_count; i++) { /* a body is chosen by the types of all operands */
        uint32_t value = npart__node_input(graph, node, i);
        if (value != NPART_NONE && !npart__fact_of(inference, value)->element_type)
            return NULL;
    }
    return body;
}

/* A node that is run, and offered to the provider: where a list leaves bodies to the CPU, theirs are not. In a
 * list without `bodies` lines they are offered like the main graph. */
static bool is_judged(const struct npart__plan *plan, uint32_t node)
{
    const struct npart__oplist *oplist = plan->target.oplist;
    uint32_t region = npart__node_region(plan->inference->graph, node);
    bool bodies_stay = oplist->bodies_stay && npart__target_has(&plan->target, oplist->bodies_when);
    return region != NPART_NONE && (region == 0 || !bodies_stay);
}

/* Whether any live node might be inlined, whatever its verdict: asked before anything is made. Mostly none might
 * be, and then the views that targets share are kept. */
static bool has_work(const struct npart__plan *plan)
{
    const struct npart__graph *graph = plan->inference->graph;
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        if (is_judged(plan, i) && body_of(plan, npart__node_at(graph, i)))
            return true;
    return false;
}

/* A result's type as the file would declare it, since inlining keeps what is known; NULL when out of memory. Of
 * what the operator makes more may be known than of what its body makes; the runtime keeps the operator's results,
 * with their shapes, and so is it here. */
static const struct npart__declared_type *declare(struct npart__arena *arena, const struct npart__fact *fact)
{
    struct npart__declared_type *type = npart__arena_zeroed(arena, 1, sizeof *type);
    struct npart__declared_dim *dims = npart__arena_zeroed(arena, fact->rank + (size_t)1, sizeof *dims);
    if (!type || !dims)
        return NULL;
    for (uint32_t i = 0; i < fact->rank; i++)
        dims[i].value = fact->dims[i];
    *type = (struct npart__declared_type){.kind = NPART__TYPE_TENSOR,
                                          .element_type = fact->element_type,
                                          .has_rank = true,
                                          .rank = fact->rank,
                                          .dims = dims};
    return type;
}

/* False when out of memory. */
static bool add_expansion(struct npart__plan *plan, struct npart__expansions *list, uint32_t id,
                          const struct npart__body *body)
{
    const struct npart__inference *inference = plan->inference;
    const struct npart__node *node = npart__node_at(inference->graph, id);
    struct npart__expansion made = {.node = id, .function = body};
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(inference->graph, node, i);
        made.input_types[i] = value == NPART_NONE ? 0 : npart__fact_of(inference, value)->element_type;
    }
    /* A body's statements may stand under conditions (attributes, operands that are absent); with others a result may
     * have none that makes it. */
    if (!npart__body_makes_results(inference->graph, &made))
        return true; /* then there is nothing that it could become */
    for (uint32_t i = 0; i < node->output_count && i < NPART__LIMIT_BODY_OPERANDS; i++) {
        uint32_t value = npart__node_output(inference->graph, node, i);
        if (value == NPART_NONE || !npart__is_static(npart__fact_of(inference, value)))
            continue;
        made.results[i] = declare(plan->arena, npart__fact_of(inference, value));
        if (!made.results[i])
            return false;
    }
    return NPART__PUSH(plan->arena, &list->items, made);
}

/* By the runtime's provider, whose list is the first: others look at what it has taken. What only a later stage
 * (frontend, compiler) does not take was claimed by the provider, so the runtime never gets to inline it. An
 * undecided node is not inlined either. */
bool npart__is_refused(const struct npart__plan *plan, uint32_t node)
{
    const struct npart__rule *rules = plan->target.oplist->rules.items;
    bool is_by_provider = false;
    if (!npart__is_live(&plan->session, node) || plan->mask.verdicts[node] != NPART_VERDICT_CPU)
        return false;
    for (uint32_t i = plan->mask.first_reason[node]; i < plan->mask.first_reason[node + 1]; i++) {
        const struct npart__reason *reason = &plan->mask.reasons.items[i];
        /* Stage 0 is the provider, the first of the list. A rule that only may fail is no refusal of the
         * provider's. */
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): where a node has reasons there is a list of them */
        is_by_provider |= reason->truth == NPART__FALSE && rules[reason->rule].stage == 0;
    }
    return is_by_provider;
}

/* The nodes that the provider does not take and the CPU cannot run. False when out of memory. Made anew each
 * round, from verdicts of the round before. */
static bool list_expansions(struct npart__plan *plan, struct npart__expansions *list)
{
    const struct npart__graph *graph = plan->inference->graph;
    list->items.count = 0;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__body *body = is_judged(plan, i) && npart__is_refused(plan, i)
                                             ? body_of(plan, npart__node_at(graph, i))
                                             : NULL;
        if (body && !add_expansion(plan, list, i, body))
            return false;
    }
    return true;
}

/* ---- what they become ------------------------------------------------------------------------------------- */

/* Repeated, since a definition may hold operators that have definitions themselves. Where nothing is inlined the
 * views that targets share are kept. This is before optimizers, so the session here is made only to judge, and
 * made again from the expanded graph. */
npart_status npart__inline_ahead(struct npart__plan *plan, struct npart_error *error)
{
    struct npart__shared *shared = plan->shared;
    struct npart__expansions list = {0};
    npart_status status = NPART_OK;
    /* In this order, as the last is a walk over the graph. */
    if (!plan->inference->graph->has_functions || !applies(&plan->target) || !has_work(plan))
        return NPART_OK;
    status = npart__own_views(plan, error);
    /* Ends, since each round replaces nodes by their definitions, and these do not go round in circles. */
    for (bool changed = true, is_first = true; status == NPART_OK && changed; is_first = false) {
        status = npart__session_make(plan->inference, plan->level, plan->release, plan->arena,
                                     &plan->session, error);
        if (status == NPART_OK)
            status = npart__judge_anew(plan, error);
        if (status == NPART_OK && !list_expansions(plan, &list))
            status = npart__fail_memory(error);
        changed = status == NPART_OK && list.items.count > 0;
        struct npart__inference *expanded = NULL;
        if (changed)
            status = npart__infer_expanded(plan->inference, list.items.items, list.items.count, false, plan->arena,
                                           &expanded, error);
        if (changed && status == NPART_OK)
            status = npart__take_expanded(plan, expanded, error);
        /* Nothing was inlined, so the graph is still the one that other targets see. */
        else if (is_first && !changed)
            plan->shared = shared;
    }
    return status;
}

/* ---- rounds ----------------------------------------------------------------------------------------------- */

/* One round: what is inlined is judged, and all else stays. */
static npart_status offer_again(struct npart__plan *plan, const struct npart__expansions *list,
                                struct npart_error *error)
{
    const struct npart__mask mask = plan->mask;
    npart_status status = npart__session_expand(&plan->session, list->items.items, list->items.count,
                                                plan->session.round_count + 1, plan->arena, error);
    return status == NPART_OK ? npart__judge_changed(plan, &mask, NULL, error) : status;
}

/* At most NPART__LIMIT_ROUNDS rounds, so that no definition by itself keeps this going. */
npart_status npart__inline_refused(struct npart__plan *plan, struct npart_error *error)
{
    struct npart__expansions list = {0};
    npart_status status = NPART_OK;
    if (!applies(&plan->target))
        return NPART_OK;
    while (status == NPART_OK && plan->session.round_count < NPART__LIMIT_ROUNDS) {
        if (!list_expansions(plan, &list))
            return npart__fail_memory(error);
        if (list.items.count == 0)
            break;
        status = offer_again(plan, &list, error);
    }
    return status;
}
