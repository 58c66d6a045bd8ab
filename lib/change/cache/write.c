/* SPDX-License-Identifier: Apache-2.0
 *
 * The edits: sizes, inputs that are added, what is made anew from them, and what the outputs are from here on.
 */
#include "cache/internal.h"
#include "infer/families.h"

#define REWRITE "cache"
/* Bytes of a mask that does not stay: what larger ones are, the wire keeps for the cache alone. */
#define LARGE_MASK 4096u
/* Inputs of one kind that differ in type or shape. */
#define LIMIT_ADDED 8u

/* An input that the original does not have. */
struct added {
    const char *name;
    uint8_t role, element_type;
    uint16_t rank;
    const int64_t *dims;
    int64_t offset;
};

/* The graph without the first slots that a window leaves out, and values that have all slots, cut. */
struct shorter {
    uint32_t cut;
    struct npart__inference inference;
    const char **name; /* by value: what stands for it with fewer slots, as its node has them */
    const char **part; /* by value: a Slice of what has all slots, as a mask that other layers share */
};

struct writing {
    struct npart__work *work;
    struct npart__editor *editor;
    struct npart__inference inference; /* at the sizes of the request */
    struct added added[LIMIT_ADDED];
    uint32_t added_count;
    bool is_full; /* more inputs than these would be needed */
    bool is_unknown; /* how a result is shaped with fewer slots */
    const char **made; /* by value: the name of what was made anew for it */
    struct NPART__ARRAY(struct shorter *) windows;
};

/* ---- inputs ------------------------------------------------------------------------------------------------------ */

static bool is_same_input(const struct added *a, const struct added *b)
{
    return a->role == b->role && a->element_type == b->element_type && a->rank == b->rank && a->offset == b->offset &&
           (a->rank == 0 || memcmp(a->dims, b->dims, a->rank * sizeof *a->dims) == 0);
}

/* One that is wanted again is the same; NULL when out of memory, or past the limit. */
static const char *add_input(struct writing *writing, const char *wanted, struct added input)
{
    for (uint32_t i = 0; i < writing->added_count; i++)
        if (is_same_input(&writing->added[i], &input))
            return writing->added[i].name;
    writing->is_full |= writing->added_count == LIMIT_ADDED;
    if (writing->is_full)
        return NULL;
    input.name = npart__editor_add_input(writing->editor, wanted, input.element_type, input.dims, input.rank);
    writing->added[writing->added_count] = input;
    writing->added_count += input.name != NULL;
    return input.name;
}

static const char *add_positions(struct writing *writing, uint32_t value)
{
    const struct npart__work *work = writing->work;
    const struct npart__fact *fact = npart__fact_of(&writing->inference, value);
    if (!npart__is_static(fact))
        return NULL;
    return add_input(writing, "position_ids",
                     (struct added){.role = NPART_PORT_POSITIONS, .element_type = fact->element_type,
                                    .rank = fact->rank, .dims = fact->dims,
                                    .offset = work->positions.items[work->position_of[value] - 1].offset});
}

/* [1, .., 1, N], of the type of the scores. */
static const char *add_bias(struct writing *writing, uint32_t scores)
{
    const struct npart__fact *fact = npart__fact_of(&writing->inference, scores);
    int64_t *dims = npart__arena_allocate(writing->work->arena, (fact->rank + (size_t)1) * sizeof *dims);
    if (!dims)
        return NULL;
    for (uint32_t i = 0; i < fact->rank; i++)
        dims[i] = i + 1u == fact->rank ? fact->dims[i] : 1;
    return add_input(writing, "cache_bias",
                     (struct added){.role = NPART_PORT_BIAS, .element_type = fact->element_type, .rank = fact->rank,
                                    .dims = dims});
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* The name of a value made anew from positions: the input, or a copy of its node with other operands. Depth is that
 * within which it was found to be possible. */
static const char *make_anew(struct writing *writing, struct npart__site *site, uint32_t value)
{
    const struct npart__work *work = writing->work;
    const struct npart__graph *graph = work->graph;
    value = npart__value_at(graph, value)->alias;
    if (work->position_of[value])
        return add_positions(writing, value);
    if (!work->is_repaired[value])
        return npart__value_name(graph, value);
    if (writing->made[value])
        return writing->made[value];
    uint32_t producer = npart__producer(graph, value);
    const struct npart__node *node = npart__node_at(graph, producer);
    const char **operands = npart__arena_zeroed(work->arena, node->input_count + (size_t)1, sizeof *operands);
    for (uint32_t i = 0; operands && i < node->input_count; i++) {
        uint32_t operand = npart__node_input(graph, node, i);
        operands[i] = operand == NPART_NONE ? "" : make_anew(writing, site, operand);
        if (!operands[i])
            return NULL;
    }
    if (!operands || !npart__make_like(site, producer, operands, node->input_count))
        return NULL;
    for (uint32_t i = 0; i < node->output_count; i++)
        if (npart__node_output(graph, node, i) == value)
            writing->made[value] = npart__made_result(site, i);
    return writing->made[value];
}

/* ---- windows ----------------------------------------------------------------------------------------------------- */

/* The axis of a value that is shorter there; NPART_NONE: none is. */
static uint32_t shorter_axis(const struct writing *writing, const struct shorter *shorter, uint32_t value)
{
    const struct npart__fact *all = npart__fact_of(&writing->inference, value);
    const struct npart__fact *some = npart__fact_of(&shorter->inference, value);
    for (uint32_t i = 0; npart__is_static(all) && npart__is_static(some) && all->rank == some->rank && i < all->rank;
         i++)
        if (all->dims[i] - some->dims[i] == shorter->cut)
            return i;
    return NPART_NONE;
}

/* Of which window the node has slots; NULL: of none. */
static struct shorter *window_of(const struct writing *writing, uint32_t id)
{
    const struct npart__graph *graph = writing->work->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    for (uint32_t i = 0; i < writing->windows.count; i++)
        for (uint32_t k = 0; k < node->input_count; k++) {
            uint32_t operand = npart__node_input(graph, node, k);
            if (operand != NPART_NONE && writing->windows.items[i]->name[npart__value_at(graph, operand)->alias])
                return writing->windows.items[i];
        }
    return NULL;
}

/* What says how a result is shaped, as it is with fewer slots; `name` where that is no other, NULL where not known. */
static const char *cut_shape(struct writing *writing, struct shorter *shorter, struct npart__site *site, uint32_t value,
                             const char *name)
{
    struct npart__fact *fact = &shorter->inference.facts[value];
    const struct npart__known *all = npart__elements(&writing->inference, &writing->inference.facts[value]);
    const struct npart__known *some = npart__elements(&shorter->inference, fact);
    bool is_known = all && some && all->ints && some->ints;
    bool has_failed = npart__take_failure(&writing->inference);
    has_failed |= npart__take_failure(&shorter->inference);
    writing->is_unknown |= !is_known && !has_failed;
    if (!is_known || has_failed)
        return NULL;
    if (all->count == some->count && memcmp(all->ints, some->ints, all->count * sizeof *all->ints) == 0)
        return name;
    return npart__make_int_constant(site, fact->element_type, fact->dims, fact->rank, some->ints);
}

/* The operand with fewer slots: what was made of it, or a Slice, or itself where it has none. */
static const char *cut_operand(struct writing *writing, struct shorter *shorter, struct npart__site *site,
                               uint32_t index, const char *name)
{
    const struct npart__graph *graph = writing->work->graph;
    uint32_t value = npart__operand(site, index);
    if (value == NPART_NONE || !name)
        return name;
    value = npart__value_at(graph, value)->alias;
    if (npart__cache_shape_operands(graph, site->id) >> index & 1)
        return cut_shape(writing, shorter, site, value, name);
    uint32_t axis = shorter_axis(writing, shorter, value);
    if (axis == NPART_NONE)
        return name;
    if (shorter->name[value])
        return shorter->name[value];
    if (!shorter->part[value])
        shorter->part[value] = npart__make_slice(site, name, axis, shorter->cut,
                                                 writing->inference.facts[value].dims[axis], 1);
    return shorter->part[value];
}

/* The node gives way to what it makes, of integers; `is_done` false where that is not known. */
static npart_status make_constant(struct writing *writing, uint32_t id, bool *is_done)
{
    struct npart__work *work = writing->work;
    struct npart__site site;
    uint32_t value = npart__node_output(work->graph, npart__node_at(work->graph, id), 0);
    *is_done = false;
    if (!npart__site_begin(writing->editor, id, REWRITE, NPART_EQUAL_ULP, &site))
        return npart__cache_refuse(work, id, "it stands in a function, which is to be inlined first");
    struct npart__fact *fact = &writing->inference.facts[value];
    const struct npart__known *known = npart__elements(&writing->inference, fact);
    if (!known || !known->ints) {
        npart__site_drop(&site);
        return npart__take_failure(&writing->inference) ? npart__fail_memory(work->error) : NPART_OK;
    }
    *is_done = true;
    npart__finish(&site, 0, npart__make_int_constant(&site, fact->element_type, fact->dims, fact->rank, known->ints));
    return npart__site_keep(&site) ? NPART_OK : npart__fail_memory(work->error);
}

/* Its operand has fewer slots, but what is made of their number for the other layers has all. */
static npart_status keep_shape(struct writing *writing, uint32_t id)
{
    bool is_done;
    npart_status status = make_constant(writing, id, &is_done);
    return status != NPART_OK || is_done
               ? status
               : npart__cache_refuse(writing->work, id, "the sizes of a layer with a window are not known");
}

/* A part of a table of truth values that was read for it alone: the rest is of no use. */
static bool is_part_of_mask(const struct writing *writing, uint32_t id)
{
    const struct npart__graph *graph = writing->work->graph;
    uint32_t operand = npart__node_input(graph, npart__node_at(graph, id), 0);
    const struct npart__tensor *tensor =
        operand == NPART_NONE ? NULL : npart__fact_of(&writing->inference, operand)->tensor;
    return npart__comes_from(npart__node_at(graph, id), NPART__WAY(SLICE)) && tensor &&
           tensor->element_type == NPART__BOOL && tensor->bytes > LARGE_MASK;
}

static npart_status add_window(struct writing *writing, uint32_t cut)
{
    struct npart__work *work = writing->work;
    uint32_t tokens = work->request->tokens;
    struct npart__infer_options options = {.binding_count = work->dims.count};
    struct shorter *shorter = npart__arena_zeroed(work->arena, 1, sizeof *shorter);
    for (uint32_t i = 0; i < writing->windows.count; i++)
        if (writing->windows.items[i]->cut == cut)
            return NPART_OK;
    options.bindings = npart__cache_bindings(work, work->request->slots - tokens - cut, tokens, work->arena);
    if (!shorter || !options.bindings || !NPART__PUSH(work->arena, &writing->windows, shorter))
        return npart__fail_memory(work->error);
    shorter->cut = cut;
    shorter->name = npart__arena_zeroed(work->arena, work->graph->values.count + (size_t)1, sizeof *shorter->name);
    shorter->part = npart__arena_zeroed(work->arena, work->graph->values.count + (size_t)1, sizeof *shorter->part);
    return shorter->name && shorter->part
               ? npart__infer(work->graph, &options, work->arena, &shorter->inference, work->error)
               : npart__fail_memory(work->error);
}

static npart_status cut_pairs(struct writing *writing)
{
    const struct npart__work *work = writing->work;
    struct npart__new_size *sizes = npart__arena_zeroed(work->arena, work->pairs.count + (size_t)1, sizeof *sizes);
    npart_status status = sizes ? NPART_OK : npart__fail_memory(work->error);
    uint32_t count = 0;
    for (uint32_t i = 0; i < work->pairs.count && status == NPART_OK; i++) {
        const struct npart__pair *pair = &work->pairs.items[i];
        if (!pair->cut)
            continue;
        status = add_window(writing, pair->cut);
        sizes[count++] = (struct npart__new_size){
            pair->past, pair->axis, (int64_t)work->request->slots - work->request->tokens - pair->cut};
        for (uint32_t k = 0; k < writing->windows.count && status == NPART_OK; k++)
            if (writing->windows.items[k]->cut == pair->cut)
                writing->windows.items[k]->name[pair->past] = npart__value_name(work->graph, pair->past);
    }
    if (status == NPART_OK && count && !npart__editor_set_input_sizes(writing->editor, sizes, count))
        status = npart__fail_memory(work->error);
    return status;
}

/* ---- nodes that change ------------------------------------------------------------------------------------------- */

/* The bias of scores, cut where these are. */
static const char *bias_of(struct writing *writing, struct shorter *shorter, struct npart__site *site)
{
    const struct npart__fact *fact = npart__fact_of(&writing->inference, npart__operand(site, 0));
    const char *bias = add_bias(writing, npart__operand(site, 0));
    if (!shorter || !bias)
        return bias;
    return npart__make_slice(site, bias, fact->rank - 1, shorter->cut, fact->dims[fact->rank - 1], 1);
}

/* A copy of a node, with operands made anew, or with fewer slots, and with a bias where it is a Softmax that needs one.
 * Results that have fewer slots get other names. */
static npart_status change_node(struct writing *writing, uint32_t id)
{
    struct npart__work *work = writing->work;
    const struct npart__node *node = npart__node_at(work->graph, id);
    struct shorter *shorter = window_of(writing, id);
    struct npart__site site;
    uint32_t value;
    const char **names = npart__arena_zeroed(work->arena, node->input_count + (size_t)1, sizeof *names);
    const char **results = npart__arena_zeroed(work->arena, node->output_count + (size_t)1, sizeof *results);
    if (!names || !results)
        return npart__fail_memory(work->error);
    if (!npart__site_begin(writing->editor, id, REWRITE, NPART_EQUAL_ULP, &site))
        return npart__cache_refuse(work, id, "it stands in a function, which is to be inlined first");
    for (uint32_t i = 0; i < node->input_count; i++) {
        names[i] = npart__operand_name(&site, i);
        if (npart__cache_is_used_anew(work, id, i, &value))
            names[i] = make_anew(writing, &site, value);
        if (shorter)
            names[i] = cut_operand(writing, shorter, &site, i, names[i]);
        if (i == 0 && work->is_unmasked[id])
            names[i] = npart__make_add(&site, names[i], bias_of(writing, shorter, &site));
        if (!names[i] && writing->is_unknown)
            return npart__cache_refuse(work, id, "how its result is shaped with the slots of a window is not known");
        if (!names[i])
            return writing->is_full ? npart__cache_refuse(work, id, "it needs more than %u inputs", LIMIT_ADDED)
                                    : npart__fail_memory(work->error);
    }
    npart__make_like(&site, id, names, node->input_count);
    for (uint32_t i = 0; i < node->output_count; i++)
        results[i] = npart__made_result(&site, i);
    for (uint32_t i = 0; i < node->output_count; i++) {
        value = npart__result(&site, i);
        if (value != NPART_NONE && shorter && shorter_axis(writing, shorter, value) != NPART_NONE)
            shorter->name[value] = results[i];
        else if (value != NPART_NONE)
            npart__finish(&site, i, results[i]);
    }
    return npart__site_keep(&site) ? NPART_OK : npart__fail_memory(work->error);
}

/* Operands before results. */
static npart_status change_nodes(struct writing *writing)
{
    const struct npart__work *work = writing->work;
    const struct npart__scope *scope = npart__scope_at(work->graph, 0);
    npart_status status = NPART_OK;
    for (uint32_t i = 0; i < scope->order_count && status == NPART_OK; i++) {
        uint32_t id = work->graph->order[scope->first_order + i];
        bool is_cut = window_of(writing, id) != NULL, is_changed = is_cut || work->is_unmasked[id] || work->use_of[id];
        bool is_made = false;
        if (is_cut && npart__comes_from(npart__node_at(work->graph, id), NPART__WAYS_SIZES))
            status = keep_shape(writing, id);
        else if (!is_changed && !work->was_fixed && work->is_live[id] && is_part_of_mask(writing, id))
            status = make_constant(writing, id, &is_made);
        else if (is_changed && work->is_live[id])
            status = change_node(writing, id);
    }
    return status;
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

/* The cache with the new slots. */
static const char *joined_name(const struct writing *writing, const struct npart__pair *pair)
{
    const struct npart__graph *graph = writing->work->graph;
    uint32_t joined = npart__node_output(graph, npart__node_at(graph, pair->join), 0);
    for (uint32_t i = 0; pair->cut && i < writing->windows.count; i++)
        if (writing->windows.items[i]->cut == pair->cut)
            return writing->windows.items[i]->name[joined];
    return npart__value_name(graph, joined);
}

/* The new keys or values alone; or the past of the next run: all slots but the first. */
static npart_status change_outputs(struct writing *writing)
{
    struct npart__work *work = writing->work;
    uint32_t tokens = work->request->tokens, slots = work->request->slots;
    struct npart__new_output *list = npart__arena_zeroed(work->arena, work->pairs.count + (size_t)1, sizeof *list);
    if (!list)
        return npart__fail_memory(work->error);
    for (uint32_t i = 0; i < work->pairs.count; i++) {
        const struct npart__pair *pair = &work->pairs.items[i];
        struct npart__site site;
        uint8_t equality = work->was_fixed ? NPART_EQUAL_BITS : NPART_EQUAL_ULP;
        if (!npart__site_begin(writing->editor, pair->join, REWRITE, equality, &site))
            return npart__cache_refuse(work, pair->join, "it stands in a function, which is to be inlined first");
        list[i] = (struct npart__new_output){
            .output = npart__value_name(work->graph, pair->present),
            .source = npart__value_name(work->graph, pair->fresh),
            .axis = pair->axis,
            .size = work->request->shifts ? slots - tokens - pair->cut : tokens,
        };
        if (work->request->shifts)
            list[i].source = npart__make_slice(&site, joined_name(writing, pair), pair->axis, tokens,
                                               (int64_t)slots - pair->cut, 1);
        if (pair->turn)
            list[i].source = npart__make_transpose(&site, list[i].source, pair->turn,
                                                   npart__fact_of(work->plain, pair->past)->rank);
        if (!list[i].source || !npart__site_keep(&site))
            return npart__fail_memory(work->error);
    }
    return npart__editor_set_outputs(writing->editor, list, work->pairs.count) ? NPART_OK
                                                                               : npart__fail_memory(work->error);
}

/* An output that says nothing: an input as it is, or a constant. Merged decoders have the keys of the encoder so, which
 * the host has already. */
static bool says_nothing(const struct writing *writing, uint32_t output)
{
    const struct npart__graph *graph = writing->work->graph;
    if (npart__cache_is_present(writing->work, output))
        return false;
    uint32_t source = writing->work->source[output];
    return npart__value_at(graph, source)->kind == NPART__VALUE_INPUT || writing->inference.facts[source].is_constant;
}

/* And inputs of what was taken apart: the mask of GroupQueryAttention is of no use without it. */
static npart_status drop_ports(struct writing *writing)
{
    const struct npart__work *work = writing->work;
    const struct npart__graph *graph = work->graph;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    uint32_t *inputs = npart__arena_zeroed(work->arena, scope->input_count + (size_t)1, sizeof *inputs);
    uint32_t *outputs = npart__arena_zeroed(work->arena, scope->output_count + (size_t)1, sizeof *outputs);
    uint32_t input_count = 0, output_count = 0;
    if (!inputs || !outputs)
        return npart__fail_memory(work->error);
    for (uint32_t i = 0; i < scope->input_count && work->is_ungrouped; i++) {
        uint32_t value = graph->operands.items[scope->first_input + i];
        const struct npart__value *at = npart__value_at(graph, value);
        if (at->kind == NPART__VALUE_INPUT && !at->consumer_count && !at->is_graph_output)
            inputs[input_count++] = value;
    }
    for (uint32_t i = 0; i < scope->output_count; i++)
        if (says_nothing(writing, graph->operands.items[scope->first_output + i]))
            outputs[output_count++] = graph->operands.items[scope->first_output + i];
    return npart__editor_drop_ports(writing->editor, inputs, input_count, outputs, output_count)
               ? NPART_OK
               : npart__fail_memory(work->error);
}

/* ---- what is told ------------------------------------------------------------------------------------------------ */

static const char *keep_text(struct npart__arena *arena, const char *text)
{
    return npart__arena_copy_text(arena, text, strlen(text));
}

/* Dims are copied: those of facts go with the probe. */
static bool add_port(struct npart__arena *arena, struct npart__cache *out, struct npart_cache_port port)
{
    int64_t *dims = npart__arena_allocate(arena, (port.rank + (size_t)1) * sizeof *dims);
    port.name = keep_text(arena, port.name);
    if (!dims || !port.name)
        return false;
    if (port.dims && port.rank)
        memcpy(dims, port.dims, port.rank * sizeof *dims);
    port.size = sizeof port;
    port.dims = port.dims ? dims : NULL;
    return NPART__PUSH(arena, &out->ports, port);
}

static struct npart_cache_port port_of(const struct writing *writing, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(&writing->inference, value);
    bool is_static = npart__is_static(fact);
    return (struct npart_cache_port){.name = npart__value_name(writing->work->graph, value),
                                     .role = NPART_PORT_OTHER,
                                     .type = npart__type_name(fact->element_type),
                                     .rank = is_static ? fact->rank : 0,
                                     .dims = is_static ? fact->dims : NULL,
                                     .axis = NPART_NONE};
}

/* Of the port that was added last, along its slots. */
static void set_size(struct npart__cache *cache, int64_t size)
{
    const struct npart_cache_port *port = &cache->ports.items[cache->ports.count - 1];
    if (port->axis != NPART_NONE && port->dims)
        ((int64_t *)(uintptr_t)port->dims)[port->axis] = size;
}

static bool add_output(struct writing *writing, uint32_t value, struct npart__arena *arena, struct npart__cache *out)
{
    const struct npart__work *work = writing->work;
    struct npart_cache_port port = port_of(writing, value);
    uint32_t cut = 0;
    port.is_output = true;
    const struct npart__pair *pair = npart__cache_pair_of(work, value);
    if (pair) {
        cut = pair->cut;
        port.role = NPART_PORT_PRESENT;
        port.axis = pair->axis;
        port.past = keep_text(arena, npart__value_name(work->graph, pair->past));
        if (!port.past)
            return false;
    }
    for (uint32_t i = 0; i < work->states.count; i++) {
        if (work->states.items[i].output != value)
            continue;
        port.role = NPART_PORT_STATE;
        port.past = keep_text(arena, npart__value_name(work->graph, work->states.items[i].input));
        if (!port.past)
            return false;
    }
    if (!add_port(arena, out, port))
        return false;
    set_size(out, work->request->shifts ? out->info.past - cut : work->request->tokens);
    return true;
}

static bool tell(struct writing *writing, struct npart__arena *arena, struct npart__cache *out)
{
    const struct npart__work *work = writing->work;
    const struct npart__scope *scope = npart__scope_at(work->graph, 0);
    bool is_done = npart__cache_find_states(writing->work, &writing->inference);
    out->info = (struct npart_cache_info){
        .size = sizeof out->info,
        .slots = work->request->slots,
        .tokens = work->request->tokens,
        .past = work->request->slots - (work->is_written_into ? 0 : work->request->tokens),
        .order = out->info.order,
        .present = work->request->shifts ? NPART_PRESENT_SHIFT : NPART_PRESENT_NEW,
        .mask_value = NPART__MASK_VALUE,
        .counts_all = work->request->tokens > 1 && (work->counts_all || work->was_fixed || work->states.count),
    };
    out->pair_count = work->pairs.count;
    out->was_fixed = work->was_fixed;
    for (uint32_t i = 0; i < work->inputs.count && is_done; i++) {
        struct npart_cache_port port = port_of(writing, work->inputs.items[i].value);
        port.role = (enum npart_port_role)work->inputs.items[i].role;
        port.axis = work->inputs.items[i].slot_axis;
        is_done = add_port(arena, out, port);
        const struct npart__pair *pair = npart__cache_pair_of(work, work->inputs.items[i].value);
        if (pair && is_done)
            set_size(out, (int64_t)out->info.past - pair->cut);
    }
    for (uint32_t i = 0; i < writing->added_count && is_done; i++) {
        const struct added *at = &writing->added[i];
        is_done = add_port(arena, out,
                           (struct npart_cache_port){.name = at->name, .role = (enum npart_port_role)at->role,
                                                     .is_added = true, .type = npart__type_name(at->element_type),
                                                     .rank = at->rank, .dims = at->dims,
                                                     .axis = at->role == NPART_PORT_BIAS ? at->rank - 1u : NPART_NONE,
                                                     .offset = at->offset});
    }
    for (uint32_t i = 0; i < scope->output_count && is_done; i++)
        if (!says_nothing(writing, work->graph->operands.items[scope->first_output + i]))
            is_done = add_output(writing, work->graph->operands.items[scope->first_output + i], arena, out);
    out->info.port_count = out->ports.count;
    out->info.text = is_done ? npart__cache_text(out, arena) : NULL;
    return out->info.text && npart__editor_note_model(writing->editor, NPART__CACHE_KEY, out->info.text);
}

npart_status npart__cache_write(struct npart__work *work, struct npart__arena *arena, struct npart__cache *out,
                                struct npart__version *out_version)
{
    struct writing writing = {.work = work};
    uint32_t tokens = work->request->tokens, count = work->graph->values.count;
    bool *is_constant = npart__arena_zeroed(work->arena, count + (size_t)1, sizeof *is_constant), is_declared;
    struct npart__infer_options options = {.binding_count = work->dims.count, .most_elements = NPART__CACHE_ELEMENTS};
    options.bindings = npart__cache_bindings(work, work->request->slots - tokens, tokens, work->arena);
    writing.made = npart__arena_zeroed(work->arena, count + (size_t)1, sizeof *writing.made);
    if (!is_constant || !options.bindings || !writing.made)
        return npart__fail_memory(work->error);
    npart_status status = npart__infer(work->graph, &options, work->arena, &writing.inference, work->error);
    for (uint32_t i = 0; i < count && status == NPART_OK; i++)
        is_constant[i] = writing.inference.facts[i].is_constant;
    if (status == NPART_OK)
        status = npart__editor_open(work->version, work->graph, &writing.inference, is_constant, work->arena,
                                    &writing.editor, work->error);
    if (status == NPART_OK &&
        !npart__editor_declare(writing.editor, &writing.inference, NPART__DECLARE_NO_MORE, &is_declared))
        status = npart__fail_memory(work->error);
    if (status == NPART_OK)
        status = cut_pairs(&writing);
    if (status == NPART_OK)
        status = change_nodes(&writing);
    if (status == NPART_OK)
        status = drop_ports(&writing);
    if (status == NPART_OK)
        status = change_outputs(&writing);
    if (status == NPART_OK && !tell(&writing, arena, out))
        status = npart__fail_memory(work->error);
    return status == NPART_OK ? npart__editor_pack(writing.editor, arena, out_version, work->error) : status;
}
