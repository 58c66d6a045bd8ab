/* SPDX-License-Identifier: Apache-2.0
 *
 * What a real run and the plan differ in, as text cases (test/cases/README.md): each node alone, with the types of its
 * operands, its attributes, and a DequantizeLinear or QuantizeLinear beside it where the model has one. The source is
 * for the user to name.
 */
#include <inttypes.h>
#include <stdio.h>

#include "runs/runs.h"

#define MOST_ELEMENTS 64u

struct case_writer {
    struct npart__buffer *out;
    const npart_model *model;
    const npart_inference *inference;
    const char *target;
};

static struct npart_value value_at(const struct case_writer *at, uint32_t id)
{
    struct npart_value value = {.size = sizeof value, .producer = NPART_NONE};
    (void)npart_inference_value(at->inference, id, &value);
    return value;
}

static uint32_t operand_at(const struct case_writer *at, uint32_t node, bool is_output, uint32_t index)
{
    struct npart_operand operand = {.size = sizeof operand, .value = NPART_NONE};
    return npart_model_operand(at->model, node, is_output, index, &operand) ? operand.value : NPART_NONE;
}

static bool is_op(const struct case_writer *at, uint32_t node, const char *op)
{
    struct npart_node facts = {.size = sizeof facts};
    return npart_model_node(at->model, node, &facts) && strcmp(facts.op, op) == 0;
}

/* "init x1 int64[2] = 0 -1": of what is constant; else an input. Elements are written of INT64, which are sizes and
 * axes: a case holds no weights. */
static void put_value(const struct case_writer *at, const char *prefix, uint32_t index, uint32_t id)
{
    struct npart_value value = value_at(at, id);
    int64_t elements[MOST_ELEMENTS];
    uint32_t count = 0;
    char type[512];
    (void)npart_inference_type_text(at->inference, id, type, sizeof type);
    npart__append_format(at->out, "%s %s%" PRIu32 " %s", value.is_constant ? "init" : "input", prefix, index, type);
    bool is_whole = value.is_constant && strcmp(npart_element_type_text(value.element_type), "int64") == 0;
    if (is_whole && npart_inference_elements(at->inference, id, elements, MOST_ELEMENTS, &count) && count &&
        count <= MOST_ELEMENTS)
        for (uint32_t i = 0; i < count; i++)
            npart__append_format(at->out, "%s%" PRId64, i ? " " : " = ", elements[i]);
    npart__append_text(at->out, "\n");
}

/* The type that a DequantizeLinear reads, or a QuantizeLinear makes. */
static const char *type_of(const struct case_writer *at, uint32_t id)
{
    return npart_element_type_text(value_at(at, id).element_type);
}

static uint32_t quantizer_of(const struct case_writer *at, uint32_t value)
{
    struct npart_node facts = {.size = sizeof facts};
    for (uint32_t id = 0; npart_model_node(at->model, id, &facts); id++)
        if (operand_at(at, id, false, 0) == value && strcmp(facts.op, "QuantizeLinear") == 0)
            return id;
    return NPART_NONE;
}

static void put_operand(const struct case_writer *at, uint32_t index, uint32_t id)
{
    uint32_t producer = value_at(at, id).producer;
    if (producer == NPART_NONE || !is_op(at, producer, "DequantizeLinear")) {
        put_value(at, "x", index, id);
        return;
    }
    uint32_t read = operand_at(at, producer, false, 0);
    put_value(at, "q", index, read);
    npart__append_format(at->out, "init s%" PRIu32 " float32[] = 0.1\ninit z%" PRIu32 " %s[] = 0\n", index, index,
                  type_of(at, read));
    npart__append_format(at->out, "node x%" PRIu32 " = DequantizeLinear(q%" PRIu32 ", s%" PRIu32 ", z%" PRIu32 ")\n",
                         index, index, index, index);
}

/* Bodies, tensors and texts with quotes are left out, and said to be. */
static void put_attributes(const struct case_writer *at, uint32_t node)
{
    struct npart_attribute attribute = {.size = sizeof attribute};
    char digits[48];
    for (uint32_t i = 0; npart_model_attribute(at->model, node, i, &attribute); i++) {
        bool is_list = attribute.type == NPART_ATTRIBUTE_INTS || attribute.type == NPART_ATTRIBUTE_FLOATS;
        if (attribute.type == NPART_ATTRIBUTE_INT)
            npart__append_format(at->out, " %s=%" PRId64, attribute.name, attribute.integer);
        else if (attribute.type == NPART_ATTRIBUTE_FLOAT)
            npart__append_format(at->out, " %s=%s", attribute.name,
                                 npart__digits_text(digits, (double)attribute.real, 9, true));
        else if (attribute.type == NPART_ATTRIBUTE_STRING && !strchr(attribute.text, '"'))
            npart__append_format(at->out, " %s=\"%s\"", attribute.name, attribute.text);
        else if (is_list && !attribute.is_elided) {
            npart__append_format(at->out, " %s=[", attribute.name);
            for (uint32_t k = 0; k < attribute.count; k++)
                if (attribute.type == NPART_ATTRIBUTE_INTS)
                    npart__append_format(at->out, "%s%" PRId64, k ? "," : "", attribute.integers[k]);
                else
                    npart__append_format(at->out, "%s%s", k ? "," : "",
                                         npart__digits_text(digits, (double)attribute.reals[k], 9, true));
            npart__append_text(at->out, "]");
        }
    }
}

static void put_case(const struct case_writer *at, const struct npart_node *node, uint32_t id, const char *run)
{
    struct npart_model_info info = {.size = sizeof info};
    (void)npart_model_info(at->model, &info);
    npart__append_format(at->out, "\n# source:\n== %s on %s: %s\n", node->op, at->target, run);
    for (uint32_t i = 0; i < info.opset_count; i++) {
        bool is_own = strcmp(info.opsets[i].domain, "ai.onnx") == 0;
        if (is_own || strcmp(info.opsets[i].domain, node->domain) == 0)
            npart__append_format(at->out, "opset %s%s%lld\n", is_own ? "" : info.opsets[i].domain, is_own ? "" : " ",
                      (long long)info.opsets[i].version);
    }
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = operand_at(at, id, false, i);
        if (value != NPART_NONE)
            put_operand(at, i, value);
    }
    npart__append_text(at->out, "node ");
    for (uint32_t i = 0; i < node->output_count; i++)
        npart__append_format(at->out, "%sy%" PRIu32, i ? "," : "", i);
    bool is_own = strcmp(node->domain, "ai.onnx") == 0 || !*node->domain;
    npart__append_format(at->out, " = %s%s%s(", is_own ? "" : node->domain, is_own ? "" : ":", node->op);
    for (uint32_t i = 0; i < node->input_count; i++) {
        bool is_there = operand_at(at, id, false, i) != NPART_NONE;
        npart__append_format(at->out, is_there ? "%sx%" PRIu32 : "%s", i ? ", " : "", i);
    }
    npart__append_text(at->out, ")");
    put_attributes(at, id);
    uint32_t quantizer = node->output_count ? quantizer_of(at, operand_at(at, id, true, 0)) : NPART_NONE;
    if (quantizer == NPART_NONE) {
        npart__append_text(at->out, "\noutput y0\n");
    } else {
        npart__append_format(at->out, "\ninit sy float32[] = 0.1\ninit zy %s[] = 0\n",
                      type_of(at, operand_at(at, quantizer, true, 0)));
        npart__append_text(at->out, "node r = QuantizeLinear(y0, sy, zy)\noutput r\n");
    }
    npart__append_format(at->out, "target %s\nexpect verdict y0 %s\n", at->target, run);
}

npart_status npart_verification_cases(const npart_verification *verification, npart_write_callback write,
                                      void *payload, struct npart_error *error)
{
    struct npart__told told;
    if (!verification || !write)
        return npart__fail_null(!verification ? "verification" : "write", error);
    struct npart_plan_info info = {.size = sizeof info};
    (void)npart_plan_info(verification->plan, &info);
    npart__buffer_open(&told.out, &told.arena, &verification->life->arena.allocator, write, payload);
    const struct case_writer at = {&told.out, verification->model, npart_plan_inference(verification->plan),
                                   info.target};
    npart__append_text(at.out, "# What a run and the plan differ in, node by node. Name the source of each: a thread, "
                               "a log\n# or a board, and its release.\n");
    for (uint32_t i = 0; i < verification->node_count; i++) {
        const struct npart__verified_node *compared = &verification->nodes[i];
        struct npart_node node = {.size = sizeof node};
        if (compared->agreement == NPART_AGREEMENT_DIFFERENT && npart_model_node(at.model, i, &node) &&
            node.body_count == 0)
            put_case(&at, &node, i, compared->run == NPART__RUN_ON_NPU ? "npu" : "cpu");
    }
    return npart__buffer_end(&told.out, write, payload, NPART_OK, error);
}
