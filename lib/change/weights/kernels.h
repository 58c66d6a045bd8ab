/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops over all numbers: what a weight loses. Sums are kept in LANES parts, whatever the machine's vectors hold,
 * so that results are the same on each. Each part is single precision over at most NPART__KERNEL_MOST numbers, then
 * double.
 */
#ifndef NPART_WEIGHTS_KERNELS_H
#define NPART_WEIGHTS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Numbers of one call; longer lists are several calls. */
#define NPART__KERNEL_MOST 4096u

/* What a number becomes once it is divided by its scale; ZERO: nothing is left of it, so that squares are summed. */
enum npart__levels {
    NPART__LEVELS_ZERO, NPART__LEVELS_WHOLE, NPART__LEVELS_HALF, NPART__LEVELS_FP8, NPART__LEVELS_NF4
};

/* Sums of squares of what is lost. */
struct npart__lost {
    /* The scale of each block is its largest magnitude, of `tops`, over the limit; one block: of one for all. */
    double (*blocks)(const float *w, size_t count, size_t block, const float *tops, float limit);
    /* Of a scale for each: `scale` and `inverse` as long as w. */
    double (*each)(const float *w, size_t count, const float *scale, const float *inverse);
};

/* The largest magnitude of each 32 numbers, the last of fewer; NaN counts as none. */
void npart__tops(const float *w, size_t count, float *tops);
void npart__raise(float *largest, const float *w, size_t count); /* largest[i] = max(largest[i], |w[i]|) */
void npart__count(const float *w, size_t count, uint64_t *zeros, uint64_t *beyond_half);
/* Of four numbers `step` apart, from each of `count` numbers on: how many have two zeros or more. */
uint64_t npart__fours(const float *w, size_t count, size_t step);
extern const struct npart__lost npart__lost[]; /* by enum npart__levels */

#endif
