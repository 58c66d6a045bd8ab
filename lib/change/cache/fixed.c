/* SPDX-License-Identifier: Apache-2.0
 *
 * Caches that have a fixed size already, and come out whole:
 *
 *     present = ScatterND, ScatterElements or TensorScatter of past, slots, new       as torch's StaticCache
 *     present = Concat(past, new), or a Slice of that                                 as exports with sizes fixed
 *
 * What comes out beside `new` the host has already, so the outputs become the new keys and values. Nothing else is
 * changed: masks and positions stay the original's, and so does each bit. Where slots are written by their number an
 * input must say it, whatever that number is; this is found out by giving it several.
 */
#include "cache/internal.h"
#include "infer/families.h"

/* Inputs that are given slots to say; more integers than any decoder is given. */
#define LIMIT_TRIES 64u

/* Back through one Transpose: its order, or NULL where there is none. */
static uint32_t through_turn(const struct npart__work *work, uint32_t value, const int64_t **order, uint32_t *count)
{
    value = work->through[value];
    uint32_t producer = npart__producer(work->graph, value);
    *order = NULL;
    if (producer == NPART_NONE || !npart__comes_from(npart__node_at(work->graph, producer), NPART__WAY(TRANSPOSE)))
        return value;
    const struct npart__node *node = npart__node_at(work->graph, producer);
    const struct npart__attribute *perm = npart__node_attribute(work->graph, node, "perm");
    uint32_t operand = npart__node_input(work->graph, node, 0);
    if (!perm || perm->type != NPART_ATTRIBUTE_INTS || operand == NPART_NONE)
        return value;
    *order = perm->u.ints;
    *count = perm->count;
    return work->through[operand];
}

/* Whether axis i of the outer one is axis i of what the inner one was given. */
static bool is_undone(const int64_t *outer, uint32_t outer_count, const int64_t *inner, uint32_t inner_count)
{
    for (uint32_t i = 0; outer && inner && outer_count == inner_count && i < outer_count; i++)
        if (outer[i] < 0 || outer[i] >= inner_count || inner[outer[i]] != i)
            return false;
    return outer && inner ? outer_count == inner_count : outer == inner;
}

/* Where a node writes slots into the cache, and what. */
struct scatter {
    uint32_t past, slots, fresh, axis; /* the axis of what it is given */
};

/* Of an operator that is for caches: slots in their order from one number on. */
static bool is_update_of(const struct npart__node *node)
{
    return node->traits->writes && node->traits->cache.count;
}

static bool read_scatter(const struct npart__work *work, uint32_t id, struct scatter *out)
{
    const struct npart__graph *graph = work->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    bool is_update = is_update_of(node), is_tuple = npart__comes_from(node, NPART__WAY(SCATTER_TUPLES));
    const char *mode = is_update ? "mode" : "reduction";
    const struct npart__attribute *how = npart__node_attribute(graph, node, mode);
    if ((!node->traits->writes && !is_tuple) || node->input_count < 3)
        return false;
    if (how && (how->type != NPART_ATTRIBUTE_STRING || strcmp(how->u.s, is_update ? "linear" : "none") != 0))
        return false;
    out->past = npart__node_input(graph, node, 0);
    out->slots = npart__node_input(graph, node, is_update ? 2 : 1);
    out->fresh = npart__node_input(graph, node, is_update ? 1 : 2);
    if (out->past == NPART_NONE || out->slots == NPART_NONE || out->fresh == NPART_NONE)
        return false;
    const struct npart__fact *fact = npart__fact_of(work->plain, out->past);
    int64_t axis = is_tuple ? 0 : npart__node_int(graph, node, "axis", node->traits->writes_axis);
    return npart__is_static(fact) && npart__normalize_axis(axis, fact->rank, &out->axis);
}

/* Dims are those of the cache but along the slots. */
static bool fits(const struct npart__work *work, uint32_t past, uint32_t fresh, uint32_t axis)
{
    const struct npart__fact *a = npart__fact_of(work->plain, past), *b = npart__fact_of(work->plain, fresh);
    if (!npart__is_static(a) || !npart__is_static(b) || a->rank != b->rank || a->rank < 3)
        return false;
    for (uint32_t i = 0; i < a->rank; i++)
        if (i != axis && a->dims[i] != b->dims[i])
            return false;
    return b->dims[axis] <= a->dims[axis];
}

static bool find_scattered(const struct npart__work *work, struct npart__pair *out)
{
    const int64_t *outer, *inner, *turned;
    uint32_t outer_count = 0, inner_count = 0, count = 0;
    uint32_t value = through_turn(work, out->present, &outer, &outer_count);
    uint32_t producer = npart__producer(work->graph, value);
    struct scatter at;
    if (producer == NPART_NONE || !read_scatter(work, producer, &at))
        return false;
    out->past = through_turn(work, at.past, &inner, &inner_count);
    if (!npart__cache_is_graph_input(work, out->past) || !is_undone(outer, outer_count, inner, inner_count) ||
        !fits(work, at.past, at.fresh, at.axis))
        return false;
    out->join = producer;
    out->axis = inner ? (uint32_t)inner[at.axis] : at.axis;
    out->slots = at.slots;
    out->fresh = through_turn(work, at.fresh, &turned, &count);
    bool is_before = outer && is_undone(outer, outer_count, turned, count);
    out->turn = outer && !is_before ? outer : NULL;
    if (!is_before)
        out->fresh = at.fresh;
    return true;
}

/* A Concat, or of it the last slots, as many as the cache has. */
static bool find_joined(const struct npart__work *work, struct npart__pair *out)
{
    const struct npart__graph *graph = work->graph;
    uint32_t value = work->through[out->present], producer = npart__producer(graph, value);
    const struct npart__fact *made = npart__fact_of(work->plain, value);
    if (producer != NPART_NONE && npart__comes_from(npart__node_at(graph, producer), NPART__WAY(SLICE))) {
        uint32_t operand = npart__node_input(graph, npart__node_at(graph, producer), 0);
        producer = operand == NPART_NONE ? NPART_NONE : npart__producer(graph, work->through[operand]);
    }
    if (producer == NPART_NONE || !npart__cache_is_joined(work, producer, out))
        return false;
    const struct npart__fact *past = npart__fact_of(work->plain, out->past);
    uint32_t joined = npart__node_output(graph, npart__node_at(graph, producer), 0);
    return fits(work, out->past, out->fresh, out->axis) && npart__is_static(made) &&
           (joined == value || made->dims[out->axis] == past->dims[out->axis]);
}

/* ---- which slots ------------------------------------------------------------------------------------------------- */

/* Whether the slots are this one and those after it, at each place. */
static bool are_slots(const struct npart__work *work, struct npart__inference *inference,
                      const struct npart__pair *pair, int64_t first)
{
    uint32_t value = npart__value_at(work->graph, pair->slots)->alias;
    const struct npart__fact *fact = npart__fact_of(inference, value);
    const struct npart__known *known = npart__elements(inference, &inference->facts[value]);
    struct scatter at;
    if (!known || !known->ints || !npart__is_static(fact) || !read_scatter(work, pair->join, &at))
        return false;
    const struct npart__fact *fresh = npart__fact_of(work->plain, at.fresh);
    uint64_t stride = 1, count = (uint64_t)fresh->dims[at.axis];
    const struct npart__node *join = npart__node_at(work->graph, pair->join);
    if (is_update_of(join))
        return known->count == 1 && known->ints[0] == first;
    if (npart__comes_from(join, NPART__WAY(SCATTER_TUPLES))) {
        if (!fact->rank || fact->dims[fact->rank - 1u] != 1 || known->count != count || fact->rank != 2)
            return false;
    } else {
        if (fact->rank != fresh->rank || memcmp(fact->dims, fresh->dims, fact->rank * sizeof *fact->dims) != 0)
            return false;
        for (uint32_t i = at.axis + 1; i < fact->rank; i++)
            stride *= (uint64_t)fact->dims[i];
    }
    for (uint32_t i = 0; i < known->count; i++)
        if (known->ints[i] != first + (int64_t)(i / stride % count))
            return false;
    return true;
}

/* Whether an input says them in all pairs, as they are one after the other from `first` on. */
static npart_status say_slots(struct npart__work *work, uint32_t input, int64_t first, bool *do_say)
{
    struct npart__arena scratch;
    struct npart__inference inference;
    const struct npart__fact *fact = npart__fact_of(work->plain, input);
    uint32_t count = work->request->tokens;
    uint64_t elements;
    *do_say = npart__static_elements(fact, &elements) && elements == count;
    if (!*do_say)
        return NPART_OK;
    npart__arena_init(&scratch, &work->arena->allocator);
    int64_t *ints = npart__arena_zeroed(&scratch, count, sizeof *ints);
    for (uint32_t i = 0; ints && i < count; i++)
        ints[i] = first + i;
    const struct npart__known known = {.count = count, .ints = ints};
    const struct npart__given given = {input, &known};
    const struct npart__infer_options options = {.given = &given, .given_count = 1};
    npart_status status = ints ? npart__infer(work->graph, &options, &scratch, &inference, work->error)
                               : npart__fail_memory(work->error);
    for (uint32_t i = 0; i < work->pairs.count && status == NPART_OK && *do_say; i++)
        *do_say = are_slots(work, &inference, &work->pairs.items[i], first);
    if (status == NPART_OK && npart__take_failure(&inference))
        status = npart__fail_memory(work->error);
    npart__arena_clear(&scratch);
    return status;
}

/* Gives the input the role of positions, as the slots in use are the first ones. */
static npart_status find_slots(struct npart__work *work)
{
    const int64_t firsts[] = {0, 1, (int64_t)work->request->slots - work->request->tokens};
    uint32_t tries = 0;
    for (uint32_t i = 0; i < work->inputs.count && tries < LIMIT_TRIES; i++) {
        struct npart__cache_input *at = &work->inputs.items[i];
        bool do_say = at->role != NPART_PORT_TOKENS && npart__type_is_integer(at->element_type);
        tries += do_say;
        for (size_t k = 0; k < NPART__COUNT(firsts) && do_say; k++) {
            npart_status status = say_slots(work, at->value, firsts[k], &do_say);
            if (status != NPART_OK)
                return status;
        }
        if (do_say) {
            at->role = NPART_PORT_POSITIONS;
            return NPART_OK;
        }
    }
    return npart__cache_refuse(work, work->pairs.items[0].join,
                               "the cache has a fixed size already, and which of its slots are written is not what an "
                               "input says");
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* The slots that attention looks at, and new ones in a run. */
static void read_sizes(const struct npart__work *work, const struct npart__pair *pair, int64_t *slots, int64_t *tokens)
{
    struct scatter at;
    bool is_scattered = read_scatter(work, pair->join, &at);
    const struct npart__fact *fresh = npart__fact_of(work->plain, is_scattered ? at.fresh : pair->fresh);
    *tokens = fresh->dims[is_scattered ? at.axis : pair->axis];
    *slots = npart__fact_of(work->plain, pair->past)->dims[pair->axis] + (is_scattered ? 0 : *tokens);
}

/* Those of the sizes that are asked for. Others are none of attention, as the last inputs of a convolution. */
static npart_status choose_pairs(struct npart__work *work)
{
    const struct npart__cache_request *request = work->request;
    uint32_t kept = 0, largest = 0;
    int64_t slots, tokens, most = 0, taken = 0;
    for (uint32_t i = 0; i < work->pairs.count; i++) {
        read_sizes(work, &work->pairs.items[i], &slots, &tokens);
        largest = slots > most ? work->pairs.items[i].join : largest;
        taken = slots > most ? tokens : taken;
        most = slots > most ? slots : most;
        const struct npart__pair pair = work->pairs.items[i];
        bool is_kept = slots == request->slots && tokens == request->tokens;
        if (is_kept)
            work->pairs.items[kept++] = pair;
        work->pair_of[pair.past] = work->pair_of[pair.present] = is_kept ? kept : 0;
    }
    bool is_plain = !request->shifts && !request->cuts_windows;
    if (!kept || !is_plain)
        return npart__cache_refuse(work, largest,
                                   "the cache has a fixed size already: only --cache %lld --tokens %lld --present new, "
                                   "by which the outputs become the new keys and values", (long long)most,
                                   (long long)taken);
    work->pairs.count = kept;
    return NPART_OK;
}

/* Of one kind, that of the first. */
static npart_status find_pairs(struct npart__work *work)
{
    const struct npart__scope *scope = npart__scope_at(work->graph, 0);
    for (uint32_t i = 0; i < scope->output_count; i++) {
        struct npart__pair pair = {.present = work->graph->operands.items[scope->first_output + i]};
        bool is_scattered = find_scattered(work, &pair);
        if ((!is_scattered && !find_joined(work, &pair)) ||
            (work->pairs.count && is_scattered != work->is_written_into))
            continue;
        work->is_written_into = is_scattered;
        npart_status status = npart__cache_add_pair(work, &pair);
        if (status != NPART_OK)
            return status;
    }
    return work->pairs.count ? NPART_OK
                             : npart__cache_refuse(work, NPART_NONE,
                                                   "no cache grows: no output is a Concat of an input and new slots");
}

npart_status npart__cache_find_fixed(struct npart__work *work, enum npart_slot_order *order)
{
    npart_status status = find_pairs(work);
    work->was_fixed = true;
    *order = work->is_written_into ? NPART_SLOTS_LEFT : NPART_SLOTS_RIGHT;
    if (status == NPART_OK)
        status = choose_pairs(work);
    if (status == NPART_OK)
        status = npart__cache_list_inputs(work);
    for (uint32_t i = 0; i < work->inputs.count && status == NPART_OK; i++) {
        const struct npart__pair *pair = npart__cache_pair_of(work, work->inputs.items[i].value);
        if (pair)
            work->inputs.items[i].slot_axis = pair->axis;
    }
    return status == NPART_OK && work->is_written_into ? find_slots(work) : status;
}
