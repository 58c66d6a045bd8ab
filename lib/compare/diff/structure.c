/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a node stands in its graph, told by what is around it: operators and how they are connected. Names, the order
 * of nodes in the file and the values of weights play no part. What exporters and versions of operators do differently
 * without meaning another model is left out as well: see `is_followed` and `passes`. docs/diff.md has it in words.
 */
#include "diff/diff.h"

/* Kinds of what is hashed, so that nothing is taken for something else. */
enum { OF_OP = 1, OF_INPUT, OF_OUTPUT, OF_OPERAND, OF_RESULT, OF_CONSTANT, OF_ATTRIBUTE, OF_TYPE, OF_ADDED };

/* Saved reports hold numbers that were made with these two, so neither can change any more. */
#define STEPS_AROUND 2
#define MOST_ELEMENTS 64u /* of a constant whose elements count */

/* ---- numbers ----------------------------------------------------------------------------------------------- */

/* Two multiplications by odd numbers with the upper half brought down: every bit of the result depends on every bit of
 * both. The numbers are the golden ratio and a prime, of 64 bits. */
static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    hash = (hash ^ hash >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return hash ^ hash >> 32;
}

/* FNV-1a of 64 bits, then mixed. `kind` keeps the name of an operator from hashing as an attribute of that name. */
static uint64_t hash_bytes(uint64_t kind, const char *text, size_t length)
{
    uint64_t sum = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < length; i++)
        sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001B3);
    return mix(kind, sum);
}

static uint64_t hash_text(uint64_t kind, const char *text)
{
    return hash_bytes(kind, text, strlen(text));
}

/* The upper half: low bits of a product depend on low bits of its factors alone. 32 bits keep reports small;
 * that two nodes of a model share one by chance is rare, and another number tells them apart then. */
static uint32_t short_of(uint64_t hash)
{
    return (uint32_t)(hash >> 32);
}

/* 0 is what a record has for a node without a name. */
uint32_t npart__name_hash(const char *name)
{
    uint32_t hash = *name ? short_of(hash_text(0, name)) : 0;
    return *name && !hash ? 1 : hash;
}

/* Depends on its owner, its operator and its place among those that stand for the owner. `itself` leaves the
 * owner out, as those of equal owners are equal. */
struct npart__structure npart__added_structure(struct npart__structure owner, uint32_t index, const char *op)
{
    uint64_t own = mix(hash_text(OF_OP, op), mix(OF_ADDED, index));
    return (struct npart__structure){short_of(mix(own, owner.up)), short_of(mix(own, owner.down)),
                                     short_of(mix(own, owner.around)), short_of(own)};
}

/* ---- what counts ------------------------------------------------------------------------------------------- */

struct walk {
    const struct npart__inference *inference;
    const struct npart__arena *arena;
    const struct npart__graph *graph;
    uint64_t *ops;               /* by node: its operator */
    uint64_t *near, *next;       /* by node: what is around it, and one step further */
    uint64_t *ups, *downs;       /* by value: how it was made; what is made of it */
    uint8_t *traits;             /* by node: TRAIT_... */
    struct npart__structure *out;
};

enum { TRAIT_COMMUTES = 1, TRAIT_PASSES = 2, TRAIT_HAS_DATA = 4 };

/* Sizes, indices and single numbers, as they are computed beside the tensors that a model is about. 6 and 7 are
 * int32 and int64 of TensorProto.DataType. Where the rank is not known it is no size. */
static bool is_size(const struct walk *walk, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(walk->inference, value);
    return (fact->element_type == NPART__INT64 || fact->element_type == NPART__INT32) && fact->has_rank &&
           fact->rank <= 1;
}

static bool is_constant(const struct walk *walk, uint32_t value)
{
    return npart__fact_of(walk->inference, value)->is_constant;
}

/* Whether an operand makes its user what it is: constants move between attributes, initializers and nodes from
 * one version of an operator to the next, and how sizes are computed is each exporter's own. So a Reshape is
 * told by its data and not by how its target is computed; a Concat of sizes alone, which has no data, by all of
 * its operands. */
static bool is_followed(const struct walk *walk, uint32_t node, uint32_t value)
{
    if (value == NPART_NONE || is_constant(walk, value))
        return false;
    return !(walk->traits[node] & TRAIT_HAS_DATA) || !is_size(walk, value);
}

/* An operand does not lead on where only its size is asked for. Of x -> Shape -> Gather the Shape is not part of
 * what is made of x; the Gather is part of what is made of the Shape. */
static bool leads_on(const struct walk *walk, const struct npart__node *node, uint32_t value)
{
    uint32_t result = npart__node_output(walk->graph, node, 0);
    return result == NPART_NONE || !is_size(walk, result) || is_size(walk, value);
}

/* Nodes that come and go with exporters and quantizers; for others they are not there. */
static const uint64_t passing = NPART__WAYS_SAME | NPART__WAY(CODES);

/* By name alone, of any domain: a name is what another exporter keeps. A node has data where some operand is neither a
 * constant nor a size; then its sizes play no part. */
static void find_traits(struct walk *walk, uint32_t id)
{
    const struct npart__node *node = &walk->graph->nodes.items[id];
    const char *op = npart__node_op(walk->graph, node);
    walk->ops[id] = hash_text(OF_OP, op);
    if (npart__op_plays(op, NPART__ROLE_COMMUTES))
        walk->traits[id] |= TRAIT_COMMUTES;
    if (passing >> npart__operator_traits("", op)->elements & 1)
        walk->traits[id] |= TRAIT_PASSES;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(walk->graph, node, i);
        if (value != NPART_NONE && !is_constant(walk, value) && !is_size(walk, value))
            walk->traits[id] |= TRAIT_HAS_DATA;
    }
}

/* Whether a value is of the node's own list; what comes from outside a body is not followed. A body runs as
 * often as its node says, so what it captures is not a step before it but something given. */
static bool is_inside(const struct walk *walk, const struct npart__node *node, uint32_t value)
{
    const struct npart__scope *scopes = walk->graph->scopes.items;
    return scopes[walk->graph->values.items[value].scope].region == scopes[node->scope].region;
}

/* An operand as its user sees it. By its place among the operands, counted from 1; 0 for all of an operator that
 * commutes, whose sum is then the same in any order. */
static uint64_t operand(const struct walk *walk, uint32_t id, uint32_t index, uint64_t hash)
{
    return mix(mix(OF_OPERAND, walk->traits[id] & TRAIT_COMMUTES ? 0 : index + 1), hash);
}

/* ---- up and down ------------------------------------------------------------------------------------------- */

/* One pass from inputs to outputs: `of` has by node what it is, `result` gets what it is with its operands. With
 * `is_deep` each node's result is what the next one sees, else only its `of`. All inputs count as the same, as
 * their names may differ. Contributions of operands are added: a hash of a sorted list would do as well and need
 * the sorting. */
static void go_down(struct walk *walk, const uint64_t *of, uint64_t *result, bool is_deep)
{
    const struct npart__graph *graph = walk->graph;
    for (uint32_t v = 0; v < graph->values.count; v++)
        walk->ups[v] = mix(OF_INPUT, 0);
    for (uint32_t at = 0; at < graph->order_count; at++) {
        uint32_t id = graph->order[at], first = NPART_NONE;
        const struct npart__node *node = &graph->nodes.items[id];
        uint64_t sum = 0;
        for (uint32_t i = 0; i < node->input_count; i++) {
            uint32_t value = npart__node_input(graph, node, i);
            if (!is_followed(walk, id, value))
                continue;
            first = first == NPART_NONE && is_inside(walk, node, value) ? value : first;
            sum += operand(walk, id, i, is_inside(walk, node, value) ? walk->ups[value] : mix(OF_INPUT, 1));
        }
        result[id] = mix(of[id], sum);
        bool passes = walk->traits[id] & TRAIT_PASSES && first != NPART_NONE;
        for (uint32_t i = 0; i < node->output_count; i++) {
            uint32_t value = npart__node_output(graph, node, i);
            if (value != NPART_NONE)
                walk->ups[value] = passes ? walk->ups[first] : mix(mix(OF_RESULT, i), is_deep ? result[id] : of[id]);
        }
    }
}

/* The same from outputs to inputs. Users are added up, so that their order does not matter. What an output leads
 * to is OF_OUTPUT, whichever output it is, since order and names of outputs may change. */
static void go_up(struct walk *walk, const uint64_t *of, uint64_t *result, bool is_deep)
{
    const struct npart__graph *graph = walk->graph;
    for (uint32_t v = 0; v < graph->values.count; v++)
        walk->downs[v] = graph->values.items[v].is_graph_output ? mix(OF_OUTPUT, 0) : 0;
    for (uint32_t at = graph->order_count; at-- > 0;) {
        uint32_t id = graph->order[at];
        const struct npart__node *node = &graph->nodes.items[id];
        uint64_t sum = 0, all = 0;
        for (uint32_t i = 0; i < node->output_count; i++) {
            uint32_t value = npart__node_output(graph, node, i);
            sum += value == NPART_NONE ? 0 : mix(mix(OF_RESULT, i), walk->downs[value]);
            all += value == NPART_NONE ? 0 : walk->downs[value];
        }
        result[id] = mix(of[id], sum);
        for (uint32_t i = 0; i < node->input_count; i++) {
            uint32_t value = npart__node_input(graph, node, i);
            if (value == NPART_NONE || !is_inside(walk, node, value) || !leads_on(walk, node, value))
                continue;
            if (walk->traits[id] & TRAIT_PASSES && is_followed(walk, id, value))
                walk->downs[value] += all;
            else
                walk->downs[value] += operand(walk, id, i, is_deep ? result[id] : of[id]);
        }
    }
}

/* A step further each time: what its neighbours have around them. */
static void look_around(struct walk *walk)
{
    uint64_t *above = walk->next, *of = walk->near;
    for (uint32_t i = 0; i < walk->graph->nodes.count; i++)
        of[i] = walk->ops[i];
    for (int step = 0; step < STEPS_AROUND && !npart__is_late(walk->arena); step++) {
        go_down(walk, of, above, false);
        for (uint32_t i = 0; i < walk->graph->nodes.count; i++)
            walk->out[i].up = short_of(above[i]); /* kept there during go_up: both walks are over what was before */
        go_up(walk, of, above, false);
        for (uint32_t i = 0; i < walk->graph->nodes.count; i++)
            of[i] = mix(above[i], walk->out[i].up);
    }
    for (uint32_t i = 0; i < walk->graph->nodes.count; i++)
        walk->out[i].around = short_of(of[i]);
}

/* ---- a node itself ----------------------------------------------------------------------------------------- */

static uint64_t hash_double(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Type and dims, and the numbers of a small one; floats as doubles, which all of them fit into. The values of
 * weights play no part: a model that was trained on is the same graph. What is not in the file itself (external,
 * or left out by the scan) counts by type and dims too. */
static uint64_t hash_tensor(const struct npart__tensor *tensor)
{
    int64_t ints[MOST_ELEMENTS];
    double doubles[MOST_ELEMENTS];
    uint64_t hash = mix(OF_CONSTANT, tensor->element_type);
    for (uint32_t i = 0; i < tensor->rank; i++)
        hash = mix(hash, (uint64_t)tensor->dims[i]);
    if (tensor->elements > MOST_ELEMENTS || tensor->place != NPART__TENSOR_INLINE)
        return hash;
    bool are_ints = npart__tensor_int64s(tensor, ints, MOST_ELEMENTS);
    bool are_doubles = !are_ints && npart__tensor_doubles(tensor, doubles, MOST_ELEMENTS);
    for (uint32_t i = 0; (are_ints || are_doubles) && i < tensor->elements; i++)
        hash = mix(hash, are_ints ? (uint64_t)ints[i] : hash_double(doubles[i]));
    return hash;
}

/* Name, type and content. Graphs count by their number alone: the nodes of a body have structures of their own.
 * Of a list that the scan left out, the type and nothing else is known. */
static uint64_t hash_attribute(const struct npart__attribute *at)
{
    uint64_t hash = mix(hash_text(OF_ATTRIBUTE, at->name), at->type);
    bool is_list = !at->is_elided && at->count;
    size_t length;
    switch (at->type) {
    case NPART_ATTRIBUTE_FLOAT:
        return mix(hash, hash_double((double)at->u.f));
    case NPART_ATTRIBUTE_INT:
        return mix(hash, (uint64_t)at->u.i);
    case NPART_ATTRIBUTE_STRING:
        return mix(hash, hash_bytes(OF_ATTRIBUTE, at->u.s, at->count));
    case NPART_ATTRIBUTE_TENSOR:
        return at->u.tensor ? mix(hash, hash_tensor(at->u.tensor)) : hash;
    case NPART_ATTRIBUTE_FLOATS:
        for (uint32_t i = 0; is_list && i < at->count; i++)
            hash = mix(hash, hash_double((double)at->u.floats[i]));
        return mix(hash, at->count);
    case NPART_ATTRIBUTE_INTS:
        for (uint32_t i = 0; is_list && i < at->count; i++)
            hash = mix(hash, (uint64_t)at->u.ints[i]);
        return mix(hash, at->count);
    case NPART_ATTRIBUTE_STRINGS:
        for (uint32_t i = 0; i < at->count; i++) {
            const char *text = npart__attribute_string(at, i, &length);
            hash = mix(hash, hash_bytes(OF_ATTRIBUTE, text, length));
        }
        return mix(hash, at->count);
    default:
        return mix(hash, at->count);
    }
}

/* Attributes are added up, as their order means nothing; a constant operand counts with its shape. An operand
 * that is no constant counts as there; of results the element type and rank count, not the dims: a model at
 * another batch size has the same nodes. */
static uint64_t hash_itself(const struct walk *walk, const struct npart__node *node)
{
    const struct npart__graph *graph = walk->graph;
    uint64_t sum = 0;
    uint64_t hash = mix(hash_text(OF_OP, npart__node_op(graph, node)),
                        hash_text(OF_OP, npart__text(&graph->strings, node->domain)));
    for (uint32_t i = 0; i < node->attribute_count; i++)
        sum += hash_attribute(&graph->attributes.items[node->first_attribute + i]);
    hash = mix(hash, sum);
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(graph, node, i);
        const struct npart__fact *fact = value == NPART_NONE ? NULL : npart__fact_of(walk->inference, value);
        if (fact && fact->is_constant && fact->tensor)
            hash = mix(hash, mix(hash_tensor(fact->tensor), i));
        else
            hash = mix(hash, fact ? mix(OF_OPERAND, fact->is_constant) : 0);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(graph, node, i);
        const struct npart__fact *fact = value == NPART_NONE ? NULL : npart__fact_of(walk->inference, value);
        hash = mix(hash, fact ? mix(mix(OF_TYPE, fact->element_type), fact->has_rank ? fact->rank + 1u : 0) : 0);
    }
    return hash;
}

/* ---- all nodes --------------------------------------------------------------------------------------------- */

/* `around` first, as it uses the same arrays as the two walks through the whole graph. All of it is linear in
 * operands. */
static void find_all(struct walk *walk)
{
    const struct npart__graph *graph = walk->graph;
    for (uint32_t i = 0; i < graph->nodes.count && !npart__is_late_at(walk->arena, i); i++) {
        find_traits(walk, i);
        walk->near[i] = walk->next[i] = walk->ops[i]; /* of calls, which no walk comes to */
        walk->out[i].itself = short_of(hash_itself(walk, &graph->nodes.items[i]));
    }
    look_around(walk);
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        walk->near[i] = walk->next[i] = walk->ops[i];
    go_down(walk, walk->ops, walk->near, true);
    go_up(walk, walk->ops, walk->next, true);
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        walk->out[i].up = short_of(walk->near[i]);
        walk->out[i].down = short_of(walk->next[i]);
    }
}

/* Working memory is released at once, since the arena is the inference's and lives long. */
struct npart__structure *npart__find_structures(const struct npart__inference *inference, struct npart__arena *arena)
{
    const struct npart__graph *graph = inference->graph;
    size_t nodes = graph->nodes.count + (size_t)1, values = graph->values.count + (size_t)1;
    uint64_t *words = npart__arena_zeroed(arena, 3 * nodes + 2 * values, sizeof *words);
    struct walk walk = {.inference = inference,
                        .graph = graph,
                        .arena = arena,
                        .traits = npart__arena_zeroed(arena, nodes, sizeof *walk.traits),
                        .out = npart__arena_zeroed(arena, nodes, sizeof *walk.out)};
    if (words && walk.traits && walk.out) {
        walk.ops = words;
        walk.near = words + nodes;
        walk.next = words + 2 * nodes;
        walk.ups = words + 3 * nodes;
        walk.downs = words + 3 * nodes + values;
        find_all(&walk);
    }
    bool is_whole = words && walk.traits && walk.out && !npart__is_late(arena); /* it is kept */
    if (walk.traits)
        npart__arena_release(arena, walk.traits);
    if (words)
        npart__arena_release(arena, words);
    return is_whole ? walk.out : NULL;
}
