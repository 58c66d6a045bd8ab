/* SPDX-License-Identifier: Apache-2.0
 *
 * A model with options of reading, and with memory or time that ends: choices and one model (fuzz/subject.h). One
 * allocation of all fails, or all from one on, or those that go beyond a number of bytes; or there is a budget. What
 * fails says so and gives back what it took.
 */
#include "fuzz/fuzz.h"
#include "fuzz/subject.h"

/* By choice; choice 0 is the number of models. */
enum { WAY = 1, KEPT, LIST, LOW, HIGH, SHIFT, VALUES, NUMBER };
enum { FAILS_ONCE, FAILS_ON, FAILS_ABOVE, NEVER_FAILS, HAS_MEMORY_BUDGET, HAS_TIME_BUDGET, WAYS };

struct memory {
    size_t live_bytes, calls;
    unsigned way;
    size_t fail_at, most_bytes;
};

static void *allocate(void *payload, size_t bytes)
{
    struct memory *memory = payload;
    memory->calls++;
    if ((memory->way == FAILS_ONCE && memory->calls == memory->fail_at) ||
        (memory->way == FAILS_ON && memory->calls >= memory->fail_at) ||
        (memory->way == FAILS_ABOVE && bytes + memory->live_bytes > memory->most_bytes))
        return NULL;
    return fuzz_allocate(&memory->live_bytes, bytes);
}

static void release(void *payload, void *block)
{
    struct memory *memory = payload;
    fuzz_release(&memory->live_bytes, block);
}

/* A budget is another failure than memory that has run out, and without one there is no lack of time. */
static npart_status check(const struct memory *memory, npart_status status, const struct npart_error *error)
{
    if (status == NPART_OK)
        return status;
    fuzz_check_error(status, error);
    FUZZ_REQUIRE(status != NPART_ERROR_WRITE && status != NPART_ERROR_OPLIST && status != NPART_ERROR_UNPROVEN);
    FUZZ_REQUIRE(status != NPART_ERROR_MEMORY || memory->way < HAS_MEMORY_BUDGET);
    FUZZ_REQUIRE(status != NPART_ERROR_TIMEOUT || memory->way == HAS_TIME_BUDGET);
    return status;
}

/* All that is made of a model. */
static void analyse(const struct memory *memory, const npart_model *model, const npart_oplist *oplist,
                    const struct npart_allocator *allocator)
{
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct npart_error error;
    npart_inference *open = NULL, *fixed = NULL;
    npart_plan *plan = NULL, *fixed_plan = NULL;
    npart_advice *advice = NULL;
    npart_record *record = NULL;
    npart_diff *diff = NULL;
    struct npart_diff_options how = NPART_DIFF_OPTIONS_INIT;
    struct fuzz_text json = {NULL, 0};
    how.allocator = allocator;
    npart_status status = check(memory, npart_inference_make(&open, model, NULL, &error), &error);
    if (status == NPART_OK)
        status = check(memory, npart_inference_make_fixed(&fixed, open, &error), &error);
    if (status == NPART_OK)
        status = check(memory, npart_plan_make(&plan, open, oplist, NULL, &options, &error), &error);
    if (status == NPART_OK && fixed)
        status = check(memory, npart_plan_make(&fixed_plan, fixed, oplist, NULL, &options, &error), &error);
    if (status == NPART_OK)
        status = check(memory, npart_advice_make(&advice, plan, fixed_plan, NULL, 0, &error), &error);
    const struct npart_plan_pair pair = {plan, fixed_plan, advice};
    if (status == NPART_OK)
        status = check(memory, npart_report(OF_PLANS(&pair, 1), NPART_FORMAT_JSON, NULL, fuzz_keep, &json, &error),
                       &error);
    if (status == NPART_OK)
        fuzz_check_json(&json);
    if (status == NPART_OK)
        status = check(memory, npart_record_make(&record, plan, advice, &error), &error);
    if (status == NPART_OK)
        status = npart_diff_make(&diff, npart_record_side(record), npart_record_side(record), &how, &error);
    if (status != NPART_OK)
        FUZZ_REQUIRE(error.status == status);
    free(json.data);
    npart_diff_free(diff);
    npart_record_free(record);
    npart_advice_free(advice);
    npart_plan_free(fixed_plan);
    npart_plan_free(plan);
    npart_inference_free(fixed);
    npart_inference_free(open);
}

/* Of a file, as a stream. */
static ptrdiff_t take(void *payload, void *out, size_t bytes)
{
    struct bytes *rest = payload;
    size_t taken = bytes < rest->size ? bytes : rest->size;
    memcpy(out, rest->data, taken);
    rest->data += taken;
    rest->size -= taken;
    return (ptrdiff_t)taken;
}

static void run(const struct subject *subject, const struct bytes *file, struct memory *memory)
{
    static const uint64_t kept[] = {0, 1, 4, 8, 64, 4095, 1 << 20, UINT64_MAX};
    static const double numbers[] = {0, 1, -1, 1e30, 0.5};
    const struct npart_allocator allocator = {allocate, NULL, release, memory};
    const struct npart_bound_value values[] = {
        {subject->choices[NUMBER] % 2 ? "v0" : "x", numbers + subject_choose(subject, NUMBER, 5), 1},
        {"v1", numbers, 5},
    };
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    struct npart_error error;
    npart_model *model = NULL;
    options.allocator = &allocator;
    options.keep_bytes = kept[subject_choose(subject, KEPT, 8)];
    options.values = values;
    options.value_count = subject_choose(subject, VALUES, 6) % 3;
    if (memory->way == HAS_MEMORY_BUDGET)
        options.max_memory_bytes = memory->most_bytes + 1;
    if (memory->way == HAS_TIME_BUDGET)
        options.max_ms = memory->fail_at % 4 + 1;
    struct bytes rest = *file;
    npart_status status = options.value_count
                              ? npart_model_read_bound(&model, NULL, take, &rest, &options, &error)
                              : npart_model_read_memory(&model, file->data, file->size, &options, &error);
    (void)check(memory, status, &error);
    if (status == NPART_OK)
        analyse(memory, model, fuzz_builtin_oplist(subject->choices[LIST]), &allocator);
    npart_model_free(model);
    FUZZ_REQUIRE(memory->live_bytes == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct subject subject;
    subject_take(&subject, 1, data, bytes);
    struct bytes file = subject_file(subject.models[0].data, subject.models[0].bytes);
    size_t number = (size_t)subject.choices[HIGH] << 8 | subject.choices[LOW];
    struct memory memory = {.way = subject_choose(&subject, WAY, WAYS),
                            .fail_at = number % 600 + 1,
                            .most_bytes = number << subject_choose(&subject, SHIFT, 8)};
    run(&subject, &file, &memory);
    bytes_free(&file);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return subject_mutate(1, data, size, max_size, seed);
}
