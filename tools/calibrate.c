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
    return text_as("%.*s%s", (int)folder, table, path);
}

static bool add_run(struct calibrating *c, const char *table, const struct npart_measured_run *row)
{
    if (c->run_count == NPART_MOST_RUN_ROWS && row->line)
        return refuse(c->run, EXIT_UNREADABLE, "%s: line %u: too many runs", table, row->line);
    if (c->run_count == NPART_MOST_RUN_ROWS)
        return refuse(c->run, EXIT_OTHER, "%s: too many runs", table);
    struct npart_measured_run *run = &c->runs[c->run_count++];
    *run = *row;
    run->model = beside(row->line ? table : "-", row->model);
    run->profile = row->profile ? beside(row->line ? table : "-", row->profile) : NULL;
    return true;
}

static bool read_table(struct calibrating *c, const char *path, FILE *file)
{
    struct npart_error error;
    struct npart_measured_run row = {.size = sizeof row};
    npart_run_table **table = &c->tables[c->table_count];
    if (c->table_count == MOST_TABLES)
        return refuse(c->run, EXIT_USAGE, "%s: more than %u tables", path, MOST_TABLES);
    if (!is_fine(c->run, path, npart_run_table_read(table, read_stream, file, NULL, &error), &error))
        return false;
    c->table_count++;
    bool is_added = true;
    for (uint32_t i = 0; is_added && npart_run_table_row(*table, i, &row); i++)
        is_added = add_run(c, path, &row);
    return is_added;
}

/* A model without a profile after it tells no time. */
static bool is_model_used(const struct calibrating *c)
{
    return !c->model || c->has_profile ||
           refuse(c->run, EXIT_USAGE,
                  "%s: a model without its profile after it (npu-partition calibrate MODEL PROFILE)", c->model);
}

static bool take_model(struct calibrating *c, const char *path)
{
    bool is_used = is_model_used(c);
    c->model = path;
    c->has_profile = false;
    return is_used;
}

/* Of the model before it; a model may have several. */
static bool add_profile(struct calibrating *c, const char *path)
{
    if (!c->model)
        return refuse(c->run, EXIT_USAGE, "%s: a profile, of which model? (npu-partition calibrate MODEL PROFILE)",
                      path);
    c->has_profile = true;
    return add_run(c, path, &(struct npart_measured_run){.model = c->model, .profile = path, .ms = -1});
}

/* A table, a model, or the profile of the model before it; by how it begins. What is looked into is read again from its
 * beginning, which a pipe is not. */
static bool read_argument(struct calibrating *c, const char *path)
{
    char beginning[2048];
    if (strcmp(path, "-") == 0)
        return read_table(c, path, stdin);
    enum exit_status status;
    FILE *file = open_regular_file(path, "; a table may come from standard input (-)", &status);
    worsen(c->run, status);
    if (!file)
        return false;
    beginning[fread(beginning, 1, sizeof beginning - 1, file)] = '\0';
    const char *at = beginning + (strncmp(beginning, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
    at += strspn(at, " \t\r\n");
    rewind(file);
    bool is_read = npart_run_table_begins(beginning) ? read_table(c, path, file)
                   : *at == '[' || *at == '{'        ? add_profile(c, path)
                                                     : take_model(c, path);
    (void)fclose(file);
    return is_read;
}

static bool read_arguments(struct calibrating *c)
{
    bool is_read = true;
    for (int i = 0; i < c->options->model_count && is_read; i++)
        is_read = read_argument(c, c->options->models[i]);
    return is_read && is_model_used(c);
}

/* ---- the plan of a run ------------------------------------------------------------------------------------------- */

static bool plan_run(struct calibrating *c, const struct npart_measured_run *run, struct sample *sample)
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
    return is_fine(c->run, run->model, status, &error);
}

/* ---- its times --------------------------------------------------------------------------------------------------- */

static bool take_profile(struct run *run, const char *path, struct sample *sample)
{
    struct npart_run_info info = {.size = sizeof info};
    if (!read_run(run, path, "", &sample->profile))
        return false;
    return (npart_run_info(sample->profile, &info) && info.runs) ||
           refuse(run, EXIT_UNREADABLE, "%s: has no times of runs; calibrate needs a profile", path);
}

static void free_sample(struct sample *sample)
{
    npart_plan_free(sample->plan);
    npart_model_free(sample->model);
    npart_run_free(sample->profile);
    *sample = (struct sample){0};
}

static bool take_run(struct calibrating *c, const struct npart_measured_run *run)
{
    struct sample *sample = &c->samples[c->count];
    struct npart_measurement *out = &c->measured[c->count];
    struct npart_cost cost = {.size = sizeof cost};
    c->count++; /* what there is of it is freed with the others */
    if (!plan_run(c, run, sample) || (run->profile && !take_profile(c->run, run->profile, sample)))
        return false;
    *out = (struct npart_measurement){
        .plan = sample->plan, .run = sample->profile, .total_ms = run->ms > 0 ? run->ms : 0};
    (void)npart_plan_cost(sample->plan, &cost);
    if (cost.total.typical_ms <= 0) {
        say("%s: note: left out: its cost is not known (--dim for dynamic sizes; or the list has no rates)",
            run->model);
        free_sample(sample);
        c->count--;
        c->left_out++;
    }
    return true;
}

/* Tables name files that the command line does not. */
static bool keeps_files(const struct calibrating *c)
{
    for (uint32_t i = 0; i < c->run_count; i++) {
        const char *const paths[] = {c->runs[i].model, c->runs[i].profile};
        for (size_t k = 0; k < sizeof paths / sizeof *paths; k++)
            if (is_overwritten(c->options, paths[k]))
                return refuse(c->run, EXIT_USAGE, "%s: the output would be written over this file", paths[k]);
    }
    return true;
}

/* ---- which target ------------------------------------------------------------------------------------------------ */

/* The one that is asked for, or the one that all runs are of. */
static bool choose_target(struct calibrating *c)
{
    struct options *options = c->options;
    const char *target = NULL;
    if (options->target_count > 1)
        return refuse(c->run, EXIT_USAGE, "calibrate takes one target");
    if (options->target_count == 1 || options->oplist)
        return true;
    for (uint32_t i = 0; i < c->run_count; i++) {
        const char *own = c->runs[i].target;
        if (own && target && strcmp(own, target) != 0)
            return refuse(c->run, EXIT_USAGE, "the runs are of %s and %s: which is to be calibrated? (--target)",
                          target, own);
        target = own ? own : target;
    }
    if (!target)
        return refuse(c->run, EXIT_USAGE, "which target? (--target, or a column target)");
    options->targets[options->target_count++] = target;
    return true;
}

static bool is_of_target(const struct calibrating *c, const struct npart_measured_run *run)
{
    return !run->target || strcmp(run->target, c->options->targets[0]) == 0;
}

static bool take_runs(struct calibrating *c)
{
    bool is_any_planned = false;
    for (uint32_t i = 0; i < c->run_count; i++) {
        if (!is_of_target(c, &c->runs[i])) {
            c->left_out++;
            continue;
        }
        if (c->count == NPART_MOST_MEASUREMENTS)
            return refuse(c->run, EXIT_USAGE, "more than %u runs of %s", NPART_MOST_MEASUREMENTS,
                          c->options->targets[0]);
        if (!take_run(c, &c->runs[i]))
            return false;
        is_any_planned = true;
    }
    if (is_any_planned && !tell_missing_dims(c->run, c->options->dims, c->options->dim_count, c->is_dim_found))
        return false;
    return c->count || refuse(c->run, EXIT_USAGE, "no run of %s", c->options->targets[0]);
}

/* ---- the report -------------------------------------------------------------------------------------------------- */

/* For the report, which goes to standard output also where the cost file is written. */
static bool print_report(void *payload, const char *text, size_t bytes)
{
    (void)payload;
    return print_bytes(stdout, text, bytes);
}

/* The cost file goes to --output, the report to standard output. */
static void report(const struct calibrating *c, const npart_calibration *calibration, bool is_accepted)
{
    const struct options *options = c->options;
    const struct npart_calibration_names names = {options->targets[0], c->left_out, options->output};
    npart_status status = NPART_OK;
    if (!options->is_quiet && options->format == FORMAT_JSON)
        status = npart_calibration_json(calibration, &names, print_report, NULL, NULL);
    else if (!options->is_quiet)
        status = npart_calibration_text(calibration, &names, print_report, NULL, NULL);
    if (status != NPART_OK || fflush(stdout) != 0 || ferror(stdout))
        (void)refuse(c->run, EXIT_OTHER, "standard output: cannot write");
    else
        worsen(c->run, is_accepted ? EXIT_FINE : EXIT_THRESHOLD);
}

static void fit(struct calibrating *c)
{
    npart_calibration *calibration = NULL;
    struct npart_calibration_info info = {.size = sizeof info};
    struct npart_error error;
    if (!is_fine(c->run, "", npart_calibration_make(&calibration, c->measured, c->count, &error), &error))
        return;
    (void)npart_calibration_info(calibration, &info);
    if (!info.costs || !c->options->output || write_output(c->run, info.costs, strlen(info.costs)))
        report(c, calibration, info.is_accepted);
    else
        worsen(c->run, EXIT_OTHER); /* which is told once, at the end */
    npart_calibration_free(calibration);
}

enum exit_status run_calibrate(struct run *run, struct options *options)
{
    struct calibrating *c = need(sizeof *c);
    *c = (struct calibrating){.run = run, .options = options, .runs = need(NPART_MOST_RUN_ROWS * sizeof *c->runs)};
    if (options->model_count == 0)
        return usage("which runs? (a table, or a model and its profile)");
    if (read_arguments(c) && keeps_files(c) && choose_target(c) && find_oplists(run, options) && take_runs(c))
        fit(c);
    for (uint32_t i = 0; i < c->count; i++)
        free_sample(&c->samples[i]);
    for (uint32_t i = 0; i < c->table_count; i++)
        npart_run_table_free(c->tables[i]);
    return run->status;
}
