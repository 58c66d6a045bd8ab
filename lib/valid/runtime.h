/* SPDX-License-Identifier: Apache-2.0
 *
 * The releases of runtimes.def, and what the files of this stage share.
 */
#ifndef NPART_VALID_RUNTIME_H
#define NPART_VALID_RUNTIME_H

#include "valid/valid.h"

/* What a runtime may say of a domain or of a version of an operator. */
enum npart__runtime_word {
    NPART__RUNTIME_RELEASE,
    NPART__RUNTIME_DOMAIN,
    NPART__RUNTIME_LACKS,
    NPART__RUNTIME_TAKES,
    NPART__RUNTIME_KEEPS
};

/* A line of runtimes.def. */
struct npart__runtime_line {
    uint8_t word; /* enum npart__runtime_word */
    const char *domain; /* of a release: its name */
    const char *op;     /* NULL where the line names none */
    int64_t version;    /* IR version, opset, or of the operator */
};

/* A release: its own line, and those that belong to it. */
struct npart__runtime {
    const char *name;
    int64_t ir_version;
    const struct npart__runtime_line *lines;
    size_t line_count;
};

/* The newest release. */
struct npart__runtime npart__newest_runtime(void);
/* The newest opset of a domain; 0: the runtime has no such domain, so others may add it. */
int64_t npart__runtime_opset(const struct npart__runtime *runtime, const char *domain);
/* The schema by which the runtime judges a node of this operator; NULL when it knows none. */
const struct npart__operator *npart__runtime_schema(const struct npart__runtime *runtime,
                                                    const struct npart__operator *schema);
/* Whether it takes attributes that the operator does not have. */
bool npart__runtime_takes_any_attribute(const struct npart__runtime *runtime, const struct npart__operator *schema);
/* Whether it refuses the operator as deprecated. */
bool npart__runtime_deprecates(const struct npart__runtime *runtime, const struct npart__operator *schema);

/* A run of rows of a table; none where `end` is 0. */
struct npart__rows {
    uint8_t first, end;
};

/* The rules of shapes.c for an operator. */
struct npart__shape_rows {
    struct npart__rows ranks, axes, lists; /* of an operand's rank; axes by attribute; axes by input */
    bool has_perm;
};

/* What is looked up once per operator and version. */
struct npart__valid_slot {
    const struct npart__operator *schema; /* as the runtime has it; NULL: it has none */
    bool is_filled, is_deprecated, is_constant, has_required;
    struct npart__shape_rows shape_rows;
    uint64_t passed; /* the look of operands that were found well typed last; 0: none */
};

/* One look at a graph. */
struct npart__validity {
    struct npart__inference *inference; /* that the findings are for */
    struct npart__inference *view;      /* whose facts are looked at */
    const struct npart__graph *graph;
    struct npart__runtime runtime;
    uint32_t found_count;
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
