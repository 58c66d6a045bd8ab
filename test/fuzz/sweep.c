/* SPDX-License-Identifier: Apache-2.0 */
#include "fuzz/sweep.h"

#include "fuzz/fuzz.h"

#define ROOM 64 /* of texts: less than many have, so that they are cut */

/* What is read, so that it is read. */
static volatile uint64_t touched;

/* As the header promises of functions that write text. */
static void check_text(const char *text, size_t length)
{
    FUZZ_REQUIRE(length == SIZE_MAX || strlen(text) <= length);
    FUZZ_REQUIRE(length == SIZE_MAX || length >= ROOM || strlen(text) == length);
}

/* ---- models ---------------------------------------------------------------------------------------------------- */

static void sweep_attributes(const npart_model *model, uint32_t node, uint32_t count)
{
    struct npart_attribute at = {.size = sizeof at};
    uint32_t seen = 0;
    for (; npart_model_attribute(model, node, seen, &at); seen++) {
        size_t bytes = 0;
        uint64_t sum = 0;
        FUZZ_REQUIRE(at.name);
        if (at.type == NPART_ATTRIBUTE_STRING && at.text)
            FUZZ_REQUIRE(at.text[at.count] == '\0');
        for (uint32_t i = 0; at.type == NPART_ATTRIBUTE_INTS && at.integers && i < at.count; i++)
            sum += (uint64_t)at.integers[i];
        for (uint32_t i = 0; at.type == NPART_ATTRIBUTE_FLOATS && at.reals && i < at.count; i++)
            sum += at.reals[i] > 0;
        for (uint32_t i = 0; at.type == NPART_ATTRIBUTE_TENSOR && i < at.rank; i++)
            sum += (uint64_t)at.dims[i];
        for (uint32_t i = 0; at.type == NPART_ATTRIBUTE_STRINGS && i <= at.count; i++) {
            const char *text = npart_model_attribute_string(model, node, seen, i, &bytes);
            sum += text && bytes ? (unsigned char)text[bytes - 1] : 0;
        }
        touched = sum;
    }
    FUZZ_REQUIRE(seen == count);
}

static void sweep_operands(const npart_model *model, uint32_t node, bool is_output, const uint32_t *values,
                           uint32_t count)
{
    struct npart_operand operand = {.size = sizeof operand};
    uint32_t seen = 0;
    for (; npart_model_operand(model, node, is_output, seen, &operand); seen++) {
        FUZZ_REQUIRE(seen < count && operand.value == values[seen]);
        FUZZ_REQUIRE(operand.name_bytes == 0 || operand.name[operand.name_bytes - 1]);
    }
    FUZZ_REQUIRE(seen == count);
}

static void sweep_node(const npart_model *model, uint32_t id, const struct npart_node *node, uint32_t values)
{
    struct npart_origin origin = {.size = sizeof origin};
    char text[ROOM];
    for (uint32_t i = 0; i < node->input_count; i++)
        FUZZ_REQUIRE(node->inputs[i] == NPART_NONE || node->inputs[i] < values);
    for (uint32_t i = 0; i < node->output_count; i++)
        FUZZ_REQUIRE(node->outputs[i] == NPART_NONE || node->outputs[i] < values);
    for (uint32_t i = 0; i < node->capture_count; i++)
        FUZZ_REQUIRE(node->captures[i] < values);
    sweep_operands(model, id, false, node->inputs, node->input_count);
    sweep_operands(model, id, true, node->outputs, node->output_count);
    sweep_attributes(model, id, node->attribute_count);
    check_text(text, npart_model_node_text(model, id, text, sizeof text));
    if (npart_model_node_origin(model, id, &origin) && origin.file_bytes)
        touched = (unsigned char)origin.file[origin.file_bytes - 1];
    (void)npart_model_node_metadata(model, id, "namespace");
    if (*node->name)
        FUZZ_REQUIRE(npart_model_find_node(model, node->name, 0) <= id);
}

static void sweep_model(const npart_model *model)
{
    struct npart_model_info info = {.size = sizeof info};
    struct npart_node node = {.size = sizeof node};
    struct npart_graph graph = {.size = sizeof graph};
    struct npart_finding finding = {.size = sizeof finding};
    char text[ROOM];
    uint32_t count = 0;
    FUZZ_REQUIRE(npart_model_info(model, &info));
    for (; npart_model_node(model, count, &node); count++) {
        FUZZ_REQUIRE(node.graph < info.graph_count);
        sweep_node(model, count, &node, info.value_count);
    }
    FUZZ_REQUIRE(count == info.node_count);
    for (count = 0; npart_model_graph(model, count, &graph); count++)
        check_text(text, npart_model_graph_path(model, count, text, sizeof text));
    FUZZ_REQUIRE(count == info.graph_count);
    for (count = 0; npart_model_finding(model, count, &finding); count++)
        FUZZ_REQUIRE(*finding.code && *finding.text && finding.at);
    FUZZ_REQUIRE(count == info.finding_count);
}

/* ---- inferences ------------------------------------------------------------------------------------------------ */

static void sweep_value(const npart_inference *inference, uint32_t id, const struct npart_value *value)
{
    int64_t elements[ROOM];
    uint32_t count = 0;
    char text[ROOM];
    for (uint32_t axis = 0; value->has_rank && axis <= value->rank; axis++) {
        int64_t dim = npart_inference_dim(inference, id, axis);
        FUZZ_REQUIRE(dim >= -1 && (!value->is_static || axis == value->rank || dim >= 0));
        check_text(text, npart_inference_dim_text(inference, id, axis, text, sizeof text));
    }
    check_text(text, npart_inference_type_text(inference, id, text, sizeof text));
    bool is_known = npart_inference_elements(inference, id, elements, ROOM, &count);
    FUZZ_REQUIRE(is_known || count == 0);
}

static void sweep_inference(const npart_inference *inference)
{
    struct npart_inference_info info = {.size = sizeof info};
    struct npart_value value = {.size = sizeof value};
    struct npart_finding finding = {.size = sizeof finding};
    struct npart_dim_binding binding;
    struct npart_structure structure = {.size = sizeof structure};
    struct npart_work work = {.size = sizeof work};
    char text[ROOM];
    uint32_t count = 0;
    FUZZ_REQUIRE(npart_inference_info(inference, &info));
    for (uint32_t id = 0; npart_inference_value(inference, id, &value); id++)
        sweep_value(inference, id, &value);
    for (; npart_inference_assumption(inference, count, text, sizeof text, NULL); count++)
        FUZZ_REQUIRE(*text);
    FUZZ_REQUIRE(count == info.assumption_count);
    for (count = 0; npart_inference_finding(inference, count, &finding); count++)
        FUZZ_REQUIRE(*finding.code && *finding.text && finding.at);
    FUZZ_REQUIRE(count == info.finding_count);
    for (count = 0; npart_inference_binding(inference, count, &binding); count++)
        FUZZ_REQUIRE(*binding.name && binding.size >= 0);
    FUZZ_REQUIRE(count == info.binding_count);
    for (uint32_t id = 0; npart_inference_work(inference, id, &work, NULL) == NPART_OK; id++)
        FUZZ_REQUIRE(npart_work_class_text(work.work_class));
    for (uint32_t id = 0; npart_inference_structure(inference, id, &structure, NULL) == NPART_OK; id++)
        FUZZ_REQUIRE(structure.size == sizeof structure);
}

/* ---- plans ----------------------------------------------------------------------------------------------------- */

static void sweep_nodes(const npart_plan *plan)
{
    struct npart_node_plan node = {.size = sizeof node};
    struct npart_reason reason = {.size = sizeof reason};
    struct npart_held held = {.size = sizeof held};
    struct npart_work work = {.size = sizeof work};
    char text[ROOM];
    for (uint32_t id = 0; npart_plan_node(plan, id, &node); id++) {
        uint32_t count = 0;
        for (; npart_plan_reason(plan, id, count, &reason, text, sizeof text); count++)
            check_text(text, reason.found_bytes);
        FUZZ_REQUIRE(count == node.reason_count);
        for (count = 0; npart_plan_check(plan, id, count, &reason, text, sizeof text); count++)
            check_text(text, reason.found_bytes);
        bool is_held = npart_plan_held(plan, id, &held);
        FUZZ_REQUIRE(!is_held || (node.verdict != NPART_VERDICT_FOLDED && node.verdict != NPART_VERDICT_FUSED));
        (void)npart_plan_work(plan, id, &work, NULL);
    }
}

static void sweep_lists(const npart_plan *plan)
{
    struct npart_plan_info info = {.size = sizeof info};
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_crossing crossing = {.size = sizeof crossing};
    struct npart_precision precision = {.size = sizeof precision};
    struct npart_fusion fusion = {.size = sizeof fusion};
    struct npart_module module = {.size = sizeof module};
    struct npart_value_plan value = {.size = sizeof value};
    char text[ROOM];
    uint32_t count = 0, live = 0;
    FUZZ_REQUIRE(npart_plan_info(plan, &info));
    for (; npart_plan_cause(plan, count, &cause, text, sizeof text); count++)
        check_text(text, cause.found_bytes);
    FUZZ_REQUIRE(count == info.cause_count);
    for (count = 0; npart_plan_crossing(plan, count, &crossing); count++)
        FUZZ_REQUIRE(crossing.from != crossing.to);
    FUZZ_REQUIRE(count == info.crossing_count);
    for (count = 0; npart_plan_precision(plan, count, &precision); count++)
        FUZZ_REQUIRE(precision.accepted_count <= precision.node_count);
    for (count = 0; npart_plan_fusion(plan, count, &fusion, NULL) == NPART_OK; count++)
        FUZZ_REQUIRE(fusion.node_count > 0);
    for (count = 0; npart_plan_module(plan, count, &module, NULL) == NPART_OK; count++)
        FUZZ_REQUIRE(module.parent == NPART_NONE || module.parent < count);
    for (count = 0; npart_plan_value(plan, count, &value); count++)
        FUZZ_REQUIRE(value.layout);
    (void)npart_plan_order(plan, &live);
    FUZZ_REQUIRE(live == info.live_count);
}

static void sweep_figures(const npart_plan *plan)
{
    struct npart_cost cost = {.size = sizeof cost};
    struct npart_memory memory = {.size = sizeof memory};
    uint64_t sum = 0;
    FUZZ_REQUIRE(npart_plan_cost(plan, &cost));
    FUZZ_REQUIRE(cost.total.typical_ms < 0 ||
                 (cost.total.low_ms <= cost.total.typical_ms && cost.total.typical_ms <= cost.total.high_ms));
    FUZZ_REQUIRE(npart_plan_memory(plan, &memory));
    for (uint32_t i = 0; i < memory.weight_type_count; i++)
        sum += memory.weight_types[i].bytes;
    FUZZ_REQUIRE(sum == memory.weight_bytes || sum >= UINT64_MAX / 2 || memory.weight_bytes >= UINT64_MAX / 2);
}

/* What is cut is a beginning of the whole. */
static void sweep_compiled(const npart_plan *plan)
{
    struct npart_node_plan node = {.size = sizeof node};
    struct npart_compiled compiled = {.size = sizeof compiled};
    char text[1024], cut[16];
    for (uint32_t id = 0; npart_plan_node(plan, id, &node); id++) {
        if (!npart_plan_compiled(plan, id, &compiled, text, sizeof text))
            continue;
        FUZZ_REQUIRE(npart_plan_compiled(plan, id, &compiled, cut, sizeof cut) && compiled.node == id);
        FUZZ_REQUIRE(*text && strncmp(text, cut, strlen(cut)) == 0);
        FUZZ_REQUIRE(*npart_compiled_verdict_text(compiled.verdict) && compiled.provider && compiled.file);
        FUZZ_REQUIRE((compiled.verdict == NPART_COMPILED_LOADS) <= !*compiled.remedy);
    }
}

void sweep_plan(const npart_plan *plan)
{
    const npart_inference *inference = npart_plan_inference(plan), *view = npart_plan_view(plan);
    struct npart_finding finding = {.size = sizeof finding};
    for (uint32_t i = 0; npart_plan_finding(plan, i, &finding); i++)
        FUZZ_REQUIRE(*finding.code && *finding.text && *finding.at);
    sweep_compiled(plan);
    sweep_model(npart_inference_model(inference));
    sweep_inference(inference);
    sweep_model(npart_inference_model(view));
    sweep_inference(view);
    sweep_nodes(plan);
    sweep_lists(plan);
    sweep_figures(plan);
}
