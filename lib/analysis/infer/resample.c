/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that sample an image anew: resizing, cropping, grids, regions, blocks. Images are [N, C, H, W], or with a
 * depth [N, C, D, H, W]. No elements are computed.
 */
#include <math.h>

#include "infer/families.h"

/* ---- resizing -------------------------------------------------------------------------------------------- */

/* floor(dim * scale), in the single precision that runtimes compute it with, which decides where the product is close
 * to a whole number. A symbolic dim is followed for scales that are whole (2*h) or one over a whole (floor(h/2)). */
static int64_t scale_dim(struct npart__call *call, int64_t dim, double scale)
{
    if (npart__is_number(dim)) {
        volatile float product = (float)dim * (float)scale;
        double scaled = floor((double)product);
        return scaled >= 0 && scaled < 9e15 ? (int64_t)scaled : NPART__UNKNOWN;
    }
    /* Past a million it is no scale of an image, and the conversion stays far from int64's ends. */
    if (scale == floor(scale) && scale > 0 && scale < 1e6)
        return npart__product(call->pool, dim, (int64_t)scale);
    /* 0.5 halves a symbolic dim: floor(h/2). */
    double inverse = 1 / scale;
    if (scale > 0 && inverse == floor(inverse) && inverse < 1e6)
        return npart__floor_quotient(call->pool, dim, (int64_t)inverse);
    return NPART__UNKNOWN;
}

/* The one scale for all axes that the wanted sizes in `dims` ask for: the smallest or largest of them; -1 when a size
 * is not a number. For 100 x 200 to become 50 x 50, the scales are 0.5 and 0.25. */
static double common_scale(const struct npart__fact *in, const uint32_t *axes, uint32_t count, const int64_t *dims,
                           bool takes_smallest)
{
    double scale = -1;
    for (uint32_t i = 0; i < count; i++) {
        int64_t before = in->dims[axes[i]], after = dims[axes[i]];
        if (!npart__is_number(before) || !npart__is_number(after) || before <= 0)
            return -1;
        /* What this axis alone would need. */
        double needed = (double)after / (double)before;
        if (scale < 0 || (takes_smallest ? needed < scale : needed > scale))
            scale = needed;
    }
    return scale;
}

/* keep_aspect_ratio_policy (opset 18): not_larger fits the image into the sizes, not_smaller fills them. In the example
 * above they make 25 x 50 and 50 x 100. Sizes are rounded to the nearest, halves up, not down as with scales. */
static void keep_ratio(struct npart__call *call, const struct npart__fact *in, const uint32_t *axes, uint32_t count,
                       int64_t *dims)
{
    const char *policy = npart__string_attribute(call, "keep_aspect_ratio_policy", "stretch");
    if (strcmp(policy, "stretch") == 0)
        return;
    double scale = common_scale(in, axes, count, dims, strcmp(policy, "not_larger") == 0);
    for (uint32_t i = 0; i < count; i++) {
        /* Without a common scale all of the sizes are unknown. */
        double size = scale < 0 ? -1 : floor(scale * (double)in->dims[axes[i]] + 0.5);
        dims[axes[i]] = size >= 0 && size < 9e15 ? (int64_t)size : NPART__UNKNOWN;
    }
}

/* Inputs X, roi, scales, sizes (opset 10: X, scales), of which sizes count before scales. Since opset 18 `axes` says to
 * which axes they belong. Where neither is known, those axes are unknown, and the others stay.
 *
 *   [1,3,32,32], scales [1,1,2,2]         ->  [1,3,64,64]
 *   [1,3,32,32], sizes [48,64], axes 2,3  ->  [1,3,48,64] */
void npart__infer_resize(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    bool is_first = call->node->schema && call->node->schema->since < 11; /* X and scales only */
    uint32_t scale_input = is_first ? 1 : 2, axis_count, count, size_count;
    const int64_t *axis_list = npart__ints_attribute(call, "axes", &axis_count);
    uint32_t axes[NPART__LIMIT_RANK];
    const int64_t *sizes = is_first ? NULL : npart__in_ints(call, 3, &size_count);
    if (!in->has_rank && sizes && !axis_list) /* one for each axis */
        npart__set_rank(call, 0, size_count);
    if (!in->has_rank)
        return;
    if (!axis_list)
        axis_count = in->rank;
    for (uint32_t i = 0; i < axis_count && i < NPART__LIMIT_RANK; i++)
        if (!npart__normalize_axis(axis_list ? axis_list[i] : i, in->rank, &axes[i]))
            return;
    int64_t *dims = npart__copy_dims(call, in, 0);
    if (!dims || axis_count > NPART__LIMIT_RANK)
        return;
    /* Whole scales are asked for first, as they serve symbolic dims exactly: [1,1,2,2] of [`n`,3,`h`,`w`] is 2*h,
     * 2*w. */
    double scales[NPART__LIMIT_KNOWN_FLOATS];
    const int64_t *whole_scales = npart__in_ints(call, scale_input, &count);
    if (sizes && size_count == axis_count) {
        for (uint32_t i = 0; i < axis_count; i++)
            dims[axes[i]] = sizes[i];
        keep_ratio(call, in, axes, axis_count, dims);
    } else if (whole_scales && count == axis_count) {
        for (uint32_t i = 0; i < axis_count; i++)
            dims[axes[i]] = npart__product(call->pool, dims[axes[i]], whole_scales[i]);
    } else if (npart__in_doubles(call, scale_input, scales, NPART__LIMIT_KNOWN_FLOATS, &count) &&
               count == axis_count) {
        for (uint32_t i = 0; i < axis_count; i++)
            dims[axes[i]] = scale_dim(call, dims[axes[i]], scales[i]);
    } else {
        /* Neither is known, or its length is not that of the axes. */
        for (uint32_t i = 0; i < axis_count; i++)
            dims[axes[i]] = NPART__UNKNOWN;
    }
    npart__set_dims(call, 0, in->rank, dims);
}

/* Scales: an attribute until opset 9, which made them an input; in opset 1 two attributes, for height and width. */
void npart__infer_upsample(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    const struct npart__attribute *attribute = npart__node_attribute(call->graph, call->node, "scales");
    double scales[NPART__LIMIT_KNOWN_FLOATS];
    uint32_t count = 0;
    bool known = npart__in_doubles(call, 1, scales, NPART__LIMIT_KNOWN_FLOATS, &count);
    /* Attribute type 6 is a list of floats. */
    if (attribute && attribute->type == NPART_ATTRIBUTE_FLOATS && attribute->count <= NPART__LIMIT_KNOWN_FLOATS) {
        known = true;
        count = attribute->count;
        for (uint32_t i = 0; i < count; i++)
            scales[i] = (double)attribute->u.floats[i];
    }
    float height = npart__float_attribute(call, "height_scale", 0);
    float width = npart__float_attribute(call, "width_scale", 0);
    if (height > 0 && width > 0 && in->rank == 4) { /* opset 1 */
        /* Images are [N, C, H, W], so batch and channels have 1. */
        const double both[] = {1, 1, (double)height, (double)width};
        memcpy(scales, both, sizeof both);
        known = true;
        count = 4;
    }
    int64_t *dims = in->has_rank ? npart__new_dims(call, in->rank) : NULL;
    for (uint32_t i = 0; dims && i < in->rank; i++)
        dims[i] = known && count == in->rank ? scale_dim(call, in->dims[i], scales[i]) : NPART__UNKNOWN;
    if (dims)
        npart__set_dims(call, 0, in->rank, dims);
}

/* ---- blocks ---------------------------------------------------------------------------------------------- */

/* DepthToSpace and SpaceToDepth, with blocksize b:
 *
 *   [N, C, H, W]  ->  [N, C/(b*b), H*b, W*b]   and back   [N, C*b*b, H/b, W/b]
 *
 * The rank is 4 also where the operand's is not known. */
void npart__infer_blocks(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    int64_t block = npart__int_attribute(call, "blocksize", 0), area;
    int64_t *dims = npart__copy_dims(call, in, 0);
    if (!dims)
        npart__set_rank(call, 0, 4);
    if (!dims || in->rank != 4 || block <= 0 || !npart__multiply_int64(block, block, &area))
        return;
    bool to_space = call->row->parameter == NPART__BLOCKS_TO_SPACE;
    dims[1] = to_space ? npart__floor_quotient(call->pool, dims[1], area) : npart__product(call->pool, dims[1], area);
    for (uint32_t i = 2; i < 4; i++)
        dims[i] = to_space ? npart__product(call->pool, dims[i], block)
                           : npart__floor_quotient(call->pool, dims[i], block);
    npart__set_dims(call, 0, 4, dims);
}

/* ---- sampling -------------------------------------------------------------------------------------------- */

/* GridSample: [N, C] of the input, the spatial dims of the grid: X [1,3,32,32], grid [1,20,30,2] -> [1,3,20,30]. */
void npart__infer_grid_sample(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0), *grid = npart__in(call, 1);
    if (!npart__out(call, 0)->element_type)
        npart__set_type_like(call, 0, 0);
    if (!in->has_rank || !grid->has_rank || in->rank < 3 || grid->rank != in->rank)
        return;
    int64_t *dims = npart__new_dims(call, in->rank);
    for (uint32_t i = 0; dims && i < in->rank; i++)
        dims[i] = i < 2 ? in->dims[i] : grid->dims[i - 1];
    npart__set_dims(call, 0, in->rank, dims);
}

/* AffineGrid (opset 20): [N, H, W, 2] or [N, D, H, W, 3] of a size [N, C, (D,) H, W]. Where the size is not known, its
 * length, or else theta [N,2,3] or [N,3,4], still tells which of the two it is. */
void npart__infer_affine_grid(struct npart__call *call)
{
    const struct npart__fact *theta = npart__in(call, 0);
    uint32_t count;
    const int64_t *sizes = npart__in_ints(call, 1, &count);
    if (!sizes)
        count = npart__in_length(call, 1);
    if (!sizes && count != 4 && count != 5 && theta->has_rank && theta->rank == 3)
        count = theta->dims[1] == 2 ? 4 : theta->dims[1] == 3 ? 5 : 0;
    int64_t *dims = count == 4 || count == 5 ? npart__new_dims(call, count) : NULL;
    if (!dims)
        return;
    /* theta and size both have N; one number suffices. */
    dims[0] = theta->has_rank && theta->rank ? theta->dims[0] : NPART__UNKNOWN;
    if (sizes && !npart__is_number(dims[0]))
        dims[0] = sizes[0];
    for (uint32_t i = 2; i < count; i++)
        dims[i - 1] = sizes ? sizes[i] : NPART__UNKNOWN;
    /* Two coordinates a place of an image, three of a volume. */
    dims[count - 1] = count - 2;
    npart__set_dims(call, 0, count, dims);
}

/* ---- cropping -------------------------------------------------------------------------------------------- */

/* CenterCropPad (opset 18): the sizes of input 1, on all axes or those listed; the others stay. */
void npart__infer_center_crop_pad(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t count, axis_count;
    const int64_t *sizes = npart__in_ints(call, 1, &count), *axes = npart__ints_attribute(call, "axes", &axis_count);
    int64_t *dims = npart__copy_dims(call, in, 0);
    if (!dims)
        return;
    uint32_t cropped = axes ? axis_count : in->rank;
    for (uint32_t i = 0; i < cropped; i++) {
        uint32_t axis = i;
        if (axes && !npart__normalize_axis(axes[i], in->rank, &axis))
            return;
        dims[axis] = sizes && i < count ? sizes[i] : NPART__UNKNOWN;
    }
    npart__set_dims(call, 0, in->rank, dims);
}

/* The experimental Crop: border is left, top, right, bottom; scale, if there, height and width of what is kept. */
void npart__infer_crop(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t border_count, scale_count;
    const int64_t *border = npart__ints_attribute(call, "border", &border_count);
    const int64_t *scale = npart__ints_attribute(call, "scale", &scale_count);
    int64_t *dims = npart__copy_dims(call, in, 0);
    if (!dims || in->rank != 4)
        return;
    for (uint32_t i = 0; i < 2; i++) {
        if (scale && scale_count == 2)
            dims[i + 2] = scale[i];
        else if (border && border_count == 4)
            /* Of the height top and bottom are border[1] and border[3], of the width left and right border[0] and
             * border[2]. */
            dims[i + 2] = npart__difference(call->pool, in->dims[i + 2],
                                            npart__sum(call->pool, border[1 - i], border[3 - i]));
    }
    npart__set_dims(call, 0, 4, dims);
}

/* ImageDecoder (opset 20): an image of unknown size: height, width, channels (1 or 3). */
void npart__infer_image_decoder(struct npart__call *call)
{
    bool is_gray = strcmp(npart__string_attribute(call, "pixel_format", "RGB"), "Grayscale") == 0;
    npart__set_element_type(call, 0, NPART__UINT8);
    NPART__SET_SIZES(call, 0, NPART__UNKNOWN, NPART__UNKNOWN, is_gray ? 1 : 3);
}
