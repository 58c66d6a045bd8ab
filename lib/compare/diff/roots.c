/* SPDX-License-Identifier: Apache-2.0
 *
 * Which cause of one side is which of the other: of the same rule, with the most nodes in common. A cause whose nodes
 * are all others is looked for by its sentence, then by its rule and operator: an export may have every node anew.
 */
#include <stdlib.h>

#include "diff/diff.h"

/* How many nodes two causes, one of either side, have in common. */
struct vote {
    uint32_t before, after, count;
};

static int compare_pairs(const void *a, const void *b)
{
    const struct vote *x = a, *y = b;
    int order = NPART__ORDER(x->before, y->before);
    return order ? order : NPART__ORDER(x->after, y->after);
}

/* Ties are broken by the causes themselves, so that the pairs are the same each time: qsort does not keep an
 * order. */
static int compare_votes(const void *a, const void *b)
{
    const struct vote *x = a, *y = b;
    int order = NPART__ORDER(y->count, x->count);
    return order ? order : compare_pairs(a, b);
}

static const struct npart_side_cause *cause_at(const struct npart__comparison *at, int side, uint32_t cause)
{
    return &at->sides[side]->causes[cause];
}

static bool same_words(const char *a, const char *b)
{
    return strcmp(npart__text_of(a), npart__text_of(b)) == 0;
}

/* "hexagon/Conv/rank-X" without the list's name, so that lists of two targets can be compared. */
static const char *rule_of(const struct npart_side_cause *cause)
{
    const char *slash = strchr(npart__text_of(cause->rule), '/');
    return slash ? slash : npart__text_of(cause->rule);
}

static bool same_rule(const struct npart__comparison *at, uint32_t before, uint32_t after)
{
    const struct npart_side_cause *a = cause_at(at, NPART__BEFORE, before), *b = cause_at(at, NPART__AFTER, after);
    return same_words(a->kind, b->kind) && strcmp(rule_of(a), rule_of(b)) == 0;
}

static const char *first_op(const struct npart__comparison *at, int side, uint32_t cause)
{
    const struct npart_side_cause *c = cause_at(at, side, cause);
    return c->node_count ? npart__text_of(at->sides[side]->nodes[c->nodes[0]].op) : "";
}

static void pair(uint32_t *const other[NPART__SIDES], uint32_t before, uint32_t after)
{
    other[NPART__BEFORE][before] = after;
    other[NPART__AFTER][after] = before;
}

/* One vote for each node that both affect, sorted so that the most votes come first; how many pairs there are.
 * Each node has one cause, so there are no more votes than nodes before: `votes` has room for these. Sorted
 * twice, first so that equal pairs stand together and can be counted. */
static uint32_t count_votes(const struct npart__comparison *at, struct vote *votes)
{
    const struct npart_side *before = at->sides[NPART__BEFORE], *after = at->sides[NPART__AFTER];
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < before->node_count; i++) {
        uint32_t other = at->matches.other[NPART__BEFORE][i], cause = before->nodes[i].cause;
        if (other != NPART_NONE && cause != NPART_NONE && after->nodes[other].cause != NPART_NONE)
            votes[count++] = (struct vote){cause, after->nodes[other].cause, 1};
    }
    qsort(votes, count, sizeof *votes, compare_pairs);
    for (uint32_t i = 0; i < count; i++) {
        if (kept && compare_pairs(&votes[kept - 1], &votes[i]) == 0)
            votes[kept - 1].count++;
        else
            votes[kept++] = votes[i];
    }
    qsort(votes, kept, sizeof *votes, compare_votes);
    return kept;
}

/* What two causes without common nodes may be taken for one by. */
enum likeness { SAME_TEXT, SAME_OP };

/* What such causes have the same of, as a text; NULL when out of memory. */
static const char *key_of(const struct npart__comparison *at, int side, uint32_t cause, enum likeness likeness)
{
    const struct npart_side_cause *c = cause_at(at, side, cause);
    const char *words = likeness == SAME_TEXT ? npart__text_of(c->text) : first_op(at, side, cause);
    return npart__arena_format(at->arena, "%s\x1f%s\x1f%s", npart__text_of(c->kind), rule_of(c), words);
}

/* The first that suits is taken, in the order of either side: of each key those after stand in a row, from the last on.
 * False when out of memory. */
static bool pair_alike(struct npart__comparison *at, uint32_t *const other[NPART__SIDES], enum likeness likeness)
{
    uint32_t before = at->sides[NPART__BEFORE]->cause_count, after = at->sides[NPART__AFTER]->cause_count;
    struct npart__strings keys;
    uint32_t *first = npart__arena_zeroed(at->arena, after + (size_t)2, sizeof *first); /* by key, plus one */
    uint32_t *next = npart__arena_zeroed(at->arena, after + (size_t)1, sizeof *next);   /* by cause, plus one */
    if (!first || !next || !npart__strings_init(&keys, at->arena))
        return false;
    for (uint32_t k = after; k-- > 0;) {
        const char *key = other[NPART__AFTER][k] == NPART_NONE ? key_of(at, NPART__AFTER, k, likeness) : "";
        uint32_t id = key ? npart__intern_text(&keys, key) : NPART_NONE;
        if (id == NPART_NONE)
            return false;
        next[k] = first[id];
        first[id] = k + 1;
    }
    for (uint32_t i = 0; i < before; i++) {
        const char *key = other[NPART__BEFORE][i] == NPART_NONE ? key_of(at, NPART__BEFORE, i, likeness) : "";
        if (!key)
            return false;
        uint32_t id = *key ? npart__strings_find_text(&keys, key) : NPART_NONE;
        if (id == NPART_NONE || !first[id])
            continue;
        pair(other, i, first[id] - 1);
        first[id] = next[first[id] - 1];
    }
    return true;
}

/* ---- what became of each ----------------------------------------------------------------------------------- */

/* By cause how many of its nodes fall back on this side and not on the other one. A node that has no match on
 * the other side counts: it came, or went, with its cause. */
static void count_own(const struct npart__comparison *at, int side, uint32_t *own)
{
    const struct npart_side *here = at->sides[side], *there = at->sides[!side];
    for (uint32_t i = 0; i < here->node_count; i++) {
        uint32_t other = at->matches.other[side][i];
        if (here->nodes[i].cause != NPART_NONE && npart__is_left(&here->nodes[i]) &&
            (other == NPART_NONE || !npart__is_left(&there->nodes[other])))
            own[here->nodes[i].cause]++;
    }
}

/* A root is worse where nodes fall back for it that did not before, more than do not any more. Where a side
 * lists no nodes, what is left are the counts of affected nodes. A new root whose nodes fell back before for
 * another reason is only different. */
static struct npart_diff_cause describe(const struct npart__comparison *at, uint32_t before, uint32_t after,
                                        uint32_t gained, uint32_t lost)
{
    const struct npart_side_cause *a = before == NPART_NONE ? NULL : cause_at(at, NPART__BEFORE, before);
    const struct npart_side_cause *b = after == NPART_NONE ? NULL : cause_at(at, NPART__AFTER, after);
    uint32_t count_before = a ? a->affected_count : 0, count_after = b ? b->affected_count : 0;
    bool are_known = at->sides[0]->listing != NPART_LISTING_NONE && at->sides[1]->listing != NPART_LISTING_NONE;
    bool is_more = are_known ? gained > lost : count_after > count_before;
    bool is_less = are_known ? lost > gained : count_after < count_before;
    const struct npart_side_cause *told = b ? b : a;
    return (struct npart_diff_cause){
        .size = sizeof(struct npart_diff_cause),
        .change = is_more              ? NPART_CHANGE_WORSE
                  : is_less            ? NPART_CHANGE_BETTER
                  : !a || !b || count_before != count_after ? NPART_CHANGE_OTHER
                                                            : NPART_CHANGE_NONE,
        .state = !a                           ? NPART_CAUSE_NEW
                 : !b                         ? NPART_CAUSE_LOST
                 : count_after > count_before ? NPART_CAUSE_MORE
                 : count_after < count_before ? NPART_CAUSE_FEWER
                                              : NPART_CAUSE_SAME,
        .before = before,
        .after = after,
        .affected_before = count_before,
        .affected_after = count_after,
        /* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): one of the two is there */
        .kind = npart__text_of(told->kind),
        .rule = npart__text_of(told->rule),
        .text = npart__text_of(told->text),
        .action = told->action && *told->action ? told->action : NULL,
    };
}

/* As the states stand; what is worse before what only differs. */
static unsigned rank_of(const struct npart_diff_cause *cause)
{
    return (cause->change == NPART_CHANGE_WORSE ? 0 : NPART_CAUSE_SAME + 1u) + (unsigned)cause->state;
}

static int compare_roots(const void *a, const void *b)
{
    const struct npart_diff_cause *x = a, *y = b;
    int order = NPART__ORDER(rank_of(x), rank_of(y));
    order = order ? order : NPART__ORDER(x->after, y->after);
    return order ? order : NPART__ORDER(x->before, y->before);
}

/* A report of a summary alone has no causes, though nodes fall back: then nothing is known to be new or lost. */
static bool tells_causes(const struct npart_side *side)
{
    return side->cause_count || (!side->summary.refused && !side->summary.unknown);
}

/* All causes after, each with what it was before, and then those that went. Sorted in place, so where each cause
 * ended up is noted afterwards. */
static bool list_roots(struct npart__comparison *at, uint32_t *const other[NPART__SIDES],
                       uint32_t *const own[NPART__SIDES])
{
    uint32_t before = at->sides[NPART__BEFORE]->cause_count, after = at->sides[NPART__AFTER]->cause_count;
    if (!NPART__RESERVE(at->arena, &at->roots, (size_t)before + after + 1))
        return false;
    if (!tells_causes(at->sides[NPART__BEFORE]) || !tells_causes(at->sides[NPART__AFTER]))
        return true;
    for (uint32_t k = 0; k < after; k++) {
        uint32_t i = other[NPART__AFTER][k];
        at->roots.items[at->roots.count++] =
            describe(at, i, k, own[NPART__AFTER][k], i == NPART_NONE ? 0 : own[NPART__BEFORE][i]);
    }
    for (uint32_t i = 0; i < before; i++)
        if (other[NPART__BEFORE][i] == NPART_NONE)
            at->roots.items[at->roots.count++] = describe(at, i, NPART_NONE, 0, own[NPART__BEFORE][i]);
    qsort(at->roots.items, at->roots.count, sizeof *at->roots.items, compare_roots);
    for (uint32_t i = 0; i < at->roots.count; i++) {
        if (at->roots.items[i].before != NPART_NONE)
            at->root_of[NPART__BEFORE][at->roots.items[i].before] = i;
        if (at->roots.items[i].after != NPART_NONE)
            at->root_of[NPART__AFTER][at->roots.items[i].after] = i;
    }
    return true;
}

/* By nodes in common first, the most first, then by sentence, then by operator: a pair that was made stays. */
bool npart__compare_causes(struct npart__comparison *comparison)
{
    struct npart__arena *arena = comparison->arena;
    uint32_t *other[NPART__SIDES], *own[NPART__SIDES];
    struct vote *votes =
        npart__arena_zeroed(arena, comparison->sides[NPART__BEFORE]->node_count + (size_t)1, sizeof *votes);
    bool is_ok = votes != NULL;
    for (int side = 0; side < NPART__SIDES; side++) {
        size_t count = comparison->sides[side]->cause_count;
        other[side] = npart__arena_zeroed(arena, count + 1, sizeof **other);
        own[side] = npart__arena_zeroed(arena, count + 1, sizeof **own);
        comparison->root_of[side] = npart__arena_zeroed(arena, count + 1, sizeof **other);
        is_ok = is_ok && other[side] && own[side] && comparison->root_of[side];
        for (size_t i = 0; is_ok && i < count; i++)
            other[side][i] = NPART_NONE;
    }
    if (!is_ok)
        return false;
    uint32_t pairs = count_votes(comparison, votes);
    for (uint32_t i = 0; i < pairs; i++)
        if (other[NPART__BEFORE][votes[i].before] == NPART_NONE &&
            other[NPART__AFTER][votes[i].after] == NPART_NONE &&
            same_rule(comparison, votes[i].before, votes[i].after))
            pair(other, votes[i].before, votes[i].after);
    if (!pair_alike(comparison, other, SAME_TEXT) || !pair_alike(comparison, other, SAME_OP))
        return false;
    count_own(comparison, NPART__BEFORE, own[NPART__BEFORE]);
    count_own(comparison, NPART__AFTER, own[NPART__AFTER]);
    return list_roots(comparison, other, own);
}
