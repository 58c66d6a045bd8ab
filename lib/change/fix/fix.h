/* SPDX-License-Identifier: Apache-2.0
 *
 * fix: a search for the rewrites that make an export whole on some targets. A *state* is a version of the model with
 * its plans; a *step* turns one into the next by one rewrite at some nodes. Only nodes that a target does not take are
 * rewritten. What does not help is taken back, and told.
 */
#ifndef NPART_FIX_H
#define NPART_FIX_H

#include "api/api.h"
#include "cache/cache.h"
#include "choose/choose.h"
#include "edit/editor.h"
#include "rewrite/rewrite.h"
#include "split/sides.h"

/* More bytes than this, or the share that the caller allows, and a step is not kept. */
#define NPART__FIX_GROWTH_BYTES ((uint64_t)1 << 20)

/* A graph input that becomes a constant. Borrowed from the caller for the search. */
struct npart__bound_value {
    const char *name;
    const double *numbers;
    uint32_t count; /* as many as it has elements, or 1 for all */
};

/* One of the targets that the model is fixed for; a step has to harm none of them. */
struct npart__fix_target {
    const struct npart__oplist *oplist;
    const char *target; /* what follows the list's name */
};

struct npart__begun;
struct npart__editions; /* editions.h */
struct npart__fix_request {
    const char *model_name; /* the original's: reports and messages speak of the file that the user knows */
    const struct npart__rewrite_set *rewrites;
    const struct npart__fix_target *targets;
    uint32_t target_count;
    struct npart__plan_request plan;    /* what is the same of all: level, stages, partitioner, ... */
    const npart_plan *as_is, *sized;    /* what is known of the version for the only target, with no sizes and with
                                         * those of the request; NULL: it is to be planned */
    bool is_other;                      /* these are of another target, and only their inferences are those */
    struct npart__begun *begun; /* filled in by the first search of a cache, and gone on from by later ones; or NULL */
    struct npart__editions *editions; /* what searches of the model share; NULL: nothing */
    struct npart__infer_options sizes;  /* given by the user; they are written into the model */
    const struct npart__bound_value *values;
    uint32_t value_count;
    struct npart__cache_request cache;  /* slots 0: it stays as it is */
    struct npart__bounds bounds;        /* where the model begins and ends; none: it stays whole */
    uint32_t allowed;                   /* bits by enum npart_equality: 1 is equal bit for bit, and no more */
    const char *const *only, *const *without; /* ids of rewrites; NULL-terminated; NULL: all, none */
    double most_growth;                 /* of the file with its weights, as a share; negative: any */
    void (*progress)(void *payload, const char *rewrite, uint32_t plans); /* may be NULL */
    void *payload;
};

/* Told in reports and JSON; all texts are of the result's arena, or constants. */
struct npart__fix_step {
    const char *rewrite;
    uint8_t equality;                            /* enum npart_equality: of its weakest site */
    const char *argument;                        /* why results are as equal as that */
    const char *const *caveats; /* NULL-terminated */
    const char *const *removed, *const *added; /* names of nodes, NULL-terminated */
    uint32_t removed_count, added_count, site_count;
    const struct npart_summary *after_summaries; /* by target */
    const double *after_ms;                      /* negative: not known */
};

/* What was tried and is not in the result, each rewrite once with the last reason. */
struct npart__taken_back {
    const char *rewrite, *why;
    uint32_t site_count;
};

/* What is before and after a model, all on the CPU of a target. */
struct npart__hosted {
    struct npart__bill bill; /* on the rates of the model's plan */
    double ms;               /* typical; negative: not known */
    uint32_t live;
    uint64_t macs;           /* UINT64_MAX: not known */
};

struct npart__fix {
    struct npart__state *last; /* the version, and what was found out of it; the holder's to free */
    struct npart__standing before, after;
    struct NPART__ARRAY(struct npart__fix_step) steps;
    struct NPART__ARRAY(struct npart__taken_back) taken_back;
    uint32_t plan_count; /* how many were made */
    struct npart__cache cache; /* where it was asked for */
    struct npart__sided sided; /* the same: what is before and after the model */
    const struct npart__hosted *hosted; /* by target; NULL: the model is whole */
    uint32_t barred;     /* bits by enum npart_equality: classes that are not allowed, and that some site would need */
};

/* A model with a cache of fixed size, for several searches that differ in what is allowed. */
struct npart__begun {
    struct npart__state *base; /* NULL: no search has come so far */
    struct npart__fix found;   /* what it had found by then */
    const bool *is_missing;    /* of its sizes, which are those of all: which dims the model lacks */
    struct npart__life *life;  /* of its result, in whose arena that lies; a reference of its own */
};
void npart__begun_end(struct npart__begun *begun);

/* What the tool is asked for the same. Texts are the caller's. */
struct npart__fix_command {
    const char *path;                  /* of the model */
    const char *const *targets;        /* as they are asked for */
    uint32_t target_count;
    const struct npart__infer_options *sizes;
    const struct npart_plan_options *plan;
    const struct npart_fix_options *options;
    bool leaves_weights; /* external data that lies in the model's folder */
};
/* command.c: the words of a command line that does it and writes NAME.fixed.onnx into the current folder,
 * NULL-terminated, in the arena; NULL in *words where no command line can say it. False when out of memory. */
bool npart__fix_command(const struct npart__fix_command *command, struct npart__arena *arena,
                        const char *const **words, uint32_t *count);

/* The same of one that writes NAME.parts: the partitions and cuts as models. `sizes` may be NULL. */
bool npart__split_command(const char *path, const char *target, const struct npart__infer_options *sizes,
                          const char *const *cuts, uint32_t cut_count, bool has_external_data,
                          struct npart__arena *arena, const char *const **words, uint32_t *count);

/* Searches. `version` is what was read; `arena` holds the result. Fails as npart__infer and npart__plan_make do for the
 * version as it is with the sizes given, and with MEMORY. */
npart_status npart__fix_search(const struct npart__fix_request *request, const struct npart__version *version,
                               struct npart__arena *arena, struct npart__fix *out, struct npart_error *error);

#endif
