/* SPDX-License-Identifier: Apache-2.0
 *
 * Plans beside runs: what agrees, what is concluded, what is to blame; and memory that ends.
 */
#include <stdio.h>
#include <stdlib.h>

#include "base/stream.h"
#include "npu_partition/runs.h"
#include "support/analysis.h"
#include "support/failing.h"
#include "support/test.h"

static const char list[] = "format 1\ntarget t\nprovider TExecutionProvider \"p\"\nop Relu\nop Add\n";
static const char model[] = "input x float32[1,8]\nnode a = Relu(x)\nnode b = Erf(a)\nnode c = Add(b, x)\noutput c\n";

static npart_run *run_of(const char *text)
{
    struct npart__text_stream input = {text, strlen(text)};
    npart_run *run = NULL;
    REQUIRE(npart_run_read(&run, npart__read_text, &input, NULL, NULL) == NPART_OK);
    return run;
}

struct verified {
    struct analysis analysis;
    npart_run *run;
    npart_verification *made;
    struct npart_verification_info info;
};

static void open_verified(struct verified *out, const char *run)
{
    analysis_open(&out->analysis, model, list, "t", NULL);
    out->run = run_of(run);
    out->made = NULL;
    REQUIRE(npart_verification_make(&out->made, out->analysis.plan, out->run, NULL) == NPART_OK);
    out->info = (struct npart_verification_info){.size = sizeof out->info};
    REQUIRE(npart_verification_info(out->made, &out->info));
}

/* The run and the plan may go before what was made of them. */
static void close_verified(struct verified *verified)
{
    analysis_close(&verified->analysis);
    npart_run_free(verified->run);
    npart_verification_free(verified->made);
}

#define RECORD(a, b, c)                                                                                                \
    "{\"nodes\":[{\"index\":0,\"ep\":\"" a "\"},{\"index\":1,\"ep\":\"" b "\"},"                                      \
    "{\"index\":2,\"ep\":\"" c "\"}],\"partitions\":[[0],[2]]}"
#define CPU "CPUExecutionProvider"

static void test_verification__the_same(void)
{
    struct verified verified;
    struct npart_verified_node node = {.size = sizeof node};
    open_verified(&verified, RECORD("T", CPU, "T"));
    CHECK(verified.info.is_same && verified.info.nodes[NPART_AGREEMENT_SAME] == 3);
    CHECK(verified.info.has_run_partitions && verified.info.run_partitions == 2 && verified.info.partitions == 2);
    CHECK(verified.info.blame == NPART_BLAME_NONE && !verified.info.blame_text);
    CHECK(npart_verification_node(verified.made, 1, &node) && node.is_told && !node.is_on_npu && !node.reason);
    CHECK(!npart_verification_node(verified.made, 3, &node) && !npart_verification_node(NULL, 0, &node));
    node.size = 1;
    CHECK(!npart_verification_node(verified.made, 1, &node));
    close_verified(&verified);
}

static void test_verification__different(void)
{
    struct verified verified;
    struct sink text = {0}, json = {0}, cases = {0};
    const struct npart_verification_names names = {"m.onnx", "r.json"};
    open_verified(&verified, RECORD("T", "T", CPU));
    CHECK(!verified.info.is_same && verified.info.nodes[NPART_AGREEMENT_DIFFERENT] == 2);
    CHECK(npart_verification_text(verified.made, &names, false, sink_write, &text, NULL) == NPART_OK);
    static const char head[] = "m.onnx\n  against the record r.json (T, CPUExecutionProvider)\n\nt  DIFFERENT\n";
    CHECK(strncmp(text.text, head, sizeof head - 1) == 0);
    CHECK(npart_verification_json(verified.made, &names, sink_write, &json, NULL) == NPART_OK);
    CHECK(strstr(json.text, "\"same\":false,\"blame\":null,\"partitions\":{\"plan\":2,\"run\":2}"));
    CHECK(npart_verification_cases(verified.made, sink_write, &cases, NULL) == NPART_OK);
    CHECK(strstr(cases.text, "== Erf on t: npu\n") && strstr(cases.text, "expect verdict y0 cpu\n"));
    text.refuse_at = text.calls + 1;
    CHECK(npart_verification_text(verified.made, &names, true, sink_write, &text, NULL) == NPART_ERROR_WRITE);
    CHECK(npart_verification_json(verified.made, NULL, sink_write, &json, NULL) == NPART_ERROR_ARGUMENT);
    CHECK(npart_verification_cases(NULL, sink_write, &cases, NULL) == NPART_ERROR_ARGUMENT);
    sink_clear(&text);
    sink_clear(&json);
    sink_clear(&cases);
    close_verified(&verified);
}

/* All on the CPU although the plan has nodes on the NPU. */
static void test_verification__blame(void)
{
    struct verified verified;
    open_verified(&verified, "{\"nodes\":[{\"index\":0,\"ep\":\"" CPU "\"}]}");
    CHECK(verified.info.blame == NPART_BLAME_INSTALLATION && verified.info.blame_check);
    CHECK_TEXT(verified.info.blame_provider, "TExecutionProvider");
    close_verified(&verified);
}

static void test_verification__another_model(void)
{
    struct analysis analysis;
    struct npart_error error;
    npart_verification *made = NULL;
    npart_run *run = run_of("{\"nodes\":[{\"name\":\"k\",\"ep\":\"T\"},{\"name\":\"l\",\"ep\":\"T\"},"
                            "{\"name\":\"m\",\"ep\":\"T\"},{\"name\":\"n\",\"ep\":\"T\"}]}");
    analysis_open(&analysis, model, list, "t", NULL);
    CHECK(npart_verification_make(&made, analysis.plan, run, &error) == NPART_ERROR_ARGUMENT);
    CHECK_TEXT(error.message, "names 4 nodes, and the model has none of them: it is of another model");
    CHECK(npart_verification_make(&made, NULL, run, &error) == NPART_ERROR_ARGUMENT && !made);
    CHECK(npart_verification_make(&made, analysis.plan, NULL, &error) == NPART_ERROR_ARGUMENT && !made);
    analysis_close(&analysis);
    npart_run_free(run);
}

static npart_status verify_and_report(struct scene *scene, struct npart_error *error)
{
    static const char record[] = "{\"nodes\":[{\"index\":0,\"ep\":\"" CPU "\"},{\"index\":1,\"ep\":\"T\"}]}";
    struct npart__text_stream input = {record, strlen(record)};
    const struct npart_verification_names names = {"m", "r"};
    npart_run *run = NULL;
    npart_verification *made = NULL;
    npart_status status = npart_run_read(&run, npart__read_text, &input, &scene->counted.allocator, error);
    if (status == NPART_OK)
        status = npart_verification_make(&made, scene->plan, run, error);
    if (status == NPART_OK)
        status = npart_verification_text(made, &names, true, sum_up, scene, error);
    if (status == NPART_OK)
        status = npart_verification_json(made, &names, sum_up, scene, error);
    if (status == NPART_OK)
        status = npart_verification_cases(made, sum_up, scene, error);
    npart_verification_free(made);
    npart_run_free(run);
    return status;
}

static void test_verification__memory_ends(void)
{
    static const struct tried_call call = {"a verification", PLAN, verify_and_report};
    struct scene scene = {.printed = 0};
    npart_oplist *planned = NULL;
    bool is_wrong = false;
    REQUIRE(npart_oplist_read_memory(&planned, list, strlen(list), "t", NULL, NULL) == NPART_OK);
    scene_init(&scene, true);
    scene.bytes = model_from_text(model);
    scene.planned = planned;
    CHECK(fail_each(&scene, &call, &is_wrong) > 0 && !is_wrong);
    npart_oplist_free(planned);
    bytes_free(&scene.bytes);
}

/* Each is a model, and the last of them one that a list with a Conv takes whole. */
static void test_verification__selftest_models(void)
{
    struct npart_selftest_model told = {.size = sizeof told};
    struct sink refused = {.refuse_at = 1};
    for (uint32_t i = 0; i < NPART_SELFTEST_MODELS; i++) {
        struct sink bytes = {0};
        npart_model *read = NULL;
        CHECK(npart_selftest_model(i, &told, sink_write, &bytes, NULL) == NPART_OK && *told.ops);
        CHECK(npart_model_read_memory(&read, bytes.text, bytes.bytes, NULL, NULL) == NPART_OK);
        npart_model_free(read);
        sink_clear(&bytes);
    }
    CHECK_TEXT(told.ops, "Conv");
    CHECK_TEXT(told.input_type, "float32");
    CHECK_INT(npart_selftest_model(NPART_SELFTEST_MODELS, &told, sink_write, &refused, NULL), NPART_ERROR_ARGUMENT);
    CHECK_INT(npart_selftest_model(0, &told, sink_write, &refused, NULL), NPART_ERROR_WRITE);
    sink_clear(&refused);
}

static void test_verification__selftest_of_a_target(void)
{
    npart_oplist *oplist = NULL;
    npart_selftest *selftest = NULL;
    struct npart_selftest_info info = {.size = sizeof info};
    REQUIRE(npart_oplist_find(&oplist, "hexagon", NULL, NULL) == NPART_OK);
    CHECK_INT(npart_selftest_make(&selftest, oplist, NULL, "my/s.onnx", NULL, NULL, NULL), NPART_OK);
    CHECK(npart_selftest_info(selftest, &info) && info.node_count && info.byte_count && info.plan && *info.ops);
    CHECK(strstr(info.run, "ort.InferenceSession('my/s.onnx', o)") && strstr(info.run, "'QNNExecutionProvider'"));
    CHECK_TEXT(info.check, "npu-partition verify my/s.onnx -t hexagon:v73 --profile qnn_op_trace.json");
    struct sink text = {0}, json = {0};
    CHECK_INT(npart_selftest_text(selftest, sink_write, &text, NULL), NPART_OK);
    CHECK(strstr(text.text, "my/s.onnx: Conv, Relu") && strstr(text.text, "Run it there:\n  ") &&
          strstr(text.text, info.check));
    CHECK_INT(npart_selftest_json(selftest, sink_write, &json, NULL), NPART_OK);
    CHECK(strstr(json.text, "\"command\":\"selftest\",\"target\":\"hexagon:v73\",\"model\":\"my/s.onnx\""));
    sink_clear(&text);
    sink_clear(&json);
    npart_selftest_free(selftest);
    npart_oplist_free(oplist);
    static const char erf[] = "format 1\ntarget t\nop Erf\n"; /* none of them is whole there */
    REQUIRE(npart_oplist_read_memory(&oplist, erf, sizeof erf - 1, "t", NULL, NULL) == NPART_OK);
    CHECK_INT(npart_selftest_make(&selftest, oplist, "t", "s.onnx", NULL, NULL, NULL), NPART_OK);
    CHECK(!npart_selftest_info(selftest, &info));
    CHECK_INT(npart_selftest_text(selftest, sink_write, &text, NULL), NPART_ERROR_ARGUMENT);
    npart_selftest_free(selftest);
    CHECK_INT(npart_selftest_make(&selftest, NULL, NULL, "s.onnx", NULL, NULL, NULL), NPART_ERROR_ARGUMENT);
    npart_oplist_free(oplist);
}

TESTS(test_verification__selftest_of_a_target,
      test_verification__the_same, test_verification__different, test_verification__blame,
      test_verification__another_model, test_verification__memory_ends,
      test_verification__selftest_models)
