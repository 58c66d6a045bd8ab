/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that analyse different models at the same time, each with its own handles, threads that share a model and an
 * op list, threads that make plans of one inference, and threads that read one plan: all get what one thread gets.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <pthread.h>

#include "npu_partition.h"
#include "support/analysis.h"
#include "support/test.h"

#define THREADS 4u
#define ROUNDS 3u

static const char *const paths[THREADS] = {
    "fixtures/local-functions-transformer.dyn.onnx",
    "fixtures/greedy-decode-gru.ts14.loop.onnx",
    "fixtures/mobilenetv2.dynamo.onnx",
    "fixtures/bert-base.ort-fused.onnx",
};

struct work {
    const char *path;
    const npart_model *model;   /* shared; NULL: one of its own */
    const npart_oplist *oplist; /* shared; NULL: one of its own */
    const npart_inference *inference; /* shared, and nothing is fixed; NULL: one of its own */
    const npart_plan *plan;     /* shared, and only read; NULL: one of its own */
    char *reports[ROUNDS];      /* JSON, then text */
    npart_status status;
};

static char *joined(const npart_plan *plan, const npart_plan *fixed)
{
    char *json = json_of(plan, fixed), *text = text_of(plan, fixed, NULL);
    char *both = malloc(strlen(json) + strlen(text) + 1);
    REQUIRE(both);
    strcpy(both, json);
    strcat(both, text);
    free(json);
    free(text);
    return both;
}

static npart_status analyse_shared(const struct work *work, char **out)
{
    npart_plan *plan = NULL;
    npart_status status = NPART_OK;
    if (!work->plan)
        status = npart_plan_make(&plan, work->inference, work->oplist, NULL, NULL, NULL);
    if (status == NPART_OK)
        *out = joined(work->plan ? work->plan : plan, NULL);
    npart_plan_free(plan);
    return status;
}

static npart_status analyse(const struct work *work, char **out)
{
    if (work->inference || work->plan)
        return analyse_shared(work, out);
    npart_model *model = NULL;
    npart_oplist *oplist = NULL;
    npart_inference *inference = NULL, *fixed = NULL;
    npart_plan *plan = NULL, *fixed_plan = NULL;
    npart_status status = work->model ? NPART_OK : npart_model_read_file(&model, work->path, NULL, NULL);
    if (status == NPART_OK && !work->oplist)
        status = npart_oplist_find(&oplist, "hexagon", NULL, NULL);
    if (status == NPART_OK)
        status = npart_inference_make(&inference, work->model ? work->model : model, NULL, NULL);
    if (status == NPART_OK)
        status = npart_inference_make_fixed(&fixed, inference, NULL);
    if (status == NPART_OK)
        status = npart_plan_make(&plan, inference, work->oplist ? work->oplist : oplist, NULL, NULL, NULL);
    if (status == NPART_OK && fixed)
        status = npart_plan_make(&fixed_plan, fixed, work->oplist ? work->oplist : oplist, NULL, NULL, NULL);
    if (status == NPART_OK)
        *out = joined(plan, fixed_plan);
    npart_plan_free(fixed_plan);
    npart_plan_free(plan);
    npart_inference_free(fixed);
    npart_inference_free(inference);
    npart_oplist_free(oplist);
    npart_model_free(model);
    return status;
}

static void *run(void *payload)
{
    struct work *work = payload;
    for (unsigned i = 0; i < ROUNDS && work->status == NPART_OK; i++)
        work->status = analyse(work, &work->reports[i]);
    return NULL;
}

/* Runs all at once; each report must be the one that is wanted of it. */
static void run_all(struct work *works, char *const *wanted)
{
    pthread_t threads[THREADS];
    for (unsigned i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run, &works[i]) == 0);
    for (unsigned i = 0; i < THREADS; i++)
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    for (unsigned i = 0; i < THREADS; i++) {
        CHECK_INT(works[i].status, NPART_OK);
        for (unsigned k = 0; k < ROUNDS; k++) {
            CHECK(works[i].reports[k] && strcmp(works[i].reports[k], wanted[i]) == 0);
            free(works[i].reports[k]);
        }
    }
}

static void test_threads__handles_of_their_own(void)
{
    struct work works[THREADS] = {{0}};
    char *wanted[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        works[i].path = paths[i];
        REQUIRE(analyse(&works[i], &wanted[i]) == NPART_OK);
    }
    run_all(works, wanted);
    for (unsigned i = 0; i < THREADS; i++)
        free(wanted[i]);
}

static void test_threads__inferences_of_one_model(void)
{
    struct work works[THREADS] = {{0}};
    char *wanted[THREADS];
    npart_model *model = NULL;
    npart_oplist *oplist = NULL;
    REQUIRE(npart_model_read_file(&model, paths[0], NULL, NULL) == NPART_OK);
    REQUIRE(npart_oplist_find(&oplist, "hexagon", NULL, NULL) == NPART_OK);
    for (unsigned i = 0; i < THREADS; i++)
        works[i] = (struct work){.model = model, .oplist = oplist};
    REQUIRE(analyse(&works[0], &wanted[0]) == NPART_OK);
    for (unsigned i = 1; i < THREADS; i++)
        wanted[i] = wanted[0];
    run_all(works, wanted);
    free(wanted[0]);
    npart_oplist_free(oplist);
    npart_model_free(model);
}

/* `reads` one plan, or makes plans of one inference; nothing was asked of either before. */
static void share_inference(const char *path, const char *list, bool reads)
{
    struct work works[THREADS] = {{0}};
    char *wanted[THREADS];
    npart_model *model = NULL;
    npart_oplist *oplist = NULL;
    npart_inference *inference = NULL, *alone = NULL;
    npart_plan *plan = NULL;
    REQUIRE(npart_model_read_file(&model, path, NULL, NULL) == NPART_OK);
    REQUIRE(npart_oplist_find(&oplist, list, NULL, NULL) == NPART_OK);
    REQUIRE(npart_inference_make(&alone, model, NULL, NULL) == NPART_OK);
    REQUIRE(npart_inference_make(&inference, model, NULL, NULL) == NPART_OK);
    works[0] = (struct work){.inference = alone, .oplist = oplist};
    REQUIRE(analyse(&works[0], &wanted[0]) == NPART_OK);
    if (reads)
        REQUIRE(npart_plan_make(&plan, inference, oplist, NULL, NULL, NULL) == NPART_OK);
    for (unsigned i = 0; i < THREADS; i++) {
        works[i] = (struct work){.inference = inference, .oplist = oplist, .plan = plan};
        wanted[i] = wanted[0];
    }
    npart_model_free(model); /* kept by what was made from it */
    run_all(works, wanted);
    free(wanted[0]);
    npart_oplist_free(oplist);
    npart_inference_free(inference);
    npart_inference_free(alone);
    npart_plan_free(plan);
}

static void test_threads__plans_of_one_inference(void)
{
    for (unsigned i = 0; i < THREADS; i++)
        share_inference(paths[i], "hexagon", false);
    share_inference(paths[0], "intel-npu", false);
}

static void test_threads__readers_of_one_plan(void)
{
    for (unsigned i = 0; i < THREADS; i++)
        share_inference(paths[i], "hexagon", true);
    share_inference(paths[3], "intel-npu", true);
}

TESTS(test_threads__handles_of_their_own, test_threads__inferences_of_one_model, test_threads__plans_of_one_inference,
      test_threads__readers_of_one_plan)
