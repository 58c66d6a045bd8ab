/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a node stands in its graph, told without names.
 */
#include "npu_partition.h"
#include "support/analysis.h"
#include "support/test.h"

#define HEAD "opset 17\ninput x float32[1,3,8,8]\ninit w float32[4,3,3,3]\n"

static struct npart_structure structure_in(const struct analysis *at, const char *name)
{
    struct npart_structure out = {.size = sizeof out};
    CHECK_INT(npart_inference_structure(at->inference, analysis_node(at, name), &out, NULL), NPART_OK);
    return out;
}

/* Of the node that makes `name`. */
static struct npart_structure structure_of(const char *model, const char *name)
{
    struct analysis at;
    analysis_infer(&at, model, NULL);
    struct npart_structure out = structure_in(&at, name);
    analysis_close(&at);
    return out;
}

static bool same_place(struct npart_structure a, struct npart_structure b)
{
    return a.up == b.up && a.down == b.down && a.around == b.around;
}

static bool same(struct npart_structure a, struct npart_structure b)
{
    return same_place(a, b) && a.itself == b.itself;
}

static void test_structure__has_no_names_and_no_order(void)
{
    struct analysis one, other;
    analysis_infer(
        &one, HEAD "node c = Conv(x, w)\nnode r = Relu(c)\nnode s = Sigmoid(c)\nnode y = Add(r, s)\noutput y\n", NULL);
    analysis_infer(&other,
                   "opset 17\ninput in float32[1,3,8,8]\ninit v float32[4,3,3,3]\nnode k = Conv(in, v) @first\n"
                   "node b = Sigmoid(k)\nnode a = Relu(k)\nnode out = Add(b, a)\noutput out\n",
                   NULL);
    CHECK(same(structure_in(&one, "c"), structure_in(&other, "k")));
    CHECK(same(structure_in(&one, "r"), structure_in(&other, "a")));
    CHECK(same(structure_in(&one, "s"), structure_in(&other, "b")));
    CHECK(same(structure_in(&one, "y"), structure_in(&other, "out")));
    CHECK(!same_place(structure_in(&one, "r"), structure_in(&one, "s")));
    analysis_close(&other);
    analysis_close(&one);
}

static void test_structure__tells_operands_apart(void)
{
    struct analysis at;
    analysis_infer(&at, HEAD "node a = Relu(x)\nnode b = Relu(x)\nnode y = Sub(a, b)\noutput y\n", NULL);
    struct npart_structure a = structure_in(&at, "a"), b = structure_in(&at, "b");
    CHECK(a.up == b.up && a.itself == b.itself && a.down != b.down);
    analysis_close(&at);
}

/* Details change a node itself, and no neighbour. */
static void test_structure__details_are_the_nodes_own(void)
{
    static const char plain[] = HEAD "node c = Conv(x, w)\nnode r = Relu(c)\nnode y = Neg(r)\noutput y\n";
    static const char padded[] =
        HEAD "node c = Conv(x, w) pads=[1,1,1,1]\nnode r = Relu(c)\nnode y = Neg(r)\noutput y\n";
    CHECK(same_place(structure_of(plain, "c"), structure_of(padded, "c")));
    CHECK(structure_of(plain, "c").itself != structure_of(padded, "c").itself);
    CHECK(same(structure_of(plain, "r"), structure_of(padded, "r")));
}

/* An operand that another version has as an attribute, nodes that exporters and quantizers put between. */
static void test_structure__forms_of_the_same_model(void)
{
    static const char old[] = "opset 11\ninput x float32[2,1,4]\nnode s = Squeeze(x) axes=[1]\nnode y = Relu(s)\n"
                              "output y\n";
    static const char new[] = "opset 13\ninput x float32[2,1,4]\ninit a int64[1] = 1\nnode s = Squeeze(x, a)\n"
                              "node i = Identity(s)\nnode y = Relu(i)\noutput y\n";
    CHECK(same_place(structure_of(old, "s"), structure_of(new, "s")));
    CHECK(same(structure_of(old, "y"), structure_of(new, "y")));
}

/* Sizes that are computed beside the tensors lead nowhere. */
static void test_structure__sizes_stay_beside(void)
{
    static const char fixed[] = "opset 17\ninput x float32[2,4]\ninit t int64[1] = 8\nnode n = Neg(x)\n"
                                "node r = Reshape(n, t)\nnode y = Relu(r)\noutput y\n";
    static const char open[] = "opset 17\ninput x float32[b,4]\nnode n = Neg(x)\nnode s = Shape(n)\n"
                               "node p = ReduceProd(s) keepdims=1\nnode r = Reshape(n, p)\nnode y = Relu(r)\n"
                               "output y\n";
    CHECK(same_place(structure_of(fixed, "n"), structure_of(open, "n")));
    CHECK(same_place(structure_of(fixed, "y"), structure_of(open, "y")));
}

/* What is written to files is the same in all releases. */
static void test_structure__numbers_stay(void)
{
    struct npart_structure at =
        structure_of(HEAD "node c = Conv(x, w) pads=[1,1,1,1]\nnode y = Relu(c)\noutput y\n", "c");
    CHECK_INT(at.up, 1976795957);
    CHECK_INT(at.down, 2019086792);
    CHECK_INT(at.around, 4176185704);
    CHECK_INT(at.itself, 4115418577);
}

static void test_structure__arguments(void)
{
    struct npart_structure out = {.size = sizeof out}, wrong = {.size = 1};
    struct analysis at;
    analysis_infer(&at, HEAD "node y = Relu(x)\noutput y\n", NULL);
    CHECK_INT(npart_inference_structure(NULL, 0, &out, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_inference_structure(at.inference, 0, NULL, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_inference_structure(at.inference, 0, &wrong, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_inference_structure(at.inference, 1, &out, NULL), NPART_ERROR_ARGUMENT);
    analysis_close(&at);
}

TESTS(test_structure__has_no_names_and_no_order, test_structure__tells_operands_apart,
          test_structure__details_are_the_nodes_own, test_structure__forms_of_the_same_model,
          test_structure__sizes_stay_beside, test_structure__numbers_stay, test_structure__arguments)
