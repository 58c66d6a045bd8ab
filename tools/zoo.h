/* SPDX-License-Identifier: Apache-2.0
 *
 * Many models as one: how many the targets take, and what the others fall back for, over all of them.
 */
#ifndef TOOL_ZOO_H
#define TOOL_ZOO_H

#include <jansson.h>
#include <stdbool.h>

#include "npu_partition.h"

struct zoo;

/* NULL when out of memory; to be given back with zoo_free. */
struct zoo *zoo_make(void);
/* Counts a model: `document` is one line of `--format json` of any detail, or the line of a model that could not be
 * analyzed. It stays the caller's, and nothing of it is kept; members that are missing or of another type count as
 * nothing. The order of documents makes no difference. False when out of memory, after which the zoo is still to be
 * freed, and what is written lacks something. */
bool zoo_add(struct zoo *zoo, const json_t *document);
/* Writes the table. Equal documents in any order give equal bytes. What `write` refuses is not written; the caller
 * knows. */
void zoo_write(const struct zoo *zoo, const struct npart_report_options *look, npart_write_callback write,
               void *payload);
/* NULL is nothing. */
void zoo_free(struct zoo *zoo);

#endif
