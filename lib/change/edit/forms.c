/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that rewrites make again and again, and those whose form depends on the opset: what became an operand
 * stands as an attribute before.
 */
#include "edit/edit.h"

#define PAIR(function, op)                                                                                             \
    const char *npart__make_##function(struct npart__site *site, const char *a, const char *b)                         \
    {                                                                                                                  \
        return NPART__MAKE(site, op, a, b);                                                                            \
    }
PAIR(add, "Add")
PAIR(subtract, "Sub")
PAIR(multiply, "Mul")
PAIR(divide, "Div")
PAIR(matmul, "MatMul")
PAIR(less, "Less")
PAIR(greater, "Greater")
PAIR(and, "And")
PAIR(or, "Or")
PAIR(gather, "Gather")
#undef PAIR

const char *npart__make_where(struct npart__site *site, const char *condition, const char *yes, const char *no)
{
    return NPART__MAKE(site, "Where", condition, yes, no);
}

const char *npart__make_not(struct npart__site *site, const char *x)
{
    return NPART__MAKE(site, "Not", x);
}

const char *npart__make_expand(struct npart__site *site, const char *x, const int64_t *dims, uint32_t rank)
{
    return NPART__MAKE(site, "Expand", x, npart__make_ints(site, dims, rank));
}

/* Whether the operator takes as an operand what was an attribute before. */
static bool takes_operand(const struct npart__site *site, const char *op, const char *attribute)
{
    const struct npart__attribute_move *move = npart__move_of(op, attribute);
    return move && npart__site_opset(site) >= move->since;
}

/* Operand and attribute mean the same, so what uses the result sees no difference. A squeeze of axis 1: attribute
 * axes [1] up to opset 12, an INT64 constant [1] afterwards. */
static const char *make_with_list(struct npart__site *site, const char *op, const char *x, const char *attribute,
                                  const int64_t *values, uint32_t count)
{
    if (takes_operand(site, op, attribute))
        return NPART__MAKE(site, op, x, npart__make_ints(site, values, count));
    const char *made = NPART__MAKE(site, op, x);
    npart__give_ints(site, attribute, values, count);
    return made;
}

/* From opset 14 on a 0 may stand for itself; before, there is no way to say it, and it is the same dim's. Below
 * opset 5 the shape is an attribute. Of [2,0,4] `allowzero` is 1. */
const char *npart__make_reshape(struct npart__site *site, const char *x, const int64_t *dims, uint32_t rank)
{
    bool has_zero = false;
    /* A 0 would else be read as "copy this dim of the operand". */
    for (uint32_t i = 0; i < rank; i++)
        has_zero |= dims[i] == 0;
    const char *made;
    if (npart__site_opset(site) >= 5) {
        made = NPART__MAKE(site, "Reshape", x, npart__make_ints(site, dims, rank));
        if (has_zero && npart__site_opset(site) >= 14)
            npart__give_int(site, "allowzero", 1);
        return made;
    }
    made = NPART__MAKE(site, "Reshape", x);
    npart__give_ints(site, "shape", dims, rank);
    return made;
}

/* Result axis i is axis order[i] of the operand, in every version. */
const char *npart__make_transpose(struct npart__site *site, const char *x, const int64_t *order, uint32_t rank)
{
    const char *made = NPART__MAKE(site, "Transpose", x);
    npart__give_ints(site, "perm", order, rank);
    return made;
}

/* The attribute `to` is a number since opset 6, and a text before. Those who make a Cast replace operators of later
 * opsets, so only the number is written. */
const char *npart__make_cast(struct npart__site *site, const char *x, int element_type)
{
    const char *made = NPART__MAKE(site, "Cast", x);
    npart__give_int(site, "to", element_type);
    return made;
}

const char *npart__make_unsqueeze(struct npart__site *site, const char *x, const int64_t *axes, uint32_t count)
{
    return make_with_list(site, "Unsqueeze", x, "axes", axes, count);
}

const char *npart__make_squeeze(struct npart__site *site, const char *x, const int64_t *axes, uint32_t count)
{
    return make_with_list(site, "Squeeze", x, "axes", axes, count);
}

const char *npart__make_with_axes(struct npart__site *site, const char *op, const char *x, const int64_t *axes,
                                  uint32_t count)
{
    return make_with_list(site, op, x, "axes", axes, count);
}

const char *npart__make_concat(struct npart__site *site, const char *const *operands, uint32_t count, int64_t axis)
{
    const char *made = npart__make(site, "Concat", operands, count);
    npart__give_int(site, "axis", axis);
    return made;
}

/* Before opset 10 there are no steps. A step other than 1 makes the site impossible there, and no error. */
const char *npart__make_slice(struct npart__site *site, const char *x, int64_t axis, int64_t start, int64_t end,
                              int64_t step)
{
    if (takes_operand(site, "Slice", "starts"))
        return NPART__MAKE(site, "Slice", x, npart__make_ints(site, &start, 1), npart__make_ints(site, &end, 1),
                           npart__make_ints(site, &axis, 1), npart__make_ints(site, &step, 1));
    site->failed |= step != 1;
    site->is_impossible |= step != 1;
    const char *made = NPART__MAKE(site, "Slice", x);
    npart__give_ints(site, "starts", &start, 1);
    npart__give_ints(site, "ends", &end, 1);
    npart__give_ints(site, "axes", &axis, 1);
    return made;
}

const char *npart__make_reduce(struct npart__site *site, const char *op, const char *x, const int64_t *axes,
                               uint32_t count, bool keeps_dims)
{
    const char *made = make_with_list(site, op, x, "axes", axes, count);
    npart__give_int(site, "keepdims", keeps_dims);
    return made;
}

#define REDUCTION(function, op)                                                                                        \
    const char *npart__make_##function(struct npart__site *site, const char *x, const int64_t *axes, uint32_t count,   \
                                       bool keeps_dims)                                                                \
    {                                                                                                                  \
        return npart__make_reduce(site, op, x, axes, count, keeps_dims);                                               \
    }
REDUCTION(reduce_sum, "ReduceSum")
REDUCTION(reduce_mean, "ReduceMean")
#undef REDUCTION

const char *npart__make_pad(struct npart__site *site, const char *x, const int64_t *pads, uint32_t rank)
{
    return make_with_list(site, "Pad", x, "pads", pads, 2 * rank);
}

/* All axes before `axis` as one, and all from it on as another. */
const char *npart__make_flatten(struct npart__site *site, const char *x, int64_t axis)
{
    const char *made = NPART__MAKE(site, "Flatten", x);
    npart__give_int(site, "axis", axis);
    return made;
}

const char *npart__make_shape(struct npart__site *site, const char *x)
{
    return NPART__MAKE(site, "Shape", x);
}

/* From opset 5 on. */
const char *npart__make_reshape_by(struct npart__site *site, const char *x, const char *dims)
{
    return NPART__MAKE(site, "Reshape", x, dims);
}

/* Since opset 18 `num_outputs` may stand for sizes; sizes are always given here, which every version takes. */
const char *npart__make_split(struct npart__site *site, const char *x, int64_t axis, const int64_t *sizes,
                              uint32_t count)
{
    const char *made = make_with_list(site, "Split", x, "split", sizes, count);
    npart__give_results(site, count);
    npart__give_int(site, "axis", axis);
    return made;
}
