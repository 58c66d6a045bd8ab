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

#ifdef __cplusplus
}
#endif

#endif
