/* SPDX-License-Identifier: Apache-2.0
 *
 * The answer in one call, and a summary as text.
 */
#include "npu_partition.h"
#include "support/test.h"

static const char model[] = "fixtures/distilbert-base.ts14.dyn.onnx";

static void test_analyze__answer(void)
{
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_error error = {.status = NPART_OK};
    char text[200], cut[12];
    CHECK(npart_analyze_file(model, "hexagon:v73", &summary, &error) == NPART_OK);
    CHECK(summary.verdict == NPART_PLAN_SPLIT && summary.partitions > 1);
    CHECK(npart_summary_text(&summary, text, sizeof text) == strlen(text));
    CHECK_TEXT(text, "split: 8 partitions, 46 of 397 nodes on the NPU");
    CHECK(npart_summary_text(&summary, cut, sizeof cut) == strlen(text));
    CHECK_TEXT(cut, "split: 8 pa");
    CHECK(npart_summary_text(&summary, NULL, 0) == strlen(text));
    CHECK(npart_analyze_file(model, "hexagon:v73", &summary, NULL) == NPART_OK);
}

/* A size that was forgotten is an error with the way to set it, and nothing is written. */
static void test_analyze__forgotten_size(void)
{
    struct npart_summary summary = {.partitions = 99};
    struct npart_error error = {.status = NPART_OK};
    char text[200];
    CHECK(npart_analyze_file(model, "hexagon", &summary, &error) == NPART_ERROR_ARGUMENT);
    CHECK(error.status == NPART_ERROR_ARGUMENT && strstr(error.message, "{.size = sizeof summary}"));
    CHECK(summary.partitions == 99);
    (void)npart_summary_text(&summary, text, sizeof text);
    CHECK_TEXT(text, "not a summary: its size or verdict is not set");
    summary.size = sizeof summary - 1;
    CHECK(npart_analyze_file(model, "hexagon", &summary, &error) == NPART_ERROR_ARGUMENT);
}

static void test_analyze__wrong_arguments(void)
{
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_error error = {.status = NPART_OK};
    CHECK(npart_analyze_file(NULL, "hexagon", &summary, &error) == NPART_ERROR_ARGUMENT);
    CHECK(npart_analyze_file(model, NULL, &summary, &error) == NPART_ERROR_ARGUMENT);
    CHECK(npart_analyze_file(model, "hexagon", NULL, &error) == NPART_ERROR_ARGUMENT);
    CHECK(npart_analyze_file(model, "hexagn", &summary, &error) == NPART_ERROR_ARGUMENT);
    CHECK(npart_analyze_file(model, "hexagon:v1", &summary, &error) == NPART_ERROR_ARGUMENT);
    CHECK(npart_analyze_file("fixtures/nowhere.onnx", "hexagon", &summary, &error) == NPART_ERROR_READ);
    CHECK(npart_analyze_file("README.md", "hexagon", &summary, &error) == NPART_ERROR_MALFORMED);
}

static void check_words(struct npart_summary summary, const char *words)
{
    char text[200];
    summary.size = sizeof summary;
    (void)npart_summary_text(&summary, text, sizeof text);
    CHECK_TEXT(text, words);
}

static void test_analyze__words(void)
{
    struct npart_summary at = {.verdict = NPART_PLAN_WHOLE, .live = 5, .accepted = 5, .partitions = 1,
                               .partitions_low = 1, .partitions_high = 1};
    check_words(at, "whole: 1 partition, 5 of 5 nodes on the NPU");
    at.placed_later = 5;
    check_words(at, "whole: 1 partition, 5 of 5 nodes taken");
    at.placed_later = 0;
    at.fits = NPART_FIT_NO;
    check_words(at, "whole: 1 partition, 5 of 5 nodes on the NPU; memory does not suffice");
    at.fits = NPART_FIT_YES;
    at.partitions_high = 3;
    at.verdict = NPART_PLAN_SPLIT;
    check_words(at, "split: 1 to 3 partitions, 5 of 5 nodes on the NPU");
    at.verdict = NPART_PLAN_FAILS;
    check_words(at, "fails: the model is not loaded");
    at.failed = 1;
    check_words(at, "fails: 1 of 5 nodes fails to compile");
    at.failed = 2;
    check_words(at, "fails: 2 of 5 nodes fail to compile");
    check_words((struct npart_summary){.verdict = NPART_PLAN_NONE}, "none: no node runs on the NPU");
    check_words((struct npart_summary){.verdict = NPART_PLAN_EMPTY}, "empty: no node is left after constant folding");
    check_words((struct npart_summary){.verdict = (enum npart_plan_verdict)99},
                "not a summary: its size or verdict is not set");
}

TESTS(test_analyze__answer, test_analyze__forgotten_size, test_analyze__wrong_arguments, test_analyze__words)
