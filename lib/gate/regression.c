/* SPDX-License-Identifier: Apache-2.0
 *
 * What got worse than the baseline, and what waivers accept of that.
 */
#include <stdio.h>

#include "gate/judge.h"

/* Which figures of a comparison a threshold limits. */
static const struct {
    const char *threshold;
    unsigned kinds;
} limited[] = {
    {"max-partitions", NPART_WORSE_PARTITIONS | NPART_WORSE_NONE},
    {"min-coverage", NPART_WORSE_COVERAGE | NPART_WORSE_NONE},
    {"min-mac-coverage", NPART_WORSE_COVERAGE | NPART_WORSE_NONE},
    {"fail-on none", NPART_WORSE_NONE},
    {"fail-on split", NPART_WORSE_PARTITIONS | NPART_WORSE_COVERAGE},
    {"fail-on slower", NPART_WORSE_TIME},
    {"fail-on fail", NPART_WORSE_FAILED | NPART_WORSE_INVALID},
    {"fail-on invalid", NPART_WORSE_INVALID},
    {"fail-on memory", NPART_WORSE_MEMORY},
};

/* More partitions are mostly less on the NPU and a longer run as well, so a waiver for one of these is for all of them.
 * The others have to be named each. */
#define WORSE_TOGETHER ((unsigned)NPART_WORSE_PARTITIONS | NPART_WORSE_COVERAGE | NPART_WORSE_TIME | NPART_WORSE_NONE)

static unsigned kinds_of(const char *threshold)
{
    for (size_t i = 0; i < NPART__COUNT(limited); i++)
        if (strcmp(limited[i].threshold, threshold) == 0)
            return limited[i].kinds;
    return npart__bound_of(threshold) != NPART_BOUNDS ? NPART_WORSE_TIME : 0;
}

/* What a waiver's thresholds accept of what got worse: nothing where it has none, and once the plan passes one of
 * them. */
static unsigned kinds_of_waiver(const struct npart__accepted *accepted, const struct npart__waiver *waiver)
{
    struct npart_gate_outcome outcomes[NPART_MOST_OUTCOMES];
    struct npart_thresholds limits;
    unsigned kinds = 0;
    if (!waiver->thresholds || !npart__is_in_force(accepted, waiver))
        return 0;
    npart__waiver_limit(waiver, &limits);
    uint32_t count = npart_plan_outcomes(accepted->judged->plan, &limits, outcomes, NPART_MOST_OUTCOMES);
    for (uint32_t i = 0; i < count; i++)
        if (!outcomes[i].is_met)
            return 0;
    for (size_t i = 0; i < NPART__COUNT(limited); i++)
        if (npart__waiver_speaks_of(waiver, limited[i].threshold))
            kinds |= limited[i].kinds;
    return kinds;
}

/* Waivers that say `worse = true` accept all of it. Returns whether one does. */
static bool accept_all_worse(const struct npart__accepted *accepted, char *out, size_t bytes)
{
    struct npart__waiver *waiver;
    for (uint32_t i = 0; (waiver = npart__waiver_of(accepted->gate, i)) != NULL; i++) {
        if (!npart__waiver_speaks_of(waiver, NPART__REGRESSION) || !npart__is_in_force(accepted, waiver))
            continue;
        (void)npart__use_waiver(waiver, out, bytes, 0);
        return true;
    }
    return false;
}

/* Waivers whose thresholds limit what got worse, and are met. */
static void accept_limited(const struct npart__accepted *accepted, unsigned worse, char *out, size_t bytes)
{
    struct npart__waiver *waiver;
    unsigned all = 0;
    size_t used = 0;
    for (uint32_t i = 0; (waiver = npart__waiver_of(accepted->gate, i)) != NULL; i++)
        all |= kinds_of_waiver(accepted, waiver);
    bool are_others = (worse & ~WORSE_TOGETHER & ~all) == 0;
    bool are_together = !(worse & WORSE_TOGETHER) || (worse & WORSE_TOGETHER & all);
    if (!(worse & all) || !are_others || !are_together)
        return;
    for (uint32_t i = 0; (waiver = npart__waiver_of(accepted->gate, i)) != NULL; i++)
        if (kinds_of_waiver(accepted, waiver) & worse)
            used = npart__use_waiver(waiver, out, bytes, used);
}

/* Waivers with whose rules on the NPU nothing is worse. */
static npart_status accept_lifted(struct npart__accepted *accepted, char *out, size_t bytes, struct npart_error *error)
{
    struct npart__waiver *waiver;
    struct npart_compared with = {.is_worse = true};
    npart_plan *lifted = NULL;
    size_t used = 0;
    for (uint32_t i = 0; (waiver = npart__waiver_of(accepted->gate, i)) != NULL; i++)
        if (npart__is_in_force(accepted, waiver))
            npart__mark_waived(accepted, waiver);
    npart_status status = npart__plan_lifted(accepted, &lifted, error);
    if (status == NPART_OK && lifted)
        status = npart__baseline_compare(accepted->gate->options.baseline, accepted->gate, lifted, NULL, &with, error);
    npart_plan_free(lifted);
    for (uint32_t i = 0; status == NPART_OK && !with.is_worse && (waiver = npart__waiver_of(accepted->gate, i)) != NULL;
         i++)
        if (npart__is_in_force(accepted, waiver) && npart__has_lifted(accepted, waiver))
            used = npart__use_waiver(waiver, out, bytes, used);
    return status;
}

/* Waivers that accept that it got worse. `*is_all`: whatever thresholds say, too. */
static npart_status accept_worse(npart_gate *gate, struct npart__judged *judged, char *out, size_t bytes, bool *is_all,
                                 struct npart_error *error)
{
    struct npart__accepted accepted = {.gate = gate, .judged = judged};
    *is_all = accept_all_worse(&accepted, out, bytes);
    if (*is_all || !npart__has_waivers(gate, judged->target, false))
        return NPART_OK;
    npart_status status =
        npart__accepted_open(&accepted, gate, judged) ? NPART_OK : npart__fail_memory(error);
    if (status == NPART_OK)
        accept_limited(&accepted, judged->compared.kinds, out, bytes);
    if (status == NPART_OK && !*out)
        status = accept_lifted(&accepted, out, bytes, error);
    npart__accepted_close(&accepted);
    return status;
}

/* A threshold that is not met, to what got worse; false: there is no room. */
static bool add_to(struct npart_gate_outcome *worse, const struct npart_gate_outcome *unmet)
{
    size_t used = strlen(worse->text), length = strlen(unmet->text);
    if (used + length + strlen("; ") >= sizeof worse->text)
        return false;
    memcpy(worse->text + used, "; ", strlen("; "));
    memcpy(worse->text + used + strlen("; "), unmet->text, length + 1);
    return true;
}

/* What is not met, and nothing accepts so far: the baseline does where it is no worse; a waiver that accepts all that
 * got worse does; else it is told with what got worse. */
static void settle_unmet(struct npart__judged *judged, uint32_t at, bool is_all)
{
    const struct npart_compared *compared = &judged->compared;
    struct npart_gate_outcome *items = judged->outcomes;
    bool is_accepted = !compared->is_worse || *judged->waivers[at];
    for (uint32_t i = 0; i < at; i++) {
        size_t bytes = sizeof judged->waivers[i];
        bool is_worse = compared->is_worse && !(is_accepted && !(kinds_of(items[i].threshold) & compared->kinds));
        if (items[i].is_met || *judged->waivers[i])
            continue;
        judged->is_known[i] = !is_worse;
        if (!compared->has_before)
            (void)snprintf(judged->waivers[i], bytes, NPART_BASELINE_WRITTEN);
        else if (!is_worse)
            (void)snprintf(judged->waivers[i], bytes, "%s", compared->is_same ? "as in the baseline" : compared->text);
        else if (is_all)
            memcpy(judged->waivers[i], judged->waivers[at], bytes);
        else if (!is_accepted)
            judged->is_told[i] = add_to(&items[at], &items[i]);
    }
}

npart_status npart__judge_regression(npart_gate *gate, struct npart__judged *judged, struct npart_error *error)
{
    struct npart_compared *compared = &judged->compared;
    npart_baseline *baseline = gate->options.baseline;
    bool is_all = false, is_written = npart__baseline_is_written(baseline);
    npart_status status =
        npart__baseline_compare(baseline, gate, judged->plan, judged->advice, compared, error);
    if (status != NPART_OK || !compared->is_known)
        return status;
    _Static_assert(NPART_MOST_OUTCOMES > 4 + NPART_CONDITIONS, "there is room for all thresholds and the baseline");
    uint32_t at = judged->comparison = judged->count++;
    judged->outcomes[at] = (struct npart_gate_outcome){.threshold = NPART__REGRESSION, .is_met = !compared->is_worse};
    memcpy(judged->outcomes[at].text, compared->text, sizeof compared->text);
    if (compared->is_worse)
        status = accept_worse(gate, judged, judged->waivers[at], sizeof judged->waivers[at], &is_all, error);
    settle_unmet(judged, at, is_all);
    if (*gate->invalid && !*gate->invalid_waiver && (compared->was_invalid || is_written)) {
        gate->is_invalid_known = true;
        (void)snprintf(gate->invalid_waiver, sizeof gate->invalid_waiver, "%s",
                       is_written ? NPART_BASELINE_WRITTEN : "as in the baseline");
    }
    npart__settle_judged(judged);
    return status;
}

/* What no waiver and no baseline accepts: the comparison, else the first; NPART_NONE: nothing. */
static uint32_t find_open(const struct npart__judged *judged)
{
    uint32_t found = NPART_NONE;
    for (uint32_t i = judged->count; i-- > 0;)
        if (npart__is_open(judged, i) && (found == NPART_NONE || found != judged->comparison))
            found = i;
    return found;
}

/* It decides nothing, and is asked only where the baseline does not tell: the baseline lacks the model, or knows no
 * nodes. */
npart_status npart__tell_changed(npart_gate *gate, struct npart__judged *judged, struct npart_error *error)
{
    struct npart_compared *compared = &judged->compared, found = {0};
    if (compared->has_before && (!compared->is_worse || *compared->changed))
        return NPART_OK;
    npart_status status =
        npart__baseline_compare(gate->options.before, gate, judged->plan, judged->advice, &found, error);
    if (status != NPART_OK || !found.has_before)
        return status;
    uint32_t at = found.is_worse ? find_open(judged) : NPART_NONE;
    if (at != NPART_NONE) {
        struct npart_gate_outcome *outcome = &judged->outcomes[at];
        const char *text = compared->is_worse ? found.changed : found.text + strlen(NPART_WORSE);
        size_t used = judged->own_bytes = strlen(outcome->text);
        if (*text)
            (void)snprintf(outcome->text + used, sizeof outcome->text - used, "; changed: %s", text);
        judged->comparison = at;
    }
    if (compared->has_before) { /* figures and text stay the baseline's, which decides */
        found.before = compared->before;
        found.before_ms = compared->before_ms;
        found.is_worse = compared->is_worse;
        memcpy(found.figures, compared->figures, sizeof found.figures);
        memcpy(found.text, compared->text, sizeof found.text);
    }
    *compared = found;
    return NPART_OK;
}
