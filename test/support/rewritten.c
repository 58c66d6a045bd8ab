/* SPDX-License-Identifier: Apache-2.0 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L /* mkdtemp */
#endif
#include "support/rewritten.h"

#include "base/base.h"
#include "base/platform.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static void *grow(size_t bytes)
{
    void *data = malloc(bytes ? bytes : 1);
    if (!data)
        exit(99);
    return data;
}

static struct bytes packed(const Onnx__ModelProto *model)
{
    struct bytes out = {.size = onnx__model_proto__get_packed_size(model)};
    out.data = grow(out.size);
    out.capacity = out.size;
    onnx__model_proto__pack(model, out.data);
    return out;
}

struct bytes edited_skeleton(struct scanned *scanned, const struct npart__input *input,
                             const struct npart__wire_options *options)
{
    struct npart__source source;
    *scanned = (struct scanned){.status = NPART_OK};
    npart__arena_init(&scanned->arena, NULL);
    scanned->status = npart__input_source(input, &scanned->arena, &source, &scanned->error);
    if (scanned->status != NPART_OK)
        return (struct bytes){0};
    scanned->status = npart__wire_scan(&source, options, &scanned->arena, &scanned->skeleton, &scanned->error);
    npart__source_close(&source);
    return scanned->status == NPART_OK ? packed(scanned_model(scanned)) : (struct bytes){0};
}

static struct bytes written(struct scanned *scanned, const struct npart__input *input, uint64_t keep_bytes)
{
    struct npart__wire_options options = {.keep_bytes = keep_bytes, .keeps_all = true};
    struct npart__recipe recipe = {.bytes = 0};
    struct bytes skeleton = edited_skeleton(scanned, input, &options), out = {0};
    if (scanned->status == NPART_OK)
        scanned->status = npart__recipe_make(&recipe, skeleton.data, skeleton.size, input, NULL,
                                                &scanned->arena, &scanned->error);
    FILE *file = tmpfile();
    if (!file)
        exit(99);
    if (scanned->status == NPART_OK)
        scanned->status = npart__recipe_write(&recipe, fileno(file), &scanned->arena, &scanned->error);
    if (scanned->status == NPART_OK) {
        out.size = (size_t)lseek(fileno(file), 0, SEEK_END);
        out.data = grow(out.size);
        ptrdiff_t count = npart__file_read_at(fileno(file), out.data, out.size, 0);
        if (out.size != recipe.bytes || count != (ptrdiff_t)out.size) {
            fprintf(stderr, "%zu bytes written, %llu were said\n", out.size, (unsigned long long)recipe.bytes);
            exit(99);
        }
    }
    (void)fclose(file);
    bytes_free(&skeleton);
    return out;
}

struct bytes rewrite_memory(struct scanned *scanned, const void *data, size_t bytes, uint64_t keep_bytes)
{
    struct npart__input input;
    npart__input_open_memory(&input, data, bytes);
    return written(scanned, &input, keep_bytes);
}

struct bytes rewrite_file(struct scanned *scanned, const char *path, uint64_t keep_bytes)
{
    struct npart__input input;
    *scanned = (struct scanned){.status = NPART_OK};
    scanned->status = npart__input_open_file(&input, path, &scanned->error);
    if (scanned->status != NPART_OK) {
        npart__arena_init(&scanned->arena, NULL);
        return (struct bytes){0};
    }
    struct bytes out = written(scanned, &input, keep_bytes);
    npart__input_close(&input);
    return out;
}

struct bytes canonical(const void *data, size_t bytes)
{
    Onnx__ModelProto *model = onnx__model_proto__unpack(NULL, bytes, data);
    if (!model) {
        fprintf(stderr, "is no model for protobuf-c\n");
        exit(99);
    }
    struct bytes out = packed(model);
    onnx__model_proto__free_unpacked(model, NULL);
    return out;
}

bool means_the_same(const struct bytes *a, const struct bytes *b)
{
    struct bytes first = canonical(a->data, a->size), second = canonical(b->data, b->size);
    bool is_same = first.size == second.size && memcmp(first.data, second.data, first.size) == 0;
    bytes_free(&first);
    bytes_free(&second);
    return is_same;
}

struct bytes file_bytes(const char *path)
{
    FILE *file = fopen(path, "rb");
    struct bytes out = {0};
    uint8_t piece[65536];
    size_t got;
    if (!file) {
        perror(path);
        exit(99);
    }
    while ((got = fread(piece, 1, sizeof piece, file)) > 0)
        bytes_put(&out, piece, got);
    (void)fclose(file);
    return out;
}

void model_folder_begin(struct model_folder *at, struct bytes *model)
{
    (void)snprintf(at->folder, sizeof at->folder, "/tmp/npart-test-XXXXXX");
    bool is_there = mkdtemp(at->folder) != NULL;
    (void)snprintf(at->path, sizeof at->path, "%s/model.onnx", at->folder);
    FILE *file = is_there ? fopen(at->path, "wb") : NULL;
    if (!file || fwrite(model->data, 1, model->size, file) != model->size || fclose(file) != 0) {
        perror(at->folder);
        exit(99);
    }
    bytes_free(model);
}

void model_folder_end(const struct model_folder *at)
{
    char command[96];
    (void)snprintf(command, sizeof command, "rm -r %s", at->folder);
    if (system(command) != 0) {
        perror(command);
        exit(99);
    }
}
