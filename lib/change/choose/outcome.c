/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of two plans is better.
 */
#include "choose/choose.h"

bool npart__is_done(const struct npart_summary *summary)
{
    return summary->verdict == NPART_PLAN_WHOLE || summary->verdict == NPART_PLAN_EDGE ||
           summary->verdict == NPART_PLAN_EMPTY;
}

/* A session that fails for something else than a node (a model that the runtime does not load) counts as one node
 * that fails. A model without live nodes has nothing left to take, and is no failure. */
struct npart__outcome npart__outcome_of_counts(const struct npart_summary *summary, uint32_t elsewhere, double ms)
{
    bool fails = summary->verdict == NPART_PLAN_FAILS;
    return (struct npart__outcome){
        .failed = fails && !summary->failed ? 1 : summary->failed,
        /* 0 partitions would be the fewest, though it is the worst: nothing is on the NPU. NPART_NONE is the most. */
        .partitions = summary->accepted || !summary->live ? summary->partitions : NPART_NONE,
        /* Nodes that fail and undecided ones are among them: none of them can be relied on. */
        .left = summary->live - summary->accepted,
        .elsewhere = elsewhere,
        .ms = ms,
        .summary = *summary,
    };
}

struct npart__outcome npart__outcome_of(const struct npart__plan *plan)
{
    return npart__outcome_of_counts(&plan->summary, plan->decided.elsewhere,
                                    plan->cost.is_known ? plan->cost.total_ms.typical_ms : -1);
}

/* Fewer nodes fail, and not because it cannot be told any more of some whether they do. */
static bool mends(const struct npart__outcome *before, const struct npart__outcome *after)
{
    return after->failed < before->failed && after->failed + (uint64_t)after->summary.unknown <
                                                 before->failed + (uint64_t)before->summary.unknown;
}

/* What `after` pays, as bits; times have to differ by more than the share of `before`. A time that is not known decides
 * nothing. With a share of 0.05, 9.6 ms and 10 ms are the same, 9.4 ms are faster. */
static unsigned pays_of(const struct npart__outcome *before, const struct npart__outcome *after, double share)
{
    bool is_faster = before->ms >= 0 && after->ms >= 0 && after->ms < before->ms * (1 - share);
    return (mends(before, after) ? NPART__PAYS_MENDS : 0u) |
           (after->partitions < before->partitions ? NPART__PAYS_FEWER_PARTITIONS : 0u) |
           (after->left + after->elsewhere < before->left + before->elsewhere ? NPART__PAYS_MORE_ON_NPU : 0u) |
           (is_faster ? NPART__PAYS_FASTER : 0u);
}

/* What it costs, in the same bits. A share of what there was before, as in pays_of. */
static unsigned costs(const struct npart__outcome *before, const struct npart__outcome *after, double share)
{
    bool is_slower = before->ms >= 0 && after->ms >= 0 && after->ms > before->ms * (1 + share);
    return (pays_of(after, before, 0) & ~(NPART__PAYS_MENDS | (unsigned)NPART__PAYS_FASTER)) |
           (after->failed > before->failed ? NPART__PAYS_MENDS : 0u) | (is_slower ? NPART__PAYS_FASTER : 0u);
}

/* By the respect that counts first among those that are asked about. */
static int sign(unsigned gains, unsigned losses, unsigned asked)
{
    unsigned all = (gains | losses) & asked, first = all & (0u - all);
    return !first ? 0 : gains & first ? -1 : 1;
}

int npart__compare_outcomes(const struct npart__outcome *a, const struct npart__outcome *b, double share)
{
    return sign(pays_of(b, a, share), costs(b, a, share), ~0u);
}

/* Worth to go on from: nothing more fails, and fewer nodes fail or are left, or fewer partitions. Not asked for time:
 * fewer nodes on the CPU may cost more until partitions fall. */
static bool brings_on(const struct npart__outcome *before, const struct npart__outcome *after)
{
    return after->failed <= before->failed && (pays_of(before, after, 0) & ~(unsigned)NPART__PAYS_FASTER);
}

enum npart_pays npart__step_pays(const struct npart__outcome *before, const struct npart__outcome *after)
{
    unsigned pays = pays_of(before, after, NPART__SHARE_OF_STEP);
    if (before->failed || after->failed)
        return mends(before, after) && !after->failed ? NPART_PAYS_MENDS : NPART_PAYS_NOTHING;
    bool has_times = before->ms >= 0 && after->ms >= 0;
    if (has_times && after->ms > before->ms)
        return NPART_PAYS_NOTHING;
    if (pays & NPART__PAYS_FASTER)
        return NPART_PAYS_FASTER;
    /* None counts as more than any number, but is not brought down. */
    if (pays & NPART__PAYS_FEWER_PARTITIONS)
        return before->summary.partitions ? NPART_PAYS_FEWER_PARTITIONS : NPART_PAYS_MORE_ON_NPU;
    /* Where all that may run is undecided, fewer nodes are left only because some were rewritten away. */
    bool is_undecided = !after->summary.accepted && after->summary.unknown;
    return !has_times && !is_undecided && (pays & NPART__PAYS_MORE_ON_NPU) ? NPART_PAYS_MORE_ON_NPU
                                                                           : NPART_PAYS_NOTHING;
}

enum npart_pays npart__end_pays(const struct npart__outcome *before, const struct npart__outcome *after)
{
    enum npart_pays pays = npart__step_pays(before, after);
    bool has_times = before->ms >= 0 && after->ms >= 0, is_one = after->partitions == 1 && before->partitions > 1;
    if (before->failed || after->failed)
        return pays;
    if (!is_one || (has_times && after->ms > before->ms * (1 + NPART__SHARE_EQUAL)))
        return NPART_PAYS_NOTHING;
    bool decides = before->summary.unknown && !after->summary.unknown && before->summary.partitions > 1;
    return pays ? pays : decides ? NPART_PAYS_FEWER_PARTITIONS : NPART_PAYS_NOTHING;
}

/* ---- several targets --------------------------------------------------------------------------------------------- */

bool npart__is_worse(const struct npart__standing *at, const struct npart__standing *than, double share)
{
    for (uint32_t i = 0; i < at->target_count; i++)
        if (npart__compare_outcomes(&at->outcomes[i], &than->outcomes[i], share) > 0)
            return true;
    return at->is_invalid && !than->is_invalid;
}

/* What is gained is asked with a small share and what is lost with a larger one: 1 % faster on one target is worth
 * 3 % slower on another. */
bool npart__is_better(const struct npart__standing *at, const struct npart__standing *than)
{
    bool is_better = false;
    for (uint32_t i = 0; i < at->target_count; i++)
        is_better |= npart__compare_outcomes(&at->outcomes[i], &than->outcomes[i], NPART__SHARE_OF_GAIN) < 0;
    return is_better && !npart__is_worse(at, than, NPART__SHARE_OF_HARM);
}

bool npart__is_progress(const struct npart__standing *at, const struct npart__standing *than)
{
    bool is_progress = false;
    for (uint32_t i = 0; i < at->target_count; i++) {
        if (at->outcomes[i].failed > than->outcomes[i].failed)
            return false;
        is_progress |= brings_on(&than->outcomes[i], &at->outcomes[i]);
    }
    return is_progress && !(at->is_invalid && !than->is_invalid);
}

/* Below 0 where `a` is what should be written. */
static int compare_results(const struct npart__outcome *a, const struct npart__outcome *b)
{
    const unsigned counts = NPART__PAYS_FEWER_PARTITIONS | NPART__PAYS_MORE_ON_NPU;
    unsigned gains = pays_of(b, a, 0), losses = costs(b, a, NPART__SHARE_OF_HARM);
    int failed = sign(gains, losses, NPART__PAYS_MENDS);
    bool is_even = !(gains & counts) == !(losses & counts);
    return failed ? failed : sign(gains, losses, is_even ? NPART__PAYS_FASTER : counts);
}

struct npart__balance npart__balance(const struct npart__standing *at, const struct npart__standing *than)
{
    struct npart__balance balance = {.unloads = at->is_invalid && !than->is_invalid, .harmed = NPART_NONE};
    for (uint32_t i = 0; i < at->target_count; i++) {
        int order = compare_results(&at->outcomes[i], &than->outcomes[i]);
        balance.helps |= order < 0;
        if (order > 0 && balance.harmed == NPART_NONE)
            balance.harmed = i;
    }
    return balance;
}
