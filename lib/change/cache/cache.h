/* SPDX-License-Identifier: Apache-2.0
 *
 * cache: from a decoder whose cache of keys and values grows to one in which it has a fixed size, by structure alone.
 *
 *     present = Concat(past, new)      past has N - C slots, new C of them, and attention looks at all N
 *
 * The host keeps the cache. Slots that are empty stand on the left of those that are used, which end where the new ones
 * begin; whether they may also stand elsewhere is told (npart_cache_info.order). Two things must hold for it: no empty
 * slot may have any weight, and nothing may count slots where it means positions. Both are found out by two inferences
 * of the same graph, one with t slots, one with the same t and D empty ones before them (probe.c), between which every
 * value has to be the same once the empty slots are cut off; operators that see slots must treat each by itself, or
 * weigh the empty ones by exactly 0 (flow.c). Where positions are slot numbers an input takes their place
 * (positions.c); where a Softmax sees empty slots an input is added before it. What is not proved is refused, with the
 * node and the reason. No weight is read, and no name means anything.
 */
#ifndef NPART_CACHE_H
#define NPART_CACHE_H

#include "edit/editor.h"

/* More slots than any decoder was trained for. */
#define NPART__LIMIT_CACHE_SLOTS ((uint32_t)1 << 20)

struct npart__cache_request {
    uint32_t slots, tokens; /* N and C; slots 0: nothing is asked for */
    bool shifts; /* outputs are the past of the next run, in place of the new keys and values alone */
    bool cuts_windows; /* caches of layers with a window have the slots alone that it shows */
};

/* The contract of the file. All of the arena. */
struct npart__cache {
    struct npart_cache_info info; /* slots 0: none was asked for */
    struct NPART__ARRAY(struct npart_cache_port) ports; /* inputs in the file's order, added ones, outputs */
    uint32_t pair_count; /* inputs that are caches */
    bool was_fixed; /* it had this size before, and its outputs alone are others: nothing else needs to be proved */
};

/* The slots that a cache of the model has in sizes that were chosen for it, one new token included: 0 where no cache
 * grows at `asked`, or its size is not known at `chosen`. Both are of one graph; no work is done to find out whether it
 * can be fixed. False when out of memory. */
bool npart__cache_slots_of(const struct npart__graph *graph, const struct npart__inference *asked,
                           const struct npart__inference *chosen, struct npart__arena *arena, uint32_t *out);

/* The key of the model's metadata. */
#define NPART__CACHE_KEY "npu-partition.cache"

/* The next version, in `out_version->data` of the arena. `version` and its `graph` are not changed. Fails with ARGUMENT
 * where the cache cannot be fixed: `place` of the error is the node, or empty. */
npart_status npart__cache_fix(const struct npart__cache_request *request, const struct npart__version *version,
                              const struct npart__graph *graph, struct npart__arena *arena, struct npart__cache *out,
                              struct npart__version *out_version, struct npart_error *error);

#endif
