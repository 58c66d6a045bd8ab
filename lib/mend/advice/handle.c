/* SPDX-License-Identifier: Apache-2.0
 *
 * Public functions that find out what to do about a plan: npart_advice_make, which plans again
 * and again and is slow beside all others, and npart_advice_action, which tells one action.
 */
#include "advice/advice.h"
#include "api/api.h"

/* Actions for the causes of a plan, in the order in which they should be taken. */
struct npart_advice {
    struct npart__life *life;
    struct npart__advice advice;
};

/* Both inferences are asked again. Whoever locks two, locks them in the order of their addresses. An advice of
 * two plans and another of the same two the other way round would wait for each other otherwise. Where both
 * plans are of one inference it is locked once, as the lock is not recursive. */
static void lock_both(const npart_inference *a, const npart_inference *b)
{
    bool is_first = (uintptr_t)a <= (uintptr_t)b;
    npart__lock(is_first ? a : b);
    if (a != b)
        npart__lock(is_first ? b : a);
}

static void unlock_both(const npart_inference *a, const npart_inference *b)
{
    npart__unlock(a);
    if (a != b)
        npart__unlock(b);
}

npart_status npart_advice_make(npart_advice **out, const npart_plan *plan, const npart_plan *fixed,
                               struct npart_error *error)
{
    /* `fixed` may be NULL: a model without dynamic sizes has none. */
    if (!out || !plan)
        return npart__fail_null(out ? "plan" : "out", error);
    /* What is advised for a fixed model must hold for the dynamic one. */
    if (fixed && (fixed->inference->model != plan->inference->model || fixed->oplist != plan->oplist))
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "the plans are of different models or op lists");
    npart_advice *made = npart__handle_new(sizeof *made, &plan->life->arena.allocator);
    if (!made)
        return npart__settle_for(plan->life, npart__fail_memory(error), error);
    /* Without a fixed plan the one inference is locked once. */
    const npart_inference *other = fixed ? fixed->inference : plan->inference;
    /* An advice is about both plans, so neither may go before it. */
    npart__life_keep(made->life, plan->life);
    if (fixed)
        npart__life_keep(made->life, fixed->life);
    lock_both(plan->inference, other);
    npart_status status =
        npart__advise(&plan->plan, fixed ? &fixed->plan : NULL, &made->life->arena, &made->advice, error);
    unlock_both(plan->inference, other);
    status = npart__settle_for(made->life, status, error);
    if (status == NPART_OK)
        *out = made;
    else
        npart_advice_free(made);
    return status;
}

void npart_advice_free(npart_advice *advice)
{
    if (advice)
        npart__life_end(advice->life);
}

bool npart_advice_recommendation(const npart_advice *advice, struct npart_recommendation *out)
{
    if (!advice || !NPART__HAS_ROOM(out))
        return false;
    out->choice = advice->advice.choice;
    out->reason = advice->advice.reason;
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
        .causes = at->cause_count ? lists + at->first_cause : NULL,
        .needs = at->need_count ? lists + at->first_need : NULL,
        .cause_count = at->cause_count,
        .need_count = at->need_count,
        .instead_of = at->instead_of,
        .after = {.partitions = at->after.partitions,
                  .coverage = at->after.coverage,
                  .mac_coverage = at->after.mac_coverage,
                  .verdict = at->after.verdict,
                  .cost = at->after.cost_ms},
    };
    return true;
}
