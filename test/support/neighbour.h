/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds for every model, held for the neighbours (support/changed_text.h) of one: reading, inference and planning
 * answer or say why not; ids and ranges are those that graph promises; counts of a plan add up; the report is JSON;
 * and a plan beside itself has no difference.
 */
#ifndef TEST_NEIGHBOUR_H
#define TEST_NEIGHBOUR_H

#include "npu_partition.h"

/* Of every `step`-th neighbour, from `first`. `oplist` NULL: nothing is planned. NULL, or what does not hold, in static
 * memory, with the neighbour's text. */
const char *hold_for_neighbours(const char *model, unsigned first, unsigned step, const npart_oplist *oplist,
                                const char *target);

#endif
