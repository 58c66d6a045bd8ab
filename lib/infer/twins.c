/* SPDX-License-Identifier: Apache-2.0
 *
 * Values that are computed twice: by nodes of one operator, with equal attributes, of values that are the same or
 * twins in turn. ONNX Runtime makes one of them before it looks at Reshapes, so what seems to be used once may not be.
 *
 * Modelled on onnxruntime/core/optimizer: common_subexpression_elimination.cc and constant_sharing.cc.
 */
#include "infer/driver.h"

/* Constants of more elements than this are not compared. */
#define MOST_SHARED 8u

struct finder {
    struct npart__inference *inference;
    const struct npart__graph *graph;
    uint32_t *twins; /* by value: the first of its class */
    uint32_t *slots; /* node + 1, or value + 1 for constants, by hash */
    uint32_t mask;
};

static uint32_t input_class(const struct finder *finder, const struct npart__node *node, uint32_t index)
{
    uint32_t value = npart__node_input(finder->graph, node, index);
    return value == NPART_NONE ? NPART_NONE : finder->twins[value];
}

/* ---- constants ------------------------------------------------------------------------------------------- */

/* A tensor's numbers, where they are few and here; false otherwise. `numbers` has room for MOST_SHARED. */
static bool few_numbers(const struct npart__tensor *tensor, double *numbers)
{
    if (tensor->elements > MOST_SHARED)
        return false;
    int64_t whole[MOST_SHARED];
    if (npart__type_is_float(tensor->element_type))
        return npart__tensor_doubles(tensor, numbers, MOST_SHARED);
    if (!npart__tensor_int64s(tensor, whole, MOST_SHARED))
        return false;
    memcpy(numbers, whole, (size_t)tensor->elements * sizeof *whole);
    return true;
}

static const struct npart__tensor *shared_constant(const struct finder *finder, uint32_t value, double *numbers)
{
    const struct npart__value *of = &finder->graph->values.items[value];
    const struct npart__tensor *tensor = of->kind == NPART__VALUE_INITIALIZER ? of->tensor : NULL;
    if (of->producer != NPART_NONE) {
        const struct npart__node *node = &finder->graph->nodes.items[of->producer];
        const struct npart__attribute *attribute = npart__node_attribute(finder->graph, node, "value");
        bool is_constant = node->domain == 0 && strcmp(npart__node_op(finder->graph, node), "Constant") == 0;
        tensor = is_constant && attribute && attribute->type == 4 ? attribute->u.tensor : NULL;
    }
    return tensor && few_numbers(tensor, numbers) ? tensor : NULL;
}

static bool same_constant(const struct finder *finder, uint32_t value, const struct npart__tensor *tensor,
                          const double *numbers)
{
    double others[MOST_SHARED];
    const struct npart__tensor *other = shared_constant(finder, value, others);
    return other && other->element_type == tensor->element_type && other->rank == tensor->rank &&
           other->elements == tensor->elements &&
           (tensor->rank == 0 || memcmp(other->dims, tensor->dims, tensor->rank * sizeof *tensor->dims) == 0) &&
           (tensor->elements == 0 ||
            memcmp(others, numbers, (size_t)tensor->elements * sizeof *numbers) == 0);
}

static void class_constant(struct finder *finder, uint32_t value)
{
    double numbers[MOST_SHARED] = {0};
    const struct npart__tensor *tensor = shared_constant(finder, value, numbers);
    if (!tensor)
        return;
    uint64_t hash = npart__mix(tensor->element_type, tensor->rank), bits;
    for (uint32_t i = 0; i < tensor->elements; i++) {
        memcpy(&bits, &numbers[i], sizeof bits);
        hash = npart__mix(hash, bits);
    }
    for (uint32_t slot = (uint32_t)hash & finder->mask;; slot = (slot + 1) & finder->mask) {
        uint32_t held = finder->slots[slot];
        if (held == 0) {
            finder->slots[slot] = value + 1;
            return;
        }
        if (same_constant(finder, held - 1, tensor, numbers)) {
            finder->twins[value] = held - 1;
            return;
        }
    }
}

/* ---- nodes ----------------------------------------------------------------------------------------------- */

/* Tensors of one number in one dimension count, as ConstantOfShape has them. */
static bool same_attribute(const struct npart__attribute *a, const struct npart__attribute *b)
{
    double left[MOST_SHARED], right[MOST_SHARED];
    if (a->type != 4 || b->type != 4 || strcmp(a->name, b->name) != 0)
        return npart__same_attribute(a, b);
    return a->u.tensor->element_type == b->u.tensor->element_type && a->u.tensor->rank == 1 &&
           b->u.tensor->rank == 1 && a->u.tensor->elements == 1 && b->u.tensor->elements == 1 &&
           few_numbers(a->u.tensor, left) && few_numbers(b->u.tensor, right) &&
           memcmp(left, right, sizeof *left) == 0;
}

static bool same_node(const struct finder *finder, const struct npart__node *a, uint32_t b_id)
{
    const struct npart__graph *graph = finder->graph;
    const struct npart__node *b = &graph->nodes.items[b_id];
    if (a->op_type != b->op_type || a->domain != b->domain || a->opset_version != b->opset_version ||
        a->input_count != b->input_count || a->output_count != b->output_count ||
        a->attribute_count != b->attribute_count ||
        graph->scopes.items[a->scope].region != graph->scopes.items[b->scope].region)
        return false;
    for (uint32_t i = 0; i < a->input_count; i++)
        if (input_class(finder, a, i) != input_class(finder, b, i))
            return false;
    for (uint32_t i = 0; i < a->attribute_count; i++) {
        const struct npart__attribute *attribute = &graph->attributes.items[a->first_attribute + i];
        const struct npart__attribute *other = npart__node_attribute(graph, b, attribute->name);
        if (!other || !same_attribute(attribute, other))
            return false;
    }
    return true;
}

static void take_classes(struct finder *finder, const struct npart__node *node, const struct npart__node *twin)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(finder->graph, node, i);
        uint32_t other = npart__node_output(finder->graph, twin, i);
        if (value != NPART_NONE && other != NPART_NONE)
            finder->twins[value] = finder->twins[other];
    }
}

static void class_node(struct finder *finder, uint32_t id)
{
    const struct npart__graph *graph = finder->graph;
    const struct npart__node *node = &graph->nodes.items[id];
    const char *op = npart__node_op(graph, node);
    uint32_t result = npart__node_output(graph, node, 0);
    if (node->body_count || node->callee != NPART_NONE || !node->schema || result == NPART_NONE ||
        npart__operator_flags(node->schema) & NPART__OPERATOR_RANDOM)
        return;
    if (node->domain == 0 && strcmp(op, "Constant") == 0) {
        class_constant(finder, result);
        return;
    }
    if (node->domain == 0 && strcmp(op, "Identity") == 0 && node->input_count == 1) {
        uint32_t source = input_class(finder, node, 0);
        finder->twins[result] = source == NPART_NONE ? result : source; /* its operand may be left out */
        return;
    }
    uint64_t hash = npart__mix(node->op_type, node->domain);
    for (uint32_t i = 0; i < node->input_count; i++)
        hash = npart__mix(hash, input_class(finder, node, i));
    for (uint32_t slot = (uint32_t)hash & finder->mask;; slot = (slot + 1) & finder->mask) {
        uint32_t held = finder->slots[slot];
        uint32_t producer = held ? graph->values.items[held - 1].producer : NPART_NONE;
        if (held == 0) {
            finder->slots[slot] = result + 1;
            return;
        }
        if (producer != NPART_NONE && same_node(finder, node, producer)) {
            take_classes(finder, node, &graph->nodes.items[producer]);
            return;
        }
    }
}

/* A node that only repeats another uses nothing. */
static void count_uses(const struct finder *finder, uint32_t *uses)
{
    const struct npart__graph *graph = finder->graph;
    for (uint32_t i = 0; i < graph->order_count; i++) {
        const struct npart__node *node = &graph->nodes.items[graph->order[i]];
        uint32_t result = npart__node_output(graph, node, 0);
        if (result != NPART_NONE && finder->twins[result] != result)
            continue;
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t value = npart__node_use(graph, node, k);
            if (value != NPART_NONE)
                uses[finder->twins[value]]++;
        }
    }
    for (uint32_t i = 0; i < graph->values.count; i++)
        uses[finder->twins[i]] += graph->values.items[i].is_graph_output;
    for (uint32_t i = 0; i < graph->values.count; i++)
        uses[i] = uses[finder->twins[i]];
}

bool npart__find_twins(struct npart__inference *inference)
{
    const struct npart__graph *graph = inference->graph;
    struct npart__arena scratch;
    struct finder finder = {.inference = inference, .graph = graph, .mask = 63};
    npart__arena_init(&scratch, &inference->arena->allocator);
    while (finder.mask / 2 < graph->values.count)
        finder.mask = finder.mask * 2 + 1;
    finder.slots = npart__arena_zeroed(&scratch, finder.mask + (size_t)1, sizeof *finder.slots);
    finder.twins = npart__arena_allocate(&scratch, (graph->values.count + (size_t)1) * sizeof *finder.twins);
    inference->twin_uses = npart__arena_zeroed(inference->arena, graph->values.count + (size_t)1,
                                               sizeof *inference->twin_uses);
    bool is_ready = finder.slots && finder.twins && inference->twin_uses;
    for (uint32_t i = 0; is_ready && i < graph->values.count; i++)
        finder.twins[i] = i;
    for (uint32_t i = 0; is_ready && i < graph->values.count; i++)
        if (graph->values.items[i].kind == NPART__VALUE_INITIALIZER)
            class_constant(&finder, i);
    for (uint32_t i = 0; is_ready && i < graph->order_count; i++)
        class_node(&finder, graph->order[i]);
    if (is_ready)
        count_uses(&finder, inference->twin_uses);
    npart__arena_clear(&scratch);
    return is_ready;
}
