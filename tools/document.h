/* SPDX-License-Identifier: Apache-2.0
 *
 * The formats that are one document over all models of a run (sarif and what follows it in enum format).
 */
#ifndef TOOL_DOCUMENT_H
#define TOOL_DOCUMENT_H

#include "job.h"
#include "side.h"
#include "thresholds.h"

/* What thresholds say of one model, as the library takes it. Begins with zeros. */
struct outcome_list {
    struct npart_threshold_outcome *items; /* waivers may be set */
    size_t count;
    struct outcomes *found; /* the texts; by target, then those of the model */
};

/* Whether the options ask for such a document, and not for no report at all. */
bool wants_document(const struct options *options);
/* The same of commands whose only such document is a page. */
bool wants_page(const struct options *options);
/* Fails as npart_document_start does. */
npart_status document_open(struct run *run, struct npart_error *error);
/* A model that was planned for all targets. Without a document nothing happens. */
npart_status document_add(struct run *run, const char *path, const struct job *job,
                          const struct npart_threshold_outcome *outcomes, size_t count, struct npart_error *error);
/* A model that cannot be analyzed. */
npart_status document_add_error(struct run *run, const char *path, const struct npart_error *why,
                                struct npart_error *error);
/* Plans without thresholds. */
npart_status document_add_plans(struct run *run, const char *path, const struct npart_plan_pair *pairs, size_t count,
                                struct npart_error *error);
/* Into a page: the report of a file that has the side, as it stands there. */
npart_status document_add_saved(struct run *run, const char *path, const struct sides *sides,
                                const struct npart_side *side, struct npart_error *error);
/* Ends the document, where there is one, and gives it back. Tells what went wrong. */
void document_close(struct run *run);

/* Every threshold of the user's of which something is known, met or not. False when out of memory. */
bool list_outcomes(struct outcome_list *list, const struct options *options, const struct job *job);
void free_outcomes(struct outcome_list *list);

#endif
