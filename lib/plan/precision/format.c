/* SPDX-License-Identifier: Apache-2.0
 *
 * In which format a node's weights are: followed from the node back to the constant that they are stored in.
 *
 *   MatMul(x, w)                                                          float32
 *   MatMul(x, Transpose(DequantizeLinear(w, scale) block_size=32))        w4-block32
 *   Conv(DequantizeLinear(x, ..), DequantizeLinear(w, scales, zeros))     w8a8-channel
 *   MatMul(x, Mul(Gather(sixteen numbers, indices), scales))              nf4
 */
#include "precision/precision.h"

/* Nodes between an operator and its weights. */
#define NPART__LIMIT_WEIGHT_STEPS 8u

/* PLAIN: floats, or what a DequantizeLinear makes. INTEGER: integers with scales beside them. PACKED: several in a
 * byte. */
enum how { PLAIN, INTEGER, PACKED };

/* Operands by place; -1 where the operator has none of that sort. */
static const struct weighted {
    const char *op;
    int8_t activation, weight, scale, zero_point;
    uint8_t how;
} all[] = {
#define WEIGHTED(op, activation, weight, scale, zero_point, how) {op, activation, weight, scale, zero_point, how},
#include "operator_weights.def"
};

/* Where weights were found. */
struct weights {
    int type; /* 0: not known */
    uint32_t scale, zero_point; /* values; NPART_NONE: there are none */
    uint32_t block; /* weights that share a scale on one axis; 0: not said */
    bool is_quantized;
};

/* By ONNX's numbers; 0: there is no value, or its type is not known. */
static int type_of(const struct npart__session *session, uint32_t value)
{
    return value == NPART_NONE ? 0 : npart__fact_of(session->inference, value)->element_type;
}

/* NF4's sixteen numbers are quantiles of the normal distribution: -1, ..., 0 at place 7, ..., 1 (QLoRA, appendix
 * E). The ends, the zero and the sum tell it from other tables of sixteen; the rest may be rounded otherwise. The
 * sum of the sixteen is about 0.37. */
static bool is_nf4_table(const struct npart__session *session, uint32_t value)
{
    const struct npart__known *known = npart__elements(session->inference, &session->inference->facts[value]);
    double sum = 0;
    if (!known || known->count != 16 || !known->doubles || known->doubles[7] != 0)
        return false;
    for (uint32_t i = 0; i < known->count; i++)
        sum += known->doubles[i];
    return known->doubles[0] == -1 && known->doubles[15] == 1 && sum > 0.3 && sum < 0.5;
}

/* What only lays a tensor out otherwise, or scales it by a constant: the operand to go on with, or NPART_NONE. A
 * constant factor is a scale that an exporter wrote as a node. */
static uint32_t past(const struct npart__graph *graph, const struct npart__session *session,
                     const struct npart__node *node)
{
    const uint64_t same = NPART__WAY(ON) | NPART__WAY(CASTS) | NPART__WAYS_VIEW | NPART__WAY(TRANSPOSE);
    const struct npart__traits *traits = node->traits;
    if (same >> traits->elements & 1)
        return npart__node_input(graph, node, 0);
    /* Only where the factor is the second operand. */
    uint32_t scale = npart__node_input(graph, node, 1);
    bool is_scaled = traits->computes == NPART__COMPUTES_MULTIPLY && scale != NPART_NONE && session->is_constant[scale];
    return is_scaled ? npart__node_input(graph, node, 0) : NPART_NONE;
}

/* Takes what a DequantizeLinear dequantizes, where that is a constant, or a QuantizeLinear of one. Activations are
 * dequantized as well: only a constant is a weight. */
static bool take_dequantized(const struct npart__session *session, const struct npart__node *node,
                             struct weights *out)
{
    const struct npart__graph *graph = session->graph;
    uint32_t value = npart__node_input(graph, node, 0);
    uint32_t producer = npart__producer(graph, value);
    bool is_constant = value != NPART_NONE && session->is_constant[value];
    if (!is_constant && producer != NPART_NONE &&
        npart__node_plays(graph, npart__node_at(graph, producer), NPART__ROLE_QUANTIZES)) {
        uint32_t quantized = npart__node_input(graph, npart__node_at(graph, producer), 0);
        is_constant = quantized != NPART_NONE && session->is_constant[quantized];
    }
    /* Blocks came with DequantizeLinear-21; 0 is its default, and says that there are none. */
    int64_t block = npart__node_int(graph, node, "block_size", 0);
    *out = (struct weights){.type = type_of(session, value),
                            .scale = npart__node_input(graph, node, 1),
                            .zero_point = npart__node_input(graph, node, 2),
                            .block = block > 0 && block < UINT32_MAX ? (uint32_t)block : 0,
                            .is_quantized = true};
    return is_constant;
}

/* Back from an operand to the constant. What the session has folded stands in the file's graph. Few steps, as what
 * exporters put between is short; a longer chain is no weight that a compiler would know. */
static bool find_weights(const struct npart__session *session, uint32_t value, struct weights *out)
{
    *out = (struct weights){.scale = NPART_NONE, .zero_point = NPART_NONE};
    uint32_t asked = value;
    for (unsigned step = 0; step < NPART__LIMIT_WEIGHT_STEPS && value != NPART_NONE; step++) {
        /* DequantizeLinear itself is never folded (rewrites.def, NEVER), so of QDQ weights it is met before the
         * constant is. */
        bool is_constant = session->is_constant[value];
        const struct npart__graph *graph = is_constant ? session->file : session->graph;
        uint32_t producer = value < graph->values.count ? npart__producer(graph, value) : NPART_NONE;
        if (is_constant && !out->type) /* as it is, should nothing else be found before it */
            out->type = type_of(session, asked);
        if (producer == NPART_NONE)
            break;
        const struct npart__node *node = npart__node_at(graph, producer);
        /* A constant has no such node left: it was folded, and computes in floating point. */
        if (!is_constant && npart__node_plays(graph, node, NPART__ROLE_DEQUANTIZES))
            return take_dequantized(session, node, out);
        uint32_t table = npart__node_input(graph, node, 0), indices = npart__node_input(graph, node, 1);
        if (npart__comes_from(node, NPART__WAY(GATHER)) && table != NPART_NONE && indices != NPART_NONE &&
            session->is_constant[indices] && is_nf4_table(session, table)) {
            out->type = NPART__TYPE_NF4;
            out->is_quantized = true;
            return true;
        }
        value = past(graph, session, node);
    }
    return out->type != 0;
}

/* ---- scales and zero points -------------------------------------------------------------------------------- */

/* By what the file tells: a block size, else how many scales there are. A size that has no name of its own is the
 * last, "other" one. One scale is of the tensor, 64 of the channels, `block_size` 32 is BLOCK32, and 48 is
 * BLOCK. */
static uint8_t granularity_of(const struct npart__session *session, const struct weights *at)
{
    static const uint32_t sizes[] = {16, 32, 64, 128, 256};
    uint64_t scales;
    /* The first of the five that follow each other in the enum as in `sizes`; past the last comes BLOCK. */
    uint8_t granularity = NPART__SCALE_BLOCK16;
    if (!at->is_quantized)
        return NPART__SCALE_ANY;
    if (at->block) {
        for (size_t i = 0; i < NPART__COUNT(sizes) && sizes[i] != at->block; i++)
            granularity++;
        return granularity;
    }
    if (at->scale == NPART_NONE || !npart__static_elements(npart__fact_of(session->inference, at->scale), &scales))
        return NPART__SCALE_UNKNOWN;
    return scales == 1 ? NPART__SCALE_TENSOR : NPART__SCALE_CHANNEL;
}

/* Zero points in the middle of the range: 0 of signed types, 128 of uint8, 8 of uint4; `packed` is how several
 * stand in a byte. Off by one is off: a symmetric format has no zero point to hold it. */
static uint8_t symmetry_of(const struct npart__session *session, const struct weights *at, bool is_packed)
{
    unsigned bits = npart__type_bits(at->type);
    bool is_unsigned = npart__type_name(at->type)[0] == 'u';
    int64_t middle = is_unsigned && bits && bits < 64 ? INT64_C(1) << (bits - 1) : 0;
    /* Floats of 8 bits have no zero point. */
    if (!npart__type_is_integer(at->type))
        return NPART__ZERO_MIDDLE;
    /* Left out, it is 0; of packed weights, by their operators' definition, the middle. */
    if (at->zero_point == NPART_NONE)
        return is_packed || !is_unsigned ? NPART__ZERO_MIDDLE : NPART__ZERO_OFF;
    if (is_packed && type_of(session, at->zero_point) != 2)
        return NPART__ZERO_OFF;
    const struct npart__known *known =
        session->is_constant[at->zero_point]
            ? npart__elements(session->inference, &session->inference->facts[at->zero_point])
            : NULL;
    if (!known || !known->ints)
        return NPART__ZERO_UNKNOWN;
    /* The same nibble in each half of a byte, or the same pair of bits in each quarter. 8 of four bits becomes
     * 0x88, 2 of two bits 0xAA. */
    for (unsigned width = bits; is_packed && width < 8; width += bits)
        middle |= middle << bits;
    for (uint32_t i = 0; i < known->count; i++)
        if (known->ints[i] != middle)
            return NPART__ZERO_OFF;
    return NPART__ZERO_MIDDLE;
}

/* ---- a node ------------------------------------------------------------------------------------------------ */

static uint32_t operand(const struct npart__graph *graph, const struct npart__node *node, int index)
{
    return index < 0 ? NPART_NONE : npart__node_input(graph, node, (uint32_t)index);
}

/* Of an operator that takes quantized weights itself. Types by ONNX's numbers: 23 FLOAT4E2M1, 25 UINT2, 21 UINT4,
 * 2 UINT8. */
static bool take_own(const struct npart__session *session, const struct npart__node *node, const struct weighted *row,
                     struct weights *out)
{
    const struct npart__graph *graph = session->graph;
    uint32_t value = operand(graph, node, row->weight);
    *out = (struct weights){.type = type_of(session, value),
                            .scale = operand(graph, node, row->scale),
                            .zero_point = operand(graph, node, row->zero_point),
                            .is_quantized = true};
    if (row->how == PACKED) {
        int64_t bits = npart__node_int(graph, node, "bits", 4), block = npart__node_int(graph, node, "block_size", 0);
        int64_t depth = npart__node_int(graph, node, "K", 0);
        bool is_table = npart__node_attribute(graph, node, "quant_type") != NULL;
        out->type = is_table ? (npart__node_int(graph, node, "quant_type", 0) == 1 ? NPART__TYPE_NF4 : 23)
                    : bits == 2 ? 25
                    : bits == 4 ? 21
                    : bits == 8 ? 2
                                : 0;
        /* One block for all of a channel's weights. */
        out->block = block > 0 && block < UINT32_MAX && (depth <= 0 || block < depth) ? (uint32_t)block : 0;
    }
    return value != NPART_NONE && session->is_constant[value];
}

/* The type in which activations come in: before a DequantizeLinear. What a QDQ unit computes in is what stands
 * before its DequantizeLinear. */
static int activation_type_of(const struct npart__session *session, uint32_t value)
{
    const struct npart__graph *graph = session->graph;
    uint32_t producer = npart__producer(graph, value);
    if (producer != NPART_NONE && npart__node_plays(graph, npart__node_at(graph, producer), NPART__ROLE_DEQUANTIZES))
        return type_of(session, npart__node_input(graph, npart__node_at(graph, producer), 0));
    return type_of(session, value);
}

/* Whether the first result goes to QuantizeLinear. Of several users the first is asked: a QDQ node unit has one
 * QuantizeLinear for each result. */
static bool makes_quantized(const struct npart__session *session, const struct npart__node *node)
{
    const struct npart__graph *graph = session->graph;
    uint32_t result = npart__node_output(graph, node, 0);
    return npart__user_count(session, result) > 0 &&
           npart__node_plays(graph, npart__node_at(graph, npart__user(session, result, 0)), NPART__ROLE_QUANTIZES);
}

/* The first operand that is a weight decides; a product may have it on either side. */
bool npart__format_of_node(const struct npart__session *session, uint32_t id, struct npart__format *out,
                           bool *is_own)
{
    const struct npart__graph *graph = session->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    const char *op = npart__node_op(graph, node);
    const struct weighted *row = all, *end = all + NPART__COUNT(all);
    struct weights weights;
    while (row < end && !npart__same_text(row->op, op))
        row++;
    if (row == end || npart__node_output(graph, node, 0) == NPART_NONE)
        return false;
    *is_own = row->how != PLAIN;
    uint32_t weight = operand(graph, node, row->weight), activation = operand(graph, node, row->activation);
    bool is_found = row->how == PLAIN ? find_weights(session, weight, &weights)
                                      : take_own(session, node, row, &weights);
    if (!is_found && row->how == PLAIN && find_weights(session, activation, &weights)) { /* W x, not x W */
        activation = weight;
        is_found = true;
    }
    if (!is_found)
        return false;
    /* The type that the operator reads, and the one before a DequantizeLinear that makes it; the same where there
     * is none. */
    int own = type_of(session, activation), type = activation_type_of(session, activation);
    /* Quantized weights with float activations that come out quantized, or the other way round. */
    bool is_half = weights.is_quantized ? type == own && makes_quantized(session, node)
                                        : type != own || makes_quantized(session, node);
    if (row->how == PLAIN && is_half) /* a QDQ node unit that lacks something: in no format */
        type = 0;
    if (row->how == INTEGER && npart__type_is_float(own)) /* it quantizes its activations itself */
        type = 2;
    /* The rest is 0, ANY: floats have neither scales nor zero points. */
    *out = (struct npart__format){.row = npart__format_row(type, weights.type)};
    if (out->row < NPART__FORMATS && weights.is_quantized) {
        out->granularity = granularity_of(session, &weights);
        out->symmetry = symmetry_of(session, &weights, row->how == PACKED);
        out->is_packed = row->how == PACKED;
    }
    return true;
}
