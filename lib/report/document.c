/* SPDX-License-Identifier: Apache-2.0
 *
 * The handle of a document: what is checked of the caller's entries, and which format writes them. Memory and failures
 * work as in every report, but from npart_document_start to npart_document_end.
 */
#include "report/document.h"

#include <stddef.h>
#include <string.h>

/* ---- entries ----------------------------------------------------------------------------------------------- */

/* Of a struct that knows of no comparison. */
#define OUTCOME_BYTES_1 offsetof(struct npart_threshold_outcome, is_comparison)

/* The size is asked for before all else: members of a struct of another size cannot be read. An outcome of the
 * model has NPART_NONE for its plan, which is all that an entry without plans may have. */
static npart_status check_outcomes(const struct npart_entry *entry, struct npart_error *error)
{
    if (entry->outcome_count && !entry->outcomes)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "outcomes must not be NULL");
    for (size_t i = 0; i < entry->outcome_count; i++) {
        if (entry->outcomes->size != sizeof *entry->outcomes && entry->outcomes->size != OUTCOME_BYTES_1)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "outcomes have a size that is not known");
        const struct npart_threshold_outcome held = npart__outcome(entry, i), *at = &held;
        if (at->size != entry->outcomes->size || !at->threshold || !at->text)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "outcome %zu is incomplete", i);
        if (at->plan != NPART_NONE && at->plan >= entry->plan_count)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "outcome %zu is of plan %u, of %zu", i, at->plan,
                               entry->plan_count);
    }
    return NPART_OK;
}

/* All of it before the format writes a byte, as a wrong entry must leave the document as it was. An entry has
 * either an error or at least one plan, so formats need not ask for more; thresholds may be told of both. */
static npart_status check_entry(const struct npart_entry *entry, struct npart_error *error)
{
    if (!entry)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "entry must not be NULL");
    if (entry->version != 1)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "",
                           "the entry has version %u; this library knows 1 to 1", entry->version);
    if (!entry->path)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "an entry must have a path");
    if (entry->error && entry->plan_count)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "an entry has either plans or an error");
    npart_status status = NPART_OK;
    if (!entry->error)
        status = npart__plans_check(entry->plans, entry->plan_count, error);
    return status == NPART_OK ? check_outcomes(entry, error) : status;
}

/* ---- the handle -------------------------------------------------------------------------------------------- */

/* NULL for what is no format; a negative number becomes a large one. */
static const struct npart__writer *writer_of(enum npart_format format)
{
    static const struct npart__writer *const writers[] = {
#define DOCUMENT(format, writer) [NPART_FORMAT_##format] = &npart__##writer##_writer,
#include "report/documents.def"
    };
    size_t at = (size_t)format;
    return at < NPART__COUNT(writers) ? writers[at] : NULL;
}

/* A copy, as the options may go, without the separator at its end. Of "/" the empty text is left, in which every
 * absolute path lies (npart__relative). */
static void keep_root(npart_document *document, const char *root)
{
    struct npart__buffer copy = {.arena = &document->arena};
    size_t length = root ? strlen(root) : 0;
    if (!length)
        return;
    while (length && (root[length - 1] == '/' || root[length - 1] == '\\'))
        length--;
    npart__append(&copy, root, length);
    document->root = npart__keep_text(&copy);
}

npart_status npart_document_start(npart_document **out, enum npart_format format,
                                  const struct npart_document_options *options, npart_write_callback write,
                                  void *payload, struct npart_error *error)
{
    static const struct npart_document_options defaults = NPART_DOCUMENT_OPTIONS_INIT;
    const struct npart__writer *writer = writer_of(format);
    if (!out || !write)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s must not be NULL", out ? "write" : "out");
    if (options && options->version != 1 && options->version != 2)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "",
                           "document options have version %u; this library knows 1 to 2", options->version);
    if (!writer)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there is no format %d", (int)format);
    options = options ? options : &defaults;
    /* A document of models that cannot be read has no plan whose allocator it could take. */
    struct npart__arena standard;
    npart__arena_init(&standard, options->allocator);
    const struct npart_allocator *allocator = &standard.allocator;
    npart_document *document = allocator->allocate(allocator->payload, sizeof *document);
    if (!document)
        return npart__report_shortage(allocator, error);
    *document = (npart_document){.writer = writer, .detail = options->detail,
                                 .has_project = options->version >= 2 && options->has_project};
    npart__buffer_open(&document->out, &document->arena, allocator, write, payload);
    npart__buffer_init(&document->scratch, &document->arena);
    npart__buffer_init(&document->plain, &document->arena);
    /* A getter that is handed no memory looks for nothing that was found (npart_plan_cause), so the first one must
     * be handed some. */
    (void)npart__buffer_reserve(&document->scratch, 255);
    (void)npart__buffer_reserve(&document->plain, 255);
    keep_root(document, options->root);
    /* Even where keep_root has found no memory: what is added then is dropped, and the status below tells. */
    if (writer->begin)
        writer->begin(document);
    npart_status status = npart__report_status(&document->out, error);
    if (status != NPART_OK)
        npart_document_free(document);
    else
        *out = document;
    return status;
}

/* Getters take the memory of the plan's allocator, whose budget may be spent while the document has room; its time
 * counts for what the document itself does with the plan, too. */
static void note_budget(npart_document *document, const struct npart_entry *entry)
{
    for (size_t i = 0; i < entry->plan_count && !document->out.refused; i++) {
        npart_status status = document->arena.failed ? NPART_ERROR_MEMORY : NPART_OK;
        struct npart_error spent = {0};
        if (npart__settle(status, npart__allocator_of(entry->plans[i].plan), &spent) == status)
            continue;
        if (document->failure.status == NPART_OK)
            document->failure = spent;
        document->arena.failed = true;
        return;
    }
}

/* A document that has failed checks its entries still, adds nothing, and fails again. */
npart_status npart_document_add(npart_document *document, const struct npart_entry *entry, struct npart_error *error)
{
    if (!document || document->is_ended)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the document %s",
                           document ? "has ended" : "must not be NULL");
    npart_status status = check_entry(entry, error);
    if (status != NPART_OK)
        return status;
    if (!document->arena.failed) {
        document->advice = NULL; /* another may stand where that of an entry before stood */
        struct npart__budget *own = document->arena.budget;
        if (entry->plan_count)
            document->arena.budget = npart__budget_of(npart__allocator_of(entry->plans[0].plan));
        document->writer->add(document, entry);
        document->arena.budget = own;
        note_budget(document, entry);
    }
    return npart__document_status(document, error);
}

/* The memory is given back here already, but for the handle. */
static npart_status close(npart_document *document, struct npart_error *error)
{
    document->is_ended = true;
    if (document->writer->drop)
        document->writer->drop(document);
    npart__buffer_release(&document->scratch);
    npart__buffer_release(&document->plain);
    npart__buffer_flush(&document->out);
    npart__arena_clear(&document->arena);
    return npart__document_status(document, error);
}

/* Of a document that has failed nothing more is written, not even what closes it: a reader must not take it for
 * whole. */
npart_status npart_document_end(npart_document *document, struct npart_error *error)
{
    if (!document || document->is_ended)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the document %s",
                           document ? "has ended" : "must not be NULL");
    if (!document->arena.failed && document->writer->end)
        document->writer->end(document);
    return close(document, error);
}

void npart_document_free(npart_document *document)
{
    if (!document)
        return;
    struct npart_allocator allocator = document->arena.allocator; /* a copy: the arena lies in what is released */
    if (!document->is_ended) {
        document->arena.failed = true; /* nothing more is written */
        (void)close(document, NULL);
    }
    allocator.release(allocator.payload, document);
}
