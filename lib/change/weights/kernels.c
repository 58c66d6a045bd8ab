/* SPDX-License-Identifier: Apache-2.0
 *
 * Built with -O3 and without contraction (Makefile), so that the loops become vector code that rounds as written.
 */
#include <math.h>

#include "weights/kernels.h"

#define LANES 8

#define NF4_STEPS                                                                                                      \
    STEP(-0.848096400f, 0.303807199f)                                                                                  \
    STEP(-0.610632926f, 0.171119750f)                                                                                  \
    STEP(-0.459995270f, 0.130155563f)                                                                                  \
    STEP(-0.339679435f, 0.110476106f)                                                                                  \
    STEP(-0.234607406f, 0.099667951f)                                                                                  \
    STEP(-0.137911733f, 0.093723394f)                                                                                  \
    STEP(-0.045525018f, 0.091050036f)                                                                                  \
    STEP(0.039790150f, 0.079580300f)                                                                                   \
    STEP(0.120255250f, 0.081349902f)                                                                                   \
    STEP(0.203521252f, 0.085182101f)                                                                                   \
    STEP(0.292013772f, 0.091802940f)                                                                                   \
    STEP(0.389312536f, 0.102794588f)                                                                                   \
    STEP(0.501663417f, 0.121907175f)                                                                                   \
    STEP(0.642786920f, 0.160339832f)                                                                                   \
    STEP(0.861478418f, 0.277043164f)

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
