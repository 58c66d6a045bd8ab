/* SPDX-License-Identifier: Apache-2.0
 *
 * What is weighed. A plan's cost has the transfer of every input and output, as a run by itself
 * pays it. Of linked ones it is taken out here and counted by link: a tensor that is made on the
 * NPU and taken on the NPU stays there, and one that passes does so once for each run of the part
 * that makes it, as buffers that are bound (ONNX Runtime's I/O binding) are not copied again.
 */
#include "place/place.h"

/* A value of a part's graph. */
struct passing {
    struct npart_cost_range cost; /* between CPU and NPU, in a run */
    bool is_on_cpu;               /* a node on the CPU takes it, too: it passes wherever the other part is */
    bool is_counted;
    uint32_t last_joint;          /* + 1, of those that it is the output of */
};

/* What the host does for a boundary tensor: maps it, and copies it. Where the list says what the NPU takes to bring it
 * in (io_gb_per_s), that is not among it: the NPU reads it wherever it was made. The same terms as in the cost
 * stage, so that what is taken out of a plan's cost is what had been put in. In milliseconds, for one run. */
static struct npart_cost_range copy_cost(const struct npart__plan *plan, const npart_inference *view,
                                         const struct npart_crossing *crossing)
{
    const struct npart__rates *rates = &plan->node_costs->rates;
    struct npart__bill bill = {.unknown = 0};
    struct npart_value value = {.size = sizeof value};
    double elements = 1;
    (void)npart_inference_value(view, crossing->value, &value);
    /* Plans are of fixed sizes; where one is not, the crossing has no bytes, and its cost is not asked for. */
    for (uint32_t i = 0; i < value.rank; i++)
        elements *= (double)npart_inference_dim(view, crossing->value, i);
    npart__charge(&bill, NPART__PART_COPY, rates->of[0][NPART__PARAMETER_MAP], 1);
    npart__charge(&bill, NPART__PART_COPY, rates->of[0][NPART__PARAMETER_RUNTIME_COPY],
                  npart__copied_bytes(value.element_type, elements));
    if (!npart__has_io(rates))
        npart__charge(&bill, NPART__PART_COPY, rates->of[0][NPART__PARAMETER_COPY], (double)crossing->bytes);
    return npart__bill_range(rates, &bill, NPART__PART_COPY);
}

/* By value what passes for inputs and outputs of the part. An input that goes to two partitions crosses twice, so
 * costs are added up. */
static bool find_passing(const npart_plan *plan, struct passing *passing, uint32_t values)
{
    const npart_inference *view = npart_plan_view(plan);
    struct npart_crossing crossing = {.size = sizeof crossing};
    struct npart_value value = {.size = sizeof value};
    struct npart_node node = {.size = sizeof node};
    struct npart_node_plan at = {.size = sizeof at};
    uint32_t count = 0;
    const uint32_t *order = npart_plan_order(plan, &count);
    for (uint32_t i = 0; npart_plan_crossing(plan, i, &crossing); i++) {
        if (crossing.value >= values || !npart_inference_value(view, crossing.value, &value))
            continue;
        /* Of a value that no node makes the CPU stands before, of any other it comes after. */
        bool is_input = value.producer == NPART_NONE;
        if ((is_input ? crossing.from : crossing.to) == NPART_NONE && crossing.has_bytes)
            passing[crossing.value].cost =
                npart__plus(passing[crossing.value].cost, copy_cost(&plan->plan, view, &crossing));
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!npart_plan_node(plan, order[i], &at) || at.verdict == NPART_VERDICT_NPU ||
            !npart_model_node(npart_inference_model(view), order[i], &node))
            continue;
        /* A tensor that a CPU node of the part takes is in the CPU's memory anyway: a link saves nothing then. */
        for (uint32_t k = 0; k < node.input_count + node.capture_count; k++) {
            uint32_t taken = k < node.input_count ? node.inputs[k] : node.captures[k - node.input_count];
            if (taken < values)
                passing[taken].is_on_cpu = true;
        }
    }
    return order != NULL || count == 0;
}

/* Takes out of a part's cost what is counted by link. Several links may share a tensor; it is taken out once, and
 * each of them is told what it costs. */
static struct npart_cost_range take(struct passing *at, struct npart_cost_range *linked)
{
    struct npart_cost_range none = {0, 0, 0};
    if (at->is_on_cpu)
        return none;
    if (!at->is_counted)
        *linked = npart__plus(*linked, at->cost);
    at->is_counted = true;
    return at->cost;
}

/* How big a link's tensor is: at the end where that is known. */
static void find_bytes(const struct npart__placed *part, uint32_t value, struct npart_link *link)
{
    struct npart_value_plan at = {.size = sizeof at};
    if (link->has_bytes || !npart_plan_value(npart__npu_plan(part), npart__npu_value(part, value), &at) ||
        !at.has_bytes)
        return;
    link->has_bytes = true;
    link->bytes = at.bytes;
}

/* Bounds shrink as the middle does: what is left is as uncertain as it was. Taking the bounds of the linked part
 * away from the bounds of the whole would leave a range that might be narrower than what is known, or turn it
 * around. 10 ms (6 to 20) without 4 ms that pass by links are 6 ms (3.6 to 12). */
static struct npart_cost_range without(struct npart_cost_range total, struct npart_cost_range linked)
{
    double left = total.typical_ms > linked.typical_ms ? 1 - linked.typical_ms / total.typical_ms : 0;
    return npart__times(total, total.typical_ms > 0 ? left : 1); /* nothing to take from */
}

static uint32_t place_of(const struct npart__placed *part, uint32_t value, uint32_t count)
{
    uint32_t at = npart__npu_value(part, value);
    return at < count ? at : count;
}

/* Costs of a part on the CPU and the GPU stay whole: linked tensors are taken out of the NPU's cost alone, which
 * has them as transfers. Quadratic in the parts that take one output, 64 at most. */
static bool weigh_part(npart_placement *placement, uint32_t index)
{
    struct npart__placed *part = &placement->parts[index];
    struct npart__option *option = &placement->options[index];
    struct npart__joint *joints = placement->joints.items;
    struct npart_model_info info = {.size = sizeof info};
    struct npart_cost_range linked = {0, 0, 0};
    const npart_plan *plan = npart__npu_plan(part);
    (void)npart_model_info(npart_inference_model(npart_plan_view(plan)), &info);
    /* The last is of what the plan's graph does not have. */
    struct passing *passing = npart__arena_zeroed(placement->set.arena, info.value_count + (size_t)1, sizeof *passing);
    if (!passing || !find_passing(plan, passing, info.value_count))
        return false;
    for (uint32_t i = 0; i < placement->joints.count; i++) {
        struct npart__joint *joint = &joints[i];
        if (joint->is_by_host)
            continue; /* comes to the CPU in any case */
        if (joint->told.from == index) {
            struct passing *at = &passing[place_of(part, joint->output, info.value_count)];
            joint->out = take(at, &linked);
            joint->earlier = at->last_joint ? at->last_joint - 1 : NPART_NONE;
            at->last_joint = i + 1;
            /* The first joint of an output carries the set of all who take it: the maker pays once, however many
             * there are. */
            uint32_t first = i;
            while (joints[first].earlier != NPART_NONE)
                first = joints[first].earlier;
            /* Its own next run is on the same device. */
            joints[first].takers |= joint->told.to == index ? 0 : UINT64_C(1) << joint->told.to;
        }
        if (joint->told.to == index)
            joint->in = take(&passing[place_of(part, joint->input, info.value_count)], &linked);
    }
    npart__arena_release(placement->set.arena, passing);
    for (enum npart_device d = 0; d < NPART_DEVICES; d++) {
        struct npart_cost_range *cost = &part->told.cost[d];
        if (d == NPART_DEVICE_NPU)
            *cost = without(*cost, linked);
        option->can[d] = part->told.has_cost[d];
        option->cost[d] = npart__times(*cost, (double)part->told.runs);
    }
    return true;
}

/* Those of the same parts together. An assignment is summed by transfers, so fewer of them make the search faster:
 * a decoder's cache is a hundred tensors between the same two parts. Linear in the transfers that there are: at
 * most a few for each pair of parts. */
static bool add_transfer(npart_placement *placement, uint32_t part, uint64_t others, struct npart_cost_range cost)
{
    struct npart__transfer *items = placement->transfers.items;
    for (uint32_t i = 0; i < placement->transfers.count; i++)
        if (items[i].part == part && items[i].others == others) {
            items[i].cost = npart__plus(items[i].cost, cost);
            return true;
        }
    return NPART__PUSH(placement->set.arena, &placement->transfers, ((struct npart__transfer){part, others, cost}));
}

bool npart__weigh_parts(npart_placement *placement)
{
    bool ok = true;
    placement->options =
        npart__arena_zeroed(placement->set.arena, placement->info.part_count, sizeof *placement->options);
    for (uint32_t i = 0; i < placement->joints.count; i++) {
        struct npart__joint *joint = &placement->joints.items[i];
        joint->earlier = NPART_NONE;
        /* The maker's runs also where the taker runs more often: bound buffers stay where they are between its runs. */
        joint->told.times = placement->parts[joint->told.from].told.runs;
        find_bytes(&placement->parts[joint->told.from], joint->output, &joint->told);
        find_bytes(&placement->parts[joint->told.to], joint->input, &joint->told);
    }
    for (uint32_t i = 0; placement->options && ok && i < placement->info.part_count; i++)
        ok = weigh_part(placement, i);
    for (uint32_t i = 0; placement->options && ok && i < placement->joints.count; i++) {
        const struct npart__joint *joint = &placement->joints.items[i];
        double times = (double)joint->told.times;
        /* The maker brings its tensor out; each taker on the NPU brings it in, and does not where the maker is there,
         * too. */
        if (joint->takers)
            ok = add_transfer(placement, joint->told.from, joint->takers, npart__times(joint->out, times));
        if (ok && !joint->is_by_host && joint->told.from != joint->told.to)
            ok = add_transfer(placement, joint->told.to, UINT64_C(1) << joint->told.from,
                              npart__times(joint->in, times));
    }
    return ok && placement->options;
}
