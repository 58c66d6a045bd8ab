/* SPDX-License-Identifier: Apache-2.0
 *
 * A file of lines is open for adding alone, so that whatever goes wrong, what stands there stays. Each line says with
 * which version and options it was made, so a file needs no other beside it to be gone on with.
 */
#include "scan.h"

struct reader {
    struct results *results;
    const char *fingerprint;
    npart_many *many;
    size_t *earlier;
};

/* ---- earlier lines ------------------------------------------------------------------------------------------ */

/* A callback of the library's. */
static void take_model(void *payload, const char *path)
{
    struct reader *reader = payload;
    paths_add(&reader->results->done, json_form(path));
    ++*reader->earlier;
}

/* Of a database. */
static void take_document(void *payload, const char *path, const char *json, size_t count)
{
    struct reader *reader = payload;
    if (!path || !json || npart_many_add(reader->many, json, count, NULL) != NPART_OK)
        give_up();
    take_model(reader, path);
}

/* Whole lines; *end is where they end. */
static enum exit_status read_lines(struct reader *reader, FILE *file, uint64_t *end)
{
    struct npart_resume_options how = NPART_RESUME_OPTIONS_INIT;
    struct npart_error error;
    how.options = reader->fingerprint;
    how.found = take_model;
    how.payload = reader;
    npart_status status = npart_many_resume(reader->many, read_stream, file, &how, end, &error);
    if (status == NPART_ERROR_MEMORY)
        give_up();
    if (status == NPART_ERROR_READ)
        say("%s: cannot read: %s", reader->results->name, strerror(errno));
    else if (status != NPART_OK)
        say("%s:%s: %s, so --resume cannot go on with it", reader->results->name, error.place, error.message);
    return status == NPART_OK ? EXIT_FINE : status == NPART_ERROR_READ ? EXIT_OTHER : EXIT_USAGE;
}

/* ---- to open ------------------------------------------------------------------------------------------------ */

static bool is_database_name(const char *name)
{
    return has_end(name, ".sqlite") || has_end(name, ".sqlite3") || has_end(name, ".db");
}

static enum exit_status tell_claimed(const struct results *results)
{
    say("%s: another scan is writing to it", results->name);
    return EXIT_OTHER;
}

static enum exit_status open_lines(struct results *results, const struct options *options, struct reader *reader)
{
    bool is_file = npart__path_kind(options->output, true) != NPART__PATH_OTHER;
    uint64_t end = 0;
    if (!is_file && options->resumes) {
        say("%s: not a regular file, so --resume cannot go on with it", options->output);
        return EXIT_USAGE;
    }
    results->file = npart__stream_open(options->output, is_file ? "a+b" : "wb");
    if (!results->file) {
        say("%s: cannot write: %s", options->output, strerror(errno));
        return EXIT_OTHER;
    }
    if (!is_file)
        return EXIT_FINE;
    if (!claim_stream(results->file))
        return tell_claimed(results);
    if (!options->resumes)
        return EXIT_FINE;
    (void)seek_stream(results->file, 0); /* some systems open for adding at the end */
    enum exit_status status = read_lines(reader, results->file, &end);
    if (status == EXIT_FINE && !cut_stream(results->file, end)) {
        say("%s: cannot write: %s", options->output, strerror(errno));
        return EXIT_OTHER;
    }
    return status;
}

/* SQLite keeps programs apart during a transaction alone. The file is open a second time for the claim, and closed
 * last, as that may end SQLite's own locks. What cannot be opened is SQLite's to tell. */
static enum exit_status open_database(struct results *results, const struct options *options, struct reader *reader)
{
    results->file = npart__stream_open(options->output, "a+b");
    if (results->file && !claim_stream(results->file))
        return tell_claimed(results);
    char problem[1024] = "", tool[128];
    (void)snprintf(tool, sizeof tool, "npu-partition %s, options %s", npart_version(), reader->fingerprint);
    bool resumes = options->resumes;
    bool is_open = database_open(&results->database, options->output, resumes, tool, problem, sizeof problem) &&
                   (!resumes || database_read(results->database, take_document, reader, problem, sizeof problem));
    if (is_open)
        return EXIT_FINE;
    say("%s: %s", options->output, problem);
    return resumes ? EXIT_USAGE : EXIT_OTHER;
}

/* Hours of results are not to be lost by an option that was forgotten. */
static bool is_refused(const struct options *options)
{
    struct npart__file_status there;
    if (has_end(options->output, ".parquet")) {
        say("%s: scan writes lines or SQLite; Parquet is made of lines by Python (docs/inside/spark.md)",
            options->output);
        return true;
    }
    if (options->resumes || !find_file(options->output, NULL, &there) || there.bytes == 0)
        return false;
    say("%s: exists already; --resume goes on with it, or remove it first", options->output);
    return true;
}

enum exit_status results_open(struct results *results, const struct options *options, const char *fingerprint,
                              npart_many *many, size_t *earlier)
{
    struct reader reader = {results, fingerprint, many, earlier};
    *results = (struct results){.name = options->output ? options->output : "standard output"};
    if (!options->output) {
        results->file = stdout;
        begin_printing(PRINTED_JSON);
        return options->resumes ? usage("--resume needs --output FILE") : EXIT_FINE;
    }
    if (is_refused(options))
        return EXIT_USAGE;
    enum exit_status status = is_database_name(options->output) ? open_database(results, options, &reader)
                                                                : open_lines(results, options, &reader);
    paths_sort(&results->done);
    return status;
}

/* ---- to write ----------------------------------------------------------------------------------------------- */

static bool tell_not_written(const struct results *results, const char *problem)
{
    say("%s: cannot write: %s", results->name, problem);
    return false;
}

bool results_settle(struct results *results)
{
    char problem[1024] = "";
    bool is_kept = !results->database || database_settle(results->database, problem, sizeof problem);
    return is_kept || tell_not_written(results, problem);
}

bool results_add(struct results *results, const struct npart_line *line)
{
    char problem[1024] = "";
    bool is_written = results->database
                          ? database_add(results->database, line->text, line->bytes, problem, sizeof problem)
                      : results->file == stdout
                          ? print_bytes(stdout, line->text, line->bytes) && fflush(stdout) == 0
                          : write_whole(results->file, line->text, line->bytes);
    return is_written || tell_not_written(results, results->database ? problem : strerror(errno));
}

bool results_close(struct results *results)
{
    char problem[1024] = "";
    bool is_closed = !results->database || database_close(results->database, problem, sizeof problem);
    if (results->file && results->file != stdout && fclose(results->file) != 0) {
        (void)snprintf(problem, sizeof problem, "%s", strerror(errno));
        is_closed = false;
    }
    if (!is_closed)
        (void)tell_not_written(results, problem);
    *results = (struct results){0};
    return is_closed;
}
