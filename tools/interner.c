/* SPDX-License-Identifier: Apache-2.0 */
#include "interner.h"

#include <stdlib.h>
#include <string.h>

struct interned {
    char *key;
    size_t bytes;
    uint64_t hash;
};

/* FNV-1a. */
static uint64_t hash_of(const struct interner *interner, const void *key, size_t bytes)
{
    const unsigned char *at = key;
    uint64_t hash = UINT64_C(14695981039346656037) ^ interner->seed;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return hash ^ hash >> 32;
}

/* Where the key is, or would be. */
static uint32_t *slot_of(const struct interner *interner, uint64_t hash, const void *key, size_t bytes)
{
    size_t at = (size_t)hash & (interner->slot_count - 1);
    for (; interner->slots[at]; at = (at + 1) & (interner->slot_count - 1)) {
        const struct interned *item = &interner->items[interner->slots[at] - 1];
        if (item->hash == hash && item->bytes == bytes && memcmp(item->key, key, bytes) == 0)
            break;
    }
    return &interner->slots[at];
}

static bool grow_slots(struct interner *interner)
{
    size_t count = interner->slot_count ? 2 * interner->slot_count : 64;
    uint32_t *slots = calloc(count, sizeof *slots);
    if (!slots)
        return false;
    if (!interner->slots)
        interner->seed = (uint64_t)(uintptr_t)slots;
    free(interner->slots);
    interner->slots = slots;
    interner->slot_count = count;
    for (size_t i = 0; i < interner->count; i++) {
        const struct interned *item = &interner->items[i];
        *slot_of(interner, item->hash, item->key, item->bytes) = (uint32_t)(i + 1);
    }
    return true;
}

static bool grow_items(struct interner *interner)
{
    size_t wanted = interner->capacity ? 2 * interner->capacity : 16;
    struct interned *items = realloc(interner->items, wanted * sizeof *items);
    if (!items)
        return false;
    interner->items = items;
    interner->capacity = wanted;
    return true;
}

/* Zeroed where they grow. */
static bool grow_values(struct interner *interner)
{
    size_t size = interner->item_bytes, old = interner->value_capacity, wanted = old ? 2 * old : 16;
    char *values = realloc(interner->values, wanted * size);
    if (!values)
        return false;
    memset(values + old * size, 0, (wanted - old) * size);
    interner->values = values;
    interner->value_capacity = wanted;
    return true;
}

/* For one more key; room that was made stays. */
static bool has_room(struct interner *interner)
{
    size_t count = interner->count;
    return (2 * (count + 1) <= interner->slot_count || grow_slots(interner)) &&
           (count < interner->capacity || grow_items(interner)) &&
           (!interner->item_bytes || count < interner->value_capacity || grow_values(interner));
}

uint32_t intern(struct interner *interner, const void *key, size_t bytes)
{
    if (!interner->slots && !grow_slots(interner)) /* before the first hash, as it makes the seed */
        return NO_NUMBER;
    uint64_t hash = hash_of(interner, key, bytes);
    uint32_t *slot = slot_of(interner, hash, key, bytes);
    if (*slot)
        return *slot - 1;
    if (interner->count >= NO_NUMBER - 1 || (interner->most && interner->count >= interner->most))
        return NO_NUMBER;
    char *copy = has_room(interner) ? malloc(bytes + 1) : NULL;
    if (!copy)
        return NO_NUMBER;
    if (bytes)
        memcpy(copy, key, bytes);
    copy[bytes] = '\0';
    interner->items[interner->count] = (struct interned){copy, bytes, hash};
    *slot_of(interner, hash, key, bytes) = (uint32_t)++interner->count;
    return (uint32_t)(interner->count - 1);
}

const void *interned_key(const struct interner *interner, uint32_t number, size_t *bytes)
{
    if (bytes)
        *bytes = interner->items[number].bytes;
    return interner->items[number].key;
}

void *interned_item(const struct interner *interner, uint32_t number)
{
    return interner->values + number * interner->item_bytes;
}

void interner_free(struct interner *interner)
{
    for (size_t i = 0; i < interner->count; i++)
        free(interner->items[i].key);
    free(interner->items);
    free(interner->slots);
    free(interner->values);
    *interner = (struct interner){.most = interner->most, .item_bytes = interner->item_bytes};
}
