/* SPDX-License-Identifier: Apache-2.0 */
#if !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700
#endif
#include "fuzz/folder.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

#define MOST_EXTERNAL 4096

static void write_file(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    FUZZ_REQUIRE(file && fwrite(data, 1, bytes, file) == bytes);
    FUZZ_REQUIRE(fclose(file) == 0);
}

void folder_make(struct folder *folder, const struct bytes *model, bool is_beside)
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

/* All files below, and then, if asked, the folders. */
static void walk(const char *path, void (*look)(const char *path), bool removes)
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
            walk(inner, look, removes);
            continue;
        }
        if (look)
            look(inner);
        FUZZ_REQUIRE(!removes || unlink(inner) == 0);
    }
    if (folder)
        (void)closedir(folder);
    FUZZ_REQUIRE(!folder || !removes || rmdir(path) == 0);
}

void folder_look(const char *path, void (*look)(const char *path))
{
    walk(path, look, false);
}

static const char *kept;

void folder_keep(const char *path)
{
    kept = path;
}

void folder_end(const struct folder *folder)
{
    if (kept)
        FUZZ_REQUIRE(rename(folder->path, kept) == 0);
    else
        walk(folder->path, NULL, true);
}

npart_inference *folder_infer(const char *path, const struct npart_allocator *allocator)
{
    struct npart_read_options options = NPART_READ_OPTIONS_INIT;
    struct npart_error error;
    npart_model *model = NULL;
    npart_inference *inference = NULL;
    options.allocator = allocator;
    npart_status status = npart_model_read_file(&model, path, &options, &error);
    if (status == NPART_OK)
        status = npart_inference_make(&inference, model, NULL, &error);
    if (status != NPART_OK && status != NPART_ERROR_MEMORY)
        fprintf(stderr, "%s: %s: %s\n", path, error.place, error.message);
    FUZZ_REQUIRE(status == NPART_OK || status == NPART_ERROR_MEMORY);
    npart_model_free(model);
    return inference;
}
