/* SPDX-License-Identifier: Apache-2.0
 *
 * Conditions as trees of terms, shared by the parser and the evaluator; the questions that they ask are the rows of
 * questions.def.
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
    NPART__TERM_PRODUCT,    /* of all elements of left */
    NPART__TERM_FIRST,      /* left, or right where that is absent */
    NPART__TERM_REPEAT,     /* a list of left, right times; without left 0, 1, 2, ... */
    NPART__TERM_ROOT,       /* the square root of left */
};

enum npart__predicate {
#define PREDICATE(id, word, argument, about, adjective) NPART__PREDICATE_##id,
#include "oplist/questions.def"
};

enum npart__function {
#define FUNCTION(id, word, argument, about, answers, noun, is) NPART__FUNCTION_##id,
#include "oplist/questions.def"
};

/* What stands in the parentheses of a question: rank(X) an operand, dim(X, -1) an operand and an
 * axis, switch(float) a switch. */
enum npart__argument {
    NPART__ARGUMENT_OPERAND,
    NPART__ARGUMENT_OPERAND_INDEX,
    NPART__ARGUMENT_OPERAND_MAYBE_INDEX,
    NPART__ARGUMENT_ATTRIBUTE,
    NPART__ARGUMENT_ATTRIBUTE_INDEX,
    NPART__ARGUMENT_SWITCH,
    NPART__ARGUMENT_VARIANT,
    NPART__ARGUMENT_SIDE,
    NPART__ARGUMENT_LIMIT,
    NPART__ARGUMENT_NOTHING,
};

/* With what an answer can be compared. */
enum npart__answers {
    NPART__ANSWERS_ANY,
    NPART__ANSWERS_TYPE,
    NPART__ANSWERS_CASTS, /* a type, or `none` */
    NPART__ANSWERS_OP,
    NPART__ANSWERS_NUMBER,
};

/* Most elements of a REPEAT: how many there are may come from a file. */
#define NPART__LIMIT_REPEATED (1u << 20)

/* A row of questions.def; of a predicate the noun is its adjective. */
struct npart__question {
    const char *word;
    uint8_t argument, about, answers;
    const char *noun, *is;
};
extern const struct npart__question npart__predicates[], npart__functions[];
#define NPART__PREDICATES (NPART__PREDICATE_VARIANT + 1u)
#define NPART__FUNCTIONS (NPART__FUNCTION_TOOLCHAIN + 1u)

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
    bool to_last;         /* ... and all after it, of dims() up to `last` */
    uint32_t left, right, next;
    uint32_t selector;    /* of a predicate or function about operands */
    int64_t number;       /* also a switch bit, a variant, the index of dim() */
    int64_t last;         /* of dims(): counted from the end when negative; of both axes `right` and `next` are the
                           * numbers where they are calculated, NPART_NONE where they are not */
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

/* The question that a term asks; NULL: it is none. */
static inline const struct npart__question *npart__question_of(const struct npart__term *term)
{
    return term->kind == NPART__TERM_PREDICATE  ? &npart__predicates[term->op]
           : term->kind == NPART__TERM_FUNCTION ? &npart__functions[term->op]
                                                : NULL;
}

#endif
