/* SPDX-License-Identifier: Apache-2.0
 *
 * Estimates for people: two significant digits, in the unit that suits, with a sign that they are estimates.
 */
#include <math.h>
#include <stdio.h>

#include "base/base.h"

/* From the limit of the one before on. Rounded to two digits, 0.995 of a unit is 1 of it. */
static const struct unit {
    double ms, below; /* what one is; values from `below` on take the next unit */
    const char *word;
} units[] = {
    {1, 995, "ms"}, {1000, 99.5, "s"}, {60e3, 99.5, "min"}, {3600e3, 48, "h"}, {86400e3, INFINITY, "days"},
};
/* Nothing is said of what takes less. */
#define LEAST_MS 0.005

static const struct unit *unit_of(double ms)
{
    size_t unit = 0;
    while (unit + 1 < NPART__COUNT(units) && ms / units[unit].ms >= units[unit].below)
        unit++;
    return &units[unit];
}

/* "0.48", "5.0", "27", "270". */
static void append_digits(struct npart__buffer *out, double value, unsigned digits)
{
    double scale = digits == 1 ? 10 : 1; /* one digit less is one place earlier */
    if (value < 0.995 / scale) {
        npart__append_fixed(out, value, 2);
    } else if (value < 9.95 / scale) {
        npart__append_fixed(out, value, 1);
    } else {
        double step = 1;
        while (value / step >= 99.5 / scale)
            step *= 10;
        npart__append_fixed(out, floor(value / step + 0.5) * step, 0);
    }
}

static void append_one(struct npart__buffer *out, double ms, const struct unit *unit, unsigned digits)
{
    append_digits(out, ms / unit->ms, digits);
}

void npart__append_estimate(struct npart__buffer *out, double ms)
{
    const struct unit *unit = unit_of(ms);
    if (ms < LEAST_MS) {
        npart__append_text(out, "under 0.01 ms");
        return;
    }
    npart__append_text(out, "~");
    append_one(out, ms, unit, 2);
    npart__append_format(out, " %s", unit->word);
}

void npart__append_estimate_range(struct npart__buffer *out, double low_ms, double typical_ms, double high_ms)
{
    const struct unit *unit = unit_of(typical_ms), *low = unit_of(low_ms), *high = unit_of(high_ms);
    npart__append_estimate(out, typical_ms);
    if (typical_ms < LEAST_MS || high_ms <= low_ms)
        return;
    npart__append_text(out, " (");
    if (high_ms <= 10 * low_ms && low_ms >= LEAST_MS) {
        append_one(out, low_ms, unit, 2);
        npart__append_text(out, "-");
        append_one(out, high_ms, unit, 2);
    } else {
        append_one(out, low_ms, low, 1);
        if (low != high)
            npart__append_format(out, " %s", low->word);
        npart__append_text(out, " to ");
        append_one(out, high_ms, high, 1);
        npart__append_format(out, " %s", high->word);
    }
    npart__append_text(out, ")");
}

/* As npart__append_bytes, without the decimal where two digits are there. */
void npart__append_rough_bytes(struct npart__buffer *out, uint64_t bytes)
{
    static const char *const words[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double scaled = (double)bytes;
    size_t unit = 0;
    for (; scaled >= 999.5 && unit + 1 < NPART__COUNT(words); unit++)
        scaled /= 1000;
    npart__append_fixed(out, scaled, unit && scaled < 9.95 ? 1 : 0);
    npart__append_format(out, " %s", words[unit]);
}

void npart__append_count(struct npart__buffer *out, uint64_t count)
{
    if (count >= 1000) {
        npart__append_count(out, count / 1000);
        npart__append_format(out, ",%03u", (unsigned)(count % 1000));
    } else {
        npart__append_format(out, "%u", (unsigned)count);
    }
}

/* What printf wrote, with a point instead of what the locale has for it. */
static const char *with_point(char *text)
{
    char half[16];
    (void)snprintf(half, sizeof half, "%.1f", 0.5);
    char *point = strchr(text, half[1]);
    if (point)
        *point = '.';
    return text;
}

const char *npart__digits_text(char out[NPART__NUMBER_BYTES], double value, int digits, bool keeps_zeros)
{
    (void)snprintf(out, NPART__NUMBER_BYTES, keeps_zeros ? "%#.*g" : "%.*g", digits, value);
    return with_point(out);
}

const char *npart__fixed_text(char out[NPART__NUMBER_BYTES], double value, int decimals)
{
    (void)snprintf(out, NPART__NUMBER_BYTES, "%.*f", decimals, value);
    return with_point(out);
}
