/* SPDX-License-Identifier: Apache-2.0
 *
 * moe-dense: one model of an expert, and each line of it another. Either the expert still runs on all tokens, or the
 * model stays as it is, since nothing says any more that the two compute the same.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/rewrite_text.h"
#include "support/test.h"

/* One expert of five, two for each of three tokens. */
static const char model[] = "input x float32[3,4]\n"
                            "input other float32[9,4]\n"
                            "input column float32[3,1,4]\n"
                            "input ww float32[3,2]\n"
                            "input more float32[3,3]\n"
                            "input square float32[4,4]\n"
                            "input sent bool[2,3]\n"
                            "init wg float32[4,5]\n"
                            "init w1 float32[4,4]\n"
                            "init vector float32[4]\n"
                            "init row float32[1,4]\n"
                            "init rows3 float32[3,4]\n"
                            "init z float32[3,4]\n"
                            "init k int64[1] = 2\n"
                            "init five int64[] = 5\n"
                            "init off_on int64[2] = 0 1\n"
                            "init e int64[] = 3\n"
                            "init ones int64[2] = 1 1\n"
                            "init one int64[1] = 1\n"
                            "init zero int64[1] = 0\n"
                            "init both int64[2] = 0 1\n"
                            "init two int64[] = 2\n"
                            "init back int64[2] = -1 4\n"
                            "init halves int64[2] = -1 2\n"
                            "init as_column int64[2] = -1 1\n"
                            "node r = MatMul(x, wg)\n"
                            "node w, i = TopK(r, k)\n"
                            "node h = OneHot(i, five, off_on)\n"
                            "node ht = Transpose(h) perm=[2,1,0]\n"
                            "node hg = Gather(ht, e)\n"
                            "node m = Cast(hg) to=9\n"
                            "node nz = NonZero(m)\n"
                            "node nt = Transpose(nz) perm=[1,0]\n"
                            "node a, b = Split(nt, ones) axis=1\n"
                            "node p = Squeeze(a, one)\n"
                            "node t = Squeeze(b, one)\n"
                            "node rows = Gather(x, t)\n"
                            "node h1 = MatMul(rows, w1)\n"
                            "node y0 = Relu(h1)\n"
                            "node w3 = Unsqueeze(w, k)\n"
                            "node wf = Flatten(w3) axis=2\n"
                            "node t2 = Mul(t, two)\n"
                            "node at = Add(p, t2)\n"
                            "node own = Gather(wf, at)\n"
                            "node v = Mul(y0, own)\n"
                            "node u = Unsqueeze(t, one)\n"
                            "node s = Shape(v)\n"
                            "node to = Expand(u, s)\n"
                            "node y = ScatterElements(z, to, v) axis=0\n"
                            "output y\n";

struct change {
    const char *line, *other;
};

/* The heap's. `line` stands in the model once. */
static char *changed(const struct change *change)
{
    const char *at = strstr(model, change->line);
    char *text = malloc(sizeof model + strlen(change->other));
    REQUIRE(at && text);
    (void)sprintf(text, "%.*s%s%s", (int)(at - model), model, change->other, at + strlen(change->line));
    return text;
}

static char *made_of(const struct change *change)
{
    char *text = changed(change), *made = rewritten_alone(text, "moe-dense");
    free(text);
    return made;
}

static void check_stay(const struct change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        char *made = made_of(&changes[i]);
        if (strcmp(made, "same") != 0)
            printf("%s\n", changes[i].other);
        CHECK_TEXT(made, "same");
        free(made);
    }
}

static void test_rewrite_experts__leaves_what_is_another_router(void)
{
    static const struct change changes[] = {
        {"node h = OneHot(i, five, off_on)", "init on_off int64[2] = 1 0\nnode h = OneHot(i, five, on_off)"},
        {"node h = OneHot(i, five, off_on)", "init off_two int64[2] = 0 2\nnode h = OneHot(i, five, off_two)"},
        {"node h = OneHot(i, five, off_on)", "input marks int64[2]\nnode h = OneHot(i, five, marks)"},
        {"node h = OneHot(i, five, off_on)", "node h = OneHot(i, five, off_on) axis=0"},
        {"node h = OneHot(i, five, off_on)", "node h = OneHot(w, five, off_on)"}, /* the weights, not the experts */
        {"node h = OneHot(i, five, off_on)", "input hot int64[3,2,5]\nnode h = Abs(hot)"},
        {"node h = OneHot(i, five, off_on)", "node i2 = Abs(i)\nnode h = OneHot(i2, five, off_on)"},
        {"node w, i = TopK(r, k)", "node rt = Transpose(r)\nnode w0, i0 = TopK(rt, k) axis=0\n"
                                   "node w = Transpose(w0)\nnode i = Transpose(i0)"},
        {"node w, i = TopK(r, k)", "node w, i = TopK(r, k) axis=0"},
        {"node ht = Transpose(h) perm=[2,1,0]", "node ht = Transpose(h) perm=[2,0,1]"},
        {"node ht = Transpose(h) perm=[2,1,0]", "input ht int64[5,2,3]"},
        {"node hg = Gather(ht, e)", "node hg = Gather(ht, e) axis=1"},
        {"init e int64[] = 3", "input e int64[]"}, /* another expert in each run */
        {"node m = Cast(hg) to=9", "node m = Cast(hg) to=1"},
        {"node m = Cast(hg) to=9", "node m = Identity(sent)"},
    };
    check_stay(changes, sizeof changes / sizeof changes[0]);
}

static void test_rewrite_experts__leaves_other_places(void)
{
    static const struct change changes[] = {
        {"node nt = Transpose(nz) perm=[1,0]", "node nt = Transpose(nz) perm=[0,1]"},
        {"node nt = Transpose(nz) perm=[1,0]", "node n0 = Unsqueeze(nz, zero)\nnode n1 = Transpose(n0) perm=[2,1,0]\n"
                                               "node nt = Squeeze(n1, k)"},
        {"node nt = Transpose(nz) perm=[1,0]", "input nt int64[7,2]"},
        {"node nz = NonZero(m)", "input nz int64[2,7]"},
        {"node a, b = Split(nt, ones) axis=1", "node a, b = Split(nt, ones) axis=0"},
        {"node a, b = Split(nt, ones) axis=1", "init three int64[3] = 1 1 0\nnode a, b, c = Split(nt, three) axis=1"},
        {"node t = Squeeze(b, one)", "node t = Squeeze(b, zero)"},
        {"node t = Squeeze(b, one)", "node t = Squeeze(b, both)"},
        {"node t = Squeeze(b, one)", "node t = Squeeze(b)"},
        {"node t = Squeeze(b, one)", "node t = Reshape(b, minus)\ninit minus int64[1] = -1"},
        /* Rows are scattered to the places of another expert. */
        {"node rows = Gather(x, t)", "node nz2 = NonZero(sent)\nnode nt2 = Transpose(nz2) perm=[1,0]\n"
                                     "node a2, b2 = Split(nt2, ones) axis=1\nnode tt = Squeeze(b2, one)\n"
                                     "node rows = Gather(x, tt)"},
        {"node u = Unsqueeze(t, one)", "node u = Unsqueeze(p, one)"},
        {"node u = Unsqueeze(t, one)", "node u = Unsqueeze(t, zero)"},
        {"node u = Unsqueeze(t, one)", "node u = Identity(b)"},
        {"node u = Unsqueeze(t, one)", "input any int64[7]\nnode u = Unsqueeze(any, one)"},
        {"node to = Expand(u, s)", "input to int64[7,4]"},
        {"node to = Expand(u, s)", "node to = Expand(u, halved)\ninit halved int64[2] = 1 2"},
        {"node y = ScatterElements(z, to, v) axis=0", "input z2 float32[9,4]\nnode y = ScatterElements(z2, to, v)"},
        {"node y = ScatterElements(z, to, v) axis=0", "input z2 float32[n,4]\nnode y = ScatterElements(z2, to, v)"},
        {"node y = ScatterElements(z, to, v) axis=0", "node y = ScatterElements(z, to, v) reduction=\"mul\""},
        {"node y = ScatterElements(z, to, v) axis=0", "input z3 float32[3,4,1]\nnode y = ScatterElements(z3, to, v)"},
    };
    check_stay(changes, sizeof changes / sizeof changes[0]);
}

static void test_rewrite_experts__leaves_what_is_no_network_of_rows(void)
{
    static const struct change changes[] = {
        {"node rows = Gather(x, t)", "node rows = Gather(x, p)"},
        {"node rows = Gather(x, t)", "node rows = Gather(other, t)"},
        {"node rows = Gather(x, t)", "node rows = Gather(x, t) axis=1"},
        {"node rows = Gather(x, t)", "node rows = Gather(x, two)"},
        {"node rows = Gather(x, t)", "node rows3d = Gather(column, t)\nnode rows = Squeeze(rows3d, one)"},
        {"node rows = Gather(x, t)", "node rows3d = Gather(column, t)\nnode rows = Reshape(rows3d, back)"},
        {"node rows = Gather(x, t)", "node x3 = Unsqueeze(x, one)\nnode g = Gather(x3, t)\n"
                                     "node rows = Reshape(g, back)"},
        /* Rows that are taken apart. */
        {"node rows = Gather(x, t)", "node x3 = Unsqueeze(x, zero)\nnode g = Gather(x3, t) axis=1\n"
                                     "node h2 = Reshape(g, halves)\nnode rows = Concat(h2, h2) axis=1"},
        {"node rows = Gather(x, t)", "node x3 = Unsqueeze(x, zero)\nnode g = Gather(x3, t) axis=1\n"
                                     "input asked int64[2]\nnode rows = Reshape(g, asked)"},
        {"node h1 = MatMul(rows, w1)", "node h1 = MatMul(rows, square)"},
        {"node h1 = MatMul(rows, w1)", "node h0 = MatMul(rows, vector)\nnode h1 = Unsqueeze(h0, one)"},
        {"node h1 = MatMul(rows, w1)", "node h1 = Add(rows, rows3)"}, /* a number for each of the rows that are sent */
        {"node h1 = MatMul(rows, w1)", "input free float32[1,4]\nnode h1 = Add(rows, free)"},
        {"node h1 = MatMul(rows, w1)", "node h1 = CumSum(rows, zero0)\ninit zero0 int64[] = 0"},
        {"node v = Mul(y0, own)", "node v = Mul(y0, other_own)\ninput other_own float32[7,1]"},
        {"node v = Mul(y0, own)", "node v = Identity(y0)"},
        /* Too far before the end. */
        {"node v = Mul(y0, own)", "node v0 = Mul(y0, own)\nnode v1 = Neg(v0)\nnode v2 = Neg(v1)\nnode v3 = Neg(v2)\n"
                                  "node v = Neg(v3)"},
    };
    check_stay(changes, sizeof changes / sizeof changes[0]);
}

static void test_rewrite_experts__leaves_other_weights(void)
{
    static const struct change changes[] = {
        {"node w3 = Unsqueeze(w, k)", "node w3 = Unsqueeze(more, k)"},
        {"node w3 = Unsqueeze(w, k)", "input long float32[6,2]\nnode w3 = Unsqueeze(long, k)"},
        {"node w3 = Unsqueeze(w, k)", "input some float32[n,2]\nnode w3 = Unsqueeze(some, k)"},
        {"node w3 = Unsqueeze(w, k)", "node w3 = Unsqueeze(w, zero)"},
        {"node w3 = Unsqueeze(w, k)", "input w3 float32[3,2,1]"},
        {"node wf = Flatten(w3) axis=2", "node wf = Flatten(w3) axis=1"},
        {"node wf = Flatten(w3) axis=2", "node wf = Reshape(w3, as_column)"},
        {"node t2 = Mul(t, two)", "node t2 = Mul(p, two)"},
        {"node t2 = Mul(t, two)", "node t2 = Mul(t, five)"},
        {"node t2 = Mul(t, two)", "node t2 = Mul(t, ones2)\ninit ones2 int64[1,2] = 2 2"},
        {"node t2 = Mul(t, two)", "input places int64[]\nnode t2 = Mul(t, places)"},
        {"node t2 = Mul(t, two)", "node t2 = Add(t, two)"},
        {"node at = Add(p, t2)", "node at = Add(t, t2)"},
        {"node at = Add(p, t2)", "node at = Sub(t2, p)"},
        {"node own = Gather(wf, at)", "node own = Gather(wf, at) axis=1"},
        {"node own = Gather(wf, at)", "node own = Gather(wf, p)"},
        /* A product with the weights of two matrices. */
        {"node v = Mul(y0, own)", "node w4 = Unsqueeze(ww, k)\nnode wf4 = Flatten(w4) axis=2\n"
                                  "node own4 = Gather(wf4, at)\nnode v0 = Mul(y0, own)\nnode v = Mul(v0, own4)"},
    };
    check_stay(changes, sizeof changes / sizeof changes[0]);
}

/* What is said otherwise and means the same: the line of the rewritten model that shows what became of it. */
static void test_rewrite_experts__runs_on_all_tokens_however_it_is_written(void)
{
    static const struct {
        struct change change;
        const char *line;
    } rows[] = {
        {{"output y\n", "output y\n"}, "y = Where(y/moe-dense/Greater, y/moe-dense/Mul, z)\n"},
        {{"node h = OneHot(i, five, off_on)", "node h = OneHot(i, five, off_on) axis=2"},
         "y = Where(y/moe-dense/Greater, y/moe-dense/Mul, z)\n"},
        {{"node h = OneHot(i, five, off_on)", "node h = OneHot(i, five, off_on) axis=-1"},
         "y = Where(y/moe-dense/Greater, y/moe-dense/Mul, z)\n"},
        {{"node w, i = TopK(r, k)", "node w, i = TopK(r, k) axis=1"},
         "y = Where(y/moe-dense/Greater, y/moe-dense/Mul, z)\n"},
        {{"node y = ScatterElements(z, to, v) axis=0", "node y = ScatterElements(z, to, v) reduction=\"none\""},
         "y = Where(y/moe-dense/Greater, y/moe-dense/Mul, z)\n"},
        /* Rows of [1,tokens,size], as exporters write an index after a None. */
        {{"node rows = Gather(x, t)", "node x3 = Unsqueeze(x, zero)\nnode g = Gather(x3, t) axis=1\n"
                                      "node rows = Reshape(g, back)"},
         "y/moe-dense/MatMul = MatMul(x, w1)\n"},
        {{"node v = Mul(y0, own)", "node own1 = Reshape(own, as_column)\nnode v = Mul(y0, own1)"},
         "y/moe-dense/Mul = Mul(y/moe-dense/Relu, y/moe-dense/ReduceSum_2)\n"},
        {{"node v = Mul(y0, own)", "node v = Mul(own, y0)"},
         "y/moe-dense/Mul = Mul(y/moe-dense/ReduceSum_2, y/moe-dense/Relu)\n"},
        /* A bias is the same for all rows. */
        {{"node y0 = Relu(h1)", "node y0 = Add(h1, vector)"}, "y/moe-dense/Add = Add(y/moe-dense/MatMul, vector)\n"},
        {{"node y0 = Relu(h1)", "node y0 = Add(row, h1)"}, "y/moe-dense/Add = Add(row, y/moe-dense/MatMul)\n"},
        {{"node y0 = Relu(h1)", "init half float32[] = 0.5\nnode y0 = Mul(h1, half)"},
         "y/moe-dense/Mul = Mul(y/moe-dense/MatMul, half)\n"},
        /* Whatever works on each element. */
        {{"node y0 = Relu(h1)", "node y0 = Clip(h1)"}, "y/moe-dense/Clip = Clip(y/moe-dense/MatMul)\n"},
        /* A gated layer uses its rows twice; what is made of them is made once. */
        {{"node y0 = Relu(h1)", "node g = Sigmoid(h1)\nnode y0 = Mul(h1, g)"},
         "y/moe-dense/Mul = Mul(y/moe-dense/MatMul, y/moe-dense/Sigmoid)\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *made = made_of(&rows[i].change);
        CHECK(strstr(made, rows[i].line));
        CHECK(!strstr(made, "NonZero"));
        free(made);
    }
}

/* An Expand of whole rows to what they are already. */
static void test_rewrite_experts__looks_through_an_expand(void)
{
    static const struct {
        const char *shape;
        bool is_through;
    } rows[] = {{"2] = 1 4", true}, {"2] = 1 1", true}, {"1] = 4", false}, {"3] = 1 1 4", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char other[200];
        (void)snprintf(other, sizeof other,
                       "init size int64[%s\nnode v9 = Expand(v, size)\nnode y = ScatterElements(z, to, v9) axis=0",
                       rows[i].shape);
        struct change change = {"node y = ScatterElements(z, to, v) axis=0", other};
        char *made = made_of(&change);
        CHECK(rows[i].is_through == (strcmp(made, "same") != 0));
        free(made);
    }
}

/* Operators of before opset 13 have axes that are attributes. */
static void test_rewrite_experts__axes_that_are_attributes(void)
{
    static const struct change olds[] = {
        {"Split(nt, ones) axis=1", "Split(nt) axis=1 split=[1,1]"}, {"Squeeze(a, one)", "Squeeze(a) axes=[1]"},
        {"Squeeze(b, one)", "Squeeze(b) axes=[1]"}, {"Unsqueeze(w, k)", "Unsqueeze(w) axes=[2]"},
        {"Unsqueeze(t, one)", "Unsqueeze(t) axes=[1]"},
    };
    char text[2 * sizeof model] = "opset 11\n";
    const char *rest = model;
    for (size_t i = 0; i < sizeof olds / sizeof olds[0]; i++) {
        const char *at = strstr(rest, olds[i].line);
        REQUIRE(at);
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%.*s%s", (int)(at - rest), rest,
                       olds[i].other);
        rest = at + strlen(olds[i].line);
    }
    (void)snprintf(text + strlen(text), sizeof text - strlen(text), "%s", rest);
    char *made = rewritten_alone(text, "moe-dense");
    CHECK(strstr(made, "y/moe-dense/ReduceSum = ReduceSum(y/moe-dense/Cast) axes=[1] keepdims=1\n"));
    CHECK(strstr(made, "y = Where(y/moe-dense/Greater, y/moe-dense/Mul, z)\n"));
    free(made);
}

/* Through 64 nodes and no further. */
static void test_rewrite_experts__of_many_nodes(void)
{
    for (int count = 40; count <= 80; count += 40) {
        char other[4096] = "node h1 = MatMul(rows, w1)\nnode n0 = Neg(h1)";
        for (int i = 1; i < count; i++)
            (void)snprintf(other + strlen(other), sizeof other - strlen(other), "\nnode n%d = Neg(n%d)", i, i - 1);
        (void)snprintf(other + strlen(other), sizeof other - strlen(other), "\nnode y0 = Relu(n%d)", count - 1);
        struct change change = {"node h1 = MatMul(rows, w1)\nnode y0 = Relu(h1)", other};
        char *made = made_of(&change);
        CHECK((count < 64) == (strcmp(made, "same") != 0));
        free(made);
    }
}

/* Products of a value by itself, and sums of one value many times: whatever is not an expert is told at once. */
static void test_rewrite_experts__of_many_paths(void)
{
    char other[4096] = "input q0 float32[7,4]\nnode q1 = Mul(q0, q0)";
    for (int i = 1; i < 60; i++)
        (void)snprintf(other + strlen(other), sizeof other - strlen(other), "\nnode q%d = Mul(q%d, q%d)", i + 1, i, i);
    (void)snprintf(other + strlen(other), sizeof other - strlen(other), "\nnode v = Mul(q60, own)");
    struct change change = {"node v = Mul(y0, own)", other};
    check_stay(&change, 1);
    static char sums[1 << 15] = "input q0 float32[7,4]";
    for (int i = 1; i < 5; i++) {
        (void)snprintf(sums + strlen(sums), sizeof sums - strlen(sums), "\nnode q%d = Sum(", i);
        for (int k = 0; k < 1000; k++)
            (void)snprintf(sums + strlen(sums), sizeof sums - strlen(sums), "q%d,", i - 1);
        sums[strlen(sums) - 1] = ')';
    }
    (void)snprintf(sums + strlen(sums), sizeof sums - strlen(sums), "\nnode v = Mul(q4, own)");
    change.other = sums;
    check_stay(&change, 1);
}

TESTS(test_rewrite_experts__leaves_what_is_another_router, test_rewrite_experts__leaves_other_places,
      test_rewrite_experts__leaves_what_is_no_network_of_rows, test_rewrite_experts__leaves_other_weights,
      test_rewrite_experts__runs_on_all_tokens_however_it_is_written, test_rewrite_experts__looks_through_an_expand,
      test_rewrite_experts__axes_that_are_attributes, test_rewrite_experts__of_many_nodes,
      test_rewrite_experts__of_many_paths)
