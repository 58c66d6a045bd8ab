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

/* Without room and without text, so that the test in npart__append leads here for every piece that follows, where it
 * is dropped. */
static bool fail(struct npart__buffer *buffer)
{
    buffer->failed = buffer->arena->failed = true;
    buffer->size = buffer->capacity = 0;
    return false;
}

/* But for the last byte, by which a writer of JSON knows whether a comma is due, when more is to come. A text that is
 * written asks for no memory, so time is looked at here. */
static void hand_on(struct npart__buffer *buffer, size_t kept)
{
    size_t bytes = buffer->size - kept;
    if (npart__is_late(buffer->arena)) {
        (void)fail(buffer);
        return;
    }
    if (bytes && !buffer->write(buffer->payload, buffer->data, bytes)) {
        buffer->refused = true;
        (void)fail(buffer);
        return;
    }
    memmove(buffer->data, buffer->data + bytes, kept);
    buffer->size = kept;
}

void npart__buffer_flush(struct npart__buffer *buffer)
{
    if (buffer->write && buffer->size && !buffer->failed && !buffer->arena->failed)
        hand_on(buffer, 0);
}

/* Nothing is allocated yet: what fails at once has nothing to give back. */
void npart__buffer_open(struct npart__buffer *buffer, struct npart__arena *arena,
                        const struct npart_allocator *allocator, npart_write_callback write, void *payload)
{
    npart__arena_init(arena, allocator);
    npart__buffer_init(buffer, arena);
    buffer->write = write;
    buffer->payload = payload;
}

npart_status npart__buffer_end(struct npart__buffer *buffer, npart_write_callback write, void *payload,
                               npart_status status, struct npart_error *error)
{
    const struct npart_allocator allocator = buffer->arena->allocator;
    buffer->write = write;
    buffer->payload = payload;
    if (status == NPART_OK)
        npart__buffer_flush(buffer);
    if (status == NPART_OK && buffer->refused)
        status = npart__fail(error, NPART_ERROR_WRITE, "", "cannot write");
    else if (status == NPART_OK && (buffer->failed || buffer->arena->failed))
        status = npart__fail_memory(error);
    npart__arena_clear(buffer->arena);
    return npart__settle(status, &allocator, error);
}

void npart__buffer_release(struct npart__buffer *buffer)
{
    npart__arena_give_back(buffer->arena, buffer->data, buffer->capacity);
    buffer->data = NULL;
    buffer->size = buffer->capacity = 0;
}

/* Room for `bytes` and a NUL after them: the comparison leaves one byte, so that npart__buffer_text can end the text
 * where it stands. Doubling keeps the copying linear in the text; a text that is written stays at
 * NPART__WRITTEN_BYTES however long it is, and is not written on where what belongs into it could not be made. */
bool npart__buffer_reserve(struct npart__buffer *buffer, size_t bytes)
{
    if (buffer->failed || (buffer->write && buffer->arena->failed))
        return fail(buffer);
    if (buffer->write && buffer->capacity >= NPART__WRITTEN_BYTES && bytes >= buffer->capacity - buffer->size)
        hand_on(buffer, 1);
    if (buffer->failed)
        return false;
    if (bytes < buffer->capacity - buffer->size)
        return true;
    size_t wanted = buffer->capacity ? buffer->capacity : 256;
    while (wanted - buffer->size <= bytes) {
        if (wanted > SIZE_MAX / 4)
            return fail(buffer);
        wanted *= 2;
    }
    char *data = npart__arena_resize(buffer->arena, buffer->data, buffer->capacity, wanted);
    if (!data)
        return fail(buffer);
    buffer->data = data;
    buffer->capacity = wanted;
    return true;
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
        (void)fail(buffer);
    } else if ((size_t)length < sizeof fixed) {
        npart__append(buffer, fixed, (size_t)length);
    } else if (npart__buffer_reserve(buffer, (size_t)length)) {
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

/* Powers of 1000, and about three digits: 999.5 rounds up to the next unit: "999 B", "1.2 kB", "24.7 MB", "123
 * GB". */
void npart__append_bytes(struct npart__buffer *buffer, uint64_t bytes)
{
    static const char *const units[] = {" B", " kB", " MB", " GB", " TB", " PB", " EB"};
    double scaled = (double)bytes;
    size_t unit = 0;
    while (scaled >= 999.5 && unit + 1 < NPART__COUNT(units)) {
        scaled /= 1000;
        unit++;
    }
    npart__append_fixed(buffer, scaled, unit && scaled < 99.95 ? 1 : 0);
    npart__append_text(buffer, units[unit]);
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
    if (!npart__buffer_reserve(buffer, 0))
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

/* Where the text is the latest allocation, what it does not fill goes back to the arena. */
const char *npart__keep_text(struct npart__buffer *buffer)
{
    const char *text = npart__buffer_text(buffer);
    if (!buffer->failed)
        text = npart__arena_resize(buffer->arena, buffer->data, buffer->capacity, buffer->size + 1);
    npart__buffer_init(buffer, buffer->arena);
    return text ? text : "";
}

const char *npart__kept_text(struct npart__buffer *buffer)
{
    const char *text = npart__keep_text(buffer); /* where the smaller memory fails, too, the arena says so */
    return buffer->arena->failed ? NULL : text;
}

/* It must be called once at least, as it is what sets the size: `length` is that of the text, without its NUL. */
bool npart__buffer_lacks(struct npart__buffer *buffer, size_t length)
{
    buffer->size = 0;
    if (length == SIZE_MAX)
        (void)fail(buffer);
    if (buffer->failed)
        return false;
    if (length < buffer->capacity) {
        buffer->size = length;
        return false;
    }
    return npart__buffer_reserve(buffer, length);
}
