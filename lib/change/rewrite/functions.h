/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions that rewrites name (`by function NAME`).
 */
#ifndef NPART_REWRITE_FUNCTIONS_H
#define NPART_REWRITE_FUNCTIONS_H

#include "rewrite/rewrite.h"

#define FUNCTION(name) npart__rewrite_function npart__rewrite_##name;
NPART__REWRITE_FUNCTIONS(FUNCTION)
#undef FUNCTION

#endif
