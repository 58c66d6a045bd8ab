/* SPDX-License-Identifier: Apache-2.0
 *
 * What tools have to be told; the golden case `settings` of the tool has all targets.
 */
#include "npu_partition/report.h"
#include "support/analysis.h"
#include "support/test.h"

static const char model[] = "input x float32[1,64,batch]\nnode a = Relu(x) @first\nnode b = Det(a) @second,third\n"
                            "node c = Det(a) @fourth\noutput b\noutput c\n";

static void check_settings(const char *name, const char *target, const char *wanted)
{
    struct analysis at;
    struct sink sink = {0};
    struct npart_dim_binding batch = {.name = "batch", .size = 64};
    struct npart_inference_options sizes = NPART_INFERENCE_OPTIONS_INIT;
    sizes.dims = &batch;
    sizes.dim_count = 1;
    analysis_infer(&at, model, &sizes);
    REQUIRE(npart_oplist_find(&at.oplist, name, NULL, NULL) == NPART_OK);
    REQUIRE(npart_plan_make(&at.plan, at.inference, at.oplist, target, NULL, NULL) == NPART_OK);
    CHECK(npart_oplist_has_settings(at.oplist) == (wanted != NULL));
    CHECK_INT(npart_plan_settings(at.plan, NULL, sink_write, &sink, NULL), NPART_OK);
    CHECK(!wanted || strcmp(sink.text, wanted) == 0);
    sink_clear(&sink);
    analysis_close(&at);
}

static void test_settings__of_tools(void)
{
    check_settings("tidl", NULL,
                   "{\n \"schema\": 1,\n \"target\": \"tidl:am68a\",\n \"for\": \"onnxruntime\",\n"
                   " \"provider\": \"TIDLCompilationProvider\",\n \"provider_options\": {\n"
                   "  \"tensor_bits\": \"8\",\n  \"deny_list:layer_name\": \"fourth\"\n },\n"
                   " \"free_dimension_overrides\": {\n  \"batch\": 64\n }\n}\n");
    check_settings("rknn", NULL,
                   "{\n \"schema\": 1,\n \"target\": \"rknn:rk3588\",\n \"for\": \"rknn-toolkit2\",\n"
                   " \"rknn.config\": {\n  \"op_target\": {\n   \"b\": \"cpu\",\n   \"c\": \"cpu\"\n  }\n }\n}\n");
    check_settings("edgetpu", NULL, NULL);
}

static void test_settings__arguments(void)
{
    CHECK(!npart_oplist_has_settings(NULL));
    CHECK_INT(npart_plan_settings(NULL, NULL, sink_write, NULL, NULL), NPART_ERROR_ARGUMENT);
}

TESTS(test_settings__of_tools, test_settings__arguments)
