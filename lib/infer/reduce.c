/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions: Reduce*, ArgMax, ArgMin.
 */
#include "infer/elements.h"
#include "infer/families.h"
#include "infer/functions.h"

static int64_t reduce_two(struct npart__call *call, int64_t a, int64_t b)
{
    switch ((enum npart__reduction)call->row->parameter) {
    case NPART__REDUCE_SUM:
        return npart__sum(call->pool, a, b);
    case NPART__REDUCE_PRODUCT:
        return npart__product(call->pool, a, b);
    case NPART__REDUCE_MAXIMUM:
        return npart__maximum(call->pool, a, b);
    default:
        return npart__minimum(call->pool, a, b);
    }
}

/* Folds each element into its place of the result, as exporters do with shapes. */
static void reduce_elements(struct npart__call *call, const bool *drops)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t count, total;
    const int64_t *ints = npart__in_ints(call, 0, &count);
    if (!ints || count == 0 || call->row->parameter == NPART__REDUCE_OTHER || !npart__is_static(in) ||
        !npart__small_count(npart__out(call, 0), &total))
        return;
    int64_t steps[NPART__LIMIT_RANK], stride = 1, *result = npart__new_ints(call, total);
    for (uint32_t axis = in->rank; axis-- > 0;) {
        steps[axis] = drops[axis] ? 0 : stride;
        stride *= drops[axis] ? 1 : in->dims[axis];
    }
    for (uint32_t i = 0; result && i < total; i++)
        result[i] = NPART__UNKNOWN;
    for (uint32_t flat = 0; result && flat < count; flat++) {
        int64_t place = 0, rest = flat;
        for (uint32_t axis = in->rank; axis-- > 0; rest /= in->dims[axis])
            place += rest % in->dims[axis] * steps[axis];
        result[place] = result[place] == NPART__UNKNOWN ? ints[flat] : reduce_two(call, result[place], ints[flat]);
    }
    npart__set_ints(call, 0, result, total);
}

/* Which axes go: an attribute until they became input 1. False when nobody knows. */
static bool read_reduced(struct npart__call *call, uint32_t rank, bool *drops)
{
    uint32_t count, axis;
    const int64_t *axes = npart__ints_attribute(call, "axes", &count);
    bool is_input = !axes && npart__has_input(call, 1);
    if (is_input)
        axes = npart__in_ints(call, 1, &count);
    if (is_input && !axes) {
        const struct npart__fact *list = npart__in(call, 1);
        bool is_empty = list->has_rank && list->rank == 1 && list->dims[0] == 0;
        if (!is_empty)
            return false;
    }
    bool takes_all = count == 0 && !npart__int_attribute(call, "noop_with_empty_axes", 0);
    for (uint32_t i = 0; i < rank; i++)
        drops[i] = takes_all;
    for (uint32_t i = 0; i < count; i++) {
        if (!npart__is_number(axes[i]) || !npart__normalize_axis(axes[i], rank, &axis))
            return false;
        drops[axis] = true;
    }
    return true;
}

/* The rank where it is known how many axes go, but not which. */
static void set_reduced_rank(struct npart__call *call, bool keeps)
{
    const struct npart__fact *in = npart__in(call, 0), *list = npart__in(call, 1);
    bool has_count = list->has_rank && list->rank == 1 && npart__is_number(list->dims[0]);
    if (keeps)
        npart__set_rank(call, 0, in->rank);
    else if (has_count && list->dims[0] > 0 && list->dims[0] <= in->rank)
        npart__set_rank(call, 0, in->rank - (uint32_t)list->dims[0]);
}

void npart__infer_reduce(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    bool keeps = npart__int_attribute(call, "keepdims", 1) != 0, drops[NPART__LIMIT_RANK] = {false};
    uint32_t count, kept = 0;
    npart__widen_type(call);
    if (!in->has_rank) {
        bool takes_all = !npart__ints_attribute(call, "axes", &count) && !npart__has_input(call, 1) &&
                         !npart__int_attribute(call, "noop_with_empty_axes", 0);
        if (takes_all && !keeps)
            npart__set_rank(call, 0, 0);
        return;
    }
    if (!read_reduced(call, in->rank, drops)) {
        set_reduced_rank(call, keeps);
        return;
    }
    int64_t *dims = npart__new_dims(call, in->rank);
    if (!dims)
        return;
    for (uint32_t i = 0; i < in->rank; i++) {
        if (!drops[i])
            dims[kept++] = in->dims[i];
        else if (keeps)
            dims[kept++] = 1;
    }
    npart__set_dims(call, 0, kept, dims);
    reduce_elements(call, drops);
}

void npart__infer_arg_extreme(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    bool keeps = npart__int_attribute(call, "keepdims", 1) != 0;
    uint32_t axis, kept = 0;
    npart__set_element_type(call, 0, NPART__INT64);
    if (!in->has_rank || !npart__normalize_axis(npart__int_attribute(call, "axis", 0), in->rank, &axis))
        return;
    int64_t *dims = npart__new_dims(call, in->rank);
    for (uint32_t i = 0; dims && i < in->rank; i++) {
        if (i != axis)
            dims[kept++] = in->dims[i];
        else if (keeps)
            dims[kept++] = 1;
    }
    npart__set_dims(call, 0, kept, dims);
}
