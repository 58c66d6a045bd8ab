/* SPDX-License-Identifier: Apache-2.0
 *
 * How every report begins and ends: what is checked of plans, where its memory comes from, and how it went.
 */
#include "report/report.h"

/* The model that was asked about, not the graph that a runtime sees, which differs between
 * targets, nor another precision of it. */
const npart_model *npart__asked_model(const npart_plan *plan)
{
    return npart_model_origin(npart_inference_model(npart_plan_inference(plan)));
}

/* Plans of different models in one report would make its head a lie. A plan with sizes fixed must be of the same
 * model as well, while advice may be missing. */
static npart_status check_plan(const struct npart_plan_pair *plan, size_t index, const npart_model *model,
                               struct npart_error *error)
{
    if (!plan->plan)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "plan %zu must not be NULL", index);
    model = model ? model : npart__asked_model(plan->plan);
    if (npart__asked_model(plan->plan) != model || (plan->fixed && npart__asked_model(plan->fixed) != model))
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "plan %zu is of another model", index);
    return NPART_OK;
}

npart_status npart__plans_check(const struct npart_plan_pair *plans, size_t count, struct npart_error *error)
{
    npart_status status = NPART_OK;
    if (!plans || count == 0)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "no plan to report");
    for (size_t i = 0; status == NPART_OK && i < count; i++)
        status = check_plan(&plans[i], i, i ? npart__asked_model(plans[0].plan) : NULL, error);
    return status;
}

/* Whether the caller makes the plans when they are asked for. */
bool npart__makes_plans(const struct npart__report *report)
{
    bool is_told_in_order = report->format == NPART_FORMAT_TEXT || report->format == NPART_FORMAT_JSON;
    return report->subject->kind == NPART_SUBJECT_PLANS && is_told_in_order && report->options->version >= 2 &&
           report->options->next;
}

bool npart__turn_to_plan(struct npart__report *report, size_t index)
{
    if (!npart__makes_plans(report)) { /* which are checked */
        report->pair = report->subject->plans[index];
        return true;
    }
    report->pair = (struct npart_plan_pair){0};
    report->status = report->options->next(report->options->next_payload, index, &report->pair, report->error);
    if (report->status == NPART_OK)
        report->status = check_plan(&report->pair, index, report->model, report->error);
    if (report->status != NPART_OK) {
        report->arena.failed = true;
        return false;
    }
    report->model = npart__asked_model(report->pair.plan);
    return true;
}

npart_status npart__diffs_check(const npart_diff *const *diffs, size_t count, struct npart_error *error)
{
    if (!diffs || count == 0)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "no comparison to report");
    for (size_t i = 0; i < count; i++)
        if (!diffs[i])
            return npart__fail(error, NPART_ERROR_ARGUMENT, "", "comparison %zu must not be NULL", i);
    return NPART_OK;
}

/* Good for as long as the plan. */
const struct npart_allocator *npart__allocator_of(const npart_plan *plan)
{
    struct npart_plan_info info = {.size = sizeof info};
    (void)npart_plan_info(plan, &info);
    return info.allocator;
}

void npart__part_open(struct npart__arena *part, const struct npart__arena *around)
{
    npart__arena_init(part, &around->allocator);
}

void npart__part_end(struct npart__arena *part, struct npart__arena *around)
{
    npart__arena_clear(part);
    around->failed |= part->failed;
}

/* A budget makes allocations fail as a lack of memory does; which of the two it was only the budget knows. */
npart_status npart__report_shortage(const struct npart_allocator *allocator, struct npart_error *error)
{
    npart_status spent = npart_budget_status(allocator, error);
    return spent == NPART_OK ? npart__fail_memory(error) : spent;
}

/* What the caller's `write` refuses is told as such, even where memory ran out after it. */
npart_status npart__report_status(const struct npart__buffer *out, struct npart_error *error)
{
    if (!out->arena->failed)
        return npart__settle(NPART_OK, &out->arena->allocator, error);
    return out->refused ? npart__fail(error, NPART_ERROR_WRITE, "", "cannot write the report")
                        : npart__report_shortage(&out->arena->allocator, error);
}

void npart__json_begin(struct npart__buffer *out, int64_t schema, const char *made_with)
{
    npart__json_open(out, NULL, '{');
    npart__json_number(out, "schema", schema);
    npart__json_open(out, "tool", '{');
    npart__json_text(out, "name", "npu-partition");
    npart__json_text(out, "version", npart_version());
    if (made_with)
        npart__json_text(out, "options", made_with);
    npart__json_close(out, '}');
}
