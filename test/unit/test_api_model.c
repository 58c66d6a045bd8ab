/* SPDX-License-Identifier: Apache-2.0
 *
 * Models by the public header: from a file, a stream and memory; what they tell, and what they do when asked for more
 * than there is.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <unistd.h>

#include "npu_partition.h"
#include "support/analysis.h"
#include "support/counted.h"
#include "support/model_text.h"
#include "support/scanned.h"
#include "support/test.h"

static const char lines[] =
    "ir 8\nopset 17\nopset my 1\nopset com.microsoft 1\n"
    "function my:F(a) -> (b)\nopset 17\nnode b = Relu(a)\nend\n"
    "graph yes\nnode t = Neg(g)\noutput t\nend\n"
    "graph no\nnode e = Abs(g)\noutput e\nend\n"
    "input x float32[1,4]\ninput c bool[]\ninit w float32[4,8]\ninit unused int8[3]\n"
    "node h = MatMul(x, w) @first meta \"key\" \"text of it\"\n"
    "node k = Clip(h, , w)\n"
    "node g = my:F(k) @call\n"
    "node y, - = Dropout(g)\n"
    "node z = If(c) then_branch=graph yes else_branch=graph no\n"
    "node q = your:Op(z)\n"
    "output y\noutput q\n";

/* ---- the library ---------------------------------------------------------------------------------------------- */

static void test_api_model__version(void)
{
    char wanted[32];
    (void)snprintf(wanted, sizeof wanted, "%d.%d.%d", NPART_VERSION_MAJOR, NPART_VERSION_MINOR, NPART_VERSION_PATCH);
    CHECK_TEXT(npart_version(), wanted);
}

static void test_api_model__status_texts(void)
{
#define CHECK_STATUS(name, number, text)                                                                               \
    CHECK_INT(name, number);                                                                                           \
    CHECK_TEXT(npart_status_text(name), text);
    NPART_STATUS_LIST(CHECK_STATUS)
    CHECK(npart_status_text((npart_status)1) != NULL);
    CHECK(npart_status_text((npart_status)-99) != NULL);
}

/* ---- reading -------------------------------------------------------------------------------------------------- */

static void check_info(const npart_model *model, const char *name, size_t input_bytes)
{
    struct npart_model_info info = {.size = sizeof info};
    npart_model_info(model, &info);
    CHECK_TEXT(info.name, name);
    CHECK_INT(info.ir_version, 8);
    CHECK_TEXT(info.producer_name, "");
    CHECK_TEXT(info.producer_version, "");
    CHECK_INT(info.input_bytes, input_bytes);
    CHECK_INT(info.weight_bytes, 4 * 8 * 4 + 3);
    CHECK_INT(info.node_count, 6 + 1 + 2);
}

static void test_api_model__from_everywhere(void)
{
    struct bytes bytes = model_from_text(lines);
    struct piecewise stream = {.data = bytes.data, .size = bytes.size};
    struct npart_error error;
    npart_model *model = NULL;
    char path[64];

    CHECK_INT(npart_model_read_memory(&model, bytes.data, bytes.size, NULL, &error), NPART_OK);
    check_info(model, "-", bytes.size);
    npart_model_free(model);
    CHECK_INT(npart_model_read_stream(&model, read_piecewise, &stream, NULL, &error), NPART_OK);
    check_info(model, "-", bytes.size);
    npart_model_free(model);
    write_temporary(path, bytes.data, bytes.size);
    CHECK_INT(npart_model_read_file(&model, path, NULL, &error), NPART_OK);
    CHECK_INT(unlink(path), 0); /* the file is not needed afterwards */
    check_info(model, path, bytes.size);
    npart_model_free(model);
    bytes_free(&bytes);
}

/* Neither the bytes, nor the name, nor the options are needed afterwards. */
static void test_api_model__copies(void)
{
    struct bytes bytes = model_from_text(lines);
    char name[] = "a name";
    struct counted counted;
    counted_init(&counted, false);
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    struct npart_allocator allocator = counted.allocator;
    options.name = name;
    options.allocator = &allocator;
    npart_model *model = NULL;
    size_t size = bytes.size;
    CHECK_INT(npart_model_read_memory(&model, bytes.data, bytes.size, &options, NULL), NPART_OK);
    memset(bytes.data, 0xee, bytes.size);
    memset(name, 'x', sizeof name - 1);
    memset(&allocator, 0, sizeof allocator);
    memset(&options, 0, sizeof options);
    bytes_free(&bytes);
    check_info(model, "a name", size);
    npart_inference *inference = NULL; /* takes its memory from the same place */
    size_t before = counted.live_blocks;
    CHECK_INT(npart_inference_make(&inference, model, NULL, NULL), NPART_OK);
    CHECK(counted.live_blocks > before);
    npart_inference_free(inference);
    CHECK_INT(counted.live_blocks, before);
    npart_model_free(model);
    CHECK_INT(counted.live_blocks, 0);
}

/* An allocator whose functions are all NULL is none. */
static void test_api_model__options_of_zeros(void)
{
    struct bytes bytes = model_from_text(lines);
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    npart_model *model = NULL;
    CHECK_INT(options.version, 3);
    CHECK(options.keep_bytes == 0 && !options.name && !options.allocator);
    CHECK_INT(npart_model_read_memory(&model, bytes.data, bytes.size, &options, NULL), NPART_OK);
    check_info(model, "-", bytes.size);
    npart_model_free(model);
    bytes_free(&bytes);
}

/* Values of inputs go with the editor, which who reads alone does not link. */
static void test_api_model__values_are_for_read_bound(void)
{
    struct bytes bytes = model_from_text(lines);
    static const double number = 1;
    const struct npart_bound_value value = {"x", &number, 1};
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    struct npart_error error;
    npart_model *model = NULL;
    options.values = &value;
    options.value_count = 1;
    CHECK_INT(npart_model_read_memory(&model, bytes.data, bytes.size, &options, &error), NPART_ERROR_ARGUMENT);
    CHECK_TEXT(error.message, "npart_model_read_bound reads a model with given values");
    CHECK_INT(npart_model_read_bound(&model, NULL, NULL, NULL, &options, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_model_read_bound(&model, "/nowhere", NULL, NULL, &options, NULL), NPART_ERROR_READ);
    CHECK(!model);
    bytes_free(&bytes);
}

/* 1500 numbers of INT32 are 6000 bytes: left out by default, read when asked for. */
static void test_api_model__keep_bytes(void)
{
    static char text[4096];
    (void)snprintf(text, sizeof text, "input x float32[1]\ninit s int32[1500] =");
    for (unsigned i = 0; i < 1500; i++)
        (void)strcat(text, i % 2 ? " 8" : " 3");
    strcat(text, "\nnode y = Identity(s)\noutput y\n");
    struct bytes bytes = model_from_text(text);
    for (int keeps = 0; keeps < 2; keeps++) {
        struct npart_read_options options = NPART_READ_OPTIONS_INIT;
        struct analysis analysis = {0};
        uint32_t count = 7;
        options.keep_bytes = keeps ? 6000 : 5999;
        REQUIRE(npart_model_read_memory(&analysis.model, bytes.data, bytes.size, &options, NULL) == NPART_OK);
        REQUIRE(npart_inference_make(&analysis.inference, analysis.model, NULL, NULL) == NPART_OK);
        static int64_t elements[1500];
        uint32_t s = analysis_value(&analysis, "s");
        CHECK_INT(npart_inference_elements(analysis.inference, s, elements, 1500, &count), keeps);
        CHECK_INT(count, keeps ? 1500 : 0);
        CHECK(!keeps || elements[1499] == 8);
        analysis_close(&analysis);
    }
    bytes_free(&bytes);
}

/* ---- failures ------------------------------------------------------------------------------------------------- */

static ptrdiff_t broken_stream(void *payload, void *into, size_t bytes)
{
    (void)payload;
    (void)into;
    (void)bytes;
    return -1;
}

static ptrdiff_t no_stream(void *payload, void *into, size_t bytes)
{
    return broken_stream(payload, into, bytes) + 1;
}

static void test_api_model__failures_leave_results_alone(void)
{
    struct npart_error error = {.status = NPART_OK};
    npart_model *const untouched = (npart_model *)&error, *model = untouched;

    CHECK_INT(npart_model_read_memory(&model, "nonsense", 8, NULL, &error), NPART_ERROR_MALFORMED);
    CHECK(model == untouched);
    CHECK_INT(error.status, NPART_ERROR_MALFORMED);
    CHECK_TEXT(error.place, "byte 0");
    CHECK_INT(npart_model_read_memory(&model, "nonsense", 8, NULL, NULL), NPART_ERROR_MALFORMED);
    CHECK_INT(npart_model_read_memory(&model, NULL, 0, NULL, &error), NPART_ERROR_MALFORMED);
    CHECK_TEXT(error.message, "the input is empty");
    CHECK_INT(npart_model_read_stream(&model, broken_stream, NULL, NULL, &error), NPART_ERROR_READ);
    CHECK_INT(error.status, NPART_ERROR_READ);
    CHECK_INT(npart_model_read_stream(&model, no_stream, NULL, NULL, &error), NPART_ERROR_MALFORMED);
    CHECK_TEXT(error.message, "the input is empty");
    CHECK_INT(npart_model_read_file(&model, "/nonexistent/model.onnx", NULL, &error), NPART_ERROR_READ);
    CHECK(strstr(error.message, "cannot open the file") != NULL);
    CHECK_INT(npart_model_read_file(&model, "/", NULL, &error), NPART_ERROR_READ);
    CHECK(strstr(error.message, "directory") != NULL);
    CHECK(model == untouched);
}

static void test_api_model__a_stream_that_breaks_off(void)
{
    struct bytes bytes = model_from_text(lines);
    struct npart_error error;
    npart_model *model = NULL;
    for (size_t at = 1; at < bytes.size; at += 37) {
        struct piecewise stream = {.data = bytes.data, .size = bytes.size, .piece = 16, .fail_at = at};
        CHECK_INT(npart_model_read_stream(&model, read_piecewise, &stream, NULL, &error), NPART_ERROR_READ);
        CHECK(!model);
        CHECK(*error.message != '\0');
    }
    bytes_free(&bytes);
}

/* ---- asking --------------------------------------------------------------------------------------------------- */

static void check_node(const npart_model *model, uint32_t id, const char *name, const char *op, const char *domain,
                       uint32_t index, uint32_t graph, int32_t opset_version)
{
    struct npart_node node = {.size = sizeof node};
    REQUIRE(npart_model_node(model, id, &node));
    CHECK_TEXT(node.name, name);
    CHECK_TEXT(node.op, op);
    CHECK_TEXT(node.domain, domain);
    CHECK_INT(node.index, index);
    CHECK_INT(node.graph, graph);
    CHECK_INT(node.opset_version, opset_version);
}

static void test_api_model__nodes(void)
{
    npart_model *model = read_text(lines);
    struct npart_node node = {.size = sizeof node, .name = "untouched"};
    check_node(model, 0, "first", "MatMul", "", 0, 0, 17);
    check_node(model, 1, "", "Clip", "", 1, 0, 17);
    check_node(model, 2, "call", "F", "my", 2, 0, 1);
    check_node(model, 4, "", "If", "", 4, 0, 17);
    check_node(model, 5, "", "Op", "your", 5, 0, 0); /* not imported */
    CHECK(npart_model_node(model, 8, &node) && node.graph != 0);
    node.name = "untouched";
    CHECK(!npart_model_node(model, 9, &node));
    CHECK(!npart_model_node(model, NPART_NONE, &node));
    CHECK_TEXT(node.name, "untouched");
    npart_model_free(model);
}

static void test_api_model__operands(void)
{
    struct analysis at;
    analysis_infer(&at, lines, NULL);
    struct npart_node node = {.size = sizeof node};
    struct npart_operand operand = {.size = sizeof operand};
    REQUIRE(npart_model_node(at.model, 0, &node));
    CHECK(node.input_count == 2 && node.output_count == 1 && node.capture_count == 0 && !node.captures);
    CHECK_INT(node.inputs[0], analysis_value(&at, "x"));
    CHECK_INT(node.inputs[1], analysis_value(&at, "w"));
    CHECK_INT(node.outputs[0], analysis_value(&at, "h"));
    REQUIRE(npart_model_node(at.model, 1, &node) && node.input_count == 3);
    CHECK_INT(node.inputs[1], NPART_NONE); /* left out, and not the last */
    REQUIRE(npart_model_node(at.model, 3, &node) && node.output_count == 2);
    CHECK_INT(node.outputs[1], NPART_NONE);
    CHECK(npart_model_operand(at.model, 1, false, 2, &operand));
    CHECK_INT(operand.value, analysis_value(&at, "w"));
    CHECK(operand.name_bytes == 3 && memcmp(operand.name, "max", 3) == 0);
    CHECK(npart_model_operand(at.model, 1, true, 0, &operand));
    CHECK(operand.name_bytes == 6 && memcmp(operand.name, "output", 6) == 0);
    CHECK(npart_model_operand(at.model, 5, false, 0, &operand) && operand.name_bytes == 0); /* nobody's operator */
    CHECK(!npart_model_operand(at.model, 0, false, 2, &operand));
    CHECK(!npart_model_operand(at.model, 0, true, 1, &operand));
    CHECK(!npart_model_operand(at.model, 99, false, 0, &operand));
    CHECK(!npart_model_operand(at.model, 0, false, NPART_NONE, &operand));
    CHECK(analysis_value(&at, "x") != NPART_NONE && analysis_value(&at, "h") != NPART_NONE);
    analysis_close(&at);
}

static void test_api_model__metadata(void)
{
    npart_model *model = read_text(lines);
    CHECK_TEXT(npart_model_node_metadata(model, 0, "key"), "text of it");
    CHECK(!npart_model_node_metadata(model, 0, "ke"));
    CHECK(!npart_model_node_metadata(model, 1, "key"));
    CHECK(!npart_model_node_metadata(model, 99, "key"));
    npart_model_free(model);
}

static void test_api_model__graph_paths(void)
{
    npart_model *model = read_text(lines);
    char path[32];
    struct npart_node node = {.size = sizeof node};
    unsigned calls = 0, bodies = 0;
    for (uint32_t i = 6; npart_model_node(model, i, &node); i++) {
        npart_model_graph_path(model, node.graph, path, sizeof path);
        calls += strcmp(path, "2:F") == 0;
        bodies += strcmp(path, "4:then_branch") == 0 || strcmp(path, "4:else_branch") == 0;
    }
    CHECK_INT(calls, 1);
    CHECK_INT(bodies, 2);
    npart_model_graph_path(model, 0, path, sizeof path);
    CHECK_TEXT(path, "");
    npart_model_graph_path(model, 99, path, sizeof path);
    CHECK_TEXT(path, "");
    CHECK(npart_model_node(model, 6, &node));
    memset(path, 'x', sizeof path);
    npart_model_graph_path(model, node.graph, path, 3); /* cut, with its NUL */
    CHECK_INT(strlen(path), 2);
    CHECK_INT(path[3], 'x');
    npart_model_graph_path(model, node.graph, path, 0);
    CHECK_INT(strlen(path), 2);
    npart_model_free(model);
}

static void test_api_model__findings(void)
{
    npart_model *model = read_text(lines);
    struct npart_finding finding = {.size = sizeof finding, .code = "untouched"};
    struct npart_model_info info = {.size = sizeof info};
    CHECK(npart_model_info(model, &info));
    CHECK_INT(info.finding_count, 1);
    CHECK(!npart_model_finding(model, 1, &finding));
    CHECK_TEXT(finding.code, "untouched");
    CHECK(npart_model_finding(model, 0, &finding));
    CHECK_TEXT(finding.code, "unknown-domain");
    CHECK_TEXT(finding.at, "node 5 (Op)");
    CHECK(strstr(finding.text, "\"your\"") != NULL);
    npart_model_free(model);
}

static void test_api_model__free_takes_null(void)
{
    npart_model_free(NULL);
    npart_inference_free(NULL);
    npart_oplist_free(NULL);
    npart_plan_free(NULL);
}

/* Of each type its own member; what is left out of a long list is told, and the others stay as they are. */
static void test_api_model__attributes(void)
{
    struct analysis at;
    struct npart_attribute out = {.size = sizeof out};
    size_t bytes;
    analysis_infer(&at,
                   "graph body\nnode t = Neg(x)\noutput t\nend\ninput x float32[2]\n"
                   "node y = my:Op(x) i=-7 f=1.5 s=\"text\" is=[3,-4] fs=[0.5,2.0] ss=[\"a\",\"bc\"] "
                   "t=tensor int64[2,1] = 5 6 g=graph body\noutput y\n",
                   NULL);
    const uint32_t node = analysis_node(&at, "y");
    static const enum npart_attribute_type types[] = {
        NPART_ATTRIBUTE_INT,  NPART_ATTRIBUTE_FLOAT,  NPART_ATTRIBUTE_STRING,  NPART_ATTRIBUTE_INTS,
        NPART_ATTRIBUTE_FLOATS, NPART_ATTRIBUTE_STRINGS, NPART_ATTRIBUTE_TENSOR, NPART_ATTRIBUTE_GRAPH,
    };
    static const char *const names[] = {"i", "f", "s", "is", "fs", "ss", "t", "g"};
    static const uint32_t counts[] = {1, 1, 4, 2, 2, 2, 1, 1};
    for (uint32_t i = 0; i < 8; i++) {
        REQUIRE(npart_model_attribute(at.model, node, i, &out));
        CHECK_TEXT(out.name, names[i]);
        CHECK_INT(out.type, types[i]);
        CHECK_INT(out.count, counts[i]);
        CHECK(!out.is_elided);
        CHECK_INT(out.integer, i == 0 ? -7 : 0);
        CHECK(out.real == (i == 1 ? 1.5f : 0.0f));
        CHECK_TEXT(out.text ? out.text : "none", i == 2 ? "text" : "none");
        CHECK((out.integers != NULL) == (i == 3) && (!out.integers || (out.integers[0] == 3 && out.integers[1] == -4)));
        CHECK((out.reals != NULL) == (i == 4) && (!out.reals || (out.reals[0] == 0.5f && out.reals[1] == 2.0f)));
        CHECK_INT(out.element_type, i == 6 ? 7 : 0);
        CHECK_INT(out.rank, i == 6 ? 2 : 0);
        CHECK((out.dims != NULL) == (i == 6) && (!out.dims || (out.dims[0] == 2 && out.dims[1] == 1)));
        CHECK((out.graph != NPART_NONE) == (i == 7));
    }
    CHECK(!npart_model_attribute(at.model, node, 8, &out));
    const char *text = npart_model_attribute_string(at.model, node, 5, 1, &bytes);
    CHECK(text && bytes == 2 && memcmp(text, "bc", 2) == 0);
    CHECK(!npart_model_attribute_string(at.model, node, 5, 2, &bytes));
    CHECK(!npart_model_attribute_string(at.model, node, 2, 0, &bytes));
    analysis_close(&at);
}

TESTS(test_api_model__version, test_api_model__status_texts, test_api_model__from_everywhere, test_api_model__copies,
      test_api_model__options_of_zeros, test_api_model__values_are_for_read_bound, test_api_model__keep_bytes,
      test_api_model__failures_leave_results_alone, test_api_model__a_stream_that_breaks_off, test_api_model__nodes,
      test_api_model__operands, test_api_model__attributes, test_api_model__metadata, test_api_model__graph_paths,
      test_api_model__findings, test_api_model__free_takes_null)
