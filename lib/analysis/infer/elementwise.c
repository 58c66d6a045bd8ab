/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that work element by element: the result has the operands' shape, broadcast, and where the elements are
 * known they are computed, since exporters do shape arithmetic with these operators. What each computes is a line of
 * elementwise.def.
 */
#include <math.h>

#include "infer/arithmetic.h"
#include "infer/elements.h"
#include "infer/families.h"

/* ---- known elements -------------------------------------------------------------------------------------- */

/* Which element of an operand each element of a broadcast result is made of. An axis of size 1, or one that the operand
 * lacks, adds nothing: in [2,3] from [3], the last at (1,2) is element 2. Both shapes are static. */
static void begin_walk(struct npart__walk *walk, const struct npart__fact *in, const struct npart__fact *out)
{
    uint32_t missing = out->rank - in->rank;
    uint64_t stride = 1; /* beside a size of 0 it may be past all numbers */
    *walk = (struct npart__walk){.out = out};
    for (uint32_t axis = out->rank; axis-- > 0;) {
        /* Axes are aligned at the last one, so those that the operand lacks come first. */
        int64_t extent = axis < missing ? 1 : in->dims[axis - missing];
        walk->steps[axis] = extent == 1 ? 0 : (int64_t)stride;
        stride *= (uint64_t)extent;
    }
}

/* The operand's element for this result, and on to the next result. */
static uint32_t walk_on(struct npart__walk *walk)
{
    return (uint32_t)npart__walk_on(walk);
}

/* One node's computation by a line of elementwise.def, with the attributes that the line names. */
static struct npart__each begin_each(struct npart__call *call, enum npart__elementwise which)
{
    const struct npart__element *element = npart__element_of(which);
    struct npart__each each = {.call = call, .element = element, .type = npart__in(call, 0)->element_type};
    if (element->first)
        each.first = (double)npart__float_attribute(call, element->first, (float)element->first_default);
    /* Attributes are float32 in the file, so a default is rounded to that, too. */
    if (element->second)
        each.second = (double)npart__float_attribute(call, element->second, (float)element->second_default);
    return each;
}

/* Computes output 0, whose shape is set, from the whole numbers of the inputs, combined from left to right: Sum of a,
 * b, c is (a + b) + c. An element that is a symbol gives an expression, so a Mul of [`batch`,128] and [2,2] is
 * [2*batch,256]. */
static void combine_ints(struct npart__each *each, uint32_t input_count)
{
    struct npart__call *call = each->call;
    const struct npart__fact *out = npart__out(call, 0);
    struct npart__numbers numbers;
    uint32_t count;
    if (!each->element->ints || !npart__small_count(call, out, &count))
        return;
    for (uint32_t k = 0; count > NPART__LIMIT_COMPUTED_ELEMENTS && k < input_count; k++)
        if (!npart__in_numbers(call, k, &numbers)) /* so many expressions would take long */
            return;
    int64_t *result = NULL;
    for (uint32_t k = 0; k < input_count; k++) {
        uint32_t known;
        const int64_t *ints = npart__in_ints(call, k, &known);
        /* The shape must be static for the index of an element to be known. */
        if (!ints || !npart__is_static(npart__in(call, k)))
            return;
        if (!result)
            result = npart__new_ints(call, count);
        const struct npart__fact *in = npart__in(call, k);
        struct npart__walk walk;
        begin_walk(&walk, in, out);
        for (uint32_t i = 0; result && i < count; i++) {
            int64_t element = ints[walk_on(&walk)];
            /* Of several operands the first is what the others are combined with. */
            bool is_first = k == 0 && input_count > 1;
            result[i] = is_first ? element : each->element->ints(each, k ? result[i] : element, element);
        }
    }
    npart__set_ints(call, 0, result, count);
}

/* A number, and how far it may be off. */
struct about {
    double number, error;
};

/* Where a result lies whose operands may be off: how far it is from the results at the four ends of their ranges. That
 * says something of operators that are monotone in each operand, and of a quotient while neither range has a 0; false
 * for others. A step (Floor, Greater) must be the same at all four ends, as it is either that or another whole
 * number. */
static bool spread(struct npart__each *each, struct about a, struct about b, double result, double *error)
{
    unsigned traits = each->element->traits;
    bool may_be_divided = traits & NPART__IS_QUOTIENT && fabs(a.number) > a.error && fabs(b.number) > b.error;
    if (!(traits & NPART__IS_MONOTONE) && !may_be_divided)
        return false;
    /* Both operands at their lower or upper end. */
    for (int corner = 0; corner < 4; corner++) {
        double left = corner & 1 ? a.number + a.error : a.number - a.error;
        double right = corner & 2 ? b.number + b.error : b.number - b.error;
        double distance = fabs(each->element->doubles(each, left, right) - result);
        if (!(distance <= *error))
            *error = distance;
    }
    return !(traits & NPART__IS_STEP) || *error == 0;
}

/* One result, rounded to the output's type, with how far it may be off: by its operands, by libraries that differ
 * (is_close), and by steps in 16 bits. False when it cannot be told. */
static bool compute(struct npart__each *each, struct about a, struct about b, struct about *out)
{
    unsigned traits = each->element->traits;
    int type = npart__out(each->call, 0)->element_type;
    double error = 0;
    /* Before the function is called, as Pow changes it. */
    each->is_close = traits & NPART__IS_CLOSE;
    double exact = each->element->doubles(each, a.number, b.number);
    bool is_close = each->is_close, has_nan = isnan(a.number) || isnan(b.number);
    if (has_nan && !isnan(exact) && !(traits & NPART__IS_STEP))
        return false; /* minima and maxima of a NaN are one thing here and another there */
    if (each->is_unknown || ((a.error != 0 || b.error != 0) && !spread(each, a, b, exact, &error)))
        return false;
    double rounded = npart__type_is_float(type) ? npart__round_number(type, exact) : exact;
    /* A step of an expression in 16 bits is not always rounded by runtimes that compute it in 32. */
    if (error != 0 || (npart__type_bits(type) == 16 && rounded != exact && !isnan(exact)))
        error += npart__unit_at(type, exact);
    /* Infinite in double, and so in any smaller type, whatever library computes it. */
    bool overflows = isinf(exact) && npart__type_bits(type) < 64;
    if (is_close && !isnan(exact) && !overflows)
        error += npart__close_error(type, exact);
    *out = (struct about){.number = rounded, .error = error};
    return error < (double)INFINITY && !each->is_unknown && (isfinite(rounded) || error == 0);
}

static struct about about_at(const struct npart__numbers *numbers, uint32_t index)
{
    return (struct about){.number = npart__number_at(numbers, index), .error = numbers->error};
}

/* Fills in one operand's part: the first is taken over, each other is combined with the results so far. False when
 * one result cannot be told. With one operand (Neg, Exp) its results are what the function makes of it. */
static bool combine_operand(struct npart__each *each, uint32_t operand, uint32_t input_count, struct about *results,
                            uint32_t count)
{
    const struct npart__fact *out = npart__out(each->call, 0), *in = npart__in(each->call, operand);
    struct npart__numbers numbers;
    if (!npart__in_numbers(each->call, operand, &numbers))
        return false;
    struct npart__walk walk;
    begin_walk(&walk, in, out);
    for (uint32_t i = 0; i < count; i++) {
        struct about element = about_at(&numbers, walk_on(&walk));
        struct about before = operand ? results[i] : element;
        if (operand == 0 && input_count > 1)
            results[i] = element;
        else if (!compute(each, before, element, &results[i]))
            return false;
    }
    return true;
}

/* A mean of more than one: the sum divided, or multiplied with the reciprocal, as some runtimes do. Where the two may
 * differ in the last digits, the result may be off by them. */
static bool divide_sums(struct npart__each *each, uint32_t input_count, struct about *results, uint32_t count)
{
    struct npart__each division = begin_each(each->call, NPART__EACH_DIVIDE);
    int type = npart__out(each->call, 0)->element_type;
    for (uint32_t i = 0; i < count; i++) {
        double sum = results[i].number;
        if (!compute(&division, results[i], (struct about){.number = input_count}, &results[i]))
            return false;
        if (!npart__is_exact_product(type, results[i].number, input_count, sum))
            results[i].error += 2 * npart__unit_at(type, results[i].number);
    }
    return true;
}

/* One `error` stands for all elements: the largest of them. */
static void set_results(struct npart__call *call, const struct about *results, uint32_t count)
{
    double error = 0, *numbers = npart__new_doubles(call, count);
    for (uint32_t i = 0; numbers && i < count; i++) {
        numbers[i] = results[i].number;
        error = results[i].error > error ? results[i].error : error;
    }
    npart__set_numbers(call, 0, numbers, count, error);
}

/* The same in floating point, where no element is symbolic. */
static bool combine_doubles(struct npart__each *each, uint32_t input_count)
{
    struct npart__call *call = each->call;
    const struct npart__fact *out = npart__out(call, 0);
    uint32_t count;
    if (!each->element->doubles || !npart__small_count(call, out, &count))
        return false;
    struct about *results = npart__new_array(call, count, sizeof *results);
    if (!results)
        return false;
    bool is_known = true;
    for (uint32_t k = 0; k < input_count && is_known; k++)
        is_known = combine_operand(each, k, input_count, results, count);
    if (is_known && call->row->parameter == NPART__EACH_MEAN)
        is_known = divide_sums(each, input_count, results, count);
    if (is_known)
        set_results(call, results, count);
    /* Only needed until the results are set, and large for what it is: two doubles an element. */
    npart__arena_release(call->arena, results);
    return is_known;
}

/* ---- shapes ---------------------------------------------------------------------------------------------- */

/* Sets output 0's shape to what the first `count` inputs broadcast to; false where it is not known. Past 64 operands
 * nothing is said. After a contradiction there is no shape either, hence the last line. */
static bool broadcast_inputs(struct npart__call *call, uint32_t count)
{
    const struct npart__fact *facts[64];
    uint32_t rank;
    int64_t *dims;
    if (count == 0 || count > NPART__COUNT(facts))
        return false;
    for (uint32_t i = 0; i < count; i++)
        facts[i] = npart__in(call, i);
    if (!npart__broadcast(call, facts, count, &rank, &dims))
        return false;
    npart__set_dims(call, 0, rank, dims);
    return npart__out(call, 0)->has_rank;
}

/* A division of symbols that are floats is exact only where it leaves nothing: 2*s / 2 is s, but s / 2 is a fraction
 * for odd s, while the quotient of whole numbers would be floor(s/2). */
static bool divides_exactly(struct npart__call *call)
{
    uint32_t left_count, right_count;
    const int64_t *left = npart__in_ints(call, 0, &left_count), *right = npart__in_ints(call, 1, &right_count);
    if (!left || !right || right_count != 1)
        return false;
    int64_t quotient;
    for (uint32_t i = 0; i < left_count; i++)
        if (!npart__exact_quotient(call->pool, left[i], right[0], &quotient))
            return false;
    return true;
}

/* Output 0's elements, its type and shape being set. Of fractions, and of whole numbers in floating point, each step is
 * rounded; symbols in floating point are sizes, which are followed as whole numbers: Cast(float) -> Div -> Floor on a
 * symbolic size goes on as an expression where the division leaves nothing. */
static void combine(struct npart__call *call, uint32_t input_count)
{
    enum npart__elementwise which = (enum npart__elementwise)call->row->parameter;
    struct npart__each each = begin_each(call, which);
    for (uint32_t k = 0; k < input_count; k++)
        if (!npart__may_be_known(call, k))
            return;
    /* By the type of the first operand: of Pow and BitShift it decides, of all others both are of one type. */
    if (each.type == NPART__STRING || !npart__type_is_float(each.type)) {
        combine_ints(&each, input_count);
        return;
    }
    if (!npart__has_fractions(each.type) || combine_doubles(&each, input_count))
        return;
    bool has_symbols = false;
    for (uint32_t k = 0; k < input_count; k++) {
        struct npart__numbers numbers;
        has_symbols |= !npart__in_numbers(call, k, &numbers);
    }
    if (has_symbols && which != NPART__EACH_POWER && (which != NPART__EACH_DIVIDE || divides_exactly(call)))
        combine_ints(&each, input_count);
}

/* Before opset 7 these operators broadcast only on request, along `axis`: [2,3,4] + [3] with axis=1. The shape is
 * input 0's, and elements are not followed. Operators that came later (since is 7 or more) and those of other domains
 * broadcast as NumPy does. */
static bool is_old_broadcast(const struct npart__call *call)
{
    return call->node->domain == 0 && call->node->schema && call->node->schema->since < 7;
}

/* Comparisons, IsNaN and the like: the table says which results are bool. */
static void set_truth(struct npart__call *call)
{
    if (npart__element_of((enum npart__elementwise)call->row->parameter)->traits & NPART__IS_TRUTH)
        npart__set_element_type(call, 0, NPART__BOOL);
}

/* Two inputs broadcast. StringConcat and ComplexMul are here for their shapes alone (NONE computes nothing). */
void npart__infer_binary(struct npart__call *call)
{
    set_truth(call);
    if (is_old_broadcast(call))
        npart__set_shape_like(call, 0, npart__in(call, 0));
    else if (broadcast_inputs(call, 2))
        combine(call, 2);
}

/* Sum, Mean, Max, Min: of one operand, that operand. */
void npart__infer_variadic(struct npart__call *call)
{
    uint32_t count = call->node->input_count;
    if (!broadcast_inputs(call, count))
        return;
    if (count == 1)
        npart__pass_elements(call, 0, 0);
    else
        combine(call, count);
}

/* Condition and both operands of a Where. */
static void begin_choice(struct npart__call *call, struct npart__walk walks[3])
{
    for (uint32_t k = 0; k < 3; k++)
        begin_walk(&walks[k], npart__in(call, k), npart__out(call, 0));
}

/* Which of two operands each element of a Where is; false when one of the operands is not known. Where both have the
 * same element, it does not matter what the condition is; else a symbolic condition makes it some number, which is not
 * negative where neither of the two is. */
static bool choose_ints(struct npart__call *call, int64_t *result, uint32_t count)
{
    struct npart__walk walks[3];
    uint32_t known;
    const int64_t *condition = npart__in_ints(call, 0, &known), *yes = npart__in_ints(call, 1, &known),
                  *no = npart__in_ints(call, 2, &known);
    if (!condition || !yes || !no || !result)
        return false;
    begin_choice(call, walks);
    for (uint32_t i = 0; i < count; i++) {
        int64_t chosen = condition[walk_on(&walks[0])], a = yes[walk_on(&walks[1])], b = no[walk_on(&walks[2])];
        if (npart__is_number(chosen) || npart__same(a, b)) {
            result[i] = chosen || npart__same(a, b) ? a : b;
            continue;
        }
        int64_t least_a = npart__lower_bound(call->pool, a), least_b = npart__lower_bound(call->pool, b);
        result[i] = npart__fresh_number(call->pool, least_a < least_b ? least_a : least_b);
    }
    return true;
}

/* The same of fractions, where no operand may have a symbol. Of a -0 of the first operand, ONNX Runtime makes 0. */
static void choose_doubles(struct npart__call *call, uint32_t count)
{
    struct npart__numbers condition, yes, no;
    struct npart__walk walks[3];
    if (!npart__in_numbers(call, 0, &condition) || !npart__in_numbers(call, 1, &yes) ||
        !npart__in_numbers(call, 2, &no))
        return;
    double *numbers = npart__new_doubles(call, count);
    begin_choice(call, walks);
    for (uint32_t i = 0; numbers && i < count; i++) {
        bool chosen = npart__number_at(&condition, walk_on(&walks[0])) != 0;
        uint32_t of_yes = walk_on(&walks[1]), of_no = walk_on(&walks[2]);
        numbers[i] = chosen ? npart__number_at(&yes, of_yes) : npart__number_at(&no, of_no);
        /* -0.0 + 0.0 is 0.0, and anything + -0.0 stays as it is. */
        numbers[i] += chosen ? 0.0 : -0.0;
    }
    npart__set_numbers(call, 0, numbers, count, yes.error > no.error ? yes.error : no.error);
}

/* Where: condition, X, Y broadcast together: bool[3,1] [4] [] -> [3,4]. */
void npart__infer_where(struct npart__call *call)
{
    uint32_t count;
    npart__set_type_like(call, 0, 1);
    if (!broadcast_inputs(call, 3) || !npart__small_count(call, npart__out(call, 0), &count))
        return;
    for (uint32_t k = 0; k < 3; k++)
        if (!npart__may_be_known(call, k) || !npart__is_static(npart__in(call, k)))
            return;
    int64_t *result = npart__new_ints(call, count);
    /* Whole numbers first, whatever the type: sizes that went through float are kept as such. */
    if (choose_ints(call, result, count))
        npart__set_ints(call, 0, result, count);
    else if (npart__has_fractions(npart__out(call, 0)->element_type))
        choose_doubles(call, count);
}

/* ---- one input ------------------------------------------------------------------------------------------- */

/* Shaped like input 0. The parameter is the result's element type where the schema does not tell it. Of an operator
 * that a runtime has at more opsets than ONNX, there is no schema: then the type stays too. */
void npart__infer_same(struct npart__call *call)
{
    npart__set_shape_like(call, 0, npart__in(call, 0));
    if (!call->node->schema)
        npart__set_type_like(call, 0, 0);
    if (call->row->parameter)
        npart__set_element_type(call, 0, call->row->parameter);
}

/* Output 0 is shaped like the input that the parameter names. */
void npart__infer_like(struct npart__call *call)
{
    npart__set_shape_like(call, 0, npart__in(call, (uint32_t)call->row->parameter));
}

/* Shaped like the input, with its elements computed where they are known. */
void npart__infer_unary(struct npart__call *call)
{
    npart__set_shape_like(call, 0, npart__in(call, 0));
    if (!call->node->schema)
        npart__set_type_like(call, 0, 0);
    set_truth(call);
    combine(call, 1);
}

/* PRelu: the second input broadcasts to the first, which alone decides the shape. [1,16,8,8] with slopes [16,1,1].
 * Elements are computed only where the slopes fit without doubt. */
void npart__infer_slope(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0), *slope = npart__in(call, 1);
    npart__set_shape_like(call, 0, in);
    if (is_old_broadcast(call) || !in->has_rank || !slope->has_rank || slope->rank > in->rank)
        return;
    for (uint32_t i = 0; i < slope->rank; i++) {
        int64_t own = slope->dims[i], size = in->dims[in->rank - slope->rank + i];
        /* Equal handles or numbers; symbols that differ are not known to fit. */
        if (own == 1 || own == size)
            continue;
        if (npart__is_number(own) && npart__is_number(size))
            npart__contradiction(call, "a slope of size %lld does not broadcast to %lld", (long long)own,
                                 (long long)size);
        return;
    }
    combine(call, 2);
}

/* A bound of Clip: an input from version 11 on, an attribute before. False when it is given and not known. Without one,
 * *bound stays as it is. */
static bool read_bound(const struct npart__call *call, uint32_t index, const char *attribute, double *bound)
{
    uint32_t count;
    if (npart__has_input(call, index))
        return npart__in_doubles(call, index, bound, 1, &count) && count == 1;
    *bound = (double)npart__float_attribute(call, attribute, (float)*bound);
    return true;
}

/* TensorFlow's SAME padding, as exporters write it for dynamic axes, computes its pads in floats and bounds them by
 * Clip at 0; without these elements every size after it would be unknown. */
static void clip_doubles(struct npart__call *call)
{
    struct npart__numbers numbers;
    double low = -INFINITY, high = INFINITY;
    if (!npart__may_be_known(call, 0) || !npart__has_fractions(npart__in(call, 0)->element_type) ||
        !npart__in_numbers(call, 0, &numbers) || !read_bound(call, 1, "min", &low) ||
        !read_bound(call, 2, "max", &high))
        return;
    double *clipped = npart__new_doubles(call, numbers.count);
    for (uint32_t i = 0; clipped && i < numbers.count; i++) {
        double number = npart__number_at(&numbers, i);
        if (!isfinite(number) || isnan(low) || isnan(high))
            return; /* without a bound, runtimes take the largest number */
        number = number < low ? low : number;
        clipped[i] = number > high ? high : number;
    }
    npart__set_numbers(call, 0, clipped, numbers.count, numbers.error);
}

/* Clip: of whole numbers, symbols too, it is max and min of expressions. */
void npart__infer_clip(struct npart__call *call)
{
    uint32_t count, low_count, high_count;
    npart__set_shape_like(call, 0, npart__in(call, 0));
    const int64_t *ints = npart__in_ints(call, 0, &count), *low = npart__in_ints(call, 1, &low_count),
                  *high = npart__in_ints(call, 2, &high_count);
    /* Also of whole numbers in floating point: bounds may be fractions. */
    if (!npart__type_is_integer(npart__in(call, 0)->element_type)) {
        clip_doubles(call);
        return;
    }
    /* A bound that is there and not known leaves all elements unknown. */
    if (!ints || (npart__has_input(call, 1) && !low) || (npart__has_input(call, 2) && !high))
        return;
    int64_t *result = npart__new_ints(call, count);
    for (uint32_t i = 0; result && i < count; i++) {
        result[i] = low && low_count == 1 ? npart__maximum(call->pool, ints[i], low[0]) : ints[i];
        result[i] = high && high_count == 1 ? npart__minimum(call->pool, result[i], high[0]) : result[i];
    }
    npart__set_ints(call, 0, result, count);
}

/* ---- shaped like the input ------------------------------------------------------------------------------- */

/* In training (input 2 since opset 12; before opset 7, unless is_test says otherwise) it changes the numbers; else it
 * is an identity. The mask is bool since opset 10. */
void npart__infer_dropout(struct npart__call *call)
{
    int since = call->node->schema ? call->node->schema->since : 0;
    bool trains = since < 7 ? npart__int_attribute(call, "is_test", 0) == 0 : npart__in_number(call, 2, 0) != 0;
    npart__infer_unary(call);
    if (trains)
        npart__out(call, 0)->known = NULL;
    npart__set_shape_like(call, 1, npart__in(call, 0));
    if (since >= 10)
        npart__set_element_type(call, 1, NPART__BOOL);
}

/* EyeLike, RandomNormalLike, Bernoulli: the shape is the input's, the type attribute dtype or else the input's. */
void npart__infer_like_input(struct npart__call *call)
{
    npart__set_shape_like(call, 0, npart__in(call, 0));
    npart__set_known_type(call, 0, npart__int_attribute(call, "dtype", npart__in(call, 0)->element_type));
}
