/* SPDX-License-Identifier: Apache-2.0
 *
 * One run of the scan over bytes in memory, through a stream, or in a file; and what it left, unpacked.
 */
#ifndef TEST_SCANNED_H
#define TEST_SCANNED_H

#include "onnx/onnx.h"

struct scanned {
    struct npart__arena arena;
    struct npart__skeleton skeleton; /* when status is NPART_OK */
    npart_status status;
    struct npart_error error;
};

/* `options` may be NULL. Each must be closed, whatever its status. */
struct scanned scan_memory(const void *data, size_t bytes, const struct npart__wire_options *options);
/* In pieces of at most `piece` bytes; 0: pieces of changing sizes. */
struct scanned scan_stream(const void *data, size_t bytes, size_t piece, const struct npart__wire_options *options);
struct scanned scan_path(const char *path, const struct npart__wire_options *options);
/* By way of a file in a temporary folder. */
struct scanned scan_file(const void *data, size_t bytes, const struct npart__wire_options *options);
void scanned_close(struct scanned *scanned);

/* "malformed, byte 12: what is wrong", or "ok"; in static memory. */
const char *scanned_text(const struct scanned *scanned);

/* What was left, as protobuf-c objects in the same arena; fails the program when it cannot be unpacked. */
Onnx__ModelProto *scanned_model(struct scanned *scanned);

/* A new file with these bytes; `path` has room for 64. Remove it afterwards. */
void write_temporary(char *path, const void *data, size_t bytes);

/* A read callback over bytes in memory. */
struct piecewise {
    const uint8_t *data;
    size_t size, at, piece; /* piece 0: sizes that change */
    unsigned calls;
    size_t fail_at;  /* an offset from which reading fails; 0: none */
    bool fails_once; /* then it goes on as if nothing had been */
};
ptrdiff_t read_piecewise(void *payload, void *into, size_t bytes);

#endif
