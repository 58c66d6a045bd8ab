/* SPDX-License-Identifier: Apache-2.0
 *
 * QDQ node units: an operator all of whose operands come from DequantizeLinear, and whose results go to one
 * QuantizeLinear alone, is one with these (core/framework/node_unit.cc of ONNX Runtime). Operands that are absent or
 * constant do not matter, but for parameters of a norm, which must be quantized, too. The integers of the first
 * operand are of the results' type, a second one is signed beside INT8, and a bias is of INT32
 * (qdq_transformer/selectors_actions, qdq_selectors.cc).
 */
#include "session/session.h"

/* Captured values count among the users' operands: a body that uses a result is no QuantizeLinear. An unused
 * result does not matter, and makes no unit, either; nor does one that two quantize. */
static bool is_quantized_only(const struct npart__session *session, uint32_t value, bool *is_used)
{
    const struct npart__graph *graph = session->graph;
    uint32_t users = npart__user_count(session, value);
    if (users > 1 || (users == 1 && !npart__plays(graph, npart__user(session, value, 0), NPART__ROLE_QUANTIZES)))
        return false;
    *is_used |= users != 0;
    return !npart__value_at(graph, value)->is_graph_output;
}

/* The element type that a DequantizeLinear reads, or a QuantizeLinear makes of a value; 0: not known. */
static int type_of_integers(const struct npart__session *session, uint32_t value)
{
    return value == NPART_NONE ? 0 : session->inference->facts[value].element_type;
}

/* Whether types let all of it be one unit; those that are not known do. */
static bool has_types_of_unit(const struct npart__session *session, uint32_t id)
{
    const struct npart__graph *graph = session->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    int types[3] = {0};
    for (uint32_t k = 0; k < node->input_count && k < NPART__COUNT(types); k++) {
        uint32_t value = npart__node_input(graph, node, k);
        bool is_absent = value == NPART_NONE || session->is_constant[value];
        uint32_t producer = is_absent ? NPART_NONE : npart__producer(graph, value);
        if (producer != NPART_NONE)
            types[k] = type_of_integers(session, npart__node_input(graph, npart__node_at(graph, producer), 0));
    }
    for (uint32_t k = 0; types[0] && k < node->output_count; k++) {
        uint32_t value = npart__node_output(graph, node, k);
        for (uint32_t i = 0; value != NPART_NONE && i < npart__user_count(session, value); i++) {
            const struct npart__node *user = npart__node_at(graph, npart__user(session, value, i));
            int made = type_of_integers(session, npart__node_output(graph, user, 0));
            if (made && made != types[0])
                return false;
        }
    }
    if (types[0] == NPART__INT8 && types[1] && types[1] != NPART__INT8)
        return false;
    return !types[2] || types[2] == NPART__INT32 || !npart__node_plays(graph, node, NPART__ROLE_ADDS_INT32);
}

/* A Q or DQ is none itself, nor is a node whose results are not quantized. */
bool npart__is_between_integers(const struct npart__session *session, uint32_t id)
{
    const struct npart__graph *graph = session->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    bool is_used = false, has_parameters = npart__node_plays(graph, node, NPART__ROLE_QUANTIZED_PARAMETERS);
    for (uint32_t k = 0; k < node->output_count; k++) {
        uint32_t value = npart__node_output(graph, node, k);
        if (value != NPART_NONE && !is_quantized_only(session, value, &is_used))
            return false;
    }
    if (!is_used || npart__plays(graph, id, NPART__ROLE_DEQUANTIZES) || npart__plays(graph, id, NPART__ROLE_QUANTIZES))
        return false;
    for (uint32_t k = 0; k < node->input_count; k++) {
        uint32_t value = npart__node_input(graph, node, k);
        bool is_absent = value == NPART_NONE || session->is_constant[value];
        if (value != NPART_NONE && is_absent && (k == 1 || k == 2) && has_parameters)
            return false;
        uint32_t producer = is_absent ? NPART_NONE : npart__producer(graph, value);
        if (!is_absent && (producer == NPART_NONE || !npart__is_live(session, producer) ||
                           !npart__plays(graph, producer, NPART__ROLE_DEQUANTIZES)))
            return false;
    }
    return true;
}

/* The runtime asks a provider about such a unit as about one node, so rules that speak of a quantized operator speak
 * of all of it; another is judged alone. */
bool npart__is_unit(const struct npart__session *session, uint32_t id)
{
    return npart__is_between_integers(session, id) && has_types_of_unit(session, id);
}

static bool same_element(const struct npart__session *session, uint32_t a, uint32_t b)
{
    struct npart__inference *inference = session->inference;
    if (a == NPART_NONE || b == NPART_NONE || a == b)
        return a == b;
    const struct npart__known *one = npart__elements(inference, &inference->facts[a]);
    const struct npart__known *other = npart__elements(inference, &inference->facts[b]);
    if (!one || !other || one->count != 1 || other->count != 1 || !one->ints != !other->ints ||
        inference->facts[a].element_type != inference->facts[b].element_type)
        return false;
    return one->ints ? one->ints[0] == other->ints[0] : one->doubles[0] == other->doubles[0];
}

bool npart__undoes(const struct npart__session *session, const struct npart__node *from, const struct npart__node *node)
{
    const struct npart__graph *graph = session->graph;
    return npart__node_plays(graph, from, NPART__ROLE_DEQUANTIZES) &&
           npart__node_plays(graph, node, NPART__ROLE_QUANTIZES) && from->input_count == 3 && node->input_count == 3 &&
           npart__node_input(graph, from, 0) != NPART_NONE &&
           same_element(session, npart__node_input(graph, node, 1), npart__node_input(graph, from, 1)) &&
           same_element(session, npart__node_input(graph, node, 2), npart__node_input(graph, from, 2));
}
