/* SPDX-License-Identifier: Apache-2.0 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include "files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool occupy_standard_streams(void)
{
    for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++) {
        if (fcntl(stream, F_GETFD) != -1 || errno != EBADF)
            continue;
        /* The lowest number that is free is this one. */
        if (open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY) != stream)
            return false;
    }
    return true;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return S_ISREG(a->st_mode) && a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

static bool is_written(const char *path, const struct stat *output)
{
    struct stat input;
    if (!path)
        return false;
    bool is_there = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &input) == 0 : stat(path, &input) == 0;
    return is_there && is_same(&input, output);
}

bool is_overwritten(const struct options *options, const char *path)
{
    struct stat output;
    return (options->output ? stat(options->output, &output) : fstat(STDOUT_FILENO, &output)) == 0 &&
           is_written(path, &output);
}

const char *find_overwritten(const struct options *options)
{
    const char *const lists[] = {options->oplist, options->cost, options->check_oplist, options->import_oplist,
                                 options->profile};
    for (int i = 0; i < options->model_count; i++)
        if (is_overwritten(options, options->models[i]))
            return options->models[i];
    struct stat settings;
    bool has_settings = options->settings && stat(options->settings, &settings) == 0;
    for (int i = 0; has_settings && i < options->model_count; i++)
        if (is_written(options->models[i], &settings))
            return options->models[i];
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (is_overwritten(options, lists[i]))
            return lists[i];
    return NULL;
}
