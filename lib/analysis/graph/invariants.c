/* SPDX-License-Identifier: Apache-2.0
 *
 * What holds for every graph, whatever the file says: the debug build looks when a graph has been built, and later
 * stages for the graph that they hand over.
 */
#include "graph/graph.h"

#ifdef NPART_DEBUG

#define IN_RANGE(first, amount, array) ((uint64_t)(first) + (amount) <= (array).count)

/* Every range lies in its array, and what refers to a node is referred to by it. Ranges are summed in 64 bits, so
 * that a wrong count cannot wrap round and look right. Captures and bodies of a node without any begin nowhere in
 * particular. */
static void check_nodes(const struct npart__graph *graph)
{
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = &graph->nodes.items[i];
        NPART__ASSERT(node->scope < graph->scopes.count, "node %u", i);
        NPART__ASSERT(node->name && node->alias <= i, "node %u is a copy of node %u", i, node->alias);
        NPART__ASSERT(graph->nodes.items[node->alias].alias == node->alias, "node %u is a copy of a copy", i);
        NPART__ASSERT(node->op_type < graph->strings.texts.count && node->domain < graph->strings.texts.count &&
                          node->written_domain < graph->strings.texts.count,
                      "node %u has no operator", i);
        NPART__ASSERT(IN_RANGE(node->first_input, node->input_count, graph->operands), "node %u", i);
        NPART__ASSERT(IN_RANGE(node->first_output, node->output_count, graph->operands), "node %u", i);
        NPART__ASSERT(IN_RANGE(node->first_capture, node->capture_count, graph->operands) || !node->capture_count,
                      "node %u", i);
        NPART__ASSERT(IN_RANGE(node->first_attribute, node->attribute_count, graph->attributes), "node %u", i);
        NPART__ASSERT(node->callee == NPART_NONE || (node->callee < graph->scopes.count &&
                                                     graph->scopes.items[node->callee].node == i),
                      "node %u", i);
        NPART__ASSERT(IN_RANGE(node->first_body, node->body_count, graph->scopes) || !node->body_count, "node %u", i);
        for (uint32_t k = node->first_body; k < node->first_body + node->body_count; k++)
            NPART__ASSERT(graph->scopes.items[k].node == i, "node %u, body %u", i, k);
    }
    for (uint32_t i = 0; i < graph->operands.count; i++)
        NPART__ASSERT(graph->operands.items[i] == NPART_NONE || graph->operands.items[i] < graph->values.count,
                      "operand %u", i);
}

/* Parents come before their children, so that one pass over the scopes is enough elsewhere. */
static void check_scopes(const struct npart__graph *graph)
{
    for (uint32_t s = 0; s < graph->scopes.count; s++) {
        const struct npart__scope *scope = &graph->scopes.items[s];
        NPART__ASSERT(s == 0 ? scope->parent == NPART_NONE : scope->parent < s, "scope %u", s);
        NPART__ASSERT(IN_RANGE(scope->first_node, scope->node_count, graph->nodes), "scope %u", s);
        NPART__ASSERT(IN_RANGE(scope->first_output, scope->output_count, graph->operands), "scope %u", s);
        NPART__ASSERT(IN_RANGE(scope->first_input, scope->input_count, graph->operands) || !scope->input_count,
                      "scope %u", s);
        NPART__ASSERT(scope->kind <= NPART_GRAPH_CALL && (scope->kind == NPART_GRAPH_MAIN) == (s == 0),
                      "scope %u", s);
        NPART__ASSERT(s == 0 || scope->node < graph->nodes.count, "scope %u is of no node", s);
        NPART__ASSERT(scope->region == NPART_NONE || graph->scopes.items[scope->region].region == scope->region,
                      "scope %u", s);
        NPART__ASSERT(scope->region != s || (uint64_t)scope->first_order + scope->order_count <= graph->order_count,
                      "scope %u", s);
        for (uint32_t i = scope->first_node; i < scope->first_node + scope->node_count; i++)
            NPART__ASSERT(graph->nodes.items[i].scope == s, "scope %u, node %u", s, i);
    }
}

/* A value with a producer is among its results. */
static void check_values(const struct npart__graph *graph)
{
    for (uint32_t v = 0; v < graph->values.count; v++) {
        const struct npart__value *value = &graph->values.items[v];
        NPART__ASSERT(value->scope < graph->scopes.count && value->alias < graph->values.count, "value %u", v);
        NPART__ASSERT(graph->values.items[value->alias].alias == value->alias, "value %u is a name of a name", v);
        NPART__ASSERT(value->name < graph->strings.texts.count, "value %u has no name", v);
        NPART__ASSERT(value->kind <= NPART__VALUE_OVERRIDABLE, "value %u is of no kind", v);
        NPART__ASSERT(value->kind != NPART__VALUE_INITIALIZER || value->producer == NPART_NONE, "value %u is made", v);
        if (value->producer == NPART_NONE)
            continue;
        NPART__ASSERT(value->producer < graph->nodes.count, "value %u", v);
        const struct npart__node *node = &graph->nodes.items[value->producer];
        uint32_t k = 0;
        while (k < node->output_count && npart__node_output(graph, node, k) != v)
            k++;
        NPART__ASSERT(k < node->output_count, "value %u is no result of node %u", v, value->producer);
    }
}

/* Numbers without a pattern, so that a sum of them tells lists apart. */
static uint64_t spread(uint32_t id)
{
    uint64_t x = (id + UINT64_C(1)) * UINT64_C(0x9e3779b97f4a7c15);
    return x ^ x >> 29;
}

/* Lists of consumers are those that the operands say. Both are summed up by `spread`, so that
 * their order does not matter. Differences of unsigned sums are exact modulo 2^64, so subtracting in any order
 * ends at 0 for equal lists. */
static void check_uses(const struct npart__graph *graph, const bool *is_run, struct npart__arena *scratch)
{
    uint64_t *sums = npart__arena_zeroed(scratch, graph->values.count + (size_t)1, sizeof *sums);
    for (uint32_t i = 0; sums && i < graph->nodes.count; i++) {
        const struct npart__node *node = &graph->nodes.items[i];
        for (uint32_t k = 0; is_run[i] && k < node->input_count + node->capture_count; k++)
            if (npart__node_use(graph, node, k) != NPART_NONE)
                sums[npart__node_use(graph, node, k)] += spread(i);
    }
    for (uint32_t v = 0; sums && v < graph->values.count; v++) {
        const struct npart__value *value = &graph->values.items[v];
        for (uint32_t k = value->first_consumer; k < value->first_consumer + value->consumer_count; k++)
            sums[v] -= spread(graph->consumers[k]);
        NPART__ASSERT(sums[v] == 0, "value %u (%s): its users are not those that name it", v,
                      npart__value_name(graph, v));
    }
}

/* Each node that runs is in the order of its region once, after what it uses. Across regions nothing is asked:
 * each has an order of its own. */
static void check_order(const struct npart__graph *graph, const bool *is_run, struct npart__arena *scratch)
{
    uint32_t *place = npart__arena_zeroed(scratch, graph->nodes.count + (size_t)1, sizeof *place);
    for (uint32_t s = 0; place && s < graph->scopes.count; s++) {
        const struct npart__scope *scope = &graph->scopes.items[s];
        for (uint32_t i = 0; scope->region == s && i < scope->order_count; i++) {
            uint32_t id = graph->order[scope->first_order + i];
            NPART__ASSERT(id < graph->nodes.count && npart__node_region(graph, id) == s && !place[id],
                          "node %u is not once in the order of region %u", id, s);
            place[id] = i + 1;
        }
    }
    for (uint32_t i = 0; place && i < graph->nodes.count; i++) {
        const struct npart__node *node = &graph->nodes.items[i];
        NPART__ASSERT(!is_run[i] || place[i], "node %u is run, and not in the order", i);
        for (uint32_t k = 0; is_run[i] && k < node->input_count + node->capture_count; k++) {
            uint32_t producer = npart__producer(graph, npart__node_use(graph, node, k));
            NPART__ASSERT(producer == NPART_NONE || place[producer] < place[i] ||
                              npart__node_region(graph, producer) != npart__node_region(graph, i),
                          "node %u stands before node %u, which it uses", i, producer);
        }
    }
}

/* Only in the debug build, and only when memory for the lists can be had: a check that cannot
 * run asserts nothing. */
void npart__check_graph(const struct npart__graph *graph, const bool *is_run)
{
    struct npart__arena scratch;
    npart__arena_init(&scratch, NULL);
    bool *is_no_call = npart__arena_zeroed(&scratch, graph->nodes.count + (size_t)1, sizeof *is_no_call);
    check_nodes(graph);
    check_scopes(graph);
    check_values(graph);
    for (uint32_t i = 0; is_no_call && i < graph->nodes.count; i++)
        is_no_call[i] = graph->nodes.items[i].callee == NPART_NONE && npart__node_region(graph, i) != NPART_NONE;
    if (is_no_call) {
        check_uses(graph, is_run ? is_run : is_no_call, &scratch);
        check_order(graph, is_run ? is_run : is_no_call, &scratch);
    }
    npart__arena_clear(&scratch);
}

#endif
