/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits that a caller may set: limits.def is the table. Without a caller's they are the numbers of the stages'
 * headers, so whoever has none to hand on needs nothing.
 */
#ifndef NPART_BASE_LIMITS_H
#define NPART_BASE_LIMITS_H

#include <stdint.h>

/* Of advice, fix and placement, which the core is linked without: the table has their numbers all the same. */
/* Steps of which every candidate is tried, and candidates that are tried for one; what is beyond comes in the order of
 * the causes. */
#define NPART__LIMIT_STEPS_TRIED 12u
#define NPART__LIMIT_CANDIDATES 12u
/* Variants of the target that are planned, to find one that takes more. */
#define NPART__LIMIT_VARIANTS_TRIED 8u
/* Tensors of a cut that is worth naming. */
#define NPART__LIMIT_CUT_TENSORS 8u
/* Rounds over all rewrites; each but the last has changed something. */
#define NPART__LIMIT_FIX_ROUNDS 6u
/* Elements of constants that are followed while rewriting: masks of 512 x 512. */
#define NPART__LIMIT_FIX_ELEMENTS (1u << 18)
/* Steps; each is one rewrite at all nodes that it suits, so real models need less than 20. */
#define NPART__LIMIT_FIX_STEPS 64u
#define NPART__LIMIT_PARTS 64u /* of a set, so that a set of them is one number */

/* A row of FIXED has no number here, since no caller sets it: what guards it asks for its NPART__LIMIT_ name. */
enum npart__limit_id {
#define LIMIT(id, ...) NPART__AT_##id,
#define FIXED(...)
#include "base/limits.def"
#undef LIMIT
#undef FIXED
    NPART__LIMITS
};

struct npart__limits {
    /* All are filled in by whoever makes this, also those that the caller has left as they are. */
    uint64_t of[NPART__LIMITS];
};

/* The number that holds; `limits` NULL: the stage's own. */
#define NPART__MOST(limits, id) ((limits) ? (limits)->of[NPART__AT_##id] : (uint64_t)NPART__LIMIT_##id)

#endif
