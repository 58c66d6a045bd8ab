/* SPDX-License-Identifier: Apache-2.0
 *
 * Every allocation of the public calls fails once, over models that have a bit of everything (support/failing.h).
 */
#include "support/failing.h"
#include "support/subjects.h"
#include "support/test.h"

/* ---- models ---------------------------------------------------------------------------------------------------- */

static const char transformer[] =
    "opset 17\nopset my 1\n"
    "function my:Gelu(a) -> (b)\nopset 17\n"
    "node half = Constant() value=tensor float32[] = 0.5\n"
    "node erf = Erf(a)\nnode sum = Add(erf, half)\nnode b = Mul(a, sum)\nend\n"
    "input ids int64[batch,sequence]\n"
    "init table float32[100,16]\ninit scale float32[16]\ninit bias float32[16]\n"
    "init wq float32[16,16]\ninit wk float32[16,16]\ninit wv float32[16,16]\ninit w1 float32[16,64]\n"
    "init w2 float32[64,16]\ninit heads int64[4] = 0 0 4 4\ninit flat int64[3] = 0 0 16\n"
    "node h = Gather(table, ids)\n"
    "node n, -, - = LayerNormalization(h, scale, bias)\n"
    "node q0 = MatMul(n, wq)\nnode k0 = MatMul(n, wk)\nnode v0 = MatMul(n, wv)\n"
    "node q1 = Reshape(q0, heads)\nnode k1 = Reshape(k0, heads)\nnode v1 = Reshape(v0, heads)\n"
    "node q = Transpose(q1) perm=[0,2,1,3]\nnode k = Transpose(k1) perm=[0,2,3,1]\n"
    "node v = Transpose(v1) perm=[0,2,1,3]\n"
    "node s = MatMul(q, k)\nnode p = Softmax(s) axis=-1 @softmax meta \"pkg.torch.onnx.stack_trace\" \"File x\"\n"
    "node c0 = MatMul(p, v)\nnode c1 = Transpose(c0) perm=[0,2,1,3]\nnode c = Reshape(c1, flat)\n"
    "node r = Add(h, c)\nnode f1 = MatMul(r, w1)\nnode f2 = my:Gelu(f1)\nnode f3 = MatMul(f2, w2)\n"
    "node y = Add(r, f3)\noutput y float32[batch,sequence,16]\n";

static const char control_flow[] =
    "opset 17\n"
    "graph yes\nnode a = Relu(x)\nnode t = Add(a, w)\noutput t float32[n,4]\nend\n"
    "graph no\nnode e = Identity(x)\noutput e float32[n,4]\nend\n"
    "graph body\ninput i int64[]\ninput go bool[]\ninput state float32[n,4]\n"
    "node next = Mul(state, w)\nnode still = Identity(go)\nnode row = ReduceSum(next)\n"
    "output still bool[]\noutput next float32[n,4]\noutput row\nend\n"
    "graph this\nnode f = Add(x, w)\noutput f\nend\ngraph that\nnode g = Mul(x, w)\noutput g\nend\n"
    "input x float32[n,4]\ninput cond bool[]\ninput count int64[]\ninit w float32[4]\ninit sure bool[] = 1\n"
    "node k = If(sure) then_branch=graph this else_branch=graph that\noutput k\n"
    "node b = If(cond) then_branch=graph yes else_branch=graph no\n"
    "node l, rows = Loop(count, cond, b) body=graph body\n"
    "node z = Unheard(l)\nnode y = Relu(rows)\noutput y\noutput z\n";

static const char quantized[] =
    "opset 17\n"
    "input x float32[1,3,8,8]\n"
    "init w int8[4,3,3,3]\ninit sx float32[] = 0.1\ninit zx uint8[] = 128\ninit sw float32[4]\ninit zw int8[4]\n"
    "node xq = QuantizeLinear(x, sx, zx)\nnode xd = DequantizeLinear(xq, sx, zx)\n"
    "node wd = DequantizeLinear(w, sw, zw) axis=0\n"
    "node c = Conv(xd, wd) pads=[1,1,1,1]\nnode r = Relu(c)\n"
    "node rq = QuantizeLinear(r, sx, zx)\nnode rd = DequantizeLinear(rq, sx, zx)\n"
    "node p = MaxPool(rd) kernel_shape=[2,2] strides=[2,2]\nnode y = NonZero(p)\noutput y\n";

static const char symbolic[] =
    "opset 17\n"
    "input x float32[batch,3,height,width]\ninit w float32[8,3,3,3]\ninit one int64[1] = 1\n"
    "init minus int64[1] = -1\ninit two int64[1] = 2\ninit four int64[1] = 4\n"
    "node c = Conv(x, w) strides=[2,2] pads=[1,1,1,1]\nnode s = Shape(c)\nnode hw = Slice(s, two, four)\n"
    "node n = Slice(s, one, two)\nnode t = Concat(minus, n, hw) axis=0\nnode r = Reshape(c, t)\n"
    "node half = Div(hw, two)\nnode pre = Concat(minus, n, half) axis=0\nnode q = ConstantOfShape(hw)\n"
    "node u = Tile(r, s)\nnode m = Concat(c, r) axis=1\nnode y = Sigmoid(m)\n"
    "output y\noutput q\noutput pre\noutput u\n";

static const char functions[] =
    "opset 22\ninput x float32[3,5]\ninput t int64[3]\ninput w float32[5]\n"
    "node r = Relu(x)\nnode l, p = SoftmaxCrossEntropyLoss(r, t, w) ignore_index=2\n"
    "node n = NegativeLogLikelihoodLoss(p, t)\nnode y = Add(l, n)\noutput y\n";

static const char moved[] =
    "opset 17\ninput x float32[N,4,4]\ninput z float32[1,4,8]\ninit b float32[4] = 1 2 3 4\n"
    "node s = Transpose(z) perm=[0,2,1]\nnode d = Erf(s)\nnode u = Transpose(d) perm=[0,2,1]\n"
    "node r = Relu(u)\nnode v = Transpose(r) perm=[0,2,1]\nnode f = Erf(v)\n"
    "node g = Transpose(x) perm=[0,2,1]\nnode a = Add(g, b)\nnode m = Mul(x, b)\noutput f\noutput a\noutput m\n";

static const char small_list[] =
    "format 1\ntarget small \"A small one\"\nswitches fast\nvariant v1\nvariant v2 with fast \"second\"\n"
    "layout nhwc Conv MaxPool\nthrough Relu\nparam launch_ms 0.1 0.2 0.3 \"measured\"\n"
    "define floats: float32 float16\nevery static: static(*) \"sizes must be known\" except Shape\n"
    "define g\n  need dtype(inputs) in floats \"floating point\"\n"
    "op Add\n  use g\nop Conv\n  use g\n  need const(W) or variant(v2) \"constant weights\"\n"
    "op MatMul Mul Relu\n  use g\n  need rank(inputs) <= 3 \"rank\" else fail\nop Softmax\n  maybe attr(axis) = -1\n";

static const struct {
    const char *text, *dim, *cut; /* NULL: none is dynamic, or there is no node of that name */
} models[] = {
    {transformer, "batch", "r"}, {control_flow, "n", NULL}, {quantized, NULL, "r"},
    {symbolic, "height", "r"},   {functions, NULL, "r"},    {moved, "N", "r"},
};

/* ---- each fails ------------------------------------------------------------------------------------------------ */

/* Two targets: one that has a policy for most things, and one that asks in stages and folds by itself. */
static npart_oplist *lists[2];

static void test_allocation_failure__models(void)
{
    for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        for (size_t k = 0; k < 2; k++) {
            struct scene scene = {.printed = 0};
            bool is_wrong = false;
            scene_init(&scene, k == 0);
            scene.bytes = model_from_text(models[i].text);
            scene.dim = models[i].dim;
            scene.cut = models[i].cut;
            scene.planned = lists[k];
            forget_places();
            size_t count = 0;
            for (const struct tried_call *tried = model_calls; tried->name && !is_wrong; tried++)
                count += fail_each(&scene, tried, &is_wrong);
            CHECK(!is_wrong && count > 20);
            if (is_wrong)
                fprintf(stderr, "  model %zu, list %zu\n", i, k);
            bytes_free(&scene.bytes);
        }
}

static npart_status find_hexagon(struct scene *scene, struct npart_error *error)
{
    return npart_oplist_find(&scene->oplist, "hexagon", &scene->counted.allocator, error);
}

static npart_status read_small_list(struct scene *scene, struct npart_error *error)
{
    return npart_oplist_read_memory(&scene->oplist, small_list, strlen(small_list), "small.ops",
                                    &scene->counted.allocator, error);
}

static void test_allocation_failure__op_lists(void)
{
    static const struct tried_call calls[] = {{"hexagon", NOTHING, find_hexagon},
                                              {"a small list", NOTHING, read_small_list}};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene = {.printed = 0};
        bool is_wrong = false;
        scene_init(&scene, true);
        CHECK(fail_each(&scene, &calls[i], &is_wrong) > 0 && !is_wrong);
    }
}

/* A set of the model twice, of which each gives the other its cache; or the model alone, which has two uses. */
static npart_status place(struct scene *scene, uint32_t count, struct npart_error *error)
{
    const npart_inference *set[] = {scene->inference, scene->inference};
    const struct npart_part_figure figure = {.part = "-:decode", .runs = 3, .has_gpu = true, .gpu = {1, 2, 3}};
    const char *const links[] = {"-:present.0.key=-:hidden"};
    struct npart_placement_options options = NPART_PLACEMENT_OPTIONS_INIT;
    struct npart_report_options report = NPART_REPORT_OPTIONS_INIT;
    npart_placement *placement = NULL;
    report.is_verbose = true;
    options.figures = &figure;
    options.links = links;
    options.figure_count = options.link_count = count == 1;
    npart_status status = npart_placement_make(&placement, set, count, scene->planned, NULL, &options, error);
    if (status == NPART_OK)
        status = npart_report(OF_PLACEMENT(placement), NPART_FORMAT_TEXT, &report, sum_up, scene, error);
    if (status == NPART_OK)
        status = npart_report(OF_PLACEMENT(placement), NPART_FORMAT_JSON, NULL, sum_up, scene, error);
    npart_placement_free(placement);
    return status;
}

static npart_status place_one(struct scene *scene, struct npart_error *error)
{
    return place(scene, 1, error);
}

static npart_status place_two(struct scene *scene, struct npart_error *error)
{
    return place(scene, 2, error);
}

static void test_allocation_failure__placements(void)
{
    static const char cached[] = "input ids int64[batch,sequence]\n"
                                 "input past_key_values.0.key float32[batch,2,past,4]\n"
                                 "input hidden float32[batch,2,sequence,4]\ninput table float32[2,3,4]\n"
                                 "node r = Relu(hidden)\nnode e = Exp(table)\n"
                                 "node present.0.key = Concat(past_key_values.0.key, r) axis=2\n"
                                 "output present.0.key\noutput e\n";
    static const struct tried_call calls[] = {{"a model of two uses", INFERENCE, place_one},
                                              {"a set", INFERENCE, place_two}};
    for (size_t i = 0; i < 2; i++) {
        struct scene scene = {.printed = 0};
        bool is_wrong = false;
        scene_init(&scene, i == 0);
        scene.bytes = model_from_text(cached);
        scene.planned = lists[0];
        forget_places();
        CHECK(fail_each(&scene, &calls[i], &is_wrong) > 0 && !is_wrong);
        bytes_free(&scene.bytes);
    }
}

/* A plan, and itself without every third node and with another verdict here and there. */
static npart_status compare(struct scene *scene, struct npart_error *error)
{
    struct npart_report_options report = NPART_REPORT_OPTIONS_INIT;
    struct npart_diff_options options = NPART_DIFF_OPTIONS_INIT;
    npart_record *record = NULL;
    npart_diff *diff = NULL;
    npart_status status = npart_record_make(&record, scene->plan, NULL, error);
    if (status != NPART_OK)
        return status;
    struct npart_side other = *npart_record_side(record);
    static struct npart_side_node nodes[64];
    uint32_t count = 0;
    for (uint32_t i = 0; i < other.node_count && count < 64; i++)
        if (i % 3) {
            nodes[count] = other.nodes[i];
            nodes[count].verdict = i % 5 ? nodes[count].verdict : NPART_VERDICT_NPU;
            count++;
        }
    other.nodes = nodes;
    other.node_count = count;
    other.cause_count = 0;
    for (uint32_t i = 0; i < count; i++)
        nodes[i].cause = NPART_NONE;
    other.summary.partitions++;
    report.is_verbose = true;
    options.allocator = &scene->counted.allocator;
    status = npart_diff_make(&diff, npart_record_side(record), &other, &options, error);
    const npart_diff *list[] = {diff};
    if (status == NPART_OK)
        status = npart_report(OF_DIFFS(list, 1), NPART_FORMAT_TEXT, &report, sum_up, scene, error);
    if (status == NPART_OK)
        status = npart_report(OF_DIFFS(list, 1), NPART_FORMAT_MARKDOWN, NULL, sum_up, scene, error);
    if (status == NPART_OK)
        status = npart_report(OF_DIFFS(list, 1), NPART_FORMAT_JSON, NULL, sum_up, scene, error);
    npart_diff_free(diff);
    npart_record_free(record);
    return status;
}

static void test_allocation_failure__comparisons(void)
{
    static const struct tried_call call = {"comparison", PLAN, compare};
    static const char *const texts[] = {transformer, control_flow, quantized};
    for (size_t i = 0; i < 3; i++) {
        struct scene scene = {.printed = 0};
        bool is_wrong = false;
        scene_init(&scene, i != 1);
        scene.bytes = model_from_text(texts[i]);
        scene.planned = lists[0];
        forget_places();
        CHECK(fail_each(&scene, &call, &is_wrong) > 0 && !is_wrong);
        bytes_free(&scene.bytes);
    }
}

/* Short texts of getters need no memory; a long one says that there is none. */
static void test_allocation_failure__getters(void)
{
    struct scene scene = {.printed = 0};
    char text[200], shape[800] = "", lines[1400];
    counted_init(&scene.counted, true);
    for (size_t i = 0; i < 16; i++)
        (void)snprintf(shape + strlen(shape), sizeof shape - strlen(shape), "%sa_name_that_few_would_give_to_dim_%zu",
                       i ? "," : "", i);
    (void)snprintf(lines, sizeof lines, "input x float32[%s]\nnode y = Softmax(x)\nnode z = Unheard(y)\noutput z\n",
                   shape);
    scene.bytes = model_from_text(lines);
    scene.planned = lists[0];
    set_up(&scene, PLAN);
    struct npart_reason reason = {.size = sizeof reason};
    CHECK(npart_plan_reason(scene.plan, 0, 0, &reason, text, sizeof text));
    CHECK(reason.found_bytes > strlen(shape) && reason.found_bytes != SIZE_MAX && strlen(text) == sizeof text - 1);
    CHECK(npart_inference_type_text(scene.inference, 0, text, sizeof text) > strlen(shape));
    scene.counted.fail_at = 1;
    scene.counted.fails_on = true;
    scene.counted.calls = 0;
    CHECK_INT(npart_model_node_text(scene.model, 1, text, sizeof text), strlen("node 1 (Unheard)"));
    CHECK_TEXT(text, "node 1 (Unheard)");
    CHECK(npart_inference_type_text(scene.inference, 0, text, sizeof text) == SIZE_MAX);
    CHECK_TEXT(text, "");
    CHECK(npart_inference_dim_text(scene.inference, 0, 0, text, sizeof text) < sizeof text);
    CHECK_TEXT(text, "a_name_that_few_would_give_to_dim_0");
    memset(text, 'x', sizeof text);
    CHECK(npart_plan_reason(scene.plan, 0, 0, &reason, text, sizeof text));
    CHECK(reason.found_bytes == SIZE_MAX && *reason.rule_id && *reason.text);
    CHECK_TEXT(text, "");
    CHECK_INT(scene.counted.failures, 2);
    tear_down(&scene);
    CHECK_INT(scene.counted.live_blocks, 0);
    bytes_free(&scene.bytes);
}

/* An allocator that gives no block above a size: a list of initializers that needs more is an error, not a crash. */
static void test_allocation_failure__large_requests(void)
{
    struct scene scene = {.printed = 0};
    struct npart_error error;
    counted_init(&scene.counted, true);
    scene.bytes = model_from_text(transformer);
    unsigned failed = 0;
    for (size_t most = 64; most < 1 << 20; most *= 2) {
        scene.counted.most_bytes = most;
        struct npart_read_options options = NPART_READ_OPTIONS_INIT;
        options.allocator = &scene.counted.allocator;
        npart_status status =
            npart_model_read_memory(&scene.model, scene.bytes.data, scene.bytes.size, &options, &error);
        if (status == NPART_OK && (status = npart_inference_make(&scene.inference, scene.model, NULL, &error)) == 0)
            status = npart_plan_make(&scene.plan, scene.inference, lists[0], "hexagon:v73", NULL, &error);
        CHECK(status == NPART_OK || status == NPART_ERROR_MEMORY);
        failed += status != NPART_OK;
        tear_down(&scene);
        CHECK_INT(scene.counted.live_blocks, 0);
        set_up(&scene, NOTHING);
    }
    CHECK(failed > 3 && failed < 14);
    bytes_free(&scene.bytes);
}

static void open_lists(void)
{
    REQUIRE(npart_oplist_find(&lists[0], "hexagon", NULL, NULL) == NPART_OK);
    REQUIRE(npart_oplist_find(&lists[1], "intel-npu", NULL, NULL) == NPART_OK);
}

static void close_lists(void)
{
    npart_oplist_free(lists[0]);
    npart_oplist_free(lists[1]);
}

TESTS(open_lists, test_allocation_failure__models, test_allocation_failure__op_lists,
      test_allocation_failure__placements, test_allocation_failure__comparisons, test_allocation_failure__getters,
      test_allocation_failure__large_requests, close_lists)
