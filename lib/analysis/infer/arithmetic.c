/* SPDX-License-Identifier: Apache-2.0
 *
 * What elementwise.def names, on one element: whole numbers, possibly symbolic, or fractions, which the caller rounds.
 *
 * Functions of whole numbers serve sizes, so they take and give expressions: Add of `sequence` and 1 is `sequence + 1`.
 * Where a symbol leaves the result undecided (Sign of a symbol, And of two), it is a fresh one: some unknown number.
 * Functions of fractions compute in double; where runtimes may differ in more than the last digits, they set
 * `is_unknown`.
 */
#include <math.h>

#include "infer/arithmetic.h"

/* Up to here a double has all whole numbers. */
#define MOST_EXACT 9007199254740992

/* ---- whole numbers --------------------------------------------------------------------------------------- */

/* A function of one or two whole numbers, a and b, that may use the pool. */
#define WHOLE(name, expression)                                                                                        \
    static int64_t name(struct npart__each *each, int64_t a, int64_t b)                                                \
    {                                                                                                                  \
        struct npart__expressions *pool = each->call->pool;                                                            \
        (void)pool, (void)a, (void)b;                                                                                  \
        return expression;                                                                                             \
    }
/* Ceil, Floor and Round of whole numbers, and Dropout, which passes them on. */
WHOLE(same, a)
WHOLE(add, npart__sum(pool, a, b))
WHOLE(subtract, npart__difference(pool, a, b))
WHOLE(multiply, npart__product(pool, a, b))
/* Neg and Abs of INT64_MIN do not fit, so they are fresh symbols. */
WHOLE(negate, npart__product(pool, a, -1))
WHOLE(maximum, npart__maximum(pool, a, b))
WHOLE(minimum, npart__minimum(pool, a, b))
/* Of a symbol it is not told, not even of one that is at least 1. */
WHOLE(sign, npart__is_number(a) ? (a > 0) - (a < 0) : npart__fresh_number(pool, npart__lower_bound(pool, a)))

/* Integer division rounds toward zero in ONNX, down for us: -7 / 2 is -3, floor(-7 / 2) is -4. What is computed of
 * sizes is taken for one although it may be below 0, as n - 1; of a size there is no difference. Of what may be any
 * number there is, so only what nothing is left of is known. */
static int64_t divide(struct npart__each *each, int64_t a, int64_t b)
{
    struct npart__expressions *pool = each->call->pool;
    if (npart__is_number(a) && npart__is_number(b) && b != 0 && (a < 0) != (b < 0) && a % b != 0)
        return npart__as_number(a / b);
    if (!npart__is_number(a) && b == INT64_MIN) /* it has no magnitude */
        return npart__fresh_number(pool, INT64_MIN);
    if (!npart__is_number(a) && npart__is_number(b) && b < 0)
        return npart__product(pool, divide(each, a, -b), -1);
    /* A symbol that is certain to be at most 0 is divided by its magnitude. Of numbers that case is done above. */
    int64_t negated = npart__is_number(a) ? a : npart__product(pool, a, -1);
    if (npart__is_number(b) && !npart__is_number(a) && npart__lower_bound(pool, negated) >= 0)
        return npart__product(pool, npart__floor_quotient(pool, negated, b), -1);
    int64_t exact;
    if (!npart__is_number(a) && npart__lower_bound(pool, a) == INT64_MIN)
        return npart__exact_quotient(pool, a, b, &exact) ? exact : npart__fresh_number(pool, INT64_MIN);
    return npart__floor_quotient(pool, a, b);
}

/* Mod: with fmod=0 the result has the sign of the divisor, with fmod=1 that of the dividend. -7 mod 3 is 2 or -1. */
static int64_t modulo(struct npart__each *each, int64_t a, int64_t b)
{
    struct npart__expressions *pool = each->call->pool;
    bool truncates = npart__int_attribute(each->call, "fmod", 0) != 0, is_far = a > MOST_EXACT || a < -MOST_EXACT;
    if (b == 0 || (truncates && npart__is_number(a) && is_far)) /* runtimes compute it with doubles */
        return npart__fresh_number(pool, INT64_MIN);
    int64_t quotient = truncates ? divide(each, a, b) : npart__floor_quotient(pool, a, b);
    return npart__difference(pool, a, npart__product(pool, quotient, b));
}

/* Pow with a whole exponent, as repeated products: of a symbol s, s**2 is the expression s*s. */
static int64_t power(struct npart__each *each, int64_t a, int64_t b)
{
    int64_t result = 1;
    /* 2**63 does not fit, and a negative exponent makes fractions. */
    if (!npart__is_number(b) || b < 0 || b > 62)
        return npart__fresh_number(each->call->pool, npart__lower_bound(each->call->pool, a));
    for (int64_t i = 0; i < b; i++)
        result = npart__product(each->call->pool, result, a);
    bool is_far = npart__is_number(result) && (result > MOST_EXACT || result < -MOST_EXACT);
    return is_far ? npart__fresh_number(each->call->pool, INT64_MIN) : result; /* runtimes compute it with doubles */
}

/* Relu, Abs and PRelu on whole numbers: what is below 0 is multiplied by b. A symbol of at least 0, as all sizes are,
 * stays; of one that may be below, the result is not known, but for its sign where b turns that round. */
static int64_t slope(struct npart__each *each, int64_t a, int64_t b)
{
    struct npart__expressions *pool = each->call->pool;
    if (npart__lower_bound(pool, a) >= 0)
        return a;
    bool is_never_negative = npart__is_number(b) && b <= 0;
    return npart__is_number(a) ? npart__product(pool, a, b)
                               : npart__fresh_number(pool, is_never_negative ? 0 : INT64_MIN);
}

WHOLE(relu, slope(each, a, 0))
WHOLE(absolute, slope(each, a, -1))

/* ---- truth values and bits ------------------------------------------------------------------------------- */

/* Any number but 0 is true, as in C; a bool has only 0 and 1. */
WHOLE(logical_not, npart__is_number(a) ? a == 0 : npart__fresh_symbol(pool))
WHOLE(logical_xor, npart__is_number(a) && npart__is_number(b) ? !a != !b : npart__fresh_symbol(pool))

/* One operand that is false decides, whatever the other is. */
static int64_t logical_and(struct npart__each *each, int64_t a, int64_t b)
{
    if (a == 0 || b == 0)
        return 0;
    return npart__is_number(a) && npart__is_number(b) ? 1 : npart__fresh_symbol(each->call->pool);
}

/* One operand that is true decides. A symbol does not, whatever its bounds are. */
static int64_t logical_or(struct npart__each *each, int64_t a, int64_t b)
{
    if ((npart__is_number(a) && a != 0) || (npart__is_number(b) && b != 0))
        return 1;
    return a == 0 && b == 0 ? 0 : npart__fresh_symbol(each->call->pool);
}

/* The bits of a number as wide as its type. */
static int64_t keep_bits(const struct npart__each *each, uint64_t bits)
{
    unsigned width = npart__type_bits(each->type);
    if (width == 0 || width >= 64)
        return npart__as_number((int64_t)bits);
    return npart__as_number((int64_t)(bits & ((UINT64_C(1) << width) - 1)));
}

/* Of n bits, ~a is 2**n - 1 - a for unsigned types and -1 - a for signed ones. */
static int64_t bitwise_not(struct npart__each *each, int64_t a, int64_t b)
{
    (void)b;
    if (!npart__is_number(a))
        return npart__fresh_number(each->call->pool, INT64_MIN);
    return npart__type_name(each->type)[0] == 'u' ? keep_bits(each, ~(uint64_t)a) : npart__as_number(-1 - a);
}

/* Signed numbers are kept with their sign, so these need no width. */
#define BITS(bits)                                                                                                     \
    (npart__is_number(a) && npart__is_number(b) ? npart__as_number(bits) : npart__fresh_number(pool, INT64_MIN))
WHOLE(bitwise_and, BITS(a & b))
WHOLE(bitwise_or, BITS(a | b))
WHOLE(bitwise_xor, BITS(a ^ b))

/* BitShift, which ONNX has for unsigned types only. A shift by the width and more is undefined in C, so no
 * result is promised. */
static int64_t shift(struct npart__each *each, int64_t a, int64_t b)
{
    bool are_numbers = npart__is_number(a) && npart__is_number(b);
    if (!are_numbers || a < 0 || b < 0 || b >= (int64_t)npart__type_bits(each->type))
        return npart__fresh_number(each->call->pool, INT64_MIN);
    bool goes_left = strcmp(npart__string_attribute(each->call, "direction", ""), "LEFT") == 0;
    return goes_left ? keep_bits(each, (uint64_t)a << b) : a >> b;
}

/* ---- comparisons ----------------------------------------------------------------------------------------- */

enum comparison { EQUAL, GREATER, GREATER_OR_EQUAL };

/* 1, 0, or a fresh symbol where it depends on the symbols. `sequence` is at least 1, so sequence + 1 > 1 is 1, and
 * Equal(sequence, 0) is 0; that decides the conditions of Where and If that exporters put round special cases. */
static int64_t compare(struct npart__expressions *pool, int64_t a, int64_t b, enum comparison kind)
{
    bool includes_equality = kind != GREATER;
    if (npart__is_number(a) && npart__is_number(b))
        return kind == EQUAL ? a == b : a > b || (a == b && includes_equality);
    /* Equal expressions are one handle, so they are equal whatever their symbols are. */
    if (npart__same(a, b))
        return includes_equality;
    int64_t excess = npart__difference(pool, a, b), lack = npart__product(pool, excess, -1);
    int64_t least_excess = npart__lower_bound(pool, excess), least_lack = npart__lower_bound(pool, lack);
    /* Different for good where one is above the other whatever the symbols are. */
    if (kind == EQUAL)
        return least_excess > 0 || least_lack > 0 ? 0 : npart__fresh_symbol(pool);
    if (least_excess >= (includes_equality ? 0 : 1))
        return 1;
    return least_lack >= (includes_equality ? 1 : 0) ? 0 : npart__fresh_symbol(pool);
}

WHOLE(compare_equal, compare(pool, a, b, EQUAL))
WHOLE(compare_greater, compare(pool, a, b, GREATER))
WHOLE(compare_greater_or_equal, compare(pool, a, b, GREATER_OR_EQUAL))
/* a < b is b > a. */
WHOLE(compare_less, compare(pool, b, a, GREATER))
WHOLE(compare_less_or_equal, compare(pool, b, a, GREATER_OR_EQUAL))

/* ---- fractions ------------------------------------------------------------------------------------------- */

/* A function of one or two fractions, as the operator's text in ONNX has it. Attributes are each->first and
 * each->second, in the order of elementwise.def. */
#define FRACTION(name, expression)                                                                                     \
    static double name(struct npart__each *each, double a, double b)                                                   \
    {                                                                                                                  \
        (void)each, (void)a, (void)b;                                                                                  \
        return expression;                                                                                             \
    }
FRACTION(same_fraction, a)
FRACTION(absolute_fraction, fabs(a))
FRACTION(ceil_fraction, ceil(a))
FRACTION(floor_fraction, floor(a))
FRACTION(negate_fraction, -a)
FRACTION(add_fractions, a + b)
FRACTION(subtract_fractions, a - b)
FRACTION(multiply_fractions, a *b)
FRACTION(divide_fractions, a / b)
FRACTION(reciprocal, 1 / a)
FRACTION(square_root, sqrt(a))
/* By IEEE 754, as in C: NaN equals nothing, and each comparison with it is 0; -0 equals 0. */
FRACTION(equal_fractions, a == b)
FRACTION(greater_fraction, a > b)
FRACTION(greater_or_equal_fraction, a >= b)
FRACTION(less_fraction, a < b)
FRACTION(less_or_equal_fraction, a <= b)
FRACTION(is_no_number, isnan(a) != 0)
FRACTION(leaky_relu, a < 0 ? a * each->first : a)
FRACTION(thresholded_relu, a > each->first ? a : 0)
FRACTION(shrink, a < -each->first ? a + each->second : a > each->first ? a - each->second : 0)
/* Out of their domains these are NaN, as in runtimes. */
FRACTION(arc_cosine, acos(a))
FRACTION(arc_sine, asin(a))
FRACTION(arc_tangent, atan(a))
FRACTION(area_cosine, acosh(a))
FRACTION(area_sine, asinh(a))
FRACTION(area_tangent, atanh(a))
FRACTION(cosine, cos(a))
FRACTION(sine, sin(a))
FRACTION(tangent, tan(a))
FRACTION(hyperbolic_cosine, cosh(a))
FRACTION(hyperbolic_sine, sinh(a))
FRACTION(hyperbolic_tangent, tanh(a))
FRACTION(error_function, erf(a))
FRACTION(exponential, exp(a))
FRACTION(logarithm, log(a))
FRACTION(sigmoid, 1 / (1 + exp(-a)))
/* log(1 + exp(a)) would overflow for large a, so the larger of the two terms is taken out. */
FRACTION(softplus, a > 0 ? a + log1p(exp(-a)) : log1p(exp(a)))
FRACTION(softsign, a / (1 + fabs(a)))
/* expm1(a) is exp(a) - 1 without the digits that the difference loses near 0. */
FRACTION(elu, a < 0 ? each->first * expm1(a) : a)
FRACTION(celu, a < 0 ? each->first * expm1(a / each->first) : a)
/* Selu lists alpha before gamma; gamma is the factor of the whole. */
FRACTION(selu, each->second * (a > 0 ? a : each->first * expm1(a)))
FRACTION(hard_sigmoid, fmax(0, fmin(1, each->first * a + each->second)))
/* The standard fixes alpha = 1/6 and beta = 0.5 here. */
FRACTION(hard_swish, a *fmax(0, fmin(1, a / 6 + 0.5)))
FRACTION(mish, a *tanh(softplus(each, a, 0)))
/* Swish (opset 24): a * sigmoid(alpha * a). */
FRACTION(swish, a / (1 + exp(-each->first * a)))

/* The two forms of Gelu: 0.5 * a * (1 + erf(a / sqrt(2))), and with approximate="tanh" the one with sqrt(2 / pi), which
 * is the first constant. */
static double gelu(struct npart__each *each, double a, double b)
{
    (void)b;
    if (strcmp(npart__string_attribute(each->call, "approximate", "none"), "tanh") == 0)
        return 0.5 * a * (1 + tanh(0.7978845608028654 * (a + 0.044715 * a * a * a)));
    return 0.5 * a * (1 + erf(a / 1.4142135623730951));
}

/* Here and in the next two functions: of NaN, and of slopes that are not finite, runtimes differ. */
static double sign_fraction(struct npart__each *each, double a, double b)
{
    (void)b;
    each->is_unknown |= isnan(a) != 0;
    return (a > 0) - (a < 0);
}

static double parametric_relu(struct npart__each *each, double a, double b)
{
    each->is_unknown |= !isfinite(b);
    return a < 0 ? a * b : a;
}

static double relu_fraction(struct npart__each *each, double a, double b)
{
    (void)b;
    each->is_unknown |= isnan(a) != 0;
    return a > 0 ? a : 0;
}

/* Halves go to the even neighbour: 2.5 to 2, 3.5 to 4. (rint() would follow the rounding mode that the
 * calling program has set.) From 2**52 on every double is whole. */
static double round_fraction(struct npart__each *each, double a, double b)
{
    (void)each, (void)b;
    if (!(fabs(a) < 4503599627370496.0))
        return a;
    double whole = floor(a), rest = a - whole;
    bool goes_up = rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0);
    return copysign(goes_up ? whole + 1 : whole, a);
}

/* Runtimes differ in which of NaN and a number, or of 0 and -0, they take. */
static bool is_open(double a, double b)
{
    return isnan(a) || isnan(b) || (a == 0 && b == 0 && !signbit(a) != !signbit(b));
}

static double maximum_fraction(struct npart__each *each, double a, double b)
{
    each->is_unknown |= is_open(a, b);
    return a > b ? a : b;
}

static double minimum_fraction(struct npart__each *each, double a, double b)
{
    each->is_unknown |= is_open(a, b);
    return a < b ? a : b;
}

/* Of fractions the standard asks for fmod=1. */
static double modulo_fraction(struct npart__each *each, double a, double b)
{
    each->is_unknown |= !npart__int_attribute(each->call, "fmod", 0) || b == 0;
    return b == 0 ? 0 : fmod(a, b);
}

/* Each sign is detected unless its attribute is 0. */
static double is_infinite(struct npart__each *each, double a, double b)
{
    (void)b;
    /* Of NaN it does not matter which one is asked for. */
    const char *sign_name = a > 0 ? "detect_positive" : "detect_negative";
    return isinf(a) && npart__int_attribute(each->call, sign_name, 1);
}

/* What the type can hold exactly, libraries give exactly: 2 ** 0.5 may be off, 2 ** 10 is 1024. A double is so only
 * where base and result are whole. */
static double power_fractions(struct npart__each *each, double a, double b)
{
    double result = pow(a, b);
    bool is_exact = isfinite(result) && npart__type_bits(each->type) < 64
                        ? npart__round_number(each->type, result) == result
                        : fabs(result) < 9007199254740992.0 && floor(result) == result && floor(a) == a;
    each->is_close = !is_exact;
    return result;
}

/* ---- the table ------------------------------------------------------------------------------------------- */

static const struct npart__element elements[] = {
#define ELEMENT(name, ints, doubles, traits, first, first_default, second, second_default)                             \
    [NPART__EACH_##name] = {ints, doubles, traits, first, second, (double)(first_default), (double)(second_default)},
#include "infer/elementwise.def"
};

const struct npart__element *npart__element_of(enum npart__elementwise which)
{
    return &elements[which];
}
