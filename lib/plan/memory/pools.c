/* SPDX-License-Identifier: Apache-2.0
 *
 * What a compiler takes that gives each buffer a place in one of several memories for as long as it lives.
 *
 * ST's does it so, as the descriptions of two networks that it wrote show (c_info.json of release 2.1.0 in
 * PeleAB/STM32N6-FaceRecognition): what fits into the first pool comes first, the largest first; each gets the lowest
 * free place of the first pool that has one. What is larger gets a place in those that lie next to each other, taken as
 * one; what has none at all is outside. Told is how far each pool is used, and not what lives at once: a hole counts.
 *
 * Pools A and B of 4 kB; x of 3 kB -> y of 3 kB -> z of 5 kB: x is in A, y in B, and z, for which y is in the way, is
 * outside: 11 kB, where 8 live at once.
 */
#include "memory/memory.h"

#include <stdlib.h>

/* From here on nothing is placed: it would take the square of them. */
#define MOST_BUFFERS 4096u
#define MOST_POOLS 16u

struct pools {
    const struct npart__pool *items[MOST_POOLS];
    uint64_t used[MOST_POOLS + 1]; /* the last: outside */
    uint32_t count;
    struct npart__pool joined, outside;
};

/* Those that lie next to each other, from the lowest on. What is outside begins where no pool is. */
static void find_pools(const struct npart__target *target, struct pools *out)
{
    const struct npart__pool *pool;
    uint64_t last = 0, end;
    *out = (struct pools){.count = 0};
    for (; out->count < MOST_POOLS && (pool = npart__target_pool(target, out->count)); out->count++) {
        out->items[out->count] = pool;
        last = pool->start + pool->bytes > last ? pool->start + pool->bytes : last;
        if (out->count == 0 || pool->start < out->joined.start)
            out->joined.start = pool->start;
    }
    end = out->joined.start;
    for (uint32_t i = 0; i < out->count; i++)
        for (uint32_t k = 0; k < out->count; k++)
            end = out->items[k]->start == end ? end + out->items[k]->bytes : end;
    out->joined.bytes = end - out->joined.start;
    out->outside = (struct npart__pool){.start = last, .bytes = UINT64_MAX / 4};
}

/* Those that the first pool holds come first: what is larger is `late`. */
struct order {
    struct npart__buffer_life *life;
    uint32_t index;
    bool is_late;
};

static int by_size(const void *left, const void *right)
{
    const struct order *a = left, *b = right;
    if (a->is_late != b->is_late)
        return a->is_late ? 1 : -1;
    if (a->life->bytes != b->life->bytes)
        return a->life->bytes > b->life->bytes ? -1 : 1;
    if (a->life->first != b->life->first)
        return a->life->first < b->life->first ? -1 : 1;
    return a->index < b->index ? -1 : 1;
}

/* The lowest place of a pool that is free as long as the buffer lives; UINT64_MAX: there is none. `placed` are in the
 * order of their places, so what has been passed is in the way no more. */
static uint64_t free_place(struct npart__buffer_life *const *placed, uint32_t count,
                           const struct npart__buffer_life *life, const struct npart__pool *pool)
{
    uint64_t place = pool->start;
    for (uint32_t i = 0; i < count; i++) {
        const struct npart__buffer_life *other = placed[i];
        bool lives = other->first <= life->last && other->last >= life->first;
        if (lives && other->place < place + life->bytes && other->place + other->bytes > place)
            place = other->place + other->bytes;
    }
    return place + life->bytes > pool->start + pool->bytes ? UINT64_MAX : place;
}

static void use(struct pools *pools, const struct npart__buffer_life *life)
{
    uint64_t end = life->place + life->bytes;
    for (uint32_t i = 0; i <= pools->count; i++) {
        const struct npart__pool *pool = i < pools->count ? pools->items[i] : &pools->outside;
        uint64_t past = pool->start + pool->bytes, to = end < past ? end : past;
        if (life->place < past && end > pool->start && to - pool->start > pools->used[i])
            pools->used[i] = to - pool->start;
    }
}

/* False when out of memory. */
bool npart__place_in_pools(const struct npart__target *target, struct npart__buffer_life *lives, uint32_t count,
                           struct npart__arena *scratch, uint64_t *out)
{
    struct pools pools;
    find_pools(target, &pools);
    if (!pools.count || count > MOST_BUFFERS)
        return true;
    struct order *order = npart__arena_allocate(scratch, (count + (size_t)1) * sizeof *order);
    struct npart__buffer_life **placed = npart__arena_allocate(scratch, (count + (size_t)1) * sizeof(void *));
    if (!order || !placed)
        return false;
    for (uint32_t i = 0; i < count; i++)
        order[i] = (struct order){&lives[i], i, lives[i].bytes > pools.items[0]->bytes};
    qsort(order, count, sizeof *order, by_size);
    for (uint32_t i = 0; i < count; i++) {
        struct npart__buffer_life *life = order[i].life;
        life->place = UINT64_MAX;
        for (uint32_t p = 0; p < pools.count + 2 && life->place == UINT64_MAX; p++) {
            const struct npart__pool *pool = p < pools.count    ? pools.items[p]
                                             : p == pools.count ? &pools.joined
                                                                : &pools.outside;
            life->place = free_place(placed, i, life, pool);
        }
        uint32_t at = i;
        for (; at > 0 && placed[at - 1]->place > life->place; at--)
            placed[at] = placed[at - 1];
        placed[at] = life;
        use(&pools, life);
    }
    *out = 0;
    for (uint32_t i = 0; i <= pools.count; i++)
        *out += pools.used[i];
    return true;
}
