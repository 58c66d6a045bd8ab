/* SPDX-License-Identifier: Apache-2.0
 *
 * Models in parallel: threads share the op list, and each has a model of its own. Link with -pthread.
 *
 *     ./threads hexagon a.onnx b.onnx c.onnx
 */
#include <pthread.h>
#include <stdio.h>

#include <npu_partition.h>

#define MOST_MODELS 16

struct job {
    pthread_t thread;
    const npart_oplist *oplist; /* shared; nothing changes it */
    const char *path;
    struct npart_summary summary;
    struct npart_error error;
    npart_status status;
};

static void *run(void *payload)
{
    struct job *job = payload;
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    npart_plan *plan = NULL;
    job->status = npart_model_read_file(&model, job->path, NULL, &job->error);
    if (job->status == NPART_OK)
        job->status = npart_inference_make(&inference, model, NULL, &job->error);
    if (job->status == NPART_OK)
        job->status = npart_plan_make(&plan, inference, job->oplist, NULL, NULL, &job->error);
    job->summary.size = sizeof job->summary;
    if (job->status == NPART_OK && !npart_plan_summary(plan, &job->summary))
        job->status = NPART_ERROR_ARGUMENT; /* a size that was not set */
    npart_model_free(model); /* in any order */
    npart_inference_free(inference);
    npart_plan_free(plan);
    return NULL;
}

int main(int argc, char **argv)
{
    static struct job jobs[MOST_MODELS];
    npart_oplist *oplist = NULL;
    struct npart_error error;
    int count = argc - 2, failed = 0;
    if (count < 1 || count > MOST_MODELS || npart_oplist_find(&oplist, argv[1], NULL, &error) != NPART_OK)
        return 2;
    for (int i = 0; i < count; i++) {
        jobs[i].oplist = oplist;
        jobs[i].path = argv[i + 2];
        if (pthread_create(&jobs[i].thread, NULL, run, &jobs[i]) != 0)
            return 1;
    }
    for (int i = 0; i < count; i++) {
        pthread_join(jobs[i].thread, NULL);
        failed |= jobs[i].status != NPART_OK;
        if (jobs[i].status == NPART_OK)
            printf("%s: %s, %u partitions\n", jobs[i].path, npart_plan_verdict_text(jobs[i].summary.verdict),
                   jobs[i].summary.partitions);
        else
            printf("%s: %s\n", jobs[i].path, jobs[i].error.message);
    }
    npart_oplist_free(oplist);
    return failed;
}
