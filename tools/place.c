/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

struct set {
    npart_model **models;
    npart_inference **inferences;
    bool is_dim_found[MOST_DIMS];
};

/* Of several models some may lack a dim of the user's. */
static npart_status read_part(struct run *run, struct set *set, int place, struct npart_error *error)
{
    const struct options *options = run->options;
    bool is_missing[MOST_DIMS] = {false};
    npart_status status = read_model(&set->models[place], options, options->models[place], error);
    if (status == NPART_OK)
        status = infer(&set->inferences[place], set->models[place], options,
                       options->model_count > 1 ? is_missing : NULL, error);
    for (uint32_t i = 0; status == NPART_OK && i < options->dim_count; i++)
        set->is_dim_found[i] |= !is_missing[i];
    return status;
}

/* All of them, so that each that cannot be read is told. */
static void read_parts(struct run *run, struct set *set)
{
    const struct options *options = run->options;
    for (int i = 0; i < options->model_count; i++) {
        struct npart_error error = {0};
        npart_status status = read_part(run, set, i, &error);
        (void)is_fine(run, options->models[i], status, &error);
    }
    if (run->status == EXIT_FINE)
        (void)tell_missing_dims(run, options->dims, options->dim_count, set->is_dim_found);
}

static void check_threshold(struct run *run, const npart_placement *placement)
{
    struct npart_placement_info info = {.size = sizeof info};
    double most = run->options->thresholds.bounds[NPART_BOUND_MAX_MS];
    if (most < 0 || !npart_placement_info(placement, &info) || (info.has_total && info.total.typical_ms <= most))
        return;
    if (info.has_total)
        say("%s: one run of the set takes %.4g ms, threshold: at most %.4g", info.target, info.total.typical_ms, most);
    else
        say("%s: what one run of the set takes is not known, threshold: at most %.4g ms", info.target, most);
    worsen(run, EXIT_THRESHOLD);
}

static void free_set(const struct options *options, struct set *set)
{
    for (int i = 0; i < options->model_count; i++) {
        npart_inference_free(set->inferences ? set->inferences[i] : NULL);
        npart_model_free(set->models ? set->models[i] : NULL);
    }
}

static void open_set(const struct options *options, struct set *set)
{
    set->models = need((size_t)options->model_count * sizeof *set->models);
    set->inferences = need((size_t)options->model_count * sizeof *set->inferences);
}

/* The same models in another precision. */
static npart_status read_as(const struct options *options, const struct set *own, const char *as, struct set *out,
                            struct npart_error *error)
{
    bool is_missing[MOST_DIMS] = {false};
    open_set(options, out);
    npart_status status = NPART_OK;
    for (int i = 0; i < options->model_count && status == NPART_OK; i++) {
        status = npart_model_as(&out->models[i], own->models[i], as, error);
        if (status == NPART_OK)
            status = infer(&out->inferences[i], out->models[i], options, is_missing, error);
    }
    return status;
}

/* A placement for one target. */
static npart_status place(struct run *run, const struct set *set, int target, struct npart_error *error)
{
    const struct options *options = run->options;
    struct npart_plan_options plan = plan_options(options);
    struct npart_fix_options fix = fix_options(run, NULL, &plan, 0);
    struct npart_placement_options how = NPART_PLACEMENT_OPTIONS_INIT;
    npart_placement *placement = NULL;
    how.plan = &plan;
    how.figures = options->figures;
    how.figure_count = options->figure_count;
    how.links = options->links;
    how.link_count = options->link_count;
    how.tokens = options->tokens;
    how.fix = &fix;
    npart_status status =
        npart_placement_make(&placement, (const npart_inference *const *)set->inferences,
                             (uint32_t)options->model_count, run->oplists[target], options->targets[target], &how,
                             error);
    if (status != NPART_OK)
        return status;
    struct npart_subject subject = {
        .size = sizeof subject, .kind = NPART_SUBJECT_PLACEMENT, .placement = placement};
    if (!options->is_quiet)
        status = write_report(run, &subject, &run->report, error);
    check_threshold(run, placement);
    npart_placement_free(placement);
    return status;
}

enum exit_status run_place(struct run *run, struct options *options)
{
    struct set set = {0};
    if (options->model_count == 0)
        return usage("which models?");
    if (options->token_count_count > 1)
        return usage("--tokens with several numbers is for fix --cache");
    if (options->target_count == 0 && !options->oplist)
        return usage("which target? (--list-targets)");
    if (!find_oplists(run, options))
        return run->status;
    choose_look(run);
    open_set(options, &set);
    read_parts(run, &set);
    for (int i = 0; i < options->target_count && run->status <= EXIT_THRESHOLD; i++) {
        struct npart_error error = {0};
        if (i > 0 && options->format == FORMAT_TEXT && !options->is_quiet)
            (void)write_text(run, "\n");
        struct set other = {0};
        const char *as = options->as[i];
        npart_status status = as ? read_as(options, &set, as, &other, &error) : NPART_OK;
        if (status == NPART_OK)
            status = place(run, as ? &other : &set, i, &error);
        free_set(options, &other);
        if (status == NPART_OK)
            continue;
        if (status != NPART_ERROR_WRITE) /* told once, at the end */
            tell_error("", &error);
        worsen(run, status_of(status));
    }
    free_set(options, &set);
    return run->status;
}
