/* SPDX-License-Identifier: Apache-2.0
 *
 * Called by many threads: nothing here tells, waits for others, or changes what they share.
 */
#include "scan.h"

/* ---- the fingerprint ---------------------------------------------------------------------------------------- */

/* NULL: it was told that it cannot be read. */
static const char *read_file(const char *path, size_t *count)
{
    struct text text = {0};
    enum exit_status status;
    FILE *file = open_regular_file(path, ", and is read twice", &status);
    if (!file)
        return NULL;
    bool is_read = text_read(&text, file);
    if (!is_read)
        say("%s: %s", path, strerror(errno));
    (void)fclose(file);
    *count = text.count;
    return is_read ? text_kept(&text) : NULL;
}

bool find_fingerprint(const struct run *run, char *out)
{
    const struct options *options = run->options;
    struct npart_read_options read = read_options_of(options);
    struct npart_inference_options sizes = inference_options(options);
    struct npart_plan_options plan = plan_options(options);
    struct npart_scan_options scan = NPART_SCAN_OPTIONS_INIT;
    scan.labels = options->labels;
    scan.label_count = (uint32_t)options->target_count;
    scan.read = &read;
    scan.sizes = &sizes;
    scan.plan = &plan;
    scan.detail = run->report.detail;
    scan.skips_advice = options->skips_advice;
    scan.oplist = options->oplist ? read_file(options->oplist, &scan.oplist_bytes) : NULL;
    scan.cost = options->cost && !scan.oplist == !options->oplist ? read_file(options->cost, &scan.cost_bytes) : NULL;
    (void)npart_scan_fingerprint(&scan, out, NPART_FINGERPRINT_BYTES);
    return !scan.oplist == !options->oplist && !scan.cost == !options->cost;
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
