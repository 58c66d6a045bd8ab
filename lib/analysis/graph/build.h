/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this stage share while a graph is being built. Only they see protobuf-c
 * objects.
 * The order of building: count what functions make (inlined.c), then each scope in three steps
 * (build.c) with its tensors, types and attributes (tensor.c, type.c, attribute.c), then what
 * needs the whole graph (order.c). regions.c and expand.c make other graphs of one that is
 * there, and end with order.c again.
 */
#ifndef NPART_GRAPH_BUILD_H
#define NPART_GRAPH_BUILD_H

#include "graph/graph.h"
#include "onnx/onnx.h"

/* What a name means at the moment. Names are ids of interned strings, so the table is an array.
 * A function body is an environment of its own; names that were bound in another one are not
 * visible, and need not be taken out of the table. */
struct npart__binding {
    uint32_t value;       /* NPART_NONE: an operand that the caller left out; or that a function's caller left out */
    uint32_t scope;       /* that bound it, plus 1; 0: none */
    uint32_t environment; /* a function sees none of its caller's names */
};

/* What a name meant before a scope bound it: at the end of the scope it means that again. */
struct npart__undo {
    uint32_t name;
    struct npart__binding binding;
};

/* A value from outside that is used within a body. Before order.c attaches it, `region` is the
 * body; from then on the node that holds it. */
struct npart__capture {
    uint32_t region, value;
};

/* Looking an operator up is a binary search by texts; nodes of one operator are many, so the
 * last answers are kept. */
struct npart__schema_slot {
    uint32_t op_type, domain;
    int32_t version;
    bool is_filled;
    const struct npart__operator *schema;
    const struct npart__traits *traits;
};

/* A node's attributes by name, where they are many. */
struct npart__attribute_index {
    uint32_t node;
    const struct named *named; /* sorted; NULL: they are few */
    uint32_t count;
};

/* The state of one build. Nothing of it outlives npart__graph_build; large arrays go back at its
 * end. */
struct npart__build {
    struct npart__graph *graph;
    struct npart__arena *arena;
    const Onnx__ModelProto *model;
    bool shares_objects; /* with others, so that they stay as they are */
    struct npart_error *error;
    struct NPART__ARRAY(struct npart__binding) bindings; /* by name */
    struct NPART__ARRAY(struct npart__undo) undo; /* a stack; scopes note its height */
    struct NPART__ARRAY(struct npart__capture) captures;
    struct NPART__ARRAY(const Onnx__GraphProto *) bodies; /* by scope; NULL for a call */
    uint32_t environment, environment_count; /* at hand; given out so far. 0: the model's own graphs */
    Onnx__OperatorSetIdProto **opsets; /* that hold in the current environment */
    size_t opset_count; /* of `opsets` */
    unsigned call_depth; /* functions that are being inlined in one another */
    struct npart__attribute_index call_attributes; /* of the innermost call, what its function's nodes refer to */
    struct npart__functions functions;
    bool *function_called; /* by index in model.functions, for unused ones */
    struct npart__schema_slot schemas[NPART__CACHE_SLOTS];
    bool reported_shadow; /* told once a file */
};

/* tensor.c: `where` names the tensor's owner in findings. NULL when out of memory. */
struct npart__tensor *npart__build_tensor(struct npart__build *build, const Onnx__TensorProto *proto,
                                          const char *where);
struct npart__tensor *npart__build_sparse_tensor(struct npart__build *build, const Onnx__SparseTensorProto *proto,
                                                 const char *where);

/* Adds its bytes to the graph's; sums that a hostile file claims stay at the largest number instead of wrapping. */
void npart__build_add_weight(struct npart__build *build, const struct npart__tensor *tensor);

/* type.c: what a type of protobuf's is, whatever its kind; of a map the keys' type, and the values as element. */
struct npart__type_parts {
    enum npart__type_kind kind;
    uint8_t element_type;
    const Onnx__TensorShapeProto *shape;
    const Onnx__TypeProto *element;
};
struct npart__type_parts npart__type_parts(const Onnx__TypeProto *proto);
/* NULL when out of memory. */
struct npart__declared_type *npart__build_type(struct npart__arena *arena, const Onnx__TypeProto *proto);

/* attribute.c: appends attributes to those of `node`, whose list must be the newest; `only_missing` passes over
 * names that it has. Bodies of graph attributes become scopes, to be built later. */
npart_status npart__build_attributes(struct npart__build *build, Onnx__AttributeProto **protos, size_t count,
                                     uint32_t node, bool only_missing);

/* inlined.c: fails when the functions that are called make more than a file of so many bytes may. */
npart_status npart__build_count_inlined(struct npart__build *build, uint64_t file_bytes);

/* modules.c: the module of each node whose name tells. */
npart_status npart__build_modules(struct npart__build *build);

/* False when out of memory. The node's attributes may grow in number afterwards, which the index does not see. */
bool npart__build_attribute_index(struct npart__build *build, uint32_t node, struct npart__attribute_index *out);

/* The regions between a use in `region` and the value capture it. False when out of memory. */
bool npart__build_capture(struct npart__build *build, uint32_t region, uint32_t value);

/* order.c: everything that needs the whole graph: aliases, captures, consumers and the order of each region. */
npart_status npart__build_order(struct npart__build *build);
/* The same for a graph that had all that, and whose regions have changed since. */
npart_status npart__build_order_again(struct npart__build *build);

/* regions.c: a copy of items with room for one more; NULL when out of memory. Use through NPART__COPY_ARRAY. */
void *npart__build_copy_items(struct npart__arena *arena, const void *items, uint32_t count, size_t item_bytes);
#define NPART__COPY_ARRAY(arena, from, to)                                                                             \
    ((to)->count = (from)->count, (to)->capacity = (from)->count + 1,                                                  \
     (to)->items = npart__build_copy_items((arena), (from)->items, (from)->count, sizeof *(from)->items))
/* A graph whose arrays are the caller's to change: of nodes, values, scopes and operands. False when out of
 * memory. */
bool npart__build_copy(const struct npart__graph *graph, struct npart__arena *arena, struct npart__graph *out);
/* Puts what was changed in order. */
npart_status npart__build_finish(struct npart__graph *graph, struct npart_error *error);

/* A finding with its text formatted; false when out of memory. */
bool npart__build_finding(struct npart__build *build, const char *code, const char *at, const char *format, ...)
    NPART__PRINTF(4, 5);

/* Fails with the node as the place. */
npart_status npart__build_fail(struct npart__build *build, uint32_t node, const char *format, ...)
    NPART__PRINTF(3, 4);

#endif
