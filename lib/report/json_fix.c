/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search for rewrites found, as one line of JSON; docs/json.md, "Fix", says what each field means. Of several
 * targets the first one stands at the top, too.
 */
#include "report/report.h"

#define FIX_SCHEMA 2

/* A part of a summary. `left` are the live nodes that are not on the NPU, whether they fall back, fail to compile
 * or are undecided. */
static void after(struct npart__buffer *out, const char *key, const struct npart_summary *at, double ms)
{
    npart__put_step_after(out, key, &(struct npart__step_after){.partitions = at->partitions,
                                                                .coverage = at->coverage,
                                                                .failed = at->failed,
                                                                .left = at->live - at->accepted,
                                                                .verdict = at->verdict,
                                                                .typical_ms = ms});
}

/* Steps are called "s1", "s2", ..., as actions of an advice are "a1". The first target is told twice: by itself,
 * and in the list of all. */
static void step(struct npart__buffer *out, uint32_t index, const struct npart_fix_step *at, uint32_t target_count)
{
    struct npart__object object = npart__open_step(out, NULL, at);
    npart__json_key(out, npart__own(&object, "id"));
    npart__append_format(out, "\"s%u\"", index + 1);
    after(out, npart__own(&object, "after"), &at->after[0], at->after_ms[0]);
    NPART__JSON_LIST(out, npart__own(&object, "after_by_target"), i, i < target_count)
        after(out, NULL, &at->after[i], at->after_ms[i]);
    npart__object_close(&object);
}

/* Members without the braces: they stand in an object of their own, and for the first target at the top as well. What
 * is left are causes of the plan of the model that would be written, with its ids of nodes. */
static void target(struct npart__buffer *out, const npart_fix *fix, const struct npart_fix_info *info, uint32_t index)
{
    struct npart_plan_info plan = {.size = sizeof plan};
    (void)npart_plan_info(npart_fix_plan(fix, index), &plan);
    struct npart__fix_target at = {.target = plan.target,
                                   .before = info->before[index],
                                   .after = info->after[index],
                                   .before_ms = info->before_ms[index],
                                   .after_ms = info->after_ms[index]};
    struct npart__object object = {.out = out, .next = npart__fix_target_fields, .at = &at};
    npart__add_json_causes(out, npart__own(&object, "left"), npart_fix_plan(fix, index));
}

/* A search has at least one target, so the first is always there. */
void npart__fix_json(struct npart__report *report)
{
    const npart_fix *fix = report->subject->fix;
    struct npart__buffer *out = &report->out;
    struct npart_fix_info info = {.size = sizeof info};
    struct npart_fix_step at = {.size = sizeof at};
    struct npart__taken_back back;
    struct npart_cache_info cache = {.size = sizeof cache};
    (void)npart_fix_info(fix, &info);
    npart__json_begin(out, FIX_SCHEMA, NULL);
    struct npart__object object = {.out = out, .next = npart__fix_fields, .at = &info};
    npart__json_text_or_null(out, npart__own(&object, "out"), report->subject->written);
    npart__object_write(&object, "target");
    target(out, fix, &info, 0);
    NPART__JSON_LIST(out, npart__own(&object, "targets"), i, i < info.target_count) {
        npart__json_open(out, NULL, '{');
        target(out, fix, &info, i);
        npart__json_close(out, '}');
    }
    NPART__JSON_LIST(out, npart__own(&object, "steps"), i, npart_fix_step(fix, i, &at))
        step(out, i, &at, info.target_count);
    NPART__JSON_LIST(out, npart__own(&object, "taken_back"), i, npart_fix_taken_back(fix, i, &back.rewrite, &back.why))
        npart__put_taken_back(out, NULL, &back);
    npart__json_value(out, npart__own(&object, "cache"), npart_fix_cache(fix, &cache) ? cache.text : "null");
    npart__add_json_decode(out, npart__own(&object, "decode"), report->subject);
    npart__add_json_ends(out, npart__own(&object, "ends"), fix);
    npart__object_close(&object);
    npart__append_text(out, "\n");
}
