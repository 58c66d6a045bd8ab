/* SPDX-License-Identifier: Apache-2.0
 *
 * The passes that ONNX Runtime's session is made by, one after the other. Each goes over the file's graph, that of the
 * session's inference, whose operands it resolves by `stands_for`; when all are done, the graph that is left is
 * connected anew. All are false when out of memory.
 */
#ifndef NPART_ONNXRUNTIME_PASSES_H
#define NPART_ONNXRUNTIME_PASSES_H

#include "onnxruntime/onnxruntime.h"
#include "session/passes.h"

/* neighbours.c: nodes that go together with others, once each alone has been decided. Leaves `stands_for` resolved
 * to its end, which merges rely on. */
bool npart__fold_neighbours(struct npart__session *session, enum npart__release release, struct npart__arena *arena);

/* double_pairs.c: what quantizes twice by one scale. */
bool npart__fold_double_pairs(struct npart__session *session, struct npart__arena *arena);

/* merge.c: nodes that become part of a neighbour. */
bool npart__fold_merges(struct npart__session *session, enum npart__release release, struct npart__arena *arena);

/* equal.c: nodes that repeat another one become part of it. Of an inference that does not know which are equal,
 * none. False when out of memory. */
bool npart__fold_equal(struct npart__session *session, struct npart__arena *arena);

#endif
