/* SPDX-License-Identifier: Apache-2.0
 *
 * The cache of a decoder: inputs to which each step adds a token, and which leave the model again.
 *
 * An input is one where it is joined with something new along an axis and the result is an output, or, where the
 * cache has a fixed size, what is new alone or a Slice of the result; or where an operator takes it for its cache, or
 * writes into it along an axis and gives it back. A token takes the elements that are left without that axis and the
 * batch. With past_key float16[b,8,past,64] and past_value alike in each of 28 layers, it takes 28 * 2 * 8 * 64 * 2
 * bytes = 57,344.
 *
 * Its slots are the elements along that axis of what attention reads, new tokens included: of a past of 4,095 joined
 * with one new token 4,096. Where tensors differ, as those of a window and of all, the largest counts.
 */
#include "memory/memory.h"

/* Only what the caller gives at each step is a cache; a constant past is none, and one that a node makes is not
 * kept. */
static bool is_fed(const struct npart__session *session, uint32_t value)
{
    const struct npart__value *at = value == NPART_NONE ? NULL : npart__value_at(session->graph, value);
    return at && at->kind == NPART__VALUE_INPUT && at->scope == 0;
}

/* Exporters join one tensor with nothing. One Concat of a single operand is looked through, which is what they
 * write. */
static uint32_t past_joining_nothing(const struct npart__session *session, uint32_t value)
{
    const struct npart__graph *graph = session->graph;
    uint32_t producer = npart__producer(graph, value);
    const struct npart__node *node = producer == NPART_NONE ? NULL : npart__node_at(graph, producer);
    bool is_one = node && node->input_count == 1 && npart__comes_from(node, NPART__WAY(CONCAT));
    return is_one ? npart__node_input(graph, node, 0) : value;
}

/* Of a tensor that is held quantized, what its codes are. */
static uint32_t codes_of(const struct npart__graph *graph, uint32_t value)
{
    uint32_t producer = value == NPART_NONE ? NPART_NONE : npart__producer(graph, value);
    const struct npart__node *node = producer == NPART_NONE ? NULL : npart__node_at(graph, producer);
    bool is_coded = node && node->input_count && node->traits->elements == NPART__ELEMENTS_CODES;
    return is_coded ? npart__node_input(graph, node, 0) : value;
}

/* A size along an axis, which may count from the end; -1: not known. */
static int64_t size_along(const struct npart__session *session, uint32_t value, int64_t axis)
{
    const struct npart__fact *fact = value == NPART_NONE ? NULL : npart__fact_of(session->known, value);
    uint32_t at;
    bool is_known = fact && fact->has_rank && npart__normalize_axis(axis, fact->rank, &at) &&
                    npart__is_number(fact->dims[at]);
    return is_known ? fact->dims[at] : -1;
}

struct finding {
    const struct npart__memory_request *request;
    const struct npart__session *session;
    bool *is_seen; /* by value */
    struct npart__memory *out;
    struct npart__heads heads; /* 0 where tensors differ */
    uint64_t least, most;      /* slots that layers look at */
    uint32_t least_count;
    bool says_window;
};

/* What a run reads of the cache, and adds to it. */
static void add_slots(int64_t slots, int64_t tokens, struct npart__memory *out)
{
    if (slots > 0 && tokens > 0 && tokens <= slots && tokens <= UINT32_MAX) {
        out->told.cache_slots = out->told.cache_slots > (uint64_t)slots ? out->told.cache_slots : (uint64_t)slots;
        out->told.run_tokens = out->told.run_tokens > (uint32_t)tokens ? out->told.run_tokens : (uint32_t)tokens;
    }
}

/* `says`: what the operator says of a window; 0: nothing. A shorter cache than others' is one, too. */
static void add_window(struct finding *finding, int64_t slots, int64_t says)
{
    uint64_t seen = slots > 0 ? (uint64_t)slots : UINT64_MAX;
    finding->says_window |= says > 0 && (uint64_t)says < seen;
    seen = says > 0 && (uint64_t)says < seen ? (uint64_t)says : seen;
    finding->least_count = seen < finding->least ? 1 : finding->least_count + (seen == finding->least);
    finding->least = seen < finding->least ? seen : finding->least;
    finding->most = seen > finding->most ? seen : finding->most;
}

/* One more tensor of a cache, which attention reads as `read`, or `keeper` by itself. */
static void add_heads(struct finding *finding, uint32_t read, const struct npart__node *keeper,
                      const struct npart__cache_sizes *sizes)
{
    struct npart__heads heads;
    npart__find_heads(finding->session, read, keeper, sizes, &heads);
    bool is_first = !finding->heads.tensors;
    if (!heads.tensors)
        return;
    finding->heads.queries = is_first || heads.queries == finding->heads.queries ? heads.queries : 0;
    finding->heads.keys = is_first || heads.keys == finding->heads.keys ? heads.keys : 0;
    finding->heads.tensors += heads.tensors;
}

/* An operator that keeps the cache says them of keys and of values. */
static void tell_attention(const struct finding *finding)
{
    struct npart_memory *told = &finding->out->told;
    const struct npart__heads *at = &finding->heads;
    bool has_window = finding->least < UINT64_MAX && (finding->least < finding->most || finding->says_window);
    if (told->cache_tensor_count && at->tensors == told->cache_tensor_count && at->queries && at->keys &&
        at->queries % at->keys == 0) {
        told->query_heads = at->queries;
        told->key_heads = at->keys;
        told->attention = at->queries == at->keys ? NPART_ATTENTION_MULTI_HEAD
                          : at->keys == 1         ? NPART_ATTENTION_MULTI_QUERY
                                                  : NPART_ATTENTION_GROUPED_QUERY;
    }
    told->window_slots = has_window ? finding->least : 0;
    told->window_tensors = has_window ? finding->least_count : 0;
}

/* `axis` may count from the end. A tensor counts once however many operators take it. What is not known counts
 * as a tensor of unknown size, so the sum is told as a lower bound. Rank 3 at least, since a list of numbers
 * that grows is no cache. False of what is none, or was counted before. */
static bool add_tensor(struct finding *finding, uint32_t value, int64_t axis, uint32_t batch,
                       struct npart__cache_sizes *sizes)
{
    const struct npart__fact *fact = npart__fact_of(finding->session->known, value);
    struct npart_memory *told = &finding->out->told;
    uint32_t tokens;
    uint64_t elements = 1;
    bool is_known = fact->has_rank && fact->rank > 2 && npart__normalize_axis(axis, fact->rank, &tokens);
    if (!is_known || tokens == batch || finding->is_seen[value])
        return false; /* a list of numbers, or a larger batch */
    finding->is_seen[value] = true;
    for (uint32_t i = 0; is_known && i < fact->rank; i++)
        if (i != tokens && i != batch)
            is_known = npart__is_number(fact->dims[i]) && fact->dims[i] >= 0 &&
                       npart__multiply_uint64(elements, (uint64_t)fact->dims[i], &elements);
    /* Types of less than a byte are packed; a type without a size is no tensor of numbers. */
    unsigned bits = npart__type_bits(fact->element_type);
    uint64_t bytes = bits ? npart__type_bytes(fact->element_type, elements) : UINT64_MAX;
    is_known = is_known && bytes <= NPART__LIMIT_TENSOR_BYTES;
    npart__add_size(&told->cache_per_token, (struct npart_bytes){is_known ? bytes : 0, !is_known});
    told->cache_tensor_count++;
    *sizes = (struct npart__cache_sizes){.elements = is_known ? elements : 0, .batch = fact->dims[batch],
                                         .heads = fact->rank == 4 ? fact->dims[1] : NPART__UNKNOWN,
                                         .depth = fact->dims[fact->rank - 1]};
    return true;
}

static bool is_output(const struct npart__graph *graph, uint32_t value)
{
    return value != NPART_NONE && npart__value_at(graph, value)->is_graph_output;
}

/* Of a Concat of an input: whether what it makes, or what is new in it, leaves the model. */
static bool is_handed_back(const struct npart__graph *graph, const struct npart__node *concat, uint32_t fed)
{
    uint32_t result = npart__node_output(graph, concat, 0);
    if (result == NPART_NONE)
        return false;
    bool is_back = is_output(graph, result);
    for (uint32_t i = 0; i < concat->input_count && !is_back; i++) {
        uint32_t operand = npart__node_input(graph, concat, i), codes = codes_of(graph, operand);
        is_back = operand != fed && codes != fed && (is_output(graph, operand) || is_output(graph, codes));
    }
    const struct npart__value *at = npart__value_at(graph, result);
    for (uint32_t i = 0; i < at->consumer_count && !is_back; i++) {
        const struct npart__node *user = npart__node_at(graph, graph->consumers[at->first_consumer + i]);
        is_back = npart__comes_from(user, NPART__WAY(SLICE)) &&
                  is_output(graph, npart__node_output(graph, user, 0));
    }
    return is_back;
}

/* Of a value along an axis, a number or an expression. */
static int64_t dim_along(const struct npart__session *session, uint32_t value, int64_t axis)
{
    const struct npart__fact *fact = value == NPART_NONE ? NULL : npart__fact_of(session->known, value);
    uint32_t at;
    return fact && fact->has_rank && npart__normalize_axis(axis, fact->rank, &at) ? fact->dims[at] : NPART__UNKNOWN;
}

/* Made of the cache and of `added`. */
static void add_made(struct finding *finding, const struct npart__node *node, uint32_t added, int64_t axis,
                     struct npart__cache_sizes *sizes)
{
    uint32_t made = npart__node_output(finding->session->graph, node, 0);
    sizes->tokens = dim_along(finding->session, added, axis);
    sizes->slots = dim_along(finding->session, made, axis);
    add_window(finding, size_along(finding->session, made, axis), 0);
    add_heads(finding, made, NULL, sizes);
}

static void add_joined(struct finding *finding, const struct npart__node *node, uint32_t fed)
{
    const struct npart__session *session = finding->session;
    const struct npart__graph *graph = session->graph;
    struct npart__cache_sizes sizes;
    int64_t axis = npart__node_int(graph, node, "axis", 0), past = size_along(session, fed, axis);
    int64_t slots = size_along(session, npart__node_output(graph, node, 0), axis);
    if (!add_tensor(finding, fed, axis, 0, &sizes))
        return;
    if (past >= 0)
        add_slots(slots, slots - past, finding->out);
    uint32_t added = 0; /* of two operands the other one */
    while (added < node->input_count &&
           codes_of(graph, past_joining_nothing(session, npart__node_input(graph, node, added))) == fed)
        added++;
    add_made(finding, node, node->input_count == 2 ? npart__node_input(graph, node, added % 2) : NPART_NONE, axis,
             &sizes);
}

/* What is written into it has its rank. */
static void add_written(struct finding *finding, const struct npart__node *node)
{
    const struct npart__session *session = finding->session;
    const struct npart__graph *graph = session->graph;
    struct npart__cache_sizes sizes;
    uint32_t first = npart__node_input(graph, node, 0), written = npart__node_input(graph, node, 1);
    int64_t axis = npart__node_int(graph, node, "axis", node->traits->writes_axis);
    if (!is_fed(session, first) || !is_output(graph, npart__node_output(graph, node, 0)) ||
        !add_tensor(finding, first, axis, 0, &sizes))
        return;
    add_slots(size_along(session, first, axis), size_along(session, written, axis), finding->out);
    add_made(finding, node, written, axis, &sizes);
}

/* An operator that takes it gives it back after its first result, and its first operand has new tokens before the last
 * axis: of com.microsoft's attention. */
static void add_operand(struct finding *finding, const struct npart__node *node, uint32_t index)
{
    const struct npart__session *session = finding->session;
    const struct npart__graph *graph = session->graph;
    struct npart__cache_sizes sizes;
    uint32_t value = npart__node_input(graph, node, node->traits->cache.first + index);
    int64_t axis = npart__node_int(graph, node, "axis", -2);
    int64_t slots = size_along(session, npart__node_output(graph, node, 1 + index), axis);
    if (!is_fed(session, value) || !add_tensor(finding, value, axis, node->traits->cache.batch, &sizes))
        return;
    if (!node->traits->writes) {
        add_slots(slots, size_along(session, npart__node_input(graph, node, 0), -2), finding->out);
        add_window(finding, slots, npart__node_int(graph, node, "local_window_size", 0));
        if (axis == -2 && node->traits->cache.batch == 0)
            add_heads(finding, NPART_NONE, node, &sizes);
    } else {
        uint32_t written = npart__node_input(graph, node, 1);
        add_made(finding, node, written, axis, &sizes);
    }
}

/* Inputs of four axes that attention reads as they are, in a model that has a cache. */
static void add_cross(struct finding *finding)
{
    const struct npart__graph *graph = finding->session->graph;
    struct npart_memory *told = &finding->out->told;
    struct npart__heads heads;
    for (uint32_t i = 0; i < graph->values.count && told->cache_tensor_count; i++) {
        const struct npart__fact *fact = npart__fact_of(finding->session->known, i);
        if (!is_fed(finding->session, i) || finding->is_seen[i] || !fact->has_rank || fact->rank != 4)
            continue;
        npart__find_heads(finding->session, i, NULL, NULL, &heads);
        if (!heads.tensors)
            continue;
        told->cross_tensors++;
        npart__add_size(&told->cross, npart__value_bytes(finding->request, i, 4));
    }
}

/* The main graph alone: a cache passes through the caller, and what a Loop keeps inside is no input. Linear in
 * operands. */
bool npart__find_cache(const struct npart__memory_request *request, struct npart__arena *scratch,
                       struct npart__memory *out)
{
    const struct npart__session *session = request->session;
    const struct npart__graph *graph = session->graph;
    const struct npart__scope *main_graph = npart__scope_at(graph, 0);
    struct finding finding = {.request = request, .session = session, .out = out, .least = UINT64_MAX};
    finding.is_seen = npart__arena_zeroed(scratch, graph->values.count + (size_t)1, sizeof *finding.is_seen);
    if (!finding.is_seen)
        return false;
    /* In the order of a run, so that the same tensor is met first in the same place each time. */
    for (uint32_t i = 0; i < main_graph->order_count; i++) {
        uint32_t id = graph->order[main_graph->first_order + i];
        const struct npart__node *node = npart__node_at(graph, id);
        if (!npart__is_live(session, id))
            continue;
        const struct npart__traits *traits = node->traits;
        bool is_concat = traits->elements == NPART__ELEMENTS_CONCAT;
        uint32_t past = 0; /* what is new may be an input, too */
        uint32_t fed = NPART_NONE;
        while (is_concat && past < node->input_count && !is_fed(session, fed))
            fed = codes_of(graph, past_joining_nothing(session, npart__node_input(graph, node, past++)));
        if (is_fed(session, fed) && is_handed_back(graph, node, fed))
            add_joined(&finding, node, fed);
        if (traits->writes && !traits->cache.count)
            add_written(&finding, node);
        for (uint32_t k = 0; k < traits->cache.count; k++)
            add_operand(&finding, node, k);
    }
    tell_attention(&finding);
    add_cross(&finding);
    return true;
}
