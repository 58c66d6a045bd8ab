/* SPDX-License-Identifier: Apache-2.0
 *
 * How much memory jansson may take while a file is read, which may hold anything.
 */
#ifndef TOOL_JSON_MEMORY_H
#define TOOL_JSON_MEMORY_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#define MOST_JSON_BYTES ((size_t)64 << 20) /* of memory that one value takes: an event, a record, a table */

/* From here on there is the limit; to be ended once all values are given back. What is written has none. */
void begin_json_limit(void);
void begin_json_limit_of(size_t bytes);
void end_json_limit(void);
/* Whether memory was wanting, and not the limit, since the last one began. */
bool json_lacked_memory(void);
/* A text that is one value, in which keys may repeat: two names of a model may differ in bytes that are no UTF-8 alone.
 * NULL: it is none, or memory ended. Within the limit. */
json_t *read_json_text(const char *text, size_t bytes, bool *has_memory);
/* The next value of a stream, which goes on after it. NULL: `problem` says why. */
json_t *read_json_value(FILE *file, char *problem, size_t bytes);
/* The next byte that is no blank; EOF at the end. */
int next_json_byte(FILE *file);
/* The same at the beginning of a text, after the byte order mark that spreadsheets and editors put there. */
int first_text_byte(FILE *file);
/* NULL where there is no such member, or it is null, as tables have it for an empty field. */
const json_t *json_member(const json_t *object, const char *key);
/* A member that is a text; NULL: there is none. */
const char *json_text(const json_t *object, const char *key);
/* By cause the place of the first item of a list that has it among its "causes". */
struct by_cause {
    size_t *places, count; /* `places` is to be freed; NULL: out of memory */
};
/* Of the causes of these roots, whose ids run from 0: where they are among `items`. */
struct by_cause find_by_cause(const json_t *roots, const json_t *items);
/* SIZE_MAX: no item has the cause. */
size_t place_of_cause(const struct by_cause *found, const json_t *cause);
/* Adds the toolchain to the names of targets that differ in it alone, as results of many models have no more than the
 * name: "intel-npu:4000@openvino 2026.4.1". False: out of memory. */
bool name_toolchains(json_t *document);
/* Whether a report says that ONNX Runtime does not load its model. */
bool is_invalid_model(const json_t *document);

#endif
