/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for texts and other keys, in the order in which they came, and an item for each.
 */
#ifndef NPART_MANY_NUMBERS_H
#define NPART_MANY_NUMBERS_H

#include "base/base.h"

/* Begins with zeros but for what is named here. */
struct npart__numbers {
    struct npart__arena *arena;
    uint32_t most;     /* 0: as many as there is memory for */
    size_t item_bytes; /* 0: there are none */
    uint32_t count, room;
    char *items; /* by number */
    struct NPART__ARRAY(uint32_t) bytes; /* of keys, by number */
    struct npart__strings keys; /* with a byte before each, as none may be "" */
};

#define NPART__NO_NUMBER UINT32_MAX

/* The number of the key, which is copied where it is new; NPART__NO_NUMBER when out of memory, or past `most`. */
uint32_t npart__number_of(struct npart__numbers *numbers, const void *key, size_t bytes);
/* A key by its number, which must be one; a NUL stands after it. `bytes` may be NULL. */
const char *npart__numbered_key(const struct npart__numbers *numbers, uint32_t number, size_t *bytes);
/* Its item, zeroed when the key was new; good until the next new key. */
static inline void *npart__numbered_item(const struct npart__numbers *numbers, uint32_t number)
{
    return numbers->items + number * numbers->item_bytes;
}

#endif
