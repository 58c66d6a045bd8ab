/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes: a tagged union in place of protobuf's twenty fields, with references to a function's attributes
 * replaced by what the call gives.
 */
#include <stdlib.h>

#include "graph/build.h"

/* AttributeProto.AttributeType ends here: TYPE_PROTOS. */
#define LAST_TYPE 14
/* Pads of a 3-D convolution are six numbers, permutations hardly more than eight; longer lists
 * are read once. */
#define SHORT_LIST 16u

/* AttributeProto.type may be missing in old files (IR 1); then what is filled in tells. A number that no type has
 * counts as none. The order of the rows is that of the numbers, so of an attribute with several fields filled in
 * the first type wins, which is the scalar before its list. */
static int attribute_type(const Onnx__AttributeProto *proto)
{
    if (proto->has_type && proto->type != ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__UNDEFINED)
        return (int)proto->type > 0 && (int)proto->type <= LAST_TYPE ? (int)proto->type : 0;
    const struct {
        bool is_filled;
        int type;
    } fields[] = {
        {proto->has_f, 1},      {proto->has_i, 2},      {proto->has_s, 3},      {proto->t != NULL, 4},
        {proto->g != NULL, 5},  {proto->n_floats, 6},   {proto->n_ints, 7},     {proto->n_strings, 8},
        {proto->n_tensors, 9},  {proto->n_graphs, 10},  {proto->sparse_tensor != NULL, 11},
        {proto->n_sparse_tensors, 12}, {proto->tp != NULL, 13}, {proto->n_type_protos, 14},
    };
    for (size_t i = 0; i < NPART__COUNT(fields); i++)
        if (fields[i].is_filled)
            return fields[i].type;
    return 0;
}

/* A body is a region of its own: its nodes run within the node, on one device, and are
 * partitioned by themselves. It is only noted here; its nodes are built when all names around it
 * are known. */
static uint32_t add_body(struct npart__build *build, const Onnx__GraphProto *graph, const char *label, uint32_t node)
{
    struct npart__graph *out = build->graph;
    uint32_t scope = out->scopes.count;
    struct npart__scope made = {
        .kind = NPART_GRAPH_BODY,
        .parent = out->nodes.items[node].scope,
        .node = node,
        .region = scope,
        .label = label,
    };
    if (!NPART__PUSH(build->arena, &out->scopes, made) || !NPART__PUSH(build->arena, &build->bodies, graph))
        return NPART_NONE;
    out->nodes.items[node].body_count++;
    return scope;
}

/* The bodies of one node have ids that follow one another, since all its attributes are read
 * before anything else makes a scope. A graph attribute without a graph has no scope. */
static bool add_bodies(struct npart__build *build, Onnx__GraphProto **graphs, size_t count, const char *label,
                       uint32_t node, struct npart__attribute *out)
{
    out->count = (uint32_t)count;
    out->u.scope = NPART_NONE;
    for (size_t i = 0; i < count; i++) {
        uint32_t scope = add_body(build, graphs[i], label, node);
        if (scope == NPART_NONE)
            return false;
        if (i == 0)
            out->u.scope = scope;
    }
    return true;
}

/* Strings are terminated, which protobuf's bytes are not. They may hold NULs inside, hence the length beside the
 * copy. */
static bool copy_strings(struct npart__build *build, const Onnx__AttributeProto *proto, struct npart__attribute *out)
{
    ProtobufCBinaryData *copies = npart__arena_zeroed(build->arena, proto->n_strings, sizeof *copies);
    for (size_t i = 0; copies && i < proto->n_strings; i++) {
        const ProtobufCBinaryData *string = &proto->strings[i];
        copies[i].len = string->len;
        copies[i].data = (uint8_t *)npart__arena_copy_text(build->arena, (const char *)string->data, string->len);
        if (!copies[i].data)
            return false;
    }
    out->u.strings = copies;
    out->count = (uint32_t)proto->n_strings;
    return copies != NULL;
}

/* One copy of each name: the same few stand at thousands of nodes, and looking for them must not fetch every copy.
 * The text itself is not copied: the unpacked object has it, and lives in the same arena. */
static bool take_name(struct npart__build *build, const Onnx__AttributeProto *proto, struct npart__attribute *out)
{
    const char *name = proto->name ? proto->name : "";
    uint32_t id = npart__intern_text(&build->graph->strings, name);
    if (id == NPART_NONE)
        return false;
    out->name = npart__text(&build->graph->strings, id);
    return true;
}

/* Axes, pads and the like are read again and again: side by side, not each in an object of its own. Long lists
 * stay in the objects that were unpacked, which live as long as the graph. */
static const int64_t *short_list(struct npart__build *build, const int64_t *ints, size_t count)
{
    if (count == 0 || count > SHORT_LIST)
        return ints;
    int64_t *copy = npart__arena_allocate(build->arena, count * sizeof *copy);
    if (copy)
        memcpy(copy, ints, count * sizeof *copy);
    return copy;
}

/* Fills in the union; false when out of memory. Tensors of a list are of no use to the analysis and stay out. The
 * cases are numbers of AttributeProto.AttributeType, as `type` of npart__attribute has them; 9 (TENSORS), 12
 * (SPARSE_TENSORS) and 14 (TYPE_PROTOS) have nothing here but their type. The type that the file writes decides,
 * also where another field is filled in: then the attribute is 0, empty or NULL. */
static bool convert(struct npart__build *build, const Onnx__AttributeProto *proto, uint32_t node,
                    struct npart__attribute *out)
{
    struct npart__elided elided;
    const char *where = build->graph->nodes.items[node].name;
    out->type = (uint8_t)attribute_type(proto);
    /* The scan left the content out and a note in its place (lib/read/wire): the type is known, and nothing else. */
    out->is_elided = npart__onnx_elided(&proto->base, 0, &elided);
    switch (out->type) {
    case NPART_ATTRIBUTE_FLOAT:
        out->u.f = proto->f;
        return true;
    case NPART_ATTRIBUTE_INT:
        out->u.i = proto->i;
        return true;
    case NPART_ATTRIBUTE_STRING:
        out->u.s = npart__arena_copy_text(build->arena, (const char *)proto->s.data, proto->s.len);
        out->count = (uint32_t)proto->s.len;
        return out->u.s != NULL;
    case NPART_ATTRIBUTE_TENSOR:
        /* A Constant's tensor is a weight as much as an initializer is. */
        out->u.tensor = proto->t ? npart__build_tensor(build, proto->t, where) : NULL;
        if (out->u.tensor)
            npart__build_add_weight(build, out->u.tensor);
        return !proto->t || out->u.tensor;
    case NPART_ATTRIBUTE_GRAPH: {
        Onnx__GraphProto *graph = proto->g;
        return add_bodies(build, &graph, graph ? 1 : 0, out->name, node, out);
    }
    case 6:
        out->u.floats = proto->floats;
        out->count = (uint32_t)proto->n_floats;
        return true;
    case 7:
        out->count = (uint32_t)proto->n_ints;
        out->u.ints = short_list(build, proto->ints, proto->n_ints);
        return out->u.ints || proto->n_ints == 0;
    case 8:
        return copy_strings(build, proto, out);
    case 10:
        return add_bodies(build, proto->graphs, proto->n_graphs, out->name, node, out);
    case 11:
        out->u.tensor =
            proto->sparse_tensor ? npart__build_sparse_tensor(build, proto->sparse_tensor, where) : NULL;
        if (out->u.tensor)
            npart__build_add_weight(build, out->u.tensor);
        return !proto->sparse_tensor || out->u.tensor;
    case 13:
        out->u.declared = npart__build_type(build->arena, proto->tp);
        return out->u.declared != NULL;
    default:
        return true;
    }
}

/* ---- attributes by name ----------------------------------------------------------------------------------- */

/* So many are looked through; of more, an index is made. */
#define FEW_ATTRIBUTES 16u

/* An entry of the index, which is sorted by the address of the name: any order does, as long as
 * it is the same when a name is looked for. */
struct named {
    const char *name; /* interned: its address tells it from others */
    uint32_t index;   /* among the graph's attributes */
};

/* Of equal names the one that the file has first comes first, so that both ways of looking find the same. */
static int compare_named(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    if (a->name != b->name)
        return (uintptr_t)a->name < (uintptr_t)b->name ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* A call may have thousands of attributes, and its function as many references to them, so that
 * looking through them all each time would take too long. */
bool npart__build_attribute_index(struct npart__build *build, uint32_t id, struct npart__attribute_index *out)
{
    const struct npart__node *node = &build->graph->nodes.items[id];
    *out = (struct npart__attribute_index){.node = id};
    if (node->attribute_count <= FEW_ATTRIBUTES)
        return true;
    struct named *named = npart__arena_allocate(build->arena, node->attribute_count * sizeof *named);
    if (!named)
        return false;
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        uint32_t index = node->first_attribute + i;
        named[i] = (struct named){build->graph->attributes.items[index].name, index};
    }
    qsort(named, node->attribute_count, sizeof *named, compare_named);
    out->named = named;
    out->count = node->attribute_count;
    return true;
}

/* The first attribute of that name, or NULL. Without a sorted list this is the linear search of
 * npart__node_attribute; with one a binary search for the first entry that is not smaller than the wanted name at
 * index 0. */
static const struct npart__attribute *find_attribute(const struct npart__build *build,
                                                     const struct npart__attribute_index *index, const char *name)
{
    const struct npart__graph *graph = build->graph;
    const struct named *named = index->named;
    uint32_t low = 0, high = index->count;
    if (!named)
        return npart__node_attribute(graph, &graph->nodes.items[index->node], name);
    /* A name that was never interned is no attribute's, and needs no search. */
    uint32_t id = npart__strings_find_text(&graph->strings, name);
    struct named wanted = {npart__text(&graph->strings, id), 0};
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (compare_named(&named[middle], &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return id != NPART_NONE && low < index->count && named[low].name == wanted.name
               ? &graph->attributes.items[named[low].index]
               : NULL;
}

/* What a reference means in this call: the caller's attribute, else the function's default, which was added to
 * the call's own list, else nothing. In the model's own graphs there is no call, so a reference there means
 * nothing. A graph is the body of one node, the call: whoever refers to it knows that there is one, and has none of
 * its own. Else its nodes would stand in several places, and in as many as there are ways through nested calls. */
static bool resolve_reference(const struct npart__build *build, const Onnx__AttributeProto *proto,
                              struct npart__attribute *out)
{
    const struct npart__attribute *given =
        build->call_depth ? find_attribute(build, &build->call_attributes, proto->ref_attr_name) : NULL;
    if (given)
        *out = *given;
    if (out->type == NPART_ATTRIBUTE_GRAPH || out->type == NPART_ATTRIBUTE_GRAPHS)
        out->u.scope = NPART_NONE;
    return given != NULL;
}

/* A reference within a function (ref_attr_name) that the call does not give and that has no
 * default leaves the attribute out, as the format says. What is given keeps its content, shared with the call's,
 * and takes the name that the function's node has for it: `alpha` of a LeakyRelu may refer to the call's attribute
 * `slope`. */
static npart_status add_attribute(struct npart__build *build, const Onnx__AttributeProto *proto, uint32_t node)
{
    struct npart__graph *graph = build->graph;
    struct npart__attribute made = {0};
    bool is_reference = proto->ref_attr_name && *proto->ref_attr_name;
    if (is_reference && !resolve_reference(build, proto, &made))
        return NPART_OK;
    if (!take_name(build, proto, &made) || (!is_reference && !convert(build, proto, node, &made)))
        return npart__fail_memory(build->error);
    /* `node` has the newest list: its attributes follow one another in the graph's array. */
    if (!NPART__PUSH(build->arena, &graph->attributes, made))
        return npart__fail_memory(build->error);
    graph->nodes.items[node].attribute_count++;
    return NPART_OK;
}

/* Called twice for a call: with its own attributes, and with the defaults of the function that
 * it leaves out. */
npart_status npart__build_attributes(struct npart__build *build, Onnx__AttributeProto **protos, size_t count,
                                     uint32_t node, bool only_missing)
{
    /* The index is made before any default is added, so a default that the function lists twice would be there
     * twice; readers then see the first. */
    struct npart__attribute_index given;
    if (only_missing && !npart__build_attribute_index(build, node, &given))
        return npart__fail_memory(build->error);
    for (size_t i = 0; i < count; i++) {
        const char *name = protos[i]->name ? protos[i]->name : "";
        if (only_missing && find_attribute(build, &given, name))
            continue;
        npart_status status = add_attribute(build, protos[i], node);
        if (status != NPART_OK)
            return status;
    }
    return NPART_OK;
}
