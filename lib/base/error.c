/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors and checked arithmetic.
 */
#include <stdio.h>

#include "base/base.h"

size_t npart__utf8_length(const char *text, size_t rest)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)text;
    if (rest == 0 || bytes[0] < 0x80)
        return rest ? 1 : 0;
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

void npart__make_plain(char *text)
{
    size_t rest = strlen(text);
    while (rest) {
        size_t length = npart__utf8_length(text, rest);
        unsigned char first = (unsigned char)*text;
        bool is_control = first < 0x20 || first == 0x7f || (first == 0xc2 && (unsigned char)text[1] < 0xa0);
        if (length == 0 || is_control) {
            *text = '?'; /* of a control character of two bytes the second is no character any more */
            length = 1;
        }
        text += length;
        rest -= length;
    }
}

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

void npart__shorten(char *out, size_t bytes, const char *text)
{
    size_t length = strlen(text), skipped = length < bytes ? 0 : length + 4 - bytes;
    while (skipped && ((unsigned char)text[skipped] & 0xc0) == 0x80)
        skipped++;
    (void)snprintf(out, bytes, "%s%s", skipped ? "..." : "", text + skipped);
}

npart_status npart__fail(struct npart_error *error, npart_status status, const char *place, const char *format, ...)
{
    if (!error)
        return status;
    error->status = status;
    (void)snprintf(error->place, sizeof error->place, "%s", place);
    va_list list;
    va_start(list, format);
    (void)vsnprintf(error->message, sizeof error->message, format, list);
    va_end(list);
    npart__trim_text(error->place);
    npart__trim_text(error->message);
    npart__make_plain(error->place);
    npart__make_plain(error->message);
    return status;
}

npart_status npart__fail_memory(struct npart_error *error)
{
    return npart__fail(error, NPART_ERROR_MEMORY, "", "out of memory");
}

#define STATUS_TEXT(name, number, text)                                                                                \
    case name:                                                                                                         \
        return text;

const char *npart_status_text(npart_status status)
{
    switch (status) {
        NPART_STATUS_LIST(STATUS_TEXT)
    }
    return "unknown status";
}

bool npart__add_int64(int64_t a, int64_t b, int64_t *out)
{
    if ((b > 0 && a > INT64_MAX - b) || (b < 0 && a < INT64_MIN - b))
        return false;
    *out = a + b;
    return true;
}

bool npart__subtract_int64(int64_t a, int64_t b, int64_t *out)
{
    if ((b < 0 && a > INT64_MAX + b) || (b > 0 && a < INT64_MIN + b))
        return false;
    *out = a - b;
    return true;
}

bool npart__multiply_uint64(uint64_t a, uint64_t b, uint64_t *out)
{
    if (a && b > UINT64_MAX / a)
        return false;
    *out = a * b;
    return true;
}

bool npart__multiply_int64(int64_t a, int64_t b, int64_t *out)
{
    uint64_t magnitude_a = a < 0 ? 0 - (uint64_t)a : (uint64_t)a;
    uint64_t magnitude_b = b < 0 ? 0 - (uint64_t)b : (uint64_t)b;
    uint64_t product;
    bool negative = (a < 0) != (b < 0);
    if (!npart__multiply_uint64(magnitude_a, magnitude_b, &product))
        return false;
    if (product > (uint64_t)INT64_MAX + (negative ? 1 : 0))
        return false;
    if (negative)
        *out = product > (uint64_t)INT64_MAX ? INT64_MIN : -(int64_t)product;
    else
        *out = (int64_t)product;
    return true;
}

bool npart__floor_divide_int64(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0 || (a == INT64_MIN && b == -1))
        return false;
    int64_t quotient = a / b;
    if (a % b != 0 && (a < 0) != (b < 0))
        quotient--;
    *out = quotient;
    return true;
}
