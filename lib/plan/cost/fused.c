/* SPDX-License-Identifier: Apache-2.0
 *
 * Which nodes ONNX Runtime's CPU computes in one kernel (slow.def). They are one only where all of them are left to
 * the CPU: a provider takes its nodes before the runtime fuses the rest.
 */
#include "cost/cost.h"
#include "session/patterns.h"

enum condition { ALWAYS, LAST_AXIS, SAME, SWAPPED };

static const struct {
    const char *name;
    enum condition condition;
    const char *steps;
} rows[] = {
#define FUSED(name, condition, steps) {name, condition, steps},
#include "cost/slow.def"
};

#define BIASED(name) static const char biased[] = name;
#include "cost/slow.def"

static const struct npart__fact *fact_of(const struct npart__session *session, uint32_t value)
{
    return npart__fact_of(session->known ? session->known : session->inference, value);
}

static const struct npart__fact *operand(const struct npart__session *session, uint32_t node, uint32_t index)
{
    uint32_t value = npart__node_input(session->graph, npart__node_at(session->graph, node), index);
    return value == NPART_NONE ? NULL : fact_of(session, value);
}

static const struct npart__fact *result(const struct npart__session *session, uint32_t node)
{
    return fact_of(session, npart__node_output(session->graph, npart__node_at(session->graph, node), 0));
}

/* The shapes of a reduction tell its axes, whether they are an attribute or an operand. */
static bool reduces_last_axis(const struct npart__session *session, uint32_t node)
{
    const struct npart__fact *from = operand(session, node, 0), *to = result(session, node);
    if (!from || !from->has_rank || !to->has_rank || from->rank != to->rank || from->rank == 0)
        return false;
    for (uint32_t i = 0; i + 1 < from->rank; i++)
        if (from->dims[i] != to->dims[i])
            return false;
    return npart__is_number(to->dims[to->rank - 1]) && to->dims[to->rank - 1] == 1;
}

static bool have_same_shape(const struct npart__session *session, uint32_t node)
{
    const struct npart__fact *left = operand(session, node, 0), *right = operand(session, node, 1);
    if (!left || !right || !left->has_rank || !right->has_rank || left->rank != right->rank)
        return false;
    for (uint32_t i = 0; i < left->rank; i++)
        if (left->dims[i] != right->dims[i])
            return false;
    return true;
}

static bool swaps_last_axes(const struct npart__session *session, uint32_t node)
{
    int64_t order[NPART__LIMIT_RANK];
    uint32_t rank;
    if (!npart__order_of_axes(session->inference, node, order, &rank) || rank < 2)
        return false;
    for (uint32_t i = 0; i + 2 < rank; i++)
        if (order[i] != (int64_t)i)
            return false;
    return order[rank - 2] == (int64_t)rank - 1 && order[rank - 1] == (int64_t)rank - 2;
}

static bool holds(const struct npart__matcher *at, enum condition condition)
{
    switch (condition) {
    case LAST_AXIS:
        return reduces_last_axis(at->session, at->found.nodes[0]);
    case SAME:
        return have_same_shape(at->session, at->found.nodes[1]);
    case SWAPPED:
        return swaps_last_axes(at->session, at->found.nodes[at->found.count - 1]);
    default:
        return true;
    }
}

/* Floats, no result used outside, nodes of the file that are in no other. A product that has taken in its bias is a
 * Gemm by now. */
static bool fits(const struct npart__matcher *at, const struct npart__fused *fused, enum condition condition)
{
    uint32_t last = npart__match_last(at);
    for (uint32_t i = 0; i < at->found.count; i++)
        if (at->found.nodes[i] >= at->session->file->nodes.count || fused->of[at->found.nodes[i]] ||
            at->session->remade[at->found.nodes[i]] != NPART__REMADE_NOT)
            return false;
    uint8_t type = result(at->session, last)->element_type;
    return (type == NPART__FLOAT || type == NPART__FLOAT16) && holds(at, condition) &&
           npart__match_leak(at, last).kind == NPART__NOTHING_WRONG;
}

static bool add(struct npart__matcher *at, const char *name, struct npart__fused *fused, struct npart__arena *arena)
{
    struct npart__fused_kernel kernel = {
        .name = name, .first = fused->nodes.count, .count = at->found.count, .last = npart__match_last(at)};
    for (uint32_t i = 0; i < kernel.count; i++) {
        if (!NPART__PUSH(arena, &fused->nodes, at->found.nodes[i]))
            return false;
        fused->of[at->found.nodes[i]] = fused->items.count + 1;
    }
    return NPART__PUSH(arena, &fused->items, kernel);
}

bool npart__find_fused(const struct npart__session *session, enum npart_level level, struct npart__arena *arena,
                       struct npart__fused *out)
{
    struct npart__matcher at;
    memset(out, 0, sizeof *out);
    out->of = npart__arena_zeroed(arena, session->graph->nodes.count + (size_t)1, sizeof *out->of);
    if (!out->of || level == NPART_LEVEL_OFF)
        return out->of != NULL;
    bool is_ok = npart__matcher_init(&at, session, arena);
    for (size_t r = 0; is_ok && r < NPART__COUNT(rows); r++) {
        if (!npart__matcher_read(&at, rows[r].steps))
            continue;
        for (uint32_t i = 0; is_ok && i < session->graph->order_count; i++) {
            uint32_t id = session->graph->order[i];
            if (!out->of[id] && npart__may_begin(&at, id) && npart__matcher_find(&at, id, false) &&
                fits(&at, out, rows[r].condition))
                is_ok = add(&at, rows[r].name, out, arena);
        }
    }
    npart__matcher_clear(&at);
    return is_ok;
}

const char *npart__kernel_name(const struct npart__node_costs *nodes, const struct npart__session *session,
                               uint32_t node)
{
    const struct npart__fused_kernel *kernel = npart__kernel_of(nodes, node, NULL);
    if (kernel)
        return nodes->fused->nodes.items[kernel->first] == node ? kernel->name : "";
    uint8_t remade = session->remade[node];
    return remade == NPART__REMADE_PRODUCT || remade == NPART__REMADE_RESHAPED_PRODUCT ? biased : NULL;
}
