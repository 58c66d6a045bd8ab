/* SPDX-License-Identifier: Apache-2.0
 *
 * Which nodes of com.microsoft:GroupQueryAttention are followed.
 */
#ifndef NPART_REWRITE_GROUP_QUERY_H
#define NPART_REWRITE_GROUP_QUERY_H

#include "edit/edit.h"

/* Causal, with a cache, and without windows, soft caps, sinks, a quantized cache, and positions or a bias that are
 * given. */
bool npart__is_plain_group_query(const struct npart__site *site);
/* Names of its query, key and value, of which the latter two may stand in the query beside it: `heads` of queries and
 * `kept` of keys, of a `size` each. */
void npart__list_group_query_parts(struct npart__site *site, int64_t heads, int64_t kept, int64_t size,
                                   const char **parts);

#endif
