/* SPDX-License-Identifier: Apache-2.0
 *
 * Every allocation fails once: the call that needed it says so, leaves its results alone, gives back what it took, and
 * works when tried again. Allocations that the same functions ask for count as one. In the debug build (and under
 * address sanitizer) every request of an arena reaches the allocator; otherwise those do that begin a block.
 */
#include "npu_partition.h"
#include "support/counted.h"
#include "support/model_text.h"
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
    const char *text, *dim; /* NULL: none is dynamic */
} models[] = {
    {transformer, "batch"}, {control_flow, "n"}, {quantized, NULL},
    {symbolic, "height"},   {functions, NULL},   {moved, "N"},
};
#define MODELS (sizeof models / sizeof models[0])

/* ---- one call and what it stands on --------------------------------------------------------------------------- */

enum stage { NOTHING, MODEL, INFERENCE, PLAN };

struct scene {
    struct counted counted;
    struct bytes bytes;
    const char *dim;
    npart_model *model;
    npart_inference *inference, *fixed;
    npart_oplist *oplist;
    npart_plan *plan;
    uint64_t printed; /* a sum over what was written */
};

static npart_oplist *shared_hexagon, *shared_intel; /* whose memory is not counted */

static bool sum_up(void *payload, const char *text, size_t bytes)
{
    struct scene *scene = payload;
    for (size_t i = 0; i < bytes; i++)
        scene->printed = (scene->printed ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return true;
}

static void set_up(struct scene *scene, enum stage stage)
{
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    options.allocator = &scene->counted.allocator;
    scene->model = NULL;
    scene->inference = scene->fixed = NULL;
    scene->oplist = NULL;
    scene->plan = NULL;
    if (stage >= MODEL)
        REQUIRE(npart_model_read_memory(&scene->model, scene->bytes.data, scene->bytes.size, &options, NULL) == 0);
    if (stage >= INFERENCE)
        REQUIRE(npart_inference_make(&scene->inference, scene->model, NULL, NULL) == NPART_OK);
    if (stage >= PLAN)
        REQUIRE(npart_plan_make(&scene->plan, scene->inference, shared_hexagon, NULL, NULL, NULL) == NPART_OK);
}

static void tear_down(struct scene *scene)
{
    npart_plan_free(scene->plan);
    npart_oplist_free(scene->oplist);
    npart_inference_free(scene->fixed);
    npart_inference_free(scene->inference);
    npart_model_free(scene->model);
}

/* ---- the calls --------------------------------------------------------------------------------------------------- */

static npart_status read_memory(struct scene *scene, struct npart_error *error)
{
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    options.allocator = &scene->counted.allocator;
    options.name = "a name";
    return npart_model_read_memory(&scene->model, scene->bytes.data, scene->bytes.size, &options, error);
}

struct stream {
    const struct bytes *bytes;
    size_t at;
};

static ptrdiff_t read_some(void *payload, void *into, size_t bytes)
{
    struct stream *stream = payload;
    size_t rest = stream->bytes->size - stream->at, got = rest < bytes ? rest : bytes;
    got = got > 700 ? 700 : got;
    if (got)
        memcpy(into, stream->bytes->data + stream->at, got);
    stream->at += got;
    return (ptrdiff_t)got;
}

static npart_status read_stream(struct scene *scene, struct npart_error *error)
{
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    struct stream stream = {&scene->bytes, 0};
    options.allocator = &scene->counted.allocator;
    return npart_model_read_stream(&scene->model, read_some, &stream, &options, error);
}

static npart_status infer(struct scene *scene, struct npart_error *error)
{
    return npart_inference_make(&scene->inference, scene->model, NULL, error);
}

static npart_status infer_limited(struct scene *scene, struct npart_error *error)
{
    struct npart_inference_options options = NPART_INFERENCE_OPTIONS_INIT;
    const struct npart_dim_binding dim = {.name = scene->dim, .size = 64, .is_limit = true};
    options.dims = &dim;
    options.dim_count = scene->dim ? 1 : 0;
    options.ignore_value_info = true;
    return npart_inference_make(&scene->inference, scene->model, &options, error);
}

static npart_status infer_fixed(struct scene *scene, struct npart_error *error)
{
    return npart_inference_make_fixed(&scene->fixed, scene->inference, error);
}

static npart_status write_shapes(struct scene *scene, struct npart_error *error)
{
    return npart_report_shapes(scene->inference, sum_up, scene, error);
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

static npart_status plan(struct scene *scene, struct npart_error *error)
{
    return npart_plan_make(&scene->plan, scene->inference, shared_hexagon, "hexagon:v73", NULL, error);
}

static npart_status plan_runs(struct scene *scene, struct npart_error *error)
{
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    options.partitioner = "runs";
    options.level = NPART_LEVEL_OFF;
    return npart_plan_make(&scene->plan, scene->inference, shared_hexagon, NULL, &options, error);
}

static npart_status plan_intel(struct scene *scene, struct npart_error *error)
{
    return npart_plan_make(&scene->plan, scene->inference, shared_intel, NULL, NULL, error);
}

static npart_status plan_wishes(struct scene *scene, struct npart_error *error)
{
    static const struct npart_assumption assumptions[] = {{.op = "Relu", .on_npu = false},
                                                          {.op = "Add", .on_npu = true}};
    static const char *const cuts[] = {"r"};
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    options.assumptions = assumptions;
    options.assumption_count = 2;
    options.cuts = cuts;
    options.cut_count = scene->dim && strcmp(scene->dim, "n") == 0 ? 0 : 1; /* every model but one has an r */
    return npart_plan_make(&scene->plan, scene->inference, shared_hexagon, NULL, &options, error);
}

/* Freed at once: what is tried is that it fails well, and costs nothing when it does. */
static npart_status advise(struct scene *scene, struct npart_error *error)
{
    npart_advice *advice = NULL;
    npart_status status = npart_advice_make(&advice, scene->plan, NULL, error);
    npart_advice_free(advice);
    return status;
}

static npart_status explain(struct scene *scene, struct npart_error *error)
{
    struct npart_plan_pair pair = {scene->plan, NULL, NULL};
    return npart_report_explain(&pair, 1, "0", NULL, sum_up, scene, error);
}

static npart_status report_json(struct scene *scene, struct npart_error *error)
{
    struct npart_plan_pair pair = {scene->plan, NULL, NULL};
    return npart_report_json(&pair, 1, NULL, sum_up, scene, error);
}

static npart_status report_text(struct scene *scene, struct npart_error *error)
{
    struct npart_plan_pair pair = {scene->plan, scene->plan, NULL};
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    options.is_verbose = true;
    return npart_report_text(&pair, 1, &options, sum_up, scene, error);
}

/* ---- each fails ------------------------------------------------------------------------------------------------ */

/* Of a call's allocations the first of each place is tried. */
#define MOST_ALLOCATIONS 400000u
static uint64_t places[MOST_ALLOCATIONS];

static int compare_places(const void *a, const void *b)
{
    uint64_t left = places[*(const size_t *)a], right = places[*(const size_t *)b];
    size_t i = *(const size_t *)a, k = *(const size_t *)b;
    return left != right ? (left < right ? -1 : 1) : (i > k) - (i < k);
}

/* Numbers of calls, from 1; returns how many. They are the caller's to free. */
static size_t first_of_each_place(size_t total, size_t **out)
{
    size_t count = 0, *calls = malloc((total + 1) * sizeof *calls);
    REQUIRE(calls && total <= MOST_ALLOCATIONS);
    for (size_t i = 0; i < total; i++)
        calls[i] = i;
    qsort(calls, total, sizeof *calls, compare_places);
    for (size_t i = 0, before = total; i < total; i++) {
        size_t here = calls[i];
        if (before == total || places[here] != places[before])
            calls[count++] = here + 1;
        before = here;
    }
    *out = calls;
    return count;
}

typedef npart_status (*call)(struct scene *scene, struct npart_error *error);

/* Runs it with allocation `fail_at` failing (0: none); what it printed, in scene->printed. */
static npart_status run_once(struct scene *scene, enum stage stage, call function, size_t fail_at, bool fails_on,
                             struct npart_error *error)
{
    scene->counted.fail_at = 0;
    set_up(scene, stage);
    npart_model *model = scene->model;
    npart_inference *inference = scene->inference;
    npart_plan *made = scene->plan;
    scene->printed = 1;
    scene->counted.calls = scene->counted.failures = 0;
    scene->counted.place_room = fail_at ? 0 : MOST_ALLOCATIONS;
    scene->counted.fail_at = fail_at;
    scene->counted.fails_on = fails_on;
    npart_status status = function(scene, error);
    scene->counted.fail_at = 0;
    if (status != NPART_OK) { /* results are left alone */
        CHECK(scene->model == model && scene->inference == inference && scene->plan == made);
        CHECK(!scene->fixed && !scene->oplist);
    }
    return status;
}

static void fail_each(struct scene *scene, enum stage stage, call function, const char *name)
{
    struct npart_error error;
    int before = test_failures;
    scene->counted.places = places;
    CHECK_INT(run_once(scene, stage, function, 0, false, &error), NPART_OK);
    size_t *calls, count = first_of_each_place(scene->counted.calls, &calls);
    uint64_t printed = scene->printed;
    tear_down(scene);
    CHECK_INT(scene->counted.live_blocks, 0);
    for (size_t k = 0; k < count && test_failures == before; k++) {
        memset(&error, 0, sizeof error);
        npart_status status = run_once(scene, stage, function, calls[k], k % 2, &error);
        CHECK(scene->counted.failures > 0);
        CHECK_INT(status, NPART_ERROR_MEMORY);
        CHECK_INT(error.status, NPART_ERROR_MEMORY);
        CHECK_TEXT(error.message, "out of memory");
        scene->printed = 1; /* nothing is broken for a second try */
        if (status != NPART_OK)
            CHECK_INT(function(scene, &error), NPART_OK);
        CHECK(scene->printed == printed);
        tear_down(scene);
        CHECK_INT(scene->counted.live_blocks, 0);
        CHECK_INT(scene->counted.live_bytes, 0);
        if (test_failures > before)
            fprintf(stderr, "  %s, allocation %zu\n", name, calls[k]);
    }
    free(calls);
}

static void fail_each_of(bool resizes, enum stage stage, call function, const char *name)
{
    for (size_t i = 0; i < MODELS; i++) {
        struct scene scene = {.printed = 0};
        char label[64];
        (void)snprintf(label, sizeof label, "%s, model %zu", name, i);
        counted_init(&scene.counted, resizes);
        scene.counted.shifts = !resizes;
        scene.bytes = model_from_text(models[i].text);
        scene.dim = models[i].dim;
        fail_each(&scene, stage, function, label);
        bytes_free(&scene.bytes);
        CHECK_INT(scene.counted.live_blocks, 0);
    }
}

static void test_allocation_failure__models(void)
{
    fail_each_of(true, NOTHING, read_memory, "from memory");
    fail_each_of(false, NOTHING, read_stream, "from a stream");
}

static void test_allocation_failure__inferences(void)
{
    fail_each_of(true, MODEL, infer, "inference");
    fail_each_of(false, INFERENCE, infer_fixed, "inference with sizes");
    fail_each_of(true, MODEL, infer_limited, "inference with limits");
    fail_each_of(true, INFERENCE, write_shapes, "shapes");
}

static void test_allocation_failure__op_lists(void)
{
    struct scene scene = {.printed = 0};
    counted_init(&scene.counted, true);
    fail_each(&scene, NOTHING, find_hexagon, "hexagon");
    fail_each(&scene, NOTHING, read_small_list, "a small list");
}

static void test_allocation_failure__plans(void)
{
    fail_each_of(true, INFERENCE, plan, "plan");
    fail_each_of(false, INFERENCE, plan_runs, "plan by runs");
    fail_each_of(false, INFERENCE, plan_intel, "plan for another target");
    fail_each_of(true, INFERENCE, plan_wishes, "plan with assumptions and cuts");
    fail_each_of(true, PLAN, advise, "advice");
}

static void test_allocation_failure__reports(void)
{
    fail_each_of(true, PLAN, report_json, "JSON");
    fail_each_of(true, PLAN, report_text, "text");
    fail_each_of(true, PLAN, explain, "explanation");
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
        npart_status status = read_memory(&scene, &error);
        if (status == NPART_OK && (status = infer(&scene, &error)) == NPART_OK)
            status = plan(&scene, &error);
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
    REQUIRE(npart_oplist_find(&shared_hexagon, "hexagon", NULL, NULL) == NPART_OK);
    REQUIRE(npart_oplist_find(&shared_intel, "intel-npu", NULL, NULL) == NPART_OK);
}

static void close_lists(void)
{
    npart_oplist_free(shared_hexagon);
    npart_oplist_free(shared_intel);
}

TESTS(open_lists, test_allocation_failure__models, test_allocation_failure__inferences,
      test_allocation_failure__op_lists, test_allocation_failure__plans, test_allocation_failure__reports,
      test_allocation_failure__getters, test_allocation_failure__large_requests, close_lists)
