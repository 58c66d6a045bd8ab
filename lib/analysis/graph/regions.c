/* SPDX-License-Identifier: Apache-2.0
 *
 * The same graph with other regions. Without the Ifs whose branch is known: the branch's nodes stand in the If's place,
 * as those of an inlined function do; the other branch is in no region any more. Or with some functions not inlined:
 * their nodes are in none.
 */
#include "graph/build.h"

/* One item more than there are, so that an empty array has an address, too. */
void *npart__build_copy_items(struct npart__arena *arena, const void *items, uint32_t count, size_t item_bytes)
{
    void *copy = npart__arena_allocate(arena, (count + (size_t)1) * item_bytes);
    return copy && count ? memcpy(copy, items, count * item_bytes) : copy;
}

/* Nodes and values keep their ids, so what is written to is copied. Attributes, strings, findings, opsets and the
 * order are still those of `graph`, which is why it must outlive the copy; the order is made anew in any case. */
bool npart__build_copy(const struct npart__graph *graph, struct npart__arena *arena, struct npart__graph *out)
{
    *out = *graph;
    out->arena = arena;
    return NPART__COPY_ARRAY(arena, &graph->nodes, &out->nodes) &&
           NPART__COPY_ARRAY(arena, &graph->values, &out->values) &&
           NPART__COPY_ARRAY(arena, &graph->scopes, &out->scopes) &&
           NPART__COPY_ARRAY(arena, &graph->operands, &out->operands);
}

/* Scopes are listed outside first. What stands in a branch that is not taken, or in the function
 * of a call that is one node, is in no region. */
static void place_scopes(struct npart__graph *graph, const uint32_t *taken)
{
    for (uint32_t s = 1; s < graph->scopes.count; s++) {
        struct npart__scope *scope = &graph->scopes.items[s];
        /* The parent's region is known already: parents are listed first. */
        uint32_t around = graph->scopes.items[scope->parent].region;
        uint32_t branch = taken ? taken[scope->node] : NPART_NONE;
        bool is_inlined = branch == s || graph->nodes.items[scope->node].callee == s;
        bool is_left_out = !is_inlined && (branch != NPART_NONE || scope->kind == NPART_GRAPH_CALL);
        bool is_dropped = around == NPART_NONE || scope->region == NPART_NONE || is_left_out;
        scope->region = is_dropped ? NPART_NONE : is_inlined ? around : s;
    }
}

/* The If's results are those of its branch. An inner value without a declared type takes the
 * If's: exporters often write the type of the result only. The result becomes an alias of the branch's, as the
 * output of a function that hands an input on does; operands that name it are replaced when aliases are resolved. */
static void take_branch(struct npart__graph *graph, uint32_t id, uint32_t branch)
{
    struct npart__node *node = &graph->nodes.items[id];
    const struct npart__scope *scope = &graph->scopes.items[branch];
    node->callee = branch;
    for (uint32_t i = 0; i < node->output_count && i < scope->output_count; i++) {
        uint32_t result = npart__node_output(graph, node, i);
        if (result == NPART_NONE)
            continue;
        uint32_t inner = graph->operands.items[scope->first_output + i];
        struct npart__value *from = &graph->values.items[inner], *to = &graph->values.items[result];
        to->alias = inner;
        to->producer = NPART_NONE;
        if (!from->declared)
            from->declared = to->declared;
    }
}

/* What is an output depends on the regions there are: results of a branch that was taken are
 * inner values now. Aliases are resolved after this, and hand the mark on to what they stand for (order.c). */
static void mark_outputs(struct npart__graph *graph)
{
    for (uint32_t i = 0; i < graph->values.count; i++)
        graph->values.items[i].is_graph_output = false;
    for (uint32_t s = 0; s < graph->scopes.count; s++) {
        const struct npart__scope *scope = &graph->scopes.items[s];
        for (uint32_t i = 0; scope->region == s && i < scope->output_count; i++)
            graph->values.items[graph->operands.items[scope->first_output + i]].is_graph_output = true;
    }
}

/* The call is a node of the standard's operator of that name, and makes its results itself. */
static void keep_call(struct npart__graph *graph, uint32_t id)
{
    struct npart__node *node = &graph->nodes.items[id];
    const char *op = npart__node_op(graph, node);
    node->callee = NPART_NONE;
    /* Id 0 is the empty text: the standard's own domain. */
    node->domain = 0;
    const struct npart_opset *standard = npart__standard_import(graph);
    if (standard)
        node->opset_version = (int32_t)standard->version;
    node->schema = npart__operator_find("", op, node->opset_version);
    node->traits = npart__operator_traits("", op);
    if (!node->schema) { /* younger than the model's opset */
        node->schema = npart__operator_find("", op, INT32_MAX);
        node->opset_version = node->schema ? node->schema->since : 0;
    }
    for (uint32_t i = 0; i < node->output_count; i++)
        if (npart__node_output(graph, node, i) != NPART_NONE)
            graph->values.items[npart__node_output(graph, node, i)].producer = id;
}

/* The last step for every graph that is made of another: order, captures and consumers of its
 * new regions. `build` has neither a model nor names here, so nothing but order.c may be asked with it. */
npart_status npart__build_finish(struct npart__graph *graph, struct npart_error *error)
{
    struct npart__build *build = npart__arena_zeroed(graph->arena, 1, sizeof *build);
    if (!build)
        return npart__fail_memory(error);
    build->graph = graph;
    build->arena = graph->arena;
    build->error = error;
    /* Findings are set aside while the order is made again, so that each is told once. */
    struct npart__graph had = *graph; /* what is odd about the order has been said */
    memset(&graph->findings, 0, sizeof graph->findings);
    npart_status status = npart__build_order_again(build);
    graph->findings = had.findings;
    npart__arena_release(graph->arena, build->captures.items);
    if (status == NPART_OK)
        NPART__CHECK(npart__check_graph(graph, NULL));
    return status;
}

/* The Ifs are nodes without a part in the order afterwards, as calls are: their branch is the callee. */
npart_status npart__graph_take_branches(const struct npart__graph *graph, const uint32_t *taken,
                                        struct npart__arena *arena, struct npart__graph *out,
                                        struct npart_error *error)
{
    if (!npart__build_copy(graph, arena, out))
        return npart__fail_memory(error);
    place_scopes(out, taken);
    for (uint32_t i = 0; i < out->nodes.count; i++)
        if (taken[i] != NPART_NONE)
            take_branch(out, i, taken[i]);
    mark_outputs(out);
    return npart__build_finish(out, error);
}

/* The bodies of such calls are in no region afterwards, so nothing of them is judged. */
npart_status npart__graph_keep_calls(const struct npart__graph *graph, const bool *is_kept, struct npart__arena *arena,
                                     struct npart__graph *out, struct npart_error *error)
{
    if (!npart__build_copy(graph, arena, out))
        return npart__fail_memory(error);
    for (uint32_t i = 0; i < out->nodes.count; i++)
        if (is_kept[i])
            keep_call(out, i);
    place_scopes(out, NULL);
    mark_outputs(out);
    return npart__build_finish(out, error);
}
