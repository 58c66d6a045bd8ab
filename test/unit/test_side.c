/* SPDX-License-Identifier: Apache-2.0
 *
 * What plans said, read again from reports and baselines.
 */
#define _POSIX_C_SOURCE 200809L
#include "../../tools/baseline_words.h"
#include "../../tools/platform.h"
#include "../../tools/side.h"

#include <stdlib.h>
#include <unistd.h>

#include "support/analysis.h"
#include "support/test.h"

static const char list[] = "format 1\ntarget t\nvariant v1\ndefault v1\nop Add MatMul Neg Relu\n";
static const char model[] = "opset 17\ninput x float32[4,4]\ninit w float32[4,4]\nnode m = MatMul(x, w) @first\n"
                            "node e = Erf(m)\nnode r = Relu(e)\nnode z = NonZero(r) @last\noutput z\n";

struct saved {
    struct analysis at;
    npart_record *record;
    char path[64];
};

/* An empty file, and a plan. */
static void open_saved(struct saved *saved)
{
    analysis_open(&saved->at, model, list, NULL, NULL);
    CHECK_INT(npart_record_make(&saved->record, saved->at.plan, NULL, NULL), NPART_OK);
    (void)snprintf(saved->path, sizeof saved->path, "/tmp/npart-side-XXXXXX");
    int file = mkstemp(saved->path);
    CHECK(file >= 0);
    (void)close(file);
}

static void close_saved(struct saved *saved)
{
    (void)remove(saved->path);
    npart_record_free(saved->record);
    analysis_close(&saved->at);
}

static void write_text_to(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    CHECK(file && fputs(text, file) >= 0);
    (void)fclose(file);
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
    struct sides sides = {0};
    char problem[200] = "";
    open_saved(&saved);
    char *json = json_of(saved.at.plan, NULL);
    write_text_to(saved.path, json);
    free(json);
    CHECK(is_saved_report(saved.path));
    CHECK(read_sides(saved.path, &sides, problem, sizeof problem));
    CHECK_TEXT(problem, "");
    CHECK_INT(sides.count, 1);
    const struct npart_side *side = find_side(&sides, NULL, "t:v1", "", NULL);
    CHECK(side && side == find_side(&sides, side->model, "t:v1", NULL, NULL));
    CHECK(!find_side(&sides, NULL, "u", NULL, NULL));
    CHECK_INT(side->listing, NPART_LISTING_ALL);
    CHECK_INT(side->node_count, 4);
    CHECK_TEXT(side->nodes[3].name, "last");
    CHECK_INT(change_between(side, npart_record_side(saved.record)), NPART_CHANGE_NONE);
    free_sides(&sides);
    close_saved(&saved);
}

static void test_side__a_baseline(void)
{
    struct saved saved;
    struct sides sides = {0};
    char problem[200] = "", first[4096], second[4096];
    open_saved(&saved);
    const struct npart_side *side = npart_record_side(saved.record);
    for (int round = 0; round < 2; round++) {
        FILE *file = fopen(saved.path, "w+b");
        char *text = round ? second : first;
        CHECK(file && write_baseline(file, &side, 1));
        rewind(file);
        text[fread(text, 1, sizeof first - 1, file)] = '\0';
        (void)fclose(file);
        CHECK(read_sides(saved.path, &sides, problem, sizeof problem));
        side = &sides.items[0];
        CHECK_INT(side->listing, NPART_LISTING_ALL);
        CHECK_INT(side->node_count, 4);
        CHECK_INT(side->cause_count, 2);
        CHECK_INT(change_between(side, npart_record_side(saved.record)), NPART_CHANGE_NONE);
        if (round == 1)
            CHECK_TEXT(second, first);
    }
    free_sides(&sides);
    close_saved(&saved);
}

/* With the cache all is known, without it what the words say; words of words are the same, but for times. */
static void test_side__words(void)
{
    struct saved saved;
    struct sides sides = {0};
    char problem[200] = "", text[4096], cache[4096];
    open_saved(&saved);
    const struct npart_side *side = npart_record_side(saved.record);
    char *line = make_words(side, BASELINE_VERSION);
    CHECK(line && strchr(line, '\t'));
    (void)snprintf(text, sizeof text, BASELINE_HEAD "3: words\n%s\n", line);
    (void)snprintf(cache, sizeof cache, "%s" BASELINE_CACHE, saved.path);
    write_text_to(saved.path, text);
    CHECK(is_saved_report(saved.path) && read_sides(saved.path, &sides, problem, sizeof problem));
    CHECK_TEXT(problem, "");
    CHECK_INT(sides.count, 1);
    CHECK_INT(sides.items[0].listing, NPART_LISTING_NONE);
    CHECK_INT(sides.items[0].summary.partitions, side->summary.partitions);
    CHECK_INT(sides.items[0].summary.accepted, side->summary.accepted);
    CHECK_INT(sides.items[0].summary.live, side->summary.live);
    CHECK_INT(sides.items[0].summary.verdict, side->summary.verdict);
    CHECK_INT(sides.items[0].cause_count, side->cause_count);
    CHECK_TEXT(sides.items[0].causes[0].rule, side->causes[0].rule);
    CHECK_TEXT(sides.items[0].causes[0].text, side->causes[0].text);
    CHECK_TEXT(line_of_side(&sides, &sides.items[0]), line);
    free_sides(&sides);
    FILE *file = fopen(cache, "wb");
    CHECK(file && write_baseline(file, &side, 1));
    (void)fclose(file);
    CHECK(read_sides(saved.path, &sides, problem, sizeof problem));
    CHECK_INT(sides.items[0].listing, NPART_LISTING_ALL);
    CHECK_INT(change_between(&sides.items[0], side), NPART_CHANGE_NONE);
    free_sides(&sides);
    text[strlen(text) - 2] ^= 1; /* words that were changed by hand count before the cache */
    write_text_to(saved.path, text);
    CHECK(read_sides(saved.path, &sides, problem, sizeof problem));
    CHECK_INT(sides.items[0].listing, NPART_LISTING_NONE);
    free_sides(&sides);
    static const char *const wrong[] = {"#\nx\n", "#\na\tb\tc\tsplit, x partitions\tstructure 0\n",
                                        "# npu-partition baseline 4\n", "#\n\"a\tb\tc\tsplit, 1 partition\t\n"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        write_text_to(saved.path, wrong[i]);
        CHECK(!read_sides(saved.path, &sides, problem, sizeof problem));
        free_sides(&sides);
    }
    (void)remove(cache);
    free(line);
    close_saved(&saved);
}

#define LINE(figures) "m\tt:v1\tsdk 1\t" figures "\tstructure 0123456789abcdef"

static void check_line(const char *line, uint64_t macs, double ms, double whole_ms, uint32_t limits)
{
    struct sides sides = {0};
    CHECK(add_words(&sides, line));
    CHECK_INT(sides.count, 1);
    const struct npart_side *side = &sides.items[0];
    CHECK_INT(side->summary.has_macs ? side->summary.macs : UINT64_MAX, macs);
    CHECK(side->cost.typical_ms == ms && side->npu_whole.typical_ms == whole_ms);
    CHECK_INT(side->limits, limits);
    free_sides(&sides);
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
    CHECK_INT(version_of_words(LINE("split, 1 partition, 1 of 1 node taken, 75.00 % of MACs")), 2);
    CHECK_INT(version_of_words("1 % of MACs\t" LINE("split, 1 partition, 1 of 1 node taken, no MACs")), 3);
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
    struct sides sides = {0};
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++)
        CHECK(!add_words(&sides, lines[i]));
    CHECK(add_words(&sides, LINE("split, 2 partitions, 3 of 4 nodes taken") "\t1 node, op r: t\tand 3 more"));
    CHECK_INT(sides.items[sides.count - 1].cause_count, 1);
    free_sides(&sides);
}

static void test_side__what_is_none(void)
{
    static const char *const texts[] = {"{", "{}", "{\"targets\":[],\"model\":3}", "[]",
                                        "{\"model\":{},\"targets\":[{}]}",
                                        "{\"model\":{},\"targets\":[{\"target\":\"t\",\"summary\":{},\"left\":[3]}]}"};
    struct saved saved;
    open_saved(&saved);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct sides sides = {0};
        char problem[200] = "";
        write_text_to(saved.path, texts[i]);
        CHECK(!read_sides(saved.path, &sides, problem, sizeof problem));
        CHECK(*problem);
        free_sides(&sides);
    }
    CHECK(!is_saved_report("/nowhere"));
    close_saved(&saved);
}

/* Two toolchains of "t:v1", one of "t:v2+float", which the file has twice, and of another model one of "t:v1". */
static void test_side__which_one(void)
{
    struct npart_side items[] = {
        {.model = "m", .target = "t:v1", .toolchain = "sdk 1"},
        {.model = "m", .target = "t:v1", .toolchain = "sdk 2"},
        {.model = "m", .target = "t:v2+float", .toolchain = ""},
        {.model = "m", .target = "t:v2+float", .toolchain = ""},
        {.model = "n", .target = "t:v1", .toolchain = "sdk 1"},
    };
    const struct sides sides = {.items = items, .count = sizeof items / sizeof items[0]};
    bool are_several;
    CHECK(find_side(&sides, "m", "t:v1", "sdk 1", &are_several) == &items[0] && !are_several);
    CHECK(find_side(&sides, "m", "t:v1", "sdk 2", NULL) == &items[1]);
    CHECK(!find_side(&sides, "m", "t:v1", "sdk 3", &are_several) && are_several);
    CHECK(!find_side(&sides, "m", "t:v1", NULL, NULL));
    CHECK(find_side(&sides, "n", "t:v1", "sdk 2", NULL) == &items[4]);
    CHECK(find_side(&sides, "n", "t:v1", NULL, NULL) == &items[4]);
    CHECK(find_side(&sides, "m", "t:v2+float", "sdk 9", NULL) == &items[2]);
    CHECK(!find_side(&sides, "m", "t:v2", "", &are_several) && !are_several);
    CHECK(!find_side(&sides, "m", "t", "sdk 1", NULL));
    CHECK(find_meant_side(&sides, "m", "t:v2", &are_several) == &items[2] && !are_several);
    CHECK(find_meant_side(&sides, "m", "t:v1@2", &are_several) == &items[1] && !are_several);
    CHECK(find_meant_side(&sides, "m", "t:v1@sdk 1", &are_several) == &items[0] && !are_several);
    CHECK(find_meant_side(&sides, "m", "t@2", &are_several) == &items[1] && !are_several);
    CHECK(!find_meant_side(&sides, "m", "t:v1", &are_several) && are_several);
    CHECK(!find_meant_side(&sides, "m", "t", &are_several) && are_several);
    CHECK(!find_meant_side(&sides, "m", "t:v", &are_several) && !are_several);
    CHECK(find_meant_side(&sides, "n", "t", &are_several) == &items[4] && !are_several);
}

static void read_one(struct saved *saved, struct sides *sides, const char *text)
{
    char problem[200] = "";
    *sides = (struct sides){0};
    write_text_to(saved->path, text);
    CHECK(read_sides(saved->path, sides, problem, sizeof problem));
    CHECK_TEXT(problem, "");
    CHECK_INT(sides->count, 1);
}

/* Up to the first schema the cost was another one; a baseline has no schema. */
static void test_side__versions(void)
{
#define REPORT(version)                                                                                                \
    "{" version "\"model\":{},\"targets\":[{\"target\":\"t\",\"summary\":{},\"cost\":{\"typical_ms\":3}}]}"
    static const char *const later[] = {REPORT("\"schema\":3,"), REPORT("\"baseline\":3,")};
    struct saved saved;
    struct sides sides;
    open_saved(&saved);
    read_one(&saved, &sides, REPORT("\"schema\":2,"));
    CHECK(sides.items[0].cost.typical_ms == 3);
    free_sides(&sides);
    read_one(&saved, &sides, REPORT("\"baseline\":1,"));
    CHECK(sides.items[0].cost.typical_ms == 3);
    free_sides(&sides);
    read_one(&saved, &sides, REPORT("\"schema\":1,"));
    CHECK(sides.items[0].cost.typical_ms == -1);
    free_sides(&sides);
    for (size_t i = 0; i < sizeof later / sizeof later[0]; i++) {
        char problem[200] = "";
        write_text_to(saved.path, later[i]);
        CHECK(!read_sides(saved.path, &sides, problem, sizeof problem));
        CHECK(strstr(problem, "made by a later version"));
        free_sides(&sides);
    }
    close_saved(&saved);
#undef REPORT
}

/* A file that begins at an address nobody has, where there is such a thing. */
static void test_side__a_mistake_is_no_end(void)
{
    struct sides sides = {0};
    char problem[200] = "";
    CHECK(!read_sides("/proc/self/mem", &sides, problem, sizeof problem));
    CHECK(*problem);
    free_sides(&sides);
}

static void test_side__paths_in_a_baseline(void)
{
    static const char *const pairs[][2] = {{"m.onnx", "m.onnx"}, {"\xc3\xa9\x1f", "\xc3\xa9\x1f"},
                                           {"a\xff", "a\\xff"}, {"a\xfe", "a\\xfe"}, {"", ""}};
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        char *path = baseline_path(pairs[i][0]);
        CHECK_TEXT(path, pairs[i][1]);
        free(path);
    }
}

/* A hole, and a report past what a `long` of 32 bits counts to. */
static void test_side__places_past_two_gib(void)
{
    const int64_t hole = (int64_t)3 << 30;
    struct saved saved;
    open_saved(&saved);
    FILE *file = open_file(saved.path, "wb");
    CHECK(file && seek_stream(file, hole) && fputs("{}", file) != EOF);
    CHECK(file && stream_offset(file) == hole + 2 && fclose(file) == 0);
    file = open_file(saved.path, "rb");
    CHECK(file && seek_stream(file, hole) && fgetc(file) == '{' && stream_offset(file) == hole + 1);
    CHECK(file && !seek_stream(file, -1) && fclose(file) == 0);
    close_saved(&saved);
}

TESTS(test_side__a_report, test_side__a_baseline, test_side__words, test_side__figures_of_a_line, test_side__no_line,
      test_side__what_is_none, test_side__which_one,
      test_side__versions, test_side__a_mistake_is_no_end, test_side__paths_in_a_baseline,
      test_side__places_past_two_gib)
