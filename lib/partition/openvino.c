/* SPDX-License-Identifier: Apache-2.0
 *
 * What ONNX Runtime's OpenVINO provider forms (core/providers/openvino/ov_versions/capability.cc, utils.cc, ONNX
 * Runtime 1.24): everything, when everything is accepted. Else TopK and NonZero are refused; the runtime's order of
 * nodes is cut at each refused one; every run is split into connected groups; a group of one node that is not the last
 * joins the first later group that it touches, or is given back; a group from which a result of Conv or Identity
 * leaves is given back, and so is one that nothing is fed into.
 */
#include <stdlib.h>

#include "partition/stages.h"

#define NO_GROUP NPART_NONE

struct grouping {
    struct npart__stage_request *request;
    const struct npart__graph *graph;
    uint32_t *order;     /* as the runtime walks */
    uint32_t *first_use; /* by node: its results are used by uses[first_use[n] .. first_use[n + 1]), in this region */
    uint32_t *uses;      /* nodes */
    uint32_t *group_of;  /* by node; NO_GROUP: refused */
    uint32_t *size;      /* by group */
    uint8_t *dropped;    /* by group: 1 + enum npart__partitioner_reason; 0: it stays */
    uint32_t group_count;
};

static const char *op_of(const struct grouping *grouping, uint32_t node)
{
    return npart__node_op(grouping->graph, &grouping->graph->nodes.items[node]);
}

/* ---- the runtime's order --------------------------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* GraphViewer's default order: depth first from the nodes that nobody uses, the last of them first, producers with
 * larger numbers first, each node behind its producers (core/graph/graph.cc, ReverseDFSFrom). */
static bool walk(struct grouping *grouping)
{
    struct npart__stage_request *request = grouping->request;
    size_t nodes = grouping->graph->nodes.count + (size_t)1, edges = 0;
    bool *is_used = npart__arena_zeroed(request->arena, nodes, sizeof *is_used);
    bool *is_visited = npart__arena_zeroed(request->arena, nodes, sizeof *is_visited);
    for (uint32_t i = 0; is_used && i < request->count; i++) {
        const struct npart__node *node = &grouping->graph->nodes.items[request->order[i]];
        edges += node->input_count + (size_t)node->capture_count;
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t producer = npart__producer_inside(request, node, k);
            if (producer != NPART_NONE)
                is_used[producer] = true;
        }
    }
    /* Every node is pushed once for each use, once as a leaf, and once more to be left. */
    uint32_t *stack = npart__arena_allocate(request->arena, (edges + 2 * (size_t)request->count + 1) * sizeof *stack);
    if (!is_used || !is_visited || !stack)
        return false;
    uint32_t depth = 0, done = 0;
    for (uint32_t i = 0; i < request->count; i++)
        if (!is_used[request->order[i]])
            stack[depth++] = request->order[i] << 1;
    while (depth > 0) {
        uint32_t top = stack[--depth], id = top >> 1;
        if (top & 1) {
            grouping->order[done++] = id;
            continue;
        }
        if (is_visited[id])
            continue;
        is_visited[id] = true;
        stack[depth++] = top | 1;
        uint32_t first = depth;
        const struct npart__node *node = &grouping->graph->nodes.items[id];
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t producer = npart__producer_inside(request, node, k);
            if (producer != NPART_NONE && !is_visited[producer])
                stack[depth++] = producer << 1;
        }
        if (depth > first + 1)
            qsort(stack + first, depth - first, sizeof *stack, compare_ids);
    }
    return done == request->count;
}

/* ---- uses ------------------------------------------------------------------------------------------------- */

/* Who uses whose results, once folded nodes are gone. */
static bool list_uses(struct grouping *grouping)
{
    struct npart__stage_request *request = grouping->request;
    size_t nodes = grouping->graph->nodes.count + (size_t)2, edges = 0;
    uint32_t *first = npart__arena_zeroed(request->arena, nodes + 1, sizeof *first);
    for (int pass = 0; first && pass < 2; pass++) {
        for (uint32_t i = 0; i < request->count; i++) {
            const struct npart__node *node = &grouping->graph->nodes.items[request->order[i]];
            for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
                uint32_t producer = npart__producer_inside(request, node, k);
                if (producer == NPART_NONE)
                    continue;
                if (pass == 0)
                    first[producer + 2]++;
                else
                    grouping->uses[first[producer + 1]++] = request->order[i];
                edges++;
            }
        }
        if (pass == 1)
            break;
        for (size_t n = 2; n <= nodes; n++) /* first[n + 1] is where n's uses begin, and in the end where they end */
            first[n] += first[n - 1];
        grouping->uses = npart__arena_allocate(request->arena, (edges + 1) * sizeof *grouping->uses);
        if (!grouping->uses)
            return false;
    }
    grouping->first_use = first;
    return first != NULL;
}

/* ---- groups ---------------------------------------------------------------------------------------------- */

static void hand_back(struct grouping *grouping, uint32_t node, enum npart__partitioner_reason reason)
{
    struct npart__hand_back *back = grouping->request->back;
    grouping->group_of[node] = NO_GROUP;
    npart__hand_back_node(back, node, back->request->target->oplist->partitioner_rules[reason]);
}

/* Runs of the order first, then their connected parts. */
static void group_nodes(struct grouping *grouping)
{
    struct npart__stage_request *request = grouping->request;
    uint32_t run = 0;
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = grouping->order[i];
        bool differs = i > 0 && request->accepted[id] != request->accepted[grouping->order[i - 1]];
        run += differs || (i > 0 && !request->accepted[id]) ? 1 : 0;
        request->stage_of[id] = run;
    }
    npart__split_stages(request);
    grouping->group_count = 0;
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = grouping->order[i], stage = request->stage_of[id];
        grouping->group_of[id] = request->accepted[id] ? stage : NO_GROUP;
        if (request->accepted[id])
            grouping->size[stage]++;
        if (stage >= grouping->group_count)
            grouping->group_count = stage + 1;
    }
}

/* The first later group that a node's edges lead to, or NO_GROUP. */
static uint32_t group_touched(const struct grouping *grouping, uint32_t id)
{
    uint32_t own = grouping->group_of[id], best = NO_GROUP;
    for (uint32_t u = grouping->first_use[id]; u < grouping->first_use[id + 1]; u++) {
        uint32_t group = grouping->group_of[grouping->uses[u]];
        if (group != NO_GROUP && group > own && group < best)
            best = group;
    }
    return best;
}

/* Whether what uses the node's results, but for the group, runs behind the group begins or beside it: else something
 * could lead from the node to the group through the outside, and the group would wait for itself. */
static bool may_join(const struct grouping *grouping, uint32_t id, uint32_t group)
{
    for (uint32_t u = grouping->first_use[id]; u < grouping->first_use[id + 1]; u++)
        if (grouping->request->stage_of[grouping->uses[u]] < group)
            return false;
    return true;
}

static void place_single_nodes(struct grouping *grouping)
{
    uint32_t last = NO_GROUP;
    for (uint32_t group = 0; group < grouping->group_count; group++)
        if (grouping->size[group])
            last = group;
    for (uint32_t i = 0; i < grouping->request->count; i++) {
        uint32_t id = grouping->order[i], group = grouping->group_of[id];
        if (group == NO_GROUP || group == last || grouping->size[group] != 1)
            continue;
        uint32_t touched = group_touched(grouping, id);
        if (touched == NO_GROUP || !may_join(grouping, id, touched)) {
            hand_back(grouping, id, NPART__REASON_ALONE);
            grouping->size[group] = 0;
            continue;
        }
        grouping->size[group] = 0;
        grouping->size[touched]++;
        grouping->group_of[id] = touched;
        grouping->request->stage_of[id] = touched;
    }
}

static bool has_use_outside(const struct grouping *grouping, uint32_t id)
{
    for (uint32_t u = grouping->first_use[id]; u < grouping->first_use[id + 1]; u++)
        if (grouping->group_of[grouping->uses[u]] != grouping->group_of[id])
            return true;
    return false;
}

/* Whether anything that is no constant comes into the group's node from elsewhere. */
static bool is_fed(const struct grouping *grouping, uint32_t id)
{
    const struct npart__node *node = &grouping->graph->nodes.items[id];
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        uint32_t value = npart__live_operand(grouping->graph, grouping->request->fold, node, k);
        uint32_t producer = npart__producer_inside(grouping->request, node, k);
        if (value != NPART_NONE && (producer == NPART_NONE || grouping->group_of[producer] != grouping->group_of[id]))
            return true;
    }
    return false;
}

static void drop_groups(struct grouping *grouping, bool *is_fed_from_outside)
{
    for (uint32_t i = 0; i < grouping->request->count; i++) {
        uint32_t id = grouping->order[i], group = grouping->group_of[id];
        bool may_not_leave = strcmp(op_of(grouping, id), "Conv") == 0 || strcmp(op_of(grouping, id), "Identity") == 0;
        if (group == NO_GROUP)
            continue;
        is_fed_from_outside[group] |= is_fed(grouping, id);
        if (may_not_leave && has_use_outside(grouping, id))
            grouping->dropped[group] = 1 + NPART__REASON_BORDER;
    }
    for (uint32_t group = 0; group < grouping->group_count; group++)
        if (!grouping->dropped[group] && !is_fed_from_outside[group])
            grouping->dropped[group] = 1 + NPART__REASON_NO_INPUT;
    for (uint32_t i = 0; i < grouping->request->count; i++) {
        uint32_t id = grouping->order[i], group = grouping->group_of[id];
        if (group != NO_GROUP && grouping->dropped[group])
            hand_back(grouping, id, (enum npart__partitioner_reason)(grouping->dropped[group] - 1));
    }
}

void npart__stage_by_openvino(struct npart__stage_request *request)
{
    struct npart__arena *arena = request->arena;
    size_t nodes = request->graph->nodes.count + (size_t)1;
    struct grouping grouping = {.request = request, .graph = request->graph};
    grouping.order = npart__arena_zeroed(arena, nodes, sizeof *grouping.order);
    grouping.group_of = npart__arena_zeroed(arena, nodes, sizeof *grouping.group_of);
    grouping.size = npart__arena_zeroed(arena, nodes, sizeof *grouping.size);
    grouping.dropped = npart__arena_zeroed(arena, nodes, sizeof *grouping.dropped);
    bool *is_fed_from_outside = npart__arena_zeroed(arena, nodes, sizeof *is_fed_from_outside);
    bool is_ready =
        grouping.order && grouping.group_of && grouping.size && grouping.dropped && is_fed_from_outside;
    if (!is_ready || !walk(&grouping) || !list_uses(&grouping)) {
        request->failed = true;
        return;
    }
    uint32_t refused = 0;
    for (uint32_t i = 0; i < request->count; i++) {
        request->stage_of[grouping.order[i]] = 0;
        refused += !request->accepted[grouping.order[i]];
    }
    if (refused == 0)
        return;
    for (uint32_t i = 0; i < request->count; i++)
        if (strcmp(op_of(&grouping, grouping.order[i]), "TopK") == 0 ||
            strcmp(op_of(&grouping, grouping.order[i]), "NonZero") == 0)
            hand_back(&grouping, grouping.order[i], NPART__REASON_ONLY_WHOLE);
    /* npart__split_stages numbers parts in the order that it is given. */
    const uint32_t *file_order = request->order;
    request->order = grouping.order;
    group_nodes(&grouping);
    if (!request->failed) {
        place_single_nodes(&grouping);
        drop_groups(&grouping, is_fed_from_outside);
    }
    request->order = file_order;
}
