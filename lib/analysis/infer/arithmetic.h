/* SPDX-License-Identifier: Apache-2.0
 *
 * The functions of elementwise.def on one element, and what is known of them: where a result lies if operands may be
 * off by so much, and whether libraries agree on its last digits.
 */
#ifndef NPART_INFER_ARITHMETIC_H
#define NPART_INFER_ARITHMETIC_H

#include "infer/numbers.h"

enum npart__element_traits {
    NPART__IS_MONOTONE = 1, /* in each operand, so that its ends tell where a result lies */
    NPART__IS_QUOTIENT = 2, /* the same while the divisor keeps away from 0 */
    NPART__IS_CLOSE = 4,    /* no more exact than libraries are */
    NPART__IS_STEP = 8,     /* the result jumps: it is either the same at both ends, or not known */
    NPART__IS_TRUTH = 16,   /* the result is a bool */
};

/* One node's computation. */
struct npart__each {
    struct npart__call *call;
    const struct npart__element *element;
    int type;             /* of operand 0 */
    double first, second; /* attributes */
    bool is_close;        /* of the result just computed: NPART__IS_CLOSE, unless the function knows better */
    bool is_unknown;      /* set by a function that cannot tell its result */
};

/* A line of the table. Functions of one operand ignore the second. */
struct npart__element {
    int64_t (*ints)(struct npart__each *each, int64_t a, int64_t b);
    double (*doubles)(struct npart__each *each, double a, double b);
    unsigned traits;
    const char *first, *second; /* attributes; NULL: none */
    double first_default, second_default;
};

/* The line of the table that a row of operators.table names as its parameter. */
const struct npart__element *npart__element_of(enum npart__elementwise which);

#endif
