/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fixed_cache.h"

#include <stdlib.h>
#include <string.h>

#include "support/model_text.h"

const char window_decoder[] =
    "opset 17\ninput ids int64[1,new]\ninput mask int64[1,total]\ninput positions int64[1,new]\n"
    "input past_0 float32[1,2,past,4]\ninput past_1 float32[1,2,past,4]\n"
    "init words float32[100,8]\ninit places float32[64,8]\ninit heads int64[4] = 0 0 2 4\n"
    "init joined int64[3] = 0 0 8\n"
    "init axes int64[2] = 1 2\ninit one int64[1] = 1\ninit zero int64[] = 0\ninit step int64[] = 1\n"
    "init axis int64[] = 2\ninit one_f float32[] = 1\ninit open float32[] = 0\ninit closed float32[] = -10000\n"
    "init wide int64[] = 8\ninit single int64[1] = 0\n"
    "node shape = Shape(past_0)\nnode before = Gather(shape, axis)\nnode ids_shape = Shape(ids)\n"
    "node tokens = Gather(ids_shape, step)\nnode slots = Add(before, tokens)\n"
    "node slot = Range(zero, slots, step)\nnode row1 = Range(before, slots, step)\nnode row = Unsqueeze(row1, one)\n"
    "node later = Greater(slot, row)\nnode causal = Where(later, closed, open)\n"
    "node from = Sub(row, wide)\nnode old = LessOrEqual(slot, from)\nnode near = Where(old, closed, causal)\n"
    "node seen = Cast(mask) to=1\nnode unseen = Sub(one_f, seen)\nnode bias = Mul(unseen, closed)\n"
    "node hiding = Unsqueeze(bias, axes)\n"
    "node word = Gather(words, ids)\nnode place = Gather(places, positions)\nnode x = Add(word, place)\n"
    "node x4 = Reshape(x, heads)\nnode q = Transpose(x4) perm=[0,2,1,3]\n"
    "node key_0 = Concat(past_0, q) axis=2\nnode turned_0 = Transpose(key_0) perm=[0,1,3,2]\n"
    "node products_0 = MatMul(q, turned_0)\nnode near_0 = Add(products_0, near)\nnode scores_0 = Add(near_0, hiding)\n"
    "node weights_0 = Softmax(scores_0) axis=-1\nnode mixed_0 = MatMul(weights_0, key_0)\n"
    "node q1 = Add(q, mixed_0)\n"
    "node key_1 = Concat(past_1, q1) axis=2\nnode turned_1 = Transpose(key_1) perm=[0,1,3,2]\n"
    "node products_1 = MatMul(q1, turned_1)\nnode far_1 = Add(products_1, causal)\nnode scores_1 = Add(far_1, hiding)\n"
    "node weights_1 = Softmax(scores_1) axis=-1\nnode mixed_1 = MatMul(weights_1, key_1)\n"
    "node mixed_t = Transpose(mixed_1) perm=[0,2,1,3]\nnode y = Reshape(mixed_t, joined)\noutput y\n"
    "output key_0 float32[1,2,length,4]\noutput key_1 float32[1,2,length,4]\n";

char *replaced_text(const char *text, const char *line, const char *by)
{
    const char *at = strstr(text, line);
    char *out = malloc(strlen(text) + strlen(by) + 1);
    if (!(at && out))
        abort();
    memcpy(out, text, (size_t)(at - text));
    (void)strcpy(out + (at - text), by);
    (void)strcat(out, at + strlen(line));
    return out;
}

void fix_cache(struct fixed_cache *out, const char *text, uint32_t slots, uint32_t tokens, bool shifts)
{
    fix_cache_by(out, text, &(struct npart__cache_request){slots, tokens, shifts, false});
}

void fix_cache_by(struct fixed_cache *out, const char *text, const struct npart__cache_request *request)
{
    const struct npart__wire_options wire = {.keep_bytes = 4096};
    struct npart__source source;
    struct npart__version read;
    struct bytes bytes = model_from_text(text);
    memset(out, 0, sizeof *out);
    npart__arena_init(&out->arena, NULL);
    npart__source_open_memory(&source, bytes.data, bytes.size);
    out->status = npart__version_read(&source, &wire, &out->arena, &read, &out->error);
    if (out->status == NPART_OK)
        out->status = npart__version_graph(&read, &out->arena, &out->graph, &out->error);
    if (out->status == NPART_OK)
        out->status =
            npart__cache_fix(request, &read, &out->graph, &out->arena, &out->cache, &out->version, &out->error);
    if (out->status == NPART_OK)
        if (!(npart__version_graph(&out->version, &out->arena, &out->made, &out->error) == NPART_OK))
        abort();
    bytes_free(&bytes);
}

const struct npart_cache_port *cache_port(const struct fixed_cache *fixed, enum npart_port_role role)
{
    for (uint32_t i = 0; i < fixed->cache.ports.count; i++)
        if (fixed->cache.ports.items[i].role == role)
            return &fixed->cache.ports.items[i];
    return NULL;
}

const struct npart_cache_port *added_port(const struct fixed_cache *fixed)
{
    const struct npart_cache_port *added = NULL;
    for (uint32_t i = 0; i < fixed->cache.ports.count; i++)
        added = fixed->cache.ports.items[i].is_added ? &fixed->cache.ports.items[i] : added;
    return added;
}

bool port_has_dims(const struct npart_cache_port *at, uint32_t rank, const int64_t *dims)
{
    return at && at->rank == rank && at->dims && (rank == 0 || memcmp(at->dims, dims, rank * sizeof *dims) == 0);
}

uint32_t count_ops(const struct npart__graph *graph, const char *op)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        count += npart__node_is(graph, npart__node_at(graph, i), op);
    return count;
}
