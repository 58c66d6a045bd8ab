/* SPDX-License-Identifier: Apache-2.0
 *
 * judge: a verdict for every live node by a target's op list, with the rules that it stands on.
 *
 * Evaluation is three-valued: a rule whose operands are not known neither holds nor fails. All rules of a node are
 * tried, so that every failing one can be named.
 *
 * Unknown is an answer of its own, from the operand up to the verdict: MAYBE of a rule, UNDECIDED of a node. It becomes
 * NPU or CPU nowhere, but counts as CPU where partitions are formed.
 */
#ifndef NPART_JUDGE_H
#define NPART_JUDGE_H

#include "session/session.h"
#include "oplist/oplist.h"

/* Nodes that a conversion of layout is followed past. */
#define NPART__LIMIT_LAYOUT_STEPS 64u
/* Nodes of one match of a fusion pattern. */
#define NPART__LIMIT_UNIT_NODES 64u
/* Parts looked at before a place is given up, so that no list makes matching slow. */
#define NPART__LIMIT_MATCH_STEPS 4096u

/* Ordered, so that `and` is the smaller and `or` the greater of two. MAYBE is what a rule says where its operands
 * are not known; printed as "unknown". */
enum npart__truth { NPART__FALSE, NPART__MAYBE, NPART__TRUE };

/* A rule that did not hold for a node, or a note that applies. */
struct npart__reason {
    uint32_t node, rule;
    uint8_t truth; /* FALSE or MAYBE; of a note, TRUE */
};

/* Accepted nodes that fail to compile where all of them are in one partition. */
struct npart__failing {
    uint32_t first_node, node_count; /* in failing_nodes; the first is the one that is held responsible */
    uint32_t rule;
};

/* As what the target's compiler holds a tensor of integers: what the first node said that it looked at. */
enum npart__held { NPART__HELD_NONE, NPART__HELD_QUANTIZED, NPART__HELD_PLAIN, NPART__HELD_UNKNOWN };

/* How the runtime turns the axes of what a node makes: a Transpose after it brings channels to the front or to the end
 * again, or one of which no more is known. */
enum npart__turned { NPART__TURNED_NOT, NPART__TURNED_TO_FRONT, NPART__TURNED_TO_END, NPART__TURNED_SOMEHOW };

/* What rules were answered of nodes for the sake of others, so that a node which many look at is asked once. One more
 * than the answer, by node of the graph; 0: not asked. */
struct npart__beyond {
    const struct npart__graph *graph;
    uint8_t *units, *taken; /* whether a `unit` rule holds; whether it is taken by its own rules: enum npart__truth */
    uint8_t *held; /* by value: enum npart__held; NULL: what is of integers is quantized */
    uint8_t *turned; /* by value, with `held`: enum npart__turned */
    uint32_t *source; /* by value, with `held`: what it is read from where the Transpose that makes it moves on or is
                         undone; or NPART_NONE */
    uint32_t *first_user; /* by value, with `held`: of a constant of INT32, which a quantized operator adds, the first
                             of these that was looked at and taken; or NPART_NONE */
};

/* Of a graph of the session, copies included; in the plan's arena. */
struct npart__mask {
    uint8_t *verdicts;      /* by node: enum npart_verdict up to UNKNOWN; CPU for a node that is not live */
    uint32_t *first_reason; /* by node, into reasons; the next node's ends it */
    bool *in_units;         /* by node: it falls back, and with it what quantizes for it */
    uint32_t *match_of;     /* by node: the last node of the match of a pattern that it is part of plus one, or 0 */
    struct npart__beyond beyond;
    /* By node and, within one, in the order in which the rules were tried; of a node that was handed to the CPU
     * later the new one is last. */
    struct NPART__ARRAY(struct npart__reason) reasons;
    struct NPART__ARRAY(struct npart__failing) failing;
    struct NPART__ARRAY(uint32_t) failing_nodes;
};

/* What the user assumes of a node, whatever the rules say. By `--assume` of all nodes of an op, or by
 * `--assume-node` of one. */
enum npart__assumption_of { NPART__ASSUME_NOTHING, NPART__ASSUME_CPU, NPART__ASSUME_NPU };

/* An op among the graph's interned strings; NPART_NONE: no node has it. Texts of a graph are interned once, so two
 * numbers decide what else needs two comparisons of strings. Valid for that graph alone: another one numbers its
 * texts anew. */
struct npart__op_id {
    uint32_t op_type, domain;
};
/* Of texts, with their domain where it is not ai.onnx. NULL when out of memory. */
struct npart__op_id *npart__find_ops(const struct npart__graph *graph, const char *const *texts, uint32_t count,
                                     struct npart__arena *arena);
static inline bool npart__is_op(const struct npart__node *node, struct npart__op_id id)
{
    return node->op_type == id.op_type && node->domain == id.domain;
}
/* Whether the node is of one of these ops. */
static inline bool npart__is_among(const struct npart__node *node, const struct npart__op_id *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        if (npart__is_op(node, ids[i]))
            return true;
    return false;
}

/* The rule by which the CPU's side of the target cannot run the node; NPART_NONE when it can. `policy_ops`: the list's
 * in the node's graph. */
uint32_t npart__fallback_rule(const struct npart__target *target, const struct npart__op_id *policy_ops,
                              const struct npart__node *node);

/* Whether floating point is computed, and nothing reads or makes quantized activations; weights alone may be. What
 * `integer-only` lines ask: such a target has nothing for a model that has not been quantized. */
bool npart__is_float_model(const struct npart__session *session);

/* Nodes that were accepted and then left to the CPU: `rules` by node, NPART_NONE for the others. Their verdicts become
 * CPU (FAIL where the rule is fatal), with that reason. */
npart_status npart__hand_back(const struct npart__oplist *oplist, const uint32_t *rules, uint32_t node_count,
                              struct npart__arena *arena, struct npart__mask *mask, struct npart_error *error);

/* By node the first one that rules cannot tell from it (equivalent.c). In `arena`; NULL when out of memory. */
uint32_t *npart__find_equivalent(const struct npart__session *session, struct npart__arena *arena);

/* As what a product's compiler holds integers, into `held` and what goes with it. False when out of memory. Linear in
 * nodes, operands and rules. */
typedef bool npart__holder(const struct npart__target *target, const struct npart__session *session,
                           struct npart__arena *arena, struct npart__beyond *beyond);

/* A session, and which of its nodes are equivalent. Both are made once a view and shared by targets. */
struct npart__live_graph {
    const struct npart__session *session;
    const uint32_t *equivalent;
    npart__holder *hold; /* NULL: what is of integers is quantized */
};

/* `assumed` by node of the file: enum npart__assumption_of; NULL: nothing. `folded`: what stages see that fold by
 * themselves, where that is another graph; else NULL. */
npart_status npart__judge(const struct npart__target *target, const struct npart__live_graph *live,
                          const struct npart__live_graph *folded, const uint8_t *assumed, struct npart__arena *arena,
                          struct npart__mask *out, struct npart_error *error);

/* invariants.c: of the debug build. */
void npart__check_mask(const struct npart__session *session, const struct npart__oplist *oplist,
                       const struct npart__mask *mask);

/* Tries one rule on one node and appends what was found: "rank 6: x float32[1,2,8,2,8,8]"; nothing where `out` is
 * NULL. FALSE for a missing entry. Where the rule holds, what is appended means nothing. `mask`: what this target was
 * answered before; NULL: nothing. */
enum npart__truth npart__rule_found(const struct npart__target *target, const struct npart__session *session,
                                    const struct npart__mask *mask, uint32_t rule, uint32_t node,
                                    struct npart__buffer *out);

/* The operand that made a rule fail: what a cause is traced from. NPART_NONE when no single one did. */
uint32_t npart__rule_culprit(const struct npart__target *target, const struct npart__session *session,
                             const struct npart__mask *mask, uint32_t rule, uint32_t node);

/* The `index`-th rule that the applied stages have for a live node, those after a stage that does not take it included;
 * NPART_NONE past the last. */
uint32_t npart__rule_of_node(const struct npart__target *target, const struct npart__graph *graph, uint32_t node,
                             uint32_t index);
/* Appends what a rule looks at, in words: "element type of X: float32; rank of X: 4". Nothing for a rule without a
 * condition. */
void npart__append_seen(const struct npart__target *target, const struct npart__session *session, uint32_t rule,
                        uint32_t node, struct npart__buffer *out);

#endif
