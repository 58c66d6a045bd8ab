/* SPDX-License-Identifier: Apache-2.0
 *
 * ONNX Runtime's lists of operators as op lists: Markdown tables of its mobile helpers
 * ("|ai.onnx:Conv|note|"), and configurations of reduced builds ("ai.onnx;12,13;Add,Cast{...}").
 * What comes out is text, so that a person can go on editing it; it is read by the same parser
 * as any other list. Lines that are neither are passed over.
 */
#include <stdlib.h>

#include "oplist/parse.h"

/* Texts are trimmed copies; the domain is "" for ai.onnx. The note is "" where the source has none, as of
 * configurations. */
struct imported {
    const char *domain, *name, *note;
    uint32_t place; /* in the file */
};

struct importer {
    struct npart__arena *arena;
    struct NPART__ARRAY(struct imported) ops;
    bool failed; /* memory ran out somewhere, which is told at the end */
};

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

/* "" where memory has run out, so that the caller can go on and fail at the end. */
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

/* So that a line of the list stays under NPART__LIMIT_LINE_BYTES, all characters escaped. */
#define MOST_NAME_BYTES ((size_t)512)
#define MOST_NOTE_BYTES ((size_t)2048)

/* What stands in the note in place of a character that a sentence gives a meaning: quotes and backslashes would end it,
 * and a name in braces would be filled in. */
static char plain_character(char c)
{
    if ((unsigned char)c < 0x20 || c == '\\')
        return ' ';
    return c == '"' ? '\'' : c == '{' ? '(' : c == '}' ? ')' : c;
}

/* A note as a sentence, in which HTML's line breaks mean nothing. Twice bounded: what is read of the cell, and what it
 * is once hidden characters are escapes, which are longer. */
static const char *copy_note(struct importer *importer, const char *text, size_t length)
{
    static const char line_break[] = "<br/>";
    struct npart__buffer out, shown;
    npart__buffer_init(&out, importer->arena);
    npart__buffer_init(&shown, importer->arena);
    for (size_t i = 0; i < length && out.size < MOST_NOTE_BYTES; i++) {
        size_t skipped = sizeof line_break - 1;
        bool breaks = length - i >= skipped && memcmp(text + i, line_break, skipped) == 0;
        char c = breaks ? ' ' : plain_character(text[i]);
        npart__append(&out, &c, 1);
        i += breaks ? skipped - 1 : 0;
    }
    npart__append_plain(&shown, npart__buffer_text(&out), out.size);
    importer->failed |= out.failed || shown.failed;
    const char *note = npart__buffer_text(&shown);
    size_t fits = shown.size < MOST_NOTE_BYTES ? shown.size : MOST_NOTE_BYTES;
    while (fits && fits < shown.size && (((unsigned char)note[fits] & 0xc0) == 0x80 || note[fits - 1] == '\\'))
        fits--; /* no part of a character, and no half of an escape that would take in the closing quote */
    return copy_trimmed(importer, note, fits);
}

/* An empty name comes from a table's empty cell. */
static void add_op(struct importer *importer, const char *domain, const char *name, const char *note)
{
    struct imported op = {.domain = strcmp(domain, "ai.onnx") == 0 ? "" : domain, .name = name, .note = note,
                          .place = importer->ops.count};
    if (*name)
        importer->failed |= !NPART__PUSH(importer->arena, &importer->ops, op);
}

/* |domain:Op|note| A note runs to the third bar, or to the line's end where there is none. A cell without a colon
 * names no op. A bar within a note ends it: Markdown writes such a bar with a backslash, which is not looked for. */
static void read_row(struct importer *importer, const char *line, size_t length)
{
    const char *second = memchr(line + 1, '|', length - 1);
    const char *colon = second ? memchr(line, ':', (size_t)(second - line)) : NULL;
    /* Markdown: the first row is the columns' names, the second `|:---|`, which has a colon. */
    if (!colon || colon[1] == '-') /* the head of the table, or the line below it */
        return;
    const char *rest = second + 1, *third = memchr(rest, '|', (size_t)(line + length - rest));
    const char *domain = copy_trimmed(importer, line + 1, (size_t)(colon - line - 1));
    const char *name = copy_trimmed(importer, colon + 1, (size_t)(second - colon - 1));
    add_op(importer, domain, name,
           copy_note(importer, rest, third ? (size_t)(third - rest) : (size_t)(line + length - rest)));
}

/* domain;opsets;Op,Op{"inputs": {...}},... The part in braces says which types a build has, and
 * has commas of its own; it is left out, since a list of names is all that is promised. Versions
 * are left out, too. Braces may be nested; one that is never opened closes nothing. */
static void read_config_line(struct importer *importer, const char *line, size_t length)
{
    const char *end = line + length, *first = memchr(line, ';', length);
    /* Between the two semicolons are opsets, `12,13`, of which nothing is kept. */
    const char *second = first ? memchr(first + 1, ';', (size_t)(end - first - 1)) : NULL;
    if (!second)
        return;
    const char *domain = copy_trimmed(importer, line, (size_t)(first - line));
    unsigned depth = 0;
    const char *start = second + 1, *brace = NULL;
    for (const char *at = start; at <= end; at++) {
        /* The line's end closes the last name as a comma would, even in a brace that is never
         * closed. */
        char c = at < end ? *at : ',';
        if (c == '{' && depth++ == 0)
            brace = at;
        if (c == '}' && depth)
            depth--;
        if (c != ',' || (depth && at < end))
            continue;
        /* Of `Cast{...}` the name ends at the brace. */
        const char *stop = brace ? brace : at;
        add_op(importer, domain, copy_trimmed(importer, start, (size_t)(stop - start)), "");
        start = at + 1;
        brace = NULL;
    }
}

static bool is_same(const struct imported *a, const struct imported *b)
{
    return strcmp(a->domain, b->domain) == 0 && strcmp(a->name, b->name) == 0;
}

/* Sorted, so that equal names stand together and the list is the same however the source is
 * ordered. */
static int compare_imported(const void *left, const void *right)
{
    const struct imported *a = left, *b = right;
    int order = strcmp(a->domain, b->domain);
    if (order == 0)
        order = strcmp(a->name, b->name);
    return order ? order : a->place < b->place ? -1 : 1; /* of an op that is there twice the first counts */
}

/* What is no operator of the standard, or no name that a list can hold, becomes a comment; NULL:
 * neither. Names that a person could not read as they are (control characters, other directions
 * of writing) are none. */
static const char *objection(const struct imported *op, const char *whole)
{
    char shown[MOST_NAME_BYTES + 1];
    size_t count;
    npart__copy_plain(shown, sizeof shown, whole); /* in full only where all of it can be seen */
    bool is_standard = *op->domain == '\0' || strcmp(op->domain, "com.microsoft") == 0;
    if (!npart__is_word(whole) || strchr(op->name, ':') || strcmp(shown, whole) != 0)
        return "# not a name: \"";
    if (is_standard && !npart__operator_versions(op->domain, op->name, &count))
        return "# no operator of the standard: \"";
    return NULL;
}

/* An op of the list, with its note; or a comment that says what could not be taken over, so that
 * nothing is lost without a word. A name is cut in a comment only, never in an op. */
static void write_op(struct importer *importer, const struct imported *op, struct npart__buffer *out)
{
    const char *whole = npart__arena_format(importer->arena, "%s%s%s", op->domain, *op->domain ? ":" : "", op->name);
    if (!whole) {
        importer->failed = true;
        return;
    }
    const char *problem = objection(op, whole);
    size_t length = strlen(whole);
    npart__append_text(out, problem ? problem : "op ");
    if (problem)
        npart__append_plain(out, whole, length < MOST_NAME_BYTES ? length : MOST_NAME_BYTES);
    else
        npart__append(out, whole, length);
    npart__append_text(out, problem ? "\"\n" : "\n"); /* a comment that ends in a backslash would go on */
    if (!problem && *op->note) {
        npart__append_text(out, "  note \"");
        npart__append_text(out, op->note);
        npart__append_text(out, "\"\n");
    }
}

/* Of equal names the first is written, whatever notes the others have. Sorted before, so equal names are neighbours. */
static void write_ops(struct importer *importer, struct npart__buffer *out)
{
    for (uint32_t i = 0; i < importer->ops.count; i++) {
        const struct imported *op = &importer->ops.items[i];
        if (i == 0 || !is_same(op - 1, op))
            write_op(importer, op, out);
    }
}

/* A comment of the source begins with "#" or "!" and is passed over. The list's standing says
 * that it has names only: nothing in such a source says which configurations are taken. The whole is known to be
 * within the limit of a list before any of it is handed on (lib/api/oplist.c). */
npart_status npart__import_oplist(const char *text, size_t bytes, const char *target, const char *from,
                                  struct npart__arena *arena, struct npart__buffer *out, struct npart_error *error)
{
    struct importer importer = {.arena = arena};
    if (!npart__is_word(target) || strchr(target, ':') || strlen(target) > MOST_NAME_BYTES)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "\"%s\" cannot be the name of a target", target);
    for (size_t at = 0; at < bytes;) {
        const char *line = text + at, *newline = memchr(line, '\n', bytes - at);
        size_t length = newline ? (size_t)(newline - line) : bytes - at;
        /* One past the end after a last line without a newline, which ends the loop as well. */
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
    const char *source = copy_note(&importer, from, strlen(from));
    /* A title and a standing, so that reports of this target say where its list is from. */
    npart__append_format(out, "format 1\ntarget %s \"imported from %s\"\n", target, source);
    npart__append_text(out, "standing \"names of ops only; what else the target asks is not in the list it was "
                              "imported from\"\n");
    npart__append_format(out, "source \"%s\"\n\n", source);
    write_ops(&importer, out);
    if (importer.failed || out->failed)
        return npart__fail_memory(error);
    if (out->size > NPART__LIMIT_OPLIST_BYTES)
        return npart__fail(error, NPART_ERROR_OPLIST, "", "as an op list it is larger than %zu bytes",
                           NPART__LIMIT_OPLIST_BYTES);
    return NPART_OK;
}
