/* SPDX-License-Identifier: Apache-2.0
 *
 * By which formula an operator's work is counted: its row of operators.table names one.
 */
#ifndef NPART_WORK_FORMULAS_H
#define NPART_WORK_FORMULAS_H

#include "work/figures.h"

/* What operations are counted for is said in brackets. */
enum npart__work_formula {
    NPART__BY_NOTHING,
    NPART__BY_EACH,   /* [elements of the result] */
    NPART__BY_INPUT,  /* [elements of operand `input`]: those that are reduced or normalized */
    NPART__BY_WINDOW, /* [elements of the result x those of kernel_shape] */
    NPART__BY_RESIZE, /* [elements of the result] unless the nearest is taken, which only moves */
    NPART__BY_DATA,   /* nothing is multiplied and added; how much else is done depends on the data */
    /* products: [elements of the result], and multiply-accumulates */
    NPART__BY_FILTER,            /* result x elements of a filter, which are those of the weight after its first axis */
    NPART__BY_FILTER_LAST,       /* the same with channels last */
    NPART__BY_CAUSAL_FILTER,     /* a filter of one axis for each channel */
    NPART__BY_TRANSPOSED_FILTER, /* input x elements of a filter: each meets the filters of its channel */
    NPART__BY_PRODUCT,           /* result x the axis that is added up, by transA */
    NPART__BY_PACKED,            /* result x attribute K, or the last axis of the first factor */
    NPART__BY_RECURRENT,         /* steps x batch x elements of both weights */
    NPART__BY_ATTENTION,         /* keys x (elements of the queries and of the result) [queries x keys x heads] */
    NPART__BY_PACKED_ATTENTION,  /* input x columns of the weight, and steps x twice the elements of the result */
    NPART__BY_CACHED_ATTENTION,  /* keys in the cache x twice the elements of the result [as ATTENTION] */
    NPART__BY_EINSUM,            /* product of the sizes of all letters, for two factors */
    NPART__BY_UNCOUNTED,         /* multiplies and adds; how much is written down nowhere */
};

/* What a row of operators.table says of work: `class` and `formula` are of the enums, `input` and `weight` places of
 * operands. */
struct npart__work_row {
    const char *domain, *name;
    int since; /* 0: every version */
    uint8_t class, formula, input, weight, operations;
};

/* A node whose work is counted. Operands are as the model has them. */
struct npart__work_call {
    struct npart__figures *figures;
    const struct npart__inference *known;
    const struct npart__graph *graph;
    const struct npart__node *node;
    const struct npart__work_row *row;
};

/* Fills in macs, operations, the product, and the class. What it does not fill in is as it was, which is 0. */
void npart__apply_formula(const struct npart__work_call *call, struct npart__work *work);

/* An attribute of integer type, or what it is otherwise. */
int64_t npart__work_attribute(const struct npart__work_call *call, const char *name, int64_t otherwise);

#endif
