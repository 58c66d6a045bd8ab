/* SPDX-License-Identifier: Apache-2.0 */
#include "files.h"

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

const char *find_overwritten(const struct options *options)
{
    const char *const lists[] = {options->oplist, options->cost, options->check_oplist, options->import_oplist,
                                 options->profile};
    for (int i = 0; i < options->model_count; i++)
        if (is_overwritten(options, options->models[i]))
            return options->models[i];
    struct file_identity settings;
    bool has_settings = options->settings && identify_file(options->settings, &settings);
    for (int i = 0; has_settings && i < options->model_count; i++)
        if (is_written(options->models[i], &settings))
            return options->models[i];
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (is_overwritten(options, lists[i]))
            return lists[i];
    return NULL;
}
