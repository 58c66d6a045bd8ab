/* SPDX-License-Identifier: Apache-2.0 */
#include "scan.h"

#define MOST_SHOWN_MS 100 /* between two bars at least */
#define BAR_CELLS 20

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

void progress_write_totals(const struct progress *progress, npart_write_callback write, void *payload)
{
    char text[512];
    struct npart_many_failure failure = {.size = sizeof failure};
    double seconds = seconds_since(progress->started_ms);
    size_t failures = (size_t)progress_failures(progress), done = progress->earlier + progress->done;
    int used = snprintf(text, sizeof text, "%zu model%s", done, done == 1 ? "" : "s");
    if (progress->earlier)
        used += snprintf(text + used, sizeof text - (size_t)used, ", %zu of them in earlier scans", progress->earlier);
    used += snprintf(text + used, sizeof text - (size_t)used, "; %.1f s, %.1f models a second\n", seconds,
                     (double)progress->done / seconds);
    if (failures)
        used += snprintf(text + used, sizeof text - (size_t)used, "%zu could not be analyzed:", failures);
    for (uint32_t i = 0; (size_t)used < sizeof text / 2 && npart_many_failure(progress->many, i, &failure); i++) {
        char code[64]; /* an earlier line may have any text */
        (void)npart_plain_text(failure.code, code, sizeof code);
        used += snprintf(text + used, sizeof text - (size_t)used, "%s %llu %s", i ? "," : "",
                         (unsigned long long)failure.models, code);
    }
    if (failures)
        used += snprintf(text + used, sizeof text - (size_t)used, "\n");
    (void)write(payload, text, (size_t)used);
}
