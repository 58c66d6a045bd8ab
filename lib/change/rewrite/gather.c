/* SPDX-License-Identifier: Apache-2.0
 *
 * GatherND by operators that compilers know. torch.vmap takes a padding mask apart with it, by all indices in order.
 */
#include "rewrite/functions.h"

/* Data and indices of a GatherND: its first `depth` axes are indexed. `out` are the dims of the result: those of both
 * operands together at most, hence its length. */
struct gather {
    int64_t data[NPART__LIMIT_RANK], indices[NPART__LIMIT_RANK], out[2 * NPART__LIMIT_RANK];
    uint32_t data_rank, indices_rank, out_rank, depth;
};

/* A 0 in the shape of a Reshape is a copied dim, so no dim may be 0. */
static bool product_of(const int64_t *dims, uint32_t from, uint32_t to, int64_t *out)
{
    *out = 1;
    for (uint32_t i = from; i < to; i++)
        if (dims[i] <= 0 || !npart__multiply_int64(*out, dims[i], out))
            return false;
    return true;
}

/* Result: the indices' dims but the last, then the data's that are not indexed. `out` has room for both ranks. */
static bool read_gather(const struct npart__site *site, struct gather *gather)
{
    int64_t elements;
    if (!npart__site_dims(site, npart__operand(site, 0), gather->data, &gather->data_rank) ||
        !npart__site_dims(site, npart__operand(site, 1), gather->indices, &gather->indices_rank) ||
        !gather->indices_rank || !product_of(gather->data, 0, gather->data_rank, &elements) ||
        !product_of(gather->indices, 0, gather->indices_rank, &elements))
        return false;
    /* Positive, as product_of has seen it. */
    int64_t depth = gather->indices[gather->indices_rank - 1];
    /* More indices than axes: the model is malformed. */
    if (depth > gather->data_rank)
        return false;
    gather->depth = (uint32_t)depth;
    gather->out_rank = 0;
    for (uint32_t i = 0; i + 1 < gather->indices_rank; i++)
        gather->out[gather->out_rank++] = gather->indices[i];
    for (uint32_t i = gather->depth; i < gather->data_rank; i++)
        gather->out[gather->out_rank++] = gather->data[i];
    return gather->out_rank <= NPART__LIMIT_RANK;
}

/* Where each tuple of indices points to, once the indexed axes are one. NULL where one points out of the data,
 * or when out of memory. Negative indices count from the end. A tuple that points out of the data would fail in
 * a runtime, so the node stays. In data [3,4] the tuple [1,-2] points to 1 * 4 + 2 = 6. */
static int64_t *flatten(struct npart__site *site, const struct gather *gather, const int64_t *indices, uint32_t count)
{
    uint32_t tuples = count / gather->depth;
    int64_t *flat = npart__arena_zeroed(site->arena, tuples + (size_t)1, sizeof *flat);
    site->failed |= !flat;
    for (uint32_t i = 0; flat && i < count; i++) {
        uint32_t axis = i % gather->depth;
        int64_t at = indices[i] < 0 ? indices[i] + gather->data[axis] : indices[i];
        if (at < 0 || at >= gather->data[axis])
            return NULL;
        flat[i / gather->depth] = flat[i / gather->depth] * gather->data[axis] + at;
    }
    return flat;
}

/* 0, 1, 2, ...: a Gather by these, of as many places as there are, changes nothing. */
static bool is_counting(const int64_t *numbers, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] != i)
            return false;
    return true;
}

/* All places in order: a Reshape. Else a Gather of one axis, whose indices are 1-D: with more axes a compiler
 * was seen to compute wrong values. Data [2,3,5] and indices [7,2]: the data become [6,5], a Gather takes 7
 * places, and the result is [7,5]. */
bool npart__rewrite_gathernd(struct npart__site *site)
{
    struct gather gather;
    uint32_t count;
    int64_t places, rest;
    const int64_t *indices = npart__site_ints(site, npart__operand(site, 1), &count);
    if (npart__site_int(site, site->id, "batch_dims", 0) != 0 || !indices || !read_gather(site, &gather) ||
        !product_of(gather.data, 0, gather.depth, &places) ||
        !product_of(gather.data, gather.depth, gather.data_rank, &rest))
        return false;
    const char *data = npart__operand_name(site, 0);
    int64_t *flat = flatten(site, &gather, indices, count);
    uint32_t tuples = count / gather.depth;
    if (!flat)
        return false;
    if (tuples != places || !is_counting(flat, tuples)) {
        /* Without axes that are not indexed the data become 1-D, else [places, the rest]. */
        uint32_t rank = gather.depth < gather.data_rank ? 2 : 1;
        data = npart__make_reshape(site, data, (const int64_t[]){places, rest}, rank);
        data = npart__make_gather(site, data, npart__make_ints(site, flat, tuples));
        npart__give_int(site, "axis", 0);
    }
    npart__finish(site, 0, npart__make_reshape(site, data, gather.out, gather.out_rank));
    return true;
}
