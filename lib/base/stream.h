/* SPDX-License-Identifier: Apache-2.0
 *
 * base: text that a caller's callback reads, byte by byte or line by line, in memory that does not grow with it; and
 * JSON as a tree, of a file that may hold anything.
 */
#ifndef NPART_BASE_STREAM_H
#define NPART_BASE_STREAM_H

#include "base/base.h"

/* ---- bytes and lines --------------------------------------------------------------------------------------- */

struct npart__stream {
    npart_read_callback read;
    void *payload;
    size_t at, size; /* of `bytes` */
    uint64_t before; /* bytes that were read before them */
    bool is_over, has_failed; /* has_failed: the callback said so */
    char bytes[(16u << 10) + 1]; /* the first is the last one of those before */
};

void npart__stream_init(struct npart__stream *input, npart_read_callback read, void *payload);
/* The next byte; -1 at the end. */
int npart__stream_byte(struct npart__stream *input);
/* Bytes that were taken so far. */
static inline uint64_t npart__stream_offset(const struct npart__stream *input)
{
    return input->before + input->at - 1;
}
/* The last byte that was taken is the next one again. Once between two bytes, and not at the end. */
void npart__stream_back(struct npart__stream *input);
/* The next byte that is no blank of JSON; -1 at the end. */
int npart__stream_after_blanks(struct npart__stream *input);
/* The same at the beginning of a text, after the byte order mark that spreadsheets and editors put there. */
int npart__stream_first(struct npart__stream *input);
/* A line with its end, or as much of it as fits, with a NUL; as fgets() has it. False at the end. */
bool npart__stream_line(struct npart__stream *input, char *line, size_t bytes);
/* An npart_read_callback of a text in memory, whose payload this is. */
struct npart__text_stream {
    const char *text;
    size_t bytes;
};
ptrdiff_t npart__read_text(void *payload, void *into, size_t bytes);

/* A number as strtod() reads it, with a point whatever the locale says, and the end that it tells. The text is changed
 * meanwhile. */
double npart__read_real(char *text, char **end);

/* Bytes of the UTF-8 character that a text begins with, which a NUL ends; 0: it begins with none. */
size_t npart__character_bytes(const char *text);

/* ---- JSON as a tree ---------------------------------------------------------------------------------------- */

enum npart__tree_kind {
    NPART__TREE_NULL, NPART__TREE_FALSE, NPART__TREE_TRUE, NPART__TREE_INTEGER, NPART__TREE_REAL, NPART__TREE_TEXT,
    NPART__TREE_LIST, NPART__TREE_OBJECT
};

struct npart__tree_member;
struct npart__tree {
    enum npart__tree_kind kind;
    uint32_t count; /* of a list, an object; bytes of a text */
    union {
        int64_t integer;
        double real;
        const char *text; /* valid UTF-8 without a NUL, and one after it */
        const struct npart__tree *items;
        const struct npart__tree_object *object;
    } is;
};

/* Members in the order of the file. */
struct npart__tree_object {
    const struct npart__tree_member *members;
    uint32_t *slots, slot_count; /* places of members + 1 by the hash of their keys; NULL where they are few */
    struct npart__hash_key key;
};
struct npart__tree_member {
    const char *key;
    uint32_t key_bytes;
    struct npart__tree value;
};

#define NPART__MOST_TREE_BYTES ((size_t)NPART_MOST_JSON_BYTES)

enum {
    NPART__TREE_GOES_ON = 1, /* something may follow the value */
    NPART__TREE_IS_STRICT = 2 /* no object has a key twice; else the last one counts */
};
/* Reads an object or a list. All of it lies in `arena`, which is for this value alone: past `most_bytes` of it the
 * value is given up. NULL: `problem` says why, in jansson's words ("'}' expected near end of file"). */
const struct npart__tree *npart__tree_read(struct npart__stream *input, struct npart__arena *arena, unsigned flags,
                                           size_t most_bytes, char *problem, size_t bytes);

/* Each takes NULL, and a value of another kind, for one that has nothing. */
const struct npart__tree *npart__tree_get(const struct npart__tree *object, const char *key);
/* NULL where there is no such member, or it is null, as tables have it for an empty field. */
const struct npart__tree *npart__tree_member(const struct npart__tree *object, const char *key);
/* A member that is a text; NULL: there is none. */
const char *npart__tree_text(const struct npart__tree *object, const char *key);
static inline bool npart__tree_is(const struct npart__tree *value, enum npart__tree_kind kind)
{
    return value && value->kind == kind;
}
static inline bool npart__is_list(const struct npart__tree *value)
{
    return npart__tree_is(value, NPART__TREE_LIST);
}
static inline bool npart__is_object(const struct npart__tree *value)
{
    return npart__tree_is(value, NPART__TREE_OBJECT);
}
static inline bool npart__is_string(const struct npart__tree *value)
{
    return npart__tree_is(value, NPART__TREE_TEXT);
}
static inline bool npart__is_integer(const struct npart__tree *value)
{
    return npart__tree_is(value, NPART__TREE_INTEGER);
}
static inline bool npart__tree_is_number(const struct npart__tree *value)
{
    return npart__tree_is(value, NPART__TREE_INTEGER) || npart__tree_is(value, NPART__TREE_REAL);
}
static inline const char *npart__tree_string(const struct npart__tree *value)
{
    return npart__tree_is(value, NPART__TREE_TEXT) ? value->is.text : NULL;
}
static inline int64_t npart__tree_integer(const struct npart__tree *value)
{
    return npart__tree_is(value, NPART__TREE_INTEGER) ? value->is.integer : 0;
}
static inline double npart__tree_number(const struct npart__tree *value)
{
    return npart__tree_is(value, NPART__TREE_REAL) ? value->is.real : (double)npart__tree_integer(value);
}
/* How many items a list has; 0 of what is none. */
static inline uint32_t npart__tree_count(const struct npart__tree *list)
{
    return npart__tree_is(list, NPART__TREE_LIST) ? list->count : 0;
}
static inline const struct npart__tree *npart__tree_at(const struct npart__tree *list, uint32_t index)
{
    return index < npart__tree_count(list) ? &list->is.items[index] : NULL;
}
/* Members of an object; 0 of what is none. */
static inline uint32_t npart__tree_members(const struct npart__tree *object)
{
    return npart__tree_is(object, NPART__TREE_OBJECT) ? object->count : 0;
}

#endif
