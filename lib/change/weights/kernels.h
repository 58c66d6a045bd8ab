/* SPDX-License-Identifier: Apache-2.0
 *
 * The loops over all numbers: what a weight loses. Sums are kept in LANES parts, whatever the machine's vectors hold,
 * so that results are the same on each. Each part is single precision over at most NPART__KERNEL_MOST numbers, then
 * double: calls take no more.
 */
#ifndef NPART_WEIGHTS_KERNELS_H
#define NPART_WEIGHTS_KERNELS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NPART__KERNEL_MOST 32768u

/* What a number becomes once it is divided by its scale. */
enum npart__levels { NPART__LEVELS_WHOLE, NPART__LEVELS_HALF, NPART__LEVELS_FP8, NPART__LEVELS_NF4 };

/* The limit of NF4, whose losses are measured in so many parts of the largest magnitude. */
#define NPART__NF4_UNITS 32767.0f

/* Sums of squares of what is lost. */
struct npart__lost {
    /* The scale of each block is its largest magnitude, of `tops`, over the limit; one block: of one for all. */
    double (*blocks)(const float *w, size_t count, size_t block, const float *tops, float limit);
    /* Of a scale for each: `scale` and `inverse` as long as w. */
    double (*each)(const float *w, size_t count, const float *scale, const float *inverse);
};

/* FLOAT16, or BFLOAT16, as floats. */
void npart__widen(const uint16_t *halves, size_t count, bool is_brain, float *out);
/* The largest magnitude of each 32 numbers, the last of fewer; NaN counts as none. */
void npart__tops(const float *w, size_t count, float *tops);
void npart__raise(float *largest, const float *w, size_t count); /* largest[i] = max(largest[i], |w[i]|) */
/* Each scale is the largest magnitude over the limit; where that is 0, the inverse is 0, too. */
void npart__scales(const float *tops, size_t count, float limit, float *scale, float *inverse);
/* Adds what it counts; the sum of all squares. */
double npart__count(const float *w, size_t count, uint64_t *zeros, uint64_t *beyond_half);
/* Of groups of four, the next one a hop further, whose numbers are `step` apart: those with two zeros or more. */
uint64_t npart__fours(const float *w, size_t count, size_t hop, size_t step);
extern const struct npart__lost npart__lost[]; /* by enum npart__levels */

#endif
