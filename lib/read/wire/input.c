/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>

#include "wire/files.h"

/* `code` is an errno, taken by the caller: whatever is called in between may change the variable. */
npart_status npart__fail_system(npart_status status, const char *what, const char *place, int code,
                                struct npart_error *error)
{
    char text[128];
    npart__system_text(code, text, sizeof text);
    return npart__fail(error, status, place, "cannot %s: %s", what, text);
}

/* What tells two states of a file apart, and (device and inode) two files. */
static void take_stamp(struct npart__input *input, const struct npart__file_status *status)
{
    input->bytes = status->bytes;
    input->device = status->device;
    input->inode = status->inode;
    input->modified_s = status->modified_s;
    input->modified_ns = status->modified_ns;
}

/* The descriptor stays open until the end, so that a file which is renamed meanwhile is still the one that was
 * opened. */
npart_status npart__input_open_file(struct npart__input *input, const char *path, struct npart_error *error)
{
    struct npart__file_status status;
    npart_status result = NPART_OK;
    int descriptor = npart__file_open_at_once(path);
    if (descriptor < 0)
        return npart__fail_system(NPART_ERROR_READ, "open the file", "", errno, error);
    if (!npart__file_status(descriptor, &status))
        result = npart__fail_system(NPART_ERROR_READ, "look at the file", "", errno, error);
    else if (status.kind != NPART__FILE_REGULAR)
        result = npart__fail(error, NPART_ERROR_READ, "", "is no regular file: what is edited is read twice");
    if (result != NPART_OK) {
        npart__file_close(descriptor);
        return result;
    }
    *input = (struct npart__input){.descriptor = descriptor, .path = path};
    take_stamp(input, &status);
    return NPART_OK;
}

/* NULL data would mean a file, so an empty input has an address, too. */
void npart__input_open_memory(struct npart__input *input, const void *data, size_t bytes)
{
    static const uint8_t nothing[1];
    *input = (struct npart__input){.data = data ? data : nothing, .bytes = bytes, .descriptor = -1};
}

void npart__input_close(struct npart__input *input)
{
    if (input->descriptor >= 0)
        npart__file_close(input->descriptor);
    input->descriptor = -1;
}

/* The source closes a descriptor of its own. A duplicate that could not be made is told there, from errno. */
npart_status npart__input_source(const struct npart__input *input, struct npart__arena *arena,
                                 struct npart__source *source, struct npart_error *error)
{
    if (input->data) {
        npart__source_open_memory(source, input->data, (size_t)input->bytes);
        return NPART_OK;
    }
    return npart__source_open_descriptor(source, arena, npart__file_duplicate(input->descriptor), error);
}

/* Whoever writes into a file changes its time; nanoseconds are as fine as the file system's clock. */
npart_status npart__input_check(const struct npart__input *input, struct npart_error *error)
{
    struct npart__file_status status;
    struct npart__input now = {0};
    if (input->data)
        return NPART_OK;
    if (!npart__file_status(input->descriptor, &status))
        return npart__fail_system(NPART_ERROR_READ, "look at the model", "", errno, error);
    take_stamp(&now, &status);
    if (now.bytes != input->bytes || now.modified_s != input->modified_s || now.modified_ns != input->modified_ns)
        return npart__fail(error, NPART_ERROR_READ, "", "the model was changed while it was being edited");
    return NPART_OK;
}
