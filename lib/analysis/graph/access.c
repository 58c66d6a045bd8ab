/* SPDX-License-Identifier: Apache-2.0
 *
 * Reading a graph that has been built: attributes, names and paths, for all later stages.
 * Nothing here changes a graph or allocates.
 */
#include <stdio.h>

#include "graph/build.h"

/* A word may name the operator's domain, as in "com.microsoft:Gelu"; without, it is of ONNX's own. Without a colon,
 * "Gelu" is therefore not com.microsoft's. Nothing is allocated, as it is asked of every node for every rewrite. */
bool npart__lists_op(const struct npart__graph *graph, const char *ops, uint32_t id)
{
    const struct npart__node *node = npart__node_at(graph, id);
    const char *domain = npart__text(&graph->strings, node->domain), *op = npart__node_op(graph, node);
    const char first = *domain ? *domain : *op;
    size_t own_length = strlen(domain);
    while (*ops) {
        const char *at = ops;
        while (*ops && *ops != ' ')
            ops++;
        size_t length = (size_t)(ops - at);
        ops += *ops == ' ';
        if (length == 1 && *at == '*')
            return true;
        if (*at != first && *at != '*') /* nearly all */
            continue;
        const char *colon = memchr(at, ':', length), *name = colon ? colon + 1 : at;
        size_t domain_length = colon ? (size_t)(colon - at) : 0;
        bool is_domain = own_length == domain_length && memcmp(domain, at, domain_length) == 0;
        if (is_domain && npart__fits_pattern(name, length - (size_t)(name - at), op))
            return true;
    }
    return false;
}

bool npart__is_constant_node(const struct npart__graph *graph, const struct npart__node *node)
{
    return node->domain == 0 && npart__node_plays(graph, node, NPART__ROLE_CONSTANT);
}

/* Op names have letters enough for 256 places: a graph of 20 operators takes most others for none of its own. */
static unsigned mark_of(const char *name)
{
    size_t length = strlen(name);
    unsigned first = (unsigned char)name[0], last = length ? (unsigned char)name[length - 1] : 0;
    return (first * 37 + last * 11 + (unsigned)length) % 256;
}

/* An op that stands again and again, as they do, is looked at once in a row. */
struct npart__op_marks npart__mark_ops(const struct npart__graph *graph)
{
    struct npart__op_marks marks = {.bits = {0}};
    uint32_t last = NPART_NONE;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        unsigned mark = node->op_type == last ? 0 : mark_of(npart__node_op(graph, node));
        if (node->op_type != last)
            marks.bits[mark / 64] |= UINT64_C(1) << mark % 64;
        last = node->op_type;
    }
    return marks;
}

bool npart__may_have_op(const struct npart__op_marks *marks, const char *name)
{
    unsigned mark = mark_of(name);
    return marks->bits[mark / 64] >> mark % 64 & 1;
}

/* A linear search: nodes have few attributes, and those of one name are interned, so their text
 * is in the cache. A file may give one attribute twice, which ONNX's checker refuses; then the first counts
 * everywhere. */
const struct npart__attribute *npart__node_attribute(const struct npart__graph *graph, const struct npart__node *node,
                                                     const char *name)
{
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        const struct npart__attribute *attribute = &graph->attributes.items[node->first_attribute + i];
        if (npart__same_text(attribute->name, name))
            return attribute;
    }
    return NULL;
}

bool npart__node_ints_are(const struct npart__graph *graph, const struct npart__node *node, const char *name,
                          int64_t number)
{
    const struct npart__attribute *list = npart__node_attribute(graph, node, name);
    for (uint32_t i = 0; list && list->type == NPART_ATTRIBUTE_INTS && i < list->count; i++)
        if (list->u.ints[i] != number)
            return false;
    return true;
}

int64_t npart__node_int(const struct npart__graph *graph, const struct npart__node *node, const char *name,
                        int64_t otherwise)
{
    const struct npart__attribute *attribute = npart__node_attribute(graph, node, name);
    /* 2 is AttributeProto.INT. */
    return attribute && attribute->type == NPART_ATTRIBUTE_INT ? attribute->u.i : otherwise;
}

/* Results that a file writes beyond those of the operator count, too, as somebody may use them. Users are those of
 * this graph: a result whose only user was folded away still counts as used in the file's graph. */
bool npart__has_one_result(const struct npart__graph *graph, const struct npart__node *node)
{
    for (uint32_t i = 1; i < node->output_count; i++) {
        uint32_t value = npart__node_output(graph, node, i);
        if (value != NPART_NONE &&
            (npart__value_at(graph, value)->consumer_count || npart__value_at(graph, value)->is_graph_output))
            return false;
    }
    return npart__node_output(graph, node, 0) != NPART_NONE;
}

/* The last colon divides domain and operator; ONNX's own domain may be written out or left out. */
bool npart__node_is(const struct npart__graph *graph, const struct npart__node *node, const char *op)
{
    const char *colon = strrchr(op, ':'), *domain = npart__text(&graph->strings, node->domain);
    size_t length = colon ? (size_t)(colon - op) : 0;
    if (!npart__same_text(npart__node_op(graph, node), colon ? colon + 1 : op))
        return false;
    if (length == 7 && memcmp(op, "ai.onnx", 7) == 0)
        return !*domain;
    return npart__is_text(domain, op, length);
}

/* For nodes that may compute the same. A payload that the scan has left out cannot be compared,
 * so such attributes differ. Floats are compared by bits: -0 and 0 are not the same attribute. */
bool npart__same_attribute(const struct npart__attribute *a, const struct npart__attribute *b)
{
    if (a->type != b->type || a->count != b->count || a->is_elided || b->is_elided || strcmp(a->name, b->name) != 0)
        return false;
    switch (a->type) {
    case NPART_ATTRIBUTE_FLOAT:
        /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are what is compared */
        return memcmp(&a->u.f, &b->u.f, sizeof a->u.f) == 0;
    case NPART_ATTRIBUTE_INT:
        return a->u.i == b->u.i;
    case NPART_ATTRIBUTE_STRING:
        return memcmp(a->u.s, b->u.s, a->count) == 0;
    case NPART_ATTRIBUTE_FLOATS:
        return a->count == 0 || memcmp(a->u.floats, b->u.floats, a->count * sizeof *a->u.floats) == 0;
    case NPART_ATTRIBUTE_INTS:
        return a->count == 0 || memcmp(a->u.ints, b->u.ints, a->count * sizeof *a->u.ints) == 0;
    default:
        return false; /* tensors, graphs and lists of strings */
    }
}

/* Protobuf's bytes are not terminated; copies of them were made that are (attribute.c). */
const char *npart__attribute_string(const struct npart__attribute *attribute, uint32_t index, size_t *length)
{
    *length = 0;
    if (attribute->type != NPART_ATTRIBUTE_STRINGS || index >= attribute->count)
        return "";
    const ProtobufCBinaryData *strings = attribute->u.strings;
    *length = strings[index].len;
    /* Elements may hold NULs, hence the length beside the text. */
    return (const char *)strings[index].data;
}

/* Of a key that is there twice the first counts. */
static const char *metadata_of(Onnx__StringStringEntryProto *const *entries, size_t count, const char *key)
{
    for (size_t i = 0; i < count; i++)
        if (entries[i]->key && entries[i]->value && strcmp(entries[i]->key, key) == 0)
            return entries[i]->value;
    return NULL;
}

/* NodeProto.metadata_props (IR 10): exporters note there where a node comes from. `metadata` is the node's protobuf
 * object, which is never NULL and lives as long as the graph; a node of an expanded body has that of the call. */
const char *npart__node_metadata(const struct npart__node *node, const char *key)
{
    const Onnx__NodeProto *proto = node->metadata;
    return metadata_of(proto->metadata_props, proto->n_metadata_props, key);
}

/* Runtimes note there for what they have compiled a model. A graph that is no file's has none. */
const char *npart__model_metadata(const struct npart__graph *graph, const char *key)
{
    const Onnx__ModelProto *proto = graph->metadata;
    return proto ? metadata_of(proto->metadata_props, proto->n_metadata_props, key) : NULL;
}

/* PyTorch's exporter wrote stack traces there when nodes had no metadata yet (before IR 10). Newer files have the
 * trace under a metadata key, so a reader asks for that first. */
const char *npart__node_doc(const struct npart__node *node)
{
    const Onnx__NodeProto *proto = node->metadata;
    return proto->doc_string;
}

/* "12:then_branch/3:body" is the body of node 3 within the branch of node 12 of the main graph. Calls are steps as
 * well, under the function's name: "7:MyLayer/0:body". The number is a node's place in its own scope, which is
 * what a reader finds in the file, and not its id. */
void npart__append_scope_path(struct npart__buffer *buffer, const struct npart__graph *graph, uint32_t scope)
{
    const struct npart__scope *at = npart__scope_at(graph, scope);
    if (at->parent == NPART_NONE)
        return;
    npart__append_scope_path(buffer, graph, at->parent); /* as deep as graphs and calls may nest */
    if (npart__scope_at(graph, at->parent)->parent != NPART_NONE)
        npart__append_text(buffer, "/");
    npart__append_int64(buffer, npart__node_at(graph, at->node)->index);
    npart__append_text(buffer, ":");
    npart__append_text(buffer, at->label);
}

/* Long names are cut at their beginning, as exporters put what tells them apart at the end. */
void npart__describe_node(const struct npart__graph *graph, uint32_t id, char *out, size_t bytes)
{
    const struct npart__node *node = npart__node_at(graph, id);
    const struct npart__scope *scope = npart__scope_at(graph, node->scope);
    /* 32 more bytes are enough for "node ", a number of ten digits, the parentheses and the blanks. Texts of the
     * file go into `text` as they are, and npart__copy_plain escapes them on the way out. */
    char op[32], name[56], label[20], inside[64] = "", text[sizeof op + sizeof name + sizeof inside + 32];
    npart__shorten(op, sizeof op, npart__node_op(graph, node));
    npart__shorten(name, sizeof name, node->name);
    if (scope->parent != NPART_NONE) {
        npart__shorten(label, sizeof label, scope->label);
        (void)snprintf(inside, sizeof inside, " in %s \"%s\" of node %u",
                       scope->kind == NPART_GRAPH_CALL ? "function" : "graph", label,
                       npart__node_at(graph, scope->node)->index);
    }
    (void)snprintf(text, sizeof text, "node %u (%s%s%s)%s", node->index, op, *name ? " " : "", name, inside);
    npart__copy_plain(out, bytes, text);
}

const struct npart_opset *npart__standard_import(const struct npart__graph *graph)
{
    for (uint32_t i = 0; i < graph->opset_count; i++)
        if (strcmp(graph->opsets[i].domain, "ai.onnx") == 0)
            return &graph->opsets[i];
    return NULL;
}
