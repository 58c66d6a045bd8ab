/* SPDX-License-Identifier: Apache-2.0
 *
 * What a run costs, in JSON: docs/json.md, "Cost".
 */
#include "report/report.h"

/* Where it is not known all three are negative. */
static void range(struct npart__buffer *out, const char *key, struct npart_cost_range value)
{
    npart__json_range(out, key, value.typical_ms >= 0, value);
}

/* The total stands in members of their own, as more are added to the object that it begins. */
void npart__add_json_range(struct npart__buffer *out, const char *key, struct npart_cost_range value)
{
    npart__json_open(out, key, '{');
    npart__json_decimal_or_null(out, "low_ms", value.low_ms);
    npart__json_decimal_or_null(out, "typical_ms", value.typical_ms);
    npart__json_decimal_or_null(out, "high_ms", value.high_ms);
}

/* Each is a range by itself: typical values add up to the total, bounds do not, as not all parts are at their worst
 * at once. */
static void parts(struct npart__buffer *out, const struct npart_cost *at)
{
    npart__json_open(out, "parts", '{');
    range(out, "switch", at->switching);
    range(out, "copy", at->copying);
    range(out, "layout", at->layout);
    range(out, "quantize", at->quantizing);
    range(out, "cpu", at->cpu);
    range(out, "npu_compute", at->npu_compute);
    range(out, "npu_bandwidth", at->npu_bandwidth);
    npart__json_close(out, '}');
}

/* Nodes without a fast kernel on the CPU, by sentence: there are few, and more than there is room for are left out. A
 * sum of times of which one is not known is not known. */
static void slow(struct npart__buffer *out, const npart_plan *plan)
{
    struct { const char *text; uint32_t nodes; double ms; } told[16];
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
        if (k == found) {
            told[found].text = at.slow;
            told[found].nodes = 0;
            told[found++].ms = 0;
        }
        told[k].nodes++;
        told[k].ms = at.ms < 0 || told[k].ms < 0 ? -1 : told[k].ms + at.ms;
    }
    npart__json_open(out, "slow", '[');
    for (size_t k = 0; k < found; k++) {
        npart__json_open(out, NULL, '{');
        npart__json_text(out, "text", told[k].text);
        npart__json_count(out, "nodes", told[k].nodes);
        npart__json_decimal_or_null(out, "typical_ms", told[k].ms);
        npart__json_close(out, '}');
    }
    npart__json_close(out, ']');
}

/* Both are null where no advice was made. */
static void recommendation(struct npart__buffer *out, const npart_advice *advice)
{
    struct npart_recommendation at = {.size = sizeof at};
    if (!npart_advice_recommendation(advice, &at)) {
        npart__json_value(out, "recommendation", "null");
        npart__json_value(out, "reason", "null");
        return;
    }
    npart__json_text(out, "recommendation", npart_choice_text(at.choice));
    npart__json_text(out, "reason", at.reason);
}

/* `cost` is the time of the plan even where it fails to compile; of what can be chosen, `alternatives.as_is` is
 * then null. 0 is a getter's word for a fill or a size that is not known, and becomes null. */
void npart__add_json_cost(struct npart__buffer *out, const struct npart_plan_pair *plans)
{
    static const struct npart_cost_range unknown = {-1, -1, -1};
    struct npart_cost at = {.size = sizeof at}, fixed = {.size = sizeof fixed};
    struct npart_summary summary = {.size = sizeof summary, .verdict = NPART_PLAN_UNKNOWN};
    (void)npart_plan_cost(plans->plan, &at);
    (void)npart_plan_summary(plans->plan, &summary);
    bool runs = summary.verdict != NPART_PLAN_FAILS;
    bool is_fixed = npart_plan_cost(plans->fixed, &fixed);
    npart__add_json_range(out, "cost", at.total);
    npart__json_flag(out, "calibrated", at.is_calibrated);
    npart__json_text(out, "runtime", at.runtime);
    parts(out, &at);
    npart__json_open(out, "alternatives", '{');
    range(out, "as_is", runs ? at.total : unknown);
    range(out, "cpu", at.cpu_alone);
    range(out, "npu_whole", at.npu_whole);
    range(out, "fixed", is_fixed ? fixed.total : unknown);
    npart__json_close(out, '}');
    recommendation(out, plans->advice);
    range(out, "cold", at.cold);
    npart__json_decimal_or_null(out, "tile_fill", at.fill > 0 ? at.fill : -1);
    npart__json_count_or_null(out, "break_even_macs", at.break_even_macs != 0, at.break_even_macs);
    slow(out, plans->plan);
    npart__json_count(out, "bytes_to_npu", at.bytes_to_npu);
    npart__json_count(out, "bytes_to_cpu", at.bytes_to_cpu);
    npart__json_count(out, "unknown_sizes", at.unknown_sizes);
    npart__json_count(out, "unknown_nodes", at.unknown_nodes);
    npart__json_count(out, "layout_conversions", at.conversions);
    npart__json_close(out, '}');
}
