/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a mask of -inf goes: calibration finds a range without an end there, and so the quantizer writes a scale of inf
 * (quant_utils.py, compute_scale_zp). A mask that is chosen by what the caller gives may be in no sample: that scale is
 * not known. Of numbers that the skeleton has not, nothing is said.
 */
#include <math.h>

#include "quantize/internal.h"

static uint8_t reach_of(struct npart__inference *inference, uint32_t value, bool *is_known)
{
    const struct npart__known *known = npart__elements(inference, &inference->facts[value]);
    *is_known = known != NULL;
    for (uint32_t i = 0; known && known->doubles && i < known->count; i++)
        if (isinf(known->doubles[i]))
            return NPART__REACHES_INFINITY;
    return NPART__IS_FINITE;
}

/* What the operator makes of a mask: of what moves elements the first operand's, of what adds it all of them. */
static uint32_t count_masked(const struct npart__graph *graph, const struct npart__node *node)
{
    enum npart__elements from = (enum npart__elements)npart__operator_traits("", npart__node_op(graph, node))->elements;
    bool moves = from >= NPART__ELEMENTS_ON && from <= NPART__ELEMENTS_PAD && from != NPART__ELEMENTS_EACH &&
                 from != NPART__ELEMENTS_CODES;
    if (npart__is_op_of(NPART__OPS_MASKERS, npart__node_op(graph, node)) || from == NPART__ELEMENTS_CONCAT)
        return node->input_count;
    return moves && node->input_count ? 1 : 0;
}

/* An attribute with one number that stands at all places. */
static bool fills_infinity(const struct npart__graph *graph, const struct npart__node *node)
{
    const struct npart__attribute *value = npart__node_attribute(graph, node, "value");
    double number = 0;
    return npart__operator_traits("", npart__node_op(graph, node))->elements == NPART__ELEMENTS_FILL && value &&
           value->type == NPART_ATTRIBUTE_TENSOR && npart__tensor_doubles(value->u.tensor, &number, 1) && isinf(number);
}

static uint8_t reach_of_result(struct npart__quantizer *quantizer, const struct npart__inference *inference,
                               const struct npart__node *node)
{
    const struct npart__graph *graph = quantizer->graph;
    uint8_t reach = fills_infinity(graph, node) ? NPART__REACHES_INFINITY : NPART__IS_FINITE;
    uint32_t count = count_masked(graph, node), first = npart__node_input(graph, node, 0);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = npart__node_input(graph, node, i);
        uint8_t of = value == NPART_NONE ? 0 : quantizer->tensors[npart__value_at(graph, value)->name].reach;
        reach = of > reach ? of : reach;
    }
    bool chooses = npart__is_op_of(NPART__OPS_CHOOSERS, npart__node_op(graph, node)) && first != NPART_NONE;
    return reach && chooses && !inference->facts[first].is_constant ? NPART__MAY_REACH_INFINITY : reach;
}

void npart__note_masks(struct npart__quantizer *quantizer, struct npart__inference *inference)
{
    const struct npart__graph *graph = quantizer->graph;
    const struct npart__scope *main = npart__scope_at(graph, 0);
    bool is_known;
    for (uint32_t i = 0; i < graph->values.count; i++) {
        const struct npart__value *value = npart__value_at(graph, i);
        if (value->scope == 0 && value->tensor)
            quantizer->tensors[value->name].reach = reach_of(inference, i, &is_known);
    }
    for (uint32_t i = 0; i < main->order_count; i++) {
        const struct npart__node *node = npart__node_at(graph, graph->order[main->first_order + i]);
        uint32_t result = node->output_count ? npart__node_output(graph, node, 0) : NPART_NONE;
        if (result == NPART_NONE)
            continue;
        uint8_t *reach = &quantizer->tensors[npart__value_at(graph, result)->name].reach;
        *reach = reach_of(inference, result, &is_known);
        if (!is_known)
            *reach = reach_of_result(quantizer, inference, node);
    }
}
