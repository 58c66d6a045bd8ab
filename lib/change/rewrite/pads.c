/* SPDX-License-Identifier: Apache-2.0
 *
 * Pad of forms that compilers lack.
 */
#include "rewrite/axes.h"

/* Of the edge: each is an operand of a Concat. */
#define LIMIT_REPEATS 32u

/* Pads of all axes, those at the beginning and then those at the end; `rank` at most NPART__LIMIT_RANK. False
 * where they are not known. The mode must be one of opset 11 or later, where they are an operand. An axis that
 * is listed twice, or a list of another length, is none that could be read. Of rank 4, axes [2,3] and pads
 * [1,2,3,4] give [0,0,1,2,0,0,3,4]. An older Pad has no second operand, so its pads are not known here. */
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
    memset(pads, 0, (size_t)2 * rank * sizeof *pads);
    for (uint32_t i = 0; i < axis_count; i++) {
        if (!npart__normalize_axis(axes ? axes[i] : i, rank, &axis) || is_seen[axis])
            return false;
        is_seen[axis] = true;
        pads[axis] = given[i];
        pads[rank + axis] = given[axis_count + i];
    }
    return true;
}

/* One axis with more at its ends: `before` and `after` times a part of it. The array has room for LIMIT_REPEATS
 * at each end, which callers have checked. A NULL among the parts is one that could not be made; then the site
 * has failed. */
static const char *extend(struct npart__site *site, const char *x, int64_t axis, const char *front, uint32_t before,
                          const char *back, uint32_t after)
{
    const char *parts[2 * LIMIT_REPEATS + 1];
    uint32_t count = 0;
    for (uint32_t i = 0; i < before; i++)
        parts[count++] = front;
    parts[count++] = x;
    for (uint32_t i = 0; i < after; i++)
        parts[count++] = back;
    return count > 1 ? npart__make_concat(site, parts, count, axis) : x;
}

/* The elements at the ends, repeated: what Pad of this mode writes along the last axis is wrong on Qualcomm's HTP (its
 * library for x86, 2.7.0: -65504 in place of the edge). Axis by axis, so corners are what they are in a Pad. */
static bool repeat_edges(struct npart__site *site, const int64_t *pads)
{
    struct npart__dims dims;
    if (!npart__full_dims(site, npart__operand(site, 0), &dims))
        return false;
    for (uint32_t i = 0; i < 2 * dims.rank; i++)
        if (pads[i] < 0 || pads[i] > (int64_t)LIMIT_REPEATS)
            return false;
    const char *made = npart__operand_name(site, 0);
    for (uint32_t i = 0; i < dims.rank; i++) {
        uint32_t before = (uint32_t)pads[i], after = (uint32_t)pads[dims.rank + i];
        const char *front = before ? npart__make_slice(site, made, i, 0, 1, 1) : "";
        const char *back = after ? npart__make_slice(site, made, i, dims.at[i] - 1, dims.at[i], 1) : "";
        made = extend(site, made, i, front, before, back, after);
    }
    npart__finish(site, 0, made);
    return true;
}

/* The axes that are not listed have pads of 0. The operand `axes` came with opset 18, and compilers read pads of
 * all axes. */
bool npart__rewrite_pad_axes(struct npart__site *site)
{
    uint32_t rank;
    int64_t pads[2 * NPART__LIMIT_RANK];
    if (!npart__has_operand(site, 3) || !npart__site_rank(site, npart__operand(site, 0), &rank) || !rank ||
        rank > NPART__LIMIT_RANK || !read_pads(site, rank, pads))
        return false;
    /* Only what a Pad writes along the last axis is wrong there; other axes can stay with it. */
    if (npart__same_text(npart__site_text(site, site->id, "mode", ""), "edge") &&
        (pads[rank - 1] || pads[2 * rank - 1]))
        return repeat_edges(site, pads);
    /* Three operands: the fourth, `axes`, is what is to go. */
    const char *operands[3] = {npart__operand_name(site, 0), npart__make_ints(site, pads, 2 * rank),
                               npart__operand_name(site, 2)};
    npart__finish(site, 0, npart__make_like(site, site->id, operands, 3));
    return true;
}

/* Axis by axis: the end stands before the beginning, and the beginning after the end. Corners come right, since
 * what is joined to an axis is wrapped along the others. Each end is one Slice, however long. [a,b,c] with pads
 * 1 and 2 is [c,a,b,c,a,b]. */
bool npart__rewrite_pad_wrap(struct npart__site *site)
{
    struct npart__dims dims;
    int64_t pads[2 * NPART__LIMIT_RANK];
    if (!npart__same_text(npart__site_text(site, site->id, "mode", ""), "wrap") ||
        !npart__full_dims(site, npart__operand(site, 0), &dims) || !dims.rank || !read_pads(site, dims.rank, pads))
        return false;
    for (uint32_t i = 0; i < dims.rank; i++) /* wrapping more than once is not defined */
        if (pads[i] < 0 || pads[dims.rank + i] < 0 || pads[i] > dims.at[i] || pads[dims.rank + i] > dims.at[i])
            return false;
    const char *made = npart__operand_name(site, 0);
    for (uint32_t i = 0; i < dims.rank; i++) {
        int64_t before = pads[i], after = pads[dims.rank + i];
        const char *front = before ? npart__make_slice(site, made, i, dims.at[i] - before, dims.at[i], 1) : "";
        const char *back = after ? npart__make_slice(site, made, i, 0, after, 1) : "";
        made = extend(site, made, i, front, before > 0, back, after > 0);
    }
    npart__finish(site, 0, made);
    return true;
}
