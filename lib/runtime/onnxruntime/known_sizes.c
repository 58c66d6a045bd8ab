/* SPDX-License-Identifier: Apache-2.0
 *
 * What the target's runtime knows of the sizes: what it folds and propagates, where it lacks the inference of an
 * operator, and what it makes of shapes that the file declares and that cannot be.
 *
 * ONNX Runtime infers when it loads the file, and once more after each of its optimizers that has changed the graph
 * (core/optimizer/graph_transformer.cc, Apply). Of wrong shapes, each time mends some and has others stand out
 * (lib/analysis/infer/declared.c), so how often it infers decides which tensors have no size in the end. A provider is
 * asked then, before its layout is put in, after which nothing is inferred again.
 */
#include "onnxruntime/onnxruntime.h"
#include "onnxruntime/view.h"

/* The optimizers of the basic level that can be told to have changed the graph, a bit each, in their order. There are
 * more, and FOLDING infers what is after the first constant a second time; whoever is not counted could only mend. */
enum {
    RULES = 1,          /* all rewrites of single nodes and pairs are one */
    CONSTANTS = 2,      /* equal ones are shared */
    EXPRESSIONS = 4,    /* equal ones are made once */
    FOLDING = 8,
    EARLY = 15,
    PRODUCTS = 16,      /* MatMul and Add; these and later ones ask for shapes that are known by then */
    RESHAPES = 32,
    TRANSPOSES = 64,
    LATE = 112
};

/* Which one takes a node away. Constants are made initializers while the runtime loads the file, which is no change by
 * an optimizer. */
static unsigned optimizer_of(const struct npart__session *session, uint32_t id)
{
    const struct npart__graph *graph = session->graph;
    const struct npart__node *node = npart__node_at(graph, id);
    switch ((enum npart_fate)session->fates[id]) {
    case NPART_FATE_LIVE:
        return session->remade[id] == NPART__REMADE_RESHAPE ? RESHAPES : 0;
    case NPART_FATE_FUSED:
        if (npart__repeats(session, id))
            return EXPRESSIONS;
        return npart__comes_from(npart__node_at(graph, npart__fused_into(session, id)), NPART__WAY(MATMUL)) ? PRODUCTS
                                                                                                            : RULES;
    case NPART_FATE_IDENTITY:
    case NPART_FATE_DROPOUT:
        return RULES;
    case NPART_FATE_NO_OP:
        return npart__node_plays(graph, node, NPART__ROLE_REORDERS_AXES) ? TRANSPOSES
               : npart__node_plays(graph, node, NPART__ROLE_RESHAPES)    ? RESHAPES
                                                                         : RULES;
    case NPART_FATE_CONSTANT:
        return npart__is_constant_node(graph, node) ? 0 : FOLDING;
    default:
        return FOLDING;
    }
}

/* Whether a constant is left to be used once nodes have gone. */
static bool is_used(const struct npart__session *session, uint32_t value)
{
    return npart__user_count(session, value) > 0 || npart__value_at(session->graph, value)->is_graph_output;
}

/* What is equal to another value before it: of two constants that are both used, or of what two nodes make. What hands
 * its operand on is gone by then. */
static unsigned equal_ones(const struct npart__session *session, const uint32_t *first)
{
    const struct npart__graph *graph = session->file;
    unsigned found = 0;
    for (uint32_t v = 0; first && v < graph->values.count; v++) {
        if (first[v] == v)
            continue;
        uint32_t maker = npart__producer(graph, v);
        bool is_stored = maker == NPART_NONE || npart__is_constant_node(graph, npart__node_at(graph, maker));
        if (!is_stored && optimizer_of(session, maker) != RULES)
            found |= EXPRESSIONS;
        else if (is_stored && is_used(session, v) && is_used(session, first[v]))
            found |= CONSTANTS;
    }
    return found;
}

/* How many of some of them change the graph. */
static unsigned count_optimizers(const struct npart__session *session, const uint32_t *first_equal, unsigned which)
{
    unsigned found = equal_ones(session, first_equal), count = 0;
    for (uint32_t i = 0; i < session->graph->nodes.count; i++)
        found |= optimizer_of(session, i);
    for (found &= which; found; found >>= 1)
        count += found & 1u;
    return count;
}

/* Values that no node makes any more once single nodes and pairs are rewritten: of what goes into the node before it,
 * that node's own result. The inferences keep the flags. */
static bool *find_gone(const struct npart__session *session, struct npart__arena *arena)
{
    const struct npart__graph *graph = session->file;
    bool *gone = npart__arena_zeroed(arena, graph->values.count + (size_t)1, sizeof *gone);
    for (uint32_t i = 0; gone && i < graph->nodes.count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        uint32_t made = node->output_count ? npart__node_output(graph, node, 0) : NPART_NONE;
        if (made == NPART_NONE || optimizer_of(session, i) != RULES)
            continue;
        uint32_t stays = session->stands_for[made];
        bool is_first = session->fates[i] == NPART_FATE_FUSED &&
                        npart__producer(graph, stays) == npart__fused_into(session, i);
        gone[is_first ? stays : made] = true;
    }
    return gone;
}

/* What goes into the node before it leaves that node its own result, which to the runtime is the node's now. */
static void take_results(const struct npart__session *session, struct npart__inference *inference)
{
    const struct npart__graph *graph = session->file;
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        if (session->fates[i] != NPART_FATE_FUSED)
            continue;
        uint32_t made = npart__node_output(graph, npart__node_at(graph, i), 0), stays = session->stands_for[made];
        if (npart__producer(graph, stays) != npart__fused_into(session, i))
            continue;
        inference->facts[stays] = inference->facts[made];
        if (inference->disagrees)
            inference->disagrees[stays] = inference->disagrees[made];
    }
}

/* Infers once more for each of these optimizers that changes the graph. */
static npart_status infer_after(struct npart__plan *plan, struct npart__inference *inference, unsigned which,
                                struct npart__session *session, struct npart__inference **seen,
                                struct npart_error *error)
{
    npart_status status = npart__session_make(*seen, NPART_LEVEL_BASIC, plan->release, plan->arena, session, error);
    if (status != NPART_OK)
        return status;
    unsigned times = count_optimizers(session, plan->inference->first_equal, which);
    const bool *gone = times ? find_gone(session, inference->arena) : NULL;
    if (times && !gone)
        return npart__fail_memory(error);
    for (unsigned i = 0; status == NPART_OK && i < times; i++)
        status = npart__infer_again(inference, &npart__policy_folding[plan->release], *seen, gone, seen, error);
    return status;
}

/* Of a file that declares shapes which cannot be: plan->inference is what would be known without them, a view of
 * `inference`. The sessions are made only to ask what is rewritten; the plan's own is made by find_view. */
static npart_status infer_again(struct npart__plan *plan, struct npart__inference *inference,
                                struct npart_error *error)
{
    struct npart__session early, late;
    struct npart__inference *loaded, *seen;
    npart_status status = npart__infer_view(inference, &npart__policy_unfolded, &loaded, error);
    if (status != NPART_OK)
        return status;
    seen = loaded;
    status = infer_after(plan, inference, EARLY, &early, &seen, error);
    if (status == NPART_OK)
        status = infer_after(plan, inference, LATE, &late, &seen, error);
    if (status != NPART_OK)
        return status;
    if (seen != loaded)
        take_results(&early, seen);
    plan->inference = seen;
    return NPART_OK;
}

/* Three views are possible: of a target without a runtime, all that we know; at level off, what data propagation alone
 * gives; at the basic level, what is known after folding. */
npart_status npart__plan_see(struct npart__plan *plan, struct npart_error *error)
{
    struct npart__inference *inference = plan->inference;
    const struct npart__infer_policy *policy = NULL;
    const struct npart__runtime *runtime = npart__target_runtime(&plan->target);
    /* Without a runtime the policy stays NULL: all that can be known. */
    if (runtime && plan->level == NPART_LEVEL_OFF)
        policy = runtime->knows == NPART__KNOWLEDGE_ONNX ? &npart__policy_onnx : &npart__policy_unfolded;
    else if (runtime)
        policy = &npart__policy_folding[plan->release];
    /* Views are kept by the inference, so a second target of the same runtime does not infer again. */
    npart_status status = npart__infer_view(inference, policy, &plan->inference, error);
    if (status != NPART_OK || !policy || !policy->computes || !plan->inference->has_false_shapes)
        return status;
    return infer_again(plan, inference, error);
}

/* What the newest runtime refuses to load is told by the inference as the caller made it, so that it is the
 * same for all targets; an older one may refuse the model for its versions. A target without a runtime has a compiler
 * of its own, and what that refuses are its rules' business. */
bool npart__session_is_loaded(const struct npart__plan *plan)
{
    const struct npart__inference *asked = plan->request.inference;
    struct npart__loads runtime;
    return !npart__target_loads(&plan->target, &runtime) ||
           (!npart__is_invalid(asked) && !npart__is_too_new(&runtime, asked->graph));
}
