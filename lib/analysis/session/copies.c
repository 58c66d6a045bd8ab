/* SPDX-License-Identifier: Apache-2.0
 *
 * A DequantizeLinear that is used more than once: ONNX Runtime gives each use one of its own, at any level, so that
 * each may go with its user.
 *
 * Modelled on onnxruntime/core/optimizer/qdq_transformer/ensure_unique_dq_for_node_unit.cc: the original stays with the
 * first use, or with the graph's output or a body that captures it, where there is one.
 *
 * Where x is dequantized once and used by a Conv and an Add, two quantized operators in the file share one
 * DequantizeLinear. Once each has its own, the Conv's can be on the NPU with it while the Add's stays on the CPU.
 * Copies get ids after all nodes and values of the file, so that arrays by id grow and nothing in them moves.
 */
#include "session/passes.h"

/* Never NULL for an empty array, so that NULL means out of memory alone. */
void *npart__longer(struct npart__arena *arena, const void *items, size_t item_bytes, size_t count, size_t new_count)
{
    char *made = npart__arena_allocate(arena, (new_count + 1) * item_bytes);
    if (made && count)
        memcpy(made, items, count * item_bytes);
    return made;
}

/* New places are not filled in: what is new is the caller's to say, a copy takes over other things than a body's
 * node. */
bool npart__session_lengthen(const struct npart__session *before, struct npart__session *out, size_t nodes,
                             size_t values, size_t new_nodes, size_t new_values, struct npart__arena *arena)
{
    out->fates = npart__longer(arena, before->fates, sizeof *out->fates, nodes, new_nodes);
    out->into = npart__longer(arena, before->into, sizeof *out->into, nodes, new_nodes);
    out->remade = npart__longer(arena, before->remade, sizeof *out->remade, nodes, new_nodes);
    out->round = npart__longer(arena, before->round, sizeof *out->round, nodes, new_nodes);
    out->place = npart__longer(arena, before->place, sizeof *out->place, nodes, new_nodes);
    out->is_constant = npart__longer(arena, before->is_constant, sizeof *out->is_constant, values, new_values);
    out->stands_for = npart__longer(arena, before->stands_for, sizeof *out->stands_for, values, new_values);
    return out->fates && out->into && out->remade && out->round && out->place && out->is_constant && out->stands_for;
}

#define KEPT_OUTSIDE (NPART_NONE - 1) /* the place of no use, and not NPART_NONE */

/* A user as the runtime numbers it. Transposes of its own come when copies have been made: such a one stands for what
 * uses it. */
static uint32_t standing_of(const struct npart__session *session, uint32_t user)
{
    const struct npart__graph *graph = session->graph;
    while (graph->scopes.items[graph->nodes.items[user].scope].is_after) {
        uint32_t result = npart__node_output(graph, &graph->nodes.items[user], 0);
        if (npart__user_count(session, result) == 0)
            break;
        user = npart__user(session, result, 0);
    }
    return user;
}

/* The use that has the original of what several use, or KEPT_OUTSIDE; NPART_NONE: nothing is copied. A body that
 * captures the value cannot be given a copy, for the copy would have to be made inside it; so the original stays
 * with it, and each other user gets a copy. Linear in users, which are in the order of their ids, and asked a constant
 * number of times of each value. `places`: by use, which operand it is. */
static uint32_t keeper_of(const struct npart__session *session, const uint32_t *places, uint32_t value)
{
    const struct npart__value *of = npart__value_at(session->graph, value);
    bool is_outside = of->is_graph_output;
    uint32_t keeper = 0, first = NPART_NONE;
    if (of->consumer_count + of->is_graph_output < 2)
        return NPART_NONE;
    for (uint32_t i = 0; i < of->consumer_count && !is_outside; i++) {
        uint32_t user = npart__user(session, value, i), standing = standing_of(session, user);
        /* What a body captures stands among the operands of the node that has the body, after its own. */
        is_outside = places[of->first_consumer + i] >= npart__node_at(session->graph, user)->input_count;
        if (standing < first) {
            first = standing;
            keeper = i;
        }
    }
    return is_outside ? KEPT_OUTSIDE : keeper;
}

/* What a live DequantizeLinear makes; NPART_NONE for every other node. */
static uint32_t dequantized_by(const struct npart__session *session, uint32_t node)
{
    const struct npart__graph *graph = session->graph;
    const struct npart__node *at = &graph->nodes.items[node];
    bool is_one = npart__is_live(session, node) && npart__node_plays(graph, at, NPART__ROLE_DEQUANTIZES);
    return is_one ? npart__node_output(graph, at, 0) : NPART_NONE;
}

/* Most models are not quantized, and are done here. */
static bool has_dequantized(const struct npart__session *session)
{
    const struct npart__graph *graph = session->graph;
    for (uint32_t i = 0; i < graph->order_count; i++)
        if (dequantized_by(session, graph->order[i]) != NPART_NONE)
            return true;
    return false;
}

/* Room for copies: as many as there are uses of what is copied; none where these are beyond all measure. A small
 * file can name one DequantizeLinear as an operand of very many nodes; past the limit of nodes none is copied, and
 * the session is as the file has it. An upper bound, as the keeper's own uses count as well. */
static uint32_t most_copies(const struct npart__session *session, const uint32_t *places)
{
    uint64_t most = 0;
    for (uint32_t i = 0; i < session->graph->order_count; i++) {
        uint32_t value = dequantized_by(session, session->graph->order[i]);
        if (value != NPART_NONE && keeper_of(session, places, value) != NPART_NONE)
            most += npart__user_count(session, value);
    }
    return most <= NPART__LIMIT_NODES ? (uint32_t)most : 0;
}

/* The graph's arrays are shared with the file's graph, which stays as it is; all that copies add to is made anew.
 * Scopes are copied because copies lengthen the order of their region. One new operand for each copy is its result;
 * its inputs are those of the original, by the same range. */
static bool make_room(struct npart__session *session, struct npart__graph *graph, uint32_t more,
                      struct npart__arena *arena)
{
    size_t nodes = graph->nodes.count, values = graph->values.count, operands = graph->operands.count;
    graph->nodes.items = npart__longer(arena, graph->nodes.items, sizeof *graph->nodes.items, nodes, nodes + more);
    graph->values.items = npart__longer(arena, graph->values.items, sizeof *graph->values.items, values, values + more);
    graph->operands.items = npart__longer(arena, graph->operands.items, sizeof(uint32_t), operands, operands + more);
    graph->scopes.items = npart__longer(arena, graph->scopes.items, sizeof *graph->scopes.items, graph->scopes.count,
                                        graph->scopes.count);
    graph->order = npart__longer(arena, NULL, sizeof *graph->order, 0, graph->order_count + (size_t)more);
    return graph->nodes.items && graph->values.items && graph->operands.items && graph->scopes.items && graph->order &&
           npart__session_lengthen(session, session, nodes, values, nodes + more, values + more, arena);
}

/* For one operand of a user. The copy takes what the original takes, by the same operands; its result is a value of
 * its own. It is not constant even where the original's was, since no
 * runtime folds it after that. The copy belongs to the scope, the round and the place of the original, so rounds
 * and walks treat both alike. */
static void copy_for(struct npart__session *session, struct npart__graph *graph, uint32_t node, uint32_t *operand)
{
    uint32_t made = graph->nodes.count++, result = graph->values.count++, value = *operand;
    struct npart__node *copy = &graph->nodes.items[made];
    *copy = graph->nodes.items[node];
    copy->alias = node;
    copy->first_output = graph->operands.count;
    copy->output_count = 1;
    copy->body_count = copy->capture_count = 0; /* it has neither */
    graph->operands.items[graph->operands.count++] = *operand = result;
    graph->values.items[result] = graph->values.items[value];
    graph->values.items[result].producer = made;
    graph->values.items[result].is_graph_output = false;
    session->fates[made] = NPART_FATE_LIVE;
    session->into[made] = NPART_NONE;
    session->remade[made] = NPART__REMADE_NOT;
    session->round[made] = session->round[node];
    session->place[made] = session->place[node];
    session->is_constant[result] = false;
    session->stands_for[result] = result;
}

/* Each stands right after the original. Of each region the first node and the count are written anew, since copies
 * push what follows them further on. `made` counts nodes in the new order: copies are only known once their
 * original has been met. */
static void copy_all(struct npart__session *session, struct npart__graph *graph, const struct npart__graph *before,
                     const uint32_t *places)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < before->order_count; i++) {
        uint32_t id = before->order[i], copies = graph->nodes.count, value = dequantized_by(session, id);
        uint32_t region = npart__node_region(before, id);
        uint32_t keeper = value == NPART_NONE ? NPART_NONE : keeper_of(session, places, value);
        /* The region's first node: all regions before it are complete by now, so its place is final. */
        if (before->scopes.items[region].first_order == i)
            graph->scopes.items[region].first_order = made;
        graph->order[made++] = id;
        for (uint32_t u = 0; keeper != NPART_NONE && u < npart__user_count(session, value); u++) {
            uint32_t user = npart__user(session, value, u);
            uint32_t operand = places[npart__value_at(before, value)->first_consumer + u];
            const struct npart__node *node = &graph->nodes.items[user];
            bool has_own = u != keeper && dequantized_by(session, user) == NPART_NONE;
            if (has_own && operand < node->input_count)
                copy_for(session, graph, id, &graph->operands.items[node->first_input + operand]);
        }
        graph->scopes.items[region].order_count += graph->nodes.count - copies;
        while (copies < graph->nodes.count)
            graph->order[made++] = copies++;
    }
    graph->order_count = made;
}

/* What is known of the file's values, and of those that copies make what is known of the originals'. The inference
 * itself where there are no copies; NULL when out of memory. */
static struct npart__inference *know_copies(const struct npart__session *session, struct npart__inference *inference,
                                            struct npart__arena *arena)
{
    const struct npart__graph *graph = session->graph;
    const size_t values = session->file->values.count, all = graph->values.count;
    if (all == values)
        return inference;
    struct npart__inference *made = npart__longer(arena, inference, sizeof *made, 1, 1);
    if (!made)
        return NULL;
    made->fact_count = (uint32_t)all;
    made->facts = npart__longer(arena, made->facts, sizeof *made->facts, values, all);
    made->rank_lost_at = npart__longer(arena, made->rank_lost_at, sizeof(uint32_t), values, all);
    /* The classes of equal values are there only where the policy asked for them; the last condition below tells a
     * failed copy from that. */
    if (made->first_equal)
        made->first_equal = npart__longer(arena, made->first_equal, sizeof(uint32_t), values, all);
    if (!made->facts || !made->rank_lost_at || !made->first_equal != !inference->first_equal)
        return NULL;
    for (uint32_t v = (uint32_t)values; v < all; v++) {
        uint32_t original = npart__original(graph, npart__producer(graph, v));
        uint32_t value = npart__node_output(graph, npart__node_at(graph, original), 0);
        made->facts[v] = made->facts[value];
        made->rank_lost_at[v] = made->rank_lost_at[value];
        if (made->first_equal)
            made->first_equal[v] = made->first_equal[value];
    }
    return made;
}

bool npart__session_know(struct npart__session *session, struct npart__inference *known, struct npart__arena *arena)
{
    NPART__ASSERT(known->graph->values.count == session->file->values.count, "%u values, not %u",
                  (unsigned)known->graph->values.count, (unsigned)session->file->values.count);
    session->known = known == session->made_from ? session->inference : know_copies(session, known, arena);
    return session->known != NULL;
}

/* Users are listed anew in the end, since copies take them over from the original. */
bool npart__session_copy(struct npart__session *session, struct npart__arena *arena)
{
    const struct npart__graph *before = session->graph;
    /* A tool that reads the file as it is (policy is_onnx), or a target without a runtime, makes no copies. */
    if (!(npart__has_units(session) || session->moves_quantizers) || !has_dequantized(session))
        return true;
    uint32_t *places = npart__list_places(before, session->fates, arena); /* before any use is changed */
    if (!places)
        return false;
    uint32_t more = most_copies(session, places);
    if (more == 0)
        return true;
    struct npart__graph *graph = npart__longer(arena, before, sizeof *graph, 1, 1);
    if (!graph || !make_room(session, graph, more, arena))
        return false;
    copy_all(session, graph, before, places);
    npart__arena_release(arena, places);
    session->graph = graph;
    session->inference = know_copies(session, session->made_from, arena);
    return session->inference && npart__list_users(graph, session->fates, arena);
}
