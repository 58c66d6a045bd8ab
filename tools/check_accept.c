/* SPDX-License-Identifier: Apache-2.0
 *
 * What would accept a model as it is: the thresholds that it passes with the figures that it has, until a date.
 */
#include "check_accept.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check_baseline.h"
#include "glob.h"
#include "message.h"

static const char no_reason[] = "TODO: say why";

/* ---- dates --------------------------------------------------------------------------------------------------- */

static int days_of(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && is_leap);
}

/* So many days after a day of the form 2026-12-31, at most the last day of the year 9999. */
static void add_date(struct text *out, const char *today)
{
    char text[40];
    int year = atoi(today), month = atoi(today + 5), day = atoi(today + 8) + ACCEPTED_DAYS;
    while (day > days_of(year, month)) {
        day -= days_of(year, month);
        month = month % 12 + 1;
        year += month == 1;
    }
    (void)snprintf(text, sizeof text, "%04d-%02d-%02d", year < 9999 ? year : 9999, year <= 9999 ? month : 12,
                   year <= 9999 ? day : 31);
    text_add(out, text);
}

/* ---- thresholds ---------------------------------------------------------------------------------------------- */

static void add_number(struct text *out, const char *key, unsigned long long number)
{
    char line[80];
    (void)snprintf(line, sizeof line, "%s = %llu\n", key, number);
    text_add(out, line);
}

/* Rounded to what is met surely: a share down, a time up. Without the decimal point of the locale. */
static void add_share(struct text *out, const char *key, double share)
{
    char line[80];
    unsigned part = (unsigned)floor((share > 0 ? share < 1 ? share : 1 : 0) * 1e4);
    (void)snprintf(line, sizeof line, "%s = \"%u.%02u%%\"\n", key, part / 100, part % 100);
    text_add(out, line);
}

static void add_ms(struct text *out, const char *key, double ms)
{
    char line[128];
    unsigned long long us = (unsigned long long)ceil(ms * 1000);
    (void)snprintf(line, sizeof line, "%s = %llu.%03llu\n", key, us / 1000, us % 1000);
    text_add(out, line);
}

/* The line for one threshold that is not met. Returns why there is none, or NULL. */
static const char *add_threshold(struct text *out, const npart_plan *plan, const char *threshold)
{
    struct npart_summary summary = {.size = sizeof summary};
    enum npart_bound bound = bound_of(threshold);
    (void)npart_plan_summary(plan, &summary);
    if (strcmp(threshold, "max-partitions") == 0 && !summary.partitions) {
        text_add(out, "thresholds.allow-none = true\n");
    } else if (strcmp(threshold, "max-partitions") == 0) {
        add_number(out, "thresholds.max-partitions", summary.partitions);
    } else if (strcmp(threshold, "min-coverage") == 0) {
        add_share(out, "thresholds.min-coverage", summary.coverage);
    } else if (strcmp(threshold, "min-mac-coverage") == 0) {
        if (!summary.has_macs)
            return "its coverage of MACs is not known; give sizes, or lower the threshold of the model";
        add_share(out, "thresholds.min-mac-coverage", summary.macs ? summary.mac_coverage : summary.coverage);
    } else if (bound != NPART_BOUNDS) {
        char key[64], told[160];
        struct npart_bound_info info = {.size = sizeof info};
        (void)npart_bound_info(bound, &info);
        double figure = npart_plan_figure(plan, bound, told, sizeof told);
        (void)snprintf(key, sizeof key, "thresholds.%s", threshold);
        if (figure < 0)
            return info.lift;
        if (info.is_least)
            add_number(out, key, (uint64_t)figure);
        else
            add_ms(out, key, figure);
    }
    return NULL;
}

static void add_condition(struct text *out, const char *threshold, size_t *count)
{
    static const char fail_on[] = "fail-on ";
    if (strncmp(threshold, fail_on, sizeof fail_on - 1) != 0)
        return;
    text_add(out, (*count)++ ? ", " : "thresholds.fail-on = [");
    text_add_toml(out, threshold + sizeof fail_on - 1);
}

static const char *add_thresholds(struct text *out, const struct checked *checked, int target)
{
    const struct judged *judged = target < 0 ? NULL : &checked->judged[target];
    const char *problem = NULL;
    size_t conditions = 0;
    bool is_worse = false;
    for (uint32_t i = 0; judged && i < judged->outcomes.count && !problem; i++) {
        const char *threshold = judged->outcomes.items[i].threshold;
        if (!is_open(judged, i))
            continue;
        is_worse |= strcmp(threshold, BASELINE) == 0;
        problem = add_threshold(out, checked->job.plans[target], threshold);
    }
    if (is_worse)
        text_add(out, "worse = true\n");
    for (uint32_t i = 0; judged && i < judged->outcomes.count; i++)
        if (is_open(judged, i))
            add_condition(out, judged->outcomes.items[i].threshold, &conditions);
    if (!judged)
        add_condition(out, "fail-on invalid", &conditions);
    text_add(out, conditions ? "]\n" : "");
    return problem;
}

/* ---- a stanza ------------------------------------------------------------------------------------------------ */

/* A path as a glob that matches it alone: what has a meaning there stands in brackets. */
static void add_path(struct text *out, const char *path)
{
    struct text glob = {0};
    for (const char *at = path; *at; at++) {
        const char piece[] = {'[', *at, ']', '\0'};
        if (strchr("*?[", *at))
            text_add(&glob, piece);
        else
            (void)text_write(&glob, at, 1);
    }
    (void)text_write(&glob, "", 1);
    out->has_failed |= glob.has_failed;
    if (!glob.has_failed)
        text_add_toml(out, glob.bytes);
    free(glob.bytes);
}

const char *add_stanza(struct text *out, const struct checked *checked, int target, const char *today,
                       const char *reason)
{
    if (!checked->project)
        return "there is no project file: npu-partition check --new-config > " PROJECT_FILE;
    if (!checked->relative)
        return "it is not in the folder of the project file";
    size_t begin = out->count;
    text_add(out, "[[waivers]]\nmodels = ");
    add_path(out, checked->relative);
    if (target >= 0) {
        text_add(out, "\ntargets = [");
        text_add_toml(out, checked->options->targets[target]);
        text_add(out, "]");
    }
    text_add(out, "\n");
    const char *problem = add_thresholds(out, checked, target);
    text_add(out, "reason = ");
    text_add_toml(out, reason ? reason : no_reason);
    text_add(out, "\nexpires = ");
    add_date(out, today);
    text_add(out, "\n");
    if (problem)
        out->count = begin;
    return problem;
}

bool add_accept_command(struct text *out, const struct checked *checked, int target, unsigned column, unsigned width)
{
    const char *words[16] = {"npu-partition", "check"};
    uint32_t count = 2;
    char lines[MESSAGE_BYTES];
    char *path = join_parts(*checked->path == '-' ? "./" : "", checked->path, "");
    if (!path || !checked->project || !checked->relative) {
        free(path);
        return false;
    }
    words[count++] = path;
    if (target >= 0) {
        words[count++] = "-t";
        words[count++] = checked->options->targets[target];
    }
    if (target >= 0 && checked->options->as[target]) {
        words[count++] = "--as";
        words[count++] = checked->options->as[target];
    }
    if (checked->asked->config) {
        words[count++] = "--config";
        words[count++] = checked->asked->config;
    }
    if (checked->asked->baseline) {
        words[count++] = "--baseline";
        words[count++] = checked->asked->baseline;
    }
    words[count++] = "--accept";
    const struct npart_action action = {.size = sizeof action, .run = words, .run_count = count};
    size_t length = npart_action_lines(&action, column, width, lines, sizeof lines);
    if (length < sizeof lines)
        text_add(out, lines);
    free(path);
    return length && length < sizeof lines;
}

/* ---- all of them --------------------------------------------------------------------------------------------- */

static struct addition *addition_of(struct acceptance *acceptance, const struct project *project)
{
    for (size_t i = 0; i < acceptance->count; i++)
        if (acceptance->items[i].project == project)
            return &acceptance->items[i];
    struct addition *grown = realloc(acceptance->items, (acceptance->count + 1) * sizeof *grown);
    if (!grown)
        return NULL;
    acceptance->items = grown;
    grown[acceptance->count] = (struct addition){.project = project};
    return &grown[acceptance->count++];
}

static bool has_open(const struct judged *judged)
{
    for (uint32_t i = 0; i < judged->outcomes.count; i++)
        if (is_open(judged, i))
            return true;
    return false;
}

/* As it is settled once the waiver is there. */
static void mark_accepted(struct checked *checked, int target)
{
    struct judged *judged = target < 0 ? NULL : &checked->judged[target];
    if (judged)
        judged->standing = STANDING_WAIVED;
    else
        (void)snprintf(checked->invalid_waiver, sizeof checked->invalid_waiver, "accepted now");
}

bool acceptance_add(struct acceptance *acceptance, struct checked *checked, const char *today, const char *reason)
{
    bool are_all = true;
    for (int target = -1; target < checked->options->target_count; target++) {
        bool fails = target < 0 ? *checked->invalid && !*checked->invalid_waiver : has_open(&checked->judged[target]);
        struct addition *addition = fails ? addition_of(acceptance, checked->project) : NULL;
        if (!fails)
            continue;
        size_t before = addition ? addition->stanzas.count : 0;
        if (addition)
            text_add(&addition->stanzas, "\n");
        const char *problem = addition ? add_stanza(&addition->stanzas, checked, target, today, reason)
                                       : "out of memory";
        if (problem) {
            say("%s: %s%snot accepted: %s", checked->path, target < 0 ? "" : checked->options->labels[target],
                target < 0 ? "" : ": ", problem);
            if (addition)
                addition->stanzas.count = before;
            are_all = false;
            continue;
        }
        addition->count++;
        mark_accepted(checked, target);
    }
    return are_all;
}

bool acceptance_write(struct acceptance *acceptance)
{
    bool is_written = true;
    for (size_t i = 0; i < acceptance->count; i++) {
        struct addition *at = &acceptance->items[i];
        if (!at->count)
            continue;
        if (at->stanzas.has_failed)
            say("out of memory");
        bool is_done = !at->stanzas.has_failed && project_append(at->project, at->stanzas.bytes, at->stanzas.count);
        if (is_done)
            say("%s: %zu waiver%s written; say why in `reason`", at->project->path, at->count,
                at->count == 1 ? "" : "s");
        is_written &= is_done;
    }
    return is_written;
}

void acceptance_free(struct acceptance *acceptance)
{
    for (size_t i = 0; i < acceptance->count; i++)
        free(acceptance->items[i].stanzas.bytes);
    free(acceptance->items);
}
