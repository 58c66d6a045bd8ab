/* SPDX-License-Identifier: Apache-2.0
 *
 * Is a text what its format says? Each is NULL when it is, else what is wrong, with *at the byte. JSON:
 * support/json_check.h.
 */
#ifndef TEST_FUZZ_FORMATS_H
#define TEST_FUZZ_FORMATS_H

#include <stddef.h>

/* XML 1.0, without doctypes, comments and processing instructions but the first: tags that match, attributes in quotes,
 * the five entities and numbers, characters that XML has. */
const char *xml_problem(const char *text, size_t bytes, size_t *at);
/* RFC 4180: every record has as many fields as the first. */
const char *csv_problem(const char *text, size_t bytes, size_t *at);
/* Quotes and braces of Graphviz's language. */
const char *dot_problem(const char *text, size_t bytes, size_t *at);
/* A page whose scripts end where they should: as many </script as <script, and the page's end last. */
const char *page_problem(const char *text, size_t bytes, size_t *at);
/* Valid UTF-8 without control characters but the ends of lines. */
const char *text_problem(const char *text, size_t bytes, size_t *at);

#endif
