/* SPDX-License-Identifier: Apache-2.0
 *
 * Pad of forms that compilers lack.
 */
#include "rewrite/axes.h"

/* Pads of all axes, those at the beginning and then those at the end; `rank` at most NPART__LIMIT_RANK. False where
 * they are not known. The mode must be one of opset 11 or later, where they are an operand. */
static bool read_pads(struct npart__site *site, uint32_t rank, int64_t *pads)
{
    uint32_t count, axis_count = rank, axis;
    bool is_seen[NPART__LIMIT_RANK] = {false};
    uint32_t listed = npart__operand(site, 3);
    const int64_t *axes = NULL, *given = npart__site_ints(site, npart__operand(site, 1), &count);
    if (listed != NPART_NONE && !(axes = npart__site_ints(site, listed, &axis_count)))
        return false;
    if (!given || axis_count > rank || count != 2 * axis_count)
        return false;
    memset(pads, 0, 2 * rank * sizeof *pads);
    for (uint32_t i = 0; i < axis_count; i++) {
        if (!npart__normalize_axis(axes ? axes[i] : i, rank, &axis) || is_seen[axis])
            return false;
        is_seen[axis] = true;
        pads[axis] = given[i];
        pads[rank + axis] = given[axis_count + i];
    }
    return true;
}

/* The axes that are not listed have pads of 0. */
bool npart__rewrite_pad_axes(struct npart__site *site)
{
    uint32_t rank;
    int64_t pads[2 * NPART__LIMIT_RANK];
    if (npart__operand(site, 3) == NPART_NONE || !npart__site_rank(site, npart__operand(site, 0), &rank) || !rank ||
        rank > NPART__LIMIT_RANK || !read_pads(site, rank, pads))
        return false;
    const char *operands[3] = {npart__operand_name(site, 0), npart__make_ints(site, pads, 2 * rank),
                               npart__operand_name(site, 2)};
    npart__finish(site, 0, npart__make_like(site, site->id, operands, 3));
    return true;
}

/* Axis by axis: the end stands before the beginning, and the beginning after the end. Corners come right, since what is
 * joined to an axis is wrapped along the others. */
bool npart__rewrite_pad_wrap(struct npart__site *site)
{
    struct npart__dims dims;
    int64_t pads[2 * NPART__LIMIT_RANK];
    if (!npart__same_text(npart__site_text(site, site->id, "mode", ""), "wrap") ||
        !npart__full_dims(site, npart__operand(site, 0), &dims) || !dims.rank || !read_pads(site, dims.rank, pads))
        return false;
    for (uint32_t i = 0; i < dims.rank; i++) /* further round than once nobody says what it is */
        if (pads[i] < 0 || pads[dims.rank + i] < 0 || pads[i] > dims.at[i] || pads[dims.rank + i] > dims.at[i])
            return false;
    const char *made = npart__operand_name(site, 0);
    for (uint32_t i = 0; i < dims.rank; i++) {
        int64_t before = pads[i], after = pads[dims.rank + i];
        const char *parts[3];
        uint32_t count = 0;
        if (before)
            parts[count++] = npart__make_slice(site, made, i, dims.at[i] - before, dims.at[i], 1);
        parts[count++] = made;
        if (after)
            parts[count++] = npart__make_slice(site, made, i, 0, after, 1);
        if (count > 1)
            made = npart__make_concat(site, parts, count, i);
    }
    npart__finish(site, 0, made);
    return true;
}
