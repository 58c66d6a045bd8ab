/* SPDX-License-Identifier: Apache-2.0
 *
 * release: what releases of runtimes have, as tables: which there are, which operators the CPU has
 * a kernel for, and what is loaded at all. A new release is a new column, and no code. What their
 * sessions rewrite and infer are tables of lib/runtime/onnxruntime.
 * Every table says where its rows are from: generated from packages, or asked of them one by
 * one. Targets name a runtime in their op list (`runtime onnxruntime 1.24`).
 */
#ifndef NPART_RELEASE_H
#define NPART_RELEASE_H

#include "schema/schema.h"

/* Releases of ONNX Runtime, oldest first. */
enum npart__release {
    NPART__RELEASE_OWN, /* none: what is folded without a runtime */
#define RELEASE(id) NPART__RELEASE_##id,
#include "release/runtimes.def"
    NPART__RELEASES,
    NPART__RELEASE_NEWEST = NPART__RELEASES - 1
};

/* What is known of shapes and elements, so that rules can ask for it. */
enum npart__knowledge {
    NPART__KNOWLEDGE_ALL,     /* what can be known */
    NPART__KNOWLEDGE_SESSION, /* what a session of ONNX Runtime knows */
    NPART__KNOWLEDGE_ONNX,    /* what a tool knows that asks ONNX's inference, and takes the file as it is */
};

/* A row of runtimes.def. Several names may share a release and differ in what is known of
 * shapes. */
struct npart__runtime {
    const char *name, *version; /* "onnxruntime" and "1.24"; "" where it has none */
    enum npart__release release; /* whose kernels and rewrites are meant */
    enum npart__knowledge knows;
};

/* Those that are described, by place; NULL past the last. */
const struct npart__runtime *npart__runtime_at(size_t index);
/* By name and version, NULL for the newest; NULL where none is described. */
const struct npart__runtime *npart__runtime_find(const char *name, const char *version);

/* A row of lib/runtime/onnxruntime/rewrites.def: its level (enum npart_level) and releases. */
struct npart__applies {
    uint8_t level, first, last; /* both releases included */
};
#define NPART__APPLIES(level, first, last) {NPART_LEVEL_##level, NPART__RELEASE_##first, NPART__RELEASE_##last}

static inline bool npart__is_on(struct npart__applies at, unsigned level, enum npart__release release)
{
    return level <= at.level && release >= at.first && release <= at.last;
}

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
#include "operator_roles.def"
};

/* Whether an operator of this name, in any domain, has a role. Linear in the role's list. */
bool npart__op_plays(const char *op, enum npart__role role);
/* The first operator of a role, for a stage that answers with one. */
const char *npart__role_op(enum npart__role role);

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
    int64_t ir_version; /* the newest that is loaded */
    const struct npart__load_line *lines;
    size_t line_count;
};

/* The newest release. */
struct npart__loads npart__newest_loads(void);
/* That of a version as op lists write it ("1.24"); the newest where there is no such row, or for NULL. */
struct npart__loads npart__loads_of(const char *version);
/* The one before; its name is NULL where there is none. */
struct npart__loads npart__loads_before(const struct npart__loads *runtime);
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
