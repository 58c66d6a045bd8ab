/* SPDX-License-Identifier: Apache-2.0 */
#include "interner.h"

#include <stdlib.h>
#include <string.h>

/* Instead of exit(-1), which is uthash's own idea. */
#define HASH_NONFATAL_OOM 1
#define uthash_nonfatal_oom(element) ((element)->is_lost = true)
#include <uthash.h>

struct interned {
    UT_hash_handle hh;
    size_t bytes;
    uint32_t number;
    bool is_lost; /* out of memory as it was added */
    char key[];
};

/* FNV-1a from a seed: keys come from strangers' models, and uthash's own hash could be foreseen. */
static unsigned hash_of(const struct interner *interner, const void *key, size_t bytes)
{
    const unsigned char *at = key;
    uint64_t hash = UINT64_C(14695981039346656037) ^ (uint64_t)(uintptr_t)interner->seed;
    for (size_t i = 0; i < bytes; i++)
        hash = (hash ^ at[i]) * UINT64_C(1099511628211);
    return (unsigned)(hash ^ hash >> 32);
}

static bool grow_items(struct interner *interner)
{
    size_t wanted = interner->capacity ? 2 * interner->capacity : 16;
    struct interned **items = realloc(interner->items, wanted * sizeof *items);
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
    return (interner->count < interner->capacity || grow_items(interner)) &&
           (!interner->item_bytes || interner->count < interner->value_capacity || grow_values(interner));
}

static struct interned *add(struct interner *interner, const void *key, size_t bytes, unsigned hash)
{
    struct interned *item = has_room(interner) ? calloc(1, sizeof *item + bytes + 1) : NULL;
    if (!item)
        return NULL;
    item->bytes = bytes;
    item->number = (uint32_t)interner->count;
    if (bytes)
        memcpy(item->key, key, bytes);
    HASH_ADD_KEYPTR_BYHASHVALUE(hh, interner->table, item->key, (unsigned)bytes, hash, item);
    if (!item->is_lost)
        return interner->items[interner->count++] = item;
    free(item);
    return NULL;
}

uint32_t intern(struct interner *interner, const void *key, size_t bytes)
{
    struct interned *item = NULL;
    if (!interner->seed)
        interner->seed = malloc(1);
    if (!interner->seed || bytes > UINT32_MAX / 2) /* uthash counts in unsigned */
        return NO_NUMBER;
    unsigned hash = hash_of(interner, key, bytes);
    HASH_FIND_BYHASHVALUE(hh, interner->table, key, (unsigned)bytes, hash, item);
    if (item)
        return item->number;
    if (interner->count >= NO_NUMBER - 1 || (interner->most && interner->count >= interner->most))
        return NO_NUMBER;
    item = add(interner, key, bytes, hash);
    return item ? item->number : NO_NUMBER;
}

const void *interned_key(const struct interner *interner, uint32_t number, size_t *bytes)
{
    if (bytes)
        *bytes = interner->items[number]->bytes;
    return interner->items[number]->key;
}

void *interned_item(const struct interner *interner, uint32_t number)
{
    return interner->values + number * interner->item_bytes;
}

void interner_free(struct interner *interner)
{
    HASH_CLEAR(hh, interner->table);
    for (size_t i = 0; i < interner->count; i++)
        free(interner->items[i]);
    free(interner->items);
    free(interner->values);
    free(interner->seed);
    *interner = (struct interner){.most = interner->most, .item_bytes = interner->item_bytes};
}
