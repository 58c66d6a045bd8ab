/* SPDX-License-Identifier: Apache-2.0
 *
 * What changed between two plans, as one line of JSON; docs/json.md, "Diff", says what each field means.
 */
#include "report/report.h"

#define DIFF_SCHEMA 2

static void change(struct npart__sheet *out, const char *key, enum npart_change value)
{
    npart__add_json_text(out, key, npart_change_text(value));
}

/* Without its nodes and causes: those that differ are told below, once for both sides. */
static void side(struct npart__sheet *out, const char *key, const struct npart_side *at)
{
    npart__add_text(out, key);
    npart__add_json_text(out, "{\"model\":", at->model);
    npart__add_json_text(out, ",\"target\":", at->target);
    npart__add_json_text(out, ",\"toolchain\":", at->toolchain);
    npart__add_text(out, ",\"summary\":");
    npart__add_json_summary(out, &at->summary);
    npart__add_json_decimal_or_null(out, ",\"typical_ms\":", at->cost.typical_ms);
    npart__add_text(out, "}");
}

/* Those that are no numbers, such as a verdict, are negative on both sides, and stand in `text` alone. */
static void figures(struct npart__sheet *out, const npart_diff *diff)
{
    struct npart_diff_figure at = {.size = sizeof at};
    npart__add_text(out, ",\"figures\":[");
    for (uint32_t i = 0; npart_diff_figure(diff, i, &at); i++) {
        npart__add_json_text(out, i ? ",{\"what\":" : "{\"what\":", at.what);
        change(out, ",\"change\":", at.change);
        npart__add_json_text(out, ",\"text\":", at.text);
        npart__add_json_decimal_or_null(out, ",\"before\":", at.before);
        npart__add_json_decimal_or_null(out, ",\"after\":", at.after);
        npart__add_text(out, "}");
    }
    npart__add_text(out, "]");
}

/* Of both sides, those that are the same included, so that a node's `cause` is a place in this list.
 * `victims_before` and `victims_after` are the schema's names for the numbers of affected nodes. */
static void causes(struct npart__sheet *out, const npart_diff *diff)
{
    struct npart_diff_cause at = {.size = sizeof at};
    npart__add_text(out, ",\"causes\":[");
    for (uint32_t i = 0; npart_diff_cause(diff, i, &at); i++) {
        npart__add_json_text(out, i ? ",{\"state\":" : "{\"state\":", at.state);
        change(out, ",\"change\":", at.change);
        npart__add_json_text(out, ",\"kind\":", at.kind);
        npart__add_json_text(out, ",\"rule\":", at.rule);
        npart__add_json_text(out, ",\"text\":", at.text);
        npart__add_json_text_or_null(out, ",\"action\":", at.action);
        npart__add_json_id(out, ",\"before\":", at.before);
        npart__add_json_id(out, ",\"after\":", at.after);
        npart__add_json_id(out, ",\"victims_before\":", at.affected_before);
        npart__add_json_id(out, ",\"victims_after\":", at.affected_after);
        npart__add_text(out, "}");
    }
    npart__add_text(out, "]");
}

/* A node that is not on a side has FOLDED there, which must not be told as one that is. */
static const char *verdict(bool is_there, enum npart_verdict at)
{
    return is_there ? npart__json_verdict(at) : NULL;
}

/* Only nodes that are not as they were. `before` and `after` are places in the sides' lists of nodes; a place in
 * the source that is not known, and a name that was not there, are null. */
static void nodes(struct npart__sheet *out, const npart_diff *diff)
{
    struct npart_diff_node at = {.size = sizeof at};
    npart__add_text(out, ",\"nodes\":[");
    for (uint32_t i = 0; npart_diff_node(diff, i, &at); i++) {
        npart__add_json_text(out, i ? ",{\"state\":" : "{\"state\":", at.state);
        change(out, ",\"change\":", at.change);
        npart__add_json_id(out, ",\"before\":", at.before);
        npart__add_json_id(out, ",\"after\":", at.after);
        npart__add_json_text(out, ",\"name\":", at.name);
        npart__add_json_text(out, ",\"op\":", at.op);
        npart__add_json_text(out, ",\"graph\":", at.graph);
        npart__add_json_id(out, ",\"index\":", at.index);
        npart__add_json_text_or_null(out, ",\"place\":", *at.place ? at.place : NULL);
        npart__add_json_text_or_null(out, ",\"name_before\":", at.before == NPART_NONE ? NULL : at.name_before);
        npart__add_json_text_or_null(out, ",\"op_before\":", at.before == NPART_NONE ? NULL : at.op_before);
        npart__add_json_text_or_null(out, ",\"verdict_before\":", verdict(at.before != NPART_NONE, at.verdict_before));
        npart__add_json_text_or_null(out, ",\"verdict\":", verdict(at.after != NPART_NONE, at.verdict));
        npart__add_json_id(out, ",\"cause\":", at.cause);
        npart__add_text(out, "}");
    }
    npart__add_text(out, "]");
}

static void target(struct npart__sheet *out, const npart_diff *diff, const struct npart_diff_info *info)
{
    change(out, "{\"change\":", info->change);
    side(out, ",\"before\":", info->before);
    side(out, ",\"after\":", info->after);
    npart__add_json_id(out, ",\"matched\":", info->matched);
    npart__add_json_id(out, ",\"matched_by_name\":", info->by_name);
    npart__add_json_id(out, ",\"altered\":", info->altered);
    npart__add_json_id(out, ",\"added\":", info->added);
    npart__add_json_id(out, ",\"removed\":", info->removed);
    npart__add_json_id(out, ",\"left_npu\":", info->left);
    npart__add_json_id(out, ",\"came_to_npu\":", info->came);
    figures(out, diff);
    causes(out, diff);
    nodes(out, diff);
    npart__add_text(out, "}");
}

/* The change of all is the worst of any, by the order of enum npart_change, and stands first, so all are asked
 * before anything is written. */
npart_status npart_report_diff_json(const npart_diff *const *diffs, size_t count, npart_write_callback write,
                                    void *payload, struct npart_error *error)
{
    struct npart__pool pool;
    struct npart__sheet sheet, *out = &sheet;
    struct npart_diff_info info = {.size = sizeof info};
    enum npart_change worst = NPART_CHANGE_NONE;
    npart_status status = npart__diff_check(diffs, count, write, error);
    if (status != NPART_OK)
        return status;
    for (size_t i = 0; i < count; i++)
        if (npart_diff_info(diffs[i], &info) && info.change > worst)
            worst = info.change;
    npart__report_open(&pool, out, info.allocator, write, payload);
    npart__add_format(out, "{\"schema\":%d", DIFF_SCHEMA);
    npart__add_json_text(out, ",\"tool\":{\"name\":\"npu-partition\",\"version\":", npart_version());
    change(out, "},\"change\":", worst);
    npart__add_text(out, ",\"targets\":[");
    for (size_t i = 0; i < count; i++) {
        (void)npart_diff_info(diffs[i], &info);
        npart__add_text(out, i ? "," : "");
        target(out, diffs[i], &info);
    }
    npart__add_text(out, "]}\n");
    return npart__report_close(&pool, out, error);
}
