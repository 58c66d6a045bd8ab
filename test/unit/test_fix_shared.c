/* SPDX-License-Identifier: Apache-2.0
 *
 * Searches that share versions (lib/change/fix/editions.c).
 */
#include "npu_partition.h"
#include "support/analysis.h"
#include "support/test.h"

static const char no_isnan[] = "format 1\ntarget no_isnan\nop Relu Not Equal Where Div Elu Mul Softmax Celu Erf Tanh\n";
static const char no_equal[] = "format 1\ntarget no_equal\nop Relu Not Where Div Elu Mul IsNaN Softmax Erf\n";
static const char no_celu[] = "format 1\ntarget no_celu\nop Relu Not Equal Where Div Elu Mul IsNaN Softmax\n";

/* The first proposal for a list, as its steps with the nodes of each; "" for none. */
static npart_fix *tell_steps(const npart_inference *inference, const char *list, char *out, size_t bytes)
{
    npart_oplist *oplist = NULL;
    npart_plan *plan = NULL;
    npart_fix *fixes[NPART_MOST_PROPOSALS] = {NULL};
    uint32_t count = 0;
    struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    struct npart_fix_step step = {.size = sizeof step};
    options.allowed = 1u << NPART_EQUAL_ULP;
    REQUIRE(npart_oplist_read_memory(&oplist, list, strlen(list), "shared.ops", NULL, NULL) == NPART_OK);
    REQUIRE(npart_plan_make(&plan, inference, oplist, NULL, NULL, NULL) == NPART_OK);
    CHECK_INT(npart_fix_propose(fixes, &count, NULL, plan, NULL, NULL, &options, NULL), NPART_OK);
    *out = '\0';
    for (uint32_t i = 0; count && npart_fix_step(fixes[0], i, &step); i++) {
        (void)snprintf(out + strlen(out), bytes - strlen(out), "%s %u %s:", step.rewrite, step.site_count,
                       *step.caveats ? *step.caveats : "");
        for (uint32_t k = 0; k < step.removed_count; k++)
            (void)snprintf(out + strlen(out), bytes - strlen(out), " -%s", step.removed[k]);
        for (uint32_t k = 0; k < step.added_count; k++)
            (void)snprintf(out + strlen(out), bytes - strlen(out), " +%s", step.added[k]);
    }
    npart_plan_free(plan);
    npart_oplist_free(oplist);
    for (uint32_t i = 1; i < count; i++)
        npart_fix_free(fixes[i]);
    return fixes[0];
}

/* Searches for several targets of one inference share what they come to, and find what each would alone; what is found
 * outlives the lists and the inference. */
static void test_fix_shared__finds_the_same(void)
{
    static const char *const lists[] = {no_isnan, no_celu, no_isnan, no_equal};
    static const char model[] = "opset 17\ninput x float32[2,3]\nnode c = Celu(x) alpha=2.0\nnode r = Relu(c)\n"
                                "node n = IsNaN(r) @check\nnode y = Not(n)\noutput y bool[2,3]\n";
    npart_fix *found[sizeof lists / sizeof lists[0]];
    struct analysis shared;
    analysis_infer(&shared, model, NULL);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        char together[600], alone[600];
        struct analysis own;
        analysis_infer(&own, model, NULL);
        npart_fix_free(tell_steps(own.inference, lists[i], alone, sizeof alone));
        analysis_close(&own);
        found[i] = tell_steps(shared.inference, lists[i], together, sizeof together);
        CHECK_TEXT(together, alone);
        CHECK(*alone != '\0');
    }
    analysis_close(&shared);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        struct npart_summary at = {.size = sizeof at};
        CHECK(!found[i] || (npart_plan_summary(npart_fix_plan(found[i], 0), &at) && at.verdict == NPART_PLAN_WHOLE));
        npart_fix_free(found[i]);
    }
}

TESTS(test_fix_shared__finds_the_same)
