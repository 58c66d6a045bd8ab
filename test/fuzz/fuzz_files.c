/* SPDX-License-Identifier: Apache-2.0
 *
 * What is written to files and read again: the parts of a split, an annotated model, a fixed one. Choices and one model
 * (fuzz/subject.h), which stands in a folder of its own beside a file of external data.
 */
#if !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700
#endif
#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "fuzz/subject.h"

static size_t live_bytes;
static const struct npart_allocator limited = {fuzz_allocate, NULL, fuzz_release, &live_bytes};

/* By choice; choice 0 is the number of models. */
enum { COMMAND = 1, WEIGHTS, LIST, SECOND_LIST, ALLOWED, FLAGS };
enum { HAS_SECOND = 1, IS_OFF = 2, ANY_GROWTH = 4, IS_BESIDE = 8 };

#define MOST_EXTERNAL 4096

/* ---- a folder -------------------------------------------------------------------------------------------------- */

struct folder {
    char path[160], model[192], out[192];
};

static void write_file(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    FUZZ_REQUIRE(file && fwrite(data, 1, bytes, file) == bytes);
    FUZZ_REQUIRE(fclose(file) == 0);
}

/* External data can stay where it is for what is written beside the model. */
static void make_folder(struct folder *folder, const struct bytes *model, bool is_beside)
{
    static const char external[MOST_EXTERNAL];
    const char *temporary = getenv("TMPDIR");
    char path[192];
    (void)snprintf(folder->path, sizeof folder->path, "%.120s/npart-fuzz-XXXXXX", temporary ? temporary : "/tmp");
    FUZZ_REQUIRE(mkdtemp(folder->path));
    (void)snprintf(folder->model, sizeof folder->model, "%s/in/m.onnx", folder->path);
    (void)snprintf(folder->out, sizeof folder->out, "%s/%s", folder->path, is_beside ? "in/out" : "out");
    (void)snprintf(path, sizeof path, "%s/in", folder->path);
    FUZZ_REQUIRE(mkdir(path, 0700) == 0);
    write_file(folder->model, model->data, model->size);
    (void)snprintf(path, sizeof path, "%s/in/weights.bin", folder->path);
    write_file(path, external, sizeof external);
}

/* `look` (may be NULL) sees each file before it goes. */
static void remove_folder(const char *path, void (*look)(const char *path))
{
    char inner[512];
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        FUZZ_REQUIRE((size_t)snprintf(inner, sizeof inner, "%s/%s", path, entry->d_name) < sizeof inner);
        struct stat status;
        FUZZ_REQUIRE(lstat(inner, &status) == 0);
        if (S_ISDIR(status.st_mode)) {
            remove_folder(inner, look);
            continue;
        }
        if (look)
            look(inner);
        FUZZ_REQUIRE(unlink(inner) == 0);
    }
    if (folder)
        (void)closedir(folder);
    FUZZ_REQUIRE(!folder || rmdir(path) == 0);
}

/* ---- what was written ------------------------------------------------------------------------------------------ */

static npart_inference *infer_file(const char *path)
{
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    struct npart_error error;
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    options.allocator = &limited;
    npart_status status = npart_model_read_file(&model, path, &options, &error);
    if (status == NPART_OK)
        status = npart_inference_make(&inference, model, NULL, &error);
    if (status != NPART_OK && status != NPART_ERROR_MEMORY)
        fprintf(stderr, "%s: %s: %s\n", path, error.place, error.message);
    FUZZ_REQUIRE(status == NPART_OK || status == NPART_ERROR_MEMORY);
    npart_model_free(model);
    return inference;
}

/* A file that split has written: a part, which is a model, the manifest, or weights. */
static void look_at_part(const char *path)
{
    size_t length = strlen(path);
    struct fuzz_text text = {NULL, 0};
    if (length > 5 && strcmp(path + length - 5, ".onnx") == 0)
        npart_inference_free(infer_file(path));
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
static void check_annotated(const char *path, const npart_plan *const *plans, const struct subject *subject)
{
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    struct npart_summary before = {.size = sizeof before}, after = {.size = sizeof after};
    npart_inference *inference = infer_file(path);
    npart_plan *plan = NULL;
    options.level = subject->choices[FLAGS] & IS_OFF ? NPART_LEVEL_OFF : NPART_LEVEL_BASIC;
    if (inference && npart_plan_make(&plan, inference, npart_plan_oplist(plans[0]), NULL, &options, NULL) == NPART_OK) {
        npart_plan_summary(plans[0], &before);
        npart_plan_summary(plan, &after);
        FUZZ_REQUIRE(before.nodes == after.nodes && before.live == after.live && before.accepted == after.accepted &&
                     before.partitions == after.partitions && before.macs == after.macs);
    }
    npart_plan_free(plan);
    npart_inference_free(inference);
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

static enum npart_weights weights_of(const struct subject *subject)
{
    return (enum npart_weights)subject_choose(subject, WEIGHTS, 4);
}

static void write_plans(const struct subject *subject, const struct folder *folder, npart_inference *inference,
                        bool splits)
{
    struct npart_plan_options options = NPART_PLAN_OPTIONS_INIT;
    npart_plan *plans[2] = {NULL, NULL};
    struct npart_error error;
    size_t count = subject->choices[FLAGS] & HAS_SECOND && !splits ? 2 : 1;
    npart_status status = NPART_OK;
    options.level = subject->choices[FLAGS] & IS_OFF ? NPART_LEVEL_OFF : NPART_LEVEL_BASIC;
    for (size_t i = 0; i < count && status == NPART_OK; i++)
        status = npart_plan_make(&plans[i], inference, fuzz_builtin_oplist(subject->choices[LIST + i]), NULL, &options,
                                 &error);
    if (status == NPART_OK && splits) {
        status = npart_plan_split(plans[0], folder->model, folder->out, weights_of(subject), &error);
    } else if (status == NPART_OK) {
        status = npart_plan_annotate((const npart_plan *const *)plans, count, folder->model, folder->out,
                                     weights_of(subject), &error);
        if (status == NPART_OK)
            check_annotated(folder->out, (const npart_plan *const *)plans, subject);
    }
    check_status(status, &error);
    npart_plan_free(plans[0]);
    npart_plan_free(plans[1]);
}

static void report_fix(const npart_fix *fix, const char *written)
{
    struct fuzz_text text = {NULL, 0}, json = {NULL, 0};
    struct npart_error error;
    FUZZ_REQUIRE(npart_report_fix_text(fix, written, NULL, fuzz_keep, &text, &error) == NPART_OK);
    FUZZ_REQUIRE(npart_report_fix_json(fix, written, fuzz_keep, &json, &error) == NPART_OK);
    fuzz_check_plain(&text, false);
    fuzz_check_json(&json);
    free(text.data);
    free(json.data);
}

static void fix(const struct subject *subject, const struct folder *folder)
{
    struct npart_fix_options options = NPART_FIX_OPTIONS_INIT;
    struct npart_plan_options plan = NPART_PLAN_OPTIONS_INIT;
    const npart_oplist *const oplists[] = {fuzz_builtin_oplist(subject->choices[LIST]),
                                           fuzz_builtin_oplist(subject->choices[SECOND_LIST])};
    const char *const targets[] = {NULL, NULL};
    struct npart_error error;
    npart_fix *found = NULL;
    plan.level = subject->choices[FLAGS] & IS_OFF ? NPART_LEVEL_OFF : NPART_LEVEL_BASIC;
    options.plan = &plan;
    options.allowed = subject_choose(subject, ALLOWED, 32);
    options.most_growth = subject->choices[FLAGS] & ANY_GROWTH ? -1 : 0.25;
    options.allocator = &limited;
    npart_status status = npart_fix_make(&found, folder->model, oplists, targets,
                                         subject->choices[FLAGS] & HAS_SECOND ? 2 : 1, &options, &error);
    if (status != NPART_OK) {
        fuzz_check_error(status, &error);
        return;
    }
    status = npart_fix_write(found, folder->out, weights_of(subject), &error);
    check_status(status, &error);
    report_fix(found, status == NPART_OK ? folder->out : NULL);
    if (status == NPART_OK)
        npart_inference_free(infer_file(folder->out));
    npart_fix_free(found);
}

/* ---- one input ------------------------------------------------------------------------------------------------- */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    struct subject subject;
    struct folder folder;
    subject_take(&subject, 1, data, bytes);
    npart_model *model = subject_read(subject.models[0].data, subject.models[0].bytes, "m.onnx", &limited);
    npart_inference *inference = model ? subject_infer(model, false) : NULL;
    unsigned command = subject_choose(&subject, COMMAND, 4);
    if (inference) {
        struct bytes file = subject_file(subject.models[0].data, subject.models[0].bytes);
        make_folder(&folder, &file, (subject.choices[FLAGS] & IS_BESIDE) != 0);
        bytes_free(&file);
        if (command < 2)
            write_plans(&subject, &folder, inference, command == 0);
        else
            fix(&subject, &folder);
        remove_folder(folder.out, command == 0 ? look_at_part : NULL);
        remove_folder(folder.path, NULL);
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
