/* SPDX-License-Identifier: Apache-2.0
 *
 * How much the calls of functions stand for, counted before any is inlined. Each function is
 * looked at once, so that a file of 1 KB whose functions call each other twice, thirty deep, is
 * an error at once and takes no memory.
 */
#include "graph/build.h"

/* Things are counted; a node is as many, and each of its operands, attributes and sizes is one. */
#define THINGS_OF_NODE 4u
/* Of text, and of short lists, one for so many bytes. */
#define BYTES_OF_THING 64u

struct counter {
    struct npart__build *build;
    uint64_t *things_of; /* by function: 1 + what a call of it makes; 0: not counted */
    uint64_t limit; /* of things */
    unsigned depth; /* functions that are being counted in one another */
    bool is_done; /* past the limit; or functions call each other too deep, which inlining will say */
    bool failed;  /* out of memory */
};

static uint64_t count_graph(struct counter *counter, const Onnx__GraphProto *graph, bool is_inlined);

/* Sums stop just past the limit: a product of calls would soon overflow 64 bits. So a sum past the limit is told
 * from one at it, and stays the same number whatever is added. */
static uint64_t sum(const struct counter *counter, uint64_t a, uint64_t b)
{
    return a > counter->limit || b > counter->limit - a ? counter->limit + 1 : a + b;
}

/* A declared type with a dim for each axis, which is built anew at every call, with those of what it holds. Dims are
 * what a type may have thousands of. Messages in one another are bounded by the scan. */
static uint64_t count_type(const Onnx__TypeProto *type)
{
    struct npart__type_parts parts = npart__type_parts(type);
    return 1 + (parts.shape ? parts.shape->n_dim : 0) + (parts.element ? count_type(parts.element) : 0);
}

/* Not checked against the limit on the way: a file's own length bounds it. */
static uint64_t count_types(Onnx__ValueInfoProto **infos, size_t count)
{
    uint64_t things = count;
    for (size_t i = 0; i < count; i++)
        things += count_type(infos[i]->type);
    return things;
}

/* Payloads are not copied at a call; what is made is the description. So a function with large constants may be
 * called as often as one wants. */
static uint64_t count_tensor(const Onnx__TensorProto *tensor)
{
    return 2 + (tensor ? tensor->n_dims : 0);
}

/* What an attribute takes at each node that has it. Text is copied at each call, and lists of numbers where a rewrite
 * puts the nodes into the graph (lib/change/edit/splice.c): a thing for each 64 bytes. */
static uint64_t count_content(const Onnx__AttributeProto *attribute)
{
    uint64_t bytes = (attribute->has_s ? attribute->s.len : 0) + attribute->n_ints * sizeof(int64_t) +
                     attribute->n_floats * sizeof(float);
    for (size_t i = 0; i < attribute->n_strings; i++)
        bytes += BYTES_OF_THING + attribute->strings[i].len;
    return 1 + bytes / BYTES_OF_THING + (attribute->t ? count_tensor(attribute->t) : 0) +
           (attribute->sparse_tensor ? 2 + attribute->sparse_tensor->n_dims : 0) +
           (attribute->tp ? count_type(attribute->tp) : 0);
}

/* Of attributes in the file itself only the graphs are looked into, as these may call functions. */
static uint64_t count_attribute(struct counter *counter, const Onnx__AttributeProto *attribute, bool is_inlined)
{
    /* Outside of functions an attribute is there once, and within the file's length. */
    uint64_t things = is_inlined ? count_content(attribute) : 0;
    if (attribute->g)
        things = sum(counter, things, count_graph(counter, attribute->g, is_inlined));
    for (size_t i = 0; i < attribute->n_graphs; i++)
        things = sum(counter, things, count_graph(counter, attribute->graphs[i], is_inlined));
    return things;
}

static uint64_t count_nodes(struct counter *counter, Onnx__NodeProto **nodes, size_t count, bool is_inlined);

/* Functions that call themselves come to an end at the depth that inlining ends at, too. The result is kept, so
 * each function is walked once: the time is linear, however often it is called. */
static uint64_t count_function(struct counter *counter, uint32_t index)
{
    const Onnx__FunctionProto *function = counter->build->model->functions[index];
    if (counter->things_of[index])
        return counter->things_of[index] - 1;
    if (counter->depth == NPART__MOST(counter->build->graph->limits, CALL_DEPTH)) {
        counter->is_done = true;
        return 0;
    }
    counter->depth++;
    uint64_t things = THINGS_OF_NODE + function->n_input + function->n_output +
                      count_types(function->value_info, function->n_value_info);
    for (size_t i = 0; i < function->n_attribute_proto; i++)
        things = sum(counter, things, count_attribute(counter, function->attribute_proto[i], true));
    things = sum(counter, things, count_nodes(counter, function->node, function->n_node, true));
    counter->depth--;
    /* A count that was broken off would be too small for whoever calls the function next. */
    if (!counter->is_done)
        counter->things_of[index] = 1 + things;
    return things;
}

static size_t length_of(const char *text)
{
    return text ? strlen(text) : 0;
}

/* Texts of a node are not copied at a call, but looked up, and told of each node that is made. */
static uint64_t count_texts(const Onnx__NodeProto *node)
{
    uint64_t bytes = length_of(node->name) + length_of(node->op_type) + length_of(node->domain);
    for (size_t i = 0; i < node->n_input; i++)
        bytes += length_of(node->input[i]);
    for (size_t i = 0; i < node->n_output; i++)
        bytes += length_of(node->output[i]);
    return bytes / BYTES_OF_THING;
}

/* Of nodes that the file itself has, only what they call. In the order of inlining: calls, then bodies. */
static uint64_t count_nodes(struct counter *counter, Onnx__NodeProto **nodes, size_t count, bool is_inlined)
{
    uint64_t things = 0;
    for (size_t i = 0; !counter->is_done && i < count; i++) {
        const Onnx__NodeProto *node = nodes[i];
        uint32_t function;
        if (!npart__functions_find(&counter->build->functions, node, &function)) {
            counter->failed = counter->is_done = true;
            return things;
        }
        if (is_inlined)
            things = sum(counter, things, THINGS_OF_NODE + node->n_input + node->n_output + count_texts(node));
        if (function != NPART_NONE)
            things = sum(counter, things, count_function(counter, function));
        for (size_t k = 0; k < node->n_attribute && !counter->is_done; k++)
            things = sum(counter, things, count_attribute(counter, node->attribute[k], is_inlined));
        counter->is_done |= things > counter->limit;
    }
    return things;
}

/* A graph of the file costs what its nodes call; one within a function costs itself, too, each
 * time. */
static uint64_t count_graph(struct counter *counter, const Onnx__GraphProto *graph, bool is_inlined)
{
    uint64_t things = count_nodes(counter, graph->node, graph->n_node, is_inlined);
    if (!is_inlined)
        return things;
    for (size_t i = 0; i < graph->n_initializer; i++)
        things = sum(counter, things, THINGS_OF_NODE + count_tensor(graph->initializer[i]));
    for (size_t i = 0; i < graph->n_sparse_initializer; i++)
        things = sum(counter, things, THINGS_OF_NODE + 2 + graph->sparse_initializer[i]->n_dims);
    things = sum(counter, things, THINGS_OF_NODE + count_types(graph->input, graph->n_input));
    things = sum(counter, things, count_types(graph->output, graph->n_output));
    return sum(counter, things, count_types(graph->value_info, graph->n_value_info));
}

/* The limit grows with the file, since a large model of many layers that are calls of one function is in order. A
 * file of 1 MB without its weights may make 131,072 + 1,048,576 nodes by inlining, or four times as many things.
 * Another limit, set by the caller, counts as it is and does not grow with the file. */
npart_status npart__build_count_inlined(struct npart__build *build, uint64_t file_bytes)
{
    const Onnx__ModelProto *model = build->model;
    const struct npart__limits *limits = build->graph->limits;
    uint64_t nodes = NPART__MOST(limits, INLINED_NODES);
    if (nodes == NPART__LIMIT_INLINED_NODES)
        nodes += NPART__LIMIT_INLINED_NODES_PER_BYTE * file_bytes;
    if (model->n_functions == 0)
        return NPART_OK;
    /* No overflow: a file's bytes and a caller's limit are both far below 2^62. */
    struct counter counter = {.build = build, .limit = THINGS_OF_NODE * nodes};
    counter.things_of = npart__arena_zeroed(build->arena, model->n_functions, sizeof *counter.things_of);
    if (!counter.things_of)
        return npart__fail_memory(build->error);
    /* The main graph itself is not counted: the file's own limits are enough for that. */
    uint64_t things = count_graph(&counter, model->graph, false);
    npart__arena_release(build->arena, counter.things_of);
    if (counter.failed)
        return npart__fail_memory(build->error);
    return things <= counter.limit
               ? NPART_OK
               : npart__fail(build->error, NPART_ERROR_LIMIT, "",
                             "the functions that are called make more than %llu nodes once they are inlined, out of "
                             "%llu bytes (limit inlined-nodes)",
                             (unsigned long long)nodes, (unsigned long long)file_bytes);
}
