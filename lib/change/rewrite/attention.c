/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention over a cache by its definition. Queries that share a key stand below each other, so no key is repeated: of
 * 14 heads and 2 kept ones [1,14,1,64] is [1,2,7,64], and one MatMul has the scores of all. Where what is added to the
 * scores is told by token and there are several, they are seen by head meanwhile.
 */
#include <math.h>

#include "rewrite/attention.h"
#include "rewrite/axes.h"

const char *npart__make_reshape_to(struct npart__site *site, const char *x, const int64_t *dims, uint32_t rank)
{
    return NPART__MAKE(site, "Reshape", x, npart__make_ints(site, dims, rank));
}

static bool is_sized(const struct npart__attention *at)
{
    return at->shared >= 0;
}

static const char *reshape(struct npart__site *site, const struct npart__attention *at, const char *x,
                           const int64_t *dims, uint32_t rank)
{
    return (is_sized(at) ? npart__make_reshape : npart__make_reshape_to)(site, x, dims, rank);
}

/* ---- heads ------------------------------------------------------------------------------------------------------- */

/* Pairs (a, b), and the elements after them, NULL: none. */
static const char *turn_pairs(struct npart__site *site, const char *a, const char *b, const char *rest,
                              const struct npart__turn *turn)
{
    const char *ac = npart__make_multiply(site, a, turn->cosine), *bs = npart__make_multiply(site, b, turn->sine);
    const char *bc = npart__make_multiply(site, b, turn->cosine), *as = npart__make_multiply(site, a, turn->sine);
    const char *turned[3];
    turned[0] = npart__make_subtract(site, ac, bs);
    turned[1] = npart__make_add(site, bc, as);
    turned[2] = rest;
    if (!turn->is_interleaved)
        return npart__make_concat(site, turned, rest ? 3 : 2, 3);
    /* As a last axis of two, which then is joined with the pairs. In four axes: more are not taken everywhere. */
    static const int64_t apart[] = {0, 0, -1, 1};
    const int64_t joined[] = {0, 0, -1, turn->turned};
    turned[0] = npart__make_reshape_to(site, turned[0], apart, 4);
    turned[1] = npart__make_reshape_to(site, turned[1], apart, 4);
    turned[0] = npart__make_reshape_to(site, npart__make_concat(site, turned, 2, 3), joined, 4);
    return rest ? npart__make_concat(site, (const char *const[]){turned[0], rest}, 2, 3) : turned[0];
}

const char *npart__make_turned(struct npart__site *site, const char *x, const struct npart__turn *turn)
{
    int64_t half = turn->turned / 2, step = turn->is_interleaved ? 2 : 1;
    bool is_whole = turn->turned == turn->size;
    const int64_t halves[] = {half, half};
    const char *rest = is_whole ? NULL : npart__make_slice(site, x, 3, turn->turned, turn->size, 1);
    if (is_whole && !turn->is_interleaved) {
        const char *a = npart__make_split(site, x, 3, halves, 2);
        return turn_pairs(site, a, npart__made_result(site, 1), NULL, turn);
    }
    const char *a = npart__make_slice(site, x, 3, 0, turn->is_interleaved ? turn->turned : half, step);
    const char *b = npart__make_slice(site, x, 3, turn->is_interleaved ? 1 : half, turn->turned, step);
    return turn_pairs(site, a, b, rest, turn);
}

/* Each head divided by the root of the mean of its squares, in float32 whatever its type. */
static const char *normalize(struct npart__site *site, const struct npart__attention *at, const char *x, uint32_t which)
{
    static const int64_t last[] = {3};
    bool is_half = at->type != NPART__FLOAT;
    x = is_half ? npart__make_cast(site, x, NPART__FLOAT) : x;
    const char *mean = npart__make_reduce_mean(site, npart__make_multiply(site, x, x), last, 1, true);
    const char *epsilon = npart__make_scalar(site, NPART__FLOAT, at->epsilons[which]);
    x = npart__make_divide(site, x, NPART__MAKE(site, "Sqrt", npart__make_add(site, mean, epsilon)));
    x = is_half ? npart__make_cast(site, x, at->type) : x;
    return npart__make_multiply(site, x, at->gains[which]);
}

enum part { QUERIES, KEYS, VALUES };

/* A part as [batch, heads, length, size], turned by the rows of positions. They are applied before the heads change
 * places: runtimes move a Transpose past what comes after it, to the rows of the tables, in each layer. */
static const char *split_heads(struct npart__site *site, const struct npart__attention *at, const char *x,
                               enum part part)
{
    static const int64_t order[] = {0, 2, 1, 3};
    int64_t size = part == VALUES ? at->value_size : at->size;
    const int64_t dims[] = {at->batch, at->length, part == QUERIES ? at->heads : at->kept, size};
    const struct npart__turn turn = {size, at->turned, at->is_interleaved, at->cosine, at->sine};
    if (at->has_heads)
        return x;
    x = reshape(site, at, x, dims, 4);
    if (part != VALUES && at->gains[part])
        x = normalize(site, at, x, part);
    if (part != VALUES && at->turned)
        x = npart__make_turned(site, x, &turn);
    return npart__make_transpose(site, x, order, 4);
}

static const char *join(struct npart__site *site, const char *past, const char *fresh)
{
    return past ? npart__make_concat(site, (const char *const[]){past, fresh}, 2, 2) : fresh;
}

/* ---- scores ------------------------------------------------------------------------------------------------------ */

/* Of scores, whose last axis is that of the slots. */
static const char *reshape_scores(struct npart__site *site, const struct npart__attention *at, const char *x,
                                  bool is_by_head)
{
    static const int64_t first[] = {0};
    const int64_t dims[] = {at->batch, is_by_head ? at->heads : at->kept, is_by_head ? at->length : at->shared,
                            at->total};
    const int64_t front[] = {0, is_by_head ? at->heads : at->kept, -1};
    if (is_sized(at))
        return npart__make_reshape(site, x, dims, 4);
    const char *to[] = {npart__make_ints(site, front, 3), npart__make_unsqueeze(site, at->slots, first, 1)};
    return NPART__MAKE(site, "Reshape", x, npart__make_concat(site, to, 2, 0));
}

static const char *make_softmax(struct npart__site *site, const char *scores)
{
    scores = NPART__MAKE(site, "Softmax", scores);
    npart__give_int(site, "axis", 3);
    return scores;
}

/* The sink of each row, as a column. Where sizes are no numbers the batch is 1. */
static const char *make_sink(struct npart__site *site, const struct npart__attention *at, bool is_by_head)
{
    static const int64_t first[] = {0};
    const int64_t dims[] = {1, is_by_head ? at->heads : at->kept, is_by_head ? 1 : at->heads / at->kept, 1};
    const int64_t sized[] = {at->batch, dims[1], is_by_head ? at->length : dims[2], 1};
    double zero[1] = {0};
    const char *sink = at->sink ? npart__make_reshape(site, at->sink, dims, 4)
                                : npart__make_constant(site, at->type, (const int64_t[]){1, 1, 1, 1}, 4, zero);
    if (is_sized(at) || at->is_single)
        return npart__make_expand(site, sink, is_sized(at) ? sized : dims, 4);
    const char *to[] = {npart__make_ints(site, dims, 2), npart__make_unsqueeze(site, at->tokens, first, 1),
                        npart__make_ints(site, dims + 3, 1)};
    return NPART__MAKE(site, "Expand", sink, npart__make_concat(site, to, 3, 0));
}

/* A column more that takes its share, and is cut off. */
static const char *weigh_beside_sink(struct npart__site *site, const struct npart__attention *at, const char *scores,
                                     bool is_by_head)
{
    static const int64_t first[] = {0}, last[] = {3};
    const char *all[] = {scores, make_sink(site, at, is_by_head)};
    const char *weights = make_softmax(site, npart__make_concat(site, all, 2, 3));
    if (is_sized(at))
        return npart__make_slice(site, weights, 3, 0, at->total, 1);
    return NPART__MAKE(site, "Slice", weights, npart__make_ints(site, first, 1),
                       npart__make_unsqueeze(site, at->slots, first, 1), npart__make_ints(site, last, 1));
}

static const char *weigh(struct npart__site *site, const struct npart__attention *at, const char *scores)
{
    bool has_sink = at->sink || at->is_smooth, has_mask = at->mask && !at->is_mask_shared;
    bool is_by_head = (at->bias && at->is_by_head) || (!at->is_single && (at->bias || has_sink || has_mask));
    if (at->softcap != 0) {
        const char *cap = npart__make_scalar(site, at->type, at->softcap);
        scores = NPART__MAKE(site, "Tanh", npart__make_divide(site, scores, cap));
        scores = npart__make_multiply(site, scores, cap);
    }
    if (is_by_head)
        scores = reshape_scores(site, at, scores, true);
    if (at->bias)
        scores = npart__make_add(site, scores, at->bias);
    if (at->mask)
        scores = npart__make_add(site, scores, at->mask);
    scores = has_sink ? weigh_beside_sink(site, at, scores, is_by_head) : make_softmax(site, scores);
    return is_by_head ? reshape_scores(site, at, scores, false) : scores;
}

/* Where nothing else is told by head the rows are those of the queries that share a key, one after the other. */
void npart__hide_slots(struct npart__site *site, struct npart__attention *at, bool is_causal, int64_t window)
{
    if ((!window || window >= at->total) && (at->is_single || !is_causal))
        return;
    at->is_mask_shared = !at->is_single && !at->bias && !at->sink && !at->is_smooth;
    int64_t rows = at->is_mask_shared ? at->shared : at->length, dims[] = {rows, at->total};
    double *mask = npart__arena_zeroed(site->arena, (size_t)(rows * at->total), sizeof *mask);
    site->failed |= !mask;
    for (int64_t row = 0; mask && row < rows; row++)
        for (int64_t slot = 0; slot < at->total; slot++) {
            int64_t own = at->total - at->length + row % at->length;
            if ((is_causal && slot > own) || (window && slot <= own - window))
                mask[row * at->total + slot] = -INFINITY;
        }
    at->mask = mask ? npart__make_constant(site, at->type, dims, 2, mask) : NULL;
}

void npart__finish_attention(struct npart__site *site, const struct npart__attention *at)
{
    static const int64_t turned[] = {0, 1, 3, 2}, back[] = {0, 2, 1, 3};
    const int64_t grouped[] = {at->batch, at->kept, at->shared, at->size};
    const int64_t each[] = {at->batch, at->heads, is_sized(at) ? at->length : -1, at->value_size};
    const int64_t whole[] = {at->batch, at->length, at->heads * at->value_size};
    const char *query = split_heads(site, at, at->query, QUERIES);
    const char *key = split_heads(site, at, at->key, KEYS);
    const char *value = split_heads(site, at, at->value, VALUES);
    key = join(site, at->past_key, key);
    value = join(site, at->past_value, value);
    query = reshape(site, at, query, grouped, 4);
    query = npart__make_multiply(site, query, npart__make_scalar(site, at->type, at->scale));
    const char *scores = npart__make_matmul(site, query, npart__make_transpose(site, key, turned, 4));
    scores = weigh(site, at, scores);
    const char *result = reshape(site, at, npart__make_matmul(site, scores, value), each, 4);
    if (!at->has_heads)
        result = reshape(site, at, npart__make_transpose(site, result, back, 4), whole, 3);
    npart__finish(site, 0, result);
    npart__finish(site, 1, key);
    npart__finish(site, 2, value);
}
