/* SPDX-License-Identifier: Apache-2.0
 *
 * Files that match a pattern. Folders are read once each, and only from where the pattern has its first wildcard.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "glob.h"

#include "npu_partition.h"
#include "grow.h"
#include "platform.h"

struct search {
    struct paths *paths;
    const char *folder, *pattern;
    uint32_t deepest; /* folders that the pattern can go down; NPART_MOST_GLOB_FOLDERS + 1 with ** */
    bool sees_hidden; /* some part of the pattern begins with a dot */
    uint32_t entries;
    char *problem;
    size_t problem_bytes;
};

/* ---- lists of paths ----------------------------------------------------------------------------------------- */

bool paths_add(struct paths *paths, const char *text)
{
    paths->items = grow(paths->items, sizeof *paths->items, paths->count, &paths->room);
    if (paths->count == paths->room)
        return false;
    char *copy = malloc(strlen(text) + 1);
    if (!copy)
        return false;
    memcpy(copy, text, strlen(text) + 1);
    paths->items[paths->count++] = copy;
    return true;
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void paths_sort(struct paths *paths)
{
    size_t kept = 0;
    if (paths->count)
        qsort(paths->items, paths->count, sizeof *paths->items, compare);
    for (size_t i = 0; i < paths->count; i++) {
        if (kept && strcmp(paths->items[kept - 1], paths->items[i]) == 0)
            free(paths->items[i]);
        else
            paths->items[kept++] = paths->items[i];
    }
    paths->count = kept;
}

void paths_free(struct paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->items[i]);
    free(paths->items);
    *paths = (struct paths){0};
}

/* ---- folders ------------------------------------------------------------------------------------------------ */

static bool fail(struct search *search, const char *path, const char *problem)
{
    (void)snprintf(search->problem, search->problem_bytes, "%s%s%s", path, *path ? ": " : "", problem);
    return false;
}

static bool take_file(struct search *search, const char *path)
{
    if (search->paths->count == GLOB_MOST_FILES)
        return fail(search, "", "the paths match more than 100000 files");
    return paths_add(search->paths, path) || fail(search, "", "out of memory");
}

char *join_parts(const char *a, const char *b, const char *c)
{
    size_t first = strlen(a), second = strlen(b), third = strlen(c);
    char *out = malloc(first + second + third + 1);
    if (out) {
        memcpy(out, a, first);
        memcpy(out + first, b, second);
        memcpy(out + first + second, c, third + 1);
    }
    return out;
}

static bool walk(struct search *search, const char *at, uint32_t depth);

static bool take_entry(struct search *search, const char *at, const char *name, uint32_t depth)
{
    char *path = join_parts(at, name, ""), *full = path ? join_parts(search->folder, path, "") : NULL;
    char *below = path ? join_parts(path, "/", "") : NULL;
    bool is_done = path && full && below;
    if (!is_done) {
        (void)fail(search, "", "out of memory");
    } else if (npart__path_kind(full, false) == NPART__PATH_FOLDER) {
        if (depth < search->deepest)
            is_done = walk(search, below, depth + 1);
    } else if (npart_glob_match(search->pattern, path) && npart__path_kind(full, true) != NPART__PATH_FOLDER) {
        /* Also a link to nothing, as git-annex and DVC leave: a model that cannot be read is told, not left out. */
        is_done = take_file(search, path);
    }
    free(below);
    free(full);
    free(path);
    return is_done;
}

/* The folder `at`, which is "" or ends with /. */
static bool walk(struct search *search, const char *at, uint32_t depth)
{
    char *full = join_parts(search->folder, at, *search->folder || *at ? "." : "./");
    struct npart__folder folder;
    bool is_done = true, is_open = full && npart__folder_open(&folder, full);
    if (!is_open) {
        is_done = full && errno == ENOENT; /* then nothing matches */
        if (!is_done)
            (void)fail(search, full ? full : "", full ? strerror(errno) : "out of memory");
    } else if (depth > NPART_MOST_GLOB_FOLDERS) {
        is_done = fail(search, full, "folders are nested more than 64 deep");
    }
    for (const char *name; is_done && is_open && (name = npart__folder_next(&folder));) {
        bool is_hidden = *name == '.';
        if (is_hidden && (!search->sees_hidden || !name[1] || (name[1] == '.' && !name[2])))
            continue;
        if (++search->entries > GLOB_MOST_ENTRIES)
            is_done = fail(search, full, "more than 1000000 files and folders to look at");
        else
            is_done = take_entry(search, at, name, depth);
    }
    if (is_open && is_done && errno) /* of the last npart__folder_next */
        is_done = fail(search, full, strerror(errno));
    if (is_open)
        npart__folder_close(&folder);
    free(full);
    return is_done;
}

/* Folders before the first part with a wildcard, with the last /; the file itself is not among them. */
static size_t plain_length(const char *pattern)
{
    size_t length = 0, wild = strcspn(pattern, "*?[");
    for (size_t i = 0; i < wild; i++)
        if (pattern[i] == '/')
            length = i + 1;
    return length;
}

bool glob_files(struct paths *paths, const char *folder, const char *pattern, char *problem, size_t bytes)
{
    struct search search = {.paths = paths, .folder = folder, .pattern = pattern,
                            .problem = problem, .problem_bytes = bytes};
    size_t plain = plain_length(pattern);
    char *start = join_parts(pattern, "", "");
    if (!start)
        return fail(&search, "", "out of memory");
    start[plain] = '\0';
    search.sees_hidden = pattern[plain] == '.' || strstr(pattern + plain, "/.");
    for (const char *at = pattern + plain; (at = strchr(at, '/')); at++)
        search.deepest++;
    if (strstr(pattern + plain, "**"))
        search.deepest = NPART_MOST_GLOB_FOLDERS + 1;
    bool is_done = walk(&search, start, 0);
    free(start);
    return is_done;
}
