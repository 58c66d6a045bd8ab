/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights, peaks, caches and what fits on the chip, computed by hand from what memory/memory.h says; and on random
 * graphs what must hold of any peak.
 */
#include "support/analysis.h"
#include "support/test.h"

/* Relu, Add, Conv, MatMul are taken; Erf is not. 1 MB on the chip; floats are held as float16. */
static const char list[] = "format 1\ntarget t\nparam float32_bytes 2 2 2\nparam sram_mb 1 1 2\n"
                           "param most_weights_mb 1 1 1\nparam most_tensors_mb 1 1 1\n"
                           "op Add\nop Conv\nop Identity\nop MatMul\nop Relu\nop Reshape\nop If\n"
                           "op DequantizeLinear\nop QuantizeLinear\n";

static struct npart_memory memory_of(struct analysis *at, const char *model)
{
    struct npart_memory memory = {.size = sizeof memory};
    analysis_open(at, model, list, NULL, NULL);
    CHECK(npart_plan_memory(at->plan, &memory));
    return memory;
}

/* ---- peaks on the CPU ----------------------------------------------------------------------------------------- */

/* Each tensor has 1,000 bytes unless it says otherwise. */
static void test_memory__peaks_by_hand(void)
{
    static const struct {
        const char *what, *model;
        uint64_t peak;
    } rows[] = {
        {"an output alone", "input x int8[1000]\nnode y = Erf(x)\noutput y\n", 1000},
        {"two at once", "input x int8[1000]\nnode a = Erf(x)\nnode y = Erf(a)\noutput y\n", 2000},
        {"a chain has never more than two",
         "input x int8[1000]\nnode a = Erf(x)\nnode b = Erf(a)\nnode c = Erf(b)\nnode y = Erf(c)\noutput y\n", 2000},
        {"in place", "input x float32[250]\nnode a = Erf(x)\nnode b = Relu(a)\nnode y = Erf(b)\noutput y\n", 2000},
        {"not in place: the operand has another user",
         "input x float32[250]\nnode a = Erf(x)\nnode b = Relu(a)\nnode y = Add(a, b)\noutput y\n", 3000},
        {"an output is never in place", "input x float32[250]\nnode a = Erf(x)\nnode y = Relu(a)\noutput y\n", 2000},
        {"a diamond",
         "input x int8[1000]\nnode a = Erf(x)\nnode b = Erf(a)\nnode c = Erf(a)\nnode y = Add(b, c)\noutput y\n", 3000},
        {"views share, whoever else uses them",
         "input x int8[1000]\ninit s int64[2] = 10 100\nnode a = Erf(x)\nnode v = Reshape(a, s)\nnode b = Erf(v)\n"
         "node y = Concat(v, b) axis=0\noutput y\n", 4000},
        {"a view of an input is the caller's",
         "input x int8[1000]\ninit s int64[2] = 10 100\nnode v = Reshape(x, s)\nnode y = Erf(v)\noutput y\n", 1000},
        {"what nobody uses is free at once",
         "input x int8[1000]\nnode a, b = Split(x) num_outputs=2 axis=0\nnode c = Erf(a)\nnode y = Erf(c)\noutput y\n",
         1000},
        /* g is where a was, so a is kept while d is there */
        {"a buffer is kept for the next tensor of its shape",
         "input x int8[1000]\ninit s int64[1] = 0\ninit e int64[1] = 10\ninit m int64[1] = 500\ninit n int64[1] = 100\n"
         "node a = Erf(x)\nnode b = Slice(a, s, e)\nnode d = Tile(b, m)\nnode f = Slice(d, s, e)\nnode g = Tile(f, n)\n"
         "node y = Slice(g, s, e)\noutput y\n", 1000 + 10 + 5000},
        {"the larger branch, on top of what is live",
         "graph yes\nnode p = Erf(a)\nnode q = Erf(p)\noutput q\nend\ngraph no\nnode r = Erf(a)\noutput r\nend\n"
         "input x int8[1000]\ninput c bool[]\nnode a = Erf(x)\n"
         "node y = If(c) then_branch=graph yes else_branch=graph no\noutput y\n", 4000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct analysis at;
        struct npart_memory memory = memory_of(&at, rows[i].model);
        CHECK_INT(memory.peak.bytes, rows[i].peak);
        CHECK(!memory.peak.is_partial);
        if (memory.peak.bytes != rows[i].peak)
            fprintf(stderr, "  %s\n", rows[i].what);
        analysis_close(&at);
    }
}

static void test_memory__kernels_that_need_more(void)
{
    static const struct {
        const char *model;
        uint64_t peak;
    } rows[] = {
        {"input x float32[250]\nnode y = HardSwish(x)\noutput y\n", 2000},
        {"input x float32[1,5,5,10]\nnode y = LRN(x) size=3\noutput y\n", 3000},
        /* 1 x 1: nothing; 3 x 3: a piece; more filters than places: all of it, 4 places x 9 x 2 channels */
        {"input x float32[1,2,10,10]\ninit w float32[1,2,1,1]\nnode y = Conv(x, w)\noutput y\n", 400},
        {"input x float32[1,2,12,12]\ninit w float32[1,2,3,3]\nnode y = Conv(x, w)\noutput y\n", 400 + 65536},
        {"input x float32[1,2,4,4]\ninit w float32[8,2,3,3]\nnode y = Conv(x, w)\noutput y\n", 128 + 4 * 9 * 2 * 4},
        /* 3 steps, 2 rows, both directions, gates of 4 x 5; in reverse what is read and made */
        {"input x float32[3,2,7]\ninit w float32[2,20,7]\ninit r float32[2,20,5]\n"
         "node y = LSTM(x, w, r) hidden_size=5 direction=\"bidirectional\"\noutput y\n",
         3 * 2 * 2 * 5 * 4 + 3 * 2 * 4 * (2 * 20 + 7 + 5)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct analysis at;
        CHECK_INT(memory_of(&at, rows[i].model).peak.bytes, rows[i].peak);
        analysis_close(&at);
    }
}

static void test_memory__what_is_not_known_is_no_number(void)
{
    struct analysis at;
    static const char model[] =
        "input x float32[n]\ninput z float32[10]\nnode a = Erf(x)\nnode b = Erf(z)\noutput a\noutput b\n";
    struct npart_memory memory = memory_of(&at, model);
    CHECK(memory.peak.is_partial && memory.peak_cpu.is_partial && !memory.peak_npu.is_partial);
    CHECK_INT(memory.peak.bytes, 40);
    char *json = json_of(at.plan, NULL);
    CHECK(strstr(json, "\"activation_peak_bytes\":null,") != NULL);
    CHECK(strstr(json, "\"weight_bytes_cpu\":0,\"activation_peak_bytes\":40,") != NULL);
    free(json);
    analysis_close(&at);
    /* sizes that a hostile file claims */
    memory = memory_of(&at, "input x float32[4000000000,4000000000]\nnode a = Erf(x)\nnode b = Erf(a)\noutput b\n");
    CHECK(memory.peak.is_partial && memory.peak.bytes == 0);
    analysis_close(&at);
    memory = memory_of(&at, "input x float32[4]\noutput x\n");
    CHECK(memory.peak.bytes == 0 && !memory.peak.is_partial && memory.peak_node == NPART_NONE);
    analysis_close(&at);
}

/* ---- partitions ------------------------------------------------------------------------------------------------ */

/* 4,000 bytes a tensor, 2,000 on the NPU. */
static void test_memory__each_side_by_itself(void)
{
    static const char model[] = "input x float32[1000]\ninit w float32[1000]\nnode a = Relu(x)\nnode b = Add(a, w)\n"
                                "node c = Erf(b)\nnode d = Relu(c)\nnode e = Add(d, w)\nnode f = Add(e, d)\noutput f\n";
    struct npart_partition first = {.size = sizeof first}, second = {.size = sizeof second};
    struct analysis at;
    struct npart_memory memory = memory_of(&at, model);
    CHECK(npart_plan_partition(at.plan, 0, &first) && npart_plan_partition(at.plan, 1, &second));
    /* x and b at the border, a inside; b is where a was only inside */
    CHECK_INT(first.peak.bytes, 3 * 2000);
    /* c and f, then d, and e beside it */
    CHECK_INT(second.peak.bytes, 4 * 2000);
    CHECK_INT(memory.peak_npu.bytes, 4 * 2000);
    CHECK_INT(memory.peak_npu_node, analysis_node(&at, "e"));
    /* b, c and f: x is the caller's; a, d and e are nowhere to be seen */
    CHECK_INT(memory.peak_cpu.bytes, 2 * 4000);
    CHECK_INT(first.weights.bytes, 2000);
    CHECK_INT(second.weights.bytes, 2000);
    CHECK_INT(memory.weights_npu.bytes, 4000);
    CHECK_INT(memory.weights_cpu.bytes, 0);
    CHECK_INT(memory.weight_bytes, 4000);
    CHECK_INT(first.fits_on_chip, NPART_FIT_YES);
    analysis_close(&at);
}

/* ONNX Runtime's walk begins with the largest number. A MatMul that is made anew with its Add has a larger one than
 * nodes of the file, and what is inlined after that larger ones still: the product is held while the Erfs run, as a
 * third tensor of 256 bytes, but is computed after what a MeanVarianceNormalization is inlined as. */
static void test_memory__what_is_made_anew_runs_first(void)
{
    static const char *const branches[] = {
        "node k = Erf(x)\nnode n = Erf(k)\nnode y = Erf(n)\n",
        "node n = MeanVarianceNormalization(x)\nnode y = HardSwish(n)\n",
    };
    for (size_t i = 0; i < sizeof branches / sizeof branches[0]; i++) {
        struct npart_memory memory = {.size = sizeof memory};
        struct analysis at;
        char model[512];
        (void)snprintf(model, sizeof model,
                       "opset 17\ninput x float32[2,4,8]\ninit w float32[8,8]\ninit b float32[8]\n"
                       "node m = MatMul(x, w)\nnode a = Add(m, b)\n%soutput a\noutput y\n",
                       branches[i]);
        analysis_open(&at, model, NULL, "hexagon:v73", NULL);
        CHECK(npart_plan_memory(at.plan, &memory));
        CHECK_INT(memory.peak.bytes, 3 * 256);
        CHECK(!memory.peak.is_partial);
        analysis_close(&at);
    }
}

/* What is quantized has the bytes of that. */
static void test_memory__quantized_on_the_npu(void)
{
    static const char model[] =
        "input x uint8[1000]\ninit s float32[] = 0.5\ninit z uint8[] = 0\nnode a = DequantizeLinear(x, s, z)\n"
        "node b = Relu(a)\nnode c = QuantizeLinear(b, s, z)\nnode d = DequantizeLinear(c, s, z)\n"
        "node e = Relu(d)\nnode f = QuantizeLinear(e, s, z)\noutput f\n";
    struct analysis at;
    struct npart_memory memory = memory_of(&at, model);
    /* x and f, and b, which is c, d and e as well */
    CHECK_INT(memory.peak_npu.bytes, 3000);
    CHECK(memory.peak.bytes >= 4000);
    analysis_close(&at);
}

/* 20 channels inside are 32; 3 that come in or go out are 3. */
static void test_memory__fills_up_channels(void)
{
    static const struct {
        const char *list;
        uint64_t peak;
    } rows[] = {
        {"format 1\ntarget t\nparam one_arena 1 1 1\nop Conv\n", 3072 + 20480},
        {"format 1\ntarget t\nparam one_arena 16 16 16\nop Conv\n", 3072 + 32768},
        {"format 1\ntarget t\nparam one_arena 0.5 0.5 0.5\nop Conv\n", 3072 + 20480},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct analysis at;
        struct npart_memory memory = {.size = sizeof memory};
        analysis_open(&at, "input x float32[1,3,16,16]\ninit w float32[20,3,1,1]\ninit v float32[3,20,1,1]\n"
                           "node a = Conv(x, w)\nnode y = Conv(a, v)\noutput y\n", rows[i].list, NULL, NULL);
        CHECK(npart_plan_memory(at.plan, &memory));
        CHECK_INT(memory.peak_npu.bytes, rows[i].peak);
        analysis_close(&at);
    }
}

/* Two pools of 4 kB next to each other. */
static void test_memory__places_in_pools(void)
{
    static const char pools[] = "format 1\ntarget t\nparam one_arena 1 1 1\npool a 0 4\npool b 4 4\nop Conv\n";
    static const struct {
        const char *model;
        uint64_t peak;
    } rows[] = {
        {"input x float32[1,3,16,16]\ninit w float32[3,3,1,1]\ninit v float32[1,3,1,1]\nnode a = Conv(x, w)\n"
         "node y = Conv(a, v)\noutput y\n", 6144},
        /* 5 kB fit into both as one, where nothing is in the way */
        {"input x float32[1,3,16,16]\ninit w float32[5,3,1,1]\nnode y = Conv(x, w)\noutput y\n", 8192},
        {"input x float32[1,3,16,16]\ninit w float32[3,3,1,1]\ninit v float32[5,3,1,1]\nnode a = Conv(x, w)\n"
         "node y = Conv(a, v)\noutput y\n", 11264},
        /* what is larger than both is outside */
        {"input x float32[1,9,16,16]\ninit w float32[1,9,1,1]\nnode y = Conv(x, w)\noutput y\n", 10240},
        /* without sizes there are no places */
        {"input x float32[n,3,16,16]\ninit w float32[3,3,1,1]\nnode y = Conv(x, w)\noutput y\n", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct analysis at;
        struct npart_memory memory = {.size = sizeof memory};
        analysis_open(&at, rows[i].model, pools, NULL, NULL);
        CHECK(npart_plan_memory(at.plan, &memory));
        CHECK_INT(memory.peak_npu.bytes, rows[i].peak);
        CHECK_INT(memory.peak_npu.is_partial, rows[i].peak == 0);
        analysis_close(&at);
    }
}

static void test_memory__weights_once_each(void)
{
    static const char model[] = "input x float32[1,100]\ninit w float32[100,100]\nnode v = Identity(w)\n"
                                "node a = MatMul(x, w)\nnode b = MatMul(a, v)\nnode c = Erf(b)\ninit k int64[1] = 1\n"
                                "node d = ReduceSum(c, k)\noutput d\n";
    struct analysis at;
    struct npart_memory memory = memory_of(&at, model);
    CHECK_INT(memory.weight_bytes, 40008);
    CHECK_INT(memory.weights_npu.bytes, 20000);
    CHECK_INT(memory.weights_cpu.bytes, 8);
    CHECK_INT(memory.parameters, 10000);
    CHECK_INT(memory.weight_type_count, 2);
    CHECK_TEXT(memory.weight_types[0].type, "float32");
    CHECK_INT(memory.weight_types[0].bytes, 40000);
    CHECK_INT(memory.weight_types[1].elements, 1);
    analysis_close(&at);
    memory = memory_of(&at, "input x float32[1]\ninit w uint8[100]\nnode y = com.microsoft:F(x, w)\noutput y\n");
    CHECK_INT(memory.parameters, 0); /* packed in some way */
    analysis_close(&at);
}

/* ---- on the chip ----------------------------------------------------------------------------------------------- */

static void test_memory__layers_that_do_not_fit(void)
{
    /* 1024 x 1024 float16 is 2 MB; of 2,048 rows 4 MB come in and 4 go out: 16 times half of 1 MB */
    static const char model[] = "input x float32[2048,1024]\ninit w float32[1024,1024]\ninit u float32[1024,16]\n"
                                "node a = MatMul(x, w)\nnode b = MatMul(a, u)\noutput b\n";
    struct npart_partition partition = {.size = sizeof partition};
    struct analysis at;
    struct npart_memory memory = memory_of(&at, model);
    CHECK_INT(memory.onchip_bytes, 1 << 20);
    CHECK_INT(memory.layer_count, 2);
    CHECK_INT(memory.layers[0].node, 0);
    CHECK_INT(memory.layers[0].weight_bytes, 2 << 20);
    CHECK_INT(memory.layers[0].activation_bytes, 8 << 20);
    CHECK_INT(memory.layers[0].passes, 16);
    CHECK_INT(memory.layers[1].weight_bytes, 32 << 10);
    CHECK_INT(memory.layers[1].passes, 1); /* its weights stay */
    CHECK(npart_plan_partition(at.plan, 0, &partition));
    CHECK_INT(partition.fits_on_chip, NPART_FIT_NO);
    /* 2 MB of weights and 4 of tensors inside, of 1 each that there may be */
    CHECK_INT(memory.limit_count, 4);
    CHECK_INT(memory.limits[2].of, NPART_LIMITED_WEIGHTS);
    CHECK_INT(memory.limits[2].fits, NPART_FIT_NO);
    CHECK_INT(memory.limits[3].needed.bytes, 4 << 20);
    char *json = json_of(at.plan, NULL);
    CHECK(strstr(json, "{\"what\":\"weights\",\"needed_bytes\":2129920,\"limit_bytes\":1048576,\"safe_bytes\":1048576,"
                       "\"needed_count\":null,\"limit_count\":null,\"fits\":false,\"source\":\"\"}") != NULL);
    free(json);
    analysis_close(&at);
    /* one row is larger than all there is */
    memory = memory_of(&at, "input x float32[1,4000000]\ninit w float32[4000000,1]\nnode a = MatMul(x, w)\noutput a\n");
    CHECK_INT(memory.layer_count, 1);
    CHECK_INT(memory.layers[0].passes, 0);
    analysis_close(&at);
    /* neither surely in it nor surely not: 1 to 2 MB */
    memory = memory_of(&at, "input x float32[1,1]\ninit w float32[1,700000]\nnode a = MatMul(x, w)\noutput a\n");
    CHECK(npart_plan_partition(at.plan, 0, &partition));
    CHECK_INT(partition.fits_on_chip, NPART_FIT_NO);
    analysis_close(&at);
    memory = memory_of(&at, "input x float32[1,1]\ninit w float32[1,400000]\nnode a = MatMul(x, w)\noutput a\n");
    CHECK(npart_plan_partition(at.plan, 0, &partition));
    CHECK_INT(partition.fits_on_chip, NPART_FIT_UNKNOWN);
    analysis_close(&at);
}

/* ---- caches ---------------------------------------------------------------------------------------------------- */

static void test_memory__a_token_of_a_cache(void)
{
    static const struct {
        const char *model;
        uint32_t tensors;
        uint64_t bytes;
        bool is_partial;
        uint64_t slots; /* 0: they grow, or are none */
        uint32_t tokens;
    } rows[] = {
        {"input p float16[batch,8,past,64]\ninput n float16[batch,8,1,64]\nnode y = Concat(p, n) axis=2\noutput y\n", 1,
         8 * 64 * 2, false, 0, 0},
        {"input p float16[b,h,past,64]\ninput n float16[b,h,1,64]\nnode y = Concat(p, n) axis=-2\noutput y\n", 1,
         0, true, 0, 0},
        /* a longer list of ids, a larger batch, and what does not leave the model are none */
        {"input p int64[1,past]\ninput n int64[1,1]\nnode y = Concat(p, n) axis=1\noutput y\n", 0, 0, false, 0, 0},
        {"input p float32[b,2,3]\ninput n float32[1,2,3]\nnode y = Concat(p, n) axis=0\noutput y\n", 0, 0, false, 0, 0},
        {"input p float32[1,2,3]\ninput n float32[1,1,3]\nnode a = Concat(p, n) axis=1\nnode y = Erf(a)\noutput y\n", 0,
         0, false, 0, 0},
        /* of fixed size: what is new leaves the model, or all but the first slot, or the input that is written into */
        {"input p float32[1,2,15,4]\ninput n float32[1,2,1,4]\nnode k = Relu(n)\nnode a = Concat(p, k) axis=2\n"
         "node y = Erf(a)\noutput y\noutput k\n", 1, 2 * 4 * 4, false, 16, 1},
        {"input p float32[1,2,15,4]\ninput n float32[1,2,1,4]\nnode k = Relu(n)\nnode a = Concat(p, k) axis=2\n"
         "init s int64[1] = 1\ninit e int64[1] = 16\ninit x int64[1] = 2\nnode b = Slice(a, s, e, x)\n"
         "node y = Erf(a)\noutput y\noutput b\n", 1, 2 * 4 * 4, false, 16, 1},
        {"input p uint8[1,2,14,4]\ninput n float32[1,2,2,4]\ninit s float32 = 0.1\ninit z uint8 = 128\n"
         "node k = QuantizeLinear(n, s, z)\nnode m = DequantizeLinear(k, s, z)\nnode q = DequantizeLinear(p, s, z)\n"
         "node a = Concat(q, m) axis=2\nnode y = Erf(a)\noutput y\noutput k\n", 1, 2 * 4, false, 16, 2},
        {"input p float32[1,2,15,4]\ninput n float32[1,2,1,4]\ninput i int64[1,2,1,4]\n"
         "node y = ScatterElements(p, i, n) axis=2\noutput y\n", 1, 2 * 4 * 4, false, 15, 1},
        {"opset com.microsoft 1\ninput q float16[1,1,128]\ninput k float16[1,1,64]\ninput v float16[1,1,64]\n"
         "input pk float16[1,2,past,32]\ninput pv float16[1,2,past,32]\ninput s int32[1]\ninput t int32[]\n"
         "node y, a, b = com.microsoft:GroupQueryAttention(q, k, v, pk, pv, s, t) num_heads=4 kv_num_heads=2\n"
         "output y\noutput a\noutput b\n", 2, 2 * 2 * 32 * 2, false, 0, 0},
        {"opset com.microsoft 1\ninput q float16[1,3,128]\ninput k float16[1,3,64]\ninput v float16[1,3,64]\n"
         "input pk float16[1,2,13,32]\ninput pv float16[1,2,13,32]\ninput s int32[1]\ninput t int32[]\n"
         "node y, a, b = com.microsoft:GroupQueryAttention(q, k, v, pk, pv, s, t) num_heads=4 kv_num_heads=2\n"
         "output y\noutput a float16[1,2,16,32]\noutput b float16[1,2,16,32]\n", 2, 2 * 2 * 32 * 2, false, 16, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct analysis at;
        struct npart_memory memory = memory_of(&at, rows[i].model);
        CHECK_INT(memory.cache_tensor_count, rows[i].tensors);
        CHECK_INT(memory.cache_per_token.bytes, rows[i].bytes);
        CHECK_INT(memory.cache_per_token.is_partial, rows[i].is_partial);
        CHECK_INT(memory.cache_slots, rows[i].slots);
        CHECK_INT(memory.run_tokens, rows[i].tokens);
        analysis_close(&at);
    }
}

/* Keys and values of one layer, 4 heads of 8; what is looked at is appended. */
#define CACHE_OF(heads, past, new)                                                                                     \
    "input pk float32[1," heads "," past ",8]\ninput pv float32[1," heads "," past ",8]\n"                             \
    "input k float32[1," heads "," new ",8]\ninput v float32[1," heads "," new ",8]\n"                                 \
    "node keys = Concat(pk, k) axis=2\nnode values = Concat(pv, v) axis=2\n"                                           \
    "output keys\noutput values\noutput y\n"
#define PRODUCTS                                                                                                       \
    "node t = Transpose(keys) perm=[0,1,3,2]\nnode s = MatMul(q, t)\nnode w = Softmax(s) axis=-1\n"                    \
    "node y = MatMul(w, values)\n"
/* Each head of keys and values twice */
#define REPEATED                                                                                                       \
    "init two int64[5] = 1 2 2 16 8\ninit four int64[4] = 1 4 16 8\ninit at int64[1] = 2\n"                            \
    "node ku = Unsqueeze(keys, at)\nnode ke = Expand(ku, two)\nnode kr = Reshape(ke, four)\n"                          \
    "node vu = Unsqueeze(values, at)\nnode ve = Expand(vu, two)\nnode vr = Reshape(ve, four)\n"                        \
    "node t = Transpose(kr) perm=[0,1,3,2]\nnode s = MatMul(q, t)\nnode w = Softmax(s) axis=-1\n"                      \
    "node y = MatMul(w, vr)\n"
#define OPERATOR(past, attributes)                                                                                     \
    "opset com.microsoft 1\ninput q float16[1,1,128]\ninput k float16[1,1,64]\ninput v float16[1,1,64]\n"              \
    "input pk float16[1,2," past ",32]\ninput pv float16[1,2," past ",32]\ninput s int32[1]\ninput t int32[]\n"        \
    "node y, a, b = com.microsoft:GroupQueryAttention(q, k, v, pk, pv, s, t) num_heads=4 kv_num_heads=2" attributes    \
    "\noutput y\noutput a float16[1,2,16,32]\noutput b float16[1,2,16,32]\n"

static void test_memory__heads_that_share_keys(void)
{
    static const struct {
        const char *model;
        enum npart_attention attention;
        uint32_t queries, keys, window, in_window, cross;
    } rows[] = {
        {"input q float32[1,4,1,8]\n" CACHE_OF("4", "15", "1") PRODUCTS, NPART_ATTENTION_MULTI_HEAD, 4, 4, 0, 0, 0},
        {"input q float32[1,4,n,8]\n" CACHE_OF("4", "p", "n") PRODUCTS, NPART_ATTENTION_MULTI_HEAD, 4, 4, 0, 0, 0},
        /* as many slots as a head is wide */
        {"input q float32[1,4,1,8]\n" CACHE_OF("4", "7", "1") PRODUCTS, NPART_ATTENTION_MULTI_HEAD, 4, 4, 0, 0, 0},
        {"input q float32[1,4,1,8]\n" CACHE_OF("2", "15", "1") REPEATED, NPART_ATTENTION_GROUPED_QUERY, 4, 2, 0, 0, 0},
        /* queries of a group below each other, of 3 tokens */
        {"input q float32[1,2,6,8]\n" CACHE_OF("2", "13", "3") PRODUCTS, NPART_ATTENTION_GROUPED_QUERY, 4, 2, 0, 0, 0},
        {"input q float32[1,4,1,8]\n" CACHE_OF("1", "15", "1") PRODUCTS, NPART_ATTENTION_MULTI_QUERY, 4, 1, 0, 0, 0},
        /* rows that are no number of tokens; nothing looks at the keys; a batch that may be heads */
        {"input q float32[1,2,5,8]\n" CACHE_OF("2", "13", "3") PRODUCTS, NPART_ATTENTION_UNKNOWN, 0, 0, 0, 0, 0},
        {CACHE_OF("4", "15", "1") "node y = Erf(keys)\n", NPART_ATTENTION_UNKNOWN, 0, 0, 0, 0, 0},
        {"input q float32[4,1,1,8]\ninput pk float32[4,1,15,8]\ninput k float32[4,1,1,8]\noutput keys\noutput s\n"
         "node keys = Concat(pk, k) axis=2\nnode t = Transpose(keys) perm=[0,1,3,2]\nnode s = MatMul(q, t)\n",
         NPART_ATTENTION_UNKNOWN, 0, 0, 0, 0, 0},
        {OPERATOR("15", ""), NPART_ATTENTION_GROUPED_QUERY, 4, 2, 0, 0, 0},
        {OPERATOR("15", " local_window_size=5"), NPART_ATTENTION_GROUPED_QUERY, 4, 2, 5, 2, 0},
        {OPERATOR("15", " local_window_size=20"), NPART_ATTENTION_GROUPED_QUERY, 4, 2, 0, 0, 0},
        /* a layer with a shorter cache */
        {"input q float32[1,4,1,8]\ninput wk float32[1,4,6,8]\n" CACHE_OF("4", "15", "1") PRODUCTS
         "node short = Concat(wk, k) axis=2\noutput short\n", NPART_ATTENTION_UNKNOWN, 0, 0, 7, 1, 0},
        /* an encoder's keys beside the cache */
        {"input q float32[1,4,1,8]\ninput e float32[1,4,8,30]\ninput half float32[]\ninput mask float32[1,1,1,16]\n"
         CACHE_OF("4", "15", "1") PRODUCTS "node f = Mul(e, half)\nnode z = MatMul(q, f)\noutput z\n"
         "node m = Add(mask, half)\noutput m\n", NPART_ATTENTION_MULTI_HEAD, 4, 4, 0, 0, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct analysis at;
        struct npart_memory memory = memory_of(&at, rows[i].model);
        CHECK_INT(memory.attention, rows[i].attention);
        CHECK_INT(memory.query_heads, rows[i].queries);
        CHECK_INT(memory.key_heads, rows[i].keys);
        CHECK_INT(memory.window_slots, rows[i].window);
        CHECK_INT(memory.window_tensors, rows[i].in_window);
        CHECK_INT(memory.cross_tensors, rows[i].cross);
        CHECK_INT(memory.cross.bytes, rows[i].cross * 4 * 8 * 30 * 4);
        analysis_close(&at);
    }
}

/* ---- while each node runs ---------------------------------------------------------------------------------------- */

/* "a 1000/0 b 2000/0": of live nodes as they run, by their first outputs, on the CPU and on the NPU. */
static const char *held_text(const struct analysis *at)
{
    static char text[1000];
    uint32_t count;
    const uint32_t *order = npart_plan_order(at->plan, &count);
    size_t used = 0;
    for (uint32_t i = 0; i < count; i++) {
        struct npart_held held = {.size = sizeof held};
        struct npart_node node = {.size = sizeof node};
        struct npart_value value = {.size = sizeof value};
        CHECK(npart_plan_held(at->plan, order[i], &held) && npart_model_node(at->model, order[i], &node));
        CHECK(npart_inference_value(at->inference, node.outputs[0], &value));
        used += (size_t)snprintf(text + used, sizeof text - used, held.cpu.is_partial ? "%s ?%u/%u " : "%s %u/%u ",
                                 value.name, (unsigned)held.cpu.bytes, (unsigned)held.npu.bytes);
    }
    return text;
}

static void test_memory__while_a_node_runs(void)
{
    static const struct {
        const char *model, *held;
    } rows[] = {
        {"input x int8[1000]\nnode a = Erf(x)\nnode b = Erf(a)\nnode y = Erf(b)\noutput y\n",
         "a 1000/0 b 2000/0 y 2000/0 "},
        /* Relu and Add are one partition: x, a and r come in, and leave as y; inside it floats are halves */
        {"input x float32[250]\nnode a = Erf(x)\nnode b = Relu(a)\nnode y = Add(b, x)\nnode z = Erf(y)\noutput z\n",
         "a 1000/0 b 2000/2000 y 2000/2000 z 2000/0 "},
        /* a is of no known size, but for where it is gone */
        {"input x float32[n]\ninput z int8[1000]\nnode a = Erf(x)\nnode b = NonZero(a)\nnode c = Erf(z)\n"
         "node y = Erf(c)\noutput y\n", "a ?0/0 b ?0/0 c 1000/0 y 2000/0 "},
        /* an If in a partition has its branches in there */
        {"graph yes\nnode p = Erf(a)\nnode q = Erf(p)\noutput q\nend\ngraph no\nnode r = Erf(a)\noutput r\nend\n"
         "input x int8[1000]\ninput c bool[]\nnode a = Erf(x)\n"
         "node y = If(c) then_branch=graph yes else_branch=graph no\noutput y\n",
         "a 1000/0 y 2000/4001 p 2000/0 q 2000/0 r 2000/0 "},
    };
    struct analysis at;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)memory_of(&at, rows[i].model);
        CHECK_TEXT(held_text(&at), rows[i].held);
        analysis_close(&at);
    }
    /* The same on the CPU: a and y with what each branch has; the If with the larger one. */
    analysis_open(&at, rows[3].model, "format 1\ntarget t\nop Relu\n", NULL, NULL);
    CHECK_TEXT(held_text(&at), "a 1000/0 y 4000/0 p 3000/0 q 4000/0 r 3000/0 ");
    analysis_close(&at);
}

/* A Loop in a partition has all of its body in there, with the branches of an If that the target lacks: however large
 * they are, the CPU holds what it does for the Loop. */
static void test_memory__bodies_in_the_body_of_a_partition(void)
{
    struct analysis at;
    analysis_open(&at,
                  "graph yes\nnode p = Erf(w)\nnode q = Erf(p)\nnode r = Erf(q)\noutput r\nend\n"
                  "graph no\nnode t = Erf(w)\noutput t\nend\n"
                  "graph body\ninput i int64[]\ninput c bool[]\ninput v int8[100]\nnode go = Identity(c)\n"
                  "node w = Erf(v)\nnode o = If(go) then_branch=graph yes else_branch=graph no\noutput go\noutput o\n"
                  "end\ninit trips int64[] = 5\ninput x int8[10]\ninput z int8[100]\ninput d bool[]\n"
                  "node a = Erf(x)\nnode l = Loop(trips, d, z) body=graph body\n"
                  "node y = Concat(a, l) axis=0\noutput y\n",
                  "format 1\ntarget t\nop Loop\n", NULL, NULL);
    CHECK_TEXT(held_text(&at), "a 10/0 l 110/602 y 220/0 go 110/0 w 110/0 o 110/0 p 110/0 q 110/0 r 110/0 t 110/0 ");
    analysis_close(&at);
}

/* The largest of what is held is what is told as the peak. */
static void check_held(const struct analysis *at, const struct npart_memory *memory)
{
    struct npart_partition partition = {.size = sizeof partition};
    struct npart_held held = {.size = sizeof held};
    uint32_t count;
    uint64_t most = 0;
    const uint32_t *order = npart_plan_order(at->plan, &count);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(npart_plan_held(at->plan, order[i], &held) && !held.cpu.is_partial && !held.npu.is_partial);
        most = held.cpu.bytes > most ? held.cpu.bytes : most;
    }
    CHECK(most == memory->peak_cpu.bytes);
    for (uint32_t p = 0; npart_plan_partition(at->plan, p, &partition); p++) {
        most = 0;
        for (uint32_t i = 0; i < partition.node_count; i++) {
            CHECK(npart_plan_held(at->plan, partition.nodes[i], &held));
            most = held.npu.bytes > most ? held.npu.bytes : most;
        }
        CHECK(most == partition.peak.bytes);
    }
}

/* ---- any graph ------------------------------------------------------------------------------------------------- */

#define GRAPHS 400u
#define MOST_NODES 40u

static uint32_t state = 1;

static uint32_t random_below(uint32_t limit)
{
    state = state * 1664525u + 1013904223u;
    return (uint32_t)(((uint64_t)(state >> 4) * limit) >> 28);
}

/* Of tensors that are all of one shape: at least the largest step, at most all at once. */
static void test_memory__between_the_largest_and_all(void)
{
    static const char *const ops[] = {"Relu", "Erf", "Add", "Identity", "Sigmoid", "Mul"};
    static char model[8192];
    for (uint32_t g = 0; g < GRAPHS; g++) {
        uint32_t count = 1 + random_below(MOST_NODES), used = 0;
        used += (uint32_t)snprintf(model, sizeof model, "input v0 float32[25]\n");
        for (uint32_t i = 1; i <= count; i++) {
            uint32_t op = random_below(6), a = random_below(i), b = random_below(i);
            bool takes_two = op == 2 || op == 5;
            used += (uint32_t)snprintf(model + used, sizeof model - used, takes_two ? "node v%u = %s(v%u, v%u)\n"
                                                                                    : "node v%u = %s(v%u)\n",
                                       i, ops[op], a, b);
        }
        snprintf(model + used, sizeof model - used, "output v%u\n", count);
        struct analysis at;
        struct npart_memory memory = memory_of(&at, model);
        struct npart_partition partition = {.size = sizeof partition};
        struct npart_summary summary = {.size = sizeof summary};
        npart_plan_summary(at.plan, &summary);
        CHECK(memory.peak.bytes >= (summary.live ? 100 : 0) && memory.peak.bytes <= (uint64_t)summary.live * 100);
        CHECK(memory.peak_cpu.bytes <= (uint64_t)summary.live * 100 && !memory.peak_cpu.is_partial);
        for (uint32_t p = 0; npart_plan_partition(at.plan, p, &partition); p++) {
            uint64_t border = partition.input_count + (uint64_t)partition.output_count;
            CHECK(partition.peak.bytes >= border * 50 && partition.peak.bytes <= (border + partition.node_count) * 50);
            CHECK(partition.peak.bytes <= memory.peak_npu.bytes);
        }
        check_held(&at, &memory);
        analysis_close(&at);
    }
}

TESTS(test_memory__while_a_node_runs, test_memory__bodies_in_the_body_of_a_partition, test_memory__peaks_by_hand,
      test_memory__kernels_that_need_more, test_memory__what_is_not_known_is_no_number,
      test_memory__each_side_by_itself, test_memory__what_is_made_anew_runs_first,
      test_memory__quantized_on_the_npu, test_memory__fills_up_channels,
      test_memory__places_in_pools, test_memory__weights_once_each,
      test_memory__layers_that_do_not_fit, test_memory__a_token_of_a_cache, test_memory__heads_that_share_keys,
      test_memory__between_the_largest_and_all)
