/* SPDX-License-Identifier: Apache-2.0
 *
 * Tables of measured runs, as CSV and JSON: what is read, what is refused and where.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/stream.h"
#include "npu_partition/runs.h"
#include "support/test.h"

static char problem[sizeof ((struct npart_error *)NULL)->message];

static bool read_text(npart_run_table **out, const char *text)
{
    struct npart__text_stream input = {text, strlen(text)};
    struct npart_error error;
    *out = NULL;
    npart_status status = npart_run_table_read(out, npart__read_text, &input, NULL, &error);
    (void)snprintf(problem, sizeof problem, "%s", status == NPART_OK ? "" : error.message);
    return status == NPART_OK;
}

static void check_problem(const char *text, const char *wanted)
{
    npart_run_table *runs;
    CHECK(!read_text(&runs, text));
    CHECK_TEXT(problem, wanted);
}

static struct npart_measured_run row_of(const npart_run_table *table, uint32_t index)
{
    struct npart_measured_run row = {.size = sizeof row};
    REQUIRE(npart_run_table_row(table, index, &row));
    return row;
}

static uint32_t count_of(const npart_run_table *table)
{
    struct npart_measured_run row = {.size = sizeof row};
    uint32_t count = 0;
    while (npart_run_table_row(table, count, &row))
        count++;
    return count;
}

static void test_runs__csv(void)
{
    npart_run_table *runs;
    CHECK(read_text(&runs, "\xef\xbb\xbfms,model,who,dims,target\r\n"
                           "1.5,a.onnx,me,batch=1 sequence=2,hexagon:v75\r\n"
                           "\r\n"
                           "2e0,\"b, \"\"c\"\".onnx\",,,\n"
                           "3,d.onnx,,,"));
    CHECK(count_of(runs) == 3 && row_of(runs, 0).ms == 1.5 && row_of(runs, 1).ms == 2 && row_of(runs, 2).ms == 3);
    CHECK_TEXT(row_of(runs, 0).model, "a.onnx");
    CHECK_TEXT(row_of(runs, 0).dims, "batch=1 sequence=2");
    CHECK_TEXT(row_of(runs, 0).target, "hexagon:v75");
    CHECK_TEXT(row_of(runs, 1).model, "b, \"c\".onnx");
    CHECK(!row_of(runs, 1).target && !row_of(runs, 0).profile && row_of(runs, 1).line == 4);
    npart_run_table_free(runs);
}

static void test_runs__json(void)
{
    npart_run_table *runs;
    CHECK(read_text(&runs, "{\"runs\": [{\"model\": \"a.onnx\", \"ms\": 2, \"dims\": {\"batch\": 1, \"n\": 22}},"
                           "{\"model\": \"b.onnx\", \"profile\": \"p.json\", \"dims\": \"n=3\", \"other\": []}]}"));
    CHECK(count_of(runs) == 2 && row_of(runs, 0).ms == 2 && row_of(runs, 1).ms < 0);
    CHECK_TEXT(row_of(runs, 0).dims, "batch=1 n=22");
    CHECK_TEXT(row_of(runs, 1).dims, "n=3");
    CHECK_TEXT(row_of(runs, 1).profile, "p.json");
    npart_run_table_free(runs);
}

/* As tables are written that have a row for each run and a column for each member. */
static void test_runs__null_is_absent(void)
{
    npart_run_table *runs;
    CHECK(read_text(&runs, "\xef\xbb\xbf \n{\"runs\": ["
                           "{\"model\": \"a\", \"ms\": 2, \"profile\": null, \"dims\": null},"
                           "{\"model\": \"b\", \"ms\": null, \"profile\": \"p\", \"runtime\": null}]}"));
    CHECK(count_of(runs) == 2 && row_of(runs, 0).ms == 2 && row_of(runs, 1).ms < 0);
    CHECK(!row_of(runs, 0).profile && !row_of(runs, 0).dims && !row_of(runs, 1).runtime);
    CHECK_TEXT(row_of(runs, 1).profile, "p");
    npart_run_table_free(runs);
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
    npart_run_table *runs;
    static const char row[] = "a,1\n";
    char *rows = malloc(16 + sizeof row * (NPART_MOST_RUN_ROWS + 1)), *to = rows;
    to += sprintf(to, "model,ms\n");
    for (uint32_t i = 0; i < NPART_MOST_RUN_ROWS; i++)
        to += sprintf(to, "%s", row);
    CHECK(read_text(&runs, rows));
    CHECK_INT(count_of(runs), NPART_MOST_RUN_ROWS);
    npart_run_table_free(runs);
    (void)sprintf(to, "%s", row);
    check_problem(rows, "line 4098: too many runs");
    free(rows);
    char *text = malloc(NPART_MOST_RUN_LINE + 32);
    strcpy(text, "model,ms\n");
    memset(text + 9, 'x', NPART_MOST_RUN_LINE);
    strcpy(text + 9 + NPART_MOST_RUN_LINE, ",1\n");
    check_problem(text, "line 2: longer than 65,535 bytes");
    strcpy(text + 9 + NPART_MOST_RUN_LINE - 4, ",1\n"); /* as long as goes */
    CHECK(read_text(&runs, text));
    CHECK(count_of(runs) == 1 && strlen(row_of(runs, 0).model) == NPART_MOST_RUN_LINE - 4);
    npart_run_table_free(runs);
    free(text);
}

static void test_runs__told_from_other_files(void)
{
    CHECK(npart_run_table_begins("model,ms\na,1\n"));
    CHECK(npart_run_table_begins("profile,model\n"));
    CHECK(npart_run_table_begins("\xef\xbb\xbfmodel,ms\n") && npart_run_table_begins("\xef\xbb\xbf{\"runs\": ["));
    CHECK(npart_run_table_begins(" {\n \"runs\": [") && !npart_run_table_begins("{\"nodes\": []}"));
    CHECK(!npart_run_table_begins("") && !npart_run_table_begins("[{\"cat\": \"Node\""));
    CHECK(!npart_run_table_begins("\x08\x07\x12\x07pytorch"));
}

TESTS(test_runs__csv, test_runs__json, test_runs__null_is_absent, test_runs__refused, test_runs__limits,
      test_runs__told_from_other_files)
