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
    NPART__FOLD_NO_OP,     /* a Cast, Transpose, Reshape, Slice, Add of 0, ... that changes nothing */
};

struct npart__fold {
    uint8_t *reasons;      /* by node: enum npart__fold_reason */
    bool *is_constant;     /* by value: known before the model runs, at this level */
    uint32_t *stands_for;  /* by value: the value that remains when the nodes between are gone; itself, mostly */
    uint32_t live_count, folded_count;
};

/* Decides for every node. `arena` holds the result. */
npart_status npart__fold_graph(const struct npart__inference *inference, enum npart__level level,
                               struct npart__arena *arena, struct npart__fold *out, struct npart_error *error);

/* neighbours.c: nodes that go together with others, once each alone has been decided. False when out of memory. */
bool npart__fold_neighbours(const struct npart__inference *inference, struct npart__arena *arena,
                            struct npart__fold *fold);

/* "constant", "shape-arithmetic", ...: stable words for reports. */
const char *npart__fold_word(enum npart__fold_reason reason);
/* A sentence for people. */
const char *npart__fold_sentence(enum npart__fold_reason reason);

#endif
