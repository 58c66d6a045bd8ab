/* SPDX-License-Identifier: Apache-2.0
 *
 * Quantized operators as the float ones between DequantizeLinear and QuantizeLinear, which compilers recognize:
 *
 *     y = QLinearConv(x, xs, xz, w, ws, wz, ys, yz, bias)
 *     z = Conv(DequantizeLinear(x, xs, xz), DequantizeLinear(w, ws, wz), DequantizeLinear(bias, xs * ws))
 *     y = QuantizeLinear(z, ys, yz)
 *
 * A kernel of whole numbers rounds once, and multiplies by one factor; so results differ by a step at most.
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

/* A scale or zero point of rank 0: with one of rank 1 QuantizeLinear would take an axis. Rank 0 is what every
 * version of DequantizeLinear takes. */
static const char *scalar(struct npart__site *site, uint32_t value)
{
    const struct npart__dims dims = {.rank = 0};
    double number;
    if (value == NPART_NONE)
        return "";
    if (npart__has_dims(site, value, &dims))
        return npart__site_name(site, value);
    if (npart__site_number(site, value, &number))
        return npart__make_scalar(site, npart__site_type(site, value), number);
    return npart__view(site, value, &dims);
}

/* The names come first: both may make nodes, and C leaves the order in which arguments are evaluated open. */
static const char *dequantize(struct npart__site *site, const char *x, uint32_t scale, uint32_t zero_point)
{
    const char *scale_name = scalar(site, scale), *zero_name = scalar(site, zero_point);
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
    const char *scale_name = scalar(site, scale);
    const char *zero_name = zero_point == NPART_NONE ? npart__make_scalar(site, type, 0) : scalar(site, zero_point);
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

/* ---- weights and bias ---------------------------------------------------------------------------------------- */

/* Constant weights with one scale, or one for each of `channels` along the axis, which needs opset 13.
 * DequantizeLinear has an axis since then. */
static bool is_weight(const struct npart__site *site, uint32_t at, int64_t channels)
{
    struct npart__dims scale, zero;
    uint32_t scales = npart__operand(site, at + 1), zeros = npart__operand(site, at + 2);
    if (is_quantized(site, at))
        return true;
    if (!is_byte(site, npart__operand(site, at)) || npart__site_opset(site) < 13 || scales == NPART_NONE ||
        !npart__site_is_constant(site, scales) || npart__site_type(site, scales) != NPART__FLOAT ||
        !npart__full_dims(site, scales, &scale) || scale.rank != 1 || scale.at[0] != channels)
        return false;
    return zeros == NPART_NONE || (npart__site_is_constant(site, zeros) && npart__full_dims(site, zeros, &zero) &&
                                   npart__same_dims(&scale, &zero));
}

/* ONNX Runtime's uint8 by int8 kernels on older x86 add pairs of products in 16 bits, which saturate; in floating
 * point nothing does, so the results differ by more than a step there. */
static const char *dequantize_weight(struct npart__site *site, uint32_t at, int64_t axis)
{
    if (npart__site_type(site, npart__operand(site, 0)) == NPART__UINT8 &&
        npart__site_type(site, npart__operand(site, at)) == NPART__INT8)
        site->caveat = "Results may differ by one quantization step per operator; by more where ONNX Runtime's kernels "
                       "for uint8 by int8 saturate, on x86 without VNNI.";
    if (is_scale(site, npart__operand(site, at + 1)))
        return dequantize_operand(site, at);
    const char *made = NPART__MAKE(site, "DequantizeLinear", npart__operand_name(site, at),
                                   npart__operand_name(site, at + 1), npart__operand_name(site, at + 2));
    npart__give_int(site, "axis", axis);
    return made;
}

/* The bias has the scale x * w * factor, of each channel if w has. Where the scales are too many to be read, a product
 * of constants stands for them, which the runtime computes when it loads the model. As the standard has it: the
 * bias is quantized with the product of the scales and the zero point 0. Computed in float, as a runtime would. */
static const char *dequantize_bias(struct npart__site *site, uint32_t bias, uint32_t x_scale, uint32_t w_scale,
                                   double factor)
{
    struct npart__dims dims;
    double x;
    uint32_t count;
    bool is_one_scale = is_scale(site, w_scale);
    const double *w = npart__site_doubles(site, w_scale, &count);
    const char *scale;
    if (w && npart__site_number(site, x_scale, &x) && npart__full_dims(site, w_scale, &dims)) {
        /* Both scales are known, so their products are written as numbers. */
        double *scales = npart__arena_allocate(site->arena, (count + (size_t)1) * sizeof *scales);
        site->failed |= !scales;
        for (uint32_t i = 0; scales && i < count; i++)
            scales[i] = (double)((float)factor * (float)x * (float)w[i]);
        scale = scales ? npart__make_constant(site, NPART__FLOAT, dims.at, is_one_scale ? 0 : 1, scales) : NULL;
    } else {
        const char *x_name = scalar(site, x_scale);
        const char *w_name = is_one_scale ? scalar(site, w_scale) : npart__site_name(site, w_scale);
        scale = npart__make_multiply(site, x_name, w_name);
        if (factor < 1 || factor > 1) {
            const char *more = npart__make_scalar(site, NPART__FLOAT, factor);
            scale = npart__make_multiply(site, scale, more);
        }
    }
    const char *made = NPART__MAKE(site, "DequantizeLinear", npart__site_name(site, bias), scale);
    if (!is_one_scale)
        npart__give_int(site, "axis", 0);
    return made;
}

/* Attributes of the node at hand, to the node that was made last. What is not given has the same default in both
 * operators. */
static void copy_lists(struct npart__site *site, const char *const *names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length;
        const int64_t *list = npart__site_int_list(site, site->id, names[i], &length);
        if (list)
            npart__give_ints(site, names[i], list, length);
    }
    if (npart__site_has(site, site->id, "auto_pad"))
        npart__give_text(site, "auto_pad", npart__site_text(site, site->id, "auto_pad", "NOTSET"));
}

static const char *const window_lists[] = {"kernel_shape", "strides", "pads", "dilations"};

/* Operands: x 0 to 2, w 3 to 5, y's scale and zero point 6 and 7, bias 8. Weights of rank 3 and more have spatial
 * axes; their first dim is that of the channels, which a scale per channel follows. */
static bool replace_conv(struct npart__site *site)
{
    struct npart__dims weights, bias;
    uint32_t sum = npart__operand(site, 8);
    if (!npart__full_dims(site, npart__operand(site, 3), &weights) || weights.rank < 3 || !is_quantized(site, 0) ||
        !is_weight(site, 3, weights.at[0]) || !is_result(site, 6) ||
        (sum != NPART_NONE && (!npart__full_dims(site, sum, &bias) || npart__site_type(site, sum) != NPART__INT32 ||
                               bias.rank != 1 || bias.at[0] != weights.at[0])))
        return false;
    const char *operands[3] = {dequantize_operand(site, 0), dequantize_weight(site, 3, 0), ""};
    if (sum != NPART_NONE)
        operands[2] = dequantize_bias(site, sum, npart__operand(site, 1), npart__operand(site, 4), 1);
    const char *made = npart__make(site, "Conv", operands, 3);
    copy_lists(site, window_lists, NPART__COUNT(window_lists));
    npart__give_int(site, "group", npart__site_int(site, site->id, "group", 1));
    return finish(site, made, 6);
}

/* A scale per column needs a matrix of rank 2: DequantizeLinear's axis is one axis. */
static bool replace_matmul(struct npart__site *site)
{
    struct npart__dims b;
    if (!npart__full_dims(site, npart__operand(site, 3), &b) || !is_quantized(site, 0) || !is_result(site, 6) ||
        !(b.rank == 2 ? is_weight(site, 3, b.at[1]) : is_quantized(site, 3)))
        return false;
    const char *left = dequantize_operand(site, 0), *right = dequantize_weight(site, 3, 1);
    return finish(site, npart__make_matmul(site, left, right), 6);
}

/* com.microsoft: A, B, C, each with scale and zero point; C is of int32, its scale alpha * a * b. A bias of one
 * row; others have no scale per channel to go with. alpha is a factor of the product, and above 0, as a scale is. */
static bool replace_gemm(struct npart__site *site)
{
    struct npart__dims b, c;
    uint32_t sum = npart__operand(site, 6);
    bool turns = npart__site_int(site, site->id, "transB", 0) != 0;
    double alpha = npart__site_float(site, site->id, "alpha", 1);
    if (!npart__full_dims(site, npart__operand(site, 3), &b) || b.rank != 2 || !is_quantized(site, 0) ||
        !is_weight(site, 3, b.at[turns ? 0 : 1]) || !is_result(site, 7) || !(alpha > 0))
        return false;
    if (sum != NPART_NONE &&
        (!npart__full_dims(site, sum, &c) || npart__site_type(site, sum) != NPART__INT32 || c.rank != 1 ||
         c.at[0] != b.at[turns ? 0 : 1]))
        return false;
    /* The channels of B are its columns, or its rows where it is transposed. */
    const char *operands[3] = {dequantize_operand(site, 0), dequantize_weight(site, 3, turns ? 0 : 1), ""};
    if (sum != NPART_NONE)
        operands[2] = dequantize_bias(site, sum, npart__operand(site, 1), npart__operand(site, 4), alpha);
    const char *made = npart__make(site, "Gemm", operands, 3);
    npart__give_float(site, "alpha", alpha);
    npart__give_int(site, "transA", npart__site_int(site, site->id, "transA", 0));
    npart__give_int(site, "transB", turns);
    return finish(site, made, 7);
}

/* ---- others ---------------------------------------------------------------------------------------------------- */

/* Operators of the standard that a quantized one is between its scales, and where the result's scale stands: of two
 * operands at 6, of one at 3. */
static const struct plain {
    const char *op, *replaced;
    uint32_t operands;
} plain[] = {
    {"Add", "com.microsoft:QLinearAdd", 2},
    {"Mul", "com.microsoft:QLinearMul", 2},
    {"GlobalAveragePool", "com.microsoft:QLinearGlobalAveragePool", 1},
    {"AveragePool", "com.microsoft:QLinearAveragePool", 1},
    {"Sigmoid", "com.microsoft:QLinearSigmoid", 1},
    {"LeakyRelu", "com.microsoft:QLinearLeakyRelu", 1},
};

/* Windows have no dilations there, hence three lists of the four. The default of both LeakyRelus is 0.01. */
static void copy_attributes(struct npart__site *site, const char *op)
{
    if (strcmp(op, "AveragePool") == 0) {
        copy_lists(site, window_lists, 3);
        npart__give_int(site, "ceil_mode", npart__site_int(site, site->id, "ceil_mode", 0));
        npart__give_int(site, "count_include_pad", npart__site_int(site, site->id, "count_include_pad", 0));
    }
    if (strcmp(op, "LeakyRelu") == 0)
        npart__give_float(site, "alpha", npart__site_float(site, site->id, "alpha", 0.01));
}

/* Channels last is a layout of com.microsoft's operators that the standard's do not have. Windows past the end that
 * count their padding are divided by another number there. */
static bool replace_plain(struct npart__site *site, const struct plain *row)
{
    bool counts_past_end = npart__site_int(site, site->id, "ceil_mode", 0) &&
                           npart__site_int(site, site->id, "count_include_pad", 0);
    const char *operands[2];
    for (uint32_t i = 0; i < row->operands; i++)
        if (!is_quantized(site, 3 * i))
            return false;
    if (!is_result(site, 3 * row->operands) || npart__site_int(site, site->id, "channels_last", 0) || counts_past_end)
        return false;
    for (uint32_t i = 0; i < row->operands; i++)
        operands[i] = dequantize_operand(site, 3 * i);
    const char *made = npart__make(site, row->op, operands, row->operands);
    copy_attributes(site, row->op);
    return finish(site, made, 3 * row->operands);
}

/* Along the last axis the two meanings that `axis` had are one. */
static bool replace_softmax(struct npart__site *site)
{
    uint32_t rank, axis;
    if (!is_quantized(site, 0) || !is_result(site, 3) || !npart__site_rank(site, npart__operand(site, 0), &rank) ||
        !npart__axis_attribute(site, "axis", -1, rank, &axis) || axis + 1 != rank)
        return false;
    const char *made = NPART__MAKE(site, "Softmax", dequantize_operand(site, 0));
    npart__give_int(site, "axis", axis);
    return finish(site, made, 3);
}

/* The condition comes first, and is not quantized. */
static bool replace_where(struct npart__site *site)
{
    if (!is_quantized(site, 1) || !is_quantized(site, 4) || !is_result(site, 7))
        return false;
    const char *x = dequantize_operand(site, 1), *y = dequantize_operand(site, 4);
    return finish(site, npart__make_where(site, npart__operand_name(site, 0), x, y), 7);
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

/* QuantizeLinear and DequantizeLinear are of opset 10. What is none of the operators of the table is a mover. */
bool npart__rewrite_qoperator(struct npart__site *site)
{
    static const struct {
        const char *op;
        npart__rewrite_function *replace;
    } families[] = {
        {"QLinearConv", replace_conv},
        {"QLinearMatMul", replace_matmul},
        {"com.microsoft:QGemm", replace_gemm},
        {"com.microsoft:QLinearConcat", replace_concat},
        {"com.microsoft:QLinearSoftmax", replace_softmax},
        {"com.microsoft:QLinearWhere", replace_where},
    };
    if (npart__site_opset(site) < 10)
        return false;
    for (uint32_t i = 0; i < NPART__COUNT(families); i++)
        if (npart__node_is(site->graph, site->node, families[i].op))
            return families[i].replace(site);
    for (uint32_t i = 0; i < NPART__COUNT(plain); i++)
        if (npart__node_is(site->graph, site->node, plain[i].replaced))
            return replace_plain(site, &plain[i]);
    return replace_mover(site);
}
