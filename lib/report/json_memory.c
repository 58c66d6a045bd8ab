/* SPDX-License-Identifier: Apache-2.0
 *
 * The member "memory" of a target in JSON. A sum of which a part is not known is null, and what is known of it stands
 * in "at_least".
 */
#include "report/report.h"

static void add_bytes(struct npart__buffer *out, const char *key, struct npart_bytes at)
{
    npart__json_count_or_null(out, key, !at.is_partial, at.bytes);
}

/* What the parameters would take in 16, 8 and 4 bits, without scales; two of 4 bits share a byte, and of an odd number
 * the last has one alone. No parameters: most weights are packed in other types, and their elements are no measure.
 * The bound is for the product with 2. */
static void add_sizing(struct npart__buffer *out, const char *key, uint64_t parameters)
{
    if (!parameters || parameters >= UINT64_MAX / 2) {
        npart__json_value(out, key, "null");
        return;
    }
    npart__json_open(out, key, '{');
    npart__json_count(out, "parameters", parameters);
    npart__json_count(out, "float16_bytes", parameters * 2);
    npart__json_count(out, "int8_bytes", parameters);
    npart__json_count(out, "int4_bytes", parameters / 2 + parameters % 2);
    npart__json_close(out, '}');
}

/* A lower bound that is too large already does not fit, whatever the rest is; one that is not may or may not. */
static void add_limits(struct npart__buffer *out, const char *key, const struct npart_memory *at)
{
    npart__json_open(out, key, '[');
    for (uint32_t i = 0; i < at->limit_count; i++) {
        const struct npart_memory_limit *limit = &at->limits[i];
        struct npart__object object = npart__open_limit(out, NULL, limit);
        npart__json_value(out, npart__own(&object, "fits"),
                          limit->bytes.bytes > limit->most_bytes ? "false" : limit->bytes.is_partial ? "null" : "true");
        npart__object_close(&object);
    }
    npart__json_close(out, ']');
}

static void add_partitions(struct npart__buffer *out, const char *key, const npart_plan *plan)
{
    static const char *const fits[] = {
        [NPART_FIT_UNKNOWN] = "null", [NPART_FIT_NO] = "false", [NPART_FIT_YES] = "true"};
    struct npart_partition at = {.size = sizeof at};
    npart__json_open(out, key, '[');
    for (uint32_t i = 0; npart_plan_partition(plan, i, &at); i++) {
        struct npart__object object = npart__open_partition_memory(out, NULL, &at);
        npart__json_count(out, npart__own(&object, "id"), i);
        npart__json_value(out, npart__own(&object, "fits_on_chip"), fits[at.fits_on_chip]);
        npart__object_close(&object);
    }
    npart__json_close(out, ']');
}

/* By position in the order. Every node of the order is live, so each has its figures. */
static void add_held(struct npart__buffer *out, const char *key, const npart_plan *plan, bool is_npu)
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

/* What is by partition or node, only where nodes are told: what it refers to is missing otherwise. */
static void add_lists(struct npart__object *object, const npart_plan *plan, const struct npart_memory *at)
{
    struct npart__buffer *out = object->out;
    add_partitions(out, npart__own(object, "partitions"), plan);
    npart__json_open(out, npart__own(object, "layers"), '[');
    for (uint32_t i = 0; i < at->layer_count; i++)
        npart__put_layer(out, NULL, &at->layers[i]);
    npart__json_close(out, ']');
    add_held(out, npart__own(object, "held_bytes_cpu"), plan, false);
    add_held(out, npart__own(object, "held_bytes_npu"), plan, true);
}

/* Without a cache there is no size of a token in it, which is not the same as a size of 0. */
void npart__add_json_memory(struct npart__buffer *out, const npart_plan *plan, enum npart_detail detail)
{
    struct npart_memory at = {.size = sizeof at};
    (void)npart_plan_memory(plan, &at);
    struct npart__object object = npart__open_memory(out, "memory", &at);
    npart__json_open(out, npart__own(&object, "weight_bytes_by_type"), '{');
    for (uint32_t i = 0; i < at.weight_type_count; i++)
        npart__json_count(out, at.weight_types[i].type, at.weight_types[i].bytes);
    npart__json_close(out, '}');
    add_sizing(out, npart__own(&object, "sizing"), at.parameters);
    npart__json_count_or_null(out, npart__own(&object, "cache_bytes_per_token"),
                              at.cache_tensor_count && !at.cache_per_token.is_partial, at.cache_per_token.bytes);
    add_limits(out, npart__own(&object, "limits"), &at);
    if (npart__tells_nodes(detail))
        add_lists(&object, plan, &at);
    npart__object_close(&object);
}
