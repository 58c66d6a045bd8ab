/* SPDX-License-Identifier: Apache-2.0
 *
 * Modules by the names of nodes: as exporters write them, and as nobody would.
 */
#include "module/module.h"
#include "npu_partition.h"
#include "support/analysis.h"
#include "support/model_text.h"
#include "support/subjects.h"
#include "support/test.h"

#define HEAD "opset 17\ninput x float32[1,8]\ninit w float32[8,8]\n"

static struct npart_module module_at(const npart_plan *plan, uint32_t index)
{
    struct npart_module at = {.size = sizeof at};
    CHECK_INT(npart_plan_module(plan, index, &at, NULL), NPART_OK);
    return at;
}

static uint32_t module_count(const npart_plan *plan)
{
    struct npart_module at = {.size = sizeof at};
    uint32_t count = 0;
    while (npart_plan_module(plan, count, &at, NULL) == NPART_OK)
        count++;
    return count;
}

/* The path of the module whose own a node is, "" for none. */
static const char *module_of(const npart_plan *plan, uint32_t node)
{
    struct npart_module at = {.size = sizeof at};
    for (uint32_t m = 0; npart_plan_module(plan, m, &at, NULL) == NPART_OK; m++)
        for (uint32_t i = 0; i < at.own_count; i++)
            if (at.own[i] == node)
                return at.path;
    return "";
}

#define CHECK_MODULE(at, node, path) CHECK_TEXT(module_of((at).plan, analysis_node(&(at), node)), path)

/* Of a model's only node. */
static void check_name(const char *name, const char *path)
{
    char model[4096];
    struct analysis at;
    (void)snprintf(model, sizeof model, HEAD "node y = Relu(x) @%s\noutput y\n", name);
    analysis_open(&at, model, NULL, NULL, NULL);
    CHECK_MODULE(at, "y", path);
    analysis_close(&at);
}

static void test_modules__by_names(void)
{
    check_name("/encoder/layer.3/fc1/Relu_1", "encoder.layer.3.fc1");
    check_name("/features/features.0/features.0.2/Relu", "features.0.2");
    check_name("/model/layers.0/mlp/up_proj/MatMul_Q4", "model.layers.0.mlp.up_proj");
    check_name("/model/conv/Conv_output_0_QuantizeLinear", "model.conv");
    check_name("model_1/block_1/batchnorm/mul_1__6", "model_1/block_1/batchnorm");
    check_name("StatefulPartitionedCall/net_1.00_224/Relu6", "StatefulPartitionedCall/net_1.00_224");
    check_name("//a///b..c./Relu", "a.b.c");
    check_name("/Relu", "");
    check_name("Relu_12", "");
    check_name("onnx::Relu_12", "");
    check_name("model.layers.0.Relu", "");
    check_name("/", "");
    check_name("a/", "a");
}

static void test_modules__by_metadata(void)
{
    struct analysis at;
    analysis_open(&at,
                  HEAD "node a = Relu(x) @node_a meta \"pkg.torch.onnx.name_scopes\" \"['', 'net', 'net.fc', 'a']\"\n"
                       "node b = Relu(a) @node_b meta \"namespace\" \": M/net.act: A/b: aten.relu.default\"\n"
                       "node c = Relu(b) @/other/Relu meta \"pkg.torch.onnx.name_scopes\" \"['', 'c']\"\n"
                       "output c\n",
                  NULL, NULL, NULL);
    CHECK_MODULE(at, "a", "net.fc");
    CHECK_MODULE(at, "b", "net.act");
    CHECK_MODULE(at, "c", ""); /* the model's own */
    CHECK_INT(module_count(at.plan), 3);
    analysis_close(&at);
}

/* What was put in between is in the innermost module that has its neighbours. */
static void test_modules__of_nodes_that_do_not_tell(void)
{
    struct analysis at;
    analysis_open(&at,
                  HEAD "node far = Relu(x)\nnode near = Relu(far) @quantize\nnode a = Relu(near) @/m/l.0/a/Relu\n"
                       "node between = Relu(a) @Gelu_0\nnode b = Relu(between) @/m/l.0/b/Relu\n"
                       "node across = Relu(b)\nnode c = Relu(across) @/m/l.1/Relu\nnode d = Relu(c) @/top/Relu\n"
                       "node last = Relu(d)\nnode after = Relu(last)\nnode lost = Relu(after)\noutput lost\n",
                  NULL, NULL, NULL);
    CHECK_MODULE(at, "near", "m.l.0.a");
    CHECK_MODULE(at, "far", "m.l.0.a"); /* a step further */
    CHECK_MODULE(at, "between", "m.l.0");
    CHECK_MODULE(at, "across", "m.l");
    CHECK_MODULE(at, "last", "top");
    CHECK_MODULE(at, "after", "top");
    CHECK_MODULE(at, "lost", ""); /* and no step more */
    analysis_close(&at);
}

static void test_modules__of_prefixed_names(void)
{
    struct analysis at;
    analysis_open(&at,
                  HEAD "node a = Relu(x) @InsertedCast_/m/fc/Relu_output_0\nnode b = Relu(a) @/m/Relu\n"
                       "node c = Relu(b) @x/y\noutput c\n",
                  NULL, NULL, NULL);
    CHECK_MODULE(at, "a", "m.fc");
    CHECK_MODULE(at, "c", "m"); /* a lone slash tells nothing */
    analysis_close(&at);
}

static void test_modules__of_functions_and_bodies(void)
{
    struct analysis at;
    analysis_open(&at,
                  "opset 17\nopset f 1\ninput x float32[1,8]\ninput go bool[]\n"
                  "function f:Inner(a) -> (b)\nnode b = Relu(a) @/deep/Relu\nopset 17\nend\n"
                  "function f:Block(a) -> (b)\nnode h = f:Inner(a) @inner\nnode b = Relu(h)\nopset 17\nopset f 1\nend\n"
                  "graph yes\nnode p = Relu(r)\nnode q = Relu(p) @/body/Relu\noutput q float32[1,8]\nend\n"
                  "graph no\nnode t = Sigmoid(r)\noutput t float32[1,8]\nend\n"
                  "node s = f:Block(x) @block0\nnode r = f:Block(s)\n"
                  "node y = If(go) then_branch=graph yes else_branch=graph no @/choice/If\noutput y\n",
                  NULL, NULL, NULL);
    struct npart_model_info info = {.size = sizeof info};
    CHECK(npart_model_info(at.model, &info));
    char text[400] = "";
    for (uint32_t i = 0; i < info.node_count; i++) {
        struct npart_node node = {.size = sizeof node};
        CHECK(npart_model_node(at.model, i, &node));
        size_t used = strlen(text);
        (void)snprintf(text + used, sizeof text - used, "%s %s, ", node.op, module_of(at.plan, i));
    }
    CHECK_TEXT(text, "Block block0, Block 1:Block, If choice, Inner block0/inner, Relu block0, "
                     "Relu block0/inner.deep, Inner 1:Block/inner, Relu 1:Block, Relu 1:Block/inner.deep, "
                     "Relu body, Relu body, Sigmoid choice, ");
    analysis_close(&at);
}

/* A conv net of two blocks, of which Erf is not on the NPU. */
static void test_modules__sums(void)
{
    struct analysis at;
    analysis_open(&at,
                  "opset 17\ninput x float32[1,8]\ninit w float32[8,16]\ninit v float32[16,8]\n"
                  "node a = MatMul(x, w) @/n/b.0/fc/MatMul\nnode e = Erf(a) @/n/b.0/act/Erf\n"
                  "node c = MatMul(e, v) @/n/b.1/fc/MatMul\nnode y = Relu(c) @/n/b.1/act/Relu\noutput y\n",
                  "format 1\ntarget t\nop MatMul\nop Relu\n", NULL, NULL);
    static const struct {
        const char *path;
        uint32_t parent, nodes, accepted, switches;
        uint64_t macs, macs_on_npu;
    } expected[] = {
        {"n", NPART_NONE, 4, 3, 2, 256, 256}, {"n.b", 0, 4, 3, 2, 256, 256},
        {"n.b.0", 1, 2, 1, 1, 128, 128},      {"n.b.0.fc", 2, 1, 1, 0, 128, 128},
        {"n.b.0.act", 2, 1, 0, 1, 0, 0},      {"n.b.1", 1, 2, 2, 1, 128, 128},
        {"n.b.1.fc", 5, 1, 1, 1, 128, 128},   {"n.b.1.act", 5, 1, 1, 0, 0, 0},
    };
    CHECK_INT(module_count(at.plan), sizeof expected / sizeof *expected);
    for (uint32_t m = 0; m < sizeof expected / sizeof *expected; m++) {
        struct npart_module found = module_at(at.plan, m);
        CHECK_TEXT(found.path, expected[m].path);
        CHECK_INT(found.parent, expected[m].parent);
        CHECK_INT(found.node_count, expected[m].nodes);
        CHECK_INT(found.live_count, expected[m].nodes);
        CHECK_INT(found.accepted_count, expected[m].accepted);
        CHECK_INT(found.switch_count, expected[m].switches);
        CHECK(found.has_macs);
        CHECK_INT(found.macs, expected[m].macs);
        CHECK_INT(found.macs_on_npu, expected[m].macs_on_npu);
    }
    analysis_close(&at);
}

/* Sizes that are not known are no sum. */
static void test_modules__unknown(void)
{
    struct analysis at;
    analysis_open(&at,
                  "opset 17\ninput x float32[n,8]\ninit w float32[8,16]\nnode a = MatMul(x, w) @/m/a/MatMul\n"
                  "node b = Relu(a) @/m/b/Relu\noutput b\n",
                  NULL, NULL, NULL);
    CHECK(!module_at(at.plan, 0).has_macs && module_at(at.plan, 0).cpu_ms < 0);
    CHECK(module_at(at.plan, 2).has_macs && module_at(at.plan, 2).npu_ms >= 0); /* nothing of it is there: 0 */
    analysis_close(&at);
}

/* ---- the table by module --------------------------------------------------------------------------------------- */

static char *table_of(const char *model, const struct npart_report_options *options)
{
    struct analysis at;
    struct sink sink = {0};
    analysis_open(&at, model, "format 1\ntarget t\nop MatMul\nop Relu\n", NULL, NULL);
    const struct npart_plan_pair pair = {at.plan, NULL, NULL};
    CHECK_INT(npart_report(OF_MODULES(&pair, 1), NPART_FORMAT_TEXT, options, sink_write, &sink, NULL), NPART_OK);
    analysis_close(&at);
    return sink.text;
}

static size_t longest_line(const char *text)
{
    size_t longest = 0;
    for (size_t length; *text; text += length + (text[length] == '\n')) {
        length = strcspn(text, "\n");
        longest = length > longest ? length : longest;
    }
    return longest;
}

/* Blocks: two that are the same, and one that has an Erf more; in ASCII, where a column is a byte. */
static const char blocks[] =
    "opset 17\ninput x float32[1,8]\ninit w float32[8,8]\n"
    "node a = MatMul(x, w) @/net/block.0/fc/MatMul\nnode b = Relu(a) @/net/block.0/act/Relu\n"
    "node c = MatMul(b, w) @/net/block.1/fc/MatMul\nnode d = Relu(c) @/net/block.1/act/Relu\n"
    "node e = MatMul(d, w) @/net/block.2/fc/MatMul\nnode f = Erf(e) @/net/block.2/act/Erf\noutput f\n";

static void test_modules__table(void)
{
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    options.use_ascii = true;
    options.width = 60;
    char *text = table_of(blocks, &options);
    const char *table = strstr(text, "  module");
    CHECK_TEXT(table ? table : text,
               "  module         its nodes as they run     taken/all    MACs       ms\n"
               "  net.block      #####.                          5/6 100.0 %        ?\n"
               "    block.0      ##                              2/2  33.3 %        ?\n"
               "      fc         #                               1/1  33.3 %        ?\n"
               "      act        #                               1/1   0.0 %        ?\n"
               "    block.1      like block.0                    2/2  33.3 %        ?\n"
               "    block.2      #.                              1/2  33.3 %        ?\n"
               "      fc         #                               1/1  33.3 %        ?\n"
               "      act        .                               0/1   0.0 %        ?\n");
    free(text);
    for (options.width = 80; options.width <= 200; options.width += 20) {
        text = table_of(blocks, &options);
        CHECK_INT(longest_line(text), options.width);
        free(text);
    }
}

/* What nobody can see in a name, or what turns the direction of writing, is shown as an escape; what is long is cut. */
static void test_modules__table_of_hostile_names(void)
{
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    options.use_ascii = true;
    options.width = 80;
    char *text = table_of(HEAD "node y = Relu(x) @/a\xe2\x80\xae" "b/c\x1b[31m/Relu\nnode z = Relu(y) "
                               "@/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa/Relu\noutput z\n",
                          &options);
    CHECK(strstr(text, "\\u202e") && !strchr(text, '\x1b') && strstr(text, "aaa... "));
    CHECK_INT(longest_line(text), 80);
    free(text);
}

/* ---- limits ---------------------------------------------------------------------------------------------------- */

/* "/s/s/s/Relu" with `steps` of `bytes` letters before the last. */
static char *deep_name(unsigned steps, size_t bytes)
{
    char *name = malloc(steps * (bytes + 1) + 8), *at = name;
    for (unsigned s = 0; s < steps; s++) {
        *at++ = '/';
        memset(at, 's', bytes);
        at += bytes;
    }
    memcpy(at, "/Relu", 6);
    return name;
}

/* A model of one Relu of that name, which may be longer than a word of a model's text. */
static struct bytes model_of(const char *name)
{
    struct bytes node = {0}, value = {0}, graph = {0}, opset = {0}, file = {0};
    put_text(&node, 1, "x");
    put_text(&node, 2, "y");
    put_text(&node, 3, name);
    put_text(&node, 4, "Relu");
    put_bytes(&graph, 1, node.data, node.size);
    put_text(&graph, 2, "g");
    put_text(&value, 1, "x");
    put_bytes(&graph, 11, value.data, value.size);
    put_number(&opset, 2, 17);
    put_number(&file, 1, 8);
    put_bytes(&file, 7, graph.data, graph.size);
    put_bytes(&file, 8, opset.data, opset.size);
    bytes_free(&node);
    bytes_free(&value);
    bytes_free(&graph);
    bytes_free(&opset);
    return file;
}

static void check_deep(unsigned steps, size_t bytes, unsigned expected)
{
    char *name = deep_name(steps, bytes);
    struct bytes file = model_of(name);
    struct analysis at = {0};
    CHECK_INT(npart_model_read_memory(&at.model, file.data, file.size, NULL, NULL), NPART_OK);
    CHECK_INT(npart_inference_make(&at.inference, at.model, NULL, NULL), NPART_OK);
    CHECK_INT(npart_oplist_find(&at.oplist, "hexagon", NULL, NULL), NPART_OK);
    CHECK_INT(npart_plan_make(&at.plan, at.inference, at.oplist, NULL, NULL, NULL), NPART_OK);
    CHECK_INT(module_count(at.plan), expected);
    const char *path = module_of(at.plan, 0);
    CHECK_INT(strlen(path), expected ? expected * (bytes + 1) - 1 : 0);
    analysis_close(&at);
    bytes_free(&file);
    free(name);
}

static void test_modules__limits_of_a_path(void)
{
    check_deep(NPART__LIMIT_MODULE_DEPTH, 3, NPART__LIMIT_MODULE_DEPTH);
    check_deep(NPART__LIMIT_MODULE_DEPTH + 1, 3, NPART__LIMIT_MODULE_DEPTH);
    check_deep(1, NPART__LIMIT_MODULE_PATH_BYTES, 1);
    check_deep(1, NPART__LIMIT_MODULE_PATH_BYTES + 1, 0);
    check_deep(3, NPART__LIMIT_MODULE_PATH_BYTES / 2 - 1, 2);
    check_deep(1000000, 4, NPART__LIMIT_MODULE_DEPTH);
    check_deep(1, 5000000, 0);
}

/* One module for each node; those past the limit are in none. */
static void test_modules__limit_of_their_number(void)
{
    uint32_t nodes = NPART__LIMIT_MODULES + 1;
    char *model = malloc(nodes * (size_t)64 + 100);
    struct analysis at;
    size_t used = (size_t)sprintf(model, "opset 17\ninput v0 float32[1]\n");
    for (uint32_t i = 1; i <= nodes; i++)
        used += (size_t)sprintf(model + used, "node v%u = Relu(v%u) @/m%u/Relu\n", i, i - 1, i);
    (void)sprintf(model + used, "output v%u\n", nodes);
    analysis_open(&at, model, NULL, NULL, NULL);
    CHECK_INT(module_count(at.plan), NPART__LIMIT_MODULES);
    struct npart_module last = module_at(at.plan, NPART__LIMIT_MODULES - 1);
    CHECK_INT(last.own[0], NPART__LIMIT_MODULES - 1);
    CHECK_INT(last.own_count, 1);
    analysis_close(&at);
    free(model);
}

TESTS(test_modules__by_names, test_modules__by_metadata, test_modules__of_nodes_that_do_not_tell,
      test_modules__of_prefixed_names, test_modules__of_functions_and_bodies, test_modules__sums,
      test_modules__unknown, test_modules__table, test_modules__table_of_hostile_names,
      test_modules__limits_of_a_path, test_modules__limit_of_their_number)
