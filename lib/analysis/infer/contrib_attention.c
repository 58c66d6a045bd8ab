/* SPDX-License-Identifier: Apache-2.0
 *
 * The attention operators of com.microsoft that exporters, quantizers and ONNX Runtime's transformer optimizer emit.
 * They agree on little: what is packed into one operand, where the past stands, and how it grows.
 */
#include "infer/families.h"

/* How long a cache is after this step. A shared buffer (past_present_share_buffer) is allocated at full length from the
 * start, and keeps its size. */
static int64_t grown(struct npart__call *call, int64_t past, int64_t added)
{
    return npart__int_attribute(call, "past_present_share_buffer", 0) ? past : npart__sum(call->pool, past, added);
}

/* ---- Attention: one operand for query, key and value ------------------------------------------------------- */

/* The hidden size of query (0), key (1) or value (2): as qkv_hidden_sizes lists them, else a third of what the weights
 * or the bias have, since the three projections stand side by side there. */
static int64_t projected_size(struct npart__call *call, uint32_t which)
{
    const struct npart__fact *weights = npart__in(call, 1), *bias = npart__in(call, 2);
    uint32_t count;
    const int64_t *sizes = npart__ints_attribute(call, "qkv_hidden_sizes", &count);
    if (sizes && count == 3)
        return sizes[which];
    if (weights->has_rank && weights->rank == 2)
        return npart__floor_quotient(call->pool, weights->dims[1], 3);
    if (bias->has_rank && bias->rank == 1)
        return npart__floor_quotient(call->pool, bias->dims[0], 3);
    return npart__fresh_symbol(call->pool);
}

/* Attention, QAttention, PackedAttention and the decoders that mask: input [batch, sequence, in] or packed [tokens,
 * in]; weights [in, 3 * hidden]; present [2, batch, heads, total, size]. The parameter says which input is the past.
 * With 12 heads:
 *
 *   [2,10,768] [768,2304]  ->  [2,10,768]  present [2,2,12,10,64] */
void npart__infer_contrib_attention(struct npart__call *call)
{
    const struct npart__fact *in = npart__in(call, 0), *past = npart__in(call, (uint32_t)call->row->parameter);
    bool has_past = call->row->parameter && npart__has_input(call, (uint32_t)call->row->parameter);
    int64_t heads = npart__int_attribute(call, "num_heads", 0);
    if (!in->has_rank || in->rank < 2 || in->rank > 3)
        return;
    int64_t *dims = npart__copy_dims(call, in, 0);
    if (!dims)
        return;
    dims[in->rank - 1] = projected_size(call, 2);
    npart__set_dims(call, 0, in->rank, dims);
    /* Packed tokens do not tell batch and length apart, which the present has as dims. */
    if (in->rank != 3 || call->node->output_count < 2)
        return;
    if (has_past && past->has_rank && past->rank == 5) {
        int64_t length = grown(call, past->dims[3], in->dims[1]);
        NPART__SET_SIZES(call, 1, past->dims[0], past->dims[1], past->dims[2], length, past->dims[4]);
    } else {
        int64_t size = heads > 0 ? npart__floor_quotient(call->pool, projected_size(call, 1), heads) : NPART__UNKNOWN;
        NPART__SET_SIZES(call, 1, 2, in->dims[0], heads > 0 ? heads : NPART__UNKNOWN,
                         has_past ? NPART__UNKNOWN : in->dims[1], size);
    }
}

/* ---- MultiHeadAttention: three operands -------------------------------------------------------------------- */

/* The hidden size of the result: the value's heads side by side. The value is absent where it is packed with the query,
 * 5-D [batch, sequence, heads, 3, size], or with the key. */
static int64_t value_width(struct npart__call *call)
{
    const struct npart__fact *query = npart__in(call, 0), *value = npart__in(call, 2);
    if (!npart__has_input(call, 2)) /* with the query, or with a key of the query's size */
        return query->rank == 5 ? npart__product(call->pool, query->dims[2], query->dims[4]) : query->dims[2];
    if (value->has_rank && value->rank == 3)
        return value->dims[2];
    if (value->has_rank && value->rank == 4)
        return npart__product(call->pool, value->dims[1], value->dims[3]);
    return npart__fresh_symbol(call->pool);
}

/* How many positions this step brings: of the key, which may have its heads apart ([batch, heads, length, size]), else
 * of the query. Cross-attention has a key of another length than the query. */
static int64_t new_length(struct npart__call *call)
{
    const struct npart__fact *query = npart__in(call, 0), *key = npart__in(call, 1);
    if (!npart__has_input(call, 1))
        return query->dims[1];
    if (!key->has_rank || key->rank < 3)
        return npart__fresh_symbol(call->pool);
    return key->dims[key->rank == 4 ? 2 : 1];
}

/* Query [batch, sequence, hidden] or packed [batch, sequence, heads, 3, size]. The parameter says which input is the
 * past. Outputs: result, present key, present value, scores. With 8 heads and a past of 5:
 *
 *   Q, K, V [2,10,512]  past [2,8,5,64]  ->  [2,10,512]  present [2,8,15,64] twice  scores [2,8,10,15] */
void npart__infer_multi_head_attention(struct npart__call *call)
{
    const struct npart__fact *query = npart__in(call, 0);
    uint32_t past_input = (uint32_t)call->row->parameter;
    bool has_past = npart__has_input(call, past_input);
    int64_t heads = npart__int_attribute(call, "num_heads", 0);
    npart__set_type_like(call, 3, 0);
    if (!query->has_rank || (query->rank != 3 && query->rank != 5))
        return;
    int64_t width = value_width(call), length = new_length(call);
    NPART__SET_SIZES(call, 0, query->dims[0], query->dims[1], width);
    if (heads <= 0 || call->node->output_count < 2)
        return;
    /* Packed, all three have the same width; else the key is as wide as the query, and the value need not be. */
    int64_t key_width = query->rank == 5 ? width : query->dims[2];
    /* Of one head: of the key and of the value. */
    int64_t sizes[] = {npart__floor_quotient(call->pool, key_width, heads),
                       npart__floor_quotient(call->pool, width, heads)};
    for (uint32_t i = 0; i < 2; i++) {
        const struct npart__fact *past = npart__in(call, past_input + i);
        int64_t total = !has_past                             ? length
                        : past->has_rank && past->rank == 4 ? grown(call, past->dims[2], length)
                                                              : npart__fresh_symbol(call->pool);
        NPART__SET_SIZES(call, i + 1, query->dims[0], heads, total, sizes[i]);
        if (i == 0)
            NPART__SET_SIZES(call, 3, query->dims[0], heads, query->dims[1], total);
    }
}

/* ---- GroupQueryAttention: fewer keys than queries ---------------------------------------------------------- */

/* The size of one head. A packed query (no key input) has key and value beside it, so its last dim holds heads + 2 *
 * kept heads: with 32 and 8 heads, [1,7,6144] has heads of 6144 / 48 = 128. */
static int64_t head_size(struct npart__call *call, int64_t heads, int64_t kept)
{
    const struct npart__fact *query = npart__in(call, 0);
    bool is_packed = !npart__has_input(call, 1);
    int64_t all = is_packed ? npart__sum(call->pool, heads, npart__product(call->pool, kept, 2)) : heads;
    return npart__floor_quotient(call->pool, query->dims[query->rank - 1u], all);
}

/* Output 0 of the operators that group queries. Query [batch, sequence, width] or packed tokens [tokens, width]; false
 * when it is neither, or the attributes that count the heads are missing. */
static bool set_grouped_output(struct npart__call *call, int64_t heads, int64_t kept)
{
    const struct npart__fact *query = npart__in(call, 0);
    npart__set_type_like(call, 0, 0);
    bool is_known = query->has_rank && (query->rank == 2 || query->rank == 3) && heads > 0 && kept >= 0;
    int64_t *dims = is_known ? npart__copy_dims(call, query, 0) : NULL;
    if (!dims)
        return false;
    dims[query->rank - 1u] = npart__product(call->pool, head_size(call, heads, kept), heads);
    npart__set_dims(call, 0, query->rank, dims);
    return true;
}

/* The cache is as long as all positions so far, unless its buffer was longer already. Input 6 is that length
 * (total_sequence_length); exporters compute it from the mask, so it is often symbolic. With num_heads 32, kv_num_heads
 * 8:
 *
 *   Q [1,7,4096]  past [1,8,20,128]  total 27  ->  [1,7,4096]  present [1,8,27,128] twice  scores [1,32,7,27] */
void npart__infer_group_query_attention(struct npart__call *call)
{
    const struct npart__fact *query = npart__in(call, 0);
    int64_t heads = npart__int_attribute(call, "num_heads", 0), kept = npart__int_attribute(call, "kv_num_heads", 0);
    int64_t total = npart__in_number(call, 6, NPART__UNKNOWN);
    /* The presents have the type of their pasts, which may be quantized; without a past, and the scores, that of the
     * query. */
    for (uint32_t i = 1; i < 4; i++)
        npart__set_type_like(call, i, i < 3 && npart__has_input(call, i + 2) ? i + 2 : 0);
    if (!set_grouped_output(call, heads, kept))
        return;
    for (uint32_t i = 1; i < 3 && query->rank == 3; i++) {
        const struct npart__fact *past = npart__in(call, i + 2);
        int64_t length = total;
        if (past->has_rank && past->rank == 4) {
            /* Exporters leave the head size of the cache dynamic, although the query tells it. The relation is kept, so
             * that proposed sizes agree. */
            npart__must_equal(call, past->dims[3], head_size(call, heads, kept));
            length = total == NPART__UNKNOWN ? total : npart__maximum(call->pool, past->dims[2], total);
            NPART__SET_SIZES(call, i, past->dims[0], past->dims[1], length, past->dims[3]);
        } else if (!npart__has_input(call, i + 2)) {
            NPART__SET_SIZES(call, i, query->dims[0], kept, length, head_size(call, heads, kept));
        }
        if (i == 1)
            NPART__SET_SIZES(call, 3, query->dims[0], heads, query->dims[1], length);
    }
}

/* PagedAttention, SparseAttention and DynamicSparseAttention: caches are buffers that keep their shape, so outputs 1
 * and 2 have the type and shape of inputs 3 and 4. */
void npart__infer_buffered_attention(struct npart__call *call)
{
    /* Caches are known even where the result is not. */
    (void)set_grouped_output(call, npart__int_attribute(call, "num_heads", 0),
                             npart__int_attribute(call, "kv_num_heads", 0));
    for (uint32_t i = 1; i < 3; i++) {
        npart__set_shape_like(call, i, npart__in(call, i + 2));
        npart__set_type_like(call, i, i + 2);
    }
}

/* ---- embeddings ------------------------------------------------------------------------------------------ */

/* EmbedLayerNormalization: ids [batch, sequence], word embedding [words, hidden]; outputs the normalized embedding, one
 * mask index a sequence, and the embedding before it was normalized. The parameter is an input of the result's type:
 * the embedding itself, or where that is quantized, its scale.
 *
 *   ids [2,128]  words [30522,768]  ->  [2,128,768]  int32[2]  [2,128,768] */
void npart__infer_embed_layer_normalization(struct npart__call *call)
{
    const struct npart__fact *ids = npart__in(call, 0), *words = npart__in(call, 2);
    npart__set_type_like(call, 0, (uint32_t)call->row->parameter);
    npart__set_type_like(call, 2, (uint32_t)call->row->parameter);
    npart__set_element_type(call, 1, NPART__INT32);
    if (!ids->has_rank || ids->rank != 2)
        return;
    /* One symbol for both outputs that have it. */
    int64_t hidden = words->has_rank && words->rank == 2 ? words->dims[1] : npart__fresh_symbol(call->pool);
    NPART__SET_SIZES(call, 0, ids->dims[0], ids->dims[1], hidden);
    NPART__SET_SIZES(call, 1, ids->dims[0]);
    NPART__SET_SIZES(call, 2, ids->dims[0], ids->dims[1], hidden);
}
