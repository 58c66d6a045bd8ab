/* SPDX-License-Identifier: Apache-2.0
 *
 * Convolutions with dilations that compilers lack: a kernel [1, 2, 3] of dilation 2 is a kernel [1, 0, 2, 0, 3] of
 * none. The zeros go between constant weights by nodes that are constant, too, so that weights need not be read,
 * however large they are: the runtime computes them when it loads the model.
 */
#include "rewrite/axes.h"

/* Zeros after each row of the axes after this one: as a matrix [before * k, after], padded to [before * k, d *
 * after], which is [before, k * d, after], cut after the last row. `weights` gets the new dim. Reshape, Pad and
 * Slice of constants are folded when the model is loaded. A kernel [2,1,3] of dilation 2: as [6,1], padded to
 * [6,2], as [2,6,1], cut to [2,5,1]. */
static const char *spread(struct npart__site *site, const char *name, struct npart__dims *weights, uint32_t axis,
                          int64_t dilation)
{
    int64_t before = npart__volume(weights, 0, axis), after = npart__volume(weights, axis + 1, weights->rank);
    int64_t kernel = weights->at[axis], matrix[2] = {before * kernel, after};
    int64_t pads[4] = {0, 0, 0, (dilation - 1) * after}, rows[3] = {before, kernel * dilation, after};
    name = npart__make_reshape(site, name, matrix, 2);
    name = npart__make_pad(site, name, pads, 2);
    name = npart__make_reshape(site, name, rows, 3);
    weights->at[axis] = (kernel - 1) * dilation + 1;
    return npart__make_slice(site, name, 1, 0, weights->at[axis], 1);
}

/* Whether the weights are plain numbers, and stay within what can be counted when spread. Limits on dilations
 * and kernels keep a hostile file from asking for a huge one. *factor is the product of all dilations; only
 * where it is above 1 there is anything to do. */
static bool can_spread(const struct npart__site *site, const struct npart__dims *weights, int64_t *factor)
{
    uint32_t value = npart__operand(site, 1);
    int type = npart__site_type(site, value);
    int64_t after, elements = npart__volume(weights, 0, weights->rank);
    *factor = 1;
    for (uint32_t i = 2; i < weights->rank; i++) {
        int64_t dilation = npart__list_item(site, "dilations", i - 2, 1);
        if (dilation < 1 || dilation > 64 || weights->at[i] > 4096 || !npart__multiply_int64(*factor, dilation, factor))
            return false;
    }
    /* A quantized kernel's zeros are its zero points; and what is quantized must stay so. */
    return *factor > 1 && npart__site_is_constant(site, value) && npart__multiply_int64(elements, *factor, &after) &&
           after <= INT64_MAX / 100 && /* the caveat tells a share in per cent */
           npart__site_made_by(site, value, NPART__WAY(CODES)) == NPART_NONE &&
           (type == NPART__FLOAT || type == NPART__FLOAT16 || type == NPART__DOUBLE);
}

/* Conv and ConvTranspose: the kernel covers as much as before, so pads and sizes stay what they are. `window` is
 * the number of taps before, for the caveat. */
bool npart__rewrite_spread_kernel(struct npart__site *site)
{
    struct npart__dims weights;
    int64_t factor;
    uint32_t count = site->node->input_count;
    if (!npart__full_dims(site, npart__operand(site, 1), &weights) || weights.rank < 3 || count > 3 ||
        !npart__has_length(site, "dilations", weights.rank - 2) ||
        !npart__has_length(site, "kernel_shape", weights.rank - 2) || !can_spread(site, &weights, &factor))
        return false;
    int64_t window = npart__volume(&weights, 2, weights.rank);
    const char *spaced = npart__operand_name(site, 1);
    /* An axis of one tap has nothing between taps. */
    for (uint32_t i = 2; i < weights.rank; i++)
        if (weights.at[i] > 1 && npart__list_item(site, "dilations", i - 2, 1) > 1)
            spaced = spread(site, spaced, &weights, i, npart__list_item(site, "dilations", i - 2, 1));
    /* The last Slice has rank 3; the convolution wants the rank of its weights. Names are compared by address. */
    if (spaced != npart__operand_name(site, 1))
        spaced = npart__make_reshape(site, spaced, weights.at, weights.rank);
    const char *operands[3] = {npart__operand_name(site, 0), spaced, npart__operand_name(site, 2)};
    const char *made = npart__make_like(site, site->id, operands, 3);
    npart__drop_attribute(site, "dilations");
    /* Where it is absent it is that of the weights, as the standard has it. */
    if (npart__site_has(site, site->id, "kernel_shape"))
        npart__give_ints(site, "kernel_shape", weights.at + 2, weights.rank - 2);
    npart__finish(site, 0, made);
    if (spaced == npart__operand_name(site, 1)) { /* a kernel of one element has no dilation */
        site->equality = NPART_EQUAL_BITS;
        return true;
    }
    /* Taps after by taps before: [3,3] of dilation 2 is [5,5], 277 %. */
    int64_t percent = npart__volume(&weights, 2, weights.rank) * 100 / window;
    site->caveat = npart__arena_format(site->arena, "The convolution has about %lld %% of the MACs that it had, and an "
                                                    "infinite input gives NaN where it meets a zero.",
                                       (long long)percent);
    site->failed |= !site->caveat;
    return true;
}
