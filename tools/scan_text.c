/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_text.h"

#include "npu_partition.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REPLACEMENT "\xef\xbf\xbd" /* U+FFFD */

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

void text_insert(struct text *text, size_t at, const char *more)
{
    size_t count = strlen(more);
    if (!reserve(text, count))
        return;
    memmove(text->bytes + at + count, text->bytes + at, text->count - at);
    memcpy(text->bytes + at, more, count);
    text->count += count;
}

/* Of the character at the start of a text beyond ASCII; 0: it is none. */
static size_t utf8_length(const unsigned char *at)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc0 || at[0] > 0xf4)
        return 0;
    uint32_t code = at[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    return code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? length : 0;
}

/* The character at the start of a text as UTF-8, whose bytes are counted; `*taken`: those of the text. */
static const char *take_character(const char *at, size_t *count, size_t *taken)
{
    const unsigned char *bytes = (const unsigned char *)at;
    *count = *bytes < 0x80 ? 1 : utf8_length(bytes);
    *taken = *count ? *count : 1;
    if (*count)
        return at;
    *count = strlen(REPLACEMENT);
    return REPLACEMENT;
}

void text_add_json(struct text *text, const char *more)
{
    size_t length = strlen(more), shown = npart_json_text(more, length, NULL, 0);
    text_add(text, "\"");
    if (reserve(text, shown + 1))
        text->count += npart_json_text(more, length, text->bytes + text->count, shown + 1);
    text_add(text, "\"");
}

char *as_utf8(const char *text)
{
    struct text out = {0};
    for (size_t taken, count; *text; text += taken) {
        const char *character = take_character(text, &count, &taken);
        (void)text_write(&out, character, count);
    }
    (void)text_write(&out, "", 1);
    if (!out.has_failed)
        return out.bytes;
    free(out.bytes);
    return NULL;
}

bool is_plain_utf8(const char *text)
{
    for (size_t taken, count; *text; text += taken) {
        const char *character = take_character(text, &count, &taken);
        if (count == strlen(REPLACEMENT) && memcmp(character, REPLACEMENT, count) == 0)
            return false;
    }
    return true;
}
