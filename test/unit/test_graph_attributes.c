/* SPDX-License-Identifier: Apache-2.0
 *
 * Attributes of every kind, given with and without their type, kept and left out; metadata of nodes; and what is odd
 * about a model but no error.
 */
#include "support/built.h"
#include "support/proto_writer.h"
#include "support/test.h"

static struct built built;
static struct npart__graph *const graph = &built.graph;

/* Builds the small model with a second node that has these attributes, which are freed. */
static const struct npart__node *open_attributes(struct bytes *attributes, size_t count)
{
    struct bytes model_graph = small_graph(), node = {0};
    put_text(&node, 3, "holder");
    put_text(&node, 4, "Constant");
    for (size_t i = 0; i < count; i++)
        put_message(&node, 5, &attributes[i]);
    put_message(&model_graph, 1, &node);
    struct bytes model = model_around(&model_graph);
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "ok");
    REQUIRE(built.status == NPART_OK && graph->nodes.count >= 2);
    const char *broken = broken_promise(graph);
    CHECK_TEXT(broken ? broken : "", "");
    CHECK_INT(graph->nodes.items[1].attribute_count, count);
    return &graph->nodes.items[1];
}

static const struct npart__attribute *open_attribute(struct bytes *attribute)
{
    const struct npart__node *node = open_attributes(attribute, 1);
    const struct npart__attribute *found = npart__node_attribute(graph, node, "value");
    REQUIRE(found);
    CHECK_TEXT(found->name, "value");
    return found;
}

/* A new one with its name and, unless it is 0, its type. */
static struct bytes attribute_of(int type)
{
    struct bytes attribute = {0};
    put_text(&attribute, 1, "value");
    if (type)
        put_number(&attribute, 20, (uint64_t)type);
    return attribute;
}

static void put_tensor(struct bytes *attribute, unsigned field)
{
    struct bytes tensor = {0};
    put_number(&tensor, 1, 3);
    put_number(&tensor, 2, 7);
    put_bytes(&tensor, 7, "\x01\x02\x03", 3);
    put_message(attribute, field, &tensor);
}

/* ---- kinds --------------------------------------------------------------------------------------------------- */

/* Once with the type said, once without, as the first IR version had it. */
static void test_graph_attributes__numbers(void)
{
    for (int says = 0; says < 2; says++) {
        struct bytes attribute = attribute_of(says * 1);
        put_tag(&attribute, 2, WIRE_FIXED32);
        put_fixed32(&attribute, 0x3fc00000);
        const struct npart__attribute *found = open_attribute(&attribute);
        CHECK_INT(found->type, 1);
        CHECK(found->u.f == 1.5f);
        CHECK(!found->is_elided);
        built_close(&built);
        attribute = attribute_of(says * 2);
        put_number(&attribute, 3, UINT64_MAX - 4);
        found = open_attribute(&attribute);
        CHECK_INT(found->type, 2);
        CHECK_INT(found->u.i, -5);
        built_close(&built);
    }
}

static void test_graph_attributes__texts(void)
{
    static const struct {
        const char *text;
        size_t bytes;
    } rows[] = {{"", 0}, {"SAME_UPPER", 10}, {"a\0b", 3}, {"\xff\xfe", 2}};
    for (int says = 0; says < 2; says++) {
        for (size_t i = 0; i < NPART__COUNT(rows); i++) {
            struct bytes attribute = attribute_of(says * 3);
            put_bytes(&attribute, 4, rows[i].text, rows[i].bytes);
            const struct npart__attribute *found = open_attribute(&attribute);
            CHECK_INT(found->type, 3);
            CHECK_INT(found->count, rows[i].bytes);
            CHECK(memcmp(found->u.s, rows[i].text, rows[i].bytes) == 0);
            CHECK_INT(found->u.s[rows[i].bytes], '\0');
            built_close(&built);
        }
    }
}

static void test_graph_attributes__lists_of_numbers(void)
{
    for (int says = 0; says < 2; says++) {
        struct bytes attribute = attribute_of(says * 6);
        put_bytes(&attribute, 7, "\x00\x00\xc0\x3f\x00\x00\x00\x40", 8);
        const struct npart__attribute *found = open_attribute(&attribute);
        CHECK_INT(found->type, 6);
        REQUIRE(found->count == 2);
        CHECK(found->u.floats[0] == 1.5f && found->u.floats[1] == 2.0f);
        built_close(&built);
        attribute = attribute_of(says * 7);
        put_number(&attribute, 8, 3);
        put_bytes(&attribute, 8, "\x04\x05", 2);
        put_number(&attribute, 8, UINT64_MAX);
        found = open_attribute(&attribute);
        CHECK_INT(found->type, 7);
        REQUIRE(found->count == 4);
        CHECK(found->u.ints[0] == 3 && found->u.ints[1] == 4 && found->u.ints[2] == 5 && found->u.ints[3] == -1);
        built_close(&built);
    }
}

static void test_graph_attributes__lists_of_texts(void)
{
    static const struct {
        const char *text;
        size_t bytes;
    } texts[] = {{"one", 3}, {"", 0}, {"t\0o", 3}, {"a longer one, to see where it ends", 34}};
    for (int says = 0; says < 2; says++) {
        struct bytes attribute = attribute_of(says * 8);
        for (size_t i = 0; i < NPART__COUNT(texts); i++)
            put_bytes(&attribute, 9, texts[i].text, texts[i].bytes);
        const struct npart__attribute *found = open_attribute(&attribute);
        CHECK_INT(found->type, 8);
        CHECK_INT(found->count, NPART__COUNT(texts));
        size_t length = 99;
        for (uint32_t i = 0; i < NPART__COUNT(texts); i++) {
            const char *text = npart__attribute_string(found, i, &length);
            REQUIRE(text);
            CHECK_INT(length, texts[i].bytes);
            CHECK(memcmp(text, texts[i].text, texts[i].bytes) == 0);
            CHECK_INT(text[length], '\0');
        }
        CHECK_TEXT(npart__attribute_string(found, NPART__COUNT(texts), &length), "");
        CHECK_INT(length, 0);
        CHECK_TEXT(npart__attribute_string(found, NPART_NONE, &length), "");
        built_close(&built);
    }
    struct bytes attribute = attribute_of(7); /* no list of texts */
    put_number(&attribute, 8, 3);
    size_t length = 99;
    CHECK_TEXT(npart__attribute_string(open_attribute(&attribute), 0, &length), "");
    CHECK_INT(length, 0);
    built_close(&built);
}

static void test_graph_attributes__tensors_and_types(void)
{
    for (int says = 0; says < 2; says++) {
        int64_t numbers[3];
        struct bytes attribute = attribute_of(says * 4);
        put_tensor(&attribute, 5);
        const struct npart__attribute *found = open_attribute(&attribute);
        CHECK_INT(found->type, 4);
        REQUIRE(found->u.tensor && npart__tensor_int64s(found->u.tensor, numbers, 3));
        CHECK(numbers[0] == 1 && numbers[2] == 3);
        CHECK_INT(graph->weight_bytes, 24);
        built_close(&built);

        attribute = attribute_of(says * 11);
        struct bytes sparse = {0};
        put_tensor(&sparse, 1);
        put_number(&sparse, 3, 100);
        put_message(&attribute, 22, &sparse);
        found = open_attribute(&attribute);
        CHECK_INT(found->type, 11);
        REQUIRE(found->u.tensor);
        CHECK(found->u.tensor->is_sparse);
        CHECK_INT(found->u.tensor->elements, 100);
        CHECK_INT(graph->weight_bytes, 800);
        built_close(&built);

        attribute = attribute_of(says * 13);
        struct bytes type = {0}, tensor_type = {0};
        put_number(&tensor_type, 1, 9);
        put_message(&type, 1, &tensor_type);
        put_message(&attribute, 14, &type);
        found = open_attribute(&attribute);
        CHECK_INT(found->type, 13);
        REQUIRE(found->u.declared);
        CHECK_INT(found->u.declared->element_type, 9);
        built_close(&built);
    }
}

/* Lists that the analysis has no use for are there by name and type. */
static void test_graph_attributes__lists_of_tensors_and_types(void)
{
    static const struct {
        int type;
        unsigned field;
    } rows[] = {{9, 10}, {12, 23}, {14, 15}};
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        for (int says = 0; says < 2; says++) {
            struct bytes attribute = attribute_of(says * rows[i].type), item = {0};
            put_message(&attribute, rows[i].field, &item);
            CHECK_INT(open_attribute(&attribute)->type, rows[i].type);
            built_close(&built);
        }
    }
}

/* Said to be what it does not hold. */
static void test_graph_attributes__said_to_be_what_they_are_not(void)
{
    for (int type = 1; type <= 14; type++) {
        struct bytes attribute = attribute_of(type);
        const struct npart__attribute *found = open_attribute(&attribute);
        CHECK_INT(found->type, type);
        CHECK_INT(found->count, 0);
        if (type == 4 || type == 11)
            CHECK(found->u.tensor == NULL);
        built_close(&built);
    }
    static const int beyond[] = {15, 100, 255, 256, 257, 259, 65537, 1 << 30, -1};
    for (size_t i = 0; i < NPART__COUNT(beyond); i++) {
        struct bytes attribute = attribute_of(0);
        put_number(&attribute, 20, (uint64_t)(int64_t)beyond[i]);
        put_number(&attribute, 3, 5);
        CHECK_INT(open_attribute(&attribute)->type, 0); /* of no type that there is, not of its last byte's */
        built_close(&built);
    }
    struct bytes attribute = attribute_of(0);
    CHECK_INT(open_attribute(&attribute)->type, 0);
    built_close(&built);
}

/* The type decides, not what else is filled in. */
static void test_graph_attributes__the_type_decides(void)
{
    struct bytes attribute = attribute_of(2);
    put_number(&attribute, 3, 5);
    put_text(&attribute, 4, "text");
    put_number(&attribute, 8, 7);
    const struct npart__attribute *found = open_attribute(&attribute);
    CHECK_INT(found->type, 2);
    CHECK_INT(found->u.i, 5);
    built_close(&built);
}

/* ---- kept and left out --------------------------------------------------------------------------------------- */

static void test_graph_attributes__left_out(void)
{
    static uint8_t ones[70000];
    memset(ones, 1, sizeof ones);
    struct bytes attribute = attribute_of(7);
    put_bytes(&attribute, 8, ones, 65536);
    const struct npart__attribute *found = open_attribute(&attribute);
    CHECK(!found->is_elided);
    CHECK_INT(found->count, 65536);
    built_close(&built);
    attribute = attribute_of(7);
    put_bytes(&attribute, 8, ones, 65537);
    found = open_attribute(&attribute);
    CHECK(found->is_elided);
    CHECK_INT(found->count, 0);
    built_close(&built);
    attribute = attribute_of(3);
    put_bytes(&attribute, 4, ones, 65537);
    found = open_attribute(&attribute);
    CHECK(found->is_elided);
    CHECK_TEXT(found->u.s, "");
    built_close(&built);
}

/* ---- by name ------------------------------------------------------------------------------------------------- */

static void test_graph_attributes__by_name(void)
{
    struct bytes attributes[4] = {{0}};
    static const char *const names[] = {"axis", "", "axis", "axes"};
    for (size_t i = 0; i < NPART__COUNT(names); i++) {
        put_text(&attributes[i], 1, names[i]);
        put_number(&attributes[i], 3, i);
    }
    const struct npart__node *node = open_attributes(attributes, 4);
    CHECK_INT(npart__node_attribute(graph, node, "axis")->u.i, 0); /* of two the first */
    CHECK_INT(npart__node_attribute(graph, node, "")->u.i, 1);
    CHECK_INT(npart__node_attribute(graph, node, "axes")->u.i, 3);
    CHECK(npart__node_attribute(graph, node, "axi") == NULL);
    CHECK(npart__node_attribute(graph, node, "axis ") == NULL);
    CHECK(npart__node_attribute(graph, &graph->nodes.items[0], "axis") == NULL);
    built_close(&built);
}

/* ---- metadata ------------------------------------------------------------------------------------------------ */

static void put_entry(struct bytes *node, const char *key, const char *value)
{
    struct bytes entry = {0};
    if (key)
        put_text(&entry, 1, key);
    if (value)
        put_text(&entry, 2, value);
    put_message(node, 9, &entry);
}

static void test_graph_attributes__metadata(void)
{
    struct bytes model_graph = small_graph(), node = {0};
    put_text(&node, 4, "Relu");
    put_text(&node, 1, "x");
    put_entry(&node, NULL, NULL);
    put_entry(&node, "pkg.torch.onnx.stack_trace", NULL);
    put_entry(&node, NULL, "a value without a key");
    put_entry(&node, "pkg.torch.onnx.stack_trace", "File \"model.py\", line 7");
    put_entry(&node, "pkg.torch.onnx.stack_trace", "another");
    put_entry(&node, "pkg.torch.onnx.name_scopes", "['', 'encoder']");
    put_entry(&node, "pkg.torch.onnx.class_hierarchy", "");
    put_message(&model_graph, 1, &node);
    struct bytes model = model_around(&model_graph);
    build_model(&built, &model);
    const struct npart__node *found = &graph->nodes.items[1];
    CHECK_TEXT(npart__node_metadata(found, "pkg.torch.onnx.stack_trace"), "File \"model.py\", line 7");
    CHECK_TEXT(npart__node_metadata(found, "pkg.torch.onnx.name_scopes"), "['', 'encoder']");
    CHECK_TEXT(npart__node_metadata(found, "pkg.torch.onnx.class_hierarchy"), "");
    CHECK(npart__node_metadata(found, "pkg.torch") == NULL);
    CHECK(npart__node_metadata(&graph->nodes.items[0], "pkg.torch.onnx.name_scopes") == NULL);
    built_close(&built);
}

/* ---- findings ------------------------------------------------------------------------------------------------ */

struct row {
    const char *model, *code;
    const char *wanted[3];
};

static void test_graph_attributes__findings(void)
{
    static const struct row rows[] = {
        {"opset 17\ninput x float32[2]\nnode a = Foo(x) @one\nnode b = Foo(a)\nnode c = Bar(b)\noutput c\n",
         "unknown-operator",
         {"Foo is no operator of domain \"ai.onnx\" at version 17 (node 0 (Foo one))", /* told once */
          "Bar is no operator of domain \"ai.onnx\" at version 17 (node 2 (Bar))"}},
        {"opset 6\ninput x float32[2]\nnode a = Clip(x)\nnode b = Where(a)\noutput b\n", /* from 9 on */
         "unknown-operator",
         {"Where is no operator of domain \"ai.onnx\" at version 6 (node 1 (Where))"}},
        {"opset 17\nopset my 3\ninput x float32[2]\nnode a = my:Op(x)\nnode b = your:Op(a)\nnode c = Op(b)\noutput c\n",
         "unknown-operator",
         {"Op is no operator of domain \"my\" at version 3 (node 0 (Op))",
          "Op is no operator of domain \"ai.onnx\" at version 17 (node 2 (Op))"}},
        {"opset 17\nopset my 3\ninput x float32[2]\nnode a = my:Op(x)\nnode b = your:Op(a)\nnode c = Op(b)\noutput c\n",
         "unknown-domain",
         {"the model imports no version of domain \"your\", which Op belongs to (node 1 (Op))"}},
        {"opset com.microsoft 1\ninput x float32[2]\nnode a = Relu(x)\nnode b = Relu(a)\noutput b\n", "unknown-domain",
         {"the model imports no version of domain \"ai.onnx\", which Relu belongs to (node 0 (Relu))"}},
        /* Files often forget to import what ONNX Runtime contributes. */
        {"opset 17\ninput x float32[2]\nnode a = com.microsoft:Gelu(x)\noutput a\n", "unknown-domain", {""}},
        {"opset 17\ninput x float32[2]\nnode a = com.microsoft:Nothing(x)\noutput a\n", "unknown-domain",
         {"the model imports no version of domain \"com.microsoft\", which Nothing belongs to (node 0 (Nothing))"}},
        {"opset 17\nopset my 1\nfunction my:F(p) -> (q)\nnode q = Relu(p)\nopset 17\nend\ninput x float32[2]\n"
         "node a = my:F(x)\noutput a\n",
         "unknown-operator", {""}}, /* a call is known by its function */
        {"opset 17\nopset 13\ninput x float32[2]\nnode a = Relu(x)\noutput a\n", "unknown-operator", {""}},
    };
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        build_text(&built, rows[i].model);
        CHECK_TEXT(built_text(&built), "ok");
        for (unsigned k = 0; k < NPART__COUNT(rows[i].wanted); k++)
            CHECK_TEXT(finding_text(graph, rows[i].code, k), rows[i].wanted[k] ? rows[i].wanted[k] : "");
        built_close(&built);
    }
}

/* Of a domain imported twice the last counts, as for ONNX's checker and ONNX Runtime; it is listed once. */
static void test_graph_attributes__opsets(void)
{
    build_text(&built, "opset 13\nopset com.microsoft 1\nopset ai.onnx 17\nopset com.microsoft 1\n"
                       "input x float32[2]\nnode a = Relu(x)\noutput a\n");
    CHECK_TEXT(built_text(&built), "ok");
    CHECK_INT(graph->opset_count, 2);
    CHECK_TEXT(graph->opsets[0].domain, "ai.onnx");
    CHECK_INT(graph->opsets[0].version, 17);
    CHECK_TEXT(graph->opsets[1].domain, "com.microsoft");
    CHECK_INT(graph->nodes.items[0].opset_version, 17);
    CHECK_INT(graph->nodes.items[0].schema->since, 14);
    CHECK_TEXT(finding_text(graph, "repeated-opset", 0),
               "domain \"ai.onnx\" is imported at version 13 and again at 17, which counts ()");
    CHECK_TEXT(finding_text(graph, "repeated-opset", 1), "");
    built_close(&built);
}

/* `count` imports, of the model or of its one function. */
static void open_imports(unsigned count, bool of_function)
{
    struct bytes model_graph = small_graph(), model = {0}, function = {0};
    put_message(&model, 7, &model_graph);
    for (unsigned i = 0; i < count; i++) {
        struct bytes opset = {0};
        char domain[32] = "";
        if (i)
            (void)snprintf(domain, sizeof domain, "d%u", i);
        put_text(&opset, 1, domain);
        put_number(&opset, 2, 17);
        put_message(of_function ? &function : &model, of_function ? 9 : 8, &opset);
    }
    put_text(&function, 1, "F");
    put_text(&function, 10, "my");
    put_message(&model, 25, &function);
    build_model(&built, &model);
}

static void test_graph_attributes__too_many_opsets(void)
{
    for (int of_function = 0; of_function < 2; of_function++) {
        open_imports(NPART__LIMIT_OPSETS, of_function);
        CHECK_TEXT(built_text(&built), "ok");
        built_close(&built);
        open_imports(NPART__LIMIT_OPSETS + 1, of_function);
        CHECK_TEXT(built_text(&built), "limit passed: more than 1024 operator sets are imported (limit opsets)");
        built_close(&built);
    }
}

/* Versions that are no versions. */
static void test_graph_attributes__opsets_that_cannot_be(void)
{
    static const struct {
        int64_t imported;
        int32_t version;
        bool is_known;
    } rows[] = {{0, 0, false}, {-1, 0, false}, {INT64_MIN, 0, false}, {INT64_MAX, INT32_MAX, true},
                {INT64_C(1) << 32, INT32_MAX, true}, {1, 1, true}};
    for (size_t i = 0; i < NPART__COUNT(rows); i++) {
        struct bytes model_graph = small_graph(), model = {0}, opset = {0};
        put_message(&model, 7, &model_graph);
        put_number(&opset, 2, (uint64_t)rows[i].imported);
        put_message(&model, 8, &opset);
        build_model(&built, &model);
        CHECK_TEXT(built_text(&built), "ok");
        CHECK_INT(graph->nodes.items[0].opset_version, rows[i].version);
        CHECK_INT(graph->nodes.items[0].schema != NULL, rows[i].is_known);
        CHECK_INT(graph->opsets[0].version, rows[i].imported);
        built_close(&built);
    }
}

static void test_graph_attributes__training_information(void)
{
    struct bytes model_graph = small_graph(), model = model_around(&model_graph), training = {0};
    put_pattern(&training, 12345, 0);
    put_message(&model, 20, &training);
    build_model(&built, &model);
    CHECK_TEXT(finding_text(graph, "training-info", 0), "12345 bytes of training information are left out ()");
    built_close(&built);
}

TESTS(test_graph_attributes__numbers, test_graph_attributes__texts, test_graph_attributes__lists_of_numbers,
      test_graph_attributes__lists_of_texts, test_graph_attributes__tensors_and_types,
      test_graph_attributes__lists_of_tensors_and_types, test_graph_attributes__said_to_be_what_they_are_not,
      test_graph_attributes__the_type_decides, test_graph_attributes__left_out, test_graph_attributes__by_name,
      test_graph_attributes__metadata, test_graph_attributes__findings, test_graph_attributes__opsets,
      test_graph_attributes__too_many_opsets, test_graph_attributes__opsets_that_cannot_be,
      test_graph_attributes__training_information)
