/* SPDX-License-Identifier: Apache-2.0
 *
 * The limits that the user sets, for a pre-merge check.
 */
#ifndef TOOL_THRESHOLDS_H
#define TOOL_THRESHOLDS_H

#include "options.h"

/* Tells of every threshold of the user's that a plan does not meet. False when there is one. */
bool meets_thresholds(const struct options *options, const char *model, const char *target, const npart_plan *plan);
/* Tells the first cause of that, and what to do first; `advice` may be NULL. */
void tell_reason(const char *model, const char *target, const npart_plan *plan, const npart_advice *advice);
/* Once a model: whatever the target, ONNX Runtime does not load it. */
bool meets_validity(const struct options *options, const char *model, const npart_inference *inference);

#endif
