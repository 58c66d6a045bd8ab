/* SPDX-License-Identifier: Apache-2.0
 *
 * A ring of lines. Jobs are taken in their order, so the line that is to be written next is of a job that was taken,
 * and comes: no wait is endless.
 */
#include "scan_window.h"

#include <stdlib.h>

#include "platform.h"

enum { EVENT_LINE, EVENT_ROOM };

struct window {
    struct monitor *monitor;
    size_t jobs, room, most_bytes;
    bool is_ordered, is_stopped;
    size_t taken, put, written; /* jobs; written <= put <= taken <= written + room */
    size_t bytes;               /* of lines that wait */
    struct slot {
        struct line line;
        bool is_full;
    } *slots; /* by job, or by when the line came, modulo `room` */
};

struct window *window_make(size_t jobs, size_t room, size_t most_bytes, bool is_ordered)
{
    struct window *window = malloc(sizeof *window);
    struct slot *slots = calloc(room, sizeof *slots);
    struct monitor *monitor = monitor_make();
    if (!window || !slots || !monitor) {
        free(window);
        free(slots);
        monitor_free(monitor);
        return NULL;
    }
    *window = (struct window){.monitor = monitor,
                              .jobs = jobs,
                              .room = room,
                              .most_bytes = most_bytes,
                              .is_ordered = is_ordered,
                              .slots = slots};
    return window;
}

static bool has_jobs(const struct window *window)
{
    return !window->is_stopped && window->taken < window->jobs;
}

bool window_take(struct window *window, size_t *job)
{
    monitor_enter(window->monitor);
    while (has_jobs(window) &&
           (window->taken - window->written >= window->room || window->bytes > window->most_bytes))
        monitor_wait(window->monitor, EVENT_ROOM, 0);
    bool is_one = has_jobs(window);
    if (is_one)
        *job = window->taken++;
    monitor_leave(window->monitor);
    return is_one;
}

void window_put(struct window *window, size_t job, const struct line *line)
{
    monitor_enter(window->monitor);
    size_t place = window->is_ordered ? job : window->put;
    window->slots[place % window->room] = (struct slot){*line, true};
    window->put++;
    window->bytes += line->bytes;
    if (place == window->written)
        monitor_wake(window->monitor, EVENT_LINE);
    monitor_leave(window->monitor);
}

enum window_answer window_next(struct window *window, struct line *line, unsigned milliseconds)
{
    enum window_answer answer = WINDOW_WAITS;
    monitor_enter(window->monitor);
    struct slot *slot = &window->slots[window->written % window->room];
    for (bool has_waited = false;; has_waited = true) {
        if (slot->is_full)
            answer = WINDOW_LINE;
        else if (window->written == window->taken && !has_jobs(window))
            answer = WINDOW_IS_OVER;
        if (answer != WINDOW_WAITS || (has_waited && milliseconds))
            break;
        monitor_wait(window->monitor, EVENT_LINE, milliseconds);
    }
    if (answer == WINDOW_LINE) {
        *line = slot->line;
        slot->is_full = false;
        window->bytes -= line->bytes;
        window->written++;
        monitor_wake(window->monitor, EVENT_ROOM);
    }
    monitor_leave(window->monitor);
    return answer;
}

void window_stop(struct window *window)
{
    monitor_enter(window->monitor);
    window->is_stopped = true;
    monitor_wake(window->monitor, EVENT_ROOM);
    monitor_leave(window->monitor);
}

void window_free(struct window *window)
{
    if (!window)
        return;
    for (size_t i = 0; i < window->room; i++)
        if (window->slots[i].is_full)
            free(window->slots[i].line.text);
    monitor_free(window->monitor);
    free(window->slots);
    free(window);
}
