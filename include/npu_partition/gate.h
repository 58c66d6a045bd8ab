/* SPDX-License-Identifier: Apache-2.0
 *
 * A part of npu_partition.h, which is the one to include: what a merge is held to.
 */
#ifndef NPU_PARTITION_GATE_H
#define NPU_PARTITION_GATE_H

#include "many.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- thresholds ------------------------------------------------------------------------------------------ */

/* What a plan fails for (`--fail-on`). */
enum npart_condition {
    NPART_FAILS_ON_NONE,    /* nothing runs on the NPU */
    NPART_FAILS_ON_SPLIT,   /* two partitions or more, or nodes on the CPU within the graph */
    NPART_FAILS_ON_FAIL,    /* a node fails to compile */
    NPART_FAILS_ON_UNKNOWN, /* a node is undecided */
    NPART_FAILS_ON_DYNAMIC, /* a node is not on the NPU because of a dynamic shape */
    NPART_FAILS_ON_INVALID, /* ONNX Runtime does not load the model */
    NPART_FAILS_ON_MEMORY,  /* the model does not fit into the target's memory */
    NPART_FAILS_ON_SLOWER,  /* a run takes longer than on the CPU alone */
    NPART_CONDITIONS
};
/* Its word, or NULL. */
NPART_API const char *npart_condition_text(enum npart_condition value);

/* Figures of a plan's estimate that may not pass a number. */
enum npart_bound { NPART_BOUND_MAX_MS, NPART_BOUND_MIN_TOKENS_PER_S, NPART_BOUND_MAX_FIRST_TOKEN_MS, NPART_BOUNDS };
struct npart_bound_info {
    size_t size;
    const char *threshold; /* "max-ms" */
    const char *unit; /* " ms"; "" */
    const char *unknown; /* as a sentence, what is not known where the figure is not */
    const char *lift; /* ... and what to do instead of accepting that */
    bool is_least; /* the figure may not be below the number, else not above it */
};
NPART_API bool npart_bound_info(enum npart_bound bound, struct npart_bound_info *out);
/* Of a plan; negative: not known. `text` says it: "a run takes 4.2 ms (3 to 6)". */
NPART_API double npart_plan_figure(const npart_plan *plan, enum npart_bound bound, char *text, size_t bytes);

struct npart_thresholds {
    uint32_t version;
    int64_t max_partitions; /* negative, here and below: no threshold */
    double min_coverage, min_mac_coverage; /* shares, of nodes and of MACs */
    double bounds[NPART_BOUNDS];
    bool allows_none; /* with max_partitions: a plan without a partition is fine, too */
    bool fails_on[NPART_CONDITIONS];
};
#define NPART_THRESHOLDS_INIT                                                                                          \
    {.version = 1, .max_partitions = -1, .min_coverage = -1, .min_mac_coverage = -1, .bounds = {-1, -1, -1}}
/* Whether any of them is about plans, not about the model alone. */
NPART_API bool npart_thresholds_ask_plans(const struct npart_thresholds *thresholds);
/* A share up to 1 such as "0.95", or percent such as "95%". False: it is none. */
NPART_API bool npart_share_of(const char *text, double *out, bool *is_percent);

/* What one threshold says of a plan. */
struct npart_gate_outcome {
    const char *threshold; /* as its option is called: "max-partitions", "fail-on split" */
    bool is_met;
    char text[640]; /* "13 partitions, threshold: at most 1" */
};
#define NPART_MOST_OUTCOMES 16
/* One for each threshold that is about plans, met or not: writes the first `capacity`, and returns how many there are;
 * 0 also for a NULL, or a version that is not known. */
NPART_API uint32_t npart_plan_outcomes(const npart_plan *plan, const struct npart_thresholds *thresholds,
                                       struct npart_gate_outcome *out, uint32_t capacity);
/* The same of the model: whatever the target, ONNX Runtime does not load it. */
NPART_API uint32_t npart_inference_outcomes(const npart_inference *inference,
                                            const struct npart_thresholds *thresholds, struct npart_gate_outcome *out,
                                            uint32_t capacity);

/* What to do, with the options that show what it brings, or with the lines of a project file: "Fix `batch`
 * (npu-partition.toml: [dims], batch = 1)". */
NPART_API size_t npart_action_text(const struct npart_action *action, bool has_project, char *out, size_t bytes);

/* ---- rules that are waived ------------------------------------------------------------------------------- */

/* The nodes that fall back for waived rules and no other. A node is told by its name, else by its op; where others have
 * the name or op and fall back for a rule that is not waived, it stays on the CPU. */
typedef struct npart_lift npart_lift;
/* `is_waived` is by rule of the plan's op list, as many as npart_oplist_info.all_rule_count. Keeps nothing of what it
 * is given. Fails with ARGUMENT or MEMORY. */
NPART_API npart_status npart_lift_make(npart_lift **out, const npart_plan *plan, const bool *is_waived,
                                       struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_lift_free(npart_lift *lift);
/* Those nodes as placement overrides, with which the model is planned again; they live as long as the handle. */
NPART_API const struct npart_assumption *npart_lift_overrides(const npart_lift *lift, uint32_t *count);
/* Whether a node that is put on the NPU falls back for a rule; `rule` must be one of the list. */
NPART_API bool npart_lift_has_rule(const npart_lift *lift, uint32_t rule);

/* ---- plans that were saved ------------------------------------------------------------------------------- */

/* Sides of comparisons (npart_diff_make) from reports and baselines. */
typedef struct npart_sides npart_sides;

#define NPART_MOST_REPORT_BYTES 2147483648 /* of memory that the reports of one file take */
#define NPART_BASELINE_CACHE ".cache" /* after the name of a baseline: its cache */
#define NPART_BASELINE_HEAD "# npu-partition baseline " /* the first line of one, before the version of its words */
#define NPART_BASELINE_VERSION 3

struct npart_sides_options {
    uint32_t version;
    const struct npart_allocator *allocator; /* NULL: malloc and free */
    /* Of a baseline in words its cache, which names nodes; NULL: it cannot be read, and `cache_problem` says why, as in
     * "is missing". */
    npart_read_callback read_cache;
    void *cache_payload;
    const char *cache_problem;
};
#define NPART_SIDES_OPTIONS_INIT {.version = 1}

/* Reads what --format json prints, lines of it, a baseline in words, or its cache, whichever it is. `options` may be
 * NULL. Fails with ARGUMENT, READ, MALFORMED, LIMIT or MEMORY. */
NPART_API npart_status npart_sides_read(npart_sides **out, npart_read_callback read, void *payload,
                                        const struct npart_sides_options *options, struct npart_error *error);
/* The side that one line of a baseline in words says. Fails with ARGUMENT, MALFORMED or MEMORY. */
NPART_API npart_status npart_sides_of_line(npart_sides **out, const char *line,
                                           const struct npart_allocator *allocator, struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_sides_free(npart_sides *sides);
/* All of them, in the order of the file. NULL where there are none. */
NPART_API const struct npart_side *npart_sides_all(const npart_sides *sides, uint32_t *count);
/* What is to be told of a baseline's cache, after the name of the baseline; "". */
NPART_API const char *npart_sides_note(const npart_sides *sides);
/* The side of a model and target as they are told there; NULL: there is none. Of several toolchains of the target the
 * one that is asked for counts; another one where the model has the target with that alone, as after an update of the
 * toolchain. A NULL model is any. *are_several, unless that is NULL: there are some, and none of the toolchain. */
NPART_API const struct npart_side *npart_sides_find(const npart_sides *sides, const char *model, const char *target,
                                                    const char *toolchain, bool *are_several);
/* The same by a text of the user's, who may leave out what follows the name or the variant, where one side alone
 * suits: "hexagon" is "hexagon:v73+float". "intel-npu@2026.4.1" is one of two toolchains. *are_several: more than one
 * suits. */
NPART_API const struct npart_side *npart_sides_find_meant(const npart_sides *sides, const char *model,
                                                          const char *text, bool *are_several);
/* The line of a baseline in words that a side was read from; NULL: it was not, or is none of these. */
NPART_API const char *npart_sides_line(const npart_sides *sides, const struct npart_side *side);
/* Whether the document of a side is a whole report rather than a baseline, and where it stands in its file; false where
 * it cannot be told, or is none of these. */
NPART_API bool npart_sides_is_report(const npart_sides *sides, const struct npart_side *side);
NPART_API bool npart_sides_place(const npart_sides *sides, const struct npart_side *side, uint64_t *begin,
                                 uint64_t *end);

/* ---- baselines ------------------------------------------------------------------------------------------- */

/* In which order a baseline has two sides: as strcmp() tells it. */
NPART_API int npart_side_compare(const struct npart_side *a, const struct npart_side *b);
/* A model's path as a baseline has it: as it is, or, where it is no UTF-8, as npart_plain_text shows it. */
NPART_API size_t npart_baseline_path(const char *path, char *out, size_t bytes);
/* The line of a side, in words of a version, without its end. */
NPART_API size_t npart_baseline_line(const struct npart_side *side, int version, char *out, size_t bytes);
/* In which version the figures of a line are, whichever stands at the top of its file. */
NPART_API int npart_baseline_line_version(const char *line);
/* Whether the nodes of the sides of two lines are the same but for their names: "structure" of the line. */
NPART_API bool npart_baseline_same_structure(const char *line, const char *other);
/* What of a plan is worse than it was. */
enum npart_worse {
    NPART_WORSE_PARTITIONS = 1,
    NPART_WORSE_COVERAGE = 2, /* of nodes or MACs */
    NPART_WORSE_TIME = 4,
    NPART_WORSE_NONE = 8, /* nothing runs on the NPU any more */
    NPART_WORSE_FAILED = 16, /* nodes fail to compile */
    NPART_WORSE_INVALID = 32, /* the model is not loaded any more */
    NPART_WORSE_MEMORY = 64
};

#define NPART_MOST_CHANGED 16 /* nodes, or causes, that are told of a plan that got worse */
#define NPART_WORSE "worse than the baseline: " /* what the text of such a plan begins with */

/* A plan beside the baseline. */
struct npart_compared {
    size_t size;
    bool is_known; /* the baseline has the model and target */
    bool is_worse, was_invalid;
    bool is_same; /* the figures of the summary are those of before */
    unsigned kinds; /* enum npart_worse, as bits: figures that are worse */
    bool has_before;
    struct npart_summary before;
    double before_ms; /* typical; negative: not known */
    char text[400]; /* "worse than the baseline: Clip -> Erf `act`, model.py:41: NPU -> CPU; partitions: 1 -> 3" */
    char changed[200]; /* of it the node: "Clip -> Erf `act`, model.py:41: NPU -> CPU"; "" */
    char figures[240]; /* "partitions 1 -> 3, a run ~0.26 ms -> ~0.53 ms"; "" */
    char cause[240]; /* the first new one: "Erf: not supported by the QNN provider"; "" */
    uint32_t nodes[NPART_MOST_CHANGED], causes[NPART_MOST_CHANGED]; /* of the plan that are worse, or new */
    uint32_t node_count, cause_count;
};
/* Compares a side of a baseline with a later one: with nodes where the baseline has them, else in words. Fails as
 * npart_diff_make does. */
NPART_API npart_status npart_sides_compare(const npart_sides *baseline, const struct npart_side *before,
                                           const struct npart_side *after, struct npart_compared *out,
                                           struct npart_error *error);

/* Writes the cache of a baseline of the sides that have nodes, sorted: equal sides, equal bytes. Fails with ARGUMENT,
 * WRITE or MEMORY. */
NPART_API npart_status npart_baseline_cache(const struct npart_side *const *sides, size_t count,
                                            npart_write_callback write, void *payload, struct npart_error *error);

/* ---- patterns of paths ----------------------------------------------------------------------------------- */

/* `*` and `?` within a name, `[abc]`, and `**` for any number of folders. A name that begins with a dot is matched only
 * by one that is written so. */
#define NPART_MOST_GLOB_BYTES 4096
#define NPART_MOST_GLOB_FOLDERS 64 /* deep */
/* A sentence on what is wrong with a pattern, or NULL. */
NPART_API const char *npart_glob_problem(const char *pattern);
/* Both with / between folders, relative to the same one. Time grows with the product of their lengths at most. */
NPART_API bool npart_glob_match(const char *pattern, const char *path);

/* ---- project files --------------------------------------------------------------------------------------- */

/* A project file, npu-partition.toml (docs/project-file.md): targets, sizes, thresholds and waivers by globs of models.
 * One thread at a time: what is asked of it marks what it has found. */
typedef struct npart_project npart_project;

#define NPART_MOST_PROJECT_BYTES 1048576
#define NPART_MOST_PROJECT_VALUES 16384 /* tables, arrays, and what stands in them */
#define NPART_MOST_PROJECT_DEPTH 64 /* of tables and arrays in each other */
#define NPART_MOST_PROJECT_RANK 64 /* of a shape of `inputs` */
#define NPART_MOST_PROJECT_MISTAKES 10 /* that are told */

/* Is told something of a place in the file; line 0: of the file as such. */
typedef void (*npart_project_callback)(void *payload, uint32_t line, uint32_t column, const char *text);

/* Reads a text, and tells its mistakes. `allocator` may be NULL. Fails with ARGUMENT, MALFORMED (there are mistakes) or
 * MEMORY. */
NPART_API npart_status npart_project_read(npart_project **out, const char *text, size_t bytes,
                                          npart_project_callback tell, void *payload,
                                          const struct npart_allocator *allocator, struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_project_free(npart_project *project);
/* Whether a text is TOML at all, as where something was added to a file. Fails with ARGUMENT, MALFORMED or MEMORY. */
NPART_API npart_status npart_project_check_toml(const char *text, size_t bytes, struct npart_error *error);

/* A text of the file, and where it stands. */
struct npart_project_text {
    const char *text;
    uint32_t line, column; /* from 1; a column is a character */
};
struct npart_project_texts {
    const struct npart_project_text *items;
    uint32_t count;
};
/* Whether one of some globs matches. */
NPART_API bool npart_project_matches(const struct npart_project_texts *globs, const char *path);

struct npart_project_info {
    size_t size;
    const char *oplist, *cost, *baseline; /* paths, relative to the file's folder; NULL: not said */
    struct npart_project_texts exclude; /* globs of models */
    uint32_t model_count, waiver_count; /* tables of [[models]] and [[waivers]] */
};
NPART_API bool npart_project_info(const npart_project *project, struct npart_project_info *out);
/* The globs of a table of [[models]], counted from 0. */
NPART_API bool npart_project_models(const npart_project *project, uint32_t index, struct npart_project_texts *out);

/* A size that the file gives a dynamic dim, and a shape that it gives an input. `entry` is for npart_project_found. */
struct npart_project_dim {
    struct npart_dim_binding binding;
    uint32_t line, column, entry;
};
struct npart_project_input {
    struct npart_input_shape shape;
    uint32_t line, column;
};

/* What the file says of a model, the last word first: of a table of [[models]] before the top of the file. */
struct npart_project_settings {
    size_t size;
    struct npart_project_texts targets; /* as they are written; none: not said */
    uint32_t targets_line, targets_column; /* of the array */
    bool has_level;
    enum npart_level level;
    const char *runtime; /* NULL: not said */
    const struct npart_project_dim *dims;
    uint32_t dim_count;
    const struct npart_project_input *inputs;
    uint32_t input_count;
    struct npart_thresholds thresholds; /* of all targets */
};
/* Of a model by its path relative to the file's folder; NULL: it is not in it. What is pointed to is good until the
 * next call. Fails with ARGUMENT or MEMORY. */
NPART_API npart_status npart_project_settle(npart_project *project, const char *path,
                                            struct npart_project_settings *out, struct npart_error *error);
/* The thresholds of such a model as they are on one of the targets, into those that are there. */
NPART_API void npart_project_settle_target(npart_project *project, const char *path, const char *target,
                                           struct npart_thresholds *inout);
/* An entry of dims that a model has; and, in the end, a note on each without one; on those of targets where the file's
 * own were checked. */
NPART_API void npart_project_found(npart_project *project, uint32_t entry);
NPART_API void npart_project_idle(const npart_project *project, bool has_targets, npart_project_callback tell,
                                  void *payload);

/* A table of [[waivers]]. */
struct npart_waiver {
    size_t size;
    uint32_t line, column;
    struct npart_project_texts models; /* globs */
    struct npart_project_texts targets; /* none: all */
    struct npart_project_texts rules; /* globs of ids */
    bool has_thresholds;
    const char *reason;
    int year, month, day; /* the last day on which it holds */
};
NPART_API bool npart_project_waiver(const npart_project *project, uint32_t index, struct npart_waiver *out);
/* Whether it is for a target as it was asked for; whether it says something of a threshold, by the name of its outcome;
 * "baseline": that all may get worse. */
NPART_API bool npart_waiver_has_target(const npart_project *project, uint32_t index, const char *target);
NPART_API bool npart_waiver_speaks_of(const npart_project *project, uint32_t index, const char *threshold);
/* Its thresholds instead of those that are there, where they ask less: of several waivers the most generous counts. And
 * its thresholds and no other, without the conditions that it accepts. */
NPART_API void npart_waiver_accept(const npart_project *project, uint32_t index, struct npart_thresholds *inout);
NPART_API void npart_waiver_limit(const npart_project *project, uint32_t index, struct npart_thresholds *out);

#ifdef __cplusplus
}
#endif

#endif
