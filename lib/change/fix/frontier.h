/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a model may be ended, or begun, so that what a target does not take is after it, or before.
 */
#ifndef NPART_FIX_FRONTIER_H
#define NPART_FIX_FRONTIER_H

#include "split/sides.h"

/* Places that are told; each costs a plan. */
#define NPART__MOST_FRONTIERS 16u
/* Tensors of one border: more are no line to paste. */
#define NPART__MOST_BORDER 16u

struct npart__frontier {
    const char *begin[NPART__MOST_BORDER], *end[NPART__MOST_BORDER]; /* names of tensors of the plan's graph */
    uint32_t begin_count, end_count;
    uint64_t bytes; /* that pass; as many as no real tensor has: not known */
};

/* Linear in the graph, but for a logarithm. The tail is of nodes that are not taken and all that depends on them, as
 * many of the last ones as give up little of the work; the head is the same at the beginning. From there the end moves
 * back past nodes without multiply-accumulates, to each place where fewer bytes pass than at all before. Nothing where
 * all is taken, or what is not taken is in the midst. False when out of memory; names are of the plan's graph. */
bool npart__find_frontiers(const struct npart__plan *plan, struct npart__arena *arena,
                           struct npart__frontier *out, uint32_t *count);
/* Whether all users of what the node makes are those that `uses` counts, by value, and there is one: of a node whose
 * results are unused, or outputs, it is false. */
bool npart__has_these_users(const struct npart__session *session, const struct npart__node *node,
                            const uint32_t *uses);

#endif
