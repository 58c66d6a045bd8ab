/* SPDX-License-Identifier: Apache-2.0
 *
 * TOML of project files: what each value becomes, what is told of mistakes, and the limits. Which documents are
 * taken is compared with Python's reader in test/checks/toml.py.
 */
#include "gate/toml.h"
#include "support/test.h"

static struct npart__toml_problem problem;

static struct npart__arena arena; /* of the latest document */

static void close_toml(void)
{
    npart__arena_clear(&arena);
}

static const struct npart__toml_document *read_bytes(const char *bytes, size_t count)
{
    npart__arena_init(&arena, NULL);
    return npart__toml_read(&arena, bytes, count, &problem);
}

static const struct npart__toml_document *read_text(const char *text)
{
    const struct npart__toml_document *document = read_bytes(text, strlen(text));
    if (!document)
        fprintf(stderr, "%u:%u: %s\n", problem.line, problem.column, problem.text);
    REQUIRE(document);
    return document;
}

static void check_problem(const char *text, const char *wanted)
{
    char found[300];
    const struct npart__toml_document *document = read_bytes(text, strlen(text));
    CHECK(!document);
    (void)snprintf(found, sizeof found, "%u:%u: %s", problem.line, problem.column, problem.text);
    CHECK_TEXT(document ? "no problem" : found, wanted);
    close_toml();
}

static void test_toml__values(void)
{
    const struct npart__toml_document *document = read_text("text = \"a\\t\\u00e9\\u0000b\"\n"
                                               "raw = 'C:\\x'\n"
                                               "long = \"\"\"\n one \\\n   two\"\"\"\n"
                                               "hex = 0xff_ff\nminus = -1_000\nshare = 9.5e-1\nyes = true\n"
                                               "day = 2027-03-31\nmoment = 2027-03-31 23:59:00.25-01:30\n"
                                               "list = [1, 'a', [], {x = 1}, ]\n");
    const struct npart__toml *root = npart__toml_root(document), *text = npart__toml_find(root, "text");
    CHECK(text->as.text.count == 6 && memcmp(text->as.text.bytes, "a\t\xc3\xa9\0b", 7) == 0);
    CHECK_TEXT(npart__toml_find(root, "raw")->as.text.bytes, "C:\\x");
    CHECK_TEXT(npart__toml_find(root, "long")->as.text.bytes, " one two");
    CHECK_INT(npart__toml_find(root, "hex")->as.integer, 65535);
    CHECK_INT(npart__toml_find(root, "minus")->as.integer, -1000);
    CHECK(npart__toml_find(root, "share")->as.number == 0.95);
    CHECK(npart__toml_find(root, "yes")->kind == NPART__TOML_BOOLEAN && npart__toml_find(root, "yes")->as.boolean);
    const struct npart__toml *day = npart__toml_find(root, "day"), *moment = npart__toml_find(root, "moment");
    CHECK(day->kind == NPART__TOML_LOCAL_DATE && day->as.time.year == 2027 && day->as.time.month == 3 &&
          day->as.time.day == 31);
    CHECK(moment->kind == NPART__TOML_OFFSET_TIME && moment->as.time.offset_minutes == -90 &&
          moment->as.time.microsecond == 250000);
    const struct npart__toml *list = npart__toml_find(root, "list"), *last = list->as.members.last;
    CHECK(list->as.members.count == 4 && last->kind == NPART__TOML_TABLE &&
          npart__toml_find(last, "x")->as.integer == 1);
    CHECK(!npart__toml_find(root, "none") && root->as.members.count == 10);
    close_toml();
}

static void test_toml__tables(void)
{
    const struct npart__toml_document *document = read_text("a.b.c = 1\na.b.d = 2\n[x.y]\nz = 1\n[x]\nw.v = 1\n"
                                               "[[m]]\np = 1\n[m.q]\nr = 1\n[[m]]\np = 2\n");
    const struct npart__toml *root = npart__toml_root(document), *m = npart__toml_find(root, "m");
    CHECK(npart__toml_find(npart__toml_find(npart__toml_find(root, "a"), "b"), "d")->as.integer == 2);
    CHECK(npart__toml_find(npart__toml_find(root, "x"), "y") && npart__toml_find(npart__toml_find(root, "x"), "w"));
    CHECK(m->kind == NPART__TOML_ARRAY && m->as.members.count == 2);
    CHECK(npart__toml_find(npart__toml_find(m->as.members.first, "q"), "r") &&
          !npart__toml_find(m->as.members.last, "q"));
    uint32_t line, column;
    npart__toml_place(document, m->as.members.last->at, &line, &column);
    CHECK(line == 11 && column == 3);
    close_toml();
}

static void test_toml__mistakes_have_a_place(void)
{
    check_problem("a = 1\nb = \n", "2:5: expected a value, found the end of the line");
    check_problem("\"é\" = 1 x", "1:9: expected the end of the line, found 'x'");
    check_problem("a = \"b\n", "1:5: the string is not closed; its closing quote must stand on the same line");
    check_problem("a = '''b\n", "1:5: the string is not closed; its closing quotes must stand after it");
    check_problem("a = \"\\d\"", "1:6: \\ before 'd' is no escape; a backslash itself is \\\\, or use '...'");
    check_problem("a = 1\n a = 2", "2:2: a has a value already");
    check_problem("a = {}\na.b = 2", "2:1: a is a table that was made elsewhere: add to it there");
    check_problem("a = {}\n[a.b]", "2:2: a is a table in { }, to which nothing can be added");
    check_problem("[a]\n[a]", "2:2: a is a table that is there already");
    check_problem("[[a]]\n[a]", "2:2: a is an array of tables: [[...]] adds one to it");
    check_problem("a = []\n[[a]]", "2:3: a is no array of tables that [[...]] has made");
    check_problem("[a", "1:3: expected ] after the name of the table");
    check_problem("a", "1:2: expected = after the key, found the end of the file");
    check_problem("a = [1\n", "1:5: the array is not closed by ]");
    check_problem("a = {b = 1,\nc = 2}", "1:12: expected a key, found the end of the line");
    check_problem("a = {b = 1\n}", "1:5: a table in { } must stand on one line");
    check_problem("a = yes",
                  "1:5: no value: a string needs quotes, a number digits, with single _ between");
    check_problem("a = 012", "1:5: a number must not begin with 0");
    check_problem("a = 9223372036854775808", "1:5: the number has more than 64 bits");
    check_problem("a = 2026-02-30",
                  "1:5: no valid date or time; they are written 2026-12-31, 23:59:59, or 2026-12-31T23:59:59Z");
    check_problem("a = \"\x01\"", "1:6: U+0001 must not stand in a string as it is");
    check_problem("# \x7f", "1:3: U+007F must not stand in a comment");
    check_problem("a = 'x\xff'", "1:7: byte 0xff is not UTF-8");
}

static void test_toml__bytes_have_a_limit(void)
{
    char *bytes = malloc(NPART_MOST_PROJECT_BYTES + 1);
    memset(bytes, ' ', NPART_MOST_PROJECT_BYTES + 1);
    const struct npart__toml_document *document = read_bytes(bytes, NPART_MOST_PROJECT_BYTES);
    CHECK(document);
    close_toml();
    CHECK(!read_bytes(bytes, NPART_MOST_PROJECT_BYTES + 1) && problem.line == 0);
    close_toml();
    CHECK_TEXT(problem.text, "the file has more than 1048576 bytes");
    free(bytes);
}

static void test_toml__values_have_a_limit(void)
{
    char *text = malloc(16 * NPART_MOST_PROJECT_VALUES), *end = text;
    for (uint32_t i = 0; i < NPART_MOST_PROJECT_VALUES; i++)
        end += sprintf(end, "k%u=1\n", i);
    const struct npart__toml_document *document = read_text(text);
    CHECK_INT(npart__toml_root(document)->as.members.count, NPART_MOST_PROJECT_VALUES);
    CHECK(npart__toml_find(npart__toml_root(document), "k77"));
    close_toml();
    strcpy(end, "one=1\n");
    check_problem(text, "16385:5: there are more than 16384 values");
    free(text);
}

/* Values are allocated many at once: a table's first member may be of another block than the table. */
static void test_toml__members_far_from_their_table(void)
{
    char *text = malloc(16 * 2000), *end = text + sprintf(text, "[early]\n[between]\n");
    for (uint32_t i = 0; i < 1000; i++)
        end += sprintf(end, "k%u=1\n", i);
    sprintf(end, "[early.late]\nx=1\n");
    const struct npart__toml_document *document = read_text(text);
    CHECK_INT(npart__toml_find(npart__toml_find(npart__toml_find(npart__toml_root(document), "early"), "late"),
                               "x")->as.integer, 1);
    close_toml();
    free(text);
}

/* a = [[[...]]], and a.a.a... = 1. */
static void test_toml__nesting_has_a_limit(void)
{
    char text[4 * NPART_MOST_PROJECT_DEPTH + 8];
    for (uint32_t extra = 0; extra < 2; extra++) {
        uint32_t count = NPART_MOST_PROJECT_DEPTH + extra;
        strcpy(text, "a=");
        memset(text + 2, '[', count);
        memset(text + 2 + count, ']', count);
        text[2 + 2 * count] = '\0';
        if (extra)
            check_problem(text, "1:67: tables and arrays are nested more than 64 deep");
        else {
            (void)read_text(text);
            close_toml();
        }
        for (uint32_t i = 0; i < count; i++)
            memcpy(text + 2 * i, "a.", 2);
        strcpy(text + 2 * count - 1, "=1");
        if (extra)
            check_problem(text, "1:129: a key has more than 64 parts");
        else {
            (void)read_text(text);
            close_toml();
        }
    }
}

TESTS(test_toml__values, test_toml__tables, test_toml__mistakes_have_a_place, test_toml__bytes_have_a_limit,
      test_toml__values_have_a_limit, test_toml__members_far_from_their_table, test_toml__nesting_has_a_limit)
