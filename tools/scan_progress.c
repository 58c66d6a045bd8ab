/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#define MOST_SHOWN_MS 100 /* between two bars at least */
#define BAR_CELLS 20

double seconds_since(uint64_t start_ms)
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

uint64_t progress_failures(const struct progress *progress)
{
    struct npart_many_info info = {.size = sizeof info};
    return npart_many_info(progress->many, &info) ? info.failures : 0;
}

void progress_show(struct progress *progress)
{
    uint64_t now = npart__monotonic_ms();
    if (!progress->is_shown || now < progress->shown_ms + MOST_SHOWN_MS)
        return;
    progress->shown_ms = now;
    size_t done = progress->earlier + progress->done, failures = (size_t)progress_failures(progress);
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
