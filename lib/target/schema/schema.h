/* SPDX-License-Identifier: Apache-2.0
 *
 * schema: what the standard calls the operands and attributes of every operator version, with
 * their types and defaults. One generated table, used by inference (element types, attribute
 * defaults), by op lists (names) and by lib/runtime/onnxruntime (what is allowed). Rows are strings in a
 * compact form, since most are never asked for.
 * A version is in force from its `since` on until the next one: a model that imports opset 12
 * uses Relu of since 6.
 */
#ifndef NPART_SCHEMA_H
#define NPART_SCHEMA_H

#include "base/base.h"

enum npart__operator_flag {
    NPART__OPERATOR_DEPRECATED = 1,
    NPART__OPERATOR_FUNCTION = 2, /* the standard, or the runtime whose it is, defines it by other operators */
    NPART__OPERATOR_RANDOM = 4,   /* not deterministic, so never a constant */
    NPART__OPERATOR_UNSHAPED = 8, /* the standard infers nothing of its results */
};

/* One operator from `since` on. Texts are lists of words, see operators.def. */
struct npart__operator {
    const char *domain; /* "" is ai.onnx */
    const char *name;
    int since;
    const char *flag_letters; /* "" for most */
    const char *inputs, *outputs, *attributes;
    uint32_t least_inputs, least_outputs; /* the most are its operands, unless the last is variadic */
    const char *types;
};

/* What tables of operators are sorted by, and each of their rows begins with. */
struct npart__row_key {
    const char *domain, *name;
    int since;
};
/* The last row of such a table for an operator at or before a version; NULL: there is none. */
const void *npart__last_row(const void *rows, size_t count, size_t row_bytes, const char *domain, const char *name,
                            int64_t version);
#define NPART__LAST_ROW(rows, ...) npart__last_row((rows), NPART__COUNT(rows), sizeof *(rows), __VA_ARGS__)

/* The version of an operator that a model importing `opset_version` of `domain` uses; NULL when there is none. */
const struct npart__operator *npart__operator_find(const char *domain, const char *name, int64_t opset_version);
/* All versions of an operator, oldest first; `*count` 0 and NULL when unknown. */
const struct npart__operator *npart__operator_versions(const char *domain, const char *name, size_t *count);
unsigned npart__operator_flags(const struct npart__operator *op);
/* How many operator versions there are, and which of them this is, counted from 0: for tables with a row for each. */
size_t npart__operator_count(void);
size_t npart__operator_number(const struct npart__operator *op);
const struct npart__operator *npart__operator_at(size_t number);

/* An operand as the schema lists it; texts point into the table and are not terminated. */
struct npart__operand {
    const char *name; /* not terminated */
    size_t name_length;
    const char *type; /* a variable ("T") or a type ("int64"); not terminated */
    size_t type_length;
    bool is_optional, is_variadic;
};

/* The `index`-th input or output as the schema writes it; false past the last. */
bool npart__operator_input(const struct npart__operator *op, unsigned index, struct npart__operand *out);
bool npart__operator_output(const struct npart__operator *op, unsigned index, struct npart__operand *out);

/* The types that a type variable stands for: of each kind the element types, as bits by ONNX's number. */
struct npart__type_set {
    uint32_t tensor, sequence, optional, optional_sequence, sparse;
    bool has_map, has_map_sequence;
    bool is_loose; /* the operands of a variadic one need not agree */
};

/* False when the operator has no such variable. */
bool npart__operator_types(const struct npart__operator *op, const char *variable, size_t length,
                           struct npart__type_set *out);

/* The place of an operand by name, or -1. `*is_output` (may be NULL) says on which side; inputs are tried first,
 * as a few operators use one name on both. */
int npart__operator_find_operand(const struct npart__operator *op, const char *name, size_t length, bool *is_output);

/* An attribute of the schema; what a node gives goes before the default. */
struct npart__attribute_schema {
    char kind;               /* f i s t g F I S T G p P y Y, as in operators.def */
    bool is_required;
    const char *default_text; /* NULL: none; not terminated; a blank stands as \s */
    size_t default_length;
};

bool npart__operator_attribute(const struct npart__operator *op, const char *name, size_t length,
                               struct npart__attribute_schema *out);
/* The name of an attribute, the first from `*at` on, which it moves past it; `*at` is NULL at first. False past the
 * last. */
bool npart__operator_next_attribute(const struct npart__operator *op, const char **at, const char **name,
                                    size_t *length, bool *is_required);
/* The same of those that must be there. */
bool npart__operator_next_required(const struct npart__operator *op, const char **at, const char **name,
                                   size_t *length);

/* ---- functions.c: operators by other operators ------------------------------------------------------------ */

/* Inputs and outputs of operators that have a body here. */
#define NPART__LIMIT_BODY_OPERANDS 8u
/* Values that a body makes. */
#define NPART__LIMIT_BODY_VALUES 64u

/* A body, see functions.def and contrib.def. */
struct npart__body {
    const char *domain, *name;
    int since, opset;         /* of the operator; from which opset of its domain in the model on the body is used */
    const char *flag_letters;
    const char *body;
};

/* A statement of a body; texts are not terminated. */
struct npart__statement {
    const char *conditions, *outputs, *op, *words; /* conditions: [!]name[:value]&...; words: inputs and attributes */
    size_t conditions_length, outputs_length, op_length, words_length;
};

/* The body by which ONNX Runtime replaces an operator in a model of that opset of its domain; NULL where there is
 * none. */
const struct npart__body *npart__body_find(const struct npart__operator *op, int64_t opset_version);
/* The next statement of `*body`, which is moved past it; false at the end. */
bool npart__next_statement(const char **body, struct npart__statement *out);
/* The next word of a list that ends at `end`, divided by `divider`; false at its end. */
bool npart__next_part(const char **list, const char *end, char divider, const char **word, size_t *length);
/* Whether a word is one of a list, with blanks between. */
bool npart__lists_word(const char *list, const char *word);
/* Whether a text is as a pattern of `length` bytes says, in which '*' is any text. */
bool npart__fits_pattern(const char *pattern, size_t length, const char *text);

#endif
