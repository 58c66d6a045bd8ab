/* SPDX-License-Identifier: Apache-2.0 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "wire/files.h"

npart_status npart__fail_system(npart_status status, const char *what, const char *place, int code,
                                struct npart_error *error)
{
    char text[128];
    if (strerror_r(code, text, sizeof text) != 0)
        (void)snprintf(text, sizeof text, "error %d", code);
    return npart__fail(error, status, place, "cannot %s: %s", what, text);
}

static void take_stamp(struct npart__input *input, const struct stat *status)
{
    input->bytes = (uint64_t)status->st_size;
    input->device = (uint64_t)status->st_dev;
    input->inode = (uint64_t)status->st_ino;
    input->modified_s = (int64_t)status->st_mtim.tv_sec;
    input->modified_ns = (int64_t)status->st_mtim.tv_nsec;
}

npart_status npart__input_open_file(struct npart__input *input, const char *path, struct npart_error *error)
{
    struct stat status;
    npart_status result = NPART_OK;
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    if (descriptor < 0)
        return npart__fail_system(NPART_ERROR_READ, "open the file", "", errno, error);
    if (fstat(descriptor, &status) != 0)
        result = npart__fail_system(NPART_ERROR_READ, "look at the file", "", errno, error);
    else if (!S_ISREG(status.st_mode))
        result = npart__fail(error, NPART_ERROR_READ, "", "is no regular file: what is edited is read twice");
    if (result != NPART_OK) {
        (void)close(descriptor);
        return result;
    }
    *input = (struct npart__input){.descriptor = descriptor, .path = path};
    take_stamp(input, &status);
    return NPART_OK;
}

void npart__input_open_memory(struct npart__input *input, const void *data, size_t bytes)
{
    static const uint8_t nothing[1];
    *input = (struct npart__input){.data = data ? data : nothing, .bytes = bytes, .descriptor = -1};
}

void npart__input_close(struct npart__input *input)
{
    if (input->descriptor >= 0)
        (void)close(input->descriptor);
    input->descriptor = -1;
}

/* The source closes a descriptor of its own. */
npart_status npart__input_source(const struct npart__input *input, struct npart__arena *arena,
                                 struct npart__source *source, struct npart_error *error)
{
    if (input->data) {
        npart__source_open_memory(source, input->data, (size_t)input->bytes);
        return NPART_OK;
    }
    return npart__source_open_descriptor(source, arena, fcntl(input->descriptor, F_DUPFD_CLOEXEC, 0), error);
}

/* Whoever writes into a file changes its time; nanoseconds are as fine as the file system's clock. */
npart_status npart__input_check(const struct npart__input *input, struct npart_error *error)
{
    struct stat status;
    struct npart__input now = {0};
    if (input->data)
        return NPART_OK;
    if (fstat(input->descriptor, &status) != 0)
        return npart__fail_system(NPART_ERROR_READ, "look at the model", "", errno, error);
    take_stamp(&now, &status);
    if (now.bytes != input->bytes || now.modified_s != input->modified_s || now.modified_ns != input->modified_ns)
        return npart__fail(error, NPART_ERROR_READ, "", "the model was changed while it was being edited");
    return NPART_OK;
}
