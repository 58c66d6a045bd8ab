/* SPDX-License-Identifier: Apache-2.0
 *
 * What is quantized further on. A class of equality is that of a step's own result; after an operator that rounds to a
 * few levels a difference in the last place may become one of a whole level.
 */
#include "fix/state.h"

#define ATTRIBUTE_INT 2 /* AttributeProto.INT */

/* Operators that quantize an operand while the model runs, and which of them. Weights are quantized before. */
static const struct {
    const char *op;
    uint32_t operand;
    const char *attribute; /* only with this value of it; NULL: always */
    int64_t value;
} quantizers[] = {
    {"QuantizeLinear", 0, NULL, 0},
    {"DynamicQuantizeLinear", 0, NULL, 0},
    {"com.microsoft:QuantizeLinear", 0, NULL, 0},
    {"com.microsoft:DynamicQuantizeMatMul", 0, NULL, 0},
    {"com.microsoft:DynamicQuantizeLSTM", 0, NULL, 0},
    {"com.microsoft:MatMulNBits", 0, "accuracy_level", 4}, /* INT8 (contrib_ops/cpu/quantization/matmul_nbits.cc) */
};

/* Whether the node quantizes one of its operands; `*operand` says which. */
static bool is_quantizer(const struct npart__graph *graph, const struct npart__node *node, uint32_t *operand)
{
    for (size_t i = 0; i < NPART__COUNT(quantizers); i++) {
        if (!npart__node_is(graph, node, quantizers[i].op))
            continue;
        const char *name = quantizers[i].attribute;
        const struct npart__attribute *attribute = name ? npart__node_attribute(graph, node, name) : NULL;
        if (name && !(attribute && attribute->type == ATTRIBUTE_INT && attribute->u.i == quantizers[i].value))
            return false;
        *operand = quantizers[i].operand;
        return true;
    }
    return false;
}

/* Shape and Size read no elements. */
static bool reads_elements(const struct npart__graph *graph, const struct npart__node *node)
{
    return !npart__node_is(graph, node, "Shape") && !npart__node_is(graph, node, "Size");
}

/* A value that was not marked before is noted as a change. */
static bool mark(bool *reaches, uint32_t value)
{
    if (value == NPART_NONE || reaches[value])
        return false;
    reaches[value] = true;
    return true;
}

/* Bodies: what one gives may be a result of its node, so where that is quantized, so is what the body gives. */
static bool mark_bodies(const struct npart__graph *graph, const struct npart__node *node, bool *reaches)
{
    bool changed = false;
    for (uint32_t b = 0; b < node->body_count; b++) {
        const struct npart__scope *scope = npart__scope_at(graph, node->first_body + b);
        for (uint32_t i = 0; i < scope->output_count; i++)
            changed |= mark(reaches, graph->operands.items[scope->first_output + i]);
    }
    return changed;
}

/* What the node reads, where it quantizes it or one of its results is quantized further on. */
static bool mark_node(const struct npart__graph *graph, const struct npart__node *node, bool *reaches)
{
    uint32_t operand;
    bool changed = false, is_reached = false;
    if (is_quantizer(graph, node, &operand))
        changed = mark(reaches, npart__node_input(graph, node, operand));
    for (uint32_t i = 0; i < node->output_count && !is_reached; i++) {
        uint32_t result = npart__node_output(graph, node, i);
        is_reached = result != NPART_NONE && reaches[result];
    }
    if (!is_reached || !reads_elements(graph, node))
        return changed;
    for (uint32_t i = 0; i < node->input_count; i++)
        changed |= mark(reaches, npart__node_input(graph, node, i));
    for (uint32_t i = 0; i < node->capture_count; i++)
        changed |= mark(reaches, graph->operands.items[node->first_capture + i]);
    return mark_bodies(graph, node, reaches) || changed;
}

/* From the last node to the first; again where a body or an order of nodes hid something. */
const bool *npart__find_quantized(const struct npart__graph *graph, struct npart__arena *arena)
{
    bool *reaches = npart__arena_zeroed(arena, graph->values.count + (size_t)1, sizeof *reaches);
    bool changed = reaches != NULL;
    while (changed) {
        changed = false;
        for (uint32_t i = graph->nodes.count; i-- > 0;)
            changed |= mark_node(graph, npart__node_at(graph, i), reaches);
    }
    return reaches;
}
