/* SPDX-License-Identifier: Apache-2.0
 *
 * Known elements as bare eight-byte items, for operators that move them without looking.
 */
#ifndef NPART_INFER_ELEMENTS_H
#define NPART_INFER_ELEMENTS_H

#include "infer/call.h"
#include "infer/families.h"

/* Views of known elements: `data` belongs to the inference, and is never written to. */
struct npart__items {
    const uint64_t *data;
    uint32_t count;
    bool is_ints; /* else doubles */
    double error; /* of doubles: see numbers.h */
};

/* The known elements of a static input; false when there are none. */
bool npart__in_items(const struct npart__call *call, uint32_t index, struct npart__items *out);
/* Of a mask that is too large to be read, its place, so that parts of it can be; where large tensors are asked for
 * (most_elements). */
const struct npart__tensor *npart__large_mask(const struct npart__call *call, uint32_t index);
/* Room for items; NULL when out of memory, or past NPART__LIMIT_COMPUTED_ELEMENTS. */
uint64_t *npart__new_items(const struct npart__call *call, uint32_t count);
/* `like`: what the items were taken from. */
void npart__set_items(const struct npart__call *call, uint32_t output, const uint64_t *items, uint32_t count,
                      const struct npart__items *like);
/* The output's elements are the input's, in the same order. */
void npart__pass_elements(const struct npart__call *call, uint32_t input, uint32_t output);
/* Row-major strides, in elements, of static dims. */
void npart__strides(const int64_t *dims, uint32_t rank, int64_t *strides);
/* From one element of `out`, whose shape is static, to the next: at (c0, c1, ...) `from` is what it was at the first
 * and c0*steps[0] + c1*steps[1] + ... */
struct npart__walk {
    const struct npart__fact *out;
    int64_t from, at[NPART__LIMIT_RANK], steps[NPART__LIMIT_RANK];
};
static inline int64_t npart__walk_on(struct npart__walk *walk)
{
    int64_t from = walk->from;
    for (uint32_t axis = walk->out->rank; axis-- > 0;) { /* like an odometer */
        walk->from += walk->steps[axis];
        if (++walk->at[axis] < walk->out->dims[axis])
            break;
        /* Back to the beginning of this axis; the one before counts up. */
        walk->from -= walk->steps[axis] * walk->at[axis];
        walk->at[axis] = 0;
    }
    return from;
}
/* Output element (c0, c1, ...) is input element base + c0*steps[0] + c1*steps[1] + ...; its shape must be set. */
void npart__take_affine(const struct npart__call *call, uint32_t input, uint32_t output, int64_t base,
                        const int64_t *steps);

#endif
