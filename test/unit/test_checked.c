/* SPDX-License-Identifier: Apache-2.0
 *
 * Arithmetic that says when a result does not fit, and the one way to fill in an error.
 */
#include <math.h>

#include "base/base.h"
#include "support/test.h"

#define MOST INT64_MAX
#define LEAST INT64_MIN
#define SENTINEL 4711

typedef bool (*checked_operation)(int64_t a, int64_t b, int64_t *out);

struct row {
    int64_t a, b;
    bool fits;
    int64_t result;
};

static void check_rows(const char *what, checked_operation operation, const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int64_t out = SENTINEL;
        bool fits = operation(rows[i].a, rows[i].b, &out);
        int64_t wanted = rows[i].fits ? rows[i].result : SENTINEL; /* left alone where it does not fit */
        if (fits != rows[i].fits || out != wanted) {
            fprintf(stderr, "%s of %lld and %lld: %d %lld, not %d %lld\n", what, (long long)rows[i].a,
                    (long long)rows[i].b, fits, (long long)out, rows[i].fits, (long long)wanted);
            test_failures++;
        }
    }
}

static void test_checked__add(void)
{
    static const struct row rows[] = {
        {0, 0, true, 0},          {MOST, 0, true, MOST},       {MOST, 1, false, 0},      {MOST - 1, 1, true, MOST},
        {1, MOST, false, 0},      {MOST, MOST, false, 0},      {LEAST, 0, true, LEAST},  {LEAST, -1, false, 0},
        {LEAST + 1, -1, true, LEAST}, {-1, LEAST, false, 0},   {LEAST, LEAST, false, 0}, {LEAST, MOST, true, -1},
        {MOST, LEAST, true, -1},  {-5, 3, true, -2},           {1, LEAST, true, LEAST + 1},
    };
    check_rows("the sum", npart__add_int64, rows, NPART__COUNT(rows));
}

static void test_checked__subtract(void)
{
    static const struct row rows[] = {
        {0, 0, true, 0},           {MOST, -1, false, 0},      {MOST - 1, -1, true, MOST},  {LEAST, 1, false, 0},
        {LEAST + 1, 1, true, LEAST}, {0, LEAST, false, 0},    {-1, LEAST, true, MOST},     {LEAST, LEAST, true, 0},
        {MOST, MOST, true, 0},     {0, MOST, true, -MOST},    {-1, MOST, true, LEAST},     {-2, MOST, false, 0},
        {MOST, LEAST, false, 0},   {LEAST, MOST, false, 0},   {3, 5, true, -2},
    };
    check_rows("the difference", npart__subtract_int64, rows, NPART__COUNT(rows));
}

static void test_checked__multiply(void)
{
    static const int64_t root = INT64_C(3037000499); /* floor of the root of 2^63 - 1 */
    const struct row rows[] = {
        {0, MOST, true, 0},
        {LEAST, 0, true, 0},
        {1, MOST, true, MOST},
        {-1, MOST, true, -MOST},
        {1, LEAST, true, LEAST},
        {-1, LEAST, false, 0},
        {LEAST, -1, false, 0},
        {LEAST, 2, false, 0},
        {LEAST, LEAST, false, 0},
        {LEAST / 2, 2, true, LEAST},
        {LEAST / 2, -2, false, 0},
        {INT64_C(1) << 32, INT64_C(1) << 31, false, 0},       /* 2^63 */
        {-(INT64_C(1) << 32), INT64_C(1) << 31, true, LEAST}, /* -2^63 fits */
        {INT64_C(1) << 32, -(INT64_C(1) << 31), true, LEAST},
        {-(INT64_C(1) << 32), -(INT64_C(1) << 31), false, 0},
        {INT64_C(1) << 32, INT64_C(1) << 32, false, 0}, /* 2^64 wraps to 0 */
        {root, root, true, INT64_C(9223372030926249001)},
        {root + 1, root + 1, false, 0},
        {-7, 6, true, -42},
        {-7, -6, true, 42},
        {MOST / 3, 3, true, MOST / 3 * 3},
        {MOST / 3 + 1, 3, false, 0},
    };
    check_rows("the product", npart__multiply_int64, rows, NPART__COUNT(rows));
}

static void test_checked__floor_divide(void)
{
    static const struct row rows[] = {
        {7, 2, true, 3},      {-7, 2, true, -4},    {7, -2, true, -4},    {-7, -2, true, 3},     {6, 2, true, 3},
        {-6, 2, true, -3},    {6, -2, true, -3},    {0, 5, true, 0},      {0, -5, true, 0},      {1, MOST, true, 0},
        {-1, MOST, true, -1}, {5, 0, false, 0},     {0, 0, false, 0},     {LEAST, -1, false, 0},
        {LEAST, 1, true, LEAST},
        {LEAST, LEAST, true, 1}, {MOST, -1, true, -MOST}, {LEAST, MOST, true, -2}, {LEAST, 2, true, LEAST / 2},
    };
    check_rows("the quotient", npart__floor_divide_int64, rows, NPART__COUNT(rows));
}

static void test_checked__floor_modulo(void)
{
    static const struct row rows[] = {
        {7, 2, true, 1},       {-7, 2, true, 1},          {7, -2, true, -1},     {-7, -2, true, -1},
        {6, 2, true, 0},       {-6, 2, true, 0},          {0, -5, true, 0},      {-1, MOST, true, MOST - 1},
        {5, 0, false, 0},      {LEAST, -1, true, 0},      {LEAST, MOST, true, MOST - 1},
        {1, LEAST, true, LEAST + 1}, {MOST, LEAST, true, -1}, {LEAST, LEAST, true, 0},
    };
    check_rows("the rest", npart__floor_modulo_int64, rows, NPART__COUNT(rows));
}

static void test_checked__multiply_unsigned(void)
{
    static const struct {
        uint64_t a, b;
        bool fits;
    } rows[] = {
        {0, UINT64_MAX, true},
        {UINT64_MAX, 0, true},
        {1, UINT64_MAX, true},
        {UINT64_MAX, 2, false},
        {UINT64_C(1) << 32, UINT64_C(1) << 32, false},
        {UINT32_MAX, UINT64_C(4294967297), true}, /* (2^32 - 1)(2^32 + 1) = 2^64 - 1 */
        {UINT64_C(4294967296), UINT64_C(4294967297), false},
        {UINT64_MAX / 3, 3, true},
        {UINT64_MAX / 3 + 1, 3, false},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        uint64_t out = SENTINEL;
        CHECK_INT(npart__multiply_uint64(rows[i].a, rows[i].b, &out), rows[i].fits);
        CHECK(out == (rows[i].fits ? rows[i].a * rows[i].b : SENTINEL));
    }
}

/* Every pair of numbers near the edges against the compiler's own checked arithmetic. */
static void test_checked__all_pairs_near_the_edges(void)
{
    static const int64_t anchors[] = {0, MOST, LEAST, INT64_C(1) << 31, INT64_C(1) << 32, -(INT64_C(1) << 32)};
    int64_t numbers[NPART__COUNT(anchors) * 7];
    size_t count = 0;
    for (size_t i = 0; i < NPART__COUNT(anchors); i++)
        for (int step = -3; step <= 3; step++)
            numbers[count++] = (int64_t)((uint64_t)anchors[i] + (uint64_t)(int64_t)step);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < count; k++) {
            int64_t a = numbers[i], b = numbers[k], sum, difference, product, out;
            const struct {
                checked_operation operation;
                bool fits;
                const int64_t *exact;
            } rows[] = {{npart__add_int64, !__builtin_add_overflow(a, b, &sum), &sum},
                        {npart__subtract_int64, !__builtin_sub_overflow(a, b, &difference), &difference},
                        {npart__multiply_int64, !__builtin_mul_overflow(a, b, &product), &product}};
            for (size_t r = 0; r < NPART__COUNT(rows); r++) {
                out = SENTINEL;
                CHECK_INT(rows[r].operation(a, b, &out), rows[r].fits);
                CHECK_INT(out, rows[r].fits ? *rows[r].exact : SENTINEL);
            }
        }
    }
}

/* ---- errors ------------------------------------------------------------------------------------------------ */

static void test_checked__an_error_is_filled_in(void)
{
    struct npart_error error;
    memset(&error, 'x', sizeof error);
    CHECK_INT(npart__fail(&error, NPART_ERROR_LIMIT, "byte 7", "more than %u of %s", 5u, "them"), NPART_ERROR_LIMIT);
    CHECK_INT(error.status, NPART_ERROR_LIMIT);
    CHECK_TEXT(error.place, "byte 7");
    CHECK_TEXT(error.message, "more than 5 of them");
    CHECK_INT(npart__fail(NULL, NPART_ERROR_READ, "", "%s", "nobody listens"), NPART_ERROR_READ);
    CHECK_INT(npart__fail_memory(&error), NPART_ERROR_MEMORY);
    CHECK_INT(error.status, NPART_ERROR_MEMORY);
    CHECK_TEXT(error.place, "");
    CHECK_TEXT(error.message, "out of memory");
    CHECK_INT(npart__fail_memory(NULL), NPART_ERROR_MEMORY);
}

static void test_checked__long_errors_are_cut(void)
{
    char text[1000];
    struct npart_error error;
    memset(text, 'a', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    CHECK_INT(npart__fail(&error, NPART_ERROR_READ, text, "%s", text), NPART_ERROR_READ);
    CHECK_INT(strlen(error.place), sizeof error.place - 1);
    CHECK_INT(strlen(error.message), sizeof error.message - 1);
}

/* A message is one line, whatever a name in the model holds. */
static void test_checked__an_error_is_one_line(void)
{
    struct npart_error error;
    CHECK_INT(npart__fail(&error, NPART_ERROR_MALFORMED, "node 1 (Conv a\nb)", "nothing makes \"%s\"",
                          "x\r\n\033[2J\177y\t\xc3\xa9"),
              NPART_ERROR_MALFORMED);
    CHECK_TEXT(error.place, "node 1 (Conv a\\u000ab)");
    CHECK_TEXT(error.message, "nothing makes \"x\\u000d\\u000a\\u001b[2J\\u007fy\\u0009é\"");
}

static void test_checked__every_status_has_a_text(void)
{
    static const struct {
        npart_status status;
        int number;
        const char *text;
    } rows[] = {
        {NPART_OK, 0, "ok"},
        {NPART_ERROR_READ, -1, "cannot read"},
        {NPART_ERROR_MALFORMED, -2, "malformed"},
        {NPART_ERROR_LIMIT, -3, "limit passed"},
        {NPART_ERROR_MEMORY, -4, "out of memory"},
        {NPART_ERROR_ARGUMENT, -5, "bad argument"},
        {NPART_ERROR_OPLIST, -6, "bad op list"},
        {NPART_ERROR_WRITE, -7, "cannot write"},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        CHECK_INT(rows[i].status, rows[i].number); /* numbers are part of the interface */
        CHECK_TEXT(npart_status_text(rows[i].status), rows[i].text);
    }
    for (int number = -20; number < 20; number++)
        CHECK(npart_status_text((npart_status)number) != NULL);
}

static void test_checked__decimals(void)
{
    static const struct {
        const char *text;
        double number;
    } rows[] = {
        {"0", 0},         {"-2.5", -2.5},       {"12e2", 1200},
        {"0.1", 1e-1},    {"1e400", INFINITY},  {"1e-400", 0},
        {"-1e99999999999999999999", -INFINITY}, {"1.5e-99999999999999999999", 0},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++)
        CHECK(npart__read_decimal(rows[i].text) == rows[i].number);
    /* Longer than a double is large: digits and exponent make up for each other, on either side of the point. */
    char text[500];
    (void)snprintf(text, sizeof text, "1%0400de-395", 0);
    CHECK(npart__read_decimal(text) == 1e5);
    (void)snprintf(text, sizeof text, "25.%0400d", 1);
    CHECK(npart__read_decimal(text) == 25);
    (void)snprintf(text, sizeof text, "0.%0400de401", 5);
    CHECK(npart__read_decimal(text) == 50);
}

TESTS(test_checked__add, test_checked__subtract, test_checked__multiply, test_checked__floor_divide,
      test_checked__floor_modulo, test_checked__multiply_unsigned, test_checked__all_pairs_near_the_edges,
      test_checked__decimals, test_checked__an_error_is_filled_in,
      test_checked__long_errors_are_cut, test_checked__an_error_is_one_line, test_checked__every_status_has_a_text)
