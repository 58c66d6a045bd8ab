/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds for every partitioning, whatever the partitioner; the debug build looks when one is made.
 */
#include "partition/partition.h"

#ifdef NPART_DEBUG

/* The session's graph, copies included; `out` as it was made, before copies are hidden. */
struct checker {
    const struct npart__session *session;
    const struct npart__graph *graph;
    const struct npart__partitioning *out;
};

static uint32_t source_side(const struct checker *at, uint32_t value)
{
    uint32_t producer = npart__producer(at->graph, value);
    return producer == NPART_NONE ? NPART_NONE : at->out->partition_of[producer];
}

/* Ids and members agree, and each accepted node is in one partition. Ends are of the other side, and each live
 * node has a step, accepted or not. */
static void check_members(const struct checker *at, const bool *accepted)
{
    const struct npart__partitioning *out = at->out;
    uint32_t members = 0;
    for (uint32_t p = 0; p < out->partitions.count; p++) {
        const struct npart__partition *partition = &out->partitions.items[p];
        NPART__ASSERT(partition->member_count, "partition %u is empty", p);
        NPART__ASSERT(partition->first_member + partition->member_count <= out->lists.count, "partition %u", p);
        NPART__ASSERT(partition->first_input + partition->input_count <= out->lists.count, "partition %u", p);
        NPART__ASSERT(partition->first_output + partition->output_count <= out->lists.count, "partition %u", p);
        NPART__ASSERT(partition->first_end + partition->end_count <= out->lists.count, "partition %u", p);
        NPART__ASSERT(partition->first_cut + partition->cut_count <= out->lists.count, "partition %u", p);
        for (uint32_t i = 0; i < partition->member_count; i++) {
            uint32_t node = out->lists.items[partition->first_member + i];
            bool is_joined = i >= partition->member_count - partition->joined_count;
            bool is_here = out->step_of[node] == partition->step &&
                           npart__node_region(at->graph, node) == partition->region;
            NPART__ASSERT(out->partition_of[node] == p && is_here != is_joined, "node %u of partition %u", node, p);
        }
        for (uint32_t i = 0; i < partition->end_count; i++) {
            uint32_t node = out->lists.items[partition->first_end + i];
            NPART__ASSERT(npart__is_live(at->session, node) && !accepted[node], "node %u ends partition %u", node, p);
        }
        members += partition->member_count;
    }
    for (uint32_t n = 0; n < at->graph->nodes.count; n++) {
        bool is_member = out->partition_of[n] != NPART_NONE;
        NPART__ASSERT(is_member == (npart__is_live(at->session, n) && accepted[n]), "node %u", n);
        NPART__ASSERT((out->step_of[n] != NPART_NONE) == npart__is_live(at->session, n), "node %u", n);
        members -= is_member;
    }
    NPART__ASSERT(members == 0, "%u nodes are members twice", members);
}

/* Nothing goes back to an earlier step, and a step is on one side: so partitions cannot wait for each other.
 * Across regions nothing is asked: a body runs while its node does. */
static void check_steps(const struct checker *at)
{
    for (uint32_t n = 0; n < at->graph->nodes.count; n++) {
        const struct npart__node *node = npart__node_at(at->graph, n);
        for (uint32_t k = 0; npart__is_live(at->session, n) && k < node->input_count + node->capture_count; k++) {
            uint32_t producer = npart__producer(at->graph, npart__live_operand(at->session, node, k));
            if (producer == NPART_NONE || npart__node_region(at->graph, producer) != npart__node_region(at->graph, n))
                continue;
            uint32_t from = at->out->step_of[producer], to = at->out->step_of[n];
            NPART__ASSERT(from < to || (from == to && at->out->partition_of[producer] == at->out->partition_of[n]),
                          "node %u, of step %u, uses node %u of step %u", n, to, producer, from);
        }
    }
}

/* Through a copy to what it copies from, as borders are told by values of the file. `side` is a partition. */
static uint32_t mark_operands(const struct checker *at, uint32_t n, uint32_t side, uint32_t *seen)
{
    const struct npart__node *node = npart__node_at(at->graph, n);
    uint32_t found = 0;
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        uint32_t value = npart__live_operand(at->session, node, k), producer = npart__producer(at->graph, value);
        if (npart__is_copy(at->graph, producer)) {
            found += mark_operands(at, producer, side, seen); /* once: there are no copies of copies */
        } else if (value != NPART_NONE && source_side(at, value) != side && seen[value] != side + 1) {
            seen[value] = side + 1;
            found++;
        }
    }
    return found;
}

/* Marks what a node takes from outside its side: `seen` by value, the last side plus one that was seen to take it.
 * Returns how many are new. A copy takes nothing by itself: all that it takes is its user's. */
static uint32_t mark_taken(const struct checker *at, uint32_t n, uint32_t *seen)
{
    return npart__is_copy(at->graph, n) ? 0 : mark_operands(at, n, at->out->partition_of[n], seen);
}

/* A partition's inputs are what its members take from outside, and its outputs what they make; copies are looked
 * through. The same is counted twice, by members and by boundary tensors, so that one is held against the other. */
static void check_borders(const struct checker *at, struct npart__arena *scratch)
{
    const struct npart__partitioning *out = at->out;
    uint32_t *seen = npart__arena_zeroed(scratch, at->graph->values.count + (size_t)1, sizeof *seen);
    uint32_t inputs = 0, to_partitions = 0;
    for (uint32_t p = 0; seen && p < out->partitions.count; p++) {
        const struct npart__partition *partition = &out->partitions.items[p];
        uint32_t taken = 0;
        for (uint32_t i = 0; i < partition->member_count; i++)
            taken += mark_taken(at, out->lists.items[partition->first_member + i], seen);
        NPART__ASSERT(taken == partition->input_count, "partition %u takes %u values, not %u", p, taken,
                      partition->input_count);
        for (uint32_t i = 0; i < partition->input_count; i++)
            NPART__ASSERT(seen[out->lists.items[partition->first_input + i]] == p + 1, "partition %u, input %u", p, i);
        for (uint32_t i = 0; i < partition->output_count; i++)
            NPART__ASSERT(source_side(at, out->lists.items[partition->first_output + i]) == p,
                          "partition %u, output %u", p, i);
        inputs += partition->input_count;
    }
    for (uint32_t i = 0; i < out->crossings.count; i++) {
        const struct npart__crossing *crossing = &out->crossings.items[i];
        NPART__ASSERT(crossing->from != crossing->to && source_side(at, crossing->value) == crossing->from,
                      "value %u", crossing->value);
        to_partitions += crossing->to != NPART_NONE;
    }
    NPART__ASSERT(!seen || inputs == to_partitions, "%u values are taken, %u handed over", inputs, to_partitions);
}

/* Without room for `seen` borders are not checked; that is no failure. */
void npart__check_partitioning(const struct npart__session *session, const bool *accepted,
                               const struct npart__partitioning *out)
{
    const struct checker at = {.session = session, .graph = session->graph, .out = out};
    struct npart__arena scratch;
    npart__arena_init(&scratch, NULL);
    check_members(&at, accepted);
    check_steps(&at);
    check_borders(&at, &scratch);
    npart__arena_clear(&scratch);
}

#endif
