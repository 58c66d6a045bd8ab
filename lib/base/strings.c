/* SPDX-License-Identifier: Apache-2.0
 *
 * Interned strings: a table of their numbers, in which each stands at the first free place from its hash on. A graph
 * has thousands, and each of its versions a table of its own, so a place is eight bytes. Every hash is ours, under a
 * key.
 */
#include "base/base.h"

struct npart__string_slot {
    uint32_t hash;
    uint32_t id; /* plus one; 0: nothing stands there */
};

#define FIRST_SLOTS 64u

/* Texts come from the input, so the place of each follows a key of the table's own. The upper half is dropped. */
static uint32_t hash_of(const struct npart__strings *strings, const char *text, size_t length)
{
    return (uint32_t)npart__hash_bytes(&strings->key, text, length);
}

/* Where a text stands, or is to stand. There is an end, as the table is never full. */
static struct npart__string_slot *slot_of(const struct npart__strings *strings, const char *text, size_t length,
                                          uint32_t hash)
{
    for (uint32_t at = hash;; at++) {
        struct npart__string_slot *slot = &strings->slots[at & (strings->slot_count - 1)];
        if (!slot->id || (slot->hash == hash && strings->lengths.items[slot->id - 1] == length &&
                          memcmp(strings->texts.items[slot->id - 1], text, length) == 0))
            return slot;
    }
}

/* The first free place for a hash. */
static struct npart__string_slot *free_slot(struct npart__string_slot *slots, uint32_t count, uint32_t hash)
{
    while (slots[hash & (count - 1)].id)
        hash++;
    return &slots[hash & (count - 1)];
}

/* For one text more, so that a quarter of the places stays free. Numbers of texts are below 2^31. */
static bool make_room(struct npart__strings *strings)
{
    uint32_t count = strings->slot_count ? 2 * strings->slot_count : FIRST_SLOTS;
    if (strings->texts.count < strings->slot_count / 4 * 3)
        return true;
    struct npart__string_slot *slots = npart__arena_zeroed(strings->arena, count, sizeof *slots);
    if (!slots)
        return false;
    for (uint32_t i = 0; i < strings->slot_count; i++)
        if (strings->slots[i].id)
            *free_slot(slots, count, strings->slots[i].hash) = strings->slots[i];
    npart__arena_release(strings->arena, strings->slots);
    strings->slots = slots;
    strings->slot_count = count;
    return true;
}

bool npart__strings_init(struct npart__strings *strings, struct npart__arena *arena)
{
    memset(strings, 0, sizeof *strings);
    strings->arena = arena;
    npart__hash_key_init(&strings->key);
    return npart__intern(strings, "", 0, false) == 0;
}

/* Lengths are kept in 32 bits, and no text of a model is longer. */
#define LONGEST_TEXT ((size_t)UINT32_MAX / 2)

/* A text that is not there yet. */
static uint32_t add(struct npart__strings *strings, const char *text, size_t length, uint32_t hash, bool copy)
{
    uint32_t id = strings->texts.count;
    NPART__ASSERT(id > 0 || length == 0, "the first text is the empty one");
    text = copy ? npart__arena_copy_text(strings->arena, text, length) : text;
    if (!text || !make_room(strings) || !NPART__RESERVE(strings->arena, &strings->lengths, 1) ||
        !NPART__PUSH(strings->arena, &strings->texts, text))
        return NPART_NONE;
    strings->lengths.items[strings->lengths.count++] = (uint32_t)length;
    *free_slot(strings->slots, strings->slot_count, hash) = (struct npart__string_slot){hash, id + 1};
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
    uint32_t found = strings->slots ? slot_of(strings, text, length, hash)->id : 0;
    return found ? found - 1 : add(strings, text, length, hash, copy);
}

/* What stands after a place that becomes free may have been put there as this one was taken, and then moves up. */
static void take_out(struct npart__strings *strings, uint32_t id)
{
    const uint32_t last = strings->slot_count - 1, length = strings->lengths.items[id];
    struct npart__string_slot *slots = strings->slots;
    const char *text = strings->texts.items[id];
    uint32_t gap = (uint32_t)(slot_of(strings, text, length, hash_of(strings, text, length)) - slots);
    for (uint32_t at = (gap + 1) & last; slots[at].id; at = (at + 1) & last) {
        /* Places from the one that it belongs at, going round. */
        bool may_move = ((at - slots[at].hash) & last) >= ((at - gap) & last);
        if (may_move) {
            slots[gap] = slots[at];
            gap = at;
        }
    }
    slots[gap].id = 0;
}

void npart__strings_cut(struct npart__strings *strings, uint32_t count)
{
    while (strings->texts.count > count && strings->texts.count > 1) {
        take_out(strings, strings->texts.count - 1);
        strings->texts.count--;
        strings->lengths.count--;
    }
}

/* The key stays, as the texts come from the same file, and with it every place. Texts themselves are shared, hence
 * `from` must outlive the copy. */
bool npart__strings_copy(const struct npart__strings *from, struct npart__arena *arena, struct npart__strings *out)
{
    uint32_t count = from->texts.count;
    *out = (struct npart__strings){.arena = arena, .slot_count = from->slot_count, .key = from->key};
    out->slots = npart__arena_allocate(arena, from->slot_count * sizeof *out->slots);
    if (!out->slots || !NPART__RESERVE(arena, &out->texts, count) || !NPART__RESERVE(arena, &out->lengths, count))
        return false;
    if (!count)
        return true;
    memcpy(out->slots, from->slots, from->slot_count * sizeof *out->slots);
    memcpy(out->texts.items, from->texts.items, count * sizeof *out->texts.items);
    memcpy(out->lengths.items, from->lengths.items, count * sizeof *out->lengths.items);
    out->texts.count = out->lengths.count = count;
    return true;
}

uint32_t npart__strings_find(const struct npart__strings *strings, const char *text, size_t length)
{
    if (length > LONGEST_TEXT || !strings->slots)
        return NPART_NONE;
    uint32_t found = slot_of(strings, text, length, hash_of(strings, text, length))->id;
    return found ? found - 1 : NPART_NONE;
}
