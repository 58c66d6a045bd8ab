/* SPDX-License-Identifier: Apache-2.0
 *
 * The driver: facts of inputs and constants first, then every node in order, each result merged with what the file
 * declares. Bodies of If, Loop and Scan are inferred when their node is. What runtimes know less of, or write
 * otherwise, is a policy's.
 *
 * A node's results are made up step by step, each of which may add to the one before:
 *
 *   1. the element type that the schema implies
 *   2. what the function of its row (operators.table) says of type, shape and elements
 *   3. whether they are constant
 *   4. what the policy takes away
 *   5. what the file declares of them
 */
#include <stdio.h>

#include "infer/call.h"
#include "infer/driver.h"

/* ---- rows ------------------------------------------------------------------------------------------------ */

/* What is the same for all nodes of an operator and version is looked up once. Two operators may share a slot and take
 * turns. */
static struct npart__op_cache *look_up(struct npart__inference *inference, const struct npart__node *node)
{
    struct npart__op_cache *cache = &inference->cache[npart__cache_slot(node->op_type)];
    if (cache->is_filled && cache->op_type == node->op_type && cache->domain == node->domain &&
        cache->schema == node->schema)
        return cache;
    const struct npart__strings *strings = &inference->graph->strings;
    *cache = (struct npart__op_cache){
        .is_filled = true, .op_type = node->op_type, .domain = node->domain, .schema = node->schema};
    /* Without a schema the opset that the model imports counts. A domain that is not imported has no version: then
     * the newest row. */
    int since = node->schema ? node->schema->since : node->opset_version ? node->opset_version : INT32_MAX;
    cache->row = npart__last_row(npart__infer_rows, npart__infer_row_count, sizeof npart__infer_rows[0],
                                 npart__text(strings, node->domain), npart__text(strings, node->op_type), since);
    if (inference->policy->find_rows)
        inference->policy->find_rows(npart__text(strings, node->domain), npart__text(strings, node->op_type),
                                     cache->policy_rows);
    for (unsigned i = 0; i < NPART__CACHED_OUTPUTS; i++)
        cache->type_source[i] = npart__type_source(node->schema, i, 0);
    return cache;
}

bool npart__leaves_elements(struct npart__inference *inference)
{
    for (uint32_t i = 0; !inference->leaves_elements && i < inference->graph->values.count; i++)
        if (inference->facts[i].tensor)
            (void)npart__may_read(inference, inference->facts[i].tensor);
    return inference->leaves_elements;
}

/* ---- element types from the schema ----------------------------------------------------------------------- */

/* By the type's letter in the schema: Add is (T, T) -> T, so its result has the type of input 0; Shape is T -> int64, a
 * fixed type. */
int npart__type_source(const struct npart__operator *schema, unsigned output, unsigned from)
{
    struct npart__operand result, operand;
    if (!schema || !npart__operator_output(schema, output, &result))
        return NPART__NO_SOURCE;
    int number = npart__type_number(result.type, result.type_length);
    if (number)
        return -number;
    for (unsigned i = from; npart__operator_input(schema, i, &operand); i++) {
        /* Types are parts of the schema's text, with no end of their own. */
        bool is_same = operand.type_length == result.type_length &&
                       memcmp(operand.type, result.type, result.type_length) == 0;
        if (operand.is_variadic) /* many to many, as of a Loop, each have a type of their own */
            return is_same && !result.is_variadic ? (int)i : NPART__NO_SOURCE;
        if (is_same)
            return (int)i;
    }
    return NPART__NO_SOURCE;
}

/* Takes the type of the first operand that has one, of those that the schema gives the result's type: an operand
 * without a type may stand beside one with it. */
static void imply_element_type(struct npart__call *call, const struct npart__op_cache *cache, uint32_t output)
{
    int source =
        output < NPART__CACHED_OUTPUTS ? cache->type_source[output] : npart__type_source(cache->schema, output, 0);
    while (source >= 0 && source < (int)call->node->input_count) {
        const struct npart__fact *fact = npart__in(call, (uint32_t)source);
        if (fact->kind == NPART__TYPE_TENSOR && fact->element_type) {
            npart__set_element_type(call, output, fact->element_type);
            return;
        }
        source = npart__type_source(cache->schema, output, (unsigned)source + 1);
    }
    /* A fixed type was given as its number's opposite. */
    if (source < 0)
        npart__set_element_type(call, output, -source);
}

/* ---- constants ------------------------------------------------------------------------------------------- */

/* Random numbers are no constants, and what a body uses is not looked through. A node without operands has nothing
 * that could change. Without a schema it is not known whether the operator gives the same each time. */
static bool uses_only_constants(const struct npart__call *call)
{
    const struct npart__node *node = call->node;
    if (node->body_count || !node->schema || npart__operator_flags(node->schema) & NPART__OPERATOR_RANDOM)
        return false;
    for (uint32_t i = 0; i < node->input_count; i++)
        if (npart__has_input(call, i) && !npart__in(call, i)->is_constant)
            return false;
    return true;
}

/* A shape is constant where it is static, whatever the tensor. */
static bool reads_only_a_static_shape(const struct npart__call *call)
{
    bool folds_size = !call->inference->policy->is_partial; /* ONNX Runtime does not */
    return npart__comes_from(call->node, folds_size ? NPART__WAYS_SIZES : NPART__WAY(SHAPE)) &&
           npart__is_static(npart__in(call, 0));
}

/* Results of constants are constant, as far as the policy's runtime computes them. A result without elements needs no
 * computing: all of its elements are known. */
static void mark_constants(struct npart__call *call)
{
    if (!uses_only_constants(call) && !reads_only_a_static_shape(call))
        return;
    const struct npart__infer_policy *policy = call->inference->policy;
    /* Without a policy's say all that can be computed is. */
    bool is_computed = !policy->computes || policy->computes(call);
    for (uint32_t i = 0; i < call->node->output_count; i++) {
        struct npart__fact *out = npart__out(call, i);
        uint64_t elements;
        out->is_constant = is_computed;
        if (!out->known && !out->tensor && npart__static_elements(out, &elements) && elements == 0)
            npart__set_ints(call, i, npart__new_ints(call, 0), 0);
    }
}

/* ---- lost ranks ------------------------------------------------------------------------------------------ */

/* The first of some values without a rank: where it was lost, or 0. */
static uint32_t lost_before(const struct npart__inference *inference, uint32_t first_operand, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = inference->graph->operands.items[first_operand + i];
        if (value != NPART_NONE && !inference->facts[value].has_rank && inference->rank_lost_at[value])
            return inference->rank_lost_at[value];
    }
    return 0;
}

/* A result without a rank lost it where one of the node's inputs, or of its bodies' results, did; else here. */
static void note_lost_ranks(struct npart__inference *inference, uint32_t id)
{
    const struct npart__graph *graph = inference->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    uint32_t lost = 0;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(graph, node, i);
        if (value == NPART_NONE || inference->facts[value].has_rank)
            continue;
        if (!lost) /* of all its results the same */
            lost = lost_before(inference, node->first_input, node->input_count);
        for (uint32_t body = 0; body < node->body_count && !lost; body++) {
            const struct npart__scope *scope = npart__scope_at(graph, node->first_body + body);
            lost = lost_before(inference, scope->first_output, scope->output_count);
        }
        /* None of them lacked a rank, so it was this node that could not tell it. */
        lost = lost ? lost : id + 1;
        inference->rank_lost_at[value] = lost;
    }
}

/* ---- regions --------------------------------------------------------------------------------------------- */

/* The facts of a node's results, in four steps: what the policy says first (a runtime may know less, or nothing),
 * element types by the schema, the operator's function, and what the file declares, which only adds. Facts are
 * cleared before, since bodies are inferred more than once until a loop's state is stable. */
static void infer_node(struct npart__inference *inference, uint32_t id)
{
    const struct npart__graph *graph = inference->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    const struct npart__infer_policy *policy = inference->policy;
    const struct npart__op_cache *found = look_up(inference, node);
    const struct npart__op_cache cache = *found; /* a body may use its slot */
    struct npart__call call = {
        .inference = inference,
        .pool = &inference->expressions,
        .arena = inference->arena,
        .graph = graph,
        .node = node,
        .node_id = id,
        .row = cache.row,
        .policy_rows = cache.policy_rows,
    };
    inference->expressions.node = id;
    inference->facts[graph->values.count + 1] = (struct npart__fact){0}; /* the scrap, of what other nodes left */
    enum npart__extent extent = policy->before ? policy->before(&call) : NPART__EXTENT_ALL;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(graph, node, i);
        if (value == NPART_NONE)
            continue;
        memset(&inference->facts[value], 0, sizeof inference->facts[value]);
        if (extent != NPART__EXTENT_NOTHING)
            imply_element_type(&call, &cache, i);
    }
    if (cache.row && extent == NPART__EXTENT_ALL) {
        cache.row->infer(&call);
        npart__check_fits(&call);
    }
    /* The nodes of a body have put their own numbers here. */
    inference->expressions.node = id;
    if (extent == NPART__EXTENT_ALL)
        mark_constants(&call);
    if (policy->after)
        policy->after(&call);
    for (uint32_t i = 0; i < node->output_count && !inference->options.ignore_value_info; i++) {
        uint32_t value = npart__node_output(graph, node, i);
        if (value != NPART_NONE)
            npart__merge_declared(inference, value);
    }
    note_lost_ranks(inference, id);
}

/* Nodes are in topological order, so that each finds the facts of its operands. Stops at the first failure of memory,
 * after which facts could be anything. */
npart_status npart__infer_region(struct npart__inference *inference, uint32_t region)
{
    const struct npart__scope *scope = npart__scope_at(inference->graph, region);
    for (uint32_t i = 0; i < scope->order_count; i++) {
        infer_node(inference, inference->graph->order[scope->first_order + i]);
        inference->expressions.failed |= npart__is_late_at(inference->arena, inference->steps++);
        if (inference->expressions.failed)
            return NPART_ERROR_MEMORY;
    }
    return NPART_OK;
}

/* An initializer that is an input too, which the caller may replace, gives its type and shape only. */
static void seed_initializers(struct npart__inference *inference)
{
    const struct npart__graph *graph = inference->graph;
    for (uint32_t i = 0; i < graph->values.count; i++) {
        const struct npart__value *value = npart__value_at(graph, i);
        if (value->tensor)
            npart__fact_from_tensor(inference->graph->limits, &inference->facts[i], value->tensor,
                                    value->kind != NPART__VALUE_OVERRIDABLE);
    }
}

/* Inputs come before nodes, as bound symbols must be numbers before any expression is made. Aliases are no node's
 * results, so they come last. */
npart_status npart__infer(const struct npart__graph *graph, const struct npart__infer_options *options,
                          struct npart__arena *arena, struct npart__inference *out, struct npart_error *error)
{
    static const struct npart__infer_policy standard = {0};
    memset(out, 0, sizeof *out);
    out->graph = graph;
    out->arena = arena;
    out->options = *options;
    out->policy = options->policy ? options->policy : &standard;
    out->fact_count = graph->values.count;
    out->has_false_shapes = options->before && options->before->has_false_shapes;
    /* Two more than values: see `absent` in call.c. */
    out->facts = npart__arena_zeroed(arena, graph->values.count + (size_t)2, sizeof *out->facts);
    out->rank_lost_at = npart__arena_zeroed(arena, graph->values.count + (size_t)2, sizeof *out->rank_lost_at);
    out->cache = npart__arena_zeroed(arena, NPART__CACHE_SLOTS, sizeof *out->cache);
    if (!out->facts || !out->rank_lost_at || !out->cache || !npart__expressions_init(&out->expressions, arena))
        return npart__fail_memory(error);
    out->expressions.limits = graph->limits;
    if (out->policy->begin && !out->policy->begin(out))
        return npart__fail_memory(error);
    seed_initializers(out);
    npart_status status = npart__bind_inputs(out, options, error);
    if (status == NPART_OK && npart__infer_region(out, 0) != NPART_OK)
        status = npart__fail_memory(error);
    /* Also after a failure, as `begin` was called. */
    if (out->policy->end)
        out->policy->end(out);
    for (uint32_t i = 0; status == NPART_OK && i < graph->values.count; i++)
        if (npart__value_at(graph, i)->alias != i) {
            out->facts[i] = out->facts[npart__value_at(graph, i)->alias];
            out->rank_lost_at[i] = out->rank_lost_at[npart__value_at(graph, i)->alias];
        }
    if (status == NPART_OK)
        NPART__CHECK(npart__check_inference(out));
    return status;
}

/* ---- views ----------------------------------------------------------------------------------------------- */

/* Targets of one runtime share its view, so it is made once and kept with the inference that it was asked of. */
npart_status npart__infer_again(struct npart__inference *inference, const struct npart__infer_policy *policy,
                                const struct npart__inference *before, const bool *gone,
                                struct npart__inference **out, struct npart_error *error)
{
    struct npart__infer_options options = inference->options;
    for (*out = inference->views; *out; *out = (*out)->next_view)
        if ((*out)->options.policy == policy && (*out)->options.before == before)
            return NPART_OK;
    struct npart__inference *own = npart__arena_zeroed(inference->arena, 1, sizeof *own);
    if (!own)
        return npart__fail_memory(error);
    options.policy = policy;
    options.before = before;
    options.gone = gone;
    /* What runtimes know is asked of sizes, for which the limits suffice. */
    options.most_elements = 0;
    npart_status status = npart__infer(inference->graph, &options, inference->arena, own, error);
    if (status != NPART_OK)
        return status;
    /* Only what succeeded is kept. What failed stays in the arena, and the next request tries again. */
    own->next_view = inference->views;
    inference->views = own;
    *out = own;
    return NPART_OK;
}

npart_status npart__infer_view(struct npart__inference *inference, const struct npart__infer_policy *policy,
                               struct npart__inference **out, struct npart_error *error)
{
    *out = inference;
    return inference->options.policy == policy ? NPART_OK : npart__infer_again(inference, policy, NULL, NULL, out,
                                                                            error);
}
