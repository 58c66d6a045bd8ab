/* SPDX-License-Identifier: Apache-2.0 */
#include "tool.h"

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

/* "MODEL: TARGET: " stands before what is told, or "MODEL: ". */
static bool are_met(const struct npart_gate_outcome *items, uint32_t count, const char *model, const char *target)
{
    bool is_met = true;
    for (uint32_t i = 0; i < count; i++) {
        if (!items[i].is_met)
            say("%s: %s%s%s", model, target, *target ? ": " : "", items[i].text);
        is_met &= items[i].is_met;
    }
    return is_met;
}

bool meets_thresholds(const struct options *options, const char *model, const char *target, const npart_plan *plan)
{
    struct npart_gate_outcome items[NPART_MOST_OUTCOMES];
    return are_met(items, npart_plan_outcomes(plan, &options->thresholds, items, NPART_MOST_OUTCOMES), model, target);
}

bool meets_validity(const struct options *options, const char *model, const npart_inference *inference)
{
    struct npart_gate_outcome items[NPART_MOST_OUTCOMES];
    return are_met(items, npart_inference_outcomes(inference, &options->thresholds, items, NPART_MOST_OUTCOMES), model,
                   "");
}
