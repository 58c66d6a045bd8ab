/* SPDX-License-Identifier: Apache-2.0
 *
 * One model against its thresholds, and what waivers accept of it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "gate/judge.h"

const char *npart_standing_text(enum npart_standing value)
{
    static const char *const words[NPART_STANDINGS] = {"ok", "known", "waived", "worse", "fails"};
    return (unsigned)value < NPART_STANDINGS ? words[value] : NULL;
}

void npart__tell_gate(const npart_gate *gate, uint32_t line, uint32_t column, const char *format, ...)
{
    char text[1024];
    NPART__FORMAT(text, format);
    if (gate->options.tell)
        gate->options.tell(gate->options.payload, line, column, text);
}

/* ---- days --------------------------------------------------------------------------------------------------- */

bool npart_is_day(const char *text)
{
    static const char form[] = "0000-00-00";
    bool is_fine = text && strlen(text) == sizeof form - 1;
    for (size_t i = 0; is_fine && i < sizeof form - 1; i++)
        is_fine = form[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == form[i];
    int month = is_fine ? atoi(text + 5) : 0, day = is_fine ? atoi(text + 8) : 0;
    return is_fine && month >= 1 && month <= 12 && day >= 1 && day <= npart__days_of(atoi(text), month);
}

static void write_day(const struct npart__waiver *waiver, char out[static NPART__DAY_BYTES])
{
    const struct npart__toml_time *day = &waiver->expires->as.time;
    (void)snprintf(out, NPART__DAY_BYTES, "%04d-%02d-%02d", day->year, day->month, day->day);
}

/* ---- which waivers ------------------------------------------------------------------------------------------ */

struct npart__waiver *npart__waiver_of(const npart_gate *gate, uint32_t index)
{
    npart_project *project = gate->options.project;
    return project && index < project->file.waiver_count ? &project->file.waivers[index] : NULL;
}

size_t npart__use_waiver(struct npart__waiver *waiver, char *out, size_t bytes, size_t used)
{
    char day[NPART__DAY_BYTES];
    waiver->is_used = true;
    write_day(waiver, day);
    if (used < bytes)
        used += (size_t)snprintf(out + used, bytes - used, "%suntil %s: %s", used ? "; " : "", day,
                                 waiver->reason->as.text.bytes);
    return used;
}

/* That one would have accepted something, had it not expired; a NULL target is any. */
static void tell_expired_waiver(const npart_gate *gate, struct npart__waiver *waiver, const char *target)
{
    char day[NPART__DAY_BYTES];
    waiver->is_used = true;
    write_day(waiver, day);
    npart__tell_gate(gate, waiver->line, waiver->column,
                     "this waiver expired on %s and holds no more for %s%s%s: %s", day, gate->options.name,
                     target ? " on " : "", target ? target : "", waiver->reason->as.text.bytes);
}

static bool is_expired(const npart_gate *gate, const struct npart__waiver *waiver)
{
    char day[NPART__DAY_BYTES];
    write_day(waiver, day);
    return strcmp(gate->options.today, day) > 0; /* it holds on that day */
}

static bool is_for(const npart_gate *gate, const struct npart__waiver *waiver, const char *target)
{
    return npart_project_matches(&waiver->for_models, gate->options.path) &&
           (!target || npart__waiver_has_target(waiver, target));
}

bool npart__is_in_force(const struct npart__accepted *accepted, const struct npart__waiver *waiver)
{
    return is_for(accepted->gate, waiver, accepted->judged->target) &&
           (accepted->with_expired || !is_expired(accepted->gate, waiver));
}

bool npart__has_waivers(const npart_gate *gate, const char *target, bool are_expired)
{
    const struct npart__waiver *waiver;
    for (uint32_t i = 0; (waiver = npart__waiver_of(gate, i)) != NULL; i++)
        if (is_for(gate, waiver, target) && is_expired(gate, waiver) == are_expired)
            return true;
    return false;
}

/* The id of a rule of the plan's op list; NULL past the last. */
static const char *rule_id(const struct npart__judged *judged, uint32_t index)
{
    struct npart_rule rule = {.size = sizeof rule};
    return npart_oplist_rule(judged->plan->oplist, index, &rule) ? rule.id : NULL;
}

/* Which of the waiver's rules the op list has: one that no list has is misspelt, or of another release. */
static void note_rules(struct npart__waiver *waiver, const struct npart__judged *judged)
{
    uint32_t count = waiver->for_rules.count;
    for (uint32_t k = 0; k < count && k < 64; k++) {
        struct npart__nearest nearest;
        const char *glob = waiver->for_rules.items[k].text, *id;
        char names[NPART__HINT_BYTES];
        bool is_known = false;
        npart__nearest_init(&nearest, glob, strlen(glob));
        for (uint32_t i = 0; !is_known && (id = rule_id(judged, i)) != NULL; i++) {
            npart__nearest_offer(&nearest, id);
            is_known = npart_glob_match(glob, id);
        }
        if (is_known)
            waiver->known_rules |= UINT64_C(1) << k;
        else if (!*waiver->meant)
            (void)npart__copy_out(names, npart__nearest_names(&nearest, names, sizeof names), waiver->meant,
                                  sizeof waiver->meant);
    }
}

/* ---- the plan with waived rules ----------------------------------------------------------------------------- */

bool npart__accepted_open(struct npart__accepted *accepted, npart_gate *gate, struct npart__judged *judged)
{
    accepted->gate = gate;
    accepted->judged = judged;
    accepted->is_waived =
        npart__arena_zeroed(&gate->life->arena, judged->plan->oplist->oplist.rules.count + (size_t)1, sizeof(bool));
    return accepted->is_waived != NULL;
}

void npart__accepted_close(struct npart__accepted *accepted)
{
    npart__lift_free(accepted->lift);
}

/* A waiver's rule of the op list from place `*at` on; NPART_NONE past the last. */
static uint32_t next_rule(const struct npart__accepted *accepted, const struct npart__waiver *waiver, uint32_t at)
{
    const char *id;
    for (; waiver->for_rules.count && (id = rule_id(accepted->judged, at)) != NULL; at++)
        if (npart_project_matches(&waiver->for_rules, id))
            return at;
    return NPART_NONE;
}

bool npart__has_lifted(const struct npart__accepted *accepted, const struct npart__waiver *waiver)
{
    for (uint32_t i = 0; (i = next_rule(accepted, waiver, i)) != NPART_NONE; i++)
        if (npart__lift_has_rule(accepted->lift, i))
            return true;
    return false;
}

void npart__mark_waived(const struct npart__accepted *accepted, const struct npart__waiver *waiver)
{
    for (uint32_t i = 0; (i = next_rule(accepted, waiver, i)) != NPART_NONE; i++)
        accepted->is_waived[i] = true;
}

/* As the plan was asked for, but for the nodes that are lifted. */
npart_status npart__plan_lifted(struct npart__accepted *accepted, npart_plan **out, struct npart_error *error)
{
    const npart_plan *plan = accepted->judged->plan;
    const struct npart__plan_request *asked = &plan->plan.request;
    uint32_t count = 0;
    *out = NULL;
    npart_status status = npart__lift_make(&accepted->lift, plan, accepted->is_waived, error);
    const struct npart_assumption *lifted = npart__lift_overrides(accepted->lift, &count);
    if (status != NPART_OK || !count)
        return status;
    struct npart__arena *arena = &accepted->gate->life->arena;
    struct npart_assumption *assumed =
        npart__arena_zeroed(arena, count + asked->assumed_count + (size_t)1, sizeof *assumed);
    if (!assumed)
        return npart__fail_memory(error);
    memcpy(assumed, lifted, count * sizeof *assumed);
    if (asked->assumed_count)
        memcpy(assumed + count, asked->assumed, asked->assumed_count * sizeof *assumed);
    const struct npart_plan_options options = {
        .version = 2, .level = asked->level, .partitioner = asked->partitioner, .gates = asked->stages,
        .assumptions = assumed, .assumption_count = count + asked->assumed_count, .cuts = asked->cuts,
        .cut_count = asked->cut_count, .runtime = asked->invoker, .is_sustained = asked->is_sustained,
        .ram_bytes = asked->ram_bytes, .prompt_tokens = asked->prompt_tokens,
        .device_class = asked->device ? asked->device->word : NULL};
    return npart_plan_make(out, plan->inference, plan->oplist, accepted->judged->target, &options, error);
}

/* ---- thresholds --------------------------------------------------------------------------------------------- */

/* What the command line says counts most. */
static void put_asked(const struct npart_thresholds *asked, struct npart_thresholds *inout)
{
    static const bool nothing[NPART_CONDITIONS];
    for (int i = 0; i < NPART_BOUNDS; i++)
        if (asked->bounds[i] >= 0)
            inout->bounds[i] = asked->bounds[i];
    if (asked->max_partitions >= 0)
        inout->max_partitions = asked->max_partitions;
    if (asked->min_coverage >= 0)
        inout->min_coverage = asked->min_coverage;
    if (asked->min_mac_coverage >= 0)
        inout->min_mac_coverage = asked->min_mac_coverage;
    inout->allows_none |= asked->allows_none;
    if (memcmp(asked->fails_on, nothing, sizeof nothing) != 0)
        memcpy(inout->fails_on, asked->fails_on, sizeof inout->fails_on);
}

/* Those of a target. */
static struct npart_thresholds thresholds_on(const npart_gate *gate, const char *target)
{
    struct npart_thresholds found = gate->thresholds;
    npart_project_settle_target(gate->options.project, gate->options.path, target, &found);
    if (gate->options.project)
        put_asked(&gate->asked, &found);
    return found;
}

/* The outcomes with all waivers in force. */
static npart_status find_accepted(struct npart__accepted *accepted, struct npart_error *error)
{
    npart_plan *lifted = NULL;
    const struct npart__waiver *waiver;
    accepted->thresholds = thresholds_on(accepted->gate, accepted->judged->target);
    for (uint32_t i = 0; (waiver = npart__waiver_of(accepted->gate, i)) != NULL; i++) {
        if (!npart__is_in_force(accepted, waiver))
            continue;
        npart__waiver_accept(waiver, &accepted->thresholds);
        npart__mark_waived(accepted, waiver);
    }
    npart_status status = npart__plan_lifted(accepted, &lifted, error);
    if (status == NPART_OK)
        accepted->count = npart_plan_outcomes(lifted ? lifted : accepted->judged->plan, &accepted->thresholds,
                                              accepted->outcomes, NPART_MOST_OUTCOMES);
    npart_plan_free(lifted);
    return status;
}

/* ---- what they accept --------------------------------------------------------------------------------------- */

static enum npart_standing standing_of(const struct npart__judged *judged, uint32_t outcome)
{
    const struct npart_gate_outcome *at = &judged->outcomes[outcome];
    if (at->is_met)
        return NPART_STANDING_OK;
    if (*judged->waivers[outcome])
        return judged->is_known[outcome] ? NPART_STANDING_KNOWN : NPART_STANDING_WAIVED;
    bool is_worse = judged->is_told[outcome] || strcmp(at->threshold, NPART__REGRESSION) == 0;
    return is_worse ? NPART_STANDING_WORSE : NPART_STANDING_FAILS;
}

bool npart__is_open(const struct npart__judged *judged, uint32_t outcome)
{
    return !judged->outcomes[outcome].is_met && !*judged->waivers[outcome] && !judged->is_told[outcome];
}

bool npart__has_open(const struct npart__judged *judged)
{
    for (uint32_t i = 0; i < judged->count; i++)
        if (npart__is_open(judged, i))
            return true;
    return false;
}

void npart__settle_judged(struct npart__judged *judged)
{
    judged->standing = NPART_STANDING_OK;
    for (uint32_t i = 0; i < judged->count; i++) {
        enum npart_standing standing = standing_of(judged, i);
        judged->standing = standing > judged->standing ? standing : judged->standing;
    }
}

/* "until 2027-03-31: reason", of each waiver that has to do with it. */
static void write_waivers(const struct npart__accepted *accepted, const char *threshold, char *out, size_t bytes)
{
    struct npart__waiver *waiver;
    size_t used = 0;
    for (uint32_t i = 0; (waiver = npart__waiver_of(accepted->gate, i)) != NULL; i++)
        if (npart__is_in_force(accepted, waiver) &&
            (npart__waiver_speaks_of(waiver, threshold) || npart__has_lifted(accepted, waiver)))
            used = npart__use_waiver(waiver, out, bytes, used);
}

/* Those that would have accepted it, had they not expired. */
static void tell_expired(const struct npart__accepted *accepted)
{
    const struct npart__judged *judged = accepted->judged;
    struct npart__waiver *waiver;
    for (uint32_t i = 0; (waiver = npart__waiver_of(accepted->gate, i)) != NULL; i++) {
        if (!npart__is_in_force(accepted, waiver) || !is_expired(accepted->gate, waiver))
            continue;
        bool has_to_do = npart__has_lifted(accepted, waiver);
        for (uint32_t k = 0; k < judged->count; k++)
            has_to_do |= !judged->outcomes[k].is_met && npart__waiver_speaks_of(waiver, judged->outcomes[k].threshold);
        if (has_to_do)
            tell_expired_waiver(accepted->gate, waiver, judged->target);
    }
}

/* Each outcome that is not met, but is with the waivers. */
static void accept_outcomes(const struct npart__accepted *accepted, struct npart__judged *judged)
{
    for (uint32_t i = 0; i < judged->count; i++) {
        struct npart_gate_outcome *outcome = &judged->outcomes[i];
        const struct npart_gate_outcome *with = accepted->outcomes, *end = with + accepted->count;
        while (with < end && strcmp(with->threshold, outcome->threshold) != 0)
            with++;
        if (outcome->is_met)
            continue;
        if (with == end || with->is_met) {
            write_waivers(accepted, outcome->threshold, judged->waivers[i], sizeof judged->waivers[i]);
        } else if (strcmp(with->text, outcome->text) != 0) {
            char ignored[NPART__WAIVER_BYTES];
            size_t used = strlen(outcome->text);
            write_waivers(accepted, outcome->threshold, ignored, sizeof ignored); /* not idle: not enough */
            (void)snprintf(outcome->text + used, sizeof outcome->text - used, "; with its waiver: %s", with->text);
        }
    }
}

/* What waivers accept of what fails; or, of those that expired, what they would have accepted. */
static npart_status judge_waivers(npart_gate *gate, struct npart__judged *judged, bool with_expired,
                                  struct npart_error *error)
{
    struct npart__accepted accepted = {.with_expired = with_expired};
    if (judged->standing < NPART_STANDING_WORSE || !npart__has_waivers(gate, judged->target, with_expired))
        return NPART_OK;
    npart_status status = npart__accepted_open(&accepted, gate, judged) ? find_accepted(&accepted, error)
                                                                        : npart__fail_memory(error);
    if (status == NPART_OK && with_expired) {
        tell_expired(&accepted);
    } else if (status == NPART_OK) {
        accept_outcomes(&accepted, judged);
        npart__settle_judged(judged);
    }
    npart__accepted_close(&accepted);
    return status;
}

/* ---- a target ----------------------------------------------------------------------------------------------- */

static npart_status judge(npart_gate *gate, struct npart__judged *judged, struct npart_error *error)
{
    struct npart__waiver *waiver;
    for (uint32_t i = 0; (waiver = npart__waiver_of(gate, i)) != NULL; i++) {
        if (!is_for(gate, waiver, judged->target))
            continue;
        waiver->has_model = true;
        note_rules(waiver, judged);
    }
    const struct npart_thresholds thresholds = thresholds_on(gate, judged->target);
    judged->comparison = NPART_NONE;
    judged->count = npart_plan_outcomes(judged->plan, &thresholds, judged->outcomes, NPART_MOST_OUTCOMES);
    npart__settle_judged(judged);
    npart_status status = judge_waivers(gate, judged, false, error);
    if (status == NPART_OK && gate->options.baseline)
        status = npart__judge_regression(gate, judged, error);
    if (status == NPART_OK && gate->options.before)
        status = npart__tell_changed(gate, judged, error);
    return status == NPART_OK ? judge_waivers(gate, judged, true, error) : status;
}

npart_status npart_gate_add(npart_gate *gate, const struct npart_gate_plan *plan, struct npart_error *error)
{
    if (!gate || !plan || !plan->plan)
        return npart__fail_null(!gate ? "gate" : !plan ? "plan" : "plan->plan", error);
    npart_status status = npart__check_version("plan", plan->version, 1, error);
    if (status != NPART_OK)
        return status;
    struct npart__judged *judged = npart__arena_zeroed(&gate->life->arena, 1, sizeof *judged);
    if (!judged || !NPART__PUSH(&gate->life->arena, &gate->targets, judged))
        return npart__settle_for(gate->life, npart__fail_memory(error), error);
    judged->plan = plan->plan;
    judged->advice = plan->advice;
    judged->target = plan->target ? plan->target : plan->plan->target;
    judged->label = plan->label ? plan->label : plan->plan->label;
    judged->as = plan->as;
    return npart__settle_for(gate->life, judge(gate, judged, error), error);
}

/* ---- the model ---------------------------------------------------------------------------------------------- */

/* Whatever the target, ONNX Runtime does not load it: that a node fails on one target says nothing of that. */
static bool accepts_invalid(const npart_gate *gate, const struct npart__waiver *waiver, bool are_expired)
{
    return is_for(gate, waiver, NULL) && is_expired(gate, waiver) == are_expired &&
           (npart__waiver_speaks_of(waiver, "fail-on invalid") ||
            (!waiver->for_targets.count && npart__waiver_speaks_of(waiver, "fail-on fail")));
}

/* Whether ONNX Runtime loads it, where that is a threshold. */
static void judge_validity(npart_gate *gate)
{
    struct npart_gate_outcome outcome = {.is_met = true};
    struct npart__waiver *waiver;
    (void)npart_inference_outcomes(gate->inference, &gate->thresholds, &outcome, 1);
    if (outcome.is_met)
        return;
    (void)npart__copy_out(outcome.text, strlen(outcome.text), gate->invalid, sizeof gate->invalid);
    for (uint32_t i = 0; (waiver = npart__waiver_of(gate, i)) != NULL && !*gate->invalid_waiver; i++)
        if (accepts_invalid(gate, waiver, false))
            (void)npart__use_waiver(waiver, gate->invalid_waiver, sizeof gate->invalid_waiver, 0);
}

static npart_status open_gate(npart_gate *gate, struct npart_error *error)
{
    struct npart_project_settings settings = {.size = sizeof settings};
    const struct npart_gate_options *options = &gate->options;
    const struct npart_thresholds none = NPART_THRESHOLDS_INIT;
    gate->asked = options->asked ? *options->asked : none;
    gate->thresholds = none;
    npart_status status = NPART_OK;
    if (options->project)
        status = npart_project_settle(options->project, options->path, &settings, error);
    if (options->project && status == NPART_OK)
        gate->thresholds = settings.thresholds;
    put_asked(&gate->asked, &gate->thresholds);
    if (status == NPART_OK && !options->error)
        judge_validity(gate);
    return status;
}

npart_status npart_gate_make(npart_gate **out, const npart_inference *inference,
                             const struct npart_gate_options *options, struct npart_error *error)
{
    if (!out || !options)
        return npart__fail_null(!out ? "out" : "options", error);
    npart_status status = npart__check_version("options", options->version, 1, error);
    if (status != NPART_OK)
        return status;
    if (!options->name || !npart_is_day(options->today))
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "options lack a name, or today's date as in 2026-12-31");
    if (!inference && !options->error)
        return npart__fail_null("inference", error);
    npart_gate *gate = npart__handle_new(sizeof *gate, inference ? &inference->life->arena.allocator : NULL);
    if (!gate)
        return npart__fail_memory(error);
    if (inference)
        npart__life_keep(gate->life, inference->life);
    gate->options = *options;
    gate->inference = inference;
    status = open_gate(gate, error);
    return NPART__HAND_OVER(out, gate, status, error);
}

NPART__FREES(gate)

void npart_gate_settle(npart_gate *gate)
{
    struct npart__waiver *waiver;
    if (!gate)
        return;
    bool is_accepted = *gate->invalid_waiver != '\0';
    for (uint32_t i = 0; *gate->invalid && !is_accepted && (waiver = npart__waiver_of(gate, i)) != NULL; i++)
        if (accepts_invalid(gate, waiver, true))
            tell_expired_waiver(gate, waiver, NULL);
    gate->standing = !*gate->invalid ? NPART_STANDING_OK : is_accepted ? NPART_STANDING_WAIVED : NPART_STANDING_FAILS;
    for (uint32_t i = 0; i < gate->targets.count; i++)
        if (gate->targets.items[i]->standing > gate->standing)
            gate->standing = gate->targets.items[i]->standing;
}

/* ---- what is told of it ------------------------------------------------------------------------------------- */

bool npart_gate_info(const npart_gate *gate, struct npart_gate_info *out)
{
    if (!gate || !NPART__HAS_ROOM(out))
        return false;
    *out = (struct npart_gate_info){.size = sizeof *out, .standing = gate->standing,
                                    .asks_validity = gate->thresholds.fails_on[NPART_FAILS_ON_INVALID],
                                    .invalid = gate->invalid, .invalid_waiver = gate->invalid_waiver,
                                    .target_count = gate->targets.count};
    return true;
}

/* Of a model that is not loaded its targets are no better. */
bool npart_gate_target(const npart_gate *gate, uint32_t index, struct npart_gate_target *out)
{
    if (!gate || index >= gate->targets.count || !NPART__HAS_ROOM(out))
        return false;
    const struct npart__judged *judged = gate->targets.items[index];
    enum npart_standing counted = judged->standing;
    if (*gate->invalid && !*gate->invalid_waiver)
        counted = NPART_STANDING_FAILS;
    else if (*gate->invalid && counted == NPART_STANDING_OK)
        counted = NPART_STANDING_WAIVED;
    *out = (struct npart_gate_target){.size = sizeof *out, .label = judged->label, .standing = judged->standing,
                                      .counted = counted, .outcome_count = judged->count,
                                      .is_open = npart__has_open(judged), .compared = &judged->compared};
    return true;
}

bool npart_gate_outcomes(npart_gate *gate, const struct npart_threshold_outcome **items, uint32_t *count)
{
    if (!gate || !items || !count)
        return false;
    bool has_room = true;
    gate->outcomes.count = 0;
    const struct npart_threshold_outcome invalid = {
        .size = sizeof invalid, .plan = NPART_NONE, .threshold = "fail-on invalid", .text = gate->invalid,
        .waiver = *gate->invalid_waiver ? gate->invalid_waiver : NULL};
    if (*gate->invalid)
        has_room = NPART__PUSH(&gate->life->arena, &gate->outcomes, invalid);
    for (uint32_t t = 0; t < gate->targets.count; t++) {
        const struct npart__judged *judged = gate->targets.items[t];
        const struct npart_compared *compared = &judged->compared;
        for (uint32_t i = 0; i < judged->count && has_room; i++) {
            bool is_comparison = i == judged->comparison;
            const struct npart_threshold_outcome outcome = {
                .size = sizeof outcome, .plan = t, .is_met = judged->outcomes[i].is_met,
                .threshold = judged->outcomes[i].threshold, .text = judged->outcomes[i].text,
                .waiver = *judged->waivers[i] ? judged->waivers[i] : NULL, .is_comparison = is_comparison,
                .causes = compared->causes, .cause_count = is_comparison ? compared->cause_count : 0,
                .nodes = compared->nodes, .node_count = is_comparison ? compared->node_count : 0};
            if (!judged->is_told[i])
                has_room = NPART__PUSH(&gate->life->arena, &gate->outcomes, outcome);
        }
    }
    *items = gate->outcomes.items;
    *count = gate->outcomes.count;
    return has_room;
}

/* ---- waivers that nothing needed ---------------------------------------------------------------------------- */

/* False: there are none. */
static bool tell_unknown_rules(const struct npart__waiver *waiver, npart_project_callback tell, void *payload)
{
    bool is_first = true;
    for (uint32_t k = 0; k < waiver->for_rules.count && k < 64; k++) {
        const struct npart_project_text *item = &waiver->for_rules.items[k];
        char text[1024];
        if (waiver->known_rules >> k & 1)
            continue;
        (void)snprintf(text, sizeof text, "note: no rule of this waiver's targets is called %s%s%s", item->text,
                       is_first && *waiver->meant ? "; did you mean " : "", is_first ? waiver->meant : "");
        tell(payload, item->line, item->column, text);
        is_first = false;
    }
    return !is_first;
}

void npart_project_idle_waivers(const npart_project *project, bool is_whole, npart_project_callback tell, void *payload)
{
    for (uint32_t i = 0; project && tell && i < project->file.waiver_count; i++) {
        const struct npart__waiver *waiver = &project->file.waivers[i];
        if ((waiver->has_model && tell_unknown_rules(waiver, tell, payload)) || waiver->is_used ||
            !(waiver->has_model || is_whole))
            continue;
        tell(payload, waiver->line, waiver->column,
             waiver->has_model ? "note: this waiver waives nothing"
                               : "note: this waiver waives nothing: no model that is checked matches it");
    }
}
