/* SPDX-License-Identifier: Apache-2.0
 *
 * What changed between two plans, as one line of JSON; docs/json.md, "Diff", says what each field means.
 */
#include "report/report.h"

#define DIFF_SCHEMA 2

static void change(struct npart__buffer *out, const char *key, enum npart_change value)
{
    npart__json_text(out, key, npart_change_text(value));
}

/* Without its nodes and causes: those that differ are told below, once for both sides. */
static void side(struct npart__buffer *out, const char *key, const struct npart_side *at)
{
    npart__json_open(out, key, '{');
    npart__json_text(out, "model", at->model);
    npart__json_text(out, "target", at->target);
    npart__json_text(out, "toolchain", at->toolchain);
    npart__add_json_summary(out, "summary", &at->summary);
    npart__json_decimal_or_null(out, "typical_ms", at->cost.typical_ms);
    npart__json_close(out, '}');
}

/* Those that are no numbers, such as a verdict, are negative on both sides, and stand in `text` alone. */
static void figures(struct npart__buffer *out, const npart_diff *diff)
{
    struct npart_diff_figure at = {.size = sizeof at};
    npart__json_open(out, "figures", '[');
    for (uint32_t i = 0; npart_diff_figure(diff, i, &at); i++) {
        npart__json_open(out, NULL, '{');
        npart__json_text(out, "what", at.what);
        change(out, "change", at.change);
        npart__json_text(out, "text", at.text);
        npart__json_decimal_or_null(out, "before", at.before);
        npart__json_decimal_or_null(out, "after", at.after);
        npart__json_close(out, '}');
    }
    npart__json_close(out, ']');
}

/* Of both sides, those that are the same included, so that a node's `cause` is a place in this list.
 * `victims_before` and `victims_after` are the schema's names for the numbers of affected nodes. */
static void causes(struct npart__buffer *out, const npart_diff *diff)
{
    struct npart_diff_cause at = {.size = sizeof at};
    npart__json_open(out, "causes", '[');
    for (uint32_t i = 0; npart_diff_cause(diff, i, &at); i++) {
        npart__json_open(out, NULL, '{');
        npart__json_text(out, "state", npart_cause_change_text(at.state));
        change(out, "change", at.change);
        npart__json_text(out, "kind", at.kind);
        npart__json_text(out, "rule", at.rule);
        npart__json_text(out, "text", at.text);
        npart__json_text_or_null(out, "action", at.action);
        npart__json_id(out, "before", at.before);
        npart__json_id(out, "after", at.after);
        npart__json_id(out, "victims_before", at.affected_before);
        npart__json_id(out, "victims_after", at.affected_after);
        npart__json_close(out, '}');
    }
    npart__json_close(out, ']');
}

/* A node that is not on a side has FOLDED there, which must not be told as one that is. */
static const char *verdict(bool is_there, enum npart_verdict at)
{
    return is_there ? npart_verdict_text(at) : NULL;
}

/* Only nodes that are not as they were. `before` and `after` are places in the sides' lists of nodes; a place in
 * the source that is not known, and a name that was not there, are null. */
static void nodes(struct npart__buffer *out, const npart_diff *diff)
{
    struct npart_diff_node at = {.size = sizeof at};
    npart__json_open(out, "nodes", '[');
    for (uint32_t i = 0; npart_diff_node(diff, i, &at); i++) {
        npart__json_open(out, NULL, '{');
        npart__json_text(out, "state", npart_node_change_text(at.state));
        change(out, "change", at.change);
        npart__json_id(out, "before", at.before);
        npart__json_id(out, "after", at.after);
        npart__json_text(out, "name", at.name);
        npart__json_text(out, "op", at.op);
        npart__json_text(out, "graph", at.graph);
        npart__json_id(out, "index", at.index);
        npart__json_text_or_null(out, "place", *at.place ? at.place : NULL);
        npart__json_text_or_null(out, "name_before", at.before == NPART_NONE ? NULL : at.name_before);
        npart__json_text_or_null(out, "op_before", at.before == NPART_NONE ? NULL : at.op_before);
        npart__json_text_or_null(out, "verdict_before", verdict(at.before != NPART_NONE, at.verdict_before));
        npart__json_text_or_null(out, "verdict", verdict(at.after != NPART_NONE, at.verdict));
        npart__json_id(out, "cause", at.cause);
        npart__json_close(out, '}');
    }
    npart__json_close(out, ']');
}

static void target(struct npart__buffer *out, const npart_diff *diff, const struct npart_diff_info *info)
{
    npart__json_open(out, NULL, '{');
    change(out, "change", info->change);
    side(out, "before", info->before);
    side(out, "after", info->after);
    npart__json_id(out, "matched", info->matched);
    npart__json_id(out, "matched_by_name", info->by_name);
    npart__json_id(out, "altered", info->altered);
    npart__json_id(out, "added", info->added);
    npart__json_id(out, "removed", info->removed);
    npart__json_id(out, "left_npu", info->left);
    npart__json_id(out, "came_to_npu", info->came);
    figures(out, diff);
    causes(out, diff);
    nodes(out, diff);
    npart__json_close(out, '}');
}

/* The change of all is the worst of any, by the order of enum npart_change, and stands first, so all are asked
 * before anything is written. */
void npart__diffs_json(struct npart__report *report)
{
    const npart_diff *const *diffs = report->subject->diffs;
    size_t count = report->subject->count;
    struct npart__buffer *out = &report->out;
    struct npart_diff_info info = {.size = sizeof info};
    enum npart_change worst = NPART_CHANGE_NONE;
    for (size_t i = 0; i < count; i++)
        if (npart_diff_info(diffs[i], &info) && info.change > worst)
            worst = info.change;
    npart__json_begin(out, DIFF_SCHEMA);
    change(out, "change", worst);
    npart__json_open(out, "targets", '[');
    for (size_t i = 0; i < count; i++) {
        (void)npart_diff_info(diffs[i], &info);
        target(out, diffs[i], &info);
    }
    npart__append_text(out, "]}\n");
}
