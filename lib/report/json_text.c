/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON strings, and the values that all JSON is made of.
 */
#include "report/report.h"

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

/* Nearly all text is plain, and goes out eight bytes after eight; the rest of a text that is not is left to
 * npart_json_text, which says how long it becomes. */
void npart__add_json_string(struct npart__sheet *out, const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    size_t at = 0;
    while (length - at >= 8 && are_plain(bytes + at))
        at += 8;
    while (at < length && bytes[at] >= 0x20 && bytes[at] < 0x7f && bytes[at] != '"' && bytes[at] != '\\')
        at++;
    npart__add(out, "\"", 1);
    npart__add(out, text, at);
    size_t shown = at < length ? npart_json_text(text + at, length - at, NULL, 0) : 0;
    if (shown && npart__sheet_reserve(out, shown))
        out->size += npart_json_text(text + at, length - at, out->data + out->size, out->capacity - out->size);
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
