/* SPDX-License-Identifier: Apache-2.0
 *
 * The command verify: a plan beside what a real run left.
 */
#include "tool.h"

struct verifying {
    const char *model_path;
    npart_model *model;
    npart_inference *inference;
    npart_plan *plan;
    npart_run *profile;
    npart_verification *verification;
};

static bool plan_and_compare(struct run *run, struct verifying *v)
{
    struct npart_error error;
    npart_status status = read_model(&v->model, run->options, v->model_path, &error);
    if (status == NPART_OK)
        status = infer(&v->inference, v->model, run->options, NULL, &error);
    if (status == NPART_OK)
        status = make_plan(run, v->inference, 0, &v->plan, &error);
    if (!is_fine(run, v->model_path, status, &error))
        return false;
    status = npart_verification_make(&v->verification, v->plan, v->profile, &error);
    return is_fine(run, status == NPART_ERROR_ARGUMENT ? run->options->profile : v->model_path, status, &error);
}

/* False, and told, where the file cannot be written. */
static bool write_cases(struct run *run, const struct verifying *v)
{
    const char *path = run->options->write_cases;
    struct output_file file;
    if (!path)
        return true;
    bool is_written = begin_output_file(&file, path) &&
                      npart_verification_cases(v->verification, write_stream, file.stream, NULL) == NPART_OK;
    is_written = finish_output_file(&file, path, is_written);
    worsen(run, is_written ? EXIT_FINE : EXIT_OTHER);
    return is_written;
}

static void report(struct run *run, const struct verifying *v)
{
    const struct options *options = run->options;
    const struct npart_verification_names names = {v->model_path, options->profile};
    struct npart_verification_info info = {.size = sizeof info};
    struct npart_error error;
    npart_status status = NPART_OK;
    if (!options->is_quiet && options->format == FORMAT_JSON)
        status = npart_verification_json(v->verification, &names, write_output, run, &error);
    else if (!options->is_quiet)
        status = npart_verification_text(v->verification, &names, options->is_verbose, write_output, run, &error);
    if (status != NPART_ERROR_WRITE && !is_fine(run, v->model_path, status, &error)) /* that is told once, at the end */
        return;
    (void)npart_verification_info(v->verification, &info);
    worsen(run, info.is_same ? EXIT_FINE : EXIT_THRESHOLD);
}

enum exit_status run_verify(struct run *run, struct options *options)
{
    struct verifying v = {.model_path = options->models[0]};
    bool has_target = options->target_count == 1 || (options->target_count == 0 && options->oplist);
    if (options->model_count != 1)
        return usage(options->model_count ? "verify takes one model" : "which model?");
    if (!options->profile)
        return usage("which run? (--profile FILE)");
    if (!has_target)
        return usage(options->target_count ? "verify takes one target" : "which target? (--list-targets)");
    if (strcmp(v.model_path, "-") == 0 && strcmp(options->profile, "-") == 0)
        return usage("the model and the profile cannot both be standard input");
    if (find_oplists(run, options) &&
        read_run(run, options->profile, "; a profile may come from standard input (-)", &v.profile) &&
        plan_and_compare(run, &v) && write_cases(run, &v))
        report(run, &v);
    npart_verification_free(v.verification);
    npart_run_free(v.profile);
    npart_plan_free(v.plan);
    npart_inference_free(v.inference);
    npart_model_free(v.model);
    return run->status;
}
