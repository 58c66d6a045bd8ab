/* SPDX-License-Identifier: Apache-2.0
 *
 * The handle of a search for rewrites, of which handle.c makes all and set.c writes several.
 */
#ifndef NPART_FIX_HANDLE_H
#define NPART_FIX_HANDLE_H

#include "fix/fix.h"
#include "wire/write.h"

/* `found` has what the search made; plans are of the model that would be written. */
struct npart_fix {
    struct npart__life *life;
    const char *path;              /* of the input, or the name of what is in no file; what is planned has it, too */
    struct npart__input input;     /* open until the fix goes: weights are copied from it */
    bool is_input_open;
    struct npart__version original; /* as it was read */
    struct npart__fix found;       /* `found.last` is what would be written */
    struct npart_plan_options plan_options; /* as given: names in it are the caller's, who keeps them */
    struct npart_read_options read; /* by which npart__fix_prove() reads what was written */
    npart_plan **plans;         /* by target */
    const char **targets;       /* as they were asked for: a plan's own text lacks the toolchain */
    uint32_t target_count;
    struct npart_summary *before, *after; /* by target */
    double *before_ms, *after_ms;         /* the same; typical milliseconds, negative: not known */
    const char *const *absent;            /* external data that is not there; ends with NULL */
    const char *harm;                     /* what is worse than before; NULL: nothing */
    const char *const *run;               /* see npart__fix_command */
    uint32_t run_count;
};

/* What is known of a file before rewrites are searched for; all may be NULL. */
struct npart__planned {
    const struct npart__skeleton *skeleton;  /* nothing lost */
    struct npart__life *life;                /* of what has it */
    bool is_in_memory;                       /* in no file: the skeleton is there, and `path` a name */
    const npart_plan *as_is, *sized;         /* see npart__fix_request */
    bool is_other;                           /* the same */
    struct npart__begun *begun;              /* the same */
    struct npart__editions *editions;        /* the same; their owner is locked, and kept as long as the fix */
};
/* npart_fix_make with it. */
npart_status npart__fix_make(npart_fix **out, const char *path, const npart_oplist *const *oplists,
                             const char *const *targets, uint32_t target_count,
                             const struct npart_fix_options *options, const struct npart__planned *planned,
                             struct npart_error *error);

/* ended.c: adds what is found for a model that ends, or begins, where that is best; nothing where no such place leaves
 * less than `whole`, what is found for the model as a whole. `path`, `target`, `options` and `planned` as for that. */
npart_status npart__fix_ended(npart_fix **out, uint32_t *count, const npart_fix *whole, const char *path,
                              const npart_plan *plan, const char *target, const struct npart_fix_options *options,
                              const struct npart__planned *planned, struct npart_error *error);

/* What npart_fix_propose looks at first, of a cache that grows, with other numbers of slots and new tokens: those of
 * `options`, whose classes alone are allowed. NULL where that is refused. */
npart_status npart__fix_cached(npart_fix **out, const npart_plan *plan, const npart_plan *fixed, const char *target,
                               const struct npart_fix_options *options, struct npart_error *error);

/* The bytes that would be written: with the sizes that a search had no need to write down. */
npart_status npart__fix_complete(const npart_fix *fix, struct npart__arena *arena, struct npart__version *out,
                                 struct npart_error *error);
/* Reads what was written, which must have the plans that were told; fails with UNPROVEN where it has others. */
npart_status npart__fix_prove(const npart_fix *fix, const char *path, struct npart_error *error);

#endif
