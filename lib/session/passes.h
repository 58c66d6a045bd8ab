/* SPDX-License-Identifier: Apache-2.0
 *
 * The passes that a session is made by, one behind the other. Each goes over the file's graph, that of the session's
 * inference, whose operands it resolves by `stands_for`; when all are done, the graph that is left is connected anew.
 * All are false when out of memory.
 */
#ifndef NPART_SESSION_PASSES_H
#define NPART_SESSION_PASSES_H

#include "session/session.h"

/* neighbours.c: nodes that go together with others, once each alone has been decided. */
bool npart__fold_neighbours(struct npart__session *session, enum npart__release release, struct npart__arena *arena);

/* merge.c: nodes that become part of a neighbour. */
bool npart__fold_merges(struct npart__session *session, enum npart__release release, struct npart__arena *arena);

/* copies.c: what is used more than once and copied for each use. */
bool npart__fold_copies(struct npart__session *session, struct npart__arena *arena);

/* connect.c: who uses what, in a graph that is to be the session's. */
bool npart__session_list_uses(const struct npart__session *session, struct npart__graph *graph,
                              struct npart__arena *arena);

#endif
