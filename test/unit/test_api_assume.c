/* SPDX-License-Identifier: Apache-2.0
 *
 * What-if by the public header: nodes taken for granted, and a node explained.
 */
#include "npu_partition.h"
#include "support/analysis.h"
#include "support/subjects.h"
#include "support/test.h"

static const char list[] = "format 1\ntarget t\nop Neg Relu\n"
                           "op Sigmoid\n  need rank(X) = 9 \"nine axes\" source \"guide\"\n";
static const char lines[] = "input x float32[2]\nnode a = Relu(x) @first\nnode b = Erf(a) @same\n"
                            "node c = Sigmoid(b) @same\nnode d = Identity(c)\nnode e = Neg(d) @5\noutput e\n";

static enum npart_verdict verdict_of(const struct analysis *at, const char *name)
{
    struct npart_node_plan plan = {.size = sizeof plan, .verdict = (enum npart_verdict)99};
    CHECK(npart_plan_node(at->plan, analysis_node(at, name), &plan));
    return plan.verdict;
}

/* ---- assumptions ---------------------------------------------------------------------------------------------- */

static void open_assuming(struct analysis *at, const struct npart_assumption *assumptions, uint32_t count)
{
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    options.assumptions = assumptions;
    options.assumption_count = count;
    analysis_open(at, lines, list, NULL, &options);
}

static void test_api_assume__ops_and_nodes(void)
{
    static const struct npart_assumption npu[] = {{"Erf", NULL, true}, {"Sigmoid", NULL, true}};
    static const struct npart_assumption cpu[] = {{"Neg", NULL, false}};
    static const struct npart_assumption node[] = {{NULL, "same", true}, {"Erf", NULL, false}};
    struct npart_summary summary = {.size = sizeof summary};
    struct analysis at;
    open_assuming(&at, npu, 2);
    npart_plan_summary(at.plan, &summary);
    CHECK_TEXT(npart_plan_verdict_text(summary.verdict), "whole");
    CHECK_INT(verdict_of(&at, "b"), NPART_VERDICT_NPU);
    CHECK_INT(verdict_of(&at, "d"), NPART_VERDICT_FOLDED);
    analysis_close(&at);
    open_assuming(&at, cpu, 1);
    CHECK_INT(verdict_of(&at, "e"), NPART_VERDICT_CPU);
    CHECK_INT(verdict_of(&at, "a"), NPART_VERDICT_NPU);
    analysis_close(&at);
    open_assuming(&at, node, 2); /* a node's name counts more than its op */
    CHECK_INT(verdict_of(&at, "b"), NPART_VERDICT_NPU);
    CHECK_INT(verdict_of(&at, "c"), NPART_VERDICT_NPU);
    analysis_close(&at);
}

/* Refused by an assumption is refused for a reason and a cause like any other. */
static void test_api_assume__has_a_reason(void)
{
    static const struct npart_assumption cpu[] = {{"Neg", NULL, false}};
    struct npart_node_plan plan = {.size = sizeof plan};
    struct npart_reason reason = {.size = sizeof reason};
    struct npart_cause cause = {.size = sizeof cause};
    struct analysis at;
    char found[80];
    open_assuming(&at, cpu, 1);
    uint32_t node = analysis_node(&at, "e");
    CHECK(npart_plan_node(at.plan, node, &plan));
    CHECK(plan.reason_count > 0 && plan.partition == NPART_NONE);
    CHECK(npart_plan_reason(at.plan, node, 0, &reason, found, sizeof found));
    CHECK(*reason.rule_id && *reason.text);
    CHECK(npart_plan_cause(at.plan, plan.cause, &cause, NULL, 0) && *cause.text);
    char *json = json_of(at.plan, NULL), *text = text_of(at.plan, NULL, NULL);
    CHECK(strstr(json, reason.rule_id) != NULL);
    free(json);
    free(text);
    analysis_close(&at);
}

static void test_api_assume__what_is_not_there(void)
{
    static const struct npart_assumption absent = {"TopK", NULL, true}, wrong = {NULL, "nobody", true};
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct npart_error error;
    struct analysis at;
    npart_plan *plan = NULL;
    open_assuming(&at, &absent, 1); /* an op that the model does not use */
    options.assumptions = &wrong;
    options.assumption_count = 1;
    CHECK_INT(npart_plan_make(&plan, at.inference, at.oplist, NULL, &options, &error), NPART_ERROR_ARGUMENT);
    CHECK(!plan && strstr(error.message, "nobody"));
    analysis_close(&at);
}

/* ---- explaining ----------------------------------------------------------------------------------------------- */

static npart_status explain(const struct analysis *at, const char *node, struct sink *sink, struct npart_error *error)
{
    const struct npart_plan_pair pair = {at->plan, NULL, NULL};
    return npart_report(OF_NODE(&pair, 1, node), NPART_FORMAT_TEXT, NULL, sink_write, sink, error);
}

static void test_api_assume__a_node_explained(void)
{
    struct sink by_output = {0}, by_name = {0}, by_number = {0};
    struct npart_error error;
    struct analysis at;
    analysis_open(&at, lines, list, NULL, NULL);
    CHECK_INT(explain(&at, "c", &by_output, &error), NPART_OK);
    CHECK(strstr(by_output.text, "Sigmoid") && strstr(by_output.text, "nine axes") && strstr(by_output.text, "guide"));
    CHECK_INT(explain(&at, "same", &by_name, &error), NPART_OK); /* all that are called so */
    CHECK(strstr(by_name.text, "Sigmoid") && strstr(by_name.text, "Erf"));
    CHECK_INT(explain(&at, "2", &by_number, &error), NPART_OK);
    CHECK_TEXT(by_number.text, by_output.text);
    sink_clear(&by_output);
    sink_clear(&by_name);
    sink_clear(&by_number);
    analysis_close(&at);
}

static void test_api_assume__no_node_to_explain(void)
{
    static const char *const nodes[] = {"nobody", "", "6", "99999999999999999999", "-1", "2 ", "x"};
    struct sink sink = {0};
    struct npart_error error;
    struct analysis at;
    analysis_open(&at, lines, list, NULL, NULL);
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        CHECK_INT(explain(&at, nodes[i], &sink, &error), NPART_ERROR_ARGUMENT);
        CHECK(strncmp(error.message, "there is no node", 16) == 0);
    }
    CHECK_INT(sink.bytes, 0);
    CHECK_INT(explain(&at, "nobody", &sink, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_report(OF_NODE(NULL, 0, "a"), NPART_FORMAT_TEXT, NULL, sink_write, &sink, &error),
              NPART_ERROR_ARGUMENT);
    sink.refuse_at = sink.calls + 1;
    CHECK_INT(explain(&at, "c", &sink, &error), NPART_ERROR_WRITE);
    analysis_close(&at);
}

/* "Neg" is there, and what comes near to a name that is not is told. */
static void test_api_assume__changes_nothing(void)
{
    struct analysis at;
    char text[200] = "";
    open_assuming(&at, NULL, 0);
    const npart_model *model = npart_inference_model(npart_plan_inference(at.plan));
    const npart_plan *const plans[] = {at.plan};
    CHECK_INT(npart_assumption_note("Neg", model, plans, 1, text, sizeof text), 0);
    CHECK_INT(npart_assumption_note("ai.onnx:Neg", model, plans, 1, text, sizeof text), 0);
    CHECK_INT(npart_assumption_note(NULL, model, plans, 1, text, sizeof text), 0);
    CHECK(npart_assumption_note("com.microsoft:Neg", model, plans, 1, text, sizeof text) > 0);
    CHECK(npart_assumption_note("Sigmoids", model, plans, 1, text, sizeof text) == strlen(text));
    CHECK_TEXT(text, "--assume Sigmoids changes nothing: the model has no such op; did you mean Sigmoid?");
    (void)npart_assumption_note("Conv3", model, NULL, 0, text, sizeof text);
    CHECK_TEXT(text, "--assume Conv3 changes nothing: the model has no such op");
    analysis_close(&at);
}

TESTS(test_api_assume__changes_nothing, test_api_assume__ops_and_nodes, test_api_assume__has_a_reason,
      test_api_assume__what_is_not_there,
      test_api_assume__a_node_explained, test_api_assume__no_node_to_explain)
