/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that may see slots. Each either treats every slot by itself, so that what it makes of a used slot is the
 * same however many empty ones stand before it, or it looks at all of them: a Softmax, whose weights of empty slots
 * must be exactly 0, and a product that sums over slots, of which one side must be 0 at the empty ones. Any other
 * operator is not followed.
 */
#include <math.h>

#include "cache/internal.h"
#include "infer/families.h"

/* What is added before a Softmax so that nothing is left of a slot: e to the power of -1000 is 0 in every format, also
 * where scores differ by hundreds. */
#define HIDES (-1000.0)

static const struct npart__graph *graph_of(const struct npart__walk *walk)
{
    return walk->work->graph;
}

static const struct npart__node *node_of(const struct npart__walk *walk)
{
    return npart__node_at(graph_of(walk), walk->node);
}

static const struct npart__traits *traits_of(const struct npart__walk *walk)
{
    return node_of(walk)->traits;
}

/* NPART_NONE where it is left out. */
static uint32_t operand_of(const struct npart__walk *walk, uint32_t index)
{
    uint32_t value = npart__node_input(graph_of(walk), node_of(walk), index);
    return value == NPART_NONE ? value : npart__value_at(graph_of(walk), value)->alias;
}

/* Of an operand that is left out, nothing. */
static struct npart__flow flow_of(const struct npart__walk *walk, uint32_t index)
{
    uint32_t value = operand_of(walk, index);
    return value == NPART_NONE ? (struct npart__flow){.axis = NPART_NONE} : walk->flows[value];
}

static struct npart__flow *result_of(const struct npart__walk *walk)
{
    return &walk->flows[npart__node_output(graph_of(walk), node_of(walk), 0)];
}

static const struct npart__fact *fact_in(const struct npart__probe *probe, uint32_t value)
{
    return npart__fact_of(&probe->inference, value);
}

static const struct npart__fact *result_fact(const struct npart__walk *walk)
{
    return fact_in(walk->compared->a, npart__node_output(graph_of(walk), node_of(walk), 0));
}

/* ---- what hides -------------------------------------------------------------------------------------------------- */

enum hidden { EMPTY, LATER, OWN };

struct extremes {
    double least, most;
    bool is_known;
};

/* The extremes of control at what is to be hidden: at slots that are empty in the second probe, or at new tokens later
 * than that of the row; or at the row's own token. Control without slots is the same at all of them. */
static struct extremes extremes_of(const struct npart__walk *walk, uint32_t value, enum hidden what)
{
    struct npart__probe *probe = walk->compared->b;
    const struct npart__fact *fact = fact_in(probe, value);
    const struct npart__known *known = npart__cache_elements(probe, value);
    const struct npart__flow *flow = &walk->flows[value];
    struct extremes out = {.least = INFINITY, .most = -INFINITY};
    bool is_by_slot = flow->axis != NPART_NONE;
    if (!known || flow->is_wrong || (is_by_slot && flow->axis + 1u != fact->rank))
        return out;
    uint32_t columns = is_by_slot ? (uint32_t)fact->dims[fact->rank - 1u] : 1;
    uint32_t rows = is_by_slot && fact->rank > 1 ? (uint32_t)fact->dims[fact->rank - 2u] : 1;
    uint32_t past = probe->layout.past, tokens = probe->layout.tokens;
    if (is_by_slot && (columns != past + tokens || (what != EMPTY && rows != tokens && rows != 1)))
        return out;
    for (uint32_t i = 0; i < known->count; i++) {
        uint32_t column = i % columns, row = i / columns % rows;
        bool is_own = rows == 1 ? column >= past : column == past + row;
        bool counts = !is_by_slot || (what == EMPTY ? column < walk->compared->empty
                                      : what == OWN ? is_own
                                                    : column > past + (rows == 1 ? 0 : row));
        double number = npart__known_number(known, i);
        if (counts && isnan(number))
            return out;
        if (!counts)
            continue;
        out.least = fmin(out.least, number);
        out.most = fmax(out.most, number);
        out.is_known = true;
    }
    return out;
}

static double hidden_in(const struct npart__flow *flow, enum hidden what)
{
    return what == EMPTY ? flow->hidden : what == LATER ? flow->later : flow->shown;
}

static double *hidden_of(struct npart__flow *flow, enum hidden what)
{
    return what == EMPTY ? &flow->hidden : what == LATER ? &flow->later : &flow->shown;
}

/* The bound that says nothing. */
static double unknown(enum hidden what)
{
    return what == OWN ? -INFINITY : INFINITY;
}

/* Of two, what holds for both: at what is hidden the larger, at the own slot the smaller. */
static double weaker(enum hidden what, double a, double b)
{
    return what == OWN ? fmin(a, b) : fmax(a, b);
}

/* No more than this is there, at the own slot no less: of control what it has, of data what is added to it; of data to
 * which nothing is added 0, since scores are small beside what hides. */
static double bound_of(const struct npart__walk *walk, uint32_t operand, enum hidden what)
{
    struct npart__flow flow = flow_of(walk, operand);
    if (!flow.is_known)
        return hidden_in(&flow, what);
    struct extremes at = extremes_of(walk, operand_of(walk, operand), what);
    if (!at.is_known) /* there are no later tokens */
        return what == LATER && walk->compared->b->layout.tokens == 1 ? 0 : unknown(what);
    return what == OWN ? at.least : at.most;
}

static bool is_zero(const struct npart__walk *walk, uint32_t operand)
{
    struct npart__flow flow = flow_of(walk, operand);
    if (!flow.is_known)
        return flow.is_zero;
    struct extremes empty = extremes_of(walk, operand_of(walk, operand), EMPTY);
    struct extremes later = extremes_of(walk, operand_of(walk, operand), LATER);
    bool has_later = walk->compared->b->layout.tokens > 1;
    return empty.is_known && empty.least == 0 && empty.most == 0 &&
           (!has_later || (later.is_known && later.least == 0 && later.most == 0));
}

/* ---- element by element ------------------------------------------------------------------------------------------ */

static void add(struct npart__walk *walk, struct npart__flow *out, enum hidden what)
{
    double sum = 0;
    for (uint32_t i = 0; i < node_of(walk)->input_count; i++)
        sum += bound_of(walk, i, what);
    *hidden_of(out, what) = isnan(sum) ? unknown(what) : sum;
}

static void subtract(struct npart__walk *walk, struct npart__flow *out, enum hidden what)
{
    struct npart__flow right = flow_of(walk, 1);
    double from = bound_of(walk, 0, what), by = 0;
    struct extremes at = {0};
    if (right.is_known)
        at = extremes_of(walk, operand_of(walk, 1), what);
    if (at.is_known)
        by = what == OWN ? at.most : at.least;
    bool has_none = right.is_known ? what == LATER && walk->compared->b->layout.tokens == 1
                                   : right.hidden == 0 && right.later == 0 && right.shown == 0;
    double sum = at.is_known || has_none ? from - by : unknown(what);
    *hidden_of(out, what) = isnan(sum) ? unknown(what) : sum;
}

/* By control that is positive everywhere; by anything else what was added is no longer known. */
static void scale(struct npart__walk *walk, struct npart__flow *out, enum hidden what)
{
    bool divides = traits_of(walk)->computes == NPART__COMPUTES_DIVIDE;
    for (uint32_t i = 0; i < (divides ? 1u : 2u); i++) {
        struct npart__flow at = flow_of(walk, i), other = flow_of(walk, 1 - i);
        struct extremes by = {0};
        if (other.is_known && other.axis == NPART_NONE)
            by = extremes_of(walk, operand_of(walk, 1 - i), EMPTY);
        if (at.is_known || !by.is_known || !(by.least > 0) || isinf(by.most))
            continue;
        double bound = hidden_in(&at, what);
        bool takes_least = (bound < 0) != (what == OWN) ? !divides : divides;
        double factor = takes_least ? by.least : by.most;
        *hidden_of(out, what) = bound == 0 ? 0 : divides ? bound / factor : bound * factor;
        return;
    }
}

static void take_largest(struct npart__walk *walk, struct npart__flow *out, enum hidden what)
{
    double most = -INFINITY;
    for (uint32_t i = 0; i < node_of(walk)->input_count; i++)
        most = fmax(most, bound_of(walk, i, what));
    *hidden_of(out, what) = most;
}

/* Which of its operands a Where takes there, as bits 1 and 2. */
static unsigned taken_by(const struct npart__walk *walk, enum hidden what)
{
    struct extremes at = {0};
    if (flow_of(walk, 0).is_known)
        at = extremes_of(walk, operand_of(walk, 0), what);
    return at.is_known && at.least == 1 ? 1u << 1 : at.is_known && at.most == 0 ? 1u << 2 : 3u << 1;
}

static void choose(struct npart__walk *walk, struct npart__flow *out, enum hidden what)
{
    double bound = -unknown(what);
    unsigned taken = taken_by(walk, what);
    for (uint32_t i = 1; i < 3; i++)
        if (taken >> i & 1)
            bound = weaker(what, bound, bound_of(walk, i, what));
    *hidden_of(out, what) = bound;
}

/* Of an operator that is not followed in this: what was added is lost, and control must be as small as scores. */
static void lose(struct npart__walk *walk, struct npart__flow *out, enum hidden what)
{
    bool is_small = true;
    for (uint32_t i = 0; i < node_of(walk)->input_count; i++) {
        struct npart__flow at = flow_of(walk, i);
        struct extremes of = {0};
        if (operand_of(walk, i) == NPART_NONE)
            continue;
        if (at.is_known)
            of = extremes_of(walk, operand_of(walk, i), what);
        is_small &= at.is_known ? !of.is_known || (of.least >= HIDES && of.most <= -HIDES)
                                : at.hidden == 0 && at.later == 0 && at.shown == 0;
    }
    *hidden_of(out, what) = is_small ? 0 : unknown(what);
}

static void keep(struct npart__walk *walk, struct npart__flow *out, enum hidden what)
{
    struct npart__flow at = flow_of(walk, 0);
    *hidden_of(out, what) = hidden_in(&at, what);
}

/* What becomes of what hides; what computes something else loses it. */
typedef void hide(struct npart__walk *walk, struct npart__flow *out, enum hidden what);
static hide *const hidings[] = {
    [NPART__COMPUTES_ADD] = add,
    [NPART__COMPUTES_SUBTRACT] = subtract,
    [NPART__COMPUTES_MULTIPLY] = scale,
    [NPART__COMPUTES_DIVIDE] = scale,
    [NPART__COMPUTES_MAXIMUM] = take_largest,
    [NPART__COMPUTES_CHOICE] = choose,
    [NPART__COMPUTES_COUNT] = NULL,
};

static bool chooses_zero(const struct npart__walk *walk)
{
    unsigned taken = taken_by(walk, EMPTY) | taken_by(walk, LATER);
    return (!(taken >> 1 & 1) || is_zero(walk, 1)) && (!(taken >> 2 & 1) || is_zero(walk, 2));
}

static bool makes_zero(const struct npart__walk *walk)
{
    const uint64_t keeps_zero = NPART__WAYS_SAME | NPART__WAY(CASTS) | NPART__WAY(CODES);
    const struct npart__traits *traits = traits_of(walk);
    switch ((enum npart__computes)traits->computes) {
    case NPART__COMPUTES_MULTIPLY:
        return is_zero(walk, 0) || is_zero(walk, 1);
    case NPART__COMPUTES_DIVIDE:
        return is_zero(walk, 0);
    case NPART__COMPUTES_CHOICE:
        return chooses_zero(walk);
    default:
        return keeps_zero >> traits->elements & 1 && is_zero(walk, 0);
    }
}

/* Slots are on one axis of all operands, counted from the right as broadcasting does. */
static const char *each(struct npart__walk *walk)
{
    struct npart__flow *out = result_of(walk);
    const struct npart__fact *result = result_fact(walk);
    for (uint32_t i = 0; i < node_of(walk)->input_count; i++) {
        struct npart__flow at = flow_of(walk, i);
        if (at.axis == NPART_NONE)
            continue;
        uint32_t rank = fact_in(walk->compared->a, operand_of(walk, i))->rank;
        if (out->axis == NPART_NONE || rank - at.axis != result->rank - out->axis)
            return "the slots are on different axes of its operands";
    }
    const struct npart__traits *traits = traits_of(walk);
    bool is_kept = (NPART__WAYS_SAME | NPART__WAY(CASTS)) >> traits->elements & 1;
    hide *hides = is_kept ? keep : hidings[traits->computes];
    for (unsigned what = EMPTY; what <= OWN; what++) {
        lose(walk, out, (enum hidden)what);
        if (hides)
            hides(walk, out, (enum hidden)what);
    }
    out->is_zero = makes_zero(walk);
    return NULL;
}

/* ---- the same elements elsewhere --------------------------------------------------------------------------------- */

static void hand_on_from(struct npart__walk *walk, uint32_t operand)
{
    struct npart__flow from = flow_of(walk, operand), *out = result_of(walk);
    out->hidden = from.hidden;
    out->later = from.later;
    out->shown = from.shown;
    out->is_zero = from.is_zero;
}

static void hand_on(struct npart__walk *walk)
{
    hand_on_from(walk, 0);
}

static int64_t all_slots(const struct npart__probe *probe)
{
    return (int64_t)probe->layout.past + probe->layout.tokens;
}

/* What does not fit wraps, and is compared with what wraps in the same way. */
static uint64_t elements_after(const struct npart__fact *fact, uint32_t axis)
{
    uint64_t count = 1;
    for (uint32_t i = axis + 1; i < fact->rank; i++)
        count *= (uint64_t)fact->dims[i];
    return count;
}

/* A slot is as many elements in a row as before, so it stays one. */
static const char *view(struct npart__walk *walk)
{
    struct npart__flow from = flow_of(walk, 0), *out = result_of(walk);
    bool has_slots = from.axis != NPART_NONE;
    if (has_slots != (out->axis != NPART_NONE))
        return "the slots are joined with another axis";
    if (has_slots && elements_after(fact_in(walk->compared->a, operand_of(walk, 0)), from.axis) !=
                         elements_after(result_fact(walk), out->axis))
        return "the slots are joined with another axis";
    hand_on(walk);
    return NULL;
}

static const char *transpose(struct npart__walk *walk)
{
    hand_on(walk);
    return NULL;
}

/* What was one for all slots is the same for each. */
static const char *expand(struct npart__walk *walk)
{
    struct npart__flow from = flow_of(walk, 0), *out = result_of(walk);
    const struct npart__fact *operand = fact_in(walk->compared->a, operand_of(walk, 0)), *result = result_fact(walk);
    uint32_t from_right = out->axis == NPART_NONE ? 0 : result->rank - out->axis;
    if (from.axis != NPART_NONE ? out->axis == NPART_NONE || operand->rank - from.axis != from_right
                                : out->axis == NPART_NONE)
        return "it does not keep the slots on their axis";
    if (from.axis == NPART_NONE && from_right <= operand->rank && operand->dims[operand->rank - from_right] != 1)
        return "it does not keep the slots on their axis";
    hand_on(walk);
    return NULL;
}

/* Repeated along other axes, slots stay where they are; what was one for all of them is the same for each. */
static const char *tile(struct npart__walk *walk)
{
    struct npart__flow from = flow_of(walk, 0), *out = result_of(walk);
    const struct npart__fact *operand = fact_in(walk->compared->b, operand_of(walk, 0)), *result = result_fact(walk);
    const struct npart__fact *all = fact_in(walk->compared->b, npart__node_output(graph_of(walk), node_of(walk), 0));
    bool is_kept = out->axis != NPART_NONE && out->axis < operand->rank && operand->rank == result->rank &&
                   operand->dims[out->axis] == (from.axis == NPART_NONE ? 1 : all->dims[out->axis]);
    if (!is_kept || (from.axis != NPART_NONE && from.axis != out->axis))
        return "it does not keep the slots on their axis";
    hand_on(walk);
    return NULL;
}

/* Past all slots may stand columns that are none, as what a head attends to beside tokens (a sink): they are the same
 * for each row, and what is known of the slots stays so. */
static const char *concat(struct npart__walk *walk)
{
    const struct npart__flow *out = result_of(walk);
    const int64_t slots = all_slots(walk->compared->b);
    uint32_t axis;
    bool is_first = true;
    int64_t given = npart__node_int(graph_of(walk), node_of(walk), "axis", 0);
    if (out->axis == NPART_NONE || !npart__normalize_axis(given, result_fact(walk)->rank, &axis))
        return "it does not keep the slots on their axis";
    for (uint32_t i = 0; i < node_of(walk)->input_count; i++) {
        uint32_t value = operand_of(walk, i);
        struct npart__flow at = flow_of(walk, i);
        if (value == NPART_NONE || (axis == out->axis && fact_in(walk->compared->b, value)->dims[axis] == 0))
            continue;
        if (at.axis != NPART_NONE && at.axis != out->axis)
            return "the slots are on different axes of its operands";
        if (axis == out->axis && (at.axis != NPART_NONE) != is_first)
            return "only new slots may follow those of the cache";
        if (axis == out->axis && is_first && fact_in(walk->compared->b, value)->dims[axis] == slots)
            hand_on_from(walk, i);
        is_first = false;
    }
    return NULL;
}

/* ---- parts ------------------------------------------------------------------------------------------------------- */

struct cut {
    int64_t start, end, step, size;
};

/* The part of an axis that a Slice takes, in one probe; false where that is not known. */
static bool read_cut(const struct npart__walk *walk, struct npart__probe *probe, uint32_t axis, struct cut *out)
{
    const struct npart__fact *fact = fact_in(probe, operand_of(walk, 0));
    const struct npart__known *lists[5] = {NULL};
    *out = (struct cut){.end = fact->dims[axis], .step = 1, .size = fact->dims[axis]};
    for (uint32_t i = 1; i < 5; i++) {
        uint32_t value = operand_of(walk, i);
        if (value == NPART_NONE)
            continue;
        lists[i] = npart__cache_elements(probe, value);
        if (!lists[i] || !lists[i]->ints)
            return false;
    }
    for (uint32_t i = 0; lists[1] && lists[2] && i < lists[1]->count; i++) {
        uint32_t at = i;
        if (lists[3] && !npart__normalize_axis(lists[3]->ints[i], fact->rank, &at))
            return false;
        if (at != axis)
            continue;
        int64_t start = lists[1]->ints[i], end = lists[2]->ints[i];
        start = start < 0 ? start + out->size : start;
        end = end < 0 ? (end < -out->size ? 0 : end + out->size) : end;
        out->start = start < 0 ? 0 : start > out->size ? out->size : start;
        out->end = end > out->size ? out->size : end;
        out->step = lists[4] ? lists[4]->ints[i] : 1;
    }
    return lists[1] && lists[2];
}

/* The last rows of a table, as many as there are slots: as distances are looked up that each slot has from the last
 * one. */
static bool is_tail(const struct npart__walk *walk, const struct cut *a, const struct cut *b)
{
    return a->step == 1 && b->step == 1 && a->end == a->size && b->end == b->size && a->size == b->size &&
           a->start - b->start == walk->compared->empty;
}

/* Of the slots all from the left on, or as many at the right; of other axes the same part. */
static const char *slice(struct npart__walk *walk)
{
    struct npart__flow from = flow_of(walk, 0);
    const struct npart__flow *out = result_of(walk);
    const struct npart__fact *fact = fact_in(walk->compared->a, operand_of(walk, 0));
    for (uint32_t axis = 0; axis < fact->rank; axis++) {
        struct cut a, b;
        if (!read_cut(walk, walk->compared->a, axis, &a) || !read_cut(walk, walk->compared->b, axis, &b))
            return "which part it takes is not known";
        if (axis != from.axis && a.start == b.start && a.end == b.end && a.step == b.step)
            continue;
        if (axis == out->axis && from.axis == NPART_NONE && is_tail(walk, &a, &b)) {
            walk->work->is_right_only = true;
            continue;
        }
        if (axis != from.axis)
            return "it takes a part by the number of slots, which means positions";
        bool is_window = a.start - a.size == b.start - b.size;
        if (a.step != 1 || b.step != 1 || a.end - a.size != b.end - b.size ||
            !(is_window || (a.start == 0 && b.start == 0)))
            return "it takes some of the slots, counted from the first";
        /* What ends past all slots, and before what is no slot, has all of them. */
        bool has_all = a.start == 0 && a.end >= all_slots(walk->compared->a);
        walk->work->is_right_only |= !has_all && (is_window || a.end != a.size);
    }
    hand_on(walk);
    return NULL;
}

/* Parts of each slot are written over, at places that do not depend on slots: of [size, heads, slots] some of the first
 * axis. What is written has its slots where those are. */
static const char *scatter_tuples(struct npart__walk *walk)
{
    enum { DATA, PLACES, UPDATES };
    struct npart__flow data = flow_of(walk, DATA), places = flow_of(walk, PLACES), updates = flow_of(walk, UPDATES);
    struct npart__flow *out = result_of(walk);
    const struct npart__fact *at = fact_in(walk->compared->a, operand_of(walk, PLACES));
    const struct npart__attribute *how = npart__node_attribute(graph_of(walk), node_of(walk), "reduction");
    if (!places.is_known || places.is_wrong || places.axis != NPART_NONE || !at->rank ||
        (how && (how->type != NPART_ATTRIBUTE_STRING || strcmp(how->u.s, "none") != 0)))
        return "which of its parts are written depends on slots";
    uint32_t tuple = (uint32_t)at->dims[at->rank - 1u], axis = out->axis - tuple + at->rank - 1u;
    if (out->axis == NPART_NONE || out->axis < tuple || data.axis != out->axis ||
        updates.axis != axis)
        return "it takes slots by their number";
    for (unsigned what = EMPTY; what <= OWN; what++)
        *hidden_of(out, (enum hidden)what) = weaker((enum hidden)what, bound_of(walk, DATA, (enum hidden)what),
                                                    bound_of(walk, UPDATES, (enum hidden)what));
    return NULL;
}

static const char *gather(struct npart__walk *walk)
{
    struct npart__flow from = flow_of(walk, 0), index = flow_of(walk, 1);
    uint32_t axis, rank = fact_in(walk->compared->a, operand_of(walk, 0))->rank;
    if (!npart__normalize_axis(npart__node_int(graph_of(walk), node_of(walk), "axis", 0), rank, &axis))
        return "its axis is not known";
    if (from.axis == axis)
        return "it takes slots by their number";
    bool are_both = from.axis != NPART_NONE && index.axis != NPART_NONE;
    return are_both ? "the slots are on different axes of its operands" : NULL;
}

static const char *split(struct npart__walk *walk)
{
    struct npart__flow from = flow_of(walk, 0);
    uint32_t axis, rank = fact_in(walk->compared->a, operand_of(walk, 0))->rank;
    bool is_along = !npart__normalize_axis(npart__node_int(graph_of(walk), node_of(walk), "axis", 0), rank, &axis) ||
                    axis == from.axis;
    return is_along ? "it takes slots by their number" : NULL;
}

/* ---- what looks at all slots ------------------------------------------------------------------------------------- */

static const char *product(struct npart__walk *walk)
{
    struct npart__flow left = flow_of(walk, 0), right = flow_of(walk, 1);
    uint32_t left_rank = fact_in(walk->compared->a, operand_of(walk, 0))->rank;
    uint32_t right_rank = fact_in(walk->compared->a, operand_of(walk, 1))->rank;
    bool sums_left = left.axis != NPART_NONE && left.axis + 1 == left_rank;
    bool sums_right = right.axis != NPART_NONE && right.axis + 2 == right_rank;
    bool is_of_left = left.axis == NPART_NONE || sums_left || left.axis + 2 == left_rank;
    bool is_of_right = right.axis == NPART_NONE || sums_right || right.axis + 1 == right_rank;
    if (left_rank < 2 || right_rank < 2 || !is_of_left || !is_of_right || sums_left != sums_right)
        return "the slots are none of the axes of a matrix";
    if (!sums_left || is_zero(walk, 0) || is_zero(walk, 1))
        return NULL;
    return "it sums over all slots, and nothing makes empty ones 0";
}

/* Columns of the axis of slots beyond these; 0 where it has no such axis. */
static int64_t columns_beside(const struct npart__walk *walk, uint32_t operand)
{
    struct npart__flow at = flow_of(walk, operand);
    const struct npart__probe *probe = walk->compared->a;
    return at.axis == NPART_NONE ? 0 : fact_in(probe, operand_of(walk, operand))->dims[at.axis] - all_slots(probe);
}

/* The Concat by which scores of slots got columns of something else, as of a sink: the bias is added before it. */
static bool find_scores(const struct npart__walk *walk, uint32_t *node)
{
    const struct npart__graph *graph = graph_of(walk);
    uint32_t value = operand_of(walk, 0), producer = npart__producer(graph, value);
    if (producer == NPART_NONE || !npart__comes_from(npart__node_at(graph, producer), NPART__WAY(CONCAT)) ||
        npart__value_at(graph, value)->consumer_count != 1)
        return false;
    struct npart__walk before = *walk;
    before.node = *node = producer;
    return operand_of(&before, 0) != NPART_NONE && flow_of(&before, 0).axis != NPART_NONE &&
           columns_beside(&before, 0) == 0;
}

static const char *softmax(struct npart__walk *walk)
{
    struct npart__work *work = walk->work;
    struct npart__flow from = flow_of(walk, 0), *out = result_of(walk);
    const struct npart__node *node = node_of(walk);
    uint32_t axis, rank = result_fact(walk)->rank, node_id = walk->node;
    int64_t by_default = node->opset_version < 13 ? 1 : -1;
    if (!npart__normalize_axis(npart__node_int(graph_of(walk), node, "axis", by_default), rank, &axis))
        return "its axis is not known";
    if (node->opset_version < 13 && axis + 1 != rank)
        return "it is over several axes";
    if (axis != from.axis)
        return NULL;
    if (axis + 1 != rank || from.is_known)
        return "the slots are not its last axis";
    if (walk->compared->b->layout.tokens > 1 && !(from.later - from.shown <= HIDES))
        return "a new token sees those after it, so only one can be taken at a time: --tokens 1";
    out->is_zero = true;
    if (from.hidden - from.shown <= HIDES)
        return NULL;
    if (!(from.hidden + NPART__MASK_VALUE - from.shown <= HIDES))
        return "as much may be added at empty slots as hides them, or less at slots in use";
    if (columns_beside(walk, 0) > 0 && !find_scores(walk, &node_id))
        return "what takes part in it beside the slots stands elsewhere than in a Concat after them";
    if (walk->only_asks)
        return "nothing hides the slots";
    if (work->is_unmasked[node_id])
        return NULL;
    work->is_unmasked[node_id] = true;
    work->is_out_of_memory |= !NPART__PUSH(work->arena, &work->unmasked, node_id);
    return work->is_out_of_memory ? "out of memory" : NULL;
}

/* A mask of truth values hides where it is false. */
static bool is_hidden_by(const struct npart__walk *walk, uint32_t operand, enum hidden what)
{
    struct extremes at = {0}, own = {0};
    bool is_control = flow_of(walk, operand).is_known;
    if (fact_in(walk->compared->b, operand_of(walk, operand))->element_type != NPART__BOOL)
        return bound_of(walk, operand, what) - bound_of(walk, operand, OWN) <= HIDES;
    if (is_control) {
        at = extremes_of(walk, operand_of(walk, operand), what);
        own = extremes_of(walk, operand_of(walk, operand), OWN);
    }
    return at.is_known && at.most == 0 && own.is_known && own.least == 1;
}

/* Attention of the standard over a cache that stands before it: slots are those of its keys and values, and its mask
 * hides what a Softmax must not see. Causal it would count slots from the first one on. */
static const char *attention(struct npart__walk *walk)
{
    enum { QUERY, KEY, VALUE, MASK, PAST, RESULTS = 4 };
    const struct npart__node *node = node_of(walk);
    uint32_t rank = fact_in(walk->compared->a, operand_of(walk, KEY))->rank;
    const struct npart__attribute *cap = npart__node_attribute(graph_of(walk), node, "softcap");
    bool is_plain = npart__node_int(graph_of(walk), node, "is_causal", 0) == 0;
    /* Whether the mask is added before the cap, which then would shrink it, is not told alike by all releases. */
    is_plain &= !cap || (cap->type == NPART_ATTRIBUTE_FLOAT && cap->u.f == 0);
    for (uint32_t i = PAST; i < node->input_count; i++)
        is_plain &= operand_of(walk, i) == NPART_NONE;
    for (uint32_t i = 1; i < RESULTS; i++)
        is_plain &= npart__node_output(graph_of(walk), node, i) == NPART_NONE;
    if (!is_plain)
        return "it sees the slots of the cache, and is causal, has a softcap, or more results than one";
    if (flow_of(walk, QUERY).axis != NPART_NONE || (rank != 3 && rank != 4) ||
        flow_of(walk, KEY).axis != rank - 2 || flow_of(walk, VALUE).axis != flow_of(walk, KEY).axis)
        return "the slots are none of its keys and values";
    if (operand_of(walk, MASK) == NPART_NONE || !is_hidden_by(walk, MASK, EMPTY))
        return "its mask does not hide empty slots";
    if (walk->compared->b->layout.tokens > 1 && !is_hidden_by(walk, MASK, LATER))
        return "a new token sees those after it, so only one can be taken at a time: --tokens 1";
    return NULL;
}

/* The largest of a row is that of a slot in use where empty ones are as far below the token's own as a Softmax asks. */
static const char *reduce(struct npart__walk *walk)
{
    struct npart__flow from = flow_of(walk, 0);
    if (traits_of(walk)->computes == NPART__COMPUTES_MAXIMUM && !from.is_known &&
        from.hidden - from.shown <= HIDES)
        return NULL;
    const struct npart__attribute *axes = npart__node_attribute(graph_of(walk), node_of(walk), "axes");
    uint32_t rank = fact_in(walk->compared->a, operand_of(walk, 0))->rank, operand = operand_of(walk, 1), axis;
    const struct npart__known *known = operand == NPART_NONE ? NULL : npart__cache_elements(walk->compared->a, operand);
    const int64_t *list = axes && axes->type == NPART_ATTRIBUTE_INTS ? axes->u.ints : known ? known->ints : NULL;
    uint32_t count = axes && axes->type == NPART_ATTRIBUTE_INTS ? axes->count : known ? known->count : 0;
    if (!list || !count)
        return "it reduces all slots to one number";
    for (uint32_t i = 0; i < count; i++)
        if (!npart__normalize_axis(list[i], rank, &axis) || axis == from.axis)
            return "it reduces all slots to one number";
    return NULL;
}

static const char *normalize(struct npart__walk *walk)
{
    struct npart__flow from = flow_of(walk, 0);
    uint32_t axis, rank = fact_in(walk->compared->a, operand_of(walk, 0))->rank;
    if (!npart__normalize_axis(npart__node_int(graph_of(walk), node_of(walk), "axis", -1), rank, &axis))
        return "its axis is not known";
    return from.axis != NPART_NONE && from.axis >= axis ? "it normalizes over the slots" : NULL;
}

/* ---- the table --------------------------------------------------------------------------------------------------- */

/* By where an operator's elements come from; `operands`: how many it must have. */
static const struct rule {
    const char *(*follow)(struct npart__walk *walk);
    uint32_t operands;
} rules[NPART__ELEMENTS_COUNT] = {
    [NPART__ELEMENTS_ON] = {each, 1},
    [NPART__ELEMENTS_DROPS] = {each, 1},
    [NPART__ELEMENTS_CASTS] = {each, 1},
    [NPART__ELEMENTS_CODES] = {each, 1},
    [NPART__ELEMENTS_EACH] = {each, 1},
    [NPART__ELEMENTS_VIEW] = {view, 1},
    [NPART__ELEMENTS_SQUEEZE] = {view, 1},
    [NPART__ELEMENTS_UNSQUEEZE] = {view, 1},
    [NPART__ELEMENTS_TRANSPOSE] = {transpose, 1},
    [NPART__ELEMENTS_EXPAND] = {expand, 1},
    [NPART__ELEMENTS_TILE] = {tile, 1},
    [NPART__ELEMENTS_CONCAT] = {concat, 1},
    [NPART__ELEMENTS_SLICE] = {slice, 1},
    [NPART__ELEMENTS_GATHER] = {gather, 2},
    [NPART__ELEMENTS_SCATTER_TUPLES] = {scatter_tuples, 3},
    [NPART__ELEMENTS_SPLIT] = {split, 1},
    [NPART__ELEMENTS_MATMUL] = {product, 2},
    [NPART__ELEMENTS_SOFTMAX] = {softmax, 1},
    [NPART__ELEMENTS_ATTENTION] = {attention, 3},
    [NPART__ELEMENTS_REDUCE] = {reduce, 1},
    [NPART__ELEMENTS_NORMALIZE] = {normalize, 1},
};

uint32_t npart__cache_shape_operands(const struct npart__graph *graph, uint32_t node)
{
    return npart__node_at(graph, node)->traits->sizes;
}

bool npart__cache_has_rule(const struct npart__graph *graph, uint32_t node)
{
    return rules[npart__node_at(graph, node)->traits->elements].follow != NULL;
}

bool npart__cache_is_by_element(const struct npart__graph *graph, uint32_t node)
{
    return npart__comes_from(npart__node_at(graph, node), NPART__WAYS_PLACE);
}

const char *npart__cache_rule(struct npart__walk *walk)
{
    const struct rule *rule = &rules[traits_of(walk)->elements];
    if (!rule->follow)
        return "it sees the slots of the cache, and is not followed";
    bool is_whole = npart__node_output(graph_of(walk), node_of(walk), 0) != NPART_NONE;
    for (uint32_t i = 0; i < rule->operands; i++)
        is_whole &= operand_of(walk, i) != NPART_NONE;
    return is_whole ? rule->follow(walk) : "an operand or result that it must have is missing";
}
