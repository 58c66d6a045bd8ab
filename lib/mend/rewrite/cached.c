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

static int64_t number(const struct npart__site *site, const char *name, int64_t fallback)
{
    return npart__site_int(site, site->id, name, fallback);
}

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
    enum { MASK = 3, PAST_KEY, PAST_VALUE, IN_USE };
    struct npart__attention *at = &out->attention;
    out->past_key = PAST_KEY;
    out->past_value = PAST_VALUE;
    out->is_causal = number(site, "is_causal", 0) == 1;
    at->heads = number(site, "q_num_heads", 0);
    at->kept = number(site, "kv_num_heads", 0);
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
    enum { BIAS = 3, PADDING, ADDED, PAST_KEY, PAST_VALUE, MORE };
    struct npart__attention *at = &out->attention;
    out->past_key = PAST_KEY;
    out->past_value = PAST_VALUE;
    out->is_causal = number(site, "unidirectional", 0) == 1;
    at->heads = at->kept = number(site, "num_heads", 0);
    if (npart__has_operand(site, BIAS))
        return "it has a bias of its projections, which is not followed";
    if (npart__has_operand(site, PADDING))
        return "it has a key_padding_mask, which is not followed";
    for (uint32_t i = MORE; i < site->node->input_count; i++)
        if (npart__has_operand(site, i))
            return "its cache is a buffer with beams (past_sequence_length, cache_indirection)";
    return npart__has_operand(site, ADDED) ? read_added(site, ADDED, out) : NULL;
}

bool npart__has_cached_past(const struct npart__graph *graph, uint32_t id)
{
    enum { STANDARD = 4, CONTRIB = 6 };
    const struct npart__node *node = npart__node_at(graph, id);
    uint32_t past = npart__lists_op(graph, "Attention", id)                          ? STANDARD
                    : npart__lists_op(graph, "com.microsoft:MultiHeadAttention", id) ? CONTRIB
                                                                                     : 0;
    return past && (npart__node_input(graph, node, past) != NPART_NONE ||
                    npart__node_input(graph, node, past + 1) != NPART_NONE);
}

const char *npart__read_cached(struct npart__site *site, struct npart__cached *out)
{
    bool is_standard = npart__lists_op(site->graph, "Attention", site->id);
    struct npart__attention *at = &out->attention;
    *out = (struct npart__cached){.is_causal = false};
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
    if (reason)
        return reason;
    double scale = npart__site_float(site, site->id, "scale", 0);
    at->scale = scale != 0 ? scale : 1 / sqrt((double)at->size);
    at->query = npart__operand_name(site, 0);
    at->key = npart__operand_name(site, 1);
    at->value = npart__operand_name(site, 2);
    at->past_key = npart__operand_name(site, out->past_key);
    at->past_value = npart__operand_name(site, out->past_value);
    return NULL;
}
