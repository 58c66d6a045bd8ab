/* SPDX-License-Identifier: Apache-2.0 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "words.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "calibration.h"
#include "files.h"
#include "json_memory.h"
#include "message.h"
#include "platform.h"
#include "printed.h"
#include "profile.h"
#include "runs.h"

/* A run with what it was measured of. */
struct sample {
    npart_model *model;
    npart_inference *inference;
    npart_plan *plan;
    double *partition_ms;
};

struct calibrating {
    struct run *run;
    struct options *options;
    struct runs runs;
    struct sample samples[MOST_MEASUREMENTS];
    struct measurement measured[MOST_MEASUREMENTS];
    uint32_t count;
    uint32_t left_out; /* runs of other targets, or that cannot be predicted */
    const char *model; /* of the command line, the last one */
    bool has_profile;  /* a profile followed it */
    bool is_dim_found[MOST_DIMS]; /* of the command line's: some model has it */
    struct calibration told;
};

/* ---- what to read ------------------------------------------------------------------------------------------------ */

/* In the folder of the table, as a user who keeps both together writes it. NULL when out of memory. */
static char *beside(const char *table, const char *path)
{
    size_t folder = is_absolute_path(path) || strcmp(table, "-") == 0 ? 0 : name_offset(table);
    char *joined = malloc(folder + strlen(path) + 1);
    if (joined) {
        memcpy(joined, table, folder);
        memcpy(joined + folder, path, strlen(path) + 1);
    }
    return joined;
}

static bool place_beside(struct measured_run *run, const char *table)
{
    static const enum run_column paths[] = {RUN_MODEL, RUN_PROFILE};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++) {
        char **path = &run->texts[paths[i]];
        char *joined = *path ? beside(table, *path) : NULL;
        if (*path && !joined)
            return false;
        free(*path);
        *path = joined;
    }
    return true;
}

static enum exit_status read_table(struct calibrating *c, const char *path, FILE *file)
{
    uint32_t first = c->runs.count;
    if (!runs_read(&c->runs, file)) {
        say("%s: %s", path, c->runs.problem);
        return EXIT_UNREADABLE;
    }
    for (uint32_t i = first; i < c->runs.count; i++)
        if (!place_beside(&c->runs.items[i], path))
            return EXIT_OTHER;
    return EXIT_FINE;
}

/* A model without a profile after it tells no time. */
static bool is_model_used(const struct calibrating *c)
{
    if (!c->model || c->has_profile)
        return true;
    say("%s: a model without its profile after it (npu-partition calibrate MODEL PROFILE)", c->model);
    return false;
}

static enum exit_status take_model(struct calibrating *c, const char *path)
{
    if (!is_model_used(c))
        return EXIT_USAGE;
    c->model = path;
    c->has_profile = false;
    return EXIT_FINE;
}

/* Of the model before it; a model may have several. */
static enum exit_status add_profile(struct calibrating *c, const char *path)
{
    const char *texts[RUN_MS] = {[RUN_MODEL] = c->model, [RUN_PROFILE] = path};
    if (!c->model) {
        say("%s: a profile, of which model? (npu-partition calibrate MODEL PROFILE)", path);
        return EXIT_USAGE;
    }
    if (!runs_add(&c->runs, texts, -1, 0)) {
        say("%s: %s", path, c->runs.problem);
        return EXIT_OTHER;
    }
    c->has_profile = true;
    return EXIT_FINE;
}

/* A table, a model, or the profile of the model before it; by how it begins. What is looked into is read again from its
 * beginning, which a pipe is not. */
static enum exit_status read_argument(struct calibrating *c, const char *path)
{
    char beginning[2048];
    if (strcmp(path, "-") == 0)
        return read_table(c, path, stdin);
    enum exit_status status;
    FILE *file = open_regular_file(path, "; a table may come from standard input (-)", &status);
    if (!file)
        return status;
    beginning[fread(beginning, 1, sizeof beginning - 1, file)] = '\0';
    const char *at = after_mark(beginning);
    at += strspn(at, " \t\r\n");
    if (looks_like_runs(beginning)) {
        rewind(file);
        status = read_table(c, path, file);
    } else {
        status = *at == '[' || *at == '{' ? add_profile(c, path) : take_model(c, path);
    }
    (void)fclose(file);
    return status;
}

static enum exit_status read_arguments(struct calibrating *c)
{
    const struct options *options = c->options;
    enum exit_status status = EXIT_FINE;
    if (options->model_count == 0)
        return usage("which runs? (a table, or a model and its profile)");
    for (int i = 0; i < options->model_count && status == EXIT_FINE; i++)
        status = read_argument(c, options->models[i]);
    return status == EXIT_FINE && !is_model_used(c) ? EXIT_USAGE : status;
}

/* ---- the plan of a run ------------------------------------------------------------------------------------------- */

/* "batch=1 sequence=128", after the sizes of the command line. */
static bool add_dims(struct options *options, char *text)
{
    for (char *rest = NULL, *word = strtok_r(text, " ;", &rest); word; word = strtok_r(NULL, " ;", &rest)) {
        char *equals = strrchr(word, '='), *end = NULL;
        errno = 0;
        long long size = equals ? strtoll(equals + 1, &end, 10) : 0;
        if (!equals || equals == word || *end || errno || size < 1 || options->dim_count == MOST_DIMS)
            return false;
        *equals = '\0';
        options->dims[options->dim_count++] = (struct npart_dim_binding){.name = word, .size = size};
    }
    return true;
}

/* Of several models some may lack a dim of the command line's, but none what the table says of it. */
static npart_status infer_run(struct calibrating *c, const struct options *options, struct sample *sample,
                              struct npart_error *error)
{
    uint32_t common = c->options->dim_count;
    bool is_missing[MOST_DIMS] = {false};
    npart_status status =
        infer(&sample->inference, sample->model, options, c->runs.count > 1 ? is_missing : NULL, error);
    for (uint32_t i = 0; status == NPART_OK && i < options->dim_count; i++) {
        if (i < common) {
            c->is_dim_found[i] |= !is_missing[i];
        } else if (is_missing[i]) {
            status = NPART_ERROR_ARGUMENT;
            *error = (struct npart_error){.status = status};
            (void)snprintf(error->message, sizeof error->message, "dim %s=%lld: the model has no such dim",
                           options->dims[i].name, (long long)options->dims[i].size);
        }
    }
    return status;
}

/* The plan that leaves all to the CPU: each operator once. NULL when out of memory. */
static struct npart_assumption *all_on_cpu(const npart_model *model, uint32_t *count)
{
    struct npart_node node = {.size = sizeof node};
    struct npart_assumption *out = NULL;
    *count = 0;
    for (uint32_t i = 0, k; npart_model_node(model, i, &node); i++) {
        char name[512];
        (void)snprintf(name, sizeof name, "%s:%s", *node.domain ? node.domain : "ai.onnx", node.op);
        for (k = 0; k < *count && strcmp(out[k].op, name) != 0; k++)
            ;
        if (k < *count)
            continue;
        struct npart_assumption *grown = realloc(out, (*count + (size_t)1) * sizeof *out);
        char *op = strdup(name);
        if (grown)
            out = grown;
        if (!grown || !op) {
            free(op);
            break;
        }
        out[(*count)++] = (struct npart_assumption){.op = op};
    }
    return out;
}

static void free_assumptions(struct npart_assumption *items, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        free((char *)(uintptr_t)items[i].op);
    free(items);
}

/* As it is planned, or all on the CPU where the run was. */
static npart_status make_run_plan(const struct run *run, const struct measured_run *measured, struct sample *sample,
                                  struct npart_error *error)
{
    struct npart_plan_options options = plan_options(run->options);
    uint32_t count = 0;
    struct npart_assumption *assumed = NULL;
    if (measured->texts[RUN_ON]) {
        assumed = all_on_cpu(npart_inference_model(sample->inference), &count);
        options.assumptions = assumed;
        options.assumption_count = count;
    }
    npart_status status = npart_plan_make(&sample->plan, sample->inference, run->oplists[0], run->options->targets[0],
                                          &options, error);
    free_assumptions(assumed, count);
    return status;
}

static enum exit_status plan_run(struct calibrating *c, struct measured_run *run, struct sample *sample)
{
    struct npart_error error;
    struct options *options = malloc(sizeof *options); /* of this run */
    struct run as = *c->run;
    if (!options)
        return EXIT_OTHER;
    *options = *c->options;
    as.options = options;
    if (run->texts[RUN_RUNTIME])
        options->runtime = run->texts[RUN_RUNTIME];
    if (run->texts[RUN_DIMS] && !add_dims(options, run->texts[RUN_DIMS])) {
        say("%s: dims: expected NAME=SIZE, with blanks between", run->texts[RUN_MODEL]);
        free(options);
        return EXIT_USAGE;
    }
    npart_status status = read_model(&sample->model, options, run->texts[RUN_MODEL], &error);
    if (status == NPART_OK)
        status = infer_run(c, options, sample, &error);
    if (status == NPART_OK)
        status = make_run_plan(&as, run, sample, &error);
    free(options);
    if (status != NPART_OK)
        tell_error(run->texts[RUN_MODEL], &error);
    return status_of(status);
}

/* ---- its times --------------------------------------------------------------------------------------------------- */

static bool is_partition(const struct profile *profile, const struct placed_node *node)
{
    const char *provider = profile->providers[node->provider];
    return !profile_is_cpu(profile, node->provider) && strncmp(node->name, provider, strlen(provider)) == 0;
}

/* Partitions in the order that they ran are the plan's by id, where there are as many. */
static bool take_partitions(const struct profile *profile, struct sample *sample, struct measurement *out)
{
    struct npart_summary summary = {.size = sizeof summary};
    uint32_t count = 0;
    (void)npart_plan_summary(sample->plan, &summary);
    for (const struct placed_node *node = profile->first; node; node = node->next)
        count += is_partition(profile, node);
    if (count == 0 || count != summary.partitions)
        return true;
    sample->partition_ms = calloc(count, sizeof *sample->partition_ms);
    out->partition_ms = sample->partition_ms;
    count = 0;
    for (const struct placed_node *node = profile->first; node && sample->partition_ms; node = node->next)
        if (is_partition(profile, node))
            sample->partition_ms[count++] = profile_warm_ms(profile, node->total_us, node->first_us);
    return sample->partition_ms != NULL;
}

static enum exit_status take_profile(const char *path, struct sample *sample, struct measurement *out)
{
    struct profile profile;
    enum exit_status status;
    FILE *file = open_regular_file(path, "", &status);
    if (!file)
        return status;
    bool is_read = profile_read(&profile, file), has_memory = true;
    (void)fclose(file);
    if (is_read && profile.runs == 0)
        is_read = profile_fail(&profile, "has no times of runs; calibrate needs a profile");
    if (is_read) {
        out->total_ms = profile_warm_ms(&profile, profile.total_us, profile.first_us);
        for (const struct placed_node *node = profile.first; node; node = node->next)
            if (profile_is_cpu(&profile, node->provider))
                out->cpu_ms += profile_warm_ms(&profile, node->total_us, node->first_us);
        has_memory = take_partitions(&profile, sample, out);
    } else {
        say("%s: %s", path, profile.problem);
    }
    profile_free(&profile);
    return !is_read ? EXIT_UNREADABLE : has_memory ? EXIT_FINE : EXIT_OTHER;
}

static enum exit_status take_run(struct calibrating *c, struct measured_run *run)
{
    struct sample *sample = &c->samples[c->count];
    struct measurement *out = &c->measured[c->count];
    struct npart_cost cost = {.size = sizeof cost};
    enum exit_status status = plan_run(c, run, sample);
    c->count++; /* what there is of it is freed with the others */
    *out = (struct measurement){.plan = sample->plan, .total_ms = run->ms};
    if (status == EXIT_FINE && run->texts[RUN_PROFILE])
        status = take_profile(run->texts[RUN_PROFILE], sample, out);
    if (run->ms > 0)
        out->total_ms = run->ms;
    (void)npart_plan_cost(sample->plan, &cost);
    if (status == EXIT_FINE && cost.total.typical_ms <= 0) {
        say("%s: note: left out: its cost is not known (--dim for dynamic sizes; or the list has no rates)",
            run->texts[RUN_MODEL]);
        npart_plan_free(sample->plan);
        npart_inference_free(sample->inference);
        npart_model_free(sample->model);
        free(sample->partition_ms);
        *sample = (struct sample){0};
        c->count--;
        c->left_out++;
    }
    return status;
}

/* Tables name files that the command line does not. */
static bool keeps_files(const struct calibrating *c)
{
    static const enum run_column paths[] = {RUN_MODEL, RUN_PROFILE};
    for (uint32_t i = 0; i < c->runs.count; i++)
        for (size_t k = 0; k < sizeof paths / sizeof *paths; k++) {
            const char *path = c->runs.items[i].texts[paths[k]];
            if (is_overwritten(c->options, path)) {
                say("%s: the output would be written over this file", path);
                return false;
            }
        }
    return true;
}

/* ---- which target ------------------------------------------------------------------------------------------------ */

/* The one that is asked for, or the one that all runs are of. */
static bool choose_target(struct calibrating *c)
{
    struct options *options = c->options;
    const char *target = NULL;
    if (options->target_count > 1) {
        say("calibrate takes one target");
        return false;
    }
    if (options->target_count == 1 || options->oplist)
        return true;
    for (uint32_t i = 0; i < c->runs.count; i++) {
        const char *own = c->runs.items[i].texts[RUN_TARGET];
        if (own && target && strcmp(own, target) != 0) {
            say("the runs are of %s and %s: which is to be calibrated? (--target)", target, own);
            return false;
        }
        target = own ? own : target;
    }
    if (!target) {
        say("which target? (--target, or a column target)");
        return false;
    }
    options->targets[options->target_count++] = target;
    return true;
}

static bool is_of_target(const struct calibrating *c, const struct measured_run *run)
{
    return !run->texts[RUN_TARGET] || strcmp(run->texts[RUN_TARGET], c->options->targets[0]) == 0;
}

static enum exit_status take_runs(struct calibrating *c)
{
    enum exit_status status = EXIT_FINE;
    bool is_any_planned = false;
    for (uint32_t i = 0; i < c->runs.count && status == EXIT_FINE; i++) {
        if (!is_of_target(c, &c->runs.items[i])) {
            c->left_out++;
            continue;
        }
        if (c->count == MOST_MEASUREMENTS) {
            say("more than %u runs of %s", MOST_MEASUREMENTS, c->options->targets[0]);
            return EXIT_USAGE;
        }
        status = take_run(c, &c->runs.items[i]);
        is_any_planned = true;
    }
    if (status == EXIT_FINE && is_any_planned &&
        !tell_missing_dims(c->run, c->options->dims, c->options->dim_count, c->is_dim_found))
        return EXIT_USAGE;
    if (status == EXIT_FINE && c->count == 0) {
        say("no run of %s", c->options->targets[0]);
        status = EXIT_USAGE;
    }
    return status;
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

static void name_fitted(const struct fitted *fitted, char *out, size_t bytes)
{
    (void)snprintf(out, bytes, "%s%s%s%s%s", fitted->parameter, fitted->precision ? " of " : "",
                   fitted->precision ? fitted->precision : "", fitted->runtime ? " via " : "",
                   fitted->runtime ? fitted->runtime : "");
}

static void print_fitted(const struct fitted *fitted, bool is_scaled)
{
    char name[80], before[64], after[64];
    const struct npart_parameter_range *a = &fitted->before, *b = &fitted->after;
    const char *state = fabs(fitted->moved) > 1 ? "moved" : "confirmed";
    if (!fitted->is_identified)
        state = "not identified";
    name_fitted(fitted, name, sizeof name);
    if (is_scaled) {
        print_format(stdout, "  %-34s takes %.3g times as long; %s\n", name, fitted->time_factor, state);
        return;
    }
    (void)snprintf(before, sizeof before, "%.3g (%.3g to %.3g)", a->typical, a->low, a->high);
    (void)snprintf(after, sizeof after, "%.3g (%.3g to %.3g)", b->typical, b->low, b->high);
    print_format(stdout, "  %-34s %-24s %-24s %+.1f sigma; %s\n", name, before, after, fitted->moved, state);
}

static const char *refusal(const struct calibration *told)
{
    if (told->model_count < 2)
        return "one model cannot show whether it helps others";
    if (told->is_at_limit)
        return "a scale would be beyond 1/4 to 4";
    return "it does not halve the error of models that are left out";
}

static void print_text(const struct calibrating *c)
{
    const struct calibration *told = &c->told;
    print_format(stdout, "%s: %u run%s of %u model%s, %u time%s", c->options->targets[0], c->count, plural(c->count),
                 told->model_count, plural(told->model_count), told->time_count, plural(told->time_count));
    if (c->left_out)
        print_format(stdout, "; %u run%s left out", c->left_out, plural(c->left_out));
    print_format(stdout, "\n\n%s",
                 told->is_scaled ? "" : "  parameter                          before                   after\n");
    for (uint32_t i = 0; i < told->fitted_count; i++)
        print_fitted(&told->fitted[i], told->is_scaled);
    print_format(stdout, "\n  median error of total times: %.0f %% before, %.0f %% after", told->error_before * 100,
                 told->error_after * 100);
    if (told->error_held_out >= 0)
        print_format(stdout, "; %.0f %% of models left out of the fit", told->error_held_out * 100);
    print_format(stdout, "\n");
    if (!told->is_accepted)
        print_format(stdout, "  NOT ACCEPTED: %s; the list's values stay\n", refusal(told));
    else if (c->options->output)
        print_format(stdout, "  ACCEPTED: --cost %s uses it\n", c->options->output);
    else
        print_format(stdout, "  ACCEPTED: --output FILE writes it for --cost FILE\n");
}

static json_t *range_json(const struct npart_parameter_range *range)
{
    return json_pack("[f, f, f]", range->low, range->typical, range->high);
}

static json_t *fitted_json(const struct fitted *fitted, bool is_scaled)
{
    return json_pack("{s:s, s:s?, s:s?, s:o, s:o, s:f, s:f, s:b}", "parameter", fitted->parameter, "precision",
                     fitted->precision, "runtime", fitted->runtime, "before",
                     is_scaled ? json_null() : range_json(&fitted->before), "after",
                     is_scaled ? json_null() : range_json(&fitted->after), "time_factor", fitted->time_factor, "moved",
                     fitted->moved, "identified", fitted->is_identified);
}

static bool print_json(const struct calibrating *c)
{
    const struct calibration *told = &c->told;
    json_t *fitted = json_array();
    for (uint32_t i = 0; i < told->fitted_count; i++)
        (void)json_array_append_new(fitted, fitted_json(&told->fitted[i], told->is_scaled));
    json_t *held_out = told->error_held_out >= 0 ? json_real(told->error_held_out) : json_null();
    json_t *document = json_pack(
        "{s:i, s:s, s:s, s:i, s:i, s:i, s:i, s:b, s:o, s:f, s:f, s:o, s:b}", "schema", 2, "command", "calibrate",
        "target", c->options->targets[0], "runs", (int)c->count, "models", (int)told->model_count, "times",
        (int)told->time_count, "left_out", (int)c->left_out, "scales", told->is_scaled, "fitted", fitted,
        "error_before", told->error_before, "error_after", told->error_after, "error_held_out", held_out, "accepted",
        told->is_accepted);
    char *text = document ? json_dumps(document, JSON_COMPACT | JSON_REAL_PRECISION(6)) : NULL;
    bool is_made = text && print_bytes(stdout, text, strlen(text)) && print_bytes(stdout, "\n", 1);
    free(text);
    json_decref(document);
    return is_made;
}

/* The cost file goes to --output, the report to standard output. */
static enum exit_status report(struct calibrating *c)
{
    const struct options *options = c->options;
    bool is_made = true;
    if (!options->is_quiet && options->format == FORMAT_JSON)
        is_made = print_json(c);
    else if (!options->is_quiet)
        print_text(c);
    if (!is_made || fflush(stdout) != 0 || ferror(stdout)) {
        say("standard output: cannot write");
        return EXIT_OTHER;
    }
    return c->told.is_accepted ? EXIT_FINE : EXIT_THRESHOLD;
}

static enum exit_status fit(struct calibrating *c)
{
    struct npart_error error;
    npart_status status = calibrate(c->measured, c->count, &c->told, c->options->output ? write_output : NULL, c->run,
                                    &error);
    if (status == NPART_OK)
        return report(c);
    if (status != NPART_ERROR_WRITE) /* told once, at the end */
        tell_error("", &error);
    return status_of(status);
}

enum exit_status run_calibrate(struct run *run, struct options *options)
{
    struct calibrating *c = calloc(1, sizeof *c);
    if (!c)
        return EXIT_OTHER;
    *c = (struct calibrating){.run = run, .options = options};
    enum exit_status status = read_arguments(c);
    if (status == EXIT_FINE && (!keeps_files(c) || !choose_target(c)))
        status = EXIT_USAGE;
    if (status == EXIT_FINE && !find_oplists(run, options))
        status = run->status;
    if (status == EXIT_FINE)
        status = take_runs(c);
    if (status == EXIT_FINE)
        status = fit(c);
    for (uint32_t i = 0; i < c->count; i++) {
        npart_plan_free(c->samples[i].plan);
        npart_inference_free(c->samples[i].inference);
        npart_model_free(c->samples[i].model);
        free(c->samples[i].partition_ms);
    }
    runs_free(&c->runs);
    free(c);
    return status;
}
