/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that patterns of paths match (npart_glob_match).
 */
#ifndef TOOL_GLOB_H
#define TOOL_GLOB_H

#include <stdbool.h>
#include <stddef.h>

#define GLOB_MOST_FILES 100000u /* that match the patterns of one run */
#define GLOB_MOST_ENTRIES 1000000u /* looked at in folders for one pattern */

struct paths {
    char **items;
    size_t count, room;
};

/* Adds what lies below `folder` ("" is the working directory, else it ends with /), matches, and is no folder, relative
 * to it. It may not be there to be read: a link to nothing is found, too. Links to
 * folders are followed only where the pattern names them. False, with a sentence in `problem`, when a folder cannot be
 * read, past a limit, or out of memory. */
bool glob_files(struct paths *paths, const char *folder, const char *pattern, char *problem, size_t bytes);
/* Three parts of a path in a row, with no byte to spare, as there may be millions; to be freed. NULL: out of memory. */
char *join_parts(const char *a, const char *b, const char *c);
/* A copy of the text. False: out of memory. */
bool paths_add(struct paths *paths, const char *text);
/* In the order of their bytes, each once. */
void paths_sort(struct paths *paths);
void paths_free(struct paths *paths);

#endif
