/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that cut tensors into parts and join them: Slice, Split, Concat. Exporters take shapes apart with the first
 * and build new ones with the last, so elements are followed in all three, symbols too.
 */
#include "infer/elements.h"
#include "infer/families.h"

/* ---- Slice ----------------------------------------------------------------------------------------------- */

struct slice {
    int64_t start, end, step; /* start and end may be symbolic; step is a number */
};

/* The size of a slice of a numeric dim; *from is the first index taken. Of 10: [2:8:3] takes 2, 5: size 2; [-3:] takes
 * 7, 8, 9; [::-1] all, from 9. Steps are kept where a negation of them cannot overflow. */
static int64_t slice_number(int64_t dim, struct slice slice, int64_t *from)
{
    int64_t start = slice.start, end = slice.end;
    *from = 0;
    /* There is nothing to take, and no place to clamp to. */
    if (dim == 0)
        return 0;
    if (start < 0)
        start = start < -dim ? -1 : start + dim;
    if (end < 0)
        end = end < -dim ? -1 : end + dim;
    /* Unlike NumPy's, a backward slice that starts before the first element starts there. */
    start = slice.step > 0 ? npart__clamp_int64(start, 0, dim) : npart__clamp_int64(start, 0, dim - 1);
    end = slice.step > 0 ? npart__clamp_int64(end, 0, dim) : npart__clamp_int64(end, -1, dim - 1);
    *from = start;
    if (slice.step > 0)
        return end > start ? (end - start - 1) / slice.step + 1 : 0;
    return start > end ? (start - end - 1) / -(slice.step < -INT32_MAX ? -INT32_MAX : slice.step) + 1 : 0;
}

/* A bound of a forward slice: counted from the end when negative, and never past it. Of a symbolic dim n: 5 is min(5,
 * n), -1 is max(n - 1, 0). Unknown where the bound is symbolic and may be negative, as its meaning hangs on the
 * sign. */
static int64_t forward_bound(const struct npart__call *call, int64_t dim, int64_t bound)
{
    if (npart__is_number(bound) && bound >= INT32_MAX)
        return dim; /* exporters' way to say "to the end" */
    /* From the very beginning, in the same way. */
    if (npart__is_number(bound) && bound <= -(int64_t)INT32_MAX)
        return 0;
    if (npart__is_number(bound) && bound < 0)
        return npart__maximum(call->pool, npart__sum(call->pool, dim, bound), 0);
    /* It may count from either end. */
    if (npart__lower_bound(call->pool, bound) < 0)
        return NPART__UNKNOWN;
    return npart__minimum(call->pool, bound, dim);
}

/* The size of a slice of any dim: ceil((end - start) / step), at least 0. Backward slices of symbolic dims are unknown,
 * but for the one that turns the whole axis round. */
static int64_t slice_dim(const struct npart__call *call, int64_t dim, struct slice slice)
{
    int64_t from;
    if (npart__is_number(dim) && npart__is_number(slice.start) && npart__is_number(slice.end))
        return slice_number(dim, slice, &from);
    if (slice.step < 0) {
        /* From the last to before the first, which exporters write as the smallest number. */
        bool is_whole = slice.step == -1 && slice.start == -1 && npart__is_number(slice.end) &&
                        slice.end <= -(int64_t)INT32_MAX;
        return is_whole ? dim : NPART__UNKNOWN;
    }
    int64_t start = forward_bound(call, dim, slice.start), end = forward_bound(call, dim, slice.end);
    if (start == NPART__UNKNOWN || end == NPART__UNKNOWN) /* no more than there is */
        return npart__bounded_symbol(call->pool, npart__upper_bound(call->pool, dim));
    /* An end before the start is a slice of nothing. */
    int64_t span = npart__maximum(call->pool, npart__difference(call->pool, end, start), 0);
    return npart__ceil_quotient(call->pool, span, slice.step);
}

/* One list of a Slice (starts, ends, axes, steps): input `index` since opset 10, an attribute before. False when it is
 * there and unknown. */
static bool slice_list(struct npart__call *call, const char *name, uint32_t index, const int64_t **list,
                       uint32_t *count)
{
    *list = npart__ints_attribute(call, name, count);
    if (*list || !npart__has_input(call, index))
        return true;
    *list = npart__in_ints(call, index, count);
    return *list != NULL;
}

/* Backwards to the largest number: nothing to ONNX, all down to the first element to ONNX Runtime. */
static bool is_ambiguous(int64_t end, int64_t step)
{
    return step < 0 && (end == INT32_MAX || end == INT64_MAX);
}

/* Fills in what is sliced of each axis; `is_known` tells of each whether that is known. Axes that are not listed are
 * taken whole. False when it is not known which axes are sliced: then of no dim anything is known but that it is
 * there. */
static bool read_slices(struct npart__call *call, uint32_t rank, struct slice *slices, bool *is_known)
{
    const int64_t *starts, *ends, *axes, *steps;
    uint32_t start_count, end_count, axis_count, step_count;
    /* Starts or ends that are not known leave the sizes of their axes unknown, no more than that. */
    bool starts_known = slice_list(call, "starts", 1, &starts, &start_count);
    bool ends_known = slice_list(call, "ends", 2, &ends, &end_count);
    if (!slice_list(call, "axes", 3, &axes, &axis_count) || !slice_list(call, "steps", 4, &steps, &step_count))
        return false;
    for (uint32_t i = 0; i < rank; i++) {
        /* The whole axis. */
        slices[i] = (struct slice){.start = 0, .end = INT64_MAX, .step = 1};
        is_known[i] = true;
    }
    /* Without axes the lists are of the first axes. */
    uint32_t count = axes ? axis_count : starts ? start_count : ends ? end_count : rank;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t axis = i;
        if (axes && (!npart__is_number(axes[i]) || !npart__normalize_axis(axes[i], rank, &axis)))
            return false;
        if (axis >= rank)
            return false;
        is_known[axis] = starts_known && ends_known && starts && ends && i < start_count && i < end_count &&
                         (!steps || (i < step_count && npart__is_number(steps[i]) && steps[i] != 0 &&
                                     !is_ambiguous(ends[i], steps[i])));
        if (is_known[axis])
            slices[axis] = (struct slice){.start = starts[i], .end = ends[i], .step = steps ? steps[i] : 1};
    }
    return true;
}

/* Takes a range of each axis that is listed. The elements taken stand at regular distances, so one affine step copies
 * them.
 *
 *   [2,128,768], starts [0], ends [-1], axes [1]  ->  [2,127,768] */
void npart__infer_slice(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    struct slice slices[NPART__LIMIT_RANK];
    bool is_known[NPART__LIMIT_RANK];
    if (!in->has_rank)
        return;
    if (!read_slices(call, in->rank, slices, is_known)) {
        npart__set_rank(call, 0, in->rank);
        return;
    }
    int64_t *dims = npart__new_dims(call, in->rank);
    for (uint32_t i = 0; dims && i < in->rank; i++)
        dims[i] = is_known[i] ? slice_dim(call, in->dims[i], slices[i]) : NPART__UNKNOWN;
    npart__set_dims(call, 0, in->rank, dims);
    struct npart__items items;
    bool has_items = npart__in_items(call, 0, &items) ? items.count > 0 : npart__large_mask(call, 0) != NULL;
    if (!has_items || !npart__is_static(npart__out(call, 0)))
        return;
    int64_t strides[NPART__LIMIT_RANK], steps[NPART__LIMIT_RANK], base = 0;
    npart__strides(in->dims, in->rank, strides);
    for (uint32_t i = 0; i < in->rank; i++) {
        int64_t from;
        if (!is_known[i] || !npart__is_number(slices[i].start) || !npart__is_number(slices[i].end))
            return;
        (void)slice_number(in->dims[i], slices[i], &from);
        if (slices[i].step > INT32_MAX || slices[i].step < -INT32_MAX)
            slices[i].step = 0; /* at most one element is taken */
        base += from * strides[i];
        steps[i] = slices[i].step * strides[i];
    }
    npart__take_affine(call, 0, 0, base, steps);
}

/* ---- Split ---------------------------------------------------------------------------------------------- */

/* The size of part `index`. Equal parts were required until opset 18, since when the last takes what is left: 10 in 3
 * parts are 4, 4, 2. Without sizes the number of parts is num_outputs (opset 18), else the number of outputs. */
static int64_t split_size(struct npart__call *call, int64_t dim, const int64_t *sizes, uint32_t size_count,
                          uint32_t index)
{
    uint32_t parts = call->node->output_count;
    if (sizes)
        return index < size_count ? sizes[index] : NPART__UNKNOWN;
    if (npart__has_input(call, 1))
        return NPART__UNKNOWN;
    int64_t pieces = npart__int_attribute(call, "num_outputs", parts);
    if (pieces <= 0 || pieces > INT32_MAX)
        return NPART__UNKNOWN;
    bool may_differ = call->node->schema && call->node->schema->since >= 18;
    if (!may_differ && npart__is_number(dim) && dim % pieces) {
        if (index == 0)
            npart__contradiction(call, "%lld cannot be split into %lld equal parts", (long long)dim,
                                 (long long)pieces);
        return NPART__UNKNOWN;
    }
    if (!may_differ)
        return npart__floor_quotient(call->pool, dim, pieces);
    int64_t piece = npart__ceil_quotient(call->pool, dim, pieces);
    if (index + 1 < pieces)
        return piece;
    return npart__difference(call->pool, dim, npart__product(call->pool, piece, pieces - 1));
}

/* Takes the elements of part `output`, which begins at `*at` along the axis; -1 there from the first part on whose
 * place is not known. */
static void split_elements(struct npart__call *call, uint32_t output, uint32_t axis, int64_t *at)
{
    const struct npart__fact *in = npart__in(call, 0), *part = npart__out(call, output);
    struct npart__items items;
    int64_t strides[NPART__LIMIT_RANK];
    /* A part that reaches past the end has sizes that were reported already. */
    if (*at < 0 || !npart__in_items(call, 0, &items) || items.count == 0 || !npart__is_static(part) ||
        part->dims[axis] > in->dims[axis] - *at) {
        *at = -1;
        return;
    }
    npart__strides(in->dims, in->rank, strides);
    npart__take_affine(call, 0, output, *at * strides[axis], strides);
    *at += part->dims[axis];
}

/* Says so when the sizes given do not add up. */
static void check_split(struct npart__call *call, int64_t dim, const int64_t *sizes, uint32_t count)
{
    int64_t total = 0;
    for (uint32_t i = 0; i < count; i++)
        total = npart__sum(call->pool, total, sizes[i]);
    if (npart__is_number(total) && npart__is_number(dim) && total != dim)
        npart__contradiction(call, "parts of %lld in all cannot be split from %lld", (long long)total, (long long)dim);
}

/* Sizes are an attribute or, since opset 13, input 1: [2,10], axis 1, sizes [3,7] -> [2,3] and [2,7]. */
void npart__infer_split(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t axis, count;
    const int64_t *sizes = npart__ints_attribute(call, "split", &count);
    if (!sizes)
        sizes = npart__in_ints(call, 1, &count);
    bool has_axis = in->has_rank && npart__normalize_axis(npart__int_attribute(call, "axis", 0), in->rank, &axis);
    /* Where the next part begins along the axis. */
    int64_t at = 0;
    if (has_axis && sizes)
        check_split(call, in->dims[axis], sizes, count);
    for (uint32_t i = 0; i < call->node->output_count; i++) {
        npart__set_type_like(call, i, 0);
        int64_t *dims = has_axis ? npart__copy_dims(call, in, 0) : NULL;
        if (!dims)
            continue;
        dims[axis] = split_size(call, in->dims[axis], sizes, count, i);
        npart__set_dims(call, i, in->rank, dims);
        split_elements(call, i, axis, &at);
    }
}

/* ---- Concat ---------------------------------------------------------------------------------------------- */

/* The inputs that are joined: `first` and every `step`-th after it. QLinearConcat begins with the scale and zero
 * point of the result. */
struct joined {
    uint32_t first, step, count;
};

static struct joined read_joined(const struct npart__call *call)
{
    bool is_quantized = call->row->parameter == NPART__OPERANDS_QUANTIZED; /* each with its scale and zero point */
    struct joined joined = {.first = is_quantized ? 2 : 0, .step = is_quantized ? 3 : 1};
    if (call->node->input_count > joined.first)
        joined.count = (call->node->input_count - joined.first + joined.step - 1) / joined.step;
    return joined;
}

static struct npart__fact *joined_input(const struct npart__call *call, const struct joined *joined, uint32_t index)
{
    return npart__in(call, joined->first + index * joined->step);
}

/* Beside tensors of another rank, runtimes take an empty vector for nothing at all: exporters join a cache that begins
 * as one. [0] and [1,8,5,64] joined are [1,8,5,64]. */
static bool is_nothing(const struct npart__fact *fact)
{
    return fact->has_rank && fact->rank == 1 && fact->dims[0] == 0;
}

/* Elements of one input: the known ones, else fresh numbers for a few, which may be negative. So a shape of which one
 * part is not known keeps the others, and its length. */
static bool read_part(struct npart__call *call, uint32_t input, struct npart__items *out)
{
    const struct npart__fact *fact = npart__in(call, input);
    uint32_t count;
    if (npart__in_items(call, input, out))
        return true;
    if (!npart__type_is_integer(fact->element_type) || !npart__small_count(call, fact, &count) ||
        count > NPART__LIMIT_RANK)
        return false;
    int64_t *ints = npart__new_ints(call, count);
    for (uint32_t i = 0; ints && i < count; i++)
        ints[i] = npart__fresh_number(call->pool, INT64_MIN);
    *out = (struct npart__items){.data = (const void *)ints, .count = count, .is_ints = true};
    return ints != NULL;
}

/* Reads all parts; false when one cannot be told, or none is known, which would be no use. */
static bool read_parts(struct npart__call *call, const struct joined *joined, struct npart__items *parts,
                       bool *all_ints)
{
    bool any_known = false;
    *all_ints = true;
    for (uint32_t k = 0; k < joined->count; k++) {
        any_known |= npart__elements(call->inference, joined_input(call, joined, k)) != NULL;
        if (!read_part(call, joined->first + k * joined->step, &parts[k]))
            return false;
        *all_ints &= parts[k].is_ints;
    }
    return any_known;
}

/* Copies the inputs' elements side by side along `axis`. */
static void concat_elements(struct npart__call *call, const struct joined *joined, uint32_t axis)
{
    const struct npart__fact *out = npart__out(call, 0);
    uint32_t total, outer = 1, at = 0;
    double error = 0;
    bool all_ints;
    /* Quantized numbers of different scales do not stand side by side as they are. */
    if (joined->first || !npart__small_count(call, out, &total))
        return;
    struct npart__items *parts = npart__new_array(call, joined->count, sizeof *parts);
    if (!parts || !read_parts(call, joined, parts, &all_ints))
        return;
    for (uint32_t i = 0; i < axis; i++)
        outer *= (uint32_t)out->dims[i];
    for (uint32_t k = 0; k < joined->count; k++)
        error = parts[k].error > error ? parts[k].error : error;
    uint64_t *result = npart__new_items(call, total);
    for (uint32_t o = 0; result && o < outer; o++) {
        for (uint32_t k = 0; k < joined->count; k++) {
            /* What one input has for each place before the axis stands together. */
            uint32_t run = parts[k].count / outer;
            for (uint32_t i = 0; i < run; i++) {
                uint64_t item = parts[k].data[o * run + i];
                if (parts[k].is_ints && !all_ints) { /* next to a fraction, a whole number is a double too */
                    if (!npart__is_number((int64_t)item))
                        return;
                    double number = (double)(int64_t)item;
                    memcpy(&item, &number, sizeof item);
                }
                result[at++] = item;
            }
        }
    }
    if (result)
        npart__set_items(call, 0, result, total, &(struct npart__items){.is_ints = all_ints, .error = error});
}

/* Adds one more input to the dims: sizes along the axis are summed, others must be equal, and a number among them
 * counts for a symbol. False, and said so, when it cannot be joined. Without a rank it leaves the axis unknown. */
static bool join(struct npart__call *call, const struct npart__fact *in, int64_t *dims, uint32_t rank, uint32_t axis)
{
    if (!in->has_rank) {
        dims[axis] = NPART__UNKNOWN;
        return true;
    }
    /* ONNX joins equal ranks only; empty vectors were left out before. */
    if (in->rank != rank) {
        npart__contradiction(call, "rank %u cannot be joined to rank %u", in->rank, rank);
        return false;
    }
    dims[axis] = dims[axis] == NPART__UNKNOWN ? NPART__UNKNOWN : npart__sum(call->pool, dims[axis], in->dims[axis]);
    for (uint32_t i = 0; i < rank; i++) {
        if (i != axis)
            npart__must_equal(call, dims[i], in->dims[i]);
        if (i == axis || !npart__is_number(in->dims[i]))
            continue;
        /* A symbol must be that number, or the model fails. */
        if (!npart__is_number(dims[i]))
            dims[i] = in->dims[i];
        if (in->dims[i] != dims[i]) {
            npart__contradiction(call, "sizes %lld and %lld of axis %u cannot be joined", (long long)dims[i],
                                 (long long)in->dims[i], i);
            return false;
        }
    }
    return true;
}

/* Joins along one axis: [2,5,64] and [2,`n`,64] along axis 1 are [2,n + 5,64]. The first input with a rank sets that of
 * the result; the axis was 1 by default before opset 4. QLinearConcat has each input with its scale and zero point. */
void npart__infer_concat(struct npart__call *call)
{
    const struct joined joined = read_joined(call);
    const struct npart__fact *shaped = NULL;
    uint32_t axis;
    for (uint32_t k = 0; k < joined.count; k++) {
        const struct npart__fact *in = joined_input(call, &joined, k);
        /* An empty vector only where there is nothing else. */
        if (in->has_rank && (!shaped || (is_nothing(shaped) && !is_nothing(in))))
            shaped = in;
    }
    bool is_oldest = call->node->schema && call->node->schema->since < 4 && !joined.first;
    if (!shaped || !npart__normalize_axis(npart__int_attribute(call, "axis", is_oldest ? 1 : 0), shaped->rank, &axis))
        return;
    uint32_t rank = shaped->rank;
    int64_t *dims = npart__copy_dims(call, shaped, 0);
    if (!dims)
        return;
    dims[axis] = 0;
    for (uint32_t k = 0; k < joined.count; k++) {
        const struct npart__fact *in = joined_input(call, &joined, k);
        /* Beside vectors it adds 0, which needs no case. */
        if (rank != 1 && is_nothing(in))
            continue;
        if (!join(call, in, dims, rank, axis))
            return;
    }
    npart__set_dims(call, 0, rank, dims);
    concat_elements(call, &joined, axis);
}
