/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the whole graph moves data on a chip that keeps images channels last, in blocks of so many channels, rows and
 * columns (`channel_tile`, `height_tile`, `width_tile`). What the file writes channels first is a way to name axes
 * there, so a Transpose between the two orders moves nothing; but what looks at axes in the file's order (a Reshape
 * that takes channels apart, a product) needs the data in that order, which is a pass over them, once for a tensor.
 * Where channels are put together within a block a Concat is such a pass, too.
 */
#include <math.h>

#include "cost/cost.h"

enum { PLAIN, SENSITIVE, THROUGH }; /* of an operator */

struct finding {
    const struct npart__graph *graph;
    const struct npart__session *session;
    uint8_t *class_of;    /* by interned op type */
    bool *is_native;      /* by value: its data lie channels last, and its axes are told channels first */
    bool *is_either;      /* by value: what the graph is given, or made of that alone; io_gb_per_s has its order */
    bool *is_done;        /* by value: it was converted */
    double *owed;         /* by value: elements converted for it by nodes that compute nothing themselves */
    const struct npart__work *works;
    struct npart__image_blocks *out;
};

static const struct npart__fact *fact_at(const struct finding *at, uint32_t value)
{
    return value == NPART_NONE ? NULL : npart__fact_of(at->session->inference, value);
}

/* Whether channels are one, or positions are: then both orders are the same. */
static bool is_line(const struct npart__fact *fact)
{
    bool has_positions = false;
    for (uint32_t i = 2; i < fact->rank; i++)
        has_positions |= fact->dims[i] != 1;
    return !has_positions || fact->dims[1] == 1;
}

static bool is_image(const struct npart__fact *fact)
{
    return fact && fact->has_rank && fact->rank >= 3 && !fact->is_constant;
}

/* Makes a node's operand lie as the node wants it: read and written once, for all later users as well. */
static void need(struct finding *at, uint32_t node, uint32_t value, bool native)
{
    const struct npart__fact *fact = fact_at(at, value);
    uint64_t elements;
    if (!is_image(fact) || at->is_native[value] == native || at->is_either[value] || at->is_done[value] ||
        is_line(fact) || !npart__static_elements(fact, &elements))
        return;
    at->is_done[value] = true;
    at->out->converted[node] += (double)elements;
}

static void take_transpose(struct finding *at, uint32_t id, uint32_t value, uint32_t result)
{
    int64_t order[NPART__LIMIT_RANK];
    uint32_t rank;
    bool native = at->is_native[value];
    if (!is_image(fact_at(at, value)) || !npart__order_of_axes(at->session->inference, id, order, &rank) ||
        !npart__brings_channels(order, rank, native))
        return;
    at->out->is_free[id] = true;
    at->is_native[result] = !native;
}

/* Positions that are made one axis, or several of one, leave the order as it is: channels stay. */
static void take_reshape(struct finding *at, uint32_t id, uint32_t value, uint32_t result)
{
    const struct npart__fact *from = fact_at(at, value), *to = fact_at(at, result);
    if (!at->is_native[value] || !is_image(from) || !to->has_rank)
        return;
    bool keeps = to->rank >= 3 && from->dims[0] == to->dims[0] && from->dims[1] == to->dims[1];
    at->is_native[result] = is_line(from) ? to->rank >= 4 : keeps;
    if (!keeps)
        need(at, id, value, false);
}

/* A Reshape has no cost of its own: what is converted for it is paid by who uses its result first. */
static void settle(struct finding *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    uint32_t result = npart__node_output(at->graph, node, 0);
    bool is_payer = at->works[id].class != NPART_WORK_NONE;
    for (uint32_t k = 0; k < node->input_count; k++) {
        uint32_t value = npart__operand_past_copies(at->session, node, k);
        if (value == NPART_NONE)
            continue;
        at->out->converted[id] += at->owed[value];
        at->owed[value] = 0;
    }
    if (!is_payer && result != NPART_NONE) {
        at->owed[result] = at->out->converted[id];
        at->out->converted[id] = 0;
    }
}

static void take_node(struct finding *at, uint32_t id)
{
    const struct npart__node *node = npart__node_at(at->graph, id);
    uint8_t class = at->class_of[node->op_type];
    uint32_t first = node->input_count ? npart__operand_past_copies(at->session, node, 0) : NPART_NONE;
    uint32_t result = npart__node_output(at->graph, node, 0);
    bool native = class == SENSITIVE, either = class == THROUGH, has_images = false;
    bool is_transpose = npart__comes_from(node, NPART__WAY(TRANSPOSE));
    bool is_view = npart__comes_from(node, NPART__WAYS_VIEW);
    if (first != NPART_NONE && result != NPART_NONE && is_transpose)
        take_transpose(at, id, first, result);
    if (first != NPART_NONE && result != NPART_NONE && is_view)
        take_reshape(at, id, first, result);
    if (is_transpose || is_view)
        return;
    for (uint32_t k = 0; k < node->input_count; k++) {
        uint32_t value = npart__operand_past_copies(at->session, node, k);
        if (!is_image(fact_at(at, value)))
            continue;
        has_images = true;
        native |= class == THROUGH && at->is_native[value];
        either &= at->is_either[value];
    }
    /* Of what computes channels last the first operand alone is an image: its weights are laid out beforehand. */
    for (uint32_t k = 0; k < node->input_count && (class != SENSITIVE || k == 0); k++)
        need(at, id, npart__operand_past_copies(at->session, node, k), native);
    for (uint32_t k = 0; k < node->output_count; k++) {
        uint32_t value = npart__node_output(at->graph, node, k);
        if (value == NPART_NONE)
            continue;
        at->is_native[value] = native;
        at->is_either[value] = either && has_images;
    }
}

static bool classify(struct finding *at, const char *const *ops, uint32_t count, uint8_t class,
                     struct npart__arena *arena)
{
    const struct npart__op_id *ids = npart__find_ops(at->graph, ops, count, arena);
    for (uint32_t i = 0; ids && i < count; i++)
        if (ids[i].op_type != NPART_NONE)
            at->class_of[ids[i].op_type] = class;
    return ids != NULL;
}

static uint32_t size_of(const struct npart__parameter *parameter)
{
    double size = parameter ? parameter->typical : 0;
    return size >= 1 ? (uint32_t)(size < NPART__MOST_BLOCK ? size : NPART__MOST_BLOCK) : 0;
}

/* Linear in operands. */
bool npart__find_blocks(const struct npart__target *target, const struct npart__session *session,
                        const struct npart__node_costs *nodes, struct npart__arena *arena,
                        struct npart__image_blocks *out)
{
    const struct npart__oplist *oplist = target->oplist;
    const struct npart__graph *graph = session->graph;
    memset(out, 0, sizeof *out);
    out->channels = size_of(nodes->rates.values[0][NPART__PARAMETER_CHANNEL_TILE]);
    if (out->channels == 0)
        return true;
    size_t values = graph->values.count + (size_t)1, count = graph->nodes.count + (size_t)1;
    struct finding at = {.graph = graph, .session = session, .works = nodes->works, .out = out};
    at.class_of = npart__arena_zeroed(arena, graph->strings.texts.count + (size_t)1, sizeof *at.class_of);
    at.is_native = npart__arena_zeroed(arena, values, sizeof *at.is_native);
    at.is_either = npart__arena_zeroed(arena, values, sizeof *at.is_either);
    at.is_done = npart__arena_zeroed(arena, values, sizeof *at.is_done);
    at.owed = npart__arena_zeroed(arena, values, sizeof *at.owed);
    out->is_free = npart__arena_zeroed(arena, count, sizeof *out->is_free);
    out->converted = npart__arena_zeroed(arena, count, sizeof *out->converted);
    if (!at.class_of || !at.is_native || !at.is_either || !at.is_done || !at.owed || !out->is_free || !out->converted)
        return false;
    if (!classify(&at, oplist->through_ops.items, oplist->through_ops.count, THROUGH, arena) ||
        !classify(&at, oplist->layout_ops.items, oplist->layout_ops.count, SENSITIVE, arena))
        return false;
    for (uint32_t v = 0; v < graph->values.count; v++)
        at.is_either[v] = npart__value_at(graph, v)->kind == NPART__VALUE_INPUT;
    for (uint32_t i = 0; i < graph->order_count; i++) {
        uint32_t id = graph->order[i];
        if (!npart__is_live(session, id) || npart__is_copy(graph, id) || npart__node_region(graph, id) != 0)
            continue;
        take_node(&at, id);
        settle(&at, id);
    }
    return true;
}

/* Whether a Concat's operands are written where it reads them: of images along positions, or channels in whole
 * blocks. */
bool npart__joins_blocks(const struct npart__image_blocks *blocks, const struct npart__session *session, uint32_t id)
{
    const struct npart__node *node = npart__node_at(session->graph, id);
    int64_t axis = npart__node_int(session->graph, node, "axis", 0);
    for (uint32_t k = 0; k < node->input_count; k++) {
        uint32_t value = npart__node_input(session->graph, node, k);
        const struct npart__fact *fact = value == NPART_NONE ? NULL : npart__fact_of(session->inference, value);
        if (!fact || !fact->has_rank || fact->rank < 4)
            return false;
        bool is_channels = axis == 1 || axis == 1 - (int64_t)fact->rank;
        if (is_channels && k + 1 < node->input_count &&
            (!npart__is_number(fact->dims[1]) || fact->dims[1] % (int64_t)blocks->channels != 0))
            return false;
    }
    return true;
}

/* How many times as many rows of a convolution's product there are when its result is filled up to whole blocks; 1 of
 * what is no image. 14 x 14 results in blocks of 8 x 8 are computed as 16 x 16. */
double npart__fill_up_image(const struct npart__rates *rates, enum npart__arithmetic arithmetic,
                            const struct npart__fact *fact, const struct npart__work *work, uint64_t tile)
{
    const enum npart__parameter_name names[] = {NPART__PARAMETER_HEIGHT_TILE, NPART__PARAMETER_WIDTH_TILE};
    double rows = 1, filled = (double)(work->rows / tile + (work->rows % tile != 0)) * (double)tile;
    if (!fact || !fact->has_rank || fact->rank < 4 || work->rows == 0)
        return 1;
    for (uint32_t i = 0; i < fact->rank; i++) {
        uint32_t block = i + 2 >= fact->rank ? size_of(rates->values[arithmetic][names[i + 2 - fact->rank]]) : 1;
        double size = block ? block : 1;
        if (!npart__is_number(fact->dims[i]))
            return 1;
        rows *= i == 1 ? 1 : ceil((double)fact->dims[i] / size) * size;
    }
    return ceil(rows / (double)tile) * (double)tile / filled;
}
