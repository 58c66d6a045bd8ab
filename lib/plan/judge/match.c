/* SPDX-License-Identifier: Apache-2.0
 *
 * Fusion patterns in a graph: from a match's last node back through its operands. Operands of Add, Mul and the like
 * match in either order. What leaves a match leaves it by the last node only. Failures are matched in the same way, but
 * in the order written and wherever else their nodes' results go: a compiler looks for what fails to compile in that
 * way.
 *
 * `match Mul(x, Sigmoid(x))` finds a node Mul, takes x to be what it multiplies, and goes on to the Sigmoid that
 * makes its other operand, whose own operand must be that same x. Matching tries both orders of an Add or Mul, so it
 * is exponential in the pattern's depth at worst; NPART__LIMIT_MATCH_STEPS ends that, and what is not found in so
 * many steps is no match.
 */
#include <math.h>

#include "judge/evaluate.h"

/* A number in a pattern is met by a constant this close: sqrt(2) as float16 still is 1.414. */
#define CLOSENESS 2e-3

/* Copied where a second order is tried, so it has a fixed size. The match at hand; what a failed try has put in is
 * taken back, or the whole is begun anew. */
struct unit {
    uint32_t values[NPART__LIMIT_PATTERN_NAMES]; /* of a name: its value; of a let: its node's first output */
    uint32_t makers[NPART__LIMIT_PATTERN_NAMES]; /* of a let: its node; NPART_NONE: not bound */
    uint32_t nodes[NPART__LIMIT_UNIT_NODES];
    uint32_t node_count;
};

/* A part's op among the graph's interned strings. Of a part that is no node both are NPART_NONE. */
struct part_op {
    uint32_t type, domain; /* NPART_NONE: no node of the graph has it */
    bool is_commutative;
};

/* One way in which a pattern may end: `part` is that of its last node, or the name of a let that is. `op` is that
 * node's, so that most nodes are told by it alone. */
struct root {
    uint32_t pattern, part;
    struct part_op op;
};

struct matcher {
    const struct npart__target *target;
    const struct npart__oplist *oplist;
    struct npart__inference *inference;
    const struct npart__graph *graph;
    const struct npart__session *session;
    const struct npart__pattern *pattern;
    /* The first of its nodes is the last one of the match, from which it is found. */
    struct unit unit;
    uint32_t steps; /* parts looked at for the match at hand; past NPART__LIMIT_MATCH_STEPS it is none */
    uint32_t tries; /* matches looked for */
    const struct part_op *ops; /* by part; NULL: ops are compared by name, at a single node */
    const struct root *roots;  /* of matches whose op the graph has, in the list's order */
    uint32_t root_count;
    uint32_t *unit_of;         /* by node; NULL: nodes may be in several matches */
    uint32_t *shared_as;       /* by node of a match: bits of the names of `share` lines that mean it; 0: of no other */
    uint32_t fatal_rule;       /* of the match at hand, plus one */
    const struct npart__beyond *beyond; /* NULL, or where answers about other nodes are kept */
};

/* ---- values ---------------------------------------------------------------------------------------------- */

/* Every element must be it, so a scale that was broadcast in the file still matches. NaN is close to nothing, hence
 * the negated comparison. 0 is met by 0 alone. Of a size that is not known there is no number. */
static bool is_number(struct matcher *matcher, uint32_t value, double wanted)
{
    if (!matcher->session->is_constant[value])
        return false;
    const struct npart__known *known = npart__elements(matcher->inference, &matcher->inference->facts[value]);
    if (!known || known->count == 0)
        return false;
    for (uint32_t i = 0; i < known->count; i++) {
        if (known->ints && !npart__is_number(known->ints[i]))
            return false;
        double found = known->ints ? (double)known->ints[i] : known->doubles[i];
        if (!(fabs(found - wanted) <= CLOSENESS * fabs(wanted)))
            return false;
    }
    return true;
}

/* NPART_NONE past the last operand, so a pattern may name optional ones that a node leaves out. */
static uint32_t operand_of(const struct matcher *matcher, const struct npart__node *node, uint32_t index)
{
    return npart__node_input(matcher->graph, node, index);
}

/* ---- parts ----------------------------------------------------------------------------------------------- */

static bool match_value(struct matcher *matcher, uint32_t part, uint32_t value);

/* A node may have no operands beyond those that the pattern names, unless the pattern ends with the rest. `swapped`:
 * the two operands in the other order. */
static bool match_arguments(struct matcher *matcher, uint32_t argument, const struct npart__node *node, bool swapped)
{
    uint32_t index = 0;
    for (; argument != NPART_NONE; argument = matcher->oplist->pattern_parts.items[argument].next, index++) {
        if (matcher->oplist->pattern_parts.items[argument].kind == NPART__PATTERN_REST)
            return true;
        /* A third operand of a swapped node has an index past all others, and is absent: such nodes have two. */
        if (!match_value(matcher, argument, operand_of(matcher, node, swapped ? 1 - index : index)))
            return false;
    }
    /* Operands that are left out at the end are as good as not written. */
    for (; index < node->input_count; index++)
        if (npart__node_input(matcher->graph, node, index) != NPART_NONE)
            return false;
    return true;
}

/* At a single node (lib/change/rewrite asks so) it is not worth it to look up the list's ops first. */
static bool has_op(const struct matcher *matcher, uint32_t part, uint32_t id)
{
    const struct npart__node *node = npart__node_at(matcher->graph, id);
    const struct npart__pattern_part *at = &matcher->oplist->pattern_parts.items[part];
    if (!matcher->ops)
        return npart__same_text(npart__node_op(matcher->graph, node), at->op) &&
               npart__same_text(npart__text(&matcher->graph->strings, node->domain), at->domain);
    return node->op_type == matcher->ops[part].type && node->domain == matcher->ops[part].domain;
}

/* The match is put back as it was before the second order is tried: names that the first try bound would hold on. A
 * node that another match has already is not taken, but for one that both share. False leaves the match in pieces:
 * callers begin anew, or put it back. */
static bool match_node(struct matcher *matcher, uint32_t part, uint32_t id)
{
    const struct npart__pattern_part *at = &matcher->oplist->pattern_parts.items[part];
    const struct npart__node *node = npart__node_at(matcher->graph, id);
    bool is_taken = matcher->unit_of && matcher->unit_of[id] && !(at->is_shared && matcher->shared_as[id]);
    bool is_run = !matcher->session->fates || npart__is_live(matcher->session, id);
    if (!has_op(matcher, part, id) || !is_run || is_taken)
        return false;
    struct unit *unit = &matcher->unit;
    bool is_known = false;
    /* Two names may stand for results of one node, which is one member all the same. */
    for (uint32_t i = 0; i < unit->node_count; i++)
        is_known |= unit->nodes[i] == id;
    if (!is_known && unit->node_count == NPART__LIMIT_UNIT_NODES)
        return false;
    if (!is_known)
        unit->nodes[unit->node_count++] = id;
    /* Failures match in the order written: the compiler that breaks was seen to break on that order. */
    bool commutes = matcher->ops ? matcher->ops[part].is_commutative : npart__op_plays(at->op, NPART__ROLE_COMMUTES);
    if (matcher->pattern->is_failure || node->input_count != 2 || !commutes)
        return match_arguments(matcher, at->argument, node, false);
    /* Steps go on: they bound both tries together. */
    struct unit before = *unit;
    if (match_arguments(matcher, at->argument, node, false))
        return true;
    *unit = before;
    return match_arguments(matcher, at->argument, node, true);
}

/* The node that makes the value as its output `output`, or NPART_NONE. A pattern's part without a name means the
 * first result. A name may say another: `quantized.2`. */
static uint32_t maker_of(const struct matcher *matcher, uint32_t value, uint32_t output)
{
    uint32_t id = npart__producer(matcher->graph, value);
    if (id == NPART_NONE || npart__node_output(matcher->graph, npart__node_at(matcher->graph, id), output) != value)
        return NPART_NONE;
    return id;
}

/* One value, or results of one DequantizeLinear of the file, of which the session has a copy for each user: a provider
 * tells these by the name that they have in common. */
static bool is_same_value(const struct matcher *matcher, uint32_t a, uint32_t b)
{
    if (a == b)
        return true;
    const struct npart__graph *graph = matcher->graph;
    uint32_t first = npart__producer(graph, a), second = npart__producer(graph, b);
    return first != second && first != NPART_NONE && second != NPART_NONE &&
           npart__original(graph, first) == npart__original(graph, second);
}

/* A name of an operand is bound where it is met first, and must be the same value wherever it is met again. A name
 * that a `let` defines stands for a node: met again it must be the same node, perhaps by another of its results.
 * So Mul(x, Sigmoid(x)) is met by no Mul of two different values. */
static bool match_name(struct matcher *matcher, const struct npart__pattern_part *at, uint32_t value)
{
    struct unit *unit = &matcher->unit;
    uint32_t definition = matcher->pattern->names[at->name].part;
    if (value == NPART_NONE) /* a match that is a name, at a node without a first result */
        return false;
    if (definition == NPART_NONE) {
        if (unit->values[at->name] == NPART_NONE)
            unit->values[at->name] = value;
        return is_same_value(matcher, unit->values[at->name], value);
    }
    uint32_t maker = maker_of(matcher, value, at->output);
    if (maker == NPART_NONE)
        return false;
    if (unit->makers[at->name] != NPART_NONE)
        return unit->makers[at->name] == maker;
    if (!match_node(matcher, definition, maker))
        return false;
    unit->makers[at->name] = maker;
    unit->values[at->name] = npart__node_output(matcher->graph, npart__node_at(matcher->graph, maker), 0);
    return true;
}

/* Names are bound by what is matched first, in the order in which the pattern is written. Each part that is looked at
 * is a step, so that the whole has an end whatever the graph. */
static bool match_value(struct matcher *matcher, uint32_t part, uint32_t value)
{
    const struct npart__pattern_part *at = &matcher->oplist->pattern_parts.items[part];
    if (++matcher->steps > NPART__LIMIT_MATCH_STEPS || npart__is_late_at(matcher->inference->arena, matcher->steps))
        return false;
    if (at->kind == NPART__PATTERN_ANY || at->kind == NPART__PATTERN_REST)
        return true;
    if (value == NPART_NONE)
        return false;
    switch ((enum npart__pattern_kind)at->kind) {
    case NPART__PATTERN_CONST:
        return matcher->session->is_constant[value];
    case NPART__PATTERN_NUMBER:
        return is_number(matcher, value, at->number);
    case NPART__PATTERN_NAME:
        return match_name(matcher, at, value);
    default: {
        uint32_t maker = maker_of(matcher, value, 0);
        return maker != NPART_NONE && match_node(matcher, part, maker);
    }
    }
}

/* ---- matches ------------------------------------------------------------------------------------------------ */

/* Linear in the match, which has at most NPART__LIMIT_UNIT_NODES. */
static bool is_in_unit(const struct matcher *matcher, uint32_t node)
{
    for (uint32_t i = 0; i < matcher->unit.node_count; i++)
        if (matcher->unit.nodes[i] == node)
            return true;
    return false;
}

/* Every use of the value is in the match. A fused kernel does not make what lies between its nodes, so nothing
 * else may need it. A result of the graph is needed by the world outside. */
static bool stays_inside(const struct matcher *matcher, uint32_t value)
{
    if (npart__value_at(matcher->graph, value)->is_graph_output)
        return false;
    for (uint32_t i = 0; i < npart__user_count(matcher->session, value); i++)
        if (!is_in_unit(matcher, npart__user(matcher->session, value, i)) ||
            npart__is_late_at(matcher->inference->arena, i))
            return false;
    return true;
}

/* Bits of the names of `share` lines by which the match at hand shares the node with others. A node that only two
 * names of this match mean is not shared. */
static uint32_t shares(const struct matcher *matcher, uint32_t node)
{
    uint32_t names = 0;
    for (uint32_t i = 0; i < matcher->pattern->name_count; i++) {
        uint32_t part = matcher->pattern->names[i].part;
        if (part != NPART_NONE && matcher->unit.makers[i] == node &&
            matcher->oplist->pattern_parts.items[part].is_shared)
            names |= UINT32_C(1) << i;
    }
    return names;
}

/* All nodes but the last, which is the first found, and shared ones keep their results inside; all are of one
 * region. Nodes of different regions are never compiled as one. */
static bool is_closed(const struct matcher *matcher)
{
    const struct npart__graph *graph = matcher->graph;
    for (uint32_t i = 1; i < matcher->unit.node_count; i++) {
        uint32_t id = matcher->unit.nodes[i];
        const struct npart__node *node = npart__node_at(graph, id);
        if (npart__node_region(graph, id) != npart__node_region(graph, matcher->unit.nodes[0]))
            return false;
        for (uint32_t k = 0; k < node->output_count && !shares(matcher, id); k++) {
            uint32_t value = npart__node_output(graph, node, k);
            if (value != NPART_NONE && !stays_inside(matcher, value))
                return false;
        }
    }
    return true;
}

/* About a shared node and `else fail`: asked once all matches are known. Whether all that use a shared node are in
 * matches is not known while matches are still being found. Rules without `else fail` decide whether there is a
 * match, so they are asked at once. */
static bool is_late(const struct npart__oplist *oplist, const struct npart__pattern *pattern,
                    const struct npart__rule *rule)
{
    uint32_t part = rule->subject ? pattern->names[rule->subject - 1].part : NPART_NONE;
    return rule->is_fatal && part != NPART_NONE && oplist->pattern_parts.items[part].is_shared;
}

/* A need that does not hold makes it no match; with `else fail` it makes it one that fails. A need that cannot be
 * told makes no match either: the nodes are then judged each for itself, which is what happens without the fusion.
 * A rule is about the last node, or about the node of a let (`subject`, plus one). */
static bool needs_hold(struct matcher *matcher)
{
    const struct npart__pattern *pattern = matcher->pattern;
    matcher->fatal_rule = 0;
    for (uint32_t i = pattern->first_rule; i < pattern->first_rule + pattern->rule_count; i++) {
        const struct npart__rule *rule = &matcher->oplist->rules.items[i];
        struct npart__trial trial;
        if (is_late(matcher->oplist, pattern, rule))
            continue;
        uint32_t node = rule->subject ? matcher->unit.makers[rule->subject - 1] : matcher->unit.nodes[0];
        npart__trial_init(&trial, matcher->target, matcher->session, node);
        trial.names = matcher->unit.values;
        trial.beyond = matcher->beyond;
        trial.keeps_answers = true;
        enum npart__truth truth = npart__try_rule(&trial, rule);
        if (truth != NPART__TRUE && !rule->is_fatal)
            return false;
        /* The first that fails is told. */
        if (truth == NPART__FALSE && !matcher->fatal_rule)
            matcher->fatal_rule = i + 1;
    }
    return true;
}

/* Nodes that end in this one, and names by them. Steps are counted for this node alone. NPART_NONE is all bits set,
 * so bytes of 0xff unset the names. */
static bool find_nodes(struct matcher *matcher, uint32_t root, uint32_t node)
{
    if (npart__is_late_at(matcher->inference->arena, matcher->tries++))
        return false;
    matcher->unit.node_count = 0;
    memset(matcher->unit.values, 0xff, sizeof matcher->unit.values); /* NPART_NONE */
    memset(matcher->unit.makers, 0xff, sizeof matcher->unit.makers);
    matcher->steps = 0;
    const struct npart__pattern_part *part = &matcher->oplist->pattern_parts.items[root];
    return part->kind == NPART__PATTERN_NAME
               ? match_name(matcher, part, npart__node_output(matcher->graph, npart__node_at(matcher->graph, node), 0))
               : match_node(matcher, root, node);
}

enum kind { PATTERNS, FAILURES, REFUSALS };

static enum kind kind_of(const struct npart__pattern *pattern)
{
    return pattern->is_failure ? FAILURES : pattern->is_refusal ? REFUSALS : PATTERNS;
}

/* A match that ends in the node. */
static bool find_unit(struct matcher *matcher, const struct root *root, uint32_t node)
{
    matcher->pattern = &matcher->oplist->patterns.items[root->pattern];
    return find_nodes(matcher, root->part, node) && (kind_of(matcher->pattern) != PATTERNS || is_closed(matcher)) &&
           needs_hold(matcher);
}

/* Later nodes first, so that of a match and its beginning the longer one is found. Within a node the list's order
 * decides: the first pattern that matches has it. */
static void match_region(struct matcher *matcher, uint32_t region, struct npart__units *out)
{
    const struct npart__scope *scope = npart__scope_at(matcher->graph, region);
    /* The topological order of the region, from its end. */
    for (uint32_t i = scope->order_count; i-- > 0;) {
        uint32_t id = matcher->graph->order[scope->first_order + i];
        const struct npart__node *node = npart__node_at(matcher->graph, id);
        for (uint32_t r = 0; r < matcher->root_count; r++) {
            const struct root *root = &matcher->roots[r];
            if (node->op_type != root->op.type || node->domain != root->op.domain || matcher->unit_of[id] ||
                !find_unit(matcher, root, id))
                continue;
            for (uint32_t k = 0; k < matcher->unit.node_count; k++) {
                uint32_t member = matcher->unit.nodes[k];
                out->unit_of[member] = root->pattern + 1;
                out->last_of[member] = id + 1;
                /* A shared node is met again by each match; none of them may clear a failure that another has set. */
                matcher->shared_as[member] = shares(matcher, member);
                if (!matcher->shared_as[member] || matcher->fatal_rule)
                    out->fatal_rule_of[member] = matcher->fatal_rule;
            }
        }
    }
}

/* What makes the matches of a shared node fail. Asked with `units`, since a user in a match counts as a unit
 * there. */
static void judge_shared(struct matcher *matcher, uint32_t id, struct npart__units *out)
{
    const struct npart__pattern *pattern = &matcher->oplist->patterns.items[out->unit_of[id] - 1];
    for (uint32_t i = pattern->first_rule; i < pattern->first_rule + pattern->rule_count; i++) {
        const struct npart__rule *rule = &matcher->oplist->rules.items[i];
        struct npart__trial trial;
        if (!is_late(matcher->oplist, pattern, rule) || !(matcher->shared_as[id] >> (rule->subject - 1) & 1))
            continue;
        npart__trial_init(&trial, matcher->target, matcher->session, id);
        trial.units = out;
        trial.beyond = matcher->beyond;
        trial.keeps_answers = true;
        if (npart__try_rule(&trial, rule) == NPART__FALSE)
            out->fatal_rule_of[id] = i + 1;
    }
}

/* Once for a graph, so that a part is compared with a node by two numbers. NULL when out of memory. In the order of
 * the list's parts; names and numbers among them have no op. */
static const struct part_op *find_ops(const struct npart__oplist *oplist, const struct npart__graph *graph,
                                      struct npart__arena *arena)
{
    struct part_op *ops = npart__arena_zeroed(arena, oplist->pattern_parts.count + (size_t)1, sizeof *ops);
    const struct npart__op_marks marks = npart__mark_ops(graph);
    for (uint32_t i = 0; ops && i < oplist->pattern_parts.count; i++) {
        const struct npart__pattern_part *part = &oplist->pattern_parts.items[i];
        ops[i].type = ops[i].domain = NPART_NONE;
        if (part->kind != NPART__PATTERN_NODE || !npart__may_have_op(&marks, part->op))
            continue;
        ops[i].type = npart__strings_find_text(&graph->strings, part->op);
        ops[i].domain = npart__strings_find_text(&graph->strings, part->domain);
        ops[i].is_commutative = npart__op_plays(part->op, NPART__ROLE_COMMUTES);
    }
    return ops;
}

/* The matches of patterns, of failures or of refusals. Only matches whose last op the graph has: most models have none
 * of most patterns, and are done here. A stage that is not applied matches nothing. */
static bool list_roots(struct matcher *matcher, enum kind kind, struct npart__arena *arena)
{
    /* There are at most NPART__LIMIT_PATTERNS, so the product fits. */
    uint32_t most = matcher->oplist->patterns.count * NPART__LIMIT_PATTERN_MATCHES, count = 0;
    struct root *roots = npart__arena_zeroed(arena, most + (size_t)1, sizeof *roots);
    for (uint32_t p = 0; roots && p < matcher->oplist->patterns.count; p++) {
        const struct npart__pattern *pattern = &matcher->oplist->patterns.items[p];
        bool counts = (matcher->target->stages >> pattern->stage & 1) && kind_of(pattern) == kind;
        for (uint32_t i = 0; counts && i < pattern->match_count; i++) {
            const struct npart__pattern_part *part = &matcher->oplist->pattern_parts.items[pattern->matches[i]];
            bool is_name = part->kind == NPART__PATTERN_NAME;
            struct part_op op = matcher->ops[is_name ? pattern->names[part->name].part : pattern->matches[i]];
            if (op.type != NPART_NONE && op.domain != NPART_NONE)
                roots[count++] = (struct root){.pattern = p, .part = pattern->matches[i], .op = op};
        }
    }
    matcher->roots = roots;
    matcher->root_count = count;
    return roots != NULL;
}

/* Without numbers of ops, roots and other matches, which callers add where they have many nodes to go through. */
static struct matcher matcher_of(const struct npart__target *target, const struct npart__session *session)
{
    return (struct matcher){.target = target,
                            .oplist = target->oplist,
                            .inference = session->inference,
                            .graph = session->graph,
                            .session = session};
}

/* Linear in nodes times the matches whose op they have. Shared nodes are judged last, when it is known which matches
 * they are in. */
bool npart__match_patterns(const struct npart__target *target, const struct npart__session *session,
                           const struct npart__beyond *beyond, struct npart__arena *arena, struct npart__units *out)
{
    const struct npart__graph *graph = session->graph;
    struct matcher matcher = matcher_of(target, session);
    matcher.beyond = beyond;
    out->unit_of = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *out->unit_of);
    out->fatal_rule_of = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *out->fatal_rule_of);
    out->last_of = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *out->last_of);
    if (!out->unit_of || !out->fatal_rule_of || !out->last_of)
        return false;
    matcher.unit_of = out->unit_of;
    matcher.ops = find_ops(target->oplist, graph, arena);
    matcher.shared_as = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *matcher.shared_as);
    if (!matcher.ops || !matcher.shared_as || !list_roots(&matcher, PATTERNS, arena))
        return false;
    /* Region by region, since no match goes across one's edge. */
    for (uint32_t scope = 0; matcher.root_count && scope < graph->scopes.count; scope++)
        if (npart__scope_at(graph, scope)->region == scope)
            match_region(&matcher, scope, out);
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        if (matcher.shared_as[i])
            judge_shared(&matcher, i, out);
    return true;
}

/* ---- a single place ---------------------------------------------------------------------------------------- */

/* All nodes are of one list: those of another, as round a body, may have other names for values. */
static bool is_of_one_list(const struct matcher *matcher)
{
    const struct npart__node *nodes = matcher->graph->nodes.items;
    for (uint32_t i = 1; i < matcher->unit.node_count; i++)
        if (nodes[matcher->unit.nodes[i]].scope != nodes[matcher->unit.nodes[0]].scope)
            return false;
    return true;
}

/* Of several forms the first that matches counts. Whether others use what lies within is not asked: a rewrite leaves
 * such nodes in place (lib/change/edit). */
bool npart__match_at(const struct npart__target *target, const struct npart__session *session,
                     const struct npart__pattern *pattern, uint32_t node, struct npart__match *out)
{
    struct matcher matcher = matcher_of(target, session);
    matcher.pattern = pattern;
    for (uint32_t i = 0; i < pattern->match_count; i++) {
        if (!find_nodes(&matcher, pattern->matches[i], node) || !is_of_one_list(&matcher) || !needs_hold(&matcher))
            continue;
        out->root = node;
        memcpy(out->values, matcher.unit.values, sizeof out->values);
        memcpy(out->makers, matcher.unit.makers, sizeof out->makers);
        return true;
    }
    return false;
}

/* Whether the match that ends in a node, by one of the pattern's alternatives, has the member. */
static bool ends_match_of(struct matcher *matcher, uint32_t pattern, uint32_t node, uint32_t member)
{
    const struct npart__pattern *at = &matcher->oplist->patterns.items[pattern];
    for (uint32_t i = 0; i < at->match_count; i++) {
        const struct root root = {.pattern = pattern, .part = at->matches[i]};
        if (!find_unit(matcher, &root, node))
            continue;
        for (uint32_t k = 0; k < matcher->unit.node_count; k++)
            if (matcher->unit.nodes[k] == member)
                return true;
    }
    return false;
}

/* From the member along users to the last node: all that use a member are of its match, so any of them leads there. Of
 * a shared node they may be of another match; then none is found. A late rule was asked of the shared node itself. */
bool npart__trial_in_match(struct npart__trial *trial, const struct npart__target *target,
                           const struct npart__session *session, const struct npart__rule *rule, uint32_t node,
                           uint32_t names[NPART__LIMIT_PATTERN_NAMES])
{
    const struct npart__graph *graph = session->graph;
    const struct npart__pattern *pattern = &target->oplist->patterns.items[rule->pattern - 1];
    npart__trial_init(trial, target, session, node);
    if (is_late(target->oplist, pattern, rule))
        return true;
    struct matcher matcher = matcher_of(target, session);
    uint32_t at = node;
    for (uint32_t steps = 0; at != NPART_NONE && steps < NPART__LIMIT_UNIT_NODES; steps++) {
        if (ends_match_of(&matcher, rule->pattern - 1, at, node)) {
            npart__trial_init(trial, target, session, rule->subject ? matcher.unit.makers[rule->subject - 1] : at);
            memcpy(names, matcher.unit.values, sizeof matcher.unit.values);
            trial->names = names;
            return true;
        }
        uint32_t next = NPART_NONE;
        const struct npart__node *from = npart__node_at(graph, at);
        for (uint32_t k = 0; k < from->output_count && next == NPART_NONE; k++) {
            uint32_t value = npart__node_output(graph, from, k);
            if (value != NPART_NONE && npart__user_count(session, value))
                next = npart__user(session, value, 0);
        }
        at = next;
    }
    return false;
}

/* ---- failures ---------------------------------------------------------------------------------------------- */

/* The user has placed it on the NPU, whatever the rules say of it. */
static bool is_assumed(const struct matcher *matcher, const struct npart__mask *mask, uint32_t id)
{
    uint32_t reason = mask->first_reason[id];
    return reason < mask->reasons.count && mask->reasons.items[reason].node == id &&
           mask->reasons.items[reason].rule == matcher->oplist->assumed_npu_rule;
}

/* Nodes that are not all accepted can never be in one partition, so they break nothing. A node that is undecided
 * is not compiled in the plan as it is, so it breaks nothing there. */
static bool add_failing(const struct matcher *matcher, struct npart__arena *arena, struct npart__mask *mask)
{
    const struct unit *unit = &matcher->unit;
    struct npart__failing found = {.first_node = mask->failing_nodes.count,
                                   .node_count = unit->node_count,
                                   .rule = matcher->pattern->unit_rule};
    for (uint32_t i = 0; i < unit->node_count; i++)
        if (mask->verdicts[unit->nodes[i]] != NPART_VERDICT_NPU || is_assumed(matcher, mask, unit->nodes[i]))
            return true;
    for (uint32_t i = 0; i < unit->node_count; i++)
        if (!NPART__PUSH(arena, &mask->failing_nodes, unit->nodes[i]))
            return false;
    return NPART__PUSH(arena, &mask->failing, found);
}

/* After all verdicts: a failure is about nodes that are taken, all of them, since what is on the CPU is not compiled.
 * Whether they also come to stand in one partition is asked later (npart__apply_failures). In the order of ids,
 * and one failure a node: the others of its rules would say no more. The search at a node ends with the first that
 * matches there with all its nodes on the NPU. */
bool npart__match_failures(const struct npart__target *target, const struct npart__session *session,
                           struct npart__arena *arena, struct npart__mask *mask)
{
    const struct npart__graph *graph = session->graph;
    struct matcher matcher = matcher_of(target, session);
    matcher.beyond = &mask->beyond;
    matcher.ops = find_ops(target->oplist, graph, arena);
    if (!matcher.ops || !list_roots(&matcher, FAILURES, arena))
        return false;
    for (uint32_t id = 0; matcher.root_count && id < graph->nodes.count; id++) {
        const struct npart__node *node = npart__node_at(graph, id);
        bool is_found = false; /* one reason is enough */
        for (uint32_t r = 0; mask->verdicts[id] == NPART_VERDICT_NPU && !is_found && r < matcher.root_count; r++) {
            const struct root *root = &matcher.roots[r];
            const uint32_t before = mask->failing.count;
            bool is_match = node->op_type == root->op.type && node->domain == root->op.domain &&
                            find_unit(&matcher, root, id);
            if (is_match && !add_failing(&matcher, arena, mask))
                return false;
            is_found = mask->failing.count > before;
        }
    }
    return true;
}

/* ---- refusals ---------------------------------------------------------------------------------------------- */

/* Of any live node, taken or not; the first in the order of ids is enough. */
bool npart__find_refusal(const struct npart__target *target, const struct npart__session *session,
                         const struct npart__beyond *beyond, struct npart__arena *arena, uint32_t *rule)
{
    const struct npart__graph *graph = session->graph;
    struct matcher matcher = matcher_of(target, session);
    matcher.beyond = beyond;
    matcher.ops = find_ops(target->oplist, graph, arena);
    *rule = NPART_NONE;
    if (!matcher.ops || !list_roots(&matcher, REFUSALS, arena))
        return false;
    for (uint32_t id = 0; matcher.root_count && *rule == NPART_NONE && id < graph->nodes.count; id++) {
        const struct npart__node *node = npart__node_at(graph, id);
        for (uint32_t r = 0; npart__is_live(session, id) && *rule == NPART_NONE && r < matcher.root_count; r++) {
            const struct root *root = &matcher.roots[r];
            if (node->op_type == root->op.type && node->domain == root->op.domain && find_unit(&matcher, root, id))
                *rule = matcher.pattern->unit_rule;
        }
    }
    return true;
}
