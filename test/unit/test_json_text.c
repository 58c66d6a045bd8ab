/* SPDX-License-Identifier: Apache-2.0
 *
 * JSON whatever the names are: strings, numbers, and the reports of every fixture, held against a checker that was
 * written from the RFC.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <dirent.h>
#include <math.h>

#include "report/report.h"
#include "support/analysis.h"
#include "support/counted.h"
#include "support/json_check.h"
#include "support/proto_writer.h"
#include "support/subjects.h"
#include "support/test.h"

/* ---- strings -------------------------------------------------------------------------------------------------- */

static void check_bytes(const char *text, size_t bytes, const char *wanted)
{
    struct counted counted;
    struct npart__arena arena;
    struct npart__buffer out;
    size_t at = 0;
    counted_init(&counted, true);
    npart__arena_init(&arena, &counted.allocator);
    npart__buffer_init(&out, &arena);
    npart__append_json_string(&out, text, bytes);
    const char *found = npart__buffer_text(&out);
    if (wanted)
        CHECK_TEXT(found, wanted);
    const char *problem = json_problem(found, strlen(found), &at);
    if (problem)
        fprintf(stderr, "  %s: %s\n", found, problem);
    CHECK(!problem);
    npart__arena_clear(&arena);
    CHECK_INT(counted.live_blocks, 0);
}

#define BAD "\xef\xbf\xbd" /* U+FFFD */

static void test_json_text__plain_and_escaped(void)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"", "\"\""},
        {"plain /text", "\"plain /text\""},
        {"\"quoted\"", "\"\\\"quoted\\\"\""},
        {"back\\slash", "\"back\\\\slash\""},
        {"a\nb\tc\rd", "\"a\\nb\\tc\\rd\""},
        {"\x01\x1f\x7f\b\f\v\x1b", "\"\\u0001\\u001f\\u007f\\u0008\\u000c\\u000b\\u001b\""},
        {"\\u0041", "\"\\\\u0041\""},
        {"\n", "\"\\n\""},
        {"é ß 中 😀", "\"é ß 中 😀\""},
        {"\xe2\x80\xa8\xe2\x80\xa9", "\"\\u2028\\u2029\""},             /* end lines of a terminal, or of a script */
        {"\xef\xbf\xbe\xef\xbf\xbf", "\"\xef\xbf\xbe\xef\xbf\xbf\""},   /* U+FFFE, U+FFFF: no characters, but valid */
        {"\xef\xb7\x90\xf4\x8f\xbf\xbf", "\"\xef\xb7\x90\xf4\x8f\xbf\xbf\""}, /* U+FDD0, U+10FFFF */
        {"\xef\xbb\xbf", "\"\\ufeff\""},                                /* a byte order mark */
        {"\xc2\x80\xdf\xbf\xe0\xa0\x80\xf0\x90\x80\x80", "\"\\u0080\xdf\xbf\xe0\xa0\x80\xf0\x90\x80\x80\""},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++)
        check_bytes(rows[i].text, strlen(rows[i].text), rows[i].wanted);
    check_bytes("a\0b", 3, "\"a\\u0000b\"");
}

static void test_json_text__no_text(void)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"\x80", "\"" BAD "\""},
        {"a\xff" "b", "\"a" BAD "b\""},
        {"\xc0\xaf", "\"" BAD BAD "\""},                     /* overlong */
        {"\xc1\xbf", "\"" BAD BAD "\""},
        {"\xe0\x9f\xbf", "\"" BAD BAD BAD "\""},
        {"\xf0\x8f\xbf\xbf", "\"" BAD BAD BAD BAD "\""},
        {"\xed\xa0\x80", "\"" BAD BAD BAD "\""},             /* a surrogate */
        {"\xed\xbf\xbf", "\"" BAD BAD BAD "\""},
        {"\xf4\x90\x80\x80", "\"" BAD BAD BAD BAD "\""},     /* above U+10FFFF */
        {"\xf5\x80\x80\x80", "\"" BAD BAD BAD BAD "\""},
        {"\xc3", "\"" BAD "\""},                             /* breaks off at the end */
        {"\xe4\xb8", "\"" BAD BAD "\""},
        {"\xf0\x9f\x98", "\"" BAD BAD BAD "\""},
        {"\xe4\xb8" "a", "\"" BAD BAD "a\""},                 /* breaks off before a letter */
        {"\xc3\"", "\"" BAD "\\\"\""},                       /* the quote is not swallowed */
        {"\xf0\x9f\x98\n", "\"" BAD BAD BAD "\\n\""},
        {"\xc3\xa9\xa9", "\"é" BAD "\""},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++)
        check_bytes(rows[i].text, strlen(rows[i].text), rows[i].wanted);
    check_bytes("\xe4\xb8\xad", 2, "\"" BAD BAD "\""); /* the length counts, not what lies after it */
    check_bytes("\xf0\x9f\x98\x80", 3, "\"" BAD BAD BAD "\"");
    check_bytes("\xc3\xa9", 1, "\"" BAD "\"");
}

/* Every two bytes, and some thousand texts of random ones. */
static void test_json_text__any_bytes(void)
{
    uint32_t random = 12345;
    for (unsigned i = 0; i < 65536; i++) {
        char two[2] = {(char)(i >> 8), (char)i};
        check_bytes(two, 2, NULL);
    }
    for (unsigned i = 0; i < 20000; i++) {
        char text[12];
        for (size_t k = 0; k < sizeof text; k++) {
            random = random * 1664525u + 1013904223u;
            text[k] = (char)(random >> 24 | (random >> 10 & 1 ? 0x80 : 0));
        }
        check_bytes(text, random >> 8 & 7, NULL);
        check_bytes(text, sizeof text, NULL);
    }
}

/* ---- the checker ---------------------------------------------------------------------------------------------- */

static void test_json_text__the_checker(void)
{
    static const char *const good[] = {"0", "-0.5e-7", " [ ] ", "{}", "{\"a\":[1,2,{\"b\":null}]}", "\"\\u00e9\\n\"",
                                       "true", "[1.5,-2,3E+4]"};
    static const char *const bad[] = {"", "01", "1.", ".5", "+1", "nan", "NaN", "inf", "-Infinity", "[1,]", "[1 2]",
                                      "{\"a\":1,}", "{a:1}", "{\"a\":1,\"a\":2}", "\"a", "\"\\x\"", "\"\\u12g4\"",
                                      "1 2", "[", "{\"a\"}", "tru", "\"\n\"", "\"\xff\"", "\"\xed\xa0\x80\"", "1e",
                                      "\"\xc0\x80\""};
    size_t at;
    for (size_t i = 0; i < NPART__COUNT(good); i++)
        CHECK(!json_problem(good[i], strlen(good[i]), &at));
    for (size_t i = 0; i < NPART__COUNT(bad); i++) {
        bool is_refused = json_problem(bad[i], strlen(bad[i]), &at) != NULL;
        if (!is_refused)
            fprintf(stderr, "  taken: %s\n", bad[i]);
        CHECK(is_refused);
    }
}

/* ---- numbers -------------------------------------------------------------------------------------------------- */

static void test_json_text__numbers(void)
{
    static const double values[] = {0, -0.0, 1e-9, 0.1, 123456.789, 1e15, 1e17, 1e18, 1e19, 1e300, -1e300, 5e-324,
                                    9007199254740993.0, 0.9999999, 999999.9999999};
    const double odd[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    struct counted counted;
    struct npart__arena arena;
    struct npart__buffer out;
    size_t at;
    counted_init(&counted, false);
    npart__arena_init(&arena, &counted.allocator);
    npart__buffer_init(&out, &arena);
    for (size_t i = 0; i < NPART__COUNT(values) + NPART__COUNT(odd); i++) {
        double value = i < NPART__COUNT(values) ? values[i] : odd[i - NPART__COUNT(values)];
        for (unsigned decimals = 0; decimals <= 6; decimals++) {
            out.size = 0;
            npart__append_fixed(&out, value, decimals);
            const char *text = npart__buffer_text(&out);
            CHECK(!json_problem(text, strlen(text), &at));
        }
    }
    out.size = 0;
    npart__append_int64(&out, INT64_MAX); /* beyond 2^53 to the last digit */
    npart__append_text(&out, " ");
    npart__append_int64(&out, INT64_MIN);
    npart__append_text(&out, " ");
    npart__append_int64(&out, (INT64_C(1) << 53) + 1);
    CHECK_TEXT(npart__buffer_text(&out), "9223372036854775807 -9223372036854775808 9007199254740993");
    npart__arena_clear(&arena);
    CHECK_INT(counted.live_blocks, 0);
}

/* ---- members -------------------------------------------------------------------------------------------------- */

static bool gather(void *payload, const char *text, size_t bytes)
{
    npart__append(payload, text, bytes);
    return true;
}

/* A text that is handed on at every length, so that the last byte written is one of every kind. */
static void test_json_text__commas_where_they_are_due(void)
{
    struct npart__arena arena;
    struct npart__buffer out, whole;
    size_t at;
    npart__arena_init(&arena, NULL);
    npart__buffer_init(&whole, &arena);
    npart__buffer_init(&out, &arena);
    out.write = gather;
    out.payload = &whole;
    npart__json_open(&out, NULL, '[');
    for (uint32_t i = 0; i < 3000; i++) {
        const uint32_t ids[] = {i, i + 1};
        npart__json_open(&out, NULL, '{');
        npart__json_open(&out, "empty", '[');
        npart__json_close(&out, ']');
        npart__json_ids(&out, "ids", ids, i % 3);
        npart__json_name(&out, "a \"name\"");
        npart__json_id(&out, NULL, i % 2 ? i : NPART_NONE);
        npart__json_string(&out, "text[{:", "ends with [{:,", i % 14);
        npart__json_flag(&out, "flag", i % 2);
        npart__json_decimal_or_null(&out, "ms", i % 2 ? 0.5 : -1);
        npart__json_close(&out, '}');
    }
    npart__json_close(&out, ']');
    npart__buffer_flush(&out);
    CHECK(!arena.failed && whole.size > 2 * NPART__WRITTEN_BYTES);
    const char *text = npart__buffer_text(&whole);
    CHECK(!json_problem(text, whole.size, &at));
    static const char wanted[] =
        "[{\"empty\":[],\"ids\":[],\"a \\\"name\\\"\":null,\"text[{:\":\"\",\"flag\":false,\"ms\":null},"
        "{\"empty\":[],\"ids\":[1],\"a \\\"name\\\"\":1,\"text[{:\":\"e\",\"flag\":true,\"ms\":0.500000},";
    CHECK(strncmp(text, wanted, sizeof wanted - 1) == 0);
    npart__arena_clear(&arena);
}

/* ---- reports -------------------------------------------------------------------------------------------------- */

static void check_json(const char *text, const char *name)
{
    size_t at = 0, length = strlen(text);
    const char *problem = json_problem(text, length, &at);
    if (problem)
        fprintf(stderr, "  %s, byte %zu: %s: %.60s\n", name, at, problem, text + (at > 30 ? at - 30 : 0));
    CHECK(!problem);
    CHECK(length > 0 && text[length - 1] == '\n' && !memchr(text, '\n', length - 1)); /* one line */
    CHECK(!strstr(text, ":nan") && !strstr(text, ":inf") && !strstr(text, ":-inf"));
}

static void check_model_reports(struct analysis *at, const char *name)
{
    npart_plan *fixed_plan = NULL;
    npart_inference *fixed = NULL;
    CHECK_INT(npart_inference_make_fixed(&fixed, at->inference, NULL), NPART_OK);
    if (fixed)
        CHECK_INT(npart_plan_make(&fixed_plan, fixed, at->oplist, NULL, NULL, NULL), NPART_OK);
    char *json = json_of(at->plan, fixed_plan), *again = json_of(at->plan, fixed_plan);
    check_json(json, name);
    CHECK(strcmp(json, again) == 0); /* equal input, equal bytes */
    struct sink shapes = {0};
    CHECK_INT(npart_report(OF_SHAPES(at->inference), NPART_FORMAT_JSON, NULL, sink_write, &shapes, NULL), NPART_OK);
    check_json(shapes.text, name);
    sink_clear(&shapes);
    free(again);
    free(json);
    npart_plan_free(fixed_plan);
    npart_inference_free(fixed);
}

static void test_json_text__every_fixture(void)
{
    DIR *folder = opendir("fixtures");
    struct dirent *entry;
    unsigned count = 0;
    npart_oplist *hexagon = NULL;
    REQUIRE(folder && npart_oplist_find(&hexagon, "hexagon", NULL, NULL) == NPART_OK);
    while ((entry = readdir(folder)) != NULL) {
        char path[300];
        struct analysis at = {.oplist = hexagon};
        if (!strstr(entry->d_name, ".onnx"))
            continue;
        (void)snprintf(path, sizeof path, "fixtures/%s", entry->d_name);
        REQUIRE(npart_model_read_file(&at.model, path, NULL, NULL) == NPART_OK);
        REQUIRE(npart_inference_make(&at.inference, at.model, NULL, NULL) == NPART_OK);
        REQUIRE(npart_plan_make(&at.plan, at.inference, hexagon, NULL, NULL, NULL) == NPART_OK);
        check_model_reports(&at, entry->d_name);
        at.oplist = NULL;
        analysis_close(&at);
        count++;
    }
    CHECK(count > 20);
    (void)closedir(folder);
    npart_oplist_free(hexagon);
}

/* Names, domains, symbols and metadata that are full of quotes, control characters and broken UTF-8. */
static void test_json_text__hostile_names(void)
{
    static const char hostile[] = "\"\\\n\r\t\x01\x1b[31m\xff\xc3\xed\xa0\x80\x7f</script>\xe2\x80\xa8";
    struct bytes graph = {0}, node = {0}, input = {0}, output = {0}, type = {0}, tensor = {0}, shape = {0}, dim = {0},
                 entry = {0};
    put_text(&node, 1, hostile);
    put_text(&node, 2, "y\"");
    put_text(&node, 3, hostile);
    put_text(&node, 4, hostile);
    put_text(&node, 7, hostile);
    put_text(&entry, 1, "pkg.torch.onnx.stack_trace");
    put_text(&entry, 2, "File \"/a\"\\b\x02\xff.py\", line 7, in \"f\n    y");
    put_message(&node, 9, &entry);
    put_message(&graph, 1, &node);
    put_text(&dim, 2, hostile);
    put_message(&shape, 1, &dim);
    put_number(&tensor, 1, 1);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_text(&input, 1, hostile);
    put_message(&input, 2, &type);
    put_message(&graph, 11, &input);
    put_text(&output, 1, "y\"");
    put_message(&graph, 12, &output);
    struct bytes model = model_around(&graph), opset = {0};
    put_text(&model, 2, hostile);
    put_text(&model, 3, hostile);
    put_text(&opset, 1, hostile);
    put_message(&model, 8, &opset);
    struct analysis at = {0};
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    options.name = hostile;
    REQUIRE(npart_model_read_memory(&at.model, model.data, model.size, &options, NULL) == NPART_OK);
    REQUIRE(npart_inference_make(&at.inference, at.model, NULL, NULL) == NPART_OK);
    REQUIRE(npart_oplist_find(&at.oplist, "hexagon", NULL, NULL) == NPART_OK);
    REQUIRE(npart_plan_make(&at.plan, at.inference, at.oplist, NULL, NULL, NULL) == NPART_OK);
    check_model_reports(&at, "hostile names");
    analysis_close(&at);
    bytes_free(&model);
}

/* Sizes beyond 2^53 and beyond 64 bits, in dims, versions and bytes. */
static void test_json_text__large_numbers(void)
{
    static const char *const models[] = {
        "opset 9007199254740993\ninput x float32[9007199254740993]\nnode y = Relu(x)\noutput y\n",
        "opset 17\ninput x float32[9223372036854775807]\ninit w int8[9223372036854775807]\nnode y = Add(x, w)\n"
        "output y\n",
        "opset 17\ninput x float64[4294967296,4294967296,8]\nnode y = Relu(x)\nnode z = Erf(y)\noutput z\n",
        "opset 17\ninput x float64[1152921504606846976]\nnode y = Relu(x)\nnode z = NonZero(y)\nnode v = Neg(y)\n"
        "output z\noutput v\n",
    };
    for (size_t i = 0; i < NPART__COUNT(models); i++) {
        struct analysis at;
        analysis_open(&at, models[i], NULL, NULL, NULL);
        check_model_reports(&at, models[i]);
        analysis_close(&at);
    }
}

TESTS(test_json_text__plain_and_escaped, test_json_text__no_text, test_json_text__any_bytes,
      test_json_text__the_checker, test_json_text__numbers, test_json_text__commas_where_they_are_due,
      test_json_text__every_fixture, test_json_text__hostile_names, test_json_text__large_numbers)
