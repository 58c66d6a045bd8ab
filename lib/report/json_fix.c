/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search for rewrites found, as one line of JSON; docs/json.md, "Fix", says what each field means. Of several
 * targets the first one stands at the top, too.
 */
#include "report/report.h"

#define FIX_SCHEMA 2

/* The list ends with NULL. */
static void strings(struct npart__buffer *out, const char *key, const char *const *list)
{
    npart__json_open(out, key, '[');
    for (uint32_t i = 0; list[i]; i++)
        npart__json_text(out, NULL, list[i]);
    npart__json_close(out, ']');
}

/* A part of a summary. `left` are the live nodes that are not on the NPU, whether they fall back, fail to compile
 * or are undecided. */
static void after(struct npart__buffer *out, const char *key, const struct npart_summary *at, double ms)
{
    npart__json_open(out, key, '{');
    npart__json_number(out, "partitions", at->partitions);
    npart__json_decimal(out, "coverage", at->coverage);
    npart__json_number(out, "failed", at->failed);
    npart__json_number(out, "left", at->live - at->accepted);
    npart__json_text(out, "verdict", npart_plan_verdict_text(at->verdict));
    npart__json_decimal_or_null(out, "typical_ms", ms);
    npart__json_close(out, '}');
}

/* Steps are called "s1", "s2", ..., as actions of an advice are "a1". The first target is told twice: by itself,
 * and in the list of all. */
static void step(struct npart__buffer *out, uint32_t index, const struct npart_fix_step *at, uint32_t target_count)
{
    struct npart__object object = npart__open_step(out, NULL, at);
    npart__json_key(out, npart__own(&object, "id"));
    npart__append_format(out, "\"s%u\"", index + 1);
    strings(out, npart__own(&object, "nodes_removed"), at->removed);
    strings(out, npart__own(&object, "nodes_added"), at->added);
    after(out, npart__own(&object, "after"), &at->after[0], at->after_ms[0]);
    npart__json_open(out, npart__own(&object, "after_by_target"), '[');
    for (uint32_t i = 0; i < target_count; i++)
        after(out, NULL, &at->after[i], at->after_ms[i]);
    npart__json_close(out, ']');
    strings(out, npart__own(&object, "caveats"), at->caveats);
    npart__object_close(&object);
}

/* Members without the braces: they stand in an object of their own, and for the first target at the top as well. What
 * is left are causes of the plan of the model that would be written, with its ids of nodes. */
static void target(struct npart__buffer *out, const npart_fix *fix, const struct npart_fix_info *info, uint32_t index)
{
    struct npart_plan_info plan = {.size = sizeof plan};
    (void)npart_plan_info(npart_fix_plan(fix, index), &plan);
    npart__json_text(out, "target", plan.target);
    npart__put_summary(out, "before", &info->before[index]);
    npart__put_summary(out, "after", &info->after[index]);
    npart__json_decimal_or_null(out, "before_ms", info->before_ms[index]);
    npart__json_decimal_or_null(out, "after_ms", info->after_ms[index]);
    npart__add_json_causes(out, "left", npart_fix_plan(fix, index));
}

static void taken_back(struct npart__buffer *out, const npart_fix *fix)
{
    const char *rewrite, *why;
    npart__json_open(out, "taken_back", '[');
    for (uint32_t i = 0; npart_fix_taken_back(fix, i, &rewrite, &why); i++) {
        npart__json_open(out, NULL, '{');
        npart__json_text(out, "rewrite", rewrite);
        npart__json_text(out, "why", why);
        npart__json_close(out, '}');
    }
    npart__json_close(out, ']');
}

/* A search has at least one target, so the first is always there. */
void npart__fix_json(struct npart__report *report)
{
    const npart_fix *fix = report->subject->fix;
    struct npart__buffer *out = &report->out;
    struct npart_fix_info info = {.size = sizeof info};
    struct npart_fix_step at = {.size = sizeof at};
    (void)npart_fix_info(fix, &info);
    npart__json_begin(out, FIX_SCHEMA);
    npart__json_text(out, "model", info.path);
    npart__json_text_or_null(out, "out", report->subject->written);
    npart__json_text_or_null(out, "harm", info.harm);
    strings(out, "absent", info.absent);
    target(out, fix, &info, 0);
    npart__json_open(out, "targets", '[');
    for (uint32_t i = 0; i < info.target_count; i++) {
        npart__json_open(out, NULL, '{');
        target(out, fix, &info, i);
        npart__json_close(out, '}');
    }
    npart__json_close(out, ']');
    npart__json_open(out, "steps", '[');
    for (uint32_t i = 0; npart_fix_step(fix, i, &at); i++)
        step(out, i, &at, info.target_count);
    npart__json_close(out, ']');
    taken_back(out, fix);
    npart__json_number(out, "plans", info.plan_count);
    npart__append_text(out, "}\n");
}
