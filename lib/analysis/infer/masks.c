/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that take or set elements by their place alone: Trilu, EyeLike, OneHot.
 */
#include <math.h>

#include "infer/elements.h"
#include "infer/families.h"
#include "infer/numbers.h"

/* Keeps what is on one side of the diagonal that k (input 1) shifts, and puts 0 elsewhere; of leading dims, matrix by
 * matrix. Exporters build causal masks with it. With upper=0 and k=0 of [[1,2],[3,4]] it is [[1,0],[3,4]]. */
void npart__infer_trilu(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    bool keeps_upper = npart__int_attribute(call, "upper", 1) != 0;
    static const int64_t none[] = {0};
    struct npart__items items;
    uint32_t count = 1, total;
    npart__set_shape_like(call, 0, in);
    if (!in->has_rank || in->rank < 2 || !npart__may_be_known(call, 0))
        return;
    const int64_t *shift = npart__has_input(call, 1) ? npart__in_ints(call, 1, &count) : none;
    if (!shift || count != 1 || !npart__is_number(shift[0]) || !npart__small_count(call, in, &total) || total == 0 ||
        !npart__in_items(call, 0, &items))
        return;
    int64_t columns = in->dims[in->rank - 1], rows = in->dims[in->rank - 2];
    uint64_t *result = npart__new_items(call, total);
    for (uint32_t i = 0; result && i < total; i++) {
        /* How far an element is to the right of the diagonal. */
        int64_t above = i % columns - i / columns % rows;
        bool is_kept = keeps_upper ? above >= shift[0] : above <= shift[0];
        result[i] = is_kept ? items.data[i] : 0; /* the bits of 0.0 too */
    }
    if (result)
        npart__set_items(call, 0, result, total, &items);
}

/* Ones on the diagonal that k shifts. A size of the input decides, not its elements: [3,3] is known where the shape
 * is. */
void npart__infer_eye_like(struct npart__call *call)
{
    int64_t shift = npart__int_attribute(call, "k", 0);
    uint32_t total;
    npart__infer_like_input(call);
    const struct npart__fact *out = npart__out(call, 0);
    /* The standard has it for matrices only. */
    if (!npart__small_count(call, out, &total) || out->rank != 2 || out->element_type == 0)
        return;
    int64_t *result = npart__new_ints(call, total);
    for (uint32_t i = 0; result && i < total; i++)
        result[i] = i % out->dims[1] - i / out->dims[1] == shift;
    npart__set_ints(call, 0, result, total);
}

/* Where the index says so the second of two values (`values` is [off, on]), elsewhere the first; output 0's shape is
 * set. An index from -depth to -1 counts from the end; any other is no place at all, so its line is off throughout.
 * Indices may be of a floating point type, but not fractions. */
static void mark_hot(struct npart__call *call, uint32_t axis, int64_t depth)
{
    const struct npart__fact *out = npart__out(call, 0);
    struct npart__numbers indices;
    struct npart__items values;
    uint32_t total, inner = 1;
    if (!npart__may_be_known(call, 0) || !npart__may_be_known(call, 2) || !npart__small_count(call, out, &total) ||
        !npart__in_numbers(call, 0, &indices) || indices.error != 0 || !npart__in_items(call, 2, &values) ||
        values.count != 2)
        return;
    for (uint32_t i = axis + 1; i < out->rank; i++)
        inner *= (uint32_t)out->dims[i];
    uint64_t *result = npart__new_items(call, total);
    for (uint32_t i = 0; result && i < total; i++) {
        int64_t at = i / inner % (uint32_t)depth;
        /* The index that this line of the new axis belongs to. */
        double index = npart__number_at(&indices, (uint32_t)(i / inner / depth * inner + i % inner));
        if (index != floor(index))
            return;
        index += index < 0 ? (double)depth : 0;
        result[i] = values.data[index == (double)at];
    }
    if (result)
        npart__set_items(call, 0, result, total, &values);
}

/* One more axis, of size `depth` (input 1): indices [2,3], depth 10, axis -1 -> [2,3,10]. The type is that of
 * `values`. */
void npart__infer_one_hot(struct npart__call *call)
{
    const struct npart__fact *indices = npart__in(call, 0);
    int64_t depth = npart__in_number(call, 1, NPART__UNKNOWN);
    uint32_t axis;
    npart__set_type_like(call, 0, 2);
    if (!indices->has_rank ||
        !npart__normalize_axis(npart__int_attribute(call, "axis", -1), indices->rank + 1u, &axis))
        return;
    npart__set_dims(call, 0, indices->rank + 1u, npart__splice_dims(call, indices, axis, 0, &depth, 1));
    /* A symbolic depth leaves a shape that is not static, which mark_hot sees. */
    if (depth != NPART__UNKNOWN)
        mark_hot(call, axis, depth);
}
