/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that look for elements, so that the data may decide the size; and Pad.
 */
#include "infer/elements.h"
#include "infer/families.h"
#include "infer/functions.h"

/* ---- Pad ------------------------------------------------------------------------------------------------- */

void npart__infer_pad(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t count, axis_count;
    const int64_t *pads = npart__ints_attribute(call, "pads", &count);
    if (!pads)
        pads = npart__ints_attribute(call, "paddings", &count); /* opset 1 */
    if (!pads)
        pads = npart__in_ints(call, 1, &count);
    const int64_t *axes = npart__in_ints(call, 3, &axis_count);
    if (!in->has_rank && pads && count % 2 == 0 && !npart__has_input(call, 3)) /* two for each axis */
        npart__set_rank(call, 0, count / 2);
    if (!in->has_rank)
        return;
    bool knows_axes = !npart__has_input(call, 3) || axes;
    uint32_t padded = axes ? axis_count : in->rank;
    if (!pads || !knows_axes || count != 2 * padded) {
        npart__set_rank(call, 0, in->rank);
        return;
    }
    int64_t *dims = npart__new_dims(call, in->rank);
    if (!dims)
        return;
    memcpy(dims, in->dims, in->rank * sizeof *dims);
    for (uint32_t i = 0; i < padded; i++) {
        uint32_t axis = i;
        if (axes && (!npart__is_number(axes[i]) || !npart__normalize_axis(axes[i], in->rank, &axis)))
            return;
        int64_t both = npart__sum(call->pool, pads[i], pads[padded + i]);
        dims[axis] = npart__sum(call->pool, dims[axis], both);
    }
    npart__set_dims(call, 0, in->rank, dims);
}

/* ---- results whose size depends on the data -------------------------------------------------------------- */

/* As many as there are elements, at most. */
static int64_t most_elements(const struct npart__call *call, const struct npart__fact *in)
{
    return in->has_rank ? npart__upper_bound(call->pool, npart__dims_product(call, in->dims, 0, in->rank)) : INT64_MAX;
}

void npart__infer_nonzero(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    struct npart__items items;
    npart__set_element_type(call, 0, NPART__INT64);
    int64_t *dims = npart__new_dims(call, 2);
    if (!dims)
        return;
    /* Of a scalar, ONNX gives no rows and ONNX Runtime one. */
    dims[0] = in->has_rank && in->rank ? in->rank : NPART__UNKNOWN;
    dims[1] = NPART__UNKNOWN;
    if (dims[0] == NPART__UNKNOWN || !npart__in_items(call, 0, &items) || !items.is_ints) {
        dims[1] = npart__bounded_symbol(call->pool, most_elements(call, in));
        npart__set_dims(call, 0, 2, dims);
        return;
    }
    uint32_t found = 0, total;
    for (uint32_t i = 0; i < items.count; i++) {
        if (!npart__is_number((int64_t)items.data[i])) {
            dims[1] = npart__bounded_symbol(call->pool, items.count);
            npart__set_dims(call, 0, 2, dims);
            return;
        }
        found += items.data[i] != 0;
    }
    dims[1] = found;
    npart__set_dims(call, 0, 2, dims);
    if (!npart__small_count(npart__out(call, 0), &total))
        return;
    int64_t strides[NPART__LIMIT_RANK], *ints = npart__new_ints(call, total);
    npart__strides(in->dims, in->rank, strides);
    uint32_t next = 0;
    for (uint32_t i = 0; ints && i < items.count; i++) {
        if (items.data[i] == 0)
            continue;
        for (uint32_t axis = 0; axis < in->rank; axis++)
            ints[axis * found + next] = i / strides[axis] % in->dims[axis];
        next++;
    }
    npart__set_ints(call, 0, ints, total);
}

void npart__infer_compress(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    const struct npart__attribute *attribute = npart__node_attribute(call->graph, call->node, "axis");
    uint32_t axis = 0, count, rank = attribute ? in->rank : 1;
    if (attribute && (!in->has_rank || !npart__normalize_axis(npart__int_attribute(call, "axis", 0), in->rank, &axis)))
        return;
    int64_t *dims = npart__new_dims(call, rank);
    if (!dims)
        return;
    if (attribute)
        memcpy(dims, in->dims, rank * sizeof *dims);
    dims[axis] = NPART__UNKNOWN;
    const int64_t *condition = npart__in_ints(call, 1, &count);
    if (condition) {
        dims[axis] = 0;
        for (uint32_t i = 0; i < count; i++)
            dims[axis] = npart__is_number(condition[i]) && dims[axis] != NPART__UNKNOWN
                             ? dims[axis] + (condition[i] != 0)
                             : NPART__UNKNOWN;
    }
    if (dims[axis] == NPART__UNKNOWN)
        dims[axis] = npart__bounded_symbol(call->pool, attribute ? npart__upper_bound(call->pool, in->dims[axis])
                                                                 : most_elements(call, in));
    npart__set_dims(call, 0, rank, dims);
}

void npart__infer_unique(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    const struct npart__attribute *attribute = npart__node_attribute(call->graph, call->node, "axis");
    uint32_t axis = 0, rank = attribute ? in->rank : 1;
    for (uint32_t i = 1; i < 4; i++)
        npart__set_element_type(call, i, NPART__INT64);
    if (attribute && (!in->has_rank || !npart__normalize_axis(npart__int_attribute(call, "axis", 0), in->rank, &axis)))
        return;
    int64_t *dims = npart__new_dims(call, rank), *inverse = npart__new_dims(call, 1);
    if (!dims || !inverse)
        return;
    if (attribute)
        memcpy(dims, in->dims, rank * sizeof *dims);
    int64_t most = attribute ? npart__upper_bound(call->pool, in->dims[axis]) : most_elements(call, in);
    int64_t found = npart__bounded_symbol(call->pool, most);
    dims[axis] = found;
    npart__set_dims(call, 0, rank, dims);
    inverse[0] = attribute       ? in->dims[axis]
                 : in->has_rank ? npart__dims_product(call, in->dims, 0, in->rank)
                                : NPART__UNKNOWN;
    npart__set_dims(call, 2, 1, inverse);
    for (uint32_t i = 1; i < 4; i += 2) {
        int64_t *length = npart__new_dims(call, 1);
        if (length)
            length[0] = found;
        npart__set_dims(call, i, 1, length);
    }
}

/* Boxes of every class of every batch, at most; those that a class may keep are rarely constant in exports. */
void npart__infer_non_max_suppression(struct npart__call *call)
{
    int64_t *dims = npart__new_dims(call, 2);
    npart__set_element_type(call, 0, NPART__INT64);
    if (!dims)
        return;
    dims[0] = npart__bounded_symbol(call->pool, most_elements(call, npart__in(call, 1)));
    dims[1] = 3;
    npart__set_dims(call, 0, 2, dims);
}

/* ---- others ---------------------------------------------------------------------------------------------- */

void npart__infer_one_hot(struct npart__call *call)
{
    const struct npart__fact *indices = npart__in(call, 0);
    uint32_t count, axis;
    const int64_t *depth = npart__in_ints(call, 1, &count);
    if (npart__in(call, 2)->element_type)
        npart__set_element_type(call, 0, npart__in(call, 2)->element_type);
    if (!indices->has_rank ||
        !npart__normalize_axis(npart__int_attribute(call, "axis", -1), indices->rank + 1u, &axis))
        return;
    int64_t *dims = npart__new_dims(call, indices->rank + 1u);
    for (uint32_t i = 0, next = 0; dims && i <= indices->rank; i++)
        dims[i] = i == axis ? (depth && count == 1 ? depth[0] : NPART__UNKNOWN) : indices->dims[next++];
    npart__set_dims(call, 0, indices->rank + 1u, dims);
}

void npart__infer_top_k(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t axis, count;
    const int64_t *k = npart__in_ints(call, 1, &count);
    int64_t taken = k && count == 1 ? k[0] : npart__int_attribute(call, "k", NPART__UNKNOWN);
    npart__set_element_type(call, 1, NPART__INT64);
    if (!in->has_rank || !npart__normalize_axis(npart__int_attribute(call, "axis", -1), in->rank, &axis))
        return;
    if (taken == NPART__UNKNOWN)
        taken = npart__bounded_symbol(call->pool, npart__upper_bound(call->pool, in->dims[axis]));
    for (uint32_t i = 0; i < 2; i++) {
        int64_t *dims = npart__new_dims(call, in->rank);
        if (!dims)
            return;
        memcpy(dims, in->dims, in->rank * sizeof *dims);
        dims[axis] = taken;
        npart__set_dims(call, i, in->rank, dims);
    }
}
