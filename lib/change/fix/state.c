/* SPDX-License-Identifier: Apache-2.0
 *
 * A version with its plans, and what these leave to the CPU.
 */
#include "fix/state.h"

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
    state->number = ++search->state_count;
    return state;
}

struct npart__state *npart__state_hold(struct npart__state *state)
{
    state->holders++;
    return state;
}

static void take_edition(struct npart__state *state, struct npart__edition *edition)
{
    state->edition = edition;
    state->version = edition->version;
    state->lacks_sizes = edition->lacks_sizes;
    state->known = edition->known;
    state->inference = edition->inference;
    state->graph = edition->graph;
}

/* Takes the plan, of which its own reference goes with it. */
static npart_status take_plan(struct npart__search *search, struct npart__state *state,
                              struct npart__edition *edition, const npart_plan *plan)
{
    struct npart__outcome *outcome = npart__arena_zeroed(&state->arena, 1, sizeof *outcome);
    take_edition(state, edition);
    if (!outcome)
        return npart__fail_memory(search->error);
    *outcome = npart__outcome_of(&plan->plan);
    state->plan = (npart_plan *)(uintptr_t)plan;
    state->plans = &plan->plan;
    npart__life_share(plan->life);
    state->standing = (struct npart__standing){outcome, 1, npart__is_invalid(state->inference)};
    search->fix->plan_count++;
    return NPART_OK;
}

npart_status npart__state_of_plan(struct npart__search *search, const struct npart__version *version,
                                  const npart_plan *plan, bool lacks_sizes, const char *what,
                                  struct npart__state **out)
{
    struct npart__edition *edition = npart__edition_of(search->request->editions, &search->arena->allocator, version,
                                                       plan->inference, lacks_sizes);
    struct npart__state *state = edition ? npart__state_new(search) : NULL;
    *out = NULL;
    if (!state && edition)
        npart__edition_leave(edition);
    if (!state)
        return npart__fail_memory(search->error);
    npart_status status = search->request->is_other ? npart__state_take(search, state, edition, what)
                                                    : take_plan(search, state, edition, plan);
    if (status == NPART_OK)
        *out = state;
    else
        npart__state_free(state);
    return status;
}

/* It lies in its own arena, of which a copy outlives it here. */
void npart__state_free(struct npart__state *state)
{
    if (!state || state->holders-- > 0)
        return;
    struct npart__arena arena = state->arena;
    npart_plan_free(state->plan);
    if (state->edition)
        npart__edition_leave(state->edition);
    else
        npart_inference_free(state->known);
    npart__arena_clear(&arena);
}

/* Those of a root are the caller's, who outlives it. */
bool npart__state_own_bytes(struct npart__state *state)
{
    const struct npart__version version = state->version;
    bool is_own = !state->edition || state->edition->is_root ||
                  npart__version_copy(&version, &state->arena, &state->version);
    state->version.objects = version.objects; /* which the inference keeps */
    return is_own;
}

void npart__state_detach(struct npart__state *state)
{
    if (!state->edition)
        return;
    npart__life_share(state->known->life);
    npart__edition_leave(state->edition);
    state->edition = NULL;
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
        plan.is_trial = plan.is_step = search->fix->plan_count >= request->target_count;
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

/* States on the way of a replay have no plans, and are no progress to be told. */
npart_status npart__state_take(struct npart__search *search, struct npart__state *state,
                               struct npart__edition *edition, const char *what)
{
    uint32_t count = search->request->target_count;
    take_edition(state, edition);
    struct npart__outcome *outcomes = npart__arena_zeroed(&state->arena, count, sizeof *outcomes);
    struct npart__plan *plans = npart__arena_zeroed(&state->arena, count, sizeof *plans);
    if (!plans || !outcomes)
        return npart__fail_memory(search->error);
    state->plans = plans;
    state->standing = (struct npart__standing){outcomes, count, npart__is_invalid(state->inference)};
    return search->plans_nothing ? NPART_OK : npart__state_plan(search, state, what);
}

npart_status npart__state_analyse(struct npart__search *search, struct npart__state *state,
                                  const struct npart__version *version, const char *what)
{
    struct npart__edition *edition;
    npart_status status = npart__edition_find(search->request->editions, version, search->request->model_name,
                                              &search->arena->allocator, &edition, search->error);
    return status == NPART_OK ? npart__state_take(search, state, edition, what) : status;
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
