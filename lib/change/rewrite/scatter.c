/* SPDX-License-Identifier: Apache-2.0
 *
 * TensorScatter (opset 24), which writes new slots into a cache, as ScatterND. The tuple of an update is where it
 * stands in the update, with the row's write index added to its last number:
 *
 *   cache [1,2,16,64], update [1,2,3,64], write index 5  ->  indices [1,2,3,3], that of [0,1,2] is [0,1,7]
 */
#include "rewrite/axes.h"

/* Numbers of the indices that are written down. */
#define LIMIT_INDICES (1 << 20)

enum { CACHE, UPDATE, WRITE_INDICES };

struct scatter {
    struct npart__dims cache, update;
    uint32_t axis;
};

static bool read_scatter(const struct npart__site *site, struct scatter *out)
{
    if (!npart__has_operand(site, CACHE) || !npart__has_operand(site, UPDATE) ||
        !npart__full_dims(site, npart__operand(site, CACHE), &out->cache) ||
        !npart__full_dims(site, npart__operand(site, UPDATE), &out->update) ||
        out->cache.rank != out->update.rank || out->cache.rank < 2 || out->cache.rank + 1 > NPART__LIMIT_RANK ||
        !npart__axis_attribute(site, "axis", -2, out->cache.rank, &out->axis) || out->axis == 0)
        return false;
    for (uint32_t i = 0; i < out->cache.rank; i++)
        if (i == out->axis ? out->update.at[i] > out->cache.at[i] : out->update.at[i] != out->cache.at[i])
            return false;
    return !npart__has_operand(site, WRITE_INDICES) ||
           npart__operand_has_dims(site, WRITE_INDICES, out->cache.at, 1);
}

/* Of each update the tuple by which it stands there. Axes after the last of the tuple are taken as they are. */
static const char *make_places(struct npart__site *site, const struct scatter *at)
{
    struct npart__dims dims = at->update;
    dims.rank = at->axis + 1;
    int64_t tuples = npart__volume(&dims, 0, dims.rank);
    npart__push_dim(&dims, at->axis + 1);
    if (tuples > LIMIT_INDICES / (int64_t)dims.rank)
        return NULL;
    int64_t *places = npart__arena_zeroed(site->arena, (size_t)(tuples * (at->axis + 1)), sizeof *places);
    site->failed |= !places;
    for (int64_t i = 0; places && i < tuples; i++) {
        int64_t rest = i;
        for (uint32_t k = at->axis + 1; k-- > 0; rest /= at->update.at[k])
            places[i * (at->axis + 1) + k] = rest % at->update.at[k];
    }
    return places ? npart__make_int_constant(site, NPART__INT64, dims.at, dims.rank, places) : NULL;
}

/* The tuples with write indices added, each to those of its row. */
static const char *move_places(struct npart__site *site, const struct scatter *at, const char *places)
{
    struct npart__dims rows = {.at = {at->cache.at[0]}, .rank = 1};
    int64_t last[NPART__LIMIT_RANK] = {0}, ends[NPART__LIMIT_RANK];
    for (uint32_t i = 0; i <= at->axis; i++) {
        npart__push_dim(&rows, 1);
        ends[i] = at->cache.at[i];
    }
    last[at->axis] = 1;
    const char *by_row = npart__make_reshape(site, npart__operand_name(site, WRITE_INDICES), rows.at, rows.rank);
    by_row = npart__make_multiply(site, by_row, npart__make_ints(site, last, at->axis + 1));
    places = npart__make_add(site, places, by_row);
    if (strcmp(npart__site_text(site, site->id, "mode", "linear"), "circular") != 0)
        return places;
    return NPART__MAKE(site, "Mod", places, npart__make_ints(site, ends, at->axis + 1));
}

bool npart__rewrite_tensor_scatter(struct npart__site *site)
{
    struct scatter at;
    if (!read_scatter(site, &at))
        return false;
    const char *places = make_places(site, &at);
    if (!places)
        return false;
    if (npart__has_operand(site, WRITE_INDICES))
        places = move_places(site, &at, places);
    npart__finish(site, 0, NPART__MAKE(site, "ScatterND", npart__operand_name(site, CACHE), places,
                                       npart__operand_name(site, UPDATE)));
    return true;
}
