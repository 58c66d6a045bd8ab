/* SPDX-License-Identifier: Apache-2.0
 *
 * What check found, for people and as JSON; and a project file to start from.
 */
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "check_baseline.h"
#include "document.h"
#include "glob.h"
#include "message.h"

/* ---- text --------------------------------------------------------------------------------------------------- */

/* "1 partition, 98.5 % of MACs" */
static void write_summary(const npart_plan *plan, char *out, size_t bytes)
{
    struct npart_summary summary = {.size = sizeof summary};
    if (!npart_plan_summary(plan, &summary))
        return;
    bool has_macs = summary.has_macs && summary.macs > 0;
    (void)snprintf(out, bytes, "%u partition%s, coverage %.1f %% of %s", summary.partitions,
                   summary.partitions == 1 ? "" : "s", 100 * (has_macs ? summary.mac_coverage : summary.coverage),
                   has_macs ? "MACs" : "nodes");
}

static void print_reason(struct run *run, const struct checked *checked, int target)
{
    char told[MESSAGE_BYTES];
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_action action = {.size = sizeof action};
    if (npart_plan_cause(checked->job.plans[target], 0, &cause, NULL, 0))
        print_line(run, "          first cause: %s: %u node%s (rule %s)", cause.text, cause.affected_count,
                   cause.affected_count == 1 ? "" : "s", cause.rule_id);
    if (npart_advice_action(checked->job.advice[target], 0, &action)) {
        write_action(&action, true, told, sizeof told);
        print_line(run, "          do first: %s", told);
    }
}

static void print_target(struct run *run, const struct checked *checked, int target)
{
    const struct judged *judged = &checked->judged[target];
    const char *name = checked->options->labels[target];
    char summary[160] = "";
    uint32_t told = 0;
    for (uint32_t i = 0; i < judged->outcomes.count; i++) {
        const struct outcome *outcome = &judged->outcomes.items[i];
        const char *waiver = judged->waivers[i];
        if (outcome->is_met || judged->is_told[i])
            continue;
        print_line(run, "%-8s%s  %s  %s%s%s", outcome_label(judged, i), checked->path, name, outcome->text,
                   *waiver ? "; accepted " : "", waiver);
        told++;
    }
    write_summary(checked->job.plans[target], summary, sizeof summary);
    if (!told)
        print_line(run, "%-8s%s  %s  %s", standing_text(judged->standing), checked->path, name, summary);
    if (judged->standing >= STANDING_WORSE)
        print_reason(run, checked, target);
}

static void print_text(struct run *run, const struct checked *checked)
{
    if (!checked->is_read) {
        print_line(run, "error   %s  %s%s%s", checked->path, checked->error.place, *checked->error.place ? ": " : "",
                   checked->error.message);
        return;
    }
    if (*checked->invalid)
        print_line(run, "%-8s%s  %s%s%s", *checked->invalid_waiver ? "waived" : "fails", checked->path,
                   checked->invalid, *checked->invalid_waiver ? "; accepted " : "", checked->invalid_waiver);
    for (int i = 0; i < checked->options->target_count; i++)
        print_target(run, checked, i);
}

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

static json_t *outcome_json(const char *threshold, bool is_met, const char *text, const char *waiver)
{
    return json_pack("{s:s, s:b, s:o, s:o}", "threshold", threshold, "met", is_met, "text", text_or_null(text),
                     "waiver", text_or_null(waiver));
}

/* What the baseline has; null where it has nothing. */
static json_t *before_json(const struct compared *compared)
{
    const struct npart_summary *before = &compared->before;
    if (!compared->has_before)
        return json_null();
    return json_pack("{s:I, s:f, s:o, s:o}", "partitions", (json_int_t)before->partitions, "coverage",
                     before->coverage, "mac_coverage", before->has_macs ? json_real(before->mac_coverage) : json_null(),
                     "ms", compared->before_ms < 0 ? json_null() : json_real(compared->before_ms));
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
        const struct outcome *outcome = &judged->outcomes.items[i];
        (void)json_array_append_new(outcomes, outcome_json(outcome->threshold, outcome->is_met, outcome->text,
                                                           judged->waivers[i]));
    }
    bool has_cause = npart_plan_cause(checked->job.plans[target], 0, &cause, NULL, 0);
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

static void print_json(struct run *run, const struct checked *checked)
{
    json_t *targets = json_array(), *outcomes = json_array();
    char error[1024] = "";
    for (int i = 0; checked->is_read && i < checked->options->target_count; i++)
        (void)json_array_append_new(targets, target_json(checked, i));
    if (*checked->invalid)
        (void)json_array_append_new(outcomes, outcome_json("fail-on invalid", false, checked->invalid,
                                                           checked->invalid_waiver));
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

void print_checked(struct run *run, const struct checked *checked)
{
    if (run->options->format == FORMAT_JSON)
        print_json(run, checked);
    else
        print_text(run, checked);
}

npart_status enter_checked(struct run *run, const struct checked *checked, struct npart_error *error)
{
    if (!checked->is_read)
        return document_add_error(run, checked->path, &checked->error, error);
    size_t targets = (size_t)checked->options->target_count;
    struct outcome_list list = {.items = calloc(targets * MOST_OUTCOMES + 1, sizeof *list.items)};
    if (!list.items)
        return NPART_ERROR_MEMORY;
    if (*checked->invalid)
        list.items[list.count++] = (struct npart_threshold_outcome){
            .size = sizeof *list.items, .plan = NPART_NONE, .threshold = "fail-on invalid", .text = checked->invalid,
            .waiver = *checked->invalid_waiver ? checked->invalid_waiver : NULL};
    for (size_t t = 0; t < targets; t++)
        for (uint32_t i = 0; i < checked->judged[t].outcomes.count; i++) {
            const struct judged *judged = &checked->judged[t];
            const struct outcome *outcome = &judged->outcomes.items[i];
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
            if (!judged->outcomes.items[i].is_met && !*judged->waivers[i] && !judged->is_told[i])
                say("%s: %s: %s", checked->path, checked->options->labels[t], judged->outcomes.items[i].text);
        if (judged->standing >= STANDING_WORSE)
            tell_reason(checked->path, checked->options->labels[t], checked->job.plans[t], checked->job.advice[t],
                        true);
    }
}

/* ---- a project file ----------------------------------------------------------------------------------------- */

/* A string of TOML. */
static bool write_string(struct run *run, const char *text)
{
    bool is_written = write_text(run, "\"");
    for (; is_written && *text; text++) {
        char piece[8];
        bool is_plain = (unsigned char)*text >= 0x20 && *text != '"' && *text != '\\' && *text != 0x7f;
        (void)snprintf(piece, sizeof piece, is_plain ? "%c" : "\\u%04x", is_plain ? *text : (unsigned char)*text);
        is_written = write_text(run, piece);
    }
    return is_written && write_text(run, "\"");
}

static bool write_strings(struct run *run, const char *const *texts, int count)
{
    bool is_written = write_text(run, "[");
    for (int i = 0; is_written && i < count; i++)
        is_written = (i == 0 || write_text(run, ", ")) && write_string(run, texts[i]);
    return is_written && write_text(run, "]");
}

/* As the project file has it: "./" before it is nothing. */
static const char *plain_path(const char *path)
{
    while (path[0] == '.' && path[1] == '/')
        path += 2 + strspn(path + 2, "/");
    return path;
}

static bool write_paths(struct run *run, const struct options *options)
{
    bool is_written = write_text(run, "[");
    for (int i = 0; is_written && i < options->model_count; i++)
        is_written = (i == 0 || write_text(run, ", ")) && write_string(run, plain_path(options->models[i]));
    return is_written && write_text(run, "]");
}

static bool write_config(struct run *run, const struct options *options)
{
    static const char *const targets[] = {"hexagon"};
    bool has_targets = options->target_count > 0, has_models = options->model_count > 0;
    return write_text(run, "# What `npu-partition check` looks at, and what it requires (docs/project-file.md).\n\n"
                           "# npu-partition --list-targets has all of them.\n"
                           "targets = ") &&
           write_strings(run, has_targets ? options->targets : targets, has_targets ? options->target_count : 1) &&
           write_text(run, "\n\n"
                           "[thresholds]\n"
                           "max-partitions = 1\n"
                           "fail-on = [\"fail\"]\n\n"
                           "# Sizes for dynamic dimensions, by their names.\n"
                           "# [dims]\n"
                           "# batch = 1\n\n"
                           "# Paths are relative to this file; ** is any number of folders. A table may say otherwise\n"
                           "# than the top: targets, dims, thresholds. Of several for a model the last counts.\n"
                           "[[models]]\n"
                           "path = ") &&
           (has_models ? write_paths(run, options) : write_text(run, "[\"**/*.onnx\"]")) &&
           write_text(run, "\n\n"
                           "# What is accepted for some time: these thresholds instead.\n"
                           "# [[waivers]]\n"
                           "# models = \"models/detector.onnx\"\n"
                           "# thresholds = { max-partitions = 4 }\n"
                           "# reason = \"Pad with mode wrap; the exporter is being changed\"\n"
                           "# expires = 2027-03-31\n");
}

enum exit_status write_new_config(struct run *run, const struct options *options)
{
    for (int i = 0; i < options->model_count; i++) {
        const char *problem = glob_problem(plain_path(options->models[i]));
        if (!problem)
            continue;
        say("%s: a project file cannot name it: %s", options->models[i], problem);
        return EXIT_USAGE;
    }
    return write_config(run, options) ? EXIT_FINE : EXIT_OTHER;
}
