/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes whose results are the same in every run, and known, become initializers.
 */
#include "rewrite/functions.h"

/* No file is to grow by tables that a node makes of a few numbers. Of one constant; an Expand or Tile makes many
 * elements of few. */
#define MOST_BYTES ((uint64_t)4 << 20)
#define MOST_SPREAD_ELEMENTS ((uint64_t)256 << 10)

/* Quantized weights stay what their node units want; a constant is one already. A DequantizeLinear of constant
 * weights would become float weights four times as large, and no node unit. An attribute of a Constant is as good as
 * an initializer to all that follows. */
static bool stays(const struct npart__site *site)
{
    return npart__is_constant_node(site->graph, site->node) || site->node->traits->rounds.is_there ||
           npart__comes_from(site->node, NPART__WAY(CODES));
}

/* Their operand is a few numbers, their result may be of any size: such nodes are cheaper than what they make. */
static bool spreads(const struct npart__site *site)
{
    return npart__comes_from(site->node, NPART__WAY(EXPAND) | NPART__WAY(TILE) | NPART__WAY(FILL));
}

/* Types of less than a byte count as nothing: make_known takes none of them. */
static bool is_small(const struct npart__site *site, uint32_t value, uint32_t count)
{
    uint64_t bits = npart__type_bits(npart__site_type(site, value));
    return bits / 8 * count <= MOST_BYTES && (count <= MOST_SPREAD_ELEMENTS || !spreads(site));
}

/* The constant that has a value's elements; NULL where they are not known. Floats of 8 bits and less, and integers
 * of 4, are left: their bits are not written here. */
static const char *make_known(struct npart__site *site, uint32_t value)
{
    int64_t dims[NPART__LIMIT_RANK];
    uint32_t rank, count;
    int type = npart__site_type(site, value);
    if (!npart__site_is_constant(site, value) || !npart__site_dims(site, value, dims, &rank))
        return NULL;
    if (npart__type_is_integer(type) || type == NPART__BOOL) {
        const int64_t *ints = npart__site_ints(site, value, &count);
        bool is_known = ints && npart__type_bits(type) >= 8 && is_small(site, value, count);
        return is_known ? npart__make_int_constant(site, type, dims, rank, ints) : NULL;
    }
    if (!npart__type_is_float(type) || npart__type_bits(type) < 16)
        return NULL;
    const double *doubles = npart__site_doubles(site, value, &count);
    return doubles && is_small(site, value, count) ? npart__make_constant(site, type, dims, rank, doubles) : NULL;
}

/* What a node with bodies captures may not be constant, so such a node stays. An output of a body stays a node's.
 * All used results must be known, or none is replaced. A random operator gives others each time. */
bool npart__rewrite_fold(struct npart__site *site)
{
    const struct npart__node *node = site->node;
    if (!node->schema || npart__operator_flags(node->schema) & NPART__OPERATOR_RANDOM || node->body_count ||
        node->callee != NPART_NONE || stays(site))
        return false;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__result(site, i);
        if (npart__is_unused(site, value))
            continue;
        /* In a body ONNX Runtime wants an output to be made by a node. */
        const char *name = node->scope && npart__value_at(site->graph, value)->is_graph_output ? NULL
                                                                                           : make_known(site, value);
        if (!name)
            return false;
        npart__finish(site, i, name);
    }
    return true;
}
