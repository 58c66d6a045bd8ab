/* SPDX-License-Identifier: Apache-2.0
 *
 * Loops that run a known number of times: as many copies of the body, one after the other.
 */
#include "rewrite/bodies.h"

/* The graph grows by as many bodies, and so does the time to compile it. MOST_NODES is of all copies together. */
#define MOST_ROUNDS 64
#define MOST_NODES 16384u

/* What each round is made of. Of a Loop's body the first two operands are the round and the condition, and the
 * first result the condition of the next; a Scan has neither. `operands` and `outputs` are written anew each
 * round. `states` is how many values a round hands on to the next, `scanned` how many operands of a Scan are
 * taken apart, `count` how many rounds there are. */
struct rounds {
    uint32_t body, count, states, scanned, results; /* results that are collected */
    const char **operands, **outputs; /* of the body */
    const char **collected;           /* by result, then by round */
    bool is_loop;
};

/* Each round of a random operator with a seed would give the same. Bodies and functions within count as well, all
 * nodes of them; an operator that has bodies is as random as they are. */
static bool may_repeat(const struct npart__site *site, uint32_t scope, uint32_t *nodes)
{
    const struct npart__scope *at = npart__scope_at(site->graph, scope);
    *nodes += at->node_count;
    for (uint32_t i = 0; i < at->node_count; i++) {
        const struct npart__node *node = npart__node_at(site->graph, at->first_node + i);
        bool is_leaf = node->schema && !node->body_count;
        if (is_leaf && npart__operator_flags(node->schema) & NPART__OPERATOR_RANDOM)
            return false;
        for (uint32_t k = 0; k < node->body_count; k++)
            if (!may_repeat(site, node->first_body + k, nodes))
                return false;
        if (node->callee != NPART_NONE && !may_repeat(site, node->callee, nodes))
            return false;
    }
    return true;
}

/* Counts must agree with the body's, which a malformed file need not see to; then there is room for every name.
 * `extra` operands and `back` results of a Loop come before the states. */
static bool begin(struct npart__site *site, struct rounds *rounds)
{
    const struct npart__scope *body = npart__scope_at(site->graph, rounds->body);
    const uint32_t extra = rounds->is_loop ? 2 : 0, back = rounds->is_loop ? 1 : 0;
    uint32_t nodes = 0;
    /* A Loop hands its body the round and the condition first; a Scan only what it has. */
    if (body->input_count != extra + rounds->states + rounds->scanned ||
        body->output_count != back + site->node->output_count || site->node->output_count < rounds->states ||
        !may_repeat(site, rounds->body, &nodes) || (uint64_t)nodes * rounds->count > MOST_NODES)
        return false;
    rounds->results = site->node->output_count - rounds->states;
    rounds->operands = npart__body_names(site, body->input_count);
    rounds->outputs = npart__body_names(site, body->output_count);
    rounds->collected = npart__body_names(site, rounds->results * rounds->count);
    return rounds->operands && rounds->outputs && rounds->collected;
}

/* Runs the body once more; what it makes of the states is what the next starts from. Values that the body captures
 * are the same in each round, as they are in the loop. */
static bool run(struct npart__site *site, struct rounds *rounds, uint32_t round)
{
    const uint32_t extra = rounds->is_loop ? 2 : 0, back = rounds->is_loop ? 1 : 0;
    if (!npart__splice(site, rounds->body, rounds->operands, rounds->outputs))
        return false;
    for (uint32_t i = 0; i < rounds->states; i++)
        rounds->operands[extra + i] = rounds->outputs[back + i];
    if (rounds->is_loop)
        /* The condition that the round has made; goes_on has found that it stays true. */
        rounds->operands[1] = rounds->outputs[0];
    for (uint32_t i = 0; i < rounds->results; i++)
        rounds->collected[i * rounds->count + round] = rounds->outputs[back + rounds->states + i];
    return true;
}

/* One collected result: the rounds' results along a new axis. Each round's result gets the axis by an Unsqueeze,
 * since a Concat joins along one that is there. */
static const char *join(struct npart__site *site, const struct rounds *rounds, uint32_t index, int64_t axis,
                        bool is_reversed)
{
    const char **parts = npart__body_names(site, rounds->count);
    for (uint32_t i = 0; parts && i < rounds->count; i++) {
        uint32_t round = is_reversed ? rounds->count - 1 - i : i;
        parts[i] = npart__make_unsqueeze(site, rounds->collected[index * rounds->count + round], &axis, 1);
    }
    if (!parts)
        return NULL;
    return rounds->count == 1 ? parts[0] : npart__make_concat(site, parts, rounds->count, axis);
}

/* What the last round left, or what came in where there is none. After a round the operands of the body are what
 * it left (run). */
static void finish_states(struct npart__site *site, const struct rounds *rounds)
{
    for (uint32_t i = 0; i < rounds->states; i++)
        npart__finish(site, i, rounds->operands[(rounds->is_loop ? 2 : 0) + i]);
}

/* ---- Loop -------------------------------------------------------------------------------------------------------- */

static bool is_true(struct npart__site *site, uint32_t value)
{
    uint32_t count;
    const int64_t *truth = npart__site_ints(site, value, &count);
    return truth && count == 1 && truth[0] != 0;
}

/* The body's condition stays true: it is a constant, or the one that came in, handed through. Through at most 16
 * Identities, which exporters leave there. */
static bool goes_on(struct npart__site *site, uint32_t body)
{
    const struct npart__scope *scope = npart__scope_at(site->graph, body);
    uint32_t value = npart__body_result(site, body, 0);
    for (uint32_t i = 0; i < 16 && value != NPART_NONE; i++) {
        if (is_true(site, value) || value == site->graph->operands.items[scope->first_input + 1])
            return true;
        uint32_t maker = npart__producer(site->graph, value);
        if (maker == NPART_NONE || !npart__comes_from(npart__node_at(site->graph, maker), NPART__WAY(ON)))
            return false;
        value = npart__node_input(site->graph, npart__node_at(site->graph, maker), 0);
    }
    return false;
}

/* A number for a body's input, of the rank that it declares: the runtime gives one of rank 0 or 1. The standard
 * allows both; a body that was traced with one does not take the other. */
static const char *make_number(struct npart__site *site, uint32_t body, uint32_t input, int type, int64_t number)
{
    const struct npart__scope *scope = npart__scope_at(site->graph, body);
    const struct npart__declared_type *declared =
        npart__value_at(site->graph, site->graph->operands.items[scope->first_input + input])->declared;
    const int64_t one = 1;
    uint32_t rank = declared && declared->has_rank && declared->rank == 1;
    return npart__make_int_constant(site, type, &one, rank, &number);
}

/* The number of passes must be known, and nothing end the loop before: a condition that comes in true and stays
 * true. No pass at all would leave results whose shapes are not known. Operands of a Loop are the number of
 * passes, the condition, and the states. */
static bool unroll_loop(struct npart__site *site)
{
    uint32_t count, condition = npart__operand(site, 1);
    const int64_t *trips = npart__site_ints(site, npart__operand(site, 0), &count);
    struct rounds rounds = {.body = npart__body_named(site, "body"), .is_loop = true};
    if (rounds.body == NPART_NONE || !trips || count != 1 || trips[0] < 1 || trips[0] > MOST_ROUNDS ||
        site->node->input_count < 2 || npart__scope_at(site->graph, rounds.body)->input_count < 2 ||
        (condition != NPART_NONE && !is_true(site, condition)) || !goes_on(site, rounds.body))
        return false;
    rounds.count = (uint32_t)trips[0];
    rounds.states = site->node->input_count - 2;
    if (!begin(site, &rounds))
        return false;
    for (uint32_t i = 0; i < rounds.states; i++)
        rounds.operands[2 + i] = npart__operand_name(site, 2 + i);
    /* The condition comes in true, whether it is given or not. */
    rounds.operands[1] = make_number(site, rounds.body, 1, NPART__BOOL, 1);
    for (uint32_t round = 0; round < rounds.count; round++) {
        rounds.operands[0] = make_number(site, rounds.body, 0, NPART__INT64, round);
        if (!run(site, &rounds, round))
            return false;
    }
    finish_states(site, &rounds);
    for (uint32_t i = 0; i < rounds.results; i++)
        if (!npart__is_unused(site, npart__result(site, rounds.states + i)))
            npart__finish(site, rounds.states + i, join(site, &rounds, i, 0, false));
    return true;
}

/* ---- Scan -------------------------------------------------------------------------------------------------------- */

/* The number of an attribute's list, 0 where it has none. 0 is the default of each of these lists: axis 0,
 * forward. */
static int64_t listed(const struct npart__site *site, const char *name, uint32_t index)
{
    uint32_t count;
    const int64_t *numbers = npart__site_int_list(site, site->id, name, &count);
    return numbers && index < count ? numbers[index] : 0;
}

/* Along which axis an operand is taken apart, and that it is as long as the others. `count` is taken from the
 * first operand. */
static bool read_scanned(const struct npart__site *site, struct rounds *rounds, uint32_t index, uint32_t *axis)
{
    uint32_t value = npart__operand(site, rounds->states + index), rank;
    if (value == NPART_NONE || !npart__site_rank(site, value, &rank) ||
        !npart__normalize_axis(listed(site, "scan_input_axes", index), rank, axis))
        return false;
    int64_t length = npart__fact_of(site->inference, value)->dims[*axis];
    if (length < 1 || length > MOST_ROUNDS || (index && length != rounds->count))
        return false;
    rounds->count = (uint32_t)length;
    return true;
}

/* A Gather by one index takes the axis away, as the body has it. Whether the lengths agree was asked before the
 * first round; here read_scanned only tells the axis. */
static bool take_round(struct npart__site *site, struct rounds *rounds, uint32_t round)
{
    for (uint32_t i = 0; i < rounds->scanned; i++) {
        bool is_reversed = listed(site, "scan_input_directions", i) != 0;
        uint32_t axis;
        if (!read_scanned(site, rounds, i, &axis))
            return false;
        const char *at = npart__make_scalar(site, NPART__INT64, is_reversed ? rounds->count - 1 - round : round);
        rounds->operands[rounds->states + i] =
            npart__make_gather(site, npart__operand_name(site, rounds->states + i), at);
        npart__give_int(site, "axis", axis);
    }
    return true;
}

/* An axis of the result counts from the front, or from the back where it is negative, by the result's own rank. */
static bool finish_scanned(struct npart__site *site, const struct rounds *rounds)
{
    for (uint32_t i = 0; i < rounds->results; i++) {
        uint32_t value = npart__result(site, rounds->states + i), rank, axis;
        if (npart__is_unused(site, value))
            continue;
        if (!npart__site_rank(site, value, &rank) ||
            !npart__normalize_axis(listed(site, "scan_output_axes", i), rank, &axis))
            return false;
        npart__finish(site, rounds->states + i,
                      join(site, rounds, i, axis, listed(site, "scan_output_directions", i) != 0));
    }
    return true;
}

/* Version 8 has a batch axis and operands of its own. States come first among the operands, then what is scanned. */
static bool unroll_scan(struct npart__site *site)
{
    struct rounds rounds = {.body = npart__body_named(site, "body")};
    int64_t scanned = npart__site_int(site, site->id, "num_scan_inputs", 0);
    uint32_t axis;
    if (rounds.body == NPART_NONE || site->node->opset_version < 9 || scanned < 1 ||
        scanned > site->node->input_count)
        return false;
    rounds.scanned = (uint32_t)scanned;
    rounds.states = site->node->input_count - rounds.scanned;
    for (uint32_t i = 0; i < rounds.scanned; i++)
        if (!read_scanned(site, &rounds, i, &axis))
            return false;
    if (!begin(site, &rounds))
        return false;
    for (uint32_t i = 0; i < rounds.states; i++)
        rounds.operands[i] = npart__operand_name(site, i);
    for (uint32_t round = 0; round < rounds.count; round++)
        if (!take_round(site, &rounds, round) || !run(site, &rounds, round))
            return false;
    finish_states(site, &rounds);
    return finish_scanned(site, &rounds);
}

bool npart__rewrite_unroll(struct npart__site *site)
{
    return npart__node_is(site->graph, site->node, "Loop") ? unroll_loop(site) : unroll_scan(site);
}
