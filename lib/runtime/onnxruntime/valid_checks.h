/* SPDX-License-Identifier: Apache-2.0
 *
 * What the files of this stage share. valid.c walks the graph and knows schemas, types.c
 * compares element types, shapes.c asks what is known of ranks, axes and sizes. All write their
 * findings by npart__refuse.
 */
#ifndef NPART_VALID_CHECKS_H
#define NPART_VALID_CHECKS_H

#include "release/release.h"
#include "onnxruntime/valid.h"

/* A run of rows of a table; none where `end` is 0. */
struct npart__rows {
    uint8_t first, end;
};

/* The rules of shapes.c for an operator. */
struct npart__shape_rows {
    struct npart__rows ranks, axes, lists; /* of an operand's rank; axes by attribute; axes by input */
    struct npart__rows windows;            /* lists of a window */
    bool has_perm, has_sizes;              /* Transpose; Reshape */
};

/* What is looked up once per operator and version. Zeroed before each walk, as the view that is
 * looked at may change. `passed` is of one walk as well: the second sees other facts. */
struct npart__valid_slot {
    const struct npart__operator *schema; /* as the runtime has it; NULL: it has none */
    bool is_filled, is_deprecated, has_required;
    struct npart__shape_rows shape_rows;
    uint64_t passed; /* the look of operands that were found well typed last; 0: none */
};

/* One look at a graph. There are two: the first with all that we know, which only counts; if it
 * finds something, a second with what the runtime knows at that point, whose findings are
 * written down. */
struct npart__validity {
    struct npart__inference *inference; /* that the findings are for */
    struct npart__inference *view;      /* whose facts are looked at */
    const struct npart__graph *graph; /* the model's, whichever facts are looked at */
    struct npart__loads runtime; /* the newest release of load.def */
    uint32_t found_count; /* problems, told or not */
    bool has_failed;    /* out of memory */
    bool only_counts;   /* findings are not written down */
    struct npart__valid_slot *slots; /* by npart__operator_number */
};

/* A problem of a node (NPART_NONE: of none, which `place` then names). */
void npart__refuse(struct npart__validity *validity, uint32_t node, const char *place, const char *format, ...)
    NPART__PRINTF(4, 5);

/* types.c: element types of operands, and what the file declares of results. */
void npart__check_types(struct npart__validity *validity, uint32_t node, const struct npart__operator *schema);
/* shapes.c: what the standard's shape inference refuses of a node, and of what ours says cannot be. */
void npart__check_shapes(struct npart__validity *validity, uint32_t node, const struct npart__shape_rows *rows);
/* The rules of that kind for an operator, at any version. */
struct npart__shape_rows npart__find_shape_rows(const struct npart__operator *schema);
void npart__check_contradictions(struct npart__validity *validity);

#endif
