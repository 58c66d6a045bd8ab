/* SPDX-License-Identifier: Apache-2.0
 *
 * Documents: one report over many models, in a format that other programs read. A format is a file with three
 * functions; what they share stands here.
 */
#ifndef NPART_REPORT_DOCUMENT_H
#define NPART_REPORT_DOCUMENT_H

#include "report/report.h"

/* What a format does before the first model, for each, and after the last; NULL: nothing. */
struct npart__writer {
    void (*begin)(npart_document *document);
    void (*add)(npart_document *document, const struct npart_entry *entry);
    void (*end)(npart_document *document);
};

extern const struct npart__writer npart__csv_writer;

struct npart_document {
    const struct npart__writer *writer;
    struct npart__pool pool;      /* what is taken of it stays until the document ends */
    struct npart__sheet out;
    struct npart__sheet scratch;  /* what a getter writes */
    struct npart__sheet plain;    /* text from outside as it is shown */
    enum npart_detail detail;
    const char *root; /* without a slash at its end; NULL: there is none */
    bool is_ended;
    void *state;      /* the format's own */
};

/* An outcome by its place: all of an entry have the size of the first. */
const struct npart_threshold_outcome *npart__outcome(const struct npart_entry *entry, size_t index);
/* The text as npart_plain_text shows it, until the next call. */
const char *npart__plain_text(npart_document *document, const char *text);
/* The same for a text that is not terminated. */
const char *npart__plain_piece(npart_document *document, const char *text, size_t length);

#endif
