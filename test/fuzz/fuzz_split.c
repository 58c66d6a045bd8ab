/* SPDX-License-Identifier: Apache-2.0
 *
 * The parts of a split, and an annotated model, for any target: choices (fuzz/request.h has the last of them) and one
 * model (fuzz/subject.h), which stands in a folder of its own beside a file of external data. Each part is a model.
 */
#include "fuzz/folder.h"
#include "fuzz/fuzz.h"
#include "fuzz/request.h"

static size_t live_bytes;
static const struct npart_allocator limited = {fuzz_allocate, NULL, fuzz_release, &live_bytes};

/* By choice; choice 0 is the number of models, 5 is not asked. */
enum { COMMAND = 1, WEIGHTS, LIST, SECOND_LIST, FLAGS = 6 };
enum { HAS_SECOND = 1, IS_BESIDE = 8 };

/* ---- what was written ------------------------------------------------------------------------------------------ */

/* A file that split has written: a part, which is a model, the manifest, or weights. */
static void look_at_part(const char *path)
{
    size_t length = strlen(path);
    struct fuzz_text text = {NULL, 0};
    if (length > 5 && strcmp(path + length - 5, ".onnx") == 0)
        npart_inference_free(folder_infer(path, &limited));
    if (length > 5 && strcmp(path + length - 5, ".json") == 0) {
        char piece[4096];
        FILE *file = fopen(path, "rb");
        FUZZ_REQUIRE(file);
        for (size_t got; (got = fread(piece, 1, sizeof piece, file)) > 0;)
            (void)fuzz_keep(&text, piece, got);
        (void)fclose(file);
        fuzz_check_json(&text);
        free(text.data);
    }
}

/* Annotations change nothing that a plan looks at. */
static void check_annotated(const char *path, const npart_plan *plan, const struct request *request,
                            const char *target)
{
    struct npart_summary before = {.size = sizeof before}, after = {.size = sizeof after};
    npart_inference *read = folder_infer(path, &limited);
    npart_inference *inference = read ? request_infer(request, npart_inference_model(read)) : NULL;
    npart_plan *again = NULL;
    if (inference &&
        npart_plan_make(&again, inference, npart_plan_oplist(plan), target, &request->plan, NULL) == NPART_OK) {
        npart_plan_summary(plan, &before);
        npart_plan_summary(again, &after);
        FUZZ_REQUIRE(before.nodes == after.nodes && before.live == after.live && before.accepted == after.accepted &&
                     before.partitions == after.partitions && before.macs == after.macs);
    }
    npart_plan_free(again);
    npart_inference_free(inference);
    npart_inference_free(read);
}

/* ---- commands -------------------------------------------------------------------------------------------------- */

/* Whatever the model is: these are about its file. */
static void check_status(npart_status status, const struct npart_error *error)
{
    if (status != NPART_OK)
        fuzz_check_error(status, error);
    if (status == NPART_ERROR_UNPROVEN || status == NPART_ERROR_OPLIST || status == NPART_ERROR_MALFORMED)
        fprintf(stderr, "%s: %s\n", error->place, error->message);
    FUZZ_REQUIRE(status != NPART_ERROR_UNPROVEN && status != NPART_ERROR_OPLIST && status != NPART_ERROR_MALFORMED);
}

static void write_plans(const struct subject *subject, const struct request *request, const struct folder *folder,
                        npart_inference *inference, bool splits)
{
    npart_plan *plans[2] = {NULL, NULL};
    const npart_oplist *oplist;
    struct npart_error error;
    enum npart_weights weights = (enum npart_weights)subject_choose(subject, WEIGHTS, 4);
    size_t count = subject->choices[FLAGS] & HAS_SECOND && !splits ? 2 : 1;
    npart_status status = NPART_OK;
    for (size_t i = 0; i < count && status == NPART_OK; i++) {
        const char *target = request_target(subject->choices[LIST + i], &oplist);
        status = npart_plan_make(&plans[i], inference, oplist, target, &request->plan, &error);
    }
    if (status == NPART_OK && splits) {
        status = npart_plan_split(plans[0], folder->model, folder->out, weights, &error);
    } else if (status == NPART_OK) {
        status = npart_plan_annotate((const npart_plan *const *)plans, count, folder->model, folder->out, weights,
                                     &error);
        if (status == NPART_OK)
            check_annotated(folder->out, plans[0], request, request_target(subject->choices[LIST], &oplist));
    }
    check_status(status, &error);
    npart_plan_free(plans[0]);
    npart_plan_free(plans[1]);
}

/* ---- one input ------------------------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct subject subject;
    struct request request;
    struct folder folder;
    subject_take(&subject, 1, data, bytes);
    npart_model *model = subject_read(subject.models[0].data, subject.models[0].bytes, "m.onnx", &limited);
    npart_inference *inference = NULL;
    bool splits = subject_choose(&subject, COMMAND, 2) == 0;
    if (model) {
        request_make(&request, &subject, model, &limited);
        inference = request_infer(&request, model);
    }
    if (inference) {
        struct bytes file = subject_file(subject.models[0].data, subject.models[0].bytes);
        folder_make(&folder, &file, (subject.choices[FLAGS] & IS_BESIDE) != 0);
        bytes_free(&file);
        write_plans(&subject, &request, &folder, inference, splits);
        if (splits)
            folder_look(folder.out, look_at_part);
        folder_end(&folder);
    }
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
