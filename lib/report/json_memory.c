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
    npart__put_sizing(out, key, &(struct npart__sizing){.parameters = parameters,
                                                        .float16_bytes = parameters * 2,
                                                        .int8_bytes = parameters,
                                                        .int4_bytes = parameters / 2 + parameters % 2});
}

/* By position in the order. Every node of the order is live, so each has its figures. */
static void add_held(struct npart__buffer *out, const char *key, const npart_plan *plan, bool is_npu)
{
    uint32_t count;
    const uint32_t *order = npart_plan_order(plan, &count);
    struct npart_held at = {.size = sizeof at};
    NPART__JSON_LIST(out, key, i, i < count && npart_plan_held(plan, order[i], &at))
        add_bytes(out, NULL, is_npu ? at.npu : at.cpu);
}

/* What is by partition or node, only where nodes are told: what it refers to is missing otherwise. */
static void add_lists(struct npart__object *object, const npart_plan *plan, const struct npart_memory *at)
{
    struct npart__buffer *out = object->out;
    struct npart_partition partition = {.size = sizeof partition};
    NPART__JSON_LIST(out, npart__own(object, "partitions"), i, npart_plan_partition(plan, i, &partition))
        npart__put_partition_memory(out, NULL, &partition, i);
    NPART__JSON_LIST(out, npart__own(object, "layers"), i, i < at->layer_count)
        npart__put_layer(out, NULL, &at->layers[i]);
    add_held(out, npart__own(object, "held_bytes_cpu"), plan, false);
    add_held(out, npart__own(object, "held_bytes_npu"), plan, true);
}

/* Without a cache there is no size of a token in it, which is not the same as a size of 0. */
void npart__add_json_memory(struct npart__buffer *out, const npart_plan *plan, enum npart_detail detail)
{
    struct npart_memory at = {.size = sizeof at};
    (void)npart_plan_memory(plan, &at);
    struct npart__object object = npart__open_memory(out, "memory", &at);
    add_sizing(out, npart__own(&object, "sizing"), at.parameters);
    npart__json_count_or_null(out, npart__own(&object, "cache_bytes_per_token"),
                              at.cache_tensor_count && !at.cache_per_token.is_partial, at.cache_per_token.bytes);
    if (npart__tells_nodes(detail))
        add_lists(&object, plan, &at);
    npart__object_close(&object);
}
