/* SPDX-License-Identifier: Apache-2.0
 *
 * What plans said, read again from reports and baselines.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/stream.h"
#include "gate/gate.h"
#include "support/analysis.h"
#include "support/counted.h"
#include "support/test.h"

static const char list[] = "format 1\ntarget t\nvariant v1\ndefault v1\nop Add MatMul Neg Relu\n";
static const char model[] = "opset 17\ninput x float32[4,4]\ninit w float32[4,4]\nnode m = MatMul(x, w) @first\n"
                            "node e = Erf(m)\nnode r = Relu(e)\nnode z = NonZero(r) @last\noutput z\n";

/* A plan, and what it says. */
struct saved {
    struct analysis at;
    npart_record *record;
};

static void open_saved(struct saved *saved)
{
    analysis_open(&saved->at, model, list, NULL, NULL);
    CHECK_INT(npart_record_make(&saved->record, saved->at.plan, NULL, NULL), NPART_OK);
}

static void close_saved(struct saved *saved)
{
    npart_record_free(saved->record);
    analysis_close(&saved->at);
}

/* What was read of a text, and why it could not be. */
struct sides {
    npart_sides *read;
    const struct npart_side *items;
    uint32_t count;
    char problem[400];
};

/* `cache` may be NULL. */
static bool read_with(struct sides *out, const char *text, const char *cache)
{
    struct npart__text_stream input = {text, strlen(text)}, cached = {cache, cache ? strlen(cache) : 0};
    struct npart_sides_options options = NPART_SIDES_OPTIONS_INIT;
    struct npart_error error = {.message = ""};
    *out = (struct sides){0};
    options.read_cache = cache ? npart__read_text : NULL;
    options.cache_payload = &cached;
    options.cache_problem = "is missing";
    npart_status status = npart_sides_read(&out->read, npart__read_text, &input, &options, &error);
    (void)snprintf(out->problem, sizeof out->problem, "%s", error.message);
    out->items = npart_sides_all(out->read, &out->count);
    CHECK(status == NPART_OK || (!out->read && *out->problem));
    return status == NPART_OK;
}

static void free_sides(struct sides *sides)
{
    npart_sides_free(sides->read);
}

/* What is written without an end; to be freed. */
static char *text_of_buffer(struct npart__arena *arena, struct npart__buffer *out)
{
    const char *made = npart__made_text(out);
    char *text = malloc(out->size + 1);
    REQUIRE(made && text);
    memcpy(text, made, out->size + 1);
    npart__arena_clear(arena);
    return text;
}

static char *line_of(const struct npart_side *side)
{
    struct npart__arena arena;
    struct npart__buffer out;
    npart__arena_init(&arena, NULL);
    npart__buffer_init(&out, &arena);
    npart__put_baseline_line(&out, side, NPART_BASELINE_VERSION);
    return text_of_buffer(&arena, &out);
}

static char *cache_of(const struct npart_side *side)
{
    struct npart__arena arena;
    struct npart__buffer out;
    npart__arena_init(&arena, NULL);
    npart__buffer_init(&out, &arena);
    npart__put_baseline_cache(&out, &side, 1);
    return text_of_buffer(&arena, &out);
}

static enum npart_change change_between(const struct npart_side *before, const struct npart_side *after)
{
    struct npart_diff_info info = {.size = sizeof info, .change = NPART_CHANGE_WORSE};
    npart_diff *diff = NULL;
    CHECK_INT(npart_diff_make(&diff, before, after, NULL, NULL), NPART_OK);
    CHECK(npart_diff_info(diff, &info));
    npart_diff_free(diff);
    return info.change;
}

static void test_side__a_report(void)
{
    struct saved saved;
    struct sides sides;
    uint64_t begin = 9, end = 9;
    open_saved(&saved);
    char *json = json_of(saved.at.plan, NULL);
    CHECK(read_with(&sides, json, NULL));
    CHECK_TEXT(sides.problem, "");
    CHECK_INT(sides.count, 1);
    const struct npart_side *side = npart_sides_find(sides.read, NULL, "t:v1", "", NULL);
    CHECK(side && side == npart_sides_find(sides.read, side->model, "t:v1", NULL, NULL));
    CHECK(!npart_sides_find(sides.read, NULL, "u", NULL, NULL));
    CHECK_INT(side->listing, NPART_LISTING_ALL);
    CHECK_INT(side->node_count, 4);
    CHECK_TEXT(side->nodes[3].name, "last");
    CHECK_INT(change_between(side, npart_record_side(saved.record)), NPART_CHANGE_NONE);
    CHECK(npart_sides_is_report(sides.read, side) && !npart_sides_line(sides.read, side));
    CHECK(npart_sides_place(sides.read, side, &begin, &end) && begin == 0 && end == strlen(json) - 1);
    CHECK(!npart_sides_place(sides.read, npart_record_side(saved.record), &begin, &end));
    free(json);
    free_sides(&sides);
    close_saved(&saved);
}

static void test_side__a_baseline(void)
{
    struct saved saved;
    struct sides sides;
    open_saved(&saved);
    char *first = cache_of(npart_record_side(saved.record));
    CHECK(read_with(&sides, first, NULL));
    CHECK_INT(sides.items[0].listing, NPART_LISTING_ALL);
    CHECK_INT(sides.items[0].node_count, 4);
    CHECK_INT(sides.items[0].cause_count, 2);
    CHECK_INT(change_between(&sides.items[0], npart_record_side(saved.record)), NPART_CHANGE_NONE);
    char *second = cache_of(&sides.items[0]);
    CHECK_TEXT(second, first);
    CHECK(!npart_sides_is_report(sides.read, &sides.items[0]));
    free(first);
    free(second);
    free_sides(&sides);
    close_saved(&saved);
}

/* With the cache all is known, without it what the words say; words of words are the same, but for times. */
static void test_side__words(void)
{
    struct saved saved;
    struct sides sides;
    char text[4096];
    open_saved(&saved);
    const struct npart_side *side = npart_record_side(saved.record);
    char *line = line_of(side), *cache = cache_of(side);
    (void)snprintf(text, sizeof text, NPART_BASELINE_HEAD "3: words\n%s\n", line);
    CHECK(strchr(line, '\t') && read_with(&sides, text, NULL));
    CHECK_INT(sides.count, 1);
    CHECK_INT(sides.items[0].listing, NPART_LISTING_NONE);
    CHECK_INT(sides.items[0].summary.partitions, side->summary.partitions);
    CHECK_INT(sides.items[0].summary.accepted, side->summary.accepted);
    CHECK_INT(sides.items[0].summary.live, side->summary.live);
    CHECK_INT(sides.items[0].summary.verdict, side->summary.verdict);
    CHECK_INT(sides.items[0].cause_count, side->cause_count);
    CHECK_TEXT(sides.items[0].causes[0].rule, side->causes[0].rule);
    CHECK_TEXT(sides.items[0].causes[0].text, side->causes[0].text);
    CHECK_TEXT(npart_sides_line(sides.read, &sides.items[0]), line);
    CHECK_TEXT(npart_sides_note(sides.read), ".cache is missing: figures and causes are compared, no nodes");
    free_sides(&sides);
    CHECK(read_with(&sides, text, cache));
    CHECK_INT(sides.items[0].listing, NPART_LISTING_ALL);
    CHECK_INT(change_between(&sides.items[0], side), NPART_CHANGE_NONE);
    CHECK_TEXT(npart_sides_note(sides.read), "");
    free_sides(&sides);
    text[strlen(text) - 2] ^= 1; /* words that were changed by hand count before the cache */
    CHECK(read_with(&sides, text, cache));
    CHECK_INT(sides.items[0].listing, NPART_LISTING_NONE);
    CHECK_TEXT(npart_sides_note(sides.read),
               ".cache has no entry for 1 of 1 lines: figures and causes are compared, no nodes");
    free_sides(&sides);
    static const char *const wrong[] = {"#\nx\n", "#\na\tb\tc\tsplit, x partitions\tstructure 0\n",
                                        "# npu-partition baseline 4\n", "#\n\"a\tb\tc\tsplit, 1 partition\t\n",
                                        NPART_BASELINE_HEAD "3\nno line\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        CHECK(!read_with(&sides, wrong[i], NULL));
    free(cache);
    free(line);
    close_saved(&saved);
}

/* A plan that lost a node beside what it was. */
static void test_side__worse(void)
{
    static const char later[] = "opset 17\ninput x float32[4,4]\ninit w float32[4,4]\nnode m = MatMul(x, w) @first\n"
                                "node e = Erf(m)\nnode r = Erf(e)\nnode z = NonZero(r) @last\noutput z\n";
    struct saved saved;
    struct sides sides;
    struct analysis now;
    npart_record *record = NULL;
    struct npart_compared compared = {.size = sizeof compared};
    open_saved(&saved);
    analysis_open(&now, later, list, NULL, NULL);
    REQUIRE(npart_record_make(&record, now.plan, NULL, NULL) == NPART_OK);
    char *cache = cache_of(npart_record_side(saved.record));
    CHECK(read_with(&sides, cache, NULL));
    const struct npart_side *same = npart_record_side(saved.record);
    CHECK(npart_sides_compare(sides.read, &sides.items[0], same, &compared, NULL) == NPART_OK);
    CHECK(compared.is_known && !compared.is_worse && compared.is_same);
    CHECK_TEXT(compared.text, "no worse than the baseline");
    CHECK(npart_sides_compare(sides.read, &sides.items[0], npart_record_side(record), &compared, NULL) == NPART_OK);
    CHECK(compared.is_worse && strncmp(compared.text, NPART_WORSE, sizeof NPART_WORSE - 1) == 0);
    CHECK_TEXT(compared.changed, "Relu -> Erf (node 2): NPU -> CPU");
    compared.size = 1;
    CHECK(npart_sides_compare(sides.read, &sides.items[0], npart_record_side(record), &compared, NULL) ==
          NPART_ERROR_ARGUMENT);
    free(cache);
    free_sides(&sides);
    npart_record_free(record);
    analysis_close(&now);
    close_saved(&saved);
}

/* Each allocation fails once. */
static void test_side__memory_ends(void)
{
    struct saved saved;
    char text[4096];
    bool is_read = false;
    open_saved(&saved);
    char *line = line_of(npart_record_side(saved.record)), *cache = cache_of(npart_record_side(saved.record));
    (void)snprintf(text, sizeof text, NPART_BASELINE_HEAD "3\n%s\n\"m\"%s\n", line, strchr(line, '\t'));
    for (size_t n = 1; !is_read && n < 10000; n++) {
        struct npart__text_stream input = {text, strlen(text)}, cached = {cache, strlen(cache)};
        struct npart_sides_options options = NPART_SIDES_OPTIONS_INIT;
        struct counted counted;
        npart_sides *sides = NULL;
        counted_init(&counted, true);
        counted.fail_at = n;
        options.allocator = &counted.allocator;
        options.read_cache = npart__read_text;
        options.cache_payload = &cached;
        npart_status status = npart_sides_read(&sides, npart__read_text, &input, &options, NULL);
        is_read = status == NPART_OK;
        CHECK(is_read || status == NPART_ERROR_MEMORY);
        npart_sides_free(sides);
        CHECK_INT(counted.live_blocks, 0);
    }
    CHECK(is_read);
    free(line);
    free(cache);
    close_saved(&saved);
}

#define LINE(figures) "m\tt:v1\tsdk 1\t" figures "\tstructure 0123456789abcdef"

static void check_line(const char *line, uint64_t macs, double ms, double whole_ms, uint32_t limits)
{
    npart_sides *sides = NULL;
    uint32_t count = 0;
    CHECK(npart_sides_of_line(&sides, line, NULL, NULL) == NPART_OK);
    const struct npart_side *side = npart_sides_all(sides, &count);
    CHECK_INT(count, 1);
    CHECK_INT(side->summary.has_macs ? side->summary.macs : UINT64_MAX, macs);
    CHECK(side->cost.typical_ms == ms && side->npu_whole.typical_ms == whole_ms);
    CHECK_INT(side->limits, limits);
    npart_sides_free(sides);
}

static void test_side__figures_of_a_line(void)
{
    check_line(LINE("split, 2 partitions, 3 of 4 nodes taken"), UINT64_MAX, -1, -1, 0);
    check_line(LINE("split, 1 partition, 1 of 1 node taken, no MACs, 1.250 ms"), 0, 1.25, 1.25, 0);
    check_line(LINE("split, 2 partitions, 3 of 4 nodes taken, 75.00 % of 4000 MACs, 2.500 ms, 1.250 ms if whole"), 4000,
               2.5, 1.25, 0);
    check_line(LINE("none, 0 partitions, 0 of 4 nodes taken, 2 memory limits passed, 1.000 ms, unknown if whole"),
               UINT64_MAX, 1, -1, 2);
    check_line(LINE("split, 2 partitions, 3 of 4 nodes taken, 75.00 % of MACs, 2.500 ms"), 10000, 2.5, 2.5, 0);
    CHECK_INT(npart__baseline_line_version(LINE("split, 1 partition, 1 of 1 node taken, 75.00 % of MACs")), 2);
    CHECK_INT(npart__baseline_line_version("1 % of MACs\t" LINE("split, 1 partition, 1 of 1 node taken, no MACs")), 3);
}

/* What nobody could have written, or nobody can see. */
static void test_side__no_line(void)
{
    static const char *const lines[] = {
        LINE("split, 2 partitions"), LINE("apart, 2 partitions, 3 of 4 nodes taken"), LINE(""),
        LINE("split, 2 partitions, 5 of 4 nodes taken"), LINE("split, 2 apples, 3 of 4 nodes taken"),
        LINE("split, 4294967295 partitions, 3 of 4 nodes taken"), LINE("split, 2 partitions, 3 of 4 nodes taken, "),
        LINE("split, 2 partitions, 3 of 4 nodes taken, 175.00 % of 4000 MACs"),
        LINE("split, 2 partitions, 3 of 4 nodes taken, 75.0 % of 4000 MACs"),
        LINE("split, 2 partitions, 3 of 4 nodes taken, 75.00 % of 0 MACs"),
        LINE("split, 2 partitions, 3 of 4 nodes taken, 2.50 ms"),
        LINE("split, 2 partitions, 3 of 4 nodes taken") "0",
        LINE("split, 2 partitions, 3 of 4 nodes taken") "\tno cause",
        LINE("split, 2 partitions, 3 of 4 nodes taken") "\tand 3 more\t1 node, op r: t",
        "m\xe2\x80\xae\tt\tsdk\tsplit, 2 partitions, 3 of 4 nodes taken\tstructure 0123456789abcdef",
        "\"m\tt\tsdk\tsplit, 2 partitions, 3 of 4 nodes taken\tstructure 0123456789abcdef",
    };
    npart_sides *sides = NULL;
    uint32_t count;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        CHECK(npart_sides_of_line(&sides, lines[i], NULL, NULL) == NPART_ERROR_MALFORMED && !sides);
    CHECK(npart_sides_of_line(&sides,
                              LINE("split, 2 partitions, 3 of 4 nodes taken") "\t1 node, op r: t\tand 3 more", NULL,
                              NULL) == NPART_OK);
    CHECK_INT(npart_sides_all(sides, &count)->cause_count, 1);
    npart_sides_free(sides);
}

static void test_side__what_is_none(void)
{
    static const char *const texts[] = {"{", "{}", "{\"targets\":[],\"model\":3}", "[]",
                                        "{\"model\":{},\"targets\":[{}]}",
                                        "{\"model\":{},\"targets\":[{\"target\":\"t\",\"summary\":{},\"left\":[3]}]}"};
    struct sides sides;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        CHECK(!read_with(&sides, texts[i], NULL));
}

static void check_plans(const npart_sides *sides, const char *of, const char *wanted)
{
    char found[200] = "", text[64];
    uint32_t at = 0;
    while (npart_sides_plan(sides, of, &at, text, sizeof text))
        strcat(strcat(found, text), ";");
    CHECK_TEXT(found, wanted);
}

static void check_model(const npart_sides *sides, const char *asked, bool is_meant, const char *wanted)
{
    const char *found = "";
    CHECK(npart_sides_model(sides, asked, &found) == is_meant);
    CHECK(wanted ? found && strcmp(found, wanted) == 0 : !found);
}

/* Two toolchains of "t:v1", one of "t:v2+float", which the file has twice, and of another model one of "t:v1". */
static void test_side__which_one(void)
{
#define TARGET(name, toolchain)                                                                                        \
    "{\"target\":\"t\",\"name\":\"" name "\",\"toolchain\":\"" toolchain "\",\"summary\":{}}"
#define MODEL(name, targets) "{\"schema\":2,\"model\":{\"path\":\"" name "\"},\"targets\":[" targets "]}\n"
    struct sides sides;
    CHECK(read_with(&sides,
                    MODEL("m", TARGET("t:v1", "sdk 1") "," TARGET("t:v1", "sdk 2") "," TARGET("t:v2+float", "") ","
                          TARGET("t:v2+float", "")) MODEL("n", TARGET("t:v1", "sdk 1")), NULL));
    const struct npart_side *items = sides.items;
    CHECK_INT(sides.count, 5);
    bool are_several;
    CHECK(npart_sides_find(sides.read, "m", "t:v1", "sdk 1", &are_several) == &items[0] && !are_several);
    CHECK(npart_sides_find(sides.read, "m", "t:v1", "sdk 2", NULL) == &items[1]);
    CHECK(!npart_sides_find(sides.read, "m", "t:v1", "sdk 3", &are_several) && are_several);
    CHECK(!npart_sides_find(sides.read, "m", "t:v1", NULL, NULL));
    CHECK(npart_sides_find(sides.read, "n", "t:v1", "sdk 2", NULL) == &items[4]);
    CHECK(npart_sides_find(sides.read, "n", "t:v1", NULL, NULL) == &items[4]);
    CHECK(npart_sides_find(sides.read, "m", "t:v2+float", "sdk 9", NULL) == &items[2]);
    CHECK(!npart_sides_find(sides.read, "m", "t:v2", "", &are_several) && !are_several);
    CHECK(!npart_sides_find(sides.read, "m", "t", "sdk 1", NULL));
    CHECK(npart_sides_find_meant(sides.read, "m", "t:v2", &are_several) == &items[2] && !are_several);
    CHECK(npart_sides_find_meant(sides.read, "m", "t:v1@2", &are_several) == &items[1] && !are_several);
    CHECK(npart_sides_find_meant(sides.read, "m", "t:v1@sdk 1", &are_several) == &items[0] && !are_several);
    CHECK(npart_sides_find_meant(sides.read, "m", "t@2", &are_several) == &items[1] && !are_several);
    CHECK(!npart_sides_find_meant(sides.read, "m", "t:v1", &are_several) && are_several);
    CHECK(!npart_sides_find_meant(sides.read, "m", "t", &are_several) && are_several);
    CHECK(!npart_sides_find_meant(sides.read, "m", "t:v", &are_several) && !are_several);
    CHECK(npart_sides_find_meant(sides.read, "n", "t", &are_several) == &items[4] && !are_several);
    check_plans(sides.read, "m", "t:v1@sdk 1;t:v1@sdk 2;t:v2+float;");
    check_plans(sides.read, "n", "t:v1;");
    check_plans(sides.read, "none", "");
    CHECK(npart_sides_find_same(sides.read, "m", sides.read, "n", &items[4]) == &items[0]);
    CHECK(npart_sides_find_same(sides.read, "n", sides.read, "m", &items[0]) == &items[4]);
    CHECK(!npart_sides_find_same(sides.read, "n", sides.read, "m", &items[1])); /* which is of another toolchain */
    CHECK(!npart_sides_find_same(sides.read, "n", sides.read, "m", NULL));
    check_model(sides.read, NULL, false, NULL);
    check_model(sides.read, "n", true, "n");
    check_model(sides.read, "zoo/n", true, "n");
    check_model(sides.read, "zoo/o", false, NULL);
    free_sides(&sides);
    CHECK(read_with(&sides, MODEL("a/m", TARGET("t", "")) MODEL("b/m", TARGET("t", "")), NULL));
    check_model(sides.read, "b/m", true, "b/m");
    check_model(sides.read, "m", false, NULL);
    free_sides(&sides);
    CHECK(read_with(&sides, MODEL("m", TARGET("t", "")), NULL));
    check_model(sides.read, "other", true, NULL);
    check_model(sides.read, NULL, true, NULL);
    free_sides(&sides);
    check_model(NULL, "m", false, NULL);
}

static void read_one(struct sides *sides, const char *text)
{
    CHECK(read_with(sides, text, NULL));
    CHECK_INT(sides->count, 1);
}

/* Up to the first schema the cost was another one; a baseline has no schema. */
static void test_side__versions(void)
{
#define REPORT(version)                                                                                                \
    "{" version "\"model\":{},\"targets\":[{\"target\":\"t\",\"summary\":{},\"cost\":{\"typical_ms\":3}}]}"
    static const char *const later[] = {REPORT("\"schema\":3,"), REPORT("\"baseline\":3,")};
    struct sides sides;
    read_one(&sides, REPORT("\"schema\":2,"));
    CHECK(sides.items[0].cost.typical_ms == 3);
    free_sides(&sides);
    read_one(&sides, REPORT("\"baseline\":1,"));
    CHECK(sides.items[0].cost.typical_ms == 3);
    free_sides(&sides);
    read_one(&sides, REPORT("\"schema\":1,"));
    CHECK(sides.items[0].cost.typical_ms == -1);
    free_sides(&sides);
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
        CHECK(!read_with(&sides, later[i], NULL));
        CHECK(strstr(sides.problem, "made by a later version"));
    }
#undef REPORT
}

static ptrdiff_t fail_to_read(void *payload, void *into, size_t bytes)
{
    (void)payload;
    (void)into;
    (void)bytes;
    return -1;
}

static void test_side__a_mistake_is_no_end(void)
{
    npart_sides *sides = NULL;
    CHECK(npart_sides_read(&sides, fail_to_read, NULL, NULL, NULL) == NPART_ERROR_READ && !sides);
}

static void test_side__paths_in_a_baseline(void)
{
    static const char *const pairs[][2] = {{"m.onnx", "m.onnx"}, {"\xc3\xa9\x1f", "\xc3\xa9\x1f"},
                                           {"a\xff", "a\\xff"}, {"a\xfe", "a\\xfe"}, {"", ""}};
    struct npart__arena arena;
    npart__arena_init(&arena, NULL);
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++)
        CHECK_TEXT(npart__as_utf8(pairs[i][0], &arena), pairs[i][1]);
    npart__arena_clear(&arena);
}

TESTS(test_side__a_report, test_side__a_baseline, test_side__words, test_side__figures_of_a_line, test_side__no_line,
      test_side__worse, test_side__memory_ends, test_side__what_is_none, test_side__which_one, test_side__versions,
      test_side__a_mistake_is_no_end, test_side__paths_in_a_baseline)
