/* SPDX-License-Identifier: Apache-2.0
 *
 * Between threads that make lines and the one that takes them is a ring. Jobs are begun in their order, so the line
 * that is to be taken next is of a job that was begun, and comes: no wait is endless. POSIX's threads are mingw-w64's,
 * too; WebAssembly has them only where it is built for them: else the caller's thread also makes lines.
 */
#include <pthread.h>

#include "base/platform.h"
#include "many/many.h"

#define LINES_A_WORKER 64u
#define MOST_WAITING_BYTES ((size_t)64 << 20)
#define WAIT_MS 100u
#define STACK_BYTES ((size_t)8 << 20) /* as Linux has for the first thread; musl's default for others is 128 KiB */

struct spread {
    const struct npart_spread_options *how;
    pthread_mutex_t lock; /* of all below */
    pthread_cond_t line, room;
    size_t jobs, begun, made, taken; /* taken <= made <= begun <= taken + slot_count */
    size_t bytes; /* of lines that wait */
    bool is_stopped;
    size_t slot_count;
    struct slot {
        struct npart_line line;
        bool is_full;
    } *slots; /* by job, or by when the line came, modulo their number */
};

struct worker {
    struct spread *spread;
    pthread_t thread;
    uint32_t index;
};

/* ---- jobs --------------------------------------------------------------------------------------------------- */

static bool has_jobs(const struct spread *spread)
{
    return !spread->is_stopped && spread->begun < spread->jobs;
}

static bool has_room(const struct spread *spread)
{
    return spread->begun - spread->taken < spread->slot_count && spread->bytes <= spread->how->most_bytes;
}

/* False: there is none any more or, for who does not wait, no room. */
static bool begin_job(struct spread *spread, bool waits, size_t *job)
{
    (void)pthread_mutex_lock(&spread->lock);
    while (waits && has_jobs(spread) && !has_room(spread))
        (void)pthread_cond_wait(&spread->room, &spread->lock);
    bool is_one = has_jobs(spread) && has_room(spread);
    if (is_one)
        *job = spread->begun++;
    (void)pthread_mutex_unlock(&spread->lock);
    return is_one;
}

static void make_line(struct spread *spread, size_t job, uint32_t worker)
{
    struct npart_line line = {NULL, 0};
    spread->how->make(spread->how->payload, job, worker, &line);
    (void)pthread_mutex_lock(&spread->lock);
    size_t place = spread->how->is_unordered ? spread->made : job;
    spread->slots[place % spread->slot_count] = (struct slot){line, true};
    spread->made++;
    spread->bytes += line.bytes;
    if (place == spread->taken)
        (void)pthread_cond_signal(&spread->line);
    (void)pthread_mutex_unlock(&spread->lock);
}

static void *run_worker(void *payload)
{
    const struct worker *worker = payload;
    const struct npart_spread_options *how = worker->spread->how;
    if (how->begin)
        how->begin(how->payload);
    for (size_t job; begin_job(worker->spread, true, &job);)
        make_line(worker->spread, job, worker->index);
    return NULL;
}

/* ---- lines -------------------------------------------------------------------------------------------------- */

static void wait_for_line(struct spread *spread)
{
    uint64_t seconds, nanoseconds;
    npart__system_time(&seconds, &nanoseconds); /* what conditions wait by, unless told otherwise */
    nanoseconds += WAIT_MS * UINT64_C(1000000);
    const struct timespec until = {(time_t)(seconds + nanoseconds / 1000000000), (long)(nanoseconds % 1000000000)};
    (void)pthread_cond_timedwait(&spread->line, &spread->lock, &until);
}

/* The next line; its slot stays empty where none came for a while. False: there is none any more. */
static bool next_line(struct spread *spread, struct slot *out)
{
    (void)pthread_mutex_lock(&spread->lock);
    struct slot *slot = &spread->slots[spread->taken % spread->slot_count];
    bool is_over = spread->taken == spread->begun && !has_jobs(spread);
    if (!slot->is_full && !is_over)
        wait_for_line(spread);
    *out = *slot;
    if (slot->is_full) {
        slot->is_full = false;
        spread->bytes -= out->line.bytes;
        spread->taken++;
        (void)pthread_cond_broadcast(&spread->room);
    }
    (void)pthread_mutex_unlock(&spread->lock);
    return !is_over;
}

static void take_lines(struct spread *spread, bool is_alone)
{
    const struct npart_spread_options *how = spread->how;
    struct slot slot;
    for (size_t job;;) {
        if (is_alone && begin_job(spread, false, &job))
            make_line(spread, job, 0);
        if (!next_line(spread, &slot))
            return;
        bool goes_on = how->take(how->payload, slot.is_full ? &slot.line : NULL);
        (void)pthread_mutex_lock(&spread->lock);
        spread->is_stopped |= !goes_on;
        (void)pthread_cond_broadcast(&spread->room);
        (void)pthread_mutex_unlock(&spread->lock);
    }
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

static uint32_t start_workers(struct spread *spread, struct worker *workers, uint32_t count)
{
    pthread_attr_t attributes;
    uint32_t started = 0;
    if (pthread_attr_init(&attributes) != 0)
        return 0;
    bool is_fine = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0;
    for (; is_fine && started < count; started += is_fine) {
        workers[started] = (struct worker){.spread = spread, .index = started};
        is_fine = pthread_create(&workers[started].thread, &attributes, run_worker, &workers[started]) == 0;
    }
    (void)pthread_attr_destroy(&attributes);
    return started;
}

static npart_status run(struct spread *spread, struct npart__arena *arena, uint32_t count, struct npart_error *error)
{
    spread->slots = npart__arena_zeroed(arena, spread->slot_count, sizeof *spread->slots);
    struct worker *workers = npart__arena_zeroed(arena, count + (size_t)1, sizeof *workers);
    bool has_lock = spread->slots && workers && pthread_mutex_init(&spread->lock, NULL) == 0;
    bool has_line = has_lock && pthread_cond_init(&spread->line, NULL) == 0;
    bool has_room_event = has_line && pthread_cond_init(&spread->room, NULL) == 0;
    if (has_room_event) {
        uint32_t started = start_workers(spread, workers, count);
        take_lines(spread, started == 0);
        for (uint32_t i = 0; i < started; i++)
            (void)pthread_join(workers[i].thread, NULL);
        (void)pthread_cond_destroy(&spread->room);
    }
    if (has_line)
        (void)pthread_cond_destroy(&spread->line);
    if (has_lock)
        (void)pthread_mutex_destroy(&spread->lock);
    return has_room_event ? NPART_OK : npart__fail_memory(error);
}

npart_status npart_spread(size_t jobs, const struct npart_spread_options *options, struct npart_error *error)
{
    struct npart__arena arena;
    if (!options || !options->make || !options->take)
        return npart__fail_null(!options ? "options" : options->make ? "take" : "make", error);
    npart_status status = npart__check_version("options", options->version, 1, error);
    if (status != NPART_OK)
        return status;
    struct npart_spread_options how = *options;
    uint32_t count = npart_spread_workers(jobs, how.workers);
    how.most_bytes = how.most_bytes ? how.most_bytes : MOST_WAITING_BYTES;
    struct spread spread = {.how = &how, .jobs = jobs,
                            .slot_count = how.most_lines ? how.most_lines : ((size_t)count + 1) * LINES_A_WORKER};
    npart__arena_init(&arena, how.allocator);
    status = run(&spread, &arena, count, error);
    npart__arena_clear(&arena);
    return status;
}

uint32_t npart_spread_workers(size_t jobs, uint32_t asked)
{
    uint32_t count = asked ? asked : npart__processors();
    count = count < NPART_MOST_WORKERS ? count : NPART_MOST_WORKERS;
    return count < jobs ? count : (uint32_t)jobs;
}
