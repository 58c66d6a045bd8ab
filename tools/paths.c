/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

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
