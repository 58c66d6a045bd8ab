/* SPDX-License-Identifier: Apache-2.0
 *
 * Moving known elements about: what Slice, Transpose, Gather and their like do to the contents of small tensors.
 * Exporters take shapes apart and put them together with these, as in Shape -> Gather(0) -> Unsqueeze -> Concat ->
 * Reshape. Whole numbers and doubles are both eight bytes, so most of it need not know which they are; symbols move as
 * numbers do.
 */
#include "infer/elements.h"

/* The shape must be static too, or the places of the elements would not be known. */
bool npart__in_items(const struct npart__call *call, uint32_t index, struct npart__items *out)
{
    if (!npart__has_input(call, index))
        return false;
    const struct npart__fact *fact = npart__in(call, index);
    const struct npart__known *known = npart__elements(call->inference, npart__in(call, index));
    if (!known || !npart__is_static(fact))
        return false;
    *out = (struct npart__items){.count = known->count, .is_ints = known->ints != NULL, .error = known->error};
    out->data = known->ints ? (const void *)known->ints : (const void *)known->doubles;
    return true;
}

const struct npart__tensor *npart__large_mask(const struct npart__call *call, uint32_t index)
{
    const struct npart__tensor *tensor = npart__in(call, index)->tensor;
    bool is_mask = call->inference->options.most_elements && tensor && tensor->element_type == NPART__BOOL &&
                   tensor->place == NPART__TENSOR_INLINE && !tensor->is_sparse && tensor->elements <= INT64_MAX &&
                   npart__is_static(npart__in(call, index));
    return is_mask ? tensor : NULL;
}

/* Whole numbers and doubles are of one size, so they take the same room. */
uint64_t *npart__new_items(const struct npart__call *call, uint32_t count)
{
    return (uint64_t *)npart__new_ints(call, count);
}

/* Whole numbers still have to fit the output's type, which npart__set_ints looks at. */
void npart__set_items(const struct npart__call *call, uint32_t output, const uint64_t *items, uint32_t count,
                      const struct npart__items *like)
{
    const void *data = items;
    if (like->is_ints)
        npart__set_ints(call, output, data, count);
    else
        npart__set_doubles(call, output, data, count, like->error);
}

/* Shared, not copied: elements are never written to once they are set. */
void npart__pass_elements(const struct npart__call *call, uint32_t input, uint32_t output)
{
    const struct npart__known *known =
        npart__has_input(call, input) ? npart__elements(call->inference, npart__in(call, input)) : NULL;
    if (known)
        npart__out(call, output)->known = known;
}

/* Of [2,3,4]: [12,4,1]. A size of 0 counts as 1, or all before it would be 0. */
void npart__strides(const int64_t *dims, uint32_t rank, int64_t *strides)
{
    int64_t stride = 1;
    for (uint32_t axis = rank; axis-- > 0;) {
        strides[axis] = stride;
        if (!npart__multiply_int64(stride, dims[axis] ? dims[axis] : 1, &stride))
            stride = 0; /* beside a size of 0 others may be anything, but then there are no elements */
    }
}

/* Serves every operator whose result takes elements at a regular distance. With the strides [12,4,1] of [2,3,4]:
 *
 *   Transpose perm=[2,0,1]       base 0, steps [1,12,4]
 *   Slice [0:2, 1:3, 3::-1]      base 7, steps [12,4,-1]
 *   Expand of [3,1] to [2,3,4]   base 0, steps [0,1,0]
 *
 * A place outside of the operand sets nothing: the model has sizes that do not fit together, and is told of
 * elsewhere. */
void npart__take_affine(const struct npart__call *call, uint32_t input, uint32_t output, int64_t base,
                        const int64_t *steps)
{
    const struct npart__fact *fact = npart__out(call, output);
    struct npart__items in;
    uint32_t count;
    struct npart__walk walk = {.out = fact, .from = base};
    int64_t number;
    const struct npart__tensor *mask = NULL;
    if (!npart__in_items(call, input, &in)) {
        mask = npart__large_mask(call, input);
        in = (struct npart__items){.is_ints = true};
        if (!mask)
            return;
    }
    if (!npart__small_count(call, fact, &count))
        return;
    uint64_t *items = npart__new_items(call, count);
    memcpy(walk.steps, steps, fact->rank * sizeof *steps);
    for (uint32_t i = 0; items && i < count; i++) {
        int64_t from = npart__walk_on(&walk);
        if (mask ? from < 0 || !npart__tensor_int64_at(mask, (uint64_t)from, &number)
                 : from < 0 || from >= (int64_t)in.count)
            return;
        items[i] = mask ? (uint64_t)number : in.data[from];
    }
    if (items)
        npart__set_items(call, output, items, count, &in);
}
