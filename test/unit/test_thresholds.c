/* SPDX-License-Identifier: Apache-2.0
 *
 * What thresholds say of plans and models.
 */
#include <stdio.h>

#include "npu_partition/gate.h"
#include "support/analysis.h"
#include "support/test.h"

static const char list[] = "format 1\ntarget t\nop Relu\nop Add\n";
static const char split[] = "input x float32[1,8]\nnode a = Relu(x)\nnode b = Erf(a)\nnode c = Add(b, x)\noutput c\n";

static const struct npart_gate_outcome *find(const struct npart_gate_outcome *items, uint32_t count, const char *name)
{
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(items[i].threshold, name) == 0)
            return &items[i];
    return NULL;
}

static void test_thresholds__met_and_not(void)
{
    struct analysis analysis;
    struct npart_gate_outcome items[NPART_MOST_OUTCOMES];
    struct npart_thresholds asked = NPART_THRESHOLDS_INIT;
    analysis_open(&analysis, split, list, "t", NULL);
    CHECK_INT(npart_plan_outcomes(analysis.plan, &asked, items, NPART_MOST_OUTCOMES), 0);
    CHECK(!npart_thresholds_ask_plans(&asked));
    asked.max_partitions = 1;
    asked.min_coverage = 0.5;
    asked.bounds[NPART_BOUND_MAX_MS] = 1;
    asked.fails_on[NPART_FAILS_ON_SPLIT] = asked.fails_on[NPART_FAILS_ON_NONE] = true;
    CHECK(npart_thresholds_ask_plans(&asked));
    uint32_t count = npart_plan_outcomes(analysis.plan, &asked, items, NPART_MOST_OUTCOMES);
    CHECK_INT(count, 5);
    const struct npart_gate_outcome *at = find(items, count, "max-partitions");
    CHECK(at && !at->is_met);
    CHECK_TEXT(at->text, "2 partitions, threshold: at most 1");
    at = find(items, count, "min-coverage");
    CHECK(at && at->is_met);
    CHECK_TEXT(at->text, "coverage 66.7 % of nodes (2 of 3), threshold: at least 50.0 %");
    at = find(items, count, "max-ms");
    CHECK(at && !at->is_met);
    CHECK_TEXT(at->text, "it is not known what a run takes, threshold: at most 1 ms");
    CHECK(!find(items, count, "fail-on split")->is_met && find(items, count, "fail-on none")->is_met);
    CHECK_INT(npart_plan_outcomes(analysis.plan, &asked, items, 2), 5);
    CHECK_INT(npart_plan_outcomes(analysis.plan, &asked, NULL, 0), 5);
    CHECK_INT(npart_plan_outcomes(NULL, &asked, items, 2), 0);
    CHECK_INT(npart_plan_outcomes(analysis.plan, NULL, items, 2), 0);
    asked.version = 9;
    CHECK_INT(npart_plan_outcomes(analysis.plan, &asked, items, 2), 0);
    analysis_close(&analysis);
}

static void test_thresholds__of_the_model(void)
{
    struct analysis analysis;
    struct npart_gate_outcome item;
    struct npart_thresholds asked = NPART_THRESHOLDS_INIT;
    analysis_open(&analysis, split, list, "t", NULL);
    CHECK_INT(npart_inference_outcomes(analysis.inference, &asked, &item, 1), 0);
    asked.fails_on[NPART_FAILS_ON_INVALID] = true;
    CHECK_INT(npart_inference_outcomes(analysis.inference, &asked, &item, 1), 1);
    CHECK(item.is_met && !npart_thresholds_ask_plans(&asked));
    analysis_close(&analysis);
}

static void test_thresholds__words(void)
{
    struct npart_bound_info info = {.size = sizeof info};
    CHECK_TEXT(npart_condition_text(NPART_FAILS_ON_SLOWER), "slower");
    CHECK(!npart_condition_text(NPART_CONDITIONS));
    CHECK(npart_bound_info(NPART_BOUND_MIN_TOKENS_PER_S, &info) && info.is_least);
    CHECK_TEXT(info.threshold, "min-tokens-per-s");
    CHECK(!npart_bound_info(NPART_BOUNDS, &info));
}

static void test_thresholds__shares(void)
{
    double share;
    bool is_percent;
    CHECK(npart_share_of("0.95", &share, &is_percent) && share == 0.95 && !is_percent);
    CHECK(npart_share_of("95%", &share, &is_percent) && share == 0.95 && is_percent);
    CHECK(npart_share_of("1", &share, &is_percent) && !npart_share_of("1.01", &share, &is_percent));
    CHECK(!npart_share_of("", &share, &is_percent) && !npart_share_of("5x", &share, &is_percent));
}

TESTS(test_thresholds__met_and_not, test_thresholds__of_the_model, test_thresholds__words, test_thresholds__shares)
