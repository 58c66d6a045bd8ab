/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers between which an expression lies: of each atom they are worked out once, from those of its operands. With
 * `sequence` at least 1 and no more than 512 (--dim sequence=..512):
 *
 *   sequence               1 to 512
 *   floor(sequence / 2)    0 to 256
 *   2*sequence - 1         1 to 1023
 *   max(sequence, 64)      64 to 512
 *
 * Bounds decide comparisons whatever the symbols are, drop max(x, 0) round what is not negative, and make a shape
 * bounded. They need not be tight: each term is bounded by itself, so of s*s - s nothing better than its parts' bounds
 * is known. INT64_MIN and INT64_MAX stand for "no bound", which is also what arithmetic that overflows gives.
 */
#include "infer/expression.h"
#include "infer/expression_internal.h"

/* A floor by a positive number is that of the least dividend. By a symbol, all that is certain is the sign: sizes of at
 * least 0 give a quotient of at least 0. */
int64_t npart__least_of_atom(const struct npart__expressions *pool, const struct npart__atom *atom)
{
    int64_t left = npart__lower_bound(pool, atom->left), right = npart__lower_bound(pool, atom->right), quotient;
    switch (atom->kind) {
    case NPART__ATOM_FLOOR:
        if (npart__is_number(atom->right) && atom->right > 0 && left != INT64_MIN &&
            npart__floor_divide_int64(left, atom->right, &quotient))
            return quotient;
        return left >= 0 && right >= 0 ? 0 : INT64_MIN;
    /* Of two least numbers, max is at least the larger one, and min below at least the smaller one. */
    case NPART__ATOM_MAX:
        return left > right ? left : right;
    default:
        return left < right ? left : right;
    }
}

/* What is divided by something of at least 1 does not grow, unless it is below 0. By something that may be 0, nothing
 * bounds the quotient. */
int64_t npart__most_of_atom(const struct npart__expressions *pool, const struct npart__atom *atom)
{
    int64_t left = npart__upper_bound(pool, atom->left), right = npart__upper_bound(pool, atom->right), quotient;
    switch (atom->kind) {
    case NPART__ATOM_FLOOR:
        if (left == INT64_MAX || npart__lower_bound(pool, atom->right) < 1)
            return INT64_MAX;
        if (npart__is_number(atom->right))
            return npart__floor_divide_int64(left, atom->right, &quotient) ? quotient : INT64_MAX;
        /* A divisor may be as large as it likes: of 5 the quotient is 5 at most, of -5 it comes up to -1, for which 0
         * is good enough. */
        return left > 0 ? left : 0;
    case NPART__ATOM_MAX:
        return left > right ? left : right;
    default:
        return left < right ? left : right;
    }
}

/* Adds coefficient * product of the atoms' bounds, all of them the least or all the most; false when there is none.
 * Beside another factor, an atom that may be below 0 has none here: of a product, the least would no longer be the
 * product of the least. */
static bool add_extreme(const struct npart__expressions *pool, const struct npart__term *term, bool of_most,
                        int64_t *bound)
{
    const struct npart__product *product = npart__product_at(pool, term->product);
    bool is_lone = product->count == 1 && product->factors[0].power == 1;
    int64_t part = term->coefficient;
    for (uint32_t k = 0; k < product->count; k++) {
        const struct npart__atom_note *note = &pool->notes.items[product->factors[k].atom];
        int64_t atom = of_most ? note->most : note->least;
        if ((note->least < 0 && !is_lone) || atom == INT64_MAX || atom == INT64_MIN)
            return false;
        /* A part that is 0 stays 0. */
        for (uint32_t p = 0; p < product->factors[k].power && part; p++)
            if (!npart__multiply_int64(part, atom, &part))
                return false;
    }
    return npart__add_int64(*bound, part, bound);
}

/* A sum is bounded term by term. For the most of it, terms that are added count with their most and terms that are
 * subtracted with their least; for the least, the other way round. */
static int64_t bound_of(const struct npart__expressions *pool, int64_t a, bool of_most)
{
    int64_t none = of_most ? INT64_MAX : INT64_MIN;
    if (npart__is_number(a))
        return a;
    if (a == NPART__UNKNOWN)
        return none;
    const struct npart__sum *sum = npart__sum_at(pool, a);
    int64_t bound = sum->constant;
    for (uint32_t i = 0; i < sum->count; i++)
        if (!add_extreme(pool, &sum->terms[i], (sum->terms[i].coefficient > 0) == of_most, &bound))
            return none;
    return bound;
}

int64_t npart__lower_bound(const struct npart__expressions *pool, int64_t a)
{
    return bound_of(pool, a, false);
}

int64_t npart__upper_bound(const struct npart__expressions *pool, int64_t a)
{
    return bound_of(pool, a, true);
}
