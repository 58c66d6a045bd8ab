/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON strings. Names of a model may be any bytes; what comes out is always valid JSON and valid
 * UTF-8, and the same text comes out the same. And the values that all JSON is made of.
 */
#include "report/report.h"

/* Short escapes of RFC 8259 for what is met in texts, \u00xx for all other control characters: \b, \f and \/ are not
 * used. DEL need not be escaped, but is no character to look at. */
static void append_escape(struct npart__sheet *out, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    static const char *const names[256] = {
        ['\n'] = "\\n", ['\t'] = "\\t", ['\r'] = "\\r", ['"'] = "\\\"", ['\\'] = "\\\\",
    };
    const char *known = names[c];
    char unicode[] = "\\u00xx";
    unicode[4] = hex[c >> 4];
    unicode[5] = hex[c & 15];
    npart__add_text(out, known ? known : unicode);
}

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

/* The length of the UTF-8 character at `text`, 0 where there is none: overlong forms,
 * surrogates, above U+10FFFF. The same test as in lib/base, repeated because reports see the
 * public header only. */
static size_t utf8_length(const unsigned char *bytes, size_t rest)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    size_t length = bytes[0] >= 0xf0 ? 4 : bytes[0] >= 0xe0 ? 3 : 2;
    if (bytes[0] < 0xc0 || bytes[0] > 0xf4 || length > rest)
        return 0;
    uint32_t code = bytes[0] & (0xffu >> (length + 1));
    for (size_t i = 1; i < length; i++) {
        if ((bytes[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (bytes[i] & 0x3fu);
    }
    bool is_character = code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return is_character ? length : 0;
}

/* Three speeds: eight plain characters at once, single ones, and what has to be looked at. All
 * that stays as it is goes out in one piece. */
void npart__add_json_string(struct npart__sheet *out, const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t start = 0, at = 0;
    npart__add(out, "\"", 1);
    while (at < length) {
        if (length - at >= 8 && are_plain(bytes + at)) {
            at += 8;
            continue;
        }
        unsigned char c = bytes[at];
        if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
            at++;
            continue;
        }
        size_t valid = c >= 0x80 ? utf8_length(bytes + at, length - at) : 0;
        if (valid) {
            at += valid;
            continue;
        }
        npart__add(out, text + start, at - start);
        if (c >= 0x80)
            /* A byte that is no character: replaced, as JSON has no way to write it. */
            npart__add(out, "\xef\xbf\xbd", 3); /* U+FFFD */
        else
            append_escape(out, c);
        start = ++at;
    }
    npart__add(out, text + start, length - start);
    npart__add(out, "\"", 1);
}

/* ---- values ------------------------------------------------------------------------------------------------ */

void npart__add_json_text(struct npart__sheet *sheet, const char *key, const char *text)
{
    npart__add_text(sheet, key);
    npart__add_json_string(sheet, text, strlen(text));
}

void npart__add_json_text_or_null(struct npart__sheet *sheet, const char *key, const char *text)
{
    npart__add_text(sheet, key);
    if (text && *text)
        npart__add_json_string(sheet, text, strlen(text));
    else
        npart__add_text(sheet, "null");
}

void npart__add_json_flag(struct npart__sheet *sheet, const char *key, bool value)
{
    npart__add_text(sheet, key);
    npart__add_text(sheet, value ? "true" : "false");
}

void npart__add_json_number(struct npart__sheet *sheet, const char *key, int64_t value)
{
    npart__add_text(sheet, key);
    npart__add_number(sheet, value);
}

void npart__add_json_count(struct npart__sheet *sheet, const char *key, uint64_t count)
{
    npart__add_json_number(sheet, key, count > INT64_MAX ? INT64_MAX : (int64_t)count);
}

void npart__add_json_count_or_null(struct npart__sheet *sheet, const char *key, bool is_known, uint64_t count)
{
    if (is_known) {
        npart__add_json_count(sheet, key, count);
        return;
    }
    npart__add_text(sheet, key);
    npart__add_text(sheet, "null");
}

void npart__add_json_decimal(struct npart__sheet *sheet, const char *key, double value)
{
    npart__add_text(sheet, key);
    npart__add_decimal(sheet, value, 6);
}

/* JSON has no NaN and no infinity; npart__add_decimal writes 0 for them. */
void npart__add_json_decimal_or_null(struct npart__sheet *sheet, const char *key, double value)
{
    npart__add_text(sheet, key);
    if (value < 0)
        npart__add_text(sheet, "null");
    else
        npart__add_decimal(sheet, value, 6);
}

/* These are words of the schema: diff.c has those for people. */
const char *npart__json_verdict(enum npart_verdict verdict)
{
    static const char *const words[] = {
        [NPART_VERDICT_CPU] = "cpu",         [NPART_VERDICT_NPU] = "npu",       [NPART_VERDICT_FAIL] = "fail",
        [NPART_VERDICT_UNKNOWN] = "unknown", [NPART_VERDICT_FOLDED] = "folded", [NPART_VERDICT_FUSED] = "fused",
    };
    return words[verdict];
}

void npart__add_json_id(struct npart__sheet *sheet, const char *key, uint32_t id)
{
    npart__add_json_count_or_null(sheet, key, id != NPART_NONE, id);
}

void npart__add_json_ids(struct npart__sheet *sheet, const char *key, const uint32_t *list, uint32_t count)
{
    npart__add_text(sheet, key);
    npart__add_text(sheet, "[");
    for (uint32_t i = 0; i < count; i++)
        npart__add_json_number(sheet, i ? "," : "", list[i]);
    npart__add_text(sheet, "]");
}
