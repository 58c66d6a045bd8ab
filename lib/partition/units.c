/* SPDX-License-Identifier: Apache-2.0
 *
 * Quantized operators: an operator all of whose operands come from DequantizeLinear, and whose results go to
 * QuantizeLinear alone, is one QDQ node unit with these. ONNX Runtime's utility for partitions asks about units
 * (core/providers/partitioning_utils.cc, node_unit_map), so a DequantizeLinear waits until all operands of its unit
 * have been computed: that of a weight too, which waits for nothing itself.
 */
#include "partition/stages.h"

struct uses {
    uint32_t count, last; /* nodes that take its results; the last of these */
    bool by_others;       /* than QuantizeLinear, or from outside */
    bool is_output;       /* of its graph, one of them */
};

static bool plays(const struct npart__graph *graph, uint32_t node, enum npart__role role)
{
    return npart__node_plays(graph, &graph->nodes.items[node], role);
}

/* False when no DequantizeLinear is accepted. Most models are not quantized, and are done here. */
static bool has_work(const struct npart__stage_request *request)
{
    for (uint32_t i = 0; npart__has_units(request->session) && i < request->count; i++)
        if (request->accepted[request->order[i]] && plays(request->graph, request->order[i], NPART__ROLE_DEQUANTIZES))
            return true;
    return false;
}

/* By place. */
static void count_uses(const struct npart__stage_request *request, struct uses *uses)
{
    const struct npart__graph *graph = request->graph;
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = request->order[i];
        const struct npart__node *node = &graph->nodes.items[id];
        bool is_quantize = plays(graph, id, NPART__ROLE_QUANTIZES);
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t producer = npart__producer_inside(request, node, k);
            if (producer == NPART_NONE)
                continue;
            struct uses *of = &uses[request->place_of[producer]];
            of->count += of->count == 0 || of->last != id;
            of->last = id;
            of->by_others |= !is_quantize || k >= node->input_count;
        }
        for (uint32_t k = 0; k < node->output_count; k++) {
            uint32_t value = npart__node_output(graph, node, k);
            uses[request->place_of[id]].is_output |= value != NPART_NONE && graph->values.items[value].is_graph_output;
        }
    }
}

/* An operand that is absent or constant is in nobody's way. */
static bool is_unit(const struct npart__stage_request *request, const struct uses *uses, uint32_t id)
{
    const struct npart__graph *graph = request->graph;
    const struct uses *of = &uses[request->place_of[id]];
    const struct npart__node *node = &graph->nodes.items[id];
    if (!request->accepted[id] || of->count == 0 || of->by_others || of->is_output ||
        plays(graph, id, NPART__ROLE_DEQUANTIZES) || plays(graph, id, NPART__ROLE_QUANTIZES))
        return false;
    for (uint32_t k = 0; k < node->input_count; k++) {
        uint32_t producer = npart__producer_inside(request, node, k);
        bool is_absent = npart__live_operand(request->session, node, k) == NPART_NONE;
        if (!is_absent && (producer == NPART_NONE || !plays(graph, producer, NPART__ROLE_DEQUANTIZES)))
            return false;
    }
    return true;
}

/* An example: the DequantizeLinear of a weight takes a constant and could run at once, in wave 0. The Conv that uses it
 * waits for an unsupported node and is of wave 1; the runtime asks about the unit, so its DequantizeLinear is of wave
 * 1, too. */
void npart__join_units(struct npart__stage_request *request)
{
    const struct npart__graph *graph = request->graph;
    if (!has_work(request))
        return;
    struct uses *uses = npart__arena_zeroed(request->arena, request->count + (size_t)1, sizeof *uses);
    if (!uses) {
        request->failed = true;
        return;
    }
    count_uses(request, uses);
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = request->order[i];
        const struct uses *of = &uses[request->place_of[id]];
        bool may_wait = request->accepted[id] && plays(graph, id, NPART__ROLE_DEQUANTIZES) && of->count == 1 &&
                        !of->is_output;
        if (may_wait && is_unit(request, uses, of->last))
            request->stage_of[id] = request->stage_of[of->last];
    }
    npart__arena_release(request->arena, uses);
}
