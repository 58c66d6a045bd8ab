/* SPDX-License-Identifier: Apache-2.0
 *
 * What the public header promises to those who hold it wrong: NULL handles, ids out of range, versions and sizes of
 * another library, plans of another model. And: handles may be freed in any order, and nothing grows by being asked
 * twice.
 */
#include "npu_partition.h"
#include "support/analysis.h"
#include "support/counted.h"
#include "support/model_text.h"
#include "support/subjects.h"
#include "support/test.h"

static const char lines[] =
    "opset 17\n"
    "graph yes\nnode t = Neg(x)\noutput t\nend\ngraph no\nnode e = Abs(x)\noutput e\nend\n"
    "input x float32[1,batch]\ninput c bool[]\ninit w float32[4] = 1 2 3 4\n"
    "node a = Relu(x)\nnode b = Erf(a)\nnode d = LeakyRelu(b) alpha=0.5\n"
    "node i = If(c) then_branch=graph yes else_branch=graph no\n"
    "node s = Shape(x) start=0 end=1\nnode y = Softmax(d) axis=-1\n"
    "output y\noutput i\noutput s\n";

/* ---- every getter, of a handle or of none ---------------------------------------------------------------------- */

#define GET(call)                                                                                                      \
    do {                                                                                                               \
        if (call)                                                                                                      \
            told++;                                                                                                    \
    } while (0)

/* Asks for everything by an id, and says how often there was something to tell. */
static unsigned ask_model(const npart_model *model, uint32_t id)
{
    struct npart_model_info info = {.size = sizeof info};
    struct npart_node node = {.size = sizeof node};
    struct npart_operand operand = {.size = sizeof operand};
    struct npart_attribute attribute = {.size = sizeof attribute};
    struct npart_origin origin = {.size = sizeof origin};
    struct npart_graph graph = {.size = sizeof graph};
    struct npart_finding finding = {.size = sizeof finding};
    unsigned told = 0;
    char text[16] = "x";
    size_t bytes;
    GET(id == 0 && npart_model_info(model, &info));
    GET(npart_model_node(model, id, &node));
    GET(npart_model_operand(model, id, false, 0, &operand));
    GET(npart_model_operand(model, 0, true, id, &operand));
    GET(npart_model_attribute(model, id, 0, &attribute));
    GET(npart_model_attribute(model, 0, id, &attribute));
    GET(npart_model_attribute_string(model, id, id, id, &bytes));
    GET(npart_model_node_metadata(model, id, "key"));
    GET(npart_model_node_origin(model, id, &origin));
    GET(npart_model_node_text(model, id, text, sizeof text));
    GET(npart_model_find_node(model, "a", id) != NPART_NONE);
    GET(npart_model_find_value(model, "a", id) != NPART_NONE);
    GET(npart_model_graph(model, id, &graph));
    GET(npart_model_graph_path(model, id, text, sizeof text));
    GET(npart_model_finding(model, id, &finding));
    return told;
}

static unsigned ask_inference(const npart_inference *inference, uint32_t id)
{
    struct npart_inference_info info = {.size = sizeof info};
    struct npart_dim_binding binding;
    struct npart_value value = {.size = sizeof value};
    struct npart_finding finding = {.size = sizeof finding};
    unsigned told = 0;
    uint32_t count, node;
    int64_t elements[4];
    char text[16];
    GET(id == 0 && npart_inference_info(inference, &info));
    GET(npart_inference_binding(inference, id, &binding));
    GET(npart_inference_given(inference, id, &binding));
    GET(npart_inference_value(inference, id, &value));
    GET(npart_inference_dim(inference, id, 0) != -1);
    GET(npart_inference_dim(inference, 0, id) != -1);
    GET(npart_inference_dim_text(inference, id, 0, text, sizeof text));
    GET(npart_inference_dim_text(inference, 0, id, text, sizeof text));
    GET(npart_inference_type_text(inference, id, text, sizeof text));
    GET(npart_inference_elements(inference, id, elements, 4, &count));
    GET(npart_inference_assumption(inference, id, text, sizeof text, &node));
    GET(npart_inference_finding(inference, id, &finding));
    return told;
}

static unsigned ask_plan(const npart_plan *plan, uint32_t id)
{
    struct npart_finding finding = {.size = sizeof finding};
    struct npart_compiled compiled = {.size = sizeof compiled};
    struct npart_plan_info info = {.size = sizeof info};
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_node_plan node = {.size = sizeof node};
    struct npart_value_plan value = {.size = sizeof value};
    struct npart_held held = {.size = sizeof held};
    struct npart_reason reason = {.size = sizeof reason};
    struct npart_partition partition = {.size = sizeof partition};
    struct npart_crossing crossing = {.size = sizeof crossing};
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_cost cost = {.size = sizeof cost};
    struct npart_memory memory = {.size = sizeof memory};
    struct npart_precision precision = {.size = sizeof precision};
    unsigned told = 0;
    uint32_t count;
    char text[16];
    GET(id == 0 && npart_plan_info(plan, &info));
    GET(id == 0 && npart_plan_summary(plan, &summary));
    GET(id == 0 && npart_plan_cost(plan, &cost));
    GET(id == 0 && npart_plan_memory(plan, &memory));
    GET(id == 0 && npart_plan_order(plan, &count));
    GET(npart_plan_node(plan, id, &node));
    GET(npart_plan_value(plan, id, &value));
    GET(npart_plan_held(plan, id, &held));
    GET(npart_plan_reason(plan, id, 0, &reason, text, sizeof text));
    GET(npart_plan_reason(plan, 1, id, &reason, text, sizeof text));
    GET(npart_plan_check(plan, id, 0, &reason, text, sizeof text));
    GET(npart_plan_check(plan, 1, id, &reason, text, sizeof text));
    GET(npart_plan_partition(plan, id, &partition));
    GET(npart_plan_crossing(plan, id, &crossing));
    GET(npart_plan_cause(plan, id, &cause, text, sizeof text));
    GET(npart_plan_precision(plan, id, &precision));
    GET(npart_plan_finding(plan, id, &finding));
    GET(npart_plan_compiled(plan, id, &compiled, text, sizeof text));
    return told;
}

static unsigned ask_oplist(const npart_oplist *oplist, uint32_t id)
{
    struct npart_oplist_info info = {.size = sizeof info};
    struct npart_rule rule = {.size = sizeof rule};
    unsigned told = 0;
    GET(id == 0 && npart_oplist_info(oplist, &info));
    GET(npart_oplist_rule(oplist, id, &rule));
    return told;
}

static unsigned ask_all(const struct analysis *at, uint32_t id)
{
    return ask_model(at->model, id) + ask_inference(at->inference, id) + ask_oplist(at->oplist, id) +
           ask_plan(at->plan, id);
}

static void test_api_safety__ids_out_of_range(void)
{
    struct analysis at;
    analysis_open(&at, lines, NULL, NULL, NULL);
    CHECK(ask_all(&at, 0) > 20);
    CHECK(ask_all(&at, 1) > 10);
    CHECK_INT(ask_all(&at, 100000), 0);
    CHECK_INT(ask_all(&at, NPART_NONE), 0);
    CHECK_INT(ask_all(&at, NPART_NONE - 1), 0);
    analysis_close(&at);
}

static void test_api_safety__null_handles(void)
{
    const struct analysis none = {0};
    npart_advice *advice = NULL;
    uint32_t count = 7;
    CHECK_INT(ask_all(&none, 0), 0);
    CHECK_INT(ask_all(&none, NPART_NONE), 0);
    CHECK(!npart_inference_model(NULL) && !npart_plan_inference(NULL) && !npart_plan_view(NULL));
    CHECK(!npart_plan_oplist(NULL) && !npart_plan_order(NULL, &count) && count == 0);
    CHECK_INT(npart_advice_make(&advice, NULL, NULL, NULL, 0, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_plain_text(NULL, NULL, 0), 0);
}

/* ---- arguments ------------------------------------------------------------------------------------------------- */

#define CHECK_ARGUMENT(call)                                                                                           \
    do {                                                                                                               \
        memset(&error, 0, sizeof error);                                                                               \
        CHECK_INT((call), NPART_ERROR_ARGUMENT);                                                                       \
        CHECK(error.status == NPART_ERROR_ARGUMENT && *error.message);                                                 \
    } while (0)

static void test_api_safety__null_arguments(void)
{
    struct analysis at;
    struct npart_error error;
    struct sink sink = {0};
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_oplist *oplist = NULL;
    npart_plan *plan = NULL;
    struct npart_plan_pair none = {NULL, NULL, NULL};
    analysis_open(&at, lines, NULL, NULL, NULL);
    struct npart_plan_pair pair = {at.plan, NULL, NULL};
    CHECK_ARGUMENT(npart_model_read_file(NULL, "a", NULL, &error));
    CHECK_ARGUMENT(npart_model_read_file(&model, NULL, NULL, &error));
    CHECK_ARGUMENT(npart_model_read_stream(&model, NULL, NULL, NULL, &error));
    CHECK_ARGUMENT(npart_model_read_memory(&model, NULL, 1, NULL, &error));
    CHECK_ARGUMENT(npart_inference_make(NULL, at.model, NULL, &error));
    CHECK_ARGUMENT(npart_inference_make(&inference, NULL, NULL, &error));
    CHECK_ARGUMENT(npart_inference_make_fixed(&inference, NULL, &error));
    CHECK_ARGUMENT(npart_inference_make_fixed(NULL, at.inference, &error));
    CHECK_ARGUMENT(npart_oplist_find(&oplist, NULL, NULL, &error));
    CHECK_ARGUMENT(npart_oplist_find(NULL, "hexagon", NULL, &error));
    CHECK_ARGUMENT(npart_oplist_read_file(&oplist, NULL, NULL, &error));
    CHECK_ARGUMENT(npart_oplist_read_memory(&oplist, NULL, 1, "n", NULL, &error));
    CHECK_ARGUMENT(npart_oplist_read_memory(&oplist, "", 0, NULL, NULL, &error));
    CHECK_ARGUMENT(npart_oplist_describe(NULL, NULL, sink_write, &sink, &error));
    CHECK_ARGUMENT(npart_oplist_describe(at.oplist, NULL, NULL, NULL, &error));
    CHECK_ARGUMENT(npart_oplist_import(NULL, "t", sink_write, &sink, &error));
    CHECK_ARGUMENT(npart_plan_make(NULL, at.inference, at.oplist, NULL, NULL, &error));
    CHECK_ARGUMENT(npart_plan_make(&plan, NULL, at.oplist, NULL, NULL, &error));
    CHECK_ARGUMENT(npart_plan_make(&plan, at.inference, NULL, NULL, NULL, &error));
    CHECK_ARGUMENT(npart_report(OF_PLANS(NULL, 1), NPART_FORMAT_TEXT, NULL, sink_write, &sink, &error));
    CHECK_ARGUMENT(npart_report(OF_PLANS(&pair, 0), NPART_FORMAT_TEXT, NULL, sink_write, &sink, &error));
    CHECK_ARGUMENT(npart_report(OF_PLANS(&none, 1), NPART_FORMAT_JSON, NULL, sink_write, &sink, &error));
    CHECK_ARGUMENT(npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_JSON, NULL, NULL, NULL, &error));
    CHECK_ARGUMENT(npart_report(OF_NODE(&pair, 1, NULL), NPART_FORMAT_TEXT, NULL, sink_write, &sink, &error));
    CHECK_ARGUMENT(npart_report(OF_SHAPES(NULL), NPART_FORMAT_JSON, NULL, sink_write, &sink, &error));
    CHECK_ARGUMENT(npart_report(OF_WORK(at.inference), NPART_FORMAT_JSON, NULL, NULL, NULL, &error));
    CHECK_ARGUMENT(npart_report(OF_SHAPES(at.inference), NPART_FORMAT_JSON, NULL, NULL, NULL, &error));
    CHECK(!model && !inference && !oplist && !plan && sink.calls == 0);
    analysis_close(&at);
}

/* The tool's rows have the words of the library, in their order, and then its own. */
static void test_api_safety__formats_of_the_tool(void)
{
    static const char *const words[] = {
#define FORMAT(member, word, form, models, goes, help) word,
#include "../../tools/formats.def"
    };
    size_t count = 0;
    for (const char *text; (text = npart_format_text((enum npart_format)count)) != NULL; count++)
        CHECK(count < sizeof words / sizeof *words && strcmp(words[count], text) == 0);
    CHECK_INT(count + 1, sizeof words / sizeof *words);
    CHECK(strcmp(words[count], "png") == 0 && !npart_format_text((enum npart_format)-1));
}

/* Of every subject in every format: a report, or an error that says which formats there are. */
static void test_api_safety__reports_that_there_are(void)
{
    struct analysis at;
    struct npart_error error;
    analysis_open(&at, "opset 17\ninput x float32[1,3]\nnode y = Relu(x)\noutput y\n", NULL, NULL, NULL);
    const struct npart_plan_pair pair = {.plan = at.plan};
    const struct npart_subject *const subjects[] = {OF_PLANS(&pair, 1), OF_NODE(&pair, 1, "y"), OF_MODULES(&pair, 1),
                                                    OF_SHAPES(at.inference), OF_WORK(at.inference)};
    static const char *const there[] = {"text json sarif github markdown junit csv dot svg html model-explorer gitlab",
                                        "text", "text", "json", "json"};
    for (size_t i = 0; i < sizeof there / sizeof *there; i++)
        for (int format = 0; npart_format_text((enum npart_format)format); format++) {
            struct sink sink = {0};
            bool is_there = strstr(there[i], npart_format_text((enum npart_format)format)) != NULL;
            npart_status status =
                npart_report(subjects[i], (enum npart_format)format, NULL, sink_write, &sink, &error);
            CHECK_INT(status, is_there ? NPART_OK : NPART_ERROR_ARGUMENT);
            CHECK(is_there || (sink.calls == 0 && strstr(error.message, "; there is ")));
            sink_clear(&sink);
        }
    CHECK_ARGUMENT(npart_report(NULL, NPART_FORMAT_TEXT, NULL, sink_write, NULL, &error));
    CHECK_ARGUMENT(npart_report(SUBJECT(.kind = (enum npart_subject_kind)8), NPART_FORMAT_TEXT, NULL, sink_write, NULL,
                                &error));
    analysis_close(&at);
}

static void test_api_safety__incomplete_options(void)
{
    static const struct npart_dim_binding dims[] = {{NULL, 1, false}};
    static const struct npart_input_shape shapes[] = {{"x", NULL, 2}};
    static const struct npart_assumption assumptions[] = {{NULL, NULL, true}};
    static const char *const cuts[] = {NULL};
    struct analysis at;
    struct npart_error error;
    npart_inference *inference = NULL;
    npart_plan *plan = NULL;
    analysis_open(&at, lines, NULL, NULL, NULL);
    struct npart_inference_options sizes = NPART_INFERENCE_OPTIONS_INIT;
    sizes.dim_count = 1;
    CHECK_ARGUMENT(npart_inference_make(&inference, at.model, &sizes, &error));
    sizes.dims = dims;
    CHECK_ARGUMENT(npart_inference_make(&inference, at.model, &sizes, &error));
    sizes.dim_count = 0;
    sizes.input_count = 1;
    CHECK_ARGUMENT(npart_inference_make(&inference, at.model, &sizes, &error));
    sizes.inputs = shapes;
    CHECK_ARGUMENT(npart_inference_make(&inference, at.model, &sizes, &error));
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    options.cut_count = 1;
    CHECK_ARGUMENT(npart_plan_make(&plan, at.inference, at.oplist, NULL, &options, &error));
    options.cuts = cuts;
    CHECK_ARGUMENT(npart_plan_make(&plan, at.inference, at.oplist, NULL, &options, &error));
    options.cut_count = 0;
    options.assumption_count = 1;
    CHECK_ARGUMENT(npart_plan_make(&plan, at.inference, at.oplist, NULL, &options, &error));
    options.assumptions = assumptions;
    CHECK_ARGUMENT(npart_plan_make(&plan, at.inference, at.oplist, NULL, &options, &error));
    options.assumption_count = 0;
    options.level = (enum npart_level)7;
    CHECK_ARGUMENT(npart_plan_make(&plan, at.inference, at.oplist, NULL, &options, &error));
    CHECK(!inference && !plan);
    analysis_close(&at);
}

static void test_api_safety__versions(void)
{
    static const uint32_t versions[] = {0, 4, 999, UINT32_MAX};
    struct analysis at;
    struct npart_error error;
    struct sink sink = {0};
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_plan *plan = NULL;
    analysis_open(&at, lines, NULL, NULL, NULL);
    struct npart_plan_pair pair = {at.plan, NULL, NULL};
    for (size_t i = 0; i < sizeof versions / sizeof versions[0]; i++) {
        struct npart_read_options read = {.version = versions[i]};
        struct npart_inference_options sizes = {.version = versions[i]};
        struct npart_plan_options options = {.version = versions[i]};
        struct npart_report_options look = {.version = versions[i]};
        CHECK_ARGUMENT(npart_model_read_memory(&model, "x", 1, &read, &error));
        CHECK_ARGUMENT(npart_inference_make(&inference, at.model, &sizes, &error));
        CHECK_ARGUMENT(npart_plan_make(&plan, at.inference, at.oplist, NULL, &options, &error));
        CHECK_ARGUMENT(npart_target_check(at.oplist, NULL, &options, &error));
        CHECK_ARGUMENT(npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_TEXT, &look, sink_write, &sink, &error));
        CHECK_ARGUMENT(npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_JSON, &look, sink_write, &sink, &error));
        CHECK_ARGUMENT(npart_report(OF_NODE(&pair, 1, "a"), NPART_FORMAT_TEXT, &look, sink_write, &sink, &error));
    }
    CHECK(!model && !inference && !plan && sink.calls == 0);
    analysis_close(&at);
}

/* A size that is not known leaves the struct alone. */
#define CHECK_SIZE(type, call)                                                                                         \
    do {                                                                                                               \
        struct type out;                                                                                               \
        for (size_t wrong = 0; wrong < 3; wrong++) {                                                                   \
            memset(&out, 0x5a, sizeof out);                                                                            \
            out.size = wrong == 0 ? 0 : wrong == 1 ? sizeof out - 1 : sizeof out + 8;                                  \
            struct type before = out;                                                                                  \
            CHECK(!(call));                                                                                            \
            CHECK(memcmp(&before, &out, sizeof out) == 0);                                                             \
        }                                                                                                              \
        out.size = sizeof out;                                                                                         \
        CHECK(call);                                                                                                   \
        CHECK(out.size == sizeof out);                                                                                 \
    } while (0)

static void test_api_safety__sizes(void)
{
    struct analysis at;
    npart_advice *advice = NULL;
    analysis_open(&at, lines, NULL, NULL, NULL);
    CHECK_SIZE(npart_model_info, npart_model_info(at.model, &out));
    CHECK_SIZE(npart_node, npart_model_node(at.model, 0, &out));
    CHECK_SIZE(npart_operand, npart_model_operand(at.model, 0, false, 0, &out));
    CHECK_SIZE(npart_attribute, npart_model_attribute(at.model, 2, 0, &out));
    CHECK_SIZE(npart_origin, npart_model_node_origin(at.model, 0, &out));
    CHECK_SIZE(npart_graph, npart_model_graph(at.model, 0, &out));
    CHECK_SIZE(npart_inference_info, npart_inference_info(at.inference, &out));
    CHECK_SIZE(npart_value, npart_inference_value(at.inference, 0, &out));
    CHECK_SIZE(npart_oplist_info, npart_oplist_info(at.oplist, &out));
    CHECK_SIZE(npart_rule, npart_oplist_rule(at.oplist, 0, &out));
    CHECK_SIZE(npart_plan_info, npart_plan_info(at.plan, &out));
    CHECK_SIZE(npart_summary, npart_plan_summary(at.plan, &out));
    CHECK_SIZE(npart_node_plan, npart_plan_node(at.plan, 0, &out));
    CHECK_SIZE(npart_value_plan, npart_plan_value(at.plan, 0, &out));
    CHECK_SIZE(npart_reason, npart_plan_check(at.plan, 0, 0, &out, NULL, 0));
    CHECK_SIZE(npart_cause, npart_plan_cause(at.plan, 0, &out, NULL, 0));
    CHECK_SIZE(npart_cost, npart_plan_cost(at.plan, &out));
    struct npart_work work = {.size = 1};
    CHECK_INT(npart_plan_work(at.plan, 0, &work, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_inference_work(at.inference, 0, &work, NULL), NPART_ERROR_ARGUMENT);
    work.size = sizeof work;
    CHECK_INT(npart_plan_work(at.plan, NPART_NONE, &work, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_inference_work(at.inference, NPART_NONE, &work, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_plan_work(NULL, 0, &work, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_inference_work(NULL, 0, &work, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_plan_work(at.plan, 0, NULL, NULL), NPART_ERROR_ARGUMENT);
    struct npart_fusion fusion = {.size = 1};
    CHECK_INT(npart_plan_fusion(at.plan, 0, &fusion, NULL), NPART_ERROR_ARGUMENT);
    fusion.size = sizeof fusion;
    CHECK_INT(npart_plan_fusion(at.plan, NPART_NONE, &fusion, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_plan_fusion(NULL, 0, &fusion, NULL), NPART_ERROR_ARGUMENT);
    struct npart_module module = {.size = 1};
    CHECK_INT(npart_plan_module(at.plan, 0, &module, NULL), NPART_ERROR_ARGUMENT);
    module.size = sizeof module;
    CHECK_INT(npart_plan_module(at.plan, NPART_NONE, &module, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_plan_module(NULL, 0, &module, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_advice_make(&advice, at.plan, NULL, NULL, 0, NULL), NPART_OK);
    CHECK_SIZE(npart_action, npart_advice_action(advice, 0, &out));
    npart_advice_free(advice);
    CHECK(!npart_model_node(at.model, 0, NULL) && !npart_plan_summary(at.plan, NULL));
    analysis_close(&at);
}

static void test_api_safety__foreign_handles(void)
{
    struct analysis at, other;
    struct npart_error error;
    struct sink sink = {0};
    npart_plan *plan = NULL;
    analysis_open(&at, lines, NULL, NULL, NULL);
    analysis_open(&other, lines, NULL, NULL, NULL);
    const struct npart_plan_pair both[] = {{at.plan, NULL, NULL}, {other.plan, NULL, NULL}};
    const struct npart_plan_pair fixed = {at.plan, other.plan, NULL};
    npart_advice *advice = NULL;
    CHECK_ARGUMENT(npart_report(OF_PLANS(both, 2), NPART_FORMAT_TEXT, NULL, sink_write, &sink, &error));
    CHECK_ARGUMENT(npart_report(OF_PLANS(both, 2), NPART_FORMAT_JSON, NULL, sink_write, &sink, &error));
    CHECK_ARGUMENT(npart_report(OF_PLANS(&fixed, 1), NPART_FORMAT_JSON, NULL, sink_write, &sink, &error));
    CHECK_ARGUMENT(npart_plan_make(&plan, at.inference, at.oplist, "intel-npu", NULL, &error));
    CHECK_ARGUMENT(npart_advice_make(&advice, at.plan, other.plan, NULL, 0, &error));
    CHECK_INT(sink.calls, 0);
    if (npart_plan_view(at.plan) != at.inference)
        CHECK_ARGUMENT(npart_plan_make(&plan, npart_plan_view(at.plan), at.oplist, NULL, NULL, &error));
    CHECK(!plan && npart_plan_inference(at.plan) == at.inference && npart_plan_oplist(at.plan) == at.oplist);
    analysis_close(&at);
    analysis_close(&other);
}

/* ---- how long handles live ------------------------------------------------------------------------------------- */

/* Two plans of one inference and of one with fixed sizes; all memory is counted. */
struct family {
    struct counted counted;
    npart_model *model;
    npart_inference *inference, *fixed;
    npart_oplist *oplist;
    npart_plan *plan, *fixed_plan;
};

static void make_family(struct family *family)
{
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    struct bytes bytes = model_from_text(lines);
    memset(family, 0, sizeof *family);
    counted_init(&family->counted, true);
    options.allocator = &family->counted.allocator;
    REQUIRE(npart_model_read_memory(&family->model, bytes.data, bytes.size, &options, NULL) == NPART_OK);
    REQUIRE(npart_inference_make(&family->inference, family->model, NULL, NULL) == NPART_OK);
    REQUIRE(npart_inference_make_fixed(&family->fixed, family->inference, NULL) == NPART_OK && family->fixed);
    REQUIRE(npart_oplist_find(&family->oplist, "intel-npu", &family->counted.allocator, NULL) == NPART_OK);
    REQUIRE(npart_plan_make(&family->plan, family->inference, family->oplist, NULL, NULL, NULL) == NPART_OK);
    REQUIRE(npart_plan_make(&family->fixed_plan, family->fixed, family->oplist, NULL, NULL, NULL) == NPART_OK);
    bytes_free(&bytes);
}

#define MEMBERS 6u

static void free_member(struct family *family, unsigned member)
{
    switch (member) {
    case 0:
        npart_model_free(family->model);
        break;
    case 1:
        npart_inference_free(family->inference);
        break;
    case 2:
        npart_inference_free(family->fixed);
        break;
    case 3:
        npart_oplist_free(family->oplist);
        break;
    case 4:
        npart_plan_free(family->plan);
        break;
    default:
        npart_plan_free(family->fixed_plan);
        break;
    }
}

/* Every order in which six handles can be freed; the plan that lives longest tells the same as at first. */
static void test_api_safety__free_in_any_order(void)
{
    struct family family;
    make_family(&family);
    char *wanted = json_of(family.plan, NULL), *wanted_fixed = json_of(family.fixed_plan, NULL);
    for (unsigned member = 0; member < MEMBERS; member++)
        free_member(&family, member);
    CHECK_INT(family.counted.live_blocks, 0);
    for (unsigned code = 0; code < 720; code++) { /* 6! of them, in mixed radix */
        unsigned left[MEMBERS] = {0, 1, 2, 3, 4, 5}, rest = code;
        bool has_plan = true, has_fixed = true;
        make_family(&family);
        for (unsigned count = MEMBERS; count > 0; count--) {
            unsigned at = rest % count, member = left[at];
            rest /= count;
            left[at] = left[count - 1];
            free_member(&family, member);
            has_plan &= member != 4;
            has_fixed &= member != 5;
            if (count != 2 || code % 6) /* told again now and then, when only one is left */
                continue;
            char *found = has_plan ? json_of(family.plan, NULL) : has_fixed ? json_of(family.fixed_plan, NULL) : NULL;
            CHECK(!found || strcmp(found, has_plan ? wanted : wanted_fixed) == 0);
            free(found);
        }
        CHECK_INT(family.counted.live_blocks, 0);
        CHECK_INT(family.counted.live_bytes, 0);
    }
    free(wanted);
    free(wanted_fixed);
}

/* ---- growth ---------------------------------------------------------------------------------------------------- */

static void ask_everything(const struct family *family)
{
    struct analysis at = {family->model, family->inference, family->oplist, family->plan};
    npart_advice *advice = NULL;
    struct sink sink = {0};
    for (uint32_t id = 0; id < 40; id++)
        (void)ask_all(&at, id);
    char *json = json_of(family->plan, family->fixed_plan), *text = text_of(family->plan, family->fixed_plan, NULL);
    CHECK_INT(npart_report(OF_SHAPES(family->inference), NPART_FORMAT_JSON, NULL, sink_write, &sink, NULL), NPART_OK);
    CHECK_INT(npart_report(OF_WORK(family->inference), NPART_FORMAT_JSON, NULL, sink_write, &sink, NULL), NPART_OK);
    CHECK_INT(npart_report(OF_WORK(npart_plan_view(family->plan)), NPART_FORMAT_JSON, NULL, sink_write, &sink, NULL),
              NPART_OK);
    CHECK_INT(npart_report(OF_SHAPES(npart_plan_view(family->plan)), NPART_FORMAT_JSON, NULL, sink_write, &sink, NULL),
              NPART_OK);
    CHECK_INT(npart_advice_make(&advice, family->plan, family->fixed_plan, NULL, 0, NULL), NPART_OK);
    npart_advice_free(advice);
    sink_clear(&sink);
    free(json);
    free(text);
}

static void test_api_safety__nothing_grows_by_being_asked_twice(void)
{
    struct family family;
    make_family(&family);
    ask_everything(&family);
    size_t blocks = family.counted.live_blocks, bytes = family.counted.live_bytes;
    for (unsigned i = 0; i < 20; i++)
        ask_everything(&family);
    CHECK_INT(family.counted.live_blocks, blocks);
    CHECK_INT(family.counted.live_bytes, bytes);
    for (unsigned i = 0; i < 20; i++) { /* nor by a plan made once more */
        npart_plan *plan = NULL;
        CHECK_INT(npart_plan_make(&plan, family.inference, family.oplist, NULL, NULL, NULL), NPART_OK);
        npart_plan_free(plan);
    }
    CHECK_INT(family.counted.live_blocks, blocks);
    CHECK_INT(family.counted.live_bytes, bytes);
    for (unsigned member = 0; member < MEMBERS; member++)
        free_member(&family, member);
    CHECK_INT(family.counted.live_blocks, 0);
}

TESTS(test_api_safety__ids_out_of_range, test_api_safety__null_handles, test_api_safety__null_arguments,
      test_api_safety__formats_of_the_tool,
      test_api_safety__reports_that_there_are, test_api_safety__incomplete_options, test_api_safety__versions,
      test_api_safety__sizes, test_api_safety__foreign_handles, test_api_safety__free_in_any_order,
      test_api_safety__nothing_grows_by_being_asked_twice)
