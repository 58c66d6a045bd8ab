/* SPDX-License-Identifier: Apache-2.0
 *
 * The same graph with one element type in the place of another, as a converter of the model would write it: in what is
 * declared, initializers and constants, and in attributes that name a type. Where an operator's schema fixes the type
 * of an operand (the scales of Resize), what is given there keeps it.
 */
#include "graph/build.h"

struct conversion {
    struct npart__graph *graph;
    uint8_t from, to;
    bool *is_kept; /* by value */
    struct npart__arena *arena;
};

/* False when out of memory. */
static bool mark_kept(struct conversion *at)
{
    const struct npart__graph *graph = at->graph;
    struct npart__operand operand;
    at->is_kept = npart__arena_zeroed(at->arena, graph->values.count + (size_t)1, sizeof *at->is_kept);
    for (uint32_t n = 0; at->is_kept && n < graph->nodes.count; n++) {
        const struct npart__node *node = npart__node_at(graph, n);
        for (uint32_t i = 0; node->schema && i < node->input_count; i++) {
            uint32_t value = npart__node_input(graph, node, i);
            if (value != NPART_NONE && npart__operator_input(node->schema, i, &operand) &&
                npart__type_number(operand.type, operand.type_length) == at->from)
                at->is_kept[value] = true;
        }
    }
    return at->is_kept != NULL;
}

/* A sum may have stayed at what can be counted, or a tensor that no call uses is in none. */
static void take_away(uint64_t *sum, uint64_t part)
{
    *sum -= *sum == UINT64_MAX ? 0 : part < *sum ? part : *sum;
}

/* Its numbers are still read as they are stored. */
static const struct npart__tensor *convert_tensor(struct conversion *at, const struct npart__tensor *tensor)
{
    struct npart__weight_sum *sums = at->graph->weights_of;
    struct npart__tensor *made = npart__arena_allocate(at->arena, sizeof *made);
    if (!made)
        return NULL;
    *made = *tensor;
    made->element_type = at->to;
    made->bytes = npart__type_bytes(at->to, tensor->elements);
    take_away(&at->graph->weight_bytes, tensor->bytes);
    take_away(&sums[at->from].bytes, tensor->bytes);
    take_away(&sums[at->from].elements, tensor->elements);
    at->graph->weight_bytes = npart__sum_uint64(at->graph->weight_bytes, made->bytes);
    sums[at->to].bytes = npart__sum_uint64(sums[at->to].bytes, made->bytes);
    sums[at->to].elements = npart__sum_uint64(sums[at->to].elements, made->elements);
    return made;
}

static const struct npart__declared_type *convert_declared(struct conversion *at,
                                                           const struct npart__declared_type *declared)
{
    struct npart__declared_type *made = npart__arena_allocate(at->arena, sizeof *made);
    if (!made)
        return NULL;
    *made = *declared;
    made->element_type = declared->element_type == at->from ? at->to : declared->element_type;
    made->element = declared->element ? convert_declared(at, declared->element) : NULL;
    return !declared->element || made->element ? made : NULL;
}

static bool convert_value(struct conversion *at, struct npart__value *value)
{
    bool has_tensor = value->tensor, is_declared = value->declared;
    if (value->tensor && value->tensor->element_type == at->from)
        value->tensor = convert_tensor(at, value->tensor);
    if (value->declared)
        value->declared = convert_declared(at, value->declared);
    return has_tensor == (value->tensor != NULL) && is_declared == (value->declared != NULL);
}

/* `value_float` and `value_floats` of Constant, which have no type of their own, as a `value`. */
static bool convert_floats(struct conversion *at, struct npart__attribute *attribute, bool is_list)
{
    Onnx__TensorProto *proto = npart__arena_allocate(at->arena, sizeof *proto);
    struct npart__tensor *made = npart__arena_zeroed(at->arena, 1, sizeof *made);
    int64_t *dims = npart__arena_zeroed(at->arena, 1, sizeof *dims);
    float *number = npart__arena_zeroed(at->arena, 1, sizeof *number);
    if (!proto || !made || !dims || !number)
        return false;
    onnx__tensor_proto__init(proto);
    *number = is_list ? 0 : attribute->u.f;
    *dims = is_list ? attribute->count : 1;
    proto->n_float_data = (size_t)*dims;
    proto->float_data = is_list ? (float *)(uintptr_t)attribute->u.floats : number; /* only read */
    *made = (struct npart__tensor){.name = "", .element_type = at->to, .stored_type = at->from,
                                   .place = NPART__TENSOR_INLINE, .rank = is_list, .dims = dims,
                                   .elements = (uint64_t)*dims,
                                   .bytes = npart__type_bytes(at->to, (uint64_t)*dims), .data = proto};
    *attribute = (struct npart__attribute){.name = "value", .type = NPART_ATTRIBUTE_TENSOR, .u.tensor = made};
    return true;
}

static bool has(const struct npart__attribute *attribute, enum npart_attribute_type type, const char *name)
{
    return attribute->type == type && strcmp(attribute->name, name) == 0;
}

/* An attribute of a tensor may hold none. */
static bool convert_attribute(struct conversion *at, bool is_constant, struct npart__attribute *attribute)
{
    bool is_tensor = attribute->type == NPART_ATTRIBUTE_TENSOR && attribute->u.tensor;
    if (attribute->is_elided)
        return true;
    if (has(attribute, NPART_ATTRIBUTE_INT, "to") || has(attribute, NPART_ATTRIBUTE_INT, "dtype"))
        attribute->u.i = attribute->u.i == at->from ? at->to : attribute->u.i;
    else if (is_tensor && attribute->u.tensor->element_type == at->from)
        return (attribute->u.tensor = convert_tensor(at, attribute->u.tensor)) != NULL;
    else if (is_constant && has(attribute, NPART_ATTRIBUTE_FLOAT, "value_float"))
        return convert_floats(at, attribute, false);
    else if (is_constant && has(attribute, NPART_ATTRIBUTE_FLOATS, "value_floats"))
        return convert_floats(at, attribute, true);
    return true;
}

/* Nodes of one function share attributes where it is called twice: what is converted is so for both. */
static bool convert_nodes(struct conversion *at)
{
    for (uint32_t n = 0; n < at->graph->nodes.count; n++) {
        const struct npart__node *node = npart__node_at(at->graph, n);
        uint32_t result = npart__node_output(at->graph, node, 0);
        bool is_constant = npart__is_constant_node(at->graph, node);
        for (uint32_t i = 0; i < node->attribute_count && !(result != NPART_NONE && at->is_kept[result]); i++)
            if (!convert_attribute(at, is_constant, &at->graph->attributes.items[node->first_attribute + i]))
                return false;
    }
    return true;
}

npart_status npart__graph_convert(const struct npart__graph *graph, int from, int to, struct npart__arena *arena,
                                  struct npart__graph *out, struct npart_error *error)
{
    struct conversion at = {.graph = out, .from = (uint8_t)from, .to = (uint8_t)to, .arena = arena};
    bool is_made = npart__build_copy(graph, arena, out) &&
                   NPART__COPY_ARRAY(arena, &graph->attributes, &out->attributes) && mark_kept(&at);
    for (uint32_t i = 0; is_made && i < out->values.count; i++)
        is_made = at.is_kept[i] || convert_value(&at, &out->values.items[i]);
    return is_made && convert_nodes(&at) ? NPART_OK : npart__fail_memory(error);
}
