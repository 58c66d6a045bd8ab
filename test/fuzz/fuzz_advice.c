/* SPDX-License-Identifier: Apache-2.0
 *
 * What to change so that the NPU takes more, for any target: choices (fuzz/request.h has the last of them) and one
 * model (fuzz/subject.h). Actions name causes that there are, need what comes before them, and are the same again.
 */
#include "fuzz/fuzz.h"
#include "fuzz/request.h"
#include "fuzz/sweep.h"

static size_t live_bytes;
static const struct npart_allocator limited = {fuzz_allocate, NULL, fuzz_release, &live_bytes};

/* By choice; choice 0 is the number of models. */
enum { LIST = 1, FLAGS, USE };
enum { HAS_FIXED = 1, IS_FIXED = 2, HAS_USE = 4, HAS_SWEEP = 8 };

static void check_after(const struct npart_after *after)
{
    FUZZ_REQUIRE(after->coverage >= 0 && after->coverage <= 1 && after->mac_coverage <= 1);
    FUZZ_REQUIRE(after->verdict < NPART_PLAN_UNKNOWN);
}

static uint32_t check_actions(const npart_advice *advice, const npart_plan *plan)
{
    struct npart_plan_info info = {.size = sizeof info};
    struct npart_action action = {.size = sizeof action};
    struct npart_recommendation recommendation = {.size = sizeof recommendation};
    uint32_t count = 0, i;
    FUZZ_REQUIRE(npart_plan_info(plan, &info));
    while (npart_advice_action(advice, count, &action))
        count++;
    for (uint32_t at = 0; npart_advice_action(advice, at, &action); at++) {
        FUZZ_REQUIRE(*action.kind && *action.text && action.rewrites && action.equality);
        for (i = 0; i < action.cause_count; i++)
            FUZZ_REQUIRE(action.causes[i] < info.cause_count);
        for (i = 0; i < action.need_count; i++)
            FUZZ_REQUIRE(action.needs[i] < count && action.needs[i] != at);
        FUZZ_REQUIRE(action.instead_of == NPART_NONE || (action.instead_of < count && action.instead_of != at));
        check_after(&action.after);
    }
    FUZZ_REQUIRE(npart_advice_recommendation(advice, &recommendation) && npart_choice_text(recommendation.choice));
    return count;
}

static void check_same(const npart_advice *first, const npart_advice *second, uint32_t count)
{
    struct npart_action one = {.size = sizeof one}, other = {.size = sizeof other};
    for (uint32_t i = 0; i < count; i++)
        FUZZ_REQUIRE(npart_advice_action(first, i, &one) && npart_advice_action(second, i, &other) &&
                     strcmp(one.text, other.text) == 0 && one.after.partitions == other.after.partitions);
    FUZZ_REQUIRE(!npart_advice_action(second, count, &other));
}

static void advise(const npart_plan *plan, const npart_plan *fixed)
{
    npart_advice *first = NULL, *second = NULL;
    struct npart_error error;
    npart_status status = npart_advice_make(&first, plan, fixed, NULL, 0, &error);
    if (status == NPART_OK) {
        uint32_t count = check_actions(first, plan);
        status = npart_advice_make(&second, plan, fixed, NULL, 0, &error);
        if (status == NPART_OK)
            check_same(first, second, count);
    }
    if (status != NPART_OK) {
        FUZZ_REQUIRE(status == NPART_ERROR_MEMORY);
        fuzz_check_error(status, &error);
    }
    npart_advice_free(second);
    npart_advice_free(first);
}

/* The inference of one of the uses, or of sizes that are usual, instead of the open one. */
static npart_inference *chosen(const struct subject *subject, npart_inference *open, bool is_for_plan)
{
    npart_inference *inference = NULL;
    unsigned flags = subject->choices[FLAGS];
    if (flags & HAS_USE)
        (void)npart_inference_make_use(&inference, open, subject_choose(subject, USE, 3), NULL);
    else if (flags & (is_for_plan ? IS_FIXED : HAS_FIXED))
        (void)npart_inference_make_fixed(&inference, open, NULL);
    return inference;
}

static void plan_and_advise(const struct subject *subject, const struct request *request, npart_inference *open)
{
    const npart_oplist *oplist;
    const char *target = request_target(subject->choices[LIST], &oplist);
    npart_inference *other = chosen(subject, open, true), *sizes = other ? NULL : chosen(subject, open, false);
    npart_plan *plan = NULL, *fixed = NULL;
    struct npart_error error;
    npart_status status = npart_plan_make(&plan, other ? other : open, oplist, target, &request->plan, &error);
    if (status == NPART_OK && sizes)
        status = npart_plan_make(&fixed, sizes, oplist, target, &request->plan, &error);
    if (status == NPART_OK) {
        fuzz_check_plan(plan);
        advise(plan, fixed);
        fuzz_report(plan, fixed);
        if (subject->choices[FLAGS] & HAS_SWEEP)
            sweep_plan(plan);
    } else {
        fuzz_check_error(status, &error);
    }
    npart_plan_free(plan);
    npart_plan_free(fixed);
    npart_inference_free(other);
    npart_inference_free(sizes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct subject subject;
    struct request request;
    subject_take(&subject, 1, data, bytes);
    npart_model *model = subject_read(subject.models[0].data, subject.models[0].bytes, "m.onnx", &limited);
    npart_inference *inference = NULL;
    if (model) {
        request_make(&request, &subject, model, &limited);
        inference = request_infer(&request, model);
    }
    if (inference)
        plan_and_advise(&subject, &request, inference);
    npart_inference_free(inference);
    npart_model_free(model);
    FUZZ_REQUIRE(live_bytes == 0);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return subject_mutate(1, data, size, max_size, seed);
}
