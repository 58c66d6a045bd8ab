/* SPDX-License-Identifier: Apache-2.0
 *
 * Bodies of control flow: their scopes and places, what they capture from outside through any number of levels, names
 * that hide others, and how a node is described.
 */
#include "support/built.h"
#include "support/proto_writer.h"
#include "support/test.h"

static struct built built;
static struct npart__graph *const graph = &built.graph;

static void open_text(const char *text)
{
    build_text(&built, text);
    CHECK_TEXT(built_text(&built), "ok");
    REQUIRE(built.status == NPART_OK);
    const char *broken = broken_promise(graph);
    CHECK_TEXT(broken ? broken : "", "");
}

/* ---- where bodies stand -------------------------------------------------------------------------------------- */

static void test_graph_scopes__an_if(void)
{
    open_text("graph yes\nnode p = Relu(x)\nnode q = Relu(p)\noutput q float32[2]\nend\n"
              "graph no\nvalue r float16[7]\nnode r = Neg(x)\noutput r\nend\n"
              "input c bool[]\ninput x float32[2]\n"
              "node a = Relu(x)\n"
              "node y = If(c) then_branch=graph yes else_branch=graph no\n"
              "output y\n");
    static const struct {
        enum npart_graph_kind kind;
        uint32_t parent, node, region, first_node, node_count, outputs;
        const char *label, *order, *path;
    } rows[] = {
        {NPART_GRAPH_MAIN, NPART_NONE, NPART_NONE, 0, 0, 2, 1, "", "a y", ""},
        {NPART_GRAPH_BODY, 0, 1, 1, 2, 2, 1, "then_branch", "p q", "1:then_branch"},
        {NPART_GRAPH_BODY, 0, 1, 2, 4, 1, 1, "else_branch", "r", "1:else_branch"},
    };
    REQUIRE(graph->scopes.count == NPART__COUNT(rows));
    for (uint32_t i = 0; i < graph->scopes.count; i++) {
        const struct npart__scope *scope = &graph->scopes.items[i];
        CHECK_INT(scope->kind, rows[i].kind);
        CHECK_INT(scope->parent, rows[i].parent);
        CHECK_INT(scope->node, rows[i].node);
        CHECK_INT(scope->region, rows[i].region);
        CHECK_INT(scope->first_node, rows[i].first_node);
        CHECK_INT(scope->node_count, rows[i].node_count);
        CHECK_INT(scope->output_count, rows[i].outputs);
        CHECK_TEXT(scope->label, rows[i].label);
        CHECK_TEXT(order_text(graph, i), rows[i].order);
        CHECK_TEXT(path_text(graph, i), rows[i].path);
    }
    CHECK_INT(graph->nodes.items[1].body_count, 2);
    CHECK_INT(graph->nodes.items[1].first_body, 1);
    CHECK_INT(npart__node_region(graph, 3), 1);
    CHECK_TEXT(captures_text(graph, 1), "x"); /* of both bodies, once */
    CHECK_TEXT(consumers_text(graph, value_named(graph, "x")), "a y p r");
    CHECK_TEXT(consumers_text(graph, value_named(graph, "c")), "y");
    CHECK_INT(graph->values.items[value_named(graph, "q")].scope, 1);
    CHECK(graph->values.items[value_named(graph, "q")].is_graph_output);
    CHECK_INT(graph->values.items[value_named(graph, "r")].declared->element_type, 0); /* as an output it has none */
    built_close(&built);
}

static void test_graph_scopes__a_loop(void)
{
    open_text("graph body\ninput i int64[]\ninput go bool[]\ninput state float32[2]\n"
              "init one float32[2] = 1 1\n"
              "node next = Add(state, one)\nnode again = Identity(go)\nnode seen = Mul(next, outer)\n"
              "output again\noutput next\noutput seen\nend\n"
              "input n int64[]\ninput c bool[]\ninput s float32[2]\ninput outer float32[2]\n"
              "node last, all = Loop(n, c, s) body=graph body\noutput last\noutput all\n");
    const struct npart__scope *body = &graph->scopes.items[1];
    CHECK_INT(body->input_count, 3);
    CHECK_INT(body->output_count, 3);
    CHECK_TEXT(npart__value_name(graph, graph->operands.items[body->first_input + 2]), "state");
    CHECK_TEXT(npart__value_name(graph, graph->operands.items[body->first_output + 1]), "next");
    CHECK_INT(graph->values.items[value_named(graph, "state")].kind, NPART__VALUE_INPUT);
    CHECK_INT(graph->values.items[value_named(graph, "state")].scope, 1);
    CHECK_INT(graph->values.items[value_named(graph, "one")].kind, NPART__VALUE_INITIALIZER);
    CHECK_TEXT(captures_text(graph, 0), "outer");
    CHECK_INT(graph->weight_bytes, 8);
    built_close(&built);
}

/* ---- captures ------------------------------------------------------------------------------------------------ */

static void test_graph_scopes__captures_through_two_levels(void)
{
    open_text("graph inner\nnode i = Add(a, o)\nnode k = Add(i, x)\noutput k\nend\n"
              "graph outer\nnode o = Relu(b)\nnode p = If(c) then_branch=graph inner else_branch=graph inner @in\n"
              "output p\nend\n"
              "input c bool[]\ninput x float32[2]\n"
              "node a = Relu(x)\nnode b = Relu(x)\n"
              "node y = If(c) then_branch=graph outer else_branch=graph outer @out\noutput y\n");
    CHECK_TEXT(captures_text(graph, node_named(graph, "@out")),
               "c x a b"); /* what inner bodies need, outer ones need */
    CHECK_TEXT(captures_text(graph, node_named(graph, "@in")), "x a o");    /* o is made one level out */
    CHECK_TEXT(consumers_text(graph, value_named(graph, "a")), "y p i i p i i");
    CHECK_TEXT(path_text(graph, graph->nodes.items[node_named(graph, "k")].scope), "2:then_branch/1:then_branch");
    built_close(&built);
}

static void test_graph_scopes__captures_of_the_constant_and_the_absent(void)
{
    open_text("graph g\nnode i = Clip(x, w, )\noutput i\nend\n"
              "input c bool[]\ninput x float32[2]\ninit w float32[]\n"
              "node y = If(c) then_branch=graph g else_branch=graph g\noutput y\n");
    CHECK_TEXT(captures_text(graph, 0), "x w");
    CHECK_INT(graph->values.items[value_named(graph, "w")].consumer_count, 3);
    built_close(&built);
}

/* A body that hands on what it captures: the value is its output, and captured, though no node of it uses it. */
static void test_graph_scopes__a_body_without_nodes(void)
{
    open_text("graph g\noutput a\nend\ngraph h\nnode b = Neg(x)\noutput b\nend\n"
              "input c bool[]\ninput x float32[2]\nnode y = If(c) then_branch=graph g else_branch=graph h\n"
              "node a = Relu(x)\noutput y\n");
    const struct npart__scope *body = &graph->scopes.items[1];
    CHECK_INT(body->node_count, 0);
    CHECK_INT(body->order_count, 0);
    CHECK_INT(graph->operands.items[body->first_output], value_named(graph, "a"));
    CHECK_TEXT(captures_text(graph, 0), "x a");
    CHECK_TEXT(order_text(graph, 0), "a y");
    built_close(&built);
}

static void test_graph_scopes__names_are_gone_after_their_body(void)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {"graph g\nnode i = Relu(x)\noutput i\nend\ninput c bool[]\ninput x float32[2]\n"
         "node y = If(c) then_branch=graph g else_branch=graph g\nnode z = Relu(i)\noutput z\n",
         "malformed, node 1 (Relu): nothing makes its input \"i\""},
        /* One branch does not see the other. */
        {"graph g\nnode i = Relu(x)\noutput i\nend\ngraph h\nnode j = Relu(i)\noutput j\nend\ninput c bool[]\n"
         "input x float32[2]\nnode y = If(c) then_branch=graph g else_branch=graph h @if\noutput y\n",
         "malformed, node 0 (Relu) in graph \"else_branch\" of node 0: nothing makes its input \"i\""},
        {"graph g\nnode i = Relu(x)\noutput j\nend\ninput c bool[]\ninput x float32[2]\n"
         "node y = If(c) then_branch=graph g else_branch=graph g\noutput y\n",
         "malformed: nothing makes graph output \"j\""},
        {"graph g\ninput p float32[2]\nnode p = Relu(x)\noutput p\nend\ninput c bool[]\ninput x float32[2]\n"
         "node y = If(c) then_branch=graph g else_branch=graph g\noutput y\n",
         "malformed, node 0 (Relu) in graph \"then_branch\" of node 0: its output \"p\" is made twice"},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        build_text(&built, rows[i].text);
        CHECK_TEXT(built_text(&built), rows[i].wanted);
        built_close(&built);
    }
}

/* ---- names that hide others ---------------------------------------------------------------------------------- */

static void test_graph_scopes__a_hidden_name(void)
{
    open_text("graph g\nnode a = Neg(x)\nnode i = Relu(a)\noutput i\nend\n"
              "graph h\nnode j = Relu(a)\noutput j\nend\n"
              "input c bool[]\ninput x float32[2]\nnode a = Relu(x)\n"
              "node y = If(c) then_branch=graph g else_branch=graph h\nnode z = Relu(a)\noutput y\noutput z\n");
    uint32_t outer = value_in(graph, 0, "a"), inner = value_in(graph, 1, "a");
    REQUIRE(outer != NPART_NONE && inner != NPART_NONE);
    CHECK_TEXT(consumers_text(graph, inner), "i");     /* the inner one is used inside, */
    CHECK_TEXT(consumers_text(graph, outer), "y z j"); /* the outer one elsewhere: in the other branch, and after */
    CHECK_TEXT(captures_text(graph, 1), "x a");
    CHECK_TEXT(finding_text(graph, "shadowed-name", 0),
               "a nested graph makes a value of the same name as one outside; the inner one is used (a)");
    CHECK_TEXT(finding_text(graph, "shadowed-name", 1), "");
    built_close(&built);
}

static void test_graph_scopes__hidden_again_and_again_is_told_once(void)
{
    open_text("graph g\ninput x float32[2]\ninit w float32[2]\nnode a = Neg(x)\noutput a\nend\n"
              "input c bool[]\ninput x float32[2]\ninit w float32[2]\nnode a = Relu(x)\n"
              "node y = If(c) then_branch=graph g else_branch=graph g\noutput y\n");
    CHECK_INT(graph->findings.count, 1);
    CHECK_TEXT(captures_text(graph, 1), "");
    built_close(&built);
}

/* ---- lists of graphs, old files ------------------------------------------------------------------------------ */

/* A node with the given attribute, inside the small model. */
static void open_attribute(struct bytes *attribute)
{
    struct bytes model_graph = small_graph(), node = {0};
    put_text(&node, 3, "holder");
    put_text(&node, 4, "Holder");
    put_message(&node, 5, attribute);
    put_message(&model_graph, 1, &node);
    struct bytes model = model_around(&model_graph);
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "ok");
    REQUIRE(built.status == NPART_OK);
    const char *broken = broken_promise(graph);
    CHECK_TEXT(broken ? broken : "", "");
}

static void test_graph_scopes__a_list_of_graphs(void)
{
    struct bytes attribute = {0};
    put_text(&attribute, 1, "branches");
    put_number(&attribute, 20, 10);
    for (int i = 0; i < 3; i++) {
        struct bytes body = {0}, node = {0};
        for (int k = 0; k <= i; k++) {
            put_text(&node, 1, "x");
            put_message(&body, 1, &node);
        }
        put_message(&attribute, 11, &body);
    }
    open_attribute(&attribute);
    const struct npart__node *holder = &graph->nodes.items[1];
    const struct npart__attribute *found = npart__node_attribute(graph, holder, "branches");
    REQUIRE(found);
    CHECK_INT(found->type, 10);
    CHECK_INT(found->count, 3);
    CHECK_INT(found->u.scope, holder->first_body);
    CHECK_INT(holder->body_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        CHECK_INT(graph->scopes.items[holder->first_body + i].node_count, i + 1);
        CHECK_TEXT(path_text(graph, holder->first_body + i), "1:branches");
    }
    built_close(&built);
}

/* An attribute that says it is a graph and holds none. */
static void test_graph_scopes__a_graph_that_is_not_there(void)
{
    struct bytes attribute = {0};
    put_text(&attribute, 1, "body");
    put_number(&attribute, 20, 5);
    open_attribute(&attribute);
    const struct npart__attribute *found = npart__node_attribute(graph, &graph->nodes.items[1], "body");
    REQUIRE(found);
    CHECK_INT(found->count, 0);
    CHECK_INT(found->u.scope, NPART_NONE);
    CHECK_INT(graph->scopes.count, 1);
    built_close(&built);
}

/* ---- describing ---------------------------------------------------------------------------------------------- */

static void describe(uint32_t node, size_t bytes, const char *wanted)
{
    char text[200];
    memset(text, 'x', sizeof text);
    npart__describe_node(graph, node, text, bytes);
    CHECK_TEXT(text, wanted);
    CHECK(bytes == 0 || strlen(text) < bytes);
}

static void test_graph_scopes__nodes_described(void)
{
    open_text("graph g\nnode i = Relu(x) @deep\noutput i\nend\ninput c bool[]\ninput x float32[2]\n"
              "node a = my.domain:Op(x)\nnode y = If(c) then_branch=graph g else_branch=graph g @the-if\noutput y\n");
    describe(0, 200, "node 0 (Op)");
    describe(1, 200, "node 1 (If the-if)");
    describe(2, 200, "node 0 (Relu deep) in graph \"then_branch\" of node 1");
    describe(1, 10, "node 1 (I"); /* cut, and ended */
    describe(1, 1, "");
    built_close(&built);
}

static void test_graph_scopes__paths_of_three_levels(void)
{
    open_text(
        "function my:F(p) -> (q)\nnode q = Relu(p)\nopset 17\nend\n"
        "graph in\nnode i = my:F(x) @call\noutput i\nend\n"
        "graph out\nnode dead = Relu(x)\nnode o = If(c) then_branch=graph in else_branch=graph in\noutput o\nend\n"
        "opset 17\nopset my 1\ninput c bool[]\ninput x float32[2]\n"
        "node y = If(c) then_branch=graph out else_branch=graph out\noutput y\n");
    uint32_t call = node_named(graph, "@call");
    CHECK_TEXT(path_text(graph, graph->nodes.items[call].callee), "0:then_branch/1:then_branch/0:F");
    CHECK_TEXT(path_text(graph, graph->nodes.items[call].scope), "0:then_branch/1:then_branch");
    CHECK_INT(graph->scopes.count, 1 + 2 * (1 + 2 * 2));
    built_close(&built);
}

TESTS(test_graph_scopes__an_if, test_graph_scopes__a_loop, test_graph_scopes__captures_through_two_levels,
      test_graph_scopes__captures_of_the_constant_and_the_absent, test_graph_scopes__a_body_without_nodes,
      test_graph_scopes__names_are_gone_after_their_body, test_graph_scopes__a_hidden_name,
      test_graph_scopes__hidden_again_and_again_is_told_once, test_graph_scopes__a_list_of_graphs,
      test_graph_scopes__a_graph_that_is_not_there, test_graph_scopes__nodes_described,
      test_graph_scopes__paths_of_three_levels)
