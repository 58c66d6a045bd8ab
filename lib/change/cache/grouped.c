/* SPDX-License-Identifier: Apache-2.0
 *
 * com.microsoft:GroupQueryAttention, which keeps the cache itself, by its definition for a cache that grows: a Concat
 * of the past and the new keys, and so for values. Positions are the slots from the past on, as all of them are used;
 * what follows finds out that a fixed cache needs them as an input, and which slots to hide. Queries that share a key
 * stand below each other, so no key is repeated. RotaryEmbedding of ONNX Runtime beside it is taken apart in the same
 * way, as are Attention and MultiHeadAttention with a past.
 */
#include "cache/internal.h"
#include "infer/families.h"
#include "rewrite/cached.h"
#include "rewrite/group_query.h"

#define REWRITE "cache"

/* What is made once for all layers that need the same, by a text that says what. */
struct shared {
    struct npart__strings keys;
    struct NPART__ARRAY(const char *) names; /* by key */
};

struct ungrouping {
    struct npart__work *work;
    struct npart__editor *editor;
    struct npart__site *site; /* at hand */
    bool has_later;           /* a run has several new tokens, so that some are later than others */
    const char *before, *tokens, *slots; /* made once: sizes of the cache */
    const char *places, *positions;      /* all slots; those from the past on, [tokens, 1] */
    struct shared hidings; /* what hides slots from a token, by window */
    struct shared rows;    /* of a table at the positions */
};

/* ---- what all layers share --------------------------------------------------------------------------------------- */

static const char *size_of(struct npart__site *site, const char *x, int64_t axis)
{
    const char *shape = NPART__MAKE(site, "Shape", x);
    const char *size = npart__make_gather(site, shape, npart__make_scalar(site, NPART__INT64, (double)axis));
    npart__give_int(site, "axis", 0);
    return size;
}

/* `axis`: of the query, that of the tokens. */
static void make_sizes(struct ungrouping *all, const char *query, int64_t axis, const char *past)
{
    static const int64_t last[] = {1};
    struct npart__site *site = all->site;
    if (all->slots)
        return;
    const char *first = npart__make_scalar(site, NPART__INT64, 0), *step = npart__make_scalar(site, NPART__INT64, 1);
    all->before = size_of(site, past, 2);
    all->tokens = size_of(site, query, axis);
    all->slots = npart__make_add(site, all->before, all->tokens);
    all->places = NPART__MAKE(site, "Range", first, all->slots, step);
    all->positions = npart__make_unsqueeze(site, NPART__MAKE(site, "Range", all->before, all->slots, step), last, 1);
}

/* A token sees those before it and itself, of a window the last ones alone. NULL: nothing is hidden. */
static const char *make_hiding(struct ungrouping *all, int64_t window, bool is_causal, int type)
{
    struct npart__site *site = all->site;
    const char *is_hidden = NULL;
    if (is_causal && all->has_later)
        is_hidden = npart__make_greater(site, all->places, all->positions);
    if (window) {
        const char *others = npart__make_scalar(site, NPART__INT64, (double)(window - 1));
        const char *is_far = npart__make_less(site, all->places, npart__make_subtract(site, all->positions, others));
        is_hidden = is_hidden ? npart__make_or(site, is_hidden, is_far) : is_far;
    }
    if (!is_hidden)
        return NULL;
    const char *much = npart__make_scalar(site, type, NPART__MASK_VALUE), *none = npart__make_scalar(site, type, 0);
    return npart__make_where(site, is_hidden, much, none);
}

/* Where the name of what has this key stands; *is_new: it is to be made. NULL when out of memory. */
static const char **find_shared(struct ungrouping *all, struct shared *shared, const char *key, bool *is_new)
{
    uint32_t id = key ? npart__intern_text(&shared->keys, key) : NPART_NONE;
    *is_new = id != NPART_NONE && id > shared->names.count; /* ids are counted from 1 */
    if (id == NPART_NONE || (*is_new && !NPART__PUSH(all->work->arena, &shared->names, NULL))) {
        all->site->failed = true;
        return NULL;
    }
    return &shared->names.items[id - 1];
}

static const char *hiding_of(struct ungrouping *all, int64_t window, bool is_causal, int type)
{
    bool is_new;
    const char **name = find_shared(all, &all->hidings,
                                    npart__arena_format(all->work->arena, "%lld %d %d", (long long)window, is_causal,
                                                        type), &is_new);
    if (name && is_new)
        *name = make_hiding(all, window, is_causal, type);
    return name ? *name : NULL;
}

/* With an axis of 1 for the heads; 0: they have one. */
static const char *rows_of(struct ungrouping *all, const char *table, const char *positions, int64_t axis)
{
    bool is_new;
    const char **name = find_shared(all, &all->rows,
                                    npart__arena_format(all->work->arena, "%lld\x1f%s\x1f%s", (long long)axis, table,
                                                        positions), &is_new);
    if (!name || !is_new)
        return name ? *name : NULL;
    *name = npart__make_gather(all->site, table, positions);
    npart__give_int(all->site, "axis", 0);
    if (axis)
        *name = npart__make_unsqueeze(all->site, *name, &axis, 1);
    return *name;
}

/* ---- one node ---------------------------------------------------------------------------------------------------- */

/* Sizes are those of the cache, which are no numbers yet. */
static void finish(struct ungrouping *all, struct npart__attention *at)
{
    struct npart__site *site = all->site;
    at->shared = -1;
    at->slots = all->slots;
    at->tokens = all->tokens;
    at->is_single = !all->has_later;
    npart__finish_attention(site, at);
}

/* Where slots are evicted the window hides them: what else the cache has does not matter. */
static const char *ungroup(struct ungrouping *all)
{
    struct npart__site *site = all->site;
    struct npart__group_query group;
    struct npart__attention *at = &group.attention;
    const char *reason = npart__read_group_query(site, &group);
    if (reason)
        return reason;
    bool has_positions = npart__has_operand(site, NPART__GQA_POSITIONS);
    at->past_key = npart__operand_name(site, NPART__GQA_PAST_KEY);
    at->past_value = npart__operand_name(site, NPART__GQA_PAST_VALUE);
    npart__list_group_query_parts(site, at);
    make_sizes(all, npart__operand_name(site, NPART__GQA_QUERY), 1, at->past_key);
    const char *positions = has_positions ? npart__operand_name(site, NPART__GQA_POSITIONS) : all->positions;
    if (at->turned) {
        at->cosine = rows_of(all, npart__operand_name(site, NPART__GQA_COSINE), positions, has_positions ? 2 : 0);
        at->sine = rows_of(all, npart__operand_name(site, NPART__GQA_SINE), positions, has_positions ? 2 : 0);
    }
    at->mask = hiding_of(all, group.window, group.is_causal, at->type);
    finish(all, at);
    return NULL;
}

/* Attention that has a past beside its parts. */
static const char *take_apart(struct ungrouping *all)
{
    struct npart__site *site = all->site;
    struct npart__cached cached;
    struct npart__attention *at = &cached.attention;
    const char *reason = npart__read_cached(site, &cached);
    if (reason)
        return reason;
    make_sizes(all, at->query, at->has_heads ? 2 : 1, at->past_key);
    npart__make_visible(site, &cached, NPART__MASK_VALUE);
    at->mask = hiding_of(all, 0, cached.is_causal, at->type);
    finish(all, at);
    return NULL;
}

/* At positions that are given for each token. Any other stays, which is no harm. */
static bool unrotate(struct ungrouping *all)
{
    struct npart__site *site = all->site;
    struct npart__rotary at;
    uint32_t rank = 0;
    if (npart__read_rotary(site, &at) || !npart__site_rank(site, npart__operand(site, at.positions), &rank) ||
        rank != 2)
        return false;
    const char *positions = npart__operand_name(site, at.positions);
    const char *cosine = rows_of(all, npart__operand_name(site, at.cosine), positions, at.rank == 3 ? 2 : 1);
    const char *sine = rows_of(all, npart__operand_name(site, at.sine), positions, at.rank == 3 ? 2 : 1);
    npart__make_rotary(site, &at, cosine, sine);
    return true;
}

/* ---- the graph --------------------------------------------------------------------------------------------------- */

static npart_status change(struct ungrouping *all, uint32_t id)
{
    struct npart__work *work = all->work;
    struct npart__site site;
    /* Without a past it sees the new tokens alone, and stays as it is. */
    bool is_cached = npart__has_past(work->graph, id);
    bool is_rotary = npart__comes_from(npart__node_at(work->graph, id), NPART__WAY(ROTARY));
    if (!is_cached && !is_rotary)
        return NPART_OK;
    if (!npart__site_begin(all->editor, id, REWRITE, NPART_EQUAL_ULP, &site))
        return is_rotary ? NPART_OK
                         : npart__cache_refuse(work, id, "it stands in a function, which is to be inlined first");
    all->site = &site;
    if (is_rotary && !unrotate(all)) {
        npart__site_drop(&site);
        return NPART_OK;
    }
    bool is_grouped = npart__past_key_of(work->graph, id) == NPART__GQA_PAST_KEY;
    const char *reason = !is_cached ? NULL : is_grouped ? ungroup(all) : take_apart(all);
    if (!is_rotary && npart__site_opset(&site) < 13)
        reason = "the model has an opset below 13";
    if (reason)
        return npart__cache_refuse(work, id, "%s", reason);
    return npart__site_keep(&site) ? NPART_OK : npart__fail_memory(work->error);
}

npart_status npart__cache_ungroup(struct npart__work *work, struct npart__version *version, struct npart__graph *graph,
                                  struct npart__inference *plain)
{
    struct ungrouping all = {.work = work, .has_later = work->request->tokens > 1};
    uint32_t count = work->graph->values.count, found = 0;
    for (uint32_t i = 0; i < work->graph->nodes.count; i++)
        found += npart__has_past(work->graph, i);
    if (!found)
        return NPART_OK;
    bool *is_constant = npart__arena_zeroed(work->arena, count + (size_t)1, sizeof *is_constant);
    if (!is_constant || !npart__strings_init(&all.hidings.keys, work->arena) ||
        !npart__strings_init(&all.rows.keys, work->arena))
        return npart__fail_memory(work->error);
    for (uint32_t i = 0; i < count; i++)
        is_constant[i] = plain->facts[i].is_constant;
    npart_status status = npart__editor_open(work->version, work->graph, plain, is_constant, work->arena, &all.editor,
                                             work->error);
    for (uint32_t i = 0; i < work->graph->nodes.count && status == NPART_OK; i++)
        status = change(&all, i);
    if (status == NPART_OK)
        status = npart__editor_pack(all.editor, work->arena, version, work->error);
    if (status == NPART_OK)
        status = npart__version_graph(version, work->arena, graph, work->error);
    if (status != NPART_OK)
        return status;
    work->version = version;
    work->graph = graph;
    work->is_ungrouped = true;
    static const struct npart__infer_options nothing;
    return npart__infer(graph, &nothing, work->arena, plain, work->error);
}
