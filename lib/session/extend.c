/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that a runtime inlines once it has folded: it does not fold again, but takes the constants among them for
 * initializers.
 */
#include "session/passes.h"

/* A longer copy of an array by node or value; NULL when out of memory. */
static void *longer(struct npart__arena *arena, const void *items, size_t item_bytes, size_t count, size_t new_count)
{
    char *made = npart__arena_allocate(arena, (new_count + 1) * item_bytes);
    if (made)
        memcpy(made, items, count * item_bytes);
    return made;
}

static bool copy(const struct npart__session *before, uint32_t nodes, uint32_t values, struct npart__arena *arena,
                 struct npart__session *out)
{
    size_t new_nodes = out->inference->graph->nodes.count, new_values = out->inference->graph->values.count;
    out->fates = longer(arena, before->fates, sizeof *out->fates, nodes, new_nodes);
    out->into = longer(arena, before->into, sizeof *out->into, nodes, new_nodes);
    out->remade = longer(arena, before->remade, sizeof *out->remade, nodes, new_nodes);
    out->place = longer(arena, before->place, sizeof *out->place, nodes, new_nodes);
    out->is_constant = longer(arena, before->is_constant, sizeof *out->is_constant, values, new_values);
    out->stands_for = longer(arena, before->stands_for, sizeof *out->stands_for, values, new_values);
    if (before->kept_for)
        out->kept_for = longer(arena, before->kept_for, sizeof *out->kept_for, values, new_values);
    return out->fates && out->into && out->remade && out->place && out->is_constant && out->stands_for &&
           (out->kept_for || !before->kept_for);
}

npart_status npart__session_extend(struct npart__inference *inference, const struct npart__session *before,
                                   uint32_t nodes, uint32_t values, struct npart__arena *arena,
                                   struct npart__session *out, struct npart_error *error)
{
    const struct npart__graph *graph = inference->graph;
    *out = (struct npart__session){.inference = inference};
    if (!copy(before, nodes, values, arena, out))
        return npart__fail_memory(error);
    for (uint32_t v = values; v < graph->values.count; v++) {
        out->is_constant[v] = false;
        out->stands_for[v] = v;
        if (out->kept_for)
            out->kept_for[v] = NPART_NONE;
    }
    for (uint32_t n = nodes; n < graph->nodes.count; n++) {
        const struct npart__node *node = &graph->nodes.items[n];
        bool is_constant = strcmp(npart__node_op(graph, node), "Constant") == 0;
        uint32_t result = npart__node_output(graph, node, 0);
        out->fates[n] = is_constant ? NPART__FATE_CONSTANT : NPART__FATE_LIVE;
        out->into[n] = NPART_NONE;
        out->remade[n] = NPART__REMADE_NOT;
        out->place[n] = n;
        if (is_constant && result != NPART_NONE)
            out->is_constant[result] = true;
    }
    for (uint32_t n = 0; n < graph->nodes.count; n++)
        if (npart__is_live(out, n) && graph->nodes.items[n].callee != NPART_NONE)
            out->fates[n] = NPART__FATE_INLINED;
    return npart__session_connect(out, arena) ? NPART_OK : npart__fail_memory(error);
}
