/* SPDX-License-Identifier: Apache-2.0
 *
 * Between threads that make lines and the one that writes them: jobs are numbers from 0, each is taken once and gives
 * one line, and lines come out in the order of the jobs, or as they are made. No more jobs are taken than there is room
 * for lines that wait, so memory is bounded also where one job takes long.
 */
#ifndef TOOL_SCAN_WINDOW_H
#define TOOL_SCAN_WINDOW_H

#include <stdbool.h>
#include <stddef.h>

struct line {
    char *text; /* malloc's; NULL: there was no memory for it */
    size_t bytes;
};

struct window;

enum window_answer { WINDOW_LINE, WINDOW_WAITS, WINDOW_IS_OVER };

/* For `jobs` jobs, of which `room` may be taken and not written. While lines that wait have more than `most_bytes`,
 * none is taken. NULL: out of memory. */
struct window *window_make(size_t jobs, size_t room, size_t most_bytes, bool is_ordered);
/* The next job, once there is room. False: there is none any more. */
bool window_take(struct window *window, size_t *job);
/* The line of a job that was taken, which is the window's from here on. */
void window_put(struct window *window, size_t job, const struct line *line);
/* The next line to write, which is the caller's. WINDOW_WAITS: none came within `milliseconds` (0: waits for it). */
enum window_answer window_next(struct window *window, struct line *line, unsigned milliseconds);
/* No more jobs are taken; lines of those that are taken still come. */
void window_stop(struct window *window);
/* When all threads have left it. NULL is nothing. */
void window_free(struct window *window);

#endif
