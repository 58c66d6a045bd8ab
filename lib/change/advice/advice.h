/* SPDX-License-Identifier: Apache-2.0
 *
 * advice: what to change in a model, its export or the session so that the NPU takes more of it, the best first. Each
 * action comes from a table (actions.def), and what is left after it is found by planning again.
 *
 * A step is never promised: each is tried by planning the changed model, and what it brings is what that plan says. The
 * work is bounded by the limits below, not by the model's number of causes.
 */
#ifndef NPART_ADVICE_H
#define NPART_ADVICE_H

#include "choose/choose.h"

/* Rows of the table for one cause: the first, and what may be done in its place. */
#define NPART__LIMIT_ALTERNATIVES 4u

/* What is left once an action and all that it needs are done. Numbers are of the plan's nodes that a session runs
 * (live), as in npart_summary. */
struct npart__after {
    uint32_t partitions, live, accepted, failed;
    uint32_t elsewhere; /* of the accepted: surely not run by the NPU */
    double coverage;
    double mac_coverage; /* negative: not known */
    enum npart_plan_verdict verdict;
    enum npart_fit fits;             /* not known of a step that is only tried */
    struct npart_cost_range cost_ms;     /* of a run; NPART__UNKNOWN_RANGE */
    const struct npart__bill *bill;  /* while advice is made: what cost_ms is made of, or what is known of it, at ... */
    const struct npart__rates *rates;
};

/* Texts are in the advice's arena, or the table's. */
struct npart__action {
    const char *kind;     /* "dims", "opset", "exporter", ... */
    const char *text;     /* begins with a verb, and names the thing */
    const char *command;  /* options that show what it brings; NULL: there are none */
    const char *const *run; /* words of the command line that does it; NULL: there is none */
    uint32_t run_count;
    enum npart_pays pays; /* over the step before it */
    const char *rewrites; /* names, with blanks between */
    const char *equality; /* of results, once it is done; "": not said */
    uint32_t first_cause, cause_count; /* of the plan, into lists */
    uint32_t first_need, need_count;   /* actions that must be done, too, for `after`; into lists */
    uint32_t instead_of;               /* the action that it may take the place of; NPART_NONE: it is part of the way */
    struct npart__after after;
};

struct npart__advice {
    struct NPART__ARRAY(struct npart__action) items; /* the way, step by step; then what may take a step's place */
    struct NPART__ARRAY(uint32_t) lists;
    struct npart_recommendation recommendation; /* recommend.c; its size is not set */
};

/* What the host runs of a model that was ended, or begun, at some tensors. */
struct npart__hosting {
    const struct npart__bill *bill; /* on the rates of the plan */
    double ms;                      /* typical; negative: not known */
    uint32_t live, head_nodes, rest_nodes;
    const char *head_ops, *rest_ops; /* their operators; NULL: none */
    uint64_t bytes;                  /* that pass between the parts; UINT64_MAX: not known */
    uint64_t macs;                   /* UINT64_MAX: not known */
};

/* What lib/change/fix makes of the model for this target: a version with a plan of its own. */
struct npart__mended {
    const struct npart__hosting *hosting; /* NULL: the model is whole */
    const struct npart__plan *plan;
    const char *rewrites;  /* ids, with blanks between */
    const char *equality;  /* of the weakest */
    bool only_sizes;       /* nothing but sizes is fixed */
    bool is_early;         /* done before the model is quantized, which a step before says, and maybe the sizes */
    const char *const *run;
    uint32_t run_count;
};

/* What advice is made from. */
struct npart__advice_request {
    const struct npart__plan *plan;
    const struct npart__plan *fixed;    /* with all sizes fixed, or NULL */
    const struct npart__mended *mended; /* what rewrites make of it, the strongest class first */
    uint32_t mended_count;
    const struct npart__mended *quantized; /* for the target by which it counts as quantized; NULL: nothing was found */
    const char *unsearched; /* where rewrites were not looked for, what a person does to have that; else NULL */
};

/* Plans again on the plans' inferences. */
npart_status npart__advise(const struct npart__advice_request *request, struct npart__arena *arena,
                           struct npart__advice *out, struct npart_error *error);

#endif
