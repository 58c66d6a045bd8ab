/* SPDX-License-Identifier: Apache-2.0
 *
 * What a chip that keeps images in blocks takes more or less than one of which nothing is said, by hand from
 * lib/plan/cost/blocks.c.
 */
#include "npu_partition.h"
#include "support/model_text.h"
#include "support/test.h"

#include <math.h>

/* An element is 2 bytes, and takes 2e-6 ms to read or to write; a node takes 1 ms, an operation 1e-9 ms. */
#define RATES                                                                                                          \
    "format 1\ntarget t\nlayout nhwc Conv MaxPool\nthrough Abs Add Concat\nparam launch_ms 1 1 1\n"                    \
    "param matrix_tops 1 1 1\nparam depthwise_gops 1 1 1\nparam pool_gops 1 1 1\nparam normalize_gops 1 1 1\n"         \
    "param function_gops 1 1 1\nparam elementwise_gops 1 1 1\n"                                                        \
    "param move_gb_per_s 1 1 1\nparam node_us 1000 1000 1000\nparam io_gb_per_s 1 1 1\n"
#define BLOCKS                                                                                                         \
    "param channel_tile 32 32 32\nparam height_tile 8 8 8\nparam width_tile 4 4 4\nparam row_elements 16 16 16\n"
#define FAST "param memory_gb_per_s 1000000 1000000 1000000\n"
#define SLOW "param memory_gb_per_s 1 1 1\n"
#define OPS                                                                                                            \
    "op Abs Add Concat Conv DequantizeLinear MatMul MaxPool QuantizeLinear ReduceMean Reshape Softmax Transpose\n"
#define IMAGE "input x float32[1,32,8,8]\ninit w float32[32,32,1,1]\nnode c = Conv(x, w)\n" /* 2,048 elements */
#define PASS (2 * 2048 * 2e-6)
/* Two images of 8 bits by one scale, put together as what is quantized by another. */
#define QUANTIZED(scale, zero_point)                                                                                   \
    "input x uint8[1,32,8,8]\ninput u uint8[1,32,8,8]\ninit s float32 = 1\ninit t float32 = 2\n"                       \
    "init z uint8 = 0\ninit p uint8 = 1\nnode a = DequantizeLinear(x, s, z)\n"                                         \
    "node b = DequantizeLinear(u, s, p)\nnode c = Concat(a, b) axis=1\n"                                               \
    "node y = QuantizeLinear(c, " scale ", " zero_point ")\noutput y\n"
#define ROW 16e-6

static const struct {
    const char *what, *model;
    double more; /* ms, with blocks */
} rows[] = {
    {"channels to the end", IMAGE "node y = Transpose(c) perm=[0,2,3,1]\noutput y\n", -PASS},
    {"and back, for a convolution",
     IMAGE "node t = Transpose(c) perm=[0,2,3,1]\nnode b = Abs(t)\nnode u = Transpose(b) perm=[0,3,1,2]\n"
           "node y = Conv(u, w)\noutput y\n", -2 * PASS},
    {"another order", IMAGE "node y = Transpose(c) perm=[0,1,3,2]\noutput y\n", 0},
    {"of what is no image", "input x float32[1,64,32]\nnode a = MatMul(x, x2)\nnode y = Transpose(a) perm=[1,0,2]\n"
     "input x2 float32[1,32,32]\noutput y\n", 0},
    {"positions made one axis", IMAGE "init s int64[3] = 1 32 64\nnode r = Reshape(c, s)\nnode y = Abs(r)\noutput y\n",
     0},
    {"channels taken apart",
     IMAGE "init s int64[5] = 1 2 16 8 8\nnode r = Reshape(c, s)\nnode y = Abs(r)\noutput y\n", PASS},
    {"a product of an image", IMAGE "init v float32[8,8]\nnode y = MatMul(c, v)\noutput y\n", PASS},
    {"two of them, converted once",
     IMAGE "init v float32[8,8]\nnode a = MatMul(c, v)\nnode b = MatMul(c, v)\nnode y = Add(a, b)\noutput y\n", PASS},
    {"whole blocks of channels", IMAGE "node y = Concat(c, c) axis=1\noutput y\n", 0},
    {"positions", IMAGE "node y = Concat(c, c) axis=2\noutput y\n", 0},
    {"parts of blocks", "input x float32[1,16,8,8]\nnode a = Abs(x)\nnode y = Concat(a, a) axis=1\noutput y\n",
     2 * 2048 * 2e-6},
    {"a line of tokens", "input x float32[1,64,32]\nnode a = Abs(x)\nnode y = Concat(a, a) axis=1\noutput y\n",
     2 * 4096 * 2e-6},
    {"one operand of another zero point", QUANTIZED("s", "z"), 2 * 2048e-6},
    {"both of another scale", QUANTIZED("t", "z"), 4 * 2048e-6},
    {"rows of a softmax", "input x float32[4,32]\nnode y = Softmax(x) axis=-1\noutput y\n", 4 * ROW},
    {"along another axis", "input x float32[4,32]\nnode y = Softmax(x) axis=0\noutput y\n", 32 * ROW},
    {"results of a mean", "input x float32[4,32]\nnode y = ReduceMean(x) axes=[1]\noutput y\n", 4 * ROW},
    {"dilated",
     "input x float32[1,32,12,8]\ninit w float32[32,32,3,1]\nnode y = Conv(x, w) dilations=[2,1]\noutput y\n",
     2 * (3072 + 2048) * 2e-6},
    {"in groups", "input x float32[1,64,8,8]\ninit w float32[64,32,1,1]\nnode y = Conv(x, w) group=2\noutput y\n", 2},
    /* 14 x 14 are 224 rows in tiles of 32, and 256 in blocks of 8 x 4 */
    {"an image of no whole blocks",
     "input x float32[1,32,14,14]\ninit w float32[32,32,1,1]\nnode y = Conv(x, w)\noutput y\n",
     2 * (256 - 224) * 32 * 32e-9},
    /* 24 channels as 32 */
    {"depthwise", "input x float32[1,24,8,8]\ninit w float32[24,1,1,1]\nnode y = Conv(x, w) group=24\noutput y\n",
     8 * 64e-6},
};

/* Of 2,048 bytes of weights at 1 GB/s; 2 * 64 * 32 * 32 operations take 0.00013 ms, and half of that is not hidden. */
#define CONV_OF(name, from) "node " name " = Conv(" from ", w)\n"
#define POOL_OF(name, from) "node " name " = MaxPool(" from ") kernel_shape=[3,3] pads=[1,1,1,1]\n"
#define HALF (65536e-9)
#define POOL 2048e-6

static const struct {
    const char *what, *model;
    double less; /* ms, with blocks */
} branches[] = {
    {"two products", IMAGE CONV_OF("a", "c") CONV_OF("b", "c") "node y = Concat(a, b) axis=1\noutput y\n", 2 * HALF},
    {"one after the other", IMAGE CONV_OF("a", "c") CONV_OF("b", "a") "node y = Concat(c, b) axis=1\noutput y\n", 0},
    {"chains", IMAGE CONV_OF("a", "c") "node a1 = Abs(a)\n" CONV_OF("a2", "a1") CONV_OF("b", "c")
     "node y = Concat(a2, b) axis=1\noutput y\n", 3 * HALF},
    {"with a result that others use", IMAGE CONV_OF("a", "c") CONV_OF("b", "c")
     "node z = Concat(a, b) axis=1\nnode y = Concat(a, z) axis=1\noutput y\n", 0},
    {"with a result of the graph", IMAGE CONV_OF("a", "c") CONV_OF("b", "c")
     "node y = Concat(a, b) axis=1\noutput y\noutput a\n", 0},
    {"pooling beside a product", IMAGE POOL_OF("a", "c") CONV_OF("b", "c") "node y = Concat(a, b) axis=1\noutput y\n",
     POOL},
    {"pooling and a product beside a product", IMAGE POOL_OF("a", "c") CONV_OF("a1", "a") CONV_OF("b", "c")
     "node y = Concat(a1, b) axis=1\noutput y\n", POOL + 2 * HALF},
    {"pooling beside pooling", IMAGE POOL_OF("a", "c") POOL_OF("b", "c") "node y = Concat(a, b) axis=1\noutput y\n",
     0},
    {"branches in a branch", IMAGE CONV_OF("d", "c") CONV_OF("a", "d") CONV_OF("b", "d")
     "node z = Concat(a, b) axis=1\n" POOL_OF("p", "c") "node y = Concat(z, p) axis=1\noutput y\n", POOL + 2 * HALF},
    {"a sum", IMAGE CONV_OF("a", "c") CONV_OF("b", "c") "node y = Add(a, b)\noutput y\n", 0},
};

static double whole_of(const char *model, const char *blocks)
{
    struct bytes bytes = model_from_text(model);
    struct npart_error error;
    struct npart_cost cost = {.size = sizeof cost};
    npart_model *read = NULL;
    npart_inference *inference = NULL;
    npart_oplist *oplist = NULL;
    npart_plan *plan = NULL;
    char list[1500];
    (void)snprintf(list, sizeof list, "%s%s%s", RATES, blocks, OPS);
    REQUIRE(npart_model_read_memory(&read, bytes.data, bytes.size, NULL, &error) == NPART_OK);
    REQUIRE(npart_inference_make(&inference, read, NULL, &error) == NPART_OK);
    REQUIRE(npart_oplist_read_memory(&oplist, list, strlen(list), "l", NULL, &error) == NPART_OK);
    REQUIRE(npart_plan_make(&plan, inference, oplist, "t", NULL, &error) == NPART_OK);
    npart_plan_cost(plan, &cost);
    npart_plan_free(plan);
    npart_oplist_free(oplist);
    npart_inference_free(inference);
    npart_model_free(read);
    bytes_free(&bytes);
    return cost.npu_whole.typical_ms;
}

static void test_cost__blocks(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double without = whole_of(rows[i].model, FAST), with = whole_of(rows[i].model, FAST BLOCKS);
        bool is_near = without > 0 && fabs(with - without - rows[i].more) < 1e-9;
        if (!is_near)
            (void)printf("%s: %g more, and not %g\n", rows[i].what, with - without, rows[i].more);
        CHECK(is_near);
    }
}

static void test_cost__branches(void)
{
    for (size_t i = 0; i < sizeof branches / sizeof branches[0]; i++) {
        double without = whole_of(branches[i].model, SLOW), with = whole_of(branches[i].model, SLOW BLOCKS);
        bool is_near = without > 0 && fabs(without - with - branches[i].less) < 1e-9;
        if (!is_near)
            (void)printf("%s: %g less, and not %g\n", branches[i].what, without - with, branches[i].less);
        CHECK(is_near);
    }
}

TESTS(test_cost__blocks, test_cost__branches)
