/* SPDX-License-Identifier: Apache-2.0 */
#include "words.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "compare.h"
#include "files.h"
#include "installation.h"
#include "message.h"
#include "platform.h"

#define SHOWN_DIFFERENCES 10u

static const char *const kinds[] = {"profile", "log", "record", "trace", "qnn-profile", "report", ""};

struct verification {
    struct run *run;
    const char *model_path, *target;
    npart_model *model;
    npart_inference *inference;
    npart_plan *plan;
    struct profile profile;
    struct comparison comparison;
};

static const char *kind_of(const struct profile *profile)
{
    return profile->kind == PROFILE_VENDOR ? profile->word : kinds[profile->kind];
}

static const char *place_word(enum placement placement)
{
    return placement == ON_NPU ? "npu" : placement == ON_CPU ? "cpu" : "not told";
}

/* What the plan has against the NPU for a node: its first reason. */
static bool find_reason(const struct verification *v, uint32_t node, struct npart_reason *out, char *found,
                        size_t bytes)
{
    *found = '\0';
    out->size = sizeof *out;
    return npart_plan_reason(v->plan, node, 0, out, found, bytes);
}

/* ---- text ------------------------------------------------------------------------------------------------------ */

static void print_difference(const struct verification *v, uint32_t id)
{
    const struct compared_node *node = &v->comparison.nodes[id];
    struct npart_node_plan planned = {.size = sizeof planned};
    struct npart_reason reason;
    char name[512], found[512];
    (void)npart_plan_node(v->plan, id, &planned);
    (void)npart_model_node_text(v->comparison.model, id, name, sizeof name);
    const char *without = node->run == ON_NPU ? " (which has no node on the CPU)" : " (which has no node on the NPU)";
    print_line(v->run, "    %s: plan %s, run %s%s", name, npart_verdict_text(planned.verdict), place_word(node->run),
               node->is_concluded ? without : "");
    if (node->run == ON_NPU && find_reason(v, id, &reason, found, sizeof found))
        print_line(v->run, "      the plan: %s%s%s (%s)", reason.text, *found ? "; found " : "", found, reason.rule_id);
    if (node->run == ON_CPU && node->placed && node->placed->reason)
        print_line(v->run, "      the run: %s", node->placed->reason);
}

static void print_group(const struct verification *v, enum agreement agreement, const char *heading)
{
    const struct comparison *comparison = &v->comparison;
    uint32_t most = v->run->options->is_verbose ? UINT32_MAX : SHOWN_DIFFERENCES, shown = 0;
    if (comparison->counts[agreement] == 0)
        return;
    print_line(v->run, "  %s", heading);
    for (uint32_t i = 0; i < comparison->node_count && shown < most; i++)
        if (comparison->nodes[i].agreement == agreement) {
            print_difference(v, i);
            shown++;
        }
    if (shown < comparison->counts[agreement])
        print_line(v->run, "    and %u more (--verbose)", comparison->counts[agreement] - shown);
}

static void print_partitions(const struct verification *v)
{
    const struct comparison *comparison = &v->comparison;
    uint32_t planned = comparison->summary.partitions;
    if (comparison->partition_agreement == NO_ANSWER && !comparison->has_partitions)
        print_line(v->run, "  partitions: plan %u; the run does not tell", planned);
    else if (comparison->partition_agreement == NO_ANSWER)
        print_line(v->run, "  partitions: plan %u, run %u; branches that did not run may hold more", planned,
                   comparison->partitions);
    else if (comparison->partition_agreement == UNDECIDED)
        print_line(v->run, "  partitions: plan %u (%u to %u with undecided nodes), run %u", planned,
                   comparison->summary.partitions_low, comparison->summary.partitions_high, comparison->partitions);
    else
        print_line(v->run, "  partitions: plan %u, run %u", planned, comparison->partitions);
}

static void print_providers(const struct verification *v, char *out, size_t bytes)
{
    size_t used = 0;
    *out = '\0';
    for (uint32_t i = 0; i < v->profile.provider_count && used < bytes; i++)
        used += (size_t)snprintf(out + used, bytes - used, "%s%s", i ? ", " : "", v->profile.providers[i]);
}

/* "Model or installation": told before the nodes, which all differ then. */
static void print_blame(const struct verification *v)
{
    struct blame blame = find_blame(&v->comparison, &v->profile, v->plan);
    if (blame.of == BLAME_NONE)
        return;
    print_line(v->run, "  %s: %s", blame.of == BLAME_INSTALLATION ? "INSTALLATION, not the model" : "PROVIDER",
               blame.text);
    if (*blame.check)
        print_line(v->run, "    check: %s", blame.check);
}

static void report_text(const struct verification *v)
{
    const struct comparison *comparison = &v->comparison;
    const uint32_t *counts = comparison->counts;
    char providers[512], untold[64] = "";
    print_providers(v, providers, sizeof providers);
    print_line(v->run, "%s", v->model_path);
    print_line(v->run, "  against the %s %s (%s)", kind_of(&v->profile), v->run->options->profile, providers);
    (void)write_text(v->run, "\n");
    const char *answer = counts[NO_ANSWER] ? "SAME, as far as the run tells" : "SAME";
    print_line(v->run, "%s  %s", v->target, is_same_placement(comparison) ? answer : "DIFFERENT");
    print_partitions(v);
    if (comparison->untold_cpu)
        (void)snprintf(untold, sizeof untold, " (%u of them on the CPU in the plan)", comparison->untold_cpu);
    print_line(v->run, "  nodes: %u placed the same, %u different, %u undecided in the plan, %u not told%s",
               counts[SAME], counts[DIFFERENT], counts[UNDECIDED], counts[NO_ANSWER], untold);
    if (comparison->unmatched)
        print_line(v->run, "  %u node%s of the run %s not in the model: made or renamed by the runtime",
                   comparison->unmatched, plural(comparison->unmatched), comparison->unmatched == 1 ? "is" : "are");
    print_blame(v);
    if (v->profile.runs)
        print_line(v->run, "  %llu run%s of %.3g ms", (unsigned long long)v->profile.runs,
                   v->profile.runs == 1 ? "" : "s", v->profile.total_us / 1000 / (double)v->profile.runs);
    print_group(v, DIFFERENT, "Placed differently");
    print_group(v, UNDECIDED, "Undecided in the plan");
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

/* Names may be no UTF-8, which JSON must be. */
static json_t *plain(const char *text)
{
    size_t bytes = npart_plain_text(text, NULL, 0);
    char *shown = bytes == SIZE_MAX ? NULL : malloc(bytes + 1);
    if (!shown)
        return NULL;
    npart_plain_text(text, shown, bytes + 1);
    json_t *string = json_string(shown);
    free(shown);
    return string;
}

static json_t *reasons_of(const struct verification *v, uint32_t id)
{
    struct npart_reason reason = {.size = sizeof reason};
    json_t *reasons = json_array();
    char found[512];
    for (uint32_t i = 0; npart_plan_reason(v->plan, id, i, &reason, found, sizeof found); i++)
        (void)json_array_append_new(
            reasons, json_pack("{s:s, s:s, s:o, s:o, s:o}", "gate", reason.gate, "rule", reason.rule_id, "text",
                               plain(reason.text), "found", plain(found), "source", plain(reason.source)));
    return reasons;
}

static json_t *node_json(const struct verification *v, uint32_t id)
{
    const struct compared_node *node = &v->comparison.nodes[id];
    struct npart_node_plan planned = {.size = sizeof planned};
    struct npart_node facts = {.size = sizeof facts};
    char path[1024];
    (void)npart_plan_node(v->plan, id, &planned);
    (void)npart_model_node(v->comparison.model, id, &facts);
    (void)npart_model_graph_path(v->comparison.model, facts.graph, path, sizeof path);
    const char *said = node->placed ? node->placed->reason : NULL;
    return json_pack("{s:i, s:o, s:o, s:o, s:s, s:s, s:b, s:o, s:o}", "index", (int)facts.index, "graph", plain(path),
                     "name", plain(facts.name), "op", plain(facts.op), "plan", npart_verdict_text(planned.verdict),
                     "run", place_word(node->run), "named", !node->is_concluded, "run_reason",
                     said ? plain(said) : json_null(), "reasons", reasons_of(v, id));
}

static json_t *nodes_json(const struct verification *v, enum agreement agreement)
{
    json_t *nodes = json_array();
    for (uint32_t i = 0; i < v->comparison.node_count; i++)
        if (v->comparison.nodes[i].agreement == agreement)
            (void)json_array_append_new(nodes, node_json(v, i));
    return nodes;
}

static json_t *blame_json(const struct verification *v)
{
    struct blame blame = find_blame(&v->comparison, &v->profile, v->plan);
    if (blame.of == BLAME_NONE)
        return json_null();
    return json_pack("{s:s, s:s, s:s, s:s?}", "what", blame_word(blame.of), "provider", blame.provider, "text",
                     blame.text, "check", *blame.check ? blame.check : NULL);
}

static int write_json(const char *text, size_t bytes, void *payload)
{
    return write_output(payload, text, bytes) ? 0 : -1;
}

static bool report_json(const struct verification *v)
{
    const struct comparison *comparison = &v->comparison;
    const uint32_t *counts = comparison->counts;
    json_t *providers = json_array();
    for (uint32_t i = 0; i < v->profile.provider_count; i++)
        (void)json_array_append_new(providers, plain(v->profile.providers[i]));
    bool has_ms = v->profile.runs > 0;
    json_t *run = json_pack("{s:o, s:s, s:o, s:I, s:o}", "path", plain(v->run->options->profile), "kind",
                            kind_of(&v->profile), "providers", providers, "runs", (json_int_t)v->profile.runs, "ms",
                            has_ms ? json_real(v->profile.total_us / 1000 / (double)v->profile.runs) : json_null());
    json_t *partitions = json_pack("{s:i, s:o}", "plan", (int)comparison->summary.partitions, "run",
                                   comparison->has_partitions ? json_integer(comparison->partitions) : json_null());
    json_t *nodes =
        json_pack("{s:i, s:i, s:i, s:i, s:i, s:i}", "same", (int)counts[SAME], "different", (int)counts[DIFFERENT],
                  "undecided", (int)counts[UNDECIDED], "not_told", (int)counts[NO_ANSWER], "not_told_cpu",
                  (int)comparison->untold_cpu, "not_in_model", (int)comparison->unmatched);
    json_t *document =
        json_pack("{s:i, s:s, s:o, s:s, s:o, s:b, s:o, s:o, s:o, s:o, s:o}", "schema", 2, "command", "verify", "model",
                  plain(v->model_path), "target", v->target, "run", run, "same", is_same_placement(comparison), "blame",
                  blame_json(v), "partitions", partitions, "nodes", nodes, "different", nodes_json(v, DIFFERENT),
                  "undecided", nodes_json(v, UNDECIDED));
    bool is_made = document != NULL;
    if (is_made && json_dump_callback(document, write_json, v->run, JSON_COMPACT | JSON_REAL_PRECISION(9)) == 0)
        (void)write_text(v->run, "\n");
    json_decref(document);
    return is_made;
}

/* ---- the command ------------------------------------------------------------------------------------------------ */

static enum exit_status read_profile(struct verification *v)
{
    const char *path = v->run->options->profile;
    bool is_input = strcmp(path, "-") == 0;
    enum exit_status status = EXIT_FINE;
    FILE *file = is_input ? stdin : open_regular_file(path, "; a profile may come from standard input (-)", &status);
    if (!file)
        return status;
    bool is_read = profile_read(&v->profile, file);
    if (!is_input)
        (void)fclose(file);
    if (!is_read)
        say("%s: %s", path, v->profile.problem);
    return is_read ? EXIT_FINE : EXIT_UNREADABLE;
}

static enum exit_status make_comparison(struct verification *v)
{
    struct npart_error error;
    npart_status status = read_model(&v->model, v->run->options, v->model_path, &error);
    if (status == NPART_OK)
        status = infer(&v->inference, v->model, v->run->options, NULL, &error);
    if (status == NPART_OK)
        status = make_plan(v->run, v->inference, 0, &v->plan, &error);
    if (status != NPART_OK) {
        tell_error(v->model_path, &error);
        return status_of(status);
    }
    struct npart_plan_info info = {.size = sizeof info};
    (void)npart_plan_info(v->plan, &info);
    v->target = info.target;
    if (!compare_placement(&v->comparison, v->plan, &v->profile)) {
        say("%s: out of memory", v->model_path);
        return EXIT_OTHER;
    }
    if (v->comparison.is_other_model) {
        say("%s: names %u node%s, and the model has none of them: it is of another model", v->run->options->profile,
            v->comparison.unmatched, plural(v->comparison.unmatched));
        return EXIT_USAGE;
    }
    return EXIT_FINE;
}

static enum exit_status report(struct verification *v)
{
    const struct options *options = v->run->options;
    if (!options->is_quiet && options->format == FORMAT_JSON && !report_json(v)) {
        say("%s: out of memory", v->model_path);
        return EXIT_OTHER;
    }
    if (!options->is_quiet && options->format == FORMAT_TEXT)
        report_text(v);
    return is_same_placement(&v->comparison) ? EXIT_FINE : EXIT_THRESHOLD;
}

enum exit_status run_verify(struct run *run, struct options *options)
{
    struct verification v = {.run = run};
    bool has_target = options->target_count == 1 || (options->target_count == 0 && options->oplist);
    if (options->model_count != 1)
        return usage(options->model_count ? "verify takes one model" : "which model?");
    if (!options->profile)
        return usage("which run? (--profile FILE)");
    if (!has_target)
        return usage(options->target_count ? "verify takes one target" : "which target? (--list-targets)");
    v.model_path = options->models[0];
    if (strcmp(v.model_path, "-") == 0 && strcmp(options->profile, "-") == 0)
        return usage("the model and the profile cannot both be standard input");
    if (!find_oplists(run, options))
        return run->status;
    enum exit_status status = read_profile(&v);
    if (status == EXIT_FINE)
        status = make_comparison(&v);
    if (status == EXIT_FINE && options->write_cases &&
        !write_cases(options->write_cases, &v.comparison, v.inference, v.target))
        status = EXIT_OTHER;
    if (status == EXIT_FINE)
        status = report(&v);
    comparison_free(&v.comparison);
    profile_free(&v.profile);
    npart_plan_free(v.plan);
    npart_inference_free(v.inference);
    npart_model_free(v.model);
    return status;
}
