/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/formats.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* What is left of a text. */
struct reader {
    const char *text;
    size_t at, bytes;
    const char *problem;
};

static int next(const struct reader *reader)
{
    return reader->at < reader->bytes ? (unsigned char)reader->text[reader->at] : -1;
}

static bool fail(struct reader *reader, const char *problem)
{
    if (!reader->problem)
        reader->problem = problem;
    return false;
}

static bool skip(struct reader *reader, const char *word)
{
    size_t length = strlen(word);
    if (reader->bytes - reader->at < length || memcmp(reader->text + reader->at, word, length) != 0)
        return false;
    reader->at += length;
    return true;
}

static const char *finish(const struct reader *reader, size_t *at)
{
    *at = reader->at;
    return reader->problem;
}

/* ---- characters ------------------------------------------------------------------------------------------------ */

/* One character; -1 where there is none. */
static int32_t take_character(struct reader *reader)
{
    static const int32_t least[] = {0, 0x80, 0x800, 0x10000};
    int first = next(reader);
    unsigned more = first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : 0;
    if (first < 0 || (first >= 0x80 && first < 0xc2) || first > 0xf4 || reader->bytes - reader->at <= more)
        return -1;
    int32_t code = more ? first & (0x3f >> more) : first;
    for (unsigned i = 1; i <= more; i++) {
        unsigned char byte = (unsigned char)reader->text[reader->at + i];
        if ((byte & 0xc0) != 0x80)
            return -1;
        code = code << 6 | (byte & 0x3f);
    }
    if (code < least[more] || (code >= 0xd800 && code < 0xe000) || code > 0x10ffff)
        return -1;
    reader->at += more + 1;
    return code;
}

static bool is_fit(int32_t code)
{
    return code == '\n' || (code >= 0x20 && code != 0x7f && !(code >= 0x80 && code < 0xa0));
}

const char *text_problem(const char *text, size_t bytes, size_t *at)
{
    struct reader reader = {text, 0, bytes, NULL};
    while (reader.at < bytes && !reader.problem)
        if (!is_fit(take_character(&reader)))
            (void)fail(&reader, "a control character, or no UTF-8");
    return finish(&reader, at);
}

/* ---- XML ------------------------------------------------------------------------------------------------------- */

#define MOST_DEPTH 64

static bool is_name(int byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ||
           byte == '-' || byte == ':' || byte == '_';
}

static size_t take_name(struct reader *reader)
{
    size_t begin = reader->at;
    while (is_name(next(reader)))
        reader->at++;
    return reader->at - begin;
}

static void skip_blanks(struct reader *reader)
{
    while (next(reader) == ' ' || next(reader) == '\n')
        reader->at++;
}

static bool take_entity(struct reader *reader)
{
    static const char *const entities[] = {"amp;", "lt;", "gt;", "quot;", "apos;"};
    for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++)
        if (skip(reader, entities[i]))
            return true;
    return skip(reader, "#") && take_name(reader) && skip(reader, ";") ? true : fail(reader, "no entity");
}

/* Up to a byte that ends it. */
static bool take_text(struct reader *reader, int end)
{
    while (next(reader) != end && next(reader) >= 0) {
        int32_t code = take_character(reader);
        if (code < 0 || (code < 0x20 && code != '\n') || code == 0xfffe || code == 0xffff)
            return fail(reader, "no character of XML");
        if (code == '<')
            return fail(reader, "< in a text");
        if (code == '&' && !take_entity(reader))
            return false;
    }
    return true;
}

static bool take_attributes(struct reader *reader)
{
    for (skip_blanks(reader); is_name(next(reader)); skip_blanks(reader)) {
        (void)take_name(reader);
        if (!skip(reader, "=\"") || !take_text(reader, '"') || !skip(reader, "\""))
            return fail(reader, "no attribute");
    }
    return true;
}

struct tags {
    struct {
        size_t at, length;
    } open[MOST_DEPTH];
    unsigned depth;
};

static bool take_tag(struct reader *reader, struct tags *tags)
{
    bool is_end = skip(reader, "/");
    size_t at = reader->at, length = take_name(reader);
    if (length == 0)
        return fail(reader, "no name of a tag");
    if (is_end) {
        if (tags->depth == 0 || tags->open[tags->depth - 1].length != length ||
            memcmp(reader->text + tags->open[tags->depth - 1].at, reader->text + at, length) != 0)
            return fail(reader, "ends another tag");
        tags->depth--;
        return skip(reader, ">") || fail(reader, "an end tag that goes on");
    }
    if (!take_attributes(reader))
        return false;
    if (skip(reader, "/>"))
        return true;
    if (tags->depth == MOST_DEPTH)
        return fail(reader, "nested too deep for this test");
    tags->open[tags->depth].at = at;
    tags->open[tags->depth++].length = length;
    return skip(reader, ">") || fail(reader, "a tag that does not end");
}

const char *xml_problem(const char *text, size_t bytes, size_t *at)
{
    struct reader reader = {text, 0, bytes, NULL};
    struct tags tags = {.depth = 0};
    if (skip(&reader, "<?xml"))
        while (reader.at < bytes && !skip(&reader, "?>"))
            reader.at++;
    while (reader.at < bytes && !reader.problem) {
        if (!take_text(&reader, '<'))
            break;
        if (skip(&reader, "<"))
            (void)take_tag(&reader, &tags);
    }
    if (tags.depth)
        (void)fail(&reader, "a tag is not ended");
    return finish(&reader, at);
}

/* ---- CSV ------------------------------------------------------------------------------------------------------- */

static void take_field(struct reader *reader)
{
    if (!skip(reader, "\"")) {
        while (next(reader) >= 0 && next(reader) != ',' && next(reader) != '\n' && next(reader) != '\r') {
            if (next(reader) == '"')
                (void)fail(reader, "a quote in a plain field");
            reader->at++;
        }
        return;
    }
    while (skip(reader, "\"\"") || (next(reader) >= 0 && next(reader) != '"'))
        reader->at += next(reader) >= 0 && next(reader) != '"';
    if (!skip(reader, "\""))
        (void)fail(reader, "a quote is not closed");
}

const char *csv_problem(const char *text, size_t bytes, size_t *at)
{
    struct reader reader = {text, 0, bytes, NULL};
    unsigned columns = 0;
    while (reader.at < bytes && !reader.problem) {
        unsigned count = 0;
        do {
            take_field(&reader);
            count++;
        } while (!reader.problem && skip(&reader, ","));
        if (!skip(&reader, "\r\n") && !skip(&reader, "\n"))
            (void)fail(&reader, "a record that does not end");
        if (columns && count != columns)
            (void)fail(&reader, "not as many fields as the first record");
        columns = count;
    }
    return finish(&reader, at);
}

/* ---- Graphviz, pages ------------------------------------------------------------------------------------------- */

const char *dot_problem(const char *text, size_t bytes, size_t *at)
{
    struct reader reader = {text, 0, bytes, NULL};
    bool is_quoted = false;
    unsigned depth = 0;
    for (; reader.at < bytes && !reader.problem; reader.at++) {
        char c = text[reader.at];
        if (is_quoted && c == '\\')
            reader.at++;
        else if (c == '"')
            is_quoted = !is_quoted;
        else if (!is_quoted && c == '{')
            depth++;
        else if (!is_quoted && c == '}' && depth-- == 0)
            (void)fail(&reader, "a brace too many");
    }
    if (is_quoted || depth)
        (void)fail(&reader, "a quote or brace is not closed");
    return finish(&reader, at);
}

static bool is_word(const struct reader *reader, const char *word)
{
    size_t i = 0;
    for (; word[i] && reader->at + i < reader->bytes; i++) {
        char c = reader->text[reader->at + i];
        if ((c >= 'A' && c <= 'Z' ? c + 'a' - 'A' : c) != word[i])
            return false;
    }
    return !word[i];
}

/* A script ends at the first </script; <!-- in one may hide that end. */
const char *page_problem(const char *text, size_t bytes, size_t *at)
{
    struct reader reader = {text, 0, bytes, NULL};
    bool is_script = false;
    for (; reader.at < bytes && !reader.problem; reader.at++) {
        if (text[reader.at] != '<')
            continue;
        if (is_script && (is_word(&reader, "<script") || is_word(&reader, "<!--")))
            (void)fail(&reader, "a script in a script");
        else if (!is_script && is_word(&reader, "</script"))
            (void)fail(&reader, "the end of no script");
        else if (is_word(&reader, "<script"))
            is_script = true;
        else if (is_word(&reader, "</script"))
            is_script = false;
    }
    if (is_script)
        (void)fail(&reader, "a script does not end");
    return finish(&reader, at);
}
