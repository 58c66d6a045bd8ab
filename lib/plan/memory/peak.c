/* SPDX-License-Identifier: Apache-2.0
 *
 * The largest sum of bytes that are held at once while steps run one after the other.
 *
 * A flow is walked over three times: to count uses, to give each value a buffer, and to add up. Which buffer a value
 * has is decided as ONNX Runtime does (core/framework/allocation_planner.cc): the operand's for a view; the operand's
 * where the operator works in place and this is the last use of the buffer; the one that became free last among those
 * of the same shape; else a new one. A buffer that is taken again is held in between, too. Outputs are never part of
 * that: they have memory of their own. Inside a partition the compiler knows all lifetimes, and nothing is held for
 * the sake of its shape.
 *
 * In x -> Conv a -> Relu b -> Conv c, all of 1 MB, c the output, a and b are one buffer, and the peak is 2 MB.
 */
#include <math.h>

#include "memory/memory.h"

#define MOST_FILLED 1024.0 /* channels */

/* Buffers of one shape that are free, the last one first; of another flow than the one at hand it is empty. So
 * nothing has to be cleared between flows: the number tells. */
struct free_list {
    uint32_t flow, first;
};

/* What goes after a step, and how many buffers among it are of no known size. */
struct freed {
    uint64_t bytes;
    uint32_t unknown;
};

/* Arrays are as long as the graph and shared by all flows; flow_of says which entries are of the flow at hand.
 * Of `root`, `uses`, `last` and `next_free` an entry is written before it is read in each flow, so they need no
 * clearing. */
struct npart__peaks {
    const struct npart__memory_request *request;
    const struct npart__graph *graph;
    struct npart__arena *arena;
    unsigned float32_bytes; /* of the NPU */
    uint32_t flow;          /* the number of the flow at hand */
    uint8_t *buffer_of;     /* by interned op of ai.onnx: one more than the buffer; 0: not looked up */
    uint32_t *flow_of;      /* by value: the last flow that makes it */
    uint32_t *root;         /* by value: the first value of its buffer; NPART_NONE: it has one from outside */
    uint32_t *uses;         /* by value, of its buffer: those to come */
    uint32_t *last;         /* by value, of its buffer: the step after which it is free */
    uint32_t *next_free;    /* by value */
    struct freed *freed;    /* by step */
    struct npart_bytes *bodies; /* by scope: what a body takes at its peak */
    struct npart__strings shapes;
    struct NPART__ARRAY(struct free_list) lists; /* by shape */
};

/* ---- steps ------------------------------------------------------------------------------------------------- */

/* What a step uses, or makes: a slice of ids. An operand may be NPART_NONE where it is left out. */
struct ids {
    const uint32_t *items, *more; /* the second are captures */
    uint32_t count, more_count;
};

/* Ids from the number of nodes on are partitions (npart__flow). */
static bool is_partition(const struct npart__peaks *at, uint32_t step)
{
    return step >= at->graph->nodes.count;
}

/* Of a partition what passes its border; of a node its operands with captures, or its results. What stays inside
 * a partition does not exist for the CPU. */
static struct ids ids_of(const struct npart__peaks *at, uint32_t step, bool made)
{
    const uint32_t *operands = at->graph->operands.items;
    if (is_partition(at, step)) {
        const struct npart__partitioning *all = at->request->partitioning;
        const struct npart__partition *partition = &all->partitions.items[step - at->graph->nodes.count];
        return made ? (struct ids){NPART__FROM(&all->lists, partition->first_output), NULL, partition->output_count, 0}
                    : (struct ids){NPART__FROM(&all->lists, partition->first_input), NULL, partition->input_count, 0};
    }
    const struct npart__node *node = npart__node_at(at->graph, step);
    return made ? (struct ids){operands + node->first_output, NULL, node->output_count, 0}
                : (struct ids){operands + node->first_input, operands + node->first_capture, node->input_count,
                               node->capture_count};
}

/* NPART_NONE: left out, or not made in the flow at hand. What comes from outside (inputs, constants, other flows)
 * takes nothing here. */
static uint32_t id_at(const struct npart__peaks *at, const struct ids *ids, uint32_t index)
{
    uint32_t value = index < ids->count ? ids->items[index] : ids->more[index - ids->count];
    return value != NPART_NONE && at->flow_of[value] == at->flow ? value : NPART_NONE;
}

/* In one artefact a border is a tensor like others: an input is held up to its last use, an output from where it is
 * made to the end. Asked before uses are counted. */
static bool is_one_arena(const struct npart__peaks *at, const struct npart__flow *flow)
{
    const struct npart__parameter *one = at->request->parameters[NPART__PARAMETER_ONE_ARENA];
    return flow->partition != NPART_NONE && one && one->typical > 0;
}

/* On the NPU these two have no tensor of their own (see memory.h). */
static bool is_coding(const struct npart__peaks *at, const struct npart__node *node)
{
    return npart__node_plays(at->graph, node, NPART__ROLE_QUANTIZES) ||
           npart__node_plays(at->graph, node, NPART__ROLE_DEQUANTIZES);
}

/* What others than a partition's nodes make or use, be it past a DequantizeLinear. `stored` is what it is held as. */
static bool is_border(const struct npart__peaks *at, uint32_t partition, uint32_t value, uint32_t stored)
{
    const struct npart__session *session = at->request->session;
    const uint32_t *partition_of = at->request->partitioning->partition_of;
    uint32_t producer = npart__producer(at->graph, value), count = npart__user_count(session, stored);
    bool is = producer == NPART_NONE || partition_of[producer] != partition || count == 0;
    for (uint32_t i = 0; i < count && !is; i++) {
        uint32_t user = npart__user(session, stored, i);
        const struct npart__node *node = npart__node_at(at->graph, user);
        uint32_t last = is_coding(at, node) ? npart__node_output(at->graph, node, 0) : stored;
        is = partition_of[user] != partition || npart__value_at(at->graph, last)->is_graph_output;
    }
    return is;
}

/* Channels of an image inside one artefact are filled up to the list's number; what comes in or goes out is as the file
 * has it. 24 channels filled up to 16 are 32. */
static struct npart_bytes in_arena(const struct npart__peaks *at, uint32_t partition, uint32_t value)
{
    int64_t tile = (int64_t)fmin(at->request->parameters[NPART__PARAMETER_ONE_ARENA]->typical, MOST_FILLED);
    uint32_t stored = npart__stored_value(at->request->session, value);
    struct npart_bytes bytes = npart__held_bytes(at->request, partition, stored, at->float32_bytes);
    const struct npart__fact *fact = npart__fact_of(at->request->session->inference, value);
    int64_t channels = fact->has_rank && fact->rank == 4 && npart__is_number(fact->dims[1]) ? fact->dims[1] : 0;
    if (tile > 1 && channels > 0 && !is_border(at, partition, value, stored))
        bytes.bytes += bytes.bytes / (uint64_t)channels * (uint64_t)((tile - channels % tile) % tile);
    return bytes;
}

/* The CPU holds floats as they are. In one artefact only what is quantized is handed over. */
static struct npart_bytes bytes_of(const struct npart__peaks *at, const struct npart__flow *flow, uint32_t value)
{
    if (flow->partition == NPART_NONE)
        return npart__value_bytes(at->request, value, 4);
    if (!is_one_arena(at, flow))
        return npart__held_bytes(at->request, flow->partition, value, at->float32_bytes);
    return in_arena(at, flow->partition, value);
}

/* ---- buffers ----------------------------------------------------------------------------------------------- */

/* What a result may share with the first operand. On the CPU by what the runtime was seen to do (operators.table);
 * on the NPU by class of work, as no compiler's list is known. Results after the first always have a buffer of
 * their own, and so have those of other domains. */
static enum npart__result_buffer buffer_of(const struct npart__peaks *at, const struct npart__flow *flow, uint32_t step,
                                    uint32_t index)
{
    if (is_partition(at, step) || index > 0)
        return NPART__BUFFER_OWN;
    const struct npart__node *node = npart__node_at(at->graph, step);
    if (flow->partition != NPART_NONE && is_coding(at, node))
        return NPART__BUFFER_VIEW;
    enum npart_work_class class = at->request->works->items[step].class;
    if (flow->partition != NPART_NONE && (class == NPART_WORK_ELEMENTWISE || class == NPART_WORK_FUNCTION))
        return NPART__BUFFER_PLACE;
    if (node->domain != 0)
        return NPART__BUFFER_OWN;
    uint8_t *buffer = &at->buffer_of[node->op_type];
    if (!*buffer)
        *buffer = (uint8_t)(node->traits->buffer + 1u);
    return (enum npart__result_buffer)(*buffer - 1u);
}

/* A product with a bias is run by ONNX Runtime as a Gemm between Reshapes, whose result has two axes. The buffer
 * that is looked for has that shape then: [128,768] for a result of [1,128,768]. */
static bool is_flattened(const struct npart__peaks *at, uint32_t value)
{
    uint32_t producer = npart__producer(at->graph, value);
    return producer != NPART_NONE && at->request->session->remade[producer] == NPART__REMADE_RESHAPED_PRODUCT;
}

/* A number for the element size and the shape of a value, the same for equal ones; 0 where a buffer of that
 * shape is not looked for, NPART_NONE when out of memory. Dims that are symbols are equal where their handles
 * are, as the runtime compares their names. 0 is the number of the empty text, which no key has. Two types of
 * one size may share: what counts is how many bytes a buffer has. */
static uint32_t shape_of(struct npart__peaks *at, uint32_t value)
{
    const struct npart__fact *fact = npart__fact_of(at->request->session->inference, value);
    int64_t key[NPART__LIMIT_RANK + 1];
    uint64_t elements;
    if (!fact->has_rank || fact->rank == 0 || npart__type_bits(fact->element_type) == 0)
        return 0;
    size_t rank = fact->rank;
    key[0] = npart__type_bits(fact->element_type);
    memcpy(key + 1, fact->dims, rank * sizeof *key);
    if (rank > 2 && is_flattened(at, value) && npart__static_elements(fact, &elements) && fact->dims[rank - 1] > 0) {
        key[2] = fact->dims[rank - 1];
        key[1] = (int64_t)(elements / (uint64_t)key[2]);
        rank = 2;
    }
    uint32_t shape = npart__intern(&at->shapes, (const char *)key, (rank + 1) * sizeof *key, true);
    while (shape != NPART_NONE && at->lists.count <= shape)
        if (!NPART__PUSH(at->arena, &at->lists, ((struct free_list){0, NPART_NONE})))
            return NPART_NONE;
    if (shape != NPART_NONE && at->lists.items[shape].flow != at->flow)
        at->lists.items[shape] = (struct free_list){at->flow, NPART_NONE};
    return shape;
}

/* The buffer that has no more uses after a step. Newest first, as the runtime's list is. Inside a partition no
 * list is kept. */
static bool release(struct npart__peaks *at, const struct npart__flow *flow, uint32_t buffer, uint32_t step)
{
    at->last[buffer] = step;
    if (flow->partition != NPART_NONE)
        return true;
    uint32_t shape = shape_of(at, buffer);
    if (shape == NPART_NONE)
        return false;
    if (shape > 0) {
        at->next_free[buffer] = at->lists.items[shape].first;
        at->lists.items[shape].first = buffer;
    }
    return true;
}

/* The buffer is in use again until all uses of the value are over. Of a view of something from outside there is
 * nothing to count. */
static void share(struct npart__peaks *at, uint32_t value, uint32_t buffer)
{
    at->root[value] = buffer;
    if (buffer == NPART_NONE)
        return;
    at->uses[buffer] += at->uses[value];
    at->last[buffer] = NPART_NONE;
}

/* Gives the result of a step a buffer. False when out of memory. The order of the questions is the runtime's: an
 * output, a view, in place, a free buffer, a new one. */
static bool place(struct npart__peaks *at, const struct npart__flow *flow, uint32_t step, uint32_t index,
                  uint32_t value)
{
    bool is_inside = flow->partition != NPART_NONE;
    if (npart__value_at(at->graph, value)->is_graph_output && !is_inside)
        return true;
    enum npart__result_buffer where = buffer_of(at, flow, flow->steps[step], index);
    bool is_own = where == NPART__BUFFER_OWN || where == NPART__BUFFER_TWICE;
    struct ids operands = ids_of(at, flow->steps[step], false);
    uint32_t operand = !is_own && operands.count ? operands.items[0] : NPART_NONE;
    bool is_made_here = operand != NPART_NONE && at->flow_of[operand] == at->flow;
    uint32_t buffer = is_made_here ? at->root[operand] : NPART_NONE;
    if (operand != NPART_NONE && where == NPART__BUFFER_VIEW) {
        share(at, value, buffer);
        return true;
    }
    /* The one use that is left is this node's own. */
    if (buffer != NPART_NONE && at->uses[buffer] == 1) {
        struct npart_bytes has = bytes_of(at, flow, buffer), needs = bytes_of(at, flow, value);
        if (!has.is_partial && !needs.is_partial && has.bytes == needs.bytes) {
            share(at, value, buffer);
            return true;
        }
    }
    uint32_t shape = is_inside ? 0 : shape_of(at, value);
    if (shape == NPART_NONE)
        return false;
    if (shape > 0 && at->lists.items[shape].first != NPART_NONE) {
        buffer = at->lists.items[shape].first;
        at->lists.items[shape].first = at->next_free[buffer];
        share(at, value, buffer);
    }
    return true;
}

/* Counts down what a step has used, and frees what is not used any more. False when out of memory. */
static bool finish_uses(struct npart__peaks *at, const struct npart__flow *flow, uint32_t step)
{
    for (int made = 0; made < 2; made++) {
        struct ids ids = ids_of(at, flow->steps[step], made);
        for (uint32_t k = 0; k < ids.count + ids.more_count; k++) {
            uint32_t value = id_at(at, &ids, k), buffer = value == NPART_NONE ? NPART_NONE : at->root[value];
            /* Each result counts as used by its own node, so that an unused one is free after it. */
            if (buffer != NPART_NONE && --at->uses[buffer] == 0 && !release(at, flow, buffer, step))
                return false;
        }
    }
    return true;
}

/* ---- a flow ------------------------------------------------------------------------------------------------ */

/* Operands are counted only where a node before makes them: nodes come in order. A value is used once by each
 * operand that names it, and once by the step that makes it. */
static void count_uses(struct npart__peaks *at, const struct npart__flow *flow)
{
    for (uint32_t s = 0; s < flow->count; s++) {
        struct ids made = ids_of(at, flow->steps[s], true), used = ids_of(at, flow->steps[s], false);
        for (uint32_t k = 0; k < used.count + used.more_count; k++) {
            uint32_t value = id_at(at, &used, k);
            if (value != NPART_NONE)
                at->uses[value]++;
        }
        for (uint32_t k = 0; k < made.count; k++) {
            uint32_t value = made.items[k];
            if (value == NPART_NONE)
                continue;
            at->flow_of[value] = at->flow;
            at->root[value] = value;
            at->uses[value] = 1;
            at->last[value] = NPART_NONE;
            /* What leaves the graph is kept: no use here is its last. */
            if (flow->partition == NPART_NONE)
                at->uses[value] += npart__value_at(at->graph, value)->is_graph_output;
        }
    }
}

/* A partition's bodies are in it: the CPU holds nothing for them. */
struct npart_bytes npart__bodies_peak(const struct npart__peaks *at, uint32_t step)
{
    struct npart_bytes most = {0, false};
    if (is_partition(at, step))
        return most;
    const struct npart__node *node = npart__node_at(at->graph, step);
    for (uint32_t b = 0; b < node->body_count; b++) {
        struct npart_bytes body = at->bodies[node->first_body + b];
        most.bytes = body.bytes > most.bytes ? body.bytes : most.bytes;
        most.is_partial |= body.is_partial;
    }
    return most;
}

/* What ONNX Runtime's kernel needs besides, while it runs. Of partitions it is not known. */
static struct npart_bytes scratch_of(const struct npart__peaks *at, const struct npart__flow *flow, uint32_t step)
{
    uint32_t result = npart__node_output(at->graph, npart__node_at(at->graph, step), 0);
    if (result != NPART_NONE && buffer_of(at, flow, step, 0) == NPART__BUFFER_TWICE)
        return bytes_of(at, flow, result);
    return (struct npart_bytes){npart__kernel_scratch(at->request, step), false};
}

static void open_borders(struct npart__peaks *at, const struct npart__flow *flow)
{
    struct ids inputs = ids_of(at, at->graph->nodes.count + flow->partition, false);
    for (uint32_t k = 0; k < inputs.count; k++) {
        at->flow_of[inputs.items[k]] = at->flow;
        at->root[inputs.items[k]] = inputs.items[k];
        at->uses[inputs.items[k]] = 0;
        at->last[inputs.items[k]] = NPART_NONE;
    }
}

static void keep_outputs(struct npart__peaks *at, const struct npart__flow *flow)
{
    struct ids outputs = ids_of(at, at->graph->nodes.count + flow->partition, true);
    for (uint32_t k = 0; k < outputs.count; k++)
        at->uses[outputs.items[k]]++;
}

/* From now on, up to the last step that uses the buffer. */
static void hold(struct npart__peaks *at, const struct npart__flow *flow, uint32_t value, uint64_t *live,
                 uint32_t *unknown)
{
    struct npart_bytes bytes = bytes_of(at, flow, value);
    *live += bytes.bytes;
    *unknown += bytes.is_partial;
    if (at->last[value] != NPART_NONE) {
        at->freed[at->last[value]].bytes += bytes.bytes;
        at->freed[at->last[value]].unknown += bytes.is_partial;
    }
}

/* Bytes are added with the result and taken away after the last step that uses the buffer; a buffer that is
 * shared counts with the value that had it first. *where is the first step at which the largest sum is reached.
 * Borders of a partition are in *out from the beginning. `unknown` counts buffers, so that a sum is whole again
 * when the last of unknown size is gone. */
static void add_up(struct npart__peaks *at, const struct npart__flow *flow, struct npart_bytes *out, uint32_t *where)
{
    memset(at->freed, 0, (flow->count + (size_t)1) * sizeof *at->freed);
    uint64_t live = out->bytes;
    uint32_t unknown = out->is_partial; /* buffers that are there and of no known size */
    struct ids before = is_one_arena(at, flow) ? ids_of(at, at->graph->nodes.count + flow->partition, false)
                                               : (struct ids){.count = 0};
    for (uint32_t k = 0; k < before.count; k++)
        hold(at, flow, before.items[k], &live, &unknown);
    for (uint32_t s = 0; s < flow->count; s++) {
        struct ids made = ids_of(at, flow->steps[s], true);
        for (uint32_t k = 0; k < made.count; k++) {
            uint32_t value = made.items[k];
            if (value != NPART_NONE && at->root[value] == value)
                hold(at, flow, value, &live, &unknown);
        }
        struct npart_bytes now = {live, unknown > 0};
        npart__add_size(&now, npart__bodies_peak(at, flow->steps[s]));
        if (flow->partition == NPART_NONE && !is_partition(at, flow->steps[s]))
            npart__add_size(&now, scratch_of(at, flow, flow->steps[s]));
        if (now.bytes > out->bytes || *where == NPART_NONE) {
            out->bytes = now.bytes;
            *where = flow->steps[s];
        }
        out->is_partial |= now.is_partial;
        if (flow->held)
            flow->held[s] = now;
        live -= at->freed[s].bytes;
        unknown -= at->freed[s].unknown;
    }
}

/* A partition's borders are there while it runs: its inputs, and its outputs from the beginning. */
static void hold_borders(struct npart__peaks *at, const struct npart__flow *flow, struct npart_bytes *sum)
{
    for (int is_made = 0; is_made < 2; is_made++) {
        struct ids border = ids_of(at, at->graph->nodes.count + flow->partition, is_made);
        for (uint32_t k = 0; k < border.count; k++) {
            npart__add_size(sum, bytes_of(at, flow, border.items[k]));
            if (is_made)
                at->root[border.items[k]] = NPART_NONE; /* no buffer of the flow's own */
        }
    }
}

/* In one artefact, where the compiler gives each buffer a place: *out is what these take, and no sum. */
static bool place_all(struct npart__peaks *at, const struct npart__flow *flow, struct npart_bytes *out)
{
    struct NPART__ARRAY(struct npart__buffer_life) lives = {0};
    struct npart__arena scratch;
    bool is_well = true;
    npart__arena_init(&scratch, &at->arena->allocator);
    for (uint32_t s = 0; s <= flow->count && is_well; s++) {
        struct ids made = s ? ids_of(at, flow->steps[s - 1], true)
                            : ids_of(at, at->graph->nodes.count + flow->partition, false);
        for (uint32_t k = 0; k < made.count && is_well; k++) {
            uint32_t value = id_at(at, &made, k);
            if (value == NPART_NONE || at->root[value] != value)
                continue;
            uint32_t last = at->last[value] == NPART_NONE ? flow->count : at->last[value] + 1;
            is_well = NPART__PUSH(&scratch, &lives,
                                  ((struct npart__buffer_life){bytes_of(at, flow, value).bytes, 0, s, last}));
        }
    }
    is_well = is_well &&
              npart__place_in_pools(at->request->target, lives.items, lives.count, &scratch, &out->bytes);
    npart__arena_clear(&scratch);
    return is_well;
}

/* Results are placed before the operands of the same step are freed: while a node runs, both are there. */
bool npart__flow_peak(struct npart__peaks *at, const struct npart__flow *flow, struct npart_bytes *out,
                      uint32_t *peak_at)
{
    *out = (struct npart_bytes){0, false};
    *peak_at = NPART_NONE;
    at->flow++;
    if (is_one_arena(at, flow))
        open_borders(at, flow);
    count_uses(at, flow);
    if (is_one_arena(at, flow))
        keep_outputs(at, flow);
    else if (flow->partition != NPART_NONE)
        hold_borders(at, flow, out);
    for (uint32_t s = 0; s < flow->count; s++) {
        struct ids made = ids_of(at, flow->steps[s], true);
        for (uint32_t k = 0; k < made.count; k++) {
            uint32_t value = made.items[k];
            if (value != NPART_NONE && at->root[value] != NPART_NONE && !place(at, flow, s, k, value))
                return false;
        }
        if (!finish_uses(at, flow, s))
            return false;
    }
    add_up(at, flow, out, peak_at);
    return !is_one_arena(at, flow) || out->is_partial || place_all(at, flow, out);
}

/* Of the flow that was asked about last: roots are still those. So a buffer counts once, with the value that had
 * it first. */
struct npart_bytes npart__sum_inside(struct npart__peaks *at, const struct npart__flow *flow)
{
    struct npart_bytes sum = {0, false};
    for (uint32_t s = 0; s < flow->count; s++) {
        struct ids made = ids_of(at, flow->steps[s], true);
        for (uint32_t k = 0; k < made.count; k++)
            if (made.items[k] != NPART_NONE && at->root[made.items[k]] == made.items[k])
                npart__add_size(&sum, bytes_of(at, flow, made.items[k]));
    }
    return sum;
}

/* By scope, as a node's bodies are. */
void npart__set_body_peak(struct npart__peaks *at, uint32_t scope, struct npart_bytes peak)
{
    at->bodies[scope] = peak;
}

/* NULL when out of memory. flow_of is 0 everywhere, and flows are counted from 1: at first nothing is made in
 * any. */
struct npart__peaks *npart__peaks_open(const struct npart__memory_request *request, unsigned float32_bytes,
                                       struct npart__arena *scratch)
{
    const struct npart__graph *graph = request->session->graph;
    size_t values = graph->values.count + (size_t)1;
    struct npart__peaks *at = npart__arena_zeroed(scratch, 1, sizeof *at);
    if (!at)
        return NULL;
    *at = (struct npart__peaks){.request = request, .graph = graph, .arena = scratch, .float32_bytes = float32_bytes};
    at->buffer_of = npart__arena_zeroed(scratch, graph->strings.texts.count + (size_t)1, sizeof *at->buffer_of);
    at->flow_of = npart__arena_zeroed(scratch, values, sizeof *at->flow_of);
    at->root = npart__arena_allocate(scratch, values * sizeof *at->root);
    at->uses = npart__arena_allocate(scratch, values * sizeof *at->uses);
    at->last = npart__arena_allocate(scratch, values * sizeof *at->last);
    at->next_free = npart__arena_allocate(scratch, values * sizeof *at->next_free);
    at->freed = npart__arena_allocate(scratch, (graph->nodes.count + (size_t)1) * sizeof *at->freed);
    at->bodies = npart__arena_zeroed(scratch, graph->scopes.count + (size_t)1, sizeof *at->bodies);
    if (!at->buffer_of || !at->flow_of || !at->root || !at->uses || !at->last || !at->next_free || !at->freed ||
        !at->bodies || !npart__strings_init(&at->shapes, scratch))
        return NULL;
    return at;
}
