/* SPDX-License-Identifier: Apache-2.0
 *
 * valid: what a runtime refuses to load, by the standard's schemas and the runtime's own limits.
 * A problem is a finding with the code `invalid`; a model that has one fails on every target of
 * that runtime. And what is in a model that no one has to compile.
 * A finding must be certain: a false alarm costs a user more than a problem that is not found,
 * so what is not known is let pass.
 */
#ifndef NPART_VALID_H
#define NPART_VALID_H

#include "infer/infer.h"
#include "release/release.h"

/* Findings of this kind for one model; the runtime stops at the first. More would be the same
 * mistake again and again. */
#define NPART__LIMIT_INVALID_FINDINGS 64u

/* The code of such a finding. */
#define NPART__INVALID "invalid"
/* The code of a finding that the newest release of the runtime loads the model, and older ones do not. */
#define NPART__TOO_NEW "newer-runtime"

/* Adds a finding for each node, initializer and import that the newest runtime of load.def refuses to load the
 * model for. Shapes count as far as the runtime knows them. Linear in nodes and operands; a model with a problem
 * at a node is inferred once more. */
npart_status npart__find_invalid(struct npart__inference *inference, struct npart_error *error);
/* Whether a node may be among them, by all that is known; no finding is added. False when out of memory. */
bool npart__may_be_refused(struct npart__inference *inference, bool *out);

/* Whether that release refuses the model for its IR version or for an opset that it imports. */
bool npart__is_too_new(const struct npart__loads *runtime, const struct npart__graph *graph);

/* Whether it refuses the model for its IR version and for nothing else of this, though nothing in the model needs it: a
 * lower number is enough. Linear in values. */
bool npart__is_ir_version_alone(const struct npart__loads *runtime, const struct npart__inference *inference);

/* Whether there is a finding `invalid`. */
bool npart__is_invalid(const struct npart__inference *inference);

#endif
