/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions as trees of terms, shared by the parser and the evaluator. The words of the
 * language stand here once, in two lists: a row has the word, what stands in its parentheses,
 * and what a rule is about that asks it first. The parser, the writer (term_text.c) and the
 * evaluator (lib/judge/answer.c) are made of these rows, so a new word cannot be forgotten in
 * one of them.
 * Terms of a list lie in one array and refer to each other by index. A condition such as rank(X)
 * <= 4 and const(W) is
 *      AND(COMPARE(FUNCTION rank X, NUMBER 4), PREDICATE const W)
 */
#ifndef NPART_OPLIST_TERM_H
#define NPART_OPLIST_TERM_H

#include "oplist/oplist.h"

/* What a term is. Conditions have a truth (yes, no, unknown); numbers and words have values, of
 * which a selector of several operands has several. */
enum npart__term_kind {
    /* conditions */
    NPART__TERM_AND,
    NPART__TERM_OR,
    NPART__TERM_NOT,
    NPART__TERM_COMPARE,   /* left op right */
    NPART__TERM_IN,        /* left, then items from right on linked by `next`; op 1: not in */
    NPART__TERM_PREDICATE, /* op is an enum npart__predicate */
    NPART__TERM_EACH,      /* left holds for every operand of the selector that is there, which it calls `it` */
    /* items of a set: left alone, or a range from left to right, either of which may be NPART_NONE */
    NPART__TERM_ITEM,
    /* numbers and words */
    NPART__TERM_NUMBER,
    NPART__TERM_WORD,
    NPART__TERM_FUNCTION,   /* op is an enum npart__function */
    NPART__TERM_ARITHMETIC, /* left op right, op a character */
};

/* Questions with yes or no for an answer. OPERAND is one operand or several, and the answer must
 * be yes for each; SWITCH and VARIANT take a name that the list declares; NOTHING has no
 * parentheses. */
#define NPART__PREDICATES(X)                                                                                           \
    X(STATIC, "static", OPERAND_MAYBE_INDEX, DYNAMIC) /* every dim is a number, or one, or all from one on */ \
    X(BOUNDED, "bounded", OPERAND, DYNAMIC)           /* every dim is known to be no greater than a number */          \
    X(CONST, "const", OPERAND, CONSTANT)              /* known before the model runs */                                \
    X(INITIALIZER, "initializer", OPERAND, CONSTANT)  /* the same, or an initializer that is an input, too */          \
    X(QCONST, "qconst", OPERAND, CONSTANT)            /* the same, or comes from DequantizeLinear of what is */        \
    X(PRESENT, "present", OPERAND, SHAPE)             /* the operand is there */                                       \
    X(QUANTIZED, "quantized", OPERAND, DTYPE)         /* comes from DequantizeLinear or goes to QuantizeLinear */      \
    X(GRAPH_INPUT, "graph_input", OPERAND, POLICY)    /* is an input of the graph */                                   \
    X(GRAPH_OUTPUT, "graph_output", OPERAND, POLICY)  /* is an output of the graph */                                  \
    X(UNIFORM, "uniform", OPERAND, CONSTANT)          /* every element of a constant is the same */                    \
    X(COUNTS_UP, "counts_up", OPERAND, CONSTANT)      /* elements of a constant: 0, 1, 2, ... by rows or columns */    \
    X(DECLARED, "declared", OPERAND, SHAPE)           /* the file states its shape */                                  \
    X(TAKEN, "taken", OPERAND, POLICY)                /* the node that makes it passes the rules of its op */         \
    X(IN_UNIT, "in_unit", OPERAND, POLICY)            /* every node that uses it forms a QDQ node unit */             \
    X(BEHIND_LAYOUT, "behind_layout", OPERAND, POLICY) /* made by an op of a `layout` line, past `through` ops */      \
    X(BEHIND_TRANSPOSE, "behind_transpose", OPERAND, POLICY) /* a Transpose is moved there, past `through` ops */      \
    X(IN_GEMM, "in_gemm", OPERAND, POLICY)            /* every node that uses it is a MatMul that becomes a Gemm */    \
    X(INPUTS_DECLARED, "inputs_declared", NOTHING, SHAPE) /* the file states a shape for every input of the model */   \
    X(CAPTURES, "captures", NOTHING, POLICY)          /* its bodies use values from outside that are no constants */   \
    X(HAS, "has", ATTRIBUTE, ATTRIBUTE)               /* the node carries the attribute */                             \
    X(ELLIPSIS, "ellipsis", ATTRIBUTE, ATTRIBUTE)     /* an equation of Einsum has an ellipsis */                      \
    X(SWITCH, "switch", SWITCH, POLICY)               /* the switch is on */                                           \
    X(VARIANT, "variant", VARIANT, POLICY)            /* the chosen variant is, or is like, this one */

/* Questions with a number or a word for an answer. A question about several operands has several
 * answers, and a comparison must hold for each. INDEX after a comma is an axis or an element. */
#define NPART__FUNCTIONS(X)                                                                                            \
    X(DTYPE, "dtype", OPERAND, DTYPE)       /* element type */                                                         \
    X(QDTYPE, "qdtype", OPERAND, DTYPE)     /* the type before dequantizing or after quantizing, else the own */       \
    X(QSCALES, "qscales", OPERAND, SHAPE)   /* number of scales of its (de)quantization; 0 without one */              \
    X(QSCALE, "qscale", OPERAND, ATTRIBUTE) /* every scale of its (de)quantization */                                  \
    X(QZERO, "qzero", OPERAND, ATTRIBUTE)   /* every zero point of it */                                               \
    X(RANK, "rank", OPERAND, RANK)                                                                                     \
    X(DIMS_OVER_ONE, "dims_over_one", OPERAND, RANK) /* number of dims that are not 1 */                               \
    X(DIM, "dim", OPERAND_INDEX, SHAPE)     /* dim(X, -1): size of an axis */                                          \
    X(NUMEL, "numel", OPERAND, SHAPE)       /* number of elements */                                                   \
    X(VALUE, "value", OPERAND_MAYBE_INDEX, ATTRIBUTE) /* every element of a constant, or one */                        \
    X(ATTR, "attr", ATTRIBUTE_INDEX, ATTRIBUTE) /* the attribute, or its default; every element, or one */            \
    X(EQUATION, "equation", ATTRIBUTE, ATTRIBUTE) /* the same, as an equation of Einsum */                             \
    X(LENGTH, "length", ATTRIBUTE, ATTRIBUTE) /* elements of a list attribute */                                       \
    X(COUNT, "count", SIDE, SHAPE)          /* count(inputs), count(outputs): how many are present */                  \
    X(NAME, "name", OPERAND, POLICY)        /* the value's name */                                                     \
    X(PRODUCER, "producer", OPERAND, POLICY)  /* op that makes it; "none" for inputs and initializers */               \
    X(QPRODUCER, "qproducer", OPERAND, POLICY) /* the same, past its DequantizeLinear */                               \
    X(CASTS, "casts", OPERAND, POLICY)      /* types that Casts make of it; "none" without one */                      \
    X(ORIGIN, "origin", OPERAND, POLICY)      /* the op that makes it, past Transposes */                              \
    X(QORIGIN, "qorigin", OPERAND, POLICY)    /* the same, past its DequantizeLinear first */                          \
    X(CONSUMERS, "consumers", OPERAND, POLICY) /* every op that uses it */                                             \
    X(USERS, "users", OPERAND, POLICY)      /* how often nodes and the graph's outputs use it */                       \
    X(OP, "op", NOTHING, OP)                /* the node's own op: for rules about every op */                          \
    X(OPSET, "opset", NOTHING, OP)          /* version of the node's domain */                                         \
    X(LIMIT, "limit", LIMIT, SHAPE)         /* a number of the target's, by variant */                                 \
    X(NODES, "nodes", NOTHING, POLICY)      /* live nodes of the model */                                              \
    X(TOOLCHAIN, "toolchain", NOTHING, POLICY) /* the chosen one's place among them */

enum npart__predicate {
#define X(id, word, argument, about) NPART__PREDICATE_##id,
    NPART__PREDICATES(X)
#undef X
};

enum npart__function {
#define X(id, word, argument, about) NPART__FUNCTION_##id,
    NPART__FUNCTIONS(X)
#undef X
};

/* In the order of the marks in parse_comparison (condition.c), whose places these numbers are. */
enum npart__comparison_op {
    NPART__EQUAL,
    NPART__NOT_EQUAL,
    NPART__LESS,
    NPART__LESS_EQUAL,
    NPART__GREATER,
    NPART__GREATER_EQUAL,
};

/* One term. Which members count depends on the kind: `left`, `right` and `next` are terms,
 * `selector` says which operands are asked. What does not depend on the node is resolved when
 * the list is read: defaults of attributes, bits of switches, types named by words. */
struct npart__term {
    uint8_t kind, op; /* op: see the kinds; of a NUMBER 1 where it has a fraction, of an ITEM 1 where it is a range */
    uint8_t element_type; /* of a word that names one */
    bool has_index;       /* of attr(), value() and static(): `number` is the element or axis asked for */
    bool to_last;         /* ... and all after it */
    uint32_t left, right, next;
    uint32_t selector;    /* of a predicate or function about operands */
    int64_t number;       /* also a switch bit, a variant, the index of dim() */
    double real; /* of a NUMBER with a fraction: its value */
    const char *word;     /* also an attribute's name; of a NUMBER with a fraction as it is written, or a toolchain */
    const char *fallback; /* default of an attribute as text; NULL: none */
    char attribute_kind; /* of the schema: i f s, and capitals for lists; 0: not in the standard */
    bool defaults_differ; /* between versions of the operator: the node's own counts */
    int32_t first_since, last_since; /* versions of the operator that have the attribute */
};

enum npart__selector_kind { NPART__SELECT_ALL, NPART__SELECT_INPUTS, NPART__SELECT_OUTPUTS, NPART__SELECT_ONE,
                           NPART__SELECT_IT,  /* the operand that an each() is at */
                           NPART__SELECT_NAME /* of a pattern, versions[0].index of its names */ };

/* Which operand a name means, by version of the operator: its place may move. A name that moves more often than
 * this is not found (operand.c). */
#define NPART__SELECTOR_VERSIONS 6u

/* For instance `W` of Conv: input 1 in all versions. Versions are listed only where the place
 * changes; the last row whose `since` is at most the node's version counts. Rows are sorted by `since`, and the
 * first has 0, so that a version older than all is served, too. What `*`, `inputs` and `it` mean is asked of the
 * node, so they have no rows. */
struct npart__selector {
    uint8_t kind;
    const char *name;
    uint8_t version_count;
    struct {
        int32_t since;
        int16_t index; /* -1: that version has no such operand */
        bool is_output, is_variadic;
    } versions[NPART__SELECTOR_VERSIONS];
};

#endif
