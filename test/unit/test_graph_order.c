/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of nodes: as the file has it where that is topological, else sorted with a finding; cycles are errors
 * that name a node on them.
 */
#include "support/built.h"
#include "support/proto_writer.h"
#include "support/test.h"

static struct built built;
static struct npart__graph *const graph = &built.graph;

static const char unsorted[] = "nodes are not in topological order, as ONNX demands; they were sorted";

struct row {
    const char *model, *order, *finding_at; /* finding_at "": none */
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int failures = test_failures;
        build_text(&built, rows[i].model);
        CHECK_TEXT(built_text(&built), "ok");
        if (built.status == NPART_OK) {
            char wanted[300] = "";
            const char *broken = broken_promise(graph);
            if (*rows[i].finding_at)
                (void)snprintf(wanted, sizeof wanted, "%s (%s)", unsorted, rows[i].finding_at);
            CHECK_TEXT(broken ? broken : "", "");
            CHECK_TEXT(order_text(graph, 0), rows[i].order);
            CHECK_TEXT(finding_text(graph, "unsorted", 0), wanted);
            CHECK_TEXT(finding_text(graph, "unsorted", 1), "");
        }
        if (failures != test_failures)
            fprintf(stderr, "in the model\n%s", rows[i].model);
        built_close(&built);
    }
}

static void test_graph_order__sorted_or_not(void)
{
    static const struct row rows[] = {
        {"output x\ninput x float32[2]\n", "", ""},
        {"input x float32[2]\nnode a = Relu(x)\nnode b = Relu(a)\nnode c = Add(a, b)\noutput c\n", "a b c", ""},
        /* Nodes that need nothing of each other keep the file's order, whatever else might be thought better. */
        {"input x float32[2]\nnode z = Relu(x)\nnode y = Relu(x)\nnode a = Relu(z)\nnode b = Relu(y)\noutput a\noutput "
         "b\n",
         "z y a b", ""},
        {"input x float32[2]\nnode b = Relu(a) @late\nnode a = Relu(x)\noutput b\n", "a b", "node 0 (Relu late)"},
        /* Of what is ready the first in the file goes first. */
        {"input x float32[2]\nnode d = Add(c, b)\nnode c = Relu(b)\nnode b = Relu(a)\nnode a = Relu(x)\noutput d\n",
         "a b c d", "node 0 (Add)"},
        {"input x float32[2]\nnode p = Relu(x)\nnode e = Relu(q)\nnode f = Relu(x)\nnode q = Relu(x)\nnode g = "
         "Relu(e)\n"
         "output g\noutput f\n",
         "p f q e g", "node 1 (Relu)"},
        {"input x float32[2]\nnode c = Relu(b)\nnode f = Relu(e)\nnode b = Relu(a)\nnode e = Relu(d)\nnode a = "
         "Relu(x)\n"
         "node d = Relu(x)\noutput c\noutput f\n",
         "a b c d e f", "node 0 (Relu)"},
        /* The same value twice, and a node that uses both outputs of another. */
        {"input x float32[2]\nnode b = Add(a, a)\nnode a = Relu(x)\noutput b\n", "a b", "node 0 (Add)"},
        {"input x float32[2]\nnode c = Add(p, q)\nnode p, q = Split(x)\noutput c\n", "p c", "node 0 (Add)"},
        /* Nodes without outputs. */
        {"input x float32[2]\nnode - = Print(a) @print\nnode a = Relu(x)\noutput a\n", "a print",
         "node 0 (Print print)"},
    };
    check_rows(rows, NPART__COUNT(rows));
}

static void test_graph_order__bodies(void)
{
    static const struct row rows[] = {
        /* What a body captures must be made before the node that holds it. */
        {"graph g\nnode i = Relu(a)\noutput i\nend\ninput c bool[]\ninput x float32[2]\n"
         "node y = If(c) then_branch=graph g else_branch=graph g\nnode a = Relu(x)\noutput y\n",
         "a y", "node 0 (If)"},
        {"graph g\nnode i = Relu(a)\noutput i\nend\ninput c bool[]\ninput x float32[2]\n"
         "node a = Relu(x)\nnode y = If(c) then_branch=graph g else_branch=graph g\noutput y\n",
         "a y", ""},
        /* Through two levels. */
        {"graph in\nnode i = Relu(a)\noutput i\nend\n"
         "graph out\nnode o = If(c) then_branch=graph in else_branch=graph in\noutput o\nend\n"
         "input c bool[]\ninput x float32[2]\n"
         "node y = If(c) then_branch=graph out else_branch=graph out @outer\nnode a = Relu(x)\noutput y\n",
         "a y", "node 0 (If outer)"},
        /* Unsorted inside a body: the finding says where. */
        {"graph g\nnode j = Relu(i)\nnode i = Relu(x)\noutput j\nend\ninput c bool[]\ninput x float32[2]\n"
         "graph h\nnode k = Relu(x)\noutput k\nend\n"
         "node y = If(c) then_branch=graph g else_branch=graph h\noutput y\n",
         "y", "node 0 (Relu) in graph \"then_branch\" of node 0"},
    };
    check_rows(rows, NPART__COUNT(rows));
}

static void test_graph_order__functions_in_place(void)
{
    static const char function[] = "function my:F(p) -> (q)\nnode t = Relu(p)\nnode q = Neg(t)\nopset 17\nend\n";
    static const struct {
        const char *text, *order, *finding_at;
    } rows[] = {
        {"input x float32[2]\nnode a = Relu(x)\nnode b = my:F(a)\nnode c = Relu(b)\noutput c\n", "a t b c", ""},
        {"input x float32[2]\nnode c = Relu(b)\nnode b = my:F(a)\nnode a = Relu(x)\noutput c\n", "a t b c",
         "node 0 (Relu)"},
        {"input x float32[2]\nnode b = my:F(a)\nnode a = my:F(x)\noutput b\n", "t a t b",
         "node 0 (Relu) in function \"F\" of node 0"},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        char model[600];
        (void)snprintf(model, sizeof model, "opset 17\nopset my 1\n%s%s", function, rows[i].text);
        struct row row = {model, rows[i].order, rows[i].finding_at};
        check_rows(&row, 1);
    }
}

/* ---- cycles -------------------------------------------------------------------------------------------------- */

static void check_cycle(const char *model, const char *const *places)
{
    build_text(&built, model);
    CHECK_INT(built.status, NPART_ERROR_MALFORMED);
    CHECK_TEXT(built.error.message, "the graph is cyclic: this node needs its own result");
    bool found = false;
    for (; *places; places++)
        found |= strcmp(built.error.place, *places) == 0;
    if (!found) {
        fprintf(stderr, "the place is %s in\n%s", built.error.place, model);
        test_failures++;
    }
    built_close(&built);
}

static void test_graph_order__cycles(void)
{
    /* Any node on the cycle will do, none beside it: `before` and `after` are not on it. */
    check_cycle("input x float32[2]\nnode a = Add(x, a)\noutput a\n", (const char *[]){"node 0 (Add)", NULL});
    check_cycle("input x float32[2]\nnode before = Relu(x)\nnode a = Add(before, b) @a\nnode b = Relu(a) @b\n"
                "node after = Relu(b) @after\noutput after\n",
                (const char *[]){"node 1 (Add a)", "node 2 (Relu b)", NULL});
    check_cycle("input x float32[2]\nnode after = Relu(c) @after\nnode c = Relu(b) @c\nnode b = Relu(a) @b\n"
                "node a = Add(x, c) @a\noutput after\n",
                (const char *[]){"node 1 (Relu c)", "node 2 (Relu b)", "node 3 (Add a)", NULL});
    /* Two cycles, one after the other. */
    check_cycle("input x float32[2]\nnode a = Add(x, b) @a\nnode b = Relu(a) @b\nnode c = Sum(b, d) @c\n"
                "node d = Relu(c) @d\nnode e = Relu(d) @e\noutput e\n",
                (const char *[]){"node 0 (Add a)", "node 1 (Relu b)", "node 2 (Sum c)", "node 3 (Relu d)", NULL});
}

static void test_graph_order__cycles_through_bodies_and_functions(void)
{
    check_cycle("graph g\nnode i = Relu(y)\noutput i\nend\ninput c bool[]\n"
                "node y = If(c) then_branch=graph g else_branch=graph g @if\noutput y\n",
                (const char *[]){"node 0 (If if)", NULL});
    check_cycle(
        "opset 17\nopset my 1\nfunction my:F(p) -> (q)\nnode t = Relu(p) @t\nnode q = Neg(t) @q\nopset 17\nend\n"
        "input x float32[2]\nnode b = my:F(c)\nnode c = Add(b, x) @c\noutput c\n",
        (const char *[]){"node 0 (Relu t) in function \"F\" of node 0", "node 1 (Neg q) in function \"F\" of node 0",
                         "node 1 (Add c)", NULL});
    check_cycle("graph g\nnode i = Add(x, j) @i\nnode j = Relu(i) @j\noutput j\nend\ninput c bool[]\n"
                "input x float32[2]\nnode y = If(c) then_branch=graph g else_branch=graph g\noutput y\n",
                (const char *[]){"node 0 (Add i) in graph \"then_branch\" of node 0",
                                 "node 1 (Relu j) in graph \"then_branch\" of node 0", NULL});
}

/* ---- many nodes ---------------------------------------------------------------------------------------------- */

static uint64_t state = 99;

static uint32_t below(uint32_t limit)
{
    state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(state >> 33) % limit;
}

/* A random graph written in a random order. The order found must be the one that Kahn's method gives when it always
 * takes the first in the file: worked out here by looking through all nodes again and again. */
static void check_shuffled(uint32_t count)
{
    enum { MOST = 40 };
    uint32_t sources[MOST][2], written[MOST], wanted[MOST];
    char model[8000] = "input x float32[2]\n", names[MOST * 8] = "", line[100];
    bool is_out[MOST] = {false};
    for (uint32_t i = 0; i < count; i++) {
        for (int k = 0; k < 2; k++)
            sources[i][k] = i && below(5) ? below(i) : NPART_NONE;
        written[i] = i;
    }
    for (uint32_t i = count; i-- > 1;) {
        uint32_t other = below(i + 1), kept = written[i];
        written[i] = written[other];
        written[other] = kept;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t id = written[i];
        char left[16] = "x", right[16] = "x";
        if (sources[id][0] != NPART_NONE)
            (void)snprintf(left, sizeof left, "n%u", sources[id][0]);
        if (sources[id][1] != NPART_NONE)
            (void)snprintf(right, sizeof right, "n%u", sources[id][1]);
        (void)snprintf(line, sizeof line, "node n%u = Add(%s, %s)\n", id, left, right);
        strcat(model, line);
    }
    strcat(model, "output x\n");
    for (uint32_t n = 0; n < count; n++) {
        for (uint32_t i = 0; i < count; i++) {
            uint32_t id = written[i], a = sources[id][0], b = sources[id][1];
            if (is_out[id] || (a != NPART_NONE && !is_out[a]) || (b != NPART_NONE && !is_out[b]))
                continue;
            wanted[n] = id;
            is_out[id] = true;
            break;
        }
        (void)snprintf(line, sizeof line, "%sn%u", n ? " " : "", wanted[n]);
        strcat(names, line);
    }
    build_text(&built, model);
    REQUIRE(built.status == NPART_OK);
    const char *broken = broken_promise(graph);
    CHECK_TEXT(broken ? broken : "", "");
    CHECK_TEXT(order_text(graph, 0), names);
    built_close(&built);
}

static void test_graph_order__shuffled_graphs(void)
{
    for (int i = 0; i < 1500; i++)
        check_shuffled(1 + below(40));
}

/* What would take minutes if each were looked at for each: calls of a function that hands its input on, the last one
 * first; and a circle through a node that uses very much else, beside very many other nodes. */
static void test_graph_order__many_handed_on(void)
{
    enum { MANY = 200000 };
    char *text = malloc((size_t)MANY * 48 + 1000), *end = text;
    REQUIRE(text);
    end += sprintf(end, "opset 17\nopset my 1\nfunction my:F(p) -> (p)\nopset 17\nend\ninput y0 float32[2]\n");
    for (int i = MANY; i > 0; i--)
        end += sprintf(end, "node y%d = my:F(y%d)\n", i, i - 1);
    (void)sprintf(end, "node z = Relu(y%d)\noutput z\n", (int)MANY);
    build_text(&built, text);
    free(text);
    REQUIRE(built.status == NPART_OK);
    CHECK_TEXT(consumers_text(graph, value_named(graph, "y0")), "z");
    built_close(&built);
}

static void test_graph_order__a_circle_among_much(void)
{
    enum { MANY = 200000 };
    struct bytes model_graph = small_graph(), node = {0};
    for (int i = 0; i < MANY; i++)
        put_text(&node, 1, "x");
    put_text(&node, 1, "b");
    put_text(&node, 2, "a");
    put_text(&node, 4, "Concat");
    put_message(&model_graph, 1, &node);
    put_text(&node, 1, "a");
    put_text(&node, 2, "b");
    put_text(&node, 4, "Relu");
    put_message(&model_graph, 1, &node);
    put_text(&node, 1, "x");
    put_text(&node, 4, "Relu");
    for (int i = 0; i < MANY; i++)
        put_bytes(&model_graph, 1, node.data, node.size);
    bytes_free(&node);
    struct bytes model = model_around(&model_graph);
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "malformed, node 1 (Concat): the graph is cyclic: this node needs its own result");
    built_close(&built);
}

/* ---- who uses a value ------------------------------------------------------------------------------------- */

/* A value with `relus` users of one op, so many of different ops, and a QuantizeLinear. */
static void build_users(uint32_t relus, uint32_t ops)
{
    static char text[40000];
    char *end = text + sprintf(text, "input x float32[2]\ninit s float32[] = 1\n");
    for (uint32_t i = 0; i < relus; i++)
        end += sprintf(end, "node r%u = Relu(x)\noutput r%u\n", i, i);
    for (uint32_t i = 0; i < ops; i++)
        end += sprintf(end, "node o%u = my:K%u(x)\noutput o%u\n", i, i, i);
    sprintf(end, "node q = QuantizeLinear(x, s)\noutput q\n");
    build_text(&built, text);
    CHECK_TEXT(built_text(&built), "ok");
    CHECK_TEXT(broken_promise(graph) ? "broken" : "", "");
}

/* The kinds' nodes, one after the other. */
static const char *kinds_of_first_value(void)
{
    static char out[4000];
    uint32_t count;
    const uint32_t *kinds = npart__user_kinds(graph, npart__node_input(graph, npart__node_at(graph, 0), 0), &count);
    char *end = out;
    for (uint32_t i = 0; i < count; i++)
        end += kinds[i] == NPART_NONE ? sprintf(end, " more") : sprintf(end, " %u", kinds[i]);
    return out;
}

static void test_graph_order__users_by_kind(void)
{
    build_users(3, 1); /* few are told one by one */
    CHECK_TEXT(kinds_of_first_value(), " 0 1 2 3 4");
    built_close(&built);
    build_users(NPART__FEW_USERS - 1, 0);
    CHECK_TEXT(kinds_of_first_value(), " 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15");
    built_close(&built);
    build_users(NPART__FEW_USERS, 1);
    CHECK_TEXT(kinds_of_first_value(), " 0 16 17");
    built_close(&built);
}

static void test_graph_order__users_of_too_many_kinds(void)
{
    build_users(1, NPART__LIMIT_USER_KINDS - 2);
    CHECK(!strstr(kinds_of_first_value(), "more") && strstr(kinds_of_first_value(), " 254 255"));
    built_close(&built);
    /* One that quantizes is told all the same. */
    build_users(1, NPART__LIMIT_USER_KINDS - 1);
    CHECK(strstr(kinds_of_first_value(), " 253 254 256 more") != NULL);
    built_close(&built);
}

TESTS(test_graph_order__sorted_or_not, test_graph_order__bodies, test_graph_order__functions_in_place,
      test_graph_order__cycles, test_graph_order__cycles_through_bodies_and_functions,
      test_graph_order__shuffled_graphs, test_graph_order__many_handed_on, test_graph_order__a_circle_among_much,
      test_graph_order__users_by_kind, test_graph_order__users_of_too_many_kinds)
