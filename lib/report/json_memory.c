/* SPDX-License-Identifier: Apache-2.0
 *
 * The member "memory" of a target in JSON. A sum of which a part is not known is null, and what is known of it stands
 * in "at_least".
 */
#include "report/report.h"

/* A sum of which a part is not known is a lower bound, and null here. */
static void add_bytes(struct npart__buffer *out, const char *key, struct npart_bytes at)
{
    npart__json_count_or_null(out, key, !at.is_partial, at.bytes);
}

/* Opens the object. The sizing is what the parameters would take in 16, 8 and 4 bits, without scales; two of 4 bits
 * share a byte, and of an odd number the last has one alone. The bound is for the product with 2. */
static void add_weights(struct npart__buffer *out, const struct npart_memory *at)
{
    npart__json_open(out, "memory", '{');
    npart__json_count(out, "weight_bytes", at->weight_bytes);
    npart__json_open(out, "weight_bytes_by_type", '{');
    for (uint32_t i = 0; i < at->weight_type_count; i++)
        npart__json_count(out, at->weight_types[i].type, at->weight_types[i].bytes);
    /* No parameters: most weights are packed in other types, and their elements are no measure. */
    npart__json_close(out, '}');
    if (at->parameters && at->parameters < UINT64_MAX / 2) {
        npart__json_open(out, "sizing", '{');
        npart__json_count(out, "parameters", at->parameters);
        npart__json_count(out, "float16_bytes", at->parameters * 2);
        npart__json_count(out, "int8_bytes", at->parameters);
        npart__json_count(out, "int4_bytes", at->parameters / 2 + at->parameters % 2);
        npart__json_close(out, '}');
    } else
        npart__json_value(out, "sizing", "null");
    add_bytes(out, "weight_bytes_npu", at->weights_npu);
    add_bytes(out, "weight_bytes_cpu", at->weights_cpu);
}

/* `at_least` has the lower bounds of the sums that are null. Without a cache there is no size of a token in it,
 * which is not the same as a size of 0. */
static void add_activations(struct npart__buffer *out, const struct npart_memory *at)
{
    add_bytes(out, "activation_peak_bytes", at->peak);
    npart__json_id(out, "activation_peak_node", at->peak_node);
    add_bytes(out, "activation_peak_bytes_cpu", at->peak_cpu);
    add_bytes(out, "activation_peak_bytes_npu", at->peak_npu);
    npart__json_id(out, "activation_peak_node_npu", at->peak_npu_node);
    npart__json_open(out, "at_least", '{');
    npart__json_count(out, "weight_bytes_npu", at->weights_npu.bytes);
    npart__json_count(out, "weight_bytes_cpu", at->weights_cpu.bytes);
    npart__json_count(out, "activation_peak_bytes", at->peak.bytes);
    npart__json_count(out, "activation_peak_bytes_cpu", at->peak_cpu.bytes);
    npart__json_count(out, "activation_peak_bytes_npu", at->peak_npu.bytes);
    npart__json_close(out, '}');
    if (at->cache_tensor_count)
        add_bytes(out, "cache_bytes_per_token", at->cache_per_token);
    else
        npart__json_value(out, "cache_bytes_per_token", "null");
    npart__json_count(out, "cache_tensors", at->cache_tensor_count);
}

/* A lower bound that is too large already does not fit, whatever the rest is; one that is not may or may not. */
static void add_limits(struct npart__buffer *out, const struct npart_memory *at)
{
    npart__json_open(out, "limits", '[');
    for (uint32_t i = 0; i < at->limit_count; i++) {
        const struct npart_memory_limit *limit = &at->limits[i];
        npart__json_open(out, NULL, '{');
        npart__json_text(out, "of", npart_limited_text(limit->of));
        add_bytes(out, "bytes", limit->bytes);
        npart__json_count(out, "most_bytes", limit->most_bytes);
        npart__json_value(out, "fits",
                          limit->bytes.bytes > limit->most_bytes ? "false" : limit->bytes.is_partial ? "null" : "true");
        npart__json_close(out, '}');
    }
    npart__json_close(out, ']');
}

static void add_partitions(struct npart__buffer *out, const npart_plan *plan)
{
    static const char *const fits[] = {
        [NPART_FIT_UNKNOWN] = "null", [NPART_FIT_NO] = "false", [NPART_FIT_YES] = "true"};
    struct npart_partition at = {.size = sizeof at};
    npart__json_open(out, "partitions", '[');
    for (uint32_t i = 0; npart_plan_partition(plan, i, &at); i++) {
        npart__json_open(out, NULL, '{');
        npart__json_count(out, "id", i);
        add_bytes(out, "weight_bytes", at.weights);
        add_bytes(out, "peak_bytes", at.peak);
        npart__json_value(out, "fits_on_chip", fits[at.fits_on_chip]);
        npart__json_close(out, '}');
    }
    npart__json_close(out, ']');
}

/* `passes` is 0 where no tile fits at all: then they cannot be told. */
static void add_layers(struct npart__buffer *out, const struct npart_memory *at)
{
    npart__json_open(out, "layers", '[');
    for (uint32_t i = 0; i < at->layer_count; i++) {
        npart__json_open(out, NULL, '{');
        npart__json_count(out, "node", at->layers[i].node);
        npart__json_count(out, "partition", at->layers[i].partition);
        npart__json_count(out, "weight_bytes", at->layers[i].weight_bytes);
        npart__json_count(out, "activation_bytes", at->layers[i].activation_bytes);
        npart__json_count_or_null(out, "passes", at->layers[i].passes != 0, at->layers[i].passes);
        npart__json_close(out, '}');
    }
    npart__json_close(out, ']');
}

/* By position in the order. Every node of the order is live, so each has its figures. */
static void add_held(struct npart__buffer *out, const npart_plan *plan, const char *key, bool is_npu)
{
    uint32_t count;
    const uint32_t *order = npart_plan_order(plan, &count);
    struct npart_held at = {.size = sizeof at};
    npart__json_open(out, key, '[');
    for (uint32_t i = 0; i < count; i++) {
        (void)npart_plan_held(plan, order[i], &at);
        add_bytes(out, NULL, is_npu ? at.npu : at.cpu);
    }
    npart__json_close(out, ']');
}

/* Lists by partition and by node only where nodes are told, as what they refer to is missing otherwise. */
void npart__add_json_memory(struct npart__buffer *out, const npart_plan *plan, enum npart_detail detail)
{
    struct npart_memory at = {.size = sizeof at};
    (void)npart_plan_memory(plan, &at);
    add_weights(out, &at);
    add_activations(out, &at);
    npart__json_count_or_null(out, "onchip_bytes", at.onchip_bytes != 0, at.onchip_bytes);
    npart__json_flag(out, "onchip_assumed", at.is_onchip_assumed);
    add_limits(out, &at);
    if (npart__tells_nodes(detail)) {
        add_partitions(out, plan);
        add_layers(out, &at);
        add_held(out, plan, "held_bytes_cpu", false);
        add_held(out, plan, "held_bytes_npu", true);
    }
    npart__json_close(out, '}');
}
