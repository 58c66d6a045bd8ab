/* SPDX-License-Identifier: Apache-2.0
 *
 * How much arithmetic one node is, by the definitions of its operator in the ONNX standard and in ONNX Runtime's
 * docs/ContribOperators.md.
 *
 * A MAC is a multiplication whose product is added up; additions, activations and moves of data are none. A product is
 * told as the matrices that a matrix unit would multiply. A Conv with float32[64,3,7,7] that makes
 * float32[1,64,112,112] is, for each of 49 taps, [12544 x 3] by [3 x 64]: 118 million.
 */
#include "work/formulas.h"

/* NULL for an operand that the node does not have, of which nothing is known. */
static const struct npart__fact *fact_at(const struct npart__work_call *call, uint32_t index, bool is_output)
{
    uint32_t value = is_output ? npart__node_output(call->graph, call->node, index)
                               : npart__node_input(call->graph, call->node, index);
    return value == NPART_NONE ? NULL : npart__fact_of(call->known, value);
}

/* What the row calls the input: of a product the first factor, of a recurrent operator the weights of the input. */
static const struct npart__fact *input_of(const struct npart__work_call *call)
{
    return fact_at(call, call->row->input, false);
}

static const struct npart__fact *weight_of(const struct npart__work_call *call)
{
    return fact_at(call, call->row->weight, false);
}

static uint32_t rank_of(const struct npart__fact *fact)
{
    return fact && fact->has_rank ? fact->rank : 0;
}

/* Of an axis counted from the front. Beyond the rank it is unknown, as an axis that the operator needs is missing. */
static uint64_t dim_of(const struct npart__work_call *call, const struct npart__fact *fact, uint32_t axis)
{
    return npart__axis_of(call->figures, fact, axis < rank_of(fact) ? fact->rank - axis : 0);
}

static uint64_t times(const struct npart__work_call *call, uint64_t a, uint64_t b)
{
    return npart__times(call->figures, a, b);
}

/* The product of the dims from one axis up to another. 1 where there are none between. */
static uint64_t dims_of(const struct npart__work_call *call, const struct npart__fact *fact, uint32_t from, uint32_t to)
{
    uint64_t product = 1;
    for (uint32_t axis = from; axis < to; axis++)
        product = times(call, product, dim_of(call, fact, axis));
    return product;
}

int64_t npart__work_attribute(const struct npart__work_call *call, const char *name, int64_t otherwise)
{
    return npart__node_int(call->graph, call->node, name, otherwise);
}

/* An attribute that is a size; not known where it is no positive number. `otherwise` may be 0 for one that has
 * no default: then it is not known without the attribute. */
static uint64_t size_attribute(const struct npart__work_call *call, const char *name, int64_t otherwise)
{
    int64_t value = npart__work_attribute(call, name, otherwise);
    return value > 0 ? (uint64_t)value : NPART__WORK_UNKNOWN;
}

/* ---- convolutions ------------------------------------------------------------------------------------------ */

/* Weight [filters, channels of a group, kernel...]; of a transposed one [channels, filters of a group,
 * kernel...]. What each filter meets are the elements of the result, or of the input, without their channels. Of
 * a transposed one each element of the input meets all filters of its group, so rows are counted there. Of two
 * groups of 32 filters each, columns are 32 and groups 2. */
static void count_filter(const struct npart__work_call *call, struct npart__work *work)
{
    bool is_transposed = call->row->formula == NPART__BY_TRANSPOSED_FILTER;
    const struct npart__fact *weight = weight_of(call);
    const struct npart__fact *pixels = is_transposed ? input_of(call) : fact_at(call, 0, true);
    uint32_t rank = rank_of(pixels), channels = call->row->formula == NPART__BY_FILTER_LAST ? rank - 1 : 1;
    uint64_t first = dim_of(call, weight, 0), second = dim_of(call, weight, 1);
    work->groups = size_attribute(call, "group", 1);
    first = npart__divided(call->figures, first, work->groups);
    work->columns = is_transposed ? second : first;
    work->depth = is_transposed ? first : second;
    work->taps = dims_of(call, weight, 2, rank_of(weight));
    work->rows = rank < 2 ? NPART__WORK_UNKNOWN : 1;
    for (uint32_t axis = 0; axis < rank; axis++)
        work->rows = axis == channels ? work->rows : times(call, work->rows, dim_of(call, pixels, axis));
    /* One channel a group: a matrix unit has nothing to multiply, so other rates count. */
    if (work->depth == 1 && work->groups > 1)
        work->class = NPART_WORK_DEPTHWISE;
}

/* Input [batch, channels, steps] or, of a contrib operator, in another order; weight [channels, 1, taps]. Each
 * channel has a filter of its own. */
static void count_causal(const struct npart__work_call *call, struct npart__work *work)
{
    work->columns = work->depth = 1;
    work->groups = dim_of(call, weight_of(call), 0);
    work->taps = npart__axis_of(call->figures, weight_of(call), 1);
    work->rows = npart__divided(call->figures, npart__elements_of(call->figures, fact_at(call, 0, true)), work->groups);
}

/* ---- matrices ---------------------------------------------------------------------------------------------- */

/* [..., M, K] by [..., K, N]: where the second factor has no batch, all of the first's is rows of one product. Of two
 * batches those of the second are groups. So a decoder's weights are one product of all its tokens, and attention
 * one for each head of each batch. */
static void count_matrices(const struct npart__work_call *call, struct npart__work *work)
{
    const struct npart__fact *first = input_of(call), *second = weight_of(call), *result = fact_at(call, 0, true);
    uint32_t rank = rank_of(result), of_second = rank_of(second);
    bool has_columns = of_second != 1, has_rows = rank_of(first) != 1, is_known = result && result->has_rank;
    bool is_regular = npart__work_attribute(call, "transBatchA", 0) == 0 &&
                      npart__work_attribute(call, "transBatchB", 0) == 0 && is_known;
    uint32_t batch = rank < (uint32_t)has_columns + has_rows ? 0 : rank - has_columns - has_rows;
    work->depth = npart__axis_of(call->figures, first, npart__work_attribute(call, "transA", 0) ? 2 : 1);
    work->columns = has_columns ? npart__axis_of(call->figures, result, 1) : 1;
    work->rows = !is_regular ? NPART__WORK_UNKNOWN : has_rows ? dim_of(call, result, batch) : 1;
    work->groups = work->taps = 1;
    for (uint32_t axis = 0; axis < batch; axis++) {
        uint64_t size = dim_of(call, result, axis), own = 1;
        /* A batch axis of the second factor of size 1 is stretched: the same factor for each. */
        if (of_second > 2 && batch - axis <= of_second - 2)
            own = npart__axis_of(call->figures, second, 2 + batch - axis);
        work->rows = times(call, work->rows, own == 1 ? size : 1);
        work->groups = times(call, work->groups, own == 1 ? 1 : size);
    }
}

/* The weight's shape says nothing of the product, as several numbers are in a byte; attributes do. K is the
 * attribute of MatMulNBits and its like; without it the last axis of the first factor is as long. */
static void count_packed(const struct npart__work_call *call, struct npart__work *work)
{
    const struct npart__fact *result = fact_at(call, 0, true);
    bool has_depth = npart__node_attribute(call->graph, call->node, "K") != NULL;
    work->depth = has_depth ? size_attribute(call, "K", 0) : npart__axis_of(call->figures, input_of(call), 1);
    work->columns = npart__axis_of(call->figures, result, 1);
    work->rows = dims_of(call, result, 0, rank_of(result) ? rank_of(result) - 1 : 0);
    work->groups = work->taps = 1;
}

/* Input [steps, batch, size], weights [directions, gates, size] and [directions, gates, hidden]: a step
 * multiplies the input and what the step before left, so each has a product of its own, which waits for the one
 * before. An LSTM with hidden size 128 and input size 64 in 100 steps of batch 1 has rows 1, columns 512, depth
 * 64 + 128, and 100 taps, the steps. */
static void count_recurrent(const struct npart__work_call *call, struct npart__work *work)
{
    const struct npart__fact *input = fact_at(call, 0, false), *own = input_of(call), *again = weight_of(call);
    uint32_t batch = npart__work_attribute(call, "layout", 0) == 1 ? 0 : 1; /* [batch, steps, size] */
    work->rows = dim_of(call, input, batch);
    work->columns = dim_of(call, own, 1);
    work->depth = npart__plus(call->figures, dim_of(call, own, 2), dim_of(call, again, 2));
    work->groups = dim_of(call, own, 0);
    work->taps = dim_of(call, input, 1 - batch);
}

/* ---- attention --------------------------------------------------------------------------------------------- */

/* Queries by keys and weights by values, as one product whose depth is that of both: [queries x depth] by
 * [depth x keys] for each head of each batch. Operands are [batch, steps, heads x size] or [batch, heads, steps, size].
 * `keys` is how many there are. */
static void count_heads(const struct npart__work_call *call, const struct npart__fact *query, uint64_t keys,
                        const char *attribute, struct npart__work *work)
{
    const struct npart__fact *result = fact_at(call, 0, true);
    /* Four axes have the heads apart; of three the attribute says how many there are. */
    uint64_t heads = rank_of(query) == 4 ? dim_of(call, query, 1) : size_attribute(call, attribute, 0);
    uint64_t depth = npart__plus(call->figures, npart__axis_of(call->figures, query, 1),
                                 npart__axis_of(call->figures, result, 1));
    bool is_flat = rank_of(query) == 3;
    work->rows = rank_of(query) == 3 || rank_of(query) == 4 ? npart__axis_of(call->figures, query, 2)
                                                            : NPART__WORK_UNKNOWN;
    work->columns = keys;
    work->depth = is_flat ? npart__divided(call->figures, depth, heads) : depth;
    /* Heads of no even size, or of an attribute that is not there: all as one. */
    if (is_flat && work->depth == NPART__WORK_UNKNOWN) {
        work->depth = depth;
        heads = 1;
    }
    work->groups = times(call, dim_of(call, query, 0), heads);
    work->taps = 1;
}

/* With keys of earlier steps the second result has them all, [batch, heads, keys, size]. Without keys of its own a
 * query has all three, which is not counted. */
static void count_attention(const struct npart__work_call *call, struct npart__work *work)
{
    const struct npart__fact *keys = input_of(call), *past = weight_of(call), *query = fact_at(call, 0, false);
    uint32_t rank = rank_of(keys);
    uint64_t count = npart__axis_of(call->figures, past ? fact_at(call, 1, true) : keys, 2);
    count_heads(call, query, rank == 3 || rank == 4 ? count : NPART__WORK_UNKNOWN,
                *call->row->domain ? "num_heads" : "q_num_heads", work);
}

/* The size of a query is that of the result's heads; packed with keys and values it would be another. Keys are
 * counted in the second result, which is the whole cache. */
static void count_cached(const struct npart__work_call *call, struct npart__work *work)
{
    uint64_t keys = npart__axis_of(call->figures, fact_at(call, 1, true), 2);
    count_heads(call, fact_at(call, 0, true), keys, "num_heads", work);
}

/* Input [batch, steps, size] by a weight of three parts, and attention among the steps: as many rows as steps, as many
 * columns as the result, so that the depth makes up for all three products. */
static void count_packed_attention(const struct npart__work_call *call, struct npart__work *work)
{
    const struct npart__fact *input = input_of(call), *result = fact_at(call, 0, true);
    uint64_t columns = npart__axis_of(call->figures, weight_of(call), 1);
    uint64_t steps = fact_at(call, 4, false) ? NPART__WORK_UNKNOWN : npart__axis_of(call->figures, input, 2);
    work->rows = dims_of(call, result, 0, rank_of(result) ? rank_of(result) - 1 : 0);
    work->columns = npart__axis_of(call->figures, result, 1);
    uint64_t parts = npart__divided(call->figures, columns, work->columns);
    work->depth = npart__plus(call->figures, times(call, npart__axis_of(call->figures, input, 1), parts),
                              times(call, steps, 2));
    work->groups = work->taps = 1;
}

/* ---- Einsum ------------------------------------------------------------------------------------------------ */

#define LETTERS (1u << 7)

/* Which letters a term of the equation has, and their sizes. */
struct letters {
    bool is_in[3][LETTERS]; /* the factors, the result */
    uint64_t size[LETTERS];
    bool is_known;
};

/* Goes past the term. Of the result, letters alone are read. A size is that of the first factor that has the
 * letter; letters outside of ASCII, or dots, make all unknown. A term has as many letters as its factor has
 * axes, or the equation does not suit it and all is unknown. */
static void read_letters(const struct npart__work_call *call, const struct npart__fact *factor, const char **term,
                         uint32_t place, struct letters *letters)
{
    uint32_t axis = 0;
    for (; **term && **term != ',' && **term != '-'; (*term)++) {
        unsigned char letter = (unsigned char)**term;
        if (letter == ' ')
            continue;
        letters->is_known &= letter != '.' && letter < LETTERS;
        if (letter < LETTERS && place < 2 && !letters->is_in[0][letter])
            letters->size[letter] = dim_of(call, factor, axis);
        letters->is_in[place][letter & 0x7f] = true;
        axis++;
    }
    letters->is_known &= place == 2 || (factor && factor->has_rank && axis == factor->rank);
    *term += **term == ',';
}

/* "bij,bjk->bik": the letters are b, i, j and k, each of which is one loop: b is a group, i a row, k a column, and j is
 * added up, as is every letter that the result has not. Letters that repeat count once; an ellipsis, or more than two
 * factors, make it unknown. Without a result written, those that do not repeat are its letters. */
static void count_einsum(const struct npart__work_call *call, struct npart__work *work)
{
    const struct npart__attribute *attribute = npart__node_attribute(call->graph, call->node, "equation");
    const char *term = attribute && attribute->type == NPART_ATTRIBUTE_STRING ? attribute->u.s : "";
    struct letters letters = {.is_known = call->node->input_count == 2};
    /* One factor: there is nothing to multiply. */
    if (call->node->input_count == 1) { /* it adds up and transposes */
        work->class = NPART_WORK_NORMALIZE;
        work->operations = npart__elements_of(call->figures, input_of(call));
        return;
    }
    read_letters(call, input_of(call), &term, 0, &letters);
    read_letters(call, weight_of(call), &term, 1, &letters);
    bool has_result = term[0] == '-' && term[1] == '>';
    term += has_result ? 2 : 0;
    read_letters(call, NULL, &term, 2, &letters);
    work->rows = work->columns = work->depth = work->groups = letters.is_known ? 1 : NPART__WORK_UNKNOWN;
    work->taps = 1;
    for (unsigned i = 0; i < LETTERS; i++) {
        bool first = letters.is_in[0][i], second = letters.is_in[1][i];
        bool stays = has_result ? letters.is_in[2][i] : first != second;
        uint64_t *loop = !stays ? &work->depth : first && second ? &work->groups : first ? &work->rows : &work->columns;
        if (first || second)
            *loop = times(call, *loop, letters.size[i]);
    }
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

static void count_nothing(const struct npart__work_call *call, struct npart__work *work)
{
    (void)call;
    work->rows = work->columns = work->depth = work->taps = work->groups = NPART__WORK_UNKNOWN;
}

static void count_product(const struct npart__work_call *call, struct npart__work *work)
{
    static void (*const count[])(const struct npart__work_call *call, struct npart__work *work) = {
        [NPART__BY_FILTER] = count_filter,
        [NPART__BY_FILTER_LAST] = count_filter,
        [NPART__BY_CAUSAL_FILTER] = count_causal,
        [NPART__BY_TRANSPOSED_FILTER] = count_filter,
        [NPART__BY_PRODUCT] = count_matrices,
        [NPART__BY_PACKED] = count_packed,
        [NPART__BY_RECURRENT] = count_recurrent,
        [NPART__BY_ATTENTION] = count_attention,
        [NPART__BY_PACKED_ATTENTION] = count_packed_attention,
        [NPART__BY_CACHED_ATTENTION] = count_cached,
        [NPART__BY_EINSUM] = count_einsum,
        [NPART__BY_UNCOUNTED] = count_nothing,
    };
    count[call->row->formula](call, work);
    /* Of a product that is unknown in one figure all of it is. */
    work->macs = times(call, times(call, times(call, work->rows, work->columns), times(call, work->depth, work->taps)),
                       work->groups);
}

/* The elements that operations are counted for. Of attention these are the scores, each of which is scaled and
 * goes through Softmax. A MaxPool of 3 x 3 that makes 1000 elements compares 9000 times. */
static uint64_t counted_elements(const struct npart__work_call *call, const struct npart__work *work)
{
    enum npart__work_formula formula = (enum npart__work_formula)call->row->formula;
    bool has_scores = formula == NPART__BY_ATTENTION || formula == NPART__BY_CACHED_ATTENTION;
    if (formula == NPART__BY_UNCOUNTED || formula == NPART__BY_DATA)
        return NPART__WORK_UNKNOWN;
    if (has_scores)
        return times(call, times(call, work->rows, work->columns), work->groups);
    uint64_t elements =
        npart__elements_of(call->figures, formula == NPART__BY_INPUT ? input_of(call) : fact_at(call, 0, true));
    const struct npart__attribute *kernel = npart__node_attribute(call->graph, call->node, "kernel_shape");
    bool has_window = formula == NPART__BY_WINDOW && kernel && kernel->type == NPART_ATTRIBUTE_INTS;
    for (uint32_t i = 0; has_window && i < kernel->count; i++)
        elements = times(call, elements, kernel->u.ints[i] > 0 ? (uint64_t)kernel->u.ints[i] : NPART__WORK_UNKNOWN);
    return elements;
}

/* The nearest is taken by default. Taking the nearest only moves elements. 3 is STRING of
 * AttributeProto.AttributeType. */
static bool interpolates(const struct npart__work_call *call)
{
    const struct npart__attribute *mode = npart__node_attribute(call->graph, call->node, "mode");
    return mode && mode->type == NPART_ATTRIBUTE_STRING && strcmp(mode->u.s, "nearest") != 0;
}

/* Formulas from FILTER on are products. Where the amount depends on the data, operations are not known; a
 * product whose amount is written down nowhere is unknown in both. */
void npart__apply_formula(const struct npart__work_call *call, struct npart__work *work)
{
    uint8_t formula = call->row->formula, operations = call->row->operations;
    work->class = (enum npart_work_class)call->row->class;
    if (formula >= NPART__BY_FILTER)
        count_product(call, work);
    if (formula == NPART__BY_RESIZE && interpolates(call))
        work->class = NPART_WORK_ELEMENTWISE;
    else if (formula == NPART__BY_RESIZE)
        operations = 0;
    bool depends = formula == NPART__BY_UNCOUNTED || formula == NPART__BY_DATA;
    if (operations || depends)
        work->operations = times(call, counted_elements(call, work), depends ? 1 : operations);
}
