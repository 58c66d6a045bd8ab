/* SPDX-License-Identifier: Apache-2.0
 *
 * Looks for patterns of nodes: from one node along values that earlier steps have bound, in both orders of operands
 * that commute. Bounded at each place.
 */
#include "session/patterns.h"

/* ---- the table --------------------------------------------------------------------------------------------- */

/* One step from the text; the text after it. The table is the library's own, so it is as it should be. "?Mul n # =
 * g; ..." is an optional Mul of the value n and a constant, which makes g. */
static const char *read_step(const char *text, struct npart__pattern_step *out)
{
    *out = (struct npart__pattern_step){.is_optional = *text == '?'};
    text += out->is_optional;
    out->ops = text;
    out->op_bytes = strcspn(text, " ");
    /* An operand is one character and a blank. */
    for (text += out->op_bytes + 1; *text != '='; text += 2)
        if (out->operand_count < sizeof out->operands)
            out->operands[out->operand_count++] = *text;
    out->result = text[2];
    text += 3;
    return *text == ';' ? text + 2 : text;
}

/* A step names alternatives with `/` between: "Erf/Tanh". By name in any domain: ONNX Runtime's own tools write
 * Gelu and its like into com.microsoft. */
static bool names_op(const struct npart__pattern_step *step, const char *op)
{
    const char *from = step->ops;
    size_t length = strlen(op);
    for (size_t rest = step->op_bytes; rest > 0;) {
        size_t own = 0;
        while (own < rest && from[own] != '/')
            own++;
        if (own == length && memcmp(from, op, own) == 0)
            return true;
        rest -= own < rest ? own + 1 : own;
        from += own + 1;
    }
    return false;
}

/* Steps beyond the limit are left out; no row of the table has that many. */
bool npart__matcher_read(struct npart__matcher *at, const char *text)
{
    unsigned missing = 0; /* steps that no node can be */
    at->step_count = 0;
    while (*text && at->step_count < NPART__LIMIT_FUSION_STEPS)
        text = read_step(text, &at->steps[at->step_count++]);
    for (uint32_t k = 0; k < at->step_count; k++)
        missing |= (unsigned)!at->steps[k].is_optional << k;
    for (uint32_t i = 0; i < at->ops.count; i++) {
        at->ops.items[i].steps = 0;
        for (uint32_t k = 0; k < at->step_count; k++)
            at->ops.items[i].steps |= (uint16_t)(names_op(&at->steps[k], at->ops.items[i].name) << k);
        missing &= ~(unsigned)at->ops.items[i].steps;
    }
    return !missing;
}

/* The ops that nodes have; no text is the one before them. */
bool npart__matcher_init(struct npart__matcher *out, const struct npart__session *session, struct npart__arena *arena)
{
    const struct npart__graph *graph = session->graph;
    memset(out, 0, sizeof *out);
    out->session = session;
    out->graph = graph;
    out->arena = arena;
    out->op_of = npart__arena_zeroed(arena, graph->strings.texts.count + (size_t)1, sizeof *out->op_of);
    bool is_ok = out->op_of && NPART__PUSH(arena, &out->ops, ((struct npart__pattern_op){.name = ""}));
    for (uint32_t i = 0; is_ok && i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        if (out->op_of[node->op_type])
            continue;
        out->op_of[node->op_type] = out->ops.count;
        is_ok = NPART__PUSH(arena, &out->ops, ((struct npart__pattern_op){.name = npart__node_op(graph, node)}));
    }
    return is_ok;
}

void npart__matcher_clear(struct npart__matcher *matcher)
{
    npart__arena_release(matcher->arena, matcher->op_of);
    matcher->op_of = NULL;
}

static bool has_op(const struct npart__matcher *at, uint32_t step, uint32_t id)
{
    return at->ops.items[at->op_of[npart__node_at(at->graph, id)->op_type]].steps >> step & 1;
}

/* ---- matching ---------------------------------------------------------------------------------------------- */

static bool match_from(struct npart__matcher *at, uint32_t step);

/* Notes what is wrong; false where nothing may be, or something is already. With two things wrong a pattern is not
 * nearly there. What was noted is taken back with the match (struct npart__match_found), so a try that fails leaves no
 * obstacle. */
static bool obstruct(struct npart__matcher *at, enum npart__obstacle_kind kind, uint32_t node, uint32_t value)
{
    if (!at->allows_obstacle || at->found.obstacle.kind != NPART__NOTHING_WRONG)
        return false;
    at->found.obstacle.kind = kind;
    at->found.obstacle.node = node;
    at->found.obstacle.value = value;
    return true;
}

/* The Cast that makes the value, or NPART_NONE. */
static uint32_t cast_of(const struct npart__matcher *at, uint32_t value)
{
    uint32_t producer = npart__producer(at->graph, value);
    bool is_cast = producer != NPART_NONE && npart__is_live(at->session, producer) &&
                   npart__node_plays(at->graph, npart__node_at(at->graph, producer), NPART__ROLE_CASTS);
    return is_cast ? producer : NPART_NONE;
}

/* A letter stands for one value wherever it stands. A Cast between two uses of it is what most often keeps a runtime
 * from fusing, so it counts as an obstacle that is told, and not as another value. */
static bool match_value(struct npart__matcher *at, char letter, uint32_t value)
{
    uint32_t *bound = &at->found.values[letter - 'a'];
    if (*bound == NPART_NONE)
        *bound = value;
    if (*bound == value)
        return true;
    uint32_t cast = cast_of(at, value);
    /* It has to be the Cast of that very value, or the two have nothing to do with each other. */
    if (cast == NPART_NONE || npart__node_input(at->graph, npart__node_at(at->graph, cast), 0) != *bound)
        return false;
    return obstruct(at, NPART__CAST_BETWEEN, cast, value);
}

/* Whether a constant has one element. */
static bool is_scalar(const struct npart__matcher *at, uint32_t value)
{
    uint64_t elements;
    return npart__static_elements(npart__fact_of(at->session->inference, value), &elements) && elements == 1;
}

/* `*` is any operand, `#` a constant, `1` one of one element, `~` one that should be constant, a letter a value that is
 * not constant. That a
 * weight comes in at run time is told as an obstacle; all else that differs is no match. Operands beyond those of
 * the step do not matter: a Clip's bounds, a Conv's bias. */
static bool match_operands(struct npart__matcher *at, const struct npart__pattern_step *step,
                           const struct npart__node *node, bool is_swapped)
{
    for (uint32_t k = 0; k < step->operand_count; k++) {
        uint32_t value = npart__node_input(at->graph, node, is_swapped ? 1 - k : k);
        char wanted = step->operands[k];
        if (wanted == '*')
            continue;
        if (value == NPART_NONE)
            return false;
        bool is_constant = at->session->is_constant[value];
        if (wanted == '#' || wanted == '1' || wanted == '~') {
            if (is_constant && wanted == '1' && !is_scalar(at, value))
                return false;
            if (!is_constant && (wanted != '~' || !obstruct(at, NPART__NOT_CONSTANT, NPART_NONE, value)))
                return false;
        } else if (is_constant || !match_value(at, wanted, value)) {
            return false;
        }
    }
    return true;
}

/* Both orders of an operator that commutes are tried, and what the first bound is taken back before the second. No
 * node is in a match twice. Tries are counted over the whole search: a graph may be made so that a pattern fits
 * nearly everywhere. */
static bool match_node(struct npart__matcher *at, uint32_t number, uint32_t id)
{
    const struct npart__pattern_step *step = &at->steps[number];
    const struct npart__node *node = npart__node_at(at->graph, id);
    struct npart__match_found before = at->found;
    if (at->tries++ > NPART__LIMIT_FUSION_TRIES || !npart__is_live(at->session, id) || !has_op(at, number, id))
        return false;
    /* Else `Mul d d = s` could match a node with itself further on. */
    for (uint32_t i = 0; i < at->found.count; i++)
        if (at->found.nodes[i] == id)
            return false;
    bool has_two = step->operand_count == 2 && node->input_count == 2 &&
                   npart__node_plays(at->graph, node, NPART__ROLE_COMMUTES);
    uint32_t result = npart__node_output(at->graph, node, 0);
    for (int is_swapped = 0; result != NPART_NONE && is_swapped <= (has_two ? 1 : 0); is_swapped++) {
        at->found.nodes[at->found.count++] = id;
        /* The steps after this one are matched within the call, so that another order of these operands is tried when
         * a later step finds nothing. */
        if (match_operands(at, step, node, is_swapped) && match_value(at, step->result, result) &&
            match_from(at, number + 1))
            return true;
        at->found = before;
    }
    return false;
}

/* Users of a value, and of what a Cast makes of it. Only on the second look: a Cast between is an obstacle, and no
 * match when none is allowed. */
static bool match_users(struct npart__matcher *at, uint32_t step, uint32_t value)
{
    uint32_t users = npart__user_count(at->session, value);
    for (uint32_t i = 0; i < users && i < NPART__LIMIT_FUSION_USERS; i++) {
        uint32_t user = npart__user(at->session, value, i);
        const struct npart__node *node = npart__node_at(at->graph, user);
        /* Directly first: what needs no Cast is no obstacle. */
        if (match_node(at, step, user))
            return true;
        uint32_t cast = npart__node_plays(at->graph, node, NPART__ROLE_CASTS) ? npart__node_output(at->graph, node, 0)
                                                                              : NPART_NONE;
        for (uint32_t k = 0; cast != NPART_NONE && at->allows_obstacle && k < npart__user_count(at->session, cast) &&
                             k < NPART__LIMIT_FUSION_USERS;
             k++)
            if (match_node(at, step, npart__user(at->session, cast, k)))
                return true;
    }
    return false; /* the later users are not looked at */
}

/* The node that makes a value that is known already. The value is made by one node, so there is one try, and one
 * more past a Cast. */
static bool match_maker(struct npart__matcher *at, uint32_t step, uint32_t value)
{
    uint32_t producer = npart__producer(at->graph, value), cast = cast_of(at, value);
    struct npart__match_found before = at->found;
    if (producer != NPART_NONE && match_node(at, step, producer))
        return true;
    if (cast == NPART_NONE || !obstruct(at, NPART__CAST_BETWEEN, cast, value))
        return false;
    uint32_t from = npart__node_input(at->graph, npart__node_at(at->graph, cast), 0);
    producer = npart__producer(at->graph, from);
    /* The letter stands for what goes into the Cast from now on, which is what the maker makes. */
    at->found.values[at->steps[step].result - 'a'] = from;
    if (producer != NPART_NONE && match_node(at, step, producer))
        return true;
    at->found = before;
    return false;
}

/* Each step hangs on a value that an earlier one has bound: its result, then its maker is looked for; or one of its
 * operands, then its users are. A step that is optional may fail. Where the steps of a pattern do not hang
 * together nothing is found; the table is written so that they do. */
static bool match_from(struct npart__matcher *at, uint32_t number)
{
    if (number == at->step_count)
        return true;
    const struct npart__pattern_step *step = &at->steps[number];
    uint32_t result = at->found.values[step->result - 'a'];
    if (result != NPART_NONE)
        return match_maker(at, number, result);
    for (uint32_t k = 0; k < step->operand_count; k++) {
        char letter = step->operands[k];
        uint32_t value = letter >= 'a' && letter <= 'z' ? at->found.values[letter - 'a'] : NPART_NONE;
        if (value != NPART_NONE)
            return match_users(at, number, value) || step->is_optional;
    }
    return step->is_optional;
}

/* ---- what was found ---------------------------------------------------------------------------------------- */

/* A Cast in between belongs to the match as well: that it uses a value is no use elsewhere. */
static bool is_member(const struct npart__matcher *at, uint32_t node)
{
    for (uint32_t i = 0; i < at->found.count; i++)
        if (at->found.nodes[i] == node)
            return true;
    return at->found.obstacle.kind == NPART__CAST_BETWEEN && at->found.obstacle.node == node;
}

/* A result that the fused node would not have. The last node's result is what the fused node would make, so that
 * one may go anywhere. */
struct npart__obstacle npart__match_leak(const struct npart__matcher *at, uint32_t last)
{
    /* A node's first result is looked at, as patterns name no other. */
    for (uint32_t i = 0; i < at->found.count; i++) {
        uint32_t value = npart__node_output(at->graph, npart__node_at(at->graph, at->found.nodes[i]), 0);
        if (at->found.nodes[i] == last || value == NPART_NONE)
            continue;
        if (npart__value_at(at->graph, value)->is_graph_output)
            return (struct npart__obstacle){NPART__IS_OUTPUT, at->found.nodes[i], value};
        for (uint32_t k = 0; k < npart__user_count(at->session, value); k++)
            if (!is_member(at, npart__user(at->session, value, k)))
                return (struct npart__obstacle){NPART__USED_ELSEWHERE, npart__user(at->session, value, k), value};
    }
    return (struct npart__obstacle){NPART__NOTHING_WRONG, NPART_NONE, NPART_NONE};
}


/* Whether a node of the fusion takes the value. What the nodes take is looked through: a value may have any number of
 * users, and be in as many fusions. */
static bool is_taken_inside(const struct npart__matcher *at, uint32_t value)
{
    for (uint32_t i = 0; i < at->found.count; i++)
        for (uint32_t k = 0; k < NPART__LIMIT_FUSION_OPERANDS; k++)
            if (npart__node_input(at->graph, npart__node_at(at->graph, at->found.nodes[i]), k) == value)
                return true;
    const struct npart__obstacle *obstacle = &at->found.obstacle;
    return obstacle->kind == NPART__CAST_BETWEEN &&
           npart__node_input(at->graph, npart__node_at(at->graph, obstacle->node), 0) == value;
}

/* Steps stand in the order in which they are found, which is not that of the data: the last node is the one whose
 * result leaves. */
uint32_t npart__match_last(const struct npart__matcher *at)
{
    uint32_t last = at->found.nodes[at->found.count - 1];
    for (uint32_t i = 0; i < at->found.count; i++) {
        uint32_t value = npart__node_output(at->graph, npart__node_at(at->graph, at->found.nodes[i]), 0);
        if (!is_taken_inside(at, value))
            last = at->found.nodes[i];
    }
    return last;
}

bool npart__may_begin(const struct npart__matcher *at, uint32_t node)
{
    return npart__is_live(at->session, node) && has_op(at, 0, node);
}

/* What another look has bound is forgotten. */
bool npart__matcher_find(struct npart__matcher *at, uint32_t node, bool allows_obstacle)
{
    memset(&at->found, 0, sizeof at->found);
    memset(at->found.values, 0xff, sizeof at->found.values);
    at->found.obstacle.node = at->found.obstacle.value = NPART_NONE;
    at->allows_obstacle = allows_obstacle;
    at->tries = 0;
    return match_node(at, 0, node);
}
