/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans that go on with an earlier one: which lines are counted, which refused, and what tells options apart.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/stream.h"
#include "npu_partition.h"
#include "support/analysis.h"
#include "support/counted.h"
#include "support/test.h"

/* A line of this version, ' for ". */
#define LINE(path, options)                                                                                            \
    "{'schema':2,'tool':{'name':'npu-partition','version':'%s','options':'" options "'},'model':{'path':'" path        \
    "'},'error':{'code':'read'},'targets':[]}\n"

static char text[4096], found[200];

static void find(void *payload, const char *path)
{
    CHECK(payload == found);
    strcat(strcat(found, path), " ");
}

static npart_status resume(const char *format, const char *options, const struct npart_allocator *allocator,
                           uint64_t *end, struct npart_error *error)
{
    struct npart_resume_options how = NPART_RESUME_OPTIONS_INIT;
    npart_many *many = NULL;
    int length = snprintf(text, sizeof text, format, npart_version(), npart_version()); /* some formats have fewer */
    for (char *at = text; *at; at++)
        *at = *at == '\'' ? '"' : *at;
    struct npart__text_stream input = {text, (size_t)length};
    how.options = options;
    how.found = find;
    how.payload = found;
    *found = '\0';
    *end = 99;
    npart_status status = npart_many_make(&many, allocator, error);
    if (status == NPART_OK)
        status = npart_many_resume(many, npart__read_text, &input, &how, end, error);
    npart_many_free(many);
    return status;
}

static void check_lines(const char *format, const char *wanted, size_t left)
{
    struct npart_error error;
    uint64_t end;
    CHECK(resume(format, "0123", NULL, &end, &error) == NPART_OK);
    CHECK_TEXT(found, wanted);
    CHECK_INT(end + left, strlen(text));
}

static void check_refused(const char *format, const char *place, const char *message)
{
    struct npart_error error;
    uint64_t end;
    CHECK(resume(format, "0123", NULL, &end, &error) == NPART_ERROR_MALFORMED);
    CHECK_TEXT(error.place, place);
    CHECK_TEXT(error.message, message);
}

static void test_resume__lines(void)
{
    check_lines("", "", 0);
    check_lines(LINE("a", "0123") LINE("b", "0123"), "a b ", 0);
    check_lines(LINE("a", "0123") "{'schema", "a ", 8);
    check_lines("{'schema':2,'tool':{'name':'npu-partition','ver", "", 47);
    check_lines("{'sch", "", 5);
}

static void test_resume__refuses(void)
{
    check_refused("a line\n", "1", "not a line that scan writes");
    check_refused("no whole line", "1", "not a line that scan writes");
    check_refused(LINE("a", "0123") "{}\n", "2", "not a line that scan writes");
    check_refused("{'tool':{'version':'0.0.1','options':'0123'},'model':{'path':'a'}}\n", "1",
                  "made by another version of npu-partition");
    check_refused(LINE("a", "0123") LINE("b", "4567"), "2",
                  "made with other targets or options, or other contents of --oplist or --cost");
}

static ptrdiff_t fail(void *payload, void *into, size_t bytes)
{
    (void)payload, (void)into, (void)bytes;
    return -1;
}

static void test_resume__memory_ends(void)
{
    struct npart_error error;
    npart_many *many = NULL;
    uint64_t end;
    bool is_read = false;
    for (size_t n = 1; !is_read && n < 1000; n++) {
        struct counted counted;
        counted_init(&counted, true);
        counted.fail_at = n;
        npart_status status = resume(LINE("a", "0123") LINE("b", "0123"), NULL, &counted.allocator, &end, &error);
        is_read = status == NPART_OK;
        CHECK(is_read || status == NPART_ERROR_MEMORY);
        CHECK_INT(counted.live_blocks, 0);
    }
    CHECK(is_read);
    REQUIRE(npart_many_make(&many, NULL, NULL) == NPART_OK);
    CHECK(npart_many_resume(many, fail, NULL, NULL, NULL, &error) == NPART_ERROR_READ);
    CHECK(npart_many_resume(many, NULL, NULL, NULL, NULL, NULL) == NPART_ERROR_ARGUMENT);
    npart_many_free(many);
}

static void check_totals(const npart_many *many, uint64_t earlier, const char *wanted)
{
    struct sink sink = {0};
    CHECK(npart_many_totals(many, earlier, 2, sink_write, &sink, NULL) == NPART_OK);
    CHECK_TEXT(sink.text, wanted);
    sink_clear(&sink);
}

static void test_resume__totals(void)
{
    static const char fine[] = "{\"model\":{\"path\":\"a\"},\"targets\":[]}", bad[] = "{\"error\":{\"code\":\"read\"}}";
    npart_many *many = NULL;
    REQUIRE(npart_many_make(&many, NULL, NULL) == NPART_OK);
    REQUIRE(npart_many_add(many, fine, strlen(fine), NULL) == NPART_OK);
    check_totals(many, 0, "1 model; 2.0 s, 0.5 models a second\n");
    REQUIRE(npart_many_add(many, bad, strlen(bad), NULL) == NPART_OK);
    REQUIRE(npart_many_add(many, bad, strlen(bad), NULL) == NPART_OK);
    check_totals(many, 1, "3 models, 1 of them in earlier scans; 2.0 s, 1.0 models a second\n"
                          "2 could not be analyzed: 2 read\n");
    CHECK(npart_many_totals(NULL, 0, 1, sink_write, NULL, NULL) == NPART_ERROR_ARGUMENT);
    npart_many_free(many);
}

/* ---- fingerprints ------------------------------------------------------------------------------------------- */

#define OTHERS 12

/* Of the options where one is another. */
static void fingerprint(size_t which, char *out)
{
    static const char *const labels[] = {"hexagon", "xnnpack"};
    static const struct npart_dim_binding dims[] = {{.name = "batch", .size = 1}, {.name = "batch", .size = 2}};
    static const int64_t shape[] = {1, 3};
    static const struct npart_input_shape input = {.input = "x", .dims = shape, .rank = 2};
    static const double number = 1;
    static const struct npart_bound_value value = {"y", &number, 1};
    static const struct npart_assumption assumption = {.op = "Erf", .on_npu = true};
    static const char *const cut = "z";
    static const struct npart_limit limit = {"nodes", 5};
    struct npart_read_options read = NPART_READ_OPTIONS_INIT;
    struct npart_inference_options sizes = NPART_INFERENCE_OPTIONS_INIT;
    struct npart_plan_options plan = NPART_PLAN_OPTIONS_INIT;
    struct npart_scan_options options = NPART_SCAN_OPTIONS_INIT;
    options.read = &read;
    options.sizes = &sizes;
    options.plan = &plan;
    options.labels = labels;
    options.label_count = which == 1 ? 2 : 1;
    sizes.dims = which == 2 ? dims + 1 : dims;
    sizes.dim_count = 1;
    sizes.inputs = &input;
    sizes.input_count = which == 3;
    read.values = &value;
    read.value_count = which == 4;
    plan.assumptions = &assumption;
    plan.assumption_count = which == 5;
    plan.cuts = &cut;
    plan.cut_count = which == 6;
    read.limits = &limit;
    read.limit_count = which == 7;
    options.skips_advice = which == 8;
    options.oplist = which == 9 ? "format 1" : NULL;
    options.oplist_bytes = which == 9 ? 8 : 0;
    options.cost = which == 10 ? "format 1" : NULL;
    options.cost_bytes = which == 10 ? 8 : 0;
    plan.runtime = which == 11 ? "bare" : NULL;
    CHECK_INT(npart_scan_fingerprint(&options, out, NPART_FINGERPRINT_BYTES), NPART_FINGERPRINT_BYTES - 1);
}

static void test_resume__fingerprints(void)
{
    char made[OTHERS][NPART_FINGERPRINT_BYTES], again[NPART_FINGERPRINT_BYTES];
    for (size_t i = 0; i < OTHERS; i++) {
        fingerprint(i, made[i]);
        fingerprint(i, again);
        CHECK_TEXT(again, made[i]);
        for (size_t k = 0; k < i; k++)
            CHECK(strcmp(made[k], made[i]) != 0);
    }
    const struct npart_scan_options none = NPART_SCAN_OPTIONS_INIT;
    CHECK(npart_scan_fingerprint(&none, again, sizeof again) == 0 && !*again);
}

TESTS(test_resume__lines, test_resume__refuses, test_resume__memory_ends, test_resume__totals,
      test_resume__fingerprints)
