/* SPDX-License-Identifier: Apache-2.0
 *
 * What a gate found as JSON: docs/json.md.
 */
#include <stdio.h>

#include "base/json.h"
#include "gate/judge.h"

/* What is no UTF-8 is shown as elsewhere. */
static void put_text(struct npart__buffer *out, const char *key, const char *text)
{
    struct npart__buffer plain;
    npart__buffer_init(&plain, out->arena);
    npart__append_plain(&plain, text ? text : "", text ? strlen(text) : 0);
    npart__json_text_or_null(out, key, npart__buffer_text(&plain));
    npart__buffer_release(&plain);
}

/* Six digits that count; null: not known. */
static void put_real(struct npart__buffer *out, const char *key, bool is_known, double value)
{
    char text[NPART__NUMBER_BYTES];
    (void)npart__digits_text(text, value, 6, false);
    bool is_whole = !strpbrk(text, ".e");
    char *exponent = strchr(text, 'e'); /* of 1e+07 1e7, of 1e-07 1e-7 */
    if (exponent) {
        char *sign = exponent[1] == '-' ? exponent + 2 : exponent + 1, *digits = exponent + 2;
        digits += strspn(digits, "0");
        memmove(sign, digits, strlen(digits) + 1);
    }
    npart__json_value(out, key, is_known ? text : "null");
    npart__append_text(out, is_known && is_whole ? ".0" : "");
}

static void put_outcome(struct npart__buffer *out, const char *threshold, bool is_met, const char *text,
                        const char *waiver, bool is_by_baseline)
{
    npart__json_open(out, NULL, '{');
    npart__json_text(out, "threshold", threshold);
    npart__json_flag(out, "met", is_met);
    put_text(out, "text", text);
    put_text(out, "waiver", waiver);
    npart__json_text_or_null(out, "accepted", !*waiver ? NULL : is_by_baseline ? "baseline" : "waiver");
    npart__json_close(out, '}');
}

/* What the baseline has; null where it has nothing. */
static void put_before(struct npart__buffer *out, const struct npart_compared *compared)
{
    const struct npart_summary *before = &compared->before;
    if (!compared->has_before) {
        npart__json_value(out, "before", "null");
        return;
    }
    npart__json_open(out, "before", '{');
    npart__json_number(out, "partitions", before->partitions);
    put_real(out, "coverage", true, before->coverage);
    put_real(out, "mac_coverage", before->has_macs, before->mac_coverage);
    put_real(out, "ms", compared->before_ms >= 0, compared->before_ms);
    npart__json_close(out, '}');
}

/* The cause that the report names first; where it names none, the first of the plan. */
static void put_cause(struct npart__buffer *out, const npart_plan *plan)
{
    struct npart_cause cause = {.size = sizeof cause};
    uint32_t first = 0;
    (void)npart_plan_first_cause(plan, false, &first, NULL, 0);
    bool has_cause = npart_plan_cause(plan, first == NPART_NONE ? 0 : first, &cause, NULL, 0);
    put_text(out, "cause", has_cause ? cause.text : NULL);
    put_text(out, "rule", has_cause ? cause.rule_id : NULL);
}

static void put_action(struct npart__buffer *out, const npart_advice *advice)
{
    struct npart_action action = {.size = sizeof action};
    char config[1024] = "";
    bool has_action = npart_advice_action(advice, 0, &action);
    bool has_config = has_action && npart_action_config(&action, config, sizeof config) < sizeof config;
    put_text(out, "action", has_action ? action.text : NULL);
    put_text(out, "command", has_action ? action.command : NULL);
    npart__json_text_or_null(out, "config", has_config ? config : NULL);
}

static void put_target(struct npart__buffer *out, const struct npart__judged *judged)
{
    struct npart_summary summary = {.size = sizeof summary};
    struct npart_cost cost = {.size = sizeof cost};
    (void)npart_plan_summary(judged->plan, &summary);
    (void)npart_plan_cost(judged->plan, &cost);
    npart__json_open(out, NULL, '{');
    npart__json_text(out, "target", judged->target);
    npart__json_text(out, "status", npart_standing_text(judged->standing));
    npart__json_number(out, "partitions", summary.partitions);
    put_real(out, "coverage", true, summary.coverage);
    put_real(out, "mac_coverage", summary.has_macs, summary.mac_coverage);
    npart__json_open(out, "outcomes", '[');
    for (uint32_t i = 0; i < judged->count; i++)
        put_outcome(out, judged->outcomes[i].threshold, judged->outcomes[i].is_met, judged->outcomes[i].text,
                    judged->waivers[i], judged->is_known[i]);
    npart__json_close(out, ']');
    put_cause(out, judged->plan);
    put_action(out, judged->advice);
    put_text(out, "changed", judged->compared.changed);
    put_real(out, "ms", cost.total.typical_ms >= 0, cost.total.typical_ms);
    put_before(out, &judged->compared);
    npart__json_close(out, '}');
}

static void put_model(struct npart__buffer *out, const npart_gate *gate)
{
    const struct npart_error *error = gate->options.error;
    char problem[1024] = "";
    if (error)
        (void)snprintf(problem, sizeof problem, "%s%s%s", error->place, *error->place ? ": " : "", error->message);
    npart__json_open(out, "check", '{');
    put_text(out, "model", gate->options.name);
    npart__json_text(out, "status", error ? "error" : npart_standing_text(gate->standing));
    put_text(out, "error", problem);
    npart__json_open(out, "outcomes", '[');
    if (*gate->invalid)
        put_outcome(out, "fail-on invalid", false, gate->invalid, gate->invalid_waiver, gate->is_invalid_known);
    npart__json_close(out, ']');
    npart__json_open(out, "targets", '[');
    for (uint32_t i = 0; i < gate->targets.count; i++)
        put_target(out, gate->targets.items[i]);
    npart__json_close(out, ']');
    npart__json_close(out, '}');
}

npart_status npart_gate_json(const npart_gate *gate, npart_write_callback write, void *payload,
                             struct npart_error *error)
{
    struct npart__buffer out;
    struct npart__arena arena;
    if (!gate || !write)
        return npart__fail_null(!gate ? "gate" : "write", error);
    npart__buffer_open(&out, &arena, &gate->life->arena.allocator, NULL, NULL);
    npart__json_open(&out, NULL, '{');
    npart__json_number(&out, "schema", 2);
    npart__json_open(&out, "tool", '{');
    npart__json_text(&out, "name", "npu-partition");
    npart__json_text(&out, "version", npart_version());
    npart__json_close(&out, '}');
    put_model(&out, gate);
    npart__json_close(&out, '}');
    npart__append_text(&out, "\n");
    return npart__buffer_end(&out, write, payload, NPART_OK, error);
}
