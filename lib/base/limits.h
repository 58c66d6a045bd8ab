/* SPDX-License-Identifier: Apache-2.0
 *
 * Limits that a caller may set: limits.def is the table. Without a caller's they are the numbers of the stages'
 * headers, so whoever has none to hand on needs nothing.
 */
#ifndef NPART_BASE_LIMITS_H
#define NPART_BASE_LIMITS_H

#include <stdint.h>

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
