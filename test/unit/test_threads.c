/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads that analyse different models at the same time, each with its own handles, threads that share a model and an
 * op list, threads that make plans of one inference, and threads that read one plan: all get what one thread gets.
 * Threads that ask for a list by name while others plan for it, and that free handles of one analysis at the same time.
 * `make check-threads` runs this under the thread sanitizer.
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

/* ---- sizes that are chosen --------------------------------------------------------------------------------------- */

static void *run_fixed(void *payload)
{
    struct npart_inference_info info = {.size = sizeof info};
    npart_inference *fixed = NULL;
    CHECK_INT(npart_inference_make_fixed(&fixed, payload, NULL), NPART_OK);
    CHECK(npart_inference_info(fixed, &info) && info.binding_count == 1);
    npart_inference_free(fixed);
    return NULL;
}

/* Of an inference that was told to note which dims the model lacks. */
static void test_threads__sizes_of_one_inference(void)
{
    const struct npart_dim_binding dim = {.name = "no_such_dim", .size = 4};
    struct npart_inference_options options = NPART_INFERENCE_OPTIONS_INIT;
    pthread_t threads[THREADS];
    struct analysis at;
    options.dims = &dim;
    options.dim_count = 1;
    options.may_lack_dims = true;
    analysis_infer(&at, "input x float32[n,2]\nnode y = Relu(x)\noutput y\n", &options);
    CHECK(npart_inference_lacks(at.inference, 0));
    for (unsigned i = 0; i < THREADS; i++)
        REQUIRE(pthread_create(&threads[i], NULL, run_fixed, at.inference) == 0);
    for (unsigned i = 0; i < THREADS; i++)
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    analysis_close(&at);
}

/* ---- many targets, and handles that go while others are used ---------------------------------------------------- */

struct turn {
    const npart_inference *inference; /* shared */
    uint32_t first;                   /* of the targets, every THREADS-th is this thread's */
    uint32_t partitions[64], accepted[64]; /* by target */
    npart_status status;
};

/* The plan at fixed sizes, its figures, and names of the model that other threads ask for, too. */
static npart_status plan_for(struct turn *turn, uint32_t target)
{
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_inference_info info = {.size = sizeof info};
    struct npart_work work = {.size = sizeof work};
    npart_oplist *oplist = NULL;
    npart_inference *fixed = NULL;
    npart_plan *plan = NULL;
    npart_advice *advice = NULL;
    char text[64];
    npart_status status = npart_oplist_find(&oplist, npart_builtin_oplist(target), NULL, NULL);
    if (status == NPART_OK)
        status = npart_inference_make_fixed(&fixed, turn->inference, NULL);
    if (status == NPART_OK)
        status = npart_plan_make(&plan, fixed ? fixed : turn->inference, oplist, NULL, NULL, NULL);
    npart_oplist_free(oplist); /* kept by the plan */
    npart_inference_free(fixed);
    if (status == NPART_OK)
        status = npart_advice_make(&advice, plan, NULL, NULL, 0, NULL);
    if (status == NPART_OK && npart_plan_summary(plan, &summary)) {
        turn->partitions[target] = summary.partitions;
        turn->accepted[target] = summary.accepted;
        (void)npart_inference_info(turn->inference, &info);
        (void)npart_inference_work(turn->inference, target, &work, NULL);
        (void)npart_model_node_text(npart_inference_model(turn->inference), target, text, sizeof text);
    }
    npart_plan_free(plan);
    npart_advice_free(advice);
    return status;
}

static void *run_turn(void *payload)
{
    struct turn *turn = payload;
    for (uint32_t target = turn->first; turn->status == NPART_OK && npart_builtin_oplist(target); target += THREADS)
        turn->status = plan_for(turn, target);
    return NULL;
}

static void test_threads__plans_for_all_targets(void)
{
    static struct turn turns[THREADS], alone;
    pthread_t threads[THREADS];
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    uint32_t count = 0;
    REQUIRE(npart_model_read_file(&model, paths[0], NULL, NULL) == NPART_OK);
    REQUIRE(npart_inference_make(&inference, model, NULL, NULL) == NPART_OK);
    for (uint32_t i = 0; i < THREADS; i++) {
        turns[i] = (struct turn){.inference = inference, .first = i};
        REQUIRE(pthread_create(&threads[i], NULL, run_turn, &turns[i]) == 0);
    }
    npart_model_free(model); /* while they plan */
    for (uint32_t i = 0; i < THREADS; i++)
        REQUIRE(pthread_join(threads[i], NULL) == 0);
    alone.inference = inference;
    for (; npart_builtin_oplist(count); count++) {
        const struct turn *turn = &turns[count % THREADS];
        REQUIRE(count < 64 && turn->status == NPART_OK && plan_for(&alone, count) == NPART_OK);
        CHECK_INT(turn->partitions[count], alone.partitions[count]);
        CHECK_INT(turn->accepted[count], alone.accepted[count]);
    }
    CHECK(count > THREADS && alone.accepted[0] > 0);
    npart_inference_free(inference);
}

/* Of one analysis; each thread asks its handle, and frees it. */
struct share {
    npart_model *model;
    npart_inference *inference;
    npart_oplist *oplist;
    npart_plan *plan;
    bool is_told;
};

static void *ask_and_free(void *payload)
{
    struct share *share = payload;
    struct npart_model_info model = {.size = sizeof model};
    struct npart_inference_info inference = {.size = sizeof inference};
    struct npart_oplist_info oplist = {.size = sizeof oplist};
    struct npart_memory memory = {.size = sizeof memory};
    share->is_told = (share->model && npart_model_info(share->model, &model)) ||
                     (share->inference && npart_inference_info(share->inference, &inference)) ||
                     (share->oplist && npart_oplist_info(share->oplist, &oplist)) ||
                     (share->plan && npart_plan_memory(share->plan, &memory));
    npart_model_free(share->model);
    npart_inference_free(share->inference);
    npart_oplist_free(share->oplist);
    npart_plan_free(share->plan);
    return NULL;
}

static void test_threads__handles_freed_at_once(void)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        struct share shares[THREADS] = {{0}};
        pthread_t threads[THREADS];
        REQUIRE(npart_model_read_file(&shares[0].model, paths[0], NULL, NULL) == NPART_OK);
        REQUIRE(npart_inference_make(&shares[1].inference, shares[0].model, NULL, NULL) == NPART_OK);
        REQUIRE(npart_oplist_find(&shares[2].oplist, "tidl", NULL, NULL) == NPART_OK);
        REQUIRE(npart_plan_make(&shares[3].plan, shares[1].inference, shares[2].oplist, NULL, NULL, NULL) == NPART_OK);
        for (unsigned i = 0; i < THREADS; i++) /* from another on each time */
            REQUIRE(pthread_create(&threads[i], NULL, ask_and_free, &shares[(i + round) % THREADS]) == 0);
        for (unsigned i = 0; i < THREADS; i++)
            REQUIRE(pthread_join(threads[i], NULL) == 0);
        for (unsigned i = 0; i < THREADS; i++)
            CHECK(shares[i].is_told);
    }
}

TESTS(test_threads__handles_of_their_own, test_threads__inferences_of_one_model, test_threads__plans_of_one_inference,
      test_threads__readers_of_one_plan, test_threads__sizes_of_one_inference,
      test_threads__plans_for_all_targets, test_threads__handles_freed_at_once)
