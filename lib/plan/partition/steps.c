/* SPDX-License-Identifier: Apache-2.0
 *
 * The partitioners: each gives the live nodes of one region their steps.
 */
#include "partition/steps.h"

/* A constant is compiled into whatever uses it, so it neither orders nodes nor crosses a border. */
uint32_t npart__live_operand(const struct npart__session *session, const struct npart__node *node, uint32_t index)
{
    bool is_there = index < node->input_count + node->capture_count;
    uint32_t value = is_there ? npart__node_use(session->graph, node, index) : NPART_NONE;
    return value == NPART_NONE || session->is_constant[value] ? NPART_NONE : value;
}

/* A copy of a DequantizeLinear is no node of the file. What it takes is what its user is told to take: a reader
 * finds that tensor in the file. */
uint32_t npart__operand_past_copies(const struct npart__session *session, const struct npart__node *node,
                                    uint32_t index)
{
    const struct npart__graph *graph = session->graph;
    uint32_t value = npart__live_operand(session, node, index);
    uint32_t producer = npart__producer(graph, value);
    return npart__is_copy(graph, producer) ? npart__live_operand(session, npart__node_at(graph, producer), 0) : value;
}

/* A user's cut makes of each segment a model of its own, which nothing reaches across. */
bool npart__is_inside(const struct npart__step_request *request, uint32_t node)
{
    return npart__node_region(request->graph, node) == request->region &&
           (!request->segment_of || request->segment_of[node] == request->segment);
}

/* What another region or segment makes has been computed when this one runs, so it gives a node no step. */
uint32_t npart__producer_inside(const struct npart__step_request *request, const struct npart__node *node,
                                uint32_t operand)
{
    uint32_t producer = npart__producer(request->graph, npart__live_operand(request->session, node, operand));
    bool is_inside = producer != NPART_NONE && npart__is_live(request->session, producer) &&
                     npart__node_region(request->graph, producer) == request->region;
    if (is_inside && request->segment_of && request->segment_of[producer] != request->segment)
        is_inside = false;
    return is_inside ? producer : NPART_NONE;
}

/* Whether two places of the order are in one partition of an earlier round, which is one node now. Its members
 * stand together in the order, which lib/plan/partition/rounds.c sees to. NULL in `subgraph_of` is the first round, in
 * which every node is one by itself. */
static bool is_one(const struct npart__step_request *request, uint32_t a, uint32_t b)
{
    const uint32_t *subgraph_of = request->subgraph_of;
    if (!subgraph_of)
        return false;
    uint32_t subgraph = subgraph_of[request->place_of[request->order[a]]];
    return subgraph != NPART_NONE && subgraph == subgraph_of[request->place_of[request->order[b]]];
}

/* Of a node, by what makes its operands; what is in one node with it is none of these. Steps are twice the wave,
 * plus one for accepted nodes, hence the half. Linear in operands. */
static uint32_t wave_of(const struct npart__step_request *request, uint32_t id)
{
    const struct npart__node *node = npart__node_at(request->graph, id);
    const uint32_t *subgraph_of = request->subgraph_of;
    uint32_t subgraph = subgraph_of ? subgraph_of[request->place_of[id]] : NPART_NONE;
    uint32_t wave = 0;
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        uint32_t producer = npart__producer_inside(request, node, k);
        if (producer == NPART_NONE || (subgraph != NPART_NONE && subgraph_of[request->place_of[producer]] == subgraph))
            continue;
        /* From an accepted to an unsupported node: there the partition has to end before that node can run. The way
         * back costs nothing, since a wave's unsupported nodes run before its accepted ones. */
        bool is_step = request->accepted[producer] && !request->accepted[id];
        uint32_t before = request->step_of[producer] / 2 + is_step;
        wave = before > wave ? before : wave;
    }
    return wave;
}

/* What ONNX Runtime forms (CreateSupportedPartitionNodeGroups), in closed form: the wave of a node is the largest
 * number of steps from an accepted to an unsupported node on any path that ends in it. The accepted nodes of a wave are
 * one partition, whether or not they touch; membership does not depend on the order of nodes. A wave's unsupported
 * nodes run before its accepted ones. A (accepted) -> B (unsupported) -> C (accepted) have the waves 0, 1, 1. A
 * second accepted D without producers is of wave 0 and in A's partition, wherever the file has it. Nodes of one
 * subgraph of an earlier round have the wave of the last of them, since they run at once. */
void npart__step_by_waves(struct npart__step_request *request)
{
    for (uint32_t i = 0, end; i < request->count; i = end) {
        uint32_t wave = 0;
        for (end = i; end < request->count && (end == i || is_one(request, i, end)); end++) {
            uint32_t own = wave_of(request, request->order[end]);
            wave = own > wave ? own : wave;
        }
        for (uint32_t k = i; k < end; k++)
            request->step_of[request->order[k]] = 2 * wave + (request->accepted[request->order[k]] ? 1 : 0);
    }
    npart__join_units(request);
}

/* Whether an accepted node makes a weight of constants alone, as a DequantizeLinear does, for accepted nodes: a
 * compiler stores the weight, so the node has no place of its own. */
static bool is_weight(const struct npart__step_request *request, uint32_t id)
{
    const struct npart__graph *graph = request->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    bool is_stored = request->accepted[id] && node->input_count && !node->capture_count &&
                     npart__has_one_result(graph, node);
    for (uint32_t k = 0; is_stored && k < node->input_count; k++) {
        uint32_t value = npart__live_operand(request->session, node, k);
        is_stored = value == NPART_NONE || request->session->is_constant[value];
    }
    uint32_t result = npart__node_output(graph, node, 0);
    uint32_t users = is_stored && !npart__value_at(graph, result)->is_graph_output
                         ? npart__user_count(request->session, result)
                         : 0;
    for (uint32_t i = 0; is_stored && i < users; i++) {
        uint32_t user = npart__user(request->session, result, i);
        is_stored = request->accepted[user] && npart__is_inside(request, user);
    }
    return is_stored && users;
}

/* The first step that uses a weight. */
static void step_by_users(struct npart__step_request *request, uint32_t id)
{
    uint32_t result = npart__node_output(request->graph, npart__node_at(request->graph, id), 0);
    uint32_t first = NPART_NONE;
    for (uint32_t i = 0; i < npart__user_count(request->session, result); i++) {
        uint32_t step = request->step_of[npart__user(request->session, result, i)];
        first = step < first ? step : first;
    }
    request->step_of[id] = first;
}

/* Maximal runs of one side in the file's order (sorted, where the file is not). What a provider does that only
 * looks at the list of nodes, and the last answer where no other order is left (rounds.c). Weights stand where they are
 * used, from the last node to the first, as one may be made of another. */
void npart__step_by_runs(struct npart__step_request *request)
{
    uint32_t step = 0, before = NPART_NONE;
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = request->order[i];
        request->step_of[id] = NPART_NONE;
        if (is_weight(request, id))
            continue;
        step += before != NPART_NONE && request->accepted[id] != request->accepted[before];
        request->step_of[id] = step;
        before = id;
    }
    for (uint32_t i = request->count; i-- > 0;)
        if (request->step_of[request->order[i]] == NPART_NONE)
            step_by_users(request, request->order[i]);
}

/* Waves whose parts that do not touch are partitions of their own. The order of steps stays: parts of a wave come
 * one after the other. */
static void step_by_connected_waves(struct npart__step_request *request)
{
    npart__step_by_waves(request);
    npart__split_steps(request);
}

/* The node at whose step another runs: the last of the match of a pattern, whose results alone are used outside; of a
 * copy on the CPU the node that it was made for, or else it would part what stands side by side in the file. */
static uint32_t together_with(const struct npart__step_request *request, uint32_t id)
{
    const struct npart__graph *graph = request->graph;
    const uint32_t *match_of = request->back->request->match_of;
    if (match_of && match_of[id])
        return match_of[id] - 1;
    uint32_t value = npart__node_output(graph, npart__node_at(graph, id), 0);
    return npart__is_copy(graph, id) && !request->accepted[id] ? npart__user(request->session, value, 0) : id;
}

/* Every accepted node alone: a runtime that builds a session for each. What a pattern matches is one node. Unsupported
 * nodes have steps of their own, too, which changes nothing: they are on the CPU all the same. The place in the order
 * is the number of the step, so producers have smaller ones. */
static void step_by_single_nodes(struct npart__step_request *request)
{
    for (uint32_t i = 0; i < request->count; i++)
        request->step_of[request->order[i]] = i;
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = request->order[i], last = together_with(request, id);
        if (npart__is_inside(request, last) && request->accepted[id] == request->accepted[last])
            request->step_of[id] = request->step_of[last];
    }
}

/* Every list has these rules, whether or not it has a line that speaks of them (oplist), so there is a reason to
 * print. */
void npart__leave_to_cpu(struct npart__step_request *request, uint32_t node, enum npart__partitioner_reason reason)
{
    npart__hand_back_node(request->back, node, request->back->request->target->oplist->partitioner_rules[reason]);
}

/* Those that are on the CPU already keep the reason that they have. */
static void hand_back_all(struct npart__step_request *request, uint32_t from, enum npart__partitioner_reason reason)
{
    for (uint32_t i = from; i < request->count; i++)
        npart__leave_to_cpu(request, request->order[i], reason);
}

/* A place of the order; `count` where everything is accepted. */
static uint32_t first_refused(const struct npart__step_request *request)
{
    uint32_t i = 0;
    while (i < request->count && request->accepted[request->order[i]])
        i++;
    return i;
}

/* What stands before the first unsupported node, in the file's order. The Edge TPU's compiler works so: one
 * subgraph, from the beginning to the first op that it does not map. Then there are two runs at most: the accepted
 * nodes, and the rest. */
static void step_by_prefix(struct npart__step_request *request)
{
    hand_back_all(request, first_refused(request), NPART__REASON_BEHIND_REFUSED);
    npart__step_by_runs(request);
}

/* Everything or nothing. A compiler that is given the whole model, and has no CPU to leave nodes to. */
static void step_by_whole_graph(struct npart__step_request *request)
{
    if (first_refused(request) < request->count)
        hand_back_all(request, 0, NPART__REASON_NOT_WHOLE);
    npart__step_by_runs(request);
}

/* Those that are no single product's, in the order of their names. */
static const struct npart__partitioner partitioners[] = {
    {"connected", step_by_connected_waves, true, false, NULL},
    {"prefix", step_by_prefix, false, false, NULL},
    {"runs", npart__step_by_runs, false, false, NULL},
    {"single", step_by_single_nodes, false, false, NULL},
    {"waves", npart__step_by_waves, true, false, NULL},
    {"whole", step_by_whole_graph, false, true, NULL},
};

/* Those of products come last. */
static const struct npart__partitioner *partitioner_at(const struct npart__product *products, size_t index)
{
    if (index < NPART__COUNT(partitioners))
        return &partitioners[index];
    index -= NPART__COUNT(partitioners);
    for (; products->name; products++)
        if (products->partitioner.name && index-- == 0)
            return &products->partitioner;
    return NULL;
}

const char *npart__partitioner_name(const struct npart__product *products, size_t index)
{
    const struct npart__partitioner *found, *other;
    for (size_t i = 0; (found = partitioner_at(products, i)); i++) {
        size_t before = 0;
        for (size_t k = 0; (other = partitioner_at(products, k)); k++)
            before += strcmp(other->name, found->name) < 0;
        if (before == index)
            return found->name;
    }
    return NULL;
}

const struct npart__partitioner *npart__find_partitioner(const struct npart__product *products, const char *name)
{
    const struct npart__partitioner *found = NULL;
    for (size_t i = 0; (found = partitioner_at(products, i)) && strcmp(found->name, name) != 0; i++)
        continue;
    return found;
}

/* A session whose runtime inlines nodes between two rounds has a round_count; all others are given steps at once. */
void npart__give_steps(struct npart__step_request *request, npart__stepper *step)
{
    /* Places are numbered for each region or segment, so what a partitioner allocates is as long as that. */
    for (uint32_t place = 0; place < request->count; place++)
        request->place_of[request->order[place]] = place;
    if (request->session->round_count)
        npart__step_rounds(request, step);
    else
        step(request);
}
