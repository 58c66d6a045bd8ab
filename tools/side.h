/* SPDX-License-Identifier: Apache-2.0
 *
 * What plans said, read again: sides of comparisons (struct npart_side) from saved reports and baselines.
 * A saved report is what --format json prints; a baseline is a line in words a model and target (baseline_words.h),
 * with a short form of the report in a cache beside it. All may hold any number of lines.
 */
#ifndef TOOL_SIDE_H
#define TOOL_SIDE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "npu_partition.h"

#define MOST_REPORT_BYTES ((size_t)2 << 30) /* of memory that the reports of one file take */

struct saved_side; /* what a side points to */

struct sides {
    struct npart_side *items;
    struct saved_side *saved;
    size_t count, room;
    char note[256]; /* what is to be told of a baseline's cache; "" */
};

/* Whether a file is a report or baseline rather than a model: its first byte that is no blank is a brace or `#`. Only a
 * regular file is looked into: what a pipe gives can be read once. */
bool is_saved_report(const char *path);
/* Adds the sides of a file to `out`, which begins with zeros. False with `problem`, also when out of memory. What was
 * read before a mistake is in `out` all the same. */
bool read_sides(const char *path, struct sides *out, char *problem, size_t bytes);
void free_sides(struct sides *sides);

/* The side of a model and target as they are told there; NULL: there is none. Of several toolchains of the target the
 * one that is asked for counts; another one where the model has the target with that alone, as after an update of the
 * toolchain. A NULL model is any. *are_several, unless that is NULL: there are some, and none of the toolchain. */
const struct npart_side *find_side(const struct sides *sides, const char *model, const char *target,
                                   const char *toolchain, bool *are_several);
/* The same by a text of the user's, who may leave out what follows the name or the variant, where one side alone
 * suits: "hexagon" is "hexagon:v73+float". "intel-npu@2026.4.1" is one of two toolchains. *are_several: more than one
 * suits. */
const struct npart_side *find_meant_side(const struct sides *sides, const char *model, const char *text,
                                         bool *are_several);

/* Adds the side that a line of a baseline in words says. False: it is none, or out of memory. */
bool add_words(struct sides *out, const char *line);
/* The line of a baseline in words that a side was read from; NULL: it was not, or is none of these. */
const char *line_of_side(const struct sides *sides, const struct npart_side *side);
/* Whether the document of a side is a whole report rather than a baseline. */
bool is_whole_report(const struct sides *sides, const struct npart_side *side);
/* Where that document stands in its file. False: it cannot be told. */
bool find_document(const struct sides *sides, const struct npart_side *side, int64_t *begin, int64_t *end);

/* A model's path as a baseline has it, and as it is found there: as it is, or, where it is no UTF-8, as
 * npart_plain_text shows it. To be freed; NULL: out of memory. */
char *baseline_path(const char *path);
/* Writes the cache of a baseline of the sides that have nodes, sorted by model and target: equal sides, equal bytes.
 * False when it cannot be written, or out of memory. */
bool write_baseline(FILE *file, const struct npart_side *const *sides, size_t count);

#endif
