/* SPDX-License-Identifier: Apache-2.0
 *
 * Files: an output is whole or not there, never the input, and never of an input that has changed.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/proto_writer.h"
#include "support/rewritten.h"
#include "support/test.h"

static struct bytes model_with_payload(size_t bytes)
{
    struct bytes tensor = {0}, payload = {0}, graph = small_graph();
    put_pattern(&payload, bytes, 5);
    put_number(&tensor, 2, 1);
    put_bytes(&tensor, 9, payload.data, payload.size);
    bytes_free(&payload);
    put_message(&graph, 5, &tensor);
    return model_around(&graph);
}

/* A model in a file, scanned and expanded. */
struct work {
    char path[64], out[96];
    struct bytes model, skeleton;
    struct npart__input input;
    struct scanned scanned;
    struct npart__recipe recipe;
    struct npart__output output;
};

static void begin(struct work *work, size_t payload)
{
    struct npart__wire_options options = {.keeps_all = true};
    memset(work, 0, sizeof *work);
    work->model = model_with_payload(payload);
    write_temporary(work->path, work->model.data, work->model.size);
    (void)snprintf(work->out, sizeof work->out, "%s.out", work->path);
    REQUIRE(npart__input_open_file(&work->input, work->path, NULL) == NPART_OK);
    work->skeleton = edited_skeleton(&work->scanned, &work->input, &options);
    REQUIRE(npart__recipe_make(&work->recipe, work->skeleton.data, work->skeleton.size, &work->input, NULL,
                                  &work->scanned.arena, NULL) == NPART_OK);
}

static void end(struct work *work)
{
    npart__input_close(&work->input);
    scanned_close(&work->scanned);
    (void)unlink(work->path);
    (void)unlink(work->out);
    bytes_free(&work->model);
    bytes_free(&work->skeleton);
}

static npart_status open_output(struct work *work, const char *path)
{
    return npart__output_open(&work->output, path, &work->input, &work->scanned.arena, &work->scanned.error);
}

static bool is_there(const char *path)
{
    return access(path, F_OK) == 0;
}

static void test_output__is_put_in_place(void)
{
    static const size_t sizes[] = {100, 5000, 65535, 65536, 300000, 3000000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct work work;
        begin(&work, sizes[i]);
        REQUIRE(open_output(&work, work.out) == NPART_OK);
        CHECK_INT(npart__output_write(&work.output, &work.recipe, NULL), NPART_OK);
        CHECK(!is_there(work.out));
        struct bytes out = file_bytes(work.output.temporary);
        CHECK_INT(out.size, work.recipe.bytes);
        CHECK(means_the_same(&work.model, &out));
        bytes_free(&out);
        CHECK_INT(npart__output_commit(&work.output, NULL), NPART_OK);
        CHECK(!is_there(work.output.temporary));
        npart__output_close(&work.output);
        out = file_bytes(work.out);
        CHECK_INT(out.size, work.recipe.bytes);
        bytes_free(&out);
        end(&work);
    }
}

/* What stood there before stays until the new file is whole. */
static void test_output__leaves_nothing(void)
{
    struct work work;
    begin(&work, 5000);
    FILE *old = fopen(work.out, "wb");
    REQUIRE(old && fputs("old", old) >= 0 && fclose(old) == 0);
    REQUIRE(open_output(&work, work.out) == NPART_OK);
    CHECK_INT(npart__output_write(&work.output, &work.recipe, NULL), NPART_OK);
    npart__output_close(&work.output);
    CHECK(!is_there(work.output.temporary));
    struct bytes out = file_bytes(work.out);
    CHECK(same_bytes(out.data, out.size, "old", 3));
    bytes_free(&out);
    npart__output_close(&work.output); /* again: nothing */
    end(&work);
}

static void test_output__never_the_input(void)
{
    struct work work;
    char other[96], text[160];
    begin(&work, 5000);
    (void)snprintf(other, sizeof other, "%s.link", work.path);
    (void)snprintf(text, sizeof text, "%s is the model itself", work.path);
    CHECK_INT(open_output(&work, work.path), NPART_ERROR_ARGUMENT);
    CHECK_TEXT(work.scanned.error.message, text);
    REQUIRE(link(work.path, other) == 0);
    CHECK_INT(open_output(&work, other), NPART_ERROR_ARGUMENT);
    (void)unlink(other);
    REQUIRE(symlink(work.path, other) == 0);
    CHECK_INT(open_output(&work, other), NPART_ERROR_ARGUMENT);
    (void)unlink(other);
    /* It comes into the place later. */
    REQUIRE(open_output(&work, other) == NPART_OK);
    CHECK_INT(npart__output_write(&work.output, &work.recipe, NULL), NPART_OK);
    REQUIRE(link(work.path, other) == 0);
    CHECK_INT(npart__output_commit(&work.output, NULL), NPART_ERROR_ARGUMENT);
    npart__output_close(&work.output);
    (void)unlink(other);
    end(&work);
}

static void test_output__places_that_are_none(void)
{
    struct work work;
    begin(&work, 5000);
    CHECK_INT(open_output(&work, "/tmp"), NPART_ERROR_WRITE);
    CHECK_TEXT(work.scanned.error.message, "/tmp is a directory");
    CHECK_INT(open_output(&work, "/dev/null"), NPART_ERROR_WRITE);
    CHECK_TEXT(work.scanned.error.message, "/dev/null is no regular file");
    CHECK_INT(open_output(&work, "/tmp/npart-there-is-none/out.onnx"), NPART_ERROR_WRITE);
    CHECK_TEXT(work.scanned.error.message, "cannot make a file beside the output: No such file or directory");
    end(&work);
}

static npart_status try_write(struct work *work)
{
    REQUIRE(open_output(work, work->out) == NPART_OK);
    npart_status status = npart__output_write(&work->output, &work->recipe, &work->scanned.error);
    npart__output_close(&work->output);
    CHECK(!is_there(work->out));
    return status;
}

static void test_output__of_a_model_that_changed(void)
{
    struct work work;
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = 1, .tv_nsec = 5}};
    begin(&work, 5000);
    REQUIRE(utimensat(AT_FDCWD, work.path, times, 0) == 0);
    CHECK_INT(try_write(&work), NPART_ERROR_READ);
    CHECK_TEXT(work.scanned.error.message, "the model was changed while it was being edited");
    end(&work);
    begin(&work, 5000);
    REQUIRE(truncate(work.path, 4000) == 0);
    CHECK_INT(try_write(&work), NPART_ERROR_READ);
    end(&work);
    /* Another file in its place is another file: the one that was opened is written. */
    begin(&work, 5000);
    (void)unlink(work.path);
    REQUIRE(open_output(&work, work.out) == NPART_OK);
    CHECK_INT(npart__output_write(&work.output, &work.recipe, NULL), NPART_OK);
    npart__output_close(&work.output);
    end(&work);
}

static void test_output__inputs_that_cannot_be_read_twice(void)
{
    struct npart__input input;
    struct npart_error error;
    CHECK_INT(npart__input_open_file(&input, "/dev/null", &error), NPART_ERROR_READ);
    CHECK_TEXT(error.message, "is no regular file: what is edited is read twice");
    CHECK_INT(npart__input_open_file(&input, "/tmp", &error), NPART_ERROR_READ);
    CHECK_INT(npart__input_open_file(&input, "/tmp/npart-there-is-none", &error), NPART_ERROR_READ);
    CHECK_TEXT(error.message, "cannot open the file: No such file or directory");
}

/* A pipe takes no copy by the kernel's first way, and a descriptor that appends none by either. */
static void test_output__other_descriptors(void)
{
    struct work work;
    char name[96];
    for (int appends = 0; appends < 2; appends++) {
        begin(&work, 400000);
        (void)snprintf(name, sizeof name, "%s.raw", work.path);
        FILE *to = appends ? NULL : popen("cat > /dev/null", "w");
        int descriptor = appends ? open(name, O_WRONLY | O_CREAT | O_APPEND, 0600) : fileno(to);
        CHECK_INT(npart__recipe_write(&work.recipe, descriptor, &work.scanned.arena, &work.scanned.error),
                  NPART_OK);
        if (appends) {
            struct bytes out = file_bytes(name);
            CHECK(means_the_same(&work.model, &out));
            bytes_free(&out);
            (void)close(descriptor);
            (void)unlink(name);
        } else {
            CHECK_INT(pclose(to), 0);
        }
        end(&work);
    }
    begin(&work, 400000);
    int full = open("/dev/full", O_WRONLY);
    if (full >= 0) {
        CHECK_INT(npart__recipe_write(&work.recipe, full, &work.scanned.arena, &work.scanned.error),
                  NPART_ERROR_WRITE);
        (void)close(full);
    }
    end(&work);
}

static unsigned mode_of(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 ? status.st_mode & 0777 : 0;
}

/* The new file is read by nobody who may not read the input, whatever the umask would let through. */
static void test_output__is_read_by_no_others(void)
{
    static const struct {
        mode_t input, out;
    } rows[] = {{0644, 0644}, {0444, 0644}, {0600, 0600}, {0400, 0600}, {0640, 0640}, {0604, 0600}, {0666, 0644}};
    mode_t before = umask(022);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct work work;
        begin(&work, 5000);
        REQUIRE(chmod(work.path, rows[i].input) == 0);
        REQUIRE(open_output(&work, work.out) == NPART_OK);
        CHECK_INT(mode_of(work.output.temporary), rows[i].out);
        CHECK_INT(npart__output_commit(&work.output, NULL), NPART_OK);
        npart__output_close(&work.output);
        CHECK_INT(mode_of(work.out), rows[i].out);
        /* Another group than that which new files have here. */
        bool is_given = chown(work.path, (uid_t)-1, getegid() + 1) == 0;
        REQUIRE(open_output(&work, work.out) == NPART_OK);
        if (is_given)
            CHECK_INT(mode_of(work.output.temporary), rows[i].out == 0640 ? 0600 : rows[i].out);
        npart__output_close(&work.output);
        end(&work);
    }
    (void)umask(before);
}

/* The fixtures, from their files. */
static void test_output__fixtures(void)
{
    static const char *const paths[] = {
        "fixtures/bert-base.ort-fused.onnx",       "fixtures/early-exit-cnn.ts14.if.onnx",
        "fixtures/greedy-decode-gru.ts14.loop.onnx", "fixtures/local-functions-transformer.dyn.onnx",
        "fixtures/mobilenetv2.qdq-int8.onnx",      "fixtures/iris-svc-pipeline.skl.onnx",
        "fixtures/qwen2-0.5b.genai-int4-cpu.onnx",
    };
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        for (uint64_t keep = 1; keep <= 4096; keep *= 64) {
            struct scanned scanned;
            struct bytes model = file_bytes(paths[i]), out = rewrite_file(&scanned, paths[i], keep);
            CHECK_TEXT(scanned_text(&scanned), "ok");
            CHECK(means_the_same(&model, &out));
            bytes_free(&model);
            bytes_free(&out);
            scanned_close(&scanned);
        }
    }
}

TESTS(test_output__is_put_in_place, test_output__leaves_nothing, test_output__never_the_input,
      test_output__places_that_are_none, test_output__is_read_by_no_others, test_output__of_a_model_that_changed,
      test_output__inputs_that_cannot_be_read_twice, test_output__other_descriptors, test_output__fixtures)
