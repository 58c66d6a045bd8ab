/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON strings.
 */
#include "report/report.h"

/* The length of a valid UTF-8 sequence at `text`, or 0. Overlong forms, surrogates and what lies above U+10FFFF are
 * not valid. */
static size_t utf8_length(const unsigned char *text, size_t rest)
{
    static const struct {
        unsigned char first_low, first_high, second_low, second_high, length;
    } forms[] = {
        {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3}, {0xe1, 0xec, 0x80, 0xbf, 3},
        {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3}, {0xf0, 0xf0, 0x90, 0xbf, 4},
        {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    for (size_t i = 0; i < NPART__COUNT(forms); i++) {
        if (text[0] < forms[i].first_low || text[0] > forms[i].first_high)
            continue;
        if (rest < forms[i].length || text[1] < forms[i].second_low || text[1] > forms[i].second_high)
            return 0;
        for (size_t k = 2; k < forms[i].length; k++)
            if (text[k] < 0x80 || text[k] > 0xbf)
                return 0;
        return forms[i].length;
    }
    return 0;
}

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

void npart__append_json_string(struct npart__buffer *out, const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t start = 0, at = 0;
    npart__append(out, "\"", 1);
    while (at < length) {
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
