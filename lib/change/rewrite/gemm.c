/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "infer/numbers.h"
#include "rewrite/axes.h"

/* ONNX Runtime sums more products than this in parts, and adds C to the first (MLAS, MLAS_SGEMM_STRIDEK). Up to it
 * the order of additions is that of the nodes that are made here. */
#define LIMIT_EXACT_DEPTH 128

/* Multiplying by one changes the exponent alone, so nothing is rounded, whenever it is done. */
static bool is_power_of_two(double number)
{
    int exponent;
    double fraction = fabs(frexp(number, &exponent));
    return fraction >= 0.5 && fraction <= 0.5;
}

/* By bounds, as == of floats would be warned of; a NaN is not 1. */
static bool is_one(double number)
{
    return number >= 1 && number <= 1;
}

/* Whether the products are summed at once, as those of a vector are not. One row or column is another kernel. */
static bool is_small(const struct npart__site *site)
{
    struct npart__dims a, y;
    return npart__full_dims(site, npart__operand(site, 0), &a) && npart__full_dims(site, npart__result(site, 0), &y) &&
           a.rank == 2 && y.rank == 2 && y.at[0] > 1 && y.at[1] > 1 &&
           a.at[npart__site_int(site, site->id, "transA", 0) ? 0 : 1] <= LIMIT_EXACT_DEPTH;
}

/* Whether a factor is one of the type but for rounding. Gemm computes in float: of float16, 1e-8 would become 0, 1e5
 * infinite, and what is below the smallest normal number would have few digits left. */
static bool has_digits(int type, double factor)
{
    return isfinite(npart__round_number(type, factor)) &&
           npart__unit_at(type, factor) <= ldexp(fabs(factor), 1 - npart__digits_of(type));
}

/* alpha A B + beta C, one after the other. Where beta is 0, C is not read: it may hold NaN. A factor of 0, which
 * makes NaN of infinities, is left to Gemm. C may be left out since opset 11. */
bool npart__rewrite_gemm_scale(struct npart__site *site)
{
    double alpha = npart__site_float(site, site->id, "alpha", 1), beta = npart__site_float(site, site->id, "beta", 1);
    int type = npart__site_type(site, npart__operand(site, 0));
    /* A beta of 0, of either sign, leaves C out. */
    bool has_sum = npart__has_operand(site, 2) && fabs(beta) > 0;
    bool scales_sum = has_sum && !is_one(beta);
    if (!npart__is_plain_float(type) || !(fabs(alpha) > 0) || !isfinite(alpha) || !isfinite(beta) ||
        site->node->opset_version < 11 || (is_one(alpha) && is_one(beta)) || !has_digits(type, alpha) ||
        (scales_sum && !has_digits(type, beta)))
        return false;
    const char *operands[2] = {npart__operand_name(site, 0), npart__operand_name(site, 1)};
    /* The copy keeps transA and transB. Without alpha and beta it has the defaults, which are 1. */
    const char *made = npart__make_like(site, site->id, operands, 2);
    npart__drop_attribute(site, "alpha");
    npart__drop_attribute(site, "beta");
    if (!is_one(alpha))
        made = npart__make_multiply(site, made, npart__make_scalar(site, type, alpha));
    if (has_sum) {
        const char *sum = npart__operand_name(site, 2);
        if (scales_sum)
            sum = npart__make_multiply(site, sum, npart__make_scalar(site, type, beta));
        made = npart__make_add(site, made, sum);
    }
    npart__finish(site, 0, made);
    if (type == NPART__FLOAT && is_small(site) && is_power_of_two(alpha) && (!has_sum || is_power_of_two(beta)))
        site->equality = NPART_EQUAL_BITS;
    if (type == NPART__FLOAT16) {
        site->equality = NPART_EQUAL_APPROX;
        site->caveat = "A sum above 65504 is infinite before it is scaled, and a small one loses digits.";
    }
    return true;
}
