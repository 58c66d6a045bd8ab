/* SPDX-License-Identifier: Apache-2.0
 *
 * What changed between two plans, as one line of JSON; docs/json.md, "Diff", says what each field means.
 */
#include "report/report.h"

#define DIFF_SCHEMA 2

/* A node that is not on a side has FOLDED there, which must not be told as one that is. */
static const char *verdict(bool is_there, enum npart_verdict at)
{
    return is_there ? npart_verdict_text(at) : NULL;
}

/* `before` and `after` are places in the sides' lists of nodes. */
static void node(struct npart__buffer *out, const struct npart_diff_node *at)
{
    struct npart__object object = npart__open_diff_node(out, NULL, at);
    npart__json_text_or_null(out, npart__own(&object, "verdict_before"),
                             verdict(at->before != NPART_NONE, at->verdict_before));
    npart__json_text_or_null(out, npart__own(&object, "verdict"), verdict(at->after != NPART_NONE, at->verdict));
    npart__object_close(&object);
}

/* Causes of both sides, those that are the same included, so that a node's `cause` is a place in this list. */
static void target(struct npart__buffer *out, const npart_diff *diff, const struct npart_diff_info *info)
{
    struct npart_diff_figure figure = {.size = sizeof figure};
    struct npart_diff_cause cause = {.size = sizeof cause};
    struct npart_diff_node at = {.size = sizeof at};
    struct npart__object object = npart__open_diff_target(out, NULL, info);
    NPART__JSON_LIST(out, npart__own(&object, "figures"), i, npart_diff_figure(diff, i, &figure))
        npart__put_diff_figure(out, NULL, &figure);
    NPART__JSON_LIST(out, npart__own(&object, "causes"), i, npart_diff_cause(diff, i, &cause))
        npart__put_diff_cause(out, NULL, &cause);
    NPART__JSON_LIST(out, npart__own(&object, "nodes"), i, npart_diff_node(diff, i, &at))
        node(out, &at);
    npart__object_close(&object);
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
    npart__json_begin(out, DIFF_SCHEMA, NULL);
    npart__json_text(out, "change", npart_change_text(worst));
    npart__json_open(out, "targets", '[');
    for (size_t i = 0; i < count; i++) {
        (void)npart_diff_info(diffs[i], &info);
        target(out, diffs[i], &info);
    }
    npart__append_text(out, "]}\n");
}
