/* SPDX-License-Identifier: Apache-2.0
 *
 * The work of every live node: what its operator computes (formulas.c), what it takes and makes by the graph that is
 * run, and what is fused into it.
 *
 * Of int8 weights -> DequantizeLinear -> Conv, the weights are the Conv's, as int8 with their scales, and the
 * DequantizeLinear has no work. In a QDQ node unit so it is with activations.
 */
#include "work/formulas.h"

static const struct npart__work_row rows[] = {
#define UNINFERRED(domain, name, class, formula, input, weight, operations)                                            \
    {domain, name, 0, NPART_WORK_##class, NPART__BY_##formula, input, weight, operations},
#define ROW(domain, name, since, function, parameter, ...) UNINFERRED(domain, name, __VA_ARGS__)
#define PATTERN(domain, name, since, shapes, ...) UNINFERRED(domain, name, __VA_ARGS__)
#include "operator_rows.def"
};

struct finder {
    const struct npart__session *session;
    const struct npart__inference *known;
    const struct npart__graph *graph; /* that is run */
    const struct npart__graph *file;  /* with operands as the model has them */
    struct npart__works *out;
    struct npart__figures figures;
    uint16_t *row_of;  /* by interned op of the standard: the row's place plus 2; 1: none; 0: not looked up */
    uint32_t *made_by; /* by value: the DequantizeLinear that it is made by of constants; NPART_NONE: none */
    bool *has_parts;   /* by node: it is a call whose nodes are fused into it */
    bool *is_unit;     /* by node: see npart__is_between_integers, which is priced like a unit */
};

/* Operators of the standard are looked up once a graph, others at each node: they are few. */
static const struct npart__work_row *row_of(struct finder *at, const struct npart__node *node)
{
    const char *op = npart__node_op(at->graph, node);
    if (node->domain != 0)
        return NPART__LAST_ROW(rows, npart__text(&at->graph->strings, node->domain), op, 0);
    uint16_t *place = &at->row_of[node->op_type];
    if (*place == 0) {
        const struct npart__work_row *row = NPART__LAST_ROW(rows, "", op, 0);
        *place = (uint16_t)(row ? row - rows + 2 : 1);
    }
    return *place == 1 ? NULL : &rows[*place - 2];
}

/* Unknown stays unknown. */
static void add(struct finder *at, uint64_t *sum, uint64_t more)
{
    *sum = npart__plus(&at->figures, *sum, more);
}

/* ---- weights ----------------------------------------------------------------------------------------------- */

/* Constants, and what is made of a DequantizeLinear of constants: on a device the stored integers are read. */
static bool is_weight(const struct finder *at, uint32_t value)
{
    return value != NPART_NONE && (at->session->is_constant[value] || at->made_by[value] != NPART_NONE);
}

/* The only operand that is no constant; NPART_NONE: there is none, or are more. */
static uint32_t lone_operand(const struct finder *at, const struct npart__node *node)
{
    uint32_t lone = NPART_NONE;
    for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
        uint32_t value = npart__node_use(at->graph, node, k);
        if (value == NPART_NONE || at->session->is_constant[value])
            continue;
        if (lone != NPART_NONE)
            return NPART_NONE;
        lone = value;
    }
    return lone;
}

/* Its tensor, its scale and its zero point: only then is what it makes a weight. */
static bool is_of_constants(const struct finder *at, const struct npart__node *node)
{
    bool is_one = node->input_count > 0;
    for (uint32_t k = 0; is_one && k < node->input_count; k++) {
        uint32_t value = npart__node_input(at->graph, node, k);
        is_one = value == NPART_NONE || at->session->is_constant[value];
    }
    return is_one;
}

/* A DequantizeLinear of constants makes a weight, and so does what changes its shape, type or order after that. In
 * order, so that a chain of such nodes ends at the same DequantizeLinear. */
static void find_weights(struct finder *at)
{
    for (uint32_t i = 0; i < at->graph->order_count; i++) {
        uint32_t id = at->graph->order[i], from = NPART_NONE;
        const struct npart__node *node = npart__node_at(at->graph, id);
        if (!npart__is_live(at->session, id) || node->output_count != 1)
            continue;
        const struct npart__work_row *row = row_of(at, node);
        bool converts = row && row->class == NPART_WORK_CONVERT;
        if (converts && npart__node_plays(at->graph, node, NPART__ROLE_DEQUANTIZES)) {
            from = is_of_constants(at, node) ? id : NPART_NONE;
        } else if (row && (row->class == NPART_WORK_NONE || npart__node_plays(at->graph, node, NPART__ROLE_CASTS) ||
                           npart__node_plays(at->graph, node, NPART__ROLE_REORDERS_AXES))) {
            uint32_t value = lone_operand(at, node);
            from = value == NPART_NONE ? NPART_NONE : at->made_by[value];
        }
        uint32_t result = npart__node_output(at->graph, node, 0);
        if (result != NPART_NONE)
            at->made_by[result] = from;
    }
}

/* As it is stored: a quantized weight counts its own bytes and those of its scales, as they are what is read.
 * `most` is the size of the largest so far, over all operands of the node. */
static void add_constant(struct finder *at, struct npart__work *work, uint32_t value, uint64_t *most)
{
    const struct npart__node *maker = NULL;
    if (at->made_by[value] != NPART_NONE)
        maker = npart__node_at(at->graph, at->made_by[value]);
    if (maker && npart__node_input(at->graph, maker, 0) == NPART_NONE) /* a model that is invalid, and is told so */
        maker = NULL;
    const struct npart__fact *fact = npart__fact_of(at->known, maker ? npart__node_input(at->graph, maker, 0) : value);
    uint64_t elements = npart__elements_of(&at->figures, fact);
    add(at, &work->weight_elements, elements);
    add(at, &work->weight_bytes, npart__bytes_of(&at->figures, fact->element_type, elements));
    for (uint32_t k = 1; maker && k < maker->input_count; k++) { /* scales, zero points */
        uint32_t other = npart__node_input(at->graph, maker, k);
        const struct npart__fact *of = other == NPART_NONE ? NULL : npart__fact_of(at->known, other);
        if (of)
            add(at, &work->weight_bytes,
                npart__bytes_of(&at->figures, of->element_type, npart__elements_of(&at->figures, of)));
    }
    if (*most == NPART__WORK_UNKNOWN || elements > *most) { /* the largest constant says the type */
        work->weight_type = fact->element_type;
        *most = elements;
    }
}

/* ---- what goes in and comes out ---------------------------------------------------------------------------- */

/* What is computed with is told by other operands: not known, int32, int64 or bool. A Gather by INT64 indices
 * computes in the type of its data. */
static bool is_index(int element_type)
{
    return element_type == NPART__UNDEFINED || element_type == NPART__INT32 || element_type == NPART__INT64 ||
           element_type == NPART__BOOL;
}

/* Captures are not counted: they are read by nodes of the bodies, which count them. */
static void add_operands(struct finder *at, const struct npart__node *node, bool is_unit, struct npart__work *work)
{
    uint64_t most = 0;
    for (uint32_t k = 0; k < node->input_count; k++) {
        uint32_t value = npart__node_input(at->graph, node, k);
        if (value == NPART_NONE)
            continue;
        if (is_weight(at, value)) {
            add_constant(at, work, value, &most);
            continue;
        }
        /* In a unit the quantized tensor is what is read. */
        uint32_t producer = npart__producer(at->graph, value);
        if (is_unit && npart__plays(at->graph, producer, NPART__ROLE_DEQUANTIZES)) {
            uint32_t quantized = npart__node_input(at->graph, npart__node_at(at->graph, producer), 0);
            value = quantized == NPART_NONE ? value : quantized; /* a file may leave it out */
        }
        const struct npart__fact *fact = npart__fact_of(at->known, value);
        uint64_t elements = npart__elements_of(&at->figures, fact);
        add(at, &work->input_elements, elements);
        add(at, &work->input_bytes, npart__bytes_of(&at->figures, fact->element_type, elements));
        if (work->activation_type == 0 && !is_index(fact->element_type))
            work->activation_type = fact->element_type;
    }
}

/* Unused results may not be made. Of a unit they are what is quantized of them. The first user is the
 * QuantizeLinear then (npart__is_between_integers). */
static void add_results(struct finder *at, const struct npart__node *node, bool is_unit, struct npart__work *work)
{
    for (uint32_t k = 0; k < node->output_count; k++) {
        uint32_t value = npart__node_output(at->graph, node, k);
        if (value == NPART_NONE ||
            (npart__user_count(at->session, value) == 0 && !npart__value_at(at->graph, value)->is_graph_output))
            continue;
        uint64_t elements = npart__elements_of(&at->figures, npart__fact_of(at->known, value));
        if (is_unit)
            value = npart__node_output(at->graph, npart__node_at(at->graph, npart__user(at->session, value, 0)), 0);
        int element_type = value == NPART_NONE ? 0 : npart__fact_of(at->known, value)->element_type;
        add(at, &work->output_elements, elements);
        add(at, &work->output_bytes, npart__bytes_of(&at->figures, element_type, elements));
        if (work->activation_type == 0)
            work->activation_type = element_type;
    }
}

/* ---- nodes ------------------------------------------------------------------------------------------------- */

/* With operands as the file has them, since a formula's axes are those of the standard's operator. Of an operator
 * that no row knows all figures are unknown. */
static void compute(struct finder *at, uint32_t id, struct npart__work *work)
{
    const struct npart__node *node = npart__node_at(at->file, id);
    const struct npart__work_call call = {&at->figures, at->known, at->file, node, row_of(at, node)};
    if (call.row) {
        npart__apply_formula(&call, work);
        return;
    }
    work->class = NPART_WORK_ELEMENTWISE;
    work->macs = work->operations = NPART__WORK_UNKNOWN;
    work->rows = work->columns = work->depth = work->taps = work->groups = NPART__WORK_UNKNOWN;
}

/* Of a matrix packed into bytes: how many elements it has, and of how many bits. Four bits are the default of
 * `bits`. Bits of no known type, or a quant_type (float codes), leave the type unknown. */
static void unpack(struct finder *at, uint32_t id, struct npart__work *work)
{
    const struct npart__node *node = npart__node_at(at->file, id);
    const struct npart__work_call call = {&at->figures, at->known, at->file, node, row_of(at, node)};
    if (!call.row || call.row->formula != NPART__BY_PACKED)
        return;
    /* ONNX's numbers by bits. */
    static const uint8_t types[] = {[2] = 25, [4] = 21, [8] = 2}; /* uint2, uint4, uint8 */
    bool has_bits = npart__node_attribute(at->file, node, "block_size") &&
                    !npart__node_attribute(at->file, node, "quant_type");
    int64_t bits = has_bits ? npart__work_attribute(&call, "bits", 4) : 0;
    work->weight_elements = npart__times(&at->figures, work->columns, work->depth);
    work->weight_type = bits > 0 && (size_t)bits < NPART__COUNT(types) ? types[bits] : 0;
}

/* A QuantizeLinear or DequantizeLinear beside a unit is one with it, and that of a weight with its user. All users
 * must be in units: else somebody reads the floats. */
static bool is_in_unit(struct finder *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    if (npart__plays(at->graph, id, NPART__ROLE_QUANTIZES)) {
        uint32_t value = npart__node_input(at->graph, node, 0);
        uint32_t producer = npart__producer(at->graph, value);
        return producer != NPART_NONE && at->is_unit[producer];
    }
    uint32_t value = npart__plays(at->graph, id, NPART__ROLE_DEQUANTIZES) ? npart__node_output(at->graph, node, 0)
                                                                          : NPART_NONE;
    uint32_t users = npart__user_count(at->session, value);
    bool is_in = users > 0 && !npart__value_at(at->graph, value)->is_graph_output;
    for (uint32_t i = 0; is_in && i < users; i++)
        is_in = at->is_unit[npart__user(at->session, value, i)];
    return is_in;
}

/* What is fused into it was added up before (find_all), and is taken over here. A node without work of its own
 * has none unless something that works is fused into it. */
static void find_live(struct finder *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    struct npart__work *work = &at->out->items[id], fused = *work;
    uint32_t result = npart__node_output(at->graph, node, 0), file_node = npart__original(at->session->graph, id);
    *work = (struct npart__work){0};
    if (at->has_parts[id]) /* a call, whose work is that of its nodes */
        *work = fused;
    else
        compute(at, file_node, work);
    bool is_idle = (result != NPART_NONE && at->made_by[result] != NPART_NONE) ||
                   (work->class == NPART_WORK_CONVERT && is_in_unit(at, id)) || work->class == NPART_WORK_NONE;
    if (is_idle && fused.class == NPART_WORK_NONE) {
        *work = (struct npart__work){0};
        return;
    }
    if (!at->has_parts[id]) {
        work->class = work->class == NPART_WORK_NONE ? fused.class : work->class;
        add(at, &work->macs, fused.macs);
        add(at, &work->operations, fused.operations);
        work->weight_elements = fused.weight_elements;
        work->weight_bytes = fused.weight_bytes;
    }
    add_operands(at, node, at->is_unit[id], work);
    add_results(at, node, at->is_unit[id], work);
    const struct npart__work_row *row = row_of(at, node);
    bool has_factors = row && row->formula >= NPART__BY_FILTER && row->formula < NPART__BY_UNCOUNTED;
    if (work->class == NPART_WORK_MATRIX && has_factors && /* two activations: no weights to stream */
        !is_weight(at, npart__node_input(at->graph, node, row->input)) &&
        !is_weight(at, npart__node_input(at->graph, node, row->weight)))
        work->class = NPART_WORK_PRODUCT;
    if (!at->has_parts[id])
        unpack(at, file_node, work);
}

/* Into the node that it is part of. Of the parts of a call the heaviest class counts; constants that are handed
 * to the call are the call's. Only floats count as weights of a part: integers are sizes and axes, mostly.
 * Classes are ordered by weight, so the smallest number that is not NONE is the heaviest. `most` keeps a part
 * from saying which type the weights have. */
static void add_fused(struct finder *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->file, id);
    uint32_t into = npart__fused_into(at->session, id);
    struct npart__work *sum = &at->out->items[into], part = {0};
    bool is_part = node->scope != npart__node_at(at->file, into)->scope;
    uint64_t most = UINT64_MAX - 1;
    at->has_parts[into] |= is_part;
    compute(at, id, &part);
    for (uint32_t k = 0; k < node->input_count; k++) {
        uint32_t value = npart__node_input(at->file, node, k);
        if (value != NPART_NONE && at->session->is_constant[value] &&
            npart__value_at(at->file, value)->scope == node->scope &&
            npart__type_is_float(npart__fact_of(at->known, value)->element_type))
            add_constant(at, &part, value, &most);
    }
    add(at, &sum->macs, part.macs);
    add(at, &sum->operations, part.operations);
    add(at, &sum->weight_elements, part.weight_elements);
    add(at, &sum->weight_bytes, part.weight_bytes);
    if (sum->class == NPART_WORK_NONE || (part.class != NPART_WORK_NONE && part.class < sum->class))
        sum->class = part.class;
}

/* Weights and units first, as nodes ask for those of their neighbours; parts before what they are part of. */
static bool find_all(struct finder *at)
{
    find_weights(at);
    for (uint32_t i = 0; i < at->out->count; i++)
        at->is_unit[i] = npart__is_live(at->session, i) && npart__is_between_integers(at->session, i);
    for (uint32_t i = 0; i < at->session->file->nodes.count; i++)
        if (at->session->into[i] != NPART_NONE && !npart__repeats(at->session, i))
            add_fused(at, i);
    for (uint32_t i = 0; i < at->out->count; i++) {
        if (npart__is_late_at(at->known->arena, i))
            return false;
        if (npart__is_live(at->session, i))
            find_live(at, i);
    }
    return !at->figures.pool || (!at->figures.pool->failed && !at->figures.text.failed);
}

/* Whatever happens, the scratch goes. False when out of memory. */
static bool find(const struct npart__session *session, bool has_expressions, struct npart__arena *arena,
                 struct npart__works *out)
{
    struct npart__arena scratch;
    const struct npart__graph *graph = session->graph;
    npart__arena_init(&scratch, &arena->allocator);
    struct finder at = {.session = session, .known = session->known, .graph = graph, .file = session->file};
    *out = (struct npart__works){.count = graph->nodes.count};
    out->items = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *out->items);
    at.out = out;
    at.row_of = npart__arena_zeroed(&scratch, graph->strings.texts.count + (size_t)1, sizeof *at.row_of);
    at.made_by = npart__arena_allocate(&scratch, (graph->values.count + (size_t)1) * sizeof *at.made_by);
    at.has_parts = npart__arena_zeroed(&scratch, graph->nodes.count + (size_t)1, sizeof *at.has_parts);
    at.is_unit = npart__arena_zeroed(&scratch, graph->nodes.count + (size_t)1, sizeof *at.is_unit);
    bool is_ready = out->items && at.row_of && at.made_by && at.has_parts && at.is_unit &&
                    npart__figures_init(&at.figures, &session->known->expressions, has_expressions, arena);
    if (is_ready)
        memset(at.made_by, 0xff, graph->values.count * sizeof *at.made_by); /* NPART_NONE */
    is_ready = is_ready && find_all(&at);
    /* In the caller's arena, as figures refer to it. */
    out->expressions = at.figures.pool;
    npart__arena_clear(&scratch);
    return is_ready;
}

bool npart__find_work(const struct npart__session *session, struct npart__arena *arena, struct npart__works *out)
{
    return find(session, false, arena, out);
}

bool npart__find_symbolic_work(const struct npart__session *session, struct npart__arena *arena,
                               struct npart__works *out)
{
    return find(session, true, arena, out);
}

