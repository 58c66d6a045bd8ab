/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON as a tree: values of each kind, what is refused and in which words, and memory that ends at each allocation.
 */
#include <stdio.h>

#include "base/stream.h"
#include "support/counted.h"
#include "support/test.h"

static char problem[200];

static const struct npart__tree *read_tree(struct npart__arena *arena, const char *text, size_t bytes, unsigned flags)
{
    struct npart__text_stream from = {text, bytes};
    struct npart__stream input;
    npart__stream_init(&input, npart__read_text, &from);
    return npart__tree_read(&input, arena, flags, NPART__MOST_TREE_BYTES, problem, sizeof problem);
}

static void check_refused(const char *text, const char *wanted)
{
    struct npart__arena arena;
    npart__arena_init(&arena, NULL);
    CHECK(!read_tree(&arena, text, strlen(text), NPART__TREE_IS_STRICT));
    CHECK_TEXT(problem, wanted);
    npart__arena_clear(&arena);
}

static const char everything[] =
    "{\"a long name of a member, which is longer than sixteen bytes\": \"and a text, \\u00e9\\n\\t\\ud83d\\ude00/\\/\","
    "\"n\": 12345678901234567, \"m\": -0.125e1, \"list\": [1, [2, [3, {\"b\": null}]], true, false],"
    "\"c\": 1, \"d\": 2, \"e\": 3, \"f\": 4, \"g\": 5, \"h\": 6, \"i\": 7, \"j\": 8, \"k\": 9, \"l\": \"\"} 5";

static void check_everything(const struct npart__tree *tree)
{
    const struct npart__tree *list = npart__tree_get(tree, "list");
    CHECK_INT(npart__tree_members(tree), 14);
    CHECK_TEXT(npart__tree_text(tree, "a long name of a member, which is longer than sixteen bytes"),
               "and a text, \xc3\xa9\n\t\xf0\x9f\x98\x80//");
    CHECK_INT(npart__tree_integer(npart__tree_get(tree, "n")), 12345678901234567);
    CHECK(npart__tree_number(npart__tree_get(tree, "m")) == -1.25);
    CHECK_INT(npart__tree_count(list), 4);
    CHECK(npart__tree_is(npart__tree_at(list, 2), NPART__TREE_TRUE) && !npart__tree_at(list, 4));
    CHECK(!npart__tree_member(npart__tree_at(npart__tree_at(npart__tree_at(list, 1), 1), 1), "b"));
    CHECK_INT(npart__tree_integer(npart__tree_get(tree, "k")), 9);
    CHECK(!npart__tree_get(tree, "z") && !npart__tree_get(list, "z") && !npart__tree_text(tree, "n"));
}

static void test_tree__values(void)
{
    struct npart__arena arena;
    npart__arena_init(&arena, NULL);
    check_everything(read_tree(&arena, everything, strlen(everything), NPART__TREE_GOES_ON | NPART__TREE_IS_STRICT));
    const struct npart__tree *twice = read_tree(&arena, "{\"a\": 1, \"a\": 2}", 16, 0);
    CHECK_INT(npart__tree_integer(npart__tree_get(twice, "a")), 2);
    CHECK_INT(npart__tree_members(twice), 1);
    const struct npart__tree *edges = read_tree(&arena, "[-9223372036854775808, 9223372036854775807]", 43, 0);
    CHECK(npart__tree_integer(npart__tree_at(edges, 0)) == INT64_MIN);
    CHECK(npart__tree_integer(npart__tree_at(edges, 1)) == INT64_MAX);
    npart__arena_clear(&arena);
}

static void test_tree__refused(void)
{
    check_refused("", "'[' or '{' expected near end of file");
    check_refused("3", "'[' or '{' expected near '3'");
    check_refused("[1", "']' expected near end of file");
    check_refused("[1,]", "unexpected token near ']'");
    check_refused("[1 2]", "']' expected near '2'");
    check_refused("[] 1", "end of file expected near '1'");
    check_refused("{\"a\" 1}", "':' expected near '1'");
    check_refused("{\"a\": 1,}", "string or '}' expected near '}'");
    check_refused("{\"a\": 1, \"a\": 2}", "duplicate object key near '\"a\"'");
    check_refused("[01]", "invalid token near '0'");
    check_refused("[1.]", "invalid token near '1'");
    check_refused("[1e]", "invalid token near '1e'");
    check_refused("[-]", "invalid token near '-'");
    check_refused("[nul]", "invalid token near 'nul'");
    check_refused("[9223372036854775808]", "too big integer near '9223372036854775808'");
    check_refused("[-9223372036854775809]", "too big negative integer near '-9223372036854775809'");
    check_refused("[1e999]", "real number overflow near '1e999'");
    check_refused("[\"a\nb\"]", "unexpected newline near '\"a'");
    check_refused("[\"a\x01\"]", "control character 0x1 near '\"a'");
    check_refused("[\"\\x\"]", "invalid escape near '\"\\x'");
    check_refused("[\"\\ud800\"]", "invalid Unicode '\\uD800' near '\"\\ud800\"'");
    check_refused("[\"\\ud800\\u0041\"]", "invalid Unicode '\\uD800\\u0041' near '\"\\ud800\\u0041\"'");
    check_refused("[\"\\u0000\"]", "\\u0000 is not allowed without JSON_ALLOW_NUL near '\"\\u0000\"'");
    check_refused("[\"\xc0\x80\"]", "unable to decode byte 0xc0 near '\"'");
    check_refused("[\"\xed\xa0\x80\"]", "unable to decode byte 0xed near '\"'");
    check_refused("[\"abc", "premature end of input near '\"abc'");
}

/* Each allocation fails once: the value is read, or given up as a whole. */
static void test_tree__memory_ends(void)
{
    bool is_read = false;
    for (size_t n = 0; !is_read && n < 10000; n++) {
        struct counted counted;
        struct npart__arena arena;
        counted_init(&counted, true);
        counted.fail_at = n + 1;
        npart__arena_init(&arena, &counted.allocator);
        const struct npart__tree *tree = read_tree(&arena, everything, strlen(everything), NPART__TREE_GOES_ON);
        is_read = tree != NULL;
        if (is_read)
            check_everything(tree);
        else
            CHECK_TEXT(problem, "out of memory");
        npart__arena_clear(&arena);
        CHECK_INT(counted.live_blocks, 0);
    }
    CHECK(is_read);
}

static void test_tree__has_a_limit(void)
{
    struct npart__text_stream from = {everything, strlen(everything)};
    struct npart__stream input;
    struct npart__arena arena;
    npart__stream_init(&input, npart__read_text, &from);
    npart__arena_init(&arena, NULL);
    CHECK(!npart__tree_read(&input, &arena, 0, 100, problem, sizeof problem));
    CHECK_TEXT(problem, "takes more than 0 MiB of memory");
    npart__arena_clear(&arena);
}

/* A piece at a time, so that everything stands at an edge once. */
static ptrdiff_t read_piece(void *payload, void *into, size_t bytes)
{
    (void)bytes;
    return npart__read_text(payload, into, 3);
}

static void test_input__lines(void)
{
    struct npart__text_stream from = {"ab\nlonger than that\n\nend", 24};
    struct npart__stream input;
    char line[8];
    static const char *const lines[] = {"ab\n", "longer ", "than th", "at\n", "\n", "end"};
    npart__stream_init(&input, read_piece, &from);
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        CHECK(npart__stream_line(&input, line, sizeof line));
        CHECK_TEXT(line, lines[i]);
    }
    CHECK(!npart__stream_line(&input, line, sizeof line) && npart__stream_byte(&input) == -1);
}

static void test_input__bytes(void)
{
    struct npart__text_stream from = {" \xef\xbb\xbf\n xyz", 9};
    struct npart__stream input;
    npart__stream_init(&input, read_piece, &from);
    CHECK_INT(npart__stream_first(&input), 'x');
    npart__stream_back(&input);
    CHECK_INT(npart__stream_byte(&input), 'x');
    CHECK_INT(npart__stream_byte(&input), 'y');
    npart__stream_back(&input);
    CHECK_INT(npart__stream_byte(&input), 'y');
}

TESTS(test_tree__values, test_tree__refused, test_tree__memory_ends, test_tree__has_a_limit, test_input__lines,
      test_input__bytes)
