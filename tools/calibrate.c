/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

#define MOST_TABLES 256u

/* A run with what it was measured of. */
struct sample {
    npart_model *model;
    npart_plan *plan;
    npart_run *profile;
};

struct calibrating {
    struct run *run;
    struct options *options;
    struct npart_measured_run *runs; /* NPART_MOST_RUN_ROWS of them */
    npart_run_table *tables[MOST_TABLES];
    uint32_t run_count, table_count;
    struct sample samples[NPART_MOST_MEASUREMENTS];
    struct npart_measurement measured[NPART_MOST_MEASUREMENTS];
    uint32_t count;
    uint32_t left_out; /* runs of other targets, or that cannot be predicted */
    const char *model; /* of the command line, the last one */
    bool has_profile;  /* a profile followed it */
    bool is_dim_found[MOST_DIMS]; /* of the command line's: some model has it */
};

/* ---- what to read ------------------------------------------------------------------------------------------------ */

/* In the folder of the table, as a user who keeps both together writes it. */
static const char *beside(const char *table, const char *path)
{
    size_t folder = npart__root_length(path) || strcmp(table, "-") == 0 ? 0 : npart__name_offset(table);
    return text_of("%.*s%s", (int)folder, table, path);
}

static enum exit_status add_run(struct calibrating *c, const char *table, const struct npart_measured_run *row)
{
    if (c->run_count == NPART_MOST_RUN_ROWS) {
        if (row->line)
            say("%s: line %u: too many runs", table, row->line);
        else
            say("%s: too many runs", table);
        return row->line ? EXIT_UNREADABLE : EXIT_OTHER;
    }
    struct npart_measured_run *run = &c->runs[c->run_count++];
    *run = *row;
    run->model = beside(row->line ? table : "-", row->model);
    run->profile = row->profile ? beside(row->line ? table : "-", row->profile) : NULL;
    return EXIT_FINE;
}

static enum exit_status read_table(struct calibrating *c, const char *path, FILE *file)
{
    struct npart_error error;
    struct npart_measured_run row = {.size = sizeof row};
    npart_run_table **table = &c->tables[c->table_count];
    if (c->table_count == MOST_TABLES) {
        say("%s: more than %u tables", path, MOST_TABLES);
        return EXIT_USAGE;
    }
    if (npart_run_table_read(table, read_stream, file, NULL, &error) != NPART_OK) {
        tell_error(path, &error);
        return EXIT_UNREADABLE;
    }
    c->table_count++;
    enum exit_status status = EXIT_FINE;
    for (uint32_t i = 0; status == EXIT_FINE && npart_run_table_row(*table, i, &row); i++)
        status = add_run(c, path, &row);
    return status;
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
    if (!c->model) {
        say("%s: a profile, of which model? (npu-partition calibrate MODEL PROFILE)", path);
        return EXIT_USAGE;
    }
    c->has_profile = true;
    return add_run(c, path, &(struct npart_measured_run){.model = c->model, .profile = path, .ms = -1});
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
    const char *at = beginning + (strncmp(beginning, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    at += strspn(at, " \t\r\n");
    if (npart_run_table_begins(beginning)) {
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

static enum exit_status plan_run(struct calibrating *c, const struct npart_measured_run *run, struct sample *sample)
{
    struct npart_error error;
    struct npart_inference_options sizes = inference_options(c->options);
    struct npart_plan_options plan = plan_options(c->options);
    const struct npart_run_asked asked = {sizeof asked, c->run->oplists[0], c->options->targets[0], &sizes, &plan};
    bool is_missing[MOST_DIMS] = {false};
    npart_status status = read_model(&sample->model, c->options, run->model, &error);
    if (status == NPART_OK)
        status = npart_run_plan(&sample->plan, sample->model, run, &asked, c->run_count > 1 ? is_missing : NULL,
                                &error);
    for (uint32_t i = 0; status == NPART_OK && i < sizes.dim_count; i++)
        c->is_dim_found[i] |= !is_missing[i];
    if (status != NPART_OK)
        tell_error(run->model, &error);
    return status_of(status);
}

/* ---- its times --------------------------------------------------------------------------------------------------- */

static enum exit_status take_profile(const char *path, struct sample *sample)
{
    struct npart_run_info info = {.size = sizeof info};
    struct npart_error error;
    enum exit_status status;
    FILE *file = open_regular_file(path, "", &status);
    if (!file)
        return status;
    npart_status read = npart_run_read(&sample->profile, read_stream, file, NULL, &error);
    (void)fclose(file);
    if (read != NPART_OK) {
        tell_error(path, &error);
        return EXIT_UNREADABLE;
    }
    if (npart_run_info(sample->profile, &info) && info.runs)
        return EXIT_FINE;
    say("%s: has no times of runs; calibrate needs a profile", path);
    return EXIT_UNREADABLE;
}

static void free_sample(struct sample *sample)
{
    npart_plan_free(sample->plan);
    npart_model_free(sample->model);
    npart_run_free(sample->profile);
    *sample = (struct sample){0};
}

static enum exit_status take_run(struct calibrating *c, const struct npart_measured_run *run)
{
    struct sample *sample = &c->samples[c->count];
    struct npart_measurement *out = &c->measured[c->count];
    struct npart_cost cost = {.size = sizeof cost};
    enum exit_status status = plan_run(c, run, sample);
    c->count++; /* what there is of it is freed with the others */
    if (status == EXIT_FINE && run->profile)
        status = take_profile(run->profile, sample);
    *out = (struct npart_measurement){
        .plan = sample->plan, .run = sample->profile, .total_ms = run->ms > 0 ? run->ms : 0};
    (void)npart_plan_cost(sample->plan, &cost);
    if (status == EXIT_FINE && cost.total.typical_ms <= 0) {
        say("%s: note: left out: its cost is not known (--dim for dynamic sizes; or the list has no rates)",
            run->model);
        free_sample(sample);
        c->count--;
        c->left_out++;
    }
    return status;
}

/* Tables name files that the command line does not. */
static bool keeps_files(const struct calibrating *c)
{
    for (uint32_t i = 0; i < c->run_count; i++) {
        const char *const paths[] = {c->runs[i].model, c->runs[i].profile};
        for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
            if (is_overwritten(c->options, paths[k])) {
                say("%s: the output would be written over this file", paths[k]);
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
    for (uint32_t i = 0; i < c->run_count; i++) {
        const char *own = c->runs[i].target;
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

static bool is_of_target(const struct calibrating *c, const struct npart_measured_run *run)
{
    return !run->target || strcmp(run->target, c->options->targets[0]) == 0;
}

static enum exit_status take_runs(struct calibrating *c)
{
    enum exit_status status = EXIT_FINE;
    bool is_any_planned = false;
    for (uint32_t i = 0; i < c->run_count && status == EXIT_FINE; i++) {
        if (!is_of_target(c, &c->runs[i])) {
            c->left_out++;
            continue;
        }
        if (c->count == NPART_MOST_MEASUREMENTS) {
            say("more than %u runs of %s", NPART_MOST_MEASUREMENTS, c->options->targets[0]);
            return EXIT_USAGE;
        }
        status = take_run(c, &c->runs[i]);
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

/* For the report, which goes to standard output also where the cost file is written. */
static bool print_report(void *payload, const char *text, size_t bytes)
{
    (void)payload;
    return print_bytes(stdout, text, bytes);
}

/* The cost file goes to --output, the report to standard output. */
static enum exit_status report(const struct calibrating *c, const npart_calibration *calibration, bool is_accepted)
{
    const struct options *options = c->options;
    const struct npart_calibration_names names = {options->targets[0], c->left_out, options->output};
    npart_status status = NPART_OK;
    if (!options->is_quiet && options->format == FORMAT_JSON)
        status = npart_calibration_json(calibration, &names, print_report, NULL, NULL);
    else if (!options->is_quiet)
        status = npart_calibration_text(calibration, &names, print_report, NULL, NULL);
    if (status != NPART_OK || fflush(stdout) != 0 || ferror(stdout)) {
        say("standard output: cannot write");
        return EXIT_OTHER;
    }
    return is_accepted ? EXIT_FINE : EXIT_THRESHOLD;
}

static enum exit_status fit(struct calibrating *c)
{
    npart_calibration *calibration = NULL;
    struct npart_calibration_info info = {.size = sizeof info};
    struct npart_error error;
    npart_status status = npart_calibration_make(&calibration, c->measured, c->count, &error);
    if (status != NPART_OK) {
        tell_error("", &error);
        return status_of(status);
    }
    (void)npart_calibration_info(calibration, &info);
    enum exit_status done = EXIT_OTHER; /* of a cost file that cannot be written, which is told once, at the end */
    if (!info.costs || !c->options->output || write_output(c->run, info.costs, strlen(info.costs)))
        done = report(c, calibration, info.is_accepted);
    npart_calibration_free(calibration);
    return done;
}

enum exit_status run_calibrate(struct run *run, struct options *options)
{
    struct calibrating *c = need(sizeof *c);
    *c = (struct calibrating){.run = run, .options = options, .runs = need(NPART_MOST_RUN_ROWS * sizeof *c->runs)};
    enum exit_status status = read_arguments(c);
    if (status == EXIT_FINE && (!keeps_files(c) || !choose_target(c)))
        status = EXIT_USAGE;
    if (status == EXIT_FINE && !find_oplists(run, options))
        status = run->status;
    if (status == EXIT_FINE)
        status = take_runs(c);
    if (status == EXIT_FINE)
        status = fit(c);
    for (uint32_t i = 0; i < c->count; i++)
        free_sample(&c->samples[i]);
    for (uint32_t i = 0; i < c->table_count; i++)
        npart_run_table_free(c->tables[i]);
    return status;
}
