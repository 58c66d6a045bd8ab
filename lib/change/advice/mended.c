/* SPDX-License-Identifier: Apache-2.0
 *
 * What fix does, as the first step: a version of the model that was made and planned, so that nothing of it is a guess.
 * What a person may do in its place (another opset, an option of the session) stands beside it.
 */
#include "advice/way.h"
#include "rewrites.h" /* generated */

/* A rewrite that the words before the list say. */
static bool is_said(const char *id, size_t length, bool has_cache)
{
    return npart__is_text(NPART__ID_END, id, length) || npart__is_text(NPART__ID_BIND, id, length) ||
           (has_cache && npart__is_text(NPART__ID_CACHE, id, length));
}

const char *npart__slots_of(const struct npart__mended *mended)
{
    return npart__word_after(mended, "--cache");
}

/* The plan whose sizes are a part of what is told; NULL: none is. Where sizes alone were fixed and none were proposed,
 * it is the user's: written into the file they tell a runtime more than given to its session. */
static const struct npart__plan *sizes_of(const struct npart__way *way, const struct npart__mended *mended)
{
    if (mended->is_early && way->plan != way->open)
        return NULL;
    return way->fixed ? way->fixed : mended->only_sizes ? way->open : NULL;
}

static enum npart__row_kind kind_of(const struct npart__mended *mended)
{
    if (mended->hosting)
        return mended->hosting->rest_nodes ? NPART__KIND_END : NPART__KIND_BEGIN;
    return mended->only_sizes ? NPART__KIND_DIMS : NPART__KIND_REWRITE;
}

/* "Rewrite the model (gathernd, mul-order)", or so after something else, perhaps with more after it. */
static void append_rewrites(const struct npart__mended *mended, bool has_slots, bool is_first, bool goes_on,
                            struct npart__buffer *out)
{
    const char *separator = mended->is_early ? " before it is quantized (" : " (";
    npart__append_text(out, is_first  ? "Rewrite the model"
                            : goes_on ? ", rewrite the model"
                                      : ", and rewrite the model");
    for (const char *at = mended->rewrites; *at;) {
        size_t length = strcspn(at, " ");
        if (!is_said(at, length, has_slots)) {
            npart__append_text(out, separator);
            npart__append(out, at, length);
            separator = ", ";
        }
        at += length + (at[length] == ' ');
    }
    npart__append_text(out, ")");
}

/* "Fix `batch` and `sequence`", "Fix `batch`, and rewrite the model (gathernd, mul-order)", "Give the cache a fixed
 * size of 128 slots". */
static const char *text_of(struct npart__way *way, const struct npart__mended *mended)
{
    struct npart__buffer text;
    const char *slots = npart__slots_of(mended);
    const struct npart__plan *sizes = sizes_of(way, mended);
    bool has_sizes = slots || (sizes && sizes->binding_count), has_others = false;
    npart__buffer_init(&text, way->arena);
    /* A part that is ended for the target by which the model counts as quantized. */
    bool is_quantized = mended->hosting && mended->plan->target.switches != way->open->target.switches;
    npart__append_text(&text, is_quantized ? "Quantize the model. " : "");
    if (slots)
        npart__append_format(&text, "Give the cache a fixed size of %s slots", slots);
    else if (has_sizes)
        npart__append_dims(way, sizes, &text);
    for (const char *at = mended->rewrites; *at; at += at[strcspn(at, " ")] ? strcspn(at, " ") + 1 : strlen(at))
        has_others |= !is_said(at, strcspn(at, " "), slots != NULL);
    if (!mended->only_sizes && has_others)
        append_rewrites(mended, slots != NULL, !has_sizes, mended->hosting && has_sizes, &text);
    if (mended->hosting)
        npart__append_ends(mended, !has_sizes && !has_others, &text);
    return npart__made_text(&text);
}

/* In a rewritten model nodes have other ids, and a cause is known by what it says of any model. NULL when out of
 * memory. */
static const char *key_of(struct npart__way *way, const struct npart__cause *cause)
{
    return npart__arena_format(&way->scratch, "%u %u %s", (unsigned)cause->rule, (unsigned)cause->about,
                               cause->root_op ? cause->root_op : "");
}

bool *npart__mark_like(struct npart__way *way, const struct npart__plan *plan, uint32_t row)
{
    const struct npart__causes *asked = &way->open->causes, *now = &plan->causes;
    bool *marks = npart__arena_zeroed(&way->scratch, asked->items.count + (size_t)1, sizeof *marks);
    struct npart__strings keys;
    bool is_done = marks && npart__strings_init(&keys, &way->scratch);
    for (uint32_t k = 0; k < now->items.count && is_done; k++) {
        const char *key = row == NPART_NONE || way->row_of[k] == row ? key_of(way, &now->items.items[k]) : "";
        is_done = key && npart__intern_text(&keys, key) != NPART_NONE;
    }
    for (uint32_t c = 0; c < asked->items.count && is_done; c++) {
        const char *key = key_of(way, &asked->items.items[c]);
        is_done = key != NULL;
        marks[c] = key && npart__strings_find_text(&keys, key) != NPART_NONE;
    }
    return is_done ? marks : NULL;
}

/* Causes that the version has no more. A user's cut is none that a rewrite mends. */
static bool *mark_mended(struct npart__way *way, const struct npart__mended *mended)
{
    const struct npart__causes *asked = &way->open->causes;
    bool *marks = npart__mark_like(way, mended->plan, NPART_NONE);
    for (uint32_t c = 0; marks && c < asked->items.count; c++)
        marks[c] = !marks[c] && asked->items.items[c].cut_value == NPART_NONE && !(mended->is_early && way->is_told[c]);
    return marks;
}

/* The plan that goes on, with its memory: what was only tried may not fit. */
static const struct npart__plan *weigh(struct npart__way *way, const struct npart__plan *plan)
{
    struct npart__plan *weighed = npart__arena_zeroed(&way->scratch, 1, sizeof *weighed);
    return weighed && npart__plan_find_memory(plan, &way->scratch, weighed) ? weighed : NULL;
}

npart_status npart__add_mended(struct npart__way *way, const struct npart__mended *mended, bool is_other)
{
    struct npart__action action = {
        .kind = npart__kind_word(kind_of(mended)),
        .text = text_of(way, mended),
        .run = mended->run,
        .run_count = mended->run_count,
        .rewrites = mended->rewrites,
        .equality = mended->equality,
        .instead_of = is_other ? 0 : NPART_NONE,
        .after = npart__as_it_is(mended->plan),
    };
    const bool *marks = mark_mended(way, mended);
    bool is_made = action.text && marks && npart__host_after(way, mended, &action.after) &&
                   npart__tell_causes(way, marks, &action) &&
                   npart__list_needs(way, mended->is_early ? way->steps : 0, &action);
    if (is_made && mended->only_sizes)
        is_made = npart__dims_command(way, sizes_of(way, mended), &action.command);
    is_made = is_made && (is_other ? NPART__PUSH(&way->scratch, &way->others, action)
                                   : NPART__PUSH(way->arena, &way->out->items, action));
    if (!is_made)
        return npart__fail_memory(way->error);
    way->steps += !is_other;
    return NPART_OK;
}

/* ---- what a person may do instead -------------------------------------------------------------------------- */

static npart_status add_other(struct npart__way *way, struct npart__group *group)
{
    const struct npart__outcome before = npart__outcome_of(way->open);
    struct npart__after after;
    bool *accepted;
    group->has_sizes |= way->plan != way->open;
    npart_status status = npart__group_try(way, group, &after, &accepted);
    struct npart__outcome then = npart__outcome_after(&after);
    return status == NPART_OK && npart__step_pays(&before, &then) ? npart__add_instead_of(way, group, &after, 0)
                                                                  : status;
}

/* A newer release first, as it needs no change of the model; the others in the order of the causes. */
static npart_status add_instead(struct npart__way *way)
{
    npart_status status = npart__way_turn_to_sizes(way);
    struct npart__group *release = npart__release_group(way);
    uint32_t tried = release != NULL;
    if (status == NPART_OK && release)
        status = add_other(way, release);
    for (uint32_t i = 0; status == NPART_OK && i < way->groups.count && tried < NPART__LIMIT_ALTERNATIVES; i++) {
        struct npart__group *group = &way->groups.items[i];
        const struct npart__row *row = &npart__rows[group->row];
        if (group == release || group->is_impossible || row->trial == NPART__TRY_NOTHING ||
            row->kind == NPART__KIND_DIMS)
            continue;
        tried++;
        status = add_other(way, group);
    }
    return status;
}

/* The first version that pays is the step, unless a newer release of the toolchain does as well; one of a wider class
 * that pays on top of it may take its place. The way goes on from the first. */
npart_status npart__way_mended(struct npart__way *way)
{
    const struct npart__advice_request *request = way->request;
    struct npart__outcome at = npart__outcome_of(way->open);
    const struct npart__mended *taken = NULL;
    bool has_release = false; /* it is the step */
    npart_status status = NPART_OK;
    for (uint32_t i = 0; i < request->mended_count && status == NPART_OK; i++) {
        const struct npart__mended *mended = &request->mended[i];
        struct npart__outcome then = npart__outcome_mended(mended);
        enum npart_pays pays = mended->hosting ? npart__end_pays(&at, &then) : npart__step_pays(&at, &then);
        if (!pays)
            continue;
        if (!taken && !mended->hosting)
            status = npart__take_release(way, mended, &has_release);
        if (status == NPART_OK && (taken || !has_release))
            status = npart__add_mended(way, mended, taken != NULL);
        at = then;
        taken = taken ? taken : mended;
    }
    if (!taken || has_release || status != NPART_OK)
        return status;
    const struct npart__plan *weighed = weigh(way, taken->plan);
    if (!weighed)
        return npart__fail_memory(way->error);
    way->out->items.items[0].after.fits = weighed->summary.fits;
    status = add_instead(way);
    /* Of sizes alone the plan is the one with fixed sizes, whose ids are the file's. */
    bool has_ids = taken->only_sizes && way->fixed;
    way->is_rewritten = !has_ids;
    way->is_ended = taken->hosting != NULL;
    way->is_loaded = npart__plan_is_loaded(taken->plan);
    way->paid = npart__outcome_of(taken->plan);
    way->mended = has_ids ? way->fixed : weighed;
    return status == NPART_OK ? npart__way_turn(way, way->mended) : status;
}

/* ---- before a model is quantized --------------------------------------------------------------------------- */

/* What is rewritten is the model that is not quantized yet, so no command does both: that of the step before, with the
 * target by which the model counts as quantized, tells how. */
npart_status npart__way_quantized(struct npart__way *way, const struct npart__plan *then)
{
    const struct npart__mended *mended = way->request->quantized;
    const char *command = way->out->items.items[way->steps - 1].command;
    struct npart__outcome at = npart__outcome_of(then);
    struct npart__outcome with = mended ? npart__outcome_of(mended->plan) : at;
    npart_status status = npart__way_turn(way, then);
    if (status != NPART_OK || !mended || mended->only_sizes || !npart__step_pays(&at, &with)) /* the table has sizes */
        return status;
    status = npart__add_mended(way, mended, false);
    if (status != NPART_OK)
        return status;
    struct npart__action *step = &way->out->items.items[way->steps - 1];
    step->command = command;
    way->is_rewritten = true;
    way->is_loaded = npart__plan_is_loaded(mended->plan);
    npart__note_paid(way, step->kind, &step->after);
    return npart__way_turn(way, mended->plan);
}
