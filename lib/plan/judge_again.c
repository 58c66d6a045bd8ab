/* SPDX-License-Identifier: Apache-2.0
 *
 * How a product changes the graph of a plan that has been judged, or is to be: what is of the graph, the user's
 * assumptions and classes of equivalent nodes, follows, and the nodes are judged again.
 */
#include "plan/plan.h"

/* What the user says of nodes is by node, and there are more of these now; of the new ones nothing is said. An
 * assumption about an op holds for nodes of the file, not for those of definitions. */
npart_status npart__take_expanded(struct npart__plan *plan, struct npart__inference *inference,
                                  struct npart_error *error)
{
    uint32_t before = plan->inference->graph->nodes.count, count = inference->graph->nodes.count;
    uint8_t *longer = plan->assumed ? npart__arena_zeroed(plan->arena, count + (size_t)1, sizeof *longer) : NULL;
    if (plan->assumed && !longer)
        return npart__fail_memory(error);
    if (longer)
        memcpy(longer, plan->assumed, before * sizeof *longer);
    plan->assumed = longer;
    plan->inference = inference;
    plan->graph = inference->graph;
    return NPART_OK;
}

/* Classes of equivalent nodes belong to a session, and this is another. Found once for each graph, since they
 * depend on no target. */
npart_status npart__judge_anew(struct npart__plan *plan, struct npart_error *error)
{
    plan->equivalent = npart__find_equivalent(&plan->session, plan->arena);
    return plan->equivalent ? npart__plan_judge(plan, error) : npart__fail_memory(error);
}

/* Views of graphs that go with the plan are its own. The inference's own list of views must not hold what lies in
 * the plan's arena, which may be freed first. */
npart_status npart__own_views(struct npart__plan *plan, struct npart_error *error)
{
    struct npart__shared *own = npart__arena_zeroed(plan->arena, 1, sizeof *own);
    if (!own)
        return npart__fail_memory(error);
    own->arena = plan->arena;
    plan->shared = own;
    return NPART_OK;
}

/* Verdicts and reasons of the nodes before as they were, those of inlined ones too; of the new ones as they are. A
 * node of an earlier round is not asked again, as the runtime has compiled it or left it. Judging all and keeping
 * the old answers is simpler than judging the new nodes alone, whose rules ask about their neighbours. False when
 * out of memory. Linear in nodes and reasons. */
static bool keep_verdicts(struct npart__plan *plan, const struct npart__mask *before, uint32_t nodes,
                          const bool *asked)
{
    const struct npart__mask *now = &plan->mask;
    uint32_t count = plan->session.graph->nodes.count;
    struct npart__mask out = {0};
    out.verdicts = npart__arena_zeroed(plan->arena, count + (size_t)1, sizeof *out.verdicts);
    out.first_reason = npart__arena_zeroed(plan->arena, count + (size_t)1, sizeof *out.first_reason);
    out.in_units = npart__arena_zeroed(plan->arena, count + (size_t)1, sizeof *out.in_units);
    out.match_of = npart__arena_zeroed(plan->arena, count + (size_t)1, sizeof *out.match_of);
    if (!out.verdicts || !out.first_reason || !out.in_units || !out.match_of)
        return false;
    /* Copies of DequantizeLinear nodes have ids after all nodes of the file, so they count as new and are asked
     * again. */
    for (uint32_t i = 0; i < count; i++) {
        const struct npart__mask *from = i < nodes && !(asked && asked[i]) ? before : now;
        out.in_units[i] = from->in_units[i];
        out.match_of[i] = from->match_of[i];
        out.first_reason[i] = out.reasons.count;
        out.verdicts[i] = from->verdicts[i];
        for (uint32_t k = from->first_reason[i]; k < from->first_reason[i + 1]; k++)
            if (!NPART__PUSH(plan->arena, &out.reasons, from->reasons.items[k]))
                return false;
    }
    out.beyond = now->beyond;
    /* Failures are matches in the graph as it is now. */
    out.first_reason[count] = out.reasons.count;
    out.failing.items = now->failing.items;
    out.failing.count = out.failing.capacity = now->failing.count;
    out.failing_nodes.items = now->failing_nodes.items;
    out.failing_nodes.count = out.failing_nodes.capacity = now->failing_nodes.count;
    plan->mask = out;
    return true;
}

/* Judging makes new arrays, so those of a copy of the mask stay. */
npart_status npart__judge_changed(struct npart__plan *plan, const struct npart__mask *before, const bool *asked,
                                  struct npart_error *error)
{
    uint32_t nodes = plan->inference->graph->nodes.count;
    /* The plan's graph differs from that of other targets now. */
    npart_status status = plan->shared->arena == plan->arena ? NPART_OK : npart__own_views(plan, error);
    if (status == NPART_OK)
        status = npart__take_expanded(plan, plan->session.made_from, error);
    if (status == NPART_OK)
        status = npart__judge_anew(plan, error);
    if (status == NPART_OK && before && !keep_verdicts(plan, before, nodes, asked))
        status = npart__fail_memory(error);
    return status;
}
