/* SPDX-License-Identifier: Apache-2.0 */
#include "thresholds.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "message.h"

struct check {
    const struct options *options;
    const char *model, *target;
    const npart_plan *plan;
    struct npart_summary summary;
    bool is_met;
};

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
static void miss(struct check *check, const char *format, ...)
{
    char text[512];
    va_list list;
    va_start(list, format);
    (void)vsnprintf(text, sizeof text, format, list);
    va_end(list);
    say("%s: %s: %s", check->model, check->target, text);
    check->is_met = false;
}

static const char *plural(uint32_t count)
{
    return count == 1 ? "" : "s";
}

static void check_partitions(struct check *check)
{
    const struct npart_summary *summary = &check->summary;
    long most = check->options->max_partitions;
    if (most < 0)
        return;
    if (summary->partitions > (unsigned long)most)
        miss(check, "%u partition%s, threshold: at most %ld", summary->partitions, plural(summary->partitions), most);
    else if (summary->partitions == 0 && summary->live && most > 0 && !check->options->allows_none)
        miss(check, "no partition at all, nothing runs on the NPU (--allow-none accepts that)");
}

/* A model without multiply-accumulates has no share of them: its nodes count. */
static void check_coverage(struct check *check)
{
    const struct npart_summary *summary = &check->summary;
    double least = check->options->min_coverage, least_macs = check->options->min_mac_coverage;
    bool has_none = summary->has_macs && summary->macs == 0;
    if (least_macs >= 0 && !summary->has_macs)
        miss(check, "coverage of MACs unknown, threshold: at least %.1f %%; a shape is dynamic, a body runs an unknown "
                    "number of times, or an operator is unknown", least_macs * 100);
    else if (least_macs >= 0 && !has_none && summary->mac_coverage < least_macs)
        miss(check, "coverage %.1f %% of MACs, threshold: at least %.1f %%", summary->mac_coverage * 100,
             least_macs * 100);
    if (least_macs >= 0 && has_none && least < least_macs)
        least = least_macs;
    if (least >= 0 && summary->coverage < least)
        miss(check, "coverage %.1f %% of nodes (%u of %u), threshold: at least %.1f %%%s", summary->coverage * 100,
             summary->accepted, summary->live, least * 100, least_macs >= 0 && has_none ? " (it has no MACs)" : "");
}

/* Nodes that fall back, or are undecided, because a shape is not fixed. */
static uint32_t count_dynamic(const npart_plan *plan)
{
    struct npart_cause cause = {.size = sizeof cause};
    uint32_t count = 0;
    for (uint32_t i = 0; npart_plan_cause(plan, i, &cause, NULL, 0); i++)
        if (strcmp(cause.kind, "dynamic") == 0)
            count += cause.affected_count;
    return count;
}

static void check_conditions(struct check *check)
{
    const struct npart_summary *summary = &check->summary;
    const bool *fails_on = check->options->fails_on;
    bool is_split = summary->accepted && (summary->partitions > 1 || summary->accepted < summary->live) &&
                    strcmp(summary->verdict, "edge") != 0;
    uint32_t dynamic = fails_on[FAIL_ON_DYNAMIC] ? count_dynamic(check->plan) : 0;
    if (fails_on[FAIL_ON_NONE] && summary->live && summary->accepted == 0)
        miss(check, "nothing runs on the NPU");
    if (fails_on[FAIL_ON_SPLIT] && is_split)
        miss(check, "split: %u partition%s, and %u of %u nodes not on the NPU", summary->partitions,
             plural(summary->partitions), summary->live - summary->accepted, summary->live);
    if (fails_on[FAIL_ON_FAIL] && summary->failed)
        miss(check, "%u node%s to compile", summary->failed, summary->failed == 1 ? " fails" : "s fail");
    if (fails_on[FAIL_ON_UNKNOWN] && summary->unknown)
        miss(check, "%u node%s undecided", summary->unknown, summary->unknown == 1 ? " is" : "s are");
    if (dynamic)
        miss(check, "%u node%s not on the NPU because of dynamic shapes", dynamic, plural(dynamic));
}

void tell_reason(const char *model, const char *target, const npart_plan *plan, const npart_advice *advice)
{
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_action action = {.size = sizeof action};
    if (npart_plan_cause(plan, 0, &cause, NULL, 0))
        say("%s: %s: first cause: %s: %u node%s", model, target, cause.text, cause.affected_count,
            plural(cause.affected_count));
    if (npart_advice_action(advice, 0, &action))
        say("%s: %s: first action: %s%s%s%s", model, target, action.text, action.command ? " (" : "",
            action.command ? action.command : "", action.command ? ")" : "");
}

bool meets_thresholds(const struct options *options, const char *model, const char *target, const npart_plan *plan)
{
    struct check check = {.options = options, .model = model, .target = target, .plan = plan, .is_met = true};
    check.summary.size = sizeof check.summary;
    (void)npart_plan_summary(plan, &check.summary);
    check_partitions(&check);
    check_coverage(&check);
    check_conditions(&check);
    return check.is_met;
}

bool meets_validity(const struct options *options, const char *model, const npart_inference *inference)
{
    struct npart_finding finding = {.size = sizeof finding};
    for (uint32_t i = 0; options->fails_on[FAIL_ON_INVALID] && npart_inference_finding(inference, i, &finding); i++) {
        if (strcmp(finding.code, "invalid") != 0)
            continue;
        say("%s: %s%s%s%s", model, finding.text, *finding.at ? " (" : "", finding.at, *finding.at ? ")" : "");
        return false; /* the first is where the runtime stops */
    }
    return true;
}
