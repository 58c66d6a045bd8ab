/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

bool wants_document(const struct options *options)
{
    return options->format >= FORMAT_SARIF && !options->is_quiet;
}

bool wants_page(const struct options *options)
{
    return options->format == FORMAT_HTML && !options->is_quiet;
}

static enum npart_format format_of(enum format format)
{
    return format == FORMAT_PNG ? NPART_FORMAT_DOT : (enum npart_format)format;
}

npart_status document_open(struct run *run, struct npart_error *error)
{
    struct npart_document_options options = NPART_DOCUMENT_OPTIONS_INIT;
    bool is_image = run->options->format == FORMAT_PNG;
    if (is_image && picture_open(run, error) != NPART_OK)
        return error->status;
    options.root = real_path("."); /* NULL: paths stay as they are */
    options.has_project = run->options->word && strcmp(run->options->word->name, "check") == 0;
    if (run->options->has_detail)
        options.detail = run->options->detail;
    else if (run->options->format == FORMAT_HTML)
        options.detail = NPART_DETAIL_TENSORS;
    return npart_document_start(&run->document, format_of(run->options->format), &options,
                                is_image ? picture_write : write_output, run, error);
}

static uint32_t take_outcomes(const struct npart_gate_outcome *found, uint32_t count, uint32_t plan,
                              struct npart_threshold_outcome *out)
{
    for (uint32_t i = 0; i < count; i++)
        out[i] = (struct npart_threshold_outcome){.size = sizeof *out, .plan = plan, .is_met = found[i].is_met,
                                                  .threshold = found[i].threshold, .text = found[i].text};
    return count;
}

npart_status document_add_job(struct run *run, const char *path, const struct job *job, struct npart_error *error)
{
    static struct npart_gate_outcome found[MOST_TARGETS + 1][NPART_MOST_OUTCOMES];
    static struct npart_threshold_outcome items[(MOST_TARGETS + 1) * NPART_MOST_OUTCOMES];
    const struct npart_thresholds *thresholds = &run->options->thresholds;
    uint32_t count = npart_inference_outcomes(job->inference, thresholds, found[MOST_TARGETS], NPART_MOST_OUTCOMES);
    count = take_outcomes(found[MOST_TARGETS], count, NPART_NONE, items);
    for (uint32_t i = 0; i < (uint32_t)run->options->target_count; i++) {
        uint32_t more = npart_plan_outcomes(job->plans[i], thresholds, found[i], NPART_MOST_OUTCOMES);
        count += take_outcomes(found[i], more, i, items + count);
    }
    return npart_document_add(run->document,
                              ENTRY(.path = path, .plans = job->pairs, .outcomes = items, .outcome_count = count,
                                    .plan_count = (size_t)run->options->target_count), error);
}

/* What is left to read of a part of a file. */
struct stretch {
    FILE *file;
    int64_t left;
};

static ptrdiff_t read_stretch(void *payload, void *into, size_t bytes)
{
    struct stretch *stretch = payload;
    size_t wanted = (uint64_t)stretch->left < bytes ? (size_t)stretch->left : bytes;
    size_t found = fread(into, 1, wanted, stretch->file);
    stretch->left -= (int64_t)found;
    return found < wanted ? -1 : (ptrdiff_t)found;
}

npart_status document_add_saved(struct run *run, const char *path, const struct sides *sides,
                                const struct npart_side *side, struct npart_error *error)
{
    struct stretch stretch = {.file = npart__stream_open(path, "rb")};
    uint64_t begin = 0, end = 0;
    npart_status status = NPART_ERROR_READ;
    bool is_there = stretch.file && npart_sides_place(sides->read, side, &begin, &end);
    (void)snprintf(error->message, sizeof error->message, "it cannot be read again");
    if (is_there && seek_stream(stretch.file, (int64_t)begin)) {
        stretch.left = (int64_t)(end - begin);
        status = npart_document_add_report(run->document, read_stretch, &stretch, error);
    }
    if (stretch.file)
        (void)fclose(stretch.file);
    return status;
}

void document_close(struct run *run)
{
    struct npart_error error = {0};
    npart_status status = run->document ? npart_document_end(run->document, &error) : NPART_OK;
    if (status == NPART_ERROR_MEMORY)
        tell_error("", &error);
    if (status != NPART_OK) /* what cannot be written is told when the output is closed, want of time as it is met */
        worsen(run, status_of(status));
    npart_document_free(run->document);
    run->document = NULL;
    picture_close(run, status == NPART_OK);
}
