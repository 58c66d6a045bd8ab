/* SPDX-License-Identifier: Apache-2.0
 *
 * Rewrites that compute, and those that take bodies and functions apart: what comes out, and each clause of what must
 * hold for them.
 */
#include <stdlib.h>

#include "support/rewrite_text.h"
#include "support/test.h"

#define CHECK_REWRITTEN(model, rewrites, expected)                                                                     \
    do {                                                                                                               \
        char *made = rewritten_by(model, rewrites);                                                                    \
        CHECK_TEXT(made, expected);                                                                                    \
        free(made);                                                                                                    \
    } while (0)

/* A mutant: `reduction` must be a string, and is a number here. */
static void test_rewrite_structure__attributes_of_another_type(void)
{
    CHECK_REWRITTEN("opset 18\ninput x float32[2,3]\ninput u float32[1,3]\ninit i int64[1,1] = 0\n"
                    "node y = ScatterND(x, i, u) reduction=1\noutput y float32[2,3]\n",
                    "moe-dense", "same");
}

/* ---- fold -------------------------------------------------------------------------------------------------------- */

static void test_rewrite_structure__folds_what_is_the_same_in_every_run(void)
{
    CHECK_REWRITTEN("input x float32[2,3]\ninit a int64[2] = 3 -1\nnode s = Shape(x)\nnode y = Add(s, a)\n"
                    "node z = Reshape(x, y)\noutput z\n",
                    "fold", "z = Reshape(x, y)\n");
    CHECK_REWRITTEN("init a float32[3] = -0.0 1.5 2\nnode y = Neg(a)\noutput y float32[3]\n", "fold", "");
    /* What the runtime makes of a -0. */
    CHECK_REWRITTEN("init c bool[2] = 1 0\ninit a float32[2] = -0.0 5\ninit b float32[2] = 5 -0.0\n"
                    "node y/f = Where(c, a, b)\noutput y/f\n",
                    "fold", "init y/f float32[2] = 0 -0\n");
    CHECK_REWRITTEN("init a float32[2] = 1 2\ninit b float32[2] = 2 1\nnode y = Greater(a, b)\nnode z = Cast(y) to=6\n"
                    "output z\n",
                    "fold", "");
}

/* The checker wants initializers of old files to be inputs. */
static void test_rewrite_structure__constants_of_old_files_are_nodes(void)
{
    CHECK_REWRITTEN("ir 3\nopset 11\ninput x float32[2,3]\nnode s = Shape(x)\nnode z = Reshape(x, s)\noutput z\n",
                    "fold",
                    "s = Constant() value=...\n"
                    "z = Reshape(x, s)\n");
}

static void test_rewrite_structure__folds_nothing_else(void)
{
    /* An input may be another in the next run, also where it has a default. */
    CHECK_REWRITTEN("input x float32[2]\nnode y = Neg(x)\noutput y\n", "fold", "same");
    CHECK_REWRITTEN("ir 8\ninput a float32[2]\ninit a float32[2] = 1 2\nnode y = Neg(a)\noutput y\n", "fold", "same");
    /* Weights are never read. */
    CHECK_REWRITTEN("init w float32[4,8]\nnode y = Neg(w)\noutput y\n", "fold", "same");
    /* Kernels may differ in the last digit. */
    CHECK_REWRITTEN("init a float32[2] = 0.3 2\nnode y = Exp(a)\noutput y\n", "fold", "same");
    CHECK_REWRITTEN("init a float32[2] = 0.3 2\ninit s float32[] = 0.5\ninit z uint8[] = 3\n"
                    "node y = QuantizeLinear(a, s, z)\noutput y\n",
                    "fold", "same");
    CHECK_REWRITTEN("node y = RandomNormal() shape=[2] seed=1.0\noutput y\n", "fold", "same");
    CHECK_REWRITTEN("init a float32[2] = 1 2\nnode y = com.microsoft:BiasGelu(a, a)\noutput y\n", "fold", "same");
}

static void test_rewrite_structure__folds_a_node_with_all_its_results_or_not_at_all(void)
{
    CHECK_REWRITTEN("init a int64[4] = 4 3 2 1\ninit s int64[2] = 1 3\nnode y, z = Split(a, s)\noutput y\noutput z\n",
                    "fold", "");
    CHECK_REWRITTEN("opset 17\ninput x float32[2]\ninit m float32[2] = 1 2\ninit r float32[] = 0.5\n"
                    "init t bool[] = 1\nnode y, k = Dropout(m, r, t)\noutput y\noutput k\n",
                    "fold", "same");
}

/* ---- gathernd ---------------------------------------------------------------------------------------------------- */

static void test_rewrite_structure__gathers_all_by_a_reshape(void)
{
    CHECK_REWRITTEN("input x bool[2,2]\ninit i int64[2,1,2,2] = 0 0 0 1 1 0 1 1\nnode y = GatherND(x, i)\noutput y\n",
                    "gathernd", "y = Reshape(x, y/gathernd/constant)\n"
                                "init y/gathernd/constant int64[3] = 2 1 2\n");
    CHECK_REWRITTEN("input x float32[2,3]\ninit i int64[2,1] = -2 1\nnode y = GatherND(x, i)\noutput y\n", "gathernd",
                    "y = Reshape(x, y/gathernd/constant)\n"
                    "init y/gathernd/constant int64[2] = 2 3\n");
}

static void test_rewrite_structure__gathers_some_along_one_axis(void)
{
    CHECK_REWRITTEN("input x float32[2,2,3]\ninit i int64[1,3,2] = 1 0 -1 -1 0 1\nnode y = GatherND(x, i)\noutput y\n",
                    "gathernd", "y/gathernd/Reshape = Reshape(x, y/gathernd/constant)\n"
                                "y/gathernd/Gather = Gather(y/gathernd/Reshape, y/gathernd/constant_2) axis=0\n"
                                "y = Reshape(y/gathernd/Gather, y/gathernd/constant_3)\n"
                                "init y/gathernd/constant int64[2] = 4 3\n"
                                "init y/gathernd/constant_2 int64[3] = 2 3 1\n"
                                "init y/gathernd/constant_3 int64[3] = 1 3 3\n");
    /* A prefix is not all. */
    CHECK_REWRITTEN("input x float32[3]\ninit i int64[2,1] = 0 1\nnode y = GatherND(x, i)\noutput y\n", "gathernd",
                    "y/gathernd/Reshape = Reshape(x, y/gathernd/constant)\n"
                    "y/gathernd/Gather = Gather(y/gathernd/Reshape, y/gathernd/constant_2) axis=0\n"
                    "y = Reshape(y/gathernd/Gather, y/gathernd/constant_3)\n"
                    "init y/gathernd/constant int64[1] = 3\n"
                    "init y/gathernd/constant_2 int64[2] = 0 1\n"
                    "init y/gathernd/constant_3 int64[1] = 2\n");
}

static void test_rewrite_structure__leaves_other_gathers(void)
{
    CHECK_REWRITTEN("input x bool[2,2]\ninput i int64[4,2]\nnode y = GatherND(x, i)\noutput y\n", "gathernd", "same");
    CHECK_REWRITTEN("input x bool[n,2]\ninit i int64[1,2] = 0 1\nnode y = GatherND(x, i)\noutput y\n", "gathernd",
                    "same");
    CHECK_REWRITTEN("input x bool[2,2]\ninit i int64[1,2] = 0 2\nnode y = GatherND(x, i)\noutput y\n", "gathernd",
                    "same");
    CHECK_REWRITTEN("input x bool[1,0]\ninit i int64[1,1] = 0\nnode y = GatherND(x, i)\noutput y\n", "gathernd",
                    "same");
    CHECK_REWRITTEN("input x bool[2,2]\ninit i int64[2,1] = 0 1\nnode y = GatherND(x, i) batch_dims=1\noutput y\n",
                    "gathernd", "same");
}

static void test_rewrite_structure__gathers_in_batches(void)
{
    CHECK_REWRITTEN("input x float32[2,5]\ninput i int64[2,3,1]\nnode y = GatherND(x, i) batch_dims=1\noutput y\n",
                    "gathernd-batch", "y/gathernd-batch/Reshape = Reshape(i, y/gathernd-batch/constant)\n"
                                      "y/gathernd-batch/GatherElements = GatherElements(x, y/gathernd-batch/Reshape) "
                                      "axis=1\n"
                                      "y = Reshape(y/gathernd-batch/GatherElements, y/gathernd-batch/constant_2)\n"
                                      "init y/gathernd-batch/constant int64[2] = 2 3\n"
                                      "init y/gathernd-batch/constant_2 int64[2] = 2 3\n");
    CHECK_REWRITTEN("input x float32[2,5]\ninput i int64[2,3,1]\nnode y = GatherND(x, i)\noutput y\n",
                    "gathernd-batch", "same");
    CHECK_REWRITTEN("input x float32[2,5,4]\ninput i int64[2,3,2]\nnode y = GatherND(x, i) batch_dims=1\noutput y\n",
                    "gathernd-batch", "same");
    CHECK_REWRITTEN("input x float32[2,n]\ninput i int64[2,3,1]\nnode y = GatherND(x, i) batch_dims=1\noutput y\n",
                    "gathernd-batch", "same");
}

/* ---- einsum ------------------------------------------------------------------------------------------------------ */

static void check_einsum(const char *equation, const char *left, const char *right, const char *expected)
{
    char model[512];
    (void)snprintf(model, sizeof model, "input x %s\n%s%s\nnode y = Einsum(x%s) equation=\"%s\"\noutput y\n", left,
                   right ? "input w " : "", right ? right : "", right ? ", w" : "", equation);
    CHECK_REWRITTEN(model, "einsum", expected);
}

static void test_rewrite_structure__einsum_is_a_product_of_matrices(void)
{
    check_einsum("bij,bjk->bik", "float32[2,3,4]", "float32[2,4,5]", "y = MatMul(x, w)\n");
    check_einsum("ij, jk", "float32[3,4]", "float32[4,5]", "y = MatMul(x, w)\n");
    check_einsum("ibnd,jbnd->bnij", "float32[5,2,3,4]", "float32[6,2,3,4]",
                 "y/einsum/Transpose = Transpose(x) perm=[1,2,0,3]\n"
                 "y/einsum/Reshape = Reshape(y/einsum/Transpose, y/einsum/constant)\n"
                 "y/einsum/Transpose_2 = Transpose(w) perm=[1,2,3,0]\n"
                 "y/einsum/Reshape_2 = Reshape(y/einsum/Transpose_2, y/einsum/constant_2)\n"
                 "y/einsum/MatMul = MatMul(y/einsum/Reshape, y/einsum/Reshape_2)\n"
                 "y = Reshape(y/einsum/MatMul, y/einsum/constant_3)\n"
                 "init y/einsum/constant int64[3] = 6 5 4\n"
                 "init y/einsum/constant_2 int64[3] = 6 4 6\n"
                 "init y/einsum/constant_3 int64[4] = 2 3 5 6\n");
    check_einsum("ijk->ki", "float32[2,3,4]", NULL,
                 "y/einsum/ReduceSum = ReduceSum(x, y/einsum/constant) keepdims=0\n"
                 "y = Transpose(y/einsum/ReduceSum) perm=[1,0]\n"
                 "init y/einsum/constant int64[1] = 1\n");
}

static void test_rewrite_structure__leaves_other_sums_of_products(void)
{
    check_einsum("bii,bj->bj", "float32[2,3,3]", "float32[2,5]", "same");
    check_einsum("ii->i", "float32[3,3]", NULL, "same");
    check_einsum("bij,bk->bk", "float32[2,3,4]", "float32[2,5]", "same");
    check_einsum("...ij,...jk->...ik", "float32[2,3,4]", "float32[2,4,5]", "same");
    check_einsum("bij,bjk->bik", "float32[1,3,4]", "float32[2,4,5]", "same");
    check_einsum("bij,bjk->bik", "float32[b,3,4]", "float32[b,4,5]", "same");
    check_einsum("bij,bjk->bik", "float32[0,3,4]", "float32[0,4,5]", "same");
    check_einsum("ij,jk->ik", "uint8[3,4]", "uint8[4,5]", "same");
    CHECK_REWRITTEN("input x float32[2,3]\ninput w float32[3,4]\ninput v float32[4,5]\n"
                    "node y = Einsum(x, w, v) equation=\"ij,jk,kl->il\"\noutput y\n",
                    "einsum", "same");
}

/* ---- experts ----------------------------------------------------------------------------------------------------- */

/* One expert of five, two for each of three tokens. `router` makes w and i of r, `expert` y0 of rows. */
static void check_experts(const char *router, const char *expert, const char *scatter, const char *expected)
{
    char model[2048];
    (void)snprintf(model, sizeof model,
                   "input x float32[3,4]\ninit wg float32[4,5]\ninit w1 float32[4,4]\ninit z float32[3,4]\n"
                   "init k int64[1] = 2\ninit five int64[] = 5\ninit off_on int64[2] = 0 1\ninit e int64[] = 3\n"
                   "init ones int64[2] = 1 1\ninit one int64[1] = 1\ninit two int64[] = 2\n"
                   "node r = MatMul(x, wg)\n%s\nnode h = OneHot(i, five, off_on)\n"
                   "node ht = Transpose(h) perm=[2,1,0]\nnode hg = Gather(ht, e)\nnode m = Cast(hg) to=9\n"
                   "node nz = NonZero(m)\nnode nt = Transpose(nz) perm=[1,0]\n"
                   "node a, b = Split(nt, ones) axis=1\nnode p = Squeeze(a, one)\nnode t = Squeeze(b, one)\n"
                   "node rows = Gather(x, t)\n%s\nnode w3 = Unsqueeze(w, k)\nnode wf = Flatten(w3) axis=2\n"
                   "node t2 = Mul(t, two)\nnode at = Add(p, t2)\nnode own = Gather(wf, at)\nnode v = Mul(y0, own)\n"
                   "node u = Unsqueeze(t, one)\nnode s = Shape(v)\nnode to = Expand(u, s)\n"
                   "node y = ScatterElements(z, to, v) %s\noutput y\n",
                   router, expert, scatter);
    CHECK_REWRITTEN(model, "moe-dense", expected);
}

#define ROUTER "node w, i = TopK(r, k)"
#define EXPERT "node h1 = MatMul(rows, w1)\nnode y0 = Relu(h1)"

static void test_rewrite_structure__experts_run_on_all_tokens(void)
{
    check_experts(ROUTER, EXPERT, "axis=0",
                  "r = MatMul(x, wg)\n"
                  "w, i = TopK(r, k)\n"
                  "h = OneHot(i, five, off_on)\n"
                  "ht = Transpose(h) perm=[2,1,0]\n"
                  "hg = Gather(ht, e)\n"
                  "m = Cast(hg) to=9\n"
                  "y/moe-dense/Transpose = Transpose(m) perm=[1,0]\n"
                  "y/moe-dense/Cast = Cast(y/moe-dense/Transpose) to=1\n"
                  "y/moe-dense/ReduceSum = ReduceSum(y/moe-dense/Cast, y/moe-dense/constant) keepdims=1\n"
                  "y/moe-dense/Greater = Greater(y/moe-dense/ReduceSum, y/moe-dense/constant_2)\n"
                  "y/moe-dense/Where = Where(y/moe-dense/Transpose, w, y/moe-dense/constant_3)\n"
                  "y/moe-dense/ReduceSum_2 = ReduceSum(y/moe-dense/Where, y/moe-dense/constant_4) keepdims=1\n"
                  "y/moe-dense/MatMul = MatMul(x, w1)\n"
                  "y/moe-dense/Relu = Relu(y/moe-dense/MatMul)\n"
                  "y/moe-dense/Mul = Mul(y/moe-dense/Relu, y/moe-dense/ReduceSum_2)\n"
                  "y = Where(y/moe-dense/Greater, y/moe-dense/Mul, z)\n"
                  "init y/moe-dense/constant int64[1] = 1\n"
                  "init y/moe-dense/constant_2 float32[] = 0\n"
                  "init y/moe-dense/constant_3 float32[] = 0\n"
                  "init y/moe-dense/constant_4 int64[1] = 1\n");
}

static void test_rewrite_structure__leaves_other_experts(void)
{
    /* An expert that looks at several rows at once. */
    check_experts(ROUTER, "node h1 = MatMul(rows, w1)\nnode y0 = Softmax(h1) axis=0", "axis=0", "same");
    check_experts(ROUTER, "node h1 = ReduceSum(rows)\nnode y0 = Add(rows, h1)", "axis=0", "same");
    /* A token may meet an expert twice. */
    check_experts("node w, i0 = TopK(r, k)\nnode i = Abs(i0)", EXPERT, "axis=0", "same");
    check_experts(ROUTER, EXPERT, "axis=0 reduction=\"add\"", "same");
    check_experts(ROUTER, EXPERT, "axis=1", "same");
}

/* ---- compound operators ------------------------------------------------------------------------------------------ */

#define ATTENTION                                                                                                      \
    "opset 17\nopset com.microsoft 1\ninput x float32[1,3,4]\ninit w float32[4,12]\ninit b float32[12]\n"

static void test_rewrite_structure__attention_is_products_and_a_softmax(void)
{
    CHECK_REWRITTEN(ATTENTION "input m int32[1,3]\nnode y = com.microsoft:Attention(x, w, b, m) num_heads=2\n"
                              "output y\n",
                    "unfuse",
                    "y/unfuse/Greater = Greater(m, y/unfuse/constant)\n"
                    "y/unfuse/Reshape = Reshape(y/unfuse/Greater, y/unfuse/constant_2)\n"
                    "y/unfuse/Where = Where(y/unfuse/Reshape, y/unfuse/constant_3, y/unfuse/constant_4)\n"
                    "y/unfuse/MatMul = MatMul(x, w)\n"
                    "y/unfuse/Add = Add(y/unfuse/MatMul, b)\n"
                    "y/unfuse/Split, y/unfuse/Split_2, y/unfuse/Split_3 = Split(y/unfuse/Add, y/unfuse/constant_5) "
                    "axis=2\n"
                    "y/unfuse/Reshape_2 = Reshape(y/unfuse/Split, y/unfuse/constant_6)\n"
                    "y/unfuse/Transpose = Transpose(y/unfuse/Reshape_2) perm=[0,2,1,3]\n"
                    "y/unfuse/Reshape_3 = Reshape(y/unfuse/Split_2, y/unfuse/constant_7)\n"
                    "y/unfuse/Transpose_2 = Transpose(y/unfuse/Reshape_3) perm=[0,2,3,1]\n"
                    "y/unfuse/Reshape_4 = Reshape(y/unfuse/Split_3, y/unfuse/constant_8)\n"
                    "y/unfuse/Transpose_3 = Transpose(y/unfuse/Reshape_4) perm=[0,2,1,3]\n"
                    "y/unfuse/MatMul_2 = MatMul(y/unfuse/Transpose, y/unfuse/Transpose_2)\n"
                    "y/unfuse/Mul = Mul(y/unfuse/MatMul_2, y/unfuse/constant_9)\n"
                    "y/unfuse/Add_2 = Add(y/unfuse/Mul, y/unfuse/Where)\n"
                    "y/unfuse/Softmax = Softmax(y/unfuse/Add_2) axis=3\n"
                    "y/unfuse/MatMul_3 = MatMul(y/unfuse/Softmax, y/unfuse/Transpose_3)\n"
                    "y/unfuse/Transpose_4 = Transpose(y/unfuse/MatMul_3) perm=[0,2,1,3]\n"
                    "y = Reshape(y/unfuse/Transpose_4, y/unfuse/constant_10)\n"
                    "init y/unfuse/constant int32[] = 0\n"
                    "init y/unfuse/constant_2 int64[4] = 1 1 1 3\n"
                    "init y/unfuse/constant_3 float32[] = 0\n"
                    "init y/unfuse/constant_4 float32[] = -10000\n"
                    "init y/unfuse/constant_5 int64[3] = 4 4 4\n"
                    "init y/unfuse/constant_6 int64[4] = 1 3 2 2\n"
                    "init y/unfuse/constant_7 int64[4] = 1 3 2 2\n"
                    "init y/unfuse/constant_8 int64[4] = 1 3 2 2\n"
                    "init y/unfuse/constant_9 float32[] = 0.707106769\n"
                    "init y/unfuse/constant_10 int64[3] = 1 3 4\n");
}

static void test_rewrite_structure__leaves_other_attentions(void)
{
    CHECK_REWRITTEN(ATTENTION "node y = com.microsoft:Attention(x, w, b) num_heads=2 unidirectional=1\noutput y\n",
                    "unfuse", "same");
    CHECK_REWRITTEN(ATTENTION "input m int32[1,3,3]\nnode y = com.microsoft:Attention(x, w, b, m) num_heads=2\n"
                              "output y\n",
                    "unfuse", "same");
    CHECK_REWRITTEN(ATTENTION "input m int32[2]\nnode y = com.microsoft:Attention(x, w, b, m) num_heads=2\n"
                              "output y\n",
                    "unfuse", "same");
    CHECK_REWRITTEN(ATTENTION "input p float32[2,1,2,3,2]\nnode y, q = com.microsoft:Attention(x, w, b, , p) "
                              "num_heads=2\noutput y\n",
                    "unfuse", "same");
    CHECK_REWRITTEN(ATTENTION "input p float32[1,2,3,3]\nnode y = com.microsoft:Attention(x, w, b, , , p) "
                              "num_heads=2\noutput y\n",
                    "unfuse", "same");
    CHECK_REWRITTEN(ATTENTION "node y, q = com.microsoft:Attention(x, w, b) num_heads=2\noutput y\noutput q\n",
                    "unfuse", "same");
    CHECK_REWRITTEN("opset 17\nopset com.microsoft 1\ninput x float32[1,s,4]\ninit w float32[4,12]\n"
                    "init b float32[12]\nnode y = com.microsoft:Attention(x, w, b) num_heads=2\noutput y\n",
                    "unfuse", "same");
    /* A constant of as many places as the dim says: 32 GiB. */
    CHECK_REWRITTEN("opset 17\nopset com.microsoft 1\ninput x float32[1,4294967296,4]\ninit w float32[4,12]\n"
                    "init b float32[12]\ninput m int32[1]\n"
                    "node y = com.microsoft:Attention(x, w, b, m) num_heads=2\noutput y\n",
                    "unfuse", "same");
}

#define EMBEDDING                                                                                                      \
    "opset 17\nopset com.microsoft 1\ninput i int32[1,3]\ninit words float32[9,4]\ninit places float32[5,4]\n"         \
    "init kinds float32[2,4]\ninit g float32[4]\ninit b float32[4]\n"

static void test_rewrite_structure__an_embedding_is_gathers_and_a_normalization(void)
{
    CHECK_REWRITTEN(EMBEDDING "input m int32[1,3]\nnode y, k = com.microsoft:EmbedLayerNormalization(i, , words, "
                              "places, , g, b, m) epsilon=0.5\noutput y\noutput k\n",
                    "unfuse",
                    "y/unfuse/Slice = Slice(places, y/unfuse/constant, y/unfuse/constant_2, y/unfuse/constant_3, "
                    "y/unfuse/constant_4)\n"
                    "y/unfuse/Gather = Gather(words, i) axis=0\n"
                    "y/unfuse/Add = Add(y/unfuse/Gather, y/unfuse/Slice)\n"
                    "y = LayerNormalization(y/unfuse/Add, g, b) axis=-1 epsilon=0.5\n"
                    "y/unfuse/Equal = Equal(m, y/unfuse/constant_5)\n"
                    "y/unfuse/Cast = Cast(y/unfuse/Equal) to=6\n"
                    "k = ReduceSum(y/unfuse/Cast, y/unfuse/constant_6) keepdims=0\n"
                    "init y/unfuse/constant int64[1] = 0\n"
                    "init y/unfuse/constant_2 int64[1] = 3\n"
                    "init y/unfuse/constant_3 int64[1] = 0\n"
                    "init y/unfuse/constant_4 int64[1] = 1\n"
                    "init y/unfuse/constant_5 int32[] = 1\n"
                    "init y/unfuse/constant_6 int64[1] = 1\n");
    /* Before LayerNormalization was an operator. */
    CHECK_REWRITTEN("opset 14\nopset com.microsoft 1\ninput i int32[1,3]\ninit words float32[9,4]\n"
                    "init places float32[3,4]\ninit g float32[4]\ninit b float32[4]\n"
                    "node y, k = com.microsoft:EmbedLayerNormalization(i, , words, places, , g, b)\noutput y\n",
                    "unfuse",
                    "y/unfuse/Slice = Slice(places, y/unfuse/constant, y/unfuse/constant_2, y/unfuse/constant_3, "
                    "y/unfuse/constant_4)\n"
                    "y/unfuse/Gather = Gather(words, i) axis=0\n"
                    "y/unfuse/Add = Add(y/unfuse/Gather, y/unfuse/Slice)\n"
                    "y/unfuse/ReduceMean = ReduceMean(y/unfuse/Add) axes=[2] keepdims=1\n"
                    "y/unfuse/Sub = Sub(y/unfuse/Add, y/unfuse/ReduceMean)\n"
                    "y/unfuse/Pow = Pow(y/unfuse/Sub, y/unfuse/constant_5)\n"
                    "y/unfuse/ReduceMean_2 = ReduceMean(y/unfuse/Pow) axes=[2] keepdims=1\n"
                    "y/unfuse/Add_2 = Add(y/unfuse/ReduceMean_2, y/unfuse/constant_6)\n"
                    "y/unfuse/Sqrt = Sqrt(y/unfuse/Add_2)\n"
                    "y/unfuse/Div = Div(y/unfuse/Sub, y/unfuse/Sqrt)\n"
                    "y/unfuse/Mul = Mul(y/unfuse/Div, g)\n"
                    "y = Add(y/unfuse/Mul, b)\n"
                    "init y/unfuse/constant int64[1] = 0\n"
                    "init y/unfuse/constant_2 int64[1] = 3\n"
                    "init y/unfuse/constant_3 int64[1] = 0\n"
                    "init y/unfuse/constant_4 int64[1] = 1\n"
                    "init y/unfuse/constant_5 float32[] = 2\n"
                    "init y/unfuse/constant_6 float32[] = 9.99999996e-13\n");
    CHECK_REWRITTEN("opset 17\nopset com.microsoft 1\ninput i int32[1,3]\ninit words float32[9,4]\n"
                    "init places float32[2,4]\ninit g float32[4]\ninit b float32[4]\n"
                    "node y, k = com.microsoft:EmbedLayerNormalization(i, , words, places, , g, b)\noutput y\n",
                    "unfuse", "same");
    CHECK_REWRITTEN(EMBEDDING "input t int32[1,3]\nnode y, k = com.microsoft:EmbedLayerNormalization(i, t, words, "
                              "places, , g, b)\noutput y\n",
                    "unfuse", "same");
    CHECK_REWRITTEN("opset 17\nopset com.microsoft 1\ninput i int32[4294967296,3]\ninit words float32[9,4]\n"
                    "init places float32[5,4]\ninit g float32[4]\ninit b float32[4]\n"
                    "node y, k = com.microsoft:EmbedLayerNormalization(i, , words, places, , g, b)\noutput y\n"
                    "output k\n",
                    "unfuse", "same");
}

/* ---- branches ---------------------------------------------------------------------------------------------------- */

#define BRANCHES                                                                                                       \
    "graph yes\ninit w float32[2] = 1 2\nnode h = Add(x, w)\nnode r = Relu(h)\noutput r float32[2]\nend\n" \
    "graph no\nnode n = Neg(x)\noutput n float32[2]\nend\n"
#define IF "node y = If(c) then_branch=graph yes else_branch=graph no\noutput y\n"

static void test_rewrite_structure__takes_the_branch_that_is_known(void)
{
    CHECK_REWRITTEN(BRANCHES "input x float32[2]\ninit c bool[] = 1\n" IF, "if-const",
                    "y/if-const/h = Add(x, y/if-const/w)\n"
                    "y = Relu(y/if-const/h)\n"
                    "init y/if-const/w float32[2] = 1 2\n");
    CHECK_REWRITTEN(BRANCHES "input x float32[2]\ninit c bool[1] = 0\n" IF, "if-const", "y = Neg(x)\n");
    CHECK_REWRITTEN(BRANCHES "input x float32[2]\ninput c bool[]\n" IF, "if-const", "same");
    /* A branch without a node: what it gives is there already, or a constant of its own. */
    CHECK_REWRITTEN("graph yes\noutput x\nend\ngraph no\ninit k float32[2] = 3 4\noutput k\nend\n"
                    "input x float32[2]\ninit c bool[] = 1\n" IF,
                    "if-const", "y = Identity(x)\n");
    CHECK_REWRITTEN("graph yes\noutput x\nend\ngraph no\ninit k float32[2] = 3 4\noutput k\nend\n"
                    "input x float32[2]\ninit c bool[] = 0\n" IF "node z = Relu(y)\noutput z\n",
                    "if-const", "z = Relu(y)\n");
}

static void test_rewrite_structure__bodies_within_a_branch_keep_what_they_capture(void)
{
    /* The inner graph has an `h` of its own, the other uses that of the branch. */
    CHECK_REWRITTEN("graph inner\nnode h = Neg(x)\nnode i = Exp(h)\noutput i float32[2]\nend\n"
                    "graph other\nnode o = Sqrt(h)\noutput o float32[2]\nend\n"
                    "graph yes\nnode h = Relu(x)\nnode r = If(d) then_branch=graph inner else_branch=graph other\n"
                    "output r float32[2]\nend\ngraph no\nnode n = Neg(x)\noutput n float32[2]\nend\n"
                    "input x float32[2]\ninput d bool[]\ninit c bool[] = 1\n" IF,
                    "if-const", "y/if-const/h = Relu(x)\n"
                                "y = If(d) then_branch=... else_branch=...\n"
                                "  y/if-const/h_2 = Neg(x)\n"
                                "  y/if-const/i = Exp(y/if-const/h_2)\n"
                                "  y/if-const/o = Sqrt(y/if-const/h)\n");
}

static void test_rewrite_structure__runs_both_branches(void)
{
    CHECK_REWRITTEN(BRANCHES "input x float32[2]\ninput c bool[1]\n" IF, "if-where",
                    "y/if-where/h = Add(x, y/if-where/w)\n"
                    "y/if-where/r = Relu(y/if-where/h)\n"
                    "y/if-where_2/n = Neg(x)\n"
                    "y = Where(c, y/if-where/r, y/if-where_2/n)\n"
                    "init y/if-where/w float32[2] = 1 2\n");
    /* The condition has a higher rank than the result. */
    CHECK_REWRITTEN("graph yes\nnode n = Neg(x)\noutput n float32[]\nend\ngraph no\nnode a = Abs(x)\noutput a\nend\n"
                    "input x float32[]\ninput c bool[1]\n" IF,
                    "if-where", "y/if-where/n = Neg(x)\n"
                                "y/if-where_2/a = Abs(x)\n"
                                "y/if-where/Reshape = Reshape(c, y/if-where/constant)\n"
                                "y = Where(y/if-where/Reshape, y/if-where/n, y/if-where_2/a)\n"
                                "init y/if-where/constant int64[0]\n");
    /* There is no Where of bools. */
    CHECK_REWRITTEN("graph yes\nnode n = Not(x)\noutput n bool[2]\nend\ngraph no\noutput x\nend\n"
                    "input x bool[2]\ninput c bool[]\n" IF,
                    "if-where", "y/if-where/n = Not(x)\n"
                                "y/if-where/Not = Not(c)\n"
                                "y/if-where/And = And(y/if-where/Not, x)\n"
                                "y/if-where/And_2 = And(c, y/if-where/n)\n"
                                "y = Or(y/if-where/And_2, y/if-where/And)\n");
}

static void check_stays(const char *yes, const char *inputs)
{
    char model[1024];
    (void)snprintf(model, sizeof model,
                   "opset 17\ngraph yes\n%s\nend\ngraph no\nnode n = Neg(x)\noutput n\nend\ninput c bool[]\n%s\n" IF,
                   yes, inputs);
    CHECK_REWRITTEN(model, "if-where", "same");
}

static void test_rewrite_structure__does_not_run_what_may_fail(void)
{
    check_stays("node a = Gather(x, i)\noutput a", "input x float32[2]\ninput i int64[2]");
    check_stays("init i int64[2] = 0 2\nnode a = Gather(x, i)\noutput a", "input x float32[2]");
    check_stays("node a = Div(x, x)\noutput a", "input x int32[2]");
    check_stays("node a = Reshape(x, s)\noutput a float32[2]", "input x float32[2]\ninput s int64[1]");
    check_stays("node a = RandomNormalLike(x)\noutput a", "input x float32[2]");
    check_stays("node a = com.acme:Print(x)\noutput a float32[2]", "input x float32[2]");
    check_stays("init p int64[2] = 2 -2\nnode a = Pad(x, p) mode=\"reflect\"\noutput a", "input x float32[2]");
    /* Shapes and types that differ, or are not known. */
    check_stays("node a = Concat(x, x) axis=0\noutput a", "input x float32[2]");
    check_stays("node a = Cast(x) to=10\noutput a", "input x float32[2]");
    check_stays("node a = Abs(x)\noutput a", "input x float32[n]");
    check_stays("node a = Identity(x)\noutput a", "input x string[2]");
}

/* ---- loops ------------------------------------------------------------------------------------------------------- */

#define LOOP                                                                                                           \
    "graph body\ninput i int64[]\ninput go bool[]\ninput a float32[2]\nnode more = Identity(go)\n" \
    "init w float32[2] = 1 2\nnode b = Add(a, w)\nnode s = Cast(i) to=1\nnode t = Mul(b, s)\noutput more\noutput b\n" \
    "output t float32[2]\nend\ninput x float32[2]\n"

static void test_rewrite_structure__unrolls_a_loop(void)
{
    CHECK_REWRITTEN(LOOP "init n int64[] = 2\nnode y, z = Loop(n, , x) body=graph body\noutput y\noutput z\n",
                    "unroll", "y/unroll/b = Add(x, y/unroll/w)\n"
                              "y/unroll/s = Cast(y/unroll/constant_2) to=1\n"
                              "y/unroll/t = Mul(y/unroll/b, y/unroll/s)\n"
                              "y = Add(y/unroll/b, y/unroll/w)\n"
                              "y/unroll_2/s = Cast(y/unroll/constant_3) to=1\n"
                              "y/unroll_2/t = Mul(y, y/unroll_2/s)\n"
                              "y/unroll/Unsqueeze = Unsqueeze(y/unroll/t, y/unroll/constant_4)\n"
                              "y/unroll/Unsqueeze_2 = Unsqueeze(y/unroll_2/t, y/unroll/constant_5)\n"
                              "z = Concat(y/unroll/Unsqueeze, y/unroll/Unsqueeze_2) axis=0\n"
                              "init y/unroll/constant_2 int64[] = 0\n"
                              "init y/unroll/w float32[2] = 1 2\n"
                              "init y/unroll/constant_3 int64[] = 1\n"
                              "init y/unroll/constant_4 int64[1] = 0\n"
                              "init y/unroll/constant_5 int64[1] = 0\n");
    CHECK_REWRITTEN(LOOP "init n int64[] = 65\nnode y, z = Loop(n, , x) body=graph body\noutput y\noutput z\n",
                    "unroll", "same");
    CHECK_REWRITTEN(LOOP "init n int64[] = 0\nnode y, z = Loop(n, , x) body=graph body\noutput y\noutput z\n",
                    "unroll", "same");
    CHECK_REWRITTEN(LOOP "input n int64[]\nnode y, z = Loop(n, , x) body=graph body\noutput y\noutput z\n", "unroll",
                    "same");
    CHECK_REWRITTEN(LOOP "init n int64[] = 2\ninput c bool[]\nnode y, z = Loop(n, c, x) body=graph body\noutput y\n"
                         "output z\n",
                    "unroll", "same");
    CHECK_REWRITTEN(LOOP "node y, z = Loop(, , x) body=graph body\noutput y\noutput z\n", "unroll", "same");
}

static void test_rewrite_structure__leaves_a_loop_that_decides_when_to_end(void)
{
    CHECK_REWRITTEN("graph body\ninput i int64[]\ninput go bool[]\ninput a float32[]\ninit most float32[] = 5\n"
                    "node b = Add(a, a)\nnode more = Less(b, most)\noutput more\noutput b\nend\n"
                    "input x float32[]\ninit n int64[] = 2\nnode y = Loop(n, , x) body=graph body\noutput y\n",
                    "unroll", "same");
    CHECK_REWRITTEN("graph body\ninput i int64[]\ninput go bool[]\ninput a float32[2]\nnode more = Identity(go)\n"
                    "node r = RandomNormalLike(a) seed=1.0\nnode b = Add(a, r)\noutput more\noutput b\nend\n"
                    "input x float32[2]\ninit n int64[] = 2\nnode y = Loop(n, , x) body=graph body\noutput y\n",
                    "unroll", "same");
}

#define SCAN                                                                                                           \
    "graph body\ninput h float32[3]\ninput e float32[3]\nnode k = Add(h, e)\nnode o = Neg(k)\noutput k\n" \
    "output o float32[3]\nend\ninput h0 float32[3]\n"

static void test_rewrite_structure__unrolls_a_scan(void)
{
    CHECK_REWRITTEN(SCAN "input x float32[3,2]\nnode y, z = Scan(h0, x) body=graph body num_scan_inputs=1 "
                         "scan_input_axes=[1] scan_input_directions=[1] scan_output_axes=[-1] "
                         "scan_output_directions=[1]\noutput y\noutput z\n",
                    "unroll", "y/unroll/Gather = Gather(x, y/unroll/constant) axis=1\n"
                              "y/unroll/k = Add(h0, y/unroll/Gather)\n"
                              "y/unroll/o = Neg(y/unroll/k)\n"
                              "y/unroll/Gather_2 = Gather(x, y/unroll/constant_2) axis=1\n"
                              "y = Add(y/unroll/k, y/unroll/Gather_2)\n"
                              "y/unroll_2/o = Neg(y)\n"
                              "y/unroll/Unsqueeze = Unsqueeze(y/unroll_2/o, y/unroll/constant_3)\n"
                              "y/unroll/Unsqueeze_2 = Unsqueeze(y/unroll/o, y/unroll/constant_4)\n"
                              "z = Concat(y/unroll/Unsqueeze, y/unroll/Unsqueeze_2) axis=1\n"
                              "init y/unroll/constant int64[] = 1\n"
                              "init y/unroll/constant_2 int64[] = 0\n"
                              "init y/unroll/constant_3 int64[1] = 1\n"
                              "init y/unroll/constant_4 int64[1] = 1\n");
    CHECK_REWRITTEN(SCAN "input x float32[n,3]\nnode y, z = Scan(h0, x) body=graph body num_scan_inputs=1\noutput y\n"
                         "output z\n",
                    "unroll", "same");
    CHECK_REWRITTEN("opset 8\n" SCAN "input x float32[1,2,3]\nnode y, z = Scan(, h0, x) body=graph body "
                    "num_scan_inputs=1\noutput y\noutput z\n",
                    "unroll", "same");
}

/* ---- functions --------------------------------------------------------------------------------------------------- */

#define FUNCTION                                                                                                       \
    "function my:F(a, b) -> (c, d) k slope\nnode h = LeakyRelu(a) alpha=$slope\nnode c = Clip(h, b, )\n"               \
    "node d = ReduceSum(h) keepdims=$k\nend\nopset 17\nopset my 1\ninput x float32[2]\ninput lo float32[]\n"

static void test_rewrite_structure__puts_a_function_in_the_place_of_its_call(void)
{
    CHECK_REWRITTEN(FUNCTION "node c, d = my:F(x, lo) slope=0.5\nnode e = my:F(c) k=0\noutput c\noutput d\noutput e\n",
                    "inline", "c/inline/h = LeakyRelu(x) alpha=0.5\n"
                              "c = Clip(c/inline/h, lo)\n"
                              "d = ReduceSum(c/inline/h)\n"
                              "e/inline/h = LeakyRelu(c)\n"
                              "e = Clip(e/inline/h)\n");
    /* An output that is an input. */
    CHECK_REWRITTEN("function my:P(a) -> (a)\nend\nopset 17\nopset my 1\ninput x float32[2]\nnode y = my:P(x)\n"
                    "output y\n",
                    "inline", "y = Identity(x)\n");
    /* Names of the function are none of the graph. */
    CHECK_REWRITTEN("function my:G(a) -> (y)\nnode x = Neg(a)\nnode y = Exp(x)\nend\nopset 17\nopset my 1\n"
                    "input x float32[2]\nnode q = my:G(x)\nnode y = my:G(q)\nnode z = Add(x, y)\noutput z\n",
                    "inline", "q/inline/x = Neg(x)\n"
                              "q = Exp(q/inline/x)\n"
                              "y/inline/x = Neg(q)\n"
                              "y = Exp(y/inline/x)\n"
                              "z = Add(x, y)\n");
}

static void test_rewrite_structure__leaves_calls_that_the_runtime_takes_otherwise(void)
{
    CHECK_REWRITTEN("function com.microsoft:Gelu(a) -> (b)\nnode b = Relu(a)\nend\nopset 17\nopset com.microsoft 1\n"
                    "input x float32[2]\nnode y = com.microsoft:Gelu(x)\noutput y\n",
                    "inline", "same");
    CHECK_REWRITTEN("function my:S(a) -> (b)\nopset 12\nnode b = Softmax(a)\nend\nopset 17\nopset my 1\n"
                    "input x float32[2,3,4]\nnode y = my:S(x)\noutput y\n",
                    "inline", "same");
}

TESTS(test_rewrite_structure__folds_what_is_the_same_in_every_run,
      test_rewrite_structure__constants_of_old_files_are_nodes, test_rewrite_structure__folds_nothing_else,
      test_rewrite_structure__folds_a_node_with_all_its_results_or_not_at_all,
      test_rewrite_structure__gathers_all_by_a_reshape, test_rewrite_structure__gathers_some_along_one_axis,
      test_rewrite_structure__leaves_other_gathers, test_rewrite_structure__gathers_in_batches,
      test_rewrite_structure__einsum_is_a_product_of_matrices,
      test_rewrite_structure__leaves_other_sums_of_products,
      test_rewrite_structure__experts_run_on_all_tokens, test_rewrite_structure__leaves_other_experts,
      test_rewrite_structure__attention_is_products_and_a_softmax, test_rewrite_structure__leaves_other_attentions,
      test_rewrite_structure__an_embedding_is_gathers_and_a_normalization,
      test_rewrite_structure__takes_the_branch_that_is_known,
      test_rewrite_structure__bodies_within_a_branch_keep_what_they_capture,
      test_rewrite_structure__runs_both_branches, test_rewrite_structure__does_not_run_what_may_fail,
      test_rewrite_structure__unrolls_a_loop, test_rewrite_structure__leaves_a_loop_that_decides_when_to_end,
      test_rewrite_structure__unrolls_a_scan, test_rewrite_structure__puts_a_function_in_the_place_of_its_call,
      test_rewrite_structure__leaves_calls_that_the_runtime_takes_otherwise,
      test_rewrite_structure__attributes_of_another_type)
