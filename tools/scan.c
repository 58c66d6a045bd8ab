/* SPDX-License-Identifier: Apache-2.0
 *
 * Threads of the library's make lines of models; the first thread writes them, and is the only one that tells anything,
 * counts or looks at the clock. Op lists are read once, and shared.
 */
#include "scan.h"

#define MOST_SHOWN_MS 100 /* between two bars at least */
#define BAR_CELLS 20

/* A bar on a terminal. */
struct progress {
    bool is_shown;
    size_t total, earlier, done; /* models: of the scan, that were there already, of this run */
    const npart_many *many;      /* earlier ones included */
    uint64_t started_ms, shown_ms;
};

struct scan {
    struct run *run;
    char fingerprint[NPART_FINGERPRINT_BYTES];
    npart_files *models; /* without those that are done */
    struct npart_files_info found;
    bool (*are_dims_found)[MOST_DIMS]; /* by worker */
    struct results results;
    struct progress progress;
    npart_many *many;
    bool has_table; /* at the end */
    bool has_failed; /* no more lines can be written */
};

/* ---- how far it is ------------------------------------------------------------------------------------------ */

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

static uint64_t progress_failures(const struct progress *progress)
{
    struct npart_many_info info = {.size = sizeof info};
    return npart_many_info(progress->many, &info) ? info.failures : 0;
}

static void progress_show(struct progress *progress)
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

static void progress_hide(struct progress *progress)
{
    if (progress->is_shown && progress->shown_ms)
        print_format(stderr, "\r\033[K");
}

/* ---- lines -------------------------------------------------------------------------------------------------- */

static void make_next_line(void *payload, size_t job, uint32_t worker, struct npart_line *out)
{
    struct scan *scan = payload;
    struct npart_file model = {.size = sizeof model};
    (void)npart_files_file(scan->models, job, &model);
    make_line(scan->run, scan->fingerprint, &model, scan->are_dims_found[worker], out);
}

static void begin_thread(void *payload)
{
    (void)payload;
    hold_requests();
}

static void add_to_table(struct scan *scan, const struct npart_line *line)
{
    if (npart_many_add(scan->many, line->text, line->bytes, NULL) == NPART_OK || !scan->has_table)
        return;
    say("out of memory: there is no table at the end");
    scan->has_table = false;
    worsen(scan->run, EXIT_OTHER);
}

static void write_line(struct scan *scan, const struct npart_line *line)
{
    if (!line->text)
        say("out of memory");
    scan->has_failed = scan->has_failed || !line->text || !results_add(&scan->results, line);
    if (scan->has_failed)
        return;
    scan->progress.done++;
    add_to_table(scan, line);
}

static bool take_line(void *payload, const struct npart_line *line)
{
    struct scan *scan = payload;
    if (line) {
        write_line(scan, line);
        free(line->text);
    } else if (!scan->has_failed) {
        scan->has_failed = !results_settle(&scan->results);
    }
    progress_show(&scan->progress);
    return !scan->has_failed && !is_stop_asked();
}

static void run_workers(struct scan *scan)
{
    const struct options *options = scan->run->options;
    struct npart_spread_options how = NPART_SPREAD_OPTIONS_INIT;
    uint32_t count = npart_spread_workers((size_t)scan->found.count, options->jobs);
    scan->are_dims_found = need((count + (size_t)1) * sizeof *scan->are_dims_found);
    how.workers = options->jobs;
    how.is_unordered = options->is_unordered;
    how.begin = begin_thread;
    how.make = make_next_line;
    how.take = take_line;
    how.payload = scan;
    if (npart_spread((size_t)scan->found.count, &how, NULL) != NPART_OK)
        give_up();
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t d = 0; d < options->dim_count; d++)
            scan->run->is_dim_found[d] |= scan->are_dims_found[i][d];
}

/* ---- the whole ---------------------------------------------------------------------------------------------- */

/* What an earlier scan has. */
static bool is_done(void *payload, const char *path)
{
    const struct scan *scan = payload;
    return paths_have(&scan->results.done, json_form(path));
}

static void tell_about(void *payload, const char *about, const char *text)
{
    (void)payload;
    say("%s: %s", about, text);
}

/* A line each or, where one of them has a NUL, with NULs between them; "-" is standard input. */
static enum exit_status read_list(struct paths *paths, const char *list)
{
    struct text text = {0};
    bool is_input = strcmp(list, "-") == 0;
    enum exit_status status = EXIT_FINE;
    FILE *file = is_input ? stdin : open_regular_file(list, "; a list may come from standard input (-)", &status);
    if (status != EXIT_FINE)
        return status == EXIT_USAGE ? status : EXIT_OTHER; /* 3 says that models have lines */
    bool is_read = text_read(&text, file);
    if (!is_read)
        say("%s: %s", list, strerror(errno));
    if (!is_input)
        (void)fclose(file);
    size_t count = text.count;
    char *bytes = text_kept(&text), end = memchr(bytes, '\0', count) ? '\0' : '\n';
    for (char *at = bytes, *stop; is_read && at < bytes + count; at = stop + 1) {
        stop = memchr(at, end, (size_t)(bytes + count - at));
        stop = stop ? stop : bytes + count;
        *stop = '\0';
        if (*at)
            paths_add(paths, at);
    }
    return is_read ? EXIT_FINE : EXIT_OTHER;
}

/* Of the arguments, then of the list. */
static enum exit_status find_models(struct scan *scan)
{
    const struct options *options = scan->run->options;
    struct npart_files_options how = NPART_FILES_OPTIONS_INIT;
    struct npart_error error;
    struct paths paths = {0};
    enum exit_status status = EXIT_FINE;
    for (int i = 0; i < options->model_count; i++)
        paths_add(&paths, options->models[i]);
    if (options->list)
        status = read_list(&paths, options->list);
    if (status != EXIT_FINE)
        return status;
    how.path_count = paths.count - (size_t)options->model_count;
    how.own = options->output;
    how.skip = scan->progress.earlier ? is_done : NULL;
    how.tell = tell_about;
    how.payload = scan;
    npart_status found = npart_files_find(&scan->models, (const char *const *)paths.items, paths.count, &how, &error);
    if (found != NPART_OK) {
        tell_error("", &error);
        return found == NPART_ERROR_ARGUMENT ? EXIT_USAGE : EXIT_OTHER; /* 3 says that models have lines */
    }
    scan->found.size = sizeof scan->found;
    (void)npart_files_info(scan->models, &scan->found);
    if (scan->found.count + scan->found.skipped == 0) {
        say("no model is found");
        return EXIT_USAGE;
    }
    if (scan->progress.earlier && !scan->found.skipped) {
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
    (void)npart_many_totals(scan->many, scan->progress.earlier, seconds_since(scan->progress.started_ms), write_to,
                            stream, NULL);
    if (fflush(stream) != 0 || ferror(stream))
        worsen(run, EXIT_OTHER);
}

static void settle(struct scan *scan)
{
    struct run *run = scan->run;
    const struct options *options = run->options;
    size_t done = scan->progress.earlier + scan->progress.done;
    if (progress_failures(&scan->progress) || scan->found.left_out)
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
        results_open(&scan->results, options, scan->fingerprint, scan->many, &scan->progress.earlier);
    if (status == EXIT_FINE)
        status = find_models(scan);
    if (status != EXIT_FINE)
        return status;
    struct progress *progress = &scan->progress;
    progress->many = scan->many;
    progress->total = progress->earlier + scan->found.count;
    progress->is_shown = !options->is_quiet && is_stream_terminal(stderr) && !is_terminal(run);
    progress->started_ms = npart__monotonic_ms();
    catch_stop();
    run_workers(scan);
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
    npart_files_free(scan.models);
    return run->status;
}
