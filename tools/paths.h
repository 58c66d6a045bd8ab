/* SPDX-License-Identifier: Apache-2.0
 *
 * Paths, and lists of them.
 */
#ifndef TOOL_PATHS_H
#define TOOL_PATHS_H

#include <stdbool.h>
#include <stddef.h>

struct paths {
    char **items;
    size_t count, room;
};

/* Three parts of a path in a row; to be freed. NULL: out of memory. */
char *join_parts(const char *a, const char *b, const char *c);
/* A copy of the text. False: out of memory. */
bool paths_add(struct paths *paths, const char *text);
/* In the order of their bytes, each once. */
void paths_sort(struct paths *paths);
void paths_free(struct paths *paths);

#endif
