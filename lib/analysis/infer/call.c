/* SPDX-License-Identifier: Apache-2.0
 *
 * The vocabulary of inference functions: operands, attributes and results of one node, and the steps that many of them
 * share. call.h says what each does. One rule holds for all: what is absent, too large or of a wrong type reads as
 * unknown, never as an error, since a model may have anything anywhere.
 */
#include <stdio.h>
#include <stdlib.h>

#include "infer/driver.h"
#include "infer/families.h"
#include "infer/numbers.h"

/* ---- operands -------------------------------------------------------------------------------------------- */

/* After the facts of the values are two more: one that stays unknown, for absent operands to read, and one that
 * takes what is written to absent outputs. So inference functions need no case for either. The second is cleared
 * before each node (see infer_node). */
static struct npart__fact *absent(const struct npart__call *call)
{
    return &call->inference->facts[call->graph->values.count];
}

struct npart__fact *npart__in(const struct npart__call *call, uint32_t index)
{
    uint32_t value = npart__node_input(call->graph, call->node, index);
    return value == NPART_NONE ? absent(call) : &call->inference->facts[value];
}

bool npart__has_input(const struct npart__call *call, uint32_t index)
{
    return npart__node_input(call->graph, call->node, index) != NPART_NONE;
}

struct npart__fact *npart__out(const struct npart__call *call, uint32_t index)
{
    uint32_t value = npart__node_output(call->graph, call->node, index);
    return &call->inference->facts[value == NPART_NONE ? call->graph->values.count + 1 : value];
}

/* Elements with a fraction among them are kept as doubles, so there are no whole numbers to give. */
const int64_t *npart__in_ints(const struct npart__call *call, uint32_t index, uint32_t *count)
{
    *count = 0;
    if (!npart__has_input(call, index))
        return NULL;
    const struct npart__known *known = npart__elements(call->inference, npart__in(call, index));
    if (!known || !known->ints)
        return NULL;
    *count = known->count;
    return known->ints;
}

/* An input of several elements is unknown: operators that ask for one number want a scalar or a vector of one. */
int64_t npart__in_number(const struct npart__call *call, uint32_t index, int64_t otherwise)
{
    uint32_t count;
    const int64_t *ints = npart__in_ints(call, index, &count);
    if (!npart__has_input(call, index))
        return otherwise;
    return ints && count == 1 ? ints[0] : NPART__UNKNOWN;
}

/* For inputs that list axes or dims: how many there are tells a rank, where their values are not known. */
uint32_t npart__in_length(const struct npart__call *call, uint32_t index)
{
    const struct npart__fact *in = npart__in(call, index);
    bool is_vector = in->has_rank && in->rank == 1 && npart__is_number(in->dims[0]);
    bool is_short = is_vector && in->dims[0] <= (int64_t)NPART__MOST(call->inference->graph->limits, RANK);
    return is_short ? (uint32_t)in->dims[0] : NPART_NONE;
}

/* Of numbers that may be off nothing is given: who asks makes sizes of them. */
bool npart__in_doubles(const struct npart__call *call, uint32_t index, double *out, uint32_t limit, uint32_t *count)
{
    if (!npart__has_input(call, index))
        return false;
    const struct npart__known *known = npart__elements(call->inference, npart__in(call, index));
    if (!known || known->count > limit || known->error != 0)
        return false;
    for (uint32_t i = 0; i < known->count; i++) {
        if (known->ints && !npart__is_number(known->ints[i]))
            return false;
        out[i] = known->ints ? (double)known->ints[i] : known->doubles[i];
    }
    *count = known->count;
    return true;
}

/* ---- attributes ------------------------------------------------------------------------------------------ */

/* Attribute types by number: 1 float, 2 int, 3 string, 7 ints. A number that looks like a handle counts as absent. */
int64_t npart__int_attribute(const struct npart__call *call, const char *name, int64_t otherwise)
{
    const struct npart__attribute *attribute = npart__node_attribute(call->graph, call->node, name);
    bool is_number = attribute && attribute->type == NPART_ATTRIBUTE_INT && npart__is_number(attribute->u.i);
    return is_number ? attribute->u.i : otherwise;
}

/* Defaults stand in the generated schemas as text, by version: `axis` of Softmax is 1 before opset 13 and -1 since. */
int64_t npart__int_or_default(const struct npart__call *call, const char *name)
{
    struct npart__attribute_schema schema;
    int64_t fallback = NPART__UNKNOWN;
    if (call->node->schema && npart__operator_attribute(call->node->schema, name, strlen(name), &schema) &&
        schema.kind == 'i' && schema.default_text)
        fallback = strtoll(schema.default_text, NULL, 10); /* ends at the blank after it */
    return npart__int_attribute(call, name, fallback);
}

/* An attribute of another type than the standard gives it counts as absent, here and in its like. */
float npart__float_attribute(const struct npart__call *call, const char *name, float otherwise)
{
    const struct npart__attribute *attribute = npart__node_attribute(call->graph, call->node, name);
    return attribute && attribute->type == NPART_ATTRIBUTE_FLOAT ? attribute->u.f : otherwise;
}

const char *npart__string_attribute(const struct npart__call *call, const char *name, const char *otherwise)
{
    const struct npart__attribute *attribute = npart__node_attribute(call->graph, call->node, name);
    return attribute && attribute->type == NPART_ATTRIBUTE_STRING ? attribute->u.s : otherwise;
}

/* A list that is empty is not NULL: Squeeze with axes=[] differs from Squeeze without axes. A list that the scan left
 * out for its length (is_elided) counts as absent. */
const int64_t *npart__ints_attribute(const struct npart__call *call, const char *name, uint32_t *count)
{
    static const int64_t nothing[1];
    const struct npart__attribute *attribute = npart__node_attribute(call->graph, call->node, name);
    *count = 0;
    if (!attribute || attribute->type != NPART_ATTRIBUTE_INTS || attribute->is_elided)
        return NULL;
    for (uint32_t i = 0; i < attribute->count; i++)
        if (!npart__is_number(attribute->u.ints[i]))
            return NULL; /* no size of a real model would be taken for an expression */
    *count = attribute->count;
    return attribute->count ? attribute->u.ints : nothing;
}

/* Of rank 4, -1 is 3, and 4 and -5 are none. */
bool npart__normalize_axis(int64_t axis, uint32_t rank, uint32_t *out)
{
    if (axis < 0 && axis >= -(int64_t)rank)
        axis += rank;
    if (axis < 0 || axis >= (int64_t)rank)
        return false;
    *out = (uint32_t)axis;
    return true;
}

/* ---- results --------------------------------------------------------------------------------------------- */

/* One more than asked for, here and below: no request is for 0 bytes, so NULL always means that memory ran out. */
void *npart__new_array(const struct npart__call *call, size_t count, size_t item_bytes)
{
    void *array = npart__arena_zeroed(call->arena, count + 1, item_bytes);
    if (!array)
        call->pool->failed = true;
    return array;
}

/* Past the limit of what is computed, NULL without a failure: the elements are then not known, which is all. The
 * numbers are not zeroed, unlike those of npart__new_array. */
int64_t *npart__new_ints(const struct npart__call *call, uint32_t count)
{
    if (!npart__may_follow(call->inference, count, npart__most_computed(call->inference)))
        return NULL;
    npart__count_elements(call->inference, count);
    int64_t *ints = npart__arena_allocate(call->arena, (count + (size_t)1) * sizeof *ints);
    if (!ints)
        call->pool->failed = true;
    return ints;
}

/* Of rank 0 it is a pointer to nothing, never NULL, so a scalar is no failure. */
int64_t *npart__new_dims(const struct npart__call *call, uint32_t rank)
{
    return rank > NPART__MOST(call->inference->graph->limits, RANK) ? NULL : npart__new_ints(call, rank);
}

/* The room for `more` is not filled in. */
int64_t *npart__copy_dims(const struct npart__call *call, const struct npart__fact *fact, uint32_t more)
{
    int64_t *dims = fact->has_rank ? npart__new_dims(call, fact->rank + more) : NULL;
    if (dims)
        memcpy(dims, fact->dims, fact->rank * sizeof *dims);
    return dims;
}

/* Of [2,3,4], axis 1 with one left out and 7, 8 in its place: [2,7,8,4]. */
int64_t *npart__splice_dims(const struct npart__call *call, const struct npart__fact *fact, uint32_t axis,
                            uint32_t left_out, const int64_t *others, uint32_t count)
{
    uint32_t rest = axis + left_out;
    int64_t *dims = npart__new_dims(call, fact->rank - left_out + count);
    for (uint32_t i = 0; dims && i < axis; i++)
        dims[i] = fact->dims[i];
    for (uint32_t i = 0; dims && i < count; i++)
        dims[axis + i] = others[i];
    for (uint32_t i = rest; dims && i < fact->rank; i++)
        dims[i - left_out + count] = fact->dims[i];
    return dims;
}

/* A number that is no type is as good as none. */
void npart__set_element_type(const struct npart__call *call, uint32_t output, int element_type)
{
    struct npart__fact *fact = npart__out(call, output);
    fact->kind = NPART__TYPE_TENSOR;
    fact->element_type = npart__type_name(element_type) != npart__type_name(0) ? (uint8_t)element_type : 0;
}

void npart__set_known_type(const struct npart__call *call, uint32_t output, int64_t element_type)
{
    if (element_type > 0 && element_type <= UINT8_MAX)
        npart__set_element_type(call, output, (int)element_type);
}

/* Where the input's type is not known, what the schema implied stays. */
void npart__set_type_like(const struct npart__call *call, uint32_t output, uint32_t input)
{
    npart__set_known_type(call, output, npart__in(call, input)->element_type);
}

/* Copied, as callers have them in arrays of their own, or in elements that other facts share. */
void npart__set_sizes(const struct npart__call *call, uint32_t output, uint32_t rank, const int64_t *sizes)
{
    int64_t *dims = npart__new_dims(call, rank);
    if (dims)
        npart__set_dims(call, output, rank, memcpy(dims, sizes, rank * sizeof *dims));
}

/* Shapes that are worked out come through here, so it holds what every shape obeys: a size that is unknown is a symbol
 * of its own, which equals itself from now on, and no size is negative. */
void npart__set_dims(const struct npart__call *call, uint32_t output, uint32_t rank, int64_t *dims)
{
    struct npart__fact *fact = npart__out(call, output);
    if (!dims || rank > NPART__MOST(call->inference->graph->limits, RANK))
        return;
    for (uint32_t i = 0; i < rank; i++) {
        if (dims[i] == NPART__UNKNOWN)
            dims[i] = npart__fresh_symbol(call->pool);
        /* The whole shape is dropped, not this dim: nothing that was worked out from a negative size is worth
         * keeping. */
        if (npart__is_number(dims[i]) && dims[i] < 0) {
            npart__contradiction(call, "dim %u of its result would be %lld", i, (long long)dims[i]);
            return;
        }
    }
    fact->kind = NPART__TYPE_TENSOR;
    fact->has_rank = true;
    fact->rank = (uint16_t)rank;
    fact->dims = dims;
}

/* The dims are shared, not copied. Where `from` has no rank, the output has none any more. */
void npart__set_shape_like(const struct npart__call *call, uint32_t output, const struct npart__fact *from)
{
    struct npart__fact *fact = npart__out(call, output);
    fact->kind = NPART__TYPE_TENSOR;
    fact->has_rank = from->has_rank;
    fact->rank = from->rank;
    fact->dims = from->dims;
}

/* What remains to be said where sizes are not known: providers ask for ranks as well as for sizes. */
void npart__set_rank(const struct npart__call *call, uint32_t output, uint32_t rank)
{
    int64_t *dims = npart__new_dims(call, rank);
    for (uint32_t i = 0; dims && i < rank; i++)
        dims[i] = NPART__UNKNOWN;
    npart__set_dims(call, output, rank, dims);
}

/* Whether a tensor of this type can hold a number; what wraps around or is rounded is not followed. Of the float types
 * of 8 bits and less only the numbers up to 4 are taken. Symbols are sizes, which fit wherever a model puts them. */
static bool fits(int element_type, int64_t value)
{
    if (!npart__is_number(value) || element_type == 0 || element_type == NPART__INT64)
        return true;
    if (npart__type_is_float(element_type)) {
        const int64_t most = npart__has_fractions(element_type) ? (int64_t)1 << 53 : 4;
        const int64_t all = most == 4 ? most : (int64_t)1 << npart__digits_of(element_type); /* up to here each */
        return value >= -most && value <= most &&
               ((value >= -all && value <= all) || npart__round_number(element_type, (double)value) == (double)value);
    }
    unsigned bits = npart__type_bits(element_type);
    bool is_unsigned = npart__type_name(element_type)[0] == 'u';
    if (!npart__type_is_integer(element_type))
        return bits == 8; /* a bool, but no string */
    if (bits >= 64)
        return value >= 0 || !is_unsigned;
    int64_t most = ((int64_t)1 << (is_unsigned ? bits : bits - 1)) - 1;
    return value <= most && value >= (is_unsigned ? 0 : -most - 1);
}

/* A new object each time, as facts share what they know, and what was set once is never changed. */
static void set_known(const struct npart__call *call, uint32_t output, const int64_t *ints, const double *doubles,
                      uint32_t count, double error)
{
    struct npart__known *known = npart__new_array(call, 1, sizeof *known);
    if (!known)
        return;
    *known = (struct npart__known){.count = count, .ints = ints, .doubles = doubles, .error = error};
    npart__out(call, output)->known = known;
}

/* Elements are all followed or none: of a tensor with one number that does not fit, nothing is known. */
void npart__set_ints(const struct npart__call *call, uint32_t output, const int64_t *ints, uint32_t count)
{
    int type = npart__out(call, output)->element_type;
    /* So many are only kept where `most_elements` asks for them, as numbers. */
    bool is_large = count > NPART__LIMIT_COMPUTED_ELEMENTS;
    for (uint32_t i = 0; ints && i < count; i++)
        if ((!i || ints[i] != ints[i - 1]) && (!fits(type, ints[i]) || (is_large && !npart__is_number(ints[i]))))
            return;
    if (ints)
        set_known(call, output, ints, NULL, count, 0);
}

/* They must be numbers of the output's type by now: rounded by npart__set_numbers, or moved from a tensor of the
 * type. */
void npart__set_doubles(const struct npart__call *call, uint32_t output, const double *doubles, uint32_t count,
                        double error)
{
    if (doubles)
        set_known(call, output, NULL, doubles, count, error);
}

/* Replaces the whole fact, as the output is no tensor. Without an element, the kind is all that is said. */
void npart__set_container(const struct npart__call *call, uint32_t output, int kind, const struct npart__fact *element)
{
    struct npart__fact *fact = npart__out(call, output);
    *fact = (struct npart__fact){.kind = (uint8_t)kind};
    if (element)
        fact->element = npart__keep_fact(call, element);
}

void npart__contradiction(const struct npart__call *call, const char *format, ...)
{
    /* What is longer is cut off; it is text for people. */
    char text[240];
    NPART__FORMAT(text, format);
    npart__report_contradiction(call->inference, call->node_id, text);
}

/* Two numbers that differ are a contradiction, which the caller reports with words of its own. A nameless symbol is a
 * size that cannot be given, so a relation with one is of no use. */
void npart__must_equal(const struct npart__call *call, int64_t a, int64_t b)
{
    bool both_numbers = npart__is_number(a) && npart__is_number(b);
    if (a != b && !both_numbers && npart__is_named(call->pool, a) && npart__is_named(call->pool, b))
        npart__assume_equal(call->inference, call->node_id, a, b, false);
}

/* ---- shared steps ---------------------------------------------------------------------------------------- */

/* One dim by NumPy's rule, with symbols:
 *
 *   5 and 1        5
 *   `batch` and 1  `batch`
 *   5 and `n`      5: n is 5 or 1, or the model fails
 *   `n` and `m`    max(n, m): equal, or one of them is 1 */
int64_t npart__broadcast_dim(const struct npart__call *call, int64_t a, int64_t b)
{
    if (a == b || b == 1)
        return a;
    if (a == 1)
        return b;
    bool a_is_number = npart__is_number(a), b_is_number = npart__is_number(b);
    /* A size of 0 is one like any other: 0 and 1 make 0, 0 and 5 do not go together. */
    if (a_is_number && b_is_number) {
        npart__contradiction(call, "sizes %lld and %lld do not broadcast", (long long)a, (long long)b);
        return NPART__UNKNOWN;
    }
    if (a_is_number || b_is_number) { /* the symbol is that number or 1; either way the result is the number */
        npart__assume_equal(call->inference, call->node_id, a, b, true);
        return a_is_number ? a : b;
    }
    npart__assume_equal(call->inference, call->node_id, a, b, true);
    return npart__maximum(call->pool, a, b);
}

/* Shapes are aligned at their last axes: [2,1,5] and [3,1] -> [2,3,5]. Any number of operands, as Max and Sum have. */
bool npart__broadcast(const struct npart__call *call, const struct npart__fact *const *facts, uint32_t count,
                      uint32_t *rank, int64_t **dims)
{
    uint32_t highest = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (facts[i]->kind != NPART__TYPE_TENSOR || !facts[i]->has_rank)
            return false;
        if (facts[i]->rank > highest)
            highest = facts[i]->rank;
    }
    int64_t *result = npart__new_dims(call, highest);
    if (!result)
        return false;
    for (uint32_t axis = 0; axis < highest; axis++) {
        int64_t dim = 1;
        for (uint32_t i = 0; i < count; i++) {
            /* Axes that an operand lacks are its first ones, and count as 1. */
            uint32_t missing = highest - facts[i]->rank;
            if (axis >= missing)
                /* After a contradiction the axis stays unknown, so that a third operand does not report it again. */
                dim = dim == NPART__UNKNOWN ? dim : npart__broadcast_dim(call, dim, facts[i]->dims[axis - missing]);
        }
        result[axis] = dim;
    }
    *rank = highest;
    *dims = result;
    return true;
}

/* Of no dims 1, as a scalar has one element. */
int64_t npart__dims_product(const struct npart__call *call, const int64_t *dims, uint32_t from, uint32_t to)
{
    int64_t product = 1;
    for (uint32_t i = from; i < to; i++)
        product = npart__product(call->pool, product, dims[i]);
    return product;
}

/* Of a shape that is not static, no element has a place that is certain. */
bool npart__small_count(const struct npart__call *call, const struct npart__fact *fact, uint32_t *out)
{
    uint64_t elements;
    if (!npart__static_elements(fact, &elements) ||
        !npart__may_follow(call->inference, elements, npart__most_computed(call->inference)))
        return false;
    *out = (uint32_t)elements;
    return true;
}
