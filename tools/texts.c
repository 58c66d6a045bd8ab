/* SPDX-License-Identifier: Apache-2.0
 *
 * Texts and lists, and the memory that they take. What the first thread keeps stays until the tool ends, so nobody
 * gives it back; where there is none, the tool ends: a library must not, and a program that lacks memory for a path has
 * nothing else to do. Reports of a scan, which threads make and which are many, are `struct text`.
 */
#include "tool.h"

/* ---- memory ------------------------------------------------------------------------------------------------ */

void give_up(void)
{
    say("out of memory");
    drop_output();
    exit(EXIT_OTHER);
}

static union block { /* each points to the one before */
    union block *before;
    max_align_t all;
} *last;

void *need(size_t bytes)
{
    union block *block = bytes < SIZE_MAX - sizeof *block ? calloc(1, sizeof *block + bytes) : NULL;
    if (!block)
        give_up();
    block->before = last;
    last = block;
    return block + 1;
}

void forget_all(void)
{
    for (union block *before; last; last = before) {
        before = last->before;
        free(last);
    }
}

void *grow(void *items, size_t item_bytes, size_t count, size_t *room)
{
    if (count < *room)
        return items;
    *room = count ? 2 * count : 16;
    void *grown = need(*room * item_bytes);
    if (count)
        memcpy(grown, items, count * item_bytes);
    return grown;
}

/* ---- texts ------------------------------------------------------------------------------------------------- */

char *text_as(const char *format, ...)
{
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *out = length < 0 ? NULL : need((size_t)length + 1);
    if (!out)
        give_up();
    (void)vsnprintf(out, (size_t)length + 1, format, list);
    va_end(list);
    return out;
}

bool has_end(const char *text, const char *end)
{
    size_t length = strlen(text), rest = strlen(end);
    return length > rest && strcmp(text + length - rest, end) == 0;
}

void paths_add(struct paths *paths, const char *text)
{
    paths->items = grow(paths->items, sizeof *paths->items, paths->count, &paths->room);
    paths->items[paths->count++] = text_as("%s", text);
}

static int compare(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void paths_sort(struct paths *paths)
{
    if (paths->count)
        qsort(paths->items, paths->count, sizeof *paths->items, compare);
}

bool paths_have(const struct paths *paths, const char *text)
{
    return paths->count && bsearch(&text, paths->items, paths->count, sizeof text, compare);
}

bool text_write(void *payload, const char *bytes, size_t count)
{
    struct text *text = payload;
    size_t room = text->room ? text->room : 4096;
    text->has_failed |= count > SIZE_MAX / 4 - text->count;
    while (!text->has_failed && room < text->count + count)
        room *= 2;
    char *grown = text->has_failed ? NULL : room == text->room ? text->bytes : realloc(text->bytes, room);
    text->has_failed = !grown;
    if (!grown)
        return false;
    text->bytes = grown;
    text->room = room;
    memcpy(grown + text->count, bytes, count);
    text->count += count;
    return true;
}

void text_add(struct text *text, const char *more)
{
    (void)text_write(text, more, strlen(more));
}

bool text_read(struct text *text, FILE *file)
{
    char bytes[65536];
    ptrdiff_t count;
    while ((count = read_stream(file, bytes, sizeof bytes)) > 0)
        (void)text_write(text, bytes, (size_t)count);
    return count == 0;
}

char *text_kept(struct text *text)
{
    char *out = text->has_failed ? NULL : need(text->count + 1);
    if (!out)
        give_up();
    if (text->count)
        memcpy(out, text->bytes, text->count);
    free(text->bytes);
    *text = (struct text){0};
    return out;
}

const char *json_form(const char *text)
{
    static char *form;
    static size_t room;
    size_t length = strlen(text), shown = npart_json_text(text, length, NULL, 0);
    if (shown >= room) {
        free(form);
        room = 2 * shown + 64;
        form = malloc(room);
    }
    if (!form)
        give_up();
    (void)npart_json_text(text, length, form, shown + 1);
    return form;
}
