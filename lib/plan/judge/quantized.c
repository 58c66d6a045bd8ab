/* SPDX-License-Identifier: Apache-2.0
 *
 * What quantizes a result and what dequantizes an operand, where the runtime does so as well: it puts a QuantizeLinear
 * before what only moves elements, and both after what moves what is dequantized.
 * Modelled on core/optimizer/qdq_transformer/qdq_propagation.cc of ONNX Runtime; each asked of onnxruntime 1.32.0.
 */
#include <math.h>

#include "judge/answer.h"

/* The node that alone uses the value; NPART_NONE where there is none, or more, or the graph hands it out. */
static uint32_t only_user(const struct npart__trial *trial, uint32_t value)
{
    bool is_one = value != NPART_NONE && !npart__value_at(trial->graph, value)->is_graph_output &&
                  npart__user_count(trial->session, value) == 1;
    return is_one ? npart__user(trial->session, value, 0) : NPART_NONE;
}

/* The result that is quantized in place of `value`: past ops that the runtime puts the QuantizeLinear before. The value
 * itself where there is no such, or a scale by channel. */
static uint32_t moved_result(const struct npart__trial *trial, uint32_t value)
{
    const struct npart__graph *graph = trial->graph;
    uint32_t at = value;
    for (unsigned steps = 0; trial->session->moves_quantizers && steps < NPART__LIMIT_LAYOUT_STEPS; steps++) {
        uint32_t id = only_user(trial, at);
        if (id == NPART_NONE)
            return value;
        const struct npart__node *user = npart__node_at(graph, id);
        if (npart__node_plays(graph, user, NPART__ROLE_QUANTIZES)) {
            uint32_t scale = npart__node_input(graph, user, 1);
            bool is_one = scale != NPART_NONE && trial->inference->facts[scale].has_rank &&
                          trial->inference->facts[scale].rank == 0;
            return is_one && trial->session->is_constant[scale] ? at : value;
        }
        if (user->domain != 0 || !npart__node_plays(graph, user, NPART__ROLE_KEEPS_QUANTIZATION) ||
            npart__node_input(graph, user, 0) != at || user->output_count != 1)
            return value;
        npart__look_beyond(trial);
        at = npart__node_output(graph, user, 0);
        if (at == NPART_NONE)
            return value;
    }
    return value;
}

/* A bound of a Clip, by an operand or by the attribute of older versions; a Relu has neither. */
static bool bound_of(const struct npart__trial *trial, const struct npart__node *clamp, uint32_t index, double *out)
{
    const struct npart__attribute *attribute =
        npart__node_attribute(trial->graph, clamp, index == 1 ? "min" : "max");
    uint32_t operand = index < clamp->input_count ? npart__node_input(trial->graph, clamp, index) : NPART_NONE;
    if (operand != NPART_NONE)
        return npart__constant_number(trial->session, operand, out);
    if (attribute && attribute->type == NPART_ATTRIBUTE_FLOAT)
        *out = attribute->u.f;
    return !attribute || attribute->type == NPART_ATTRIBUTE_FLOAT;
}

/* Whether all that the QuantizeLinear can tell apart is within the bounds (qdq_util.cc, IsClipMadeRedundantByQ). */
static bool is_redundant(const struct npart__trial *trial, const struct npart__node *clamp, uint32_t id)
{
    bool is_positive = npart__node_plays(trial->graph, clamp, NPART__ROLE_NOT_NEGATIVE);
    double low = is_positive ? 0 : -HUGE_VAL, high = HUGE_VAL;
    struct npart__encoding encoding;
    if (!npart__encoding_of(trial->session, id, &encoding) || !(encoding.scale > 0) ||
        !bound_of(trial, clamp, 1, &low) || !bound_of(trial, clamp, 2, &high))
        return false;
    const struct npart__node *quantizer = npart__node_at(trial->graph, id);
    uint32_t made = quantizer->output_count ? npart__node_output(trial->graph, quantizer, 0) : NPART_NONE;
    int type = made == NPART_NONE ? 0 : npart__fact_of(trial->inference, made)->element_type;
    double least, most;
    return npart__quantized_range(type, &least, &most) &&
           rint(low / encoding.scale) + encoding.zero_point <= least &&
           rint(high / encoding.scale) + encoding.zero_point >= most;
}

/* What the only user makes of the value, if that is a Relu or Clip; else NPART_NONE. */
static uint32_t clamped(const struct npart__trial *trial, uint32_t value)
{
    const struct npart__graph *graph = trial->graph;
    uint32_t id = only_user(trial, value);
    if (id == NPART_NONE)
        return NPART_NONE;
    const struct npart__node *user = npart__node_at(graph, id);
    bool fits = user->domain == 0 && npart__node_plays(graph, user, NPART__ROLE_CLAMPS) && user->output_count == 1 &&
                npart__node_input(graph, user, 0) == value;
    return fits ? npart__node_output(graph, user, 0) : NPART_NONE;
}

/* A Relu or Clip that the QuantizeLinear after it makes redundant is part of the unit (qdq_selectors.cc,
 * GetQDQSelection). Fusions are looked for before units, and know none; before what moves elements, quantizers are put
 * first. */
uint32_t npart__clamped_in_unit(const struct npart__trial *trial, uint32_t value)
{
    const struct npart__graph *graph = trial->graph;
    uint32_t result = trial->names ? NPART_NONE : clamped(trial, value);
    if (result == NPART_NONE || npart__target_release(trial->target) == NPART__RELEASE_OWN ||
        npart__op_plays(npart__producer_word(trial, value), NPART__ROLE_KEEPS_QUANTIZATION))
        return NPART_NONE;
    npart__look_beyond(trial);
    uint32_t quantized = moved_result(trial, result);
    uint32_t user = only_user(trial, quantized);
    if (user == NPART_NONE)
        return NPART_NONE;
    const struct npart__node *clamp = npart__node_at(graph, npart__producer(graph, result));
    bool quantizes = npart__node_plays(graph, npart__node_at(graph, user), NPART__ROLE_QUANTIZES);
    return quantizes && is_redundant(trial, clamp, user) ? quantized : NPART_NONE;
}

/* The result that is quantized in place of `value`. The value itself where there is no such, or where a
 * DequantizeLinear makes it: that forms no unit. */
uint32_t npart__quantized_result(const struct npart__trial *trial, uint32_t value)
{
    if (npart__op_plays(npart__producer_word(trial, value), NPART__ROLE_DEQUANTIZES))
        return value;
    uint32_t in_unit = npart__clamped_in_unit(trial, value);
    return in_unit != NPART_NONE ? in_unit : moved_result(trial, value);
}

/* The first QuantizeLinear among a value's users, which may be others beside that; NPART_NONE. */
static uint32_t quantizer_of(const struct npart__trial *trial, uint32_t value)
{
    uint32_t count;
    const uint32_t *users = npart__user_kinds(trial->graph, value, &count);
    for (uint32_t i = 0; i < count; i++)
        if (users[i] != NPART_NONE &&
            npart__node_plays(trial->graph, npart__node_at(trial->graph, users[i]), NPART__ROLE_QUANTIZES))
            return users[i];
    return NPART_NONE;
}

/* The DequantizeLinear past ops that only move elements, after each of which the runtime quantizes and dequantizes
 * again: for a scale of one element, and not where a QuantizeLinear is next, unless that is after a Transpose which
 * the runtime moves on to one that follows: in DequantizeLinear -> Transpose -> Squeeze -> Transpose the second does
 * the work of both, and the QuantizeLinear stays with the first. NPART_NONE where no such op makes the value. */
uint32_t npart__moved_dequantizer(const struct npart__trial *trial, uint32_t value)
{
    const struct npart__graph *graph = trial->graph;
    uint32_t producer = npart__producer(graph, value);
    bool meets = false; /* a Transpose after this one, with nothing between that keeps them apart */
    for (unsigned steps = 0; trial->session->moves_quantizers && steps < NPART__LIMIT_LAYOUT_STEPS; steps++) {
        const struct npart__node *node = producer == NPART_NONE ? NULL : npart__node_at(graph, producer);
        if (!node || node->domain != 0 || node->output_count != 1 ||
            !npart__node_plays(graph, node, NPART__ROLE_KEEPS_QUANTIZATION))
            return NPART_NONE;
        npart__look_beyond(trial);
        bool reorders = npart__node_plays(graph, node, NPART__ROLE_REORDERS_AXES);
        if (quantizer_of(trial, value) != NPART_NONE && !(reorders && meets))
            return NPART_NONE;
        meets = reorders || (meets && npart__node_plays(graph, node, NPART__ROLE_BETWEEN_TRANSPOSES));
        value = npart__node_input(graph, node, 0);
        producer = value == NPART_NONE ? NPART_NONE : npart__producer(graph, value);
        if (producer == NPART_NONE || !npart__op_plays(npart__producer_word(trial, value), NPART__ROLE_DEQUANTIZES))
            continue;
        uint64_t elements;
        uint32_t scale = npart__node_input(graph, npart__node_at(graph, producer), 1);
        bool is_one = scale != NPART_NONE && npart__static_elements(&trial->inference->facts[scale], &elements) &&
                      elements == 1;
        return is_one && trial->session->is_constant[scale] ? producer : NPART_NONE;
    }
    return NPART_NONE;
}

/* Where the runtime quantizes with what a DequantizeLinear has, that one. */
uint32_t npart__quantizing_node(const struct npart__trial *trial, uint32_t value, bool is_output)
{
    bool is_dequantized = npart__op_plays(npart__producer_word(trial, value), NPART__ROLE_DEQUANTIZES);
    uint32_t beside = is_output        ? quantizer_of(trial, npart__quantized_result(trial, value))
                      : is_dequantized ? npart__producer(trial->graph, value)
                                       : NPART_NONE;
    return beside != NPART_NONE ? beside : npart__moved_dequantizer(trial, value);
}

/* By place: DequantizeLinear and QuantizeLinear have data, scale and zero point at 0, 1 and 2 in every version. */
uint32_t npart__quantizing_operand(const struct npart__trial *trial, uint32_t value, bool is_output, uint32_t index)
{
    uint32_t node = npart__quantizing_node(trial, value, is_output);
    const struct npart__node *at = node == NPART_NONE ? NULL : npart__node_at(trial->graph, node);
    return at ? npart__node_input(trial->graph, at, index) : NPART_NONE;
}

/* What the only user makes of the value; NPART_NONE where there is none, or one of another role. */
static uint32_t next_result(const struct npart__trial *trial, uint32_t value, const enum npart__role *role)
{
    uint32_t id = only_user(trial, value);
    if (id == NPART_NONE)
        return NPART_NONE;
    const struct npart__node *user = npart__node_at(trial->graph, id);
    return role && !npart__node_plays(trial->graph, user, *role) ? NPART_NONE
                                                                 : npart__node_output(trial->graph, user, 0);
}

bool npart__may_join_pairs(const struct npart__trial *trial, uint32_t node)
{
    static const enum npart__role roles[] = {NPART__ROLE_DEQUANTIZES, NPART__ROLE_REORDERS_AXES, NPART__ROLE_QUANTIZES,
                                             NPART__ROLE_DEQUANTIZES}, reorders = NPART__ROLE_REORDERS_AXES;
    const struct npart__node *quantizer = npart__node_at(trial->graph, node);
    uint32_t at = npart__node_output(trial->graph, quantizer, 0), again = NPART_NONE;
    if (!trial->session->moves_quantizers || !npart__node_plays(trial->graph, quantizer, NPART__ROLE_QUANTIZES))
        return false;
    for (size_t i = 0; i < NPART__COUNT(roles); i++) {
        at = next_result(trial, at, &roles[i]);
        again = roles[i] == NPART__ROLE_QUANTIZES ? npart__producer(trial->graph, at) : again;
    }
    struct npart__encoding own, other;
    if (at == NPART_NONE ||
        (npart__encoding_of(trial->session, node, &own) && npart__encoding_of(trial->session, again, &other) &&
         npart__same_encoding(own, other)))
        return false;
    npart__look_beyond(trial);
    bool meets = false;
    for (unsigned steps = 0; !meets && at != NPART_NONE && steps < NPART__LIMIT_LAYOUT_STEPS; steps++) {
        meets = next_result(trial, at, &reorders) != NPART_NONE;
        at = next_result(trial, at, NULL);
    }
    return meets;
}
