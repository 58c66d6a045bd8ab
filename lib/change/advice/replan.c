/* SPDX-License-Identifier: Apache-2.0
 *
 * The same plan of another target, or of the model with another opset.
 *
 * These are whole plans, with inference where the graph is another, so they are made only for rows that ask for one. A
 * plan that fails for any other reason than memory means that the step cannot be done, and is no error of the advice.
 */
#include "advice/what_if.h"
#include "onnxruntime/onnxruntime.h"

/* Out of memory is passed on; anything else means that it cannot be. A target that the list lacks, an opset by
 * which shapes conflict: such a row is impossible, and the next one that suits takes its place. */
static npart_status settle(npart_status status, struct npart__plan *made, struct npart__plan **out,
                           struct npart_error *error)
{
    *out = status == NPART_OK ? made : NULL;
    return status == NPART_ERROR_MEMORY ? npart__fail_memory(error) : NPART_OK;
}

/* The inference and the views are the plan's own, as the model is the same. */
npart_status npart__replan_target(const struct npart__plan *plan, const char *target, struct npart__arena *arena,
                                  struct npart__plan **out, struct npart_error *error)
{
    struct npart__plan_request request = plan->request;
    struct npart__plan *made = npart__arena_zeroed(arena, 1, sizeof *made);
    if (!made)
        return npart__fail_memory(error);
    request.target = target;
    request.is_trial = true;
    return settle(npart__plan_make(&request, arena, made, NULL), made, out, error);
}

/* ---- another opset ----------------------------------------------------------------------------------------- */

/* The import alone, where every node means the same: that is what a user would change in the file. Other domains
 * have versions of their own. */
static void raise_imports(struct npart__graph *graph, int64_t opset)
{
    for (uint32_t i = 0; i < graph->opset_count; i++)
        if (strcmp(graph->opsets[i].domain, "ai.onnx") == 0)
            graph->opsets[i].version = opset;
}

/* Nodes share all else with the graph, so only they and the imports are copied. False when out of memory. */
static bool copy_labels(const struct npart__graph *graph, struct npart__arena *arena, struct npart__graph *out)
{
    size_t bytes = graph->nodes.count * sizeof *graph->nodes.items;
    size_t opset_bytes = graph->opset_count * sizeof *graph->opsets;
    *out = *graph;
    out->nodes.items = npart__arena_allocate(arena, bytes + 1);
    out->opsets = npart__arena_allocate(arena, opset_bytes + 1);
    if (!out->nodes.items || !out->opsets)
        return false;
    memcpy(out->nodes.items, graph->nodes.items, bytes);
    memcpy(out->opsets, graph->opsets, opset_bytes);
    return true;
}

/* The model's graph with the opset; false when out of memory. A node of another domain, or of an unknown version,
 * keeps what it has. */
static bool relabel(const struct npart__graph *graph, int64_t opset, const bool *is_own, bool only_own,
                    struct npart__arena *arena, struct npart__graph *out, bool *is_import_only)
{
    *is_import_only = true;
    if (!copy_labels(graph, arena, out))
        return false;
    for (uint32_t i = 0; i < out->nodes.count; i++) {
        struct npart__node *node = &out->nodes.items[i];
        const char *domain = npart__text(&graph->strings, node->domain);
        /* ONNX's own alone, in which "" and "ai.onnx" are one; other domains have no such opset. */
        if (*domain || node->opset_version == 0)
            continue;
        const struct npart__operator *after = npart__operator_find("", npart__node_op(graph, node), opset);
        bool is_same = npart__means_the_same(graph, node, after);
        *is_import_only &= is_same;
        /* Nodes of the cause get the version whatever it means: the action says that they have to be exported anew. */
        if (!after || !(is_own[i] || (is_same && !only_own)))
            continue;
        node->schema = after;
        node->opset_version = (int32_t)opset;
    }
    if (*is_import_only && !only_own)
        raise_imports(out, opset);
    return true;
}

/* What is known of another graph than the plan's. A new inference needs views of its own. */
struct other {
    struct npart__inference inference;
    struct npart__shared shared;
    npart_status status;
};

/* A model that the runtime would refuse to load, though it loads it now, is no way out. NULL when out of memory. */
static struct other *look_at(struct npart__inference *asked, const struct npart__graph *graph,
                             struct npart__arena *arena)
{
    struct other *made = npart__arena_zeroed(arena, 1, sizeof *made);
    if (!made)
        return NULL;
    made->shared.arena = arena;
    made->status = npart__infer(graph, &asked->options, arena, &made->inference, NULL);
    if (made->status == NPART_OK)
        made->status = npart__find_invalid(&made->inference, NULL);
    if (made->status == NPART_OK && npart__is_invalid(&made->inference) && !npart__is_invalid(asked))
        made->status = NPART_ERROR_ARGUMENT; /* the runtime would not load it */
    return made->status == NPART_ERROR_MEMORY ? NULL : made;
}

static npart_status plan_of_graph(const struct npart__plan *plan, struct other *other, struct npart__arena *arena,
                                  struct npart__plan **out, struct npart_error *error)
{
    struct npart__plan *made = npart__arena_zeroed(arena, 1, sizeof *made);
    if (!other || !made)
        return npart__fail_memory(error);
    struct npart__plan_request request = plan->request;
    request.inference = &other->inference;
    request.shared = &other->shared;
    request.is_trial = true;
    npart_status status = other->status;
    if (status == NPART_OK)
        status = npart__plan_make(&request, arena, made, NULL);
    return settle(status, made, out, error);
}

/* Most targets ask for the same opset at the same nodes, so what is known of it is kept with the model's. */
struct npart__other_opset {
    const struct npart__inference *asked;
    struct npart__graph graph;
    struct other *other;
    struct npart__other_opset *next;
};

static bool is_same_graph(const struct npart__graph *a, const struct npart__graph *b)
{
    return memcmp(a->nodes.items, b->nodes.items, a->nodes.count * sizeof *a->nodes.items) == 0 &&
           memcmp(a->opsets, b->opsets, a->opset_count * sizeof *a->opsets) == 0;
}

/* NULL when out of memory. */
static struct other *find_opset(const struct npart__plan *plan, const struct npart__graph *graph)
{
    struct npart__inference *asked = plan->request.inference;
    struct npart__shared *shared = plan->request.shared;
    struct npart__other_opset *at = shared->opsets;
    while (at && (at->asked != asked || !is_same_graph(&at->graph, graph)))
        at = at->next;
    if (at)
        return at->other;
    struct npart__other_opset *made = npart__arena_zeroed(shared->arena, 1, sizeof *made);
    if (!made || !copy_labels(graph, shared->arena, &made->graph))
        return NULL;
    made->asked = asked;
    made->other = look_at(asked, &made->graph, shared->arena);
    made->next = shared->opsets;
    if (made->other)
        shared->opsets = made;
    return made->other;
}

npart_status npart__replan_opset(const struct npart__plan *plan, int64_t opset, const bool *is_own, bool only_own,
                                 struct npart__arena *arena, struct npart__plan **out, bool *is_import_only,
                                 struct npart_error *error)
{
    struct npart__graph graph;
    if (!relabel(plan->request.inference->graph, opset, is_own, only_own, arena, &graph, is_import_only))
        return npart__fail_memory(error);
    return plan_of_graph(plan, find_opset(plan, &graph), arena, out, error);
}

npart_status npart__replan_converted(const struct npart__plan *plan, int from, int to, struct npart__arena *arena,
                                     struct npart__plan **out, struct npart_error *error)
{
    struct npart__graph *graph = npart__arena_zeroed(arena, 1, sizeof *graph);
    if (!graph)
        return npart__fail_memory(error);
    npart_status status = npart__graph_convert(plan->request.inference->graph, from, to, arena, graph, error);
    if (status != NPART_OK)
        return status;
    return plan_of_graph(plan, look_at(plan->request.inference, graph, arena), arena, out, error);
}
