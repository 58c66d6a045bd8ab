/* SPDX-License-Identifier: Apache-2.0
 *
 * What switching costs, computed by hand from the formulas in lib/plan/cost/cost.h; and how a target's text chooses the
 * parameters.
 */
#include "npu_partition.h"
#include "oplist/oplist.h"
#include "support/model_text.h"
#include "support/test.h"

#include <math.h>

/* Three partitions with an unsupported node between each two; 1,000,000 floats everywhere: 4 MB a tensor. */
static const char chain[] = "input x float32[1,1,1000,1000]\n"
                            "node a = Relu(x)\n"
                            "node b = Erf(a)\n"
                            "node c = Relu(b)\n"
                            "node d = Erf(c)\n"
                            "node e = Relu(d)\n"
                            "output e\n";

static const char list[] = "format 1\ntarget t\n"
                           "switches extra\n"
                           "variant plain\n"
                           "variant fast with extra\n"
                           "variant clone is 7 like fast\n"
                           "layout nhwc Relu\n"
                           "param launch_ms 0.5 1 2 \"s\"\n"
                           "param launch_ms for fast 0.25 0.5 0.75 \"s\"\n"
                           "param runtime_ms 0.125 0.25 0.5 \"s\"\n"
                           "param map_ms 0.01 0.02 0.04 \"s\"\n"
                           "param copy_gb_per_s 2 4 8 assumed \"s\"\n"
                           "param layout_gb_per_s 1 2 4 assumed \"s\"\n"
                           "op Relu\n";

struct session {
    npart_model *model;
    npart_inference *inference;
    npart_oplist *oplist;
    npart_plan *plan;
};

static npart_status plan_of(struct session *session, const char *model, const char *oplist, const char *target,
                            struct npart_error *error)
{
    struct bytes bytes = model_from_text(model);
    memset(session, 0, sizeof *session);
    REQUIRE(npart_model_read_memory(&session->model, bytes.data, bytes.size, NULL, error) == NPART_OK);
    REQUIRE(npart_inference_make(&session->inference, session->model, NULL, error) == NPART_OK);
    REQUIRE(npart_oplist_read_memory(&session->oplist, oplist, strlen(oplist), "l", NULL, error) == NPART_OK);
    bytes_free(&bytes);
    return npart_plan_make(&session->plan, session->inference, session->oplist, target, NULL, error);
}

static void close_session(struct session *session)
{
    npart_plan_free(session->plan);
    npart_oplist_free(session->oplist);
    npart_inference_free(session->inference);
    npart_model_free(session->model);
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fabs(b) + 1e-12;
}

/* Log-normal about the typical value, by the standard deviation of the logarithm. */
static void check_range(struct npart_cost_range found, double typical, double deviation)
{
    double factor = exp(1.28155 * deviation);
    CHECK(is_near(found.typical_ms, typical));
    CHECK(is_near(found.low_ms, typical / factor));
    CHECK(is_near(found.high_ms, typical * factor));
    if (!is_near(found.typical_ms, typical) || !is_near(found.high_ms, typical * factor))
        fprintf(stderr, "  %g %g %g, not %g %g\n", found.low_ms, found.typical_ms, found.high_ms, typical,
                typical * factor);
}

/* The deviation of a parameter: 80 % of the values lie within 1.28155 deviations. */
static double deviation_of(double low, double high)
{
    return log(high / low) / (2 * 1.28155);
}

static double both(double a, double b)
{
    return sqrt(a * a + b * b);
}

static void test_cost__switching(void)
{
    struct npart_error error;
    struct session session;
    struct npart_cost cost = {.size = sizeof cost};
    REQUIRE(plan_of(&session, chain, list, "t", &error) == NPART_OK);
    npart_plan_cost(session.plan, &cost);
    /* 3 partitions x (launch 1 + runtime 0.25): shares 0.8 and 0.2, each a factor 4 wide */
    check_range(cost.switching, 3 * 1.25, both(0.8, 0.2) * deviation_of(1, 4));
    /* 6 crossings, each mapped and 4 MB: 24 MB at 4 GB/s take 6 ms */
    CHECK_INT(cost.bytes_to_npu, 12000000);
    CHECK_INT(cost.bytes_to_cpu, 12000000);
    check_range(cost.copying, 6.12, both(0.12, 6) / 6.12 * deviation_of(1, 4));
    /* 6 conversions of 4 MB, read and written: 48 MB at 2 GB/s */
    CHECK_INT(cost.conversions, 6);
    check_range(cost.layout, 24, deviation_of(1, 4));
    /* The list has no rates to compute with. */
    CHECK(cost.total.typical_ms < 0 && cost.cpu.typical_ms < 0 && cost.cpu_alone.typical_ms < 0);
    CHECK_INT(cost.unknown_nodes, 0);
    CHECK(!cost.is_calibrated); /* copies and layouts, nine tenths of the time, are assumed */
    CHECK_TEXT(cost.runtime, "bare");
    close_session(&session);
}

/* Rates with which everything takes a round number of milliseconds. */
#define RATES                                                                                                          \
    "format 1\ntarget t\nparam launch_ms 1 1 1\nparam matrix_tops 0.5 1 2\nparam product_us 5 5 5\n"                 \
    "param depthwise_gops 10 10 10\nparam pool_gops 10 10 10\nparam normalize_gops 2 2 2\n"                          \
    "param function_gops 2.5 2.5 2.5\nparam elementwise_gops 10 10 10\nparam memory_gb_per_s 1 1 1\n"                 \
    "param move_gb_per_s 2 2 2\nparam node_us 1 1 1\nparam deep_factor 1 3 9\nparam cpu_matrix_gops 100 100 100\n"    \
    "param cpu_slow_matrix_gops 1 1 1\nparam cpu_element_ns 0.5 0.5 0.5\nparam cpu_slow_element_ns 10 10 10\n"        \
    "param cpu_memory_gb_per_s 10 10 10\nparam cpu_node_us 10 10 10\nparam cpu_quantize_ns 2 2 2\n"                  \
    "param load_ms 7 7 7\nparam load_gb_per_s 0.1 0.1 0.1\nparam sustained_share 0.5 0.5 0.5\n"
#define EACH_OP "op Abs Concat Conv Erf LSTM MatMul MaxPool QuantizeLinear Slice Softmax Transpose\n"
#define MILLION "input x float32[1,1,1000,1000]\n"

static const struct {
    const char *what, *model;
    double compute, memory, quantize; /* on the NPU, with 0.001 for the node */
    double cpu, cpu_quantize;         /* on the CPU, with 0.01 */
} nodes[] = {
    /* 64 x 64 x 64: 524,288 operations at 1 Tops count one half, for 8 kB of float16 weights at 1 GB/s take longer */
    {"limited by its weights", "input x float32[64,64]\ninit w float32[64,64]\nnode y = MatMul(x, w)\noutput y\n",
     524288e-9 / 2 + 0.001, 8192e-6, 0, 524288e-8 + 0.01, 0},
    /* 6400 x 64 x 64: 52,428,800 operations; of the weights one half counts */
    {"limited by its operations",
     "input x float32[6400,64]\ninit w float32[64,64]\nnode y = MatMul(x, w)\noutput y\n", 52428800e-9 + 0.001,
     8192e-6 / 2, 0, 52428800e-8 + 0.01, 0},
    /* 6400 x 1 x 33 is computed as 6400 x 32 x 64; on the CPU the bytes take longer */
    {"filled up to tiles", "input x float32[6400,33]\ninit w float32[33,1]\nnode y = MatMul(x, w)\noutput y\n",
     2 * 6400 * 32 * 64e-9 + 0.001, 66e-6 / 2, 0, (6400 * 33 + 6400 + 33) * 4e-7 + 0.01, 0},
    /* A depth of 5 as 16 */
    {"a flat product", "input x float32[6400,5]\ninit w float32[5,32]\nnode y = MatMul(x, w)\noutput y\n",
     2 * 6400 * 32 * 16e-9 + 0.001, 320e-6 / 2, 0, (6400 * 37 + 160) * 4e-7 + 0.01, 0},
    {"of two activations", "input x float32[64,64]\ninput w float32[64,64]\nnode y = MatMul(x, w)\noutput y\n",
     524288e-9 + 0.005 + 0.001, 0, 0, 524288e-8 + 0.01, 0},
    /* 32 x 2048 x 8192 is deep: three times as long */
    {"a deep product", "input x float32[32,8192]\ninit w float32[8192,2048]\nnode y = MatMul(x, w)\noutput y\n",
     3 * 1073741824e-9 / 2 + 0.001, 3 * 33554432e-6, 0, 1073741824e-8 + 0.01, 0},
    {"deep, but not wide", "input x float32[32,8192]\ninit w float32[8192,32]\nnode y = MatMul(x, w)\noutput y\n",
     16777216e-9 / 2 + 0.001, 524288e-6, 0, (262144 * 2 + 1024) * 4e-7 + 0.01, 0},
    /* 64 x 64 x 32 results times the root of 9 taps; 576 bytes of weights */
    {"depthwise",
     "input x float32[1,32,66,66]\ninit w float32[32,1,3,3]\nnode y = Conv(x, w) group=32\noutput y\n",
     131072 * 3e-7 + 0.001, 576e-6, 0, (32 * 66 * 66 + 131072 + 288) * 4e-7 + 0.01, 0},
    {"pools", MILLION "node y = MaxPool(x) kernel_shape=[2,2] strides=[2,2]\noutput y\n", 0.1 + 0.001, 0, 0,
     0.5 + 0.01, 0},
    {"normalizes", MILLION "node y = Softmax(x)\noutput y\n", 0.5 + 0.001, 0, 0, 0.8 + 0.01, 0},
    {"arithmetic", MILLION "node y = Abs(x)\noutput y\n", 0.1 + 0.001, 0, 0, 0.8 + 0.01, 0},
    {"a function", MILLION "node y = Erf(x)\noutput y\n", 0.4 + 0.001, 0, 0, 0.8 + 0.01, 0},
    /* 2,000,000 elements in and out, of 2 bytes on the NPU */
    {"moves", MILLION "node y = Transpose(x)\noutput y\n", 0.001, 2, 0, 0.8 + 0.01, 0},
    {"moves an axis of one", MILLION "node y = Transpose(x) perm=[0,2,1,3]\noutput y\n", 0.001, 0, 0, 0.8 + 0.01, 0},
    /* 250,000 elements in and out; so it is on the CPU */
    {"selects",
     MILLION "init s int64[1] = 0\ninit e int64[1] = 250\ninit a int64[1] = 2\nnode y = Slice(x, s, e, a)\noutput y\n",
     0.001, 0.5, 0, 2 * 250000 * 4e-7 + 0.01, 0},
    {"writes in place", MILLION "node y = Concat(x, x) axis=0\noutput y\n", 0.001, 0, 0, 1.6 + 0.01, 0},
    /* 1,000,000 bytes out are 250,000 elements of 4 bytes; what converting takes is no part of computing */
    {"converts",
     MILLION "init s float32 = 1\ninit z uint8 = 0\nnode y = QuantizeLinear(x, s, z)\noutput y\n", 0, 0,
     1250000 * 2e-6 / 2 + 0.001, 0.01, 2},
};

static void test_cost__a_node(void)
{
    for (size_t i = 0; i < sizeof nodes / sizeof nodes[0]; i++) {
        struct npart_error error;
        struct session on_npu, on_cpu;
        struct npart_cost cost = {.size = sizeof cost};
        REQUIRE(plan_of(&on_npu, nodes[i].model, RATES EACH_OP, "t", &error) == NPART_OK);
        REQUIRE(plan_of(&on_cpu, nodes[i].model, RATES "op Relu\n", "t", &error) == NPART_OK);
        npart_plan_cost(on_npu.plan, &cost);
        const double npu = nodes[i].compute + nodes[i].memory + nodes[i].quantize;
        const double cpu = nodes[i].cpu + nodes[i].cpu_quantize;
        bool is_right = is_near(cost.npu_compute.typical_ms, nodes[i].compute) &&
                        is_near(cost.npu_bandwidth.typical_ms, nodes[i].memory) &&
                        is_near(cost.quantizing.typical_ms, nodes[i].quantize) && cost.cpu.typical_ms == 0 &&
                        is_near(cost.total.typical_ms, 1 + npu) && is_near(cost.npu_whole.typical_ms, 1 + npu) &&
                        is_near(cost.cpu_alone.typical_ms, cpu);
        if (!is_right)
            fprintf(stderr, "  %s: %g computing, %g memory, %g quantizing, %g alone\n", nodes[i].what,
                    cost.npu_compute.typical_ms, cost.npu_bandwidth.typical_ms, cost.quantizing.typical_ms,
                    cost.cpu_alone.typical_ms);
        CHECK(is_right);
        npart_plan_cost(on_cpu.plan, &cost);
        is_right = is_near(cost.cpu.typical_ms, nodes[i].cpu) && is_near(cost.total.typical_ms, cpu) &&
                   is_near(cost.quantizing.typical_ms, nodes[i].cpu_quantize) && cost.npu_compute.typical_ms == 0;
        if (!is_right)
            fprintf(stderr, "  %s: %g on the CPU\n", nodes[i].what, cost.cpu.typical_ms);
        CHECK(is_right);
        close_session(&on_npu);
        close_session(&on_cpu);
    }
}

#define NBITS(rows)                                                                                                    \
    "opset com.microsoft 1\ninput x float32[" rows ",1024]\ninit w uint8[1000,32,16]\ninit s float32[32000]\n"       \
    "node y = com.microsoft:MatMulNBits(x, w, s) K=1024 N=1000 bits=4 block_size=32\noutput y\n"

#define PACKED RATES "param cpu_weights_gb_per_s 20 20 20\nparam cpu_packed_gops 1000 1000 1000\n"
/* Packed weights at 20 GB/s beside 10, and products with them at 1,000 gops beside 100. */
static void test_cost__weights_on_the_cpu(void)
{
    static const struct {
        const char *model;
        double ms; /* without a start */
    } rows[] = {
        /* of one row 512 kB and scales of 128 kB in a stream, and what comes and goes; of 1,000 the operations count */
        {NBITS("1"), 640000 / 20e6 + 8096e-7},
        {NBITS("1000"), 2.048},
        {"input x float32[1,1000]\ninit w float32[1000,1000]\nnode y = MatMul(x, w)\noutput y\n", 0.4 + 8000e-7},
        {"input x float32[1000,1000]\ninit w float32[1000,1000]\nnode y = MatMul(x, w)\noutput y\n", 20},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct session session;
        struct npart_cost cost = {.size = sizeof cost};
        REQUIRE(plan_of(&session, rows[i].model, PACKED "op Relu\n", "t", NULL) == NPART_OK);
        npart_plan_cost(session.plan, &cost);
        CHECK(is_near(cost.cpu_alone.typical_ms, rows[i].ms + 0.01));
        close_session(&session);
    }
}

#define GELU                                                                                                           \
    MILLION "init r float32 = 1.41421356\ninit one float32 = 1\ninit h float32 = 0.5\n"                               \
            "node a = Div(x, r)\nnode e = Erf(a)\nnode f = Add(e, one)\nnode g = Mul(x, f)\nnode y = Mul(g, h)\n"
#define NORM                                                                                                           \
    MILLION "init two float32 = 2\ninit eps float32 = 0.00001\ninit w float32[1000]\ninit b float32[1000]\n"          \
            "node m = ReduceMean(x) axes=[-1]\nnode d = Sub(x, m)\nnode s = Pow(d, two)\n"                            \
            "node v = ReduceMean(s) axes=[-1]\nnode e = Add(v, eps)\nnode q = Sqrt(e)\nnode n = Div(d, q)\n"

/* What ONNX Runtime computes in one kernel takes what the operator takes: 8 MB at 10 GB/s, and one start. */
static const struct {
    const char *what, *model, *oplist;
    double cpu_alone; /* without the 0.01 of a start */
    double cpu;       /* as it is planned */
    uint32_t starts_alone, starts;
} fused[] = {
    {"the operator", MILLION "node y = Gelu(x) domain=com.microsoft\noutput y\n", "op Relu\n", 0.8, 0.8, 1, 1},
    {"written out", GELU "output y\n", "op Relu\n", 0.8, 0.8, 1, 1},
    /* Two Mul of three operands and two, an Add, a Div, each 8 or 12 MB; Erf is 8 MB on the NPU. */
    {"a part of it on the NPU", GELU "output y\n", "op Erf\n", 0.8, 0.8 + 0.8 + 1.2 + 0.8, 1, 4},
    {"a result that is used outside", GELU "output y\noutput f\n", "op Relu\n", 5 * 0.8 + 0.4, 5 * 0.8 + 0.4, 5, 5},
    {"a norm", NORM "node g = Mul(n, w)\nnode y = Add(g, b)\noutput y\n", "op Relu\n", 0.8, 0.8, 1, 1},
    {"SiLU", MILLION "node s = Sigmoid(x)\nnode y = Mul(x, s)\noutput y\n", "op Relu\n", 0.8, 0.8, 1, 1},
    {"an activation of a convolution",
     "input x float32[1,32,66,66]\ninit w float32[32,1,3,3]\nnode c = Conv(x, w) group=32\nnode y = Relu(c)\n"
     "output y\n", "op Erf\n", (32 * 66 * 66 + 131072 + 288) * 4e-7, (32 * 66 * 66 + 131072 + 288) * 4e-7, 1, 1},
    {"a product that is scaled",
     "input x float32[64,64]\ninput w float32[64,64]\ninit k float32 = 0.5\nnode p = MatMul(x, w)\n"
     "node y = Mul(p, k)\noutput y\n", "op Relu\n", 524288e-8, 524288e-8, 1, 1},
};

static void test_cost__what_the_cpu_fuses(void)
{
    for (size_t i = 0; i < sizeof fused / sizeof fused[0]; i++) {
        struct npart_error error;
        struct session session;
        struct npart_cost cost = {.size = sizeof cost};
        char list_text[2000];
        (void)snprintf(list_text, sizeof list_text, "%s%s", RATES, fused[i].oplist);
        REQUIRE(plan_of(&session, fused[i].model, list_text, "t", &error) == NPART_OK);
        npart_plan_cost(session.plan, &cost);
        /* Constants are read, too, but take next to nothing. */
        double alone = fused[i].cpu_alone + 0.01 * fused[i].starts_alone;
        double planned = fused[i].cpu + 0.01 * fused[i].starts;
        bool is_right = fabs(cost.cpu_alone.typical_ms - alone) < 0.002 * alone &&
                        fabs(cost.cpu.typical_ms - planned) < 0.002 * planned;
        if (!is_right)
            fprintf(stderr, "  %s: %g alone, %g on the CPU\n", fused[i].what, cost.cpu_alone.typical_ms,
                    cost.cpu.typical_ms);
        CHECK(is_right);
        close_session(&session);
    }
}

/* Rates that a list lacks make unknown what needs them, and nothing else. */
static void test_cost__a_rate_that_is_missing(void)
{
    static const char text[] = "format 1\ntarget t\nparam matrix_tops 1 1 1\nparam memory_gb_per_s 1 1 1\n"
                               "param cpu_matrix_gops 1 1 1\nparam cpu_memory_gb_per_s 1 1 1\nop MatMul Abs\n";
    static const char product[] = "input x float32[64,64]\ninit w float32[64,64]\nnode y = MatMul(x, w)\noutput y\n";
    static const char both_ops[] = "input x float32[64,64]\ninit w float32[64,64]\nnode p = MatMul(x, w)\n"
                                   "node y = Abs(p)\noutput y\n";
    struct npart_error error;
    struct session session;
    struct npart_cost cost = {.size = sizeof cost};
    REQUIRE(plan_of(&session, product, text, "t", &error) == NPART_OK);
    npart_plan_cost(session.plan, &cost);
    CHECK(cost.total.typical_ms > 0 && cost.cpu_alone.typical_ms > 0 && cost.npu_whole.typical_ms > 0);
    close_session(&session);
    REQUIRE(plan_of(&session, both_ops, text, "t", &error) == NPART_OK);
    npart_plan_cost(session.plan, &cost);
    CHECK(cost.total.typical_ms < 0 && cost.npu_whole.typical_ms < 0);
    CHECK(cost.cpu_alone.typical_ms > 0); /* bytes limit it */
    CHECK_INT(cost.unknown_nodes, 1);
    close_session(&session);
}

/* Two products have 4 MB of float16 weights together: past 1 MiB they are brought in again, from wherever they are. */
static void test_cost__weights_past_the_chips_memory(void)
{
    static const char stream[] = "param sram_mb 1 1 1\nparam stream_gb_per_s 1 1 1\n";
    static const char model[] = "input x float32[64,1000]\ninit w float32[1000,1000]\ninit v float32[1000,1000]\n"
                                "node p = MatMul(x, w)\nnode y = MatMul(p, v)\noutput y\n";
    const double past = 4 - 1.048576;
    const struct {
        const char *list;
        double more; /* than without such a rate */
    } rows[] = {{"op MatMul\n", past}, {"op Erf\n", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct npart_error error;
        struct session session;
        struct npart_cost with = {.size = sizeof with}, without = {.size = sizeof without};
        char text[1500];
        (void)snprintf(text, sizeof text, "%s%s%s", RATES, stream, rows[i].list);
        REQUIRE(plan_of(&session, model, text, "t", &error) == NPART_OK);
        npart_plan_cost(session.plan, &with);
        close_session(&session);
        (void)snprintf(text, sizeof text, "%s%s", RATES, rows[i].list);
        REQUIRE(plan_of(&session, model, text, "t", &error) == NPART_OK);
        npart_plan_cost(session.plan, &without);
        close_session(&session);
        CHECK(is_near(with.npu_bandwidth.typical_ms, without.npu_bandwidth.typical_ms + rows[i].more));
        CHECK(is_near(with.npu_whole.typical_ms, without.npu_whole.typical_ms + past));
        CHECK(is_near(with.cpu_alone.typical_ms, without.cpu_alone.typical_ms));
    }
}

/* 33 deep and one column wide: two tiles of 32, five of 8 by one of 8, or what there is. */
static void test_cost__tiles_of_the_list(void)
{
    static const struct {
        const char *tile;
        double fill;
    } rows[] = {{"", 33.0 / (64 * 32)}, {"param matrix_tile 8 8 8\n", 33.0 / (40 * 8)},
                {"param matrix_tile 1 1 1\n", 1}, {"param matrix_tile 0.5 0.5 0.5\n", 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct npart_error error;
        struct session session;
        struct npart_cost cost = {.size = sizeof cost};
        char text[1500];
        (void)snprintf(text, sizeof text, "%s%sop MatMul\n", RATES, rows[i].tile);
        REQUIRE(plan_of(&session, "input x float32[6400,33]\ninit w float32[33,1]\nnode p = MatMul(x, w)\noutput p\n",
                        text, "t", &error) == NPART_OK);
        npart_plan_cost(session.plan, &cost);
        CHECK(is_near(cost.fill, rows[i].fill));
        close_session(&session);
    }
}

static void test_cost__what_the_cpu_is_slow_at(void)
{
    struct npart_error error;
    struct session session;
    struct npart_node_plan node = {.size = sizeof node};
    REQUIRE(plan_of(&session, "input x float32[6,2,3]\ninit w float32[1,16,3]\ninit r float32[1,16,4]\n"
                              "node y = LSTM(x, w, r) hidden_size=4\noutput y\n", RATES "op Relu\n", "t", &error) ==
            NPART_OK);
    CHECK(npart_plan_node(session.plan, 0, &node));
    CHECK_TEXT(node.slow, "recurrent operators run step by step on the CPU");
    close_session(&session);
}

static void test_cost__the_whole(void)
{
    static const char model[] = "input x float32[6400,33]\ninit w float32[33,1]\nnode p = MatMul(x, w)\n"
                                "node y = Erf(p)\noutput y\n";
    struct npart_error error;
    struct session session;
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct npart_cost cost = {.size = sizeof cost};
    struct npart_node_plan node = {.size = sizeof node};
    REQUIRE(plan_of(&session, model, RATES "op MatMul\n", "t", &error) == NPART_OK);
    npart_plan_cost(session.plan, &cost);
    CHECK(is_near(cost.total.typical_ms, cost.switching.typical_ms + cost.copying.typical_ms + cost.layout.typical_ms +
                                             cost.quantizing.typical_ms + cost.cpu.typical_ms +
                                             cost.npu_compute.typical_ms + cost.npu_bandwidth.typical_ms));
    /* Only the product's rate is uncertain: a factor 4 wide. */
    const double product = 2 * 6400 * 32 * 64e-9, others = 0.001 + 33e-6, erf = 6400 * 8e-7 + 0.01;
    check_range(cost.total, 1 + others + product + erf, product / (1 + others + product + erf) * deviation_of(1, 4));
    check_range(cost.cold, 7 + 132e-5, 0);
    CHECK(is_near(cost.fill, 33.0 / (32 * 64)));
    /* 1 ms for a launch against 2 / 100 G - 2 / 1 T a multiply-accumulate */
    CHECK_INT(cost.break_even_macs, 55555555);
    CHECK(!cost.is_calibrated && cost.basis == NPART_BASIS_DOCUMENTS); /* sourced figures clear nothing */
    CHECK(npart_plan_node(session.plan, 0, &node) && is_near(node.ms, others + product) && !node.slow);
    CHECK(npart_plan_node(session.plan, 1, &node) && is_near(node.ms, erf) && !node.slow);
    double sustained = cost.total.typical_ms + others + product + erf; /* at half the clock */
    options.is_sustained = true;
    npart_plan_free(session.plan);
    session.plan = NULL;
    REQUIRE(npart_plan_make(&session.plan, session.inference, session.oplist, "t", &options, &error) == NPART_OK);
    npart_plan_cost(session.plan, &cost);
    CHECK(is_near(cost.total.typical_ms, sustained));
    close_session(&session);
}

/* 64 x 64 weights in float16 are 8192 bytes; 2 x 64 x 64 x 64 operations. Without a rate the others count. */
static void test_cost__compiling(void)
{
    static const char model[] = "input x float32[64,64]\ninit w float32[64,64]\nnode p = MatMul(x, w)\n"
                                "node q = Det(p)\nnode r = Add(p, q)\nnode y = Abs(r)\noutput y\n";
    static const char open_size[] = "input x float32[n,64]\ninit w float32[64,64]\nnode y = MatMul(x, w)\n"
                                    "output y\n";
    static const char text[] = "format 1\ntarget t\nop Abs Add MatMul\nparam float32_bytes 2 2 2\n"
                               "param compile_ms 7 7 7\n";
    static const char rest[] = "param compile_node_ms 1 2 4\nparam compile_gb_per_s 0.001 0.001 0.001\n"
                               "param compile_gops 0.1 0.1 0.1\n";
    struct npart_error error;
    struct session session;
    struct npart_cost cost = {.size = sizeof cost};
    struct npart_partition partition = {.size = sizeof partition};
    REQUIRE(plan_of(&session, model, text, "t", &error) == NPART_OK);
    REQUIRE(npart_plan_cost(session.plan, &cost) && npart_plan_partition(session.plan, 0, &partition));
    check_range(cost.compile, 14, 0);
    check_range(partition.compile, 7, 0);
    close_session(&session);

    char whole[512];
    snprintf(whole, sizeof whole, "%s%s", text, rest);
    REQUIRE(plan_of(&session, model, whole, "t", &error) == NPART_OK);
    REQUIRE(npart_plan_cost(session.plan, &cost) && npart_plan_partition(session.plan, 0, &partition));
    const double first = 7 + 2 + 8.192 + 5.24288, second = 7 + 2 * 2;
    check_range(partition.compile, first, 2 / first * deviation_of(1, 4));
    check_range(cost.compile, first + second, 6 / (first + second) * deviation_of(1, 4));
    close_session(&session);

    /* A list that does not say it; no partition; an unknown size. */
    REQUIRE(plan_of(&session, model, RATES EACH_OP, "t", &error) == NPART_OK);
    CHECK(npart_plan_cost(session.plan, &cost) && cost.compile.typical_ms < 0);
    close_session(&session);
    REQUIRE(plan_of(&session, "input x float32[2,2]\nnode y = Det(x)\noutput y\n", whole, "t", &error) == NPART_OK);
    CHECK(npart_plan_cost(session.plan, &cost) && cost.compile.typical_ms < 0);
    close_session(&session);
    REQUIRE(plan_of(&session, open_size, whole, "t", &error) == NPART_OK);
    CHECK(npart_plan_partition(session.plan, 0, &partition) && partition.compile.typical_ms < 0);
    close_session(&session);
}

/* What no formula catches of the NPU's share, beside what parameters are off by. */
static void test_cost__model_sigma(void)
{
    struct npart_error error;
    struct session session;
    struct npart_cost cost = {.size = sizeof cost};
    REQUIRE(plan_of(&session, nodes[1].model, RATES "param model_sigma 0.3 0.3 0.3\n" EACH_OP, "t", &error) ==
            NPART_OK);
    npart_plan_cost(session.plan, &cost);
    const double npu = nodes[1].compute + nodes[1].memory, whole = 1 + npu;
    check_range(cost.total, whole, both((nodes[1].compute - 0.001) / whole * deviation_of(1, 4), 0.3 * npu / whole));
    check_range(cost.switching, 1, 0);
    close_session(&session);
}

/* Boundary tensors with io_gb_per_s: 4 MB of a partition at that rate, the rest at memory's; ONNX Runtime's copies. */
static void test_cost__boundaries(void)
{
    static const char text[] = RATES "runtime onnxruntime\nparam io_gb_per_s 4 4 4\nparam runtime_copy_gb_per_s 2 2 2\n"
                                     "param map_ms 1 1 1\nparam copy_gb_per_s 1 1 1\nparam layout_gb_per_s 1 1 1\n"
                                     "layout nhwc Abs\n" EACH_OP;
    static const struct {
        const char *model, *runtime;
        double copy_ms;
    } rows[] = {
        {MILLION "node y = Abs(x)\noutput y\n", "bare", 2 + 1},
        {MILLION "node y = Abs(x)\noutput y\n", NULL, 2 + 1 + 4},
        {"input x float32[2000,1000]\nnode y = Abs(x)\noutput y\n", NULL, 2 + 1 + 4 + 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct npart_error error;
        struct session session;
        struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
        struct npart_cost cost = {.size = sizeof cost};
        REQUIRE(plan_of(&session, rows[i].model, text, "t", &error) == NPART_OK);
        npart_plan_free(session.plan);
        session.plan = NULL;
        options.runtime = rows[i].runtime;
        REQUIRE(npart_plan_make(&session.plan, session.inference, session.oplist, "t", &options, &error) == NPART_OK);
        npart_plan_cost(session.plan, &cost);
        CHECK(is_near(cost.copying.typical_ms, rows[i].copy_ms));
        CHECK(cost.layout.typical_ms == 0);
        CHECK(is_near(cost.npu_whole.typical_ms, cost.total.typical_ms));
        close_session(&session);
    }
}

/* Without io_gb_per_s a tensor counts by its bytes, once for each border; a float by those that the list has it copied
 * as, other types as they are. */
static void test_cost__floats_that_are_copied_as_integers(void)
{
    static const struct {
        const char *model, *line;
        double copy_ms;
    } rows[] = {
        {MILLION "node y = Abs(x)\noutput y\n", "", 4 + 4},
        {MILLION "node y = Abs(x)\noutput y\n", "param copied_float32_bytes 1 1 1\n", 1 + 1},
        {"input x float16[1000,1000]\nnode y = Abs(x)\noutput y\n", "param copied_float32_bytes 1 1 1\n", 2 + 2},
        {MILLION "node a = Relu(x)\nnode y = Abs(a)\noutput y\n", "param copied_float32_bytes 1 1 1\n", 1 + 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct npart_error error;
        struct session session;
        struct npart_cost cost = {.size = sizeof cost};
        char list_text[2048];
        (void)snprintf(list_text, sizeof list_text, RATES "param copy_gb_per_s 1 1 1\n%s" EACH_OP, rows[i].line);
        REQUIRE(plan_of(&session, rows[i].model, list_text, "t", &error) == NPART_OK);
        npart_plan_cost(session.plan, &cost);
        CHECK(is_near(cost.copying.typical_ms, rows[i].copy_ms));
        close_session(&session);
    }
}

/* A parameter that may be 0 has a deviation in time: high / 2.5631. */
static void test_cost__what_may_be_nothing(void)
{
    struct npart_error error;
    struct session session;
    struct npart_cost cost = {.size = sizeof cost};
    REQUIRE(plan_of(&session, chain, "format 1\ntarget t\nparam map_ms 0 0 0.5\nop Relu\n", "t", &error) == NPART_OK);
    npart_plan_cost(session.plan, &cost);
    CHECK(cost.copying.low_ms == 0 && cost.copying.typical_ms == 0);
    CHECK(is_near(cost.copying.high_ms, 6 * 0.25));
    close_session(&session);
    REQUIRE(plan_of(&session, chain, "format 1\ntarget t\nparam map_ms 0 1 2\nop Relu\n", "t", &error) == NPART_OK);
    npart_plan_cost(session.plan, &cost);
    check_range(cost.copying, 6, sqrt(log1p(1 / (1.28155 * 1.28155))));
    close_session(&session);
}

static void test_cost__runtimes(void)
{
    static const char text[] = RATES "param runtime_ms 3 3 3\nparam runtime_ms via tflite 5 5 5\nop Relu\n";
    static const struct {
        const char *runtime, *message;
        double ms;
    } rows[] = {{NULL, "", 4}, {"bare", "", 4}, {"tflite", "", 6},
                {"coreml", "t has no figures for the runtime coreml", 0},
                {"else", "there is no runtime \"else\"; there is bare, onnxruntime, tflite, coreml", 0},
                {"onnxruntim", "there is no runtime \"onnxruntim\"; did you mean onnxruntime?", 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct npart_error error = {0};
        struct session session;
        struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
        struct npart_cost cost = {.size = sizeof cost};
        REQUIRE(plan_of(&session, "input x float32[1,8]\nnode y = Relu(x)\noutput y\n", text, "t", &error) == NPART_OK);
        npart_plan_free(session.plan);
        session.plan = NULL;
        options.runtime = rows[i].runtime;
        npart_status status =
            npart_plan_make(&session.plan, session.inference, session.oplist, "t", &options, &error);
        CHECK_INT(status, *rows[i].message ? NPART_ERROR_ARGUMENT : NPART_OK);
        CHECK_TEXT(error.message, rows[i].message);
        if (npart_plan_cost(session.plan, &cost)) {
            CHECK(is_near(cost.switching.typical_ms, rows[i].ms));
            CHECK_TEXT(cost.runtime, rows[i].runtime ? rows[i].runtime : "bare");
        }
        close_session(&session);
    }
}

static void test_cost__parameters_of_a_variant(void)
{
    static const struct {
        const char *target;
        double launch_ms;
    } choices[] = {{"t:plain", 1}, {"t:fast", 0.5}, {"t:FAST", 0.5}, {"t:clone", 0.5}, {"t:7", 0.5}, {"t", 1}};
    for (size_t i = 0; i < sizeof choices / sizeof choices[0]; i++) {
        struct npart_error error;
        struct session session;
        struct npart_cost cost = {.size = sizeof cost};
        REQUIRE(plan_of(&session, chain, list, choices[i].target, &error) == NPART_OK);
        npart_plan_cost(session.plan, &cost);
        CHECK(fabs(cost.switching.typical_ms - 3 * (choices[i].launch_ms + 0.25)) < 1e-9);
        close_session(&session);
    }
}

static void test_cost__a_list_without_parameters_costs_nothing_and_says_so(void)
{
    struct npart_error error;
    struct session session;
    struct npart_cost cost = {.size = sizeof cost};
    REQUIRE(plan_of(&session, chain, "format 1\ntarget t\nop Relu\n", "t", &error) == NPART_OK);
    npart_plan_cost(session.plan, &cost);
    CHECK(cost.switching.high_ms == 0 && cost.copying.high_ms == 0 && cost.total.typical_ms < 0);
    CHECK(!cost.is_calibrated);
    CHECK_INT(cost.bytes_to_npu, 12000000);
    close_session(&session);
}

static void test_cost__most_assumed_is_uncalibrated(void)
{
    struct npart_error error;
    struct session session;
    struct npart_cost cost = {.size = sizeof cost};
    REQUIRE(plan_of(&session, chain,
                    "format 1\ntarget t\nparam launch_ms 1 2 3 \"s\"\nparam map_ms 1 2 3 assumed \"s\"\n"
                    "param copy_gb_per_s 1 2 3 assumed \"s\"\nop Relu\n",
                    "t", &error) == NPART_OK);
    npart_plan_cost(session.plan, &cost);
    CHECK(!cost.is_calibrated);
    close_session(&session);
}

static void test_cost__hostile_sizes_do_not_wrap(void)
{
    struct npart_error error;
    struct session session;
    struct npart_cost cost = {.size = sizeof cost};
    REQUIRE(plan_of(&session,
                    "input x uint8[9223372036854775807]\ninput y uint8[9223372036854775807]\n"
                    "input z uint8[9223372036854775807]\nnode a = Relu(x)\nnode b = Relu(y)\nnode c = Relu(z)\n"
                    "output a\noutput b\noutput c\n",
                    list, "t", &error) == NPART_OK);
    npart_plan_cost(session.plan, &cost);
    CHECK(cost.bytes_to_npu == UINT64_MAX);
    CHECK(cost.copying.high_ms > 1e12 && isfinite(cost.copying.high_ms));
    close_session(&session);
}

/* What stands after an include counts, for the variant that it is said for. */
static void test_cost__parameters_over_an_included_list(void)
{
    static const char changed[] = "format 1\ninclude hexagon\ntarget mine\n"
                                  "param launch_ms for v73 10 20 30\nparam runtime_ms for v73 via onnxruntime 0 0 0\n";
    static const struct {
        const char *target;
        bool is_changed;
    } rows[] = {{"mine:v73", true}, {"mine:sa8255", true}, {"mine:sm8550", false}, {"mine:v68", false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct npart_error error;
        struct session session;
        struct npart_cost cost = {.size = sizeof cost};
        REQUIRE(plan_of(&session, "input x float32[1,8]\nnode y = Relu(x)\noutput y\n", changed, rows[i].target,
                        &error) == NPART_OK);
        npart_plan_cost(session.plan, &cost);
        CHECK((fabs(cost.switching.typical_ms - 20) < 1e-9) == rows[i].is_changed);
        close_session(&session);
    }
}

/* Which of several lines counts: more by `via` than by `for`, by that than by `of`; of equals the last. */
static void test_cost__the_line_that_says_most_counts(void)
{
    static const char text[] = "format 1\ntarget t\nvariant a\nvariant b\nvariant c like b\n"
                               "param launch_ms 1 1 1\n"
                               "param launch_ms of w8a8 2 2 2\n"
                               "param launch_ms of float16 3 3 3\n"
                               "param launch_ms for b 4 4 4\n"
                               "param launch_ms of w8a16 for b 5 5 5\n"
                               "param launch_ms via tflite 6 6 6\n"
                               "param launch_ms of w8a8 via tflite 7 7 7\n"
                               "param launch_ms for c 8 8 8\n"
                               "param launch_ms for c 9 9 9\n"
                               "op Relu\n";
    static const char top[] = "format 1\nparam launch_ms of w8a16 10 10 10\n";
    static const struct {
        const char *variant;
        enum npart__arithmetic arithmetic;
        enum npart__invoker invoker;
        double ms, with_top;
    } rows[] = {
        {":a", NPART__ARITHMETIC_W8A16, NPART__INVOKER_BARE, 1, 10},
        {":a", NPART__ARITHMETIC_W8A8, NPART__INVOKER_BARE, 2, 2},
        {":a", NPART__ARITHMETIC_FLOAT16, NPART__INVOKER_BARE, 3, 3},
        {":a", NPART__ARITHMETIC_FLOAT32, NPART__INVOKER_BARE, 3, 3}, /* float32 is computed as float16 */
        {":b", NPART__ARITHMETIC_FLOAT16, NPART__INVOKER_BARE, 4, 4},
        {":b", NPART__ARITHMETIC_W8A16, NPART__INVOKER_BARE, 5, 10},
        {":b", NPART__ARITHMETIC_W8A16, NPART__INVOKER_TFLITE, 6, 10},
        {":b", NPART__ARITHMETIC_W8A8, NPART__INVOKER_TFLITE, 7, 7},
        {":c", NPART__ARITHMETIC_W8A8, NPART__INVOKER_BARE, 9, 9},
    };
    struct npart__arena arena;
    struct npart__oplist lists[2];
    struct npart_error error;
    npart__arena_init(&arena, NULL);
    REQUIRE(npart__oplist_read(text, sizeof text - 1, "l", &arena, &lists[0], NULL, &error) == NPART_OK);
    REQUIRE(npart__cost_read(&lists[0], top, sizeof top - 1, "c", &arena, &lists[1], &error) == NPART_OK);
    for (size_t i = 0; i < 2 * sizeof rows / sizeof rows[0]; i++) {
        const struct npart__parameter *found[NPART__PARAMETERS];
        struct npart__target target;
        const double expected = i % 2 ? rows[i / 2].with_top : rows[i / 2].ms;
        REQUIRE(npart__target_choose(&lists[i % 2], rows[i / 2].variant, &arena, &target, &error) == NPART_OK);
        npart__target_parameters(&target, rows[i / 2].arithmetic, rows[i / 2].invoker, found);
        CHECK(found[NPART__PARAMETER_LAUNCH]->typical == expected);
        CHECK(!found[NPART__PARAMETER_MAP]);
    }
    npart__arena_clear(&arena);
}

static void test_target__mistakes(void)
{
    static const struct {
        const char *target, *message;
    } mistakes[] = {
        {"u", "\"u\" is not a target of the list t"},
        {"t:v9", "t has no variant \"v9\"; there is plain, fast, clone"},
        {"t:", "t has no variant \"\"; there is plain, fast, clone"},
        {"t+no", "t has no switch \"no\"; there is extra"},
        {"t:fast-extra+no", "t has no switch \"no\"; there is extra"},
        {"t@2", "t has no toolchain \"2\"; it has none"},
        {"t:fast:plain", "cannot read \":plain\": a target is NAME[:VARIANT][+SWITCH|-SWITCH]...[@TOOLCHAIN]"},
    };
    for (size_t i = 0; i < sizeof mistakes / sizeof mistakes[0]; i++) {
        struct npart_error error = {0};
        struct session session;
        CHECK_INT(plan_of(&session, chain, list, mistakes[i].target, &error), NPART_ERROR_ARGUMENT);
        CHECK_TEXT(error.message, mistakes[i].message);
        CHECK(session.plan == NULL);
        close_session(&session);
    }
}

/* `by`: what a list says of networks that were held out; its variants are kin (like chip) and chip. */
static void test_cost__what_rates_stand_on(void)
{
    static const struct {
        const char *by, *target;
        enum npart_basis basis;
        double error; /* -1: not known */
    } rows[] = {
        {"", "t:chip", NPART_BASIS_DOCUMENTS, -1},
        {"param held_out_error for chip 0.25 0.25 0.25 \"s\"\n", "t:chip", NPART_BASIS_MEASURED, 0.25},
        {"param held_out_error for chip 0.26 0.26 0.26 \"s\"\n", "t:chip", NPART_BASIS_DOCUMENTS, 0.26},
        {"param held_out_error for chip 0.2 0.2 0.2 \"s\"\n", "t:kin", NPART_BASIS_FAMILY, 0.2},
        {"param held_out_error for chip 0.2 0.2 0.2 \"s\"\n", "t:other", NPART_BASIS_DOCUMENTS, -1},
        {"param sister_error for other 0.2 0.2 0.2 \"s\"\n", "t:other", NPART_BASIS_FAMILY, 0.2},
        {"param sister_error for other 0.4 0.4 0.4 \"s\"\n", "t:other", NPART_BASIS_DOCUMENTS, 0.4},
        {"param held_out_error 0.2 0.2 0.2 \"s\"\n", "t:other", NPART_BASIS_MEASURED, 0.2},
        {"param held_out_error of w8a8 0.2 0.2 0.2 \"s\"\n", "t:other", NPART_BASIS_DOCUMENTS, -1},
        /* More than half of the time is assumed: whatever was held out, it was not this. */
        {"param held_out_error 0.2 0.2 0.2 \"s\"\nparam launch_ms 9 9 9 assumed \"s\"\n", "t:chip",
         NPART_BASIS_DOCUMENTS, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct npart_error error;
        struct session session;
        struct npart_cost cost = {.size = sizeof cost};
        char text[512];
        (void)snprintf(text, sizeof text,
                       "format 1\ntarget t\nvariant chip\nvariant kin like chip\nvariant other\n"
                       "param launch_ms 1 2 3 \"s\"\nparam elementwise_gops 1 2 3 \"s\"\n%sop Relu\n",
                       rows[i].by);
        REQUIRE(plan_of(&session, chain, text, rows[i].target, &error) == NPART_OK);
        npart_plan_cost(session.plan, &cost);
        CHECK_INT(cost.basis, rows[i].basis);
        CHECK(cost.is_calibrated == (rows[i].basis != NPART_BASIS_DOCUMENTS) && cost.held_out_error == rows[i].error);
        close_session(&session);
    }
}

/* A chip and a system: launches are the chip's, mappings the system's that is named, in either order. */
static void test_target__a_variant_like_a_named_one(void)
{
    static const char lines[] = "format 1\ntarget t\nvariant old\nvariant new\nvariant chip like old\n"
                                "param launch_ms for chip 1 2 3 \"s\"\nparam launch_ms for new 7 8 9 \"s\"\n"
                                "param map_ms for old 1 1 1 \"s\"\nparam map_ms for new 5 5 5 \"s\"\nop Relu\n";
    static const struct {
        const char *target, *name;
        double mapping; /* of each tensor, in ms */
    } rows[] = {{"t:chip", "t:chip", 1}, {"t:chip:new", "t:chip:new", 5}, {"t:new:chip", "t:new:chip", 5}};
    double mappings = 0, switching = 0;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct npart_error error;
        struct session session;
        struct npart_cost cost = {.size = sizeof cost};
        struct npart_plan_info info = {.size = sizeof info};
        REQUIRE(plan_of(&session, chain, lines, rows[i].target, &error) == NPART_OK);
        npart_plan_cost(session.plan, &cost);
        (void)npart_plan_info(session.plan, &info);
        CHECK_TEXT(info.target, rows[i].name);
        mappings = i == 0 ? cost.copying.typical_ms : mappings; /* at 1 ms each */
        switching = i == 0 ? cost.switching.typical_ms : switching;
        CHECK(cost.copying.typical_ms > 0 && is_near(cost.copying.typical_ms, mappings * rows[i].mapping));
        CHECK(cost.switching.typical_ms > 0 && is_near(cost.switching.typical_ms, switching));
        close_session(&session);
    }
}

TESTS(test_cost__switching, test_cost__what_rates_stand_on, test_cost__tiles_of_the_list,
      test_target__a_variant_like_a_named_one, test_cost__a_node, test_cost__weights_on_the_cpu,
      test_cost__what_the_cpu_fuses, test_cost__what_the_cpu_is_slow_at, test_cost__a_rate_that_is_missing,
      test_cost__weights_past_the_chips_memory, test_cost__the_whole, test_cost__compiling,
      test_cost__model_sigma, test_cost__boundaries, test_cost__floats_that_are_copied_as_integers,
      test_cost__what_may_be_nothing, test_cost__runtimes, test_cost__parameters_of_a_variant,
      test_cost__a_list_without_parameters_costs_nothing_and_says_so, test_cost__most_assumed_is_uncalibrated,
      test_cost__hostile_sizes_do_not_wrap, test_cost__parameters_over_an_included_list,
      test_cost__the_line_that_says_most_counts, test_target__mistakes)
