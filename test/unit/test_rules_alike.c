/* SPDX-License-Identifier: Apache-2.0
 *
 * Which nodes are judged once: those that no rule can tell apart.
 */
#include "rules/rules.h"
#include "support/analysis.h"
#include "support/built.h"
#include "support/test.h"

/* Whether the nodes that make p and q are found alike. */
static bool are_alike(const char *model)
{
    struct built built;
    struct npart__inference inference;
    struct npart__infer_options options = {0};
    struct npart__fold fold;
    build_text(&built, model);
    REQUIRE(built.status == NPART_OK);
    REQUIRE(npart__infer(&built.graph, &options, &built.arena, &inference, &built.error) == NPART_OK);
    REQUIRE(npart__fold_graph(&inference, NPART__LEVEL_BASIC, &built.arena, &fold, &built.error) == NPART_OK);
    const uint32_t *alike = npart__find_alike(&inference, &fold, &built.arena);
    REQUIRE(alike != NULL);
    uint32_t p = node_named(&built.graph, "p"), q = node_named(&built.graph, "q");
    REQUIRE(p != NPART_NONE && q != NPART_NONE);
    bool result = alike[p] == alike[q];
    CHECK(alike[p] == p);
    CHECK(alike[q] == q || result);
    built_close(&built);
    return result;
}

/* Everything that a rule may ask of a node beside its name: each pair differs in one thing, or in none. */
static void test_rules_alike__nodes_that_rules_can_tell_apart(void)
{
    static const struct {
        const char *model;
        bool wanted;
    } pairs[] = {
        {"input x float32[2,3]\ninput y float32[2,3]\nnode p = Relu(x)\nnode q = Relu(y)\nnode z = Add(p, q)\n"
         "output z\n",
         true},
        {"input x float32[2,3]\nnode p = Relu(x)\nnode q = Relu(p)\nnode z = Neg(q)\noutput z\n", false},
        {"input x float32[2,3]\nnode p = Relu(x)\nnode q = Elu(x)\nnode z = Add(p, q)\noutput z\n", false},
        {"input x float32[2,3]\ninput y float32[3,2]\nnode p = Relu(x)\nnode q = Relu(y)\nnode z = Size(p)\n"
         "node w = Size(q)\noutput z\noutput w\n",
         false},
        {"input x float32[2,3]\ninput y float16[2,3]\nnode p = Relu(x)\nnode q = Relu(y)\nnode z = Size(p)\n"
         "node w = Size(q)\noutput z\noutput w\n",
         false},
        {"input x float32[n,3]\ninput y float32[n,3]\nnode p = Relu(x)\nnode q = Relu(y)\nnode z = Add(p, q)\n"
         "output z\n",
         true},
        {"input x float32[n,3]\ninput y float32[m,3]\nnode p = Relu(x)\nnode q = Relu(y)\nnode z = Size(p)\n"
         "node w = Size(q)\noutput z\noutput w\n",
         false},
        {"input x float32\ninput y float32[2,3]\nnode p = Relu(x)\nnode q = Relu(y)\nnode z = Size(p)\n"
         "node w = Size(q)\noutput z\noutput w\n",
         false},
        {"input x float32[2,3]\nnode p = Elu(x) alpha=0.5\nnode q = Elu(x) alpha=0.5\nnode z = Add(p, q)\noutput z\n",
         true},
        {"input x float32[2,3]\nnode p = Elu(x) alpha=0.5\nnode q = Elu(x) alpha=0.25\nnode z = Add(p, q)\noutput z\n",
         false},
        {"input x float32[2,3]\nnode p = Elu(x) alpha=1.0\nnode q = Elu(x)\nnode z = Add(p, q)\noutput z\n", false},
        {"input x float32[2,3]\ninit a int64[2] = 1 0\ninit b int64[2] = 1 0\nnode p = Gather(x, a) axis=1\n"
         "node q = Gather(x, b) axis=1\nnode z = Add(p, q)\noutput z\n",
         true},
        {"input x float32[2,3]\ninit a int64[2] = 1 0\ninit b int64[2] = 1 2\nnode p = Gather(x, a) axis=1\n"
         "node q = Gather(x, b) axis=1\nnode z = Add(p, q)\noutput z\n",
         false},
        {"input x float32[2,3]\ninput a int64[2]\ninit b int64[2] = 1 2\nnode p = Gather(x, a) axis=1\n"
         "node q = Gather(x, b) axis=1\nnode z = Add(p, q)\noutput z\n",
         false},
        {"input x float32[2,3]\nnode p = Relu(x)\nnode q = Relu(x)\nnode z = Neg(p)\nnode w = Abs(q)\n"
         "output z\noutput w\n",
         false},
        {"input x float32[2,3]\nnode p = Relu(x)\nnode q = Relu(x)\nnode z = Neg(p)\nnode w = Neg(q)\n"
         "output z\noutput w\n",
         true},
        {"input x float32[2,3]\nnode p = Relu(x)\nnode q = Relu(x)\nnode z = Neg(p)\noutput z\noutput q\n", false},
        {"input x float32[2,3]\nnode a = Neg(x)\nnode b = Abs(x)\nnode p = Relu(a)\nnode q = Relu(b)\n"
         "node z = Add(p, q)\noutput z\n",
         false},
        {"input x float32[2,3]\ninput y float32[2,3]\nnode p = Clip(x, , y)\nnode q = Clip(x, y)\nnode z = Add(p, q)\n"
         "output z\n",
         false},
    };
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if (are_alike(pairs[i].model) != pairs[i].wanted)
            (void)fprintf(stderr, "pair %zu\n", i);
        CHECK(are_alike(pairs[i].model) == pairs[i].wanted);
    }
}

/* The type before dequantizing and after quantizing, and the number of scales, are seen from the node between. */
static void test_rules_alike__neighbours_that_quantize(void)
{
    static const char format[] =
        "input x %s[2,3]\ninput y uint8[2,3]\ninit s float32 = 0.5\ninit v float32[%d]\n"
        "node a = DequantizeLinear(x, s)\nnode b = DequantizeLinear(y, %s) axis=1\nnode p = Relu(a)\nnode q = Relu(b)\n"
        "node c = QuantizeLinear(p, s, i)\nnode d = QuantizeLinear(q, s, j)\n"
        "init i uint8 = 0\ninit j %s = 0\noutput c\noutput d\n";
    static const struct {
        const char *x, *scale, *zero_point;
        bool wanted;
    } pairs[] = {{"uint8", "s", "uint8", true},
                 {"int8", "s", "uint8", false},
                 {"uint8", "v", "uint8", false},
                 {"uint8", "s", "int8", false}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        char model[512];
        (void)snprintf(model, sizeof model, format, pairs[i].x, 3, pairs[i].scale, pairs[i].zero_point);
        CHECK(are_alike(model) == pairs[i].wanted);
    }
}

/* More places are taken by one kind of node than are looked at: the rest are judged each for itself. */
static void test_rules_alike__of_many_kinds_of_one_look(void)
{
    struct npart__buffer model;
    struct npart__arena arena;
    npart__arena_init(&arena, NULL);
    npart__buffer_init(&model, &arena);
    npart__append_text(&model, "input x float32[2,3]\n");
    for (int i = 0; i < 100; i++)
        npart__append_format(&model, "node n%d = Elu(x) alpha=%d.5\n", i, i);
    npart__append_text(&model, "node p = Elu(x) alpha=200.5\nnode q = Elu(x) alpha=200.5\n");
    for (int i = 0; i < 100; i++)
        npart__append_format(&model, "output n%d\n", i);
    npart__append_text(&model, "output p\noutput q\n");
    CHECK(!are_alike(npart__buffer_text(&model)));
    npart__arena_clear(&arena);
}

/* A rule that asks for a name is asked of every node, and so is one of a node that an earlier one is like. */
static void test_rules_alike__a_rule_that_looks_beyond(void)
{
    struct analysis analysis;
    analysis_open(&analysis,
                  "input x float32[2,3]\nnode p = Relu(x)\nnode q = Relu(x)\nnode r = Relu(x)\nnode a = Elu(p)\n"
                  "node b = Elu(q)\nnode c = Elu(r)\nnode z = Sum(a, b, c)\noutput z\n",
                  "format 1\ntarget t\nop Elu\nop Relu\n  need name: name(Y) = q \"is q\"\n", NULL,
                  NULL);
    static const struct {
        const char *node;
        enum npart_verdict verdict;
        uint32_t reasons;
    } wanted[] = {{"p", NPART_VERDICT_CPU, 1}, {"q", NPART_VERDICT_NPU, 0}, {"r", NPART_VERDICT_CPU, 1},
                  {"a", NPART_VERDICT_NPU, 0}, {"b", NPART_VERDICT_NPU, 0}, {"z", NPART_VERDICT_CPU, 1}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        struct npart_node_plan node;
        REQUIRE(npart_plan_node(analysis.plan, analysis_node(&analysis, wanted[i].node), &node));
        CHECK(node.verdict == wanted[i].verdict);
        CHECK(node.reason_count == wanted[i].reasons);
    }
    analysis_close(&analysis);
}

TESTS(test_rules_alike__nodes_that_rules_can_tell_apart, test_rules_alike__neighbours_that_quantize,
      test_rules_alike__of_many_kinds_of_one_look, test_rules_alike__a_rule_that_looks_beyond)
