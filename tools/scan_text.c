/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#include "npu_partition.h"

static bool reserve(struct text *text, size_t count)
{
    size_t room = text->room ? text->room : 4096;
    if (text->has_failed || count > SIZE_MAX / 4 - text->count)
        return !(text->has_failed = true);
    while (room < text->count + count)
        room *= 2;
    if (room == text->room)
        return true;
    char *grown = realloc(text->bytes, room);
    text->has_failed = !grown;
    if (grown) {
        text->bytes = grown;
        text->room = room;
    }
    return grown != NULL;
}

bool text_write(void *payload, const char *bytes, size_t count)
{
    struct text *text = payload;
    if (!reserve(text, count))
        return false;
    memcpy(text->bytes + text->count, bytes, count);
    text->count += count;
    return true;
}

void text_add(struct text *text, const char *more)
{
    (void)text_write(text, more, strlen(more));
}

char *json_form(const char *text)
{
    size_t length = strlen(text), shown = npart_json_text(text, length, NULL, 0);
    char *out = malloc(shown + 1);
    if (out)
        (void)npart_json_text(text, length, out, shown + 1);
    return out;
}
