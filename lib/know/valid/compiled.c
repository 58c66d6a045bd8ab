/* SPDX-License-Identifier: Apache-2.0
 *
 * Nodes that hold what a provider has compiled before (EPContext): nothing of the graph within
 * can be seen, so reports say for whom it was compiled.
 */
#include "infer/driver.h"
#include "valid/valid.h"

/* The attribute says for whom. */
static const struct compiled_op {
    const char *domain, *op, *attribute;
} compiled_ops[] = {
    {"com.microsoft", "EPContext", "source"},
};

static bool is_compiled(const struct npart__graph *graph, const struct npart__node *node, const struct compiled_op *as)
{
    return npart__same_text(npart__node_op(graph, node), as->op) &&
           strcmp(npart__text(&graph->strings, node->domain), as->domain) == 0;
}

/* The provider's name stands in an attribute, which a file may lack. An EPContext node holds a whole graph in the
 * provider's own format, or the name of a file of it. Of a long name 100 bytes are told, and a text of the file is
 * escaped when it is shown. */
static bool tell(struct npart__inference *inference, uint32_t id, const char *attribute)
{
    const struct npart__graph *graph = inference->graph;
    const struct npart__attribute *given = npart__node_attribute(graph, npart__node_at(graph, id), attribute);
    struct npart__buffer text = {.arena = inference->arena};
    char at[160];
    npart__describe_node(graph, id, at, sizeof at);
    if (given && given->type == 3 && *given->u.s)
        npart__append_format(&text, "already compiled for %.100s", given->u.s);
    else
        npart__append_text(&text, "already compiled, for a provider that it does not name");
    return npart__add_finding(inference, NPART__COMPILED, npart__made_text(&text), at);
}

/* Operators of the standard hold no such graphs, so their nodes are passed over at once. */
npart_status npart__find_compiled(struct npart__inference *inference, struct npart_error *error)
{
    const struct npart__graph *graph = inference->graph;
    for (uint32_t i = 0; i < graph->nodes.count; i++)
        for (size_t k = 0; npart__node_at(graph, i)->domain != 0 && k < NPART__COUNT(compiled_ops); k++)
            if (is_compiled(graph, npart__node_at(graph, i), &compiled_ops[k]) &&
                !tell(inference, i, compiled_ops[k].attribute))
                return npart__fail_memory(error);
    return NPART_OK;
}
