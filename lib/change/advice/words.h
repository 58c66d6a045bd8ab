/* SPDX-License-Identifier: Apache-2.0
 *
 * Causes of one row of the table as one action, and its text.
 */
#ifndef NPART_ADVICE_WORDS_H
#define NPART_ADVICE_WORDS_H

#include "advice/table.h"
#include "advice/what_if.h"

/* Operators and dims that a text names; of more it says how many. */
#define NPART__NAMES_SHOWN 3u

/* The causes of a plan that one row is for. */
struct npart__group {
    uint32_t row;                    /* of the table */
    uint32_t first_cause, cause_count;
    bool is_fatal, is_done, is_impossible;
    int64_t opset;                   /* the highest that a cause wants; 0: none does */
    const struct npart__tail *tail;  /* of TRY_TAIL */
    const struct npart__plan *replanned; /* of trials that plan again; NULL: not yet, or impossible */
    const char *target;              /* the target text that it was planned with */
    uint32_t variant;                /* of TRY_VARIANT */
    const char *release;             /* of TRY_RELEASE: the line of the toolchain */
    bool is_import_only;
    bool has_sizes;                  /* of another target: planned with the fixed sizes, too */
};

/* Appends the text of the group's row. Its causes are those that `row_of`, which is by cause, gives `causes_row`.
 *   {ops} {at} {rule} {advice}   of the causes: operators, the first node and how many more, rule, the list's advice
 *   {opset} {only} {variant} {release} {target} {format} {tensors} {cuts}   of the trial, and of the user */
void npart__append_action_text(const struct npart__plan *plan, const uint32_t *row_of, uint32_t causes_row,
                               const struct npart__group *group, struct npart__buffer *out);
/* Appends "`a`, `b` and 3 more", of names from the model. */
void npart__append_names(const char *const *names, uint32_t count, struct npart__buffer *out);

#endif
