/* SPDX-License-Identifier: Apache-2.0
 *
 * What a user chooses, a line each, its first character says what: d NAME=SIZE or NAME=..SIZE, i NAME=1x2x3,
 * t TARGET, p PARTITIONER, g GATES, l (level off), v (no declared shapes), a OP=1 or OP=0, n NODE=1, c NAME (a cut),
 * e NODE (explain), o OP (describe), w WIDTH. For a model with symbolic dims, expressions of them, bodies and a
 * function.
 */
#include "fuzz/fuzz.h"
#include "support/model_text.h"
#include "support/subjects.h"

#define MOST 24u

static const char model_lines[] =
    "opset 17\n"
    "opset com.microsoft 1\n"
    "opset my 1\n"
    "input x float32[batch,3,height,width]\n"
    "input ids int64[batch,sequence]\n"
    "input past float32[batch,2,past_sequence,8]\n"
    "input mask int64[batch,past_sequence + sequence]\n"
    "input open float32[?,?]\n"
    "input unshaped float32\n"
    "input flag bool[]\n"
    "init w float32[4,3,3,3]\n"
    "init table float32[100,16]\n"
    "init two int64[2] = 0 -1\n"
    "init axis int64[1] = 1\n"
    "value declared float32[batch,n*2]\n"
    "graph yes\n"
    "node t = Relu(open)\n"
    "output t\n"
    "end\n"
    "graph no\n"
    "node e = Neg(open)\n"
    "output e\n"
    "end\n"
    "function my:F(a) -> (b) k\n"
    "opset 17\n"
    "node b = LeakyRelu(a) alpha=0.5\n"
    "end\n"
    "node c = Conv(x, w) pads=[1,1,1,1] strides=[2,2] @conv\n"
    "node r = Reshape(c, two) @reshape\n"
    "node g = Gather(table, ids) @gather\n"
    "node s = Shape(g)\n"
    "node z = ConstantOfShape(s)\n"
    "node k = Add(g, z) @add\n"
    "node p = Concat(past, past) axis=2\n"
    "node m = Cast(mask) to=1\n"
    "node f = my:F(m) k=2 @call\n"
    "node i = If(flag) then_branch=graph yes else_branch=graph no @if\n"
    "node q = Squeeze(open, axis)\n"
    "node declared = Erf(unshaped)\n"
    "node y = com.microsoft:Gelu(k)\n"
    "output r\n"
    "output y\n"
    "output p\n"
    "output f\n"
    "output i\n"
    "output q\n"
    "output declared\n";

struct wanted {
    struct npart_dim_binding dims[MOST];
    struct npart_input_shape inputs[MOST];
    int64_t input_dims[MOST][MOST];
    struct npart_assumption assumptions[MOST];
    const char *cuts[MOST];
    const char *target, *explain, *describe;
    struct npart_inference_options sizes;
    struct npart_plan_options plan;
    struct npart_report_options report;
};

/* Digits with a sign, as far as they fit. */
static int64_t number_of(const char *text)
{
    return strtoll(text, NULL, 10);
}

static void take_line(struct wanted *wanted, char *line)
{
    char *text = line + 1, *equals = strrchr(text, '=');
    const char *value = equals ? equals + 1 : "";
    switch (*line) {
    case 'd':
        if (!equals || wanted->sizes.dim_count == MOST)
            return;
        *equals = '\0';
        bool is_limit = strncmp(value, "..", 2) == 0;
        wanted->dims[wanted->sizes.dim_count++] = (struct npart_dim_binding){
            .name = text, .size = number_of(value + (is_limit ? 2 : 0)), .is_limit = is_limit};
        return;
    case 'i':
        if (!equals || wanted->sizes.input_count == MOST)
            return;
        *equals = '\0';
        struct npart_input_shape *shape = &wanted->inputs[wanted->sizes.input_count];
        int64_t *dims = wanted->input_dims[wanted->sizes.input_count++];
        *shape = (struct npart_input_shape){.input = text, .dims = dims};
        for (char *at = equals + 1; *at && shape->rank < MOST; at += strcspn(at, "x"), at += *at == 'x')
            dims[shape->rank++] = strtoll(at, NULL, 10);
        return;
    case 'a':
    case 'n':
        if (!equals || wanted->plan.assumption_count == MOST)
            return;
        *equals = '\0';
        wanted->assumptions[wanted->plan.assumption_count++] = (struct npart_assumption){
            .op = *line == 'a' ? text : NULL, .node = *line == 'n' ? text : NULL, .on_npu = *value == '1'};
        return;
    case 'c':
        if (wanted->plan.cut_count < MOST)
            wanted->cuts[wanted->plan.cut_count++] = text;
        return;
    case 't':
        wanted->target = text;
        return;
    case 'p':
        wanted->plan.partitioner = text;
        return;
    case 'g':
        wanted->plan.gates = text;
        return;
    case 'l':
        wanted->plan.level = NPART_LEVEL_OFF;
        return;
    case 'v':
        wanted->sizes.ignore_value_info = true;
        return;
    case 'e':
        wanted->explain = text;
        return;
    case 'o':
        wanted->describe = text;
        return;
    case 'w':
        wanted->report.width = (uint32_t)number_of(text);
        wanted->report.use_ascii = true;
        return;
    default:
        return;
    }
}

static const npart_model *the_model(void)
{
    static npart_model *model;
    if (!model) {
        struct bytes bytes = model_from_text(model_lines);
        FUZZ_REQUIRE(npart_model_read_memory(&model, bytes.data, bytes.size, NULL, NULL) == NPART_OK);
        bytes_free(&bytes);
    }
    return model;
}

static void explain(const struct wanted *wanted, const npart_plan *plan)
{
    const struct npart_plan_pair pair = {plan, NULL, NULL};
    struct fuzz_text text = {NULL, 0};
    struct npart_error error;
    npart_status status = npart_report(OF_NODE(&pair, 1, wanted->explain), NPART_FORMAT_TEXT, &wanted->report,
                                       fuzz_keep, &text, &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    fuzz_check_plain(&text, wanted->report.use_ascii);
    free(text.data);
}

static void describe(const struct wanted *wanted, const npart_oplist *oplist)
{
    struct fuzz_text text = {NULL, 0};
    struct npart_error error;
    npart_status status = npart_oplist_describe(oplist, wanted->describe, fuzz_keep, &text, &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    fuzz_check_plain(&text, false);
    free(text.data);
}

/* The list of a target's text, read once; NULL when there is none. */
static const npart_oplist *oplist_of(const char *target)
{
    size_t length = strcspn(target, ":+@-"), at = 0;
    for (const char *name; (name = npart_builtin_oplist(at)) != NULL; at++)
        if (strncmp(name, target, length) == 0 && strlen(name) == length)
            return fuzz_builtin_oplist(at);
    npart_oplist *oplist = NULL;
    struct npart_error error;
    npart_status status = npart_oplist_find(&oplist, target, NULL, &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    npart_oplist_free(oplist);
    return NULL;
}

static void plan_with(const struct wanted *wanted, npart_inference *inference, npart_inference *fixed)
{
    const npart_oplist *oplist = oplist_of(wanted->target);
    npart_plan *plan = NULL, *fixed_plan = NULL;
    struct npart_error error;
    if (!oplist)
        return;
    if (wanted->describe)
        describe(wanted, oplist);
    npart_status status = npart_plan_make(&plan, inference, oplist, wanted->target, &wanted->plan, &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    if (status == NPART_OK && fixed)
        FUZZ_REQUIRE(npart_plan_make(&fixed_plan, fixed, oplist, wanted->target, &wanted->plan, &error) == NPART_OK);
    if (plan) {
        fuzz_check_plan(plan);
        fuzz_report(plan, fixed_plan);
        if (wanted->explain)
            explain(wanted, plan);
    }
    npart_plan_free(fixed_plan);
    npart_plan_free(plan);
}

static void run_wanted(const struct wanted *wanted)
{
    npart_inference *inference = NULL, *fixed = NULL;
    struct npart_error error;
    struct fuzz_text shapes = {NULL, 0};
    npart_status status = npart_inference_make(&inference, the_model(), &wanted->sizes, &error);
    if (status != NPART_OK) {
        FUZZ_REQUIRE(status == NPART_ERROR_ARGUMENT);
        fuzz_check_error(status, &error);
        return;
    }
    FUZZ_REQUIRE(npart_inference_make_fixed(&fixed, inference, &error) == NPART_OK);
    FUZZ_REQUIRE(npart_report(OF_SHAPES(inference), NPART_FORMAT_JSON, NULL, fuzz_keep, &shapes, &error) == NPART_OK);
    fuzz_check_json(&shapes);
    free(shapes.data);
    plan_with(wanted, inference, fixed);
    npart_inference_free(fixed);
    npart_inference_free(inference);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static struct wanted wanted;
    char *text = malloc(bytes + 1);
    FUZZ_REQUIRE(text);
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    memset(&wanted, 0, sizeof wanted);
    wanted.sizes = (struct npart_inference_options)NPART_INFERENCE_OPTIONS_INIT;
    wanted.plan = (struct npart_plan_options)NPART_PLAN_OPTIONS_INIT;
    wanted.report = (struct npart_report_options)NPART_REPORT_OPTIONS_INIT;
    wanted.sizes.dims = wanted.dims;
    wanted.sizes.inputs = wanted.inputs;
    wanted.plan.assumptions = wanted.assumptions;
    wanted.plan.cuts = wanted.cuts;
    wanted.target = "hexagon";
    for (char *line = text, *end = text; end < text + bytes; line = end + 1) {
        end = line + strcspn(line, "\n");
        *end = '\0';
        if (*line)
            take_line(&wanted, line);
    }
    run_wanted(&wanted);
    free(text);
    return 0;
}
