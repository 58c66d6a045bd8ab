/* SPDX-License-Identifier: Apache-2.0
 *
 * precision: in which formats a model's weights and activations meet, and what becomes of each on the target: by the
 * `precision` lines of its op list, and by the verdicts of nodes.
 *
 * A format is told by the graph as the session runs it; what is not known of it stays unknown, and is not guessed.
 */
#ifndef NPART_PRECISION_H
#define NPART_PRECISION_H

#include "partition/partition.h"

/* One format, and one thing that happens to it. */
struct npart__precision {
    struct npart_precision told;
    struct npart__format format;
    uint32_t variant; /* of a format that is not native: the first generation on which it is; else NPART_NONE */
};

struct npart__precisions {
    struct NPART__ARRAY(struct npart__precision) items; /* in the order of their first nodes */
};

/* Reads elements of zero points. Linear in nodes. False when out of memory. */
bool npart__find_precisions(const struct npart__target *target, const struct npart__session *session,
                            const struct npart__mask *mask, const struct npart__works *works,
                            struct npart__arena *arena, struct npart__precisions *out);

/* The format of a live node; false where it has no weights. `*is_own`: they are coded in a way that the operator has of
 * its own. */
bool npart__format_of_node(const struct npart__session *session, uint32_t node, struct npart__format *out,
                           bool *is_own);

#endif
