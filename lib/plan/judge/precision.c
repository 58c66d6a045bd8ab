/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether a model computes in floating point throughout. Targets that know integers only refuse it as a whole, before
 * any of their rules is asked.
 */
#include "judge/judge.h"

/* Weights alone may be quantized: what is computed with them is floating point still. Operand 0 of the node is what
 * it quantizes or dequantizes; without one there is no activation either. */
static bool reads_only_constants(const struct npart__session *session, const struct npart__node *node)
{
    uint32_t value = npart__node_input(session->graph, node, 0);
    return value == NPART_NONE || session->is_constant[value];
}

/* By the types of results: a node of integers in a model of floats, such as an ArgMax, says nothing. A result of a
 * type that is not known says nothing either. */
static bool makes_floating_point(const struct npart__inference *inference, const struct npart__node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(inference->graph, node, i);
        if (value != NPART_NONE && npart__type_is_float(npart__fact_of(inference, value)->element_type))
            return true;
    }
    return false;
}

/* One node that quantizes an activation is enough for the model to count as quantized. A model of which no type is
 * known is no float model: refusing it all would be a guess. Linear in nodes; asked once for a target and session. */
bool npart__is_float_model(const struct npart__session *session)
{
    const struct npart__graph *graph = session->graph;
    bool has_floats = false;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        if (!npart__is_live(session, i))
            continue;
        if (npart__node_plays(graph, node, NPART__ROLE_QUANTIZED) && !reads_only_constants(session, node))
            return false;
        has_floats |= makes_floating_point(session->inference, node);
    }
    return has_floats;
}
