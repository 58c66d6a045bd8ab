/* SPDX-License-Identifier: Apache-2.0
 *
 * What unit tests are written with. A test file defines functions `static void test_<file>__<behaviour>(void)` and
 * lists them in TESTS(...), which makes its main.
 */
#ifndef TEST_TEST_H
#define TEST_TEST_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int test_failures;

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            test_failures++;                                                                                           \
        }                                                                                                              \
    } while (0)

#define CHECK_INT(found, wanted)                                                                                       \
    do {                                                                                                               \
        long long found_ = (long long)(found), wanted_ = (long long)(wanted);                                          \
        if (found_ != wanted_) {                                                                                       \
            fprintf(stderr, "%s:%d: %s is %lld, not %lld\n", __FILE__, __LINE__, #found, found_, wanted_);             \
            test_failures++;                                                                                           \
        }                                                                                                              \
    } while (0)

#define CHECK_TEXT(found, wanted)                                                                                      \
    do {                                                                                                               \
        const char *found_ = (found), *wanted_ = (wanted);                                                             \
        if (strcmp(found_ ? found_ : "(null)", wanted_) != 0) {                                                        \
            fprintf(stderr, "%s:%d: %s is\n  %s\nnot\n  %s\n", __FILE__, __LINE__, #found, found_, wanted_);           \
            test_failures++;                                                                                           \
        }                                                                                                              \
    } while (0)

/* What must hold for the test to go on. */
#define REQUIRE(condition)                                                                                             \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition);                                  \
            exit(1);                                                                                                   \
        }                                                                                                              \
    } while (0)

typedef void (*test_function)(void);

#define TESTS(...)                                                                                                     \
    int main(void)                                                                                                     \
    {                                                                                                                  \
        const test_function tests[] = {__VA_ARGS__};                                                                   \
        for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++)                                                    \
            tests[i]();                                                                                                \
        if (test_failures)                                                                                             \
            fprintf(stderr, "%s: %d failed\n", __FILE__, test_failures);                                               \
        return test_failures ? 1 : 0;                                                                                  \
    }

#endif
