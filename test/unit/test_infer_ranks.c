/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a rank was lost: the node that could not tell it, whatever stands between it and the question.
 */
#include "infer/infer.h"
#include "support/built.h"
#include "support/test.h"

static struct built built;
static struct npart__inference inference;

static void infer(const char *text)
{
    struct npart__infer_options options = {0};
    build_text(&built, text);
    REQUIRE(built.status == NPART_OK);
    REQUIRE(npart__infer(&built.graph, &options, &built.arena, &inference, &built.error) == NPART_OK);
}

/* The label of the node at which the first value of a name lost its rank. */
static const char *lost(const char *name)
{
    uint32_t value = value_named(&built.graph, name);
    REQUIRE(value != NPART_NONE);
    if (inference.facts[value].has_rank)
        return "it has one";
    uint32_t node = npart__rank_lost_at(&inference, value);
    return node == NPART_NONE ? "before" : node_label(&built.graph, node);
}

static void test_infer_ranks__are_lost_where_nobody_can_tell(void)
{
    infer("input x float32[2,3]\ninput s int64[?]\n"
          "node a = Relu(x)\nnode b = Reshape(a, s)\nnode c = Relu(b)\nnode d = Add(c, x)\noutput d\n");
    CHECK_TEXT(lost("a"), "it has one");
    CHECK_TEXT(lost("b"), "b");
    CHECK_TEXT(lost("c"), "b");
    CHECK_TEXT(lost("d"), "b");
    built_close(&built);
}

static void test_infer_ranks__of_graph_inputs_are_lost_before(void)
{
    infer("input x float32\nnode a = Relu(x)\nnode b = my.domain:Any(a)\noutput b\n");
    CHECK_TEXT(lost("a"), "a"); /* the first that has to do with it */
    CHECK_TEXT(lost("b"), "a");
    CHECK_TEXT(lost("x"), "before");
    built_close(&built);
}

static void test_infer_ranks__of_captures_are_lost_outside(void)
{
    infer("graph yes\nnode p = Relu(b)\noutput p\nend\ngraph no\nnode q = Neg(b)\noutput q\nend\n"
          "input c bool[]\ninput x float32[2,3]\ninput s int64[?]\n"
          "node b = Reshape(x, s)\nnode y = If(c) then_branch=graph yes else_branch=graph no\noutput y\n");
    CHECK_TEXT(lost("p"), "b");
    CHECK_TEXT(lost("q"), "b");
    CHECK_TEXT(lost("y"), "b");
    built_close(&built);
}

static void test_infer_ranks__of_carried_values_are_lost_before_the_loop(void)
{
    infer("graph body\ninput i int64[]\ninput c bool[]\ninput v float32\n"
          "node go = Identity(c)\nnode w = Relu(v)\noutput go\noutput w\nend\n"
          "input x float32[2,3]\ninput s int64[?]\ninit trips int64[] = 5\n"
          "node b = Reshape(x, s)\nnode y = Loop(trips, , b) body=graph body\noutput y\n");
    CHECK_TEXT(lost("v"), "b");
    CHECK_TEXT(lost("w"), "b");
    CHECK_TEXT(lost("y"), "b");
    built_close(&built);
}

static void test_infer_ranks__of_carried_values_are_lost_in_the_body(void)
{
    infer("graph body\ninput i int64[]\ninput c bool[]\ninput v float32\n"
          "node go = Identity(c)\nnode w = Reshape(v, s)\noutput go\noutput w\nend\n"
          "input x float32[2,3]\ninput s int64[?]\ninit trips int64[] = 5\n"
          "node y = Loop(trips, , x) body=graph body\noutput y\n");
    CHECK_TEXT(lost("v"), "w");
    CHECK_TEXT(lost("w"), "w");
    CHECK_TEXT(lost("y"), "w");
    built_close(&built);
}

static void test_infer_ranks__that_grow_are_lost_at_the_loop(void)
{
    infer("graph body\ninput i int64[]\ninput c bool[]\ninput v float32\n"
          "node go = Identity(c)\nnode w = Unsqueeze(v) axes=[0]\noutput go\noutput w\nend\n"
          "opset 11\ninput x float32[2,3]\ninit trips int64[] = 5\n"
          "node y = Loop(trips, , x) body=graph body\noutput y\n");
    CHECK_TEXT(lost("v"), "y");
    CHECK_TEXT(lost("y"), "y");
    built_close(&built);
}

static void test_infer_ranks__of_slices_are_lost_before_the_scan(void)
{
    infer("graph body\ninput t float32\ninput v float32\n"
          "node n = Add(t, v)\nnode o = Relu(v)\noutput n\noutput o\nend\n"
          "input x float32[2,3]\ninput t0 float32[3]\ninput s int64[?]\n"
          "node b = Reshape(x, s)\nnode f, y = Scan(t0, b) body=graph body num_scan_inputs=1\noutput y\n");
    CHECK_TEXT(lost("t"), "it has one");
    CHECK_TEXT(lost("v"), "b");
    CHECK_TEXT(lost("o"), "b");
    CHECK_TEXT(lost("y"), "b");
    built_close(&built);
}

static void test_infer_ranks__of_scalars_cannot_be_scanned(void)
{
    infer("graph body\ninput v float32\nnode o = Relu(v)\noutput o\nend\n"
          "input x float32[]\nnode y = Scan(x) body=graph body num_scan_inputs=1\noutput y\n");
    CHECK_TEXT(lost("v"), "y");
    built_close(&built);
}

static void test_infer_ranks__in_a_loop_in_a_loop_are_lost_outside(void)
{
    infer("graph inner\ninput j int64[]\ninput d bool[]\ninput u float32\n"
          "node on = Identity(d)\nnode r = Relu(u)\noutput on\noutput r\nend\n"
          "graph body\ninput i int64[]\ninput c bool[]\ninput v float32\n"
          "node go = Identity(c)\nnode w = Loop(trips, , v) body=graph inner\noutput go\noutput w\nend\n"
          "input x float32[2,3]\ninput s int64[?]\ninit trips int64[] = 5\n"
          "node b = Reshape(x, s)\nnode y = Loop(trips, , b) body=graph body\noutput y\n");
    CHECK_TEXT(lost("u"), "b");
    CHECK_TEXT(lost("r"), "b");
    CHECK_TEXT(lost("y"), "b");
    built_close(&built);
}

static void test_infer_ranks__in_a_call_are_lost_outside(void)
{
    infer("function my.domain:F(p) -> (q)\nnode q = Relu(p)\nend\n"
          "input x float32[2,3]\ninput s int64[?]\nnode b = Reshape(x, s)\nnode y = my.domain:F(b)\noutput y\n");
    CHECK_TEXT(lost("y"), "b");
    built_close(&built);
}

TESTS(test_infer_ranks__are_lost_where_nobody_can_tell, test_infer_ranks__of_graph_inputs_are_lost_before,
      test_infer_ranks__of_captures_are_lost_outside, test_infer_ranks__of_carried_values_are_lost_before_the_loop,
      test_infer_ranks__of_carried_values_are_lost_in_the_body, test_infer_ranks__that_grow_are_lost_at_the_loop,
      test_infer_ranks__of_slices_are_lost_before_the_scan, test_infer_ranks__of_scalars_cannot_be_scanned,
      test_infer_ranks__in_a_loop_in_a_loop_are_lost_outside, test_infer_ranks__in_a_call_are_lost_outside)
