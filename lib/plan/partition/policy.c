/* SPDX-License-Identifier: Apache-2.0
 *
 * What a runtime does to the partitions that it could form: it stops at some ops, leaves to the CPU what is not
 * worth its while, and has room for so many.
 *
 * Each is a `partitions` line of a list with its sentence and source; this file has one function for each kind of line
 * and names no operator. Stops come before partitions are formed, splits while they are, drops when they are known.
 * What a drop leaves to the CPU keeps its step, so that no other node's partition changes by it.
 */
#include <stdlib.h>

#include "partition/product.h"

/* The first reason stays: a node that another line has given back is not accepted any more. */
void npart__hand_back_node(struct npart__hand_back *to, uint32_t node, uint32_t rule)
{
    if (!to->request->accepted[node])
        return;
    to->request->accepted[node] = false;
    to->rules[node] = rule;
}

/* The list's ops were looked up in the graph once (npart__find_ops), so this compares numbers. */
static bool is_named(const struct npart__hand_back *to, const struct npart__policy *policy, uint32_t node)
{
    return npart__is_among(npart__node_at(to->graph, node), to->ops + policy->first_op, policy->op_count);
}

/* The first line that counts for the target, in the list's order. */
const struct npart__policy *npart__policy_of_op(const struct npart__hand_back *to, enum npart__policy_kind kind,
                                                uint32_t node)
{
    const struct npart__target *target = to->request->target;
    for (uint32_t i = 0; i < target->oplist->policies.count; i++) {
        const struct npart__policy *policy = &target->oplist->policies.items[i];
        if (policy->kind == kind && npart__target_has(target, policy->when) && is_named(to, policy, node))
            return policy;
    }
    return NULL;
}

uint32_t npart__rule_of_op(const struct npart__hand_back *to, enum npart__policy_kind kind, uint32_t node)
{
    const struct npart__policy *policy = npart__policy_of_op(to, kind, node);
    return policy ? policy->rule : NPART_NONE;
}

/* ---- stops ------------------------------------------------------------------------------------------------ */

/* Captures count, since a body runs when its node does. */
static bool is_behind(const struct npart__hand_back *to, const bool *is_stopped, uint32_t id)
{
    const struct npart__node *node = npart__node_at(to->graph, id);
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        uint32_t producer = npart__producer(to->graph, npart__live_operand(to->request->session, node, k));
        if (producer != NPART_NONE && is_stopped[producer])
            return true;
    }
    return false;
}

/* Of a node after a stop, whether what reads its results is, too: not past the ops of a `resume` line, nor past those
 * of a `resume mixed` line where something else that is computed comes in. */
static bool goes_on(const struct npart__hand_back *to, const bool *is_stopped, uint32_t id)
{
    const struct npart__node *node = npart__node_at(to->graph, id);
    if (npart__rule_of_op(to, NPART__POLICY_RESUME, id) != NPART_NONE)
        return false;
    if (npart__rule_of_op(to, NPART__POLICY_RESUME_MIXED, id) == NPART_NONE)
        return true;
    for (uint32_t k = 0; k < node->input_count; k++) {
        uint32_t producer = npart__producer(to->graph, npart__live_operand(to->request->session, node, k));
        if (producer != NPART_NONE && npart__is_live(to->request->session, producer) && !is_stopped[producer])
            return false;
    }
    return true;
}

/* Nodes come in order, so what a node takes has been decided before it: one walk finds all that depends on such an
 * op, however far, but for `resume` lines. In every region: a body's nodes depend on what they capture like any
 * other. */
static bool stop_at(struct npart__hand_back *to, const struct npart__policy *policy)
{
    bool *is_stopped = npart__arena_zeroed(to->arena, to->graph->nodes.count + (size_t)1, sizeof *is_stopped);
    if (!is_stopped)
        return false;
    for (uint32_t i = 0; i < to->graph->order_count && !npart__is_late(to->arena); i++) {
        uint32_t node = to->graph->order[i];
        if (!npart__is_live(to->request->session, node))
            continue;
        bool stops = is_named(to, policy, node), is_after = is_behind(to, is_stopped, node);
        if (stops || is_after)
            npart__hand_back_node(to, node, policy->rule);
        is_stopped[node] = stops || (is_after && goes_on(to, is_stopped, node));
    }
    return true;
}

/* Whether one of these nodes is taken and of the policy's ops. */
static bool takes_named(const struct npart__hand_back *to, const struct npart__policy *policy, const uint32_t *nodes,
                        uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (to->request->accepted[nodes[i]] && is_named(to, policy, nodes[i]))
            return true;
    return false;
}

/* A graph that the provider has compiled already (EPContext) is loaded, and nothing else is compiled beside it;
 * without such a node the line says nothing. Nodes of all regions are left to the CPU, whichever has the compiled
 * one: the provider is asked once for a model. */
static void take_compiled(struct npart__hand_back *to, const struct npart__policy *policy)
{
    bool is_compiled = takes_named(to, policy, to->graph->order, to->graph->order_count);
    for (uint32_t node = 0; is_compiled && node < to->graph->nodes.count; node++)
        if (!is_named(to, policy, node))
            npart__hand_back_node(to, node, policy->rule);
}

/* Lines in the list's order; a node has the reason of the first that stops it. */
bool npart__apply_stops(struct npart__hand_back *to)
{
    const struct npart__oplist *oplist = to->request->target->oplist;
    for (uint32_t i = 0; i < oplist->policies.count && !npart__is_late(to->arena); i++) {
        const struct npart__policy *policy = &oplist->policies.items[i];
        if (!npart__target_has(to->request->target, policy->when))
            continue;
        if (policy->kind == NPART__POLICY_COMPILED)
            take_compiled(to, policy);
        if (policy->kind == NPART__POLICY_STOP && !stop_at(to, policy))
            return false;
    }
    return true;
}

/* ---- splits ------------------------------------------------------------------------------------------------ */

/* How many nodes a partition may have; UINT64_MAX: any number. The smallest of the lines that count. Graphs that
 * come compiled are a partition each. */
static uint64_t room_for_nodes(const struct npart__hand_back *to, const uint32_t *order, uint32_t count)
{
    const struct npart__target *target = to->request->target;
    uint64_t room = UINT64_MAX;
    for (uint32_t i = 0; i < target->oplist->policies.count && !npart__is_late(to->arena); i++) {
        const struct npart__policy *policy = &target->oplist->policies.items[i];
        if (!npart__target_has(target, policy->when))
            continue;
        if (policy->kind == NPART__POLICY_SPLIT && policy->number < room)
            room = policy->number;
        if (policy->kind == NPART__POLICY_COMPILED && takes_named(to, policy, order, count))
            room = 1;
    }
    return room;
}

/* Accepted nodes of one step are a partition. One with too many becomes several steps, of as many nodes each as can
 * be made equal, in execution order; the steps after it move on. Nodes of a part take results of earlier parts at
 * most, so steps stay in order. 10 nodes and room for 4 make three parts; node k is of part k * 3 / 10, so they have
 * 4, 3 and 3 nodes. Linear, and the arena gets back what it takes. */
bool npart__apply_splits(const struct npart__hand_back *to, const uint32_t *order, uint32_t count, uint32_t *step_of)
{
    const uint64_t room = room_for_nodes(to, order, count);
    uint32_t steps = 0, next = 0;
    if (room >= count || room == 0) /* a list's numbers are above 0 */
        return true;
    for (uint32_t i = 0; i < count; i++)
        steps = step_of[order[i]] >= steps ? step_of[order[i]] + 1 : steps;
    struct split {
        uint32_t nodes, seen, first, parts;
    } *splits = npart__arena_zeroed(to->arena, steps + (size_t)1, sizeof *splits);
    if (!splits)
        return false;
    for (uint32_t i = 0; i < count; i++)
        splits[step_of[order[i]]].nodes += to->request->accepted[order[i]];
    for (uint32_t s = 0; s < steps; s++) {
        splits[s].first = next;
        /* A step of the CPU has no accepted nodes, and stays one. */
        splits[s].parts = splits[s].nodes ? (uint32_t)((splits[s].nodes + room - 1) / room) : 1;
        next += splits[s].parts;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct split *split = &splits[step_of[order[i]]];
        /* In 64 bits, as the product of two counts of nodes may not fit into 32. */
        uint32_t part = split->nodes ? (uint32_t)((uint64_t)split->seen++ * split->parts / split->nodes) : 0;
        step_of[order[i]] = split->first + part;
    }
    npart__arena_release(to->arena, splits);
    return true;
}

/* ---- what is given back ------------------------------------------------------------------------------------ */

/* A partition that is still there when a `keep` line is asked; both figures are 0 where the line keeps the first. */
struct weighed {
    uint32_t partition, nodes;
    uint64_t macs;
};

struct drops {
    struct npart__hand_back *to;
    const struct npart__partitioning *partitioning;
    uint32_t *dropped; /* by partition: rule, or NPART_NONE */
    uint64_t all_macs; /* of the whole graph; 0 where that of a node is not known */
};

static const uint32_t *members_of(const struct drops *drops, uint32_t partition)
{
    return drops->partitioning->lists.items + drops->partitioning->partitions.items[partition].first_member;
}

/* A node whose work is not known counts as none. So a partition of which little is known is dropped first. The sum
 * saturates. */
static uint64_t macs_of(const struct drops *drops, uint32_t partition)
{
    const struct npart__works *works = drops->to->request->works;
    uint64_t macs = 0;
    for (uint32_t i = 0; i < drops->partitioning->partitions.items[partition].member_count; i++) {
        uint64_t here = works->items[members_of(drops, partition)[i]].macs;
        if (here != NPART__WORK_UNKNOWN)
            macs = npart__sum_uint64(macs, here);
    }
    return macs;
}

/* 0 where that of a node is not known, which is the largest number, at which the sum stays. */
static uint64_t macs_of_all(const struct drops *drops)
{
    uint64_t macs = 0;
    for (uint32_t i = 0; i < drops->to->graph->nodes.count; i++)
        macs = npart__sum_uint64(macs, drops->to->request->works->items[i].macs);
    return macs == NPART__WORK_UNKNOWN ? 0 : macs;
}

/* How many members are of the line's ops. Members are still those of the session's graph, copies included. */
static uint32_t count_named(const struct drops *drops, const struct npart__policy *policy, uint32_t partition)
{
    uint32_t named = 0;
    for (uint32_t i = 0; i < drops->partitioning->partitions.items[partition].member_count; i++)
        named += is_named(drops->to, policy, members_of(drops, partition)[i]);
    return named;
}

/* Whether it is the only one of its region; those of a region stand together. */
static bool is_only_partition(const struct npart__partitioning *partitioning, uint32_t id)
{
    const struct npart__partition *partitions = partitioning->partitions.items;
    uint32_t region = partitions[id].region;
    return (id == 0 || partitions[id - 1].region != region) &&
           (id + 1 == partitioning->partitions.count || partitions[id + 1].region != region);
}

/* Whether a partition is all that its region runs. Linear in the region; asked of a partition that is alone in it,
 * so once a region. */
static bool is_whole(const struct drops *drops, uint32_t partition)
{
    const struct npart__partition *at = &drops->partitioning->partitions.items[partition];
    const struct npart__scope *scope = npart__scope_at(drops->to->graph, at->region);
    if (!is_only_partition(drops->partitioning, partition))
        return false;
    for (uint32_t i = 0; i < scope->order_count; i++) {
        uint32_t node = drops->to->graph->order[scope->first_order + i];
        bool is_live = npart__is_live(drops->to->request->session, node);
        if (is_live && drops->partitioning->partition_of[node] != partition)
            return false;
    }
    return true;
}

/* ... and small, and begins with one of the ops. "Begins" is by execution order, of which the first member is the
 * first. */
static bool is_small_whole(const struct drops *drops, const struct npart__policy *policy, uint32_t partition)
{
    return drops->partitioning->partitions.items[partition].member_count <= policy->number &&
           is_whole(drops, partition) && is_named(drops->to, policy, members_of(drops, partition)[0]);
}

/* Whether a result of the model is a constant, once constants are folded. The file's outputs are asked: the
 * session's graph has only what is made by nodes. Of a graph without inputs nothing reaches the compiler, and it
 * loads (probe: onnxruntime-openvino 1.24.1). */
static bool has_fixed_result(const struct drops *drops)
{
    const struct npart__session *session = drops->to->request->session;
    const struct npart__graph *graph = session->file;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    for (uint32_t i = 0; i < scope->output_count && scope->input_count; i++)
        if (session->is_constant[graph->operands.items[scope->first_output + i]])
            return true;
    return false;
}

/* Of such an op the compiler does not look at that operand, which lends its type and no more. */
static bool is_unread(const struct drops *drops, const struct npart__policy *policy, uint32_t node, uint32_t operand)
{
    return operand == policy->number && is_named(drops->to, policy, node);
}

/* Operand `k` of a node, where it is no constant and comes into the partition; else NPART_NONE. What another
 * partition makes comes in as well as what the CPU makes; an operand that is left out gives NPART_NONE, too. */
static uint32_t coming_in(const struct drops *drops, uint32_t partition, const struct npart__node *node, uint32_t k)
{
    const struct npart__graph *graph = drops->to->graph;
    uint32_t value = npart__live_operand(drops->to->request->session, node, k);
    uint32_t producer = npart__producer(graph, value);
    bool is_own = producer != NPART_NONE && drops->partitioning->partition_of[producer] == partition;
    return is_own ? NPART_NONE : value;
}

/* Whether some member takes the value by an operand that the compiler looks at. Linear in the partition, and asked
 * once for it. */
static bool is_read(const struct drops *drops, const struct npart__policy *policy, uint32_t partition, uint32_t value)
{
    const struct npart__graph *graph = drops->to->graph;
    for (uint32_t i = 0; i < drops->partitioning->partitions.items[partition].member_count; i++) {
        uint32_t id = members_of(drops, partition)[i];
        const struct npart__node *node = npart__node_at(graph, id);
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++)
            if (coming_in(drops, partition, node, k) == value && !is_unread(drops, policy, id, k))
                return true;
    }
    return false;
}

/* Whether a value that is no constant comes into the partition. The first must be read there, too: the compiler does
 * not find one that only lends its type, and then none (probe: onnxruntime-qnn 2.7.0; a later one does no harm). */
static bool is_fed(const struct drops *drops, const struct npart__policy *policy, uint32_t partition)
{
    const struct npart__graph *graph = drops->to->graph;
    for (uint32_t i = 0; i < drops->partitioning->partitions.items[partition].member_count; i++) {
        uint32_t id = members_of(drops, partition)[i];
        const struct npart__node *node = npart__node_at(graph, id);
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t value = coming_in(drops, partition, node, k);
            /* The first that comes in decides, whatever comes after it. */
            if (value != NPART_NONE)
                return !is_unread(drops, policy, id, k) || is_read(drops, policy, partition, value);
        }
    }
    return false;
}

/* By one `partitions drop` or `fail` line. Which partitions count at all (WHEN, of which stage) has been decided by
 * then. */
static bool is_dropped(const struct drops *drops, const struct npart__policy *policy, uint32_t partition)
{
    uint32_t nodes = drops->partitioning->partitions.items[partition].member_count;
    switch ((enum npart__policy_kind)policy->kind) {
    case NPART__POLICY_DROP_UNFED:
    case NPART__POLICY_FAIL_UNFED:
        return !is_fed(drops, policy, partition);
    case NPART__POLICY_DROP_ONLY:
        return count_named(drops, policy, partition) == nodes;
    case NPART__POLICY_DROP_SINGLE:
        return nodes == 1 && (policy->op_count == 0 || count_named(drops, policy, partition) == 1);
    case NPART__POLICY_DROP_UNDER_NODES:
        return nodes < policy->number;
    case NPART__POLICY_DROP_UNDER_MACS:
        return macs_of(drops, partition) < policy->number;
    case NPART__POLICY_DROP_UNDER_PERCENT: /* as numbers that have room for a hundred times a sum */
        return (double)macs_of(drops, partition) * 100 < (double)drops->all_macs * (double)policy->number;
    case NPART__POLICY_DROP_UNDER_OPS:
        return count_named(drops, policy, partition) < policy->number;
    case NPART__POLICY_DROP_SMALL_WHOLE:
        return is_small_whole(drops, policy, partition);
    case NPART__POLICY_FAIL_FIXED:
        return drops->partitioning->partitions.items[partition].region == 0 && is_whole(drops, partition) &&
               has_fixed_result(drops);
    default:
        return false;
    }
}

/* Heaviest first. No two are equal, as partitions differ, so the order is the same whatever sort the C library
 * has. */
static int compare_weighed(const void *left, const void *right)
{
    const struct weighed *a = left, *b = right;
    int order = NPART__ORDER(b->macs, a->macs);
    order = order ? order : NPART__ORDER(b->nodes, a->nodes);
    return order ? order : NPART__ORDER(a->partition, b->partition);
}

/* All but the best `number` of those that are left. Heaviest: by multiply-accumulates, then by nodes, then the
 * earlier one. Without weights the order is that of the file, so the first are kept. Ties go to the earlier
 * partition, so that the answer does not hang on the sort. Of `over` lines all or none. */
static bool keep_some(struct drops *drops, const struct npart__policy *policy)
{
    uint32_t partitions = drops->partitioning->partitions.count, count = 0;
    struct weighed *left = npart__arena_zeroed(drops->to->arena, partitions + (size_t)1, sizeof *left);
    if (!left)
        return false;
    for (uint32_t p = 0; p < partitions; p++) {
        if (drops->dropped[p] != NPART_NONE)
            continue;
        left[count] = (struct weighed){.partition = p};
        if (policy->kind == NPART__POLICY_KEEP_HEAVIEST) {
            left[count].macs = macs_of(drops, p);
            left[count].nodes = drops->partitioning->partitions.items[p].member_count;
        }
        count++;
    }
    if (count > 1)
        qsort(left, count, sizeof *left, compare_weighed);
    for (uint32_t i = 0; i < count; i++)
        if (i >= policy->number || (count > policy->number && policy->kind == NPART__POLICY_DROP_OVER))
            drops->dropped[left[i].partition] = policy->rule;
    return true;
}

/* Lines in the list's order: what one has dropped, the next does not count any more. The rule of the first that
 * drops a partition is its reason. Nothing is given back until all lines have been asked, so what one line counts
 * is not changed by another's nodes. */
bool npart__apply_drops(struct npart__hand_back *to, const struct npart__partitioning *partitioning, bool *changed)
{
    const struct npart__oplist *oplist = to->request->target->oplist;
    uint32_t partitions = partitioning->partitions.count;
    struct drops drops = {.to = to, .partitioning = partitioning};
    *changed = false;
    if (oplist->policies.count == 0)
        return true;
    drops.dropped = npart__arena_allocate(to->arena, (partitions + (size_t)1) * sizeof *drops.dropped);
    if (!drops.dropped)
        return false;
    memset(drops.dropped, 0xff, (partitions + (size_t)1) * sizeof *drops.dropped);
    for (uint32_t i = 0; i < oplist->policies.count; i++) {
        const struct npart__policy *policy = &oplist->policies.items[i];
        if (npart__is_late(to->arena))
            return false;
        if (!npart__target_has(to->request->target, policy->when))
            continue;
        bool keeps = npart__policy_keeps(policy);
        if (policy->kind == NPART__POLICY_DROP_UNDER_PERCENT && drops.all_macs == 0)
            drops.all_macs = macs_of_all(&drops);
        if (keeps && !keep_some(&drops, policy))
            return false;
        for (uint32_t p = 0; !keeps && p < partitions; p++)
            if (drops.dropped[p] == NPART_NONE && is_dropped(&drops, policy, p))
                drops.dropped[p] = policy->rule;
    }
    for (uint32_t p = 0; p < partitions; p++) {
        if (drops.dropped[p] == NPART_NONE)
            continue;
        *changed = true;
        for (uint32_t i = 0; i < partitioning->partitions.items[p].member_count; i++)
            npart__hand_back_node(to, members_of(&drops, p)[i], drops.dropped[p]);
    }
    return true;
}

/* What is compiled apart does not meet, so the pattern of nodes that fails as one graph does not come about. */
static bool is_in_one_partition(const struct npart__partitioning *partitioning, const uint32_t *nodes, uint32_t count)
{
    uint32_t partition = partitioning->partition_of[nodes[0]];
    for (uint32_t i = 1; i < count; i++)
        if (partitioning->partition_of[nodes[i]] != partition)
            return false;
    return partition != NPART_NONE;
}

/* The first node of a match goes to the CPU with the rule that it fails by; the others stay where they are, as the
 * compiler's message names one. Then what follows from tensors that several partitions share. A request without a
 * mask has no failing nodes to look for. */
bool npart__apply_failures(struct npart__hand_back *to, const struct npart__partitioning *partitioning, bool *changed)
{
    const struct npart__oplist *oplist = to->request->target->oplist;
    const struct npart__mask *mask = to->request->mask;
    *changed = false;
    for (uint32_t i = 0; mask && i < mask->failing.count; i++) {
        const struct npart__failing *failing = &mask->failing.items[i];
        const uint32_t *nodes = NPART__FROM(&mask->failing_nodes, failing->first_node);
        if (!is_in_one_partition(partitioning, nodes, failing->node_count))
            continue;
        npart__hand_back_node(to, nodes[0], failing->rule);
        *changed = true;
    }
    for (uint32_t i = 0; i < oplist->policies.count; i++) {
        const struct npart__policy *policy = &oplist->policies.items[i];
        if (npart__is_late(to->arena))
            return false;
        /* One line after the other, as each names ops of its own. */
        if (!npart__target_has(to->request->target, policy->when))
            continue;
        for (const struct npart__product *product = to->request->products; product->name; product++)
            if (product->failures[policy->kind] &&
                !product->failures[policy->kind](to, partitioning, policy, changed))
                return false;
    }
    return true;
}
