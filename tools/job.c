/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

/* Sizes are as they were given, though a dim may be another model's: that was told of the model as it is. */
static npart_status make_look(const struct run *run, const struct job *job, const char *as, struct look *look,
                              struct npart_error *error)
{
    bool is_missing[MOST_DIMS];
    look->as = as;
    npart_status status = npart_model_as(&look->model, job->model, as, error);
    return status == NPART_OK ? infer(&look->inference, look->model, run->options, is_missing, error) : status;
}

/* The model in the precision of a target. */
static npart_status find_look(const struct run *run, struct job *job, int target, struct look **out,
                              struct npart_error *error)
{
    const char *as = run->options->as[target];
    for (int i = 0; i < job->look_count; i++)
        if (job->looks[i].as == as) {
            *out = &job->looks[i];
            return NPART_OK;
        }
    *out = &job->looks[job->look_count++];
    (*out)->inference = as ? NULL : job->inference;
    return as ? make_look(run, job, as, *out, error) : NPART_OK;
}

npart_status job_advise(const struct run *run, struct job *job, const npart_plan *plan, int target,
                        struct npart_error *error)
{
    struct npart_inference_options sizes = inference_options(run->options);
    struct npart_plan_options options = plan_options(run->options);
    struct npart_fix_options fix = fix_options(run, &sizes, &options, 0);
    struct look *look;
    npart_status status = find_look(run, job, target, &look, error);
    if (status == NPART_OK && !look->is_fixed)
        status = npart_inference_make_fixed(&look->fixed_inference, npart_plan_inference(plan), error);
    look->is_fixed = true;
    if (status == NPART_OK && look->fixed_inference)
        status = make_plan(run, look->fixed_inference, target, &job->fixed[target], error);
    if (status == NPART_OK)
        status = npart_advice_find(&job->advice[target], plan, job->fixed[target], run->options->targets[target], &fix,
                                   error);
    job->pairs[target] = (struct npart_plan_pair){plan, job->fixed[target], job->advice[target]};
    return status;
}

static npart_status plan_target(const struct run *run, struct job *job, int target, bool wants_advice,
                                struct npart_error *error)
{
    struct look *look;
    npart_status status = find_look(run, job, target, &look, error);
    if (status == NPART_OK)
        status = make_plan(run, look->inference, target, &job->plans[target], error);
    job->pairs[target] = (struct npart_plan_pair){.plan = job->plans[target]};
    return status == NPART_OK && wants_advice ? job_advise(run, job, job->plans[target], target, error) : status;
}

npart_status job_plan(const struct run *run, struct job *job, bool wants_advice, struct npart_error *error)
{
    npart_status status = NPART_OK;
    for (int i = 0; i < run->options->target_count && status == NPART_OK; i++)
        status = plan_target(run, job, i, wants_advice, error);
    return status;
}

npart_status job_make(const struct run *run, struct job *job, const char *path, bool *is_missing, bool wants_advice,
                      struct npart_error *error)
{
    npart_status status = read_model(&job->model, run->options, path, error);
    if (status == NPART_OK)
        status = infer(&job->inference, job->model, run->options, is_missing, error);
    return status == NPART_OK ? job_plan(run, job, wants_advice, error) : status;
}

/* What may be asked for again is NULL then. */
static void let_go(struct job *job, int target)
{
    npart_advice_free(job->advice[target]);
    npart_plan_free(job->fixed[target]);
    npart_plan_free(job->plans[target]);
    job->advice[target] = NULL;
    job->fixed[target] = job->plans[target] = NULL;
}

/* The targets of all plans first, so that a report does not begin for a target that there is not. */
npart_status job_next(void *payload, size_t index, struct npart_plan_pair *out, struct npart_error *error)
{
    const struct series *series = payload;
    const struct options *options = series->run->options;
    struct npart_plan_options plan = plan_options(options);
    npart_status status = NPART_OK;
    for (int i = 0; index == 0 && status == NPART_OK && i < options->target_count; i++)
        status = npart_target_check(series->run->oplists[i], options->targets[i], &plan, error);
    if (index > 0)
        let_go(series->job, (int)index - 1);
    if (status == NPART_OK)
        status = plan_target(series->run, series->job, (int)index, series->wants_advice, error);
    *out = series->job->pairs[index];
    return status;
}

void job_free(struct job *job)
{
    for (int i = 0; i < MOST_TARGETS; i++)
        let_go(job, i);
    for (int i = 0; i < job->look_count; i++) {
        npart_inference_free(job->looks[i].fixed_inference);
        npart_inference_free(job->looks[i].as ? job->looks[i].inference : NULL);
        npart_model_free(job->looks[i].model);
    }
    npart_inference_free(job->inference);
    npart_model_free(job->model);
}
