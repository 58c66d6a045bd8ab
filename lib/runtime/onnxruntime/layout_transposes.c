/* SPDX-License-Identifier: Apache-2.0
 *
 * Transposes that the runtime itself puts round an operator of a `layout` line that is taken: one before it, to
 * channels last, and one after it, back again. Both are taken with it, but the one after it moves on past every node
 * that works in either layout, nodes on the CPU among them; past such a node it is a partition of its own where no
 * node that is taken needs what it makes. And Transposes of the model that move channels, which go on in the same way:
 * such a one is gone where it stood, as is a DequantizeLinear and a QuantizeLinear that it kept apart. Others are
 * model_transposes.c's, where they meet.
 *
 * Modelled on onnxruntime/core/optimizer: layout_transformation/layout_transformation.cc, which wraps the operators and
 * moves what turns channels whatever it costs; transpose_optimization/onnx_transpose_optimization.cc, which walks the
 * nodes once in order and moves what is before a node to after it, with the inverse before its other operands.
 *
 * Conv -> Erf on a chip without Erf is Transpose, Conv | Erf | Transpose: two partitions. In Conv -> Erf -> MaxPool the
 * Transpose after the Erf and the one before the MaxPool cancel. So a value is here either as the file has it, or
 * *turned*: what its producer makes has another order of axes, and a Transpose that is still on its way brings it
 * back.
 *
 * A Transpose that comes to rest is put into the graph by the order that changes nothing, [0,1,2,3]: so all that is
 * known of sizes holds, and which order it is decides nothing after this.
 */
#include "onnxruntime/onnxruntime.h"
#include "onnxruntime/turn.h"

/* Orders in which the operands of one node come. */
#define MOST_TURNS 32u

struct inverse {
    struct npart__use use;
    uint32_t next; /* of the same value, plus one */
};

struct layer {
    struct npart__plan *plan;
    const struct npart__session *session;
    const struct npart__graph *graph; /* the session's */
    const struct npart__op_id *layout, *through, *moved;
    struct npart__turn **turns; /* by value; NULL: as the file has it */
    bool *leads;         /* by value: what uses it leads to a Transpose */
    uint8_t *goes;       /* by value: 1 where a Transpose may go on past all that uses it, 2 where not; 0: not asked */
    uint32_t *places;    /* by use: which operand it is (npart__list_places) */
    bool *is_turned;     /* by node: it works on turned operands */
    bool has_laid;       /* an operator of a `layout` line is taken */
    uint32_t *joined;    /* by Transpose of the file: one that it has become one with; itself, mostly */
    bool *has_moved;     /* the same: it stands after a node on the CPU now, or has a pair after it */
    /* Operands that are turned before a node on the CPU; by value the first of them, plus one. */
    struct NPART__ARRAY(struct inverse) inverse;
    uint32_t *first_inverse;
    struct NPART__ARRAY(uint32_t) undone; /* Transposes of the file that cancel */
    struct NPART__ARRAY(struct npart__use) uses;
    struct npart__expansions added;
};

/* False when out of memory. What makes a second result, which the standard does not know, stays. */
static bool drop(struct layer *at, uint32_t id)
{
    return !npart__has_one_result(at->graph, npart__node_at(at->graph, id)) ||
           NPART__PUSH(at->plan->arena, &at->undone, id);
}

/* ---- what a node does ------------------------------------------------------------------------------------- */

static const struct npart__fact *fact_of(const struct layer *at, uint32_t value)
{
    return npart__fact_of(at->session->inference, value);
}

/* Undecided nodes are on the CPU, as in the plan. */
static bool is_taken(const struct layer *at, uint32_t id)
{
    return at->plan->mask.verdicts[id] == NPART_VERDICT_NPU;
}

/* Its activations get the target's layout. */
static bool is_laid(const struct layer *at, const struct npart__node *node, uint32_t id)
{
    return is_taken(at, id) && npart__is_among(node, at->layout, at->plan->target.oplist->layout_ops.count) &&
           node->input_count > 0 && node->output_count > 0;
}

/* The runtime has a function that moves a Transpose past it. */
static bool is_through(const struct layer *at, const struct npart__node *node)
{
    return npart__is_among(node, at->through, at->plan->target.oplist->through_ops.count) ||
           npart__comes_from(node, NPART__WAY(CODES) | NPART__WAY(SQUEEZE) | NPART__WAY(UNSQUEEZE));
}

/* An operand that would have to be turned as well: no constant, no scalar, no list of sizes. */
static bool is_data(const struct layer *at, const struct npart__node *node, uint32_t index)
{
    uint32_t value = npart__node_input(at->graph, node, index);
    if (value == NPART_NONE || at->session->is_constant[value])
        return false;
    const struct npart__fact *fact = fact_of(at, value);
    return index == 0 || !fact->has_rank || fact->rank > 1 || (fact->rank == 1 && fact->element_type != NPART__INT64);
}

/* Axes of `rank` that the node names, by attribute or operand; false where they cannot be told, as of an operator of a
 * domain that the model does not import. Without any of both it means all. */
static bool axes_of(const struct layer *at, const struct npart__node *node, uint32_t rank, bool *is_named)
{
    if (!node->schema)
        return false;
    const struct npart__attribute *list = npart__node_attribute(at->graph, node, "axes");
    uint32_t operand = node->input_count > 1 ? npart__node_input(at->graph, node, 1) : NPART_NONE;
    const struct npart__known *known = NULL;
    int64_t one = npart__node_int(at->graph, node, "axis", 0);
    bool has_one = npart__operator_attribute(node->schema, "axis", 4, &(struct npart__attribute_schema){0});
    if (operand != NPART_NONE) {
        struct npart__fact *fact = &at->session->inference->facts[operand];
        known = npart__elements(at->session->inference, fact);
        if (!known || !known->ints)
            return false;
    }
    bool is_given = list && list->type == NPART_ATTRIBUTE_INTS && !list->is_elided;
    const int64_t *items = known ? known->ints : is_given ? list->u.ints : &one;
    uint32_t count = known ? known->count : list ? list->count : has_one ? 1 : 0;
    memset(is_named, 0, NPART__MOST_AXES * sizeof *is_named);
    for (uint32_t i = 0; i < count; i++) {
        int64_t axis = items[i] < 0 ? items[i] + (int64_t)rank : items[i];
        if (axis < 0 || axis >= (int64_t)rank)
            return false;
        is_named[axis] = true;
    }
    for (uint32_t i = 0; count == 0 && i < rank; i++)
        is_named[i] = true;
    return true;
}

/* How a result is turned once the node works on what is turned so. False where the node stays as it is. */
static bool turn_result(const struct layer *at, const struct npart__node *node, uint32_t result,
                        const struct npart__turn *turn, struct npart__turn *out)
{
    bool is_named[NPART__MOST_AXES];
    const struct npart__fact *fact = fact_of(at, result);
    *out = *turn;
    if (!fact->has_rank || fact->rank > NPART__MOST_AXES)
        return false;
    /* Before opset 13 these see a matrix of what is before their axis and after it, and nothing may cross. */
    if (node->opset_version < 13 &&
        npart__comes_from(node, NPART__WAY(SOFTMAX) | NPART__WAY(LOG_SOFTMAX) | NPART__WAY(HARDMAX))) {
        int64_t axis = npart__node_int(at->graph, node, "axis", 1);
        axis += axis < 0 ? turn->rank : 0;
        for (uint32_t i = 0; i < turn->rank; i++)
            if (((int64_t)i < axis) != (turn->to[i] < axis))
                return false;
        return true;
    }
    if (fact->rank > turn->rank) {
        if (!npart__comes_from(node, NPART__WAY(UNSQUEEZE)) || !axes_of(at, node, fact->rank, is_named))
            return false;
        *out = npart__turn_with(turn, is_named, fact->rank);
    } else if (fact->rank < turn->rank) {
        if (!axes_of(at, node, turn->rank, is_named))
            return false;
        *out = npart__turn_without(turn, is_named);
    }
    return out->rank == fact->rank;
}

/* ---- what it costs ---------------------------------------------------------------------------------------- */

/* Axes of more than one element: what the runtime takes a Transpose to cost. */
static int weight_of(const struct layer *at, uint32_t value)
{
    const struct npart__fact *fact = fact_of(at, value);
    int weight = 0;
    if (!fact->has_rank)
        return 5;
    for (uint32_t i = 0; i < fact->rank; i++)
        weight += fact->dims[i] != 1;
    return weight;
}

/* Each of the users may ask. */
static bool may_go(const struct layer *at, uint32_t value)
{
    bool may = !npart__value_at(at->graph, value)->is_graph_output;
    for (uint32_t i = 0; !at->goes[value] && may && i < npart__user_count(at->session, value); i++) {
        const struct npart__node *user = npart__node_at(at->graph, npart__user(at->session, value, i));
        may = is_through(at, user) || npart__node_plays(at->graph, user, NPART__ROLE_REORDERS_AXES);
    }
    if (!at->goes[value])
        at->goes[value] = may ? 1 : 2;
    return at->goes[value] == 1;
}

/* What moves channels goes past any node but a Concat; all else where fewer axes are turned then (CalculateCost). */
static bool is_worth_it(const struct layer *at, const struct npart__node *node, const struct npart__turn *turn)
{
    int cost = 0, most = 0;
    bool leads = false;
    if (npart__turns_channels(turn) && !npart__comes_from(node, NPART__WAY(CONCAT)))
        return true;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        const struct npart__turn *own = is_data(at, node, i) ? at->turns[value] : NULL;
        if (own)
            cost -= npart__turn_alike(own, turn) && may_go(at, value) ? weight_of(at, value) : 0;
        else if (is_data(at, node, i))
            cost += weight_of(at, value);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(at->graph, node, i);
        if (value == NPART_NONE)
            continue;
        leads |= at->leads[value];
        most = weight_of(at, value) > most ? weight_of(at, value) : most;
    }
    return cost < 0 && cost + (leads ? 0 : most) < 0;
}

/* ---- the walk --------------------------------------------------------------------------------------------- */

/* From the end: a value leads to a Transpose where one uses it, or a node that turns what it makes with it. */
static void find_leading(const struct layer *at)
{
    for (uint32_t i = at->graph->order_count; i-- > 0;) {
        const struct npart__node *node = npart__node_at(at->graph, at->graph->order[i]);
        bool is_end = is_laid(at, node, at->graph->order[i]) ||
                      (npart__node_plays(at->graph, node, NPART__ROLE_REORDERS_AXES) && node->input_count > 0);
        npart__lead_back(at->graph, node, is_end, is_through(at, node), at->leads);
    }
}

/* False when out of memory. What changes nothing is no Transpose. */
static bool turn_value(struct layer *at, uint32_t value, const struct npart__turn *turn)
{
    if (value == NPART_NONE || npart__turns_nothing(turn))
        return true;
    at->turns[value] = npart__arena_allocate(at->plan->arena, sizeof **at->turns);
    if (at->turns[value])
        *at->turns[value] = *turn;
    return at->turns[value] != NULL;
}

/* The operands of a node on the CPU that works on what is turned: one that is not gets a Transpose of its own. Before a
 * node that is taken it would be taken with it. False when out of memory. */
static bool turn_operands(struct layer *at, const struct npart__node *node, uint32_t id)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        if (is_taken(at, id) || !is_data(at, node, i) || at->turns[value])
            continue;
        const struct inverse made = {.use = {.node = id, .index = i}, .next = at->first_inverse[value]};
        if (!NPART__PUSH(at->plan->arena, &at->inverse, made))
            return false;
        at->first_inverse[value] = at->inverse.count;
    }
    return true;
}

/* Whether one of these does the same; else it is one more of them, or there are too many. */
static bool is_tried(const struct npart__turn **tried, uint32_t *count, const struct npart__turn *turn)
{
    for (uint32_t i = 0; i < *count; i++)
        if (npart__turn_alike(tried[i], turn))
            return true;
    if (*count == MOST_TURNS)
        return true;
    tried[(*count)++] = turn;
    return false;
}

/* The Transpose that one of the file is one with by now. */
static uint32_t origin_of(const struct layer *at, uint32_t origin)
{
    while (at->joined[origin] != origin)
        origin = at->joined[origin] = at->joined[at->joined[origin]];
    return origin;
}

static void note_moved(const struct layer *at, const struct npart__turn *turn)
{
    if (turn->origin)
        at->has_moved[origin_of(at, turn->origin - 1)] = true;
}

/* Operands that are turned in one way: what turned them becomes one Transpose after the node. */
static void join_origins(const struct layer *at, const struct npart__node *node, uint32_t id,
                         const struct npart__turn *turn)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        const struct npart__turn *other = is_data(at, node, i) ? at->turns[value] : NULL;
        if (!other || !other->origin || !npart__turn_alike(other, turn))
            continue;
        uint32_t from = origin_of(at, other->origin - 1), into = turn->origin ? origin_of(at, turn->origin - 1) : from;
        at->has_moved[into] |= at->has_moved[from] || !is_taken(at, id);
        at->joined[from] = into;
    }
}

/* By the first of its operands with a Transpose before it that can move past the node. What cannot be moved for one
 * operand cannot be for another with the same order. */
static bool pass(struct layer *at, const struct npart__node *node, uint32_t id)
{
    struct npart__turn results[NPART__LIMIT_BODY_OPERANDS];
    const struct npart__turn *tried[MOST_TURNS];
    uint32_t count = 0;
    for (uint32_t i = 0; is_through(at, node) && i < node->input_count && node->output_count <= NPART__COUNT(results);
         i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        const struct npart__turn *turn = is_data(at, node, i) ? at->turns[value] : NULL;
        bool is_passed = turn && !is_tried(tried, &count, turn) && is_worth_it(at, node, turn);
        for (uint32_t k = 0; is_passed && k < node->output_count; k++) {
            uint32_t result = npart__node_output(at->graph, node, k);
            if (result == NPART_NONE)
                continue;
            is_passed = turn_result(at, node, result, turn, &results[k]);
            if (is_passed)
                results[k].is_past_cpu |= !is_taken(at, id);
        }
        if (!is_passed)
            continue;
        for (uint32_t k = 0; k < node->output_count; k++)
            if (!turn_value(at, npart__node_output(at->graph, node, k), &results[k]))
                return false;
        at->is_turned[id] = true;
        join_origins(at, node, id, turn);
        return turn_operands(at, node, id);
    }
    return true;
}

/* A node that turns what has been turned: both are none, or the second does the work of both and goes on, if it is
 * taken (HandleTransposeImpl). False when out of memory. */
static bool meet(struct layer *at, const struct npart__node *node, uint32_t id, const struct npart__turn *own)
{
    const struct npart__turn *turn = at->turns[npart__node_input(at->graph, node, 0)];
    struct npart__turn both = npart__turn_joined(turn, own);
    both.origin = id + 1;
    at->is_turned[id] = true;
    if (npart__turns_nothing(&both))
        return !turn->is_past_cpu || drop(at, id);
    if (turn->origin)
        note_moved(at, turn);
    return !is_taken(at, id) || turn_value(at, npart__node_output(at->graph, node, 0), &both);
}

/* A Transpose of the file after one that is on its way. */
static bool meet_transpose(struct layer *at, const struct npart__node *node, uint32_t id)
{
    int64_t order[NPART__LIMIT_RANK];
    uint32_t rank, operand = npart__node_input(at->graph, node, 0);
    struct npart__turn own = {.rank = at->turns[operand]->rank};
    if (id >= at->session->file->nodes.count || npart__node_output(at->graph, node, 0) == NPART_NONE ||
        !npart__order_left(at->session, id, order, &rank) || rank != own.rank)
        return true;
    for (uint32_t i = 0; i < rank; i++)
        own.to[i] = (uint8_t)order[i];
    return meet(at, node, id, &own);
}

/* A Reshape is one more Transpose where it moves axes of one element alone. One that is taken keeps batch and channels
 * where they are in either layout, and leads to another Transpose: that goes past it (EPAwareHandleReshape). Before any
 * other the Transpose stays. False when out of memory. */
static bool pass_reshape(struct layer *at, const struct npart__node *node, uint32_t id)
{
    uint32_t operand = npart__node_input(at->graph, node, 0), result = npart__node_output(at->graph, node, 0);
    const struct npart__fact *in = fact_of(at, operand), *out = result == NPART_NONE ? NULL : fact_of(at, result);
    const struct npart__turn *turn = at->turns[operand];
    struct npart__turn own;
    if (!out || !in->has_rank || !out->has_rank || in->rank < 2 || out->rank < 2 || out->rank > NPART__MOST_AXES)
        return true;
    if (is_taken(at, id) && at->leads[result] && in->rank <= 4 && npart__turns_channels(turn) &&
        npart__same(in->dims[0], out->dims[0])) {
        bool is_first = npart__same(in->dims[1], out->dims[1]);
        bool is_last = npart__same(in->dims[in->rank - 1], out->dims[out->rank - 1]);
        bool to_first = npart__turn_of_channels(in->rank, true).to[1] == turn->to[1];
        if ((to_first && is_first) || ((!to_first || in->rank == 3) && is_last)) {
            own = npart__turn_of_channels(out->rank, to_first && is_first);
            own.origin = turn->origin;
            own.is_past_cpu = turn->is_past_cpu;
            at->is_turned[id] = true;
            return turn_value(at, result, &own);
        }
    }
    return !npart__turn_of_reshape(in->dims, in->rank, out->dims, out->rank, &own) || meet(at, node, id, &own);
}

/* Whether another Transpose comes after nodes that have one user each. */
static bool leads_straight(const struct layer *at, uint32_t value)
{
    for (unsigned steps = 0; steps < NPART__LIMIT_LAYOUT_STEPS; steps++) {
        if (npart__value_at(at->graph, value)->is_graph_output || npart__user_count(at->session, value) != 1)
            return false;
        const struct npart__node *user = npart__node_at(at->graph, npart__user(at->session, value, 0));
        if (npart__node_plays(at->graph, user, NPART__ROLE_REORDERS_AXES))
            return true;
        if (!is_through(at, user) || user->output_count != 1 || npart__node_output(at->graph, user, 0) == NPART_NONE)
            return false;
        value = npart__node_output(at->graph, user, 0);
    }
    return false;
}

/* A Transpose of the file that is taken: one that moves channels the layout pass moves whatever it costs, any other
 * where it pays. Of a graph that gets no other layout some of these stay, and it is not known which, but of two with
 * nothing between that others use. */
static bool start(struct layer *at, const struct npart__node *node, uint32_t id)
{
    int64_t order[NPART__LIMIT_RANK];
    struct npart__turn own = {.origin = id + 1};
    uint32_t rank, result = node->output_count ? npart__node_output(at->graph, node, 0) : NPART_NONE;
    if (result == NPART_NONE || id >= at->session->file->nodes.count || !is_taken(at, id) ||
        !npart__is_among(node, at->moved, at->plan->target.oplist->moved_ops.count) ||
        npart__value_at(at->graph, result)->is_graph_output ||
        !npart__order_left(at->session, id, order, &rank) || rank > NPART__MOST_AXES)
        return true;
    own.rank = (uint8_t)rank;
    for (uint32_t i = 0; i < rank; i++)
        own.to[i] = (uint8_t)order[i];
    bool stays = !at->has_laid && !npart__turns_channels(&own) && !leads_straight(at, result);
    return stays || turn_value(at, result, &own);
}

/* False when out of memory. In the order of execution, as the runtime does; the main graph alone. */
static bool walk(struct layer *at)
{
    bool ok = true;
    for (uint32_t i = 0; ok && i < at->graph->order_count; i++) {
        uint32_t id = at->graph->order[i];
        const struct npart__node *node = npart__node_at(at->graph, id);
        if (!npart__is_live(at->session, id) || npart__node_region(at->graph, id) != 0)
            continue;
        if (is_laid(at, node, id)) {
            uint32_t operand = npart__node_input(at->graph, node, 0);
            const struct npart__fact *fact = operand == NPART_NONE ? NULL : fact_of(at, operand);
            if (!fact || !fact->has_rank || fact->rank < 3 || fact->rank > NPART__MOST_AXES)
                continue;
            struct npart__turn before = npart__turn_of_channels(fact->rank, false);
            struct npart__turn after = npart__turn_of_channels(fact->rank, true);
            at->is_turned[id] = at->turns[operand] && npart__turns_cancel(at->turns[operand], &before);
            ok = turn_value(at, npart__node_output(at->graph, node, 0), &after);
            continue;
        }
        uint32_t operand = node->input_count ? npart__node_input(at->graph, node, 0) : NPART_NONE;
        bool meets = operand != NPART_NONE && at->turns[operand];
        if (npart__node_plays(at->graph, node, NPART__ROLE_REORDERS_AXES) && operand != NPART_NONE)
            ok = meets ? meet_transpose(at, node, id) : start(at, node, id);
        else if (meets && npart__node_plays(at->graph, node, NPART__ROLE_RESHAPES))
            ok = pass_reshape(at, node, id);
        else
            ok = pass(at, node, id);
    }
    return ok;
}

/* ---- where they rest -------------------------------------------------------------------------------------- */

/* Whether a node works on what a value's producer makes, with other axes than the file's. */
static bool takes_turned(const struct layer *at, const struct npart__node *node, uint32_t id, uint32_t index)
{
    bool is_first_alone = is_laid(at, node, id) || npart__node_plays(at->graph, node, NPART__ROLE_REORDERS_AXES);
    return at->is_turned[id] && (is_first_alone ? index == 0 : is_data(at, node, index));
}

/* Users that need the value as the file has it (or, `turned`, the others) into the list of uses. False when out of
 * memory. */
static bool list_users(struct layer *at, uint32_t value, bool turned, bool *is_by_npu)
{
    const uint32_t *places = at->places + npart__value_at(at->graph, value)->first_consumer;
    for (uint32_t i = 0; i < npart__user_count(at->session, value); i++) {
        const struct npart__use use = {.node = npart__user(at->session, value, i), .index = places[i]};
        const struct npart__node *node = npart__node_at(at->graph, use.node);
        if (takes_turned(at, node, use.node, use.index) != turned)
            continue;
        *is_by_npu |= is_taken(at, use.node) || use.index >= node->input_count || npart__is_copy(at->graph, use.node);
        if (!NPART__PUSH(at->plan->arena, &at->uses, use))
            return false;
    }
    return true;
}

/* A tensor of integers that is not held as a quantized one, which the provider does not transpose. */
static bool is_plain(const struct layer *at, uint32_t value)
{
    const struct npart__beyond *beyond = &at->plan->mask.beyond;
    int type = fact_of(at, value)->element_type;
    return beyond->held && beyond->graph == at->graph && type >= NPART__UINT8 && type <= NPART__INT16 &&
           (beyond->held[value] == NPART__HELD_NONE || beyond->held[value] == NPART__HELD_PLAIN);
}

/* One that rests after a node on the CPU, where no node that is taken waits for it: it would be in that node's
 * partition. After what dequantizes the runtime makes a QDQ node unit of it, where one node at most needs it
 * (TryFixTransposeMissingQ), with which that is taken. Where the value is the graph's result, the Transpose makes it,
 * and those that work on what is turned take what the node makes. False when out of memory. */
static bool add_after(struct layer *at, uint32_t id, uint32_t value)
{
    struct npart__expansion made = {.node = id, .value = value, .rank = fact_of(at, value)->rank};
    uint32_t first = at->uses.count, needing = 0;
    bool is_by_npu = false, is_output = npart__value_at(at->graph, value)->is_graph_output;
    if (at->turns[value]) {
        if (!list_users(at, value, false, &is_by_npu))
            return false;
        needing = at->uses.count - first;
        made.makes_value = is_output;
        if (is_output) {
            bool is_any = false;
            at->uses.count = first;
            if (!list_users(at, value, true, &is_any))
                return false;
        }
    } else {
        for (uint32_t i = at->first_inverse[value]; i; i = at->inverse.items[i - 1].next)
            if (!NPART__PUSH(at->plan->arena, &at->uses, at->inverse.items[i - 1].use))
                return false;
    }
    made.use_count = at->uses.count - first;
    made.requantizes = npart__node_plays(at->graph, npart__node_at(at->graph, id), NPART__ROLE_DEQUANTIZES);
    bool is_known = made.requantizes ? needing <= 1 : !is_by_npu && !is_plain(at, value);
    if (!is_known || (made.use_count == 0 && !made.makes_value)) {
        at->uses.count = first;
        return true;
    }
    if (at->turns[value])
        note_moved(at, at->turns[value]);
    return NPART__PUSH(at->plan->arena, &at->added.items, made);
}

/* What dequantizes what the CPU makes is taken by itself, and then it is not: a partition of one such node is none. */
static bool stays_alone(const struct layer *at, const struct npart__node *node)
{
    uint32_t producer = npart__producer(at->graph, npart__node_input(at->graph, node, 0));
    return npart__node_plays(at->graph, node, NPART__ROLE_DEQUANTIZES) && producer != NPART_NONE &&
           !is_taken(at, producer);
}

/* What dequantizes, and has a Transpose of the model moved past it, which stays there: for the graph's output, or for
 * the one node that uses it and lets no Transpose past. It is given a pair, which makes a QDQ node unit of it. */
static bool ends_turned(const struct layer *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    const struct npart__beyond *beyond = &at->plan->mask.beyond;
    uint32_t operand = node->input_count ? npart__node_input(at->graph, node, 0) : NPART_NONE;
    uint32_t result = node->output_count ? npart__node_output(at->graph, node, 0) : NPART_NONE;
    if (!beyond->turned || beyond->graph != at->graph || operand == NPART_NONE || result == NPART_NONE ||
        !npart__node_plays(at->graph, node, NPART__ROLE_DEQUANTIZES) || !npart__is_live(at->session, id) ||
        npart__node_region(at->graph, id) != 0 || !beyond->turned[operand] || !fact_of(at, result)->has_rank ||
        (at->turns[result] && !at->turns[result]->origin) || beyond->held[operand] == NPART__HELD_PLAIN)
        return false;
    uint32_t users = npart__user_count(at->session, result);
    if (npart__value_at(at->graph, result)->is_graph_output)
        return users == 0;
    uint32_t user = users == 1 ? npart__user(at->session, result, 0) : NPART_NONE;
    const struct npart__node *to = user == NPART_NONE ? NULL : npart__node_at(at->graph, user);
    return to && !is_taken(at, user) && !is_through(at, to) &&
           !npart__node_plays(at->graph, to, NPART__ROLE_REORDERS_AXES) &&
           !npart__node_plays(at->graph, to, NPART__ROLE_RESHAPES);
}

/* False when out of memory. */
static bool add_pair(struct layer *at, uint32_t id)
{
    uint32_t value = npart__node_output(at->graph, npart__node_at(at->graph, id), 0);
    struct npart__expansion made = {.node = id, .value = value, .rank = fact_of(at, value)->rank, .requantizes = true};
    made.makes_value = npart__value_at(at->graph, value)->is_graph_output;
    if (!made.makes_value) {
        const struct npart__use use = {.node = npart__user(at->session, value, 0),
                                       .index = at->places[npart__value_at(at->graph, value)->first_consumer]};
        made.use_count = 1;
        if (!NPART__PUSH(at->plan->arena, &at->uses, use))
            return false;
    }
    return NPART__PUSH(at->plan->arena, &at->added.items, made);
}

/* A Transpose of integers, or before what quantizes, that is somewhere else for all that uses it; a DequantizeLinear
 * and a QuantizeLinear that undo one another. */
static bool is_gone(const struct layer *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    uint32_t result = node->output_count ? npart__node_output(at->graph, node, 0) : NPART_NONE;
    uint32_t operand = node->input_count ? npart__node_input(at->graph, node, 0) : NPART_NONE;
    /* What a copy makes stands for nothing in the file. */
    if (result == NPART_NONE || operand == NPART_NONE || operand >= at->session->file->values.count ||
        !npart__is_live(at->session, id) || npart__node_region(at->graph, id) != 0)
        return false;
    const struct npart__value *value = npart__value_at(at->graph, result);
    const uint32_t *source = at->plan->mask.beyond.source;
    uint32_t users = npart__user_count(at->session, result);
    uint32_t first = users ? npart__user(at->session, result, 0) : NPART_NONE;
    /* Of one that the session has copied for each of its users the pair stays. */
    bool quantizes = npart__node_plays(at->graph, node, NPART__ROLE_QUANTIZES);
    uint32_t between = quantizes ? npart__node_input(at->graph, node, 0) : result;
    if (!npart__node_plays(at->graph, node, NPART__ROLE_REORDERS_AXES) &&
        (between >= at->session->file->values.count ||
         npart__value_at(at->session->file, between)->consumer_count != 1))
        return false;
    if (npart__node_plays(at->graph, node, NPART__ROLE_DEQUANTIZES))
        return users == 1 && npart__node_plays(at->graph, npart__node_at(at->graph, first), NPART__ROLE_QUANTIZES) &&
               is_gone(at, first);
    if (source[result] == NPART_NONE || value->is_graph_output)
        return false;
    const uint8_t *turned = at->plan->mask.beyond.turned;
    if (npart__node_plays(at->graph, node, NPART__ROLE_REORDERS_AXES) && turned[operand] && !turned[result])
        return true; /* undone by one that has come to it */
    int type = fact_of(at, result)->element_type;
    bool is_integer = type == NPART__UINT8 || type == NPART__INT8;
    for (uint32_t i = 0; i < users; i++) {
        const struct npart__node *user = npart__node_at(at->graph, npart__user(at->session, result, i));
        bool goes = is_through(at, user) &&
                    (is_integer || npart__node_plays(at->graph, user, NPART__ROLE_QUANTIZES));
        if (npart__node_plays(at->graph, node, NPART__ROLE_REORDERS_AXES) && !goes)
            return false;
    }
    return true;
}

/* False when out of memory. */
static bool drop_gone(struct layer *at)
{
    const struct npart__beyond *beyond = &at->plan->mask.beyond;
    for (uint32_t id = 0; beyond->source && beyond->graph == at->graph && id < at->session->file->nodes.count; id++)
        if (is_gone(at, id) && !drop(at, id))
            return false;
    return true;
}

/* Whether all that uses the value works on what is turned. */
static bool is_left(const struct layer *at, uint32_t value)
{
    const uint32_t *places = at->places + npart__value_at(at->graph, value)->first_consumer;
    uint32_t users = npart__user_count(at->session, value);
    bool is = users > 0 && !npart__value_at(at->graph, value)->is_graph_output;
    for (uint32_t i = 0; is && i < users; i++) {
        uint32_t user = npart__user(at->session, value, i);
        is = takes_turned(at, npart__node_at(at->graph, user), user, places[i]);
    }
    return is;
}

/* What dequantizes before the Transpose, and the one node after it that quantizes again with the same numbers: with
 * nothing between them both go, too. False when out of memory. */
static bool drop_pair(struct layer *at, uint32_t operand, uint32_t result)
{
    uint32_t before = npart__producer(at->graph, operand), after = npart__user(at->session, result, 0);
    if (before == NPART_NONE || before >= at->session->file->nodes.count || !npart__is_live(at->session, before) ||
        npart__user_count(at->session, operand) != 1 || npart__user_count(at->session, result) != 1 ||
        npart__value_at(at->graph, operand)->is_graph_output ||
        !npart__undoes(at->session, npart__node_at(at->graph, before), npart__node_at(at->graph, after)))
        return true;
    uint32_t made = npart__node_output(at->graph, npart__node_at(at->graph, after), 0);
    if (made == NPART_NONE || npart__value_at(at->graph, made)->is_graph_output ||
        npart__user_count(at->session, made) != 1)
        return true;
    return drop(at, before) && drop(at, after);
}

/* Transposes of the file that stand somewhere else for all that used what they made. False when out of memory. */
static bool drop_moved(struct layer *at)
{
    for (uint32_t i = 0; i < at->graph->order_count; i++) {
        uint32_t id = at->graph->order[i];
        const struct npart__node *node = npart__node_at(at->graph, id);
        uint32_t result = node->output_count ? npart__node_output(at->graph, node, 0) : NPART_NONE;
        const struct npart__turn *turn = result == NPART_NONE ? NULL : at->turns[result];
        if (!turn || turn->origin != id + 1 || !at->has_moved[origin_of(at, id)] || !is_left(at, result))
            continue;
        if (!drop(at, id) ||
            !drop_pair(at, npart__node_input(at->graph, node, 0), result))
            return false;
    }
    return true;
}

/* After nodes on the CPU, in the order of nodes. After what quantizes none rests. False when out of memory. */
static bool add_all(struct layer *at)
{
    uint32_t first = 0;
    for (uint32_t id = 0; id < at->session->file->nodes.count; id++) {
        const struct npart__node *node = npart__node_at(at->graph, id);
        if (ends_turned(at, id)) {
            if (!add_pair(at, id))
                return false;
            continue;
        }
        if (!npart__is_live(at->session, id) || npart__node_region(at->graph, id) != 0 ||
            (is_taken(at, id) && !stays_alone(at, node)) || npart__node_plays(at->graph, node, NPART__ROLE_QUANTIZES))
            continue;
        for (uint32_t k = 0; k < node->output_count; k++) {
            uint32_t value = npart__node_output(at->graph, node, k);
            if (value != NPART_NONE && fact_of(at, value)->has_rank && !add_after(at, id, value))
                return false;
        }
    }
    /* The list has moved while it grew. */
    for (uint32_t i = 0; i < at->added.items.count; i++) {
        struct npart__expansion *made = &at->added.items.items[i];
        made->uses = NPART__FROM(&at->uses, first);
        first += made->use_count;
    }
    return true;
}

/* Whether there is anything to do: a Transpose that passes no node on the CPU stays among nodes that are taken. */
static bool has_both(struct layer *at)
{
    bool has_any = false, has_cpu = false;
    for (uint32_t i = 0; i < at->graph->order_count; i++) {
        uint32_t id = at->graph->order[i];
        at->has_laid |= is_laid(at, npart__node_at(at->graph, id), id);
        has_any |= at->has_laid ||
                    (npart__is_among(npart__node_at(at->graph, id), at->moved,
                                     at->plan->target.oplist->moved_ops.count) &&
                     is_taken(at, id));
        has_cpu |= npart__is_live(at->session, id) && !is_taken(at, id);
    }
    return has_any && has_cpu;
}

/* After all is judged, since whether it matters depends on which nodes are taken. What was decided of other nodes
 * stays: the provider is asked again only about nodes that it has not claimed. */
npart_status npart__lay_transposes(struct npart__plan *plan, struct npart_error *error)
{
    const struct npart__oplist *oplist = plan->target.oplist;
    const struct npart__session before = plan->session;
    const struct npart__mask mask = plan->mask;
    plan->unmoved = plan->session;
    struct layer at = {.plan = plan, .session = &before, .graph = before.graph};
    size_t nodes = before.graph->nodes.count + (size_t)1, values = before.graph->values.count + (size_t)1;
    if (oplist->moved_ops.count == 0 || oplist->layout_ops.count == 0)
        return NPART_OK;
    at.layout = npart__find_ops(at.graph, oplist->layout_ops.items, oplist->layout_ops.count, plan->arena);
    at.through = npart__find_ops(at.graph, oplist->through_ops.items, oplist->through_ops.count, plan->arena);
    at.moved = npart__find_ops(at.graph, oplist->moved_ops.items, oplist->moved_ops.count, plan->arena);
    if (!at.layout || !at.through || !at.moved)
        return npart__fail_memory(error);
    if (!has_both(&at) && !mask.beyond.turned)
        return NPART_OK;
    at.turns = npart__arena_zeroed(plan->arena, values, sizeof *at.turns);
    at.leads = npart__arena_zeroed(plan->arena, values, sizeof *at.leads);
    at.goes = npart__arena_zeroed(plan->arena, values, sizeof *at.goes);
    at.first_inverse = npart__arena_zeroed(plan->arena, values, sizeof *at.first_inverse);
    at.is_turned = npart__arena_zeroed(plan->arena, nodes, sizeof *at.is_turned);
    at.joined = npart__arena_allocate(plan->arena, nodes * sizeof *at.joined);
    at.has_moved = npart__arena_zeroed(plan->arena, nodes, sizeof *at.has_moved);
    bool *asked = npart__arena_zeroed(plan->arena, nodes, sizeof *asked); /* again, what dequantizes before one */
    if (!at.joined || !at.has_moved || !at.turns || !at.leads || !at.goes || !at.first_inverse ||
        !at.is_turned || !asked)
        return npart__fail_memory(error);
    for (uint32_t i = 0; i < nodes; i++)
        at.joined[i] = i;
    find_leading(&at);
    at.places = npart__list_places(at.graph, before.fates, plan->arena);
    if (!at.places || !walk(&at) || !drop_gone(&at) || !add_all(&at) || !drop_moved(&at))
        return npart__fail_memory(error);
    if (at.added.items.count == 0 && at.undone.count == 0)
        return NPART_OK;
    npart_status status = npart__session_expand(&plan->session, at.added.items.items, at.added.items.count, 0,
                                                plan->arena, error);
    if (status == NPART_OK && !npart__session_undo(&plan->session, at.undone.items, at.undone.count, plan->arena))
        status = npart__fail_memory(error);
    for (uint32_t i = 0; i < at.added.items.count; i++)
        if (at.added.items.items[i].requantizes)
            asked[at.added.items.items[i].node] = true;
    return status == NPART_OK ? npart__judge_changed(plan, &mask, asked, error) : status;
}
