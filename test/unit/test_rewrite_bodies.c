/* SPDX-License-Identifier: Apache-2.0
 *
 * Bodies and functions that are copied into the list that uses them: what is within them keeps its meaning, and each
 * clause that must hold for a branch, a loop or a call.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/rewrite_text.h"
#include "support/test.h"

struct row {
    const char *model, *expected;
};

static void check_rows(const struct row *rows, size_t count, const char *rewrite)
{
    for (size_t i = 0; i < count; i++) {
        char *made = rewritten_alone(rows[i].model, rewrite);
        if (strcmp(made, rows[i].expected) != 0)
            printf("%s\n", rows[i].model);
        CHECK_TEXT(made, rows[i].expected);
        free(made);
    }
}

#define CHECK_ROWS(rows, rewrite) check_rows(rows, sizeof(rows) / sizeof(rows)[0], rewrite)

/* ---- branches ---------------------------------------------------------------------------------------------------- */

#define YES_NO "graph yes\nnode r = Relu(x)\noutput r\nend\ngraph no\nnode n = Neg(x)\noutput n\nend\n"
#define IF "node y = If(c) then_branch=graph yes else_branch=graph no\n"

static void test_rewrite_bodies__leaves_branches_that_do_not_fit(void)
{
    static const struct row rows[] = {
        {YES_NO "input x float32[2]\ninit c bool[2] = 1 1\n" IF "output y\n", "same"},
        {YES_NO "input x float32[2]\ninit c bool[] = 1\nnode y = If(c) else_branch=graph no\noutput y\n", "same"},
        {YES_NO "input x float32[2]\ninit c bool[] = 1\nnode y, z = If(c) then_branch=graph yes else_branch=graph no\n"
                "output y\n",
         "same"},
        {"graph yes\ninput q float32[2]\nnode r = Relu(q)\noutput r\nend\ngraph no\nnode n = Neg(x)\noutput n\nend\n"
         "input x float32[2]\ninit c bool[] = 1\n" IF "output y\n",
         "same"},
    };
    CHECK_ROWS(rows, "if-const");
}

/* A Loop within the branch: its inputs, initializers and declared types have names of its own, also where the branch
 * or the graph has the same ones. */
static void test_rewrite_bodies__a_loop_within_a_branch(void)
{
    static const struct row rows[] = {
        {"graph body\ninput i int64[]\ninput go bool[]\ninput a float32[2]\ninit w float32[2] = 1 2\n"
         "value h float32[2]\nvalue gone float32[2]\nnode more = Identity(go)\nnode h = Add(a, w)\n"
         "node b = Mul(h, s)\noutput more\noutput b\noutput h float32[2]\nend\n"
         "graph yes\ninit s float32[2] = 3 4\nvalue h float32[2]\nnode h = Relu(x)\n"
         "node r, all = Loop(n, , h) body=graph body\noutput r\nend\n"
         "graph no\nnode q = Neg(x)\noutput q\nend\n"
         "input x float32[2]\ninput n int64[]\ninit c bool[] = 1\n" IF "output y\n",
         "y/if-const/h = Relu(x)\ny, y/if-const/all = Loop(n, , y/if-const/h) body=...\n"
         "  y/if-const/more = Identity(y/if-const/go)\n  y/if-const/h_2 = Add(y/if-const/a, y/if-const/w)\n"
         "  y/if-const/b = Mul(y/if-const/h_2, y/if-const/s)\n"
         "init y/if-const/s float32[2] = 3 4\ninit y/if-const/w float32[2] = 1 2\n"},
        /* A default of the body's input, and one of the branch's names that is an outer one's too. */
        {"graph body\ninput i int64[]\ninput go bool[]\ninput a float32[2]\ninit a float32[2] = 1 2\n"
         "node more = Identity(go)\nnode b = Mul(a, x)\noutput more\noutput b\nend\n"
         "graph yes\nnode r = Loop(n, , x) body=graph body\noutput r\nend\n"
         "graph no\nnode q = Neg(x)\noutput q\nend\n"
         "input x float32[2]\ninput n int64[]\ninit c bool[] = 1\n" IF "output y\n",
         "y = Loop(n, , x) body=...\n  y/if-const/more = Identity(y/if-const/go)\n"
         "  y/if-const/b = Mul(y/if-const/a, x)\ninit y/if-const/a float32[2] = 1 2\n"},
    };
    CHECK_ROWS(rows, "if-const");
}

#define BOTH(yes, no, inputs)                                                                                          \
    "opset 17\ngraph yes\n" yes "\noutput r\nend\ngraph no\n" no "\noutput n\nend\ninput c bool[]\n" inputs "\n" IF    \
    "output y\n"
#define NEG "node n = Neg(x)"
#define X "input x float32[3,4]"
/* A sequence of five steps, of which `o` count. */
#define STEPS "\ninput t float32[5,1,4]\ninput w float32[1,6,4]\ninput v float32[1,6,2]"
#define GRU "node q = GRU(t, w, v, , o) hidden_size=2\nnode r = Relu(x)"

/* Nothing of it fails for any numbers, so it can be run where the other branch is meant. */
static void test_rewrite_bodies__runs_what_cannot_fail(void)
{
    static const char *const rows[] = {
        BOTH("init i int64[3] = 0 -3 2\nnode r = Gather(x, i)", NEG, X),
        BOTH("init i int64[4] = 3 -4 2 0\nnode r = Gather(x, i) axis=1", NEG, X),
        BOTH("init i int64[4] = 3 -4 2 0\nnode r = Gather(x, i) axis=-1", NEG, X),
        BOTH("init i int64[3,4] = 0 1 2 0 1 2 0 1 2 0 1 2\nnode r = GatherElements(x, i)", NEG, X),
        BOTH("init i int64[3,1] = 0 2 -3\nnode r = GatherND(x, i)", NEG, X),
        BOTH("init p int64[4] = 0 0 0 0\nnode r = Pad(x, p)", NEG, X),
        BOTH("init p int64[4] = 0 0 0 0\nnode r = Pad(x, p) mode=\"constant\"", NEG, X),
        BOTH("init p int64[4] = 2 3 0 1\nnode q = Pad(x, p) mode=\"reflect\"\ninit f int64[2] = 0 0\n"
             "init t int64[2] = 3 4\nnode r = Slice(q, f, t)",
             NEG, X),
        BOTH("node r = Div(x, x)", NEG, X),
        BOTH("init o float32[] = 0.5\nnode r = Dropout(x, o)", NEG, X),
        BOTH(GRU "\ninit o int32[1] = 5", NEG, X STEPS),
        BOTH("node b = Cast(x) to=9\nnode r = Cast(b) to=1", NEG, X),
        BOTH("init hi float32[] = 6\nnode r = Clip(x, , hi)", NEG, X),
        BOTH("init s int64[2] = 2 2\nnode a, b = Split(x, s) axis=1\nnode r = Concat(b, a) axis=1", NEG, X),
        BOTH("init k int64[1] = 4\nnode r, at = TopK(x, k)", NEG, X),
        BOTH("node r = Identity(x)", "node n = Identity(x)", "input x int8[2]"),
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *made = rewritten_alone(rows[i], "if-where");
        if (!strstr(made, "y = Where(c, "))
            printf("%s\n", rows[i]);
        CHECK(strstr(made, "y = Where(c, ") && !strstr(made, "If("));
        free(made);
    }
}

static void test_rewrite_bodies__runs_nothing_that_may_fail(void)
{
    static const struct row rows[] = {
        {BOTH("init i int64[3] = 0 -4 2\nnode r = Gather(x, i)\nnode q = Abs(r)", NEG, X), "same"},
        {BOTH("init i int64[4] = 3 -5 2 0\nnode r = Gather(x, i) axis=1", NEG, X), "same"},
        {BOTH("init i int64[3,4] = 0 1 2 0 1 2 0 1 2 0 1 3\nnode r = GatherElements(x, i)", NEG, X), "same"},
        {BOTH("init i int64[3,1] = 0 2 3\nnode r = GatherND(x, i)", NEG, X), "same"},
        {BOTH("init p int64[4] = 3 0 0 0\nnode q = Pad(x, p) mode=\"reflect\"\nnode r = Relu(x)", NEG, X), "same"},
        {BOTH("init p int64[4] = 0 0 0 4\nnode q = Pad(x, p) mode=\"reflect\"\nnode r = Relu(x)", NEG, X), "same"},
        {BOTH("init p int64[4] = 0 -1 0 0\nnode q = Pad(x, p) mode=\"edge\"\nnode r = Relu(x)", NEG, X), "same"},
        {"opset 18\ngraph yes\ninit p int64[2] = 1 1\ninit a int64[1] = 1\n"
         "node q = Pad(x, p, , a) mode=\"reflect\"\nnode r = Relu(x)\noutput r\nend\n"
         "graph no\n" NEG "\noutput n\nend\ninput c bool[]\n" X "\n" IF "output y\n",
         "same"},
        /* A reflection in which nothing is known of what is reflected. */
        {BOTH("init p int64[4] = 1 1 1 1\nnode q = Pad(o, p) mode=\"reflect\"\nnode r = Relu(x)", NEG,
              X "\ninput o float32"),
         "same"},
        {BOTH("init i int64[1] = 0\nnode q = Gather(o, i)\nnode r = Relu(x)", NEG, X "\ninput o float32[n,4]"), "same"},
        {BOTH("node q = Abs(o)\nnode r = Relu(x)", NEG, X "\ninput o float32"), "same"},
        {BOTH("node q = Div(o, o)\nnode r = Relu(x)", NEG, X "\ninput o int64[2]"), "same"},
        {BOTH("node q = Mod(o, o)\nnode r = Relu(x)", NEG, X "\ninput o int64[2]"), "same"},
        /* Sizes of operands that only the run tells. */
        {BOTH("init s int64[2] = 3 4\nnode r = Reshape(o, s)", NEG, X "\ninput o float32[n,4]"), "same"},
        {BOTH("node r = Add(o, x)", NEG, X "\ninput o float32[n,4]"), "same"},
        /* Nothing to take the largest of. */
        {BOTH("node q = ArgMax(o) axis=1\nnode r = Relu(x)", NEG, X "\ninput o float32[2,0]"), "same"},
        {BOTH("init a int64[1] = 1\nnode q = ReduceMax(o, a)\nnode r = Relu(x)", NEG, X "\ninput o float32[2,0]"),
         "same"},
        {BOTH("node q = MaxPool(o) kernel_shape=[1,1]\nnode r = Relu(x)", NEG, X "\ninput o float32[1,3,0,4]"),
         "same"},
        /* Numbers that are checked at each run. */
        {BOTH("node r = Cast(o) to=1", NEG, X "\ninput o string[3,4]"), "same"},
        {BOTH("node r = CastLike(o, x)", NEG, X "\ninput o string[3,4]"), "same"},
        {BOTH("node r = Dropout(x, o)", NEG, X "\ninput o float32[]"), "same"},
        {BOTH("init o float32[] = 1\nnode r = Dropout(x, o)", NEG, X), "same"},
        {BOTH(GRU, NEG, X STEPS "\ninput o int32[1]"), "same"},
        {BOTH(GRU "\ninit o int32[1] = 6", NEG, X STEPS), "same"},
        {BOTH("node q = com.acme:Abs(x)\nnode r = Relu(x)", NEG, X), "same"},
        {BOTH("node q = :(x)\nnode r = Relu(x)", NEG, X), "same"}, /* a node without an op */
        {"function my:F(a) -> (b)\nnode b = Abs(a)\nend\nopset my 1\n" BOTH("node r = my:F(x)", NEG, X), "same"},
        {"graph in\nnode k = Exp(x)\noutput k\nend\ngraph out\nnode k = Abs(x)\noutput k\nend\n" BOTH(
             "node r = If(d) then_branch=graph in else_branch=graph out", NEG, X "\ninput d bool[]"),
         /* Not the outer one; the inner one by itself. */
         "y = If(c) then_branch=... else_branch=...\n  r/if-where/k = Exp(x)\n  r/if-where_2/k = Abs(x)\n"
         "  r = Where(d, r/if-where/k, r/if-where_2/k)\n  n = Neg(x)\n"},
        /* There is no Where. */
        {"opset 8\ngraph yes\nnode r = Relu(x)\noutput r\nend\ngraph no\n" NEG "\noutput n\nend\ninput c bool[]\n" X
         "\n" IF "output y\n",
         "same"},
        /* Results of other sizes or ranks, or of sizes that are not known. */
        {BOTH("node r = Relu(x)", "init a int64[1] = 0\nnode n = Unsqueeze(x, a)", X), "same"},
        {BOTH("node r = Relu(x)", "node n = Transpose(x)", X), "same"},
        {"graph yes\noutput x\nend\ngraph no\noutput x\nend\ninput x float32[2,n]\ninput c bool[]\n" IF "output y\n",
         "same"},
        {YES_NO "input x float32[2]\ninput c bool[]\nnode y = If(c) then_branch=graph yes\noutput y\n", "same"},
        {YES_NO "input x float32[2]\ninput c bool[]\nnode y = If(c) else_branch=graph no\noutput y\n", "same"},
    };
    CHECK_ROWS(rows, "if-where");
}

/* A result that nothing uses is not chosen. */
static void test_rewrite_bodies__chooses_what_is_used(void)
{
    static const struct row rows[] = {
        {"graph yes\nnode r = Relu(x)\nnode s = Sign(x)\noutput r\noutput s\nend\n"
         "graph no\nnode n = Neg(x)\nnode m = Abs(x)\noutput n\noutput m\nend\n"
         "input x float32[2]\ninput c bool[]\nnode y, z = If(c) then_branch=graph yes else_branch=graph no\n"
         "output z\n",
         "y/if-where/s = Sign(x)\ny/if-where_2/m = Abs(x)\nz = Where(c, y/if-where/s, y/if-where_2/m)\n"},
    };
    CHECK_ROWS(rows, "if-where");
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

#define STEP(lines)                                                                                                    \
    "graph body\ninput i int64[]\ninput go bool[]\ninput a float32[2]\n" lines "\noutput more\noutput b\nend\n"
#define ADD "node b = Add(a, a)"
#define GO "node more = Identity(go)\n"
#define TWO "input x float32[2]\ninit n int64[] = 2\n"
#define LOOP "node y = Loop(n, , x) body=graph body\noutput y\n"
#define TWICE "y/unroll/b = Add(x, x)\ny = Add(y/unroll/b, y/unroll/b)\n"

static void test_rewrite_bodies__unrolls_loops_however_they_go_on(void)
{
    static const struct row rows[] = {
        {STEP(GO ADD) TWO LOOP, TWICE},
        {STEP("init more bool[] = 1\n" ADD) TWO LOOP, TWICE},
        {STEP("init yes bool[1] = 1\nnode more = Identity(yes)\n" ADD) TWO LOOP, TWICE},
        {STEP("node m1 = Identity(go)\nnode m2 = Identity(m1)\nnode more = Identity(m2)\n" ADD) TWO LOOP, TWICE},
        {STEP(GO ADD) TWO "init c bool[] = 1\nnode y = Loop(n, c, x) body=graph body\noutput y\n", TWICE},
        {STEP(GO ADD) "input x float32[2]\ninit n int64[1] = 2\n" LOOP, TWICE},
        /* What ends the loop, or may. */
        {STEP("init more bool[] = 0\n" ADD) TWO LOOP, "same"},
        {STEP("init yes bool[2] = 1 1\nnode more = Identity(yes)\n" ADD) TWO LOOP, "same"},
        {STEP("node more = Not(go)\n" ADD) TWO LOOP, "same"},
        {STEP("node more = Identity(d)\n" ADD) TWO "input d bool[]\n" LOOP, "same"},
        {STEP(GO ADD) TWO "init c bool[] = 0\nnode y = Loop(n, c, x) body=graph body\noutput y\n", "same"},
        {STEP(GO ADD) TWO "init c bool[2] = 1 1\nnode y = Loop(n, c, x) body=graph body\noutput y\n", "same"},
        {STEP(GO ADD) "input x float32[2]\ninit n int64[2] = 2 2\n" LOOP, "same"},
        {STEP(GO ADD) "input x float32[2]\ninit n int64[] = -1\n" LOOP, "same"},
        /* Counts that do not agree. */
        {STEP(GO ADD) TWO "node y = Loop(n) body=graph body\noutput y\n", "same"},
        {STEP(GO ADD) TWO "node y = Loop(n, ) body=graph body\noutput y\n", "same"},
        {STEP(GO ADD) TWO "node y = Loop(n, , x, x) body=graph body\noutput y\n", "same"},
        {STEP(GO ADD) TWO "node y, z = Loop(n, , x) body=graph body\noutput y\n", "same"},
        {"graph body\ninput i int64[]\nnode b = Neg(i)\noutput b\nend\n" TWO "node y = Loop(n, ) body=graph body\n"
         "output y\n",
         "same"},
        {TWO "node y = Loop(n, , x)\noutput y\n", "same"},
    };
    CHECK_ROWS(rows, "unroll");
}

/* The round's number has the rank that the body declares. A result that nothing uses is not joined, and one round has
 * nothing to join. */
static void test_rewrite_bodies__unrolls_loops_with_results(void)
{
    static const struct row rows[] = {
        {"graph body\ninput i int64[1]\ninput go bool[1]\ninput a float32[2]\n" GO "node f = Cast(i) to=1\n"
         "node b = Mul(a, f)\noutput more\noutput b\nend\ninput x float32[2]\ninit n int64[] = 1\n" LOOP,
         "y/unroll/f = Cast(y/unroll/constant_2) to=1\ny = Mul(x, y/unroll/f)\n"
         "init y/unroll/constant_2 int64[1] = 0\n"},
        {"graph body\ninput i int64\ninput go bool\ninput a float32[2]\n" GO "node f = Cast(i) to=1\n"
         "node b = Mul(a, f)\noutput more\noutput b\nend\ninput x float32[2]\ninit n int64[] = 1\n" LOOP,
         "y/unroll/f = Cast(y/unroll/constant_2) to=1\ny = Mul(x, y/unroll/f)\ninit y/unroll/constant_2 int64[] = 0\n"},
        {"graph body\ninput i int64[]\ninput go bool[]\ninput a float32[2]\n" GO ADD "\nnode s = Neg(a)\n"
         "node t = Abs(a)\noutput more\noutput b\noutput s\noutput t\nend\ninput x float32[2]\ninit n int64[] = 1\n"
         "node y, u, v = Loop(n, , x) body=graph body\noutput y\noutput v\n",
         "y = Add(x, x)\ny/unroll/t = Abs(x)\nv = Unsqueeze(y/unroll/t, y/unroll/constant_3)\n"
         "init y/unroll/constant_3 int64[1] = 0\n"},
        {"graph body\ninput i int64[]\ninput go bool[]\ninput a float32[2]\n" GO ADD "\nnode t = Abs(a)\n"
         "output more\noutput b\noutput t\nend\n" TWO "node y, v = Loop(n, , x) body=graph body\noutput y\noutput v\n",
         "y/unroll/b = Add(x, x)\ny/unroll/t = Abs(x)\ny = Add(y/unroll/b, y/unroll/b)\n"
         "y/unroll_2/t = Abs(y/unroll/b)\ny/unroll/Unsqueeze = Unsqueeze(y/unroll/t, y/unroll/constant_4)\n"
         "y/unroll/Unsqueeze_2 = Unsqueeze(y/unroll_2/t, y/unroll/constant_5)\n"
         "v = Concat(y/unroll/Unsqueeze, y/unroll/Unsqueeze_2) axis=0\n"
         "init y/unroll/constant_4 int64[1] = 0\ninit y/unroll/constant_5 int64[1] = 0\n"},
    };
    CHECK_ROWS(rows, "unroll");
}

/* Each initializer of the body is there once, whichever of them is the default of an input. */
static void test_rewrite_bodies__shares_constants_of_rounds(void)
{
    static const struct row rows[] = {
        {"graph body\ninput i int64[]\ninput go bool[]\ninput a float32[2]\ninit w float32[2] = 1 2\n"
         "init a float32[2] = 3 4\ninit v float32[2] = 5 6\n" GO "node h = Mul(a, w)\nnode b = Add(h, v)\n"
         "output more\noutput b\nend\n" TWO LOOP,
         "y/unroll/h = Mul(x, y/unroll/w)\ny/unroll/b = Add(y/unroll/h, y/unroll/v)\n"
         "y/unroll_2/h = Mul(y/unroll/b, y/unroll/w)\ny = Add(y/unroll_2/h, y/unroll/v)\n"
         "init y/unroll/w float32[2] = 1 2\ninit y/unroll/v float32[2] = 5 6\n"},
    };
    CHECK_ROWS(rows, "unroll");
}

/* In each round other numbers, also within what the body holds or calls. */
static void test_rewrite_bodies__repeats_nothing_random(void)
{
    static const struct row rows[] = {
        {"graph in\nnode k = RandomNormalLike(x) seed=1.0\noutput k\nend\n"
         "graph out\nnode k = Abs(x)\noutput k\nend\n" STEP(
             GO "node r = If(d) then_branch=graph in else_branch=graph out\nnode b = Add(a, r)") TWO
         "input d bool[]\n" LOOP,
         "same"},
        {"function my:R(p) -> (q)\nnode q = RandomUniformLike(p) seed=1.0\nend\nopset 17\nopset my 1\n" STEP(
             GO "node b = my:R(a)") TWO LOOP,
         "same"},
        {"function my:R(p) -> (q)\nnode q = Relu(p)\nend\nopset 17\nopset my 1\n" STEP(GO "node b = my:R(a)") TWO LOOP,
         "y/unroll/b = my:R(x)\ny = my:R(y/unroll/b)\n"},
        {"graph in\nnode k = Exp(a)\noutput k\nend\ngraph out\nnode k = Abs(a)\noutput k\nend\n" STEP(
             GO "node b = If(d) then_branch=graph in else_branch=graph out") TWO "input d bool[]\n" LOOP,
         "y/unroll/b = If(d) then_branch=... else_branch=...\n  y/unroll/k = Exp(x)\n  y/unroll/k_2 = Abs(x)\n"
         "y = If(d) then_branch=... else_branch=...\n  y/unroll_2/k = Exp(y/unroll/b)\n"
         "  y/unroll_2/k_2 = Abs(y/unroll/b)\n"},
    };
    CHECK_ROWS(rows, "unroll");
}

/* 64 rounds of 256 nodes, and of one more. */
static void test_rewrite_bodies__of_many_nodes(void)
{
    for (int count = 255; count <= 256; count++) {
        char text[16384] = "graph body\ninput i int64[]\ninput go bool[]\ninput a float32[2]\n" GO "node n0 = Neg(a)\n";
        for (int i = 1; i < count; i++)
            (void)snprintf(text + strlen(text), sizeof text - strlen(text), "node n%d = Neg(n%d)\n", i, i - 1);
        (void)snprintf(text + strlen(text), sizeof text - strlen(text),
                       "output more\noutput n%d\nend\ninput x float32[2]\ninit n int64[] = 64\n" LOOP, count - 1);
        char *made = rewritten_alone(text, "unroll");
        CHECK((count < 256) == (strcmp(made, "same") != 0));
        free(made);
    }
}

#define SCAN "graph body\ninput h float32[3]\ninput e float32[3]\nnode k = Add(h, e)\nnode o = Neg(k)\noutput k\n"     \
             "output o\nend\ninput h0 float32[3]\n"
#define ON_X(attributes) "node y, z = Scan(h0, x) body=graph body " attributes "\noutput y\n"

static void test_rewrite_bodies__unrolls_scans(void)
{
    static const struct row rows[] = {
        {SCAN "input x float32[2,3]\n" ON_X("num_scan_inputs=1"),
         "y/unroll/Gather = Gather(x, y/unroll/constant) axis=0\ny/unroll/k = Add(h0, y/unroll/Gather)\n"
         "y/unroll/Gather_2 = Gather(x, y/unroll/constant_2) axis=0\ny = Add(y/unroll/k, y/unroll/Gather_2)\n"
         "init y/unroll/constant int64[] = 0\ninit y/unroll/constant_2 int64[] = 1\n"},
        {SCAN "input x float32[1,3]\n" ON_X("num_scan_inputs=1 scan_input_axes=[0]") "output z\n",
         "y/unroll/Gather = Gather(x, y/unroll/constant) axis=0\ny = Add(h0, y/unroll/Gather)\ny/unroll/o = Neg(y)\n"
         "z = Unsqueeze(y/unroll/o, y/unroll/constant_2)\n"
         "init y/unroll/constant int64[] = 0\ninit y/unroll/constant_2 int64[1] = 0\n"},
        {SCAN "input x float32[65,3]\n" ON_X("num_scan_inputs=1"), "same"},
        {SCAN "input x float32[0,3]\n" ON_X("num_scan_inputs=1"), "same"},
        {SCAN "input x float32\n" ON_X("num_scan_inputs=1"), "same"},
        {SCAN "input x float32[2,3]\n" ON_X("num_scan_inputs=0"), "same"},
        {SCAN "input x float32[2,3]\n" ON_X("num_scan_inputs=3"), "same"},
        {SCAN "input x float32[2,3]\n" ON_X("num_scan_inputs=2"), "same"},
        {SCAN "input x float32[2,3]\n" ON_X("num_scan_inputs=1 scan_input_axes=[2]"), "same"},
        {SCAN "input x float32[2,3]\n" ON_X("num_scan_inputs=1 scan_output_axes=[2]") "output z\n", "same"},
        {SCAN "input x float32[2,3]\nnode y, z = Scan(h0, ) body=graph body num_scan_inputs=1\noutput y\n", "same"},
        {SCAN "input x float32[2,3]\nnode y, z = Scan(h0, x) num_scan_inputs=1\noutput y\n", "same"},
        {SCAN "input x float32[2,3]\nnode y = Scan(h0, x) body=graph body num_scan_inputs=1\noutput y\n", "same"},
        /* Two that are taken apart together, one of another length, and one from its end. */
        {"graph body\ninput a float32[]\ninput b float32[]\nnode o = Sub(a, b)\noutput o\nend\n"
         "input x float32[2]\ninput w float32[2]\nnode z = Scan(x, w) body=graph body num_scan_inputs=2 "
         "scan_input_directions=[0,1]\noutput z\n",
         "z/unroll/Gather = Gather(x, z/unroll/constant) axis=0\n"
         "z/unroll/Gather_2 = Gather(w, z/unroll/constant_2) axis=0\n"
         "z/unroll/o = Sub(z/unroll/Gather, z/unroll/Gather_2)\n"
         "z/unroll/Gather_3 = Gather(x, z/unroll/constant_3) axis=0\n"
         "z/unroll/Gather_4 = Gather(w, z/unroll/constant_4) axis=0\n"
         "z/unroll_2/o = Sub(z/unroll/Gather_3, z/unroll/Gather_4)\n"
         "z/unroll/Unsqueeze = Unsqueeze(z/unroll/o, z/unroll/constant_5)\n"
         "z/unroll/Unsqueeze_2 = Unsqueeze(z/unroll_2/o, z/unroll/constant_6)\n"
         "z = Concat(z/unroll/Unsqueeze, z/unroll/Unsqueeze_2) axis=0\n"
         "init z/unroll/constant int64[] = 0\ninit z/unroll/constant_2 int64[] = 1\n"
         "init z/unroll/constant_3 int64[] = 1\ninit z/unroll/constant_4 int64[] = 0\n"
         "init z/unroll/constant_5 int64[1] = 0\ninit z/unroll/constant_6 int64[1] = 0\n"},
        {"graph body\ninput a float32[]\ninput b float32[]\nnode o = Sub(a, b)\noutput o\nend\n"
         "input x float32[2]\ninput w float32[3]\nnode z = Scan(x, w) body=graph body num_scan_inputs=2\noutput z\n",
         "same"},
    };
    CHECK_ROWS(rows, "unroll");
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

static void test_rewrite_bodies__inlines_with_what_the_call_gives(void)
{
    static const struct row rows[] = {
        /* A default, and what the call gives instead. */
        {"function my:F(a) -> (b) alpha\ndefault alpha=0.25\nnode b = LeakyRelu(a) alpha=$alpha\nend\nopset 17\n"
         "opset my 1\ninput x float32[2]\nnode h = my:F(x)\nnode y = my:F(h) alpha=0.5\noutput y\n",
         "h = LeakyRelu(x) alpha=0.25\ny = LeakyRelu(h) alpha=0.5\n"},
        /* A result that is not wanted. */
        {"function my:F(a) -> (b, c)\nnode b = Neg(a)\nnode c = Abs(a)\nend\nopset 17\nopset my 1\n"
         "input x float32[2]\nnode , y = my:F(x)\noutput y\n",
         "y = Abs(x)\n"},
        /* Bodies within a function, with a name of a node. */
        {"graph in\ninit w float32[2] = 1 2\nnode k = Add(a, w) @sum\noutput k float32[2]\nend\n"
         "graph out\nnode k = Neg(h)\noutput k\nend\n"
         "function my:F(a, d) -> (b)\nnode h = Abs(a) @abs\n"
         "node b = If(d) then_branch=graph in else_branch=graph out\nend\n"
         "opset 17\nopset my 1\ninput x float32[2]\ninput d bool[]\nnode y = my:F(x, d)\noutput y\n",
         "y/inline/h = Abs(x)\ny = If(d) then_branch=... else_branch=...\n  y/inline/k = Add(x, y/inline/w)\n"
         "  y/inline/k_2 = Neg(y/inline/h)\ninit y/inline/w float32[2] = 1 2\n"},
        /* A domain that the model does not import is imported, at its first version. */
        {"function my:F(a) -> (b)\nopset 17\nopset ai.onnx.ml 1\nnode b = ai.onnx.ml:Binarizer(a)\nend\nopset 17\n"
         "opset my 1\ninput x float32[2]\nnode y = my:F(x)\noutput y\n",
         "y = ai.onnx.ml:Binarizer(x)\n"},
        {"function my:F(a) -> (b)\nopset 17\nopset ai.onnx.ml 3\nnode b = ai.onnx.ml:Binarizer(a)\nend\nopset 17\n"
         "opset my 1\ninput x float32[2]\nnode y = my:F(x)\noutput y\n",
         "same"},
        {"function my:F(a) -> (b)\nopset 17\nopset ai.onnx.ml 3\nnode b = ai.onnx.ml:Binarizer(a)\nend\nopset 17\n"
         "opset ai.onnx.ml 3\nopset my 1\ninput x float32[2]\nnode y = my:F(x)\noutput y\n",
         "y = ai.onnx.ml:Binarizer(x)\n"},
        /* One that calls another. */
        {"function my:G(a) -> (b)\nnode b = Neg(a)\nend\nfunction my:F(a) -> (b)\nopset 17\nopset my 1\n"
         "node b = my:G(a)\nend\nopset 17\nopset my 1\ninput x float32[2]\nnode y = my:F(x)\noutput y\n",
         "y = my:G(x)\n"},
        {"function my:G(a) -> (b)\nnode b = Neg(a)\nend\nfunction my:F(a) -> (b)\nopset 17\nopset my 2\n"
         "node b = my:G(a)\nend\nopset 17\nopset my 1\ninput x float32[2]\nnode y = my:F(x)\noutput y\n",
         "same"},
        {"function my:F(a) -> (b)\nopset my 1\nnode b = Neg(a)\nend\nopset 17\nopset my 1\ninput x float32[2]\n"
         "node y = my:F(x)\noutput y\n",
         "same"},
        {"function ai.onnx.own:F(a) -> (b)\nnode b = Neg(a)\nend\nopset 17\nopset ai.onnx.own 1\ninput x float32[2]\n"
         "node y = ai.onnx.own:F(x)\noutput y\n",
         "same"},
        /* More operands than there are. */
        {"function my:F(a) -> (b)\nnode b = Neg(a)\nend\nopset 17\nopset my 1\ninput x float32[2]\n"
         "node y = my:F(x, x)\noutput y\n",
         "same"},
        /* A body that the call gives would see the caller's names. */
        {"graph in\nnode k = Neg(x)\noutput k\nend\nfunction my:F(d) -> (b) yes\n"
         "node b = If(d) then_branch=$yes else_branch=$yes\nend\nopset 17\nopset my 1\ninput x float32[2]\n"
         "input d bool[]\nnode y = my:F(d) yes=graph in\noutput y\n",
         "same"},
    };
    CHECK_ROWS(rows, "inline");
}

TESTS(test_rewrite_bodies__leaves_branches_that_do_not_fit, test_rewrite_bodies__a_loop_within_a_branch,
      test_rewrite_bodies__runs_what_cannot_fail, test_rewrite_bodies__runs_nothing_that_may_fail,
      test_rewrite_bodies__chooses_what_is_used, test_rewrite_bodies__unrolls_loops_however_they_go_on,
      test_rewrite_bodies__unrolls_loops_with_results, test_rewrite_bodies__repeats_nothing_random,
      test_rewrite_bodies__shares_constants_of_rounds, test_rewrite_bodies__of_many_nodes,
      test_rewrite_bodies__unrolls_scans, test_rewrite_bodies__inlines_with_what_the_call_gives)
