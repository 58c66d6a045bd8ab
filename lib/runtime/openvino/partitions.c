/* SPDX-License-Identifier: Apache-2.0
 *
 * What ONNX Runtime's OpenVINO provider forms (core/providers/openvino/ov_versions/capability.cc, utils.cc, ONNX
 * Runtime 1.24): everything, when everything is accepted. Else ops of `partitions only-whole` lines are left to the
 * CPU; the runtime's order of nodes is split at each unsupported one; every run is split into connected subgraphs; a
 * subgraph of one node that is not the last joins the first later subgraph that it touches, or falls back; a subgraph
 * that the result of an op of `partitions drop leaving` lines leaves falls back, and so does one that nothing is fed
 * into. Whether subgraphs then wait for each other the provider does not ask; the runtime refuses such a graph.
 */
#include "openvino/openvino.h"

#define NO_SUBGRAPH NPART_NONE

/* A subgraph has the number of its step, so `size` and `dropped` are by step and may have gaps. */
struct grouping {
    struct npart__step_request *request;
    const struct npart__graph *graph;
    struct npart__walk walk; /* the runtime's order, and uses within the region */
    uint32_t *subgraph_of;  /* by place; NO_SUBGRAPH: unsupported */
    uint32_t *size;      /* by subgraph */
    uint32_t *dropped;   /* by subgraph: the rule, or NPART_NONE */
    bool *has_joined;    /* by place: a single node, in a subgraph that was not its own */
    bool *is_waiting;    /* by place: it has joined, and closes a cycle */
    uint32_t subgraph_count;
};

static uint32_t place_of(const struct grouping *grouping, uint32_t node)
{
    return grouping->request->place_of[node];
}

static uint32_t subgraph_of(const struct grouping *grouping, uint32_t node)
{
    return grouping->subgraph_of[place_of(grouping, node)];
}

/* ---- subgraphs ---------------------------------------------------------------------------------------------- */

/* The node is in no subgraph from now on; its reason is the rule. */
static void hand_back(struct grouping *grouping, uint32_t node, uint32_t rule)
{
    grouping->subgraph_of[place_of(grouping, node)] = NO_SUBGRAPH;
    npart__hand_back_node(grouping->request->back, node, rule);
}

/* How many nodes the provider sees: of a product that the runtime reshapes there are three. So a product in
 * another rank than 2 is never alone in its subgraph, though it is one node in the file. */
static uint32_t nodes_of(const struct grouping *grouping, uint32_t id)
{
    return grouping->request->session->remade[id] == NPART__REMADE_RESHAPED_PRODUCT ? 3 : 1;
}

/* Runs of the order first, then their connected parts. Each unsupported node is a run of its own, so that what stands
 * between two of them is not joined. What is accepted between two unsupported nodes of the order is one run,
 * wherever the graph joins it to others. Accepted A, B, unsupported U, V and accepted C are the runs 0, 1, 2 and 3; A
 * and B are one subgraph only where they touch. */
static void form_subgraphs(struct grouping *grouping)
{
    struct npart__step_request *request = grouping->request;
    uint32_t run = 0;
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = grouping->walk.order[i];
        bool differs = i > 0 && request->accepted[id] != request->accepted[grouping->walk.order[i - 1]];
        run += differs || (i > 0 && !request->accepted[id]) ? 1 : 0;
        request->step_of[id] = run;
    }
    npart__split_steps(request);
    grouping->subgraph_count = 0;
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = grouping->walk.order[i], step = request->step_of[id];
        grouping->subgraph_of[place_of(grouping, id)] = request->accepted[id] ? step : NO_SUBGRAPH;
        /* Zero for steps of the CPU, which is what tells them from subgraphs below. */
        if (request->accepted[id])
            grouping->size[step] += nodes_of(grouping, id);
        if (step >= grouping->subgraph_count)
            grouping->subgraph_count = step + 1;
    }
}

/* The first later subgraph that a node's edges lead to, or NO_SUBGRAPH. By number, which is the order in which
 * subgraphs begin. What feeds the node is in none: it would have joined this node first. */
static uint32_t subgraph_touched(const struct grouping *grouping, uint32_t id)
{
    const struct npart__walk *walk = &grouping->walk;
    uint32_t place = place_of(grouping, id), own = grouping->subgraph_of[place], best = NO_SUBGRAPH;
    for (uint32_t u = walk->first_use[place]; u < walk->first_use[place + 1]; u++) {
        uint32_t subgraph = subgraph_of(grouping, walk->uses[u]);
        if (subgraph != NO_SUBGRAPH && subgraph > own && subgraph < best)
            best = subgraph;
    }
    return best;
}

/* Goes in the runtime's order, so that a node which has joined makes the subgraph that it joins larger before that one
 * is looked at. The last subgraph may be a single node: the provider looks at each against those that follow it.
 * Each node is asked once, by its uses: linear in operands. A node that falls back keeps its step, which has no
 * other node. */
static void place_single_nodes(struct grouping *grouping)
{
    const uint32_t *rules = grouping->request->back->request->target->oplist->partitioner_rules;
    uint32_t last = NO_SUBGRAPH;
    for (uint32_t subgraph = 0; subgraph < grouping->subgraph_count; subgraph++)
        /* Steps of the CPU and gaps have no nodes. */
        if (grouping->size[subgraph])
            last = subgraph;
    for (uint32_t i = 0; i < grouping->request->count; i++) {
        uint32_t id = grouping->walk.order[i], subgraph = subgraph_of(grouping, id);
        if (subgraph == NO_SUBGRAPH || subgraph == last || grouping->size[subgraph] != 1)
            continue;
        uint32_t touched = subgraph_touched(grouping, id);
        grouping->size[subgraph] = 0;
        if (touched == NO_SUBGRAPH) {
            hand_back(grouping, id, rules[NPART__REASON_ALONE]);
            continue;
        }
        grouping->size[touched]++;
        grouping->subgraph_of[place_of(grouping, id)] = touched;
        grouping->has_joined[place_of(grouping, id)] = true;
        grouping->request->step_of[id] = touched;
    }
}

/* Whether the node's result is one of its subgraph and is used at all: outside, or inside where it is a result of the
 * graph, too. Uses in bodies are none of the region's; walk.c lists those of the region. */
static bool is_used_result(const struct grouping *grouping, uint32_t id)
{
    const struct npart__walk *walk = &grouping->walk;
    uint32_t place = place_of(grouping, id);
    uint32_t value = npart__node_output(grouping->graph, npart__node_at(grouping->graph, id), 0);
    /* A first result that the file leaves out is none of the graph's. */
    if (value != NPART_NONE && walk->first_use[place] < walk->first_use[place + 1] &&
        npart__value_at(grouping->graph, value)->is_graph_output)
        return true;
    for (uint32_t u = walk->first_use[place]; u < walk->first_use[place + 1]; u++)
        if (subgraph_of(grouping, walk->uses[u]) != grouping->subgraph_of[place])
            return true;
    return false;
}

/* Whether anything that is no constant comes into the subgraph's node from elsewhere. A value of another region
 * comes from elsewhere by itself. */
static bool is_fed(const struct grouping *grouping, uint32_t id)
{
    const struct npart__node *node = npart__node_at(grouping->graph, id);
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        uint32_t value = npart__live_operand(grouping->request->session, node, k);
        uint32_t producer = npart__producer_inside(grouping->request, node, k);
        if (value != NPART_NONE &&
            (producer == NPART_NONE || subgraph_of(grouping, producer) != subgraph_of(grouping, id)))
            return true;
    }
    return false;
}

/* Asked of every node and decided for its subgraph, then told to every node: three walks. Where both apply, the
 * drop by its op is what is told. */
static void drop_subgraphs(struct grouping *grouping, bool *is_fed_from_outside)
{
    const uint32_t *rules = grouping->request->back->request->target->oplist->partitioner_rules;
    for (uint32_t i = 0; i < grouping->request->count; i++) {
        uint32_t id = grouping->walk.order[i], subgraph = subgraph_of(grouping, id);
        uint32_t rule = npart__rule_of_op(grouping->request->back, NPART__POLICY_DROP_LEAVING, id);
        if (subgraph == NO_SUBGRAPH)
            continue;
        is_fed_from_outside[subgraph] |= is_fed(grouping, id);
        if (rule != NPART_NONE && is_used_result(grouping, id))
            grouping->dropped[subgraph] = rule;
    }
    for (uint32_t subgraph = 0; subgraph < grouping->subgraph_count; subgraph++)
        if (grouping->dropped[subgraph] == NPART_NONE && !is_fed_from_outside[subgraph])
            grouping->dropped[subgraph] = rules[NPART__REASON_NO_INPUT];
    for (uint32_t i = 0; i < grouping->request->count; i++) {
        uint32_t id = grouping->walk.order[i], subgraph = subgraph_of(grouping, id);
        if (subgraph != NO_SUBGRAPH && grouping->dropped[subgraph] != NPART_NONE)
            hand_back(grouping, id, grouping->dropped[subgraph]);
    }
}

/* ---- order -------------------------------------------------------------------------------------------------- */

/* What is run at once: a subgraph, or a node that is in none. Numbers of subgraphs first, then places. */
static uint32_t unit_of(const struct grouping *grouping, uint32_t node)
{
    uint32_t place = place_of(grouping, node), subgraph = grouping->subgraph_of[place];
    return subgraph == NO_SUBGRAPH ? grouping->subgraph_count + place : subgraph;
}

/* A node that has joined a later subgraph may have users that run before. */
static bool is_in_order(const struct grouping *grouping)
{
    const struct npart__step_request *request = grouping->request;
    for (uint32_t i = 0; i < request->count; i++) {
        const struct npart__node *node = npart__node_at(grouping->graph, request->order[i]);
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t producer = npart__producer_inside(request, node, k);
            if (producer != NPART_NONE && request->step_of[producer] > request->step_of[request->order[i]])
                return false;
        }
    }
    return true;
}

/* Units in an order in which each can be run. All arrays are as long as there are units, `order` as there are nodes. */
struct schedule {
    uint32_t *pending;      /* by unit: operands that others have not made yet */
    uint32_t *first_member; /* by unit, NPART_NONE at its end */
    uint32_t *next_member;  /* by place */
    uint32_t *order;        /* nodes that can be run, members of a unit next to each other */
    uint32_t count;         /* of `order` */
};

static bool open_schedule(const struct grouping *grouping, struct schedule *out)
{
    struct npart__arena *arena = grouping->request->arena;
    size_t nodes = grouping->request->count + (size_t)1, units = nodes + grouping->subgraph_count;
    out->pending = npart__arena_allocate(arena, units * sizeof *out->pending);
    out->first_member = npart__arena_allocate(arena, units * sizeof *out->first_member);
    out->next_member = npart__arena_allocate(arena, nodes * sizeof *out->next_member);
    out->order = npart__arena_allocate(arena, nodes * sizeof *out->order);
    return out->pending && out->first_member && out->next_member && out->order;
}

/* By how much each unit waits, and what belongs to it. From the end, so that members keep the walk's order. */
static void fill_schedule(const struct grouping *grouping, struct schedule *at)
{
    size_t units = grouping->request->count + (size_t)1 + grouping->subgraph_count;
    memset(at->pending, 0, units * sizeof *at->pending);
    memset(at->first_member, 0xff, units * sizeof *at->first_member);
    at->count = 0;
    for (uint32_t i = grouping->request->count; i-- > 0;) {
        uint32_t id = grouping->walk.order[i], unit = unit_of(grouping, id);
        const struct npart__node *node = npart__node_at(grouping->graph, id);
        at->next_member[place_of(grouping, id)] = at->first_member[unit];
        at->first_member[unit] = id;
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t producer = npart__producer_inside(grouping->request, node, k);
            at->pending[unit] += producer != NPART_NONE && unit_of(grouping, producer) != unit;
        }
    }
}

static void put_unit(const struct grouping *grouping, struct schedule *at, uint32_t unit)
{
    for (uint32_t id = at->first_member[unit]; id != NPART_NONE; id = at->next_member[place_of(grouping, id)])
        at->order[at->count++] = id;
}

/* Kahn's algorithm over units; linear in uses. Where units wait for each other some are left. */
static void run_schedule(const struct grouping *grouping, struct schedule *at)
{
    const struct npart__walk *walk = &grouping->walk;
    for (uint32_t i = 0; i < grouping->request->count; i++) {
        uint32_t unit = unit_of(grouping, walk->order[i]);
        if (at->pending[unit] == 0 && at->first_member[unit] == walk->order[i])
            put_unit(grouping, at, unit);
    }
    for (uint32_t i = 0; i < at->count; i++) {
        uint32_t place = place_of(grouping, at->order[i]), own = unit_of(grouping, at->order[i]);
        for (uint32_t u = walk->first_use[place]; u < walk->first_use[place + 1]; u++) {
            uint32_t unit = unit_of(grouping, walk->uses[u]);
            if (unit != own && --at->pending[unit] == 0)
                put_unit(grouping, at, unit);
        }
    }
}

/* Nodes that joined and wait in the end close a cycle, or come after one: the provider does not look, and the runtime
 * refuses the graph that it is left with. */
static void refuse_waiting(struct grouping *grouping, const struct schedule *at)
{
    const uint32_t *rules = grouping->request->back->request->target->oplist->partitioner_rules;
    for (uint32_t i = 0; i < grouping->request->count; i++) {
        uint32_t id = grouping->walk.order[i], place = place_of(grouping, id);
        if (grouping->has_joined[place] && at->pending[unit_of(grouping, id)] > 0)
            grouping->is_waiting[place] = true;
    }
    for (uint32_t i = 0; i < grouping->request->count; i++)
        if (grouping->is_waiting[place_of(grouping, grouping->walk.order[i])])
            hand_back(grouping, grouping->walk.order[i], rules[NPART__REASON_CYCLE]);
}

/* Each unit gets a step of its own, where steps are not in order any more. Once the nodes that closed cycles are in
 * no subgraph, all units can be run: without what has joined, they are stretches of the walk. */
static bool order_steps(struct grouping *grouping)
{
    struct schedule at;
    if (is_in_order(grouping))
        return true;
    if (!open_schedule(grouping, &at))
        return false;
    fill_schedule(grouping, &at);
    run_schedule(grouping, &at);
    if (at.count < grouping->request->count) {
        refuse_waiting(grouping, &at);
        fill_schedule(grouping, &at);
        run_schedule(grouping, &at);
    }
    NPART__ASSERT(at.count == grouping->request->count, "%u of %u nodes", at.count, grouping->request->count);
    for (uint32_t i = 0, step = 0; i < at.count; i++) {
        step += i > 0 && unit_of(grouping, at.order[i]) != unit_of(grouping, at.order[i - 1]) ? 1 : 0;
        grouping->request->step_of[at.order[i]] = step;
    }
    return true;
}

/* Where everything is accepted there is one subgraph, of step 0, and no further question. The list's ops of
 * `only-whole` lines are then taken, too, which is why these lines are asked only after that. */
void npart__step_by_openvino(struct npart__step_request *request)
{
    struct npart__arena *arena = request->arena;
    size_t nodes = request->count + (size_t)1;
    struct grouping grouping = {.request = request, .graph = request->graph};
    grouping.subgraph_of = npart__arena_zeroed(arena, nodes, sizeof *grouping.subgraph_of);
    grouping.size = npart__arena_zeroed(arena, nodes, sizeof *grouping.size);
    grouping.dropped = npart__arena_allocate(arena, nodes * sizeof *grouping.dropped);
    bool *is_fed_from_outside = npart__arena_zeroed(arena, nodes, sizeof *is_fed_from_outside);
    grouping.has_joined = npart__arena_zeroed(arena, nodes, sizeof *grouping.has_joined);
    grouping.is_waiting = npart__arena_zeroed(arena, nodes, sizeof *grouping.is_waiting);
    bool is_ready = grouping.subgraph_of && grouping.size && grouping.dropped && grouping.has_joined &&
                    grouping.is_waiting && is_fed_from_outside;
    if (!is_ready || !npart__walk_region(request, &grouping.walk)) {
        request->failed = true;
        return;
    }
    memset(grouping.dropped, 0xff, nodes * sizeof *grouping.dropped);
    uint32_t refused = 0;
    for (uint32_t i = 0; i < request->count; i++) {
        /* One step for all, until something is known to fall back. */
        request->step_of[grouping.walk.order[i]] = 0;
        refused += !request->accepted[grouping.walk.order[i]];
    }
    if (refused == 0)
        return;
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t rule = npart__rule_of_op(request->back, NPART__POLICY_ONLY_WHOLE, grouping.walk.order[i]);
        if (rule != NPART_NONE)
            hand_back(&grouping, grouping.walk.order[i], rule);
    }
    /* npart__split_steps numbers parts in the order that it is given. */
    const uint32_t *file_order = request->order;
    request->order = grouping.walk.order;
    form_subgraphs(&grouping);
    if (!request->failed) {
        place_single_nodes(&grouping);
        drop_subgraphs(&grouping, is_fed_from_outside);
        request->failed |= !order_steps(&grouping);
    }
    request->order = file_order;
}

/* Whether the provider leaves a body to its node that it takes as a whole: a branch, which has no inputs, and one that
 * it takes to be too small (`partitions drop whole`), whichever of its nodes is first. */
static bool is_left_whole(const struct npart__hand_back *to, const struct npart__scope *scope, uint32_t live)
{
    for (uint32_t i = 0; scope->input_count && i < scope->order_count; i++) {
        uint32_t node = to->graph->order[scope->first_order + i];
        const struct npart__policy *policy = npart__policy_of_op(to, NPART__POLICY_DROP_SMALL_WHOLE, node);
        if (npart__is_live(to->request->session, node) && (!policy || live > policy->number))
            return false;
    }
    return true;
}

/* The provider is asked about bodies first, and compiles what it takes of one: of a branch, whose graph has no inputs,
 * only where it does not take the whole. Then it claims the node that holds it, and OpenVINO meets its own compiled
 * nodes in there, or does not find what the body captures (probe: onnxruntime-openvino 1.24.1, 112 Loops; "does not
 * support ... OpenVINO-EP-subgraph", "not found in graph cache", a crash). A body of which nothing is compiled is read
 * as it is. */
bool npart__fail_parted_bodies(struct npart__hand_back *to)
{
    const struct npart__graph *graph = to->graph;
    const struct npart__session *session = to->request->session;
    uint32_t rule = to->request->target->oplist->partitioner_rules[NPART__REASON_PARTED_BODY];
    bool is_any = false;
    for (uint32_t s = 0; s < graph->scopes.count; s++) {
        const struct npart__scope *scope = npart__scope_at(graph, s);
        bool holds = scope->region == s && scope->kind == NPART_GRAPH_BODY && npart__is_live(session, scope->node) &&
                     to->request->accepted[scope->node];
        uint32_t live = 0, taken = 0;
        for (uint32_t i = 0; holds && i < scope->order_count; i++) {
            uint32_t node = graph->order[scope->first_order + i];
            live += npart__is_live(session, node);
            taken += npart__is_live(session, node) && to->request->accepted[node];
        }
        if (taken == 0 || (taken == live && is_left_whole(to, scope, live)))
            continue;
        npart__hand_back_node(to, scope->node, rule);
        is_any = true;
    }
    return is_any;
}
