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

#ifdef __cplusplus
}
#endif

#endif
