/* SPDX-License-Identifier: Apache-2.0 */
#include "rewrite/rewrite.h"

#define REWRITE(phase, id, anchors, equality, enables, function, argument, caveat)                                     \
    npart__rewrite_function npart__rewrite_##function;
#include "rewrite/rewrites.def"

const struct npart__rewrite npart__rewrites[] = {
#define REWRITE(phase, id, anchors, equality, enables, function, argument, caveat)                                     \
    {id, anchors, NPART__PHASE_##phase, NPART__EQUAL_##equality, enables, npart__rewrite_##function, argument, caveat, \
     NULL},
#include "rewrite/rewrites.def"
    {NULL, NULL, 0, 0, false, NULL, NULL, NULL, NULL},
};

const uint32_t npart__rewrite_count = NPART__COUNT(npart__rewrites) - 1;
