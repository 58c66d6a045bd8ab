/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps to partitions, borders and boundary tensors.
 *
 * What a partitioner gave as steps becomes partitions with their members, borders and ends. Each of these is a walk
 * over nodes or users; a value that goes to many users on one side crosses once.
 */
#include <stdlib.h>

#include "partition/policy.h"
#include "partition/steps.h"

/* Scratch of one partitioning; what remains of it is in `out`. */
struct partitioner {
    const struct npart__graph *graph;
    const struct npart__session *session;
    const bool *accepted;
    const struct npart__partitioner *by;
    struct npart__hand_back back;
    struct npart__arena *arena;
    struct npart__partitioning *out;
    uint32_t *order;        /* live nodes of the region at hand */
    uint32_t *place_of;     /* by node of these */
    uint32_t *of_step;     /* by step of the region: partition, or NPART_NONE */
    uint32_t *seen_by;      /* by side (partitions, then the CPU): the value that was last seen to go there */
    bool *is_joined;        /* by scope: a body that is in the partition of its node */
    bool failed;
};

/* ---- steps ---------------------------------------------------------------------------------------------- */

/* The live nodes of a region, into at->order; returns how many. Producers come before consumers. What was folded,
 * fused or inlined is left out, so the list may be empty. */
static uint32_t list_region(struct partitioner *at, uint32_t region)
{
    const struct npart__scope *scope = npart__scope_at(at->graph, region);
    uint32_t count = 0;
    for (uint32_t i = 0; i < scope->order_count; i++) {
        uint32_t node = at->graph->order[scope->first_order + i];
        if (npart__is_live(at->session, node))
            at->order[count++] = node;
    }
    return count;
}

/* What is as long as there are steps has room for most_steps() of them. A partitioner may leave out more numbers than
 * that, as many short segments do: then the steps are counted anew, in their order. */
static void bound_steps(struct partitioner *at, uint32_t count)
{
    uint32_t *step_of = at->out->step_of, distinct = 0;
    bool has_room = true;
    for (uint32_t i = 0; i < count; i++)
        has_room = has_room && step_of[at->order[i]] < npart__most_steps(at->graph);
    if (has_room)
        return;
    /* Sorted and searched, since the numbers may be anything below 2^32: they are sums over segments. */
    uint32_t *steps = npart__arena_allocate(at->arena, count * sizeof *steps);
    if (!steps) {
        at->failed = true;
        return;
    }
    for (uint32_t i = 0; i < count; i++)
        steps[i] = step_of[at->order[i]];
    qsort(steps, count, sizeof *steps, npart__compare_uint32);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || steps[i] != steps[i - 1])
            steps[distinct++] = steps[i];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t *place =
            bsearch(&step_of[at->order[i]], steps, distinct, sizeof *steps, npart__compare_uint32);
        step_of[at->order[i]] = (uint32_t)(place - steps);
    }
    npart__arena_release(at->arena, steps);
}

/* What a partitioner needs for one region is freed after it: there may be as many regions as nodes. Splits come
 * after staging, as they cut what a partitioner has formed. An arena over the same allocator, so that a budget of
 * memory counts what staging takes, too. */
static void step_region(struct partitioner *at, uint32_t region)
{
    struct npart__arena scratch;
    uint32_t count = list_region(at, region);
    npart__arena_init(&scratch, &at->arena->allocator);
    struct npart__step_request request = {.back = &at->back,
                                           .graph = at->graph,
                                           .session = at->session,
                                           .accepted = at->accepted,
                                           .region = region,
                                           .segment_of = at->out->cuts.segment_of,
                                           .order = at->order,
                                           .count = count,
                                           .place_of = at->place_of,
                                           .step_of = at->out->step_of,
                                           .arena = &scratch};
    npart__step_segments(&request, at->by->step);
    at->failed |= request.failed || !npart__apply_splits(&at->back, at->order, count, at->out->step_of);
    if (!at->failed)
        bound_steps(at, count);
    npart__arena_clear(&scratch);
}

/* A body runs with the node that holds it. Where that is taken, and all of the body could be in the same round, some
 * runtimes take the body as a part of its node: asked of OpenVINO's provider with Ifs and Scans. A cut of the user's in
 * there keeps it apart. */
static bool joins(const struct partitioner *at, uint32_t region)
{
    const struct npart__scope *scope = npart__scope_at(at->graph, region);
    const uint32_t *segment_of = at->out->cuts.segment_of;
    const uint8_t *round = at->session->round;
    bool is_any = false;
    if (!at->by->joins_bodies || scope->kind != NPART_GRAPH_BODY ||
        !npart__is_live(at->session, scope->node) || !at->accepted[scope->node])
        return false;
    for (uint32_t i = 0; i < scope->order_count; i++) {
        uint32_t node = at->graph->order[scope->first_order + i];
        if (!npart__is_live(at->session, node))
            continue;
        if (!at->accepted[node] || round[node] != round[scope->node] || (segment_of && segment_of[node]))
            return false;
        is_any = true;
    }
    return is_any;
}

/* Every region, or `again` the bodies that do not stay with their node, as it was left to the CPU since. Whether
 * there are any. */
static bool step_regions(struct partitioner *at, bool again)
{
    bool is_any = false;
    for (uint32_t scope = 0; !at->failed && scope < at->graph->scopes.count; scope++) {
        bool was_joined = again && at->is_joined[scope];
        if (npart__scope_at(at->graph, scope)->region != scope || (again && !was_joined))
            continue;
        at->is_joined[scope] = joins(at, scope);
        is_any |= !at->is_joined[scope];
        if (!at->is_joined[scope])
            step_region(at, scope);
        uint32_t count = at->is_joined[scope] ? list_region(at, scope) : 0;
        for (uint32_t i = 0; i < count; i++)
            at->out->step_of[at->order[i]] = 0;
    }
    return is_any;
}

/* ---- members --------------------------------------------------------------------------------------------- */

/* Makes the partitions of a region in the order of their steps, and counts the changes of side between steps. A
 * step is on one side, so any node of it says which. Linear in the region's nodes and steps. */
static void make_partitions(struct partitioner *at, uint32_t region)
{
    struct npart__partitioning *out = at->out;
    uint32_t count = list_region(at, region), steps = 0;
    for (uint32_t i = 0; i < count; i++)
        if (out->step_of[at->order[i]] >= steps)
            steps = out->step_of[at->order[i]] + 1;
    /* First pass: which steps exist, and on which side; of_step holds the number of their nodes. */
    memset(at->of_step, 0, steps * sizeof *at->of_step);
    for (uint32_t i = 0; i < count; i++)
        at->of_step[out->step_of[at->order[i]]]++;
    int side = -1;
    bool *is_accepted = npart__arena_zeroed(at->arena, steps + (size_t)1, sizeof *is_accepted);
    at->failed |= !is_accepted;
    for (uint32_t i = 0; !at->failed && i < count; i++)
        is_accepted[out->step_of[at->order[i]]] = at->accepted[at->order[i]];
    for (uint32_t step = 0; !at->failed && step < steps; step++) {
        uint32_t members = at->of_step[step];
        at->of_step[step] = NPART_NONE;
        if (members == 0)
            continue;
        /* Only what runs counts: a step without nodes (a gap in the numbers) changes no side. */
        out->switch_count += side >= 0 && side != (int)is_accepted[step] ? 1 : 0;
        side = is_accepted[step];
        if (!is_accepted[step])
            continue;
        struct npart__partition partition = {.region = region, .step = step, .first_member = out->lists.count};
        at->of_step[step] = out->partitions.count;
        at->failed |= !NPART__PUSH(at->arena, &out->partitions, partition) ||
                      !NPART__RESERVE(at->arena, &out->lists, members);
        out->lists.count += at->failed ? 0 : members; /* room, filled in by the second pass */
    }
    /* Second pass: the members, in execution order. */
    for (uint32_t i = 0; !at->failed && i < count; i++) {
        uint32_t node = at->order[i];
        if (!at->accepted[node])
            continue;
        uint32_t id = at->of_step[out->step_of[node]];
        struct npart__partition *partition = &out->partitions.items[id];
        out->partition_of[node] = id;
        out->lists.items[partition->first_member + partition->member_count++] = node;
    }
    npart__arena_release(at->arena, is_accepted);
}

/* Not known (UINT64_MAX) where a dim or the element type is not: no guess of a size is made here. */
static uint64_t bytes_of(const struct partitioner *at, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(at->session->inference, value);
    uint64_t elements;
    return fact->element_type && npart__static_elements(fact, &elements)
               ? npart__type_bytes(fact->element_type, elements)
               : UINT64_MAX;
}

/* ---- borders --------------------------------------------------------------------------------------------- */

/* The side that makes a value: its producer's partition, or the CPU for what is fed in. Inputs of the model come
 * from the CPU's memory. */
static uint32_t source_side(const struct partitioner *at, uint32_t value)
{
    uint32_t producer = npart__producer(at->graph, value);
    return producer == NPART_NONE ? NPART_NONE : at->out->partition_of[producer];
}

/* One boundary tensor for each side but its own that takes the value. The last turn of the loop is the world outside,
 * which takes the results of the graph and counts as the CPU. `seen_by` holds the value that a side has been given
 * last, so it never has to be cleared. A user that is a copy of a DequantizeLinear is passed: what it hands on
 * crosses where its own user is. A value made in partition 0, and used by two nodes of partition 1, by one on the CPU
 * and by one in partition 0, makes two boundary tensors. */
static void add_crossings(struct partitioner *at, uint32_t value)
{
    struct npart__partitioning *out = at->out;
    uint32_t from = source_side(at, value);
    uint32_t end = npart__user_count(at->session, value);
    for (uint32_t i = 0; i <= end; i++) {
        bool is_graph_output = i == end;
        if (is_graph_output && !npart__value_at(at->graph, value)->is_graph_output)
            break;
        uint32_t to = is_graph_output ? NPART_NONE : out->partition_of[npart__user_past_copies(at->session, value, i)];
        /* The CPU has the place after all partitions. */
        uint32_t side = to == NPART_NONE ? out->partitions.count : to;
        if (to == from || at->seen_by[side] == value)
            continue;
        at->seen_by[side] = value;
        struct npart__crossing crossing = {.value = value, .from = from, .to = to, .bytes = bytes_of(at, value)};
        if (!NPART__PUSH(at->arena, &out->crossings, crossing)) {
            at->failed = true;
            return;
        }
    }
}

/* The boundary tensors sorted into the inputs and outputs of the partitions they touch. Boundary tensors come by value,
 * so those of one value from one side stand together, and an output that goes to several sides is listed once. Two
 * passes for each side, since all lists share one array and lie one after the other. */
static void list_borders(struct partitioner *at)
{
    struct npart__partitioning *out = at->out;
    for (int side = 0; side < 2; side++) {
        /* Count, hand out ranges, fill. */
        for (int pass = 0; pass < 2; pass++) {
            uint32_t last_value = NPART_NONE, last_from = NPART_NONE;
            for (uint32_t i = 0; i < out->crossings.count; i++) {
                const struct npart__crossing *crossing = &out->crossings.items[i];
                uint32_t id = side == 0 ? crossing->to : crossing->from;
                bool is_repeated = side == 1 && crossing->value == last_value && crossing->from == last_from;
                last_value = crossing->value;
                last_from = crossing->from;
                if (id == NPART_NONE || is_repeated)
                    continue;
                struct npart__partition *partition = &out->partitions.items[id];
                uint32_t *count = side == 0 ? &partition->input_count : &partition->output_count;
                uint32_t first = side == 0 ? partition->first_input : partition->first_output;
                if (pass == 1)
                    out->lists.items[first + *count] = crossing->value;
                (*count)++;
            }
            for (uint32_t p = 0; pass == 0 && p < out->partitions.count; p++) {
                struct npart__partition *partition = &out->partitions.items[p];
                uint32_t *count = side == 0 ? &partition->input_count : &partition->output_count;
                *(side == 0 ? &partition->first_input : &partition->first_output) = out->lists.count;
                if (!NPART__RESERVE(at->arena, &out->lists, *count)) {
                    at->failed = true;
                    return;
                }
                out->lists.count += *count;
                *count = 0;
            }
        }
    }
}

/* The unsupported nodes that take a partition's results, each once, in order. `seen` holds the last partition by
 * node, so it is cleared once. The CPU node need not run next; it is told since its operand is what the partition
 * had to be left for. */
static void list_ends(struct partitioner *at)
{
    struct npart__partitioning *out = at->out;
    uint32_t *seen = npart__arena_allocate(at->arena, (at->graph->nodes.count + (size_t)1) * sizeof *seen);
    if (!seen) {
        at->failed = true;
        return;
    }
    memset(seen, 0xff, (at->graph->nodes.count + (size_t)1) * sizeof *seen);
    for (uint32_t p = 0; p < out->partitions.count; p++) {
        struct npart__partition *partition = &out->partitions.items[p];
        partition->first_end = out->lists.count;
        for (uint32_t i = 0; i < partition->output_count; i++) {
            uint32_t value = out->lists.items[partition->first_output + i];
            for (uint32_t k = 0; k < npart__user_count(at->session, value); k++) {
                uint32_t node = npart__user_past_copies(at->session, value, k);
                if (at->accepted[node] || seen[node] == p) /* accepted: on the NPU, in another step */
                    continue;
                seen[node] = p;
                if (!NPART__PUSH(at->arena, &out->lists, node)) {
                    at->failed = true;
                    return;
                }
                partition->end_count++;
            }
        }
    }
    npart__arena_release(at->arena, seen);
}

/* Where accepted nodes would go on from a partition, but for the user. Of each result that leaves the partition, the
 * cut that stands in the way of an accepted user. */
static void list_cuts(struct partitioner *at)
{
    struct npart__partitioning *out = at->out;
    for (uint32_t p = 0; !at->failed && p < out->partitions.count; p++) {
        struct npart__partition *partition = &out->partitions.items[p];
        partition->first_cut = out->lists.count;
        for (uint32_t i = 0; !at->failed && i < partition->output_count; i++) {
            at->failed |= !npart__list_cuts_of(&at->back, out, p, out->lists.items[partition->first_output + i]);
        }
    }
}

/* Where the order of nodes counts, the next node of the other side ends a partition although it takes nothing from
 * it. Only where nothing else is told to end it: a partition that ends at a cut or at its user's node has its
 * reason. The range of such a partition is begun anew at the end of the lists, as its own is empty. */
static void complete_ends_in_order(struct partitioner *at)
{
    struct npart__partitioning *out = at->out;
    uint32_t before = NPART_NONE; /* the partition of the live node before */
    for (uint32_t i = 0; !at->failed && i < at->graph->order_count; i++) {
        uint32_t node = at->graph->order[i];
        if (!npart__is_live(at->session, node))
            continue;
        struct npart__partition *ended = before == NPART_NONE ? NULL : &out->partitions.items[before];
        bool is_next = ended && out->partition_of[node] == NPART_NONE &&
                       npart__node_region(at->graph, node) == ended->region;
        if (is_next && ended->end_count == 0 && ended->cut_count == 0) {
            ended->first_end = out->lists.count;
            ended->end_count = 1;
            at->failed |= !NPART__PUSH(at->arena, &out->lists, node);
        }
        before = out->partition_of[node];
    }
}

/* A counting sort by step. Within a step the order of the graph holds, in which producers come first. Returns
 * how many nodes are live. `starts` is left zeroed for the next region: of many small ones each clears only what
 * it has used. */
uint32_t npart__order_of_steps(const struct npart__graph *graph, const struct npart__partitioning *partitioning,
                                uint32_t region, uint32_t *starts, uint32_t *out)
{
    const struct npart__scope *scope = npart__scope_at(graph, region);
    const uint32_t *order = graph->order + scope->first_order, *step_of = partitioning->step_of;
    uint32_t steps = 0, count = 0;
    for (uint32_t i = 0; i < scope->order_count; i++) {
        uint32_t step = step_of[order[i]];
        if (step == NPART_NONE)
            continue;
        starts[step + 1]++;
        steps = step + 1 > steps ? step + 1 : steps;
        count++;
    }
    for (uint32_t k = 0; k < steps; k++)
        starts[k + 1] += starts[k];
    for (uint32_t i = 0; i < scope->order_count; i++)
        if (step_of[order[i]] != NPART_NONE)
            out[starts[step_of[order[i]]]++] = order[i];
    memset(starts, 0, (steps + (size_t)1) * sizeof *starts);
    return count;
}

/* ---- the whole ------------------------------------------------------------------------------------------- */

/* All of it for the whole graph and once: regions share the arrays, each with nodes of its own. What has one item
 * more than there are nodes is never empty, so NULL means out of memory alone. 0xff in every byte is NPART_NONE. */
static bool allocate(struct partitioner *at)
{
    size_t nodes = at->graph->nodes.count + (size_t)1;
    struct npart__partitioning *out = at->out;
    const struct npart__oplist *oplist = at->back.request->target->oplist;
    out->handed_back = npart__arena_allocate(at->arena, nodes * sizeof *out->handed_back);
    out->partition_of = npart__arena_allocate(at->arena, nodes * sizeof *out->partition_of);
    out->step_of = npart__arena_allocate(at->arena, nodes * sizeof *out->step_of);
    at->order = npart__arena_allocate(at->arena, nodes * sizeof *at->order);
    at->place_of = npart__arena_zeroed(at->arena, nodes, sizeof *at->place_of);
    at->is_joined = npart__arena_zeroed(at->arena, at->graph->scopes.count + (size_t)1, sizeof *at->is_joined);
    at->of_step = npart__arena_allocate(at->arena, npart__most_steps(at->graph) * sizeof *at->of_step);
    at->back.ops = npart__find_ops(at->graph, oplist->policy_ops.items, oplist->policy_ops.count, at->arena);
    at->back.rules = out->handed_back;
    if (!out->handed_back || !out->partition_of || !out->step_of || !at->order || !at->place_of || !at->of_step ||
        !at->is_joined || !at->back.ops)
        return false;
    memset(out->handed_back, 0xff, nodes * sizeof *out->handed_back);
    memset(out->partition_of, 0xff, nodes * sizeof *out->partition_of);
    memset(out->step_of, 0xff, nodes * sizeof *out->step_of);
    return true;
}

/* From the steps as they are now. Ids are given in the order of regions and steps, so the same steps give the same
 * ids. A scope that is a region of its own is the main graph or a body; scopes of inlined calls belong to their
 * caller's. */
static void make_all_partitions(struct partitioner *at)
{
    struct npart__partitioning *out = at->out;
    /* Called again after something is given back: what was listed before is dropped, the steps stay. */
    out->partitions.count = out->lists.count = out->switch_count = 0;
    memset(out->partition_of, 0xff, (at->graph->nodes.count + (size_t)1) * sizeof *out->partition_of);
    for (uint32_t scope = 0; !at->failed && scope < at->graph->scopes.count; scope++) {
        if (npart__scope_at(at->graph, scope)->region != scope)
            continue;
        if (!at->is_joined[scope])
            make_partitions(at, scope);
        uint32_t count = at->is_joined[scope] ? list_region(at, scope) : 0;
        for (uint32_t i = 0; i < count; i++) /* holders come before their bodies */
            out->partition_of[at->order[i]] = out->partition_of[npart__scope_at(at->graph, scope)->node];
    }
}

/* Joined nodes after the members of a partition's own region, once policies have seen these alone. Lists that
 * grow are begun anew at the end. */
static void list_joined(struct partitioner *at)
{
    struct npart__partitioning *out = at->out;
    for (uint32_t n = 0; n < at->graph->nodes.count; n++)
        if (out->partition_of[n] != NPART_NONE && at->is_joined[npart__node_region(at->graph, n)])
            out->partitions.items[out->partition_of[n]].joined_count++;
    for (uint32_t p = 0; p < out->partitions.count && !at->failed; p++) {
        struct npart__partition *partition = &out->partitions.items[p];
        uint32_t first = out->lists.count, count = partition->member_count;
        if (partition->joined_count == 0)
            continue;
        at->failed |= !NPART__RESERVE(at->arena, &out->lists, count + partition->joined_count);
        if (at->failed)
            return;
        memcpy(out->lists.items + first, out->lists.items + partition->first_member, count * sizeof *out->lists.items);
        out->lists.count += count + partition->joined_count;
        partition->first_member = first;
    }
    for (uint32_t i = 0; i < at->graph->order_count && !at->failed; i++) {
        uint32_t node = at->graph->order[i], id = out->partition_of[node];
        if (id == NPART_NONE || !at->is_joined[npart__node_region(at->graph, node)])
            continue;
        struct npart__partition *partition = &out->partitions.items[id];
        out->lists.items[partition->first_member + partition->member_count++] = node;
    }
}

/* Steps, then partitions, then what the runtime drops of these (too small, too many, of certain ops). What is
 * dropped keeps its step, so that the others do not change. A second look at drops is not taken, but for bodies that
 * have lost their node: a runtime, too, decides once which of its partitions it keeps. */
static void form_partitions(struct partitioner *at)
{
    bool changed = false;
    (void)step_regions(at, false);
    do {
        if (!at->failed)
            make_all_partitions(at);
        if (!at->failed)
            at->failed |= !npart__apply_drops(&at->back, at->out, &changed);
        /* A body whose node is dropped is asked about by itself, and so are the drops then. */
    } while (!at->failed && changed && step_regions(at, true));
    if (!at->failed && changed) /* what is given back keeps its step, on the other side */
        make_all_partitions(at);
}

/* Before staging, what the runtime does not reach and what the user cuts off is left to the CPU. Failures are
 * found once partitions are known, since nodes fail together only in one; after that no further ones are looked
 * for. */
static void partition_regions(struct partitioner *at)
{
    bool changed = false;
    at->failed |= !npart__apply_stops(&at->back); /* ops at which the runtime stops */
    if (!at->failed && at->back.request->is_cut)
        at->failed |= !npart__apply_cuts(&at->back, &at->out->cuts);
    form_partitions(at);
    /* A node that fails parts what it stood among, which therefore has other steps. */
    if (!at->failed && at->by->fail_bodies && at->by->fail_bodies(&at->back))
        form_partitions(at);
    if (!at->failed)
        at->failed |= !npart__apply_failures(&at->back, at->out, &changed);
    if (!at->failed && changed)
        form_partitions(at);
}

/* Members are told as nodes of the file: copies go without saying, or, where there is nothing else, as what they are
 * copies of. Copies of one node stand next to each other in a partition of copies alone, so comparing with the
 * last one is enough. Members only become fewer, so what is told fits where they stood; the rest of the range
 * stays unused. */
static void hide_copies(struct partitioner *at)
{
    for (uint32_t p = 0; p < at->out->partitions.count; p++) {
        struct npart__partition *partition = &at->out->partitions.items[p];
        uint32_t *members = at->out->lists.items + partition->first_member, own = 0, told = 0, joined = 0;
        for (uint32_t i = 0; i < partition->member_count; i++)
            own += !npart__is_copy(at->graph, members[i]);
        for (uint32_t i = 0; i < partition->member_count; i++) {
            uint32_t node = npart__original(at->session->graph, members[i]);
            bool is_told = own ? node == members[i] : told == 0 || members[told - 1] != node;
            joined += is_told && i >= partition->member_count - partition->joined_count;
            if (is_told)
                members[told++] = node;
        }
        partition->member_count = told;
        partition->joined_count = joined;
    }
}

/* Values of the file alone: copies that the runtime makes of a DequantizeLinear are told as what they copy. By value
 * in order, so that lists of inputs and outputs come sorted. */
static void find_borders(struct partitioner *at)
{
    const uint32_t file_values = at->session->file->values.count;
    size_t sides = at->out->partitions.count + (size_t)1;
    at->seen_by = npart__arena_allocate(at->arena, sides * sizeof *at->seen_by);
    if (!at->seen_by) {
        at->failed = true;
        return;
    }
    memset(at->seen_by, 0xff, sides * sizeof *at->seen_by);
    for (uint32_t value = 0; !at->failed && value < file_values; value++)
        if (!at->session->is_constant[value] && at->session->stands_for[value] == value) /* weights are compiled in */
            add_crossings(at, value);
    if (!at->failed)
        list_borders(at);
    if (!at->failed)
        list_ends(at);
    if (!at->failed && at->out->cuts.segment_of)
        list_cuts(at);
    if (!at->failed && !at->by->follows_edges)
        complete_ends_in_order(at);
}

/* `accepted` stays the caller's array, which changes with what is left to the CPU. */
static struct partitioner begin(const struct npart__partition_request *request, struct npart__arena *arena,
                                struct npart__partitioning *out)
{
    memset(out, 0, sizeof *out);
    return (struct partitioner){
        .graph = request->session->graph,
        .session = request->session,
        .accepted = request->accepted,
        .by = request->partitioner,
        .back = {.request = request, .graph = request->session->graph, .arena = arena},
        .arena = arena,
        .out = out,
    };
}

/* Steps and partitions first, then what crosses their borders, which needs all of them. Linear in operands, but
 * for what is sorted and for the trials of shared.c. */
npart_status npart__partition_graph(const struct npart__partition_request *request, struct npart__arena *arena,
                                    struct npart__partitioning *out, struct npart_error *error)
{
    struct partitioner at = begin(request, arena, out);
    if (!allocate(&at))
        return npart__fail_memory(error);
    partition_regions(&at);
    if (!at.failed)
        list_joined(&at);
    if (!at.failed)
        find_borders(&at);
    npart__arena_release(arena, at.order);
    npart__arena_release(arena, at.place_of);
    npart__arena_release(arena, at.of_step);
    npart__arena_release(arena, at.seen_by);
    npart__arena_release(arena, at.is_joined);
    if (!at.failed) {
        /* Before copies are hidden, while members and partition_of agree. */
        NPART__CHECK(npart__check_partitioning(request->session, request->accepted, out));
        hide_copies(&at);
    }
    return at.failed ? npart__fail_memory(error) : NPART_OK;
}

/* Without borders and lists, which a trial does not ask for, and in an arena that is cleared: trials are many.
 * Drops and failures are applied, as they change the number. All that the trial makes is in the scratch, and only
 * the number is taken out. */
npart_status npart__count_partitions(const struct npart__partition_request *request, struct npart__arena *arena,
                                     uint32_t *count, struct npart_error *error)
{
    struct npart__partitioning out;
    struct npart__arena scratch;
    npart__arena_init(&scratch, &arena->allocator);
    struct partitioner at = begin(request, &scratch, &out);
    at.failed = !allocate(&at);
    if (!at.failed)
        partition_regions(&at);
    *count = out.partitions.count;
    npart__arena_clear(&scratch);
    return at.failed ? npart__fail_memory(error) : NPART_OK;
}
