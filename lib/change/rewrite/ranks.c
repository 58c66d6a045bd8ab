/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators on tensors of lower rank. Dims of size 1 are dropped, and neighbours joined where the operator treats them
 * alike, until the rank is one that every compiler takes:
 *
 *     Mul [1,300,8,3,4,2] by [1,300,1,1,1,2]    Mul [300,24,4,2] by [300,1,1,2]
 *
 * between Reshapes, which move no element. Neighbouring Reshapes then become one (npart__rewrite_join_reshapes).
 */
#include "rewrite/axes.h"

/* Joining stops at this rank: the limits of ranks that compilers have are 4 and more, and a tensor of fewer, longer
 * dims is harder to cut to tiles. */
#define WANTED_RANK 4u
/* What still has a higher rank than this is left. */
#define LIMIT_TAKEN_RANK 5u

/* Of an axis: neighbours of one label may be joined, but none that is PINNED; UNIT is dropped. */
#define PINNED UINT64_MAX
#define UNIT (UINT64_MAX - 1)

/* Which joined axis each axis goes into. */
struct join {
    uint32_t axes, groups; /* how many there are before, and after */
    uint32_t group[NPART__LIMIT_RANK]; /* by axis */
};

/* From the front: outer dims are the ones that tiles do not care for. False where the rank is low already, does
 * not fall, or stays above what is taken. `rank` is the highest of the operands and results. Axes with the label
 * UNIT go into the group before them, or into the first. In the example above the labels are UNIT 3 1 1 1 3:
 * axes 2 and 3 are joined, and four groups are left. */
static bool join_axes(const uint64_t *labels, uint32_t axes, uint32_t rank, struct join *join)
{
    bool begins[NPART__LIMIT_RANK];
    uint32_t count = 0, last = NPART_NONE, group = 0;
    for (uint32_t i = 0; i < axes; i++) {
        begins[i] = labels[i] != UNIT;
        count += begins[i];
    }
    /* Only as far as needed: WANTED_RANK ends it. */
    for (uint32_t i = 0; i < axes && count > WANTED_RANK; i++) {
        if (labels[i] == UNIT)
            continue;
        if (last != NPART_NONE && labels[i] == labels[last] && labels[i] != PINNED) {
            begins[i] = false;
            count--;
        }
        last = i;
    }
    for (uint32_t i = 0; i < axes; i++) {
        group += begins[i];
        join->group[i] = group ? group - 1 : 0;
    }
    join->axes = axes;
    join->groups = count ? count : 1;
    return rank > WANTED_RANK && join->groups < rank && join->groups <= LIMIT_TAKEN_RANK;
}

/* Dims of a tensor, right-aligned with the axes, joined. A tensor of lower rank than the axes has dims of 1 in
 * front, by broadcasting. [1,300,8,3,4,2] becomes [300,24,4,2], and [1,300,1,1,1,2] becomes [300,1,1,2]. */
static struct npart__dims joined(const struct join *join, const struct npart__dims *dims)
{
    struct npart__dims out = {.rank = join->groups};
    uint32_t lead = join->axes - dims->rank;
    for (uint32_t i = 0; i < out.rank; i++)
        out.at[i] = 1;
    for (uint32_t i = 0; i < dims->rank; i++)
        out.at[join->group[lead + i]] *= dims->at[i];
    return out;
}

/* ---- element by element ---------------------------------------------------------------------------------- */

#define LIMIT_OPERANDS 60u /* labels are 64 bits, two of which are marks */

/* Operands of which the first alone has a shape; the others are single numbers, which Clip and QuantizeLinear
 * have. Elements keep their order, so an operator that looks at each by itself does the same on any dims. */
static bool reduce_unary(struct npart__site *site)
{
    struct npart__dims dims, other;
    uint64_t labels[NPART__LIMIT_RANK];
    struct join join;
    const char *operands[LIMIT_OPERANDS];
    uint32_t count = site->node->input_count;
    if (!npart__full_dims(site, npart__operand(site, 0), &dims) || count > LIMIT_OPERANDS || !npart__gives_one(site))
        return false;
    for (uint32_t i = 1; i < count; i++) {
        uint32_t value = npart__operand(site, i);
        if (value != NPART_NONE && (!npart__full_dims(site, value, &other) || other.rank > 1 ||
                                    npart__volume(&other, 0, other.rank) > 1))
            return false;
        operands[i] = npart__operand_name(site, i);
    }
    for (uint32_t i = 0; i < dims.rank; i++)
        labels[i] = dims.at[i] == 1 ? UNIT : 0;
    if (!join_axes(labels, dims.rank, dims.rank, &join))
        return false;
    struct npart__dims narrow = joined(&join, &dims);
    operands[0] = npart__view(site, npart__operand(site, 0), &narrow);
    npart__finish_shaped(site, 0, npart__make_like(site, site->id, operands, count));
    npart__equal_but_half(site, npart__operand(site, 0));
    return true;
}

/* Label of a result's axis: which operands have it in full, a bit each; the others repeat their one element. Two
 * neighbouring axes of one label are alike in every operand: all have them, or repeat them, together. False where
 * sizes do not broadcast. */
static bool label_axes(const struct npart__dims *shapes, uint32_t count, const struct npart__dims *result,
                       uint64_t *labels)
{
    for (uint32_t axis = 0; axis < result->rank; axis++) {
        labels[axis] = 0;
        for (uint32_t i = 0; i < count; i++) {
            uint32_t lead = result->rank - shapes[i].rank;
            int64_t dim = axis < lead ? 1 : shapes[i].at[axis - lead];
            if (dim != 1 && dim != result->at[axis])
                return false;
            labels[axis] |= dim == 1 ? 0 : UINT64_C(1) << i;
        }
        if (result->at[axis] == 1)
            labels[axis] = UNIT;
    }
    return true;
}

/* Operands that are broadcast. Before opset 7 they were so by an attribute, in another way. Scalars stay as they
 * are: they broadcast against any rank. */
static bool reduce_elementwise(struct npart__site *site)
{
    uint32_t count = site->node->input_count;
    struct npart__dims result;
    uint64_t labels[NPART__LIMIT_RANK];
    struct join join;
    const char *operands[LIMIT_OPERANDS];
    if (!count || count > LIMIT_OPERANDS || (site->node->domain == 0 && site->node->opset_version < 7) ||
        !npart__full_dims(site, npart__result(site, 0), &result))
        return false;
    struct npart__dims *shapes = npart__arena_zeroed(site->arena, count, sizeof *shapes);
    site->failed |= !shapes;
    for (uint32_t i = 0; shapes && i < count; i++)
        if (!npart__full_dims(site, npart__operand(site, i), &shapes[i]) || shapes[i].rank > result.rank)
            return false;
    if (!shapes || !label_axes(shapes, count, &result, labels) || !join_axes(labels, result.rank, result.rank, &join))
        return false;
    /* Each operand has the joined dims that it had, so it repeats its elements along the same axes as before. */
    for (uint32_t i = 0; i < count; i++) {
        struct npart__dims narrow = joined(&join, &shapes[i]);
        uint32_t lead = 0; /* leading dims of 1 that broadcasting adds by itself */
        while (lead < narrow.rank && narrow.at[lead] == 1 && narrow.rank - lead > 1)
            lead++;
        narrow.rank -= lead;
        memmove(narrow.at, narrow.at + lead, narrow.rank * sizeof narrow.at[0]);
        operands[i] = npart__operand_name(site, i);
        if (shapes[i].rank)
            operands[i] = npart__view(site, npart__operand(site, i), &narrow);
    }
    npart__finish_shaped(site, 0, npart__make_like(site, site->id, operands, count));
    npart__equal_but_half(site, npart__operand(site, count - 1)); /* of Where, the first is the condition */
    return true;
}

/* Expand is a broadcast to dims that its result tells. Its shape operand is written anew, with the joined dims. */
static bool reduce_expand(struct npart__site *site)
{
    struct npart__dims dims, result;
    uint64_t labels[NPART__LIMIT_RANK];
    struct join join;
    if (!npart__full_dims(site, npart__operand(site, 0), &dims) ||
        !npart__full_dims(site, npart__result(site, 0), &result) || dims.rank > result.rank ||
        !label_axes(&dims, 1, &result, labels) || !join_axes(labels, result.rank, result.rank, &join))
        return false;
    struct npart__dims narrow = joined(&join, &dims), wide = joined(&join, &result);
    const char *x = npart__view(site, npart__operand(site, 0), &narrow);
    npart__finish_shaped(site, 0, npart__make_expand(site, x, wide.at, wide.rank));
    return true;
}

/* ---- operators along an axis ----------------------------------------------------------------------------- */

/* All axes but `axis` may be joined with their neighbours. `rank` is the highest that is in play, for operators
 * whose result has another rank than the data. */
static bool join_but(const struct npart__dims *dims, uint32_t axis, uint32_t rank, struct join *join)
{
    uint64_t labels[NPART__LIMIT_RANK];
    for (uint32_t i = 0; i < dims->rank; i++)
        labels[i] = i == axis ? PINNED : dims->at[i] == 1 ? UNIT : 0;
    return join_axes(labels, dims->rank, rank, join);
}

/* Softmax and its like. Below opset 13 all axes from `axis` on are one. There it flattens: the label is 1 from the
 * axis on and 0 before, so nothing is joined across it. */
static bool reduce_softmax(struct npart__site *site)
{
    struct npart__dims dims;
    struct join join;
    uint64_t labels[NPART__LIMIT_RANK];
    uint32_t axis;
    bool is_flat = site->node->opset_version < 13;
    if (!npart__full_dims(site, npart__operand(site, 0), &dims) ||
        !npart__axis_attribute(site, "axis", is_flat ? 1 : -1, dims.rank, &axis))
        return false;
    for (uint32_t i = 0; i < dims.rank; i++)
        labels[i] = i == axis && !is_flat ? PINNED : dims.at[i] == 1 ? UNIT : is_flat && i >= axis;
    if (is_flat && axis < dims.rank && labels[axis] == UNIT) /* something must be there for the attribute to name */
        labels[axis] = 1;
    if (!join_axes(labels, dims.rank, dims.rank, &join))
        return false;
    struct npart__dims narrow = joined(&join, &dims);
    const char *x = npart__view(site, npart__operand(site, 0), &narrow);
    const char *made = npart__make_like(site, site->id, &x, 1);
    npart__give_int(site, "axis", join.group[axis]);
    npart__finish_shaped(site, 0, made);
    npart__equal_but_half(site, npart__operand(site, 0));
    return true;
}

/* Operands differ along the axis alone, so joining by the result's dims suits all of them. */
static bool reduce_concat(struct npart__site *site)
{
    struct npart__dims result, dims;
    struct join join;
    uint32_t axis, count = site->node->input_count;
    if (!npart__full_dims(site, npart__result(site, 0), &result) ||
        !npart__axis_attribute(site, "axis", 1, result.rank, &axis) ||
        !join_but(&result, axis, result.rank, &join))
        return false;
    const char **operands = npart__arena_zeroed(site->arena, count, sizeof *operands);
    site->failed |= !operands;
    for (uint32_t i = 0; operands && i < count; i++) {
        if (!npart__full_dims(site, npart__operand(site, i), &dims) || dims.rank != result.rank)
            return false;
        struct npart__dims narrow = joined(&join, &dims);
        operands[i] = npart__view(site, npart__operand(site, i), &narrow);
    }
    npart__finish_shaped(site, 0, operands ? npart__make_concat(site, operands, count, join.group[axis]) : NULL);
    return true;
}

/* Results of a copy of the node become those of the node. Their names are asked of it while it is the last that was
 * made; Reshapes come after. */
static void finish_all(struct npart__site *site)
{
    const char **made = npart__arena_zeroed(site->arena, site->node->output_count, sizeof *made);
    site->failed |= !made;
    for (uint32_t i = 0; made && i < site->node->output_count; i++)
        made[i] = npart__made_result(site, i);
    for (uint32_t i = 0; made && i < site->node->output_count; i++)
        npart__finish_shaped(site, i, made[i]);
}

/* The sizes, an operand or an attribute, stay what they are. */
static bool reduce_split(struct npart__site *site)
{
    struct npart__dims dims, part;
    struct join join;
    uint32_t axis;
    if (!npart__full_dims(site, npart__operand(site, 0), &dims) ||
        !npart__axis_attribute(site, "axis", 0, dims.rank, &axis) || !join_but(&dims, axis, dims.rank, &join))
        return false;
    for (uint32_t i = 0; i < site->node->output_count; i++)
        if (!npart__is_unused(site, npart__result(site, i)) && !npart__full_dims(site, npart__result(site, i), &part))
            return false;
    struct npart__dims narrow = joined(&join, &dims);
    const char *operands[2] = {npart__view(site, npart__operand(site, 0), &narrow), npart__operand_name(site, 1)};
    /* The copy has as many results; `num_outputs` of opset 18 stays with it. */
    npart__make_like(site, site->id, operands, site->node->input_count < 2 ? site->node->input_count : 2);
    npart__give_int(site, "axis", join.group[axis]);
    finish_all(site);
    return true;
}

/* Operators that say their axis by an attribute, and give one result for each place along it. What they do along the
 * axis is theirs to say: the place of the largest, the greatest k, a norm. */
static bool reduce_along_axis(struct npart__site *site)
{
    struct npart__dims dims;
    struct join join;
    uint32_t axis, count = site->node->input_count;
    const char *operands[2] = {NULL, npart__operand_name(site, 1)};
    if (count > 2 || !npart__full_dims(site, npart__operand(site, 0), &dims) ||
        !npart__axis_attribute(site, "axis", 0, dims.rank, &axis) || !join_but(&dims, axis, dims.rank, &join))
        return false;
    struct npart__dims narrow = joined(&join, &dims);
    operands[0] = npart__view(site, npart__operand(site, 0), &narrow);
    npart__make_like(site, site->id, operands, count);
    npart__give_int(site, "axis", join.group[axis]);
    finish_all(site);
    return true;
}

/* The axis is an operand, a number or a list of one. */
static bool reduce_cumsum(struct npart__site *site)
{
    struct npart__dims dims;
    struct join join;
    uint32_t axis, count, list = npart__operand(site, 1);
    const int64_t *given = list == NPART_NONE ? NULL : npart__site_ints(site, list, &count);
    if (!given || count != 1 || !npart__full_dims(site, npart__operand(site, 0), &dims) ||
        !npart__normalize_axis(given[0], dims.rank, &axis) || !join_but(&dims, axis, dims.rank, &join))
        return false;
    struct npart__dims narrow = joined(&join, &dims);
    const char *operands[2] = {npart__view(site, npart__operand(site, 0), &narrow),
                               npart__make_scalar(site, NPART__INT64, join.group[axis])};
    npart__finish_shaped(site, 0, npart__make_like(site, site->id, operands, 2));
    npart__equal_but_half(site, npart__operand(site, 0));
    return true;
}

/* Marks the axes that a Reduce operator reduces: an attribute, or an operand since opset 13 or 18. Without any it
 * reduces all, or is none. */
static bool read_reduced(struct npart__site *site, uint32_t rank, bool *is_reduced)
{
    uint32_t count = 0, axis, list = npart__operand(site, 1);
    const int64_t *axes = list == NPART_NONE ? npart__site_int_list(site, site->id, "axes", &count)
                                             : npart__site_ints(site, list, &count);
    if (list != NPART_NONE && !axes)
        return false;
    for (uint32_t i = 0; i < rank; i++)
        is_reduced[i] = count == 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!npart__normalize_axis(axes[i], rank, &axis))
            return false;
        is_reduced[axis] = true;
    }
    return count || !npart__site_int(site, site->id, "noop_with_empty_axes", 0);
}

/* ONNX Runtime's CPU goes through the elements in another order when axes are joined: it has loops of its own for the
 * last axes, the first, and those between. Integers do not care. */
static void tell_order(struct npart__site *site)
{
    if (npart__type_is_integer(npart__site_type(site, npart__operand(site, 0))))
        return;
    unsigned computes = site->node->traits->computes;
    bool compares = computes == NPART__COMPUTES_MAXIMUM || computes == NPART__COMPUTES_MINIMUM;
    site->equality = compares ? NPART_EQUAL_BITS_IF : NPART_EQUAL_ULP;
    site->caveat = compares ? "The same where no element is NaN." : "Elements are added up in another order.";
}

/* Axes that are reduced are joined with their like, and others with theirs. Of what is reduced one axis stays, be it of
 * one element: a square of it is another number. */
static bool reduce_reduction(struct npart__site *site)
{
    struct npart__dims dims, axes = {.rank = 0};
    struct join join;
    uint64_t labels[NPART__LIMIT_RANK];
    bool is_reduced[NPART__LIMIT_RANK], has_reduced = false;
    memset(labels, 0, sizeof labels);
    if (!npart__full_dims(site, npart__operand(site, 0), &dims) || !read_reduced(site, dims.rank, is_reduced))
        return false;
    for (uint32_t i = 0; i < dims.rank; i++) {
        labels[i] = dims.at[i] == 1 ? UNIT : is_reduced[i];
        has_reduced |= labels[i] == 1;
    }
    for (uint32_t i = 0; i < dims.rank && !has_reduced; i++)
        if (is_reduced[i]) {
            labels[i] = 1;
            has_reduced = true;
        }
    if (!join_axes(labels, dims.rank, dims.rank, &join))
        return false;
    for (uint32_t i = 0; i < dims.rank; i++)
        if (labels[i] == 1 && (!axes.rank || axes.at[axes.rank - 1] != join.group[i]))
            npart__push_dim(&axes, join.group[i]);
    struct npart__dims narrow = joined(&join, &dims);
    const char *x = npart__view(site, npart__operand(site, 0), &narrow);
    bool keeps_dims = npart__site_int(site, site->id, "keepdims", 1) != 0;
    const char *op = npart__node_op(site->graph, site->node);
    npart__finish_shaped(site, 0, npart__make_reduce(site, op, x, axes.at, axes.rank, keeps_dims));
    tell_order(site);
    return true;
}

/* Indices of several axes are taken as a list. The result has the data's dims with the indices' in the place of
 * the axis; one Reshape at the end gives it those. */
static bool reduce_gather(struct npart__site *site)
{
    struct npart__dims data, indices, result;
    struct join join;
    uint32_t axis;
    if (!npart__full_dims(site, npart__operand(site, 0), &data) ||
        !npart__full_dims(site, npart__operand(site, 1), &indices) ||
        !npart__full_dims(site, npart__result(site, 0), &result) ||
        !npart__axis_attribute(site, "axis", 0, data.rank, &axis) ||
        !join_but(&data, axis, data.rank > result.rank ? data.rank : result.rank, &join))
        return false;
    struct npart__dims narrow = joined(&join, &data), list = {.rank = 1};
    list.at[0] = npart__volume(&indices, 0, indices.rank);
    const char *operands[2] = {npart__view(site, npart__operand(site, 0), &narrow), npart__operand_name(site, 1)};
    /* A scalar stays one: it takes the axis away, as before. */
    if (indices.rank > 1)
        operands[1] = npart__view(site, npart__operand(site, 1), &list);
    const char *made = npart__make_like(site, site->id, operands, 2);
    npart__give_int(site, "axis", join.group[axis]);
    npart__finish_shaped(site, 0, made);
    return true;
}

/* ---- Slice ----------------------------------------------------------------------------------------------- */

struct slicing {
    const int64_t *starts, *ends, *axes, *steps; /* axes, steps NULL: as the standard has it */
    uint32_t count;
};

/* Operands since opset 10, attributes before. All lists must be constant, and equally long; of several for one
 * axis the node is malformed. */
static bool read_slicing(struct npart__site *site, struct slicing *out)
{
    uint32_t counts[4] = {0, 0, 0, 0};
    const int64_t *lists[4];
    bool has_operands = site->node->opset_version >= 10;
    static const char *const names[] = {"starts", "ends", "axes", "steps"};
    for (uint32_t i = 0; i < 4; i++) {
        uint32_t value = npart__operand(site, i + 1);
        if (has_operands)
            lists[i] = value == NPART_NONE ? NULL : npart__site_ints(site, value, &counts[i]);
        else
            /* Without steps, which came with opset 10. */
            lists[i] = i == 3 ? NULL : npart__site_int_list(site, site->id, names[i], &counts[i]);
        if (!lists[i] && (i < 2 || (has_operands && value != NPART_NONE)))
            return false;
        if (lists[i] && counts[i] != counts[0])
            return false;
    }
    *out = (struct slicing){lists[0], lists[1], lists[2], lists[3], counts[0]};
    return true;
}

/* Axes of which all elements stay, in their order, are as if they were not listed. Each axis that is cut becomes a
 * Slice of its own. Where nothing is cut the node is a Reshape of its operand, or none at all. */
static bool reduce_slice(struct npart__site *site)
{
    struct npart__dims data, result;
    struct join join;
    struct slicing slicing;
    uint64_t labels[NPART__LIMIT_RANK];
    uint32_t cut[NPART__LIMIT_RANK], cuts = 0;
    if (!npart__full_dims(site, npart__operand(site, 0), &data) ||
        !npart__full_dims(site, npart__result(site, 0), &result) || data.rank != result.rank ||
        !read_slicing(site, &slicing) || slicing.count > data.rank)
        return false;
    for (uint32_t i = 0; i < data.rank; i++)
        labels[i] = data.at[i] == 1 ? UNIT : 0;
    for (uint32_t i = 0; i < slicing.count; i++) {
        uint32_t axis;
        /* An axis that is listed twice is not followed. */
        if (!npart__normalize_axis(slicing.axes ? slicing.axes[i] : i, data.rank, &axis) || labels[axis] == PINNED)
            return false;
        /* Of one element nothing is cut, as no dim of the result is 0; of several all stay where as many come
         * out. */
        if (data.at[axis] == 1 || (result.at[axis] == data.at[axis] && (!slicing.steps || slicing.steps[i] == 1)))
            continue;
        labels[axis] = PINNED;
        cut[cuts++] = i;
    }
    if (!join_axes(labels, data.rank, data.rank, &join))
        return false;
    if (!cuts) {
        npart__finish_view(site, 0, npart__operand(site, 0));
        return true;
    }
    struct npart__dims narrow = joined(&join, &data);
    const char *made = npart__view(site, npart__operand(site, 0), &narrow);
    for (uint32_t i = 0; i < cuts; i++) {
        uint32_t axis, at = cut[i];
        npart__normalize_axis(slicing.axes ? slicing.axes[at] : at, data.rank, &axis);
        made = npart__make_slice(site, made, join.group[axis], slicing.starts[at], slicing.ends[at],
                                 slicing.steps ? slicing.steps[at] : 1);
    }
    npart__finish_shaped(site, 0, made);
    return true;
}

/* ---- Transpose ------------------------------------------------------------------------------------------- */

/* Axes that follow each other before and after are one. `place` is where an axis comes to lie among those that
 * are longer than 1; neighbours whose places follow each other are one run. [2,3,4,5,6] by 0 3 4 1 2 becomes
 * [2,12,5,6] by 0 2 3 1: axes 1 and 2 stay side by side. */
static bool reduce_transpose(struct npart__site *site)
{
    struct npart__dims dims;
    struct join join;
    uint64_t labels[NPART__LIMIT_RANK], runs = 0;
    uint32_t count, place[NPART__LIMIT_RANK], kept = 0, last = NPART_NONE;
    const int64_t *perm = npart__site_int_list(site, site->id, "perm", &count);
    if (!npart__full_dims(site, npart__operand(site, 0), &dims) || (perm && count != dims.rank))
        return false;
    memset(labels, 0, sizeof labels);
    for (uint32_t i = 0; i < dims.rank; i++) {
        int64_t axis = perm ? perm[i] : (int64_t)(dims.rank - 1 - i);
        /* A perm that is no permutation: the model is malformed. */
        if (axis < 0 || axis >= dims.rank || labels[axis])
            return false;
        labels[axis] = 1; /* each once */
        place[axis] = kept;
        kept += dims.at[axis] != 1;
    }
    /* Runs have labels of their own, so that only axes of one run are joined. */
    for (uint32_t i = 0; i < dims.rank; i++) {
        labels[i] = UNIT;
        if (dims.at[i] == 1)
            continue;
        runs += last == NPART_NONE || place[i] != place[last] + 1;
        labels[i] = runs;
        last = i;
    }
    if (!join_axes(labels, dims.rank, dims.rank, &join))
        return false;
    struct npart__dims narrow = joined(&join, &dims), order = {.rank = 0};
    for (uint32_t i = 0; i < dims.rank; i++) {
        uint32_t axis = perm ? (uint32_t)perm[i] : dims.rank - 1 - i, group = join.group[axis];
        if (dims.at[axis] != 1 && (order.rank == 0 || order.at[order.rank - 1] != group))
            npart__push_dim(&order, group);
    }
    /* One run is in order already: only dims of 1 were moved. */
    if (runs > 1)
        npart__finish_shaped(site, 0, npart__make_transpose(site, npart__view(site, npart__operand(site, 0), &narrow),
                                                            order.at, order.rank));
    else
        npart__finish_view(site, 0, npart__operand(site, 0));
    return true;
}

/* ---- the rewrite ----------------------------------------------------------------------------------------- */

/* By where elements come from. What is not in the table and stands among the row's anchors works on each element.
 * Bounds are single numbers, so that is one operand, too. */
bool npart__rewrite_rank(struct npart__site *site)
{
    static npart__rewrite_function *const families[NPART__ELEMENTS_COUNT] = {
        [NPART__ELEMENTS_TRANSPOSE] = reduce_transpose, [NPART__ELEMENTS_SLICE] = reduce_slice,
        [NPART__ELEMENTS_GATHER] = reduce_gather,       [NPART__ELEMENTS_CONCAT] = reduce_concat,
        [NPART__ELEMENTS_SPLIT] = reduce_split,         [NPART__ELEMENTS_SOFTMAX] = reduce_softmax,
        [NPART__ELEMENTS_LOG_SOFTMAX] = reduce_softmax, [NPART__ELEMENTS_HARDMAX] = reduce_softmax,
        [NPART__ELEMENTS_EXPAND] = reduce_expand,       [NPART__ELEMENTS_CUMULATE] = reduce_cumsum,
        [NPART__ELEMENTS_ALONG_FIRST] = reduce_along_axis, [NPART__ELEMENTS_ALONG_LAST] = reduce_along_axis,
        [NPART__ELEMENTS_REDUCE] = reduce_reduction,
    };
    const struct npart__node *node = site->node;
    npart__rewrite_function *reduce = families[node->traits->elements];
    if (reduce)
        return reduce(site);
    bool has_several = npart__comes_from(node, NPART__WAY(EACH)) && node->input_count > 1 &&
                       node->traits->computes != NPART__COMPUTES_LIMITS;
    return has_several ? reduce_elementwise(site) : reduce_unary(site);
}

/* A Reshape of a Reshape moves no element either. Offered only what a target does not take: others may be part of a
 * fusion. Where the value before has the dims already, the node is none. */
bool npart__rewrite_join_reshapes(struct npart__site *site)
{
    struct npart__dims dims;
    uint32_t from = npart__operand(site, 0), source;
    if (!npart__full_dims(site, npart__result(site, 0), &dims))
        return false;
    source = npart__view_source(site, from, &dims);
    if (source == from && !npart__has_dims(site, from, &dims))
        return false;
    npart__finish(site, 0, npart__view(site, source, &dims));
    return true;
}
