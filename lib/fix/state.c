/* SPDX-License-Identifier: Apache-2.0
 *
 * The analysis of a version, and which of two is better.
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

/* It lies in its own arena, of which a copy outlives it here. */
void npart__state_free(struct npart__state *state)
{
    if (!state)
        return;
    struct npart__arena arena = state->arena;
    npart__arena_clear(&arena);
}

/* A session that fails for something else than a node (a model that the runtime does not load) counts as one node
 * that fails. A model without live nodes has nothing left to take, and is no failure. */
static void settle_outcome(const struct npart__plan *plan, struct npart__outcome *out)
{
    const struct npart_summary *summary = &plan->summary;
    bool fails = strcmp(summary->verdict, "fails") == 0;
    out->summary = *summary;
    out->failed = fails && !summary->failed ? 1 : summary->failed;
    /* 0 partitions would be the fewest, though it is the worst: nothing is on the NPU. NPART_NONE is the most. */
    out->partitions = summary->accepted || !summary->live ? summary->partitions : NPART_NONE;
    /* Nodes that fail and undecided ones are among them: none of them can be relied on. */
    out->left = summary->live - summary->accepted;
    out->ms = plan->cost.is_known ? plan->cost.total_ms.typical : -1;
}

/* As any file is analysed, from its bytes: what is compared is what would be written. Plans of one state share their
 * views, which lie in its arena. */
npart_status npart__state_analyse(struct npart__search *search, struct npart__state *state,
                                  const struct npart__infer_options *sizes, const char *what)
{
    /* Limits as they are by default, and no sizes: those of the user are in the file's types after the first
     * step. */
    static const struct npart__infer_options nothing;
    const struct npart__fix_request *request = search->request;
    struct npart__arena *arena = &state->arena;
    struct npart_error *error = search->error;
    npart_status status = npart__version_graph(&state->version, arena, &state->graph, error);
    if (status == NPART_OK)
        status = npart__infer(&state->graph, sizes ? sizes : &nothing, arena, &state->inference, error);
    if (status == NPART_OK)
        status = npart__find_invalid(&state->inference, error);
    if (status != NPART_OK)
        return status;
    /* Told by ONNX Runtime's limits, whatever the targets are; such a model is planned all the same, so that steps
     * can be compared. */
    state->is_invalid = npart__is_invalid(&state->inference);
    state->shared.arena = arena;
    state->target_count = request->target_count;
    state->plans = npart__arena_zeroed(arena, request->target_count, sizeof *state->plans);
    state->outcomes = npart__arena_zeroed(arena, request->target_count, sizeof *state->outcomes);
    if (!state->plans || !state->outcomes)
        return npart__fail_memory(error);
    for (uint32_t i = 0; i < request->target_count && status == NPART_OK && !search->plans_nothing; i++) {
        struct npart__plan_request plan = request->plan;
        plan.model_name = request->model_name;
        plan.inference = &state->inference;
        plan.shared = &state->shared;
        plan.oplist = request->targets[i].oplist;
        plan.target = request->targets[i].target;
        status = npart__plan_make(&plan, arena, &state->plans[i], error);
        if (status == NPART_OK)
            settle_outcome(&state->plans[i], &state->outcomes[i]);
        search->fix->plan_count++;
    }
    /* States on the way of a replay are no progress to be told. */
    if (request->progress && !search->plans_nothing)
        request->progress(request->payload, what, search->fix->plan_count);
    return status;
}

/* Made when the first rewrite is offered something: plans do with fewer elements. */
npart_status npart__state_widen(struct npart__search *search, struct npart__state *state)
{
    if (state->wide)
        return NPART_OK;
    /* The same but for the limit: sizes must not differ from those of the plans. */
    struct npart__infer_options options = state->inference.options;
    struct npart__inference *wide = npart__arena_zeroed(&state->arena, 1, sizeof *wide);
    if (!wide)
        return npart__fail_memory(search->error);
    options.most_elements = NPART__LIMIT_FIX_ELEMENTS;
    npart_status status = npart__infer(&state->graph, &options, &state->arena, wide, search->error);
    if (status == NPART_OK)
        state->wide = wide;
    return status;
}

/* ---- what is left ------------------------------------------------------------------------------------------------ */

/* A call or a branch whose nodes stand in its place is left where one of them is. A node that is fused counts with
 * the one that it is part of; constants and what is never run are not left. The depth of calls is limited while
 * the graph is built; the test keeps the recursion bounded by itself. */
static bool is_left_by(const struct npart__plan *plan, uint32_t id, unsigned depth)
{
    const struct npart__session *session = &plan->session;
    const struct npart__node *node = npart__node_at(session->graph, id);
    if (npart__is_live(session, id))
        return !plan->accepted[id] || plan->mask.verdicts[id] == NPART__FAIL;
    if (session->fates[id] == NPART__FATE_FUSED) {
        uint32_t into = npart__fused_into(session, id);
        return into != NPART_NONE && npart__is_live(session, into) && !plan->accepted[into];
    }
    if (session->fates[id] != NPART__FATE_INLINED || node->callee == NPART_NONE || depth == NPART__LIMIT_CALL_DEPTH)
        return false;
    const struct npart__scope *scope = npart__scope_at(session->graph, node->callee);
    for (uint32_t i = 0; i < scope->node_count; i++)
        if (is_left_by(plan, scope->first_node + i, depth + 1))
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
    for (uint32_t i = 0; i < state->target_count; i++)
        if (npart__is_left_by(state, i, node))
            return true;
    return false;
}

/* ---- which is better --------------------------------------------------------------------------------------------- */

/* Below 0, 0 or above 0; a difference of unsigned numbers would wrap. */
static int compare_counts(uint32_t a, uint32_t b)
{
    return a < b ? -1 : a > b;
}

/* A time that is not known on either side decides nothing. NPART_NONE partitions (nothing is taken) are more than any
 * number. With a share of 0.05, 9.6 ms and 10 ms are the same, 9.4 ms are better. */
int npart__compare_outcomes(const struct npart__outcome *a, const struct npart__outcome *b, double share)
{
    int order = compare_counts(a->failed, b->failed);
    if (!order)
        order = compare_counts(a->partitions, b->partitions);
    if (!order)
        order = compare_counts(a->left, b->left);
    if (!order && a->ms >= 0 && b->ms >= 0)
        order = a->ms < b->ms * (1 - share) ? -1 : a->ms > b->ms * (1 + share);
    return order;
}

/* Sizes make nodes of what was shapes, so what is better in one and worse in the other is weighed by time. */
int npart__compare_results(const struct npart__outcome *a, const struct npart__outcome *b)
{
    int failed = compare_counts(a->failed, b->failed), partitions = compare_counts(a->partitions, b->partitions);
    int left = compare_counts(a->left, b->left), time = 0;
    if (a->ms >= 0 && b->ms >= 0)
        time = a->ms < b->ms ? -1 : a->ms > b->ms * (1 + NPART__SHARE_OF_HARM);
    if (failed)
        return failed;
    return partitions * left < 0 || (!partitions && !left) ? time : partitions ? partitions : left;
}

/* For any target, or where the model would no longer be loaded. */
bool npart__is_worse(const struct npart__state *state, const struct npart__state *than, double share)
{
    for (uint32_t i = 0; i < state->target_count; i++)
        if (npart__compare_outcomes(&state->outcomes[i], &than->outcomes[i], share) > 0)
            return true;
    return state->is_invalid && !than->is_invalid;
}

/* What is gained is asked with a small share and what is lost with a larger one: 1 % faster on one target is worth
 * 3 % slower on another. */
bool npart__is_better(const struct npart__state *state, const struct npart__state *than)
{
    bool is_better = false;
    for (uint32_t i = 0; i < state->target_count; i++)
        is_better |= npart__compare_outcomes(&state->outcomes[i], &than->outcomes[i], NPART__SHARE_OF_GAIN) < 0;
    return is_better && !npart__is_worse(state, than, NPART__SHARE_OF_HARM);
}

/* Not asked for time: fewer nodes on the CPU may cost more until partitions fall. */
bool npart__is_progress(const struct npart__state *state, const struct npart__state *than)
{
    bool is_progress = false;
    for (uint32_t i = 0; i < state->target_count; i++) {
        const struct npart__outcome *a = &state->outcomes[i], *b = &than->outcomes[i];
        if (a->failed > b->failed)
            return false;
        is_progress |= a->failed < b->failed || a->partitions < b->partitions || a->left < b->left;
    }
    return is_progress && !(state->is_invalid && !than->is_invalid);
}
