/* SPDX-License-Identifier: Apache-2.0
 *
 * Operators that work element by element: the result has the operands' shape, broadcast; and where the elements
 * are known whole numbers they are computed, since exporters do shape arithmetic with these operators.
 */
#include <math.h>

#include "infer/functions.h"
#include "infer/families.h"

/* ---- known elements -------------------------------------------------------------------------------------- */

/* The index into an operand's elements of element `flat` of a broadcast result. */
static uint32_t broadcast_index(const struct npart__fact *fact, const int64_t *dims, uint32_t rank, uint32_t flat)
{
    uint32_t index = 0, stride = 1;
    for (uint32_t axis = rank; axis-- > 0;) {
        uint32_t at = dims[axis] ? flat % (uint32_t)dims[axis] : 0;
        flat = dims[axis] ? flat / (uint32_t)dims[axis] : 0;
        uint32_t missing = rank - fact->rank;
        if (axis < missing)
            continue;
        uint32_t extent = (uint32_t)fact->dims[axis - missing];
        index += (extent == 1 ? 0 : at) * stride;
        stride *= extent;
    }
    return index;
}

typedef int64_t (*combine_function)(struct npart__call *call, int64_t a, int64_t b);

/* Computes output 0, whose shape is set, from the whole numbers of the inputs, combined from left to right. */
static void combine_ints(struct npart__call *call, combine_function combine, uint32_t input_count)
{
    const struct npart__fact *out = npart__out(call, 0);
    uint32_t count;
    if (!npart__small_count(out, &count))
        return;
    int64_t *result = NULL;
    for (uint32_t k = 0; k < input_count; k++) {
        uint32_t known;
        const int64_t *ints = npart__in_ints(call, k, &known);
        if (!ints || !npart__is_static(npart__in(call, k)))
            return;
        if (!result)
            result = npart__new_ints(call, count);
        for (uint32_t i = 0; result && i < count; i++) {
            int64_t element = ints[broadcast_index(npart__in(call, k), out->dims, out->rank, i)];
            result[i] = k == 0 ? element : combine(call, result[i], element);
        }
    }
    npart__set_ints(call, 0, result, count);
}

/* The same in floating point, where a whole-number result was not possible. */
static void combine_doubles(struct npart__call *call, double (*combine)(double, double))
{
    const struct npart__fact *out = npart__out(call, 0);
    double left[NPART__LIMIT_KNOWN_FLOATS], right[NPART__LIMIT_KNOWN_FLOATS];
    uint32_t count, left_count, right_count;
    if (out->known || !combine || !npart__small_count(out, &count) || count > NPART__LIMIT_KNOWN_FLOATS ||
        !npart__is_static(npart__in(call, 0)) || !npart__is_static(npart__in(call, 1)) ||
        !npart__in_doubles(call, 0, left, NPART__LIMIT_KNOWN_FLOATS, &left_count) ||
        !npart__in_doubles(call, 1, right, NPART__LIMIT_KNOWN_FLOATS, &right_count))
        return;
    double *result = npart__arena_allocate(call->arena, (count + (size_t)1) * sizeof *result);
    if (!result) {
        call->pool->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        result[i] = combine(left[broadcast_index(npart__in(call, 0), out->dims, out->rank, i)],
                            right[broadcast_index(npart__in(call, 1), out->dims, out->rank, i)]);
    npart__set_numbers(call, 0, result, count);
}

/* Rounds to the output's type; false where that is none that a C compiler has. */
static bool round_to_type(int element_type, double *doubles, uint32_t count)
{
    for (uint32_t i = 0; i < count && element_type == NPART__FLOAT; i++) {
        volatile float rounded = (float)doubles[i];
        doubles[i] = (double)rounded;
    }
    return element_type == NPART__FLOAT || npart__type_bits(element_type) == 64;
}

/* Doubles that are all whole become whole numbers, which later steps can follow exactly. */
void npart__set_numbers(struct npart__call *call, uint32_t output, double *doubles, uint32_t count)
{
    bool is_rounded = round_to_type(npart__out(call, output)->element_type, doubles, count);
    int64_t *ints = npart__new_ints(call, count);
    for (uint32_t i = 0; ints && i < count; i++) {
        if (!(fabs(doubles[i]) <= 9007199254740992.0) || doubles[i] != (double)(int64_t)doubles[i]) {
            if (is_rounded)
                npart__set_doubles(call, output, doubles, count);
            return;
        }
        ints[i] = (int64_t)doubles[i];
    }
    npart__set_ints(call, output, ints, count);
}

/* ---- arithmetic ------------------------------------------------------------------------------------------ */

static int64_t add(struct npart__call *call, int64_t a, int64_t b)
{
    return npart__sum(call->pool, a, b);
}

static int64_t subtract(struct npart__call *call, int64_t a, int64_t b)
{
    return npart__difference(call->pool, a, b);
}

static int64_t negate(struct npart__call *call, int64_t a)
{
    return npart__product(call->pool, a, -1);
}

static int64_t multiply(struct npart__call *call, int64_t a, int64_t b)
{
    return npart__product(call->pool, a, b);
}

/* Integer division rounds toward zero in ONNX, down for us. What has no sign for certain is taken for a size. */
static int64_t divide(struct npart__call *call, int64_t a, int64_t b)
{
    if (npart__is_number(a) && npart__is_number(b) && b != 0 && (a < 0) != (b < 0) && a % b != 0)
        return npart__as_number(a / b);
    if (!npart__is_number(a) && npart__is_number(b) && b < 0)
        return negate(call, divide(call, a, -b));
    int64_t negated = npart__is_number(a) ? a : negate(call, a);
    if (npart__is_number(b) && !npart__is_number(a) && npart__lower_bound(call->pool, negated) >= 0)
        return negate(call, npart__floor_quotient(call->pool, negated, b));
    return npart__floor_quotient(call->pool, a, b);
}

static int64_t modulo(struct npart__call *call, int64_t a, int64_t b)
{
    if (b == 0)
        return npart__fresh_symbol(call->pool);
    int64_t quotient = npart__int_attribute(call, "fmod", 0) ? divide(call, a, b)
                                                             : npart__floor_quotient(call->pool, a, b);
    return npart__difference(call->pool, a, npart__product(call->pool, quotient, b));
}

static int64_t maximum(struct npart__call *call, int64_t a, int64_t b)
{
    return npart__maximum(call->pool, a, b);
}

static int64_t minimum(struct npart__call *call, int64_t a, int64_t b)
{
    return npart__minimum(call->pool, a, b);
}

static int64_t power(struct npart__call *call, int64_t a, int64_t b)
{
    int64_t result = 1;
    if (!npart__is_number(b) || b < 0 || b > 62)
        return npart__fresh_symbol(call->pool);
    for (int64_t i = 0; i < b; i++)
        result = npart__product(call->pool, result, a);
    return result;
}

static int64_t logical_and(struct npart__call *call, int64_t a, int64_t b)
{
    if (a == 0 || b == 0)
        return 0;
    return npart__is_number(a) && npart__is_number(b) ? 1 : npart__fresh_symbol(call->pool);
}

static int64_t logical_or(struct npart__call *call, int64_t a, int64_t b)
{
    if ((npart__is_number(a) && a != 0) || (npart__is_number(b) && b != 0))
        return 1;
    return a == 0 && b == 0 ? 0 : npart__fresh_symbol(call->pool);
}

static int64_t logical_xor(struct npart__call *call, int64_t a, int64_t b)
{
    return npart__is_number(a) && npart__is_number(b) ? (a != 0) != (b != 0) : npart__fresh_symbol(call->pool);
}

static double add_doubles(double a, double b)
{
    return a + b;
}

static double subtract_doubles(double a, double b)
{
    return a - b;
}

static double multiply_doubles(double a, double b)
{
    return a * b;
}

static double divide_doubles(double a, double b)
{
    return a / b;
}

static const struct {
    combine_function ints;
    double (*doubles)(double, double);
} binaries[] = {
    [NPART__BINARY_OTHER] = {NULL, NULL},
    [NPART__BINARY_ADD] = {add, add_doubles},
    [NPART__BINARY_SUBTRACT] = {subtract, subtract_doubles},
    [NPART__BINARY_MULTIPLY] = {multiply, multiply_doubles},
    [NPART__BINARY_DIVIDE] = {divide, divide_doubles},
    [NPART__BINARY_MODULO] = {modulo, NULL},
    [NPART__BINARY_POWER] = {power, pow},
    [NPART__BINARY_MAXIMUM] = {maximum, fmax},
    [NPART__BINARY_MINIMUM] = {minimum, fmin},
    [NPART__BINARY_AND] = {logical_and, NULL},
    [NPART__BINARY_OR] = {logical_or, NULL},
    [NPART__BINARY_XOR] = {logical_xor, NULL},
};

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

/* A division of whole numbers that are floats is exact only where it leaves nothing. */
static bool divides_floats(const struct npart__call *call)
{
    return call->row->parameter == NPART__BINARY_DIVIDE && npart__type_is_float(npart__in(call, 0)->element_type);
}

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

/* Before opset 7 these operators broadcast only on request, along `axis`; the shape is input 0's. */
static bool is_old_broadcast(const struct npart__call *call)
{
    return call->node->domain == 0 && call->node->schema && call->node->schema->since < 7;
}

void npart__infer_binary(struct npart__call *call)
{
    if (call->row->parameter >= NPART__BINARY_AND)
        npart__set_element_type(call, 0, NPART__BOOL);
    if (is_old_broadcast(call)) {
        npart__set_shape_like(call, 0, npart__in(call, 0));
        return;
    }
    if (!broadcast_inputs(call, 2))
        return;
    if (binaries[call->row->parameter].ints && (!divides_floats(call) || divides_exactly(call)))
        combine_ints(call, binaries[call->row->parameter].ints, 2);
    combine_doubles(call, binaries[call->row->parameter].doubles);
}

void npart__infer_variadic(struct npart__call *call)
{
    uint32_t count = call->node->input_count;
    if (!broadcast_inputs(call, count))
        return;
    if (binaries[call->row->parameter].ints)
        combine_ints(call, binaries[call->row->parameter].ints, count);
}

/* ---- comparisons ----------------------------------------------------------------------------------------- */

/* 1, 0, or a fresh symbol where it depends. */
static int64_t compare(struct npart__call *call, int64_t a, int64_t b)
{
    enum npart__comparison kind = (enum npart__comparison)call->row->parameter;
    if (npart__is_number(a) && npart__is_number(b)) {
        switch (kind) {
        case NPART__COMPARE_EQUAL:
            return a == b;
        case NPART__COMPARE_GREATER:
            return a > b;
        case NPART__COMPARE_LESS:
            return a < b;
        case NPART__COMPARE_GREATER_OR_EQUAL:
            return a >= b;
        default:
            return a <= b;
        }
    }
    bool includes_equality = kind != NPART__COMPARE_GREATER && kind != NPART__COMPARE_LESS;
    if (npart__same(a, b))
        return includes_equality;
    if (kind == NPART__COMPARE_EQUAL) {
        /* Different for good where one is above the other whatever the symbols are. */
        bool apart = npart__lower_bound(call->pool, npart__difference(call->pool, a, b)) > 0 ||
                     npart__lower_bound(call->pool, npart__difference(call->pool, b, a)) > 0;
        return apart ? 0 : npart__fresh_symbol(call->pool);
    }
    bool wants_greater = kind == NPART__COMPARE_GREATER || kind == NPART__COMPARE_GREATER_OR_EQUAL;
    int64_t excess = wants_greater ? npart__difference(call->pool, a, b) : npart__difference(call->pool, b, a);
    int64_t lack = npart__product(call->pool, excess, -1);
    if (npart__lower_bound(call->pool, excess) >= (includes_equality ? 0 : 1))
        return 1;
    if (npart__lower_bound(call->pool, lack) >= (includes_equality ? 1 : 0))
        return 0;
    return npart__fresh_symbol(call->pool);
}

void npart__infer_compare(struct npart__call *call)
{
    npart__set_element_type(call, 0, NPART__BOOL);
    if (is_old_broadcast(call))
        npart__set_shape_like(call, 0, npart__in(call, 0));
    else if (broadcast_inputs(call, 2))
        combine_ints(call, compare, 2);
}

void npart__infer_where(struct npart__call *call)
{
    uint32_t count, known;
    if (npart__in(call, 1)->element_type)
        npart__set_element_type(call, 0, npart__in(call, 1)->element_type);
    if (!broadcast_inputs(call, 3))
        return;
    const struct npart__fact *out = npart__out(call, 0);
    const int64_t *condition = npart__in_ints(call, 0, &known), *yes = npart__in_ints(call, 1, &known),
                  *no = npart__in_ints(call, 2, &known);
    if (!condition || !yes || !no || !npart__small_count(out, &count))
        return;
    for (uint32_t k = 0; k < 3; k++)
        if (!npart__is_static(npart__in(call, k)))
            return;
    int64_t *result = npart__new_ints(call, count);
    for (uint32_t i = 0; result && i < count; i++) {
        int64_t chosen = condition[broadcast_index(npart__in(call, 0), out->dims, out->rank, i)];
        int64_t a = yes[broadcast_index(npart__in(call, 1), out->dims, out->rank, i)];
        int64_t b = no[broadcast_index(npart__in(call, 2), out->dims, out->rank, i)];
        result[i] = npart__same(a, b) ? a
                    : npart__is_number(chosen) ? (chosen ? a : b)
                                               : npart__fresh_symbol(call->pool);
    }
    npart__set_ints(call, 0, result, count);
}

/* ---- one input ------------------------------------------------------------------------------------------- */

/* The parameter is the result's element type where the schema leaves it open. Of an operator that a runtime has at
 * more opsets than ONNX, there is no schema: then the type stays too. */
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

static int64_t apply_unary(struct npart__call *call, int64_t a)
{
    switch ((enum npart__unary)call->row->parameter) {
    case NPART__UNARY_NEGATE:
        return npart__product(call->pool, a, -1);
    case NPART__UNARY_ABSOLUTE:
    case NPART__UNARY_RELU:
        if (npart__lower_bound(call->pool, a) >= 0)
            return a;
        if (!npart__is_number(a))
            return npart__fresh_symbol(call->pool);
        return call->row->parameter == NPART__UNARY_RELU ? 0 : npart__product(call->pool, a, -1);
    case NPART__UNARY_NOT:
        return npart__is_number(a) ? a == 0 : npart__fresh_symbol(call->pool);
    case NPART__UNARY_SIGN:
        return npart__is_number(a) ? (a > 0) - (a < 0) : npart__fresh_symbol(call->pool);
    default: /* identity, and rounding of whole numbers */
        return a;
    }
}

static double apply_to_double(enum npart__unary kind, double a)
{
    switch (kind) {
    case NPART__UNARY_NEGATE:
        return -a;
    case NPART__UNARY_ABSOLUTE:
        return fabs(a);
    case NPART__UNARY_RELU:
        return a > 0 ? a : 0;
    case NPART__UNARY_SIGN:
        return (a > 0) - (a < 0);
    case NPART__UNARY_FLOOR:
        return floor(a);
    case NPART__UNARY_CEIL:
        return ceil(a);
    case NPART__UNARY_ROUND: { /* halves go to the even neighbour */
        double whole = floor(a), rest = a - whole;
        bool goes_up = rest > 0.5 || (rest == 0.5 && fmod(whole, 2) != 0);
        return goes_up ? whole + 1 : whole;
    }
    default:
        return a;
    }
}

void npart__infer_unary(struct npart__call *call)
{
    uint32_t count;
    npart__set_shape_like(call, 0, npart__in(call, 0));
    if (call->row->parameter == NPART__UNARY_NOT)
        npart__set_element_type(call, 0, NPART__BOOL);
    const int64_t *ints = npart__in_ints(call, 0, &count);
    int64_t *result = ints ? npart__new_ints(call, count) : NULL;
    for (uint32_t i = 0; result && i < count; i++)
        result[i] = apply_unary(call, ints[i]);
    npart__set_ints(call, 0, result, count);
    double numbers[NPART__LIMIT_KNOWN_FLOATS];
    if (ints || !npart__in_doubles(call, 0, numbers, NPART__LIMIT_KNOWN_FLOATS, &count))
        return;
    double *applied = npart__arena_allocate(call->arena, (count + (size_t)1) * sizeof *applied);
    call->pool->failed = call->pool->failed || !applied;
    for (uint32_t i = 0; applied && i < count; i++)
        applied[i] = apply_to_double((enum npart__unary)call->row->parameter, numbers[i]);
    if (applied)
        npart__set_numbers(call, 0, applied, count);
    else
        call->pool->failed = true;
}

/* A bound of Clip: an input from version 11 on, an attribute before. False when it is given and not known. */
static bool read_bound(const struct npart__call *call, uint32_t index, const char *attribute, double *bound)
{
    uint32_t count;
    if (npart__has_input(call, index))
        return npart__in_doubles(call, index, bound, 1, &count) && count == 1;
    *bound = (double)npart__float_attribute(call, attribute, (float)*bound);
    return true;
}

static void clip_doubles(struct npart__call *call)
{
    uint32_t count;
    double numbers[NPART__LIMIT_KNOWN_FLOATS], low = -INFINITY, high = INFINITY;
    if (!npart__in_doubles(call, 0, numbers, NPART__LIMIT_KNOWN_FLOATS, &count) || !read_bound(call, 1, "min", &low) ||
        !read_bound(call, 2, "max", &high))
        return;
    double *clipped = npart__arena_allocate(call->arena, (count + (size_t)1) * sizeof *clipped);
    call->pool->failed = call->pool->failed || !clipped;
    for (uint32_t i = 0; clipped && i < count; i++)
        clipped[i] = fmin(fmax(numbers[i], low), high);
    if (clipped)
        npart__set_numbers(call, 0, clipped, count);
}

void npart__infer_clip(struct npart__call *call)
{
    uint32_t count, low_count, high_count;
    npart__set_shape_like(call, 0, npart__in(call, 0));
    const int64_t *ints = npart__in_ints(call, 0, &count), *low = npart__in_ints(call, 1, &low_count),
                  *high = npart__in_ints(call, 2, &high_count);
    if (!npart__type_is_integer(npart__in(call, 0)->element_type)) {
        clip_doubles(call);
        return;
    }
    if (!ints || (npart__has_input(call, 1) && !low) || (npart__has_input(call, 2) && !high))
        return;
    int64_t *result = npart__new_ints(call, count);
    for (uint32_t i = 0; result && i < count; i++) {
        result[i] = low && low_count == 1 ? npart__maximum(call->pool, ints[i], low[0]) : ints[i];
        result[i] = high && high_count == 1 ? npart__minimum(call->pool, result[i], high[0]) : result[i];
    }
    npart__set_ints(call, 0, result, count);
}

/* ---- casts ----------------------------------------------------------------------------------------------- */

static void cast_to(struct npart__call *call, int element_type)
{
    uint32_t count;
    const struct npart__fact *in = npart__in(call, 0);
    npart__set_shape_like(call, 0, in);
    npart__set_element_type(call, 0, element_type);
    const int64_t *ints = npart__in_ints(call, 0, &count);
    if (ints && element_type != NPART__BOOL) {
        npart__set_ints(call, 0, ints, count);
        return;
    }
    int64_t *result = npart__new_ints(call, count);
    for (uint32_t i = 0; ints && result && i < count; i++)
        result[i] = npart__is_number(ints[i]) ? ints[i] != 0 : npart__fresh_symbol(call->pool);
    if (ints)
        npart__set_ints(call, 0, result, count);
    double numbers[NPART__LIMIT_KNOWN_FLOATS];
    if (ints || !npart__in_doubles(call, 0, numbers, NPART__LIMIT_KNOWN_FLOATS, &count))
        return;
    double *converted = npart__arena_allocate(call->arena, (count + (size_t)1) * sizeof *converted);
    if (!converted) {
        call->pool->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (element_type == NPART__BOOL)
            converted[i] = numbers[i] != 0;
        else
            converted[i] = npart__type_is_float(element_type) ? numbers[i] : trunc(numbers[i]);
    }
    npart__set_numbers(call, 0, converted, count);
}

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
    int64_t to = npart__int_attribute(call, "to", 0);
    npart__set_shape_like(call, 0, npart__in(call, 0));
    if (to > 0 && to <= UINT8_MAX)
        npart__set_element_type(call, 0, (int)to);
}

void npart__infer_cast_like(struct npart__call *call)
{
    if (npart__in(call, 1)->element_type)
        cast_to(call, npart__in(call, 1)->element_type);
}

/* ---- shaped like the input ------------------------------------------------------------------------------- */

/* In training it changes the numbers. */
void npart__infer_dropout(struct npart__call *call)
{
    uint32_t count;
    const int64_t *trains = npart__in_ints(call, 2, &count);
    npart__infer_unary(call);
    if (npart__has_input(call, 2) && !(trains && count == 1 && trains[0] == 0))
        npart__out(call, 0)->known = NULL;
    npart__set_shape_like(call, 1, npart__in(call, 0));
    bool has_bool_mask = call->node->schema && call->node->schema->since >= 10;
    if (has_bool_mask)
        npart__set_element_type(call, 1, NPART__BOOL);
}

void npart__infer_like_input(struct npart__call *call)
{
    int64_t type = npart__int_attribute(call, "dtype", npart__in(call, 0)->element_type);
    npart__set_shape_like(call, 0, npart__in(call, 0));
    if (type > 0 && type <= UINT8_MAX)
        npart__set_element_type(call, 0, (int)type);
}
