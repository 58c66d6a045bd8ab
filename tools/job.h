/* SPDX-License-Identifier: Apache-2.0
 *
 * One model with what its targets make of it: the unit of every command that analyzes.
 */
#ifndef TOOL_JOB_H
#define TOOL_JOB_H

#include "run.h"

/* The model in one precision, with what is known of it. */
struct look {
    const char *as; /* NULL: as it is */
    npart_model *model;
    npart_inference *inference, *fixed_inference;
    bool is_fixed; /* fixed_inference was made; NULL: nothing was open */
};

/* Begin with zeros; everything is freed in one place. What stands in `pairs` belongs to the other members. */
struct job {
    npart_model *model;
    npart_inference *inference;
    struct npart_plan_pair pairs[MOST_TARGETS];
    npart_plan *plans[MOST_TARGETS], *fixed[MOST_TARGETS];
    npart_advice *advice[MOST_TARGETS];
    struct look looks[MOST_PRECISIONS + 1]; /* made when a target asks for it; of the first the rest of the job knows */
    int look_count;
};

/* All of it: the model is read, and planned for all targets. `is_missing`: see infer. */
npart_status job_make(const struct run *run, struct job *job, const char *path, bool *is_missing, bool wants_advice,
                      struct npart_error *error);
/* Plans for all targets of the options from job->inference, each with what to do about it where that is wanted. */
npart_status job_plan(const struct run *run, struct job *job, bool wants_advice, struct npart_error *error);
/* The same for the targets of a report, one after the other (npart_report_options.next): a plan goes when the next is
 * made. */
struct series {
    const struct run *run;
    struct job *job;
    bool wants_advice;
};
npart_status job_next(void *payload, size_t index, struct npart_plan_pair *out, struct npart_error *error);
/* What to do about one plan that is there, and what fixed sizes bring it. */
npart_status job_advise(const struct run *run, struct job *job, int target, struct npart_error *error);
/* The same of a plan that is not the job's own; all that are given must be of one inference. */
npart_status job_advise_plan(const struct run *run, struct job *job, const npart_plan *plan, int target,
                             struct npart_error *error);
/* Of a job that was begun, whatever it has. */
void job_free(struct job *job);

#endif
