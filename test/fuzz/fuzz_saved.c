/* SPDX-License-Identifier: Apache-2.0
 *
 * What was saved and is read again, after a first byte that says what it is: a table of runs, reports and baselines as
 * sides of a comparison, a report for a page, lines and databases that a scan goes on with.
 */
#if !defined(_POSIX_C_SOURCE)
#define _POSIX_C_SOURCE 200809L
#endif
#include <unistd.h>

#include "../../tools/scan.h"
#include "gate/gate.h"
#include "fuzz/formats.h"
#include "fuzz/fuzz.h"

/* ---- tables of runs -------------------------------------------------------------------------------------------- */

static void read_runs(const uint8_t *data, size_t bytes)
{
    struct npart__text_stream input = {(const char *)data, bytes};
    struct npart_measured_run row = {.size = sizeof row};
    npart_run_table *table = NULL;
    char *text = malloc(bytes + 1);
    FUZZ_REQUIRE(text);
    memcpy(text, data, bytes);
    text[bytes] = '\0';
    (void)npart_run_table_begins(text);
    free(text);
    bool is_read = npart_run_table_read(&table, npart__read_text, &input, NULL, NULL) == NPART_OK;
    FUZZ_REQUIRE(is_read == (table != NULL));
    for (uint32_t i = 0; npart_run_table_row(table, i, &row); i++)
        FUZZ_REQUIRE(i < NPART_MOST_RUN_ROWS && row.model && *row.model && (row.ms > 0 || row.profile));
    npart_run_table_free(table);
}

/* ---- sides ----------------------------------------------------------------------------------------------------- */

static void compare(const struct npart_side *before, const struct npart_side *after)
{
    npart_diff *diff = NULL;
    struct npart_error error;
    struct fuzz_text text = {NULL, 0}, json = {NULL, 0};
    npart_status status = npart_diff_make(&diff, before, after, NULL, &error);
    if (status != NPART_OK) {
        fuzz_check_error(status, &error);
        return;
    }
    const npart_diff *const diffs[] = {diff};
    FUZZ_REQUIRE(npart_report(OF_DIFFS(diffs, 1), NPART_FORMAT_TEXT, NULL, fuzz_keep, &text, &error) == NPART_OK);
    FUZZ_REQUIRE(npart_report(OF_DIFFS(diffs, 1), NPART_FORMAT_JSON, NULL, fuzz_keep, &json, &error) == NPART_OK);
    fuzz_check_plain(&text, false);
    fuzz_check_json(&json);
    free(text.data);
    free(json.data);
    npart_diff_free(diff);
}

/* A baseline of what was read is a baseline of itself. */
static struct fuzz_text baseline_of(const npart_sides *sides)
{
    const struct npart_side *chosen[8];
    struct fuzz_text text = {NULL, 0};
    struct npart__arena arena;
    struct npart__buffer out;
    uint32_t all;
    const struct npart_side *items = npart_sides_all(sides, &all);
    uint32_t count = all < 8 ? all : 8;
    for (uint32_t i = 0; i < count; i++)
        chosen[i] = &items[i];
    qsort(chosen, count, sizeof *chosen, npart__compare_sides);
    npart__arena_init(&arena, NULL);
    npart__buffer_init(&out, &arena);
    npart__put_baseline_cache(&out, chosen, count);
    FUZZ_REQUIRE(!out.failed && (!out.size || fuzz_keep(&text, out.data, out.size)));
    npart__arena_clear(&arena);
    return text;
}

static void check_baseline(const npart_sides *sides)
{
    npart_sides *again = NULL;
    struct fuzz_text first = baseline_of(sides);
    struct npart__text_stream input = {first.data, first.bytes};
    uint32_t count;
    FUZZ_REQUIRE(npart_sides_read(&again, npart__read_text, &input, NULL, NULL) == NPART_OK);
    (void)npart_sides_all(again, &count);
    if (count) {
        struct fuzz_text second = baseline_of(again);
        FUZZ_REQUIRE(first.bytes == second.bytes && memcmp(first.data, second.data, first.bytes) == 0);
        free(second.data);
    }
    npart_sides_free(again);
    free(first.data);
}

static void read_saved(const uint8_t *data, size_t bytes)
{
    struct npart__text_stream input = {(const char *)data, bytes}, cached = input;
    struct npart_sides_options options = NPART_SIDES_OPTIONS_INIT;
    npart_sides *sides = NULL;
    struct npart_error error;
    uint32_t count;
    options.read_cache = npart__read_text;
    options.cache_payload = &cached;
    npart_status status = npart_sides_read(&sides, npart__read_text, &input, &options, &error);
    if (status != NPART_OK)
        fuzz_check_error(status, &error);
    const struct npart_side *items = npart_sides_all(sides, &count);
    for (uint32_t i = 0; i < count; i++) {
        const struct npart_side *side = &items[i];
        uint64_t begin = 0, end = 0;
        bool are_several;
        FUZZ_REQUIRE(side->model && side->target && side->toolchain);
        FUZZ_REQUIRE(!npart_sides_place(sides, side, &begin, &end) || end <= bytes);
        (void)npart_sides_is_report(sides, side);
        (void)npart_sides_find(sides, side->model, side->target, side->toolchain, &are_several);
        if (i < 3)
            compare(&items[0], side);
    }
    if (count)
        check_baseline(sides);
    npart_sides_free(sides);
}

/* ---- pages ----------------------------------------------------------------------------------------------------- */

struct stream {
    const uint8_t *data;
    size_t left;
};

static ptrdiff_t read_pieces(void *payload, void *into, size_t bytes)
{
    struct stream *stream = payload;
    size_t most = stream->left < 777 ? stream->left : 777;
    bytes = bytes < most ? bytes : most;
    if (bytes)
        memcpy(into, stream->data, bytes);
    stream->data += bytes;
    stream->left -= bytes;
    return (ptrdiff_t)bytes;
}

static void make_page(const uint8_t *data, size_t bytes)
{
    struct stream stream = {data, bytes};
    struct fuzz_text page = {NULL, 0};
    struct npart_error error;
    npart_document *document = NULL;
    size_t at = 0;
    FUZZ_REQUIRE(npart_document_start(&document, NPART_FORMAT_HTML, NULL, fuzz_keep, &page, &error) == NPART_OK);
    npart_status status = npart_document_add_report(document, read_pieces, &stream, &error);
    if (status == NPART_OK)
        status = npart_document_end(document, &error);
    npart_document_free(document);
    if (status == NPART_OK && page_problem(page.data, page.bytes, &at))
        fprintf(stderr, "byte %zu: %.80s\n", at, page.data + (at > 40 ? at - 40 : 0));
    FUZZ_REQUIRE(status == NPART_ERROR_ARGUMENT || (status == NPART_OK && !page_problem(page.data, page.bytes, &at)));
    free(page.data);
}

/* ---- results of a scan ----------------------------------------------------------------------------------------- */

/* In place of the tool's, which prints; one is always there where something is refused. */
static unsigned complaints;

void format_plain(char *out, size_t bytes, const char *format, va_list list)
{
    FUZZ_REQUIRE(vsnprintf(out, bytes, format, list) > 0);
}

void say(const char *format, ...)
{
    char text[MESSAGE_BYTES];
    va_list list;
    va_start(list, format);
    format_plain(text, sizeof text, format, list);
    va_end(list);
    complaints++;
}

/* Goes on with what is in a file of this name; what was read once is read again. */
static void resume(const char *name, const uint8_t *data, size_t bytes)
{
    static struct options options;
    struct npart_report_options look = NPART_REPORT_OPTIONS_INIT;
    struct results results;
    npart_many *many = NULL;
    size_t seen = 0;
    struct fuzz_text table = {NULL, 0};
    FILE *file = fopen(name, "wb");
    FUZZ_REQUIRE(npart_many_make(&many, NULL, NULL) == NPART_OK && file && fwrite(data, 1, bytes, file) == bytes);
    FUZZ_REQUIRE(fclose(file) == 0);
    options.output = name;
    options.resumes = true;
    complaints = 0;
    enum exit_status status = results_open(&results, &options, "0123456789abcdef", many, &seen);
    FUZZ_REQUIRE((status == EXIT_FINE) == (complaints == 0));
    FUZZ_REQUIRE(status != EXIT_FINE || results.done.count <= seen);
    (void)paths_have(&results.done, json_form("a.onnx"));
    FUZZ_REQUIRE(npart_many_text(many, &look, fuzz_keep, &table, NULL) == NPART_OK);
    fuzz_check_plain(&table, false);
    (void)results_close(&results);
    npart_many_free(many);
    free(table.data);
    forget_all();
    FUZZ_REQUIRE(unlink(name) == 0);
}

static void resume_scan(const uint8_t *data, size_t bytes)
{
    const char *temporary = getenv("TMPDIR");
    char name[256];
    bool is_database = bytes > 15 && memcmp(data, "SQLite format 3", 15) == 0;
    (void)snprintf(name, sizeof name, "%.200s/npart-fuzz-%ld.%s", temporary ? temporary : "/tmp", (long)getpid(),
                   is_database ? "db" : "jsonl");
    resume(name, data, bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static void (*const readers[])(const uint8_t *data, size_t bytes) = {read_runs, read_saved, make_page,
                                                                          resume_scan};
    if (bytes)
        readers[data[0] % (sizeof readers / sizeof readers[0])](data + 1, bytes - 1);
    return 0;
}
