/* SPDX-License-Identifier: Apache-2.0
 *
 * TOML 1.0, read into a tree. Nothing is printed; a document that is none says where and why.
 */
#ifndef NPART_GATE_TOML_H
#define NPART_GATE_TOML_H

#include "gate/gate.h"


enum npart__toml_kind {
    NPART__TOML_STRING,
    NPART__TOML_INTEGER,
    NPART__TOML_FLOAT,
    NPART__TOML_BOOLEAN,
    NPART__TOML_OFFSET_TIME, /* a date, a time of day and an offset */
    NPART__TOML_LOCAL_DATE_TIME,
    NPART__TOML_LOCAL_DATE,
    NPART__TOML_LOCAL_TIME,
    NPART__TOML_ARRAY,
    NPART__TOML_TABLE,
    NPART__TOML_KINDS
};

/* Of a date or a time only its own members count. */
struct npart__toml_time {
    int year, month, day, hour, minute, second, microsecond;
    int offset_minutes; /* east of UTC */
};

struct npart__toml {
    enum npart__toml_kind kind;
    const char *key; /* of an entry of a table, ends with a NUL; NULL in an array */
    size_t key_bytes;
    union {
        struct {
            const char *bytes; /* ends with a NUL, and may hold others */
            size_t count;
        } text;
        int64_t integer;
        double number;
        bool boolean;
        struct npart__toml_time time;
        struct {
            struct npart__toml *first, *last; /* in the order of the document */
            uint32_t count;
        } members; /* of an array or table */
    } as;
    const struct npart__toml *next; /* in the same array or table */
    uint32_t at, key_at;           /* bytes from the start of the document, see npart__toml_place */
};

struct npart__toml_document;

struct npart__toml_problem {
    uint32_t line, column; /* from 1; a column is a character */
    char text[256];
};

/* Reads a whole document into an arena. NULL, with the first problem, when it is none, is past a limit, or memory runs
 * out, as the arena says; where nothing is known of the place its line is 0. */
const struct npart__toml_document *npart__toml_read(struct npart__arena *arena, const char *bytes, size_t count,
                                                    struct npart__toml_problem *problem);

/* The table of everything. */
const struct npart__toml *npart__toml_root(const struct npart__toml_document *document);
/* NULL: there is none. */
const struct npart__toml *npart__toml_find(const struct npart__toml *table, const char *key);
/* Line and column of a value's `at` or `key_at`. */
void npart__toml_place(const struct npart__toml_document *document, uint32_t at, uint32_t *line, uint32_t *column);
/* "a string", "an array". */
const char *npart__toml_kind_text(enum npart__toml_kind kind);

#endif
