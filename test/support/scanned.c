/* SPDX-License-Identifier: Apache-2.0
 *
 * Runs of the scan, see scanned.h.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "support/scanned.h"

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static const struct npart__wire_options defaults = {0};

static void scan(struct scanned *scanned, struct npart__source *source, const struct npart__wire_options *options)
{
    scanned->status =
        npart__wire_scan(source, options ? options : &defaults, &scanned->arena, &scanned->skeleton, &scanned->error);
    npart__source_close(source);
}

struct scanned scan_memory(const void *data, size_t bytes, const struct npart__wire_options *options)
{
    struct scanned scanned = {.status = NPART_OK};
    struct npart__source source;
    npart__arena_init(&scanned.arena, NULL);
    npart__source_open_memory(&source, data, bytes);
    scan(&scanned, &source, options);
    return scanned;
}

ptrdiff_t read_piecewise(void *payload, void *into, size_t bytes)
{
    struct piecewise *stream = payload;
    size_t rest = stream->size - stream->at, piece = stream->piece;
    if (stream->fail_at && stream->at >= stream->fail_at) {
        stream->fail_at = stream->fails_once ? 0 : stream->fail_at;
        return -1;
    }
    if (!piece) { /* 1, 2, 4, ... 64 KiB, and again, a little off */
        unsigned step = stream->calls % 17;
        piece = ((size_t)1 << step) + stream->calls % 3;
    }
    stream->calls++;
    if (bytes > piece)
        bytes = piece;
    if (bytes > rest)
        bytes = rest;
    if (bytes)
        memcpy(into, stream->data + stream->at, bytes);
    stream->at += bytes;
    return (ptrdiff_t)bytes;
}

struct scanned scan_stream(const void *data, size_t bytes, size_t piece, const struct npart__wire_options *options)
{
    struct scanned scanned = {.status = NPART_OK};
    struct npart__source source;
    struct piecewise stream = {.data = data, .size = bytes, .piece = piece};
    npart__arena_init(&scanned.arena, NULL);
    scanned.status = npart__source_open_stream(&source, &scanned.arena, read_piecewise, &stream, &scanned.error);
    if (scanned.status == NPART_OK)
        scan(&scanned, &source, options);
    return scanned;
}

struct scanned scan_path(const char *path, const struct npart__wire_options *options)
{
    struct scanned scanned = {.status = NPART_OK};
    struct npart__source source;
    npart__arena_init(&scanned.arena, NULL);
    scanned.status = npart__source_open_file(&source, &scanned.arena, path, &scanned.error);
    if (scanned.status == NPART_OK)
        scan(&scanned, &source, options);
    return scanned;
}

void write_temporary(char *path, const void *data, size_t bytes)
{
    (void)snprintf(path, 64, "/tmp/npart-test-XXXXXX");
    int descriptor = mkstemp(path);
    FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "wb");
    if (!file || fwrite(data, 1, bytes, file) != bytes || fclose(file) != 0) {
        perror(path);
        exit(99);
    }
}

struct scanned scan_file(const void *data, size_t bytes, const struct npart__wire_options *options)
{
    char path[64];
    write_temporary(path, data, bytes);
    struct scanned scanned = scan_path(path, options);
    (void)unlink(path);
    return scanned;
}

void scanned_close(struct scanned *scanned)
{
    npart__arena_clear(&scanned->arena);
}

const char *scanned_text(const struct scanned *scanned)
{
    static char text[512];
    if (scanned->status == NPART_OK)
        return "ok";
    (void)snprintf(text, sizeof text, "%s%s%s: %s", npart_status_text(scanned->status),
                   *scanned->error.place ? ", " : "", scanned->error.place, scanned->error.message);
    return text;
}

Onnx__ModelProto *scanned_model(struct scanned *scanned)
{
    Onnx__ModelProto *model = NULL;
    if (scanned->status != NPART_OK ||
        npart__onnx_unpack(&scanned->skeleton, &scanned->arena, &model, &scanned->error) != NPART_OK) {
        fprintf(stderr, "what should unpack does not: %s\n", scanned->error.message);
        exit(99);
    }
    return model;
}
