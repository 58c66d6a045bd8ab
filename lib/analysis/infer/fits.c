/* SPDX-License-Identifier: Apache-2.0
 *
 * Sizes of operands without which no kernel runs an operator, as the `fits` of operators.table says them: a Conv with
 * weights [32,64,3,3] and an input [1,1,8,8] has no meaning, and yet the standard's inference and ONNX Runtime take the
 * file. What is no number is let pass.
 */
#include <stdlib.h>

#include "infer/families.h"

/* Statements that are being read, of one node. */
struct reading {
    const struct npart__call *call;
    const char *at; /* what is read next */
};

/* An axis of an operand; `size` is NPART__UNKNOWN where it is no number, or there is no such axis. */
struct place {
    uint32_t operand;
    long axis;
    int64_t size;
};

/* OPERAND:AXIS */
static struct place read_place(struct reading *reading)
{
    char *end;
    struct place place = {.operand = (uint32_t)strtoul(reading->at, &end, 10), .size = NPART__UNKNOWN};
    NPART__ASSERT(*end == ':', "fits %s", reading->at);
    place.axis = strtol(end + 1, &end, 10);
    reading->at = end;
    const struct npart__fact *fact = npart__in(reading->call, place.operand);
    if (!npart__has_input(reading->call, place.operand) || !fact->has_rank)
        return place;
    place.axis += place.axis < 0 ? (long)fact->rank : 0;
    if (place.axis >= 0 && place.axis < (long)fact->rank && npart__is_number(fact->dims[place.axis]))
        place.size = fact->dims[place.axis];
    return place;
}

static bool take(struct reading *reading, char what)
{
    bool is_there = *reading->at == what;
    reading->at += is_there;
    return is_there;
}

/* The number of the attribute whose name comes next. */
static int64_t read_attribute(struct reading *reading)
{
    char name[32];
    size_t length = strcspn(reading->at, "*,");
    NPART__ASSERT(length < sizeof name, "fits %s", reading->at);
    memcpy(name, reading->at, length);
    name[length] = '\0';
    reading->at += length;
    return npart__int_attribute(reading->call, name, 1);
}

/* "axis 1 of X must be 3, as W has it; found 1". Operands are called as the schema does. */
static void tell(const struct npart__call *call, const struct place *place, const char *what, int64_t must,
                 const struct place *other)
{
    struct npart__operand operand = {.name = ""}, by = {.name = ""};
    (void)npart__operator_input(call->node->schema, place->operand, &operand);
    if (other)
        (void)npart__operator_input(call->node->schema, other->operand, &by);
    struct npart__inference *inference = call->inference;
    uint32_t before = inference->contradicted.count;
    npart__contradiction(call, "axis %ld of %.*s must be %s%lld%s%.*s%s; found %lld", place->axis,
                         (int)operand.name_length, operand.name, what, (long long)must, other ? ", as " : "",
                         (int)by.name_length, by.name, other ? " has it" : "", (long long)place->size);
    if (inference->contradicted.count > before)
        inference->contradicted.items[before].is_loaded = true;
}

/* One statement: sizes that are equal, or one that can be divided. */
static void check_statement(struct reading *reading)
{
    struct place left = read_place(reading), right = {.size = NPART__UNKNOWN};
    int64_t must;
    if (take(reading, '%')) {
        int64_t parts = read_attribute(reading);
        int64_t times = take(reading, '*') ? read_attribute(reading) : 1;
        if (left.size >= 0 && npart__multiply_int64(parts, times, &must) && must > 0 && left.size % must != 0)
            tell(reading->call, &left, "a multiple of ", must, NULL);
        return;
    }
    bool may_be_1 = take(reading, '~');
    if (!may_be_1)
        (void)take(reading, '=');
    right = read_place(reading);
    int64_t times = take(reading, '*') ? read_attribute(reading) : 1;
    if (left.size >= 0 && right.size >= 0 && npart__multiply_int64(right.size, times, &must) && left.size != must &&
        !(may_be_1 && left.size == 1))
        tell(reading->call, &left, "", must, &right);
}

void npart__check_fits(const struct npart__call *call)
{
    struct reading reading = {call, call->node->schema ? call->node->traits->fits : NULL};
    while (reading.at && *reading.at) {
        check_statement(&reading);
        (void)take(&reading, ',');
    }
}
