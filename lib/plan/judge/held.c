/* SPDX-License-Identifier: Apache-2.0
 *
 * As what the target's compiler holds a tensor of integers: as a quantized one, with scale and zero point, or as plain
 * integers. A file does not say; the compiler notes it under the tensor's name when it looks at the first node that
 * reads or makes it, and what a later node says of it counts no more.
 *
 * Modelled on core/providers/qnn of ONNX Runtime's QNN provider: qnn_model_wrapper.cc (AddTensorWrapper keeps what is
 * there), qnn_execution_provider.cc (GetSupportedNodes asks all builders with one such table, in the order of the
 * runtime), base_op_builder.cc, transpose_op_builder.cc. What an op notes is said by the list's `notes` lines:
 *
 *   of `notes quantized` ops, DequantizeLinear and QuantizeLinear:  quantized; results where the node is taken, of
 *                                                                   `notes early` ops, too, where it is not
 *   of a node between DequantizeLinear and QuantizeLinear (a unit): quantized, what these two have
 *   of an op that only reorders axes:                               its result as its operand
 *   of `notes plain` ops:                                           plain, be the node taken or not
 *   of `layout` ops:                                                the same, but nothing where the node is not taken
 *   of other ops of the list:                                       plain operands; results where the node is taken
 *   of ops that the list does not have:                             nothing
 *
 * In QLinearConv -> Squeeze the Squeeze finds a quantized tensor and is refused; where the QLinearConv has been refused
 * before it noted its result, the Squeeze finds none, notes plain integers, and is taken.
 */
#include "judge/answer.h"

/* What is looked at in the course of one pass over a graph. */
struct holder {
    const struct npart__target *target;
    const struct npart__session *session;
    const struct npart__graph *graph;
    const struct npart__op_id *quantized, *early, *plain, *layout;
    struct npart__beyond *beyond;
};

/* 8 and 16 bits, which scales and zero points may belong to; those of 4 bits are weights. */
static bool is_integer(const struct npart__session *session, uint32_t value)
{
    enum { UINT8 = 2, INT8 = 3, UINT16 = 4, INT16 = 5 };
    const struct npart__fact *fact = npart__fact_of(session->inference, value);
    return fact->kind == NPART__TYPE_TENSOR && fact->element_type >= UINT8 && fact->element_type <= INT16;
}

static bool is_noted(const struct holder *at, uint32_t value)
{
    return value != NPART_NONE && is_integer(at->session, value) && !at->session->is_constant[value];
}

/* The first one counts. Of no integers and of constants nothing is noted. */
static void note(const struct holder *at, uint32_t value, enum npart__held held)
{
    if (is_noted(at, value) && at->beyond->held[value] == NPART__HELD_NONE)
        at->beyond->held[value] = (uint8_t)held;
}

static void note_results(const struct holder *at, const struct npart__node *node, enum npart__held held)
{
    for (uint32_t i = 0; i < node->output_count; i++)
        note(at, npart__node_output(at->graph, node, i), held);
}

static bool plays(const struct holder *at, const struct npart__node *node, enum npart__role role)
{
    return npart__node_plays(at->graph, node, role);
}

/* What dequantizes for a unit has the unit's place. */
static bool is_in_units(const struct holder *at, const struct npart__trial *trial, uint32_t value)
{
    uint32_t users = npart__user_count(at->session, value);
    for (uint32_t i = 0; i < users; i++)
        if (!npart__forms_unit(trial, npart__user(at->session, value, i)))
            return false;
    return users > 0;
}

/* The tensors that a unit reads through its DequantizeLinears, and makes by its QuantizeLinear. */
static void note_unit(const struct holder *at, const struct npart__node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        uint32_t producer = value == NPART_NONE ? NPART_NONE : npart__producer(at->graph, value);
        const struct npart__node *from = producer == NPART_NONE ? NULL : npart__node_at(at->graph, producer);
        if (from && plays(at, from, NPART__ROLE_DEQUANTIZES))
            note(at, npart__node_input(at->graph, from, 0), NPART__HELD_QUANTIZED);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(at->graph, node, i);
        for (uint32_t k = 0; k < npart__user_count(at->session, value); k++) {
            const struct npart__node *to = npart__node_at(at->graph, npart__user(at->session, value, k));
            if (plays(at, to, NPART__ROLE_QUANTIZES))
                note_results(at, to, NPART__HELD_QUANTIZED);
        }
    }
}

/* Of an `early` op, unless an operand gets another shape first: what is no matrix, where a constant matrix is
 * multiplied with it (qlinearmatmul_op_builder.cc). That is asked of the compiler before results are noted. */
static bool notes_early(const struct holder *at, const struct npart__node *node)
{
    bool has_matrix = false, is_matrix = true;
    if (!npart__is_among(node, at->early, at->target->oplist->early_ops.count))
        return false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        const struct npart__fact *fact = value == NPART_NONE ? NULL : npart__fact_of(at->session->inference, value);
        if (fact && (!fact->has_rank || fact->rank > 1))
            has_matrix |= fact->rank == 2 && at->session->is_constant[value];
        if (fact && !at->session->is_constant[value])
            is_matrix &= fact->has_rank && fact->rank == 2;
    }
    return is_matrix || !has_matrix;
}

/* Whether its results are noted: surely, or it cannot be told. */
static enum npart__held by_taken(const struct npart__trial *trial, uint32_t id, enum npart__held held)
{
    enum npart__truth truth = npart__taken_alone(trial, id);
    return truth == NPART__TRUE ? held : truth == NPART__MAYBE ? NPART__HELD_UNKNOWN : NPART__HELD_NONE;
}

static void look_at(const struct holder *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    const struct npart__oplist *oplist = at->target->oplist;
    struct npart__trial trial;
    npart__trial_init(&trial, at->target, at->session, id);
    trial.beyond = at->beyond;
    trial.keeps_answers = true;
    if (npart__entry_of(oplist, 0, at->graph, node) == NPART_NONE)
        return;
    bool dequantizes = plays(at, node, NPART__ROLE_DEQUANTIZES), quantizes = plays(at, node, NPART__ROLE_QUANTIZES);
    if (dequantizes && is_in_units(at, &trial, npart__node_output(at->graph, node, 0)))
        return;
    if (!dequantizes && !quantizes && npart__forms_unit(&trial, id)) {
        note_unit(at, node);
        return;
    }
    bool is_laid = npart__is_among(node, at->layout, oplist->layout_ops.count);
    if (is_laid && npart__taken_alone(&trial, id) == NPART__FALSE)
        return;
    bool is_quantized = dequantizes || quantizes || npart__is_among(node, at->quantized, oplist->quantized_ops.count);
    enum npart__held held = is_quantized ? NPART__HELD_QUANTIZED : NPART__HELD_PLAIN;
    for (uint32_t i = 0; i < node->input_count; i++)
        note(at, npart__node_input(at->graph, node, i), held);
    uint32_t operand = node->input_count ? npart__node_input(at->graph, node, 0) : NPART_NONE;
    if (plays(at, node, NPART__ROLE_REORDERS_AXES) && is_noted(at, operand))
        note_results(at, node, (enum npart__held)at->beyond->held[operand]);
    else if (is_laid || notes_early(at, node) || npart__is_among(node, at->plain, oplist->plain_ops.count))
        note_results(at, node, held);
    else if (node->output_count && is_noted(at, npart__node_output(at->graph, node, 0)))
        note_results(at, node, by_taken(&trial, id, held));
}

bool npart__asks_held(const struct npart__target *target, const struct npart__session *session)
{
    const struct npart__graph *graph = session->graph;
    if (target->oplist->quantized_ops.count == 0)
        return false;
    /* Where nothing but these two reads and makes integers, all are quantized. */
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        if (!npart__is_live(session, i) || npart__node_plays(graph, node, NPART__ROLE_QUANTIZES) ||
            npart__node_plays(graph, node, NPART__ROLE_DEQUANTIZES))
            continue;
        for (uint32_t k = 0; k < node->input_count + node->output_count; k++) {
            uint32_t value = k < node->input_count ? npart__node_input(graph, node, k)
                                                   : npart__node_output(graph, node, k - node->input_count);
            if (value != NPART_NONE && !session->is_constant[value] && is_integer(session, value))
                return true;
        }
    }
    return false;
}

bool npart__find_held(const struct npart__target *target, const struct npart__live_graph *live,
                      struct npart__arena *arena, struct npart__beyond *beyond)
{
    const struct npart__graph *graph = live->session->graph;
    const struct npart__oplist *oplist = target->oplist;
    if (!live->order)
        return true;
    struct holder at = {.target = target, .session = live->session, .graph = graph, .beyond = beyond};
    at.quantized = npart__find_ops(graph, oplist->quantized_ops.items, oplist->quantized_ops.count, arena);
    at.early = npart__find_ops(graph, oplist->early_ops.items, oplist->early_ops.count, arena);
    at.plain = npart__find_ops(graph, oplist->plain_ops.items, oplist->plain_ops.count, arena);
    at.layout = npart__find_ops(graph, oplist->layout_ops.items, oplist->layout_ops.count, arena);
    beyond->held = npart__arena_zeroed(arena, graph->values.count + (size_t)1, sizeof *beyond->held);
    if (!at.quantized || !at.early || !at.plain || !at.layout || !beyond->held)
        return false;
    for (uint32_t i = 0; i < live->order_count && !npart__is_late_at(arena, i); i++)
        look_at(&at, live->order[i]);
    return true;
}

enum npart__held npart__held_of(const struct npart__trial *trial, uint32_t value)
{
    const struct npart__beyond *beyond = trial->beyond;
    if (!is_integer(trial->session, value) || trial->session->is_constant[value])
        return NPART__HELD_NONE;
    if (!beyond || !beyond->held || beyond->graph != trial->graph)
        return NPART__HELD_QUANTIZED;
    return (enum npart__held)beyond->held[value];
}
