/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the bytes come from: a file read by pread, a stream read in order, or memory that is all
 * window. The scan asks for a place, always at or after the last one, and how many bytes it
 * needs to see there.
 */
#include <errno.h>

#include "base/base.h"
#include "base/platform.h"
#include "wire/wire.h"

/* A page: enough for the headers between two payloads that are jumped over. */
#define FIRST_READ_BYTES ((size_t)4 << 10)
/* Where reading goes on for long, larger reads gain nothing more, and the window is all the
 * memory that a file takes besides the skeleton. */
#define LAST_READ_BYTES ((size_t)256 << 10)

static void init(struct npart__source *source, struct npart__arena *arena)
{
    memset(source, 0, sizeof *source);
    source->arena = arena;
    source->descriptor = -1;
    source->next_read_bytes = FIRST_READ_BYTES;
}

/* The system's reason in words. */
static npart_status cannot_read(const char *what, int code, struct npart_error *error)
{
    char text[128];
    npart__system_text(code, text, sizeof text);
    return npart__fail(error, NPART_ERROR_READ, "", "cannot %s: %s", what, text);
}

/* The largest window at once: it does not grow later. Whatever is asked for at once fits (npart__source_seek). */
static bool allocate_storage(struct npart__source *source)
{
    source->storage = npart__arena_allocate(source->arena, LAST_READ_BYTES);
    source->window = source->storage;
    return source->storage != NULL;
}

/* A directory can be opened on Linux, and only reading it fails, so directories are named as
 * such here. What is no regular file (a pipe, /dev/stdin) has no size and is read in order. */
npart_status npart__source_open_file(struct npart__source *source, struct npart__arena *arena, const char *path,
                                     struct npart_error *error)
{
    return npart__source_open_descriptor(source, arena, npart__file_open(path), error);
}

npart_status npart__source_open_descriptor(struct npart__source *source, struct npart__arena *arena, int descriptor,
                                           struct npart_error *error)
{
    init(source, arena);
    if (descriptor < 0)
        return cannot_read("open the file", errno, error);
    struct npart__file_status status;
    npart_status result = NPART_OK;
    if (!npart__file_status(descriptor, &status))
        result = cannot_read("look at the file", errno, error);
    else if (status.kind == NPART__FILE_FOLDER)
        result = npart__fail(error, NPART_ERROR_READ, "", "is a directory, not a model file");
    else if (!allocate_storage(source))
        result = npart__fail_memory(error);
    if (result != NPART_OK) {
        npart__file_close(descriptor);
        return result;
    }
    source->descriptor = descriptor;
    source->size = status.kind == NPART__FILE_REGULAR ? status.bytes : UINT64_MAX;
    return NPART_OK;
}

/* The caller's callback is asked for bytes in order and never asked to go back. It returns how many it gave, 0 at
 * the end and less than 0 on failure. */
npart_status npart__source_open_stream(struct npart__source *source, struct npart__arena *arena,
                                       npart_read_callback read, void *payload, struct npart_error *error)
{
    init(source, arena);
    if (!allocate_storage(source))
        return npart__fail_memory(error);
    source->read = read;
    source->read_payload = payload;
    source->size = UINT64_MAX;
    return NPART_OK;
}

/* Nothing is copied: the caller's memory is the window, and must live until the scan has ended. */
void npart__source_open_memory(struct npart__source *source, const void *data, size_t bytes)
{
    init(source, NULL);
    source->window = data;
    source->window_bytes = bytes;
    source->size = bytes;
}

void npart__source_close(struct npart__source *source)
{
    if (source->descriptor >= 0)
        npart__file_close(source->descriptor);
    source->descriptor = -1;
    if (source->arena)
        npart__arena_release(source->arena, source->storage);
    source->storage = NULL;
}

/* One read at the window's end; *got is 0 at the end of the input. A callback that says more than there was room for
 * cannot be believed. Of a callback there is no errno to be told. */
static npart_status read_some(struct npart__source *source, uint8_t *into, size_t room, size_t *got,
                              struct npart_error *error)
{
    uint64_t at = source->window_offset + source->window_bytes;
    if (source->read) {
        ptrdiff_t count = source->read(source->read_payload, into, room);
        if (count < 0 || (size_t)count > room)
            return npart__fail(error, NPART_ERROR_READ, "", "cannot read the stream");
        *got = (size_t)count;
        return NPART_OK;
    }
    ptrdiff_t count = source->size == UINT64_MAX ? npart__file_read(source->descriptor, into, room)
                                                 : npart__file_read_at(source->descriptor, into, room, at);
    if (count < 0)
        return cannot_read("read the file", errno, error);
    *got = (size_t)count;
    return NPART_OK;
}

/* A stream has no positions: what lies before `offset` is read and forgotten. Where it ends before `offset` its size
 * is known then, and the scan says that bytes are missing. */
static npart_status discard_until(struct npart__source *source, uint64_t offset, struct npart_error *error)
{
    while (source->window_offset + source->window_bytes < offset) {
        source->window_offset += source->window_bytes;
        source->window_bytes = 0;
        uint64_t rest = offset - source->window_offset;
        size_t room = rest < LAST_READ_BYTES ? (size_t)rest : LAST_READ_BYTES;
        size_t got = 0;
        npart_status status = read_some(source, source->storage, room, &got, error);
        if (status != NPART_OK)
            return status;
        if (got == 0) {
            source->size = source->window_offset;
            return NPART_OK;
        }
        source->window_bytes = got;
    }
    return NPART_OK;
}

/* Three cases: memory only moves its window; a stream reads and forgets what lies before the
 * place; a file keeps what the window has already and reads on from its end, or begins anew
 * after a jump. */
npart_status npart__source_seek(struct npart__source *source, uint64_t offset, size_t bytes,
                                struct npart_error *error)
{
    uint64_t end = source->window_offset + source->window_bytes;
    if (!source->storage) { /* memory: the window is everything */
        /* A place past the end leaves an empty window, which stands at the end. */
        uint64_t step = offset < end ? offset - source->window_offset : end - source->window_offset;
        source->window += step;
        source->window_bytes -= (size_t)step;
        source->window_offset += step;
        return NPART_OK;
    }
    /* A pipe has a descriptor and no size, and is read in order like a callback. */
    bool is_stream = source->read != NULL || source->size == UINT64_MAX;
    if (is_stream && offset > end) {
        npart_status status = discard_until(source, offset, error);
        end = source->window_offset + source->window_bytes;
        if (status != NPART_OK || end < offset) /* or the stream ended */
            return status;
    }
    if (offset < end) { /* keep what is already here */
        size_t step = (size_t)(offset - source->window_offset);
        source->window_bytes -= step;
        memmove(source->storage, source->window + step, source->window_bytes);
    } else {
        source->window_bytes = 0;
        if (offset != end)
            source->next_read_bytes = FIRST_READ_BYTES;
    }
    source->window = source->storage;
    source->window_offset = offset;
    size_t wanted = source->next_read_bytes;
    /* Twice as much next time, until a jump says that reading is sparse. */
    if (source->next_read_bytes < LAST_READ_BYTES)
        source->next_read_bytes *= 2;
    /* A stream may be a terminal or a socket: no more is waited for than is needed. */
    while (source->window_bytes < bytes || (!is_stream && source->window_bytes < wanted)) {
        size_t room = (wanted > bytes ? wanted : bytes) - source->window_bytes, got = 0;
        npart_status status = read_some(source, source->storage + source->window_bytes, room, &got, error);
        if (status != NPART_OK)
            return status;
        if (got == 0) {
            if (is_stream)
                source->size = source->window_offset + source->window_bytes;
            break;
        }
        source->window_bytes += got;
    }
    return NPART_OK;
}
