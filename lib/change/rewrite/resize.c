/* SPDX-License-Identifier: Apache-2.0
 *
 * Resize of forms that compilers lack.
 */
#include <math.h>

#include "rewrite/axes.h"

/* What a node says, by axis of the operand. */
struct resize {
    struct npart__dims x, y; /* of the operand and of the result */
    float scales[NPART__LIMIT_RANK]; /* in the precision that runtimes compute coordinates in */
    bool has_axes, has_sizes; /* whether the node gives them */
    uint32_t scale_input; /* which operand the scales are: 1 before opset 11, then 2 */
};

static bool is_one(float number)
{
    return number >= 1 && number <= 1;
}

/* Operands X, roi, scales, sizes, before opset 11 X and scales. Sizes count before scales. Scales of axes that are not
 * listed are 1. Whatever is not understood whole (an aspect ratio that is kept, a region that is cut out) leaves
 * the node as it is. */
static bool read_resize(struct npart__site *site, struct resize *resize)
{
    uint32_t count = 0, axis_count, axis;
    const double *numbers = NULL;
    const int64_t *axes = npart__site_int_list(site, site->id, "axes", &axis_count), *sizes = NULL;
    resize->scale_input = site->node->opset_version < 11 ? 1 : 2;
    resize->has_axes = axes != NULL;
    if (!npart__full_dims(site, npart__operand(site, 0), &resize->x) ||
        !npart__full_dims(site, npart__result(site, 0), &resize->y) || resize->x.rank != resize->y.rank)
        return false;
    if (!axes)
        axis_count = resize->x.rank;
    if (resize->scale_input == 2 && npart__has_operand(site, 3) &&
        !(sizes = npart__site_ints(site, npart__operand(site, 3), &count)))
        return false;
    resize->has_sizes = count > 0;
    /* Empty sizes mean scales, in opset 11 and 12. */
    if (!count && !(numbers = npart__site_doubles(site, npart__operand(site, resize->scale_input), &count)))
        return false;
    if (count != axis_count || axis_count > resize->x.rank)
        return false;
    for (uint32_t i = 0; i < resize->x.rank; i++)
        resize->scales[i] = 1;
    for (uint32_t i = 0; i < axis_count; i++) {
        /* Without axes the numbers are for all axes, in their order. */
        if (!npart__normalize_axis(axes ? axes[i] : i, resize->x.rank, &axis))
            return false;
        if (sizes && resize->has_sizes && sizes[i] != resize->y.at[axis])
            return false; /* an aspect ratio is kept */
        resize->scales[axis] = numbers ? (float)numbers[i] : (float)resize->y.at[axis] / (float)resize->x.at[axis];
    }
    /* A scale of 1 with another size contradicts itself. */
    for (uint32_t i = 0; i < resize->x.rank; i++)
        if (!(resize->scales[i] > 0) || (is_one(resize->scales[i]) && resize->x.at[i] != resize->y.at[i]))
            return false;
    return npart__same_text(npart__site_text(site, site->id, "keep_aspect_ratio_policy", "stretch"), "stretch") &&
           !npart__same_text(npart__site_text(site, site->id, "coordinate_transformation_mode", "half_pixel"),
                             "tf_crop_and_resize");
}

/* ---- channels last ----------------------------------------------------------------------------------------- */

/* Kernels of whole numbers round otherwise where channels are last. Height and width are axes 1 and 2 then, which
 * compilers resize as axes 2 and 3 only; so a Transpose stands at each end. */
bool npart__rewrite_resize_nhwc(struct npart__site *site)
{
    static const int64_t to_front[] = {0, 3, 1, 2}, to_back[] = {0, 2, 3, 1};
    struct resize resize;
    const char *mode = npart__site_text(site, site->id, "mode", "nearest");
    bool is_nearest = npart__same_text(mode, "nearest");
    /* Batch and channels must stay; and something must be resized. */
    if (!read_resize(site, &resize) || resize.x.rank != 4 || !is_one(resize.scales[0]) || !is_one(resize.scales[3]) ||
        (is_one(resize.scales[1]) && is_one(resize.scales[2])) ||
        (!is_nearest && !npart__is_plain_float(npart__site_type(site, npart__operand(site, 0)))))
        return false;
    const char *operands[4] = {npart__make_transpose(site, npart__operand_name(site, 0), to_front, 4), "", "", ""};
    /* Of the Resize in between, whose axes are batch, channels, height and width. */
    double scales[4] = {1, 1, (double)resize.scales[1], (double)resize.scales[2]};
    int64_t sizes[4] = {resize.y.at[0], resize.y.at[3], resize.y.at[1], resize.y.at[2]}, four = 4;
    if (resize.has_sizes)
        operands[3] = npart__make_ints(site, sizes, 4);
    else
        operands[resize.scale_input] = npart__make_constant(site, NPART__FLOAT, &four, 1, scales);
    if (resize.scale_input == 2 && site->node->opset_version < 13) { /* roi and scales must be there, though empty */
        int64_t none = 0;
        operands[1] = npart__make_constant(site, NPART__FLOAT, &none, 1, scales);
        operands[2] = resize.has_sizes ? operands[1] : operands[2];
    }
    const char *made = npart__make_like(site, site->id, operands, resize.scale_input == 1 ? 2 : 4);
    npart__drop_attribute(site, "axes");
    npart__finish(site, 0, npart__make_transpose(site, made, to_back, 4));
    /* ONNX Runtime's kernel for channels last sums these in another order. */
    if (npart__same_text(mode, "cubic") || npart__site_int(site, site->id, "antialias", 0))
        site->equality = NPART_EQUAL_ULP;
    return true;
}

/* ---- with antialiasing --------------------------------------------------------------------------------------- */

#define LIMIT_MATRIX ((int64_t)1 << 20) /* elements: 8 MiB while it is computed */

enum coordinates { HALF_PIXEL, PYTORCH_HALF_PIXEL, HALF_PIXEL_SYMMETRIC, ALIGN_CORNERS, ASYMMETRIC, NO_COORDINATES };

/* NO_COORDINATES for any other word. */
static enum coordinates read_coordinates(const struct npart__site *site)
{
    static const char *const names[] = {"half_pixel", "pytorch_half_pixel", "half_pixel_symmetric", "align_corners",
                                        "asymmetric"};
    const char *mode = npart__site_text(site, site->id, "coordinate_transformation_mode", "half_pixel");
    uint32_t i = 0;
    while (i < NPART__COUNT(names) && !npart__same_text(mode, names[i]))
        i++;
    return (enum coordinates)i;
}

/* Where an element of the result lies among those of the operand: the standard's formulas, in float. In float as
 * ONNX Runtime computes them, for a place that is rounded otherwise has other neighbours. `before` and `after`
 * are lengths of the axis. At scale 2, half_pixel puts element 0 of the result at -1/4. */
static float place_of(enum coordinates coordinates, int64_t index, float scale, int64_t after, int64_t before)
{
    float at = (float)index, length = (float)after, original = (float)before;
    float center = original / 2, adjustment = length / (scale * original);
    switch (coordinates) {
    case PYTORCH_HALF_PIXEL:
        return after > 1 ? (at + 0.5f) / scale - 0.5f : 0;
    case HALF_PIXEL_SYMMETRIC:
        return center * (1 - adjustment) + (at + 0.5f) / scale - 0.5f;
    case ALIGN_CORNERS:
        return after == 1 ? 0 : at * (original - 1) / (length - 1);
    case ASYMMETRIC:
        return at / scale;
    default:
        return (at + 0.5f) / scale - 0.5f;
    }
}

/* One row: a triangle as wide as the scale asks for, round the place. Its weights outside go to the edge, or are
 * left out (`excludes`), and the rest is scaled to a sum of 1. False where nothing of it is inside. Smaller
 * scales make the triangle wider: that is what antialiasing does, each result being a mean of what it covers.
 * Scale 1/2 and place 1/2: the elements -1 to 2 weigh 1/4, 3/4, 3/4, 1/4, the first goes to element 0, and the
 * row begins 1/2, 3/8, 1/8. */
static bool fill_row(double *row, float place, float scale, int64_t before, bool excludes)
{
    float wide = scale < 1 ? 1 / scale : 1, center = place + 0.5f;
    float first = floorf(center - wide + 0.5f), last = floorf(center + wide + 0.5f), total = 0;
    /* Written so that a NaN is no row, and a hostile scale no long one. */
    if (!(last > 0) || !(first < (float)before) || last - first > (float)LIMIT_MATRIX)
        return false;
    for (int64_t i = (int64_t)first; i < (int64_t)last; i++) {
        float weight = 1 - fabsf(((float)i - center + 0.5f) / wide);
        bool is_outside = i < 0 || i >= before;
        if (weight <= 0 || (is_outside && excludes))
            continue;
        total += weight;
        row[i < 0 ? 0 : i >= before ? before - 1 : i] += (double)weight;
    }
    for (int64_t i = 0; i < before && total > 0; i++)
        row[i] /= (double)total;
    return total > 0;
}

/* [after, before] where it stands to the left, [before, after] to the right. NULL where it is too large, or a
 * row is empty. The two names are those of the lengths before and after resizing. Row i of it says how much of
 * each element result i has. */
static double *make_matrix(struct npart__site *site, const struct resize *resize, uint32_t axis,
                           enum coordinates coordinates, bool excludes)
{
    int64_t before = resize->x.at[axis], after = resize->y.at[axis];
    /* As a quotient, since the product may not fit. Dims are at least 1 (npart__full_dims). */
    if (after > LIMIT_MATRIX / before)
        return NULL;
    double *matrix = npart__arena_zeroed(site->arena, (size_t)(before * after), sizeof *matrix);
    site->failed |= !matrix;
    for (int64_t i = 0; matrix && i < after; i++) {
        float scale = resize->scales[axis];
        if (!fill_row(matrix + i * before, place_of(coordinates, i, scale, after, before), scale, before, excludes))
            return NULL;
    }
    return matrix;
}

/* The matrix for rows stands to the right of the tensor, so it is transposed. */
static const char *make_turned(struct npart__site *site, int type, const double *matrix, int64_t before, int64_t after)
{
    int64_t dims[2] = {before, after};
    double *turned = npart__arena_allocate(site->arena, (size_t)(before * after) * sizeof *turned);
    site->failed |= !turned;
    for (int64_t i = 0; turned && i < after; i++)
        for (int64_t j = 0; j < before; j++)
            turned[j * after + i] = matrix[i * before + j];
    return turned ? npart__make_constant(site, type, dims, 2, turned) : NULL;
}

/* Each result is a sum of weighted elements of its row, then of its column: two products with matrices. The
 * matrices are constants of the file; axes other than the last two must stay. */
bool npart__rewrite_resize_antialias(struct npart__site *site)
{
    struct resize resize;
    int type = npart__site_type(site, npart__operand(site, 0));
    enum coordinates coordinates = read_coordinates(site);
    bool excludes = npart__site_int(site, site->id, "exclude_outside", 0) != 0;
    if (!npart__site_int(site, site->id, "antialias", 0) || coordinates == NO_COORDINATES ||
        !npart__same_text(npart__site_text(site, site->id, "mode", "nearest"), "linear") ||
        !read_resize(site, &resize) || resize.x.rank < 2 || (type != NPART__FLOAT && type != NPART__FLOAT16))
        return false;
    uint32_t rank = resize.x.rank;
    for (uint32_t i = 0; i + 2 < rank; i++)
        if (!is_one(resize.scales[i]))
            return false;
    bool has_rows = !is_one(resize.scales[rank - 2]), has_columns = !is_one(resize.scales[rank - 1]);
    double *rows = has_rows ? make_matrix(site, &resize, rank - 2, coordinates, excludes) : NULL;
    double *columns = has_columns ? make_matrix(site, &resize, rank - 1, coordinates, excludes) : NULL;
    if ((!has_rows && !has_columns) || (has_rows && !rows) || (has_columns && !columns))
        return false;
    const char *made = npart__operand_name(site, 0);
    /* Columns first: the tensor's last axis, [.., before] by [before, after]. */
    int64_t dims[2] = {resize.y.at[rank - 2], resize.x.at[rank - 2]};
    if (has_columns) {
        const char *turned = make_turned(site, type, columns, resize.x.at[rank - 1], resize.y.at[rank - 1]);
        made = npart__make_matmul(site, made, turned);
    }
    if (has_rows) {
        const char *left = npart__make_constant(site, type, dims, 2, rows);
        made = npart__make_matmul(site, left, made);
    }
    npart__finish(site, 0, made);
    return true;
}
