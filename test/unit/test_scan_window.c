/* SPDX-License-Identifier: Apache-2.0
 *
 * The window between those that make lines and the one that writes them.
 */
#include "../../tools/platform.h"
#include "../../tools/scan_window.h"
#include "support/test.h"

static struct window *make(size_t jobs, size_t room, size_t most_bytes, bool is_ordered)
{
    struct window *window = window_make(jobs, room, most_bytes, is_ordered);
    REQUIRE(window);
    return window;
}

static void take(struct window *window, size_t wanted)
{
    size_t job = 0;
    CHECK(window_take(window, &job));
    CHECK_INT(job, wanted);
}

static void put(struct window *window, size_t job, const char *text)
{
    struct line line = {malloc(strlen(text) + 1), strlen(text)};
    REQUIRE(line.text);
    memcpy(line.text, text, strlen(text) + 1);
    window_put(window, job, &line);
}

/* The next line, "..." where there is none yet, "" at the end. */
static const char *next(struct window *window)
{
    static char text[16];
    struct line line;
    switch (window_next(window, &line, 1)) {
    case WINDOW_LINE:
        (void)snprintf(text, sizeof text, "%s", line.text);
        free(line.text);
        return text;
    case WINDOW_WAITS:
        return "...";
    default:
        return "";
    }
}

static void test_scan_window__lines_come_in_order(void)
{
    struct window *window = make(3, 3, 100, true);
    for (size_t i = 0; i < 3; i++)
        take(window, i);
    put(window, 2, "c");
    put(window, 1, "b");
    CHECK_TEXT(next(window), "...");
    put(window, 0, "a");
    CHECK_TEXT(next(window), "a");
    CHECK_TEXT(next(window), "b");
    CHECK_TEXT(next(window), "c");
    CHECK_TEXT(next(window), "");
    size_t job;
    CHECK(!window_take(window, &job));
    window_free(window);
}

static void test_scan_window__lines_come_as_they_are_made(void)
{
    struct window *window = make(4, 3, 100, false);
    for (size_t i = 0; i < 3; i++)
        take(window, i);
    put(window, 2, "c");
    CHECK_TEXT(next(window), "c");
    put(window, 1, "b");
    take(window, 3);
    put(window, 3, "d");
    CHECK_TEXT(next(window), "b");
    put(window, 0, "a");
    CHECK_TEXT(next(window), "d");
    CHECK_TEXT(next(window), "a");
    CHECK_TEXT(next(window), "");
    window_free(window);
}

static void test_scan_window__nothing_to_do(void)
{
    struct window *window = make(0, 1, 0, true);
    size_t job;
    CHECK(!window_take(window, &job));
    CHECK_TEXT(next(window), "");
    window_free(window);
}

/* What was taken still comes; what waits at the end is given back with the window. */
static void test_scan_window__stops(void)
{
    struct window *window = make(9, 9, 100, true);
    size_t job;
    take(window, 0);
    take(window, 1);
    window_stop(window);
    CHECK(!window_take(window, &job));
    CHECK_TEXT(next(window), "...");
    put(window, 1, "b");
    put(window, 0, "a");
    CHECK_TEXT(next(window), "a");
    window_free(window);
    window_free(NULL);
}

/* ---- with threads ------------------------------------------------------------------------------------------- */

#define JOBS 2000u
#define THREADS 3u

struct crew {
    struct window *window;
    bool is_late; /* the first job takes as long as nobody can go on without it */
    struct monitor *monitor;
    size_t taken, written, most_ahead;
};

static void note_taken(struct crew *crew)
{
    monitor_enter(crew->monitor);
    size_t ahead = ++crew->taken - crew->written;
    if (ahead > crew->most_ahead)
        crew->most_ahead = ahead;
    monitor_wake(crew->monitor, 0);
    monitor_leave(crew->monitor);
}

static void run_crew(void *payload)
{
    struct crew *crew = payload;
    for (size_t job; window_take(crew->window, &job);) {
        char text[16];
        note_taken(crew);
        monitor_enter(crew->monitor);
        while (crew->is_late && job == 0 && crew->taken < 8)
            monitor_wait(crew->monitor, 0, 0);
        monitor_leave(crew->monitor);
        (void)snprintf(text, sizeof text, "%zu", job);
        put(crew->window, job, text);
    }
}

/* Writes all lines, and says how many of them were not the next one. */
static size_t write_all(struct crew *crew, bool *is_written)
{
    size_t count = 0, misplaced = 0;
    for (struct line line; window_next(crew->window, &line, 0) == WINDOW_LINE; count++) {
        size_t job = strtoul(line.text, NULL, 10);
        REQUIRE(job < JOBS && !is_written[job]);
        is_written[job] = true;
        misplaced += job != count;
        free(line.text);
        monitor_enter(crew->monitor);
        crew->written++;
        monitor_leave(crew->monitor);
    }
    CHECK_INT(count, JOBS);
    return misplaced;
}

static size_t run_jobs(size_t room, size_t most_bytes, bool is_ordered, size_t *most_ahead)
{
    static bool is_written[JOBS];
    struct thread *threads[THREADS];
    struct crew crew = {.window = make(JOBS, room, most_bytes, is_ordered), .is_late = room == 8,
                        .monitor = monitor_make()};
    REQUIRE(crew.monitor);
    memset(is_written, 0, sizeof is_written);
    for (size_t i = 0; i < THREADS; i++)
        REQUIRE(threads[i] = thread_start(run_crew, &crew));
    size_t misplaced = write_all(&crew, is_written);
    for (size_t i = 0; i < THREADS; i++)
        thread_join(threads[i]);
    *most_ahead = crew.most_ahead;
    monitor_free(crew.monitor);
    window_free(crew.window);
    return misplaced;
}

/* Counted a little after they were written, so by one too many for each line on its way. */
static void test_scan_window__has_bounds(void)
{
    size_t most_ahead;
    CHECK_INT(run_jobs(8, 1000, true, &most_ahead), 0);
    CHECK(most_ahead >= 8 && most_ahead <= 9);
    CHECK_INT(run_jobs(1, 1000, true, &most_ahead), 0);
    CHECK(most_ahead <= 2);
    CHECK_INT(run_jobs(1000, 0, true, &most_ahead), 0);
    (void)run_jobs(8, 1000, false, &most_ahead);
    CHECK(most_ahead <= 9);
}

TESTS(test_scan_window__lines_come_in_order, test_scan_window__lines_come_as_they_are_made,
      test_scan_window__nothing_to_do, test_scan_window__stops, test_scan_window__has_bounds)
