/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that ask for nodes, their operands, attributes and names. All answers point
 * into the model and live as long as it; an id out of range gets false or NULL.
 */
#include "api/api.h"

/* Of a view the ids after the file's nodes are those that its runtime made. */
static const struct npart__node *node_at(const npart_model *model, uint32_t node)
{
    return model && node < model->graph->nodes.count ? npart__node_at(model->graph, node) : NULL;
}

/* NULL rather than an address past the end where there are none. */
static const uint32_t *operands_at(const npart_model *model, uint32_t first, uint32_t count)
{
    return count ? model->graph->operands.items + first : NULL;
}

/* Lists are borrowed from the model; ids in them are values or NPART_NONE for an operand that is left out.
 * Without bodies the first is NPART_NONE and not 0, which is the main graph. */
bool npart_model_node(const npart_model *model, uint32_t node, struct npart_node *out)
{
    const struct npart__node *at = node_at(model, node);
    if (!at || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__graph *graph = model->graph;
    *out = (struct npart_node){
        .size = sizeof *out,
        .name = at->name,
        .op = npart__node_op(graph, at),
        .domain = npart__text(&graph->strings, at->domain),
        .written_domain = npart__text(&graph->strings, at->written_domain),
        .index = at->index,
        .graph = at->scope,
        .opset_version = at->opset_version,
        .input_count = at->input_count,
        .output_count = at->output_count,
        .capture_count = at->capture_count,
        .attribute_count = at->attribute_count,
        .inputs = operands_at(model, at->first_input, at->input_count),
        .outputs = operands_at(model, at->first_output, at->output_count),
        .captures = operands_at(model, at->first_capture, at->capture_count),
        .first_body = at->body_count ? at->first_body : NPART_NONE,
        .body_count = at->body_count,
        .callee = at->callee,
    };
    return true;
}

/* The name is the schema's ("X", "W"), not that of the tensor; operators that the standard does not know have
 * none. It points into the schema's list of operands and is not terminated there, hence its length. */
bool npart_model_operand(const npart_model *model, uint32_t node, bool is_output, uint32_t index,
                         struct npart_operand *out)
{
    const struct npart__node *at = node_at(model, node);
    struct npart__operand operand = {.name = ""};
    if (!at || index >= (is_output ? at->output_count : at->input_count) || !NPART__HAS_ROOM(out))
        return false;
    bool is_named = at->schema && (is_output ? npart__operator_output(at->schema, index, &operand)
                                             : npart__operator_input(at->schema, index, &operand));
    *out = (struct npart_operand){
        .size = sizeof *out,
        .value = is_output ? npart__node_output(model->graph, at, index) : npart__node_input(model->graph, at, index),
        .name = is_named ? operand.name : "",
        .name_bytes = is_named ? operand.name_length : 0,
    };
    return true;
}

/* ---- attributes -------------------------------------------------------------------------------------------- */

/* Attributes are by place, in the order of the file. */
static const struct npart__attribute *attribute_at(const npart_model *model, uint32_t node, uint32_t index)
{
    const struct npart__node *at = node_at(model, node);
    return at && index < at->attribute_count ? &model->graph->attributes.items[at->first_attribute + index] : NULL;
}

/* The graph counts what has several parts alone. One value has a count of 1 for callers, whatever the file's
 * message says. A string counts its bytes, a list its items, and graphs are counted as bodies of the node. */
static uint32_t count_of(const struct npart__attribute *attribute)
{
    switch ((enum npart_attribute_type)attribute->type) {
    case NPART_ATTRIBUTE_FLOAT:
    case NPART_ATTRIBUTE_INT:
    case NPART_ATTRIBUTE_TENSOR:
    case NPART_ATTRIBUTE_SPARSE_TENSOR:
    case NPART_ATTRIBUTE_TYPE:
        return 1;
    default:
        return attribute->count;
    }
}

/* Each type fills in its own member; the others stay 0 or NULL. Members of a union in the graph: only the one
 * that belongs to the type may be read. Lists of strings are asked for one by one
 * (npart_model_attribute_string). Of a tensor the type and shape are told, and not the data: those may be
 * gigabytes, and elided by the scan. */
static void put_contents(const struct npart__attribute *attribute, struct npart_attribute *out)
{
    switch (out->type) {
    case NPART_ATTRIBUTE_FLOAT:
        out->real = attribute->u.f;
        break;
    case NPART_ATTRIBUTE_INT:
        out->integer = attribute->u.i;
        break;
    case NPART_ATTRIBUTE_STRING:
        out->text = attribute->u.s;
        break;
    case NPART_ATTRIBUTE_FLOATS:
        out->reals = attribute->u.floats;
        break;
    case NPART_ATTRIBUTE_INTS:
        out->integers = attribute->u.ints;
        break;
    case NPART_ATTRIBUTE_GRAPH:
    case NPART_ATTRIBUTE_GRAPHS:
        out->graph = attribute->u.scope;
        break;
    case NPART_ATTRIBUTE_TENSOR:
        if (attribute->u.tensor) { /* an empty tensor attribute has none */
            out->element_type = attribute->u.tensor->element_type;
            out->rank = attribute->u.tensor->rank;
            out->dims = attribute->u.tensor->dims;
        }
        break;
    default:
        break;
    }
}

/* What the scan left out has its type and no contents. Without bodies `graph` is NPART_NONE, as 0 would be the
 * main graph. */
bool npart_model_attribute(const npart_model *model, uint32_t node, uint32_t index, struct npart_attribute *out)
{
    const struct npart__attribute *at = attribute_at(model, node, index);
    if (!at || !NPART__HAS_ROOM(out))
        return false;
    *out = (struct npart_attribute){
        .size = sizeof *out,
        .name = at->name,
        .type = (enum npart_attribute_type)at->type,
        .is_elided = at->is_elided,
        .count = count_of(at),
        .graph = NPART_NONE,
    };
    if (!at->is_elided)
        put_contents(at, out);
    return true;
}

/* Strings are bytes and may hold NULs, hence the length. */
const char *npart_model_attribute_string(const npart_model *model, uint32_t node, uint32_t index, uint32_t item,
                                         size_t *bytes)
{
    const struct npart__attribute *at = attribute_at(model, node, index);
    size_t length = 0;
    bool is_there = at && at->type == NPART_ATTRIBUTE_STRINGS && !at->is_elided && item < at->count;
    const char *text = is_there ? npart__attribute_string(at, item, &length) : NULL;
    if (bytes)
        *bytes = length;
    return text;
}

/* NULL where the node has no such key; exporters write scopes and source lines there. */
const char *npart_model_node_metadata(const npart_model *model, uint32_t node, const char *key)
{
    const struct npart__node *at = node_at(model, node);
    return at && key ? npart__node_metadata(at, key) : NULL;
}

/* ---- by name ----------------------------------------------------------------------------------------------- */

/* "node 12 (Conv conv1)", as all messages name a node. */
size_t npart_model_node_text(const npart_model *model, uint32_t node, char *out, size_t bytes)
{
    /* Longer names are cut short, as in every message. */
    char text[1024] = "";
    if (node_at(model, node))
        npart__describe_node(model->graph, node, text, sizeof text);
    return npart__copy_out(text, strlen(text), out, bytes);
}

/* A number is a node's place in the main graph; nodes within bodies have names only. A number too long for an id
 * is none. The bound keeps the number from wrapping around to some other node. For instance "12" for the node
 * that reports call node 12. */
static bool is_number_of(const struct npart__node *node, const char *text)
{
    uint64_t number = 0;
    const char *digit = text;
    for (; *digit >= '0' && *digit <= '9' && number < UINT32_MAX; digit++)
        number = number * 10 + (uint64_t)(*digit - '0');
    return digit != text && !*digit && node->scope == 0 && node->index == number;
}

/* A node is known by its name, its number, or a tensor that it makes: exporters leave names out,
 * and Netron shows tensors. */
static bool is_called(const struct npart__graph *graph, uint32_t node, const char *text)
{
    const struct npart__node *at = npart__node_at(graph, node);
    if (strcmp(at->name, text) == 0 || is_number_of(at, text))
        return true;
    for (uint32_t i = 0; i < at->output_count; i++) {
        uint32_t value = npart__node_output(graph, at, i);
        if (value != NPART_NONE && strcmp(npart__value_name(graph, value), text) == 0)
            return true;
    }
    return false;
}

/* A name may be there several times: callers go on with `from`. Linear in nodes for each question; users name a
 * few. */
uint32_t npart_model_find_node(const npart_model *model, const char *text, uint32_t from)
{
    bool can_be = model && text && *text;
    for (uint32_t i = from; can_be && i < model->graph->nodes.count; i++)
        if (is_called(model->graph, i, text))
            return i;
    return NPART_NONE;
}

/* A name that was never interned names nothing, so no value has to be looked at. Values of several graphs may
 * have one name, as a body's hide those outside of it: callers go on with `from`. */
uint32_t npart_model_find_value(const npart_model *model, const char *name, uint32_t from)
{
    uint32_t id = model && name && *name ? npart__strings_find_text(&model->graph->strings, name) : NPART_NONE;
    for (uint32_t i = from; id != NPART_NONE && i < model->graph->values.count; i++)
        if (npart__value_at(model->graph, i)->name == id)
            return i;
    return NPART_NONE;
}
