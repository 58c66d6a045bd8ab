/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

bool is_saved_report(const char *path)
{
    bool is_file = strcmp(path, "-") != 0 && npart__path_kind(path, true) == NPART__PATH_FILE;
    FILE *file = is_file ? npart__stream_open(path, "rb") : NULL;
    int byte = file ? getc(file) : EOF;
    while (byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r')
        byte = getc(file);
    if (file)
        (void)fclose(file);
    return byte == '{' || byte == '#'; /* '#': a baseline in words */
}

/* The cache beside a baseline; NULL, with what is to be told of that. */
static FILE *open_cache(const char *path, char *problem, size_t bytes)
{
    const char *beside = text_as("%s" NPART_BASELINE_CACHE, path);
    bool is_file = npart__path_kind(beside, true) == NPART__PATH_FILE;
    FILE *file = is_file ? npart__stream_open(beside, "rb") : NULL;
    if (!file)
        (void)snprintf(problem, bytes, "cannot be read (%s)", is_file ? strerror(errno) : "not a regular file");
    if (npart__path_kind(beside, true) == NPART__PATH_NOTHING)
        (void)snprintf(problem, bytes, "is missing");
    return file;
}

bool read_sides(const char *path, struct sides *out, char *problem, size_t bytes)
{
    struct npart_sides_options options = NPART_SIDES_OPTIONS_INIT;
    struct npart_error error;
    char why[200];
    FILE *file = npart__stream_open(path, "rb"), *cache = NULL;
    if (!file) {
        (void)snprintf(problem, bytes, "%s", strerror(errno));
        return false;
    }
    cache = open_cache(path, why, sizeof why);
    options.read_cache = cache ? read_stream : NULL;
    options.cache_payload = cache;
    options.cache_problem = why;
    bool is_read = npart_sides_read(&out->read, read_stream, file, &options, &error) == NPART_OK;
    if (!is_read)
        (void)snprintf(problem, bytes, "%s", error.message);
    out->items = npart_sides_all(out->read, &out->count);
    (void)fclose(file);
    if (cache)
        (void)fclose(cache);
    return is_read;
}

void free_sides(struct sides *sides)
{
    npart_sides_free(sides->read);
    *sides = (struct sides){0};
}
