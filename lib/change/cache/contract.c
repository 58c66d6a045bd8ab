/* SPDX-License-Identifier: Apache-2.0
 *
 * The contract of a file as JSON; include/records.table says what its members mean.
 */
#include "base/fields.h"
#include "cache/internal.h"

static void add_port(struct npart__buffer *out, const struct npart_cache_port *at)
{
    struct npart__object object = npart__open_cache_port(out, NULL, at);
    const char *dims = npart__own(&object, "dims");
    if (!at->dims)
        npart__json_value(out, dims, "null");
    else
        NPART__JSON_LIST(out, dims, i, i < at->rank)
            npart__json_number(out, NULL, at->dims[i]);
    npart__object_close(&object);
}

const char *npart__cache_text(const struct npart__cache *cache, struct npart__arena *arena)
{
    struct npart__buffer out;
    npart__buffer_init(&out, arena);
    struct npart__object object = npart__open_cache(&out, NULL, &cache->info);
    npart__json_number(&out, npart__own(&object, "mask_value"), (int64_t)cache->info.mask_value);
    NPART__JSON_LIST(&out, npart__own(&object, "tensors"), i, i < cache->ports.count)
        add_port(&out, &cache->ports.items[i]);
    npart__object_close(&object);
    return npart__made_text(&out);
}
