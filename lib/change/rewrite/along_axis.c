/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators along one axis: running sums, products, the place of the largest.
 */
#include "rewrite/axes.h"

/* ---- CumSum ------------------------------------------------------------------------------------------------- */

/* A triangle has the square of this, of which each is an element of a new constant. */
#define LIMIT_SUMMED 512

/* Element (i, j) says whether result j sums element i. Exclusive leaves the element itself out, reverse sums
 * from the end. For 3 elements the rows are [1,1,1], [0,1,1], [0,0,1]; exclusive, [0,1,1], [0,0,1], [0,0,0]. */
static const char *make_triangle(struct npart__site *site, int type, int64_t size, bool is_exclusive, bool is_reverse)
{
    int64_t dims[2] = {size, size};
    double *ones = npart__arena_zeroed(site->arena, (size_t)(size * size), sizeof *ones);
    site->failed |= !ones;
    for (int64_t i = 0; ones && i < size; i++)
        for (int64_t j = 0; j < size; j++) {
            bool is_before = is_reverse ? i > j : i < j;
            ones[i * size + j] = is_before || (i == j && !is_exclusive);
        }
    return ones ? npart__make_constant(site, type, dims, 2, ones) : NULL;
}

/* A sum of some elements is a product with ones and zeros. Along another axis than the last a Transpose that swaps
 * the two stands before and after: it is its own inverse. */
bool npart__rewrite_cumsum(struct npart__site *site)
{
    struct npart__dims dims;
    int64_t order[NPART__LIMIT_RANK];
    uint32_t count, axis;
    int type = npart__site_type(site, npart__operand(site, 0));
    const int64_t *given = !npart__has_operand(site, 1)
                               ? NULL : npart__site_ints(site, npart__operand(site, 1), &count);
    if (!given || count != 1 || !npart__full_dims(site, npart__operand(site, 0), &dims) ||
        !npart__normalize_axis(given[0], dims.rank, &axis) || dims.at[axis] > LIMIT_SUMMED ||
        (type != NPART__FLOAT && type != NPART__DOUBLE && type != NPART__FLOAT16))
        return false;
    /* The axis and the last change places: of rank 4 and axis 1, [0,3,2,1]. */
    for (uint32_t i = 0; i < dims.rank; i++)
        order[i] = i == axis ? dims.rank - 1 : i == dims.rank - 1 ? axis : i;
    bool is_last = axis == dims.rank - 1;
    const char *x = npart__operand_name(site, 0);
    bool is_exclusive = npart__site_int(site, site->id, "exclusive", 0) != 0;
    bool is_reverse = npart__site_int(site, site->id, "reverse", 0) != 0;
    const char *triangle = make_triangle(site, type, dims.at[axis], is_exclusive, is_reverse);
    if (!is_last)
        x = npart__make_transpose(site, x, order, dims.rank);
    x = npart__make_matmul(site, x, triangle);
    npart__finish(site, 0, is_last ? x : npart__make_transpose(site, x, order, dims.rank));
    /* 0 times infinity is NaN, also where the element is not summed. */
    site->caveat = npart__arena_format(site->arena, "Each sum takes %lld MACs, and an infinite input makes all of its "
                                                    "row NaN.", (long long)dims.at[axis]);
    site->failed |= !site->caveat;
    return true;
}

/* ---- ReduceProd --------------------------------------------------------------------------------------------- */

#define LIMIT_FACTORS 16 /* each is a result of the Split and a Mul, one after the other */

/* The one axis that is reduced. An attribute before opset 18, an operand since. */
static bool read_axis(struct npart__site *site, uint32_t rank, uint32_t *axis)
{
    uint32_t count, list = npart__operand(site, 1);
    const int64_t *axes = list == NPART_NONE ? npart__site_int_list(site, site->id, "axes", &count)
                                             : npart__site_ints(site, list, &count);
    if (list != NPART_NONE && !axes)
        return false;
    if (!axes || !count) { /* all axes, or none */
        *axis = 0;
        return rank == 1 && !npart__site_int(site, site->id, "noop_with_empty_axes", 0);
    }
    return count == 1 && npart__normalize_axis(axes[0], rank, axis);
}

/* Split into slices of one and multiplied in their order. An axis of one element has one factor, and nothing is
 * split. [a,b,c] becomes (a * b) * c. */
bool npart__rewrite_reduce_prod(struct npart__site *site)
{
    struct npart__dims dims;
    int64_t sizes[LIMIT_FACTORS];
    const char *factors[LIMIT_FACTORS];
    uint32_t axis;
    if (!npart__full_dims(site, npart__operand(site, 0), &dims) || !dims.rank || !read_axis(site, dims.rank, &axis) ||
        dims.at[axis] > LIMIT_FACTORS)
        return false;
    uint32_t count = (uint32_t)dims.at[axis];
    int64_t squeezed = axis;
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = 1;
    factors[0] = npart__operand_name(site, 0);
    if (count > 1)
        npart__make_split(site, factors[0], axis, sizes, count);
    for (uint32_t i = 0; count > 1 && i < count; i++)
        factors[i] = npart__made_result(site, i);
    const char *product = factors[0];
    for (uint32_t i = 1; i < count; i++)
        product = npart__make_multiply(site, product, factors[i]);
    if (!npart__site_int(site, site->id, "keepdims", 1))
        product = npart__make_squeeze(site, product, &squeezed, 1);
    npart__finish(site, 0, product);
    /* One product of all elements is computed in another order, several at once. */
    if (npart__volume(&dims, 0, dims.rank) == count &&
        npart__type_is_float(npart__site_type(site, npart__operand(site, 0))))
        site->equality = NPART_EQUAL_ULP;
    return true;
}
