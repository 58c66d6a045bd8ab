/* SPDX-License-Identifier: Apache-2.0
 *
 * A model and its weights: moved out of it, linked or copied into another folder, or missed there.
 */
#if !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700
#endif
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/proto_writer.h"
#include "support/rewritten.h"
#include "support/test.h"

/* ---- a model in a folder ----------------------------------------------------------------------------------------- */

struct work {
    char folder[64], other[96], path[128];
    struct bytes model, skeleton;
    struct npart__input input;
    struct scanned scanned;
    struct npart__save save;
};

static void put_entry(struct bytes *tensor, const char *key, const char *value)
{
    struct bytes entry = {0};
    put_text(&entry, 1, key);
    put_text(&entry, 2, value);
    put_message(tensor, 13, &entry);
}

static struct bytes external_tensor(const char *name, const char *location)
{
    struct bytes tensor = {0}, nameless = {0};
    put_number(&tensor, 1, 4);
    put_number(&tensor, 2, 1);
    put_text(&tensor, 8, name);
    put_entry(&tensor, "offset", "0");
    put_entry(&tensor, "location", location);
    put_entry(&tensor, "length", "16");
    put_text(&nameless, 2, "nowhere.bin"); /* a value without a key says nothing */
    put_message(&tensor, 13, &nameless);
    put_number(&tensor, 14, 1);
    return tensor;
}

static struct bytes inline_tensor(const char *name, unsigned type, size_t bytes, unsigned first)
{
    struct bytes tensor = {0}, payload = {0};
    put_pattern(&payload, bytes, first);
    put_number(&tensor, 1, bytes / 4);
    put_number(&tensor, 2, type);
    put_bytes(&tensor, 9, payload.data, payload.size);
    put_text(&tensor, 8, name);
    bytes_free(&payload);
    return tensor;
}

static void write_at(const char *folder, const char *name, const char *text)
{
    char path[160];
    (void)snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    REQUIRE(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static char *at(const char *folder, const char *name)
{
    static char paths[8][192];
    static unsigned next;
    char *path = paths[next++ % 8];
    (void)snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

/* Frees the graph. */
static void begin(struct work *work, struct bytes *graph)
{
    struct npart__wire_options options = {.keeps_all = true};
    memset(work, 0, sizeof *work);
    (void)snprintf(work->folder, sizeof work->folder, "/tmp/npart-test-XXXXXX");
    REQUIRE(mkdtemp(work->folder));
    (void)snprintf(work->other, sizeof work->other, "%s/other", work->folder);
    REQUIRE(mkdir(work->other, 0700) == 0);
    (void)snprintf(work->path, sizeof work->path, "%s/model.onnx", work->folder);
    work->model = model_around(graph);
    FILE *file = fopen(work->path, "wb");
    REQUIRE(file && fwrite(work->model.data, 1, work->model.size, file) == work->model.size && fclose(file) == 0);
    REQUIRE(npart__input_open_file(&work->input, work->path, NULL) == NPART_OK);
    work->skeleton = edited_skeleton(&work->scanned, &work->input, &options);
    REQUIRE(work->scanned.status == NPART_OK);
}

static void end(struct work *work)
{
    char command[96];
    npart__input_close(&work->input);
    scanned_close(&work->scanned);
    bytes_free(&work->model);
    bytes_free(&work->skeleton);
    (void)snprintf(command, sizeof command, "rm -r %s", work->folder);
    CHECK_INT(system(command), 0);
}

static npart_status save_begin(struct work *work, const char *path, struct npart__weights weights)
{
    return npart__save_begin(&work->save, path, work->skeleton.data, work->skeleton.size, &work->input, &weights,
                             &work->scanned.arena, &work->scanned.error);
}

static npart_status save(struct work *work, const char *path, struct npart__weights weights)
{
    npart_status status = save_begin(work, path, weights);
    if (status != NPART_OK)
        return status;
    status = npart__save_commit(&work->save, &work->scanned.error);
    npart__save_close(&work->save);
    return status;
}

static const struct npart__weights stay = {0}, links = {.links = true}, copies = {.copies = true},
                                   moves_out = {.moves_out = true};

static bool is_same_file(const char *a, const char *b)
{
    struct stat first, second;
    return stat(a, &first) == 0 && stat(b, &second) == 0 && first.st_ino == second.st_ino;
}

static bool holds(const char *path, const char *text)
{
    struct bytes bytes = file_bytes(path);
    bool is_good = same_bytes(bytes.data, bytes.size, text, strlen(text));
    bytes_free(&bytes);
    return is_good;
}

/* ---- weights moved out ------------------------------------------------------------------------------------------- */

static const char *entry(const Onnx__TensorProto *tensor, const char *key)
{
    for (size_t i = 0; i < tensor->n_external_data; i++)
        if (strcmp(tensor->external_data[i]->key, key) == 0)
            return tensor->external_data[i]->value;
    return "";
}

static void test_save__moves_weights_out(void)
{
    struct work work;
    static const size_t sizes[] = {4096, 4100, 8192, 70000, 300000};
    static const char *const names[] = {"a", "b", "c", "d", "e"};
    struct bytes graph = small_graph();
    for (unsigned i = 0; i < 5; i++) {
        struct bytes tensor = {0}, large = inline_tensor(names[i], 1, sizes[i], i);
        if (i == 2)
            put_text(&tensor, 9, "short, and not the last");
        bytes_put(&tensor, large.data, large.size);
        bytes_free(&large);
        if (i == 3) { /* the last counts; what else there is stays */
            struct bytes again = inline_tensor("d", 1, 90000, 77);
            bytes_put(&tensor, again.data, again.size);
            bytes_free(&again);
            put_entry(&tensor, "checksum", "of something else");
            put_number(&tensor, 27, 5);
        }
        put_message(&graph, 5, &tensor);
    }
    begin(&work, &graph);
    char *out = at(work.other, "out.onnx"), *data = at(work.other, "out.onnx.data");
    CHECK_INT(save(&work, out, moves_out), NPART_OK);
    struct bytes written = file_bytes(out), weights = file_bytes(data);
    Onnx__ModelProto *model = onnx__model_proto__unpack(NULL, written.size, written.data);
    REQUIRE(model && model->graph->n_initializer == 5);
    const Onnx__TensorProto *kept = model->graph->initializer[0];
    CHECK(kept->raw_data.len == 4096 && kept->n_external_data == 0 && !kept->has_data_location);
    for (unsigned i = 1; i < 5; i++) {
        const Onnx__TensorProto *tensor = model->graph->initializer[i];
        struct bytes wanted = {0};
        put_pattern(&wanted, i == 3 ? 90000 : sizes[i], i == 3 ? 77 : i);
        unsigned long long offset = strtoull(entry(tensor, "offset"), NULL, 10);
        CHECK(!tensor->has_raw_data && tensor->data_location == 1 && tensor->n_external_data == 3);
        CHECK_TEXT(entry(tensor, "location"), "out.onnx.data");
        CHECK_INT(strtoull(entry(tensor, "length"), NULL, 10), wanted.size);
        CHECK_INT(offset % 4096, 0);
        REQUIRE(offset + wanted.size <= weights.size);
        CHECK(same_bytes(weights.data + offset, wanted.size, wanted.data, wanted.size));
        CHECK_INT(tensor->base.n_unknown_fields, i == 3);
        bytes_free(&wanted);
    }
    CHECK_INT(weights.size, work.save.external_bytes);
    onnx__model_proto__free_unpacked(model, NULL);
    bytes_free(&written);
    bytes_free(&weights);
    end(&work);
}

/* Nothing to move: no second file. Texts, numbers that are not raw, and tensors of attributes stay. */
static void test_save__moves_nothing_else(void)
{
    struct work work;
    struct bytes graph = small_graph(), floats = {0}, numbers = {0}, attribute = {0}, node = {0};
    put_number(&floats, 2, 1);
    for (unsigned i = 0; i < 2000; i++)
        put_fixed32(&numbers, i);
    put_bytes(&floats, 4, numbers.data, numbers.size);
    bytes_free(&numbers);
    put_message(&graph, 5, &floats);
    struct bytes texts = inline_tensor("texts", 8, 5000, 1), constant = inline_tensor("constant", 1, 5000, 1);
    put_message(&graph, 5, &texts);
    put_message(&attribute, 5, &constant);
    put_message(&node, 5, &attribute);
    put_message(&graph, 1, &node);
    begin(&work, &graph);
    char *out = at(work.other, "out.onnx");
    CHECK_INT(save(&work, out, moves_out), NPART_OK);
    CHECK_INT(work.save.external_bytes, 0);
    CHECK(access(at(work.other, "out.onnx.data"), F_OK) != 0);
    struct bytes written = file_bytes(out);
    CHECK(means_the_same(&work.model, &written));
    bytes_free(&written);
    end(&work);
}

/* ---- data beside the model ------------------------------------------------------------------------------------ */

static void begin_external(struct work *work, const char *first, const char *second)
{
    struct bytes graph = small_graph(), a = external_tensor("a", first), b = external_tensor("b", second),
                 again = external_tensor("again", first), inside = external_tensor("inside", "/not/used"),
                 attribute = {0}, node = {0};
    put_number(&inside, 14, 0);
    put_message(&graph, 5, &inside);
    put_message(&graph, 5, &a);
    put_message(&attribute, 5, &b);
    put_message(&node, 5, &attribute);
    put_message(&graph, 1, &node);
    put_message(&graph, 5, &again);
    begin(work, &graph);
}

static void test_save__finds_external_data(void)
{
    struct work work;
    struct npart__externals found;
    begin_external(&work, "first.bin", "in/second.bin");
    CHECK_INT(npart__externals_find(&found, work.skeleton.data, work.skeleton.size, &work.scanned.arena, NULL),
              NPART_OK);
    REQUIRE(found.locations.count == 2);
    CHECK_TEXT(found.locations.items[0], "in/second.bin"); /* nodes have a lower field number than initializers */
    CHECK_TEXT(found.locations.items[1], "first.bin");
    end(&work);
}

static void test_save__brings_data_along(void)
{
    for (int copy = 0; copy < 2; copy++) {
        struct work work;
        begin_external(&work, "first.bin", "in/second.bin");
        REQUIRE(mkdir(at(work.folder, "in"), 0700) == 0);
        write_at(work.folder, "first.bin", "first");
        write_at(work.folder, "in/second.bin", "second");
        for (int again = 0; again < 2; again++) /* what is there already is no obstacle */
            CHECK_INT(save(&work, at(work.other, "out.onnx"), copy ? copies : links), NPART_OK);
        CHECK(holds(at(work.other, "first.bin"), "first") && holds(at(work.other, "in/second.bin"), "second"));
        CHECK(is_same_file(at(work.folder, "first.bin"), at(work.other, "first.bin")) == !copy);
        struct bytes written = file_bytes(at(work.other, "out.onnx"));
        CHECK(means_the_same(&work.model, &written));
        bytes_free(&written);
        /* Of another content it is another model's. */
        CHECK(unlink(at(work.other, "first.bin")) == 0);
        write_at(work.other, "first.bin", "other");
        CHECK_INT(save(&work, at(work.other, "out.onnx"), copy ? copies : links), NPART_ERROR_WRITE);
        CHECK(strstr(work.scanned.error.message, "is there already, with another content") != NULL);
        CHECK(holds(at(work.other, "first.bin"), "other"));
        end(&work);
    }
}

/* As model hubs lay out their folders: the link is to the file itself, wherever the symbolic link is. */
static void test_save__links_what_a_symbolic_link_means(void)
{
    struct work work;
    struct stat status;
    begin_external(&work, "first.bin", "first.bin");
    write_at(work.folder, "blob", "first");
    REQUIRE(symlink("blob", at(work.folder, "first.bin")) == 0);
    CHECK_INT(save(&work, at(work.other, "out.onnx"), links), NPART_OK);
    CHECK(lstat(at(work.other, "first.bin"), &status) == 0 && S_ISREG(status.st_mode));
    CHECK(is_same_file(at(work.folder, "blob"), at(work.other, "first.bin")));
    end(&work);
}

/* Where there is another file system: a symbolic link across would be refused by ONNX Runtime, so none is made. */
static void test_save__links_in_one_file_system(void)
{
    struct work work;
    struct stat here, there;
    char other[] = "/dev/shm/npart-test-XXXXXX";
    begin_external(&work, "first.bin", "first.bin");
    write_at(work.folder, "first.bin", "first");
    bool is_there = stat(work.folder, &here) == 0 && stat("/dev/shm", &there) == 0 && here.st_dev != there.st_dev &&
                    mkdtemp(other);
    if (is_there) {
        CHECK_INT(save(&work, at(other, "out.onnx"), links), NPART_ERROR_WRITE);
        CHECK(strstr(work.scanned.error.message, "--weights copy does without a link") != NULL);
        CHECK(access(at(other, "out.onnx"), F_OK) != 0);
        CHECK_INT(save(&work, at(other, "out.onnx"), copies), NPART_OK);
        CHECK(holds(at(other, "first.bin"), "first"));
        CHECK(unlink(at(other, "first.bin")) == 0 && unlink(at(other, "out.onnx")) == 0 && rmdir(other) == 0);
    }
    end(&work);
}

static void test_save__says_what_is_missed(void)
{
    struct work work;
    begin_external(&work, "first.bin", "second.bin");
    /* Beside the input nothing changes, whether the data is there or not. */
    CHECK_INT(save(&work, at(work.folder, "out.onnx"), stay), NPART_OK);
    CHECK_INT(save(&work, at(work.other, "out.onnx"), stay), NPART_ERROR_ARGUMENT);
    CHECK(strstr(work.scanned.error.message, ".bin lies beside the model: --weights link") != NULL);
    CHECK_INT(save(&work, at(work.other, "out.onnx"), links), NPART_ERROR_READ);
    CHECK(strstr(work.scanned.error.message, ".bin is not there to be linked") != NULL);
    write_at(work.folder, "first.bin", "first");
    CHECK_INT(save(&work, at(work.other, "out.onnx"), copies), NPART_ERROR_READ);
    CHECK(strstr(work.scanned.error.message, "second.bin is not there to be copied") != NULL);
    CHECK(access(at(work.other, "out.onnx"), F_OK) != 0);
    end(&work);
}

static void test_save__stays_in_the_folder(void)
{
    static const char *const outside[] = {"../first.bin", "/etc/passwd", "in/../../first.bin", "..", "in/.."};
    static const char *const inside[] = {"first..bin", "..first", "in/...", "./first.bin", "first.."};
    struct work work;
    for (size_t i = 0; i < 5; i++) {
        begin_external(&work, outside[i], "second.bin");
        CHECK_INT(save(&work, at(work.folder, "out.onnx"), stay), NPART_OK);
        write_at(work.folder, "second.bin", "second");
        CHECK_INT(save(&work, at(work.other, "out.onnx"), links), NPART_ERROR_ARGUMENT);
        CHECK(strstr(work.scanned.error.message, "lies outside the model's folder") != NULL);
        CHECK_INT(save(&work, at(work.other, "out.onnx"), stay), NPART_ERROR_ARGUMENT);
        end(&work);
        begin_external(&work, inside[i], inside[i]);
        CHECK_INT(save(&work, at(work.other, "out.onnx"), links), NPART_ERROR_READ);
        end(&work);
    }
}

/* Neither the model nor its new data may be written over data that it reads. */
static void test_save__keeps_the_data_it_reads(void)
{
    struct work work;
    struct bytes graph = small_graph(), tensor = external_tensor("a", "out.onnx.data"),
                 other = external_tensor("b", "weights"), large = inline_tensor("large", 1, 5000, 1);
    put_message(&graph, 5, &tensor);
    put_message(&graph, 5, &other);
    put_message(&graph, 5, &large);
    begin(&work, &graph);
    write_at(work.folder, "out.onnx.data", "0123456789abcdef");
    write_at(work.folder, "weights", "0123456789abcdef");
    CHECK_INT(save(&work, at(work.folder, "out.onnx"), moves_out), NPART_ERROR_ARGUMENT);
    CHECK(strstr(work.scanned.error.message, "out.onnx.data holds external data of the model") != NULL);
    CHECK_INT(save(&work, at(work.folder, "weights"), stay), NPART_ERROR_ARGUMENT);
    CHECK_INT(save(&work, at(work.folder, "out.onnx"), stay), NPART_OK);
    CHECK(holds(at(work.folder, "out.onnx.data"), "0123456789abcdef"));
    end(&work);
}

/* What is not committed leaves nothing. */
static void test_save__can_be_given_up(void)
{
    struct work work;
    struct bytes graph = small_graph(), large = inline_tensor("large", 1, 5000, 1);
    put_message(&graph, 5, &large);
    begin(&work, &graph);
    CHECK_INT(save_begin(&work, at(work.other, "out.onnx"), moves_out), NPART_OK);
    struct bytes written = file_bytes(work.save.temporary);
    CHECK_INT(written.size, work.save.bytes);
    bytes_free(&written);
    npart__save_close(&work.save);
    CHECK_INT(rmdir(work.other), 0);
    end(&work);
}

TESTS(test_save__moves_weights_out, test_save__moves_nothing_else, test_save__finds_external_data,
      test_save__brings_data_along, test_save__links_what_a_symbolic_link_means, test_save__links_in_one_file_system,
      test_save__says_what_is_missed, test_save__stays_in_the_folder, test_save__keeps_the_data_it_reads,
      test_save__can_be_given_up)
