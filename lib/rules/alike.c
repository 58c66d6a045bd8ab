/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that a rule cannot tell apart. A model repeats its blocks: what was judged for one node holds for each that
 * has the same operator and attributes, and whose operands have the same types, shapes, elements and neighbours.
 */
#include "rules/evaluate.h"

/* Places looked at before a node counts as unlike any other, so that no graph makes looking slow. */
#define MOST_PROBES 16u
/* Elements, and consumers of a value, that are compared. */
#define MOST_ELEMENTS 64u
#define MOST_CONSUMERS 8u

struct alike {
    struct npart__inference *inference;
    const struct npart__graph *graph;
    const struct npart__fold *fold;
    uint32_t *slots; /* node + 1, by hash */
    uint32_t mask;
};

/* ---- operands -------------------------------------------------------------------------------------------- */

static bool same_elements(const struct alike *alike, uint32_t a, uint32_t b)
{
    const struct npart__known *one = npart__elements(alike->inference, &alike->inference->facts[a]);
    const struct npart__known *other = npart__elements(alike->inference, &alike->inference->facts[b]);
    if (!one || !other)
        return one == other;
    if (one->count != other->count || one->count > MOST_ELEMENTS || !one->ints != !other->ints)
        return false;
    if (one->count == 0)
        return true;
    return one->ints ? memcmp(one->ints, other->ints, one->count * sizeof *one->ints) == 0
                     : memcmp(one->doubles, other->doubles, one->count * sizeof *one->doubles) == 0;
}

/* Without a rank it matters where that was lost. */
static bool same_fact(const struct npart__fact *a, const struct npart__fact *b)
{
    return a->kind == NPART__TYPE_TENSOR && b->kind == NPART__TYPE_TENSOR && a->element_type == b->element_type &&
           a->has_rank && b->has_rank && a->rank == b->rank &&
           (a->rank == 0 || a->dims == b->dims || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

/* Element type and number of elements of an operand of a node that quantizes. */
static bool same_quantization(const struct alike *alike, const struct npart__node *a,
                              const struct npart__node *b, bool is_output)
{
    const struct npart__graph *graph = alike->graph;
    uint32_t values[2][2] = {
        {is_output ? npart__node_output(graph, a, 0) : npart__node_input(graph, a, 0), npart__node_input(graph, a, 1)},
        {is_output ? npart__node_output(graph, b, 0) : npart__node_input(graph, b, 0), npart__node_input(graph, b, 1)},
    };
    for (int i = 0; i < 2; i++) {
        uint32_t one = values[0][i], other = values[1][i];
        if (one != other && (one == NPART_NONE || other == NPART_NONE ||
                             !same_fact(&alike->inference->facts[one], &alike->inference->facts[other])))
            return false;
    }
    return true;
}

static bool same_neighbour(const struct alike *alike, uint32_t a, uint32_t b, bool is_consumer)
{
    if (a == b)
        return true;
    if (a == NPART_NONE || b == NPART_NONE)
        return false;
    const struct npart__node *one = &alike->graph->nodes.items[a], *other = &alike->graph->nodes.items[b];
    if (one->op_type != other->op_type)
        return false;
    const char *op = npart__node_op(alike->graph, one);
    bool quantizes = strcmp(op, is_consumer ? "QuantizeLinear" : "DequantizeLinear") == 0;
    return !quantizes || same_quantization(alike, one, other, is_consumer);
}

static bool same_value(const struct alike *alike, uint32_t a, uint32_t b)
{
    if (a == b)
        return true;
    if (a == NPART_NONE || b == NPART_NONE)
        return false;
    const struct npart__value *one = &alike->graph->values.items[a], *other = &alike->graph->values.items[b];
    bool is_declared = one->declared && one->declared->has_rank;
    if (one->kind != other->kind || one->is_graph_output != other->is_graph_output ||
        one->consumer_count != other->consumer_count || one->consumer_count > MOST_CONSUMERS ||
        alike->fold->is_constant[a] != alike->fold->is_constant[b] ||
        is_declared != (other->declared && other->declared->has_rank) ||
        !same_fact(&alike->inference->facts[a], &alike->inference->facts[b]) || !same_elements(alike, a, b) ||
        !same_neighbour(alike, one->producer, other->producer, false))
        return false;
    for (uint32_t i = 0; i < one->consumer_count; i++)
        if (!same_neighbour(alike, alike->graph->consumers[one->first_consumer + i],
                            alike->graph->consumers[other->first_consumer + i], true))
            return false;
    return true;
}

static uint32_t input_of(const struct alike *alike, const struct npart__node *node, uint32_t index)
{
    uint32_t value = npart__node_input(alike->graph, node, index);
    return value == NPART_NONE ? value : alike->fold->stands_for[value];
}

/* ---- nodes ----------------------------------------------------------------------------------------------- */

static bool same_node(const struct alike *alike, uint32_t a_id, uint32_t b_id)
{
    const struct npart__graph *graph = alike->graph;
    const struct npart__node *a = &graph->nodes.items[a_id], *b = &graph->nodes.items[b_id];
    if (a->op_type != b->op_type || a->domain != b->domain || a->opset_version != b->opset_version ||
        a->input_count != b->input_count || a->output_count != b->output_count ||
        a->attribute_count != b->attribute_count ||
        (npart__node_region(graph, a_id) == 0) != (npart__node_region(graph, b_id) == 0))
        return false;
    for (uint32_t i = 0; i < a->attribute_count; i++)
        if (!npart__same_attribute(&graph->attributes.items[a->first_attribute + i],
                                   &graph->attributes.items[b->first_attribute + i]))
            return false;
    for (uint32_t i = 0; i < a->output_count; i++)
        if (!same_value(alike, npart__node_output(graph, a, i), npart__node_output(graph, b, i)))
            return false;
    for (uint32_t i = 0; i < a->input_count; i++)
        if (!same_value(alike, input_of(alike, a, i), input_of(alike, b, i)))
            return false;
    return true;
}

static uint64_t mix(uint64_t hash, uint64_t number)
{
    hash = (hash ^ number) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 29;
}

static uint64_t mix_fact(const struct alike *alike, uint64_t hash, uint32_t value)
{
    const struct npart__fact *fact = value == NPART_NONE ? NULL : npart__fact_of(alike->inference, value);
    if (!fact)
        return mix(hash, 1);
    hash = mix(hash, (uint64_t)fact->element_type << 8 | fact->rank);
    for (uint32_t i = 0; fact->has_rank && i < fact->rank; i++)
        hash = mix(hash, (uint64_t)fact->dims[i]);
    return hash;
}

static uint64_t hash_of(const struct alike *alike, const struct npart__node *node)
{
    uint64_t hash = mix(node->op_type, node->input_count);
    for (uint32_t i = 0; i < node->input_count && i < 4; i++)
        hash = mix_fact(alike, hash, input_of(alike, node, i));
    return node->output_count ? mix_fact(alike, hash, npart__node_output(alike->graph, node, 0)) : hash;
}

/* The first node found that is like this one; the node itself when it is the first of its kind. */
static uint32_t first_alike(struct alike *alike, uint32_t id)
{
    const struct npart__node *node = &alike->graph->nodes.items[id];
    if (node->body_count || node->capture_count || node->callee != NPART_NONE)
        return id;
    uint32_t slot = (uint32_t)hash_of(alike, node) & alike->mask;
    for (uint32_t i = 0; i < MOST_PROBES; i++, slot = (slot + 1) & alike->mask) {
        uint32_t held = alike->slots[slot];
        if (held == 0) {
            alike->slots[slot] = id + 1;
            return id;
        }
        if (same_node(alike, id, held - 1))
            return held - 1;
    }
    return id;
}

uint32_t *npart__find_alike(struct npart__inference *inference, const struct npart__fold *fold,
                            struct npart__arena *arena)
{
    const struct npart__graph *graph = inference->graph;
    struct npart__arena scratch;
    struct alike alike = {.inference = inference, .graph = graph, .fold = fold, .mask = 63};
    while (alike.mask / 2 < graph->nodes.count)
        alike.mask = alike.mask * 2 + 1;
    npart__arena_init(&scratch, &arena->allocator);
    alike.slots = npart__arena_zeroed(&scratch, alike.mask + (size_t)1, sizeof *alike.slots);
    uint32_t *out = npart__arena_allocate(arena, (graph->nodes.count + (size_t)1) * sizeof *out);
    for (uint32_t i = 0; alike.slots && out && i < graph->nodes.count; i++)
        out[i] = fold->reasons[i] == NPART__FOLD_LIVE ? first_alike(&alike, i) : i;
    bool is_ready = alike.slots != NULL;
    npart__arena_clear(&scratch);
    return is_ready ? out : NULL;
}
