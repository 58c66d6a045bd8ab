/* SPDX-License-Identifier: Apache-2.0
 *
 * What nodes compute and move, worked out by hand: a family after the other, what is quantized, what is fused, what is
 * symbolic or too large.
 */
#include "onnxruntime/onnxruntime.h"
#include "support/built.h"
#include "support/test.h"
#include "work/formulas.h"

static void append_figure(struct npart__buffer *text, const struct npart__works *works, uint64_t figure)
{
    if (figure == NPART__WORK_UNKNOWN)
        npart__append_text(text, "?");
    else if (npart__work_is_number(figure))
        npart__append_int64(text, (int64_t)figure);
    else
        npart__append_dim(text, works->expressions, (int64_t)figure);
}

/* "matrix: 36 macs + 4, in 8:32 out 4:16 weights 9:36, 4 x 1 x 1, 9 taps, 1 groups, float32 by float32": elements and
 * bytes, rows x columns x depth. */
static const char *describe(struct npart__buffer *text, const struct npart__works *works, uint32_t node)
{
    const struct npart__work *work = &works->items[node];
    const struct {
        const char *before;
        uint64_t figure;
    } parts[] = {{": ", work->macs},           {" macs + ", work->operations}, {", in ", work->input_elements},
                 {":", work->input_bytes},     {" out ", work->output_elements}, {":", work->output_bytes},
                 {" weights ", work->weight_elements}, {":", work->weight_bytes}, {", ", work->rows},
                 {" x ", work->columns},       {" x ", work->depth},           {", ", work->taps},
                 {" taps, ", work->groups}};
    text->size = 0;
    npart__append_text(text, npart_work_class_text(work->class));
    for (size_t i = 0; i < NPART__COUNT(parts); i++) {
        npart__append_text(text, parts[i].before);
        append_figure(text, works, parts[i].figure);
    }
    npart__append_format(text, " groups, %s by %s", npart__type_name(work->activation_type),
                         npart__type_name(work->weight_type));
    return npart__buffer_text(text);
}

/* A model, the result of a node, and what it does: as numbers, or as expressions. */
struct example {
    const char *model, *node, *wanted;
};

static void check(const struct example *examples, size_t count, bool is_symbolic)
{
    for (size_t i = 0; i < count; i++) {
        struct built built;
        struct npart__inference known;
        struct npart__infer_options options = {0};
        struct npart__session session;
        struct npart__works works;
        struct npart__buffer text;
        build_text(&built, examples[i].model);
        REQUIRE(built.status == NPART_OK);
        REQUIRE(npart__infer(&built.graph, &options, &built.arena, &known, &built.error) == NPART_OK);
        REQUIRE(npart__session_make(&known, NPART_LEVEL_BASIC, NPART__RELEASE_NEWEST, &built.arena, &session,
                                    &built.error) == NPART_OK);
        REQUIRE(npart__session_know(&session, &known, &built.arena));
        REQUIRE((is_symbolic ? npart__find_symbolic_work : npart__find_work)(&session, &built.arena, &works));
        uint32_t node = node_named(&built.graph, examples[i].node);
        REQUIRE(node != NPART_NONE);
        npart__buffer_init(&text, &built.arena);
        CHECK_TEXT(describe(&text, &works, node), examples[i].wanted);
        built_close(&built);
    }
}

static void test_work__convolutions(void)
{
    static const struct example examples[] = {
        {"input x float32[1,8,10,10]\ninit w float32[16,4,3,3]\ninit b float32[16]\nnode y = Conv(x, w, b) group=2\n"
         "output y\n",
         "y", "matrix: 36864 macs + 0, in 800:3200 out 1024:4096 weights 592:2368, 64 x 8 x 4, 9 taps, 2 groups, "
              "float32 by float32"},
        {"input x float16[2,8,10,10]\ninit w float16[8,1,3,3]\nnode y = Conv(x, w) group=8\noutput y\n",
         "y", "depthwise: 9216 macs + 0, in 1600:3200 out 1024:2048 weights 72:144, 128 x 1 x 1, 9 taps, 8 groups, "
              "float16 by float16"},
        {"input x float32[1,8,10,10]\ninit w float32[8,16,3,3]\nnode y = ConvTranspose(x, w)\noutput y\n",
         "y", "matrix: 115200 macs + 0, in 800:3200 out 2304:9216 weights 1152:4608, 100 x 16 x 8, 9 taps, 1 groups, "
              "float32 by float32"},
        {"input x float32[1,3,5]\ninput w float32[4,3,2]\nnode y = Conv(x, w)\noutput y\n",
         "y", "product: 96 macs + 0, in 39:156 out 16:64 weights 0:0, 4 x 4 x 3, 2 taps, 1 groups, "
              "float32 by undefined"},
    };
    check(examples, NPART__COUNT(examples), false);
}

static void test_work__matrices(void)
{
    static const struct example examples[] = {
        {"input x float32[2,3,4]\ninit w float32[4,5]\nnode y = MatMul(x, w)\noutput y\n",
         "y", "matrix: 120 macs + 0, in 24:96 out 30:120 weights 20:80, 6 x 5 x 4, 1 taps, 1 groups, "
              "float32 by float32"},
        {"input x float32[2,12,7,64]\ninput w float32[2,12,64,9]\nnode y = MatMul(x, w)\noutput y\n",
         "y", "product: 96768 macs + 0, in 24576:98304 out 1512:6048 weights 0:0, 7 x 9 x 64, 1 taps, 24 groups, "
              "float32 by undefined"},
        {"input x float32[2,12,7,64]\ninput w float32[1,12,64,9]\nnode y = MatMul(x, w)\noutput y\n",
         "y", "product: 96768 macs + 0, in 17664:70656 out 1512:6048 weights 0:0, 14 x 9 x 64, 1 taps, 12 groups, "
              "float32 by undefined"},
        {"input x float32[4]\ninit w float32[4,5]\nnode y = MatMul(x, w)\noutput y\n",
         "y", "matrix: 20 macs + 0, in 4:16 out 5:20 weights 20:80, 1 x 5 x 4, 1 taps, 1 groups, float32 by float32"},
        {"input x float32[3,2,4]\ninit w float32[4]\nnode y = MatMul(x, w)\noutput y\n",
         "y", "matrix: 24 macs + 0, in 24:96 out 6:24 weights 4:16, 6 x 1 x 4, 1 taps, 1 groups, float32 by float32"},
        {"input x float32[5,4]\ninit w float32[7,5]\ninit b float32[7]\nnode y = Gemm(x, w, b) transA=1 transB=1\n"
         "output y\n",
         "y", "matrix: 140 macs + 0, in 20:80 out 28:112 weights 42:168, 4 x 7 x 5, 1 taps, 1 groups, "
              "float32 by float32"},
        {"input x float32[2,3,4]\ninput y float32[2,4,6]\nnode z = Einsum(x, y) equation=\"bij, bjk->bik\"\noutput z\n",
         "z", "product: 144 macs + 0, in 72:288 out 36:144 weights 0:0, 3 x 6 x 4, 1 taps, 2 groups, "
              "float32 by undefined"},
        {"input x uint8[3,4]\ninit w int8[4,5]\nnode y = MatMulInteger(x, w)\noutput y\n",
         "y", "matrix: 60 macs + 0, in 12:12 out 15:60 weights 20:20, 3 x 5 x 4, 1 taps, 1 groups, uint8 by int8"},
    };
    check(examples, NPART__COUNT(examples), false);
}

static void test_work__recurrent_and_attention(void)
{
    static const struct example examples[] = {
        {"input x float32[6,2,3]\ninit w float32[1,16,3]\ninit r float32[1,16,4]\nnode y = LSTM(x, w, r) "
         "hidden_size=4\noutput y\n",
         "y", "matrix: 1344 macs + 768, in 36:144 out 48:192 weights 112:448, 2 x 16 x 7, 6 taps, 1 groups, "
              "float32 by float32"},
        {"opset 14\ninput x float32[2,6,3]\ninit w float32[1,16,3]\ninit r float32[1,16,4]\n"
         "node y = LSTM(x, w, r) hidden_size=4 layout=1\noutput y\n",
         "y", "matrix: 1344 macs + 768, in 36:144 out 48:192 weights 112:448, 2 x 16 x 7, 6 taps, 1 groups, "
              "float32 by float32"},
        {"opset 23\ninput q float32[2,3,8]\ninput k float32[2,5,8]\ninput v float32[2,5,4]\n"
         "node y = Attention(q, k, v) q_num_heads=2 kv_num_heads=2\noutput y\n",
         "y", "product: 360 macs + 240, in 168:672 out 24:96 weights 0:0, 3 x 5 x 6, 1 taps, 4 groups, "
              "float32 by undefined"},
        {"opset com.microsoft 1\ninput x float32[2,5,8]\ninit w float32[8,24]\n"
         "node y = com.microsoft:Attention(x, w) num_heads=2\noutput y\n",
         "y", "product: 2720 macs + 320, in 80:320 out 80:320 weights 192:768, 10 x 8 x 34, 1 taps, 1 groups, "
              "float32 by float32"},
    };
    check(examples, NPART__COUNT(examples), false);
}

static void test_work__of_elements(void)
{
    static const struct example examples[] = {
        {"input x float32[2,3]\ninput y float32[3]\nnode z = Add(x, y)\noutput z\n",
         "z", "elementwise: 0 macs + 6, in 9:36 out 6:24 weights 0:0, 0 x 0 x 0, 0 taps, 0 groups, "
              "float32 by undefined"},
        {"input x float16[2,8]\nnode y = Softmax(x)\noutput y\n",
         "y", "normalize: 0 macs + 64, in 16:32 out 16:32 weights 0:0, 0 x 0 x 0, 0 taps, 0 groups, "
              "float16 by undefined"},
        {"input x float32[2,8]\nnode y = ReduceMean(x) axes=[1]\noutput y\nopset 13\n",
         "y", "normalize: 0 macs + 16, in 16:64 out 2:8 weights 0:0, 0 x 0 x 0, 0 taps, 0 groups, "
              "float32 by undefined"},
        {"input x float32[1,2,4,4]\nnode y = MaxPool(x) kernel_shape=[2,2] strides=[2,2]\noutput y\n",
         "y", "depthwise: 0 macs + 32, in 32:128 out 8:32 weights 0:0, 0 x 0 x 0, 0 taps, 0 groups, "
              "float32 by undefined"},
        {"input x float32[2,3]\ninit s int64[1] = 6\nnode y = Reshape(x, s)\noutput y\n",
         "y", "none: 0 macs + 0, in 0:0 out 0:0 weights 0:0, 0 x 0 x 0, 0 taps, 0 groups, undefined by undefined"},
        {"input i int64[3]\ninit t float32[100,8]\nnode y = Gather(t, i)\noutput y\n",
         "y", "move: 0 macs + 0, in 3:24 out 24:96 weights 800:3200, 0 x 0 x 0, 0 taps, 0 groups, float32 by float32"},
        {"opset my 1\ninput x float32[3]\nnode y = my:Op(x)\noutput y\n",
         "y", "elementwise: ? macs + ?, in 3:12 out ?:? weights 0:0, ? x ? x ?, ? taps, ? groups, "
              "float32 by undefined"},
    };
    check(examples, NPART__COUNT(examples), false);
}

/* Of a unit, activations are as they are quantized; of a weight always, with its scales, and what makes it has no work
 * of its own. */
static void test_work__quantized(void)
{
    static const char unit[] = "input x uint8[1,4,8,8]\ninit s float32[] = 0.5\ninit z uint8[] = 0\n"
                               "init w int8[8,4,3,3]\ninit t float32[8]\ninit u int8[8]\n"
                               "node a = DequantizeLinear(x, s, z)\nnode b = DequantizeLinear(w, t, u) axis=0\n"
                               "node c = Conv(a, b)\nnode d = QuantizeLinear(c, s, z)\noutput d\n";
    /* Other integers out: no unit of ONNX Runtime's, and computed in integers all the same. */
    static const char other[] = "input x uint8[1,4,8,8]\ninit s float32[] = 0.5\ninit z uint8[] = 0\n"
                                "init v uint16[] = 0\nnode a = DequantizeLinear(x, s, z)\nnode c = Transpose(a)\n"
                                "node d = QuantizeLinear(c, s, v)\noutput d\n";
    static const char blocks[] = "opset 21\ninput x float16[3,64]\ninit w int4[64,10]\ninit t float16[2,10]\n"
                                 "node b = DequantizeLinear(w, t) block_size=32 axis=0\nnode y = MatMul(x, b)\n"
                                 "output y\n";
    static const char turned[] = "input x float32[3,64]\ninit w int8[10,64]\ninit t float32[] = 0.5\n"
                                 "node b = DequantizeLinear(w, t)\nnode c = Transpose(b)\nnode y = MatMul(x, c)\n"
                                 "output y\n";
    static const char none[] =
        "none: 0 macs + 0, in 0:0 out 0:0 weights 0:0, 0 x 0 x 0, 0 taps, 0 groups, undefined by undefined";
    static const struct example examples[] = {
        {unit, "a", none},
        {unit, "b", none},
        {unit, "d", none},
        {other, "c", "move: 0 macs + 0, in 256:256 out 256:512 weights 0:0, 0 x 0 x 0, 0 taps, 0 groups, uint8 by "
                     "undefined"},
        {other, "d", none},
        {unit, "c", "matrix: 10368 macs + 0, in 256:256 out 288:288 weights 288:328, 36 x 8 x 4, 9 taps, 1 groups, "
                    "uint8 by int8"},
        {blocks, "y", "matrix: 1920 macs + 0, in 192:384 out 30:60 weights 640:360, 3 x 10 x 64, 1 taps, 1 groups, "
                      "float16 by int4"},
        {turned, "c", none},
        {turned, "y", "matrix: 1920 macs + 0, in 192:768 out 30:120 weights 640:644, 3 x 10 x 64, 1 taps, 1 groups, "
                      "float32 by int8"},
        {"opset com.microsoft 1\ninput x float32[1,3,64]\ninit w uint8[10,2,16]\ninit t float32[20]\n"
         "node y = com.microsoft:MatMulNBits(x, w, t) K=64 N=10 bits=4 block_size=32\noutput y\n",
         "y", "matrix: 1920 macs + 0, in 192:768 out 30:120 weights 640:400, 3 x 10 x 64, 1 taps, 1 groups, "
              "float32 by uint4"},
        {"input x float32[2,4]\ninit s float32[] = 0.5\ninit z uint8[] = 0\nnode y = QuantizeLinear(x, s, z)\n"
         "output y\n",
         "y", "convert: 0 macs + 16, in 8:32 out 8:8 weights 2:5, 0 x 0 x 0, 0 taps, 0 groups, float32 by float32"},
    };
    check(examples, NPART__COUNT(examples), false);
}

/* What is fused into a node is a part of its work. */
static void test_work__fused(void)
{
    static const struct example examples[] = {
        {"input x float32[3,4]\ninit w float32[4,5]\ninit b float32[5]\nnode m = MatMul(x, w)\nnode y = Add(m, b)\n"
         "output y\n",
         "m", "matrix: 60 macs + 15, in 12:48 out 15:60 weights 25:100, 3 x 5 x 4, 1 taps, 1 groups, "
              "float32 by float32"},
    };
    check(examples, NPART__COUNT(examples), false);
}

static void test_work__expressions(void)
{
    static const struct example examples[] = {
        {"input x float32[batch,3,sequence,4]\ninit w float32[4,5]\nnode y = MatMul(x, w)\noutput y\n",
         "y", "matrix: 60*batch*sequence macs + 0, in 12*batch*sequence:48*batch*sequence out 15*batch*sequence:"
              "60*batch*sequence weights 20:80, 3*batch*sequence x 5 x 4, 1 taps, 1 groups, float32 by float32"},
        {"input q float32[b,2,s,4]\ninput k float32[b,2,4,s]\nnode y = MatMul(q, k)\noutput y\n",
         "y", "product: 8*b*s*s macs + 0, in 16*b*s:64*b*s out 2*b*s*s:8*b*s*s weights 0:0, s x s x 4, 1 taps, "
              "2*b groups, float32 by undefined"},
        {"input x float32[n,2,9]\ninput y float32[m,2,9]\nnode z = Concat(x, y) axis=0\nnode r = Relu(z)\noutput r\n",
         "r", "elementwise: 0 macs + 18*n + 18*m, in 18*n + 18*m:72*n + 72*m out 18*n + 18*m:72*n + 72*m weights 0:0, "
              "0 x 0 x 0, 0 taps, 0 groups, float32 by undefined"},
        {"input x float32[n]\nnode i = NonZero(x)\nnode y = Neg(i)\noutput y\n",
         "y", "elementwise: 0 macs + ?, in ?:? out ?:? weights 0:0, 0 x 0 x 0, 0 taps, 0 groups, int64 by undefined"},
        {"input x int4[n]\ninput s float16[] \nnode y = Cast(x) to=10\noutput y\n",
         "y", "convert: 0 macs + n, in n:floor((n + 1)/2) out n:2*n weights 0:0, 0 x 0 x 0, 0 taps, 0 groups, "
              "int4 by undefined"},
    };
    check(examples, NPART__COUNT(examples), true);
}

/* What does not fit in 63 bits is not known, and nothing else suffers. */
static void test_work__too_large(void)
{
    static const struct example examples[] = {
        {"input x float32[1048576,1048576]\ninput y float32[1048576,8388608]\nnode z = MatMul(x, y)\noutput z\n",
         "z", "product: ? macs + 0, in 9895604649984:39582418599936 out 8796093022208:35184372088832 weights 0:0, "
              "1048576 x 8388608 x 1048576, 1 taps, 1 groups, float32 by undefined"},
        {"input x float64[2147483648,2147483648]\nnode z = Relu(x)\noutput z\n",
         "z", "elementwise: 0 macs + 4611686018427387904, in 4611686018427387904:? out 4611686018427387904:? "
              "weights 0:0, 0 x 0 x 0, 0 taps, 0 groups, float64 by undefined"},
    };
    check(examples, NPART__COUNT(examples), false);
    check(examples, NPART__COUNT(examples), true);
}

struct name {
    const char *domain, *op;
};

static const struct name rows[] = {
#define ROW(domain, name, ...) {domain, name},
#define PATTERN(domain, name, ...) {domain, name},
#define UNINFERRED(domain, name, ...) {domain, name},
#include "operator_rows.def"
};

static const struct name operators[] = {
#define OPERATOR(domain, name, ...) {domain, name},
#include "schema/operators.def"
#undef OPERATOR
#define ROW(domain, name, ...) {domain, name},
#define PATTERN(domain, name, ...) {domain, name},
#define LATER(domain, name, ...) {domain, name},
#include "operator_rows.def"
};

static int compare(const struct name *a, const struct name *b)
{
    int order = strcmp(a->domain, b->domain);
    return order ? order : strcmp(a->op, b->op);
}

/* Sorted, as they are searched by halves; and none is missing or unheard of. */
static void test_work__every_operator_has_a_row(void)
{
    bool is_known[NPART__COUNT(rows)] = {false};
    for (size_t i = 1; i < NPART__COUNT(rows); i++)
        CHECK(compare(&rows[i - 1], &rows[i]) < 0);
    for (size_t i = 0; i < NPART__COUNT(operators); i++) {
        size_t at = 0;
        while (at < NPART__COUNT(rows) && compare(&operators[i], &rows[at]) != 0)
            at++;
        if (at == NPART__COUNT(rows))
            CHECK_TEXT(operators[i].op, "in operators.table");
        else
            is_known[at] = true;
    }
    for (size_t i = 0; i < NPART__COUNT(rows); i++)
        CHECK_TEXT(is_known[i] ? "known" : rows[i].op, "known");
}

TESTS(test_work__every_operator_has_a_row, test_work__convolutions, test_work__matrices,
      test_work__recurrent_and_attention, test_work__of_elements, test_work__quantized,
      test_work__fused, test_work__expressions, test_work__too_large)
