/* SPDX-License-Identifier: Apache-2.0
 *
 * The thresholds that the user sets, for a pre-merge check.
 */
#ifndef TOOL_THRESHOLDS_H
#define TOOL_THRESHOLDS_H

#include "options.h"

struct outcomes {
    struct npart_gate_outcome items[NPART_MOST_OUTCOMES];
    uint32_t count;
};

/* One for each threshold of the options that is about plans, met or not; and the one that is about the model. */
void find_outcomes(struct outcomes *out, const struct options *options, const npart_plan *plan);
void find_validity(struct outcomes *out, const struct options *options, const npart_inference *inference);
/* Of enum npart_condition, in its order. */
const char *const *condition_words(void);
/* Tells of every threshold of the user's that a plan does not meet. False when there is one. */
bool meets_thresholds(const struct options *options, const char *model, const char *target, const npart_plan *plan);
/* Tells the first cause of that, and what to do first; `advice` may be NULL. */
void tell_reason(const char *model, const char *target, const npart_plan *plan, const npart_advice *advice,
                 bool has_project);
/* Once a model: tells that ONNX Runtime does not load it, where that is a threshold. */
bool meets_validity(const struct options *options, const char *model, const npart_inference *inference);

#endif
