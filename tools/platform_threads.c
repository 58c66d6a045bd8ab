/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads and time. POSIX's threads are mingw-w64's, too; WebAssembly has them only where it is built
 * for them, and then there is no other thread than the first.
 */
#if !defined(_WIN32) && !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700
#endif
#include "platform.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#include <windows.h>
#else
#include <unistd.h>
#endif

#define STACK_BYTES ((size_t)8 << 20) /* as Linux has for the first thread; musl's default for others is 128 KiB */

/* ---- processors and time ----------------------------------------------------------------------------------- */

unsigned count_processors(void)
{
#if defined(_WIN32)
    SYSTEM_INFO info;
    GetSystemInfo(&info);
    long count = (long)info.dwNumberOfProcessors;
#elif defined(_SC_NPROCESSORS_ONLN)
    long count = sysconf(_SC_NPROCESSORS_ONLN);
#else
    long count = 1;
#endif
    /* cppcheck-suppress [knownConditionTrueFalse,duplicateValueTernary] ; it sees the #else alone */
    return count > 0 ? (unsigned)count : 1;
}

/* ---- threads ----------------------------------------------------------------------------------------------- */

struct thread {
    pthread_t id;
    void (*run)(void *payload);
    void *payload;
};

/* Requests to end are the first thread's. */
static void *run_thread(void *payload)
{
    hold_requests();
    const struct thread *thread = payload;
    thread->run(thread->payload);
    return NULL;
}

struct thread *thread_start(void (*run)(void *payload), void *payload)
{
    pthread_attr_t attributes;
    struct thread *thread = malloc(sizeof *thread);
    if (!thread || pthread_attr_init(&attributes) != 0) {
        free(thread);
        return NULL;
    }
    *thread = (struct thread){.run = run, .payload = payload};
    bool is_running = pthread_attr_setstacksize(&attributes, STACK_BYTES) == 0 &&
                      pthread_create(&thread->id, &attributes, run_thread, thread) == 0;
    (void)pthread_attr_destroy(&attributes);
    if (is_running)
        return thread;
    free(thread);
    return NULL;
}

void thread_join(struct thread *thread)
{
    (void)pthread_join(thread->id, NULL);
    free(thread);
}

/* ---- monitors ---------------------------------------------------------------------------------------------- */

struct monitor {
    pthread_mutex_t mutex;
    pthread_cond_t events[MONITOR_EVENTS];
};

struct monitor *monitor_make(void)
{
    struct monitor *monitor = malloc(sizeof *monitor);
    if (!monitor)
        return NULL;
    unsigned made = 0;
    bool has_mutex = pthread_mutex_init(&monitor->mutex, NULL) == 0;
    while (has_mutex && made < MONITOR_EVENTS && pthread_cond_init(&monitor->events[made], NULL) == 0)
        made++;
    if (made == MONITOR_EVENTS)
        return monitor;
    while (made > 0)
        (void)pthread_cond_destroy(&monitor->events[--made]);
    if (has_mutex)
        (void)pthread_mutex_destroy(&monitor->mutex);
    free(monitor);
    return NULL;
}

void monitor_free(struct monitor *monitor)
{
    if (!monitor)
        return;
    for (unsigned i = 0; i < MONITOR_EVENTS; i++)
        (void)pthread_cond_destroy(&monitor->events[i]);
    (void)pthread_mutex_destroy(&monitor->mutex);
    free(monitor);
}

void monitor_enter(struct monitor *monitor)
{
    (void)pthread_mutex_lock(&monitor->mutex);
}

void monitor_leave(struct monitor *monitor)
{
    (void)pthread_mutex_unlock(&monitor->mutex);
}

void monitor_wait(struct monitor *monitor, unsigned event, unsigned milliseconds)
{
    struct timespec until;
    if (milliseconds == 0) {
        (void)pthread_cond_wait(&monitor->events[event], &monitor->mutex);
        return;
    }
    (void)clock_gettime(CLOCK_REALTIME, &until); /* what conditions wait by, unless told otherwise */
    until.tv_sec += (time_t)(milliseconds / 1000);
    until.tv_nsec += (long)(milliseconds % 1000) * 1000000;
    if (until.tv_nsec >= 1000000000) {
        until.tv_sec++;
        until.tv_nsec -= 1000000000;
    }
    (void)pthread_cond_timedwait(&monitor->events[event], &monitor->mutex, &until);
}

void monitor_wake(struct monitor *monitor, unsigned event)
{
    (void)pthread_cond_broadcast(&monitor->events[event]);
}
