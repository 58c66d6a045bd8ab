/* SPDX-License-Identifier: Apache-2.0
 *
 * wire: the bytes of a model, from wherever they come, to a *skeleton*: the same protobuf message without the
 * payloads of large tensors. Weights are neither copied nor, from a file, read.
 *
 * One forward pass checks every field of every message against the table in wire_schema.def, so that what is
 * wrong is reported with its byte, and what is handed on is well formed and nested no deeper than the limit.
 * Where a payload was dropped, its message carries a record of it instead (npart__elided, below).
 */
#ifndef NPART_WIRE_H
#define NPART_WIRE_H

#include "base/base.h"
#include "base/limits.h"

/* ---- source ---------------------------------------------------------------------------------------------- */

/* Bytes seen through a window that only moves forward. A file is read by pread in windows that grow while the
 * reading is sequential (4 KiB to 256 KiB) and start small again after a jump: a mapping would make a sparse
 * walk of a cached file resident, because the kernel maps large folios. */
struct npart__source {
    const uint8_t *window; /* bytes that are here now */
    uint64_t window_offset; /* of window[0] in the input */
    size_t window_bytes; /* how many; 0 at the end of the input */
    uint64_t size; /* of the input; UINT64_MAX until a stream has ended */
    /* private */
    struct npart__arena *arena;
    uint8_t *storage; /* what the window lies in; NULL: the memory of the caller */
    size_t next_read_bytes; /* how large the next window is to be */
    int descriptor; /* -1: none */
    npart_read_callback read; /* of a stream; else NULL */
    void *read_payload; /* its first argument */
    char path[64]; /* the end of it, for messages */
};

/* Each fills in `source` or fails; `arena` holds the window. A path may name a pipe. Close after success. */
npart_status npart__source_open_file(struct npart__source *source, struct npart__arena *arena, const char *path,
                                     struct npart_error *error);
/* The descriptor is closed with the source, or when this fails; below 0: errno says why there is none. */
npart_status npart__source_open_descriptor(struct npart__source *source, struct npart__arena *arena, int descriptor,
                                           struct npart_error *error);
npart_status npart__source_open_stream(struct npart__source *source, struct npart__arena *arena,
                                       npart_read_callback read, void *payload, struct npart_error *error);
void npart__source_open_memory(struct npart__source *source, const void *data, size_t bytes);
void npart__source_close(struct npart__source *source);

/* Moves the window so that it starts at `offset`, at or after its old start, and holds at least `bytes` (at most
 * 4 KiB) unless the input ends before. */
npart_status npart__source_seek(struct npart__source *source, uint64_t offset, size_t bytes,
                                struct npart_error *error);

/* ---- skeleton -------------------------------------------------------------------------------------------- */

/* A payload that was left out: field `field` of the tensor or attribute whose message holds this record. */
struct npart__elided {
    uint64_t offset;   /* of the first byte left out, in the input */
    uint64_t bytes;    /* all bytes left out */
    uint64_t elements; /* how many elements they are; 0 where only reading them would tell */
    uint32_t field;    /* field number: 9 raw_data, 4 float_data, ... */
    uint32_t reserved;
};

/* The records stand in the message as an unknown field with this number. Protobuf reserves 19000 to 19999 for
 * its own use, no schema can define them, and the scan drops any field of the input that the schema lacks. */
#define NPART__ELIDED_FIELD 19999u

/* Where all is kept (keeps_all), each range of the input that was left out, with tags and lengths, has a record in its
 * message, too: then the skeleton is the whole model, which can be edited and written again (wire/write.h). Ranges of
 * one field that touch are one. They stand in the order of the input. */
struct npart__verbatim {
    uint64_t offset, bytes; /* in the input */
    uint32_t field;         /* number of the field whose payload it is, as in npart__elided; 0: any other */
    uint32_t reserved;
};
#define NPART__VERBATIM_FIELD 19998u

/* What a tensor or attribute may keep, in bytes of one payload field. Rules ask for the elements
 * of small tensors: scales, pads, bounds. INT64 tensors may be longer, since shapes are computed
 * with them. The first can be changed by an option of reading, the others not. */
#define NPART__KEEP_BYTES ((uint64_t)4 << 10)            /* tensor payloads in general */
#define NPART__KEEP_INT64_BYTES ((uint64_t)64 << 10)     /* INT64 ones: shapes, indices, axes */
#define NPART__KEEP_ATTRIBUTE_BYTES ((uint64_t)64 << 10) /* numbers and strings of one attribute */
#define NPART__KEEP_TEXT_BYTES ((uint64_t)64 << 10)      /* documentation and metadata values */

/* Message nesting, as protobuf's own implementations limit it; a graph within a graph takes three levels. */
#define NPART__LIMIT_DEPTH 100u
/* Protobuf's limit for one message. */
#define NPART__LIMIT_SKELETON_BYTES (((uint64_t)1 << 31) - 1)

/* What a caller may change; tests use both to reach limits with small files. */
struct npart__wire_options {
    uint64_t keep_bytes;           /* 0: NPART__KEEP_BYTES */
    uint64_t keep_bool_bytes;      /* of BOOL tensors that are larger, in all of them: masks; 0: none */
    uint64_t limit_skeleton_bytes; /* 0: NPART__LIMIT_SKELETON_BYTES */
    const struct npart__limits *limits; /* NULL: as they are; must outlive what is made of the skeleton */
    bool keeps_all;                /* records of everything that is left out; see npart__verbatim */
    bool keeps_what_it_can;        /* the same, but what such a skeleton cannot hold is lost, and no failure */
};

/* The message without what was left out. It is one block of memory, given back as soon as it has
 * been unpacked, unless it is lent. */
struct npart__skeleton {
    uint8_t *data; /* in the arena */
    size_t bytes;
    uint64_t input_bytes;   /* the whole input */
    uint64_t elided_bytes;  /* payloads left out */
    uint64_t skipped_bytes; /* training information, unknown fields, overlong texts */
    uint64_t training_info_bytes;
    bool may_have_external; /* tensors' data in other files: some tensor holds messages, which say where */
    bool is_whole; /* all was kept: it can be edited and written again */
    bool is_lent;  /* its bytes are not given back when they are unpacked */
    void *objects; /* what it unpacks to, where that is there already and outlives what is made of it; else NULL */
    const struct npart__strings *names; /* of those whose texts these are, most of them; or NULL */
    const struct npart__limits *limits; /* of the options; NULL: as they are */
};

/* Reads the input once, from its beginning to its end. Fails with MALFORMED and the byte as the
 * place, with LIMIT past a limit, with READ where the input cannot be read. Memory beside the
 * skeleton is one window, whatever the size of the file. */
npart_status npart__wire_scan(struct npart__source *source, const struct npart__wire_options *options,
                              struct npart__arena *arena, struct npart__skeleton *out, struct npart_error *error);

/* Prints the table that the scan goes by, a field a line: `Message number name kind`. For the test that holds
 * it against the official schema. */
void npart__wire_describe(struct npart__buffer *buffer);

#endif
