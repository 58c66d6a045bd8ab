/* SPDX-License-Identifier: Apache-2.0
 *
 * One page for a browser: the frame of web/, in which each report is a block of JSON that the page's script draws. A
 * block holds what the JSON report would print, streamed, with what could end the block written as an escape; the
 * page's policy allows no script but its own.
 */
#include "report/document.h"

#define PIECE_BYTES ((size_t)16 << 10) /* of the frame, and of what a caller reads, at a time */

/* ---- the frame --------------------------------------------------------------------------------------------- */

/* In pieces, so that the sheet stays at its size. A piece that is larger than what the sheet holds would make it
 * grow for good. */
static void add_frame(npart_document *document, const unsigned char *frame, size_t size)
{
    for (size_t at = 0; at < size; at += PIECE_BYTES)
        npart__add(&document->out, (const char *)frame + at, size - at < PIECE_BYTES ? size - at : PIECE_BYTES);
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
        npart__add(&document->out, text, (size_t)(next - text));
        npart__add_text(&document->out, "\\u003c");
        bytes -= (size_t)(next + 1 - text);
    }
    npart__add(&document->out, text, bytes);
    return !document->pool.failed;
}

static void begin_block(npart_document *document, const char *kind)
{
    add_head(document);
    npart__add_format(&document->out, "<script type=\"application/json\" class=\"npart-data\" data-kind=\"%s\">", kind);
}

static void end_block(npart_document *document)
{
    npart__add_text(&document->out, "</script>\n");
}

/* Of a report that was written there, and how that went: it takes memory of another allocator than the document's. */
static void end_report(npart_document *document, npart_status status, const struct npart_error *failure)
{
    if (status != NPART_OK)
        npart__document_fail(document, failure);
    end_block(document);
}

/* ---- models ------------------------------------------------------------------------------------------------ */

/* {"path", "text"} of a model that cannot be analyzed. */
static void add_error(npart_document *document, const struct npart_entry *entry)
{
    struct npart__sheet json, text;
    begin_block(document, "error");
    npart__sheet_open(&json, &document->pool);
    npart__sheet_open(&text, &document->pool);
    npart__add_format(&text, "%s%s%s", entry->error->place, *entry->error->place ? ": " : "", entry->error->message);
    npart__add_json_text(&json, "{\"path\":", entry->path);
    npart__add_json_text(&json, ",\"text\":", npart__sheet_text(&text));
    npart__add_text(&json, "}\n");
    (void)write_block(document, npart__sheet_text(&json), json.size);
    npart__sheet_close(&text);
    npart__sheet_close(&json);
    end_block(document);
}

/* {"path", "outcomes": [{"target", "threshold", "is_met", "text", "waiver"}]} */
static void add_outcomes(npart_document *document, const struct npart_entry *entry)
{
    struct npart__sheet json;
    if (!entry->outcome_count)
        return;
    begin_block(document, "outcomes");
    npart__sheet_open(&json, &document->pool);
    npart__add_json_text(&json, "{\"path\":", entry->path);
    npart__add_text(&json, ",\"outcomes\":[");
    for (size_t i = 0; i < entry->outcome_count; i++) {
        const struct npart_threshold_outcome *at = npart__outcome(entry, i);
        npart__add_json_id(&json, i ? ",{\"target\":" : "{\"target\":", at->plan);
        npart__add_json_text(&json, ",\"threshold\":", at->threshold);
        npart__add_json_flag(&json, ",\"is_met\":", at->is_met);
        npart__add_json_text(&json, ",\"text\":", at->text);
        npart__add_json_text_or_null(&json, ",\"waiver\":", at->waiver);
        npart__add_text(&json, "}");
    }
    npart__add_text(&json, "]}\n");
    (void)write_block(document, npart__sheet_text(&json), json.size);
    npart__sheet_close(&json);
    end_block(document);
}

static void add(npart_document *document, const struct npart_entry *entry)
{
    struct npart_error failure;
    struct npart_report_options options = NPART_REPORT_OPTIONS_INIT;
    options.detail = document->detail;
    if (entry->error) {
        add_error(document, entry);
    } else {
        begin_block(document, "report");
        npart_status status =
            npart_report_json(entry->plans, entry->plan_count, &options, write_block, document, &failure);
        end_report(document, status, &failure);
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
        return npart__report_fail(error, NPART_ERROR_ARGUMENT, "the document %s",
                                  document ? "has ended" : "must not be NULL");
    if (document->writer != &npart__html_writer)
        return npart__report_fail(error, NPART_ERROR_ARGUMENT, "the document's format must be HTML");
    return npart__document_status(document, error);
}

npart_status npart_document_add_diff(npart_document *document, const npart_diff *const *diffs, size_t count,
                                     struct npart_error *error)
{
    struct npart_error failure;
    npart_status status = check_page(document, error);
    if (status == NPART_OK)
        status = npart__diff_check(diffs, count, write_block, error);
    if (status != NPART_OK)
        return status;
    begin_block(document, "diff");
    status = npart_report_diff_json(diffs, count, write_block, document, &failure);
    end_report(document, status, &failure);
    return npart__document_status(document, error);
}

npart_status npart_document_add_fix(npart_document *document, const npart_fix *fix, const char *written,
                                    struct npart_error *error)
{
    struct npart_error failure;
    npart_status status = check_page(document, error);
    if (status == NPART_OK && !fix)
        status = npart__report_fail(error, NPART_ERROR_ARGUMENT, "fix must not be NULL");
    if (status != NPART_OK)
        return status;
    begin_block(document, "fix");
    status = npart_report_fix_json(fix, written, write_block, document, &failure);
    end_report(document, status, &failure);
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
        return npart__report_fail(error, NPART_ERROR_ARGUMENT, "read must not be NULL");
    char *piece = status == NPART_OK ? npart__take(&document->pool, PIECE_BYTES, 1) : NULL;
    if (!piece)
        return status == NPART_OK ? npart__document_status(document, error) : status;
    begin_block(document, "report");
    while ((bytes = read(payload, piece, PIECE_BYTES)) > 0 && write_block(document, piece, (size_t)bytes))
        continue;
    if (bytes < 0) {
        (void)npart__report_fail(&failure, NPART_ERROR_READ, "the report cannot be read");
        npart__document_fail(document, &failure);
    }
    end_block(document);
    return npart__document_status(document, error);
}
