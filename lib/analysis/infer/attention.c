/* SPDX-License-Identifier: Apache-2.0
 *
 * Attention of ai.onnx (opset 23 and later) and LinearAttention. Shapes only: the results are activations, and no
 * export computes sizes from those.
 *
 * Heads stand apart in rank 4, [batch, heads, length, size], or side by side in rank 3, [batch, length, heads * size];
 * then attributes say how many there are. With q_num_heads = 8 and kv_num_heads = 2:
 *
 *   Q [1,10,512]  K, V [1,10,128]  past [1,2,30,64]  ->  Y [1,10,512]  present [1,2,40,64]  scores [1,8,10,40]
 */
#include "infer/families.h"

/* ---- ai.onnx.Attention ----------------------------------------------------------------------------------- */

struct heads {
    int64_t batch, count, length, size; /* [batch, count, length, size] */
};

/* An operand as heads: 4-D as it is, 3-D [batch, length, heads * size]. False for any other rank, and for 3-D where the
 * attribute is absent: without the number of heads, the last dim cannot be divided. */
static bool read_heads(struct npart__call *call, uint32_t input, const char *attribute, struct heads *out)
{
    const struct npart__fact *fact = npart__in(call, input);
    if (!fact->has_rank || (fact->rank != 3 && fact->rank != 4))
        return false;
    if (fact->rank == 4) {
        *out = (struct heads){fact->dims[0], fact->dims[1], fact->dims[2], fact->dims[3]};
        return true;
    }
    int64_t count = npart__int_attribute(call, attribute, 0);
    if (count <= 0)
        return false;
    *out = (struct heads){fact->dims[0], count, fact->dims[1], npart__floor_quotient(call->pool, fact->dims[2], count)};
    return true;
}

/* Inputs: Q, K, V, attn_mask, past_key, past_value. Outputs: Y, present_key, present_value, and the scores
 * (qk_matmul_output). The presents are as long as the past and this step together; without a past, as this step. */
void npart__infer_attention(struct npart__call *call)
{
    struct heads query, key, value;
    npart__set_type_like(call, 0, 0);
    /* The presents are typed like key and value, the scores like the query. */
    npart__set_type_like(call, 1, 1);
    npart__set_type_like(call, 2, 2);
    npart__set_type_like(call, 3, 0);
    if (!read_heads(call, 0, "q_num_heads", &query) || !read_heads(call, 1, "kv_num_heads", &key) ||
        !read_heads(call, 2, "kv_num_heads", &value))
        return;
    const struct npart__fact *past = npart__in(call, 4);
    /* A past without a rank leaves one dim unknown, not the whole shape. */
    int64_t total = key.length;
    if (npart__has_input(call, 4))
        total = past->has_rank && past->rank == 4 ? npart__sum(call->pool, past->dims[2], key.length) : NPART__UNKNOWN;
    /* Y has the layout of Q. */
    if (npart__in(call, 0)->rank == 4)
        NPART__SET_SIZES(call, 0, query.batch, query.count, query.length, value.size);
    else
        NPART__SET_SIZES(call, 0, query.batch, query.length, npart__product(call->pool, query.count, value.size));
    /* One symbol for all three outputs that have it. */
    if (total == NPART__UNKNOWN)
        total = npart__fresh_symbol(call->pool);
    NPART__SET_SIZES(call, 1, key.batch, key.count, total, key.size);
    NPART__SET_SIZES(call, 2, value.batch, value.count, total, value.size);
    NPART__SET_SIZES(call, 3, query.batch, query.count, query.length, total);
}

/* ---- LinearAttention ------------------------------------------------------------------------------------- */

/* Query and key [batch, length, heads * key size], value [batch, length, heads * value size]; the state is one matrix a
 * head, whatever the length. com.microsoft's may keep a window of states, which past_state shows. With 4 heads each:
 *
 *   Q, K [2,10,256]  V [2,10,512]  ->  Y [2,10,512]  state [2,4,64,128]
 *
 * Without past_state and with a window, the shape of the state is unknown. */
void npart__infer_linear_attention(struct npart__call *call)
{
    const struct npart__fact *query = npart__in(call, 0), *value = npart__in(call, 2), *past = npart__in(call, 3);
    struct npart__expressions *pool = call->pool;
    int64_t heads = npart__int_attribute(call, "q_num_heads", 0), kept = npart__int_attribute(call, "kv_num_heads", 0);
    npart__set_type_like(call, 1, npart__has_input(call, 3) ? 3 : 0);
    /* A state that goes in comes out in the same shape, whatever else is known. */
    if (npart__has_input(call, 3))
        npart__set_shape_like(call, 1, past);
    if (!query->has_rank || query->rank != 3 || heads <= 0 || kept <= 0)
        return;
    bool has_value = value->has_rank && value->rank == 3;
    int64_t key_size = npart__floor_quotient(pool, query->dims[2], heads);
    int64_t value_size = has_value ? npart__floor_quotient(pool, value->dims[2], kept) : npart__fresh_symbol(pool);
    /* Either side may have more heads; the result has as many as the larger one. */
    int64_t width = npart__product(pool, value_size, heads > kept ? heads : kept);
    NPART__SET_SIZES(call, 0, query->dims[0], query->dims[1], width);
    if (!npart__has_input(call, 3) && !npart__int_attribute(call, "state_window", 0))
        NPART__SET_SIZES(call, 1, query->dims[0], kept, key_size, value_size);
}
