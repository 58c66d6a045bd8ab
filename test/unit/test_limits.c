/* SPDX-License-Identifier: Apache-2.0
 *
 * Each limit that may be set, at its edge and past it, on a model that needs just so much; and of those that are fixed,
 * where their edge is tested. A limit without a row here fails.
 */
#include <stdio.h>

#include "npu_partition.h"
#include "support/analysis.h"
#include "support/model_text.h"
#include "support/subjects.h"
#include "support/test.h"

/* ---- limits that may be set -------------------------------------------------------------------------------- */

#define NUMBERS_5 "1 1 1 1 1 "
#define NUMBERS_65                                                                                                     \
    NUMBERS_5 NUMBERS_5 NUMBERS_5 NUMBERS_5 NUMBERS_5 NUMBERS_5 NUMBERS_5 NUMBERS_5 NUMBERS_5 NUMBERS_5 NUMBERS_5     \
        NUMBERS_5 "1 1 1 1 1"

static const struct edge {
    const char *name;
    uint64_t needed; /* by the model; 0: found by trying */
    const char *text;
} edges[] = {
    {"depth", 0, "opset 17\ngraph yes\nnode a = Relu(x)\noutput a\nend\ngraph no\nnode b = Neg(x)\noutput b\nend\n"
                 "input x float32[4]\ninput c bool[]\nnode y = If(c) then_branch=graph yes else_branch=graph no\n"
                 "output y\n"},
    {"skeleton-bytes", 0, "opset 17\ninput x float32[4]\nnode y = Relu(x)\noutput y\n"},
    {"nodes", 3, "opset 17\ninput x float32[4]\nnode a = Relu(x)\nnode b = Neg(a)\nnode y = Abs(b)\noutput y\n"},
    {"inlined-nodes", 0, "opset 17\nopset my 1\nfunction my:F(a) -> (b)\nopset 17\nnode c = Relu(a)\nnode b = Neg(c)\n"
                         "end\ninput x float32[4]\nnode a = my:F(x)\nnode y = my:F(a)\noutput y\n"},
    {"call-depth", 2, "opset 17\nopset my 1\nfunction my:F(a) -> (b)\nopset 17\nnode b = Relu(a)\nend\n"
                      "function my:G(a) -> (b)\nopset 17\nopset my 1\nnode b = my:F(a)\nend\n"
                      "input x float32[4]\nnode y = my:G(x)\noutput y\n"},
    {"opsets", 3, "opset 17\nopset my 1\nopset your 1\ninput x float32[4]\nnode y = Relu(x)\noutput y\n"},
    {"rank", 5, "opset 17\ninput x float32[1,2,3,4,5]\nnode r = Relu(x)\n"
                "node y = Einsum(r) equation=\"abcde->edcba\"\noutput y\n"},
    {"known-elements", 65, "opset 17\ninit long int64[65] = " NUMBERS_65 "\ninit axes int64[1] = 0\n"
                           "node sum = ReduceSum(long, axes)\nnode y = ConstantOfShape(sum)\noutput y\n"},
    {"known-floats", 65, "opset 17\ninit long float32[65] = " NUMBERS_65 "\ninit from int64[1] = 63\n"
                         "init to int64[1] = 65\nnode part = Slice(long, from, to)\nnode size = Cast(part) to=7\n"
                         "node y = ConstantOfShape(size)\noutput y\n"},
    {"computed-elements", 65, "opset 17\ninit zero int64[] = 0\ninit one int64[] = 1\ninit long int64[] = 65\n"
                              "node all = Range(zero, long, one)\nnode most = ReduceMax(all)\n"
                              "node y = ConstantOfShape(most)\noutput y\n"},
    {"products", 12, "opset 17\ninit a int64[2,3] = 1 1 1 1 1 1\ninit b int64[3,2] = 1 1 1 1 1 1\n"
                     "init flat int64[1] = 4\nnode c = MatMul(a, b)\nnode d = Reshape(c, flat)\n"
                     "node y = ConstantOfShape(d)\noutput y\n"},
    {"sequence", 3, "opset 17\ninput x float32[2,4]\nnode s = SequenceConstruct(x, x, x)\n"
                    "node y = ConcatFromSequence(s) axis=0\noutput y\n"},
    {"loop-passes", 2, "opset 17\ngraph body\ninput i int64[]\ninput go bool[]\ninput s float32[2,3]\n"
                       "node still = Identity(go)\nnode next = Concat(s, s) axis=0\noutput still\noutput next\nend\n"
                       "input x float32[2,3]\ninput c bool[]\ninput n int64[]\n"
                       "node y = Loop(n, c, x) body=graph body\noutput y\n"},
    {"terms", 3, "opset 17\ninput a float32[a]\ninput b float32[b]\ninput c float32[c]\n"
                 "node y = Concat(a, b, c) axis=0\noutput y\n"},
    {"factors", 3, "opset 17\ninput x float32[a,b,c]\nnode y = Flatten(x) axis=3\noutput y\n"},
    {"power", 3, "opset 17\ninput x float32[a,a,a]\nnode y = Flatten(x) axis=3\noutput y\n"},
    {"expression-size", 0, "opset 17\ninput x float32[1,1,a,b]\nnode p = MaxPool(x) kernel_shape=[3,3] strides=[3,3]\n"
                           "node y = MaxPool(p) kernel_shape=[2,2] strides=[2,2]\noutput y\n"},
    {"expression-depth", 0, "opset 17\ninput x float32[a]\ninput z float32[((a+1))*2]\nnode y = Relu(z)\n"
                            "node w = Relu(x)\noutput y\noutput w\n"},
    {"modules", 0, "opset 17\ninput x float32[4]\nnode a = Relu(x) @/one/Relu\nnode y = Neg(a) @/two/Neg\noutput y\n"},
    {"module-depth", 0, "opset 17\ninput x float32[4]\nnode y = Relu(x) @/one/two/three/Relu\noutput y\n"},
};

static npart_oplist *hexagon;

/* All that is told of the model, in `sink`: its shapes, and its modules as a target sees them. */
static npart_status tell(const struct npart_limit *limit, const char *text, struct sink *sink,
                         struct npart_error *error)
{
    struct bytes bytes = model_from_text(text);
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_plan *plan = NULL;
    options.limits = limit;
    options.limit_count = limit ? 1 : 0;
    npart_status status = npart_model_read_memory(&model, bytes.data, bytes.size, &options, error);
    if (status == NPART_OK)
        status = npart_inference_make(&inference, model, NULL, error);
    if (status == NPART_OK)
        status = npart_plan_make(&plan, inference, hexagon, NULL, NULL, error);
    if (status == NPART_OK)
        status = npart_report(OF_SHAPES(inference), NPART_FORMAT_JSON, NULL, sink_write, sink, error);
    const struct npart_plan_pair pair = {plan, NULL, NULL};
    if (status == NPART_OK)
        status = npart_report(OF_MODULES(&pair, 1), NPART_FORMAT_TEXT, NULL, sink_write, sink, error);
    npart_plan_free(plan);
    npart_inference_free(inference);
    npart_model_free(model);
    bytes_free(&bytes);
    return status;
}

/* Whether the limit makes no difference; else what is documented must have happened. */
static bool is_within(const struct npart_limit_info *info, const char *text, uint64_t value, const char *whole)
{
    const struct npart_limit limit = {info->name, value};
    struct sink sink = {0};
    struct npart_error error = {0};
    char wanted[64];
    npart_status status = tell(&limit, text, &sink, &error);
    bool is_same = status == NPART_OK && strcmp((sink.text ? sink.text : ""), whole) == 0;
    (void)snprintf(wanted, sizeof wanted, "(limit %s)", info->name);
    if (!is_same && info->past == NPART_PAST_REFUSED) {
        CHECK(status == NPART_ERROR_LIMIT || status == NPART_ERROR_MALFORMED);
        CHECK(strstr(error.message, wanted) != NULL);
    } else {
        CHECK_INT(status, NPART_OK);
    }
    sink_clear(&sink);
    return is_same;
}

/* From the lowest number up, the first that is enough. */
static uint64_t find_needed(const struct npart_limit_info *info, const char *text, const char *whole)
{
    uint64_t value = info->low;
    while (value <= info->value && !is_within(info, text, value, whole))
        value++;
    return value;
}

static void check_edge(const struct npart_limit_info *info, const struct edge *edge)
{
    struct sink whole = {0};
    CHECK_INT(tell(NULL, edge->text, &whole, NULL), NPART_OK);
    uint64_t needed = edge->needed ? edge->needed : find_needed(info, edge->text, whole.text);
    bool is_right = needed > info->low && needed < info->value;
    is_right = is_right && is_within(info, edge->text, needed, whole.text) &&
               is_within(info, edge->text, info->high, whole.text) &&
               !is_within(info, edge->text, needed - 1, whole.text);
    CHECK(is_right);
    if (!is_right)
        fprintf(stderr, "  %s %llu\n", info->name, (unsigned long long)needed);
    sink_clear(&whole);
}

/* ---- limits that are fixed --------------------------------------------------------------------------------- */

/* Where each is tested at its edge and past it, and a text that this test has; file NULL: in none, and why. */
static const struct elsewhere {
    const char *name, *file, *text;
} elsewhere[] = {
    {"oplist-bytes", "test/unit/test_oplist_errors.c", "test_limits__size_of_a_list"},
    {"oplist-line-bytes", "test/unit/test_oplist_errors.c", "a line is longer than 4096 bytes"},
    {"oplist-lines", "test/unit/test_oplist_errors.c", "more than 8192 lines"},
    {"oplist-line-words", "test/unit/test_oplist_errors.c", "more than 511 words on a line"},
    {"oplist-words", "test/unit/test_oplist_errors.c", "test_limits__words_of_defines"},
    {"oplist-defines", "test/unit/test_oplist_errors.c", "more than 1024 defines"},
    {"oplist-rows", "test/unit/test_oplist_errors.c", "more than 512 rows"},
    {"oplist-define-depth", "test/unit/test_oplist_errors.c", "defines use each other deeper than 16"},
    {"oplist-condition-depth", "test/unit/test_oplist_errors.c", "nested deeper than 64"},
    {"oplist-include-depth", "test/unit/test_api_oplist.c", "include"},
    {"oplist-rules", "test/unit/test_oplist_errors.c", "more than 512 rules in a section"},
    {"oplist-toolchains", "test/unit/test_oplist_errors.c", "more than 1024 toolchains"},
    {"oplist-variants", "test/unit/test_oplist_errors.c", "more than 1024 variants"},
    {"oplist-variant-names", "test/unit/test_oplist_errors.c", "more than 4096 names of variants"},
    {"oplist-patterns", "test/unit/test_oplist_errors.c", "test_limits__patterns"},
    {"oplist-switches", "test/unit/test_oplist_errors.c", "more than 32 switches"},
    {"oplist-gates", "test/unit/test_oplist_errors.c", "more than 8 gates"},
    {"oplist-mistakes", "test/unit/test_oplist_errors.c", "20"},
    {"match-steps", "test/unit/test_effort.c", "test_effort__match_steps"},
    {"unit-nodes", "test/unit/test_effort.c", "test_effort__unit_nodes"},
    {"user-kinds", "test/unit/test_effort.c", "test_effort__user_kinds"},
    {"layout-steps", "test/unit/test_effort.c", "test_effort__layout_steps"},
    {"shared-trials", NULL, "past it one reason of several is not found"},
    {"rounds", NULL, "no definition in lib/target/schema needs as many"},
    {"fusion-tries", "test/unit/test_effort.c", "test_effort__fusion_tries"},
    {"large-tensors", "test/unit/test_infer_limits.c", "NPART__LIMIT_LARGE_TENSORS"},
    {"advice-steps", NULL, "past it another step of those that help is told first"},
    {"advice-candidates", NULL, "past it another step of those that help is told first"},
    {"advice-variants", "test/unit/test_effort.c", "test_effort__variants"},
    {"cut-tensors", "test/unit/test_advice.c", "NPART__LIMIT_CUT_TENSORS"},
    {"fix-rounds", NULL, "no rewrites of the library need as many"},
    {"fix-steps", NULL, "the library has fewer rewrites"},
    {"fix-elements", NULL, "past it a rewrite is not made"},
    {"dim-bytes", "test/unit/test_graph_limits.c", "test_graph_limits__names_of_dims"},
    {"tensor-bytes", "test/unit/test_effort.c", "test_effort__tensor_bytes"},
    {"invalid-findings", "test/unit/test_valid.c", "NPART__LIMIT_INVALID_FINDINGS"},
    {"module-path-bytes", "test/unit/test_modules.c", "NPART__LIMIT_MODULE_PATH_BYTES"},
    {"parts", "test/unit/test_place.c", "NPART__LIMIT_PARTS"},
};

static bool file_has(const char *path, const char *text)
{
    static char content[200000];
    FILE *file = fopen(path, "rb");
    REQUIRE(file);
    size_t bytes = fread(content, 1, sizeof content - 1, file);
    (void)fclose(file);
    content[bytes] = '\0';
    return strstr(content, text) != NULL;
}

static bool is_tested_elsewhere(const char *name)
{
    for (size_t i = 0; i < sizeof elsewhere / sizeof elsewhere[0]; i++)
        if (strcmp(elsewhere[i].name, name) == 0)
            return !elsewhere[i].file || file_has(elsewhere[i].file, elsewhere[i].text);
    return false;
}

static void test_limits__every_row(void)
{
    struct npart_limit_info info = {.size = sizeof info};
    size_t count = 0;
    for (uint32_t i = 0; npart_limit_at(i, &info); i++) {
        bool is_found = info.reason && is_tested_elsewhere(info.name);
        for (size_t k = 0; !info.reason && k < sizeof edges / sizeof edges[0]; k++)
            if (strcmp(edges[k].name, info.name) == 0) {
                check_edge(&info, &edges[k]);
                is_found = true;
            }
        CHECK(is_found && *info.text && info.low <= info.value && info.value <= info.high);
        if (!is_found)
            fprintf(stderr, "  no test of %s at its edge\n", info.name);
        count++;
    }
    CHECK_INT(count, sizeof edges / sizeof edges[0] + sizeof elsewhere / sizeof elsewhere[0]);
    CHECK(!npart_limit_at(UINT32_MAX, &info) && !npart_limit_at(0, NULL));
    info.size = 1;
    CHECK(!npart_limit_at(0, &info));
}

static void check_refused(const struct npart_limit *limits, uint32_t count, const char *message)
{
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    struct npart_error error = {0};
    npart_model *model = NULL;
    options.limits = limits;
    options.limit_count = count;
    CHECK_INT(npart_model_read_memory(&model, "", 0, &options, &error), NPART_ERROR_ARGUMENT);
    CHECK_TEXT(error.message, message);
}

static void test_limits__mistakes(void)
{
    const struct npart_limit unknown = {"dept", 3}, low = {"depth", 0}, high = {"depth", 101}, fixed = {"rounds", 3};
    const struct npart_limit none = {NULL, 1};
    check_refused(&unknown, 1, "there is no limit dept that can be set; did you mean depth?");
    check_refused(&low, 1, "the limit depth can be from 1 to 100");
    check_refused(&high, 1, "the limit depth can be from 1 to 100");
    check_refused(NULL, 1, "limits must not be NULL");
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    npart_model *model = NULL;
    options.limit_count = 1;
    options.limits = &fixed;
    CHECK_INT(npart_model_read_memory(&model, "", 0, &options, NULL), NPART_ERROR_ARGUMENT);
    options.limits = &none;
    CHECK_INT(npart_model_read_memory(&model, "", 0, &options, NULL), NPART_ERROR_ARGUMENT);
    options.version = 2;
    CHECK_INT(npart_model_read_memory(&model, "", 0, &options, NULL), NPART_ERROR_MALFORMED);
}

/* Of a name that is there twice the last counts. */
static void test_limits__twice(void)
{
    const struct npart_limit limits[] = {{"nodes", 1}, {"nodes", 2}};
    struct bytes bytes = model_from_text("opset 17\ninput x float32[4]\nnode a = Relu(x)\nnode y = Neg(a)\noutput y\n");
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    npart_model *model = NULL;
    options.limits = limits;
    options.limit_count = 2;
    CHECK_INT(npart_model_read_memory(&model, bytes.data, bytes.size, &options, NULL), NPART_OK);
    npart_model_free(model);
    bytes_free(&bytes);
}

/* Nodes of definitions by the standard count as those of the model's own functions do. */
static void test_limits__definitions(void)
{
    static const char list[] = "format 1\ntarget t\nruntime onnxruntime\nfunctions standard\nop Neg\nop Relu\n";
    struct bytes bytes = model_from_text("opset 22\ninput x float32[3,5]\ninput t int64[3]\n"
                                         "node y = NegativeLogLikelihoodLoss(x, t)\noutput y\n");
    npart_oplist *oplist = NULL;
    REQUIRE(npart_oplist_read_memory(&oplist, list, strlen(list), "list.ops", NULL, NULL) == NPART_OK);
    for (uint64_t most = 1; most <= 100; most += 99) {
        struct npart_limit limit = {"nodes", most};
        struct npart_read_options options = NPART_READ_OPTIONS_INIT;
        struct npart_error error = {0};
        npart_model *model = NULL;
        npart_inference *inference = NULL;
        npart_plan *plan = NULL;
        options.limits = &limit;
        options.limit_count = 1;
        REQUIRE(npart_model_read_memory(&model, bytes.data, bytes.size, &options, NULL) == NPART_OK);
        REQUIRE(npart_inference_make(&inference, model, NULL, NULL) == NPART_OK);
        CHECK_INT(npart_plan_make(&plan, inference, oplist, NULL, NULL, &error),
                  most == 1 ? NPART_ERROR_LIMIT : NPART_OK);
        CHECK_TEXT(error.message, most == 1 ? "more than 1 nodes (limit nodes)" : "");
        npart_plan_free(plan);
        npart_inference_free(inference);
        npart_model_free(model);
    }
    npart_oplist_free(oplist);
    bytes_free(&bytes);
}

static void test_limits__open(void)
{
    REQUIRE(npart_oplist_find(&hexagon, "hexagon", NULL, NULL) == NPART_OK);
}

static void test_limits__close(void)
{
    npart_oplist_free(hexagon);
}

TESTS(test_limits__open, test_limits__every_row, test_limits__mistakes, test_limits__twice, test_limits__definitions,
      test_limits__close)
