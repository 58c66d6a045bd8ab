/* SPDX-License-Identifier: Apache-2.0
 *
 * What the session fused, fusion patterns that the op list takes as one, and the patterns of fusions.def in what is
 * left. These are looked for twice at each place: as they are, and where one thing is wrong, which is then told.
 */
#include <stdlib.h>

#include "plan/fusions.h"

static const struct {
    const char *name, *steps;
} patterns[] = {
#define FUSION(name, steps) {name, steps},
#include "plan/fusions.def"
};

struct search {
    const struct npart__plan *plan;
    const struct npart__session *session;
    const struct npart__graph *graph;
    struct npart__matcher matcher;
    bool *is_taken; /* by node: it is in a fusion */
    struct npart__arena *arena;
    struct npart__fusions *out;
};

/* ---- what stops it ----------------------------------------------------------------------------------------- */

/* Reasons in the order in which a person would mend them: what the graph does, then where its nodes are, then the
 * type that it computes in. */
static struct npart__obstacle find_obstacle(const struct search *at, uint32_t last)
{
    const uint32_t *partition_of = at->plan->partitioning.partition_of;
    struct npart__obstacle leak = npart__match_leak(&at->matcher, last);
    uint32_t first = at->matcher.found.nodes[0];
    uint32_t value = npart__node_output(at->graph, npart__node_at(at->graph, last), 0);
    int type = npart__fact_of(at->session->inference, value)->element_type;
    if (leak.kind != NPART__NOTHING_WRONG)
        return leak;
    for (uint32_t i = 0; i < at->matcher.found.count; i++)
        if (partition_of[at->matcher.found.nodes[i]] == NPART_NONE)
            return (struct npart__obstacle){NPART__OFF_NPU, at->matcher.found.nodes[i], NPART_NONE};
    for (uint32_t i = 0; i < at->matcher.found.count; i++)
        if (partition_of[at->matcher.found.nodes[i]] != partition_of[first])
            return (struct npart__obstacle){NPART__OTHER_PARTITION, at->matcher.found.nodes[i], NPART_NONE};
    /* 0 is a type that is not known: nothing is said against it. */
    bool is_usual = type == NPART__UNDEFINED || type == NPART__FLOAT || type == NPART__FLOAT16;
    return (struct npart__obstacle){is_usual ? NPART__NOTHING_WRONG : NPART__WRONG_TYPE, NPART_NONE, value};
}

/* NULL when out of memory. The text is a half of a sentence that reports put after the pattern's name. */
static const char *obstacle_text(const struct search *at, const struct npart__obstacle *obstacle)
{
    char node[200] = "";
    int type;
    const char *name = obstacle->value == NPART_NONE ? "" : npart__value_name(at->graph, obstacle->value);
    if (obstacle->node != NPART_NONE)
        npart__describe_node(at->graph, npart__original(at->session->graph, obstacle->node), node, sizeof node);
    switch (obstacle->kind) {
    case NPART__CAST_BETWEEN:
        return npart__arena_format(at->arena, "%s is in between", node);
    case NPART__NOT_CONSTANT:
        return npart__arena_format(at->arena, "`%s` is not constant", name);
    case NPART__USED_ELSEWHERE:
        return npart__arena_format(at->arena, "`%s` is also used by %s", name, node);
    case NPART__IS_OUTPUT:
        return npart__arena_format(at->arena, "`%s` is an output of the graph", name);
    case NPART__OFF_NPU:
        return npart__arena_format(at->arena, "%s is not %s", node, at->plan->target.oplist->on_unit);
    case NPART__OTHER_PARTITION:
        return npart__arena_format(at->arena, "%s is in another partition", node);
    case NPART__WRONG_TYPE:
        type = npart__fact_of(at->session->inference, obstacle->value)->element_type;
        return npart__arena_format(at->arena, "the element type is %s", npart__type_name(type));
    default:
        return NULL;
    }
}

/* ---- results ----------------------------------------------------------------------------------------------- */

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
    const uint32_t *order = at->matcher.found.nodes;
    uint32_t last = npart__match_last(&at->matcher);
    struct npart__obstacle obstacle = at->matcher.found.obstacle;
    if (obstacle.kind == NPART__NOTHING_WRONG)
        obstacle = find_obstacle(at, last);
    if (obstacle.kind != NPART__NOTHING_WRONG) {
        fusion.state = NPART_FUSION_NEARLY;
        fusion.stopped_by = obstacle_text(at, &obstacle);
        fusion.node = obstacle.node == NPART_NONE ? NPART_NONE : npart__original(at->session->graph, obstacle.node);
        if (!fusion.stopped_by)
            return false;
    }
    for (uint32_t i = 0; i < at->matcher.found.count; i++)
        at->is_taken[order[i]] = true;
    return add(at, &fusion, order, at->matcher.found.count);
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
 * node's reasons (lib/plan/judge/match.c); failures and refusals are of another kind. Reasons of a node times patterns
 * of the list; both are few. */
static const struct npart__pattern *unit_of(const struct npart__plan *plan, uint32_t node)
{
    const struct npart__oplist *oplist = plan->target.oplist;
    for (uint32_t i = plan->mask.first_reason[node]; i < plan->mask.first_reason[node + 1]; i++)
        for (uint32_t p = 0; p < oplist->patterns.count; p++)
            if (!oplist->patterns.items[p].is_failure && !oplist->patterns.items[p].is_refusal &&
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
    struct search at = {
        .plan = plan, .session = &plan->session, .graph = plan->session.graph, .arena = arena, .out = out};
    memset(out, 0, sizeof *out);
    at.is_taken = npart__arena_zeroed(arena, at.graph->nodes.count + (size_t)1, sizeof *at.is_taken);
    if (!at.is_taken || !npart__matcher_init(&at.matcher, at.session, arena) || !add_session(&at) || !add_units(&at))
        return false;
    for (size_t p = 0; p < NPART__COUNT(patterns); p++) {
        if (!npart__matcher_read(&at.matcher, patterns[p].steps))
            continue;
        for (uint32_t i = 0; i < at.graph->order_count; i++) {
            uint32_t id = at.graph->order[i];
            /* Twice, so that a whole match is never told as one with something wrong. */
            if (!at.is_taken[id] && npart__may_begin(&at.matcher, id) &&
                (npart__matcher_find(&at.matcher, id, false) || npart__matcher_find(&at.matcher, id, true)) &&
                !add_found(&at, patterns[p].name))
                return false;
        }
    }
    npart__matcher_clear(&at.matcher);
    npart__arena_release(arena, at.is_taken);
    for (uint32_t i = 0, first = 0; i < out->items.count; first += out->items.items[i++].node_count)
        out->items.items[i].nodes = out->nodes.items + first;
    return true;
}
