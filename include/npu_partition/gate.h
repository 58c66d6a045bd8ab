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
/* Which model of a file is meant: `wanted`, or the one that alone ends as it does; NULL is none. `*out` is NULL where
 * there is but one. False: there are several, or none. */
NPART_API bool npart_sides_model(const npart_sides *sides, const char *wanted, const char **out);
/* The next plan of a model, or of any (NULL), from a place on, which is moved past it; each once. `text` gets what
 * npart_sides_find_meant knows it by: "intel-npu:4000", of several toolchains "intel-npu:4000@openvino 2026.4.1". NULL
 * past the last. */
NPART_API const struct npart_side *npart_sides_plan(const npart_sides *sides, const char *model, uint32_t *from,
                                                    char *text, size_t bytes);
/* What a file has as another has a side, in which no other toolchain will do where the other has several. */
NPART_API const struct npart_side *npart_sides_find_same(const npart_sides *sides, const char *model,
                                                         const npart_sides *other, const char *other_model,
                                                         const struct npart_side *side);
/* The line of a baseline in words that a side was read from; NULL: it was not, or is none of these. */
NPART_API const char *npart_sides_line(const npart_sides *sides, const struct npart_side *side);
/* Whether the document of a side is a whole report rather than a baseline, and where it stands in its file; false where
 * it cannot be told, or is none of these. */
NPART_API bool npart_sides_is_report(const npart_sides *sides, const struct npart_side *side);
NPART_API bool npart_sides_place(const npart_sides *sides, const struct npart_side *side, uint64_t *begin,
                                 uint64_t *end);

/* ---- baselines ------------------------------------------------------------------------------------------- */

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

typedef struct npart_baseline npart_baseline;
#define NPART_BASELINE_WRITTEN "written to the baseline" /* the text of a plan that is to be in the next one */
/* What models were; `before`, which must outlive it, is NULL where nothing is known. `is_written`: plans that are
 * compared with it become the next one, and none is worse. `allocator` may be NULL. Fails with ARGUMENT, MALFORMED (two
 * sides are of one model, target and toolchain) or MEMORY. */
NPART_API npart_status npart_baseline_make(npart_baseline **out, const npart_sides *before, bool is_written,
                                           const struct npart_allocator *allocator, struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_baseline_free(npart_baseline *baseline);
/* Writes the next baseline, in words or, with `is_cache`, what stands beside it: plans of this run and, unless all
 * models were checked, those of before that none of them replaces. Sorted: equal plans, equal bytes. `*count`, which
 * may be NULL: how many. Fails with ARGUMENT, WRITE or MEMORY. */
NPART_API npart_status npart_baseline_write(const npart_baseline *baseline, bool are_all, bool is_cache,
                                            npart_write_callback write, void *payload, uint32_t *count,
                                            struct npart_error *error);

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
    uint32_t model_count; /* tables of [[models]] */
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

/* A note on each table of [[waivers]] that was for a model that was checked, and that nothing needed; `is_whole`: all
 * models were, so those that are for none, too. */
NPART_API void npart_project_idle_waivers(const npart_project *project, bool is_whole, npart_project_callback tell,
                                          void *payload);

/* ---- which models ---------------------------------------------------------------------------------------- */

/* The models that `npu-partition check` holds to project files, each with the one that it stands under. */
typedef struct npart_checklist npart_checklist;

#define NPART_PROJECT_FILE "npu-partition.toml"

struct npart_checklist_options {
    uint32_t version;
    const struct npart_allocator *allocator; /* NULL: malloc and free */
    /* The project file of all of them; NULL: that in the folder of a model, or the nearest above it, up to that with
     * .git. */
    const char *config;
    /* Is told what is wrong, or strange, of a path (NULL: of none), at a place in that file, or with line 0; NULL:
     * nobody is. */
    void (*tell)(void *payload, const char *path, uint32_t line, uint32_t column, const char *text);
    void *payload;
};
#define NPART_CHECKLIST_OPTIONS_INIT {.version = 1}

/* Models by their paths; of a project file, or, where there are no paths, of that of the working directory, all that it
 * names. `options` may be NULL. Fails with ARGUMENT (a project file cannot be read, or no model is named), MALFORMED
 * (it has mistakes), READ or LIMIT (a folder cannot be looked through), or MEMORY; all but the last are told. */
NPART_API npart_status npart_checklist_make(npart_checklist **out, const char *const *paths, size_t count,
                                            const struct npart_checklist_options *options, struct npart_error *error);
/* Gives the handle back, with the project files. */
NPART_API void npart_checklist_free(npart_checklist *list);

/* Paths can be opened from the working directory, and are as short as a person would write them. */
struct npart_checklist_project {
    size_t size;
    npart_project *project;
    const char *path; /* of the file */
    const char *folder; /* its folder, to be put before paths that are relative to it: "", "../", "/home/me/" */
    const char *oplist, *cost, *baseline; /* NULL: not said */
    bool is_whole; /* all of its models are in the list */
};
NPART_API bool npart_checklist_project(const npart_checklist *list, uint32_t index,
                                       struct npart_checklist_project *out);
struct npart_checklist_model {
    size_t size;
    const char *path;
    const char *relative; /* to the folder of the project file; NULL: it is not in it */
    uint32_t project; /* by its index; NPART_NONE: there is none */
};
/* In the order in which they were named, each once. */
NPART_API bool npart_checklist_model(const npart_checklist *list, uint32_t index, struct npart_checklist_model *out);

/* ---- a model at the gate --------------------------------------------------------------------------------- */

/* How a model stands on a target; of several the greatest. */
enum npart_standing {
    NPART_STANDING_OK,
    NPART_STANDING_KNOWN, /* a threshold is not met, which the baseline accepts */
    NPART_STANDING_WAIVED, /* ... which a waiver accepts */
    NPART_STANDING_WORSE, /* than the baseline */
    NPART_STANDING_FAILS,
    NPART_STANDINGS
};
NPART_API const char *npart_standing_text(enum npart_standing value); /* in JSON, or NULL */

/* A model with the plans of its targets, held to thresholds, waivers and baselines as `npu-partition check` does. */
typedef struct npart_gate npart_gate;

#define NPART_ACCEPTED_DAYS 90 /* from today on, for which a new waiver holds */
/* Whether a text is a day that the calendar has: "2026-12-31". */
NPART_API bool npart_is_day(const char *text);

/* All that is pointed to must outlive the gate. */
struct npart_gate_options {
    uint32_t version;
    const char *name; /* of the model, as it is told */
    const char *today; /* "2026-12-31": waivers hold up to their last day */
    npart_project *project; /* NULL: none */
    const char *project_path; /* as it is told */
    const char *path; /* of the model, by which globs and baselines know it; NULL: it is not in the project's folder */
    const struct npart_thresholds *asked; /* which count before those of the project file; NULL: none */
    npart_baseline *baseline, *before; /* NULL: none. `before` decides nothing: it tells what changed */
    /* Whether the file of a model of the baseline is not there any more, so that another may be it; NULL: none is. */
    bool (*is_gone)(void *payload, const char *path);
    /* Is told of waivers that expired, by their places, and of models that moved, with line 0; NULL: nobody is. */
    npart_project_callback tell;
    void *payload; /* of both */
    const char *reason; /* of new waivers; NULL: one to be filled in */
    const char *const *words; /* what the command line that adds a waiver must have, too */
    uint32_t word_count;
    const struct npart_error *error; /* why the model cannot be analyzed: then this is all that is told; else NULL */
};
#define NPART_GATE_OPTIONS_INIT {.version = 1}

/* Begins with a model, of which no plan is known yet. `inference` may be NULL where there is an error. Fails with
 * ARGUMENT or MEMORY. */
NPART_API npart_status npart_gate_make(npart_gate **out, const npart_inference *inference,
                                       const struct npart_gate_options *options, struct npart_error *error);
/* Gives the handle back. */
NPART_API void npart_gate_free(npart_gate *gate);

/* A plan of that inference, or of its model in another precision. */
struct npart_gate_plan {
    uint32_t version;
    const npart_plan *plan;
    const npart_advice *advice; /* NULL: none */
    const char *target; /* as it was asked for, by which the project file knows it; NULL: the plan's own text */
    const char *label; /* as it is told; NULL: the plan's own */
    const char *as; /* the precision that was asked for, as a command line has it; NULL: none */
};
#define NPART_GATE_PLAN_INIT {.version = 1}
/* Holds a plan to all that is asked of it; what the plan points to must outlive the gate. Fails as npart_plan_make
 * does: where rules are waived, the model is planned again. */
NPART_API npart_status npart_gate_add(npart_gate *gate, const struct npart_gate_plan *plan, struct npart_error *error);
/* Once all plans are there: how the model stands as a whole. */
NPART_API void npart_gate_settle(npart_gate *gate);

struct npart_gate_info {
    size_t size;
    enum npart_standing standing;
    bool asks_validity; /* that ONNX Runtime does not load it is a threshold */
    const char *invalid, *invalid_waiver; /* why it does not, and why that is accepted; "" */
    uint32_t target_count;
};
NPART_API bool npart_gate_info(const npart_gate *gate, struct npart_gate_info *out);
/* A target, in the order of npart_gate_add. */
struct npart_gate_target {
    size_t size;
    const char *label;
    enum npart_standing standing; /* by its own thresholds */
    enum npart_standing counted; /* with what is said of the model */
    uint32_t outcome_count;
    bool is_open; /* a threshold is not met, and nothing accepts it */
    const struct npart_compared *compared; /* with the baseline, else with what was before */
};
NPART_API bool npart_gate_target(const npart_gate *gate, uint32_t index, struct npart_gate_target *out);
/* All outcomes as documents take them (npart_entry), good until the next call; what is told with another is left out.
 * False: out of memory. */
NPART_API bool npart_gate_outcomes(npart_gate *gate, const struct npart_threshold_outcome **items, uint32_t *count);

/* Writes a stanza of [[waivers]] that accepts all that is open on a target, NPART_NONE: of the model as such, which is
 * accepted from here on. Fails with ARGUMENT (no waiver can: the message says why), WRITE or MEMORY. */
NPART_API npart_status npart_gate_accept(npart_gate *gate, uint32_t target, npart_write_callback write, void *payload,
                                         struct npart_error *error);

/* Which parts of the text, as bits. */
enum npart_gate_part {
    NPART_GATE_FAILING = 1, /* a block for each target that fails */
    NPART_GATE_STANZAS = 2, /* in it the stanza that would accept it, not the command that adds that */
    NPART_GATE_OTHERS = 4 /* what is fine, or accepted: a line each */
};
/* Writes for people, in one piece; nothing where there is nothing to tell. `look` may be NULL. And a line of JSON
 * (docs/json.md). Fail with ARGUMENT, WRITE or MEMORY. */
NPART_API npart_status npart_gate_text(const npart_gate *gate, const struct npart_report_options *look, unsigned parts,
                                       npart_write_callback write, void *payload, struct npart_error *error);
NPART_API npart_status npart_gate_json(const npart_gate *gate, npart_write_callback write, void *payload,
                                       struct npart_error *error);

#ifdef __cplusplus
}
#endif

#endif
