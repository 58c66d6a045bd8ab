/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that rewrites.def names.
 */
#ifndef NPART_REWRITE_FUNCTIONS_H
#define NPART_REWRITE_FUNCTIONS_H

#include "rewrite/rewrite.h"

#define REWRITE(phase, id, anchors, equality, enables, function, argument, caveat)                                     \
    npart__rewrite_function npart__rewrite_##function;
#include "rewrite/rewrites.def"

#endif
