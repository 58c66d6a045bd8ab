/* SPDX-License-Identifier: Apache-2.0
 *
 * The analysis of a version, and what it leaves to the CPU.
 */
#include "fix/state.h"

#include "edit/models.h"

/* ---- states ------------------------------------------------------------------------------------------------------ */

/* Its own arena holds the struct, too, so freeing it is one call. */
struct npart__state *npart__state_new(struct npart__search *search)
{
    const struct npart_allocator *allocator = &search->arena->allocator;
    struct npart__arena arena;
    npart__arena_init(&arena, allocator);
    struct npart__state *state = npart__arena_zeroed(&arena, 1, sizeof *state);
    if (!state) {
        npart__arena_clear(&arena);
        return NULL;
    }
    state->arena = arena;
    npart__arena_init(&state->editing, allocator);
    state->number = ++search->state_count;
    return state;
}

struct npart__state *npart__state_hold(struct npart__state *state)
{
    state->holders++;
    return state;
}

/* Readers of handles are const, and references are counted beside them. */
static void take_inference(struct npart__state *state, npart_inference *known)
{
    state->known = known;
    state->inference = known->inference;
    state->graph = known->model->graph;
}

struct npart__state *npart__state_of_plan(struct npart__search *search, const struct npart__version *version,
                                          const npart_plan *plan)
{
    struct npart__state *state = npart__state_new(search);
    struct npart__outcome *outcome = state ? npart__arena_zeroed(&state->arena, 1, sizeof *outcome) : NULL;
    if (!outcome) {
        npart__state_free(state);
        return NULL;
    }
    *outcome = npart__outcome_of(&plan->plan);
    state->version = *version;
    state->plan = (npart_plan *)(uintptr_t)plan;
    state->plans = &plan->plan;
    take_inference(state, (npart_inference *)(uintptr_t)plan->inference);
    npart__life_share(plan->life);
    npart__life_share(plan->inference->life);
    state->standing = (struct npart__standing){outcome, 1, npart__is_invalid(state->inference)};
    search->fix->plan_count++;
    return state;
}

/* It lies in its own arena, of which a copy outlives it here. */
void npart__state_free(struct npart__state *state)
{
    if (!state || state->holders-- > 0)
        return;
    struct npart__arena arena = state->arena;
    npart_plan_free(state->plan);
    npart_inference_free(state->known);
    npart__arena_clear(&state->editing);
    npart__arena_clear(&arena);
}

/* `is_invalid` is told by ONNX Runtime's limits, whatever the targets are; such a model is planned all the same, so
 * that steps can be compared. Plans of one state share the views of its inference. */
npart_status npart__state_plan(struct npart__search *search, struct npart__state *state, const char *what)
{
    const struct npart__fix_request *request = search->request;
    struct npart__arena *arena = &state->arena;
    struct npart__outcome *outcomes = npart__arena_zeroed(arena, request->target_count, sizeof *outcomes);
    struct npart__plan *plans = npart__arena_zeroed(arena, request->target_count, sizeof *plans);
    npart_status status = outcomes && plans ? NPART_OK : npart__fail_memory(search->error);
    state->standing.outcomes = outcomes;
    state->plans = plans;
    for (uint32_t i = 0; i < request->target_count && status == NPART_OK; i++) {
        struct npart__plan_request plan = request->plan;
        plan.model_name = request->model_name;
        plan.inference = state->inference;
        plan.shared = &state->known->views->shared;
        /* Of the model as it is what it takes of memory is told, too. */
        plan.is_trial = search->fix->plan_count >= request->target_count;
        plan.oplist = request->targets[i].oplist;
        plan.target = request->targets[i].target;
        status = npart__plan_make(&plan, arena, &plans[i], search->error);
        if (status == NPART_OK)
            outcomes[i] = npart__outcome_of(&plans[i]);
        search->fix->plan_count++;
    }
    if (request->progress)
        request->progress(request->payload, what, search->fix->plan_count);
    return status;
}

/* As any file is analysed, from its bytes, by the functions of the header: what is compared is what would be written.
 * Limits are as they are by default, and there are no sizes: those of the user are in the file's types after the first
 * step. States on the way of a replay have no plans, and are no progress to be told. */
npart_status npart__state_analyse(struct npart__search *search, struct npart__state *state, const char *what)
{
    uint32_t count = search->request->target_count;
    const struct npart_allocator *allocator = &search->arena->allocator;
    struct npart_error *error = search->error;
    npart_model *model = NULL;
    npart_inference *known = NULL;
    npart_status status = npart__model_of_version(&model, &state->version, search->request->model_name, allocator,
                                                  error);
    if (status == NPART_OK)
        status = npart_inference_make(&known, model, NULL, error);
    npart_model_free(model); /* the inference keeps it */
    /* A handle says LIMIT or TIMEOUT where the budget is spent, which is no fault of the version. */
    if (status != NPART_OK && npart__budget_status(allocator, NULL) != NPART_OK)
        status = npart__fail_memory(error);
    if (status != NPART_OK)
        return status;
    take_inference(state, known);
    struct npart__outcome *outcomes = npart__arena_zeroed(&state->arena, count, sizeof *outcomes);
    struct npart__plan *plans = npart__arena_zeroed(&state->arena, count, sizeof *plans);
    if (!plans || !outcomes)
        return npart__fail_memory(error);
    state->plans = plans;
    state->standing = (struct npart__standing){outcomes, count, npart__is_invalid(state->inference)};
    return search->plans_nothing ? NPART_OK : npart__state_plan(search, state, what);
}

/* Made when the first rewrite is offered something: plans do with fewer elements. */
npart_status npart__state_widen(struct npart__search *search, struct npart__state *state)
{
    if (state->wide)
        return NPART_OK;
    if (!npart__leaves_elements(state->inference)) {
        state->wide = state->inference;
        return NPART_OK;
    }
    /* The same but for the limit: sizes must not differ from those of the plans. */
    struct npart__infer_options options = state->inference->options;
    struct npart__inference *wide = npart__arena_zeroed(&state->arena, 1, sizeof *wide);
    if (!wide)
        return npart__fail_memory(search->error);
    options.most_elements = NPART__LIMIT_FIX_ELEMENTS;
    npart_status status = npart__infer(state->graph, &options, &state->arena, wide, search->error);
    if (status == NPART_OK)
        state->wide = wide;
    return status;
}

npart_status npart__state_open(struct npart__search *search, const struct npart__state *state,
                               struct npart__inference *inference, struct npart__arena *arena,
                               struct npart__editor **out)
{
    uint32_t count = state->graph->values.count;
    bool *is_constant = npart__arena_zeroed(arena, count + (size_t)1, sizeof *is_constant), changed;
    if (!is_constant)
        return npart__fail_memory(search->error);
    for (uint32_t i = 0; i < count; i++)
        is_constant[i] = inference->facts[i].is_constant;
    npart_status status = npart__editor_open(&state->version, state->graph, inference, is_constant, arena, out,
                                             search->error);
    if (status == NPART_OK && state->lacks_sizes && !npart__editor_declare(*out, state->inference, false, &changed))
        status = npart__fail_memory(search->error);
    return status;
}

/* Most rewrites suit no node of a model, and the file's objects are unpacked once for all of them. */
npart_status npart__state_edit(struct npart__search *search, struct npart__state *state)
{
    npart_status status = state->editor ? NPART_OK : npart__state_widen(search, state);
    if (status == NPART_OK && !state->editor)
        status = npart__state_open(search, state, state->wide, &state->editing, &state->editor);
    return status;
}

void npart__state_close_editor(struct npart__state *state)
{
    npart__arena_clear(&state->editing);
    state->editor = NULL;
}

/* ---- operators --------------------------------------------------------------------------------------------------- */

/* By interned name of an operator, the first node of it; a node of the same name in another domain is its own first. */
static bool find_alike(struct npart__state *state)
{
    const struct npart__graph *graph = state->graph;
    uint32_t count = graph->nodes.count;
    struct npart__arena scratch;
    npart__arena_init(&scratch, &state->arena.allocator);
    uint32_t *first = npart__arena_zeroed(&scratch, graph->strings.texts.count + (size_t)1, sizeof *first);
    state->first_alike = npart__arena_zeroed(&state->arena, count + (size_t)1, sizeof *state->first_alike);
    state->is_anchor = npart__arena_zeroed(&state->arena, count + (size_t)1, sizeof *state->is_anchor);
    bool is_done = first && state->first_alike && state->is_anchor;
    for (uint32_t i = 0; is_done && i < count; i++) {
        const struct npart__node *node = npart__node_at(graph, i);
        if (!first[node->op_type])
            first[node->op_type] = i + 1;
        uint32_t alike = first[node->op_type] - 1;
        state->first_alike[i] = npart__node_at(graph, alike)->domain == node->domain ? alike : i;
    }
    npart__arena_clear(&scratch);
    return is_done;
}

/* Names are compared once for each operator, of which a model has few, and not once for each node. */
bool npart__state_find_anchors(struct npart__state *state, const char *ops)
{
    if (!state->is_anchor && !find_alike(state))
        return false;
    for (uint32_t i = 0; i < state->graph->nodes.count; i++) {
        uint32_t first = state->first_alike[i];
        state->is_anchor[i] = first == i ? npart__lists_op(state->graph, ops, i) : state->is_anchor[first];
    }
    return true;
}

/* ---- what is left ------------------------------------------------------------------------------------------------ */

/* A call or a branch whose nodes stand in its place is left where one of them is, or where they are offered only once
 * partitions have been made, as they are in partitions of their own then. A node that is fused counts with
 * the one that it is part of; constants and what is never run are not left. The depth of calls is limited while
 * the graph is built; the test keeps the recursion bounded by itself. */
static bool is_left_by(const struct npart__plan *plan, uint32_t id, unsigned depth)
{
    const struct npart__session *session = &plan->session;
    const struct npart__node *node = npart__node_at(session->graph, id);
    if (npart__is_live(session, id))
        return !plan->accepted[id] || plan->mask.verdicts[id] == NPART_VERDICT_FAIL;
    if (session->fates[id] == NPART_FATE_FUSED) {
        uint32_t into = npart__fused_into(session, id);
        return into != NPART_NONE && npart__is_live(session, into) && !plan->accepted[into];
    }
    if (session->fates[id] != NPART_FATE_INLINED || node->callee == NPART_NONE || depth == NPART__LIMIT_CALL_DEPTH)
        return false;
    const struct npart__scope *scope = npart__scope_at(session->graph, node->callee);
    for (uint32_t i = 0; i < scope->node_count; i++)
        if (session->round[scope->first_node + i] || is_left_by(plan, scope->first_node + i, depth + 1))
            return true;
    return false;
}

/* Nodes that are taken, and fail to compile together. Such nodes have the verdict NPU, each for itself. Few
 * matches fail, so they are walked for each node that is asked about. */
static bool fails_with_others(const struct npart__plan *plan, uint32_t id)
{
    for (uint32_t i = 0; i < plan->mask.failing.count; i++) {
        const struct npart__failing *failing = &plan->mask.failing.items[i];
        for (uint32_t k = 0; k < failing->node_count; k++)
            if (plan->mask.failing_nodes.items[failing->first_node + k] == id)
                return true;
    }
    return false;
}

bool npart__is_left_by(const struct npart__state *state, uint32_t target, uint32_t node)
{
    return is_left_by(&state->plans[target], node, 0) || fails_with_others(&state->plans[target], node);
}

bool npart__is_left(const struct npart__state *state, uint32_t node)
{
    for (uint32_t i = 0; i < state->standing.target_count; i++)
        if (npart__is_left_by(state, i, node))
            return true;
    return false;
}
