/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the files of judge: a trial is one node before one rule at a time. It lives on the stack and allocates
 * nothing, so that the same rule can be asked again for a report.
 */
#ifndef NPART_JUDGE_EVALUATE_H
#define NPART_JUDGE_EVALUATE_H

#include "judge/judge.h"
#include "oplist/term.h"

/* The part that kept a condition from holding. */
struct npart__failure {
    uint32_t term;             /* NPART_NONE: none did */
    uint32_t value;            /* operand, or NPART_NONE */
    uint32_t operand, element; /* where the loops over operands and elements stood */
    uint32_t it;               /* of an each() */
    bool it_is_output;
};

struct npart__units;

/* One node under trial. All pointers are borrowed. A trial is made anew for each node and stage (npart__trial_init). */
struct npart__trial {
    const struct npart__target *target;
    const struct npart__oplist *oplist;
    const struct npart__session *session;
    struct npart__inference *inference; /* the session's */
    const struct npart__graph *graph;   /* the same */
    const struct npart__node *node;
    const uint32_t *names; /* of a pattern's names, the values; NULL outside patterns */
    uint32_t it;           /* inside each(): the operand it is at */
    bool it_is_output;
    bool is_nested;        /* asked for the sake of another node */
    bool rounds_to_float;  /* what is calculated of fractions is rounded at each step, as float32 is */
    const struct npart__units *units; /* NULL, or those of fusion patterns, which count as well */
    const struct npart__beyond *beyond; /* NULL, or what is known of other nodes */
    bool keeps_answers; /* what is found out of other nodes is kept there */
    bool *looked_beyond; /* NULL, or set when something was asked that equivalent nodes need not share */
    uint32_t steps;      /* places looked at, by which it is seen that there is no more time */
    struct npart__failure failure;
};

/* In the order of the members: no term, no value, the first place, no operand of an each(). */
#define NPART__NO_FAILURE ((struct npart__failure){NPART_NONE, NPART_NONE, 0, 0, NPART_NONE, false})

/* At a node of the session's graph; outside patterns, looking beyond unnoticed, with nothing failed. */
void npart__trial_init(struct npart__trial *trial, const struct npart__target *target,
                       const struct npart__session *session, uint32_t node);
enum npart__truth npart__try(struct npart__trial *trial, uint32_t term);
/* Whether a rule holds; one that the target is not asked, or a `refuse`, has its answer at once. A note or a
 * `unit` line without a condition always holds; a need without one is a refusal. */
static inline enum npart__truth npart__try_rule(struct npart__trial *trial, const struct npart__rule *rule)
{
    bool must_hold =
        rule->kind == NPART_RULE_NEED || rule->kind == NPART_RULE_MAYBE || rule->kind == NPART_RULE_ELSEWHERE;
    trial->failure = NPART__NO_FAILURE;
    if (rule->is_limited && !npart__target_has(trial->target, rule->when))
        return must_hold ? NPART__TRUE : NPART__FALSE;
    if (rule->condition == NPART_NONE)
        return must_hold ? NPART__FALSE : NPART__TRUE;
    return npart__try(trial, rule->condition);
}
/* Appends what was found at the failed part. Nothing where none failed. It moves the trial's `it`, so the trial is
 * done with afterwards. */
void npart__append_found(struct npart__trial *trial, struct npart__buffer *out);

/* The entry of the node's op in a stage, or NPART_NONE. */
uint32_t npart__entry_of(const struct npart__oplist *oplist, uint32_t stage, const struct npart__graph *graph,
                         const struct npart__node *node);

/* ---- match.c: patterns in a graph ------------------------------------------------------------------------ */

struct npart__units {
    uint32_t *unit_of;       /* by node: the fusion pattern whose match it is part of plus one, or 0 */
    uint32_t *fatal_rule_of; /* by node: the rule by which its match fails plus one, or 0 */
    uint32_t *last_of;       /* by node: the last node of its match plus one, or 0 */
};

/* `beyond`: where answers about other nodes are kept. False when out of memory. */
bool npart__match_patterns(const struct npart__target *target, const struct npart__session *session,
                           const struct npart__beyond *beyond, struct npart__arena *arena, struct npart__units *out);
/* The rule of a refusal that matches live nodes, or NPART_NONE. False when out of memory. */
bool npart__find_refusal(const struct npart__target *target, const struct npart__session *session,
                         const struct npart__beyond *beyond, struct npart__arena *arena, uint32_t *rule);
/* What the list's failures match among nodes whose verdict is NPU, into the mask. False when out of memory. Linear
 * in nodes times the failures that may end in their op. */
bool npart__match_failures(const struct npart__target *target, const struct npart__session *session,
                           struct npart__arena *arena, struct npart__mask *mask);

/* A trial of a pattern's rule as it was asked of the match that the node is part of: at that match's node, with its
 * values, which are put in `names`. False where no such match is found again. Linear in the match's nodes. */
bool npart__trial_in_match(struct npart__trial *trial, const struct npart__target *target,
                           const struct npart__session *session, const struct npart__rule *rule, uint32_t node,
                           uint32_t names[NPART__LIMIT_PATTERN_NAMES]);

/* The last node, and by name of a pattern its value and, of a let, the node that makes it; NPART_NONE where it has
 * none. */
struct npart__match {
    uint32_t root;
    uint32_t values[NPART__LIMIT_PATTERN_NAMES], makers[NPART__LIMIT_PATTERN_NAMES];
};
/* Whether a match of the pattern ends in the node, its rules included. Others may use what lies within. Of the session
 * it needs the graph, what is known and what is constant; without `fates` all nodes count. False leaves *out as it
 * was. */
bool npart__match_at(const struct npart__target *target, const struct npart__session *session,
                     const struct npart__pattern *pattern, uint32_t node, struct npart__match *out);

#endif
