/* SPDX-License-Identifier: Apache-2.0
 *
 * One pass in order. A value is constant when it is an initializer or every node behind it was folded into one; a
 * node is folded when all its results are constants, or when it only hands its input on.
 *
 * Modelled on ONNX Runtime's basic level: constant_folding.cc, identity and dropout elimination, no-op casts and
 * reshapes. DequantizeLinear of constants stays, because quantized operators need it beside them.
 */
#include "fold/fold.h"

const char *npart__fold_word(enum npart__fold_reason reason)
{
    static const char *const words[] = {"live",     "constant", "shape-arithmetic", "inlined",
                                        "identity", "dropout",  "no-op"};
    return words[reason];
}

const char *npart__fold_sentence(enum npart__fold_reason reason)
{
    static const char *const sentences[] = {
        "is executed",
        "is computed from constants before the model runs",
        "is shape arithmetic over static shapes, computed before the model runs",
        "is a call whose function's nodes stand in its place",
        "only hands its input on",
        "does nothing at inference",
        "changes nothing",
    };
    return sentences[reason];
}

struct folder {
    const struct npart__inference *inference;
    const struct npart__graph *graph;
    struct npart__fold *out;
    enum npart__level level;
};

static const struct npart__fact *fact_in(const struct folder *folder, const struct npart__node *node, uint32_t index)
{
    uint32_t value = npart__node_input(folder->graph, node, index);
    return value == NPART_NONE ? NULL : npart__fact_of(folder->inference, value);
}

/* ---- constants ------------------------------------------------------------------------------------------- */

static bool inputs_are_constant(const struct folder *folder, const struct npart__node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(folder->graph, node, i);
        if (value != NPART_NONE && !folder->out->is_constant[value])
            return false;
    }
    return true;
}

/* Operators whose results are never computed beforehand though their inputs are constants. */
static bool stays_for_quantization(const char *op)
{
    return strcmp(op, "DequantizeLinear") == 0 || strcmp(op, "QuantizeLinear") == 0;
}

static bool outputs_are_constant(const struct folder *folder, const struct npart__node *node)
{
    bool any = false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(folder->graph, node, i);
        if (value == NPART_NONE)
            continue;
        any = true;
        if (!npart__fact_of(folder->inference, value)->is_constant)
            return false;
    }
    return any;
}

/* Whether the dims that a Shape reads (all of them, or from `start` to `end`) are numbers. */
static bool reads_static_dims(const struct folder *folder, const struct npart__node *node)
{
    uint32_t value = npart__node_output(folder->graph, node, 0);
    const struct npart__known *known =
        value == NPART_NONE ? NULL : npart__fact_of(folder->inference, value)->known;
    if (!known || !known->ints)
        return false;
    for (uint32_t i = 0; i < known->count; i++)
        if (!npart__is_number(known->ints[i]))
            return false;
    return true;
}

static enum npart__fold_reason constant_reason(const struct folder *folder, const struct npart__node *node)
{
    const char *op = npart__node_op(folder->graph, node);
    bool is_onnx = node->domain == 0;
    if (is_onnx && strcmp(op, "Constant") == 0)
        return NPART__FOLD_CONSTANT;
    if (folder->level == NPART__LEVEL_OFF)
        return NPART__FOLD_LIVE;
    if (is_onnx && (strcmp(op, "Shape") == 0 || strcmp(op, "Size") == 0) && reads_static_dims(folder, node))
        return NPART__FOLD_SHAPE;
    if (node->body_count || stays_for_quantization(op) || !outputs_are_constant(folder, node) ||
        !inputs_are_constant(folder, node))
        return NPART__FOLD_LIVE;
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct npart__fact *fact = fact_in(folder, node, i);
        if (fact && !fact->is_initializer && fact->known && fact->known->ints)
            return NPART__FOLD_SHAPE;
    }
    return NPART__FOLD_CONSTANT;
}

/* ---- nodes that hand their input on ----------------------------------------------------------------------- */

static bool same_static_shape(const struct npart__fact *a, const struct npart__fact *b)
{
    if (!npart__is_static(a) || !npart__is_static(b) || a->rank != b->rank)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (a->dims[i] != b->dims[i])
            return false;
    return true;
}

static bool is_identity_order(const struct folder *folder, const struct npart__node *node)
{
    const struct npart__attribute *order = npart__node_attribute(folder->graph, node, "perm");
    if (!order || order->type != 7)
        return false;
    for (uint32_t i = 0; i < order->count; i++)
        if (order->u.ints[i] != (int64_t)i)
            return false;
    return true;
}

static enum npart__fold_reason pass_reason(const struct folder *folder, const struct npart__node *node)
{
    static const char *const shape_keepers[] = {"Reshape", "Expand", "Slice", "Flatten", "Squeeze", "Unsqueeze"};
    const char *op = npart__node_op(folder->graph, node);
    const struct npart__fact *in = fact_in(folder, node, 0);
    uint32_t result = npart__node_output(folder->graph, node, 0);
    if (node->domain != 0 || !in || result == NPART_NONE)
        return NPART__FOLD_LIVE;
    const struct npart__fact *out = npart__fact_of(folder->inference, result);
    if (strcmp(op, "Identity") == 0)
        return NPART__FOLD_IDENTITY;
    if (strcmp(op, "Dropout") == 0) {
        uint32_t mask = npart__node_output(folder->graph, node, 1);
        uint32_t training = npart__node_input(folder->graph, node, 2);
        bool mask_is_used = mask != NPART_NONE && (folder->graph->values.items[mask].consumer_count ||
                                                   folder->graph->values.items[mask].is_graph_output);
        return mask_is_used || training != NPART_NONE ? NPART__FOLD_LIVE : NPART__FOLD_DROPOUT;
    }
    if (strcmp(op, "Cast") == 0)
        return in->element_type && in->element_type == out->element_type ? NPART__FOLD_NO_OP : NPART__FOLD_LIVE;
    if (strcmp(op, "Transpose") == 0)
        return is_identity_order(folder, node) ? NPART__FOLD_NO_OP : NPART__FOLD_LIVE;
    for (size_t i = 0; i < NPART__COUNT(shape_keepers); i++) {
        if (strcmp(op, shape_keepers[i]) != 0 || !same_static_shape(in, out))
            continue;
        /* A Slice of the whole length could still run backwards. */
        bool may_reverse = strcmp(op, "Slice") == 0 && npart__node_input(folder->graph, node, 4) != NPART_NONE;
        return may_reverse ? NPART__FOLD_LIVE : NPART__FOLD_NO_OP;
    }
    return NPART__FOLD_LIVE;
}

/* A runtime keeps a node whose result is the graph's output and whose input is the graph's input, or another output:
 * both names must remain. */
static bool can_be_bypassed(const struct folder *folder, const struct npart__node *node)
{
    const struct npart__graph *graph = folder->graph;
    uint32_t from = folder->out->stands_for[npart__node_input(graph, node, 0)];
    uint32_t result = npart__node_output(graph, node, 0);
    if (!graph->values.items[result].is_graph_output)
        return true;
    const struct npart__value *value = &graph->values.items[from];
    return value->kind == NPART__VALUE_OUTPUT && !value->is_graph_output && value->consumer_count == 1 &&
           graph->scopes.items[value->scope].region == npart__node_region(graph, graph->values.items[result].producer);
}

/* ---- the pass -------------------------------------------------------------------------------------------- */

static void fold_node(struct folder *folder, uint32_t id)
{
    const struct npart__graph *graph = folder->graph;
    const struct npart__node *node = &graph->nodes.items[id];
    enum npart__fold_reason reason = constant_reason(folder, node);
    bool is_constant = reason != NPART__FOLD_LIVE;
    if (!is_constant && folder->level == NPART__LEVEL_BASIC) {
        reason = pass_reason(folder, node);
        if (reason != NPART__FOLD_LIVE && !can_be_bypassed(folder, node))
            reason = NPART__FOLD_LIVE;
    }
    folder->out->reasons[id] = (uint8_t)reason;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(graph, node, i);
        if (value == NPART_NONE)
            continue;
        folder->out->is_constant[value] = is_constant;
        if (!is_constant && reason != NPART__FOLD_LIVE && i == 0)
            folder->out->stands_for[value] = folder->out->stands_for[npart__node_input(graph, node, 0)];
    }
}

static void count(struct folder *folder)
{
    const struct npart__graph *graph = folder->graph;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        if (graph->nodes.items[i].callee != NPART_NONE)
            folder->out->reasons[i] = NPART__FOLD_INLINED;
        if (folder->out->reasons[i] == NPART__FOLD_LIVE)
            folder->out->live_count++;
        else
            folder->out->folded_count++;
    }
}

npart_status npart__fold_graph(const struct npart__inference *inference, enum npart__level level,
                               struct npart__arena *arena, struct npart__fold *out, struct npart_error *error)
{
    const struct npart__graph *graph = inference->graph;
    memset(out, 0, sizeof *out);
    out->reasons = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *out->reasons);
    out->is_constant = npart__arena_zeroed(arena, graph->values.count + (size_t)1, sizeof *out->is_constant);
    out->stands_for =
        npart__arena_allocate(arena, (graph->values.count + (size_t)1) * sizeof *out->stands_for);
    if (!out->reasons || !out->is_constant || !out->stands_for)
        return npart__fail_memory(error);
    for (uint32_t i = 0; i < graph->values.count; i++) {
        out->is_constant[i] = graph->values.items[i].kind == NPART__VALUE_INITIALIZER;
        out->stands_for[i] = i;
    }
    struct folder folder = {.inference = inference, .graph = graph, .out = out, .level = level};
    /* Regions are listed outside first, so what a body captures has been decided when the body is met. */
    for (uint32_t i = 0; i < graph->order_count; i++)
        fold_node(&folder, graph->order[i]);
    count(&folder);
    return NPART_OK;
}
