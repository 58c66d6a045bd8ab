/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that look for elements, so that the data may decide the size: NonZero, Compress, NonMaxSuppression. Where
 * the data are not known, the size is data-dependent: a nameless symbol, bounded by how many elements there are.
 *
 *   NonZero   bool[2,5]           ->  int64[2,n], n at most 10
 *   Compress  [8,4], axis 0       ->  [n,4], n at most 8
 */
#include <math.h>

#include "infer/elements.h"
#include "infer/families.h"
#include "infer/numbers.h"

/* ---- results whose size depends on the data -------------------------------------------------------------- */

/* As many as there are elements, at most. */
static int64_t most_elements(const struct npart__call *call, const struct npart__fact *in)
{
    return in->has_rank ? npart__upper_bound(call->pool, npart__dims_product(call, in->dims, 0, in->rank)) : INT64_MAX;
}

/* Of each element whether it is not 0; false when that is not known of one: it is symbolic, or may be off by as much as
 * it is away from 0. */
static bool find_nonzero(struct npart__call *call, bool **out, uint32_t *count, uint32_t *found)
{
    struct npart__numbers numbers;
    *found = 0;
    if (!npart__may_be_known(call, 0) || !npart__in_numbers(call, 0, &numbers))
        return false;
    *count = numbers.count;
    *out = npart__new_array(call, numbers.count, sizeof **out);
    for (uint32_t i = 0; *out && i < numbers.count; i++) {
        double number = npart__number_at(&numbers, i);
        if (numbers.error != 0 && fabs(number) <= numbers.error)
            return false;
        (*out)[i] = number != 0;
        *found += number != 0;
    }
    return *out != NULL;
}

/* One row for each axis, one column for each element that is not 0, in row-major order: of [[1,0],[1,1]] the rows are
 * [0,1,1] and [0,0,1]. Exporters compute positions by NonZero of ConstantOfShape, so it is followed. */
void npart__infer_nonzero(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    npart__set_element_type(call, 0, NPART__INT64);
    /* Of a scalar, ONNX gives no rows and ONNX Runtime one. */
    int64_t rows = in->has_rank && in->rank ? in->rank : NPART__UNKNOWN;
    uint32_t count, found, total, next = 0;
    bool *is_set;
    if (rows == NPART__UNKNOWN || !find_nonzero(call, &is_set, &count, &found)) {
        NPART__SET_SIZES(call, 0, rows, npart__bounded_symbol(call->pool, most_elements(call, in)));
        return;
    }
    NPART__SET_SIZES(call, 0, rows, found);
    if (!npart__small_count(call, npart__out(call, 0), &total))
        return;
    int64_t strides[NPART__LIMIT_RANK], *ints = npart__new_ints(call, total);
    npart__strides(in->dims, in->rank, strides);
    for (uint32_t i = 0; ints && i < count; i++) {
        if (!is_set[i])
            continue;
        for (uint32_t axis = 0; axis < in->rank; axis++)
            /* Row `axis` has that coordinate of each element. */
            ints[axis * found + next] = i / strides[axis] % in->dims[axis];
        next++;
    }
    npart__set_ints(call, 0, ints, total);
}

/* The slices that the condition takes; output 0's shape is set. Elements come in the order of the operand, so one
 * walk over it suffices. */
static void take_compressed(struct npart__call *call, const int64_t *condition, uint32_t count, uint32_t axis,
                            bool is_flat)
{
    const struct npart__fact *in = npart__in(call, 0);
    struct npart__items items;
    uint32_t total, next = 0, inner = 1;
    if (!npart__may_be_known(call, 0) || !npart__in_items(call, 0, &items) ||
        !npart__small_count(call, npart__out(call, 0), &total) || items.count == 0)
        return;
    for (uint32_t i = axis + 1; i < in->rank && !is_flat; i++)
        inner *= (uint32_t)in->dims[i];
    uint32_t extent = is_flat ? items.count : (uint32_t)in->dims[axis];
    uint64_t *result = npart__new_items(call, total);
    for (uint32_t flat = 0; result && flat < items.count; flat++) {
        uint32_t at = flat / inner % extent;
        if (at < count && condition[at] && next < total)
            result[next++] = items.data[flat];
    }
    if (result && next == total)
        npart__set_items(call, 0, result, total, &items);
}

/* Takes the slices of an axis at which the condition (input 1) is true; without an axis, elements of all in one line.
 * The condition may be shorter than the axis; what it does not cover is left out. */
void npart__infer_compress(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    const struct npart__attribute *attribute = npart__node_attribute(call->graph, call->node, "axis");
    uint32_t axis = 0, count, rank = attribute ? in->rank : 1;
    if (attribute && (!in->has_rank || !npart__normalize_axis(npart__int_attribute(call, "axis", 0), in->rank, &axis)))
        return;
    int64_t *dims = attribute ? npart__copy_dims(call, in, 0) : npart__new_dims(call, 1);
    if (!dims)
        return;
    dims[axis] = NPART__UNKNOWN;
    const int64_t *condition = npart__in_ints(call, 1, &count);
    int64_t extent = attribute      ? in->dims[axis]
                     : in->has_rank ? npart__dims_product(call, in->dims, 0, in->rank)
                                    : NPART__UNKNOWN;
    /* What is longer is cut off by ONNX Runtime; the standard has no such conditions. */
    if (npart__is_number(extent) && count > extent)
        count = (uint32_t)extent;
    /* The size is how many of it are true; one symbol among them leaves it unknown. */
    if (condition) {
        dims[axis] = 0;
        for (uint32_t i = 0; i < count; i++)
            dims[axis] = npart__is_number(condition[i]) && dims[axis] != NPART__UNKNOWN
                             ? dims[axis] + (condition[i] != 0)
                             : NPART__UNKNOWN;
    }
    bool is_known = dims[axis] != NPART__UNKNOWN;
    if (!is_known)
        dims[axis] = npart__bounded_symbol(call->pool, attribute ? npart__upper_bound(call->pool, in->dims[axis])
                                                                 : most_elements(call, in));
    npart__set_dims(call, 0, rank, dims);
    if (is_known)
        take_compressed(call, condition, count, axis, attribute == NULL);
}

/* [selected, 3]: batch, class, box. Bounded by the number of scores [batches, classes, boxes], as each box is selected
 * once for a class at most. How many a class may keep (input 2) is rarely constant in exports. */
void npart__infer_non_max_suppression(struct npart__call *call)
{
    npart__set_element_type(call, 0, NPART__INT64);
    NPART__SET_SIZES(call, 0, npart__bounded_symbol(call->pool, most_elements(call, npart__in(call, 1))), 3);
}
