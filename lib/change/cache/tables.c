/* SPDX-License-Identifier: Apache-2.0
 *
 * How far tables are read once all slots are in use. What is told of positions enters data in a few places: as an
 * index, or as the part that a Slice takes. There it must lie within the table, whichever token stands where; a runtime
 * that reads past its end does what it likes, or shortens the part. Any other operator that is given such integers is
 * refused, since how far it reads is not known.
 */
#include <math.h>

#include "cache/internal.h"

/* Ids that are tried: what the graph compares ids with, and small ones, which are often pads. */
enum { MOST_IDS = 32, PLAIN_ID = 11 };

struct reading {
    struct npart__work *work;
    uint32_t tokens;
    bool *varies; /* by value: an integer that depends on how many slots are in use */
    struct npart__probe *at; /* all slots in use, ids given */
    uint32_t node;
};

bool npart__cache_looks_up(const struct npart__graph *graph, uint32_t node, uint32_t *index, uint32_t *table)
{
    const struct npart__traits *traits = npart__node_at(graph, node)->traits;
    *index = traits->reads.index;
    *table = traits->reads.table;
    return traits->reads.is_there;
}

static uint32_t operand_of(const struct reading *reading, uint32_t index)
{
    const struct npart__graph *graph = reading->work->graph;
    uint32_t value = npart__node_input(graph, npart__node_at(graph, reading->node), index);
    return value == NPART_NONE ? value : npart__value_at(graph, value)->alias;
}

static bool is_varying(const struct reading *reading, uint32_t operand)
{
    uint32_t value = operand_of(reading, operand);
    return value != NPART_NONE && reading->varies[value];
}

/* ---- what depends on how many slots are in use ------------------------------------------------------------------- */

static bool differs(struct npart__probe *a, struct npart__probe *b, uint32_t value)
{
    const struct npart__known *x = npart__cache_elements(a, value), *y = npart__cache_elements(b, value);
    if (!x || !y || x->count != y->count)
        return x || y;
    for (uint32_t i = 0; i < x->count; i++)
        if (npart__known_number(x, i) != npart__known_number(y, i))
            return true;
    return false;
}

/* Ids are not given in either, so that it is told for all of them; what is not known in both depends on what it is made
 * of. */
static void list_varying(const struct reading *reading, struct npart__probe *first, struct npart__probe *full)
{
    const struct npart__graph *graph = reading->work->graph;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    for (uint32_t i = 0; i < scope->input_count; i++) {
        uint32_t input = graph->operands.items[scope->first_input + i];
        reading->varies[input] = differs(first, full, input);
    }
    for (uint32_t i = 0; i < scope->order_count; i++) {
        const struct npart__node *node = npart__node_at(graph, graph->order[scope->first_order + i]);
        bool is_given = false;
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t operand = npart__node_use(graph, node, k);
            is_given |= operand != NPART_NONE && reading->varies[npart__value_at(graph, operand)->alias];
        }
        for (uint32_t k = 0; k < node->output_count; k++) {
            uint32_t result = npart__node_output(graph, node, k);
            if (result == NPART_NONE ||
                !npart__type_is_integer(npart__fact_of(&full->inference, result)->element_type))
                continue;
            bool is_known = npart__cache_elements(first, result) && npart__cache_elements(full, result);
            reading->varies[result] = is_known ? differs(first, full, result) : is_given;
        }
    }
}

/* ---- the largest index ------------------------------------------------------------------------------------------- */

/* Nodes that it is looked for through. */
#define LIMIT_DEPTH 16u

/* Of those elements, where `taken` is known, at which it is `is_taken`. */
static double largest_known(const struct npart__known *known, const struct npart__known *taken, bool is_taken)
{
    double most = -INFINITY;
    for (uint32_t i = 0; i < known->count; i++)
        if (!taken || (npart__known_number(taken, i) != 0) == is_taken)
            most = fmax(most, npart__known_number(known, i));
    return most;
}

static double largest(const struct reading *reading, uint32_t value, unsigned depth);

/* Of a Where, of what is chosen where that is known element by element. */
static double largest_chosen(const struct reading *reading, const uint32_t *operands, unsigned depth)
{
    const struct npart__known *taken = npart__cache_elements(reading->at, operands[0]);
    double most = -INFINITY;
    for (uint32_t i = 1; i < 3; i++) {
        const struct npart__known *known = npart__cache_elements(reading->at, operands[i]);
        most = fmax(most, known && taken && known->count == taken->count
                              ? largest_known(known, taken, i == 1)
                              : largest(reading, operands[i], depth));
    }
    return most;
}

/* No element is larger; INFINITY: not known. Numbers made by Log and the like are not known to the last digit, and so
 * not as integers, but they are cut off before they become an index. */
static double largest(const struct reading *reading, uint32_t value, unsigned depth)
{
    const struct npart__graph *graph = reading->work->graph;
    const struct npart__known *known = npart__cache_elements(reading->at, value);
    uint32_t producer = npart__producer(graph, value), operands[3], count = 0;
    if (known)
        return largest_known(known, NULL, true);
    if (producer == NPART_NONE || depth == LIMIT_DEPTH)
        return INFINITY;
    const struct npart__node *node = npart__node_at(graph, producer);
    for (uint32_t i = 0; i < node->input_count && i < 3; i++) {
        uint32_t operand = npart__node_input(graph, node, i);
        if (operand == NPART_NONE)
            return INFINITY;
        operands[count++] = npart__value_at(graph, operand)->alias;
    }
    bool is_pair = count == 2 && npart__comes_from(node, NPART__WAY(EACH));
    if (count == 3 && node->traits->computes == NPART__COMPUTES_CHOICE)
        return largest_chosen(reading, operands, depth + 1);
    if (is_pair && node->traits->computes == NPART__COMPUTES_MINIMUM)
        return fmin(largest(reading, operands[0], depth + 1), largest(reading, operands[1], depth + 1));
    if (is_pair && node->traits->computes == NPART__COMPUTES_ADD)
        return largest(reading, operands[0], depth + 1) + largest(reading, operands[1], depth + 1);
    return count && npart__comes_from(node, NPART__WAYS_ONE) ? largest(reading, operands[0], depth + 1) : INFINITY;
}

/* ---- reads ------------------------------------------------------------------------------------------------------- */

static npart_status refuse_rows(const struct reading *reading, int64_t rows)
{
    return npart__cache_refuse(reading->work, reading->node,
                               "a cache of %u slots is longer than the table of positions, which has %lld",
                               reading->work->request->slots, (long long)rows);
}

static npart_status refuse_unknown(const struct reading *reading)
{
    return npart__cache_refuse(reading->work, reading->node,
                               "it is given positions, and how far it reads with them is not known");
}

static npart_status check_index(const struct reading *reading)
{
    const struct npart__work *work = reading->work;
    const struct npart__node *node = npart__node_at(work->graph, reading->node);
    const struct npart__traits *traits = node->traits;
    uint32_t table = operand_of(reading, traits->reads.table), index = operand_of(reading, traits->reads.index);
    uint32_t axis = 0;
    bool is_tuple = traits->elements == NPART__ELEMENTS_GATHER_TUPLES;
    if (table == NPART_NONE)
        return refuse_unknown(reading);
    const struct npart__fact *fact = npart__fact_of(&reading->at->inference, table);
    const struct npart__fact *places = npart__fact_of(&reading->at->inference, index);
    const struct npart__known *known = npart__cache_elements(reading->at, index);
    int64_t given = traits->reads.axis ? npart__node_int(work->graph, node, traits->reads.axis, 0) : 0;
    if (!npart__is_static(fact) || !npart__normalize_axis(given, fact->rank, &axis) || !places->has_rank)
        return refuse_unknown(reading);
    /* One position of several tokens is that of the first. */
    bool is_first = traits->reads.table && places->rank == 1;
    int64_t batch = is_tuple ? npart__node_int(work->graph, node, "batch_dims", 0) : 0;
    uint32_t width = is_tuple && places->rank ? (uint32_t)places->dims[places->rank - 1u] : 1;
    if (batch < 0 || (uint64_t)batch + (is_tuple ? width : 0) > fact->rank)
        return refuse_unknown(reading);
    if (!known || !known->ints)
        return !is_tuple && !is_first && largest(reading, index, 0) < (double)fact->dims[axis]
                   ? NPART_OK
                   : refuse_unknown(reading);
    for (uint32_t i = 0; i < known->count; i++) {
        int64_t rows = fact->dims[is_tuple ? (uint32_t)batch + i % width : axis];
        int64_t last = known->ints[i] + (is_first ? (int64_t)reading->tokens - 1 : 0);
        if (last >= rows || known->ints[i] < -rows)
            return refuse_rows(reading, rows);
    }
    return NPART_OK;
}

/* A Slice ends where its operand does, without a word. Ends beyond all numbers mean that end. */
static npart_status check_part(const struct reading *reading)
{
    const struct npart__fact *fact = npart__fact_of(&reading->at->inference, operand_of(reading, 0));
    const struct npart__known *lists[4] = {NULL};
    for (uint32_t i = 1; i < 4; i++) {
        uint32_t value = operand_of(reading, i);
        lists[i] = value == NPART_NONE ? NULL : npart__cache_elements(reading->at, value);
        if (value != NPART_NONE && (!lists[i] || !lists[i]->ints))
            return refuse_unknown(reading);
    }
    if (!npart__is_static(fact) || !lists[1] || !lists[2] || lists[1]->count != lists[2]->count ||
        (lists[3] && lists[3]->count != lists[1]->count))
        return refuse_unknown(reading);
    for (uint32_t i = 0; i < lists[1]->count; i++) {
        uint32_t axis = i;
        int64_t start = lists[1]->ints[i], end = lists[2]->ints[i];
        if (!npart__normalize_axis(lists[3] ? lists[3]->ints[i] : i, fact->rank, &axis))
            return refuse_unknown(reading);
        int64_t size = fact->dims[axis];
        bool is_past_end = (is_varying(reading, 1) && start >= size) ||
                           (is_varying(reading, 2) && end > size && end < INT32_MAX);
        if (is_past_end)
            return refuse_rows(reading, size);
    }
    return NPART_OK;
}

/* Of a class for each number below its operand `depth`; any other is told as none. */
static npart_status check_classes(const struct reading *reading)
{
    const struct npart__known *known = npart__cache_elements(reading->at, operand_of(reading, 0));
    uint32_t value = operand_of(reading, 1);
    const struct npart__known *depth = value == NPART_NONE ? NULL : npart__cache_elements(reading->at, value);
    if (!known || !known->ints || !depth || !depth->ints || depth->count != 1)
        return refuse_unknown(reading);
    for (uint32_t i = 0; i < known->count; i++)
        if (known->ints[i] >= depth->ints[0] || known->ints[i] < -depth->ints[0])
            return refuse_rows(reading, depth->ints[0]);
    return NPART_OK;
}

/* Of a node whose result is data, no operand that varies may be left over. */
static npart_status check_node(const struct reading *reading)
{
    const struct npart__graph *graph = reading->work->graph;
    const struct npart__node *node = npart__node_at(graph, reading->node);
    bool is_given = false, is_control = true;
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        uint32_t operand = npart__node_use(graph, node, k);
        is_given |= operand != NPART_NONE && reading->varies[npart__value_at(graph, operand)->alias];
    }
    if (!is_given)
        return NPART_OK;
    if (node->traits->reads.is_there)
        return is_varying(reading, node->traits->reads.index) ? check_index(reading) : NPART_OK;
    if (npart__comes_from(node, NPART__WAY(SLICE)))
        return is_varying(reading, 1) || is_varying(reading, 2) ? check_part(reading) : NPART_OK;
    if (npart__comes_from(node, NPART__WAY(ONE_HOT)))
        return is_varying(reading, 0) ? check_classes(reading) : NPART_OK;
    for (uint32_t k = 0; k < node->output_count; k++) {
        uint32_t result = npart__node_output(graph, node, k);
        is_control &= result == NPART_NONE || npart__cache_elements(reading->at, result);
    }
    if (npart__comes_from(node, NPART__WAY(SCATTER_TUPLES)) && is_varying(reading, 1) && !is_control)
        return refuse_unknown(reading);
    return is_control || npart__cache_has_rule(graph, reading->node) ? NPART_OK : refuse_unknown(reading);
}

static npart_status check_reads(struct reading *reading, int64_t id)
{
    const struct npart__work *work = reading->work;
    const struct npart__scope *scope = npart__scope_at(work->graph, 0);
    uint32_t past = work->request->slots - reading->tokens;
    const struct npart__layout full = {.past = past, .tokens = reading->tokens, .used = past, .gives_tokens = true,
                                       .token = id};
    struct npart__probe at;
    npart_status status = npart__cache_probe(reading->work, &full, true, &at);
    reading->at = &at;
    for (uint32_t i = 0; i < scope->order_count && status == NPART_OK; i++) {
        reading->node = work->graph->order[scope->first_order + i];
        if (work->is_live[reading->node])
            status = check_node(reading);
    }
    if (npart__take_failure(&at.inference))
        status = npart__fail_memory(work->error);
    if (status == NPART_OK && at.inference.misfits)
        status = npart__cache_refuse(work, NPART_NONE, "with %u slots before new tokens some node fails in a run",
                                     past);
    npart__cache_probe_free(&at);
    return status;
}

/* ---- ids --------------------------------------------------------------------------------------------------------- */

static void add_id(int64_t *ids, uint32_t *count, int64_t rows, int64_t id)
{
    bool is_listed = id < 0 || id >= rows;
    for (uint32_t i = 0; i < *count && !is_listed; i++)
        is_listed = ids[i] == id;
    if (!is_listed && *count < MOST_IDS)
        ids[(*count)++] = id;
}

/* Numbers that integers are compared with, and those beside them: what they are to ids need not be known. */
static uint32_t list_ids(const struct npart__work *work, struct npart__probe *full, int64_t *ids)
{
    uint32_t count = 0;
    for (int64_t id = 0; id < 4; id++)
        add_id(ids, &count, work->vocabulary, id);
    add_id(ids, &count, work->vocabulary, PLAIN_ID);
    for (uint32_t i = 0; i < work->graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(work->graph, i);
        bool compares = node->traits->computes == NPART__COMPUTES_EQUAL ||
                        node->traits->computes == NPART__COMPUTES_ORDER;
        for (uint32_t k = 0; k < 2 && compares; k++) {
            uint32_t operand = npart__node_input(work->graph, node, k);
            const struct npart__known *known = operand == NPART_NONE ? NULL : npart__cache_elements(full, operand);
            for (int64_t by = -1; known && known->ints && known->count == 1 && by < 2; by++)
                add_id(ids, &count, work->vocabulary, known->ints[0] + by);
        }
    }
    return count;
}

npart_status npart__cache_check_tables(struct npart__work *work, uint32_t tokens)
{
    uint32_t past = work->request->slots - tokens, count = 0;
    const struct npart__layout none = {.past = 0, .tokens = tokens, .used = 0};
    const struct npart__layout all = {.past = past, .tokens = tokens, .used = past};
    struct reading reading = {.work = work, .tokens = tokens};
    struct npart__probe first, full;
    int64_t ids[MOST_IDS];
    memset(&full, 0, sizeof full);
    npart__arena_init(&full.arena, &work->arena->allocator);
    reading.varies = npart__arena_zeroed(work->arena, work->graph->values.count + (size_t)1, sizeof *reading.varies);
    npart_status status = npart__cache_probe(work, &none, true, &first);
    if (status == NPART_OK)
        status = npart__cache_probe(work, &all, true, &full);
    if (status == NPART_OK && !reading.varies)
        status = npart__fail_memory(work->error);
    if (status == NPART_OK) {
        list_varying(&reading, &first, &full);
        count = list_ids(work, &full, ids);
        /* Elements that could not be read look as if they were not known. */
        bool has_failed = npart__take_failure(&first.inference);
        has_failed |= npart__take_failure(&full.inference);
        if (has_failed)
            status = npart__fail_memory(work->error);
    }
    npart__cache_probe_free(&first);
    npart__cache_probe_free(&full);
    for (uint32_t i = 0; i < count && status == NPART_OK; i++)
        status = check_reads(&reading, ids[i]);
    return status;
}
