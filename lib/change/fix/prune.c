/* SPDX-License-Identifier: Apache-2.0
 *
 * Steps that a search can do without, found by making the others again.
 */
#include <string.h>

#include "fix/course.h"

/* The nodes whose first results a step has replaced before. By name, since ids are another state's. A result that
 * is there no more picks nothing, and the step may come to nothing. False when out of memory. */
static bool pick_sites(const struct npart__state *state, const char *const *sites, struct npart__arena *arena,
                       const bool **out)
{
    const struct npart__graph *graph = state->graph;
    bool *picks = npart__arena_zeroed(arena, graph->nodes.count + (size_t)1, sizeof *picks);
    bool *is_named = npart__arena_zeroed(arena, graph->strings.texts.count + (size_t)1, sizeof *is_named);
    if (!picks || !is_named)
        return false;
    for (; *sites; sites++) {
        uint32_t name = npart__strings_find_text(&graph->strings, *sites);
        if (name != NPART_NONE)
            is_named[name] = true;
    }
    for (uint32_t i = 0; i < graph->nodes.count; i++) {
        uint32_t result = npart__node_output(graph, npart__node_at(graph, i), 0);
        /* Sites are known by their first results (note_site in step.c). */
        picks[i] = result != NPART_NONE && is_named[npart__value_at(graph, result)->name];
    }
    *out = picks;
    return true;
}

/* One kept step again, at another state. `*state` goes on to what it makes; where that is nothing, stays, and the
 * step is idle. States on the way are freed, but for the base, which every replay begins from. The sites are those at
 * which the step was kept, and not all that it might suit now: what it wins has to be the same. With `tells` the
 * step is told as it is here. */
static npart_status repeat(struct npart__course *course, struct npart__kept *kept, bool tells,
                           struct npart__state **state)
{
    struct npart__search *search = course->search;
    struct npart__attempt attempt = {.rewrite = kept->attempt.rewrite};
    struct npart__arena scratch;
    npart__arena_init(&scratch, &search->arena->allocator);
    npart_status status = NPART_OK;
    if (!attempt.rewrite)
        status = npart__attempt_annotate(search, *state, &attempt);
    else if (pick_sites(*state, kept->attempt.sites, &scratch, &attempt.picks))
        status = npart__attempt_rewrite(search, *state, &attempt);
    else
        status = npart__fail_memory(search->error);
    npart__arena_clear(&scratch);
    attempt.picks = NULL;
    kept->is_idle = status == NPART_OK && !attempt.made;
    if (status != NPART_OK || !attempt.made)
        return status;
    if (tells) {
        status = npart__tell_changes(search, *state, &attempt);
        kept->attempt = attempt;
    }
    if (*state != course->base)
        npart__state_free(*state);
    *state = attempt.made;
    return status;
}

/* Where a replay of the steps from `from` on begins: what those before it come to, as it was packed when they were
 * made, or the base. */
static npart_status begin_replay(struct npart__course *course, uint32_t from, struct npart__state **out)
{
    struct npart__search *search = course->search;
    NPART__ASSERT(from <= course->version_count, "step %u of %u", (unsigned)from, (unsigned)course->version_count);
    *out = course->base;
    if (!from)
        return NPART_OK;
    *out = npart__state_new(search);
    if (!*out) {
        *out = course->base;
        return npart__fail_memory(search->error);
    }
    bool plans_nothing = search->plans_nothing;
    search->plans_nothing = true;
    npart_status status = npart__state_analyse(search, *out, &course->steps.items[from - 1].version, "");
    search->plans_nothing = plans_nothing;
    return status;
}

/* The state without the steps that are left out; NULL where it is none that can be. Only the last state is planned: on
 * the way nothing is decided. */
static npart_status replay(struct npart__course *course, struct npart__state **out)
{
    struct npart__search *search = course->search;
    struct npart__state *state;
    uint32_t first = 0;
    *out = NULL;
    for (uint32_t i = 0; i < course->steps.count; i++)
        course->steps.items[i].is_idle = false;
    while (first < course->version_count && !course->steps.items[first].is_left_out)
        first++;
    /* Outcomes of such states are zeros, and are not compared. */
    search->plans_nothing = true;
    npart_status status = begin_replay(course, first, &state);
    for (uint32_t i = first; i < course->steps.count && status == NPART_OK; i++)
        if (!course->steps.items[i].is_left_out)
            status = repeat(course, &course->steps.items[i], false, &state);
    search->plans_nothing = false;
    if (status == NPART_OK && state != course->base)
        status = npart__state_plan(search, state, "without");
    if (status == NPART_OK)
        *out = state;
    else if (state != course->base)
        npart__state_free(state);
    /* A state that cannot be made is no error of the search: the step is needed, then. */
    return status == NPART_ERROR_MEMORY ? status : NPART_OK;
}

/* Steps that were left out go, and those that came to nothing without them. From the last to the first, as that is
 * how they are told. */
static npart_status drop_steps(struct npart__course *course, const char *why)
{
    npart_status status = NPART_OK;
    for (uint32_t i = course->steps.count; i-- > 0 && status == NPART_OK;) {
        struct npart__kept kept = course->steps.items[i];
        if (!kept.is_left_out && !kept.is_idle)
            continue;
        memmove(course->steps.items + i, course->steps.items + i + 1,
                (course->steps.count - i - 1) * sizeof *course->steps.items);
        course->steps.count--;
        if (course->version_count > i)
            course->version_count = i;
        status = npart__course_take_back(course, &kept.attempt, why);
    }
    return status;
}

/* The state without the marked steps takes the place of the one with them. */
static npart_status go_on_without(struct npart__course *course, struct npart__state *without, const char *why)
{
    struct npart__state *before = course->current;
    course->current = course->best = without;
    npart__course_leave(course, before);
    return drop_steps(course, why);
}

/* Then nothing needs to be made again. */
static bool are_all_left_out(const struct npart__course *course)
{
    for (uint32_t i = 0; i < course->steps.count; i++)
        if (!course->steps.items[i].is_left_out)
            return false;
    return true;
}

/* What the model is without the last steps, where these are all that is left out: it was planned then. NULL where
 * others are, or all. */
static const struct npart__standing *known_without(const struct npart__course *course)
{
    uint32_t first = 0, last;
    while (first < course->steps.count && !course->steps.items[first].is_left_out)
        first++;
    for (last = first; last < course->steps.count && course->steps.items[last].is_left_out;)
        last++;
    bool is_known = first && first <= course->version_count && last == course->steps.count;
    return is_known ? &course->steps.items[first - 1].standing : NULL;
}

/* Takes back the steps that are marked, where the model is no worse without them. Worse by so little as SHARE_OF_GAIN
 * counts as worse: steps are only taken back where they truly brought nothing. */
static npart_status try_without(struct npart__course *course, bool *is_dropped)
{
    struct npart__state *without = course->base;
    const struct npart__standing *known = known_without(course);
    *is_dropped = false;
    if (known && npart__is_worse(known, &course->current->standing, NPART__SHARE_OF_GAIN))
        return NPART_OK;
    npart_status status = are_all_left_out(course) ? NPART_OK : replay(course, &without);
    if (status != NPART_OK || !without)
        return status;
    /* Against the state with all steps that are still there: two that can stand in for each other do not both go. */
    if (npart__is_worse(&without->standing, &course->current->standing, NPART__SHARE_OF_GAIN)) {
        npart__course_leave(course, without);
        return NPART_OK;
    }
    *is_dropped = true;
    return go_on_without(course, without, "the others do as well without it");
}

/* Steps told as they are now that others are gone. */
static npart_status tell_again(struct npart__course *course)
{
    struct npart__state *state;
    /* Those before are told as they are. */
    npart_status status = begin_replay(course, course->version_count, &state);
    for (uint32_t i = course->version_count; i < course->steps.count && status == NPART_OK; i++)
        status = repeat(course, &course->steps.items[i], true, &state);
    if (state != course->base)
        npart__state_free(state);
    return status;
}

/* Each step, each rewrite with all its steps, and what stands from a step on: steps may bring nothing together,
 * though each brings something where the others are. From the last to the first, as early ones are what later ones
 * stand on. Replaying costs an analysis a step, so pruning is quadratic in steps, of which there are few. */
npart_status npart__prune(struct npart__course *course)
{
    enum { ALONE, REWRITE, ONWARD, SETS };
    bool is_any_dropped = false;
    course->version_count = course->steps.count;
    for (unsigned set = ALONE; set < SETS; set++)
        for (uint32_t i = course->steps.count; i-- > 0;) {
            const struct npart__rewrite *rewrite = course->steps.items[i].attempt.rewrite;
            uint32_t marked = 0;
            bool is_dropped;
            for (uint32_t k = 0; k < course->steps.count; k++) {
                struct npart__kept *at = &course->steps.items[k];
                at->is_left_out = k == i || (set == REWRITE && k < i && at->attempt.rewrite == rewrite) ||
                                  (set == ONWARD && k > i);
                at->is_left_out &= !at->is_asked;
                marked += at->is_left_out;
            }
            /* None, or one that was asked for before. */
            if (marked < (set == ALONE ? 1 : 2))
                continue;
            npart_status status = try_without(course, &is_dropped);
            if (status != NPART_OK)
                return status;
            is_any_dropped |= is_dropped;
            if (is_dropped && i > course->steps.count)
                i = course->steps.count;
        }
    return is_any_dropped ? tell_again(course) : NPART_OK;
}

/* As what is written is asked (tell_harm in the interface's fix.c): on some target. */
static bool is_harmed(const struct npart__course *course)
{
    return npart__balance(&course->current->standing, &course->base->standing).harmed != NPART_NONE;
}

/* A step is kept for a partition where there was none, too, and the Reshapes that it puts around a node may then take
 * more on the CPU than the NPU wins. The last steps go until the time is no worse than without any: what would be
 * worse than the input is not written, and then those before them would be lost as well. */
npart_status npart__undo_harm(struct npart__course *course)
{
    npart_status status = NPART_OK;
    while (status == NPART_OK && course->steps.count && is_harmed(course)) {
        uint32_t last = course->steps.count - 1;
        struct npart__state *without;
        if (course->steps.items[last].is_asked)
            break;
        for (uint32_t i = 0; i <= last; i++)
            course->steps.items[i].is_left_out = i == last;
        status = replay(course, &without);
        if (status != NPART_OK || !without)
            break;
        status = go_on_without(course, without, "the model would be slower");
    }
    return status;
}
