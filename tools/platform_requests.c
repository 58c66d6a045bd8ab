/* SPDX-License-Identifier: Apache-2.0
 *
 * Requests to end the program, which may come at any moment. What is being written goes first: the library's files are
 * not known here, so the system is asked which are open. A file that is not whole has a name that says so, and stays
 * open as long as it has that name (end_output_file, npart__output_commit). Handlers make only such calls as POSIX
 * allows them.
 */
#if !defined(_WIN32) && !defined(_XOPEN_SOURCE)
#define _XOPEN_SOURCE 700
#endif
#if defined(__APPLE__) && !defined(_DARWIN_C_SOURCE)
#define _DARWIN_C_SOURCE /* F_GETPATH */
#endif
#include "platform.h"

#include <signal.h>

static volatile sig_atomic_t is_asked;

bool is_stop_asked(void)
{
    return is_asked != 0;
}

#if defined(_WIN32)
/* Files that are open cannot be removed, and console events come in threads of their own. */
void catch_end(void)
{
}

static void note_stop(int number)
{
    (void)number;
    is_asked = 1;
    (void)(signal(SIGINT, SIG_DFL), signal(SIGTERM, SIG_DFL)); /* Ctrl-C, then kill, are two requests, too */
}

void catch_stop(void)
{
    (void)(signal(SIGINT, note_stop), signal(SIGTERM, note_stop));
}

void hold_requests(void)
{
}
#else
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* ---- files that are not whole ------------------------------------------------------------------------------ */

#define MOST_DESCRIPTORS 1024 /* that are looked at; few are ever open */

static char own_end[32]; /* of names of this process's files, before a number: ".4711-" */

/* "report.json.4711-0.part" */
static bool is_unfinished(const char *path, size_t length)
{
    static const char end[] = ".part";
    size_t mark = strlen(own_end);
    if (length < sizeof end - 1 || memcmp(path + length - (sizeof end - 1), end, sizeof end - 1) != 0)
        return false;
    length -= sizeof end - 1;
    while (length && path[length - 1] >= '0' && path[length - 1] <= '9')
        length--;
    return length > mark && memcmp(path + length - mark, own_end, mark) == 0;
}

/* 0: it is not open, or no file, or the system does not say. A path that does not fit ends otherwise. */
static size_t find_open_path(int descriptor, char *out, size_t bytes)
{
    ssize_t length = 0;
#if defined(__linux__)
    char link[] = "/proc/self/fd/....", *at = strchr(link, '.');
    for (int unit = 1000; unit; unit /= 10) /* MOST_DESCRIPTORS has four digits */
        if (descriptor >= unit)
            *at++ = (char)('0' + descriptor / unit % 10);
    *at = '\0';
    length = readlink(link, out, bytes - 1);
#elif defined(F_GETPATH)
    length = fcntl(descriptor, F_GETPATH, out) == 0 ? (ssize_t)strlen(out) : 0; /* less than MAXPATHLEN, 1024 */
#else
    (void)descriptor;
#endif
    out[length > 0 && (size_t)length < bytes ? length : 0] = '\0';
    return length > 0 ? (size_t)length : 0;
}

static void remove_unfinished(void)
{
    char path[4096];
    for (int descriptor = STDERR_FILENO + 1; descriptor < MOST_DESCRIPTORS; descriptor++)
        if (is_unfinished(path, find_open_path(descriptor, path, sizeof path)))
            (void)unlink(path);
}

/* ---- requests ---------------------------------------------------------------------------------------------- */

static const int requests[] = {SIGINT, SIGTERM, SIGHUP};

static void fill_set(sigset_t *out)
{
    (void)sigemptyset(out);
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        (void)sigaddset(out, requests[i]);
}

/* nohup and shells without job control have them ignored: it stays so. */
static void catch_signal(int number, void (*handle)(int number))
{
    struct sigaction action = {.sa_handler = handle, .sa_flags = SA_RESTART}, before;
    fill_set(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        (void)sigaction(number, &action, NULL);
}

/* The signal is blocked until this returns; then it ends the program, and the parent sees by which it was. */
static void end_at_once(int number)
{
    remove_unfinished();
    (void)signal(number, SIG_DFL);
    (void)raise(number);
}

void catch_end(void)
{
    (void)snprintf(own_end, sizeof own_end, ".%lu-", npart__process_number());
    for (size_t i = 0; i < sizeof requests / sizeof *requests; i++)
        catch_signal(requests[i], end_at_once);
}

/* Ctrl-C, then kill, are two requests, too. */
static void note_stop(int number)
{
    (void)number;
    is_asked = 1;
    catch_signal(SIGINT, end_at_once);
    catch_signal(SIGTERM, end_at_once);
}

void catch_stop(void)
{
    catch_signal(SIGINT, note_stop);
    catch_signal(SIGTERM, note_stop);
}

void hold_requests(void)
{
    sigset_t held;
    fill_set(&held);
    (void)pthread_sigmask(SIG_BLOCK, &held, NULL);
}
#endif
