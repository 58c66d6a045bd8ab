/* SPDX-License-Identifier: Apache-2.0
 *
 * The rules that speak of a node, and the values that each looks at.
 */
#include "judge/answer.h"

#define MOST_ELEMENTS_SHOWN 8u

/* The `*index`-th of these rules that speaks for the target; NPART_NONE, and *index is that much less, when
 * they are fewer. */
static uint32_t rule_in(const struct npart__target *target, uint32_t first, uint32_t count, uint32_t *index)
{
    for (uint32_t i = first; i < first + count; i++) {
        const struct npart__rule *rule = &target->oplist->rules.items[i];
        if (rule->is_limited && !npart__target_has(target, rule->when))
            continue;
        if ((*index)-- == 0)
            return i;
    }
    return NPART_NONE;
}

uint32_t npart__rule_of_node(const struct npart__target *target, const struct npart__graph *graph, uint32_t node,
                             uint32_t index)
{
    const struct npart__oplist *oplist = target->oplist;
    uint32_t rule = NPART_NONE;
    for (uint32_t gate = 0; rule == NPART_NONE && gate < oplist->gate_count; gate++) {
        const struct npart__gate *at = &oplist->gates[gate];
        if (!(target->gates >> gate & 1))
            continue;
        uint32_t entry = npart__entry_of(oplist, gate, graph, &graph->nodes.items[node]);
        uint32_t first = entry == NPART_NONE ? at->missing_rule : oplist->ops.items[entry].first_rule;
        uint32_t count = entry == NPART_NONE ? 1 : oplist->ops.items[entry].rule_count;
        rule = rule_in(target, at->first_every, at->every_count, &index);
        if (rule == NPART_NONE)
            rule = rule_in(target, first, count, &index);
    }
    return rule;
}

/* ---- what a condition looks at ---------------------------------------------------------------------------- */

static void append_asked_of(const struct npart__trial *trial, uint32_t id, struct npart__buffer *out)
{
    const struct npart__term *term = npart__term_at(trial, id);
    npart__append_text(out, out->size ? "; " : "");
    npart__append_term(trial->oplist, id, out);
    npart__append_text(out, " ");
    if (term->kind != NPART__TERM_FUNCTION) {
        static const char *const words[] = {"no", "unknown", "yes"};
        struct npart__trial copy = *trial;
        npart__append_text(out, words[npart__try(&copy, id)]);
        return;
    }
    uint32_t operands = npart__operand_count(trial, id);
    for (struct npart__place place = {0, 0}; place.operand < operands; place.operand++) {
        uint32_t elements = npart__element_count(trial, id, place.operand);
        for (place.element = 0; place.element < elements && place.element < MOST_ELEMENTS_SHOWN; place.element++) {
            struct npart__answer answer = npart__answer_of(trial, id, place);
            npart__append_text(out, place.operand || place.element ? " " : "");
            if (answer.kind == NPART__ANSWER_ABSENT)
                npart__append_text(out, "absent");
            else
                npart__append_answer(out, answer);
        }
        npart__append_text(out, elements > MOST_ELEMENTS_SHOWN ? " ..." : "");
    }
}

/* Every question in a condition, in the order that it is written. */
static void append_questions(const struct npart__trial *trial, uint32_t id, struct npart__buffer *out)
{
    if (id == NPART_NONE)
        return;
    const struct npart__term *term = npart__term_at(trial, id);
    if (term->kind == NPART__TERM_PREDICATE || term->kind == NPART__TERM_FUNCTION || term->kind == NPART__TERM_EACH) {
        append_asked_of(trial, id, out);
        return;
    }
    append_questions(trial, term->left, out);
    if (term->kind != NPART__TERM_IN)
        append_questions(trial, term->right, out);
}

void npart__append_seen(const struct npart__target *target, const struct npart__session *session, uint32_t rule,
                        uint32_t node, struct npart__buffer *out)
{
    struct npart__trial trial;
    struct npart__buffer seen;
    npart__trial_init(&trial, target, session, node);
    npart__buffer_init(&seen, out->arena);
    append_questions(&trial, target->oplist->rules.items[rule].condition, &seen);
    npart__append_text(out, npart__buffer_text(&seen));
    out->failed |= seen.failed;
}
