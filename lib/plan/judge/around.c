/* SPDX-License-Identifier: Apache-2.0
 *
 * Questions whose answers lie beyond a node's own operands.
 *
 * None of them is covered by what equivalent nodes have in common, so each calls npart__look_beyond. Each is bounded:
 * one node deep, or NPART__LIMIT_LAYOUT_STEPS along a chain.
 */
#include "judge/answer.h"

/* Whether a `unit` rule of an applied stage holds for the node. Nested, so that a rule which asks this of a node
 * cannot ask it of the next one, and so on through the graph. A unit rule that cannot be told makes no unit, as in
 * judge.c. */
static enum npart__truth find_unit(const struct npart__trial *trial, uint32_t node)
{
    const struct npart__oplist *oplist = trial->oplist;
    for (uint32_t stage = 0; stage < oplist->stage_count; stage++) {
        uint32_t entry = npart__entry_of(oplist, stage, trial->graph, npart__node_at(trial->graph, node));
        bool is_applied = trial->target->stages >> stage & 1;
        const struct npart__op_entry *op = !is_applied || entry == NPART_NONE ? NULL : &oplist->ops.items[entry];
        for (uint32_t i = op ? op->first_rule : 0; op && i < op->first_rule + op->rule_count; i++) {
            struct npart__trial other;
            npart__trial_init(&other, trial->target, trial->session, node);
            other.is_nested = true;
            other.beyond = trial->beyond;
            const struct npart__rule *rule = &oplist->rules.items[i];
            if (rule->kind == NPART_RULE_UNIT && npart__try_rule(&other, rule) == NPART__TRUE)
                return NPART__TRUE;
        }
    }
    return NPART__FALSE;
}

/* What the rules of a stage say of a node: those for every op, and those of its own. Notes, caps and `else fail` do
 * not keep a node from being claimed, so they are not asked. An unknown rule leaves the answer unknown, a failing
 * one ends it. Rules that speak for other targets hold at once (npart__try_rule). */
static enum npart__truth passes(struct npart__trial *trial, uint32_t first, uint32_t count)
{
    enum npart__truth worst = NPART__TRUE;
    for (uint32_t i = first; i < first + count && worst != NPART__FALSE; i++) {
        const struct npart__rule *rule = &trial->oplist->rules.items[i];
        bool is_asked = rule->kind == NPART_RULE_NEED && !rule->is_fatal;
        enum npart__truth truth = is_asked ? npart__try_rule(trial, rule) : NPART__TRUE;
        worst = truth < worst ? truth : worst;
    }
    return worst;
}

/* By its own rules, whatever it is a part of. */
static enum npart__truth find_taken(const struct npart__trial *trial, uint32_t producer)
{
    const struct npart__oplist *oplist = trial->oplist;
    enum npart__truth worst = NPART__TRUE;
    for (uint32_t stage = 0; stage < oplist->stage_count && worst != NPART__FALSE; stage++) {
        const struct npart__stage *at = &oplist->stages[stage];
        uint32_t entry = npart__entry_of(oplist, stage, trial->graph, npart__node_at(trial->graph, producer));
        /* Stages that are not applied have no say. */
        if (!(trial->target->stages >> stage & 1))
            continue;
        if (entry == NPART_NONE)
            return NPART__FALSE; /* the stage has no entry for its op */
        struct npart__trial other;
        npart__trial_init(&other, trial->target, trial->session, producer);
        other.is_nested = true;
        other.beyond = trial->beyond;
        enum npart__truth every = passes(&other, at->first_every, at->every_count);
        const struct npart__op_entry *op = &oplist->ops.items[entry];
        enum npart__truth own = passes(&other, op->first_rule, op->rule_count);
        worst = every < worst ? every : worst;
        worst = own < worst ? own : worst;
    }
    return worst;
}

/* An answer about a node, which is found once where it is kept. */
static enum npart__truth ask_once(const struct npart__trial *trial, uint32_t node, bool is_unit)
{
    const struct npart__beyond *at = trial->beyond && trial->beyond->graph == trial->graph ? trial->beyond : NULL;
    uint8_t *kept = !at ? NULL : is_unit ? &at->units[node] : &at->taken[node];
    if (kept && *kept)
        return (enum npart__truth)(*kept - 1);
    enum npart__truth truth = is_unit ? find_unit(trial, node) : find_taken(trial, node);
    if (kept && trial->keeps_answers)
        *kept = (uint8_t)(truth + 1);
    return truth;
}

/* A wide node has a unit with each of its operands, and is asked by all of them. */
bool npart__forms_unit(const struct npart__trial *trial, uint32_t node)
{
    return ask_once(trial, node, true) == NPART__TRUE;
}

enum npart__truth npart__taken_alone(const struct npart__trial *trial, uint32_t producer)
{
    return ask_once(trial, producer, false);
}

/* An input of the graph is made by no node, and not taken. What quantizes for a QDQ node unit is taken with its
 * operator. Asked from within such a question it would go on through the graph; there the answer is MAYBE. Two nodes
 * that ask it of each other end there, too. */
enum npart__truth npart__holds_taken(const struct npart__asked *asked)
{
    const struct npart__trial *trial = asked->trial;
    const struct npart__graph *graph = trial->graph;
    uint32_t producer = npart__producer(graph, asked->value);
    npart__look_beyond(trial);
    if (producer == NPART_NONE || trial->is_nested)
        return trial->is_nested ? NPART__MAYBE : NPART__FALSE;
    enum npart__truth truth = npart__taken_alone(trial, producer);
    if (!npart__node_plays(graph, npart__node_at(graph, producer), NPART__ROLE_QUANTIZES))
        return truth;
    uint32_t computed = npart__node_input(graph, npart__node_at(graph, producer), 0);
    uint32_t operator = npart__producer(graph, computed);
    if (operator == NPART_NONE || !npart__forms_unit(trial, operator))
        return truth;
    enum npart__truth whole = npart__taken_alone(trial, operator);
    return whole < truth ? whole : truth;
}

/* The nodes that use it are asked, each by its own rules. Linear in users, whose answers are kept. */
enum npart__truth npart__holds_left(const struct npart__asked *asked)
{
    const struct npart__trial *trial = asked->trial;
    uint32_t users = npart__user_count(trial->session, asked->value);
    enum npart__truth left = npart__truth_of(npart__value_at(trial->graph, asked->value)->is_graph_output);
    npart__look_beyond(trial);
    if (trial->is_nested)
        return NPART__MAYBE;
    for (uint32_t i = 0; left != NPART__TRUE && i < users && !npart__is_late_at(trial->inference->arena, i); i++) {
        enum npart__truth taken = npart__taken_alone(trial, npart__user(trial->session, asked->value, i));
        if (taken != NPART__TRUE)
            left = taken == NPART__FALSE ? NPART__TRUE : NPART__MAYBE;
    }
    return left;
}

/* An unused value is in no unit. Linear in users times the rules of their ops. */
enum npart__truth npart__holds_in_unit(const struct npart__asked *asked)
{
    const struct npart__trial *trial = asked->trial;
    uint32_t users = npart__user_count(trial->session, asked->value);
    npart__look_beyond(trial);
    if (trial->is_nested)
        return NPART__MAYBE;
    for (uint32_t i = 0; i < users && !npart__is_late_at(trial->inference->arena, i); i++) {
        uint32_t user = npart__user(trial->session, asked->value, i);
        if (!(trial->units && trial->units->unit_of[user]) && !npart__forms_unit(trial, user))
            return NPART__FALSE;
    }
    return users ? NPART__TRUE : NPART__FALSE;
}

enum npart__truth npart__holds_clamped(const struct npart__asked *asked)
{
    return npart__truth_of(npart__clamped_in_unit(asked->trial, asked->value) != NPART_NONE);
}

/* Of the Relu or Clip itself: what makes its operand forms the unit. */
enum npart__truth npart__holds_ends_unit(const struct npart__asked *asked)
{
    const struct npart__trial *trial = asked->trial;
    uint32_t producer = npart__producer(trial->graph, asked->value);
    if (producer == NPART_NONE || npart__clamped_in_unit(trial, asked->value) == NPART_NONE)
        return NPART__FALSE;
    return trial->is_nested ? NPART__MAYBE : npart__truth_of(npart__forms_unit(trial, producer));
}

/* ONNX Runtime makes each user, a MatMul, a Gemm, with the Add after it, between two Reshapes (not of matrices), the
 * first of which is joined with the Reshape that makes the value, if one does. */
enum npart__truth npart__holds_in_gemm(const struct npart__asked *asked)
{
    const struct npart__trial *trial = asked->trial;
    uint32_t value = asked->value;
    uint32_t users = npart__user_count(trial->session, value), gemms = 0;
    uint32_t producer = npart__producer(trial->graph, value);
    npart__look_beyond(trial);
    /* ONNX Runtime joins no Reshape to whose target a 0 is a size with the Reshape before the Gemm. */
    if (producer != NPART_NONE &&
        npart__node_int(trial->graph, npart__node_at(trial->graph, producer), "allowzero", 0) != 0)
        return NPART__FALSE;
    for (uint32_t i = 0; i < users; i++)
        gemms += trial->session->remade[npart__user(trial->session, value, i)] == NPART__REMADE_RESHAPED_PRODUCT;
    return npart__truth_of(users > 0 && gemms == users);
}

/* By texts, as a trial has no place for numbers of the graph (npart__find_ops); few rules ask what comes here. */
static bool is_among(const struct npart__trial *trial, const char *const *ops, uint32_t count,
                     const struct npart__node *node)
{
    for (uint32_t i = 0; i < count; i++)
        if (npart__node_is(trial->graph, node, ops[i]))
            return true;
    return false;
}

/* Axes of more than one element: what the runtime takes a Transpose of the value to cost. */
static int weight_of(const struct npart__trial *trial, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(trial->inference, value);
    int weight = 0;
    for (uint32_t i = 0; fact->has_rank && i < fact->rank; i++)
        weight += fact->dims[i] != 1;
    return weight;
}

static enum npart__truth in_layout(const struct npart__trial *trial, uint32_t value, bool weighs);

/* Past a Concat where fewer axes are turned after it than before (layout_transformation.cc,
 * PostLayoutTransformCostCheck). Of a Concat before it each operand is not looked at again. */
static bool passes_concat(const struct npart__trial *trial, const struct npart__node *node)
{
    int cost = weight_of(trial, npart__node_output(trial->graph, node, 0));
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(trial->graph, node, i);
        if (value == NPART_NONE || trial->session->is_constant[value])
            continue;
        int weight = weight_of(trial, value);
        cost += in_layout(trial, value, false) == NPART__TRUE ? -weight : weight;
    }
    return cost < 0;
}

/* Whether a Reshape gives [N,C,L] other spatial axes, as [N,C,H,W], or changes nothing: a Transpose that a list says
 * moves goes past it (onnx_transpose_optimization.cc, HandleReshape). */
static bool lets_layout_through(const struct npart__trial *trial, const struct npart__node *node)
{
    uint32_t made = npart__node_output(trial->graph, node, 0);
    if (!trial->oplist->moved_ops.count || made == NPART_NONE ||
        !npart__node_plays(trial->graph, node, NPART__ROLE_RESHAPES))
        return false;
    const struct npart__fact *in = npart__fact_of(trial->inference, npart__node_input(trial->graph, node, 0));
    const struct npart__fact *out = npart__fact_of(trial->inference, made);
    bool is_kept = in->has_rank && out->has_rank && in->rank == out->rank;
    for (uint32_t i = 0; is_kept && i < in->rank; i++)
        is_kept = npart__same(in->dims[i], out->dims[i]);
    return is_kept || (in->has_rank && out->has_rank && in->rank == 3 && out->rank > 3 && in->dims[0] == out->dims[0] &&
                       in->dims[1] == out->dims[1]);
}

/* What an op of a `layout` line makes, as a Conv, is in the target's order, and so is what a Relu makes of that:
 * such a chain is walked back by first operands. Which ops need a layout, and which work in either, are lines of the
 * list. Q and DQ work in either layout whatever the list says: they look at single elements, or at the axis that
 * they name. Past NPART__LIMIT_LAYOUT_STEPS the answer is no. */
static enum npart__truth in_layout(const struct npart__trial *trial, uint32_t value, bool weighs)
{
    const struct npart__oplist *oplist = trial->oplist;
    for (unsigned steps = 0; steps < NPART__LIMIT_LAYOUT_STEPS; steps++) {
        uint32_t producer = npart__producer(trial->graph, value);
        const struct npart__node *node = producer == NPART_NONE ? NULL : npart__node_at(trial->graph, producer);
        if (!node || node->input_count == 0 || npart__node_input(trial->graph, node, 0) == NPART_NONE)
            return NPART__FALSE;
        /* One on the CPU keeps its order; from within such a question all count as taken. */
        if (is_among(trial, oplist->layout_ops.items, oplist->layout_ops.count, node))
            return npart__truth_of(trial->is_nested || npart__taken_alone(trial, producer) != NPART__FALSE);
        if (!npart__node_plays(trial->graph, node, NPART__ROLE_QUANTIZES) &&
            !npart__node_plays(trial->graph, node, NPART__ROLE_DEQUANTIZES) &&
            !is_among(trial, oplist->through_ops.items, oplist->through_ops.count, node) &&
            !lets_layout_through(trial, node))
            return NPART__FALSE;
        if (weighs && npart__comes_from(node, NPART__WAY(CONCAT)) && !passes_concat(trial, node))
            return NPART__FALSE;
        value = npart__node_input(trial->graph, node, 0);
    }
    return NPART__FALSE;
}

enum npart__truth npart__holds_behind_layout(const struct npart__asked *asked)
{
    npart__look_beyond(asked->trial);
    return in_layout(asked->trial, asked->value, true);
}

/* Of a Transpose whose order is known: from channels first to last, or back. Where the order cannot be told, it is
 * none. */
static bool moves_channels(const struct npart__trial *trial, uint32_t id)
{
    int64_t order[NPART__LIMIT_RANK];
    uint32_t rank;
    return npart__order_left(trial->session, id, order, &rank) && npart__moves_channels(order, rank);
}

/* The only operand that is no constant; NPART_NONE where there are more, or many. The same where there is none:
 * constants alone bring no Transpose. */
static uint32_t single_operand(const struct npart__trial *trial, const struct npart__node *node)
{
    uint32_t found = NPART_NONE;
    if (node->input_count > NPART__LIMIT_LAYOUT_STEPS)
        return NPART_NONE;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(trial->graph, node, i);
        if (value == NPART_NONE || trial->session->is_constant[value])
            continue;
        if (found != NPART_NONE)
            return NPART_NONE;
        found = value;
    }
    return found;
}

/* The Transpose at the head of the chain must be one that moves channels, and not the node's own neighbour (steps >
 * 0): one that already stands beside the node need not be moved there. An op with two operands that are not constant
 * ends the chain, since the Transpose would have to be at both. */
enum npart__truth npart__holds_behind_transpose(const struct npart__asked *asked)
{
    const struct npart__trial *trial = asked->trial;
    uint32_t value = asked->value;
    const struct npart__oplist *oplist = trial->oplist;
    npart__look_beyond(trial);
    for (unsigned steps = 0; steps < NPART__LIMIT_LAYOUT_STEPS; steps++) {
        uint32_t producer = npart__producer(trial->graph, value);
        const struct npart__node *node = producer == NPART_NONE ? NULL : npart__node_at(trial->graph, producer);
        bool is_moved = node && is_among(trial, oplist->moved_ops.items, oplist->moved_ops.count, node);
        if (is_moved || !node || !is_among(trial, oplist->through_ops.items, oplist->through_ops.count, node))
            return npart__truth_of(is_moved && steps > 0 && moves_channels(trial, producer));
        uint32_t from = single_operand(trial, node);
        /* An op that changes the type (a Q, a DQ, a Cast) ends the chain, too. */
        if (from == NPART_NONE || npart__fact_of(trial->inference, from)->element_type !=
                                      npart__fact_of(trial->inference, value)->element_type)
            return NPART__FALSE;
        value = from;
    }
    return NPART__FALSE;
}

/* What the Transpose reads that makes the value and moves on, past what uses it (lib/runtime/qnn/held.c). */
enum npart__truth npart__holds_moved_input(const struct npart__asked *asked)
{
    const struct npart__trial *trial = asked->trial;
    const struct npart__beyond *beyond = trial->beyond;
    if (!beyond || !beyond->source || beyond->graph != trial->graph || beyond->source[asked->value] == NPART_NONE)
        return NPART__FALSE;
    npart__look_beyond(trial);
    return npart__truth_of(npart__value_at(trial->graph, beyond->source[asked->value])->kind == NPART__VALUE_INPUT);
}

/* Counted once, when the graph was built: the question is asked of every node. */
enum npart__truth npart__holds_inputs_declared(const struct npart__asked *asked)
{
    return npart__truth_of(!asked->trial->graph->has_unranked_input);
}
