/* SPDX-License-Identifier: Apache-2.0
 *
 * Jobs that several threads do, and the one that takes their lines.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#include "npu_partition/many.h"
#include "support/test.h"

#define JOBS 2000u
#define WORKERS 3u

struct crew {
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t event;
    bool is_late; /* the first job takes as long as others can be begun without it */
    size_t begun, taken, most_ahead, misplaced, waits;
    size_t last; /* the line after which no more jobs are wanted; 0: none */
    uint32_t begins, workers;
    bool is_taken[JOBS];
};

static void begin(void *payload)
{
    struct crew *crew = payload;
    (void)pthread_mutex_lock(&crew->lock);
    crew->begins++;
    (void)pthread_mutex_unlock(&crew->lock);
}

static void make(void *payload, size_t job, uint32_t worker, struct npart_line *out)
{
    struct crew *crew = payload;
    char *text = malloc(16);
    REQUIRE(text);
    (void)pthread_mutex_lock(&crew->lock);
    size_t ahead = ++crew->begun - crew->taken;
    crew->most_ahead = ahead > crew->most_ahead ? ahead : crew->most_ahead;
    crew->workers |= 1u << worker;
    (void)pthread_cond_broadcast(&crew->event);
    while (crew->is_late && job == 0 && crew->begun < 8)
        (void)pthread_cond_wait(&crew->event, &crew->lock);
    (void)pthread_mutex_unlock(&crew->lock);
    int length = snprintf(text, 16, "%zu", job);
    *out = (struct npart_line){text, (size_t)length};
}

static bool take(void *payload, const struct npart_line *line)
{
    struct crew *crew = payload;
    (void)pthread_mutex_lock(&crew->lock);
    if (line) {
        size_t job = strtoul(line->text, NULL, 10);
        REQUIRE(job < JOBS && !crew->is_taken[job]);
        crew->is_taken[job] = true;
        crew->misplaced += job != crew->taken++;
        free(line->text);
    }
    crew->waits += !line;
    bool goes_on = !crew->last || crew->taken < crew->last;
    (void)pthread_mutex_unlock(&crew->lock);
    return goes_on;
}

static void run(struct crew *crew, size_t jobs, size_t most_lines, size_t most_bytes, bool is_unordered)
{
    struct npart_spread_options options = NPART_SPREAD_OPTIONS_INIT;
    bool is_late = crew->is_late;
    size_t last = crew->last;
    *crew = (struct crew){.is_late = is_late, .last = last};
    options.workers = WORKERS;
    options.most_lines = most_lines;
    options.most_bytes = most_bytes;
    options.is_unordered = is_unordered;
    options.begin = begin;
    options.make = make;
    options.take = take;
    options.payload = crew;
    REQUIRE(pthread_mutex_init(&crew->lock, NULL) == 0 && pthread_cond_init(&crew->event, NULL) == 0);
    CHECK(npart_spread(jobs, &options, NULL) == NPART_OK);
    (void)pthread_cond_destroy(&crew->event);
    (void)pthread_mutex_destroy(&crew->lock);
    CHECK_INT(crew->begun, crew->taken);
}

static struct crew crew;

static void test_spread__lines_come_in_order(void)
{
    crew = (struct crew){.is_late = false};
    run(&crew, JOBS, 0, 0, false);
    CHECK_INT(crew.taken, JOBS);
    CHECK_INT(crew.misplaced, 0);
    CHECK_INT(crew.begins, WORKERS);
    CHECK(crew.workers && crew.workers < 1u << WORKERS);
}

/* Counted a little after they were taken, so by one too many for the line on its way. */
static void test_spread__has_bounds(void)
{
    crew = (struct crew){.is_late = true};
    run(&crew, JOBS, 8, 0, false);
    CHECK_INT(crew.misplaced, 0);
    CHECK(crew.most_ahead >= 8 && crew.most_ahead <= 9);
    crew.is_late = false;
    run(&crew, JOBS, 1, 0, false);
    CHECK(crew.taken == JOBS && crew.most_ahead <= 2);
    run(&crew, JOBS, 0, 1, false);
    CHECK(crew.taken == JOBS && !crew.misplaced && crew.most_ahead <= WORKERS + 3);
}

static void test_spread__lines_come_as_they_are_made(void)
{
    crew = (struct crew){.is_late = true};
    run(&crew, JOBS, 16, 0, true);
    CHECK_INT(crew.taken, JOBS);
    CHECK(crew.misplaced > 0);
}

/* What was begun still comes. */
static void test_spread__stops(void)
{
    crew = (struct crew){.last = 5};
    run(&crew, JOBS, 8, 0, false);
    CHECK(crew.taken >= 5 && crew.taken <= 5 + 8 && !crew.misplaced);
}

static void test_spread__nothing_to_do(void)
{
    struct npart_spread_options options = NPART_SPREAD_OPTIONS_INIT;
    struct npart_error error;
    crew = (struct crew){.is_late = false};
    run(&crew, 0, 0, 0, false);
    CHECK(crew.taken == 0 && crew.begins == 0 && crew.waits == 0);
    CHECK(npart_spread(1, NULL, NULL) == NPART_ERROR_ARGUMENT);
    options.make = make;
    CHECK(npart_spread(1, &options, &error) == NPART_ERROR_ARGUMENT);
    CHECK_TEXT(error.message, "take must not be NULL");
    options.take = take;
    options.version = 2;
    CHECK(npart_spread(1, &options, &error) == NPART_ERROR_ARGUMENT);
}

static void test_spread__workers(void)
{
    CHECK_INT(npart_spread_workers(0, 4), 0);
    CHECK_INT(npart_spread_workers(3, 8), 3);
    CHECK_INT(npart_spread_workers(10, 8), 8);
    CHECK_INT(npart_spread_workers(5000, 4000), NPART_MOST_WORKERS);
    CHECK(npart_spread_workers(5000, 0) >= 1);
}

TESTS(test_spread__lines_come_in_order, test_spread__has_bounds, test_spread__lines_come_as_they_are_made,
      test_spread__stops, test_spread__nothing_to_do, test_spread__workers)
