/* SPDX-License-Identifier: Apache-2.0
 *
 * Figures: numbers of at least 0 that may not be known, or that may be expressions of symbolic dims. What does not fit
 * is not known: no figure is ever wrong.
 */
#ifndef NPART_WORK_FIGURES_H
#define NPART_WORK_FIGURES_H

#include "work/work.h"

/* Dims of an inference become figures here. Where expressions are asked for they are read anew into a pool of the
 * figures' own, since that of the inference is others' to read at the same time. */
struct npart__figures {
    const struct npart__expressions *from;
    struct npart__expressions *pool; /* NULL: numbers alone */
    int64_t *read;                   /* by sum of `from`: what it is in `pool`; 0: not read yet */
    struct npart__buffer text;
};

/* Makes the pool. False when out of memory. */
bool npart__figures_init(struct npart__figures *figures, const struct npart__expressions *from, bool has_expressions,
                         struct npart__arena *arena);
uint64_t npart__times(struct npart__figures *figures, uint64_t a, uint64_t b);
uint64_t npart__plus(struct npart__figures *figures, uint64_t a, uint64_t b);
/* Not known where it leaves a rest. */
uint64_t npart__divided(struct npart__figures *figures, uint64_t a, uint64_t b);
/* The bytes of so many elements, packed. Not known of a type without a size, as texts. */
uint64_t npart__bytes_of(struct npart__figures *figures, int element_type, uint64_t elements);
/* Of a tensor; NULL: not known. */
uint64_t npart__elements_of(struct npart__figures *figures, const struct npart__fact *fact);
/* Of an axis counted from the end, 1 for the last. */
uint64_t npart__axis_of(struct npart__figures *figures, const struct npart__fact *fact, uint32_t from_end);

#endif
