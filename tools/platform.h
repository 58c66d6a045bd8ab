/* SPDX-License-Identifier: Apache-2.0
 *
 * All that the tool asks of the operating system beyond the C library: platform_posix.c and platform_windows.c say how,
 * and platform_programs.c how other programs are started.
 * Paths and the words of the command line are UTF-8.
 */
#ifndef TOOL_PLATFORM_H
#define TOOL_PLATFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Puts the null device where a standard stream is closed, so that no file opened later gets its number, and what is
 * printed never ends up in it. Reading or writing there fails, as it does with a closed one. Bytes go through standard
 * streams as they are. False: it cannot. */
bool prepare_streams(void);
/* From standard input, as npart_read_callback does. */
ptrdiff_t read_input(void *into, size_t bytes);

bool is_stream_terminal(FILE *stream);
/* Of the terminal that standard output is; 0: not known. */
unsigned terminal_columns(void);

/* fopen; bytes are as they are, and a folder is not opened. */
FILE *open_file(const char *path, const char *mode);

void remove_file(const char *path);

/* A regular file, whatever its name. */
struct file_identity {
    uint64_t device, inode;
};
/* False where there is none. */
bool identify_file(const char *path, struct file_identity *out);
bool identify_stream(FILE *stream, struct file_identity *out);

enum path_kind { PATH_NOTHING, PATH_FILE, PATH_FOLDER, PATH_OTHER };
enum path_kind kind_of_path(const char *path, bool follows_links);
/* Absolute, without links, with / between its parts; to be freed. NULL with errno: there is no such path. */
char *real_path(const char *path);

/* The names in a folder, in any order, "." and ".." among them. NULL with errno: it cannot be opened. */
struct folder;
struct folder *folder_open(const char *path);
/* NULL after the last; good until the next call. */
const char *folder_next(struct folder *folder);
void folder_close(struct folder *folder);

/* Where the last part of a path begins. */
size_t name_offset(const char *path);
bool is_absolute_path(const char *path);

/* Puts a file in the place of another, where there is one; false with errno. */
bool replace_file(const char *from, const char *to);

/* Another program, between two files without a name: what it is to read, and what it has written. */
struct program {
    FILE *input, *output;
};
/* False with errno: there are no such files; ENOTSUP: this system's tool starts no program. */
bool open_program(struct program *out);
/* Starts it, found in the PATH and without a shell, and waits for its end; its messages go to standard error. *status
 * is its exit status, or 128 and the number of the signal that ended it. False with errno: it cannot be started. */
bool run_program(struct program *program, const char *const *words, int *status);
void close_program(struct program *program);

#endif
