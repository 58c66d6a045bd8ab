/* SPDX-License-Identifier: Apache-2.0
 *
 * One model against its thresholds, and what waivers accept of it.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "check_baseline.h"
#include "glob.h"
#include "message.h"

const char *standing_text(enum standing standing)
{
    static const char *const texts[STANDINGS] = {"ok", "known", "waived", "worse", "fails"};
    return texts[standing];
}

/* ---- which waivers ------------------------------------------------------------------------------------------ */

#define DATE_BYTES 36 /* of three numbers, whatever they are */

static void write_date(const struct waiver *waiver, char out[static DATE_BYTES])
{
    (void)snprintf(out, DATE_BYTES, "%04d-%02d-%02d", waiver->is.year, waiver->is.month, waiver->is.day);
}

/* "until 2027-03-31: reason", after `used` bytes of others. Returns how many bytes there are then. */
static size_t use_waiver(struct waiver *waiver, char *out, size_t bytes, size_t used)
{
    char date[DATE_BYTES];
    waiver->is_used = true;
    write_date(waiver, date);
    if (used < bytes)
        used += (size_t)snprintf(out + used, bytes - used, "%suntil %s: %s", used ? "; " : "", date,
                                 waiver->is.reason);
    return used;
}

/* That one would have accepted something, had it not expired; a NULL target is any. */
static void tell_expired_waiver(const struct checked *checked, struct waiver *waiver, const char *target)
{
    char date[DATE_BYTES];
    waiver->is_used = true;
    write_date(waiver, date);
    project_say(checked->project, waiver->is.line, waiver->is.column,
                "this waiver expired on %s and holds no more for %s%s%s: %s", date,
                checked->path, target ? " on " : "", target ? target : "", waiver->is.reason);
}

static bool is_expired(const struct waiver *waiver, const char *today)
{
    char date[DATE_BYTES];
    write_date(waiver, date);
    return strcmp(today, date) > 0; /* it holds on that day */
}

static bool is_for(const struct checked *checked, const struct waiver *waiver, const char *target)
{
    return checked->relative && npart_project_matches(&waiver->is.models, checked->relative) &&
           (!target || npart_waiver_has_target(waiver->project, waiver->index, target));
}

static bool has_rule(const struct waiver *waiver, const char *rule)
{
    return npart_project_matches(&waiver->is.rules, rule);
}

/* Which of the waiver's rules the op list has: one that no list has is misspelt, or of another release. */
static void note_rules(struct waiver *waiver, const npart_oplist *oplist)
{
    struct npart_rule rule = {.size = sizeof rule};
    struct npart_oplist_info info = {.size = sizeof info};
    uint32_t count = waiver->is.rules.count;
    (void)npart_oplist_info(oplist, &info);
    const char **names = count ? calloc(info.all_rule_count + (size_t)1, sizeof *names) : NULL;
    for (uint32_t i = 0; names && npart_oplist_rule(oplist, i, &rule); i++)
        names[i] = rule.id;
    for (uint32_t k = 0; names && k < count && k < 64; k++) {
        const char *glob = waiver->is.rules.items[k].text;
        bool is_known = false;
        for (uint32_t i = 0; names[i] && !is_known; i++)
            is_known = npart_glob_match(glob, names[i]);
        if (is_known)
            waiver->known_rules |= UINT64_C(1) << k;
        else if (!*waiver->meant)
            (void)npart_nearest_name(glob, names, info.all_rule_count, waiver->meant,
                                     sizeof waiver->meant);
    }
    free(names);
}

/* ---- the plan with waived rules ----------------------------------------------------------------------------- */

/* All that is waived for a model on a target at once: two rules may have to go for one threshold. */
struct accepted {
    const struct run *run;
    struct checked *checked;
    int target;
    const char *today;
    bool with_expired;
    struct options *options; /* with the thresholds of the waivers */
    bool *is_waived;  /* by rule of the op list, all of them: some waiver has it */
    npart_lift *lift; /* the nodes that fall back for these alone; NULL: not looked for yet */
    struct outcomes outcomes;
};

/* Room for a mark of each rule; NULL: out of memory. */
static bool *rules_of(const npart_oplist *oplist)
{
    struct npart_oplist_info info = {.size = sizeof info};
    (void)npart_oplist_info(oplist, &info);
    return calloc(info.all_rule_count + (size_t)1, sizeof(bool));
}

static bool is_in_force(const struct accepted *accepted, const struct waiver *waiver)
{
    return is_for(accepted->checked, waiver, accepted->checked->options->targets[accepted->target]) &&
           (accepted->with_expired || !is_expired(waiver, accepted->today));
}

/* Whether it waives a rule for which nodes were put on the NPU. */
static bool has_lifted(const struct accepted *accepted, const struct waiver *waiver)
{
    const npart_oplist *oplist = accepted->run->oplists[accepted->target];
    struct npart_rule rule = {.size = sizeof rule};
    for (uint32_t i = 0; waiver->is.rules.count && npart_oplist_rule(oplist, i, &rule); i++)
        if (npart_lift_has_rule(accepted->lift, i) && has_rule(waiver, rule.id))
            return true;
    return false;
}

static void mark_waived(struct accepted *accepted, const struct waiver *waiver)
{
    const npart_oplist *oplist = accepted->run->oplists[accepted->target];
    struct npart_rule rule = {.size = sizeof rule};
    for (uint32_t i = 0; waiver->is.rules.count && npart_oplist_rule(oplist, i, &rule); i++)
        accepted->is_waived[i] |= has_rule(waiver, rule.id);
}

static npart_status plan_lifted(const struct accepted *accepted, npart_plan **out, struct npart_error *error)
{
    const struct options *options = accepted->options;
    uint32_t count;
    const struct npart_assumption *lifted = npart_lift_overrides(accepted->lift, &count);
    struct npart_plan_options how = plan_options(options);
    struct npart_assumption *assumptions =
        calloc(count + options->assumption_count + (size_t)1, sizeof *assumptions);
    if (!assumptions)
        return NPART_ERROR_MEMORY;
    memcpy(assumptions, lifted, count * sizeof *assumptions);
    memcpy(assumptions + count, options->assumptions, options->assumption_count * sizeof *assumptions);
    how.assumptions = assumptions;
    how.assumption_count = count + options->assumption_count;
    npart_status status = npart_plan_make(out, accepted->checked->job.inference,
                                          accepted->run->oplists[accepted->target],
                                          options->targets[accepted->target], &how, error);
    free(assumptions);
    return status;
}

/* Whose thresholds are those of a target. */
static void options_on(const struct checked *checked, int target, struct options *out)
{
    *out = *checked->options;
    if (checked->project)
        project_settle_target(checked->project, checked->relative, checked->asked, out->targets[target], out);
}

/* The outcomes with all waivers in force. */
static npart_status find_accepted(struct accepted *accepted, struct npart_error *error)
{
    struct checked *checked = accepted->checked;
    const npart_plan *plan = checked->job.plans[accepted->target];
    npart_plan *lifted = NULL;
    options_on(checked, accepted->target, accepted->options);
    for (uint32_t i = 0; i < checked->project->info.waiver_count; i++) {
        const struct waiver *waiver = &checked->project->waivers[i];
        if (!is_in_force(accepted, waiver))
            continue;
        npart_waiver_accept(waiver->project, waiver->index, &accepted->options->thresholds);
        mark_waived(accepted, waiver);
    }
    uint32_t count = 0;
    npart_status status = npart_lift_make(&accepted->lift, plan, accepted->is_waived, error);
    if (status == NPART_OK)
        (void)npart_lift_overrides(accepted->lift, &count);
    if (status == NPART_OK && count)
        status = plan_lifted(accepted, &lifted, error);
    if (status == NPART_OK)
        find_outcomes(&accepted->outcomes, accepted->options, lifted ? lifted : plan);
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the caller has what `accepted` points to, and frees it */
    npart_plan_free(lifted);
    return status;
}

/* ---- what they accept --------------------------------------------------------------------------------------- */

static const struct npart_gate_outcome *find_outcome(const struct outcomes *outcomes, const char *threshold)
{
    for (uint32_t i = 0; i < outcomes->count; i++)
        if (strcmp(outcomes->items[i].threshold, threshold) == 0)
            return &outcomes->items[i];
    return NULL;
}

/* Whether a waiver says something of a threshold, by the name of its outcome. */
static bool speaks_of(const struct waiver *waiver, const char *threshold)
{
    return npart_waiver_speaks_of(waiver->project, waiver->index, threshold);
}

/* "until 2027-03-31: reason", of each waiver that has to do with it. */
static void write_waivers(const struct accepted *accepted, const char *threshold, char *out, size_t bytes)
{
    struct project *project = accepted->checked->project;
    size_t used = 0;
    for (uint32_t i = 0; i < project->info.waiver_count; i++) {
        struct waiver *waiver = &project->waivers[i];
        if (is_in_force(accepted, waiver) && (speaks_of(waiver, threshold) || has_lifted(accepted, waiver)))
            used = use_waiver(waiver, out, bytes, used);
    }
}

/* Those that would have accepted it, had they not expired. */
static void tell_expired(const struct accepted *accepted, const struct judged *judged)
{
    struct checked *checked = accepted->checked;
    for (uint32_t i = 0; i < checked->project->info.waiver_count; i++) {
        struct waiver *waiver = &checked->project->waivers[i];
        if (!is_in_force(accepted, waiver) || !is_expired(waiver, accepted->today))
            continue;
        bool has_to_do = has_lifted(accepted, waiver);
        for (uint32_t k = 0; k < judged->outcomes.count; k++)
            has_to_do |= !judged->outcomes.items[k].is_met && speaks_of(waiver, judged->outcomes.items[k].threshold);
        if (has_to_do)
            tell_expired_waiver(checked, waiver, checked->options->targets[accepted->target]);
    }
}

static bool has_waivers(const struct checked *checked, const char *target, const char *today, bool are_expired)
{
    const struct project *project = checked->project;
    for (uint32_t i = 0; project && i < project->info.waiver_count; i++)
        if (is_for(checked, &project->waivers[i], target) && is_expired(&project->waivers[i], today) == are_expired)
            return true;
    return false;
}

static enum standing standing_of(const struct judged *judged, uint32_t outcome)
{
    const struct npart_gate_outcome *at = &judged->outcomes.items[outcome];
    if (at->is_met)
        return STANDING_OK;
    if (*judged->waivers[outcome])
        return judged->is_known[outcome] ? STANDING_KNOWN : STANDING_WAIVED;
    bool is_worse = judged->is_told[outcome] || strcmp(at->threshold, BASELINE) == 0;
    return is_worse ? STANDING_WORSE : STANDING_FAILS;
}

bool is_open(const struct judged *judged, uint32_t outcome)
{
    return !judged->outcomes.items[outcome].is_met && !*judged->waivers[outcome] && !judged->is_told[outcome];
}

static void settle(struct judged *judged)
{
    judged->standing = STANDING_OK;
    for (uint32_t i = 0; i < judged->outcomes.count; i++) {
        enum standing standing = standing_of(judged, i);
        if (standing > judged->standing)
            judged->standing = standing;
    }
}

/* Each outcome that is not met, but is with the waivers. */
static void accept_outcomes(const struct accepted *accepted, struct judged *judged)
{
    for (uint32_t i = 0; i < judged->outcomes.count; i++) {
        struct npart_gate_outcome *outcome = &judged->outcomes.items[i];
        const struct npart_gate_outcome *with = find_outcome(&accepted->outcomes, outcome->threshold);
        if (outcome->is_met)
            continue;
        if (!with || with->is_met) {
            write_waivers(accepted, outcome->threshold, judged->waivers[i], sizeof judged->waivers[i]);
        } else if (strcmp(with->text, outcome->text) != 0) {
            char ignored[512];
            size_t used = strlen(outcome->text);
            write_waivers(accepted, outcome->threshold, ignored, sizeof ignored); /* not idle: not enough */
            (void)snprintf(outcome->text + used, sizeof outcome->text - used, "; with its waiver: %s", with->text);
        }
    }
}

/* What waivers accept of what fails; or, of those that expired, what they would have accepted. */
static npart_status judge_waivers(const struct run *run, struct checked *checked, int target, const char *today,
                                  bool with_expired, struct npart_error *error)
{
    struct judged *judged = &checked->judged[target];
    struct accepted accepted = {.run = run, .checked = checked, .target = target, .today = today,
                                .with_expired = with_expired};
    if (judged->standing < STANDING_WORSE ||
        !has_waivers(checked, checked->options->targets[target], today, with_expired))
        return NPART_OK;
    accepted.options = malloc(sizeof *accepted.options);
    accepted.is_waived = rules_of(run->oplists[target]);
    bool has_room = accepted.is_waived && accepted.options;
    npart_status status = has_room ? find_accepted(&accepted, error) : NPART_ERROR_MEMORY;
    if (status == NPART_OK && with_expired) {
        tell_expired(&accepted, judged);
    } else if (status == NPART_OK) {
        accept_outcomes(&accepted, judged);
        settle(judged);
    }
    npart_lift_free(accepted.lift);
    free(accepted.is_waived);
    free(accepted.options);
    return status;
}

/* ---- what got worse ----------------------------------------------------------------------------------------- */

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
    for (size_t i = 0; i < sizeof limited / sizeof *limited; i++)
        if (strcmp(limited[i].threshold, threshold) == 0)
            return limited[i].kinds;
    return bound_of(threshold) != NPART_BOUNDS ? NPART_WORSE_TIME : 0;
}

/* What a waiver's thresholds accept of what got worse: nothing once the plan passes one of them. */
static unsigned kinds_of_waiver(const struct accepted *accepted, const struct waiver *waiver)
{
    struct outcomes outcomes;
    unsigned kinds = 0;
    *accepted->options = *accepted->checked->options;
    npart_waiver_limit(waiver->project, waiver->index, &accepted->options->thresholds);
    find_outcomes(&outcomes, accepted->options, accepted->checked->job.plans[accepted->target]);
    for (uint32_t i = 0; i < outcomes.count; i++)
        if (!outcomes.items[i].is_met)
            return 0;
    for (size_t i = 0; i < sizeof limited / sizeof *limited; i++)
        if (speaks_of(waiver, limited[i].threshold))
            kinds |= limited[i].kinds;
    return kinds;
}

/* Waivers that say `worse = true` accept all of it. Returns whether one does. */
static bool accept_all_worse(const struct accepted *accepted, char *out, size_t bytes)
{
    struct project *project = accepted->checked->project;
    for (uint32_t i = 0; i < project->info.waiver_count; i++) {
        struct waiver *waiver = &project->waivers[i];
        if (!speaks_of(waiver, BASELINE) || !is_in_force(accepted, waiver))
            continue;
        (void)use_waiver(waiver, out, bytes, 0);
        return true;
    }
    return false;
}

/* Waivers whose thresholds limit what got worse, and are met. */
static void accept_limited(const struct accepted *accepted, unsigned worse, char *out, size_t bytes)
{
    struct project *project = accepted->checked->project;
    unsigned all = 0;
    size_t used = 0;
    for (uint32_t i = 0; i < project->info.waiver_count; i++)
        if (project->waivers[i].is.has_thresholds && is_in_force(accepted, &project->waivers[i]))
            all |= kinds_of_waiver(accepted, &project->waivers[i]);
    bool are_others = (worse & ~WORSE_TOGETHER & ~all) == 0;
    bool are_together = !(worse & WORSE_TOGETHER) || (worse & WORSE_TOGETHER & all);
    if (!(worse & all) || !are_others || !are_together)
        return;
    for (uint32_t i = 0; i < project->info.waiver_count; i++) {
        struct waiver *waiver = &project->waivers[i];
        if (waiver->is.has_thresholds && is_in_force(accepted, waiver) && kinds_of_waiver(accepted, waiver) & worse)
            used = use_waiver(waiver, out, bytes, used);
    }
}

/* Waivers with whose rules on the NPU nothing is worse. */
static npart_status accept_lifted(struct accepted *accepted, char *out, size_t bytes, struct npart_error *error)
{
    struct checked *checked = accepted->checked;
    struct npart_compared with;
    npart_plan *lifted = NULL;
    size_t used = 0;
    for (uint32_t i = 0; i < checked->project->info.waiver_count; i++)
        if (is_in_force(accepted, &checked->project->waivers[i]))
            mark_waived(accepted, &checked->project->waivers[i]);
    uint32_t count = 0;
    npart_status status =
        npart_lift_make(&accepted->lift, checked->job.plans[accepted->target], accepted->is_waived, error);
    if (status != NPART_OK || !npart_lift_overrides(accepted->lift, &count) || !count)
        return status;
    status = plan_lifted(accepted, &lifted, error);
    if (status == NPART_OK)
        status = baseline_compare(checked->baseline, checked, lifted, NULL, &with, error);
    npart_plan_free(lifted);
    for (uint32_t i = 0; status == NPART_OK && !with.is_worse && i < checked->project->info.waiver_count; i++) {
        struct waiver *waiver = &checked->project->waivers[i];
        if (is_in_force(accepted, waiver) && has_lifted(accepted, waiver))
            used = use_waiver(waiver, out, bytes, used);
    }
    return status;
}

/* Waivers that accept that it got worse. `*is_all`: whatever thresholds say, too. */
static npart_status accept_worse(const struct run *run, struct checked *checked, int target, const char *today,
                                 char *out, size_t bytes, bool *is_all, struct npart_error *error)
{
    struct accepted accepted = {.run = run, .checked = checked, .target = target, .today = today};
    *is_all = checked->project && accept_all_worse(&accepted, out, bytes);
    if (*is_all || !has_waivers(checked, checked->options->targets[target], today, false))
        return NPART_OK;
    accepted.options = malloc(sizeof *accepted.options);
    accepted.is_waived = rules_of(run->oplists[target]);
    bool has_room = accepted.is_waived && accepted.options;
    if (has_room) {
        options_on(checked, target, accepted.options);
        accept_limited(&accepted, checked->judged[target].compared.kinds, out, bytes);
    }
    npart_status status = has_room ? NPART_OK : NPART_ERROR_MEMORY;
    if (has_room && !*out)
        status = accept_lifted(&accepted, out, bytes, error);
    npart_lift_free(accepted.lift);
    free(accepted.is_waived);
    free(accepted.options);
    return status;
}

/* A threshold that is not met, to what got worse; false: there is no room. */
static bool add_to(struct npart_gate_outcome *worse, const struct npart_gate_outcome *unmet)
{
    size_t used = strlen(worse->text), length = strlen(unmet->text) + strlen("; ");
    if (used + length >= sizeof worse->text)
        return false;
    memcpy(worse->text + used, "; ", strlen("; "));
    memcpy(worse->text + used + strlen("; "), unmet->text, strlen(unmet->text) + 1);
    return true;
}

/* What is not met, and nothing accepts so far: the baseline does where it is no worse; a waiver that accepts all that
 * got worse does; else it is told with what got worse. */
static void settle_unmet(struct judged *judged, uint32_t at, bool is_all)
{
    const struct npart_compared *compared = &judged->compared;
    struct npart_gate_outcome *items = judged->outcomes.items;
    bool is_accepted = !compared->is_worse || *judged->waivers[at];
    for (uint32_t i = 0; i < at; i++) {
        size_t bytes = sizeof judged->waivers[i];
        bool is_worse = compared->is_worse && !(is_accepted && !(kinds_of(items[i].threshold) & compared->kinds));
        if (items[i].is_met || *judged->waivers[i])
            continue;
        judged->is_known[i] = !is_worse;
        if (!compared->has_before)
            (void)snprintf(judged->waivers[i], bytes, WRITTEN);
        else if (!is_worse)
            (void)snprintf(judged->waivers[i], bytes, "%s", compared->is_same ? "as in the baseline" : compared->text);
        else if (is_all)
            memcpy(judged->waivers[i], judged->waivers[at], bytes);
        else if (!is_accepted)
            judged->is_told[i] = add_to(&items[at], &items[i]);
    }
}

/* The outcome "baseline" after the others, which it accepts where nothing is worse than it. */
static npart_status judge_baseline(const struct run *run, struct checked *checked, int target, const char *today,
                                   struct npart_error *error)
{
    struct judged *judged = &checked->judged[target];
    struct outcomes *outcomes = &judged->outcomes;
    struct npart_compared *compared = &judged->compared;
    bool is_all = false;
    npart_status status = baseline_compare(checked->baseline, checked, checked->job.plans[target],
                                           checked->job.advice[target], compared, error);
    if (status != NPART_OK || !compared->is_known)
        return status;
    _Static_assert(NPART_MOST_OUTCOMES > 4 + NPART_CONDITIONS, "there is room for all thresholds and the baseline");
    uint32_t at = judged->comparison = outcomes->count++;
    outcomes->items[at] = (struct npart_gate_outcome){.threshold = BASELINE, .is_met = !compared->is_worse};
    memcpy(outcomes->items[at].text, compared->text, sizeof compared->text);
    if (compared->is_worse)
        status = accept_worse(run, checked, target, today, judged->waivers[at], sizeof judged->waivers[at], &is_all,
                              error);
    settle_unmet(judged, at, is_all);
    bool is_written = checked->options->updates_baseline;
    if (*checked->invalid && !*checked->invalid_waiver && (compared->was_invalid || is_written)) {
        checked->is_invalid_known = true;
        (void)snprintf(checked->invalid_waiver, sizeof checked->invalid_waiver, "%s",
                       is_written ? WRITTEN : "as in the baseline");
    }
    settle(judged);
    return status;
}

/* What no waiver and no baseline accepts: the comparison, else the first; NPART_NONE: nothing. */
static uint32_t find_open(const struct judged *judged)
{
    uint32_t found = NPART_NONE;
    for (uint32_t i = judged->outcomes.count; i-- > 0;)
        if (is_open(judged, i) && (found == NPART_NONE || found != judged->comparison))
            found = i;
    return found;
}

/* What changed since before, told with what fails. It decides nothing, and is asked only where the baseline does not
 * tell: the baseline lacks the model, or knows no nodes. */
static npart_status tell_changed(struct checked *checked, int target, struct npart_error *error)
{
    struct judged *judged = &checked->judged[target];
    struct npart_compared *compared = &judged->compared, found = {0};
    bool is_told = compared->has_before && (!compared->is_worse || *compared->changed);
    npart_status status = is_told ? NPART_OK
                                  : baseline_compare(checked->before, checked, checked->job.plans[target],
                                                                checked->job.advice[target], &found, error);
    if (status != NPART_OK || !found.has_before)
        return status;
    uint32_t at = found.is_worse ? find_open(judged) : NPART_NONE;
    if (at != NPART_NONE) {
        struct npart_gate_outcome *outcome = &judged->outcomes.items[at];
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

npart_status judge_target(const struct run *run, struct checked *checked, int target, const char *today,
                          struct npart_error *error)
{
    struct judged *judged = &checked->judged[target];
    judged->comparison = NPART_NONE;
    for (uint32_t i = 0; checked->project && i < checked->project->info.waiver_count; i++) {
        struct waiver *waiver = &checked->project->waivers[i];
        if (!is_for(checked, waiver, checked->options->targets[target]))
            continue;
        waiver->has_model = true;
        note_rules(waiver, run->oplists[target]);
    }
    struct options *options = malloc(sizeof *options);
    npart_status status = options ? NPART_OK : NPART_ERROR_MEMORY;
    if (status == NPART_OK) {
        options_on(checked, target, options);
        find_outcomes(&judged->outcomes, options, checked->job.plans[target]);
        settle(judged);
        status = judge_waivers(run, checked, target, today, false, error);
    }
    free(options);
    if (status == NPART_OK && checked->baseline)
        status = judge_baseline(run, checked, target, today, error);
    if (status == NPART_OK && checked->before)
        status = tell_changed(checked, target, error);
    if (status == NPART_OK)
        status = judge_waivers(run, checked, target, today, true, error);
    if (status == NPART_ERROR_MEMORY && !*error->message)
        (void)snprintf(error->message, sizeof error->message, "out of memory");
    return status;
}

/* Whatever the target, ONNX Runtime does not load it: that a node fails on one target says nothing of that. */
static bool accepts_invalid(const struct waiver *waiver)
{
    return speaks_of(waiver, "fail-on invalid") || (!waiver->is.targets.count && speaks_of(waiver, "fail-on fail"));
}

/* Those that would have accepted that the model is invalid, had they not expired. */
static void tell_expired_invalid(const struct checked *checked, const char *today)
{
    struct project *project = checked->project;
    for (uint32_t i = 0; project && i < project->info.waiver_count; i++) {
        struct waiver *waiver = &project->waivers[i];
        if (is_for(checked, waiver, NULL) && is_expired(waiver, today) && accepts_invalid(waiver))
            tell_expired_waiver(checked, waiver, NULL);
    }
}

void settle_model(struct checked *checked, const char *today)
{
    bool is_accepted = *checked->invalid_waiver != '\0';
    if (*checked->invalid && !is_accepted)
        tell_expired_invalid(checked, today);
    checked->standing = !*checked->invalid ? STANDING_OK : is_accepted ? STANDING_WAIVED : STANDING_FAILS;
    for (int i = 0; i < checked->options->target_count; i++)
        if (checked->judged[i].standing > checked->standing)
            checked->standing = checked->judged[i].standing;
}

void judge_model(struct checked *checked, const char *today)
{
    struct project *project = checked->project;
    struct npart_finding finding = {.size = sizeof finding};
    bool is_found = false;
    for (uint32_t i = 0; checked->options->thresholds.fails_on[NPART_FAILS_ON_INVALID] && !is_found &&
                         npart_inference_finding(checked->job.inference, i, &finding); i++)
        is_found = strcmp(finding.code, "invalid") == 0;
    if (!is_found)
        return;
    (void)snprintf(checked->invalid, sizeof checked->invalid, "%s%s%s%s", finding.text, *finding.at ? " (" : "",
                   finding.at, *finding.at ? ")" : "");
    for (uint32_t i = 0; project && i < project->info.waiver_count && !*checked->invalid_waiver; i++) {
        struct waiver *waiver = &project->waivers[i];
        if (is_for(checked, waiver, NULL) && !is_expired(waiver, today) && accepts_invalid(waiver))
            (void)use_waiver(waiver, checked->invalid_waiver, sizeof checked->invalid_waiver, 0);
    }
}

/* False: there are none. */
static bool tell_unknown_rules(const struct project *project, const struct waiver *waiver)
{
    bool is_first = true;
    for (uint32_t k = 0; k < waiver->is.rules.count && k < 64; k++) {
        const struct npart_project_text *item = &waiver->is.rules.items[k];
        if (waiver->known_rules >> k & 1)
            continue;
        project_say(project, item->line, item->column, "note: no rule of this waiver's targets is called %s%s%s",
                    item->text, is_first && *waiver->meant ? "; did you mean " : "", is_first ? waiver->meant : "");
        is_first = false;
    }
    return !is_first;
}

void tell_idle_waivers(const struct project *project)
{
    for (uint32_t i = 0; i < project->info.waiver_count; i++) {
        const struct waiver *waiver = &project->waivers[i];
        if (waiver->has_model && tell_unknown_rules(project, waiver))
            continue;
        if (!waiver->is_used && (waiver->has_model || project->is_whole))
            project_say(project, waiver->is.line, waiver->is.column, "note: this waiver waives nothing%s",
                        waiver->has_model ? "" : ": no model that is checked matches it");
    }
}
