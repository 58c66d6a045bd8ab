/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

void find_outcomes(struct outcomes *out, const struct options *options, const npart_plan *plan)
{
    out->count = npart_plan_outcomes(plan, &options->thresholds, out->items, NPART_MOST_OUTCOMES);
}

void find_validity(struct outcomes *out, const struct options *options, const npart_inference *inference)
{
    out->count = npart_inference_outcomes(inference, &options->thresholds, out->items, NPART_MOST_OUTCOMES);
}

const char *const *condition_words(void)
{
    static const char *words[NPART_CONDITIONS];
    for (int i = 0; i < NPART_CONDITIONS; i++)
        words[i] = npart_condition_text((enum npart_condition)i);
    return words;
}

void tell_reason(const char *model, const char *target, const npart_plan *plan, const npart_advice *advice,
                 bool has_project)
{
    char told[MESSAGE_BYTES];
    struct npart_action action = {.size = sizeof action};
    if (npart_plan_first_cause(plan, true, NULL, told, sizeof told))
        say("%s: %s: first cause: %s", model, target, told);
    if (!npart_advice_action(advice, 0, &action))
        return;
    (void)npart_action_text(&action, has_project, told, sizeof told);
    say("%s: %s: first action: %s", model, target, told);
}

bool meets_thresholds(const struct options *options, const char *model, const char *target, const npart_plan *plan)
{
    struct outcomes outcomes;
    bool is_met = true;
    find_outcomes(&outcomes, options, plan);
    for (uint32_t i = 0; i < outcomes.count; i++) {
        if (outcomes.items[i].is_met)
            continue;
        say("%s: %s: %s", model, target, outcomes.items[i].text);
        is_met = false;
    }
    return is_met;
}

bool meets_validity(const struct options *options, const char *model, const npart_inference *inference)
{
    struct outcomes outcomes;
    find_validity(&outcomes, options, inference);
    if (outcomes.count && !outcomes.items[0].is_met)
        say("%s: %s", model, outcomes.items[0].text);
    return !outcomes.count || outcomes.items[0].is_met;
}
