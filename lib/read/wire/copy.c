/* SPDX-License-Identifier: Apache-2.0
 *
 * Pieces to a descriptor. Large ranges are copied by the kernel: by copy_file_range, which some file systems do by
 * sharing blocks; where that cannot be, by sendfile; else through the buffer.
 */
#include <errno.h>

#include "wire/files.h"

#define BUFFER_BYTES ((size_t)256 << 10)
/* Below this a call for the range alone costs more than copying it. */
#define KERNEL_BYTES ((uint64_t)64 << 10)

npart_status npart__sink_open(struct npart__sink *sink, int descriptor, struct npart__arena *arena,
                              struct npart_error *error)
{
    *sink = (struct npart__sink){.descriptor = descriptor, .error = error};
    sink->buffer = npart__arena_allocate(arena, BUFFER_BYTES);
    return sink->buffer ? NPART_OK : npart__fail_memory(error);
}

/* One call may write less than it was given: a pipe, a signal, a disk that is nearly full. */
static npart_status write_all(struct npart__sink *sink, const uint8_t *data, size_t bytes)
{
    while (bytes) {
        ptrdiff_t count = npart__file_write(sink->descriptor, data, bytes);
        if (count < 0)
            return npart__fail_system(NPART_ERROR_WRITE, "write the file", "", errno, sink->error);
        data += count;
        bytes -= (size_t)count;
    }
    return NPART_OK;
}

/* The buffer counts as empty even after a failure: nothing is written twice. */
npart_status npart__sink_flush(struct npart__sink *sink)
{
    size_t bytes = sink->used;
    sink->used = 0;
    return write_all(sink, sink->buffer, bytes);
}

/* What does not fit sends the buffer off first; what is larger than the whole buffer goes past it. */
npart_status npart__sink_put(struct npart__sink *sink, const void *data, size_t bytes)
{
    npart_status status = NPART_OK;
    if (bytes > BUFFER_BYTES - sink->used)
        status = npart__sink_flush(sink);
    if (status != NPART_OK || bytes > BUFFER_BYTES)
        return status == NPART_OK ? write_all(sink, data, bytes) : status;
    if (bytes)
        memcpy(sink->buffer + sink->used, data, bytes);
    sink->used += bytes;
    return NPART_OK;
}

/* Ranges were checked against the size at opening, so the file was cut since, or the record is of another file. */
static npart_status cut_off(struct npart__sink *sink)
{
    return npart__fail(sink->error, NPART_ERROR_READ, "", "the model has become shorter while it was being copied");
}

/* Through the buffer. */
static npart_status copy_by_reading(struct npart__sink *sink, int from, uint64_t offset, uint64_t bytes)
{
    while (bytes) {
        npart_status status = sink->used == BUFFER_BYTES ? npart__sink_flush(sink) : NPART_OK;
        if (status != NPART_OK)
            return status;
        size_t room = BUFFER_BYTES - sink->used;
        ptrdiff_t count =
            npart__file_read_at(from, sink->buffer + sink->used, bytes < room ? (size_t)bytes : room, offset);
        if (count < 0)
            return npart__fail_system(NPART_ERROR_READ, "read the model", "", errno, sink->error);
        if (count == 0)
            return cut_off(sink);
        sink->used += (size_t)count;
        offset += (uint64_t)count;
        bytes -= (uint64_t)count;
    }
    return NPART_OK;
}

/* Bytes that the buffer holds go first. A way that the file systems lack sets `way` to the next one, and the loop
 * tries again; only reading is left in the end. A rest below KERNEL_BYTES goes through the buffer. */
static npart_status copy_range(struct npart__sink *sink, int from, uint64_t offset, uint64_t bytes)
{
    bool is_long = bytes >= KERNEL_BYTES && sink->way != NPART__COPY_BY_READING;
    npart_status status = is_long ? npart__sink_flush(sink) : NPART_OK;
    while (status == NPART_OK && bytes >= KERNEL_BYTES && sink->way != NPART__COPY_BY_READING) {
        ptrdiff_t count = npart__file_copy(from, offset, sink->descriptor, bytes, &sink->way);
        if (count == 0) /* the end of the input, or a file system that says so without reason */
            break;
        if (count < 0 && sink->way != NPART__COPY_BY_READING)
            status = npart__fail_system(NPART_ERROR_WRITE, "copy into the file", "", errno, sink->error);
        if (count < 0)
            continue;
        offset += (uint64_t)count;
        bytes -= (uint64_t)count;
    }
    return status == NPART_OK ? copy_by_reading(sink, from, offset, bytes) : status;
}

npart_status npart__sink_copy(struct npart__sink *sink, const struct npart__input *input, uint64_t offset,
                              uint64_t bytes)
{
    /* In this order the difference cannot wrap around. */
    if (offset > input->bytes || bytes > input->bytes - offset)
        return cut_off(sink);
    return input->data ? npart__sink_put(sink, input->data + offset, (size_t)bytes)
                       : copy_range(sink, input->descriptor, offset, bytes);
}

/* The input is looked at again when all is copied: what was read before a change is as wrong as what was after. */
npart_status npart__recipe_write(const struct npart__recipe *recipe, int descriptor,
                                    struct npart__arena *arena, struct npart_error *error)
{
    struct npart__sink sink;
    npart_status status = npart__input_check(recipe->input, error);
    if (status == NPART_OK)
        status = npart__sink_open(&sink, descriptor, arena, error);
    for (uint32_t i = 0; i < recipe->pieces.count && status == NPART_OK; i++) {
        const struct npart__piece *piece = &recipe->pieces.items[i];
        if (piece->from == NPART__FROM_INPUT)
            status = npart__sink_copy(&sink, recipe->input, piece->offset, piece->bytes);
        else if (piece->from == NPART__FROM_EXTRA)
            status = npart__sink_put(&sink, recipe->extra.data + piece->offset, (size_t)piece->bytes);
        else
            status = npart__sink_put(&sink, recipe->skeleton + piece->offset, (size_t)piece->bytes);
    }
    if (status == NPART_OK)
        status = npart__sink_flush(&sink);
    return status == NPART_OK ? npart__input_check(recipe->input, error) : status;
}

/* What lies between payloads is left out: a hole of zeros. The sink is flushed before each seek, as what it holds
 * belongs to the place before. Payloads are in the order of the file. */
void npart__recipe_of_shared(struct npart__recipe *out, const struct npart__shared_data *shared,
                             const struct npart__input *input)
{
    *out = (struct npart__recipe){.external_bytes = shared->bytes, .input = input};
    out->moved.items = shared->moved.items;
    out->moved.count = shared->moved.count;
}

npart_status npart__recipe_write_external(const struct npart__recipe *recipe, int descriptor,
                                             struct npart__arena *arena, struct npart_error *error)
{
    struct npart__sink sink;
    npart_status status = npart__input_check(recipe->input, error);
    if (status == NPART_OK)
        status = npart__sink_open(&sink, descriptor, arena, error);
    for (uint32_t i = 0; i < recipe->moved.count && status == NPART_OK; i++) {
        const struct npart__moved *moved = &recipe->moved.items[i];
        status = npart__sink_flush(&sink);
        if (status == NPART_OK && !npart__file_seek(descriptor, moved->to))
            status = npart__fail_system(NPART_ERROR_WRITE, "write the file", "", errno, error);
        if (status == NPART_OK)
            status = npart__sink_copy(&sink, recipe->input, moved->from, moved->bytes);
    }
    if (status == NPART_OK)
        status = npart__sink_flush(&sink);
    return status == NPART_OK ? npart__input_check(recipe->input, error) : status;
}
