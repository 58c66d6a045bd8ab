/* SPDX-License-Identifier: Apache-2.0
 *
 * One model against its thresholds, and what waivers accept of it.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "glob.h"
#include "message.h"
#include "project_file.h"

const char *standing_text(enum standing standing)
{
    static const char *const texts[STANDINGS] = {"ok", "waived", "fails"};
    return texts[standing];
}

/* ---- which waivers ------------------------------------------------------------------------------------------ */

static void write_date(const struct toml_time *time, char *out, size_t bytes)
{
    (void)snprintf(out, bytes, "%04d-%02d-%02d", time->year, time->month, time->day);
}

static bool is_expired(const struct waiver *waiver, const char *today)
{
    char date[32];
    write_date(&waiver->expires->as.time, date, sizeof date);
    return strcmp(today, date) > 0; /* it holds on that day */
}

static bool is_for(const struct checked *checked, const struct waiver *waiver, const char *target)
{
    return checked->relative && project_matches(waiver->models, checked->relative) &&
           (!target || waiver_has_target(waiver, target));
}

static bool has_rule(const struct waiver *waiver, const char *rule)
{
    for (const struct toml_value *item = first_string(waiver->rules); item; item = next_string(waiver->rules, item))
        if (glob_match(item->as.text.bytes, rule))
            return true;
    return false;
}

/* ---- the plan without some causes --------------------------------------------------------------------------- */

/* All that is waived for a model on a target at once: two causes may have to go for one threshold. */
struct accepted {
    const struct run *run;
    struct checked *checked;
    int target;
    const char *today;
    bool with_expired;
    struct options *options; /* with the thresholds of the waivers */
    bool *is_gone;           /* by cause */
    bool has_gone;
    struct outcomes outcomes;
};

static bool is_in_force(const struct accepted *accepted, const struct waiver *waiver)
{
    return is_for(accepted->checked, waiver, accepted->checked->options->targets[accepted->target]) &&
           (accepted->with_expired || !is_expired(waiver, accepted->today));
}

static void find_gone(struct accepted *accepted, const npart_plan *plan)
{
    const struct project *project = accepted->checked->project;
    struct npart_cause cause = {.size = sizeof cause};
    for (uint32_t c = 0; npart_plan_cause(plan, c, &cause, NULL, 0); c++)
        for (uint32_t i = 0; i < project->waiver_count && !accepted->is_gone[c]; i++) {
            const struct waiver *waiver = &project->waivers[i];
            accepted->is_gone[c] = waiver->rules && is_in_force(accepted, waiver) && has_rule(waiver, cause.rule_id);
            accepted->has_gone |= accepted->is_gone[c];
        }
}

/* Placement overrides for the nodes of causes that are gone: by name, or of a node without one by its op. */
static uint32_t gather_nodes(const struct accepted *accepted, const npart_plan *plan, struct npart_assumption *out,
                             char (*ops)[256])
{
    const npart_model *model = npart_inference_model(npart_plan_view(plan));
    uint32_t live, count = 0;
    const uint32_t *order = npart_plan_order(plan, &live);
    for (uint32_t i = 0; i < live; i++) {
        struct npart_node_plan placed = {.size = sizeof placed};
        struct npart_node node = {.size = sizeof node};
        if (!npart_plan_node(plan, order[i], &placed) || placed.cause == NPART_NONE ||
            !accepted->is_gone[placed.cause] || !npart_model_node(model, order[i], &node))
            continue;
        (void)snprintf(ops[count], sizeof ops[count], "%s%s%s", node.domain, *node.domain ? ":" : "", node.op);
        bool has_name = *node.name != '\0';
        out[count] = (struct npart_assumption){has_name ? NULL : ops[count], has_name ? node.name : NULL, true};
        count++;
    }
    return count;
}

static npart_status plan_without(const struct accepted *accepted, const npart_plan *plan, npart_plan **out,
                                 struct npart_error *error)
{
    const struct options *options = accepted->options;
    struct npart_plan_options how = plan_options(options);
    struct npart_plan_info info = {.size = sizeof info};
    (void)npart_plan_info(plan, &info);
    size_t most = info.live_count + (size_t)options->assumption_count + 1;
    struct npart_assumption *assumptions = calloc(most, sizeof *assumptions);
    char(*ops)[256] = calloc(most, sizeof *ops);
    npart_status status = assumptions && ops ? NPART_OK : NPART_ERROR_MEMORY;
    if (status == NPART_OK) {
        uint32_t count = gather_nodes(accepted, plan, assumptions, ops);
        if (options->assumption_count)
            memcpy(assumptions + count, options->assumptions, options->assumption_count * sizeof *assumptions);
        how.assumptions = assumptions;
        how.assumption_count = count + options->assumption_count;
        status = npart_plan_make(out, accepted->checked->job.inference, accepted->run->oplists[accepted->target],
                                 options->targets[accepted->target], &how, error);
    }
    free(ops);
    free(assumptions);
    return status;
}

/* The outcomes with all waivers in force. */
static npart_status find_accepted(struct accepted *accepted, struct npart_error *error)
{
    struct checked *checked = accepted->checked;
    const npart_plan *plan = checked->job.plans[accepted->target];
    npart_plan *without = NULL;
    npart_status status = NPART_OK;
    *accepted->options = *checked->options;
    for (uint32_t i = 0; i < checked->project->waiver_count; i++)
        if (is_in_force(accepted, &checked->project->waivers[i]))
            project_accept(&checked->project->waivers[i], accepted->options);
    find_gone(accepted, plan);
    if (accepted->has_gone)
        status = plan_without(accepted, plan, &without, error);
    if (status == NPART_OK)
        find_outcomes(&accepted->outcomes, accepted->options, without ? without : plan);
    npart_plan_free(without);
    return status;
}

/* ---- what they accept --------------------------------------------------------------------------------------- */

static const struct outcome *find_outcome(const struct outcomes *outcomes, const char *threshold)
{
    for (uint32_t i = 0; i < outcomes->count; i++)
        if (strcmp(outcomes->items[i].threshold, threshold) == 0)
            return &outcomes->items[i];
    return NULL;
}

/* Whether a waiver says something of a threshold, by the name of its outcome. */
static bool speaks_of(const struct waiver *waiver, const char *threshold)
{
    const struct settings *settings = &waiver->settings;
    static const char fail_on[] = "fail-on ";
    if (strncmp(threshold, fail_on, sizeof fail_on - 1) == 0) {
        const struct toml_value *words = settings->fail_on;
        for (const struct toml_value *item = first_string(words); item; item = next_string(words, item))
            if (strcmp(item->as.text.bytes, threshold + sizeof fail_on - 1) == 0)
                return true;
        return false;
    }
    return (strcmp(threshold, "max-partitions") == 0 && (settings->max_partitions || settings->allow_none)) ||
           (strcmp(threshold, "min-coverage") == 0 && settings->min_coverage) ||
           (strcmp(threshold, "min-mac-coverage") == 0 && (settings->min_mac_coverage || settings->min_coverage));
}

static bool removes_cause(const struct waiver *waiver, const npart_plan *plan)
{
    struct npart_cause cause = {.size = sizeof cause};
    for (uint32_t c = 0; waiver->rules && npart_plan_cause(plan, c, &cause, NULL, 0); c++)
        if (has_rule(waiver, cause.rule_id))
            return true;
    return false;
}

/* "until 2027-03-31: reason", of each waiver that has to do with it. */
static void write_waivers(const struct accepted *accepted, const char *threshold, char *out, size_t bytes)
{
    struct project *project = accepted->checked->project;
    const npart_plan *plan = accepted->checked->job.plans[accepted->target];
    size_t used = 0;
    for (uint32_t i = 0; i < project->waiver_count; i++) {
        struct waiver *waiver = &project->waivers[i];
        char date[32];
        if (!is_in_force(accepted, waiver) || (!speaks_of(waiver, threshold) && !removes_cause(waiver, plan)))
            continue;
        waiver->is_used = true;
        write_date(&waiver->expires->as.time, date, sizeof date);
        if (used < bytes)
            used += (size_t)snprintf(out + used, bytes - used, "%suntil %s: %s", used ? "; " : "", date,
                                     waiver->reason->as.text.bytes);
    }
}

/* Those that would have accepted it, had they not expired. */
static void tell_expired(const struct accepted *accepted, const struct judged *judged)
{
    struct checked *checked = accepted->checked;
    const npart_plan *plan = checked->job.plans[accepted->target];
    for (uint32_t i = 0; i < checked->project->waiver_count; i++) {
        struct waiver *waiver = &checked->project->waivers[i];
        bool has_to_do = removes_cause(waiver, plan);
        for (uint32_t k = 0; k < judged->outcomes.count; k++)
            has_to_do |= !judged->outcomes.items[k].is_met && speaks_of(waiver, judged->outcomes.items[k].threshold);
        if (!has_to_do || !is_in_force(accepted, waiver) || !is_expired(waiver, accepted->today))
            continue;
        char date[32];
        waiver->is_used = true;
        write_date(&waiver->expires->as.time, date, sizeof date);
        project_say(checked->project, waiver->at->at, "this waiver expired on %s and holds no more for %s on %s: %s",
                    date, checked->path, checked->options->targets[accepted->target], waiver->reason->as.text.bytes);
    }
}

static bool has_waivers(const struct checked *checked, const char *target, const char *today, bool are_expired)
{
    const struct project *project = checked->project;
    for (uint32_t i = 0; project && i < project->waiver_count; i++)
        if (is_for(checked, &project->waivers[i], target) && is_expired(&project->waivers[i], today) == are_expired)
            return true;
    return false;
}

static void settle(struct judged *judged)
{
    judged->standing = STANDING_OK;
    for (uint32_t i = 0; i < judged->outcomes.count; i++) {
        enum standing standing = judged->outcomes.items[i].is_met ? STANDING_OK
                                 : *judged->waivers[i]            ? STANDING_WAIVED
                                                                  : STANDING_FAILS;
        if (standing > judged->standing)
            judged->standing = standing;
    }
}

/* Each outcome that is not met, but is with the waivers. */
static void accept_outcomes(const struct accepted *accepted, struct judged *judged)
{
    for (uint32_t i = 0; i < judged->outcomes.count; i++) {
        struct outcome *outcome = &judged->outcomes.items[i];
        const struct outcome *with = find_outcome(&accepted->outcomes, outcome->threshold);
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

npart_status judge_target(const struct run *run, struct checked *checked, int target, const char *today,
                          struct npart_error *error)
{
    struct judged *judged = &checked->judged[target];
    const char *name = checked->options->targets[target];
    const npart_plan *plan = checked->job.plans[target];
    struct npart_plan_info info = {.size = sizeof info};
    npart_status status = NPART_OK;
    for (uint32_t i = 0; checked->project && i < checked->project->waiver_count; i++)
        checked->project->waivers[i].has_model |= is_for(checked, &checked->project->waivers[i], name);
    find_outcomes(&judged->outcomes, checked->options, plan);
    settle(judged);
    (void)npart_plan_info(plan, &info);
    for (int expired = 0; expired < 2 && status == NPART_OK && judged->standing == STANDING_FAILS; expired++) {
        struct accepted accepted = {.run = run, .checked = checked, .target = target, .today = today,
                                    .with_expired = expired};
        if (!has_waivers(checked, name, today, expired))
            continue;
        accepted.options = malloc(sizeof *accepted.options);
        accepted.is_gone = calloc(info.cause_count + (size_t)1, sizeof *accepted.is_gone);
        status = accepted.options && accepted.is_gone ? find_accepted(&accepted, error) : NPART_ERROR_MEMORY;
        if (status == NPART_OK && expired) {
            tell_expired(&accepted, judged);
        } else if (status == NPART_OK) {
            accept_outcomes(&accepted, judged);
            settle(judged);
        }
        free(accepted.is_gone);
        free(accepted.options);
    }
    if (status == NPART_ERROR_MEMORY && error && !*error->message)
        (void)snprintf(error->message, sizeof error->message, "out of memory");
    if (judged->standing > checked->standing)
        checked->standing = judged->standing;
    return status;
}

/* Whatever the target, ONNX Runtime does not load it. */
void judge_model(struct checked *checked, const char *today)
{
    struct project *project = checked->project;
    enum standing standing = STANDING_FAILS;
    struct npart_finding finding = {.size = sizeof finding};
    bool is_found = false;
    for (uint32_t i = 0; checked->options->fails_on[FAIL_ON_INVALID] && !is_found &&
                         npart_inference_finding(checked->job.inference, i, &finding); i++)
        is_found = strcmp(finding.code, "invalid") == 0;
    if (!is_found)
        return;
    (void)snprintf(checked->invalid, sizeof checked->invalid, "%s%s%s%s", finding.text, *finding.at ? " (" : "",
                   finding.at, *finding.at ? ")" : "");
    for (uint32_t i = 0; project && i < project->waiver_count && standing == STANDING_FAILS; i++) {
        struct waiver *waiver = &project->waivers[i];
        char date[32];
        if (!is_for(checked, waiver, NULL) || is_expired(waiver, today) ||
            (!speaks_of(waiver, "fail-on invalid") && !speaks_of(waiver, "fail-on fail")))
            continue;
        waiver->is_used = true;
        standing = STANDING_WAIVED;
        write_date(&waiver->expires->as.time, date, sizeof date);
        (void)snprintf(checked->invalid_waiver, sizeof checked->invalid_waiver, "until %s: %s", date,
                       waiver->reason->as.text.bytes);
    }
    if (standing > checked->standing)
        checked->standing = standing;
}

void tell_idle_waivers(const struct project *project, bool are_all_models)
{
    for (uint32_t i = 0; i < project->waiver_count; i++) {
        const struct waiver *waiver = &project->waivers[i];
        if (!waiver->is_used && (waiver->has_model || are_all_models))
            project_say(project, waiver->at->at, "note: this waiver waives nothing%s",
                        waiver->has_model ? "" : ": no model that is checked matches it");
    }
}
