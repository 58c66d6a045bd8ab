/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/request.h"

#include "fuzz/fuzz.h"

/* By choice, after REQUEST_FIRST. */
enum { SIZES, PARTITIONER, OVERRIDE, CUT, LEVEL };
enum { IS_OFF = 1, IS_SUSTAINED = 2, IGNORES_DECLARED = 4 };

/* First each list as it is by default, in the order of their names; then what changes its verdicts. */
static const char *const targets[] = {
    "coreml-mlprogram",
    "coreml-neuralnetwork",
    "dla",
    "edgetpu",
    "ethos-u",
    "hexagon",
    "intel-npu",
    "mdla",
    "neutron",
    "nnapi",
    "rknn",
    "stm32n6",
    "tidl",
    "webnn",
    "xdna",
    "xnnpack",
    "coreml-mlprogram:ios18+checker",
    "coreml-mlprogram:ios15+static",
    "coreml-neuralnetwork+checker",
    "coreml-neuralnetwork+static",
    "dla:xavier+int8",
    "dla+fp16",
    "edgetpu:usb+quantize",
    "ethos-u:u85+quantize",
    "ethos-u+tosa",
    "hexagon:v68",
    "hexagon:v81+float",
    "hexagon+w16",
    "hexagon:sm8350",
    "intel-npu:3720",
    "intel-npu:5010+openvino",
    "intel-npu+reported",
    "mdla:v2+quantize",
    "mdla+relax",
    "neutron:mcxn+quantize",
    "nnapi+checker",
    "nnapi:api27+checker",
    "nnapi:api29+nchw",
    "nnapi+checker+nchw",
    "rknn:rk3562+quantize",
    "rknn+w8a16",
    "rknn:rv1106+cpu",
    "rknn:rk3576+w4",
    "rknn+sixteen",
    "rknn+float",
    "stm32n6:h7p+quantize",
    "stm32n6+expand_softmax",
    "tidl+many",
    "tidl:tda4vm+one",
    "tidl:am62a+sixteen",
    "tidl+qdq+many",
    "webnn:coreml",
    "xdna:xint8+cnn",
    "xdna+llm",
    "xdna:a8w8+quantize",
    "xnnpack+half",
};
#define TARGETS (sizeof targets / sizeof targets[0])

const char *request_target(unsigned choice, const npart_oplist **oplist)
{
    static npart_oplist *oplists[TARGETS];
    size_t at = choice % TARGETS;
    if (!oplists[at])
        FUZZ_REQUIRE(npart_oplist_find(&oplists[at], targets[at], NULL, NULL) == NPART_OK);
    *oplist = oplists[at];
    return targets[at];
}

static unsigned choice_of(const struct subject *subject, unsigned at)
{
    return subject_choose(subject, REQUEST_FIRST + at, 256);
}

/* Sizes for dims by symbol and by place; what the model lacks is no failure. */
static void choose_sizes(struct request *request, unsigned choice)
{
    static const char *const names[] = {"n", "batch", "sequence_length", "x.0", "v0.0", "input.0", "m", "height"};
    static const int64_t sizes[] = {1, 2, 16, 224, 7, 65536, 0, -1};
    request->sizes = (struct npart_inference_options)NPART_INFERENCE_OPTIONS_INIT;
    if (choice == 0)
        return;
    for (unsigned i = 0; i < 2; i++)
        request->dims[i] = (struct npart_dim_binding){.name = names[(choice + i) % 8], .size = sizes[choice / 8 % 8]};
    request->dims[0].is_limit = choice / 64 == 3;
    request->sizes.dims = request->dims;
    request->sizes.dim_count = choice % 2 ? 2 : 1;
    request->sizes.may_lack_dims = true;
}

static void choose_override(struct request *request, unsigned choice, const npart_model *model)
{
    struct npart_model_info info = {.size = sizeof info};
    struct npart_node node = {.size = sizeof node};
    npart_model_info(model, &info);
    if (choice == 0 || !info.node_count || !npart_model_node(model, choice / 4 % info.node_count, &node))
        return;
    bool is_op = choice % 2 || !*node.name;
    if (is_op && *node.domain) /* such an op needs its domain in front */
        return;
    request->assumption = (struct npart_assumption){.op = is_op ? node.op : NULL, .node = is_op ? NULL : node.name,
                                                    .on_npu = choice / 2 % 2 == 0};
    request->plan.assumptions = &request->assumption;
    request->plan.assumption_count = 1;
}

static void choose_cut(struct request *request, unsigned choice, const npart_model *model)
{
    struct npart_model_info info = {.size = sizeof info};
    struct npart_node node = {.size = sizeof node};
    npart_model_info(model, &info);
    if (choice == 0 || !info.node_count || !npart_model_node(model, choice % info.node_count, &node) || !*node.name)
        return;
    request->cut = node.name;
    request->plan.cuts = &request->cut;
    request->plan.cut_count = 1;
}

void request_make(struct request *request, const struct subject *subject, const npart_model *model,
                  const struct npart_allocator *allocator)
{
    static const char *const partitioners[] = {NULL,       "connected", "openvino", "prefix", "qnn",
                                               "runs",     "single",    "waves",    "whole"};
    unsigned partitioner = choice_of(subject, PARTITIONER), flags = choice_of(subject, LEVEL);
    memset(request, 0, sizeof *request);
    request->plan = (struct npart_plan_options)NPART_PLAN_OPTIONS_INIT;
    request->plan.allocator = allocator;
    request->plan.level = flags & IS_OFF ? NPART_LEVEL_OFF : NPART_LEVEL_BASIC;
    request->plan.is_sustained = flags & IS_SUSTAINED;
    request->plan.partitioner = partitioners[partitioner % (sizeof partitioners / sizeof partitioners[0])];
    choose_sizes(request, choice_of(subject, SIZES));
    request->sizes.ignore_value_info = flags & IGNORES_DECLARED;
    choose_override(request, choice_of(subject, OVERRIDE), model);
    choose_cut(request, choice_of(subject, CUT), model);
}

npart_inference *request_infer(const struct request *request, const npart_model *model)
{
    npart_inference *inference = NULL;
    struct npart_error error;
    npart_status status = npart_inference_make(&inference, model, &request->sizes, &error);
    FUZZ_REQUIRE((status == NPART_OK) == (inference != NULL));
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    return inference;
}
