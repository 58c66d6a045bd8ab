/* SPDX-License-Identifier: Apache-2.0
 *
 * The text buffer: what is appended comes out, and after a failure nothing more does.
 */
#include <locale.h>
#include <math.h>

#include "base/base.h"
#include "support/counted.h"
#include "support/test.h"

static struct npart__arena arena;
static struct npart__buffer buffer;

static void open_buffer(void)
{
    npart__arena_init(&arena, NULL);
    npart__buffer_init(&buffer, &arena);
}

static void close_buffer(void)
{
    npart__arena_clear(&arena);
}

/* ---- in memory --------------------------------------------------------------------------------------------- */

static void test_buffer__an_empty_one(void)
{
    open_buffer();
    CHECK_TEXT(npart__buffer_text(&buffer), "");
    npart__append_text(&buffer, "");
    npart__append(&buffer, "xyz", 0);
    CHECK_TEXT(npart__buffer_text(&buffer), "");
    CHECK_INT(buffer.size, 0);
    CHECK(!buffer.failed);
    close_buffer();
}

static void test_buffer__appending(void)
{
    open_buffer();
    npart__append_text(&buffer, "one ");
    npart__append(&buffer, "two and more", 4);
    npart__append_format(&buffer, "%s %d%c", "three", 4, '.');
    CHECK_TEXT(npart__buffer_text(&buffer), "one two three 4.");
    npart__append_text(&buffer, "!"); /* looking at it does not end it */
    CHECK_TEXT(npart__buffer_text(&buffer), "one two three 4.!");
    CHECK_INT(buffer.size, 17);
    close_buffer();
}

static void test_buffer__bytes_of_any_kind(void)
{
    open_buffer();
    npart__append(&buffer, "a\0b\xff\n", 5);
    npart__append_format(&buffer, "%c", '\0');
    npart__append_text(&buffer, "c");
    CHECK_INT(buffer.size, 7);
    CHECK(memcmp(npart__buffer_text(&buffer), "a\0b\xff\n\0c\0", 8) == 0);
    close_buffer();
}

/* Texts that come and go one after the other take the memory of one; one that is kept stays as it was. */
static void test_buffer__released_and_kept(void)
{
    open_buffer();
    npart__append_text(&buffer, "kept");
    const char *kept = npart__keep_text(&buffer);
    CHECK(!buffer.data);
    npart__append_text(&buffer, "x");
    size_t first_bytes = arena.total_bytes;
    npart__buffer_release(&buffer);
    for (int i = 0; i < 1000; i++) {
        npart__append_format(&buffer, "text %d", i);
        npart__buffer_release(&buffer);
    }
    CHECK(arena.total_bytes <= first_bytes);
    CHECK_TEXT(kept, "kept");
    close_buffer();
}

/* Every length across the first steps of growth, by each way of appending. */
static void test_buffer__growing(void)
{
    char wanted[3000];
    for (size_t length = 0; length < sizeof wanted; length += length < 600 ? 1 : 97) {
        memset(wanted, 'w', length);
        wanted[length] = '\0';
        for (int way = 0; way < 3; way++) {
            open_buffer();
            if (way == 0)
                npart__append(&buffer, wanted, length);
            else if (way == 1)
                npart__append_format(&buffer, "%s", wanted);
            for (size_t i = 0; way == 2 && i < length; i++)
                npart__append(&buffer, "w", 1);
            CHECK_INT(buffer.size, length);
            CHECK_TEXT(npart__buffer_text(&buffer), wanted);
            close_buffer();
        }
    }
}

static void test_buffer__integers(void)
{
    static const struct {
        int64_t value;
        const char *text;
    } rows[] = {
        {0, "0"},   {1, "1"},     {-1, "-1"},   {9, "9"},   {10, "10"}, {-10, "-10"}, {1000000, "1000000"},
        {INT64_MAX, "9223372036854775807"},
        {INT64_MIN, "-9223372036854775808"},
        {INT64_MIN + 1, "-9223372036854775807"},
        {UINT32_MAX, "4294967295"},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        open_buffer();
        npart__append_int64(&buffer, rows[i].value);
        CHECK_TEXT(npart__buffer_text(&buffer), rows[i].text);
        close_buffer();
    }
}

static const struct {
    double value;
    unsigned decimals;
    const char *text;
} fixed_rows[] = {
    {0, 0, "0"},
    {0, 2, "0.00"},
    {-0.0, 2, "0.00"},
    {1.5, 0, "2"},
    {1.25, 1, "1.3"},
    {0.125, 2, "0.13"},
    {-0.125, 2, "-0.13"},
    {0.1, 6, "0.100000"},
    {1.0 / 3, 6, "0.333333"},
    {2.0 / 3, 6, "0.666667"},
    {0.994, 2, "0.99"},
    {0.995, 2, "1.00"}, /* 0.995 is a little less, but 99.5 after the multiplication */
    {0.9999996, 6, "1.000000"},
    {9.9999996, 6, "10.000000"},
    {-9.9999996, 6, "-10.000000"},
    {-0.0000001, 6, "0.000000"}, /* no minus before nothing */
    {-0.4, 0, "0"},
    {-0.6, 0, "-1"},
    {0.05, 2, "0.05"},
    {12.007, 3, "12.007"},
    {123456789.125, 3, "123456789.125"},
    {1e6, 6, "1000000.000000"},
    {1e12, 6, "1000000000000.000000"},
    {1e15 + 0.5, 1, "1000000000000000.5"},
    {1e18, 0, "1000000000000000000"},
    {1e18, 6, "1000000000000000000.000000"},
    {-1e20, 1, "-100000000000000000000.0"},
    {1e22, 0, "10000000000000000000000"},
};

static void check_fixed(double value, unsigned decimals, const char *wanted)
{
    open_buffer();
    npart__append_fixed(&buffer, value, decimals);
    CHECK_TEXT(npart__buffer_text(&buffer), wanted);
    close_buffer();
}

static void test_buffer__fixed_point(void)
{
    for (size_t i = 0; i < NPART__COUNT(fixed_rows); i++)
        check_fixed(fixed_rows[i].value, fixed_rows[i].decimals, fixed_rows[i].text);
}

/* What is no number has no digits of its own, yet JSON needs some: nought, with the decimals that were asked for. */
static void test_buffer__fixed_point_of_no_number(void)
{
    check_fixed(NAN, 3, "0.000");
    check_fixed(INFINITY, 0, "0");
    check_fixed(-INFINITY, 2, "0.00");
}

/* Against printf, which rounds the exact value; halves are left out. */
static void test_buffer__fixed_point_as_printf_has_it(void)
{
    uint64_t state = 12345;
    for (int i = 0; i < 20000; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        unsigned decimals = (unsigned)(state >> 60) % 7;
        double value = (double)(int64_t)(state >> 20) / pow(10, (double)(state >> 56) / 20);
        double scaled = fabs(value) * pow(10, decimals), fraction = scaled - floor(scaled);
        char wanted[400];
        if (fabs(fraction - 0.5) < 1e-3)
            continue;
        (void)snprintf(wanted, sizeof wanted, "%.*f", (int)decimals, value);
        check_fixed(value, decimals, wanted);
    }
}

static void test_buffer__numbers_in_any_locale(void)
{
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "de_DE", "fr_FR.UTF-8", "fr_FR.utf8"};
    for (size_t i = 0; i < NPART__COUNT(names); i++) { /* a point stays one where the machine has such a locale */
        if (!setlocale(LC_ALL, names[i]))
            continue;
        check_fixed(1234567.25, 2, "1234567.25");
        check_fixed(1e20, 1, "100000000000000000000.0");
        break;
    }
    (void)setlocale(LC_ALL, "C");
}

/* ---- out of memory ----------------------------------------------------------------------------------------- */

static void append_numbers(unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        npart__append_format(&buffer, "%u,", i);
}

static void test_buffer__out_of_memory_stays_failed(void)
{
    struct counted counted;
    unsigned failed = 0;
    for (size_t fail_at = 1;; fail_at++) {
        counted_init(&counted, true);
        npart__arena_init(&arena, &counted.allocator);
        npart__buffer_init(&buffer, &arena);
        counted.fail_at = fail_at;
        append_numbers(20000);
        npart__append_format(&buffer, "%1000d", 1);
        if (counted.failures == 0)
            break;
        failed++;
        CHECK(buffer.failed);
        size_t size = buffer.size;
        npart__append_text(&buffer, "more");
        npart__append_int64(&buffer, 5);
        npart__append_fixed(&buffer, 1.5, 2);
        CHECK_INT(buffer.size, size); /* swallowed, though there would be memory again */
        CHECK_TEXT(npart__buffer_text(&buffer), "");
        npart__arena_clear(&arena);
        CHECK_INT(counted.live_blocks, 0);
    }
    CHECK(failed >= 3);
    CHECK(!buffer.failed);
    npart__arena_clear(&arena);
}

TESTS(test_buffer__an_empty_one, test_buffer__appending, test_buffer__bytes_of_any_kind,
      test_buffer__released_and_kept, test_buffer__growing, test_buffer__integers, test_buffer__fixed_point,
      test_buffer__fixed_point_of_no_number,
      test_buffer__fixed_point_as_printf_has_it, test_buffer__numbers_in_any_locale,
      test_buffer__out_of_memory_stays_failed)
