/* SPDX-License-Identifier: Apache-2.0
 *
 * Which node of one side is which of the other. Passes follow one another, from what tells most to what tells least;
 * each looks at the nodes that are left. Nodes with the same key are one where either side has one of them, or both
 * have as many: those of equal layers follow one another in the order of the data on either side, so the first is the
 * first. Where the numbers differ, matches that are certain divide both lists into stretches, and nodes are sought in
 * their stretch alone.
 */
#include <stdlib.h>

#include "diff/diff.h"

/* What a key is made of, beside the operator. The first six are in the order of `words` in make_key. ANY_OP
 * leaves the operator out. */
enum { BY_UP = 1, BY_DOWN = 2, BY_AROUND = 4, BY_ITSELF = 8, BY_NAME = 16, BY_STRETCH = 32, ANY_OP = 64 };

/* A node with its key in one pass. */
struct entry {
    uint64_t key, check; /* two hashes: a chance that both are equal is none */
    uint32_t node;
    uint8_t side;
};

/* One side with what is asked of its nodes again and again. */
struct half {
    const struct npart_side_node *nodes;
    uint32_t count, *other;      /* by node its match, or NPART_NONE */
    uint64_t *ops;               /* by node: a hash of its operator */
    uint32_t *names, *stretches; /* by node: a hash of its name, 0: none; its stretch (find_stretches) */
    bool *is_out; /* not looked at */
};

struct match {
    const struct npart__arena *arena;
    struct half halves[NPART__SIDES];
    struct entry *entries;
    uint32_t *tails, *links; /* of the longest rising sequence */
    uint8_t *by;             /* by node before: enum npart__matched_by */
};

static uint64_t put_together(uint64_t hash, uint64_t word)
{
    return npart__mix(hash + 1, word);
}

/* Once a node, so that passes compare numbers. These stay in memory: no file has them. */
static uint64_t hash_op(const char *op)
{
    uint64_t hash = 0;
    for (const char *at = op; *at; at++)
        hash = put_together(hash, (unsigned char)*at);
    return hash;
}

static void join(struct match *match, uint32_t before, uint32_t after, enum npart__matched_by by)
{
    match->halves[NPART__BEFORE].other[before] = after;
    match->halves[NPART__AFTER].other[after] = before;
    match->by[before] = (uint8_t)by;
}

static bool is_free(const struct half *half, uint32_t node)
{
    return half->other[node] == NPART_NONE && !half->is_out[node];
}

/* ---- by key ------------------------------------------------------------------------------------------------ */

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = NPART__ORDER(x->key, y->key);
    order = order ? order : NPART__ORDER(x->check, y->check);
    order = order ? order : NPART__ORDER(x->side, y->side);
    return order ? order : NPART__ORDER(x->node, y->node);
}

/* False for a node that lacks what the key is made of. A report of an older release has nodes without structure,
 * and a baseline some without a name. */
static bool make_key(const struct half *half, uint32_t id, unsigned fields, struct entry *out)
{
    const struct npart_side_node *node = &half->nodes[id];
    bool has_structure = node->up || node->down || node->around || node->itself;
    uint64_t key = fields & ANY_OP ? 0 : half->ops[id], check = 0;
    bool is_gone = node->verdict == NPART_VERDICT_FOLDED || node->verdict == NPART_VERDICT_FUSED;
    if (fields & ANY_OP && is_gone) /* nothing took the place of a node that is not run */
        return false;
    if ((fields & (BY_UP | BY_DOWN | BY_AROUND | BY_ITSELF) && !has_structure) ||
        (fields & BY_NAME && !half->names[id]))
        return false;
    const uint32_t words[] = {node->up, node->down, node->around, node->itself, half->names[id], half->stretches[id]};
    for (unsigned i = 0; i < NPART__COUNT(words); i++)
        if (fields & 1u << i) {
            key = put_together(key, words[i]);
            check = put_together(check, words[i] ^ UINT32_C(0x5bd1e995));
        }
    *out = (struct entry){.key = key, .check = check, .node = id};
    return true;
}

/* Which of groups of the same key are matched. */
enum when { WHEN_AS_MANY, WHEN_ONE, WHEN_ANY };

/* `first` are the entries of one key, those before in front, each side in the order of the file. WHEN_ANY
 * matches as many as the shorter side has: the rest stay free for later passes. */
static void match_group(struct match *match, const struct entry *first, uint32_t before, uint32_t after, enum when when,
                        enum npart__matched_by by)
{
    bool suits = when == WHEN_ONE ? before == 1 && after == 1 : when == WHEN_ANY || before == after;
    uint32_t count = before < after ? before : after;
    for (uint32_t i = 0; suits && i < count; i++)
        join(match, first[i].node, first[before + i].node, by);
}

/* Entries of equal keys stand together once they are sorted: n log n, whatever the file has. Nodes that earlier
 * passes have matched take no part. */
static void pass(struct match *match, unsigned fields, enum when when, enum npart__matched_by by)
{
    uint32_t count = 0;
    if (npart__is_late(match->arena))
        return;
    for (unsigned side = 0; side < NPART__SIDES; side++)
        for (uint32_t i = 0; i < match->halves[side].count; i++)
            if (is_free(&match->halves[side], i) &&
                make_key(&match->halves[side], i, fields, &match->entries[count])) {
                match->entries[count].side = (uint8_t)side;
                count++;
            }
    qsort(match->entries, count, sizeof *match->entries, compare_entries);
    for (uint32_t at = 0, end; at < count; at = end) {
        const struct entry *first = &match->entries[at];
        uint32_t before = 0;
        for (end = at; end < count && match->entries[end].key == first->key &&
                       match->entries[end].check == first->check; end++)
            before += match->entries[end].side == NPART__BEFORE;
        match_group(match, first, before, end - at - before, when, by);
    }
}

/* ---- stretches --------------------------------------------------------------------------------------------- */

/* The longest sequence of matches that rises on both sides, by patience sorting: `tails[n]` is the node before
 * whose match ends the best sequence of n + 1 matches. Matches that cross others, as of a block that was moved,
 * are not in it. n log n in matches. */
static uint32_t longest_rise(struct match *match)
{
    struct half *before = &match->halves[NPART__BEFORE];
    uint32_t length = 0;
    for (uint32_t i = 0; i < before->count; i++) {
        if (before->other[i] == NPART_NONE)
            continue;
        uint32_t low = 0, high = length;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if (before->other[match->tails[middle]] < before->other[i])
                low = middle + 1;
            else
                high = middle;
        }
        match->links[i] = low ? match->tails[low - 1] : NPART_NONE;
        match->tails[low] = i;
        length += low == length;
    }
    return length ? match->tails[length - 1] : NPART_NONE;
}

/* Stretches between the matches of that sequence; `tails` becomes a mark by node. With 3 -> 5 and 7 -> 9, nodes
 * 0 to 3 before and 0 to 5 after are stretch 0, 4 to 7 and 6 to 9 are stretch 1, and the rest is stretch 2. A
 * stretch ends with its match, so numbers rise along both files. */
static void find_stretches(struct match *match)
{
    struct half *before = &match->halves[NPART__BEFORE], *after = &match->halves[NPART__AFTER];
    uint32_t last = longest_rise(match), number = 0, next = 0;
    memset(match->tails, 0, before->count * sizeof *match->tails);
    for (; last != NPART_NONE; last = match->links[last])
        match->tails[last] = 1;
    for (uint32_t i = 0; i < before->count; i++) {
        before->stretches[i] = number;
        if (!match->tails[i])
            continue;
        for (; next <= before->other[i]; next++)
            after->stretches[next] = number;
        number++;
    }
    for (; next < after->count; next++)
        after->stretches[next] = number;
}

/* `end` where there is none. */
static uint32_t next_free(const struct half *half, uint32_t from, uint32_t end)
{
    while (from < end && !is_free(half, from))
        from++;
    return from;
}

/* The node before `end` that is free, in the same stretch; `end` itself where there is none. */
static uint32_t last_free(const struct half *half, uint32_t end, uint32_t stretch)
{
    uint32_t at = end;
    while (at > 0 && half->stretches[at - 1] == stretch) {
        at--;
        if (is_free(half, at))
            return at;
    }
    return end;
}

/* Nodes of the same operator at the beginning of a stretch, and at its end. Both walks end at the first pair of
 * different operators: what was put in or taken out lies between them. */
static void walk_stretch(struct match *match, uint32_t from[NPART__SIDES], const uint32_t end[NPART__SIDES],
                         uint32_t stretch)
{
    struct half *before = &match->halves[NPART__BEFORE], *after = &match->halves[NPART__AFTER];
    uint32_t i = next_free(before, from[0], end[0]), k = next_free(after, from[1], end[1]), j = end[0], l = end[1];
    while (i < end[0] && k < end[1] && before->ops[i] == after->ops[k]) {
        join(match, i, k, NPART__BY_STRUCTURE);
        i = next_free(before, i, end[0]);
        k = next_free(after, k, end[1]);
    }
    for (;;) {
        uint32_t x = last_free(before, j, stretch), y = last_free(after, l, stretch);
        if (x == j || y == l || before->ops[x] != after->ops[y])
            return;
        join(match, x, y, NPART__BY_STRUCTURE);
        j = x;
        l = y;
    }
}

/* Side by side, as numbers rise on both sides; a stretch that one side lacks is passed over. Linear in nodes, as
 * each walk looks at the nodes of its own stretch alone. */
static void walk_stretches(struct match *match)
{
    struct half *halves = match->halves;
    uint32_t from[NPART__SIDES] = {0, 0}, end[NPART__SIDES] = {0, 0};
    while (from[0] < halves[0].count && from[1] < halves[1].count) {
        uint32_t stretch = halves[0].stretches[from[0]];
        for (int side = 0; side < NPART__SIDES; side++) {
            while (from[side] < halves[side].count && halves[side].stretches[from[side]] < stretch)
                from[side]++;
            end[side] = from[side];
            while (end[side] < halves[side].count && halves[side].stretches[end[side]] == stretch)
                end[side]++;
        }
        walk_stretch(match, from, end, stretch);
        memcpy(from, end, sizeof from);
    }
}

/* ---- all passes -------------------------------------------------------------------------------------------- */

/* What tells a place by itself. These need no other match. What has most numbers in common is matched first, so
 * a weaker key is tried only on what no stronger one has told. */
static void run_sure_passes(struct match *match)
{
    static const unsigned sure[] = {BY_UP | BY_DOWN | BY_ITSELF | BY_NAME, BY_UP | BY_DOWN | BY_ITSELF,
                                    BY_UP | BY_DOWN | BY_NAME, BY_UP | BY_DOWN, BY_UP | BY_ITSELF,
                                    BY_DOWN | BY_ITSELF, BY_AROUND | BY_ITSELF | BY_NAME, BY_UP, BY_DOWN};
    for (size_t i = 0; i < NPART__COUNT(sure); i++)
        pass(match, sure[i], WHEN_AS_MANY, NPART__BY_STRUCTURE);
}

/* From what tells most to what tells least. Stretches are found three times, as matches that were made since make them
 * shorter. What stands on the order of all nodes asks that both sides list all: between nodes that are listed others
 * may be missing. A name that is there once on either side tells an operator in any place, and at last a node of
 * another operator. */
static void run_passes(struct match *match, bool are_whole)
{
    run_sure_passes(match);
    find_stretches(match);
    pass(match, BY_AROUND | BY_ITSELF | BY_STRETCH, WHEN_AS_MANY, NPART__BY_STRUCTURE);
    pass(match, BY_AROUND | BY_STRETCH, WHEN_AS_MANY, NPART__BY_STRUCTURE);
    pass(match, BY_NAME | BY_AROUND, WHEN_ONE, NPART__BY_STRUCTURE);
    pass(match, BY_AROUND | BY_ITSELF, WHEN_AS_MANY, NPART__BY_STRUCTURE);
    pass(match, BY_NAME, WHEN_ONE, NPART__BY_NAME);
    if (are_whole) {
        find_stretches(match);
        walk_stretches(match);
        find_stretches(match);
    }
    pass(match, BY_AROUND | BY_ITSELF | BY_STRETCH, WHEN_ANY, NPART__BY_STRUCTURE);
    pass(match, BY_AROUND | BY_STRETCH, WHEN_ANY, NPART__BY_STRUCTURE);
    pass(match, BY_ITSELF | BY_STRETCH, WHEN_ANY, NPART__BY_STRUCTURE);
    if (are_whole)
        pass(match, BY_STRETCH, WHEN_ANY, NPART__BY_STRUCTURE);
    pass(match, BY_NAME | ANY_OP, WHEN_ONE, NPART__BY_PLACE);
    if (are_whole) {
        find_stretches(match);
        pass(match, BY_STRETCH | ANY_OP, WHEN_ONE, NPART__BY_PLACE);
    }
}

/* A record that does not keep names has hashes of them, made by the same function. False when out of memory. */
static bool open_half(struct half *half, const struct npart_side *side, bool is_left_only, struct npart__arena *arena)
{
    size_t room = side->node_count + (size_t)1;
    half->nodes = side->nodes;
    half->count = side->node_count;
    half->other = npart__arena_zeroed(arena, room, sizeof *half->other);
    half->ops = npart__arena_zeroed(arena, room, sizeof *half->ops);
    half->names = npart__arena_zeroed(arena, room, sizeof *half->names);
    half->stretches = npart__arena_zeroed(arena, room, sizeof *half->stretches);
    half->is_out = npart__arena_zeroed(arena, room, sizeof *half->is_out);
    if (!half->other || !half->ops || !half->names || !half->stretches || !half->is_out)
        return false;
    for (uint32_t i = 0; i < half->count; i++) {
        const struct npart_side_node *node = &half->nodes[i];
        half->other[i] = NPART_NONE;
        half->ops[i] = hash_op(npart__text_of(node->op));
        half->names[i] = node->name && *node->name ? npart__name_hash(node->name) : node->name_hash;
        half->is_out[i] = is_left_only && !npart__is_left(node);
    }
    return true;
}

/* Where a side lists only what is not on the NPU, a first round matches such nodes with such nodes. Then all
 * others are looked at with the keys that are sure, since a node that left the NPU, or came to it, is listed as
 * what it is now. */
bool npart__match_sides(const struct npart_side *const sides[NPART__SIDES], struct npart__arena *arena,
                        struct npart__matches *out)
{
    struct match match = {.arena = arena};
    bool are_whole = sides[0]->listing == NPART_LISTING_ALL && sides[1]->listing == NPART_LISTING_ALL;
    size_t before = sides[NPART__BEFORE]->node_count, after = sides[NPART__AFTER]->node_count;
    match.entries = npart__arena_zeroed(arena, before + after + 1, sizeof *match.entries);
    match.tails = npart__arena_zeroed(arena, before + 1, sizeof *match.tails);
    match.links = npart__arena_zeroed(arena, before + 1, sizeof *match.links);
    match.by = npart__arena_zeroed(arena, before + 1, sizeof *match.by);
    bool is_ok = match.entries && match.tails && match.links && match.by;
    for (int side = 0; is_ok && side < NPART__SIDES; side++)
        is_ok = open_half(&match.halves[side], sides[side], !are_whole, arena);
    if (!is_ok)
        return false;
    run_passes(&match, are_whole);
    for (int side = 0; !are_whole && side < NPART__SIDES; side++)
        memset(match.halves[side].is_out, 0, match.halves[side].count * sizeof(bool));
    if (!are_whole) /* what was not on the NPU may be there now */
        run_sure_passes(&match);
    out->by = match.by;
    for (int side = 0; side < NPART__SIDES; side++)
        out->other[side] = match.halves[side].other;
    return true;
}
