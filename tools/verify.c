/* SPDX-License-Identifier: Apache-2.0
 *
 * The command verify: a plan beside what a real run left.
 */
#include "tool.h"

struct verifying {
    struct run *run;
    const char *model_path;
    npart_model *model;
    npart_inference *inference;
    npart_plan *plan;
    npart_run *profile;
    npart_verification *verification;
};

static enum exit_status read_profile(struct verifying *v)
{
    const char *path = v->run->options->profile;
    bool is_input = strcmp(path, "-") == 0;
    enum exit_status status = EXIT_FINE;
    struct npart_error error;
    FILE *file = is_input ? stdin : open_regular_file(path, "; a profile may come from standard input (-)", &status);
    if (!file)
        return status;
    npart_status read = npart_run_read(&v->profile, read_stream, file, NULL, &error);
    if (!is_input)
        (void)fclose(file);
    if (read != NPART_OK)
        tell_error(path, &error);
    return read == NPART_OK ? EXIT_FINE : EXIT_UNREADABLE;
}

static enum exit_status make_plan_of(struct verifying *v)
{
    struct npart_error error;
    npart_status status = read_model(&v->model, v->run->options, v->model_path, &error);
    if (status == NPART_OK)
        status = infer(&v->inference, v->model, v->run->options, NULL, &error);
    if (status == NPART_OK)
        status = make_plan(v->run, v->inference, 0, &v->plan, &error);
    if (status != NPART_OK)
        tell_error(v->model_path, &error);
    return status_of(status);
}

static enum exit_status verify(struct verifying *v)
{
    struct npart_error error;
    npart_status status = npart_verification_make(&v->verification, v->plan, v->profile, &error);
    if (status != NPART_OK)
        tell_error(status == NPART_ERROR_ARGUMENT ? v->run->options->profile : v->model_path, &error);
    return status_of(status);
}

/* False, and told, where the file cannot be written. */
static bool write_cases(const struct verifying *v)
{
    const char *path = v->run->options->write_cases;
    struct output_file file;
    bool is_written = begin_output_file(&file, path) &&
                      npart_verification_cases(v->verification, write_stream, file.stream, NULL) == NPART_OK;
    return finish_output_file(&file, path, is_written);
}

static enum exit_status report(const struct verifying *v)
{
    const struct options *options = v->run->options;
    const struct npart_verification_names names = {v->model_path, options->profile};
    struct npart_verification_info info = {.size = sizeof info};
    struct npart_error error;
    npart_status status = NPART_OK;
    if (!options->is_quiet && options->format == FORMAT_JSON)
        status = npart_verification_json(v->verification, &names, write_output, v->run, &error);
    else if (!options->is_quiet)
        status = npart_verification_text(v->verification, &names, options->is_verbose, write_output, v->run, &error);
    if (status != NPART_OK && status != NPART_ERROR_WRITE) { /* that is told once, at the end */
        tell_error(v->model_path, &error);
        return EXIT_OTHER;
    }
    (void)npart_verification_info(v->verification, &info);
    return info.is_same ? EXIT_FINE : EXIT_THRESHOLD;
}

enum exit_status run_verify(struct run *run, struct options *options)
{
    struct verifying v = {.run = run};
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
        status = make_plan_of(&v);
    if (status == EXIT_FINE)
        status = verify(&v);
    if (status == EXIT_FINE && options->write_cases && !write_cases(&v))
        status = EXIT_OTHER;
    if (status == EXIT_FINE)
        status = report(&v);
    npart_verification_free(v.verification);
    npart_run_free(v.profile);
    npart_plan_free(v.plan);
    npart_inference_free(v.inference);
    npart_model_free(v.model);
    return status;
}
