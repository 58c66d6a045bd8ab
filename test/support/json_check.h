/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a text JSON? RFC 8259 and nothing more: numbers as it writes them, no control characters, valid UTF-8, no key
 * twice in an object (but for keys with U+FFFD, which stands for bytes that are no text).
 */
#ifndef TEST_JSON_CHECK_H
#define TEST_JSON_CHECK_H

#include <stddef.h>

/* NULL when `text` is one JSON value with blanks around it, else what is wrong; *at is then the byte. */
const char *json_problem(const char *text, size_t bytes, size_t *at);

#endif
