/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds for every plan, between the results of its stages; the debug build looks when one is made.
 */
#include <math.h>

#include "plan/plan.h"

#ifdef NPART_DEBUG

/* One world of ids: graphs and views of the plan's are as long as they have to be, and what the file has comes
 * first. */
static void check_ids(const struct npart__plan *plan)
{
    const struct npart__session *session = &plan->session;
    const struct npart__graph *graph = session->graph, *file = session->file;
    NPART__ASSERT(plan->graph == file && plan->inference == session->made_from, "the plan's graph is another");
    NPART__ASSERT(file->nodes.count <= graph->nodes.count && file->values.count <= graph->values.count,
                  "%u nodes are left of %u", graph->nodes.count, file->nodes.count);
    NPART__ASSERT(file->scopes.count == graph->scopes.count, "a session makes no scopes");
    NPART__ASSERT(session->inference->fact_count == graph->values.count, "what the runtime knows of %u values",
                  session->inference->fact_count);
    NPART__ASSERT(session->known->fact_count == graph->values.count, "what is known of %u values",
                  session->known->fact_count);
    NPART__ASSERT(plan->request.inference->fact_count <= file->values.count, "the file has lost values");
    NPART__ASSERT(session->live_count + session->folded_count == file->nodes.count, "%u nodes are run",
                  session->live_count);
    for (uint32_t n = 0; n < file->nodes.count; n++) {
        NPART__ASSERT(npart__original(graph, n) == n && npart__original(file, n) == n, "node %u is a copy", n);
        NPART__ASSERT(npart__node_at(graph, n)->op_type == npart__node_at(file, n)->op_type, "node %u", n);
    }
    for (uint32_t n = file->nodes.count; n < graph->nodes.count; n++) {
        uint32_t original = npart__original(graph, n);
        NPART__ASSERT(original < file->nodes.count && npart__is_live(session, original), "node %u copies node %u", n,
                      original);
        NPART__ASSERT(npart__is_live(session, n) && session->round[n] == session->round[original], "node %u", n);
        NPART__ASSERT(npart__node_region(graph, n) == npart__node_region(graph, original), "node %u", n);
        NPART__ASSERT(npart__node_plays(graph, npart__node_at(graph, n), NPART__ROLE_DEQUANTIZES), "node %u", n);
    }
    for (uint32_t v = 0; v < file->values.count; v++)
        NPART__ASSERT(npart__value_at(graph, v)->name == npart__value_at(file, v)->name, "value %u", v);
    for (uint32_t v = file->values.count; v < graph->values.count; v++)
        NPART__ASSERT(npart__is_copy(graph, npart__producer(graph, v)), "no copy makes value %u", v);
}

/* What the runtime knows is never more than is known at all, and never something else. */
static void check_views(const struct npart__session *session)
{
    for (uint32_t v = 0; v < session->graph->values.count; v++) {
        const struct npart__fact *seen = npart__fact_of(session->inference, v);
        const struct npart__fact *known = npart__fact_of(session->known, v);
        NPART__ASSERT(!seen->has_rank || seen->rank <= NPART__LIMIT_RANK, "value %u has %u dims", v, seen->rank);
        NPART__ASSERT(!known->has_rank || known->rank <= NPART__LIMIT_RANK, "value %u has %u dims", v, known->rank);
    }
}

/* Of a node that is not run there is no work; what is no product has no rows. */
static void check_works(const struct npart__plan *plan)
{
    const struct npart__works *works = &plan->works;
    NPART__ASSERT(works->count == plan->session.graph->nodes.count, "the work of %u nodes", works->count);
    NPART__ASSERT(!works->expressions, "a plan has numbers alone");
    for (uint32_t n = 0; n < works->count; n++) {
        const struct npart__work *work = &works->items[n];
        bool is_live = npart__is_live(&plan->session, n);
        NPART__ASSERT(is_live || work->class == NPART_WORK_NONE, "node %u has work, and is not run", n);
        NPART__ASSERT(is_live || (work->macs == 0 && work->operations == 0), "node %u works, and is not run", n);
        NPART__ASSERT(work->class != NPART_WORK_NONE || work->macs == 0, "node %u multiplies for nothing", n);
        NPART__ASSERT(npart__work_is_number(work->macs) || work->macs == NPART__WORK_UNKNOWN, "node %u", n);
        NPART__ASSERT(work->weight_elements == 0 || work->class != NPART_WORK_NONE, "node %u", n);
    }
}

/* A plan has a verdict of each node, and a partition of those that are accepted alone; what the rules of the list give
 * back has a rule. */
static void check_verdicts(const struct npart__plan *plan)
{
    const struct npart__partitioning *all = &plan->partitioning;
    for (uint32_t n = 0; n < plan->graph->nodes.count; n++) {
        bool is_in = all->partition_of[n] != NPART_NONE;
        NPART__ASSERT(!is_in || all->partition_of[n] < all->partitions.count, "node %u", n);
        NPART__ASSERT(is_in == (plan->accepted[n] && npart__is_live(&plan->session, n)), "node %u", n);
        NPART__ASSERT(!plan->lacks_kernel[n] || !is_in, "node %u is taken, and has no kernel", n);
        NPART__ASSERT(plan->equivalent[n] <= n, "node %u is seen as node %u, which comes after it", n,
                      plan->equivalent[n]);
        NPART__ASSERT(plan->equivalent[plan->equivalent[n]] == plan->equivalent[n], "node %u", n);
    }
    NPART__ASSERT(plan->summary.partitions == all->partitions.count, "%u partitions", plan->summary.partitions);
    NPART__ASSERT(plan->summary.partitions_low <= plan->summary.partitions &&
                      plan->summary.partitions <= plan->summary.partitions_high,
                  "%u to %u partitions", plan->summary.partitions_low, plan->summary.partitions_high);
    NPART__ASSERT(plan->summary.accepted + plan->summary.refused + plan->summary.unknown == plan->summary.live,
                  "%u nodes are run", plan->summary.live);
    NPART__ASSERT(plan->summary.failed <= plan->summary.refused, "%u nodes fail", plan->summary.failed);
    NPART__ASSERT(plan->summary.fused <= plan->summary.folded, "%u nodes are fused", plan->summary.fused);
    NPART__ASSERT(plan->summary.coverage >= 0 && plan->summary.coverage <= 1, "coverage %g", plan->summary.coverage);
    NPART__ASSERT(plan->summary.macs_on_npu <= plan->summary.macs, "more work on the NPU than there is");
}

/* By value in order, each once for each side that takes it. */
static void check_crossings(const struct npart__plan *plan)
{
    const struct npart__partitioning *all = &plan->partitioning;
    for (uint32_t i = 0; i < all->crossings.count; i++) {
        const struct npart__crossing *at = &all->crossings.items[i];
        NPART__ASSERT(i == 0 || at[-1].value <= at->value, "boundary tensor %u is not in order", i);
        NPART__ASSERT(i == 0 || at[-1].value != at->value || at[-1].from == at->from, "value %u has two makers",
                      at->value);
        NPART__ASSERT(i == 0 || at[-1].value != at->value || at[-1].to != at->to, "value %u crosses twice", at->value);
        NPART__ASSERT(at->value < plan->graph->values.count && at->from != at->to, "boundary tensor %u", i);
        NPART__ASSERT(!plan->session.is_constant[at->value], "value %u is compiled in", at->value);
    }
    for (uint32_t p = 0; p < all->partitions.count; p++) {
        const struct npart__partition *at = &all->partitions.items[p];
        NPART__ASSERT(at->joined_count < at->member_count, "partition %u has no node of its own", p);
        NPART__ASSERT(npart__scope_at(plan->graph, at->region)->region == at->region, "partition %u", p);
        NPART__ASSERT(p == 0 || at[-1].region != at->region || at[-1].step < at->step, "partition %u is too late", p);
        for (uint32_t i = 1; i < at->input_count; i++)
            NPART__ASSERT(all->lists.items[at->first_input + i - 1] < all->lists.items[at->first_input + i],
                          "inputs of partition %u are not in order", p);
        for (uint32_t i = 1; i < at->output_count; i++)
            NPART__ASSERT(all->lists.items[at->first_output + i - 1] < all->lists.items[at->first_output + i],
                          "outputs of partition %u are not in order", p);
    }
}

static void check_range(struct npart_cost_range range)
{
    bool is_unknown = range.low_ms < 0;
    NPART__ASSERT(is_unknown == (range.typical_ms < 0) && is_unknown == (range.high_ms < 0), "half a range");
    NPART__ASSERT(range.low_ms <= range.typical_ms && range.typical_ms <= range.high_ms, "a range from %g to %g",
                  range.low_ms, range.high_ms);
}

static void check_cost(const struct npart__plan *plan)
{
    const struct npart__cost *cost = &plan->cost;
    check_range(cost->total_ms);
    check_range(cost->cold_ms);
    for (size_t i = 0; i < NPART__PARTS; i++)
        check_range(cost->parts_ms[i]);
    NPART__ASSERT(cost->is_known == (cost->total_ms.typical_ms >= 0), "a total of what is not known");
    NPART__ASSERT(plan->node_costs->count == plan->graph->nodes.count, "the cost of %u nodes", plan->node_costs->count);
    NPART__ASSERT(cost->fill >= 0 && cost->fill <= 1, "tiles are full to %g", cost->fill);
    for (uint32_t v = 0; v < plan->session.graph->values.count; v++) {
        uint32_t user = cost->layouts.converted_for[v];
        NPART__ASSERT(user == NPART_NONE || user == NPART__FOR_GRAPH || npart__is_live(&plan->session, user),
                      "value %u is converted for node %u", v, user);
    }
    for (uint32_t c = 0; c < plan->causes.items.count; c++)
        NPART__ASSERT(!isnan(plan->cause_ms[c]), "cause %u", c);
}

/* What is held is held by nodes that run; layers are those with the largest weights first. */
static void check_memory(const struct npart__plan *plan)
{
    const struct npart__memory *memory = &plan->memory;
    const struct npart_memory *told = &memory->told;
    NPART__ASSERT(told->limit_count <= NPART__LIMITEDS, "%u limits", told->limit_count);
    NPART__ASSERT(told->peak_node == NPART_NONE || npart__is_live(&plan->session, told->peak_node), "node %u",
                  told->peak_node);
    NPART__ASSERT((told->peak_npu_node == NPART_NONE) == (plan->partitioning.partitions.count == 0), "node %u",
                  told->peak_npu_node);
    for (uint32_t n = 0; n < plan->graph->nodes.count; n++)
        NPART__ASSERT(memory->held_npu[n].bytes == 0 || plan->partitioning.partition_of[n] != NPART_NONE ||
                          npart__node_region(plan->graph, n) != 0,
                      "node %u is on the CPU, and holds the NPU's memory", n);
    for (uint32_t i = 0; i < told->layer_count; i++) {
        const struct npart_layer *layer = &told->layers[i];
        NPART__ASSERT(i == 0 || layer[-1].weight_bytes >= layer->weight_bytes, "layer %u is not in order", i);
        NPART__ASSERT(layer->partition < plan->partitioning.partitions.count, "layer %u", i);
    }
    for (uint32_t i = 0; i < plan->precisions.items.count; i++) {
        const struct npart_precision *at = &plan->precisions.items.items[i].told;
        NPART__ASSERT(at->happens < NPART__HAPPENINGS && at->accepted_count <= at->node_count, "format %u", i);
        NPART__ASSERT(at->node_count && at->format && at->instead && at->text, "format %u", i);
    }
}

void npart__check_plan(const struct npart__plan *plan)
{
    check_ids(plan);
    check_views(&plan->session);
    check_works(plan);
    check_verdicts(plan);
    check_crossings(plan);
    check_cost(plan);
    if (!plan->request.is_trial) /* whose memory is not found */
        check_memory(plan);
}

#endif
