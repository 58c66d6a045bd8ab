/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of npu_partition.h, which is the one to include: several models on devices, and two plans beside each other.
 */
#ifndef NPU_PARTITION_COMPARE_H
#define NPU_PARTITION_COMPARE_H

#include "mend.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    uint64_t tokens; /* that are generated in one run of the set; 0: 128 */
    /* From version 2 on: of the searches that each model's report looks at; its sizes and plan options are not asked.
     * NULL: the defaults. */
    const struct npart_fix_options *fix;
};
#define NPART_PLACEMENT_OPTIONS_INIT {.version = 2}

/* Finds on which device each model of a set runs best: by the costs of its plan, how often it runs, and what is
 * transferred between the models. Dynamic sizes that are left are chosen as npart_inference_make_use does; a cache that
 * grows has a fixed size on the NPU, as npart_fix_propose finds it. Keeps nothing of what it is given but the models'
 * own memory. Fails with ARGUMENT (no such part, tensor or target), LIMIT or MEMORY. */
NPART_API npart_status npart_placement_make(npart_placement **out, const npart_inference *const *models, uint32_t count,
                                            const npart_oplist *oplist, const char *target,
                                            const struct npart_placement_options *options, struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_placement_free(npart_placement *placement);

/* Who says how often a part runs. */
enum npart_runs_from {
    NPART_RUNS_USER, /* the caller */
    NPART_RUNS_TOKENS, /* its outputs are its own next inputs, or it reads all tokens again for each new one */
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
    /* the command that writes what is placed on the NPU, word by word: of a cache that grows one of fixed size;
     * `verdict`, `partitions`, `coverage` and `costs.npu` are of that. NULL: it is the model as it is */
    const char *const *run;
    uint32_t run_count;
    uint64_t cache_slots; /* of this cache; 0 where there is none */
    uint64_t cache_tokens; /* new tokens in a run of it; 0 where there is none */
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
    uint64_t tokens; /* tokens that are generated in one run of the set (`--tokens`) */
    bool is_exact; /* all assignments were compared; false: single changes to the set, as there are too many parts */
    bool is_calibrated; /* that of all parts */
    uint32_t part_count, link_count, note_count;
    const struct npart_part *const *parts; /* the models, or each use of one that serves both uses of a decoder */
    const struct npart_link *const *links; /* boundary tensors between the parts */
    const char *const *notes; /* what is not known, as sentences */
    bool has_total, has_cpu, has_npu;
    struct npart_cost_range total; /* of one run of the set as it is placed */
    struct npart_cost_range cpu; /* wholly on the CPU */
    struct npart_cost_range npu; /* each part on the NPU that can be */
    struct npart_cost_range transfers; /* of `total` what passes between devices */
    uint64_t weight_bytes[NPART_DEVICES];
    const char *recommendation; /* a sentence */
    const struct npart_allocator *allocator; /* see npart_plan_info */
    double first_token_ms; /* to the first token, typical, or negative */
    double tokens_per_s; /* then, or negative */
    struct npart_bytes resident; /* what all sessions hold together, weights and arenas */
    struct npart_bytes largest; /* what the part that takes most holds: enough where each is loaded when it runs */
    double load_ms; /* loading the parts on the NPU, once; negative: not known */
    uint64_t ram_bytes[2]; /* what --ram gives: surely, and at most; 0: not asked */
    enum npart_fit fits; /* whether `resident` fits it; unknown also where it is not asked */
};
/* All of a placement; parts and links begin with their size, too. False for NULL or an unknown size. */
NPART_API bool npart_placement_info(const npart_placement *placement, struct npart_placement_info *out);
/* What the report of a part's model alone stands on: as it was given, whatever else is in the set. The placement keeps
 * them. False for NULL or out of range. */
struct npart_plan_pair;
NPART_API bool npart_placement_plans(const npart_placement *placement, uint32_t part, struct npart_plan_pair *out);

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

/* What the typical time of a run goes into, as in npart_cost; all 0: not known. */
struct npart_side_parts {
    double cpu_ms, npu_ms; /* nodes there */
    double launch_ms, copy_ms, layout_ms, quantize_ms;
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
    /* from version 2 on */
    struct npart_side_parts parts;
    const char *unit; /* as in npart_plan_info; NULL: "NPU" */
    /* from version 3 on */
    const struct npart_allocator *allocator; /* of a record, in which a comparison takes memory and time; or NULL */
};
#define NPART_SIDE_INIT {.version = 3}

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
    const struct npart_allocator *allocator; /* NULL: that of `after`, or of `before`, or malloc and free; copied */
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

#ifdef __cplusplus
}
#endif

#endif
