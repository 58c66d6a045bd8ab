/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers. RandomNormalLike and the like take the shape of an input: see npart__infer_like_input.
 */
#include "infer/families.h"

/* RandomNormal and RandomUniform: shape and type are attributes. */
void npart__infer_random(struct npart__call *call)
{
    uint32_t rank;
    const int64_t *shape = npart__ints_attribute(call, "shape", &rank);
    npart__set_known_type(call, 0, npart__int_attribute(call, "dtype", NPART__FLOAT));
    if (shape)
        npart__set_sizes(call, 0, rank, shape);
}
