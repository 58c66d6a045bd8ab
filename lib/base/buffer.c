/* SPDX-License-Identifier: Apache-2.0
 *
 * The text buffer: sentences, reports and op lists written in memory before anybody sees them. A
 * caller appends without looking and asks once at the end whether it all could be kept
 * (`failed`).
 */
#include <math.h>
#include <stdio.h>

#include "base/base.h"

void npart__buffer_init(struct npart__buffer *buffer, struct npart__arena *arena)
{
    memset(buffer, 0, sizeof *buffer);
    buffer->arena = arena;
}

/* Room for `length` bytes and a NUL after them: the comparison leaves one byte, so that
 * npart__buffer_text can end the text where it stands. Doubling keeps the copying linear in the text. What does
 * not fit into half of the address space fails without a try. */
static bool make_room(struct npart__buffer *buffer, size_t length)
{
    if (buffer->failed)
        return false;
    if (length < buffer->capacity - buffer->size)
        return true;
    size_t wanted = buffer->capacity ? buffer->capacity * 2 : 256;
    while (wanted - buffer->size <= length) {
        if (wanted > SIZE_MAX / 4) {
            buffer->failed = true;
            return false;
        }
        wanted *= 2;
    }
    char *data = npart__arena_resize(buffer->arena, buffer->data, buffer->capacity, wanted);
    if (!data) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->capacity = wanted;
    return true;
}

/* The part of npart__append that is not in line: the text does not fit, or an earlier one did not. */
void npart__append_slowly(struct npart__buffer *buffer, const char *text, size_t length)
{
    if (!make_room(buffer, length))
        return;
    memcpy(buffer->data + buffer->size, text, length);
    buffer->size += length;
}

/* Most formatted pieces are short, so they are made on the stack and appended as any other text;
 * of a longer one the first pass told the length, and a second writes it in place. */
void npart__append_format(struct npart__buffer *buffer, const char *format, ...)
{
    char fixed[256];
    va_list list, again;
    va_start(list, format);
    va_copy(again, list);
    int length = vsnprintf(fixed, sizeof fixed, format, list);
    va_end(list);
    if (length < 0) {
        buffer->failed = true;
    } else if ((size_t)length < sizeof fixed) {
        npart__append(buffer, fixed, (size_t)length);
    } else if (make_room(buffer, (size_t)length)) {
        (void)vsnprintf(buffer->data + buffer->size, (size_t)length + 1, format, again);
        buffer->size += (size_t)length;
    }
    va_end(again);
}

/* By hand: numbers are most of a JSON report, and printf reads a format and asks for a locale
 * for each. The magnitude is unsigned, as -INT64_MIN is no int64_t. */
void npart__append_int64(struct npart__buffer *buffer, int64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        digits[--at] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude);
    if (value < 0)
        digits[--at] = '-';
    npart__append(buffer, digits + at, sizeof digits - at);
}

/* Not printf: its point is the locale's, and reports must be the same bytes everywhere. The
 * whole part and the rest are written apart, so that a large number keeps its digits. Examples with two decimals:
 * 1234.5 is "1234.50", 0.999 is "1.00", and -0.001 is "0.00" without a sign. Halves are rounded away from 0 as the
 * double is stored, so 0.125 is "0.13". */
void npart__append_fixed(struct npart__buffer *buffer, double value, unsigned decimals)
{
    static const int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000};
    int64_t scale = powers[decimals < NPART__COUNT(powers) ? decimals : NPART__COUNT(powers) - 1];
    double whole = isfinite(value) ? floor(fabs(value)) : 0, rest = isfinite(value) ? fabs(value) - whole : 0;
    int64_t fraction = (int64_t)(rest * (double)scale + 0.5);
    if (fraction == scale) { /* rounded up to the next whole number */
        whole++;
        fraction = 0;
    }
    if (value < 0 && (whole > 0 || fraction > 0))
        npart__append(buffer, "-", 1);
    if (whole < 1e18)
        npart__append_int64(buffer, (int64_t)whole);
    else
        npart__append_format(buffer, "%.0f", whole); /* no point, so no locale's */
    if (scale == 1)
        return;
    npart__append(buffer, ".", 1);
    for (int64_t digit = scale / 10; digit; digit /= 10) {
        char character = (char)('0' + fraction / digit);
        npart__append(buffer, &character, 1);
        fraction %= digit;
    }
}

/* The NUL is not counted in `size`, so more may be appended afterwards; the text returned is valid until then. */
const char *npart__buffer_text(struct npart__buffer *buffer)
{
    if (!make_room(buffer, 1))
        return "";
    buffer->data[buffer->size] = '\0';
    return buffer->data;
}

/* Asked after the last byte: the one that ends the text may need memory, too. */
const char *npart__made_text(struct npart__buffer *buffer)
{
    const char *made = npart__buffer_text(buffer);
    return buffer->failed ? NULL : made;
}
