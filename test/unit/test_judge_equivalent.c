/* SPDX-License-Identifier: Apache-2.0
 *
 * Which nodes are judged once: those that no rule can tell apart.
 */
#include "onnxruntime/onnxruntime.h"
#include "support/analysis.h"
#include "support/built.h"
#include "support/test.h"

/* Whether the nodes that make p and q are found equivalent. */
static bool are_equivalent(const char *model)
{
    struct built built;
    struct npart__inference inference;
    struct npart__infer_options options = {0};
    struct npart__session session;
    build_text(&built, model);
    REQUIRE(built.status == NPART_OK);
    REQUIRE(npart__infer(&built.graph, &options, &built.arena, &inference, &built.error) == NPART_OK);
    REQUIRE(npart__session_make(&inference, NPART_LEVEL_BASIC, NPART__RELEASE_OWN, &built.arena, &session,
                                &built.error) == NPART_OK);
    const uint32_t *equivalent = npart__find_equivalent(&session, &built.arena);
    REQUIRE(equivalent != NULL);
    uint32_t p = node_named(&built.graph, "p1"), q = node_named(&built.graph, "q1");
    REQUIRE(p != NPART_NONE && q != NPART_NONE);
    bool result = equivalent[p] == equivalent[q];
    CHECK(equivalent[p] == p);
    CHECK(equivalent[q] == q || result);
    built_close(&built);
    return result;
}

/* Everything that a rule may ask of a node beside its name: each pair differs in one thing, or in none. */
static void test_judge_equivalent__nodes_that_rules_can_tell_apart(void)
{
    static const struct {
        const char *model;
        bool wanted;
    } pairs[] = {
        {"input x1 float32[2,3]\ninput y1 float32[2,3]\nnode p1 = Relu(x1)\nnode q1 = Relu(y1)\nnode z1 = Add(p1, q1)\n"
         "output z1\n",
         true},
        {"input x1 float32[2,3]\nnode p1 = Relu(x1)\nnode q1 = Relu(p1)\nnode z1 = Neg(q1)\noutput z1\n", false},
        {"input x1 float32[2,3]\nnode p1 = Relu(x1)\nnode q1 = Elu(x1)\nnode z1 = Add(p1, q1)\noutput z1\n", false},
        {"input x1 float32[2,3]\ninput y1 float32[3,2]\nnode p1 = Relu(x1)\nnode q1 = Relu(y1)\nnode z1 = Size(p1)\n"
         "node w1 = Size(q1)\noutput z1\noutput w1\n",
         false},
        {"input x1 float32[2,3]\ninput y1 float16[2,3]\nnode p1 = Relu(x1)\nnode q1 = Relu(y1)\nnode z1 = Size(p1)\n"
         "node w1 = Size(q1)\noutput z1\noutput w1\n",
         false},
        {"input x1 float32[n1,3]\ninput y1 float32[n1,3]\nnode p1 = Relu(x1)\nnode q1 = Relu(y1)\n"
         "node z1 = Add(p1, q1)\n"
         "output z1\n",
         true},
        {"input x1 float32[n1,3]\ninput y1 float32[m1,3]\nnode p1 = Relu(x1)\nnode q1 = Relu(y1)\nnode z1 = Size(p1)\n"
         "node w1 = Size(q1)\noutput z1\noutput w1\n",
         false},
        {"input x1 float32\ninput y1 float32[2,3]\nnode p1 = Relu(x1)\nnode q1 = Relu(y1)\nnode z1 = Size(p1)\n"
         "node w1 = Size(q1)\noutput z1\noutput w1\n",
         false},
        {"input x1 float32[2,3]\nnode p1 = Elu(x1) alpha=0.5\nnode q1 = Elu(x1) alpha=0.5\nnode z1 = Add(p1, q1)\n"
         "output z1\n",
         true},
        {"input x1 float32[2,3]\nnode p1 = Elu(x1) alpha=0.5\nnode q1 = Elu(x1) alpha=0.25\nnode z1 = Add(p1, q1)\n"
         "output z1\n",
         false},
        {"input x1 float32[2,3]\nnode p1 = Elu(x1) alpha=1.0\nnode q1 = Elu(x1)\nnode z1 = Add(p1, q1)\n"
         "output z1\n", false},
        {"input x1 float32[2,3]\ninit a1 int64[2] = 1 0\ninit b1 int64[2] = 1 0\nnode p1 = Gather(x1, a1) axis=1\n"
         "node q1 = Gather(x1, b1) axis=1\nnode z1 = Add(p1, q1)\noutput z1\n",
         true},
        {"input x1 float32[2,3]\ninit a1 int64[2] = 1 0\ninit b1 int64[2] = 1 2\nnode p1 = Gather(x1, a1) axis=1\n"
         "node q1 = Gather(x1, b1) axis=1\nnode z1 = Add(p1, q1)\noutput z1\n",
         false},
        {"input x1 float32[2,3]\ninput a1 int64[2]\ninit b1 int64[2] = 1 2\nnode p1 = Gather(x1, a1) axis=1\n"
         "node q1 = Gather(x1, b1) axis=1\nnode z1 = Add(p1, q1)\noutput z1\n",
         false},
        {"input x1 float32[2,3]\nnode p1 = Relu(x1)\nnode q1 = Relu(x1)\nnode z1 = Neg(p1)\nnode w1 = Abs(q1)\n"
         "output z1\noutput w1\n",
         false},
        {"input x1 float32[2,3]\nnode p1 = Relu(x1)\nnode q1 = Relu(x1)\nnode z1 = Neg(p1)\nnode w1 = Neg(q1)\n"
         "output z1\noutput w1\n",
         true},
        {"input x1 float32[2,3]\nnode p1 = Relu(x1)\nnode q1 = Relu(x1)\nnode z1 = Neg(p1)\noutput z1\n"
         "output q1\n", false},
        {"input x1 float32[2,3]\nnode a1 = Neg(x1)\nnode b1 = Abs(x1)\nnode p1 = Relu(a1)\nnode q1 = Relu(b1)\n"
         "node z1 = Add(p1, q1)\noutput z1\n",
         false},
        {"input axes float32[2,3]\ninput y1 float32[2,3]\nnode p1 = Relu(axes)\nnode q1 = Relu(y1)\n"
         "node z1 = Add(p1, q1)\noutput z1\n",
         false},
        {"input x1 float32[2,3]\ninput y1 float32[2,3]\nnode p1 = Clip(x1, , y1)\nnode q1 = Clip(x1, y1)\n"
         "node z1 = Add(p1, q1)\noutput z1\n",
         false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (are_equivalent(pairs[i].model) != pairs[i].wanted)
            (void)fprintf(stderr, "pair %zu\n", i);
        CHECK(are_equivalent(pairs[i].model) == pairs[i].wanted);
    }
}

/* The type before dequantizing and after quantizing, and the number of scales, are seen from the node between. */
static void test_judge_equivalent__neighbours_that_quantize(void)
{
    static const char format[] =
        "input x1 %s[2,3]\ninput y1 uint8[2,3]\ninit s1 float32 = 0.5\ninit v1 float32[%d]\n"
        "node a1 = DequantizeLinear(x1, s1)\nnode b1 = DequantizeLinear(y1, %s) axis=1\n"
        "node p1 = Relu(a1)\nnode q1 = Relu(b1)\n"
        "node c1 = QuantizeLinear(p1, s1, i1)\nnode d1 = QuantizeLinear(q1, s1, j1)\n"
        "init i1 uint8 = 0\ninit j1 %s = 0\noutput c1\noutput d1\n";
    static const struct {
        const char *x, *scale, *zero_point;
        bool wanted;
    } pairs[] = {{"uint8", "s1", "uint8", true},
                 {"int8", "s1", "uint8", false},
                 {"uint8", "v1", "uint8", false},
                 {"uint8", "s1", "int8", false}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char model[512];
        (void)snprintf(model, sizeof model, format, pairs[i].x, 3, pairs[i].scale, pairs[i].zero_point);
        CHECK(are_equivalent(model) == pairs[i].wanted);
    }
}

/* More places are taken by one kind of node than are looked at: the rest are judged each for itself. */
static void test_judge_equivalent__of_many_kinds_of_one_look(void)
{
    struct npart__buffer model;
    struct npart__arena arena;
    npart__arena_init(&arena, NULL);
    npart__buffer_init(&model, &arena);
    npart__append_text(&model, "input x1 float32[2,3]\n");
    for (int i = 0; i < 100; i++)
        npart__append_format(&model, "node n1%d = Elu(x1) alpha=%d.5\n", i, i);
    npart__append_text(&model, "node p1 = Elu(x1) alpha=200.5\nnode q1 = Elu(x1) alpha=200.5\n");
    for (int i = 0; i < 100; i++)
        npart__append_format(&model, "output n1%d\n", i);
    npart__append_text(&model, "output p1\noutput q1\n");
    CHECK(!are_equivalent(npart__buffer_text(&model)));
    npart__arena_clear(&arena);
}

/* A rule that asks for no plain name is asked of every node, and so is one of a node that an earlier one is like. */
static void test_judge_equivalent__a_rule_that_looks_beyond(void)
{
    struct analysis analysis;
    analysis_open(&analysis,
                  "input x1 float32[2,3]\nnode p1 = Relu(x1)\nnode q1 = Relu(x1)\nnode r1 = Relu(x1)\n"
                  "node a1 = Elu(p1)\n"
                  "node b1 = Elu(q1)\nnode c1 = Elu(r1)\nnode z1 = Sum(a1, b1, c1)\noutput z1\n",
                  "format 1\ntarget t\nop Elu\nop Relu\n  need name: name(Y) = q1 \"is q\"\n", NULL,
                  NULL);
    static const struct {
        const char *node;
        enum npart_verdict verdict;
        uint32_t reasons;
    } wanted[] = {{"p1", NPART_VERDICT_CPU, 1}, {"q1", NPART_VERDICT_NPU, 0}, {"r1", NPART_VERDICT_CPU, 1},
                  {"a1", NPART_VERDICT_NPU, 0}, {"b1", NPART_VERDICT_NPU, 0}, {"z1", NPART_VERDICT_CPU, 1}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct npart_node_plan node = {.size = sizeof node};
        REQUIRE(npart_plan_node(analysis.plan, analysis_node(&analysis, wanted[i].node), &node));
        CHECK(node.verdict == wanted[i].verdict);
        CHECK(node.reason_count == wanted[i].reasons);
    }
    analysis_close(&analysis);
}

TESTS(test_judge_equivalent__nodes_that_rules_can_tell_apart, test_judge_equivalent__neighbours_that_quantize,
      test_judge_equivalent__of_many_kinds_of_one_look, test_judge_equivalent__a_rule_that_looks_beyond)
