/* SPDX-License-Identifier: Apache-2.0
 *
 * com.microsoft:GroupQueryAttention as its schema and ONNX Runtime's CPU kernel define it (1.32): scores are capped,
 * then the bias is added, then slots are hidden; a window of W slots has the token's own; a sink takes part in the
 * Softmax. What is refused here is what the operator cannot be followed in wherever it stands.
 */
#include <math.h>

#include "rewrite/axes.h"
#include "rewrite/group_query.h"

int64_t npart__last_dim(const struct npart__site *site, uint32_t value)
{
    if (value == NPART_NONE)
        return 0;
    const struct npart__fact *fact = npart__fact_of(site->inference, value);
    int64_t dim = fact->has_rank && fact->rank ? fact->dims[fact->rank - 1u] : 0;
    return npart__is_number(dim) && dim > 0 ? dim : 0;
}

/* ---- what the node says ------------------------------------------------------------------------------------------ */

static bool has_type(const struct npart__site *site, uint32_t operand, int type)
{
    return !npart__has_operand(site, operand) || npart__site_type(site, npart__operand(site, operand)) == type;
}

/* Forms that are no attention over a cache of plain numbers, or have further results. */
static const char *find_other_form(const struct npart__site *site)
{
    bool has_scales =
        npart__has_operand(site, NPART__GQA_KEY_SCALE) || npart__has_operand(site, NPART__GQA_VALUE_SCALE);
    bool is_quantized = strcmp(npart__site_text(site, site->id, "k_quant_type", "NONE"), "NONE") != 0 ||
                        strcmp(npart__site_text(site, site->id, "v_quant_type", "NONE"), "NONE") != 0;
    if (!npart__has_operand(site, NPART__GQA_QUERY))
        return "it has no query";
    if (has_scales || is_quantized)
        return "its cache is quantized (k_quant_type, v_quant_type), which is not followed";
    if (npart__has_operand(site, NPART__GQA_ROWS_IN_USE))
        return "how many of its tokens are valid is told by an operand (query_seqlens), which is not followed";
    if (!npart__is_unused(site, npart__result(site, 3)))
        return "its scores are a result (qk_output), which is not followed";
    if (npart__has_operand(site, NPART__GQA_KEY) != npart__has_operand(site, NPART__GQA_VALUE) ||
        npart__has_operand(site, NPART__GQA_PAST_KEY) != npart__has_operand(site, NPART__GQA_PAST_VALUE))
        return "it has a key or a value alone";
    for (uint32_t i = NPART__GQA_ROWS_IN_USE + 1; i < site->node->input_count; i++)
        if (npart__has_operand(site, i))
            return "it has operands that its definition did not have when this was written";
    return NULL;
}

/* New keys are as many as new queries: else they are those of another sequence, or of a layer whose cache is shared. */
static bool has_other_length(const struct npart__site *site)
{
    const struct npart__fact *query = npart__fact_of(site->inference, npart__operand(site, NPART__GQA_QUERY));
    if (!npart__has_operand(site, NPART__GQA_KEY))
        return false;
    const struct npart__fact *key = npart__fact_of(site->inference, npart__operand(site, NPART__GQA_KEY));
    return !query->has_rank || query->rank != 3 || !key->has_rank || key->rank != 3 || query->dims[1] != key->dims[1];
}

static const char *read_sizes(const struct npart__site *site, struct npart__attention *out)
{
    int64_t columns = npart__last_dim(site, npart__operand(site, NPART__GQA_QUERY)), parts = out->heads;
    if (out->heads <= 0 || out->kept <= 0 || out->heads > INT32_MAX || out->kept > INT32_MAX ||
        out->heads % out->kept != 0)
        return "num_heads is no multiple of kv_num_heads";
    if (!npart__has_operand(site, NPART__GQA_KEY))
        parts += 2 * out->kept;
    if (!columns || columns % parts)
        return "the size of its heads is not known";
    out->size = out->value_size = columns / parts;
    if (npart__has_operand(site, NPART__GQA_KEY) &&
        (npart__last_dim(site, npart__operand(site, NPART__GQA_KEY)) != out->kept * out->size ||
         npart__last_dim(site, npart__operand(site, NPART__GQA_VALUE)) != out->kept * out->size))
        return "its keys or values have another width than kv_num_heads heads";
    return has_other_length(site) ? "it has not as many new keys as queries" : NULL;
}

static const char *read_rotary(const struct npart__site *site, struct npart__attention *out)
{
    if (npart__number(site, "do_rotary", 0) != 1)
        return NULL;
    out->is_interleaved = npart__number(site, "rotary_interleaved", 0) == 1;
    if (!npart__has_operand(site, NPART__GQA_COSINE) || !npart__has_operand(site, NPART__GQA_SINE))
        return "it turns by positions (do_rotary) without tables for it";
    out->turned = 2 * npart__last_dim(site, npart__operand(site, NPART__GQA_COSINE));
    if (!out->turned || out->turned > out->size ||
        2 * npart__last_dim(site, npart__operand(site, NPART__GQA_SINE)) != out->turned)
        return "the width of its tables of cosines and sines is not known, or does not suit its heads";
    return NULL;
}

static const char *read_gains(const struct npart__site *site, struct npart__attention *out)
{
    bool has_gains = npart__has_operand(site, NPART__GQA_QUERY_GAIN);
    double epsilon = npart__site_float(site, site->id, "qk_norm_epsilon", 1e-6);
    if (has_gains != npart__has_operand(site, NPART__GQA_KEY_GAIN))
        return "it normalizes queries or keys alone";
    if (!has_gains)
        return NULL;
    out->gains[0] = npart__operand_name(site, NPART__GQA_QUERY_GAIN);
    out->gains[1] = npart__operand_name(site, NPART__GQA_KEY_GAIN);
    out->epsilons[0] = npart__site_float(site, site->id, "q_norm_epsilon", epsilon);
    out->epsilons[1] = npart__site_float(site, site->id, "k_norm_epsilon", epsilon);
    return NULL;
}

/* What is added to the scores or takes part in their Softmax. */
static const char *read_additions(const struct npart__site *site, struct npart__attention *out)
{
    out->is_smooth = npart__number(site, "smooth_softmax", 0) == 1;
    out->softcap = npart__site_float(site, site->id, "softcap", 0);
    out->softcap = out->softcap > 0 ? out->softcap : 0;
    if (npart__has_operand(site, NPART__GQA_SINK))
        out->sink = npart__operand_name(site, NPART__GQA_SINK);
    if (!npart__has_operand(site, NPART__GQA_BIAS))
        return NULL;
    const struct npart__fact *bias = npart__fact_of(site->inference, npart__operand(site, NPART__GQA_BIAS));
    if (!bias->has_rank || bias->rank != 4 || !npart__is_number(bias->dims[1]))
        return "the rank or the heads of its attention_bias are not known";
    out->bias = npart__operand_name(site, NPART__GQA_BIAS);
    out->is_by_head = bias->dims[1] != 1;
    return NULL;
}

const char *npart__read_group_query(const struct npart__site *site, struct npart__group_query *out)
{
    struct npart__attention *at = &out->attention;
    *out = (struct npart__group_query){.is_causal = npart__number(site, "causal", 1) != 0,
                                       .evicts = npart__number(site, "sliding_window_cache", 0) != 0};
    *at = (struct npart__attention){.heads = npart__number(site, "num_heads", 0),
                                    .kept = npart__number(site, "kv_num_heads", 0),
                                    .type = npart__site_type(site, npart__operand(site, NPART__GQA_QUERY))};
    int64_t window = npart__number(site, "local_window_size", -1);
    const char *reason = find_other_form(site);
    if (!reason && at->type != NPART__FLOAT && at->type != NPART__FLOAT16)
        reason = "its element type is neither float32 nor float16";
    if (!reason && (!has_type(site, NPART__GQA_PAST_KEY, at->type) || !has_type(site, NPART__GQA_PAST_VALUE, at->type)))
        reason = "its cache has another element type than its queries";
    if (!reason && (window == 0 || window < -1 || (window > 0 && !out->is_causal) || (window < 0 && out->evicts)))
        reason = "local_window_size must be -1 or positive; positive where slots are evicted, and where it is causal "
                 "alone";
    if (!reason)
        reason = read_sizes(site, at);
    if (!reason)
        reason = read_rotary(site, at);
    if (!reason)
        reason = read_gains(site, at);
    if (!reason)
        reason = read_additions(site, at);
    out->window = window > 0 ? window : 0;
    double scale = npart__site_float(site, site->id, "scale", 0);
    at->scale = scale != 0 ? scale : at->size ? 1 / sqrt((double)at->size) : 1;
    return reason;
}

void npart__list_group_query_parts(struct npart__site *site, struct npart__attention *at)
{
    const int64_t sizes[] = {at->heads * at->size, at->kept * at->size, at->kept * at->size};
    at->query = npart__operand_name(site, NPART__GQA_QUERY);
    at->key = npart__operand_name(site, NPART__GQA_KEY);
    at->value = npart__operand_name(site, NPART__GQA_VALUE);
    if (npart__has_operand(site, NPART__GQA_KEY))
        return;
    at->query = npart__make_split(site, at->query, 2, sizes, 3);
    at->key = npart__made_result(site, 1);
    at->value = npart__made_result(site, 2);
}

/* ---- by itself: with sizes that are numbers ---------------------------------------------------------------------- */

struct sized {
    struct npart__group_query node;
    int64_t past;
};

/* The operands that it may have beside the parts and the cache. */
static bool fit_operands(const struct npart__site *site, const struct sized *sized)
{
    const struct npart__attention *at = &sized->node.attention;
    struct npart__dims bias, table;
    bool fits = true;
    if (at->bias)
        fits = npart__full_dims(site, npart__operand(site, NPART__GQA_BIAS), &bias) && bias.rank == 4 &&
               (bias.at[0] == 1 || bias.at[0] == at->batch) && (bias.at[1] == 1 || bias.at[1] == at->heads) &&
               bias.at[2] == at->length && bias.at[3] == at->total && has_type(site, NPART__GQA_BIAS, at->type);
    if (at->sink)
        fits &= npart__operand_has_dims(site, NPART__GQA_SINK, &at->heads, 1) &&
                has_type(site, NPART__GQA_SINK, at->type);
    for (uint32_t i = 0; i < 2 && at->gains[i]; i++)
        fits &= npart__operand_has_dims(site, NPART__GQA_QUERY_GAIN + i, &at->size, 1) &&
                has_type(site, NPART__GQA_QUERY_GAIN + i, at->type);
    if (!at->turned)
        return fits;
    fits &= npart__full_dims(site, npart__operand(site, NPART__GQA_COSINE), &table) && table.rank == 2 &&
            npart__has_dims(site, npart__operand(site, NPART__GQA_SINE), &table) &&
            has_type(site, NPART__GQA_COSINE, at->type) && has_type(site, NPART__GQA_SINE, at->type);
    if (!npart__has_operand(site, NPART__GQA_POSITIONS))
        return fits && table.at[0] >= at->total;
    return fits && npart__operand_has_dims(site, NPART__GQA_POSITIONS, (const int64_t[]){at->batch, at->length}, 2);
}

/* Which may have no slots yet. */
static bool is_past(const struct npart__site *site, const struct sized *sized, uint32_t operand)
{
    const struct npart__attention *at = &sized->node.attention;
    const int64_t wanted[] = {at->batch, at->kept, sized->past, at->size};
    int64_t dims[NPART__LIMIT_RANK];
    uint32_t rank;
    return npart__site_dims(site, npart__operand(site, operand), dims, &rank) && rank == 4 &&
           memcmp(dims, wanted, sizeof wanted) == 0;
}

/* ONNX Runtime takes several tokens of several rows after others only where rows tell how many are valid. */
static bool fit_sizes(const struct npart__site *site, struct sized *sized)
{
    struct npart__attention *at = &sized->node.attention;
    struct npart__dims query, present;
    bool has_past = npart__has_operand(site, NPART__GQA_PAST_KEY);
    if (!npart__full_dims(site, npart__operand(site, NPART__GQA_QUERY), &query) || query.rank != 3 ||
        !npart__full_dims(site, npart__result(site, 1), &present) || present.rank != 4)
        return false;
    at->batch = query.at[0];
    at->length = query.at[1];
    at->total = present.at[2];
    at->shared = at->heads / at->kept * at->length;
    at->is_single = at->length == 1;
    sized->past = at->total - at->length;
    if (has_past && (!is_past(site, sized, NPART__GQA_PAST_KEY) || !is_past(site, sized, NPART__GQA_PAST_VALUE)))
        return false;
    if (has_past && sized->past > 0) {
        at->past_key = npart__operand_name(site, NPART__GQA_PAST_KEY);
        at->past_value = npart__operand_name(site, NPART__GQA_PAST_VALUE);
    }
    return sized->past >= 0 && (has_past || sized->past == 0) && at->shared <= NPART__LIMIT_MASK / at->total &&
           (at->batch == 1 || at->length == 1 || sized->past == 0);
}

/* Rows of a table for all new tokens: those of their slots, or of the positions that are given, of which only the first
 * counts before there is a cache. */
static const char *rows(struct npart__site *site, const struct sized *sized, uint32_t operand)
{
    static const int64_t heads[] = {1}, by_token[] = {2}, all[] = {-1};
    const struct npart__attention *at = &sized->node.attention;
    const char *table = npart__operand_name(site, operand);
    if (!npart__has_operand(site, NPART__GQA_POSITIONS))
        return npart__make_unsqueeze(site, npart__make_slice(site, table, 0, sized->past, at->total, 1), heads, 1);
    const char *positions = npart__operand_name(site, NPART__GQA_POSITIONS);
    bool is_first = sized->past == 0 && (at->batch > 1 || at->length > 1);
    if (is_first) {
        positions = npart__make_slice(site, npart__make_reshape_to(site, positions, all, 1), 0, 0, 1, 1);
        positions = npart__make_add(site, positions, npart__make_counting(site, NPART__INT64, &at->length, 1));
    }
    const char *taken = npart__make_gather(site, table, positions);
    npart__give_int(site, "axis", 0);
    return npart__make_unsqueeze(site, taken, is_first ? heads : by_token, 1);
}

/* Where each row uses all of its cache the mask by lengths masks nothing, and positions are those of the cache. */
bool npart__rewrite_group_query(struct npart__site *site)
{
    struct sized sized;
    struct npart__attention *at = &sized.node.attention;
    if (npart__read_group_query(site, &sized.node) || sized.node.evicts || !fit_sizes(site, &sized) ||
        !fit_operands(site, &sized))
        return false;
    npart__list_group_query_parts(site, at);
    if (at->turned) {
        at->cosine = rows(site, &sized, NPART__GQA_COSINE);
        at->sine = rows(site, &sized, NPART__GQA_SINE);
    }
    npart__hide_slots(site, at, sized.node.is_causal, sized.node.window);
    npart__finish_attention(site, at);
    site->is_rounded = true;
    return true;
}
