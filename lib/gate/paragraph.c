/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of text for a person, as wide as the terminal, 80 columns without one.
 */
#include "gate/judge.h"

#define DEFAULT_WIDTH 80u
#define LEAST_WIDTH 40u

uint32_t npart__width_of(const struct npart_report_options *look)
{
    uint32_t width = look->width ? look->width : DEFAULT_WIDTH;
    return width < LEAST_WIDTH ? LEAST_WIDTH : width;
}

void npart__put_painted(struct npart__buffer *out, const struct npart_report_options *look, const char *code,
                        const char *text)
{
    bool is_painted = code && look->use_color;
    if (is_painted) {
        npart__append_text(out, "\033[");
        npart__append_text(out, code);
        npart__append_text(out, "m");
    }
    npart__append_text(out, text);
    npart__append_text(out, is_painted ? "\033[0m" : "");
}

static void add_blanks(struct npart__buffer *out, size_t count)
{
    while (count--)
        npart__append_text(out, " ");
}

/* How many bytes of a word fit into so many columns; one character at least. */
static size_t fitting(const char *word, size_t length, size_t columns)
{
    size_t at = 0, seen = 0;
    for (; at < length; at++) {
        bool begins = npart__begins_character(word[at]);
        if (begins && seen == columns && at)
            break;
        seen += begins;
    }
    return at;
}

struct lines {
    struct npart__buffer *out;
    size_t width, indent, column;
    unsigned left; /* lines after this one; 0: this is the last */
};

/* False: there is no line left. */
static bool begin_line(struct lines *lines)
{
    if (!lines->left)
        return false;
    lines->left--;
    npart__append_text(lines->out, "\n");
    add_blanks(lines->out, lines->indent);
    lines->column = lines->indent;
    return true;
}

/* Room for "..." is kept on the last line, unless all that is left fits there. */
static size_t room_of(const struct lines *lines, const char *rest)
{
    bool is_cut = !lines->left && lines->column + npart__columns_of(rest, strlen(rest)) > lines->width;
    size_t end = lines->width - (is_cut ? 3 : 0);
    return end > lines->column ? end - lines->column : 0;
}

static void add_words(struct lines *lines, const char *plain)
{
    size_t gap = 0;
    while (*plain) {
        size_t length = strcspn(plain, " ");
        bool is_first = lines->column == lines->indent;
        if (!is_first && gap + npart__columns_of(plain, length) > room_of(lines, plain) && !begin_line(lines)) {
            npart__append_text(lines->out, "...");
            return;
        }
        if (lines->column > lines->indent) {
            add_blanks(lines->out, gap);
            lines->column += gap;
        }
        for (size_t taken; length; length -= taken, plain += taken) {
            size_t room = room_of(lines, plain);
            if (!room && !begin_line(lines)) {
                npart__append_text(lines->out, "...");
                return;
            }
            taken = fitting(plain, length, room_of(lines, plain));
            npart__append(lines->out, plain, taken);
            lines->column += npart__columns_of(plain, taken);
        }
        gap = strspn(plain, " ");
        plain += gap;
    }
}

void npart__put_paragraph(struct npart__buffer *out, const struct npart_report_options *look, const char *code,
                          const char *lead, const char *text, uint32_t most)
{
    size_t indent = strlen(lead);
    struct npart__buffer plain;
    struct lines lines = {.out = out, .width = npart__width_of(look), .indent = indent, .column = indent,
                          .left = most ? most - 1 : ~0u};
    npart__buffer_init(&plain, out->arena);
    npart__append_plain(&plain, text, strlen(text));
    npart__put_painted(out, look, code, lead);
    add_words(&lines, npart__buffer_text(&plain));
    npart__append_text(out, "\n");
    npart__buffer_release(&plain);
}
