/* SPDX-License-Identifier: Apache-2.0
 *
 * Chips of integers: a model that is quantized in the format that the advice for a float model names (QDQ, INT8) is
 * taken, by each of them.
 */
#include "npu_partition.h"
#include "support/analysis.h"
#include "support/test.h"

/* Every variant of every list with an `integer-only` line; at the end those whose zero points must be in the middle,
 * as the fixture's are not. */
#define SYMMETRIC 3
static const char *const targets[] = {"edgetpu",      "ethos-u:u55",  "ethos-u:u65", "ethos-u:u85", "neutron",
                                      "neutron:mcxn", "rknn:rv1106",  "rknn:rv1103b", "stm32n6",    "stm32n6:h7p",
                                      "xdna:a8w8",    "xdna:xint8",   "xdna:xdna1"};

static void plan_for(struct analysis *at, const char *path, const char *target)
{
    char list[32];
    (void)snprintf(list, sizeof list, "%.*s", (int)strcspn(target, ":"), target);
    REQUIRE(npart_model_read_file(&at->model, path, NULL, NULL) == NPART_OK);
    REQUIRE(npart_inference_make(&at->inference, at->model, NULL, NULL) == NPART_OK);
    REQUIRE(npart_oplist_find(&at->oplist, list, NULL, NULL) == NPART_OK);
    REQUIRE(npart_plan_make(&at->plan, at->inference, at->oplist, target, NULL, NULL) == NPART_OK);
}

/* The edges may be left: what is floating point there is quantized and dequantized outside. */
static void test_integers__a_quantized_model_is_taken(void)
{
    for (size_t i = 0; i < sizeof targets / sizeof targets[0] - SYMMETRIC; i++) {
        struct npart_summary summary = {.size = sizeof summary};
        struct analysis at = {0};
        int before = test_failures;
        plan_for(&at, "fixtures/mobilenetv2.qdq-int8.onnx", targets[i]);
        CHECK(npart_plan_summary(at.plan, &summary));
        CHECK_INT(summary.failed, 0);
        CHECK_INT(summary.partitions, 1);
        CHECK(summary.verdict == NPART_PLAN_WHOLE || summary.verdict == NPART_PLAN_EDGE);
        if (test_failures > before)
            fprintf(stderr, "  %s\n", targets[i]);
        analysis_close(&at);
    }
}

/* Which is what the first step for the same network in floating point asks for. */
static void test_integers__a_float_model_is_to_be_quantized(void)
{
    for (size_t i = 0; i < sizeof targets / sizeof targets[0]; i++) {
        struct npart_action action = {.size = sizeof action};
        struct analysis at = {0};
        int before = test_failures;
        plan_for(&at, "fixtures/mobilenetv2.dynamo.onnx", targets[i]);
        npart_advice *advice = advise(at.plan, NULL, targets[i]);
        CHECK(npart_advice_action(advice, 0, &action));
        CHECK(strncmp(action.text, "Quantize the model to INT8 with QuantizeLinear and DequantizeLinear", 67) == 0);
        CHECK(action.after.verdict != NPART_PLAN_FAILS && action.after.verdict != NPART_PLAN_NONE);
        if (test_failures > before)
            fprintf(stderr, "  %s\n", targets[i]);
        npart_advice_free(advice);
        analysis_close(&at);
    }
}

TESTS(test_integers__a_quantized_model_is_taken, test_integers__a_float_model_is_to_be_quantized)
