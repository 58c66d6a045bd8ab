/* SPDX-License-Identifier: Apache-2.0
 *
 * Transposes that the runtime leaves between a QuantizeLinear and what dequantizes, of integers.
 *
 * In DequantizeLinear -> Transpose -> QuantizeLinear it moves the Transpose past the QuantizeLinear where one of
 * the nodes after it leads to a Transpose that undoes it (onnx_transpose_optimization.cc, ProcessTranspose), and
 * makes a conversion of the first and the last, which notes nothing (held.c). Past each DequantizeLinear that leads
 * to any Transpose it goes on; the others, of which each node has one of its own, have it before them. The first of
 * all in the runtime's order says what they are held as: one that the Transpose goes past reads the conversion's
 * result as quantized, and so does the Transpose then; before another one the Transpose is looked at, finds nothing
 * noted, and all are plain integers, which no unit reads. What gets a layout of its own has a Transpose before it,
 * too; one between channels first and last goes on past all of them when layouts are changed.
 *
 * Asked of 330 drawn graphs of one Transpose with two or three branches after it, of UINT8 and UINT16, on SoC 60
 * and 37.
 */
#include "judge/answer.h"
#include "qnn/qnn.h"

struct finder {
    const struct npart__target *target;
    const struct npart__session *session;
    const struct npart__graph *graph;
    const struct npart__op_id *layout, *through; /* the list's, in the graph */
    uint32_t *meetings;                          /* by node: what a Transpose before it meets, there or later */
};

/* Else the id of a Transpose, plus one. */
enum { MEETS_NONE = 0, MEETS_LAYOUT = UINT32_MAX - 1, MEETS_SEVERAL = UINT32_MAX };

/* The operand of the node that makes the value, where that plays the role; else NPART_NONE. */
static uint32_t made_from(const struct npart__graph *graph, uint32_t value, enum npart__role role)
{
    uint32_t producer = value == NPART_NONE ? NPART_NONE : npart__producer(graph, value);
    const struct npart__node *node = producer == NPART_NONE ? NULL : npart__node_at(graph, producer);
    return node && node->input_count && npart__node_plays(graph, node, role) ? npart__node_input(graph, node, 0)
                                                                            : NPART_NONE;
}

/* Of a value that is quantized after a Transpose of what is dequantized: what the Transpose makes; else NPART_NONE. */
static uint32_t turned_before(const struct npart__graph *graph, uint32_t value)
{
    uint32_t turned = made_from(graph, value, NPART__ROLE_QUANTIZES);
    uint32_t read = made_from(graph, turned, NPART__ROLE_REORDERS_AXES);
    return made_from(graph, read, NPART__ROLE_DEQUANTIZES) == NPART_NONE ? NPART_NONE : turned;
}

bool npart__has_shared_transposes(const struct npart__session *session)
{
    const struct npart__graph *graph = session->graph;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        uint32_t result = node->output_count ? npart__node_output(graph, node, 0) : NPART_NONE;
        if (!npart__is_live(session, i) || turned_before(graph, result) == NPART_NONE)
            continue;
        uint32_t uses = npart__value_at(graph, result)->is_graph_output;
        for (uint32_t k = 0; k < npart__user_count(session, result); k++) {
            const struct npart__node *user = npart__node_at(graph, npart__user(session, result, k));
            uint32_t made = user->output_count ? npart__node_output(graph, user, 0) : NPART_NONE;
            uses += made == NPART_NONE ? 1 : npart__user_count(session, made);
        }
        if (uses > 1)
            return true;
    }
    return false;
}

static bool have_same_order(const struct npart__session *session, uint32_t a, uint32_t b)
{
    int64_t orders[2][NPART__LIMIT_RANK];
    uint32_t ranks[2];
    return npart__order_left(session, a, orders[0], &ranks[0]) &&
           npart__order_left(session, b, orders[1], &ranks[1]) && ranks[0] == ranks[1] &&
           memcmp(orders[0], orders[1], ranks[0] * sizeof *orders[0]) == 0;
}

/* Of what is met in two ways: a Transpose of the model counts more than a layout. */
static uint32_t both(const struct npart__session *session, uint32_t a, uint32_t b)
{
    if (a == MEETS_NONE || a == b)
        return b;
    if (b == MEETS_NONE || b == MEETS_LAYOUT)
        return a;
    if (a == MEETS_LAYOUT)
        return b;
    return a != MEETS_SEVERAL && b != MEETS_SEVERAL && have_same_order(session, a - 1, b - 1) ? a : MEETS_SEVERAL;
}

/* What any user of the node's results meets. */
static uint32_t met_after(const struct finder *at, const struct npart__node *node)
{
    uint32_t meets = MEETS_NONE;
    for (uint32_t k = 0; k < node->output_count; k++) {
        uint32_t value = npart__node_output(at->graph, node, k);
        for (uint32_t i = 0; value != NPART_NONE && i < npart__user_count(at->session, value); i++)
            meets = both(at->session, meets, at->meetings[npart__user(at->session, value, i)]);
    }
    return meets;
}

/* Back from the results. */
static void find_meetings(const struct finder *at, const struct npart__in_order *live)
{
    for (uint32_t i = live->order_count; i-- > 0;) {
        uint32_t id = live->order[i];
        const struct npart__node *node = npart__node_at(at->graph, id);
        if (npart__node_plays(at->graph, node, NPART__ROLE_REORDERS_AXES))
            at->meetings[id] = id + 1;
        else if (npart__works_in_either_layout(at->target, at->through, at->graph, node))
            at->meetings[id] = met_after(at, node);
        else if (npart__is_among(node, at->layout, at->target->oplist->layout_ops.count))
            at->meetings[id] = MEETS_LAYOUT;
    }
}

/* Whether nothing is left of two that meet. MAYBE: it cannot be told. */
static enum npart__truth undoes(const struct finder *at, const int64_t *order, uint32_t rank, uint32_t meets)
{
    int64_t other[NPART__LIMIT_RANK];
    uint32_t other_rank;
    if (meets == MEETS_NONE || meets == MEETS_LAYOUT)
        return NPART__FALSE;
    if (meets == MEETS_SEVERAL || !npart__order_left(at->session, meets - 1, other, &other_rank) ||
        other_rank != rank)
        return NPART__MAYBE;
    return npart__truth_of(npart__orders_cancel(order, other, rank));
}

/* What is known of a quantized value, by what uses it so far. */
enum { GOES_ON = 1, STAYS = 2, STAYS_FIRST = 4, IS_UNDONE = 8, IS_UNTOLD = 16 };

/* One more user, of what a DequantizeLinear makes of the value. A Transpose that stays before a Reshape which leads to
 * another one is looked at first, wherever it stands (13 drawn graphs): layouts are changed round it
 * (ort_transpose_optimization.cc, EPAwareHandleReshape). */
static unsigned use_by(const struct finder *at, uint32_t user, const int64_t *order, uint32_t rank, unsigned before)
{
    const struct npart__node *node = npart__node_at(at->graph, user);
    enum npart__truth is_undone = undoes(at, order, rank, at->meetings[user]);
    unsigned uses = before | (is_undone == NPART__TRUE ? IS_UNDONE : 0) |
                    (is_undone == NPART__MAYBE ? IS_UNDONE | IS_UNTOLD : 0);
    if (at->meetings[user] != MEETS_NONE)
        return uses | GOES_ON;
    bool is_reshaped = npart__node_plays(at->graph, node, NPART__ROLE_RESHAPES) && met_after(at, node) != MEETS_NONE;
    return uses | STAYS | (is_reshaped || !(before & (GOES_ON | STAYS)) ? STAYS_FIRST : 0);
}

/* Where the Transpose moves on and has to stay as well. A result of the graph is met by nobody, and its place in the
 * order is not known. */
static void hold(const struct finder *at, uint32_t value, unsigned uses, struct npart__beyond *beyond)
{
    bool is_output = npart__value_at(at->graph, value)->is_graph_output;
    if (!(uses & IS_UNDONE) || (!(uses & STAYS) && !is_output))
        return;
    beyond->held[value] = (uses & IS_UNTOLD) || is_output ? NPART__HELD_UNKNOWN
                          : uses & STAYS_FIRST            ? NPART__HELD_PLAIN
                                                          : NPART__HELD_QUANTIZED;
}

/* In the runtime's order. `uses` by value. */
static void find_uses(const struct finder *at, const struct npart__in_order *live, uint8_t *uses)
{
    for (uint32_t i = 0; i < live->order_count; i++) {
        const struct npart__node *node = npart__node_at(at->graph, live->order[i]);
        for (uint32_t k = 0; k < node->input_count; k++) {
            int64_t order[NPART__LIMIT_RANK];
            uint32_t rank;
            uint32_t value = made_from(at->graph, npart__node_input(at->graph, node, k), NPART__ROLE_DEQUANTIZES);
            uint32_t turned = value == NPART_NONE ? NPART_NONE : turned_before(at->graph, value);
            if (turned != NPART_NONE &&
                npart__order_left(at->session, npart__producer(at->graph, turned), order, &rank) &&
                !npart__moves_channels(order, rank))
                uses[value] = (uint8_t)use_by(at, live->order[i], order, rank, uses[value]);
        }
    }
}

bool npart__hold_transposes(const struct npart__target *target, const struct npart__in_order *live,
                            const struct npart__op_id *layout, const struct npart__op_id *through,
                            struct npart__arena *arena, struct npart__beyond *beyond)
{
    const struct npart__graph *graph = live->session->graph;
    struct finder at = {
        .target = target, .session = live->session, .graph = graph, .layout = layout, .through = through};
    uint8_t *uses = npart__arena_zeroed(arena, graph->values.count + (size_t)1, sizeof *uses);
    at.meetings = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *at.meetings);
    if (!uses || !at.meetings)
        return false;
    find_meetings(&at, live);
    find_uses(&at, live, uses);
    for (uint32_t value = 0; value < graph->values.count; value++)
        hold(&at, value, uses[value], beyond);
    return true;
}
