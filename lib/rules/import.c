/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX Runtime's lists of operators as op lists: Markdown tables of its mobile helpers ("|ai.onnx:Conv|note|"), and
 * configurations of reduced builds ("ai.onnx;12,13;Add,Cast{...}").
 */
#include <stdlib.h>

#include "rules/parse.h"

struct imported {
    const char *domain, *name, *note;
};

struct importer {
    struct npart__arena *arena;
    struct NPART__ARRAY(struct imported) ops;
    bool failed;
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static const char *copy_trimmed(struct importer *importer, const char *text, size_t length)
{
    while (length && is_blank(text[0])) {
        text++;
        length--;
    }
    while (length && is_blank(text[length - 1]))
        length--;
    const char *copy = npart__arena_copy_text(importer->arena, text, length);
    importer->failed |= !copy;
    return copy ? copy : "";
}

/* A note as a sentence: quotes and backslashes would end it, and HTML's line breaks mean nothing in it. */
static const char *copy_note(struct importer *importer, const char *text, size_t length)
{
    static const char line_break[] = "<br/>";
    struct npart__buffer out;
    npart__buffer_init(&out, importer->arena);
    for (size_t i = 0; i < length; i++) {
        size_t skipped = sizeof line_break - 1;
        bool breaks = length - i >= skipped && memcmp(text + i, line_break, skipped) == 0;
        char c = text[i] == '"' ? '\'' : (unsigned char)text[i] < 0x20 || text[i] == '\\' ? ' ' : text[i];
        npart__append(&out, breaks ? " " : &c, 1);
        i += breaks ? skipped - 1 : 0;
    }
    importer->failed |= out.failed;
    return copy_trimmed(importer, npart__buffer_text(&out), out.size);
}

static void add_op(struct importer *importer, const char *domain, const char *name, const char *note)
{
    struct imported op = {.domain = strcmp(domain, "ai.onnx") == 0 ? "" : domain, .name = name, .note = note};
    if (*name)
        importer->failed |= !NPART__PUSH(importer->arena, &importer->ops, op);
}

/* |domain:Op|note| */
static void read_row(struct importer *importer, const char *line, size_t length)
{
    const char *second = memchr(line + 1, '|', length - 1);
    const char *colon = second ? memchr(line, ':', (size_t)(second - line)) : NULL;
    if (!colon || colon[1] == '-') /* the head of the table, or the line below it */
        return;
    const char *rest = second + 1, *third = memchr(rest, '|', (size_t)(line + length - rest));
    const char *domain = copy_trimmed(importer, line + 1, (size_t)(colon - line - 1));
    const char *name = copy_trimmed(importer, colon + 1, (size_t)(second - colon - 1));
    add_op(importer, domain, name,
           copy_note(importer, rest, third ? (size_t)(third - rest) : (size_t)(line + length - rest)));
}

/* domain;opsets;Op,Op{"inputs": {...}},... */
static void read_config_line(struct importer *importer, const char *line, size_t length)
{
    const char *end = line + length, *first = memchr(line, ';', length);
    const char *second = first ? memchr(first + 1, ';', (size_t)(end - first - 1)) : NULL;
    if (!second)
        return;
    const char *domain = copy_trimmed(importer, line, (size_t)(first - line));
    unsigned depth = 0;
    const char *start = second + 1, *brace = NULL;
    for (const char *at = start; at <= end; at++) {
        char c = at < end ? *at : ',';
        if (c == '{' && depth++ == 0)
            brace = at;
        if (c == '}' && depth)
            depth--;
        if (c != ',' || (depth && at < end))
            continue;
        const char *stop = brace ? brace : at;
        add_op(importer, domain, copy_trimmed(importer, start, (size_t)(stop - start)), "");
        start = at + 1;
        brace = NULL;
    }
}

static int compare_imported(const void *left, const void *right)
{
    const struct imported *a = left, *b = right;
    int order = strcmp(a->domain, b->domain);
    return order ? order : strcmp(a->name, b->name);
}

static void write_ops(const struct importer *importer, struct npart__buffer *out)
{
    for (uint32_t i = 0; i < importer->ops.count; i++) {
        const struct imported *op = &importer->ops.items[i];
        size_t count;
        if (i && compare_imported(op - 1, op) == 0)
            continue;
        bool is_standard = *op->domain == '\0' || strcmp(op->domain, "com.microsoft") == 0;
        bool is_known = !is_standard || npart__operator_versions(op->domain, op->name, &count);
        npart__append_text(out, is_known ? "op " : "# no operator of the standard: ");
        npart__append_text(out, op->domain);
        npart__append_text(out, *op->domain ? ":" : "");
        npart__append_text(out, op->name);
        npart__append_text(out, "\n");
        if (is_known && *op->note) {
            npart__append_text(out, "  note \"");
            npart__append_text(out, op->note);
            npart__append_text(out, "\"\n");
        }
    }
}

npart_status npart__import_oplist(const char *text, size_t bytes, const char *target, const char *from,
                                  struct npart__arena *arena, struct npart__buffer *out, struct npart_error *error)
{
    struct importer importer = {.arena = arena};
    for (size_t at = 0; at < bytes;) {
        const char *line = text + at, *newline = memchr(line, '\n', bytes - at);
        size_t length = newline ? (size_t)(newline - line) : bytes - at;
        at += length + 1;
        if (length && line[0] == '|')
            read_row(&importer, line, length);
        else if (length && line[0] != '#' && line[0] != '!')
            read_config_line(&importer, line, length);
    }
    if (!importer.failed && importer.ops.count == 0)
        return npart__fail(error, NPART_ERROR_OPLIST, "", "no operators: neither a table of |domain:Op|note| rows nor "
                                                          "lines of domain;opset;Op,Op");
    if (importer.ops.count)
        qsort(importer.ops.items, importer.ops.count, sizeof *importer.ops.items, compare_imported);
    npart__append_format(out, "format 1\ntarget %s \"imported from ", target);
    npart__append_text(out, copy_note(&importer, from, strlen(from)));
    npart__append_text(out, "\"\nstanding \"names of ops only; what else the target asks is not in the list it was "
                            "imported from\"\nsource \"");
    npart__append_text(out, copy_note(&importer, from, strlen(from)));
    npart__append_text(out, "\"\n\n");
    write_ops(&importer, out);
    return importer.failed ? npart__fail_memory(error) : NPART_OK;
}
