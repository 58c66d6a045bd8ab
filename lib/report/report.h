/* SPDX-License-Identifier: Apache-2.0
 *
 * report: plans as text and JSON. Both say the same; equal plans give equal bytes. Reports stand
 * on the public header alone, so whatever they print others can get as well: who wants another
 * format has these files as an example.
 * All reports work alike: they check their arguments, open a pool and a sheet, write from the
 * first line to the last, and close both. A failure in between is noted in the pool and told at
 * the end.
 */
#ifndef NPART_REPORT_H
#define NPART_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "npu_partition.h"

#if defined(__GNUC__)
#define NPART__FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define NPART__FORMAT(text, first)
#endif

#define NPART__LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* ---- memory ------------------------------------------------------------------------------------------------ */

/* What one report takes of the plan's allocator, given back together. Once anything has failed, all that is written is
 * swallowed, and the report fails at its end: so nothing has to be asked in between. */
struct npart__pool {
    struct npart_allocator allocator;
    struct npart__taken *taken; /* the last one first (sheet.c) */
    bool failed;  /* to get memory, to write, or to get from a getter what is needed */
    bool refused; /* by the caller's `write` */
};

/* `count` zeroed objects until the report ends; NULL when out of memory. */
void *npart__take(struct npart__pool *pool, size_t count, size_t item_bytes);
/* Gives back a pool that was for a part of a report; what has failed in it has failed in the one around it. Such a
 * pool is for what many plans or boxes need one after the other, so that the memory of a report does not grow with
 * their number. */
void npart__pool_end(struct npart__pool *pool, struct npart__pool *around);

/* ---- sheets ------------------------------------------------------------------------------------------------ */

/* Text that grows; that of a report goes to the caller from time to time. It belongs to a pool, and is closed by
 * whoever opened it: the pool's end alone gives back only what was taken or kept, not what sheets still hold. */
struct npart__sheet {
    struct npart__pool *pool;
    char *data;            /* NULL: no memory yet; moves when it grows; no NUL at its end until the text is asked for */
    size_t size, capacity; /* size is less than capacity, so that a NUL has room, unless the pool has failed */
    npart_write_callback write; /* NULL: everything is kept */
    void *payload;
};

#define NPART__SHEET_BYTES ((size_t)64 << 10) /* that are gathered before they are written */

void npart__sheet_open(struct npart__sheet *sheet, struct npart__pool *pool);
void npart__sheet_close(struct npart__sheet *sheet);
/* Makes room for so many bytes and a NUL after what is there. False when out of memory. */
bool npart__sheet_reserve(struct npart__sheet *sheet, size_t bytes);
/* The text so far, terminated; "" when nothing could be kept. It holds until something is added. */
const char *npart__sheet_text(struct npart__sheet *sheet);
/* The same, which then stays until the report ends, and an empty sheet. */
const char *npart__keep_text(struct npart__sheet *sheet);
/* In line, because a report is made of millions of short pieces. Room is asked for already where the text would
 * just fit, as a NUL must have room, too. A sheet without memory has a capacity of 0 and asks at once. */
static inline void npart__add(struct npart__sheet *sheet, const char *text, size_t length)
{
    if (length >= sheet->capacity - sheet->size && !npart__sheet_reserve(sheet, length))
        return;
    memcpy(sheet->data + sheet->size, text, length);
    sheet->size += length;
}
static inline void npart__add_text(struct npart__sheet *sheet, const char *text)
{
    npart__add(sheet, text, strlen(text));
}
/* printf's formats, but none for floating point: %f writes the point of the caller's locale (npart__add_decimal). A
 * text of 256 bytes and more is formatted twice. */
void npart__add_format(struct npart__sheet *sheet, const char *format, ...) NPART__FORMAT(2, 3);
void npart__add_number(struct npart__sheet *sheet, int64_t value);
/* `value` with exactly `decimals` (at most 6) digits after the point, the same in every locale; 0 for what is no
 * finite number. */
void npart__add_decimal(struct npart__sheet *sheet, double value, unsigned decimals);

/* ---- JSON -------------------------------------------------------------------------------------------------- */

/* A JSON string: quoted, escaped, and valid UTF-8 whatever the bytes are. */
void npart__add_json_string(struct npart__sheet *sheet, const char *text, size_t length);

/* A value with what stands before it: `{"key":` or a comma. "or null": where nothing is known, which is said. Keys
 * stand in the code, with their quotes and their colon, and are copied as they are; only values are escaped. */
void npart__add_json_text(struct npart__sheet *sheet, const char *key, const char *text);
/* NULL and "" are null. */
void npart__add_json_text_or_null(struct npart__sheet *sheet, const char *key, const char *text);
void npart__add_json_flag(struct npart__sheet *sheet, const char *key, bool value);
void npart__add_json_number(struct npart__sheet *sheet, const char *key, int64_t value);
/* At most 2^63 - 1, which is what readers of JSON take. */
void npart__add_json_count(struct npart__sheet *sheet, const char *key, uint64_t count);
void npart__add_json_count_or_null(struct npart__sheet *sheet, const char *key, bool is_known, uint64_t count);
/* Six digits after the point: microseconds in milliseconds. */
void npart__add_json_decimal(struct npart__sheet *sheet, const char *key, double value);
/* Below 0 is null. */
void npart__add_json_decimal_or_null(struct npart__sheet *sheet, const char *key, double value);
/* A verdict as JSON and CSV call it: "npu", "cpu", ... */
const char *npart__json_verdict(enum npart_verdict verdict);
/* NPART_NONE is null. */
void npart__add_json_id(struct npart__sheet *sheet, const char *key, uint32_t id);
void npart__add_json_ids(struct npart__sheet *sheet, const char *key, const uint32_t *list, uint32_t count);

/* For text that a getter writes: calls it again with more room until the whole fits.
 *
 *     while (npart__sheet_lacks(sheet, npart_inference_type_text(inference, value, NPART__ROOM(sheet))))
 *         continue;
 *
 * True while `length` bytes and a NUL have not fitted; then there is room for them, or the report has failed. What the
 * sheet held before is lost. A sheet without memory hands the getter NULL and 0, at which those that look for what was
 * found (npart_plan_reason, npart_plan_cause) look for nothing and say 0 bytes. So a sheet for these is opened with
 * some room. */
bool npart__sheet_lacks(struct npart__sheet *sheet, size_t length);
/* The two last arguments of every getter of text. Getters write a NUL after the text within that many bytes. */
#define NPART__ROOM(sheet) (sheet)->data, (sheet)->capacity

/* "1.2 MB" */
void npart__add_bytes(struct npart__sheet *sheet, uint64_t bytes);

/* ---- work -------------------------------------------------------------------------------------------------- */

/* work.c: what a node computes and moves, as a JSON object. */
void npart__add_work(struct npart__sheet *sheet, const struct npart_work *work);

/* ---- layouts ----------------------------------------------------------------------------------------------- */

/* layouts.c: why a tensor that is converted changes its layout: "the target computes node 3 (Conv) in NHWC; ...".
 * `scratch` is for what getters write. */
void npart__add_conversion(struct npart__sheet *sheet, struct npart__sheet *scratch, const npart_plan *plan,
                           uint32_t value, const struct npart_value_plan *at);

/* ---- JSON of parts -------------------------------------------------------------------------------------------- */

/* json_parts.c: a plan in numbers, as an object; a cause, with a comma before it unless it is the first. */
void npart__add_json_summary(struct npart__sheet *out, const struct npart_summary *at);
void npart__add_json_cause(struct npart__sheet *out, uint32_t id, const struct npart_cause *at);
/* json_roots.c: a comma, the key and its value. */
void npart__add_json_roots(struct npart__sheet *out, const npart_plan *plan);
/* json_precision.c: a comma, the key and its value. */
void npart__add_json_precision(struct npart__sheet *out, const npart_plan *plan);
/* json_memory.c: the same; of all nodes or as a summary. */
void npart__add_json_memory(struct npart__sheet *out, const npart_plan *plan, enum npart_detail detail);

/* shapes.c: the dims of a value: numbers, expressions as text, and null for what has no name; null without a rank. */
void npart__add_json_dims(struct npart__sheet *out, struct npart__sheet *scratch, const npart_inference *inference,
                          uint32_t id, const struct npart_value *value);
/* json_tensors.c: the list of all tensors of a plan; a node's inputs and outputs, as places in it. */
void npart__add_json_tensors(struct npart__sheet *out, struct npart__sheet *scratch, const npart_plan *plan);
void npart__add_json_operands(struct npart__sheet *out, const struct npart_node *node);
/* Whether nodes are told one by one. The values of npart_detail do not stand in the order of how much they tell
 * (TENSORS is the last one and tells most), so they are not compared by size. */
static inline bool npart__tells_nodes(enum npart_detail detail)
{
    return detail == NPART_DETAIL_NODES || detail == NPART_DETAIL_TENSORS;
}

/* ---- costs ------------------------------------------------------------------------------------------------- */

/* json_cost.c: {"low_ms": ..., "typical_ms": ..., "high_ms": ... without the closing brace. */
void npart__add_json_range(struct npart__sheet *out, const char *key, struct npart_cost_range value);
/* The member `cost` of a target. */
void npart__add_json_cost(struct npart__sheet *out, const struct npart_plan_pair *plans);

/* markdown.c: plain text (npart_plain_text) of which nothing is markup, a mention or a reference; none of it is NUL. */
void npart__add_markdown(struct npart__sheet *out, const char *text, size_t length);

/* diff.c: what reports of comparisons are given. */
npart_status npart__diff_check(const npart_diff *const *diffs, size_t count, npart_write_callback write,
                               struct npart_error *error);

/* ---- a report as a whole ----------------------------------------------------------------------------------- */

/* Checks what all reports are given; the plans must be of one model. `options` may be NULL, which are the defaults;
 * `advice` is not looked at, as every getter takes a NULL for it. */
npart_status npart__report_check(const struct npart_plan_pair *plans, size_t count,
                                 const struct npart_report_options *options, npart_write_callback write,
                                 struct npart_error *error);
/* Of all reports that take them; NULL is right. */
npart_status npart__report_check_options(const struct npart_report_options *options, struct npart_error *error);
/* The plan at `index`, which is asked for once: of the array, or as options->next makes it. `model` is that of the
 * plans before; NULL: there are none. */
npart_status npart__report_plan(const struct npart_plan_pair *plans, size_t index, const npart_model *model,
                                const struct npart_report_options *options, struct npart_plan_pair *out,
                                struct npart_error *error);
const struct npart_allocator *npart__allocator_of(const npart_plan *plan);
void npart__report_open(struct npart__pool *pool, struct npart__sheet *sheet, const struct npart_allocator *allocator,
                        npart_write_callback write, void *payload);
/* Hands on what is left, and gives all memory back. Other sheets must be closed before. */
npart_status npart__report_close(struct npart__pool *pool, struct npart__sheet *sheet, struct npart_error *error);
/* Whether all that was written so far is, or will be. WRITE where the caller's `write` has refused, which says more
 * than that memory ran out afterwards. */
npart_status npart__report_status(const struct npart__pool *pool, struct npart_error *error);
/* Fails for want of memory, or of the budget of the allocator. */
npart_status npart__report_shortage(const struct npart_allocator *allocator, struct npart_error *error);
/* Whether a getter that has a status failed for want of memory, or of a budget. */
static inline bool npart__is_shortage(npart_status status)
{
    return status == NPART_ERROR_MEMORY || status == NPART_ERROR_LIMIT || status == NPART_ERROR_TIMEOUT;
}
npart_status npart__report_fail(struct npart_error *error, npart_status status, const char *format, ...)
    NPART__FORMAT(3, 4);

#endif
