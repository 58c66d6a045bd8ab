/* SPDX-License-Identifier: Apache-2.0
 *
 * base: results as JSON objects. What include/records.table says of a record is a table of its members, which one
 * walker writes. npart__put_NAME writes the record NAME. Where a record has members that the table calls `own`,
 * npart__open_NAME begins it, and what stands between them is written on the way from one to the next:
 *
 *     struct npart__object object = npart__open_crossing(out, NULL, &at);
 *     npart__json_text(out, npart__own(&object, "tensor"), name);
 *     npart__object_close(&object);
 */
#ifndef NPART_BASE_FIELDS_H
#define NPART_BASE_FIELDS_H

#include "base/json.h"
#include "npu_partition/compare.h"

/* As in records.table. OR_NULL and OR_0 are its `?` and `?0`; a PART is an object, of members of the same struct, or of
 * one that is a member. From OWN on they are no single values. At END stands the size of the struct. */
enum npart__field_kind {
    NPART__FIELD_END, NPART__FIELD_COUNT, NPART__FIELD_ID, NPART__FIELD_SIZE, NPART__FIELD_SIZE_OR_NULL,
    NPART__FIELD_SIZE_OR_0, NPART__FIELD_NUMBER, NPART__FIELD_INT, NPART__FIELD_REAL, NPART__FIELD_REAL_OR_NULL,
    NPART__FIELD_REAL_OR_0, NPART__FIELD_SHARE, NPART__FIELD_FLAG, NPART__FIELD_TEXT, NPART__FIELD_TEXT_OR_NULL,
    NPART__FIELD_WORD, NPART__FIELD_WORD_OR_NULL, NPART__FIELD_BYTES, NPART__FIELD_FIGURE, NPART__FIELD_FIT,
    NPART__FIELD_FITS,
    NPART__FIELD_OWN, NPART__FIELD_INDEX, NPART__FIELD_TEXTS, NPART__FIELD_TEXTS_OR_NULL, NPART__FIELD_WORDS,
    NPART__FIELD_RANGE, NPART__FIELD_RANGE_OR_NULL, NPART__FIELD_PAIR, NPART__FIELD_IDS, NPART__FIELD_PART,
    NPART__FIELD_REF, NPART__FIELD_LIST, NPART__FIELD_REFS, NPART__FIELD_MAP
};

/* A member: its key as it is written, with the comma before it and the colon after it. */
struct npart__field {
    const char *key;
    uint8_t length, kind;
    uint16_t at, other; /* where it lies in the struct, and where what it depends on does: a count, a flag */
    const void *more;   /* of a word all words; of a part, and what lists hold, its fields */
};

/* What a member holds, whatever the format. */
struct npart__told {
    enum { NPART__TOLD_NULL, NPART__TOLD_COUNT, NPART__TOLD_REAL, NPART__TOLD_FLAG, NPART__TOLD_TEXT } is;
    union {
        int64_t count;
        double real;
        bool flag;
        const char *text;
    } u;
};
struct npart__told npart__tell(const struct npart__field *field, const void *at);

/* An object whose members up to `next` are written. */
struct npart__object {
    struct npart__buffer *out;
    const struct npart__field *next;
    const void *at;
    uint32_t index;
};

/* `index`: of an INDEX among the members. */
void npart__put_fields(struct npart__buffer *out, const char *key, const struct npart__field *fields, const void *at,
                       uint32_t index);
struct npart__object npart__object_open(struct npart__buffer *out, const char *key, const struct npart__field *fields,
                                        const void *at, uint32_t index);
/* Writes what stands before the own member of this key; own ones that are passed over are left away. */
void npart__object_write(struct npart__object *object, const char *key);
/* The same, and hands back the key. */
static inline const char *npart__own(struct npart__object *object, const char *key)
{
    npart__object_write(object, key);
    return key;
}
/* Writes the rest. */
void npart__object_close(struct npart__object *object);

/* The members of a list, i = 0, 1, ... as long as there `is` one; not to be left before. */
#define NPART__JSON_LIST(out, key, i, is)                                                                             \
    for (uint32_t i = npart__json_list(out, key); (is) || npart__json_list_end(out); i++)
static inline uint32_t npart__json_list(struct npart__buffer *out, const char *key)
{
    npart__json_open(out, key, '[');
    return 0;
}
static inline bool npart__json_list_end(struct npart__buffer *out)
{
    npart__json_close(out, ']');
    return false;
}
/* A list of texts, which NULL ends where there are no more than `count`. */
void npart__json_texts(struct npart__buffer *out, const char *key, const char *const *texts, uint32_t count);
/* [low, typical, high], or null. */
void npart__json_range(struct npart__buffer *out, const char *key, bool is_known, struct npart_cost_range value);

#include "record_writers.h"

#endif
