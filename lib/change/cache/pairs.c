/* SPDX-License-Identifier: Apache-2.0
 *
 * Which inputs are caches, which sizes follow from the request, and what the other inputs are.
 */
#include "cache/internal.h"
#include "infer/families.h"
#include "rewrite/cached.h"

/* ---- pairs ------------------------------------------------------------------------------------------------------- */

static bool is_empty(const struct npart__work *work, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(work->plain, value);
    bool is_found = false;
    for (uint32_t i = 0; fact->has_rank && i < fact->rank; i++)
        is_found |= fact->dims[i] == 0;
    return is_found;
}

/* To the type that it has. */
static bool is_idle_cast(const struct npart__work *work, const struct npart__node *node)
{
    uint32_t from = npart__node_input(work->graph, node, 0), to = npart__node_output(work->graph, node, 0);
    return from != NPART_NONE && to != NPART_NONE && npart__comes_from(node, NPART__WAY(CASTS)) &&
           npart__fact_of(work->plain, from)->element_type &&
           npart__fact_of(work->plain, from)->element_type == npart__fact_of(work->plain, to)->element_type;
}

/* The only operand of a node that joins it with nothing, as exporters write a cache that began empty; NPART_NONE. */
static uint32_t lone_operand(const struct npart__work *work, const struct npart__node *node)
{
    uint32_t found = NPART_NONE;
    bool is_concat = npart__comes_from(node, NPART__WAY(CONCAT));
    if (!is_concat && !npart__comes_from(node, NPART__WAY(ON)) && !is_idle_cast(work, node))
        return NPART_NONE;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(work->graph, node, i);
        if (value == NPART_NONE || (is_concat && is_empty(work, value)))
            continue;
        if (found != NPART_NONE)
            return NPART_NONE;
        found = value;
    }
    return found;
}

static uint32_t identical_operand(const struct npart__work *work, const struct npart__node *node)
{
    return npart__comes_from(node, NPART__WAY(ON)) ? npart__node_input(work->graph, node, 0) : NPART_NONE;
}

/* Nodes are in order, so what an operand is has been found out before. */
static uint32_t *list_back(const struct npart__work *work,
                           uint32_t (*operand_of)(const struct npart__work *work, const struct npart__node *node))
{
    const struct npart__graph *graph = work->graph;
    uint32_t *back = npart__arena_allocate(work->arena, (graph->values.count + (size_t)1) * sizeof *back);
    for (uint32_t i = 0; back && i < graph->values.count; i++)
        back[i] = npart__value_at(graph, i)->alias;
    for (uint32_t i = 0; back && i < graph->order_count; i++) {
        const struct npart__node *node = npart__node_at(graph, graph->order[i]);
        uint32_t operand = operand_of(work, node);
        for (uint32_t k = 0; k < node->output_count && operand != NPART_NONE; k++) {
            uint32_t result = npart__node_output(graph, node, k);
            if (result != NPART_NONE && back[result] == result)
                back[result] = back[npart__value_at(graph, operand)->alias];
        }
    }
    for (uint32_t i = 0; back && i < graph->values.count; i++)
        back[i] = back[npart__value_at(graph, i)->alias];
    return back;
}

bool npart__cache_list_back(struct npart__work *work)
{
    work->through = list_back(work, lone_operand);
    work->source = list_back(work, identical_operand);
    return work->through && work->source;
}

bool npart__cache_is_graph_input(const struct npart__work *work, uint32_t value)
{
    const struct npart__value *at = npart__value_at(work->graph, value);
    return at->kind == NPART__VALUE_INPUT && at->scope == 0;
}

/* A Concat of two, of which the first is a graph input. */
bool npart__cache_is_joined(const struct npart__work *work, uint32_t join, struct npart__pair *out)
{
    const struct npart__node *node = npart__node_at(work->graph, join);
    uint32_t operands[2], count = 0;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(work->graph, node, i);
        if (value == NPART_NONE || is_empty(work, value))
            continue;
        if (count == 2)
            return false;
        operands[count++] = value;
    }
    if (count != 2 || !npart__comes_from(node, NPART__WAY(CONCAT)))
        return false;
    out->past = work->through[operands[0]];
    const struct npart__fact *fact = npart__fact_of(work->plain, out->past);
    out->join = join;
    out->fresh = operands[1];
    return npart__cache_is_graph_input(work, out->past) && fact->has_rank && fact->rank > 2 &&
           npart__normalize_axis(npart__node_int(work->graph, node, "axis", 0), fact->rank, &out->axis);
}

static bool is_taken_by(const struct npart__work *work, uint32_t producer)
{
    const struct npart__traits *traits = npart__node_at(work->graph, producer)->traits;
    return traits->cache.count && !traits->writes; /* what is written into: fixed.c */
}

static bool comes_from(const struct npart__work *work, uint32_t id, uint64_t ways)
{
    return npart__comes_from(npart__node_at(work->graph, id), ways);
}

/* To integers, while the model runs. */
static bool quantizes(const struct npart__work *work, uint32_t id)
{
    const struct npart__node *node = npart__node_at(work->graph, id);
    uint32_t result = npart__node_output(work->graph, node, 0);
    return node->traits->rounds.is_there && result != NPART_NONE &&
           npart__type_is_integer(npart__fact_of(work->plain, result)->element_type);
}

/* What was dequantized, joined with new slots and quantized again: all of the cache, in each run. */
static bool is_requantized(const struct npart__work *work, uint32_t producer)
{
    uint32_t joined = npart__node_input(work->graph, npart__node_at(work->graph, producer), 0);
    uint32_t maker = joined == NPART_NONE ? NPART_NONE
                                          : npart__producer(work->graph, work->through[joined]);
    uint32_t first = maker == NPART_NONE ? NPART_NONE
                                         : npart__node_input(work->graph, npart__node_at(work->graph, maker), 0);
    if (first == NPART_NONE || !comes_from(work, maker, NPART__WAY(CONCAT)) || !quantizes(work, producer))
        return false;
    first = work->through[first];
    uint32_t from = npart__producer(work->graph, first);
    return npart__cache_is_graph_input(work, first) ||
           (from != NPART_NONE && npart__node_plays(work->graph, npart__node_at(work->graph, from),
                                                    NPART__ROLE_DEQUANTIZES));
}

bool npart__cache_slots_of(const struct npart__graph *graph, const struct npart__inference *asked,
                           const struct npart__inference *chosen, struct npart__arena *arena, uint32_t *out)
{
    enum { AXIS = 2 }; /* of operators that keep the cache */
    struct npart__work work = {.graph = graph, .plain = asked, .arena = arena};
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    *out = 0;
    if (!npart__cache_list_back(&work))
        return false;
    for (uint32_t i = 0; i < scope->output_count; i++) {
        struct npart__pair pair = {.past = NPART_NONE, .axis = AXIS};
        uint32_t output = graph->operands.items[scope->first_output + i];
        uint32_t producer = npart__producer(graph, work.through[output]);
        if (producer == NPART_NONE)
            continue;
        uint32_t past_key = npart__past_key_of(graph, producer);
        if (past_key)
            pair.past = npart__node_input(graph, npart__node_at(graph, producer), past_key);
        if (pair.past == NPART_NONE && !npart__cache_is_joined(&work, producer, &pair))
            continue;
        if (pair.past == NPART_NONE || !npart__cache_is_graph_input(&work, pair.past))
            continue;
        const struct npart__fact *now = npart__fact_of(asked, pair.past), *then = npart__fact_of(chosen, pair.past);
        bool grows = now->has_rank && now->rank > pair.axis && !npart__is_number(now->dims[pair.axis]);
        if (grows && then->rank == now->rank && npart__is_number(then->dims[pair.axis]) &&
            then->dims[pair.axis] > 0 && then->dims[pair.axis] < NPART__LIMIT_CACHE_SLOTS) {
            *out = (uint32_t)then->dims[pair.axis] + 1;
            return true;
        }
    }
    return true;
}

npart_status npart__cache_add_pair(struct npart__work *work, const struct npart__pair *pair)
{
    if (npart__cache_pair_of(work, pair->past))
        return npart__cache_refuse(work, pair->join, "input %s becomes two outputs",
                                   npart__value_name(work->graph, pair->past));
    if (!NPART__PUSH(work->arena, &work->pairs, *pair))
        return npart__fail_memory(work->error);
    work->pair_of[pair->past] = work->pair_of[pair->present] = work->pairs.count;
    return NPART_OK;
}

npart_status npart__cache_find_pairs(struct npart__work *work)
{
    const struct npart__graph *graph = work->graph;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    uint32_t taken = NPART_NONE, requantized = NPART_NONE;
    struct npart__pair fixed = {.join = NPART_NONE};
    for (uint32_t i = 0; i < scope->output_count; i++) {
        struct npart__pair pair = {.present = graph->operands.items[scope->first_output + i]};
        uint32_t producer = npart__producer(graph, work->through[pair.present]);
        if (producer == NPART_NONE)
            continue;
        taken = is_taken_by(work, producer) ? producer : taken;
        requantized = is_requantized(work, producer) ? producer : requantized;
        if (!npart__cache_is_joined(work, producer, &pair))
            continue;
        if (npart__is_number(npart__fact_of(work->plain, pair.past)->dims[pair.axis])) {
            fixed = pair;
            continue;
        }
        npart_status status = npart__cache_add_pair(work, &pair);
        if (status != NPART_OK)
            return status;
    }
    if (taken != NPART_NONE)
        return npart__cache_refuse(work, taken, "the operator keeps the cache itself; it is not followed");
    if (requantized != NPART_NONE)
        return npart__cache_refuse(work, requantized,
                                   "it quantizes the whole cache anew; only a cache that is joined as integers is "
                                   "followed");
    /* Where all are, their outputs alone can change (fixed.c). */
    if (work->pairs.count && fixed.join != NPART_NONE)
        return npart__cache_refuse(work, fixed.join, "the cache has a fixed size already: input %s",
                                   npart__value_name(graph, fixed.past));
    return NPART_OK;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

const char *npart__cache_name_of_axis(const struct npart__work *work, uint32_t input, uint32_t axis)
{
    const struct npart__declared_type *declared = npart__value_at(work->graph, input)->declared;
    if (!declared || !declared->has_rank || axis >= declared->rank || declared->dims[axis].value >= 0)
        return NULL;
    if (declared->dims[axis].parameter)
        return declared->dims[axis].parameter;
    return npart__arena_format(work->arena, "%s.%u", npart__value_name(work->graph, input), axis);
}

npart_status npart__cache_add_dim(struct npart__work *work, const char *name, enum npart__cache_size size,
                                  int64_t number)
{
    uint32_t id = name ? npart__intern_text(&work->dim_names, name) : NPART_NONE;
    if (id == NPART_NONE)
        return npart__fail_memory(work->error);
    if (id <= work->dims.count) {
        const struct npart__cache_dim *dim = &work->dims.items[id - 1];
        return dim->size == (uint8_t)size && dim->number == number
                   ? NPART_OK
                   : npart__cache_refuse(work, NPART_NONE, "dimension `%s` stands for two sizes", name);
    }
    struct npart__cache_dim dim = {name, (uint8_t)size, number};
    return NPART__PUSH(work->arena, &work->dims, dim) ? NPART_OK : npart__fail_memory(work->error);
}

/* ---- what an integer input is ------------------------------------------------------------------------------------ */

/* Nodes between a table and its initializers, and between an integer and where it goes. */
enum { MOST_WRAPPINGS = 9, MOST_STEPS = 8 };

/* What is looked up of values while integers are followed, all by value. */
struct following {
    const struct npart__work *work;
    uint8_t *wrappings; /* one more than nodes between it and the initializers that it is made of alone; 0: it is not */
    uint32_t *met;      /* by the input of this number, plus one */
    uint8_t *steps;     /* after so many steps at least */
};

/* Made of initializers alone: a table, whatever it is wrapped in. */
static void count_wrappings(const struct following *following, const struct npart__node *node)
{
    const struct npart__graph *graph = following->work->graph;
    unsigned most = 1;
    if (node->input_count + node->body_count == 0 && !npart__is_constant_node(graph, node))
        return;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t operand = npart__node_input(graph, node, i);
        unsigned own = operand == NPART_NONE ? 1 : following->wrappings[npart__value_at(graph, operand)->alias];
        if (!own)
            return;
        most = own > most ? own : most;
    }
    for (uint32_t i = 0; i < node->output_count && most <= MOST_WRAPPINGS; i++)
        if (npart__node_output(graph, node, i) != NPART_NONE)
            following->wrappings[npart__node_output(graph, node, i)] = (uint8_t)(most + 1);
}

static bool open_following(struct following *following, const struct npart__work *work)
{
    const struct npart__graph *graph = work->graph;
    size_t count = graph->values.count + (size_t)1;
    following->work = work;
    following->wrappings = npart__arena_zeroed(work->arena, count, sizeof *following->wrappings);
    following->met = npart__arena_zeroed(work->arena, count, sizeof *following->met);
    following->steps = npart__arena_zeroed(work->arena, count, sizeof *following->steps);
    if (!following->wrappings || !following->met || !following->steps)
        return false;
    for (uint32_t i = 0; i < graph->values.count; i++)
        following->wrappings[i] = npart__value_at(graph, i)->kind == NPART__VALUE_INITIALIZER;
    for (uint32_t i = 0; i < graph->order_count; i++)
        count_wrappings(following, npart__node_at(graph, graph->order[i]));
    return true;
}

static bool is_weight(const struct following *following, uint32_t value)
{
    return value != NPART_NONE && following->wrappings[npart__value_at(following->work->graph, value)->alias];
}

/* Where an integer goes: the largest table that it looks up, whether there are several, and whether it becomes a number
 * to compute with. */
struct destiny {
    int64_t rows, columns; /* 0: no table */
    uint32_t table;        /* the first one + 1 */
    bool has_several, is_number;
};

static void note_table(const struct npart__work *work, uint32_t table, struct destiny *out)
{
    const struct npart__fact *fact = npart__fact_of(work->plain, table);
    bool is_matrix = fact->has_rank && fact->rank == 2 && npart__is_number(fact->dims[0]) && fact->dims[0] > 0;
    int64_t rows = is_matrix ? fact->dims[0] : 1;
    out->has_several |= out->table && out->table != table + 1;
    out->table = out->table ? out->table : table + 1;
    if (rows < out->rows)
        return;
    out->rows = rows;
    out->columns = is_matrix && npart__is_number(fact->dims[1]) ? fact->dims[1] : 1;
}

/* Whether the value is the second operand of a node, or the third. */
static bool is_later_operand(const struct npart__work *work, const struct npart__node *node, uint32_t value)
{
    return npart__node_input(work->graph, node, 1) == value || npart__node_input(work->graph, node, 2) == value;
}

/* Whether a node makes integers of its first operand, or its first result is one of several of them. */
static bool hands_on(const struct npart__node *node)
{
    static const bool counts[NPART__COMPUTES_COUNT] = {
        [NPART__COMPUTES_ADD] = true,
        [NPART__COMPUTES_SUBTRACT] = true,
        [NPART__COMPUTES_MULTIPLY] = true,
        [NPART__COMPUTES_LIMITS] = true,
    };
    return npart__comes_from(node, NPART__WAYS_ONE) || counts[node->traits->computes];
}

/* Follows what hands the integer of input `number` on. A value is met again only by a shorter way, so at most once for
 * each number of steps. */
static void follow_integer(const struct following *following, uint32_t value, uint32_t number, uint8_t steps,
                           struct destiny *out)
{
    const struct npart__work *work = following->work;
    const struct npart__graph *graph = work->graph;
    const struct npart__value *at = npart__value_at(graph, value);
    if (following->met[value] == number + 1 && following->steps[value] <= steps)
        return;
    following->met[value] = number + 1;
    following->steps[value] = steps;
    for (uint32_t i = 0; i < at->consumer_count && steps < MOST_STEPS; i++) {
        uint32_t user = graph->consumers[at->first_consumer + i];
        const struct npart__node *node = npart__node_at(graph, user);
        uint32_t result = npart__node_output(graph, node, 0);
        uint32_t index, table;
        bool is_index = npart__cache_looks_up(graph, user, &index, &table) &&
                        npart__node_input(graph, node, index) == value;
        if (is_index && is_weight(following, npart__node_input(graph, node, table))) {
            note_table(work, npart__node_input(graph, node, table), out);
        } else if ((npart__comes_from(node, NPART__WAY(SLICE)) && is_later_operand(work, node, value)) ||
                   npart__comes_from(node, NPART__WAY(ONE_HOT))) {
            out->is_number = true;
        } else if (result != NPART_NONE &&
                   ((node->traits->computes == NPART__COMPUTES_CHOICE && is_later_operand(work, node, value)) ||
                    (hands_on(node) && npart__node_input(graph, node, 0) == value))) {
            out->is_number |= npart__type_is_float(npart__fact_of(work->plain, result)->element_type);
            if (!npart__type_is_float(npart__fact_of(work->plain, result)->element_type))
                follow_integer(following, result, number, steps + 1, out);
        }
    }
}

/* Rows of a table of kinds of tokens, as of sentences; one of positions has more. */
enum { MOST_KINDS = 4 };

/* Whether two inputs have an element for each new token, by the name of that size or by the size itself. */
static bool have_same_tokens(const struct npart__work *work, const struct npart__cache_input *a,
                             const struct npart__cache_input *b)
{
    const struct npart__declared_type *of_a = npart__value_at(work->graph, a->value)->declared;
    const struct npart__declared_type *of_b = npart__value_at(work->graph, b->value)->declared;
    if (!a->rank || !b->rank || !of_a || !of_b || of_a->rank != a->rank || of_b->rank != b->rank)
        return false;
    const struct npart__declared_dim *left = &of_a->dims[a->rank - 1u], *right = &of_b->dims[b->rank - 1u];
    if (left->parameter && right->parameter)
        return strcmp(left->parameter, right->parameter) == 0;
    return !left->parameter && !right->parameter && left->value >= 0 && left->value == right->value;
}

/* Of inputs that look up one table alone the one with the largest are the tokens'; cosines and sines of positions are
 * two. NPART_NONE where none is, or where one table has more rows and another more columns. */
static uint32_t find_largest(const struct npart__work *work, const struct destiny *destinies, bool has_several)
{
    uint32_t largest = NPART_NONE;
    for (uint32_t i = 0; i < work->inputs.count; i++)
        if (!destinies[i].is_number && destinies[i].rows && destinies[i].has_several == has_several &&
            (largest == NPART_NONE || destinies[i].rows > destinies[largest].rows))
            largest = i;
    for (uint32_t i = 0; largest != NPART_NONE && i < work->inputs.count; i++)
        if (!destinies[i].is_number && destinies[i].has_several == has_several &&
            destinies[i].columns > destinies[largest].columns)
            return NPART_NONE;
    return largest;
}

/* Others with an element for each of the tokens are positions, where they are computed with, or the table has more rows
 * than there are kinds of tokens. */
static npart_status tell_integers(struct npart__work *work)
{
    struct destiny *destinies = npart__arena_zeroed(work->arena, work->inputs.count + (size_t)1, sizeof *destinies);
    struct following following;
    if (!destinies || !open_following(&following, work))
        return npart__fail_memory(work->error);
    for (uint32_t i = 0; i < work->inputs.count; i++)
        if (work->inputs.items[i].role == NPART_PORT_OTHER &&
            npart__type_is_integer(work->inputs.items[i].element_type))
            follow_integer(&following, work->inputs.items[i].value, i, 0, &destinies[i]);
    uint32_t tokens = find_largest(work, destinies, false);
    if (tokens == NPART_NONE)
        tokens = find_largest(work, destinies, true);
    for (uint32_t i = 0; tokens != NPART_NONE && i < work->inputs.count; i++) {
        struct npart__cache_input *at = &work->inputs.items[i];
        if (i != tokens && (destinies[i].is_number || destinies[i].rows > MOST_KINDS) &&
            have_same_tokens(work, at, &work->inputs.items[tokens]))
            at->role = NPART_PORT_POSITIONS;
    }
    if (tokens != NPART_NONE) {
        work->inputs.items[tokens].role = NPART_PORT_TOKENS;
        work->vocabulary = destinies[tokens].rows > 1 ? destinies[tokens].rows : INT64_MAX; /* 1: not known */
    }
    return NPART_OK;
}

npart_status npart__cache_list_inputs(struct npart__work *work)
{
    const struct npart__scope *scope = npart__scope_at(work->graph, 0);
    for (uint32_t i = 0; i < scope->input_count; i++) {
        uint32_t value = work->graph->operands.items[scope->first_input + i];
        const struct npart__fact *fact = npart__fact_of(work->plain, value);
        if (npart__value_at(work->graph, value)->kind != NPART__VALUE_INPUT)
            continue; /* a constant, or one that has a default */
        if (work->is_ungrouped && !npart__value_at(work->graph, value)->consumer_count)
            continue;
        bool is_past = npart__cache_pair_of(work, value) != NULL;
        struct npart__cache_input input = {.value = value,
                                           .role = is_past ? NPART_PORT_PAST : NPART_PORT_OTHER,
                                           .slot_axis = NPART_NONE,
                                           .element_type = fact->element_type,
                                           .rank = fact->rank};
        if (fact->kind != NPART__TYPE_TENSOR || !fact->has_rank || !fact->element_type)
            return npart__cache_refuse(work, NPART_NONE, "input %s has no known rank and element type",
                                       npart__value_name(work->graph, value));
        if (!NPART__PUSH(work->arena, &work->inputs, input))
            return npart__fail_memory(work->error);
    }
    return tell_integers(work);
}

/* The number of new tokens is that of the token ids: their last axis. */
static npart_status find_tokens(struct npart__work *work)
{
    for (uint32_t i = 0; i < work->inputs.count; i++) {
        const struct npart__cache_input *at = &work->inputs.items[i];
        if (at->role != NPART_PORT_TOKENS)
            continue;
        const char *name = at->rank ? npart__cache_name_of_axis(work, at->value, at->rank - 1u) : NULL;
        const char *batch = at->rank == 2 ? npart__cache_name_of_axis(work, at->value, 0) : NULL;
        npart_status status = batch ? npart__cache_add_dim(work, batch, NPART__SIZE_BATCH, 0) : NPART_OK;
        if (status != NPART_OK || name)
            return status == NPART_OK ? npart__cache_add_dim(work, name, NPART__SIZE_TOKENS, 0) : status;
        int64_t size = at->rank ? npart__fact_of(work->plain, at->value)->dims[at->rank - 1u] : 1;
        work->has_fixed_tokens = true;
        return size == work->request->tokens
                   ? NPART_OK
                   : npart__cache_refuse(work, NPART_NONE, "input %s has %lld tokens in the file, not %u",
                                         npart__value_name(work->graph, at->value), (long long)size,
                                         work->request->tokens);
    }
    return npart__cache_refuse(work, NPART_NONE,
                               "which input has the ids of tokens is not known: none looks up the largest table");
}

/* Sizes of a cache that the new keys or values have as numbers: that of a head, where it has a name. */
static npart_status find_others(struct npart__work *work, const struct npart__pair *pair)
{
    const struct npart__fact *past = npart__fact_of(work->plain, pair->past);
    const struct npart__fact *fresh = npart__fact_of(work->plain, pair->fresh);
    npart_status status = NPART_OK;
    for (uint32_t i = 1; fresh->has_rank && fresh->rank == past->rank && i < past->rank && status == NPART_OK; i++) {
        const char *name = i == pair->axis ? NULL : npart__cache_name_of_axis(work, pair->past, i);
        if (name && npart__is_number(fresh->dims[i]))
            status = npart__cache_add_dim(work, name, NPART__SIZE_NUMBER, fresh->dims[i]);
    }
    return status;
}

npart_status npart__cache_find_sizes(struct npart__work *work)
{
    npart_status status = NPART_OK;
    for (uint32_t i = 0; i < work->pairs.count && status == NPART_OK; i++) {
        const struct npart__pair *pair = &work->pairs.items[i];
        const char *past = npart__cache_name_of_axis(work, pair->past, pair->axis);
        /* Of three axes the first is that of all heads, whose number follows from the new keys. */
        bool has_batch = pair->axis && npart__fact_of(work->plain, pair->past)->rank > 3;
        const char *batch = has_batch ? npart__cache_name_of_axis(work, pair->past, 0) : NULL;
        status = npart__cache_add_dim(work, past, NPART__SIZE_PAST, 0);
        if (status == NPART_OK && batch)
            status = npart__cache_add_dim(work, batch, NPART__SIZE_BATCH, 0);
        if (status == NPART_OK)
            status = find_others(work, pair);
    }
    if (status == NPART_OK)
        status = npart__cache_list_inputs(work);
    return status == NPART_OK ? find_tokens(work) : status;
}
