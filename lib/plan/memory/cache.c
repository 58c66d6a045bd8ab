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

/* What a run reads of the cache, and adds to it. */
static void add_slots(int64_t slots, int64_t tokens, struct npart__memory *out)
{
    if (slots > 0 && tokens > 0 && tokens <= slots && tokens <= UINT32_MAX) {
        out->told.cache_slots = out->told.cache_slots > (uint64_t)slots ? out->told.cache_slots : (uint64_t)slots;
        out->told.run_tokens = out->told.run_tokens > (uint32_t)tokens ? out->told.run_tokens : (uint32_t)tokens;
    }
}

/* `axis` may count from the end. A tensor counts once however many operators take it. What is not known counts
 * as a tensor of unknown size, so the sum is told as a lower bound. Rank 3 at least, since a list of numbers
 * that grows is no cache. False of what is none, or was counted before. */
static bool add_tensor(const struct npart__memory_request *request, uint32_t value, int64_t axis, uint32_t batch,
                       bool *is_seen, struct npart__memory *out)
{
    const struct npart__fact *fact = npart__fact_of(request->session->known, value);
    uint32_t tokens;
    uint64_t elements = 1;
    bool is_known = fact->has_rank && fact->rank > 2 && npart__normalize_axis(axis, fact->rank, &tokens);
    if (!is_known || tokens == batch || is_seen[value])
        return false; /* a list of numbers, or a larger batch */
    is_seen[value] = true;
    for (uint32_t i = 0; is_known && i < fact->rank; i++)
        if (i != tokens && i != batch)
            is_known = npart__is_number(fact->dims[i]) && fact->dims[i] >= 0 &&
                       npart__multiply_uint64(elements, (uint64_t)fact->dims[i], &elements);
    /* Types of less than a byte are packed; a type without a size is no tensor of numbers. */
    unsigned bits = npart__type_bits(fact->element_type);
    uint64_t bytes = bits ? npart__type_bytes(fact->element_type, elements) : UINT64_MAX;
    is_known = is_known && bytes <= NPART__LIMIT_TENSOR_BYTES;
    npart__add_size(&out->told.cache_per_token, (struct npart_bytes){is_known ? bytes : 0, !is_known});
    out->told.cache_tensor_count++;
    return true;
}

/* An attribute of another type than the standard's counts as not given. */
static int64_t axis_of(const struct npart__graph *graph, const struct npart__node *node, int64_t by_default)
{
    const struct npart__attribute *axis = npart__node_attribute(graph, node, "axis");
    return axis && axis->type == NPART_ATTRIBUTE_INT ? axis->u.i : by_default;
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

static void add_joined(const struct npart__memory_request *request, const struct npart__node *node, uint32_t fed,
                       bool *is_seen, struct npart__memory *out)
{
    const struct npart__session *session = request->session;
    int64_t axis = axis_of(session->graph, node, 0), past = size_along(session, fed, axis);
    int64_t slots = size_along(session, npart__node_output(session->graph, node, 0), axis);
    if (add_tensor(request, fed, axis, 0, is_seen, out) && past >= 0)
        add_slots(slots, slots - past, out);
}

/* What is written into it has its rank. */
static void add_written(const struct npart__memory_request *request, const struct npart__node *node, bool *is_seen,
                        struct npart__memory *out)
{
    const struct npart__session *session = request->session;
    const struct npart__graph *graph = session->graph;
    uint32_t first = npart__node_input(graph, node, 0), written = npart__node_input(graph, node, 1);
    int64_t axis = axis_of(graph, node, node->traits->writes_axis);
    if (is_fed(session, first) && is_output(graph, npart__node_output(graph, node, 0)) &&
        add_tensor(request, first, axis, 0, is_seen, out))
        add_slots(size_along(session, first, axis), size_along(session, written, axis), out);
}

/* An operator that takes it gives it back after its first result, and its first operand has new tokens before the last
 * axis: of com.microsoft's attention. */
static void add_operand(const struct npart__memory_request *request, const struct npart__node *node, uint32_t index,
                        bool *is_seen, struct npart__memory *out)
{
    const struct npart__session *session = request->session;
    const struct npart__graph *graph = session->graph;
    uint32_t value = npart__node_input(graph, node, node->traits->cache.first + index);
    int64_t axis = axis_of(graph, node, -2);
    if (is_fed(session, value) && add_tensor(request, value, axis, node->traits->cache.batch, is_seen, out) &&
        !node->traits->writes)
        add_slots(size_along(session, npart__node_output(graph, node, 1 + index), axis),
                  size_along(session, npart__node_input(graph, node, 0), -2), out);
}

/* The main graph alone: a cache passes through the caller, and what a Loop keeps inside is no input. Linear in
 * operands. */
bool npart__find_cache(const struct npart__memory_request *request, struct npart__arena *scratch,
                       struct npart__memory *out)
{
    const struct npart__session *session = request->session;
    const struct npart__graph *graph = session->graph;
    const struct npart__scope *main_graph = npart__scope_at(graph, 0);
    bool *is_seen = npart__arena_zeroed(scratch, graph->values.count + (size_t)1, sizeof *is_seen);
    if (!is_seen)
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
            add_joined(request, node, fed, is_seen, out);
        if (traits->writes && !traits->cache.count)
            add_written(request, node, is_seen, out);
        for (uint32_t k = 0; k < traits->cache.count; k++)
            add_operand(request, node, k, is_seen, out);
    }
    return true;
}
