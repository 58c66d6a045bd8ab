/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_text.h"

#include "npu_partition.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

void text_add_toml(struct text *text, const char *more)
{
    text_add(text, "\"");
    for (; *more; more++) {
        char piece[8];
        bool is_quoted = *more == '"' || *more == '\\';
        bool is_control = (unsigned char)*more < 0x20 || *more == 0x7f;
        (void)snprintf(piece, sizeof piece, is_quoted ? "\\%c" : is_control ? "\\u%04x" : "%c", *more);
        text_add(text, piece);
    }
    text_add(text, "\"");
}

void text_add_json(struct text *text, const char *more)
{
    size_t length = strlen(more), shown = npart_json_text(more, length, NULL, 0);
    text_add(text, "\"");
    if (reserve(text, shown + 1))
        text->count += npart_json_text(more, length, text->bytes + text->count, shown + 1);
    text_add(text, "\"");
}

char *json_form(const char *text)
{
    struct text out = {0};
    text_add_json(&out, text);
    (void)text_write(&out, "", 1);
    if (!out.has_failed)
        return out.bytes;
    free(out.bytes);
    return NULL;
}
