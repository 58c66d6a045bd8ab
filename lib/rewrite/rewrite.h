/* SPDX-License-Identifier: Apache-2.0
 *
 * rewrite: changes of an export that compilers then take, each with its whole precondition. What is a pattern is data
 * (oplists/standard.rewrites, docs/rewrites.md); what computes is a function over a site, and a row of rewrites.def.
 * A rewrite asks nothing of targets: lib/fix offers it the nodes that are not taken, and takes back what did not help.
 *
 * To add one: a function in the file of its kind, a row in rewrites.def, a case in test/unit/test_rewrite_*.c.
 */
#ifndef NPART_REWRITE_H
#define NPART_REWRITE_H

#include "edit/edit.h"
#include "judge/judge.h"

/* When it is tried: the order in which they act on each other. */
enum npart__rewrite_phase {
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

/* One way to change a model, of either kind. Texts are the library's, or of the arena that the list was read into. */
struct npart__rewrite {
    const char *id; /* as users name it, and part of the names of new nodes */
    const char *anchors;   /* the ops that it replaces: "IsNaN com.microsoft:Gelu"; "*": any; a pattern's last node */
    uint8_t phase, equality; /* enum npart__rewrite_phase; enum npart__equality, which a site may change */
    bool enables;          /* kept for what it makes possible, though it lowers nothing by itself, until the end */
    npart__rewrite_function *apply; /* NULL: a pattern */
    const char *argument;  /* why the model is equal afterwards: a sentence */
    const char *caveat;    /* what a user must know of it; "" for nothing */
    const struct npart__pattern_rewrite *pattern; /* NULL: `apply` computes what comes in the place */
};

/* All rewrites, in the order in which they are tried: by phase, then those that compute before those that are data. */
struct npart__rewrite_set {
    const struct npart__rewrite *rows; /* of the arena */
    uint32_t count;
};
/* Reads those that are data; `arena` holds the result. Fails where memory runs out. */
npart_status npart__rewrites_gather(struct npart__arena *arena, struct npart__rewrite_set *out,
                                    struct npart_error *error);
/* Whether one of all has this id. Nothing is read for it but the ids. */
bool npart__rewrite_exists(const char *id, size_t length);
/* Those of one list, in its order. `text` need not outlive the call; fails with OPLIST where it has a mistake. */
npart_status npart__rewrites_read(const char *text, size_t bytes, const char *path, struct npart__arena *arena,
                                  struct npart__rewrite_set *out, struct npart_error *error);
/* Whether a rewrite replaces nodes of this op: asked before a site is made. */
bool npart__is_anchor(const struct npart__rewrite *rewrite, const struct npart__graph *graph,
                      const struct npart__node *node);
/* Tries one of either kind at a site, whose `rewrite`, `equality` and `caveat` it fills in. As npart__rewrite_function:
 * where it is false the caller forgets what was made. */
bool npart__rewrite_try(const struct npart__rewrite *rewrite, struct npart__site *site);

/* Steps that change the file as a whole, and no node. `bind` is asked for by sizes and values; the others are chosen by
 * their ids, as rewrites are. */
#define NPART__FIX_ANNOTATE "annotate"
#define NPART__FIX_IR_VERSION "ir-version"

/* The rows of rewrites.def. */
extern const struct npart__rewrite npart__rewrites[];
extern const uint32_t npart__rewrite_count;

#endif
