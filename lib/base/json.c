/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON strings, and the values that all JSON is made of.
 */
#include "base/json.h"

/* Eight bytes of which none is a control character, a quote, a backslash or outside ASCII: each of the four tests
 * sets its byte's highest bit set (see "Bit Twiddling Hacks", hasless and hasvalue); a false alarm costs only time.
 * A byte that borrows from the next one has its own bit set, so nothing is overlooked. The word is copied, since
 * the text may stand at any address; in which order its bytes come does not matter. */
static bool are_plain(const unsigned char *bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), highest = ones << 7;
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
    uint64_t special = (word - ones * 0x20) | (quote - ones) | (backslash - ones) | (word + ones) | word;
    return (special & highest) == 0;
}

/* Nearly all text is plain, and goes out eight bytes after eight; the rest of a text that is not is made twice, the
 * first time for its length. */
void npart__append_json_string(struct npart__buffer *out, const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t at = 0;
    while (length - at >= 8 && are_plain(bytes + at))
        at += 8;
    while (at < length && bytes[at] >= 0x20 && bytes[at] < 0x7f && bytes[at] != '"' && bytes[at] != '\\')
        at++;
    npart__append(out, "\"", 1);
    npart__append(out, text, at);
    size_t shown = at < length ? npart__copy_json(NULL, 0, text + at, length - at) : 0;
    if (shown && npart__buffer_reserve(out, shown))
        out->size += npart__copy_json(out->data + out->size, out->capacity - out->size, text + at, length - at);
    npart__append(out, "\"", 1);
}

void npart__json_name(struct npart__buffer *out, const char *name)
{
    npart__json_text(out, NULL, name);
    npart__append(out, ":", 1);
}

void npart__json_string(struct npart__buffer *out, const char *key, const char *text, size_t length)
{
    npart__json_key(out, key);
    npart__append_json_string(out, text, length);
}

void npart__json_count(struct npart__buffer *out, const char *key, uint64_t count)
{
    npart__json_number(out, key, count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

void npart__json_text_or_null(struct npart__buffer *out, const char *key, const char *text)
{
    if (text && *text)
        npart__json_text(out, key, text);
    else
        npart__json_value(out, key, "null");
}

void npart__json_count_or_null(struct npart__buffer *out, const char *key, bool is_known, uint64_t count)
{
    if (is_known)
        npart__json_count(out, key, count);
    else
        npart__json_value(out, key, "null");
}

/* JSON has no NaN and no infinity; npart__append_fixed writes 0 for them. */
void npart__json_decimal_or_null(struct npart__buffer *out, const char *key, double value)
{
    if (value < 0)
        npart__json_value(out, key, "null");
    else
        npart__json_decimal(out, key, value);
}

void npart__json_id(struct npart__buffer *out, const char *key, uint32_t id)
{
    npart__json_count_or_null(out, key, id != NPART_NONE, id);
}

void npart__json_ids(struct npart__buffer *out, const char *key, const uint32_t *list, uint32_t count)
{
    npart__json_open(out, key, '[');
    for (uint32_t i = 0; i < count; i++)
        npart__json_id(out, NULL, list[i]);
    npart__json_close(out, ']');
}
