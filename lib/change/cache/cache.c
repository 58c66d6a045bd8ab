/* SPDX-License-Identifier: Apache-2.0
 *
 * The order of it all: what there is, then probes at small sizes and at those that are asked for, then the edits.
 */
#include <stdio.h>

#include "cache/internal.h"

/* The first pair of probes: no two of its sizes are the same, whatever the model's own are. */
enum { SMALL_PAST = 5, SMALL_EMPTY = 3 };

npart_status npart__cache_refuse(const struct npart__work *work, uint32_t node, const char *format, ...)
{
    char text[sizeof((struct npart_error *)0)->message], place[160] = "";
    NPART__FORMAT(text, format);
    if (work->is_out_of_memory)
        return npart__fail_memory(work->error);
    if (node != NPART_NONE)
        npart__describe_node(work->graph, node, place, sizeof place);
    return npart__fail(work->error, NPART_ERROR_ARGUMENT, place, "the cache cannot be fixed: %s", text);
}

/* ---- probes ------------------------------------------------------------------------------------------------------ */

/* Sizes that cannot be are those of another trace: a number of tokens that is written into a node, mostly. */
static npart_status check_probe(const struct npart__work *work, const struct npart__probe *probe)
{
    if (probe->inference.contradicted.count <= work->plain->contradicted.count)
        return NPART_OK;
    const struct npart__contradicted *at = &probe->inference.contradicted.items[0];
    bool is_told = at->finding < probe->inference.findings.count;
    return npart__cache_refuse(work, at->node, "with %u new tokens after %u slots sizes do not fit%s%s",
                               probe->layout.tokens, probe->layout.past, is_told ? ": " : "",
                               is_told ? probe->inference.findings.items[at->finding].text : "");
}

static npart_status probe(struct npart__work *work, const struct npart__layout *layout, struct npart__probe *out)
{
    npart_status status = npart__cache_probe(work, layout, true, out);
    return status == NPART_OK ? check_probe(work, out) : status;
}

/* `used` slots of the cache as it grows, against the same and `empty` more before them. */
static npart_status compare(struct npart__work *work, uint32_t tokens, uint32_t used, uint32_t empty)
{
    const struct npart__layout grown = {.past = used, .tokens = tokens, .used = used};
    const struct npart__layout fixed = {.past = used + empty, .tokens = tokens, .used = used};
    struct npart__probe a, b;
    struct npart__compared compared = {&a, &b, empty};
    memset(&b, 0, sizeof b); /* so that it can be freed, whatever becomes of the first */
    npart__arena_init(&b.arena, &work->arena->allocator);
    npart_status status = probe(work, &grown, &a);
    if (status == NPART_OK)
        status = probe(work, &fixed, &b);
    if (status == NPART_OK)
        status = npart__cache_follow(work, &compared);
    /* Elements that could not be read for want of memory look as if they were not known. Both are asked: it is told
     * once. */
    bool has_failed = npart__take_failure(&a.inference);
    has_failed |= npart__take_failure(&b.inference);
    if (has_failed)
        status = npart__fail_memory(work->error);
    /* Of the second, what counts slots is not what will run. */
    if (status == NPART_OK && (a.inference.misfits || (b.inference.misfits && !work->positions.count)))
        status = npart__cache_refuse(work, NPART_NONE, "with %u slots before new tokens some node fails in a run",
                                     a.inference.misfits ? used : used + empty);
    npart__cache_probe_free(&a);
    npart__cache_probe_free(&b);
    return status;
}

/* At the size that is asked for, as a model may do otherwise past some length: with none, one and half of them in use,
 * and all but one. */
static npart_status compare_whole(struct npart__work *work, uint32_t tokens)
{
    uint32_t past = work->request->slots - tokens;
    const uint32_t used[] = {0, 1, past / 2, past - 1};
    npart_status status = NPART_OK;
    for (size_t i = 0; i < NPART__COUNT(used) && status == NPART_OK; i++)
        if (used[i] < past && (i == 0 || used[i] > used[i - 1]))
            status = compare(work, tokens, used[i], past - used[i]);
    return status;
}

/* What is known when nothing is given but sizes depends on no input. */
static npart_status find_static(struct npart__work *work)
{
    const struct npart__layout layout = {.past = SMALL_PAST, .tokens = work->request->tokens, .used = SMALL_PAST};
    struct npart__probe bare;
    uint32_t count = work->graph->values.count;
    bool *is_static = npart__arena_zeroed(work->arena, count + (size_t)1, sizeof *is_static);
    npart_status status = npart__cache_probe(work, &layout, false, &bare);
    for (uint32_t i = 0; i < count && is_static && status == NPART_OK; i++)
        is_static[i] = npart__cache_elements(&bare, i) != NULL;
    if (npart__take_failure(&bare.inference))
        is_static = NULL;
    npart__cache_probe_free(&bare);
    work->is_static = is_static;
    return is_static ? status : npart__fail_memory(work->error);
}

/* ---- the order of slots ------------------------------------------------------------------------------------------ */

/* The axes of each value that grow, by two probes of different sizes. */
static npart_status list_axes(struct npart__work *work, uint32_t tokens, struct npart__probe *whole, uint64_t *axes)
{
    const struct npart__layout less = {.past = whole->layout.past - 1, .tokens = tokens, .used = 0};
    struct npart__probe smaller;
    npart_status status = probe(work, &less, &smaller);
    const struct npart__compared compared = {&smaller, whole, 1};
    for (uint32_t i = 0; status == NPART_OK && i < work->graph->values.count; i++)
        if (!npart__cache_axes(&compared, i, &axes[i]))
            axes[i] = UINT64_MAX;
    npart__cache_probe_free(&smaller);
    return status;
}

/* Half of the slots are used: at the right, then at the left, then at the left in reverse. */
static npart_status find_order(struct npart__work *work, uint32_t tokens, enum npart_slot_order *order)
{
    uint32_t past = work->request->slots - tokens, used = past / 2;
    struct npart__layout layout = {.past = past, .tokens = tokens, .used = used};
    uint64_t *axes = npart__arena_zeroed(work->arena, work->graph->values.count + (size_t)1, sizeof *axes);
    uint32_t *slot = npart__arena_zeroed(work->arena, used + (size_t)1, sizeof *slot);
    struct npart__probe right;
    *order = NPART_SLOTS_RIGHT;
    if (!axes || !slot)
        return npart__fail_memory(work->error);
    if (used < 2 || work->is_right_only)
        return NPART_OK;
    npart_status status = probe(work, &layout, &right);
    if (status == NPART_OK)
        status = list_axes(work, tokens, &right, axes);
    bool is_free = true;
    for (unsigned reversed = 0; reversed < 2 && status == NPART_OK && is_free; reversed++) {
        struct npart__probe moved;
        for (uint32_t i = 0; i < used; i++)
            slot[i] = reversed ? used - 1 - i : i;
        layout.slot = slot;
        status = probe(work, &layout, &moved);
        is_free = status == NPART_OK && npart__cache_is_free(work, &right, &moved, axes);
        if (status == NPART_OK) {
            work->is_out_of_memory |= npart__take_failure(&moved.inference);
            work->is_out_of_memory |= npart__take_failure(&right.inference);
        }
        npart__cache_probe_free(&moved);
    }
    if (status == NPART_OK && work->is_out_of_memory)
        status = npart__fail_memory(work->error);
    if (status == NPART_OK && is_free)
        *order = NPART_SLOTS_ANY;
    npart__cache_probe_free(&right);
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static bool make_arrays(struct npart__work *work)
{
    size_t values = work->graph->values.count + (size_t)1, nodes = work->graph->nodes.count + (size_t)1;
    work->pair_of = npart__arena_zeroed(work->arena, values, sizeof *work->pair_of);
    work->position_of = npart__arena_zeroed(work->arena, values, sizeof *work->position_of);
    work->use_of = npart__arena_zeroed(work->arena, nodes, sizeof *work->use_of);
    work->is_repaired = npart__arena_zeroed(work->arena, values, sizeof(bool));
    work->is_unmasked = npart__arena_zeroed(work->arena, nodes, sizeof(bool));
    return npart__cache_list_back(work) && npart__strings_init(&work->dim_names, work->arena) && work->pair_of &&
           work->position_of && work->use_of && work->is_repaired && work->is_unmasked;
}

static npart_status find(struct npart__work *work, enum npart_slot_order *order)
{
    uint32_t tokens = work->request->tokens;
    npart_status status = npart__cache_find_sizes(work);
    if (status == NPART_OK)
        status = npart__cache_learn(work, tokens);
    if (status == NPART_OK)
        status = find_static(work);
    if (status == NPART_OK)
        status = compare(work, tokens, SMALL_PAST, SMALL_EMPTY);
    /* Where masks of many tokens are large one token is looked at in their place: the sizes of the cache are the
     * same. */
    if (status == NPART_OK && !work->has_fixed_tokens && tokens > 1)
        status = npart__cache_learn(work, tokens = 1);
    if (status == NPART_OK)
        status = npart__cache_check_tables(work, tokens);
    if (status == NPART_OK)
        status = compare_whole(work, tokens);
    if (status == NPART_OK)
        status = find_order(work, tokens, order);
    if (status == NPART_OK)
        status = npart__cache_learn(work, work->request->tokens);
    if (status == NPART_OK)
        status = npart__cache_check_padding(work);
    if (status == NPART_OK && work->request->cuts_windows)
        status = npart__cache_find_windows(work);
    return status;
}

npart_status npart__cache_fix(const struct npart__cache_request *request, const struct npart__version *version,
                              const struct npart__graph *graph, struct npart__arena *arena, struct npart__cache *out,
                              struct npart__version *out_version, struct npart_error *error)
{
    static const struct npart__infer_options nothing;
    struct npart__arena scratch;
    struct npart__inference plain;
    struct npart__version ungrouped;
    struct npart__graph ungrouped_graph;
    struct npart__work work = {.request = request, .version = version, .graph = graph, .arena = &scratch,
                               .error = error, .plain = &plain};
    if (!request->tokens || request->slots <= request->tokens || request->slots > NPART__LIMIT_CACHE_SLOTS)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "a cache of %u slots cannot take %u new tokens in a run",
                           request->slots, request->tokens);
    memset(out, 0, sizeof *out);
    npart__arena_init(&scratch, &arena->allocator);
    npart_status status = npart__infer(graph, &nothing, &scratch, &plain, error);
    if (status == NPART_OK)
        status = npart__cache_ungroup(&work, &ungrouped, &ungrouped_graph, &plain);
    if (status == NPART_OK && !make_arrays(&work))
        status = npart__fail_memory(error);
    if (status == NPART_OK)
        status = npart__cache_find_pairs(&work);
    if (status == NPART_OK)
        status = work.pairs.count ? find(&work, &out->info.order)
                                  : npart__cache_find_fixed(&work, &out->info.order);
    if (status == NPART_OK)
        status = npart__cache_write(&work, arena, out, out_version);
    npart__arena_clear(&scratch);
    return status;
}
