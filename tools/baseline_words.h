/* SPDX-License-Identifier: Apache-2.0
 *
 * A baseline in words: a line a model, target and toolchain, for who reviews it. What a comparison needs beyond that
 * stands in a cache beside it, which may be missing: then the words are compared.
 */
#ifndef TOOL_BASELINE_WORDS_H
#define TOOL_BASELINE_WORDS_H

#include <jansson.h>

#include "side.h"

#define BASELINE_CACHE ".cache" /* after the name of the baseline */
/* In which numbers of nodes are written, and the largest of three digits. */
#define BASELINE_DIGITS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
#define BASELINE_NONE 262143u

/* By model, target and toolchain: of pointers to pointers to sides, for qsort. */
int compare_sides(const void *a, const void *b);
/* The line of a side, without its end; to be freed. NULL: out of memory. */
char *make_words(const struct npart_side *side);
/* What a line says as a document that a side is made of, without costs and nodes; NULL: it is no such line, or out of
 * memory. */
json_t *read_word_line(const char *line);
/* Whether the nodes of two sides are the same but for their names: "structure" of the line. */
bool is_same_structure(const char *line, const char *other);

#endif
