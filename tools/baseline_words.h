/* SPDX-License-Identifier: Apache-2.0
 *
 * A baseline in words: a line a model, target and toolchain, for who reviews it. It has all figures that decide. What a
 * comparison needs to name nodes stands in a cache beside it, which counts for lines that say the same, and may be
 * missing: then the words are compared.
 */
#ifndef TOOL_BASELINE_WORDS_H
#define TOOL_BASELINE_WORDS_H

#include <jansson.h>

#include "side.h"

#define BASELINE_CACHE ".cache" /* after the name of the baseline */
#define BASELINE_HEAD "# npu-partition baseline " /* the first line, before the version of its words */
/* Version 2 had no number of MACs, and no memory limits. */
#define BASELINE_VERSION 3
/* In which numbers of nodes are written, and the largest of three digits. */
#define BASELINE_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
#define BASELINE_NONE 262143u

/* By model, target and toolchain: of pointers to pointers to sides, for qsort. */
int compare_sides(const void *a, const void *b);
/* The line of a side in words of a version, without its end; to be freed. NULL: out of memory. */
char *make_words(const struct npart_side *side, int version);
/* What a line says as a document that a side is made of, without nodes; NULL: it is no such line, or out of memory. */
json_t *read_word_line(const char *line);
/* In which version the figures of a line are, whichever stands at the top of its file. */
int version_of_words(const char *line);
/* Whether the nodes of two sides are the same but for their names: "structure" of the line. */
bool is_same_structure(const char *line, const char *other);

#endif
