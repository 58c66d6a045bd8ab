/* SPDX-License-Identifier: Apache-2.0
 *
 * What a plan takes of memory, in the structs of the public header.
 */
#include "api/api.h"

/* int32 and int64 are biases of quantized operators, sizes and indices. What is packed in bytes of some kind has
 * more parameters than elements: how many is not told. Counted are floats of any size and integers of at most 16
 * bits, so 4-bit weights too. 0 means that no number is told. */
static uint64_t count_parameters(const struct npart__graph *graph)
{
    uint64_t parameters = 0, packed = 0;
    for (int type = 1; type < NPART__TYPE_NUMBERS; type++) {
        uint64_t elements = graph->weights_of[type].elements;
        unsigned bits = npart__type_bits(type);
        bool is_plain = npart__type_is_float(type) || (npart__type_is_integer(type) && bits <= 16);
        if (!is_plain)
            continue;
        /* Where most of a model is uint8, that is what it may be: no figure is better than one that is off by two. */
        if (strcmp(npart__type_name(type), "uint8") == 0)
            packed = elements;
        parameters = parameters > UINT64_MAX - elements ? UINT64_MAX : parameters + elements;
    }
    return packed > parameters / 2 ? 0 : parameters;
}

/* Types without weights are left out, so the list has those of the model only. The room is for all types, of
 * which there are few. */
static bool list_types(const struct npart__graph *graph, struct npart__arena *arena, struct npart_memory *out)
{
    struct npart_weight_type *types = npart__arena_zeroed(arena, NPART__TYPE_NUMBERS, sizeof *types);
    out->weight_types = types;
    for (int type = 0; types && type < NPART__TYPE_NUMBERS; type++) {
        const struct npart__weight_sum *sum = &graph->weights_of[type];
        if (sum->bytes)
            types[out->weight_type_count++] =
                (struct npart_weight_type){npart__type_name(type), sum->bytes, sum->elements};
    }
    return types != NULL;
}

/* Words are those of the JSON contract. */
static bool list_limits(const struct npart__memory *memory, struct npart__arena *arena, struct npart_memory *out)
{
    static const char *const words[] = {[NPART__LIMITED_FILE] = "file",
                                        [NPART__LIMITED_ONE_FILE] = "one-file",
                                        [NPART__LIMITED_WEIGHTS] = "weights",
                                        [NPART__LIMITED_TENSORS] = "tensors"};
    struct npart_memory_limit *limits = npart__arena_zeroed(arena, NPART__LIMITEDS, sizeof *limits);
    out->limits = limits;
    out->limit_count = memory->limit_count;
    for (uint32_t i = 0; limits && i < memory->limit_count; i++)
        /* A figure that is not known counts as partial. */
        limits[i] = (struct npart_memory_limit){words[memory->limits[i].limited],
                                                {memory->limits[i].bytes, !memory->limits[i].is_known},
                                                memory->limits[i].most_bytes};
    return limits != NULL;
}

/* The order is that of lib/memory: the largest weights first. */
static bool list_layers(const struct npart__memory *memory, struct npart__arena *arena, struct npart_memory *out)
{
    struct npart_layer *layers = npart__arena_allocate(arena, (memory->layers.count + (size_t)1) * sizeof *layers);
    out->layers = layers;
    out->layer_count = memory->layers.count;
    for (uint32_t i = 0; layers && i < memory->layers.count; i++) {
        const struct npart__layer *at = &memory->layers.items[i];
        layers[i] =
            (struct npart_layer){at->node, at->partition, at->weight_bytes, at->activation_bytes, at->passes};
    }
    return layers != NULL;
}

/* Of a copy the node that it was copied from. Callers have no ids of copies. */
static uint32_t node_at(const npart_plan *plan, uint32_t node)
{
    return node == NPART_NONE ? NPART_NONE : npart__original(plan->plan.session.graph, node);
}

/* Once, when the plan is made: getters only copy, so that they need no lock. */
bool npart__prepare_memory(npart_plan *plan)
{
    const struct npart__memory *memory = &plan->plan.memory;
    const struct npart__graph *graph = plan->plan.graph;
    struct npart__arena *arena = &plan->life->arena;
    plan->memory = (struct npart_memory){
        .size = sizeof plan->memory,
        .weight_bytes = graph->weight_bytes,
        .parameters = count_parameters(graph),
        .weights_npu = npart__public_bytes(memory->npu_weights),
        .weights_cpu = npart__public_bytes(memory->cpu_weights),
        .peak = npart__public_bytes(memory->all),
        .peak_cpu = npart__public_bytes(memory->cpu),
        .peak_npu = npart__public_bytes(memory->npu),
        .peak_node = node_at(plan, memory->all_at),
        .peak_npu_node = node_at(plan, memory->npu_at),
        .cache_tensor_count = memory->cache_count,
        .cache_per_token = npart__public_bytes(memory->cache_per_token),
        .onchip_bytes = memory->onchip_bytes,
        .is_onchip_assumed = memory->onchip_is_assumed,
    };
    return list_types(graph, arena, &plan->memory) && list_limits(memory, arena, &plan->memory) &&
           list_layers(memory, arena, &plan->memory);
}

bool npart_plan_memory(const npart_plan *plan, struct npart_memory *out)
{
    if (!plan || !NPART__HAS_ROOM(out))
        return false;
    *out = plan->memory;
    return true;
}

/* Of nodes that are live alone: what is folded or fused holds nothing at a time of its own. */
bool npart_plan_held(const npart_plan *plan, uint32_t node, struct npart_held *out)
{
    if (!plan || node >= plan->plan.graph->nodes.count || !npart__is_live(&plan->plan.session, node) ||
        !NPART__HAS_ROOM(out))
        return false;
    *out = (struct npart_held){.size = sizeof *out,
                               .cpu = npart__public_bytes(plan->plan.memory.held_cpu[node]),
                               .npu = npart__public_bytes(plan->plan.memory.held_npu[node])};
    return true;
}
