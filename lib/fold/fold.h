/* SPDX-License-Identifier: Apache-2.0
 *
 * fold: the nodes that a runtime removes before it partitions, each with the reason; what is left is the live graph.
 */
#ifndef NPART_FOLD_H
#define NPART_FOLD_H

#include "infer/infer.h"

enum npart__level {
    NPART__LEVEL_BASIC, /* what sessions do by default: constants and static shape arithmetic are computed */
    NPART__LEVEL_OFF,   /* no rewriting: only Constant nodes become initializers and functions are inlined */
};

/* Why a node is not live. */
enum npart__fold_reason {
    NPART__FOLD_LIVE,
    NPART__FOLD_CONSTANT,  /* a Constant node, or computed from constants alone */
    NPART__FOLD_SHAPE,     /* shape arithmetic over static shapes, or for a Reshape that can do without */
    NPART__FOLD_INLINED,   /* a call whose function's nodes stand in its place; an If whose branch's do */
    NPART__FOLD_UNTAKEN,   /* stands in a branch that is never taken */
    NPART__FOLD_IDENTITY,  /* hands its input on */
    NPART__FOLD_DROPOUT,   /* the same, at inference */
    NPART__FOLD_FUSED,     /* does its work as a part of another node */
    NPART__FOLD_NO_OP,     /* a Cast, Transpose, Reshape, Slice, Add of 0, ... that changes nothing */
    NPART__FOLD_REASONS    /* how many there are */
};

/* In whose place a runtime puts a new node, which is behind all others in its order (lib/partition/walk.c): by the
 * pass that does, in the order of passes. */
enum npart__remade {
    NPART__REMADE_NOT,
    NPART__REMADE_PRODUCT,          /* a MatMul that an Add is merged into */
    NPART__REMADE_RESHAPED_PRODUCT, /* the same in another rank: a Reshape stands before it and one behind it */
    NPART__REMADE_RESHAPE           /* the last of neighbouring Reshapes, by another pass */
};

struct npart__fold {
    uint8_t *reasons;      /* by node: enum npart__fold_reason */
    bool *is_constant;     /* by value: known before the model runs, at this level */
    uint32_t *stands_for;  /* by value: the value that remains when the nodes between are gone; itself, mostly */
    uint32_t *kept_for;    /* by value that the runtime makes anew for each of its users (copies.c): the node that has
                              the original, or NPART__KEPT_OUTSIDE; NPART_NONE for all others. NULL: there are none */
    uint32_t *into;        /* by node that is fused: the node that it is a part of; NPART_NONE for all others */
    uint8_t *remade;       /* by node: enum npart__remade */
    uint32_t *place;       /* by node: the node in whose place it stands until it is remade; itself, mostly */
    uint32_t *first_user;  /* by value: the first of its users; those of the next value end them (users.c) */
    uint32_t *users;       /* live nodes, once for each operand, captures too; of values that stand for themselves */
    bool *is_output;       /* by value that stands for itself: it, or what it stands for, is an output of its graph */
    uint32_t live_count, folded_count, fused_count; /* what is fused is folded, too */
};

#define NPART__KEPT_OUTSIDE (NPART_NONE - 1)

/* Decides for every node. `rewrites`: a session changes what stands beside each other, too, though all is known of the
 * sizes; a view of what a runtime that folds knows says so itself. `arena` holds the result. */
npart_status npart__fold_graph(const struct npart__inference *inference, enum npart__level level, bool rewrites,
                               struct npart__arena *arena, struct npart__fold *out, struct npart_error *error);

/* extend.c: the fold of a graph whose inlined nodes came after folding (npart__graph_expand): what was decided stays,
 * and of the new nodes only Constant ones go. `before` is that of the graph with `nodes` and `values` alone. */
npart_status npart__fold_extend(const struct npart__graph *graph, const struct npart__fold *before, uint32_t nodes,
                                uint32_t values, struct npart__arena *arena, struct npart__fold *out,
                                struct npart_error *error);

/* neighbours.c: nodes that go together with others, once each alone has been decided; `is_recent`: as ONNX Runtime 1.31
 * does, else 1.24. False when out of memory. */
bool npart__fold_neighbours(const struct npart__inference *inference, bool is_recent, struct npart__arena *arena,
                            struct npart__fold *fold);

/* merge.c: nodes that become part of a neighbour. False when out of memory. */
bool npart__fold_merges(const struct npart__inference *inference, struct npart__arena *arena, struct npart__fold *fold);

/* The live node that a fused node's work is part of, or NPART_NONE for a node that is not fused. */
static inline uint32_t npart__fused_into(const struct npart__fold *fold, uint32_t node)
{
    uint32_t into = NPART_NONE;
    while (fold->into[node] != NPART_NONE)
        into = node = fold->into[node];
    return into;
}

/* copies.c: what is used more than once and copied for each use. False when out of memory. */
bool npart__fold_copies(const struct npart__inference *inference, struct npart__arena *arena, struct npart__fold *fold);

/* What operand `index` of a live node (its inputs, then its captures) is when folded nodes are gone: what stands for
 * it, and behind a copy of the node's own the value that is copied from. NPART_NONE: absent. */
uint32_t npart__fold_operand(const struct npart__graph *graph, const struct npart__fold *fold,
                             const struct npart__node *node, uint32_t index);

/* users.c: fills in first_user, users and is_output. False when out of memory. */
bool npart__fold_users(const struct npart__graph *graph, struct npart__arena *arena, struct npart__fold *fold);

static inline uint32_t npart__user_count(const struct npart__fold *fold, uint32_t value)
{
    return fold->first_user[value + 1] - fold->first_user[value];
}

static inline uint32_t npart__user(const struct npart__fold *fold, uint32_t value, uint32_t index)
{
    return fold->users[fold->first_user[value] + index];
}

/* The node of which the runtime makes a live node a copy of its own for operand `index`, or NPART_NONE. */
uint32_t npart__fold_copied(const struct npart__graph *graph, const struct npart__fold *fold,
                            const struct npart__node *node, uint32_t index);

/* "constant", "shape-arithmetic", ...: stable words for reports. */
const char *npart__fold_word(enum npart__fold_reason reason);
/* A sentence for people. */
const char *npart__fold_sentence(enum npart__fold_reason reason);

#endif
