/* SPDX-License-Identifier: Apache-2.0
 *
 * What members of results hold, and how they stand in JSON.
 */
#include "base/fields.h"

#include <stddef.h>

/* The tables, one a record, from include/records.table. */
#include "record_fields.h"

/* Readers of JSON take no larger integers. */
static struct npart__told count(bool is_known, uint64_t value)
{
    struct npart__told told = {.is = is_known ? NPART__TOLD_COUNT : NPART__TOLD_NULL};
    told.u.count = value > INT64_MAX ? INT64_MAX : (int64_t)value;
    return told;
}

static struct npart__told number(int64_t value)
{
    return (struct npart__told){.is = NPART__TOLD_COUNT, .u.count = value};
}

static struct npart__told real(bool is_known, double value)
{
    return (struct npart__told){.is = is_known ? NPART__TOLD_REAL : NPART__TOLD_NULL, .u.real = value};
}

static struct npart__told text(bool is_known, const char *value)
{
    return (struct npart__told){.is = is_known ? NPART__TOLD_TEXT : NPART__TOLD_NULL, .u.text = value};
}

/* The text of an expression, "64*batch*sequence". What is above 2^63 - 1 counts as not known, UINT64_MAX, which says
 * so, among it. */
static struct npart__told figure(const struct npart_figure *at)
{
    return at->text ? text(true, at->text) : count(at->value <= INT64_MAX, at->value);
}

static const char *word(const struct npart__field *field, const void *at)
{
    const char *const *words = field->more;
    return words[*(const unsigned *)at];
}

static struct npart__told flag(bool is_known, bool value)
{
    return (struct npart__told){.is = is_known ? NPART__TOLD_FLAG : NPART__TOLD_NULL, .u.flag = value};
}

/* A lower bound that is too large already does not fit, whatever the rest is; one that is not may or may not. */
static struct npart__told fits(const struct npart_bytes *bytes, uint64_t most)
{
    return flag(bytes->bytes > most || !bytes->is_partial, bytes->bytes <= most);
}

/* Members have the types that tools/generate/records.py gives them in the header; enums have the size of unsigned
 * with all compilers that there are. */
struct npart__told npart__tell(const struct npart__field *field, const void *record)
{
    const void *at = (const char *)record + field->at, *other = (const char *)record + field->other;
    switch ((enum npart__field_kind)field->kind) {
    case NPART__FIELD_COUNT:
        return number(*(const uint32_t *)at);
    case NPART__FIELD_ID:
        return count(*(const uint32_t *)at != NPART_NONE, *(const uint32_t *)at);
    case NPART__FIELD_SIZE:
        return count(true, *(const uint64_t *)at);
    case NPART__FIELD_SIZE_OR_NULL:
        return count(*(const bool *)other, *(const uint64_t *)at);
    case NPART__FIELD_SIZE_OR_0:
        return count(*(const uint64_t *)at != 0, *(const uint64_t *)at);
    case NPART__FIELD_NUMBER:
        return number(*(const int64_t *)at);
    case NPART__FIELD_INT:
        return number(*(const int *)at);
    case NPART__FIELD_REAL:
        return real(true, *(const double *)at);
    case NPART__FIELD_REAL_OR_NULL:
        return real(*(const double *)at >= 0, *(const double *)at);
    case NPART__FIELD_REAL_OR_0:
        return real(*(const double *)at > 0, *(const double *)at);
    case NPART__FIELD_SHARE:
        return real(*(const uint64_t *)other != 0, *(const double *)at);
    case NPART__FIELD_FLAG:
        return flag(true, *(const bool *)at);
    case NPART__FIELD_FIT:
        return flag(*(const enum npart_fit *)at != NPART_FIT_UNKNOWN, *(const enum npart_fit *)at == NPART_FIT_YES);
    case NPART__FIELD_FITS:
        return fits(at, *(const uint64_t *)other);
    case NPART__FIELD_TEXT:
        return text(true, *(const char *const *)at);
    case NPART__FIELD_TEXT_OR_NULL:
        return text(*(const char *const *)at && **(const char *const *)at, *(const char *const *)at);
    case NPART__FIELD_WORD:
        return text(true, word(field, at));
    case NPART__FIELD_WORD_OR_NULL:
        return text(*word(field, at), word(field, at));
    case NPART__FIELD_BYTES:
        return count(!((const struct npart_bytes *)at)->is_partial, ((const struct npart_bytes *)at)->bytes);
    case NPART__FIELD_FIGURE:
        return figure(at);
    default:
        return (struct npart__told){.is = NPART__TOLD_NULL};
    }
}

/* ---- JSON -------------------------------------------------------------------------------------------------- */

static void put_told(struct npart__buffer *out, struct npart__told told)
{
    switch (told.is) {
    case NPART__TOLD_NULL:
        npart__append(out, "null", 4);
        break;
    case NPART__TOLD_COUNT:
        npart__append_int64(out, told.u.count);
        break;
    case NPART__TOLD_REAL:
        npart__append_fixed(out, told.u.real, 6);
        break;
    case NPART__TOLD_FLAG:
        npart__append_text(out, told.u.flag ? "true" : "false");
        break;
    case NPART__TOLD_TEXT:
        npart__append_json_string(out, told.u.text, strlen(told.u.text));
        break;
    }
}

void npart__json_range(struct npart__buffer *out, const char *key, bool is_known, struct npart_cost_range value)
{
    if (!is_known || value.typical_ms < 0) {
        npart__json_value(out, key, "null");
        return;
    }
    npart__json_open(out, key, '[');
    npart__json_decimal_or_null(out, NULL, value.low_ms);
    npart__json_decimal_or_null(out, NULL, value.typical_ms);
    npart__json_decimal_or_null(out, NULL, value.high_ms);
    npart__json_close(out, ']');
}

void npart__json_texts(struct npart__buffer *out, const char *key, const char *const *texts, uint32_t count)
{
    NPART__JSON_LIST(out, key, i, i < count && texts[i])
        npart__json_text(out, NULL, texts[i]);
}

/* No blanks at the ends, so every piece is a word. */
static void put_words(struct npart__buffer *out, const char *words)
{
    npart__json_open(out, NULL, '[');
    while (*words) {
        size_t length = strcspn(words, " ");
        npart__json_string(out, NULL, words, length);
        words += length + (words[length] == ' ');
    }
    npart__json_close(out, ']');
}

static void put_pair(struct npart__buffer *out, uint32_t low, uint32_t high)
{
    npart__json_open(out, NULL, '[');
    npart__json_number(out, NULL, low);
    npart__json_number(out, NULL, high);
    npart__json_close(out, ']');
}

static void put_list(struct npart__buffer *out, const struct npart__field *field, const void *items, uint32_t count)
{
    const struct npart__field *fields = field->more, *end = fields;
    while (end->kind != NPART__FIELD_END)
        end++;
    npart__json_open(out, NULL, field->kind == NPART__FIELD_MAP ? '{' : '[');
    for (uint32_t i = 0; i < count; i++) {
        const void *item = field->kind == NPART__FIELD_REFS ? ((const void *const *)items)[i]
                                                            : (const char *)items + (size_t)i * end->at;
        if (field->kind == NPART__FIELD_MAP) {
            npart__json_name(out, npart__tell(&fields[0], item).u.text);
            put_told(out, npart__tell(&fields[1], item));
        } else {
            npart__put_fields(out, NULL, fields, item, i);
        }
    }
    npart__json_close(out, field->kind == NPART__FIELD_MAP ? '}' : ']');
}

/* With the comma that is due: none where the object has just been opened. */
static void put_field(struct npart__buffer *out, const struct npart__field *field, const void *record, uint32_t index)
{
    const void *at = (const char *)record + field->at, *other = (const char *)record + field->other;
    size_t skipped = out->size && out->data[out->size - 1] == '{';
    npart__append(out, field->key + skipped, field->length - skipped);
    switch ((enum npart__field_kind)field->kind) {
    case NPART__FIELD_INDEX:
        npart__append_int64(out, index);
        break;
    case NPART__FIELD_TEXTS_OR_NULL:
        if (!*(const char *const *const *)at) {
            npart__append(out, "null", 4);
            break;
        } /* fallthrough */
    case NPART__FIELD_TEXTS:
        npart__json_texts(out, NULL, *(const char *const *const *)at,
                          field->other ? *(const uint32_t *)other : UINT32_MAX);
        break;
    case NPART__FIELD_WORDS:
        put_words(out, *(const char *const *)at);
        break;
    case NPART__FIELD_RANGE:
    case NPART__FIELD_RANGE_OR_NULL:
        npart__json_range(out, NULL, field->kind == NPART__FIELD_RANGE || *(const bool *)other,
                          *(const struct npart_cost_range *)at);
        break;
    case NPART__FIELD_PAIR:
        put_pair(out, *(const uint32_t *)at, *(const uint32_t *)other);
        break;
    case NPART__FIELD_IDS:
        npart__json_ids(out, NULL, *(const uint32_t *const *)at, *(const uint32_t *)other);
        break;
    case NPART__FIELD_PART:
        npart__put_fields(out, NULL, field->more, at, 0);
        break;
    case NPART__FIELD_REF:
        npart__put_fields(out, NULL, field->more, *(const void *const *)at, 0);
        break;
    case NPART__FIELD_LIST:
    case NPART__FIELD_REFS:
    case NPART__FIELD_MAP:
        put_list(out, field, *(const void *const *)at, *(const uint32_t *)other);
        break;
    default:
        put_told(out, npart__tell(field, record));
        break;
    }
}

void npart__put_fields(struct npart__buffer *out, const char *key, const struct npart__field *fields, const void *at,
                       uint32_t index)
{
    npart__json_open(out, key, '{');
    for (; fields->kind != NPART__FIELD_END; fields++)
        put_field(out, fields, at, index);
    npart__json_close(out, '}');
}

struct npart__object npart__object_open(struct npart__buffer *out, const char *key, const struct npart__field *fields,
                                        const void *at, uint32_t index)
{
    npart__json_open(out, key, '{');
    return (struct npart__object){.out = out, .next = fields, .at = at, .index = index};
}

/* Of a key in the table `,"key":` what is between the quotes. */
static bool is_key(const struct npart__field *field, const char *key)
{
    size_t length = strlen(key);
    return field->length == length + 4 && memcmp(field->key + 2, key, length) == 0;
}

void npart__object_write(struct npart__object *object, const char *key)
{
    const struct npart__field *field = object->next;
    for (; field->kind != NPART__FIELD_END; field++)
        if (field->kind != NPART__FIELD_OWN)
            put_field(object->out, field, object->at, object->index);
        else if (key && is_key(field, key))
            break;
    NPART__ASSERT(!key || field->kind == NPART__FIELD_OWN, "%s is no own member that is left", key);
    object->next = field + (field->kind == NPART__FIELD_OWN);
}

void npart__object_close(struct npart__object *object)
{
    npart__object_write(object, NULL);
    npart__json_close(object->out, '}');
}
