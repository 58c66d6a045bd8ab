/* SPDX-License-Identifier: Apache-2.0
 *
 * What runs side by side: branches that a Concat joins, each a chain of which every value has one user. While one of
 * them computes, weights of another stream in, and a vector unit pools in one while the matrix unit is busy with
 * another. So GoogLeNet on 13 chips takes 0.55 of the sum (docs/evidence/fidelity-cost.md).
 */
#include "cost/cost.h"

struct branching {
    const struct npart__session *session;
    const struct npart__work *works;
    bool *has_product; /* by node: its chain has one, up to it */
    bool *out;         /* by node: another branch with products runs beside it */
};

static bool is_conversion(const struct branching *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->session->graph, id);
    return npart__comes_from(node, NPART__WAY(CODES));
}

static bool is_product(const struct npart__work *work)
{
    return work->class == NPART_WORK_MATRIX || work->class == NPART_WORK_PRODUCT;
}

/* The node before this operand in its chain; NPART_NONE where the chain begins: a value of the graph's ends, or one of
 * several users. A Q and a DQ are links like any other. */
static uint32_t before(const struct branching *at, const struct npart__node *node, uint32_t operand)
{
    const struct npart__graph *graph = at->session->graph;
    uint32_t value = npart__operand_past_copies(at->session, node, operand), maker = npart__producer(graph, value);
    if (maker == NPART_NONE || npart__value_at(graph, value)->is_graph_output ||
        npart__user_count(at->session, value) != 1 || npart__node_region(graph, maker) != 0)
        return NPART_NONE;
    return maker;
}

/* Operands that a chain goes on with: the first, and of a Concat all. */
static uint32_t ways(const struct npart__node *node)
{
    uint32_t most = npart__comes_from(node, NPART__WAY(CONCAT)) ? node->input_count : 1;
    return node->input_count < most ? node->input_count : most;
}

/* From the graph's inputs on. */
static void look_for_products(struct branching *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->session->graph, id);
    bool has = is_product(&at->works[id]) && !is_conversion(at, id);
    for (uint32_t k = 0; k < ways(node) && !has; k++) {
        uint32_t maker = before(at, node, k);
        has = maker != NPART_NONE && at->has_product[maker];
    }
    at->has_product[id] = has;
}

/* From the graph's outputs on. */
static void tell_branches(struct branching *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->session->graph, id);
    bool is_join = npart__comes_from(node, NPART__WAY(CONCAT));
    uint32_t with = 0;
    for (uint32_t k = 0; k < ways(node) && is_join; k++) {
        uint32_t maker = before(at, node, k);
        with += maker != NPART_NONE && at->has_product[maker];
    }
    for (uint32_t k = 0; k < ways(node); k++) {
        uint32_t maker = before(at, node, k);
        if (maker != NPART_NONE)
            at->out[maker] = at->out[id] || with > at->has_product[maker];
    }
}

static bool is_in_graph(const struct npart__session *session, uint32_t id)
{
    return npart__is_live(session, id) && !npart__is_copy(session->graph, id) &&
           npart__node_region(session->graph, id) == 0;
}

/* Linear in operands: a link has one user, so it is told once. */
bool *npart__find_branches(const struct npart__session *session, const struct npart__work *works,
                           struct npart__arena *arena)
{
    const struct npart__graph *graph = session->graph;
    size_t count = graph->nodes.count + (size_t)1;
    struct branching at = {.session = session, .works = works};
    at.has_product = npart__arena_zeroed(arena, count, sizeof *at.has_product);
    at.out = npart__arena_zeroed(arena, count, sizeof *at.out);
    if (!at.has_product || !at.out)
        return NULL;
    for (uint32_t i = 0; i < graph->order_count; i++)
        if (is_in_graph(session, graph->order[i]))
            look_for_products(&at, graph->order[i]);
    for (uint32_t i = graph->order_count; i > 0; i--)
        if (is_in_graph(session, graph->order[i - 1]))
            tell_branches(&at, graph->order[i - 1]);
    return at.out;
}
