/* SPDX-License-Identifier: Apache-2.0
 *
 * edit: changes of a model, as rewrites make them. A *site* is one node that is to be replaced, with what is known of
 * the graph round it, and the builder of what comes in its place:
 *
 *     const char *x = npart__operand_name(site, 0);
 *     const char *equal = NPART__MAKE(site, "Equal", x, x);
 *     npart__finish(site, 0, NPART__MAKE(site, "Not", equal));
 *
 * Values are referred to by name, since that is what a node of the file has; facts are asked by id of the graph, which
 * stays as it was analysed until the edits are packed. A result that is replaced keeps its name, so users of it need
 * no change. Nothing needs to be removed: nodes and initializers that have become unused go by themselves. New nodes
 * stand where the site's node stood, get unique names, and carry its metadata.
 *
 * After a failure builders return NULL, take NULL operands as failed before, and set `failed`; a rewrite need not look.
 */
#ifndef NPART_EDIT_H
#define NPART_EDIT_H

#include "infer/infer.h"
#include "npu_partition/mend.h"

/* A version of the model: a skeleton that lost nothing (see `keeps_all` in wire.h), packed. Records of what the
 * scan left out are ranges of that file, so its length goes with every version of it. */
struct npart__version {
    uint8_t *data; /* of the arena that it was read or packed into */
    size_t bytes; /* of the skeleton, not of the file */
    uint64_t input_bytes; /* of the file that it was scanned from */
    const struct npart__limits *limits; /* of its graph; NULL: as they are */
    const void *objects; /* unpacked, of the graph that was built from it and has them; NULL: they are not there */
    const struct npart__made_objects *made; /* the same, for a model that is to be made; NULL: it unpacks the version */
};

/* What an editor has made of a version, for the model that is the next one. */
struct npart__life;
struct npart__made_objects {
    void *objects;
    struct npart__arena *arena; /* in which they lie: the model takes it over */
    struct npart__life *life;   /* of the model that they share texts with: it is kept alive */
    const struct npart__strings *names; /* of its graph */
};

struct npart__editor; /* edit_internal.h */

struct npart__site {
    struct npart__editor *editor; /* which collects what is made */
    const struct npart__graph *graph; /* as it was analysed */
    struct npart__inference *inference; /* all that is known, whatever the runtime knows */
    const bool *is_constant;            /* by value: known before the model runs, once constants are folded; or NULL */
    uint32_t id;                        /* of the node that is to be replaced */
    const struct npart__node *node;
    const char *rewrite;   /* its id, part of new names */
    uint8_t equality;      /* enum npart_equality: the row's; a rewrite may make it weaker or stronger at this site */
    bool is_rounded;       /* of class bits-if: where the condition holds results are rounded elsewhere all the same */
    const char *caveat;    /* what a user must know of it at this site; NULL: the row's. Lives as long as the arena */
    bool failed;           /* out of memory, or what was asked for cannot be made */
    bool is_impossible;    /* the latter: a form that the opset lacks, a constant of a type that cannot be written */
    struct npart__arena *arena; /* of the editor: for texts and scratch of a rewrite */
};

/* ---- what is there ----------------------------------------------------------------------------------------------- */

/* The value of an operand or result of the site's node; NPART_NONE where it is absent. */
static inline uint32_t npart__operand(const struct npart__site *site, uint32_t index)
{
    return npart__node_input(site->graph, site->node, index);
}
static inline bool npart__has_operand(const struct npart__site *site, uint32_t index)
{
    return npart__operand(site, index) != NPART_NONE;
}
static inline uint32_t npart__result(const struct npart__site *site, uint32_t index)
{
    return npart__node_output(site->graph, site->node, index);
}
/* The name of a value, "" for NPART_NONE. */
const char *npart__site_name(const struct npart__site *site, uint32_t value);
static inline const char *npart__operand_name(const struct npart__site *site, uint32_t index)
{
    return npart__site_name(site, npart__operand(site, index));
}

/* The element type of a value; 0 where it is unknown or absent. */
int npart__site_type(const struct npart__site *site, uint32_t value);
/* Rank and dims of a value all of whose dims are numbers; else false. `dims` has room for NPART__LIMIT_RANK. */
bool npart__site_dims(const struct npart__site *site, uint32_t value, int64_t *dims, uint32_t *rank);
/* The rank; false where it is unknown. */
bool npart__site_rank(const struct npart__site *site, uint32_t value, uint32_t *rank);
/* The elements of a constant: whole numbers, or any numbers, exact ones. NULL where they are not known, are not the
 * same in every run, or are more than the limit (npart__known). */
const int64_t *npart__site_ints(struct npart__site *site, uint32_t value, uint32_t *count);
const double *npart__site_doubles(struct npart__site *site, uint32_t value, uint32_t *count);
/* Whether a value is the same in every run, whether or not its elements are known. */
bool npart__site_is_constant(const struct npart__site *site, uint32_t value);

/* The node that makes a value in the same list of nodes, if it is of this op ("Relu", "com.microsoft:Gelu"); else
 * NPART_NONE. */
uint32_t npart__site_maker(const struct npart__site *site, uint32_t value, const char *op);
/* The same, if its elements come from its operands in one of these ways (NPART__WAY). */
uint32_t npart__site_made_by(const struct npart__site *site, uint32_t value, uint64_t ways);
/* The first operand of the node by which an earlier site of this version makes the value now, if its elements come
 * about in one of these ways; else NULL. */
const char *npart__made_from(const struct npart__site *site, uint32_t value, uint64_t ways);
/* Whether the value is neither used nor an output of the graph; true for NPART_NONE. */
bool npart__is_unused(const struct npart__site *site, uint32_t value);

/* Attributes of any node: what it gives, else the schema's default, else `fallback`. */
int64_t npart__site_int(const struct npart__site *site, uint32_t node, const char *name, int64_t fallback);
double npart__site_float(const struct npart__site *site, uint32_t node, const char *name, double fallback);
const char *npart__site_text(const struct npart__site *site, uint32_t node, const char *name, const char *fallback);
/* NULL where the node does not give it. */
const int64_t *npart__site_int_list(const struct npart__site *site, uint32_t node, const char *name, uint32_t *count);
bool npart__site_has(const struct npart__site *site, uint32_t node, const char *name);
/* The version of ai.onnx's operators that new nodes are of. */
int32_t npart__site_opset(const struct npart__site *site);

/* ---- what comes in its place ------------------------------------------------------------------------------------- */

/* A new node of an op ("Relu", "com.microsoft:Gelu"): the name of its first result. Operands are names; "" is one that
 * is left out, and trailing ones are dropped. */
const char *npart__make(struct npart__site *site, const char *op, const char *const *operands, uint32_t count);
#define NPART__MAKE(site, op, ...)                                                                                     \
    npart__make((site), (op), (const char *const[]){__VA_ARGS__},                                                      \
                (uint32_t)(sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *)))
/* A copy of a node of the graph with other operands: attributes, bodies and all. It has as many results as that has,
 * absent ones too. */
const char *npart__make_like(struct npart__site *site, uint32_t node, const char *const *operands, uint32_t count);
/* These change the node that was made last. */
void npart__give_int(struct npart__site *site, const char *name, int64_t value);
void npart__give_float(struct npart__site *site, const char *name, double value);
void npart__give_text(struct npart__site *site, const char *name, const char *value);
void npart__give_ints(struct npart__site *site, const char *name, const int64_t *values, uint32_t count);
void npart__drop_attribute(struct npart__site *site, const char *name);
/* Gives it `count` results (it has one, or those of the node it is a copy of). The index-th is asked by
 * npart__made_result. */
void npart__give_results(struct npart__site *site, uint32_t count);
const char *npart__made_result(struct npart__site *site, uint32_t index);

/* New constants: the name of an initializer of the site's graph. Numbers are rounded to the type as ONNX Runtime's
 * Cast does; bool, integers of 8 to 64 bits and floats of 16 to 64 bits, as npart__can_write says. */
bool npart__can_write(int element_type);
const char *npart__make_constant(struct npart__site *site, int element_type, const int64_t *dims, uint32_t rank,
                                 const double *values);
const char *npart__make_int_constant(struct npart__site *site, int element_type, const int64_t *dims, uint32_t rank,
                                     const int64_t *values);
/* 0, 1, 2, ... of an integer type. */
const char *npart__make_counting(struct npart__site *site, int element_type, const int64_t *dims, uint32_t rank);
/* One number of rank 0; `count` INT64 numbers of rank 1. */
const char *npart__make_scalar(struct npart__site *site, int element_type, double value);
const char *npart__make_ints(struct npart__site *site, const int64_t *values, uint32_t count);

/* Operators of two operands that are made again and again; the comment says which. */
typedef const char *npart__make_pair(struct npart__site *site, const char *a, const char *b);
npart__make_pair npart__make_add, npart__make_subtract, npart__make_multiply, npart__make_divide;
npart__make_pair npart__make_matmul; /* a product of matrices */
npart__make_pair npart__make_less, npart__make_greater, npart__make_and, npart__make_or;
npart__make_pair npart__make_gather; /* rows of a table, and their places; along the first axis, if no other is given */
const char *npart__make_where(struct npart__site *site, const char *condition, const char *yes, const char *no);
const char *npart__make_not(struct npart__site *site, const char *x);
const char *npart__make_expand(struct npart__site *site, const char *x, const int64_t *dims, uint32_t rank);

/* Operators whose form depends on the opset: axes as an attribute or as an operand. Dims are given in full. */
const char *npart__make_reshape(struct npart__site *site, const char *x, const int64_t *dims, uint32_t rank);
/* The same with dims that are computed. */
const char *npart__make_reshape_by(struct npart__site *site, const char *x, const char *dims);
const char *npart__make_shape(struct npart__site *site, const char *x);
const char *npart__make_flatten(struct npart__site *site, const char *x, int64_t axis);
const char *npart__make_transpose(struct npart__site *site, const char *x, const int64_t *order, uint32_t rank);
const char *npart__make_cast(struct npart__site *site, const char *x, int element_type);
const char *npart__make_unsqueeze(struct npart__site *site, const char *x, const int64_t *axes, uint32_t count);
const char *npart__make_squeeze(struct npart__site *site, const char *x, const int64_t *axes, uint32_t count);
/* Of an operator whose axes are an attribute or an operand, by the opset: Squeeze, ReduceSum, ... */
const char *npart__make_with_axes(struct npart__site *site, const char *op, const char *x, const int64_t *axes,
                                  uint32_t count);
const char *npart__make_concat(struct npart__site *site, const char *const *operands, uint32_t count, int64_t axis);
/* Along one axis, from start to end by step. */
const char *npart__make_slice(struct npart__site *site, const char *x, int64_t axis, int64_t start, int64_t end,
                              int64_t step);
/* `op` is one of the Reduce operators; axes are not negative. */
const char *npart__make_reduce(struct npart__site *site, const char *op, const char *x, const int64_t *axes,
                               uint32_t count, bool keeps_dims);
typedef const char *npart__make_reduction(struct npart__site *site, const char *x, const int64_t *axes, uint32_t count,
                                          bool keeps_dims);
npart__make_reduction npart__make_reduce_sum, npart__make_reduce_mean;
/* Zeros before and after each of the axes: all numbers before, then all after. */
const char *npart__make_pad(struct npart__site *site, const char *x, const int64_t *pads, uint32_t rank);
/* Results by npart__made_result. */
const char *npart__make_split(struct npart__site *site, const char *x, int64_t axis, const int64_t *sizes,
                              uint32_t count);

/* The nodes of a body or of a called function, in the site's graph: its inputs become `operands` (names, as many as
 * the body or the call has, "" for one that is left out), everything else that is defined in it gets new names. Writes
 * the names of its outputs into `results`, which has room for as many as the body or the call has. Values that it
 * captures stay what they are. May be called several times for one scope. False when out of memory, or where it cannot
 * be done: a function that imports other versions than the model, a body with sparse initializers. */
bool npart__splice(struct npart__site *site, uint32_t scope, const char *const *operands, const char **results);

/* The site's result is `name` from here on: a result of a new node, a new constant, or a value that is there. */
void npart__finish(struct npart__site *site, uint32_t result, const char *name);
/* The same of a result of another node of the same list of nodes. */
void npart__finish_value(struct npart__site *site, uint32_t value, const char *name);

#endif
