/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of cause: how causes are told apart while they are found. A family says what nodes have in common,
 * a key which of them; what users of a plan see of a cause is struct npart__cause.
 */
#ifndef NPART_CAUSE_FINDER_H
#define NPART_CAUSE_FINDER_H

#include "cause/cause.h"
#include "cause/trace.h"

/* What nodes of one cause have in common: with its key, it tells causes apart. */
enum npart__family {
    NPART__FAMILY_RULE,     /* a rule, or rules of several ops that require the same of them */
    NPART__FAMILY_OP,       /* an op that the list does not have */
    NPART__FAMILY_RANK,     /* rules about ranks, by the rank that was found */
    NPART__FAMILY_TYPE,     /* rules about element types, by the type that was found */
    NPART__FAMILY_SYMBOL,   /* a dim of an input, and those that only fall together with it */
    NPART__FAMILY_INPUT,    /* an input of which the file does not say the rank */
    NPART__FAMILY_UNSHAPED, /* nodes without shape inference, by the opset that brings it */
    NPART__FAMILY_CONTROL,  /* nodes with bodies, by op: what they hold, and the shapes after them */
    NPART__FAMILY_DATA,     /* nodes whose output shape depends on the data, by op */
    NPART__FAMILY_RANKLESS, /* nodes whose output has an unknown rank, by op */
    NPART__FAMILY_LOST,     /* nodes whose output shape only the runtime does not know, by op */
    NPART__FAMILY_DECLARED, /* the same, since the file declares another shape, by op */
    NPART__FAMILY_CUT,      /* the user's */
    NPART__FAMILIES
};

/* Ops or dims that a line names; of more it only says that there are others. */
#define NPART__OPS_NAMED 3u

/* What is known of a cause beside what its users see. By the same place as npart__causes.items, until causes are
 * sorted. */
struct npart__about_cause {
    uint8_t family;         /* enum npart__family */
    bool is_mixed;          /* rules of several sentences */
    uint8_t op_count;       /* of the affected nodes, or of the root ones; one more than are named: there are others */
    uint32_t ops[NPART__OPS_NAMED]; /* interned */
    uint32_t key;           /* a rule, symbol, value, number or interned op, as the family has it */
    uint32_t culprit;       /* of the first affected node, or NPART_NONE */
    uint32_t root_count;    /* nodes */
    uint32_t undecided_count;
};

/* Of a dim: how many affected nodes have it, how many of them no other; and which other most of the rest have.
 * `other` is right only if it is a majority: see count_dims. */
struct npart__dim_use {
    uint32_t count, alone, other, votes;
    uint32_t together; /* the first symbol of those that fall together with it */
    uint32_t next;     /* of these; NPART_NONE: the last */
    uint32_t members;  /* of the first: how many there are */
    uint32_t last;     /* of the first: the last so far */
};

struct npart__finder {
    const struct npart__target *target;
    const struct npart__oplist *oplist;
    const struct npart__graph *graph;
    const struct npart__session *session;
    const struct npart__mask *mask;
    const struct npart__partitioning *partitioning;
    struct npart__arena *arena;
    struct npart__causes *out;
    struct npart__trace trace;
    struct NPART__ARRAY(struct npart__about_cause) about; /* by cause */
    uint32_t *slots[NPART__FAMILIES]; /* by family and key: cause + 1; made when the first of a family is met */
    uint32_t *root_in;  /* by node: cause + 1 of which it is a root */
    struct npart__dim_use *uses; /* by symbol */
    bool failed;        /* out of memory; looked at by all, so that all stop */
};

/* Whether a node of a cause was accepted, and left to the CPU for what stands around it, or quantizes for an operator
 * that is. Its cause is that of a neighbour: it is affected, but no root. */
static inline bool npart__is_left_over(const struct npart__finder *finder, uint32_t node)
{
    uint32_t rule = finder->partitioning->handed_back[node];
    const struct npart__reason *reason =
        rule == NPART_NONE ? npart__first_reason(finder->oplist, finder->mask, node) : NULL;
    if (reason && finder->oplist->rules.items[reason->rule].kind == NPART_RULE_UNIT)
        rule = reason->rule;
    /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): what is handed back has a cause, so there is a list */
    return rule != NPART_NONE && finder->out->items.items[finder->out->cause_of[node]].rule != rule;
}

/* text.c: the line for people of every cause. */
void npart__word_causes(struct npart__finder *finder);

/* root.c: what of every cause is the same in all models; after its line. */
void npart__name_roots(struct npart__finder *finder);

/* lists.c: the root nodes of every cause and the partitions that it ends, then the causes that end most first. */
void npart__list_causes(struct npart__finder *finder);

/* Whether a rule refuses the op itself, whatever its operands are: no size that is fixed changes that. */
static inline bool npart__refuses_op(const struct npart__rule *rule)
{
    return rule->about == NPART_ABOUT_OP && rule->condition == NPART_NONE && !rule->is_fatal;
}

#endif
