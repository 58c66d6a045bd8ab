/* SPDX-License-Identifier: Apache-2.0
 *
 * What is printed where a CI system reads it. Some take commands out of a job's log, and names in a log are a
 * stranger's. So while such a system runs the tool, no text that it would take for a command is printed, but those that
 * the tool means:
 *   - "##[" anywhere in a line, and "::" where a line begins: GitHub, Gitea and Forgejo (GITHUB_ACTIONS);
 *   - "##vso[": Azure Pipelines (TF_BUILD); "##teamcity[": TeamCity (TEAMCITY_VERSION).
 * All that goes to standard output and standard error is printed by these functions, and so are reports for --output,
 * as a job may print them later. What is not printed that way: models, baselines, images.
 */
#ifndef TOOL_PRINTED_H
#define TOOL_PRINTED_H

#include <stdbool.h>
#include <stdio.h>

/* How a character of a text is written so that a reader of the document has it back, and the log has it not. */
enum printed_form {
    PRINTED_TEXT,     /* shown: \x5b */
    PRINTED_COMMANDS, /* the same; lines that begin with "::" are the tool's own */
    PRINTED_JSON,     /* \u005b */
    PRINTED_MARKUP,   /* &#91; of XML, SVG and labels of DOT */
    PRINTED_BYTES     /* an image: nothing is a text */
};

/* Of a report, which goes to one stream. */
void begin_printing(enum printed_form form);
/* False, with errno, where it cannot be written. Texts for standard error are PRINTED_TEXT whatever has begun. */
bool print_bytes(FILE *stream, const char *text, size_t bytes);
/* The same of a text that is put together, of up to MESSAGE_BYTES; more is cut. What cannot be written is seen when the
 * stream is flushed. */
#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
void print_format(FILE *stream, const char *format, ...);
/* Before a line for standard error: what waits for standard output stands before it then, and what comes after it does
 * not go on in the middle of a line, where both go to one log. */
void print_waiting(void);

#endif
