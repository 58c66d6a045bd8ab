/* SPDX-License-Identifier: Apache-2.0
 *
 * Model-local functions: what stands in place of a call, what names and attributes mean inside, which function is
 * called, and calls that cannot be.
 */
#include "support/built.h"
#include "support/proto_writer.h"
#include "support/test.h"

static struct built built;
static struct npart__graph *const graph = &built.graph;

#define OPSETS "opset 17\nopset my 1\n"

static void check_promises(void)
{
    const char *broken = broken_promise(graph);
    CHECK_TEXT(broken ? broken : "", "");
}

static void open_text(const char *text)
{
    build_text(&built, text);
    CHECK_TEXT(built_text(&built), "ok");
    REQUIRE(built.status == NPART_OK);
    check_promises();
}

static const char *inputs_of(const char *node)
{
    static char text[400];
    uint32_t id = node_named(graph, node);
    size_t used = 0;
    *text = '\0';
    REQUIRE(id != NPART_NONE);
    for (uint32_t k = 0; k < graph->nodes.items[id].input_count; k++) {
        uint32_t value = npart__node_input(graph, &graph->nodes.items[id], k);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", k ? " " : "",
                                 value == NPART_NONE ? "-" : npart__value_name(graph, value));
    }
    return text;
}

/* ---- inlining ------------------------------------------------------------------------------------------------ */

static void test_graph_functions__a_call(void)
{
    open_text(OPSETS "function my:F(p, w) -> (q)\nnode t = Mul(p, w) @mul\nnode q = Relu(t) @relu\nopset 13\nend\n"
              "input x float32[2]\ninput t float32[2]\n"
              "node a = Relu(x)\nnode b = my:F(a, t) @call\nnode c = Add(b, t)\noutput c\n");
    const struct npart__node *call = &graph->nodes.items[1];
    const struct npart__scope *inside = &graph->scopes.items[1];
    REQUIRE(graph->nodes.count == 5 && graph->scopes.count == 2);
    CHECK_INT(call->callee, 1);
    CHECK(call->schema == NULL);
    CHECK_INT(inside->kind, NPART_GRAPH_CALL);
    CHECK_INT(inside->parent, 0);
    CHECK_INT(inside->node, 1);
    CHECK_INT(inside->region, 0); /* its nodes are partitioned with the caller's */
    CHECK_INT(inside->first_node, 3);
    CHECK_INT(inside->node_count, 2);
    CHECK_TEXT(inside->label, "F");
    CHECK_TEXT(path_text(graph, 1), "1:F");
    CHECK_TEXT(order_text(graph, 0), "a t b c");
    CHECK_TEXT(inputs_of("@mul"), "a t");
    CHECK_TEXT(node_label(graph, graph->values.items[value_named(graph, "b")].producer), "b");
    CHECK_INT(graph->values.items[value_named(graph, "b")].producer, 4); /* the Relu inside, not the call */
    CHECK_TEXT(consumers_text(graph, value_named(graph, "a")), "t");
    CHECK_TEXT(consumers_text(graph, value_in(graph, 0, "t")), "c t"); /* the input: the function has a t of its own */
    CHECK_TEXT(consumers_text(graph, value_in(graph, 1, "t")), "b");
    CHECK_INT(graph->nodes.items[3].opset_version, 13); /* the function's own imports */
    CHECK_INT(graph->nodes.items[0].opset_version, 17);
    CHECK_INT(graph->findings.count, 0); /* names inside hide nothing */
    built_close(&built);
}

static void test_graph_functions__two_calls_share_nothing(void)
{
    open_text(OPSETS "function my:F(p) -> (q)\nnode t = Relu(p)\nnode q = Neg(t)\nopset 17\nend\n"
              "input x float32[2]\nnode a = my:F(x)\nnode b = my:F(a)\noutput b\n");
    REQUIRE(graph->scopes.count == 3);
    CHECK_TEXT(order_text(graph, 0), "t a t b");
    uint32_t first = value_in(graph, 1, "t"), second = value_in(graph, 2, "t");
    REQUIRE(first != NPART_NONE && second != NPART_NONE);
    CHECK(first != second);
    CHECK_TEXT(consumers_text(graph, value_named(graph, "a")), "t");
    built_close(&built);
}

static void test_graph_functions__calls_of_calls(void)
{
    open_text(OPSETS "function my:G(p) -> (q)\nnode q = Neg(p) @neg\nopset 17\nend\n"
              "function my:F(p) -> (q, r)\nnode s = Relu(p)\nnode q = my:G(s)\nnode r = my:G(q)\n"
              "opset 17\nopset my 1\nend\n"
              "input x float32[2]\nnode a, b = my:F(x)\noutput a\noutput b\n");
    CHECK_TEXT(order_text(graph, 0), "s a b");
    CHECK_INT(graph->scopes.count, 4);
    CHECK_TEXT(path_text(graph, 2), "0:F/1:G");
    CHECK_TEXT(path_text(graph, 3), "0:F/2:G");
    CHECK_TEXT(consumers_text(graph, value_named(graph, "a")), "b");
    CHECK(graph->values.items[value_named(graph, "a")].is_graph_output);
    built_close(&built);
}

static void test_graph_functions__in_a_body(void)
{
    open_text(OPSETS "function my:F(p) -> (q)\nnode t = Relu(p) @relu\nnode q = Add(t, p)\nopset 17\nend\n"
              "graph g\nnode i = my:F(x)\noutput i\nend\n"
              "input c bool[]\ninput x float32[2]\n"
              "node y = If(c) then_branch=graph g else_branch=graph g @if\noutput y\n");
    uint32_t relu = node_named(graph, "@relu");
    CHECK_INT(npart__node_region(graph, relu), 1); /* the body's, not the main graph's */
    CHECK_TEXT(order_text(graph, 1), "t i");
    CHECK_TEXT(captures_text(graph, 0), "x");
    built_close(&built);
}

static void test_graph_functions__with_a_body_inside(void)
{
    open_text("graph g\nnode i = Add(p, s)\noutput i\nend\n" OPSETS
              "function my:F(c, p) -> (q)\nnode s = Relu(p)\n"
              "node q = If(c) then_branch=graph g else_branch=graph g @if\nopset 17\nend\n"
              "input go bool[]\ninput x float32[2]\nnode y = my:F(go, x)\noutput y\n");
    uint32_t holder = node_named(graph, "@if");
    CHECK_TEXT(captures_text(graph, holder), "x s"); /* the caller's value under the formal name */
    CHECK_TEXT(order_text(graph, 0), "s y");
    CHECK_TEXT(path_text(graph, graph->nodes.items[holder].first_body), "0:F/1:then_branch");
    built_close(&built);
}

/* ---- absent operands ----------------------------------------------------------------------------------------- */

static void test_graph_functions__absent_operands(void)
{
    static const struct {
        const char *call, *inside;
    } rows[] = {
        {"my:F(x, x)", "x x"}, {"my:F(x, )", "x"}, {"my:F(x)", "x -"}, {"my:F(, x)", "- x"}, {"my:F()", "- -"},
        {"my:F(x, x, x)", "x x"}, /* one too many: nobody asks for it */
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        char text[400], wanted[20];
        (void)snprintf(text, sizeof text,
                       OPSETS "function my:F(p, w) -> (q)\nnode q = Op(p, w) @op\nopset 17\nend\n"
                              "input x float32[2]\nnode y = %s\noutput y\n",
                       rows[i].call);
        (void)snprintf(wanted, sizeof wanted, "%s%s", rows[i].inside, strlen(rows[i].inside) == 1 ? " -" : "");
        open_text(text);
        CHECK_TEXT(inputs_of("@op"), wanted);
        built_close(&built);
    }
}

static void test_graph_functions__outputs_that_nobody_wants(void)
{
    open_text(OPSETS
              "function my:F(p) -> (q, r, s)\nnode q = Relu(p)\nnode r = Neg(q)\nnode s = Add(q, r)\nopset 17\nend\n"
              "input x float32[2]\nnode -, y = my:F(x)\noutput y\n");
    CHECK_TEXT(order_text(graph, 0), "q y s");
    uint32_t own = value_named(graph, "q"); /* a value of the function's own */
    REQUIRE(own != NPART_NONE);
    CHECK_INT(graph->values.items[own].scope, 1);
    CHECK_TEXT(consumers_text(graph, own), "y s");
    built_close(&built);
}

/* ---- outputs that are inputs --------------------------------------------------------------------------------- */

static void test_graph_functions__an_input_handed_on(void)
{
    open_text(OPSETS "function my:F(p) -> (q, p)\nnode q = Relu(p)\nopset 17\nend\n"
              "input x float32[2]\nnode a = Relu(x)\nnode b, c = my:F(a)\nnode d = Add(c, b)\noutput d\noutput c\n");
    uint32_t a = value_named(graph, "a"), c = value_named(graph, "c");
    CHECK_INT(graph->values.items[c].alias, a);
    CHECK_INT(graph->values.items[c].consumer_count, 0);
    CHECK_TEXT(consumers_text(graph, a), "d b");
    CHECK_TEXT(inputs_of("d"), "a b");
    CHECK(graph->values.items[a].is_graph_output); /* c is one, and c is a */
    CHECK_INT(graph->operands.items[graph->scopes.items[0].first_output + 1], a);
    built_close(&built);
}

static void test_graph_functions__handed_on_by_several(void)
{
    open_text(OPSETS "function my:G(p) -> (p)\nopset 17\nend\n"
              "function my:F(p) -> (q)\nnode r = my:G(p)\nnode q = my:G(r)\nopset 17\nopset my 1\nend\n"
              "graph g\nnode i = Relu(b)\noutput i\nend\n"
              "input c bool[]\ninput x float32[2]\nnode b = my:F(x)\n"
              "node y = If(c) then_branch=graph g else_branch=graph g\noutput y\n");
    uint32_t x = value_named(graph, "x");
    CHECK_INT(graph->values.items[value_named(graph, "b")].alias, x);
    CHECK_TEXT(captures_text(graph, node_named(graph, "y")), "x");
    CHECK_TEXT(order_text(graph, 0), "y");
    built_close(&built);
}

static void test_graph_functions__one_value_for_two_outputs(void)
{
    open_text(OPSETS "function my:F(p) -> (q, q)\nnode q = Relu(p)\nopset 17\nend\n"
              "input x float32[2]\nnode a, b = my:F(x)\nnode c = Add(a, b)\noutput c\n");
    CHECK_TEXT(inputs_of("c"), "a a");
    built_close(&built);
}

/* ---- which function ------------------------------------------------------------------------------------------ */

static struct bytes function_named(const char *domain, const char *name, const char *overload, const char *op)
{
    struct bytes function = {0}, node = {0}, opset = {0};
    put_text(&function, 1, name);
    if (domain)
        put_text(&function, 10, domain);
    if (overload)
        put_text(&function, 13, overload);
    put_text(&function, 4, "p");
    put_text(&function, 5, "q");
    put_text(&node, 1, "p");
    put_text(&node, 2, "q");
    put_text(&node, 4, op);
    put_message(&function, 7, &node);
    put_number(&opset, 2, 17);
    put_message(&function, 9, &opset);
    return function;
}

static void put_call(struct bytes *model_graph, const char *domain, const char *op, const char *overload, unsigned id)
{
    struct bytes node = {0};
    char name[16];
    (void)snprintf(name, sizeof name, "v%u", id);
    put_text(&node, 1, "x");
    put_text(&node, 2, name);
    put_text(&node, 4, op);
    if (domain)
        put_text(&node, 7, domain);
    if (overload)
        put_text(&node, 8, overload);
    put_message(model_graph, 1, &node);
}

static void test_graph_functions__chosen_by_domain_name_and_overload(void)
{
    static const struct {
        const char *domain, *name, *overload;
    } keys[] = {
        {"my", "F", NULL}, {"my", "F", "half"}, {"my", "F", "full"},  {"my", "G", NULL},        {"other", "F", NULL},
        {NULL, "Relu", NULL}, /* of ai.onnx: goes before the operator */
        {"a:b", "c", NULL},   {"a", "b:c", NULL}, {"a", "b", "c"},    {"a:b", "", "c"},
    };
    struct bytes model_graph = small_graph(), functions = {0};
    for (unsigned i = 0; i < NPART__COUNT(keys); i++) {
        char op[16];
        (void)snprintf(op, sizeof op, "Inner%u", i);
        struct bytes function = function_named(keys[i].domain, keys[i].name, keys[i].overload, op);
        put_message(&functions, 25, &function);
        put_call(&model_graph, keys[i].domain, keys[i].name, keys[i].overload, i);
    }
    put_call(&model_graph, "my", "F", "none", 90);
    put_call(&model_graph, "mine", "F", NULL, 91);
    put_call(&model_graph, "ai.onnx", "Relu", "", 92); /* "" by another name; and an overload of "" is none */
    struct bytes model = model_around(&model_graph);
    bytes_put(&model, functions.data, functions.size);
    bytes_free(&functions);
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "ok");
    check_promises();
    for (unsigned i = 0; i < NPART__COUNT(keys) + 3; i++) {
        const struct npart__node *call = &graph->nodes.items[1 + i];
        const char *wanted[] = {"", "", "Inner5"};
        char inner[16];
        (void)snprintf(inner, sizeof inner, "Inner%u", i);
        const char *op = i < NPART__COUNT(keys) ? inner : wanted[i - NPART__COUNT(keys)];
        CHECK_INT(call->callee != NPART_NONE, *op != '\0');
        if (call->callee == NPART_NONE)
            continue;
        const struct npart__node *first = &graph->nodes.items[graph->scopes.items[call->callee].first_node];
        CHECK_TEXT(npart__node_op(graph, first), op);
    }
    /* The small graph's own Relu is a call too. */
    CHECK(graph->nodes.items[0].callee != NPART_NONE);
    built_close(&built);
}

static void test_graph_functions__defined_twice(void)
{
    struct bytes model_graph = small_graph(), model = model_around(&model_graph);
    for (int i = 0; i < 2; i++) {
        struct bytes function = function_named("my", "F", i ? "" : NULL, "Relu");
        put_message(&model, 25, &function);
    }
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "malformed: function \"my:F\" is defined twice");
    built_close(&built);
}

static void test_graph_functions__that_nobody_calls(void)
{
    open_text(OPSETS "function my:Used(p) -> (q)\nnode q = Relu(p)\nopset 17\nend\n"
              "function my:Dead(p) -> (q)\nnode q = my:AlsoDead(p)\nopset 17\nend\n"
              "function my:AlsoDead(p) -> (q)\nnode q = Relu(nowhere)\nopset 17\nend\n"
              "input x float32[2]\nnode y = my:Used(x)\noutput y\n");
    CHECK_TEXT(finding_text(graph, "unused-function", 0), "no node calls this function (Dead)");
    CHECK_TEXT(finding_text(graph, "unused-function", 1), "no node calls this function (AlsoDead)");
    CHECK_TEXT(finding_text(graph, "unused-function", 2), "");
    built_close(&built);
}

/* ---- attributes ---------------------------------------------------------------------------------------------- */

static void check_float(const char *node, const char *name, double wanted)
{
    uint32_t id = node_named(graph, node);
    REQUIRE(id != NPART_NONE);
    const struct npart__attribute *found = npart__node_attribute(graph, &graph->nodes.items[id], name);
    CHECK((found != NULL) == (wanted >= 0));
    if (found) {
        CHECK_INT(found->type, 1);
        CHECK_TEXT(found->name, name);
        CHECK(found->u.f == (float)wanted);
    }
}

static void test_graph_functions__references_to_attributes(void)
{
    open_text(
        OPSETS
        "function my:F(p) -> (q) k\nnode q = LeakyRelu(p) alpha=$k beta=$d gamma=$missing\n"
        "default d=0.25\nopset 17\nend\n"
        "input x float32[2]\nnode a = my:F(x) k=0.5\nnode b = my:F(x)\nnode c = my:F(x) d=0.75 k=1.5 unasked=2.5\n"
        "output a\noutput b\noutput c\n");
    /* alpha, beta, gamma inside each call; below 0: not there */
    static const double wanted[3][3] = {{0.5, 0.25, -1}, {-1, 0.25, -1}, {1.5, 0.75, -1}};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t inside = graph->scopes.items[graph->nodes.items[i].callee].first_node;
        static const char *const names[] = {"alpha", "beta", "gamma"};
        for (int k = 0; k < 3; k++) {
            const struct npart__attribute *found =
                npart__node_attribute(graph, &graph->nodes.items[inside], names[k]);
            CHECK((found != NULL) == (wanted[i][k] >= 0));
            CHECK(!found || found->u.f == (float)wanted[i][k]);
        }
        CHECK(npart__node_attribute(graph, &graph->nodes.items[inside], "k") == NULL);
    }
    built_close(&built);
}

static void test_graph_functions__references_through_two_calls(void)
{
    open_text(OPSETS "function my:G(p) -> (q) inner\nnode q = LeakyRelu(p) alpha=$inner @leaky\nopset 17\nend\n"
              "function my:F(p) -> (q) outer\nnode q = my:G(p) inner=$outer\nopset 17\nopset my 1\nend\n"
              "input x float32[2]\nnode a = my:F(x) outer=0.5\noutput a\n");
    check_float("@leaky", "alpha", 0.5);
    built_close(&built);
    /* The middle one is not given: neither is the inner one, though the outer call has an attribute of that name. */
    open_text(OPSETS "function my:G(p) -> (q) inner\nnode q = LeakyRelu(p) alpha=$inner @leaky\nopset 17\nend\n"
              "function my:F(p) -> (q) outer\nnode q = my:G(p)\nopset 17\nopset my 1\nend\n"
              "input x float32[2]\nnode a = my:F(x) outer=0.5 inner=0.75\noutput a\n");
    check_float("@leaky", "alpha", -1);
    built_close(&built);
}

static void test_graph_functions__references_in_a_body(void)
{
    open_text("graph g\nnode i = LeakyRelu(p) alpha=$k @leaky\noutput i\nend\n" OPSETS
              "function my:F(c, p) -> (q) k\nnode q = If(c) then_branch=graph g else_branch=graph g\nopset 17\nend\n"
              "input go bool[]\ninput x float32[2]\nnode y = my:F(go, x) k=0.5\noutput y\n");
    check_float("@leaky", "alpha", 0.5);
    built_close(&built);
}

static void test_graph_functions__references_to_graphs(void)
{
    open_text("graph g\nnode i = Relu(x)\noutput i\nend\n" OPSETS
              "function my:F(c) -> (q) e\nnode q = If(c) then_branch=$e else_branch=$e @if\nopset 17\nend\n"
              "input go bool[]\ninput x float32[2]\nnode y = my:F(go) e=graph g @call\noutput y\n");
    const struct npart__node *call = &graph->nodes.items[node_named(graph, "@call")];
    const struct npart__node *user = &graph->nodes.items[node_named(graph, "@if")];
    CHECK_INT(npart__node_attribute(graph, call, "e")->u.scope, call->first_body);
    /* There is one, and its nodes stand in the call's body alone. */
    CHECK_INT(user->attribute_count, 2);
    CHECK_INT(npart__node_attribute(graph, user, "then_branch")->u.scope, NPART_NONE);
    CHECK_INT(npart__node_attribute(graph, user, "else_branch")->u.scope, NPART_NONE);
    built_close(&built);
}

static void test_graph_functions__references_outside_functions_mean_nothing(void)
{
    open_text("input x float32[2]\nnode y = LeakyRelu(x) alpha=$k k=0.5\noutput y\n");
    CHECK(npart__node_attribute(graph, &graph->nodes.items[0], "alpha") == NULL);
    check_float("y", "k", 0.5);
    built_close(&built);
}

/* ---- opsets -------------------------------------------------------------------------------------------------- */

static void test_graph_functions__imports(void)
{
    open_text(
        "opset 17\nopset my 1\nopset com.microsoft 1\n"
        "function my:Own(p) -> (q)\nnode q = Split(p) @own\nopset 11\nend\n"
        "function my:None(p) -> (q)\nnode q = Split(p) @none\nend\n"
        "function my:Other(p) -> (q)\nnode r = my:None(p)\nnode q = Split(r) @other\nopset 2\nopset my 1\nend\n"
        "input x float32[2]\nnode a = my:Own(x)\nnode b = my:None(a)\nnode c = my:Other(b)\nnode d = Split(c) @main\n"
        "output d\n");
    static const struct {
        const char *node;
        uint32_t which;
        int version, since;
    } rows[] = {
        {"@main", 0, 17, 13}, {"@own", 0, 11, 11}, {"@none", 0, 17, 13}, {"@none", 1, 2, 2}, {"@other", 0, 2, 2}};
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        uint32_t which = rows[i].which, id = 0;
        for (; id < graph->nodes.count; id++)
            if (strcmp(graph->nodes.items[id].name, rows[i].node + 1) == 0 && which-- == 0)
                break;
        REQUIRE(id < graph->nodes.count);
        CHECK_INT(graph->nodes.items[id].opset_version, rows[i].version);
        CHECK_INT(graph->nodes.items[id].schema ? graph->nodes.items[id].schema->since : 0, rows[i].since);
    }
    built_close(&built);
}

/* ---- calls that cannot be ------------------------------------------------------------------------------------ */

static void test_graph_functions__calls_that_cannot_be(void)
{
    static const struct {
        const char *text, *wanted;
    } rows[] = {
        {OPSETS "function my:F(p) -> (q)\nnode r = Relu(p)\nopset 17\nend\ninput x float32[2]\n"
                "node y = my:F(x) @f\noutput y\n",
         "malformed, node 0 (F f): its function does not make output \"y\""},
        {OPSETS "function my:F(p) -> (q)\nnode q = Relu(p)\nopset 17\nend\ninput x float32[2]\n"
                "node y, z = my:F(x)\noutput z\n",
         "malformed, node 0 (F): its function does not make output \"z\""},
        {OPSETS "function my:F(p) -> (q)\nnode q = Relu(x)\nopset 17\nend\ninput x float32[2]\n"
                "node y = my:F(x)\noutput y\n", /* the caller's names are not seen */
         "malformed, node 0 (Relu) in function \"F\" of node 0: nothing makes its input \"x\""},
        {OPSETS "function my:F(p) -> (q)\nnode q = Relu(p)\nnode q = Neg(p)\nopset 17\nend\ninput x float32[2]\n"
                "node y = my:F(x)\noutput y\n",
         "malformed, node 1 (Neg) in function \"F\" of node 0: its output \"q\" is made twice"},
        {OPSETS "function my:F(p) -> (q)\nnode p = Relu(p)\nnode q = Neg(p)\nopset 17\nend\ninput x float32[2]\n"
                "node y = my:F(x)\noutput y\n",
         "malformed, node 0 (Relu) in function \"F\" of node 0: its output \"p\" is made twice"},
        {OPSETS "function my:F(p, w) -> (w)\nopset 17\nend\ninput x float32[2]\nnode y = my:F(x)\noutput y\n",
         "malformed, node 0 (F): function output \"w\" is an input that the call leaves out"},
        {OPSETS "function my:F(p, r) -> (r, p)\nopset 17\nend\nnode y, z = my:F(y, z)\noutput y\n",
         "malformed: function outputs \"y\" name each other"},
        {OPSETS "function my:F(p) -> (p)\nopset 17\nend\nnode y = my:F(y)\noutput y\n",
         "malformed: nothing makes \"y\""},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        build_text(&built, rows[i].text);
        CHECK_TEXT(built_text(&built), rows[i].wanted);
        built_close(&built);
    }
}

static void test_graph_functions__calling_themselves(void)
{
    build_text(&built, OPSETS "function my:F(p) -> (q)\nnode q = my:F(p) @again\nopset 17\nopset my 1\nend\n"
                              "input x float32[2]\nnode y = my:F(x)\noutput y\n");
    CHECK_TEXT(built_text(&built), "malformed, node 0 (F again) in function \"F\" of node 0: functions call each "
                                   "other deeper than 64 (limit call-depth): \"F\" calls itself?");
    built_close(&built);
    build_text(&built, OPSETS "function my:F(p) -> (q)\nnode q = my:G(p)\nopset 17\nopset my 1\nend\n"
                              "function my:G(p) -> (q)\nnode r = Relu(p)\nnode q = my:F(r)\nopset 17\nopset my 1\nend\n"
                              "input x float32[2]\nnode y = my:F(x)\noutput y\n");
    CHECK_INT(built.status, NPART_ERROR_MALFORMED);
    built_close(&built);
}

/* A chain of calls, each function calling the next: `calls` deep. */
static void open_chain(unsigned calls)
{
    static char text[20000];
    (void)snprintf(text, sizeof text, OPSETS "input x float32[2]\n");
    for (unsigned i = 0; i < calls; i++) {
        char line[200];
        (void)snprintf(line, sizeof line,
                       "function my:F%u(p) -> (q)\nnode q = %s%u(p) @n%u\nopset 17\nopset my 1\nend\n", i,
                       i + 1 < calls ? "my:F" : "Leaf", i + 1, i);
        strcat(text, line);
    }
    strcat(text, "node y = my:F0(x)\noutput y\n");
    build_text(&built, text);
}

static void test_graph_functions__as_deep_as_calls_may_go(void)
{
    open_chain(NPART__LIMIT_CALL_DEPTH);
    CHECK_TEXT(built_text(&built), "ok");
    CHECK_INT(graph->scopes.count, 65);
    CHECK_TEXT(order_text(graph, 0), "y");
    check_promises();
    built_close(&built);
    open_chain(NPART__LIMIT_CALL_DEPTH + 1);
    CHECK_TEXT(built_text(&built), "malformed, node 0 (F64 n63) in function \"F63\" of node 0: functions call each "
                                   "other deeper than 64 (limit call-depth): \"F64\" calls itself?");
    built_close(&built);
}

TESTS(test_graph_functions__a_call, test_graph_functions__two_calls_share_nothing,
      test_graph_functions__calls_of_calls, test_graph_functions__in_a_body,
      test_graph_functions__with_a_body_inside, test_graph_functions__absent_operands,
      test_graph_functions__outputs_that_nobody_wants, test_graph_functions__an_input_handed_on,
      test_graph_functions__handed_on_by_several, test_graph_functions__one_value_for_two_outputs,
      test_graph_functions__chosen_by_domain_name_and_overload, test_graph_functions__defined_twice,
      test_graph_functions__that_nobody_calls, test_graph_functions__references_to_attributes,
      test_graph_functions__references_through_two_calls, test_graph_functions__references_in_a_body,
      test_graph_functions__references_to_graphs,
      test_graph_functions__references_outside_functions_mean_nothing, test_graph_functions__imports,
      test_graph_functions__calls_that_cannot_be, test_graph_functions__calling_themselves,
      test_graph_functions__as_deep_as_calls_may_go)
