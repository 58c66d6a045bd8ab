/* SPDX-License-Identifier: Apache-2.0
 *
 * Which attention looks at a cache: from sizes of tensors, whatever they are called.
 *
 * The scores are the product of queries and of keys that come from the cache. Its contraction is the size of a head, so
 * a token's elements of the cache by it are the heads of keys; its rows by new tokens and batch are the heads of
 * queries, whether keys are repeated for them or rows stand below each other. Operators that keep the cache say both.
 * With past_key [1,8,4095,64] and scores [1,32,1,4096]: 8 heads of keys, and 32 of queries.
 *
 * Cross-attention's cache is an input that comes to such a product as it is, with nothing joined to it.
 */
#include "memory/memory.h"

#define MOST_REACHED 48u /* values that one tensor is followed through */

struct reached {
    const struct npart__session *session;
    uint32_t values[MOST_REACHED];
    uint32_t count;
};

static void reach(struct reached *reached, uint32_t value)
{
    for (uint32_t i = 0; i < reached->count; i++)
        if (reached->values[i] == value)
            return;
    if (value != NPART_NONE && reached->count < MOST_REACHED)
        reached->values[reached->count++] = value;
}

static const struct npart__fact *fact_of(const struct npart__session *session, uint32_t value)
{
    const struct npart__fact *fact = value == NPART_NONE ? NULL : npart__fact_of(session->known, value);
    return fact && fact->has_rank ? fact : NULL;
}

/* Of scores, how many rows there are for each new token; 0: not known. What is no number is the batch or the tokens. A
 * batch of more than one may be the heads. */
static uint64_t heads_of_rows(const struct npart__fact *scores, const struct npart__cache_sizes *sizes)
{
    const int64_t others[] = {sizes->batch, sizes->tokens};
    bool is_met[] = {false, false};
    uint64_t rows = 1;
    for (uint32_t i = 0; i + 1 < scores->rank; i++) {
        int64_t dim = scores->dims[i];
        uint32_t at = dim == others[0] && !is_met[0] ? 0 : 1;
        if (npart__is_number(dim) ? dim <= 0 || !npart__multiply_uint64(rows, (uint64_t)dim, &rows)
                                  : dim != others[at] || is_met[at])
            return 0;
        is_met[at] |= !npart__is_number(dim);
    }
    for (uint32_t i = 0; i < 2; i++) {
        bool is_number = npart__is_number(others[i]) && others[i] > 0;
        if (!is_met[i] && (!is_number || rows % (uint64_t)others[i] || (i == 0 && others[i] > 1)))
            return 0;
        rows /= is_met[i] ? 1 : (uint64_t)others[i];
    }
    return rows;
}

static const uint64_t moved = NPART__WAYS_SAME | NPART__WAYS_VIEW | NPART__WAY(CASTS) | NPART__WAY(CODES) |
                              NPART__WAY(TRANSPOSE) | NPART__WAY(EXPAND) | NPART__WAY(TILE);

static bool is_of_softmax(const struct npart__graph *graph, uint32_t value)
{
    uint32_t producer = value == NPART_NONE ? NPART_NONE : npart__producer(graph, value);
    for (uint32_t i = 0; i < MOST_REACHED && producer != NPART_NONE; i++) {
        const struct npart__node *node = npart__node_at(graph, producer);
        if (!npart__comes_from(node, moved) || !node->input_count)
            return npart__comes_from(node, NPART__WAY(SOFTMAX));
        value = npart__node_input(graph, node, 0);
        producer = value == NPART_NONE ? NPART_NONE : npart__producer(graph, value);
    }
    return false;
}

/* Of a product with the cache as its second operand; nothing where it is one of weights and values. */
static void find_in_product(const struct npart__session *session, const struct npart__node *node,
                            const struct npart__cache_sizes *sizes, struct npart__heads *out)
{
    const struct npart__fact *queries = fact_of(session, npart__node_input(session->graph, node, 0));
    const struct npart__fact *scores = fact_of(session, npart__node_output(session->graph, node, 0));
    if (!queries || !scores || queries->rank < 2 || scores->rank < 2)
        return;
    int64_t depth = queries->dims[queries->rank - 1];
    bool is_score = scores->dims[scores->rank - 1] == sizes->slots &&
                    (depth != sizes->slots ||
                     !is_of_softmax(session->graph, npart__node_input(session->graph, node, 0)));
    if (!is_score || !npart__is_number(depth) || depth <= 0 || !sizes->elements || sizes->elements % (uint64_t)depth)
        return;
    *out = (struct npart__heads){heads_of_rows(scores, sizes), sizes->elements / (uint64_t)depth, 2};
}

/* Of one that takes queries, keys and values: as it says, or as the axis of heads does. */
static void find_in_operator(const struct npart__session *session, const struct npart__node *node,
                             const struct npart__cache_sizes *sizes, struct npart__heads *out)
{
    const struct npart__graph *graph = session->graph;
    const struct npart__fact *queries = fact_of(session, npart__node_input(graph, node, 0));
    int64_t heads = npart__node_int(graph, node, "num_heads", 0);
    int64_t keys = npart__node_int(graph, node, "kv_num_heads", 0);
    heads = heads ? heads : npart__node_int(graph, node, "q_num_heads", 0);
    heads = heads || !queries || queries->rank != 4 ? heads : queries->dims[1];
    keys = keys ? keys : sizes->heads;
    if (heads > 0 && npart__is_number(heads) && keys > 0 && npart__is_number(keys))
        *out = (struct npart__heads){(uint64_t)heads, (uint64_t)keys, 1};
}

/* By one number, as keys may be. */
static bool is_scaled(const struct npart__session *session, const struct npart__node *node, uint32_t value)
{
    bool is_one = true;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t operand = npart__node_input(session->graph, node, i);
        const struct npart__fact *fact = fact_of(session, operand);
        is_one &= operand == value || (fact && (fact->rank == 0 || (fact->rank == 1 && fact->dims[0] == 1)));
    }
    return is_one;
}

/* Without sizes it is only asked whether there is a product. */
static void find_at_user(struct reached *reached, const struct npart__node *node, uint32_t value,
                         const struct npart__cache_sizes *sizes, struct npart__heads *out)
{
    const struct npart__graph *graph = reached->session->graph;
    uint32_t second = node->input_count > 1 ? npart__node_input(graph, node, 1) : NPART_NONE;
    uint32_t third = node->input_count > 2 ? npart__node_input(graph, node, 2) : NPART_NONE;
    bool is_product = npart__comes_from(node, NPART__WAY(MATMUL) | NPART__WAY(FUSED_MATMUL)) && second == value;
    bool is_attention = node->traits->cache.count && !node->traits->writes && (second == value || third == value);
    if (!sizes && (is_product || is_attention))
        out->tensors = 1;
    else if (is_product)
        find_in_product(reached->session, node, sizes, out);
    else if (is_attention)
        find_in_operator(reached->session, node, sizes, out);
    else if (npart__comes_from(node, moved) ||
             (npart__comes_from(node, NPART__WAY(EACH)) && (sizes || is_scaled(reached->session, node, value))))
        reach(reached, npart__node_output(graph, node, 0));
}

void npart__find_heads(const struct npart__session *session, uint32_t value, const struct npart__node *keeper,
                       const struct npart__cache_sizes *sizes, struct npart__heads *out)
{
    struct reached reached = {.session = session};
    const struct npart__graph *graph = session->graph;
    *out = (struct npart__heads){0};
    if (keeper)
        find_in_operator(session, keeper, sizes, out);
    else
        reach(&reached, value);
    for (uint32_t i = 0; i < reached.count; i++) {
        const struct npart__value *at = npart__value_at(graph, reached.values[i]);
        for (uint32_t k = 0; k < at->consumer_count && !out->tensors; k++) {
            uint32_t user = graph->consumers[at->first_consumer + k];
            if (npart__is_live(session, user))
                find_at_user(&reached, npart__node_at(graph, user), reached.values[i], sizes, out);
        }
    }
}
