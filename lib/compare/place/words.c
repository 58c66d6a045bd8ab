/* SPDX-License-Identifier: Apache-2.0
 *
 * What came out, in sentences: why a part is where it is, what is not known, and what to do.
 */
#include "place/place.h"

static const char *const device_names[] = {"NPU", "CPU", "GPU"};

/* Causes come with the most harmful first. A plan without a cause has nothing that could run on the NPU, as where
 * all was constant-folded. */
static const char *first_cause(const npart_plan *plan)
{
    struct npart_cause cause = {.size = sizeof cause};
    return npart_plan_cause(plan, 0, &cause, NULL, 0) ? cause.text : "no node is left for it";
}

/* Why a part cannot be on the NPU. */
static const char *barred(npart_placement *placement, const struct npart__placed *part)
{
    bool fails = part->told.verdict == NPART_PLAN_FAILS;
    if (part->stuck || (part->is_too_large && !fails))
        return part->stuck ? part->stuck : "does not fit into the memory of the NPU";
    return npart__arena_format(placement->set.arena, "%s: %s",
                               fails ? "fails to compile for the NPU" : "no node runs on the NPU",
                               first_cause(npart__npu_plan(part)));
}

/* What would bring a model to the NPU, as its report says; told once for both of its uses. Actions come with the best
 * first; "none" says that nothing is known to help. */
static bool tell_action(npart_placement *placement, const struct npart__placed *part)
{
    struct npart_action action = {.size = sizeof action};
    const npart_advice *advice = placement->reported[part->told.model].advice;
    if (strcmp(part->told.use, "decode") == 0 || !npart_advice_action(advice, 0, &action) ||
        strcmp(action.kind, "none") == 0)
        return true;
    const char *name = npart__short_name(&placement->set, part->told.model);
    return npart__note(&placement->set,
                       npart__arena_format(placement->set.arena, "%s, for the NPU: %s", name, action.text));
}

/* As has_cost of the NPU in parts.c, but for a cost that is not known. */
static bool is_barred(const struct npart__placed *part)
{
    return part->stuck || part->is_too_large || part->told.partitions == 0 || part->told.verdict == NPART_PLAN_FAILS;
}

static uint32_t count_options(const struct npart__option *option)
{
    uint32_t count = 0;
    for (enum npart_device d = 0; d < NPART_DEVICES; d++)
        count += option->can[d];
    return count;
}

/* "the ranges of NPU and CPU overlap". Those of the chosen device and of each rival, in the order of devices. */
static const char *tell_rivals(npart_placement *placement, enum npart_device device, const bool *is_rival)
{
    struct npart__buffer text = {.arena = placement->set.arena};
    uint32_t left = 1;
    npart__append_text(&text, "the ranges of ");
    for (enum npart_device d = 0; d < NPART_DEVICES; d++)
        left += is_rival[d];
    for (enum npart_device d = 0; d < NPART_DEVICES; d++) {
        if (!is_rival[d] && d != device)
            continue;
        npart__append_text(&text, device_names[d]);
        npart__append_text(&text, --left == 0 ? " overlap" : left == 1 ? " and " : ", ");
    }
    return npart__made_text(&text);
}

/* Of a device of lowest cost what it is low by. "saves transfers": by itself another device would be cheaper, and
 * what passes to and from the other parts outweighs it. */
static const char *tell_best(npart_placement *placement, const struct npart__placed *part,
                             const struct npart__option *option, const bool *is_rival)
{
    double own = part->told.cost[part->told.device].typical_ms;
    bool is_lowest = true;
    for (enum npart_device d = 0; d < NPART_DEVICES; d++)
        is_lowest &= !option->can[d] || own <= part->told.cost[d].typical_ms;
    if (!part->told.is_decided)
        return tell_rivals(placement, part->told.device, is_rival);
    return is_lowest ? "the fastest" : "saves transfers";
}

/* What can be said depends on which costs are known: a cost that is missing could be the lowest, so nothing is
 * decided then, even where the search gave a device. Without a choice at all, the CPU is where a part runs. */
static bool tell_part(npart_placement *placement, uint32_t index, const struct npart__assignment *assignment)
{
    struct npart__placed *part = &placement->parts[index];
    const struct npart__option *option = &placement->options[index];
    struct npart__arena *arena = placement->set.arena;
    struct npart_part *told = &part->told;
    bool cannot = is_barred(part);
    bool lacks_npu = !cannot && !option->can[NPART_DEVICE_NPU], lacks_cpu = !option->can[NPART_DEVICE_CPU];
    told->device = assignment->device[index];
    told->is_decided = told->device != NPART_DEVICES;
    for (enum npart_device d = 0; d < NPART_DEVICES; d++)
        told->is_decided &= !assignment->is_rival[index][d];
    told->why = cannot ? barred(placement, part) : "";
    /* With one device there is nothing to compare. */
    if (cannot && lacks_cpu && told->why && !option->can[NPART_DEVICE_GPU]) {
        /* There is no other place, whatever it costs. */
        told->device = NPART_DEVICE_CPU;
        told->is_decided = true;
        told->why = npart__arena_format(arena, "%s; what it costs on the CPU is not known", told->why);
    } else if (lacks_npu || lacks_cpu) {
        told->device = NPART_DEVICES; /* that one might be the better */
        told->is_decided = false;
        told->why = lacks_npu ? "what it costs on the NPU is not known" : "what it costs on the CPU is not known";
    } else if (told->why && count_options(option) > 1) {
        const char *best = tell_best(placement, part, option, assignment->is_rival[index]);
        told->why = best && cannot ? npart__arena_format(arena, "%s; %s", told->why, best) : best;
    }
    return told->why != NULL;
}

/* ---- links ----------------------------------------------------------------------------------------------------- */

/* Between two different devices that are both known. What the application converts comes to the CPU in any case. */
static bool crosses(const npart_placement *placement, const struct npart__joint *joint)
{
    enum npart_device from = placement->parts[joint->told.from].told.device;
    enum npart_device to = placement->parts[joint->told.to].told.device;
    return !joint->is_by_host && from != to && from != NPART_DEVICES && to != NPART_DEVICES;
}

/* What a link pays: an output is transferred once, for the first that takes it elsewhere. Application links are
 * told without a cost: what passes there is in the parts' own costs, as weigh_part left it. Where every part has a
 * device, the costs of all links add up to the transfers of the assignment. */
static void tell_link(npart_placement *placement, struct npart__joint *joint)
{
    struct npart_link *link = &joint->told;
    bool is_paid = false;
    link->crosses = crosses(placement, joint);
    if (!link->crosses)
        return;
    for (uint32_t i = joint->earlier; i != NPART_NONE; i = placement->joints.items[i].earlier)
        is_paid |= crosses(placement, &placement->joints.items[i]);
    if (placement->parts[link->to].told.device == NPART_DEVICE_NPU)
        link->cost = npart__plus(link->cost, joint->in);
    if (placement->parts[link->from].told.device == NPART_DEVICE_NPU && !is_paid)
        link->cost = npart__plus(link->cost, joint->out);
    link->cost = npart__times(link->cost, (double)link->times);
}

/* Ends of which both types are known and differ: the set does not fit, or somebody converts. A cache is left out:
 * its dynamic axis grows from run to run. Dims that are not static cannot be said to differ. Types are compared as
 * they are told, "float32[1,77,768]", so element type and dims count at once. */
static bool tell_misfit(npart_placement *placement, const struct npart__joint *joint)
{
    const struct npart__placed *from = &placement->parts[joint->told.from], *to = &placement->parts[joint->told.to];
    struct npart_value a = {.size = sizeof a}, b = {.size = sizeof b};
    char made[128], taken[128];
    if (joint->kind == NPART_LINK_CACHE || !npart_inference_value(from->known, joint->output, &a) ||
        !npart_inference_value(to->known, joint->input, &b) || !a.is_static || !b.is_static)
        return true;
    (void)npart_inference_type_text(from->known, joint->output, made, sizeof made);
    (void)npart_inference_type_text(to->known, joint->input, taken, sizeof taken);
    if (strcmp(made, taken) == 0)
        return true;
    const char *text = npart__arena_format(placement->set.arena, "%s makes `%s` as %s; %s takes it as %s",
                                           from->told.name, joint->told.output, made, to->told.name, taken);
    return npart__note(&placement->set, text);
}

/* ---- the whole -------------------------------------------------------------------------------------------------- */

/* Besides the answer, two that everybody would try first: all on the CPU, and on the NPU all that can be there. A
 * sum counts only where each part can be where it says; else the flag beside it is false. */
static void sum_costs(npart_placement *placement, const struct npart__assignment *assignment)
{
    struct npart_placement_info *info = &placement->info;
    const struct npart__option *options = placement->options;
    enum npart_device device[NPART__LIMIT_PARTS], npu[NPART__LIMIT_PARTS], cpu[NPART__LIMIT_PARTS];
    uint32_t count = info->part_count, transfers = placement->transfers.count;
    const struct npart__transfer *items = placement->transfers.items;
    info->is_exact = assignment->is_exact;
    info->is_calibrated = true;
    for (uint32_t i = 0; i < NPART__LIMIT_PARTS; i++) {
        device[i] = i < count ? placement->parts[i].told.device : NPART_DEVICES;
        cpu[i] = i < count ? NPART_DEVICE_CPU : NPART_DEVICES;
        npu[i] = i < count && options[i].can[NPART_DEVICE_NPU] ? NPART_DEVICE_NPU : cpu[i];
        info->is_calibrated &= i >= count || placement->parts[i].told.is_calibrated;
    }
    info->has_total = npart__assigned_cost(options, count, items, transfers, device, &info->total, &info->transfers);
    info->has_cpu = npart__assigned_cost(options, count, items, transfers, cpu, &info->cpu, NULL);
    info->has_npu = npart__assigned_cost(options, count, items, transfers, npu, &info->npu, NULL);
}

/* "a, b and c" */
static void append_names(npart_placement *placement, struct npart__buffer *text, enum npart_device device,
                         bool is_decided)
{
    uint32_t left = 0;
    /* Once to count: the last name but one is followed by "and". */
    for (uint32_t pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < placement->info.part_count; i++) {
            const struct npart_part *part = &placement->parts[i].told;
            if (part->device != device || part->is_decided != is_decided)
                continue;
            if (pass == 0) {
                left++;
                continue;
            }
            npart__append_text(text, part->name);
            npart__append_text(text, --left == 0 ? "" : left == 1 ? " and " : ", ");
        }
}

static bool has_any(const npart_placement *placement, enum npart_device device, bool is_decided)
{
    for (uint32_t i = 0; i < placement->info.part_count; i++)
        if (placement->parts[i].told.device == device && placement->parts[i].told.is_decided == is_decided)
            return true;
    return false;
}

/* "Run a and b on the NPU, c on the CPU; d: undecided, the NPU is a little lower; e: not known". Parts without a
 * device are never decided, so the last list needs one question only. */
static bool recommend(npart_placement *placement)
{
    struct npart__buffer text = {.arena = placement->set.arena};
    bool is_first = true;
    for (enum npart_device d = 0; d < NPART_DEVICES; d++) {
        if (!has_any(placement, d, true))
            continue;
        npart__append_text(&text, is_first ? "run " : ", ");
        append_names(placement, &text, d, true);
        npart__append_format(&text, " on the %s", device_names[d]);
        is_first = false;
    }
    for (enum npart_device d = 0; d < NPART_DEVICES; d++) {
        if (!has_any(placement, d, false))
            continue;
        npart__append_text(&text, is_first ? "undecided: " : "; undecided: ");
        append_names(placement, &text, d, false);
        npart__append_format(&text, " (lower on the %s)", device_names[d]);
        is_first = false;
    }
    if (has_any(placement, NPART_DEVICES, false)) {
        npart__append_text(&text, is_first ? "not known: " : "; not known: ");
        append_names(placement, &text, NPART_DEVICES, false);
    }
    const struct npart_placement_info *info = &placement->info;
    if (info->fits == NPART_FIT_NO)
        npart__append_text(&text, info->largest.bytes <= info->ram_bytes[0] && !info->largest.is_partial
                                      ? "; load each when it runs: all together do not fit"
                                      : "; one of them alone does not fit");
    placement->info.recommendation = npart__made_text(&text);
    return placement->info.recommendation != NULL;
}

/* What it costs that a decoder has no cache, beside what its weights take alone, which a step of one token brings in as
 * well. False when out of memory. */
static bool tell_without_cache(npart_placement *placement, const struct npart__placed *part)
{
    struct npart__buffer text = {.arena = placement->set.arena};
    struct npart_cost cost = {.size = sizeof cost};
    enum npart_device device = part->told.device;
    if (!part->reads_anew || device == NPART_DEVICES)
        return true;
    npart__append_format(&text, "%s %s: each run computes all tokens before it anew, ", part->told.name,
                         part->gives_cache ? "gives a cache that no model here takes" : "has no cache");
    double ms = part->told.cost[device].typical_ms;
    npart__append_fixed(&text, ms, ms < 1 ? 2 : 1);
    npart__append_text(&text, " ms a token");
    if (device == NPART_DEVICE_NPU && npart_plan_cost(npart__npu_plan(part), &cost) &&
        cost.npu_bandwidth.typical_ms >= 0) {
        npart__append_text(&text, ", where its weights alone take ");
        npart__append_fixed(&text, cost.npu_bandwidth.typical_ms + cost.switching.typical_ms, 1);
        npart__append_text(&text, " ms");
    }
    npart__append_text(&text, part->gives_cache ? "; add the model that goes on from it"
                                                : "; export it with one");
    npart__append_text(&text, " (a task of optimum-cli that ends in -with-past makes both)");
    return npart__note(&placement->set, npart__made_text(&text));
}

/* Devices of all parts first: what a link costs depends on both of its ends. */
npart_status npart__tell_placement(npart_placement *placement, const struct npart__assignment *assignment,
                                   const struct npart_plan_options *options, struct npart_error *error)
{
    struct npart_inference_info info = {.size = sizeof info};
    bool ok = true;
    for (uint32_t m = 0; ok && m < placement->set.count; m++) {
        const char *name = npart__short_name(&placement->set, m);
        if (npart_inference_info(placement->set.models[m], &info) && info.is_invalid)
            ok = npart__note(&placement->set,
                             npart__arena_format(placement->set.arena, "%s: ONNX Runtime does not load it", name));
    }
    for (uint32_t i = 0; ok && i < placement->info.part_count; i++)
        ok = tell_part(placement, i, assignment);
    for (uint32_t i = 0; ok && i < placement->joints.count; i++) {
        tell_link(placement, &placement->joints.items[i]);
        ok = tell_misfit(placement, &placement->joints.items[i]);
    }
    for (uint32_t i = 0; ok && i < placement->info.part_count; i++)
        ok = placement->parts[i].stuck || !is_barred(&placement->parts[i]) ||
             tell_action(placement, &placement->parts[i]);
    for (uint32_t i = 0; ok && i < placement->info.part_count; i++)
        ok = tell_without_cache(placement, &placement->parts[i]);
    ok = ok && npart__sum_weights(placement);
    sum_costs(placement, assignment);
    npart__sum_memory(placement, options);
    return ok && recommend(placement) ? NPART_OK : npart__fail_memory(error);
}
