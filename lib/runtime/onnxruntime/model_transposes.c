/* SPDX-License-Identifier: Apache-2.0
 *
 * Transposes of the model (or what a list's `moved` line names) that the runtime moves past nodes which work in either
 * layout. Among nodes that are taken this changes nothing; past a node on the CPU it does: a Transpose after it may be
 * a partition of its own, and where two meet they cancel or become one.
 *
 * Modelled on onnxruntime/core/optimizer: transpose_optimization, which moves a Transpose that will meet another, and
 * layout_transformation, which moves those between channels first and last whatever it costs. A *span* is what lies
 * between a Transpose and the one value that leaves: all its operands are constants or come from the Transpose. Beside
 * other operands, and where more than one value leaves, the runtime makes Transposes of its own: such ones stay here.
 *
 * In Transpose -> Relu -> Conv with the Relu on the CPU, the Transpose is a partition of one node; moved past the
 * Relu it is beside the Conv and in its partition. Each span is found from its Transpose by walking forward over at
 * most NPART__LIMIT_LAYOUT_STEPS nodes.
 */
#include "onnxruntime/onnxruntime.h"

/* Operands of a node that a Transpose moves past; before a node with more it stays. */
#define MOST_OPERANDS 8u

/* Uses and inner nodes are ranges of the mover's lists, so that a span which is given up is taken back by cutting the
 * lists. */
struct span {
    uint32_t node, last, meets; /* what moves; what makes the value that leaves; the next Transpose, or NPART_NONE */
    bool cancels;               /* with the next */
    bool is_refused; /* where it comes to rest it reads integers that no node has noted (lib/runtime/qnn) */
    uint32_t first_use, use_count, first_inner, inner_count;
};

struct mover {
    struct npart__plan *plan;
    const struct npart__session *session;
    const struct npart__graph *graph; /* the session's */
    const struct npart__op_id *moved, *through;
    uint32_t *value_in; /* by value: the Transpose whose span it was found in, plus one */
    uint32_t *node_in;  /* the same by node */
    bool *is_part;      /* by node: of a span that counts */
    struct NPART__ARRAY(struct npart__use) uses; /* operands that are the Transpose's result */
    struct NPART__ARRAY(uint32_t) inner;         /* nodes of spans */
    struct NPART__ARRAY(struct span) spans;
};

/* By the list's line, as in `moved Transpose`. */
static bool is_moved_op(const struct mover *at, uint32_t id)
{
    return npart__is_among(npart__node_at(at->graph, id), at->moved,
                           at->plan->target.oplist->moved_ops.count);
}

/* By the list's `through` line: what works in either layout. */
static bool goes_through(const struct mover *at, uint32_t id)
{
    return npart__is_among(npart__node_at(at->graph, id), at->through,
                           at->plan->target.oplist->through_ops.count);
}

/* Of a plain node its only result. */
static uint32_t result_of(const struct mover *at, uint32_t id)
{
    return npart__node_output(at->graph, npart__node_at(at->graph, id), 0);
}

static bool is_output(const struct mover *at, uint32_t value)
{
    return npart__value_at(at->graph, value)->is_graph_output;
}

/* Live, of the main graph, with one result, in no span and no QDQ node unit. A body or a second result would need
 * Transposes of the runtime's own. */
static bool is_plain(const struct mover *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    return npart__is_live(at->session, id) && !at->is_part[id] && !at->plan->mask.in_units[id] &&
           npart__node_region(at->graph, id) == 0 && node->body_count == 0 && node->input_count > 0 &&
           npart__has_one_result(at->graph, node);
}

/* Undecided nodes are on the CPU here, as in the plan. */
static bool is_taken(const struct mover *at, uint32_t id)
{
    return at->plan->mask.verdicts[id] == NPART_VERDICT_NPU;
}

/* Element-wise without broadcasting: what stands before the node and what it makes have one shape, so the same order
 * of axes fits both. Inference's expressions are compared, so two dims `batch` are equal though neither is known. */
static bool have_same_type(const struct mover *at, uint32_t a, uint32_t b)
{
    const struct npart__fact *left = npart__fact_of(at->session->inference, a);
    const struct npart__fact *right = npart__fact_of(at->session->inference, b);
    if (!left->has_rank || !right->has_rank || left->rank != right->rank || left->element_type != right->element_type)
        return false;
    for (uint32_t i = 0; i < left->rank; i++)
        if (!npart__same(left->dims[i], right->dims[i]))
            return false;
    return true;
}

/* A Transpose that is taken. One after another has an order that is not its own, or will have. By the file's
 * graph, so also where the first is gone. */
static bool is_movable(const struct mover *at, uint32_t id)
{
    const struct npart__graph *file = at->session->file;
    uint32_t operand = is_moved_op(at, id) ? npart__node_input(file, npart__node_at(file, id), 0) : NPART_NONE;
    uint32_t producer = npart__producer(file, operand);
    return operand != NPART_NONE && is_plain(at, id) && is_taken(at, id) &&
           (producer == NPART_NONE || !is_moved_op(at, producer));
}

/* Whether a Transpose before all operands of the node that are no constants may as well stand after it. In one
 * round only: what an earlier round compiled is one node to the runtime, and nothing is moved into it or out of
 * it. */
static bool can_join(const struct mover *at, uint32_t id, const struct span *span)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    if (!is_plain(at, id) || !goes_through(at, id) || node->input_count > MOST_OPERANDS ||
        at->session->round[id] != at->session->round[span->node] ||
        !have_same_type(at, result_of(at, span->node), result_of(at, id)))
        return false;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t operand = npart__node_input(at->graph, node, i);
        if (operand != NPART_NONE && !at->session->is_constant[operand] && at->value_in[operand] != span->node + 1)
            return false;
    }
    return true;
}

/* Nodes of the runtime's own would turn back a constant that others use too, as they are or as equal ones. A
 * constant of one element needs no turning. */
static bool has_own_constants(const struct mover *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    const struct npart__inference *inference = at->session->inference;
    for (uint32_t i = 0; i < node->input_count; i++) {
        uint32_t value = npart__node_input(at->graph, node, i);
        uint64_t elements = 0;
        if (value == NPART_NONE || !at->session->is_constant[value])
            continue;
        bool is_single = npart__static_elements(npart__fact_of(inference, value), &elements) && elements == 1;
        bool is_own = npart__user_count(at->session, value) == 1 && !is_output(at, value) &&
                      (!inference->equal_uses || inference->equal_uses[value] == 1);
        if (!is_single && !is_own)
            return false;
    }
    return true;
}

/* A node and its result. False when out of memory. Marks are by Transpose, so that a span which is given up leaves
 * none for the next. A node that uses the Transpose twice has two uses, each of which is rewired. */
static bool join(struct mover *at, uint32_t id, struct span *span)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    at->node_in[id] = at->value_in[result_of(at, id)] = span->node + 1;
    for (uint32_t i = 0; i < node->input_count; i++) {
        struct npart__use use = {.node = id, .index = i};
        if (npart__node_input(at->graph, node, i) != result_of(at, span->node))
            continue;
        if (!NPART__PUSH(at->plan->arena, &at->uses, use))
            return false;
        span->use_count++;
    }
    span->inner_count++;
    return NPART__PUSH(at->plan->arena, &at->inner, id);
}

/* What else uses the value, when the span is known: whether anything does; whether that lets a Transpose on.
 * `goes_on` is only ever set: callers ask several values one after the other. */
static bool leaves(const struct mover *at, const struct span *span, uint32_t value, bool *goes_on)
{
    bool is_used = is_output(at, value);
    for (uint32_t i = 0; i < npart__user_count(at->session, value); i++) {
        uint32_t user = npart__user(at->session, value, i);
        if (at->node_in[user] == span->node + 1)
            continue;
        is_used = true;
        *goes_on = *goes_on || goes_through(at, user) || is_moved_op(at, user);
    }
    return is_used;
}

/* Two that meet: whether they can be taken for one, and what becomes of them. */
static bool can_meet(const struct mover *at, struct span *span)
{
    int64_t inner[NPART__LIMIT_RANK], outer[NPART__LIMIT_RANK];
    uint32_t rank, outer_rank;
    /* Of two of different rounds one is compiled already. */
    if (!is_movable(at, span->meets) || at->session->round[span->meets] != at->session->round[span->node] ||
        !npart__order_left(at->session, span->node, inner, &rank) ||
        !npart__order_left(at->session, span->meets, outer, &outer_rank) || rank != outer_rank)
        return false;
    span->cancels = npart__orders_cancel(inner, outer, rank);
    return true;
}

/* All nodes that can be in the span. False when out of memory, or when they are too many. Breadth first: `inner` is
 * the list of what was found and the queue of what to look at next. A user that cannot join yet may join later,
 * when its other operands have: it is met again as a user of theirs. */
static bool gather(struct mover *at, struct span *span, bool *out_of_memory)
{
    uint32_t value = result_of(at, span->node);
    at->value_in[value] = span->node + 1;
    for (uint32_t next = 0;; next++) {
        for (uint32_t i = 0; i < npart__user_count(at->session, value); i++) {
            uint32_t user = npart__user(at->session, value, i);
            if (at->node_in[user] == span->node + 1 || !can_join(at, user, span))
                continue;
            *out_of_memory = !join(at, user, span);
            if (*out_of_memory || span->inner_count > NPART__LIMIT_LAYOUT_STEPS)
                return false;
        }
        if (next == span->inner_count)
            return true;
        value = result_of(at, at->inner.items[span->first_inner + next]);
    }
}

/* False where the node stays, or cannot be followed. The Transpose may stand at one place only, so of all that the
 * span makes one value may leave it, and nothing outside may use what the Transpose made. Where something after that
 * value would let the Transpose on, the runtime moves it further than is followed here, so it stays: an answer that
 * cannot be told is not given. A Transpose at the end joins only where it alone uses the value: else the value
 * must be there in both layouts. */
static bool follow(struct mover *at, struct span *span, bool *out_of_memory)
{
    bool goes_on = false;
    if (!gather(at, span, out_of_memory) || leaves(at, span, result_of(at, span->node), &goes_on))
        return false;
    for (uint32_t i = 0; i < span->inner_count; i++) {
        uint32_t id = at->inner.items[span->first_inner + i];
        if (!leaves(at, span, result_of(at, id), &goes_on))
            continue;
        if (span->last != NPART_NONE)
            return false;
        span->last = id;
    }
    if (span->last == NPART_NONE)
        return false;
    uint32_t value = result_of(at, span->last);
    bool has_one_user = !is_output(at, value) && npart__user_count(at->session, value) == 1;
    span->meets = has_one_user ? npart__user(at->session, value, 0) : NPART_NONE;
    if (has_one_user && is_moved_op(at, span->meets))
        return can_meet(at, span);
    span->meets = NPART_NONE;
    return !goes_on;
}

/* Whether anything is different once it has moved, and the runtime moves it. A pair that meets is joined by the
 * first optimizer; a lone one only moves in the layout pass, between channels first and last, and not where
 * constants would be turned back by nodes of the runtime's own. */
static bool is_worth_it(const struct mover *at, const struct span *span)
{
    int64_t order[NPART__LIMIT_RANK];
    uint32_t rank;
    bool is_past_cpu = false, are_constants_free = true;
    for (uint32_t i = 0; i < span->inner_count; i++) {
        uint32_t id = at->inner.items[span->first_inner + i];
        is_past_cpu = is_past_cpu || !is_taken(at, id);
        are_constants_free = are_constants_free && has_own_constants(at, id);
    }
    /* Past nodes that are all taken nothing changes. Of a pair one goes at least, so past a node on the CPU it moves
     * whatever the order of its axes is. */
    if (!is_past_cpu || span->meets != NPART_NONE)
        return is_past_cpu;
    return are_constants_free && npart__order_left(at->session, span->node, order, &rank) &&
           npart__moves_channels(order, rank);
}

/* What a node on the CPU makes of integers is plain to a provider that notes what its nodes read, and it transposes no
 * such: the Transpose is on the CPU, too. */
static bool reads_integers(const struct mover *at, const struct span *span)
{
    const struct npart__fact *fact = npart__fact_of(at->session->inference, result_of(at, span->last));
    return at->plan->mask.beyond.held && !is_taken(at, span->last) && fact->kind == NPART__TYPE_TENSOR &&
           (fact->element_type == NPART__UINT8 || fact->element_type == NPART__INT8);
}

/* False when out of memory. In the order of execution; a node is in one span at most, the first that finds it.
 * Marks by node and value are left as they are where a span is given up: they hold the Transpose's id, and no
 * other span asks for that. */
static bool find_spans(struct mover *at)
{
    for (uint32_t i = 0; i < at->graph->order_count; i++) {
        uint32_t id = at->graph->order[i];
        struct span span = {.node = id, .last = NPART_NONE, .meets = NPART_NONE, .first_use = at->uses.count,
                            .first_inner = at->inner.count};
        bool out_of_memory = false;
        bool is_found = is_movable(at, id) && follow(at, &span, &out_of_memory) && is_worth_it(at, &span);
        if (out_of_memory || (is_found && !NPART__PUSH(at->plan->arena, &at->spans, span)))
            return false;
        if (!is_found) {
            at->uses.count = span.first_use;
            at->inner.count = span.first_inner;
            continue;
        }
        at->is_part[id] = true;
        at->spans.items[at->spans.count - 1].is_refused = span.meets == NPART_NONE && reads_integers(at, &span);
        for (uint32_t k = 0; k < span.inner_count; k++)
            at->is_part[at->inner.items[span.first_inner + k]] = true;
        if (span.meets != NPART_NONE)
            at->is_part[span.meets] = true;
    }
    return true;
}

/* ---- what becomes of the plan ------------------------------------------------------------------------------- */

/* False when out of memory. The lists of uses are borrowed by the moves, which are made before anything is added
 * again. */
static bool move_all(const struct mover *at, struct npart__session *session)
{
    struct npart__arena *arena = at->plan->arena;
    struct NPART__ARRAY(struct npart__move) moves = {0};
    for (uint32_t i = 0; i < at->spans.count; i++) {
        const struct span *span = &at->spans.items[i];
        const struct npart__move move = {.node = span->node,
                                         .last = span->last,
                                         .uses = NPART__FROM(&at->uses, span->first_use),
                                         .use_count = span->use_count};
        if (span->meets == NPART_NONE && !span->is_refused && !NPART__PUSH(arena, &moves, move))
            return false;
    }
    return moves.count == 0 || npart__session_move(session, moves.items, moves.count, arena);
}

/* False when out of memory. Of two that cancel both go; of two that do not, the second stays and does the work of
 * both. One that is left to the CPU goes as well: there is no such node in the file. */
static bool drop_met(const struct mover *at, struct npart__session *session)
{
    struct npart__arena *arena = at->plan->arena;
    struct NPART__ARRAY(uint32_t) met = {0};
    for (uint32_t i = 0; i < at->spans.count; i++) {
        const struct span *span = &at->spans.items[i];
        if (span->meets == NPART_NONE && !span->is_refused)
            continue;
        if (!NPART__PUSH(arena, &met, span->node) || (span->cancels && !NPART__PUSH(arena, &met, span->meets)))
            return false;
    }
    return npart__session_undo(session, met.items, met.count, arena);
}

/* After all is judged, since whether it matters depends on which nodes are taken; before partitions are formed.
 * The plan's session may be shared with other targets, so it is copied first, with no bodies to expand; drops come
 * before moves, because connecting begins from the file's order and would forget what was moved. */
npart_status npart__move_transposes(struct npart__plan *plan, struct npart_error *error)
{
    const struct npart__oplist *oplist = plan->target.oplist;
    const struct npart__session before = plan->session;
    struct mover mover = {.plan = plan, .session = &before, .graph = before.graph};
    uint32_t nodes = before.graph->nodes.count, values = before.graph->values.count;
    /* Most lists have no such line: their compilers take the graph as it is. */
    if (oplist->moved_ops.count == 0)
        return NPART_OK;
    mover.moved = npart__find_ops(before.graph, oplist->moved_ops.items, oplist->moved_ops.count, plan->arena);
    mover.through = npart__find_ops(before.graph, oplist->through_ops.items, oplist->through_ops.count, plan->arena);
    mover.is_part = npart__arena_zeroed(plan->arena, nodes + (size_t)1, sizeof *mover.is_part);
    mover.node_in = npart__arena_zeroed(plan->arena, nodes + (size_t)1, sizeof *mover.node_in);
    mover.value_in = npart__arena_zeroed(plan->arena, values + (size_t)1, sizeof *mover.value_in);
    bool is_ready = mover.moved && mover.through && mover.is_part && mover.node_in && mover.value_in;
    if (!is_ready || !find_spans(&mover))
        return npart__fail_memory(error);
    if (mover.spans.count == 0)
        return NPART_OK;
    npart_status status =
        npart__session_expand(&plan->session, NULL, 0, 0, plan->arena, error);
    if (status == NPART_OK && (!drop_met(&mover, &plan->session) || !move_all(&mover, &plan->session)))
        status = npart__fail_memory(error);
    return status;
}
