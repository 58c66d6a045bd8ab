/* SPDX-License-Identifier: Apache-2.0
 *
 * com.microsoft:GroupQueryAttention by its definition. Queries that share a key stand below each other, so no key is
 * repeated: of 14 heads and 2 kept ones [1,14,1,64] is [1,2,7,64], and one MatMul has the scores of all.
 */
#include <math.h>

#include "rewrite/axes.h"
#include "rewrite/group_query.h"

/* Elements of the causal mask. */
#define LIMIT_MASK (1 << 20)

struct sized {
    struct npart__site *site;
    struct npart__group_query node;
    int64_t past, total; /* total = past + length */
};

static int64_t number(const struct npart__site *site, const char *name, int64_t fallback)
{
    return npart__site_int(site, site->id, name, fallback);
}

/* What is not followed: quantized caches, windows, soft caps, sinks, positions that are given. */
bool npart__is_plain_group_query(const struct npart__site *site)
{
    for (uint32_t i = FIRST_UNKNOWN; i < site->node->input_count; i++)
        if (npart__has_operand(site, i))
            return false;
    return number(site, "causal", 1) == 1 && number(site, "local_window_size", -1) == -1 &&
           number(site, "sliding_window_cache", 0) == 0 && number(site, "smooth_softmax", -1) < 1 &&
           npart__site_float(site, site->id, "softcap", 0) == 0 && npart__has_operand(site, PAST_KEY) &&
           npart__has_operand(site, PAST_VALUE) && npart__is_unused(site, npart__result(site, 3));
}

static const char *rows(void *payload, uint32_t operand)
{
    static const int64_t heads[] = {1};
    const struct sized *sized = payload;
    struct npart__site *site = sized->site;
    const char *rows = npart__make_slice(site, npart__operand_name(site, operand), 0, sized->past, sized->total, 1);
    return npart__make_unsqueeze(site, rows, heads, 1);
}

/* A token sees those before it and itself. The rows are those of the queries that share a key, one after the other. */
static const char *make_mask(const struct sized *sized)
{
    struct npart__site *site = sized->site;
    int64_t count = sized->node.shared, total = sized->total, dims[] = {count, total};
    double *mask = npart__arena_zeroed(site->arena, (size_t)(count * total), sizeof *mask);
    site->failed |= !mask;
    for (int64_t row = 0; mask && row < count; row++)
        for (int64_t key = sized->past + row % sized->node.length + 1; key < total; key++)
            mask[row * total + key] = -INFINITY;
    return mask ? npart__make_constant(site, sized->node.type, dims, 2, mask) : NULL;
}

static const char *weigh(void *payload, const char *scores)
{
    const struct sized *sized = payload;
    if (sized->node.length > 1)
        scores = NPART__MAKE(sized->site, "Add", scores, make_mask(sized));
    return npart__make_softmax(sized->site, scores);
}

static bool read_sizes(const struct npart__site *site, struct sized *sized)
{
    struct npart__group_query *out = &sized->node;
    struct npart__dims query, past, present, cosine;
    if (!npart__full_dims(site, npart__operand(site, QUERY), &query) || query.rank != 3 ||
        !npart__full_dims(site, npart__operand(site, PAST_KEY), &past) || past.rank != 4 ||
        !npart__has_dims(site, npart__operand(site, PAST_VALUE), &past) ||
        !npart__full_dims(site, npart__result(site, 1), &present) || present.rank != 4)
        return false;
    sized->past = past.at[2];
    sized->total = present.at[2];
    *out = (struct npart__group_query){.batch = query.at[0],
                                       .length = query.at[1],
                                       .heads = number(site, "num_heads", 0),
                                       .kept = number(site, "kv_num_heads", 0),
                                       .size = past.at[3],
                                       .type = npart__site_type(site, npart__operand(site, QUERY)),
                                       .rows = rows,
                                       .weigh = weigh,
                                       .payload = sized};
    int64_t columns = npart__has_operand(site, KEY) ? out->heads : out->heads + 2 * out->kept;
    bool turns = number(site, "do_rotary", 0) != 0;
    if (turns && (!npart__full_dims(site, npart__operand(site, COSINE), &cosine) || cosine.rank != 2 ||
                  cosine.at[1] * 2 != out->size || cosine.at[0] < sized->total ||
                  !npart__has_dims(site, npart__operand(site, SINE), &cosine) || number(site, "rotary_interleaved", 0)))
        return false;
    if (out->heads <= 0 || out->kept <= 0 || out->heads % out->kept)
        return false;
    out->shared = out->heads / out->kept * out->length;
    return past.at[1] == out->kept && past.at[0] == out->batch && query.at[2] == columns * out->size &&
           sized->total == sized->past + out->length && out->shared * sized->total <= LIMIT_MASK &&
           (out->type == NPART__FLOAT || out->type == NPART__FLOAT16) &&
           npart__site_type(site, npart__operand(site, PAST_KEY)) == out->type &&
           npart__site_type(site, npart__operand(site, PAST_VALUE)) == out->type;
}

const char *npart__make_reshape_to(struct npart__site *site, const char *x, const int64_t *dims, uint32_t rank)
{
    return NPART__MAKE(site, "Reshape", x, npart__make_ints(site, dims, rank));
}

static const char *reshape(struct npart__site *site, const struct npart__group_query *at, const char *x,
                           const int64_t *dims, uint32_t rank)
{
    return (at->shared < 0 ? npart__make_reshape_to : npart__make_reshape)(site, x, dims, rank);
}

const char *npart__make_turned(struct npart__site *site, const char *x, int64_t size, const char *cosine,
                               const char *sine)
{
    const int64_t halves[] = {size / 2, size / 2};
    const char *a = npart__make_split(site, x, 3, halves, 2), *b = npart__made_result(site, 1);
    const char *ac = NPART__MAKE(site, "Mul", a, cosine), *bs = NPART__MAKE(site, "Mul", b, sine);
    const char *bc = NPART__MAKE(site, "Mul", b, cosine), *as = NPART__MAKE(site, "Mul", a, sine);
    const char *turned[2];
    turned[0] = NPART__MAKE(site, "Sub", ac, bs);
    turned[1] = NPART__MAKE(site, "Add", bc, as);
    return npart__make_concat(site, turned, 2, 3);
}

const char *npart__make_softmax(struct npart__site *site, const char *scores)
{
    scores = NPART__MAKE(site, "Softmax", scores);
    npart__give_int(site, "axis", 3);
    return scores;
}

/* [batch, length, heads * size] as [batch, heads, length, size], turned by the rows of positions, NULL: not. They are
 * applied before the heads change places: runtimes move a Transpose past what comes after it, to the rows of the
 * tables, in each layer. */
static const char *split_heads(struct npart__site *site, const struct npart__group_query *at, const char *x,
                               int64_t heads, const char *cosine, const char *sine)
{
    static const int64_t order[] = {0, 2, 1, 3};
    const int64_t dims[] = {at->batch, at->length, heads, at->size};
    x = reshape(site, at, x, dims, 4);
    return npart__make_transpose(site, cosine ? npart__make_turned(site, x, at->size, cosine, sine) : x, order, 4);
}

void npart__make_group_query(struct npart__site *site, const struct npart__group_query *at, const char *const *parts)
{
    static const int64_t turned[] = {0, 1, 3, 2}, back[] = {0, 2, 1, 3};
    const int64_t grouped[] = {at->batch, at->kept, at->shared, at->size};
    const int64_t each[] = {at->batch, at->heads, at->shared < 0 ? -1 : at->length, at->size};
    const int64_t whole[] = {at->batch, at->length, at->heads * at->size};
    double scale = npart__site_float(site, site->id, "scale", 0);
    bool turns = number(site, "do_rotary", 0) != 0;
    const char *cosine = turns ? at->rows(at->payload, COSINE) : NULL;
    const char *sine = turns ? at->rows(at->payload, SINE) : NULL;
    const char *query = split_heads(site, at, parts[0], at->heads, cosine, sine);
    const char *key = split_heads(site, at, parts[1], at->kept, cosine, sine);
    const char *value = split_heads(site, at, parts[2], at->kept, NULL, NULL);
    key = npart__make_concat(site, (const char *const[]){npart__operand_name(site, PAST_KEY), key}, 2, 2);
    value = npart__make_concat(site, (const char *const[]){npart__operand_name(site, PAST_VALUE), value}, 2, 2);
    query = reshape(site, at, query, grouped, 4);
    query = NPART__MAKE(site, "Mul", query,
                        npart__make_scalar(site, at->type, scale != 0 ? scale : 1 / sqrt((double)at->size)));
    const char *scores = NPART__MAKE(site, "MatMul", query, npart__make_transpose(site, key, turned, 4));
    scores = at->weigh(at->payload, scores);
    const char *result = reshape(site, at, NPART__MAKE(site, "MatMul", scores, value), each, 4);
    npart__finish(site, 0, reshape(site, at, npart__make_transpose(site, result, back, 4), whole, 3));
    npart__finish(site, 1, key);
    npart__finish(site, 2, value);
}

void npart__list_group_query_parts(struct npart__site *site, int64_t heads, int64_t kept, int64_t size,
                                   const char **parts)
{
    const int64_t sizes[] = {heads * size, kept * size, kept * size};
    if (npart__has_operand(site, KEY)) {
        for (uint32_t i = 0; i < 3; i++)
            parts[i] = npart__operand_name(site, QUERY + i);
        return;
    }
    parts[0] = npart__make_split(site, npart__operand_name(site, QUERY), 2, sizes, 3);
    parts[1] = npart__made_result(site, 1);
    parts[2] = npart__made_result(site, 2);
}

/* Where each row uses all of its cache the mask by lengths masks nothing, and positions are those of the cache. */
bool npart__rewrite_group_query(struct npart__site *site)
{
    struct sized sized = {.site = site};
    const struct npart__group_query *node = &sized.node;
    const char *parts[3];
    if (!npart__is_plain_group_query(site) || npart__has_operand(site, KEY) != npart__has_operand(site, VALUE) ||
        !read_sizes(site, &sized))
        return false;
    npart__list_group_query_parts(site, node->heads, node->kept, node->size, parts);
    npart__make_group_query(site, node, parts);
    return true;
}
