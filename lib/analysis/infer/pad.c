/* SPDX-License-Identifier: Apache-2.0
 *
 * Pad. Pads are listed for all axes before their beginnings, then for all axes after their ends: [1,3,8,8] with
 * [0,0,1,1, 0,0,1,1] is [1,3,10,10]. Negative pads crop. They are an attribute before opset 11 (`paddings` in opset 1),
 * an input since; input 3 may list the axes since opset 18.
 */
#include "infer/elements.h"
#include "infer/families.h"
#include "infer/numbers.h"

/* Of modes that ONNX does not have, only the shape is known. */
enum mode { CONSTANT, REFLECT, EDGE, WRAP, OTHER };

/* The order of the names is that of the enum. `wrap` is there since opset 19. */
static enum mode read_mode(const struct npart__call *call)
{
    static const char *const names[] = {"constant", "reflect", "edge", "wrap"};
    const char *mode = npart__string_attribute(call, "mode", "constant");
    for (size_t i = 0; i < NPART__COUNT(names); i++)
        if (strcmp(mode, names[i]) == 0)
            return (enum mode)i;
    return OTHER;
}

/* Which index of a dim of `extent` elements stands at a place that counts from its first element; false for one of the
 * padding's own. Of [a,b,c] with 2 before: reflect c,b,a,b,c; edge a,a,a,b,c; wrap b,c,a,b,c. A reflection or turn that
 * leaves the dim again is false, too. */
static bool source_of(enum mode mode, int64_t at, int64_t extent, int64_t *out)
{
    *out = at;
    if (at >= 0 && at < extent)
        return true;
    switch (mode) {
    case REFLECT:
        /* The first and the last element are not repeated. */
        *out = at < 0 ? -at : 2 * extent - 2 - at;
        break;
    case EDGE:
        *out = at < 0 ? 0 : extent - 1;
        break;
    case WRAP:
        *out = at < 0 ? at + extent : at - extent;
        break;
    default:
        return false;
    }
    return *out >= 0 && *out < extent;
}

/* What stands in the padding of mode `constant`: an input since opset 11, an attribute before; in `like`'s form. False
 * where that is not known, or a fraction that `like`, whole numbers, cannot hold. */
static bool read_filling(const struct npart__call *call, const struct npart__items *like, uint64_t *out)
{
    struct npart__numbers numbers;
    double number = (double)npart__float_attribute(call, "value", 0);
    /* A number that does not fit, or NaN, becomes 0 here, which then differs from it. */
    int64_t whole = (int64_t)(number >= -1e15 && number <= 1e15 ? number : 0);
    if (npart__has_input(call, 2)) {
        if (!npart__in_numbers(call, 2, &numbers) || numbers.count != 1 || numbers.error != 0)
            return false;
        number = npart__number_at(&numbers, 0);
        whole = numbers.ints ? numbers.ints[0] : 0;
        if (like->is_ints && !numbers.ints)
            return false;
    } else if ((double)whole != number && like->is_ints) {
        return false;
    }
    if (like->is_ints)
        *out = (uint64_t)whole;
    else
        memcpy(out, &number, sizeof number);
    return true;
}

/* The operand's elements; whole numbers as doubles where the padding is a fraction. */
static bool read_padded(struct npart__call *call, struct npart__items *items, uint64_t *filling)
{
    struct npart__numbers numbers;
    if (!npart__in_items(call, 0, items))
        return false;
    if (read_filling(call, items, filling))
        return true;
    if (!items->is_ints || !npart__has_fractions(npart__in(call, 0)->element_type) ||
        !npart__in_numbers(call, 0, &numbers))
        return false;
    double *doubles = npart__new_doubles(call, numbers.count);
    for (uint32_t i = 0; doubles && i < numbers.count; i++)
        doubles[i] = npart__number_at(&numbers, i);
    *items = (struct npart__items){.data = (const void *)doubles, .count = numbers.count, .is_ints = false};
    return doubles && read_filling(call, items, filling);
}

/* `is_cut`: some padding takes away, which beside a mode that repeats elements runtimes do in different orders. */
static void pad_elements(struct npart__call *call, const int64_t *before, bool is_cut)
{
    const struct npart__fact *in = npart__in(call, 0), *out = npart__out(call, 0);
    enum mode mode = read_mode(call);
    struct npart__items items;
    uint64_t filling = 0;
    uint32_t total;
    int64_t strides[NPART__LIMIT_RANK];
    if (mode == OTHER || (is_cut && mode != CONSTANT) || !npart__may_be_known(call, 0) ||
        !npart__small_count(call, out, &total) || !npart__is_static(in) || !read_padded(call, &items, &filling))
        return;
    npart__strides(in->dims, in->rank, strides);
    uint64_t *result = npart__new_items(call, total);
    for (uint32_t i = 0; result && i < total; i++) {
        int64_t rest = i, from = 0;
        bool is_inside = true;
        /* From the last axis on: the place in the result, then in the operand. */
        for (uint32_t axis = in->rank; axis-- > 0 && is_inside; rest /= out->dims[axis]) {
            int64_t source;
            is_inside = source_of(mode, rest % out->dims[axis] - before[axis], in->dims[axis], &source);
            from += source * strides[axis];
        }
        /* A mode that repeats elements found none to repeat. */
        if (!is_inside && mode != CONSTANT)
            return;
        result[i] = is_inside ? items.data[from] : filling;
    }
    if (result)
        npart__set_items(call, 0, result, total, &items);
}

/* What is mirrored stands in the axis, as it is after what negative pads take away: ONNX Runtime's kernel refuses more
 * in a run, whatever the element type (core/providers/cpu/tensor/pad.cc), and so do others. */
static void check_reflection(struct npart__call *call, uint32_t axis, int64_t size, int64_t before, int64_t after)
{
    if (!npart__is_number(size) || !npart__is_number(before) || !npart__is_number(after))
        return;
    int64_t most = before > after ? before : after;
    int64_t cut = npart__sum(call->pool, before < 0 ? before : 0, after < 0 ? after : 0);
    int64_t kept = npart__sum(call->pool, size, cut);
    if (npart__is_number(kept) && most > 0 && most >= kept)
        npart__contradiction(call, "%lld elements of axis %u of size %lld cannot be padded by reflection",
                             (long long)most, axis, (long long)size);
}

/* Each dim grows by both of its pads, which may be symbolic. Where they are not known, only the rank is. */
void npart__infer_pad(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t count, axis_count;
    const int64_t *pads = npart__ints_attribute(call, "pads", &count);
    if (!pads)
        pads = npart__ints_attribute(call, "paddings", &count); /* opset 1 */
    if (!pads)
        pads = npart__in_ints(call, 1, &count);
    const int64_t *axes = npart__in_ints(call, 3, &axis_count);
    if (!in->has_rank && pads && count % 2 == 0 && !npart__has_input(call, 3)) /* two for each axis */
        npart__set_rank(call, 0, count / 2);
    if (!in->has_rank)
        return;
    /* Axes that are there and not known leave it open which dims grow. */
    bool knows_axes = !npart__has_input(call, 3) || axes;
    /* Without input 3 all axes are padded. */
    uint32_t padded = axes ? axis_count : in->rank;
    if (!pads || !knows_axes || count != 2 * padded) {
        npart__set_rank(call, 0, in->rank);
        return;
    }
    int64_t *dims = npart__copy_dims(call, in, 0);
    if (!dims)
        return;
    int64_t before[NPART__LIMIT_RANK] = {0};
    bool is_cut = false, is_reflected = read_mode(call) == REFLECT;
    for (uint32_t i = 0; i < padded; i++) {
        uint32_t axis = i;
        if (axes && (!npart__is_number(axes[i]) || !npart__normalize_axis(axes[i], in->rank, &axis)))
            return;
        /* The ends are listed after all beginnings. */
        int64_t both = npart__sum(call->pool, pads[i], pads[padded + i]);
        if (is_reflected)
            check_reflection(call, axis, in->dims[axis], pads[i], pads[padded + i]);
        dims[axis] = npart__sum(call->pool, dims[axis], both);
        before[axis] = pads[i];
        is_cut |= !npart__is_number(pads[i]) || !npart__is_number(pads[padded + i]) || pads[i] < 0 ||
                  pads[padded + i] < 0;
    }
    npart__set_dims(call, 0, in->rank, dims);
    pad_elements(call, before, is_cut);
}
