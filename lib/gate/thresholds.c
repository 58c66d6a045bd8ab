/* SPDX-License-Identifier: Apache-2.0
 *
 * What thresholds say of plans and models.
 */
#include <stdio.h>

#include "gate/judge.h"

const char *npart_condition_text(enum npart_condition value)
{
    static const char *const words[NPART_CONDITIONS] = {"none",    "split",   "fail",   "unknown",
                                                        "dynamic", "invalid", "memory", "slower"};
    return (unsigned)value < NPART_CONDITIONS ? words[value] : NULL;
}

/* Digits are collected as a whole number and divided once, so that 0.95 is the same number as 19 divided by 20. */
bool npart_share_of(const char *text, double *out, bool *is_percent)
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

struct check {
    const struct npart_thresholds *asked;
    const npart_plan *plan;
    struct npart_plan_info info;
    struct npart_summary summary;
    struct npart_gate_outcome *out;
    uint32_t count, capacity;
};

static void tell(struct check *check, const char *threshold, bool is_met, const char *format, ...) NPART__PRINTF(4, 5);
static void tell(struct check *check, const char *threshold, bool is_met, const char *format, ...)
{
    if (check->count++ >= check->capacity)
        return;
    struct npart_gate_outcome *outcome = &check->out[check->count - 1];
    NPART__FORMAT(outcome->text, format);
    outcome->threshold = threshold;
    outcome->is_met = is_met;
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static void check_partitions(struct check *check)
{
    const struct npart_summary *summary = &check->summary;
    int64_t most = check->asked->max_partitions;
    if (most < 0)
        return;
    if (summary->partitions == 0 && summary->live && most > 0 && !check->asked->allows_none)
        tell(check, "max-partitions", false,
             "no partition at all, nothing runs %s (--allow-none accepts that)", check->info.on_unit);
    else
        tell(check, "max-partitions", summary->partitions <= (uint64_t)most,
             "%u partition%s, threshold: at most %lld", summary->partitions, plural(summary->partitions),
             (long long)most);
}

/* A model without multiply-accumulates has no share of them: its nodes count. */
static void check_coverage(struct check *check)
{
    const struct npart_summary *summary = &check->summary;
    double least = check->asked->min_coverage, least_macs = check->asked->min_mac_coverage;
    bool has_none = summary->has_macs && summary->macs == 0;
    char share[NPART__NUMBER_BYTES], limit[NPART__NUMBER_BYTES];
    if (least_macs >= 0 && !summary->has_macs)
        tell(check, "min-mac-coverage", false,
             "coverage of MACs unknown, threshold: at least %s %%; a shape is dynamic, a body runs an unknown "
             "number of times, or an operator is unknown",
             npart__fixed_text(limit, least_macs * 100, 1));
    else if (least_macs >= 0 && !has_none)
        tell(check, "min-mac-coverage", summary->mac_coverage >= least_macs,
             "coverage %s %% of MACs, threshold: at least %s %%",
             npart__fixed_text(share, summary->mac_coverage * 100, 1), npart__fixed_text(limit, least_macs * 100, 1));
    bool is_of_macs = least_macs >= 0 && has_none;
    if (is_of_macs && least < least_macs)
        least = least_macs;
    if (least >= 0)
        tell(check, is_of_macs ? "min-mac-coverage" : "min-coverage", summary->coverage >= least,
             "coverage %s %% of nodes (%u of %u), threshold: at least %s %%%s",
             npart__fixed_text(share, summary->coverage * 100, 1), summary->accepted, summary->live,
             npart__fixed_text(limit, least * 100, 1), is_of_macs ? " (it has no MACs)" : "");
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
    if (check->asked->fails_on[NPART_FAILS_ON_INVALID] && npart_plan_finding(check->plan, 0, &finding))
        tell(check, "fail-on invalid", false, "%s (%s)", finding.text, finding.at);
}

/* What is not known keeps no promise. */
static void check_slower(struct check *check)
{
    struct npart_cost cost = {.size = sizeof cost};
    (void)npart_plan_cost(check->plan, &cost);
    double ms = cost.total.typical_ms, cpu = cost.cpu_alone.typical_ms;
    char typical[NPART__NUMBER_BYTES], low[NPART__NUMBER_BYTES], high[NPART__NUMBER_BYTES], alone[NPART__NUMBER_BYTES];
    if (!check->asked->fails_on[NPART_FAILS_ON_SLOWER])
        return;
    if (ms < 0 || cpu < 0)
        tell(check, "fail-on slower", false, "it is not known what a run takes");
    else
        tell(check, "fail-on slower", ms <= cpu, "a run takes %s ms (%s to %s), on the CPU alone %s ms",
             npart__digits_text(typical, ms, 3, false), npart__digits_text(low, cost.total.low_ms, 3, false),
             npart__digits_text(high, cost.total.high_ms, 3, false), npart__digits_text(alone, cpu, 3, false));
}

/* ---- figures that may not pass a number ---------------------------------------------------------------------- */

static const struct npart_bound_info bounds[NPART_BOUNDS] = {
#define BOUND(member, id, word, is_least, unit, unknown, expected, value, goes, help)                                 \
    {sizeof(struct npart_bound_info), word, unit, "it is not known " unknown,                                          \
     "it is not known " unknown "; give sizes, or lift the threshold of the model", is_least},
#include "gate/bounds.def"
};

bool npart_bound_info(enum npart_bound bound, struct npart_bound_info *out)
{
    if ((unsigned)bound >= NPART_BOUNDS || !NPART__HAS_ROOM(out))
        return false;
    *out = bounds[bound];
    return true;
}

enum npart_bound npart__bound_of(const char *threshold)
{
    int at = 0;
    while (at < NPART_BOUNDS && strcmp(bounds[at].threshold, threshold) != 0)
        at++;
    return (enum npart_bound)at;
}

/* By typical times. */
static double find_max_ms(const struct npart_cost *cost, const struct npart_memory *memory, char *text, size_t bytes)
{
    char typical[NPART__NUMBER_BYTES], low[NPART__NUMBER_BYTES], high[NPART__NUMBER_BYTES];
    (void)memory;
    (void)snprintf(text, bytes, "a run takes %s ms (%s to %s)",
                   npart__digits_text(typical, cost->total.typical_ms, 3, false),
                   npart__digits_text(low, cost->total.low_ms, 3, false),
                   npart__digits_text(high, cost->total.high_ms, 3, false));
    return cost->total.typical_ms;
}

/* Of what is no decoder with a cache of known size nothing is promised. */
static double find_min_tokens_per_s(const struct npart_cost *cost, const struct npart_memory *memory, char *text,
                                    size_t bytes)
{
    char rate[NPART__NUMBER_BYTES];
    (void)snprintf(text, bytes, "%s tokens a second at %llu slots",
                   npart__digits_text(rate, cost->tokens_per_s, 3, false),
                   (unsigned long long)memory->cache_slots);
    return cost->tokens_per_s;
}

/* Of a file that takes several tokens a run: with one a run another file of its set reads prompts. */
static double find_max_first_token_ms(const struct npart_cost *cost, const struct npart_memory *memory, char *text,
                                      size_t bytes)
{
    char ms[NPART__NUMBER_BYTES];
    (void)snprintf(text, bytes, "the first token of a prompt of %llu takes %s ms (runs of %u)",
                   (unsigned long long)cost->prompt_tokens, npart__digits_text(ms, cost->first_token_ms, 3, false),
                   memory->run_tokens);
    return cost->first_token_ms;
}

double npart_plan_figure(const npart_plan *plan, enum npart_bound bound, char *text, size_t bytes)
{
    static double (*const finders[])(const struct npart_cost *cost, const struct npart_memory *memory, char *text,
                                     size_t bytes) = {
#define BOUND(member, id, word, is_least, unit, unknown, expected, value, goes, help) find_##member,
#include "gate/bounds.def"
    };
    struct npart_cost cost = {.size = sizeof cost};
    struct npart_memory memory = {.size = sizeof memory};
    if ((unsigned)bound >= NPART_BOUNDS)
        return -1;
    bool is_read = npart_plan_cost(plan, &cost) && npart_plan_memory(plan, &memory);
    double figure = is_read ? finders[bound](&cost, &memory, text, bytes) : -1;
    if (figure < 0)
        (void)snprintf(text, bytes, "%s", bounds[bound].unknown);
    return figure;
}

static void check_bounds(struct check *check)
{
    for (int i = 0; i < NPART_BOUNDS; i++) {
        const struct npart_bound_info *bound = &bounds[i];
        double limit = check->asked->bounds[i];
        char text[200], shown[NPART__NUMBER_BYTES];
        if (limit < 0)
            continue;
        double figure = npart_plan_figure(check->plan, (enum npart_bound)i, text, sizeof text);
        tell(check, bound->threshold, figure >= 0 && (bound->is_least ? figure >= limit : figure <= limit),
             "%s, threshold: at %s %s%s", text, bound->is_least ? "least" : "most",
             npart__digits_text(shown, limit, 3, false), bound->unit);
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
    const bool *fails_on = check->asked->fails_on;
    bool is_split = summary->accepted && (summary->partitions > 1 || summary->accepted < summary->live) &&
                    summary->verdict != NPART_PLAN_EDGE;
    struct npart_decided decided = {.size = sizeof decided};
    (void)npart_plan_decided(check->plan, &decided);
    uint32_t on_npu = summary->accepted - decided.elsewhere;
    if (fails_on[NPART_FAILS_ON_NONE])
        tell(check, "fail-on none", !summary->live || on_npu, "%s %s",
             !on_npu ? "nothing runs" : decided.by ? "some nodes may run" : "some nodes run", check->info.on_unit);
    if (fails_on[NPART_FAILS_ON_SPLIT])
        tell(check, "fail-on split", !is_split, "%ssplit: %u partition%s, and %u of %u nodes not %s",
             is_split ? "" : "not ", summary->partitions, plural(summary->partitions),
             summary->live - summary->accepted, summary->live, check->info.on_unit);
    if (fails_on[NPART_FAILS_ON_FAIL] && is_refused(check))
        tell(check, "fail-on fail", false, "the ONNX Runtime that this provider is built into does not load the model");
    else if (fails_on[NPART_FAILS_ON_FAIL])
        tell(check, "fail-on fail", !summary->failed, "%u node%s to compile", summary->failed,
             summary->failed == 1 ? " fails" : "s fail");
    if (fails_on[NPART_FAILS_ON_UNKNOWN])
        tell(check, "fail-on unknown", !summary->unknown, "%u node%s undecided", summary->unknown,
             summary->unknown == 1 ? " is" : "s are");
    if (fails_on[NPART_FAILS_ON_MEMORY])
        check_memory(check);
    if (fails_on[NPART_FAILS_ON_DYNAMIC]) {
        uint32_t dynamic = count_dynamic(check->plan);
        tell(check, "fail-on dynamic", !dynamic, "%u node%s not %s because of dynamic shapes", dynamic,
             plural(dynamic), check->info.on_unit);
    }
}

/* ---- all of them --------------------------------------------------------------------------------------------- */

static bool is_known(const struct npart_thresholds *thresholds, const struct npart_gate_outcome *out, uint32_t capacity)
{
    return thresholds && thresholds->version == 1 && (out || capacity == 0);
}

uint32_t npart_plan_outcomes(const npart_plan *plan, const struct npart_thresholds *thresholds,
                             struct npart_gate_outcome *out, uint32_t capacity)
{
    struct check check = {.asked = thresholds, .plan = plan, .out = out, .capacity = capacity};
    check.info.size = sizeof check.info;
    check.summary.size = sizeof check.summary;
    if (!is_known(thresholds, out, capacity) || !npart_plan_info(plan, &check.info) ||
        !npart_plan_summary(plan, &check.summary))
        return 0;
    check_partitions(&check);
    check_coverage(&check);
    check_conditions(&check);
    check_slower(&check);
    check_bounds(&check);
    check_session(&check);
    return check.count;
}

bool npart_thresholds_ask_plans(const struct npart_thresholds *thresholds)
{
    if (!thresholds)
        return false;
    bool has_any =
        thresholds->max_partitions >= 0 || thresholds->min_coverage >= 0 || thresholds->min_mac_coverage >= 0;
    for (int i = 0; i < NPART_BOUNDS; i++)
        has_any |= thresholds->bounds[i] >= 0;
    for (int i = 0; i < NPART_CONDITIONS; i++)
        has_any |= i != NPART_FAILS_ON_INVALID && thresholds->fails_on[i];
    return has_any;
}

uint32_t npart_inference_outcomes(const npart_inference *inference, const struct npart_thresholds *thresholds,
                                  struct npart_gate_outcome *out, uint32_t capacity)
{
    struct npart_finding finding = {.size = sizeof finding};
    struct check check = {.asked = thresholds, .out = out, .capacity = capacity};
    if (!is_known(thresholds, out, capacity) || !thresholds->fails_on[NPART_FAILS_ON_INVALID])
        return 0;
    for (uint32_t i = 0; npart_inference_finding(inference, i, &finding); i++) {
        if (strcmp(finding.code, "invalid") != 0)
            continue;
        tell(&check, "fail-on invalid", false, "%s%s%s%s", finding.text, *finding.at ? " (" : "", finding.at,
             *finding.at ? ")" : "");
        return check.count; /* the first is where the runtime stops */
    }
    tell(&check, "fail-on invalid", true, "nothing is known that would keep ONNX Runtime from loading the model");
    return check.count;
}

size_t npart_action_text(const struct npart_action *action, bool has_project, char *out, size_t bytes)
{
    char lines[1024];
    struct npart__note note;
    size_t length = has_project ? npart_action_config(action, lines, sizeof lines) : 0;
    npart__note_open(&note, NULL);
    npart__append_text(&note.text, action->text);
    if (!length || length >= sizeof lines) {
        if (action->command)
            npart__append_format(&note.text, " (%s)", action->command);
        return npart__note_close(&note, out, bytes);
    }
    npart__append_text(&note.text, " (npu-partition.toml: ");
    for (size_t i = 0; i + 1 < length; i++)
        npart__append(&note.text, lines[i] == '\n' ? ", " : &lines[i], lines[i] == '\n' ? 2 : 1);
    npart__append_text(&note.text, ")");
    return npart__note_close(&note, out, bytes);
}
