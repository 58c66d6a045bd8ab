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
 *   of ops that the list does not have, and of a conversion:        nothing
 *
 * In QLinearConv -> Squeeze the Squeeze finds a quantized tensor and is refused; where the QLinearConv has been refused
 * before it noted its result, the Squeeze finds none, notes plain integers, and is taken.
 */
#include "judge/answer.h"
#include "qnn/qnn.h"

/* What of a graph makes it a question as what integers are held: nodes other than QuantizeLinear and DequantizeLinear
 * read or make some; something that is quantized after a Transpose is dequantized for two nodes or more. */
enum { OF_OTHERS = 1, TURNED = 2 };

/* What is looked at in the course of one pass over a graph. */
struct holder {
    const struct npart__target *target;
    const struct npart__session *session;
    const struct npart__graph *graph;
    const struct npart__op_id *quantized, *early, *plain, *layout, *through;
    struct npart__beyond *beyond;
    bool moves; /* Transposes are moved */
    bool *leads; /* by value: what uses it leads to a Transpose */
};

static bool is_noted(const struct holder *at, uint32_t value)
{
    return value != NPART_NONE && npart__holds_integers(at->session, value) && !at->session->is_constant[value];
}

/* The first one counts. Of no integers and of constants nothing is noted. What a Transpose made that has moved on is
 * what it read. */
static void note(const struct holder *at, uint32_t value, enum npart__held held)
{
    uint32_t noted = value;
    if (!is_noted(at, value))
        return;
    while (at->beyond->source[noted] != NPART_NONE)
        noted = at->beyond->source[noted];
    if (at->beyond->held[noted] == NPART__HELD_NONE)
        at->beyond->held[noted] = (uint8_t)held;
    at->beyond->held[value] = at->beyond->held[noted];
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

/* The tensors that a unit reads through its DequantizeLinears, and makes by its QuantizeLinear: what only reorders axes
 * makes the same as it reads. */
static void note_unit(const struct holder *at, const struct npart__node *node)
{
    enum npart__held held = NPART__HELD_QUANTIZED;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        uint32_t producer = value == NPART_NONE ? NPART_NONE : npart__producer(at->graph, value);
        const struct npart__node *from = producer == NPART_NONE ? NULL : npart__node_at(at->graph, producer);
        uint32_t read = from && from->input_count ? npart__node_input(at->graph, from, 0) : NPART_NONE;
        if (read == NPART_NONE || !plays(at, from, NPART__ROLE_DEQUANTIZES))
            continue;
        note(at, read, NPART__HELD_QUANTIZED);
        if (plays(at, node, NPART__ROLE_REORDERS_AXES) && is_noted(at, read))
            held = (enum npart__held)at->beyond->held[read];
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(at->graph, node, i);
        for (uint32_t k = 0; k < npart__user_count(at->session, value); k++) {
            const struct npart__node *to = npart__node_at(at->graph, npart__user(at->session, value, k));
            if (plays(at, to, NPART__ROLE_QUANTIZES))
                note_results(at, to, held);
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

/* An axis that one index is taken of is dropped by a Reshape after the node, which notes the result last
 * (gather_op_builder.cc). */
static bool drops_axis(const struct holder *at, const struct npart__node *node)
{
    for (uint32_t i = 1; i < node->input_count; i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        const struct npart__fact *fact = value == NPART_NONE ? NULL : npart__fact_of(at->session->inference, value);
        if (fact && fact->has_rank && fact->rank == 0 &&
            (fact->element_type == NPART__INT32 || fact->element_type == NPART__INT64))
            return true;
    }
    return false;
}

/* Whether its results are noted: surely, or it cannot be told. */
static enum npart__held by_taken(const struct npart__trial *trial, uint32_t id, enum npart__held held)
{
    enum npart__truth truth = npart__taken_alone(trial, id);
    return truth == NPART__TRUE ? held : truth == NPART__MAYBE ? NPART__HELD_UNKNOWN : NPART__HELD_NONE;
}

static void note_first_user(const struct holder *at, const struct npart__trial *trial, uint32_t id)
{
    enum { INT32 = 6 };
    const struct npart__node *node = npart__node_at(at->graph, id);
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        if (value == NPART_NONE || !at->session->is_constant[value] ||
            npart__fact_of(at->session->inference, value)->element_type != INT32)
            continue;
        uint32_t *first = &at->beyond->first_user[npart__shared_constant(at->session, value)];
        if (*first == NPART_NONE && npart__taken_alone(trial, id) != NPART__FALSE)
            *first = id;
    }
}

/* ---- Transposes that move --------------------------------------------------------------------------------- */

bool npart__works_in_either_layout(const struct npart__target *target, const struct npart__op_id *through,
                                   const struct npart__graph *graph, const struct npart__node *node)
{
    return npart__is_among(node, through, target->oplist->through_ops.count) ||
           npart__node_plays(graph, node, NPART__ROLE_QUANTIZES) ||
           npart__node_plays(graph, node, NPART__ROLE_DEQUANTIZES) ||
           (npart__node_plays(graph, node, NPART__ROLE_BETWEEN_TRANSPOSES) &&
            !npart__node_plays(graph, node, NPART__ROLE_REORDERS_AXES));
}

static bool is_through(const struct holder *at, const struct npart__node *node)
{
    return npart__works_in_either_layout(at->target, at->through, at->graph, node);
}

/* Of the orders of axes that the runtime moves. Of rank 3 both are one. */
static enum npart__turned turned_by(const int64_t *order, uint32_t rank)
{
    return npart__brings_channels(order, rank, false)  ? NPART__TURNED_TO_FRONT
           : npart__brings_channels(order, rank, true) ? NPART__TURNED_TO_END
                                                       : NPART__TURNED_NOT;
}

/* A Reshape that keeps the batch and the channels, where a Transpose may come after it: the one that turns its operand
 * goes on as one of as many axes as the result has. Of three axes both orders are one, and the channels may be at
 * either end (ort_transpose_optimization.cc, EPAwareHandleReshape). */
static enum npart__turned turned_past_reshape(const struct holder *at, const struct npart__node *node,
                                              enum npart__turned turned)
{
    uint32_t operand = node->input_count ? npart__node_input(at->graph, node, 0) : NPART_NONE;
    uint32_t result = node->output_count ? npart__node_output(at->graph, node, 0) : NPART_NONE;
    if (!plays(at, node, NPART__ROLE_RESHAPES) || operand == NPART_NONE || result == NPART_NONE || !at->leads[result])
        return NPART__TURNED_NOT;
    const struct npart__fact *from = npart__fact_of(at->session->inference, operand);
    const struct npart__fact *to = npart__fact_of(at->session->inference, result);
    if (!from->has_rank || !to->has_rank || from->rank < 3 || from->rank > 4 || to->rank < 3 ||
        from->dims[0] != to->dims[0])
        return NPART__TURNED_NOT;
    bool keeps_front = from->dims[1] == to->dims[1], keeps_end = from->dims[from->rank - 1] == to->dims[to->rank - 1];
    bool is_any = from->rank == 3;
    if (keeps_front && (is_any || turned == NPART__TURNED_TO_FRONT))
        return NPART__TURNED_TO_FRONT;
    if (keeps_end && (is_any || turned == NPART__TURNED_TO_END))
        return to->rank == 3 ? NPART__TURNED_TO_FRONT : NPART__TURNED_TO_END;
    return NPART__TURNED_NOT;
}

/* The order of axes of a Transpose, together with that of one which has come to it: what turns its operand's axes.
 * False where it cannot be told, as of one that makes a result of the graph. */
static bool order_of(const struct holder *at, uint32_t id, enum npart__turned turned, int64_t *order, uint32_t *rank)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    uint32_t result = node->output_count ? npart__node_output(at->graph, node, 0) : NPART_NONE;
    if (result == NPART_NONE || turned == NPART__TURNED_SOMEHOW ||
        !npart__order_left(at->session, id, order, rank))
        return false;
    if (turned == NPART__TURNED_NOT)
        return true;
    if (*rank < 3 || npart__value_at(at->graph, result)->is_graph_output)
        return false;
    bool is_front = turned == NPART__TURNED_TO_FRONT;
    for (uint32_t i = 0; i < *rank; i++) {
        int64_t to = order[i], last = (int64_t)*rank - 1;
        order[i] = to == 0 ? 0 : is_front ? (to == 1 ? last : to - 1) : (to == last ? 1 : to + 1);
    }
    return true;
}

static bool is_none(const int64_t *order, uint32_t rank)
{
    bool is = true;
    for (uint32_t i = 0; is && i < rank; i++)
        is = order[i] == (int64_t)i;
    return is;
}

/* Of the users of a value some let a Transpose on, and others have it before them: it is the runtime's last node, and
 * comes before all that reads the value. One that is a Transpose itself does the work of both, or of none. `meets`:
 * where one has a Transpose of its own otherwise, it is not told what is left of both. */
struct ends {
    bool goes_on, stops, meets;
};

static struct ends ends_of(const struct holder *at, uint32_t value, enum npart__turned turned)
{
    int64_t order[NPART__LIMIT_RANK];
    uint32_t rank;
    struct ends ends = {.stops = npart__value_at(at->graph, value)->is_graph_output};
    for (uint32_t i = 0; i < npart__user_count(at->session, value); i++) {
        uint32_t id = npart__user(at->session, value, i);
        const struct npart__node *user = npart__node_at(at->graph, id);
        if (npart__is_among(user, at->layout, at->target->oplist->layout_ops.count) ||
            (plays(at, user, NPART__ROLE_REORDERS_AXES) && !order_of(at, id, turned, order, &rank)))
            ends.meets = true;
        else if (!plays(at, user, NPART__ROLE_REORDERS_AXES) && !is_through(at, user) &&
                 !turned_past_reshape(at, user, turned))
            ends.stops = true;
        else
            ends.goes_on = true;
    }
    return ends;
}

/* How a Transpose turns the axes that moves past users of what it makes, or NOT; `stays`: others have it before them.
 * Two that follow one another are one with another order before that. */
static enum npart__turned moves_on(const struct holder *at, uint32_t id, bool *stays)
{
    int64_t order[NPART__LIMIT_RANK];
    const struct npart__node *node = npart__node_at(at->graph, id);
    uint32_t rank, result = node->output_count ? npart__node_output(at->graph, node, 0) : NPART_NONE;
    uint32_t operand = node->input_count ? npart__node_input(at->graph, node, 0) : NPART_NONE;
    if (!plays(at, node, NPART__ROLE_REORDERS_AXES) || result == NPART_NONE || operand == NPART_NONE ||
        !order_of(at, id, (enum npart__turned)at->beyond->turned[operand], order, &rank))
        return NPART__TURNED_NOT;
    enum npart__turned turned = turned_by(order, rank);
    uint32_t producer = npart__producer(at->graph, operand);
    struct ends ends = ends_of(at, result, turned);
    *stays = ends.stops;
    return ends.goes_on && !ends.meets &&
                   (producer == NPART_NONE ||
                    !plays(at, npart__node_at(at->graph, producer), NPART__ROLE_REORDERS_AXES))
               ? turned
               : NPART__TURNED_NOT;
}

/* A DequantizeLinear and the QuantizeLinear after it are fused into one conversion, which notes nothing
 * (dq_q_fusion.cc). */
static bool is_conversion(const struct holder *at, uint32_t value)
{
    uint32_t producer = value == NPART_NONE ? NPART_NONE : npart__producer(at->graph, value);
    if (producer == NPART_NONE || npart__value_at(at->graph, value)->is_graph_output ||
        npart__user_count(at->session, value) != 1)
        return false;
    const struct npart__node *nodes[2] = {npart__node_at(at->graph, producer),
                                          npart__node_at(at->graph, npart__user(at->session, value, 0))};
    bool is_pair = plays(at, nodes[0], NPART__ROLE_DEQUANTIZES) && plays(at, nodes[1], NPART__ROLE_QUANTIZES);
    for (int i = 0; is_pair && i < 2; i++) {
        uint64_t elements;
        uint32_t scale = npart__node_input(at->graph, nodes[i], 1);
        is_pair = nodes[i]->input_count == 3 && scale != NPART_NONE && at->session->is_constant[scale] &&
                  npart__static_elements(npart__fact_of(at->session->inference, scale), &elements) && elements == 1;
    }
    return is_pair;
}

/* A QuantizeLinear that does again what the DequantizeLinear before it undid, for one node: both are taken away
 * (onnx_transpose_optimization.cc, TryRemoveEmptyDQQ), where the session rewrites anything before it asks. */
static bool is_empty_pair(const struct holder *at, const struct npart__node *node)
{
    uint32_t value = node->input_count ? npart__node_input(at->graph, node, 0) : NPART_NONE;
    uint32_t result = node->output_count ? npart__node_output(at->graph, node, 0) : NPART_NONE;
    if (!plays(at, node, NPART__ROLE_QUANTIZES) || result == NPART_NONE || !is_conversion(at, value) ||
        npart__user_count(at->session, result) != 1 || npart__value_at(at->graph, result)->is_graph_output)
        return false;
    const struct npart__node *from = npart__node_at(at->graph, npart__producer(at->graph, value));
    return npart__undoes(at->session, from, node);
}

/* Where a Transpose between the two moves past the QuantizeLinear, they become such a conversion; or nothing, where one
 * node alone uses what it makes (TryRemoveEmptyDQQ). The runtime puts a pair before such a Transpose, too. */
static bool becomes_conversion(const struct holder *at, const struct npart__node *node)
{
    uint32_t operand = npart__node_input(at->graph, node, 0), result = npart__node_output(at->graph, node, 0);
    uint32_t read = operand == NPART_NONE ? NPART_NONE : at->beyond->source[operand];
    uint32_t producer = read == NPART_NONE ? NPART_NONE : npart__producer(at->graph, read);
    bool is_dequantized =
        producer != NPART_NONE && plays(at, npart__node_at(at->graph, producer), NPART__ROLE_DEQUANTIZES);
    return read != NPART_NONE && (is_dequantized || at->session->moves_quantizers) && result != NPART_NONE &&
           (npart__user_count(at->session, result) > 1 || npart__value_at(at->graph, result)->is_graph_output);
}

/* Where no axis comes or goes, those of the result are turned as those of the operand. */
static bool have_same_rank(const struct holder *at, uint32_t operand, uint32_t result)
{
    const struct npart__fact *from = npart__fact_of(at->session->inference, operand);
    const struct npart__fact *to = npart__fact_of(at->session->inference, result);
    return from->has_rank && to->has_rank && from->rank == to->rank;
}

/* A node that a Transpose moves past: operands that have none get one, which reads them, and its results are turned.
 * Where nobody has noted a result when the Transpose comes to rest, that one notes integers, and makes them. */
static void turn(const struct holder *at, const struct npart__node *node)
{
    enum npart__turned turned = NPART__TURNED_NOT;
    uint32_t from = NPART_NONE; /* the last that is turned: of some operators the first operand is a scale */
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        enum npart__turned other = value == NPART_NONE ? NPART__TURNED_NOT : at->beyond->turned[value];
        if (other == NPART__TURNED_NOT)
            continue;
        turned = turned == NPART__TURNED_NOT || turned == other ? other : NPART__TURNED_SOMEHOW;
        from = value;
    }
    enum npart__turned past = turned_past_reshape(at, node, turned);
    if (turned == NPART__TURNED_NOT || (!past && !is_through(at, node)))
        return;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        if (value != NPART_NONE && !at->beyond->turned[value])
            note(at, value, NPART__HELD_PLAIN);
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t value = npart__node_output(at->graph, node, i);
        if (value == NPART_NONE)
            continue;
        at->beyond->turned[value] =
            (uint8_t)(past ? past : have_same_rank(at, from, value) ? turned : NPART__TURNED_SOMEHOW);
        struct ends ends = ends_of(at, value, (enum npart__turned)at->beyond->turned[value]);
        if (ends.meets)
            note(at, value, NPART__HELD_UNKNOWN);
        else if (ends.stops)
            note(at, value, NPART__HELD_PLAIN);
    }
}

/* ---- the whole -------------------------------------------------------------------------------------------- */

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
    if ((dequantizes && is_conversion(at, npart__node_output(at->graph, node, 0))) ||
        (quantizes && (is_conversion(at, npart__node_input(at->graph, node, 0)) || becomes_conversion(at, node))))
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
    else if (is_laid || notes_early(at, node) ||
             (npart__is_among(node, at->plain, oplist->plain_ops.count) && !drops_axis(at, node)))
        note_results(at, node, held);
    else if (node->output_count && is_noted(at, npart__node_output(at->graph, node, 0)))
        note_results(at, node, by_taken(&trial, id, held));
    if (is_quantized && !dequantizes && !quantizes)
        note_first_user(at, &trial, id);
}

/* What an op of a `layout` line makes, which has a Transpose after it where the node is taken. */
static void turn_laid(const struct holder *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    uint32_t result = node->output_count ? npart__node_output(at->graph, node, 0) : NPART_NONE;
    struct npart__trial trial;
    if (result == NPART_NONE || !npart__is_among(node, at->layout, at->target->oplist->layout_ops.count))
        return;
    npart__trial_init(&trial, at->target, at->session, id);
    trial.beyond = at->beyond;
    trial.keeps_answers = true;
    at->beyond->turned[result] =
        npart__taken_alone(&trial, id) != NPART__FALSE ? NPART__TURNED_TO_FRONT : NPART__TURNED_NOT;
}

/* What the node makes is from now on what `from` is: nobody asks about the node. */
static void read_from(const struct holder *at, uint32_t result, uint32_t from, enum npart__turned turned)
{
    at->beyond->turned[result] = (uint8_t)turned;
    at->beyond->source[result] = from;
    at->beyond->held[result] = at->beyond->held[from];
}

/* A Transpose of which nothing is left after one that has come to it. */
static bool is_undone(const struct holder *at, uint32_t id)
{
    int64_t order[NPART__LIMIT_RANK];
    uint32_t rank;
    const struct npart__node *node = npart__node_at(at->graph, id);
    uint32_t operand = node->input_count ? npart__node_input(at->graph, node, 0) : NPART_NONE;
    return operand != NPART_NONE && plays(at, node, NPART__ROLE_REORDERS_AXES) && at->beyond->turned[operand] &&
           order_of(at, id, (enum npart__turned)at->beyond->turned[operand], order, &rank) && is_none(order, rank);
}

/* In the runtime's order. */
static void pass(const struct holder *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    bool stays = false;
    enum npart__turned turned = at->moves ? moves_on(at, id, &stays) : NPART__TURNED_NOT;
    uint32_t from = node->input_count ? npart__node_input(at->graph, node, 0) : NPART_NONE;
    uint32_t result = node->output_count ? npart__node_output(at->graph, node, 0) : NPART_NONE;
    if (turned && stays)
        look_at(at, id);
    if (turned) {
        read_from(at, result, from, turned);
    } else if (at->moves && is_undone(at, id)) {
        read_from(at, result, from, NPART__TURNED_NOT);
    } else if ((at->moves || at->session->moves_quantizers) && is_empty_pair(at, node)) {
        from = npart__node_input(at->graph, npart__node_at(at->graph, npart__producer(at->graph, from)), 0);
        read_from(at, result, from, (enum npart__turned)at->beyond->turned[from]);
    } else {
        look_at(at, id);
        turn(at, node);
        if (at->moves)
            turn_laid(at, id);
    }
}

/* Where nothing but QuantizeLinear and DequantizeLinear reads and makes integers, all are quantized. */
static bool has_other_integers(const struct npart__session *session)
{
    const struct npart__graph *graph = session->graph;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        if (!npart__is_live(session, i) || npart__node_plays(graph, node, NPART__ROLE_QUANTIZES) ||
            npart__node_plays(graph, node, NPART__ROLE_DEQUANTIZES))
            continue;
        for (uint32_t k = 0; k < node->input_count + node->output_count; k++) {
            uint32_t value = k < node->input_count ? npart__node_input(graph, node, k)
                                                   : npart__node_output(graph, node, k - node->input_count);
            if (value != NPART_NONE && !session->is_constant[value] && npart__holds_integers(session, value))
                return true;
        }
    }
    return false;
}

/* Which of the two questions there are; none where the list does not say what ops note. */
static unsigned find_questions(const struct npart__target *target, const struct npart__session *session)
{
    if (!target->oplist->quantized_ops.count)
        return 0;
    return (has_other_integers(session) ? OF_OTHERS : 0u) | (npart__has_shared_transposes(session) ? TURNED : 0u);
}

/* The provider is asked twice: about the graph as it is and, where it takes anything of that, about what the runtime
 * makes of it. A node that quantizes or dequantizes is no partition by itself. */
static bool is_any_taken(const struct holder *at, const struct npart__in_order *live)
{
    for (uint32_t i = 0; i < live->order_count; i++) {
        const struct npart__node *node = npart__node_at(at->graph, live->order[i]);
        struct npart__trial trial;
        npart__trial_init(&trial, at->target, at->session, live->order[i]);
        trial.beyond = at->beyond;
        trial.keeps_answers = true;
        if (!plays(at, node, NPART__ROLE_QUANTIZES) && !plays(at, node, NPART__ROLE_DEQUANTIZES) &&
            npart__taken_alone(&trial, live->order[i]) != NPART__FALSE)
            return true;
    }
    return false;
}

/* What was answered with the table as it was is forgotten with it. */
static void look_through(struct holder *at, const struct npart__in_order *live, bool moves)
{
    size_t values = at->graph->values.count, nodes = at->graph->nodes.count;
    at->moves = moves;
    memset(at->beyond->held, 0, values);
    memset(at->beyond->taken, 0, nodes);
    memset(at->beyond->first_user, 0xff, values * sizeof *at->beyond->first_user);
    for (uint32_t i = 0; i < live->order_count && !npart__is_late_at(at->session->inference->arena, i); i++)
        pass(at, live->order[i]);
}

/* From the end: a value leads to a Transpose where one uses it, or a node that a Transpose moves past and whose result
 * does. What gets a layout of its own has Transposes round it. */
static void find_leading(const struct holder *at, const struct npart__in_order *live)
{
    for (uint32_t i = live->order_count; i-- > 0;) {
        const struct npart__node *node = npart__node_at(at->graph, live->order[i]);
        bool is_end = plays(at, node, NPART__ROLE_REORDERS_AXES) ||
                      npart__is_among(node, at->layout, at->target->oplist->layout_ops.count);
        npart__lead_back(at->graph, node, is_end, !is_end && is_through(at, node), at->leads);
    }
}

static void look_at_all(struct holder *at, const struct npart__in_order *live)
{
    bool moves = false, stays;
    for (uint32_t i = 0; !moves && i < live->order_count; i++) {
        const struct npart__node *node = npart__node_at(at->graph, live->order[i]);
        moves = moves_on(at, live->order[i], &stays) || is_empty_pair(at, node) ||
                npart__is_among(node, at->layout, at->target->oplist->layout_ops.count);
    }
    look_through(at, live, false);
    if (moves)
        find_leading(at, live);
    if (moves && is_any_taken(at, live))
        look_through(at, live, true);
}

/* The sets of ops, and what is kept of values and nodes. */
static bool open_holder(struct holder *at, struct npart__arena *arena)
{
    const struct npart__oplist *oplist = at->target->oplist;
    size_t values = at->graph->values.count + (size_t)1;
    at->quantized = npart__find_ops(at->graph, oplist->quantized_ops.items, oplist->quantized_ops.count, arena);
    at->early = npart__find_ops(at->graph, oplist->early_ops.items, oplist->early_ops.count, arena);
    at->plain = npart__find_ops(at->graph, oplist->plain_ops.items, oplist->plain_ops.count, arena);
    at->layout = npart__find_ops(at->graph, oplist->layout_ops.items, oplist->layout_ops.count, arena);
    at->through = npart__find_ops(at->graph, oplist->through_ops.items, oplist->through_ops.count, arena);
    at->beyond->held = npart__arena_zeroed(arena, values, sizeof *at->beyond->held);
    at->beyond->turned = npart__arena_zeroed(arena, values, sizeof *at->beyond->turned);
    at->beyond->source = npart__arena_allocate(arena, values * sizeof *at->beyond->source);
    at->beyond->first_user = npart__arena_allocate(arena, values * sizeof *at->beyond->first_user);
    at->leads = npart__arena_zeroed(arena, values, sizeof *at->leads);
    if (!at->quantized || !at->early || !at->plain || !at->layout || !at->through || !at->beyond->held ||
        !at->beyond->turned || !at->beyond->source || !at->beyond->first_user || !at->leads)
        return false;
    memset(at->beyond->source, 0xff, values * sizeof *at->beyond->source);
    return true;
}

bool npart__hold(const struct npart__target *target, const struct npart__session *session, struct npart__arena *arena,
                 struct npart__beyond *beyond)
{
    struct holder at = {.target = target, .session = session, .graph = session->graph, .beyond = beyond};
    struct npart__in_order live = {.session = session};
    unsigned questions = find_questions(target, session);
    if (!questions)
        return true;
    live.order = npart__order_main(session, arena, &live.order_count);
    if (!live.order || !open_holder(&at, arena))
        return false;
    if (questions & OF_OTHERS)
        look_at_all(&at, &live);
    else
        memset(beyond->held, NPART__HELD_QUANTIZED, session->graph->values.count);
    return !(questions & TURNED) || npart__hold_transposes(target, &live, at.layout, at.through, arena, beyond);
}
