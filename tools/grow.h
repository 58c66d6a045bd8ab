/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TOOL_GROW_H
#define TOOL_GROW_H

#include <stdlib.h>

/* A list that has room for one more than `count`; where memory lacks it is as it was, and full: count == *room. */
static inline void *grow(void *items, size_t item_bytes, size_t count, size_t *room)
{
    size_t wanted = *room ? 2 * *room : 16;
    void *grown = count < *room ? NULL : realloc(items, wanted * item_bytes);
    *room = grown ? wanted : *room;
    return grown ? grown : items;
}

#endif
