/* SPDX-License-Identifier: Apache-2.0 */
#include "thresholds.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "message.h"

const char *const fail_on_words[FAIL_ON_KINDS] = {"none", "split", "fail", "unknown", "dynamic",
                                                   "invalid", "memory", "slower"};

/* Digits are collected as a whole number and divided once, so that 0.95 is the same number as 19 divided by 20. */
bool parse_share(const char *text, double *out, bool *is_percent)
{
    static const uint64_t most = UINT64_C(100000000000000); /* so that all of them are exact as a double */
    uint64_t digits = 0;
    unsigned decimals = 0;
    bool has_digit = false, has_point = false, is_small = true;
    for (; (*text >= '0' && *text <= '9') || (*text == '.' && !has_point); text++) {
        bool is_kept = digits < most && decimals < 18;
        has_point |= *text == '.';
        has_digit |= *text != '.';
        is_small &= is_kept || has_point;
        if (*text == '.' || !is_kept) /* what is left out is less than a double tells of a share */
            continue;
        digits = digits * 10 + (uint64_t)(*text - '0');
        decimals += has_point;
    }
    *is_percent = *text == '%';
    double unit = *is_percent ? 100 : 1;
    for (unsigned i = 0; i < decimals; i++)
        unit *= 10; /* exact up to 10^22 */
    *out = (double)digits / unit;
    return has_digit && is_small && !text[*is_percent] && *out <= 1;
}

void clear_thresholds(struct options *options)
{
    options->max_partitions = -1;
    options->min_coverage = options->min_mac_coverage = -1;
    for (int i = 0; i < BOUNDS; i++)
        options->bounds[i] = -1;
    options->allows_none = false;
    memset(options->fails_on, 0, sizeof options->fails_on);
}

struct check {
    const struct options *options;
    const npart_plan *plan;
    struct npart_plan_info info;
    struct npart_summary summary;
    struct outcomes *outcomes;
};

/* The room for the text of another outcome. */
#if defined(__GNUC__)
__attribute__((format(printf, 4, 5)))
#endif
static void tell(struct check *check, const char *threshold, bool is_met, const char *format, ...)
{
    struct outcomes *outcomes = check->outcomes;
    if (outcomes->count == MOST_OUTCOMES)
        return; /* never: each threshold tells once */
    struct outcome *outcome = &outcomes->items[outcomes->count++];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(outcome->text, sizeof outcome->text, format, list);
    va_end(list);
    outcome->threshold = threshold;
    outcome->is_met = is_met;
}

static void check_partitions(struct check *check)
{
    const struct npart_summary *summary = &check->summary;
    long most = check->options->max_partitions;
    if (most < 0)
        return;
    if (summary->partitions == 0 && summary->live && most > 0 && !check->options->allows_none)
        tell(check, "max-partitions", false,
             "no partition at all, nothing runs %s (--allow-none accepts that)", check->info.on_unit);
    else
        tell(check, "max-partitions", summary->partitions <= (unsigned long)most,
             "%u partition%s, threshold: at most %ld", summary->partitions, plural(summary->partitions), most);
}

/* A model without multiply-accumulates has no share of them: its nodes count. */
static void check_coverage(struct check *check)
{
    const struct npart_summary *summary = &check->summary;
    double least = check->options->min_coverage, least_macs = check->options->min_mac_coverage;
    bool has_none = summary->has_macs && summary->macs == 0;
    if (least_macs >= 0 && !summary->has_macs)
        tell(check, "min-mac-coverage", false,
             "coverage of MACs unknown, threshold: at least %.1f %%; a shape is dynamic, a body runs an unknown "
             "number of times, or an operator is unknown", least_macs * 100);
    else if (least_macs >= 0 && !has_none)
        tell(check, "min-mac-coverage", summary->mac_coverage >= least_macs,
             "coverage %.1f %% of MACs, threshold: at least %.1f %%", summary->mac_coverage * 100, least_macs * 100);
    bool is_of_macs = least_macs >= 0 && has_none;
    if (is_of_macs && least < least_macs)
        least = least_macs;
    if (least >= 0)
        tell(check, is_of_macs ? "min-mac-coverage" : "min-coverage", summary->coverage >= least,
             "coverage %.1f %% of nodes (%u of %u), threshold: at least %.1f %%%s", summary->coverage * 100,
             summary->accepted, summary->live, least * 100, is_of_macs ? " (it has no MACs)" : "");
}

/* Nodes that fall back, are undecided, or are taken and run elsewhere because a shape is not fixed. */
static uint32_t count_dynamic(const npart_plan *plan)
{
    struct npart_cause cause = {.size = sizeof cause};
    uint32_t count = 0;
    for (uint32_t i = 0; npart_plan_cause(plan, i, &cause, NULL, 0); i++)
        if (cause.kind == NPART_ABOUT_DYNAMIC)
            count += cause.affected_count;
    struct npart_decided decided = {.size = sizeof decided};
    struct npart_rule rule = {.size = sizeof rule};
    (void)npart_plan_decided(plan, &decided);
    for (uint32_t i = 0; i < decided.rule_count; i++)
        if (npart_oplist_rule(npart_plan_oplist(plan), decided.rules[i], &rule) && rule.about == NPART_ABOUT_DYNAMIC)
            count += decided.rule_nodes[i];
    return count;
}

/* Whether the target's own runtime is too old for a model that the newest one loads. What no release loads is told once
 * for all targets, and what lacks a kernel by check_session. */
static bool is_refused(const struct check *check)
{
    struct npart_inference_info info = {.size = sizeof info};
    struct npart_finding finding = {.size = sizeof finding};
    return check->summary.failed == 0 && !npart_plan_finding(check->plan, 0, &finding) &&
           check->summary.verdict == NPART_PLAN_FAILS &&
           npart_inference_info(npart_plan_inference(check->plan), &info) && !info.is_invalid;
}

/* What the runtime creates no session for, though it loads the model; find_validity has asked of that. */
static void check_session(struct check *check)
{
    struct npart_finding finding = {.size = sizeof finding};
    if (check->options->fails_on[FAIL_ON_INVALID] && npart_plan_finding(check->plan, 0, &finding))
        tell(check, "fail-on invalid", false, "%s (%s)", finding.text, finding.at);
}

/* What is not known keeps no promise. */
static void check_slower(struct check *check)
{
    struct npart_cost cost = {.size = sizeof cost};
    (void)npart_plan_cost(check->plan, &cost);
    double ms = cost.total.typical_ms, cpu = cost.cpu_alone.typical_ms;
    if (!check->options->fails_on[FAIL_ON_SLOWER])
        return;
    if (ms < 0 || cpu < 0)
        tell(check, "fail-on slower", false, "it is not known what a run takes");
    else
        tell(check, "fail-on slower", ms <= cpu, "a run takes %.3g ms (%.3g to %.3g), on the CPU alone %.3g ms", ms,
             cost.total.low_ms, cost.total.high_ms, cpu);
}

/* ---- figures that may not pass a number ---------------------------------------------------------------------- */

const struct bound_row bound_rows[BOUNDS] = {
#define BOUND(member, word, value, expected, is_least, unit, unknown, goes, help) \
    {word, unit, "it is not known " unknown,                                                                           \
     "it is not known " unknown "; give sizes, or lift the threshold of the model", is_least},
#include "bounds.def"
};

enum bound bound_of(const char *threshold)
{
    int at = 0;
    while (at < BOUNDS && strcmp(bound_rows[at].word, threshold) != 0)
        at++;
    return (enum bound)at;
}

/* By typical times. */
static double find_max_ms(const struct npart_cost *cost, const struct npart_memory *memory, char *text, size_t bytes)
{
    (void)memory;
    (void)snprintf(text, bytes, "a run takes %.3g ms (%.3g to %.3g)", cost->total.typical_ms, cost->total.low_ms,
                   cost->total.high_ms);
    return cost->total.typical_ms;
}

/* Of what is no decoder with a cache of known size nothing is promised. */
static double find_min_tokens_per_s(const struct npart_cost *cost, const struct npart_memory *memory, char *text,
                                    size_t bytes)
{
    (void)snprintf(text, bytes, "%.3g tokens a second at %llu slots", cost->tokens_per_s,
                   (unsigned long long)memory->cache_slots);
    return cost->tokens_per_s;
}

/* Of a file that takes several tokens a run: with one a run another file of its set reads prompts. */
static double find_max_first_token_ms(const struct npart_cost *cost, const struct npart_memory *memory, char *text,
                                      size_t bytes)
{
    (void)snprintf(text, bytes, "the first token of a prompt of %llu takes %.3g ms (runs of %u)",
                   (unsigned long long)cost->prompt_tokens, cost->first_token_ms, memory->run_tokens);
    return cost->first_token_ms;
}

double find_figure(enum bound bound, const npart_plan *plan, char *text, size_t bytes)
{
    static double (*const finders[])(const struct npart_cost *cost, const struct npart_memory *memory, char *text,
                                     size_t bytes) = {
#define BOUND(member, word, value, expected, is_least, unit, unknown, goes, help) find_##member,
#include "bounds.def"
    };
    struct npart_cost cost = {.size = sizeof cost};
    struct npart_memory memory = {.size = sizeof memory};
    bool is_read = npart_plan_cost(plan, &cost) && npart_plan_memory(plan, &memory);
    double figure = is_read ? finders[bound](&cost, &memory, text, bytes) : -1;
    if (figure < 0)
        (void)snprintf(text, bytes, "%s", bound_rows[bound].unknown);
    return figure;
}

static void check_bounds(struct check *check)
{
    for (int i = 0; i < BOUNDS; i++) {
        const struct bound_row *row = &bound_rows[i];
        double limit = check->options->bounds[i];
        char text[200];
        if (limit < 0)
            continue;
        double figure = find_figure((enum bound)i, check->plan, text, sizeof text);
        tell(check, row->word, figure >= 0 && (row->is_least ? figure >= limit : figure <= limit),
             "%s, threshold: at %s %.3g%s", text, row->is_least ? "least" : "most", limit, row->unit);
    }
}

/* What has a limit, and is not known, may be too much; a target without limits takes all. */
static void check_memory(struct check *check)
{
    struct npart_memory memory = {.size = sizeof memory};
    bool is_unknown = false;
    (void)npart_plan_memory(check->plan, &memory);
    for (uint32_t i = 0; i < memory.limit_count; i++)
        is_unknown |= memory.limits[i].fits == NPART_FIT_UNKNOWN;
    enum npart_fit fits = check->summary.fits;
    if (fits == NPART_FIT_UNKNOWN && is_unknown)
        tell(check, "fail-on memory", false, "the model may not fit into the target's memory");
    else
        tell(check, "fail-on memory", fits != NPART_FIT_NO, "the model %s into the target's memory",
             fits == NPART_FIT_NO ? "does not fit" : fits == NPART_FIT_YES ? "fits" : "is not known not to fit");
}

static void check_conditions(struct check *check)
{
    const struct npart_summary *summary = &check->summary;
    const bool *fails_on = check->options->fails_on;
    bool is_split = summary->accepted && (summary->partitions > 1 || summary->accepted < summary->live) &&
                    summary->verdict != NPART_PLAN_EDGE;
    struct npart_decided decided = {.size = sizeof decided};
    (void)npart_plan_decided(check->plan, &decided);
    uint32_t on_npu = summary->accepted - decided.elsewhere;
    if (fails_on[FAIL_ON_NONE])
        tell(check, "fail-on none", !summary->live || on_npu, "%s %s",
             !on_npu ? "nothing runs" : decided.by ? "some nodes may run" : "some nodes run", check->info.on_unit);
    if (fails_on[FAIL_ON_SPLIT])
        tell(check, "fail-on split", !is_split, "%ssplit: %u partition%s, and %u of %u nodes not %s",
             is_split ? "" : "not ", summary->partitions, plural(summary->partitions),
             summary->live - summary->accepted, summary->live, check->info.on_unit);
    if (fails_on[FAIL_ON_FAIL] && is_refused(check))
        tell(check, "fail-on fail", false, "the ONNX Runtime that this provider is built into does not load the model");
    else if (fails_on[FAIL_ON_FAIL])
        tell(check, "fail-on fail", !summary->failed, "%u node%s to compile", summary->failed,
             summary->failed == 1 ? " fails" : "s fail");
    if (fails_on[FAIL_ON_UNKNOWN])
        tell(check, "fail-on unknown", !summary->unknown, "%u node%s undecided", summary->unknown,
             summary->unknown == 1 ? " is" : "s are");
    if (fails_on[FAIL_ON_MEMORY])
        check_memory(check);
    if (fails_on[FAIL_ON_DYNAMIC]) {
        uint32_t dynamic = count_dynamic(check->plan);
        tell(check, "fail-on dynamic", !dynamic, "%u node%s not %s because of dynamic shapes", dynamic,
             plural(dynamic), check->info.on_unit);
    }
}

void write_action(const struct npart_action *action, bool has_project, char *out, size_t bytes)
{
    char lines[1024];
    size_t length = has_project ? npart_action_config(action, lines, sizeof lines) : 0, used;
    if (!length || length >= sizeof lines) {
        (void)snprintf(out, bytes, "%s%s%s%s", action->text, action->command ? " (" : "",
                       action->command ? action->command : "", action->command ? ")" : "");
        return;
    }
    used = (size_t)snprintf(out, bytes, "%s (npu-partition.toml: ", action->text);
    for (size_t i = 0; i + 1 < length && used < bytes; i++)
        used += (size_t)snprintf(out + used, bytes - used, lines[i] == '\n' ? ", " : "%c", lines[i]);
    if (used < bytes)
        (void)snprintf(out + used, bytes - used, ")");
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
    write_action(&action, has_project, told, sizeof told);
    say("%s: %s: first action: %s", model, target, told);
}

void find_outcomes(struct outcomes *out, const struct options *options, const npart_plan *plan)
{
    struct check check = {.options = options, .plan = plan, .outcomes = out};
    check.info.size = sizeof check.info;
    check.summary.size = sizeof check.summary;
    (void)npart_plan_info(plan, &check.info);
    out->count = 0;
    if (!npart_plan_summary(plan, &check.summary))
        return;
    check_partitions(&check);
    check_coverage(&check);
    check_conditions(&check);
    check_slower(&check);
    check_bounds(&check);
    check_session(&check);
}

bool has_plan_thresholds(const struct options *options)
{
    bool has_any = options->max_partitions >= 0 || options->min_coverage >= 0 || options->min_mac_coverage >= 0;
    for (int i = 0; i < BOUNDS; i++)
        has_any |= options->bounds[i] >= 0;
    for (int i = 0; i < FAIL_ON_KINDS; i++)
        has_any |= i != FAIL_ON_INVALID && options->fails_on[i];
    return has_any;
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

void find_validity(struct outcomes *out, const struct options *options, const npart_inference *inference)
{
    struct npart_finding finding = {.size = sizeof finding};
    struct check check = {.options = options, .outcomes = out};
    out->count = 0;
    if (!options->fails_on[FAIL_ON_INVALID])
        return;
    for (uint32_t i = 0; npart_inference_finding(inference, i, &finding); i++) {
        if (strcmp(finding.code, "invalid") != 0)
            continue;
        tell(&check, "fail-on invalid", false, "%s%s%s%s", finding.text, *finding.at ? " (" : "", finding.at,
             *finding.at ? ")" : "");
        return; /* the first is where the runtime stops */
    }
    tell(&check, "fail-on invalid", true, "nothing is known that would keep ONNX Runtime from loading the model");
}

bool meets_validity(const struct options *options, const char *model, const npart_inference *inference)
{
    struct outcomes outcomes;
    find_validity(&outcomes, options, inference);
    if (outcomes.count && !outcomes.items[0].is_met)
        say("%s: %s", model, outcomes.items[0].text);
    return !outcomes.count || outcomes.items[0].is_met;
}
