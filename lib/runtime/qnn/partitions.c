/* SPDX-License-Identifier: Apache-2.0
 *
 * What ONNX Runtime's QNN provider forms: waves, by a loop of its own (onnxruntime-qnn, builder/qnn_ep_utils.cc,
 * CreateSupportedPartitionNodeGroups), in which a node waits for as many results as it has operands, while what its
 * bodies capture counts as arrived too (ort_api.cc, GetInputEdgesCount and GetOutputNodes). So an If or Loop may pass
 * before what it captures has been computed, and what comes after it joins a subgraph that it waits for. ONNX Runtime
 * then finds that such a subgraph cannot run at once, and takes none of the provider's subgraphs
 * (core/session/plugin_ep/ep_plugin_provider_interfaces.cc, GetCapability). The CPU takes its place, but for functions
 * that it has no kernel for: these are inlined, and the provider is asked about what they hold.
 */
#include <stdlib.h>

#include "qnn/qnn.h"

/* `subgraph_of` has a number for unsupported nodes, too: the subgraph that was at hand when they were passed. */
struct loop {
    struct npart__step_request *request;
    struct npart__walk walk;
    int64_t *awaited;   /* by place: operands that have not arrived; below 0 when more came */
    uint32_t *subgraph_of; /* by place */
    uint32_t *border;   /* by place: 1 + the last subgraph that has a producer of it; 0: none has */
    uint32_t *queue, *held;
    uint32_t queue_head, queue_end, held_count;
    uint32_t subgraph;     /* at hand */
    bool is_open;       /* it has a node */
};

/* Whether some body captures what a node of the region makes; inputs and initializers arrive with nothing. */
static bool has_captures(const struct npart__step_request *request)
{
    for (uint32_t i = 0; i < request->count; i++) {
        const struct npart__node *node = npart__node_at(request->graph, request->order[i]);
        for (uint32_t k = node->input_count; k < node->input_count + node->capture_count; k++)
            if (npart__producer_inside(request, node, k) != NPART_NONE)
                return true;
    }
    return false;
}

static int compare_down(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return (left < right) - (left > right);
}

/* Every node waits for its inputs, one count for each operand; captures are not counted here though their arrival
 * is, and that is why nodes with bodies pass too early. What waits for nothing is queued in the runtime's order.
 * An operand that is used twice counts twice, and arrives twice, as `uses` has an entry for each. */
static bool begin(struct loop *loop)
{
    struct npart__step_request *request = loop->request;
    size_t nodes = request->count + (size_t)1;
    loop->awaited = npart__arena_zeroed(request->arena, nodes, sizeof *loop->awaited);
    loop->subgraph_of = npart__arena_zeroed(request->arena, nodes, sizeof *loop->subgraph_of);
    loop->border = npart__arena_zeroed(request->arena, nodes, sizeof *loop->border);
    loop->queue = npart__arena_allocate(request->arena, nodes * sizeof *loop->queue);
    loop->held = npart__arena_allocate(request->arena, nodes * sizeof *loop->held);
    if (!loop->awaited || !loop->subgraph_of || !loop->border || !loop->queue || !loop->held ||
        !npart__walk_region(request, &loop->walk))
        return false;
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = loop->walk.order[i], place = request->place_of[id], first = loop->walk.first_use[place];
        const struct npart__node *node = npart__node_at(request->graph, id);
        for (uint32_t k = 0; k < node->input_count; k++)
            loop->awaited[place] += npart__producer_inside(request, node, k) != NPART_NONE;
        if (loop->awaited[place] == 0)
            loop->queue[loop->queue_end++] = id;
        /* Users with larger ids first. */
        uint32_t uses = loop->walk.first_use[place + 1] - first;
        if (uses > 1)
            qsort(loop->walk.uses + first, uses, sizeof *loop->walk.uses, compare_down);
    }
    return true;
}

/* An unsupported node that takes what this subgraph makes is held until the subgraph is closed: it can only run after
 * it. Of accepted A -> unsupported B -> accepted C, B is held until A's subgraph is closed, and passes first after
 * that; then C begins the next one. */
static void process(struct loop *loop, uint32_t id)
{
    const uint32_t *place_of = loop->request->place_of;
    uint32_t place = place_of[id];
    bool is_accepted = loop->request->accepted[id];
    /* What is accepted joins the subgraph at hand, whatever it takes. */
    if (!is_accepted && loop->border[place] == 1 + loop->subgraph) {
        loop->held[loop->held_count++] = id;
        return;
    }
    loop->subgraph_of[place] = loop->subgraph;
    loop->is_open |= is_accepted;
    for (uint32_t u = loop->walk.first_use[place]; u < loop->walk.first_use[place + 1]; u++) {
        uint32_t next = loop->walk.uses[u];
        if (is_accepted)
            loop->border[place_of[next]] = 1 + loop->subgraph;
        /* It is 0 once at most; what a body captures may take it below. */
        if (--loop->awaited[place_of[next]] == 0)
            loop->queue[loop->queue_end++] = next;
    }
}

/* When nothing more is ready, the subgraph is closed and what it held up is next. A subgraph without an accepted node
 * has no number of its own. What is held was kept out by an accepted node of the subgraph at hand, so a subgraph
 * that holds up nodes has a number of its own, and the loop ends. Every node enters the queue twice at most. */
static void form_subgraphs(struct loop *loop)
{
    while (loop->queue_head < loop->queue_end || loop->held_count > 0) {
        if (loop->queue_head < loop->queue_end) {
            process(loop, loop->queue[loop->queue_head++]);
            continue;
        }
        loop->subgraph += loop->is_open;
        loop->is_open = false;
        memcpy(loop->queue, loop->held, loop->held_count * sizeof *loop->queue);
        loop->queue_head = 0;
        loop->queue_end = loop->held_count;
        loop->held_count = 0;
    }
}

/* Steps with all edges; false when something leads out of a subgraph and back into it. Every subgraph but the first
 * holds only what stands after the one before, so no more than that needs to be looked at. Subgraph g has the
 * step 2g + 1, and unsupported nodes the even step after the last thing that they take. The order is
 * topological, so all steps that are asked for have been given. */
static bool give_steps(const struct loop *loop)
{
    const struct npart__step_request *request = loop->request;
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = request->order[i], own = 2 * loop->subgraph_of[request->place_of[id]] + 1, last = 0;
        const struct npart__node *node = npart__node_at(request->graph, id);
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t producer = npart__producer_inside(request, node, k);
            uint32_t step = producer == NPART_NONE ? 0 : request->step_of[producer];
            if (step > last)
                last = step;
        }
        if (request->accepted[id] && last > own)
            return false;
        /* An even step stays; after an odd one, a subgraph's, comes the next even one. */
        request->step_of[id] = request->accepted[id] ? own : last + last % 2;
    }
    return true;
}

/* What the standard defines by others, and the CPU provider has no kernel for. The same question as in
 * lib/runtime/onnxruntime/standard_functions.c, which inlines them afterwards. */
static bool is_inlined(const struct npart__step_request *request, uint32_t id)
{
    const struct npart__node *node = npart__node_at(request->graph, id);
    const struct npart__body *body = npart__body_find(node->schema, node->opset_version);
    uint32_t first = npart__node_input(request->graph, node, 0);
    const struct npart__fact *facts = request->session->inference->facts;
    enum npart__release release = npart__target_release(request->back->request->target);
    return body && first != NPART_NONE &&
           !npart__kernel_exists(release, node->schema, facts[first].element_type);
}

/* Forms subgraphs of what is accepted; false when they are not taken. `failed` tells memory that ran out from
 * subgraphs that are not taken. */
static bool form_round(struct npart__step_request *request)
{
    struct loop loop = {.request = request};
    if (!begin(&loop)) {
        request->failed = true;
        return false;
    }
    form_subgraphs(&loop);
    if (!give_steps(&loop))
        return false;
    npart__join_units(request);
    return true;
}

/* What the provider claims and cannot compile is accepted while subgraphs are formed: `failing` by place. Whether there
 * is such a node. */
static bool accept_failing(struct npart__step_request *request, bool *failing)
{
    const struct npart__mask *mask = request->back->request->mask;
    bool is_any = false;
    for (uint32_t i = 0; mask && i < request->count; i++) {
        uint32_t id = request->order[i];
        if (request->accepted[id] || mask->verdicts[id] != NPART_VERDICT_FAIL)
            continue;
        request->back->request->accepted[id] = failing[request->place_of[id]] = is_any = true;
    }
    return is_any;
}

static void refuse_failing(struct npart__step_request *request, const bool *failing)
{
    for (uint32_t i = 0; i < request->count; i++)
        if (failing[request->place_of[request->order[i]]])
            request->back->request->accepted[request->order[i]] = false;
}

/* Where the subgraphs would wait for each other none is taken, and nothing fails; then the runtime inlines what it can
 * and asks again, about these nodes alone. The second try has only functions left; if those wait for each other, too,
 * nothing runs on the NPU, and waves of nothing give the CPU its steps. */
void npart__step_by_qnn(struct npart__step_request *request)
{
    if (!has_captures(request)) { /* the loop is ONNX Runtime's own, then */
        npart__step_by_waves(request);
        return;
    }
    bool *failing = npart__arena_zeroed(request->arena, request->count + (size_t)1, sizeof *failing);
    request->failed |= !failing;
    if (request->failed)
        return;
    bool fails = accept_failing(request, failing), runs = form_round(request);
    for (uint32_t i = 0; !runs && i < request->count; i++)
        if (!is_inlined(request, request->order[i]))
            npart__leave_to_cpu(request, request->order[i], NPART__REASON_NOT_AT_ONCE);
    refuse_failing(request, failing);
    if (request->failed || (runs && !fails) || form_round(request) || request->failed)
        return;
    for (uint32_t i = 0; i < request->count; i++)
        npart__leave_to_cpu(request, request->order[i], NPART__REASON_NOT_AT_ONCE);
    npart__step_by_waves(request);
}
