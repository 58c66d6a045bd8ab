/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that a rule cannot tell apart. A model repeats its blocks: what was judged for one node holds for each that
 * has the same operator and attributes, and whose operands have the same types, shapes, elements and neighbours.
 *
 * First values are sorted into classes, then nodes by the classes of their operands; both by hashing, so that the time
 * grows with the graph. What is in one class has been compared, not only hashed.
 *
 * Twelve layers of a transformer have twelve MatMuls of float32[1,128,768] by constant float32[768,768], each between
 * an Add and a Reshape. They are one class: the first is judged, eleven take over its verdict and its reasons.
 * What is compared must cover all that a rule may ask, or the answer to that question calls npart__look_beyond. The
 * debug build judges each node for itself, too (judge.c), and asserts that the two agree.
 */
#include "judge/answer.h"

/* Places looked at before something counts as unlike all others, so that no graph makes looking slow. */
#define MOST_PROBES 16u
/* Elements that are compared. */
#define MOST_ELEMENTS 64u

/* A node or value by the hash of what is compared of it. The whole hash has 64 bits. */
struct slot {
    uint32_t hash; /* its upper half; the lower tells the place */
    uint32_t id;   /* plus one; 0: free */
};

/* Open addressing: the next places are looked at in turn. Nothing is ever taken out. */
struct table {
    struct slot *slots;
    uint32_t mask;
};

/* Scratch of one search; only the classes of nodes remain. */
struct classes {
    struct npart__inference *inference;
    const struct npart__graph *graph;
    const struct npart__session *session;
    struct table values, nodes;
    uint32_t *class_of; /* by value: the first one equivalent to it plus one; 0: not asked yet */
};

/* At most half full, so that a free place is near; a power of two, so that the mask finds the place. */
static bool open_table(struct table *table, uint32_t count, struct npart__arena *arena)
{
    table->mask = 63;
    while (table->mask / 2 < count)
        table->mask = table->mask * 2 + 1;
    table->slots = npart__arena_zeroed(arena, table->mask + (size_t)1, sizeof *table->slots);
    return table->slots != NULL;
}

/* The first of those put in that is like this one, itself when there is none. A hash that collides costs
 * comparisons, at most MOST_PROBES of them; what then finds no place is judged for itself, which is right and only
 * slower. So a hostile graph gains nothing by colliding. */
static uint32_t find_first(const struct classes *classes, struct table *table, uint32_t id, uint64_t hash,
                           bool (*same)(const struct classes *classes, uint32_t a, uint32_t b))
{
    const uint32_t upper = (uint32_t)(hash >> 32);
    uint32_t place = (uint32_t)hash & table->mask;
    for (uint32_t i = 0; i < MOST_PROBES; i++, place = (place + 1) & table->mask) {
        struct slot *slot = &table->slots[place];
        if (slot->id == 0) {
            *slot = (struct slot){.hash = upper, .id = id + 1};
            return id;
        }
        if (slot->hash == upper && same(classes, id, slot->id - 1))
            return slot->id - 1;
    }
    return id;
}

/* The order counts: [1,2] and [2,1] have different hashes. */
static uint64_t mix_ints(uint64_t hash, const int64_t *ints, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        hash = npart__mix(hash, (uint64_t)ints[i]);
    return hash;
}

/* ---- values ---------------------------------------------------------------------------------------------- */

/* More elements than are compared: they need not be read. */
static bool has_many(const struct classes *classes, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(classes->inference, value);
    return !fact->known && fact->tensor && !fact->is_read && fact->tensor->elements > MOST_ELEMENTS &&
           npart__may_read(classes->inference, fact->tensor);
}

/* Both without known elements are the same; of more elements than are compared, none are. By their bytes: -0 and 0
 * differ, and equal NaNs do not, which is on the safe side of what a rule can ask. */
static bool same_elements(const struct classes *classes, uint32_t a, uint32_t b)
{
    if (has_many(classes, a) || has_many(classes, b))
        return false;
    const struct npart__known *one = npart__elements(classes->inference, &classes->inference->facts[a]);
    const struct npart__known *other = npart__elements(classes->inference, &classes->inference->facts[b]);
    if (!one || !other)
        return one == other;
    if (one->count != other->count || one->count > MOST_ELEMENTS || !one->ints != !other->ints)
        return false;
    if (one->count == 0)
        return true;
    return one->ints ? memcmp(one->ints, other->ints, one->count * sizeof *one->ints) == 0
                     : memcmp(one->doubles, other->doubles, one->count * sizeof *one->doubles) == 0;
}

/* Without a rank it matters where that was lost. Two tensors of unknown rank are never the same: `static` asks at
 * which node the rank was lost. Dims are interned expressions, so equal numbers mean equal sizes. A rank of 0 has no
 * array of dims to compare. */
static bool same_fact(const struct npart__fact *a, const struct npart__fact *b)
{
    return a->kind == NPART__TYPE_TENSOR && b->kind == NPART__TYPE_TENSOR && a->element_type == b->element_type &&
           a->has_rank && b->has_rank && a->rank == b->rank &&
           (a->rank == 0 || a->dims == b->dims || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

/* What a node that quantizes makes or takes, and its scale: type, number of elements, whether it is constant.
 * Values of scales are left out: a rule that asks for one looks beyond. */
static bool same_quantization(const struct classes *classes, const struct npart__node *a,
                              const struct npart__node *b, bool is_output)
{
    const struct npart__graph *graph = classes->graph;
    /* By node: the tensor on the quantized side, and the scale. */
    uint32_t values[2][2] = {
        {is_output ? npart__node_output(graph, a, 0) : npart__node_input(graph, a, 0), npart__node_input(graph, a, 1)},
        {is_output ? npart__node_output(graph, b, 0) : npart__node_input(graph, b, 0), npart__node_input(graph, b, 1)},
    };
    for (int i = 0; i < 2; i++) {
        uint32_t one = values[0][i], other = values[1][i];
        if (one == other)
            continue;
        if (one == NPART_NONE || other == NPART_NONE ||
            !same_fact(&classes->inference->facts[one], &classes->inference->facts[other]) ||
            classes->session->is_constant[one] != classes->session->is_constant[other])
            return false;
    }
    return true;
}

/* Rules ask for the op of a neighbour, and of what quantizes for the node they ask for its type and the number of
 * its scales. What a neighbour is given beside that they cannot ask without looking beyond. `a` or `b` NPART_NONE:
 * an input or initializer, which no node makes. The same node on both sides is one neighbour of both. */
static bool same_neighbour(const struct classes *classes, uint32_t a, uint32_t b, bool is_consumer)
{
    if (a == b)
        return true;
    if (a == NPART_NONE || b == NPART_NONE)
        return false;
    const struct npart__node *one = npart__node_at(classes->graph, a), *other = npart__node_at(classes->graph, b);
    if (one->op_type != other->op_type || one->domain != other->domain)
        return false;
    enum npart__role role = is_consumer ? NPART__ROLE_QUANTIZES : NPART__ROLE_DEQUANTIZES;
    return !npart__node_plays(classes->graph, one, role) || same_quantization(classes, one, other, is_consumer);
}

/* The name by which rules may tell a value, or NPART_NONE. Some builders fail over a tensor's name, so a rule may
 * ask for it; names longer than NPART__LIMIT_PLAIN_NAME, or with digits in them, are no such words. */
static uint32_t plain_name(const struct classes *classes, uint32_t value)
{
    uint32_t name = npart__value_at(classes->graph, value)->name;
    return npart__is_plain_name(npart__text(&classes->graph->strings, name)) ? name : NPART_NONE;
}

/* Users are compared in their order. A different order of the same users makes two classes where one would do, which
 * costs time and never a verdict. Linear in users, and again for each value that this one is compared with. */
static bool same_value(const struct classes *classes, uint32_t a, uint32_t b)
{
    const struct npart__value *one = npart__value_at(classes->graph, a), *other = npart__value_at(classes->graph, b);
    bool is_declared = one->declared && one->declared->has_rank;
    uint32_t users = npart__user_count(classes->session, a);
    if (one->kind != other->kind || one->is_graph_output != other->is_graph_output ||
        users != npart__user_count(classes->session, b) ||
        classes->session->is_constant[a] != classes->session->is_constant[b] ||
        is_declared != (other->declared && other->declared->has_rank) ||
        npart__disagrees(classes->inference, a) != npart__disagrees(classes->inference, b) ||
        !same_fact(&classes->inference->facts[a], &classes->inference->facts[b]) || !same_elements(classes, a, b) ||
        !same_neighbour(classes, one->producer, other->producer, false) ||
        plain_name(classes, a) != plain_name(classes, b))
        return false;
    for (uint32_t i = 0; i < users; i++)
        if (!same_neighbour(classes, npart__user(classes->session, a, i), npart__user(classes->session, b, i), true))
            return false;
    return true;
}

/* Of the neighbours the ops, of constants the elements. Less than same_value() compares, so that what is the same
 * has one hash. Elements beyond MOST_ELEMENTS are not hashed, as such values are never the same. Elements that are
 * no whole numbers are not hashed either, and only compared. */
static uint64_t hash_value(const struct classes *classes, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(classes->inference, value);
    const struct npart__value *at = npart__value_at(classes->graph, value);
    const struct npart__node *nodes = classes->graph->nodes.items;
    uint64_t hash = npart__mix((uint64_t)fact->element_type << 8 | fact->rank, at->kind);
    hash = npart__mix(hash, plain_name(classes, value));
    if (fact->has_rank)
        hash = mix_ints(hash, fact->dims, fact->rank);
    hash = npart__mix(hash, at->producer == NPART_NONE ? 0 : nodes[at->producer].op_type + 1u);
    for (uint32_t i = 0; i < npart__user_count(classes->session, value); i++)
        hash = npart__mix(hash, nodes[npart__user(classes->session, value, i)].op_type);
    const struct npart__known *known =
        has_many(classes, value) ? NULL : npart__elements(classes->inference, &classes->inference->facts[value]);
    if (known && known->ints && known->count <= MOST_ELEMENTS)
        hash = mix_ints(hash, known->ints, known->count);
    return hash;
}

/* The first value equivalent to this one; NPART_NONE for an operand that is left out. Each value is looked up once;
 * afterwards its class is a number that two nodes can compare. The first is by the order of looking up, which is that
 * of nodes. */
static uint32_t class_of(struct classes *classes, uint32_t value)
{
    if (value == NPART_NONE)
        return value;
    uint32_t *known = &classes->class_of[value];
    if (*known == 0)
        *known = 1 + find_first(classes, &classes->values, value, hash_value(classes, value), same_value);
    return *known - 1;
}

/* ---- nodes ----------------------------------------------------------------------------------------------- */

/* Of a node that has been hashed, whose operands all have a class then; NPART_NONE for one that is left out. */
static uint32_t input_class(const struct classes *classes, const struct npart__node *node, uint32_t index)
{
    uint32_t value = npart__node_input(classes->graph, node, index);
    return value == NPART_NONE ? value : classes->class_of[value] - 1;
}

static uint32_t output_class(const struct classes *classes, const struct npart__node *node, uint32_t index)
{
    uint32_t value = npart__node_output(classes->graph, node, index);
    return value == NPART_NONE ? value : classes->class_of[value] - 1;
}

/* Both in the main graph, or both in bodies: a list may leave nodes in bodies to the CPU. Attributes are compared
 * in the order of the file. The same ones in another order make two classes, which costs a verdict's time. */
static bool same_node(const struct classes *classes, uint32_t a_id, uint32_t b_id)
{
    const struct npart__graph *graph = classes->graph;
    const struct npart__node *a = npart__node_at(graph, a_id), *b = npart__node_at(graph, b_id);
    if (a->op_type != b->op_type || a->domain != b->domain || a->opset_version != b->opset_version ||
        a->input_count != b->input_count || a->output_count != b->output_count ||
        a->attribute_count != b->attribute_count ||
        (npart__node_region(graph, a_id) == 0) != (npart__node_region(graph, b_id) == 0))
        return false;
    for (uint32_t i = 0; i < a->attribute_count; i++)
        if (!npart__same_attribute(&graph->attributes.items[a->first_attribute + i],
                                   &graph->attributes.items[b->first_attribute + i]))
            return false;
    for (uint32_t i = 0; i < a->input_count; i++)
        if (input_class(classes, a, i) != input_class(classes, b, i))
            return false;
    for (uint32_t i = 0; i < a->output_count; i++)
        if (output_class(classes, a, i) != output_class(classes, b, i))
            return false;
    return true;
}

/* Sorts the node's operands too. Of attributes the integers and lists of integers: these tell most nodes apart.
 * Afterwards class_of is filled in for each of them, which same_node relies on. */
static uint64_t hash_node(struct classes *classes, const struct npart__node *node)
{
    uint64_t hash = npart__mix(node->op_type, node->input_count);
    for (uint32_t i = 0; i < node->attribute_count; i++) {
        const struct npart__attribute *attribute = &classes->graph->attributes.items[node->first_attribute + i];
        if (attribute->type == NPART_ATTRIBUTE_INT)
            hash = npart__mix(hash, (uint64_t)attribute->u.i);
        if (attribute->type == NPART_ATTRIBUTE_INTS)
            hash = mix_ints(hash, attribute->u.ints, attribute->count);
    }
    for (uint32_t i = 0; i < node->input_count; i++)
        hash = npart__mix(hash, class_of(classes, npart__node_input(classes->graph, node, i)));
    for (uint32_t i = 0; i < node->output_count; i++)
        hash = npart__mix(hash, class_of(classes, npart__node_output(classes->graph, node, i)));
    return hash;
}

/* The first equivalent node; the node itself when it is the first of its kind. What has bodies or captures is judged
 * for itself: nothing here compares what stands inside. */
static uint32_t first_equivalent(struct classes *classes, uint32_t id)
{
    const struct npart__node *node = npart__node_at(classes->graph, id);
    if (node->body_count || node->capture_count || node->callee != NPART_NONE)
        return id;
    return find_first(classes, &classes->nodes, id, hash_node(classes, node), same_node);
}

uint32_t *npart__find_equivalent(const struct npart__session *session, struct npart__arena *arena)
{
    struct npart__inference *inference = session->inference;
    const struct npart__graph *graph = session->graph;
    struct npart__arena scratch;
    struct classes classes = {.inference = inference, .graph = graph, .session = session};
    npart__arena_init(&scratch, &arena->allocator);
    classes.class_of = npart__arena_zeroed(&scratch, graph->values.count + (size_t)1, sizeof *classes.class_of);
    bool is_ready = classes.class_of && open_table(&classes.values, graph->values.count, &scratch) &&
                    open_table(&classes.nodes, graph->nodes.count, &scratch);
    uint32_t *out = is_ready ? npart__arena_allocate(arena, (graph->nodes.count + (size_t)1) * sizeof *out) : NULL;
    /* In the order of ids, so the first of a class has the smallest id and is judged before the others. */
    for (uint32_t i = 0; out && i < graph->nodes.count; i++)
        out[i] = npart__is_live(session, i) ? first_equivalent(&classes, i) : i;
    npart__arena_clear(&scratch);
    /* Elements are read while values are compared; memory that ran out there would part nodes at random. */
    return npart__take_failure(inference) ? NULL : out;
}
