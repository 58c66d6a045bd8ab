/* SPDX-License-Identifier: Apache-2.0
 *
 * Interned strings: tables of ids with open addressing, by what a text says and by where it lies. The former's hash is
 * under a key of the table's own, as texts come from the input.
 */
#include "base/base.h"

#define LEAST_SLOTS 16u

struct npart__string_key {
    uint32_t hash, length;
};

bool npart__strings_init(struct npart__strings *strings, struct npart__arena *arena)
{
    memset(strings, 0, sizeof *strings);
    strings->arena = arena;
    npart__hash_key_init(&strings->key);
    return npart__intern(strings, "", 0, false) == 0;
}

bool npart__strings_init_like(struct npart__strings *strings, const struct npart__strings *like,
                              struct npart__arena *arena)
{
    bool is_done = npart__strings_init(strings, arena);
    if (like)
        strings->key = like->key; /* of "" alone no hash is kept in a slot */
    strings->like = like;
    return is_done;
}

/* The upper bits of a product with 2^64 divided by the golden ratio: places are multiples of sixteen, mostly. */
static uint32_t first_place(const struct npart__strings *strings, const char *text)
{
    return (uint32_t)((uint64_t)(uintptr_t)text * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (strings->slot_count - 1);
}

/* The id of one of the table's own texts, as long as it is to its end; 0: it is none. */
static uint32_t id_at(const struct npart__strings *strings, const char *text)
{
    uint32_t id = 0;
    if (!strings->slot_count)
        return 0;
    for (uint32_t place = first_place(strings, text); (id = strings->places[place]) != 0;
         place = (place + 1) & (strings->slot_count - 1))
        if (strings->texts.items[id] == text && !text[strings->keys.items[id].length])
            break;
    return id;
}

/* The slot of a text, or the free one where it would be. Slots are never full. The text "" lies in none, so that its id
 * marks a free one. */
static uint32_t slot_of(const struct npart__strings *strings, const char *text, size_t length, uint32_t hash)
{
    uint32_t slot = hash & (strings->slot_count - 1);
    for (; strings->slots[slot]; slot = (slot + 1) & (strings->slot_count - 1)) {
        uint32_t id = strings->slots[slot];
        if (strings->keys.items[id].hash == hash && strings->keys.items[id].length == length &&
            memcmp(strings->texts.items[id], text, length) == 0)
            break;
    }
    return slot;
}

/* 0: it is not there, or "". */
static uint32_t find_hashed(const struct npart__strings *strings, const char *text, size_t length, uint32_t hash)
{
    return strings->slot_count && length ? strings->slots[slot_of(strings, text, length, hash)] : 0;
}

/* The upper half is dropped. */
static uint32_t hash_of(const struct npart__strings *strings, const char *text, size_t length)
{
    return (uint32_t)npart__hash_bytes(&strings->key, text, length);
}

/* Lengths are kept in 32 bits. */
#define LONGEST_TEXT ((size_t)UINT32_MAX / 2)

/* The first free one from there on. */
static void put(const struct npart__strings *strings, uint32_t *slots, uint32_t slot, uint32_t id)
{
    while (slots[slot])
        slot = (slot + 1) & (strings->slot_count - 1);
    slots[slot] = id;
}

static void put_both(const struct npart__strings *strings, uint32_t id)
{
    put(strings, strings->slots, strings->keys.items[id].hash & (strings->slot_count - 1), id);
    put(strings, strings->places, first_place(strings, strings->texts.items[id]), id);
}

/* In the order of ids, so that the last text is the last of its slots; see npart__strings_cut. */
static bool more_slots(struct npart__strings *strings)
{
    uint32_t count = strings->slot_count ? strings->slot_count * 2 : LEAST_SLOTS;
    uint32_t *slots = npart__arena_zeroed(strings->arena, 2 * (size_t)count, sizeof *slots);
    if (!slots)
        return false;
    npart__arena_release(strings->arena, strings->slots);
    strings->slots = slots;
    strings->places = slots + count;
    strings->slot_count = count;
    for (uint32_t id = 1; id < strings->texts.count; id++)
        put_both(strings, id);
    return true;
}

/* A text that is not there yet. Half of the slots at least stay free. */
static uint32_t add(struct npart__strings *strings, const char *text, size_t length, uint32_t hash, bool copy)
{
    struct npart__arena *arena = strings->arena;
    uint32_t id = strings->texts.count;
    struct npart__string_key key = {hash, (uint32_t)length};
    NPART__ASSERT(id > 0 || length == 0, "the first text is the empty one");
    if (!NPART__RESERVE(arena, &strings->texts, 1) || !NPART__RESERVE(arena, &strings->keys, 1) ||
        (id >= strings->slot_count / 2 && !more_slots(strings)))
        return NPART_NONE;
    const char *kept = copy ? npart__arena_copy_text(arena, text, length) : text;
    if (!kept)
        return NPART_NONE;
    strings->texts.items[strings->texts.count++] = kept;
    strings->keys.items[strings->keys.count++] = key;
    if (id)
        put_both(strings, id);
    return id;
}

/* Ids are given in the order of arrival, so they do not depend on the key, and arrays may be
 * indexed by them. Constant time on average. */
uint32_t npart__intern(struct npart__strings *strings, const char *text, size_t length, bool copy)
{
    if (length > LONGEST_TEXT)
        return NPART_NONE;
    if (length == 0 && strings->texts.count)
        return 0;
    uint32_t hash = hash_of(strings, text, length);
    uint32_t id = find_hashed(strings, text, length, hash);
    return id ? id : add(strings, text, length, hash, copy);
}

uint32_t npart__intern_text(struct npart__strings *strings, const char *text)
{
    uint32_t id = id_at(strings, text), like = id || !strings->like ? 0 : id_at(strings->like, text);
    if (id || !like)
        return id ? id : npart__intern(strings, text, strlen(text), false);
    const struct npart__string_key *key = &strings->like->keys.items[like];
    id = find_hashed(strings, text, key->length, key->hash);
    return id ? id : add(strings, text, key->length, key->hash, false);
}

uint32_t npart__strings_find_text(const struct npart__strings *strings, const char *text)
{
    uint32_t id = id_at(strings, text);
    return id ? id : npart__strings_find(strings, text, strlen(text));
}

/* No text has passed the slot of one that came later, so that it can be freed alone. */
void npart__strings_cut(struct npart__strings *strings, uint32_t count)
{
    while (strings->texts.count > count && strings->texts.count > 1) {
        uint32_t id = strings->texts.count - 1;
        const struct npart__string_key *key = &strings->keys.items[id];
        uint32_t slot = slot_of(strings, strings->texts.items[id], key->length, key->hash);
        NPART__ASSERT(strings->slots[slot] == id, "text %u is not in its slot", (unsigned)id);
        strings->slots[slot] = 0;
        for (slot = first_place(strings, strings->texts.items[id]); strings->places[slot] != id;)
            slot = (slot + 1) & (strings->slot_count - 1);
        strings->places[slot] = 0;
        strings->texts.count = strings->keys.count = id;
    }
}

/* The key stays, as the texts come from the same file. Texts themselves are shared, hence `from` must outlive the
 * copy. */
bool npart__strings_copy(const struct npart__strings *from, struct npart__arena *arena, struct npart__strings *out)
{
    uint32_t count = from->texts.count;
    *out = (struct npart__strings){.arena = arena, .key = from->key, .slot_count = from->slot_count};
    out->slots = npart__arena_allocate(arena, 2 * (size_t)from->slot_count * sizeof *out->slots);
    if (!out->slots || !NPART__RESERVE(arena, &out->texts, count) || !NPART__RESERVE(arena, &out->keys, count))
        return false;
    out->places = out->slots + from->slot_count;
    if (from->slot_count)
        memcpy(out->slots, from->slots, 2 * (size_t)from->slot_count * sizeof *out->slots);
    memcpy(out->texts.items, from->texts.items, count * sizeof *out->texts.items);
    memcpy(out->keys.items, from->keys.items, count * sizeof *out->keys.items);
    out->texts.count = out->keys.count = count;
    return true;
}

uint32_t npart__strings_find(const struct npart__strings *strings, const char *text, size_t length)
{
    if (length > LONGEST_TEXT)
        return NPART_NONE;
    uint32_t id = find_hashed(strings, text, length, hash_of(strings, text, length));
    return id || !length ? id : NPART_NONE;
}
