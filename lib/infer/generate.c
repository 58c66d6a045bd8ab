/* SPDX-License-Identifier: Apache-2.0
 *
 * Random numbers.
 */
#include "infer/families.h"
#include "infer/functions.h"

/* RandomNormal and RandomUniform: shape and type are attributes. */
void npart__infer_random(struct npart__call *call)
{
    uint32_t rank;
    const int64_t *shape = npart__ints_attribute(call, "shape", &rank);
    int64_t type = npart__int_attribute(call, "dtype", NPART__FLOAT);
    if (type > 0 && type <= UINT8_MAX)
        npart__set_element_type(call, 0, (int)type);
    int64_t *dims = shape ? npart__new_dims(call, rank) : NULL;
    if (!dims)
        return;
    memcpy(dims, shape, rank * sizeof *dims);
    npart__set_dims(call, 0, rank, dims);
}
