/* SPDX-License-Identifier: Apache-2.0
 *
 * What is quantized further on. A class of equality is that of a step's own result; after an operator that rounds to a
 * few levels a difference in the last place may become one of a whole level.
 */
#include "fix/state.h"

/* Whether the node quantizes one of its operands while the model runs; `*operand` says which. */
static bool is_quantizer(const struct npart__graph *graph, const struct npart__node *node, uint32_t *operand)
{
    const struct npart__traits *traits = node->traits;
    const char *name = traits->rounds.attribute;
    const struct npart__attribute *attribute = name ? npart__node_attribute(graph, node, name) : NULL;
    bool is_on = !name || (attribute && attribute->type == NPART_ATTRIBUTE_INT &&
                           attribute->u.i == traits->rounds.value);
    *operand = traits->rounds.operand;
    return traits->rounds.is_there && is_on;
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
    if (!is_reached || npart__comes_from(node, NPART__WAYS_SIZES))
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
