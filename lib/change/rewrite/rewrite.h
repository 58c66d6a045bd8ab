/* SPDX-License-Identifier: Apache-2.0
 *
 * rewrite: changes of an export that compilers then take, each with its whole precondition. All are in one table
 * (oplists/standard.rewrites, docs/inside/rewrites.md), with what the advice says of them; what is no pattern is a
 * function of this folder over a site, which the table names. A rewrite asks nothing of targets: fix offers it nodes
 * that are not taken, and takes back what did not help.
 *
 * To add one: its lines in the table, where it computes a function in the file of its kind, and a case in
 * test/rewrites/standard.cases or test/unit/test_rewrite_*.c.
 */
#ifndef NPART_REWRITE_H
#define NPART_REWRITE_H

#include "edit/edit.h"
#include "judge/judge.h"
#include "rewrites.h" /* generated */

/* When it is tried: the order in which they act on each other. */
enum npart__rewrite_phase {
    NPART__PHASE_FILE,    /* the file as a whole */
    NPART__PHASE_INLINE,  /* functions */
    NPART__PHASE_FOLD,    /* constants; tried again after every other phase */
    NPART__PHASE_BRANCH,  /* control flow whose course is known */
    NPART__PHASE_WHERE,   /* control flow whose course is not */
    NPART__PHASE_SHAPE,   /* operators that hide shapes from the runtime */
    NPART__PHASE_ONE,     /* one operator by others */
    NPART__PHASE_UNFUSE,  /* compound operators, in graph order */
    NPART__PHASE_MASK,    /* masks, of which UNFUSE makes some */
    NPART__PHASE_RANK,    /* ranks */
    NPART__PHASES
};

/* True when it has replaced the site's node (npart__finish was called for every result that is used); false when a
 * precondition does not hold, and then whatever was made is forgotten. */
typedef bool npart__rewrite_function(struct npart__site *site);

/* One way to change a model. Texts are of the arena that the list was read into. */
struct npart__rewrite {
    const char *id; /* as users name it, and part of the names of new nodes */
    const char *anchors;   /* the ops that it replaces: "IsNaN com.microsoft:Gelu"; "*": any; a pattern's last node */
    uint8_t phase, equality; /* enum npart__rewrite_phase; enum npart_equality, which a site may change */
    bool enables;          /* kept for what it makes possible, though it lowers nothing by itself, until the end */
    bool is_whole;         /* it changes the file, and no node: lib/change/fix carries it out, and offers it no site */
    const char *argument;  /* why the model is equal afterwards: a sentence */
    const char *caveat;    /* what a user must know of it; "" for nothing */
    const struct npart__pattern_rewrite *pattern;
};

/* All rewrites, in the order in which they are tried: by phase, then as the list has them. */
struct npart__rewrite_set {
    const struct npart__rewrite *rows; /* of the arena */
    uint32_t count;
};
/* Reads the built-in list; `arena` holds the result. Fails where memory runs out. */
npart_status npart__rewrites_gather(struct npart__arena *arena, struct npart__rewrite_set *out,
                                    struct npart_error *error);
/* The row of an id of generated rewrites.h (NPART__ID_...); it must be of the built-in list. */
const struct npart__rewrite *npart__rewrite_of(const struct npart__rewrite_set *set, const char *id);
/* Those of one list, in its order. `text` need not outlive the call; fails with OPLIST where it has a mistake. */
npart_status npart__rewrites_read(const char *text, size_t bytes, const char *path, struct npart__arena *arena,
                                  struct npart__rewrite_set *out, struct npart_error *error);
/* Bits 1 << enum npart_equality: those of its forms. */
unsigned npart__rewrite_classes(const struct npart__rewrite *rewrite);
/* Tries one at a site, whose `rewrite`, `equality` and `caveat` it fills in. As npart__rewrite_function: where it is
 * false the caller forgets what was made. */
bool npart__rewrite_try(const struct npart__rewrite *rewrite, struct npart__site *site);

#endif
