/* SPDX-License-Identifier: Apache-2.0
 *
 * patterns: nodes of a session that stand to each other as a text says: what compilers and runtimes compute as one
 * (lib/plan/fusions.def, lib/plan/cost/kernels.def).
 *
 * Steps with ';' between: OP[/OP...] OPERAND... = RESULT. An operand is a letter (a value: the same wherever it
 * stands), '#' (a constant), '1' (a constant of one element), '~' (a constant too, but where it is none the pattern is
 * nearly there), or '*' (anything). Operands that are left out do not matter, and those of Add, Mul and the like may
 * stand in either order. A step with '?' before it may be missing, and so those after it. Each step but the first
 * uses a value of one before it, or makes it.
 */
#ifndef NPART_PATTERNS_H
#define NPART_PATTERNS_H

#include "session/session.h"

/* Nodes of one match, and values that its steps name. */
#define NPART__LIMIT_FUSION_STEPS 12u
/* Tries of one place, and users of a value that are looked at. Patterns are tried from every node, so these two
 * bound what a graph can cost that is made to nearly fit everywhere. */
#define NPART__LIMIT_FUSION_TRIES 512u
#define NPART__LIMIT_FUSION_USERS 16u
/* Operands of a node that are looked at; none of a pattern has as many. */
#define NPART__LIMIT_FUSION_OPERANDS 8u
/* A letter of a pattern is one of so many values. */
#define NPART__PATTERN_LETTERS 26

/* The first two are met while a pattern is matched, the next two looked for in what has matched; the others depend on
 * a plan (lib/plan/fusions.c). */
enum npart__obstacle_kind {
    NPART__NOTHING_WRONG,
    NPART__CAST_BETWEEN,
    NPART__NOT_CONSTANT,
    NPART__USED_ELSEWHERE,
    NPART__IS_OUTPUT,
    NPART__OFF_NPU,
    NPART__OTHER_PARTITION,
    NPART__WRONG_TYPE
};

/* What is wrong. */
struct npart__obstacle {
    enum npart__obstacle_kind kind;
    uint32_t node; /* the Cast, or the user */
    uint32_t value;
};

/* A match under way. It is small and copied, so that a try that fails is taken back by assigning the copy. */
struct npart__match_found {
    uint32_t values[NPART__PATTERN_LETTERS];   /* by letter; NPART_NONE: not bound */
    uint32_t nodes[NPART__LIMIT_FUSION_STEPS]; /* by step */
    uint32_t count;
    struct npart__obstacle obstacle;
};

/* A step, read from its text each time its pattern is looked for: a table has some thirty patterns. */
struct npart__pattern_step {
    const char *ops; /* with '/' between */
    size_t op_bytes;
    char operands[6]; /* letters, or '*', '#', '1', '~' */
    uint8_t operand_count;
    char result; /* a letter */
    bool is_optional;
};

/* Names are compared once for a pattern, and not at each node. */
struct npart__pattern_op {
    const char *name;
    uint16_t steps; /* of the pattern at hand, a bit each: those that the op can be */
};

struct npart__matcher {
    const struct npart__session *session;
    const struct npart__graph *graph; /* the session's */
    struct npart__arena *arena;
    struct npart__pattern_step steps[NPART__LIMIT_FUSION_STEPS];
    uint32_t step_count, tries; /* tries: of the place at hand */
    bool allows_obstacle;       /* one thing may be wrong */
    uint32_t *op_of;            /* by interned text: the op's place in `ops`; 0 where no node has it */
    struct NPART__ARRAY(struct npart__pattern_op) ops;
    struct npart__match_found found;
};

/* False when out of memory. What it takes from the arena goes back with npart__matcher_clear. */
bool npart__matcher_init(struct npart__matcher *out, const struct npart__session *session, struct npart__arena *arena);
void npart__matcher_clear(struct npart__matcher *matcher);
/* Reads a pattern, which is looked for from here on. False where the graph lacks an op of it, so that it is nowhere. */
bool npart__matcher_read(struct npart__matcher *matcher, const char *steps);
/* Whether a node may be the pattern's first step, by its op alone. */
bool npart__may_begin(const struct npart__matcher *matcher, uint32_t node);
/* Looks for the pattern with this live node as its first step; what is found is in `found`. */
bool npart__matcher_find(struct npart__matcher *matcher, uint32_t node, bool allows_obstacle);
/* Of what was found: the node whose result no other takes; and what of it is used outside, but for that result. */
uint32_t npart__match_last(const struct npart__matcher *matcher);
struct npart__obstacle npart__match_leak(const struct npart__matcher *matcher, uint32_t last);

#endif
