/* SPDX-License-Identifier: Apache-2.0
 *
 * Sums of products: each is a walk over indices, of which the first ones are the result's and the others are summed
 * over; each operand has a stride for each index. MatMul of [2,3] and [3,4] is one over (i, j, k) of extents 2, 4, 3:
 *
 *   A: strides 3, 0, 1     B: strides 0, 1, 4     result (i, j) = sum over k of A[i*3 + k] * B[k*4 + j]
 *
 * An operand that an index does not appear in has stride 0 there, which is also how broadcasting is done.
 */
#include <math.h>

#include "infer/elements.h"
#include "infer/numbers.h"
#include "infer/product.h"

#define MOST_OPERANDS 4u

/* One node's walk. Its first `kept` indices are those of the result. */
struct walk {
    struct npart__call *call;
    uint32_t operand_count, kept, rank; /* indices of the result, and all */
    int64_t extents[2 * NPART__LIMIT_RANK];
    int64_t strides[MOST_OPERANDS][2 * NPART__LIMIT_RANK];
    struct npart__items items[MOST_OPERANDS];
    uint32_t results, terms; /* how many results, and products for each */
    double scale;            /* of the sum */
    bool has_bias;           /* added to it: one more operand */
    double bias_scale;
};

/* Reads the operands' elements, and counts results and terms. False where an operand is not known or may be off, or
 * there is more to compute than shape arithmetic needs. Both are limited by themselves first, so that their product
 * does not overflow. */
static bool read_operands(struct walk *walk)
{
    uint64_t results = 1, terms = 1;
    uint32_t read = walk->operand_count + walk->has_bias;
    for (uint32_t k = 0; k < read; k++)
        if (!npart__may_be_known(walk->call, k))
            return false;
    for (uint32_t k = 0; k < read; k++)
        if (!npart__in_items(walk->call, k, &walk->items[k]) || walk->items[k].error != 0)
            return false;
    for (uint32_t i = 0; i < walk->rank; i++) {
        uint64_t *count = i < walk->kept ? &results : &terms;
        if (!npart__multiply_uint64(*count, (uint64_t)walk->extents[i], count) ||
            results > NPART__LIMIT_COMPUTED_ELEMENTS || terms > NPART__LIMIT_COMPUTED_ELEMENTS ||
            results * terms > NPART__MOST(walk->call->inference->graph->limits, PRODUCTS))
            return false;
    }
    walk->results = (uint32_t)results;
    walk->terms = (uint32_t)terms;
    return true;
}

/* Where each operand's element stands for one result and one of its products: both numbers are taken apart into
 * indices, the last index changing fastest. Of a sum of nothing, for which only the bias is looked up, the indices that
 * are summed over have no values. */
static void find_places(const struct walk *walk, uint32_t result, uint32_t term, int64_t *places)
{
    int64_t rest = term;
    uint32_t count = walk->operand_count + walk->has_bias;
    for (uint32_t k = 0; k < count; k++)
        places[k] = 0;
    for (uint32_t axis = walk->terms ? walk->rank : walk->kept; axis-- > 0; rest /= walk->extents[axis]) {
        /* From here on the indices are those of the result. */
        if (axis + 1 == walk->kept)
            rest = result;
        for (uint32_t k = 0; k < count; k++)
            places[k] += rest % walk->extents[axis] * walk->strides[k][axis];
    }
}

/* An item as a double; false for a symbol. */
static bool item_number(const struct npart__items *items, int64_t place, double *out)
{
    /* Of doubles these bits are not used. */
    int64_t whole = (int64_t)items->data[place];
    if (items->is_ints)
        *out = (double)whole;
    else
        memcpy(out, &items->data[place], sizeof *out);
    return !items->is_ints || npart__is_number(whole);
}

/* One result as a sum that any order may have been rounded in. `off` grows to how far it may be from what a runtime
 * has: 0 only where products, sum, scale and bias are all exact. False where it is not known or not finite. */
static bool sum_fractions(const struct walk *walk, int type, uint32_t result, double *terms, double *out, double *off)
{
    int64_t places[MOST_OPERANDS] = {0};
    double most = 0, error, number;
    bool is_exact = true;
    for (uint32_t i = 0; i < walk->terms; i++) {
        find_places(walk, result, i, places);
        terms[i] = 1;
        for (uint32_t k = 0; k < walk->operand_count; k++) {
            if (!item_number(&walk->items[k], places[k], &number))
                return false;
            is_exact = is_exact && npart__is_exact_product(type, terms[i], number, terms[i] * number);
            terms[i] *= number;
        }
        most += fabs(terms[i]);
    }
    /* Passes: the products, their sum, the scale, and the bias; each may be rounded. */
    double sum = npart__sum_numbers(type, terms, walk->terms, &error);
    *out = sum * walk->scale;
    is_exact = is_exact && error == 0 && npart__is_exact_product(type, sum, walk->scale, *out);
    if (walk->has_bias) {
        double bias;
        sum = *out;
        find_places(walk, result, 0, places);
        if (!item_number(&walk->items[walk->operand_count], places[walk->operand_count], &bias))
            return false;
        double added = bias * walk->bias_scale;
        *out = sum + added;
        most += fabs(added);
        /* A sum of two is exact where taking either one off gives the other. */
        is_exact = is_exact && npart__is_exact_product(type, bias, walk->bias_scale, added) &&
                   *out - sum == added && *out - added == sum && npart__round_number(type, *out) == *out;
    }
    if (!is_exact)
        /* For each product, the scale and the bias two units at the largest sum that can be. */
        error += (double)(walk->terms + 2) * 2 * npart__unit_at(type, most * fmax(1, fabs(walk->scale)));
    *off = error > *off ? error : *off;
    return isfinite(most);
}

/* One result of whole numbers, symbols too; a product or sum past int64 is a fresh symbol. */
static int64_t sum_wholes(const struct walk *walk, uint32_t result)
{
    int64_t places[MOST_OPERANDS], sum = 0;
    for (uint32_t i = 0; i < walk->terms; i++) {
        int64_t term = 1;
        find_places(walk, result, i, places);
        for (uint32_t k = 0; k < walk->operand_count; k++)
            term = npart__product(walk->call->pool, term, (int64_t)walk->items[k].data[places[k]]);
        sum = npart__sum(walk->call->pool, sum, term);
    }
    return sum;
}

/* Computes all results of a walk: of fractions with scale and bias, of whole numbers plain sums only. The operands
 * are of the type of the first one, as the standard asks; quantized forms do not come here. */
static void set_sums(struct walk *walk)
{
    struct npart__call *call = walk->call;
    int type = npart__in(call, 0)->element_type;
    double off = 0;
    if (!read_operands(walk))
        return;
    if (npart__has_fractions(type)) {
        double *result = npart__new_doubles(call, walk->results), *terms = npart__new_doubles(call, walk->terms);
        for (uint32_t i = 0; result && terms && i < walk->results; i++)
            if (!sum_fractions(walk, type, i, terms, &result[i], &off))
                return;
        if (terms)
            npart__set_numbers(call, 0, result, walk->results, off);
        return;
    }
    bool is_plain = npart__type_is_integer(type) && walk->scale == 1 && !walk->has_bias;
    int64_t *ints = is_plain ? npart__new_ints(call, walk->results) : NULL;
    for (uint32_t k = 0; k < walk->operand_count; k++)
        if (!walk->items[k].is_ints)
            return;
    for (uint32_t i = 0; ints && i < walk->results; i++)
        ints[i] = sum_wholes(walk, i);
    npart__set_ints(call, 0, ints, walk->results);
}

/* ---- MatMul ---------------------------------------------------------------------------------------------- */

/* MatMul. The dims before the last two broadcast: an operand whose dim is 1, or missing, has stride 0. Of a vector
 * there is one index, the inner. */
void npart__multiply_elements(struct npart__call *call)
{
    const struct npart__fact *a = npart__in(call, 0), *b = npart__in(call, 1), *out = npart__out(call, 0);
    struct walk walk = {.call = call, .operand_count = 2, .scale = 1};
    /* Result indices: those of the dims before the last two, then a row of A and a column of B, if they have any. */
    uint32_t outer = out->rank - (uint32_t)(a->rank > 1) - (uint32_t)(b->rank > 1);
    int64_t strides[2][NPART__LIMIT_RANK];
    if (!npart__is_static(a) || !npart__is_static(b) || !npart__is_static(out))
        return;
    npart__strides(a->dims, a->rank, strides[0]);
    npart__strides(b->dims, b->rank, strides[1]);
    /* A batch dim of 1 has stride 0: the same matrix serves all. */
    for (uint32_t i = 0; i < outer; i++) {
        walk.extents[i] = out->dims[i];
        for (uint32_t k = 0; k < 2; k++) {
            const struct npart__fact *in = k ? b : a;
            /* Batch dims are aligned at their last. */
            uint32_t own = in->rank > 2 ? in->rank - 2u : 0, missing = outer - own;
            walk.strides[k][i] = i >= missing && in->dims[i - missing] != 1 ? strides[k][i - missing] : 0;
        }
    }
    walk.rank = outer;
    if (a->rank > 1) {
        walk.extents[walk.rank] = a->dims[a->rank - 2];
        walk.strides[0][walk.rank++] = strides[0][a->rank - 2];
    }
    if (b->rank > 1) {
        walk.extents[walk.rank] = b->dims[b->rank - 1];
        walk.strides[1][walk.rank++] = strides[1][b->rank - 1];
    }
    /* The last index is the inner one, over which products are summed. */
    walk.kept = walk.rank;
    walk.extents[walk.rank] = a->dims[a->rank - 1];
    walk.strides[0][walk.rank] = strides[0][a->rank - 1];
    walk.strides[1][walk.rank++] = strides[1][b->rank > 1 ? b->rank - 2 : 0];
    set_sums(&walk);
}

/* ---- Gemm ------------------------------------------------------------------------------------------------ */

/* Gemm: alpha * A * B + beta * C. Transposing swaps strides and moves nothing. C broadcasts to [M,N]; where it does not
 * fit, nothing is computed. */
void npart__gemm_elements(struct npart__call *call)
{
    const struct npart__fact *a = npart__in(call, 0), *b = npart__in(call, 1), *out = npart__out(call, 0);
    bool flips_a = npart__int_attribute(call, "transA", 0) != 0;
    bool flips_b = npart__int_attribute(call, "transB", 0) != 0;
    struct walk walk = {.call = call, .operand_count = 2, .kept = 2, .rank = 3};
    if (!npart__is_static(a) || !npart__is_static(b) || !npart__is_static(out) || a->rank != 2 || b->rank != 2)
        return;
    walk.scale = (double)npart__float_attribute(call, "alpha", 1);
    walk.extents[0] = out->dims[0];
    walk.extents[1] = out->dims[1];
    walk.extents[2] = a->dims[flips_a ? 0 : 1];
    /* A is [M,K], so a row is K apart; transposed, rows are neighbours. */
    walk.strides[0][0] = flips_a ? 1 : a->dims[1];
    walk.strides[0][2] = flips_a ? a->dims[1] : 1;
    walk.strides[1][1] = flips_b ? b->dims[1] : 1;
    walk.strides[1][2] = flips_b ? 1 : b->dims[1];
    /* C is optional since opset 11. */
    walk.has_bias = npart__has_input(call, 2);
    if (walk.has_bias) {
        const struct npart__fact *c = npart__in(call, 2);
        walk.bias_scale = (double)npart__float_attribute(call, "beta", 1);
        if (!npart__is_static(c) || c->rank > 2)
            return;
        /* C may be a scalar, a row, a column or a matrix. */
        walk.strides[2][1] = c->rank > 0 && c->dims[c->rank - 1] != 1;
        walk.strides[2][0] = c->rank > 1 && c->dims[0] != 1 ? c->dims[1] : 0;
        if ((walk.strides[2][1] && c->dims[c->rank - 1] != out->dims[1]) ||
            (walk.strides[2][0] && c->dims[0] != out->dims[0]))
            return;
    }
    set_sums(&walk);
}

/* ---- Einsum ---------------------------------------------------------------------------------------------- */

/* The index that a letter stands for; made when new, with extent 1 until an operand tells. */
static uint32_t index_of(struct walk *walk, char *letters, char letter)
{
    uint32_t index = 0;
    while (index < walk->rank && letters[index] != letter)
        index++;
    if (index == walk->rank && index < NPART__LIMIT_RANK) {
        letters[index] = letter;
        walk->extents[walk->rank++] = 1;
    }
    return index; /* NPART__LIMIT_RANK: there are too many */
}

/* One operand's term; false where letters and dims do not fit. A letter that comes twice in a term ("ii") adds both
 * strides: that is the diagonal. */
static bool read_term(struct walk *walk, char *letters, uint32_t operand, const char *from, const char *to)
{
    const struct npart__fact *fact = npart__in(walk->call, operand);
    int64_t strides[NPART__LIMIT_RANK];
    uint32_t axis = 0;
    if (!npart__is_static(fact))
        return false;
    npart__strides(fact->dims, fact->rank, strides);
    for (; from < to; from++) {
        if (*from == ' ')
            continue;
        if (axis >= fact->rank)
            return false;
        uint32_t index = index_of(walk, letters, *from);
        int64_t size = fact->dims[axis];
        if (index == NPART__LIMIT_RANK)
            return false;
        if (size != 1 && walk->extents[index] != 1 && walk->extents[index] != size)
            return false;
        walk->extents[index] = size == 1 ? walk->extents[index] : size;
        /* A size of 1 broadcasts. */
        walk->strides[operand][index] += size == 1 ? 0 : strides[axis];
        axis++;
    }
    return axis == fact->rank;
}

/* With an arrow and without an ellipsis. Letters of the right side are indexed first, so that they are those of the
 * result; those that only the left side has are summed over. */
void npart__einsum_elements(struct npart__call *call)
{
    const char *equation = npart__string_attribute(call, "equation", ""), *arrow = strstr(equation, "->");
    struct walk walk = {.call = call, .operand_count = call->node->input_count, .scale = 1};
    /* By index: the letter that it stands for. */
    char letters[NPART__LIMIT_RANK];
    if (!arrow || strchr(equation, '.') || walk.operand_count > MOST_OPERANDS || !npart__is_static(npart__out(call, 0)))
        return;
    /* Result letters get the first indices, in their order. */
    for (const char *at = arrow + 2; *at; at++)
        if (*at != ' ')
            (void)index_of(&walk, letters, *at);
    walk.kept = walk.rank;
    if (walk.kept != npart__out(call, 0)->rank) /* a letter twice */
        return;
    const char *from = equation;
    for (uint32_t k = 0; k < walk.operand_count; k++) {
        const char *comma = memchr(from, ',', (size_t)(arrow - from)), *to = comma ? comma : arrow;
        if (!read_term(&walk, letters, k, from, to))
            return;
        from = comma ? comma + 1 : arrow;
    }
    set_sums(&walk);
}
