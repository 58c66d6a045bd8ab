/* SPDX-License-Identifier: Apache-2.0
 *
 * Built with -O3 and without contraction (Makefile), so that the loops become vector code that rounds as written.
 */
#include <math.h>

#include "weights/kernels.h"

#define LANES 8

#define NAME(x) x##_plain
#define TARGET
#include "weights/kernels.inc"
#undef NAME
#undef TARGET

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__SANITIZE_ADDRESS__)
#define NAME(x) x##_avx2
#define TARGET __attribute__((target("avx2")))
#include "weights/kernels.inc"
#undef NAME
#undef TARGET

const struct npart__kernels *npart__kernels(void)
{
    return __builtin_cpu_supports("avx2") ? &kernels_avx2 : &kernels_plain;
}
#else
const struct npart__kernels *npart__kernels(void)
{
    return &kernels_plain;
}
#endif
