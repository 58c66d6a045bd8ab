/* SPDX-License-Identifier: Apache-2.0
 *
 * What the formats of documents share: text from outside, outcomes of an entry, and how a document fails.
 */
#include "report/document.h"

#include <string.h>

/* The getter says how long the whole is, so it is asked a second time only for a text that is longer than all
 * before it. */
const char *npart__plain_text(npart_document *document, const char *text)
{
    while (npart__buffer_lacks(&document->plain, npart_plain_text(text, NPART__ROOM(&document->plain))))
        continue;
    return npart__buffer_text(&document->plain);
}

/* U+FFFE and U+FFFF are no characters of XML 1.0. Of control characters none is left in plain text. All five
 * predefined entities are escaped, so that the same text may stand between tags and in an attribute with either
 * quotes; `>` for the sake of "]]>", which may not stand in text. What is no character becomes U+FFFD. */
void npart__add_xml(struct npart__buffer *out, const char *plain)
{
    static const char *const escapes[128] = {
        ['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;", ['\''] = "&apos;"};
    for (const char *at = plain; *at; at++) {
        unsigned char byte = (unsigned char)*at;
        if (byte < 128 && escapes[byte]) {
            npart__append_text(out, escapes[byte]);
        } else if (strncmp(at, "\xef\xbf\xbe", 3) == 0 || strncmp(at, "\xef\xbf\xbf", 3) == 0) {
            npart__append_text(out, "\xef\xbf\xbd");
            at += 2;
        } else {
            npart__append(out, at, 1);
        }
    }
}

/* The step is what the caller's compiler took the struct for, not the library's own size; check_outcomes takes but
 * one size as long as there is but one. */
struct npart_threshold_outcome npart__outcome(const struct npart_entry *entry, size_t index)
{
    const char *first = (const char *)entry->outcomes;
    struct npart_threshold_outcome outcome = {0};
    memcpy(&outcome, first + index * entry->outcomes->size, entry->outcomes->size);
    return outcome;
}

bool npart__is_accepted(const struct npart_entry *entry, size_t plan)
{
    bool is_set = false;
    for (size_t i = 0; i < entry->outcome_count; i++) {
        const struct npart_threshold_outcome held = npart__outcome(entry, i), *at = &held;
        if (at->plan != plan && at->plan != NPART_NONE)
            continue;
        is_set = true;
        if (!at->is_met && !at->waiver)
            return false;
    }
    return is_set;
}

bool npart__comparison(const struct npart_entry *entry, size_t plan, struct npart_threshold_outcome *out)
{
    for (size_t i = 0; i < entry->outcome_count; i++) {
        *out = npart__outcome(entry, i);
        if (out->is_comparison && out->plan == plan)
            return true;
    }
    return false;
}

/* A comparison that is waived accepts what is new, too. */
enum npart__news npart__news_of(const struct npart_entry *entry, size_t plan, uint32_t cause)
{
    struct npart_threshold_outcome comparison;
    if (!npart__comparison(entry, plan, &comparison))
        return npart__is_accepted(entry, plan) ? NPART__NEWS_ACCEPTED : NPART__NEWS_OPEN;
    for (uint32_t i = 0; i < comparison.cause_count; i++)
        if (comparison.causes[i] == cause)
            return comparison.is_met || comparison.waiver ? NPART__NEWS_ACCEPTED
                   : i == 0                               ? NPART__NEWS_TOLD
                                                          : NPART__NEWS_NEW;
    return NPART__NEWS_OLD;
}

npart_status npart__document_status(const npart_document *document, struct npart_error *error)
{
    if (document->failure.status == NPART_OK)
        return npart__report_status(&document->out, error);
    if (error)
        *error = document->failure;
    return document->failure.status;
}

void npart__document_fail(npart_document *document, const struct npart_error *failure)
{
    if (!document->arena.failed)
        document->failure = *failure;
    document->arena.failed = true;
}
