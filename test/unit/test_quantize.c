/* SPDX-License-Identifier: Apache-2.0
 *
 * A model as a quantizer would write it: which nodes there are, and what becomes of names, types and orders.
 */
#include "support/analysis.h"
#include "support/model_text.h"
#include "support/test.h"

/* The nodes in their order, as "Op(first operand ...)result", without names. */
static void tell(const npart_model *model, char *out, size_t bytes)
{
    struct npart_node node = {.size = sizeof node};
    size_t used = 0;
    *out = '\0';
    for (uint32_t i = 0; npart_model_node(model, i, &node) && used < bytes; i++)
        used += (size_t)snprintf(out + used, bytes - used, "%s%s", i ? " " : "", node.op);
}

static void check_as(const char *text, const char *precision, const char *expected)
{
    struct npart_error error = {0};
    char told[2000];
    npart_model *model = read_text(text), *as = NULL;
    CHECK_INT(npart_model_as(&as, model, precision, &error), NPART_OK);
    CHECK_TEXT(error.message, "");
    tell(as, told, sizeof told);
    CHECK_TEXT(told, expected);
    CHECK(npart_model_origin(as) == model);
    CHECK(npart_model_origin(model) == model);
    npart_model_free(model);
    npart_model_free(as);
}

#define PAIR "QuantizeLinear DequantizeLinear"

static const char network[] = "opset 17\ninput x float32[1,3,8,8]\ninit w float32[4,3,3,3]\ninit b float32[4]\n"
                              "init m float32[4,2]\nnode c = Conv(x, w, b)\nnode r = Relu(c)\n"
                              "node t = Transpose(r) perm=[0,2,3,1]\nnode y = MatMul(t, m)\noutput y\n";

/* Three constants first, in the order of their names; the Relu is in the range of what it clips. */
static void test_quantize__each_kind_of_precision(void)
{
    check_as(network, "w8a8",
             "DequantizeLinear DequantizeLinear DequantizeLinear " PAIR " Conv " PAIR " Transpose " PAIR " MatMul "
             PAIR);
    check_as(network, "w4", "Conv Relu Transpose MatMulNBits");
    check_as(network, "nf4", "Conv Relu Transpose MatMulBnb4");
    check_as(network, "float16", "Conv Relu Transpose MatMul");
}

/* An operator that nobody lists is left alone, but by QNN's configuration; so is what works on integers. */
static void test_quantize__operators_that_nobody_lists(void)
{
    static const char text[] = "opset 17\ninput x float32[2,4]\ninput i int64[2]\nnode a = Erf(x)\n"
                               "node g = Gather(a, i)\nnode j = Add(i, i)\noutput g\noutput j\n";
    check_as(text, "w8a8", "Add Erf Gather");
    check_as(text, "w8a8:qnn", "Add " PAIR " Erf " PAIR " Gather " PAIR);
}

/* A Relu whose operand has another user, or is an output, stays. */
static void test_quantize__a_relu_goes_into_the_range(void)
{
    check_as("opset 17\ninput x float32[1,3,8,8]\ninit w float32[4,3,3,3]\nnode c = Conv(x, w)\nnode r = Relu(c)\n"
             "node s = Add(c, r)\noutput s\n",
             "w8a8", "DequantizeLinear " PAIR " Conv " PAIR " Relu " PAIR " Add " PAIR);
    check_as("opset 17\ninput x float32[1,3,8,8]\nnode r = Relu(x)\noutput r\n", "w8a8", "Relu");
}

/* Captures of a body stay as they are, and its nodes; what nobody reads quantized is quantized all the same. */
static void test_quantize__bodies_stay_as_they_are(void)
{
    check_as("opset 17\ninput x float32[2]\ninput k bool[1]\ngraph yes\nnode p = Add(s, s)\noutput p float32[2]\nend\n"
             "graph no\nnode q = Neg(s)\noutput q float32[2]\nend\nnode s = Mul(x, x)\n"
             "node y = If(k) then_branch=graph yes else_branch=graph no\noutput y\n",
             "w8a8", PAIR " Mul If " PAIR " Add Neg");
}

/* But for weights alone, of the body's own and of what it takes from round it. */
static void test_quantize__weights_of_bodies(void)
{
    static const char text[] =
        "opset 17\ninput x float32[2,4]\ninput k bool[]\ninit w float32[4,4]\ngraph yes\ninit v float32[4,4]\n"
        "node p = MatMul(s, v)\noutput p float32[2,4]\nend\ngraph no\nnode q = MatMul(s, w)\n"
        "output q float32[2,4]\nend\nnode s = MatMul(x, w)\n"
        "node y = If(k) then_branch=graph yes else_branch=graph no\noutput y\n";
    check_as(text, "w4", "MatMulNBits If MatMulNBits MatMulNBits");
    check_as(text, "nf4:keep=MatMul", "MatMul If MatMulBnb4 MatMulBnb4");
    check_as(text, "dynamic8", "DynamicQuantizeLinear Mul MatMulInteger Cast Mul If MatMul MatMul");
}

/* Of a Gemm the product and the sum; one weight that two nodes have the other way round is quantized for the first. */
static void test_quantize__at_run_time(void)
{
    check_as("opset 17\ninput x float32[2,4]\ninit w float32[4,4]\nnode y = Gemm(x, w)\noutput y\n", "dynamic8",
             "DynamicQuantizeLinear Mul MatMulInteger Cast Mul");
    check_as("opset 17\ninput x float32[2,4]\ninit w float32[4,4]\ninit b float32[4]\nnode z = MatMul(x, w)\n"
             "node y = Gemm(z, w, b) transB=1\noutput y\n",
             "dynamic8", "DynamicQuantizeLinear Mul MatMulInteger Cast Mul Gemm");
    /* An operator that opset 21 does not have keeps the file at its own. */
    check_as("opset 8\ninput x float32[2,4]\nnode y = Upsample(x, s)\ninit s float32[2] = 1 1\noutput y\n", "w8a16",
             "Upsample");
}

/* A bias that two nodes have is quantized for each, and both copies are made. */
static void test_quantize__a_bias_for_each_node(void)
{
    check_as("opset 17\ninput x float32[1,4,8,8]\ninit w float32[4,4,1,1]\ninit v float32[4,4,1,1]\ninit b float32[4]\n"
             "node c = Conv(x, w, b)\nnode d = Conv(c, v, b)\noutput d\n",
             "w8a8:per-tensor",
             "DequantizeLinear DequantizeLinear DequantizeLinear DequantizeLinear " PAIR " Conv " PAIR " Conv " PAIR);
}

/* The copy has the number after the largest, which may be another tensor's: then the second node reads
 * the bias in its place. */
static void test_quantize__a_copied_bias_by_the_name_of_another(void)
{
    static const char text[] =
        "opset 17\ninput x float32[1,4,8,8]\ninit w float32[4,4,1,1]\ninit v float32[4,4,1,1]\ninit b float32[4]\n"
        "init b7 float32[4]\nnode %s = Conv(x, w, b)\nnode d = Conv(%s, v, b)\nnode e = Add(d, b7)\noutput e\n";
    char model[400];
    (void)snprintf(model, sizeof model, text, "c", "c");
    check_as(model, "w8a8:per-tensor",
             "DequantizeLinear DequantizeLinear DequantizeLinear DequantizeLinear DequantizeLinear " PAIR " Conv " PAIR
             " Conv " PAIR " Add " PAIR);
    (void)snprintf(model, sizeof model, text, "b8", "b8");
    check_as(model, "w8a8:per-tensor",
             "DequantizeLinear DequantizeLinear DequantizeLinear DequantizeLinear DequantizeLinear QuantizeLinear Conv "
             "DequantizeLinear QuantizeLinear Conv DequantizeLinear Add " PAIR);
}

/* Below opset 13 all axes from the given one on are one, for which ONNX's converter writes more nodes; of unknown rank
 * it takes no axis for the last one. */
static void test_quantize__axes_that_were_one(void)
{
    check_as("opset 12\ninput x float32[2,3,4]\nnode y = Softmax(x) axis=1\noutput y\n", "w8a16:qnn",
             "Shape Flatten " PAIR " Softmax " PAIR " Reshape");
    check_as("opset 12\ninput x float32[2,3,4]\nnode y = Softmax(x) axis=2\noutput y\n", "w8a16", PAIR " Softmax "
             PAIR);
}

/* A tensor has the bits of what makes it. Users of the other kind read it converted: by another pair, and one
 * DequantizeLinear more where not all are of that kind. */
static void test_quantize__activations_of_sixteen_bits_among_eight(void)
{
    static const char text[] = "opset 17\ninput x float32[2,4]\nnode a = Softmax(x)\nnode b = Mul(a, a)\n"
                               "node c = Softmax(b)\nnode d = Add(b, c)\noutput d\n";
    check_as(text, "w8a8:keep16=c",
             PAIR " Softmax " PAIR " Mul QuantizeLinear DequantizeLinear DequantizeLinear QuantizeLinear "
             "DequantizeLinear Softmax " PAIR " " PAIR " Add " PAIR);
    check_as(text, "w8a8:qnn:keep16=*",
             PAIR " " PAIR " Softmax " PAIR " Mul " PAIR " Softmax " PAIR " Add " PAIR);
    npart_model *model = read_text(text), *as = NULL;
    CHECK_INT(npart_model_as(&as, model, "w8a8:keep16=softmax:keep=a", NULL), NPART_OK);
    CHECK_TEXT(npart_model_kept(as, 0), "a");
    CHECK(npart_model_kept(as, 1) == NULL);
    CHECK_TEXT(npart_model_wide(as, 0), "b");
    CHECK_TEXT(npart_model_wide(as, 1), "c");
    CHECK(npart_model_wide(as, 2) == NULL);
    CHECK(npart_model_wide(model, 0) == NULL);
    npart_model_free(as);
    npart_model_free(model);
}

/* 16 bits need opset 21, which the quantizer goes to first; then a reduction has its axes as an operand. */
static void test_quantize__sixteen_bits_need_another_opset(void)
{
    struct npart_model_info info = {.size = sizeof info};
    npart_model *model = read_text("opset 17\ninput x float32[2,4]\nnode a = ReduceMean(x) axes=[1] keepdims=1\n"
                                   "node y = Mul(a, a)\noutput y\n"), *as = NULL;
    CHECK_INT(npart_model_as(&as, model, "w8a16", NULL), NPART_OK);
    CHECK(npart_model_info(as, &info) && info.opset_count >= 1);
    CHECK_INT((int)info.opsets[0].version, 21);
    npart_model_free(as);
    CHECK_INT(npart_model_as(&as, model, "w8a8", NULL), NPART_OK);
    CHECK(npart_model_info(as, &info));
    CHECK_INT((int)info.opsets[0].version, 17);
    npart_model_free(as);
    npart_model_free(model);
}

/* Names that the model has already are not taken again. */
static void test_quantize__names_that_are_taken(void)
{
    npart_model *model = read_text("opset 17\ninput x float32[2]\nnode x_QuantizeLinear_Output = Neg(x)\n"
                                   "node y = Add(x, x_QuantizeLinear_Output)\noutput y\n"), *as = NULL;
    struct npart_error error = {0};
    CHECK_INT(npart_model_as(&as, model, "w8a8", &error), NPART_OK);
    CHECK_TEXT(error.message, "");
    npart_model_free(as);
    npart_model_free(model);
}

/* An initializer that is an input, too, as exporters once wrote them: what is quantized is none any more. */
static void test_quantize__initializers_that_are_inputs(void)
{
    check_as("ir 4\nopset 13\ninput x float32[1,3,8,8]\ninput w float32[4,3,3,3]\ninput b float32[4]\n"
             "init w float32[4,3,3,3]\ninit b float32[4]\nnode y = Conv(x, w, b)\noutput y\n",
             "w8a8", "DequantizeLinear DequantizeLinear " PAIR " Conv " PAIR);
}

/* Names of what the precision leaves in float, with commas after them. */
static void check_kept(const char *text, const char *precision, const char *expected)
{
    npart_model *model = read_text(text), *as = NULL;
    struct npart_error error = {0};
    char told[200] = "";
    CHECK_INT(npart_model_as(&as, model, precision, &error), NPART_OK);
    CHECK_TEXT(error.message, "");
    for (uint32_t i = 0; npart_model_kept(as, i); i++)
        (void)snprintf(told + strlen(told), sizeof told - strlen(told), "%s,", npart_model_kept(as, i));
    CHECK_TEXT(told, expected);
    CHECK(npart_model_kept(model, 0) == NULL);
    npart_model_free(as);
    npart_model_free(model);
}

/* Scores are masked between a product and a Softmax; two products make what attention multiplies, one the result. */
static const char attention[] =
    "opset 17\ninput x float32[4,8]\ninput m float32[4,4]\ninit a float32[8,8]\ninit b float32[8,8]\n"
    "init c float32[8,8]\nnode q = MatMul(x, a)\nnode k = MatMul(x, b)\nnode t = Transpose(k) perm=[1,0]\n"
    "node s = MatMul(q, t)\nnode d = Add(s, m)\nnode p = Softmax(d)\nnode o = MatMul(p, x)\n"
    "node r = Add(o, x)\nnode n = ReduceMean(r) axes=[1]\nnode h = Sub(r, n)\nnode y = MatMul(h, c)\noutput y\n";

static void test_quantize__nodes_that_stay_in_float(void)
{
    check_kept(attention, "w8a8:keep=first", "q,k,");
    check_kept(attention, "w8a8:keep=last", "y,");
    check_kept(attention, "w8a8:keep=softmax", "d,p,");
    check_kept(attention, "w8a8:keep=norm", "n,");
    check_kept(attention, "w8a8:keep=residual", "r,");
    check_kept(attention, "w8a8:keep=attention", "q,k,");
    check_kept(attention, "w8a8:keep=vocoder", "");
    check_kept(attention, "w8a8:keep=auto", "q,k,d,p,n,y,");
    check_kept(attention, "w4:keep=Sub:keep=?", "q,k,t,s,d,p,o,r,n,h,y,");
    check_kept(attention, "dynamic8:keep=Reduce*:keep=Conv", "n,");
    check_kept("opset 17\ninput x float32[1,4,8]\ninit w float32[4,2,3]\nnode a = Abs(x)\n"
               "node u = ConvTranspose(a, w)\nnode y = Tanh(u)\noutput y\n", "w8a8:keep=vocoder", "u,y,");
}

/* What is kept is as it was, and nothing is quantized for it alone. */
static void test_quantize__what_is_kept_is_not_quantized(void)
{
    npart_model *model = read_text(attention), *as = NULL;
    struct npart_error error = {0};
    check_as("opset 17\ninput x float32[2,4]\ninit w float32[4,4]\nnode m = MatMul(x, w)\nnode y = MatMul(m, w)\n"
             "output y\n", "w8a8:keep=m", "DequantizeLinear MatMul " PAIR " MatMul " PAIR);
    check_as(network, "w4:keep=MatMul", "Conv Relu Transpose MatMul");
    check_as(network, "float16:keep=c", "Cast Cast Cast Conv Cast Relu Transpose MatMul");
    check_as(network, "dynamic8:keep=c:keep=y", "Conv Relu Transpose MatMul");
    CHECK_INT(npart_model_as(&as, model, "w8a8:keep=sofmax", &error), NPART_ERROR_ARGUMENT);
    CHECK(strstr(error.message, "did you mean softmax"));
    CHECK_INT(npart_precision_check("w8a8:keep=", NULL), NPART_ERROR_ARGUMENT);
    npart_model_free(model);
}

static void check_first(const char *text, const char *expected)
{
    npart_model *model = read_text(text);
    const char *source = "", *about = npart_model_quantized_first(model, &source);
    CHECK(strstr(about ? about : "nothing", expected));
    CHECK(!about || *source);
    npart_model_free(model);
}

static void test_quantize__which_way_is_first(void)
{
    check_first(attention, "transformer");
    check_first(network, "convolutions: ");
    check_first("opset 17\ninput x float32[1,4,8,8]\ninit w float32[4,1,3,3]\nnode y = Conv(x, w) group=4\noutput y\n",
                "depthwise");
    check_first("opset 17\ninput past_key float32[1,4]\ninit w float32[4,4]\nnode y = MatMul(past_key, w)\noutput y\n",
                "language model");
    check_first("opset 17\ninput x float32[1,4]\nnode y = Relu(x)\noutput y\n", "nothing");
}

/* A table that is looked up and turned stays quantized until somebody needs it; recurrent weights lie the other way. */
static void test_quantize__operators_of_their_own(void)
{
    check_as("opset 17\ninput i int64[2]\ninit w float32[4,4]\nnode g = Gather(w, i)\nnode t = Transpose(g)\n"
             "node y = Neg(t)\noutput y\n", "dynamic8", "Gather Transpose DequantizeLinear Neg");
    check_as("opset 17\ninput x float32[2,1,4]\ninit w float32[1,12,4]\ninit r float32[1,12,3]\n"
             "node y = LSTM(x, w, r) hidden_size=3\noutput y\n", "dynamic8", "DynamicQuantizeLSTM");
}

static void test_quantize__what_is_a_precision(void)
{
    static const char *const good[] = {"w8a8:per-tensor", "w8a8:qnn:per-channel", "w4a16:block=16", "w4:block=65536",
                                       "w8a16:activations=int16", "w4a16:min-db=17.5:keep=a:b", "float16:min-db=60",
                                       "w8a8:keep16=a:keep=b", "w8a8:qnn:activations=int8:keep=b:keep16=*"};
    static const char *const bad[] = {"", ":", "w8a8:", "W8A8", "w4:block=8", "w4:block=131072", "w4:block=24",
                                      "w8:qnn", "w8a8:block=16", "w8a8:activations=int16", "fp8:per-tensor",
                                      "w8a8:min-db=", "w8a8:min-db=0", "w8a8:min-db=200", "w8a8:min-db=1.2.3",
                                      "w8a8:min-db=.5", "bfloat16:min-db=20",
                                      "nf4:block=128:min-db=20", "w8a16:keep16=a", "w8a8:keep16=", "fp8:keep16=a",
                                      "w4a16:per-tensor:min-db=20"};
    const char *about = NULL;
    struct npart_error error;
    for (uint32_t i = 0; npart_precision_name(i, &about); i++) {
        CHECK_INT(npart_precision_check(npart_precision_name(i, NULL), NULL), NPART_OK);
        CHECK(*about);
    }
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        CHECK_INT(npart_precision_check(good[i], NULL), NPART_OK);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        CHECK_INT(npart_precision_check(bad[i], &error), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_precision_check(NULL, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_model_as(NULL, NULL, "w8a8", NULL), NPART_ERROR_ARGUMENT);
}

TESTS(test_quantize__each_kind_of_precision,
      test_quantize__operators_that_nobody_lists,
      test_quantize__a_relu_goes_into_the_range,
      test_quantize__bodies_stay_as_they_are,
      test_quantize__weights_of_bodies,
      test_quantize__at_run_time,
      test_quantize__a_bias_for_each_node,
      test_quantize__a_copied_bias_by_the_name_of_another,
      test_quantize__axes_that_were_one,
      test_quantize__activations_of_sixteen_bits_among_eight,
      test_quantize__sixteen_bits_need_another_opset,
      test_quantize__names_that_are_taken,
      test_quantize__initializers_that_are_inputs,
      test_quantize__nodes_that_stay_in_float,
      test_quantize__what_is_kept_is_not_quantized,
      test_quantize__which_way_is_first,
      test_quantize__operators_of_their_own,
      test_quantize__what_is_a_precision)
