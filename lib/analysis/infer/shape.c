/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators whose result is about shapes: reading them (Shape, Size), changing them (Reshape, Flatten, Squeeze,
 * Unsqueeze, Transpose, Expand, Tile), making tensors of them (ConstantOfShape, Range), and Constant and Identity.
 *
 * This is the heart of what exporters do with dynamic dims. A Reshape to "batch, sequence, 12 heads of 64" is in the
 * file
 *
 *   Shape [`batch`,`seq`,768] -> Gather 0, 1 -> Unsqueeze -> Concat [batch, seq, 12, 64] -> Reshape
 *
 * and all of it is followed with symbols as elements, so that the result is [`batch`,`seq`,12,64].
 */
#include <math.h>

#include "infer/elements.h"
#include "infer/driver.h"
#include "infer/families.h"
#include "infer/numbers.h"

/* ---- constants ------------------------------------------------------------------------------------------- */

/* value_int, value_ints, value_float, value_floats, value_string, value_strings (opset 12): lists are vectors, single
 * ones scalars. Of texts only the type and shape are known. A number that looks like a handle leaves the elements
 * unknown. */
static void constant_of_numbers(struct npart__call *call, const struct npart__attribute *attribute)
{
    const enum npart_attribute_type kind = (enum npart_attribute_type)attribute->type;
    bool is_list = kind == NPART_ATTRIBUTE_FLOATS || kind == NPART_ATTRIBUTE_INTS || kind == NPART_ATTRIBUTE_STRINGS;
    bool is_real = kind == NPART_ATTRIBUTE_FLOAT || kind == NPART_ATTRIBUTE_FLOATS;
    bool is_integer = kind == NPART_ATTRIBUTE_INT || kind == NPART_ATTRIBUTE_INTS;
    int type = is_real ? NPART__FLOAT : is_integer ? NPART__INT64 : NPART__STRING;
    uint32_t count = is_list ? attribute->count : 1;
    npart__set_element_type(call, 0, type);
    npart__set_sizes(call, 0, is_list ? 1 : 0, &(int64_t){count});
    if (is_integer) {
        int64_t *ints = npart__new_ints(call, count);
        for (uint32_t i = 0; ints && i < count; i++) {
            ints[i] = is_list ? attribute->u.ints[i] : attribute->u.i;
            if (!npart__is_number(ints[i]))
                return;
        }
        npart__set_ints(call, 0, ints, count);
    } else if (is_real && count <= NPART__LIMIT_KNOWN_FLOATS) {
        double *doubles = npart__new_doubles(call, count);
        for (uint32_t i = 0; doubles && i < count; i++)
            doubles[i] = (double)(is_list ? attribute->u.floats[i] : attribute->u.f);
        if (doubles)
            npart__set_numbers(call, 0, doubles, count, 0);
    }
}

/* One attribute holds the value; of more, the first counts. To all that follows the result is an initializer. */
void npart__infer_constant(struct npart__call *call)
{
    bool is_done = false;
    /* By type and not by name alone: `value` and `sparse_value` are tensors, the others begin with "value". */
    for (uint32_t i = 0; i < call->node->attribute_count && !is_done; i++) {
        const struct npart__attribute *attribute =
            &call->graph->attributes.items[call->node->first_attribute + i];
        /* A tensor, or a sparse one. */
        bool is_tensor = attribute->type == NPART_ATTRIBUTE_TENSOR || attribute->type == NPART_ATTRIBUTE_SPARSE_TENSOR;
        is_done = is_tensor ? attribute->u.tensor != NULL
                            : strncmp(attribute->name, "value", 5) == 0 && !attribute->is_elided;
        if (is_done && is_tensor)
            npart__fact_from_tensor(call->inference->graph->limits, npart__out(call, 0), attribute->u.tensor, true);
        else if (is_done)
            constant_of_numbers(call, attribute);
    }
    /* Also where the value was left out by the scan: that it is a constant is known. */
    npart__out(call, 0)->is_initializer = true;
}

/* The whole fact, elements too, which are read first so that both have them; but the result is no initializer. */
void npart__infer_identity(struct npart__call *call)
{
    struct npart__fact *out = npart__out(call, 0);
    (void)npart__elements(call->inference, npart__in(call, 0));
    *out = *npart__in(call, 0);
    out->is_constant = out->is_initializer = false;
}

/* ---- reading shapes -------------------------------------------------------------------------------------- */

/* The dims as elements, from `start` to `end` (opset 15), both clamped: of [`batch`,3,224,224], [batch,3,224,224].
 * Without a rank, the result is a vector of unknown length. */
void npart__infer_shape(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    npart__set_element_type(call, 0, NPART__INT64);
    if (!in->has_rank) {
        npart__set_rank(call, 0, 1);
        return;
    }
    int64_t rank = in->rank;
    int64_t start = npart__int_attribute(call, "start", 0), end = npart__int_attribute(call, "end", rank);
    /* Bounds out of range are no mistake here: the standard clamps them. */
    start = npart__clamp_int64(start < 0 ? start + rank : start, 0, rank);
    end = npart__clamp_int64(end < 0 ? end + rank : end, 0, rank);
    uint32_t count = end > start ? (uint32_t)(end - start) : 0;
    NPART__SET_SIZES(call, 0, count);
    npart__set_ints(call, 0, in->dims + start, count);
}

/* The product of all dims, of a scalar 1; with a symbolic dim an expression: of [`n`,3], 3*n. */
void npart__infer_size(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    npart__set_element_type(call, 0, NPART__INT64);
    npart__set_rank(call, 0, 0);
    int64_t *size = in->has_rank ? npart__new_ints(call, 1) : NULL;
    if (size) {
        size[0] = npart__dims_product(call, in->dims, 0, in->rank);
        npart__set_ints(call, 0, size, 1);
    }
}

/* ---- Reshape and its kin --------------------------------------------------------------------------------- */

/* The target of a Reshape: an input since opset 5, an attribute before. */
static const int64_t *reshape_target(struct npart__call *call, uint32_t *count)
{
    const int64_t *target = npart__ints_attribute(call, "shape", count);
    return target && !npart__has_input(call, 1) ? target : npart__in_ints(call, 1, count);
}

/* What is left for the dim written as -1: all elements divided by the other dims. Where that does not come out as an
 * expression, it is a floor, with the relation that nothing is left. */
static int64_t infer_rest(struct npart__call *call, const struct npart__fact *in, const int64_t *dims, uint32_t rank,
                          uint32_t open)
{
    if (!in->has_rank)
        return NPART__UNKNOWN;
    /* Of the operand all elements, of the result those of the other dims. */
    int64_t others = 1, total = npart__dims_product(call, in->dims, 0, in->rank), rest;
    for (uint32_t i = 0; i < rank; i++)
        if (i != open)
            others = npart__product(call->pool, others, dims[i]);
    /* Where both are numbers this divides them, unless something is left or the divisor is 0. */
    if (npart__exact_quotient(call->pool, total, others, &rest))
        return rest;
    if (npart__is_number(total) && npart__is_number(others) && others != 0) {
        npart__contradiction(call, "%lld elements do not divide by %lld", (long long)total, (long long)others);
        return NPART__UNKNOWN;
    }
    rest = npart__floor_quotient(call->pool, total, others);
    npart__must_equal(call, total, npart__product(call->pool, others, rest));
    return rest;
}

/* In the target, 0 keeps the dim of the same place, unless allowzero=1 (opset 14), and -1 is what is left:
 *
 *   [2,128,768], target [0,-1,12,64]  ->  [2,128,12,64]
 *
 * Where only the length of the target is known, so is the rank. As many elements as before must be there after it. */
void npart__infer_reshape(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t rank, open = NPART_NONE;
    const int64_t *target = reshape_target(call, &rank);
    bool allows_zero = npart__int_attribute(call, "allowzero", 0) != 0;
    if (!target) {
        npart__set_rank(call, 0, npart__in_length(call, 1));
        return;
    }
    int64_t *dims = npart__new_dims(call, rank);
    if (!dims)
        return;
    for (uint32_t i = 0; i < rank; i++) {
        dims[i] = target[i];
        if (target[i] == -1 && open != NPART_NONE) {
            npart__contradiction(call, "sizes %u and %u are both left open", open, i);
            return;
        }
        if (target[i] == -1)
            open = i;
        /* Of an operand without a rank, or past its last axis, the size to keep is unknown. */
        else if (target[i] == 0 && !allows_zero)
            dims[i] = in->has_rank && i < in->rank ? in->dims[i] : NPART__UNKNOWN;
    }
    if (open != NPART_NONE)
        dims[open] = infer_rest(call, in, dims, rank, open);
    /* Both may be symbolic. Equal expressions are one handle, so most Reshapes relate nothing here. */
    int64_t before = in->has_rank ? npart__dims_product(call, in->dims, 0, in->rank) : NPART__UNKNOWN;
    int64_t after = npart__dims_product(call, dims, 0, rank);
    if (npart__is_number(before) && npart__is_number(after) && before != after) {
        npart__contradiction(call, "%lld elements cannot become %lld", (long long)before, (long long)after);
        return;
    }
    if (open == NPART_NONE)
        npart__must_equal(call, before, after);
    npart__set_dims(call, 0, rank, dims);
    /* Row-major order stays, so the elements are the same; so with the operators below. */
    npart__pass_elements(call, 0, 0);
}

/* A matrix: dims before the axis are its rows, the others its columns. [2,3,4] with axis 2 is [6,4], with axis 0
 * [1,24]. */
void npart__infer_flatten(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    int64_t axis = npart__int_attribute(call, "axis", 1);
    if (!in->has_rank) {
        npart__set_rank(call, 0, 2);
        return;
    }
    if (axis < 0)
        axis += in->rank;
    /* The axis may be the rank, which leaves one column. */
    if (axis < 0 || axis > in->rank)
        return;
    int64_t rows = npart__dims_product(call, in->dims, 0, (uint32_t)axis);
    NPART__SET_SIZES(call, 0, rows, npart__dims_product(call, in->dims, (uint32_t)axis, in->rank));
    npart__pass_elements(call, 0, 0);
}

/* Axes by attribute or, since opset 13, by input 1. False when they are an input that is not known. */
static bool read_axes(struct npart__call *call, const int64_t **axes, uint32_t *count)
{
    *axes = npart__ints_attribute(call, "axes", count);
    if (*axes || !npart__has_input(call, 1))
        return true;
    *axes = npart__in_ints(call, 1, count);
    return *axes != NULL;
}

/* Whether all sizes of 1 can be dropped, as a Squeeze without axes does. Not where a dim is symbolic, as it may be 1;
 * then even the rank is unknown. An empty list of axes means none of them to ONNX and all of them to ONNX Runtime, so
 * it is only followed where both come to the same. */
static bool can_squeeze_all(const struct npart__fact *in, bool is_empty_list)
{
    for (uint32_t i = 0; i < in->rank; i++)
        if (!npart__is_number(in->dims[i]) || (is_empty_list && in->dims[i] == 1))
            return false;
    return true;
}

/* [1,3,1,5] with axes [0,2] is [3,5]. A symbolic dim that is listed must be 1, or the model fails. */
void npart__infer_squeeze(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    const int64_t *axes;
    uint32_t count, kept = 0;
    bool drops[NPART__LIMIT_RANK] = {false};
    bool known = read_axes(call, &axes, &count);
    int64_t *dims = in->has_rank ? npart__new_dims(call, in->rank) : NULL;
    if (!dims || !known || (count == 0 && !can_squeeze_all(in, axes != NULL)))
        return;
    for (uint32_t i = 0; axes && i < count; i++) {
        uint32_t axis;
        if (!npart__is_number(axes[i]) || !npart__normalize_axis(axes[i], in->rank, &axis))
            return;
        if (npart__is_number(in->dims[axis]) && in->dims[axis] != 1) {
            npart__contradiction(call, "axis %u of size %lld cannot be squeezed", axis, (long long)in->dims[axis]);
            return;
        }
        drops[axis] = true;
    }
    for (uint32_t i = 0; i < in->rank; i++) {
        /* Without a list all sizes of 1 go; can_squeeze_all has seen that every dim is a number. */
        if (axes ? !drops[i] : in->dims[i] != 1)
            dims[kept++] = in->dims[i];
    }
    npart__set_dims(call, 0, kept, dims);
    npart__pass_elements(call, 0, 0);
}

/* [3,5] with axes [0,-1] is [1,3,5,1]: axes count in the result. Where only their number is known, so is the rank. */
void npart__infer_unsqueeze(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    const int64_t *axes;
    uint32_t count, next = 0;
    bool is_new[NPART__LIMIT_RANK] = {false}, is_known = read_axes(call, &axes, &count);
    if (in->has_rank && !is_known && npart__in_length(call, 1) != NPART_NONE)
        npart__set_rank(call, 0, in->rank + npart__in_length(call, 1));
    if (!in->has_rank || !axes || count > NPART__LIMIT_RANK || count + in->rank > NPART__LIMIT_RANK)
        return;
    uint32_t rank = in->rank + count;
    int64_t *dims = npart__new_dims(call, rank);
    if (!dims)
        return;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t axis;
        /* An axis that is out of range or listed twice is a mistake of the model. */
        if (!npart__is_number(axes[i]) || !npart__normalize_axis(axes[i], rank, &axis) || is_new[axis])
            return;
        is_new[axis] = true;
    }
    for (uint32_t i = 0; i < rank; i++)
        dims[i] = is_new[i] ? 1 : in->dims[next++];
    npart__set_dims(call, 0, rank, dims);
    npart__pass_elements(call, 0, 0);
}

/* Axis i of the result is axis perm[i] of the operand; without perm, all in reverse: [2,3,4] with [0,2,1] is
 * [2,4,3]. */
void npart__infer_transpose(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t count;
    const int64_t *order = npart__ints_attribute(call, "perm", &count);
    if (!in->has_rank) {
        if (order)
            npart__set_rank(call, 0, count);
        return;
    }
    uint32_t rank = in->rank;
    int64_t *dims = npart__new_dims(call, rank);
    /* By axis of the result: the axis of the operand. A known rank is never past the limit. */
    uint32_t from[NPART__LIMIT_RANK];
    if (!dims || (order && count != rank))
        return;
    for (uint32_t i = 0; i < rank; i++) {
        from[i] = rank - 1 - i;
        if (order && !npart__normalize_axis(order[i], rank, &from[i]))
            return;
        dims[i] = in->dims[from[i]];
    }
    npart__set_dims(call, 0, rank, dims);
    /* Elements move by their strides: a step along axis i is one along axis perm[i] of the operand. */
    if (npart__is_static(in) && npart__elements(call->inference, npart__in(call, 0))) {
        int64_t strides[NPART__LIMIT_RANK], steps[NPART__LIMIT_RANK];
        npart__strides(in->dims, rank, strides);
        for (uint32_t i = 0; i < rank; i++)
            steps[i] = strides[from[i]];
        npart__take_affine(call, 0, 0, 0, steps);
    }
}

/* ---- making tensors of a shape --------------------------------------------------------------------------- */

/* The dims of an output whose shape is the elements of input `index`; false when not even the rank is known. */
static bool dims_from_input(struct npart__call *call, uint32_t index, uint32_t output)
{
    uint32_t rank;
    const int64_t *target = npart__in_ints(call, index, &rank);
    if (target)
        npart__set_sizes(call, output, rank, target);
    else
        npart__set_rank(call, output, npart__in_length(call, index));
    return npart__out(call, output)->has_rank;
}

/* Filled with one number, a float32 0 by default; the shape is the numbers of input 0: the vector [2,`n`] gives
 * [2,n]. An input of no elements asks for a scalar. */
void npart__infer_constant_of_shape(struct npart__call *call)
{
    const struct npart__attribute *attribute = npart__node_attribute(call->graph, call->node, "value");
    const struct npart__tensor *value =
        attribute && attribute->type == NPART_ATTRIBUTE_TENSOR ? attribute->u.tensor : NULL;
    int64_t element = 0;
    uint32_t count;
    npart__set_element_type(call, 0, value ? value->element_type : NPART__FLOAT);
    if (!dims_from_input(call, 0, 0) || !npart__small_count(call, npart__out(call, 0), &count))
        return;
    /* No whole number: a fraction, or a tensor that cannot be read. */
    if (value && !npart__tensor_int64s(value, &element, 1)) {
        double number;
        if (npart__tensor_doubles(value, &number, 1))
            npart__set_filled(call, 0, number, count);
        return;
    }
    if (!npart__is_number(element))
        return;
    int64_t *ints = npart__new_ints(call, count);
    for (uint32_t i = 0; ints && i < count; i++)
        ints[i] = element;
    npart__set_ints(call, 0, ints, count);
}

/* To unknown sizes: a number other than 1 stays, as it cannot become another by broadcasting. The rank is the higher
 * one of operand and target. */
static void expand_to_unknown(struct npart__call *call, uint32_t rank)
{
    const struct npart__fact *in = npart__in(call, 0);
    int64_t *dims = npart__new_dims(call, rank);
    /* Axes that the operand lacks are at the front. */
    uint32_t missing = rank - in->rank;
    for (uint32_t i = 0; dims && i < rank; i++) {
        bool stays = i >= missing && npart__is_number(in->dims[i - missing]) && in->dims[i - missing] != 1;
        dims[i] = stays ? in->dims[i - missing] : NPART__UNKNOWN;
    }
    npart__set_dims(call, 0, rank, dims);
}

/* Broadcasts in both directions, so a target of 1 keeps the operand's dim: [3,1] to [2,1,4] is [2,3,4]. */
void npart__infer_expand(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t length;
    const int64_t *target = npart__in_ints(call, 1, &length);
    if (!in->has_rank)
        return;
    if (!target) {
        length = npart__in_length(call, 1);
        if (length != NPART_NONE)
            expand_to_unknown(call, length > in->rank ? length : in->rank);
        return;
    }
    /* A target is a list of elements, which may be longer than any rank. */
    if (length > NPART__LIMIT_RANK)
        return;
    /* The target as if it were a tensor's shape, to broadcast with. */
    struct npart__fact wanted = {
        .kind = NPART__TYPE_TENSOR, .has_rank = true, .rank = (uint16_t)length, .dims = target};
    const struct npart__fact *both[] = {in, &wanted};
    uint32_t rank;
    int64_t *dims;
    if (!npart__broadcast(call, both, 2, &rank, &dims))
        return;
    npart__set_dims(call, 0, rank, dims);
    const struct npart__fact *out = npart__out(call, 0);
    if (!npart__is_static(out) || !npart__is_static(in))
        return;
    /* Axes that are new or grow from 1 have step 0: the same element again. */
    int64_t strides[NPART__LIMIT_RANK], steps[NPART__LIMIT_RANK] = {0};
    npart__strides(in->dims, in->rank, strides);
    for (uint32_t i = 0; i < in->rank; i++)
        if (in->dims[i] != 1)
            steps[rank - in->rank + i] = strides[i];
    npart__take_affine(call, 0, 0, 0, steps);
}

/* Repeats known elements along all axes: element i of an axis of size n is element i mod n of the operand. Places are
 * taken apart from the last axis on, which changes fastest. */
static void tile_elements(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0), *out = npart__out(call, 0);
    struct npart__items items;
    uint32_t total;
    if (!npart__in_items(call, 0, &items) || !npart__small_count(call, out, &total))
        return;
    uint64_t *tiled = npart__new_items(call, total);
    for (uint32_t i = 0; tiled && i < total; i++) {
        int64_t rest = i, from = 0, stride = 1;
        for (uint32_t axis = in->rank; axis-- > 0; rest /= out->dims[axis]) {
            from += rest % out->dims[axis] % in->dims[axis] * stride;
            stride *= in->dims[axis];
        }
        tiled[i] = items.data[from];
    }
    if (tiled)
        npart__set_items(call, 0, tiled, total, &items);
}

/* [2,3] with repeats [2,1] is [4,3]. Where only their number is known, so is the rank. */
void npart__infer_tile(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t count;
    const int64_t *repeats = npart__in_ints(call, 1, &count);
    bool is_oldest = call->node->schema && call->node->schema->since < 6; /* a number of tiles and an axis */
    if (!in->has_rank && repeats && !is_oldest)
        npart__set_rank(call, 0, count);
    if (!in->has_rank)
        return;
    if (!repeats || count != in->rank || is_oldest) {
        npart__set_rank(call, 0, in->rank);
        return;
    }
    int64_t *dims = npart__new_dims(call, in->rank);
    for (uint32_t i = 0; dims && i < in->rank; i++)
        dims[i] = npart__product(call->pool, in->dims[i], repeats[i]);
    npart__set_dims(call, 0, in->rank, dims);
    tile_elements(call);
}

/* Range of floats. As runtimes do it: a running sum, each step rounded. The difference of the ends is rounded, too. In
 * 16 bits each step adds to how far the numbers may be off. */
static void range_of_fractions(struct npart__call *call, int64_t *dims, const double *bounds)
{
    /* All three are of one type, which ONNX asks for. */
    int type = npart__in(call, 0)->element_type;
    double number = bounds[0], length = ceil(npart__round_number(type, bounds[1] - bounds[0]) / bounds[2]);
    /* Not below 9e15 is also what NaN is. */
    if (bounds[2] == 0 || !(length < 9e15) || !npart__has_fractions(type))
        return;
    dims[0] = length > 0 ? (int64_t)length : 0;
    npart__set_dims(call, 0, 1, dims);
    uint32_t count;
    if (!npart__small_count(call, npart__out(call, 0), &count))
        return;
    double *numbers = npart__new_doubles(call, count), error = 0;
    for (uint32_t i = 0; numbers && i < count; i++) {
        numbers[i] = number;
        number = npart__round_number(type, number + bounds[2]);
        if (npart__type_bits(type) == 16)
            error += npart__unit_at(type, number);
    }
    npart__set_numbers(call, 0, numbers, count, error);
}

/* The one whole number of an input, possibly symbolic; NULL where it has none, or several, or is not known. */
static const int64_t *one_number(const struct npart__call *call, uint32_t input)
{
    uint32_t count;
    const int64_t *ints = npart__in_ints(call, input, &count);
    return ints && count == 1 ? ints : NULL;
}

/* The one exact number of an input. */
static bool one_fraction(const struct npart__call *call, uint32_t input, double *out)
{
    uint32_t count;
    return npart__in_doubles(call, input, out, 1, &count) && count == 1;
}

/* max(ceil((limit - start) / delta), 0) numbers. From 0 to `seq` by 1 it is as long as `seq`, which is how exporters
 * make positions. Without delta (com.microsoft) it is 1. */
void npart__infer_range(struct npart__call *call)
{
    uint32_t length;
    double bounds[3];
    int64_t *dims = npart__new_dims(call, 1);
    static const int64_t one[] = {1};
    const int64_t *start = one_number(call, 0), *limit = one_number(call, 1);
    const int64_t *delta = npart__has_input(call, 2) ? one_number(call, 2) : one;
    if (!dims)
        return;
    dims[0] = NPART__UNKNOWN;
    npart__set_dims(call, 0, 1, dims);
    bool is_float = npart__type_is_float(npart__in(call, 0)->element_type);
    /* Without a delta. */
    bounds[2] = 1;
    if (is_float && one_fraction(call, 0, bounds) && one_fraction(call, 1, bounds + 1) &&
        (!npart__has_input(call, 2) || one_fraction(call, 2, bounds + 2))) {
        range_of_fractions(call, dims, bounds);
        return;
    }
    /* By a symbolic step no length is worked out. */
    if (start && limit && delta && npart__is_number(delta[0]) && delta[0] != 0) {
        int64_t span = npart__difference(call->pool, limit[0], start[0]);
        dims[0] = npart__maximum(call->pool, npart__ceil_quotient(call->pool, span, delta[0]), 0);
    }
    npart__set_dims(call, 0, 1, dims);
    /* A limit that is not known leaves the length open, and then there are no elements either. */
    if (!start || !delta || !npart__small_count(call, npart__out(call, 0), &length))
        return;
    int64_t *ints = npart__new_ints(call, length);
    for (uint32_t i = 0; ints && i < length; i++)
        ints[i] = npart__sum(call->pool, start[0], npart__product(call->pool, delta[0], i));
    npart__set_ints(call, 0, ints, length);
}
