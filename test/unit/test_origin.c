/* SPDX-License-Identifier: Apache-2.0
 *
 * Where in the model's source a node comes from, as releases of PyTorch's two exporters note it.
 */
#include "npu_partition.h"
#include "support/model_text.h"
#include "support/test.h"

static npart_model *model;

/* The origin of a model's only node, which stays valid until the next call. `fields` are those of its message. */
static struct npart_origin origin_of(const struct bytes *fields)
{
    struct bytes graph = {0}, file = {0}, opset = {0};
    put_text(&graph, 2, "g");
    put_bytes(&graph, 1, fields->data, fields->size);
    put_number(&opset, 2, 20);
    put_number(&file, 1, 10);
    put_bytes(&file, 7, graph.data, graph.size);
    put_bytes(&file, 8, opset.data, opset.size);
    npart_model_free(model);
    model = NULL;
    CHECK_INT(npart_model_read_memory(&model, file.data, file.size, NULL, NULL), NPART_OK);
    bytes_free(&graph);
    bytes_free(&file);
    bytes_free(&opset);
    struct npart_origin origin = {.size = sizeof origin};
    CHECK(npart_model_node_origin(model, 0, &origin));
    return origin;
}

static struct npart_origin noted(const char *key, const char *value)
{
    struct bytes node = {0}, entry = {0};
    put_text(&node, 4, "Relu");
    put_text(&entry, 1, key);
    put_text(&entry, 2, value);
    put_bytes(&node, 9, entry.data, entry.size);
    struct npart_origin origin = origin_of(&node);
    bytes_free(&entry);
    bytes_free(&node);
    return origin;
}

static struct npart_origin documented(const char *name, const char *doc)
{
    struct bytes node = {0};
    put_text(&node, 4, "Relu");
    put_text(&node, 3, name);
    put_text(&node, 6, doc);
    struct npart_origin origin = origin_of(&node);
    bytes_free(&node);
    return origin;
}

static void check_line(const struct npart_origin *origin, const char *file, int64_t line)
{
    char found[200] = "";
    if (origin->file)
        (void)snprintf(found, sizeof found, "%.*s", (int)origin->file_bytes, origin->file);
    CHECK_TEXT(found, file);
    CHECK_INT(origin->line, line);
}

static void check_module(const struct npart_origin *origin, const char *module)
{
    char found[200] = "";
    if (origin->module)
        (void)snprintf(found, sizeof found, "%.*s", (int)origin->module_bytes, origin->module);
    CHECK_TEXT(found, module);
}

#define CHECK_TRACE(value, file, line)                                                                                 \
    do {                                                                                                               \
        struct npart_origin found_ = noted("pkg.torch.onnx.stack_trace", (value));                                     \
        check_line(&found_, (file), (line));                                                                           \
    } while (0)

/* ---- dynamo ---------------------------------------------------------------------------------------------------- */

#define FORWARD "File \"/home/me/net.py\", line 23, in forward\n    x = b(x)\n"
#define INNER "  File \"/home/me/net.py\", line 11, in forward\n    y = self.fc(x)\n"
#define TORCH "  File \"/v/lib/python3.11/site-packages/torch/nn/modules/linear.py\", line 134, in forward\n"
#define PACKAGE "  File \"/v/lib/python3.11/site-packages/timm/layers/mlp.py\", line 44, in forward\n"

static void test_origin__innermost_frame(void)
{
    CHECK_TRACE(FORWARD, "/home/me/net.py", 23);
    CHECK_TRACE(FORWARD INNER, "/home/me/net.py", 11);
    CHECK_TRACE(FORWARD INNER TORCH, "/home/me/net.py", 11);
    CHECK_TRACE("File \"model.py\", line 7", "model.py", 7);
}

static void test_origin__of_a_package(void)
{
    CHECK_TRACE(PACKAGE TORCH, "/v/lib/python3.11/site-packages/timm/layers/mlp.py", 44);
    CHECK_TRACE(FORWARD PACKAGE TORCH, "/home/me/net.py", 23);
    /* The exporter's own line is nobody's. */
    CHECK_TRACE(TORCH, "", 0);
    CHECK_TRACE("File \"/usr/lib/python3/dist-packages/torch/nn/functional.py\", line 3", "", 0);
    CHECK_TRACE("File \"torch/nn/modules/linear.py\", line 134, in forward\n", "", 0);
    /* Decorators of the standard library call the user's function. */
    CHECK_TRACE(FORWARD "  File \"/usr/lib/python3.11/contextlib.py\", line 81, in inner\n", "/home/me/net.py", 23);
    /* A project of that name is the user's. */
    CHECK_TRACE("File \"/home/me/torch/nn.py\", line 3", "/home/me/torch/nn.py", 3);
}

/* No file has such a path. */
static void test_origin__long_paths(void)
{
    static char trace[5000];
    (void)snprintf(trace, sizeof trace, "%s  File \"%04500d.py\", line 2, in forward\n", FORWARD, 0);
    CHECK_TRACE(trace, "/home/me/net.py", 23);
}

static void test_origin__of_windows(void)
{
    CHECK_TRACE("File \"C:\\me\\net.py\", line 5, in forward\n"
                "  File \"C:\\v\\Lib\\site-packages\\torch\\nn\\modules\\linear.py\", line 134, in forward\n",
                "C:\\me\\net.py", 5);
}

static void test_origin__generated_code(void)
{
    CHECK_TRACE(FORWARD "  File \"<eval_with_key>.121\", line 9, in forward\n    cond = torch.ops\n", "/home/me/net.py",
                23);
    CHECK_TRACE("File \"<eval_with_key>.42\", line 5, in forward\n", "", 0);
    CHECK_TRACE("File \"torch/fx/passes/runtime_assert.py\", line 24, in insert\n" FORWARD, "/home/me/net.py", 23);
}

static void test_origin__broken_traces(void)
{
    CHECK_TRACE("", "", 0);
    CHECK_TRACE("File \"", "", 0);
    CHECK_TRACE("File \"\", line 3", "", 0);
    CHECK_TRACE("File \"a.py", "", 0);
    CHECK_TRACE("File \"a.py\"", "", 0);
    CHECK_TRACE("File \"a.py\", in forward\nFile \"b.py\", line 2", "b.py", 2);
    CHECK_TRACE("File \"a.py\", line 99999999999999999999", "a.py", 9999999999);
}

static void test_origin__scopes(void)
{
    struct npart_origin at = noted("pkg.torch.onnx.name_scopes", "['', 'encoder', 'encoder.layers.3', 'linear']");
    check_module(&at, "encoder.layers.3");
    at = noted("pkg.torch.onnx.name_scopes", "['', 'linear']");
    check_module(&at, "");
    at = noted("pkg.torch.onnx.name_scopes", "['sin']");
    check_module(&at, "");
    at = noted("pkg.torch.onnx.name_scopes", "['_empty_nn_module_stack_from_metadata_hook', 'sym_size_int_2']");
    check_module(&at, "");
    at = noted("namespace", ": Model/encoder.layers.3: Layer/linear: aten.linear.default");
    check_module(&at, "encoder.layers.3");
    at = noted("namespace", "_empty_nn_module_stack_from_metadata_hook: _empty_nn_module_stack_from_metadata_hook/"
                            "sym_size_int_2: aten.sym_size.int");
    check_module(&at, "");
}

/* ---- TorchScript ----------------------------------------------------------------------------------------------- */

#define CALLED                                                                                                         \
    "/v/lib/python3.11/site-packages/torch/nn/modules/module.py(1777): _slow_forward\n"                                \
    "/v/lib/python3.11/site-packages/torch/nn/modules/module.py(1798): _call_impl\n"
#define TRACED                                                                                                         \
    "/v/lib/python3.11/site-packages/torch/jit/_trace.py(131): wrapper\n"                                              \
    "/v/lib/python3.11/site-packages/torch/onnx/__init__.py(337): export\n/home/me/export.py(10): <module>\n"

static void test_origin__documentation(void)
{
    struct npart_origin at = documented("", "/home/me/net.py(7): helper\n/home/me/net.py(35): forward\n" CALLED TRACED);
    check_line(&at, "/home/me/net.py", 7);
    at = documented("", "/v/lib/python3.11/site-packages/torch/nn/functional.py(5): relu\n" CALLED
                        "/home/me/net (2).py(35): forward\n" TRACED);
    check_line(&at, "/home/me/net (2).py", 35);
    /* A package's model, which the user's script only exports. */
    at = documented("", CALLED "/v/lib/python3.11/site-packages/timm/mlp.py(4): forward\n" CALLED TRACED);
    check_line(&at, "/v/lib/python3.11/site-packages/timm/mlp.py", 4);
}

static void test_origin__documentation_in_words(void)
{
    static const char *const words[] = {"", "adds a bias", "see net.py(7)", "see net.py: the block\n", ".py(3): f",
                                        "a.py(): f", "a.py(3", "a.py(3):", "adds\n/home/me/net.py(7): f\n"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        struct npart_origin at = documented("", words[i]);
        check_line(&at, "", 0);
    }
}

static void test_origin__names_that_are_paths(void)
{
    static const struct {
        const char *name, *module;
    } cases[] = {
        {"/encoder/layers.3/fc1/Relu", "encoder.layers.3.fc1"},
        {"/encoder/layers.3/fc1/Relu_12", "encoder.layers.3.fc1"},
        {"/features/features.0/features.0.2/Relu", "features.0.2"},
        {"/net/features/features.0/Relu", "net.features.0"},
        {"/a/ab.0/Relu", "a.ab.0"},
        {"/Relu", ""},
        {"//Relu", ""},
        {"/fc1/Add", ""},        /* of no node of that operator */
        {"/fc1/Relu_x", ""},
        {"/fc1/Relu_", ""},
        {"/fc1/Relu6", ""},
        {"model/fc1/Relu", ""},  /* of TensorFlow */
        {"", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct npart_origin at = documented(cases[i].name, "");
        check_module(&at, cases[i].module);
    }
}

/* The text of a module is made once for the nodes that follow one another. */
static void test_origin__nodes_of_one_module(void)
{
    struct bytes text = model_from_text("input x float32[1]\nnode a = Relu(x) @/fc/Relu\nnode b = Abs(a) @/fc/Abs\n"
                                        "node c = Abs(b) @/f/Abs\nnode d = Abs(c) @/fc/Abs_1\noutput d\n");
    npart_model_free(model);
    CHECK_INT(npart_model_read_memory(&model, text.data, text.size, NULL, NULL), NPART_OK);
    struct npart_origin at[4];
    for (uint32_t i = 0; i < 4; i++) {
        at[i] = (struct npart_origin){.size = sizeof *at};
        CHECK(npart_model_node_origin(model, i, &at[i]));
        check_module(&at[i], i == 2 ? "f" : "fc");
    }
    CHECK(at[0].module == at[1].module);
    bytes_free(&text);
    npart_model_free(model);
    model = NULL;
}

TESTS(test_origin__innermost_frame, test_origin__of_a_package, test_origin__long_paths, test_origin__of_windows,
      test_origin__generated_code, test_origin__broken_traces, test_origin__scopes, test_origin__documentation,
      test_origin__documentation_in_words, test_origin__names_that_are_paths, test_origin__nodes_of_one_module)
