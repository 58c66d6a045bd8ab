/* SPDX-License-Identifier: Apache-2.0
 *
 * Matrix products: MatMul and its quantized and fused forms, Gemm, Einsum. This file has the shapes; elements are
 * computed in product.c. Inner sizes that differ are a contradiction; where one is symbolic, the relation is kept.
 */
#include "infer/families.h"
#include "infer/product.h"

/* Whether the sizes that are summed over can be one. What is not known relates to nothing (npart__must_equal). */
static bool agree(struct npart__call *call, int64_t inner_a, int64_t inner_b)
{
    bool differ = npart__is_number(inner_a) && npart__is_number(inner_b) && inner_a != inner_b;
    if (differ)
        npart__contradiction(call, "inner sizes %lld and %lld differ", (long long)inner_a, (long long)inner_b);
    else
        npart__must_equal(call, inner_a, inner_b);
    return !differ;
}

/* ---- MatMul ---------------------------------------------------------------------------------------------- */

/* NumPy's rule: vectors gain a dim for the product and lose it after; the dims before the last two broadcast.
 *
 *   [2,8,10,64] [64,32]      ->  [2,8,10,32]
 *   [8,1,5,7] [3,7,2]        ->  [8,3,5,2]
 *   [7] [3,7,2]              ->  [3,2] */
static void multiply_shapes(struct npart__call *call, const struct npart__fact *a, const struct npart__fact *b)
{
    if (!a->has_rank || !b->has_rank || a->rank == 0 || b->rank == 0)
        return;
    bool a_is_vector = a->rank == 1, b_is_vector = b->rank == 1;
    int64_t inner_a = a->dims[a->rank - 1], inner_b = b->dims[b_is_vector ? 0 : b->rank - 2];
    if (!agree(call, inner_a, inner_b))
        return;
    /* The batch dims of both as shapes of their own, to broadcast. */
    struct npart__fact outer_a = *a, outer_b = *b;
    outer_a.rank = (uint16_t)(a->rank > 2 ? a->rank - 2 : 0);
    outer_b.rank = (uint16_t)(b->rank > 2 ? b->rank - 2 : 0);
    const struct npart__fact *outers[] = {&outer_a, &outer_b};
    uint32_t rank;
    int64_t *outer;
    if (!npart__broadcast(call, outers, 2, &rank, &outer))
        return;
    /* Room for both; of vectors less is used. */
    int64_t *dims = npart__new_dims(call, rank + 2);
    if (!dims)
        return;
    memcpy(dims, outer, rank * sizeof *dims);
    /* A row of A and a column of B, of those that have them. */
    if (!a_is_vector)
        dims[rank++] = a->dims[a->rank - 2];
    if (!b_is_vector)
        dims[rank++] = b->dims[b->rank - 1];
    npart__set_dims(call, 0, rank, dims);
}

/* FusedMatMul's attributes. transBatchA: the first dim moves after the other batch dims, [2,8,10,64] -> [8,10,2,64].
 * transA: the last two change places. The dims are copied first, as the fact's own are shared. Operators that lack
 * the attributes come out as they are. */
static void transpose(struct npart__call *call, struct npart__fact *fact, const char *of_batch, const char *of_last)
{
    bool moves_first = npart__int_attribute(call, of_batch, 0) != 0;
    bool swaps = npart__int_attribute(call, of_last, 0) != 0;
    if (!fact->has_rank || fact->rank < 2 || (!moves_first && !swaps))
        return;
    uint32_t rank = fact->rank;
    int64_t *dims = npart__copy_dims(call, fact, 0);
    if (!dims)
        return;
    if (moves_first) {
        memmove(dims, dims + 1, (rank - 2) * sizeof *dims);
        dims[rank - 2] = fact->dims[0];
    }
    if (swaps) {
        int64_t last = dims[rank - 1];
        dims[rank - 1] = dims[rank - 2];
        dims[rank - 2] = last;
    }
    fact->dims = dims;
}

/* Where B stands and what type the result has depends on the form: QLinearMatMul has scale and zero point between, and
 * the type of y_zero_point; MatMulInteger makes int32. */
void npart__infer_matmul(struct npart__call *call)
{
    enum npart__operands operands = (enum npart__operands)call->row->parameter;
    /* B is input 1, or stands after the scale (and zero point) of A. */
    uint32_t second = operands == NPART__OPERANDS_QUANTIZED ? 3 : operands == NPART__OPERANDS_ORDERED ? 2 : 1;
    /* Copies, as what is transposed here is not so for other users of the operand. */
    struct npart__fact a = *npart__in(call, 0), b = *npart__in(call, second);
    if (operands == NPART__OPERANDS_INTEGER)
        npart__set_element_type(call, 0, NPART__INT32);
    else if (operands == NPART__OPERANDS_FLOAT)
        npart__set_element_type(call, 0, NPART__FLOAT);
    else if (operands == NPART__OPERANDS_QUANTIZED)
        npart__set_type_like(call, 0, 7);
    a.kind = b.kind = NPART__TYPE_TENSOR; /* SparseToDenseMatMul's A is sparse */
    transpose(call, &a, "transBatchA", "transA");
    transpose(call, &b, "transBatchB", "transB");
    multiply_shapes(call, &a, &b);
    /* The fused forms scale or activate as well, so only the standard's own is computed. */
    if (call->node->domain == 0 && operands == NPART__OPERANDS_PLAIN && npart__out(call, 0)->has_rank)
        npart__multiply_elements(call);
}

/* com.microsoft.MatMulNBits and MatMulBnb4: B is packed, so its dims say nothing of the product; N and K are
 * attributes. Its logical shape is [N, K], or [K, N] where the latter does not transpose it: [2,10,K] -> [2,10,N]. */
void npart__infer_matmul_nbits(struct npart__call *call)
{
    const struct npart__fact *a = npart__in(call, 0);
    int64_t columns = npart__int_attribute(call, npart__int_attribute(call, "transB", 1) ? "N" : "K", -1);
    int64_t *dims = npart__copy_dims(call, a, 0);
    if (!dims || a->rank == 0 || columns < 0)
        return;
    dims[a->rank - 1] = columns;
    npart__set_dims(call, 0, a->rank, dims);
}

/* ---- Gemm ------------------------------------------------------------------------------------------------ */

/* A [M,K] or with transA [K,M], B [K,N] or with transB [N,K] -> [M,N]. The rank is 2 whatever is known of the operands.
 * C is not looked at: it broadcasts to the result, and never the other way. */
void npart__infer_gemm(struct npart__call *call)
{
    bool is_quantized = call->row->parameter == NPART__OPERANDS_QUANTIZED;
    const struct npart__fact *a = npart__in(call, 0), *b = npart__in(call, is_quantized ? 3 : 1);
    if (is_quantized) /* com.microsoft.QGemm: without y_zero_point the result is float */
        npart__set_element_type(call, 0, npart__has_input(call, 8) ? npart__in(call, 8)->element_type : NPART__FLOAT);
    if (call->row->parameter == NPART__OPERANDS_TYPED)
        npart__set_known_type(call, 0, npart__int_attribute(call, "dtype", NPART__FLOAT));
    bool flips_a = npart__int_attribute(call, "transA", 0) != 0, flips_b = npart__int_attribute(call, "transB", 0) != 0;
    /* Of one operand without a rank, the other still gives its size. */
    bool has_a = a->has_rank && a->rank == 2, has_b = b->has_rank && b->rank == 2;
    int64_t inner_a = has_a ? a->dims[flips_a ? 0 : 1] : NPART__UNKNOWN;
    int64_t inner_b = has_b ? b->dims[flips_b ? 1 : 0] : NPART__UNKNOWN;
    if (!agree(call, inner_a, inner_b))
        return;
    NPART__SET_SIZES(call, 0, has_a ? a->dims[flips_a ? 1 : 0] : NPART__UNKNOWN,
                     has_b ? b->dims[flips_b ? 0 : 1] : NPART__UNKNOWN);
    if (call->node->domain == 0 && call->row->parameter == NPART__OPERANDS_PLAIN)
        npart__gemm_elements(call);
}

/* ---- Einsum ---------------------------------------------------------------------------------------------- */

/* The letters of an equation, each with the size that the operands give it. An ellipsis stands for the dims that the
 * letters beside it leave over, which broadcast: in "...ij,...jk->...ik" of [8,2,3] and [3,4], for [8] and []. */
struct einsum {
    int64_t sizes[52];
    bool is_seen[52];
    uint32_t uses[52]; /* on the left side; implicit results keep the letters that are used once */
    struct npart__fact ellipsis; /* rank and dims of the broadcast ellipses */
    bool has_ellipsis;
};

/* The index into the arrays by letter; -1: no letter. */
static int letter_index(char c)
{
    if (c >= 'a' && c <= 'z')
        return c - 'a';
    return c >= 'A' && c <= 'Z' ? c - 'A' + 26 : -1;
}

/* An ellipsis covers the dims that the letters of its term leave over. */
static uint32_t count_letters(const char *from, const char *to)
{
    uint32_t count = 0;
    for (; from < to; from++)
        count += letter_index(*from) >= 0;
    return count;
}

/* Adds the dims that one term's ellipsis covers to those of the terms before it. */
static bool merge_ellipsis(struct npart__call *call, struct einsum *einsum, const int64_t *dims, uint32_t rank)
{
    struct npart__fact part = {
        .kind = NPART__TYPE_TENSOR, .has_rank = true, .rank = (uint16_t)rank, .dims = dims};
    if (!einsum->has_ellipsis) {
        einsum->has_ellipsis = true;
        einsum->ellipsis = part;
        return true;
    }
    const struct npart__fact before = einsum->ellipsis;
    const struct npart__fact *both[] = {&before, &part};
    uint32_t merged;
    int64_t *result;
    if (!npart__broadcast(call, both, 2, &merged, &result))
        return false;
    bool keeps_first = call->inference->policy->is_onnx && before.rank == rank;
    for (uint32_t i = 0; keeps_first && i < merged; i++) /* it compares numbers alone */
        if (!npart__is_number(before.dims[i]) || !npart__is_number(dims[i]))
            result[i] = before.dims[i];
    einsum->ellipsis.rank = (uint16_t)merged;
    einsum->ellipsis.dims = result;
    return true;
}

/* Reads one operand's term, [from, to), against its fact: "bhqd" and [2,8,10,64]. False where it does not fit the rank;
 * then nothing is said of the result. */
static bool read_term(struct npart__call *call, struct einsum *einsum, const char *from, const char *to,
                      const struct npart__fact *fact)
{
    uint32_t letters = count_letters(from, to), axis = 0;
    if (!fact->has_rank || letters > fact->rank)
        return false;
    for (; from < to; from++) {
        if (*from == '.') {
            uint32_t covered = fact->rank - letters;
            /* An ellipsis is three dots in a row; fewer at the end of a term are a mistake. */
            if (from + 2 >= to || !merge_ellipsis(call, einsum, fact->dims + axis, covered))
                return false;
            axis += covered;
            from += 2;
            continue;
        }
        int letter = letter_index(*from);
        if (letter < 0)
            continue; /* blanks */
        if (axis >= fact->rank)
            return false;
        /* A letter that comes again must have the same size, or 1 there. */
        int64_t size = fact->dims[axis++], before = einsum->sizes[letter];
        einsum->sizes[letter] = einsum->is_seen[letter] ? npart__broadcast_dim(call, before, size) : size;
        /* ONNX's own inference takes the first, though it may be broadcast. */
        if (call->inference->policy->is_onnx && einsum->is_seen[letter])
            einsum->sizes[letter] = before;
        einsum->is_seen[letter] = true;
        einsum->uses[letter]++;
    }
    return axis == fact->rank;
}

/* Without an ellipsis on the left side there is nothing to append: its rank is 0. */
static void append_ellipsis(const struct einsum *einsum, int64_t *dims, uint32_t *rank)
{
    for (uint32_t i = 0; i < einsum->ellipsis.rank && *rank < NPART__LIMIT_RANK; i++)
        dims[(*rank)++] = einsum->ellipsis.dims[i];
}

/* "bhqd,bhkd->bhqk" of [2,8,10,64] and [2,8,12,64] is [2,8,10,12]: letters of the right side, in their order. A letter
 * that the left side lacks leaves the result unknown. */
void npart__infer_einsum(struct npart__call *call)
{
    struct einsum einsum = {.has_ellipsis = false};
    const char *equation = npart__string_attribute(call, "equation", ""), *arrow = strstr(equation, "->");
    /* Terms are separated by commas, up to the arrow. */
    const char *end = arrow ? arrow : equation + strlen(equation), *from = equation;
    for (uint32_t k = 0; k < call->node->input_count; k++) {
        const char *to = memchr(from, ',', (size_t)(end - from));
        if (!to)
            to = end;
        if (!read_term(call, &einsum, from, to, npart__in(call, k)))
            return;
        from = to < end ? to + 1 : end;
    }
    int64_t dims[NPART__LIMIT_RANK];
    uint32_t rank = 0;
    if (!arrow) { /* implicit: the ellipsis, then letters used once in alphabetical order, capitals first */
        append_ellipsis(&einsum, dims, &rank);
        for (int i = 0; i < 52 && rank < NPART__LIMIT_RANK; i++) {
            int letter = i < 26 ? i + 26 : i - 26;
            if (einsum.uses[letter] == 1)
                dims[rank++] = einsum.sizes[letter];
        }
    }
    for (const char *at = arrow ? arrow + 2 : ""; *at && rank < NPART__LIMIT_RANK; at++) {
        int letter = letter_index(*at);
        if (*at == '.' && at[1] == '.' && at[2] == '.') {
            append_ellipsis(&einsum, dims, &rank);
            at += 2;
        } else if (letter >= 0) {
            if (!einsum.is_seen[letter])
                return;
            dims[rank++] = einsum.sizes[letter];
        }
    }
    npart__set_sizes(call, 0, rank, dims);
    npart__einsum_elements(call);
}
