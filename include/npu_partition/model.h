/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of npu_partition.h, which is the one to include: what a model is, and what is known of its tensors.
 */
#ifndef NPU_PARTITION_MODEL_H
#define NPU_PARTITION_MODEL_H

#include "base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- model ----------------------------------------------------------------------------------------------- */

typedef struct npart_model npart_model;

/* A graph input that is the same in every run: it becomes a constant, and is no input any more. */
struct npart_bound_value {
    const char *input;
    const double *numbers; /* rounded to its type */
    uint32_t count;        /* as many as it has elements, or 1 for all of them */
};

struct npart_read_options {
    uint32_t version;
    uint64_t keep_bytes;   /* payloads of tensors up to this size are read; 0: 4096. INT64 ones up to 65536 always */
    const char *name;      /* what reports call the model; NULL: its path, or "-" */
    const struct npart_allocator *allocator; /* NULL: malloc and free; copied */
    /* From version 2 on: */
    const struct npart_bound_value *values; /* of npart_model_read_bound alone */
    uint32_t value_count;
    /* From version 3 on: budgets of the model and of all that is made from it (inferences, plans, advice, reports).
     * What does not fit fails with LIMIT, what is late with TIMEOUT. 0: none. */
    uint64_t max_memory_bytes; /* taken at a time, of the allocator */
    uint64_t max_ms;           /* from the call that reads the model on; a read that waits is not cut short */
    const struct npart_limit *limits; /* instead of the library's own; of a name that is there twice the last counts */
    uint32_t limit_count;
};
#define NPART_READ_OPTIONS_INIT {.version = 3}

/* Reads an ONNX model from a file, by pread in small windows. Weights are not read, external data is not opened. Costs
 * time and memory in proportion to the graph, not to the weights.
 * Fails with READ, MALFORMED, LIMIT, TIMEOUT, ARGUMENT or MEMORY; the place is a byte or a node. */
NPART_API npart_status npart_model_read_file(npart_model **out, const char *path,
                                             const struct npart_read_options *options, struct npart_error *error);
/* The same from a stream, which is read in one pass to its end. */
NPART_API npart_status npart_model_read_stream(npart_model **out, npart_read_callback read, void *payload,
                                               const struct npart_read_options *options, struct npart_error *error);
/* The same from memory, which is not needed afterwards. */
NPART_API npart_status npart_model_read_memory(npart_model **out, const void *data, size_t bytes,
                                               const struct npart_read_options *options, struct npart_error *error);
/* From a file, or from a stream where `path` is NULL, with options->values as constants in the place of inputs, each of
 * which needs a fixed shape. */
NPART_API npart_status npart_model_read_bound(npart_model **out, const char *path, npart_read_callback read,
                                              void *payload, const struct npart_read_options *options,
                                              struct npart_error *error);
/* Gives the handle back. What was made from it goes on working. */
NPART_API void npart_model_free(npart_model *model);
/* Whether the budget of an allocator that a handle tells of (npart_inference_info, npart_plan_info) is spent: LIMIT
 * or TIMEOUT, with what was passed, after the first failure for that; OK, which leaves `error` alone, where there is
 * no budget, or room. So a getter that returned SIZE_MAX or false can be told from one that lacked memory. */
NPART_API npart_status npart_budget_status(const struct npart_allocator *allocator, struct npart_error *error);
/* Ends the time of the budget of such an allocator, for callers that have what they wanted in time and go on asking
 * of it; its memory stays bounded. Nothing where there is no budget. */
NPART_API void npart_budget_end_time(const struct npart_allocator *allocator);

/* An operator set that the model imports; the default domain is called "ai.onnx". */
struct npart_opset {
    const char *domain;
    int64_t version;
};

/* The model as a whole. */
struct npart_model_info {
    size_t size;
    const char *name; /* as given; `-` for standard input, or a word in `<>` for what has no path */
    int64_t ir_version; /* as the file says */
    const char *producer_name;
    const char *producer_version;
    const struct npart_opset *opsets; /* version by domain; the default domain is called `ai.onnx` */
    uint32_t opset_count;
    uint32_t node_count; /* of all graphs, those of inlined functions included */
    uint32_t added_node_count; /* of these the last ones, which are not the model's: see npart_plan_view */
    uint64_t input_bytes; /* of the file or stream */
    uint64_t weight_bytes; /* of all constant tensors by dims and type, external ones included */
    uint32_t value_count;
    uint32_t graph_count;
    uint32_t finding_count;
};

/* What the model is as a whole. False for NULL or an unknown size. */
NPART_API NPART_CHECKED bool npart_model_info(const npart_model *model, struct npart_model_info *out);

/* A node as the file has it. */
struct npart_node {
    size_t size;
    const char *name, *op, *domain; /* domain "" is ai.onnx */
    const char *written_domain;     /* as the file says; another where a call is taken for the standard's operator */
    uint32_t index;                 /* its place in the node list of its graph */
    uint32_t graph;                 /* 0: the main graph; see npart_model_graph */
    int32_t opset_version;          /* of its domain; 0: not imported */
    uint32_t input_count, output_count, capture_count, attribute_count;
    const uint32_t *inputs, *outputs; /* values; NPART_NONE for an operand that is left out */
    const uint32_t *captures;         /* values that its bodies use from outside */
    uint32_t first_body, body_count;  /* graphs: the bodies of an If, Loop or Scan */
    uint32_t callee;                  /* the graph that stands in place of this call; NPART_NONE: it is none */
};

/* A node by its id. */
NPART_API bool npart_model_node(const npart_model *model, uint32_t node, struct npart_node *out);

/* An input or output of a node, and what the standard calls it. */
struct npart_operand {
    size_t size;
    uint32_t value;   /* NPART_NONE: left out */
    const char *name; /* "X"; `name_bytes` bytes, not terminated; "" for an operator that is not the standard's */
    size_t name_bytes;
};

/* A node's operand, counted from 0. */
NPART_API bool npart_model_operand(const npart_model *model, uint32_t node, bool is_output, uint32_t index,
                                   struct npart_operand *out);

/* Where a node comes from, as exporters note it. Texts are not terminated; NULL and 0 where nothing is noted. */
struct npart_origin {
    size_t size;
    const char *file; /* the innermost frame outside of installed packages; else outside of PyTorch */
    size_t file_bytes;
    int64_t line;
    const char *module; /* "encoder.layers.3" */
    size_t module_bytes;
};

/* Where in the exporter's source a node comes from. */
NPART_API bool npart_model_node_origin(const npart_model *model, uint32_t node, struct npart_origin *out);
/* Writes "node 12 (Conv conv1)", with its graph where that is not the main one: plain text for people. */
NPART_API size_t npart_model_node_text(const npart_model *model, uint32_t node, char *out, size_t bytes);
/* The first node from id `from` on that is called `text`: by its name, by one of its outputs, or by its number in the
 * main graph. NPART_NONE when there is none. */
NPART_API uint32_t npart_model_find_node(const npart_model *model, const char *text, uint32_t from);

enum npart_graph_kind {
    NPART_GRAPH_MAIN,
    NPART_GRAPH_BODY, /* of an If, Loop or Scan */
    NPART_GRAPH_CALL  /* the nodes of a function, in place of one call */
};

/* One list of nodes with names of its own. */
struct npart_graph {
    size_t size;
    enum npart_graph_kind kind;
    uint32_t parent;   /* graph; NPART_NONE for the main one */
    uint32_t node;     /* that holds the body or makes the call; NPART_NONE for the main graph */
    const char *label; /* the body's attribute, or the function's name */
    uint32_t first_node, node_count;
    uint32_t input_count, output_count;
    const uint32_t *inputs, *outputs; /* values: the inputs and outputs of the model, where it is the main graph */
};

/* A graph by its id; 0 is the main one. */
NPART_API bool npart_model_graph(const npart_model *model, uint32_t graph, struct npart_graph *out);
/* Writes "<node index>:<attribute or function>/..."; "" for the main graph. */
NPART_API size_t npart_model_graph_path(const npart_model *model, uint32_t graph, char *out, size_t bytes);

/* Something about the model that is odd but no error. */
struct npart_finding {
    size_t size;
    /* a stable word: `unsorted`, `shadowed-name`, `tensor-data`, `unknown-operator`, `unknown-domain`,
     * `unused-function`, `training-info`, `shape-contradiction`, `input-shape`, ... `invalid`: no release of ONNX
     * Runtime loads the model; `newer-runtime`: the newest does, older ones do not, and a target whose provider is
     * built into one of these fails; `sparse`: weights that stand sparse in the file, and are planned dense;
     * `compiled`: a node holds a graph that is compiled already */
    const char *code;
    const char *text; /* a sentence */
    const char *at; /* the node or byte it is about */
};

/* What was found when the model was read. */
NPART_API bool npart_model_finding(const npart_model *model, uint32_t index, struct npart_finding *out);

/* ---- inference ------------------------------------------------------------------------------------------- */

typedef struct npart_inference npart_inference;

/* A size for a symbolic dim: NAME is a symbol, an expression of symbols as the file writes it, or INPUT.AXIS for a
 * dim without a name. */
struct npart_dim_binding {
    const char *name;
    int64_t size;
    bool is_limit; /* the dim stays dynamic, but is no greater than `size`; NAME is then a symbol or INPUT.AXIS */
};

/* A whole shape for a graph input. */
struct npart_input_shape {
    const char *input;
    const int64_t *dims;
    uint32_t rank;
};

/* So long at most is a share of them. */
struct npart_quantile {
    double share;
    int64_t length;
};

/* How long inputs are: some of them, or else quantiles, between which lengths are spread evenly. */
struct npart_lengths {
    const int64_t *samples;
    size_t sample_count;
    const struct npart_quantile *quantiles; /* ascending */
    uint32_t quantile_count;
};

struct npart_inference_options {
    uint32_t version;
    const struct npart_dim_binding *dims;
    uint32_t dim_count;
    const struct npart_input_shape *inputs;
    uint32_t input_count;
    bool ignore_value_info; /* as if the file declared nothing but its inputs */
    /* From version 2 on: that the model has no such dim is no failure, see npart_inference_lacks. */
    bool may_lack_dims;
    /* From version 3 on: of the one dim with an upper bound, which is then the size that is chosen for it; NULL: not
     * known. */
    const struct npart_lengths *lengths;
};
#define NPART_INFERENCE_OPTIONS_INIT {.version = 3}

/* What fixed sizes compute for nothing, where it was said how long inputs are (`--lengths`); left away else. */
struct npart_padding {
    size_t size;
    const char *dim; /* the dynamic dimension */
    double mean; /* its mean */
    uint64_t most; /* the size that takes all: its upper bound */
    double most_padding; /* the share of padding with that one */
    uint64_t less; /* a second, smaller one: that which leaves least padding */
    double less_runs; /* the share of runs that take it */
    double two_padding; /* the share of padding with both */
};

/* Infers the type and shape of every value, and the elements of small integer tensors.
 * Fails with ARGUMENT (no such dim, or sizes that conflict) or MEMORY. */
NPART_API npart_status npart_inference_make(npart_inference **out, const npart_model *model,
                                            const struct npart_inference_options *options,
                                            struct npart_error *error);
/* The same with every dynamic dim of the inputs given a size: one that is usual for its name and place, and that obeys
 * what the model relates. *out is NULL, and that is no failure, when nothing is dynamic. */
NPART_API npart_status npart_inference_make_fixed(npart_inference **out, const npart_inference *open,
                                                  struct npart_error *error);
/* The same for one of the ways to use the model, counted from 0; `use` of npart_inference_info names it. A decoder with
 * a cache has two: a step ("decode") and a part of a prompt ("prefill"). *out is NULL where there is no such use. */
NPART_API npart_status npart_inference_make_use(npart_inference **out, const npart_inference *open, uint32_t use,
                                                struct npart_error *error);
/* Gives the handle back. Plans made of it go on working. */
NPART_API void npart_inference_free(npart_inference *inference);

struct npart_inference_info {
    size_t size;
    uint32_t binding_count, assumption_count, finding_count;
    bool is_invalid; /* a finding says that ONNX Runtime does not load the model */
    const struct npart_allocator *allocator; /* see npart_plan_info */
    const char *use; /* what chosen sizes are for, or "" */
};

/* What the inference is as a whole. False for NULL or an unknown size. */
NPART_API NPART_CHECKED bool npart_inference_info(const npart_inference *inference, struct npart_inference_info *out);
/* The model that it is of. */
NPART_API const npart_model *npart_inference_model(const npart_inference *inference);
/* The sizes that npart_inference_make_fixed or npart_inference_make_use chose. */
NPART_API bool npart_inference_binding(const npart_inference *inference, uint32_t index,
                                       struct npart_dim_binding *out);
/* The sizes that the caller gave (npart_inference_options.dims). */
NPART_API bool npart_inference_given(const npart_inference *inference, uint32_t index, struct npart_dim_binding *out);
/* False also where no lengths were given. */
NPART_API bool npart_inference_padding(const npart_inference *inference, struct npart_padding *out);
/* Whether the model lacks the dim that the size at this index is for (npart_inference_options.may_lack_dims). */
NPART_API bool npart_inference_lacks(const npart_inference *inference, uint32_t index);

enum npart_value_kind {
    NPART_VALUE_UNKNOWN,
    NPART_VALUE_TENSOR,
    NPART_VALUE_SPARSE,
    NPART_VALUE_SEQUENCE,
    NPART_VALUE_MAP,
    NPART_VALUE_OPTIONAL,
    NPART_VALUE_OPAQUE
};

enum npart_value_source {
    NPART_SOURCE_NODE,
    NPART_SOURCE_INPUT,       /* of its graph */
    NPART_SOURCE_INITIALIZER,
    NPART_SOURCE_OVERRIDABLE  /* an initializer that is an input too: a default, not a constant */
};

struct npart_value {
    size_t size;
    const char *name;
    enum npart_value_kind kind;
    int element_type;  /* ONNX's number; 0: unknown */
    bool has_rank;
    uint32_t rank;
    bool is_static;    /* every dim is a number */
    bool is_constant;  /* the same in every run */
    bool is_output;    /* of its graph */
    uint32_t producer; /* node, or NPART_NONE */
    uint32_t graph;
    enum npart_value_source source;
};

/* A value by its id. */
NPART_API bool npart_inference_value(const npart_inference *inference, uint32_t value, struct npart_value *out);
/* A dim of a value: its size, or -1 when it is symbolic or unknown. */
NPART_API int64_t npart_inference_dim(const npart_inference *inference, uint32_t value, uint32_t axis);
/* Writes a dim that is no number by the names of the inputs' dims: "2*sequence + 1"; "" where that is not known. */
NPART_API size_t npart_inference_dim_text(const npart_inference *inference, uint32_t value, uint32_t axis, char *out,
                                          size_t bytes);
/* Writes "float32[1,sequence,768]". */
NPART_API size_t npart_inference_type_text(const npart_inference *inference, uint32_t value, char *out, size_t bytes);
/* How much a node computes or moves: a number, or where sizes are symbolic an expression of them. */
struct npart_figure {
    uint64_t value;   /* UINT64_MAX: it is no number that is known */
    const char *text; /* "64*batch*sequence"; NULL: it is a number, or not known */
};

/* Which of an NPU's units does the work of a node, and so at which rate. */
enum npart_work_class {
    NPART_WORK_NONE, /* nothing is computed or moved: Reshape, Identity; a Q or DQ of a QDQ node unit */
    NPART_WORK_MATRIX, /* products with constant weights: Conv, Gemm, MatMul, recurrent operators */
    NPART_WORK_PRODUCT, /* products of two activations: MatMul in attention, Attention itself */
    NPART_WORK_DEPTHWISE, /* few channels a group: depthwise Conv, pooling */
    NPART_WORK_NORMALIZE, /* Softmax, LayerNormalization, reductions: several passes over an axis */
    NPART_WORK_FUNCTION, /* Erf, Exp, Tanh, Gelu, ...: many operations an element */
    NPART_WORK_ELEMENTWISE, /* arithmetic, comparisons, Where, Clip */
    NPART_WORK_MOVE, /* Transpose, Concat, Slice, Gather, Pad, Resize by nearest: elements change their place */
    NPART_WORK_CONVERT /* QuantizeLinear, DequantizeLinear, Cast that stand alone */
};
NPART_API const char *npart_work_class_text(enum npart_work_class value); /* in JSON, or NULL */

/* What a node computes and moves, with what is fused into it; all 0 for one that is not live. In the body of an If,
 * Loop or Scan it is for one pass. */
struct npart_work {
    size_t size;
    enum npart_work_class work_class; /* which unit does it; see "Work" */
    struct npart_figure macs; /* multiply-accumulates */
    struct npart_figure operations; /* arithmetic operations besides */
    /* of activations, by their types in the file; of what is quantized by its own, scales included */
    struct npart_figure bytes_in, bytes_out;
    struct npart_figure weight_bytes; /* of constants, likewise */
    /* the product: that of rows, columns, depth, taps and groups is `macs`; all are 0 where there is none */
    struct npart_figure rows, columns, depth, taps, groups;
    int activation_type, weight_type; /* ONNX's number of the element type; 0: there is none, or it is not known */
};
/* The work of a node, by all that is known of its sizes; of a plan's view, by what the target's runtime knows. The
 * first call finds that of all. Fails with MEMORY, or ARGUMENT where there is no such node. */
NPART_API npart_status npart_inference_work(const npart_inference *inference, uint32_t node, struct npart_work *out,
                                            struct npart_error *error);
/* Where a node stands in its graph, by structure alone: names, the order in the file and the values of weights play no
 * part. Equal on every machine and in every release (docs/diff.md); nodes of other models may have the same. */
struct npart_structure {
    size_t size;
    uint32_t up, down; /* the operators that it is computed from; those that are computed from it */
    uint32_t around;   /* operators within two steps */
    uint32_t itself;   /* its operator, attributes, element types, ranks and constants */
};
/* The first call finds that of all nodes. Fails with MEMORY, or ARGUMENT where there is no such node. */
NPART_API npart_status npart_inference_structure(const npart_inference *inference, uint32_t node,
                                                 struct npart_structure *out, struct npart_error *error);
/* What was found when types and shapes were inferred. */
NPART_API bool npart_inference_finding(const npart_inference *inference, uint32_t index, struct npart_finding *out);

#ifdef __cplusplus
}
#endif

#endif
