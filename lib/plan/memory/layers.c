/* SPDX-License-Identifier: Apache-2.0
 *
 * What fits into the NPU's own memory.
 *
 * A partition fits where its weights and its peak do together. A layer that does not is computed in tiles. If its
 * weights take no more than half of the memory they stay, and activations pass by. Else half of it holds rows of
 * activations, the other half tiles of the weights, all of which are read again for each such set of rows: that many
 * passes: 4 on 8 MB for a product of 1024 rows (16 MB in and out) with 4096 x 4096 weights in float16 (32 MB).
 */
#include <stdlib.h>

#include "memory/memory.h"

/* Sizes of memories are told in 1024s. */
static enum npart_fit fits(const struct npart__parameter *sram_mb, struct npart_bytes bytes)
{
    const double mb = 1024.0 * 1024.0;
    return sram_mb ? npart__fits((uint64_t)(sram_mb->low * mb), (uint64_t)(sram_mb->high * mb), bytes)
                   : NPART_FIT_UNKNOWN;
}

uint32_t npart__stored_value(const struct npart__session *session, uint32_t value)
{
    const struct npart__graph *graph = session->graph;
    uint32_t producer = npart__producer(graph, value);
    if (producer == NPART_NONE || !npart__is_live(session, producer))
        return value;
    const struct npart__node *node = npart__node_at(graph, producer);
    uint32_t stored = npart__node_input(graph, node, 0);
    return stored != NPART_NONE && npart__node_plays(graph, node, NPART__ROLE_DEQUANTIZES) ? stored : value;
}

/* False where a size is not known. Or where it has no constant operand: a product of two activations has no
 * weights to keep. */
static bool measure(const struct npart__memory_request *request, unsigned float32_bytes, uint32_t id,
                    struct npart_layer *out)
{
    const struct npart__session *session = request->session;
    const struct npart__node *node = npart__node_at(session->graph, id);
    struct npart_bytes weights = {0, false}, activations = {0, false};
    *out = (struct npart_layer){.node = id, .partition = request->partitioning->partition_of[id]};
    for (uint32_t k = 0; k < node->input_count; k++) {
        uint32_t value = npart__node_input(session->graph, node, k);
        if (value == NPART_NONE)
            continue;
        value = npart__stored_value(session, value);
        npart__add_size(session->is_constant[value] ? &weights : &activations,
                        npart__value_bytes(request, value, float32_bytes));
    }
    for (uint32_t k = 0; k < node->output_count; k++) {
        uint32_t value = npart__node_output(session->graph, node, k);
        if (value != NPART_NONE)
            npart__add_size(&activations, npart__held_bytes(request, out->partition, value, float32_bytes));
    }
    out->weight_bytes = weights.bytes;
    out->activation_bytes = activations.bytes;
    return !weights.is_partial && !activations.is_partial && weights.bytes > 0;
}

/* The least that is held: a row of activations and a column of weights. Rows are of the whole product, columns
 * of its weights; where they are not known, one row is all of it. 0 is told as "does not fit". `half` is that of
 * the memory. */
static uint64_t count_passes(const struct npart_layer *layer, const struct npart__work *work, uint64_t half)
{
    uint64_t rows = npart__work_is_number(work->rows) && work->rows ? work->rows : 1;
    uint64_t columns = npart__work_is_number(work->columns) && work->columns ? work->columns : 1;
    if (layer->activation_bytes / rows + layer->weight_bytes / columns > 2 * half)
        return 0;
    return layer->weight_bytes <= half ? 1 : (layer->activation_bytes + half - 1) / half; /* rounded up */
}

/* The largest weights first, as they cost most to read again; by node where they are equal, so that the order is the
 * same each time. */
static int compare_layers(const void *a, const void *b)
{
    const struct npart_layer *left = a, *right = b;
    int order = NPART__ORDER(right->weight_bytes, left->weight_bytes);
    return order ? order : NPART__ORDER(left->node, right->node);
}

bool npart__fit_layers(const struct npart__memory_request *request, unsigned float32_bytes, struct npart__arena *arena,
                       struct npart__memory *out)
{
    const struct npart__parameter *sram_mb = request->parameters[NPART__PARAMETER_SRAM];
    const struct npart__partitioning *all = request->partitioning;
    for (uint32_t p = 0; p < all->partitions.count; p++) {
        struct npart_bytes sum = out->partitions[p].weights;
        npart__add_size(&sum, out->partitions[p].peak);
        out->partitions[p].fits = (uint8_t)fits(sram_mb, sum);
    }
    /* Without the size of the memory no layer can be said not to fit. */
    if (!sram_mb || sram_mb->typical <= 0)
        return true;
    out->told.onchip_bytes = (uint64_t)(sram_mb->typical * 1024 * 1024);
    out->told.is_onchip_assumed = sram_mb->is_assumed;
    struct NPART__ARRAY(struct npart_layer) layers = {0};
    for (uint32_t i = 0; i < request->session->file->nodes.count; i++) {
        struct npart_layer layer;
        /* Layers are what multiplies; others pass through in pieces of any size. */
        if (all->partition_of[i] == NPART_NONE || request->works->items[i].macs == 0 ||
            !measure(request, float32_bytes, i, &layer) ||
            layer.weight_bytes + layer.activation_bytes <= out->told.onchip_bytes)
            continue;
        /* + 1: half of 0 is never divided by. */
        layer.passes = count_passes(&layer, &request->works->items[i], out->told.onchip_bytes / 2 + 1);
        if (!NPART__PUSH(arena, &layers, layer))
            return false;
    }
    if (layers.count > 1)
        qsort(layers.items, layers.count, sizeof *layers.items, compare_layers);
    out->told.layers = layers.items;
    out->told.layer_count = layers.count;
    return true;
}
