/* SPDX-License-Identifier: Apache-2.0
 *
 * Rounds of partitioning. ONNX Runtime compiles what it took in a round into one node each, and then asks about what it
 * has inlined since: so the partitions of a round are fixed, and those of the next stand between them.
 */
#include "partition/steps.h"

/* `accepted` is the truth over all rounds; the request's own array shows the partitioner one round at a time. */
struct rounds {
    struct npart__step_request *request;
    bool *accepted;     /* by place, in any round */
    uint32_t *subgraph_of; /* by place: the partition of an earlier round, or NPART_NONE */
    uint32_t *of_step; /* by step: the subgraph of this round */
    uint32_t subgraph_count;
    /* for the order of subgraphs and single nodes */
    uint32_t *pending; /* by subgraph, then by place: operands that have not been made */
    uint32_t *first_member, *members; /* by subgraph */
    uint32_t *nodes, *subgraphs; /* queues of what is ready */
    uint32_t *order;
};

/* Allocated once for all rounds of a region: there may be as many rounds as nodes. A stepper gives waves two steps
 * each, hence the length of of_step. There are no more subgraphs than nodes, so arrays by subgraph are as long;
 * `pending` has both. */
static bool open_rounds(struct rounds *at)
{
    struct npart__arena *arena = at->request->arena;
    size_t nodes = at->request->count + (size_t)2;
    at->accepted = npart__arena_allocate(arena, nodes * sizeof *at->accepted);
    at->subgraph_of = npart__arena_allocate(arena, nodes * sizeof *at->subgraph_of);
    at->of_step = npart__arena_allocate(arena, (2 * nodes + 2) * sizeof *at->of_step);
    at->pending = npart__arena_allocate(arena, 2 * nodes * sizeof *at->pending);
    at->first_member = npart__arena_allocate(arena, nodes * sizeof *at->first_member);
    at->members = npart__arena_allocate(arena, nodes * sizeof *at->members);
    at->nodes = npart__arena_allocate(arena, nodes * sizeof *at->nodes);
    at->subgraphs = npart__arena_allocate(arena, nodes * sizeof *at->subgraphs);
    at->order = npart__arena_allocate(arena, nodes * sizeof *at->order);
    if (!at->accepted || !at->subgraph_of || !at->of_step || !at->pending || !at->first_member || !at->members ||
        !at->nodes || !at->subgraphs || !at->order)
        return false;
    memset(at->subgraph_of, 0xff, nodes * sizeof *at->subgraph_of);
    return true;
}

/* ---- order ------------------------------------------------------------------------------------------------ */

static uint32_t subgraph_of(const struct rounds *at, uint32_t node)
{
    return at->subgraph_of[at->request->place_of[node]];
}

/* What waits is a subgraph, or a node that is in none. Subgraphs first, then single nodes by place: both in one
 * array. */
static uint32_t *pending_of(const struct rounds *at, uint32_t node)
{
    uint32_t place = at->request->place_of[node], subgraph = at->subgraph_of[place];
    return &at->pending[subgraph == NPART_NONE ? at->subgraph_count + place : subgraph];
}

/* A counting sort by subgraph; members keep the order that the request has. Filling moves first_member[g + 1] from
 * where subgraph g begins to where it ends. */
static void list_members(const struct rounds *at)
{
    const struct npart__step_request *request = at->request;
    memset(at->first_member, 0, (at->subgraph_count + (size_t)2) * sizeof *at->first_member);
    for (uint32_t i = 0; i < request->count; i++)
        if (subgraph_of(at, request->order[i]) != NPART_NONE)
            at->first_member[subgraph_of(at, request->order[i]) + 2]++;
    for (uint32_t g = 2; g < at->subgraph_count + 2; g++)
        at->first_member[g] += at->first_member[g - 1];
    for (uint32_t i = 0; i < request->count; i++)
        if (subgraph_of(at, request->order[i]) != NPART_NONE)
            at->members[at->first_member[subgraph_of(at, request->order[i]) + 1]++] = request->order[i];
}

/* What a subgraph takes from itself is nothing to wait for. A node that takes two results of one subgraph waits
 * for two uses; both arrive when the subgraph is put out. */
static void count_pending(const struct rounds *at)
{
    const struct npart__step_request *request = at->request;
    memset(at->pending, 0, (at->subgraph_count + (size_t)request->count + 1) * sizeof *at->pending);
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = request->order[i];
        const struct npart__node *node = npart__node_at(request->graph, id);
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t producer = npart__producer_inside(request, node, k);
            if (producer != NPART_NONE && pending_of(at, producer) != pending_of(at, id))
                ++*pending_of(at, id);
        }
    }
}

/* Single nodes before subgraphs as long as any is ready, a subgraph's members right after each other. False where
 * subgraphs wait for each other. Kahn's algorithm over nodes and subgraphs: each waits for a number of uses,
 * `pending`, and is put out when that is 0. Linear in uses. */
static bool order_subgraphs(struct rounds *at, const struct npart__walk *walk)
{
    const struct npart__step_request *request = at->request;
    uint32_t node_head = 0, node_end = 0, subgraph_head = 0, subgraph_end = 0, done = 0;
    list_members(at);
    count_pending(at);
    for (uint32_t i = 0; i < request->count; i++)
        if (subgraph_of(at, request->order[i]) == NPART_NONE && *pending_of(at, request->order[i]) == 0)
            at->nodes[node_end++] = request->order[i];
    for (uint32_t g = 0; g < at->subgraph_count; g++)
        if (at->pending[g] == 0)
            at->subgraphs[subgraph_end++] = g;
    while (node_head < node_end || subgraph_head < subgraph_end) {
        uint32_t from = done;
        if (node_head < node_end) {
            at->order[done++] = at->nodes[node_head++];
        } else {
            uint32_t subgraph = at->subgraphs[subgraph_head++];
            for (uint32_t m = at->first_member[subgraph]; m < at->first_member[subgraph + 1]; m++)
                at->order[done++] = at->members[m];
        }
        /* One node, or all members of a subgraph: their users wait for that much less. */
        for (uint32_t i = from; i < done; i++) {
            uint32_t id = at->order[i];
            uint32_t place = request->place_of[id];
            for (uint32_t u = walk->first_use[place]; u < walk->first_use[place + 1]; u++) {
                uint32_t user = walk->uses[u];
                /* Inside the same subgraph nothing was counted, so nothing is taken off. */
                if (pending_of(at, user) == pending_of(at, id) || --*pending_of(at, user) > 0)
                    continue;
                if (subgraph_of(at, user) == NPART_NONE)
                    at->nodes[node_end++] = user;
                else
                    at->subgraphs[subgraph_end++] = subgraph_of(at, user);
            }
        }
    }
    return done == request->count;
}

/* ---- rounds ----------------------------------------------------------------------------------------------- */

/* What a round takes is accepted now, all else not. The partitioner asks `accepted` alone, and must not take again
 * what an earlier round took. What was taken before counts as unsupported now: it is a node of the runtime's,
 * which the provider does not know. Written into the request's own array, as partitioners hand nodes back through
 * it. */
static void show_round(const struct rounds *at, uint32_t round)
{
    const struct npart__partition_request *asked = at->request->back->request;
    for (uint32_t i = 0; i < at->request->count; i++) {
        uint32_t id = at->request->order[i];
        asked->accepted[id] = at->accepted[at->request->place_of[id]] && at->request->session->round[id] == round;
    }
}

/* The accepted nodes of a step are a subgraph; what the partitioner has left to the CPU stays there. A subgraph made
 * here keeps its number in all later rounds. Nodes of a round that were not accepted, or that the partitioner gave
 * up, have no subgraph. `step_of` is that of this round's partitioner, and of_step is cleared, as the same
 * numbers come again each time. */
static void take_subgraphs(struct rounds *at, uint32_t round)
{
    const struct npart__step_request *request = at->request;
    const struct npart__partition_request *asked = request->back->request;
    memset(at->of_step, 0xff, (2 * ((size_t)request->count + 2) + 2) * sizeof *at->of_step);
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = request->order[i], place = request->place_of[id];
        if (!at->accepted[place] || at->request->session->round[id] != round)
            continue;
        at->accepted[place] = asked->accepted[id];
        uint32_t *subgraph = &at->of_step[request->step_of[id]];
        if (!at->accepted[place])
            continue;
        if (*subgraph == NPART_NONE)
            *subgraph = at->subgraph_count++;
        at->subgraph_of[place] = *subgraph;
    }
}

/* Every subgraph is a step, and what the CPU runs between two of them. In the order that was found, each change
 * of subgraph begins a step; a subgraph's members stand together there. Two subgraphs side by side have steps of
 * their own, so they stay two partitions. */
static void number_steps(const struct rounds *at)
{
    uint32_t step = 0;
    for (uint32_t i = 0; i < at->request->count; i++) {
        uint32_t id = at->order[i], before = i ? at->order[i - 1] : id;
        step += subgraph_of(at, id) != subgraph_of(at, before) ? 1 : 0;
        at->request->step_of[id] = step;
    }
}

/* Each round orders nodes and subgraphs anew, shows the partitioner the nodes of that round, and makes subgraphs
 * of what it took. If subgraphs come to wait for each other, no order is left, and the runs of the file's order
 * are the answer. Accepted nodes of rounds to come are unsupported to earlier ones, since the operator that they
 * replace was not taken there. */
void npart__step_rounds(struct npart__step_request *request, npart__stepper *step)
{
    struct rounds at = {.request = request};
    struct npart__walk walk;
    const struct npart__partition_request *asked = request->back->request;
    bool is_ordered = open_rounds(&at) && npart__walk_region(request, &walk);
    request->failed |= !is_ordered;
    for (uint32_t i = 0; i < request->count && !request->failed; i++)
        at.accepted[request->place_of[request->order[i]]] = asked->accepted[request->order[i]];
    for (uint32_t round = 0; round <= request->session->round_count && is_ordered && !request->failed; round++) {
        /* A copy with the order of this round; step_of is shared, and written anew by each round. */
        struct npart__step_request one = *request;
        is_ordered = order_subgraphs(&at, &walk);
        one.order = is_ordered ? at.order : request->order;
        one.subgraph_of = at.subgraph_of;
        show_round(&at, round);
        step(&one);
        request->failed |= one.failed;
        take_subgraphs(&at, round);
    }
    /* What a partitioner left to the CPU in any round stays there. */
    for (uint32_t i = 0; i < request->count && !request->failed; i++)
        asked->accepted[request->order[i]] = at.accepted[request->place_of[request->order[i]]];
    if (!request->failed && order_subgraphs(&at, &walk))
        number_steps(&at);
    else if (!request->failed)
        npart__step_by_runs(request);
}
