/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fixed_cache.h"

#include <stdlib.h>
#include <string.h>

#include "support/model_text.h"

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
