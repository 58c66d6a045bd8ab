/* SPDX-License-Identifier: Apache-2.0
 *
 * The way back: a skeleton in which all was kept (keeps_all), edited or not, to the model's file. Ranges of the input
 * are copied by the kernel; no payload is ever in memory.
 *
 *     npart__input_open_file(&input, "model.onnx", &error);
 *     npart__input_source(&input, arena, &source, &error);       scan it with keeps_all, unpack, edit, pack
 *     npart__save_begin(&save, "out.onnx", data, bytes, &input, NULL, arena, &error);
 *                                                                the file at save.temporary is whole: read it again
 *     npart__save_commit(&save, &error);                         it is out.onnx
 *     npart__save_close(&save);                                  removes what was not committed
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

/* ---- recipe ------------------------------------------------------------------------------------------- */

/* A stretch of the file to be written. */
struct npart__piece {
    uint64_t offset, bytes; /* in what it is from */
    enum npart__piece_from { NPART__FROM_SKELETON, NPART__FROM_INPUT, NPART__FROM_EXTRA } from;
};

/* A payload that goes to the file of external data. */
struct npart__moved {
    uint64_t from, bytes; /* in the input */
    uint64_t to;          /* in that file */
};

/* One file of external data for several models that are made of one input, so that weights which they share are there
 * once. What each of them moves is added to it, and the file is written when all are known. Begins as zeros. */
struct npart__shared_data {
    struct NPART__ARRAY(struct npart__moved) moved;
    uint64_t bytes;      /* of the file */
    struct npart__arena *arena;
    uint32_t next;       /* private: where the next payload is looked for, as models have them in like order */
};

/* Moved payloads begin at pages, so that a runtime can map them (as onnx.proto advises). */
#define NPART__EXTERNAL_ALIGNMENT ((uint64_t)4096)

/* What is to be written, before anything is. */
struct npart__recipe {
    uint64_t bytes;          /* of the model's file */
    uint64_t external_bytes; /* of the file of external data; 0: there is none */
    /* private */
    const struct npart__input *input;
    const uint8_t *skeleton;
    struct npart__buffer extra; /* lengths, and fields that were added */
    struct NPART__ARRAY(struct npart__piece) pieces;
    struct NPART__ARRAY(struct npart__moved) moved;
};

struct npart__expand_options {
    /* Moves raw_data that was left out, of initializers of graphs, to an external file of this name; NULL: all stays
     * in the model. */
    const char *external_location;
    struct npart__shared_data *shared; /* others move theirs into that file, too; NULL: it is of this model alone */
    uint64_t limit_bytes; /* of the model's file; 0: NPART__LIMIT_SKELETON_BYTES. Tests reach it with small files. */
};

/* Works out the pieces and the size. The skeleton and `input` must stay alive until all is written. `options` may be
 * NULL. Fails with LIMIT where a protobuf message cannot be so large, or is nested too deep; with MALFORMED where the
 * skeleton is none of this input. */
npart_status npart__recipe_make(struct npart__recipe *out, const void *skeleton, size_t bytes,
                                   const struct npart__input *input, const struct npart__expand_options *options,
                                   struct npart__arena *arena, struct npart_error *error);

/* Writes the model's file to a descriptor, from where it stands; and the external one, to an empty file. Both fail with
 * READ (the input has changed, too), WRITE or MEMORY. */
npart_status npart__recipe_write(const struct npart__recipe *recipe, int descriptor,
                                    struct npart__arena *arena, struct npart_error *error);
npart_status npart__recipe_write_external(const struct npart__recipe *recipe, int descriptor,
                                             struct npart__arena *arena, struct npart_error *error);
/* A recipe of the shared file alone: it is written as its external one. */
void npart__recipe_of_shared(struct npart__recipe *out, const struct npart__shared_data *shared,
                             const struct npart__input *input);

/* ---- output ---------------------------------------------------------------------------------------------- */

/* A file that is put in place when all of it has been written. */
struct npart__output {
    const char *path;      /* the caller's */
    const char *temporary; /* in the same folder: what is written so far */
    /* private */
    struct npart__arena *arena;
    const struct npart__input *input;
    int descriptor;
    bool is_there; /* the temporary file */
};

/* Fails with ARGUMENT where `path` is the input itself (`input` may be NULL), with WRITE where there is no such
 * folder, or it is not writable. Who may not read the input's file may not read the output, either. `path` and `input`
 * must stay alive. */
npart_status npart__output_open(struct npart__output *output, const char *path, const struct npart__input *input,
                                struct npart__arena *arena, struct npart_error *error);
npart_status npart__output_write(struct npart__output *output, const struct npart__recipe *recipe,
                                 struct npart_error *error);
/* Renames it to its path. What was there before is replaced at once; of a power failure soon afterwards a file may come
 * out that is cut off, as after any copying: waiting for the disk takes several times as long as all the rest. */
npart_status npart__output_commit(struct npart__output *output, struct npart_error *error);
/* Removes what was not committed. */
void npart__output_close(struct npart__output *output);
/* Opens it and writes bytes in memory. `output->descriptor` must be -1 before; close it, whatever comes out. */
npart_status npart__output_hold(struct npart__output *output, const char *path, const struct npart__input *input,
                                const void *data, size_t bytes, struct npart__arena *arena, struct npart_error *error);
/* The four with bytes in memory. */
npart_status npart__output_save(const char *path, const struct npart__input *input, const void *data, size_t bytes,
                                struct npart__arena *arena, struct npart_error *error);

/* ---- external data --------------------------------------------------------------------------------------- */

/* Files that the tensors of a skeleton refer to, each once, in their order. */
struct npart__externals {
    struct NPART__ARRAY(const char *) locations; /* relative to the model's folder */
};

/* Fails with ARGUMENT where a location leads out of that folder, with MEMORY. */
npart_status npart__externals_find(struct npart__externals *out, const void *skeleton, size_t bytes,
                                   struct npart__arena *arena, struct npart_error *error);

/* What becomes of weights. */
struct npart__weights {
    bool links, copies; /* external data of the input: a link to it, or a copy, in the output's folder */
    bool moves_out;     /* weights in the input go to a file of external data, OUT.data */
    bool leaves_absent; /* external data that is not there is referred to as before, and no error */
    const char *shared_location; /* in the place of OUT.data; it is not written with the model */
    struct npart__shared_data *shared; /* where it is one of several that move their weights out */
    bool is_unchanged;  /* the model is written byte for byte as it was; the skeleton says what it refers to */
};

/* ---- saving ---------------------------------------------------------------------------------------------- */

/* A model on its way into its place, with the data that goes with it. */
struct npart__save {
    const char *temporary; /* the model's file, whole: to be read again before it is committed */
    uint64_t bytes, external_bytes;
    /* private */
    struct npart__output model, data;
    struct npart__externals externals;
    struct npart__weights weights;
    const char *from_folder, *to_folder;
    struct npart__arena *arena;
};

/* Writes all files beside their places. `weights` may be NULL. Before anything is written it fails with LIMIT where the
 * model is too large for a file, and with ARGUMENT where its external data would be missed in another folder, is absent
 * where it is to be linked or copied, or would be written over. After a failure there is nothing to close. */
npart_status npart__save_begin(struct npart__save *save, const char *path, const void *skeleton, size_t bytes,
                               const struct npart__input *input, const struct npart__weights *weights,
                               struct npart__arena *arena, struct npart_error *error);
/* Puts them in their places, the model last. */
npart_status npart__save_commit(struct npart__save *save, struct npart_error *error);
void npart__save_close(struct npart__save *save);

#endif
