/* SPDX-License-Identifier: Apache-2.0
 *
 * What there are reports of, what is checked of each, and which formats it has.
 */
#include <stdio.h>

#include "report/report.h"

/* ---- subjects ---------------------------------------------------------------------------------------------- */

/* Each takes what the subject is of, and finds the allocator of the report. */
static npart_status check_plans(struct npart__report *report, const struct npart_allocator **allocator,
                                struct npart_error *error)
{
    const struct npart_subject *subject = report->subject;
    if (!npart__makes_plans(report)) {
        npart_status status = npart__plans_check(subject->plans, subject->count, error);
        if (status != NPART_OK)
            return status;
    } else if (subject->count == 0) {
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "no plan to report");
    }
    if (!npart__turn_to_plan(report, 0))
        return report->status;
    *allocator = npart__allocator_of(report->pair.plan);
    return NPART_OK;
}

static npart_status check_node(struct npart__report *report, const struct npart_allocator **allocator,
                               struct npart_error *error)
{
    npart_status status = check_plans(report, allocator, error);
    if (status == NPART_OK && !report->subject->node)
        status = npart__fail(error, NPART_ERROR_ARGUMENT, "", "node must not be NULL");
    return status;
}

/* A search has at least one target, so its first plan is there. */
static npart_status check_fix(struct npart__report *report, const struct npart_allocator **allocator,
                              struct npart_error *error)
{
    if (!report->subject->fix)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "fix must not be NULL");
    *allocator = npart__allocator_of(npart_fix_plan(report->subject->fix, 0));
    return NPART_OK;
}

static npart_status check_tries(struct npart__report *report, const struct npart_allocator **allocator,
                                struct npart_error *error)
{
    const struct npart_subject *subject = report->subject;
    for (size_t i = 0; subject->tries && i < subject->count; i++)
        if (subject->tries[i].fix) {
            *allocator = npart__allocator_of(npart_fix_plan(subject->tries[i].fix, 0));
            return NPART_OK;
        }
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "tries must have a fix at least");
}

/* Of what tells its allocator itself. */
#define CHECKS(kind)                                                                                                   \
    static npart_status check_##kind(struct npart__report *report, const struct npart_allocator **allocator,           \
                                     struct npart_error *error)                                                        \
    {                                                                                                                  \
        struct npart_##kind##_info info = {.size = sizeof info};                                                       \
        if (!npart_##kind##_info(report->subject->kind, &info))                                                        \
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", #kind " must not be NULL");                            \
        *allocator = info.allocator;                                                                                   \
        return NPART_OK;                                                                                               \
    }
CHECKS(losses)
CHECKS(placement)
CHECKS(inference)

static npart_status check_parts(struct npart__report *report, const struct npart_allocator **allocator,
                                struct npart_error *error)
{
    const struct npart_subject *subject = report->subject;
    npart_status status = npart__plans_check(subject->plans, subject->count, error);
    if (status == NPART_OK && (!subject->model || !subject->written))
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s must not be NULL",
                           subject->model ? "written" : "model");
    *allocator = status == NPART_OK ? npart__allocator_of(subject->plans[0].plan) : NULL;
    return status;
}

static npart_status check_failure(struct npart__report *report, const struct npart_allocator **allocator,
                                  struct npart_error *error)
{
    const struct npart_subject *subject = report->subject;
    *allocator = NULL;
    if (subject->model && subject->why)
        return NPART_OK;
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s must not be NULL", subject->model ? "why" : "model");
}

/* The first comparison gives the memory. */
static npart_status check_diffs(struct npart__report *report, const struct npart_allocator **allocator,
                                struct npart_error *error)
{
    struct npart_diff_info info = {.size = sizeof info};
    npart_status status = npart__diffs_check(report->subject->diffs, report->subject->count, error);
    if (status == NPART_OK && npart_diff_info(report->subject->diffs[0], &info))
        *allocator = info.allocator;
    return status;
}

/* ---- writers ----------------------------------------------------------------------------------------------- */

static bool write_on(void *payload, const char *text, size_t bytes)
{
    struct npart__buffer *out = payload;
    npart__append(out, text, bytes);
    return !out->failed;
}

/* A document of one model, by the name that the model has. */
static void write_document(struct npart__report *report)
{
    const struct npart_subject *subject = report->subject;
    const struct npart_document_options options = {
        .version = 1, .detail = report->options->detail, .allocator = &report->arena.allocator};
    struct npart_model_info model = {.size = sizeof model};
    npart_document *document;
    (void)npart_model_info(npart__asked_model(subject->plans[0].plan), &model);
    const struct npart_entry entry = {
        .version = 1, .path = model.name, .plans = subject->plans, .plan_count = subject->count};
    report->status =
        npart_document_start(&document, report->format, &options, write_on, &report->out, report->error);
    if (report->status != NPART_OK)
        return;
    report->status = npart_document_add(document, &entry, report->error);
    if (report->status == NPART_OK)
        report->status = npart_document_end(document, report->error);
    npart_document_free(document);
}

/* Text, JSON, and what documents are written in. */
enum {
    FORMATS = 2
#define DOCUMENT(format, writer) +1
#include "report/documents.def"
};

/* What there are reports of, and in which formats. To add one, add its writer here. */
static const struct subject {
    const char *noun;
    npart_status (*check)(struct npart__report *report, const struct npart_allocator **allocator,
                          struct npart_error *error);
    void (*writers[FORMATS])(struct npart__report *report);
} subjects[] = {
    [NPART_SUBJECT_PLANS] = {"plans", check_plans,
                             {[NPART_FORMAT_TEXT] = npart__plans_text,
                              [NPART_FORMAT_JSON] = npart__plans_json,
#define DOCUMENT(format, writer) [NPART_FORMAT_##format] = write_document,
#include "report/documents.def"
                             }},
    [NPART_SUBJECT_NODE] = {"a node", check_node, {[NPART_FORMAT_TEXT] = npart__node_text}},
    [NPART_SUBJECT_MODULES] = {"modules", check_plans, {[NPART_FORMAT_TEXT] = npart__modules_text}},
    [NPART_SUBJECT_SHAPES] = {"shapes", check_inference, {[NPART_FORMAT_JSON] = npart__shapes_json}},
    [NPART_SUBJECT_WORK] = {"work", check_inference, {[NPART_FORMAT_JSON] = npart__shapes_json}},
    [NPART_SUBJECT_FIX] = {"a fix", check_fix,
                           {[NPART_FORMAT_TEXT] = npart__fix_text, [NPART_FORMAT_JSON] = npart__fix_json}},
    [NPART_SUBJECT_DIFFS] = {"comparisons", check_diffs,
                             {[NPART_FORMAT_TEXT] = npart__diffs_text,
                              [NPART_FORMAT_MARKDOWN] = npart__diffs_markdown,
                              [NPART_FORMAT_JSON] = npart__diffs_json}},
    [NPART_SUBJECT_PLACEMENT] = {"a placement", check_placement,
                                 {[NPART_FORMAT_TEXT] = npart__placement_text,
                                  [NPART_FORMAT_JSON] = npart__placement_json}},
    [NPART_SUBJECT_LOSSES] = {"losses", check_losses,
                              {[NPART_FORMAT_TEXT] = npart__losses_text,
                               [NPART_FORMAT_JSON] = npart__losses_json,
                               [NPART_FORMAT_CSV] = npart__losses_csv,
                               [NPART_FORMAT_SVG] = npart__losses_svg}},
    [NPART_SUBJECT_PARTS] = {"parts", check_parts,
                             {[NPART_FORMAT_TEXT] = npart__parts_text, [NPART_FORMAT_JSON] = npart__parts_json}},
    [NPART_SUBJECT_FAILURE] = {"a failure", check_failure, {[NPART_FORMAT_JSON] = npart__failure_json}},
    [NPART_SUBJECT_TRIES] = {"sizes of a cache", check_tries,
                             {[NPART_FORMAT_TEXT] = npart__tries_text, [NPART_FORMAT_JSON] = npart__tries_json}},
};

/* Says which formats there are instead. */
static npart_status fail_format(const struct subject *subject, enum npart_format format, struct npart_error *error)
{
    char there[120] = "";
    for (size_t i = 0; i < FORMATS; i++)
        if (subject->writers[i])
            (void)snprintf(there + strlen(there), sizeof there - strlen(there), "%s%s", *there ? ", " : "",
                           npart_format_text((enum npart_format)i));
    return npart__fail(error, NPART_ERROR_ARGUMENT, "", "no report of %s is %s; there is %s", subject->noun,
                       (size_t)format < FORMATS ? npart_format_text(format) : "of such a format", there);
}

/* The buffers have some room from the start, as getters write into them before anything is reserved. */
npart_status npart_report(const struct npart_subject *subject, enum npart_format format,
                          const struct npart_report_options *options, npart_write_callback write, void *payload,
                          struct npart_error *error)
{
    static const struct npart_report_options defaults = NPART_REPORT_OPTIONS_INIT;
    const struct npart_allocator *allocator = NULL;
    struct npart__report report = {
        .subject = subject, .format = format, .options = options ? options : &defaults, .error = error};
    if (!subject || !write)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s must not be NULL", subject ? "write" : "subject");
    if (subject->size != sizeof *subject || (size_t)subject->kind >= NPART__COUNT(subjects))
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the subject has a size or kind that is not known");
    if (report.options->version != 1 && report.options->version != 2)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "report options have version %u; this library knows 1 to 2",
                           report.options->version);
    const struct subject *row = &subjects[subject->kind];
    if ((size_t)format >= FORMATS || !row->writers[format])
        return fail_format(row, format, error);
    npart_status status = row->check(&report, &allocator, error);
    if (status != NPART_OK)
        return status;
    npart__buffer_open(&report.out, &report.arena, allocator, write, payload);
    npart__buffer_init(&report.scratch, &report.arena);
    npart__buffer_init(&report.plain, &report.arena);
    (void)npart__buffer_reserve(&report.scratch, 255);
    (void)npart__buffer_reserve(&report.plain, 255);
    row->writers[format](&report);
    status = npart__buffer_end(&report.out, write, payload, NPART_OK, report.status == NPART_OK ? error : NULL);
    return report.status == NPART_OK ? status : report.status;
}
