/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers of a tensor's elements, and how its type rounds them. All arithmetic on fractions is done in double and
 * rounded to the element type after each step, which gives what a kernel of that type gives: +, -, *, / and sqrt of two
 * float32 in double, rounded once more, are the float32 results.
 */
#include "infer/numbers.h"

#include <math.h>

#include "infer/driver.h"

/* Asked before npart__in_numbers and the like by operators with several operands: one that cannot be known saves
 * reading the others, which may have thousands of elements. */
bool npart__may_be_known(const struct npart__call *call, uint32_t index)
{
    if (!npart__has_input(call, index))
        return false;
    const struct npart__fact *fact = npart__in(call, index);
    return fact->known || (fact->tensor && !fact->is_read && npart__may_read(call->inference, fact->tensor));
}

/* Nothing is copied: what is known is shared, and belongs to the inference. */
bool npart__in_numbers(const struct npart__call *call, uint32_t index, struct npart__numbers *out)
{
    if (!npart__has_input(call, index))
        return false;
    struct npart__fact *fact = npart__in(call, index);
    const struct npart__known *known = npart__is_static(fact) ? npart__elements(call->inference, fact) : NULL;
    if (!known)
        return false;
    *out = (struct npart__numbers){
        .count = known->count, .ints = known->ints, .doubles = known->doubles, .error = known->error};
    for (uint32_t i = 0; known->ints && i < known->count; i++)
        if (!npart__is_number(known->ints[i]))
            return false;
    return true;
}

/* The numbers are not zeroed. Past the limit it is NULL without a failure, as with npart__new_ints. */
double *npart__new_doubles(const struct npart__call *call, uint32_t count)
{
    if (!npart__may_follow(call->inference, count, npart__most_computed(call->inference)))
        return NULL;
    npart__count_elements(call->inference, count);
    double *doubles = npart__arena_allocate(call->arena, (count + (size_t)1) * sizeof *doubles);
    if (!doubles)
        call->pool->failed = true;
    return doubles;
}

/* ---- types ----------------------------------------------------------------------------------------------- */

/* Digits of the significand, the hidden one too, and the exponent of the smallest normal number. */
struct precision {
    int digits, least_exponent;
};

/* Of any type that is not named here it is what float64 has; callers ask for types with fractions. */
static struct precision precision_of(int element_type)
{
    switch (element_type) {
    case NPART__FLOAT16:
        return (struct precision){11, -14};
    case NPART__BFLOAT16:
        return (struct precision){8, -126};
    case NPART__FLOAT:
        return (struct precision){24, -126};
    default:
        return (struct precision){53, -1022};
    }
}

/* A whole number of so many binary digits is one of the type: up to 2**24 in float32. */
int npart__digits_of(int element_type)
{
    return precision_of(element_type).digits;
}

/* float16, bfloat16, float32 and float64. */
bool npart__has_fractions(int element_type)
{
    return npart__type_is_float(element_type) && npart__type_bits(element_type) >= 16;
}

/* The distance of neighbours at 1.5: 2**-23 in float32, 2**-10 in float16. Below the smallest normal number it stays as
 * it is there; of what is not finite, it is that of 0. */
double npart__unit_at(int element_type, double number)
{
    struct precision precision = precision_of(element_type);
    int exponent = 0;
    if (number == 0 || !isfinite(number))
        exponent = precision.least_exponent;
    else
        (void)frexp(number, &exponent); /* 0.5 <= fraction < 1 */
    if (exponent - 1 < precision.least_exponent)
        exponent = precision.least_exponent + 1;
    /* frexp() gives 1.5 as 0.75 * 2**1, so in float32 this is 2**(1 - 24). */
    return ldexp(1, exponent - precision.digits);
}

/* The nearest number of the type, halves to even. Runtimes convert to 16 bits by way of 32, so that is rounded twice
 * here too. Past the largest number it is infinite: 65504 for float16, 2**128 for bfloat16. `volatile` keeps the
 * compiler from leaving the number in a wider register. */
double npart__round_number(int element_type, double number)
{
    if (npart__type_bits(element_type) == 64 || !isfinite(number))
        return number;
    volatile float single = (float)number; /* not kept in a wider register */
    double rounded = (double)single;
    if (element_type == NPART__FLOAT || !isfinite(rounded))
        return rounded;
    /* In units of the type, the number is rounded to a whole one. */
    double unit = npart__unit_at(element_type, rounded), whole = rounded / unit, down = floor(whole);
    bool goes_up = whole - down > 0.5 || (whole - down == 0.5 && fmod(down, 2) != 0);
    double result = (goes_up ? down + 1 : down) * unit;
    if (element_type == NPART__FLOAT16 && fabs(result) > 65504)
        return number > 0 ? INFINITY : -INFINITY;
    if (element_type == NPART__BFLOAT16 && fabs(result) >= ldexp(1, 128))
        return number > 0 ? INFINITY : -INFINITY;
    return copysign(result, number);
}

/* fma() computes a * b - product with one rounding, so it is 0 only where nothing was lost. The product must be one
 * of the type as well: in float16, 3 * 683 is 2049, which it lacks. */
bool npart__is_exact_product(int element_type, double a, double b, double product)
{
    return fma(a, b, -product) == 0 && npart__round_number(element_type, product) == product;
}

double npart__close_error(int element_type, double number)
{
    /* 16 bits are computed with 32, and only the result is rounded; 64 here and there with 32, too. */
    bool is_short = npart__type_bits(element_type) == 16;
    double units = is_short ? 2 : NPART__CLOSE_UNITS;
    element_type = is_short ? element_type : NPART__FLOAT;
    double of_number = npart__unit_at(element_type, number), of_one = npart__unit_at(element_type, 1);
    return units * (of_number + of_one);
}

/* The function is monotone, so where both ends agree, all between does. A NaN that may be off is not followed. */
bool npart__same_within(double (*function)(double), double number, double error, double *out)
{
    *out = function(number);
    return isnan(number) ? error == 0 : function(number - error) == *out && function(number + error) == *out;
}

/* ---- results --------------------------------------------------------------------------------------------- */

/* Whole numbers that the type has all of are set as such, which later steps can follow exactly: a size that went
 * through float is a size again. What may be off stays a double, even if it is whole by chance. */
void npart__set_numbers(const struct npart__call *call, uint32_t output, double *doubles, uint32_t count,
                        double error)
{
    int type = npart__out(call, output)->element_type;
    bool all_whole = error == 0;
    /* Also where the error is NaN. Fractions of types that are not followed (8 bits and less) are dropped. */
    if (!doubles || !(error < (double)INFINITY) || (npart__type_is_float(type) && !npart__has_fractions(type)))
        return;
    for (uint32_t i = 0; i < count; i++) {
        doubles[i] = npart__type_is_float(type) ? npart__round_number(type, doubles[i]) : doubles[i];
        all_whole = all_whole && npart__is_whole(doubles[i]);
    }
    if (!all_whole) {
        if (npart__type_is_float(type))
            npart__set_doubles(call, output, doubles, count, error);
        return;
    }
    int64_t *ints = npart__new_ints(call, count);
    for (uint32_t i = 0; ints && i < count; i++)
        ints[i] = (int64_t)doubles[i];
    npart__set_ints(call, output, ints, count);
    /* Of so many, the doubles are worth giving back, as the whole numbers took their place. */
    if (count > NPART__LIMIT_COMPUTED_ELEMENTS)
        npart__arena_release(call->arena, doubles);
}

/* Rounded once: a model without its weights fills millions of elements so. */
void npart__set_filled(const struct npart__call *call, uint32_t output, double number, uint32_t count)
{
    int type = npart__out(call, output)->element_type;
    bool is_float = npart__type_is_float(type);
    if (is_float && !npart__has_fractions(type))
        return;
    number = is_float ? npart__round_number(type, number) : number;
    if (npart__is_whole(number)) {
        int64_t *ints = npart__new_ints(call, count);
        for (uint32_t i = 0; ints && i < count; i++)
            ints[i] = (int64_t)number;
        npart__set_ints(call, output, ints, count);
    } else if (is_float) {
        double *doubles = npart__new_doubles(call, count);
        for (uint32_t i = 0; doubles && i < count; i++)
            doubles[i] = number;
        npart__set_doubles(call, output, doubles, count, 0);
    }
}
