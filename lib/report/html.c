/* SPDX-License-Identifier: Apache-2.0
 *
 * One page for a browser: the frame of web/, in which each report is a block of JSON that the page's script draws. A
 * block holds what the JSON report would print, streamed, with what could end the block written as an escape; the
 * page's policy allows no script but its own.
 */
#include "report/document.h"

#define PIECE_BYTES ((size_t)16 << 10) /* of the frame, and of what a caller reads, at a time */

/* ---- the frame --------------------------------------------------------------------------------------------- */

/* In pieces, so that the buffer stays at its size. A piece that is larger than what the buffer holds would make it
 * grow for good. */
static void add_frame(npart_document *document, const unsigned char *frame, size_t size)
{
    for (size_t at = 0; at < size; at += PIECE_BYTES)
        npart__append(&document->out, (const char *)frame + at, size - at < PIECE_BYTES ? size - at : PIECE_BYTES);
}

/* With the first block: a document that is given up before has written nothing. A page without models has head and
 * tail all the same (`end`). */
static void add_head(npart_document *document)
{
    if (!document->has_head)
        add_frame(document, npart__html_head, npart__html_head_bytes);
    document->has_head = true;
}

static void end(npart_document *document)
{
    add_head(document);
    add_frame(document, npart__html_tail, npart__html_tail_bytes);
}

/* ---- blocks ------------------------------------------------------------------------------------------------ */

/* A npart_write_callback. '<', by which markup begins, stands in strings alone, where an escape means the same. HTML
 * ends a script at "</script", whatever its type, and "<!--" changes how its end is found: without '<' there is
 * neither. */
static bool write_block(void *payload, const char *text, size_t bytes)
{
    npart_document *document = payload;
    for (const char *next; (next = memchr(text, '<', bytes)) != NULL; text = next + 1) {
        npart__append(&document->out, text, (size_t)(next - text));
        npart__append_text(&document->out, "\\u003c");
        bytes -= (size_t)(next + 1 - text);
    }
    npart__append(&document->out, text, bytes);
    return !document->arena.failed;
}

static void begin_block(npart_document *document, const char *kind)
{
    add_head(document);
    npart__append_format(&document->out, "<script type=\"application/json\" class=\"npart-data\" data-kind=\"%s\">",
                         kind);
}

static void end_block(npart_document *document)
{
    npart__append_text(&document->out, "</script>\n");
}

/* It takes memory of another allocator than the document's, so how it went is told the document. */
static void add_report(npart_document *document, const char *kind, const struct npart_subject *subject)
{
    const struct npart_report_options options = {.version = 1, .detail = document->detail};
    struct npart_error failure;
    begin_block(document, kind);
    if (npart_report(subject, NPART_FORMAT_JSON, &options, write_block, document, &failure) != NPART_OK)
        npart__document_fail(document, &failure);
    end_block(document);
}

/* ---- models ------------------------------------------------------------------------------------------------ */

/* {"path", "text"} of a model that cannot be analyzed. */
static void add_error(npart_document *document, const struct npart_entry *entry)
{
    struct npart__buffer json, text;
    begin_block(document, "error");
    npart__buffer_init(&json, &document->arena);
    npart__buffer_init(&text, &document->arena);
    npart__append_format(&text, "%s%s%s", entry->error->place, *entry->error->place ? ": " : "", entry->error->message);
    npart__json_open(&json, NULL, '{');
    npart__json_text(&json, "path", entry->path);
    npart__json_text(&json, "text", npart__buffer_text(&text));
    npart__append_text(&json, "}\n");
    (void)write_block(document, npart__buffer_text(&json), json.size);
    npart__buffer_release(&text);
    npart__buffer_release(&json);
    end_block(document);
}

/* {"path", "outcomes": [{"target", "threshold", "is_met", "text", "waiver"}]} */
static void add_outcomes(npart_document *document, const struct npart_entry *entry)
{
    struct npart__buffer json = {.arena = &document->arena};
    if (!entry->outcome_count)
        return;
    begin_block(document, "outcomes");
    npart__json_open(&json, NULL, '{');
    npart__json_text(&json, "path", entry->path);
    NPART__JSON_LIST(&json, "outcomes", i, i < entry->outcome_count) {
        const struct npart_threshold_outcome held = npart__outcome(entry, i), *at = &held;
        npart__json_open(&json, NULL, '{');
        npart__json_id(&json, "target", at->plan);
        npart__json_text(&json, "threshold", at->threshold);
        npart__json_flag(&json, "is_met", at->is_met);
        npart__json_text(&json, "text", at->text);
        npart__json_text_or_null(&json, "waiver", at->waiver);
        npart__json_close(&json, '}');
    }
    npart__append_text(&json, "}\n");
    (void)write_block(document, npart__buffer_text(&json), json.size);
    npart__buffer_release(&json);
    end_block(document);
}

static void add(npart_document *document, const struct npart_entry *entry)
{
    if (entry->error) {
        add_error(document, entry);
    } else {
        struct npart_subject plans = {
            .size = sizeof plans, .kind = NPART_SUBJECT_PLANS, .plans = entry->plans, .count = entry->plan_count};
        add_report(document, "report", &plans);
    }
    add_outcomes(document, entry);
}

/* Nothing is held from one model to the next, so there is nothing to drop. */
const struct npart__writer npart__html_writer = {.add = add, .end = end};

/* ---- what pages alone have --------------------------------------------------------------------------------- */

/* Other formats have no place for what these functions add. A document that has failed fails again. */
static npart_status check_page(npart_document *document, struct npart_error *error)
{
    if (!document || document->is_ended)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the document %s",
                           document ? "has ended" : "must not be NULL");
    if (document->writer != &npart__html_writer)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the document's format must be HTML");
    return npart__document_status(document, error);
}

npart_status npart_document_add_diff(npart_document *document, const npart_diff *const *diffs, size_t count,
                                     struct npart_error *error)
{
    struct npart_subject changes = {
        .size = sizeof changes, .kind = NPART_SUBJECT_DIFFS, .diffs = diffs, .count = count};
    npart_status status = check_page(document, error);
    if (status == NPART_OK)
        status = npart__diffs_check(diffs, count, error);
    if (status != NPART_OK)
        return status;
    add_report(document, "diff", &changes);
    return npart__document_status(document, error);
}

npart_status npart_document_add_fix(npart_document *document, const npart_fix *fix, const char *written,
                                    struct npart_error *error)
{
    struct npart_subject found = {
        .size = sizeof found, .kind = NPART_SUBJECT_FIX, .fix = fix, .written = written};
    npart_status status = check_page(document, error);
    if (status == NPART_OK && !fix)
        status = npart__fail(error, NPART_ERROR_ARGUMENT, "", "fix must not be NULL");
    if (status != NPART_OK)
        return status;
    add_report(document, "fix", &found);
    return npart__document_status(document, error);
}

/* What is read is not looked at but for what could end the block: a page can be made of a report of any size, in
 * pieces. A reader that fails leaves half a report, so the document is lost. */
npart_status npart_document_add_report(npart_document *document, npart_read_callback read, void *payload,
                                       struct npart_error *error)
{
    struct npart_error failure;
    ptrdiff_t bytes;
    npart_status status = check_page(document, error);
    if (status == NPART_OK && !read)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "read must not be NULL");
    char *piece = status == NPART_OK ? npart__arena_zeroed(&document->arena, PIECE_BYTES, 1) : NULL;
    if (!piece)
        return status == NPART_OK ? npart__document_status(document, error) : status;
    begin_block(document, "report");
    while ((bytes = read(payload, piece, PIECE_BYTES)) > 0 && write_block(document, piece, (size_t)bytes))
        continue;
    if (bytes < 0) {
        (void)npart__fail(&failure, NPART_ERROR_READ, "", "the report cannot be read");
        npart__document_fail(document, &failure);
    }
    end_block(document);
    return npart__document_status(document, error);
}
