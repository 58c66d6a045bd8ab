/* SPDX-License-Identifier: Apache-2.0
 *
 * Where files lie, and which the tool may write to.
 */
#ifndef TOOL_FILES_H
#define TOOL_FILES_H

#include "options.h"
#include "platform.h"
#include "run.h"

/* To be read from its beginning to its end, however long it is: a regular file alone, as a device may have no end, and
 * a pipe nobody who writes to it. NULL: it was told; `otherwise` says how else it may be given, or is "". */
FILE *open_regular_file(const char *path, const char *otherwise, enum exit_status *status);
/* An npart_read_callback, and an npart_write_callback, of a stream, which is the payload. */
ptrdiff_t read_stream(void *payload, void *into, size_t bytes);
bool write_stream(void *payload, const char *text, size_t bytes);
/* The absolute path of what may be no file yet, with no links to folders in it; to be freed. NULL: there is no such
 * folder, or out of memory. */
char *find_place(const char *path);
/* Absolute, without links, with / between its parts; to be freed. NULL with errno: there is no such path. */
char *real_path(const char *path);
/* Writes all of it by one call of the system's where that takes it. False with errno. */
bool write_whole(FILE *stream, const char *bytes, size_t count);
/* A regular file by its path, or that of a stream where that is NULL. False: it is none, or cannot be looked at. */
bool find_file(const char *path, FILE *stream, struct npart__file_status *out);
/* Whether it is that file, through whatever link. */
bool is_same_file(const char *path, FILE *stream, const struct npart__file_status *file);
/* Whether writing to --output or standard output would write over this file, through whatever link; NULL is none. */
bool is_overwritten(const struct options *options, const char *path);
/* The name of a file to be read that --output, --settings or standard output would write to, through whatever link; or
 * of --settings where the report would be written there, too; NULL: none. */
const char *find_overwritten(const struct options *options);

#endif
