/* SPDX-License-Identifier: Apache-2.0
 *
 * The walk over the nodes that outputs need. What is known in both probes is control, and is right where it is the same
 * once the empty slots are cut off. All else is data: by induction it is the same in both where the operands are, and
 * where the node sees slots its operator must treat each of them by itself, or hide the empty ones (slot_operators.c).
 */
#include "cache/internal.h"

/* ---- which nodes are needed -------------------------------------------------------------------------------------- */

static bool *list_live(const struct npart__graph *graph, struct npart__arena *arena)
{
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    bool *is_live = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *is_live);
    bool *is_used = npart__arena_zeroed(arena, graph->values.count + (size_t)1, sizeof *is_used);
    if (!is_live || !is_used)
        return NULL;
    for (uint32_t i = 0; i < scope->output_count; i++) {
        uint32_t output = graph->operands.items[scope->first_output + i];
        is_used[npart__value_at(graph, output)->alias] = true;
    }
    for (uint32_t i = scope->order_count; i-- > 0;) {
        uint32_t id = graph->order[scope->first_order + i];
        const struct npart__node *node = npart__node_at(graph, id);
        for (uint32_t k = 0; k < node->output_count; k++) {
            uint32_t result = npart__node_output(graph, node, k);
            is_live[id] |= result != NPART_NONE && is_used[result];
        }
        for (uint32_t k = 0; is_live[id] && k < node->input_count + node->capture_count; k++) {
            uint32_t operand = npart__node_use(graph, node, k);
            if (operand != NPART_NONE)
                is_used[npart__value_at(graph, operand)->alias] = true;
        }
    }
    return is_live;
}

/* ---- flows ------------------------------------------------------------------------------------------------------- */

static uint32_t count_bits(uint64_t bits)
{
    uint32_t count = 0;
    for (; bits; bits &= bits - 1)
        count++;
    return count;
}

static uint32_t lowest_bit(uint64_t bits)
{
    uint32_t at = 0;
    while (!(bits >> at & 1))
        at++;
    return at;
}

bool npart__cache_start_flow(const struct npart__walk *walk, uint32_t value, struct npart__flow *out)
{
    uint64_t axes = 0;
    enum npart__relation relation = npart__cache_relation(walk->compared, value);
    *out = (struct npart__flow){.axis = NPART_NONE};
    out->is_known = relation != NPART__REL_DATA;
    out->is_wrong = relation == NPART__REL_GREW || relation == NPART__REL_OTHER;
    if (!npart__cache_axes(walk->compared, value, &axes))
        return out->is_known;
    if (axes)
        out->axis = lowest_bit(axes);
    out->is_wrong |= out->is_known && count_bits(axes) > 1;
    return out->is_known || count_bits(axes) <= 1;
}

static const struct npart__flow *flow_of(const struct npart__walk *walk, uint32_t value)
{
    return &walk->flows[npart__value_at(walk->work->graph, value)->alias];
}

bool npart__cache_is_used_anew(const struct npart__work *work, uint32_t node, uint32_t operand, uint32_t *value)
{
    for (uint32_t use = work->use_of[node]; use; use = work->uses.items[use - 1].next)
        if (work->uses.items[use - 1].operand == operand) {
            *value = work->uses.items[use - 1].value;
            return true;
        }
    return false;
}

/* Operands that are wrong are made anew where they are positions. */
static npart_status mend_operands(struct npart__walk *walk, bool *sees_slots)
{
    struct npart__work *work = walk->work;
    const struct npart__node *node = npart__node_at(work->graph, walk->node);
    uint32_t shapes = npart__cache_shape_operands(work->graph, walk->node);
    *sees_slots = false;
    for (uint32_t i = 0; i < node->input_count + node->capture_count; i++) {
        uint32_t operand = npart__node_use(work->graph, node, i);
        if (operand == NPART_NONE)
            continue;
        operand = npart__value_at(work->graph, operand)->alias;
        const struct npart__flow *flow = flow_of(walk, operand);
        if (i < 32 && shapes >> i & 1) {
            *sees_slots |= flow->is_wrong || !flow->is_known;
            continue;
        }
        *sees_slots |= flow->axis != NPART_NONE;
        if (!flow->is_wrong)
            continue;
        bool is_mended = i < node->input_count && npart__cache_repair(walk, operand);
        if (!is_mended)
            return npart__cache_refuse(work, walk->node,
                                       "operand %s depends on the number of slots, and is no position of new tokens",
                                       npart__value_name(work->graph, operand));
        struct npart__read use = {walk->node, i, operand, work->use_of[walk->node]};
        uint32_t noted;
        if (npart__cache_is_used_anew(work, walk->node, i, &noted))
            continue;
        if (!NPART__PUSH(work->arena, &work->uses, use))
            return npart__fail_memory(work->error);
        work->use_of[walk->node] = work->uses.count;
    }
    return NPART_OK;
}

static npart_status visit(struct npart__walk *walk)
{
    struct npart__work *work = walk->work;
    const struct npart__node *node = npart__node_at(work->graph, walk->node);
    bool is_control = true, grows = false, is_shaped = true, sees_slots;
    for (uint32_t i = 0; i < node->output_count; i++) {
        uint32_t result = npart__node_output(work->graph, node, i);
        if (result == NPART_NONE)
            continue;
        is_shaped &= npart__cache_start_flow(walk, result, &walk->flows[result]);
        is_control &= walk->flows[result].is_known;
        grows |= walk->flows[result].axis != NPART_NONE;
    }
    if (is_control)
        return NPART_OK;
    if (!is_shaped)
        return npart__cache_refuse(work, walk->node,
                                   "the shape of its result is not known, or does not grow by one axis");
    npart_status status = mend_operands(walk, &sees_slots);
    if (status != NPART_OK || (!sees_slots && !grows))
        return status;
    const char *reason = npart__cache_rule(walk);
    return reason ? npart__cache_refuse(work, walk->node, "%s", reason) : NPART_OK;
}

/* ---- outputs ----------------------------------------------------------------------------------------------------- */

/* What leaves the model is the same as of the growing cache. */
static npart_status check_outputs(const struct npart__walk *walk)
{
    struct npart__work *work = walk->work;
    const struct npart__scope *scope = npart__scope_at(work->graph, 0);
    for (uint32_t i = 0; i < scope->output_count; i++) {
        uint32_t output = work->graph->operands.items[scope->first_output + i];
        const struct npart__pair *pair = npart__cache_pair_of(work, output);
        const struct npart__flow *flow = flow_of(walk, pair ? pair->fresh : output);
        if (pair && flow_of(walk, pair->past)->axis != pair->axis)
            return npart__cache_refuse(work, pair->join, "the cache does not grow along the axis of the Concat");
        if (flow->axis != NPART_NONE || flow->is_wrong)
            return npart__cache_refuse(work, pair ? pair->join : NPART_NONE, "output %s depends on the number of slots",
                                       npart__value_name(work->graph, output));
    }
    return NPART_OK;
}

npart_status npart__cache_follow(struct npart__work *work, const struct npart__compared *compared)
{
    const struct npart__graph *graph = work->graph;
    const struct npart__scope *scope = npart__scope_at(graph, 0);
    struct npart__arena scratch;
    struct npart__walk walk = {.work = work, .compared = compared};
    npart_status status = NPART_OK;
    npart__arena_init(&scratch, &work->arena->allocator);
    walk.flows = npart__arena_zeroed(&scratch, graph->values.count + (size_t)1, sizeof *walk.flows);
    walk.tried = npart__arena_zeroed(&scratch, graph->values.count + (size_t)1, sizeof *walk.tried);
    if (!work->is_live)
        work->is_live = list_live(graph, work->arena);
    if (!walk.flows || !walk.tried || !work->is_live)
        status = npart__fail_memory(work->error);
    for (uint32_t i = 0; i < graph->values.count && status == NPART_OK; i++)
        if (npart__value_at(graph, i)->kind != NPART__VALUE_OUTPUT)
            (void)npart__cache_start_flow(&walk, i, &walk.flows[i]);
    for (uint32_t i = 0; i < scope->order_count && status == NPART_OK; i++) {
        walk.node = graph->order[scope->first_order + i];
        if (work->is_live[walk.node])
            status = visit(&walk);
    }
    if (status == NPART_OK)
        status = check_outputs(&walk);
    npart__arena_clear(&scratch);
    return status;
}

/* ---- the order of slots ------------------------------------------------------------------------------------------ */

static bool is_known(struct npart__probe *a, struct npart__probe *b, uint32_t value)
{
    return npart__cache_elements(a, value) && npart__cache_elements(b, value);
}

/* Whether control that enters the node is the same for each token, wherever that stands. What is made anew of positions
 * is, and what says how a result is shaped does not depend on which slots are used. */
static bool is_node_free(struct npart__work *work, uint32_t id, struct npart__probe *a, struct npart__probe *b,
                         const uint64_t *axes)
{
    const struct npart__node *node = npart__node_at(work->graph, id);
    uint32_t shapes = npart__cache_shape_operands(work->graph, id);
    for (uint32_t i = 0; i < node->input_count + node->capture_count; i++) {
        uint32_t operand = npart__node_use(work->graph, node, i);
        if (operand == NPART_NONE || (i < 32 && shapes >> i & 1))
            continue;
        operand = npart__value_at(work->graph, operand)->alias;
        if (work->position_of[operand] || work->is_repaired[operand] || !is_known(a, b, operand))
            continue;
        if (axes[operand] == UINT64_MAX || !npart__cache_is_moved(work, a, b, axes[operand], operand))
            return false;
    }
    return true;
}

bool npart__cache_is_free(struct npart__work *work, struct npart__probe *a, struct npart__probe *b,
                          const uint64_t *axes)
{
    const struct npart__scope *scope = npart__scope_at(work->graph, 0);
    for (uint32_t i = 0; i < scope->order_count; i++) {
        uint32_t id = work->graph->order[scope->first_order + i];
        const struct npart__node *node = npart__node_at(work->graph, id);
        bool is_control = true;
        for (uint32_t k = 0; k < node->output_count; k++) {
            uint32_t result = npart__node_output(work->graph, node, k);
            is_control &= result == NPART_NONE || is_known(a, b, result);
        }
        if (work->is_live[id] && !is_control && !is_node_free(work, id, a, b, axes))
            return false;
    }
    return true;
}
