/* SPDX-License-Identifier: Apache-2.0
 *
 * Numbers that may be symbolic: dims, and elements of integer tensors that shapes are computed with.
 *
 * One is an int64_t: a plain number, or a handle into a pool of expressions. An expression is a polynomial in
 * normal form over *atoms*: symbols, floor(a/b), max(a, b), min(a, b). Polynomials, their products and the atoms
 * are interned, so equal expressions are equal handles: 2*(s + 1) - 2 and s + s are one.
 *
 * Symbols stand for sizes, whole numbers of at least 0, or for data, which may be negative. A symbol has a name (a
 * graph input's dim) or only an origin (the node whose result cannot be known); an expression without nameless
 * symbols is *named*. Sizes of graph inputs are at least 1, as a model without a batch or a sequence computes
 * nothing; but a cache may be empty in the first step, so names that speak of one keep 0.
 */
#ifndef NPART_EXPRESSION_H
#define NPART_EXPRESSION_H

#include "base/base.h"
#include "base/limits.h"

/* Handles lie where no dim or index of a real model does. From -2**62 on there are 2**31 of them. INT64_MIN and
 * INT64_MAX stay plain numbers: exporters write them as the ends of a Slice. */
#define NPART__HANDLE_BASE (INT64_MIN / 2)
#define NPART__HANDLE_COUNT ((int64_t)1 << 31)
/* A number that is not known and equals nothing, not even itself. */
#define NPART__UNKNOWN NPART__HANDLE_BASE

/* An expression past one of these is replaced by a fresh number: terms of a polynomial, powers of an atom, atoms that
 * an atom would be printed with, which bounds its nesting too. */
#define NPART__LIMIT_TERMS 32u
#define NPART__LIMIT_FACTORS 16u /* different ones of a product */
#define NPART__LIMIT_POWER 16u
#define NPART__LIMIT_ATOM_SIZE 128u
/* Nesting of parentheses and functions in a dim's text. */
#define NPART__LIMIT_EXPRESSION_DEPTH 32u

struct npart__symbol {
    const char *name; /* NULL: nameless */
    uint32_t node;    /* where it came up, or NPART_NONE: a graph input */
    bool is_bound;  /* by the caller; then no expression has it, as it is a number wherever it stands */
    bool is_input;  /* a size of a graph input */
    bool may_be_0;  /* else it is at least 1 */
    bool may_be_negative; /* an element, not a size */
    bool varies;    /* stands for sizes that are known to differ, of an If's branches or a Loop's passes */
    int64_t value;  /* when bound */
    int64_t most;   /* no greater than this; INT64_MAX: nothing is known */
};

/* What is worked out once of an atom, so that it need not be descended into again. */
struct npart__atom_note {
    int64_t least; /* see npart__lower_bound */
    int64_t most;  /* see npart__upper_bound */
    uint32_t size; /* atoms that it is printed with, itself too */
    uint32_t root; /* see npart__root_symbol */
};

struct npart__expressions {
    struct npart__arena *arena;
    const struct npart__limits *limits; /* NULL: as they are */
    struct npart__strings atoms, products, sums; /* keys are the structs in expression_internal.h */
    struct NPART__ARRAY(struct npart__atom_note) notes; /* by atom */
    struct npart__strings names;                 /* of symbols */
    struct NPART__ARRAY(struct npart__symbol) symbols;
    struct NPART__ARRAY(uint32_t) symbol_by_name; /* index + 1 */
    struct NPART__ARRAY(uint32_t) input_symbols;
    uint32_t node; /* origin of symbols made from now on */
    bool reads_inputs; /* symbols named from now on are sizes of graph inputs */
    bool failed;   /* out of memory at some point; results since then are NPART__UNKNOWN */
};

/* An empty pool; false when out of memory. */
bool npart__expressions_init(struct npart__expressions *pool, struct npart__arena *arena);

/* Whether a value is a plain number; else it is a handle, or NPART__UNKNOWN. */
static inline bool npart__is_number(int64_t value)
{
    return value < NPART__HANDLE_BASE || value >= NPART__HANDLE_BASE + NPART__HANDLE_COUNT;
}

/* The result of plain arithmetic, unless it happens to look like a handle. */
static inline int64_t npart__as_number(int64_t value)
{
    return npart__is_number(value) ? value : NPART__UNKNOWN;
}

/* Whether two are known to be the same. */
static inline bool npart__same(int64_t a, int64_t b)
{
    return a == b && a != NPART__UNKNOWN;
}

/* The symbol of this name, made when new; its number when bound. */
int64_t npart__symbol(struct npart__expressions *pool, const char *name, size_t length);
/* The symbol of a text that is taken for a name as it stands, one for each text. It is none of those above: what is
 * bound to the name, or to what the text says, is not its size. */
int64_t npart__mere_name(struct npart__expressions *pool, const char *text);
/* A new nameless symbol that comes from pool->node, for a size. */
int64_t npart__fresh_symbol(struct npart__expressions *pool);
/* The same for an element of a tensor: it may be negative, unless it is known to be no less than a `least` of 0 or more
 * (INT64_MIN: nothing is known). */
int64_t npart__fresh_number(struct npart__expressions *pool, int64_t least);
/* The same for a size that is known to be more than one number. */
int64_t npart__varying_symbol(struct npart__expressions *pool);
/* The same for a size that depends on data and is no greater than `most` (INT64_MAX: nothing is known). */
int64_t npart__bounded_symbol(struct npart__expressions *pool, int64_t most);
/* The symbol that `a` is nothing but, or NPART_NONE. */
uint32_t npart__lone_symbol(const struct npart__expressions *pool, int64_t a);
/* Says of a symbol, which must not be in use yet, that it is no greater than `most`. */
void npart__limit_symbol(struct npart__expressions *pool, const char *name, size_t length, int64_t most);
/* Gives a symbol its number; it must not be in use yet. False when it is bound to another one, or limited to less. */
bool npart__bind_symbol(struct npart__expressions *pool, const char *name, size_t length, int64_t value);

/* Exact arithmetic. A result that does not fit or grows past NPART__LIMIT_TERMS is a fresh number; with an
 * operand NPART__UNKNOWN it is one too. */
int64_t npart__sum(struct npart__expressions *pool, int64_t a, int64_t b);
int64_t npart__difference(struct npart__expressions *pool, int64_t a, int64_t b);
int64_t npart__product(struct npart__expressions *pool, int64_t a, int64_t b);
int64_t npart__floor_quotient(struct npart__expressions *pool, int64_t a, int64_t b);
int64_t npart__ceil_quotient(struct npart__expressions *pool, int64_t a, int64_t b);
int64_t npart__maximum(struct npart__expressions *pool, int64_t a, int64_t b);
int64_t npart__minimum(struct npart__expressions *pool, int64_t a, int64_t b);
/* a / b where b divides a as a polynomial; false otherwise. */
bool npart__exact_quotient(struct npart__expressions *pool, int64_t a, int64_t b, int64_t *out);

/* The largest number known to be no greater than `a`; INT64_MIN when there is none. */
int64_t npart__lower_bound(const struct npart__expressions *pool, int64_t a);

/* The smallest number known to be no less than `a`; INT64_MAX when there is none. */
int64_t npart__upper_bound(const struct npart__expressions *pool, int64_t a);

/* Reads a dim's text: a symbol, or an expression of symbols with + - * / // % and floor, ceil, max, min. What
 * does not parse as an expression is one symbol, blanks and all. */
int64_t npart__parse_dim(struct npart__expressions *pool, const char *text);
/* Whether it is one symbol, and not an expression. */
bool npart__is_dim_name(struct npart__expressions *pool, const char *text);

/* Binds what `text` means to `value`: a symbol, or an expression in one symbol that is not bound yet, which is
 * solved. False with *problem when it conflicts or cannot be solved. */
bool npart__bind_text(struct npart__expressions *pool, const char *text, int64_t value, const char **problem);

/* Whether no nameless symbol is in it: a number, or an expression of sizes that have names. */
bool npart__is_named(const struct npart__expressions *pool, int64_t a);
/* The symbol that an expression's being unknown goes back to: the nameless one made first, else the first. */
uint32_t npart__root_symbol(const struct npart__expressions *pool, int64_t a);
/* "2*sequence + 1"; "?" for nameless symbols. */
void npart__append_dim(struct npart__buffer *buffer, const struct npart__expressions *pool, int64_t a);

#endif
