/* SPDX-License-Identifier: Apache-2.0
 *
 * The way of one search: which steps it has kept, and the states that it may go back to. Of search.c and prune.c.
 */
#ifndef NPART_FIX_COURSE_H
#define NPART_FIX_COURSE_H

#include "fix/state.h"

/* A step on the way. */
struct npart__kept {
    struct npart__attempt attempt;
    struct npart__version version; /* after it and all before it */
    struct npart__standing standing; /* the same */
    bool is_asked;    /* branches that values choose, which the user asked for */
    bool is_left_out; /* of the replay at hand */
    bool is_idle;     /* that replay made nothing of it */
};

/* The way so far. `base`, `current` and `best` may be one state; each is freed when none of the three is it any
 * more. */
struct npart__course {
    struct npart__search *search;
    struct npart__state *base, *current, *best; /* base: sizes and values bound */
    struct NPART__ARRAY(struct npart__kept) steps;     /* from base to current */
    struct npart__arena versions;               /* of steps */
    uint32_t version_count;                     /* steps whose versions are still true: none before them has gone */
    uint32_t best_count;                        /* steps to the best */
    uint32_t *tried;                            /* by rewrite: the number of the state at which it was tried last */
    uint32_t annotated;
};

/* A state is the memory of a whole analysis, so it goes as soon as nothing points to it. Called after what pointed
 * to the state points elsewhere. */
void npart__course_leave(const struct npart__course *course, struct npart__state *state);
/* Tells a rewrite as taken back: each once, with the last reason, as it may be tried in every round. `why` is NULL when
 * out of memory. */
npart_status npart__course_take_back(struct npart__course *course, const struct npart__attempt *attempt,
                                     const char *why);
/* prune.c: steps without which the model is as good go. */
npart_status npart__prune(struct npart__course *course);
/* The last steps go until the time is no worse than without any. */
npart_status npart__undo_harm(struct npart__course *course);

#endif
