/* SPDX-License-Identifier: Apache-2.0
 *
 * Pools of forms that compilers lack.
 */
#include "rewrite/axes.h"

/* Each number of a list attribute, if the node gives it, is the one that the default is. */
static bool is_all(const struct npart__site *site, const char *name, int64_t number)
{
    uint32_t count;
    const int64_t *list = npart__site_int_list(site, site->id, name, &count);
    for (uint32_t i = 0; list && i < count; i++)
        if (list[i] != number)
            return false;
    return true;
}

/* No padding that depends on the size, and no window past the end: those have other elements than others. Lists
 * must be as long as there are spatial axes, which a malformed file need not see to. */
static bool is_plain_window(const struct npart__site *site, uint32_t spatial)
{
    const char *auto_pad = npart__site_text(site, site->id, "auto_pad", "NOTSET");
    bool is_valid = npart__same_text(auto_pad, "VALID") && is_all(site, "pads", 0);
    uint32_t count;
    return (is_valid || npart__same_text(auto_pad, "NOTSET")) && !npart__site_int(site, site->id, "ceil_mode", 0) &&
           npart__site_int_list(site, site->id, "kernel_shape", &count) && count == spatial &&
           npart__has_length(site, "strides", spatial) && npart__has_length(site, "dilations", spatial) &&
           npart__has_length(site, "pads", 2 * spatial);
}

/* ---- AveragePool with dilations ---------------------------------------------------------------------------- */

#define LIMIT_WEIGHTS (1 << 16) /* elements of the kernel, over all channels */

/* A kernel of 1/n for each channel. `spread`: by the dilations, with zeros between. NULL where it is too large,
 * or a list is wrong. [channels, 1, kernel..]: a convolution in as many groups as there are channels. A window
 * of 3 and dilation 2: 1/3, 0, 1/3, 0, 1/3, or without `spread` 1/3, 1/3, 1/3. */
static const char *make_shares(struct npart__site *site, const struct npart__dims *x, int type, bool spread,
                               struct npart__dims *weights)
{
    int64_t count = x->at[1], window = 1, dilation[NPART__LIMIT_RANK] = {0};
    *weights = (struct npart__dims){.at = {x->at[1], 1}, .rank = 2};
    for (uint32_t i = 0; i < x->rank - 2; i++) {
        int64_t kernel = npart__list_item(site, "kernel_shape", i, 0);
        dilation[i] = npart__list_item(site, "dilations", i, 1);
        if (kernel < 1 || kernel > LIMIT_WEIGHTS || dilation[i] < 1 || dilation[i] > LIMIT_WEIGHTS)
            return NULL;
        /* It cannot overflow: so far it is within the limit, and so is each kernel. */
        window *= kernel;
        npart__push_dim(weights, spread ? (kernel - 1) * dilation[i] + 1 : kernel);
        if (weights->at[i + 2] > LIMIT_WEIGHTS / count)
            return NULL;
        count *= weights->at[i + 2];
    }
    double *shares = npart__arena_allocate(site->arena, (size_t)count * sizeof *shares);
    site->failed |= !shares;
    for (int64_t at = 0; shares && at < count; at++) {
        /* The element's place along each axis, from the last; between two taps of a dilated kernel it has the weight
         * 0. */
        int64_t rest = at;
        shares[at] = 1.0 / (double)window;
        for (uint32_t i = x->rank - 2; spread && i-- > 0; rest /= weights->at[i + 2])
            if (rest % weights->at[i + 2] % dilation[i])
                shares[at] = 0;
    }
    return shares ? npart__make_constant(site, type, weights->at, weights->rank, shares) : NULL;
}

/* A mean is a sum of elements times 1/n: a convolution of each channel. Padding must count, or not be there. With
 * strides the dilations go into the kernel: Qualcomm's provider takes no such convolution with both. Else each
 * mean would be divided by how many of its elements are there, which no fixed kernel does. */
bool npart__rewrite_averagepool_dilated(struct npart__site *site)
{
    struct npart__dims x, weights;
    int type = npart__site_type(site, npart__operand(site, 0));
    bool spread = !is_all(site, "strides", 1);
    static const char *const attributes[] = {"strides", "pads", "dilations"};
    if (!npart__full_dims(site, npart__operand(site, 0), &x) || x.rank < 3 || is_all(site, "dilations", 1) ||
        !npart__is_plain_float(type) || type == NPART__BFLOAT16 || !is_plain_window(site, x.rank - 2) ||
        (!npart__site_int(site, site->id, "count_include_pad", 0) && !is_all(site, "pads", 0)))
        return false;
    const char *shares = make_shares(site, &x, type, spread, &weights);
    if (!shares)
        return false;
    const char *made = NPART__MAKE(site, "Conv", npart__operand_name(site, 0), shares);
    npart__give_int(site, "group", x.at[1]);
    npart__give_ints(site, "kernel_shape", weights.at + 2, weights.rank - 2);
    /* Without the dilations, the last of them, where they are in the kernel. */
    for (uint32_t i = 0; i < NPART__COUNT(attributes) - spread; i++) {
        uint32_t length;
        const int64_t *list = npart__site_int_list(site, site->id, attributes[i], &length);
        if (list)
            npart__give_ints(site, attributes[i], list, length);
    }
    npart__finish(site, 0, made);
    if (spread)
        site->caveat = "The kernel holds zeros, so an infinite input gives NaN where it meets one.";
    return true;
}
