/* SPDX-License-Identifier: Apache-2.0
 *
 * Weights, and the three peaks.
 */
#include "memory/memory.h"

/* ---- sizes ------------------------------------------------------------------------------------------------- */

/* Each addend is at most NPART__LIMIT_TENSOR_BYTES, so sums do not wrap. It would take 2^26 tensors of that
 * size. */
void npart__add_size(struct npart_bytes *sum, struct npart_bytes more)
{
    sum->bytes += more.bytes;
    sum->is_partial |= more.is_partial;
}

/* FLOAT counts as the list says that it is held; other types are held as they are. A tensor of 2^38 bytes (256 GB)
 * or more is none that a device holds: its size counts as not known. */
struct npart_bytes npart__value_bytes(const struct npart__memory_request *request, uint32_t value,
                                       unsigned float32_bytes)
{
    const struct npart__fact *fact = npart__fact_of(request->session->known, value);
    uint64_t elements, bytes = UINT64_MAX;
    if (npart__type_bits(fact->element_type) && npart__static_elements(fact, &elements))
        bytes = npart__type_bytes(fact->element_type, elements);
    if (bytes > NPART__LIMIT_TENSOR_BYTES)
        return (struct npart_bytes){0, true};
    bool is_float32 = fact->element_type == NPART__FLOAT;
    return (struct npart_bytes){is_float32 ? bytes / 4 * float32_bytes : bytes, false};
}

/* A float tensor that is quantized by its only user never exists as floats on the NPU, as the compiler makes one
 * operator of the two. Where the graph hands it out, or another partition quantizes it, it does. In Conv ->
 * QuantizeLinear to uint8, both in one partition, the Conv's result takes a byte an element, not four. */
struct npart_bytes npart__held_bytes(const struct npart__memory_request *request, uint32_t partition, uint32_t value,
                                      unsigned float32_bytes)
{
    const struct npart__graph *graph = request->session->graph;
    if (npart__user_count(request->session, value) == 1 && !npart__value_at(graph, value)->is_graph_output) {
        uint32_t user = npart__user(request->session, value, 0);
        const struct npart__node *node = npart__node_at(graph, user);
        uint32_t result = npart__node_output(graph, node, 0);
        if (result != NPART_NONE && npart__node_plays(graph, node, NPART__ROLE_QUANTIZES) &&
            request->partitioning->partition_of[user] == partition)
            value = result;
    }
    return npart__value_bytes(request, value, float32_bytes);
}

/* ---- weights ----------------------------------------------------------------------------------------------- */

struct weights {
    const struct npart__memory_request *request;
    uint32_t *seen_by; /* by value: the partition that has it counted; the CPU is one more than there are */
    uint32_t *first_part, *next_part; /* by node of the file: what is fused into it */
    uint32_t *source;                 /* by value: what it is, past each Identity */
    unsigned float32_bytes;
};

/* seen_by has the last side that counted a value, and sides come one after the other: no set for each is needed.
 * A weight in two partitions is held in both. On the CPU a float is 4 bytes; on the NPU as the list says. */
static void add_constants(struct weights *at, const struct npart__graph *graph, uint32_t id, uint32_t side,
                          struct npart_bytes *sum)
{
    const struct npart__node *node = npart__node_at(graph, id);
    bool is_cpu = side == at->request->partitioning->partitions.count;
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        uint32_t value = npart__node_use(graph, node, k);
        if (value == NPART_NONE || !at->request->session->is_constant[value])
            continue;
        value = at->source[value];
        if (at->seen_by[value] == side)
            continue;
        at->seen_by[value] = side;
        npart__add_size(sum, npart__value_bytes(at->request, value, is_cpu ? 4 : at->float32_bytes));
    }
}

/* Constants that a node uses, and what is fused into it, each once for a side. What was fused has operands in the
 * file's graph only; copies have nothing fused into them. */
static void add_weights(struct weights *at, uint32_t id, uint32_t side, struct npart_bytes *sum)
{
    const struct npart__session *session = at->request->session;
    add_constants(at, session->graph, id, side, sum);
    if (npart__is_copy(session->graph, id))
        return;
    for (uint32_t part = at->first_part[id]; part != NPART_NONE; part = at->next_part[part])
        add_constants(at, session->file, part, side, sum);
}

/* Lists by what they are fused into, in the order of the file: built from the last on. */
static bool list_parts(struct weights *at, struct npart__arena *scratch)
{
    const struct npart__session *session = at->request->session;
    size_t nodes = session->file->nodes.count + (size_t)1;
    at->first_part = npart__arena_allocate(scratch, nodes * sizeof *at->first_part);
    at->next_part = npart__arena_allocate(scratch, nodes * sizeof *at->next_part);
    if (!at->first_part || !at->next_part)
        return false;
    memset(at->first_part, 0xff, nodes * sizeof *at->first_part);
    for (uint32_t i = session->file->nodes.count; i-- > 0;) {
        uint32_t into = npart__fused_into(session, i);
        if (into == NPART_NONE)
            continue;
        at->next_part[i] = at->first_part[into];
        at->first_part[into] = i;
    }
    return true;
}

/* Exporters write a weight that several layers share once, and hand it to each by an Identity. Nodes come in
 * order, so one step is enough for a chain of them. */
static void find_sources(struct weights *at)
{
    const struct npart__graph *file = at->request->session->file;
    for (uint32_t v = 0; v < at->request->session->graph->values.count; v++)
        at->source[v] = v;
    for (uint32_t i = 0; i < file->order_count; i++) {
        const struct npart__node *node = npart__node_at(file, file->order[i]);
        uint32_t from = npart__node_input(file, node, 0), to = npart__node_output(file, node, 0);
        if (from != NPART_NONE && to != NPART_NONE && npart__comes_from(node, NPART__WAY(ON)))
            at->source[to] = at->source[from];
    }
}

/* Every node is looked at once, and what is fused into it with it, so linear in operands. False when out of
 * memory. */
static bool count_weights(const struct npart__memory_request *request, unsigned float32_bytes,
                          struct npart__arena *scratch, struct npart__memory *out)
{
    const struct npart__session *session = request->session;
    const struct npart__partitioning *all = request->partitioning;
    size_t values = session->graph->values.count + (size_t)1;
    struct weights at = {.request = request, .float32_bytes = float32_bytes};
    at.seen_by = npart__arena_allocate(scratch, values * sizeof *at.seen_by);
    at.source = npart__arena_allocate(scratch, values * sizeof *at.source);
    if (!at.seen_by || !at.source || !list_parts(&at, scratch))
        return false;
    find_sources(&at);
    /* All bits set: no side. There are never so many partitions. */
    memset(at.seen_by, 0xff, values * sizeof *at.seen_by);
    for (uint32_t p = 0; p < all->partitions.count; p++) {
        const struct npart__partition *partition = &all->partitions.items[p];
        for (uint32_t i = 0; i < partition->member_count; i++)
            add_weights(&at, all->lists.items[partition->first_member + i], p, &out->partitions[p].weights);
        npart__add_size(&out->told.weights_npu, out->partitions[p].weights);
    }
    /* The CPU's side comes last, after all partitions. */
    for (uint32_t i = 0; i < session->graph->order_count; i++) {
        uint32_t id = session->graph->order[i];
        if (npart__is_live(session, id) && all->partition_of[id] == NPART_NONE)
            add_weights(&at, id, all->partitions.count, &out->told.weights_cpu);
    }
    return true;
}

/* int32 and int64 are biases of quantized operators, sizes and indices. What is packed in bytes of some kind has
 * more parameters than elements: how many is not told. Counted are floats of any size and integers of at most 16
 * bits, so 4-bit weights too. 0 means that no number is told. */
static uint64_t count_parameters(const struct npart__graph *graph)
{
    uint64_t parameters = 0, packed = 0;
    for (int type = 1; type < NPART__TYPE_NUMBERS; type++) {
        uint64_t elements = graph->weights_of[type].elements;
        unsigned bits = npart__type_bits(type);
        bool is_plain = npart__type_is_float(type) || (npart__type_is_integer(type) && bits <= 16);
        if (!is_plain)
            continue;
        /* Where most of a model is uint8, that is what it may be: no figure is better than one that is off by two. */
        if (strcmp(npart__type_name(type), "uint8") == 0)
            packed = elements;
        parameters = parameters > UINT64_MAX - elements ? UINT64_MAX : parameters + elements;
    }
    return packed > parameters / 2 ? 0 : parameters;
}

/* Types without weights are left out, so the list has those of the model only. The room is for all types, of
 * which there are few. */
static bool list_types(const struct npart__graph *graph, struct npart__arena *arena, struct npart_memory *out)
{
    struct npart_weight_type *types = npart__arena_zeroed(arena, NPART__TYPE_NUMBERS, sizeof *types);
    out->weight_types = types;
    for (int type = 0; types && type < NPART__TYPE_NUMBERS; type++) {
        const struct npart__weight_sum *sum = &graph->weights_of[type];
        if (sum->bytes)
            types[out->weight_type_count++] =
                (struct npart_weight_type){npart__type_name(type), sum->bytes, sum->elements};
    }
    return types != NULL;
}

/* ---- peaks ------------------------------------------------------------------------------------------------- */

struct run {
    const struct npart__memory_request *request;
    struct npart__peaks *peaks;
    struct npart__arena *scratch;
    uint32_t *order, *place_of, *starts; /* of a region; by node; by step */
    struct npart_bytes *held;           /* by step of the flow at hand */
};

/* A copy has the place of its original, where the larger of both is told. Where one of both is known in part, so
 * is what is told. */
static void hold(const struct run *run, struct npart_bytes *held, uint32_t id, struct npart_bytes bytes)
{
    struct npart_bytes *at = &held[npart__original(run->request->session->graph, id)];
    at->bytes = bytes.bytes > at->bytes ? bytes.bytes : at->bytes;
    at->is_partial |= bytes.is_partial;
}

/* All members of a partition hold on the CPU what it does while the partition runs: from outside it is one step. */
static void hold_steps(const struct run *run, const struct npart__flow *flow, struct npart_bytes *held)
{
    const struct npart__partitioning *all = run->request->partitioning;
    uint32_t nodes = run->request->session->graph->nodes.count;
    for (uint32_t s = 0; s < flow->count; s++) {
        uint32_t step = flow->steps[s];
        const struct npart__partition *partition = step < nodes ? NULL : &all->partitions.items[step - nodes];
        for (uint32_t k = 0; partition && k < partition->member_count; k++)
            hold(run, held, all->lists.items[partition->first_member + k], run->held[s]);
        if (!partition)
            hold(run, held, step, run->held[s]);
    }
}

/* While a body runs, what is outside of it is there, too: what its holder holds without it. A holder in a partition has
 * its bodies in there, with those of the nodes in them, and the CPU holds what it does while the partition runs.
 * Holders come before their bodies. False when out of memory. */
static bool hold_outside(const struct run *run, struct npart__memory *out)
{
    const struct npart__session *session = run->request->session;
    const struct npart__graph *graph = session->graph;
    bool *is_inside = npart__arena_zeroed(run->scratch, graph->scopes.count + (size_t)1, sizeof *is_inside);
    for (uint32_t s = 1; is_inside && s < graph->scopes.count; s++) {
        const struct npart__scope *scope = npart__scope_at(graph, s);
        if (scope->region != s || scope->kind != NPART_GRAPH_BODY || !npart__is_live(session, scope->node))
            continue;
        struct npart_bytes outside = out->held_cpu[scope->node];
        is_inside[s] = run->request->partitioning->partition_of[scope->node] != NPART_NONE ||
                       is_inside[npart__node_region(graph, scope->node)];
        if (!is_inside[s])
            outside.bytes -= npart__bodies_peak(run->peaks, scope->node).bytes;
        for (uint32_t i = 0; i < scope->order_count; i++) {
            uint32_t id = graph->order[scope->first_order + i];
            if (npart__is_copy(graph, id))
                continue;
            if (is_inside[s])
                out->held_cpu[id] = outside;
            else
                npart__add_size(&out->held_cpu[id], outside);
        }
    }
    return is_inside != NULL;
}

/* The whole model on the CPU. Bodies have larger ids than what holds them. So from the last scope to the first:
 * what a body takes is known when its holder is asked. What remains in the end is the main graph's, scope 0, with its
 * bodies on top. */
static bool find_whole(struct run *run, struct npart__whole_memory *out)
{
    const struct npart__graph *graph = run->request->session->graph;
    for (uint32_t s = graph->scopes.count; !out->is_found && s-- > 0;) {
        struct npart__flow flow = {.steps = run->order, .partition = NPART_NONE};
        if (npart__scope_at(graph, s)->region != s)
            continue;
        /* The order that the runtime chooses is its own (lib/analysis/session), and takes memory for the walk only. */
        struct npart__arena walk;
        npart__arena_init(&walk, &run->scratch->allocator);
        bool is_ordered =
            npart__order_of_runtime(run->request->session, s, run->place_of, &walk, run->order, &flow.count);
        npart__arena_clear(&walk);
        if (!is_ordered || !npart__flow_peak(run->peaks, &flow, &out->peak, &out->at))
            return false;
        npart__set_body_peak(run->peaks, s, out->peak);
    }
    out->is_found = true;
    return true;
}

/* The same in the plan's steps, the nodes of a partition as one step. Members of a partition stand together in
 * a step's order, so each is noted once, where it begins. Peaks of bodies are set anew: in the plan a body may
 * have partitions of its own. */
static bool find_cpu(struct run *run, struct npart__memory *out)
{
    const struct npart__graph *graph = run->request->session->graph;
    const uint32_t *partition_of = run->request->partitioning->partition_of;
    const struct npart__partition *all = run->request->partitioning->partitions.items;
    uint32_t at;
    for (uint32_t s = graph->scopes.count; s-- > 0;) {
        struct npart__flow flow = {.steps = run->order, .partition = NPART_NONE, .held = run->held};
        if (npart__scope_at(graph, s)->region != s)
            continue;
        uint32_t count = npart__order_of_steps(graph, run->request->partitioning, s, run->starts, run->order);
        for (uint32_t i = 0, before = NPART_NONE; i < count; i++) {
            uint32_t id = run->order[i], partition = partition_of[id];
            if (partition == NPART_NONE)
                run->order[flow.count++] = id;
            else if (partition != before && all[partition].region == s) /* a joined body runs in its node's */
                run->order[flow.count++] = graph->nodes.count + partition;
            before = partition;
        }
        /* The place of this peak is not asked for. */
        if (!npart__flow_peak(run->peaks, &flow, &out->told.peak_cpu, &at))
            return false;
        hold_steps(run, &flow, out->held_cpu);
        npart__set_body_peak(run->peaks, s, out->told.peak_cpu);
    }
    return hold_outside(run, out);
}

/* Partitions run one after the other: the largest counts, and the largest sum of inner tensors, which some
 * compilers limit. The two largest need not be of the same partition: one may hold most at once and another make
 * most altogether. */
static bool find_npu(struct run *run, struct npart__memory *out)
{
    const struct npart__partitioning *all = run->request->partitioning;
    out->told.peak_npu_node = NPART_NONE;
    for (uint32_t p = 0; p < all->partitions.count; p++) {
        const struct npart__partition *partition = &all->partitions.items[p];
        struct npart__flow flow = {.steps = NPART__FROM(&all->lists, partition->first_member),
                                   .count = partition->member_count - partition->joined_count,
                                   .partition = p,
                                   .held = run->held};
        struct npart_bytes *peak = &out->partitions[p].peak;
        uint32_t at;
        if (!npart__flow_peak(run->peaks, &flow, peak, &at))
            return false;
        hold_steps(run, &flow, out->held_npu);
        if (peak->bytes > out->told.peak_npu.bytes || out->told.peak_npu_node == NPART_NONE) {
            out->told.peak_npu.bytes = peak->bytes;
            out->told.peak_npu_node = at;
        }
        out->told.peak_npu.is_partial |= peak->is_partial;
        struct npart_bytes inside = npart__sum_inside(run->peaks, &flow);
        if (inside.bytes > out->largest_inside.bytes)
            out->largest_inside.bytes = inside.bytes;
        out->largest_inside.is_partial |= inside.is_partial;
    }
    return true;
}

/* One set of arrays for all walks: they are as long as the graph, and a model has as many walks as bodies and
 * partitions. */
static bool find_peaks(const struct npart__memory_request *request, unsigned float32_bytes,
                       struct npart__arena *scratch, struct npart__memory *out)
{
    const struct npart__graph *graph = request->session->graph;
    size_t nodes = graph->nodes.count + (size_t)1;
    struct run run = {.request = request, .scratch = scratch};
    run.peaks = npart__peaks_open(request, float32_bytes, scratch);
    run.order = npart__arena_allocate(scratch, nodes * sizeof *run.order);
    run.place_of = npart__arena_allocate(scratch, nodes * sizeof *run.place_of);
    run.starts = npart__arena_zeroed(scratch, npart__most_steps(graph) + 1, sizeof *run.starts);
    run.held = npart__arena_allocate(scratch, nodes * sizeof *run.held);
    bool is_found = run.peaks && run.order && run.place_of && run.starts && run.held &&
                    find_whole(&run, request->whole) && find_cpu(&run, out) && find_npu(&run, out);
    out->told.peak = request->whole->peak;
    out->told.peak_node = request->whole->at;
    return is_found;
}

/* ---- the whole --------------------------------------------------------------------------------------------- */

/* Of a copy the node that it was copied from. Callers have no ids of copies. */
static uint32_t told_node(const struct npart__memory_request *request, uint32_t node)
{
    return node == NPART_NONE ? NPART_NONE : npart__original(request->session->graph, node);
}

static bool find_all_parts(const struct npart__memory_request *request, struct npart__arena *arena,
                           struct npart__arena *scratch, struct npart__memory *out)
{
    const struct npart__graph *graph = request->session->file;
    const struct npart__oplist *oplist = request->target->oplist;
    /* A list that says how an element of FLOAT is held says 2 or 4. A switch that has floats judged as what
     * quantization makes of them makes it INT8. */
    const struct npart__parameter *float32 = request->parameters[NPART__PARAMETER_FLOAT32];
    const uint32_t quantizes = oplist->integer_rule != NPART_NONE ? oplist->integer_when.without : NPART_NONE;
    bool is_quantized = quantizes != NPART_NONE && (request->target->switches >> quantizes & 1);
    unsigned float32_bytes = is_quantized ? 1 : float32 && float32->typical < 4 ? 2 : 4;
    size_t nodes = request->session->file->nodes.count + (size_t)1;
    out->partitions =
        npart__arena_zeroed(arena, request->partitioning->partitions.count + (size_t)1, sizeof *out->partitions);
    out->held_cpu = npart__arena_zeroed(arena, nodes, sizeof *out->held_cpu);
    out->held_npu = npart__arena_zeroed(arena, nodes, sizeof *out->held_npu);
    out->float32_bytes = float32_bytes;
    out->told.weight_bytes = graph->weight_bytes;
    out->told.parameters = count_parameters(graph);
    return out->partitions && out->held_cpu && out->held_npu && list_types(graph, arena, &out->told) &&
           count_weights(request, float32_bytes, scratch, out) &&
           find_peaks(request, float32_bytes, scratch, out) && npart__find_cache(request, scratch, out) &&
           npart__fit_layers(request, float32_bytes, arena, out);
}

bool npart__find_memory(struct npart__memory_request *request, struct npart__arena *arena, struct npart__memory *out)
{
    struct npart__arena scratch;
    memset(out, 0, sizeof *out);
    npart__arena_init(&scratch, &arena->allocator);
    npart__target_parameters(request->target, NPART__ARITHMETIC_FLOAT16, request->invoker, request->parameters);
    bool is_found = find_all_parts(request, arena, &scratch, out) && npart__find_limits(request, arena, out);
    npart__arena_clear(&scratch);
    out->told.size = sizeof out->told;
    out->told.peak_node = told_node(request, out->told.peak_node);
    out->told.peak_npu_node = told_node(request, out->told.peak_npu_node);
    return is_found;
}
