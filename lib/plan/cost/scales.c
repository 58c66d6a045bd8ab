/* SPDX-License-Identifier: Apache-2.0
 *
 * What a quantized Concat passes over because its operands are of other scales than its result. Elements of one scale
 * are written where the result is read; others are rewritten first (Hexagon: apache/tvm#15258 has operands take the
 * scale of the result over, which "helps in using optimized implementations of concat"; quic/aimet#4025: on the device
 * all that is concatenated has one encoding).
 */
#include "cost/cost.h"

/* The scale and the zero point of a QuantizeLinear or DequantizeLinear. */
struct typed_encoding {
    struct npart__encoding numbers;
    int type;
};

/* As a DequantizeLinear before the node has it. */
static bool encoding_before(const struct npart__session *session, uint32_t value, struct typed_encoding *out)
{
    uint32_t producer = npart__producer(session->graph, value);
    const struct npart__node *node = producer == NPART_NONE ? NULL : npart__node_at(session->graph, producer);
    uint32_t from = node && node->input_count ? npart__node_input(session->graph, node, 0) : NPART_NONE;
    out->type = from == NPART_NONE ? 0 : npart__fact_of(session->inference, from)->element_type;
    return from != NPART_NONE && npart__node_plays(session->graph, node, NPART__ROLE_DEQUANTIZES) &&
           npart__encoding_of(session, producer, &out->numbers);
}

/* As a QuantizeLinear after the node has it, which is its only user. */
static bool encoding_after(const struct npart__session *session, uint32_t value, struct typed_encoding *out)
{
    const struct npart__value *result = npart__value_at(session->graph, value);
    if (result->consumer_count != 1)
        return false;
    uint32_t user = session->graph->consumers[result->first_consumer];
    const struct npart__node *node = npart__node_at(session->graph, user);
    uint32_t to = node->output_count ? npart__node_output(session->graph, node, 0) : NPART_NONE;
    out->type = to == NPART_NONE ? 0 : npart__fact_of(session->inference, to)->element_type;
    return to != NPART_NONE && npart__node_plays(session->graph, node, NPART__ROLE_QUANTIZES) &&
           npart__encoding_of(session, user, &out->numbers);
}

double npart__requantized_elements(const struct npart__session *session, uint32_t id)
{
    const struct npart__node *node = npart__node_at(session->graph, id);
    uint32_t result = npart__node_output(session->graph, node, 0);
    struct typed_encoding after, before;
    double sum = 0;
    if (result == NPART_NONE || !encoding_after(session, result, &after))
        return 0;
    for (uint32_t k = 0; k < node->input_count; k++) {
        uint32_t value = npart__node_input(session->graph, node, k);
        uint64_t elements;
        if (value == NPART_NONE || !encoding_before(session, value, &before))
            continue;
        bool is_alike = npart__same_encoding(before.numbers, after.numbers) && before.type == after.type;
        if (!is_alike && npart__static_elements(npart__fact_of(session->inference, value), &elements))
            sum += (double)elements;
    }
    return sum;
}
