/* SPDX-License-Identifier: Apache-2.0
 *
 * Scans that go on with an earlier one: by which options lines were made, which lines there are, and how many in all.
 */
#include <stdio.h>

#include "many/many.h"
#include "npu_partition.h" /* the version */

/* ---- by which options --------------------------------------------------------------------------------------- */

/* FNV-1a of 64 bits: options are mistaken for others by chance alone, and nothing is gained by it. */
static void mix(uint64_t *hash, const void *bytes, size_t count)
{
    const unsigned char *at = bytes;
    for (size_t i = 0; i < count; i++)
        *hash = (*hash ^ at[i]) * UINT64_C(0x100000001b3);
}

/* With its end, and its place among others. */
static void mix_text(uint64_t *hash, const char *name, const char *text)
{
    mix(hash, name, strlen(name) + 1);
    if (text)
        mix(hash, text, strlen(text) + 1);
}

static void mix_number(uint64_t *hash, const char *name, long long number)
{
    char text[32];
    (void)snprintf(text, sizeof text, "%lld", number);
    mix_text(hash, name, text);
}

static void mix_file(uint64_t *hash, const char *name, const void *bytes, size_t count)
{
    if (!bytes)
        return;
    mix_text(hash, name, "");
    mix(hash, bytes, count);
}

static void mix_sizes(uint64_t *hash, const struct npart_inference_options *sizes,
                      const struct npart_read_options *read)
{
    for (uint32_t i = 0; i < sizes->dim_count; i++) {
        mix_text(hash, "dim", sizes->dims[i].name);
        mix_number(hash, sizes->dims[i].is_limit ? "most" : "size", sizes->dims[i].size);
    }
    for (uint32_t i = 0; i < sizes->input_count; i++) {
        mix_text(hash, "input", sizes->inputs[i].input);
        for (uint32_t k = 0; k < sizes->inputs[i].rank; k++)
            mix_number(hash, "size", sizes->inputs[i].dims[k]);
    }
    for (uint32_t i = 0; i < read->value_count; i++) {
        mix_text(hash, "bind", read->values[i].input);
        for (uint32_t k = 0; k < read->values[i].count; k++) {
            char number[40];
            (void)snprintf(number, sizeof number, "%.17g", read->values[i].numbers[k]);
            mix_text(hash, "value", number);
        }
    }
}

static void mix_plan(uint64_t *hash, const struct npart_scan_options *options)
{
    const struct npart_plan_options *plan = options->plan;
    mix_text(hash, "runtime", plan->runtime);
    mix_text(hash, "partitioner", plan->partitioner);
    mix_text(hash, "gates", plan->gates);
    mix_number(hash, "level", plan->level);
    mix_number(hash, "advice", !options->skips_advice);
    mix_number(hash, "sustained", plan->is_sustained);
    mix_number(hash, "ram", (long long)plan->ram_bytes);
    mix_text(hash, "class", plan->device_class);
    mix_number(hash, "prompt", (long long)plan->prompt_tokens);
}

size_t npart_scan_fingerprint(const struct npart_scan_options *options, char *out, size_t bytes)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    char text[NPART_FINGERPRINT_BYTES];
    if (!options || options->version != 1 || !options->read || !options->sizes || !options->plan)
        return npart__copy_out("", 0, out, bytes);
    mix_text(&hash, "version", npart_version());
    for (uint32_t i = 0; i < options->label_count; i++)
        mix_text(&hash, "target", options->labels[i]);
    mix_plan(&hash, options);
    mix_number(&hash, "detail", options->detail);
    mix_number(&hash, "keep", (long long)options->read->keep_bytes);
    mix_sizes(&hash, options->sizes, options->read);
    for (uint32_t i = 0; i < options->plan->assumption_count; i++) {
        mix_text(&hash, "assume", options->plan->assumptions[i].op);
        mix_text(&hash, "node", options->plan->assumptions[i].node);
        mix_number(&hash, "npu", options->plan->assumptions[i].on_npu);
    }
    for (uint32_t i = 0; i < options->plan->cut_count; i++)
        mix_text(&hash, "cut", options->plan->cuts[i]);
    for (uint32_t i = 0; i < options->read->limit_count; i++) {
        mix_text(&hash, "limit", options->read->limits[i].name);
        mix_number(&hash, "value", (long long)options->read->limits[i].value);
    }
    mix_file(&hash, "oplist", options->oplist, options->oplist_bytes);
    mix_file(&hash, "cost", options->cost, options->cost_bytes);
    (void)snprintf(text, sizeof text, "%016llx", (unsigned long long)hash);
    return npart__copy_out(text, strlen(text), out, bytes);
}

/* ---- which lines there are ---------------------------------------------------------------------------------- */

/* Why a file cannot be gone on with; NULL: it can. */
static const char *line_problem(const struct npart_many_line *line, const char *options)
{
    if (!line->version || !line->options || !line->path)
        return "not a line that scan writes";
    if (strcmp(line->version, npart_version()) != 0)
        return "made by another version of npu-partition";
    if (options && strcmp(line->options, options) != 0)
        return "made with other targets or options, or other contents of --oplist or --cost";
    return NULL;
}

/* Of a file without a whole line, which may be another's: whether a line begins so. */
static bool is_torn_line(const struct npart__buffer *text)
{
    static const char beginning[] = "{\"schema\":2,\"tool\":{\"name\":\"npu-partition\"";
    size_t length = sizeof beginning - 1;
    return memcmp(text->data, beginning, text->size < length ? text->size : length) == 0;
}

static npart_status refuse(uint64_t number, const char *problem, struct npart_error *error)
{
    char place[32];
    (void)snprintf(place, sizeof place, "%llu", (unsigned long long)number);
    return npart__fail(error, NPART_ERROR_MALFORMED, place, "%s", problem);
}

static npart_status take_line(npart_many *many, const struct npart__buffer *text, uint64_t number,
                              const struct npart_resume_options *options, struct npart_error *error)
{
    struct npart_many_line line = {.size = sizeof line};
    npart_status status = npart_many_add(many, text->data, text->size, error);
    if (status != NPART_OK && status != NPART_ERROR_MALFORMED)
        return status;
    if (status == NPART_OK)
        (void)npart_many_line(many, &line);
    const char *problem = line_problem(&line, options->options);
    if (problem)
        return refuse(number, problem, error);
    if (options->found)
        options->found(options->payload, line.path);
    return NPART_OK;
}

/* Adds what was read to the line that is not whole yet. */
static npart_status take_piece(npart_many *many, const char *piece, size_t count, struct npart__buffer *text,
                               uint64_t *lines, const struct npart_resume_options *options, uint64_t *end,
                               struct npart_error *error)
{
    for (size_t at = 0, rest; at < count; at += rest) {
        const char *newline = memchr(piece + at, '\n', count - at);
        rest = newline ? (size_t)(newline - piece) + 1 - at : count - at;
        npart__append(text, piece + at, rest);
        if (text->failed)
            return npart__fail_memory(error);
        npart_status status = newline ? take_line(many, text, ++*lines, options, error) : NPART_OK;
        if (status != NPART_OK)
            return status;
        *end += newline ? text->size : 0;
        text->size = newline ? 0 : text->size;
    }
    return NPART_OK;
}

npart_status npart_many_resume(npart_many *many, npart_read_callback read, void *payload,
                               const struct npart_resume_options *options, uint64_t *end, struct npart_error *error)
{
    const struct npart_resume_options none = NPART_RESUME_OPTIONS_INIT;
    struct npart__arena arena;
    struct npart__buffer text;
    uint64_t lines = 0, whole = 0;
    ptrdiff_t count = 0;
    if (!many || !read)
        return npart__fail_null(!many ? "many" : "read", error);
    options = options ? options : &none;
    npart_status status = npart__check_version("options", options->version, 1, error);
    if (status != NPART_OK)
        return status;
    npart__arena_init(&arena, &many->life->arena.allocator);
    npart__buffer_init(&text, &arena);
    char *piece = npart__arena_allocate(&arena, 65536);
    if (!piece)
        status = npart__fail_memory(error);
    while (status == NPART_OK && (count = read(payload, piece, 65536)) > 0)
        status = take_piece(many, piece, (size_t)count, &text, &lines, options, &whole, error);
    if (status == NPART_OK && count < 0)
        status = npart__fail(error, NPART_ERROR_READ, "", "it cannot be read");
    if (status == NPART_OK && !lines && text.size && !is_torn_line(&text))
        status = refuse(1, "not a line that scan writes", error);
    if (end)
        *end = whole;
    npart__arena_clear(&arena);
    return status;
}

/* ---- how many ----------------------------------------------------------------------------------------------- */

npart_status npart_many_totals(const npart_many *many, uint64_t earlier, double seconds, npart_write_callback write,
                               void *payload, struct npart_error *error)
{
    struct npart_many_info info = {.size = sizeof info};
    struct npart_many_failure failure = {.size = sizeof failure};
    struct npart__note note;
    if (!npart_many_info(many, &info) || !write)
        return npart__fail_null(!many ? "many" : "write", error);
    unsigned long long models = info.models, before = earlier;
    npart__note_open(&note, &many->life->arena.allocator);
    npart__append_format(&note.text, "%llu model%s", models, models == 1 ? "" : "s");
    if (before)
        npart__append_format(&note.text, ", %llu of them in earlier scans", before);
    npart__append_format(&note.text, "; %.1f s, %.1f models a second\n", seconds,
                         (double)(info.models - earlier) / (seconds > 0 ? seconds : 0.001));
    if (info.failures)
        npart__append_format(&note.text, "%llu could not be analyzed:", (unsigned long long)info.failures);
    for (uint32_t i = 0; note.text.size < 256 && npart_many_failure(many, i, &failure); i++) {
        char code[64]; /* an earlier line may have any text */
        (void)npart_plain_text(failure.code, code, sizeof code);
        npart__append_format(&note.text, "%s %llu %s", i ? "," : "", (unsigned long long)failure.models, code);
    }
    if (info.failures)
        npart__append_text(&note.text, "\n");
    npart_status status = note.text.failed ? npart__fail_memory(error) : NPART_OK;
    if (status == NPART_OK && !write(payload, note.text.data, note.text.size))
        status = npart__fail(error, NPART_ERROR_WRITE, "", "it cannot be written");
    (void)npart__note_close(&note, NULL, 0);
    return status;
}
