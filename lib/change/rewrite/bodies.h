/* SPDX-License-Identifier: Apache-2.0
 *
 * What rewrites of nodes with bodies share.
 */
#ifndef NPART_REWRITE_BODIES_H
#define NPART_REWRITE_BODIES_H

#include "rewrite/functions.h"

/* The scope of a graph attribute of the site's node; NPART_NONE where there is none. */
uint32_t npart__body_named(const struct npart__site *site, const char *attribute);
/* The value of a body's output. */
uint32_t npart__body_result(const struct npart__site *site, uint32_t scope, uint32_t index);
/* Room for names; NULL when out of memory. */
const char **npart__body_names(struct npart__site *site, uint32_t count);

#endif
