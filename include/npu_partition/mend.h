/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of npu_partition.h, which is the one to include: what to change in a model, and changing it.
 */
#ifndef NPU_PARTITION_MEND_H
#define NPU_PARTITION_MEND_H

#include "plan.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- another precision ------------------------------------------------------------------------------------------- */

/* The model as if it had been quantized: QuantizeLinear, DequantizeLinear and the like stand where ONNX Runtime's
 * quantizer would put them, and no weight is read. It is analyzed and planned as any other model, but cannot be
 * written: scales of activations stand for those that calibration would find. `precision`: "w8a8", with options after
 * colons ("w4a16:block=128"; npart_precision_name lists them). ":min-db=20" reads the weights, of which each keeps so
 * many dB (npart_losses_make), or has 8 bits in place of 4, or stays in float. The last of these may be
 * ":keep=NODE", several times: nodes that stay in float, by name, operator, a pattern of these with * and ?, kind
 * (npart_kept_kind), or auto; ":keep16=NODE" are nodes whose activations have 16 bits where others have 8. Where there
 * is nothing to quantize it is the model as it was. `model` stays alive as long as it. Fails with
 * ARGUMENT where there is no such precision or node; with READ, LIMIT and MEMORY. */
NPART_API npart_status npart_model_as(npart_model **out, const npart_model *model, const char *precision,
                                      struct npart_error *error);
/* The model that such a model was made from; the model itself where it was read. */
NPART_API const npart_model *npart_model_origin(const npart_model *model);
/* Names of precisions, in their order; NULL past the last. `about` may be NULL: what each is, in a line. */
NPART_API const char *npart_precision_name(uint32_t index, const char **about);
/* Kinds of nodes that a precision may keep in float ("w8a8:keep=softmax"), in their order; NULL past the last. `about`,
 * why, and `source`, who says so, may be NULL. */
NPART_API const char *npart_kept_kind(uint32_t index, const char **about, const char **source);
/* Which way of quantizing is tried first with a model of this kind, as a sentence, and by `source`, which may be NULL,
 * who says so; NULL: nothing is said. What accuracy is left is measured on the task. */
NPART_API const char *npart_model_quantized_first(const npart_model *model, const char **source);
/* Nodes of such a model that were kept so: each one's name, or that of its first result where it has none. NULL past
 * the last. */
NPART_API const char *npart_model_kept(const npart_model *model, uint32_t index);
/* Nodes of such a model whose activations have 16 bits where others have 8 (":keep16="), likewise. */
NPART_API const char *npart_model_wide(const npart_model *model, uint32_t index);
/* Weights of such a model that have 8 bits where others have 4, as they would lose too much; NULL past the last. */
NPART_API const char *npart_model_widened(const npart_model *model, uint32_t index);
/* OK, or ARGUMENT with what may be asked for. */
NPART_API npart_status npart_precision_check(const char *precision, struct npart_error *error);

/* What a model's weights lose when they are rounded: the one place that reads weights, in pieces, so that memory does
 * not grow with the file. Of constant operands of Conv, MatMul, Gemm, Gather and the like that are floats and no
 * vectors. */
typedef struct npart_losses npart_losses;
/* The model must have been read; external data lies beside its file. Fails with READ where a file is not there or too
 * short (the place: its name), with MALFORMED, LIMIT and MEMORY. */
NPART_API npart_status npart_losses_make(npart_losses **out, const npart_model *model, struct npart_error *error);
NPART_API void npart_losses_free(npart_losses *losses);

struct npart_losses_info {
    size_t size;
    uint32_t weight_count;
    uint64_t bytes; /* of all weights together */
    const struct npart_allocator *allocator; /* where the memory comes from */
};
NPART_API bool npart_losses_info(const npart_losses *losses, struct npart_losses_info *out);

/* A weight, and its ratio of signal to what is lost, 10 log10(sum w^2 / sum (w - q)^2), by rounding. Integers are
 * symmetric: the scale is the largest magnitude of a group over 127 or 7, q = scale * clamp(round half to even(w /
 * scale)). A channel is what one result is made of; blocks run along the contracted axis. */
struct npart_weight_loss {
    size_t size;
    const char *name, *node, *op; /* of the tensor; of the first node that has it as its weight */
    uint32_t rank;
    const int64_t *dims;
    uint64_t elements, bytes, zeros;
    uint64_t beyond_float16; /* elements that become infinite as FLOAT16 */
    double two_of_four; /* the share of groups of four with two zeros or more; negative: not known */
    double abs_max;
    const double *decibels; /* by rounding (npart_rounding_name) */
    const bool *is_known;   /* false: nothing is lost, or it is not known */
};
NPART_API bool npart_losses_weight(const npart_losses *losses, uint32_t index, struct npart_weight_loss *out);
/* "int8-tensor", "int8-channel", "int4-channel", "int4-block32", ...; NULL past the last. */
NPART_API const char *npart_rounding_name(uint32_t index);

/* ---- advice ---------------------------------------------------------------------------------------------- */

typedef struct npart_advice npart_advice;
typedef struct npart_fix npart_fix;
/* Finds what to change so that the NPU takes more of a plan, by planning again. `fixed` is the plan with all sizes
 * fixed, or NULL. `fixes` are what npart_fix_propose found, or npart_fix_make, for this target with these sizes, the
 * one of the stronger class first: steps that rewrite the model are theirs. Without any no step does, and where
 * something is left an action of kind `none` says that no rewrite was looked for, and how to get that. Keeps nothing of
 * the fixes. Plans and advice of one inference are made one after the other. Fails with ARGUMENT or MEMORY. */
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
     * apart; `end`, `begin`: end or begin the model at some tensors, the host runs the rest; `option`: of the session
     * or provider; `none`: no step is known, or none was looked for */
    const char *kind;
    const char *text; /* what to do; begins with a verb, and names the thing */
    const char *command; /* options of the tool that show what it brings, or NULL */
    const char *rewrites; /* names of the rewrites that do it */
    bool is_fixable; /* whether the tool can do it */
    const char *equality; /* of the model's results: as `steps[].equality` of a fix, `other`, or "" */
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
    uint32_t slots; /* of the cache of a fixed size that `mend` gives; 0: none */
    double tokens_per_s; /* with that cache; negative: not known */
};

/* Whether the NPU is worth it, by what a run costs on either side and after each action. False for NULL or an unknown
 * size. */
NPART_API bool npart_advice_recommendation(const npart_advice *advice, struct npart_recommendation *out);

/* ---- fix ------------------------------------------------------------------------------------------------- */

/* A search for rewrites by which more of a model runs on the NPU, and what it found. */

/* How equal a model is afterwards, from the strongest. */
enum npart_equality {
    NPART_EQUAL_BITS, /* the same bits on all inputs */
    NPART_EQUAL_BITS_IF, /* the same bits under a condition on values that the file cannot prove */
    NPART_EQUAL_ULP, /* the same formula; the last digits differ, as sums run in another order */
    NPART_EQUAL_STEP, /* within one quantization step an operator */
    NPART_EQUAL_APPROX /* an approximation */
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
    /* From version 5 on: caches of layers with a window have the slots alone that it shows. Fails with ARGUMENT where
     * there is none. */
    bool cuts_windows;
    /* From version 6 on: tensors at which the model begins and ends, or nodes for all their results, by name. What is
     * written is the model between, and what is planned; what is before and after it is a model, too
     * (npart_fix_write_sides). Fails with ARGUMENT and the name as the place where that cannot be. */
    const char *const *begin_at, *const *end_at;
    uint32_t begin_count, end_count;
};
#define NPART_FIX_OPTIONS_INIT {.version = 6, .most_growth = 0.25}

/* Reads the model of a file, which must not change until it has been written, and searches. Only nodes that some target
 * does not take are rewritten, and no target gets worse. A model of which nothing can be mended is no failure: there
 * are no steps then. Fails as reading, inferring and planning do, and with ARGUMENT for an unknown rewrite or input. */
NPART_API npart_status npart_fix_make(npart_fix **out, const char *path, const npart_oplist *const *oplists,
                                      const char *const *targets, uint32_t target_count,
                                      const struct npart_fix_options *options, struct npart_error *error);
/* Whether something was found, or nothing is left to be mended. */
NPART_API bool npart_fix_is_done(const npart_fix *fix);
struct npart_fix_hint {
    size_t size;
    char words[1024]; /* what is to be asked for besides: "--allow bits-if,ulp" */
    char text[160]; /* what it brings the first target that gains: "rknn: 1 partition, 0 of 9 nodes on the CPU" */
};
/* Where a search found nothing: what the same one finds with sizes for what is dynamic, where none were given, or else
 * with the first class of rewrites more that mends something. `*out` NULL: nothing is found so. `path` to `options` are
 * those of the search. Fails with ARGUMENT. */
NPART_API npart_status npart_fix_find_hint(npart_fix **out, struct npart_fix_hint *hint, const npart_fix *found,
                                           const char *path, const npart_oplist *const *oplists,
                                           const char *const *targets, uint32_t target_count,
                                           const struct npart_fix_options *options, bool with_sizes,
                                           struct npart_error *error);
/* What npart_advice_make looks at: what is found for one target with the sizes of `options` and those that `fixed`
 * (or NULL) has for the rest; where a class that is not allowed would bring more, what is found with that. Of a model
 * that the target refuses since it is not quantized: what is found for the target with the switch by which it counts
 * as quantized, with all classes but other functions. Last, where it leaves less to be mended, what is found for the
 * model ended, or begun, at some tensors. `path` is the model's file; NULL: that which it was read from. What is found
 * for a model that is in no file cannot be written. Nothing is found of a plan that is whole, of a file that cannot be
 * read again, and of a model in none that has more than 64 MiB without its weights. The budget of `plan` holds for it,
 * and none of `options`. `out` has room for
 * NPART_MOST_PROPOSALS, each the caller's to free, also where this fails. `target` as the plan was asked for. Fails
 * with ARGUMENT, MEMORY, LIMIT or TIMEOUT. */
#define NPART_MOST_PROPOSALS 3
NPART_API npart_status npart_fix_propose(npart_fix **out, uint32_t *count, const char *path, const npart_plan *plan,
                                         const npart_plan *fixed, const char *target,
                                         const struct npart_fix_options *options, struct npart_error *error);
/* npart_advice_make with what npart_fix_propose finds. */
NPART_API npart_status npart_advice_find(npart_advice **out, const npart_plan *plan, const npart_plan *fixed,
                                         const char *target, const struct npart_fix_options *options,
                                         struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_fix_free(npart_fix *fix);

struct npart_fix_info {
    size_t size;
    const char *path; /* the path of what was read */
    uint32_t target_count, step_count, taken_back_count;
    uint32_t plan_count; /* that the search made, over all targets */
    const struct npart_summary *before, *after; /* by target */
    const double *before_ms, *after_ms; /* by target, typical; negative: not known */
    const char *harm; /* on which target the result would be worse, and how: it is not written. NULL: on none */
    const char *const *absent; /* external data that is not there, by its location from where the model is written */
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
    /* the rewrite ([inside/rewrites.md](inside/rewrites.md)); `bind`: sizes and values that were given */
    const char *rewrite;
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
    NPART_SLOTS_ANY, /* anywhere in the past, in any order */
    NPART_SLOTS_LEFT /* at the left end, the latest last; new ones follow, as the past has all slots */
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
    NPART_PORT_OTHER, /* as in the original model */
    NPART_PORT_STATE /* of a fixed size: an output is what the next run is given for the input that it belongs to */
};
NPART_API const char *npart_port_role_text(enum npart_port_role value); /* in JSON, or NULL */

/* Which part of a model that was ended, or begun, at some tensors. */
enum npart_part_side {
    NPART_PART_HEAD, /* what is before the model */
    NPART_PART_MODEL, /* the model between */
    NPART_PART_REST, /* what is after it */
    NPART_PART_CALLER /* the caller, who has the inputs of the whole */
};
NPART_API const char *npart_part_side_text(enum npart_part_side value); /* in JSON, or NULL */

/* What is before and after a model that was ended, or begun, at some tensors. */
struct npart_ends_info {
    size_t size;
    uint32_t head_nodes; /* that run before the model */
    uint32_t rest_nodes; /* that run after it */
    const char *head_ops, *rest_ops; /* their operators, those of most nodes first; NULL: there are none */
    double host_ms; /* typical, of both on the CPU of the first target; negative: not known */
    uint32_t tensor_count;
};
/* False where that was not asked for, for NULL or an unknown size. */
NPART_API bool npart_fix_ends(const npart_fix *fix, struct npart_ends_info *out);

/* A tensor that a part is given. */
struct npart_passing {
    size_t size;
    const char *name; /* as the file says */
    enum npart_part_side from; /* who makes it */
    enum npart_part_side to; /* who is given it */
    const char *type; /* its element type: `float32`, `int64`, ...; NULL: not known, or it is no tensor */
    uint32_t rank;
    /* numbers; negative, in JSON null, for one that is not known; not known as a whole where the rank is not known */
    const int64_t *dims;
    bool has_bytes;
    uint64_t bytes; /* its size */
};
/* To the model first, then to what is after it. */
NPART_API bool npart_fix_passing(const npart_fix *fix, uint32_t index, struct npart_passing *out);

/* How the host keeps the cache of a model that --cache has given a fixed size; see docs/decoder-cache.md. */
struct npart_cache_info {
    size_t size;
    uint32_t slots; /* that attention looks at, new tokens included: no more may ever be used */
    uint32_t tokens; /* new tokens in a run; where `counts_all` is not fewer may count, the first ones */
    uint32_t past; /* slots that a run is given: `slots` - `tokens` */
    enum npart_slot_order order; /* where slots that are used may be */
    enum npart_present present; /* what the outputs of a cache are */
    double mask_value; /* of a float mask, where a slot is empty */
    uint32_t port_count;
    /* all tokens of a run count: it must not be filled up, as the first ones may depend on later ones */
    bool counts_all;
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
    const char *past; /* of an output: the `past` or `state` that it belongs to; NULL: of none */
    /* of `positions`: the first element is the number of slots in use + this, and each is 1 more than the one before */
    int64_t offset;
};
/* In the order of the file, added inputs after its own, outputs last. */
NPART_API bool npart_fix_cache_port(const npart_fix *fix, uint32_t index, struct npart_cache_port *out);

/* What a run of a model with a fixed cache takes on a target. */
struct npart_decode_info {
    size_t size;
    const char *target; /* the target */
    uint32_t slots; /* of the cache */
    uint32_t tokens; /* new tokens in a run */
    uint32_t partitions; /* on the NPU */
    uint32_t left; /* live nodes that are not on the NPU */
    struct npart_cost_range run_ms; /* estimated time of a run; null in JSON where it is not known */
    double tokens_per_s; /* of the typical time; negative: not known */
    uint32_t prompt_tokens; /* of a prompt */
    uint32_t prompt_run; /* new tokens in a run of the file that reads it: of a set's the soonest */
    /* time to the first token, typical: runs that read the prompt, the last filled up; negative: not known, or it may
     * not be */
    double prompt_ms;
    uint64_t bytes_in; /* what a run is given, the slots before included */
    uint64_t bytes_out; /* what it gives back */
    uint64_t cache_bytes; /* of all slots, as the host keeps them */
    uint64_t weight_bytes; /* all constant tensors of the model */
    struct npart_bytes peak_bytes; /* the peak of activations in the partition that takes most */
};
/* Of a target what a run of a model with a fixed cache takes; a prompt of so many tokens, or 0: what the
 * options of plans say. False where no cache was asked for, out of range, for NULL or an unknown size. */
NPART_API bool npart_fix_decode(const npart_fix *fix, uint32_t target, uint32_t prompt_tokens,
                                struct npart_decode_info *out);

/* A size of a cache that was tried. */
struct npart_cache_try {
    uint32_t slots; /* of the cache */
    uint32_t tokens; /* new tokens in a run */
    const char *why; /* why it cannot be had; NULL: it can */
    const npart_fix *fix; /* NULL where it cannot be had */
};

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
/* Where the parts go of a model that was asked to begin or end at some tensors. */
struct npart_side_paths {
    size_t size;
    const char *model;
    const char *head, *rest; /* what is before and after it; NULL: not written */
    const char *manifest;    /* JSON as that of npart_plan_split (docs/split.md); NULL: not written */
};
/* Writes these files, all whole before the first is put in place. Run one after the other they give what the whole
 * model gives. Fails as npart_fix_write does, and with ARGUMENT where there is no such part or a path is given
 * twice. */
NPART_API npart_status npart_fix_write_sides(const npart_fix *fix, const struct npart_side_paths *paths,
                                             enum npart_weights weights, struct npart_error *error);
/* Several that differ in `cache_tokens`, which share their weights: tokens-N.onnx and manifest.json in a folder. */
NPART_API npart_status npart_fix_write_set(const npart_fix *const *fixes, uint32_t count, const char *folder,
                                           enum npart_weights weights, struct npart_error *error);

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

#ifdef __cplusplus
}
#endif

#endif
