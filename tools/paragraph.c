/* SPDX-License-Identifier: Apache-2.0 */
#include "paragraph.h"

#include <stdlib.h>
#include <string.h>

#include "columns.h"

#define DEFAULT_WIDTH 80u
#define LEAST_WIDTH 40u

unsigned width_of(const struct npart_report_options *look)
{
    unsigned width = look->width ? look->width : DEFAULT_WIDTH;
    return width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

void add_painted(struct text *out, const struct npart_report_options *look, const char *code, const char *text)
{
    bool is_painted = code && look->use_color;
    if (is_painted) {
        text_add(out, "\033[");
        text_add(out, code);
        text_add(out, "m");
    }
    text_add(out, text);
    text_add(out, is_painted ? "\033[0m" : "");
}

static void add_blanks(struct text *out, size_t count)
{
    while (count--)
        text_add(out, " ");
}

/* How many bytes of a word fit into so many columns; one character at least. */
static size_t fitting(const char *word, size_t length, size_t columns)
{
    size_t at = 0, seen = 0;
    for (; at < length; at++) {
        bool begins = begins_character(word[at]);
        if (begins && seen == columns && at)
            break;
        seen += begins;
    }
    return at;
}

struct lines {
    struct text *out;
    size_t width, indent, column;
    unsigned left; /* lines after this one; 0: this is the last */
};

/* False: there is no line left. */
static bool begin_line(struct lines *lines)
{
    if (!lines->left)
        return false;
    lines->left--;
    text_add(lines->out, "\n");
    add_blanks(lines->out, lines->indent);
    lines->column = lines->indent;
    return true;
}

static size_t count_columns(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += begins_character(text[i]);
    return columns;
}

/* Room for "..." is kept on the last line, unless all that is left fits there. */
static size_t room_of(const struct lines *lines, const char *rest)
{
    bool is_cut = !lines->left && lines->column + count_columns(rest, strlen(rest)) > lines->width;
    size_t end = lines->width - (is_cut ? 3 : 0);
    return end > lines->column ? end - lines->column : 0;
}

static void add_words(struct lines *lines, const char *plain)
{
    size_t gap = 0;
    while (*plain) {
        size_t length = strcspn(plain, " ");
        bool is_first = lines->column == lines->indent;
        if (!is_first && gap + count_columns(plain, length) > room_of(lines, plain) && !begin_line(lines)) {
            text_add(lines->out, "...");
            return;
        }
        if (lines->column > lines->indent) {
            add_blanks(lines->out, gap);
            lines->column += gap;
        }
        for (size_t taken; length; length -= taken, plain += taken) {
            size_t room = room_of(lines, plain);
            if (!room && !begin_line(lines)) {
                text_add(lines->out, "...");
                return;
            }
            taken = fitting(plain, length, room_of(lines, plain));
            (void)text_write(lines->out, plain, taken);
            lines->column += count_columns(plain, taken);
        }
        gap = strspn(plain, " ");
        plain += gap;
    }
}

void add_paragraph(struct text *out, const struct npart_report_options *look, const char *code, const char *lead,
                   const char *text, unsigned most)
{
    size_t bytes = npart_plain_text(text, NULL, 0) + 1, indent = strlen(lead);
    struct lines lines = {.out = out, .width = width_of(look), .indent = indent, .column = indent,
                          .left = most ? most - 1 : ~0u};
    char *plain = malloc(bytes);
    out->has_failed |= !plain;
    if (!plain)
        return;
    (void)npart_plain_text(text, plain, bytes);
    add_painted(out, look, code, lead);
    add_words(&lines, plain);
    text_add(out, "\n");
    free(plain);
}
