/* SPDX-License-Identifier: Apache-2.0
 *
 * Interned strings: a table of places with open addressing, never more than half full. Texts come from the input, so
 * the place of each depends on a key of the table's own; ids are counted as texts come, whatever the key.
 */
#include "base/base.h"

#define FIRST_PLACES 64u

bool npart__strings_init(struct npart__strings *strings, struct npart__arena *arena)
{
    memset(strings, 0, sizeof *strings);
    strings->arena = arena;
    npart__hash_key_init(&strings->key);
    return npart__intern(strings, "", 0, false) == 0;
}

/* The place of the text, or the free one where it belongs. There is one. */
static struct npart__string_place *find_place(const struct npart__strings *strings, const char *text, size_t length,
                                              uint32_t hash)
{
    for (uint32_t at = hash & strings->mask;; at = (at + 1) & strings->mask) {
        struct npart__string_place *place = &strings->places[at];
        if (place->id == 0)
            return place;
        if (place->hash == hash && strings->lengths.items[place->id - 1] == length &&
            (length == 0 || memcmp(strings->texts.items[place->id - 1], text, length) == 0))
            return place;
    }
}

static bool grow(struct npart__strings *strings)
{
    uint32_t mask = strings->places ? 2 * strings->mask + 1 : FIRST_PLACES - 1;
    struct npart__string_place *old = strings->places;
    struct npart__string_place *places = npart__arena_zeroed(strings->arena, mask + (size_t)1, sizeof *places);
    if (!places)
        return false;
    for (uint32_t i = 0; old && i <= strings->mask; i++) {
        uint32_t at = old[i].hash & mask;
        while (old[i].id && places[at].id)
            at = (at + 1) & mask;
        if (old[i].id)
            places[at] = old[i];
    }
    npart__arena_release(strings->arena, old);
    strings->places = places;
    strings->mask = mask;
    return true;
}

/* Ids and lengths are uint32_t. */
#define LONGEST_TEXT ((size_t)UINT32_MAX / 2)
#define MOST_TEXTS ((uint32_t)1 << 30)

uint32_t npart__intern(struct npart__strings *strings, const char *text, size_t length, bool copy)
{
    if (length > LONGEST_TEXT || strings->texts.count >= MOST_TEXTS)
        return NPART_NONE;
    uint32_t hash = (uint32_t)npart__hash_bytes(&strings->key, text, length), id = strings->texts.count;
    struct npart__string_place *place = strings->places ? find_place(strings, text, length, hash) : NULL;
    if (place && place->id)
        return place->id - 1;
    if (id >= strings->mask / 2) {
        if (!grow(strings))
            return NPART_NONE;
        place = find_place(strings, text, length, hash);
    }
    const char *kept = copy ? npart__arena_copy_text(strings->arena, text, length) : text;
    if (!kept || !NPART__RESERVE(strings->arena, &strings->texts, 1) ||
        !NPART__PUSH(strings->arena, &strings->lengths, (uint32_t)length))
        return NPART_NONE;
    strings->texts.items[strings->texts.count++] = kept;
    *place = (struct npart__string_place){.hash = hash, .id = id + 1};
    return id;
}

uint32_t npart__strings_find(const struct npart__strings *strings, const char *text, size_t length)
{
    if (length > LONGEST_TEXT)
        return NPART_NONE;
    return find_place(strings, text, length, (uint32_t)npart__hash_bytes(&strings->key, text, length))->id - 1u;
}
