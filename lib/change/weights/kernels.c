/* SPDX-License-Identifier: Apache-2.0
 *
 * Built with -O3 and without contraction (Makefile), so that the loops become vector code that rounds as written; each
 * twice, where the loader can choose by the processor. All give the same.
 */
#include <math.h>

#include "weights/kernels.h"

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CLONES
#endif

#define LANES 8

CLONES void npart__tops(const float *w, size_t count, float *tops)
{
    for (size_t from = 0; from < count; from += 32, tops++) {
        const size_t end = count - from < 32 ? count : from + 32;
        float found[LANES] = {0}, most = 0;
        size_t i = from;
        for (; i + LANES <= end; i += LANES)
            for (size_t k = 0; k < LANES; k++) {
                const float x = fabsf(w[i + k]);
                found[k] = x > found[k] ? x : found[k];
            }
        for (; i < end; i++)
            most = fabsf(w[i]) > most ? fabsf(w[i]) : most;
        for (size_t half = LANES / 2; half; half /= 2)
            for (size_t k = 0; k < half; k++)
                found[k] = found[k + half] > found[k] ? found[k + half] : found[k];
        *tops = found[0] > most ? found[0] : most;
    }
}

CLONES void npart__raise(float *largest, const float *w, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const float x = fabsf(w[i]);
        largest[i] = x > largest[i] ? x : largest[i];
    }
}

CLONES void npart__count(const float *w, size_t count, uint64_t *zeros, uint64_t *beyond_half)
{
    uint32_t none = 0, beyond = 0;
    for (size_t i = 0; i < count; i++) {
        none += w[i] == 0;
        beyond += fabsf(w[i]) < 65520.0f ? 0 : 1;
    }
    *zeros += none;
    *beyond_half += beyond;
}

CLONES uint64_t npart__fours(const float *w, size_t count, size_t step)
{
    uint32_t found = 0;
    for (size_t i = 0; i < count; i++) {
        const int zeros = (w[i] == 0) + (w[i + step] == 0) + (w[i + 2 * step] == 0) + (w[i + 3 * step] == 0);
        found += zeros >= 2 ? 1 : 0;
    }
    return found;
}

/* ---- what numbers become ----------------------------------------------------------------------------------------- */

static inline float zero(float x)
{
    (void)x;
    return 0;
}

/* To the nearest whole number, halves to even, of magnitudes below 2^22: what is added leaves no room for fractions. A
 * scale is the largest magnitude over the limit, so that no number is rounded past the limit. */
static inline float whole(float x)
{
    return (x + 12582912.0f) - 12582912.0f;
}

/* 11 digits of the significand by Dekker's split; below 2^-14 multiples of 2^-24, the distance of floats at 0.75.
 * Those beyond FLOAT16 become the largest one. */
static inline float half(float number)
{
    const float low = number < -65504.0f ? -65504.0f : number, x = low > 65504.0f ? 65504.0f : low;
    const float wide = 8193.0f * x, split = wide - (wide - x), small = (x + 0.75f) - 0.75f;
    return fabsf(x) < 6.103515625e-05f ? small : split;
}

/* FLOAT8E4M3FN: 4 digits of the significand, below 2^-6 multiples of 2^-9, the distance of floats at 12582.912 * 2. */
static inline float fp8(float x)
{
    const float wide = 1048577.0f * x, split = wide - (wide - x), small = (x + 24576.0f) - 24576.0f;
    return fabsf(x) < 0.015625f ? small : split;
}

/* The level that is the nearest. */
static inline float nf4(float x)
{
    float level = -1.0f;
#define STEP(middle, step) level += x > (middle) ? (step) : 0.0f;
#include "weights/nf4.def"
#undef STEP
    return level;
}

/* ---- what is lost ------------------------------------------------------------------------------------------------ */

/* Adds to LANES sums what is lost of `length` numbers from place `from` on, as rounded by `to`. */
#define ADD_LOST(sums, from, length, scale, inverse, to)                                                               \
    do {                                                                                                               \
        size_t i = 0;                                                                                                  \
        for (; i + LANES <= (length); i += LANES)                                                                      \
            for (size_t k = 0; k < LANES; k++) {                                                                       \
                const size_t at = (from) + i + k;                                                                      \
                const float e = w[at] - (scale)*to(w[at] * (inverse));                                                 \
                (sums)[k] += e * e;                                                                                    \
            }                                                                                                          \
        for (size_t k = 0; i < (length); i++, k++) {                                                                   \
            const size_t at = (from) + i;                                                                              \
            const float e = w[at] - (scale)*to(w[at] * (inverse));                                                     \
            (sums)[k] += e * e;                                                                                        \
        }                                                                                                              \
    } while (0)

static inline double sum(const float *sums)
{
    double sum = 0;
    for (size_t k = 0; k < LANES; k++)
        sum += (double)sums[k];
    return sum;
}

/* LANES divide a block. */
#define LOST(to)                                                                                                       \
    CLONES static double to##_blocks(const float *w, size_t count, size_t block, const float *tops, float limit)       \
    {                                                                                                                  \
        float sums[LANES] = {0};                                                                                       \
        for (size_t from = 0; from < count; from += block, tops++) {                                                   \
            const size_t length = count - from < block ? count - from : block;                                         \
            const float scale = *tops / limit, inverse = scale > 0 ? 1 / scale : 0;                                    \
            float own[LANES] = {0};                                                                                    \
            ADD_LOST(own, from, length, scale, inverse, to);                                                           \
            for (size_t k = 0; k < LANES; k++)                                                                         \
                sums[k] += own[k];                                                                                     \
        }                                                                                                              \
        return sum(sums);                                                                                              \
    }                                                                                                                  \
    CLONES static double to##_each(const float *w, size_t count, const float *scale, const float *inverse)             \
    {                                                                                                                  \
        float sums[LANES] = {0};                                                                                       \
        ADD_LOST(sums, 0, count, scale[at], inverse[at], to);                                                          \
        return sum(sums);                                                                                              \
    }

LOST(zero)
LOST(whole)
LOST(half)
LOST(fp8)
LOST(nf4)

const struct npart__lost npart__lost[] = {
    {zero_blocks, zero_each}, {whole_blocks, whole_each}, {half_blocks, half_each}, {fp8_blocks, fp8_each},
    {nf4_blocks, nf4_each},
};
