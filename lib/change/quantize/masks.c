/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a mask of -inf goes: calibration finds a range without an end there, and so the quantizer writes a scale of inf
 * (quant_utils.py, compute_scale_zp). A mask that is chosen by what the caller gives may be in no sample: that scale is
 * not known. Of numbers that the skeleton has not, nothing is said.
 */
#include <math.h>

#include "quantize/internal.h"

/* An attribute with one number that stands at all places. */
static bool fills_infinity(const struct npart__graph *graph, const struct npart__node *node)
{
    const struct npart__attribute *value = npart__node_attribute(graph, node, "value");
    double number = 0;
    return npart__comes_from(node, NPART__WAY(FILL)) && value && value->type == NPART_ATTRIBUTE_TENSOR &&
           npart__tensor_doubles(value->u.tensor, &number, 1) && isinf(number);
}

/* As its numbers say, where they are known. What moves elements makes of a mask what the first operand is, what adds it
 * or chooses what all of them are. */
static void note_mask(struct npart__quantizer *quantizer, struct npart__inference *inference,
                      const struct npart__node *node, uint32_t result)
{
    const struct npart__graph *graph = quantizer->graph;
    const struct npart__known *known = npart__elements(inference, &inference->facts[result]);
    uint8_t reach = !known && node && fills_infinity(graph, node) ? NPART__REACHES_INFINITY : NPART__IS_FINITE;
    bool masks = node && npart__node_plays(graph, node, NPART__ROLE_MASKS);
    bool moves = node && npart__comes_from(node, NPART__WAYS_ONE | NPART__WAY(PAD));
    uint32_t count = masks || (node && npart__comes_from(node, NPART__WAY(CONCAT))) ? node->input_count : moves;
    for (uint32_t i = 0; known && known->doubles && i < known->count; i++)
        reach = isinf(known->doubles[i]) ? NPART__REACHES_INFINITY : reach;
    for (uint32_t i = 0; !known && i < count; i++) {
        uint32_t value = npart__node_input(graph, node, i);
        uint8_t of = value == NPART_NONE ? 0 : quantizer->tensors[npart__value_at(graph, value)->name].reach;
        reach = of > reach ? of : reach;
    }
    uint32_t first = reach && masks ? npart__node_input(graph, node, 0) : NPART_NONE;
    bool chooses = first != NPART_NONE && inference->facts[first].element_type == NPART__BOOL;
    if (!known && chooses && !inference->facts[first].is_constant)
        reach = NPART__MAY_REACH_INFINITY;
    quantizer->tensors[npart__value_at(graph, result)->name].reach = reach;
}

void npart__note_masks(struct npart__quantizer *quantizer, struct npart__inference *inference)
{
    const struct npart__graph *graph = quantizer->graph;
    const struct npart__scope *main = npart__scope_at(graph, 0);
    for (uint32_t i = 0; i < graph->values.count; i++)
        if (npart__value_at(graph, i)->scope == 0 && npart__value_at(graph, i)->tensor)
            note_mask(quantizer, inference, NULL, i);
    for (uint32_t i = 0; i < main->order_count; i++) {
        const struct npart__node *node = npart__node_at(graph, graph->order[main->first_order + i]);
        uint32_t result = node->output_count ? npart__node_output(graph, node, 0) : NPART_NONE;
        if (result != NPART_NONE)
            note_mask(quantizer, inference, node, result);
    }
}
