/* SPDX-License-Identifier: Apache-2.0
 *
 * Compound operators of ONNX Runtime's optimizer as what they were made of: Attention and EmbedLayerNormalization. The
 * smaller ones are patterns of oplists/standard.rewrites. Other rounding: its kernels add a mask to scores within the
 * product, and sum rows of a normalization at once.
 */
#include <math.h>

#include "rewrite/functions.h"

/* Elements of a constant that is as long as a dim: dims come from the file, and cost nothing there. */
#define LIMIT_ELEMENTS (1 << 20)

/* ---- Attention --------------------------------------------------------------------------------------------------- */

/* Operands of com.microsoft:Attention; those from FIRST_UNKNOWN on (past, bias of the scores, ...) must be absent. */
enum { X, WEIGHTS, BIAS, MASK, FIRST_UNKNOWN };

struct attention {
    int64_t batch, length, hidden, heads, size; /* of a head */
};

/* Weights are one matrix [input, 3 * hidden]: queries, keys and values side by side. Sizes that differ between
 * them are not followed. `hidden` is of all heads together: of 12 heads of size 64 it is 768, and the matrix has
 * 2304 columns. */
static bool read_attention(const struct npart__site *site, struct attention *out)
{
    int64_t x[NPART__LIMIT_RANK], weights[NPART__LIMIT_RANK];
    uint32_t x_rank, weights_rank, sizes_count;
    if (npart__site_type(site, npart__operand(site, X)) != NPART__FLOAT ||
        !npart__site_dims(site, npart__operand(site, X), x, &x_rank) || x_rank != 3 ||
        !npart__site_dims(site, npart__operand(site, WEIGHTS), weights, &weights_rank) || weights_rank != 2)
        return false;
    *out = (struct attention){.batch = x[0],
                              .length = x[1],
                              .hidden = weights[1] / 3,
                              .heads = npart__site_int(site, site->id, "num_heads", 0)};
    const int64_t *sizes = npart__site_int_list(site, site->id, "qkv_hidden_sizes", &sizes_count);
    for (uint32_t i = 0; sizes && i < sizes_count; i++)
        if (sizes[i] != out->hidden)
            return false;
    if (x[0] <= 0 || x[1] <= 0 || out->heads <= 0 || weights[1] <= 0 || weights[1] % 3 || out->hidden % out->heads)
        return false;
    out->size = out->hidden / out->heads;
    return true;
}

/* Nothing but queries, keys, values and a mask: no past, no bias of the scores, no present that is used. Causal
 * masks, rotary embeddings and caches are not followed. */
static bool is_plain(const struct npart__site *site)
{
    for (uint32_t i = FIRST_UNKNOWN; i < site->node->input_count; i++)
        if (npart__has_operand(site, i))
            return false;
    for (uint32_t i = 1; i < site->node->output_count; i++)
        if (!npart__is_unused(site, npart__result(site, i)))
            return false;
    return !npart__site_int(site, site->id, "unidirectional", 0) && !npart__site_int(site, site->id, "do_rotary", 0) &&
           !npart__site_int(site, site->id, "past_present_share_buffer", 0);
}

/* What is added to the scores, [batch,1,1,length]: of a mask of each place, or of how many places count. False where
 * the mask is of another form; *out is NULL without a mask. 1-D is the number of places that count, 2-D a 1 for each
 * that does. What is masked gets mask_filter_value added, -10000 unless the node says otherwise, so the scores of
 * places are the same numbers as the kernel's. Of batch 2 and length 4 the lengths [4,2] give the rows 0 0 0 0 and 0
 * 0 m m, with m what is masked. */
static bool make_mask(struct npart__site *site, const struct attention *attention, const char **out)
{
    uint32_t mask = npart__operand(site, MASK), rank;
    int64_t dims[NPART__LIMIT_RANK];
    const char *counts = npart__operand_name(site, MASK);
    *out = NULL;
    if (mask == NPART_NONE)
        return true;
    if (npart__site_type(site, mask) != NPART__INT32 || !npart__site_dims(site, mask, dims, &rank) || rank < 1 ||
        rank > 2 || dims[0] != attention->batch || (rank == 2 && dims[1] != attention->length) ||
        (rank == 1 && attention->length > LIMIT_ELEMENTS))
        return false;
    if (rank == 2) {
        counts = npart__make_greater(site, counts, npart__make_scalar(site, NPART__INT32, 0));
    } else {
        /* Place i of a row counts where i is less than the row's number. */
        const int64_t places[2] = {1, attention->length}, column[2] = {attention->batch, 1};
        const char *place = npart__make_counting(site, NPART__INT32, places, 2);
        counts = npart__make_less(site, place, npart__make_reshape(site, counts, column, 2));
    }
    const int64_t shape[4] = {attention->batch, 1, 1, attention->length};
    double masked = npart__site_float(site, site->id, "mask_filter_value", -10000);
    counts = npart__make_reshape(site, counts, shape, 4);
    /* 0 leaves a score as it is; -10000 makes its share 0 beside any that counts. */
    const char *none = npart__make_scalar(site, NPART__FLOAT, 0);
    const char *much = npart__make_scalar(site, NPART__FLOAT, masked);
    *out = npart__make_where(site, counts, none, much);
    return true;
}

/* Queries, keys or values as [batch,heads,length,size], or the last two the other way round. Keys are turned so
 * that the product sums over `size`. */
static const char *by_head(struct npart__site *site, const struct attention *attention, const char *name,
                           bool is_turned)
{
    const int64_t shape[4] = {attention->batch, attention->length, attention->heads, attention->size};
    const int64_t order[4] = {0, 2, is_turned ? 3 : 1, is_turned ? 1 : 3};
    return npart__make_transpose(site, npart__make_reshape(site, name, shape, 4), order, 4);
}

/* One product for queries, keys and values, taken apart by Split; then scores, mask and shares, and the heads
 * together again. Scores are [batch,heads,length,length]. Opset 9 is where Where begins, which the mask needs. */
static bool unfuse_attention(struct npart__site *site)
{
    struct attention attention;
    const char *mask;
    if (!is_plain(site) || npart__site_opset(site) < 9 || !read_attention(site, &attention) ||
        !make_mask(site, &attention, &mask))
        return false;
    const int64_t sizes[3] = {attention.hidden, attention.hidden, attention.hidden}, back[4] = {0, 2, 1, 3};
    const int64_t shape[3] = {attention.batch, attention.length, attention.hidden};
    /* 0 means the default: one by the square root of a head's size, in float as the kernel has it. */
    double scale = npart__site_float(site, site->id, "scale", 0);
    if (scale == 0)
        scale = (double)(1.0f / sqrtf((float)attention.size));
    const char *all = npart__make_matmul(site, npart__operand_name(site, X), npart__operand_name(site, WEIGHTS));
    if (npart__has_operand(site, BIAS))
        all = npart__make_add(site, all, npart__operand_name(site, BIAS));
    npart__make_split(site, all, 2, sizes, 3);
    const char *parts[3] = {npart__made_result(site, 0), npart__made_result(site, 1), npart__made_result(site, 2)};
    const char *q = by_head(site, &attention, parts[0], false), *k = by_head(site, &attention, parts[1], true),
               *v = by_head(site, &attention, parts[2], false);
    const char *scores = npart__make_matmul(site, q, k);
    scores = npart__make_multiply(site, scores, npart__make_scalar(site, NPART__FLOAT, scale));
    if (mask)
        scores = npart__make_add(site, scores, mask);
    /* Over the last axis, in any opset. */
    const char *shares = NPART__MAKE(site, "Softmax", scores);
    npart__give_int(site, "axis", 3);
    const char *heads = npart__make_transpose(site, npart__make_matmul(site, shares, v), back, 4);
    npart__finish(site, 0, npart__make_reshape(site, heads, shape, 3));
    return true;
}

/* ---- EmbedLayerNormalization ------------------------------------------------------------------------------------- */

/* Operands of com.microsoft:EmbedLayerNormalization. */
enum { IDS, KINDS, WORDS, PLACES, KIND_WEIGHTS, GAMMA, BETA, EMBED_MASK, PLACE_IDS };

/* Over the last axis, with the operator where the opset has it. epsilon's default is that of the compound
 * operator, not the standard's. LayerNormalization is of opset 17; before, it is written out. */
static const char *normalize(struct npart__site *site, const char *x, const char *gamma, const char *beta)
{
    const int64_t last = 2;
    double epsilon = npart__site_float(site, site->id, "epsilon", (double)1e-12f);
    if (npart__site_opset(site) >= 17) {
        const char *made = NPART__MAKE(site, "LayerNormalization", x, gamma, beta);
        npart__give_int(site, "axis", -1);
        npart__give_float(site, "epsilon", epsilon);
        return made;
    }
    const char *centred = npart__make_subtract(site, x, npart__make_reduce_mean(site, x, &last, 1, true));
    const char *squares = NPART__MAKE(site, "Pow", centred, npart__make_scalar(site, NPART__FLOAT, 2));
    const char *variance = npart__make_reduce_mean(site, squares, &last, 1, true);
    const char *spread = npart__make_add(site, variance, npart__make_scalar(site, NPART__FLOAT, epsilon));
    const char *scaled = npart__make_divide(site, centred, NPART__MAKE(site, "Sqrt", spread));
    return npart__make_add(site, npart__make_multiply(site, scaled, gamma), beta);
}

/* Rows of a table. Both are numbers of operands, not values. */
static const char *gather(struct npart__site *site, uint32_t table, uint32_t indices)
{
    const char *made =
        npart__make_gather(site, npart__operand_name(site, table), npart__operand_name(site, indices));
    npart__give_int(site, "axis", 0);
    return made;
}

/* How many places of each row the mask has a 1 at; without a mask, 0. The second result, mask_index: [batch]. */
static const char *count_places(struct npart__site *site, int64_t batch)
{
    const int64_t axis = 1;
    if (!npart__has_operand(site, EMBED_MASK)) {
        int64_t *none = npart__arena_zeroed(site->arena, (size_t)batch, sizeof *none);
        site->failed |= !none;
        return none ? npart__make_int_constant(site, NPART__INT32, &batch, 1, none) : NULL;
    }
    const char *is_one =
        NPART__MAKE(site, "Equal", npart__operand_name(site, EMBED_MASK), npart__make_scalar(site, NPART__INT32, 1));
    return npart__make_reduce_sum(site, npart__make_cast(site, is_one, NPART__INT32), &axis, 1, false);
}

/* Words, places and, where there are any, kinds (segments) are summed and normalized. Without place ids the
 * places are those from 0 on, a Slice of their table; the table must be long enough. From opset 7 on Add
 * broadcasts by itself: places are [length,hidden], words [batch,length,hidden]. */
static bool unfuse_embedding(struct npart__site *site)
{
    int64_t ids[NPART__LIMIT_RANK], places[NPART__LIMIT_RANK];
    uint32_t ids_rank, places_rank;
    if (npart__site_type(site, npart__operand(site, WORDS)) != NPART__FLOAT ||
        !npart__site_dims(site, npart__operand(site, IDS), ids, &ids_rank) || ids_rank != 2 || ids[0] <= 0 ||
        ids[0] > LIMIT_ELEMENTS || ids[1] <= 0 ||
        !npart__site_dims(site, npart__operand(site, PLACES), places, &places_rank) || places_rank != 2 ||
        ids[1] > places[0] || !npart__has_operand(site, GAMMA) ||
        !npart__has_operand(site, BETA) || npart__site_int(site, site->id, "mask_index_type", 0) ||
        npart__has_operand(site, KINDS) != npart__has_operand(site, KIND_WEIGHTS) ||
        npart__site_opset(site) < 7)
        return false;
    const char *place = !npart__has_operand(site, PLACE_IDS)
                            ? npart__make_slice(site, npart__operand_name(site, PLACES), 0, 0, ids[1], 1)
                            : gather(site, PLACES, PLACE_IDS);
    const char *sum = npart__make_add(site, gather(site, WORDS, IDS), place);
    if (npart__has_operand(site, KINDS))
        sum = npart__make_add(site, sum, gather(site, KIND_WEIGHTS, KINDS));
    npart__finish(site, 0, normalize(site, sum, npart__operand_name(site, GAMMA), npart__operand_name(site, BETA)));
    if (!npart__is_unused(site, npart__result(site, 1)))
        npart__finish(site, 1, count_places(site, ids[0]));
    if (!npart__is_unused(site, npart__result(site, 2)))
        npart__finish(site, 2, sum);
    return true;
}

/* The anchors of the row are these two operators. */
bool npart__rewrite_unfuse(struct npart__site *site)
{
    bool is_attention = npart__node_is(site->graph, site->node, "com.microsoft:Attention");
    return is_attention ? unfuse_attention(site) : unfuse_embedding(site);
}
