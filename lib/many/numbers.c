/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for keys: those that interned texts have, from 0.
 */
#include "many/numbers.h"

/* Zeroed where they grow. */
static bool has_room(struct npart__numbers *numbers)
{
    size_t size = numbers->item_bytes;
    if (!size || numbers->count < numbers->room)
        return true;
    uint32_t room = numbers->room ? 2 * numbers->room : 16;
    char *items = npart__arena_resize(numbers->arena, numbers->items, numbers->room * size, room * size);
    if (!items)
        return false;
    memset(items + numbers->room * size, 0, (room - numbers->room) * size);
    numbers->items = items;
    numbers->room = room;
    return true;
}

/* `marked` is the key after a byte. */
static uint32_t number_of(struct npart__numbers *numbers, const char *marked, size_t bytes)
{
    uint32_t id = npart__strings_find(&numbers->keys, marked, bytes);
    if (id != NPART_NONE)
        return id - 1;
    if ((numbers->most && numbers->count >= numbers->most) || !has_room(numbers) ||
        npart__intern(&numbers->keys, marked, bytes, true) == NPART_NONE ||
        !NPART__PUSH(numbers->arena, &numbers->bytes, (uint32_t)bytes - 1))
        return NPART__NO_NUMBER;
    return numbers->count++;
}

uint32_t npart__number_of(struct npart__numbers *numbers, const void *key, size_t bytes)
{
    char few[512];
    if (!numbers->keys.arena && !npart__strings_init(&numbers->keys, numbers->arena))
        return NPART__NO_NUMBER;
    char *marked = bytes < sizeof few ? few : npart__arena_allocate(numbers->arena, bytes + 1);
    if (!marked)
        return NPART__NO_NUMBER;
    marked[0] = 1;
    memcpy(marked + 1, key, bytes);
    uint32_t number = number_of(numbers, marked, bytes + 1);
    if (marked != few)
        npart__arena_give_back(numbers->arena, marked, bytes + 1);
    return number;
}

const char *npart__numbered_key(const struct npart__numbers *numbers, uint32_t number, size_t *bytes)
{
    if (bytes)
        *bytes = numbers->bytes.items[number];
    return numbers->keys.texts.items[number + 1] + 1;
}
