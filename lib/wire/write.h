/* SPDX-License-Identifier: Apache-2.0
 *
 * The way back: a skeleton in which all was kept (keeps_all), edited or not, to the model's file. Ranges of the input
 * are copied by the kernel; no payload is ever in memory.
 *
 *     npart__input_open_file(&input, "model.onnx", &error);
 *     npart__input_source(&input, arena, &source, &error);       scan it with keeps_all, unpack, edit, pack
 *     npart__expansion_make(&expansion, data, bytes, &input, NULL, arena, &error);
 *     npart__output_open(&output, "out.onnx", &input, arena, &error);
 *     npart__output_write(&output, &expansion, &error);          the file at output.temporary is whole: read it again
 *     npart__output_commit(&output, &error);                     it is out.onnx
 *     npart__output_close(&output);                              removes what was not committed
 *     npart__input_close(&input);
 */
#ifndef NPART_WRITE_H
#define NPART_WRITE_H

#include "wire/wire.h"

/* ---- input ----------------------------------------------------------------------------------------------- */

/* The file that a skeleton was scanned from, or memory. It must not change until all is written. */
struct npart__input {
    const uint8_t *data; /* NULL: a file */
    uint64_t bytes;
    /* private */
    int descriptor;
    const char *path; /* the caller's; external data is looked for beside it */
    uint64_t device, inode;
    int64_t modified_s, modified_ns;
};

/* Fails with READ; a pipe or a terminal cannot be read twice. `path` must stay alive. */
npart_status npart__input_open_file(struct npart__input *input, const char *path, struct npart_error *error);
void npart__input_open_memory(struct npart__input *input, const void *data, size_t bytes);
void npart__input_close(struct npart__input *input);

/* A source for a scan of it; it is closed by itself. */
npart_status npart__input_source(const struct npart__input *input, struct npart__arena *arena,
                                 struct npart__source *source, struct npart_error *error);

/* ---- expansion ------------------------------------------------------------------------------------------- */

/* A stretch of the file to be written. */
struct npart__piece {
    uint64_t offset, bytes;
    enum npart__piece_from { NPART__FROM_SKELETON, NPART__FROM_INPUT, NPART__FROM_EXTRA } from;
};

/* What is to be written, before anything is. */
struct npart__expansion {
    uint64_t bytes;          /* of the model's file */
    /* private */
    const struct npart__input *input;
    const uint8_t *skeleton;
    struct npart__buffer extra; /* lengths, and fields that were added */
    struct NPART__ARRAY(struct npart__piece) pieces;
};

struct npart__expand_options {
    uint64_t limit_bytes; /* of the model's file; 0: NPART__LIMIT_SKELETON_BYTES. Tests reach it with small files. */
};

/* Works out the pieces and the size. The skeleton and `input` must stay alive until all is written. `options` may be
 * NULL. Fails with LIMIT where a protobuf message cannot be so large, or is nested too deep; with MALFORMED where the
 * skeleton is none of this input. */
npart_status npart__expansion_make(struct npart__expansion *out, const void *skeleton, size_t bytes,
                                   const struct npart__input *input, const struct npart__expand_options *options,
                                   struct npart__arena *arena, struct npart_error *error);

/* Writes the model's file to a descriptor, from where it stands. Fails with READ (the input has changed, too), WRITE or
 * MEMORY. */
npart_status npart__expansion_write(const struct npart__expansion *expansion, int descriptor,
                                    struct npart__arena *arena, struct npart_error *error);

/* ---- output ---------------------------------------------------------------------------------------------- */

/* A file that is put in place when all of it has been written. */
struct npart__output {
    const char *path;      /* the caller's */
    const char *temporary; /* in the same folder: what is written so far */
    /* private */
    struct npart__arena *arena;
    const struct npart__input *input;
    const char *folder;
    int descriptor;
    bool is_there; /* the temporary file */
};

/* Fails with ARGUMENT where `path` is the input itself (`input` may be NULL), with WRITE where there is no such
 * folder, or it is not writable. `path` and `input` must stay alive. */
npart_status npart__output_open(struct npart__output *output, const char *path, const struct npart__input *input,
                                struct npart__arena *arena, struct npart_error *error);
npart_status npart__output_write(struct npart__output *output, const struct npart__expansion *expansion,
                                 struct npart_error *error);
/* Flushes it to the disk and renames it to its path. */
npart_status npart__output_commit(struct npart__output *output, struct npart_error *error);
/* Removes what was not committed. */
void npart__output_close(struct npart__output *output);

#endif
