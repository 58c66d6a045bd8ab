/* SPDX-License-Identifier: Apache-2.0
 *
 * runtime: what releases of ONNX Runtime can do by themselves, as tables: which operators the CPU has a kernel for, and
 * what is loaded at all. A new release is a new column.
 */
#ifndef NPART_RUNTIME_H
#define NPART_RUNTIME_H

#include "schema/schema.h"

/* The columns, oldest first. */
enum npart__release {
    NPART__RELEASE_1_24,
    NPART__RELEASE_1_30,
    NPART__RELEASE_1_31,
    NPART__RELEASES, /* how many there are */
    NPART__RELEASE_NEWEST = NPART__RELEASES - 1
};

/* The operator as the CPU provider of a release has it, whose type variables are those that it has a kernel for; false
 * when it has none. Only for operators of ai.onnx. */
bool npart__kernel_find(enum npart__release release, const struct npart__operator *op, struct npart__operator *out);

/* Whether a release has a kernel for an operator whose first input is of this element type. */
bool npart__kernel_exists(enum npart__release release, const struct npart__operator *op, int element_type);

/* Whether an operand of such a kernel may be of an element type: one of the operator's, as npart__operator_input or
 * npart__operator_output tells it. */
bool npart__kernel_takes(const struct npart__operator *kernel, const struct npart__operand *operand, int element_type);

/* ---- roles.c: operators that are treated in a way of their own ------------------------------------------------- */

enum npart__role {
#define ROLE(name, ...) NPART__ROLE_##name,
#include "runtime/roles.def"
};

/* Whether an operator of this name, in any domain, has a role. */
bool npart__op_plays(const char *op, enum npart__role role);

/* ---- load.c: what is loaded at all ------------------------------------------------------------------------- */

/* What a runtime may say of a domain or of a version of an operator. */
enum npart__load_word {
    NPART__LOAD_RELEASE,
    NPART__LOAD_DOMAIN,
    NPART__LOAD_LACKS,
    NPART__LOAD_TAKES,
    NPART__LOAD_KEEPS
};

/* A line of load.def. */
struct npart__load_line {
    uint8_t word; /* enum npart__load_word */
    const char *domain; /* of a release: its name */
    const char *op;     /* NULL where the line names none */
    int64_t version;    /* IR version, opset, or of the operator */
};

/* A release: its own line, and those that belong to it. */
struct npart__loads {
    const char *name;
    int64_t ir_version;
    const struct npart__load_line *lines;
    size_t line_count;
};

/* The newest release. */
struct npart__loads npart__newest_loads(void);
/* The newest opset of a domain; 0: the runtime has no such domain, so others may add it. */
int64_t npart__loads_opset(const struct npart__loads *runtime, const char *domain);
/* The schema by which the runtime judges a node of this operator; NULL when it knows none. */
const struct npart__operator *npart__loads_schema(const struct npart__loads *runtime,
                                                    const struct npart__operator *schema);
/* Whether it takes attributes that the operator does not have. */
bool npart__loads_any_attribute(const struct npart__loads *runtime, const struct npart__operator *schema);
/* Whether it refuses the operator as deprecated. */
bool npart__loads_no_more(const struct npart__loads *runtime, const struct npart__operator *schema);

#endif
