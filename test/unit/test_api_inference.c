/* SPDX-License-Identifier: Apache-2.0
 *
 * Inferences by the public header: sizes given and chosen, what is known of values, and shapes as JSON.
 */
#include <math.h>

#include "npu_partition.h"
#include "support/analysis.h"
#include "support/json_check.h"
#include "support/subjects.h"
#include "support/test.h"

static const char lines[] =
    "opset 17\n"
    "input x float32[batch,sequence,8]\ninput u float32[?,8]\ninput s float32\ninput c bool[]\n"
    "init w float32[8,4]\ninit shape int64[2] = 0 -1\n"
    "node h = MatMul(x, w)\n"
    "node d = Shape(x)\n"
    "node r = Reshape(h, shape)\n"
    "node t = SequenceConstruct(h, h)\n"
    "node y = Softmax(r)\n"
    "node v = Cast(u) to=16\n"
    "value y float32[batch,flat]\n"
    "output y\noutput t\noutput v\noutput d\n";

static npart_status make(npart_inference **out, const npart_model *model, const struct npart_dim_binding *dims,
                         uint32_t count, struct npart_error *error)
{
    struct npart_inference_options options = NPART_INFERENCE_OPTIONS_INIT;
    options.dims = dims;
    options.dim_count = count;
    return npart_inference_make(out, model, &options, error);
}

static const char *type_of(const struct analysis *at, const char *name)
{
    static char text[4][120];
    static unsigned turn;
    char *out = text[turn++ % 4];
    npart_inference_type_text(at->inference, analysis_value(at, name), out, sizeof text[0]);
    return out;
}

/* ---- sizes ---------------------------------------------------------------------------------------------------- */

static void test_api_inference__open_sizes(void)
{
    struct analysis at;
    analysis_infer(&at, lines, NULL);
    CHECK_TEXT(type_of(&at, "h"), "float32[batch,sequence,4]");
    CHECK_TEXT(type_of(&at, "r"), "float32[batch,4*sequence]");
    CHECK_TEXT(type_of(&at, "d"), "int64[3]");
    struct npart_inference_info info = {.size = sizeof info};
    CHECK(npart_inference_info(at.inference, &info));
    CHECK_INT(info.binding_count, 0);
    struct npart_dim_binding binding;
    CHECK(!npart_inference_binding(at.inference, 0, &binding));
    analysis_close(&at);
}

static void test_api_inference__sizes_by_name_and_by_axis(void)
{
    static const struct npart_dim_binding dims[] = {
        {.name = "batch", .size = 2}, {.name = "sequence", .size = 16}, {.name = "u.0", .size = 5}};
    struct analysis at = {.model = read_text(lines)};
    CHECK_INT(make(&at.inference, at.model, dims, 3, NULL), NPART_OK);
    CHECK_TEXT(type_of(&at, "h"), "float32[2,16,4]");
    CHECK_TEXT(type_of(&at, "y"), "float32[2,64]");
    CHECK_TEXT(type_of(&at, "v"), "bfloat16[5,8]");
    struct npart_dim_binding given;
    CHECK(npart_inference_given(at.inference, 2, &given) && given.size == 5 && strcmp(given.name, "u.0") == 0);
    CHECK(!npart_inference_given(at.inference, 3, &given));
    analysis_close(&at);
}

static void test_api_inference__whole_shapes(void)
{
    static const int64_t x[] = {1, 7, 8}, s[] = {3};
    const struct npart_input_shape shapes[] = {{"x", x, 3}, {"s", s, 1}};
    struct npart_inference_options options = NPART_INFERENCE_OPTIONS_INIT;
    struct analysis at = {.model = read_text(lines)};
    options.inputs = shapes;
    options.input_count = 2;
    CHECK_INT(npart_inference_make(&at.inference, at.model, &options, NULL), NPART_OK);
    CHECK_TEXT(type_of(&at, "y"), "float32[1,28]");
    CHECK(strstr(type_of(&at, "s"), "[3]") != NULL);
    analysis_close(&at);
}

static void test_api_inference__sizes_that_cannot_be(void)
{
    static const struct {
        struct npart_dim_binding dims[2];
        uint32_t count;
        const char *part;
    } rows[] = {
        {{{.name = "nothing", .size = 3}}, 1, "nothing"},
        {{{.name = "batch", .size = 0}}, 1, ""}, /* a size of none is one: see below */
        {{{.name = "batch", .size = -1}}, 1, "batch"},
        {{{.name = "batch", .size = 2}, {.name = "batch", .size = 3}}, 2, "batch"},
        {{{.name = "x.2", .size = 9}}, 1, "x.2"},
        {{{.name = "x.9", .size = 9}}, 1, "x.9"},
        {{{.name = "", .size = 9}}, 1, ""},
    };
    struct npart_error error;
    npart_model *model = read_text(lines);
    npart_inference *const untouched = (npart_inference *)&error;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        npart_inference *inference = untouched;
        memset(&error, 0, sizeof error);
        npart_status status = make(&inference, model, rows[i].dims, rows[i].count, &error);
        if (rows[i].count == 1 && rows[i].dims[0].size == 0) {
            CHECK(status == NPART_OK || status == NPART_ERROR_ARGUMENT);
            if (status == NPART_OK)
                npart_inference_free(inference);
            continue;
        }
        CHECK_INT(status, NPART_ERROR_ARGUMENT);
        CHECK(inference == untouched);
        CHECK(strstr(error.message, rows[i].part) != NULL);
        CHECK_INT(make(&inference, model, rows[i].dims, rows[i].count, NULL), NPART_ERROR_ARGUMENT);
    }
    npart_model_free(model);
}

static void test_api_inference__shapes_that_cannot_be(void)
{
    static const int64_t dims[] = {1, 2, 3, 4};
    static const struct npart_input_shape rows[] = {{"nothing", dims, 1}, {"x", dims, 2}, {"x", dims, 4},
                                                    {"w", dims, 2}};
    struct npart_error error;
    npart_model *model = read_text(lines);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct npart_inference_options options = NPART_INFERENCE_OPTIONS_INIT;
        npart_inference *inference = NULL;
        options.inputs = &rows[i];
        options.input_count = 1;
        CHECK_INT(npart_inference_make(&inference, model, &options, &error), NPART_ERROR_ARGUMENT);
        CHECK(!inference && strstr(error.message, rows[i].input) != NULL);
    }
    npart_model_free(model);
}

static void test_api_inference__declared_shapes_can_be_ignored(void)
{
    struct npart_inference_options options = NPART_INFERENCE_OPTIONS_INIT;
    struct analysis at;
    static const char unknown_op[] = "opset 17\nopset my 1\ninput x float32[2]\nnode a = my:Op(x)\n"
                                     "value a float32[3]\nnode y = Relu(a)\noutput y\n";
    analysis_infer(&at, unknown_op, &options);
    CHECK_TEXT(type_of(&at, "y"), "float32[3]");
    analysis_close(&at);
    options.ignore_value_info = true;
    analysis_infer(&at, unknown_op, &options);
    CHECK(strstr(type_of(&at, "y"), "[3]") == NULL);
    analysis_close(&at);
}

/* ---- sizes chosen --------------------------------------------------------------------------------------------- */

static void test_api_inference__chosen_sizes(void)
{
    struct analysis at;
    npart_inference *fixed = NULL;
    struct npart_dim_binding binding;
    bool has_batch = false;
    analysis_infer(&at, lines, NULL);
    CHECK_INT(npart_inference_make_fixed(&fixed, at.inference, NULL), NPART_OK);
    REQUIRE(fixed != NULL);
    struct npart_inference_info info = {.size = sizeof info};
    CHECK(npart_inference_info(fixed, &info) && info.binding_count >= 2);
    for (uint32_t i = 0; npart_inference_binding(fixed, i, &binding); i++) {
        has_batch |= strcmp(binding.name, "batch") == 0 && binding.size == 1;
        CHECK(binding.size > 0);
    }
    CHECK(has_batch);
    CHECK(!npart_inference_binding(fixed, info.binding_count, &binding));
    CHECK_TEXT(type_of(&at, "h"), "float32[batch,sequence,4]"); /* the open one stays as it is */
    struct npart_value value = {.size = sizeof value};
    CHECK(npart_inference_value(fixed, analysis_value(&at, "h"), &value) && value.is_static);
    npart_inference *again = (npart_inference *)&at;
    static const char closed[] = "input x float32[2]\nnode y = Relu(x)\noutput y\n";
    npart_inference_free(fixed);
    analysis_close(&at);
    analysis_infer(&at, closed, NULL);
    CHECK_INT(npart_inference_make_fixed(&again, at.inference, NULL), NPART_OK);
    CHECK(!again); /* nothing was open */
    analysis_close(&at);
}

static const char *chosen(const char *model, uint32_t use)
{
    static char text[256];
    struct analysis at;
    npart_inference *fixed = NULL;
    struct npart_dim_binding binding;
    struct npart_inference_info info = {.size = sizeof info};
    analysis_infer(&at, model, NULL);
    CHECK_INT(npart_inference_make_use(&fixed, at.inference, use, NULL), NPART_OK);
    text[0] = '\0';
    if (npart_inference_info(fixed, &info))
        (void)snprintf(text, sizeof text, "%s:", info.use);
    for (uint32_t i = 0; npart_inference_binding(fixed, i, &binding); i++)
        (void)snprintf(text + strlen(text), sizeof text - strlen(text), " %s=%lld", binding.name,
                       (long long)binding.size);
    npart_inference_free(fixed);
    analysis_close(&at);
    return text;
}

/* Sizes with which inference finds nothing that would fail. */
static void test_api_inference__chosen_sizes_fit(void)
{
    /* A window of 256. */
    CHECK_TEXT(chosen("input x float32[1,1,seq]\ninit w float32[8,1,256]\nnode y = Conv(x, w)\noutput y\n", 0),
               ": seq=512");
    /* A table of 100 positions. */
    CHECK_TEXT(chosen("input x int64[batch,seq]\ninit zero int64[] = 0\ninit one int64[] = 1\n"
                      "init table float32[100,8]\nnode shape = Shape(x)\nnode length = Gather(shape, one)\n"
                      "node positions = Range(zero, length, one)\nnode y = Gather(table, positions)\noutput y\n", 0),
               ": batch=1 seq=64");
    /* A batch that two sizes are made of. */
    CHECK_TEXT(chosen("input x float32[batch,8]\nnode y = MatMul(x, x)\noutput y\n", 0), ": batch=8");
    /* Nothing fits; the sizes that fail least. */
    CHECK_TEXT(chosen("input x float32[1,1,seq]\ninit w float32[8,1,99999]\nnode y = Conv(x, w)\noutput y\n", 0),
               ": seq=128");
}

static void test_api_inference__chosen_sizes_for_each_use(void)
{
    static const char decoder[] =
        "input ids int64[batch,seq]\ninput past float32[batch,2,past_len,64]\ninput mask int64[batch,total]\n"
        "node y = Identity(ids)\noutput y\n";
    CHECK_TEXT(chosen(decoder, 0), "decode: batch=1 seq=1 past_len=127 total=128");
    CHECK_TEXT(chosen(decoder, 1), "prefill: batch=1 seq=128 past_len=128 total=256");
    CHECK_TEXT(chosen(decoder, 2), "");
    CHECK_TEXT(chosen("input x float32[n,4]\nnode y = Relu(x)\noutput y\n", 1), "");
}

/* The names, dims and shapes of the options are copied: the fixed inference builds on them. */
static void test_api_inference__options_are_copied(void)
{
    char batch[] = "batch", input[] = "u";
    int64_t u[] = {6, 8};
    struct npart_dim_binding dims[] = {{.name = batch, .size = 3}};
    struct npart_input_shape shapes[] = {{input, u, 2}};
    struct npart_inference_options options = {1, dims, 1, shapes, 1, false, false, NULL};
    struct analysis at = {.model = read_text(lines)};
    npart_inference *fixed = NULL;
    CHECK_INT(npart_inference_make(&at.inference, at.model, &options, NULL), NPART_OK);
    memset(batch, 'x', 5);
    input[0] = 'q';
    u[0] = -5;
    dims[0] = (struct npart_dim_binding){.name = NULL, .size = -1};
    shapes[0] = (struct npart_input_shape){NULL, NULL, 9};
    CHECK_INT(npart_inference_make_fixed(&fixed, at.inference, NULL), NPART_OK);
    npart_inference_free(at.inference);
    at.inference = fixed;
    REQUIRE(fixed != NULL);
    CHECK(strncmp(type_of(&at, "h"), "float32[3,", 10) == 0);
    CHECK_TEXT(type_of(&at, "v"), "bfloat16[6,8]");
    analysis_close(&at);
}

/* Who asks for it is told which dims a model lacks, and the others have their sizes, also where all are fixed. */
static void test_api_inference__missing_dims(void)
{
    struct npart_dim_binding dims[] = {{.name = "height", .size = 3}, {.name = "batch", .size = 3},
                                       {.name = "width", .size = 8, .is_limit = true}, {.name = "u.9", .size = 2}};
    struct npart_inference_options options = NPART_INFERENCE_OPTIONS_INIT;
    struct analysis at = {.model = read_text(lines)};
    npart_inference *fixed = NULL;
    options.dims = dims;
    options.dim_count = 4;
    CHECK_INT(npart_inference_make(&at.inference, at.model, &options, NULL), NPART_ERROR_ARGUMENT);
    options.may_lack_dims = true;
    CHECK_INT(npart_inference_make(&at.inference, at.model, &options, NULL), NPART_OK);
    for (uint32_t i = 0; i < 5; i++)
        CHECK_INT(npart_inference_lacks(at.inference, i), i != 1 && i < 4);
    CHECK_INT(npart_inference_make_fixed(&fixed, at.inference, NULL), NPART_OK);
    npart_inference_free(at.inference);
    at.inference = fixed;
    REQUIRE(fixed != NULL);
    CHECK(strncmp(type_of(&at, "h"), "float32[3,", 10) == 0);
    analysis_close(&at);
}

/* By hand: of lengths 1 and 3 at 4 a half is padding; at 1 and 4, and at 3 and 4, 2 of 2.5 and of 3 are none. */
static void test_api_inference__lengths(void)
{
    static const int64_t two[] = {3, 1}, all[] = {4, 4}, long_one[] = {5}, none[] = {0};
    static const struct npart_quantile spread[] = {{0.5, 2}, {1, 4}}, tail[] = {{0.9, 1}}, all_at[] = {{0, 2}, {1, 2}},
                                       falls[] = {{0.5, 3}, {0.6, 2}}, above[] = {{1.5, 3}};
    static const struct {
        struct npart_lengths lengths;
        double mean, most, two;
        uint64_t less;
    } rows[] = {{{two, 2, NULL, 0}, 2, 0.5, 0.2, 1},
                {{all, 2, NULL, 0}, 4, 0, 0, 0},
                {{NULL, 0, spread, 2}, 2.5, 0.375, 1 - 2.5 / 3, 2},
                {{NULL, 0, tail, 1}, 1.2, 0.7, 1 - 1.2 / 1.3, 1}, /* 3 are the mean of 2 to 4 */
                {{NULL, 0, all_at, 2}, 2, 0.5, 0, 2},
                {{long_one, 1, NULL, 0}, -1, 0, 0, 0},
                {{none, 1, NULL, 0}, -1, 0, 0, 0},
                {{NULL, 0, falls, 2}, -1, 0, 0, 0},
                {{NULL, 0, above, 1}, -1, 0, 0, 0},
                {{NULL, 0, NULL, 0}, -1, 0, 0, 0}};
    struct npart_dim_binding dims[] = {{.name = "n", .size = 4, .is_limit = true}, {.name = "m", .size = 4}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct npart_inference_options options = NPART_INFERENCE_OPTIONS_INIT;
        struct npart_padding padding = {.size = sizeof padding};
        struct npart_dim_binding chosen;
        struct analysis at = {.model = read_text("input x float32[n,m]\nnode y = Relu(x)\noutput y\n")};
        npart_inference *fixed = NULL;
        options.dims = dims;
        options.dim_count = 2;
        options.lengths = &rows[i].lengths;
        npart_status status = npart_inference_make(&at.inference, at.model, &options, NULL);
        CHECK_INT(status, rows[i].mean < 0 ? NPART_ERROR_ARGUMENT : NPART_OK);
        if (rows[i].mean >= 0 && status == NPART_OK && npart_inference_padding(at.inference, &padding)) {
            CHECK(padding.most == 4 && strcmp(padding.dim, "n") == 0 && padding.less == rows[i].less);
            CHECK(fabs(padding.mean - rows[i].mean) < 1e-9 && fabs(padding.most_padding - rows[i].most) < 1e-9);
            CHECK(fabs(padding.two_padding - rows[i].two) < 1e-9);
            /* what is chosen takes all, where 128 is usual */
            CHECK_INT(npart_inference_make_fixed(&fixed, at.inference, NULL), NPART_OK);
            CHECK(npart_inference_binding(fixed, 0, &chosen) && chosen.size == 4);
            CHECK(npart_inference_padding(fixed, &padding));
        } else
            CHECK(rows[i].mean < 0);
        npart_inference_free(fixed);
        analysis_close(&at);
    }
    /* two that are bounded, and none */
    struct analysis at = {.model = read_text("input x float32[n,m]\nnode y = Relu(x)\noutput y\n")};
    struct npart_inference_options options = NPART_INFERENCE_OPTIONS_INIT;
    struct npart_padding padding = {.size = sizeof padding};
    options.dims = dims;
    options.lengths = &rows[0].lengths;
    CHECK_INT(npart_inference_make(&at.inference, at.model, &options, NULL), NPART_ERROR_ARGUMENT);
    options.dim_count = 2;
    dims[1].is_limit = true;
    CHECK_INT(npart_inference_make(&at.inference, at.model, &options, NULL), NPART_ERROR_ARGUMENT);
    options.lengths = NULL;
    CHECK_INT(npart_inference_make(&at.inference, at.model, &options, NULL), NPART_OK);
    CHECK(!npart_inference_padding(at.inference, &padding));
    analysis_close(&at);
}

/* ---- values --------------------------------------------------------------------------------------------------- */

static void test_api_inference__values(void)
{
    struct analysis at;
    struct npart_value value = {.size = sizeof value};
    analysis_infer(&at, lines, NULL);
    CHECK(npart_inference_value(at.inference, analysis_value(&at, "x"), &value));
    CHECK_INT(value.kind, NPART_VALUE_TENSOR);
    CHECK(value.element_type == 1 && value.has_rank && value.rank == 3 && !value.is_static && !value.is_constant);
    CHECK_INT(value.producer, NPART_NONE);
    CHECK(npart_inference_value(at.inference, analysis_value(&at, "w"), &value));
    CHECK(value.is_static && value.is_constant && value.rank == 2);
    CHECK(npart_inference_value(at.inference, analysis_value(&at, "h"), &value));
    CHECK_INT(value.producer, 0);
    CHECK_TEXT(value.name, "h");
    CHECK(npart_inference_value(at.inference, analysis_value(&at, "t"), &value));
    CHECK_INT(value.kind, NPART_VALUE_SEQUENCE);
    CHECK(npart_inference_value(at.inference, analysis_value(&at, "c"), &value));
    CHECK(value.has_rank && value.rank == 0 && value.is_static);
    value.name = "untouched";
    CHECK(!npart_inference_value(at.inference, NPART_NONE, &value));
    CHECK(!npart_inference_value(at.inference, 999, &value));
    CHECK_TEXT(value.name, "untouched");
    analysis_close(&at);
}

static void test_api_inference__dims(void)
{
    struct analysis at;
    analysis_infer(&at, lines, NULL);
    uint32_t x = analysis_value(&at, "x"), s = analysis_value(&at, "s"), c = analysis_value(&at, "c");
    CHECK_INT(npart_inference_dim(at.inference, x, 0), -1);
    CHECK_INT(npart_inference_dim(at.inference, x, 2), 8);
    CHECK_INT(npart_inference_dim(at.inference, x, 3), -1);
    CHECK_INT(npart_inference_dim(at.inference, s, 0), -1);
    CHECK_INT(npart_inference_dim(at.inference, c, 0), -1);
    CHECK_INT(npart_inference_dim(at.inference, 999, 0), -1);
    CHECK_INT(npart_inference_dim(at.inference, NPART_NONE, NPART_NONE), -1);
    analysis_close(&at);
}

static void test_api_inference__type_texts_are_cut(void)
{
    struct analysis at;
    char text[16];
    analysis_infer(&at, lines, NULL);
    uint32_t h = analysis_value(&at, "h");
    memset(text, 'x', sizeof text);
    npart_inference_type_text(at.inference, h, text, 10);
    CHECK_TEXT(text, "float32[b");
    CHECK_INT(text[10], 'x');
    npart_inference_type_text(at.inference, h, text, 1);
    CHECK_TEXT(text, "");
    memset(text, 'x', sizeof text);
    npart_inference_type_text(at.inference, h, text, 0);
    CHECK_INT(text[0], 'x');
    npart_inference_type_text(at.inference, 999, text, sizeof text);
    CHECK_TEXT(text, "");
    analysis_close(&at);
}

static void test_api_inference__elements(void)
{
    struct analysis at;
    uint32_t count = 9;
    analysis_infer(&at, lines, NULL);
    int64_t elements[3];
    REQUIRE(npart_inference_elements(at.inference, analysis_value(&at, "d"), elements, 3, &count) && count == 3);
    CHECK_INT(elements[0], -1); /* symbolic */
    CHECK_INT(elements[1], -1);
    CHECK_INT(elements[2], 8);
    elements[1] = 77; /* beyond what is asked for */
    uint32_t shape = analysis_value(&at, "shape");
    REQUIRE(npart_inference_elements(at.inference, shape, elements, 1, &count) && count == 2);
    CHECK(elements[0] == 0 && elements[1] == 77);
    REQUIRE(npart_inference_elements(at.inference, shape, elements, 3, &count) && count == 2);
    CHECK(elements[0] == 0 && elements[1] == -1 && elements[2] == 8);
    REQUIRE(npart_inference_elements(at.inference, shape, NULL, 0, &count) && count == 2);
    CHECK(!npart_inference_elements(at.inference, analysis_value(&at, "h"), elements, 3, &count));
    CHECK_INT(count, 0);
    count = 9;
    CHECK(!npart_inference_elements(at.inference, 999, elements, 3, &count));
    CHECK_INT(count, 0);
    analysis_close(&at);
}

static void test_api_inference__findings(void)
{
    static const char contradicting[] = "input x float32[2,3]\ninput z float32[2,4]\nnode y = Add(x, z)\noutput y\n";
    struct analysis at;
    struct npart_finding finding = {.size = sizeof finding, .code = "untouched"};
    analysis_infer(&at, contradicting, NULL);
    struct npart_inference_info info = {.size = sizeof info};
    CHECK(npart_inference_info(at.inference, &info) && info.is_invalid);
    uint32_t count = info.finding_count;
    CHECK_INT(count, 2);
    CHECK(!npart_inference_finding(at.inference, count, &finding));
    CHECK_TEXT(finding.code, "untouched");
    CHECK(npart_inference_finding(at.inference, 0, &finding));
    CHECK_TEXT(finding.code, "shape-contradiction");
    CHECK(*finding.text && *finding.at);
    CHECK(npart_inference_finding(at.inference, 1, &finding));
    CHECK_TEXT(finding.code, "invalid");
    analysis_close(&at);
}

/* What the runtime refuses is the file's own: a choice of sizes, which it was not asked for, does not mend it, and what
 * was chosen for an inference that has no such finding adds none. */
static void test_api_inference__findings_stay_with_chosen_sizes(void)
{
    struct npart_inference_info info = {.size = sizeof info};
    struct npart_finding finding = {.size = sizeof finding};
    struct analysis at;
    npart_inference *fixed = NULL;
    analysis_infer(&at, "opset 17\ninput x float32[n,2]\nnode y = Relu(x, x)\noutput y\n", NULL);
    CHECK_INT(npart_inference_make_fixed(&fixed, at.inference, NULL), NPART_OK);
    analysis_close(&at); /* texts are kept */
    CHECK(npart_inference_info(fixed, &info) && info.is_invalid && info.finding_count == 1);
    CHECK(npart_inference_finding(fixed, 0, &finding));
    CHECK_TEXT(finding.text, "ONNX Runtime 1.32 refuses the model: Relu must have 1 input; found 2");
    npart_inference_free(fixed);
    analysis_infer(&at, "opset 17\ninput x float32[n,2]\nnode y = Relu(x)\noutput y\n", NULL);
    CHECK_INT(npart_inference_make_fixed(&fixed, at.inference, NULL), NPART_OK);
    CHECK(npart_inference_info(fixed, &info) && !info.is_invalid && info.finding_count == 0);
    npart_inference_free(fixed);
    analysis_close(&at);
}

/* ---- shapes --------------------------------------------------------------------------------------------------- */

static void test_api_inference__shapes(void)
{
    struct analysis at;
    struct sink sink = {0}, again = {0};
    size_t where = 0;
    analysis_infer(&at, lines, NULL);
    CHECK_INT(npart_report(OF_SHAPES(at.inference), NPART_FORMAT_JSON, NULL, sink_write, &sink, NULL), NPART_OK);
    CHECK(!json_problem(sink.text, sink.bytes, &where));
    CHECK(strstr(sink.text, "\"h\":[1,[\"batch\",\"sequence\",4]]") != NULL);
    CHECK(strstr(sink.text, "\"v\":[16,[null,8]]") != NULL);
    CHECK(strstr(sink.text, "\"w\"") == NULL); /* an initializer */
    CHECK_INT(npart_report(OF_SHAPES(at.inference), NPART_FORMAT_JSON, NULL, sink_write, &again, NULL), NPART_OK);
    CHECK_TEXT(again.text, sink.text);
    sink_clear(&sink);
    sink_clear(&again);
    struct npart_error error;
    sink.refuse_at = 1;
    CHECK_INT(npart_report(OF_SHAPES(at.inference), NPART_FORMAT_JSON, NULL, sink_write, &sink, &error),
              NPART_ERROR_WRITE);
    CHECK_INT(error.status, NPART_ERROR_WRITE);
    CHECK_INT(sink.calls, 1);
    analysis_close(&at);
}

static void test_api_inference__assumptions(void)
{
    struct analysis at;
    char text[40], cut[4];
    uint32_t node = 99;
    analysis_infer(&at, "input a float32[n,2]\ninput b float32[m,2]\nnode e = Relu(a)\nnode c = Add(e, b)\noutput c\n",
                   NULL);
    struct npart_inference_info info = {.size = sizeof info};
    REQUIRE(npart_inference_info(at.inference, &info) && info.assumption_count == 1);
    CHECK(npart_inference_assumption(at.inference, 0, text, sizeof text, &node));
    CHECK(strcmp(text, "n = m") == 0 || strcmp(text, "m = n") == 0);
    CHECK_INT(node, 1);
    CHECK(npart_inference_assumption(at.inference, 0, cut, sizeof cut, NULL));
    CHECK_INT(strlen(cut), 3);
    CHECK(!npart_inference_assumption(at.inference, 1, text, sizeof text, NULL));
    analysis_close(&at);
}

TESTS(test_api_inference__assumptions, test_api_inference__open_sizes, test_api_inference__sizes_by_name_and_by_axis,
      test_api_inference__whole_shapes, test_api_inference__sizes_that_cannot_be,
      test_api_inference__shapes_that_cannot_be, test_api_inference__declared_shapes_can_be_ignored,
      test_api_inference__chosen_sizes, test_api_inference__chosen_sizes_fit,
      test_api_inference__chosen_sizes_for_each_use, test_api_inference__options_are_copied,
      test_api_inference__missing_dims, test_api_inference__lengths, test_api_inference__values,
      test_api_inference__dims,
      test_api_inference__type_texts_are_cut, test_api_inference__elements, test_api_inference__findings,
      test_api_inference__findings_stay_with_chosen_sizes, test_api_inference__shapes)
