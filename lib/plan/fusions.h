/* SPDX-License-Identifier: Apache-2.0
 *
 * Which nodes of a plan are fused into one, which could be, and what stops them.
 */
#ifndef NPART_FUSIONS_H
#define NPART_FUSIONS_H

#include "plan/plan.h"
#include "session/patterns.h"

struct npart__fusions {
    struct NPART__ARRAY(struct npart_fusion) items;
    struct NPART__ARRAY(uint32_t) nodes;
};

/* False when out of memory. Time in proportion to the graph. */
bool npart__find_fusions(const struct npart__plan *plan, struct npart__arena *arena, struct npart__fusions *out);

#endif
