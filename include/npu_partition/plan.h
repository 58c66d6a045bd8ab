/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of npu_partition.h, which is the one to include: op lists, and plans by them.
 */
#ifndef NPU_PARTITION_PLAN_H
#define NPU_PARTITION_PLAN_H

#include "model.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    const char *standing; /* how far it is verified: "compiler", "source", "reported" by users, or "documents" */
};
/* A rule by its id. */
NPART_API bool npart_oplist_rule(const npart_oplist *oplist, uint32_t rule, struct npart_rule *out);
/* Writes the support table of an op ("Conv", "com.microsoft:Gelu"), or of all when `op` is NULL.
 * Fails with ARGUMENT when the list does not name the op. */
NPART_API npart_status npart_oplist_describe(const npart_oplist *oplist, const char *op, npart_write_callback write,
                                             void *payload, struct npart_error *error);
/* The same of what counts for a target of the list (as in npart_plan_make): its release, its switches. Of the list's
 * name alone, or NULL, it is the whole list. Fails with ARGUMENT for a release that the list does not know, too. */
NPART_API npart_status npart_target_describe(const npart_oplist *oplist, const char *target, const char *op,
                                             npart_write_callback write, void *payload, struct npart_error *error);

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
    /* Since version 2: what there is for weights and activations of the session, of NPU and CPU; 0: not asked. */
    uint64_t ram_bytes;
    /* Of the prompt of `first_token_ms`; 0: 1,024, or half of the slots where these are fewer. */
    uint32_t prompt_tokens;
    const char *device_class; /* for `ram_bytes`: what a program gets there (npart_device_class); NULL: not asked */
};
#define NPART_PLAN_OPTIONS_INIT {.version = 2, .level = NPART_LEVEL_BASIC}

/* What a program gets of a class of devices: up to the first number on any of them, above the second on none. */
struct npart_device_class {
    size_t size;
    const char *name; /* "phone" */
    uint64_t ram_bytes[2];
    uint64_t flash_bytes[2]; /* where weights are; 0: in the RAM, too */
    const char *source;
};
NPART_API bool npart_device_class(uint32_t index, struct npart_device_class *out);

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
    /* the precision that the model was looked at in, as if it had been quantized so: `w8a8`; NULL: its own */
    const char *as;
    const char *variant; /* as it was asked for, or the default; empty where the list has none */
    /* the release that was asked for, or the newest that the list describes; empty where it names none */
    const char *toolchain;
    const char *partitioner; /* the policy that formed partitions */
    enum npart_level level;
    const char *label; /* the target, and the precision that the model was looked at in: "hexagon:v73 as w8a8" */
    uint32_t switch_count;
    const char *const *switches; /* those that are on, the variant's own included */
    uint64_t most_partitions; /* that the runtime keeps; 0: as many as there are */
    uint32_t cause_count, crossing_count, live_count;
    const struct npart_allocator *allocator; /* where the plan's memory comes from; malloc and free are one, too */
    const char *unit; /* what computes the nodes that are taken: "NPU", "XNNPACK" */
    const char *on_unit; /* where that is, in a sentence: "on the NPU", "in XNNPACK" */
    const char *beside; /* what computes the others: "CPU", "ONNX Runtime's own kernels" */
    const char *verified; /* how far the list's rules for this toolchain are verified; "" where it says nothing */
};
/* What the plan is as a whole. False for NULL or an unknown size. */
NPART_API NPART_CHECKED bool npart_plan_info(const npart_plan *plan, struct npart_plan_info *out);
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
/* Why an override of an op (npart_assumption) changes nothing, as a sentence: neither the model has it, nor what a plan
 * makes of it; "" where one does. */
NPART_API size_t npart_assumption_note(const char *op, const npart_model *model, const npart_plan *const *plans,
                                       size_t count, char *out, size_t bytes);
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
/* The answer in numbers. False for NULL, or where `out->size` was not set. */
NPART_API NPART_CHECKED bool npart_plan_summary(const npart_plan *plan, struct npart_summary *out);
/* The answer in one call: reads the file, infers with the sizes that it has, and plans for a target ("hexagon:v73").
 * Fails as npart_model_read_file, npart_inference_make, npart_oplist_find and npart_plan_make do, and with ARGUMENT
 * where `out->size` was not set. */
NPART_API npart_status npart_analyze_file(const char *path, const char *target, struct npart_summary *out,
                                          struct npart_error *error);
/* A summary as a line: "split: 8 partitions, 96 of 454 nodes on the NPU". Returns the length of the whole. */
NPART_API size_t npart_summary_text(const struct npart_summary *summary, char *out, size_t bytes);
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
    double ms;             /* its typical time where it runs; negative: not known, or not live */
    const char *slow;      /* of a node on the CPU why that takes long: "... has no fast CPU kernel"; else NULL */
    double cpu_ms;         /* its typical time where all runs on the CPU; negative: not known, or not live */
    const char *cpu_kernel; /* by what it is computed then: "Gelu" of the first of a Gelu's nodes, which has their time,
                             * and "" of the others; NULL: by itself */
    /* of a live node that only moves or converts elements: "transpose", "channels" (one that brings channels first or
     * last), "view" (Reshape and its like), "cast", "quantize", "dequantize"; else NULL */
    const char *moves;
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
    uint32_t stands_for;      /* the value that it is at run time, once nodes that hand on, repeat another or go into a
                               * neighbour are gone; itself, mostly */
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
    const char *because, *standing;
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
    double npu_ms; /* the typical time of its nodes on the NPU, without switches, or negative */
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
    double cpu_ms; /* the typical time of its affected nodes on the CPU, or negative */
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

/* What the rates of a run stand on. */
enum npart_basis {
    /* single figures and assumptions, or networks that held out were off by more than 25 % in the median */
    NPART_BASIS_DOCUMENTS,
    NPART_BASIS_FAMILY, /* networks on a sister of the chip, which held out were off by less */
    NPART_BASIS_MEASURED /* the same on this chip */
};
NPART_API const char *npart_basis_text(enum npart_basis value); /* in JSON, or NULL */

/* What a run takes, once the model is loaded; the typical value is the sum of the parts'. */
struct npart_cost {
    size_t size;
    struct npart_cost_range total; /* of a run */
    bool is_calibrated; /* whether `basis` is another than `documents` */
    /* what the rates stand on, by the precision of most of the NPU's time; `documents` too where most of it is
     * assumed */
    enum npart_basis basis;
    bool is_cpu_measured; /* whether a run on the CPU alone rests on measurements of your own (`--cost`) */
    const char *runtime; /* what starts partitions: `bare`, `onnxruntime`, `tflite` or `coreml` */
    struct npart_cost_range switching; /* starting partitions; formulas: `docs/inside/architecture.md`, "Cost" */
    struct npart_cost_range copying; /* boundary tensors */
    struct npart_cost_range layout; /* changes of layout */
    struct npart_cost_range quantizing; /* QuantizeLinear, DequantizeLinear and Cast that stand alone, on either side */
    struct npart_cost_range cpu; /* nodes on the CPU */
    struct npart_cost_range npu_compute; /* nodes on the NPU limited by computing */
    /* or by memory. The typical values of all parts add up to `typical_ms`; their bounds need not */
    struct npart_cost_range npu_bandwidth;
    struct npart_cost_range cpu_alone; /* all nodes on the CPU, whether the NPU takes them or not */
    struct npart_cost_range npu_whole; /* all on the NPU in one partition, whether it takes them or not */
    struct npart_cost_range gpu; /* a language model on the device's GPU, with the engine of `gpu_by` */
    const char *gpu_by; /* who published it, or NULL */
    struct npart_cost_range toolkit; /* with the vendor's toolkit for language models, which reads no ONNX */
    const char *toolkit_by;
    struct npart_cost_range cold; /* what the first run takes besides; compiling is not counted */
    double fill; /* the share of the matrix unit's tiles that products on the NPU fill; 0 where there are none */
    /* a partition with fewer multiply-accumulates takes longer than its nodes on the CPU, or 0 */
    uint64_t break_even_macs;
    /* new tokens a second, typical, of a decoder with a cache of known size: of a prompt where `memory.run_tokens` is
     * not 1 */
    double tokens_per_s;
    /* typical, of runs of `memory.run_tokens` that read a prompt; negative also where a run takes one token: another
     * file reads prompts */
    double first_token_ms;
    uint64_t prompt_tokens; /* of that prompt: `--prompt`, else 1,024, or half of the slots where these are fewer */
    /* of all boundary tensors with a known size; one from partition to partition counts both ways */
    uint64_t bytes_to_npu, bytes_to_cpu;
    uint64_t conversion_bytes; /* of tensors that change their layout */
    uint32_t unknown_sizes; /* boundary tensors whose size is not known */
    uint32_t unknown_nodes; /* nodes of which it is not known what they take */
    uint32_t conversions; /* tensors whose layout is changed */
    struct npart_cost_range compile; /* compiling all partitions, likewise, in no other time */
    double bound_tokens_per_s; /* tokens_per_s with buffers bound between runs; negative: not known */
    double held_out_error; /* how far off families of networks left out of the rates were, or negative */
};
/* What a run costs. False for NULL or an unknown size. */
NPART_API NPART_CHECKED bool npart_plan_cost(const npart_plan *plan, struct npart_cost *out);

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
    NPART_LIMITED_PARTITIONS, /* how many a process holds */
    NPART_LIMITED_RAM, /* weights and activations of the session, of NPU and CPU, where it was said how much there is */
    NPART_LIMITED_FLASH /* weights, where a class of devices has them there */
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

/* How many heads of queries share keys and values. */
enum npart_attention {
    NPART_ATTENTION_UNKNOWN, /* not known, or layers differ */
    NPART_ATTENTION_MULTI_HEAD, /* none */
    NPART_ATTENTION_GROUPED_QUERY, /* some */
    NPART_ATTENTION_MULTI_QUERY /* all */
};
NPART_API const char *npart_attention_text(enum npart_attention value); /* in JSON, or NULL */

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
    uint64_t cache_slots; /* tokens that a run reads of it, its own included; 0 where a size is not known */
    uint32_t run_tokens; /* tokens that a run adds to it; 0 where a size is not known */
    /* how heads of queries share keys and values; not known: not known, or layers differ */
    enum npart_attention attention;
    uint64_t query_heads; /* heads of queries, or 0 */
    uint64_t key_heads; /* heads of keys, or 0 */
    uint64_t window_slots; /* what layers with a window look at; 0: none is known */
    uint32_t window_tensors; /* their tensors of the cache */
    uint32_t cross_tensors; /* inputs that hold cross-attention's cache */
    struct npart_bytes cross; /* of all of them */
    /* the typical size of the memory on the chip that the NPU works in (`sram_mb` of the op list), or 0 */
    uint64_t onchip_bytes;
    bool is_onchip_assumed; /* whether that is an assumption */
    const struct npart_memory_limit *limits;
    uint32_t limit_count;
    const struct npart_layer *layers;
    uint32_t layer_count;
};
/* False for NULL or an unknown size. What pointers point to goes with the plan. */
NPART_API NPART_CHECKED bool npart_plan_memory(const npart_plan *plan, struct npart_memory *out);

/* Activations that are there while a node runs; the largest of all nodes are the peaks of npart_memory. */
struct npart_held {
    size_t size;
    struct npart_bytes cpu; /* while a partition runs the same for all its nodes */
    struct npart_bytes npu; /* in the node's partition; 0 for a node on the CPU */
};
/* Of a live node; false for another. */
NPART_API bool npart_plan_held(const npart_plan *plan, uint32_t node, struct npart_held *out);

#ifdef __cplusplus
}
#endif

#endif
