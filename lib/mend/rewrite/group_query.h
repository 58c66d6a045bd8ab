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

#endif
