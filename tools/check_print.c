/* SPDX-License-Identifier: Apache-2.0
 *
 * What check found as JSON, in documents, and on standard error.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "check_baseline.h"
#include "document.h"
#include "message.h"

/* ---- JSON --------------------------------------------------------------------------------------------------- */

/* NULL becomes null, and what is no UTF-8 is shown as elsewhere. */
static json_t *text_or_null(const char *text)
{
    char shown[MESSAGE_BYTES];
    if (!text || !*text)
        return json_null();
    npart_plain_text(text, shown, sizeof shown);
    return json_string(shown);
}

static json_t *outcome_json(const char *threshold, bool is_met, const char *text, const char *waiver,
                            bool is_by_baseline)
{
    const char *accepted = !*waiver ? NULL : is_by_baseline ? "baseline" : "waiver";
    return json_pack("{s:s, s:b, s:o, s:o, s:o}", "threshold", threshold, "met", is_met, "text", text_or_null(text),
                     "waiver", text_or_null(waiver), "accepted", text_or_null(accepted));
}

/* What the baseline has; null where it has nothing. */
static json_t *before_json(const struct npart_compared *compared)
{
    const struct npart_summary *before = &compared->before;
    if (!compared->has_before)
        return json_null();
    return json_pack("{s:I, s:f, s:o, s:o}", "partitions", (json_int_t)before->partitions, "coverage",
                     before->coverage, "mac_coverage", before->has_macs ? json_real(before->mac_coverage) : json_null(),
                     "ms", compared->before_ms < 0 ? json_null() : json_real(compared->before_ms));
}

/* The one that the report names first; where it names none, the first of the plan. */
static uint32_t first_cause(const npart_plan *plan)
{
    uint32_t first = 0;
    (void)npart_plan_first_cause(plan, false, &first, NULL, 0);
    return first == NPART_NONE ? 0 : first;
}

static json_t *target_json(const struct checked *checked, int target)
{
    const struct judged *judged = &checked->judged[target];
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_action action = {.size = sizeof action};
    struct npart_cost cost = {.size = sizeof cost};
    char config[1024] = "";
    json_t *outcomes = json_array();
    (void)npart_plan_summary(checked->job.plans[target], &summary);
    (void)npart_plan_cost(checked->job.plans[target], &cost);
    for (uint32_t i = 0; i < judged->outcomes.count; i++) {
        const struct npart_gate_outcome *outcome = &judged->outcomes.items[i];
        (void)json_array_append_new(outcomes, outcome_json(outcome->threshold, outcome->is_met, outcome->text,
                                                           judged->waivers[i], judged->is_known[i]));
    }
    uint32_t first = first_cause(checked->job.plans[target]);
    bool has_cause = npart_plan_cause(checked->job.plans[target], first, &cause, NULL, 0);
    bool has_action = npart_advice_action(checked->job.advice[target], 0, &action);
    bool has_config = has_action && npart_action_config(&action, config, sizeof config) < sizeof config && *config;
    return json_pack("{s:s, s:s, s:I, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
                     "target", checked->options->targets[target],
                     "status", standing_text(judged->standing),
                     "partitions", (json_int_t)summary.partitions,
                     "coverage", summary.coverage,
                     "mac_coverage", summary.has_macs ? json_real(summary.mac_coverage) : json_null(),
                     "outcomes", outcomes,
                     "cause", text_or_null(has_cause ? cause.text : NULL),
                     "rule", text_or_null(has_cause ? cause.rule_id : NULL),
                     "action", text_or_null(has_action ? action.text : NULL),
                     "command", text_or_null(has_action ? action.command : NULL),
                     "config", has_config ? json_string(config) : json_null(),
                     "changed", text_or_null(judged->compared.changed),
                     "ms", cost.total.typical_ms < 0 ? json_null() : json_real(cost.total.typical_ms),
                     "before", before_json(&judged->compared));
}

void print_checked(struct run *run, const struct checked *checked)
{
    json_t *targets = json_array(), *outcomes = json_array();
    char error[1024] = "";
    for (int i = 0; checked->is_read && i < checked->options->target_count; i++)
        (void)json_array_append_new(targets, target_json(checked, i));
    if (*checked->invalid)
        (void)json_array_append_new(outcomes, outcome_json("fail-on invalid", false, checked->invalid,
                                                           checked->invalid_waiver, checked->is_invalid_known));
    if (!checked->is_read)
        (void)snprintf(error, sizeof error, "%s%s%s", checked->error.place, *checked->error.place ? ": " : "",
                       checked->error.message);
    json_t *root = json_pack("{s:i, s:{s:s, s:s}, s:{s:o, s:s, s:o, s:o, s:o}}",
                             "schema", 2,
                             "tool", "name", "npu-partition", "version", npart_version(),
                             "check", "model", text_or_null(checked->path),
                             "status", checked->is_read ? standing_text(checked->standing) : "error",
                             "error", text_or_null(error),
                             "outcomes", outcomes,
                             "targets", targets);
    char *text = root ? json_dumps(root, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    if (text)
        (void)(write_text(run, text) && write_text(run, "\n"));
    else
        worsen(run, EXIT_OTHER);
    free(text);
    json_decref(root);
}

npart_status enter_checked(struct run *run, const struct checked *checked, struct npart_error *error)
{
    if (!checked->is_read)
        return document_add_error(run, checked->path, &checked->error, error);
    size_t targets = (size_t)checked->options->target_count;
    struct outcome_list list = {.items = calloc(targets * NPART_MOST_OUTCOMES + 1, sizeof *list.items)};
    if (!list.items)
        return NPART_ERROR_MEMORY;
    if (*checked->invalid)
        list.items[list.count++] = (struct npart_threshold_outcome){
            .size = sizeof *list.items, .plan = NPART_NONE, .threshold = "fail-on invalid", .text = checked->invalid,
            .waiver = *checked->invalid_waiver ? checked->invalid_waiver : NULL};
    for (size_t t = 0; t < targets; t++)
        for (uint32_t i = 0; i < checked->judged[t].outcomes.count; i++) {
            const struct judged *judged = &checked->judged[t];
            const struct npart_gate_outcome *outcome = &judged->outcomes.items[i];
            const char *waiver = judged->waivers[i];
            bool is_comparison = i == judged->comparison;
            if (judged->is_told[i])
                continue;
            list.items[list.count++] = (struct npart_threshold_outcome){
                .size = sizeof *list.items, .plan = (uint32_t)t, .is_met = outcome->is_met,
                .threshold = outcome->threshold, .text = outcome->text, .waiver = *waiver ? waiver : NULL,
                .is_comparison = is_comparison, .causes = judged->compared.causes,
                .cause_count = is_comparison ? judged->compared.cause_count : 0, .nodes = judged->compared.nodes,
                .node_count = is_comparison ? judged->compared.node_count : 0};
        }
    npart_status status = document_add(run, checked->path, &checked->job, &list, error);
    free(list.items);
    return status;
}

void tell_checked(const struct checked *checked)
{
    if (!checked->is_read) {
        tell_error(checked->path, &checked->error);
        return;
    }
    if (*checked->invalid && !*checked->invalid_waiver)
        say("%s: %s", checked->path, checked->invalid);
    for (int t = 0; t < checked->options->target_count; t++) {
        const struct judged *judged = &checked->judged[t];
        for (uint32_t i = 0; i < judged->outcomes.count; i++)
            if (is_open(judged, i))
                say("%s: %s: %s", checked->path, checked->options->labels[t], judged->outcomes.items[i].text);
        if (judged->standing >= STANDING_WORSE)
            tell_reason(checked->path, checked->options->labels[t], checked->job.plans[t], checked->job.advice[t],
                        true);
    }
}
