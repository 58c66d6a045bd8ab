/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention (opset 23 and 24) and com.microsoft:MultiHeadAttention with a past, as the standard, the schema and ONNX
 * Runtime's CPU kernels define them (1.32): new keys follow those of the past, what is causal counts slots from the
 * first of the past on, and a mask of truth values hides where it is false.
 */
#include <math.h>

#include "rewrite/axes.h"
#include "rewrite/cached.h"
#include "rewrite/group_query.h"

enum { STANDARD_PAST_KEY = 4, CONTRIB_PAST_KEY = 6 }; /* operands */

static const struct npart__fact *fact_of(const struct npart__site *site, uint32_t operand)
{
    return npart__fact_of(site->inference, npart__operand(site, operand));
}

static bool has_rank(const struct npart__site *site, uint32_t operand, uint32_t rank)
{
    const struct npart__fact *fact = npart__has_operand(site, operand) ? fact_of(site, operand) : NULL;
    return fact && fact->has_rank && fact->rank == rank;
}

/* What is added to scores: [.., length, slots]. Whether it is by head is told by the axis before these. */
static const char *read_added(struct npart__site *site, uint32_t operand, struct npart__cached *out)
{
    const struct npart__fact *mask = fact_of(site, operand);
    if (!mask->has_rank || mask->rank < 2 || mask->rank > 4)
        return "the rank of its mask is not known";
    int64_t heads = mask->rank > 2 ? mask->dims[mask->rank - 3u] : 1;
    if (!npart__is_number(heads))
        return "the heads of its mask are not known";
    out->attention.is_by_head |= heads != 1;
    if (mask->element_type == NPART__BOOL)
        out->visible = npart__operand_name(site, operand);
    else if (mask->element_type == out->attention.type)
        out->attention.bias = npart__operand_name(site, operand);
    else
        return "its mask has another element type than its queries";
    return NULL;
}

/* Sizes of heads from the parts, which all have them apart, or none has. */
static const char *read_parts(struct npart__site *site, struct npart__cached *out)
{
    struct npart__attention *at = &out->attention;
    at->has_heads = has_rank(site, 0, 4);
    uint32_t rank = at->has_heads ? 4 : 3;
    for (uint32_t i = 0; i < 3; i++)
        if (!has_rank(site, i, rank))
            return "its query, key and value have not one rank of 3 or 4";
    if (at->has_heads) {
        at->heads = fact_of(site, 0)->dims[1];
        at->kept = fact_of(site, 1)->dims[1];
    }
    if (!npart__is_number(at->heads) || !npart__is_number(at->kept) || at->heads <= 0 || at->kept <= 0 ||
        at->heads > INT32_MAX || at->kept > INT32_MAX || at->heads % at->kept != 0)
        return "its heads are not known, or are no multiple of those of the keys";
    at->size = npart__last_dim(site, npart__operand(site, 0)) / (at->has_heads ? 1 : at->heads);
    at->value_size = npart__last_dim(site, npart__operand(site, 2)) / (at->has_heads ? 1 : at->kept);
    int64_t key_size = npart__last_dim(site, npart__operand(site, 1)) / (at->has_heads ? 1 : at->kept);
    uint32_t axis = at->has_heads ? 2 : 1;
    if (!at->size || !at->value_size || key_size != at->size)
        return "the size of its heads is not known";
    return fact_of(site, 0)->dims[axis] != fact_of(site, 1)->dims[axis] ? "it has not as many new keys as queries"
                                                                        : NULL;
}

static const char *read_standard(struct npart__site *site, struct npart__cached *out)
{
    enum { MASK = 3, IN_USE = STANDARD_PAST_KEY + 2 };
    struct npart__attention *at = &out->attention;
    out->is_causal = npart__number(site, "is_causal", 0) == 1;
    at->heads = npart__number(site, "q_num_heads", 0);
    at->kept = npart__number(site, "kv_num_heads", 0);
    at->softcap = npart__site_float(site, site->id, "softcap", 0);
    if (npart__has_operand(site, IN_USE))
        return "how much of its cache is in use is told by an operand (nonpad_kv_seqlen)";
    /* Added before the cap by the text of opset 23 when it came out, after it by ONNX Runtime and later texts. */
    if (at->softcap != 0 && (npart__has_operand(site, MASK) || out->is_causal))
        return "releases of ONNX do not agree whether its mask is added before or after its softcap";
    return npart__has_operand(site, MASK) ? read_added(site, MASK, out) : NULL;
}

static const char *read_contrib(struct npart__site *site, struct npart__cached *out)
{
    enum { BIAS = 3, PADDING, ADDED, MORE = CONTRIB_PAST_KEY + 2 };
    struct npart__attention *at = &out->attention;
    out->is_causal = npart__number(site, "unidirectional", 0) == 1;
    at->heads = at->kept = npart__number(site, "num_heads", 0);
    out->projection_bias = npart__has_operand(site, BIAS) ? BIAS : 0;
    if (npart__has_operand(site, PADDING))
        return "it has a key_padding_mask, which is not followed";
    for (uint32_t i = MORE; i < site->node->input_count; i++)
        if (npart__has_operand(site, i))
            return "its cache is a buffer with beams (past_sequence_length, cache_indirection)";
    return npart__has_operand(site, ADDED) ? read_added(site, ADDED, out) : NULL;
}

/* A bias of the three projections is one operand, in their order. */
static void add_bias(struct npart__site *site, struct npart__cached *out)
{
    struct npart__attention *at = &out->attention;
    const int64_t sizes[] = {at->heads * at->size, at->kept * at->size, at->kept * at->value_size};
    const char *first = npart__make_split(site, npart__operand_name(site, out->projection_bias), 0, sizes, 3);
    const char *second = npart__made_result(site, 1), *third = npart__made_result(site, 2);
    at->query = npart__make_add(site, at->query, first);
    at->key = npart__make_add(site, at->key, second);
    at->value = npart__make_add(site, at->value, third);
}

uint32_t npart__past_key_of(const struct npart__graph *graph, uint32_t id)
{
    const struct npart__traits *traits = npart__node_at(graph, id)->traits;
    return traits->comes_apart ? traits->cache.first : 0;
}

bool npart__has_past(const struct npart__graph *graph, uint32_t id)
{
    const struct npart__node *node = npart__node_at(graph, id);
    uint32_t past = npart__past_key_of(graph, id);
    return past && (npart__node_input(graph, node, past) != NPART_NONE ||
                    npart__node_input(graph, node, past + 1) != NPART_NONE);
}

const char *npart__read_cached(struct npart__site *site, struct npart__cached *out)
{
    bool is_standard = site->node->domain == 0;
    struct npart__attention *at = &out->attention;
    *out = (struct npart__cached){.past_key = npart__past_key_of(site->graph, site->id)};
    if (!npart__has_operand(site, 0) || !npart__has_operand(site, 1) || !npart__has_operand(site, 2))
        return "an operand that it must have is missing";
    at->type = npart__site_type(site, npart__operand(site, 0));
    if (at->type != NPART__FLOAT && at->type != NPART__FLOAT16)
        return "its element type is neither float32 nor float16";
    const char *reason = is_standard ? read_standard(site, out) : read_contrib(site, out);
    if (!reason && !npart__is_unused(site, npart__result(site, 3)))
        reason = "its scores are a result, which is not followed";
    for (uint32_t i = 0; i < 2 && !reason; i++)
        if (!npart__has_operand(site, out->past_key + i) ||
            npart__site_type(site, npart__operand(site, out->past_key + i)) != at->type)
            reason = "its cache is not whole, or has another element type than its queries";
    if (!reason)
        reason = read_parts(site, out);
    if (!reason && out->projection_bias && (at->has_heads || !has_rank(site, out->projection_bias, 1)))
        reason = "its bias is not one of query, key and value beside each other";
    if (reason)
        return reason;
    double scale = npart__site_float(site, site->id, "scale", 0);
    at->scale = scale != 0 ? scale : 1 / sqrt((double)at->size);
    at->query = npart__operand_name(site, 0);
    at->key = npart__operand_name(site, 1);
    at->value = npart__operand_name(site, 2);
    at->past_key = npart__operand_name(site, out->past_key);
    at->past_value = npart__operand_name(site, out->past_key + 1);
    if (out->projection_bias)
        add_bias(site, out);
    return NULL;
}

void npart__make_visible(struct npart__site *site, struct npart__cached *cached, double hidden)
{
    if (!cached->visible)
        return;
    int type = cached->attention.type;
    const char *none = npart__make_scalar(site, type, 0), *much = npart__make_scalar(site, type, hidden);
    cached->attention.bias = npart__make_where(site, cached->visible, none, much);
}

/* ---- by itself: with sizes that are numbers ---------------------------------------------------------------------- */

/* A mask is broadcast over its batch, heads and tokens. */
static bool fits_mask(const struct npart__site *site, uint32_t operand, const struct npart__attention *at)
{
    const int64_t whole[] = {at->batch, at->heads, at->length, at->total};
    struct npart__dims mask;
    if (!npart__full_dims(site, npart__operand(site, operand), &mask) || mask.at[mask.rank - 1u] != at->total)
        return false;
    for (uint32_t i = 0; i + 1 < mask.rank; i++)
        if (mask.at[i] != 1 && mask.at[i] != whole[4 - mask.rank + i])
            return false;
    return true;
}

static bool fit_sizes(const struct npart__site *site, const struct npart__cached *cached, struct npart__attention *at)
{
    struct npart__dims query, past;
    uint32_t axis = at->has_heads ? 2 : 1, mask = site->node->domain == 0 ? 3 : 5;
    if (!npart__full_dims(site, npart__operand(site, 0), &query) ||
        !npart__full_dims(site, npart__operand(site, cached->past_key), &past) || past.rank != 4 ||
        past.at[2] > NPART__LIMIT_MASK)
        return false;
    at->batch = query.at[0];
    at->length = query.at[axis];
    at->total = past.at[2] + at->length;
    at->shared = at->heads / at->kept * at->length;
    at->is_single = at->length == 1;
    const int64_t keys[] = {at->batch, at->kept, past.at[2], at->size};
    const int64_t values[] = {at->batch, at->kept, past.at[2], at->value_size};
    return npart__operand_has_dims(site, cached->past_key, keys, 4) &&
           npart__operand_has_dims(site, cached->past_key + 1, values, 4) &&
           at->shared <= NPART__LIMIT_MASK / at->total &&
           (!npart__has_operand(site, mask) || fits_mask(site, mask, at));
}

bool npart__rewrite_attention_past(struct npart__site *site)
{
    struct npart__cached cached;
    struct npart__attention *at = &cached.attention;
    if (!npart__has_past(site->graph, site->id) || npart__read_cached(site, &cached) ||
        !fit_sizes(site, &cached, at))
        return false;
    npart__make_visible(site, &cached, -INFINITY);
    /* Without a mask each token sees itself. */
    bool has_mask = cached.visible || at->bias;
    site->equality = has_mask ? NPART_EQUAL_BITS_IF : NPART_EQUAL_ULP;
    site->is_rounded = has_mask;
    site->caveat = has_mask ? NULL : "";
    npart__hide_slots(site, at, cached.is_causal, 0);
    npart__finish_attention(site, at);
    return true;
}
