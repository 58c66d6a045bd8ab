/* SPDX-License-Identifier: Apache-2.0
 *
 * What the writing files share.
 */
#ifndef NPART_WIRE_FILES_H
#define NPART_WIRE_FILES_H

#include "base/base.h"
#include "base/platform.h"
#include "wire/write.h"

/* "cannot WHAT: the system's words for errno". */
npart_status npart__fail_system(npart_status status, const char *what, const char *place, int code,
                                struct npart_error *error);

/* Fails with READ when the input is no longer what was opened. */
npart_status npart__input_check(const struct npart__input *input, struct npart_error *error);

/* The folder of a path; NULL when out of memory. */
const char *npart__folder_of(const char *path, struct npart__arena *arena);
/* What is made of a model, beside where the command runs: of "models/a.onnx" with the end ".parts" "a.parts". */
const char *npart__result_name(const char *path, const char *end, struct npart__arena *arena);

/* A descriptor that is written to through a buffer, for what is small; large ranges go through the kernel. */
struct npart__sink {
    int descriptor; /* the caller closes it */
    uint8_t *buffer;
    size_t used; /* of the buffer: written to the sink, and not yet to the descriptor */
    enum npart__copy_way way; /* of those that the file systems can */
    struct npart_error *error;
};

npart_status npart__sink_open(struct npart__sink *sink, int descriptor, struct npart__arena *arena,
                              struct npart_error *error);
npart_status npart__sink_put(struct npart__sink *sink, const void *data, size_t bytes);
/* A range of the input, which is checked to lie in it. */
npart_status npart__sink_copy(struct npart__sink *sink, const struct npart__input *input, uint64_t offset,
                              uint64_t bytes);
npart_status npart__sink_flush(struct npart__sink *sink);

bool npart__is_same_file(const char *a, const char *b);
/* Fails with ARGUMENT where a location leads out of its folder. */
npart_status npart__check_location(const char *location, struct npart_error *error);
/* A file of external data, by its location, from one folder into another. One of the same content may be there. */
npart_status npart__bring_external(const char *location, const char *from_folder, const char *to_folder, bool links,
                                   struct npart__arena *arena, struct npart_error *error);

#endif
