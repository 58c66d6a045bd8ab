/* SPDX-License-Identifier: Apache-2.0
 *
 * A region as ONNX Runtime walks over it, and who uses whose results there.
 */
#include <stdlib.h>

#include "partition/stages.h"

/* ---- the runtime's order --------------------------------------------------------------------------------- */

static int compare_ids(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left > right) - (left < right);
}

/* GraphViewer's default order: depth first from the nodes that nobody uses, the last of them first, producers with
 * larger numbers first, each node behind its producers (core/graph/graph.cc, ReverseDFSFrom). */
static bool walk(struct npart__stage_request *request, struct npart__walk *out)
{
    const uint32_t *place_of = request->place_of;
    size_t nodes = request->count + (size_t)1, edges = 0;
    bool *is_used = npart__arena_zeroed(request->arena, nodes, sizeof *is_used);       /* by place */
    bool *is_visited = npart__arena_zeroed(request->arena, nodes, sizeof *is_visited); /* by place */
    for (uint32_t i = 0; is_used && i < request->count; i++) {
        const struct npart__node *node = &request->graph->nodes.items[request->order[i]];
        edges += node->input_count + (size_t)node->capture_count;
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t producer = npart__producer_inside(request, node, k);
            if (producer != NPART_NONE)
                is_used[place_of[producer]] = true;
        }
    }
    /* Every node is pushed once for each use, once as a leaf, and once more to be left. */
    uint32_t *stack = npart__arena_allocate(request->arena, (edges + 2 * (size_t)request->count + 1) * sizeof *stack);
    if (!is_used || !is_visited || !stack)
        return false;
    uint32_t depth = 0, done = 0;
    for (uint32_t i = 0; i < request->count; i++)
        if (!is_used[place_of[request->order[i]]])
            stack[depth++] = request->order[i] << 1;
    while (depth > 0) {
        uint32_t top = stack[--depth], id = top >> 1;
        if (top & 1) {
            out->order[done++] = id;
            continue;
        }
        if (is_visited[place_of[id]])
            continue;
        is_visited[place_of[id]] = true;
        stack[depth++] = top | 1;
        uint32_t first = depth;
        const struct npart__node *node = &request->graph->nodes.items[id];
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t producer = npart__producer_inside(request, node, k);
            if (producer != NPART_NONE && !is_visited[place_of[producer]])
                stack[depth++] = producer << 1;
        }
        if (depth > first + 1)
            qsort(stack + first, depth - first, sizeof *stack, compare_ids);
    }
    return done == request->count;
}

/* ---- uses ------------------------------------------------------------------------------------------------- */

/* Who uses whose results, once folded nodes are gone. */
static bool list_uses(struct npart__stage_request *request, struct npart__walk *out)
{
    size_t edges = 0;
    uint32_t *first = npart__arena_zeroed(request->arena, request->count + (size_t)2, sizeof *first);
    for (int pass = 0; first && pass < 2; pass++) {
        for (uint32_t i = 0; i < request->count; i++) {
            const struct npart__node *node = &request->graph->nodes.items[request->order[i]];
            for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
                uint32_t producer = npart__producer_inside(request, node, k);
                if (producer == NPART_NONE)
                    continue;
                if (pass == 0)
                    first[request->place_of[producer] + 2]++;
                else
                    out->uses[first[request->place_of[producer] + 1]++] = request->order[i];
                edges++;
            }
        }
        if (pass == 1)
            break;
        /* first[p + 1] is where the uses of p begin, and in the end where they end */
        for (size_t p = 2; p < request->count + (size_t)2; p++)
            first[p] += first[p - 1];
        out->uses = npart__arena_allocate(request->arena, (edges + 1) * sizeof *out->uses);
        if (!out->uses)
            return false;
    }
    out->first_use = first;
    return first != NULL;
}

bool npart__walk_region(struct npart__stage_request *request, struct npart__walk *out)
{
    memset(out, 0, sizeof *out);
    out->order = npart__arena_allocate(request->arena, (request->count + (size_t)1) * sizeof *out->order);
    return out->order && walk(request, out) && list_uses(request, out);
}
