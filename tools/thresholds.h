/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits that the user sets, for a pre-merge check.
 */
#ifndef TOOL_THRESHOLDS_H
#define TOOL_THRESHOLDS_H

#include "options.h"

#define MOST_OUTCOMES 16

/* What one threshold that the user set says of a plan. */
struct outcome {
    const char *threshold; /* as its option is called: "max-partitions", "fail-on split" */
    bool is_met;
    char text[640]; /* "13 partitions, threshold: at most 1" */
};

struct outcomes {
    struct outcome items[MOST_OUTCOMES];
    uint32_t count;
};

/* As bounds.def says of each. */
extern const struct bound_row {
    const char *word, *unit, *unknown, *lift; /* lift: what to do instead of accepting what is not known */
    bool is_least;
} bound_rows[BOUNDS];
/* By the name of an outcome; BOUNDS: it is none. */
enum bound bound_of(const char *threshold);
/* Of a plan; negative: not known. `text` says it: "a run takes 4.2 ms (3 to 6)". */
double find_figure(enum bound bound, const npart_plan *plan, char *text, size_t bytes);
/* No threshold at all. */
void clear_thresholds(struct options *options);

/* A share up to 1 such as 0.95, or percent such as 95%. False: it is none. */
bool parse_share(const char *text, double *out, bool *is_percent);
/* One for each threshold of the options that is about plans, met or not. */
void find_outcomes(struct outcomes *out, const struct options *options, const npart_plan *plan);
/* Whether any of them is about plans. */
bool has_plan_thresholds(const struct options *options);
/* Tells of every threshold of the user's that a plan does not meet. False when there is one. */
bool meets_thresholds(const struct options *options, const char *model, const char *target, const npart_plan *plan);
/* What to do, with the options that show what it brings, or with the lines of a project file: "Fix `batch`
 * (npu-partition.toml: [dims], batch = 1)". */
void write_action(const struct npart_action *action, bool has_project, char *out, size_t bytes);
/* Tells the first cause of that, and what to do first; `advice` may be NULL. */
void tell_reason(const char *model, const char *target, const npart_plan *plan, const npart_advice *advice,
                 bool has_project);
/* The same of the model: whatever the target, ONNX Runtime does not load it. */
void find_validity(struct outcomes *out, const struct options *options, const npart_inference *inference);
/* Once a model: tells that. */
bool meets_validity(const struct options *options, const char *model, const npart_inference *inference);

#endif
