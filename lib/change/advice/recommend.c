/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the NPU is worth it: one word and a sentence.
 *
 * What a run takes as it is planned, after each step, and on the CPU alone are compared in pairs. The typical values
 * decide. How sure that is the ranges say: not those of the times, which overlap more often than not since they are off
 * by the same things, but that of their quotient, in which these cancel out.
 */
#include <stdlib.h>

#include "advice/way.h"

/* A mended plan that is surely faster by so little is not worth a change of the model. The CPU and the plan as it
 * is need no work; a change of the model has to be tested again. */
#define WORTH_MENDING 0.8
/* Estimates whose quotient is within this of 1 are not told apart. */
#define ABOUT_EQUAL 0.1
/* Of so many nodes one may be of unknown work for the sum of the others to stand for all; and to say what is likely. */
#define NODES_FOR_UNKNOWN 4u
#define NODES_FOR_UNKNOWN_LIKELY 2u

/* A way to run the model. */
struct way_to_run {
    const struct npart__bill *bill; /* NULL: it cannot be run so, or what it takes is not known */
    const struct npart__rates *rates;
    struct npart_cost_range ms;
    bool runs; /* with something on the NPU, or on the CPU; whether or not its time is known */
};

/* Without a bill where the model does not run so: "fails" has costs, but of a run that is not possible, and so has what
 * does not fit; or where it runs on another unit than the NPU. */
static struct way_to_run as_planned(const struct npart__plan *plan)
{
    bool fails = plan->summary.verdict == NPART_PLAN_FAILS || plan->summary.fits == NPART_FIT_NO;
    bool is_priced = !fails && !npart__is_mostly_elsewhere(&plan->decided);
    const struct npart__rates *rates = &plan->node_costs->rates;
    return (struct way_to_run){is_priced ? &plan->cost.bill : NULL, rates,
                               npart__bill_range(rates, &plan->cost.bill, NPART__PART_ALL),
                               !fails && plan->summary.accepted > plan->decided.elsewhere};
}

/* All nodes with the same rates, so that in a quotient the errors that both share cancel. Nodes of unknown work are in
 * no sum. */
static struct way_to_run on_cpu(const struct npart__plan *plan)
{
    const struct npart__rates *rates = &plan->node_costs->rates;
    return (struct way_to_run){&plan->sides.cpu, rates, npart__bill_range(rates, &plan->sides.cpu, NPART__PART_ALL),
                               true};
}

static bool is_rare(uint64_t unknown, uint32_t nodes_for_one, const struct npart__plan *plan)
{
    return unknown * nodes_for_one <= plan->summary.live;
}

/* Whether all nodes of unknown work stay on the CPU: they take as long in the plan as without it, so the sums of the
 * others tell which of both is faster. */
static bool is_unknown_on_cpu(const struct npart__plan *plan)
{
    for (uint32_t i = 0; i < plan->graph->nodes.count; i++)
        if (npart__is_live(&plan->session, i) && plan->accepted[i] && !plan->node_costs->items[i].cpu.is_known)
            return false;
    return plan->sides.cpu.unknown < plan->summary.live;
}

/* What lacks more than the CPU's sum does is no sum to compare with it. */
static void drop_partial(struct way_to_run *at, const struct way_to_run *cpu)
{
    if (at->bill && (!cpu->bill || at->bill->unknown > cpu->bill->unknown))
        at->bill = NULL;
}

/* Whether what does not fit of the plan does after a step: cuts, or fewer partitions, with memory as it is. */
static bool fits_after(const struct npart__plan *open, const struct npart__after *after)
{
    const struct npart_memory *memory = &open->memory.told;
    if (after->fits != NPART_FIT_UNKNOWN || open->summary.fits != NPART_FIT_NO)
        return after->fits != NPART_FIT_NO;
    for (uint32_t i = 0; i < memory->limit_count; i++) {
        const struct npart_memory_limit *limit = &memory->limits[i];
        bool is_count = limit->of == NPART_LIMITED_PARTITIONS;
        if (limit->fits == NPART_FIT_NO && limit->of != NPART_LIMITED_ONE_FILE &&
            !(is_count && after->partitions <= limit->limit_count))
            return false;
    }
    return true;
}

/* The model as an action leaves it, with a time where that is one to compare with the CPU's. */
static struct way_to_run after_action(const struct npart__way *way, const struct npart__action *at,
                                      const struct way_to_run *cpu)
{
    bool runs = at->after.verdict != NPART_PLAN_FAILS && strcmp(at->kind, "none") != 0 &&
                at->after.accepted > at->after.elsewhere && fits_after(way->open, &at->after);
    struct way_to_run then = {runs ? at->after.bill : NULL, at->after.rates, at->after.cost_ms, runs};
    drop_partial(&then, cpu);
    if (then.bill)
        then.ms = npart__bill_range(then.rates, then.bill, NPART__PART_ALL);
    return then;
}

/* The classes of results that its command allows; NULL: none beside bits. */
static const char *allowed_by(const struct npart__action *at)
{
    for (uint32_t i = 0; i + 1 < at->run_count; i++)
        if (strcmp(at->run[i], "--allow") == 0)
            return at->run[i + 1];
    return NULL;
}

/* Of the steps, the one after which a run is shortest; how many steps that are. Of two steps that leave a run as
 * short the earlier: less has to be changed. Where no step has a time, or the best takes several, a command in the
 * place of the first one, which allows more. */
static struct way_to_run best_mended(const struct npart__way *way, const struct way_to_run *cpu, uint32_t *steps,
                                     const char **allows)
{
    const struct npart__advice *advice = way->out;
    struct way_to_run best = {NULL, NULL, NPART__UNKNOWN_RANGE, false};
    uint32_t passed = 0;
    *steps = 0;
    /* Steps stand first, before what may take their place. */
    for (uint32_t i = 0; i < advice->items.count; i++) {
        const struct npart__action *at = &advice->items.items[i];
        const char *allowed = at->instead_of == NPART_NONE ? NULL : allowed_by(at);
        if (at->instead_of != NPART_NONE && ((best.bill && *steps == 1) || at->instead_of != 0 || !allowed))
            continue;
        struct way_to_run then = after_action(way, at, cpu);
        passed += !allowed && strcmp(at->kind, "none") != 0;
        best.runs |= then.runs;
        if (!then.bill || (best.bill && then.ms.typical_ms >= best.ms.typical_ms))
            continue;
        then.runs = true;
        best = then;
        *steps = allowed ? 1 : passed;
        *allows = allowed;
    }
    return best;
}

enum outcome { FASTER, SLOWER, EITHER, UNKNOWN };

/* How the typical times of two ways compare, and whether all of the 80 % interval of their quotient says the same.
 * Within 10 % it is EITHER: estimates do not tell those apart. */
struct comparison {
    enum outcome outcome;
    bool is_sure;
};

static struct comparison compare(const struct way_to_run *a, const struct way_to_run *b)
{
    struct comparison found = {UNKNOWN, false};
    if (!a->bill || !b->bill)
        return found;
    struct npart__ratio ratio = npart__bill_ratio(a->rates, a->bill, b->rates, b->bill);
    if (ratio.typical < 0) /* one of them takes nothing */
        return (struct comparison){a->ms.typical_ms > b->ms.typical_ms ? SLOWER : EITHER, true};
    found.outcome = ratio.typical < 1 - ABOUT_EQUAL   ? FASTER
                    : ratio.typical > 1 + ABOUT_EQUAL ? SLOWER
                                                      : EITHER;
    found.is_sure = found.outcome == FASTER ? ratio.high < 1 : ratio.low > 1;
    return found;
}

/* ---- the choice -------------------------------------------------------------------------------------------- */

struct ways {
    struct way_to_run planned, mended, cpu;
    uint32_t steps;      /* that lead to `mended` */
    const char *allows;  /* the classes of results that its command allows beside those of the first step, or NULL */
    bool is_fixed;       /* `planned` is of the plan with its sizes fixed */
    bool is_partial;     /* too much is in no sum for an answer that is sure */
    bool is_later;       /* it is decided later whether the NPU runs it */
    uint32_t undecided;  /* nodes that may run on the NPU or not, where they are too many for an answer without them */
    bool uses_mended;    /* that is what is recommended, or compared with the CPU */
    struct comparison to_cpu;
};

/* Mending counts where it beats what there is by more than a little, or where only it beats the CPU. */
static bool is_worth_mending(const struct ways *ways)
{
    const struct way_to_run *planned = &ways->planned, *mended = &ways->mended;
    if (!mended->bill || !planned->bill || !planned->runs)
        return mended->bill != NULL;
    return mended->ms.typical_ms < WORTH_MENDING * planned->ms.typical_ms ||
           (compare(planned, &ways->cpu).outcome != FASTER && compare(mended, &ways->cpu).outcome == FASTER);
}

/* Nothing surely runs on the NPU, and something may. */
static bool may_run_alone(const struct ways *ways)
{
    return ways->undecided && !ways->planned.runs && !ways->mended.runs;
}

/* The typical values decide. What does not run is no way to be faster, and needs no estimate to be told so; what runs
 * in a time that is not known may be one, and so may what may run. */
static enum npart_choice choose(struct ways *ways)
{
    if (may_run_alone(ways))
        return NPART_CHOICE_UNDECIDED;
    if (!ways->planned.runs && !ways->mended.runs) {
        ways->to_cpu = (struct comparison){SLOWER, true};
        return NPART_CHOICE_CPU;
    }
    ways->uses_mended = is_worth_mending(ways);
    const struct way_to_run *best = ways->uses_mended ? &ways->mended : &ways->planned;
    if (best->runs)
        ways->to_cpu = compare(best, &ways->cpu);
    ways->to_cpu.is_sure &= !ways->is_partial && !ways->is_later &&
                            !(ways->undecided && ways->to_cpu.outcome == SLOWER);
    if (ways->to_cpu.outcome == FASTER)
        return ways->uses_mended ? NPART_CHOICE_MEND : NPART_CHOICE_NPU;
    return ways->to_cpu.outcome == SLOWER ? NPART_CHOICE_CPU : NPART_CHOICE_UNDECIDED;
}

/* ---- words ------------------------------------------------------------------------------------------------- */

static void append_range(struct npart__buffer *out, const struct way_to_run *at)
{
    npart__append_estimate_range(out, at->ms.low_ms, at->ms.typical_ms, at->ms.high_ms);
}

static void append_nodes(struct npart__buffer *out, uint32_t count, const char *what_one, const char *what_many)
{
    npart__append_count(out, count);
    npart__append_format(out, " node%s %s", count == 1 ? "" : "s", count == 1 ? what_one : what_many);
}

/* What follows "after the fix". */
static void append_fix(struct npart__buffer *out, const struct ways *ways)
{
    if (ways->steps > 1)
        npart__append_format(out, " (the first %u steps)", ways->steps);
    if (ways->allows)
        npart__append_format(out, " with --allow %s", ways->allows);
}

/* The answer alone: "yes", "probably, after the fix". */
static void append_answer(struct npart__buffer *out, const struct ways *ways)
{
    bool is_sure = ways->to_cpu.is_sure;
    switch (ways->to_cpu.outcome) {
    case FASTER:
        npart__append_text(out, is_sure ? (ways->uses_mended ? "after the fix" : "yes")
                                        : (ways->uses_mended ? "probably, after the fix" : "probably"));
        break;
    case SLOWER:
        npart__append_text(out, is_sure ? "no, stay on the CPU" : "probably not");
        break;
    case EITHER:
        npart__append_text(out, "about equal");
        break;
    case UNKNOWN:
        npart__append_text(out, "no estimate");
        break;
    }
    if (ways->uses_mended && ways->to_cpu.outcome == FASTER)
        append_fix(out, ways);
}

/* Live nodes in bodies, where these are most of what is not known: how often they run nobody knows, whatever their
 * sizes. Else 0. */
static uint32_t count_in_bodies(const struct npart__plan *plan)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < plan->graph->nodes.count; i++)
        count += npart__is_live(&plan->session, i) && npart__node_region(plan->graph, i) != 0;
    return 2 * (uint64_t)count >= plan->cost.unknown_nodes ? count : 0;
}

/* "on the Neural Engine", or another unit that is the NPU of who decides later. */
static const char *unit_of(const struct npart__plan *plan)
{
    return plan->target.oplist->units[0];
}

/* What a model without an estimate lacks. */
static void append_lack(struct npart__buffer *out, const struct npart__plan *plan, const struct ways *ways)
{
    uint32_t in_bodies = count_in_bodies(plan);
    if (may_run_alone(ways)) {
        append_nodes(out, ways->undecided, "is undecided", "are undecided");
    } else if (npart__is_mostly_elsewhere(&plan->decided)) {
        append_nodes(out, plan->decided.elsewhere, "does not run on the ", "do not run on the ");
        npart__append_text(out, unit_of(plan));
    } else if (in_bodies)
        append_nodes(out, in_bodies, "runs in an If, Loop or Scan", "run in an If, Loop or Scan");
    else if (plan->cost.unknown_nodes && plan->sides.cpu.unknown)
        append_nodes(out, plan->cost.unknown_nodes, "has no size", "have no size");
    else
        npart__append_text(out, "the op list has no speeds for this");
}

/* Of more sizes it is told how many. */
#define SIZES_TOLD 3u

/* ", at batch=1, sequence=128 (assumed)": what times rest on that nobody has said, where they stand. */
static void append_sizes(struct npart__buffer *out, const struct npart__way *way, const struct ways *ways)
{
    const struct npart__plan *fixed = way->fixed;
    const char *slots =
        ways->uses_mended && way->request->mended_count ? npart__slots_of(&way->request->mended[0]) : NULL;
    if (slots)
        npart__append_format(out, ", at %s slots (assumed)", slots);
    if (!fixed || !fixed->binding_count || slots)
        return;
    for (uint32_t i = 0; i < fixed->binding_count && i < SIZES_TOLD; i++)
        npart__append_format(out, "%s%s=%lld", i ? ", " : ", at ", fixed->bindings[i].name,
                             (long long)fixed->bindings[i].size);
    if (fixed->binding_count > SIZES_TOLD)
        npart__append_format(out, " and %u more", fixed->binding_count - SIZES_TOLD);
    npart__append_text(out, " (assumed)");
}

/* The plan of a version of the whole; NULL of a part, whose sum is not the model's. */
static const struct npart__plan *plan_of_whole(const struct npart__mended *mended)
{
    return mended->hosting ? NULL : mended->plan;
}

/* The plan of a decoder with a cache of known size that is recommended or looked at; NULL: of another model. */
static const struct npart__plan *plan_of_decoder(const struct npart__way *way, const struct ways *ways)
{
    const struct npart__mended *mended = way->request->mended;
    if (ways->uses_mended && way->request->mended_count && npart__slots_of(mended))
        return plan_of_whole(mended);
    return way->open->memory.told.cache_slots ? way->open : NULL;
}

/* "; GPU ~46 ms, 1.3 times as fast": other ways to run a decoder of which speeds are published. `best_ms` is of what
 * is told before. */
static void append_elsewhere(struct npart__buffer *out, const struct npart__plan *plan, double best_ms)
{
    const char *fastest = NULL;
    double least = best_ms, next = best_ms;
    for (unsigned where = NPART__ON_GPU; plan && where <= NPART__IN_TOOLKIT; where++) {
        const char *by, *name = "GPU";
        struct npart_cost_range ms =
            npart__cost_elsewhere(plan->node_costs, &plan->session, (enum npart__elsewhere)where, &by);
        if (ms.typical_ms <= 0)
            continue;
        if (where == NPART__IN_TOOLKIT)
            name = npart__arena_format(out->arena, "%.*s", (int)strcspn(by, ":"), by);
        out->failed |= !name;
        npart__append_format(out, "; %s ", name ? name : "");
        npart__append_estimate(out, ms.typical_ms);
        next = ms.typical_ms < least ? least : next;
        fastest = ms.typical_ms < least ? name : fastest;
        least = ms.typical_ms < least ? ms.typical_ms : least;
    }
    if (fastest && next > least * (1 + ABOUT_EQUAL))
        npart__append_format(out, ", %.*f times as fast", next < 10 * least ? 1 : 0, next / least);
}

/* Of the way that was not chosen, what a reader would ask next. */
static void append_rest(struct npart__buffer *out, const struct npart__way *way, const struct ways *ways)
{
    const struct npart__plan *open = way->open;
    bool fails = open->summary.verdict == NPART_PLAN_FAILS;
    const struct way_to_run *best = ways->uses_mended ? &ways->mended : &ways->planned;
    if (ways->uses_mended && ways->to_cpu.outcome != FASTER) {
        npart__append_text(out, " after the fix");
        append_fix(out, ways);
    }
    bool is_away = npart__is_mostly_elsewhere(&open->decided);
    if (ways->cpu.bill && (ways->to_cpu.outcome != UNKNOWN || is_away)) {
        npart__append_format(out, "; %s ", open->target.oplist->beside);
        npart__append_estimate(out, ways->cpu.ms.typical_ms);
        bool is_faster = best->bill && best->runs && best->ms.typical_ms < ways->cpu.ms.typical_ms;
        append_elsewhere(out, plan_of_decoder(way, ways),
                         is_faster ? best->ms.typical_ms : ways->cpu.ms.typical_ms);
        append_sizes(out, way, ways);
    }
    if (is_away)
        return; /* what the model is exported as runs on other units, which is told by itself */
    if (ways->uses_mended && ways->planned.bill && ways->planned.runs && !ways->is_fixed) {
        npart__append_text(out, "; as exported ");
        npart__append_estimate(out, ways->planned.ms.typical_ms);
    } else if (ways->uses_mended && !fails && open->summary.accepted && open->cost.unknown_nodes) {
        npart__append_text(out, "; as exported: no estimate, ");
        append_lack(out, open, ways);
    }
}

static enum npart_worth worth_of(const struct ways *ways)
{
    bool is_sure = ways->to_cpu.is_sure;
    switch (ways->to_cpu.outcome) {
    case FASTER:
        return ways->uses_mended ? NPART_WORTH_AFTER_FIX : is_sure ? NPART_WORTH_YES : NPART_WORTH_PROBABLY;
    case SLOWER:
        return is_sure ? NPART_WORTH_NO : NPART_WORTH_PROBABLY_NOT;
    case EITHER:
        return NPART_WORTH_EQUAL;
    case UNKNOWN:
        break;
    }
    return NPART_WORTH_NONE;
}

/* As it is, or after the steps that make it run. */
static bool does_not_fit(const struct npart__way *way)
{
    const struct npart__advice *advice = way->out;
    bool does_not = way->open->summary.fits == NPART_FIT_NO;
    for (uint32_t i = 0; i < advice->items.count; i++)
        does_not |= advice->items.items[i].after.fits == NPART_FIT_NO;
    return does_not;
}

/* Of the RAM that was asked for: the CPU, which has all weights as the file has them, has no room for it either. */
static bool has_no_room_at_all(const struct npart__plan *plan)
{
    const struct npart_memory *at = &plan->memory.told;
    for (uint32_t i = 0; i < at->limit_count; i++)
        if (at->limits[i].of == NPART_LIMITED_RAM && at->limits[i].fits == NPART_FIT_NO &&
            npart__sum_uint64(at->weight_bytes, at->peak.bytes) > at->limits[i].limit_bytes)
            return true;
    return false;
}

/* Why it does not run on the NPU. */
static void append_hindrance(const struct npart__way *way, struct npart__buffer *out)
{
    const struct npart__plan *open = way->open;
    if (does_not_fit(way))
        npart__append_text(out, "it does not fit");
    else if (open->summary.verdict == NPART_PLAN_FAILS)
        npart__append_text(out, "it fails to compile");
    else
        npart__append_format(out, "nothing runs %s%s", open->decided.is_later ? "on the " : "",
                             open->decided.is_later ? unit_of(open) : open->target.oplist->on_unit);
}

static const char *reason_of(struct npart__way *way, const struct ways *ways, uint32_t unknown)
{
    const struct npart__plan *open = way->open;
    const struct way_to_run *best = ways->uses_mended ? &ways->mended : &ways->planned;
    struct npart__buffer text;
    npart__buffer_init(&text, way->arena);
    if (!best->runs && has_no_room_at_all(open))
        npart__append_text(&text, "no, nor on the CPU");
    else
        append_answer(&text, ways);
    npart__append_text(&text, ": ");
    if (ways->to_cpu.outcome == UNKNOWN)
        append_lack(&text, way->fixed && npart__is_mostly_elsewhere(&way->fixed->decided) ? way->fixed : open, ways);
    else if (!best->runs)
        append_hindrance(way, &text);
    else
        append_range(&text, best);
    if (ways->to_cpu.outcome != UNKNOWN && best->runs && ways->uses_mended && way->request->mended_count &&
        npart__slots_of(&way->request->mended[0])) /* such a decoder makes a token in a run */
        npart__append_text(&text, " a token");
    if (ways->to_cpu.outcome != UNKNOWN && best->runs && ways->is_later)
        npart__append_format(&text, " on the %s", unit_of(open));
    append_rest(&text, way, ways);
    if (unknown) {
        npart__append_text(&text, "; ");
        if (count_in_bodies(open))
            append_nodes(&text, unknown, "in an If, Loop or Scan is not in the sum",
                         "in an If, Loop or Scan are not in the sum");
        else
            append_nodes(&text, unknown, "has no size and is not in the sum", "have no size and are not in the sum");
    }
    const char *made = npart__buffer_text(&text);
    return text.failed ? NULL : made;
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

/* Of the plan as it is, with its sizes fixed and mended, the one whose sum for the CPU lacks least. A loop that a
 * rewrite has unrolled takes the CPU about as long. */
static void sum_on_cpu(const struct npart__way *way, struct ways *ways)
{
    const struct npart__plan *best = NULL;
    for (uint32_t i = 0; i < way->request->mended_count + 2; i++) {
        const struct npart__plan *plan =
            i == 0 ? way->open : i == 1 ? way->fixed : plan_of_whole(&way->request->mended[i - 2]);
        if (plan && is_rare(plan->sides.cpu.unknown, NODES_FOR_UNKNOWN_LIKELY, plan) &&
            (!best || plan->sides.cpu.unknown < best->sides.cpu.unknown))
            best = plan;
    }
    if (!best)
        return;
    ways->cpu = on_cpu(best);
    ways->is_partial = !is_rare(best->sides.cpu.unknown, NODES_FOR_UNKNOWN, best);
}

/* Whether a step but that which fixes sizes leads to a plan that runs. */
static bool is_mended_otherwise(const struct npart__way *way)
{
    for (uint32_t i = 0; i < way->out->items.count; i++) {
        const struct npart__action *at = &way->out->items.items[i];
        if (strcmp(at->kind, "none") != 0 && strcmp(at->kind, "dims") != 0 && at->after.accepted > 0 &&
            at->after.verdict != NPART_PLAN_FAILS)
            return true;
    }
    return false;
}

/* Where too little is known for a sum: nodes that stay on the CPU take as long in the plan as without it, so the others
 * tell which of both is faster. What another step would bring is not known, and may be more. */
static void compare_the_rest(const struct npart__way *way, struct ways *ways)
{
    const struct npart__plan *plan = ways->mended.runs && way->fixed ? way->fixed : way->open;
    struct way_to_run planned = as_planned(plan), cpu = on_cpu(plan);
    bool is_faster = compare(&planned, &cpu).outcome == FASTER;
    if (!planned.bill || !planned.runs || !is_unknown_on_cpu(plan) || (is_mended_otherwise(way) && !is_faster) ||
        (ways->cpu.bill && is_faster))
        return;
    ways->planned = planned;
    ways->cpu = cpu;
    ways->mended.bill = NULL;
    ways->is_fixed = plan != way->open;
    ways->is_partial = is_faster; /* tensors without a size may have to be copied */
}

/* Undecided nodes count as left to the CPU. One in a few changes no answer; a model that fails does so with any. */
static uint32_t count_undecided(const struct npart__plan *plan)
{
    bool fails = plan->summary.verdict == NPART_PLAN_FAILS || plan->summary.fits == NPART_FIT_NO;
    return fails || is_rare(plan->summary.unknown, NODES_FOR_UNKNOWN, plan) ? 0 : plan->summary.unknown;
}

/* With dynamic sizes only what is known of the fixed ones can be compared: after the steps that fix them, or where none
 * is needed, of the plan with these sizes. */
/* What may take a step's place, and leaves a run longer than the step does and than the CPU alone takes, is not
 * offered. */
static void drop_slower(struct npart__advice *advice, const struct way_to_run *cpu)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < advice->items.count; i++) {
        const struct npart__action *at = &advice->items.items[i];
        const struct npart__after *step =
            at->instead_of == NPART_NONE ? NULL : &advice->items.items[at->instead_of].after;
        bool is_slower = step && cpu->bill && at->after.bill && step->bill && step->verdict != NPART_PLAN_FAILS &&
                         step->fits != NPART_FIT_NO && at->after.cost_ms.typical_ms > cpu->ms.typical_ms &&
                         at->after.cost_ms.typical_ms > step->cost_ms.typical_ms;
        if (!is_slower)
            advice->items.items[kept++] = *at;
    }
    advice->items.count = kept;
}

npart_status npart__recommend(struct npart__way *way)
{
    const struct npart__plan *open = way->open, *fixed = way->fixed;
    struct npart__advice *out = way->out;
    struct ways ways = {
        .planned = as_planned(open), .undecided = count_undecided(fixed ? fixed : open), .to_cpu = {UNKNOWN, false},
        .is_later = open->decided.is_later};
    sum_on_cpu(way, &ways);
    ways.mended = best_mended(way, &ways.cpu, &ways.steps, &ways.allows);
    drop_partial(&ways.planned, &ways.cpu);
    if (!ways.cpu.bill || ways.is_partial)
        compare_the_rest(way, &ways);
    if (fixed && ways.planned.runs && !ways.planned.bill && !ways.mended.bill) {
        ways.is_fixed = true;
        ways.planned = as_planned(fixed);
        drop_partial(&ways.planned, &ways.cpu);
    }
    struct npart_recommendation *told = &out->recommendation;
    drop_slower(out, &ways.cpu);
    told->choice = choose(&ways);
    const struct way_to_run *best = ways.uses_mended ? &ways.mended : &ways.planned;
    bool is_known = ways.to_cpu.outcome != UNKNOWN && ways.cpu.bill;
    told->is_sure = ways.to_cpu.is_sure;
    told->step_count = ways.uses_mended ? ways.steps : 0;
    told->time = best->bill && !may_run_alone(&ways) ? best->ms : NPART__UNKNOWN_RANGE;
    told->cpu = ways.cpu.bill ? ways.cpu.ms : NPART__UNKNOWN_RANGE;
    told->unknown_nodes = is_known ? ways.cpu.bill->unknown : 0;
    const struct npart__mended *mended = way->request->mended;
    const char *slots = ways.uses_mended && way->request->mended_count ? npart__slots_of(mended) : NULL;
    told->slots = slots ? (uint32_t)strtoul(slots, NULL, 10) : 0;
    /* Such a decoder makes a token in a run. */
    told->tokens_per_s = slots && told->time.typical_ms > 0 ? 1000 / told->time.typical_ms : -1;
    told->reason = reason_of(way, &ways, told->unknown_nodes);
    told->worth = worth_of(&ways);
    struct npart__buffer lack;
    npart__buffer_init(&lack, way->arena);
    if (told->worth == NPART_WORTH_NONE)
        append_lack(&lack, open, &ways);
    told->worth_missing = told->worth == NPART_WORTH_NONE ? npart__buffer_text(&lack) : NULL;
    return told->reason && !lack.failed ? NPART_OK : npart__fail_memory(way->error);
}
