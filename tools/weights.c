/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

/* Why the options do not do; NULL: they do. */
static const char *objection(const struct options *options)
{
    if (options->model_count != 1)
        return options->model_count ? "one model at a time" : "which model?";
    if (strcmp(options->models[0], "-") == 0)
        return "weights are read from a file";
    if (options->precision_count && !options->min_db)
        return "--as goes with --min-db";
    bool is_ours = options->format == FORMAT_TEXT || options->format == FORMAT_JSON || options->format == FORMAT_CSV ||
                   options->format == FORMAT_SVG;
    return options->min_db || is_ours ? NULL : "--format text, json, csv or svg";
}

/* What it costs to hold weights above the limit: plans in the precisions that are asked for, or in all. */
static enum exit_status run_plans(struct run *run, struct options *options)
{
    options->word = NULL;
    if (!options->precision_count)
        take_all_precisions(options);
    return run->analyze(run, options);
}

/* Of each target, for what it would rather have. */
static npart_status plan_targets(struct run *run, struct options *options, const npart_model *model,
                                 struct npart_plan_pair *pairs, npart_plan **plans, struct npart_error *error)
{
    bool is_missing[MOST_DIMS];
    npart_inference *inference = NULL;
    npart_status status = infer(&inference, model, options, is_missing, error);
    for (int i = 0; i < options->target_count && status == NPART_OK; i++) {
        status = make_plan(run, inference, i, &plans[i], error);
        pairs[i].plan = plans[i];
    }
    npart_inference_free(inference);
    return status;
}

enum exit_status run_weights(struct run *run, struct options *options)
{
    struct npart_error error = {0};
    struct npart_plan_pair pairs[MOST_TARGETS] = {{NULL, NULL, NULL}};
    npart_plan *plans[MOST_TARGETS] = {NULL};
    npart_model *model = NULL;
    npart_losses *losses = NULL;
    const char *problem = objection(options), *path = options->models ? options->models[0] : "";
    if (problem)
        return usage(problem);
    if (options->min_db && (options->is_quiet || options->format != FORMAT_TEXT))
        return run_plans(run, options);
    if (!options->min_db && options->target_count && !find_oplists(run, options))
        return run->status;
    choose_look(run);
    uint64_t begun_ms = npart__monotonic_ms();
    npart_status status = read_model(&model, options, path, &error);
    if (status == NPART_OK)
        status = npart_losses_make(&losses, model, &error);
    struct npart_subject subject = {.size = sizeof subject,
                                    .kind = NPART_SUBJECT_LOSSES,
                                    .losses = losses,
                                    .model = path,
                                    .seconds = (double)(npart__monotonic_ms() - begun_ms) / 1000};
    if (status == NPART_OK && !options->min_db && options->target_count) {
        status = plan_targets(run, options, model, pairs, plans, &error);
        subject.plans = pairs;
        subject.count = (size_t)options->target_count;
    }
    if (status == NPART_OK && !options->is_quiet)
        status = write_report(run, &subject, &run->report, &error);
    if (status != NPART_ERROR_WRITE) /* told once, at the end */
        (void)is_fine(run, path, status, &error);
    for (int i = 0; i < options->target_count; i++)
        npart_plan_free(plans[i]);
    npart_losses_free(losses);
    npart_model_free(model);
    if (!options->min_db || run->status != EXIT_FINE)
        return run->status;
    (void)write_text(run, "\n");
    return run_plans(run, options);
}
