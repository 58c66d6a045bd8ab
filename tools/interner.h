/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers for texts and other keys, in the order in which they came, and an item for each.
 */
#ifndef TOOL_INTERNER_H
#define TOOL_INTERNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct interned;

/* Begins with zeros, or with a `most` of its own. */
struct interner {
    struct interned *table;  /* uthash's */
    struct interned **items; /* by number */
    size_t count, capacity;
    size_t most;             /* 0: as many as there is memory for */
    size_t item_bytes;       /* 0: there are none */
    char *values;            /* the items, by number */
    void *seed;              /* its place is what hashes begin with, which is hard to foresee */
    size_t value_capacity;
};

#define NO_NUMBER UINT32_MAX

/* The number of the key, which is copied where it is new; NO_NUMBER when out of memory, or past `most`. */
uint32_t intern(struct interner *interner, const void *key, size_t bytes);
/* A key by its number, which must be one; it stays where it is until interner_free, and a NUL stands after it. */
const void *interned_key(const struct interner *interner, uint32_t number, size_t *bytes);
/* Its item, zeroed when the key was new; good until the next new key. */
void *interned_item(const struct interner *interner, uint32_t number);
void interner_free(struct interner *interner);

#endif
