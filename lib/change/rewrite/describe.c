/* SPDX-License-Identifier: Apache-2.0
 *
 * The table of rewrites, for people: npart_rewrites_describe.
 */
#include "api/api.h"
#include "rewrite/rewrite.h"

/* Ops that are told by name; what computes may suit very many. */
#define MOST_OPS 6u

/* "bits, ulp": of the rewrite and of its forms, each once, in the order of the enumeration. */
static void append_classes(const struct npart__rewrite *row, struct npart__buffer *out)
{
    unsigned classes = npart__rewrite_classes(row);
    const char *divider = "";
    for (unsigned i = 0; npart__equality_words[i]; i++) {
        if (!(classes >> i & 1))
            continue;
        npart__append_format(out, "%s%s", divider, npart__equality_words[i]);
        divider = ", ";
    }
}

static void append_ops(const char *ops, struct npart__buffer *out)
{
    const char *end = ops + strlen(ops), *at;
    size_t length;
    uint32_t count = 0;
    while (npart__next_part(&ops, end, ' ', &at, &length))
        if (count++ < MOST_OPS)
            npart__append_format(out, "%s%.*s", count > 1 ? " " : "", (int)length, at);
    if (count > MOST_OPS)
        npart__append_format(out, " and %u more", count - MOST_OPS);
}

static void append_row(const struct npart__rewrite *row, struct npart__buffer *out)
{
    npart__append_format(out, "%-22s ", row->id);
    append_classes(row, out);
    npart__append_text(out, "; ");
    if (row->is_whole)
        npart__append_text(out, "the file as a whole");
    else if (strcmp(row->anchors, "*") == 0)
        npart__append_text(out, "any op");
    else
        append_ops(row->anchors, out);
    npart__append_format(out, "\n%22s %s\n", "", row->argument);
    if (*row->caveat)
        npart__append_format(out, "%22s But: %s\n", "", row->caveat);
}

npart_status npart_rewrites_describe(npart_write_callback write, void *payload, struct npart_error *error)
{
    struct npart__arena arena;
    struct npart__buffer text;
    struct npart__rewrite_set set;
    if (!write)
        return npart__fail_null("write", error);
    npart__buffer_open(&text, &arena, NULL, NULL, NULL);
    npart_status status = npart__rewrites_gather(&arena, &set, error);
    for (uint32_t i = 0; status == NPART_OK && i < set.count; i++)
        append_row(&set.rows[i], &text);
    return npart__buffer_end(&text, write, payload, status, error);
}
