/* SPDX-License-Identifier: Apache-2.0
 *
 * Which nodes of a plan are fused into one, which could be, and what stops them.
 */
#ifndef NPART_FUSIONS_H
#define NPART_FUSIONS_H

#include "plan/plan.h"

/* Nodes of one fusion, and values that its steps name. */
#define NPART__LIMIT_FUSION_STEPS 12u
/* Tries of one place, and users of a value that are looked at. Patterns are tried from every node, so these two
 * bound what a graph can cost that is made to nearly fit everywhere. */
#define NPART__LIMIT_FUSION_TRIES 512u
#define NPART__LIMIT_FUSION_USERS 16u
/* Operands of a node that are looked at; none of a pattern has as many. */
#define NPART__LIMIT_FUSION_OPERANDS 8u


struct npart__fusions {
    struct NPART__ARRAY(struct npart_fusion) items;
    struct NPART__ARRAY(uint32_t) nodes;
};

/* False when out of memory. Time in proportion to the graph. */
bool npart__find_fusions(const struct npart__plan *plan, struct npart__arena *arena, struct npart__fusions *out);

#endif
