/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that tell where nodes stand in their graph. Found for all nodes when it is first asked for: only
 * reports for programs and comparisons want it.
 */
#include "api/api.h"
#include "diff/diff.h"

/* Of the inference that a view was made from, under its lock; NULL when out of memory. In that inference's arena,
 * so views and plans share it and it goes with none of them. */
static const struct npart__structure *find_structures(const npart_inference *asked)
{
    npart__lock(asked);
    if (!asked->structures->items)
        asked->structures->items = npart__find_structures(asked->inference, asked->inference->arena);
    const struct npart__structure *items = asked->structures->items;
    npart__unlock(asked);
    return items;
}

/* A node that a runtime puts in place of another is told by that one: what it is made of is the target's affair.
 * A definition may hold operators that are replaced themselves: the owner is the first node above that the model
 * has. Eight steps are as many as there are rounds (NPART__LIMIT_ROUNDS). */
static struct npart__structure structure_of(const struct npart__graph *graph, const struct npart__structure *items,
                                            uint32_t count, uint32_t node)
{
    if (node < count)
        return items[node];
    const struct npart__node *at = npart__node_at(graph, node);
    uint32_t owner = npart__scope_at(graph, at->scope)->node;
    for (int depth = 0; owner != NPART_NONE && owner >= count && depth < 8; depth++)
        owner = npart__scope_at(graph, npart__node_at(graph, owner)->scope)->node;
    return npart__added_structure(owner < count ? items[owner] : (struct npart__structure){0}, at->index,
                                  npart__node_op(graph, at));
}

/* Of a view the nodes of the file have the numbers of the whole inference, so that one model on two targets is
 * compared by the same numbers. */
npart_status npart_inference_structure(const npart_inference *inference, uint32_t node, struct npart_structure *out,
                                       struct npart_error *error)
{
    if (!inference || !out)
        return npart__fail_null(inference ? "out" : "inference", error);
    if (out->size != sizeof *out)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the size of struct npart_structure is not known");
    const npart_inference *asked = inference->made_from ? inference->made_from : inference;
    const struct npart__graph *graph = inference->model->graph;
    if (node >= graph->nodes.count)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there are %u nodes", graph->nodes.count);
    const struct npart__structure *items = find_structures(asked);
    if (!items)
        return npart__settle_for(asked->life, npart__fail_memory(error), error);
    struct npart__structure at = structure_of(graph, items, asked->inference->graph->nodes.count, node);
    *out = (struct npart_structure){
        .size = sizeof *out, .up = at.up, .down = at.down, .around = at.around, .itself = at.itself};
    return NPART_OK;
}
