/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that compute what another one does: the runtime keeps the one that it meets first, in its own order, for the
 * users of all (core/optimizer/common_subexpression_elimination.cc), so providers are asked about that one alone.
 * Which are equal is known of the inference (common_subexpression.c). The others are part of it; their work is done
 * there, before all users (connect.c). Of two equal Erfs in two Gelus one is left, and no Gelu; of
 * equal QuantizeLinears one, so that a result which quantize_static quantizes for each use (DedicatedQDQPair) ends a
 * QDQ node unit. Convolutions that a Mul or an Add is part of have weights of their own by then, and are not equal.
 *
 * A DequantizeLinear stays by itself: the runtime gives each operator its own before it looks for equal nodes
 * (qdq_transformer/ensure_unique_dq_for_node_unit.cc). So what reads one is equal to nothing.
 */
#include <stdlib.h>

#include "onnxruntime/passes.h"

/* Nodes that compute what another one does: which node stays for the first of equal values, by that value. */
struct equals {
    struct npart__session *session;
    uint32_t *stays; /* NPART_NONE: not decided */
    bool *has_parts; /* by node: others are part of it, by which it has constants of its own */
};

/* Whether an operand is dequantized, which then is done for this node alone. */
static bool reads_own(const struct npart__session *session, const struct npart__node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(session->file, node, i);
        uint32_t producer = value == NPART_NONE ? NPART_NONE : npart__producer(session->file, value);
        const struct npart__node *from = producer == NPART_NONE ? NULL : npart__node_at(session->file, producer);
        if (from && npart__node_plays(session->file, from, NPART__ROLE_DEQUANTIZES))
            return true;
    }
    return false;
}

/* Whether equal nodes are one with it, so that it may stay for them. NPART_NONE makes a constant. */
static bool can_stay(const struct equals *at, uint32_t id)
{
    const struct npart__session *session = at->session;
    const struct npart__node *node = id == NPART_NONE ? NULL : npart__node_at(session->file, id);
    return node && npart__is_live(session, id) && !at->has_parts[id] && node->domain == 0 && !node->body_count &&
           !session->remade[id] && !npart__node_plays(session->file, node, NPART__ROLE_DEQUANTIZES) &&
           !reads_own(session, node);
}

/* Of the first of equal values the node that makes it. */
static uint32_t maker_of_first(const struct npart__session *session, uint32_t value)
{
    return npart__producer(session->file, session->inference->first_equal[value]);
}

/* The first of equal nodes in the runtime's order stays. `order` is of the main graph. */
static void choose(const struct equals *at, const uint32_t *order, uint32_t count)
{
    const struct npart__graph *graph = at->session->file;
    const uint32_t *first = at->session->inference->first_equal;
    for (uint32_t i = 0; i < count; i++) {
        const struct npart__node *node = npart__node_at(graph, order[i]);
        uint32_t value = node->output_count ? npart__node_output(graph, node, 0) : NPART_NONE;
        if (value == NPART_NONE || at->stays[first[value]] != NPART_NONE || !can_stay(at, order[i]))
            continue;
        uint32_t other = maker_of_first(at->session, value);
        if (can_stay(at, other) && npart__node_region(graph, other) == npart__node_region(graph, order[i]))
            at->stays[first[value]] = order[i];
    }
}

/* The main graph's nodes as the runtime meets them, whatever becomes of them. False when out of memory. */
static bool walk(const struct npart__session *session, struct npart__arena *scratch, uint32_t *order, uint32_t *count)
{
    const struct npart__graph *graph = session->file;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    uint32_t *number = npart__arena_allocate(scratch, (graph->nodes.count + (size_t)1) * sizeof *number);
    uint32_t *first = npart__arena_allocate(scratch, (scope->order_count + (size_t)1) * sizeof *first);
    uint32_t *producers = npart__arena_allocate(scratch, (graph->operands.count + (size_t)1) * sizeof *producers);
    uint32_t *node_at = npart__arena_allocate(scratch, (scope->order_count + (size_t)1) * sizeof *node_at);
    if (!number || !first || !producers || !node_at)
        return false;
    *count = scope->order_count;
    memset(number, 0xff, (graph->nodes.count + (size_t)1) * sizeof *number);
    memcpy(node_at, graph->order + scope->first_order, *count * sizeof *node_at);
    if (*count)
        qsort(node_at, *count, sizeof *node_at, npart__compare_uint32); /* ids are in the file's order */
    for (uint32_t i = 0; i < *count; i++)
        number[node_at[i]] = i;
    first[0] = 0;
    for (uint32_t i = 0; i < *count; i++) {
        const struct npart__node *node = npart__node_at(graph, node_at[i]);
        uint32_t end = first[i];
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t value = npart__node_use(graph, node, k);
            uint32_t producer = value == NPART_NONE ? NPART_NONE : npart__producer(graph, value);
            if (producer != NPART_NONE && number[producer] != NPART_NONE)
                producers[end++] = number[producer];
        }
        first[i + 1] = end;
    }
    bool is_done = npart__walk_back(first, producers, *count, scratch, order);
    for (uint32_t i = 0; is_done && i < *count; i++)
        order[i] = node_at[order[i]];
    return is_done;
}

/* Whether the file has the value as a constant; what is folded into one is compared with nothing afterwards. */
static bool is_given(const struct npart__session *session, uint32_t value)
{
    uint32_t producer = npart__producer(session->file, value);
    return producer == NPART_NONE || npart__is_constant_node(session->file, npart__node_at(session->file, producer));
}

/* Whether two nodes of equal operands read the same, now that equal nodes before them are one; or are not, where they
 * read what is dequantized for each alone. */
static bool reads_same(const struct npart__session *session, const struct npart__node *a, const struct npart__node *b)
{
    for (uint32_t i = 0; i < a->input_count; i++) {
        uint32_t one = npart__node_input(session->file, a, i), other = npart__node_input(session->file, b, i);
        bool is_same = one == other || one == NPART_NONE || other == NPART_NONE ||
                       session->stands_for[one] == session->stands_for[other];
        if (!is_same && !(is_given(session, one) && is_given(session, other)))
            return false;
    }
    return true;
}

/* The node of which this one repeats all results, or NPART_NONE. A result of the graph keeps its node. */
static uint32_t find_equal(const struct equals *at, uint32_t id)
{
    const struct npart__session *session = at->session;
    const struct npart__graph *graph = session->file;
    const struct npart__node *node = npart__node_at(graph, id);
    uint32_t equal = NPART_NONE;
    if (!can_stay(at, id))
        return NPART_NONE;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(graph, node, i);
        if (value == NPART_NONE)
            continue;
        if (npart__value_at(graph, value)->is_graph_output)
            return NPART_NONE;
        if (equal == NPART_NONE)
            equal = at->stays[session->inference->first_equal[value]];
        if (equal == id)
            return NPART_NONE;
    }
    if (equal == NPART_NONE) { /* of a body, or its first is no such node */
        uint32_t value = node->output_count ? npart__node_output(graph, node, 0) : NPART_NONE;
        equal = value == NPART_NONE || session->inference->first_equal[value] == value ? NPART_NONE
                                                                                      : maker_of_first(session, value);
    }
    const struct npart__node *other = equal == NPART_NONE ? NULL : npart__node_at(graph, equal);
    return other && can_stay(at, equal) && other->op_type == node->op_type && reads_same(session, node, other)
               ? equal
               : NPART_NONE;
}

/* Makes the node part of the one that it repeats, if any. */
static void fold(const struct equals *at, uint32_t id)
{
    struct npart__session *session = at->session;
    const struct npart__graph *graph = session->file;
    uint32_t equal = find_equal(at, id);
    if (equal == NPART_NONE)
        return;
    const struct npart__node *node = npart__node_at(graph, id), *other = npart__node_at(graph, equal);
    session->fates[id] = NPART_FATE_FUSED;
    session->into[id] = equal;
    for (uint32_t k = 0; k < node->output_count && k < other->output_count; k++)
        if (npart__node_output(graph, node, k) != NPART_NONE)
            session->stands_for[npart__node_output(graph, node, k)] = npart__node_output(graph, other, k);
}

/* Last of the passes, since those before look at equal values by themselves. In the runtime's order and, of bodies, in
 * that of execution, so that of a chain of equal nodes each is met after what it reads. False when out of memory. */
bool npart__fold_equal(struct npart__session *session, struct npart__arena *arena)
{
    const struct npart__graph *graph = session->file;
    struct equals at = {.session = session};
    size_t values = graph->values.count + (size_t)1;
    uint32_t count = 0;
    bool is_any = false;
    for (uint32_t v = 0; session->inference->first_equal && v < graph->values.count && !is_any; v++)
        is_any = session->inference->first_equal[v] != v && npart__producer(graph, v) != NPART_NONE &&
                 npart__is_live(session, npart__producer(graph, v));
    if (!is_any)
        return true;
    struct npart__arena scratch;
    npart__arena_init(&scratch, &arena->allocator);
    uint32_t *order = npart__arena_allocate(&scratch, (graph->order_count + (size_t)1) * sizeof *order);
    at.stays = npart__arena_allocate(&scratch, values * sizeof *at.stays);
    at.has_parts = npart__arena_zeroed(&scratch, graph->nodes.count + (size_t)1, sizeof *at.has_parts);
    bool is_ready = order && at.stays && at.has_parts && walk(session, &scratch, order, &count);
    if (is_ready) {
        for (uint32_t i = 0; i < graph->nodes.count; i++)
            if (session->into[i] != NPART_NONE)
                at.has_parts[session->into[i]] = true;
        memset(at.stays, 0xff, values * sizeof *at.stays);
        choose(&at, order, count);
    }
    for (uint32_t i = 0; is_ready && i < count; i++)
        fold(&at, order[i]);
    for (uint32_t i = 0; is_ready && i < graph->order_count; i++)
        if (npart__node_region(graph, graph->order[i]) != 0)
            fold(&at, graph->order[i]);
    if (is_ready)
        npart__settle_stand_ins(session, graph->values.count);
    npart__arena_clear(&scratch);
    return is_ready;
}
