/* SPDX-License-Identifier: Apache-2.0
 *
 * What the session fused, fusion patterns that the op list takes as one, and the patterns of fusions.def in what is
 * left. These are looked for twice at each place: as they are, and where one thing is wrong, which is then told.
 *
 */
#include <stdlib.h>

#include "plan/fusions.h"

/* A letter of a pattern is one of so many values. */
#define LETTERS 26
#define ANY_OPERAND UINT8_MAX

/* A step of fusions.def, read from its text each time its pattern is looked for: the table has some thirty of them. */
struct step {
    const char *ops; /* with '/' between */
    size_t op_bytes;
    char operands[6]; /* letters, or '*', '#', '~' */
    uint8_t operand_count;
    char result; /* a letter */
    bool is_optional;
};

static const struct {
    const char *name, *steps;
} patterns[] = {
#define FUSION(name, steps) {name, steps},
#include "plan/fusions.def"
};

/* The first two are met while a pattern is matched, the others looked for in what has matched. */
enum obstacle_kind {
    NOTHING_WRONG,
    CAST_BETWEEN,
    NOT_CONSTANT,
    USED_ELSEWHERE,
    IS_OUTPUT,
    OFF_NPU,
    OTHER_PARTITION,
    WRONG_TYPE
};

/* What is wrong. */
struct obstacle {
    enum obstacle_kind kind;
    uint32_t node;  /* the Cast, or the user */
    uint32_t value;
};

/* A match under way. It is small and copied, so that a try that fails is taken back by assigning the copy. */
struct found {
    uint32_t values[LETTERS];                 /* by letter; NPART_NONE: not bound */
    uint32_t nodes[NPART__LIMIT_FUSION_STEPS]; /* by step */
    uint32_t count;
    struct obstacle obstacle;
};

/* Names are compared once for a pattern, and not at each node. */
struct op {
    const char *name;
    uint16_t steps; /* of the pattern at hand, a bit each: those that the op can be */
};

struct search {
    const struct npart__plan *plan;
    const struct npart__session *session;
    const struct npart__graph *graph;
    struct step steps[NPART__LIMIT_FUSION_STEPS];
    uint32_t step_count, tries; /* tries: of the place at hand */
    bool allows_obstacle; /* one thing may be wrong; the second look at a place */
    bool *is_taken; /* by node: it is in a fusion */
    uint32_t *op_of; /* by interned text: the op's place in `ops`; 0 where no node has it */
    struct NPART__ARRAY(struct op) ops;
    struct found found;
    struct npart__arena *arena;
    struct npart__fusions *out;
};

/* ---- the table --------------------------------------------------------------------------------------------- */

/* One step from the text; the text after it. The table is the library's own, so it is as it should be. "?Mul n # =
 * g; ..." is an optional Mul of the value n and a constant, which makes g. */
static const char *read_step(const char *text, struct step *out)
{
    *out = (struct step){.is_optional = *text == '?'};
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
static bool names_op(const struct step *step, const char *op)
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
static void read_pattern(struct search *at, const char *text)
{
    at->step_count = 0;
    while (*text && at->step_count < NPART__LIMIT_FUSION_STEPS)
        text = read_step(text, &at->steps[at->step_count++]);
    for (uint32_t i = 0; i < at->ops.count; i++) {
        at->ops.items[i].steps = 0;
        for (uint32_t k = 0; k < at->step_count; k++)
            at->ops.items[i].steps |= (uint16_t)(names_op(&at->steps[k], at->ops.items[i].name) << k);
    }
}

/* The ops that nodes have; no text is the one before them. */
static bool list_ops(struct search *at)
{
    at->op_of = npart__arena_zeroed(at->arena, at->graph->strings.texts.count + (size_t)1, sizeof *at->op_of);
    bool is_ok = at->op_of && NPART__PUSH(at->arena, &at->ops, ((struct op){.name = ""}));
    for (uint32_t i = 0; is_ok && i < at->graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(at->graph, i);
        if (at->op_of[node->op_type])
            continue;
        at->op_of[node->op_type] = at->ops.count;
        is_ok = NPART__PUSH(at->arena, &at->ops, ((struct op){.name = npart__node_op(at->graph, node)}));
    }
    return is_ok;
}

static bool has_op(const struct search *at, uint32_t step, uint32_t id)
{
    return at->ops.items[at->op_of[npart__node_at(at->graph, id)->op_type]].steps >> step & 1;
}

/* ---- matching ---------------------------------------------------------------------------------------------- */

static bool match_from(struct search *at, uint32_t step);

/* Notes what is wrong; false where nothing may be, or something is already. With two things wrong a pattern is not
 * nearly there. What was noted is taken back with the match (struct found), so a try that fails leaves no
 * obstacle. */
static bool obstruct(struct search *at, enum obstacle_kind kind, uint32_t node, uint32_t value)
{
    if (!at->allows_obstacle || at->found.obstacle.kind != NOTHING_WRONG)
        return false;
    at->found.obstacle.kind = kind;
    at->found.obstacle.node = node;
    at->found.obstacle.value = value;
    return true;
}

/* The Cast that makes the value, or NPART_NONE. */
static uint32_t cast_of(const struct search *at, uint32_t value)
{
    uint32_t producer = npart__producer(at->graph, value);
    bool is_cast = producer != NPART_NONE && npart__is_live(at->session, producer) &&
                   npart__node_plays(at->graph, npart__node_at(at->graph, producer), NPART__ROLE_CASTS);
    return is_cast ? producer : NPART_NONE;
}

/* A letter stands for one value wherever it stands. A Cast between two uses of it is what most often keeps a runtime
 * from fusing, so it counts as an obstacle that is told, and not as another value. */
static bool match_value(struct search *at, char letter, uint32_t value)
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
    return obstruct(at, CAST_BETWEEN, cast, value);
}

/* `*` is any operand, `#` a constant, `~` one that should be constant, a letter a value that is not constant. That a
 * weight comes in at run time is told as an obstacle; all else that differs is no match. Operands beyond those of
 * the step do not matter: a Clip's bounds, a Conv's bias. */
static bool match_operands(struct search *at, const struct step *step, const struct npart__node *node, bool is_swapped)
{
    for (uint32_t k = 0; k < step->operand_count; k++) {
        uint32_t value = npart__node_input(at->graph, node, is_swapped ? 1 - k : k);
        char wanted = step->operands[k];
        if (wanted == '*')
            continue;
        if (value == NPART_NONE)
            return false;
        bool is_constant = at->session->is_constant[value];
        if (wanted == '#' || wanted == '~') {
            if (!is_constant && (wanted == '#' || !obstruct(at, NOT_CONSTANT, NPART_NONE, value)))
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
static bool match_node(struct search *at, uint32_t number, uint32_t id)
{
    const struct step *step = &at->steps[number];
    const struct npart__node *node = npart__node_at(at->graph, id);
    struct found before = at->found;
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
static bool match_users(struct search *at, uint32_t step, uint32_t value)
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
static bool match_maker(struct search *at, uint32_t step, uint32_t value)
{
    uint32_t producer = npart__producer(at->graph, value), cast = cast_of(at, value);
    struct found before = at->found;
    if (producer != NPART_NONE && match_node(at, step, producer))
        return true;
    if (cast == NPART_NONE || !obstruct(at, CAST_BETWEEN, cast, value))
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
static bool match_from(struct search *at, uint32_t number)
{
    if (number == at->step_count)
        return true;
    const struct step *step = &at->steps[number];
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

/* ---- what stops it ----------------------------------------------------------------------------------------- */

/* A Cast in between belongs to the match as well: that it uses a value is no use elsewhere. */
static bool is_member(const struct search *at, uint32_t node)
{
    for (uint32_t i = 0; i < at->found.count; i++)
        if (at->found.nodes[i] == node)
            return true;
    return at->found.obstacle.kind == CAST_BETWEEN && at->found.obstacle.node == node;
}

/* A result that the fused node would not have. The last node's result is what the fused node would make, so that
 * one may go anywhere. */
static struct obstacle find_leak(const struct search *at, uint32_t last)
{
    /* A node's first result is looked at, as patterns name no other. */
    for (uint32_t i = 0; i < at->found.count; i++) {
        uint32_t value = npart__node_output(at->graph, npart__node_at(at->graph, at->found.nodes[i]), 0);
        if (at->found.nodes[i] == last || value == NPART_NONE)
            continue;
        if (npart__value_at(at->graph, value)->is_graph_output)
            return (struct obstacle){IS_OUTPUT, at->found.nodes[i], value};
        for (uint32_t k = 0; k < npart__user_count(at->session, value); k++)
            if (!is_member(at, npart__user(at->session, value, k)))
                return (struct obstacle){USED_ELSEWHERE, npart__user(at->session, value, k), value};
    }
    return (struct obstacle){NOTHING_WRONG, NPART_NONE, NPART_NONE};
}

/* Reasons in the order in which a person would mend them: what the graph does, then where its nodes are, then the
 * type that it computes in. */
static struct obstacle find_obstacle(const struct search *at, uint32_t last)
{
    const uint32_t *partition_of = at->plan->partitioning.partition_of;
    struct obstacle leak = find_leak(at, last);
    uint32_t first = at->found.nodes[0], value = npart__node_output(at->graph, npart__node_at(at->graph, last), 0);
    int type = npart__fact_of(at->session->inference, value)->element_type;
    if (leak.kind != NOTHING_WRONG)
        return leak;
    for (uint32_t i = 0; i < at->found.count; i++)
        if (partition_of[at->found.nodes[i]] == NPART_NONE)
            return (struct obstacle){OFF_NPU, at->found.nodes[i], NPART_NONE};
    for (uint32_t i = 0; i < at->found.count; i++)
        if (partition_of[at->found.nodes[i]] != partition_of[first])
            return (struct obstacle){OTHER_PARTITION, at->found.nodes[i], NPART_NONE};
    /* 0 is a type that is not known: nothing is said against it. */
    bool is_usual = type == 0 || type == npart__type_number("float32", 7) || type == npart__type_number("float16", 7);
    return (struct obstacle){is_usual ? NOTHING_WRONG : WRONG_TYPE, NPART_NONE, value};
}

/* NULL when out of memory. The text is a half of a sentence that reports put after the pattern's name. */
static const char *obstacle_text(const struct search *at, const struct obstacle *obstacle)
{
    char node[200] = "";
    int type;
    const char *name = obstacle->value == NPART_NONE ? "" : npart__value_name(at->graph, obstacle->value);
    if (obstacle->node != NPART_NONE)
        npart__describe_node(at->graph, npart__original(at->session->graph, obstacle->node), node, sizeof node);
    switch (obstacle->kind) {
    case CAST_BETWEEN:
        return npart__arena_format(at->arena, "%s is in between", node);
    case NOT_CONSTANT:
        return npart__arena_format(at->arena, "`%s` is not constant", name);
    case USED_ELSEWHERE:
        return npart__arena_format(at->arena, "`%s` is also used by %s", name, node);
    case IS_OUTPUT:
        return npart__arena_format(at->arena, "`%s` is an output of the graph", name);
    case OFF_NPU:
        return npart__arena_format(at->arena, "%s is not %s", node, at->plan->target.oplist->on_unit);
    case OTHER_PARTITION:
        return npart__arena_format(at->arena, "%s is in another partition", node);
    case WRONG_TYPE:
        type = npart__fact_of(at->session->inference, obstacle->value)->element_type;
        return npart__arena_format(at->arena, "the element type is %s", npart__type_name(type));
    default:
        return NULL;
    }
}

/* ---- results ----------------------------------------------------------------------------------------------- */

/* Whether a node of the fusion takes the value. What the nodes take is looked through: a value may have any number of
 * users, and be in as many fusions. */
static bool is_taken_inside(const struct search *at, uint32_t value)
{
    for (uint32_t i = 0; i < at->found.count; i++)
        for (uint32_t k = 0; k < NPART__LIMIT_FUSION_OPERANDS; k++)
            if (npart__node_input(at->graph, npart__node_at(at->graph, at->found.nodes[i]), k) == value)
                return true;
    const struct obstacle *obstacle = &at->found.obstacle;
    return obstacle->kind == CAST_BETWEEN &&
           npart__node_input(at->graph, npart__node_at(at->graph, obstacle->node), 0) == value;
}

/* Adds nodes by their places in the file. Copies of the session's have the places of what they are copied from. Where
 * the list of nodes begins is known at the end, as it grows. */
static bool add(struct search *at, struct npart_fusion *fusion, const uint32_t *nodes, uint32_t count)
{
    uint32_t first = at->out->nodes.count;
    for (uint32_t i = 0; i < count; i++)
        if (!NPART__PUSH(at->arena, &at->out->nodes, npart__original(at->session->graph, nodes[i])))
            return false;
    fusion->node_count = count;
    qsort(at->out->nodes.items + first, count, sizeof *nodes, npart__compare_uint32);
    return NPART__PUSH(at->arena, &at->out->items, *fusion);
}

/* Nodes of a pattern that is nearly there are taken as well, so none of them begins a shorter one. */
static bool add_found(struct search *at, const char *name)
{
    struct npart_fusion fusion = {
        .size = sizeof fusion, .pattern = name, .state = NPART_FUSION_SEPARATE, .node = NPART_NONE};
    const uint32_t *order = at->found.nodes;
    uint32_t last = order[at->found.count - 1];
    /* Steps stand in the order in which they are found, which is not that of the data: the last node is the one whose
     * result leaves. */
    for (uint32_t i = 0; i < at->found.count; i++) { /* the one whose result no other takes */
        uint32_t value = npart__node_output(at->graph, npart__node_at(at->graph, order[i]), 0);
        if (!is_taken_inside(at, value))
            last = order[i];
    }
    struct obstacle obstacle = at->found.obstacle;
    if (obstacle.kind == NOTHING_WRONG)
        obstacle = find_obstacle(at, last);
    if (obstacle.kind != NOTHING_WRONG) {
        fusion.state = NPART_FUSION_NEARLY;
        fusion.stopped_by = obstacle_text(at, &obstacle);
        fusion.node = obstacle.node == NPART_NONE ? NPART_NONE : npart__original(at->session->graph, obstacle.node);
        if (!fusion.stopped_by)
            return false;
    }
    for (uint32_t i = 0; i < at->found.count; i++)
        at->is_taken[order[i]] = true;
    return add(at, &fusion, order, at->found.count);
}

/* Twice, so that a whole match is never told as one with something wrong. What the first look has bound is
 * forgotten before the second. */
static bool search_at(struct search *at, uint32_t id)
{
    for (int allows = 0; allows <= 1; allows++) {
        memset(&at->found, 0, sizeof at->found);
        memset(at->found.values, 0xff, sizeof at->found.values);
        at->found.obstacle.node = at->found.obstacle.value = NPART_NONE;
        at->allows_obstacle = allows;
        at->tries = 0;
        if (match_node(at, 0, id))
            return true;
    }
    return false;
}

/* ---- what the runtime and the target fuse ------------------------------------------------------------------ */

/* "Conv+Mul+Add"; NULL when out of memory. In the order of the file, as the members are. */
static const char *ops_of(const struct search *at, const uint32_t *nodes, uint32_t count)
{
    const struct npart__graph *graph = at->session->file;
    struct npart__buffer name = {.arena = at->arena};
    for (uint32_t i = 0; i < count; i++) {
        npart__append_text(&name, i ? "+" : "");
        npart__append_text(&name, npart__node_op(graph, npart__node_at(graph, nodes[i])));
    }
    return npart__made_text(&name);
}

/* Nodes that belong to one: `root_of` by node. They are listed root by root. Two walks of lists, not one search a
 * group: linear however many there are. */
static bool add_groups(struct search *at, const uint32_t *root_of, const char *const *names)
{
    uint32_t nodes = at->session->file->nodes.count;
    uint32_t *first = npart__arena_allocate(at->arena, (nodes + (size_t)1) * sizeof *first);
    uint32_t *next = npart__arena_allocate(at->arena, (nodes + (size_t)1) * sizeof *next);
    uint32_t *members = npart__arena_allocate(at->arena, (nodes + (size_t)1) * sizeof *members);
    if (!first || !next || !members)
        return false;
    /* From the last to the first, so that each list is in the order of ids. */
    memset(first, 0xff, (nodes + (size_t)1) * sizeof *first);
    for (uint32_t i = nodes; i-- > 0;)
        if (root_of[i] != NPART_NONE) {
            next[i] = first[root_of[i]];
            first[root_of[i]] = i;
        }
    for (uint32_t r = 0; r < nodes; r++) {
        uint32_t count = 0;
        for (uint32_t i = first[r]; i != NPART_NONE; i = next[i]) {
            members[count++] = i; /* in the order of ids, the file's */
            /* What the op list takes as one is no candidate of the table any more; what the session fused is one node
             * there, and may be part of a larger pattern. */
            at->is_taken[i] |= names != NULL;
        }
        struct npart_fusion fusion = {.size = sizeof fusion, .state = NPART_FUSION_FUSED, .node = NPART_NONE};
        /* One node by itself is fused with nothing. */
        if (count < 2)
            continue;
        fusion.pattern = names ? names[r] : ops_of(at, members, count);
        if (!fusion.pattern || !add(at, &fusion, members, count))
            return false;
    }
    return true;
}

/* What the session has fused into one node, chains of fusions included, is one fusion: its root stands for it. The
 * node that stays is of the fusion, too: it is its own root. */
static bool add_session(struct search *at)
{
    uint32_t nodes = at->session->file->nodes.count;
    uint32_t *root_of = npart__arena_allocate(at->arena, (nodes + (size_t)1) * sizeof *root_of);
    if (!root_of)
        return false;
    memset(root_of, 0xff, (nodes + (size_t)1) * sizeof *root_of);
    for (uint32_t i = 0; i < nodes; i++)
        if (at->session->into[i] != NPART_NONE && !npart__repeats(at->session, i))
            root_of[i] = npart__fused_into(at->session, i);
    for (uint32_t i = 0; i < nodes; i++)
        if (root_of[i] != NPART_NONE && root_of[i] < nodes)
            root_of[root_of[i]] = root_of[i];
    return add_groups(at, root_of, NULL);
}

/* The pattern of the list whose match the node is part of, or NULL. A match leaves its pattern's rule among the
 * node's reasons (lib/plan/judge/match.c); failures are patterns of another kind. Reasons of a node times patterns of
 * the list; both are few. */
static const struct npart__pattern *unit_of(const struct npart__plan *plan, uint32_t node)
{
    const struct npart__oplist *oplist = plan->target.oplist;
    for (uint32_t i = plan->mask.first_reason[node]; i < plan->mask.first_reason[node + 1]; i++)
        for (uint32_t p = 0; p < oplist->patterns.count; p++)
            if (!oplist->patterns.items[p].is_failure &&
                oplist->patterns.items[p].unit_rule == plan->mask.reasons.items[i].rule)
                return &oplist->patterns.items[p];
    return NULL;
}

/* Matches of one pattern that touch are told as one. */
static bool add_units(struct search *at)
{
    const struct npart__graph *graph = at->session->file;
    uint32_t nodes = graph->nodes.count;
    uint32_t *root_of = npart__arena_allocate(at->arena, (nodes + (size_t)1) * sizeof *root_of);
    const char **names = npart__arena_zeroed(at->arena, nodes + (size_t)1, sizeof *names);
    if (!root_of || !names)
        return false;
    memset(root_of, 0xff, (nodes + (size_t)1) * sizeof *root_of);
    /* In the order of the graph, so producers have been met. */
    for (uint32_t i = 0; i < graph->order_count; i++) {
        uint32_t id = graph->order[i];
        const struct npart__pattern *pattern =
            npart__is_live(at->session, id) ? unit_of(at->plan, id) : NULL;
        if (!pattern)
            continue;
        names[id] = pattern->name;
        root_of[id] = id;
        const struct npart__node *node = npart__node_at(at->graph, id);
        for (uint32_t k = 0; k < node->input_count; k++) {
            uint32_t producer = npart__producer(graph, npart__operand_past_copies(at->session, node, k));
            if (producer != NPART_NONE && producer < nodes && names[producer] == pattern->name)
                root_of[npart__root_of(root_of, producer)] = id;
        }
    }
    for (uint32_t i = 0; i < nodes; i++)
        if (root_of[i] != NPART_NONE)
            root_of[i] = npart__root_of(root_of, i);
    return add_groups(at, root_of, names);
}

/* First what is fused for certain, so that no pattern is told of nodes that are in a fusion already; then the table
 * in its order, longer patterns first. */
bool npart__find_fusions(const struct npart__plan *plan, struct npart__arena *arena, struct npart__fusions *out)
{
    struct search at = {.plan = plan,
                        .session = &plan->session,
                        .graph = plan->session.graph,
                        .arena = arena,
                        .out = out};
    memset(out, 0, sizeof *out);
    at.is_taken = npart__arena_zeroed(arena, at.graph->nodes.count + (size_t)1, sizeof *at.is_taken);
    if (!at.is_taken || !list_ops(&at) || !add_session(&at) || !add_units(&at))
        return false;
    for (size_t p = 0; p < NPART__COUNT(patterns); p++) {
        read_pattern(&at, patterns[p].steps);
        for (uint32_t i = 0; i < at.graph->order_count; i++) {
            uint32_t id = at.graph->order[i];
            if (!at.is_taken[id] && npart__is_live(at.session, id) && has_op(&at, 0, id) &&
                search_at(&at, id) && !add_found(&at, patterns[p].name))
                return false;
        }
    }
    npart__arena_release(arena, at.op_of);
    npart__arena_release(arena, at.is_taken);
    for (uint32_t i = 0, first = 0; i < out->items.count; first += out->items.items[i++].node_count)
        out->items.items[i].nodes = out->nodes.items + first;
    return true;
}
