/* SPDX-License-Identifier: Apache-2.0 */
#include "scan_progress.h"

#include <stdio.h>
#include <string.h>

#include "platform.h"
#include "printed.h"

#define MOST_SHOWN_MS 100 /* between two bars at least */
#define BAR_CELLS 20

/* The last stands for all others. */
static const char *const codes[SCAN_CODES] = {"read",      "malformed",  "limit", "memory", "timeout",
                                              "max-bytes", "max-memory", "write", "other"};

void progress_count(struct progress *progress, const char *code)
{
    size_t at = 0;
    if (!code)
        return;
    while (at + 1 < SCAN_CODES && strcmp(codes[at], code) != 0)
        at++;
    progress->failed[at]++;
}

size_t progress_failures(const struct progress *progress)
{
    size_t sum = 0;
    for (size_t i = 0; i < SCAN_CODES; i++)
        sum += progress->failed[i];
    return sum;
}

static double seconds_since(uint64_t start_ms)
{
    uint64_t now = npart__monotonic_ms();
    return now > start_ms ? (double)(now - start_ms) / 1000 : 0.001;
}

/* "1 h 02 min", "3 min 04 s", "5 s". */
static void write_duration(char *out, size_t bytes, double seconds)
{
    unsigned long whole = (unsigned long)(seconds < 1e9 ? seconds : 1e9);
    if (whole >= 3600)
        (void)snprintf(out, bytes, "%lu h %02lu min", whole / 3600, whole / 60 % 60);
    else if (whole >= 60)
        (void)snprintf(out, bytes, "%lu min %02lu s", whole / 60, whole % 60);
    else
        (void)snprintf(out, bytes, "%lu s", whole);
}

void progress_show(struct progress *progress)
{
    uint64_t now = npart__monotonic_ms();
    if (!progress->is_shown || now < progress->shown_ms + MOST_SHOWN_MS)
        return;
    progress->shown_ms = now;
    size_t done = progress->earlier + progress->done, failures = progress_failures(progress);
    size_t cells = progress->total ? done * BAR_CELLS / progress->total : 0;
    double rate = (double)progress->done / seconds_since(progress->started_ms);
    char left[48] = "", bar[BAR_CELLS + 1];
    memset(bar, '-', BAR_CELLS);
    memset(bar, '#', cells);
    bar[BAR_CELLS] = '\0';
    if (progress->done > 0)
        write_duration(left, sizeof left, (double)(progress->total - done) / rate);
    print_format(stderr, "\r\033[K[%s] %zu of %zu models, %.*f/s, %zu failed%s%s%s", bar, done, progress->total,
                 rate < 10 ? 1 : 0, rate, failures, *left ? ", " : "", left, *left ? " left" : "");
    (void)fflush(stderr);
}

void progress_hide(struct progress *progress)
{
    if (progress->is_shown && progress->shown_ms)
        print_format(stderr, "\r\033[K");
}

void progress_write_totals(const struct progress *progress, npart_write_callback write, void *payload)
{
    char text[512];
    double seconds = seconds_since(progress->started_ms);
    size_t failures = progress_failures(progress), done = progress->earlier + progress->done;
    int used = snprintf(text, sizeof text, "%zu model%s", done, done == 1 ? "" : "s");
    if (progress->earlier)
        used += snprintf(text + used, sizeof text - (size_t)used, ", %zu of them in earlier scans", progress->earlier);
    used += snprintf(text + used, sizeof text - (size_t)used, "; %.1f s, %.1f models a second\n", seconds,
                     (double)progress->done / seconds);
    if (failures)
        used += snprintf(text + used, sizeof text - (size_t)used, "%zu could not be analyzed:", failures);
    for (size_t i = 0, told = 0; i < SCAN_CODES; i++)
        if (progress->failed[i])
            used += snprintf(text + used, sizeof text - (size_t)used, "%s %zu %s", told++ ? "," : "",
                             progress->failed[i], codes[i]);
    if (failures)
        used += snprintf(text + used, sizeof text - (size_t)used, "\n");
    (void)write(payload, text, (size_t)used);
}
