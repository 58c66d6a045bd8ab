/* SPDX-License-Identifier: Apache-2.0
 *
 * Graphs that are too much: functions that multiply, bodies as deep as messages may nest, long names and lists. And
 * that every model of fixtures/ makes a graph that keeps the promises of graph.h.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <dirent.h>

#include "support/built.h"
#include "support/proto_writer.h"
#include "support/test.h"

static struct built built;
static struct npart__graph *const graph = &built.graph;

/* ---- functions that multiply --------------------------------------------------------------------------------- */

/* Functions each of which calls the next twice: 2^levels nodes. */
static void open_doubling(unsigned levels)
{
    static char text[20000];
    (void)snprintf(text, sizeof text, "opset 17\nopset my 1\ninput x float32[2]\n");
    for (unsigned i = 0; i < levels; i++) {
        char line[300], next[32] = "Relu";
        if (i + 1 < levels)
            (void)snprintf(next, sizeof next, "my:F%u", i + 1);
        (void)snprintf(line, sizeof line, "function my:F%u(p) -> (q)\nnode r = %s(p)\nnode q = %s(r)\nopset 17\n"
                                          "opset my 1\nend\n",
                       i, next, next);
        strcat(text, line);
    }
    strcat(text, "node y = my:F0(x)\noutput y\n");
    build_text(&built, text);
}

static void test_graph_limits__functions_that_double(void)
{
    open_doubling(12);
    CHECK_TEXT(built_text(&built), "ok");
    CHECK_INT(graph->scopes.items[0].order_count, 4096);
    CHECK_INT(graph->nodes.count, 1 + 2 + 4 + 8 + 16 + 32 + 64 + 128 + 256 + 512 + 1024 + 2048 + 4096);
    const char *broken = broken_promise(graph);
    CHECK_TEXT(broken ? broken : "", "");
    built_close(&built);
}

/* Three kilobytes that would be a billion nodes are refused before they take anything. */
static void test_graph_limits__functions_that_double_too_often(void)
{
    open_doubling(30);
    const char *told = "limit passed: the functions that are called make more than ";
    CHECK(strncmp(built_text(&built), told, strlen(told)) == 0);
    CHECK(built.arena.total_bytes < 1 << 18);
    built_close(&built);
}

/* Calls of a function of `nodes` nodes, and a name of so many bytes, which the file is longer by. */
static struct bytes model_of_calls(unsigned calls, unsigned nodes, unsigned name_bytes)
{
    struct bytes graph_bytes = {0}, function = {0}, import = {0}, model = {0};
    struct bytes relu = {0}, call = {0};
    put_text(&relu, 1, "p");
    put_text(&relu, 4, "Relu");
    for (unsigned i = 0; i < nodes; i++)
        put_bytes(&function, 7, relu.data, relu.size);
    put_text(&function, 1, "F");
    put_text(&function, 4, "p");
    put_text(&function, 10, "my");
    put_text(&call, 1, "x");
    put_text(&call, 4, "F");
    put_text(&call, 7, "my");
    for (unsigned i = 0; i < calls; i++)
        put_bytes(&graph_bytes, 1, call.data, call.size);
    struct bytes input = {0};
    put_text(&input, 1, "x");
    put_message(&graph_bytes, 11, &input);
    put_number(&import, 2, 17);
    put_number(&model, 1, 8);
    put_message(&model, 7, &graph_bytes);
    put_message(&model, 8, &import);
    put_message(&model, 25, &function);
    char *name = calloc(name_bytes + 1, 1);
    REQUIRE(name);
    memset(name, 'n', name_bytes);
    put_text(&model, 2, name);
    free(name);
    bytes_free(&relu);
    bytes_free(&call);
    return model;
}

/* A call makes 5 + 5 x NODES things, each node a node and an operand; four are one of the limit. */
static void test_graph_limits__as_many_as_may_be_inlined(void)
{
    enum { CALLS = 200, NODES = 599, THINGS = CALLS * (5 + 5 * NODES) };
    struct bytes model = model_of_calls(CALLS, NODES, 1);
    uint64_t wanted = THINGS / 4 - NPART__LIMIT_INLINED_NODES;
    REQUIRE(THINGS % 4 == 0 && wanted > model.size + 200);
    unsigned name_bytes = (unsigned)(wanted - model.size);
    bytes_free(&model);
    for (model = model_of_calls(CALLS, NODES, name_bytes); model.size > wanted; name_bytes--) {
        bytes_free(&model);
        model = model_of_calls(CALLS, NODES, name_bytes - 1);
    }
    REQUIRE(model.size == wanted);
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "ok");
    CHECK_INT(graph->nodes.count, CALLS * (1 + NODES));
    built_close(&built);
    model = model_of_calls(CALLS, NODES, name_bytes - 1);
    REQUIRE(model.size == wanted - 1);
    build_model(&built, &model);
    CHECK_INT(built.status, NPART_ERROR_LIMIT);
    built_close(&built);
}

/* Not in one call, but in many: what earlier calls took counts. */
static void test_graph_limits__many_calls_of_much(void)
{
    static char text[30000];
    (void)snprintf(text, sizeof text, "opset 17\nopset my 1\ninput x float32[2]\n");
    for (unsigned i = 0; i < 16; i++) {
        char line[300], next[32] = "Relu";
        if (i < 15)
            (void)snprintf(next, sizeof next, "my:F%u", i + 1);
        (void)snprintf(line, sizeof line, "function my:F%u(p) -> (q)\nnode r = %s(p)\nnode q = %s(r)\nopset 17\n"
                                          "opset my 1\nend\n",
                       i, next, next);
        strcat(text, line);
    }
    for (unsigned i = 0; i < 200; i++) {
        char line[50];
        (void)snprintf(line, sizeof line, "node y%u = my:F0(x)\n", i);
        strcat(text, line);
    }
    strcat(text, "output y0\n");
    build_text(&built, text);
    CHECK_INT(built.status, NPART_ERROR_LIMIT);
    CHECK(built.arena.total_bytes < 1 << 18);
    built_close(&built);
}

/* A type message of the kind that is `field`, with so many dims: its own, or where `element` is a field, too, those of
 * the tensor that it holds there. */
static struct bytes type_of_dims(unsigned field, unsigned element, unsigned dims)
{
    struct bytes shape = {0}, tensor = {0}, type = {0}, holder = {0};
    for (unsigned i = 0; i < dims; i++)
        put_bytes(&shape, 1, "", 0);
    put_number(&tensor, 1, 1);
    put_message(&tensor, 2, &shape);
    if (element == 0) {
        put_message(&type, field, &tensor);
        return type;
    }
    put_message(&type, 1, &tensor);
    if (element == 2)
        put_number(&holder, 1, 7); /* a map's keys */
    put_message(&holder, element, &type);
    put_message(&type, field, &holder);
    return type;
}

/* Calls of a function; takes its message. */
static struct bytes model_of_function(unsigned calls, struct bytes *function)
{
    struct bytes graph_bytes = small_graph(), call = {0}, import = {0};
    put_text(function, 1, "F");
    put_text(function, 4, "p");
    put_text(function, 10, "my");
    put_text(&call, 1, "x");
    put_text(&call, 4, "F");
    put_text(&call, 7, "my");
    for (unsigned i = 0; i < calls; i++)
        put_bytes(&graph_bytes, 1, call.data, call.size);
    bytes_free(&call);
    put_text(&import, 1, "my");
    put_number(&import, 2, 1);
    struct bytes model = model_around(&graph_bytes);
    put_message(&model, 8, &import);
    put_message(&model, 25, function);
    return model;
}

/* Calls of a function with a value of that type, or with a node that has an attribute of it. */
static struct bytes model_of_typed_calls(unsigned calls, struct bytes *type, bool is_attribute)
{
    struct bytes function = {0}, relu = {0}, info = {0};
    put_text(&relu, 1, "p");
    put_text(&relu, 2, "q");
    put_text(&relu, 4, "Relu");
    put_text(&info, 1, is_attribute ? "tp" : "q");
    put_message(&info, is_attribute ? 14 : 2, type);
    if (is_attribute) {
        put_number(&info, 20, 13);
        put_message(&relu, 5, &info);
    } else {
        put_message(&function, 12, &info);
    }
    put_message(&function, 7, &relu);
    return model_of_function(calls, &function);
}

/* Each call builds the dims of all types anew, however deep they stand. */
static void test_graph_limits__types_of_many_dims(void)
{
    static const struct {
        unsigned field, element;
    } kinds[] = {{1, 0}, {8, 0}, {4, 1}, {5, 2}, {9, 1}};
    for (size_t i = 0; i < 2 * NPART__COUNT(kinds); i++)
        for (unsigned calls = 2; calls <= 200; calls += 198) {
            struct bytes type = type_of_dims(kinds[i / 2].field, kinds[i / 2].element, 6000);
            struct bytes model = model_of_typed_calls(calls, &type, i % 2);
            build_model(&built, &model);
            CHECK_INT(built.status, calls == 2 ? NPART_OK : NPART_ERROR_LIMIT);
            built_close(&built);
        }
}

static void put_long_text(struct bytes *message, unsigned field, size_t bytes)
{
    struct bytes text = {0};
    for (size_t i = 0; i < bytes; i++)
        bytes_put(&text, "n", 1);
    put_message(message, field, &text);
}

/* A node of a function has a name, and an attribute with so many numbers. */
static npart_status status_of_calls(unsigned calls, size_t name_bytes, unsigned numbers)
{
    struct bytes relu = {0}, attribute = {0}, function = {0};
    put_text(&relu, 1, "p");
    put_text(&relu, 2, "q");
    put_long_text(&relu, 3, name_bytes);
    put_text(&relu, 4, "Relu");
    put_text(&attribute, 1, "list");
    for (unsigned i = 0; i < numbers; i++)
        put_number(&attribute, 8, 1);
    put_number(&attribute, 20, 7);
    put_message(&relu, 5, &attribute);
    put_message(&function, 7, &relu);
    struct bytes model = model_of_function(calls, &function);
    build_model(&built, &model);
    npart_status status = built.status;
    built_close(&built);
    return status;
}

/* The nodes of all calls have them, and each may be told or written. */
static void test_graph_limits__texts_of_calls(void)
{
    CHECK_INT(status_of_calls(4000, 100, 1), NPART_OK);
    CHECK_INT(status_of_calls(40, 20000, 1), NPART_OK);
    CHECK_INT(status_of_calls(4000, 20000, 1), NPART_ERROR_LIMIT);
    CHECK_INT(status_of_calls(40, 1, 4000), NPART_OK);
    CHECK_INT(status_of_calls(4000, 1, 4000), NPART_ERROR_LIMIT);
}

static bool has_named_dim(size_t bytes)
{
    struct bytes main = {0}, input = {0}, type = {0}, tensor = {0}, shape = {0}, dim = {0};
    put_long_text(&dim, 2, bytes);
    put_message(&shape, 1, &dim);
    put_number(&tensor, 1, 1);
    put_message(&tensor, 2, &shape);
    put_message(&type, 1, &tensor);
    put_text(&input, 1, "x");
    put_message(&input, 2, &type);
    put_message(&main, 11, &input);
    struct bytes model = model_around(&main);
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "ok");
    bool is_named = graph->values.items[value_named(graph, "x")].declared->dims[0].parameter != NULL;
    built_close(&built);
    return is_named;
}

static void test_graph_limits__names_of_dims(void)
{
    CHECK(has_named_dim(NPART__LIMIT_DIM_BYTES));
    CHECK(!has_named_dim(NPART__LIMIT_DIM_BYTES + 1));
}

/* ---- depth --------------------------------------------------------------------------------------------------- */

static void test_graph_limits__bodies_as_deep_as_they_can_be(void)
{
    enum { LEVELS = 32 }; /* a body takes three messages of 100 */
    struct bytes body = {0}, node = {0};
    put_text(&node, 1, "x"); /* the innermost uses the graph's input */
    put_text(&node, 2, "last");
    put_text(&node, 4, "Relu");
    put_message(&body, 1, &node);
    for (int level = 0; level < LEVELS; level++) {
        struct bytes attribute = {0}, holder = {0}, outer = {0};
        put_text(&attribute, 1, "body");
        put_number(&attribute, 20, 5);
        put_message(&attribute, 6, &body);
        put_text(&holder, 4, "Holder");
        put_message(&holder, 5, &attribute);
        put_message(&outer, 1, &holder);
        body = outer;
    }
    struct bytes input = {0};
    put_text(&input, 1, "x");
    put_message(&body, 11, &input);
    struct bytes model = model_around(&body);
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "ok");
    REQUIRE(graph->scopes.count == LEVELS + 1);
    const char *broken = broken_promise(graph);
    CHECK_TEXT(broken ? broken : "", "");
    for (uint32_t i = 0; i < LEVELS; i++) /* every level captures it */
        CHECK_TEXT(captures_text(graph, i), "x");
    CHECK_INT(graph->values.items[value_named(graph, "x")].consumer_count, LEVELS + 1);
    CHECK_INT(strlen(path_text(graph, LEVELS)), LEVELS * strlen("0:body/") - 1);
    built_close(&built);
}

/* ---- length -------------------------------------------------------------------------------------------------- */

/* Names of 100 KB: kept whole where they are names, cut where they are told. */
static void test_graph_limits__long_names(void)
{
    struct bytes model_graph = small_graph(), node = {0};
    put_text(&node, 1, "x");
    put_long_text(&node, 2, 100000);
    put_long_text(&node, 3, 100000);
    put_long_text(&node, 4, 100000);
    put_long_text(&node, 7, 100000);
    put_message(&model_graph, 1, &node);
    struct bytes model = model_around(&model_graph);
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "ok");
    CHECK_INT(strlen(graph->nodes.items[1].name), 100000);
    CHECK_INT(strlen(npart__node_op(graph, &graph->nodes.items[1])), 100000);
    CHECK(strlen(finding_text(graph, "unknown-domain", 0)) > 100);
    built_close(&built);
    model_graph = small_graph();
    put_long_text(&node, 1, 100000); /* and one that fails */
    put_long_text(&node, 4, 100000);
    put_message(&model_graph, 1, &node);
    model = model_around(&model_graph);
    build_model(&built, &model);
    CHECK_INT(built.status, NPART_ERROR_MALFORMED);
    CHECK(strncmp(built.error.place, "node 1 (...", 11) == 0 && strlen(built.error.place) == 40); /* the op's end */
    CHECK(strlen(built.error.message) > 100);
    built_close(&built);
}

static void test_graph_limits__long_lists(void)
{
    enum { MANY = 100000 };
    struct bytes model_graph = small_graph(), node = {0};
    put_text(&node, 4, "Concat");
    for (int i = 0; i < MANY; i++)
        put_text(&node, 1, i % 2 ? "x" : "y");
    for (int i = 0; i < MANY; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "o%d", i);
        put_text(&node, 2, name);
    }
    put_message(&model_graph, 1, &node);
    struct bytes model = model_around(&model_graph);
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "ok");
    CHECK_INT(graph->nodes.items[1].input_count, MANY);
    CHECK_INT(graph->nodes.items[1].output_count, MANY);
    CHECK_INT(graph->values.items[value_named(graph, "y")].consumer_count, MANY / 2);
    CHECK_INT(graph->values.items[value_named(graph, "x")].consumer_count, MANY / 2 + 1);
    built_close(&built);
}

/* ---- fixtures ------------------------------------------------------------------------------------------------ */

static void check_fixture(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct bytes model = {0};
    char piece[4096];
    size_t got;
    REQUIRE(file);
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
        bytes_put(&model, piece, got);
    (void)fclose(file);
    build_model(&built, &model);
    CHECK_TEXT(built_text(&built), "ok");
    const char *broken = built.status == NPART_OK ? broken_promise(graph) : "built";
    if (broken) {
        fprintf(stderr, "%s: %s\n", path, broken);
        test_failures++;
    }
    built_close(&built);
}

static void test_graph_limits__fixtures_keep_the_promises(void)
{
    DIR *folder = opendir("fixtures");
    unsigned models = 0;
    REQUIRE(folder); /* tests run in the project's folder */
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder)) {
        char path[300];
        size_t length = strlen(entry->d_name);
        if (length < 5 || strcmp(entry->d_name + length - 5, ".onnx") != 0)
            continue;
        (void)snprintf(path, sizeof path, "fixtures/%s", entry->d_name);
        check_fixture(path);
        models++;
    }
    (void)closedir(folder);
    CHECK(models > 10);
}

TESTS(test_graph_limits__functions_that_double, test_graph_limits__functions_that_double_too_often,
      test_graph_limits__as_many_as_may_be_inlined, test_graph_limits__many_calls_of_much,
      test_graph_limits__texts_of_calls, test_graph_limits__names_of_dims,
      test_graph_limits__types_of_many_dims, test_graph_limits__bodies_as_deep_as_they_can_be,
      test_graph_limits__long_names, test_graph_limits__long_lists, test_graph_limits__fixtures_keep_the_promises)
