/* SPDX-License-Identifier: Apache-2.0
 *
 * What models were, so that a check fails only for what got worse.
 */
#ifndef TOOL_CHECK_BASELINE_H
#define TOOL_CHECK_BASELINE_H

#include "check.h"

#define BASELINE "baseline" /* the outcome that a comparison is */
#define WRITTEN "written to the baseline" /* of one that is to be written */

/* Reads it. One that is to be written need not be there. NULL, and told, where it cannot be used. */
struct baseline *baseline_open(const char *path, bool is_written);
void baseline_free(struct baseline *baseline);
/* Whether it is of this path. */
bool baseline_is(const struct baseline *baseline, const char *path);

/* A plan of the model beside what it was; `advice` may be NULL. One that is to be written keeps the plan instead, and
 * finds nothing worse. */
npart_status baseline_compare(struct baseline *baseline, const struct checked *checked, const npart_plan *plan,
                              const npart_advice *advice, struct npart_compared *out, struct npart_error *error);
/* Where it is to be written. Unless all models were checked, those that were not stay as they are in it. False, and
 * told, when that fails. */
bool baseline_write(struct baseline *baseline, bool are_all);

#endif
