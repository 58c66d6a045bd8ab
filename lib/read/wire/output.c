/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that is not seen before it is whole: written beside its place under another name, flushed, renamed.
 */
#include <errno.h>

#include "wire/files.h"

/* The folder's path: "." of a name alone, "/" at the root, "C:." of a name on another drive. */
const char *npart__folder_of(const char *path, struct npart__arena *arena)
{
    size_t length = npart__name_offset(path);
    if (length == 0)
        return npart__arena_copy_text(arena, ".", 1);
    if (!npart__is_separator(path[length - 1]))
        return npart__arena_format(arena, "%.*s.", (int)length, path);
    return npart__arena_copy_text(arena, path, length == npart__root_length(path) ? length : length - 1);
}

const char *npart__result_name(const char *path, const char *end, struct npart__arena *arena)
{
    static const char kind[] = ".onnx";
    const char *name = path + npart__name_offset(path), *at = strstr(name, kind);
    size_t length = at && !at[sizeof kind - 1] ? (size_t)(at - name) : strlen(name);
    return npart__arena_format(arena, "%.*s%s", (int)length, name, end);
}

/* What stands at the path now: nothing, or a regular file that is not the input. Asked when the output is opened, so
 * that a mistake costs no time, and again before the rename. */
static npart_status check_place(const char *path, const struct npart__input *input, struct npart_error *error)
{
    struct npart__file_status there;
    if (!npart__path_status(path, &there))
        return NPART_OK;
    if (there.kind == NPART__FILE_FOLDER)
        return npart__fail(error, NPART_ERROR_WRITE, "", "%s is a directory", path);
    if (there.kind != NPART__FILE_REGULAR) /* renaming would put a file in its place */
        return npart__fail(error, NPART_ERROR_WRITE, "", "%s is no regular file", path);
    if (input && !input->data && there.device == input->device && there.inode == input->inode)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s is the model itself", path);
    return NPART_OK;
}

/* Of one process: other threads, and files that were left over. */
#define MOST_ATTEMPTS 1000u

/* Beside `path`, as files are renamed within a file system alone. Others may write the same file at the same time,
 * so names are tried until one is free. model.onnx is written as model.onnx.4711-0.part, where 4711 is the process. */
static npart_status open_temporary(const char *path, int like, struct npart__arena *arena, const char **name,
                                   int *descriptor, struct npart_error *error)
{
    for (unsigned i = 0; i < MOST_ATTEMPTS; i++) {
        char *temporary = npart__arena_format(arena, "%s.%lu-%u.part", path, npart__process_number(), i);
        if (!temporary)
            return npart__fail_memory(error);
        *descriptor = npart__file_create(temporary, like);
        *name = temporary;
        if (*descriptor >= 0)
            return NPART_OK;
        if (errno != EEXIST)
            break;
    }
    return npart__fail_system(NPART_ERROR_WRITE, "make a file beside the output", "", errno, error);
}

npart_status npart__output_open(struct npart__output *output, const char *path, const struct npart__input *input,
                                struct npart__arena *arena, struct npart_error *error)
{
    *output = (struct npart__output){.path = path, .arena = arena, .input = input, .descriptor = -1};
    npart_status status = check_place(path, input, error);
    if (status != NPART_OK)
        return status;
    int like = input ? input->descriptor : -1;
    status = open_temporary(path, like, arena, &output->temporary, &output->descriptor, error);
    output->is_there = status == NPART_OK;
    return status;
}

npart_status npart__output_write(struct npart__output *output, const struct npart__recipe *recipe,
                                 struct npart_error *error)
{
    return npart__recipe_write(recipe, output->descriptor, output->arena, error);
}

/* After it npart__output_close closes the descriptor and removes nothing. */
npart_status npart__output_commit(struct npart__output *output, struct npart_error *error)
{
    npart_status status = check_place(output->path, output->input, error);
    if (status != NPART_OK)
        return status;
    if (!npart__path_rename(output->temporary, output->path))
        return npart__fail_system(NPART_ERROR_WRITE, "put the file in its place", "", errno, error);
    output->is_there = false;
    return NPART_OK;
}

void npart__output_close(struct npart__output *output)
{
    /* Removed first: as long as it has that name it is open, by which a caller's handler of signals may find it. */
    if (output->is_there)
        (void)npart__path_remove(output->temporary);
    output->is_there = false;
    if (output->descriptor >= 0)
        npart__file_close(output->descriptor);
    output->descriptor = -1;
}

/* The whole way of a small file (a manifest): on failure nothing is left of it. */
npart_status npart__output_hold(struct npart__output *output, const char *path, const struct npart__input *input,
                                const void *data, size_t bytes, struct npart__arena *arena, struct npart_error *error)
{
    struct npart__sink sink;
    npart_status status = npart__output_open(output, path, input, arena, error);
    if (status == NPART_OK)
        status = npart__sink_open(&sink, output->descriptor, arena, error);
    if (status == NPART_OK)
        status = npart__sink_put(&sink, data, bytes);
    return status == NPART_OK ? npart__sink_flush(&sink) : status;
}

npart_status npart__output_save(const char *path, const struct npart__input *input, const void *data, size_t bytes,
                                struct npart__arena *arena, struct npart_error *error)
{
    struct npart__output output = {.descriptor = -1};
    npart_status status = npart__output_hold(&output, path, input, data, bytes, arena, error);
    if (status == NPART_OK)
        status = npart__output_commit(&output, error);
    npart__output_close(&output);
    return status;
}
