/* SPDX-License-Identifier: Apache-2.0
 *
 * QDQ node units (lib/analysis/session/units.c): ONNX Runtime's utility for partitions asks about units
 * (core/providers/partitioning_utils.cc, node_unit_map), so a DequantizeLinear waits until all operands of its unit
 * have been computed: that of a weight too, which waits for nothing itself.
 */
#include "partition/steps.h"

/* False when no DequantizeLinear is accepted. Most models are not quantized, and are done here. A runtime that
 * knows no units (npart__has_units) is done at once. */
static bool has_work(const struct npart__step_request *request)
{
    for (uint32_t i = 0; npart__has_units(request->session) && i < request->count; i++)
        if (request->accepted[request->order[i]] &&
            npart__plays(request->graph, request->order[i], NPART__ROLE_DEQUANTIZES))
            return true;
    return false;
}

/* Whether no other node uses the DequantizeLinear's result, which is no output, nor does the file write a second one.
 * The same node may use it twice, as both operands. Copies have been made by then, so mostly it is so. Users are in the
 * order of their ids. */
static bool is_lone_user(const struct npart__step_request *request, uint32_t id, uint32_t user)
{
    const struct npart__graph *graph = request->graph;
    uint32_t value = npart__node_output(graph, npart__node_at(graph, id), 0);
    uint32_t count = npart__user_count(request->session, value);
    return count && !npart__value_at(graph, value)->is_graph_output &&
           npart__has_one_result(graph, npart__node_at(graph, id)) &&
           npart__user(request->session, value, 0) == user && npart__user(request->session, value, count - 1) == user;
}

/* A unit that is whole: no cut of the user's goes through it. An operator that falls back takes its
 * DequantizeLinear with it by a rule of the list, and has no step to give. */
static bool is_unit(const struct npart__step_request *request, uint32_t id)
{
    const struct npart__graph *graph = request->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    bool is_whole = request->accepted[id] && npart__is_inside(request, id) && npart__is_unit(request->session, id);
    for (uint32_t k = 0; is_whole && k < node->input_count; k++)
        is_whole = npart__live_operand(request->session, node, k) == NPART_NONE ||
                   npart__producer_inside(request, node, k) != NPART_NONE;
    for (uint32_t k = 0; is_whole && k < node->output_count; k++) {
        uint32_t value = npart__node_output(graph, node, k);
        for (uint32_t i = 0; i < npart__user_count(request->session, value); i++)
            is_whole &= npart__is_inside(request, npart__user(request->session, value, i));
    }
    return is_whole;
}

/* The DequantizeLinear of a weight takes a constant and could run at once, in wave 0. The Conv that uses it waits
 * for an unsupported node and is of wave 1; the runtime asks about the unit, so its DequantizeLinear is of wave 1,
 * too. The later step is safe: what a DequantizeLinear makes goes to that one user. */
void npart__join_units(struct npart__step_request *request)
{
    bool is_needed = has_work(request);
    for (uint32_t i = 0; is_needed && i < request->count; i++) {
        uint32_t id = request->order[i];
        const struct npart__node *node = npart__node_at(request->graph, id);
        bool is_whole = is_unit(request, id);
        for (uint32_t k = 0; is_whole && k < node->input_count; k++) {
            uint32_t producer = npart__producer_inside(request, node, k);
            if (producer != NPART_NONE && request->accepted[producer] &&
                npart__plays(request->graph, producer, NPART__ROLE_DEQUANTIZES) && is_lone_user(request, producer, id))
                request->step_of[producer] = request->step_of[id];
        }
    }
}
