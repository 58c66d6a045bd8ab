/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

#include <stdlib.h>
#include <string.h>

#include "platform.h"

static bool is_written(const char *path, const struct file_identity *output)
{
    struct file_identity input;
    bool is_there = path && (strcmp(path, "-") == 0 ? identify_stream(stdin, &input) : identify_file(path, &input));
    return is_there && input.device == output->device && input.inode == output->inode;
}

bool is_overwritten(const struct options *options, const char *path)
{
    struct file_identity output;
    return (options->output ? identify_file(options->output, &output) : identify_stream(stdout, &output)) &&
           is_written(path, &output);
}

/* Of a path its folder without links; NULL: there is none. To be freed. */
static char *folder_of(const char *path)
{
    size_t length = name_offset(path);
    char *folder = malloc(length + 2);
    if (!folder)
        return NULL;
    memcpy(folder, path, length);
    memcpy(folder + length, ".", 2);
    char *real = real_path(folder);
    free(folder);
    return real;
}

/* Two paths of one name in one folder, also where no file is there yet. */
static bool is_same_place(const char *a, const char *b)
{
    if (strcmp(a + name_offset(a), b + name_offset(b)) != 0)
        return false;
    char *one = folder_of(a), *other = folder_of(b);
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
