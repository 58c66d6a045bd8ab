/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of lib/change/split share.
 */
#ifndef NPART_SPLIT_INTERNAL_H
#define NPART_SPLIT_INTERNAL_H

#include "onnx/onnx.h"
#include "split/sides.h"
#include "split/split.h"

struct npart__ids NPART__ARRAY(uint32_t);

/* How a node of the main graph comes into parts. take_order makes RUN of all that the plan runs; the rest is told
 * by what became of the node (kind_of). */
enum npart__unit_kind {
    NPART__UNIT_RUN,     /* into one part, by its device and place in the plan's order */
    NPART__UNIT_FOLLOWS, /* fused or without effect: into that of what it takes its operands from */
    NPART__UNIT_COPIED,  /* into each part that needs it: from constants alone, handed on, or doubled by the runtime */
    NPART__UNIT_KNOWN    /* into none: its results are known numbers */
};

struct npart__unit {
    Onnx__NodeProto *node;
    uint32_t first_use, use_count; /* into `uses`: names, of what its bodies use, too */
    uint32_t device;   /* partition; NPART_NONE: the CPU */
    uint32_t position; /* in the plan's order */
    uint32_t into;     /* the unit that it is fused into, or NPART_NONE */
    uint32_t part;     /* of a unit that is in one; of others the last part that it depends on; NPART_NONE: no part */
    uint32_t sequence; /* operands come before users */
    uint8_t kind;      /* enum npart__unit_kind */
    bool is_needed;    /* some output of the model depends on it */
};

/* What the main graph has by a name. One name makes one value: a file in which two nodes make the same name is not
 * read. */
struct npart__named {
    uint32_t unit;    /* that makes it, or NPART_NONE */
    uint32_t value;   /* of the plan's graph, or NPART_NONE */
    /* `input` and `initializer` may both be there: a default that the caller may replace. */
    uint32_t input, output, initializer, sparse, info; /* its place in the list of the graph, or NPART_NONE */
    uint32_t taken_by; /* the last part that has it: part + 1 */
    bool is_marked;    /* as an output of its part */
    uint32_t body_depth; /* bodies around the node at hand that have the name, too */
};

/* Indices into the lists of the model's graph, and of names: no part owns anything of the model. */
struct npart__split_part {
    uint32_t device;
    struct npart__ids units, initializers, sparse; /* `units` once filled: in an order that the standard allows */
    struct npart__ids known;           /* names of constants whose numbers are known */
    struct npart__ids inputs, outputs; /* names */
    const char *file; /* its name in the folder */
};

/* Which functions of the model there are, and which of them each calls. */
struct npart__split_functions {
    struct npart__functions by_name;
    struct npart__ids calls; /* functions, function by function */
    uint32_t *first_call;    /* by function, and one more */
    uint32_t *taken_by;      /* by function: the last part that has it, part + 1 */
};

/* All of one split, for as long as it takes; everything here is in `arena`. */
struct npart__splitting {
    struct npart__arena *arena;
    const struct npart__split_request *request; /* the caller's; of sides its plan alone is there */
    const struct npart__graph *graph; /* of the file */
    struct npart__inference *inference; /* of the plan: locked by the caller */
    Onnx__ModelProto *model; /* the file as it was read again */
    struct npart__strings strings; /* names of the main graph; "" is 0 */
    struct NPART__ARRAY(struct npart__named) names; /* by string */
    /* By place in the file's main graph, which is the id of the node in the plan's graph, too (read_again makes
     * sure). */
    struct npart__unit *units;
    uint32_t unit_count; /* nodes of the main graph */
    struct npart__ids uses; /* names, unit by unit */
    uint32_t *users, *first_user; /* units, by unit */
    struct NPART__ARRAY(struct npart__split_part) parts; /* in the order in which they run */
    uint32_t device_count; /* devices of units are less */
    struct npart__ids ports; /* names that are outputs of their parts, whoever uses them, before all others */
    bool is_of_sides;      /* parts are sides, of which the last has what is constant */
    struct npart__split_functions functions;
    struct npart_error *error;
};

/* units.c: names, nodes and what the plan makes of each. */
npart_status npart__split_read(struct npart__splitting *splitting);
/* order.c: which part each is in. */
npart_status npart__split_order(struct npart__splitting *splitting);
/* parts.c: what each part has. */
npart_status npart__split_fill(struct npart__splitting *splitting);
/* functions.c: who calls whom; and into the part's model those that nodes of its graph need. False when out of
 * memory. */
bool npart__split_list_functions(struct npart__splitting *splitting);
bool npart__split_take_functions(struct npart__splitting *splitting, uint32_t part, const Onnx__GraphProto *graph,
                                 Onnx__ModelProto *out);
/* build.c: the part as a skeleton. */
npart_status npart__split_build(struct npart__splitting *splitting, uint32_t part, uint8_t **data, size_t *bytes);
/* manifest.c: the parts as JSON. */
bool npart__split_manifest(struct npart__splitting *splitting, struct npart__buffer *buffer);

/* manifest.c: a dim by its name, a number, or null, in brackets. */
void npart__split_append_shape(struct npart__splitting *splitting, const struct npart__fact *fact,
                               struct npart__buffer *buffer);
/* units.c: the main graph's name; 0 where it has none. */
uint32_t npart__split_find(const struct npart__splitting *splitting, const char *text);

/* The fact of a name; NULL where it is no value of the plan. */
const struct npart__fact *npart__split_fact(const struct npart__splitting *splitting, uint32_t name);
/* Its whole numbers, all of them, of a type that they are written in; NULL where they are not known. */
const struct npart__known *npart__split_numbers(const struct npart__splitting *splitting, uint32_t name);

#endif
