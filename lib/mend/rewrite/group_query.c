/* SPDX-License-Identifier: Apache-2.0
 *
 * com.microsoft:GroupQueryAttention by its definition. Queries that share a key stand below each other, so no key is
 * repeated: of 14 heads and 2 kept ones [1,14,1,64] is [1,2,7,64], and one MatMul has the scores of all.
 */
#include <math.h>

#include "rewrite/axes.h"
#include "rewrite/group_query.h"

enum { QUERY, KEY, VALUE, PAST_KEY, PAST_VALUE, LENGTHS, TOTAL, COSINE, SINE, FIRST_UNKNOWN };

/* Elements of the causal mask. */
#define LIMIT_MASK (1 << 20)

struct group_query {
    int64_t batch, length, past, total; /* length: of the new tokens; total = past + length */
    int64_t heads, kept, size;          /* of queries, of keys; of a head */
    int type;
};

static bool is_given(const struct npart__site *site, uint32_t operand)
{
    return npart__operand(site, operand) != NPART_NONE;
}

static int64_t number(const struct npart__site *site, const char *name, int64_t fallback)
{
    return npart__site_int(site, site->id, name, fallback);
}

/* What is not followed: quantized caches, windows, soft caps, sinks, positions that are given. */
bool npart__is_plain_group_query(const struct npart__site *site)
{
    for (uint32_t i = FIRST_UNKNOWN; i < site->node->input_count; i++)
        if (is_given(site, i))
            return false;
    return number(site, "causal", 1) == 1 && number(site, "local_window_size", -1) == -1 &&
           number(site, "sliding_window_cache", 0) == 0 && number(site, "smooth_softmax", -1) < 1 &&
           npart__site_float(site, site->id, "softcap", 0) == 0 && is_given(site, PAST_KEY) &&
           is_given(site, PAST_VALUE) && npart__is_unused(site, npart__result(site, 3));
}

static bool read_sizes(const struct npart__site *site, struct group_query *out)
{
    struct npart__dims query, past, present, cosine;
    if (!npart__full_dims(site, npart__operand(site, QUERY), &query) || query.rank != 3 ||
        !npart__full_dims(site, npart__operand(site, PAST_KEY), &past) || past.rank != 4 ||
        !npart__has_dims(site, npart__operand(site, PAST_VALUE), &past) ||
        !npart__full_dims(site, npart__result(site, 1), &present) || present.rank != 4)
        return false;
    *out = (struct group_query){.batch = query.at[0],
                                .length = query.at[1],
                                .past = past.at[2],
                                .total = present.at[2],
                                .heads = number(site, "num_heads", 0),
                                .kept = number(site, "kv_num_heads", 0),
                                .size = past.at[3],
                                .type = npart__site_type(site, npart__operand(site, QUERY))};
    int64_t columns = is_given(site, KEY) ? out->heads : out->heads + 2 * out->kept;
    bool turns = number(site, "do_rotary", 0) != 0;
    if (turns && (!npart__full_dims(site, npart__operand(site, COSINE), &cosine) || cosine.rank != 2 ||
                  cosine.at[1] * 2 != out->size || cosine.at[0] < out->total ||
                  !npart__has_dims(site, npart__operand(site, SINE), &cosine) || number(site, "rotary_interleaved", 0)))
        return false;
    return out->heads > 0 && out->kept > 0 && out->heads % out->kept == 0 && past.at[1] == out->kept &&
           past.at[0] == out->batch && query.at[2] == columns * out->size && out->total == out->past + out->length &&
           out->heads / out->kept * out->length * out->total <= LIMIT_MASK &&
           (out->type == NPART__FLOAT || out->type == NPART__FLOAT16) &&
           npart__site_type(site, npart__operand(site, PAST_KEY)) == out->type &&
           npart__site_type(site, npart__operand(site, PAST_VALUE)) == out->type;
}

/* [batch, length, heads * size] as [batch, heads, length, size]. */
static const char *split_heads(struct npart__site *site, const struct group_query *node, const char *x, int64_t heads)
{
    static const int64_t order[] = {0, 2, 1, 3};
    const int64_t dims[] = {node->batch, node->length, heads, node->size};
    return npart__make_transpose(site, npart__make_reshape(site, x, dims, 4), order, 4);
}

/* Each pair of elements, half a head apart, is turned by the angle of its position: (a, b) becomes (a cos - b sin,
 * b cos + a sin). */
static const char *turn(struct npart__site *site, const struct group_query *node, const char *x)
{
    const int64_t halves[] = {node->size / 2, node->size / 2};
    const char *cosine = npart__make_slice(site, npart__operand_name(site, COSINE), 0, node->past, node->total, 1);
    const char *sine = npart__make_slice(site, npart__operand_name(site, SINE), 0, node->past, node->total, 1);
    const char *a = npart__make_split(site, x, 3, halves, 2), *b = npart__made_result(site, 1);
    const char *products[] = {NULL, NULL, NULL, NULL}, *turned[2];
    products[0] = NPART__MAKE(site, "Mul", a, cosine);
    products[1] = NPART__MAKE(site, "Mul", b, sine);
    products[2] = NPART__MAKE(site, "Mul", b, cosine);
    products[3] = NPART__MAKE(site, "Mul", a, sine);
    turned[0] = NPART__MAKE(site, "Sub", products[0], products[1]);
    turned[1] = NPART__MAKE(site, "Add", products[2], products[3]);
    return npart__make_concat(site, turned, 2, 3);
}

/* A token sees those before it and itself. The rows are those of the queries that share a key, one after the other. */
static const char *make_mask(struct npart__site *site, const struct group_query *node)
{
    int64_t rows = node->heads / node->kept * node->length, dims[] = {rows, node->total};
    double *mask = npart__arena_zeroed(site->arena, (size_t)(rows * node->total), sizeof *mask);
    site->failed |= !mask;
    for (int64_t row = 0; mask && row < rows; row++)
        for (int64_t key = node->past + row % node->length + 1; key < node->total; key++)
            mask[row * node->total + key] = -INFINITY;
    return mask ? npart__make_constant(site, node->type, dims, 2, mask) : NULL;
}

void npart__list_group_query_parts(struct npart__site *site, int64_t heads, int64_t kept, int64_t size,
                                   const char **parts)
{
    const int64_t sizes[] = {heads * size, kept * size, kept * size};
    if (is_given(site, KEY)) {
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
    static const int64_t turned[] = {0, 1, 3, 2}, back[] = {0, 2, 1, 3};
    struct group_query node;
    const char *parts[3];
    if (!npart__is_plain_group_query(site) || is_given(site, KEY) != is_given(site, VALUE) || !read_sizes(site, &node))
        return false;
    int64_t shared = node.heads / node.kept * node.length;
    const int64_t grouped[] = {node.batch, node.kept, shared, node.size};
    const int64_t each[] = {node.batch, node.heads, node.length, node.size};
    const int64_t whole[] = {node.batch, node.length, node.heads * node.size};
    double scale = npart__site_float(site, site->id, "scale", 0);
    npart__list_group_query_parts(site, node.heads, node.kept, node.size, parts);
    const char *query = split_heads(site, &node, parts[0], node.heads);
    const char *key = split_heads(site, &node, parts[1], node.kept);
    const char *value = split_heads(site, &node, parts[2], node.kept);
    if (number(site, "do_rotary", 0)) {
        query = turn(site, &node, query);
        key = turn(site, &node, key);
    }
    key = npart__make_concat(site, (const char *const[]){npart__operand_name(site, PAST_KEY), key}, 2, 2);
    value = npart__make_concat(site, (const char *const[]){npart__operand_name(site, PAST_VALUE), value}, 2, 2);
    query = npart__make_reshape(site, query, grouped, 4);
    query = NPART__MAKE(site, "Mul", query,
                        npart__make_scalar(site, node.type, scale != 0 ? scale : 1 / sqrt((double)node.size)));
    const char *scores = NPART__MAKE(site, "MatMul", query, npart__make_transpose(site, key, turned, 4));
    if (node.length > 1)
        scores = NPART__MAKE(site, "Add", scores, make_mask(site, &node));
    scores = NPART__MAKE(site, "Softmax", scores);
    npart__give_int(site, "axis", 3);
    const char *result = npart__make_reshape(site, NPART__MAKE(site, "MatMul", scores, value), each, 4);
    npart__finish(site, 0, npart__make_reshape(site, npart__make_transpose(site, result, back, 4), whole, 3));
    npart__finish(site, 1, key);
    npart__finish(site, 2, value);
    return true;
}
