/* SPDX-License-Identifier: Apache-2.0
 *
 * The user's own cuts. Every path through the graph is divided at the values that are cut; a node's *segment* is the
 * largest number of cuts on a path to it. What the runtime does about a cut is a `partitions cut` line: it forms
 * partitions of each segment anew, which run one after another; or it leaves what is after the first to the CPU; or
 * the node that makes the value.
 */
#include "partition/policy.h"
#include "partition/steps.h"

/* The op list's line that counts, or NULL: segments are partitioned anew. The last one, as for other lines of
 * which one counts. */
static const struct npart__policy *policy_of(const struct npart__target *target)
{
    const struct npart__policy *found = NULL;
    for (uint32_t i = 0; i < target->oplist->policies.count; i++) {
        const struct npart__policy *policy = &target->oplist->policies.items[i];
        if (npart__policy_cuts(policy) && npart__target_has(target, policy->when))
            found = policy;
    }
    return found;
}

uint32_t npart__cut_rule(const struct npart__target *target)
{
    const struct npart__policy *policy = policy_of(target);
    return policy ? policy->rule : target->oplist->partitioner_rules[NPART__REASON_CUT];
}

/* The value at which the user cuts what an operand is: of a copy's result that of the original. NPART_NONE:
 * nowhere. A cut is named by a tensor of the file, and a copy's result has none. */
static uint32_t cut_at(const struct npart__hand_back *to, uint32_t value)
{
    uint32_t asked = npart__value_at(to->graph, value)->alias;
    return to->request->is_cut[asked] ? asked : NPART_NONE;
}

/* What another region makes counts as segment 0. The way with the most cuts counts; of these the last is told.
 * Bodies are partitioned by themselves, so what they capture is there before any segment of theirs. Cuts at x and
 * y in a chain a -> x -> b -> y -> c give a, b and c the segments 0, 1 and 2. A node that takes y and the model's
 * input as well is of segment 2. */
static void find_segment(const struct npart__hand_back *to, struct npart__cuts *cuts, uint32_t id)
{
    const struct npart__node *node = npart__node_at(to->graph, id);
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        uint32_t value = npart__live_operand(to->request->session, node, k);
        if (value == NPART_NONE)
            continue;
        uint32_t producer = npart__producer(to->graph, value), at = cut_at(to, value);
        bool is_inside =
            producer != NPART_NONE && npart__node_region(to->graph, producer) == npart__node_region(to->graph, id);
        uint32_t segment = (is_inside ? cuts->segment_of[producer] : 0) + (at != NPART_NONE);
        if (segment > cuts->segment_of[id]) {
            cuts->segment_of[id] = segment;
            cuts->last_cut[id] = at != NPART_NONE ? at : cuts->last_cut[producer];
        }
    }
}

/* The nodes that make the values go to the CPU, which may lack them. Where the list says which ops its CPU has,
 * one that it lacks fails there, and that is the reason to tell. */
static void give_up_nodes(struct npart__hand_back *to, uint32_t rule)
{
    for (uint32_t v = 0; v < to->graph->values.count; v++) {
        uint32_t producer = npart__producer(to->graph, v);
        if (cut_at(to, v) == NPART_NONE || producer == NPART_NONE)
            continue;
        uint32_t lacks = npart__fallback_rule(to->request->target, to->ops, npart__node_at(to->graph, producer));
        npart__hand_back_node(to, producer, lacks == NPART_NONE ? rule : lacks);
    }
}

/* Nodes come in order, so the segments of their producers are known. With `ends` or `node` the cut is done once
 * nodes are left to the CPU, and nothing is given steps by segment. Segments are found in any case, since `ends` asks
 * for them on the way. */
bool npart__apply_cuts(struct npart__hand_back *to, struct npart__cuts *cuts)
{
    const struct npart__policy *policy = policy_of(to->request->target);
    size_t nodes = to->graph->nodes.count + (size_t)1;
    cuts->segment_of = npart__arena_zeroed(to->arena, nodes, sizeof *cuts->segment_of);
    cuts->last_cut = npart__arena_allocate(to->arena, nodes * sizeof *cuts->last_cut);
    if (!cuts->segment_of || !cuts->last_cut)
        return false;
    cuts->is_cut = to->request->is_cut;
    memset(cuts->last_cut, 0xff, nodes * sizeof *cuts->last_cut);
    for (uint32_t i = 0; i < to->graph->order_count; i++) {
        uint32_t id = to->graph->order[i];
        if (!npart__is_live(to->request->session, id))
            continue;
        find_segment(to, cuts, id);
        if (policy && policy->kind == NPART__POLICY_CUT_ENDS && cuts->segment_of[id])
            npart__hand_back_node(to, id, policy->rule);
    }
    if (!policy || policy->kind == NPART__POLICY_CUT_ANEW)
        return true;
    /* The list's own line has been carried out, so no step depends on segments; the arrays stay in the arena. */
    *cuts = (struct npart__cuts){NULL, NULL, NULL};
    if (policy->kind != NPART__POLICY_CUT_ENDS)
        give_up_nodes(to, policy->rule);
    return true;
}

/* ---- staging ---------------------------------------------------------------------------------------------- */

/* The nodes of each segment together, in order: those of segment s end at ends[s]. Returns the number of segments; 0
 * when out of memory. A counting sort: filling moves ends[s] from where segment s begins to where it ends. Only
 * the segments of this region are looked at; one without nodes here is an empty run. */
static uint32_t sort_by_segment(struct npart__step_request *request, uint32_t **sorted, uint32_t **ends)
{
    const uint32_t *segment_of = request->segment_of;
    uint32_t segments = 1;
    for (uint32_t i = 0; i < request->count; i++)
        if (segment_of[request->order[i]] >= segments)
            segments = segment_of[request->order[i]] + 1;
    *sorted = npart__arena_allocate(request->arena, (request->count + (size_t)1) * sizeof **sorted);
    *ends = npart__arena_zeroed(request->arena, segments + (size_t)1, sizeof **ends);
    if (!*sorted || !*ends)
        return 0;
    for (uint32_t i = 0; i < request->count; i++)
        (*ends)[segment_of[request->order[i]] + 1]++;
    for (uint32_t s = 0; s < segments; s++)
        (*ends)[s + 1] += (*ends)[s];
    for (uint32_t i = 0; i < request->count; i++)
        (*sorted)[(*ends)[segment_of[request->order[i]]]++] = request->order[i];
    return segments;
}

/* Steps of a segment begin after the last of the one before. So all of a segment runs before any of the next, and
 * what is cut at one value is not joined round another. */
void npart__step_segments(struct npart__step_request *request, npart__stepper *step)
{
    uint32_t *sorted, *ends, base = 0;
    if (!request->segment_of) {
        npart__give_steps(request, step);
        return;
    }
    uint32_t segments = sort_by_segment(request, &sorted, &ends);
    request->failed |= segments == 0;
    for (uint32_t s = 0; s < segments && !request->failed; s++) {
        struct npart__step_request part = *request;
        struct npart__arena scratch; /* what a partitioner takes for one segment it takes for the next again */
        npart__arena_init(&scratch, &request->arena->allocator);
        part.arena = &scratch;
        uint32_t first = s ? ends[s - 1] : 0, next = base;
        part.order = sorted + first;
        part.count = ends[s] - first;
        part.segment = s;
        npart__give_steps(&part, step);
        npart__arena_clear(&scratch);
        request->failed |= part.failed;
        for (uint32_t i = 0; i < part.count; i++) {
            uint32_t *of = &request->step_of[part.order[i]];
            *of += base;
            /* The number after the largest that the segment has. */
            next = *of >= next ? *of + 1 : next;
        }
        base = next;
    }
}

/* ---- what they end ---------------------------------------------------------------------------------------- */

/* Few cuts end one partition. */
static bool is_listed(const struct npart__partitioning *of, const struct npart__partition *partition, uint32_t value)
{
    for (uint32_t i = 0; i < partition->cut_count; i++)
        if (of->lists.items[partition->first_cut + i] == value)
            return true;
    return false;
}

/* A user in a body, or in the same segment, is not parted by the cut. A partition's members are of one segment, so
 * its first tells. `result` is a value that leaves the partition, and `last_cut` of the user the cut that counts
 * for it, which may stand further on than this value. */
bool npart__list_cuts_of(const struct npart__hand_back *to, struct npart__partitioning *of, uint32_t id,
                         uint32_t result)
{
    struct npart__partition *partition = &of->partitions.items[id];
    const struct npart__cuts *cuts = &of->cuts;
    uint32_t segment = cuts->segment_of[of->lists.items[partition->first_member]];
    for (uint32_t i = 0; i < npart__user_count(to->request->session, result); i++) {
        uint32_t user = npart__user_past_copies(to->request->session, result, i), value = cuts->last_cut[user];
        bool goes_on = to->request->accepted[user] && cuts->segment_of[user] > segment &&
                       npart__node_region(to->graph, user) == partition->region;
        if (!goes_on || is_listed(of, partition, value))
            continue;
        if (!NPART__PUSH(to->arena, &of->lists, value))
            return false;
        partition->cut_count++;
    }
    return true;
}
