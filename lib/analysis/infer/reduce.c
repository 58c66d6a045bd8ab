/* SPDX-License-Identifier: Apache-2.0
 *
 * Reductions: Reduce*. Axes were an attribute first and became input 1: of ReduceSum at opset 13, of the others at 18.
 *
 *   [2,128,768], axes [-1], keepdims 1  ->  [2,128,1]
 *   [2,128,768], axes [0,2], keepdims 0 ->  [128]
 *
 * Elements are computed where they are known, as exporters count elements by ReduceProd of a shape.
 */
#include <math.h>

#include "infer/driver.h"
#include "infer/elements.h"
#include "infer/families.h"
#include "infer/numbers.h"

/* ---- one element of the result -------------------------------------------------------------------------- */

/* Up to here a double has all whole numbers. */
#define MOST_EXACT 9007199254740992

/* ReduceL2 is the root (after) of the sum (combination) of squares (before). */
enum before { AS_IS, MAGNITUDE, SQUARE, EXPONENTIAL };
enum combination { NOTHING, SUM, PRODUCT, MAXIMUM, MINIMUM };
enum after { LEAVE, DIVIDE, ROOT, LOGARITHM };

/* What becomes of each element, how they are combined, and what becomes of that. */
static const struct reduction {
    enum before before;
    enum combination combination;
    enum after after;
} reductions[] = {
    [NPART__REDUCE_OTHER] = {AS_IS, NOTHING, LEAVE},
    [NPART__REDUCE_SUM] = {AS_IS, SUM, LEAVE},
    [NPART__REDUCE_PRODUCT] = {AS_IS, PRODUCT, LEAVE},
    [NPART__REDUCE_MAXIMUM] = {AS_IS, MAXIMUM, LEAVE},
    [NPART__REDUCE_MINIMUM] = {AS_IS, MINIMUM, LEAVE},
    [NPART__REDUCE_MEAN] = {AS_IS, SUM, DIVIDE},
    [NPART__REDUCE_L1] = {MAGNITUDE, SUM, LEAVE},
    [NPART__REDUCE_L2] = {SQUARE, SUM, ROOT},
    [NPART__REDUCE_LOG_SUM] = {AS_IS, SUM, LOGARITHM},
    [NPART__REDUCE_LOG_SUM_EXP] = {EXPONENTIAL, SUM, LOGARITHM},
    [NPART__REDUCE_SUM_SQUARE] = {SQUARE, SUM, LEAVE},
};

/* Symbols too, so ReduceProd of [`batch`,3] is 3*batch. */
static int64_t (*const combine_two[])(struct npart__expressions *pool, int64_t a, int64_t b) = {
    [SUM] = npart__sum, [PRODUCT] = npart__product, [MAXIMUM] = npart__maximum, [MINIMUM] = npart__minimum};

/* Of whole numbers, possibly symbolic; a mean is cut towards zero. False where the result is no whole number (roots,
 * logarithms) or past what the type holds: there it would wrap around, or some runtimes compute it with doubles. */
static bool reduce_ints(struct npart__expressions *pool, int type, const struct reduction *reduction,
                        const int64_t *terms, uint32_t count, int64_t *out)
{
    unsigned bits = npart__type_bits(type);
    if (bits == 0) /* a type that is not known, or has no size */
        return false;
    /* Up to where the sum is certain to fit: a mean is summed in its own type. */
    int64_t most = reduction->after == DIVIDE && bits < 54 ? (int64_t)1 << (bits - 1) : MOST_EXACT;
    /* These make fractions. */
    bool is_open = reduction->before == EXPONENTIAL || reduction->after == ROOT || reduction->after == LOGARITHM;
    if (is_open)
        return false;
    /* Of no elements, a product is 1. */
    *out = reduction->combination == PRODUCT;
    for (uint32_t i = 0; i < count; i++) {
        int64_t term = reduction->before == SQUARE ? npart__product(pool, terms[i], terms[i]) : terms[i];
        if (reduction->before == MAGNITUDE)
            term = npart__lower_bound(pool, term) >= 0 ? term
                   : npart__is_number(term)            ? npart__product(pool, term, -1)
                                                       : npart__fresh_symbol(pool);
        *out = i ? combine_two[reduction->combination](pool, *out, term) : term;
        bool is_far = npart__is_number(*out) && (*out >= most || *out < -most);
        if (is_far && reduction->combination <= PRODUCT && count > 1)
            return false; /* it wraps around, or some runtimes compute it with doubles */
    }
    /* C divides towards zero, too. Of one element, a symbol stays what it is. */
    if (reduction->after == DIVIDE && count > 1)
        *out = npart__is_number(*out) ? *out / (int64_t)count
                                      : npart__fresh_number(pool, npart__lower_bound(pool, *out));
    return true;
}

/* Numbers that are all multiples of one unit have an exact sum in any order, if the sum of their magnitudes has no more
 * digits than the type: 0.5 + 0.25 + 3 in float32. Else the result may be off by a unit at that sum for each term. */
double npart__sum_numbers(int element_type, const double *terms, uint32_t count, double *error)
{
    double sum = 0, most = 0, unit = INFINITY;
    for (uint32_t i = 0; i < count; i++) {
        sum += terms[i];
        most += fabs(terms[i]);
        /* The unit of a term: how small a step it is a multiple of, doubled from the type's unit up. */
        /* NOLINTNEXTLINE(cert-flp30-c): doubling is exact */
        for (double step = npart__unit_at(element_type, terms[i]); terms[i] != 0 && step < unit; step *= 2)
            if (fmod(terms[i], step * 2) != 0) { /* the last place that is not 0 */
                unit = step;
                break;
            }
    }
    /* Runtimes add in any order: where no partial sum is rounded, all orders give the same. */
    bool is_exact = most == 0 || !isfinite(sum) ||
                    (unit < (double)INFINITY && most <= unit * ldexp(1, npart__digits_of(element_type)));
    *error = is_exact ? 0 : (double)count * npart__unit_at(element_type, most);
    return sum;
}

/* The same of products: exact where each step is, else off by some units. */
static double multiply_numbers(int element_type, const double *terms, uint32_t count, double *error)
{
    double product = 1;
    bool is_exact = true;
    for (uint32_t i = 0; i < count; i++) {
        double before = product;
        product = npart__round_number(element_type, before * terms[i]);
        is_exact = is_exact && npart__is_exact_product(element_type, before, terms[i], product);
    }
    *error = is_exact ? 0 : 2 * (double)count * npart__unit_at(element_type, product);
    return product;
}

/* What becomes of an element before it is combined. */
static double change_term(const struct reduction *reduction, double term)
{
    switch (reduction->before) {
    case MAGNITUDE:
        return fabs(term);
    case SQUARE:
        return term * term;
    case EXPONENTIAL:
        return exp(term);
    default:
        return term;
    }
}

/* One result of fractions, with how far it may be off; `terms` are overwritten. False where it is not finite. */
static bool reduce_doubles(int type, const struct reduction *reduction, double *terms, uint32_t count, double *out,
                           double *error)
{
    bool is_close = reduction->before == EXPONENTIAL || reduction->after == LOGARITHM;
    for (uint32_t i = 0; i < count; i++) {
        double term = terms[i];
        terms[i] = change_term(reduction, term);
        is_close |= reduction->before == SQUARE && !npart__is_exact_product(type, term, term, terms[i]);
        if (!isfinite(terms[i]))
            return false;
    }
    *error = 0;
    *out = terms[0];
    if (reduction->combination == SUM)
        *out = npart__sum_numbers(type, terms, count, error);
    else if (reduction->combination == PRODUCT)
        *out = multiply_numbers(type, terms, count, error);
    else
        for (uint32_t i = 1; i < count; i++)
            *out = (terms[i] > *out) == (reduction->combination == MAXIMUM) ? terms[i] : *out;
    if (!isfinite(npart__round_number(type, *out)))
        return false;
    if (reduction->after != LEAVE) {
        is_close |= *error != 0 || npart__type_bits(type) == 16;
        double before = *out;
        *out = reduction->after == DIVIDE ? before / (double)count
               : reduction->after == ROOT ? sqrt(before)
                                          : log(before);
        /* What takes the result back to what it was made of: exact where nothing was rounded. Of a logarithm it says
         * nothing, but that one is never exact. */
        double factor = reduction->after == DIVIDE ? (double)count : *out;
        is_close |= !npart__is_exact_product(type, *out, factor, before); /* some multiply by the reciprocal */
    }
    if (is_close)
        *error += npart__close_error(type, *out);
    return isfinite(*out);
}

/* ---- the elements ---------------------------------------------------------------------------------------- */

/* Which element of the result each of the operand's goes into. */
struct places {
    const struct npart__fact *in;
    int64_t steps[NPART__LIMIT_RANK];
    uint32_t count, total, each; /* elements of the operand, of the result, and of the operand for each of those */
};

/* For each axis of the operand, how far apart its elements go in the result; 0 along an axis that is reduced. Of
 * [2,3,4] over axis 1, the steps are [4,0,1]. */
static bool find_places(struct npart__call *call, const bool *drops, struct places *places)
{
    const struct npart__fact *in = npart__in(call, 0);
    uint64_t count;
    int64_t stride = 1;
    *places = (struct places){.in = in};
    if (!npart__small_count(call, npart__out(call, 0), &places->total) || !npart__static_elements(in, &count) ||
        !npart__may_follow(call->inference, count,
                           (uint32_t)NPART__MOST(call->inference->graph->limits, KNOWN_ELEMENTS)))
        return false;
    /* Row-major strides of the result, which has no place of its own along a reduced axis. */
    for (uint32_t axis = in->rank; axis-- > 0 && count;) {
        places->steps[axis] = drops[axis] ? 0 : stride;
        stride *= drops[axis] ? 1 : in->dims[axis];
    }
    places->count = (uint32_t)count;
    /* As many for each result, since whole axes are reduced. */
    places->each = places->total ? places->count / places->total : 0;
    return true;
}

/* Brings what goes into one element of the result together, in the operand's order. */
static uint64_t *gather_terms(struct npart__call *call, const struct places *places, const struct npart__items *items)
{
    uint64_t *terms = npart__new_array(call, places->count, sizeof *terms);
    uint32_t *filled = npart__new_array(call, places->total, sizeof *filled);
    if (!terms || !filled)
        return NULL;
    for (uint32_t flat = 0; flat < places->count; flat++) {
        int64_t place = 0, rest = flat;
        for (uint32_t axis = places->in->rank; axis-- > 0; rest /= places->in->dims[axis])
            place += rest % places->in->dims[axis] * places->steps[axis];
        /* What goes into one result stands together, so a result's terms begin at its number times `each`. */
        terms[place * places->each + filled[place]++] = items->data[flat];
    }
    return terms;
}

/* Where one element is symbolic, nothing is set. */
static void reduce_fractions(struct npart__call *call, const struct reduction *reduction,
                             const struct places *places, const struct npart__items *items, const uint64_t *terms)
{
    int type = npart__in(call, 0)->element_type;
    double *result = npart__new_doubles(call, places->total), *own = npart__new_doubles(call, places->each);
    double most = 0;
    for (uint32_t i = 0; result && own && i < places->total; i++) {
        double error;
        for (uint32_t k = 0; k < places->each; k++) {
            uint64_t term = terms[i * places->each + k];
            int64_t whole = (int64_t)term;
            if (items->is_ints && !npart__is_number(whole))
                return;
            if (items->is_ints)
                own[k] = (double)whole;
            else
                memcpy(&own[k], &term, sizeof term);
        }
        if (!reduce_doubles(type, reduction, own, places->each, &result[i], &error))
            return;
        most = error > most ? error : most;
    }
    if (own)
        npart__set_numbers(call, 0, result, places->total, most);
}

/* Integers, and symbols of any type. All or none: one result that cannot be told leaves all unknown. */
static void reduce_wholes(struct npart__call *call, const struct reduction *reduction, const struct places *places,
                          const uint64_t *terms)
{
    int type = npart__in(call, 0)->element_type;
    int64_t *result = npart__new_ints(call, places->total);
    for (uint32_t i = 0; result && i < places->total; i++)
        if (!reduce_ints(call->pool, type, reduction, (const int64_t *)terms + (size_t)i * places->each, places->each,
                         &result[i]))
            return;
    npart__set_ints(call, 0, result, places->total);
}

/* Fractions have none. */
static bool has_symbols(const struct npart__items *items)
{
    for (uint32_t i = 0; items->is_ints && i < items->count; i++)
        if (!npart__is_number((int64_t)items->data[i]))
            return true;
    return false;
}

/* Computes the elements of a result whose shape is set; `drops_any` is false where no axis is reduced. */
static void reduce_elements(struct npart__call *call, const bool *drops, bool drops_any)
{
    const struct reduction *reduction = &reductions[call->row->parameter];
    int type = npart__in(call, 0)->element_type;
    struct npart__items items;
    struct places places;
    /* Of no elements, ONNX Runtime makes another shape than the standard. */
    if (reduction->combination == NOTHING || !npart__may_be_known(call, 0) || !npart__in_items(call, 0, &items) ||
        items.error != 0 || items.count == 0 ||
        !find_places(call, drops, &places))
        return;
    if (!drops_any && (reduction->before != AS_IS || reduction->after > DIVIDE))
        return; /* runtimes differ in whether anything is done then */
    /* Symbols in a floating point tensor are sizes, so they are combined as whole numbers. */
    const uint64_t *terms = gather_terms(call, &places, &items);
    bool is_float = npart__type_is_float(type), is_plain = reduction->before == AS_IS && reduction->after == LEAVE;
    if (terms && is_float && npart__has_fractions(type) && !has_symbols(&items))
        reduce_fractions(call, reduction, &places, &items, terms);
    else if (terms && items.is_ints && (!is_float || is_plain))
        reduce_wholes(call, reduction, &places, terms);
}

/* ---- the shape ------------------------------------------------------------------------------------------- */

/* Which axes go: an attribute until they became input 1. Without axes, or with an empty list of them, all go, unless
 * noop_with_empty_axes says that none does. False when that is not known. */
static bool read_reduced(struct npart__call *call, uint32_t rank, bool *drops)
{
    uint32_t count, axis;
    const int64_t *axes = npart__ints_attribute(call, "axes", &count);
    bool is_input = !axes && npart__has_input(call, 1);
    if (is_input)
        axes = npart__in_ints(call, 1, &count);
    if (!axes)
        count = 0;
    /* An input of length 0 needs no elements. */
    if (is_input && !axes && npart__in_length(call, 1) != 0)
        return false;
    bool takes_all = count == 0 && !npart__int_attribute(call, "noop_with_empty_axes", 0);
    for (uint32_t i = 0; i < rank; i++)
        drops[i] = takes_all;
    for (uint32_t i = 0; i < count; i++) {
        if (!npart__is_number(axes[i]) || !npart__normalize_axis(axes[i], rank, &axis))
            return false;
        /* An axis that is listed twice is reduced once. */
        drops[axis] = true;
    }
    return true;
}

/* The rank where it is known how many axes go, but not which. With keepdims it is the operand's in any case. */
static void set_reduced_rank(struct npart__call *call, bool keeps)
{
    uint32_t rank = npart__in(call, 0)->rank, dropped = npart__in_length(call, 1);
    if (keeps)
        npart__set_rank(call, 0, rank);
    else if (dropped > 0 && dropped <= rank)
        npart__set_rank(call, 0, rank - dropped);
}

/* An operand without a rank has a result of one only where all axes go and none is kept: a scalar. */
void npart__infer_reduce(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0);
    bool keeps = npart__int_attribute(call, "keepdims", 1) != 0, drops[NPART__LIMIT_RANK] = {false};
    uint32_t count, kept = 0;
    npart__widen_type(call);
    if (!in->has_rank) {
        bool takes_all = !npart__ints_attribute(call, "axes", &count) && !npart__has_input(call, 1) &&
                         !npart__int_attribute(call, "noop_with_empty_axes", 0);
        if (takes_all && !keeps)
            npart__set_rank(call, 0, 0);
        return;
    }
    if (!read_reduced(call, in->rank, drops)) {
        set_reduced_rank(call, keeps);
        return;
    }
    int64_t *dims = npart__new_dims(call, in->rank);
    if (!dims)
        return;
    for (uint32_t i = 0; i < in->rank; i++) {
        if (!drops[i])
            dims[kept++] = in->dims[i];
        else if (keeps)
            dims[kept++] = 1;
    }
    npart__set_dims(call, 0, kept, dims);
    /* With noop_with_empty_axes nothing may be reduced, which kernels treat differently. */
    bool drops_any = false;
    for (uint32_t i = 0; i < in->rank; i++)
        drops_any |= drops[i];
    reduce_elements(call, drops, drops_any || in->rank == 0);
}
