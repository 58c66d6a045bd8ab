/* SPDX-License-Identifier: Apache-2.0
 *
 * Every getter of the public header, with every id that there is and the first that is none.
 */
#ifndef TEST_FUZZ_SWEEP_H
#define TEST_FUZZ_SWEEP_H

#include "npu_partition.h"

/* Of a plan, the model and the inference that it was made of, and the view of its runtime. */
void sweep_plan(const npart_plan *plan);

#endif
