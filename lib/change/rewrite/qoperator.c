/* SPDX-License-Identifier: Apache-2.0
 *
 * Quantized operators as the float ones between DequantizeLinear and QuantizeLinear, which compilers recognize: of any
 * number of operands, and those that only move elements. The others are patterns of oplists/standard.rewrites.
 */
#include "rewrite/axes.h"

/* Operators of 8 bits, not those of 16, for which QuantizeLinear came later. The standard's QuantizeLinear has 16
 * bits since opset 21. */
static bool is_byte(const struct npart__site *site, uint32_t value)
{
    int type = npart__site_type(site, value);
    return type == NPART__UINT8 || type == NPART__INT8;
}

/* One number for all, float32; the provider of the scale must be known before the model runs. One of several, or
 * computed by the model, has no QDQ form that compilers take. */
static bool is_scale(const struct npart__site *site, uint32_t value)
{
    struct npart__dims dims;
    return value != NPART_NONE && npart__site_is_constant(site, value) &&
           npart__site_type(site, value) == NPART__FLOAT && npart__full_dims(site, value, &dims) && dims.rank <= 1 &&
           npart__volume(&dims, 0, dims.rank) == 1;
}

/* Left out it is 0. */
static bool is_zero_point(const struct npart__site *site, uint32_t value)
{
    struct npart__dims dims;
    return value == NPART_NONE || (npart__site_is_constant(site, value) && npart__full_dims(site, value, &dims) &&
                                   dims.rank <= 1 && npart__volume(&dims, 0, dims.rank) == 1);
}

/* Operands `at` (the tensor), at + 1 (its scale), at + 2 (its zero point), all for the whole tensor. */
static bool is_quantized(const struct npart__site *site, uint32_t at)
{
    /* The tensor itself may be anything of 8 bits, an activation or a weight. */
    return is_byte(site, npart__operand(site, at)) && is_scale(site, npart__operand(site, at + 1)) &&
           is_zero_point(site, npart__operand(site, at + 2));
}

/* The names come first: both may make nodes, and C leaves the order in which arguments are evaluated open. */
static const char *dequantize(struct npart__site *site, const char *x, uint32_t scale, uint32_t zero_point)
{
    const char *scale_name = npart__scalar(site, scale), *zero_name = npart__scalar(site, zero_point);
    return NPART__MAKE(site, "DequantizeLinear", x, scale_name, zero_name);
}

static const char *dequantize_operand(struct npart__site *site, uint32_t at)
{
    return dequantize(site, npart__operand_name(site, at), npart__operand(site, at + 1), npart__operand(site, at + 2));
}

/* An absent zero point means uint8. It is written out, since its type is what tells QuantizeLinear the type of its
 * result. */
static const char *quantize(struct npart__site *site, const char *y, uint32_t scale, uint32_t zero_point, int type)
{
    const char *scale_name = npart__scalar(site, scale);
    const char *zero_name = zero_point == NPART_NONE ? npart__make_scalar(site, type, 0)
                                                     : npart__scalar(site, zero_point);
    return NPART__MAKE(site, "QuantizeLinear", y, scale_name, zero_name);
}

/* The result's scale and zero point stand at `at`. */
static bool finish(struct npart__site *site, const char *y, uint32_t at)
{
    int type = npart__site_type(site, npart__result(site, 0));
    npart__finish(site, 0, quantize(site, y, npart__operand(site, at), npart__operand(site, at + 1), type));
    return true;
}

/* Result, scale and zero point all for the whole tensor. */
static bool is_result(const struct npart__site *site, uint32_t at)
{
    return is_byte(site, npart__result(site, 0)) && is_scale(site, npart__operand(site, at)) &&
           is_zero_point(site, npart__operand(site, at + 1));
}

/* com.microsoft: the result's scale and zero point, then each operand with its own. Each operand is dequantized by
 * its own scale, so scales need not be equal. */
static bool replace_concat(struct npart__site *site)
{
    /* Two operands of the result, and three for each tensor. */
    uint32_t count = site->node->input_count >= 5 ? (site->node->input_count - 2) / 3 : 0;
    if (!count || site->node->input_count != 3 * count + 2 || !is_result(site, 0))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!is_quantized(site, 2 + 3 * i))
            return false;
    const char **operands = npart__arena_zeroed(site->arena, count, sizeof *operands);
    site->failed |= !operands;
    for (uint32_t i = 0; operands && i < count; i++)
        operands[i] = dequantize_operand(site, 2 + 3 * i);
    return operands &&
           finish(site, npart__make_concat(site, operands, count, npart__site_int(site, site->id, "axis", 0)), 0);
}

/* ---- operators that move elements ---------------------------------------------------------------------------- */

/* Quantized operators of which the result has scale and zero point at an operand. The zero point is the operand
 * after it. */
static const struct {
    const char *op;
    uint32_t at;
} quantizers[] = {
    {"QuantizeLinear", 1}, {"QLinearConv", 6}, {"QLinearMatMul", 6}, {"com.microsoft:QLinearAdd", 6},
    {"com.microsoft:QLinearMul", 6}, {"com.microsoft:QLinearGlobalAveragePool", 3},
    {"com.microsoft:QLinearAveragePool", 3}, {"com.microsoft:QLinearSigmoid", 3},
    {"com.microsoft:QLinearLeakyRelu", 3}, {"com.microsoft:QLinearConcat", 0}, {"com.microsoft:QGemm", 7},
    {"com.microsoft:QLinearSoftmax", 3}, {"com.microsoft:QLinearWhere", 7},
};

/* Those that give the elements of their first operand, moved, repeated or left out. All of them take 8-bit
 * integers in the standard (MaxPool since opset 12). */
static const char *const movers[] = {"MaxPool", "Reshape", "Flatten", "Squeeze", "Unsqueeze", "Transpose", "Slice"};

/* Scale and zero point of a value that was quantized, and maybe moved since. At most 16 steps back; what lies
 * further away is not found, and the node stays. */
static bool find_scale(const struct npart__site *site, uint32_t value, uint32_t *scale, uint32_t *zero_point)
{
    for (unsigned steps = 0; steps < 16; steps++) {
        uint32_t maker = NPART_NONE;
        for (uint32_t i = 0; i < NPART__COUNT(quantizers); i++) {
            if ((maker = npart__site_maker(site, value, quantizers[i].op)) == NPART_NONE)
                continue;
            const struct npart__node *node = npart__node_at(site->graph, maker);
            *scale = npart__node_input(site->graph, node, quantizers[i].at);
            *zero_point = npart__node_input(site->graph, node, quantizers[i].at + 1);
            return is_scale(site, *scale) && is_zero_point(site, *zero_point);
        }
        for (uint32_t i = 0; i < NPART__COUNT(movers) && maker == NPART_NONE; i++)
            maker = npart__site_maker(site, value, movers[i]);
        if (maker == NPART_NONE)
            return false;
        value = npart__node_input(site->graph, npart__node_at(site->graph, maker), 0);
    }
    return false;
}

/* With a DequantizeLinear before and a QuantizeLinear of the same scale after: exact, since 8 bits times a scale
 * and divided by it are what they were, and the order of numbers is kept. Exact also for MaxPool, since a larger
 * number has a larger quantized one. Slice has five operands, the most of all movers. */
static bool replace_mover(struct npart__site *site)
{
    uint32_t value = npart__operand(site, 0), scale, zero_point, count = site->node->input_count;
    const char *operands[8];
    if (!is_byte(site, value) || count > NPART__COUNT(operands) || npart__site_is_constant(site, value) ||
        !npart__gives_one(site) || !find_scale(site, value, &scale, &zero_point) || npart__site_opset(site) < 10)
        return false;
    int type = npart__site_type(site, value);
    /* QuantizeLinear's result has the zero point's type, uint8 without one. */
    if (zero_point == NPART_NONE ? type != NPART__UINT8 : npart__site_type(site, zero_point) != type)
        return false;
    operands[0] = dequantize(site, npart__site_name(site, value), scale, zero_point);
    for (uint32_t i = 1; i < count; i++)
        operands[i] = npart__operand_name(site, i);
    const char *made = npart__make_like(site, site->id, operands, count);
    /* Indices of a MaxPool, which are unused (npart__gives_one), are not asked for again. */
    npart__give_results(site, 1);
    npart__finish(site, 0, quantize(site, made, scale, zero_point, type));
    /* Stronger than the row says, at this site. */
    site->equality = NPART_EQUAL_BITS;
    site->caveat = "";
    return true;
}

/* QuantizeLinear and DequantizeLinear are of opset 10. What is no Concat is a mover. */
bool npart__rewrite_qoperator(struct npart__site *site)
{
    if (npart__site_opset(site) < 10)
        return false;
    return npart__node_is(site->graph, site->node, "com.microsoft:QLinearConcat") ? replace_concat(site)
                                                                                  : replace_mover(site);
}
