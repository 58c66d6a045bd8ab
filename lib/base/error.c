/* SPDX-License-Identifier: Apache-2.0
 *
 * Errors and checked arithmetic. Sizes, dims and offsets come from files, so every sum or
 * product of them goes through here and may say that there is no such number.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/base.h"

/* Texts of the file may be in the message, so it is made twice as long as it may be shown:
 * escapes are added after that, and a character cut in half is taken away before. */
npart_status npart__fail(struct npart_error *error, npart_status status, const char *place, const char *format, ...)
{
    if (!error)
        return status;
    char message[2 * sizeof error->message];
    NPART__FORMAT(message, format);
    npart__trim_text(message);
    error->status = status;
    npart__copy_plain(error->place, sizeof error->place, place);
    npart__copy_plain(error->message, sizeof error->message, message);
    return status;
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

/* Asked before adding, as signed overflow is undefined in C; a and b of different signs always fit. */
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

/* One division, which is as good as a product of 128 bits and needs no extension. */
bool npart__multiply_uint64(uint64_t a, uint64_t b, uint64_t *out)
{
    if (a && b > UINT64_MAX / a)
        return false;
    *out = a * b;
    return true;
}

/* Magnitudes are multiplied, as unsigned overflow is defined; a negative product may be one
 * larger. */
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

/* C rounds towards zero, ONNX's integer division of shapes (and Python's) towards minus infinity:
 * -7 by 2 is -4, where C has -3. */
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

/* As Python's %: -7 modulo 3 is 2, and 7 modulo -3 is -2. ONNX's Mod with fmod 0 is the same. */
bool npart__floor_modulo_int64(int64_t a, int64_t b, int64_t *out)
{
    if (b == 0)
        return false;
    int64_t rest = b == -1 ? 0 : a % b; /* the least number by -1 is no int64_t */
    *out = rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
    return true;
}

/* ---- numbers of a text ------------------------------------------------------------------------------------ */

#define LARGEST_EXPONENT 400 /* beyond it a double is 0 or infinite */
#define MOST_WRITTEN 1000000 /* an exponent that is written; more than digits after a point make up for */

#define ENOUGH 1e18 /* a number of 19 digits */

/* Digits that are left out are as good as zeros. */
static void add_digit(double *value, long *exponent, char digit)
{
    if (*value < ENOUGH)
        *value = *value * 10 + (digit - '0');
    else
        ++*exponent;
}

/* Digits are gathered as a whole number and scaled at the end, so 0.1 and 1e-1 are the same double. No error is
 * possible: the lexers let only digits, a point and an exponent through. "12.5e3" is 125 with the exponent
 * -1 + 3, so 12500. Each digit past the seventeenth may round, which is less than any figure of an op list or a
 * cost file is sure of; past ENOUGH digits only count for the exponent. */
double npart__read_decimal(const char *text)
{
    double value = 0;
    bool is_negative = *text == '-';
    long exponent = 0;
    for (text += is_negative; *text >= '0' && *text <= '9'; text++)
        add_digit(&value, &exponent, *text);
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9'; text++, exponent--)
            add_digit(&value, &exponent, *text);
    if (*text == 'e') {
        long written = strtol(text + 1, NULL, 10);
        exponent += written < -MOST_WRITTEN ? -MOST_WRITTEN : written > MOST_WRITTEN ? MOST_WRITTEN : written;
    }
    for (long i = 0; i < exponent && i < LARGEST_EXPONENT; i++)
        value *= 10;
    for (long i = 0; i > exponent && i > -LARGEST_EXPONENT; i--)
        value /= 10;
    return is_negative ? -value : value;
}
