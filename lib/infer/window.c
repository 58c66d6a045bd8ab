/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that slide a window over spatial axes: convolutions and pools, forth and back. Axis 0 is the batch,
 * axis 1 the channels, unless the layout has them last.
 */
#include "infer/families.h"
#include "infer/functions.h"

/* ---- windows --------------------------------------------------------------------------------------------- */

struct window {
    const int64_t *kernel, *strides, *dilations, *pads; /* NULL: default */
    uint32_t kernel_count, stride_count, dilation_count, pad_count;
    const char *auto_pad;
    bool rounds_up; /* ceil_mode */
    bool is_pool;
    bool is_wrong;  /* a list is not as long as there are axes, so nothing is known of the sizes */
    uint32_t first, spatial; /* spatial axes: where they begin, how many */
    uint32_t channels;
};

/* One list of a window; a wrong length is said once. */
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

/* Of an operand of `rank`. */
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

static int64_t at_or(const int64_t *list, uint32_t count, uint32_t index, int64_t otherwise)
{
    return list && index < count ? list[index] : otherwise;
}

static bool pads_same(const struct window *window)
{
    return strncmp(window->auto_pad, "SAME_", 5) == 0;
}

/* What is added before (`at_end`: after) spatial axis `axis`. */
static int64_t pad_of(const struct window *window, uint32_t axis, bool at_end)
{
    if (strcmp(window->auto_pad, "VALID") == 0)
        return 0;
    return at_or(window->pads, window->pad_count, axis + (at_end ? window->spatial : 0), 0);
}

/* (kernel - 1) * dilation + 1 */
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
 * begin before the padding at the end count: there are ceil((in + begin) / stride) of those. */
static int64_t slide(struct npart__call *call, const struct window *window, int64_t in, int64_t kernel, uint32_t axis)
{
    struct npart__expressions *pool = call->pool;
    int64_t stride = at_or(window->strides, window->stride_count, axis, 1);
    if (stride <= 0 || in == NPART__UNKNOWN || window->is_wrong)
        return NPART__UNKNOWN;
    if (pads_same(window) && is_dilated_pool(window, kernel, axis))
        return NPART__UNKNOWN;
    if (pads_same(window))
        return npart__ceil_quotient(pool, in, stride);
    if (kernel == NPART__UNKNOWN)
        return NPART__UNKNOWN;
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

/* And back: stride * (in - 1) + extra + extent - pads. */
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

static const struct npart__fact *weights_of(struct npart__call *call)
{
    return npart__in(call, call->row->parameter == NPART__OPERANDS_QUANTIZED ? 3 : 1);
}

static void type_of_result(struct npart__call *call)
{
    if (call->row->parameter == NPART__OPERANDS_INTEGER)
        npart__set_element_type(call, 0, NPART__INT32);
    else if (call->row->parameter == NPART__OPERANDS_QUANTIZED)
        npart__set_type_like(call, 0, 7);
}

/* The window's size along a spatial axis: the weights', where their layout is certain, else the attribute's. */
static int64_t kernel_of(struct npart__call *call, const struct window *window, const struct npart__fact *weights,
                         uint32_t axis)
{
    bool is_certain = weights->has_rank && call->row->parameter != NPART__OPERANDS_CHANNELS_LAST;
    return is_certain ? weights->dims[axis + 2] : at_or(window->kernel, window->kernel_count, axis, NPART__UNKNOWN);
}

/* The rank of input and weights together; 0 when it is not known or they do not agree. */
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
    if (in->has_rank && weights->has_rank && window.channels == 1)
        npart__must_equal(call, in->dims[1],
                          npart__product(call->pool, weights->dims[1], npart__int_attribute(call, "group", 1)));
    for (uint32_t i = 0; i < window.spatial; i++) {
        int64_t size = in->has_rank ? in->dims[window.first + i] : NPART__UNKNOWN;
        dims[window.first + i] = slide(call, &window, size, kernel_of(call, &window, weights, i), i);
    }
    npart__set_dims(call, 0, rank, dims);
}

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

/* com.microsoft.CausalConvWithState: shaped like the input; the state keeps its shape, or is one of k - 1 steps. */
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

/* The rank of a pool's input, which its window gives away. */
static uint32_t pool_rank(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t count;
    const int64_t *kernel = npart__ints_attribute(call, "kernel_shape", &count);
    if (in->has_rank)
        return in->rank >= 3 && in->rank <= NPART__LIMIT_RANK ? in->rank : 0;
    return kernel && count && count + 2 <= NPART__LIMIT_RANK ? count + 2 : 0;
}

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
        dims[i] = in->has_rank ? in->dims[i] : npart__fresh_symbol(call->pool);
    for (uint32_t i = 0; i < window.spatial; i++) {
        int64_t kernel = at_or(window.kernel, window.kernel_count, i, NPART__UNKNOWN);
        dims[window.first + i] = slide(call, &window, dims[window.first + i], kernel, i);
    }
    npart__set_dims(call, 0, rank, dims);
    if (call->node->output_count > 1)
        npart__set_shape_like(call, 1, npart__out(call, 0));
}

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
    for (uint32_t i = 0; shape && shape_count == rank && i < rank; i++)
        dims[i] = shape[i];
    npart__set_dims(call, 0, rank, dims);
}

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

/* [batch, channels * block, blocks] back into [batch, channels, image]. */
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
