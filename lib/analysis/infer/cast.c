/* SPDX-License-Identifier: Apache-2.0
 *
 * Conversions between element types: Cast, CastLike, BitCast. The shape stays. Elements are converted too, as exporters
 * send sizes through float and back: Shape -> Cast(float) -> Mul -> Floor -> Cast(int64) -> Reshape.
 *
 * What ONNX leaves to the implementation stays unknown: a fraction that the integer type cannot hold, for one.
 */
#include <math.h>

#include "infer/families.h"
#include "infer/numbers.h"

/* A whole number in fewer bits: what does not fit wraps around, 300 as uint8 is 44.
 * Types below 8 bits and of 64 are left as they are: npart__set_ints takes no number that does not fit. */
static int64_t wrap(int element_type, int64_t number)
{
    unsigned bits = npart__type_bits(element_type);
    bool is_unsigned = npart__type_name(element_type)[0] == 'u';
    if (!npart__is_number(number) || !npart__type_is_integer(element_type) || bits < 8 || bits >= 64)
        return number;
    uint64_t kept = (uint64_t)number & ((UINT64_C(1) << bits) - 1);
    return is_unsigned || !(kept >> (bits - 1)) ? (int64_t)kept : (int64_t)kept - (int64_t)(UINT64_C(1) << bits);
}

/* Whole numbers to a floating point type, each by itself, so that it is rounded once: 16777217 as float32 is 16777216.
 * False where one is symbolic; then the caller keeps all as whole numbers, which are sizes. */
static bool ints_to_fractions(struct npart__call *call, int element_type, const int64_t *ints, uint32_t count)
{
    double *numbers = npart__new_doubles(call, count);
    for (uint32_t i = 0; numbers && i < count; i++) {
        if (!npart__is_number(ints[i]))
            return false;
        /* By way of float32 also to 16 bits, which runtimes do, too (see npart__round_number). To float64 it would
         * lose digits. */
        volatile float single = (float)ints[i];
        numbers[i] = element_type == NPART__DOUBLE ? (double)ints[i] : (double)single;
    }
    npart__set_numbers(call, 0, numbers, count, 0);
    return numbers != NULL;
}

/* Elements that are kept as whole numbers, of an integer type or of a float whose elements are all whole. A type of 8
 * bits or less that is floating point gets none: how numbers are rounded to it is not followed. */
static void cast_ints(struct npart__call *call, int element_type, const int64_t *ints, uint32_t count)
{
    bool is_float = npart__type_is_float(npart__in(call, 0)->element_type); /* then what does not fit is anything */
    if (npart__type_is_float(element_type) &&
        (!npart__has_fractions(element_type) || ints_to_fractions(call, element_type, ints, count)))
        return;
    int64_t *result = npart__new_ints(call, count);
    for (uint32_t i = 0; result && i < count; i++) {
        result[i] = is_float ? ints[i] : wrap(element_type, ints[i]);
        /* A symbol may be 0 or not. */
        if (element_type == NPART__BOOL)
            result[i] = npart__is_number(ints[i]) ? ints[i] != 0 : npart__fresh_symbol(call->pool);
    }
    npart__set_ints(call, 0, result, count);
}

static double is_not_zero(double number)
{
    return number != 0;
}

/* Fractions to any type. To an integer, towards zero: -1.7 becomes -1. What the type cannot hold, each machine makes
 * into something else, so nothing is set; nor where the operand may be off so far that the whole number is not
 * certain. */
static void cast_fractions(struct npart__call *call, int element_type, const struct npart__numbers *numbers)
{
    bool is_float = npart__type_is_float(element_type), is_bool = element_type == NPART__BOOL;
    double *converted = npart__new_doubles(call, numbers->count);
    if (!is_float && !is_bool && !npart__type_is_integer(element_type))
        return;
    for (uint32_t i = 0; converted && i < numbers->count; i++) {
        double number = npart__number_at(numbers, i);
        converted[i] = number;
        if (!is_float && !npart__same_within(is_bool ? is_not_zero : trunc, number, numbers->error, &converted[i]))
            return;
        /* NaN compares unequal to 0, so it is true. */
        if (is_bool && isnan(number))
            converted[i] = 1;
        /* Past 2**53 a double is whole, but not each whole number is a double. */
        if (!is_float && !(fabs(converted[i]) <= 9007199254740992.0))
            return;
        converted[i] = is_float || converted[i] != 0 ? converted[i] : 0; /* no -0 of whole numbers */
    }
    npart__set_numbers(call, 0, converted, numbers->count,
                       is_float && numbers->error != 0 ? numbers->error + npart__close_error(element_type, 1) : 0);
}

/* The result of a cast: shape, type, and elements where the operand's are known. */
static void cast_to(struct npart__call *call, int element_type)
{
    uint32_t count;
    struct npart__numbers numbers;
    const struct npart__fact *in = npart__in(call, 0);
    npart__set_shape_like(call, 0, in);
    npart__set_element_type(call, 0, element_type);
    /* Nearly all casts are of activations. */
    if (!npart__may_be_known(call, 0))
        return;
    const int64_t *ints = npart__in_ints(call, 0, &count);
    if (ints)
        cast_ints(call, element_type, ints, count);
    else if (npart__in_numbers(call, 0, &numbers))
        cast_fractions(call, element_type, &numbers);
}

/* An attribute that is absent or names no type leaves the output without a shape, too. */
void npart__infer_cast(struct npart__call *call)
{
    int64_t to = npart__int_attribute(call, "to", 0);
    if (to == 0) { /* opset 1 wrote the type's name */
        const char *name = npart__string_attribute(call, "to", "");
        to = npart__type_number(name, strlen(name));
    }
    if (to > 0 && to <= UINT8_MAX)
        cast_to(call, (int)to);
}

/* The bits stay, so nothing is known of the numbers. */
void npart__infer_bit_cast(struct npart__call *call)
{
    npart__set_shape_like(call, 0, npart__in(call, 0));
    npart__set_known_type(call, 0, npart__int_attribute(call, "to", 0));
}

/* The type of input 1 alone counts; its shape and elements do not. */
void npart__infer_cast_like(struct npart__call *call)
{
    if (npart__in(call, 1)->element_type)
        cast_to(call, npart__in(call, 1)->element_type);
}
