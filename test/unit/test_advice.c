/* SPDX-License-Identifier: Apache-2.0
 *
 * What to do about a plan: each action is held against a plan that was made as it says, and all voices tell the same.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <dirent.h>

#include "advice/table.h"
#include "api/api.h"
#include "support/analysis.h"
#include "support/model_text.h"
#include "support/test.h"

/* ---- the way --------------------------------------------------------------------------------------------------- */

static const char relu_alone[] = "format 1\ntarget t\nop Relu\n"
                                "op Softsign\n  refuse half: \"it must be small\"\n"
                                "op Sinh\n  refuse plain: \"it must be quantized\"\n"
                                "op Cosh\n  refuse int64-ends: \"it must be int32\"\n"
                                "op Asinh\n  refuse int64-begins: \"it must be int32\"\n";
/* Of three rows of the table, and without a rewrite to what is taken. */
static const char *const refused[] = {"Softsign", "Sinh", "Cosh", "Asinh"};

static uint32_t state;

static uint32_t random_below(uint32_t limit)
{
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % limit;
}

/* Relu between ops that the list lacks, in a tree. */
static void write_model(char *text, size_t bytes, uint32_t nodes)
{
    size_t used = (size_t)snprintf(text, bytes, "input x float32[2]\nnode v0 = Relu(x)\n");
    for (uint32_t i = 1; i < nodes; i++) {
        uint32_t from = random_below(3) ? i - 1 : random_below(i);
        used += (size_t)snprintf(text + used, bytes - used, "node v%u = %s(v%u)\noutput v%u\n", i,
                                 random_below(2) ? "Relu" : refused[random_below(4)], from, i);
    }
}

/* The op of the nodes that a cause affects: each cause here is one op that the list lacks. */
static const char *op_of_cause(const struct analysis *at, uint32_t cause)
{
    struct npart_node_plan plan = {.size = sizeof plan};
    struct npart_node node = {.size = sizeof node};
    for (uint32_t i = 0; npart_plan_node(at->plan, i, &plan); i++)
        if (plan.cause == cause && npart_model_node(at->model, i, &node))
            return node.op;
    return "";
}

/* What is left once all steps up to one are done, by a plan that takes their ops. */
static void check_after(const struct analysis *at, const npart_advice *advice, uint32_t step)
{
    struct npart_assumption assumptions[16];
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_cost cost = {.size = sizeof cost};
    struct npart_action action = {.size = sizeof action};
    npart_plan *plan = NULL;
    options.assumptions = assumptions;
    for (uint32_t i = 0; i <= step; i++) {
        CHECK(npart_advice_action(advice, i, &action));
        for (uint32_t k = 0; k < action.cause_count && options.assumption_count < 16; k++)
            assumptions[options.assumption_count++] =
                (struct npart_assumption){op_of_cause(at, action.causes[k]), NULL, true};
    }
    CHECK_INT(action.need_count, step);
    for (uint32_t i = 0; i < action.need_count; i++)
        CHECK_INT(action.needs[i], i);
    REQUIRE(npart_plan_make(&plan, at->inference, at->oplist, NULL, &options, NULL) == NPART_OK);
    npart_plan_summary(plan, &summary);
    npart_plan_cost(plan, &cost);
    CHECK_INT(action.after.partitions, summary.partitions);
    CHECK(action.after.coverage == summary.coverage);
    CHECK_INT(action.after.verdict, summary.verdict);
    CHECK(action.after.cost.typical_ms == cost.total.typical_ms);
    npart_plan_free(plan);
}

static void check_way(const struct analysis *at)
{
    struct npart_action action = {.size = sizeof action};
    struct npart_summary summary = {.size = sizeof summary};
    uint32_t told = 0, steps = 0;
    npart_plan_summary(at->plan, &summary);
    npart_advice *advice = advise(at->plan, NULL, NULL);
    for (; npart_advice_action(advice, steps, &action) && action.instead_of == NPART_NONE; steps++) {
        check_after(at, advice, steps);
        told += action.cause_count;
    }
    CHECK_INT(told, at->plan->plan.causes.items.count); /* each once, and nothing is left */
    CHECK(steps == 0 || action.after.verdict == NPART_PLAN_WHOLE || steps < told);
    CHECK((steps == 0) == (summary.accepted == summary.live));
    npart_advice_free(advice);
}

static void test_advice__each_step_is_what_a_plan_says(void)
{
    for (uint32_t seed = 1; seed <= 150; seed++) {
        char text[4000];
        struct analysis at;
        int before = test_failures;
        state = seed;
        write_model(text, sizeof text, 4 + random_below(24));
        analysis_open(&at, text, relu_alone, NULL, NULL);
        check_way(&at);
        analysis_close(&at);
        if (test_failures > before) {
            fprintf(stderr, "  seed %u\n%s", seed, text);
            return;
        }
    }
}

/* ---- kinds ----------------------------------------------------------------------------------------------------- */

/* The steps of the way, and what may take their places, as "dims opset | rewrite". */
static void list_kinds(const npart_advice *advice, char *out, size_t bytes)
{
    struct npart_action action = {.size = sizeof action};
    size_t used = 0;
    bool is_way = true;
    *out = '\0';
    for (uint32_t i = 0; npart_advice_action(advice, i, &action); i++) {
        used += (size_t)snprintf(out + used, bytes - used, "%s%s%s", i ? " " : "",
                                 is_way && action.instead_of != NPART_NONE ? "| " : "", action.kind);
        is_way = action.instead_of == NPART_NONE;
    }
}

static npart_plan *fix(const struct analysis *at, const char *target)
{
    npart_inference *inference = NULL;
    npart_plan *plan = NULL;
    REQUIRE(npart_inference_make_fixed(&inference, at->inference, NULL) == NPART_OK);
    if (inference)
        REQUIRE(npart_plan_make(&plan, inference, at->oplist, target, NULL, NULL) == NPART_OK);
    npart_inference_free(inference);
    return plan;
}

static const struct {
    const char *name, *target, *model, *kinds;
    const char *text;    /* an action's begins with it */
    const char *command; /* that action's; NULL: none */
    const char *last;    /* verdict after the last step */
} rows[] = {
    {"dims", "hexagon", "opset 17\ninput x float32[n,4]\nnode y = Relu(x)\noutput y\n", "dims", "Fix `n`", "--dim n=",
     "whole"},
    {"opset, where only the import changes", "hexagon",
     "opset 14\ninput a float32[1024,1024]\ninput b float32[1024,1024]\n"
     "node g = GreaterOrEqual(a, b)\nnode w = Where(g, a, b)\n"
     "node y = MatMul(w, w)\noutput y\n",
     "rewrite | opset", "Export with opset 16 or later, where only the opset import changes", NULL, "whole"},
    {"opset, where another op changes too", "hexagon",
     "opset 12\ninput a float32[1024,1024]\ninput b float32[1024,1024]\n"
     "node g = GreaterOrEqual(a, b)\nnode w = Where(g, a, b)\n"
     "node y = ReduceSum(w) axes=[1]\noutput y\n",
     "rewrite | opset", "Export with opset 16 or later: ", NULL, "whole"},
    {"opset, where an attribute gets another default", "hexagon",
     "opset 12\ninput a float32[1024,1024]\ninput b float32[1024,1024]\n"
     "node g = GreaterOrEqual(a, b)\nnode w = Where(g, a, b)\n"
     "node y = LogSoftmax(w) axis=1\nnode z = Gemm(y, b)\noutput z\n",
     "rewrite | opset", "Export with opset 16 or later: ", NULL, "whole"},
    {"opset, where all attributes keep their defaults", "hexagon",
     "opset 12\ninput a float32[1024,1024]\ninput b float32[1024,1024]\n"
     "node g = GreaterOrEqual(a, b)\nnode w = Where(g, a, b)\n"
     "node z = Gemm(w, b)\noutput z\n",
     "rewrite | opset", "Export with opset 16 or later, where only the opset import changes", NULL, "whole"},
    {"opset, where an attribute must be given before and after", "hexagon",
     "opset 12\ninput a float32[1024,1024]\ninput b float32[1024,1024]\n"
     "node g = GreaterOrEqual(a, b)\nnode w = Where(g, a, b)\n"
     "node y = Concat(w, w) axis=1\noutput y\n",
     "rewrite | opset", "Export with opset 16 or later, where only the opset import changes", NULL, "whole"},
    {"dims with opset", "hexagon",
     "opset 14\ninput a float32[n,1024]\ninput b float32[n,1024]\ninit m float32[1024,1024]\n"
     "node g = GreaterOrEqual(a, b)\nnode w = Where(g, a, b)\nnode y = MatMul(w, m)\noutput y\n",
     "rewrite | opset",
     "Export with opset 16 or later, where only the opset import changes: before it, ONNX infers no shape of "
     "GreaterOrEqual. Fix `n`", NULL, "whole"},
    {"rewrite, of what fails", "hexagon",
     "opset 18\ninput x float32[1,4,8]\ninit two float32[] = 2\ninit e float32[] = 0.00001\ninit w float32[8]\n"
     "init axes int64[1] = -1\nnode p = Pow(x, two)\nnode m = ReduceMean(p, axes)\nnode a = Add(m, e)\n"
     "node s = Sqrt(a)\nnode r = Reciprocal(s)\nnode h = Mul(x, r)\nnode y = Mul(w, h)\noutput y\n",
     "rewrite | exporter", "Rewrite the model (mul-order)", NULL, "whole"},
    {"exporter", "hexagon",
     "opset 17\nopset com.microsoft 1\ninput x float32[1,4,8]\ninit b float32[8]\nnode a = Relu(x)\n"
     "node g = com.microsoft:BiasGelu(a, b)\nnode y = Relu(g)\noutput y\n",
     "rewrite | exporter", "Export without ONNX Runtime's level 2 optimizer: BiasGelu", NULL, "whole"},
    {"an If by an input", "hexagon",
     "opset 17\ninput c bool[]\ninput x float32[1,4]\nnode a = Relu(x)\n"
     "graph yes\nnode t = Relu(a)\noutput t float32[1,4]\nend\n"
     "graph no\nnode f = Neg(a)\noutput f float32[1,4]\nend\n"
     "node i = If(c) then_branch=graph yes else_branch=graph no\noutput i\n",
     "rewrite", "Rewrite the model (if-where)", NULL, "whole"},
    {"an If by what is computed from the data", "hexagon",
     "opset 17\ninput x float32[1,4]\ninit zero float32[] = 0\nnode m = ReduceMean(x) keepdims=0\n"
     "node c = Greater(m, zero)\n"
     "graph yes\nnode t = Relu(x)\noutput t float32[1,4]\nend\n"
     "graph no\nnode f = Neg(x)\noutput f float32[1,4]\nend\n"
     "node i = If(c) then_branch=graph yes else_branch=graph no\noutput i\n",
     "rewrite", "Rewrite the model (if-where)", NULL, "whole"},
    {"quantize", "edgetpu",
     "opset 17\ninput x float32[1,64,112,112]\ninit w float32[64,64,3,3]\nnode y = Conv(x, w)\noutput y\n", "quantize",
     "Quantize the model to INT8", "-t edgetpu:pcie+quantize", "whole"},
    {"quantize, which the chip asks for though a model so small is as fast without it", "rknn:rv1106",
     "opset 17\ninput x float32[1,3,32,32]\ninit w float32[8,3,3,3]\nnode y = Conv(x, w)\noutput y\n", "quantize",
     "Quantize the model to INT8", "-t rknn:rv1106+quantize", "whole"},
    {"a rewrite before it is quantized", "neutron",
     "opset 17\ninput x float32[1,64,112,112]\ninit w float32[64,64,3,3]\nnode c = Conv(x, w)\n"
     "node h = HardSigmoid(c)\nnode y = Conv(h, w)\noutput y\n",
     "quantize rewrite", "Rewrite the model before it is quantized (hardsigmoid", "-t neutron:imxrt700+quantize",
     "whole"},
    {"sizes before it is quantized, and no rewrite", "neutron",
     "opset 17\ninput x float32[n,64,112,112]\ninit w float32[64,64,3,3]\nnode y = Conv(x, w)\noutput y\n",
     "quantize", "Quantize the model to INT8", "-t neutron:imxrt700+quantize", "whole"},
    {"variant", "hexagon:v68",
     "opset 17\ninput x float32[1024,1024]\nnode y = MatMul(x, x)\noutput y\n", "variant | quantize",
     "Choose a chip that takes it: v69", "-t hexagon:v69", "whole"},
    {"switch", "intel-npu",
     "opset 18\ninput x float32[1,3,8,8]\nnode a = Relu(x)\nnode b = LpPool(a) kernel_shape=[2,2]\nnode c = Relu(b)\n"
     "node y = Abs(c)\noutput y\n",
     "switch", "Compile with OpenVINO itself", "-t intel-npu:4000+openvino", "whole"},
    {"release, and not an older opset", "hexagon@2.6.0",
     "opset 23\ninput x float32[1,4,8,16]\ninit cos float32[1,8,8]\ninit sin float32[1,8,8]\nnode a = Relu(x)\n"
     "node b = RotaryEmbedding(a, cos, sin)\nnode c = Softmax(b)\noutput c\n",
     "release | exporter", "Use onnxruntime-qnn 2.7.0, which takes RotaryEmbedding", "-t hexagon:v73", "whole"},
    {"the first release that takes as much", "hexagon@2.4.0",
     "opset 24\ninput k float32[1,8,64]\nnode a = Relu(k)\n"
     "node b = Attention(a, a, a) q_num_heads=4 kv_num_heads=4\nnode c = Relu(b)\noutput c\n",
     "release | exporter", "Use onnxruntime-qnn 2.6.0, which takes Attention", "-t hexagon:v73@2.6.0", "whole"},
    {"option", "hexagon",
     "opset 17\ninput x float32[4,4]\ninit s float32[] = 0.1\ninit z uint8[] = 128\nnode q = QuantizeLinear(x, s, z)\n"
     "node d = DequantizeLinear(q, s, z)\nnode r = Relu(d)\nnode e = QuantizeLinear(r, s, z)\n"
     "node y = DequantizeLinear(e, s, z)\noutput y\n",
     "option", "Set the provider option offload_graph_io_quantization=0", NULL, "whole"},
    {"what is before most of the work is the host's", "hexagon",
     "opset 17\ninput x float32[4,4]\ninit w float32[4,4]\nnode a = Relu(x)\nnode n = NonZero(a)\n"
     "node m = ReduceMax(n) keepdims=0\nnode c = Cast(m) to=1\nnode s = Mul(a, c)\nnode y = MatMul(s, w)\noutput y\n",
     "begin | exporter", "Begin the model at ", NULL, "whole"},
    {"nothing is known", "hexagon", "opset 17\ninput x float32[4,4]\nnode a = Relu(x)\nnode d = Det(a)\noutput d\n", "",
     NULL, NULL, NULL},
    {"nothing to do", "hexagon", "opset 17\ninput x float32[4,4]\nnode y = Relu(x)\noutput y\n", "", NULL, NULL, NULL},
};

static void check_row(size_t i)
{
    struct npart_action action = {.size = sizeof action};
    struct analysis at = {0};
    struct npart_error error;
    char kinds[200];
    at.model = read_text(rows[i].model);
    REQUIRE(npart_inference_make(&at.inference, at.model, NULL, &error) == NPART_OK);
    REQUIRE(npart_oplist_find(&at.oplist, rows[i].target, NULL, &error) == NPART_OK);
    REQUIRE(npart_plan_make(&at.plan, at.inference, at.oplist, rows[i].target, NULL, &error) == NPART_OK);
    npart_plan *fixed = fix(&at, rows[i].target);
    npart_advice *advice = advise(at.plan, fixed, rows[i].target);
    list_kinds(advice, kinds, sizeof kinds);
    CHECK_TEXT(kinds, rows[i].kinds);
    if (rows[i].text) {
        uint32_t at_text = 0;
        while (npart_advice_action(advice, at_text, &action) &&
               strncmp(action.text, rows[i].text, strlen(rows[i].text)) != 0)
            at_text++;
        CHECK_TEXT(npart_advice_action(advice, at_text, &action) ? rows[i].text : "", rows[i].text);
        CHECK(!action.command == !rows[i].command);
        if (action.command && rows[i].command)
            CHECK(strncmp(action.command, rows[i].command, strlen(rows[i].command)) == 0);
    }
    for (uint32_t k = 0; npart_advice_action(advice, k, &action) && action.instead_of == NPART_NONE; k++)
        continue;
    uint32_t steps = 0;
    while (npart_advice_action(advice, steps, &action) && action.instead_of == NPART_NONE)
        steps++;
    if (steps && npart_advice_action(advice, steps - 1, &action))
        CHECK_TEXT(npart_plan_verdict_text(action.after.verdict), rows[i].last);
    npart_advice_free(advice);
    npart_plan_free(fixed);
    analysis_close(&at);
}

static void test_advice__each_kind(void)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        int before = test_failures;
        check_row(i);
        if (test_failures > before)
            fprintf(stderr, "  %s\n", rows[i].name);
    }
}

/* Without a search nothing is said of rewrites but that, and only where something is left. */
static void check_unsearched(const char *model, bool is_kept, const char *text)
{
    struct npart_action action = {.size = sizeof action};
    struct analysis at;
    npart_advice *advice = NULL;
    uint32_t count = 0;
    analysis_open(&at, model, NULL, "hexagon", NULL);
    if (!is_kept)
        at.model->skeleton.data = NULL; /* as of a model in memory that is too large */
    REQUIRE(npart_advice_make(&advice, at.plan, NULL, NULL, 0, NULL) == NPART_OK);
    while (npart_advice_action(advice, count, &action))
        count++;
    CHECK_INT(count, text != NULL);
    if (count && text) {
        CHECK_TEXT(action.kind, "none");
        CHECK_TEXT(action.text, text);
        CHECK(!action.run && !*action.rewrites && action.pays == NPART_PAYS_NOTHING);
    }
    npart_advice_free(advice);
    analysis_close(&at);
}

static void test_advice__says_that_nobody_looked(void)
{
    static const char left[] = "opset 17\ninput x float32[4,4]\nnode a = Relu(x)\nnode d = Det(a)\noutput d\n";
    check_unsearched(left, true, "Run `npu-partition fix` to look for rewrites: none were tried");
    check_unsearched(left, false, "Give the model as a file to look for rewrites: none were tried");
    check_unsearched("opset 17\ninput x float32[4,4]\nnode y = Relu(x)\noutput y\n", true, NULL);
}

/* Without ending the model, which is advised in the place of a cut: as for a caller that does not know of it. */
static npart_advice *advise_whole(const npart_plan *plan)
{
    struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    npart_fix *fixes[NPART_MOST_PROPOSALS] = {NULL};
    npart_advice *advice = NULL;
    uint32_t count = 0;
    options.version = 5;
    REQUIRE(npart_fix_propose(fixes, &count, NULL, plan, NULL, NULL, &options, NULL) == NPART_OK);
    REQUIRE(npart_advice_make(&advice, plan, NULL, (const npart_fix *const *)fixes, count, NULL) == NPART_OK);
    for (uint32_t i = 0; i < count; i++)
        npart_fix_free(fixes[i]);
    return advice;
}

static const char cut_ops[] = "format 1\ntarget t\nop Relu\nop MatMul\nop Add\n";

/* Whether there is a cut at so many tensors. */
static void check_cut(uint32_t tensors, bool is_there)
{
    char text[4000], found[200];
    struct analysis at;
    size_t used = (size_t)snprintf(text, sizeof text, "opset 18\ninput x float32[4,4]\ninit w float32[4,4]\n");
    for (uint32_t i = 0; i < tensors; i++)
        used += (size_t)snprintf(text + used, sizeof text - used,
                                 "node v%u = MatMul(x, w)\nnode e%u = Softsign(v%u)\nnode f%u = Relu(e%u)\n"
                                 "output f%u\n",
                                 i, i, i, i, i, i);
    analysis_open(&at, text, cut_ops, NULL, NULL);
    npart_advice *advice = advise_whole(at.plan);
    list_kinds(advice, found, sizeof found);
    CHECK((strstr(found, "cut") != NULL) == is_there);
    npart_advice_free(advice);
    analysis_close(&at);
}

static void test_advice__cuts_are_of_few_tensors(void)
{
    check_cut(NPART__LIMIT_CUT_TENSORS, true);
    check_cut(NPART__LIMIT_CUT_TENSORS + 1, false);
}

/* Round all that falls back, whatever the causes are. */
static const struct {
    const char *model, *text; /* NULL: there is no such cut */
} cuts[] = {
    {"node a = MatMul(x, w)\nnode b = Softsign(a)\nnode c = Relu(b)\nnode d = Sinh(c)\nnode e = Relu(d)\noutput e\n",
     "Cut after `a` (64 B), and run the rest on the CPU"},
    {"node p = Relu(x)\nnode q = Softsign(p)\nnode a = MatMul(q, w)\noutput a\n",
     "Cut after `q` (64 B), and run what makes it on the CPU"},
    {"node p = Relu(x)\nnode q = Softsign(p)\nnode a = MatMul(q, w)\nnode b = Softsign(a)\nnode c = Relu(b)\n"
     "output c\n",
     "Cut after `q`, and after `a` (128 B), and run only what is between on the NPU"},
    /* What falls back and needs nothing of the NPU's work can wait. */
    {"node a = MatMul(x, w)\nnode p = Softsign(x)\nnode b = Sinh(a)\nnode c = Relu(b)\n"
     "node d = Add(p, c)\noutput d\n",
     "Cut after `a` (64 B), and run the rest on the CPU"},
    /* Nine tensors would cross, of which one is made. */
    {"node a = MatMul(x, w)\nnode r1 = Relu(a)\nnode r2 = Relu(a)\nnode r3 = Relu(a)\nnode r4 = Relu(a)\n"
     "node r5 = Relu(a)\nnode r6 = Relu(a)\nnode r7 = Relu(a)\nnode r8 = Relu(a)\nnode r9 = Relu(a)\n"
     "node m = Max(r1, r2, r3, r4, r5, r6, r7, r8, r9)\nnode e = Relu(m)\noutput e\n",
     "Cut after `a` (64 B), and run the rest on the CPU"},
    /* Too much of the work is after it. */
    {"node a = MatMul(x, w)\nnode b = Softsign(a)\nnode c = MatMul(b, w)\noutput c\n", NULL},
};

static void check_cut_points(size_t row)
{
    struct npart_action action = {.size = sizeof action};
    struct analysis at;
    char text[2000];
    const char *found = NULL;
    (void)snprintf(text, sizeof text, "opset 18\ninput x float32[4,4]\ninit w float32[4,4]\n%s", cuts[row].model);
    analysis_open(&at, text, cut_ops, NULL, NULL);
    npart_advice *advice = advise_whole(at.plan);
    for (uint32_t i = 0; !found && npart_advice_action(advice, i, &action); i++)
        if (strcmp(action.kind, "cut") == 0)
            found = action.text;
    CHECK_TEXT(found ? found : "", cuts[row].text ? cuts[row].text : "");
    if (found) {
        CHECK_INT(action.after.partitions, 1);
        CHECK(action.after.mac_coverage == 1);
        CHECK(action.cause_count > 0);
    }
    npart_advice_free(advice);
    analysis_close(&at);
}

static void test_advice__cut_points_keep_the_work_in_one_partition(void)
{
    for (size_t i = 0; i < sizeof cuts / sizeof cuts[0]; i++)
        check_cut_points(i);
}

/* ---- one table ------------------------------------------------------------------------------------------------- */

static void test_advice__the_table_is_well_formed(void)
{
    static const char *const known[] = {"ops", "at", "rule", "advice", "opset", "only", "variant",
                                        "format", "tensors", "cuts", "target", "release"};
    static const char equalities[] = "bits bits-if ulp step approx other";
    for (uint32_t i = 0; i < npart__row_count; i++) {
        const struct npart__row *row = &npart__rows[i];
        bool is_last = i == npart__row_count - 1; /* it is never told */
        CHECK(is_last ? !*row->text : row->text[0] == '{' || (row->text[0] >= 'A' && row->text[0] <= 'Z'));
        CHECK(!*row->equality || npart__lists_word(equalities, row->equality));
        CHECK((row->kind == NPART__KIND_NONE) == is_last);
        CHECK((row->trial == NPART__TRY_NOTHING) == is_last);
        for (const char *at = strchr(row->text, '{'); at; at = strchr(at + 1, '{')) {
            bool is_known = false;
            for (size_t k = 0; k < sizeof known / sizeof known[0]; k++)
                is_known |= strncmp(at + 1, known[k], strlen(known[k])) == 0 && at[1 + strlen(known[k])] == '}';
            CHECK(is_known);
        }
    }
}

/* ---- all voices ------------------------------------------------------------------------------------------------ */

/* Text without the line breaks of a report, and without what goes on a command in the next line. */
static void join_lines(char *text)
{
    char *to = text;
    for (const char *from = text; *from; from++) {
        if (*from == '\\' && from[1] == '\n')
            continue;
        if (*from != '\n' && !(*from == ' ' && to > text && to[-1] == ' '))
            *to++ = *from;
        else if (to > text && to[-1] != ' ')
            *to++ = ' ';
    }
    *to = '\0';
}

/* What may take a step's place, and is the next one but for what is done already. */
static bool is_next(const npart_advice *advice, const struct npart_action *other)
{
    struct npart_action next = {.size = sizeof next};
    return other->instead_of != NPART_NONE && npart_advice_action(advice, other->instead_of + 1, &next) &&
           next.instead_of == NPART_NONE && strncmp(other->text, next.text, strlen(next.text)) == 0;
}

/* Text, JSON and the interface tell the same actions, with the same numbers, for the same causes. */
static void check_voices(const char *path, const char *target)
{
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    struct npart_action action = {.size = sizeof action};
    struct analysis at = {0};
    options.is_verbose = true;
    REQUIRE(npart_model_read_file(&at.model, path, NULL, NULL) == NPART_OK);
    REQUIRE(npart_inference_make(&at.inference, at.model, NULL, NULL) == NPART_OK);
    REQUIRE(npart_oplist_find(&at.oplist, target, NULL, NULL) == NPART_OK);
    REQUIRE(npart_plan_make(&at.plan, at.inference, at.oplist, target, NULL, NULL) == NPART_OK);
    npart_plan *fixed = fix(&at, target);
    npart_advice *advice = advise(at.plan, fixed, NULL); /* as the reports below */
    char *json = json_of(at.plan, fixed), *text = text_of(at.plan, fixed, &options);
    join_lines(text);
    for (uint32_t i = 0; npart_advice_action(advice, i, &action); i++) {
        char wanted[2000];
        (void)snprintf(wanted, sizeof wanted, "{\"id\":\"a%u\",\"action\":\"%s\",\"text\":", i + 1, action.kind);
        CHECK(strstr(json, wanted));
        (void)snprintf(wanted, sizeof wanted, "\"after\":{\"partitions\":%u,", action.after.partitions);
        CHECK(strstr(json, wanted));
        if (action.run) { /* its line stands for the text; what takes its place only where it is better */
            char run[2000] = "";
            for (uint32_t k = 0; k < action.run_count; k++)
                (void)snprintf(run + strlen(run), sizeof run - strlen(run), "%s%s", k ? " " : "", action.run[k]);
            CHECK(action.instead_of != NPART_NONE || strstr(text, run));
            continue;
        }
        CHECK(strstr(text, action.text) || is_next(advice, &action));
        /* A target that the text names is not told again. */
        bool is_target = action.command && strncmp(action.command, "-t ", 3) == 0;
        CHECK(!action.command || strstr(text, action.command + (is_target ? 3 : 0)));
    }
    free(json);
    free(text);
    npart_advice_free(advice);
    npart_plan_free(fixed);
    analysis_close(&at);
}

static void test_advice__all_voices_tell_the_same(void)
{
    static const char *const targets[] = {"hexagon", "intel-npu", "edgetpu", "nnapi", "xdna"};
    DIR *folder = opendir("fixtures");
    REQUIRE(folder);
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        size_t length = strlen(entry->d_name);
        for (size_t k = 0; k < sizeof targets / sizeof targets[0]; k++) {
            char path[300];
            int before = test_failures;
            if (length < 5 || strcmp(entry->d_name + length - 5, ".onnx") != 0)
                continue;
            (void)snprintf(path, sizeof path, "fixtures/%s", entry->d_name);
            check_voices(path, targets[k]);
            if (test_failures > before)
                fprintf(stderr, "  %s, %s\n", path, targets[k]);
        }
    }
    closedir(folder);
}

TESTS(test_advice__each_step_is_what_a_plan_says, test_advice__each_kind,
      test_advice__says_that_nobody_looked, test_advice__cuts_are_of_few_tensors,
      test_advice__cut_points_keep_the_work_in_one_partition, test_advice__the_table_is_well_formed,
      test_advice__all_voices_tell_the_same)
