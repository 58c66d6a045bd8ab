/* SPDX-License-Identifier: Apache-2.0
 *
 * What would accept a model as it is: a waiver of the project file (docs/project-file.md).
 */
#ifndef TOOL_CHECK_ACCEPT_H
#define TOOL_CHECK_ACCEPT_H

#include "check.h"

#define ACCEPTED_DAYS 90 /* from today on, unless the user writes another date */

/* What is to be added to project files. Begins with zeros. */
struct acceptance {
    struct addition {
        const struct project *project;
        struct text stanzas;
        size_t count;
    } *items;
    size_t count;
};

/* A stanza of [[waivers]] for all that is open of a model on a target; `target` negative: of the model as such. Returns
 * NULL, or why no waiver accepts it; `reason` NULL: one to be filled in. */
const char *add_stanza(struct text *out, const struct checked *checked, int target, const char *today,
                       const char *reason);
/* The command that does that, as a shell takes it, in lines of `width` columns from `column` on. False: there is no
 * project file that it could be written to. */
bool add_accept_command(struct text *out, const struct checked *checked, int target, unsigned column, unsigned width);

/* Keeps stanzas for all that fails of a model, and notes that it is accepted. False: not all can be, which is told. */
bool acceptance_add(struct acceptance *acceptance, struct checked *checked, const char *today, const char *reason);
/* Writes them. False, and told, where one cannot be. */
bool acceptance_write(struct acceptance *acceptance);
void acceptance_free(struct acceptance *acceptance);

#endif
