/* SPDX-License-Identifier: Apache-2.0
 *
 * npu-partition: which nodes of an ONNX graph an NPU's compiler takes, what partitions that makes, what the switches
 * between NPU and CPU cost, and why each refused node is refused.
 *
 *     npart_model *model = NULL;
 *     npart_inference *inference = NULL;
 *     npart_oplist *hexagon = NULL;
 *     npart_plan *plan = NULL;
 *     struct npart_summary summary;
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
 * rules of a target, a plan the answer for all three. An inference refers to its model, a plan to its inference and
 * op list: free them in the reverse order. Every *_free takes NULL.
 *
 * Threads. There is no global state. Different threads may use different handles at the same time, and share models
 * and op lists, which nothing changes once they are read; plans of one inference share it and count as one handle.
 *
 * Ownership. What comes back through a first parameter `**out` is the caller's to free. Returned and filled-in `const`
 * pointers belong to the handle they came from and live as long as it does.
 *
 * Errors. A function that can fail returns a status, fills in `error` (which may be NULL) when it fails, and then
 * leaves its results alone. That an NPU does not take a node is a verdict, never an error. The library never prints,
 * never exits, and never aborts on its input.
 *
 * Options. Option structs begin with a version: initialize them with their _INIT. NULL means the defaults.
 *
 * Ids. Nodes, values, partitions and causes are numbers from 0; NPART_NONE is none. The nodes of the main graph come
 * first, in the file's order.
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
#define NPART_VERSION_MINOR 1
#define NPART_VERSION_PATCH 0

#if defined(__GNUC__)
#define NPART_API __attribute__((visibility("default")))
#else
#define NPART_API
#endif

/* The id of nothing; on the sides of a crossing, the CPU. */
#define NPART_NONE UINT32_MAX

/* The library's version, "0.1.0". */
NPART_API const char *npart_version(void);

/* Copies a text that may hold anything, such as a name from a model, as a person may read it: control characters, those
 * that turn the direction of writing and those that nobody sees become \u202e or \U000e0001, bytes that are no UTF-8
 * \xff. Writes as many whole characters as fit into `bytes`, and a NUL. Texts of errors and reports are so already. */
NPART_API void npart_plain_text(const char *text, char *out, size_t bytes);

/* ---- status and errors ----------------------------------------------------------------------------------- */

#define NPART_STATUS_LIST(X)                                                                                           \
    X(NPART_OK, 0, "ok")                                                                                               \
    X(NPART_ERROR_READ, -1, "cannot read")                                                                             \
    X(NPART_ERROR_MALFORMED, -2, "malformed")                                                                          \
    X(NPART_ERROR_LIMIT, -3, "limit passed")                                                                           \
    X(NPART_ERROR_MEMORY, -4, "out of memory")                                                                         \
    X(NPART_ERROR_ARGUMENT, -5, "bad argument")                                                                        \
    X(NPART_ERROR_OPLIST, -6, "bad op list")                                                                           \
    X(NPART_ERROR_WRITE, -7, "cannot write")

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

/* ---- model ----------------------------------------------------------------------------------------------- */

typedef struct npart_model npart_model;

struct npart_read_options {
    uint32_t version;
    uint64_t keep_bytes;   /* payloads of tensors up to this size are read; 0: 4096. INT64 ones up to 65536 always */
    const char *name;      /* what reports call the model; NULL: its path, or "-" */
    const struct npart_allocator *allocator; /* NULL: malloc and free; copied */
};
#define NPART_READ_OPTIONS_INIT {1, 0, NULL, NULL}

/* Reads an ONNX model: from a file by pread in small windows, from a stream in one pass, or from memory, which is
 * not needed afterwards. Weights are not read, external data is not opened. Costs time and memory in proportion to
 * the graph, not to the weights (a stream must be read through).
 * Fails with READ, MALFORMED, LIMIT or MEMORY; the place is a byte or a node. */
NPART_API npart_status npart_model_read_file(npart_model **out, const char *path,
                                             const struct npart_read_options *options, struct npart_error *error);
NPART_API npart_status npart_model_read_stream(npart_model **out, npart_read_callback read, void *payload,
                                               const struct npart_read_options *options, struct npart_error *error);
NPART_API npart_status npart_model_read_memory(npart_model **out, const void *data, size_t bytes,
                                               const struct npart_read_options *options, struct npart_error *error);
NPART_API void npart_model_free(npart_model *model);

struct npart_model_info {
    const char *name;
    int64_t ir_version;
    const char *producer_name, *producer_version;
    uint64_t input_bytes;  /* of the file or stream */
    uint64_t weight_bytes; /* of all constant tensors, by their dims and types */
    uint32_t node_count;   /* of all graphs, inlined functions included */
    uint32_t value_count;
};

NPART_API void npart_model_info(const npart_model *model, struct npart_model_info *out);

/* A node as the file has it. */
struct npart_node {
    const char *name, *op, *domain; /* domain "" is ai.onnx */
    uint32_t index;                 /* its place in the node list of its graph */
    uint32_t graph;                 /* 0: the main graph; see npart_model_graph_path */
    int32_t opset_version;          /* of its domain; 0: not imported */
};

/* False when there is no such node. */
NPART_API bool npart_model_node(const npart_model *model, uint32_t node, struct npart_node *out);
/* A node's input or output, counted from 0: a value, or NPART_NONE when it is absent or past the last. */
NPART_API uint32_t npart_model_node_input(const npart_model *model, uint32_t node, uint32_t index);
NPART_API uint32_t npart_model_node_output(const npart_model *model, uint32_t node, uint32_t index);
/* The node's metadata under a key, as exporters leave it ("pkg.torch.onnx.stack_trace"); NULL when there is none. */
NPART_API const char *npart_model_node_metadata(const npart_model *model, uint32_t node, const char *key);
/* Writes "<node index>:<attribute or function>/..." (the main graph: "") and a NUL, cut to `bytes`. */
NPART_API void npart_model_graph_path(const npart_model *model, uint32_t graph, char *out, size_t bytes);

/* Something about the model that is odd but no error. */
struct npart_finding {
    const char *code; /* a stable word: "unsorted", "tensor-data", ... */
    const char *text, *at;
};

NPART_API uint32_t npart_model_finding_count(const npart_model *model);
NPART_API bool npart_model_finding(const npart_model *model, uint32_t index, struct npart_finding *out);

/* ---- inference ------------------------------------------------------------------------------------------- */

typedef struct npart_inference npart_inference;

/* A size for a symbolic dim: NAME is a symbol, an expression of symbols as the file writes it, or INPUT.AXIS for a
 * dim without a name. */
struct npart_dim_binding {
    const char *name;
    int64_t size;
    bool is_limit; /* the dim stays open, but is no greater than `size`; NAME is then a symbol or INPUT.AXIS */
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
};
#define NPART_INFERENCE_OPTIONS_INIT {1, NULL, 0, NULL, 0, false}

/* Infers the type and shape of every value, and the elements of small integer tensors.
 * Fails with ARGUMENT (no such dim, or sizes that conflict) or MEMORY. */
NPART_API npart_status npart_inference_make(npart_inference **out, const npart_model *model,
                                            const struct npart_inference_options *options,
                                            struct npart_error *error);
/* The same with every dim of the inputs that is still open given a size: batches 1, others the smallest of a few that
 * fit the model. *out is NULL, and that is no failure, when nothing is open. */
NPART_API npart_status npart_inference_make_fixed(npart_inference **out, const npart_inference *open,
                                                  struct npart_error *error);
NPART_API void npart_inference_free(npart_inference *inference);

/* The sizes that npart_inference_make_fixed chose. */
NPART_API uint32_t npart_inference_binding_count(const npart_inference *inference);
NPART_API bool npart_inference_binding(const npart_inference *inference, uint32_t index,
                                       struct npart_dim_binding *out);

enum npart_value_kind {
    NPART_VALUE_UNKNOWN,
    NPART_VALUE_TENSOR,
    NPART_VALUE_SPARSE,
    NPART_VALUE_SEQUENCE,
    NPART_VALUE_MAP,
    NPART_VALUE_OPTIONAL,
    NPART_VALUE_OPAQUE
};

struct npart_value {
    const char *name;
    enum npart_value_kind kind;
    int element_type;  /* ONNX's number; 0: unknown */
    bool has_rank;
    uint32_t rank;
    bool is_static;    /* every dim is a number */
    bool is_constant;  /* the same in every run */
    uint32_t producer; /* node, or NPART_NONE */
};

/* False when there is no such value. */
NPART_API bool npart_inference_value(const npart_inference *inference, uint32_t value, struct npart_value *out);
/* A dim of a value: its size, or -1 when it is symbolic or unknown. */
NPART_API int64_t npart_inference_dim(const npart_inference *inference, uint32_t value, uint32_t axis);
/* Writes "float32[1,sequence,768]" and a NUL, cut to `bytes`. */
NPART_API void npart_inference_type_text(npart_inference *inference, uint32_t value, char *out, size_t bytes);
/* Known whole-number elements, -1 for a symbolic one; NULL with *count 0 when they are not known. */
NPART_API const int64_t *npart_inference_elements(npart_inference *inference, uint32_t value, uint32_t *count);

/* Sizes that must be equal for the model to work, where two different symbols met. */
NPART_API uint32_t npart_inference_assumption_count(const npart_inference *inference);
/* Writes "n = m" and a NUL, cut to `bytes`; `*node` (may be NULL) is where they met. False when there is none. */
NPART_API bool npart_inference_assumption(const npart_inference *inference, uint32_t index, char *out, size_t bytes,
                                          uint32_t *node);
NPART_API uint32_t npart_inference_finding_count(const npart_inference *inference);
NPART_API bool npart_inference_finding(const npart_inference *inference, uint32_t index, struct npart_finding *out);

/* Writes every input and node output of the main graph as one JSON object (docs/json.md, "Shapes"). */
NPART_API npart_status npart_inference_write_shapes(npart_inference *inference, npart_write_callback write,
                                                    void *payload, struct npart_error *error);

/* ---- op lists -------------------------------------------------------------------------------------------- */

typedef struct npart_oplist npart_oplist;

/* The lists built into the library, by place; NULL past the last. */
NPART_API const char *npart_builtin_oplist(size_t index);
/* Reads a list: one that is built in, of a target's name or a whole target text ("hexagon:v73+float"); a file; or
 * text, with `name` for messages. Fails with OPLIST (the place is file:line:column), ARGUMENT, READ or MEMORY. */
NPART_API npart_status npart_oplist_find(npart_oplist **out, const char *target,
                                         const struct npart_allocator *allocator, struct npart_error *error);
NPART_API npart_status npart_oplist_read_file(npart_oplist **out, const char *path,
                                              const struct npart_allocator *allocator, struct npart_error *error);
NPART_API npart_status npart_oplist_read_memory(npart_oplist **out, const char *text, size_t bytes, const char *name,
                                                const struct npart_allocator *allocator, struct npart_error *error);
NPART_API void npart_oplist_free(npart_oplist *oplist);

/* What is wrong with an op list or, of a warning, doubtful; both texts live as long as the call. */
struct npart_diagnostic {
    int is_warning;
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
    const char *name, *title, *toolchain, *source, *standing, *partitioner;
    const char *default_variant; /* "" where there are none */
    uint32_t op_count, rule_count, variant_count;
};

NPART_API void npart_oplist_info(const npart_oplist *oplist, struct npart_oplist_info *out);
/* Writes the support table of an op ("Conv", "com.microsoft:Gelu"), or of all when `op` is NULL.
 * Fails with ARGUMENT when the list does not name the op. */
NPART_API npart_status npart_oplist_describe(const npart_oplist *oplist, const char *op, npart_write_callback write,
                                             void *payload, struct npart_error *error);

/* ---- plan ------------------------------------------------------------------------------------------------ */

typedef struct npart_plan npart_plan;

enum npart_level {
    NPART_LEVEL_BASIC, /* as sessions do by default: constants and static shape arithmetic are folded */
    NPART_LEVEL_OFF    /* no rewriting */
};

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
    const struct npart_allocator *allocator;
    const struct npart_assumption *assumptions;
    uint32_t assumption_count;
    const char *const *cuts; /* names of tensors, or of nodes for all their results, behind which the graph is cut */
    uint32_t cut_count;
};
#define NPART_PLAN_OPTIONS_INIT {1, NPART_LEVEL_BASIC, NULL, NULL, NULL, NULL, 0, NULL, 0}

/* Judges every node, partitions, and estimates. `target` is NAME[:VARIANT][+SWITCH|-SWITCH]...[@TOOLCHAIN], where
 * NAME is the list's; NULL: the list's defaults. Fails with ARGUMENT or MEMORY. */
NPART_API npart_status npart_plan_make(npart_plan **out, npart_inference *inference, const npart_oplist *oplist,
                                       const char *target, const struct npart_plan_options *options,
                                       struct npart_error *error);
NPART_API void npart_plan_free(npart_plan *plan);

/* Writes what the target's runtime knows of shapes, in the form of npart_inference_write_shapes. */
NPART_API npart_status npart_plan_write_shapes(npart_plan *plan, npart_write_callback write, void *payload,
                                               struct npart_error *error);

/* Counts over the nodes of all graphs. */
struct npart_summary {
    uint32_t nodes, folded, live;        /* live = accepted + refused + unknown */
    uint32_t fused;                      /* of the folded ones: merged into others */
    uint32_t accepted, refused, unknown; /* refused includes failed */
    uint32_t failed;                     /* claimed by the NPU's side, then the session or compile fails */
    uint32_t partitions, switches;
    uint32_t partitions_low, partitions_high; /* with every unknown accepted or refused, whichever is less and more */
    double coverage;                          /* accepted / live; 1 when nothing is live */
    const char *verdict;                      /* "whole", "split", "none", "fails" or "empty" */
};

NPART_API void npart_plan_summary(const npart_plan *plan, struct npart_summary *out);

enum npart_verdict {
    NPART_VERDICT_CPU,
    NPART_VERDICT_NPU,
    NPART_VERDICT_FAIL,
    NPART_VERDICT_UNKNOWN,
    NPART_VERDICT_FOLDED,
    NPART_VERDICT_FUSED /* merged into another node */
};

struct npart_node_plan {
    enum npart_verdict verdict;
    uint32_t partition; /* NPART_NONE: in none */
    uint32_t cause;     /* NPART_NONE: not refused */
    uint32_t into;      /* of a fused node the one that it is part of; else NPART_NONE */
    uint32_t reason_count;
};

NPART_API bool npart_plan_node(const npart_plan *plan, uint32_t node, struct npart_node_plan *out);

/* One reason for a verdict. */
struct npart_reason {
    const char *gate, *rule, *text, *source;
    bool is_certain; /* false: it may hold, too little is known */
};

/* The `index`-th reason of a node; what was found goes to `found` with a NUL, cut to `bytes`. */
NPART_API bool npart_plan_reason(const npart_plan *plan, uint32_t node, uint32_t index, struct npart_reason *out,
                                 char *found, size_t bytes);

struct npart_partition {
    uint32_t graph;                        /* 0: the main one */
    const uint32_t *nodes;                 /* in execution order */
    const uint32_t *inputs, *outputs;      /* values that cross its border */
    const uint32_t *ends;                  /* refused nodes that end it */
    const uint32_t *cuts;                  /* values at which a cut of the caller's ends it */
    uint32_t node_count, input_count, output_count, end_count, cut_count;
};

NPART_API bool npart_plan_partition(const npart_plan *plan, uint32_t partition, struct npart_partition *out);

struct npart_crossing {
    uint32_t value;
    uint32_t from, to;  /* partitions; NPART_NONE is the CPU */
    bool has_bytes;
    uint64_t bytes;
};

NPART_API uint32_t npart_plan_crossing_count(const npart_plan *plan);
NPART_API bool npart_plan_crossing(const npart_plan *plan, uint32_t index, struct npart_crossing *out);

/* What is behind refused nodes, most harmful first. */
struct npart_cause {
    const char *kind; /* "op", "dtype", "rank", "shape", "dynamic", "constant", "attribute" or "policy" */
    const char *text;
    uint32_t victim_count, cut_count;
    const uint32_t *nodes; /* where it lies; none for a dim of an input */
    uint32_t node_count;
};

NPART_API uint32_t npart_plan_cause_count(const npart_plan *plan);
NPART_API bool npart_plan_cause(const npart_plan *plan, uint32_t cause, struct npart_cause *out);

/* Milliseconds: low, typical, high. */
struct npart_cost_range {
    double low_ms, typical_ms, high_ms;
};

struct npart_cost {
    struct npart_cost_range total, switching, copying, layout;
    uint64_t bytes_to_npu, bytes_to_cpu;
    uint32_t conversions, unknown_sizes;
    bool is_calibrated;
};

NPART_API void npart_plan_cost(const npart_plan *plan, struct npart_cost *out);

/* ---- reports --------------------------------------------------------------------------------------------- */

struct npart_report_options {
    uint32_t version;
    bool use_color;    /* of text */
    bool use_ascii;    /* of text: no characters beyond ASCII */
    uint32_t width;    /* of text, in columns; 0: 100 */
    bool is_verbose;   /* of text: every cause, and the nodes of each */
};
#define NPART_REPORT_OPTIONS_INIT {1, false, false, 0, false}

/* One plan, and what it would be with all sizes fixed, where that was tried. */
struct npart_plan_pair {
    const npart_plan *plan;
    const npart_plan *fixed; /* NULL: nothing was open */
};

/* Writes the plans of one model: as text for people, or as one line of JSON (docs/json.md). Equal input, equal bytes.
 * Fails with WRITE or MEMORY. */
NPART_API npart_status npart_report_text(const struct npart_plan_pair *plans, size_t count,
                                         const struct npart_report_options *options, npart_write_callback write,
                                         void *payload, struct npart_error *error);
/* Writes every rule that speaks of a node, with its outcome and the values that it looked at, for each plan. `node` is
 * a node's name, one of its outputs, or its number in the main graph; all nodes that are called so are explained.
 * Fails with ARGUMENT when there is none. */
NPART_API npart_status npart_report_explain(const struct npart_plan_pair *plans, size_t count, const char *node,
                                            const struct npart_report_options *options, npart_write_callback write,
                                            void *payload, struct npart_error *error);
NPART_API npart_status npart_report_json(const struct npart_plan_pair *plans, size_t count,
                                         const struct npart_report_options *options, npart_write_callback write,
                                         void *payload, struct npart_error *error);

#ifdef __cplusplus
}
#endif

#endif
