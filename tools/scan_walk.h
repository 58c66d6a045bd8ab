/* SPDX-License-Identifier: Apache-2.0
 *
 * Which models a scan is of: folders are searched, patterns filled in, files taken as they are.
 */
#ifndef TOOL_SCAN_WALK_H
#define TOOL_SCAN_WALK_H

#include <stdbool.h>
#include <stddef.h>

#include "glob.h"
#include "run.h"

#define SCAN_MOST_MODELS 10000000u /* of one scan, with some 100 bytes of memory each */
#define SCAN_MOST_FOLDERS 64u      /* deep */

struct scan_model {
    char *path;
    const char *code; /* what is wrong with it already; static; NULL: it is to be read */
    char *problem;    /* ... as a sentence */
    const char *folder; /* that it is in, without links; NULL: not known */
};

/* Begins with zeros. */
struct scan_models {
    struct scan_model *items;
    size_t count, room;
    struct paths folders; /* of items */
    size_t left_out;      /* models that are told with a name that another one has, too */
};

/* Finds the models of the arguments, in their order, and of one by the bytes of their paths; a file that is met again
 * is left out, as is `output`, where lines go (NULL: no file). What cannot be looked at is among them. The first
 * `patterns` arguments may be patterns, the others are paths. Tells what is wrong otherwise. */
enum exit_status scan_find(struct scan_models *models, const struct paths *arguments, size_t patterns,
                           const char *output);
/* Adds the paths of a list, a line each or, where one of them has a NUL, with NULs between them; "-" is standard input.
 * Tells what is wrong. */
enum exit_status scan_read_list(struct paths *paths, const char *list);
void scan_models_free(struct scan_models *models);

#endif
