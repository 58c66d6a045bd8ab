/* SPDX-License-Identifier: Apache-2.0
 *
 * diff: what two plans have in common, of two versions of a model or of one model on two targets.
 *
 *   structure.c  where a node stands in its graph, as four numbers without names
 */
#ifndef NPART_DIFF_H
#define NPART_DIFF_H

#include "infer/infer.h"

/* ---- structure --------------------------------------------------------------------------------------------- */

/* See struct npart_structure. The numbers are written to files that others read years later: they depend on nothing but
 * the model, and the functions that make them never change (docs/diff.md). */
struct npart__structure {
    uint32_t up, down, around, itself;
};

/* By node of the inference's graph; NULL when out of memory. */
struct npart__structure *npart__find_structures(const struct npart__inference *inference, struct npart__arena *arena);
/* Of a node that is not the model's: the `index`-th of those that stand for another one. */
struct npart__structure npart__added_structure(struct npart__structure owner, uint32_t index, const char *op);
/* Of a name; 0 for "". */
uint32_t npart__name_hash(const char *name);

#endif
