/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

FILE *open_regular_file(const char *path, const char *otherwise, enum exit_status *status)
{
    bool is_other = kind_of_path(path, true) == PATH_OTHER;
    FILE *file = is_other ? NULL : open_file(path, "rb");
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

static bool is_same(const struct file_identity *a, const struct file_identity *b)
{
    return a->device == b->device && a->inode == b->inode;
}

bool is_same_file(const char *path, const struct file_identity *file)
{
    struct file_identity own;
    return identify_file(path, &own) && is_same(&own, file);
}

static bool is_written(const char *path, const struct file_identity *output)
{
    struct file_identity input;
    if (!path || strcmp(path, "-") != 0)
        return path && is_same_file(path, output);
    return identify_stream(stdin, &input) && is_same(&input, output);
}

bool is_overwritten(const struct options *options, const char *path)
{
    struct file_identity output;
    return (options->output ? identify_file(options->output, &output) : identify_stream(stdout, &output)) &&
           is_written(path, &output);
}

char *find_place(const char *path)
{
    size_t length = name_offset(path);
    char *folder = malloc(length + 2);
    if (!folder)
        return NULL;
    memcpy(folder, path, length);
    memcpy(folder + length, ".", 2);
    char *real = real_path(folder);
    free(folder);
    size_t room = real ? strlen(real) + strlen(path + length) + 2 : 0;
    char *place = real ? malloc(room) : NULL;
    if (place)
        (void)snprintf(place, room, "%s%s%s", real, real[strlen(real) - 1] == '/' ? "" : "/", path + length);
    free(real);
    return place;
}

/* Also where no file is there yet. */
static bool is_same_place(const char *a, const char *b)
{
    char *one = find_place(a), *other = find_place(b);
    bool is_same = one && other && strcmp(one, other) == 0;
    free(one);
    free(other);
    return is_same;
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
    struct file_identity settings;
    bool has_settings = options->settings && identify_file(options->settings, &settings);
    for (int i = 0; i < options->model_count; i++)
        if (is_overwritten(options, options->models[i]) ||
            (has_settings && is_written(options->models[i], &settings)))
            return options->models[i];
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (is_overwritten(options, lists[i]) || (has_settings && is_written(lists[i], &settings)))
            return lists[i];
    return is_settings_lost(options) ? options->settings : NULL;
}
