/* SPDX-License-Identifier: Apache-2.0
 *
 * Where tensors change between the file's layout and the target's.
 */
#include "cost/cost.h"

/* PLAIN: in the file's layout. SENSITIVE: computes in the target's, as convolutions do. THROUGH: in either. */
enum layout_class { LAYOUT_PLAIN, LAYOUT_SENSITIVE, LAYOUT_THROUGH };

/* For one walk over the nodes. Operators are looked up once and then told by their interned names. */
struct laying {
    const struct npart__graph *graph;
    const struct npart__session *session;
    const uint32_t *partition_of;
    uint8_t *class_of;     /* by interned op type, of ai.onnx and of the domain that the list names */
    uint32_t *domain_of;   /* by interned op type */
    struct npart__layouts *out;
};

/* By the op's interned text, so that a node's class is one look into an array. */
static bool classify(struct laying *layouts, const char *const *ops, uint32_t count, enum layout_class class,
                     struct npart__arena *arena)
{
    /* An operator that no node of the graph has gets no id, and is passed over. */
    const struct npart__op_id *ids = npart__find_ops(layouts->graph, ops, count, arena);
    for (uint32_t i = 0; ids && i < count; i++) {
        if (ids[i].op_type == NPART_NONE)
            continue;
        layouts->class_of[ids[i].op_type] = (uint8_t)class;
        layouts->domain_of[ids[i].op_type] = ids[i].domain;
    }
    return ids != NULL;
}

static enum layout_class class_of(const struct laying *layouts, uint32_t id)
{
    const struct npart__node *node = npart__node_at(layouts->graph, id);
    enum layout_class class = (enum layout_class)layouts->class_of[node->op_type];
    /* What works in either layout does so by its name, wherever that comes from. */
    bool is_any = class == LAYOUT_THROUGH && layouts->domain_of[node->op_type] == 0;
    if (layouts->domain_of[node->op_type] != node->domain && !is_any)
        return LAYOUT_PLAIN;
    /* Only what the NPU takes is given its layout. */
    if (class == LAYOUT_SENSITIVE && layouts->partition_of[id] == NPART_NONE)
        return LAYOUT_PLAIN;
    return class;
}

/* Once for a value, for the first node that needs it so: the converted tensor serves all later ones. A size that is
 * not known adds a conversion and no bytes. */
static void convert(struct laying *layouts, uint32_t value, uint32_t user)
{
    const struct npart__fact *fact = npart__fact_of(layouts->session->inference, value);
    uint64_t elements;
    if (layouts->out->converted_for[value] != NPART_NONE || fact->is_constant)
        return; /* a constant is laid out when the session is created */
    layouts->out->converted_for[value] = user;
    layouts->out->conversions++;
    if (npart__static_elements(fact, &elements))
        layouts->out->bytes = npart__sum_uint64(layouts->out->bytes, npart__type_bytes(fact->element_type, elements));
    else
        layouts->out->unknown_sizes++;
}

/* A layout is the place of the channels among batch and spatial axes; below rank 3 there are none. An unknown rank
 * counts as none. */
static bool has_spatial_axes(const struct laying *layouts, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(layouts->session->inference, value);
    /* [batch, channels, length] is the least that has one. */
    return fact->has_rank && fact->rank >= 3;
}

/* A conversion moves past ops that work in either layout, so that a chain of them costs one at each end; an operand
 * in the other layout is converted where the two meet. Of a layout op only the first operand and result are
 * activations; its weights are laid out by the compiler. Nodes come in order, so each value's layout is known before
 * it is used. Conv, Relu, Softmax: the Relu keeps the layout of the Conv, and its result is converted for the
 * Softmax, if the list lets a Relu through and binds no Softmax. */
static void lay_out_node(struct laying *layouts, uint32_t id)
{
    const struct npart__node *node = npart__node_at(layouts->graph, id);
    enum layout_class class = class_of(layouts, id);
    bool *is_native = layouts->out->is_native, any_native = false;
    uint32_t inputs = node->input_count + node->capture_count, result = npart__node_output(layouts->graph, node, 0);
    /* A node that works in either layout takes the target's if any of its operands has it, so that conversions come
     * late. */
    for (uint32_t k = 0; class == LAYOUT_THROUGH && k < inputs; k++) {
        uint32_t value = npart__operand_past_copies(layouts->session, node, k);
        any_native |= value != NPART_NONE && is_native[value];
    }
    bool wants_native = class == LAYOUT_SENSITIVE || any_native;
    for (uint32_t k = 0; k < inputs; k++) {
        uint32_t value = npart__operand_past_copies(layouts->session, node, k);
        if (value == NPART_NONE || !has_spatial_axes(layouts, value) || (class == LAYOUT_SENSITIVE && k > 0))
            continue; /* of SENSITIVE ones the first operand alone */
        if (is_native[value] != wants_native)
            convert(layouts, value, id);
    }
    /* All results of a THROUGH op (Split) are in one layout. */
    for (uint32_t k = 0; k < node->output_count && (class == LAYOUT_THROUGH || k == 0); k++) {
        uint32_t value = k ? npart__node_output(layouts->graph, node, k) : result;
        if (value != NPART_NONE && has_spatial_axes(layouts, value))
            is_native[value] = wants_native;
    }
}

/* A result of the graph must be in the standard's layout. Linear in operands. */
static bool lay_out(struct laying *layouts, const struct npart__oplist *oplist, struct npart__arena *arena)
{
    const struct npart__graph *graph = layouts->graph;
    size_t texts = graph->strings.texts.count + (size_t)1, values = graph->values.count + (size_t)1;
    layouts->class_of = npart__arena_zeroed(arena, texts, sizeof *layouts->class_of);
    layouts->domain_of = npart__arena_zeroed(arena, texts, sizeof *layouts->domain_of);
    layouts->out->is_native = npart__arena_zeroed(arena, values, sizeof *layouts->out->is_native);
    layouts->out->converted_for = npart__arena_allocate(arena, values * sizeof *layouts->out->converted_for);
    if (!layouts->class_of || !layouts->domain_of || !layouts->out->is_native || !layouts->out->converted_for)
        return false;
    memset(layouts->out->converted_for, 0xff, values * sizeof *layouts->out->converted_for); /* NPART_NONE */
    const char *const quantizing[] = {npart__role_op(NPART__ROLE_DEQUANTIZES), /* of a scale for each tensor */
                                      npart__role_op(NPART__ROLE_QUANTIZES)};
    /* Later calls win: a list may say of DequantizeLinear that it is bound to a layout. */
    if (!classify(layouts, quantizing, sizeof quantizing / sizeof *quantizing, LAYOUT_THROUGH, arena) ||
        !classify(layouts, oplist->layout_ops.items, oplist->layout_ops.count, LAYOUT_SENSITIVE, arena) ||
        !classify(layouts, oplist->through_ops.items, oplist->through_ops.count, LAYOUT_THROUGH, arena))
        return false;
    for (uint32_t i = 0; i < graph->order_count; i++) /* copies have the layout of what they are copied from */
        if (npart__is_live(layouts->session, graph->order[i]) && !npart__is_copy(graph, graph->order[i]))
            lay_out_node(layouts, graph->order[i]);
    /* An output that was converted for a node already is not converted again (convert). */
    for (uint32_t v = 0; v < graph->values.count; v++)
        if (npart__value_at(graph, v)->is_graph_output && layouts->out->is_native[v])
            convert(layouts, v, NPART__FOR_GRAPH);
    npart__arena_release(arena, layouts->class_of);
    npart__arena_release(arena, layouts->domain_of);
    return true;
}

bool npart__lay_out(const struct npart__oplist *oplist, const struct npart__session *session,
                    const uint32_t *partition_of, struct npart__arena *arena, struct npart__layouts *out)
{
    struct laying layouts = {.graph = session->graph, .session = session, .partition_of = partition_of, .out = out};
    memset(out, 0, sizeof *out);
    return lay_out(&layouts, oplist, arena);
}
