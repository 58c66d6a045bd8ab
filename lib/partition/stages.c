/* SPDX-License-Identifier: Apache-2.0
 *
 * The partitioners: each gives the live nodes of one region their stages.
 */
#include "partition/stages.h"

uint32_t npart__live_operand(const struct npart__graph *graph, const struct npart__fold *fold,
                             const struct npart__node *node, uint32_t index)
{
    uint32_t value = index < node->input_count
                         ? graph->operands.items[node->first_input + index]
                         : graph->operands.items[node->first_capture + index - node->input_count];
    if (value == NPART_NONE)
        return value;
    value = fold->stands_for[value];
    return fold->is_constant[value] ? NPART_NONE : value;
}

/* What ONNX Runtime forms (CreateSupportedPartitionNodeGroups), in closed form: the wave of a node is the largest
 * number of steps from an accepted to a refused node on any path that ends in it. The accepted nodes of a wave are
 * one partition, whether or not they touch; membership does not depend on the order of nodes. A wave's refused nodes
 * run before its accepted ones. */
static void stage_by_waves(const struct npart__stage_request *request)
{
    const struct npart__graph *graph = request->graph;
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = request->order[i], wave = 0;
        const struct npart__node *node = &graph->nodes.items[id];
        for (uint32_t k = 0; k < node->input_count + node->capture_count; k++) {
            uint32_t value = npart__live_operand(graph, request->fold, node, k);
            uint32_t producer = value == NPART_NONE ? NPART_NONE : graph->values.items[value].producer;
            if (producer == NPART_NONE || npart__node_region(graph, producer) != request->region)
                continue;
            uint32_t before = request->stage_of[producer] / 2;
            if (request->accepted[producer] && !request->accepted[id])
                before++;
            if (before > wave)
                wave = before;
        }
        request->stage_of[id] = 2 * wave + (request->accepted[id] ? 1 : 0);
    }
}

/* Maximal runs of one side in the file's order (sorted, where the file is not). */
static void stage_by_runs(const struct npart__stage_request *request)
{
    uint32_t stage = 0;
    for (uint32_t i = 0; i < request->count; i++) {
        uint32_t id = request->order[i];
        bool differs = i > 0 && request->accepted[id] != request->accepted[request->order[i - 1]];
        stage += differs ? 1 : 0;
        request->stage_of[id] = stage;
    }
}

static const struct {
    const char *name;
    void (*stage)(const struct npart__stage_request *request);
} partitioners[] = {
    {"runs", stage_by_runs},
    {"waves", stage_by_waves},
};

const char *npart__partitioner_name(size_t index)
{
    return index < NPART__COUNT(partitioners) ? partitioners[index].name : NULL;
}

bool npart__partitioner_exists(const char *name)
{
    for (size_t i = 0; i < NPART__COUNT(partitioners); i++)
        if (strcmp(partitioners[i].name, name) == 0)
            return true;
    return false;
}

void npart__give_stages(const struct npart__stage_request *request, const char *partitioner)
{
    for (size_t i = 0; i < NPART__COUNT(partitioners); i++)
        if (strcmp(partitioners[i].name, partitioner) == 0)
            partitioners[i].stage(request);
}
