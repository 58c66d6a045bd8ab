/* SPDX-License-Identifier: Apache-2.0
 *
 * Names in one graph: who makes and uses which value, what is made twice or never, absent operands, initializers that
 * are inputs, declared types, and the graph's own inputs and outputs.
 */
#include "support/built.h"
#include "support/proto_writer.h"
#include "support/test.h"

static struct built built;
static struct npart__graph *const graph = &built.graph;

static void open_text(const char *text)
{
    build_text(&built, text);
    CHECK_TEXT(built_text(&built), "ok");
    REQUIRE(built.status == NPART_OK);
    const char *broken = broken_promise(graph);
    CHECK_TEXT(broken ? broken : "", "");
}

struct row {
    const char *model, *wanted;
};

static void check_rows(const struct row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        int failures = test_failures;
        build_text(&built, rows[i].model);
        CHECK_TEXT(built_text(&built), rows[i].wanted);
        if (built.status == NPART_OK) {
            const char *broken = broken_promise(graph);
            CHECK_TEXT(broken ? broken : "", "");
        } else {
            CHECK_INT(built.error.status, built.status);
        }
        if (failures != test_failures)
            fprintf(stderr, "in the model\n%s", rows[i].model);
        built_close(&built);
    }
}

/* ---- who makes and uses what --------------------------------------------------------------------------------- */

static void test_graph_names__producers_and_consumers(void)
{
    open_text("input x float32[2]\n"
              "input unused float32[2]\n"
              "init w float32[2]\n"
              "node a = Relu(x)\n"
              "node b, c, d = Split(a)\n"
              "node e = Sum(b, w, b, a, , w)\n"
              "node f = Mul(e, c)\n"
              "output f\n");
    static const struct {
        const char *value, *producer, *consumers;
        enum npart__value_kind kind;
        bool is_output;
    } rows[] = {
        {"x", "", "a", NPART__VALUE_INPUT, false},
        {"unused", "", "", NPART__VALUE_INPUT, false},
        {"w", "", "e e", NPART__VALUE_INITIALIZER, false},
        {"a", "a", "b e", NPART__VALUE_OUTPUT, false},
        {"b", "b", "e e", NPART__VALUE_OUTPUT, false},
        {"c", "b", "f", NPART__VALUE_OUTPUT, false},
        {"d", "b", "", NPART__VALUE_OUTPUT, false},
        {"e", "e", "f", NPART__VALUE_OUTPUT, false},
        {"f", "f", "", NPART__VALUE_OUTPUT, true},
    };
    CHECK_INT(graph->values.count, NPART__COUNT(rows));
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        uint32_t id = value_named(graph, rows[i].value);
        REQUIRE(id != NPART_NONE);
        const struct npart__value *value = &graph->values.items[id];
        CHECK_TEXT(value->producer == NPART_NONE ? "" : node_label(graph, value->producer), rows[i].producer);
        CHECK_TEXT(consumers_text(graph, id), rows[i].consumers);
        CHECK_INT(value->kind, rows[i].kind);
        CHECK_INT(value->is_graph_output, rows[i].is_output);
        CHECK_INT(value->scope, 0);
        CHECK_INT(value->alias, id);
    }
    CHECK_INT(graph->scopes.items[0].input_count, 2);
    CHECK_INT(graph->scopes.items[0].output_count, 1);
    CHECK_INT(graph->operands.items[graph->scopes.items[0].first_input + 1], value_named(graph, "unused"));
    CHECK_INT(graph->operands.items[graph->scopes.items[0].first_output], value_named(graph, "f"));
    built_close(&built);
}

static void test_graph_names__nodes_as_the_file_has_them(void)
{
    open_text("opset 17\n"
              "opset com.microsoft 1\n"
              "opset my.domain 3\n"
              "input x float32[2]\n"
              "node a = Relu(x) @first\n"
              "node -, b = Split(a) axis=0\n"
              "node c = com.microsoft:Gelu(b) @third\n"
              "node d = ai.onnx:Clip(c, , )\n"
              "node e = my.domain:Thing(d)\n"
              "node f = Nope(e) @third\n"
              "node g = other:Thing(f)\n"
              "output g\n");
    static const struct {
        const char *name, *op, *domain;
        uint32_t inputs, outputs;
        int32_t version;
        int since; /* of the schema; 0: none */
    } rows[] = {
        {"first", "Relu", "", 1, 1, 17, 14},
        {"", "Split", "", 1, 2, 17, 13},
        {"third", "Gelu", "com.microsoft", 1, 1, 1, 1},
        {"", "Clip", "", 2, 1, 17, 13},
        {"", "Thing", "my.domain", 1, 1, 3, 0},
        {"third", "Nope", "", 1, 1, 17, 0}, /* names need not differ */
        {"", "Thing", "other", 1, 1, 0, 0},
    };
    REQUIRE(graph->nodes.count == NPART__COUNT(rows));
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = &graph->nodes.items[i];
        CHECK_TEXT(node->name, rows[i].name);
        CHECK_TEXT(npart__node_op(graph, node), rows[i].op);
        CHECK_TEXT(npart__text(&graph->strings, node->domain), rows[i].domain);
        CHECK_INT(node->domain == 0, *rows[i].domain == '\0');
        CHECK_INT(node->input_count, rows[i].inputs);
        CHECK_INT(node->output_count, rows[i].outputs);
        CHECK_INT(node->opset_version, rows[i].version);
        CHECK_INT(node->schema ? node->schema->since : 0, rows[i].since);
        CHECK_INT(node->index, i);
        CHECK_INT(node->callee, NPART_NONE);
        CHECK_INT(npart__node_input(graph, node, rows[i].inputs), NPART_NONE); /* past the last */
        CHECK_INT(npart__node_output(graph, node, rows[i].outputs), NPART_NONE);
    }
    CHECK_INT(npart__node_output(graph, &graph->nodes.items[1], 0), NPART_NONE);
    CHECK_INT(npart__node_input(graph, &graph->nodes.items[3], 1), NPART_NONE);
    built_close(&built);
}

/* ---- made twice, made never ---------------------------------------------------------------------------------- */

static void test_graph_names__values_made_twice_or_never(void)
{
    static const struct row rows[] = {
        {"input x float32[2]\nnode a = Relu(x)\nnode a = Neg(x)\noutput a\n",
         "malformed, node 1 (Neg): its output \"a\" is made twice"},
        {"input x float32[2]\nnode a, a = Split(x) @s\noutput a\n",
         "malformed, node 0 (Split s): its output \"a\" is made twice"},
        {"input x float32[2]\nnode x = Relu(x)\noutput x\n",
         "malformed, node 0 (Relu): its output \"x\" is made twice"},
        {"init w float32[2]\nnode w = Neg(w)\noutput w\n", "malformed, node 0 (Neg): its output \"w\" is made twice"},
        {"input x float32[2]\ninput x float32[2]\nnode a = Relu(x)\noutput a\n",
         "malformed: graph input \"x\" is there twice"},
        {"init w float32[2]\ninit w float32[2]\nnode a = Relu(w)\noutput a\n",
         "malformed: initializer \"w\" is there twice"},
        {"input w float32[2]\ninit w float32[2]\ninit w float32[2]\nnode a = Relu(w)\noutput a\n",
         "malformed: initializer \"w\" is there twice"},
        {"input x float32[2]\nnode a = Relu(y) @r\noutput a\n",
         "malformed, node 0 (Relu r): nothing makes its input \"y\""},
        {"input x float32[2]\nnode a = Add(x, later)\noutput a\n",
         "malformed, node 0 (Add): nothing makes its input \"later\""},
        {"input x float32[2]\nnode a = Relu(x)\noutput b\n", "malformed: nothing makes graph output \"b\""},
        {"value v float32[2]\nnode a = Relu(v)\noutput a\n", /* a declared type makes nothing */
         "malformed, node 0 (Relu): nothing makes its input \"v\""},
        {"input x float32[2]\nnode -, - = Split(x)\nnode - = Relu(x)\noutput x\n", "ok"}, /* absent is not twice */
        {"input x float32[2]\nnode a = Concat(, x, )\noutput a\n", "ok"},
        {"input x float32[2]\noutput x\n", "ok"}, /* no node at all */
        {"init w float32[2]\noutput w\n", "ok"},
        {"input x float32[2]\nnode a = Relu(x)\noutput a\noutput a\n", "ok"}, /* one value, two outputs */
        {"", "ok"},
    };
    check_rows(rows, NPART__COUNT(rows));
}

static void test_graph_names__an_output_without_a_name(void)
{
    struct bytes model_graph = {0}, output = {0};
    put_text(&output, 1, "");
    put_message(&model_graph, 12, &output);
    struct bytes model = model_around(&model_graph);
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "malformed: nothing makes graph output \"\"");
    built_close(&built);
}

/* ---- initializers and inputs --------------------------------------------------------------------------------- */

static void test_graph_names__initializers_that_are_inputs(void)
{
    static const struct {
        int version;
        enum npart__value_kind kind;
    } rows[] = {
        {3, NPART__VALUE_INITIALIZER}, /* every initializer had to be an input */
        {4, NPART__VALUE_OVERRIDABLE},
        {9, NPART__VALUE_OVERRIDABLE},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        char text[200];
        (void)snprintf(
            text, sizeof text,
            "ir %d\ninput w float32[2]\ninit w float32[2]\ninit v float32[2]\nnode a = Add(w, v)\noutput a\n",
            rows[i].version);
        open_text(text);
        const struct npart__value *value = &graph->values.items[value_named(graph, "w")];
        CHECK_INT(value->kind, rows[i].kind);
        CHECK(value->tensor && value->declared);
        CHECK_INT(graph->values.items[value_named(graph, "v")].kind, NPART__VALUE_INITIALIZER);
        CHECK_INT(graph->scopes.items[0].input_count, 1);
        CHECK_INT(graph->weight_bytes, 16);
        CHECK_INT(graph->ir_version, rows[i].version);
        built_close(&built);
    }
}

/* ---- declared types ------------------------------------------------------------------------------------------ */

static void test_graph_names__declared_types(void)
{
    open_text("input x float32[1,batch,?]\n"
              "value a float16[2,n]\n"
              "value nowhere float32[3]\n"
              "value x int64[9]\n" /* what the input says goes first */
              "node a = Relu(x)\n"
              "node b = Relu(a)\n"
              "node c = Relu(b)\n"
              "node s = Relu(c)\n"
              "output b int32[]\n"
              "output c ?\n"
              "output s float32\n"
              "output a float32[7]\n");
    const struct npart__declared_type *type = graph->values.items[value_named(graph, "x")].declared;
    REQUIRE(type);
    CHECK_INT(type->kind, NPART__TYPE_TENSOR);
    CHECK_INT(type->element_type, 1);
    CHECK(type->has_rank);
    REQUIRE(type->rank == 3);
    CHECK_INT(type->dims[0].value, 1);
    CHECK(type->dims[0].parameter == NULL);
    CHECK_INT(type->dims[1].value, -1);
    CHECK_TEXT(type->dims[1].parameter, "batch");
    CHECK_INT(type->dims[2].value, -1);
    CHECK(type->dims[2].parameter == NULL);
    type = graph->values.items[value_named(graph, "a")].declared;
    REQUIRE(type && type->rank == 1); /* as an output it was met first */
    CHECK_INT(type->dims[0].value, 7);
    type = graph->values.items[value_named(graph, "b")].declared;
    REQUIRE(type && type->has_rank);
    CHECK_INT(type->rank, 0);
    CHECK_INT(type->element_type, 6);
    type = graph->values.items[value_named(graph, "c")].declared;
    CHECK(type && !type->has_rank && type->element_type == 0);
    type = graph->values.items[value_named(graph, "s")].declared;
    CHECK(type && !type->has_rank && type->element_type == 1);
    CHECK_INT(value_named(graph, "nowhere"), NPART_NONE);
    built_close(&built);
}

/* A type as protobuf fields: of an input x. */
static void open_type(struct bytes *type)
{
    struct bytes model_graph = {0}, input = {0};
    put_text(&input, 1, "x");
    put_message(&input, 2, type);
    put_message(&model_graph, 11, &input);
    struct bytes model = model_around(&model_graph);
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "ok");
    REQUIRE(built.status == NPART_OK && graph->values.items[0].declared);
}

static void test_graph_names__types_that_are_no_tensors(void)
{
    struct bytes tensor = {0}, type = {0}, sequence = {0}, optional = {0}, map = {0}, sparse = {0};
    put_number(&tensor, 1, 7);
    put_message(&type, 1, &tensor);
    put_message(&sequence, 1, &type);
    type = (struct bytes){0};
    put_message(&type, 4, &sequence);
    put_message(&optional, 1, &type);
    type = (struct bytes){0};
    put_message(&type, 9, &optional);
    open_type(&type); /* optional(sequence(tensor(int64))) */
    const struct npart__declared_type *declared = graph->values.items[0].declared;
    CHECK_INT(declared->kind, NPART__TYPE_OPTIONAL);
    REQUIRE(declared->element);
    CHECK_INT(declared->element->kind, NPART__TYPE_SEQUENCE);
    REQUIRE(declared->element->element);
    CHECK_INT(declared->element->element->kind, NPART__TYPE_TENSOR);
    CHECK_INT(declared->element->element->element_type, 7);
    built_close(&built);

    type = (struct bytes){0};
    put_number(&sparse, 1, 11);
    put_message(&type, 8, &sparse);
    open_type(&type);
    CHECK_INT(graph->values.items[0].declared->kind, NPART__TYPE_SPARSE);
    CHECK_INT(graph->values.items[0].declared->element_type, 11);
    built_close(&built);

    type = (struct bytes){0};
    put_number(&map, 1, 8);
    put_message(&type, 5, &map);
    open_type(&type); /* a map without a value type */
    CHECK_INT(graph->values.items[0].declared->kind, NPART__TYPE_MAP);
    CHECK_INT(graph->values.items[0].declared->element_type, 8);
    CHECK(graph->values.items[0].declared->element == NULL);
    built_close(&built);

    type = (struct bytes){0};
    struct bytes opaque = {0};
    put_message(&type, 7, &opaque);
    open_type(&type);
    CHECK_INT(graph->values.items[0].declared->kind, NPART__TYPE_OPAQUE);
    built_close(&built);

    type = (struct bytes){0};
    open_type(&type);
    CHECK_INT(graph->values.items[0].declared->kind, NPART__TYPE_UNKNOWN);
    built_close(&built);
}

/* Element types and dims that cannot be are not known. */
static void test_graph_names__types_that_cannot_be(void)
{
    static const uint64_t numbers[] = {0, 256, 257, UINT64_MAX, UINT64_C(1) << 32 | 1};
    for (size_t i = 0; i < NPART__COUNT(numbers); i++) {
        struct bytes type = {0}, tensor = {0}, shape = {0}, dim = {0}, empty = {0};
        put_number(&tensor, 1, numbers[i]);
        put_number(&dim, 1, UINT64_MAX); /* -1 */
        put_message(&shape, 1, &dim);
        put_text(&dim, 2, "");
        put_message(&shape, 1, &dim);
        put_message(&shape, 1, &empty);
        put_message(&tensor, 2, &shape);
        put_message(&type, 1, &tensor);
        open_type(&type);
        const struct npart__declared_type *declared = graph->values.items[0].declared;
        CHECK_INT(declared->element_type, numbers[i] == (UINT64_C(1) << 32 | 1) ? 1 : 0); /* an int32 is cut */
        REQUIRE(declared->rank == 3);
        for (int k = 0; k < 3; k++) {
            CHECK_INT(declared->dims[k].value, -1);
            CHECK(declared->dims[k].parameter == NULL);
        }
        built_close(&built);
    }
}

static void test_graph_names__a_rank_beyond_all_ranks(void)
{
    static const size_t ranks[] = {65535, 65536, 70000};
    for (size_t i = 0; i < NPART__COUNT(ranks); i++) {
        struct bytes type = {0}, tensor = {0}, shape = {0};
        for (size_t k = 0; k < ranks[i]; k++) {
            struct bytes dim = {0};
            put_number(&dim, 1, 1);
            put_message(&shape, 1, &dim);
        }
        put_message(&tensor, 2, &shape);
        put_message(&type, 1, &tensor);
        open_type(&type);
        const struct npart__declared_type *declared = graph->values.items[0].declared;
        CHECK_INT(declared->has_rank, ranks[i] <= 65535);
        CHECK_INT(declared->rank, ranks[i] <= 65535 ? ranks[i] : 0);
        built_close(&built);
    }
}

/* ---- the model ----------------------------------------------------------------------------------------------- */

static void test_graph_names__facts_of_the_model(void)
{
    struct bytes model_graph = small_graph(), model = model_around(&model_graph);
    put_text(&model, 2, "pytorch");
    put_text(&model, 3, "2.4.0");
    size_t size = model.size;
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "ok");
    CHECK_TEXT(graph->producer_name, "pytorch");
    CHECK_TEXT(graph->producer_version, "2.4.0");
    CHECK_INT(graph->ir_version, 9);
    CHECK_INT(graph->input_bytes, size);
    CHECK_INT(graph->weight_bytes, 0);
    CHECK_INT(graph->opset_count, 1);
    CHECK_TEXT(graph->opsets[0].domain, "ai.onnx");
    CHECK_INT(graph->opsets[0].version, 17);
    CHECK_INT(graph->findings.count, 0);
    built_close(&built);
    model_graph = (struct bytes){0};
    model = (struct bytes){0};
    put_message(&model, 7, &model_graph);
    build_model(&built, &model); /* nothing said */
    CHECK_TEXT(built_text(&built), "ok");
    CHECK_TEXT(graph->producer_name, "");
    CHECK_TEXT(graph->producer_version, "");
    CHECK_INT(graph->ir_version, 0);
    CHECK_INT(graph->opset_count, 0);
    built_close(&built);
}

TESTS(test_graph_names__producers_and_consumers, test_graph_names__nodes_as_the_file_has_them,
      test_graph_names__values_made_twice_or_never, test_graph_names__an_output_without_a_name,
      test_graph_names__initializers_that_are_inputs, test_graph_names__declared_types,
      test_graph_names__types_that_are_no_tensors, test_graph_names__types_that_cannot_be,
      test_graph_names__a_rank_beyond_all_ranks, test_graph_names__facts_of_the_model)
