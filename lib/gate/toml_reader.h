/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files that read TOML: toml.c has tables and their rules, toml_value.c strings, numbers and dates.
 */
#ifndef NPART_GATE_TOML_READER_H
#define NPART_GATE_TOML_READER_H

#include "gate/toml.h"

/* One pass from front to back. Texts are decoded into one buffer: none is longer than where it is written, the quotes
 * or what follows a bare key leave room for the NUL. */
struct npart__toml_reader {
    const char *bytes; /* ends with a NUL */
    size_t count, at;
    char *text;
    size_t text_used;
    struct npart__toml_document *document;
    uint32_t section; /* of the heading or inline table that entries belong to now */
    struct npart__toml_problem *problem;
};

/* False; the first problem counts. */
bool npart__toml_fail(struct npart__toml_reader *reader, size_t at, const char *format, ...) NPART__PRINTF(3, 4);
/* "x", or U+0007 where it cannot be shown, of the character there; into `out` of at least 24 bytes. */
const char *npart__toml_show(const struct npart__toml_reader *reader, size_t at, char *out);

/* 1 or 2 bytes of a line's end there, or 0. */
size_t npart__toml_line_end(const struct npart__toml_reader *reader, size_t at);
/* A string in one of four kinds of quotes; in a key only those of one line. */
bool npart__toml_read_string(struct npart__toml_reader *reader, bool is_key, const char **out, size_t *count);
/* What stands without quotes or brackets: a number, a truth value, a date or time. */
bool npart__toml_read_scalar(struct npart__toml_reader *reader, struct npart__toml *value);

#endif
