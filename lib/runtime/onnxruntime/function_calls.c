/* SPDX-License-Identifier: Apache-2.0
 *
 * Calls of a model's own functions that a provider takes whole. ONNX Runtime inlines a function only if no provider
 * claims its call; where a provider finds its rules by the name of an op alone, whatever the domain, a function of the
 * name of an op that it has is judged as that op. What is not supported is inlined, and the calls within it are asked
 * about.
 *
 * With a function of the model's own named Gelu, a provider that has an op Gelu takes the call as that, and its body
 * is never looked at; a provider without it lets the runtime inline the call.
 */
#include "onnxruntime/onnxruntime.h"

struct calls {
    struct npart__plan *plan;
    const struct npart__graph *graph; /* with all functions inlined */
    bool *is_refused;                 /* by node */
    bool *is_kept;                    /* by node */
    uint32_t kept_count;
};

/* Entries of ONNX's own domain alone: a provider that goes by names knows the standard's. */
static bool has_op(const struct npart__oplist *oplist, const char *name)
{
    for (uint32_t i = 0; i < oplist->ops.count; i++)
        if (!*oplist->ops.items[i].domain && strcmp(oplist->ops.items[i].name, name) == 0)
            return true;
    return false;
}

/* Its body is run, and makes all results: none is handed through. A function that hands an operand through as a
 * result could not stand as one node: that result is made before the call. */
static bool can_be_kept(const struct npart__graph *graph, const struct npart__node *node)
{
    if (node->callee == NPART_NONE || npart__scope_at(graph, node->scope)->region == NPART_NONE)
        return false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(graph, node, i);
        uint32_t producer = npart__producer(graph, value);
        uint32_t scope = producer == NPART_NONE ? NPART_NONE : npart__node_at(graph, producer)->scope;
        while (scope != NPART_NONE && scope != node->callee) /* from inside out, as calls nest */
            scope = npart__scope_at(graph, scope)->parent;
        if (value != NPART_NONE && scope == NPART_NONE)
            return false;
    }
    return true;
}

/* From the scope outwards over the calls that it stands in: what is inside a kept call is not there as nodes. */
static bool is_within_kept(const struct calls *calls, uint32_t scope)
{
    while (npart__scope_at(calls->graph, scope)->parent != NPART_NONE) {
        if (calls->is_kept[npart__scope_at(calls->graph, scope)->node])
            return true;
        scope = npart__scope_at(calls->graph, scope)->parent;
    }
    return false;
}

/* The outermost calls that may be an op of the list and have not been rejected. Nodes are listed outside first. A
 * function of a name that the standard does not have can be no op of a provider. Its newest version is asked for,
 * since the call's own opset is that of the function's domain. One walk over the nodes; those inside of a
 * candidate are none while it is kept. */
static void find_candidates(struct calls *calls)
{
    const struct npart__graph *graph = calls->graph;
    calls->kept_count = 0;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        const char *op = npart__node_op(graph, node);
        calls->is_kept[i] = !calls->is_refused[i] && can_be_kept(graph, node) &&
                            !is_within_kept(calls, node->scope) && npart__operator_find("", op, INT32_MAX) &&
                            has_op(calls->plan->target.oplist, op);
        calls->kept_count += calls->is_kept[i];
    }
}

/* Takes out what the list does not take of the candidates; *out whether any was. */
static npart_status judge_candidates(struct calls *calls, struct npart__inference *all, bool *changed,
                                     struct npart_error *error)
{
    struct npart__plan *plan = calls->plan;
    struct npart__graph *graph = npart__arena_zeroed(plan->arena, 1, sizeof *graph);
    plan->inference = npart__arena_zeroed(plan->arena, 1, sizeof *plan->inference);
    /* Made anew each round, in the plan's arena. */
    npart_status status = graph && plan->inference ? NPART_OK : npart__fail_memory(error);
    if (status == NPART_OK)
        status = npart__graph_keep_calls(calls->graph, calls->is_kept, plan->arena, graph, error);
    if (status == NPART_OK)
        status = npart__infer(graph, &all->options, plan->arena, plan->inference, error);
    if (status == NPART_OK)
        status = npart__session_make(plan->inference, plan->level, plan->release, plan->arena,
                                     &plan->session, error);
    if (status == NPART_OK)
        status = npart__judge_anew(plan, error);
    *changed = false;
    /* What is undecided is inlined, too: only a clear yes claims a call. */
    for (uint32_t i = 0; status == NPART_OK && i < graph->nodes.count; i++)
        if (calls->is_kept[i] && npart__is_live(&plan->session, i) && plan->mask.verdicts[i] != NPART_VERDICT_NPU)
            calls->is_refused[i] = *changed = true;
    return status;
}

/* Repeated until nothing more is taken out: a call that is inlined shows the calls within it, which are candidates
 * then. Ends since each round takes out at least one node more. */
npart_status npart__settle_calls(struct npart__plan *plan, struct npart_error *error)
{
    struct npart__inference *all = plan->inference;
    size_t nodes = all->graph->nodes.count + (size_t)1;
    struct calls calls = {.plan = plan, .graph = all->graph};
    npart_status status = NPART_OK;
    /* A graph of one scope has no calls. */
    bool changed = plan->target.oplist->claims_by_name && all->graph->scopes.count > 1;
    if (!changed)
        return status;
    calls.is_refused = npart__arena_zeroed(plan->arena, nodes, sizeof(bool));
    calls.is_kept = npart__arena_zeroed(plan->arena, nodes, sizeof(bool));
    struct npart__shared *shared = plan->shared, *own = npart__arena_zeroed(plan->arena, 1, sizeof *own);
    if (!calls.is_refused || !calls.is_kept || !own)
        return npart__fail_memory(error);
    own->arena = plan->arena;
    plan->shared = own; /* of inferences that go with the plan */
    while (status == NPART_OK && changed) {
        /* Each round begins from the graph with all functions inlined, and keeps fewer calls. */
        plan->inference = all;
        find_candidates(&calls);
        if (calls.kept_count == 0) {
            plan->shared = shared;
            return status;
        }
        status = judge_candidates(&calls, all, &changed, error);
    }
    return status;
}
