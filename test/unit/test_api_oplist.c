/* SPDX-License-Identifier: Apache-2.0
 *
 * Op lists by the public header: those built in, files, text; what they tell of themselves.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <unistd.h>

#include "npu_partition.h"
#include "support/analysis.h"
#include "support/counted.h"
#include "support/scanned.h"
#include "support/test.h"

static const char small[] =
    "format 1\ntarget small-one \"A small one\"\ntoolchain \"sdk 3\"\nsource \"a guide\"\nstanding \"made up\"\n"
    "switches fast\nvariant v1\nvariant v2 is two with fast\ndefault v2\npartitioner runs\n"
    "op Add\nop Conv\n  need rank(X) = 4 \"2-D only\"\nop com.microsoft:Gelu\n";

static npart_oplist *read_list(const char *text)
{
    npart_oplist *oplist = NULL;
    REQUIRE(npart_oplist_read_memory(&oplist, text, strlen(text), "small.ops", NULL, NULL) == NPART_OK);
    return oplist;
}

static void test_api_oplist__built_in(void)
{
    struct npart_oplist_info info = {.size = sizeof info};
    size_t count = 0;
    bool has_hexagon = false;
    for (const char *name; (name = npart_builtin_oplist(count)) != NULL; count++) {
        npart_oplist *oplist = NULL;
        struct npart_error error;
        CHECK_INT(npart_oplist_find(&oplist, name, NULL, &error), NPART_OK);
        REQUIRE(oplist != NULL);
        npart_oplist_info(oplist, &info);
        CHECK_TEXT(info.name, name);
        CHECK(*info.title && *info.partitioner && info.op_count > 0 && info.rule_count > 0);
        has_hexagon |= strcmp(name, "hexagon") == 0;
        npart_oplist_free(oplist);
    }
    CHECK(count > 0 && has_hexagon);
    CHECK(!npart_builtin_oplist(count + 1));
    CHECK(!npart_builtin_oplist(SIZE_MAX));
}

static void test_api_oplist__found_by_a_whole_target(void)
{
    static const char *const good[] = {"hexagon:v73", "hexagon:v73+float", "hexagon+float", "hexagon-float",
                                       "hexagon@anything", "hexagon:no-such"};
    static const char *const bad[] = {"", "hexa", "hexagons", "Hexagon", ":v73", "hexagon ", "hexagon/v73"};
    struct npart_error error;
    npart_oplist *oplist = NULL;
    for (size_t i = 0; i < sizeof good / sizeof good[0]; i++) {
        CHECK_INT(npart_oplist_find(&oplist, good[i], NULL, &error), NPART_OK);
        npart_oplist_free(oplist);
    }
    oplist = NULL;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        CHECK_INT(npart_oplist_find(&oplist, bad[i], NULL, &error), NPART_ERROR_ARGUMENT);
        CHECK(!oplist && strncmp(error.message, "there is no target \"", 20) == 0);
        CHECK_INT(npart_oplist_find(&oplist, bad[i], NULL, NULL), NPART_ERROR_ARGUMENT);
    }
}

static void test_api_oplist__info(void)
{
    struct npart_oplist_info info = {.size = sizeof info};
    npart_oplist *oplist = read_list(small);
    npart_oplist_info(oplist, &info);
    CHECK_TEXT(info.name, "small-one");
    CHECK_TEXT(info.title, "A small one");
    CHECK_TEXT(info.toolchain, "sdk 3");
    CHECK_TEXT(info.source, "a guide");
    CHECK_TEXT(info.standing, "made up");
    CHECK_TEXT(info.partitioner, "runs");
    CHECK_TEXT(info.default_variant, "v2");
    CHECK_INT(info.op_count, 3);
    CHECK_INT(info.variant_count, 2);
    npart_oplist_free(oplist);
    oplist = read_list("format 1\ntarget t\nop Relu\n");
    npart_oplist_info(oplist, &info);
    CHECK_TEXT(info.default_variant, "");
    CHECK_TEXT(info.toolchain, "");
    CHECK_TEXT(info.partitioner, "waves");
    CHECK_INT(info.variant_count, 0);
    npart_oplist_free(oplist);
}

static void test_api_oplist__text_is_not_needed_afterwards(void)
{
    char text[sizeof small], name[] = "small.ops";
    struct npart_oplist_info info = {.size = sizeof info};
    struct counted counted;
    counted_init(&counted, true);
    npart_oplist *oplist = NULL;
    memcpy(text, small, sizeof small);
    CHECK_INT(npart_oplist_read_memory(&oplist, text, sizeof small - 1, name, &counted.allocator, NULL), NPART_OK);
    memset(text, '#', sizeof text);
    memset(name, 'x', sizeof name - 1);
    npart_oplist_info(oplist, &info);
    CHECK_TEXT(info.title, "A small one");
    struct sink sink = {0};
    CHECK_INT(npart_oplist_describe(oplist, "Conv", sink_write, &sink, NULL), NPART_OK);
    CHECK(strstr(sink.text, "2-D only") != NULL);
    sink_clear(&sink);
    CHECK(counted.live_blocks > 0);
    npart_oplist_free(oplist);
    CHECK_INT(counted.live_blocks, 0);
}

static void test_api_oplist__files(void)
{
    npart_oplist *oplist = NULL;
    struct npart_oplist_info info = {.size = sizeof info};
    struct npart_error error;
    char path[64];
    write_temporary(path, small, sizeof small - 1);
    CHECK_INT(npart_oplist_read_file(&oplist, path, NULL, &error), NPART_OK);
    REQUIRE(oplist != NULL);
    CHECK_INT(unlink(path), 0);
    npart_oplist_info(oplist, &info);
    CHECK_TEXT(info.name, "small-one");
    npart_oplist_free(oplist);
    oplist = NULL;
    write_temporary(path, "format 1\ntarget t\nop Covn\n", 26);
    CHECK_INT(npart_oplist_read_file(&oplist, path, NULL, &error), NPART_ERROR_OPLIST);
    CHECK_INT(error.status, NPART_ERROR_OPLIST);
    CHECK(strncmp(error.place, path, strlen(path)) == 0);
    CHECK_TEXT(error.place + strlen(path), ":3:4");
    CHECK_INT(unlink(path), 0);
    write_temporary(path, "", 0);
    CHECK_INT(npart_oplist_read_file(&oplist, path, NULL, &error), NPART_ERROR_OPLIST);
    CHECK_INT(unlink(path), 0);
    CHECK_INT(npart_oplist_read_file(&oplist, path, NULL, &error), NPART_ERROR_READ);
    CHECK_TEXT(error.place, path);
    CHECK_INT(npart_oplist_read_file(&oplist, "/", NULL, &error), NPART_ERROR_READ);
    CHECK_INT(npart_oplist_read_file(&oplist, "/", NULL, NULL), NPART_ERROR_READ);
    CHECK(!oplist);
}

/* One too large is refused before it is in memory. */
static void test_api_oplist__a_file_that_is_too_large(void)
{
    size_t bytes = (size_t)5 << 20;
    char *text = malloc(bytes), path[64];
    struct counted counted;
    struct npart_error error;
    npart_oplist *oplist = NULL;
    REQUIRE(text);
    counted_init(&counted, true);
    memset(text, '\n', bytes);
    memcpy(text, small, sizeof small - 1);
    write_temporary(path, text, bytes);
    CHECK_INT(npart_oplist_read_file(&oplist, path, &counted.allocator, &error), NPART_ERROR_OPLIST);
    CHECK(strstr(error.message, "larger than 4194304 bytes") != NULL);
    CHECK_INT(counted.live_blocks, 0);
    struct sink sink = {0}; /* most of it is blank, so that what is made of it would be small */
    CHECK_INT(npart_oplist_import(path, "t", sink_write, &sink, &error), NPART_ERROR_OPLIST);
    CHECK_TEXT(error.place, path);
    CHECK_TEXT(error.message, "larger than 4194304 bytes");
    CHECK_INT(sink.calls, 0);
    CHECK_INT(unlink(path), 0);
    free(text);
}

static void test_api_oplist__partitioners_are_known(void)
{
    static const char text[] = "format 1\ntarget t\npartitioner best\n";
    npart_oplist *oplist = NULL;
    struct npart_error error;
    CHECK_INT(npart_oplist_read_memory(&oplist, text, sizeof text - 1, "l.ops", NULL, &error), NPART_ERROR_OPLIST);
    CHECK_TEXT(error.place, "l.ops:3:13");
    CHECK_INT(npart_oplist_read_memory(&oplist, text, sizeof text - 1, "l.ops", NULL, NULL), NPART_ERROR_OPLIST);
    CHECK(!oplist);
}

static void test_api_oplist__support_tables(void)
{
    npart_oplist *oplist = read_list(small);
    struct npart_error error;
    struct sink all = {0}, one = {0}, none = {0};
    CHECK_INT(npart_oplist_describe(oplist, NULL, sink_write, &all, &error), NPART_OK);
    CHECK(strstr(all.text, "Conv") && strstr(all.text, "Add") && strstr(all.text, "Gelu"));
    CHECK_INT(npart_oplist_describe(oplist, "com.microsoft:Gelu", sink_write, &one, &error), NPART_OK);
    CHECK(strstr(one.text, "Gelu") && !strstr(one.text, "Conv"));
    CHECK_INT(npart_oplist_describe(oplist, "Relu", sink_write, &none, &error), NPART_ERROR_ARGUMENT);
    CHECK_TEXT(error.message, "small-one has no op \"Relu\"; did you mean Gelu?");
    CHECK_INT(npart_oplist_describe(oplist, "", sink_write, &none, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(none.bytes, 0);
    none.refuse_at = 1;
    CHECK_INT(npart_oplist_describe(oplist, NULL, sink_write, &none, &error), NPART_ERROR_WRITE);
    CHECK_INT(error.status, NPART_ERROR_WRITE);
    sink_clear(&all);
    sink_clear(&one);
    npart_oplist_free(oplist);
}

/* Of a target its release's lines; a release that no line describes has no table. */
static void test_api_oplist__support_table_of_a_target(void)
{
    npart_oplist *oplist = read_list("format 1\ntarget t\nswitches wide\nvariant a with wide\nvariant b\n"
                                     "toolchain \"kit 1.0\"\ntoolchain \"kit 2.0\"\nop Conv\n"
                                     "  need rank(X) = 4 before 'kit 2.0' \"old\"\n"
                                     "  need rank(X) = 4 since 'kit 2.0' \"new\"\n"
                                     "  need const(W) unless wide \"narrow\"\n");
    struct npart_error error;
    struct sink of[4] = {{0}};
    CHECK_INT(npart_target_describe(oplist, "t@1.5", "Conv", sink_write, &of[0], &error), NPART_OK);
    CHECK(strstr(of[0].text, "old") && !strstr(of[0].text, "new") && !strstr(of[0].text, "narrow"));
    CHECK_INT(npart_target_describe(oplist, "t:b", NULL, sink_write, &of[1], &error), NPART_OK);
    CHECK(!strstr(of[1].text, "old") && strstr(of[1].text, "new") && strstr(of[1].text, "narrow"));
    CHECK(strstr(of[1].text, "t:b") && strstr(of[1].text, "toolchain kit 2.0\n"));
    CHECK_INT(npart_target_describe(oplist, "t", NULL, sink_write, &of[2], &error), NPART_OK);
    CHECK(strstr(of[2].text, "old") && strstr(of[2].text, "new") && strstr(of[2].text, "narrow"));
    CHECK_INT(npart_target_describe(oplist, "t@0.9", NULL, sink_write, &of[3], &error), NPART_ERROR_ARGUMENT);
    CHECK_TEXT(error.message, "t has no toolchain \"0.9\"; it has \"kit 1.0\", \"kit 2.0\"");
    CHECK_INT(npart_target_describe(oplist, "t@3", NULL, sink_write, &of[3], &error), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_target_describe(oplist, "t:c", NULL, sink_write, &of[3], &error), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_target_describe(oplist, "u", NULL, sink_write, &of[3], &error), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_target_describe(oplist, "t@2.0", "Relu", sink_write, &of[3], &error), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_target_describe(NULL, "t", NULL, sink_write, &of[3], &error), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_target_describe(oplist, "t", NULL, NULL, NULL, &error), NPART_ERROR_ARGUMENT);
    CHECK_INT(of[3].bytes, 0);
    for (int i = 0; i < 4; i++)
        sink_clear(&of[i]);
    npart_oplist_free(oplist);
}

/* What is required is one text, why it is another. */
static void test_api_oplist__because_is_apart(void)
{
    npart_oplist *oplist = read_list("format 1\ntarget t\nop Conv\n  need rank(X) = 4 \"the rank must be 4\" "
                                     "because \"others hang\"\n  need const(W) \"W must be constant\"\n");
    struct npart_rule rule = {.size = sizeof rule};
    struct sink sink = {0};
    REQUIRE(npart_oplist_rule(oplist, 0, &rule));
    CHECK_TEXT(rule.text, "the rank must be 4");
    CHECK_TEXT(rule.because, "others hang");
    REQUIRE(npart_oplist_rule(oplist, 1, &rule));
    CHECK_TEXT(rule.because, "");
    CHECK_INT(npart_oplist_describe(oplist, "Conv", sink_write, &sink, NULL), NPART_OK);
    CHECK(strstr(sink.text, "  need   the rank must be 4\n           because others hang\n") != NULL);
    sink_clear(&sink);
    npart_oplist_free(oplist);
}

/* Rounded down, so that only all is 100 %. */
static void test_api_oplist__how_far_verified(void)
{
    static const struct {
        const char *line, *text;
    } cases[] = {
        {"standing by compiler \"sdk 3\" probes 20 agree 1999 of 2000",
         "by the compiler: sdk 3, 20 probes, 99.9 % agree"},
        {"standing by compiler \"sdk 3\" probes 2 agree 5 of 5 \"no device\"",
         "by the compiler: sdk 3, 2 probes, 100 % agree; no device"},
        {"standing by compiler \"sdk 2\" probes 2 agree 0 of 5",
         "by the compiler: sdk 2, 2 probes, 0.0 % agree; not asked at sdk 3"},
        {"standing by source \"a file at 1234567\"", "by source: a file at 1234567"},
        {"standing from documents \"of 2020\"", "from documents; of 2020"},
        {"standing from documents\nstanding \"in our words\"", "in our words"},
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char list[300];
        struct npart_oplist_info info = {.size = sizeof info};
        (void)snprintf(list, sizeof list,
                       "format 1\ntarget t\ntoolchain \"sdk 2\"\ntoolchain \"sdk 3\"\n%s\nop Add\n", cases[i].line);
        npart_oplist *oplist = read_list(list);
        CHECK(npart_oplist_info(oplist, &info));
        CHECK_TEXT(info.standing, cases[i].text);
        npart_oplist_free(oplist);
    }
}

TESTS(test_api_oplist__how_far_verified, test_api_oplist__built_in,
      test_api_oplist__found_by_a_whole_target, test_api_oplist__info,
      test_api_oplist__text_is_not_needed_afterwards, test_api_oplist__files,
      test_api_oplist__a_file_that_is_too_large, test_api_oplist__partitioners_are_known,
      test_api_oplist__support_tables, test_api_oplist__support_table_of_a_target,
      test_api_oplist__because_is_apart)
