/* SPDX-License-Identifier: Apache-2.0
 *
 * Versions with what is found out of them for all targets, and what rewrites made of them. Searches for several
 * targets of one model come to the same versions, and each is packed, read and inferred once.
 */
#ifndef NPART_FIX_EDITIONS_H
#define NPART_FIX_EDITIONS_H

#include "fix/fix.h"

/* Of what is kept for further searches beside what is in use: past it editions go. */
#define NPART__FIX_KEPT_BYTES ((size_t)128 << 20)

struct npart__attempt;
struct npart__edition;

/* What a rewrite made of a node, after what it had made of those before. */
struct npart__answer {
    uint32_t node;
    uint8_t needed; /* classes that the user must allow; 0: it suits the node not */
    bool is_kept;
};

/* What came of a rewrite that was offered nodes of an edition. */
struct npart__offers {
    const struct npart__rewrite *rewrite;
    uint32_t allowed;                    /* classes */
    const struct npart__answer *answers; /* in the file's order */
    uint32_t answer_count, kept_count;
    struct npart__edition *made;          /* NULL: nothing was kept, or what was made is gone */
    const struct npart__attempt *attempt; /* what is told of that */
    struct npart__offers *next;
    /* Of the offers at hand: whether these have kept the same nodes so far; the first answer that was not passed. */
    bool is_along;
    uint32_t at;
};

/* What the step to another edition removed and added (struct npart__fix_step). */
struct npart__changes {
    const struct npart__edition *made;
    const char *const *removed, *const *added;
    uint32_t removed_count, added_count;
    struct npart__changes *next;
};

/* What came of asking for a cache of fixed size. It lies in the guard's arena, as searches hand it out. */
struct npart__made_cache {
    struct npart__cache_request request;
    npart_status status; /* OK, or why it was refused */
    struct npart_error error;
    struct npart__cache cache;
    struct npart__version version;
    struct npart__made_cache *next;
};

/* A version with its graph and inference. All of it but what handles hold lies in its own arena. */
struct npart__edition {
    struct npart__arena arena;
    struct npart__editions *of;   /* which it is shared in; NULL: it goes with its last holder */
    struct npart__edition *next;  /* there */
    uint32_t holders;
    struct npart__version version;
    bool lacks_sizes; /* the version does not say yet what the inference was given: an editor does that first */
    bool is_root;     /* `known` is the caller's, who outlives it; else it is its own reference */
    npart_inference *known;
    const struct npart__graph *graph;     /* of `known` */
    struct npart__inference *inference;   /* the same: what plans are made from */
    struct npart__arena widening;         /* of `wide`, where it is one of its own */
    struct npart__inference *wide;     /* with larger constants, the same where there are none; NULL: not asked for */
    struct npart__arena editing;       /* of the editor */
    struct npart__editor *editor;      /* to which rewrites are offered until one changes something; NULL: not open */
    const bool *is_quantized;          /* by value: see npart__find_quantized */
    uint32_t *kind_of;                 /* by node: which operator it is of; NULL: not asked for yet */
    struct NPART__ARRAY(uint32_t) kinds; /* the first node of each */
    bool *is_anchor;                   /* by kind: what npart__edition_find_anchors was asked last */
    struct npart__offers *offers;
    struct npart__changes *changes;
    struct npart__made_cache *caches;
};

/* Editions that go with an inference, from which the first was made. Whoever uses them holds its lock. */
struct npart__editions {
    struct npart__arena arena;
    struct npart__life *guard; /* whose lock is that of all their inferences: handed out, they are others' to ask */
    const char *model_name;
    const struct npart__rewrite_set *rewrites; /* of offers: the set of the first op list, which the guard keeps */
    bool is_looked_beside, has_weights_beside; /* files of weights in the model's folder, once looked for */
    struct npart__edition *first; /* those that were left last come first */
};

/* Those that go with the inference, where they are for a model of this name: opened when first asked for; else NULL.
 * False when out of memory. */
bool npart__editions_of(const npart_inference *inference, const char *model_name, struct npart__editions **out);
/* What nobody holds goes, as after a failure: it may be less than was asked for. */
void npart__editions_forget(struct npart__editions *editions);

/* With nothing in it, and one holder; NULL when out of memory. `editions` may be NULL. */
struct npart__edition *npart__edition_new(struct npart__editions *editions, const struct npart_allocator *allocator);
/* Of an inference that is the caller's. */
struct npart__edition *npart__edition_of(struct npart__editions *editions, const struct npart_allocator *allocator,
                                         const struct npart__version *version, const npart_inference *known,
                                         bool lacks_sizes);
void npart__edition_hold(struct npart__edition *edition);
void npart__edition_leave(struct npart__edition *edition);
/* Graph and inference of its version, whose bytes lie in its arena or outlive it; or another edition of the same bytes
 * in its place. Its holder is left to the caller, also on failure. */
npart_status npart__edition_settle(struct npart__edition **inout, const char *model_name,
                                   const struct npart_allocator *allocator, struct npart_error *error);
/* The same of a version whose bytes may go: an edition to hold. */
npart_status npart__edition_find(struct npart__editions *editions, const struct npart__version *version,
                                 const char *model_name, const struct npart_allocator *allocator,
                                 struct npart__edition **out, struct npart_error *error);

/* The inference with larger constants. */
npart_status npart__edition_widen(struct npart__edition *edition, struct npart_error *error);
/* Opens an editor of its version, with the sizes that this lacks; what is constant is what the inference found, with no
 * runtime's limits: a rewrite may fold what a session would not. */
npart_status npart__edition_open(const struct npart__edition *edition, struct npart__inference *inference,
                                 struct npart__arena *arena, struct npart__editor **out, struct npart_error *error);
/* An editor with nothing changed, opened where none is, with the wide inference. */
npart_status npart__edition_edit(struct npart__edition *edition, struct npart_error *error);
/* Once something was made in it. */
void npart__edition_close_editor(struct npart__edition *edition);
/* Fills `is_anchor`: whether a list of operators (npart__lists_op) has a node's; *is_any: of some node. False when out
 * of memory. */
bool npart__edition_find_anchors(struct npart__edition *edition, const char *ops, bool *is_any);

/* The version with a cache of fixed size, as npart__cache_fix makes it, once for all searches. What it points to lies
 * in `arena`, or goes with what the edition is shared in. */
npart_status npart__edition_cache(struct npart__edition *edition, const struct npart__cache_request *request,
                                  struct npart__arena *arena, struct npart__cache *out,
                                  struct npart__version *out_version, struct npart_error *error);

/* Nodes are offered to a rewrite, in the file's order: what it makes of one follows from which it has kept before, so
 * what is known of other offers is not tried again as long as those kept the same. */
void npart__edition_begin_offers(struct npart__edition *edition, const struct npart__rewrite *rewrite);
/* False: the node is to be tried. */
bool npart__edition_find_answer(struct npart__edition *edition, uint32_t node, uint32_t allowed,
                                struct npart__answer *out);
void npart__edition_take_answer(struct npart__edition *edition, const struct npart__answer *answer);
/* After all: the offers that kept the same, of which what was made is there, if something was. NULL: there are none. */
const struct npart__offers *npart__edition_same_offers(const struct npart__edition *edition);
/* The step to an edition that is shared, as it was noted; NULL: it was not. */
const struct npart__changes *npart__edition_changes(const struct npart__edition *edition,
                                                    const struct npart__edition *made);
/* Notes a step between editions that are shared; texts are copied. False when out of memory. */
bool npart__edition_note_changes(struct npart__edition *edition, const struct npart__changes *changes);
/* Texts up to the NULL at their end; NULL when out of memory. */
const char *const *npart__copy_texts(const char *const *texts, struct npart__arena *arena);
/* Notes them, where the edition is shared; `attempt` says what was made. False when out of memory. */
bool npart__edition_note_offers(struct npart__edition *edition, const struct npart__offers *offers,
                                const struct npart__attempt *attempt);

#endif
