/* SPDX-License-Identifier: Apache-2.0
 *
 * Lines of text for a person, as wide as the terminal, 80 columns without one.
 */
#ifndef TOOL_PARAGRAPH_H
#define TOOL_PARAGRAPH_H

#include "npu_partition.h"
#include "scan_text.h"

/* SGR parameters of ECMA-48, as reports have them. */
#define PAINT_BOLD "1"
#define PAINT_RED "31"
#define PAINT_GREEN "32"
#define PAINT_YELLOW "33"

/* The columns of a line. */
unsigned width_of(const struct npart_report_options *look);
/* Text as it is; nothing but the text without colour, or where `code` is NULL. */
void add_painted(struct text *out, const struct npart_report_options *look, const char *code, const char *text);
/* A line: `lead`, a text of our own of ASCII, painted where there is a code; then the text as npart_plain_text shows
 * it. It is broken at blanks, and a word that is longer than a line anywhere; further lines begin below the first
 * character after the lead. Of more than `most` lines (0: any) the last ends in "...". */
void add_paragraph(struct text *out, const struct npart_report_options *look, const char *code, const char *lead,
                   const char *text, unsigned most);

#endif
