/* SPDX-License-Identifier: Apache-2.0
 *
 * npu-partition: which nodes of an ONNX graph an NPU's compiler takes, what partitions that makes, what the switches
 * between NPU and CPU cost, and why each node that falls back does.
 *
 *     npart_model *model = NULL;
 *     npart_inference *inference = NULL;
 *     npart_oplist *hexagon = NULL;
 *     npart_plan *plan = NULL;
 *     struct npart_summary summary = {.size = sizeof summary};
 *     struct npart_error error;
 *
 *     if (npart_model_read_file(&model, "model.onnx", NULL, &error) == NPART_OK &&
 *         npart_inference_make(&inference, model, NULL, &error) == NPART_OK &&
 *         npart_oplist_find(&hexagon, "hexagon", NULL, &error) == NPART_OK &&
 *         npart_plan_make(&plan, inference, hexagon, "hexagon:v73", NULL, &error) == NPART_OK) {
 *         npart_plan_summary(plan, &summary);
 *         printf("%u partitions\n", summary.partitions);
 *     }
 *     npart_plan_free(plan);
 *     npart_oplist_free(hexagon);
 *     npart_inference_free(inference);
 *     npart_model_free(model);
 *
 * Handles. A model is a file read, an inference what is known of its tensors for one choice of sizes, an op list the
 * rules of a target, a plan the answer for all three. Each keeps alive what it was made from, so they may be freed in
 * any order. Every *_free takes NULL. An allocator of the caller's must outlive the handles that use it.
 *
 * Threads. There is no global state. Getters and reports take `const` handles and may be called from several threads at
 * the same time, also while other threads make or free inferences and plans of the same model, inference and op list.
 * Only the last *_free of a handle must come after all other calls with that handle. Callbacks are called by the thread
 * that made the call; an allocator that several threads share must be able to.
 *
 * Ownership. What comes back through a first parameter `**out` is the caller's to free. Returned and filled-in `const`
 * pointers belong to the handle they came from and live as long as it does.
 *
 * Budgets. Past max_memory_bytes or max_ms of the options that a model was read with, functions that name MEMORY fail
 * with LIMIT or TIMEOUT instead. Handles stay as they were, and are to be freed as ever.
 *
 * Errors. A function that can fail returns a status, fills in `error` (which may be NULL) when it fails, and then
 * leaves its results alone. That an NPU does not take a node is a verdict, never an error. The library never prints,
 * never exits, and never aborts on its input. Getters return false where there is nothing to tell: the handle is NULL,
 * the id is out of range, or `size` is not one that this library knows; they leave *out alone then.
 *
 * Structs grow. Those for options begin with `version`: initialize them with their _INIT, which names members (C++ has
 * that from C++20 on); NULL means the defaults.
 * Those for results begin with `size`, which the caller sets to what it was compiled with:
 *
 *     struct npart_node node = {.size = sizeof node};
 *     for (uint32_t id = 0; npart_model_node(model, id, &node); id++)
 *         puts(node.op);
 *
 * Later versions add members at the end, and fill in as much as the caller's size has room for. A version or size that
 * the library does not know is an error. Structs with neither never change.
 *
 * Ids. Nodes, values, graphs, partitions, causes and rules are numbers from 0; NPART_NONE is none. The nodes of the
 * main graph come first, in the file's order. What is asked by index ends where the getter returns false.
 *
 * Texts are UTF-8 as the file has it, which may be anything: npart_plain_text makes them fit to be shown. Functions
 * that write text cut it to `bytes`, never within a character, end it with a NUL, and return the length of the whole,
 * or SIZE_MAX when out of memory; `out` may be NULL where `bytes` is 0.
 */
#ifndef NPU_PARTITION_H
#define NPU_PARTITION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define NPART_VERSION_MAJOR 0
#define NPART_VERSION_MINOR 3
#define NPART_VERSION_PATCH 0

/* On Windows the library is taken to be the DLL; define NPART_STATIC to link the static one. */
#if defined(_WIN32)
#if defined(NPART_STATIC)
#define NPART_API
#else
#define NPART_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define NPART_API __attribute__((visibility("default")))
#else
#define NPART_API
#endif

/* The id of nothing; on the sides of a boundary tensor, the CPU. */
#define NPART_NONE UINT32_MAX

/* The library's version, "0.3.0". */
NPART_API const char *npart_version(void);

/* Copies a text that may hold anything, such as a name from a model, as a person may read it: control characters,
 * those that turn the direction of writing and invisible ones become \u202e or \U000e0001, bytes that are no UTF-8
 * \xff. `text` must end with a NUL; escapes are not cut either. Texts of errors and reports are so already. */
NPART_API size_t npart_plain_text(const char *text, char *out, size_t bytes);

/* The same for what stands between the quotes of a JSON string: `length` bytes of any text, which may hold NUL. Besides
 * quotes and backslashes all is escaped that npart_plain_text escapes (\u202e, \udb40\udc01); bytes that are no UTF-8
 * become U+FFFD. */
NPART_API size_t npart_json_text(const char *text, size_t length, char *out, size_t bytes);
/* A name as one word of a POSIX shell, in quotes where it needs them, for a command line to be copied. As half a word
 * is another one, nothing is written where it does not fit. */
NPART_API size_t npart_shell_word(const char *text, char *out, size_t bytes);

/* Writes which of `count` names may have been meant by one that is none of them: "sm8550 or sm8650"; "" where none is
 * near. NULL among the names is passed over. */
NPART_API size_t npart_nearest_name(const char *wanted, const char *const *names, size_t count, char *out,
                                    size_t bytes);

/* "float32" for ONNX's number of an element type; NULL for a number that is none. */
NPART_API const char *npart_element_type_text(int element_type);

/* ---- status and errors ----------------------------------------------------------------------------------- */

#define NPART_STATUS_LIST(X)                                                                                           \
    X(NPART_OK, 0, "ok")                                                                                               \
    X(NPART_ERROR_READ, -1, "cannot read")                                                                             \
    X(NPART_ERROR_MALFORMED, -2, "malformed")                                                                          \
    X(NPART_ERROR_LIMIT, -3, "limit passed")                                                                           \
    X(NPART_ERROR_MEMORY, -4, "out of memory")                                                                         \
    X(NPART_ERROR_ARGUMENT, -5, "bad argument")                                                                        \
    X(NPART_ERROR_OPLIST, -6, "bad op list")                                                                           \
    X(NPART_ERROR_WRITE, -7, "cannot write")                                                                           \
    X(NPART_ERROR_UNPROVEN, -8, "not what was predicted")                                                              \
    X(NPART_ERROR_TIMEOUT, -9, "out of time")

typedef enum npart_status {
#define NPART_STATUS_ENUM(name, number, text) name = number,
    NPART_STATUS_LIST(NPART_STATUS_ENUM)
#undef NPART_STATUS_ENUM
} npart_status;

/* What went wrong and where: "byte 4711", "hexagon.ops:12:7", "node 12 (Conv conv1)"; "" where there is no place.
 * `message` is one line without the place and without a final full stop. */
struct npart_error {
    npart_status status;
    char message[232];
    char place[152];
};

/* A few words for a status; never NULL. */
NPART_API const char *npart_status_text(npart_status status);

/* ---- callbacks ------------------------------------------------------------------------------------------- */

/* Where memory comes from. `resize` may be NULL; the others work like malloc and free, and like realloc for memory
 * that `allocate` or `resize` gave. Any of them may fail by returning NULL. */
struct npart_allocator {
    void *(*allocate)(void *payload, size_t bytes);
    void *(*resize)(void *payload, void *memory, size_t bytes);
    void (*release)(void *payload, void *memory);
    void *payload;
};

/* Reads up to `bytes` of a stream; returns how many, 0 at its end, negative when it fails. */
typedef ptrdiff_t (*npart_read_callback)(void *payload, void *into, size_t bytes);

/* Takes `bytes` of text, which is not terminated; false stops the report with NPART_ERROR_WRITE. */
typedef bool (*npart_write_callback)(void *payload, const char *text, size_t bytes);

/* ---- limits ---------------------------------------------------------------------------------------------- */

/* What happens past a limit. */
enum npart_past {
    NPART_PAST_REFUSED, /* an error, whose message has the limit's name */
    NPART_PAST_UNKNOWN, /* what is past it counts as not known */
    NPART_PAST_SHORTER  /* less is told, or tried */
};

struct npart_limit_info {
    size_t size;
    const char *name; /* "nodes" */
    const char *text; /* what it is of */
    const char *unit; /* "bytes", "nodes", ...; may be "" */
    uint64_t value;   /* unless it is set */
    uint64_t low, high; /* what it may be set to; `value` where it is fixed */
    enum npart_past past;
    const char *reason; /* why it is fixed; NULL: read options may set it */
};

/* The limits on what an input may make this library do, by place; false past the last. */
NPART_API bool npart_limit_at(uint32_t index, struct npart_limit_info *out);

/* A limit that is set. */
struct npart_limit {
    const char *name;
    uint64_t value;
};

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
NPART_API bool npart_model_info(const npart_model *model, struct npart_model_info *out);

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
     * built into one of these fails; `compiled`: a node holds a graph that is compiled already */
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

struct npart_inference_options {
    uint32_t version;
    const struct npart_dim_binding *dims;
    uint32_t dim_count;
    const struct npart_input_shape *inputs;
    uint32_t input_count;
    bool ignore_value_info; /* as if the file declared nothing but its inputs */
    /* From version 2 on: that the model has no such dim is no failure, see npart_inference_lacks. */
    bool may_lack_dims;
};
#define NPART_INFERENCE_OPTIONS_INIT {.version = 2}

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
NPART_API bool npart_inference_info(const npart_inference *inference, struct npart_inference_info *out);
/* The model that it is of. */
NPART_API const npart_model *npart_inference_model(const npart_inference *inference);
/* The sizes that npart_inference_make_fixed or npart_inference_make_use chose. */
NPART_API bool npart_inference_binding(const npart_inference *inference, uint32_t index,
                                       struct npart_dim_binding *out);
/* The sizes that the caller gave (npart_inference_options.dims). */
NPART_API bool npart_inference_given(const npart_inference *inference, uint32_t index, struct npart_dim_binding *out);
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

/* ---- op lists -------------------------------------------------------------------------------------------- */

typedef struct npart_oplist npart_oplist;

/* The lists built into the library, by place; NULL past the last. */
NPART_API const char *npart_builtin_oplist(size_t index);
/* Reads a list that is built in, of a target's name or a whole target text ("hexagon:v73+float").
 * Fails with ARGUMENT when there is none, or MEMORY. */
NPART_API npart_status npart_oplist_find(npart_oplist **out, const char *target,
                                         const struct npart_allocator *allocator, struct npart_error *error);
/* Reads a list from a file (docs/oplist-format.md). Fails with OPLIST (the place is file:line:column), READ, ARGUMENT
 * or MEMORY. */
NPART_API npart_status npart_oplist_read_file(npart_oplist **out, const char *path,
                                              const struct npart_allocator *allocator, struct npart_error *error);
/* The same from memory, which is not needed afterwards; `name` stands in messages. */
NPART_API npart_status npart_oplist_read_memory(npart_oplist **out, const char *text, size_t bytes, const char *name,
                                                const struct npart_allocator *allocator, struct npart_error *error);
/* The list with the figures of a cost file (docs/oplist-format.md, "What it costs") laid on top, as a list of its own.
 * Fails with OPLIST (the place is file:line:column), READ, MEMORY, or ARGUMENT, too where the file is for another
 * target. */
NPART_API npart_status npart_oplist_add_cost(npart_oplist **out, const npart_oplist *oplist, const char *path,
                                             struct npart_error *error);
/* Gives the handle back. Plans made with it go on working. */
NPART_API void npart_oplist_free(npart_oplist *oplist);

/* What is wrong with an op list or, of a warning, doubtful; both texts live as long as the call. */
struct npart_diagnostic {
    bool is_warning;
    const char *place; /* file:line:column */
    const char *message;
};
typedef void (*npart_diagnostic_callback)(void *payload, const struct npart_diagnostic *diagnostic);

/* npart_oplist_read_file that tells of every mistake, the first 20 of them, and of what is doubtful; the error is the
 * first mistake. */
NPART_API npart_status npart_oplist_check_file(npart_oplist **out, const char *path, npart_diagnostic_callback tell,
                                               void *payload, const struct npart_allocator *allocator,
                                               struct npart_error *error);

/* Reads another tool's list of operators (a Markdown table of |domain:Op|note| rows, or an ONNX Runtime configuration
 * of a reduced build, domain;opset;Op,...) and writes it as the text of an op list for `target`, which
 * npart_oplist_read_file takes. What no list can name becomes a comment.
 * Fails with READ, ARGUMENT when `target` cannot be a name, OPLIST when it names no operator, WRITE or MEMORY. */
NPART_API npart_status npart_oplist_import(const char *path, const char *target, npart_write_callback write,
                                           void *payload, struct npart_error *error);

struct npart_oplist_info {
    size_t size;
    const char *name, *title, *toolchain, *source, *standing, *partitioner;
    const char *default_variant; /* "" where there are none */
    uint32_t op_count, rule_count, variant_count;
    uint32_t all_rule_count; /* with those that every list has: ids are below */
    const char *provider;    /* of ONNX Runtime, see npart_plan_provider; "": none */
};

/* What the list is as a whole. False for NULL or an unknown size. */
NPART_API bool npart_oplist_info(const npart_oplist *oplist, struct npart_oplist_info *out);

/* What a rule is about, and so the cause that it makes. */
enum npart_cause_kind {
    NPART_ABOUT_OP, /* the operator itself, or the version of it */
    NPART_ABOUT_DTYPE, /* element types, also those before dequantizing */
    NPART_ABOUT_RANK, /* ranks, whether or not dims of 1 count */
    NPART_ABOUT_SHAPE, /* sizes, numbers of elements or scales, which operands there are */
    NPART_ABOUT_DYNAMIC, /* whether sizes are fixed, or bounded */
    NPART_ABOUT_CONSTANT, /* whether an operand is constant, and how its elements lie */
    NPART_ABOUT_ATTRIBUTE, /* attributes, elements of constants, scales */
    NPART_ABOUT_POLICY /* what stands around the node, where it stands, what the user chose */
};
NPART_API const char *npart_cause_kind_text(enum npart_cause_kind value); /* in JSON, or NULL */

enum npart_rule_kind {
    NPART_RULE_NEED,  /* must be met */
    NPART_RULE_MAYBE, /* where it is not met, nothing certain is known */
    NPART_RULE_NOTE,  /* told where it applies; changes no verdict */
    NPART_RULE_UNIT,  /* where it holds, the quantization around the node falls back with it */
    NPART_RULE_ELSEWHERE /* where it is not met, the node is taken, and not run by the NPU: npart_plan_decided */
};

/* What an op list requires of a node, or has to say of it. */
struct npart_rule {
    size_t size;
    enum npart_rule_kind kind;
    const char *id;     /* stable: "hexagon/Conv/rank-X" */
    const char *text;   /* the requirement as a sentence */
    const char *source; /* where it stands; "" when unsaid */
    const char *advice; /* what to change in the model where it is not met; "" when unsaid */
    const char *gate;   /* the stage that asks for it */
    enum npart_cause_kind about;
    bool is_fatal;      /* where it is not met, session creation or compilation fails */
    uint32_t line;      /* of the op list; 0: every list has it */
    const char *because; /* why that is required: "others fail to compile"; "" when unsaid */
};
/* A rule by its id. */
NPART_API bool npart_oplist_rule(const npart_oplist *oplist, uint32_t rule, struct npart_rule *out);
/* Writes the support table of an op ("Conv", "com.microsoft:Gelu"), or of all when `op` is NULL.
 * Fails with ARGUMENT when the list does not name the op. */
NPART_API npart_status npart_oplist_describe(const npart_oplist *oplist, const char *op, npart_write_callback write,
                                             void *payload, struct npart_error *error);

/* ---- plan ------------------------------------------------------------------------------------------------ */

typedef struct npart_plan npart_plan;

/* What a session does before it partitions. */
enum npart_level {
    NPART_LEVEL_BASIC, /* as sessions do by default: constants and static shape arithmetic are folded */
    NPART_LEVEL_OFF /* no rewriting */
};
NPART_API const char *npart_level_text(enum npart_level value); /* in JSON, or NULL */

/* What is taken for granted of one node or of every node of an op, whatever the rules say. */
struct npart_assumption {
    const char *op;   /* "Erf", "com.microsoft:Gelu"; NULL: `node` */
    const char *node; /* a node's name; counts more than its op */
    bool on_npu;
};

struct npart_plan_options {
    uint32_t version;
    enum npart_level level;
    const char *partitioner; /* NULL: the target's */
    const char *gates;       /* names with commas between; NULL: all */
    const struct npart_allocator *allocator; /* NULL: the model's */
    const struct npart_assumption *assumptions;
    uint32_t assumption_count;
    const char *const *cuts; /* names of tensors, or of nodes for all their results, after which the graph is cut */
    uint32_t cut_count;
    const char *runtime; /* starts partitions: "bare", "onnxruntime", "tflite" or "coreml"; NULL: the target's own */
    bool is_sustained;   /* costs are those of a device that has run for minutes */
};
#define NPART_PLAN_OPTIONS_INIT {.version = 1, .level = NPART_LEVEL_BASIC}

/* Judges every node, partitions, and estimates. `target` is NAME[:VARIANT][+SWITCH|-SWITCH]...[@TOOLCHAIN], where
 * NAME is the list's; NULL: the list's defaults. Plans of one inference are made one after the other.
 * Fails with ARGUMENT or MEMORY. */
NPART_API npart_status npart_plan_make(npart_plan **out, const npart_inference *inference, const npart_oplist *oplist,
                                       const char *target, const struct npart_plan_options *options,
                                       struct npart_error *error);
/* Fails as npart_plan_make would for what does not depend on the model: the target, and options but for names of its
 * nodes and tensors. */
NPART_API npart_status npart_target_check(const npart_oplist *oplist, const char *target,
                                          const struct npart_plan_options *options, struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_plan_free(npart_plan *plan);

struct npart_plan_info {
    size_t size;
    const char *target; /* the target as it could be asked for again, but for the toolchain: `hexagon:v73+float` */
    const char *variant; /* as it was asked for, or the default; empty where the list has none */
    /* the release that was asked for, or the newest that the list describes; empty where it names none */
    const char *toolchain;
    const char *partitioner; /* the policy that formed partitions */
    enum npart_level level;
    uint32_t switch_count;
    const char *const *switches; /* those that are on, the variant's own included */
    uint64_t most_partitions; /* that the runtime keeps; 0: as many as there are */
    uint32_t cause_count, crossing_count, live_count;
    const struct npart_allocator *allocator; /* where the plan's memory comes from; malloc and free are one, too */
};
/* What the plan is as a whole. False for NULL or an unknown size. */
NPART_API bool npart_plan_info(const npart_plan *plan, struct npart_plan_info *out);
/* The inference that it was made from. */
NPART_API const npart_inference *npart_plan_inference(const npart_plan *plan);
/* What keeps the target's runtime from creating a session, though it loads the model: an operator that neither the NPU
 * nor the CPU runs. Code "invalid"; `at` is the first such node. Findings of the file are npart_inference_finding's. */
NPART_API bool npart_plan_finding(const npart_plan *plan, uint32_t index, struct npart_finding *out);
/* How much the list knows of the release of the toolchain that was asked for. */
enum npart_release_standing {
    NPART_RELEASE_LISTED, /* it has rules for it */
    NPART_RELEASE_BETWEEN, /* the rules are those of the release before it */
    NPART_RELEASE_NEWER, /* it is newer than all that the list has; the rules are those of the newest */
    NPART_RELEASE_OLDER /* it is older than all that the list has: what the oldest takes is undecided */
};
NPART_API const char *npart_release_standing_text(enum npart_release_standing value); /* in JSON, or NULL */
/* The release of the toolchain that was asked for, and what a newer one takes besides. */
struct npart_release {
    size_t size;
    enum npart_release_standing standing; /* whether the list has rules for it */
    const char *rules; /* the release whose rules these are */
    /* the first newer release that takes most nodes; "": none takes more, or the release is `older` */
    const char *newer;
    uint32_t newer_nodes; /* nodes that fall back, fail or are undecided, and that it takes */
    const char *const *newer_ops;
    uint32_t newer_op_count;
};
/* What is to be said of the release; false: the newest that the list describes was asked for. */
NPART_API bool npart_plan_release(const npart_plan *plan, struct npart_release *out);
/* The provider by which a session of ONNX Runtime has the target; false: sessions do not have it. */
struct npart_provider {
    size_t size;
    const char *name, *package, *source; /* "QNNExecutionProvider"; what brings it */
    const char *compiler, *hint; /* what compiles the model for it beforehand, or NULL; what else it needs, or "" */
};
NPART_API bool npart_plan_provider(const npart_plan *plan, struct npart_provider *out);
/* What such a session has to be told for the plan to hold. */
struct npart_provider_option {
    size_t size;
    const char *name, *value, *text, *source; /* the text: what it does; "" when unsaid */
    bool is_session; /* an entry of the session's configuration, and no option of the provider */
};
NPART_API bool npart_plan_provider_option(const npart_plan *plan, uint32_t index, struct npart_provider_option *out);
/* Whether a graph that is compiled already can be loaded, by what the file says of it. */
enum npart_compiled_verdict {
    NPART_COMPILED_LOADS, /* for this generation of chips, by a compiler that is not too new */
    NPART_COMPILED_RECOMPILE, /* it loads, and is slower than one that is compiled for this chip */
    NPART_COMPILED_REFUSED, /* the runtime does not load it */
    NPART_COMPILED_UNKNOWN /* the file does not say enough */
};
NPART_API const char *npart_compiled_verdict_text(enum npart_compiled_verdict value); /* in JSON, or NULL */
/* A node that holds a graph that is compiled already, and what becomes of it on the target. */
struct npart_compiled {
    size_t size;
    uint32_t node; /* its id */
    enum npart_compiled_verdict verdict; /* by what the file says of itself alone: the device is not asked */
    const char *provider; /* as the file writes it; `""` where it does not say */
    const char *file; /* in which the graph is, or "": it is in the model */
    const char *remedy; /* what to do about it; begins with a verb; "": nothing */
};
/* What becomes of the compiled graph that a node holds; false: it holds none. The sentence goes into `text`, as with
 * npart_plan_reason. Asks the file system whether an external file is there. */
NPART_API bool npart_plan_compiled(const npart_plan *plan, uint32_t node, struct npart_compiled *out, char *text,
                                   size_t bytes);
/* What the target's runtime knows of types and shapes, and, by npart_inference_model, the graph that it sees: nodes may
 * be more than in the model, where the runtime replaces one by others, and belong to other graphs. Ids are the same.
 * Plans whose runtimes see the same have the same view. No plan can be made from it. */
NPART_API const npart_inference *npart_plan_view(const npart_plan *plan);
/* The op list that it was made with. */
NPART_API const npart_oplist *npart_plan_oplist(const npart_plan *plan);

/* A plan in a word. */
enum npart_plan_verdict {
    NPART_PLAN_WHOLE, /* all on the NPU, or handed to who decides that later, in one partition */
    NPART_PLAN_EDGE, /* one partition, and only QuantizeLinear of inputs and DequantizeLinear of outputs on the CPU */
    NPART_PLAN_SPLIT, /* several partitions, or nodes on the CPU */
    NPART_PLAN_NONE, /* nothing on the NPU */
    NPART_PLAN_FAILS, /* some node fails to compile */
    NPART_PLAN_EMPTY, /* nothing is live */
    NPART_PLAN_UNKNOWN /* not said, of a side that is filled in from a report */
};
NPART_API const char *npart_plan_verdict_text(enum npart_plan_verdict value); /* in JSON, or NULL */
enum npart_fit { NPART_FIT_UNKNOWN, NPART_FIT_NO, NPART_FIT_YES };

/* A target's answer in numbers, counted over the nodes of all graphs. */
struct npart_summary {
    size_t size;
    uint32_t nodes; /* `folded` + `live` */
    uint32_t folded; /* removed before partitioning */
    uint32_t fused; /* of the folded ones: fused into other nodes */
    uint32_t live; /* the others: `accepted` + `refused` + `unknown` */
    uint32_t accepted; /* on the NPU, or handed to who decides that later */
    uint32_t refused; /* fall back to the CPU; includes `failed` */
    uint32_t failed; /* claimed by the provider, then fail to compile */
    uint32_t unknown; /* undecided */
    uint32_t partitions; /* on the NPU */
    /* their number with every undecided node left to the CPU and accepted, the smaller first */
    uint32_t partitions_low, partitions_high;
    /* how often control passes from NPU to CPU or back in execution order; the first and last hand-over count only
     * where a CPU node stands there */
    uint32_t switches;
    double coverage; /* `accepted` / `live`; 1 where nothing is live */
    bool has_macs; /* the multiply-accumulates of all live nodes are known */
    /* multiply-accumulates of the live nodes; not known where a shape that they depend on is not known, or how often a
     * body of `If`, `Loop` or `Scan` runs */
    uint64_t macs;
    uint64_t macs_on_npu; /* of these those in partitions */
    double mac_coverage; /* `macs_on_npu` / `macs`; 0 where they are not known, or there are none */
    /* of the plan. It `fails`, too, where the target's runtime refuses the model (`invalid`), or creates no session for
     * it (the target's own `findings`) */
    enum npart_plan_verdict verdict;
    /* whether all of `memory.limits` are kept, but for `one-file`; not known: not known, or the op list states none */
    enum npart_fit fits;
    uint32_t placed_later; /* of the accepted nodes those whose unit another than the runtime decides, see `decided` */
};
/* The answer in numbers. False for NULL or an unknown size. */
NPART_API bool npart_plan_summary(const npart_plan *plan, struct npart_summary *out);
/* Who decides, once the runtime has taken nodes, which unit runs them, and what surely is not run by the NPU. */
struct npart_decided {
    size_t size;
    const char *by; /* `Core ML`, ... */
    const char *const *units;
    uint32_t unit_count, rule_count;
    uint32_t taken; /* nodes that it is handed */
    uint32_t elsewhere; /* of these those surely not on the NPU, as is documented or published */
    double most_on_npu; /* at most this share of the multiply-accumulates, or else of nodes */
    const uint32_t *rules, *rule_nodes; /* for each requirement a rule, and how many nodes do not meet it; most first */
};
/* Who decides later; false: the runtime does, and what it takes is on the NPU. Reasons are npart_plan_reason's. */
NPART_API bool npart_plan_decided(const npart_plan *plan, struct npart_decided *out);

/* What becomes of a node. */
enum npart_verdict {
    NPART_VERDICT_CPU, /* falls back */
    NPART_VERDICT_NPU, /* in a partition */
    NPART_VERDICT_FAIL, /* claimed by the provider, then fails to compile */
    NPART_VERDICT_UNKNOWN, /* undecided */
    NPART_VERDICT_FOLDED, /* removed before partitioning */
    NPART_VERDICT_FUSED /* fused into another node before partitioning */
};
NPART_API const char *npart_verdict_text(enum npart_verdict value); /* in JSON, or NULL */

/* What a session does with a node of the file. */
enum npart_fate {
    NPART_FATE_LIVE, /* it is run */
    NPART_FATE_CONSTANT, /* a Constant node, or computed from constants alone */
    NPART_FATE_SHAPE, /* shape arithmetic over static shapes, or for a Reshape that can do without */
    NPART_FATE_INLINED, /* a call whose function's nodes stand in its place; an If whose branch's do */
    NPART_FATE_UNTAKEN, /* stands in a branch that is never taken */
    NPART_FATE_IDENTITY, /* hands its input on */
    NPART_FATE_DROPOUT, /* the same, at inference */
    NPART_FATE_FUSED, /* does its work as a part of another node */
    NPART_FATE_NO_OP /* a Cast, Transpose, Reshape, Slice, Add of 0, ... that changes nothing */
};
NPART_API const char *npart_fate_text(enum npart_fate value); /* in JSON, or NULL */

struct npart_node_plan {
    size_t size;
    enum npart_verdict verdict;
    uint32_t partition; /* NPART_NONE: in none */
    uint32_t cause;     /* NPART_NONE: does not fall back */
    uint32_t into;      /* of a fused node the one that it is part of; else NPART_NONE */
    uint32_t reason_count;
    enum npart_fate fate;
    const char *fate_text; /* of a folded or fused node why, as a sentence; else "" */
    double ms;             /* what it typically takes where it runs; negative: not known, or not live */
    const char *slow;      /* of a node on the CPU why that takes long: "... has no fast CPU kernel"; else NULL */
};
/* What became of a node. */
NPART_API bool npart_plan_node(const npart_plan *plan, uint32_t node, struct npart_node_plan *out);
/* The work of a node as the plan's runtime runs it: see npart_inference_work. */
NPART_API npart_status npart_plan_work(const npart_plan *plan, uint32_t node, struct npart_work *out,
                                       struct npart_error *error);
/* The nodes that are live, in the order that they run: graph by graph; `*count` of them. */
NPART_API const uint32_t *npart_plan_order(const npart_plan *plan, uint32_t *count);

struct npart_value_plan {
    size_t size;
    bool is_constant, has_bytes; /* is_constant: known before the model runs, at the plan's level */
    uint64_t bytes;     /* where has_bytes */
    const char *layout; /* that the target holds it in: "plain", or the target's own, such as "nhwc" */
    const char *converted_to; /* the other layout, where a user needs that; NULL: none does */
    uint32_t converted_for;   /* the first such node; NPART_NONE: it is an output of the graph */
};
/* What became of a value. */
NPART_API bool npart_plan_value(const npart_plan *plan, uint32_t value, struct npart_value_plan *out);

/* How a rule came out for a node. */
enum npart_outcome {
    NPART_OUTCOME_MET, /* it is met */
    NPART_OUTCOME_NOT_MET, /* it is not met */
    NPART_OUTCOME_FAILS, /* not met, and session creation or compilation fails */
    NPART_OUTCOME_UNKNOWN, /* too little is known */
    NPART_OUTCOME_NOTE, /* a note that applies */
    NPART_OUTCOME_NO_NOTE, /* a note that does not */
    NPART_OUTCOME_ELSEWHERE /* not met, and the node, which is taken, runs on another unit than the NPU */
};
NPART_API const char *npart_outcome_text(enum npart_outcome value); /* in JSON, or NULL */

/* A rule and how it came out for a node. */
struct npart_reason {
    size_t size;
    uint32_t rule; /* see npart_oplist_rule, which has more than these: */
    const char *rule_id, *text, *source, *gate;
    enum npart_outcome outcome;
    size_t found_bytes; /* the length of what was found, where it was asked for */
    const char *because;
};

/* A reason for a node's verdict: a rule that is not met, may not be, or has something to say. What was found is written
 * to `found` as other texts are; where that is NULL, nothing is looked for. */
NPART_API bool npart_plan_reason(const npart_plan *plan, uint32_t node, uint32_t index, struct npart_reason *out,
                                 char *found, size_t bytes);
/* A rule that the list has for a live node, one after the other, whatever came of it: also those after the stage that
 * refused it. `found` is then, of a rule that is met, what it looked at. */
NPART_API bool npart_plan_check(const npart_plan *plan, uint32_t node, uint32_t index, struct npart_reason *out,
                                char *found, size_t bytes);

/* A sum of sizes; where some of them are not known a lower bound. */
struct npart_bytes {
    uint64_t bytes;
    bool is_partial;
};

/* Milliseconds: eight of ten runs lie between low and high. All negative where it is not known. */
struct npart_cost_range {
    double low_ms, typical_ms, high_ms; /* what a run takes then, or negative */
};

/* Nodes that the NPU compiles together. */
struct npart_partition {
    size_t size;
    uint32_t graph; /* the graph it lies in, written as for nodes */
    const uint32_t *nodes; /* node ids, in execution order; those of bodies that are compiled with their node last */
    uint32_t node_count;
    const uint32_t *inputs; /* names of its boundary tensors; constants do not count */
    uint32_t input_count;
    const uint32_t *outputs;
    uint32_t output_count;
    const uint32_t *ends; /* ids of the nodes that keep it from going on; empty where the graph ends */
    uint32_t end_count;
    const uint32_t *cuts; /* names of the tensors at which a cut of the user's (`--cut`) ends it */
    uint32_t cut_count;
    bool has_macs; /* the multiply-accumulates of its nodes are known */
    uint64_t macs; /* multiply-accumulates of its nodes */
    struct npart_bytes weights, peak; /* of memory, as the NPU holds them; see npart_memory */
    enum npart_fit fits_on_chip; /* both together */
    struct npart_cost_range compile; /* compiling it on an x86 computer, an order of magnitude */
};
/* A partition by its id. */
NPART_API bool npart_plan_partition(const npart_plan *plan, uint32_t partition, struct npart_partition *out);

/* A boundary tensor: it is transferred between CPU and NPU, or between two partitions. */
struct npart_crossing {
    size_t size;
    uint32_t value; /* a tensor that passes between CPU and NPU or between two partitions */
    uint32_t from, to; /* the partition; NPART_NONE is the CPU */
    bool has_bytes;
    uint64_t bytes; /* its size */
    const char *layout; /* `plain`, or the target's own (`nhwc`) when the tensor is in it there */
};
/* A boundary tensor, counted from 0. */
NPART_API bool npart_plan_crossing(const npart_plan *plan, uint32_t index, struct npart_crossing *out);

/* Whether nodes that can be fused are. */
enum npart_fusion_state {
    NPART_FUSION_FUSED, /* by the session, or taken as one by the target */
    NPART_FUSION_SEPARATE, /* all is there, and each is a node of its own for the target's compiler */
    NPART_FUSION_NEARLY /* one thing stops it */
};
NPART_API const char *npart_fusion_state_text(enum npart_fusion_state value); /* in JSON, or NULL */

/* Nodes that are fused into one, or that compilers fuse where they find them (`lib/plan/fusions.def`). */
struct npart_fusion {
    size_t size;
    /* `layer-norm`, `attention`, `gelu`, ...; of the session the ops (`Conv+BatchNormalization`); of the op list its
     * pattern */
    const char *pattern;
    const uint32_t *nodes; /* node ids */
    uint32_t node_count;
    enum npart_fusion_state state; /* whether they are fused */
    const char *stopped_by; /* of `nearly`: what, as a sentence; else NULL */
    uint32_t node; /* the node that stops it, or NPART_NONE */
};
/* A fusion, counted from 0; the first call finds them all. Fails with MEMORY, or ARGUMENT past the last. */
NPART_API npart_status npart_plan_fusion(const npart_plan *plan, uint32_t index, struct npart_fusion *out,
                                         struct npart_error *error);

/* A module of the model's source, by what exporters write into the names of nodes, with all modules inside it. */
struct npart_module {
    size_t size;
    /* `encoder.layers.3.fc1` of PyTorch, and of others with the slashes of the names: `model_1/block_1/batchnorm`; the
     * body of a function of the model is a module, called as the node that calls it */
    const char *path;
    uint32_t parent; /* the module that it is in, by its place in this list, which is before its own; or NPART_NONE */
    uint32_t own_count;
    const uint32_t *own; /* nodes of it and of no module inside it: live ones as they run, then the others */
    uint32_t node_count, live_count, accepted_count; /* nodes as in `summary` */
    bool has_macs; /* the multiply-accumulates of all its live nodes are known */
    uint64_t macs, macs_on_npu; /* multiply-accumulates as in `summary` */
    double npu_ms; /* what its nodes on the NPU typically take, without switches, or negative */
    double cpu_ms; /* the same of its other live ones */
    uint32_t switch_count; /* of `summary.switches` those that lead to a node of it */
};
/* A module, counted from 0: each before those inside it, siblings in the order that their last nodes run; names may
 * tell of none. The first call finds them all. Fails with MEMORY, or ARGUMENT past the last. */
NPART_API npart_status npart_plan_module(const npart_plan *plan, uint32_t index, struct npart_module *out,
                                         struct npart_error *error);

/* Why nodes fall back, fail to compile or are undecided; the most harmful first. */
struct npart_cause {
    size_t size;
    enum npart_cause_kind kind; /* what the rule is about */
    const uint32_t *nodes; /* ids of the nodes where it lies; empty for a dim of a graph input */
    uint32_t node_count;
    uint32_t affected_count; /* how many nodes it affects */
    const char *text; /* a sentence */
    /* the rule's id. A cut of the user's is a cause of kind `policy` that affects no node, whose node is the one before
     * it */
    const char *rule_id;
    const uint32_t *cuts; /* ids of the partitions that it ends */
    uint32_t cut_count;
    double cpu_ms; /* what its affected nodes typically take on the CPU, or negative */
    uint32_t rule; /* that the first affected node does not meet, see npart_oplist_rule */
    uint32_t first_affected; /* of the caller's own cut the node before it, or NPART_NONE */
    uint32_t cut_value; /* after which the caller cuts; NPART_NONE: it is no cut of the caller's */
    uint32_t failing_count; /* of the affected nodes those that fail to compile */
    bool is_fatal; /* any of the affected nodes fails to compile rather than runs on the CPU */
    bool is_unknown; /* the affected nodes are undecided */
    size_t found_bytes; /* the length of what was found, where it was asked for */
    /* kind, root_rule and root_op are the same in every model that has the cause, and tell it from others: a rule's id,
     * or a word such as "dynamic-dimension" */
    const char *root_rule;
    const char *root_op; /* an op with its domain, or NULL */
    const char *root_text; /* the same in every model, too: it has no other name of the model */
};

/* A cause by its id, the most harmful first. What was found at the first affected node is written to `found` as other
 * texts are; where that is NULL, nothing is looked for. */
NPART_API bool npart_plan_cause(const npart_plan *plan, uint32_t cause, struct npart_cause *out, char *found,
                                size_t bytes);

/* What a run takes, once the model is loaded; the typical value is the sum of the parts'. */
struct npart_cost {
    size_t size;
    struct npart_cost_range total; /* of a run */
    bool is_calibrated; /* false when more than half of the time rests on assumed parameters */
    const char *runtime; /* what starts partitions: `bare`, `onnxruntime`, `tflite` or `coreml` */
    struct npart_cost_range switching; /* starting partitions. The formulas are in `docs/architecture.md`, "Cost" */
    struct npart_cost_range copying; /* boundary tensors */
    struct npart_cost_range layout; /* changes of layout */
    struct npart_cost_range quantizing; /* QuantizeLinear, DequantizeLinear and Cast that stand alone, on either side */
    struct npart_cost_range cpu; /* nodes on the CPU */
    struct npart_cost_range npu_compute; /* nodes on the NPU limited by computing */
    /* or by memory. The typical values of all parts add up to `typical_ms`; their bounds need not */
    struct npart_cost_range npu_bandwidth;
    struct npart_cost_range cpu_alone; /* all nodes on the CPU, whether the NPU takes them or not */
    struct npart_cost_range npu_whole; /* all on the NPU in one partition, whether it takes them or not */
    struct npart_cost_range cold; /* what the first run takes besides; compiling is not counted */
    double fill; /* the share of the matrix unit's tiles that products on the NPU fill; 0 where there are none */
    /* a partition with fewer multiply-accumulates takes longer than its nodes on the CPU, or 0 */
    uint64_t break_even_macs;
    /* of all boundary tensors with a known size; one from partition to partition counts both ways */
    uint64_t bytes_to_npu, bytes_to_cpu;
    uint64_t conversion_bytes; /* of tensors that change their layout */
    uint32_t unknown_sizes; /* boundary tensors whose size is not known */
    uint32_t unknown_nodes; /* nodes of which it is not known what they take */
    uint32_t conversions; /* tensors whose layout is changed */
    struct npart_cost_range compile; /* compiling all partitions, likewise, in no other time */
};
/* What a run costs. False for NULL or an unknown size. */
NPART_API bool npart_plan_cost(const npart_plan *plan, struct npart_cost *out);

/* What becomes of a format of weights. */
enum npart_happening {
    NPART_HAPPENS_NATIVE, /* computed at the rate of the matrix unit */
    NPART_HAPPENS_DEQUANTIZED, /* weights become wider on the way */
    NPART_HAPPENS_VECTOR, /* on the vector unit */
    NPART_HAPPENS_CPU, /* the nodes fall back */
    NPART_HAPPENS_FAILS, /* they are claimed, and then fail to compile */
    NPART_HAPPENS_UNKNOWN /* not known */
};
NPART_API const char *npart_happening_text(enum npart_happening value); /* in JSON, or NULL */

/* Nodes with weights in one format, and what the target does with it. */
struct npart_precision {
    size_t size;
    /* `float32`, `w8a8-channel`, `w4-block32-asymmetric`, ...: see `docs/oplist-format.md`, "Precision"; `unknown` for
     * types that are not known or in no format */
    const char *format;
    enum npart_happening happens; /* what becomes of it */
    double share; /* of `vector`, and of `dequantized` where it is known: of the matrix unit's rate; else 0 */
    uint32_t node_count; /* of the model */
    uint32_t accepted_count; /* of these those in partitions or accepted */
    bool has_macs;
    uint64_t macs; /* multiply-accumulates of these nodes */
    const char *text; /* a sentence */
    const char *because; /* why, or "" */
    const char *source; /* where it stands, or "" */
    bool is_assumed; /* it has not been tried */
    const char *instead; /* where it is not native: the nearest format that is native on the same target, or "" */
    const char *variant; /* where it is not native: a variant of the target on which it is, or "" */
};
/* A format of the model's weights, counted from 0 in the order of its first nodes. */
NPART_API bool npart_plan_precision(const npart_plan *plan, uint32_t index, struct npart_precision *out);

/* Weights of one element type. */
struct npart_weight_type {
    const char *type; /* "float32", ... */
    uint64_t bytes, elements;
};

/* A node with weights that does not fit on the chip as a whole. */
struct npart_layer {
    uint32_t node; /* a node with weights that does not fit on the chip as a whole, the largest weights first */
    uint32_t partition; /* its partition */
    uint64_t weight_bytes; /* its weights */
    uint64_t activation_bytes; /* its other operands and results */
    uint64_t passes; /* how often all weights are read when it is computed in tiles; 0 where not even a row fits */
};

/* What a format, a device or its tools have no room for beyond some bytes, or some number. */
enum npart_limited {
    NPART_LIMITED_FILE, /* the model file, as protobuf has it */
    NPART_LIMITED_ONE_FILE, /* the same with all weights in it */
    NPART_LIMITED_WEIGHTS, /* all weights on the NPU */
    NPART_LIMITED_TENSORS, /* those inside one partition */
    NPART_LIMITED_ACTIVATIONS, /* the peak of the partition that takes most */
    NPART_LIMITED_SESSION, /* what one session holds on the NPU: all weights, and that peak */
    NPART_LIMITED_PARTITION_WEIGHTS, /* the weights of one partition */
    NPART_LIMITED_PARTITIONS /* how many a process holds */
};
NPART_API const char *npart_limited_text(enum npart_limited value); /* in JSON, or NULL */

/* What may be no larger. */
struct npart_memory_limit {
    enum npart_limited of; /* what is limited */
    struct npart_bytes needed; /* what the model takes; not known: not known, or a number */
    uint64_t limit_bytes; /* of a range its end where that is passed, else its beginning; 0: a number */
    uint64_t safe_bytes; /* up to this it is sure to fit: the beginning of the range; 0: a number */
    uint64_t needed_count, limit_count; /* what there is and may be of a number, or 0 */
    enum npart_fit fits; /* whether it fits */
    const char *source; /* where the limit comes from */
};

/* What a plan takes of memory: weights, and peaks of activations by liveness while nodes run one after the other. A sum
 * is not known where a size that is part of it is not. */
struct npart_memory {
    size_t size;
    uint64_t weight_bytes; /* all constant tensors of the model, by their dims and types */
    const struct npart_weight_type *weight_types; /* sum up to weight_bytes */
    uint32_t weight_type_count;
    uint64_t parameters; /* their elements, without integers of 32 and 64 bits; 0: most are packed in other types */
    struct npart_bytes weights_npu; /* constants that partitions use, as the NPU holds them, once for each partition */
    struct npart_bytes weights_cpu; /* constants that live nodes on the CPU use */
    struct npart_bytes peak; /* the peak of the whole model run by ONNX Runtime's CPU provider */
    uint32_t peak_node; /* the node that runs then */
    struct npart_bytes peak_cpu; /* the peak of what this plan leaves to the CPU, boundary tensors included */
    struct npart_bytes peak_npu; /* the peak of the partition that takes most, boundary tensors included */
    uint32_t peak_npu_node; /* the node that runs then */
    /* what a token of one sequence takes in a decoder's cache; not known where no cache is seen or a size is not
     * known */
    struct npart_bytes cache_per_token;
    uint32_t cache_tensor_count; /* inputs that hold it */
    /* the memory on the chip that the NPU works in, typically (`sram_mb` of the op list), or 0 */
    uint64_t onchip_bytes;
    bool is_onchip_assumed; /* whether that is an assumption */
    const struct npart_memory_limit *limits;
    uint32_t limit_count;
    const struct npart_layer *layers;
    uint32_t layer_count;
};
/* False for NULL or an unknown size. What pointers point to goes with the plan. */
NPART_API bool npart_plan_memory(const npart_plan *plan, struct npart_memory *out);

/* Activations that are there while a node runs; the largest of all nodes are the peaks of npart_memory. */
struct npart_held {
    size_t size;
    struct npart_bytes cpu; /* while a partition runs the same for all its nodes */
    struct npart_bytes npu; /* in the node's partition; 0 for a node on the CPU */
};
/* Of a live node; false for another. */
NPART_API bool npart_plan_held(const npart_plan *plan, uint32_t node, struct npart_held *out);

/* ---- advice ---------------------------------------------------------------------------------------------- */

typedef struct npart_advice npart_advice;
typedef struct npart_fix npart_fix;
/* Finds what to change so that the NPU takes more of a plan, by planning again. `fixed` is the plan with all sizes
 * fixed, or NULL. `fixes` are what npart_fix_propose found, or npart_fix_make, for this target with these sizes, the
 * one of the stronger class first: steps that rewrite the model are theirs. Without any, steps name rewrites that were
 * not tried. Keeps nothing of the fixes. Plans and advice of one inference are made one after the other. Fails with
 * ARGUMENT or MEMORY. */
NPART_API npart_status npart_advice_make(npart_advice **out, const npart_plan *plan, const npart_plan *fixed,
                                         const npart_fix *const *fixes, uint32_t fix_count,
                                         struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_advice_free(npart_advice *advice);
/* What is left of a plan once something is done, by planning again. */
struct npart_after {
    uint32_t partitions; /* as in `summary` */
    double coverage;
    double mac_coverage; /* the share of multiply-accumulates on the NPU, or negative */
    enum npart_plan_verdict verdict; /* as in `summary` */
    struct npart_cost_range cost; /* what a run takes then */
    enum npart_fit fits; /* as in `summary`; of cuts, each part; not known: not known, as of what is only tried */
};

/* What a step brings over the one before it: the first of these that holds. */
enum npart_pays {
    NPART_PAYS_NOTHING, /* nothing that planning again shows */
    NPART_PAYS_MENDS, /* fewer nodes fail to compile */
    NPART_PAYS_FASTER, /* the typical time of a run is lower, by 2 % or more */
    NPART_PAYS_FEWER_PARTITIONS, /* or one where there was none */
    NPART_PAYS_MORE_ON_NPU /* fewer nodes fall back to the CPU, or run elsewhere though they are taken */
};
NPART_API const char *npart_pays_text(enum npart_pays value); /* in JSON, or NULL */

/* Something to do; the steps come first, the best first. */
struct npart_action {
    size_t size;
    /* `dims`: fix sizes; `opset`; `exporter`: export otherwise; `rewrite`: change the graph; `quantize`; `variant`:
     * another chip; `switch`: another way of the target; `release`: another release of the toolchain; `cut`: run a part
     * apart; `option`: of the session or provider; `none`: nothing can be changed */
    const char *kind;
    const char *text; /* what to do; begins with a verb, and names the thing */
    const char *command; /* options of the tool that show what it brings, or NULL */
    const char *rewrites; /* names of the rewrites that do it */
    bool is_fixable; /* whether the tool can do it */
    /* of the model's results: `bits`: the same bit for bit; `bits-if`: for values that the file cannot promise; `ulp`:
     * rounded otherwise; `step`: within one quantization step for each op; `approx`: another function; `other`; or
     * "" */
    const char *equality;
    enum npart_pays pays; /* what it brings over the step before it */
    /* the command that does it, word by word, or NULL: what a person pastes into a shell; the result is written into
     * the current folder */
    const char *const *run;
    uint32_t run_count;
    const uint32_t *causes; /* ids of the causes that it is for */
    uint32_t cause_count;
    const uint32_t *needs; /* actions that must be done, too, for what `after` says */
    uint32_t need_count;
    uint32_t instead_of; /* the step whose place it may take, or NPART_NONE */
    struct npart_after after;
};

/* An action, counted from 0: first the steps, then what may take a step's place. None where nothing falls back. */
NPART_API bool npart_advice_action(const npart_advice *advice, uint32_t index, struct npart_action *out);

/* What to do about a target. */
enum npart_choice {
    NPART_CHOICE_NPU, /* use it as it is */
    NPART_CHOICE_MEND, /* take the first steps of the advice first */
    NPART_CHOICE_CPU, /* do without */
    NPART_CHOICE_UNDECIDED /* it takes about as long on either, or too little is known */
};
NPART_API const char *npart_choice_text(enum npart_choice value); /* in JSON, or NULL */

/* Whether the NPU is worth it. */
enum npart_worth {
    NPART_WORTH_YES, /* surely faster than the CPU */
    NPART_WORTH_PROBABLY, /* faster by typical times */
    NPART_WORTH_AFTER_FIX, /* once the first steps of the advice are done */
    NPART_WORTH_EQUAL, /* about as long on either */
    NPART_WORTH_PROBABLY_NOT, /* slower by typical times */
    NPART_WORTH_NO, /* surely slower; or nothing runs there */
    NPART_WORTH_NONE /* too little is known */
};
NPART_API const char *npart_worth_text(enum npart_worth value); /* in JSON, or NULL */

/* Whether the NPU is worth it, by what a run costs on either side and after each action. */
struct npart_recommendation {
    size_t size;
    enum npart_choice choice;
    enum npart_worth worth;
    const char *worth_missing; /* of NPART_WORTH_NONE what is not known; else NULL */
    const char *reason; /* the answer as a sentence: "after the fix: ~5.0 ms (3.2-7.7); CPU ~270 ms" */
    bool is_sure; /* the ranges say the same as the typical values */
    uint32_t step_count; /* of `mend`: after how many steps of the advice */
    struct npart_cost_range time; /* of a run as it is recommended, or as it is planned; negative: not known */
    struct npart_cost_range cpu; /* of one on the CPU alone; negative: not known */
    uint32_t unknown_nodes; /* nodes that are in none of these times */
};

/* Whether the NPU is worth it, by what a run costs on either side and after each action. False for NULL or an unknown
 * size. */
NPART_API bool npart_advice_recommendation(const npart_advice *advice, struct npart_recommendation *out);

/* ---- placement ------------------------------------------------------------------------------------------- */

typedef struct npart_placement npart_placement;

/* Where a part of a set of models runs. */
enum npart_device {
    NPART_DEVICE_NPU, /* with what falls back from it to the CPU */
    NPART_DEVICE_CPU, /* on the CPU alone */
    NPART_DEVICE_GPU, /* on the caller's GPU */
    NPART_DEVICES /* how many; as a device: not known */
};
NPART_API const char *npart_device_text(enum npart_device value); /* in JSON, or NULL */

/* What the caller knows of a part. PART is a model's path, or the path's last component; of a model that serves both
 * uses of a decoder, each of them is a part: "PATH:prefill" and "PATH:decode". */
struct npart_part_figure {
    const char *part;
    uint64_t runs; /* in one run of the set; 0: not said */
    bool has_gpu;
    struct npart_cost_range gpu; /* of a run on the caller's GPU, with what is transferred for it */
};

struct npart_placement_options {
    uint32_t version;
    const struct npart_plan_options *plan; /* NULL: the defaults */
    const struct npart_part_figure *figures;
    uint32_t figure_count;
    const char *const *links; /* "PART:OUTPUT=PART:INPUT", beside those that are found by names */
    uint32_t link_count;
    uint64_t tokens; /* the runs of a part whose outputs are its own next inputs; 0: 128 */
};
#define NPART_PLACEMENT_OPTIONS_INIT {.version = 1}

/* Finds on which device each model of a set runs best: by the costs of its plan, how often it runs, and what is
 * transferred between the models. Dynamic sizes that are left are chosen as npart_inference_make_use does. Keeps
 * nothing of what it is given. Fails with ARGUMENT (no such part, tensor or target), LIMIT or MEMORY. */
NPART_API npart_status npart_placement_make(npart_placement **out, const npart_inference *const *models, uint32_t count,
                                            const npart_oplist *oplist, const char *target,
                                            const struct npart_placement_options *options, struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_placement_free(npart_placement *placement);

/* Who says how often a part runs. */
enum npart_runs_from {
    NPART_RUNS_USER, /* the caller */
    NPART_RUNS_TOKENS, /* its outputs are its own next inputs */
    NPART_RUNS_ONCE /* nothing is known: it is counted once */
};
NPART_API const char *npart_runs_from_text(enum npart_runs_from value); /* in JSON, or NULL */

/* A model of the set, or one use of it. */
struct npart_part {
    size_t size;
    const char *name; /* its name, as `--runs` takes it */
    uint32_t model; /* its place in the set */
    const char *use; /* `prefill` or `decode`; "": its model has one */
    uint64_t runs; /* in one run of the set */
    enum npart_runs_from runs_from; /* who says so */
    enum npart_device device; /* where the set costs least */
    bool is_decided; /* no other device for it alone may be as good, within the 80 % intervals */
    const char *why; /* a sentence */
    bool has_cost[NPART_DEVICES];
    struct npart_cost_range cost[NPART_DEVICES]; /* of a run; what passes for links is told with them */
    bool is_calibrated; /* of its plan, as in `cost` and `summary` */
    enum npart_plan_verdict verdict; /* of its plan, as in `summary` */
    uint32_t partitions;
    double coverage;
    uint64_t weight_bytes; /* of its model */
    const struct npart_dim_binding *dims; /* sizes that were chosen for dynamic dims */
    uint32_t dim_count;
};

/* What passes from one part to another. */
enum npart_link_kind {
    NPART_LINK_TENSOR, /* a tensor */
    NPART_LINK_CACHE, /* the next run's input, of the same part or of one that goes on from it */
    NPART_LINK_APPLICATION /* code of the caller's stands between */
};
NPART_API const char *npart_link_kind_text(enum npart_link_kind value); /* in JSON, or NULL */

/* What a link was found by. */
enum npart_link_origin {
    NPART_FROM_NAME, /* the names of the tensors */
    NPART_FROM_SHAPE, /* their shapes */
    NPART_FROM_USER /* the caller said so */
};
NPART_API const char *npart_link_origin_text(enum npart_link_origin value); /* in JSON, or NULL */

/* A tensor that one part makes and another takes, or the same part in its next run. */
struct npart_link {
    size_t size;
    uint32_t from; /* ids of parts, and names of tensors */
    const char *output;
    uint32_t to;
    const char *input;
    enum npart_link_kind kind; /* what it is */
    enum npart_link_origin origin; /* what it was found by */
    bool has_bytes;
    uint64_t bytes; /* its size */
    uint64_t times; /* how often it is made in one run of the set */
    bool crosses; /* its ends are on different devices */
    struct npart_cost_range cost; /* `[low, typical, high]` of all its transfers; 0 where it stays */
};

struct npart_placement_info {
    size_t size;
    const char *target; /* as it was planned */
    const char *title; /* the op list's, see npart_oplist_info */
    uint64_t tokens; /* runs of a part whose outputs are its own next inputs (`--tokens`) */
    bool is_exact; /* all assignments were compared; false: single changes to the set, as there are too many parts */
    bool is_calibrated; /* that of all parts */
    uint32_t part_count, link_count, note_count;
    const struct npart_part *const *parts; /* the models, or each use of one that serves both uses of a decoder */
    const struct npart_link *const *links; /* tensors that pass between the parts */
    const char *const *notes; /* what is not known, as sentences */
    bool has_total, has_cpu, has_npu;
    struct npart_cost_range total; /* of one run of the set as it is placed */
    struct npart_cost_range cpu; /* wholly on the CPU */
    struct npart_cost_range npu; /* each part on the NPU that can be */
    struct npart_cost_range transfers; /* of `total` what passes between devices */
    uint64_t weight_bytes[NPART_DEVICES];
    const char *recommendation; /* a sentence */
    const struct npart_allocator *allocator; /* see npart_plan_info */
};
/* All of a placement; parts and links begin with their size, too. False for NULL or an unknown size. */
NPART_API bool npart_placement_info(const npart_placement *placement, struct npart_placement_info *out);

/* ---- fix ------------------------------------------------------------------------------------------------- */

/* A search for rewrites by which more of a model runs on the NPU, and what it found. */

/* How equal a model is afterwards, from the strongest. */
enum npart_equality {
    NPART_EQUAL_BITS, /* the same bits on all inputs */
    NPART_EQUAL_BITS_IF, /* the same bits under a condition on values that the file cannot prove */
    NPART_EQUAL_ULP, /* the same formula, rounded elsewhere */
    NPART_EQUAL_STEP, /* within one quantization step an operator */
    NPART_EQUAL_APPROX /* another function */
};
NPART_API const char *npart_equality_text(enum npart_equality value); /* in JSON, or NULL */

struct npart_fix_options {
    uint32_t version;
    const struct npart_inference_options *sizes; /* that the written model has; NULL: as it is */
    /* NULL: the defaults. Names in it and lists of them must outlive the handle; its allocator is not asked. */
    const struct npart_plan_options *plan;
    const struct npart_bound_value *values;      /* inputs that become constants */
    uint32_t value_count;
    uint32_t allowed;           /* bits 1 << npart_equality, beside that of NPART_EQUAL_BITS */
    const char *const *only;    /* ids of rewrites; NULL: all */
    uint32_t only_count;
    const char *const *without;
    uint32_t without_count;
    double most_growth;         /* of the file with its weights, as a share; negative: any */
    void (*progress)(void *payload, const char *rewrite, uint32_t plans); /* after each plan; NULL: not asked for */
    void *payload;
    const struct npart_allocator *allocator; /* NULL: malloc and free; copied */
    uint64_t keep_bytes;        /* as in npart_read_options */
    /* From version 2 on: */
    uint64_t max_memory_bytes, max_ms; /* as in npart_read_options, for the search and what is made from it */
    const struct npart_limit *limits;  /* the same */
    uint32_t limit_count;
    /* From version 3 on: what else the tool must be told to do the same, for npart_fix_info.run: "--oplist", "FILE". */
    const char *const *words;
    uint32_t word_count;
    /* From version 4 on: the slots of a cache that grows, which then has this size; 0: it stays as it is. Fails with
     * ARGUMENT where that cannot be done, with the node as the place. See docs/decoder-cache.md. */
    uint32_t cache_slots;
    uint32_t cache_tokens;      /* new tokens in a run; 0: 1 */
    bool cache_shifts;          /* outputs are the past of the next run, and not the new keys and values alone */
};
#define NPART_FIX_OPTIONS_INIT {.version = 4, .most_growth = 0.25}

/* Reads the model of a file, which must not change until it has been written, and searches. Only nodes that some target
 * does not take are rewritten, and no target gets worse. A model of which nothing can be mended is no failure: there
 * are no steps then. Fails as reading, inferring and planning do, and with ARGUMENT for an unknown rewrite or input. */
NPART_API npart_status npart_fix_make(npart_fix **out, const char *path, const npart_oplist *const *oplists,
                                      const char *const *targets, uint32_t target_count,
                                      const struct npart_fix_options *options, struct npart_error *error);
/* What npart_advice_make looks at: what is found for one target with the sizes of `options` and those that `fixed` (or
 * NULL) has for the rest, and, where a class that is not allowed would bring more, what is found with that. Of a plan
 * that is whole, and of models of more than 20,000 nodes, nothing; nor where the file cannot be read again. The budget
 * of `plan` holds for it, and none of `options`. `out` has room for NPART_MOST_PROPOSALS, each the caller's to free,
 * also where this fails. `target` as the plan was asked for. Fails with ARGUMENT, MEMORY, LIMIT or TIMEOUT. */
#define NPART_MOST_PROPOSALS 2
NPART_API npart_status npart_fix_propose(npart_fix **out, uint32_t *count, const char *path, const npart_plan *plan,
                                         const npart_plan *fixed, const char *target,
                                         const struct npart_fix_options *options, struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_fix_free(npart_fix *fix);

struct npart_fix_info {
    size_t size;
    const char *path; /* the path of what was read */
    uint32_t target_count, step_count, taken_back_count;
    uint32_t plan_count; /* that the search made, over all targets */
    const struct npart_summary *before, *after; /* by target */
    const double *before_ms, *after_ms; /* by target, typical; negative: not known */
    /* on which target the model that would be written is worse than the one that was read, and how; it is not written
     * then. NULL: on none */
    const char *harm;
    /* external data that the model refers to and that is not there, by its location. It is referred to as before, from
     * wherever the model is written: there it has to be brought */
    const char *const *absent;
    uint32_t barred; /* bits 1 << npart_equality of classes that were not allowed, and that some node would need */
    /* the command that finds and writes the same, word by word, or NULL: no command line can say it. The result lies in
     * the current folder */
    const char *const *run;
    uint32_t run_count;
};
/* What was found as a whole. False for NULL or an unknown size. */
NPART_API bool npart_fix_info(const npart_fix *fix, struct npart_fix_info *out);
/* The plan of what would be written, and with it what is left and why. NULL out of range. */
NPART_API const npart_plan *npart_fix_plan(const npart_fix *fix, uint32_t target);

/* One rewrite at all nodes that it suits. */
struct npart_fix_step {
    size_t size;
    const char *rewrite; /* the rewrite (docs/rewrites.md); `bind`: sizes and values that were given */
    enum npart_equality equality; /* how equal the model is, at the weakest of its sites */
    const char *argument; /* why the model is equal, as a sentence */
    uint32_t site_count; /* at how many places */
    const char *const *removed; /* names of nodes, or of the first result of those without a name */
    uint32_t removed_count;
    const char *const *added;
    uint32_t added_count;
    const struct npart_summary *after; /* by target */
    const double *after_ms; /* by target, typical; negative: not known */
    const char *const *caveats; /* what a user must know of it, as sentences; ends with NULL */
};
/* A step that was kept, in the order in which they are applied. */
NPART_API bool npart_fix_step(const npart_fix *fix, uint32_t index, struct npart_fix_step *out);
/* A rewrite that was tried and did not help: its id, and why it was taken back. */
NPART_API bool npart_fix_taken_back(const npart_fix *fix, uint32_t index, const char **rewrite, const char **why);

/* Where slots of a cache may be that are used. */
enum npart_slot_order {
    NPART_SLOTS_RIGHT, /* at the right end of the past, the latest last */
    NPART_SLOTS_ANY /* anywhere in the past, in any order */
};
NPART_API const char *npart_slot_order_text(enum npart_slot_order value); /* in JSON, or NULL */

/* What the outputs of a cache are. */
enum npart_present {
    NPART_PRESENT_NEW, /* the keys and values of the new tokens, which the host writes into its cache */
    NPART_PRESENT_SHIFT /* the past of the next run: its slots but the first, and the new ones at its end */
};
NPART_API const char *npart_present_text(enum npart_present value); /* in JSON, or NULL */

/* What the host of a model with a fixed cache does with an input or output. */
enum npart_port_role {
    NPART_PORT_TOKENS, /* the ids of the new tokens */
    NPART_PORT_POSITIONS, /* of the new tokens: the number of slots in use + `offset`, and one more for each */
    NPART_PORT_MASK, /* by slot 1 where it is used or new, 0 where it is empty */
    NPART_PORT_BIAS, /* by slot 0, or the mask's value where it is empty */
    NPART_PORT_ROWS, /* the same for each new token, with the mask's value for those after it, too */
    NPART_PORT_PAST, /* the keys or values of the slots before; empty ones are finite numbers, as zeros */
    NPART_PORT_PRESENT, /* what becomes of a past */
    NPART_PORT_OTHER /* as in the original model */
};
NPART_API const char *npart_port_role_text(enum npart_port_role value); /* in JSON, or NULL */

/* How the host keeps the cache of a model that --cache has given a fixed size; see docs/decoder-cache.md. */
struct npart_cache_info {
    size_t size;
    uint32_t slots; /* that attention looks at, new tokens included: no more may ever be used */
    uint32_t tokens; /* new tokens in a run; where `present` is `new` fewer may count, the first ones */
    uint32_t past; /* slots that a run is given: `slots` - `tokens` */
    enum npart_slot_order order; /* where slots that are used may be */
    enum npart_present present; /* what the outputs of a cache are */
    double mask_value; /* of a float mask, where a slot is empty */
    uint32_t port_count;
    const char *text; /* all of it as JSON; the model has it in its metadata, as `npu-partition.cache` */
};
/* False where no cache was asked for, for NULL or an unknown size. */
NPART_API bool npart_fix_cache(const npart_fix *fix, struct npart_cache_info *out);

/* An input or output of a model with a fixed cache. */
struct npart_cache_port {
    size_t size;
    const char *name; /* as the file says */
    enum npart_port_role role; /* what the host does with it */
    bool is_output; /* an output */
    bool is_added; /* an input that the original does not have */
    const char *type; /* its element type: `float32`, `int64`, ... */
    uint32_t rank;
    const int64_t *dims; /* numbers */
    uint32_t axis; /* that of the slots; NPART_NONE: it has none */
    const char *past; /* of an output: the input that it belongs to; NULL: of none */
    /* of `positions`: the first element is the number of slots in use + this, and each is 1 more than the one before */
    int64_t offset;
};
/* In the order of the file, added inputs after its own, outputs last. */
NPART_API bool npart_fix_cache_port(const npart_fix *fix, uint32_t index, struct npart_cache_port *out);

/* What becomes of the weights of a model that is written. */
enum npart_weights {
    NPART_WEIGHTS_STAY,     /* external data must be found from the new place */
    NPART_WEIGHTS_LINK,     /* a link to external data beside the new model */
    NPART_WEIGHTS_COPY,     /* a copy of it */
    NPART_WEIGHTS_EXTERNAL, /* weights inside the model move to a file beside the new one, PATH.data */
};
/* Writes the table of all rewrites as text: id, classes, ops, why the model is equal afterwards, and what a user must
 * know. Fails with WRITE or MEMORY. */
NPART_API npart_status npart_rewrites_describe(npart_write_callback write, void *payload, struct npart_error *error);
/* Writes the model to a path, reads what was written, and puts it in place only when its plans are those that
 * npart_fix_plan has. Nothing of the weights is in memory. Fails with UNPROVEN where the plans differ, with ARGUMENT
 * where `path` is the model itself or its external data would be missed, with LIMIT above 2 GiB, with READ (the model
 * has changed, too), WRITE or MEMORY. */
NPART_API npart_status npart_fix_write(const npart_fix *fix, const char *path, enum npart_weights weights,
                                       struct npart_error *error);

/* ---- parts ----------------------------------------------------------------------------------------------- */

/* Writes each partition of the main graph, and what runs on the CPU between them, as a model of its own into a folder,
 * which is made where it is not there; and manifest.json, which says in which order they run and what passes from one
 * to another (docs/split.md). `path` is the file that the plan's model was read from. Fails with ARGUMENT where that is
 * another model or its external data would be missed, with LIMIT, READ, WRITE or MEMORY. */
NPART_API npart_status npart_plan_split(const npart_plan *plan, const char *path, const char *folder,
                                        enum npart_weights weights, struct npart_error *error);
/* Writes the model with what plans of it say of each node as its metadata, which viewers show: where it runs, its
 * partition, and the first reason (docs/split.md). Nothing else is another. Fails as npart_plan_split does. */
NPART_API npart_status npart_plan_annotate(const npart_plan *const *plans, size_t count, const char *path,
                                           const char *out, enum npart_weights weights, struct npart_error *error);

/* ---- diff ------------------------------------------------------------------------------------------------ */

/* Which nodes a side lists. */
enum npart_listing {
    NPART_LISTING_ALL,
    NPART_LISTING_LEFT, /* those that are live and not on the NPU, as a baseline has them */
    NPART_LISTING_NONE  /* none are known: causes and totals are compared */
};

/* What a plan says of one node, as a report keeps it. Texts may be NULL for "". */
struct npart_side_node {
    const char *name, *op, *graph;
    const char *place;  /* where the model's source makes it: "model.py:41 (encoder.fc1)" */
    uint32_t name_hash; /* where the name is not kept; 0: none */
    uint32_t index;     /* in its graph */
    enum npart_verdict verdict;
    uint32_t partition, cause;         /* or NPART_NONE */
    uint32_t up, down, around, itself; /* see npart_structure; all 0: not known */
};

/* A root that a plan names. */
struct npart_side_cause {
    const char *kind, *rule, *text;
    const char *action;    /* what to do about it; NULL: nothing is said */
    const uint32_t *nodes; /* where it lies, by their places in the side */
    uint32_t node_count, affected_count;
};

/* A plan as it is compared: made of one by npart_record_make, or filled in from a report. */
struct npart_side {
    uint32_t version;
    const char *model;             /* its path */
    const char *target, *toolchain; /* as in npart_plan_info */
    enum npart_listing listing;
    const struct npart_side_node *nodes; /* in the order of the file */
    uint32_t node_count, cause_count;
    const struct npart_side_cause *causes;
    struct npart_summary summary;
    bool is_invalid; /* ONNX Runtime does not load the model */
    struct npart_cost_range cost, npu_whole; /* of a run as planned; with all nodes on the NPU. Negative: not known */
    uint64_t weight_bytes, npu_weight_bytes, peak_bytes, npu_peak_bytes; /* UINT64_MAX: not known */
    uint32_t off_chip; /* partitions that do not fit on the chip; NPART_NONE: not known */
    uint32_t limits;   /* of memory that are passed; NPART_NONE: not known */
};
#define NPART_SIDE_INIT {.version = 1}

/* A plan as a side of a comparison, which needs the plan no more. */
typedef struct npart_record npart_record;
/* `advice` may be NULL: then no action is known. Fails with ARGUMENT or MEMORY. */
NPART_API npart_status npart_record_make(npart_record **out, const npart_plan *plan, const npart_advice *advice,
                                         struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_record_free(npart_record *record);
/* The record itself. NULL for NULL. */
NPART_API const struct npart_side *npart_record_side(const npart_record *record);
/* The name of a node in 32 bits, for a record that does not keep it; 0 for "". */
NPART_API uint32_t npart_name_hash(const char *name);

/* What a comparison says of a figure, a root or a node. */
enum npart_change {
    NPART_CHANGE_NONE, /* it is as it was */
    NPART_CHANGE_OTHER, /* neither worse nor better */
    NPART_CHANGE_BETTER, /* better */
    NPART_CHANGE_WORSE /* worse */
};
NPART_API const char *npart_change_text(enum npart_change value); /* in JSON, or NULL */

struct npart_diff_options {
    uint32_t version;
    double cost_tolerance;   /* estimates of time that differ by less are equal, as a share; 0: 0.1 */
    double memory_tolerance; /* the same of peaks */
    const struct npart_allocator *allocator; /* NULL: malloc and free; copied */
};
#define NPART_DIFF_OPTIONS_INIT {.version = 1}

typedef struct npart_diff npart_diff;
/* Compares two plans: of two versions of a model, or of one on two targets. Nodes are recognized by structure, then by
 * name (docs/diff.md). Keeps nothing of what it is given. Takes time in proportion to n log n.
 * Fails with ARGUMENT (an id that is none) or MEMORY. */
NPART_API npart_status npart_diff_make(npart_diff **out, const struct npart_side *before,
                                       const struct npart_side *after, const struct npart_diff_options *options,
                                       struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_diff_free(npart_diff *diff);

/* What changed as a whole. */
struct npart_diff_info {
    size_t size;
    enum npart_change change; /* of this target; worse where anything is */
    const struct npart_side *before; /* without nodes and causes */
    const struct npart_side *after;
    uint32_t matched; /* nodes of both sides */
    uint32_t by_name; /* of these recognized by name alone */
    uint32_t altered; /* of these with other attributes, element types, ranks or constants */
    uint32_t added, removed; /* nodes of one side only */
    uint32_t left; /* nodes of both sides that are live and not on the NPU any more */
    uint32_t came; /* or no longer so */
    uint32_t figure_count;
    uint32_t cause_count;
    uint32_t node_count;
    const struct npart_allocator *allocator; /* see npart_plan_info */
};
/* What changed as a whole. False for NULL or an unknown size. */
NPART_API bool npart_diff_info(const npart_diff *diff, struct npart_diff_info *out);

/* A figure that is another: the worse ones first. */
struct npart_diff_figure {
    size_t size;
    const char *what; /* which: `verdict`, `partitions`, `mac-coverage`, ... (docs/diff.md) */
    enum npart_change change; /* worse or better */
    const char *text; /* a line for people: `partitions: 1 -> 3` */
    double before, after; /* negative: not known, or no number */
};
/* A figure that changed, counted from 0. */
NPART_API bool npart_diff_figure(const npart_diff *diff, uint32_t index, struct npart_diff_figure *out);

/* What became of a root. */
enum npart_cause_change {
    NPART_CAUSE_NEW, /* it was not there before */
    NPART_CAUSE_MORE, /* it affects more nodes */
    NPART_CAUSE_LOST, /* it is not there any more */
    NPART_CAUSE_FEWER, /* it affects fewer nodes */
    NPART_CAUSE_SAME /* it affects as many */
};
NPART_API const char *npart_cause_change_text(enum npart_cause_change value); /* in JSON, or NULL */

/* A root of either side: new ones first, then those that affect more nodes, lost ones, fewer, and as many. */
struct npart_diff_cause {
    size_t size;
    enum npart_cause_change state; /* what became of it */
    enum npart_change change;
    const char *kind, *rule, *text; /* as of an analysis, of the new side where it has the root */
    const char *action; /* the first step of its `advice`, or NULL */
    uint32_t before, after; /* its id on either side, or NPART_NONE */
    uint32_t affected_before, affected_after; /* how many nodes it affects */
};
/* A root, counted from 0. */
NPART_API bool npart_diff_cause(const npart_diff *diff, uint32_t index, struct npart_diff_cause *out);

/* What became of a node. */
enum npart_node_change {
    NPART_NODE_MOVED, /* its verdict is another */
    NPART_NODE_REPLACED, /* by another operator */
    NPART_NODE_ADDED, /* it was not there before */
    NPART_NODE_REMOVED /* it is not there any more */
};
NPART_API const char *npart_node_change_text(enum npart_node_change value); /* in JSON, or NULL */

/* A node that is not as it was: worse ones first. */
struct npart_diff_node {
    size_t size;
    enum npart_node_change state; /* what became of it */
    enum npart_change change;
    uint32_t before, after; /* its id on either side, or NPART_NONE */
    const char *name, *op, *graph; /* as in an analysis, of the new side where it is there */
    uint32_t index;
    const char *place; /* where the model's source makes it, or "" */
    const char *name_before, *op_before; /* of the old side, or "" */
    /* on that side, or not known; NPART_VERDICT_FOLDED where it is not there */
    enum npart_verdict verdict_before, verdict;
    uint32_t cause; /* a root by its place in `targets[].causes`, or NPART_NONE */
};
/* A node that changed, counted from 0. */
NPART_API bool npart_diff_node(const npart_diff *diff, uint32_t index, struct npart_diff_node *out);

/* ---- reports --------------------------------------------------------------------------------------------- */

enum npart_detail {
    NPART_DETAIL_NODES,  /* everything but tensors */
    NPART_DETAIL_CAUSES, /* no list of nodes, partitions and crossings */
    NPART_DETAIL_SUMMARY, /* no list of causes either */
    NPART_DETAIL_TENSORS /* of JSON and HTML everything with the tensors, too; of others as NODES */
};

/* One plan, and what it would be with all sizes fixed, where that was tried. */
struct npart_plan_pair {
    const npart_plan *plan, *fixed; /* fixed may be NULL: nothing was dynamic */
    const npart_advice *advice; /* of `plan`; NULL: none is told */
};

/* Fills in the plan at `index` when a report comes to it: of 0, 1, ..., each once. The plan before is not asked for
 * anything any more, and may be freed. What it fails with the report does, wherever it is. */
typedef npart_status (*npart_plan_callback)(void *payload, size_t index, struct npart_plan_pair *out,
                                            struct npart_error *error);

struct npart_report_options {
    uint32_t version;
    bool use_color, use_ascii; /* of text; ASCII: no characters beyond it */
    uint32_t width;    /* of text, in columns; 0: 80 */
    bool is_verbose;   /* of text: every cause, and the nodes of each */
    enum npart_detail detail; /* of JSON */
    /* Of text and JSON, from version 2 on: makes the plans, of which the array is not looked at then, so that not all
     * are in memory at once. NULL: the array has them. */
    npart_plan_callback next;
    void *next_payload;
};
#define NPART_REPORT_OPTIONS_INIT {.version = 2, .detail = NPART_DETAIL_NODES}

enum npart_format {
    NPART_FORMAT_TEXT,     /* for people */
    NPART_FORMAT_JSON,     /* one line (docs/json.md) */
    NPART_FORMAT_SARIF,    /* SARIF 2.1.0, for code scanning: a result for each cause and target */
    NPART_FORMAT_GITHUB,   /* workflow commands of GitHub Actions: annotations */
    NPART_FORMAT_MARKDOWN, /* a comment of a pull or merge request */
    NPART_FORMAT_JUNIT,    /* JUnit XML */
    NPART_FORMAT_CSV,      /* RFC 4180, with a line of names first */
    NPART_FORMAT_DOT,      /* for Graphviz: a digraph a plan, partitions and what runs on the CPU between them */
    NPART_FORMAT_SVG,      /* the same pictures, drawn: one below the other */
    NPART_FORMAT_HTML,     /* a page for a browser, in one file that loads nothing */
    NPART_FORMAT_MODEL_EXPLORER /* node data of Model Explorer: of one model and one target */
};
/* "text", "json", "sarif", ...; "" for an unknown value. */
NPART_API const char *npart_format_text(enum npart_format format);

/* What a report is of. */
enum npart_subject_kind {
    NPART_SUBJECT_PLANS,   /* plans of one model. TEXT and JSON, and every format of a document (docs/formats.md) */
    NPART_SUBJECT_NODE,    /* every rule that speaks of a node, with its outcome and the values that it looked at, for
                            * each plan. TEXT */
    NPART_SUBJECT_MODULES, /* a table by module of the model's source (npart_plan_module), a line each, with a strip of
                            * its nodes as they run; as deep as 40 lines reach, or all with `is_verbose`. TEXT */
    NPART_SUBJECT_SHAPES,  /* every input and node output of the main graph (docs/json.md, "Shapes"); of a plan's view,
                            * what the target's runtime knows of them. JSON */
    NPART_SUBJECT_WORK,    /* the same, and with a node's first output what the node computes and moves
                            * (npart_inference_work). JSON */
    NPART_SUBJECT_FIX,     /* what a search found (docs/json.md, "Fix"). TEXT (all of each step with `is_verbose`),
                            * JSON */
    NPART_SUBJECT_DIFFS,   /* comparisons, of several targets one after the other (docs/json.md, "Diff"). TEXT, MARKDOWN
                            * for a pull request, JSON */
    NPART_SUBJECT_PLACEMENT /* docs/json.md, "Placement". TEXT, JSON */
};

/* A subject has what its kind asks for, and zeros:
 *
 *     struct npart_subject subject = {.size = sizeof subject, .kind = NPART_SUBJECT_PLANS, .plans = &pair, .count = 1};
 */
struct npart_subject {
    size_t size;
    enum npart_subject_kind kind;
    const struct npart_plan_pair *plans; /* PLANS, NODE, MODULES */
    const npart_diff *const *diffs;      /* DIFFS */
    size_t count;                        /* of either */
    const char *node;                    /* NODE: what npart_model_find_node takes; all that are called so */
    const npart_inference *inference;    /* SHAPES, WORK */
    const npart_fix *fix;                /* FIX */
    const char *written;                 /* FIX: the path that it was written to; NULL: it was not */
    const npart_placement *placement;    /* PLACEMENT */
};

/* Writes a report. Equal input, equal bytes. What reports know stands in this header, so that others can be written.
 * `options` may be NULL. Fails with WRITE, MEMORY, or ARGUMENT: nothing to report, plans of different models, no node
 * of that name, or no such format of this subject, where the message says which there are. */
NPART_API npart_status npart_report(const struct npart_subject *subject, enum npart_format format,
                                    const struct npart_report_options *options, npart_write_callback write,
                                    void *payload, struct npart_error *error);

/* ---- documents ------------------------------------------------------------------------------------------- */

/* One document over many models, in a format that other programs read (docs/formats.md): neither TEXT nor JSON. */
typedef struct npart_document npart_document;

struct npart_document_options {
    uint32_t version;
    enum npart_detail detail; /* of CSV: a row for each node, cause, or plan; of pictures NODES: every box;
                               * of HTML: of the reports in it */
    const char *root; /* an absolute folder: files in it are told relative to it; NULL: paths stay as they are */
    const struct npart_allocator *allocator; /* NULL: malloc and free; copied */
};
#define NPART_DOCUMENT_OPTIONS_INIT {.version = 1, .detail = NPART_DETAIL_SUMMARY}

/* What a threshold of the caller's says of a plan, or of the model. */
struct npart_threshold_outcome {
    size_t size;
    uint32_t plan;         /* by its place in the entry; NPART_NONE: of the model */
    bool is_met;
    const char *threshold; /* a stable name: "max-partitions" */
    const char *text;      /* a sentence: "13 partitions, threshold: at most 1" */
    const char *waiver;    /* why it is accepted though it is not met; NULL: it is not */
};

/* A model in a document. */
struct npart_entry {
    uint32_t version;
    const char *path;
    const struct npart_plan_pair *plans; /* all of this model */
    size_t plan_count;
    const struct npart_threshold_outcome *outcomes;
    size_t outcome_count;
    const struct npart_error *error; /* why the model cannot be analyzed: there are no plans then; else NULL */
};
#define NPART_ENTRY_INIT {.version = 1}

/* Begins a document. Nothing of the options is needed afterwards; `write` is called from here on to npart_document_end.
 * Equal entries, equal bytes. Fails with ARGUMENT or MEMORY. */
NPART_API npart_status npart_document_start(npart_document **out, enum npart_format format,
                                            const struct npart_document_options *options, npart_write_callback write,
                                            void *payload, struct npart_error *error);
/* Tells of a model. Nothing of the entry is needed afterwards. Fails with ARGUMENT, which leaves the document as it
 * was, or with WRITE or MEMORY, from which on the document is lost: all later calls fail like that. */
NPART_API npart_status npart_document_add(npart_document *document, const struct npart_entry *entry,
                                          struct npart_error *error);
/* The next three are for HTML alone: other formats fail with ARGUMENT.
 * What changed between the last two reports that were added, the earlier one first. */
NPART_API npart_status npart_document_add_diff(npart_document *document, const npart_diff *const *diffs, size_t count,
                                               struct npart_error *error);
/* What was rewritten between them. `written`: as of npart_subject. */
NPART_API npart_status npart_document_add_fix(npart_document *document, const npart_fix *fix, const char *written,
                                              struct npart_error *error);
/* A report that was saved: one line of JSON of NPART_SUBJECT_PLANS, which is put in as it is. Whatever it says, it can
 * do nothing in the page; what is no such JSON cannot be drawn. Fails with READ, too, and then the document is lost. */
NPART_API npart_status npart_document_add_report(npart_document *document, npart_read_callback read, void *payload,
                                                 struct npart_error *error);
/* Writes what is left, after the last model. Only npart_document_free may come after it. Fails with WRITE, MEMORY or
 * ARGUMENT. */
NPART_API npart_status npart_document_end(npart_document *document, struct npart_error *error);
/* Gives the handle back; nothing more is written. */
NPART_API void npart_document_free(npart_document *document);

/* ---- what may still change ------------------------------------------------------------------------------- */

/* Declared where NPART_EXPERIMENTAL is defined before this header: the next version may have it otherwise, or not at
 * all. All else is a promise. */
#ifdef NPART_EXPERIMENTAL

/* ONNX's numbers (AttributeProto.AttributeType). */
enum npart_attribute_type {
    NPART_ATTRIBUTE_UNDEFINED, NPART_ATTRIBUTE_FLOAT, NPART_ATTRIBUTE_INT, NPART_ATTRIBUTE_STRING,
    NPART_ATTRIBUTE_TENSOR, NPART_ATTRIBUTE_GRAPH, NPART_ATTRIBUTE_FLOATS, NPART_ATTRIBUTE_INTS,
    NPART_ATTRIBUTE_STRINGS, NPART_ATTRIBUTE_TENSORS, NPART_ATTRIBUTE_GRAPHS, NPART_ATTRIBUTE_SPARSE_TENSOR,
    NPART_ATTRIBUTE_SPARSE_TENSORS, NPART_ATTRIBUTE_TYPE, NPART_ATTRIBUTE_TYPES
};

/* An attribute that the file writes at a node; defaults are not among them. */
struct npart_attribute {
    size_t size;
    const char *name;
    enum npart_attribute_type type;
    bool is_elided;       /* a long list whose payload was not read: `count` holds, the numbers are not here */
    uint32_t count;       /* of a list; bytes of a string; 1 for others */
    int64_t integer;      /* of an INT */
    float real;           /* of a FLOAT */
    const char *text;     /* of a STRING: `count` bytes and a NUL; else NULL */
    const int64_t *integers; /* of INTS */
    const float *reals;      /* of FLOATS */
    uint32_t graph;          /* of a GRAPH, and the first of GRAPHS; else NPART_NONE */
    int element_type;        /* of a TENSOR, ONNX's number */
    uint32_t rank;           /* of a TENSOR */
    const int64_t *dims;     /* of a TENSOR */
};

/* An attribute of a node, counted from 0. */
NPART_API bool npart_model_attribute(const npart_model *model, uint32_t node, uint32_t index,
                                     struct npart_attribute *out);
/* One string of a STRINGS attribute: `*bytes` bytes, not terminated. NULL when there is none. */
NPART_API const char *npart_model_attribute_string(const npart_model *model, uint32_t node, uint32_t index,
                                                   uint32_t item, size_t *bytes);
/* The node's metadata under a key, as exporters leave it ("pkg.torch.onnx.stack_trace"); NULL when there is none. */
NPART_API const char *npart_model_node_metadata(const npart_model *model, uint32_t node, const char *key);
/* The first value from id `from` on of that name; NPART_NONE when there is none. Graphs may use a name again. */
NPART_API uint32_t npart_model_find_value(const npart_model *model, const char *name, uint32_t from);

/* Known whole-number elements, -1 for a symbolic one: writes the first `capacity` of them, and how many there are.
 * False, with *count 0, when they are not known. */
NPART_API bool npart_inference_elements(const npart_inference *inference, uint32_t value, int64_t *out,
                                        uint32_t capacity, uint32_t *count);
/* Sizes that must be equal for the model to work, where two different symbols met: writes "n = m", cut to `bytes`, and
 * to `*node` (may be NULL) where they met. */
NPART_API bool npart_inference_assumption(const npart_inference *inference, uint32_t index, char *out, size_t bytes,
                                          uint32_t *node);

struct npart_parameter_range {
    double low, typical, high;
};

/* A `param` line of the list or of a cost file, as one plan uses it. */
struct npart_parameter {
    size_t size;
    uint32_t line;    /* the same in all plans of the list; another line has another */
    const char *name; /* "launch_ms" */
    const char *precision, *runtime; /* that it is for; NULL: any */
    struct npart_parameter_range range;
    bool is_assumed; /* not measured */
    bool is_speed;   /* the larger it is, the less time a run takes */
    bool is_npu;     /* of what the NPU computes and moves, not of the CPU or of switches */
};
/* Asked for with `parameter` from 0 until it is false. Texts are constants. */
NPART_API bool npart_plan_parameter(const npart_plan *plan, uint32_t parameter, struct npart_parameter *out);

/* What is spent on each parameter in a warm run, in milliseconds: in the whole run, in all nodes on the CPU, and in
 * each partition's kernel. `ms` has room for 2 + partitions rows with one number for each parameter. With `factors`
 * (NULL: none), times that rest on a parameter are that many times as long, and what limits a node may be another.
 * Fails with ARGUMENT (a NULL, a plan whose cost is not known) or MEMORY. */
NPART_API npart_status npart_plan_times(const npart_plan *plan, const double *factors, double *ms,
                                        struct npart_error *error);

/* The node of `after` that a node of `before` is; NPART_NONE: there is none. */
NPART_API uint32_t npart_diff_match(const npart_diff *diff, uint32_t before);

#endif

#ifdef __cplusplus
}
#endif

#endif
