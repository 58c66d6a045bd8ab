/* SPDX-License-Identifier: Apache-2.0
 *
 * What-ifs over random graphs: the model by the generator from the front of the bytes; from their back sizes for its
 * dims, the target, level and partitioner, placement overrides, cut points, and whether sizes are proposed.
 */
#include "fuzz/fuzz.h"
#include "fuzz/generate.h"

#define MOST 8u

static size_t live_bytes;
static const struct npart_allocator limited = {fuzz_allocate, NULL, fuzz_release, &live_bytes};

struct question {
    struct npart_plan_options plan;
    struct npart_assumption assumptions[MOST];
    const char *cuts[MOST];
    const npart_oplist *oplist;
    bool has_sizes;
};

static void assume(struct question *question, struct choices *choices, const npart_model *model, uint32_t nodes)
{
    struct npart_node node = {.size = sizeof node};
    if (!npart_model_node(model, choose_last(choices, 256) % nodes, &node))
        return;
    bool is_op = choose_last(choices, 2) || !*node.name, on_npu = !choose_last(choices, 2);
    if (is_op && *node.domain) /* such an op needs its domain in front */
        return;
    question->assumptions[question->plan.assumption_count++] =
        (struct npart_assumption){.op = is_op ? node.op : NULL, .node = is_op ? NULL : node.name, .on_npu = on_npu};
}

static void ask(struct question *question, struct choices *choices, const npart_model *model,
                const npart_inference *inference)
{
    static const char *const partitioners[] = {NULL,     "connected", "openvino", "prefix", "runs",
                                               "single", "waves",     "whole",    "qnn"};
    struct npart_model_info info = {.size = sizeof info};
    npart_model_info(model, &info);
    memset(question, 0, sizeof *question);
    question->plan = (struct npart_plan_options)NPART_PLAN_OPTIONS_INIT;
    question->plan.allocator = &limited;
    question->plan.assumptions = question->assumptions;
    question->plan.cuts = question->cuts;
    question->oplist = fuzz_builtin_oplist(choose_last(choices, 64));
    question->plan.level = choose_last(choices, 2) ? NPART_LEVEL_OFF : NPART_LEVEL_BASIC;
    question->plan.partitioner = partitioners[choose_last(choices, sizeof partitioners / sizeof partitioners[0])];
    question->has_sizes = choose_last(choices, 2);
    for (unsigned i = choose_last(choices, MOST); i && info.node_count; i--)
        assume(question, choices, model, info.node_count);
    for (unsigned i = choose_last(choices, MOST); i && info.value_count; i--) {
        struct npart_value value = {.size = sizeof value};
        uint32_t id = (choose_last(choices, 256) << 8 | choose_last(choices, 256)) % info.value_count;
        if (npart_inference_value(inference, id, &value) && *value.name)
            question->cuts[question->plan.cut_count++] = value.name;
    }
}

/* Whether the caller wants every node of this name on the CPU. */
static bool is_kept_off(const struct question *question, const char *name)
{
    bool is_kept = false;
    for (uint32_t i = 0; i < question->plan.assumption_count; i++) {
        const struct npart_assumption *assumption = &question->assumptions[i];
        if (!assumption->node || strcmp(assumption->node, name) != 0)
            continue;
        if (assumption->on_npu)
            return false;
        is_kept = true;
    }
    return is_kept;
}

static void check_nodes(const struct question *question, const npart_model *model, const npart_plan *plan)
{
    struct npart_node node = {.size = sizeof node};
    for (uint32_t i = 0; npart_model_node(model, i, &node); i++) {
        struct npart_node_plan answer = {.size = sizeof answer};
        FUZZ_REQUIRE(npart_plan_node(plan, i, &answer));
        FUZZ_REQUIRE((answer.partition != NPART_NONE) == (answer.verdict == NPART_VERDICT_NPU));
        FUZZ_REQUIRE(answer.verdict != NPART_VERDICT_FUSED || answer.into != NPART_NONE);
        FUZZ_REQUIRE(answer.verdict != NPART_VERDICT_NPU || !is_kept_off(question, node.name));
        for (uint32_t k = 0; k < answer.reason_count; k++) {
            struct npart_reason reason = {.size = sizeof reason};
            char found[200];
            FUZZ_REQUIRE(npart_plan_reason(plan, i, k, &reason, found, sizeof found));
        }
    }
}

static void answer(const struct question *question, const npart_model *model, npart_inference *inference,
                   npart_inference *fixed)
{
    struct npart_error error;
    npart_plan *plan = NULL, *again = NULL;
    struct npart_summary first = {.size = sizeof first}, second = {.size = sizeof second};
    npart_status status = npart_plan_make(&plan, fixed ? fixed : inference, question->oplist, NULL, &question->plan,
                                          &error);
    if (status != NPART_OK) {
        fuzz_check_error(status, &error);
        return;
    }
    fuzz_check_plan(plan);
    check_nodes(question, model, plan);
    fuzz_report(plan, NULL);
    fuzz_explain(plan, "0");
    status = npart_plan_make(&again, fixed ? fixed : inference, question->oplist, NULL, &question->plan, &error);
    if (status == NPART_OK) {
        npart_plan_summary(plan, &first);
        npart_plan_summary(again, &second);
        FUZZ_REQUIRE(first.partitions == second.partitions && first.accepted == second.accepted &&
                     first.folded == second.folded && first.switches == second.switches);
    }
    npart_plan_free(again);
    npart_plan_free(plan);
}

/* Sizes for the generator's symbols and for dims by place; what the model lacks, or what conflicts, is an error. */
static npart_status infer(npart_inference **out, struct choices *choices, const npart_model *model,
                          struct npart_error *error)
{
    static const char *const names[] = {"n", "m", "batch", "n + 1", "v0.0", "v0.1", "v1.0", "v1.3"};
    static const int64_t numbers[] = {1, 2, 0, 7, 64, -1, 65536, INT64_MAX};
    struct npart_dim_binding dims[MOST];
    struct npart_inference_options options = NPART_INFERENCE_OPTIONS_INIT;
    options.ignore_value_info = choose_last(choices, 4) == 3;
    options.dims = dims;
    for (unsigned i = choose_last(choices, 4); i > 1; i--)
        dims[options.dim_count++] = (struct npart_dim_binding){.name = names[choose_last(choices, 8)],
                                                               .size = numbers[choose_last(choices, 8)],
                                                               .is_limit = choose_last(choices, 3) == 2};
    return npart_inference_make(out, model, &options, error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct choices choices = {data, 0, bytes};
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    struct npart_error error;
    struct question question;
    npart_model *model = NULL;
    npart_inference *inference = NULL, *fixed = NULL;
    struct bytes made = generate_model(&choices);
    options.allocator = &limited;
    npart_status status = npart_model_read_memory(&model, made.data, made.size, &options, &error);
    bytes_free(&made);
    choices = (struct choices){data, 0, bytes};
    if (status == NPART_OK)
        status = infer(&inference, &choices, model, &error);
    if (status == NPART_OK) {
        ask(&question, &choices, model, inference);
        if (!question.has_sizes || npart_inference_make_fixed(&fixed, inference, &error) == NPART_OK)
            answer(&question, model, inference, fixed);
    } else {
        fuzz_check_error(status, &error);
    }
    npart_inference_free(fixed);
    npart_inference_free(inference);
    npart_model_free(model);
    FUZZ_REQUIRE(live_bytes == 0);
    return 0;
}
