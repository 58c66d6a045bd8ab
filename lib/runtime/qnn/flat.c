/* SPDX-License-Identifier: Apache-2.0
 *
 * Results of one axis between two layout ops. The runtime's layout pass tries to move the first op past the node that
 * makes such a result, since it would meet the second one there, and ends the whole process: it looks for a second axis
 * that is not there. So it is neither a partition nor a node of the target that fails, but the session.
 *
 * Asked of ONNX Runtime 1.31 with models of a few nodes (docs/evidence/fidelity.md, "A Reshape to one axis"): it
 * matters neither which of the nodes the target takes, nor how large they are. A result of two axes never fails.
 *
 * Transpose -> Reshape to [-1] -> Gather by indices of rank 2 -> Transpose has one. What is in between may be long;
 * one walk forward and one back find all such results, whatever the graph.
 */
#include "qnn/qnn.h"

/* What a layout op that is on its way does: some order of axes; where it brings the channels, which with three axes may
 * be both. */
enum { ORDERED = 1, CHANNELS_FIRST = 2, CHANNELS_LAST = 4, CHANNELS = CHANNELS_FIRST | CHANNELS_LAST };

struct walk {
    struct npart__hand_back *to;
    const struct npart__graph *graph;
    const struct npart__session *session;
    const struct npart__policy *policy;
    struct npart__layout_lines lines;
    uint8_t *moved; /* by node: what a layout op does that the runtime moves after it; 0: there is none */
    bool *leads;    /* by node: a result reaches a layout op */
};

static const struct npart__fact *fact_of(const struct walk *at, uint32_t value)
{
    return value == NPART_NONE ? NULL : npart__fact_of(at->session->inference, value);
}

static uint32_t operand_of(const struct walk *at, uint32_t id, uint32_t index)
{
    return npart__live_operand(at->session, npart__node_at(at->graph, id), index);
}

static uint32_t result_of(const struct walk *at, uint32_t id)
{
    return npart__node_output(at->graph, npart__node_at(at->graph, id), 0);
}

static bool is_layout_op(const struct walk *at, uint32_t id)
{
    return npart__node_plays(at->graph, npart__node_at(at->graph, id), NPART__ROLE_REORDERS_AXES);
}

static bool is_reshape(const struct walk *at, uint32_t id)
{
    return npart__node_plays(at->graph, npart__node_at(at->graph, id), NPART__ROLE_RESHAPES);
}

static bool is_wrapped(const struct walk *at, uint32_t id)
{
    return npart__is_wrapped(at->to, &at->lines, id);
}

static bool goes_through(const struct walk *at, uint32_t id)
{
    return npart__goes_through(&at->lines, npart__node_at(at->graph, id));
}

/* Of the main graph, in the first round: of what is offered later the runtime has laid out what is before. */
static bool is_asked(const struct walk *at, uint32_t id)
{
    return npart__is_live(at->session, id) && at->session->round[id] == 0 && npart__node_region(at->graph, id) == 0;
}

/* ---- what is reached --------------------------------------------------------------------------------------- */

/* Whether the runtime would look past a user for a second layout op. Of the policy's own ops, as of a Gather, the first
 * operand alone has axes that are put in order. */
static bool leads_on(const struct walk *at, uint32_t user, uint32_t value)
{
    const struct npart__node *node = npart__node_at(at->graph, user);
    bool is_data = operand_of(at, user, 0) == value;
    if (!is_asked(at, user))
        return false;
    if ((is_layout_op(at, user) || is_wrapped(at, user)) && is_data)
        return true;
    return at->leads[user] &&
           (goes_through(at, user) ||
            (is_data && npart__is_among(node, at->to->ops + at->policy->first_op, at->policy->op_count)));
}

static bool reaches(const struct walk *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    for (uint32_t k = 0; k < node->output_count; k++) {
        uint32_t value = npart__node_output(at->graph, node, k);
        for (uint32_t i = 0; i < npart__user_count(at->session, value); i++)
            if (leads_on(at, npart__user(at->session, value, i), value))
                return true;
    }
    return false;
}

/* ---- what comes after a node ------------------------------------------------------------------------------ */

/* [0,3,1,2] brings the channels to the front, [0,2,3,1] to the end. */
static uint8_t channels_of(const int64_t *order, uint32_t rank)
{
    bool is_first = npart__brings_channels(order, rank, false), is_last = npart__brings_channels(order, rank, true);
    return (uint8_t)((is_first ? CHANNELS_FIRST : 0) | (is_last ? CHANNELS_LAST : 0));
}

/* The runtime lets any layout op past a Reshape that makes several axes of some, as [1,6,4] -> [1,3,2,4], and leaves
 * the others alone; not past one that adds axes of 1 at the end. The order after it moves channels unless the batch or
 * the channels themselves were divided. Sizes that are no numbers must be the same on both sides. */
static uint8_t past_reshape(const struct npart__fact *in, const struct npart__fact *out, uint8_t moved)
{
    uint32_t o = 0;
    if (!in || !out || !in->has_rank || !out->has_rank || out->rank <= in->rank)
        return 0;
    for (uint32_t i = 0; i < in->rank; i++) {
        bool is_last = i + 1 == in->rank;
        uint32_t first = o;
        int64_t product = o < out->rank ? out->dims[o++] : 0;
        while (!npart__same(product, in->dims[i])) {
            if (o == out->rank || !npart__is_number(product) || !npart__is_number(in->dims[i]) ||
                !npart__is_number(out->dims[o]) || product <= 0 || out->dims[o] > in->dims[i] / product)
                return 0;
            product *= out->dims[o++];
        }
        bool is_divided = o - first > 1;
        if (is_divided)
            moved &= (uint8_t) ~(i == 0 ? CHANNELS : (i == 1 ? CHANNELS_FIRST : 0) | (is_last ? CHANNELS_LAST : 0));
    }
    return o == out->rank ? moved : 0;
}

/* What the runtime takes an order of axes to cost: the axes that are not 1. */
static int64_t cost_of(const struct npart__fact *fact)
{
    int64_t cost = 0;
    for (uint32_t i = 0; fact && fact->has_rank && i < fact->rank; i++)
        cost += !npart__same(fact->dims[i], 1);
    return cost;
}

/* Past an op that works in any layout: what moves channels always, but for operands of any number, as of a Concat;
 * else where it is worth its while. An operand that is moved is no longer put in order, another one has to be, and so
 * has the result unless it reaches a layout op (DefaultCostCheck, PostLayoutTransformCostCheck). Where the rank
 * changes, the order after it is another, and is not followed. */
static uint8_t past_operands(const struct walk *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    const struct npart__fact *out = fact_of(at, result_of(at, id));
    struct npart__operand first;
    bool is_variadic = node->schema && npart__operator_input(node->schema, 0, &first) && first.is_variadic;
    int64_t cost = at->leads[id] ? 0 : cost_of(out);
    uint8_t any = 0;
    for (uint32_t k = 0; k < node->input_count; k++) {
        uint32_t value = operand_of(at, id, k), maker = npart__producer(at->graph, value);
        const struct npart__fact *in = fact_of(at, value);
        if (value == NPART_NONE || at->session->is_constant[value])
            continue;
        bool is_alike = in && out && in->has_rank && out->has_rank && in->rank == out->rank;
        uint8_t moved = maker != NPART_NONE && is_alike ? at->moved[maker] : 0;
        any |= moved;
        cost += moved ? -cost_of(in) : cost_of(in);
    }
    return cost < 0 || (any & CHANNELS && !is_variadic) ? any : 0;
}

static uint8_t order_after(const struct walk *at, uint32_t id)
{
    int64_t order[NPART__LIMIT_RANK];
    uint32_t rank, maker = npart__producer(at->graph, operand_of(at, id, 0));
    if (is_layout_op(at, id))
        return ORDERED | (npart__order_left(at->session, id, order, &rank) ? channels_of(order, rank) : 0);
    if (is_wrapped(at, id))
        return ORDERED | CHANNELS_FIRST;
    if (is_reshape(at, id))
        return maker == NPART_NONE ? 0
                                   : past_reshape(fact_of(at, operand_of(at, id, 0)), fact_of(at, result_of(at, id)),
                                                  at->moved[maker]);
    return goes_through(at, id) ? past_operands(at, id) : 0;
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

static bool is_flat(const struct walk *at, uint32_t id)
{
    const struct npart__fact *out = is_asked(at, id) && is_reshape(at, id) ? fact_of(at, result_of(at, id)) : NULL;
    return out && out->has_rank && out->rank == 1;
}

/* A layout op is right before it, or was moved there, and would be moved on: of one element where it moves channels. */
static bool is_met(const struct walk *at, uint32_t id)
{
    uint32_t value = operand_of(at, id, 0), maker = npart__producer(at->graph, value);
    uint8_t moved = maker == NPART_NONE ? 0 : at->moved[maker];
    return moved & CHANNELS || (moved && cost_of(fact_of(at, value)) > 0);
}

/* Few graphs have such a Reshape: without one nothing is walked. */
bool npart__apply_flat(struct npart__hand_back *to, const struct npart__partitioning *partitioning,
                       const struct npart__policy *policy, bool *changed)
{
    (void)partitioning;
    /* What the pass finds, and not what it leaves. */
    const struct npart__session *session = to->request->unmoved ? to->request->unmoved : to->request->session;
    struct walk at = {.to = to, .graph = session->graph, .session = session, .policy = policy};
    const struct npart__graph *graph = at.graph;
    bool is_any = false;
    for (uint32_t i = 0; i < graph->order_count && !is_any; i++)
        is_any = is_flat(&at, graph->order[i]) && to->request->accepted[graph->order[i]];
    if (!is_any)
        return true;
    at.moved = npart__arena_zeroed(to->arena, graph->nodes.count + (size_t)1, sizeof *at.moved);
    at.leads = npart__arena_zeroed(to->arena, graph->nodes.count + (size_t)1, sizeof *at.leads);
    if (!at.moved || !at.leads || !npart__find_layout_lines(to, &at.lines))
        return false;
    for (uint32_t i = graph->order_count; i-- > 0;)
        at.leads[graph->order[i]] = is_asked(&at, graph->order[i]) && reaches(&at, graph->order[i]);
    for (uint32_t i = 0; i < graph->order_count; i++)
        at.moved[graph->order[i]] = is_asked(&at, graph->order[i]) ? order_after(&at, graph->order[i]) : 0;
    for (uint32_t i = 0; i < graph->order_count; i++) {
        uint32_t id = graph->order[i];
        if (!to->request->accepted[id] || !is_flat(&at, id) || !is_met(&at, id) || !at.leads[id])
            continue;
        npart__hand_back_node(to, id, policy->rule);
        *changed = true;
    }
    return true;
}
