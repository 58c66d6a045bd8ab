/* SPDX-License-Identifier: Apache-2.0
 *
 * Ifs whose condition is known before the model runs: a runtime puts the taken branch in their place, as ONNX Runtime's
 * constant folding does. The branch may make further conditions known, so this is repeated.
 *
 * The file's graph is not changed: npart__graph_take_branches makes a copy with the same ids, in which the branch's
 * nodes belong to the region around the If. Then inference and folding begin again, since shapes after the If may be
 * known now. Each round costs one inference of the whole graph.
 */
#include "onnxruntime/onnxruntime.h"

/* The scope of a branch, by the attribute that holds it. NPART_NONE for an attribute without a graph, too. */
static uint32_t branch_of(const struct npart__graph *graph, const struct npart__node *node, const char *name)
{
    const struct npart__attribute *attribute = npart__node_attribute(graph, node, name);
    return attribute && attribute->type == NPART_ATTRIBUTE_GRAPH ? attribute->u.scope : NPART_NONE;
}

/* The branch that a live If always takes, or NPART_NONE. Elements are asked of inference rather than of `known`
 * alone: a condition may be an initializer whose payload has not been read yet. A condition is a bool of one
 * element, of any rank; 0 is false, and any other number is true. */
static uint32_t taken_branch(const struct npart__session *session, uint32_t id)
{
    struct npart__inference *inference = session->inference;
    const struct npart__graph *graph = inference->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    uint32_t condition = npart__node_input(graph, node, 0);
    bool is_if = node->domain == 0 && branch_of(graph, node, "then_branch") != NPART_NONE;
    if (!is_if || condition == NPART_NONE) /* a condition is required; a file may lack it */
        return NPART_NONE;
    /* What an Identity hands on of a constant is constant itself, so what stands before it need not be asked. */
    if (!session->is_constant[condition])
        return NPART_NONE;
    const struct npart__known *known = npart__elements(inference, &inference->facts[condition]);
    if (!known || !known->ints || known->count != 1 || !npart__is_number(known->ints[0]))
        return NPART_NONE;
    uint32_t branch = branch_of(graph, node, known->ints[0] ? "then_branch" : "else_branch");
    /* A branch of fewer results cannot stand in the If's place: nothing would make the others. */
    bool has_all = branch != NPART_NONE && npart__scope_at(graph, branch)->output_count >= node->output_count;
    return has_all ? branch : NPART_NONE;
}

/* *out stays as it is when no If is taken. Looks at every live If once and puts all branches that are known in place
 * together, so that a model of many Ifs side by side is inferred once more and not once for each. Ifs in a branch
 * that is never taken are looked at too; that costs nothing, as their nodes leave with them. */
static npart_status take_known(const struct npart__session *session, struct npart__inference **out,
                               struct npart_error *error)
{
    struct npart__inference *inference = session->inference;
    const struct npart__graph *graph = inference->graph;
    struct npart__arena *arena = inference->arena;
    bool any = false;
    uint32_t *taken = npart__arena_allocate(arena, (graph->nodes.count + (size_t)1) * sizeof *taken);
    if (!taken)
        return npart__fail_memory(error);
    memset(taken, 0xff, (graph->nodes.count + (size_t)1) * sizeof *taken); /* NPART_NONE: keeps its place */
    for (uint32_t i = 0; i < graph->order_count; i++) {
        uint32_t id = graph->order[i];
        taken[id] = npart__is_live(session, id) ? taken_branch(session, id) : NPART_NONE;
        any = any || taken[id] != NPART_NONE;
    }
    npart_status status = NPART_OK;
    if (any) {
        struct npart__graph *made = npart__arena_zeroed(arena, 1, sizeof *made);
        struct npart__inference *next = npart__arena_zeroed(arena, 1, sizeof *next);
        status = made && next ? npart__graph_take_branches(graph, taken, arena, made, error)
                              : npart__fail_memory(error);
        if (status == NPART_OK)
            status = npart__infer(made, &inference->options, arena, next, error);
        if (status == NPART_OK)
            *out = next;
    }
    npart__arena_release(arena, taken);
    return status;
}

/* A model with the main graph as its only scope has no If, and is left at once. Ends since each round takes away an
 * If that was live. The old sessions and inferences stay in the arena: at most one for each depth to which Ifs are
 * nested or depend on one another. */
npart_status npart__session_settle(struct npart__inference *inference, enum npart_level level,
                                   enum npart__release release, bool settles, struct npart__arena *arena,
                                   struct npart__session *session, struct npart_error *error)
{
    npart_status status = npart__session_make(inference, level, release, arena, session, error);
    for (bool changed = settles && inference->graph->scopes.count > 1; status == NPART_OK && changed;) {
        struct npart__inference *next = session->inference;
        status = take_known(session, &next, error);
        changed = status == NPART_OK && next != session->inference;
        if (changed)
            status = npart__session_make(next, level, release, arena, session, error);
    }
    return status;
}
