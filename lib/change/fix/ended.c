/* SPDX-License-Identifier: Apache-2.0
 *
 * Where a model is best ended, or begun: each place is planned as the model that would be written, and the search is
 * made for the best.
 */
#include "edit/models.h"
#include "fix/frontier.h"
#include "fix/handle.h"
#include "fix/state.h"

/* What a place leaves, as a plan of the model that ends there says. */
struct tried {
    struct npart__outcome outcome; /* with the time of what the host runs */
    uint64_t bytes;
};

struct trial {
    const npart_fix *whole;
    const struct npart__plan *plan; /* of `whole`, for its only target */
    struct npart__arena arena;      /* of all trials */
    struct npart_error *error;
};

/* Milliseconds of the plan's live nodes that a side has, all on the CPU; negative: not known. Told apart by what they
 * make, as a side has the plan's names. */
static double host_ms(const struct npart__plan *all, const struct npart__plan *model)
{
    double ms = npart__bill_range(&all->node_costs->rates, &all->sides.cpu, NPART__PART_ALL).typical_ms;
    double within = npart__bill_range(&model->node_costs->rates, &model->sides.cpu, NPART__PART_ALL).typical_ms;
    bool is_known = !all->sides.cpu.unknown && !model->sides.cpu.unknown && ms >= 0 && within >= 0;
    return !is_known ? -1 : ms > within ? ms - within : 0;
}

static npart_status plan_place(struct trial *trial, const struct npart__version *version, struct tried *out)
{
    const struct npart_allocator *allocator = &trial->arena.allocator;
    npart_model *model = NULL;
    npart_inference *known = NULL;
    struct npart__plan made;
    npart_status status = npart__model_of_version(&model, version, trial->whole->path, allocator, trial->error);
    if (status == NPART_OK)
        status = npart_inference_make(&known, model, NULL, trial->error);
    npart_model_free(model);
    if (status != NPART_OK)
        return status;
    struct npart__plan_request request = trial->plan->request;
    request.inference = known->inference;
    request.shared = &known->views->shared;
    request.is_trial = request.is_step = true;
    memset(&made, 0, sizeof made);
    status = npart__plan_make(&request, &known->life->arena, &made, trial->error);
    if (status == NPART_OK) {
        double host = host_ms(trial->plan, &made);
        out->outcome = npart__outcome_of(&made);
        out->outcome.ms = host < 0 || out->outcome.ms < 0 ? -1 : out->outcome.ms + host;
    }
    npart_inference_free(known);
    return status;
}

/* What cannot be is no place; only want of memory or time ends the search. */
static npart_status try_place(struct trial *trial, const struct npart__frontier *at, struct tried *out, bool *is_good)
{
    const struct npart__bounds bounds = {at->begin, at->end, at->begin_count, at->end_count};
    struct npart__sided sided;
    struct npart__arena scratch;
    npart__arena_init(&scratch, &trial->arena.allocator);
    npart_status status = npart__split_sides(trial->plan, &trial->whole->found.last->version, &bounds, &scratch, &sided,
                                             trial->error);
    out->bytes = at->bytes;
    if (status == NPART_OK)
        status = plan_place(trial, &sided.models[NPART__SIDE_MODEL].version, out);
    npart__arena_clear(&scratch);
    *is_good = status == NPART_OK;
    if (npart__budget_status(&trial->arena.allocator, NULL) != NPART_OK)
        return npart__fail_memory(trial->error);
    return status == NPART_ERROR_MEMORY ? status : NPART_OK;
}

/* Fewer failures, then fewer partitions, then a shorter run with the host's part of it; of two that are about as long
 * the one where fewer bytes pass. */
static bool is_better(const struct tried *at, const struct tried *than)
{
    const struct npart__outcome *a = &at->outcome, *b = &than->outcome;
    if (a->failed != b->failed)
        return a->failed < b->failed;
    if (a->partitions != b->partitions)
        return a->partitions < b->partitions;
    if (a->left != b->left && (a->ms < 0 || b->ms < 0))
        return a->left < b->left;
    bool has_times = a->ms >= 0 && b->ms >= 0;
    if (has_times && (a->ms < b->ms * (1 - NPART__SHARE_OF_STEP) || b->ms < a->ms * (1 - NPART__SHARE_OF_STEP)))
        return a->ms < b->ms;
    return at->bytes < than->bytes;
}

/* Whether it leaves less than the model as a whole does, with something on the NPU, faster than the CPU alone. */
static bool does_pay(const struct trial *trial, const struct tried *at)
{
    const struct npart__plan *plan = trial->plan;
    struct npart__outcome before = npart__outcome_of(plan);
    double cpu_ms = npart__bill_range(&plan->node_costs->rates, &plan->sides.cpu, NPART__PART_ALL).typical_ms;
    bool has_times = !plan->sides.cpu.unknown && cpu_ms >= 0 && at->outcome.ms >= 0;
    return npart__end_pays(&before, &at->outcome) != NPART_PAYS_NOTHING && at->outcome.partitions != NPART_NONE &&
           !(has_times && at->outcome.ms > cpu_ms * (1 - NPART__SHARE_EQUAL));
}

/* The best of the places; NULL: none pays. */
static npart_status find_place(struct trial *trial, struct npart__frontier *places, uint32_t count,
                               const struct npart__frontier **out)
{
    struct tried best = {.bytes = 0};
    npart_status status = NPART_OK;
    *out = NULL;
    for (uint32_t i = 0; i < count && status == NPART_OK; i++) {
        struct tried tried;
        bool is_good;
        status = try_place(trial, &places[i], &tried, &is_good);
        if (status != NPART_OK || !is_good || !does_pay(trial, &tried) || (*out && !is_better(&tried, &best)))
            continue;
        best = tried;
        *out = &places[i];
    }
    return status;
}

npart_status npart__fix_ended(npart_fix **out, uint32_t *count, const npart_fix *whole, const char *path,
                              const npart_plan *plan, const char *target, const struct npart_fix_options *options,
                              const struct npart__planned *planned, struct npart_error *error)
{
    static const struct npart_fix_options newest = NPART_FIX_OPTIONS_INIT;
    struct npart_error own = {.status = NPART_OK};
    const struct npart__state *last = whole->found.last;
    struct trial trial = {.whole = whole, .plan = last->plan ? &last->plan->plan : last->plans, .error = &own};
    const struct npart__frontier *place = NULL;
    uint32_t places = 0;
    if (options->version < newest.version || options->end_count || options->begin_count ||
        whole->found.cache.info.slots || !last->version.data || plan->plan.request.cut_count)
        return NPART_OK;
    npart__arena_init(&trial.arena, options->allocator);
    struct npart__frontier *list = npart__arena_zeroed(&trial.arena, NPART__MOST_FRONTIERS, sizeof *list);
    npart_status status = list && npart__find_frontiers(trial.plan, &trial.arena, list, &places)
                              ? find_place(&trial, list, places, &place)
                              : npart__fail_memory(error);
    if (status == NPART_OK && place) {
        struct npart_fix_options asked = *options;
        asked.begin_at = place->begin;
        asked.begin_count = place->begin_count;
        asked.end_at = place->end;
        asked.end_count = place->end_count;
        status = npart__fix_make(&out[*count], path, &plan->oplist, &target, 1, &asked, planned, &own);
        *count += status == NPART_OK;
    }
    npart__arena_clear(&trial.arena);
    if (npart__budget_status(options->allocator, NULL) != NPART_OK && status != NPART_OK)
        return npart__fail_memory(error);
    return status == NPART_ERROR_MEMORY ? npart__fail_memory(error) : NPART_OK;
}
