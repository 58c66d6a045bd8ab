/* SPDX-License-Identifier: Apache-2.0
 *
 * Opsets by which a target may take what it does not take now: those that its rules name.
 */
#include "fix/state.h"
#include "oplist/term.h"

struct candidates {
    const struct npart__oplist *oplist;
    int64_t own;    /* of the model */
    int64_t *items; /* the nearest to `own` first, of two as near the lower */
    uint32_t count, most;
};

/* A model may claim any opset: the distance of two may have 64 bits. */
static uint64_t distance(const struct candidates *candidates, int64_t opset)
{
    uint64_t from = (uint64_t)candidates->own, to = (uint64_t)opset;
    return opset > candidates->own ? to - from : from - to;
}

static bool comes_before(const struct candidates *candidates, int64_t a, int64_t b)
{
    uint64_t to_a = distance(candidates, a), to_b = distance(candidates, b);
    return to_a != to_b ? to_a < to_b : a < b;
}

static void add(struct candidates *candidates, int64_t opset)
{
    uint32_t at = 0;
    if (opset <= 0 || opset == candidates->own)
        return;
    while (at < candidates->count && comes_before(candidates, candidates->items[at], opset))
        at++;
    if (at == candidates->most || (at < candidates->count && candidates->items[at] == opset))
        return;
    candidates->count += candidates->count < candidates->most;
    memmove(candidates->items + at + 1, candidates->items + at,
            (candidates->count - at - 1) * sizeof *candidates->items);
    candidates->items[at] = opset;
}

/* The opsets next to what is compared: of "opset < 13" 12, 13. Which of them meets the rule is seen by planning. */
static void add_number(struct candidates *candidates, const struct npart__term *term, bool is_limit)
{
    if (term->kind != NPART__TERM_NUMBER || term->op)
        return;
    if (is_limit && term->number > 0)
        add(candidates, term->number - 1);
    add(candidates, term->number);
    if (is_limit && term->number < INT64_MAX)
        add(candidates, term->number + 1);
}

static const struct npart__term *term_at(const struct candidates *candidates, uint32_t term)
{
    return &candidates->oplist->terms.items[term];
}

/* Recurses as deep as conditions nest, which parsing limits. */
static void add_named(struct candidates *candidates, uint32_t id)
{
    if (id == NPART_NONE)
        return;
    const struct npart__term *term = term_at(candidates, id);
    bool is_opset = (term->kind == NPART__TERM_COMPARE || term->kind == NPART__TERM_IN) &&
                    term_at(candidates, term->left)->kind == NPART__TERM_FUNCTION &&
                    term_at(candidates, term->left)->op == NPART__FUNCTION_OPSET;
    if (is_opset && term->kind == NPART__TERM_COMPARE) {
        add_number(candidates, term_at(candidates, term->right), true);
    } else if (is_opset) {
        for (uint32_t item = term->right; item != NPART_NONE; item = term_at(candidates, item)->next) {
            const struct npart__term *range = term_at(candidates, item);
            if (range->left != NPART_NONE)
                add_number(candidates, term_at(candidates, range->left), term->op == 1);
            if (range->right != NPART_NONE)
                add_number(candidates, term_at(candidates, range->right), term->op == 1);
        }
    } else if (term->kind == NPART__TERM_AND || term->kind == NPART__TERM_OR || term->kind == NPART__TERM_NOT ||
               term->kind == NPART__TERM_EACH) {
        add_named(candidates, term->left);
        if (term->kind != NPART__TERM_NOT && term->kind != NPART__TERM_EACH)
            add_named(candidates, term->right);
    }
}

uint32_t npart__list_absent(const struct npart__graph *graph, int64_t opset, bool *is_absent)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        bool is_onnx = !*npart__text(&graph->strings, node->domain) && node->opset_version != 0;
        is_absent[i] = is_onnx && !npart__operator_find("", npart__node_op(graph, node), opset);
        count += is_absent[i];
    }
    return count;
}

/* Of operators that are not there yet others may take the place; whether some do is seen when it is tried. */
static bool can_be_said(const struct candidates *candidates, const struct npart__graph *graph, int64_t opset)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        if (*npart__text(&graph->strings, node->domain) || node->opset_version == 0)
            continue;
        const struct npart__operator *after = npart__operator_find("", npart__node_op(graph, node), opset);
        if (after ? !npart__can_mean_the_same(graph, node, after) : opset > candidates->own)
            return false;
    }
    return true;
}

bool npart__find_opsets(const struct npart__state *state, struct npart__arena *scratch, int64_t *out, uint32_t most,
                        uint32_t *count)
{
    struct candidates candidates = {.items = out, .most = most};
    const struct npart_opset *standard = npart__standard_import(state->graph);
    candidates.own = standard ? standard->version : 0;
    for (uint32_t t = 0; candidates.own && t < state->standing.target_count; t++) {
        const struct npart__plan *plan = &state->plans[t];
        candidates.oplist = plan->target.oplist;
        bool *is_seen = npart__arena_zeroed(scratch, candidates.oplist->rules.count + (size_t)1, sizeof *is_seen);
        if (!is_seen)
            return false;
        for (uint32_t i = 0; i < plan->mask.reasons.count; i++) {
            uint32_t rule = plan->mask.reasons.items[i].rule;
            if (plan->mask.reasons.items[i].truth == NPART__FALSE && !is_seen[rule])
                add_named(&candidates, candidates.oplist->rules.items[rule].condition);
            is_seen[rule] = true;
        }
    }
    *count = 0;
    for (uint32_t i = 0; i < candidates.count; i++)
        if (can_be_said(&candidates, state->graph, out[i]))
            out[(*count)++] = out[i];
    return true;
}
