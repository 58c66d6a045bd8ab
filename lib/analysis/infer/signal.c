/* SPDX-License-Identifier: Apache-2.0
 *
 * Signals: Fourier transforms and sliding pieces. Windows of samples (HannWindow and the like) and MelWeightMatrix are
 * patterns. Complex numbers have a last dim of 2: real and imaginary part.
 *
 *   DFT of [1,256,1], onesided             ->  [1,129,2]
 *   STFT of [1,1024,1], step 128, length 256  ->  [1,7,129,2]
 */
#include "infer/families.h"

/* The bins that are kept of a transform of this length: of a real signal the second half mirrors the first, so onesided
 * keeps floor(n/2) + 1. */
static int64_t bins_of(struct npart__call *call, int64_t length, bool is_onesided)
{
    if (!is_onesided || length == NPART__UNKNOWN)
        return length;
    return npart__sum(call->pool, npart__floor_quotient(call->pool, length, 2), 1);
}

/* The last axis holds real and imaginary parts. The axis of the transform is an attribute in opset 17, an input since
 * 20; where it is not known, any dim may change its length. Input 1 (dft_length) pads or crops the signal first.
 * onesided with inverse gives a real signal of 2*(n - 1) samples. */
void npart__infer_dft(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    bool is_onesided = npart__int_attribute(call, "onesided", 0) != 0;
    bool to_real = is_onesided && npart__int_attribute(call, "inverse", 0) != 0;
    int64_t wanted = call->row->since < 20 ? npart__int_attribute(call, "axis", 1) : npart__in_number(call, 2, -2);
    int64_t *dims = in->has_rank && in->rank ? npart__new_dims(call, in->rank) : NULL;
    uint32_t axis;
    if (!dims)
        return;
    /* The default of opset 20 is -2, the last axis but the one of the parts. */
    bool knows_axis = npart__is_number(wanted) && npart__normalize_axis(wanted, in->rank, &axis);
    bool changes_length = is_onesided || npart__has_input(call, 1);
    for (uint32_t i = 0; i + 1 < in->rank; i++) {
        dims[i] = knows_axis || !changes_length ? in->dims[i] : NPART__UNKNOWN;
        if (!knows_axis || i != axis)
            continue;
        int64_t given = to_real ? npart__product(call->pool, npart__difference(call->pool, in->dims[i], 1), 2)
                                : in->dims[i];
        dims[i] = bins_of(call, npart__in_number(call, 1, given), is_onesided && !to_real);
    }
    dims[in->rank - 1] = to_real ? 1 : 2;
    npart__set_dims(call, 0, in->rank, dims);
}

/* (samples - length) / step + 1, rounded down. Of a signal that is shorter than a frame the standard's
 * quotient is rounded to 0: one frame where a step is missing or less, and no size else. */
static int64_t frames_of(struct npart__call *call, int64_t samples, int64_t length, int64_t step)
{
    if (samples == NPART__UNKNOWN || length == NPART__UNKNOWN || step == NPART__UNKNOWN || step == 0)
        return NPART__UNKNOWN;
    int64_t span = npart__difference(call->pool, samples, length);
    if (npart__is_number(span) && span < 0)
        return npart__is_number(step) && step > 0 && span > -step ? 1 : NPART__UNKNOWN;
    return npart__sum(call->pool, npart__floor_quotient(call->pool, span, step), 1);
}

/* [batch, frames, bins, 2]; a frame is as long as it says (frame_length), as its window, or as the signal. */
void npart__infer_stft(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0), *window = npart__in(call, 2);
    bool has_signal = in->has_rank && in->rank >= 2, has_window = npart__has_input(call, 2);
    int64_t samples = has_signal ? in->dims[1] : NPART__UNKNOWN, step = npart__in_number(call, 1, NPART__UNKNOWN);
    int64_t windowed = window->has_rank && window->rank == 1 ? window->dims[0] : NPART__UNKNOWN;
    int64_t length = npart__in_number(call, 3, has_window ? windowed : samples);
    /* A frame_length that is there and not known must be that of the window. */
    if (length == NPART__UNKNOWN)
        length = windowed;
    NPART__SET_SIZES(call, 0, has_signal ? in->dims[0] : NPART__UNKNOWN, frames_of(call, samples, length, step),
                     bins_of(call, length, npart__int_attribute(call, "onesided", 1) != 0), 2);
}

/* com.microsoft.UnfoldTensor: pieces of `size` along an axis, in a new last one: [2,10], size 4, step 2 -> [2,4,4]. */
void npart__infer_unfold(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    int64_t size = npart__int_attribute(call, "size", 0), step = npart__int_attribute(call, "step", 1);
    uint32_t axis;
    if (!in->has_rank || size <= 0 || step <= 0 ||
        !npart__normalize_axis(npart__int_attribute(call, "dim", -1), in->rank, &axis))
        return;
    int64_t *dims = npart__copy_dims(call, in, 1);
    if (!dims)
        return;
    int64_t span = npart__difference(call->pool, in->dims[axis], size);
    dims[axis] = npart__sum(call->pool, npart__floor_quotient(call->pool, span, step), 1);
    dims[in->rank] = size;
    npart__set_dims(call, 0, in->rank + 1u, dims);
}
