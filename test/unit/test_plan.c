/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plan says beyond its stages: the range that the unknown leaves, patterns at the edge of a graph.
 */
#include "api/api.h"
#include "support/analysis.h"
#include "support/subjects.h"
#include "support/test.h"

/* ---- what is unknown ------------------------------------------------------------------------------------------ */

static void test_plan__unknown_nodes_may_join_or_part(void)
{
    static const char list[] = "format 1\ntarget t\nop Relu\nop Tanh\n  maybe \"nobody tried\"\n";
    static const struct {
        const char *model;
        uint32_t low, now, high;
    } rows[] = {
        /* between two partitions it joins them */
        {"input x float32[2]\nnode a = Relu(x)\nnode b = Tanh(a)\nnode c = Relu(b)\noutput c\n", 1, 2, 2},
        /* alone it is one more */
        {"input x float32[2]\nnode a = Erf(x)\nnode b = Tanh(a)\nnode c = Erf(b)\noutput c\n", 0, 0, 1},
        /* after one it changes nothing */
        {"input x float32[2]\nnode a = Relu(x)\nnode b = Tanh(a)\noutput b\n", 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct npart_summary summary = {.size = sizeof summary};
        struct analysis at;
        analysis_open(&at, rows[i].model, list, NULL, NULL);
        npart_plan_summary(at.plan, &summary);
        CHECK_INT(summary.partitions_low, rows[i].low);
        CHECK_INT(summary.partitions, rows[i].now);
        CHECK_INT(summary.partitions_high, rows[i].high);
        CHECK_INT(summary.unknown, 1);
        analysis_close(&at);
    }
}

/* ---- patterns ------------------------------------------------------------------------------------------------- */

/* A pattern of one node holds for the first of a graph, the last, and the only one. */
static void test_plan__patterns_at_the_edges(void)
{
    static const char list[] = "format 1\ntarget t\npattern alone \"an Erf by itself\"\n  match Erf(x)\nop Relu\n";
    static const char model[] = "input x float32[2]\nnode a = Erf(x)\nnode b = Relu(a)\nnode c = Erf(b)\noutput c\n";
    static const char only[] = "input x float32[2]\nnode a = Erf(x)\noutput a\n";
    struct npart_summary summary = {.size = sizeof summary};
    struct analysis at;
    analysis_open(&at, model, list, NULL, NULL);
    npart_plan_summary(at.plan, &summary);
    CHECK_TEXT(npart_plan_verdict_text(summary.verdict), "whole");
    analysis_close(&at);
    analysis_open(&at, only, list, NULL, NULL);
    npart_plan_summary(at.plan, &summary);
    CHECK_TEXT(npart_plan_verdict_text(summary.verdict), "whole");
    analysis_close(&at);
}

/* What a rule looked at is listed with one blank between. */
static void test_plan__explained_values_stand_apart(void)
{
    static const char list[] = "format 1\ntarget t\nop Add\n  need rank(inputs) <= 4 \"four axes\"\n"
                               "op Conv\n  need attr(pads) <= 2 \"small pads\"\n";
    static const char model[] = "input x float32[2,3]\ninput y float32[3]\ninput z float32[1,1,9,9]\n"
                                "init w float32[1,1,3,3]\nnode a = Add(x, y)\nnode b = Conv(z, w) pads=[1,2,1,2]\n"
                                "output a\noutput b\n";
    struct analysis at;
    struct sink add = {0}, conv = {0};
    analysis_open(&at, model, list, NULL, NULL);
    const struct npart_plan_pair pair = {at.plan, NULL, NULL};
    CHECK_INT(npart_report(OF_NODE(&pair, 1, "a"), NPART_FORMAT_TEXT, NULL, sink_write, &add, NULL), NPART_OK);
    CHECK(strstr(add.text, "rank of inputs: 2 1\n") != NULL);
    CHECK_INT(npart_report(OF_NODE(&pair, 1, "b"), NPART_FORMAT_TEXT, NULL, sink_write, &conv, NULL), NPART_OK);
    CHECK(strstr(conv.text, "pads: 1 2 1 2\n") != NULL);
    sink_clear(&add);
    sink_clear(&conv);
    analysis_close(&at);
}

/* A model that ONNX Runtime would refuse, and is planned nevertheless: what is dequantized is left out. */
static void test_plan__nothing_to_dequantize(void)
{
    struct analysis analysis;
    analysis_open(&analysis,
                  "input x float32[8,8]\ninit s float32[] = 1\ninit z uint8[] = 0\n"
                  "node d = DequantizeLinear(, s, z)\nnode y = MatMul(x, d)\noutput y\n",
                  NULL, NULL, NULL);
    analysis_close(&analysis);
}

TESTS(test_plan__nothing_to_dequantize, test_plan__unknown_nodes_may_join_or_part, test_plan__patterns_at_the_edges,
      test_plan__explained_values_stand_apart)
