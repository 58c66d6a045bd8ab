/* SPDX-License-Identifier: Apache-2.0
 *
 * Normalizations of forms that compilers lack.
 */
#include "rewrite/axes.h"

/* Ranks up to this one are taken as they are. */
#define TAKEN_RANK 4u

/* Joins axes from `first` on, up to before `end`, until the rank is one that is taken; those at the end stay.
 * `end` - `first` axes can give up all but one. [2,3,4,5,6] from 2 on becomes [2,3,20,6]. */
static struct npart__dims join_from(const struct npart__dims *dims, uint32_t first, uint32_t end)
{
    uint32_t surplus = dims->rank > TAKEN_RANK ? dims->rank - TAKEN_RANK : 0;
    if (surplus > end - first - 1)
        surplus = end - first - 1;
    struct npart__dims out = {.rank = 0};
    for (uint32_t i = 0; i < dims->rank; i++) {
        if (i > first && i <= first + surplus)
            out.at[out.rank - 1] *= dims->at[i];
        else
            npart__push_dim(&out, dims->at[i]);
    }
    return out;
}

/* ---- LayerNormalization ---------------------------------------------------------------------------------- */

/* Scale or bias for each of the `whole` elements that are normalized together: [n]. Where it has fewer, it is
 * repeated, which another kernel may do in another order. NULL where it is none of them. The class changes at
 * this site, for the row's is of a scale that has its own element each. [1,5] for [4,5] is expanded to [4,5],
 * and then [20]. */
static const char *flatten_scale(struct npart__site *site, uint32_t value, const struct npart__dims *whole)
{
    struct npart__dims dims, flat = {.at = {npart__volume(whole, 0, whole->rank)}, .rank = 1};
    if (!npart__full_dims(site, value, &dims))
        return NULL;
    if (npart__volume(&dims, 0, dims.rank) == flat.at[0])
        return npart__view(site, value, &flat);
    if (dims.rank > whole->rank)
        return NULL;
    site->equality = NPART_EQUAL_ULP;
    const char *wide = npart__make_expand(site, npart__site_name(site, value), whole->at, whole->rank);
    return whole->rank == 1 ? wide : npart__make_reshape(site, wide, flat.at, 1);
}

/* Whether it can be broadcast to the dims, by itself or with more leading dims of 1. An absent bias fits. For
 * [4,5], [5] and [1,5] and [1,1,4,5] fit; [1,1,1,5] does not. */
static bool fits(const struct npart__site *site, uint32_t value, const struct npart__dims *whole)
{
    struct npart__dims dims;
    if (value == NPART_NONE || !npart__full_dims(site, value, &dims))
        return value == NPART_NONE;
    for (uint32_t i = 0; i < dims.rank; i++) {
        uint32_t from_end = dims.rank - i;
        int64_t wanted = from_end <= whole->rank ? whole->at[whole->rank - from_end] : 1;
        if (dims.at[i] != wanted && (dims.at[i] != 1 || dims.rank > whole->rank))
            return false;
    }
    return true;
}

/* Over the last axis alone, of rank 4 at most: axes that are normalized become one, and so do those before them.
 * Mean and spread are over the same elements as before, in the same order. x [2,3,4,5,6] and axis 3: `flat` is
 * [2,3,4,30], `whole` [5,6], and a scale [30]. */
bool npart__rewrite_layernorm_rank(struct npart__site *site)
{
    struct npart__dims dims, whole = {.rank = 0}, flat = {.rank = 0};
    uint32_t axis, results = site->node->output_count < 3 ? site->node->output_count : 3;
    if (!npart__full_dims(site, npart__operand(site, 0), &dims) ||
        !npart__axis_attribute(site, "axis", -1, dims.rank, &axis) ||
        (dims.rank <= TAKEN_RANK && axis == dims.rank - 1))
        return false;
    for (uint32_t i = 0; i < dims.rank; i++)
        npart__push_dim(i < axis ? &flat : &whole, dims.at[i]);
    if (!npart__has_operand(site, 1) || !fits(site, npart__operand(site, 1), &whole) ||
        !fits(site, npart__operand(site, 2), &whole))
        return false;
    /* All axes are normalized: one row. */
    if (!axis)
        npart__push_dim(&flat, 1);
    npart__push_dim(&flat, npart__volume(&whole, 0, whole.rank));
    flat = join_from(&flat, 0, flat.rank - 1);
    const char *operands[3] = {npart__view(site, npart__operand(site, 0), &flat),
                               flatten_scale(site, npart__operand(site, 1), &whole), ""};
    if (npart__has_operand(site, 2))
        operands[2] = flatten_scale(site, npart__operand(site, 2), &whole);
    /* Unused results of training are not asked for again. */
    while (results > 1 && npart__is_unused(site, npart__result(site, results - 1)))
        results--;
    const char *made[3] = {npart__make_like(site, site->id, operands, 3), NULL, NULL};
    npart__give_results(site, results);
    npart__give_int(site, "axis", -1);
    for (uint32_t i = 1; i < results; i++)
        made[i] = npart__made_result(site, i);
    for (uint32_t i = 0; i < results; i++)
        /* Mean and inverse deviation, results 1 and 2, have a 1 for each axis that is normalized. */
        npart__finish_shaped(site, i, made[i]);
    return true;
}

/* ---- InstanceNormalization, BatchNormalization ------------------------------------------------------------ */

/* A BatchNormalization that is not trained. Before opset 14 it is so where it has one result, before opset 7 by
 * an attribute. A result that is left out by name does not count. InstanceNormalization has neither of the
 * attributes, and one result, so it always is from opset 7 on. */
static bool is_inference(const struct npart__site *site)
{
    for (uint32_t i = 1; i < site->node->output_count; i++)
        if (npart__result(site, i) != NPART_NONE)
            return false;
    return site->node->opset_version >= 7 && !npart__site_int(site, site->id, "training_mode", 0) &&
           npart__site_int(site, site->id, "spatial", 1) == 1;
}

/* Spatial axes are one to them. Batch and channels stay axes 0 and 1; scales and means are by channel and need no
 * change. */
bool npart__rewrite_spatial_rank(struct npart__site *site)
{
    struct npart__dims dims;
    const char *operands[5] = {NULL};
    uint32_t count = site->node->input_count;
    if (!npart__full_dims(site, npart__operand(site, 0), &dims) || dims.rank <= TAKEN_RANK || count > 5 ||
        !is_inference(site))
        return false;
    struct npart__dims narrow = join_from(&dims, 2, dims.rank);
    operands[0] = npart__view(site, npart__operand(site, 0), &narrow);
    for (uint32_t i = 1; i < count; i++)
        operands[i] = npart__operand_name(site, i);
    const char *made = npart__make_like(site, site->id, operands, count);
    npart__give_results(site, 1);
    npart__finish_shaped(site, 0, made);
    npart__equal_but_half(site, npart__operand(site, 0));
    return true;
}

/* ---- GroupNormalization ------------------------------------------------------------------------------------ */

/* Groups come from the file, and cost nothing there. */
#define LIMIT_GROUPS (1 << 20)

/* `count` times the number, as a constant. */
static const char *repeat(struct npart__site *site, double number, int64_t count)
{
    double *numbers = npart__arena_allocate(site->arena, (size_t)count * sizeof *numbers);
    site->failed |= !numbers;
    for (int64_t i = 0; numbers && i < count; i++)
        numbers[i] = number;
    return numbers ? npart__make_constant(site, NPART__FLOAT, &count, 1, numbers) : NULL;
}

/* A group is a channel to InstanceNormalization. Until opset 20 scale and bias are by group, as those of
 * InstanceNormalization; afterwards by channel, a product and a sum of their own. Scale 1 and bias 0 stand for
 * them in the normalization itself. With 2 groups x [1,8,5,5] is [1,2,100]. */
bool npart__rewrite_groupnorm(struct npart__site *site)
{
    struct npart__dims dims, scale, bias;
    int64_t groups = npart__site_int(site, site->id, "num_groups", 0), channels;
    if (!npart__full_dims(site, npart__operand(site, 0), &dims) || dims.rank < 2 || groups < 1 ||
        groups > LIMIT_GROUPS || dims.at[1] % groups || npart__site_int(site, site->id, "stash_type", 1) != 1 ||
        npart__site_type(site, npart__operand(site, 0)) != NPART__FLOAT ||
        !npart__full_dims(site, npart__operand(site, 1), &scale) ||
        !npart__full_dims(site, npart__operand(site, 2), &bias) ||
        !npart__site_is_constant(site, npart__operand(site, 1)) ||
        !npart__site_is_constant(site, npart__operand(site, 2)))
        return false;
    /* The standard's GroupNormalization 18 had scales by group, which 21 mended. */
    channels = site->node->opset_version < 21 ? groups : dims.at[1];
    if (scale.rank != 1 || bias.rank != 1 || scale.at[0] != channels || bias.at[0] != channels)
        return false;
    bool is_by_group = channels == groups;
    const char *ones = is_by_group ? npart__operand_name(site, 1) : repeat(site, 1, groups);
    const char *zeros = is_by_group ? npart__operand_name(site, 2) : repeat(site, 0, groups);
    /* [batch, groups, the rest]: each group is normalized over all that it has. */
    struct npart__dims flat = {.at = {dims.at[0], groups, npart__volume(&dims, 1, dims.rank) / groups}, .rank = 3};
    struct npart__dims wide = {.rank = 0};
    const char *made = npart__view(site, npart__operand(site, 0), &flat);
    made = NPART__MAKE(site, "InstanceNormalization", made, ones, zeros);
    npart__give_float(site, "epsilon", npart__site_float(site, site->id, "epsilon", 1e-5));
    if (is_by_group) {
        npart__finish_shaped(site, 0, made);
        return true;
    }
    for (uint32_t i = 1; i < dims.rank; i++)
        npart__push_dim(&wide, i == 1 ? channels : 1);
    made = npart__make_reshape(site, made, dims.at, dims.rank);
    made = npart__make_multiply(site, made, npart__view(site, npart__operand(site, 1), &wide));
    npart__finish(site, 0, npart__make_add(site, made, npart__view(site, npart__operand(site, 2), &wide)));
    return true;
}
