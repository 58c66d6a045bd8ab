/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search for rewrites found, as one line of JSON; docs/json.md, "Fix", says what each field means. Of several
 * targets the first one stands at the top, too.
 */
#include "report/report.h"

#define FIX_SCHEMA 2

/* The list ends with NULL; the key opens it. */
static void strings(struct npart__sheet *out, const char *key, const char *const *list)
{
    npart__add_text(out, key);
    for (uint32_t i = 0; list[i]; i++)
        npart__add_json_text(out, i ? "," : "", list[i]);
    npart__add_text(out, "]");
}

/* A part of a summary. `left` are the live nodes that are not on the NPU, whether they fall back, fail to compile
 * or are undecided. */
static void after(struct npart__sheet *out, const struct npart_summary *at, double ms)
{
    npart__add_format(out, "{\"partitions\":%u,\"coverage\":", at->partitions);
    npart__add_decimal(out, at->coverage, 6);
    npart__add_format(out, ",\"failed\":%u,\"left\":%u", at->failed, at->live - at->accepted);
    npart__add_json_text(out, ",\"verdict\":", at->verdict);
    npart__add_json_decimal_or_null(out, ",\"typical_ms\":", ms);
    npart__add_text(out, "}");
}

/* Steps are called "s1", "s2", ..., as actions of an advice are "a1". The first target is told twice: by itself,
 * and in the list of all. */
static void step(struct npart__sheet *out, uint32_t index, const struct npart_fix_step *at, uint32_t target_count)
{
    npart__add_format(out, "%s{\"id\":\"s%u\"", index ? "," : "", index + 1);
    npart__add_json_text(out, ",\"rewrite\":", at->rewrite);
    npart__add_json_text(out, ",\"equality\":", npart_equality_text(at->equality));
    npart__add_json_text(out, ",\"argument\":", at->argument);
    npart__add_format(out, ",\"sites\":%u", at->site_count);
    strings(out, ",\"nodes_removed\":[", at->removed);
    strings(out, ",\"nodes_added\":[", at->added);
    npart__add_text(out, ",\"after\":");
    after(out, &at->after[0], at->after_ms[0]);
    npart__add_text(out, ",\"after_by_target\":[");
    for (uint32_t i = 0; i < target_count; i++) {
        npart__add_text(out, i ? "," : "");
        after(out, &at->after[i], at->after_ms[i]);
    }
    strings(out, "],\"caveats\":[", at->caveats);
    npart__add_text(out, "}");
}

/* Causes of the plan of the model that would be written, with its ids of nodes. */
static void left(struct npart__sheet *out, const npart_plan *plan)
{
    struct npart_cause at = {.size = sizeof at};
    npart__add_text(out, ",\"left\":[");
    for (uint32_t i = 0; npart_plan_cause(plan, i, &at, NULL, 0); i++)
        npart__add_json_cause(out, i, &at);
    npart__add_text(out, "]");
}

/* Members without the braces: they stand in an object of their own, and for the first target at the top as well. */
static void target(struct npart__sheet *out, const npart_fix *fix, const struct npart_fix_info *info, uint32_t index)
{
    struct npart_plan_info plan = {.size = sizeof plan};
    (void)npart_plan_info(npart_fix_plan(fix, index), &plan);
    npart__add_json_text(out, "\"target\":", plan.target);
    npart__add_text(out, ",\"before\":");
    npart__add_json_summary(out, &info->before[index]);
    npart__add_text(out, ",\"after\":");
    npart__add_json_summary(out, &info->after[index]);
    npart__add_json_decimal_or_null(out, ",\"before_ms\":", info->before_ms[index]);
    npart__add_json_decimal_or_null(out, ",\"after_ms\":", info->after_ms[index]);
    left(out, npart_fix_plan(fix, index));
}

static void taken_back(struct npart__sheet *out, const npart_fix *fix)
{
    const char *rewrite, *why;
    npart__add_text(out, ",\"taken_back\":[");
    for (uint32_t i = 0; npart_fix_taken_back(fix, i, &rewrite, &why); i++) {
        npart__add_json_text(out, i ? ",{\"rewrite\":" : "{\"rewrite\":", rewrite);
        npart__add_json_text(out, ",\"why\":", why);
        npart__add_text(out, "}");
    }
    npart__add_text(out, "]");
}

/* A search has at least one target, so the first is always there. */
npart_status npart_report_fix_json(const npart_fix *fix, const char *written, npart_write_callback write,
                                   void *payload, struct npart_error *error)
{
    struct npart__pool pool;
    struct npart__sheet sheet, *out = &sheet;
    struct npart_fix_info info = {.size = sizeof info};
    struct npart_fix_step at = {.size = sizeof at};
    if (!npart_fix_info(fix, &info) || !write)
        return npart__report_fail(error, NPART_ERROR_ARGUMENT, "%s must not be NULL", write ? "fix" : "write");
    npart__report_open(&pool, out, npart__allocator_of(npart_fix_plan(fix, 0)), write, payload);
    npart__add_format(out, "{\"schema\":%d", FIX_SCHEMA);
    npart__add_json_text(out, ",\"tool\":{\"name\":\"npu-partition\",\"version\":", npart_version());
    npart__add_json_text(out, "},\"model\":", info.path);
    npart__add_json_text_or_null(out, ",\"out\":", written);
    npart__add_json_text_or_null(out, ",\"harm\":", info.harm);
    strings(out, ",\"absent\":[", info.absent);
    npart__add_text(out, ",");
    target(out, fix, &info, 0);
    npart__add_text(out, ",\"targets\":[");
    for (uint32_t i = 0; i < info.target_count; i++) {
        npart__add_text(out, i ? ",{" : "{");
        target(out, fix, &info, i);
        npart__add_text(out, "}");
    }
    npart__add_text(out, "],\"steps\":[");
    for (uint32_t i = 0; npart_fix_step(fix, i, &at); i++)
        step(out, i, &at, info.target_count);
    npart__add_text(out, "]");
    taken_back(out, fix);
    npart__add_format(out, ",\"plans\":%u}\n", info.plan_count);
    return npart__report_close(&pool, out, error);
}
