/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that find out what to do about a plan: npart_advice_make, which plans again
 * and again and is slow beside all others, and npart_advice_action, which tells one action.
 */
#include "advice/advice.h"
#include "api/api.h"
#include "fix/handle.h"

/* Actions for the causes of a plan, in the order in which they should be taken. */
struct npart_advice {
    struct npart__life *life;
    struct npart__advice advice;
};

/* Inferences that are asked again, of those with one lock the first, in the order of their locks: an advice of some
 * plans and another of the same the other way round would wait for each other otherwise. Locks that a search takes in
 * addition (npart__life_guard) come last, as there. */
struct locked {
    const npart_inference *items[2 + NPART_MOST_PROPOSALS];
    uint32_t count;
};

static bool is_before(const npart_inference *a, const npart_inference *b)
{
    bool is_own = !a->life->guard, is_own_too = !b->life->guard;
    return is_own == is_own_too ? (uintptr_t)npart__lock_of(a) < (uintptr_t)npart__lock_of(b) : is_own;
}

static void add_lock(struct locked *locked, const npart_plan *plan)
{
    uint32_t at = locked->count;
    if (!plan)
        return;
    for (uint32_t i = 0; i < locked->count; i++)
        if (npart__lock_of(locked->items[i]) == npart__lock_of(plan->inference))
            return;
    for (; at && is_before(plan->inference, locked->items[at - 1]); at--)
        locked->items[at] = locked->items[at - 1];
    locked->items[at] = plan->inference;
    locked->count++;
}

/* The words of a command line, for as long as the advice lives. */
static bool copy_words(const struct npart_fix_info *info, struct npart__arena *arena, struct npart__mended *out)
{
    const char **words = npart__arena_zeroed(arena, info->run_count + (size_t)1, sizeof *words);
    for (uint32_t i = 0; words && i < info->run_count; i++)
        if (!(words[i] = npart__arena_copy_text(arena, info->run[i], strlen(info->run[i]))))
            return false;
    out->run = info->run ? words : NULL;
    out->run_count = info->run_count;
    return words != NULL;
}

/* Of a model that ends somewhere; NULL in *out of any other. False when out of memory. */
static bool find_hosting(const npart_fix *fix, struct npart__arena *arena, const struct npart__hosting **out)
{
    struct npart_ends_info ends = {.size = sizeof ends};
    struct npart_passing tensor = {.size = sizeof tensor};
    *out = NULL;
    if (!npart_fix_ends(fix, &ends))
        return true;
    struct npart__hosting *hosting = npart__arena_zeroed(arena, 1, sizeof *hosting);
    struct npart__bill *bill = npart__arena_zeroed(arena, 1, sizeof *bill);
    if (!hosting || !bill)
        return false;
    *bill = fix->found.hosted[0].bill;
    *hosting = (struct npart__hosting){.bill = bill, .ms = ends.host_ms, .live = fix->found.hosted[0].live,
                                       .macs = fix->found.hosted[0].macs,
                                       .head_nodes = ends.head_nodes, .rest_nodes = ends.rest_nodes};
    for (uint32_t i = 0; npart_fix_passing(fix, i, &tensor); i++)
        if (tensor.from != NPART_PART_CALLER && hosting->bytes != UINT64_MAX)
            hosting->bytes = tensor.has_bytes ? hosting->bytes + tensor.bytes : UINT64_MAX;
    hosting->head_ops = ends.head_ops ? npart__arena_copy_text(arena, ends.head_ops, strlen(ends.head_ops)) : NULL;
    hosting->rest_ops = ends.rest_ops ? npart__arena_copy_text(arena, ends.rest_ops, strlen(ends.rest_ops)) : NULL;
    *out = hosting;
    return (hosting->head_ops || !ends.head_ops) && (hosting->rest_ops || !ends.rest_ops);
}

/* What a fix made of its first target; no plan where that is worse than the file. False when out of memory. */
static bool find_mended(const npart_fix *fix, struct npart__arena *arena, struct npart__mended *out)
{
    struct npart_fix_info info = {.size = sizeof info};
    struct npart_fix_step step = {.size = sizeof step};
    struct npart__buffer ids;
    enum npart_equality weakest = NPART_EQUAL_BITS;
    *out = (struct npart__mended){.plan = NULL};
    if (!npart_fix_info(fix, &info) || info.harm || !info.step_count)
        return true;
    npart__buffer_init(&ids, arena);
    *out = (struct npart__mended){.plan = &npart_fix_plan(fix, 0)->plan, .only_sizes = true};
    for (uint32_t i = 0; npart_fix_step(fix, i, &step); i++) {
        bool is_told = ids.size && npart__lists_word(npart__buffer_text(&ids), step.rewrite);
        out->only_sizes &= strcmp(step.rewrite, "bind") == 0;
        weakest = step.equality > weakest ? step.equality : weakest;
        if (!is_told)
            npart__append_format(&ids, "%s%s", ids.size ? " " : "", step.rewrite);
    }
    out->rewrites = npart__made_text(&ids);
    out->equality = npart_equality_text(weakest);
    return out->rewrites && find_hosting(fix, arena, &out->hosting) && copy_words(&info, arena, out);
}

/* What npart_fix_propose has nothing to say of: a model that is neither in a file nor kept, and what it refuses. */
static const char *how_to_search(const npart_plan *plan)
{
    const npart_model *model = plan->inference->model;
    return model->path || model->skeleton.data ? "Run `npu-partition fix` to look for rewrites: none were tried"
                                               : "Give the model as a file to look for rewrites: none were tried";
}

/* What a fix for the target by which the model counts as quantized made of it. Its command does half of that. */
static struct npart__mended early(const struct npart__mended *mended)
{
    struct npart__mended made = *mended;
    made.is_early = true;
    made.run = NULL;
    made.run_count = 0;
    return made;
}

/* Of the arguments, what does not depend on memory. */
static npart_status check_arguments(const npart_plan *plan, const npart_plan *fixed, const npart_fix *const *fixes,
                                    uint32_t fix_count, struct npart_error *error)
{
    if (!plan)
        return npart__fail_null("plan", error);
    if (fix_count > NPART_MOST_PROPOSALS || (fix_count && !fixes))
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "at most %d fixes", NPART_MOST_PROPOSALS);
    for (uint32_t i = 0; i < fix_count; i++) {
        if (!fixes[i])
            return npart__fail_null("fixes", error);
        if (npart_fix_plan(fixes[i], 0)->oplist != plan->oplist)
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the fix is for another op list");
    }
    /* What is advised for a fixed model must hold for the dynamic one. */
    if (fixed && (fixed->inference->model != plan->inference->model || fixed->oplist != plan->oplist))
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the plans are of different models or op lists");
    return NPART_OK;
}

npart_status npart_advice_make(npart_advice **out, const npart_plan *plan, const npart_plan *fixed,
                               const npart_fix *const *fixes, uint32_t fix_count, struct npart_error *error)
{
    if (!out)
        return npart__fail_null("out", error);
    npart_status status = check_arguments(plan, fixed, fixes, fix_count, error);
    if (status != NPART_OK)
        return status;
    npart_advice *made = npart__handle_new(sizeof *made, &plan->life->arena.allocator);
    if (!made)
        return npart__settle_for(plan->life, npart__fail_memory(error), error);
    struct npart__mended mended[NPART_MOST_PROPOSALS], quantized = {.plan = NULL};
    struct npart__advice_request request = {.plan = &plan->plan,
                                            .fixed = fixed ? &fixed->plan : NULL,
                                            .mended = mended,
                                            .unsearched = fix_count ? NULL : how_to_search(plan)};
    struct locked locked = {.count = 0};
    /* An advice tells of both plans, so neither may go before it. */
    npart__life_keep(made->life, plan->life);
    if (fixed)
        npart__life_keep(made->life, fixed->life);
    add_lock(&locked, plan);
    add_lock(&locked, fixed);
    for (uint32_t i = 0; i < fix_count && status == NPART_OK; i++) {
        add_lock(&locked, npart_fix_plan(fixes[i], 0));
        struct npart__mended *at = &mended[request.mended_count];
        if (!find_mended(fixes[i], &made->life->arena, at))
            status = npart__fail_memory(error);
        else if (at->plan && (at->hosting || at->plan->target.switches == plan->plan.target.switches))
            request.mended_count++;
        else if (at->plan && !quantized.plan)
            quantized = early(at);
    }
    request.quantized = quantized.plan ? &quantized : NULL;
    /* It was found as it leaves less than the model as a whole, so it is asked first. */
    struct npart__mended *last = &mended[request.mended_count ? request.mended_count - 1 : 0];
    if (request.mended_count > 1 && last->hosting) {
        const struct npart__mended ended = *last;
        for (; last > mended; last--)
            *last = last[-1];
        *mended = ended;
    }
    for (uint32_t i = 0; i < locked.count; i++)
        npart__lock(locked.items[i]);
    if (status == NPART_OK)
        status = npart__advise(&request, &made->life->arena, &made->advice, error);
    for (uint32_t i = locked.count; i-- > 0;)
        npart__unlock(locked.items[i]);
    return NPART__HAND_OVER(out, made, status, error);
}

npart_status npart_advice_find(npart_advice **out, const npart_plan *plan, const npart_plan *fixed, const char *target,
                               const struct npart_fix_options *options, struct npart_error *error)
{
    npart_fix *fixes[NPART_MOST_PROPOSALS] = {NULL};
    uint32_t count = 0;
    npart_status status = npart_fix_propose(fixes, &count, NULL, plan, fixed, target, options, error);
    if (status == NPART_OK)
        status = npart_advice_make(out, plan, fixed, (const npart_fix *const *)fixes, count, error);
    while (count)
        npart_fix_free(fixes[--count]);
    return status;
}

NPART__FREES(advice)

bool npart_advice_recommendation(const npart_advice *advice, struct npart_recommendation *out)
{
    if (!advice || !NPART__HAS_ROOM(out))
        return false;
    size_t size = out->size;
    *out = advice->advice.recommendation;
    out->size = size;
    return true;
}

/* Lists of causes and needs stay the advice's own; the caller borrows them. So they live as long as the advice,
 * and are not copied at each call. */
bool npart_advice_action(const npart_advice *advice, uint32_t index, struct npart_action *out)
{
    if (!advice || index >= advice->advice.items.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__action *at = &advice->advice.items.items[index];
    const uint32_t *lists = advice->advice.lists.items;
    *out = (struct npart_action){
        .size = sizeof *out,
        .kind = at->kind,
        .text = at->text,
        .command = at->command,
        .rewrites = at->rewrites,
        .is_fixable = *at->rewrites != '\0',
        .equality = at->equality,
        .pays = at->pays,
        .run = at->run,
        .run_count = at->run_count,
        .causes = at->cause_count ? lists + at->first_cause : NULL,
        .needs = at->need_count ? lists + at->first_need : NULL,
        .cause_count = at->cause_count,
        .need_count = at->need_count,
        .instead_of = at->instead_of,
        .after = {.partitions = at->after.partitions,
                  .coverage = at->after.coverage,
                  .mac_coverage = at->after.mac_coverage,
                  .verdict = at->after.verdict,
                  .cost = at->after.cost_ms,
                  .fits = at->after.fits},
    };
    return true;
}
