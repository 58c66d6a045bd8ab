/* SPDX-License-Identifier: Apache-2.0
 *
 * What fix finds, writes and tells, for one or two targets, any rewrites, and sizes and placements that a user gives:
 * choices (fuzz/request.h has the last of them) and one model (fuzz/subject.h), which stands in a folder of its own
 * beside a file of external data. What is written can be read, and has the plan that was predicted.
 */
#include "fuzz/folder.h"
#include "fuzz/fuzz.h"
#include "fuzz/request.h"

static size_t live_bytes;
static const struct npart_allocator limited = {fuzz_allocate, NULL, fuzz_release, &live_bytes};

/* By choice; choice 0 is the number of models. */
enum { VALUE = 1, WEIGHTS, LIST, SECOND_LIST, ALLOWED, FLAGS };
enum { HAS_SECOND = 1, HAS_REPORT = 2, ANY_GROWTH = 4, IS_BESIDE = 8, HAS_VALUE = 16 };

/* ---- what it says ---------------------------------------------------------------------------------------------- */

static void check_cache(const npart_fix *fix)
{
    struct npart_cache_info cache = {.size = sizeof cache};
    struct npart_cache_port port = {.size = sizeof port};
    uint32_t count = 0;
    if (!npart_fix_cache(fix, &cache))
        return;
    uint32_t added = cache.order == NPART_SLOTS_LEFT ? 0 : cache.tokens;
    FUZZ_REQUIRE(cache.past + added == cache.slots && cache.text && npart_slot_order_text(cache.order));
    for (; npart_fix_cache_port(fix, count, &port); count++)
        FUZZ_REQUIRE(port.name && port.type && npart_port_role_text(port.role));
    FUZZ_REQUIRE(count == cache.port_count);
}

static void check_steps(const npart_fix *fix)
{
    struct npart_fix_info info = {.size = sizeof info};
    struct npart_fix_step step = {.size = sizeof step};
    const char *rewrite, *why;
    uint32_t count = 0;
    FUZZ_REQUIRE(npart_fix_info(fix, &info));
    for (; npart_fix_step(fix, count, &step); count++) {
        FUZZ_REQUIRE(*step.rewrite && *step.argument && npart_equality_text(step.equality) && step.site_count > 0);
        for (uint32_t i = 0; i < step.removed_count; i++)
            FUZZ_REQUIRE(step.removed[i]);
        for (uint32_t i = 0; i < step.added_count; i++)
            FUZZ_REQUIRE(step.added[i]);
        for (uint32_t i = 0; i < info.target_count; i++)
            FUZZ_REQUIRE(step.after[i].nodes == step.after[i].folded + step.after[i].live);
    }
    FUZZ_REQUIRE(count == info.step_count);
    for (count = 0; npart_fix_taken_back(fix, count, &rewrite, &why); count++)
        FUZZ_REQUIRE(*rewrite && *why);
    FUZZ_REQUIRE(count == info.taken_back_count);
    check_cache(fix);
    for (uint32_t i = 0; i < info.target_count; i++) {
        FUZZ_REQUIRE(npart_fix_plan(fix, i));
        fuzz_check_plan(npart_fix_plan(fix, i));
    }
    FUZZ_REQUIRE(!npart_fix_plan(fix, info.target_count));
}

static void report_fix(const npart_fix *fix, const char *written)
{
    struct fuzz_text text = {NULL, 0}, json = {NULL, 0};
    struct npart_error error;
    FUZZ_REQUIRE(npart_report(OF_FIX(fix, written), NPART_FORMAT_TEXT, NULL, fuzz_keep, &text, &error) == NPART_OK);
    FUZZ_REQUIRE(npart_report(OF_FIX(fix, written), NPART_FORMAT_JSON, NULL, fuzz_keep, &json, &error) == NPART_OK);
    fuzz_check_plain(&text, false);
    fuzz_check_json(&json);
    free(text.data);
    free(json.data);
}

/* ---- what it writes -------------------------------------------------------------------------------------------- */

/* The file is read again before it is put in place: UNPROVEN is where its plan is another. */
static void write_fix(const npart_fix *fix, const struct folder *folder, const struct subject *subject)
{
    struct npart_error error;
    npart_status status = npart_fix_write(fix, folder->out, (enum npart_weights)subject_choose(subject, WEIGHTS, 4),
                                          &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    if (status == NPART_ERROR_UNPROVEN || status == NPART_ERROR_OPLIST || status == NPART_ERROR_MALFORMED)
        fprintf(stderr, "%s: %s\n", error.place, error.message);
    FUZZ_REQUIRE(status != NPART_ERROR_UNPROVEN && status != NPART_ERROR_OPLIST && status != NPART_ERROR_MALFORMED);
    report_fix(fix, status == NPART_OK ? folder->out : NULL);
    if (status == NPART_OK)
        npart_inference_free(folder_infer(folder->out, &limited));
}

/* ---- one input ------------------------------------------------------------------------------------------------- */

/* An input of the graph that becomes a constant. */
static bool choose_value(const npart_model *model, unsigned choice, struct npart_bound_value *value)
{
    static const double numbers[] = {0, 1, -1, 3};
    struct npart_graph graph = {.size = sizeof graph};
    struct npart_value input = {.size = sizeof input};
    npart_inference *inference = subject_infer(model, false);
    bool is_there = inference && npart_model_graph(model, 0, &graph) && graph.input_count &&
                    npart_inference_value(inference, graph.inputs[choice / 4 % graph.input_count], &input) &&
                    *input.name;
    if (is_there)
        *value = (struct npart_bound_value){input.name, &numbers[choice % 4], 1};
    npart_inference_free(inference);
    return is_there;
}

static void fix(const struct subject *subject, const npart_model *model, const struct folder *folder)
{
    struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    struct npart_bound_value value;
    struct request request;
    const npart_oplist *oplists[2];
    const char *const targets[] = {request_target(subject->choices[LIST], &oplists[0]),
                                   request_target(subject->choices[SECOND_LIST], &oplists[1])};
    unsigned flags = subject->choices[FLAGS];
    struct npart_error error;
    npart_fix *found = NULL;
    request_make(&request, subject, model, NULL);
    options.sizes = &request.sizes;
    options.plan = &request.plan;
    options.values = &value;
    options.value_count = flags & HAS_VALUE && choose_value(model, subject->choices[VALUE], &value);
    options.allowed = subject_choose(subject, ALLOWED, 32);
    if (subject->choices[VALUE] & 0x80) { /* a decoder's cache is to have a fixed size */
        options.cache_slots = 8;
        options.cache_tokens = 1 + (subject->choices[VALUE] >> 6 & 1);
        options.cache_shifts = subject->choices[VALUE] >> 5 & 1;
        options.cuts_windows = subject->choices[VALUE] >> 6 & 1;
    }
    options.most_growth = flags & ANY_GROWTH ? -1 : 0.25;
    options.allocator = &limited;
    npart_status status = npart_fix_make(&found, folder->model, oplists, targets, flags & HAS_SECOND ? 2 : 1, &options,
                                         &error);
    FUZZ_REQUIRE((status == NPART_OK) == (found != NULL));
    if (status != NPART_OK) {
        fuzz_check_error(status, &error);
        return;
    }
    check_steps(found);
    if (flags & HAS_REPORT)
        fuzz_report(npart_fix_plan(found, 0), NULL);
    write_fix(found, folder, subject);
    npart_fix_free(found);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct subject subject;
    struct folder folder;
    subject_take(&subject, 1, data, bytes);
    npart_model *model = subject_read(subject.models[0].data, subject.models[0].bytes, "m.onnx", &limited);
    if (model) {
        struct bytes file = subject_file(subject.models[0].data, subject.models[0].bytes);
        folder_make(&folder, &file, (subject.choices[FLAGS] & IS_BESIDE) != 0);
        bytes_free(&file);
        fix(&subject, model, &folder);
        folder_end(&folder);
    }
    npart_model_free(model);
    FUZZ_REQUIRE(live_bytes == 0);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed);

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t max_size, unsigned seed)
{
    return subject_mutate(1, data, size, max_size, seed);
}
