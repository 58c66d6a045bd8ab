/* SPDX-License-Identifier: Apache-2.0
 *
 * What would accept a model as it is: the thresholds that it passes with the figures that it has, until a date.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "gate/judge.h"

/* ---- dates --------------------------------------------------------------------------------------------------- */

int npart__days_of(int year, int month)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return days[month - 1] + (month == 2 && is_leap);
}

/* So many days after a day of the form 2026-12-31, at most the last day of the year 9999. */
static void put_last_day(struct npart__buffer *out, const char *today)
{
    int year = atoi(today), month = atoi(today + 5), day = atoi(today + 8) + NPART_ACCEPTED_DAYS;
    while (day > npart__days_of(year, month)) {
        day -= npart__days_of(year, month);
        month = month % 12 + 1;
        year += month == 1;
    }
    npart__append_format(out, "%04d-%02d-%02d", year < 9999 ? year : 9999, year <= 9999 ? month : 12,
                         year <= 9999 ? day : 31);
}

/* ---- TOML ---------------------------------------------------------------------------------------------------- */

/* A string of TOML: only quotes, backslashes and control characters are escaped. As a glob that matches the text alone:
 * what has a meaning there stands in brackets. */
static void put_string(struct npart__buffer *out, const char *text, bool is_glob)
{
    npart__append_text(out, "\"");
    for (; *text; text++) {
        unsigned char byte = (unsigned char)*text;
        if (is_glob && strchr("*?[", *text))
            npart__append_format(out, "[%c]", *text);
        else if (byte < 0x20 || byte == 0x7f)
            npart__append_format(out, "\\u%04x", byte);
        else
            npart__append_format(out, byte == '"' || byte == '\\' ? "\\%c" : "%c", byte);
    }
    npart__append_text(out, "\"");
}

/* ---- thresholds ---------------------------------------------------------------------------------------------- */

/* Rounded to what is met surely: a share down, a time up. */
static void put_share(struct npart__buffer *out, const char *key, double share)
{
    unsigned part = (unsigned)floor((share > 0 ? share < 1 ? share : 1 : 0) * 1e4);
    npart__append_format(out, "thresholds.%s = \"%u.%02u%%\"\n", key, part / 100, part % 100);
}

static const char *put_bound(struct npart__buffer *out, const npart_plan *plan, enum npart_bound bound)
{
    char told[160];
    struct npart_bound_info info = {.size = sizeof info};
    (void)npart_bound_info(bound, &info);
    double figure = npart_plan_figure(plan, bound, told, sizeof told);
    if (figure < 0)
        return info.lift;
    unsigned long long us = (unsigned long long)ceil(figure * 1000);
    if (info.is_least)
        npart__append_format(out, "thresholds.%s = %llu\n", info.threshold, (unsigned long long)figure);
    else
        npart__append_format(out, "thresholds.%s = %llu.%03llu\n", info.threshold, us / 1000, us % 1000);
    return NULL;
}

/* The line for one threshold that is not met. Returns why there is none, or NULL. */
static const char *put_threshold(struct npart__buffer *out, const npart_plan *plan, const char *threshold)
{
    struct npart_summary summary = {.size = sizeof summary};
    enum npart_bound bound = npart__bound_of(threshold);
    (void)npart_plan_summary(plan, &summary);
    if (strcmp(threshold, "max-partitions") == 0 && !summary.partitions) {
        npart__append_text(out, "thresholds.allow-none = true\n");
    } else if (strcmp(threshold, "max-partitions") == 0) {
        npart__append_format(out, "thresholds.max-partitions = %u\n", summary.partitions);
    } else if (strcmp(threshold, "min-coverage") == 0) {
        put_share(out, threshold, summary.coverage);
    } else if (strcmp(threshold, "min-mac-coverage") == 0) {
        if (!summary.has_macs)
            return "its coverage of MACs is not known; give sizes, or lower the threshold of the model";
        put_share(out, threshold, summary.macs ? summary.mac_coverage : summary.coverage);
    }
    return bound == NPART_BOUNDS ? NULL : put_bound(out, plan, bound);
}

static void put_condition(struct npart__buffer *out, const char *threshold, size_t *count)
{
    static const char fail_on[] = "fail-on ";
    if (strncmp(threshold, fail_on, sizeof fail_on - 1) != 0)
        return;
    npart__append_text(out, (*count)++ ? ", " : "thresholds.fail-on = [");
    put_string(out, threshold + sizeof fail_on - 1, false);
}

static const char *put_thresholds(struct npart__buffer *out, const struct npart__judged *judged)
{
    const char *problem = NULL;
    size_t conditions = 0;
    bool is_worse = false;
    for (uint32_t i = 0; judged && i < judged->count && !problem; i++) {
        const char *threshold = judged->outcomes[i].threshold;
        if (!npart__is_open(judged, i))
            continue;
        is_worse |= strcmp(threshold, NPART__REGRESSION) == 0;
        problem = put_threshold(out, judged->plan, threshold);
    }
    if (is_worse)
        npart__append_text(out, "worse = true\n");
    for (uint32_t i = 0; judged && i < judged->count; i++)
        if (npart__is_open(judged, i))
            put_condition(out, judged->outcomes[i].threshold, &conditions);
    if (!judged)
        put_condition(out, "fail-on invalid", &conditions);
    npart__append_text(out, conditions ? "]\n" : "");
    return problem;
}

/* ---- a stanza ------------------------------------------------------------------------------------------------ */

const char *npart__put_stanza(struct npart__buffer *out, const npart_gate *gate, const struct npart__judged *judged)
{
    if (!gate->options.project)
        return "there is no project file: npu-partition check --new-config > npu-partition.toml";
    if (!gate->options.path)
        return "it is not in the folder of the project file";
    size_t begin = out->size;
    npart__append_text(out, "[[waivers]]\nmodels = ");
    put_string(out, gate->options.path, true);
    if (judged) {
        npart__append_text(out, "\ntargets = [");
        put_string(out, judged->target, false);
        npart__append_text(out, "]");
    }
    npart__append_text(out, "\n");
    const char *problem = put_thresholds(out, judged);
    npart__append_text(out, "reason = ");
    put_string(out, gate->options.reason ? gate->options.reason : "TODO: say why", false);
    npart__append_text(out, "\nexpires = ");
    put_last_day(out, gate->options.today);
    npart__append_text(out, "\n");
    if (problem)
        out->size = begin;
    return problem;
}

bool npart__put_accept_command(struct npart__buffer *out, const npart_gate *gate, const struct npart__judged *judged,
                               uint32_t column, uint32_t width)
{
    const struct npart_gate_options *options = &gate->options;
    struct npart__arena scratch;
    uint32_t count = 0;
    char lines[8192];
    npart__arena_init(&scratch, &gate->life->arena.allocator);
    const char **words = npart__arena_zeroed(&scratch, options->word_count + (size_t)8, sizeof *words);
    const char *path = npart__arena_format(&scratch, "%s%s", *options->name == '-' ? "./" : "", options->name);
    bool is_known = words && path && options->project && options->path;
    if (is_known) {
        const char *const first[] = {"npu-partition", "check", path, judged ? "-t" : NULL,
                                     judged ? judged->target : NULL, judged && judged->as ? "--as" : NULL,
                                     judged ? judged->as : NULL};
        for (size_t i = 0; i < NPART__COUNT(first); i++)
            if (first[i])
                words[count++] = first[i];
        for (uint32_t i = 0; i < options->word_count; i++)
            words[count++] = options->words[i];
        words[count++] = "--accept";
    }
    const struct npart_action action = {.size = sizeof action, .run = words, .run_count = count};
    size_t length = is_known ? npart_action_lines(&action, column, width, lines, sizeof lines) : 0;
    npart__arena_clear(&scratch);
    bool is_whole = length && length < sizeof lines;
    npart__append_text(out, is_whole ? lines : "");
    return is_whole;
}

npart_status npart_gate_accept(npart_gate *gate, uint32_t target, npart_write_callback write, void *payload,
                               struct npart_error *error)
{
    if (!gate || !write)
        return npart__fail_null(!gate ? "gate" : "write", error);
    if (target != NPART_NONE && target >= gate->targets.count)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "there is no target %u", target);
    struct npart__judged *judged = target == NPART_NONE ? NULL : gate->targets.items[target];
    struct npart__arena arena;
    struct npart__buffer stanza;
    npart__buffer_open(&stanza, &arena, &gate->life->arena.allocator, NULL, NULL);
    npart__append_text(&stanza, "\n");
    const char *problem = npart__put_stanza(&stanza, gate, judged);
    npart_status status = problem ? npart__fail(error, NPART_ERROR_ARGUMENT, "", "%s", problem) : NPART_OK;
    status = npart__buffer_end(&stanza, write, payload, status, error);
    if (status == NPART_OK && judged)
        judged->standing = NPART_STANDING_WAIVED; /* as it is settled once the waiver is there */
    else if (status == NPART_OK)
        (void)snprintf(gate->invalid_waiver, sizeof gate->invalid_waiver, "accepted now");
    return status;
}
