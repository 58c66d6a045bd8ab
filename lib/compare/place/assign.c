/* SPDX-License-Identifier: Apache-2.0
 *
 * The devices of all parts together. Parts are few, so as long as it takes no more than some
 * millions of steps every assignment is looked at, less those that cost more already.
 */
#include <math.h>

#include "place/place.h"

struct search {
    const struct npart__option *options;
    uint32_t count;
    const struct npart__transfer *transfers;
    uint32_t transfer_count;
    enum npart_device *device, best[NPART__LIMIT_PARTS];
    double best_ms, rest_ms[NPART__LIMIT_PARTS + 1]; /* by part the least that it and all after it cost */
};

/* A part on the CPU leaves its tensors where the others reach them, and what the GPU costs was measured with its
 * transfers, so only a part on the NPU pays; what the taker pays is a transfer of its own (npart__transfer). An
 * encoder on the NPU whose output two decoders take pays once as soon as one of them is elsewhere; a part
 * without a device (NPART_DEVICES) counts as elsewhere. */
static bool is_paid(const struct npart__transfer *transfer, const enum npart_device *device)
{
    if (device[transfer->part] != NPART_DEVICE_NPU)
        return false;
    for (uint32_t i = 0; i < NPART__LIMIT_PARTS && transfer->others >> i; i++)
        if ((transfer->others >> i & 1) && device[i] != NPART_DEVICE_NPU)
            return true;
    return false;
}

/* What a part without a device costs is left out of the sum, so the search can go on with the others; callers tell
 * it from a whole sum by the result. */
bool npart__assigned_cost(const struct npart__option *options, uint32_t count, const struct npart__transfer *transfers,
                          uint32_t transfer_count, const enum npart_device *device, struct npart_cost_range *out,
                          struct npart_cost_range *transferred)
{
    struct npart_cost_range passing = {0, 0, 0}, sum = {0, 0, 0};
    bool is_known = true;
    for (uint32_t i = 0; i < count; i++)
        if (device[i] != NPART_DEVICES && options[i].can[device[i]])
            sum = npart__plus(sum, options[i].cost[device[i]]);
        else
            is_known = false;
    for (uint32_t i = 0; i < transfer_count; i++)
        if (is_paid(&transfers[i], device))
            passing = npart__plus(passing, transfers[i].cost);
    *out = npart__plus(sum, passing);
    if (transferred)
        *transferred = passing;
    return is_known;
}

/* Bounds are not looked at while searching: the typical cost decides, and bounds say afterwards how sure that is. */
static double typical_of(const struct search *search, const enum npart_device *device)
{
    struct npart_cost_range cost;
    (void)npart__assigned_cost(search->options, search->count, search->transfers, search->transfer_count, device, &cost,
                               NULL);
    return cost.typical_ms;
}

/* Transfers cost something or nothing, so what the parts cost by themselves at least is a bound. As deep as there
 * are parts, 64 at most. Devices are tried in the order of the enum and only a lower cost replaces the best, so
 * that of equal assignments the first stays. The bound takes the parts before this one as they are and the rest at
 * their least; a branch that can at best be as good as what was found is left. */
static void look_at(struct search *search, uint32_t part, double so_far)
{
    bool has_any = false;
    if (part == search->count) {
        double cost = typical_of(search, search->device);
        if (cost < search->best_ms) {
            search->best_ms = cost;
            memcpy(search->best, search->device, sizeof search->best);
        }
        return;
    }
    for (enum npart_device d = 0; d < NPART_DEVICES; d++) {
        double sum = so_far + search->options[part].cost[d].typical_ms;
        if (!search->options[part].can[d])
            continue;
        has_any = true;
        if (sum + search->rest_ms[part + 1] >= search->best_ms)
            continue;
        search->device[part] = d;
        look_at(search, part + 1, sum);
    }
    search->device[part] = NPART_DEVICES;
    /* It can be nowhere, or its cost is not known: the others are still to be assigned. */
    if (!has_any)
        look_at(search, part + 1, so_far);
}

/* From each part's own best on, the one change that saves most, until none saves anything. Every round looks at
 * parts times devices times transfers. A round that changes something lowers the sum, so none comes back; the
 * bound on rounds is only so that time has one. All changes of a round are tried with the others as they are, and
 * the best of them is made; of equal ones the first. */
static void climb(struct search *search)
{
    enum npart_device *device = search->best;
    for (uint32_t i = 0; i < search->count; i++)
        for (enum npart_device d = 0; d < NPART_DEVICES; d++)
            if (search->options[i].can[d] &&
                (device[i] == NPART_DEVICES ||
                 search->options[i].cost[d].typical_ms < search->options[i].cost[device[i]].typical_ms))
                device[i] = d;
    search->best_ms = typical_of(search, device);
    for (uint32_t changes = 0; changes < search->count * NPART_DEVICES; changes++) {
        double best = search->best_ms;
        uint32_t part = NPART_NONE;
        enum npart_device to = NPART_DEVICES;
        for (uint32_t i = 0; i < search->count; i++)
            for (enum npart_device d = 0, before = device[i]; d < NPART_DEVICES; d++) {
                device[i] = d;
                double cost = search->options[i].can[d] ? typical_of(search, device) : INFINITY;
                device[i] = before;
                if (cost < best) {
                    best = cost;
                    part = i;
                    to = d;
                }
            }
        if (part == NPART_NONE)
            return;
        device[part] = to;
        search->best_ms = best;
    }
}

/* The terms that differ between two assignments of one part: what is paid in `on` and not in `off`. What is paid
 * in both cancels, and with it its uncertainty: two assignments that share a slow transfer are as well told apart
 * as without it. */
static struct npart_cost_range differing(const struct search *search, uint32_t part, const enum npart_device *on,
                                         const enum npart_device *off)
{
    struct npart_cost_range sum = search->options[part].cost[on[part]];
    for (uint32_t i = 0; i < search->transfer_count; i++)
        if (is_paid(&search->transfers[i], on) && !is_paid(&search->transfers[i], off))
            sum = npart__plus(sum, search->transfers[i].cost);
    return sum;
}

/* 10 ms (8 to 13) here and 14 ms (11 to 20) there are 4 apart; the distances are 3 up and 3 down, together
 * 4.2, so the other device may be as good. */
static void find_rivals(const struct search *search, uint32_t part, const enum npart_device *device, bool *is_rival)
{
    enum npart_device other[NPART__LIMIT_PARTS];
    memcpy(other, device, sizeof other);
    for (enum npart_device d = 0; d < NPART_DEVICES; d++) {
        is_rival[d] = false;
        if (device[part] == NPART_DEVICES || d == device[part] || !search->options[part].can[d])
            continue;
        other[part] = d;
        struct npart_cost_range here = differing(search, part, device, other);
        struct npart_cost_range there = differing(search, part, other, device);
        /* "There" is better only if it is below its typical value and "here" above: the distances in that direction
         * count. As costs of two devices err independently, they add as squares. */
        double down = there.typical_ms - there.low_ms, up = here.high_ms - here.typical_ms;
        /* What is no number decides nothing. */
        is_rival[d] = !(there.typical_ms - here.typical_ms > sqrt(down * down + up * up));
    }
}

/* The bound that look_at cuts by: no assignment of the rest can cost less than each part's cheapest device without
 * any transfer, as transfers are never below 0. A part that can be nowhere adds nothing, as it adds nothing to the
 * sum. */
static void find_rest(struct search *search)
{
    search->rest_ms[search->count] = 0;
    for (uint32_t i = search->count; i-- > 0;) {
        double least = INFINITY;
        for (enum npart_device d = 0; d < NPART_DEVICES; d++)
            if (search->options[i].can[d] && search->options[i].cost[d].typical_ms < least)
                least = search->options[i].cost[d].typical_ms;
        search->rest_ms[i] = search->rest_ms[i + 1] + (least < INFINITY ? least : 0);
    }
}

/* 10 parts of three devices each and 20 transfers are 21 * 59,049 steps, about 1.2 million, so all are looked at. */
void npart__assign(const struct npart__option *options, uint32_t count, const struct npart__transfer *transfers,
                   uint32_t transfer_count, struct npart__assignment *out)
{
    struct search search = {.options = options,
                            .count = count,
                            .transfers = transfers,
                            .transfer_count = transfer_count,
                            .device = out->device,
                            .best_ms = INFINITY};
    /* An assignment costs as many steps as there are transfers, and one more; a part with one choice multiplies
     * nothing. Beyond the limit `steps` stands still, so that it cannot overflow. */
    uint64_t steps = transfer_count + UINT64_C(1);
    for (uint32_t i = 0; i < NPART__LIMIT_PARTS; i++)
        out->device[i] = search.best[i] = NPART_DEVICES;
    for (uint32_t i = 0; i < count; i++) {
        uint64_t choices = 0;
        for (enum npart_device d = 0; d < NPART_DEVICES; d++)
            choices += options[i].can[d];
        if (steps <= NPART__LIMIT_COMPARED && choices > 1)
            steps *= choices;
    }
    out->is_exact = steps <= NPART__LIMIT_COMPARED;
    find_rest(&search);
    if (out->is_exact)
        look_at(&search, 0, 0);
    if (!(search.best_ms < INFINITY)) /* too many, or costs beyond all bounds */
        climb(&search);
    memcpy(out->device, search.best, sizeof out->device);
    /* Also where the devices were found by climbing: a rival is one of that part alone, so the answer is the same. */
    for (uint32_t i = 0; i < count; i++)
        find_rivals(&search, i, out->device, out->is_rival[i]);
}
