/* SPDX-License-Identifier: Apache-2.0
 *
 * The interned structs of an expression pool. They are keys compared byte by byte: no padding, reserved fields 0.
 */
#ifndef NPART_EXPRESSION_INTERNAL_H
#define NPART_EXPRESSION_INTERNAL_H

#include "infer/expression.h"

enum npart__atom_kind { NPART__ATOM_SYMBOL = 1, NPART__ATOM_FLOOR, NPART__ATOM_MAX, NPART__ATOM_MIN };

struct npart__atom {
    int64_t kind;
    int64_t left, right; /* operands; of a symbol, left is its index */
};

struct npart__factor {
    uint32_t atom, power;
};

/* Factors sorted by atom, powers above 0. In the table only `count` of them are there. */
struct npart__product {
    uint32_t count;
    struct npart__factor factors[NPART__LIMIT_FACTORS];
};

struct npart__term {
    int64_t coefficient;
    uint32_t product, reserved;
};

/* Terms sorted by product, coefficients not 0. In the table only `count` of them are there. */
struct npart__sum {
    int64_t constant;
    uint32_t count, reserved;
    struct npart__term terms[NPART__LIMIT_TERMS];
};

const struct npart__atom *npart__atom_at(const struct npart__expressions *pool, uint32_t id);
const struct npart__product *npart__product_at(const struct npart__expressions *pool, uint32_t id);
/* The numbers between which an atom that is no symbol lies; INT64_MIN, INT64_MAX: none is known. */
int64_t npart__least_of_atom(const struct npart__expressions *pool, const struct npart__atom *atom);
int64_t npart__most_of_atom(const struct npart__expressions *pool, const struct npart__atom *atom);
/* The better of two symbols to blame, either of which may be NPART_NONE. */
uint32_t npart__better_root(const struct npart__expressions *pool, uint32_t a, uint32_t b);
const struct npart__sum *npart__sum_at(const struct npart__expressions *pool, int64_t handle);

/* The only symbol of a linear expression, with what it is multiplied by and what is added; false for anything else. */
bool npart__single_symbol(const struct npart__expressions *pool, int64_t a, uint32_t *symbol, int64_t *coefficient,
                          int64_t *constant);

#endif
