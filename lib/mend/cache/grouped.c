/* SPDX-License-Identifier: Apache-2.0
 *
 * com.microsoft:GroupQueryAttention, which keeps the cache itself, by its definition for a cache that grows: a Concat
 * of the past and the new keys, and so for values. Positions are the slots from the past on, as all of them are used;
 * what follows finds out that a fixed cache needs them as an input, and which slots to hide. Queries that share a key
 * stand below each other, so no key is repeated. RotaryEmbedding of ONNX Runtime beside it is taken apart in the same
 * way.
 */
#include <math.h>

#include "cache/internal.h"
#include "infer/families.h"
#include "rewrite/group_query.h"

#define REWRITE "cache"

/* Rows of a table at the positions, made once for all layers. */
struct rows {
    const char *table, *positions, *name;
};

struct ungrouping {
    struct npart__work *work;
    struct npart__editor *editor;
    struct npart__site *site; /* at hand */
    bool has_later;           /* a run has several new tokens, so that some are later than others */
    const char *before, *slots; /* made once: sizes of the cache */
    const char *positions;      /* its slots from the past on, [tokens, 1] */
    const char *later;                      /* what hides later tokens, [tokens, slots] */
    struct NPART__ARRAY(struct rows) rows;
    struct npart__group_query group; /* of the node at hand */
};

static int64_t number(const struct npart__site *site, const char *name)
{
    return npart__site_int(site, site->id, name, 0);
}

/* The last dim of a value; 0 where it is no number. */
static int64_t last_dim(const struct npart__site *site, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(site->inference, value);
    int64_t dim = fact->has_rank && fact->rank ? fact->dims[fact->rank - 1u] : 0;
    return npart__is_number(dim) && dim > 0 ? dim : 0;
}

/* A NULL reason: it is followed. */
static const char *read_group(const struct npart__site *site, struct npart__group_query *out)
{
    *out = (struct npart__group_query){.shared = -1, .heads = number(site, "num_heads"),
                                       .kept = number(site, "kv_num_heads"),
                                       .type = npart__site_type(site, npart__operand(site, QUERY))};
    bool has_key = npart__has_operand(site, KEY);
    if (!npart__is_plain_group_query(site) || has_key != npart__has_operand(site, VALUE) ||
        npart__site_opset(site) < 13)
        return "windows, soft caps, sinks, quantized caches, given positions and biases are not followed";
    if (out->heads <= 0 || out->kept <= 0 || out->heads % out->kept ||
        (out->type != NPART__FLOAT && out->type != NPART__FLOAT16))
        return "its heads or its element type are not followed";
    int64_t columns = last_dim(site, npart__operand(site, QUERY));
    int64_t parts = has_key ? out->heads : out->heads + 2 * out->kept;
    out->size = columns / parts;
    if (!columns || columns % parts)
        return "the size of its heads is not known";
    bool turns = number(site, "do_rotary") != 0;
    if (turns && (!npart__has_operand(site, COSINE) || !npart__has_operand(site, SINE) ||
                  number(site, "rotary_interleaved") ||
                  last_dim(site, npart__operand(site, COSINE)) * 2 != out->size ||
                  last_dim(site, npart__operand(site, SINE)) * 2 != out->size))
        return "rotary positions that are interleaved, or of a part of the head, are not followed";
    return NULL;
}

/* ---- what all layers share --------------------------------------------------------------------------------------- */

static const char *size_of(struct npart__site *site, const char *x, int64_t axis)
{
    const char *shape = NPART__MAKE(site, "Shape", x);
    const char *size = NPART__MAKE(site, "Gather", shape, npart__make_scalar(site, NPART__INT64, (double)axis));
    npart__give_int(site, "axis", 0);
    return size;
}

static void make_sizes(struct ungrouping *all, const char *query, const char *past)
{
    static const int64_t last[] = {1};
    struct npart__site *site = all->site;
    if (all->slots)
        return;
    const char *step = npart__make_scalar(site, NPART__INT64, 1);
    all->before = size_of(site, past, 2);
    all->slots = NPART__MAKE(site, "Add", all->before, size_of(site, query, 1));
    all->positions = npart__make_unsqueeze(site, NPART__MAKE(site, "Range", all->before, all->slots, step), last, 1);
}

/* A token sees those before it and itself. */
static void make_later(struct ungrouping *all, int type)
{
    struct npart__site *site = all->site;
    if (!all->has_later || all->later)
        return;
    const char *first = npart__make_scalar(site, NPART__INT64, 0), *step = npart__make_scalar(site, NPART__INT64, 1);
    const char *slot = NPART__MAKE(site, "Range", first, all->slots, step);
    const char *closed = npart__make_scalar(site, type, NPART__MASK_VALUE);
    const char *is_later = NPART__MAKE(site, "Greater", slot, all->positions);
    all->later = NPART__MAKE(site, "Where", is_later, closed, npart__make_scalar(site, type, 0));
}

static const char *rows_of(struct ungrouping *all, const char *table, const char *positions, bool is_by_token)
{
    static const int64_t heads[] = {2};
    for (uint32_t i = 0; i < all->rows.count; i++)
        if (strcmp(all->rows.items[i].table, table) == 0 && strcmp(all->rows.items[i].positions, positions) == 0)
            return all->rows.items[i].name;
    const char *name = NPART__MAKE(all->site, "Gather", table, positions);
    npart__give_int(all->site, "axis", 0);
    if (is_by_token)
        name = npart__make_unsqueeze(all->site, name, heads, 1);
    struct rows rows = {table, positions, name};
    return name && NPART__PUSH(all->work->arena, &all->rows, rows) ? name : NULL;
}

/* ---- one node ---------------------------------------------------------------------------------------------------- */

/* Of the node at hand, at its slots. */
static const char *rows(void *payload, uint32_t operand)
{
    struct ungrouping *all = payload;
    return rows_of(all, npart__operand_name(all->site, operand), all->positions, false);
}

/* Scores with what hides later tokens, by head as that is by token; then as they were. */
static const char *weigh(void *payload, const char *scores)
{
    static const int64_t first[] = {0};
    struct ungrouping *all = payload;
    struct npart__site *site = all->site;
    const int64_t by_head[] = {0, all->group.heads, -1}, by_key[] = {0, all->group.kept, -1};
    if (!all->has_later)
        return npart__make_softmax(site, scores);
    const char *slots = npart__make_unsqueeze(site, all->slots, first, 1);
    const char *to[] = {npart__make_ints(site, by_head, 3), slots};
    const char *back[] = {npart__make_ints(site, by_key, 3), slots};
    scores = NPART__MAKE(site, "Reshape", scores, npart__make_concat(site, to, 2, 0));
    scores = npart__make_softmax(site, NPART__MAKE(site, "Add", scores, all->later));
    return NPART__MAKE(site, "Reshape", scores, npart__make_concat(site, back, 2, 0));
}

static const char *ungroup(struct ungrouping *all)
{
    struct npart__site *site = all->site;
    struct npart__group_query *group = &all->group;
    const char *parts[3], *reason = read_group(site, group);
    if (reason)
        return reason;
    group->rows = rows;
    group->weigh = weigh;
    group->payload = all;
    npart__list_group_query_parts(site, group->heads, group->kept, group->size, parts);
    make_sizes(all, npart__operand_name(site, QUERY), npart__operand_name(site, PAST_KEY));
    make_later(all, group->type);
    npart__make_group_query(site, group, parts);
    return NULL;
}

/* Of rank 3, over whole heads, at positions that are given for each token. Any other stays, which is no harm. */
static bool unrotate(struct ungrouping *all)
{
    enum { X, POSITIONS, COSINES, SINES };
    struct npart__site *site = all->site;
    uint32_t rank = 0, positions_rank = 0;
    int64_t width = last_dim(site, npart__operand(site, X));
    int64_t size = npart__has_operand(site, COSINES) ? 2 * last_dim(site, npart__operand(site, COSINES)) : 0;
    int type = npart__site_type(site, npart__operand(site, X));
    if (!npart__has_operand(site, SINES) || !npart__site_rank(site, npart__operand(site, X), &rank) || rank != 3 ||
        !npart__site_rank(site, npart__operand(site, POSITIONS), &positions_rank) || positions_rank != 2 ||
        number(site, "interleaved") || number(site, "rotary_embedding_dim") || !size || !width || width % size ||
        (type != NPART__FLOAT && type != NPART__FLOAT16) ||
        npart__site_float(site, site->id, "scale", 1) != 1 || number(site, "is_packed_batching"))
        return false;
    const int64_t heads[] = {0, 0, width / size, size}, whole[] = {0, 0, width};
    const char *positions = npart__operand_name(site, POSITIONS);
    const char *cosine = rows_of(all, npart__operand_name(site, COSINES), positions, true);
    const char *sine = rows_of(all, npart__operand_name(site, SINES), positions, true);
    const char *x = npart__make_reshape_to(site, npart__operand_name(site, X), heads, 4);
    npart__finish(site, 0, npart__make_reshape_to(site, npart__make_turned(site, x, size, cosine, sine), whole, 3));
    return true;
}

/* ---- the graph --------------------------------------------------------------------------------------------------- */

static npart_status change(struct ungrouping *all, uint32_t id)
{
    struct npart__work *work = all->work;
    struct npart__site site;
    bool is_attention = npart__lists_op(work->graph, "com.microsoft:GroupQueryAttention", id);
    if (!is_attention && !npart__lists_op(work->graph, "com.microsoft:RotaryEmbedding", id))
        return NPART_OK;
    if (!npart__site_begin(all->editor, id, REWRITE, NPART_EQUAL_ULP, &site))
        return is_attention ? npart__cache_refuse(work, id, "it stands in a function, which is to be inlined first")
                            : NPART_OK;
    all->site = &site;
    const char *reason = is_attention ? ungroup(all) : NULL;
    if (reason)
        return npart__cache_refuse(work, id, "%s", reason);
    if (!is_attention && !unrotate(all)) {
        npart__site_drop(&site);
        return NPART_OK;
    }
    return npart__site_keep(&site) ? NPART_OK : npart__fail_memory(work->error);
}

npart_status npart__cache_ungroup(struct npart__work *work, struct npart__version *version, struct npart__graph *graph,
                                  struct npart__inference *plain)
{
    struct ungrouping all = {.work = work, .has_later = work->request->tokens > 1};
    uint32_t count = work->graph->values.count, found = 0;
    for (uint32_t i = 0; i < work->graph->nodes.count; i++)
        found += npart__lists_op(work->graph, "com.microsoft:GroupQueryAttention", i);
    bool *is_constant = npart__arena_zeroed(work->arena, count + (size_t)1, sizeof *is_constant);
    if (!found)
        return NPART_OK;
    if (!is_constant)
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
