/* SPDX-License-Identifier: Apache-2.0
 *
 * --summary: a table over all models and targets.
 */
#ifndef TOOL_OVERVIEW_H
#define TOOL_OVERVIEW_H

#include "npu_partition.h"

struct overview {
    struct overview_row *rows;
    size_t count, capacity;
};

/* A line of the table, with the first action; `plan` NULL: the model is not analyzed. False when out of memory. */
bool overview_add(struct overview *overview, const char *model, const char *target, const npart_plan *plan,
                  const npart_advice *advice);
void overview_write(const struct overview *overview, bool use_color, npart_write_callback write, void *payload);
void overview_free(struct overview *overview);

#endif
