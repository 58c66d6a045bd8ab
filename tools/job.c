/* SPDX-License-Identifier: Apache-2.0 */
#include "job.h"

npart_status job_advise_plan(const struct run *run, struct job *job, const npart_plan *plan, int target,
                             struct npart_error *error)
{
    npart_status status = NPART_OK;
    if (!job->is_fixed)
        status = npart_inference_make_fixed(&job->fixed_inference, npart_plan_inference(plan), error);
    job->is_fixed = true;
    if (status == NPART_OK && job->fixed_inference)
        status = make_plan(run, job->fixed_inference, target, &job->fixed[target], error);
    if (status == NPART_OK)
        status = npart_advice_make(&job->advice[target], plan, job->fixed[target], error);
    job->pairs[target] = (struct npart_plan_pair){plan, job->fixed[target], job->advice[target]};
    return status;
}

npart_status job_advise(const struct run *run, struct job *job, int target, struct npart_error *error)
{
    return job_advise_plan(run, job, job->plans[target], target, error);
}

npart_status job_plan(const struct run *run, struct job *job, bool wants_advice, struct npart_error *error)
{
    npart_status status = NPART_OK;
    for (int i = 0; i < run->options->target_count && status == NPART_OK; i++) {
        status = make_plan(run, job->inference, i, &job->plans[i], error);
        job->pairs[i] = (struct npart_plan_pair){.plan = job->plans[i]};
        if (status == NPART_OK && wants_advice)
            status = job_advise(run, job, i, error);
    }
    return status;
}

void job_free(struct job *job)
{
    for (int i = 0; i < MOST_TARGETS; i++) {
        npart_advice_free(job->advice[i]);
        npart_plan_free(job->fixed[i]);
        npart_plan_free(job->plans[i]);
    }
    npart_inference_free(job->fixed_inference);
    npart_inference_free(job->inference);
    npart_model_free(job->model);
}
