/* SPDX-License-Identifier: Apache-2.0
 *
 * base: JSON from the first byte to the last, without a tree in memory. Members are told by key and value, and commas
 * are put where they are due:
 *
 *     npart__json_open(out, NULL, '{');
 *     npart__json_text(out, "name", name);
 *     npart__json_open(out, "dims", '[');
 *     for (uint32_t i = 0; i < rank; i++)
 *         npart__json_number(out, NULL, dims[i]);
 *     npart__json_close(out, ']');
 *     npart__json_close(out, '}');
 *
 * Nothing is remembered between two calls but the text: a comma is due unless the last byte opens a list or an object,
 * ends a key or a line, or there is none. So parts of a report may be put together apart, and any function may go on
 * where another has stopped.
 */
#ifndef NPART_BASE_JSON_H
#define NPART_BASE_JSON_H

#include "base/base.h"

/* The comma that is due, and a key (NULL: none, as in a list, and where a key has just been written). Keys are the
 * code's own words, and copied as they are. In line, since most of a report are keys. */
static inline void npart__json_key(struct npart__buffer *out, const char *key)
{
    size_t length = key ? strlen(key) : 0;
    if (length + 4 >= out->capacity - out->size && !npart__buffer_reserve(out, length + 4))
        return;
    char *at = out->data + out->size, last = out->size ? at[-1] : '\n';
    if ((last | 0x20) != '{' && last != ':' && last != '\n') /* '[' and '{' differ by one bit */
        *at++ = ',';
    if (key) {
        *at++ = '"';
        memcpy(at, key, length);
        at += length;
        *at++ = '"';
        *at++ = ':';
    }
    out->size = (size_t)(at - out->data);
}

/* `bracket`: '{' or '['; '}' or ']'. */
static inline void npart__json_open(struct npart__buffer *out, const char *key, char bracket)
{
    npart__json_key(out, key);
    npart__append(out, &bracket, 1);
}
static inline void npart__json_close(struct npart__buffer *out, char bracket)
{
    npart__append(out, &bracket, 1);
}

/* A value that is JSON already. */
static inline void npart__json_value(struct npart__buffer *out, const char *key, const char *json)
{
    npart__json_key(out, key);
    npart__append_text(out, json);
}
/* A key that comes from outside. */
void npart__json_name(struct npart__buffer *out, const char *name);
/* A string: quoted, escaped, and valid UTF-8 whatever the bytes are. The second is without key and comma. */
void npart__json_string(struct npart__buffer *out, const char *key, const char *text, size_t length);
void npart__append_json_string(struct npart__buffer *out, const char *text, size_t length);
static inline void npart__json_text(struct npart__buffer *out, const char *key, const char *text)
{
    npart__json_string(out, key, text, strlen(text));
}
static inline void npart__json_number(struct npart__buffer *out, const char *key, int64_t value)
{
    npart__json_key(out, key);
    npart__append_int64(out, value);
}
static inline void npart__json_flag(struct npart__buffer *out, const char *key, bool value)
{
    npart__json_value(out, key, value ? "true" : "false");
}
/* Six digits after the point: microseconds in milliseconds. */
static inline void npart__json_decimal(struct npart__buffer *out, const char *key, double value)
{
    npart__json_key(out, key);
    npart__append_fixed(out, value, 6);
}
/* At most 2^63 - 1, which is what readers of JSON take. */
void npart__json_count(struct npart__buffer *out, const char *key, uint64_t count);

/* The same, or null where nothing is known: NULL and "", a decimal below 0, NPART_NONE. */
void npart__json_text_or_null(struct npart__buffer *out, const char *key, const char *text);
void npart__json_count_or_null(struct npart__buffer *out, const char *key, bool is_known, uint64_t count);
void npart__json_decimal_or_null(struct npart__buffer *out, const char *key, double value);
void npart__json_id(struct npart__buffer *out, const char *key, uint32_t id);
/* A list of such ids. */
void npart__json_ids(struct npart__buffer *out, const char *key, const uint32_t *list, uint32_t count);

#endif
