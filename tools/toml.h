/* SPDX-License-Identifier: Apache-2.0
 *
 * TOML 1.0, read into a tree. Nothing is printed; a document that is none says where and why.
 */
#ifndef TOOL_TOML_H
#define TOOL_TOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TOML_MOST_BYTES (1u << 20)
#define TOML_MOST_VALUES 16384u /* of a document: tables, arrays, and what stands in them */
#define TOML_MOST_DEPTH 64u     /* of tables and arrays in each other */

enum toml_kind {
    TOML_STRING,
    TOML_INTEGER,
    TOML_FLOAT,
    TOML_BOOLEAN,
    TOML_OFFSET_TIME, /* a date, a time of day and an offset */
    TOML_LOCAL_DATE_TIME,
    TOML_LOCAL_DATE,
    TOML_LOCAL_TIME,
    TOML_ARRAY,
    TOML_TABLE,
    TOML_KINDS
};

/* Of a date or a time only its own members count. */
struct toml_time {
    int year, month, day, hour, minute, second, microsecond;
    int offset_minutes; /* east of UTC */
};

struct toml_value {
    enum toml_kind kind;
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
        struct toml_time time;
        struct {
            struct toml_value *first, *last; /* in the order of the document */
            uint32_t count;
        } members; /* of an array or table */
    } as;
    const struct toml_value *next; /* in the same array or table */
    uint32_t at, key_at;           /* bytes from the start of the document, see toml_place */
};

struct toml_document;

struct toml_problem {
    uint32_t line, column; /* from 1; a column is a character */
    char text[256];
};

/* Reads a whole document. False, with the first problem, when it is none, is past a limit, or memory runs out; where
 * nothing is known of the place its line is 0. */
bool toml_read(struct toml_document **out, const char *bytes, size_t count, struct toml_problem *problem);
void toml_free(struct toml_document *document);

/* The table of everything. */
const struct toml_value *toml_root(const struct toml_document *document);
/* NULL: there is none. */
const struct toml_value *toml_find(const struct toml_value *table, const char *key);
/* Line and column of a value's `at` or `key_at`. */
void toml_place(const struct toml_document *document, uint32_t at, uint32_t *line, uint32_t *column);
/* "a string", "an array". */
const char *toml_kind_text(enum toml_kind kind);

#endif
