/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that tell what nodes compute and move. Expressions are made and printed when they are first asked
 * for: most callers want none, and a plan has the numbers.
 */
#include "api/api.h"

/* Of a model without symbolic sizes the numbers are all. `numbers` may be NULL. False when out of memory. A
 * symbol without a name, or one that was given a size, makes no expression that a caller could use. `texts` is
 * as long as the pool has sums, and none is added later: all figures are made before one is printed. */
static bool find_work(const struct npart__session *session, const struct npart__works *numbers,
                      struct npart__arena *arena, struct npart__late_work *late)
{
    const struct npart__symbol *symbols = session->known->expressions.symbols.items;
    bool is_symbolic = false;
    for (uint32_t i = 0; i < session->known->expressions.symbols.count; i++)
        is_symbolic |= symbols[i].name && !symbols[i].is_bound;
    if (!is_symbolic && numbers)
        late->works = *numbers;
    else if (!(is_symbolic ? npart__find_symbolic_work : npart__find_work)(session, arena, &late->works))
        return false;
    if (late->works.expressions)
        late->texts =
            npart__arena_zeroed(arena, late->works.expressions->sums.texts.count + (size_t)1, sizeof *late->texts);
    late->is_found = late->texts || !late->works.expressions;
    return late->is_found;
}

/* Each distinct expression is printed once, whichever figures of whichever nodes have it. A figure that is an
 * expression is its sum's handle in the pool, so its place among the texts is the handle less
 * NPART__HANDLE_BASE. `value` is UINT64_MAX then, and the text says what it is: "200704*batch". */
static struct npart_figure figure_of(struct npart__late_work *late, struct npart__arena *arena, uint64_t figure,
                                     bool *is_ok)
{
    struct npart_figure out = {.value = figure};
    if (figure == NPART__WORK_UNKNOWN || npart__work_is_number(figure))
        return out;
    const char **text = &late->texts[(int64_t)figure - NPART__HANDLE_BASE];
    if (!*text) {
        struct npart__buffer buffer = {.arena = arena};
        npart__append_dim(&buffer, late->works.expressions, (int64_t)figure);
        *text = npart__made_text(&buffer);
    }
    *is_ok &= *text != NULL;
    out.value = UINT64_MAX;
    out.text = *text;
    return out;
}

/* Nodes past those of a session's graph are not run. */
static bool tell(struct npart__late_work *late, struct npart__arena *arena, uint32_t node, struct npart_work *out)
{
    const struct npart__work *at = &late->works.items[node];
    const uint64_t from[] = {at->macs, at->operations, at->input_bytes, at->output_bytes, at->weight_bytes,
                             at->rows, at->columns,    at->depth,       at->taps,         at->groups};
    struct npart_figure to[NPART__COUNT(from)];
    bool is_ok = true;
    /* All figures before anything is written to the caller's struct. */
    for (size_t i = 0; i < NPART__COUNT(from); i++)
        to[i] = figure_of(late, arena, from[i], &is_ok);
    if (is_ok)
        *out = (struct npart_work){
            .size = sizeof *out,
            .work_class = at->class,
            .macs = to[0],
            .operations = to[1],
            .bytes_in = to[2],
            .bytes_out = to[3],
            .weight_bytes = to[4],
            .rows = to[5],
            .columns = to[6],
            .depth = to[7],
            .taps = to[8],
            .groups = to[9],
            .activation_type = at->activation_type,
            .weight_type = at->weight_type,
        };
    return is_ok;
}

/* What both functions ask of their arguments. `graph` is looked at only where there is a handle. */
static npart_status check(const void *handle, const char *name, const struct npart__graph *graph, uint32_t node,
                          const struct npart_work *out, struct npart_error *error)
{
    if (!handle || !out)
        return npart__fail_null(handle ? "out" : name, error);
    if (out->size != sizeof *out)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the size of struct npart_work is not known");
    if (node >= graph->nodes.count)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there are %u nodes", graph->nodes.count);
    return NPART_OK;
}

/* As a session without a runtime runs it. So at level basic, with nothing that belongs to one target. So a
 * BatchNormalization that is fused into a Conv has no work here either; the Conv has it. */
npart_status npart_inference_work(const npart_inference *inference, uint32_t node, struct npart_work *out,
                                  struct npart_error *error)
{
    npart_status status =
        check(inference, "inference", inference ? inference->inference->graph : NULL, node, out, error);
    if (status != NPART_OK)
        return status;
    struct npart__late_work *late = inference->work;
    struct npart__arena *arena = inference->inference->arena;
    npart__lock(inference);
    if (!late->is_found) {
        struct npart__session session;
        status = npart__session_make(inference->inference, NPART_LEVEL_BASIC, NPART__RELEASE_OWN, arena, &session,
                                     error);
        if (status == NPART_OK && (!npart__session_know(&session, inference->inference, arena) ||
                                   !find_work(&session, NULL, arena, late)))
            status = npart__fail_memory(error);
    }
    if (status == NPART_OK && !tell(late, arena, node, out))
        status = npart__fail_memory(error);
    npart__unlock(inference);
    return npart__settle_for(inference->life, status, error);
}

/* Of the nodes as this plan's session runs them. Numbers were found with the plan, whose cost is made of them;
 * only a model with symbolic sizes is walked again. */
npart_status npart_plan_work(const npart_plan *plan, uint32_t node, struct npart_work *out, struct npart_error *error)
{
    npart_status status = check(plan, "plan", plan ? plan->plan.graph : NULL, node, out, error);
    if (status != NPART_OK)
        return status;
    struct npart__late_work *late = &plan->late->work;
    struct npart__arena *arena = &plan->life->arena;
    npart__lock(plan->inference);
    bool is_ok = late->is_found || find_work(&plan->plan.session, &plan->plan.works, arena, late);
    is_ok = is_ok && tell(late, arena, node, out);
    npart__unlock(plan->inference);
    return is_ok ? NPART_OK : npart__settle_for(plan->life, npart__fail_memory(error), error);
}
