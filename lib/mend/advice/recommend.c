/* SPDX-License-Identifier: Apache-2.0
 *
 * Whether the NPU is worth it: one word and a sentence.
 *
 * What a run takes as it is planned, after each step, and on the CPU alone are compared in pairs. Their ranges overlap
 * more often than not, since they are off by the same things; of the quotient that cancels out, so that is what is
 * looked at. Where even that may be on either side of 1, nothing is recommended.
 */
#include "advice/way.h"

/* A mended plan that is surely faster by so little is not worth a change of the model. The CPU and the plan as it
 * is need no work; a change of the model has to be tested again. */
#define WORTH_MENDING 0.8

/* A way to run the model. */
struct way_to_run {
    const struct npart__bill *bill; /* NULL: it cannot be run so, or what it takes is not known */
    const struct npart__rates *rates;
    struct npart_cost_range ms;
    bool runs; /* with something on the NPU, or on the CPU; whether or not its time is known */
};

/* Without a bill where the model does not run so: "fails" has costs, but of a run that is not possible. */
static struct way_to_run as_planned(const struct npart__plan *plan)
{
    bool fails = plan->summary.verdict == NPART_PLAN_FAILS, is_known = plan->cost.is_known && !fails;
    return (struct way_to_run){is_known ? &plan->cost.bill : NULL, &plan->node_costs->rates, plan->cost.total_ms,
                               !fails && plan->summary.accepted > 0};
}

/* All nodes with the same rates, so that in a quotient the errors that both share cancel. */
static struct way_to_run on_cpu(const struct npart__plan *plan)
{
    const struct npart__sides *sides = &plan->sides;
    const struct npart__rates *rates = &plan->node_costs->rates;
    return (struct way_to_run){sides->is_cpu_known ? &sides->cpu : NULL, rates,
                               npart__bill_range(rates, &sides->cpu, NPART__PART_ALL), true};
}

/* Of the steps, the one after which a run is shortest; how many steps that are. Of two steps that leave a run as
 * short the earlier: less has to be changed. */
static struct way_to_run best_mended(const struct npart__advice *advice, uint32_t *steps)
{
    struct way_to_run best = {NULL, NULL, NPART__UNKNOWN_RANGE, false};
    uint32_t passed = 0;
    *steps = 0;
    /* Steps stand first, before what may take their place. */
    for (uint32_t i = 0; i < advice->items.count && advice->items.items[i].instead_of == NPART_NONE; i++) {
        const struct npart__action *at = &advice->items.items[i];
        bool is_step = strcmp(at->kind, "none") != 0;
        bool runs = at->after.verdict != NPART_PLAN_FAILS && is_step;
        passed += is_step;
        best.runs |= runs && at->after.accepted > 0;
        if (!runs || !at->after.bill || (best.bill && at->after.cost_ms.typical_ms >= best.ms.typical_ms))
            continue;
        best = (struct way_to_run){at->after.bill, at->after.rates, at->after.cost_ms, true};
        *steps = passed;
    }
    return best;
}

enum outcome { FASTER, SLOWER, EITHER, UNKNOWN };

/* Whether `a` takes less than `share` of what `b` takes. The whole 80 % interval of the quotient has to be on one
 * side. A quotient of 0.7 to 0.95 is FASTER than a share of 1, and EITHER for a share of 0.8. */
static enum outcome compare(const struct way_to_run *a, const struct way_to_run *b, double share)
{
    if (!a->bill || !b->bill)
        return UNKNOWN;
    struct npart__ratio ratio = npart__bill_ratio(a->rates, a->bill, b->rates, b->bill);
    /* Negative: not known. */
    return ratio.typical < 0 ? UNKNOWN : ratio.high < share ? FASTER : ratio.low > share ? SLOWER : EITHER;
}

/* ---- words ------------------------------------------------------------------------------------------------- */

/* Three digits that count, as estimates are no better. "0.42", "7.31", "23.8", "412". */
static void append_ms(struct npart__buffer *out, double ms)
{
    npart__append_fixed(out, ms, ms >= 100 ? 0 : ms >= 10 ? 1 : 2);
}

static void append_range(struct npart__buffer *out, const struct way_to_run *at)
{
    append_ms(out, at->ms.typical_ms);
    npart__append_text(out, " ms (");
    append_ms(out, at->ms.low_ms);
    npart__append_text(out, " to ");
    append_ms(out, at->ms.high_ms);
    npart__append_text(out, ")");
}

static void append_steps(struct npart__buffer *out, const struct way_to_run *mended, uint32_t steps)
{
    append_range(out, mended);
    if (steps == 1)
        npart__append_text(out, " after the first step");
    else
        npart__append_format(out, " after the first %u steps", steps);
}

/* What is known of all three, in one sentence. Where the CPU's time is not known there is nothing to hold the
 * others against, and the sentence says why it is not. */
static const char *reason_of(struct npart__way *way, const struct way_to_run *planned, const struct way_to_run *mended,
                             uint32_t steps, const struct way_to_run *cpu)
{
    const struct npart__plan *plan = way->open;
    struct npart__buffer text;
    npart__buffer_init(&text, way->arena);
    if (!cpu->bill && plan->cost.unknown_nodes)
        npart__append_format(&text, "not known how much %u node%s compute%s", plan->cost.unknown_nodes,
                             plan->cost.unknown_nodes == 1 ? "" : "s", plan->cost.unknown_nodes == 1 ? "s" : "");
    else if (!cpu->bill)
        npart__append_text(&text, "the op list has no rates to compute with");
    if (cpu->bill) {
        if (planned->bill && plan->summary.accepted)
            append_range(&text, planned);
        npart__append_text(&text, plan->summary.verdict == NPART_PLAN_FAILS ? "as it is it fails to compile"
                                  : plan->summary.accepted == 0               ? "no node runs on the NPU"
                                  : planned->bill                             ? " as it is"
                                                                              : "not known as it is");
        if (steps) {
            npart__append_text(&text, ", ");
            append_steps(&text, mended, steps);
        }
        npart__append_text(&text, "; on the CPU alone ");
        append_range(&text, cpu);
        npart__append_text(&text, plan->cost.is_calibrated ? "" : ", uncalibrated");
    }
    const char *made = npart__buffer_text(&text);
    return text.failed ? NULL : made;
}

/* ---- the choice -------------------------------------------------------------------------------------------- */

/* Mending counts where it surely beats the CPU, and what there is by more than a little. "cpu" is said only where
 * neither the plan as it is nor what steps leave can be faster; "undecided" is an answer, too, and better than one
 * by chance. A plan that fails or takes no node counts as slower than the CPU, and so does having no step; a time
 * that is not known does not. */
static enum npart_choice choose(const struct npart__plan *plan, const struct way_to_run *planned,
                                const struct way_to_run *mended, const struct way_to_run *cpu)
{
    bool uses_npu = planned->bill && plan->summary.accepted > 0;
    /* What does not run is no way to be faster; what runs in a time that is not known may be one. */
    enum outcome now = planned->runs ? compare(planned, cpu, 1) : SLOWER;
    enum outcome then = mended->runs ? compare(mended, cpu, 1) : SLOWER;
    /* Without the CPU's time nothing above means anything. */
    if (!cpu->bill)
        return NPART_CHOICE_UNDECIDED;
    if (then == FASTER && (!uses_npu || compare(mended, planned, WORTH_MENDING) == FASTER))
        return NPART_CHOICE_MEND;
    if (now == FASTER)
        return NPART_CHOICE_NPU;
    return now == SLOWER && then == SLOWER ? NPART_CHOICE_CPU : NPART_CHOICE_UNDECIDED;
}

/* With dynamic sizes only what is known of the fixed ones can be compared; fixing them is a step then. */
npart_status npart__recommend(struct npart__way *way)
{
    const struct npart__plan *open = way->open;
    bool is_open = !open->sides.is_cpu_known && way->fixed && way->fixed->sides.is_cpu_known;
    struct way_to_run planned = as_planned(open), cpu = on_cpu(is_open ? way->fixed : open);
    uint32_t steps;
    struct way_to_run mended = best_mended(way->out, &steps);
    /* The time of dynamic sizes is never known; that of the sizes of the steps stands for it. */
    planned.runs &= !(is_open && mended.bill);
    way->out->choice = choose(open, &planned, &mended, &cpu);
    way->out->reason = reason_of(way, &planned, &mended, steps, &cpu);
    return way->out->reason ? NPART_OK : npart__fail_memory(way->error);
}
