/* SPDX-License-Identifier: Apache-2.0
 *
 * Who uses what: of each value the nodes, next to one another in one array.
 *
 * After the users of a value that has many stand how many kinds of them there are, and the first of each. A question
 * about all users of an operand is asked of these, so that a value which n nodes use does not cost each of them n.
 */
#include "graph/graph.h"

/* ---- uses ------------------------------------------------------------------------------------------------- */

/* A call uses nothing: its body does the work; nor does what is never run. So what is passed to a call is used by the
 * nodes of the function that read it. */
uint32_t npart__use_count(const struct npart__graph *graph, const struct npart__node *node)
{
    bool is_run = node->callee == NPART_NONE && graph->scopes.items[node->scope].region != NPART_NONE;
    return is_run ? node->input_count + node->capture_count : 0;
}

/* Calls `take` for every operand that is there. A value that a node uses twice is told twice. */
static void each_use(struct npart__graph *graph, const uint8_t *gone,
                     void (*take)(struct npart__graph *graph, struct npart__value *value, uint32_t node))
{
    for (uint32_t n = 0; n < graph->nodes.count; n++) {
        const struct npart__node *node = &graph->nodes.items[n];
        uint32_t count = gone && gone[n] ? 0 : npart__use_count(graph, node);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t value = npart__node_use(graph, node, i);
            if (value != NPART_NONE)
                take(graph, &graph->values.items[value], n);
        }
    }
}

static void count_use(struct npart__graph *graph, struct npart__value *value, uint32_t node)
{
    (void)graph;
    (void)node;
    value->consumer_count++;
}

/* `consumer_count` is how many have been filled in so far. */
static void list_use(struct npart__graph *graph, struct npart__value *value, uint32_t node)
{
    graph->consumers[value->first_consumer + value->consumer_count++] = node;
}

/* ---- kinds ------------------------------------------------------------------------------------------------ */

/* How many kinds a value may have at most, and their number; one more says that there are others. */
static uint32_t room_for_kinds(uint32_t users)
{
    uint32_t most = users < NPART__LIMIT_USER_KINDS ? users : NPART__LIMIT_USER_KINDS + 1;
    return users > NPART__FEW_USERS ? 1 + most : 0;
}

static bool is_among(const struct npart__graph *graph, const uint32_t *kinds, uint32_t count,
                     const struct npart__node *node)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct npart__node *first = &graph->nodes.items[kinds[i]];
        if (first->op_type == node->op_type && first->domain == node->domain)
            return true;
    }
    return false;
}

/* Of more kinds than there is room for a QuantizeLinear is among those that are told: what quantizes is looked for here
 * (lib/plan/judge/quantized.c). Linear in users times kinds, which are few or at their limit. */
static void list_kinds(struct npart__graph *graph, const struct npart__value *value)
{
    const uint32_t *users = graph->consumers + value->first_consumer;
    uint32_t *kinds = graph->consumers + value->first_consumer + value->consumer_count + 1, count = 0;
    bool are_all = true;
    for (uint32_t i = 0; i < value->consumer_count; i++) {
        const struct npart__node *node = &graph->nodes.items[users[i]];
        if (is_among(graph, kinds, count, node))
            continue;
        bool is_last = count == NPART__LIMIT_USER_KINDS;
        are_all = are_all && !is_last;
        if (!is_last)
            kinds[count++] = users[i];
        else if (npart__node_plays(graph, node, NPART__ROLE_QUANTIZES))
            kinds[count - 1] = users[i];
    }
    if (!are_all)
        kinds[count++] = NPART_NONE;
    kinds[-1] = count;
}

/* Two walks, one that counts and one that fills in. A value's list is in the order of node ids, since nodes are walked
 * in that order. Linear in operands. */
bool npart__list_users(struct npart__graph *graph, const uint8_t *gone, struct npart__arena *arena)
{
    size_t total = 0;
    for (uint32_t v = 0; v < graph->values.count; v++)
        graph->values.items[v].consumer_count = 0;
    each_use(graph, gone, count_use);
    for (uint32_t v = 0; v < graph->values.count; v++) {
        struct npart__value *value = &graph->values.items[v];
        value->first_consumer = (uint32_t)total;
        total += (size_t)value->consumer_count + room_for_kinds(value->consumer_count);
        value->consumer_count = 0; /* counted again while the list is filled */
    }
    graph->consumers = total < UINT32_MAX ? npart__arena_allocate(arena, (total + 1) * sizeof *graph->consumers) : NULL;
    if (!graph->consumers)
        return false;
    each_use(graph, gone, list_use);
    for (uint32_t v = 0; v < graph->values.count; v++)
        if (graph->values.items[v].consumer_count > NPART__FEW_USERS)
            list_kinds(graph, &graph->values.items[v]);
    return true;
}

/* Filled in as the users are: node by node, and of one its operands in their order. */
uint32_t *npart__list_places(const struct npart__graph *graph, const uint8_t *gone, struct npart__arena *arena)
{
    uint32_t *next = npart__arena_allocate(arena, (graph->values.count + (size_t)1) * sizeof *next), end = 0;
    for (uint32_t v = 0; next && v < graph->values.count; v++) {
        const struct npart__value *value = &graph->values.items[v];
        next[v] = value->first_consumer;
        end = value->consumer_count ? value->first_consumer + value->consumer_count : end;
    }
    uint32_t *places = npart__arena_zeroed(arena, end + (size_t)1, sizeof *places);
    for (uint32_t n = 0; next && places && n < graph->nodes.count; n++) {
        const struct npart__node *node = &graph->nodes.items[n];
        uint32_t count = gone && gone[n] ? 0 : npart__use_count(graph, node);
        for (uint32_t i = 0; i < count; i++) {
            uint32_t value = npart__node_use(graph, node, i);
            if (value == NPART_NONE)
                continue;
            NPART__ASSERT(graph->consumers[next[value]] == n, "users of value %u", (unsigned)value);
            places[next[value]++] = i;
        }
    }
    npart__arena_release(arena, next);
    return next ? places : NULL;
}

/* Back from the results: what leads there does so by all operands, an end by its first. */
void npart__lead_back(const struct npart__graph *graph, const struct npart__node *node, bool is_end, bool is_through,
                      bool *leads)
{
    bool goes_on = false;
    for (uint32_t k = 0; k < node->output_count && is_through; k++) {
        uint32_t value = npart__node_output(graph, node, k);
        goes_on |= value != NPART_NONE && leads[value];
    }
    for (uint32_t k = 0; k < node->input_count && (is_end || goes_on); k++) {
        uint32_t value = npart__node_input(graph, node, k);
        if (value != NPART_NONE && (goes_on || k == 0))
            leads[value] = true;
    }
}
