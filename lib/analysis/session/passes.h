/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files that change a session, whoever asks for it. All are false, or NULL, when out of memory.
 */
#ifndef NPART_SESSION_PASSES_H
#define NPART_SESSION_PASSES_H

#include "session/session.h"

/* constants.c: of a node of the file. */
struct npart__altered *npart__alter(struct npart__session *session, uint32_t node, struct npart__arena *arena);

/* copies.c: what is used more than once and copied for each use, of a graph that is connected. */
bool npart__session_copy(struct npart__session *session, struct npart__arena *arena);

/* What stands for a value may have got another in its place since: to the end of each chain. */
static inline void npart__settle_stand_ins(struct npart__session *session, uint32_t values)
{
    for (uint32_t v = 0; v < values; v++)
        while (session->stands_for[session->stands_for[v]] != session->stands_for[v])
            session->stands_for[v] = session->stands_for[session->stands_for[v]];
}

/* copies.c: a copy of an array with room for more; NULL when out of memory. */
void *npart__longer(struct npart__arena *arena, const void *items, size_t item_bytes, size_t count, size_t new_count);

/* What a session has by node and by value, with room for more; `out` may be `before`. */
bool npart__session_lengthen(const struct npart__session *before, struct npart__session *out, size_t nodes,
                             size_t values, size_t new_nodes, size_t new_values, struct npart__arena *arena);

#endif
