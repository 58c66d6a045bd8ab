/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of rewrite: what patterns put in the place of what they match.
 */
#ifndef NPART_PUT_H
#define NPART_PUT_H

#include "judge/answer.h"
#include "rewrite/kernels.h"
#include "rewrite/rewrite.h"

/* A rewrite of a list. Both point into the list that was read, which lives in the arena of the set. */
struct npart__pattern_rewrite {
    const struct npart__target *target; /* of the list, without switches: rules ask it nothing */
    const struct npart__rewriting *rewriting;
    npart__rewrite_function **functions; /* by its forms; NULL: a pattern, or lib/change/fix does it */
};

/* What a form puts in the place of a match. With `is_trial` nothing is made: it is only found out whether all of it can
 * be, as a form that cannot gives way to the next. Borrowed for the call; the match holds values and nodes of the
 * site's graph. */
struct npart__putting {
    struct npart__site *site;
    const struct npart__target *target; /* of the list that the form is from */
    const struct npart__session *session; /* of the site, as rules ask it */
    const struct npart__rewrite_form *form; /* whose puts are made */
    const struct npart__match *match;
    bool is_trial; /* true first, then false for the same match */
};
bool npart__put_form(const struct npart__putting *putting);

#endif
