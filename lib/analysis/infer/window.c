/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that slide a window over spatial axes: convolutions and pools, forth and back. Axis 0 is the batch, axis 1
 * the channels, unless the layout has them last.
 *
 *   Conv           [1,3,224,224], weights [64,3,7,7], strides 2, pads 3        ->  [1,64,112,112]
 *   MaxPool        [1,64,112,112], kernel 3, strides 2, pads 1                 ->  [1,64,56,56]
 *   ConvTranspose  [1,64,56,56], weights [64,32,2,2], strides 2                ->  [1,32,112,112]
 *
 * Spatial sizes may be symbolic: strides then make floor() of them, as floor((h + 1)/2) of the first above.
 */
#include "infer/families.h"

/* ---- windows --------------------------------------------------------------------------------------------- */

/* The attributes of a window, read for the rank of the operand at hand. */
struct window {
    const int64_t *kernel, *strides, *dilations, *pads; /* NULL: default */
    uint32_t kernel_count, stride_count, dilation_count, pad_count;
    const char *auto_pad;
    bool rounds_up; /* ceil_mode */
    bool is_pool;   /* set by npart__infer_pool alone */
    bool is_wrong;  /* a list is not as long as there are axes, so nothing is known of the sizes */
    uint32_t first, spatial; /* spatial axes: where they begin, how many */
    uint32_t channels;       /* the axis of the channels: 1, or the last */
};

/* One list of a window; a wrong length is said once, and leaves the spatial sizes unknown. */
static const int64_t *read_list(struct npart__call *call, struct window *window, const char *name, uint32_t length,
                                uint32_t *count)
{
    const int64_t *list = npart__ints_attribute(call, name, count);
    if (list && *count != length && !window->is_wrong) {
        npart__contradiction(call, "%s has %u numbers, not %u", name, *count, length);
        window->is_wrong = true;
    }
    return list;
}

/* The window of an operand of `rank`, which must be at least 2. */
static void read_window(struct npart__call *call, uint32_t rank, struct window *window)
{
    bool is_last = call->row->parameter == NPART__OPERANDS_CHANNELS_LAST ||
                   npart__int_attribute(call, "channels_last", 0) != 0;
    window->is_pool = false;
    window->is_wrong = false;
    window->spatial = rank - 2;
    window->kernel = read_list(call, window, "kernel_shape", window->spatial, &window->kernel_count);
    window->strides = read_list(call, window, "strides", window->spatial, &window->stride_count);
    window->dilations = read_list(call, window, "dilations", window->spatial, &window->dilation_count);
    window->pads = read_list(call, window, "pads", 2 * window->spatial, &window->pad_count);
    window->auto_pad = npart__string_attribute(call, "auto_pad", "NOTSET");
    window->rounds_up = npart__int_attribute(call, "ceil_mode", 0) != 0;
    window->first = is_last ? 1 : 2;
    window->channels = is_last ? rank - 1 : 1;
}

/* Lists that are absent mean the default of the operator: strides and dilations 1, pads 0. */
static int64_t at_or(const int64_t *list, uint32_t count, uint32_t index, int64_t otherwise)
{
    return list && index < count ? list[index] : otherwise;
}

/* auto_pad SAME_UPPER and SAME_LOWER: as much padding as makes the result ceil(in / stride). */
static bool pads_same(const struct window *window)
{
    return strncmp(window->auto_pad, "SAME_", 5) == 0;
}

/* What is added before (`at_end`: after) spatial axis `axis`. `pads` lists all beginnings, then all ends: [top, left,
 * bottom, right]. */
static int64_t pad_of(const struct window *window, uint32_t axis, bool at_end)
{
    /* VALID is no padding at all, whatever `pads` says. With SAME_UPPER and SAME_LOWER this is not called. */
    if (npart__same_text(window->auto_pad, "VALID"))
        return 0;
    return at_or(window->pads, window->pad_count, axis + (at_end ? window->spatial : 0), 0);
}

/* How far a window reaches: (kernel - 1) * dilation + 1. A kernel of 3 with dilation 2 reaches over 5. */
static int64_t extent_of(struct npart__call *call, const struct window *window, int64_t kernel, uint32_t axis)
{
    int64_t dilation = at_or(window->dilations, window->dilation_count, axis, 1);
    return npart__sum(call->pool, npart__product(call->pool, npart__difference(call->pool, kernel, 1), dilation), 1);
}

/* Where a pool pads for itself, ONNX Runtime does so as if there were no dilation, and then makes less than ONNX. */
static bool is_dilated_pool(const struct window *window, int64_t kernel, uint32_t axis)
{
    return window->is_pool && kernel != 1 && at_or(window->dilations, window->dilation_count, axis, 1) != 1;
}

/* One spatial dim after the window has passed over it:
 *   floor((in + pads - extent) / stride) + 1
 * or, with automatic padding, ceil(in / stride). With ceil_mode the quotient is rounded up, but only windows that
 * begin before the padding at the end count: there are ceil((in + begin) / stride) of those. Of 6 with kernel 3 and
 * stride 2, floor(3/2) + 1 = 2 windows, with ceil_mode 3. */
static int64_t slide(struct npart__call *call, const struct window *window, int64_t in, int64_t kernel, uint32_t axis)
{
    struct npart__expressions *pool = call->pool;
    int64_t stride = at_or(window->strides, window->stride_count, axis, 1);
    if (stride <= 0 || in == NPART__UNKNOWN || window->is_wrong)
        return NPART__UNKNOWN;
    /* ONNX and ONNX Runtime differ here, so nothing is said. */
    if (pads_same(window) && is_dilated_pool(window, kernel, axis))
        return NPART__UNKNOWN;
    if (pads_same(window))
        return npart__ceil_quotient(pool, in, stride);
    if (kernel == NPART__UNKNOWN)
        return NPART__UNKNOWN;
    /* Where windows may begin: in the padding before the dim, and in the dim. */
    int64_t from = npart__sum(pool, in, pad_of(window, axis, false));
    int64_t span = npart__difference(pool, npart__sum(pool, from, pad_of(window, axis, true)),
                                     extent_of(call, window, kernel, axis));
    if (npart__is_number(span) && span < 0) { /* too small for the window: runtimes round toward zero here */
        call->inference->misfits++;
        return npart__as_number(span / stride + 1);
    }
    if (!window->rounds_up)
        return npart__sum(pool, npart__floor_quotient(pool, span, stride), 1);
    int64_t out = npart__sum(pool, npart__ceil_quotient(pool, span, stride), 1);
    /* Rounding up adds a window that begins less than a stride after the last that fits. Where that is certain to be
     * before the padding at the end, no minimum is needed, and the expression stays short. */
    int64_t room = npart__difference(pool, extent_of(call, window, kernel, axis), pad_of(window, axis, true));
    bool always_begins_inside = npart__is_number(room) && stride <= room;
    return always_begins_inside ? out : npart__minimum(pool, out, npart__ceil_quotient(pool, from, stride));
}

/* With automatic padding ONNX says stride * in, which ONNX Runtime makes only where windows leave no gaps. */
static bool fills_stride(struct npart__call *call, const struct window *window, int64_t kernel, int64_t extra,
                         uint32_t axis)
{
    int64_t covered = npart__sum(call->pool, extent_of(call, window, kernel, axis), extra);
    return npart__is_number(covered) && covered >= at_or(window->strides, window->stride_count, axis, 1);
}

/* And back: stride * (in - 1) + extra + extent - pads. Of 56 with kernel 2 and stride 2: 2 * 55 + 2 = 112. `extra` is
 * output_padding. */
static int64_t slide_back(struct npart__call *call, const struct window *window, int64_t in, int64_t kernel,
                          int64_t extra, uint32_t axis)
{
    struct npart__expressions *pool = call->pool;
    int64_t stride = at_or(window->strides, window->stride_count, axis, 1);
    if (in == NPART__UNKNOWN || window->is_wrong)
        return NPART__UNKNOWN;
    if (kernel == NPART__UNKNOWN)
        return NPART__UNKNOWN;
    if (pads_same(window))
        return fills_stride(call, window, kernel, extra, axis) ? npart__product(pool, in, stride) : NPART__UNKNOWN;
    int64_t spread = npart__product(pool, npart__difference(pool, in, 1), stride);
    int64_t size = npart__sum(pool, npart__sum(pool, spread, extent_of(call, window, kernel, axis)), extra);
    int64_t pads = npart__sum(pool, pad_of(window, axis, false), pad_of(window, axis, true));
    return npart__difference(pool, size, pads);
}

/* ---- convolutions ---------------------------------------------------------------------------------------- */

/* QLinearConv has x, x_scale, x_zero_point before its weights. */
static const struct npart__fact *weights_of(struct npart__call *call)
{
    return npart__in(call, call->row->parameter == NPART__OPERANDS_QUANTIZED ? 3 : 1);
}

/* Input 7 of QLinearConv is y_zero_point. Of other forms the schema tells the type. */
static void type_of_result(struct npart__call *call)
{
    if (call->row->parameter == NPART__OPERANDS_INTEGER)
        npart__set_element_type(call, 0, NPART__INT32);
    else if (call->row->parameter == NPART__OPERANDS_QUANTIZED)
        npart__set_type_like(call, 0, 7);
}

/* The window's size along a spatial axis: the weights' ([M, C/group, kH, kW]), where their layout is certain, else the
 * attribute's. */
static int64_t kernel_of(struct npart__call *call, const struct window *window, const struct npart__fact *weights,
                         uint32_t axis)
{
    bool is_certain = weights->has_rank && call->row->parameter != NPART__OPERANDS_CHANNELS_LAST;
    return is_certain ? weights->dims[axis + 2] : at_or(window->kernel, window->kernel_count, axis, NPART__UNKNOWN);
}

/* The rank of input and weights together, each of which tells it where the other has none; 0 when it is not known or
 * they do not agree. */
static uint32_t convolution_rank(struct npart__call *call, const struct npart__fact *in,
                                 const struct npart__fact *weights)
{
    uint32_t rank = in->has_rank ? in->rank : weights->has_rank ? weights->rank : 0;
    if (rank >= 3 && weights->has_rank && weights->rank != rank) {
        npart__contradiction(call, "its input has rank %u, its weights %u", rank, weights->rank);
        return 0;
    }
    return rank >= 3 ? rank : 0;
}

/* [N, C, ...] and weights [M, C/group, ...] -> [N, M, ...]. C and C/group * group are related, so that an input with
 * dynamic channels is proposed as many as the weights have. */
void npart__infer_conv(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0), *weights = weights_of(call);
    struct window window;
    type_of_result(call);
    uint32_t rank = convolution_rank(call, in, weights);
    int64_t *dims = rank ? npart__new_dims(call, rank) : NULL;
    if (!dims)
        return;
    read_window(call, rank, &window);
    dims[0] = in->has_rank ? in->dims[0] : NPART__UNKNOWN;
    dims[window.channels] = weights->has_rank ? weights->dims[0] : NPART__UNKNOWN;
    /* Without a known layout of the weights nothing is related. */
    if (in->has_rank && weights->has_rank && window.channels == 1)
        npart__must_equal(call, in->dims[1],
                          npart__product(call->pool, weights->dims[1], npart__int_attribute(call, "group", 1)));
    for (uint32_t i = 0; i < window.spatial; i++) {
        int64_t size = in->has_rank ? in->dims[window.first + i] : NPART__UNKNOWN;
        dims[window.first + i] = slide(call, &window, size, kernel_of(call, &window, weights, i), i);
    }
    npart__set_dims(call, 0, rank, dims);
}

/* [N, C, ...] and weights [C, M/group, ...] -> [N, M, ...]. output_shape decides the spatial sizes where it is there.
 * com.microsoft.ConvTransposeWithDynamicPads has its pads as input 2. */
void npart__infer_conv_transpose(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0), *weights = npart__in(call, 1);
    struct window window;
    uint32_t shape_count, extra_count;
    const int64_t *shape = npart__ints_attribute(call, "output_shape", &shape_count);
    const int64_t *extra = npart__ints_attribute(call, "output_padding", &extra_count);
    uint32_t rank = convolution_rank(call, in, weights);
    int64_t *dims = rank ? npart__new_dims(call, rank) : NULL;
    if (!dims)
        return;
    read_window(call, rank, &window);
    bool knows_pads = call->row->parameter != NPART__OPERANDS_DYNAMIC_PADS;
    if (!knows_pads) {
        window.pads = npart__in_ints(call, 2, &window.pad_count);
        /* An input that is absent leaves them at 0. */
        knows_pads = window.pads || !npart__has_input(call, 2);
    }
    dims[0] = in->has_rank ? in->dims[0] : NPART__UNKNOWN;
    dims[1] = weights->has_rank ? npart__product(call->pool, weights->dims[1], npart__int_attribute(call, "group", 1))
                                : NPART__UNKNOWN;
    for (uint32_t i = 0; i < window.spatial; i++) {
        int64_t size = in->has_rank && knows_pads ? in->dims[i + 2] : NPART__UNKNOWN;
        dims[i + 2] = slide_back(call, &window, size, kernel_of(call, &window, weights, i),
                                 at_or(extra, extra_count, i, 0), i);
        if (shape) /* some exporters list the batch and channels too */
            dims[i + 2] = at_or(shape, shape_count, shape_count == rank ? i + 2 : i, dims[i + 2]);
    }
    npart__set_dims(call, 0, rank, dims);
}

/* CausalConvWithState: shaped like the input; the state keeps its shape, or is one of (k - 1) * dilation steps:
 * [2,64,10] with weights [64,1,4] leaves a state [2,64,3]. Only the plain form in one dimension is known without a past
 * state. */
void npart__infer_causal_conv(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0), *weights = npart__in(call, 1);
    npart__set_shape_like(call, 0, in);
    if (npart__has_input(call, 3)) {
        npart__set_shape_like(call, 1, npart__in(call, 3));
        return;
    }
    bool is_plain = !npart__int_attribute(call, "state_window", 0) && !npart__int_attribute(call, "channels_last", 0) &&
                    npart__int_attribute(call, "ndim", 1) == 1;
    if (!is_plain || !in->has_rank || in->rank != 3)
        return;
    int64_t steps = weights->has_rank && weights->rank == 3 ? npart__difference(call->pool, weights->dims[2], 1)
                                                            : NPART__UNKNOWN;
    if (steps != NPART__UNKNOWN)
        steps = npart__product(call->pool, steps, npart__int_attribute(call, "dilation", 1));
    NPART__SET_SIZES(call, 1, in->dims[0], in->dims[1], steps);
}

/* ---- pools ----------------------------------------------------------------------------------------------- */

/* The rank of a pool's input, which its window gives away: kernel_shape has one number for each spatial axis. 0 where
 * nothing tells it, or there would be no spatial axis. */
static uint32_t pool_rank(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t count;
    const int64_t *kernel = npart__ints_attribute(call, "kernel_shape", &count);
    if (in->has_rank)
        return in->rank >= 3 && in->rank <= NPART__LIMIT_RANK ? in->rank : 0;
    return kernel && count && count + 2 <= NPART__LIMIT_RANK ? count + 2 : 0;
}

/* AveragePool, MaxPool, LpPool: batch and channels stay, the window slides over the others. */
void npart__infer_pool(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t rank = pool_rank(call);
    struct window window;
    if (call->node->output_count > 1)
        npart__set_element_type(call, 1, NPART__INT64); /* MaxPool's indices */
    int64_t *dims = rank ? npart__new_dims(call, rank) : NULL;
    if (!dims)
        return;
    read_window(call, rank, &window);
    window.is_pool = true;
    for (uint32_t i = 0; i < rank; i++)
        /* A symbol each, so that the indices have the same sizes as the result. */
        dims[i] = in->has_rank ? in->dims[i] : npart__fresh_symbol(call->pool);
    for (uint32_t i = 0; i < window.spatial; i++) {
        int64_t kernel = at_or(window.kernel, window.kernel_count, i, NPART__UNKNOWN);
        dims[window.first + i] = slide(call, &window, dims[window.first + i], kernel, i);
    }
    npart__set_dims(call, 0, rank, dims);
    if (call->node->output_count > 1)
        npart__set_shape_like(call, 1, npart__out(call, 0));
}

/* MaxUnpool undoes a pool: [1,64,56,56] with kernel 2 and strides 2 -> [1,64,112,112]. Several sizes give the same
 * pooled one, so input 2 may say which it was; where that is there and not known, the spatial sizes are unknown. */
void npart__infer_max_unpool(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t rank = pool_rank(call), shape_count;
    const int64_t *shape = npart__in_ints(call, 2, &shape_count);
    bool is_given = npart__has_input(call, 2);
    struct window window;
    int64_t *dims = rank ? npart__new_dims(call, rank) : NULL;
    if (!dims)
        return;
    read_window(call, rank, &window);
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = in->has_rank ? in->dims[i] : NPART__UNKNOWN;
    for (uint32_t i = 0; i < window.spatial; i++) {
        int64_t kernel = at_or(window.kernel, window.kernel_count, i, NPART__UNKNOWN);
        dims[i + 2] = is_given ? NPART__UNKNOWN : slide_back(call, &window, dims[i + 2], kernel, 0, i);
    }
    /* output_shape lists batch and channels, too. */
    for (uint32_t i = 0; shape && shape_count == rank && i < rank; i++)
        dims[i] = shape[i];
    npart__set_dims(call, 0, rank, dims);
}

/* Each spatial axis becomes 1: [1,2048,7,7] -> [1,2048,1,1]. */
void npart__infer_global_pool(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    bool channels_last = npart__int_attribute(call, "channels_last", 0) != 0; /* QLinearGlobalAveragePool */
    if (!in->has_rank || in->rank < 2)
        return;
    int64_t *dims = npart__new_dims(call, in->rank);
    uint32_t channels = channels_last ? in->rank - 1u : 1;
    for (uint32_t i = 0; dims && i < in->rank; i++)
        dims[i] = i == 0 || i == channels ? in->dims[i] : 1;
    npart__set_dims(call, 0, in->rank, dims);
}

/* ---- columns --------------------------------------------------------------------------------------------- */

/* Col2Im (opset 18): [batch, channels * block, blocks] back into [batch, channels, image]. Input 1 is the size of the
 * image, input 2 that of a block:
 *
 *   [1,27,36], image [8,8], block [3,3]  ->  [1,3,8,8] */
void npart__infer_col2im(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t count, block_count;
    const int64_t *sizes = npart__in_ints(call, 1, &count), *block = npart__in_ints(call, 2, &block_count);
    if (!sizes && npart__in_length(call, 1) <= NPART__LIMIT_RANK - 2)
        count = npart__in_length(call, 1);
    int64_t *dims = count || sizes ? npart__new_dims(call, count + 2) : NULL;
    if (!dims)
        return;
    bool has_input = in->has_rank && in->rank == 3;
    dims[0] = has_input ? in->dims[0] : NPART__UNKNOWN;
    dims[1] = has_input && block ? npart__floor_quotient(call->pool, in->dims[1],
                                                         npart__dims_product(call, block, 0, block_count))
                                 : NPART__UNKNOWN;
    for (uint32_t i = 0; i < count; i++)
        dims[i + 2] = sizes ? sizes[i] : NPART__UNKNOWN;
    npart__set_dims(call, 0, count + 2, dims);
}
