/* SPDX-License-Identifier: Apache-2.0
 *
 * Known elements as numbers: operands read as such, and results rounded to their element type as the runtime rounds
 * them, each step for itself.
 *
 * A result that a runtime may compute to other last bits has an `error`: each of its numbers may be off by that much.
 * What makes a whole number or a decision of it says so only where that number is the same either way.
 */
#ifndef NPART_INFER_NUMBERS_H
#define NPART_INFER_NUMBERS_H

#include "infer/call.h"
#include "infer/families.h"

/* How far the libraries that runtimes compute exp, tanh and the like with may be apart: so many units in the last
 * place, of the number and, as some of them approximate near 0, of 1. */
#define NPART__CLOSE_UNITS 16.0

/* The elements of a static operand, none of them symbolic. */
struct npart__numbers {
    uint32_t count;
    const int64_t *ints;    /* NULL: doubles */
    const double *doubles;
    double error;           /* how far each may be off; 0 of whole numbers */
};

static inline double npart__number_at(const struct npart__numbers *numbers, uint32_t index)
{
    return numbers->ints ? (double)numbers->ints[index] : numbers->doubles[index];
}

/* Whether an operand's elements are known, or could be read; nothing is read. */
bool npart__may_be_known(const struct npart__call *call, uint32_t index);
/* False when the operand is absent, not static, or one of its elements is not known or symbolic. */
bool npart__in_numbers(const struct npart__call *call, uint32_t index, struct npart__numbers *out);
/* Room for doubles; NULL when out of memory, which the pool remembers, or past NPART__LIMIT_KNOWN_FLOATS. */
double *npart__new_doubles(const struct npart__call *call, uint32_t count);

/* Whether elements of this type are followed as fractions: not those of 8 bits and less. */
bool npart__has_fractions(int element_type);
/* The nearest number of a floating point type, halves to even. */
double npart__round_number(int element_type, double number);
/* The distance of a floating point type's numbers near this one. */
double npart__unit_at(int element_type, double number);
/* Digits of a floating point type's significand, the hidden one too. */
int npart__digits_of(int element_type);
/* reduce.c: the sum, and how far that of a runtime may be off, which adds in any order and rounds each step. */
double npart__sum_numbers(int element_type, const double *terms, uint32_t count, double *error);
/* Whether a product is a number of the type, with nothing rounded. */
bool npart__is_exact_product(int element_type, double a, double b, double product);
/* How far a result may be off that is no more exact than libraries are. */
double npart__close_error(int element_type, double number);
/* What trunc, floor and the like make of a number that may be off; false when that may be one or another. */
bool npart__same_within(double (*function)(double), double number, double error, double *out);

/* Sets elements as whole numbers where all of them are and nothing is off, else as doubles, which are taken over.
 * Either way they are first rounded to the output's type, which must be set. A NaN of unknown bits is a NaN. */
void npart__set_numbers(const struct npart__call *call, uint32_t output, double *doubles, uint32_t count,
                        double error);
/* The same number in all of `count` elements. */
void npart__set_filled(const struct npart__call *call, uint32_t output, double number, uint32_t count);

#endif
