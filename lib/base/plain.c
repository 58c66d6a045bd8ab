/* SPDX-License-Identifier: Apache-2.0
 *
 * Text from outside as a person may read it. Names and texts of a file can hold anything: control characters that a
 * terminal obeys, characters that turn the direction of what follows, invisible characters.
 */
#include <stdio.h>

#include "base/base.h"

/* The first byte tells the length; the bytes after it and the code they make must fit it. c3 a9 is one character
 * of two bytes; c0 80 is NUL written overlong, and ed a0 80 a surrogate: both give 0. */
static size_t utf8_length(const char *text, size_t rest)
{
    /* The least code of each length: what could be written shorter is overlong, and may hide a
     * character from a check. */
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    if (rest == 0 || bytes[0] < 0x80)
        return rest ? 1 : 0;
    size_t length = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc0 || bytes[0] > 0xf4 || length > rest)
        return 0;
    /* A first byte has as many ones at its top as the character has bytes, then a zero, then bits of the code. */
    uint32_t code = bytes[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (bytes[i] & 0x3fu);
    }
    /* Surrogates are halves of UTF-16 and no characters, although the pattern of bytes allows
     * them. */
    bool is_character = code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return is_character ? length : 0;
}

/* What cannot be seen, or changes how the rest is seen: Unicode's general categories Cc, Cf, Zl and Zp, and the
 * property Default_Ignorable_Code_Point. The ranges are sorted, so the walk ends at the first that begins after
 * the code. A new version of Unicode may add to them; a character that is missing is shown as it is. */
static bool is_hidden(uint32_t code)
{
    static const struct {
        uint32_t first, last;
    } ranges[] = {
        {0x0000, 0x001f},   {0x007f, 0x009f},   {0x00ad, 0x00ad},   {0x034f, 0x034f},   {0x0600, 0x0605},
        {0x061c, 0x061c},   {0x06dd, 0x06dd},   {0x070f, 0x070f},   {0x0890, 0x0891},   {0x08e2, 0x08e2},
        {0x115f, 0x1160},   {0x17b4, 0x17b5},   {0x180b, 0x180f},   {0x200b, 0x200f},   {0x2028, 0x202e},
        {0x2060, 0x206f},   {0x3164, 0x3164},   {0xfe00, 0xfe0f},   {0xfeff, 0xfeff},   {0xffa0, 0xffa0},
        {0xfff0, 0xfffb},   {0x110bd, 0x110bd}, {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3},
        {0x1d173, 0x1d17a}, {0xe0000, 0xe0fff},
    };
    for (size_t i = 0; i < NPART__COUNT(ranges) && ranges[i].first <= code; i++)
        if (code <= ranges[i].last)
            return true;
    return false;
}

/* The code of a character that utf8_length has accepted. */
static uint32_t code_of(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t code = length == 1 ? bytes[0] : bytes[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++)
        code = code << 6 | (bytes[i] & 0x3fu);
    return code;
}

/* Writes what is shown, not terminated, and returns the bytes taken from `text`, of which there is at least one.
 * A byte that is no part of UTF-8 is taken by itself, so that what follows it is read from its own beginning. The
 * longest escape, "\U000e0001", has ten characters, and twelve in JSON, for which NPART__PLAIN_BYTES is enough. */
static size_t next_plain(const char *text, size_t rest, char shown[NPART__PLAIN_BYTES], size_t *shown_length)
{
    size_t length = utf8_length(text, rest);
    uint32_t code = length ? code_of(text, length) : (unsigned char)*text;
    if (length && !is_hidden(code)) {
        memcpy(shown, text, length);
        *shown_length = length;
        return length;
    }
    /* Python's and C's escapes: readers know them, and they can be typed back. */
    const char *format = !length ? "\\x%02x" : code > 0xffff ? "\\U%08x" : "\\u%04x";
    *shown_length = (size_t)snprintf(shown, NPART__PLAIN_BYTES, format, (unsigned)code);
    return length ? length : 1;
}

/* Short escapes of RFC 8259 for what is met in texts; \b, \f and \/ are not used. Above U+FFFF the two halves of
 * UTF-16. JSON has no way to write a byte that is no character. */
size_t npart__next_json(const char *text, size_t rest, char shown[NPART__PLAIN_BYTES], size_t *shown_length)
{
    static const char *const known[] = {
        ['\n'] = "\\n", ['\t'] = "\\t", ['\r'] = "\\r", ['"'] = "\\\"", ['\\'] = "\\\\",
    };
    size_t length = utf8_length(text, rest);
    uint32_t code = length ? code_of(text, length) : 0xfffd;
    const char *escape = code < NPART__COUNT(known) ? known[code] : NULL;
    if (escape || !length)
        *shown_length = (size_t)snprintf(shown, NPART__PLAIN_BYTES, "%s", escape ? escape : "\xef\xbf\xbd");
    else if (!is_hidden(code))
        memcpy(shown, text, *shown_length = length);
    else if (code <= 0xffff)
        *shown_length = (size_t)snprintf(shown, NPART__PLAIN_BYTES, "\\u%04x", (unsigned)code);
    else
        *shown_length = (size_t)snprintf(shown, NPART__PLAIN_BYTES, "\\u%04x\\u%04x",
                                         (unsigned)(0xd7c0 + (code >> 10)), (unsigned)(0xdc00 + (code & 0x3ff)));
    return length ? length : 1;
}

/* Nearly all names are ASCII, which is appended in runs without looking at each character again. */
static bool is_plain_ascii(char c)
{
    return c >= 0x20 && c < 0x7f;
}

/* Runs of plain characters are appended at once. */
void npart__append_plain(struct npart__buffer *buffer, const char *text, size_t length)
{
    size_t start = 0, at = 0;
    while (at < length) {
        char shown[NPART__PLAIN_BYTES];
        size_t shown_length;
        if (is_plain_ascii(text[at])) {
            at++;
            continue;
        }
        npart__append(buffer, text + start, at - start);
        at += next_plain(text + at, length - at, shown, &shown_length);
        npart__append(buffer, shown, shown_length);
        start = at;
    }
    npart__append(buffer, text + start, length - start);
}

/* The length of the whole tells a caller whether something was left out, as that of snprintf does. */
static size_t copy_shown(char *out, size_t bytes, const char *text, size_t length,
                         size_t (*next)(const char *, size_t, char *, size_t *))
{
    size_t used = 0, whole = 0, at = 0;
    bool fits = bytes > 0;
    while (at < length) {
        char shown[NPART__PLAIN_BYTES];
        size_t shown_length;
        at += next(text + at, length - at, shown, &shown_length);
        whole += shown_length;
        /* Once a character did not fit, nothing after it is written, though a shorter one might
         * fit: the text must be a beginning. */
        fits = fits && whole < bytes;
        if (fits) {
            memcpy(out + used, shown, shown_length);
            used = whole;
        }
    }
    if (bytes)
        out[used] = '\0';
    return whole;
}

size_t npart__copy_plain(char *out, size_t bytes, const char *text)
{
    return copy_shown(out, bytes, text, strlen(text), next_plain);
}

size_t npart__copy_json(char *out, size_t bytes, const char *text, size_t length)
{
    return copy_shown(out, bytes, text, length, npart__next_json);
}

/* Characters that no shell gives a meaning stay bare, so that most commands have no quotes. Blanks, brackets and
 * stars are safe in double quotes; in single quotes all is, but for the quote itself, which is closed, escaped and
 * opened. `conv_1` stays, `conv 1` becomes "conv 1" in double quotes, and it's 'it'\''s'. */
void npart__append_shell_word(struct npart__buffer *out, const char *text)
{
    static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.,:/@%+-=";
    size_t length = strlen(text), plain = strspn(text, safe);
    bool is_quoted = plain < length || length == 0, has_blanks_only = length > 0;
    for (size_t i = plain; i < length; i++)
        has_blanks_only &= text[i] == ' ' || strchr(safe, text[i]) || strchr("()*", text[i]);
    const char *quote = !is_quoted ? "" : has_blanks_only ? "\"" : "'";
    npart__append_text(out, quote);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '\'')
            npart__append_text(out, "'\\'");
        npart__append(out, text + i, 1);
    }
    npart__append_text(out, quote);
}

/* At most three bytes before the end can belong to the last character, so no more are looked at. A text of nothing
 * but continuation bytes is left as it is; it is no UTF-8, and is escaped when it is shown. */
void npart__trim_text(char *text)
{
    size_t length = strlen(text), start = length;
    while (start > 0 && length - start < 3 && ((unsigned char)text[start - 1] & 0xc0) == 0x80)
        start--;
    if (start == 0)
        return;
    unsigned char first = (unsigned char)text[start - 1];
    size_t wanted = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : first >= 0xc0 ? 2 : 1;
    if (length - start + 1 < wanted)
        text[start - 1] = '\0';
}

/* Callers have room for more than the dots. The end begins at a whole character: continuation bytes at its start
 * are left out, too. */
void npart__shorten(char *out, size_t bytes, const char *text)
{
    size_t length = strlen(text), skipped = length < bytes ? 0 : length + 4 - bytes;
    while (skipped && ((unsigned char)text[skipped] & 0xc0) == 0x80)
        skipped++;
    (void)snprintf(out, bytes, "%s%s", skipped ? "..." : "", text + skipped);
}

size_t npart__columns_of(const char *text, size_t length)
{
    size_t columns = 0;
    for (size_t i = 0; i < length; i++)
        columns += npart__begins_character(text[i]);
    return columns;
}

void npart__cut_columns(char *text, size_t columns)
{
    char *at = text;
    if (npart__columns_of(text, strlen(text)) <= columns)
        return;
    for (size_t seen = 0; seen <= columns - 3; at++)
        seen += npart__begins_character(*at);
    memcpy(at - 1, "...", 4);
}
