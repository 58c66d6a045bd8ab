/* SPDX-License-Identifier: Apache-2.0
 *
 * Caches of layers with a window, of whose slots no token sees the first ones: E of N, whatever is in use. That is
 * found out as all else is, by two inferences: one with all slots, and one without those E. What is the same in both
 * once they are cut off, and weighs them by exactly 0, is the same without them. Layers without a window are not, and
 * keep their slots. Pairs whose slots meet in one operator, as keys and values do, are cut together or not at all.
 *
 * E is looked for in the masks: where a window hides slots, the first E columns are all alike.
 */
#include <math.h>

#include "cache/internal.h"
#include "infer/families.h"

/* Windows of one model that differ. */
enum { MOST_CUTS = 4 };

struct search {
    struct npart__walk walk;
    uint32_t *pair;   /* by value: the pair + 1 whose slots it has; 0: none */
    uint32_t *parent; /* by pair: another that meets it, or itself */
    bool *is_bad;     /* by pair that is its own parent: it needs all slots */
};

static uint32_t root_of(const struct search *search, uint32_t pair)
{
    while (search->parent[pair] != pair)
        pair = search->parent[pair] = search->parent[search->parent[pair]];
    return pair;
}

static void join(struct search *search, uint32_t a, uint32_t b)
{
    a = root_of(search, a);
    b = root_of(search, b);
    search->is_bad[a] |= search->is_bad[b];
    search->parent[b] = a;
}

/* ---- one node ---------------------------------------------------------------------------------------------------- */

/* The pair whose slots its operands have; NPART_NONE where they have none. */
static uint32_t join_operands(struct search *search)
{
    const struct npart__graph *graph = search->walk.work->graph;
    const struct npart__node *node = npart__node_at(graph, search->walk.node);
    uint32_t found = NPART_NONE;
    for (uint32_t i = 0; i < node->input_count + node->capture_count; i++) {
        uint32_t operand = npart__node_use(graph, node, i);
        uint32_t pair = operand == NPART_NONE ? 0 : search->pair[npart__value_at(graph, operand)->alias];
        if (!pair)
            continue;
        if (found != NPART_NONE)
            join(search, found, pair - 1);
        found = pair - 1;
    }
    return found;
}

/* Whether each operand is the same without the first slots, or can be made so: by a Slice of what has all slots, by a
 * constant of what says how a result is shaped. */
static bool can_be_cut(const struct search *search, uint32_t pair, bool *sees_slots)
{
    const struct npart__walk *walk = &search->walk;
    const struct npart__graph *graph = walk->work->graph;
    const struct npart__node *node = npart__node_at(graph, walk->node);
    const struct npart__layout *layout = &walk->compared->b->layout;
    uint32_t shapes = npart__cache_shape_operands(graph, walk->node), made;
    for (uint32_t i = 0; i < node->input_count + node->capture_count; i++) {
        uint32_t operand = npart__node_use(graph, node, i);
        if (operand == NPART_NONE)
            continue;
        operand = npart__value_at(graph, operand)->alias;
        const struct npart__flow *flow = &walk->flows[operand];
        const struct npart__fact *fact = npart__fact_of(&walk->compared->b->inference, operand);
        if (i < 32 && shapes >> i & 1) {
            *sees_slots |= flow->is_wrong || !flow->is_known;
            if (pair != NPART_NONE && !walk->work->is_static[operand])
                return false;
            continue;
        }
        *sees_slots |= flow->axis != NPART_NONE;
        if (flow->is_wrong && !npart__cache_is_used_anew(walk->work, walk->node, i, &made))
            return false;
        if (pair != NPART_NONE && !search->pair[operand] && flow->axis != NPART_NONE &&
            fact->dims[flow->axis] != (int64_t)layout->past + layout->tokens)
            return false;
    }
    return true;
}

/* Nothing is known any more of what hides slots. */
static void forget(struct npart__walk *walk, const struct npart__node *node)
{
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t result = npart__node_output(walk->work->graph, node, i);
        if (result == NPART_NONE)
            continue;
        walk->flows[result].hidden = walk->flows[result].later = INFINITY;
        walk->flows[result].shown = -INFINITY;
        walk->flows[result].is_zero = false;
    }
}

static void visit(struct search *search)
{
    struct npart__walk *walk = &search->walk;
    const struct npart__graph *graph = walk->work->graph;
    const struct npart__node *node = npart__node_at(graph, walk->node);
    bool is_control = true, is_cut = true, sees_slots = false;
    uint32_t pair = join_operands(search);
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t result = npart__node_output(graph, node, i);
        if (result == NPART_NONE)
            continue;
        is_cut &= npart__cache_start_flow(walk, result, &walk->flows[result]);
        is_control &= walk->flows[result].is_known;
        sees_slots |= walk->flows[result].axis != NPART_NONE;
    }
    if (is_control)
        is_cut = pair == NPART_NONE || npart__comes_from(node, NPART__WAYS_SIZES);
    else
        is_cut = is_cut && can_be_cut(search, pair, &sees_slots) && (!sees_slots || !npart__cache_rule(walk));
    if (!is_cut)
        forget(walk, node);
    if (pair == NPART_NONE)
        return;
    search->is_bad[root_of(search, pair)] |= !is_cut;
    for (uint32_t i = 0; i < node->output_count && !is_control; i++) {
        uint32_t result = npart__node_output(graph, node, i);
        if (result != NPART_NONE && walk->flows[result].axis != NPART_NONE)
            search->pair[result] = pair + 1;
    }
}

/* ---- one number of slots ----------------------------------------------------------------------------------------- */

static bool make_search(struct search *search, struct npart__arena *scratch)
{
    const struct npart__work *work = search->walk.work;
    size_t values = work->graph->values.count + (size_t)1, pairs = work->pairs.count + (size_t)1;
    search->walk.flows = npart__arena_zeroed(scratch, values, sizeof *search->walk.flows);
    search->pair = npart__arena_zeroed(scratch, values, sizeof *search->pair);
    search->parent = npart__arena_zeroed(scratch, pairs, sizeof *search->parent);
    search->is_bad = npart__arena_zeroed(scratch, pairs, sizeof *search->is_bad);
    if (!search->walk.flows || !search->pair || !search->parent || !search->is_bad)
        return false;
    for (uint32_t i = 0; i < work->pairs.count; i++) {
        search->parent[i] = i;
        search->pair[work->pairs.items[i].past] = i + 1;
    }
    return true;
}

/* Pairs that need their first slots are noted as such. */
static npart_status follow(struct npart__work *work, const struct npart__compared *compared, bool *needs_all)
{
    const struct npart__graph *graph = work->graph;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    struct search search = {.walk = {.work = work, .compared = compared, .only_asks = true}};
    struct npart__arena scratch;
    npart__arena_init(&scratch, &work->arena->allocator);
    npart_status status = make_search(&search, &scratch) ? NPART_OK : npart__fail_memory(work->error);
    for (uint32_t i = 0; i < graph->values.count && status == NPART_OK; i++)
        if (npart__value_at(graph, i)->kind != NPART__VALUE_OUTPUT)
            (void)npart__cache_start_flow(&search.walk, i, &search.walk.flows[i]);
    for (uint32_t i = 0; i < scope->order_count && status == NPART_OK; i++) {
        search.walk.node = graph->order[scope->first_order + i];
        if (work->is_live[search.walk.node])
            visit(&search);
    }
    for (uint32_t i = 0; i < scope->output_count && status == NPART_OK; i++) {
        uint32_t output = graph->operands.items[scope->first_output + i];
        uint32_t pair = search.pair[npart__value_at(graph, output)->alias];
        if (pair && !npart__cache_is_present(work, output))
            search.is_bad[root_of(&search, pair - 1)] = true;
    }
    for (uint32_t i = 0; i < work->pairs.count && status == NPART_OK; i++)
        needs_all[i] |= search.is_bad[root_of(&search, i)];
    npart__arena_clear(&scratch);
    return status;
}

/* With so many of all slots in use, more than are left without the first ones. */
static npart_status compare(struct npart__work *work, uint32_t used, uint32_t cut, bool *needs_all)
{
    uint32_t tokens = work->request->tokens, past = work->request->slots - tokens, left = past - cut;
    const struct npart__layout without = {.past = left, .tokens = tokens, .used = left, .gone = used - left};
    const struct npart__layout whole = {.past = past, .tokens = tokens, .used = used};
    struct npart__probe a, b;
    const struct npart__compared compared = {&a, &b, cut};
    memset(&b, 0, sizeof b);
    npart__arena_init(&b.arena, &work->arena->allocator);
    npart_status status = npart__cache_probe(work, &without, true, &a);
    if (status == NPART_OK)
        status = npart__cache_probe(work, &whole, true, &b);
    bool fits = status == NPART_OK && a.inference.contradicted.count <= work->plain->contradicted.count;
    for (uint32_t i = 0; i < work->pairs.count; i++)
        needs_all[i] |= !fits;
    if (fits)
        status = follow(work, &compared, needs_all);
    bool has_failed = npart__take_failure(&a.inference);
    has_failed |= npart__take_failure(&b.inference);
    if (has_failed || work->is_out_of_memory)
        status = npart__fail_memory(work->error);
    npart__cache_probe_free(&a);
    npart__cache_probe_free(&b);
    return status;
}

/* ---- which numbers ----------------------------------------------------------------------------------------------- */

/* The first columns that are all alike. */
static uint32_t count_alike(const struct npart__known *known, uint32_t columns)
{
    uint32_t count = 0;
    for (bool is_alike = true; is_alike && count < columns; count += is_alike)
        for (uint32_t i = count; i < known->count && is_alike; i += columns)
            is_alike = npart__known_number(known, i) == npart__known_number(known, 0);
    return count;
}

/* Largest first; no more than there is room for. */
static void add_cut(uint32_t *cuts, uint32_t *count, uint32_t cut)
{
    uint32_t at = 0;
    while (at < *count && cuts[at] > cut)
        at++;
    if ((at < *count && cuts[at] == cut) || at == MOST_CUTS)
        return;
    *count += *count < MOST_CUTS;
    for (uint32_t i = *count - 1; i > at; i--)
        cuts[i] = cuts[i - 1];
    cuts[at] = cut;
}

static npart_status list_cuts(struct npart__work *work, uint32_t *cuts, uint32_t *count)
{
    uint32_t tokens = work->request->tokens, past = work->request->slots - tokens;
    const struct npart__layout all = {.past = past, .tokens = tokens, .used = past};
    struct npart__probe probe;
    npart_status status = npart__cache_probe(work, &all, true, &probe);
    for (uint32_t i = 0; i < work->graph->values.count && status == NPART_OK; i++) {
        const struct npart__fact *fact = npart__fact_of(&probe.inference, i);
        const struct npart__known *known = npart__cache_elements(&probe, i);
        if (!known || !known->count || fact->rank < 2 || fact->dims[fact->rank - 1u] != work->request->slots)
            continue;
        uint32_t cut = count_alike(known, work->request->slots);
        if (cut > 0 && cut < past)
            add_cut(cuts, count, cut);
    }
    if (npart__take_failure(&probe.inference))
        status = npart__fail_memory(work->error);
    npart__cache_probe_free(&probe);
    return status;
}

npart_status npart__cache_find_windows(struct npart__work *work)
{
    uint32_t past = work->request->slots - work->request->tokens, cuts[MOST_CUTS], count = 0, found = 0;
    bool *needs_all = npart__arena_zeroed(work->arena, work->pairs.count + (size_t)1, sizeof *needs_all);
    npart_status status = needs_all ? list_cuts(work, cuts, &count) : npart__fail_memory(work->error);
    for (uint32_t i = 0; i < count && status == NPART_OK; i++) {
        uint32_t left = past - cuts[i];
        const uint32_t used[] = {past, past - 1, left + 1, left + cuts[i] / 2};
        memset(needs_all, 0, work->pairs.count * sizeof *needs_all);
        for (size_t k = 0; k < NPART__COUNT(used) && status == NPART_OK; k++)
            if (used[k] >= left)
                status = compare(work, used[k], cuts[i], needs_all);
        for (uint32_t k = 0; k < work->pairs.count && status == NPART_OK; k++)
            if (!needs_all[k] && !work->pairs.items[k].cut)
                work->pairs.items[k].cut = cuts[i];
        for (uint32_t k = 0; k < work->pairs.count; k++)
            found += work->pairs.items[k].cut > 0;
    }
    if (status != NPART_OK || found)
        return status;
    if ((uint64_t)work->request->tokens * work->request->slots > NPART__CACHE_ELEMENTS)
        return npart__cache_refuse(work, NPART_NONE,
                                   "masks of %u new tokens and %u slots are too large to find windows in; fewer "
                                   "--tokens", work->request->tokens, work->request->slots);
    return npart__cache_refuse(work, NPART_NONE, "no layer was found to have a window of fewer than %u slots",
                               work->request->slots);
}
