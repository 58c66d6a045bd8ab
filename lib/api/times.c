/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plan's time rests on, parameter by parameter, for those who fit parameters to measured runs.
 */
#include "api/api.h"

bool npart_plan_parameter(const npart_plan *plan, uint32_t parameter, struct npart_parameter *out)
{
    if (!plan || parameter >= plan->plan.node_costs->rates.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__rate *rate = &plan->plan.node_costs->rates.items[parameter];
    const struct npart__parameter *from = rate->from;
    *out = (struct npart_parameter){
        .size = sizeof *out,
        .line = (uint32_t)(from - plan->plan.target.oplist->parameters.items),
        .name = npart__parameter_names[from->name],
        .precision = from->arithmetic < NPART__ARITHMETICS ? npart__arithmetic_names[from->arithmetic] : NULL,
        .runtime = from->invoker < NPART__INVOKERS ? npart__invoker_names[from->invoker] : NULL,
        .range = {from->low, from->typical, from->high},
        .is_assumed = from->is_assumed,
        .is_speed = npart__is_rate(npart__parameter_names[from->name]),
        .is_npu = npart__is_npu_rate(rate),
    };
    return true;
}

/* Of a plan, at other rates. */
struct priced {
    struct npart__node_costs nodes;
    struct npart__cost cost;
};

/* Partitions stay as the plan has them; rates alone differ, and with them what limits each node. */
static npart_status price(const struct npart__plan *plan, const double *factors, struct npart__arena *scratch,
                          struct priced *out, struct npart_error *error)
{
    out->nodes = *plan->node_costs; /* a copy: the plan keeps its own */
    for (uint32_t i = 0; factors && i < out->nodes.rates.count; i++)
        out->nodes.rates.items[i].ms *= factors[i];
    if (!npart__cost_nodes(&plan->target, &plan->session, &plan->works, out->nodes.fused, scratch, &out->nodes))
        return npart__fail_memory(error);
    return npart__estimate_cost(&plan->target, &plan->session, &plan->partitioning, &out->nodes, &plan->sides, scratch,
                                &out->cost, error);
}

static void charge(double *row, uint8_t rate, double quantity)
{
    if (rate != NPART__NO_RATE)
        row[rate] += quantity;
}

/* Quantities, by row and rate. A partition's kernel is its launch and its nodes: what is copied across its border is
 * in the whole alone, and so is the cold start in none. */
static void gather(const struct npart__plan *plan, const struct priced *priced, double *quantities)
{
    const struct npart__rates *rates = &priced->nodes.rates;
    for (uint32_t i = 0; i < rates->count; i++)
        for (uint32_t part = 0; part < NPART__PARTS; part++)
            quantities[i] += priced->cost.bill.quantities[part][i];
    for (uint32_t p = 0; p < plan->partitioning.partitions.count; p++) {
        charge(quantities + (size_t)(2 + p) * rates->count, rates->of[0][NPART__PARAMETER_LAUNCH], 1);
        charge(quantities + (size_t)(2 + p) * rates->count, rates->of[0][NPART__PARAMETER_RUNTIME], 1);
    }
    for (uint32_t i = 0; i < priced->nodes.count; i++) {
        uint32_t partition = plan->partitioning.partition_of[i];
        const struct npart__side_cost *side = npart__side_of(&priced->nodes, i, plan->partitioning.partition_of);
        double *row = quantities + (partition == NPART_NONE ? 1 : (size_t)2 + partition) * rates->count;
        for (uint32_t k = 0; npart__is_live(&plan->session, i) && k < side->count; k++)
            charge(row, side->charges[k].rate, side->charges[k].quantity);
    }
}

npart_status npart_plan_times(const npart_plan *plan, const double *factors, double *ms, struct npart_error *error)
{
    struct npart__arena scratch;
    if (!plan || !ms)
        return npart__fail_null(plan ? "ms" : "plan", error);
    if (!plan->plan.cost.is_known)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "",
                           "the plan's own time is not known: a size is dynamic, or the list has no rates");
    npart__arena_init(&scratch, &plan->life->arena.allocator);
    struct priced *priced = npart__arena_allocate(&scratch, sizeof *priced);
    npart__lock(plan->inference);
    npart_status status = priced ? price(&plan->plan, factors, &scratch, priced, error) : npart__fail_memory(error);
    npart__unlock(plan->inference);
    if (status == NPART_OK) {
        const struct npart__rates *rates = &priced->nodes.rates;
        size_t rows = (size_t)2 + plan->plan.partitioning.partitions.count;
        memset(ms, 0, rows * rates->count * sizeof *ms);
        gather(&plan->plan, priced, ms);
        for (size_t i = 0; i < rows * rates->count; i++)
            ms[i] *= rates->items[i % rates->count].ms;
    }
    npart__arena_clear(&scratch);
    return npart__settle_for(plan->life, status, error);
}
