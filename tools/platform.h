/* SPDX-License-Identifier: Apache-2.0
 *
 * All that the tool asks of the operating system beyond the C library: platform_posix.c and platform_windows.c say how,
 * platform_programs.c how other programs are started, and platform_requests.c what ends the tool.
 * Paths and the words of the command line are UTF-8.
 */
#ifndef TOOL_PLATFORM_H
#define TOOL_PLATFORM_H

#include "base/platform.h"

/* Puts the null device where a standard stream is closed, so that no file opened later gets its number, and what is
 * printed never ends up in it. Reading or writing there fails, as it does with a closed one. Bytes go through standard
 * streams as they are. False: it cannot. */
bool prepare_streams(void);
/* The descriptor of its file. */
int stream_number(FILE *stream);
bool is_stream_terminal(FILE *stream);
/* Of the terminal that standard output is; 0: not known. */
unsigned terminal_columns(void);

/* fseek, for files of any size. False: it has no places. */
bool seek_stream(FILE *stream, int64_t offset);
/* A file that is open for writing ends after so many bytes. False with errno. */
bool cut_stream(FILE *stream, uint64_t bytes);
/* Keeps other processes from doing the same, until it is closed. False: one has. Systems that cannot tell say true. It
 * takes a byte past all that is read and written, which disturbs no other lock of the file. */
bool claim_stream(FILE *stream);

/* Holds the file of a stream open beyond the stream; -1: it is not held. */
int hold_file(FILE *stream);
void let_go_of_file(int held);
/* Gives a file that is open for writing the permissions of another, where the system has such and allows it. */
void keep_permissions(const char *path, FILE *stream);

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

/* What is given back stays with the process for what is allocated next, up to some 64 MiB a thread: for who does the
 * same again and again. */
void keep_memory(void);

/* From here on a request to end the program (SIGINT, SIGTERM, SIGHUP, where they are not ignored) removes this
 * process's open files of names like "model.onnx.4711-0.part" first, where the system tells which they are. 4711 is the
 * process. */
void catch_end(void);
/* From here on a first SIGINT or SIGTERM only is noted; a second one ends the program as above. */
void catch_stop(void);
bool is_stop_asked(void);
/* Requests do not come to the thread that calls this. */
void hold_requests(void);

#endif
