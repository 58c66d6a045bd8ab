/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run costs, in JSON: docs/json.md, "Cost".
 */
#include <stdlib.h>

#include "report/report.h"

/* Nodes without a fast kernel on the CPU, by sentence: there are few, and more than there is room for are left out. A
 * sum of times of which one is not known is not known. */
static void slow(struct npart__buffer *out, const char *key, const npart_plan *plan)
{
    struct npart__slow told[16];
    struct npart_node_plan at = {.size = sizeof at};
    size_t found = 0;
    for (uint32_t i = 0; npart_plan_node(plan, i, &at); i++) {
        size_t k = 0;
        if (!at.slow)
            continue;
        while (k < found && strcmp(told[k].text, at.slow) != 0)
            k++;
        if (k == NPART__COUNT(told))
            continue;
        if (k == found)
            told[found++] = (struct npart__slow){.text = at.slow};
        told[k].nodes++;
        told[k].typical_ms = at.ms < 0 || told[k].typical_ms < 0 ? -1 : told[k].typical_ms + at.ms;
    }
    NPART__JSON_LIST(out, key, k, k < found)
        npart__put_slow(out, NULL, &told[k]);
}

/* Operators of a graph are few; more than there is room for are left out, as they are the rarest. */
#define MOST_OPERATORS 64u

static void add_operator(struct npart__cpu_operator *told, size_t *found, const char *op, double ms)
{
    size_t k = 0;
    while (k < *found && strcmp(told[k].op, op) != 0)
        k++;
    if (k == MOST_OPERATORS)
        return;
    if (k == *found)
        told[(*found)++] = (struct npart__cpu_operator){.op = op};
    told[k].nodes++;
    told[k].typical_ms = ms < 0 || told[k].typical_ms < 0 ? -1 : told[k].typical_ms + ms;
}

/* By time, then by name: what is not known last. */
static int compare_operators(const void *left, const void *right)
{
    const struct npart__cpu_operator *a = left, *b = right;
    return a->typical_ms != b->typical_ms ? (a->typical_ms < b->typical_ms) - (a->typical_ms > b->typical_ms)
                                          : strcmp(a->op, b->op);
}

static void moves(struct npart__buffer *out, const char *key, const npart_plan *plan)
{
    struct npart__moves found;
    (void)npart__find_moves(out->arena, plan, &found);
    NPART__JSON_LIST(out, key, k, k < found.count)
        npart__put_move(out, NULL, &found.items[k]);
}

static void cpu_operators(struct npart__buffer *out, const char *key, const npart_plan *plan)
{
    struct npart__cpu_operator told[MOST_OPERATORS];
    struct npart_node_plan at = {.size = sizeof at};
    struct npart_node node = {.size = sizeof node};
    const npart_model *model = npart_inference_model(npart_plan_view(plan));
    size_t found = 0;
    for (uint32_t i = 0; npart_plan_node(plan, i, &at) && npart_model_node(model, i, &node); i++)
        if (at.fate == NPART_FATE_LIVE && !(at.cpu_kernel && !*at.cpu_kernel))
            add_operator(told, &found, at.cpu_kernel ? at.cpu_kernel : node.op, at.cpu_ms);
    qsort(told, found, sizeof *told, compare_operators);
    NPART__JSON_LIST(out, key, k, k < found)
        npart__put_cpu_operator(out, NULL, &told[k]);
}

/* All are null where no advice was made. */
static void recommendation(struct npart__object *object, const npart_advice *advice)
{
    struct npart_recommendation at = {.size = sizeof at};
    bool is_there = npart_advice_recommendation(advice, &at);
    const char *choice = is_there ? npart_choice_text(at.choice) : NULL;
    npart__json_text_or_null(object->out, npart__own(object, "recommendation"), choice);
    npart__json_text_or_null(object->out, npart__own(object, "reason"), is_there ? at.reason : NULL);
    npart__json_text_or_null(object->out, npart__own(object, "worth"), is_there ? npart_worth_text(at.worth) : NULL);
    npart__json_text_or_null(object->out, npart__own(object, "worth_missing"), is_there ? at.worth_missing : NULL);
}

/* After the step that gives a growing cache a fixed size. */
static void mended_serving(struct npart__object *object, const npart_advice *advice)
{
    struct npart_recommendation at = {.size = sizeof at, .tokens_per_s = -1};
    (void)npart_advice_recommendation(advice, &at);
    npart__json_decimal_or_null(object->out, npart__own(object, "mended_tokens_per_s"), at.tokens_per_s);
    npart__json_count_or_null(object->out, npart__own(object, "mended_slots"), at.slots, at.slots);
}

/* `cost` is the time of the plan even where it fails to compile; of what can be chosen, `as_is` is then null. */
static void alternatives(struct npart__buffer *out, const char *key, const struct npart_plan_pair *plans,
                         const struct npart_cost *at)
{
    struct npart_cost fixed = {.size = sizeof fixed};
    struct npart_summary summary = {.size = sizeof summary, .verdict = NPART_PLAN_UNKNOWN};
    struct npart__object object = npart__open_alternatives(out, key, at);
    (void)npart_plan_summary(plans->plan, &summary);
    npart__json_range(out, npart__own(&object, "as_is"), summary.verdict != NPART_PLAN_FAILS, at->total);
    bool is_fixed = npart_plan_cost(plans->fixed, &fixed);
    npart__json_range(out, npart__own(&object, "fixed"), is_fixed, fixed.total);
    npart__object_close(&object);
}

void npart__add_json_cost(struct npart__buffer *out, const struct npart_plan_pair *plans)
{
    struct npart_cost at = {.size = sizeof at};
    (void)npart_plan_cost(plans->plan, &at);
    struct npart__object object = npart__open_cost(out, "cost", &at);
    alternatives(out, npart__own(&object, "alternatives"), plans, &at);
    recommendation(&object, plans->advice);
    slow(out, npart__own(&object, "slow"), plans->plan);
    mended_serving(&object, plans->advice);
    moves(out, npart__own(&object, "moves"), plans->plan);
    cpu_operators(out, npart__own(&object, "cpu_operators"), plans->plan);
    npart__object_close(&object);
}
