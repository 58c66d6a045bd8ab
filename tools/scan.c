/* SPDX-License-Identifier: Apache-2.0
 *
 * Workers take models from a window (scan_window.h) and make their lines; the first thread writes them, and is the only
 * one that tells anything, counts or looks at the clock. Op lists are read once, and shared.
 */
#include "words.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "platform.h"
#include "printed.h"
#include "scan_lines.h"
#include "scan_progress.h"
#include "scan_results.h"
#include "scan_text.h"
#include "scan_walk.h"
#include "scan_window.h"

#define LINES_A_WORKER 64u                     /* that may wait for one that takes long */
#define MOST_WAITING_BYTES ((size_t)64 << 20)  /* of lines, above which no model is begun */
#define WAIT_MS 100u

struct scan {
    struct run *run;
    char fingerprint[FINGERPRINT_BYTES];
    struct scan_models models; /* without those that are done */
    struct window *window;
    struct results results;
    struct progress progress;
    npart_many *many;
    bool has_table; /* at the end */
    bool has_failed; /* no more lines can be written */
};

struct worker {
    struct scan *scan;
    struct thread *thread;
    bool is_dim_found[MOST_DIMS];
};

/* ---- lines -------------------------------------------------------------------------------------------------- */

static void make_next_line(struct worker *worker, size_t job)
{
    struct scan *scan = worker->scan;
    struct line line;
    make_line(scan->run, scan->fingerprint, &scan->models.items[job], worker->is_dim_found, &line);
    window_put(scan->window, job, &line);
}

static void run_worker(void *payload)
{
    struct worker *worker = payload;
    for (size_t job; window_take(worker->scan->window, &job);)
        make_next_line(worker, job);
}

static void add_to_table(struct scan *scan, const struct line *line)
{
    if (!scan->has_table || npart_many_add(scan->many, line->text, line->bytes, NULL) == NPART_OK)
        return;
    say("out of memory: there is no table at the end");
    scan->has_table = false;
    worsen(scan->run, EXIT_OTHER);
}

/* A line of an earlier scan. */
static void take_earlier(void *payload, const char *code)
{
    struct scan *scan = payload;
    scan->progress.earlier++;
    progress_count(&scan->progress, code);
}

static void write_line(struct scan *scan, const struct line *line)
{
    if (!line->text)
        say("out of memory");
    scan->has_failed = scan->has_failed || !line->text || !results_add(&scan->results, line);
    if (scan->has_failed)
        return;
    scan->progress.done++;
    progress_count(&scan->progress, line->code);
    add_to_table(scan, line);
}

/* ---- threads ------------------------------------------------------------------------------------------------ */

/* Without a thread of its own, as in WebAssembly, the first one also makes lines. */
static void write_lines(struct scan *scan, struct worker *alone)
{
    struct line line;
    for (size_t job;;) {
        if (scan->has_failed || is_stop_asked())
            window_stop(scan->window);
        if (alone && window_take(scan->window, &job))
            make_next_line(alone, job);
        enum window_answer answer = window_next(scan->window, &line, WAIT_MS);
        if (answer == WINDOW_IS_OVER)
            break;
        if (answer == WINDOW_LINE) {
            write_line(scan, &line);
            free(line.text);
        } else if (!scan->has_failed) {
            scan->has_failed = !results_settle(&scan->results);
        }
        progress_show(&scan->progress);
    }
}

static unsigned count_workers(const struct scan *scan)
{
    size_t wanted = scan->run->options->jobs ? scan->run->options->jobs : count_processors();
    if (wanted > MOST_JOBS)
        wanted = MOST_JOBS;
    return (unsigned)(wanted < scan->models.count ? wanted : scan->models.count);
}

static bool run_workers(struct scan *scan)
{
    unsigned count = count_workers(scan), started = 0;
    struct worker *workers = calloc(count + 1u, sizeof *workers);
    scan->window = window_make(scan->models.count, ((size_t)count + 1) * LINES_A_WORKER, MOST_WAITING_BYTES,
                               !scan->run->options->is_unordered);
    if (!workers || !scan->window) {
        free(workers);
        return false;
    }
    while (started < count) {
        struct worker *worker = &workers[started];
        worker->scan = scan;
        worker->thread = thread_start(run_worker, worker);
        if (!worker->thread)
            break;
        started++;
    }
    workers[started].scan = scan;
    write_lines(scan, started ? NULL : &workers[started]);
    for (unsigned i = 0; i < started; i++)
        thread_join(workers[i].thread);
    for (unsigned i = 0; i <= started; i++)
        for (uint32_t d = 0; d < scan->run->options->dim_count; d++)
            scan->run->is_dim_found[d] |= workers[i].is_dim_found[d];
    free(workers);
    return true;
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

static bool drop_done(struct scan *scan)
{
    struct scan_models *models = &scan->models;
    size_t kept = 0, found = models->count;
    for (size_t i = 0; i < found; i++) {
        char *text = json_form(models->items[i].path);
        if (!text) {
            say("out of memory");
            return false;
        }
        if (results_have(&scan->results, text)) {
            free(models->items[i].path);
            free(models->items[i].problem);
            models->items[i].path = models->items[i].problem = NULL;
        }
        free(text);
    }
    for (size_t i = 0; i < found; i++)
        if (models->items[i].path)
            models->items[kept++] = models->items[i];
    models->count = kept;
    return true;
}

/* Of the arguments, then of the list. */
static enum exit_status find_all(struct scan *scan)
{
    const struct options *options = scan->run->options;
    struct paths paths = {0};
    enum exit_status status = EXIT_FINE;
    for (int i = 0; i < options->model_count && status == EXIT_FINE; i++)
        status = paths_add(&paths, options->models[i]) ? EXIT_FINE : EXIT_OTHER;
    if (status == EXIT_OTHER)
        say("out of memory");
    size_t patterns = paths.count;
    if (status == EXIT_FINE && options->list)
        status = scan_read_list(&paths, options->list);
    if (status == EXIT_FINE)
        status = scan_find(&scan->models, &paths, patterns, options->output);
    paths_free(&paths);
    return status;
}

static enum exit_status find_models(struct scan *scan)
{
    const struct options *options = scan->run->options;
    enum exit_status status = find_all(scan);
    size_t found = scan->models.count;
    if (status != EXIT_FINE)
        return status;
    if (found == 0) {
        say("no model is found");
        return EXIT_USAGE;
    }
    if (scan->progress.earlier == 0)
        return EXIT_FINE;
    if (!drop_done(scan))
        return EXIT_OTHER;
    if (scan->models.count == found) {
        say("%s: has none of these models; write their paths as they were written then", options->output);
        return EXIT_USAGE;
    }
    return EXIT_FINE;
}

static bool write_to(void *payload, const char *text, size_t bytes)
{
    return print_bytes(payload, text, bytes);
}

/* Where lines are not. */
static void write_end(struct scan *scan)
{
    struct run *run = scan->run;
    const struct options *options = run->options;
    FILE *stream = options->output ? stdout : stderr;
    struct npart_report_options look = run->report;
    if (options->is_quiet)
        return;
    if (options->output)
        look = look_of(options, is_stream_terminal(stdout));
    else
        look.use_color = options->color == COLOR_ALWAYS;
    if (scan->has_table)
        (void)npart_many_text(scan->many, &look, write_to, stream, NULL); /* what is not written is told below */
    progress_write_totals(&scan->progress, write_to, stream);
    if (fflush(stream) != 0 || ferror(stream))
        worsen(run, EXIT_OTHER);
}

static void settle(struct scan *scan)
{
    struct run *run = scan->run;
    const struct options *options = run->options;
    size_t done = scan->progress.earlier + scan->progress.done;
    if (progress_failures(&scan->progress) || scan->models.left_out)
        worsen(run, EXIT_UNREADABLE);
    if (scan->has_failed || done < scan->progress.total) {
        say("stopped after %zu of %zu models%s", done, scan->progress.total,
            options->output ? "; the same command with --resume goes on" : "");
        worsen(run, EXIT_OTHER);
        return;
    }
    if (!scan->progress.earlier)
        (void)tell_missing_dims(run, options->dims, options->dim_count, run->is_dim_found);
}

static void close_results(struct scan *scan)
{
    if (results_close(&scan->results))
        return;
    scan->has_failed = true;
    worsen(scan->run, EXIT_OTHER);
}

static enum exit_status work(struct scan *scan)
{
    struct run *run = scan->run;
    const struct options *options = run->options;
    struct npart_error error;
    if (!is_fine(run, "", npart_many_make(&scan->many, NULL, &error), &error) ||
        !find_fingerprint(run, scan->fingerprint))
        return EXIT_OTHER;
    scan->has_table = !options->is_quiet;
    enum exit_status status =
        results_open(&scan->results, options, scan->fingerprint, scan->many, take_earlier, scan);
    if (status == EXIT_FINE)
        status = find_models(scan);
    if (status != EXIT_FINE)
        return status;
    struct progress *progress = &scan->progress;
    progress->total = progress->earlier + scan->models.count;
    progress->is_shown = !options->is_quiet && is_stream_terminal(stderr) && !is_terminal(run);
    progress->started_ms = npart__monotonic_ms();
    catch_stop();
    if (!run_workers(scan)) {
        say("out of memory");
        return EXIT_OTHER;
    }
    progress_hide(progress);
    close_results(scan); /* before the table, whose reader may be gone */
    write_end(scan);
    settle(scan);
    return EXIT_FINE;
}

enum exit_status run_scan(struct run *run, struct options *options)
{
    struct scan scan = {.run = run};
    if (options->model_count == 0 && !options->list)
        return usage("scan which models? Name folders, files or patterns");
    for (int i = 0; i < options->model_count; i++)
        if (strcmp(options->models[i], "-") == 0)
            return usage("scan reads files, not standard input (--list - reads their paths there)");
    if (options->target_count == 0 && !options->oplist)
        return usage("which target? (--list-targets)");
    if (!find_oplists(run, options))
        return run->status;
    choose_look(run);
    if (!options->has_detail)
        run->report.detail = NPART_DETAIL_SUMMARY;
    worsen(run, work(&scan));
    close_results(&scan);
    npart_many_free(scan.many);
    window_free(scan.window);
    scan_models_free(&scan.models);
    return run->status;
}
