/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON strings.
 */
#include "report/report.h"

static void append_escape(struct npart__buffer *out, unsigned char c)
{
    static const char hex[] = "0123456789abcdef";
    static const char *const names[256] = {
        ['\n'] = "\\n", ['\t'] = "\\t", ['\r'] = "\\r", ['"'] = "\\\"", ['\\'] = "\\\\",
    };
    const char *known = names[c];
    char unicode[] = "\\u00xx";
    unicode[4] = hex[c >> 4];
    unicode[5] = hex[c & 15];
    npart__append_text(out, known ? known : unicode);
}

/* Eight bytes of which none is a control character, a quote, a backslash or outside ASCII: each of the four tests
 * sets its byte's highest bit set (see "Bit Twiddling Hacks", hasless and hasvalue);
 * a false alarm costs only time. */
static bool are_plain(const unsigned char *bytes)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), highest = ones << 7;
    uint64_t word;
    memcpy(&word, bytes, sizeof word);
    uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
    uint64_t special = (word - ones * 0x20) | (quote - ones) | (backslash - ones) | (word + ones) | word;
    return (special & highest) == 0;
}

void npart__append_json_string(struct npart__buffer *out, const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t start = 0, at = 0;
    npart__append(out, "\"", 1);
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
        size_t valid = c >= 0x80 ? npart__utf8_length(text + at, length - at) : 0;
        if (valid) {
            at += valid;
            continue;
        }
        npart__append(out, text + start, at - start);
        if (c >= 0x80)
            npart__append(out, "\xef\xbf\xbd", 3); /* U+FFFD */
        else
            append_escape(out, c);
        start = ++at;
    }
    npart__append(out, text + start, length - start);
    npart__append(out, "\"", 1);
}
