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

struct npart__kernels {
    /* The largest magnitude of each 32 numbers, the last of fewer; NaN counts as none. */
    void (*tops)(const float *w, size_t count, float *tops);
    double (*square)(const float *w, size_t count);
    /* Of one scale for all: the sum of squares of what is lost. */
    double (*lost)(const float *w, size_t count, float scale);
    /* Of a scale for each block, whose largest magnitudes are `tops`. */
    double (*lost_blocks)(const float *w, size_t count, size_t block, const float *tops, float limit);
    /* Of a scale for each: `scale` and `inverse` as long as w. */
    double (*lost_each)(const float *w, const float *scale, const float *inverse, size_t count);
    void (*raise)(float *largest, const float *w, size_t count); /* largest[i] = max(largest[i], |w[i]|) */
    double (*lost_half)(const float *w, size_t count);  /* as FLOAT16, those beyond it as the largest one */
    double (*lost_fp8)(const float *w, size_t count, float scale);
    double (*lost_nf4_blocks)(const float *w, size_t count, size_t block, const float *tops);
    double (*lost_nf4_each)(const float *w, const float *scale, const float *inverse, size_t count);
    void (*count)(const float *w, size_t count, uint64_t *zeros, uint64_t *beyond_half);
    /* Of four numbers `step` apart, from each of `count` numbers on: how many have two zeros or more. */
    uint64_t (*fours)(const float *w, size_t count, size_t step);
};

/* The fastest that this processor runs; all give the same. */
const struct npart__kernels *npart__kernels(void);

#endif
