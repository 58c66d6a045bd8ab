/* SPDX-License-Identifier: Apache-2.0
 *
 * Files of what plans said, read again: sides of comparisons (struct npart_side) from saved reports and baselines.
 */
#ifndef TOOL_SIDE_H
#define TOOL_SIDE_H

#include <stdbool.h>
#include <stddef.h>

#include "npu_partition.h"

/* Zeroed at first. */
struct sides {
    npart_sides *read;
    const struct npart_side *items;
    uint32_t count;
};

/* Whether a file is a report or baseline rather than a model: its first byte that is no blank is a brace or `#`. Only a
 * regular file is looked into: what a pipe gives can be read once. */
bool is_saved_report(const char *path);
/* Reads the sides of a file, and of a baseline the cache beside it. False with `problem`, also when out of memory. */
bool read_sides(const char *path, struct sides *out, char *problem, size_t bytes);
void free_sides(struct sides *sides);

#endif
