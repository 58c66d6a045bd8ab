/* SPDX-License-Identifier: Apache-2.0
 *
 * The search. Rewrites are tried in the order in which they act on each other, again and again until none applies. A
 * step that is better for some target and worse for none is kept; one that only brings nodes onto the NPU, or makes
 * others possible, is kept for the time being: partitions fall only when all that cuts a graph is gone. In the end the
 * best state counts, and steps that it can do without are taken back.
 */
#include <string.h>

#include "fix/course.h"

/* Never NULL: npart__fix_search puts one of its own in the place of none. */
static struct npart_error *error_of(const struct npart__course *course)
{
    return course->search->error;
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

/* A state is the memory of a whole analysis, so it goes as soon as nothing points to it. Called after what pointed
 * to the state points elsewhere. */
void npart__course_leave(const struct npart__course *course, struct npart__state *state)
{
    if (state != course->base && state != course->best && state != course->current)
        npart__state_free(state);
}

/* The number of steps is noted, since steps after the best state lead nowhere in the end. Called when `current` is
 * better, and after each branch that was taken. */
static void take_for_best(struct npart__course *course)
{
    struct npart__state *before = course->best;
    course->best = course->current;
    course->best_count = course->steps.count;
    if (before != course->best)
        npart__course_leave(course, before);
}

/* Better than the best so far, and not only than the state before: a step may undo what an earlier one won. */
static void go_to(struct npart__course *course, struct npart__state *state)
{
    struct npart__state *before = course->current;
    course->current = state;
    npart__course_leave(course, before);
    if (npart__is_better(&state->standing, &course->best->standing))
        take_for_best(course);
}

/* ---- what is taken back ------------------------------------------------------------------------------------------ */

/* Each rewrite once, with the last reason: it may be tried in every round. `why` is NULL when out of memory. */
npart_status npart__course_take_back(struct npart__course *course, const struct npart__attempt *attempt,
                                     const char *why)
{
    struct npart__search *search = course->search;
    struct npart__taken_back taken = {attempt->step.rewrite, why, attempt->step.site_count};
    for (uint32_t i = 0; i < search->fix->taken_back.count; i++)
        if (strcmp(search->fix->taken_back.items[i].rewrite, taken.rewrite) == 0) {
            search->fix->taken_back.items[i] = taken;
            return why ? NPART_OK : npart__fail_memory(search->error);
        }
    return why && NPART__PUSH(search->arena, &search->fix->taken_back, taken) ? NPART_OK
                                                                              : npart__fail_memory(search->error);
}

/* What did not get better, of the first target of which that can be said. The sentence is printed after the
 * rewrite's id. */
static const char *reason(const struct npart__course *course, const struct npart__state *made)
{
    struct npart__arena *arena = course->search->arena;
    const struct npart__standing *now = &course->current->standing;
    if (made->standing.is_invalid && !now->is_invalid)
        return "ONNX Runtime would not load the model";
    for (uint32_t i = 0; i < now->target_count; i++) {
        const struct npart__outcome *a = &now->outcomes[i], *b = &made->standing.outcomes[i];
        const char *target = course->current->plans[i].target.oplist->name;
        /* First what fails, as in npart__compare_outcomes. */
        if (b->failed > a->failed)
            return npart__arena_format(arena, "%s: the session would fail", target);
        if (npart__compare_outcomes(b, a, NPART__SHARE_OF_HARM) > 0)
            return npart__arena_format(arena, "%s: %u partitions with %u nodes on the CPU before, %u with %u after",
                                       target, a->summary.partitions, a->left, b->summary.partitions, b->left);
    }
    return "no fewer partitions, and no fewer nodes on the CPU";
}

/* As a share of the file with its weights, wherever they are; 0 for what is little anyway. Versions are skeletons,
 * so what grows is what rewrites have added; payloads in the input are the same in both. A file of 100 MB whose
 * version got 5 MB longer has grown by 0.05; one that got 1 MB longer, or shorter, by 0. */
static double growth(const struct npart__course *course, const struct npart__state *made)
{
    const struct npart__graph *graph = course->base->graph;
    double whole = (double)graph->input_bytes + (double)graph->external_bytes;
    double more = (double)made->version.bytes - (double)course->base->version.bytes;
    return more > (double)NPART__FIX_GROWTH_BYTES && whole > 0 ? more / whole : 0;
}

/* ---- steps ------------------------------------------------------------------------------------------------------- */

/* False when out of memory. Summaries lie within; texts that they point to are constants. */
static bool copy_standing(const struct npart__state *state, struct npart__arena *arena, struct npart__standing *out)
{
    uint32_t count = state->standing.target_count;
    struct npart__outcome *copy = npart__arena_zeroed(arena, count + (size_t)1, sizeof *copy);
    *out = state->standing;
    out->outcomes = copy;
    if (copy)
        memcpy(copy, state->standing.outcomes, count * sizeof *copy);
    return copy != NULL;
}

/* Takes the state over, also on failure. A rewrite that was taken back in an earlier round and is kept now is not
 * told as taken back. */
static npart_status keep(struct npart__course *course, struct npart__attempt *attempt)
{
    struct npart__search *search = course->search;
    npart_status status = npart__tell_changes(search, course->current, attempt);
    struct npart__kept kept = {.attempt = *attempt};
    if (status == NPART_OK && (!npart__version_copy(&attempt->made->version, &course->versions, &kept.version) ||
                               !copy_standing(attempt->made, &course->versions, &kept.standing) ||
                               !NPART__PUSH(search->arena, &course->steps, kept)))
        status = npart__fail_memory(search->error);
    if (status != NPART_OK) {
        npart__state_free(attempt->made);
        return status;
    }
    go_to(course, attempt->made);
    for (uint32_t i = 0; i < search->fix->taken_back.count; i++) /* it helps now */
        if (strcmp(search->fix->taken_back.items[i].rewrite, attempt->step.rewrite) == 0)
            search->fix->taken_back.items[i] = search->fix->taken_back.items[--search->fix->taken_back.count];
    return NPART_OK;
}

/* Keeps what was made, or tells why not. `*kept` says which. Three questions in this order: is the file too large;
 * is something better and nothing worse; if not, may it still help later (it makes others possible, or brings
 * nodes onto the NPU) without making anything fail. */
static npart_status settle(struct npart__course *course, struct npart__attempt *attempt, bool enables, bool *kept)
{
    struct npart__state *made = attempt->made;
    const struct npart__fix_request *request = course->search->request;
    const struct npart__standing *then = &made->standing, *now = &course->current->standing;
    /* A step may leave a failure as it is, but it may not bring one. */
    bool fails = then->is_invalid && !now->is_invalid;
    for (uint32_t i = 0; i < then->target_count; i++)
        fails |= then->outcomes[i].failed > now->outcomes[i].failed;
    double share = growth(course, made);
    const char *why = NULL;
    if (request->most_growth >= 0 && share > request->most_growth)
        why = npart__arena_format(course->search->arena, "the file would grow by %.0f %%", share * 100);
    else if (!npart__is_better(then, now) && (fails || !(enables || npart__is_progress(then, now))))
        why = reason(course, made);
    else {
        *kept = true;
        return keep(course, attempt);
    }
    npart__state_free(made);
    return npart__course_take_back(course, attempt, why);
}

/* By name of a result: the node that makes it, in any graph of the model. Names that bodies use again keep the
 * last node; names of new nodes are unique. By interned name, plus one; 0: no node makes it. */
static bool index_makers(const struct npart__graph *graph, struct npart__arena *arena, uint32_t **out)
{
    uint32_t *makers = npart__arena_zeroed(arena, graph->strings.texts.count + (size_t)1, sizeof *makers);
    for (uint32_t i = 0; makers && i < graph->values.count; i++)
        if (npart__producer(graph, i) != NPART_NONE)
            makers[npart__value_at(graph, i)->name] = npart__producer(graph, i) + 1;
    *out = makers;
    return makers != NULL;
}

/* Whether a target that did not take the site's node takes all that stands in its place. What was made and is gone
 * again, as folded nodes are, does not matter. Asked target by target: taken wholly by one of them is enough. */
static bool is_useful(const struct npart__state *before, const struct npart__state *made, uint32_t node,
                      const char *const *results, const uint32_t *makers)
{
    for (uint32_t target = 0; target < before->standing.target_count; target++) {
        bool is_taken = npart__is_left_by(before, target, node);
        for (uint32_t i = 0; results[i] && is_taken; i++) {
            uint32_t name = npart__strings_find_text(&made->graph->strings, results[i]);
            uint32_t maker = name == NPART_NONE ? 0 : makers[name];
            is_taken = !maker || !npart__is_left_by(made, target, maker - 1);
        }
        if (is_taken)
            return true;
    }
    return false;
}

/* Picks the sites at which something was won; false when that is all of them, or none. A rewrite is offered at all
 * nodes that are left, also where what it makes is left as well; there the file would change for nothing. Where
 * nothing was won at any site all of them are left to `settle`, which has the last word. */
static npart_status pick_useful(struct npart__course *course, const struct npart__attempt *attempt,
                                struct npart__arena *scratch, const bool **picks)
{
    uint32_t *makers, count = 0;
    bool *useful = npart__arena_zeroed(scratch, course->current->graph->nodes.count + (size_t)1, sizeof *useful);
    *picks = NULL;
    if (!useful || !index_makers(attempt->made->graph, scratch, &makers))
        return npart__fail_memory(error_of(course));
    for (uint32_t i = 0; i < attempt->step.site_count; i++)
        if (is_useful(course->current, attempt->made, attempt->nodes[i], attempt->results[i], makers)) {
            useful[attempt->nodes[i]] = true;
            count++;
        }
    /* Else it would be made again for the same sites. */
    if (count && count < attempt->step.site_count)
        *picks = useful;
    return NPART_OK;
}

/* Not again at a state at which it was tried: nothing would be different. A rewrite is made twice where it won at
 * some sites and not at others, the second time at the former alone. One that only makes others possible is kept at
 * all its sites, as what it wins is seen later. */
static npart_status try_rewrite(struct npart__course *course, uint32_t index, bool *changed)
{
    struct npart__search *search = course->search;
    const struct npart__rewrite *rewrite = &search->request->rewrites->rows[index];
    struct npart__attempt attempt = {.rewrite = rewrite};
    if (course->tried[index] == course->current->number || !npart__is_wanted(search->request, rewrite->id) ||
        course->steps.count == NPART__LIMIT_FIX_STEPS)
        return NPART_OK;
    /* Numbers of states begin with 1, so 0 says that it was never tried. */
    course->tried[index] = course->current->number;
    npart_status status = npart__attempt_rewrite(search, course->current, &attempt);
    if (status == NPART_OK && attempt.made && !rewrite->enables) {
        struct npart__arena scratch;
        const bool *picks;
        npart__arena_init(&scratch, &search->arena->allocator);
        status = pick_useful(course, &attempt, &scratch, &picks);
        if (status != NPART_OK || picks)
            npart__state_free(attempt.made);
        if (status == NPART_OK && picks) {
            attempt.picks = picks;
            status = npart__attempt_rewrite(search, course->current, &attempt);
            /* They go with the scratch, while the attempt is kept. */
            attempt.picks = NULL;
        }
        npart__arena_clear(&scratch);
    }
    if (status != NPART_OK || !attempt.made)
        return status;
    bool is_kept = false;
    status = settle(course, &attempt, rewrite->enables, &is_kept);
    *changed |= is_kept;
    return status;
}

/* Kept only if it is better at once. What it writes down follows from the graph anyway, so by itself it is no
 * progress; a runtime that infers less may need it. */
static npart_status try_annotate(struct npart__course *course, bool *changed)
{
    struct npart__attempt attempt = {.rewrite = NULL};
    if (course->annotated == course->current->number || !npart__is_wanted(course->search->request, NPART__ID_ANNOTATE))
        return NPART_OK;
    course->annotated = course->current->number;
    if (!npart__can_annotate(course->current))
        return NPART_OK;
    npart_status status = npart__edition_widen(course->current->edition, error_of(course));
    if (status == NPART_OK && npart__can_annotate(course->current))
        status = npart__attempt_annotate(course->search, course->current, &attempt);
    if (status != NPART_OK || !attempt.made)
        return status;
    if (npart__is_better(&attempt.made->standing, &course->current->standing))
        return settle(course, &attempt, false, changed);
    npart__state_free(attempt.made);
    return NPART_OK;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

/* All nodes of all targets are taken, and in the first round: no further rewrite has anything to win. */
static bool is_done(const struct npart__state *state)
{
    for (uint32_t i = 0; i < state->standing.target_count; i++)
        if (state->standing.outcomes[i].left || state->standing.outcomes[i].failed ||
            state->plans[i].session.round_count)
            return false;
    return true;
}

/* In the order of the rows, which is that of the list. */
static npart_status try_phase(struct npart__course *course, uint8_t phase, bool *changed)
{
    npart_status status = NPART_OK;
    for (uint32_t i = 0; i < course->search->request->rewrites->count && status == NPART_OK; i++) {
        const struct npart__rewrite *row = &course->search->request->rewrites->rows[i];
        if (row->phase != phase)
            continue;
        if (npart__is_late(course->search->arena))
            return npart__fail_memory(error_of(course));
        if (strcmp(row->id, NPART__ID_ANNOTATE) == 0)
            status = try_annotate(course, changed);
        else if (!row->is_whole && !is_done(course->current))
            status = try_rewrite(course, i, changed);
    }
    return status;
}

/* Constants are folded again before each phase, as later ones find more when it is done. Rounds end when one
 * changes nothing; the limit is for rewrites that undo each other. */
static npart_status try_all(struct npart__course *course)
{
    bool changed = true;
    npart_status status = NPART_OK;
    for (uint32_t round = 0; round < NPART__LIMIT_FIX_ROUNDS && changed && status == NPART_OK; round++) {
        changed = false;
        for (uint8_t phase = 0; phase < NPART__PHASES && status == NPART_OK; phase++) {
            if (phase > NPART__PHASE_FOLD)
                status = try_phase(course, NPART__PHASE_FOLD, &changed);
            if (status == NPART_OK)
                status = try_phase(course, phase, &changed);
        }
    }
    return status;
}

/* ---- branches --------------------------------------------------------------------------------------------- */

/* A branch that is taken may show the next If; each such round is a step of its own. */
#define LIMIT_NESTED_BRANCHES 8u

/* Once an input is given, the branches that it chooses stand in the place of their Ifs, whether or not a session would
 * see to that itself: the others, and their weights, are what the user wants to be rid of. Offered at all nodes,
 * not only at those that a target leaves. */
static npart_status take_branches(struct npart__course *course)
{
    struct npart__search *search = course->search;
    const struct npart__rewrite *rewrite = npart__rewrite_of(search->request->rewrites, NPART__ID_IF_CONST);
    npart_status status = NPART_OK;
    bool changed = search->request->value_count && npart__is_wanted(search->request, rewrite->id);
    for (uint32_t depth = 0; depth < LIMIT_NESTED_BRANCHES && changed && status == NPART_OK; depth++) {
        struct npart__attempt attempt = {.rewrite = rewrite};
        uint32_t count = course->current->graph->nodes.count;
        /* All nodes: the rewrite itself asks whether the condition is known. */
        bool *picks = npart__arena_allocate(search->arena, count + (size_t)1);
        if (!picks)
            return npart__fail_memory(search->error);
        memset(picks, true, count);
        attempt.picks = picks;
        status = npart__attempt_rewrite(search, course->current, &attempt);
        attempt.picks = NULL;
        npart__arena_release(search->arena, picks);
        changed = status == NPART_OK && attempt.made;
        if (changed && npart__is_worse(&attempt.made->standing, &course->current->standing, NPART__SHARE_OF_HARM)) {
            npart__state_free(attempt.made);
            changed = false;
        } else if (changed) {
            status = keep(course, &attempt);
            if (status == NPART_OK) {
                course->steps.items[course->steps.count - 1].is_asked = true;
                take_for_best(course);
            }
        }
    }
    return status;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

/* Steps after the best state lead nowhere. They brought nodes onto the NPU one by one in the hope of fewer
 * partitions, which did not come. From the last to the first, as that is how they are told. */
static npart_status return_to_best(struct npart__course *course)
{
    npart_status status = NPART_OK;
    while (course->steps.count > course->best_count && status == NPART_OK) {
        const struct npart__attempt *attempt = &course->steps.items[--course->steps.count].attempt;
        status = npart__course_take_back(course, attempt, "fewer nodes on the CPU, but no fewer partitions");
    }
    struct npart__state *before = course->current;
    course->current = course->best;
    npart__course_leave(course, before);
    return status;
}

/* All states but the last go, which holds no edition any more, once no further search begins from it. */
static npart_status hand_on(struct npart__course *course)
{
    struct npart__search *search = course->search;
    struct npart__fix *fix = search->fix;
    fix->after = course->current->standing;
    fix->last = npart__state_hold(course->current);
    for (uint32_t i = 0; i < course->steps.count; i++)
        if (!NPART__PUSH(search->arena, &fix->steps, course->steps.items[i].attempt.step))
            return npart__fail_memory(search->error);
    if (!npart__state_own_bytes(course->current))
        return npart__fail_memory(search->error);
    const struct npart__begun *begun = search->request->begun;
    if (!begun || begun->base != course->current)
        npart__state_detach(course->current);
    return NPART_OK;
}

/* From here on nothing is compared with the file as it was before. */
static npart_status begin_from(struct npart__course *course, const struct npart__attempt *attempt)
{
    struct npart__search *search = course->search;
    struct npart__state *before = course->base;
    course->base = course->current = course->best = attempt->made;
    npart__state_free(before);
    return NPART__PUSH(search->arena, &search->fix->steps, attempt->step) ? NPART_OK
                                                                         : npart__fail_memory(search->error);
}

static npart_status tell_and_begin_from(struct npart__course *course, struct npart__attempt *attempt)
{
    npart_status status = npart__tell_changes(course->search, course->base, attempt);
    if (status == NPART_OK)
        return begin_from(course, attempt);
    npart__state_free(attempt->made);
    return status;
}

/* As it was planned already, or by an analysis. */
static npart_status begin_as_it_is(struct npart__course *course, const struct npart__version *version)
{
    struct npart__search *search = course->search;
    const npart_plan *as_is = search->request->as_is;
    struct npart__state *state = NULL;
    npart_status status = NPART_OK;
    if (as_is)
        status = npart__state_of_plan(search, version, as_is, false, "as it is", &state);
    else if (!(state = npart__state_new(search)))
        status = npart__fail_memory(error_of(course));
    course->base = course->current = course->best = state;
    return as_is || !state ? status : npart__state_analyse(search, state, version, "as it is");
}

/* The file as it is, then with what the user gives. Comparisons are with what the user's sizes make of the file:
 * fixing sizes is no merit of a rewrite. It is told as a first step all the same. */
static npart_status begin(struct npart__course *course, const struct npart__version *version, bool binds)
{
    struct npart__search *search = course->search;
    struct npart__attempt attempt = {.rewrite = NULL};
    /* Without sizes: `before` is what the user's file is now. */
    npart_status status = begin_as_it_is(course, version);
    if (status == NPART_OK && !copy_standing(course->base, search->arena, &search->fix->before))
        status = npart__fail_memory(search->error);
    /* What is cut off has to say the sizes, too. */
    if (status == NPART_OK && binds && !npart__has_bounds(&search->request->bounds))
        status = npart__attempt_sized(search, course->base, &attempt);
    if (status == NPART_OK && binds && !attempt.made)
        status = npart__attempt_bind(search, course->base, &attempt);
    return status == NPART_OK && attempt.made ? tell_and_begin_from(course, &attempt) : status;
}

/* The steps so far are told, and the search begins again from what was made. */
static npart_status begin_anew(struct npart__course *course, struct npart__attempt *attempt)
{
    struct npart__search *search = course->search;
    npart_status status = npart__tell_changes(search, course->current, attempt);
    for (uint32_t i = 0; i < course->steps.count && status == NPART_OK; i++)
        if (!NPART__PUSH(search->arena, &search->fix->steps, course->steps.items[i].attempt.step))
            status = npart__fail_memory(search->error);
    course->steps.count = course->version_count = course->best_count = 0;
    if (course->best != course->base && course->best != course->current)
        npart__state_free(course->best);
    if (course->current != course->base)
        npart__state_free(course->current);
    npart_status begun = begin_from(course, attempt);
    return status == NPART_OK ? begun : status;
}

/* After the branches that inputs choose, as a cache is seen in the main graph alone. */
static npart_status fix_cache(struct npart__course *course, bool binds)
{
    struct npart__attempt attempt = {.rewrite = NULL};
    if (!course->search->request->cache.slots)
        return NPART_OK;
    npart_status status = binds ? take_branches(course) : NPART_OK;
    if (status == NPART_OK)
        status = npart__attempt_cache(course->search, course->current, &attempt);
    return status == NPART_OK ? begin_anew(course, &attempt) : status;
}

/* After the branches, as tensors of one that is taken are of the main graph then. */
static npart_status end_model(struct npart__course *course, bool binds)
{
    struct npart__attempt attempt = {.rewrite = NULL};
    if (!npart__has_bounds(&course->search->request->bounds))
        return NPART_OK;
    npart_status status = binds ? take_branches(course) : NPART_OK;
    if (status == NPART_OK)
        status = npart__attempt_end(course->search, course->current, &attempt);
    return status == NPART_OK ? begin_anew(course, &attempt) : status;
}

/* Before all else that is tried: whatever a runtime does not load fails, and nothing could be won for it. */
static npart_status lower_ir_version(struct npart__course *course)
{
    struct npart__attempt attempt = {.rewrite = NULL};
    if (!npart__is_wanted(course->search->request, NPART__ID_IR_VERSION))
        return NPART_OK;
    npart_status status = npart__attempt_ir_version(course->search, course->base, &attempt);
    if (status != NPART_OK || !attempt.made)
        return status;
    if (npart__is_better(&attempt.made->standing, &course->base->standing))
        return tell_and_begin_from(course, &attempt);
    npart__state_free(attempt.made);
    return NPART_OK;
}

/* Taken where it is better, with what had to be rewritten for it. */
static npart_status try_opset(struct npart__course *course, int64_t opset, struct npart__arena *scratch, bool *is_taken)
{
    struct npart__search *search = course->search;
    struct npart__way_down way;
    npart_status status = npart__go_to_opset(search, course->base, opset, scratch, &way);
    *is_taken = status == NPART_OK && way.arrives && npart__is_better(&way.state->standing, &course->base->standing);
    for (uint32_t i = 0; *is_taken && i + 1 < way.count && status == NPART_OK; i++)
        if (!NPART__PUSH(search->arena, &search->fix->steps, way.steps[i].step))
            status = npart__fail_memory(search->error);
    if (*is_taken && status == NPART_OK)
        return begin_from(course, &way.steps[way.count - 1]);
    if (way.state != course->base)
        npart__state_free(way.state);
    return status;
}

/* A model whose opset a target does not take is left to the CPU node by node, so this comes before what nodes need. Of
 * several opsets the first that makes something better. */
#define MOST_OPSETS 4u
static npart_status take_opset(struct npart__course *course)
{
    struct npart__search *search = course->search;
    int64_t opsets[MOST_OPSETS];
    uint32_t count = 0;
    struct npart__arena scratch;
    bool is_taken = false;
    npart__arena_init(&scratch, &search->arena->allocator);
    npart_status status = NPART_OK;
    if (npart__is_wanted(search->request, NPART__ID_OPSET) &&
        !npart__find_opsets(course->base, &scratch, opsets, MOST_OPSETS, &count))
        status = npart__fail_memory(search->error);
    for (uint32_t i = 0; i < count && status == NPART_OK && !is_taken; i++)
        status = try_opset(course, opsets[i], &scratch, &is_taken);
    npart__arena_clear(&scratch);
    return status;
}

/* Steps are copied, as the list goes on growing. False when out of memory. */
static bool copy_found(const struct npart__fix *found, struct npart__arena *arena, struct npart__fix *out)
{
    bool is_ok = true;
    *out = *found;
    memset(&out->steps, 0, sizeof out->steps);
    for (uint32_t i = 0; is_ok && i < found->steps.count; i++)
        is_ok = NPART__PUSH(arena, &out->steps, found->steps.items[i]);
    return is_ok;
}

void npart__begun_end(struct npart__begun *begun)
{
    if (!begun->base)
        return;
    npart__state_detach(begun->base); /* what was found may be this very state */
    npart__state_free(begun->base);
    npart__life_end(begun->life);
}

/* Up to where rewrites are tried that may not be allowed: from another search, or for further ones. */
static npart_status begin_with_cache(struct npart__course *course, const struct npart__version *version, bool binds)
{
    struct npart__search *search = course->search;
    struct npart__begun *begun = search->request->begun;
    const struct npart__infer_options *sizes = &search->request->sizes;
    if (begun && begun->base) {
        for (uint32_t i = 0; i < sizes->may_lack_count; i++)
            sizes->is_missing[i] = begun->is_missing[i];
        course->base = course->current = course->best = npart__state_hold(begun->base);
        search->state_count = begun->base->number;
        return copy_found(&begun->found, search->arena, search->fix) ? NPART_OK : npart__fail_memory(search->error);
    }
    npart_status status = begin(course, version, binds);
    if (status == NPART_OK)
        status = fix_cache(course, binds);
    if (status == NPART_OK)
        status = end_model(course, binds);
    if (status != NPART_OK || !begun)
        return status;
    if (!copy_found(search->fix, search->arena, &begun->found))
        return npart__fail_memory(search->error);
    begun->is_missing = sizes->is_missing;
    begun->base = npart__state_hold(course->base);
    return NPART_OK;
}

/* One search, with the user's sizes and values or without. `best` and `current` are one by the end, unless something
 * failed on the way; the last lines free what is left of the three. */
static npart_status run(struct npart__search *search, const struct npart__version *version, bool binds)
{
    struct npart__course course = {.search = search};
    npart__arena_init(&course.versions, &search->arena->allocator);
    course.tried =
        npart__arena_zeroed(search->arena, search->request->rewrites->count + (size_t)1, sizeof *course.tried);
    npart_status status = course.tried ? begin_with_cache(&course, version, binds) : npart__fail_memory(search->error);
    if (status == NPART_OK)
        status = lower_ir_version(&course);
    if (status == NPART_OK)
        status = take_opset(&course);
    if (status == NPART_OK && binds)
        status = take_branches(&course);
    if (status == NPART_OK)
        status = try_all(&course);
    if (status == NPART_OK)
        status = return_to_best(&course);
    if (status == NPART_OK)
        status = npart__prune(&course);
    if (status == NPART_OK)
        status = npart__undo_harm(&course);
    if (status == NPART_OK)
        status = hand_on(&course);
    if (course.best != course.base && course.best != course.current)
        npart__state_free(course.best);
    if (course.current != course.base)
        npart__state_free(course.current);
    npart__state_free(course.base);
    npart__arena_clear(&course.versions);
    return status;
}

/* Whether what comes out is worse than the file as it was on some target, and better on none. */
static bool brings_only_harm(const struct npart__fix *fix)
{
    struct npart__balance balance = npart__balance(&fix->after, &fix->before);
    return !balance.helps && (balance.unloads || balance.harmed != NPART_NONE);
}

/* Sizes are given up where they only harm. Values are not: what is asked for then is another model. */
static npart_status search_all(const struct npart__fix_request *request, const struct npart__version *version,
                               struct npart__arena *arena, struct npart__fix *out, struct npart_error *error)
{
    /* What is tried may fail, and that is no failure of the search: the caller's is filled in at the end. */
    struct npart_error own = {.status = NPART_OK};
    struct npart__search search = {.request = request, .arena = arena, .fix = out, .error = &own};
    memset(out, 0, sizeof *out);
    bool has_sizes = request->sizes.binding_count || request->sizes.shape_count;
    npart_status status = run(&search, version, has_sizes || request->value_count);
    if (status == NPART_OK && has_sizes && !request->value_count && !request->cache.slots && brings_only_harm(out)) {
        static const struct npart__taken_back bind = {NPART__ID_BIND, "with these sizes the model is worse", 1};
        uint32_t plan_count = out->plan_count;
        npart__state_free(out->last);
        memset(out, 0, sizeof *out);
        out->plan_count = plan_count;
        status = run(&search, version, false);
        if (status == NPART_OK && !NPART__PUSH(arena, &out->taken_back, bind))
            status = npart__fail_memory(search.error);
    }
    if (status != NPART_OK && error)
        *error = own;
    return status;
}

/* Editions that were handed out with earlier searches are asked by whoever has these. */
npart_status npart__fix_search(const struct npart__fix_request *request, const struct npart__version *version,
                               struct npart__arena *arena, struct npart__fix *out, struct npart_error *error)
{
    struct npart__editions *editions = request->editions;
    if (editions)
        (void)pthread_mutex_lock(&editions->guard->lock);
    npart_status status = search_all(request, version, arena, out, error);
    if (editions)
        (void)pthread_mutex_unlock(&editions->guard->lock);
    return status;
}
