/* SPDX-License-Identifier: Apache-2.0
 *
 * How much arithmetic a node is.
 */
#include "partition/partition.h"

enum macs_formula {
    MACS_FILTER,            /* result x elements of a filter, which are those of the weight behind its first axis */
    MACS_TRANSPOSED_FILTER, /* input x the same: every element of the input meets the filters of its channel */
    MACS_PRODUCT,           /* result x last axis of the first factor */
    MACS_GEMM,              /* the same, by transA */
    MACS_PACKED,            /* result x attribute K */
};

static const struct {
    const char *op;
    uint8_t formula;
    uint8_t input, weight; /* operands */
} rows[] = {
#define MACS(op, formula, input, weight) {op, MACS_##formula, input, weight},
#include "schema/macs.def"
};

static const struct npart__fact *fact_at(const struct npart__session *session, const struct npart__node *node,
                                         uint32_t index)
{
    uint32_t value =
        index < node->input_count ? npart__node_input(session->graph, node, index) : NPART_NONE;
    return value == NPART_NONE ? NULL : npart__fact_of(session->inference, value);
}

static uint64_t elements_of(const struct npart__fact *fact)
{
    uint64_t elements;
    return fact && npart__static_elements(fact, &elements) ? elements : 0;
}

static uint64_t product(uint64_t a, uint64_t b)
{
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

/* Size of an axis counted from the end; 0 when it is not known. */
static uint64_t axis_from_end(const struct npart__fact *fact, uint32_t from_end)
{
    bool is_known = fact && fact->has_rank && from_end > 0 && fact->rank >= from_end &&
                    npart__is_number(fact->dims[fact->rank - from_end]) && fact->dims[fact->rank - from_end] > 0;
    return is_known ? (uint64_t)fact->dims[fact->rank - from_end] : 0;
}

uint64_t npart__node_macs(const struct npart__session *session, uint32_t id)
{
    const struct npart__graph *graph = session->graph;
    const struct npart__node *node = &graph->nodes.items[id];
    const char *op = npart__node_op(graph, node);
    size_t row = 0;
    while (row < NPART__COUNT(rows) && strcmp(rows[row].op, op) != 0)
        row++;
    uint32_t result = npart__node_output(graph, node, 0);
    if (row == NPART__COUNT(rows) || result == NPART_NONE)
        return 0;
    const struct npart__fact *input = fact_at(session, node, rows[row].input);
    const struct npart__fact *weight = fact_at(session, node, rows[row].weight);
    uint64_t made = elements_of(npart__fact_of(session->inference, result)), filters;
    const struct npart__attribute *attribute;
    switch ((enum macs_formula)rows[row].formula) {
    case MACS_FILTER:
    case MACS_TRANSPOSED_FILTER:
        filters = axis_from_end(weight, weight && weight->has_rank ? weight->rank : 0);
        if (filters == 0)
            return 0;
        return product(rows[row].formula == MACS_FILTER ? made : elements_of(input), elements_of(weight) / filters);
    case MACS_GEMM:
        attribute = npart__node_attribute(graph, node, "transA");
        return product(made, axis_from_end(input, attribute && attribute->type == 2 && attribute->u.i ? 2 : 1));
    case MACS_PACKED:
        attribute = npart__node_attribute(graph, node, "K");
        return attribute && attribute->type == 2 && attribute->u.i > 0 ? product(made, (uint64_t)attribute->u.i) : 0;
    default:
        return product(made, axis_from_end(input, 1));
    }
}
