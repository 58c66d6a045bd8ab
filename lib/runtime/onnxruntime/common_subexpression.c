/* SPDX-License-Identifier: Apache-2.0
 *
 * Common subexpressions: values that nodes of one operator compute, with equal attributes, of equal values. ONNX
 * Runtime makes one of them before it looks at Reshapes, so what seems to be used once may not be.
 *
 * Modelled on onnxruntime/core/optimizer: common_subexpression_elimination.cc and constant_sharing.cc. The latter runs
 * once, before anything is folded: of what nodes make of constants, only equal nodes' results are equal to it. Weights
 * of more than a few elements stay apart even where they are equal, so their contents never matter.
 *
 * Two Shape(x) nodes, each used once, are one Shape used twice to the runtime; so a pattern that asks for a single
 * use does not match. Classes are found in one walk, by hashing with the input's key, and compared before they are
 * believed.
 */
#include "infer/families.h"
#include "onnxruntime/view.h"

/* Constants of more elements than this are not compared (TENSOR_ELEM_COUNT_THRESHOLD of constant_sharing.h, since ONNX
 * Runtime 1.15; onnxruntime 1.31.1 was seen to merge 8 elements, and not 9). */
#define MOST_SHARED 8u
/* Of more attributes than this, each is compared with the one in the same place only. */
#define MOST_MOVED_ATTRIBUTES 64u

struct slot {
    uint32_t hash; /* its upper half; the lower tells the place */
    uint32_t held; /* a value plus one: a constant, or the first result of a node; 0: free */
};

/* What has been seen: constants by their numbers, nodes by operator, attributes and inputs, in one table. The
 * table holds one entry for each class; both sorts have hashes of their own, and are told apart by what stands
 * there. */
struct finder {
    const struct npart__graph *graph;
    uint32_t *first;   /* by value: the first of its class */
    bool *is_captured; /* by value: a node's body uses it */
    struct slot *slots;
    uint32_t mask;
};

/* What a node reads, by the first value equal to it, so that chains of equal nodes are equal too. */
static uint32_t input_class(const struct finder *finder, const struct npart__node *node, uint32_t index)
{
    uint32_t value = npart__node_input(finder->graph, node, index);
    return value == NPART_NONE ? NPART_NONE : finder->first[value];
}

/* ---- constants ------------------------------------------------------------------------------------------- */

/* A tensor's numbers, where they are few and here; false otherwise. `numbers` has room for MOST_SHARED. Integers are
 * copied bit by bit into the room for doubles: they are only compared with integers of the same type. */
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

/* The runtime compares constants of these element types, in the main graph, and those alone that only nodes use. */
static bool is_compared(const struct finder *finder, uint32_t value, int32_t element_type)
{
    const struct npart__value *of = npart__value_at(finder->graph, value);
    bool has_type = element_type == NPART__FLOAT || element_type == NPART__INT32 || element_type == NPART__INT64 ||
                    element_type == NPART__FLOAT16 || element_type == NPART__DOUBLE;
    return has_type && !of->is_graph_output && !finder->is_captured[value] &&
           npart__scope_at(finder->graph, of->scope)->region == 0;
}

/* The tensor of a value that takes part in constant sharing: an initializer, or the `value` of a Constant node (type 4
 * is TENSOR of AttributeProto). NULL for anything that the runtime does not compare. */
static const struct npart__tensor *shared_constant(const struct finder *finder, uint32_t value, double *numbers)
{
    const struct npart__value *of = npart__value_at(finder->graph, value);
    const struct npart__tensor *tensor = of->kind == NPART__VALUE_INITIALIZER ? of->tensor : NULL;
    if (of->producer != NPART_NONE) {
        const struct npart__node *node = npart__node_at(finder->graph, of->producer);
        const struct npart__attribute *attribute = npart__node_attribute(finder->graph, node, "value");
        bool is_constant = npart__is_constant_node(finder->graph, node);
        tensor = is_constant && attribute && attribute->type == NPART_ATTRIBUTE_TENSOR ? attribute->u.tensor : NULL;
    }
    return tensor && is_compared(finder, value, tensor->element_type) && few_numbers(tensor, numbers) ? tensor : NULL;
}

/* Type, dims and numbers, bit by bit: 0 and -0 differ. */
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

/* Whatever same_constant() compares, under the input's key: a file cannot be written so that all fall on one place. */
static uint64_t hash_constant(const struct finder *finder, const struct npart__tensor *tensor, const double *numbers)
{
    struct npart__hash hash = npart__hash_begin(&finder->graph->strings.key);
    npart__hash_word(&hash, (uint64_t)tensor->element_type << 16 | tensor->rank);
    for (uint32_t i = 0; i < tensor->rank; i++)
        npart__hash_word(&hash, (uint64_t)tensor->dims[i]);
    for (uint32_t i = 0; i < tensor->elements; i++) {
        uint64_t bits;
        memcpy(&bits, &numbers[i], sizeof bits);
        npart__hash_word(&hash, bits);
    }
    return npart__hash_end(hash);
}

/* Looks a constant up among those before it, and joins its class or begins one. The table is at most half full
 * and never loses an entry, so that the search ends at a free place. The upper half of the hash is asked first,
 * so constants are compared only where it is the same. */
static void class_constant(struct finder *finder, uint32_t value)
{
    double numbers[MOST_SHARED] = {0};
    const struct npart__tensor *tensor = shared_constant(finder, value, numbers);
    if (!tensor)
        return;
    uint64_t hash = hash_constant(finder, tensor, numbers);
    for (uint32_t at = (uint32_t)hash & finder->mask;; at = (at + 1) & finder->mask) {
        struct slot *slot = &finder->slots[at];
        if (slot->held == 0) {
            *slot = (struct slot){.hash = (uint32_t)(hash >> 32), .held = value + 1};
            return;
        }
        if (slot->hash == hash >> 32 && same_constant(finder, slot->held - 1, tensor, numbers)) {
            finder->first[value] = slot->held - 1;
            return;
        }
    }
}

/* ---- nodes ----------------------------------------------------------------------------------------------- */

/* The number of a tensor of one number in one dimension, as ConstantOfShape has it; false for any other. */
static bool lone_number(const struct npart__attribute *attribute, double *numbers)
{
    return attribute->u.tensor && attribute->u.tensor->rank == 1 && attribute->u.tensor->elements == 1 &&
           few_numbers(attribute->u.tensor, numbers);
}

/* Attributes that are tensors are equal only where they hold one number (AreScalarTensorAttributeEqual). */
static bool same_attribute(const struct npart__attribute *a, const struct npart__attribute *b)
{
    double left[MOST_SHARED], right[MOST_SHARED];
    if (a->type != NPART_ATTRIBUTE_TENSOR || b->type != NPART_ATTRIBUTE_TENSOR || strcmp(a->name, b->name) != 0)
        return npart__same_attribute(a, b);
    if (!lone_number(a, left) || !lone_number(b, right) || a->u.tensor->element_type != b->u.tensor->element_type)
        return false;
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are what is compared */
    return memcmp(left, right, sizeof *left) == 0;
}

/* Whatever same_attribute() compares; false when the attribute is like no other. Types are
 * AttributeProto.AttributeType: 1 float, 2 int, 3 string, 4 tensor, 6 floats, 7 ints; others (graphs, lists of
 * strings or tensors) are never equal. */
static bool hash_attribute(const struct finder *finder, const struct npart__attribute *attribute, uint64_t *out)
{
    const struct npart__hash_key *key = &finder->graph->strings.key;
    struct npart__hash hash = npart__hash_begin(key);
    double numbers[MOST_SHARED] = {0};
    uint64_t bits = 0;
    npart__hash_word(&hash, (uint64_t)(uintptr_t)attribute->name); /* interned */
    npart__hash_word(&hash, (uint64_t)attribute->type << 32 | attribute->count);
    switch (attribute->type) {
    case NPART_ATTRIBUTE_FLOAT:
        memcpy(&bits, &attribute->u.f, sizeof attribute->u.f);
        break;
    case NPART_ATTRIBUTE_INT:
        bits = (uint64_t)attribute->u.i;
        break;
    case NPART_ATTRIBUTE_STRING:
        bits = npart__hash_bytes(key, attribute->u.s, attribute->count);
        break;
    case NPART_ATTRIBUTE_TENSOR:
        if (!lone_number(attribute, numbers))
            return false;
        memcpy(&bits, numbers, sizeof bits);
        bits += attribute->u.tensor->element_type;
        break;
    case NPART_ATTRIBUTE_FLOATS:
        bits = attribute->is_elided
                   ? 0
                   : npart__hash_bytes(key, attribute->u.floats, attribute->count * sizeof *attribute->u.floats);
        break;
    case NPART_ATTRIBUTE_INTS:
        bits = attribute->is_elided
                   ? 0
                   : npart__hash_bytes(key, attribute->u.ints, attribute->count * sizeof *attribute->u.ints);
        break;
    default:
        return false;
    }
    npart__hash_word(&hash, bits);
    *out = npart__hash_end(hash);
    return attribute->type == NPART_ATTRIBUTE_TENSOR || !attribute->is_elided;
}

/* Attributes may stand in any order. Beyond MOST_MOVED_ATTRIBUTES a search by name for each would be quadratic in
 * what a file may claim. */
static bool same_attributes(const struct npart__graph *graph, const struct npart__node *a, const struct npart__node *b)
{
    bool is_moved = a->attribute_count <= MOST_MOVED_ATTRIBUTES;
    for (uint32_t i = 0; i < a->attribute_count; i++) {
        const struct npart__attribute *attribute = &graph->attributes.items[a->first_attribute + i];
        const struct npart__attribute *other = &graph->attributes.items[b->first_attribute + i];
        if (!npart__same_text(attribute->name, other->name))
            other = is_moved ? npart__node_attribute(graph, b, attribute->name) : NULL;
        if (!other || !same_attribute(attribute, other))
            return false;
    }
    return true;
}

/* Same operator, version, region and attributes, and equal inputs in order. Nodes of different regions are never
 * one: each body is optimized as a graph of its own. */
static bool same_node(const struct finder *finder, const struct npart__node *a, uint32_t b_id)
{
    const struct npart__graph *graph = finder->graph;
    const struct npart__node *b = npart__node_at(graph, b_id);
    /* The cheap tests first; `b` was found by its hash, so they fail for chance alone. */
    if (a->op_type != b->op_type || a->domain != b->domain || a->opset_version != b->opset_version ||
        a->input_count != b->input_count || a->output_count != b->output_count ||
        a->attribute_count != b->attribute_count ||
        npart__scope_at(graph, a->scope)->region != npart__scope_at(graph, b->scope)->region)
        return false;
    for (uint32_t i = 0; i < a->input_count; i++)
        if (input_class(finder, a, i) != input_class(finder, b, i))
            return false;
    return same_attributes(graph, a, b);
}

/* Of a malformed node that has one twice, a look-up by name finds only the first. */
static bool has_attribute_twice(const struct npart__graph *graph, const struct npart__node *node)
{
    const struct npart__attribute *attributes = graph->attributes.items; /* NULL where no node has one */
    for (uint32_t i = 1; i < node->attribute_count; i++)
        for (uint32_t k = 0; k < i; k++)
            if (attributes[node->first_attribute + i].name == attributes[node->first_attribute + k].name) /* interned */
                return true;
    return false;
}

/* Attributes in any order, unless they are many; false when one of them is like no other. */
static bool hash_attributes(const struct finder *finder, const struct npart__node *node, struct npart__hash *hash)
{
    const struct npart__graph *graph = finder->graph;
    bool is_moved = node->attribute_count <= MOST_MOVED_ATTRIBUTES;
    uint64_t sum = 0, one;
    if (is_moved && has_attribute_twice(graph, node))
        return false;
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        if (!hash_attribute(finder, &graph->attributes.items[node->first_attribute + i], &one))
            return false;
        /* A sum is the same in any order. */
        sum += one;
        if (!is_moved)
            npart__hash_word(hash, one);
    }
    npart__hash_word(hash, node->attribute_count);
    npart__hash_word(hash, sum);
    return true;
}

/* Whatever same_node() compares, so that what has one hash is the same; false when the node is like no other. */
static bool hash_node(const struct finder *finder, const struct npart__node *node, uint64_t *out)
{
    const struct npart__graph *graph = finder->graph;
    struct npart__hash hash = npart__hash_begin(&graph->strings.key);
    npart__hash_word(&hash, (uint64_t)node->op_type << 32 | node->domain);
    npart__hash_word(&hash, (uint64_t)(uint32_t)node->opset_version << 32 |
                                npart__scope_at(graph, node->scope)->region);
    npart__hash_word(&hash, (uint64_t)node->input_count << 32 | node->output_count);
    for (uint32_t i = 0; i < node->input_count; i++)
        npart__hash_word(&hash, input_class(finder, node, i));
    bool is_comparable = hash_attributes(finder, node, &hash);
    *out = npart__hash_end(hash);
    return is_comparable;
}

/* Each result of a node joins the class of the result in the same place. A result that one of both leaves out
 * stays by itself. Both have as many results: same_node asks that. */
static void take_classes(struct finder *finder, const struct npart__node *node, const struct npart__node *equal)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(finder->graph, node, i);
        uint32_t other = npart__node_output(finder->graph, equal, i);
        if (value != NPART_NONE && other != NPART_NONE)
            finder->first[value] = finder->first[other];
    }
}

/* Looks a node up among those before it, and joins their classes or begins some. Not compared: what has a body or
 * calls a function, unknown operators, and what is random, which gives other results each time. An Identity is its
 * operand, since the runtime has removed it by then. */
static void class_node(struct finder *finder, uint32_t id)
{
    const struct npart__graph *graph = finder->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    uint32_t result = npart__node_output(graph, node, 0);
    if (node->body_count || node->callee != NPART_NONE || !node->schema || result == NPART_NONE ||
        npart__operator_flags(node->schema) & NPART__OPERATOR_RANDOM)
        return;
    if (npart__is_constant_node(graph, node)) {
        class_constant(finder, result);
        return;
    }
    if (npart__comes_from(node, NPART__WAY(ON)) && node->input_count == 1) {
        uint32_t source = input_class(finder, node, 0);
        finder->first[result] = source == NPART_NONE ? result : source; /* its operand may be left out */
        return;
    }
    uint64_t hash;
    if (!hash_node(finder, node, &hash))
        return;
    for (uint32_t at = (uint32_t)hash & finder->mask;; at = (at + 1) & finder->mask) {
        struct slot *slot = &finder->slots[at];
        if (slot->held == 0) {
            *slot = (struct slot){.hash = (uint32_t)(hash >> 32), .held = result + 1};
            return;
        }
        uint32_t producer = slot->hash == hash >> 32 ? npart__producer(graph, slot->held - 1) : NPART_NONE;
        if (producer != NPART_NONE && same_node(finder, node, producer)) {
            take_classes(finder, node, npart__node_at(graph, producer));
            return;
        }
    }
}

/* Constants that bodies use are not shared by the runtime. A capture is an operand of the node that has the
 * body, after its inputs. */
static void find_captured(struct finder *finder)
{
    const struct npart__graph *graph = finder->graph;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        for (uint32_t k = 0; k < node->capture_count; k++) {
            uint32_t value = npart__node_use(graph, node, node->input_count + k);
            if (value != NPART_NONE)
                finder->is_captured[value] = true;
        }
    }
}

/* A node that only repeats another uses nothing. Uses are of classes in the end: each value has the sum of its
 * own. Being an output of the graph counts as one use. */
static void count_uses(const struct finder *finder, uint32_t *uses)
{
    const struct npart__graph *graph = finder->graph;
    for (uint32_t i = 0; i < graph->order_count; i++) {
        const struct npart__node *node = npart__node_at(graph, graph->order[i]);
        uint32_t result = npart__node_output(graph, node, 0);
        if (result != NPART_NONE && finder->first[result] != result)
            continue;
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t value = npart__node_use(graph, node, k);
            if (value != NPART_NONE)
                uses[finder->first[value]]++;
        }
    }
    for (uint32_t i = 0; i < graph->values.count; i++)
        uses[finder->first[i]] += npart__value_at(graph, i)->is_graph_output;
    for (uint32_t i = 0; i < graph->values.count; i++)
        uses[i] = uses[finder->first[i]];
}

/* Constants first, then nodes in topological order, so that the classes of a node's inputs are known when it is looked
 * at. Time grows with what there is to hash, not with pairs. */
bool npart__find_common_subexpressions(struct npart__inference *inference)
{
    const struct npart__graph *graph = inference->graph;
    struct npart__arena scratch;
    struct finder finder = {.graph = graph, .mask = 63};
    npart__arena_init(&scratch, &inference->arena->allocator);
    /* At least twice as many places as values. */
    while (finder.mask / 2 < graph->values.count)
        finder.mask = finder.mask * 2 + 1;
    finder.slots = npart__arena_zeroed(&scratch, finder.mask + (size_t)1, sizeof *finder.slots);
    finder.first = npart__arena_allocate(inference->arena, (graph->values.count + (size_t)1) * sizeof *finder.first);
    inference->first_equal = finder.first;
    inference->equal_uses = npart__arena_zeroed(inference->arena, graph->values.count + (size_t)1,
                                               sizeof *inference->equal_uses);
    finder.is_captured = npart__arena_zeroed(&scratch, graph->values.count + (size_t)1, sizeof *finder.is_captured);
    bool is_ready = finder.slots && finder.first && finder.is_captured && inference->equal_uses;
    if (is_ready)
        find_captured(&finder);
    for (uint32_t i = 0; is_ready && i < graph->values.count; i++)
        finder.first[i] = i;
    for (uint32_t i = 0; is_ready && i < graph->values.count; i++)
        if (npart__value_at(graph, i)->kind == NPART__VALUE_INITIALIZER)
            class_constant(&finder, i);
    for (uint32_t i = 0; is_ready && i < graph->order_count; i++)
        class_node(&finder, graph->order[i]);
    if (is_ready)
        count_uses(&finder, inference->equal_uses);
    npart__arena_clear(&scratch);
    return is_ready;
}
