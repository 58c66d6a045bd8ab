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

npart_status document_add(struct run *run, const char *path, const struct job *job,
                          const struct npart_threshold_outcome *outcomes, size_t count, struct npart_error *error)
{
    struct npart_entry entry = NPART_ENTRY_INIT;
    entry.path = path;
    entry.plans = job->pairs;
    entry.plan_count = (size_t)run->options->target_count;
    entry.outcomes = outcomes;
    entry.outcome_count = count;
    return run->document ? npart_document_add(run->document, &entry, error) : NPART_OK;
}

npart_status document_add_plans(struct run *run, const char *path, const struct npart_plan_pair *pairs, size_t count,
                                struct npart_error *error)
{
    struct npart_entry entry = NPART_ENTRY_INIT;
    entry.path = path;
    entry.plans = pairs;
    entry.plan_count = count;
    return npart_document_add(run->document, &entry, error);
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

npart_status document_add_error(struct run *run, const char *path, const struct npart_error *why,
                                struct npart_error *error)
{
    struct npart_entry entry = NPART_ENTRY_INIT;
    entry.path = path;
    entry.error = why;
    return run->document ? npart_document_add(run->document, &entry, error) : NPART_OK;
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

/* ---- outcomes ---------------------------------------------------------------------------------------------- */

static void append(struct outcome_list *list, const struct outcomes *found, uint32_t plan)
{
    for (uint32_t i = 0; i < found->count; i++) {
        const struct npart_gate_outcome *at = &found->items[i];
        list->items[list->count++] = (struct npart_threshold_outcome){.size = sizeof *list->items,
                                                                      .plan = plan,
                                                                      .is_met = at->is_met,
                                                                      .threshold = at->threshold,
                                                                      .text = at->text};
    }
}

bool list_outcomes(struct outcome_list *list, const struct options *options, const struct job *job)
{
    size_t targets = (size_t)options->target_count;
    *list = (struct outcome_list){.items = calloc((targets + 1) * NPART_MOST_OUTCOMES, sizeof *list->items),
                                  .found = calloc(targets + 1, sizeof *list->found)};
    if (!list->items || !list->found)
        return false;
    find_validity(&list->found[targets], options, job->inference);
    append(list, &list->found[targets], NPART_NONE);
    for (size_t i = 0; i < targets; i++) {
        find_outcomes(&list->found[i], options, job->plans[i]);
        append(list, &list->found[i], (uint32_t)i);
    }
    return true;
}

void free_outcomes(struct outcome_list *list)
{
    free(list->items);
    free(list->found);
    *list = (struct outcome_list){0};
}
