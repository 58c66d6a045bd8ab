/* SPDX-License-Identifier: Apache-2.0
 *
 * Memory that ends while the tool reads JSON: at each allocation the value is read or given up, and nothing is kept.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/json_memory.h"
#include "support/test.h"

/* Numbers and texts that outgrow jansson's buffers, escapes, and what grows with the members of an object. */
static const char text[] =
    "{\"a long name of a member, which is longer than sixteen bytes\": \"and a text that is as long, \\u00e9\\n\\t\","
    "\"n\": 12345678901234567, \"m\": 0.1234567890123456789, \"list\": [1, [2, [3, {\"b\": null}]], true, false],"
    "\"c\": 1, \"d\": 2, \"e\": 3, \"f\": 4, \"g\": 5, \"h\": 6, \"i\": 7, \"j\": 8, \"k\": 9, \"l\": \"\"} 5";

static json_t *read_within(size_t bytes, char *problem, size_t problem_bytes)
{
    char copy[sizeof text];
    memcpy(copy, text, sizeof text);
    FILE *file = fmemopen(copy, sizeof text - 1, "rb");
    REQUIRE(file);
    begin_json_limit_of(bytes);
    json_t *value = read_json_value(file, problem, problem_bytes);
    if (value) { /* the stream goes on after it */
        CHECK_INT(next_json_byte(file), '5');
    }
    (void)fclose(file);
    return value;
}

static void test_json_memory__ends_anywhere(void)
{
    char problem[200];
    size_t bytes = 0, refused = 0;
    for (json_t *value = NULL; !value && bytes < 1 << 20; bytes++) {
        value = read_within(bytes, problem, sizeof problem);
        if (value) {
            CHECK_INT((long long)json_object_size(value), 14);
            CHECK_TEXT(json_text(value, "a long name of a member, which is longer than sixteen bytes"),
                       "and a text that is as long, \xc3\xa9\n\t");
            CHECK_INT(json_integer_value(json_object_get(value, "n")), 12345678901234567);
        } else {
            CHECK_TEXT(problem, "takes more than 0 MiB of memory");
            refused++;
        }
        json_decref(value);
    }
    CHECK(refused > 1000 && bytes < 1 << 20);
    /* Nothing is kept: what was enough is enough again. */
    json_t *again = read_within(bytes - 1, problem, sizeof problem);
    CHECK(again);
    json_decref(again);
    end_json_limit();
}

static void test_json_memory__keeps_what_was_read(void)
{
    char problem[200];
    json_t *first = read_within(1 << 20, problem, sizeof problem), *second = read_within(1 << 20, problem, 1);
    REQUIRE(first && second);
    CHECK(!read_within(16, problem, sizeof problem));
    json_decref(first); /* not in the order in which they were read */
    CHECK_INT((long long)json_array_size(json_object_get(second, "list")), 4);
    json_decref(second);
    end_json_limit();
}

TESTS(test_json_memory__ends_anywhere, test_json_memory__keeps_what_was_read)
