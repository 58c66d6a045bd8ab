/* SPDX-License-Identifier: Apache-2.0
 *
 * What needs the whole graph, and is done last: aliases replaced, captures gathered, consumers
 * listed, each region put in order. Done again whenever another view of the graph is made
 * (regions.c, expand.c).
 */
#include <stdlib.h>

#include "graph/build.h"

/* ---- aliases --------------------------------------------------------------------------------------------- */

/* An alias may name another alias: a function that hands an input on, called by one that does
 * the same. More steps than there are values are a circle, which only a malformed file has. All
 * operands are then replaced by what they stand for, so that later stages see no alias. A call of a function that
 * hands its input on, and whose input is its own output, is a circle of one: the value stands for itself, and no node
 * makes it. All on the way learn where it ends, so each value is passed once, in whatever order calls stand. */
static npart_status resolve_aliases(struct npart__build *build)
{
    struct npart__graph *graph = build->graph;
    for (uint32_t i = 0; i < graph->values.count; i++) {
        uint32_t target = i;
        for (uint32_t steps = 0; graph->values.items[target].alias != target; steps++) {
            if (steps > graph->values.count)
                return npart__fail(build->error, NPART_ERROR_MALFORMED, "", "function outputs \"%s\" name each other",
                                   npart__value_name(graph, i));
            target = graph->values.items[target].alias;
        }
        const struct npart__value *value = &graph->values.items[target];
        if (value->kind == NPART__VALUE_OUTPUT && value->producer == NPART_NONE)
            return npart__fail(build->error, NPART_ERROR_MALFORMED, "", "nothing makes \"%s\"",
                               npart__value_name(graph, target));
        for (uint32_t at = i; at != target;) {
            uint32_t next = graph->values.items[at].alias;
            graph->values.items[at].alias = target;
            at = next;
        }
    }
    for (uint32_t i = 0; i < graph->operands.count; i++) {
        uint32_t value = graph->operands.items[i];
        if (value == NPART_NONE)
            continue;
        uint32_t target = graph->values.items[value].alias;
        if (graph->values.items[value].is_graph_output)
            graph->values.items[target].is_graph_output = true;
        graph->operands.items[i] = target;
    }
    return NPART_OK;
}

/* ---- captures -------------------------------------------------------------------------------------------- */

/* By node, then by value, so that what several uses capture stands together and counts once. Ids are there once,
 * so qsort's order is the same everywhere. By then `region` is a node's id: see attach_captures. */
static int compare_captures(const void *left, const void *right)
{
    const struct npart__capture *a = left, *b = right;
    int order = NPART__ORDER(a->region, b->region);
    return order ? order : NPART__ORDER(a->value, b->value);
}

/* Captures become operands of the node that holds the body, after its inputs: partitions must count what a body
 * reads as read by that node. An If whose two branches both use `x` from outside has `x` once among its captures.
 * Sorting takes n log n steps for n uses; a use three bodies deep is three entries, one a node on the way out. */
static npart_status attach_captures(struct npart__build *build)
{
    struct npart__graph *graph = build->graph;
    /* From here on `region` is the node that holds the body, whose bodies share one list. */
    for (uint32_t i = 0; i < build->captures.count; i++) {
        struct npart__capture *capture = &build->captures.items[i];
        capture->region = graph->scopes.items[capture->region].node;
        capture->value = graph->values.items[capture->value].alias;
    }
    if (build->captures.count)
        qsort(build->captures.items, build->captures.count, sizeof *build->captures.items, compare_captures);
    for (uint32_t i = 0; i < build->captures.count; i++) {
        struct npart__capture capture = build->captures.items[i];
        struct npart__node *node = &graph->nodes.items[capture.region];
        bool is_first = i == 0 || build->captures.items[i - 1].region != capture.region;
        if (is_first)
            node->first_capture = graph->operands.count;
        if (!is_first && build->captures.items[i - 1].value == capture.value)
            continue;
        if (!NPART__PUSH(build->arena, &graph->operands, capture.value))
            return npart__fail_memory(build->error);
        node->capture_count++;
    }
    return NPART_OK;
}

/* What the nodes and results of every region use from outside, when that has changed. The first lists stay in
 * `operands`, unused: ids of operands do not move. Results count besides operands, as a branch may return what it
 * has captured without any node. */
static bool gather_captures(struct npart__build *build)
{
    struct npart__graph *graph = build->graph;
    bool ok = true;
    build->captures.count = 0;
    for (uint32_t n = 0; ok && n < graph->nodes.count; n++) {
        struct npart__node *node = &graph->nodes.items[n];
        /* Those from before stand for other regions. */
        node->capture_count = 0;
        for (uint32_t i = 0; ok && i < npart__use_count(graph, node); i++)
            if (npart__node_use(graph, node, i) != NPART_NONE)
                ok = npart__build_capture(build, npart__node_region(graph, n), npart__node_use(graph, node, i));
    }
    for (uint32_t s = 0; ok && s < graph->scopes.count; s++)
        for (uint32_t i = 0; ok && graph->scopes.items[s].region == s && i < graph->scopes.items[s].output_count; i++)
            ok = npart__build_capture(build, s, graph->operands.items[graph->scopes.items[s].first_output + i]);
    return ok;
}

/* ---- order ----------------------------------------------------------------------------------------------- */

/* One for all regions of a graph; arrays are by node, and each region uses its own entries. */
struct sorter {
    struct npart__build *build;
    struct npart__graph *graph;
    uint32_t *place;   /* of a node in the file's order of its region, calls replaced by their bodies */
    uint32_t *pending; /* uses whose producer has not been emitted */
    uint32_t *after;   /* by node: the first scope that stands after it, plus one; NULL: none does */
    uint32_t *heap;    /* ready nodes, the one with the smallest place on top */
    uint32_t heap_count;
};

/* By node the first of the scopes that stand after it, which follow one another. False when out of memory. */
static bool find_after(struct sorter *sorter)
{
    const struct npart__graph *graph = sorter->graph;
    for (uint32_t s = graph->scopes.count; s-- > 0;) {
        if (!graph->scopes.items[s].is_after)
            continue;
        if (!sorter->after)
            sorter->after = npart__arena_zeroed(sorter->build->arena, graph->nodes.count, sizeof *sorter->after);
        if (!sorter->after)
            return false;
        sorter->after[graph->scopes.items[s].node] = s + 1;
    }
    return true;
}

/* The nodes of a scope in the file's order, with the body of a call in the call's place, and what stands after a node
 * right after it. Recursion is bounded by the depth of calls. */
static void emit_scope(const struct sorter *sorter, uint32_t scope, uint32_t *out, uint32_t *count)
{
    const struct npart__graph *graph = sorter->graph;
    const struct npart__scope *at = &graph->scopes.items[scope];
    for (uint32_t i = 0; i < at->node_count; i++) {
        uint32_t node = at->first_node + i, callee = graph->nodes.items[node].callee;
        uint32_t after = sorter->after && sorter->after[node] ? sorter->after[node] - 1 : graph->scopes.count;
        if (callee != NPART_NONE)
            emit_scope(sorter, callee, out, count);
        else
            out[(*count)++] = node;
        for (; after < graph->scopes.count && graph->scopes.items[after].is_after &&
               graph->scopes.items[after].node == node; after++)
            emit_scope(sorter, after, out, count);
    }
}

/* The producer of a use when it is of the same region, else NPART_NONE. What an outer region makes is there before
 * this one begins. */
static uint32_t producer_in_region(const struct npart__graph *graph, uint32_t value, uint32_t region)
{
    uint32_t producer = npart__producer(graph, value);
    return producer != NPART_NONE && npart__node_region(graph, producer) == region ? producer : NPART_NONE;
}

/* The first node that stands before something it needs, or NPART_NONE. `place` holds the order.
 * ONNX demands topological order, and nearly every file has it: then nothing is sorted. Linear in operands: a
 * place is looked up, and nothing is marked. */
static uint32_t first_unsorted(const struct sorter *sorter, uint32_t region, const uint32_t *order, uint32_t count)
{
    const struct npart__graph *graph = sorter->graph;
    for (uint32_t i = 0; i < count; i++) {
        const struct npart__node *node = &graph->nodes.items[order[i]];
        for (uint32_t k = 0; k < npart__use_count(graph, node); k++) {
            uint32_t producer = producer_in_region(graph, npart__node_use(graph, node, k), region);
            /* A node that needs itself counts as unsorted, too: sorting then finds the circle. */
            if (producer != NPART_NONE && sorter->place[producer] >= i)
                return order[i];
        }
    }
    return NPART_NONE;
}

/* A binary heap by place: keeps the file's order wherever dependencies allow it. */
static void heap_push(struct sorter *sorter, uint32_t node)
{
    uint32_t at = sorter->heap_count++;
    while (at > 0 && sorter->place[sorter->heap[(at - 1) / 2]] > sorter->place[node]) {
        sorter->heap[at] = sorter->heap[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    sorter->heap[at] = node;
}

/* The last leaf takes the top's place and sinks below what stands before it. */
static uint32_t heap_pop(struct sorter *sorter)
{
    uint32_t top = sorter->heap[0], last = sorter->heap[--sorter->heap_count], at = 0;
    for (;;) {
        uint32_t child = 2 * at + 1;
        if (child >= sorter->heap_count)
            break;
        if (child + 1 < sorter->heap_count &&
            sorter->place[sorter->heap[child + 1]] < sorter->place[sorter->heap[child]])
            child++;
        if (sorter->place[sorter->heap[child]] >= sorter->place[last])
            break;
        sorter->heap[at] = sorter->heap[child];
        at = child;
    }
    sorter->heap[at] = last;
    return top;
}

/* Among nodes that never became ready: going back from any of them must run into a circle, and the first that is met
 * again is on it. The first such producer is taken each time: any will do. Each node is looked at once; that it was is
 * marked at its place, which is not needed any more. */
static uint32_t node_on_cycle(struct sorter *sorter, uint32_t region, uint32_t start)
{
    const struct npart__graph *graph = sorter->graph;
    uint32_t at = start;
    while (sorter->place[at] != NPART_NONE) {
        const struct npart__node *node = &graph->nodes.items[at];
        sorter->place[at] = NPART_NONE;
        for (uint32_t k = 0; k < npart__use_count(graph, node); k++) {
            uint32_t producer = producer_in_region(graph, npart__node_use(graph, node, k), region);
            if (producer != NPART_NONE && sorter->pending[producer] > 0) {
                at = producer;
                break;
            }
        }
    }
    return at;
}

/* What waited for this node waits for one use less; a consumer that uses it twice was counted
 * twice. */
static void release_consumers(struct sorter *sorter, uint32_t emitted, uint32_t region)
{
    const struct npart__graph *graph = sorter->graph;
    const struct npart__node *node = &graph->nodes.items[emitted];
    for (uint32_t k = 0; k < node->output_count; k++) {
        uint32_t id = npart__node_output(graph, node, k);
        /* An operand may stand for the caller's value, whose producer this node has become; and a node whose
         * output is an alias of something else does not make it. */
        if (id == NPART_NONE || graph->values.items[id].producer != emitted)
            continue;
        const struct npart__value *value = &graph->values.items[id];
        for (uint32_t c = 0; c < value->consumer_count; c++) {
            uint32_t consumer = graph->consumers[value->first_consumer + c];
            if (npart__node_region(graph, consumer) == region && --sorter->pending[consumer] == 0)
                heap_push(sorter, consumer);
        }
    }
}

/* Kahn's algorithm; of the ready nodes always the one that stands first in the file. Linear but for the heap's
 * logarithm; memory for it is only taken when a file has to be sorted. */
static npart_status sort_region(struct sorter *sorter, uint32_t region, uint32_t *order, uint32_t count)
{
    const struct npart__graph *graph = sorter->graph;
    sorter->heap_count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct npart__node *node = &graph->nodes.items[order[i]];
        sorter->pending[order[i]] = 0;
        for (uint32_t k = 0; k < npart__use_count(graph, node); k++)
            if (producer_in_region(graph, npart__node_use(graph, node, k), region) != NPART_NONE)
                sorter->pending[order[i]]++;
    }
    for (uint32_t i = 0; i < count; i++)
        if (sorter->pending[order[i]] == 0)
            heap_push(sorter, order[i]);
    uint32_t *sorted = npart__arena_allocate(sorter->build->arena, (count + (size_t)1) * sizeof *sorted);
    if (!sorted)
        return npart__fail_memory(sorter->build->error);
    uint32_t emitted = 0;
    while (sorter->heap_count > 0) {
        uint32_t node = heap_pop(sorter);
        sorted[emitted++] = node;
        release_consumers(sorter, node, region);
    }
    if (emitted == count) {
        memcpy(order, sorted, count * sizeof *sorted);
        return NPART_OK;
    }
    for (uint32_t i = 0; i < count; i++)
        if (sorter->pending[order[i]] > 0)
            return npart__build_fail(sorter->build, node_on_cycle(sorter, region, order[i]),
                                     "the graph is cyclic: this node needs its own result");
    /* Not reached: less than all are emitted only where some node is pending. */
    return npart__fail(sorter->build->error, NPART_ERROR_MALFORMED, "", "the graph is cyclic");
}

/* A region's nodes in an order in which they can run. That they had to be sorted is a finding,
 * as other tools may refuse the file. */
static npart_status order_region(struct sorter *sorter, uint32_t region)
{
    struct npart__graph *graph = sorter->graph;
    struct npart__scope *scope = &graph->scopes.items[region];
    uint32_t *order = graph->order + graph->order_count, count = 0;
    emit_scope(sorter, region, order, &count);
    scope->first_order = graph->order_count;
    scope->order_count = count;
    graph->order_count += count;
    /* By node, so a region's entries are not another's. */
    for (uint32_t i = 0; i < count; i++)
        sorter->place[order[i]] = i;
    uint32_t unsorted = first_unsorted(sorter, region, order, count);
    if (unsorted == NPART_NONE)
        return NPART_OK;
    npart_status status = sort_region(sorter, region, order, count);
    if (status != NPART_OK)
        return status;
    char place[160];
    npart__describe_node(graph, unsorted, place, sizeof place);
    return npart__build_finding(sorter->build, "unsorted", place,
                                "nodes are not in topological order, as ONNX demands; they were sorted")
               ? NPART_OK
               : npart__fail_memory(sorter->build->error);
}

/* All that follows from operands and regions, which must be final. All scratch is by node and as long as the
 * graph, and is made once for all regions: there may be as many regions as nodes. `order` is as long, too, for
 * each node stands in one region at most. */
static npart_status list_and_order(struct npart__build *build)
{
    struct npart__graph *graph = build->graph;
    npart_status status = attach_captures(build);
    if (status != NPART_OK)
        return status;
    if (!npart__list_users(graph, NULL, build->arena))
        return npart__fail_memory(build->error);
    struct sorter sorter = {.build = build, .graph = graph};
    size_t bytes = (graph->nodes.count + (size_t)1) * sizeof(uint32_t);
    graph->order = npart__arena_allocate(build->arena, bytes);
    sorter.place = npart__arena_allocate(build->arena, bytes);
    sorter.pending = npart__arena_allocate(build->arena, bytes);
    sorter.heap = npart__arena_allocate(build->arena, bytes);
    if (!graph->order || !sorter.place || !sorter.pending || !sorter.heap || !find_after(&sorter))
        return npart__fail_memory(build->error);
    /* Scopes in their order, so the main graph's nodes come first in `order`, and holders before bodies. */
    for (uint32_t scope = 0; status == NPART_OK && scope < graph->scopes.count; scope++)
        if (graph->scopes.items[scope].region == scope)
            status = order_region(&sorter, scope);
    npart__arena_release(build->arena, sorter.place);
    npart__arena_release(build->arena, sorter.pending);
    npart__arena_release(build->arena, sorter.heap);
    npart__arena_release(build->arena, sorter.after);
    return status;
}

/* For a graph of the file, whose captures were gathered while names were resolved. */
npart_status npart__build_order(struct npart__build *build)
{
    npart_status status = resolve_aliases(build);
    return status == NPART_OK ? list_and_order(build) : status;
}

/* Captures are gathered anew from the uses, since bodies may have become part of the region
 * around them. `build` holds no names then: only operands and regions are looked at. */
npart_status npart__build_order_again(struct npart__build *build)
{
    struct npart__graph *graph = build->graph;
    npart_status status = resolve_aliases(build);
    if (status != NPART_OK)
        return status;
    graph->order_count = 0;
    return gather_captures(build) ? list_and_order(build) : npart__fail_memory(build->error);
}

/* ---- the runtime's order --------------------------------------------------------------------------------- */

/* Depth first with a stack of its own: a chain of 100,000 nodes must not exhaust the program's. The lowest bit of an
 * entry says that all that the node takes has been put out, and the node is next; a number is below 2^24
 * (NPART__LIMIT_NODES). Linear in operands, but for the sorting of each node's producers. Where A feeds B and C, and
 * these feed D, the walk goes from D into C first, whose number is the larger, then A; B comes after C, so the order is
 * A, C, B, D. */
bool npart__walk_back(const uint32_t *first, const uint32_t *producers, uint32_t count, struct npart__arena *arena,
                      uint32_t *order)
{
    bool *is_used = npart__arena_zeroed(arena, count + (size_t)1, sizeof *is_used);
    bool *is_visited = npart__arena_zeroed(arena, count + (size_t)1, sizeof *is_visited);
    /* Every node is pushed once for each use, once as a leaf, and once more to be left. */
    uint32_t *stack = npart__arena_allocate(arena, (first[count] + 2 * (size_t)count + 1) * sizeof *stack);
    if (!is_used || !is_visited || !stack)
        return false;
    for (uint32_t i = 0; i < first[count]; i++)
        is_used[producers[i]] = true;
    uint32_t depth = 0, done = 0;
    /* The last of the leaves is on top of the stack. */
    for (uint32_t node = 0; node < count; node++)
        if (!is_used[node])
            stack[depth++] = node << 1;
    while (depth > 0) {
        uint32_t top = stack[--depth], node = top >> 1;
        if (top & 1) {
            order[done++] = node;
            continue;
        }
        if (is_visited[node]) /* pushed by another user since */
            continue;
        is_visited[node] = true;
        stack[depth++] = top | 1;
        uint32_t bottom = depth;
        for (uint32_t k = first[node]; k < first[node + 1]; k++)
            if (!is_visited[producers[k]])
                stack[depth++] = producers[k] << 1;
        /* The largest number is on top, and gone into first. */
        if (depth > bottom + 1)
            qsort(stack + bottom, depth - bottom, sizeof *stack, npart__compare_uint32);
    }
    npart__arena_release(arena, stack);
    npart__arena_release(arena, is_visited);
    npart__arena_release(arena, is_used);
    /* Less only where nodes wait for each other in a circle, which npart__graph_build has refused. */
    return done == count;
}
