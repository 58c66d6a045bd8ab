/* SPDX-License-Identifier: Apache-2.0
 *
 * A region as ONNX Runtime walks over it, and who uses whose results there.
 */
#include <stdlib.h>

#include "partition/steps.h"

/* ---- the runtime's order --------------------------------------------------------------------------------- */

/* The runtime's numbers of a region's nodes: as in the file, at first; what a pass makes anew is after all others.
 * A number below the region's count, without gaps: what a runtime removes leaves gaps there, but only their order
 * counts. */
struct numbers {
    uint32_t *of;      /* by place in the request */
    uint32_t *node_at; /* by number */
};

static int compare_keys(const void *a, const void *b)
{
    uint64_t left = *(const uint64_t *)a, right = *(const uint64_t *)b;
    return NPART__ORDER(left, right);
}

/* False when out of memory. Operands of nodes as numbers, for npart__walk_back. */
static bool walk(struct npart__step_request *request, const struct numbers *numbers, struct npart__walk *out)
{
    size_t edges = 0;
    for (uint32_t i = 0; i < request->count; i++) {
        const struct npart__node *node = npart__node_at(request->graph, request->order[i]);
        edges += node->input_count + (size_t)node->capture_count;
    }
    uint32_t *first = npart__arena_allocate(request->arena, (request->count + (size_t)1) * sizeof *first);
    uint32_t *producers = npart__arena_allocate(request->arena, (edges + 1) * sizeof *producers);
    if (!first || !producers)
        return false;
    first[0] = 0;
    for (uint32_t number = 0; number < request->count; number++) {
        const struct npart__node *node = npart__node_at(request->graph, numbers->node_at[number]);
        uint32_t end = first[number];
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t producer = npart__producer_inside(request, node, k);
            if (producer != NPART_NONE)
                producers[end++] = numbers->of[request->place_of[producer]];
        }
        first[number + 1] = end;
    }
    bool is_done = npart__walk_back(first, producers, request->count, request->arena, out->order);
    for (uint32_t i = 0; is_done && i < request->count; i++)
        out->order[i] = numbers->node_at[out->order[i]];
    npart__arena_release(request->arena, producers);
    npart__arena_release(request->arena, first);
    return is_done;
}

/* ---- numbers ----------------------------------------------------------------------------------------------- */

/* The other direction of `node_at`. */
static void number_nodes(const struct npart__step_request *request, struct numbers *numbers)
{
    for (uint32_t i = 0; i < request->count; i++)
        numbers->of[request->place_of[numbers->node_at[i]]] = i;
}

/* A node that is a copy, or stands for another, has the place of that one; of equal places the smaller id comes
 * first. A runtime numbers nodes as it reads them, which is the file's order. A MatMul of place 12, since its
 * Add was node 12, stands after all nodes up to 11, though its id may be 3. */
static bool number_by_file(struct npart__step_request *request, struct numbers *numbers)
{
    size_t count = request->count + (size_t)1;
    uint64_t *keys = npart__arena_allocate(request->arena, count * sizeof *keys);
    numbers->node_at = npart__arena_allocate(request->arena, count * sizeof *numbers->node_at);
    numbers->of = npart__arena_allocate(request->arena, count * sizeof *numbers->of);
    if (!keys || !numbers->node_at || !numbers->of)
        return false;
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = request->order[i];
        /* A run is made of what is left when copies have been made; while partitions are formed, a copy stands with
         * its original. */
        bool is_last = request->is_run && npart__is_copy(request->graph, id);
        /* Place in the upper half and id in the lower one: sorted as one number, equal places are told apart by id. */
        keys[i] = (uint64_t)(is_last ? id : request->session->place[id]) << 32 | id;
    }
    qsort(keys, request->count, sizeof *keys, compare_keys);
    for (uint32_t i = 0; i < request->count; i++)
        numbers->node_at[i] = (uint32_t)keys[i];
    number_nodes(request, numbers);
    npart__arena_release(request->arena, keys);
    return true;
}

/* Inlined once all passes are over, and so after what they make. Products that have been given Reshapes are of
 * round 0, and no such nodes. */
static bool is_late(const struct npart__step_request *request, uint32_t id)
{
    return request->session->round[id] && request->session->remade[id] == NPART__REMADE_NOT;
}

/* Whether this pass makes the node anew: that of Reshapes, or the one before it, of products. */
static bool is_remade(const struct npart__step_request *request, uint32_t id, bool by_reshapes)
{
    uint8_t remade = request->session->remade[id];
    return remade != NPART__REMADE_NOT && (remade == NPART__REMADE_RESHAPE) == by_reshapes;
}

/* A pass, of products first and then of Reshapes, goes through the nodes in the runtime's order, and puts what it makes
 * after all others. In the order of the walk before it, since that is how the pass met them; without such a node
 * there is no walk to make. */
static bool remake(struct npart__step_request *request, bool by_reshapes, struct numbers *numbers,
                   struct npart__walk *out)
{
    uint32_t stays = 0, remakes = 0, *late;
    for (uint32_t i = 0; i < request->count; i++)
        remakes += is_remade(request, request->order[i], by_reshapes);
    if (remakes == 0)
        return true;
    late = npart__arena_allocate(request->arena, (request->count + (size_t)1) * sizeof *late);
    if (!late || !walk(request, numbers, out))
        return false;
    uint32_t late_count = 0;
    for (uint32_t number = 0; number < request->count; number++) {
        uint32_t id = numbers->node_at[number];
        if (is_late(request, id))
            late[late_count++] = id;
        else if (!is_remade(request, id, by_reshapes))
            numbers->node_at[stays++] = id;
    }
    for (uint32_t i = 0; i < request->count; i++)
        if (is_remade(request, out->order[i], by_reshapes))
            numbers->node_at[stays++] = out->order[i];
    for (uint32_t i = 0; i < late_count; i++)
        numbers->node_at[stays++] = late[i];
    number_nodes(request, numbers);
    npart__arena_release(request->arena, late);
    return true;
}

/* ---- uses ------------------------------------------------------------------------------------------------- */

/* Who uses whose results, once folded nodes are gone. Two walks: one that counts the uses of each node and one that
 * fills them in, so that all are in one array. A use by a capture is one by the node that has the body. Counts
 * stand two places further on than their node, so that sums and filling leave each run's beginning at first[p]. */
static bool list_uses(struct npart__step_request *request, struct npart__walk *out)
{
    size_t edges = 0;
    uint32_t *first = npart__arena_zeroed(request->arena, request->count + (size_t)2, sizeof *first);
    for (int pass = 0; first && pass < 2; pass++) {
        for (uint32_t i = 0; i < request->count; i++) {
            const struct npart__node *node = npart__node_at(request->graph, request->order[i]);
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

/* Numbers change twice, once for each pass that makes nodes anew; the walk that counts is the one after both.
 * Products before Reshapes, in the order of ONNX Runtime's passes. */
bool npart__walk_region(struct npart__step_request *request, struct npart__walk *out)
{
    memset(out, 0, sizeof *out);
    out->order = npart__arena_allocate(request->arena, (request->count + (size_t)1) * sizeof *out->order);
    struct numbers numbers;
    return out->order && number_by_file(request, &numbers) &&
           remake(request, false, &numbers, out) && remake(request, true, &numbers, out) &&
           walk(request, &numbers, out) && list_uses(request, out);
}

/* For peaks of memory (lib/plan/memory): the order of a session in which no provider has compiled anything. */
bool npart__order_of_runtime(const struct npart__session *session, uint32_t region, uint32_t *place_of,
                             struct npart__arena *scratch, uint32_t *out, uint32_t *count)
{
    const struct npart__scope *scope = npart__scope_at(session->graph, region);
    struct npart__walk walk;
    *count = 0;
    for (uint32_t i = 0; i < scope->order_count; i++) {
        uint32_t node = session->graph->order[scope->first_order + i];
        if (!npart__is_live(session, node))
            continue;
        place_of[node] = *count;
        out[(*count)++] = node;
    }
    struct npart__step_request request = {.graph = session->graph,
                                           .session = session,
                                           .region = region,
                                           .order = out,
                                           .count = *count,
                                           .place_of = place_of,
                                           .is_run = true,
                                           .arena = scratch};
    if (!npart__walk_region(&request, &walk))
        return false;
    memcpy(out, walk.order, *count * sizeof *out);
    return true;
}

uint32_t *npart__order_main(const struct npart__session *session, struct npart__arena *arena, uint32_t *count)
{
    size_t nodes = session->graph->nodes.count + (size_t)1;
    uint32_t *order = npart__arena_allocate(arena, nodes * sizeof *order);
    uint32_t *place_of = npart__arena_allocate(arena, nodes * sizeof *place_of);
    return order && place_of && npart__order_of_runtime(session, 0, place_of, arena, order, count) ? order : NULL;
}
