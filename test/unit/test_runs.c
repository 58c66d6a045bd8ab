/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of measured runs, as CSV and JSON: what is read, what is refused and where.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../tools/runs.h"
#include "support/test.h"

static bool read_text(struct runs *runs, const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    strcpy(copy, text);
    FILE *file = fmemopen(copy, strlen(text), "rb");
    *runs = (struct runs){0};
    bool is_read = file && runs_read(runs, file);
    if (file)
        (void)fclose(file);
    free(copy);
    return is_read;
}

static void check_problem(const char *text, const char *problem)
{
    struct runs runs;
    CHECK(!read_text(&runs, text));
    CHECK_TEXT(runs.problem, problem);
    runs_free(&runs);
}

static void test_runs__csv(void)
{
    struct runs runs;
    CHECK(read_text(&runs, "\xef\xbb\xbfms,model,who,dims,target\r\n"
                           "1.5,a.onnx,me,batch=1 sequence=2,hexagon:v75\r\n"
                           "\r\n"
                           "2e0,\"b, \"\"c\"\".onnx\",,,\n"
                           "3,d.onnx,,,"));
    CHECK(runs.count == 3 && runs.items[0].ms == 1.5 && runs.items[1].ms == 2 && runs.items[2].ms == 3);
    CHECK_TEXT(runs.items[0].texts[RUN_MODEL], "a.onnx");
    CHECK_TEXT(runs.items[0].texts[RUN_DIMS], "batch=1 sequence=2");
    CHECK_TEXT(runs.items[0].texts[RUN_TARGET], "hexagon:v75");
    CHECK_TEXT(runs.items[1].texts[RUN_MODEL], "b, \"c\".onnx");
    CHECK(!runs.items[1].texts[RUN_TARGET] && !runs.items[0].texts[RUN_PROFILE] && runs.items[1].line == 4);
    runs_free(&runs);
}

static void test_runs__json(void)
{
    struct runs runs;
    CHECK(read_text(&runs, "{\"runs\": [{\"model\": \"a.onnx\", \"ms\": 2, \"dims\": {\"batch\": 1, \"n\": 22}},"
                           "{\"model\": \"b.onnx\", \"profile\": \"p.json\", \"dims\": \"n=3\", \"other\": []}]}"));
    CHECK(runs.count == 2 && runs.items[0].ms == 2 && runs.items[1].ms < 0);
    CHECK_TEXT(runs.items[0].texts[RUN_DIMS], "batch=1 n=22");
    CHECK_TEXT(runs.items[1].texts[RUN_DIMS], "n=3");
    CHECK_TEXT(runs.items[1].texts[RUN_PROFILE], "p.json");
    runs_free(&runs);
}

/* As tables are written that have a row for each run and a column for each member. */
static void test_runs__null_is_absent(void)
{
    struct runs runs;
    CHECK(read_text(&runs, "\xef\xbb\xbf \n{\"runs\": ["
                           "{\"model\": \"a\", \"ms\": 2, \"profile\": null, \"dims\": null},"
                           "{\"model\": \"b\", \"ms\": null, \"profile\": \"p\", \"runtime\": null}]}"));
    CHECK(runs.count == 2 && runs.items[0].ms == 2 && runs.items[1].ms < 0);
    CHECK(!runs.items[0].texts[RUN_PROFILE] && !runs.items[0].texts[RUN_DIMS] && !runs.items[1].texts[RUN_RUNTIME]);
    CHECK_TEXT(runs.items[1].texts[RUN_PROFILE], "p");
    runs_free(&runs);
    check_problem("{\"runs\": [{\"model\": \"a\", \"ms\": null}]}", "line 1: neither ms nor a profile");
}

static void test_runs__refused(void)
{
    static const char no_names[] =
        "line 1: no names of columns: model, ms or profile, and perhaps target, runtime, dims";
    check_problem("  \n", "is empty");
    check_problem("model,ms\n", "has no runs");
    check_problem("a.onnx,1\n", no_names);
    check_problem("model,target\na.onnx,hexagon\n", no_names);
    check_problem("model,ms,ms\n", no_names);
    check_problem("model,ms\na.onnx,0\n", "line 2: ms is no time above 0");
    check_problem("model,ms\na.onnx,-1\n", "line 2: ms is no time above 0");
    check_problem("model,ms\na.onnx,1 ms\n", "line 2: ms is no time above 0");
    check_problem("model,ms\na.onnx,nan\n", "line 2: ms is no time above 0");
    check_problem("model,ms\na.onnx,1e999\n", "line 2: ms is no time above 0");
    check_problem("model,ms\na.onnx\n", "line 2: not as many fields as the first line has");
    check_problem("model,ms\na.onnx,1,2\n", "line 2: not as many fields as the first line has");
    check_problem("model,ms\n\"a.onnx,1\n", "line 2: a quote is not closed");
    check_problem("model,ms\n\"a\"b,1\n", "line 2: a quote is not closed");
    check_problem("model,ms\n,1\n", "line 2: which model?");
    check_problem("model,ms\na.onnx,\n", "line 2: neither ms nor a profile");
    check_problem("{\"runs\": 3}", "no list of runs");
    check_problem("{\"runs\": []}", "has no runs");
    check_problem("{\"runs\": [3]}", "run 1: no object, or ms or dims are no numbers");
    check_problem("{\"runs\": [{\"model\": \"a\", \"ms\": \"1\"}]}", "run 1: no object, or ms or dims are no numbers");
    check_problem("{\"runs\": [{\"model\": \"a\", \"ms\": 1, \"dims\": {\"n\": 1.5}}]}",
                  "run 1: no object, or ms or dims are no numbers");
    check_problem("{\"runs\": [{\"ms\": 1}]}", "line 1: which model?");
    check_problem("{\"runs\": [", "']' expected near end of file");
}

static void test_runs__limits(void)
{
    struct runs runs = {0};
    const char *texts[RUN_MS] = {[RUN_MODEL] = "a"};
    for (uint32_t i = 0; i < MOST_RUNS; i++)
        CHECK(runs_add(&runs, texts, 1, 0));
    CHECK(!runs_add(&runs, texts, 1, 7));
    CHECK_TEXT(runs.problem, "line 7: too many runs");
    runs_free(&runs);
    char *text = malloc(MOST_RUN_LINE + 32);
    strcpy(text, "model,ms\n");
    memset(text + 9, 'x', MOST_RUN_LINE);
    strcpy(text + 9 + MOST_RUN_LINE, ",1\n");
    check_problem(text, "line 2: longer than 65,535 bytes");
    strcpy(text + 9 + MOST_RUN_LINE - 4, ",1\n"); /* as long as goes */
    CHECK(read_text(&runs, text));
    CHECK(runs.count == 1 && strlen(runs.items[0].texts[RUN_MODEL]) == MOST_RUN_LINE - 4);
    runs_free(&runs);
    free(text);
}

static void test_runs__told_from_other_files(void)
{
    CHECK(looks_like_runs("model,ms\na,1\n"));
    CHECK(looks_like_runs("profile,model\n"));
    CHECK(looks_like_runs("\xef\xbb\xbfmodel,ms\n") && looks_like_runs("\xef\xbb\xbf{\"runs\": ["));
    CHECK(looks_like_runs(" {\n \"runs\": [") && !looks_like_runs("{\"nodes\": []}"));
    CHECK(!looks_like_runs("") && !looks_like_runs("[{\"cat\": \"Node\""));
    CHECK(!looks_like_runs("\x08\x07\x12\x07pytorch"));
}

TESTS(test_runs__csv, test_runs__json, test_runs__null_is_absent, test_runs__refused, test_runs__limits,
      test_runs__told_from_other_files)
