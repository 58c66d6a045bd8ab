/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of lib/change/cache share.
 */
#ifndef NPART_CACHE_INTERNAL_H
#define NPART_CACHE_INTERNAL_H

#include "cache/cache.h"

/* What closes a slot. In float16 twice as much is no number any more. */
#define NPART__MASK_VALUE (-1e4)
/* Elements that are followed: a mask over all slots, for each of some new tokens. */
#define NPART__CACHE_ELEMENTS (1u << 17)

/* ---- what was found ---------------------------------------------------------------------------------------------- */

struct npart__pair {
    uint32_t past, present; /* graph input and output */
    uint32_t join;          /* the Concat */
    uint32_t fresh;         /* its other operand: the new keys or values */
    uint32_t axis;          /* of the slots */
    uint32_t slots;         /* of one that is written into: the operand that says where */
    const int64_t *turn;    /* the order of axes in which `fresh` is one of the cache; NULL: it is */
    uint32_t cut;           /* slots at its beginning that it does not have: no token sees them */
};

/* A state that does not grow, and the output that is the next of it. */
struct npart__state {
    uint32_t input, output;
};

/* Sizes that depend on the request. */
enum npart__cache_size {
    NPART__SIZE_BATCH,
    NPART__SIZE_PAST,
    NPART__SIZE_TOKENS,
    NPART__SIZE_TOTAL,
    NPART__SIZE_NUMBER /* whatever is asked for */
};

struct npart__cache_dim {
    const char *name; /* as --dim takes it */
    uint8_t size;     /* enum npart__cache_size */
    int64_t number;   /* of NPART__SIZE_NUMBER */
};

struct npart__cache_input {
    uint32_t value;
    uint8_t role;      /* enum npart_port_role */
    uint32_t slot_axis; /* the axis that grows with the cache; NPART_NONE: none does */
    uint8_t element_type;
    uint16_t rank;
    const int64_t *dims; /* as they were last learnt; those of the slot axis are another in each probe */
};

/* A value that counts slots where it means positions, and what stands for it. */
struct npart__position {
    uint32_t value;
    int64_t offset; /* its first element is the number of used slots + this, each further one is 1 more */
};

/* An operand in whose place stands what is made anew. */
struct npart__read {
    uint32_t node, operand, value;
    uint32_t next; /* of the same node, plus one; 0: none */
};

struct npart__work {
    const struct npart__cache_request *request;
    const struct npart__version *version;
    const struct npart__graph *graph;
    struct npart__arena *arena;   /* of what is found */
    struct npart_error *error;
    const struct npart__inference *plain; /* with no sizes given */
    uint32_t *through, *source; /* by value: back through nodes that hand on what they are given; Identity alone */
    struct NPART__ARRAY(struct npart__pair) pairs;
    uint32_t *pair_of; /* by value: the pair of which it is past or present, plus one; 0: none */
    struct NPART__ARRAY(struct npart__state) states;
    struct NPART__ARRAY(struct npart__cache_dim) dims;
    struct npart__strings dim_names; /* of these, in their order, after the empty one */
    struct NPART__ARRAY(struct npart__cache_input) inputs;
    bool is_ungrouped;     /* inputs that nothing uses any more go */
    bool was_fixed;        /* caches have this size in the file: outputs alone change */
    bool is_written_into;  /* caches have all slots before a run, too, and new ones are written over some */
    bool has_fixed_tokens; /* the number of new tokens is written in the file */
    int64_t vocabulary;    /* rows of the table that ids of tokens look up */
    bool *is_live;         /* by node: an output needs it */
    /* What is to be changed. */
    struct NPART__ARRAY(struct npart__position) positions;
    uint32_t *position_of; /* by value: which of these it is, plus one; 0: none */
    bool *is_repaired;     /* by value: made anew from them */
    struct NPART__ARRAY(uint32_t) unmasked; /* each node whose first operand is scores that need a bias */
    bool *is_unmasked;     /* by node */
    bool is_out_of_memory; /* where a function had no other way to say so; then nothing is refused for it */
    bool is_right_only;    /* slots must be in order: something looks at the last ones */
    bool counts_all;       /* a token may depend on those after it by more than attention: all of a run are real */
    const bool *is_static; /* by value: known without any input */
    struct NPART__ARRAY(struct npart__read) uses; /* operands that are made anew */
    uint32_t *use_of;                             /* by node: the first of its own, plus one; 0: none */
};

/* Fails with ARGUMENT, or MEMORY where that ran out. `node` may be NPART_NONE. */
npart_status npart__cache_refuse(const struct npart__work *work, uint32_t node, const char *format, ...)
    NPART__PRINTF(3, 4);

/* grouped.c: where the model has GroupQueryAttention, the version, graph and inference without it, which are the work's
 * from there on. */
npart_status npart__cache_ungroup(struct npart__work *work, struct npart__version *version, struct npart__graph *graph,
                                  struct npart__inference *plain);

/* pairs.c: those that grow; there may be none. */
npart_status npart__cache_find_pairs(struct npart__work *work);
npart_status npart__cache_find_sizes(struct npart__work *work);
/* The name by which an axis of an input can be bound; NULL: its size is written in the file, or out of memory. */
const char *npart__cache_name_of_axis(const struct npart__work *work, uint32_t input, uint32_t axis);
/* The size of a dim, which must be no other already; NULL for a name is out of memory. */
npart_status npart__cache_add_dim(struct npart__work *work, const char *name, enum npart__cache_size size,
                                  int64_t number);
/* Adds all inputs, with what they are. Pairs are known. */
npart_status npart__cache_list_inputs(struct npart__work *work);
/* Adds one of an input that is of no pair yet; else refuses. */
npart_status npart__cache_add_pair(struct npart__work *work, const struct npart__pair *pair);
/* Of its past or present; NULL: it is none. */
static inline struct npart__pair *npart__cache_pair_of(const struct npart__work *work, uint32_t value)
{
    uint32_t pair = work->pair_of[value];
    return pair ? &work->pairs.items[pair - 1] : NULL;
}
bool npart__cache_is_graph_input(const struct npart__work *work, uint32_t value);
/* Whether the node is a Concat of two, of which the first is a graph input: `past`, `fresh`, `join` and `axis`. */
bool npart__cache_is_joined(const struct npart__work *work, uint32_t join, struct npart__pair *out);
/* Fills in `through` and `source`; false when out of memory. */
bool npart__cache_list_back(struct npart__work *work);

/* fixed.c: where none grows, pairs of caches that have a fixed size already, and the inputs. Refuses where there is
 * none, or the request is for another size. */
npart_status npart__cache_find_fixed(struct npart__work *work, enum npart_slot_order *order);

/* ---- probe.c ----------------------------------------------------------------------------------------------------- */

/* One run: how many slots the past has, and which of them hold a token. */
struct npart__layout {
    uint32_t past, tokens;
    uint32_t used;        /* of the past's slots */
    const uint32_t *slot; /* by used token its slot; NULL: the last ones, in order */
    uint32_t gone;        /* tokens before those in use, of which there is no slot */
    uint32_t padding;     /* of the new tokens the last ones, which masks do not show and which have no position */
    /* Whether ids of new tokens are given, all of them this one. Where they are not, what depends on them is data, so
     * what is found holds for all ids. */
    bool gives_tokens;
    int64_t token;
};

struct npart__probe {
    struct npart__arena arena;
    struct npart__inference inference;
    struct npart__layout layout;
};

/* Dims of the inputs, and which grow, for a number of new tokens. */
npart_status npart__cache_learn(struct npart__work *work, uint32_t tokens);
/* `gives`: masks and positions are what the layout says; else sizes alone. Free it, whatever comes out. */
npart_status npart__cache_probe(struct npart__work *work, const struct npart__layout *layout, bool gives,
                                struct npart__probe *out);
void npart__cache_probe_free(struct npart__probe *probe);
/* Bindings of all dims for a past and new tokens; NULL when out of memory. */
struct npart_dim_binding *npart__cache_bindings(const struct npart__work *work, uint32_t past, uint32_t tokens,
                                                struct npart__arena *arena);

/* How a value of one probe is to the same of another with `empty` more slots in front. */
enum npart__relation {
    NPART__REL_SAME,    /* known in both, and equal, no axis grows */
    NPART__REL_ALIGNED, /* equal once the empty slots are cut off */
    NPART__REL_GREW,    /* no axis grows, and each element is `empty` more */
    NPART__REL_OTHER,   /* known and neither */
    NPART__REL_DATA     /* not known in both */
};

struct npart__compared {
    struct npart__probe *a, *b; /* b has `empty` more slots */
    uint32_t empty;
};

enum npart__relation npart__cache_relation(const struct npart__compared *at, uint32_t value);
/* The axes that grow as bits; false where a rank or a dim is not known, or a dim grows by something else. */
bool npart__cache_axes(const struct npart__compared *at, uint32_t value, uint64_t *axes);
/* Elements of a value; NULL where they are not known as numbers. */
const struct npart__known *npart__cache_elements(struct npart__probe *probe, uint32_t value);
static inline double npart__known_number(const struct npart__known *known, uint32_t i)
{
    return known->ints ? (double)known->ints[i] : known->doubles[i];
}
/* Whether slots of the past may be anywhere: `b` has the tokens of `a` at other slots, of as many. */
bool npart__cache_is_moved(struct npart__work *work, struct npart__probe *a, struct npart__probe *b, uint64_t axes,
                           uint32_t value);

/* ---- flow.c, slot_operators.c ------------------------------------------------------------------------------------ */

/* Walks all nodes that are needed. Adds to what is to be changed, or refuses. */
npart_status npart__cache_follow(struct npart__work *work, const struct npart__compared *compared);
/* Whether nothing looks at where in the past a slot stands: `b` has the tokens of `a` at other slots. `axes` that grow
 * by value; UINT64_MAX: not known. */
bool npart__cache_is_free(struct npart__work *work, struct npart__probe *a, struct npart__probe *b,
                          const uint64_t *axes);

/* What is known of a value that is data, or enters it. */
struct npart__flow {
    bool is_known;   /* control: elements are known */
    bool is_wrong;   /* known, and not the same in both: it counts slots */
    bool is_zero;    /* exactly 0 at what is to be hidden, slots that are empty and tokens that are later */
    uint32_t axis;   /* of the slots; NPART_NONE: none */
    double hidden;   /* no more than this at empty slots is added to it; 0: nothing hides them */
    double later;    /* the same at tokens that are later; of one new token there are none */
    double shown;    /* no less than this is added at a new token's own slot, beside which others are hidden or not */
};

/* What came of making a value anew. */
struct npart__tried {
    uint8_t height;    /* one more than the nodes between it and positions; 0: it was not */
    uint8_t failed_at; /* one more than the nodes that stood after it where it could not; 0: none */
};

struct npart__walk {
    struct npart__work *work;
    const struct npart__compared *compared;
    struct npart__flow *flows; /* by value */
    struct npart__tried *tried; /* by value; NULL where nothing is made anew */
    uint32_t node;
    bool only_asks;            /* no bias may be added: empty slots are hidden as it is, or they are not */
};

/* What is known of a value beside what its node does with its operands. False where its shape is not known, or grows
 * otherwise than with the slots. Of control several axes may grow, as of a square mask; where it enters data only the
 * last of them counts. */
bool npart__cache_start_flow(const struct npart__walk *walk, uint32_t value, struct npart__flow *out);
/* Whether the operand of a node is made anew, and from which value. Linear in such operands of the node. */
bool npart__cache_is_used_anew(const struct npart__work *work, uint32_t node, uint32_t operand, uint32_t *value);

/* Operands that say how a result is shaped, as bits: what they are matters where the result is another. */
uint32_t npart__cache_shape_operands(const struct npart__graph *graph, uint32_t node);

bool npart__cache_has_rule(const struct npart__graph *graph, uint32_t node);
/* Whether each element of the result is made of one of each operand, as broadcasting pairs them. */
bool npart__cache_is_by_element(const struct npart__graph *graph, uint32_t node);

/* What comes of a node that sees slots: a reason why it cannot be followed, or NULL. */
const char *npart__cache_rule(struct npart__walk *walk);

/* positions.c: whether a value that is wrong can be made anew from positions; then it is noted. False too when out of
 * memory, which the work's error tells. */
bool npart__cache_repair(struct npart__walk *walk, uint32_t value);

/* tables.c: the operand of a node that is an index, and the one with what it looks up; false where it looks up
 * nothing. */
bool npart__cache_looks_up(const struct npart__graph *graph, uint32_t node, uint32_t *index, uint32_t *table);
/* Whether all that is looked up by positions is there, with all slots in use. Nodes that are needed are known
 * by then. */
npart_status npart__cache_check_tables(struct npart__work *work, uint32_t tokens);

/* windows.c: which pairs need not have their first slots, as no token sees them whatever is in use; how many is their
 * `cut`. Refuses where there is none. */
npart_status npart__cache_find_windows(struct npart__work *work);

/* padding.c: whether the first tokens of a run are the same whatever stands after them, for any number of them;
 * `counts_all` where that is not known. Nodes that are needed, and what is made anew, are known by then. */
npart_status npart__cache_check_padding(struct npart__work *work);

/* states.c: lists the states of a fixed size, at the sizes of the request, and gives their inputs that role; false when
 * out of memory. */
bool npart__cache_find_states(struct npart__work *work, const struct npart__inference *inference);

/* Whether an output is the present of a pair. */
static inline bool npart__cache_is_present(const struct npart__work *work, uint32_t output)
{
    const struct npart__pair *pair = npart__cache_pair_of(work, output);
    return pair && pair->present == output;
}

/* contract.c: the contract as JSON; NULL when out of memory. */
const char *npart__cache_text(const struct npart__cache *cache, struct npart__arena *arena);

/* write.c */
npart_status npart__cache_write(struct npart__work *work, struct npart__arena *arena, struct npart__cache *out,
                                struct npart__version *out_version);

#endif
