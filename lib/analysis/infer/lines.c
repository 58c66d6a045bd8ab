/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that go along one axis: ArgMax, ArgMin, TopK, CumSum, CumProd, Softmax and its kin, ReverseSequence, each
 * line by itself; and Unique, which compares slices.
 */
#include <math.h>

#include "infer/elements.h"
#include "infer/families.h"
#include "infer/numbers.h"

/* ---- lines ----------------------------------------------------------------------------------------------- */

/* The lines of a small static tensor along an axis. Of [2,3,4] along axis 1 there are 8 lines of 3 elements each, 4
 * elements apart: count 8, extent 3, inner 4. */
struct lines {
    uint32_t count, extent, inner;
};

/* Of a tensor that is known to be small, so 32 bits hold it. */
static uint32_t product_of(const struct npart__fact *fact, uint32_t from, uint32_t to)
{
    uint32_t product = 1;
    for (uint32_t i = from; i < to; i++)
        product *= (uint32_t)fact->dims[i];
    return product;
}

/* False for a tensor that is not small, since sorting takes long, or has no elements. */
static bool find_lines(const struct npart__fact *fact, uint32_t axis, struct lines *out)
{
    uint64_t elements;
    if (!npart__static_elements(fact, &elements) || elements == 0 || elements > NPART__LIMIT_COMPUTED_ELEMENTS)
        return false;
    uint32_t total = (uint32_t)elements;
    out->inner = product_of(fact, axis + 1, fact->rank);
    out->extent = (uint32_t)fact->dims[axis];
    out->count = total / out->extent;
    return true;
}

/* Where the `at`-th element of a line stands: lines are numbered in the order of their first elements. Of the lines
 * above, element 2 of line 5 is at (5/4 * 3 + 2) * 4 + 5%4 = 21. */
static uint32_t place_on(const struct lines *lines, uint32_t line, uint32_t at)
{
    return (line / lines->inner * lines->extent + at) * lines->inner + line % lines->inner;
}

/* Elements that can be ordered: numbers that are known exactly, no symbols and no NaN. What may be off could change
 * places with another. */
static bool read_ordered(const struct npart__call *call, struct npart__numbers *out)
{
    if (!npart__may_be_known(call, 0) || !npart__in_numbers(call, 0, out) || out->error != 0)
        return false;
    for (uint32_t i = 0; out->doubles && i < out->count; i++)
        if (isnan(out->doubles[i]))
            return false;
    return true;
}

/* Whole numbers as such, since a double has not all of them. */
static bool is_above(const struct npart__numbers *numbers, uint32_t a, uint32_t b)
{
    return numbers->ints ? numbers->ints[a] > numbers->ints[b] : numbers->doubles[a] > numbers->doubles[b];
}

/* ---- ArgMax, ArgMin -------------------------------------------------------------------------------------- */

/* Of equal elements the first counts, or the last with select_last_index (opset 12). */
static void find_extremes(struct npart__call *call, uint32_t axis)
{
    bool takes_last = npart__int_attribute(call, "select_last_index", 0) != 0;
    bool takes_least = call->row->parameter == NPART__EXTREME_MINIMUM;
    struct npart__numbers numbers;
    struct lines lines;
    if (!find_lines(npart__in(call, 0), axis, &lines) || !read_ordered(call, &numbers))
        return;
    int64_t *result = npart__new_ints(call, lines.count);
    for (uint32_t line = 0; result && line < lines.count; line++) {
        uint32_t best = 0;
        for (uint32_t i = 1; i < lines.extent; i++) {
            uint32_t a = place_on(&lines, line, i), b = place_on(&lines, line, best);
            bool is_better = takes_least ? is_above(&numbers, b, a) : is_above(&numbers, a, b);
            bool is_equal = !is_above(&numbers, a, b) && !is_above(&numbers, b, a);
            if (is_better || (is_equal && takes_last))
                best = i;
        }
        result[line] = best;
    }
    npart__set_ints(call, 0, result, lines.count);
}

/* The axis goes, or becomes 1 with keepdims: [2,5,7], axis 1 -> int64[2,1,7] or int64[2,7]. */
void npart__infer_arg_extreme(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    bool keeps = npart__int_attribute(call, "keepdims", 1) != 0;
    static const int64_t one = 1;
    uint32_t axis;
    npart__set_element_type(call, 0, NPART__INT64);
    if (!in->has_rank || !npart__normalize_axis(npart__int_attribute(call, "axis", 0), in->rank, &axis))
        return;
    /* With or without keepdims the elements are the same, in the same order. */
    npart__set_dims(call, 0, in->rank - !keeps, npart__splice_dims(call, in, axis, 1, &one, keeps));
    find_extremes(call, axis);
}

/* ---- TopK ------------------------------------------------------------------------------------------------ */

/* How places along the axis are ordered: by the elements of some lines, the first that differ; of equal ones the
 * earlier is the first. TopK orders by one line at a time, Unique by all of them at once, as it compares slices. */
struct order {
    const struct npart__numbers *numbers;
    const struct lines *lines;
    uint32_t first_line, line_count;
    bool largest;
};

/* Below 0: a stands before b; 0: they are equal. */
static int compare_places(const struct order *order, uint32_t a, uint32_t b)
{
    for (uint32_t i = 0; i < order->line_count; i++) {
        uint32_t at = place_on(order->lines, order->first_line + i, a);
        uint32_t other = place_on(order->lines, order->first_line + i, b);
        if (is_above(order->numbers, at, other))
            return order->largest ? -1 : 1;
        if (is_above(order->numbers, other, at))
            return order->largest ? 1 : -1;
    }
    return 0;
}

/* No two places are equal here, so that the order is one. */
static bool stands_before(const struct order *order, uint32_t a, uint32_t b)
{
    int difference = compare_places(order, a, b);
    return difference < 0 || (difference == 0 && a < b);
}

/* Sorts the places by merging ever longer runs; `sorted` and `scratch` have room for them all. C's qsort() takes no
 * context, and may allocate. It takes extent * log(extent) comparisons, each of which may look at line_count
 * elements. */
static void order_line(const struct order *order, uint32_t *sorted, uint32_t *scratch)
{
    uint32_t count = order->lines->extent;
    for (uint32_t i = 0; i < count; i++)
        sorted[i] = i;
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t from = 0; from < count; from += 2 * width) {
            uint32_t middle = from + width < count ? from + width : count;
            uint32_t end = from + 2 * width < count ? from + 2 * width : count;
            for (uint32_t left = from, right = middle, to = from; to < end; to++) {
                bool takes_left =
                    left < middle && (right == end || stands_before(order, sorted[left], sorted[right]));
                scratch[to] = takes_left ? sorted[left++] : sorted[right++];
            }
        }
        memcpy(sorted, scratch, count * sizeof *sorted);
    }
}

/* The `taken` largest or smallest of each line, with their places. With sorted=0 the order is not defined, so only a
 * single one is certain. */
static void take_top(struct npart__call *call, uint32_t axis, uint32_t taken)
{
    bool largest = npart__int_attribute(call, "largest", 1) != 0;
    bool is_sorted = npart__int_attribute(call, "sorted", 1) != 0;
    struct npart__numbers numbers;
    struct npart__items items;
    struct lines lines;
    if (!find_lines(npart__in(call, 0), axis, &lines) || taken > lines.extent || (!is_sorted && taken > 1) ||
        !read_ordered(call, &numbers) || !npart__in_items(call, 0, &items))
        return;
    /* The result has as many lines, each of `taken` elements. */
    struct lines result = {.count = lines.count, .extent = taken, .inner = lines.inner};
    /* Half of `sorted` is scratch. */
    uint32_t total = lines.count * taken, *sorted = npart__new_array(call, (size_t)lines.extent * 2, sizeof *sorted);
    uint64_t *values = npart__new_items(call, total);
    int64_t *indices = npart__new_ints(call, total);
    if (!sorted || !values || !indices)
        return;
    for (uint32_t line = 0; line < lines.count; line++) {
        const struct order order = {
            .numbers = &numbers, .lines = &lines, .first_line = line, .line_count = 1, .largest = largest};
        order_line(&order, sorted, sorted + lines.extent);
        for (uint32_t i = 0; i < taken; i++) {
            values[place_on(&result, line, i)] = items.data[place_on(&lines, line, sorted[i])];
            indices[place_on(&result, line, i)] = sorted[i];
        }
    }
    npart__set_items(call, 0, values, total, &items);
    npart__set_ints(call, 1, indices, total);
}

/* K is an attribute in version 1, an input since 10: [2,1000] with k 5 -> float32[2,5] int64[2,5]. A k that is not
 * known gives an unknown size that is bounded by that of the axis. */
void npart__infer_top_k(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint32_t axis;
    int64_t taken = npart__in_number(call, 1, npart__int_attribute(call, "k", NPART__UNKNOWN));
    npart__set_element_type(call, 1, NPART__INT64);
    if (!in->has_rank || !npart__normalize_axis(npart__int_attribute(call, "axis", -1), in->rank, &axis))
        return;
    /* No more can be taken than there are. */
    if (taken == NPART__UNKNOWN)
        taken = npart__bounded_symbol(call->pool, npart__upper_bound(call->pool, in->dims[axis]));
    for (uint32_t i = 0; i < 2; i++) {
        int64_t *dims = npart__copy_dims(call, in, 0);
        if (!dims)
            return;
        dims[axis] = taken;
        npart__set_dims(call, i, in->rank, dims);
    }
    /* Of none there is nothing to sort. */
    if (npart__is_number(taken) && taken > 0 && taken <= NPART__LIMIT_COMPUTED_ELEMENTS)
        take_top(call, axis, (uint32_t)taken);
}

/* ---- running sums ---------------------------------------------------------------------------------------- */

/* One line's sums or products. */
struct run {
    bool multiplies, is_exclusive, goes_back;
    int type; /* that each step is rounded to */
};

/* Sums or products along each line, of symbols too. An exclusive run has at each place what comes before it; in reverse
 * it goes from the end: [1,2,3] gives [1,3,6], [0,1,3], [6,5,3] and [5,3,0]. */
static void run_ints(struct npart__call *call, const struct run *run, const struct lines *lines, const int64_t *ints)
{
    uint32_t total = lines->count * lines->extent;
    int64_t *result = npart__new_ints(call, total);
    for (uint32_t line = 0; result && line < lines->count; line++) {
        /* Of nothing, a product is 1 and a sum 0. */
        int64_t before = run->multiplies;
        for (uint32_t i = 0; i < lines->extent; i++) {
            uint32_t place = place_on(lines, line, run->goes_back ? lines->extent - 1 - i : i);
            int64_t after = run->multiplies ? npart__product(call->pool, before, ints[place])
                                            : npart__sum(call->pool, before, ints[place]);
            result[place] = run->is_exclusive ? before : after;
            before = after;
        }
    }
    npart__set_ints(call, 0, result, total);
}

/* Each step is rounded; in 16 bits some runtimes round only the last. */
static void run_doubles(struct npart__call *call, const struct run *run, const struct lines *lines,
                        const struct npart__numbers *numbers)
{
    uint32_t total = lines->count * lines->extent;
    double *result = npart__new_doubles(call, total), off = 0;
    for (uint32_t line = 0; result && line < lines->count; line++) {
        double before = run->multiplies;
        for (uint32_t i = 0; i < lines->extent; i++) {
            uint32_t place = place_on(lines, line, run->goes_back ? lines->extent - 1 - i : i);
            double number = npart__number_at(numbers, place);
            double exact = run->multiplies ? before * number : before + number;
            double after = npart__round_number(run->type, exact);
            /* Some runtimes sum 16 bits with 32, and round only the end. */
            if (after != exact && npart__type_bits(run->type) == 16)
                off += 2 * npart__unit_at(run->type, after);
            result[place] = run->is_exclusive ? before : after;
            before = after;
        }
        /* From an infinity on, all that comes after is one or NaN. */
        if (!isfinite(before))
            return;
    }
    npart__set_numbers(call, 0, result, total, off);
}

/* CumSum and CumProd (parameter 1): shaped like the input. The axis is input 1, one number. */
void npart__infer_cumulative(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    struct run run = {
        .multiplies = call->row->parameter != 0,
        .is_exclusive = npart__int_attribute(call, "exclusive", 0) != 0,
        .goes_back = npart__int_attribute(call, "reverse", 0) != 0,
        .type = in->element_type,
    };
    struct npart__numbers numbers;
    struct lines lines;
    uint32_t axis, count;
    npart__set_shape_like(call, 0, in);
    if (!npart__may_be_known(call, 0) || !npart__may_be_known(call, 1))
        return;
    const int64_t *ints = npart__in_ints(call, 0, &count), wanted = npart__in_number(call, 1, NPART__UNKNOWN);
    if (!in->has_rank || !npart__is_number(wanted) || !npart__normalize_axis(wanted, in->rank, &axis) ||
        !find_lines(in, axis, &lines))
        return;
    /* Whole numbers in floating point are rounded at each step, as fractions are. */
    if (ints && !npart__type_is_float(run.type))
        run_ints(call, &run, &lines, ints);
    else if (npart__has_fractions(run.type) && npart__in_numbers(call, 0, &numbers) && numbers.error == 0)
        run_doubles(call, &run, &lines, &numbers);
}

/* ---- Softmax --------------------------------------------------------------------------------------------- */

/* One line of Softmax, LogSoftmax or Hardmax. The largest element is subtracted first, as kernels do against overflow;
 * Hardmax puts 1 at the first of the largest. False where the largest is infinite, which would make NaN. */
static bool soften_line(enum npart__softening kind, int type, const struct npart__numbers *numbers,
                        const struct lines *lines, uint32_t line, double *result, double *off)
{
    double most = -INFINITY, sum = 0;
    uint32_t first = 0;
    for (uint32_t i = 0; i < lines->extent; i++) {
        double number = npart__number_at(numbers, place_on(lines, line, i));
        /* Only a larger one counts, so of equal ones the first stays. */
        first = number > most ? i : first;
        most = number > most ? number : most;
    }
    if (!isfinite(most))
        return false;
    for (uint32_t i = 0; i < lines->extent; i++)
        sum += exp(npart__number_at(numbers, place_on(lines, line, i)) - most);
    for (uint32_t i = 0; i < lines->extent; i++) {
        uint32_t place = place_on(lines, line, i);
        double above = npart__number_at(numbers, place) - most;
        result[place] = kind == NPART__SOFTENING_LOG  ? above - log(sum)
                        : kind == NPART__SOFTENING_HARD ? i == first
                                                        : exp(above) / sum;
        double error = kind == NPART__SOFTENING_HARD ? 0 : npart__close_error(type, result[place]) * 2;
        *off = error > *off ? error : *off;
    }
    return true;
}

/* Softmax and its kin: shaped like the input. Since opset 13 along one axis; before, all axes from the given one on are
 * one line: [2,3,4] with axis 1 is softened as [2,12]. */
void npart__infer_soften(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    /* Without a schema the operator is taken to be the newest one. */
    bool is_flat = call->node->schema && call->node->schema->since < 13;
    struct npart__numbers numbers;
    struct lines lines;
    uint32_t axis;
    npart__set_shape_like(call, 0, in);
    if (!call->node->schema)
        npart__set_type_like(call, 0, 0);
    if (!npart__has_fractions(in->element_type) || !npart__may_be_known(call, 0) || !in->has_rank ||
        !npart__normalize_axis(npart__int_attribute(call, "axis", is_flat ? 1 : -1), in->rank, &axis) ||
        !find_lines(in, axis, &lines) || !read_ordered(call, &numbers))
        return;
    /* One line of all axes from the given one on. */
    if (is_flat) {
        lines.extent *= lines.inner;
        lines.count /= lines.inner;
        lines.inner = 1;
    }
    double off = 0, *result = npart__new_doubles(call, numbers.count);
    for (uint32_t line = 0; result && line < lines.count; line++)
        if (!soften_line((enum npart__softening)call->row->parameter, in->element_type, &numbers, &lines, line, result,
                         &off))
            return;
    npart__set_numbers(call, 0, result, numbers.count, off);
}

/* ---- ReverseSequence ------------------------------------------------------------------------------------- */

/* Turns round the first so many elements along time_axis, as sequence_lens says for each place of batch_axis: of
 * [1,2,3,4] with length 3, [3,2,1,4]. */
void npart__infer_reverse_sequence(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    struct npart__items items;
    struct lines lines;
    uint32_t length_count, batch, time;
    npart__set_shape_like(call, 0, in);
    if (!npart__may_be_known(call, 0) || !npart__may_be_known(call, 1))
        return;
    const int64_t *lengths = npart__in_ints(call, 1, &length_count);
    if (!lengths || !in->has_rank || !npart__in_items(call, 0, &items) ||
        !npart__normalize_axis(npart__int_attribute(call, "batch_axis", 1), in->rank, &batch) ||
        !npart__normalize_axis(npart__int_attribute(call, "time_axis", 0), in->rank, &time) ||
        !find_lines(in, time, &lines) || length_count != in->dims[batch])
        return;
    /* How many elements one step along batch_axis covers. */
    uint32_t total = items.count, below_batch = product_of(in, batch + 1, in->rank);
    uint64_t *result = npart__new_items(call, total);
    for (uint32_t line = 0; result && line < lines.count; line++) {
        /* The place along batch_axis of the line's first element says which length is its own. */
        int64_t length = lengths[place_on(&lines, line, 0) / below_batch % (uint32_t)in->dims[batch]];
        if (!npart__is_number(length) || length < 0 || length > lines.extent)
            return;
        for (uint32_t i = 0; i < lines.extent; i++) {
            uint32_t from = i < length ? (uint32_t)length - 1 - i : i;
            result[place_on(&lines, line, i)] = items.data[place_on(&lines, line, from)];
        }
    }
    if (result)
        npart__set_items(call, 0, result, total, &items);
}

/* ---- Unique ---------------------------------------------------------------------------------------------- */

/* Equal slices, by the first of each. */
struct groups {
    uint32_t count;
    uint32_t *first;    /* by group */
    int64_t *members;   /* by group: how many */
    int64_t *group_of;  /* by place */
};

/* In the order of what they hold (sorted=1), or of where they come first. Places are sorted either way: equal ones are
 * then beside each other, and the first of them leads the group. */
static bool find_groups(struct npart__call *call, const struct order *order, bool is_sorted, struct groups *out)
{
    uint32_t extent = order->lines->extent;
    /* Three lists in one: the sorted places, the leaders, and the first of each group. Until leaders are known, their
     * place is the scratch of the sort. */
    uint32_t *sorted = npart__new_array(call, (size_t)extent * 3, sizeof *sorted);
    int64_t *numbers = npart__new_array(call, (size_t)extent * 2, sizeof *numbers);
    if (!sorted || !numbers)
        return false;
    uint32_t *leader = sorted + extent; /* by place: the first that is equal */
    order_line(order, sorted, leader);
    *out = (struct groups){.first = sorted + (size_t)extent * 2, .members = numbers, .group_of = numbers + extent};
    for (uint32_t i = 0; i < extent; i++) {
        bool is_new = i == 0 || compare_places(order, sorted[i - 1], sorted[i]) != 0;
        /* Of equal places the earliest is sorted first, so it leads. */
        leader[sorted[i]] = is_new ? sorted[i] : leader[sorted[i - 1]];
    }
    for (uint32_t i = 0; i < extent; i++) {
        uint32_t place = is_sorted ? sorted[i] : i;
        /* Only leaders begin a group. */
        if (leader[place] != place)
            continue;
        out->group_of[place] = out->count;
        out->first[out->count++] = place;
    }
    for (uint32_t i = 0; i < extent; i++) {
        out->group_of[i] = out->group_of[leader[i]];
        out->members[out->group_of[i]]++;
    }
    return true;
}

/* Outputs Y, indices (where each group comes first), inverse_indices (to which group each place belongs) and counts. Of
 * [2,1,1,3]: Y [1,2,3], indices [1,0,3], inverse [1,0,0,2], counts [2,1,1]. Output 0's dims are set; those of the
 * others follow. */
static void set_groups(struct npart__call *call, const struct groups *groups, const struct lines *lines,
                       const struct npart__items *items)
{
    struct lines result = {.count = lines->count, .extent = groups->count, .inner = lines->inner};
    uint64_t *values = npart__new_items(call, result.count * result.extent);
    int64_t *indices = npart__new_ints(call, groups->count);
    for (uint32_t i = 0; values && indices && i < groups->count; i++) {
        indices[i] = groups->first[i];
        for (uint32_t line = 0; line < lines->count; line++)
            values[place_on(&result, line, i)] = items->data[place_on(lines, line, groups->first[i])];
    }
    if (values)
        npart__set_items(call, 0, values, result.count * result.extent, items);
    npart__set_ints(call, 1, indices, groups->count);
    npart__set_ints(call, 2, groups->group_of, lines->extent);
    npart__set_ints(call, 3, groups->members, groups->count);
}

/* False when the operand is not known, not small, or has NaN; how many groups there are is then unknown. */
static bool find_unique(struct npart__call *call, uint32_t axis, bool is_flat, struct groups *groups,
                        struct lines *lines)
{
    const struct npart__fact *in = npart__in(call, 0);
    struct npart__numbers numbers;
    uint32_t total;
    if (!in->has_rank || !npart__small_count(call, in, &total) || total > NPART__LIMIT_COMPUTED_ELEMENTS ||
        !read_ordered(call, &numbers))
        return false;
    *lines = (struct lines){.count = 1, .extent = total, .inner = 1};
    if (!is_flat && !find_lines(in, axis, lines))
        return false;
    /* From small to large, as the standard sorts. */
    const struct order order = {.numbers = &numbers, .lines = lines, .line_count = lines->count};
    return find_groups(call, &order, npart__int_attribute(call, "sorted", 1) != 0, groups);
}

/* Whole numbers as well as fractions; without an axis, of all elements in one line. Where the elements are not known,
 * the number of groups is a symbol bounded by the number of places: [2,5] -> [n], n at most 10. */
void npart__infer_unique(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    const struct npart__attribute *attribute = npart__node_attribute(call->graph, call->node, "axis");
    uint32_t axis = 0, rank = attribute ? in->rank : 1;
    struct groups groups;
    struct lines lines;
    for (uint32_t i = 1; i < 4; i++)
        npart__set_element_type(call, i, NPART__INT64);
    if (attribute && (!in->has_rank || !npart__normalize_axis(npart__int_attribute(call, "axis", 0), in->rank, &axis)))
        return;
    int64_t *dims = attribute ? npart__copy_dims(call, in, 0) : npart__new_dims(call, 1);
    if (!dims)
        return;
    int64_t elements = in->has_rank ? npart__dims_product(call, in->dims, 0, in->rank) : NPART__UNKNOWN;
    int64_t all = attribute ? in->dims[axis] : elements;
    bool is_known = find_unique(call, axis, attribute == NULL, &groups, &lines);
    /* There are no more groups than places. */
    int64_t most = all == NPART__UNKNOWN ? INT64_MAX : npart__upper_bound(call->pool, all);
    int64_t found = is_known ? groups.count : npart__bounded_symbol(call->pool, most);
    dims[axis] = found;
    npart__set_dims(call, 0, rank, dims);
    /* In inverse_indices there is one number for each place, in the others one for each group. */
    NPART__SET_SIZES(call, 2, all);
    NPART__SET_SIZES(call, 1, found);
    NPART__SET_SIZES(call, 3, found);
    struct npart__items items;
    if (is_known && npart__in_items(call, 0, &items))
        set_groups(call, &groups, &lines, &items);
}
