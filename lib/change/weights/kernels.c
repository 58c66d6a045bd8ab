/* SPDX-License-Identifier: Apache-2.0
 *
 * Built with -O3 and without contraction (Makefile), so that the loops become vector code that rounds as written; each
 * twice, where the loader can choose by the processor. All give the same.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "weights/kernels.h"

#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define CLONES __attribute__((target_clones("avx2", "default")))
#else
#define CLONES
#endif

#define LANES 16

static inline double sum(const float *sums)
{
    double sum = 0;
    for (size_t k = 0; k < LANES; k++)
        sum += (double)sums[k];
    return sum;
}

/* Adds to LANES sums the squares of the expression `e` of each number n. */
#define ADD_SQUARES(sums, count, e)                                                                                    \
    do {                                                                                                               \
        size_t from = 0;                                                                                               \
        for (; from + LANES <= (count); from += LANES)                                                                 \
            for (size_t k = 0, n = from; k < LANES; n = from + ++k)                                                    \
                (sums)[k] += (e) * (e);                                                                                \
        for (size_t k = 0, n = from; n < (count); n = from + ++k)                                                      \
            (sums)[k] += (e) * (e);                                                                                    \
    } while (0)

CLONES void npart__widen(const uint16_t *halves, size_t count, bool is_brain, float *out)
{
    for (size_t i = 0; i < count; i++) {
        const uint32_t rest = halves[i] & 0x7fffu, none = rest < 0x7c00u ? 0 : 0x7f800000u;
        uint32_t bits = is_brain ? rest << 16 : rest << 13 | none;
        float x;
        memcpy(&x, &bits, sizeof x);
        x *= is_brain ? 1 : 0x1p112f;
        out[i] = halves[i] & 0x8000u ? -x : x;
    }
}

/* Magnitudes are ordered as their bits are. */
static inline float top(const float *w, size_t count)
{
    int32_t most = 0, bits;
    for (size_t i = 0; i < count; i++) {
        const float x = w[i] == w[i] ? fabsf(w[i]) : 0;
        memcpy(&bits, &x, sizeof bits);
        most = most > bits ? most : bits;
    }
    float found;
    memcpy(&found, &most, sizeof found);
    return found;
}

CLONES void npart__tops(const float *w, size_t count, float *tops)
{
    for (; count >= 32; count -= 32, w += 32)
        *tops++ = top(w, 32);
    if (count)
        *tops = top(w, count);
}

CLONES void npart__raise(float *largest, const float *w, size_t count)
{
    for (size_t i = 0; i < count; i++)
        largest[i] = fabsf(w[i]) > largest[i] ? fabsf(w[i]) : largest[i];
}

CLONES void npart__scales(const float *tops, size_t count, float limit, float *scale, float *inverse)
{
    for (size_t i = 0; i < count; i++) {
        scale[i] = tops[i] / limit;
        inverse[i] = scale[i] > 0 ? 1 / scale[i] : 0;
    }
}

CLONES double npart__count(const float *w, size_t count, uint64_t *zeros, uint64_t *beyond_half)
{
    float squares[LANES] = {0};
    uint32_t none = 0, beyond = 0;
    ADD_SQUARES(squares, count, w[n]);
    for (size_t i = 0; i < count; i++) {
        none += w[i] == 0;
        beyond += fabsf(w[i]) < 65520.0f ? 0 : 1;
    }
    *zeros += none;
    *beyond_half += beyond;
    return sum(squares);
}

CLONES uint64_t npart__fours(const float *w, size_t count, size_t hop, size_t step)
{
    uint32_t found = 0;
    for (; count; count--, w += hop)
        found += (w[0] == 0) + (w[step] == 0) + (w[2 * step] == 0) + (w[3 * step] == 0) >= 2;
    return found;
}

/* ---- what numbers become ----------------------------------------------------------------------------------------- */

/* To the nearest whole number, halves to even, of magnitudes below 2^22: what is added leaves no room for fractions. A
 * scale is the largest magnitude over the limit, so that no number is rounded past the limit. */
static inline float whole(float x)
{
    return (x + 12582912.0f) - 12582912.0f;
}

/* So many digits after the point of the significand, halves to even, but no more than the exponent `least` leaves; of
 * magnitudes whose exponent is not above 127 + digits - 23: what is added has room for these digits alone. */
static inline float significand(float x, int digits, int least)
{
    const uint32_t low = (uint32_t)(127 + least) << 23;
    uint32_t bits;
    float room;
    memcpy(&bits, &x, sizeof bits);
    bits &= 0x7f800000u;
    bits = (bits > low ? bits : low) + ((uint32_t)(23 - digits) << 23 | 0x400000u);
    memcpy(&room, &bits, sizeof room);
    return (x + room) - room;
}

/* Those beyond FLOAT16 become its largest number. */
static inline float half(float x)
{
    const float low = x < -65504.0f ? -65504.0f : x;
    return significand(low > 65504.0f ? 65504.0f : low, 10, -14);
}

/* FLOAT8E4M3FN */
static inline float fp8(float x)
{
    return significand(x, 3, -6);
}

/* ---- what is lost ------------------------------------------------------------------------------------------------ */

/* LANES divide a block. */
#define LOST(to)                                                                                                       \
    CLONES static double to##_blocks(const float *w, size_t count, size_t block, const float *tops, float limit)       \
    {                                                                                                                  \
        float sums[LANES] = {0};                                                                                       \
        for (size_t length; count; count -= length, w += length, tops++) {                                             \
            const float scale = *tops / limit, inverse = scale > 0 ? 1 / scale : 0;                                    \
            float own[LANES] = {0};                                                                                    \
            length = count < block ? count : block;                                                                    \
            ADD_SQUARES(own, length, w[n] - scale * to(w[n] * inverse));                                               \
            for (size_t k = 0; k < LANES; k++)                                                                         \
                sums[k] += own[k];                                                                                     \
        }                                                                                                              \
        return sum(sums);                                                                                              \
    }                                                                                                                  \
    CLONES static double to##_each(const float *w, size_t count, const float *scale, const float *inverse)             \
    {                                                                                                                  \
        float sums[LANES] = {0};                                                                                       \
        ADD_SQUARES(sums, count, w[n] - scale[n] * to(w[n] * inverse[n]));                                             \
        return sum(sums);                                                                                              \
    }

LOST(whole)
LOST(half)
LOST(fp8)

/* ---- NF4 in 16 bits: twice as many numbers at once --------------------------------------------------------------- */

#define RUN 64u
#define IN_UNITS(level) (int16_t)(fabsf(level) * NPART__NF4_UNITS + 0.5f)

/* Of up to RUN numbers, with one scale for all (`step` 0) or for each (1). Numbers become units as `whole` does it:
 * they are the low bits of the sum. The nearest level is 0, or has the number's sign. */
static inline double nf4_run(const float *w, size_t count, const float *scale, const float *inverse, size_t step)
{
    float sums[LANES] = {0};
    int16_t units[RUN];
    for (size_t k = 0; k < count; k++) {
        const float x = w[k] * inverse[k * step] + 12582912.0f;
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        units[k] = (int16_t)(bits & 0xffffu);
    }
    for (size_t k = 0; k < count; k++) {
        const int16_t magnitude = (int16_t)abs(units[k]);
        int16_t below = magnitude, above = magnitude, far;
#define LEVEL(level)                                                                                                   \
    far = (int16_t)(magnitude - IN_UNITS(level)), far = (int16_t)abs(far);                                             \
    below = (level) < 0 && far < below ? far : below;                                                                  \
    above = (level) > 0 && far < above ? far : above;
#include "weights/nf4.def"
#undef LEVEL
        units[k] = units[k] < 0 ? below : above;
    }
    ADD_SQUARES(sums, count, (float)units[n] * scale[n * step]);
    return sum(sums);
}

/* RUN divides a block. */
CLONES static double nf4_blocks(const float *w, size_t count, size_t block, const float *tops, float limit)
{
    double lost = 0;
    for (size_t at = 0; at < count; at += RUN) {
        const float scale = tops[at / block] / limit, inverse = scale > 0 ? 1 / scale : 0;
        lost += count - at < RUN ? nf4_run(w + at, count - at, &scale, &inverse, 0)
                                 : nf4_run(w + at, RUN, &scale, &inverse, 0);
    }
    return lost;
}

CLONES static double nf4_each(const float *w, size_t count, const float *scale, const float *inverse)
{
    double lost = 0;
    for (; count >= RUN; count -= RUN, w += RUN, scale += RUN, inverse += RUN)
        lost += nf4_run(w, RUN, scale, inverse, 1);
    return lost + nf4_run(w, count, scale, inverse, 1);
}

const struct npart__lost npart__lost[] = {
    {whole_blocks, whole_each}, {half_blocks, half_each}, {fp8_blocks, fp8_each}, {nf4_blocks, nf4_each},
};
