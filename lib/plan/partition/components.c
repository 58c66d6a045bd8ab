/* SPDX-License-Identifier: Apache-2.0
 *
 * Parts of a step that do not touch.
 *
 * Some runtimes make one partition of all that may run at once, others one of each connected part (`partitions` lines
 * of a list name the partitioner). Two nodes touch where one takes what the other makes, in the same step. Linear in
 * operands, nearly.
 */
#include "partition/steps.h"

/* Steps keep their order, and the parts of one follow each other, so that no part runs before what it waits for.
 * Unsupported nodes of a step are not split, since the CPU runs them one by one in any case. */
void npart__split_steps(struct npart__step_request *request)
{
    const struct npart__graph *graph = request->graph;
    const uint32_t *place_of = request->place_of;
    size_t nodes = request->count + (size_t)1;
    uint32_t steps = 0, next = 0;
    uint32_t *parent = npart__arena_allocate(request->arena, nodes * sizeof *parent);
    uint32_t *new_step = npart__arena_allocate(request->arena, nodes * sizeof *new_step); /* by root */
    request->failed |= !parent || !new_step;
    for (uint32_t i = 0; !request->failed && i < request->count; i++)
        parent[i] = i;
    for (uint32_t i = 0; !request->failed && i < request->count; i++) {
        uint32_t id = request->order[i];
        const struct npart__node *node = npart__node_at(graph, id);
        if (request->step_of[id] >= steps)
            steps = request->step_of[id] + 1;
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            /* In one step all nodes are of one side, so what touches there is accepted on both ends, or on
             * neither. */
            uint32_t producer = npart__producer_inside(request, node, k);
            if (producer == NPART_NONE || request->step_of[producer] != request->step_of[id])
                continue;
            uint32_t a = npart__root_of(parent, place_of[producer]), b = npart__root_of(parent, place_of[id]);
            parent[b] = a;
        }
    }
    /* A counting sort of the nodes by step, then new numbers for parts in the order that they begin. */
    uint32_t *start = npart__arena_zeroed(request->arena, steps + (size_t)2, sizeof *start);
    uint32_t *sorted = npart__arena_allocate(request->arena, (request->count + (size_t)1) * sizeof *sorted);
    request->failed |= !start || !sorted;
    if (request->failed)
        return;
    for (uint32_t i = 0; i < request->count; i++)
        start[request->step_of[request->order[i]] + 1]++;
    for (uint32_t s = 0; s < steps; s++)
        start[s + 1] += start[s];
    for (uint32_t i = 0; i < request->count; i++)
        sorted[start[request->step_of[request->order[i]]]++] = request->order[i];
    memset(new_step, 0xff, nodes * sizeof *new_step);
    /* Where A and C of the accepted A, B, C of a step touch, they become one step of A and C and then one of B,
     * and what was the next step comes after both. */
    uint32_t refused_step = NPART_NONE, before = NPART_NONE;
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = sorted[i], step = request->step_of[id];
        if (!request->accepted[id]) { /* the unsupported nodes of a step stay together */
            if (step != before)
                refused_step = next++;
            request->step_of[id] = refused_step;
        } else {
            uint32_t root = npart__root_of(parent, place_of[id]);
            if (new_step[root] == NPART_NONE)
                new_step[root] = next++;
            request->step_of[id] = new_step[root];
        }
        before = step;
    }
}
