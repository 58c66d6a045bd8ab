/* SPDX-License-Identifier: Apache-2.0
 *
 * A model read to be edited, unpacked, packed and written again; and what two files mean to protobuf.
 */
#ifndef TEST_REWRITTEN_H
#define TEST_REWRITTEN_H

#include "support/scanned.h"
#include "support/model_text.h"
#include "wire/write.h"

/* The skeleton of a file in which all is kept, by way of protobuf-c's objects; `scanned` is to be closed. */
struct bytes edited_skeleton(struct scanned *scanned, const struct npart__input *input,
                             const struct npart__wire_options *options);

/* What is written of such a skeleton, from memory or by way of a file; the status is in `scanned`. */
struct bytes rewrite_memory(struct scanned *scanned, const void *data, size_t bytes, uint64_t keep_bytes);
struct bytes rewrite_file(struct scanned *scanned, const char *path, uint64_t keep_bytes);

/* The message in protobuf-c's own order, nothing left out; fails the program where it is none. */
struct bytes canonical(const void *data, size_t bytes);
bool means_the_same(const struct bytes *a, const struct bytes *b);

/* A whole file; fails the program where it cannot be read. */
struct bytes file_bytes(const char *path);
/* A folder of its own with model.onnx in it, of these bytes, which are freed; and its end. */
struct model_folder {
    char folder[64], path[96];
};
void model_folder_begin(struct model_folder *at, struct bytes *model);
void model_folder_end(const struct model_folder *at);

#endif
