/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

FILE *open_regular_file(const char *path, const char *otherwise, enum exit_status *status)
{
    bool is_other = npart__path_kind(path, true) == NPART__PATH_OTHER;
    FILE *file = is_other ? NULL : npart__stream_open(path, "rb");
    if (is_other)
        say("%s: is no regular file%s", path, otherwise);
    else if (!file)
        say("%s: cannot open: %s", path, strerror(errno));
    *status = file ? EXIT_FINE : is_other ? EXIT_USAGE : EXIT_UNREADABLE;
    return file;
}

ptrdiff_t read_stream(void *payload, void *into, size_t bytes)
{
    size_t count = fread(into, 1, bytes, payload);
    return count || !ferror(payload) ? (ptrdiff_t)count : -1;
}

bool write_stream(void *payload, const char *text, size_t bytes)
{
    return fwrite(text, 1, bytes, payload) == bytes;
}

/* Past what the C library keeps. */
bool write_whole(FILE *stream, const char *bytes, size_t count)
{
    for (size_t done = 0; done < count;) {
        ptrdiff_t written = npart__file_write(stream_number(stream), bytes + done, count - done);
        if (written < 0)
            return false;
        done += (size_t)written;
    }
    return true;
}

bool find_file(const char *path, FILE *stream, struct npart__file_status *out)
{
    bool is_there = path ? npart__path_status(path, out) : npart__file_status(stream_number(stream), out);
    return is_there && out->kind == NPART__FILE_REGULAR;
}

bool is_same_file(const char *path, FILE *stream, const struct npart__file_status *file)
{
    struct npart__file_status own;
    return find_file(path, stream, &own) && own.device == file->device && own.inode == file->inode;
}

static bool is_written(const char *path, const struct npart__file_status *output)
{
    return path && is_same_file(strcmp(path, "-") == 0 ? NULL : path, stdin, output);
}

bool is_overwritten(const struct options *options, const char *path)
{
    struct npart__file_status output;
    return find_file(options->output, stdout, &output) && is_written(path, &output);
}

char *real_path(const char *path)
{
    char real[MOST_PATH_BYTES];
    return npart__path_real(path, real, sizeof real) ? text_as("%s", real) : NULL;
}

char *find_place(const char *path)
{
    size_t length = npart__name_offset(path);
    char *folder = real_path(length ? text_as("%.*s.", (int)length, path) : ".");
    return folder ? text_as("%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", path + length) : NULL;
}

/* Also where no file is there yet. */
static bool is_same_place(const char *a, const char *b)
{
    const char *one = find_place(a), *other = find_place(b);
    return one && other && strcmp(one, other) == 0;
}

static bool is_settings_lost(const struct options *options)
{
    return options->settings && (is_overwritten(options, options->settings) ||
                                 (options->output && is_same_place(options->settings, options->output)));
}

const char *find_overwritten(const struct options *options)
{
    const char *const lists[] = {options->oplist, options->cost, options->check_oplist, options->import_oplist,
                                 options->profile};
    struct npart__file_status settings;
    bool has_settings = options->settings && find_file(options->settings, NULL, &settings);
    for (int i = 0; i < options->model_count; i++)
        if (is_overwritten(options, options->models[i]) || (has_settings && is_written(options->models[i], &settings)))
            return options->models[i];
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (is_overwritten(options, lists[i]) || (has_settings && is_written(lists[i], &settings)))
            return lists[i];
    return is_settings_lost(options) ? options->settings : NULL;
}
