/* SPDX-License-Identifier: Apache-2.0
 *
 * Called by many threads: nothing here tells, waits for others, or changes what they share.
 */
#include "scan.h"

/* ---- the fingerprint ---------------------------------------------------------------------------------------- */

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

static bool mix_file(uint64_t *hash, const char *name, const char *path)
{
    char bytes[4096];
    enum exit_status status;
    FILE *file = path ? open_regular_file(path, ", and is read twice", &status) : NULL;
    if (!file)
        return !path;
    mix_text(hash, name, "");
    for (size_t count; (count = fread(bytes, 1, sizeof bytes, file)) > 0;)
        mix(hash, bytes, count);
    bool is_read = !ferror(file);
    if (!is_read)
        say("%s: %s", path, strerror(errno));
    (void)fclose(file);
    return is_read;
}

static void mix_sizes(uint64_t *hash, const struct options *options)
{
    for (uint32_t i = 0; i < options->dim_count; i++) {
        mix_text(hash, "dim", options->dims[i].name);
        mix_number(hash, options->dims[i].is_limit ? "most" : "size", options->dims[i].size);
    }
    for (uint32_t i = 0; i < options->input_count; i++) {
        mix_text(hash, "input", options->inputs[i].input);
        for (uint32_t k = 0; k < options->inputs[i].rank; k++)
            mix_number(hash, "size", options->inputs[i].dims[k]);
    }
    for (uint32_t i = 0; i < options->value_count; i++) {
        mix_text(hash, "bind", options->values[i].input);
        for (uint32_t k = 0; k < options->values[i].count; k++) {
            char number[40];
            (void)snprintf(number, sizeof number, "%.17g", options->values[i].numbers[k]);
            mix_text(hash, "value", number);
        }
    }
}

bool find_fingerprint(const struct run *run, char *out)
{
    const struct options *options = run->options;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    mix_text(&hash, "version", npart_version());
    for (int i = 0; i < options->target_count; i++)
        mix_text(&hash, "target", options->labels[i]);
    mix_text(&hash, "runtime", options->runtime);
    mix_text(&hash, "partitioner", options->partitioner);
    mix_text(&hash, "gates", options->gates);
    mix_number(&hash, "level", options->level);
    mix_number(&hash, "advice", !options->skips_advice);
    mix_number(&hash, "sustained", options->is_sustained);
    mix_number(&hash, "ram", (long long)options->ram_bytes);
    mix_text(&hash, "class", options->device_class);
    mix_number(&hash, "prompt", (long long)options->prompt_tokens);
    mix_number(&hash, "detail", run->report.detail);
    mix_number(&hash, "keep", (long long)options->keep_bytes);
    mix_sizes(&hash, options);
    for (uint32_t i = 0; i < options->assumption_count; i++) {
        mix_text(&hash, "assume", options->assumptions[i].op);
        mix_text(&hash, "node", options->assumptions[i].node);
        mix_number(&hash, "npu", options->assumptions[i].on_npu);
    }
    for (uint32_t i = 0; i < options->cut_count; i++)
        mix_text(&hash, "cut", options->cuts[i]);
    for (size_t i = 0; i < options->limit_count; i++) {
        mix_text(&hash, "limit", options->limits[i].name);
        mix_number(&hash, "value", (long long)options->limits[i].value);
    }
    (void)snprintf(out, FINGERPRINT_BYTES, "%016llx", (unsigned long long)hash);
    if (!mix_file(&hash, "oplist", options->oplist) || !mix_file(&hash, "cost", options->cost))
        return false;
    (void)snprintf(out, FINGERPRINT_BYTES, "%016llx", (unsigned long long)hash);
    return true;
}

/* ---- lines -------------------------------------------------------------------------------------------------- */

static npart_status analyze(const struct run *run, const char *fingerprint, const char *path, bool *is_dim_found,
                            struct text *text, struct npart_error *error)
{
    const struct options *options = run->options;
    struct job job = {0};
    bool is_missing[MOST_DIMS] = {false};
    npart_status status = read_model(&job.model, options, path, error);
    if (status == NPART_OK)
        status = infer(&job.inference, job.model, options, is_missing, error);
    for (uint32_t i = 0; status == NPART_OK && i < options->dim_count; i++)
        is_dim_found[i] |= !is_missing[i];
    if (status == NPART_OK)
        status = job_plan(run, &job, !options->skips_advice, error);
    struct npart_subject subject = {.size = sizeof subject,
                                    .kind = NPART_SUBJECT_PLANS,
                                    .plans = job.pairs,
                                    .count = (size_t)options->target_count,
                                    .made_with = fingerprint};
    if (status == NPART_OK)
        status = npart_report(&subject, NPART_FORMAT_JSON, &run->report, text_write, text, error);
    job_free(&job);
    return status;
}

/* The file may have changed since it was found. NULL: it is to be read. */
static const char *look_at(const struct options *options, const char *path, struct npart_error *why)
{
    struct npart__file_status file = {.bytes = 0};
    if (!find_file(path, NULL, &file) && npart__path_kind(path, true) != NPART__PATH_NOTHING) {
        (void)snprintf(why->message, sizeof why->message, "not a regular file");
        return "read";
    }
    if (!options->max_bytes || file.bytes <= options->max_bytes) /* what is not there, reading tells */
        return NULL;
    (void)snprintf(why->message, sizeof why->message, "%llu bytes, more than --max-bytes %llu",
                   (unsigned long long)file.bytes, (unsigned long long)options->max_bytes);
    return "max-bytes";
}

void make_line(const struct run *run, const char *fingerprint, const struct npart_file *model, bool *is_dim_found,
               struct npart_line *line)
{
    struct text text = {0};
    struct npart_error why = {.status = NPART_ERROR_READ};
    const char *code = model->code;
    if (code)
        (void)snprintf(why.message, sizeof why.message, "%s", model->problem);
    else
        code = look_at(run->options, model->path, &why);
    if (!code && analyze(run, fingerprint, model->path, is_dim_found, &text, &why) != NPART_OK) {
        if (text.has_failed)
            why = (struct npart_error){.status = NPART_ERROR_MEMORY, .message = "out of memory"};
        code = npart_failure_code(&why);
    }
    if (code) {
        const struct npart_subject subject = {.size = sizeof subject, .kind = NPART_SUBJECT_FAILURE,
                                              .model = model->path, .made_with = fingerprint, .why = &why,
                                              .code = code};
        text.count = 0;
        text.has_failed = false;
        text.has_failed = npart_report(&subject, NPART_FORMAT_JSON, NULL, text_write, &text, NULL) != NPART_OK;
    }
    if (text.has_failed)
        free(text.bytes);
    *line = (struct npart_line){text.has_failed ? NULL : text.bytes, text.has_failed ? 0 : text.count};
}
