/* SPDX-License-Identifier: Apache-2.0
 *
 * A file that is written: what stood there before stays until the new one is whole, whatever ends the tool.
 */
#ifndef TOOL_OUTPUT_FILE_H
#define TOOL_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

/* Zeroed at first. */
struct output_file {
    FILE *stream; /* to be written to; NULL: not open */
    char *beside; /* where it is written to meanwhile; NULL: in its place */
    char *place;  /* the path without links */
};

/* Opens what is to stand at the path. A regular file, also one that a link leads to, is written beside itself and keeps
 * its permissions. Pipes, devices, links that lead nowhere, and files in folders that take no new ones are written in
 * their place. False with errno: it cannot be written. */
bool begin_output_file(struct output_file *out, const char *path);
/* Closes it, and puts it in its place where it is whole; else nothing is left of it. False with errno: what was written
 * last is not there. Does nothing to one that is not open. */
bool end_output_file(struct output_file *out, bool is_whole);
/* The same as the last of a writer's calls, with errno as those left it: false, and told, where the file was not
 * written whole. */
bool finish_output_file(struct output_file *out, const char *path, bool is_written);

#endif
