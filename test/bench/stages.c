/* SPDX-License-Identifier: Apache-2.0
 *
 * CPU time of stages alone: reads a model, and RUNS times infers it and makes a plan for each target. Prints the least
 * of each in seconds, the inference first; a plan is judging, partitioning, causes and cost.
 *
 * usage: stages MODEL RUNS [TARGET...]
 */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "npu_partition.h"

static void take_least(double *least, clock_t begin)
{
    double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (*least < 0 || seconds < *least)
        *least = seconds;
}

static int fail(const char *what, const struct npart_error *error)
{
    fprintf(stderr, "%s: %s\n", what, error->message);
    return 3;
}

/* Each plan has an inference of its own, so that none finds what another made. */
static int time_plan(const npart_model *model, const char *target, double *least)
{
    npart_inference *inference = NULL;
    npart_oplist *oplist = NULL;
    npart_plan *plan = NULL;
    struct npart_error error;
    if (npart_inference_make(&inference, model, NULL, &error) != NPART_OK ||
        npart_oplist_find(&oplist, target, NULL, &error) != NPART_OK)
        return fail(target, &error);
    clock_t begin = clock();
    if (npart_plan_make(&plan, inference, oplist, target, NULL, &error) != NPART_OK)
        return fail(target, &error);
    take_least(least, begin);
    npart_plan_free(plan);
    npart_oplist_free(oplist);
    npart_inference_free(inference);
    return 0;
}

int main(int argc, char **argv)
{
    npart_model *model = NULL;
    struct npart_error error;
    double least[64];
    int runs = argc >= 3 && argc < 64 ? atoi(argv[2]) : 0;
    if (runs < 1) {
        fprintf(stderr, "usage: stages MODEL RUNS [TARGET...]\n");
        return 2;
    }
    if (npart_model_read_file(&model, argv[1], NULL, &error) != NPART_OK)
        return fail(argv[1], &error);
    for (int i = 2; i < argc; i++)
        least[i] = -1;
    for (int run = 0; run < runs; run++) {
        npart_inference *inference = NULL;
        clock_t begin = clock();
        if (npart_inference_make(&inference, model, NULL, &error) != NPART_OK)
            return fail(argv[1], &error);
        take_least(&least[2], begin);
        npart_inference_free(inference);
        for (int i = 3; i < argc; i++)
            if (time_plan(model, argv[i], &least[i]) != 0)
                return 3;
    }
    npart_model_free(model);
    for (int i = 2; i < argc; i++)
        printf("%.6f\n", least[i]);
    return 0;
}
