/* SPDX-License-Identifier: Apache-2.0
 *
 * valid: the table of runtimes, data that does not fit, and how many findings there may be. What is refused besides is
 * in test/cases/valid.cases.
 */
#include <stdarg.h>

#include "support/built.h"
#include "support/proto_writer.h"
#include "support/test.h"
#include "onnxruntime/valid_checks.h"

static struct built built;
static struct npart__inference inference;

static void find(void)
{
    struct npart__infer_options options = {0};
    REQUIRE(built.status == NPART_OK);
    REQUIRE(npart__infer(&built.graph, &options, &built.arena, &inference, &built.error) == NPART_OK);
    REQUIRE(npart__find_invalid(&inference, &built.error) == NPART_OK);
}

static uint32_t count_invalid(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < inference.findings.count; i++)
        count += strcmp(inference.findings.items[i].code, NPART__INVALID) == 0;
    return count;
}

/* ---- the table ------------------------------------------------------------------------------------------------ */

static void test_valid__newest_runtime(void)
{
    struct npart__loads runtime = npart__newest_loads();
    CHECK(*runtime.name && runtime.ir_version >= 13);
    CHECK(npart__loads_opset(&runtime, "") >= 26);
    CHECK_INT(npart__loads_opset(&runtime, "com.microsoft"), 1);
    CHECK_INT(npart__loads_opset(&runtime, "my.domain"), 0);
}

static void test_valid__every_line_names_an_operator_of_the_standard(void)
{
    struct npart__loads runtime = npart__newest_loads();
    for (size_t i = 0; i < runtime.line_count; i++) {
        const struct npart__load_line *line = &runtime.lines[i];
        if (line->word == NPART__LOAD_DOMAIN)
            continue;
        int64_t version = line->word == NPART__LOAD_TAKES ? INT64_MAX : line->version;
        const struct npart__operator *schema = npart__operator_find(line->domain, line->op, version);
        REQUIRE(schema != NULL);
        if (line->word == NPART__LOAD_LACKS)
            CHECK(npart__loads_schema(&runtime, schema) != schema);
        if (line->word == NPART__LOAD_KEEPS) {
            CHECK(npart__operator_flags(schema) & NPART__OPERATOR_DEPRECATED);
            CHECK(!npart__loads_no_more(&runtime, schema));
        }
        if (line->word == NPART__LOAD_TAKES)
            CHECK(npart__loads_any_attribute(&runtime, schema));
    }
}

/* A version that the runtime lacks is judged by the one before it. */
static void test_valid__schema_of_the_runtime(void)
{
    static const struct npart__load_line lines[] = {{NPART__LOAD_DOMAIN, "", NULL, 25},
                                                    {NPART__LOAD_LACKS, "", "Attention", 24}};
    struct npart__loads runtime = {.lines = lines, .line_count = NPART__COUNT(lines)};
    const struct npart__operator *newer = npart__operator_find("", "Attention", 24);
    REQUIRE(newer && newer->since == 24);
    const struct npart__operator *schema = npart__loads_schema(&runtime, newer);
    REQUIRE(schema != NULL);
    CHECK(schema->since < 24);
    CHECK(npart__loads_schema(&runtime, npart__operator_find("", "Relu", 14)) == npart__operator_find("", "Relu", 14));
    runtime = npart__newest_loads();
    CHECK(npart__loads_schema(&runtime, npart__operator_find("ai.onnx.preview.training", "Adam", 1)) == NULL);
    CHECK(npart__loads_schema(&runtime, NULL) == NULL);
}

/* ---- data ----------------------------------------------------------------------------------------------------- */

/* Add(x, w) with an initializer of so many bytes, which `use` names. */
static void build_data(size_t bytes, const char *use)
{
    static const uint8_t zeros[64];
    struct bytes model = {0}, graph = {0}, node = {0}, tensor = {0}, opset = {0}, input = {0}, output = {0};
    put_text(&node, 1, use);
    put_text(&node, 1, use);
    put_text(&node, 2, "y");
    put_text(&node, 4, "Add");
    put_bytes(&graph, 1, node.data, node.size);
    put_text(&graph, 2, "g");
    put_number(&tensor, 1, 4);
    put_number(&tensor, 2, 1);
    put_text(&tensor, 8, "w");
    put_bytes(&tensor, 9, zeros, bytes);
    put_bytes(&graph, 5, tensor.data, tensor.size);
    put_text(&input, 1, "x");
    put_bytes(&graph, 11, input.data, input.size);
    put_text(&output, 1, "y");
    put_bytes(&graph, 12, output.data, output.size);
    put_number(&opset, 2, 17);
    put_number(&model, 1, 8);
    put_bytes(&model, 7, graph.data, graph.size);
    put_bytes(&model, 8, opset.data, opset.size);
    bytes_free(&graph);
    bytes_free(&node);
    bytes_free(&tensor);
    bytes_free(&opset);
    bytes_free(&input);
    bytes_free(&output);
    build_model(&built, &model);
}

static void test_valid__data_must_fit_where_it_is_used(void)
{
    static const struct {
        size_t bytes;
        const char *use;
        uint32_t findings;
    } cases[] = {{16, "w", 0}, {15, "w", 1}, {20, "w", 1}, {15, "x", 0}};
    for (size_t i = 0; i < NPART__COUNT(cases); i++) {
        build_data(cases[i].bytes, cases[i].use);
        find();
        CHECK_INT(count_invalid(), cases[i].findings);
        CHECK_INT(npart__is_invalid(&inference), cases[i].findings > 0);
        built_close(&built);
    }
}

/* ---- the limit ------------------------------------------------------------------------------------------------ */

static char lines[1 << 14];

static void add(const char *format, ...)
{
    va_list list;
    size_t used = strlen(lines);
    va_start(list, format);
    int length = vsnprintf(lines + used, sizeof lines - used, format, list);
    va_end(list);
    REQUIRE(length >= 0 && (size_t)length < sizeof lines - used);
}

/* What is stored as a sparse tensor is a dense one to every operator, also to those that take sparse ones alone. */
static void test_valid__sparse_initializers_are_dense(void)
{
    static const uint8_t zeros[8];
    static const struct {
        const char *op, *domain;
        uint32_t findings;
    } cases[] = {{"MatMul", "", 0}, {"SparseToDenseMatMul", "com.microsoft", 1}};
    for (size_t i = 0; i < NPART__COUNT(cases); i++) {
        struct bytes graph = {0}, node = {0}, values = {0}, indices = {0}, sparse = {0}, opset = {0}, input = {0};
        struct bytes output = {0}, contrib = {0};
        put_text(&node, 1, "w");
        put_text(&node, 1, "x");
        put_text(&node, 2, "y");
        put_text(&node, 4, cases[i].op);
        put_text(&node, 7, cases[i].domain);
        put_message(&graph, 1, &node);
        put_text(&graph, 2, "g");
        put_number(&values, 1, 1);
        put_number(&values, 2, 1);
        put_text(&values, 8, "w");
        put_bytes(&values, 9, zeros, 4);
        put_number(&indices, 1, 1);
        put_number(&indices, 2, 7);
        put_bytes(&indices, 9, zeros, 8);
        put_message(&sparse, 1, &values);
        put_message(&sparse, 2, &indices);
        put_number(&sparse, 3, 4);
        put_number(&sparse, 3, 4);
        put_message(&graph, 15, &sparse);
        put_text(&input, 1, "x");
        put_message(&graph, 11, &input);
        put_text(&output, 1, "y");
        put_message(&graph, 12, &output);
        put_number(&opset, 2, 17);
        put_text(&contrib, 1, "com.microsoft");
        put_number(&contrib, 2, 1);
        struct bytes model = {0};
        put_number(&model, 1, 8);
        put_message(&model, 7, &graph);
        put_message(&model, 8, &opset);
        put_message(&model, 8, &contrib);
        build_model(&built, &model);
        find();
        const struct npart__fact *fact = npart__fact_of(&inference, value_named(&built.graph, "w"));
        CHECK_INT(fact->kind, NPART__TYPE_TENSOR);
        CHECK_INT(fact->rank, 2);
        CHECK(fact->is_initializer);
        CHECK_INT(count_invalid(), cases[i].findings);
        built_close(&built);
    }
}

static void test_valid__so_many_findings_and_no_more(void)
{
    for (uint32_t count = NPART__LIMIT_INVALID_FINDINGS - 1; count <= NPART__LIMIT_INVALID_FINDINGS + 1; count++) {
        *lines = '\0';
        add("input x float32[2]\n");
        for (uint32_t i = 0; i < count; i++)
            add("node y%u = Relu(x) beta=1\n", i);
        add("output y0\n");
        build_text(&built, lines);
        find();
        CHECK_INT(count_invalid(), count < NPART__LIMIT_INVALID_FINDINGS ? count : NPART__LIMIT_INVALID_FINDINGS);
        built_close(&built);
    }
}

TESTS(test_valid__newest_runtime, test_valid__every_line_names_an_operator_of_the_standard,
      test_valid__schema_of_the_runtime, test_valid__data_must_fit_where_it_is_used,
      test_valid__sparse_initializers_are_dense, test_valid__so_many_findings_and_no_more)
