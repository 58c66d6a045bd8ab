/* SPDX-License-Identifier: Apache-2.0
 *
 * Which of the taken nodes are surely not run by the NPU, where a framework decides that after the runtime has taken
 * them: the `elsewhere` rules of the op list are asked of each. What cannot be told is left open, as is what meets all
 * of them: that a framework may use the NPU is no promise that it does.
 */
#include <stdlib.h>

#include "plan/framework_decides.h"
#include "judge/evaluate.h"

/* The rules of a range that the node does not meet become reasons. False when out of memory. */
static bool ask_range(struct npart__trial *trial, const struct npart__oplist *oplist, uint32_t node, uint32_t first,
                      uint32_t count, struct npart__arena *arena, struct npart__decided *out)
{
    for (uint32_t i = first; i < first + count; i++) {
        const struct npart__reason reason = {.node = node, .rule = i, .truth = NPART__FALSE};
        if (oplist->rules.items[i].kind == NPART_RULE_ELSEWHERE &&
            npart__try_rule(trial, &oplist->rules.items[i]) == NPART__FALSE &&
            !NPART__PUSH(arena, &out->reasons, reason))
            return false;
    }
    return true;
}

/* Of all stages that are applied: who decides later is after the last of them. */
static bool ask_node(const struct npart__target *target, const struct npart__session *session, uint32_t node,
                     bool *looked_beyond, struct npart__arena *arena, struct npart__decided *out)
{
    const struct npart__oplist *oplist = target->oplist;
    struct npart__trial trial;
    npart__trial_init(&trial, target, session, node);
    trial.looked_beyond = looked_beyond;
    for (uint32_t stage = 0; stage < oplist->stage_count; stage++) {
        const struct npart__stage *at = &oplist->stages[stage];
        if (!(target->stages >> stage & 1))
            continue;
        uint32_t entry = npart__entry_of(oplist, stage, session->graph, npart__node_at(session->graph, node));
        if (!ask_range(&trial, oplist, node, at->first_every, at->every_count, arena, out))
            return false;
        if (entry != NPART_NONE && !ask_range(&trial, oplist, node, oplist->ops.items[entry].first_rule,
                                              oplist->ops.items[entry].rule_count, arena, out))
            return false;
    }
    return true;
}

/* Of a node that no rule can tell from another. */
static bool share_reasons(uint32_t node, uint32_t equivalent, struct npart__arena *arena, struct npart__decided *out)
{
    for (uint32_t i = out->first_reason[equivalent]; i < out->first_reason[equivalent + 1]; i++) {
        struct npart__reason reason = out->reasons.items[i]; /* which may move when it is pushed */
        reason.node = node;
        if (!NPART__PUSH(arena, &out->reasons, reason))
            return false;
    }
    return true;
}

/* `asked` by the first of nodes that are equivalent: the one of them that was asked, plus one; 0: none, or more than
 * these share was looked at. */
static bool decide(const struct npart__target *target, const struct npart__session *session, uint32_t node,
                   uint32_t *asked, struct npart__arena *arena, struct npart__decided *out)
{
    bool looked_beyond = false;
    if (asked && *asked)
        return share_reasons(node, *asked - 1, arena, out);
    if (npart__is_late(arena) || !ask_node(target, session, node, &looked_beyond, arena, out))
        return false;
    if (asked && !looked_beyond)
        *asked = node + 1;
    return true;
}

struct sentence {
    uint32_t rule, count;
};

/* Most nodes first; of as many the one that stands first in the list. */
static int compare_sentences(const void *left, const void *right)
{
    const struct sentence *a = left, *b = right;
    int order = NPART__ORDER(b->count, a->count);
    return order ? order : NPART__ORDER(a->rule, b->rule);
}

/* Rules of one sentence, as those of a define are, count together. Sentences are compared once for each rule. */
static bool sum_up_rules(const struct npart__oplist *oplist, struct npart__arena *arena, struct npart__decided *out)
{
    uint32_t count = oplist->rules.count, told = 0;
    uint32_t *place_of = npart__arena_zeroed(arena, count + (size_t)1, sizeof *place_of); /* plus one */
    struct sentence *all = npart__arena_zeroed(arena, count + (size_t)1, sizeof *all);
    if (!place_of || !all)
        return false;
    for (uint32_t i = 0; i < out->reasons.count; i++) {
        uint32_t rule = out->reasons.items[i].rule, *place = &place_of[rule];
        for (uint32_t k = 0; *place == 0 && k < told; k++)
            if (strcmp(oplist->rules.items[all[k].rule].sentence, oplist->rules.items[rule].sentence) == 0)
                *place = k + 1;
        if (*place == 0) {
            all[told] = (struct sentence){.rule = rule};
            *place = ++told;
        }
        all[*place - 1].count++;
    }
    qsort(all, told, sizeof *all, compare_sentences);
    uint32_t *rules = npart__arena_zeroed(arena, told + (size_t)1, sizeof *rules);
    uint32_t *nodes = npart__arena_zeroed(arena, told + (size_t)1, sizeof *nodes);
    for (uint32_t i = 0; rules && nodes && i < told; i++) {
        rules[i] = all[i].rule;
        nodes[i] = all[i].count;
    }
    out->rules = rules;
    out->rule_nodes = nodes;
    out->rule_count = told;
    npart__arena_release(arena, all);
    npart__arena_release(arena, place_of);
    return rules && nodes;
}

/* Shares of multiply-accumulates need those of every node, as those of a summary do. */
static void find_shares(const struct npart__session *session, const struct npart__partitioning *partitioning,
                        const struct npart__works *works, struct npart__decided *out)
{
    bool has_macs = partitioning->macs != NPART__WORK_UNKNOWN && partitioning->macs_in_partitions;
    double all = session->live_count, taken = out->taken, elsewhere = 0;
    if (has_macs) {
        all = (double)partitioning->macs;
        taken = (double)partitioning->macs_in_partitions;
    }
    for (uint32_t i = 0; i < session->file->nodes.count; i++)
        if (npart__is_elsewhere(out, i))
            elsewhere += has_macs ? (double)works->items[i].macs : 1;
    out->share_elsewhere = taken > 0 ? elsewhere / taken : 0;
    out->most_on_npu = all > 0 ? (taken - elsewhere) / all : 0;
}

bool npart__find_decided(const struct npart__target *target, const struct npart__session *session,
                         const uint32_t *equivalent, const struct npart__partitioning *partitioning,
                         const struct npart__works *works,
                         struct npart__arena *arena, struct npart__decided *out)
{
    uint32_t count = session->graph->nodes.count;
    *out = (struct npart__decided){.is_later = target->oplist->decided_by != NULL};
    if (!out->is_later)
        return true;
    out->first_reason = npart__arena_zeroed(arena, count + (size_t)1, sizeof *out->first_reason);
    uint32_t *asked = npart__arena_zeroed(arena, count + (size_t)1, sizeof *asked);
    if (!out->first_reason || !asked)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        bool is_taken = npart__is_live(session, i) && partitioning->partition_of[i] != NPART_NONE;
        out->first_reason[i] = out->reasons.count;
        if (is_taken && !decide(target, session, i, equivalent ? &asked[equivalent[i]] : NULL, arena, out))
            return false;
        out->first_reason[i + 1] = out->reasons.count;
        if (!is_taken || i >= session->file->nodes.count)
            continue;
        out->taken++;
        out->elsewhere += npart__is_elsewhere(out, i);
    }
    npart__arena_release(arena, asked);
    find_shares(session, partitioning, works, out);
    /* Rules read elements: memory that ran out there would look like what cannot be told. */
    return sum_up_rules(target->oplist, arena, out) && !npart__take_failure(session->inference);
}
