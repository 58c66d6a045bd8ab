/* SPDX-License-Identifier: Apache-2.0
 *
 * graph: protobuf-c objects to flat arrays. Nodes, values, tensors and scopes are uint32_t ids; NPART_NONE marks
 * an operand that is absent and a producer that does not exist.
 *
 * A *scope* is one list of nodes with names of its own: the main graph, the body of an If, Loop or Scan, or one
 * call of a model-local function. A function's nodes are inlined, so their scope belongs to the *region* of the
 * caller; the main graph and every body are regions. What is partitioned is a region.
 *
 * Node ids: first the main graph's nodes, in the file's order, so that a main graph node's id is its place in
 * graph.node; then the other scopes, each contiguous, as they are met. Values that a body uses from outside are
 * captures: implicit inputs of the node that holds the body.
 */
#ifndef NPART_GRAPH_H
#define NPART_GRAPH_H

#include "release/release.h"
#include "schema/operators.h"
#include "wire/wire.h"

/* Model-local functions may call each other this deep. The standard forbids recursion, so what
 * goes deeper is taken for it; inlining recurses, and its stack stays small. */
#define NPART__LIMIT_CALL_DEPTH 64u
/* Operator sets that a model or a function imports; real ones import a handful. They are looked
 * through for every node, so a file must not have thousands. */
#define NPART__LIMIT_OPSETS 1024u
/* Nodes after inlining. */
#define NPART__LIMIT_NODES ((uint32_t)1 << 24)
/* Nodes that inlining may make, and how many more for each byte of the file (payloads of large tensors left out); four
 * operands, attributes, sizes or the like count as one. A function that calls another twice, that one a third twice,
 * and so on thirty deep, is a file of 3 KB and would be a billion nodes. */
#define NPART__LIMIT_INLINED_NODES ((uint64_t)1 << 17)
#define NPART__LIMIT_INLINED_NODES_PER_BYTE 1u
/* The name or formula of a dim: it is told at every tensor that has it, so a longer one is none. */
#define NPART__LIMIT_DIM_BYTES 4096u
/* Ops that the users of one value are told apart by, and how many users are asked one by one. The standard has 200. */
#define NPART__LIMIT_USER_KINDS 256u
#define NPART__FEW_USERS 16u

/* ---- tensors --------------------------------------------------------------------------------------------- */

/* Where the numbers of a tensor are. Rules and inference read INLINE ones only; dims and type
 * are known of the others, too, but of BROKEN ones maybe not. */
enum npart__tensor_place {
    NPART__TENSOR_INLINE,   /* the data is here */
    NPART__TENSOR_ELIDED,   /* in the file, left out by the scan */
    NPART__TENSOR_EXTERNAL, /* in another file, never opened */
    NPART__TENSOR_BROKEN,   /* what is there does not fit dims and type; a finding says so */
};

/* An initializer, or a tensor in an attribute. `dims` are the protobuf object's own numbers, so they live as long
 * as the graph. */
struct npart__tensor {
    const char *name;
    uint8_t element_type; /* ONNX number */
    uint8_t stored_type;  /* that of `data`: another in a graph that was converted */
    uint8_t place;        /* enum npart__tensor_place */
    bool is_sparse;       /* dims are the dense tensor's */
    uint16_t rank;
    const int64_t *dims;
    uint64_t elements; /* product of dims */
    uint64_t bytes;    /* that many elements take, sub-byte types packed */
    const void *data;  /* the protobuf object of an inline tensor; read through npart__tensor_* */
};

/* Where external data is. */
struct npart__external {
    const char *location; /* of the file, seen from the model's folder */
    uint64_t offset, length;
    bool has_length; /* else all that follows */
};
/* False where the tensor is not there. */
bool npart__tensor_external(const struct npart__tensor *tensor, struct npart__external *out);

/* Numbers of an inline tensor of integers or bools, all or none: false when they are not here, not integers, or
 * more than `limit`. `out` has room for `limit`. */
bool npart__tensor_int64s(const struct npart__tensor *tensor, int64_t *out, uint64_t limit);
/* One of these, by its place. */
bool npart__tensor_int64_at(const struct npart__tensor *tensor, uint64_t place, int64_t *out);
/* The same for floating point (float64, 32, 16, bfloat16) and integer tensors. */
bool npart__tensor_doubles(const struct npart__tensor *tensor, double *out, uint64_t limit);

/* One number of raw data, which is little-endian: float64, 32 or 16, else bfloat16. */
double npart__raw_double(int element_type, const uint8_t *data);

/* ---- declared types -------------------------------------------------------------------------------------- */

enum npart__type_kind {
    NPART__TYPE_UNKNOWN,
    NPART__TYPE_TENSOR,
    NPART__TYPE_SPARSE,
    NPART__TYPE_SEQUENCE,
    NPART__TYPE_MAP,
    NPART__TYPE_OPTIONAL,
    NPART__TYPE_OPAQUE,
};

/* Neither a number nor a symbol: nothing is known. */
struct npart__declared_dim {
    int64_t value;         /* -1: not a number */
    const char *parameter; /* its symbol; NULL: none */
};

/* A type as the file writes it: of a graph input or output, or value_info. */
struct npart__declared_type {
    uint8_t kind; /* enum npart__type_kind; ONNX's number; 0: not said */
    uint8_t element_type;
    bool has_rank;
    uint16_t rank;
    const struct npart__declared_dim *dims;
    const struct npart__declared_type *element; /* of a sequence, optional or map's values */
};

/* ---- attributes ------------------------------------------------------------------------------------------ */

/* An attribute as a node gives it, a reference to a function's attribute replaced by what the
 * call gives. What the standard has as default is not here: readers ask the schema for it. */
struct npart__attribute {
    const char *name;
    uint8_t type; /* enum npart_attribute_type */
    bool is_elided; /* the scan left its content out */
    uint32_t count; /* of a list; length of a string */
    union {
        float f;
        int64_t i;
        const char *s;          /* `count` bytes, terminated */
        const float *floats;
        const int64_t *ints;
        const void *strings;    /* read through npart__attribute_string */
        const struct npart__tensor *tensor;
        const struct npart__declared_type *declared;
        uint32_t scope;         /* a graph; of several, the first; NPART_NONE: none, or that of a call */
    } u;
};

/* Same name, type and content. Tensors, graphs and lists of strings are not compared: never the same. */
bool npart__same_attribute(const struct npart__attribute *a, const struct npart__attribute *b);
/* The `index`-th string of a strings attribute, terminated; "" out of range. */
const char *npart__attribute_string(const struct npart__attribute *attribute, uint32_t index, size_t *length);

/* ---- nodes, values, scopes ------------------------------------------------------------------------------- */

/* A node of the file, or one that was made of it. All ranges are into arrays of the graph:
 * inputs, outputs and captures into `operands`, attributes into `attributes`, bodies into
 * `scopes`. Where a copy of the graph changes operands, ids of nodes stay, so that facts and
 * verdicts by node remain right. */
struct npart__node {
    const char *name;
    uint32_t op_type, domain; /* interned; "" is ai.onnx */
    uint32_t written_domain;  /* as the file says; another where a call is taken for the standard's operator */
    uint32_t scope, index;    /* its place in the scope's node list */
    uint32_t first_input, input_count;
    uint32_t first_output, output_count;
    uint32_t first_capture, capture_count; /* operands too: what its bodies use from outside */
    uint32_t first_attribute, attribute_count;
    uint32_t first_body, body_count;       /* scopes of its graph attributes, contiguous */
    uint32_t callee;                       /* the scope of its inlined function or branch, or NPART_NONE */
    uint32_t alias;                        /* of a copy that a runtime makes (session): the node of the file that it
                                              is a copy of; else itself */
    int32_t opset_version;                 /* of its domain; 0: not imported */
    const struct npart__operator *schema;  /* NULL: not in the standard */
    const struct npart__traits *traits;    /* what operators.table says of its operator; never NULL */
    const void *metadata;                  /* read through npart__node_metadata and npart__node_doc */
    const char *module;                    /* "encoder.layers.3" where the name tells (modules.c); else NULL */
};

enum npart__value_kind {
    NPART__VALUE_OUTPUT,      /* made by a node */
    NPART__VALUE_INPUT,       /* of its scope */
    NPART__VALUE_INITIALIZER, /* constant */
    NPART__VALUE_OVERRIDABLE, /* an initializer that is an input too (IR 4 on): a default, not a constant */
};

/* A named tensor (or sequence, map, optional): what a node makes, an input of a graph, or an
 * initializer. Two values of one name are two values where they are of different scopes. */
struct npart__value {
    uint32_t name; /* interned */
    uint32_t scope;
    uint32_t producer; /* node, or NPART_NONE */
    uint8_t kind;      /* enum npart__value_kind */
    bool is_graph_output;
    uint32_t alias; /* a function output that is one of its inputs, a result of an If whose branch is known: that value
                       in its place; what a copy of a node makes (analysis/session): that of the node; else itself */
    const struct npart__tensor *tensor; /* of an initializer */
    const struct npart__declared_type *declared;
    uint32_t first_consumer, consumer_count;
};

/* A list of nodes and who it belongs to, see above. Bodies and calls have the node that holds
 * them; a region is a scope whose `region` is its own id. Ids of parents are smaller, in every graph (invariants.c). */
struct npart__scope {
    uint8_t kind;
    bool is_after;   /* a call that stands after its node, and not in its place */
    uint32_t parent; /* scope; NPART_NONE for the main graph */
    uint32_t node;   /* that holds the body or makes the call */
    uint32_t region; /* the scope whose partitions its nodes belong to; NPART_NONE: they are never run */
    const char *label; /* attribute or function name */
    uint32_t first_node, node_count;
    uint32_t first_input, input_count;   /* operands: the graph's inputs */
    uint32_t first_output, output_count; /* operands: the graph's outputs */
    uint32_t first_order, order_count;   /* of a region: its slice of order, inlined nodes in place */
};

/* The graph as all later stages read it. Arrays only grow while it is built; later graphs (other
 * regions, expanded definitions, what a session runs) are copies with the same ids for what the
 * file has. */
struct npart__graph {
    struct npart__arena *arena;
    const struct npart__limits *limits; /* of all that is made of it, too; NULL: as they are */
    struct npart__strings strings;
    struct NPART__ARRAY(struct npart__node) nodes;
    struct NPART__ARRAY(struct npart__value) values;
    struct NPART__ARRAY(uint32_t) operands;
    struct NPART__ARRAY(struct npart__attribute) attributes;
    struct NPART__ARRAY(struct npart__scope) scopes;
    struct NPART__ARRAY(struct npart_finding) findings;
    uint32_t *order;     /* node ids, region by region, producers before consumers; calls are not in it */
    uint32_t *consumers; /* node ids by value, each once per use, captures included; npart__user_kinds */
    uint32_t order_count;
    /* the model */
    int64_t ir_version; /* 0 where the file does not say */
    const char *producer_name, *producer_version;
    const void *metadata; /* of the model, read through npart__model_metadata */
    const char *folder;   /* where other files that the model names lie; NULL where that is not known */
    struct npart_opset *opsets; /* each domain once */
    uint32_t opset_count;
    bool has_functions;          /* the model brings functions of its own */
    uint32_t first_late_node;    /* nodes from here on were inlined when constants had been folded; NPART_NONE: none */
    bool has_unranked_input;     /* a tensor that is given, and of which the file does not say how many dims it has */
    uint64_t input_bytes, weight_bytes; /* the file; all initializers and constants by dims and type */
    uint64_t external_bytes;            /* of these in other files */
    /* Sums of what the file claims: they stay at UINT64_MAX instead of wrapping, and row 0 has types that are not
     * known. */
    struct npart__weight_sum {
        uint64_t bytes, elements;
    } weights_of[NPART__TYPE_NUMBERS]; /* of these by element type */
};

/* Builds the graph from what the scan left, whose bytes it gives back to the arena as soon as they are unpacked, unless
 * they are lent.
 * `arena` holds it all, strings included. Fails on a value that is made twice or never, on a cycle, on functions that
 * call themselves, and past the limits. */
npart_status npart__graph_build(struct npart__skeleton *skeleton, struct npart__arena *arena,
                                struct npart__graph *out, struct npart_error *error);

/* Which operators a graph may have, by the length and letters of their names: for who looks up long lists of names,
 * of which a graph has few. */
struct npart__op_marks {
    uint64_t bits[4];
};
struct npart__op_marks npart__mark_ops(const struct npart__graph *graph);
bool npart__may_have_op(const struct npart__op_marks *marks, const char *name);

/* regions.c: the same graph with the nodes of known branches in the place of their Ifs. `taken` has the branch by node,
 * NPART_NONE for all others. Ids stay what they are. `graph` must outlive the result. */
npart_status npart__graph_take_branches(const struct npart__graph *graph, const uint32_t *taken,
                                        struct npart__arena *arena, struct npart__graph *out,
                                        struct npart_error *error);

/* The same graph with some calls not inlined: they are nodes of the standard's operators of their functions' names,
 * which must be there and make all their results. */
npart_status npart__graph_keep_calls(const struct npart__graph *graph, const bool *is_kept, struct npart__arena *arena,
                                     struct npart__graph *out, struct npart_error *error);

/* convert.c: the same graph with element type `to` in the place of `from`, as a converter of the model would write it;
 * what a schema fixes stays. Elements are those of the file, not rounded. `graph` must outlive the result. Whether a
 * runtime takes what is made is for lib/runtime/onnxruntime. */
npart_status npart__graph_convert(const struct npart__graph *graph, int from, int to, struct npart__arena *arena,
                                  struct npart__graph *out, struct npart_error *error);

/* An operand of a node. */
struct npart__use {
    /* `index` is a place among the node's inputs. */
    uint32_t node, index;
};

/* A node that is to be replaced by the body that the standard defines it by; or, without a body, one after which a
 * Transpose is to stand. */
struct npart__expansion {
    uint32_t node;
    const struct npart__body *function; /* NULL: a Transpose */
    uint8_t input_types[NPART__LIMIT_BODY_OPERANDS]; /* element types, all known; 0 for an input that is absent */
    /* What is known of its results, once inferred; NULL: nothing that the body could lose. */
    const struct npart__declared_type *results[NPART__LIMIT_BODY_OPERANDS];
    /* Of a Transpose, which leaves the order of axes as it is: what it reads, of that rank, and what reads what it
     * makes. `makes_value`: it makes the value, and these uses read what the node makes now. `requantizes`: after it
     * stand nodes that quantize and dequantize with what the node dequantizes with. */
    uint32_t value, rank;
    bool makes_value, requantizes;
    const struct npart__use *uses;
    uint32_t use_count;
};

/* expand.c: whether the body makes every result of the node: one that stands under an attribute's values is not made
 * where the attribute has none of them. */
bool npart__body_makes_results(const struct npart__graph *graph, const struct npart__expansion *expansion);

/* The same graph with the bodies' nodes in the place of some nodes, as those of an inlined function stand, and with
 * Transposes after others, which come in the order of their nodes: ids stay what they are, new ones follow.
 * `is_late`: constants have been folded before, and what is new is not. Each body makes its node's results. Fails
 * past the limit of nodes. `graph` must outlive the result. */
npart_status npart__graph_expand(const struct npart__graph *graph, const struct npart__expansion *expansions,
                                 uint32_t count, bool is_late, struct npart__arena *arena, struct npart__graph *out,
                                 struct npart_error *error);

/* users.c: the operands that a node uses: its inputs, then its captures. None of a call. */
uint32_t npart__use_count(const struct npart__graph *graph, const struct npart__node *node);
/* Fills in who uses each value, and of which kinds these are. `gone`: by node, not 0 of one that uses nothing; NULL:
 * there is none. False when out of memory. */
bool npart__list_users(struct npart__graph *graph, const uint8_t *gone, struct npart__arena *arena);
/* Of what leads to something, looked for from the end: by value, whether it does. A node that is such an end is led to
 * by its first operand; where it is gone through, and a result of it leads there, by all. */
void npart__lead_back(const struct npart__graph *graph, const struct npart__node *node, bool is_end, bool is_through,
                      bool *leads);
/* order.c: ONNX Runtime's default order of nodes (core/graph/graph.cc, ReverseDFSFrom): depth first from the nodes that
 * no node uses, the last of them first, producers with larger numbers first, each node after its producers. Those of
 * node n, which is a number below `count`, are producers[first[n]] up to first[n + 1]. False when out of memory, or
 * where nodes wait for each other. */
bool npart__walk_back(const uint32_t *first, const uint32_t *producers, uint32_t count, struct npart__arena *arena,
                      uint32_t *order);

/* By each of these uses, in their order, which operand of the node it is: a value's begin at its `first_consumer`. So
 * operands of all its users are told without going through those of each. NULL when out of memory. */
uint32_t *npart__list_places(const struct npart__graph *graph, const uint8_t *gone, struct npart__arena *arena);

/* Nodes of the model, calls of its own functions inlined: without those that a runtime's rewriting has added. */
static inline uint32_t npart__model_nodes(const struct npart__graph *graph)
{
    return graph->first_late_node == NPART_NONE ? graph->nodes.count : graph->first_late_node;
}

/* ---- access ---------------------------------------------------------------------------------------------- */

/* What has an id is read through these three. Only what makes a graph writes to its arrays. */
static inline const struct npart__node *npart__node_at(const struct npart__graph *graph, uint32_t node)
{
    NPART__ASSERT(node < graph->nodes.count, "node %u of %u", (unsigned)node, (unsigned)graph->nodes.count);
    return &graph->nodes.items[node];
}

static inline const struct npart__value *npart__value_at(const struct npart__graph *graph, uint32_t value)
{
    NPART__ASSERT(value < graph->values.count, "value %u of %u", (unsigned)value, (unsigned)graph->values.count);
    return &graph->values.items[value];
}

static inline const struct npart__scope *npart__scope_at(const struct npart__graph *graph, uint32_t scope)
{
    NPART__ASSERT(scope < graph->scopes.count, "scope %u of %u", (unsigned)scope, (unsigned)graph->scopes.count);
    return &graph->scopes.items[scope];
}

static inline uint32_t npart__node_input(const struct npart__graph *graph, const struct npart__node *node, uint32_t i)
{
    NPART__ASSERT(node->first_input + node->input_count <= graph->operands.count, "inputs of %s", node->name);
    return i < node->input_count ? graph->operands.items[node->first_input + i] : NPART_NONE;
}

/* The users of a value, by whose ops a question about all of them can be answered: each where they are few, else the
 * first of each op. In the order of ids. NPART_NONE as the last one stands for all ops past NPART__LIMIT_USER_KINDS. */
static inline const uint32_t *npart__user_kinds(const struct npart__graph *graph, uint32_t value, uint32_t *count)
{
    const struct npart__value *at = npart__value_at(graph, value);
    const uint32_t *users = graph->consumers + at->first_consumer, *after = users + at->consumer_count;
    *count = at->consumer_count > NPART__FEW_USERS ? *after : at->consumer_count;
    return at->consumer_count > NPART__FEW_USERS ? after + 1 : users;
}

/* What a node uses: its inputs, then its captures; `i` is below their number. NPART_NONE: left out. */
static inline uint32_t npart__node_use(const struct npart__graph *graph, const struct npart__node *node, uint32_t i)
{
    NPART__ASSERT(i < node->input_count + node->capture_count, "operand %u", (unsigned)i);
    return graph->operands.items[i < node->input_count ? node->first_input + i
                                                       : node->first_capture + i - node->input_count];
}

static inline uint32_t npart__node_output(const struct npart__graph *graph, const struct npart__node *node, uint32_t i)
{
    NPART__ASSERT(node->first_output + node->output_count <= graph->operands.count, "outputs of %s", node->name);
    return i < node->output_count ? graph->operands.items[node->first_output + i] : NPART_NONE;
}

/* The node that makes a value; NPART_NONE for none, as of an optional operand that is left out. */
static inline uint32_t npart__producer(const struct npart__graph *graph, uint32_t value)
{
    return value == NPART_NONE ? NPART_NONE : npart__value_at(graph, value)->producer;
}

/* The node of the file that a node is, or is a copy of. */
static inline uint32_t npart__original(const struct npart__graph *graph, uint32_t node)
{
    NPART__ASSERT(npart__node_at(graph, node)->alias <= node, "node %u is a copy of a later one", (unsigned)node);
    return npart__node_at(graph, node)->alias;
}

static inline bool npart__is_copy(const struct npart__graph *graph, uint32_t node)
{
    return node != NPART_NONE && npart__original(graph, node) != node;
}

static inline const char *npart__node_op(const struct npart__graph *graph, const struct npart__node *node)
{
    return npart__text(&graph->strings, node->op_type);
}

/* Whether the node is of an operator of ONNX's own domain. */
static inline bool npart__is_onnx_op(const struct npart__graph *graph, const struct npart__node *node, const char *op)
{
    return node->domain == 0 && npart__same_text(npart__node_op(graph, node), op);
}

/* Whether the node's operator has a role, in any domain. */
static inline bool npart__node_plays(const struct npart__graph *graph, const struct npart__node *node,
                                     enum npart__role role)
{
    return npart__op_plays(npart__node_op(graph, node), role);
}
/* The same of one by its id; false for NPART_NONE. */
static inline bool npart__plays(const struct npart__graph *graph, uint32_t node, enum npart__role role)
{
    return node != NPART_NONE && npart__node_plays(graph, npart__node_at(graph, node), role);
}

static inline const char *npart__value_name(const struct npart__graph *graph, uint32_t value)
{
    return npart__text(&graph->strings, npart__value_at(graph, value)->name);
}

static inline uint32_t npart__node_region(const struct npart__graph *graph, uint32_t node)
{
    return npart__scope_at(graph, npart__node_at(graph, node)->scope)->region;
}
/* The outermost node in whose bodies a node stands, which is what a user sees in the graph; or the node itself. */
static inline uint32_t npart__holder_of(const struct npart__graph *graph, uint32_t node)
{
    for (uint32_t region = npart__node_region(graph, node); region != 0 && region != NPART_NONE;
         region = npart__node_region(graph, node))
        node = npart__scope_at(graph, region)->node;
    return node;
}

/* Whether the node is of an op as lists and users name it: "Relu", "ai.onnx:Relu", "com.microsoft:Gelu". */
bool npart__node_is(const struct npart__graph *graph, const struct npart__node *node, const char *op);
/* Whether its op is in a list with blanks between: "Erf com.microsoft:Skip*"; "*": any op of any domain. */
bool npart__lists_op(const struct npart__graph *graph, const char *ops, uint32_t node);
/* Whether it is a Constant of ai.onnx: an initializer that stands among the nodes. */
bool npart__is_constant_node(const struct npart__graph *graph, const struct npart__node *node);
/* Whether the elements of its first result come from its operands in one of these ways (NPART__WAY). */
static inline bool npart__comes_from(const struct npart__node *node, uint64_t ways)
{
    return ways >> node->traits->elements & 1;
}
/* NULL when the node does not carry it; attribute defaults are the reader's business. */
const struct npart__attribute *npart__node_attribute(const struct npart__graph *graph, const struct npart__node *node,
                                                     const char *name);
/* Whether each number of a list is this one; of a list that the node does not carry, too. */
bool npart__node_ints_are(const struct npart__graph *graph, const struct npart__node *node, const char *name,
                          int64_t number);
/* An integer attribute; `otherwise` where the node does not carry it, or as another type. */
int64_t npart__node_int(const struct npart__graph *graph, const struct npart__node *node, const char *name,
                        int64_t otherwise);
/* Whether its first result is there and the only one that is used: so a node that does nothing may give way to its
 * operand. A file may write more results than the operator has. */
bool npart__has_one_result(const struct npart__graph *graph, const struct npart__node *node);
/* versions.c: whether a node means the same by another version of its operator, as far as schemas tell, and a table of
 * what they do not say. Types are not compared: inference of a model with the other opset finds those that do not
 * fit. */
bool npart__means_the_same(const struct npart__graph *graph, const struct npart__node *node,
                           const struct npart__operator *after);
/* The same where what one version says by an attribute and the other by an operand may be moved (below); whether the
 * operands are constants is not asked. */
bool npart__can_mean_the_same(const struct npart__graph *graph, const struct npart__node *node,
                              const struct npart__operator *after);

enum npart__move_form {
    NPART__MOVED_INTS,     /* a list of whole numbers; the operand is INT64 of rank 1 */
    NPART__MOVED_INT,      /* one, in a list of one */
    NPART__MOVED_NUMBER,   /* a number of the first operand's type, of rank 0 */
    NPART__MOVED_DROPPED,  /* it says nothing outside of training: it is left out on either side */
    NPART__MOVED_LAST_AXIS /* an axis that has another meaning and default, but for the last one */
};

/* What operators say by an attribute before a version, and by an operand since. */
struct npart__attribute_move {
    const char *op;
    int since;
    const char *attribute;
    uint32_t operand; /* NPART_NONE: the attribute is gone, or has another meaning */
    uint8_t form;     /* enum npart__move_form */
};
/* The rows between two versions of an operator; `rows` has room for one more than NPART__LIMIT_MOVED, and ends with
 * NULL. */
#define NPART__LIMIT_MOVED 6u
void npart__list_moved(const struct npart__operator *before, const struct npart__operator *after,
                       const struct npart__attribute_move **rows);
/* The row of an attribute of an operator of ai.onnx; NULL: it is one in every version. */
const struct npart__attribute_move *npart__move_of(const char *op, const char *attribute);
/* The value of a metadata key, or NULL. */
const char *npart__node_metadata(const struct npart__node *node, const char *key);
const char *npart__model_metadata(const struct npart__graph *graph, const char *key);
/* The import of ONNX's own domain; NULL: the model has none. */
const struct npart_opset *npart__standard_import(const struct npart__graph *graph);
/* What the file says of the node for people, or NULL. */
const char *npart__node_doc(const struct npart__node *node);

/* Appends "" for the main graph, else "<node index>:<label>" steps joined by '/'. */
void npart__append_scope_path(struct npart__buffer *buffer, const struct npart__graph *graph, uint32_t scope);
/* "node 12 (Conv conv1)", with its graph where that is not the main one, into `out`: plain text for people. */
void npart__describe_node(const struct npart__graph *graph, uint32_t node, char *out, size_t bytes);

/* invariants.c: of the debug build. `is_run` by node, NULL: all nodes of a region but calls. */
void npart__check_graph(const struct npart__graph *graph, const bool *is_run);

#endif
