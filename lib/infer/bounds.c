/* SPDX-License-Identifier: Apache-2.0
 *
 * The numbers between which an expression lies: of each atom they are worked out once, from those of its operands.
 */
#include "infer/expression.h"
#include "infer/expression_internal.h"

int64_t npart__least_of_atom(const struct npart__expressions *pool, const struct npart__atom *atom)
{
    int64_t left = npart__lower_bound(pool, atom->left), right = npart__lower_bound(pool, atom->right), quotient;
    switch (atom->kind) {
    case NPART__ATOM_FLOOR:
        if (npart__is_number(atom->right) && atom->right > 0 && left != INT64_MIN &&
            npart__floor_divide_int64(left, atom->right, &quotient))
            return quotient;
        return left >= 0 && right >= 0 ? 0 : INT64_MIN;
    case NPART__ATOM_MAX:
        return left > right ? left : right;
    default:
        return left < right ? left : right;
    }
}

/* What is divided by something of at least 1 does not grow, unless it is below 0. */
int64_t npart__most_of_atom(const struct npart__expressions *pool, const struct npart__atom *atom)
{
    int64_t left = npart__upper_bound(pool, atom->left), right = npart__upper_bound(pool, atom->right), quotient;
    switch (atom->kind) {
    case NPART__ATOM_FLOOR:
        if (left == INT64_MAX || npart__lower_bound(pool, atom->right) < 1)
            return INT64_MAX;
        if (npart__is_number(atom->right))
            return npart__floor_divide_int64(left, atom->right, &quotient) ? quotient : INT64_MAX;
        return left > 0 ? left : 0;
    case NPART__ATOM_MAX:
        return left > right ? left : right;
    default:
        return left < right ? left : right;
    }
}

/* Adds coefficient * product of the atoms' bounds, all of them the least or all the most; false when there is none. An
 * atom that may be below 0 has none here. */
static bool add_extreme(const struct npart__expressions *pool, const struct npart__term *term, bool of_most,
                        int64_t *bound)
{
    const struct npart__product *product = npart__product_at(pool, term->product);
    int64_t part = term->coefficient;
    for (uint32_t k = 0; k < product->count; k++) {
        const struct npart__atom_note *note = &pool->notes.items[product->factors[k].atom];
        int64_t atom = of_most ? note->most : note->least;
        if (note->least < 0 || atom == INT64_MAX)
            return false;
        for (uint32_t p = 0; p < product->factors[k].power && part; p++)
            if (!npart__multiply_int64(part, atom, &part))
                return false;
    }
    return npart__add_int64(*bound, part, bound);
}

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
