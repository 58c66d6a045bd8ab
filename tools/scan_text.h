/* SPDX-License-Identifier: Apache-2.0
 *
 * A text that grows, and one as JSON has it.
 */
#ifndef TOOL_SCAN_TEXT_H
#define TOOL_SCAN_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* Begins with zeros; `bytes` is to be freed. */
struct text {
    char *bytes; /* no NUL at the end */
    size_t count, room;
    bool has_failed; /* out of memory: nothing more is added */
};

/* A write callback of the library's, whose payload is a text. */
bool text_write(void *payload, const char *bytes, size_t count);
void text_add(struct text *text, const char *more);

/* A text as JSON has it between quotes; to be freed; NULL: out of memory. Texts that differ in bytes which are no UTF-8
 * alone have one form. */
char *json_form(const char *text);

#endif
