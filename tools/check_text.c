/* SPDX-License-Identifier: Apache-2.0
 *
 * What check found, for people: a block for each model and target that fails, which says what changed, what it was
 * before, the first cause, the line that mends it, and the one that accepts it.
 */
#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "check_accept.h"
#include "check_baseline.h"
#include "columns.h"
#include "message.h"
#include "paragraph.h"

#define TEXT_COLUMN 15u /* in which texts stand, after their labels */
#define MOST_LINES 2u   /* of each, but for what is there to be pasted */

/* ---- blocks -------------------------------------------------------------------------------------------------- */

struct block {
    struct text *out;
    const struct checked *checked;
    const struct npart_report_options *look;
    const char *today;
};

static void add_field(const struct block *block, const char *label, const char *text)
{
    char lead[TEXT_COLUMN + 1];
    (void)snprintf(lead, sizeof lead, "  %-*s", (int)TEXT_COLUMN - 2, label);
    add_paragraph(block->out, block->look, NULL, lead, text, block->look->is_verbose ? 0 : MOST_LINES);
}

static void put_line(const struct block *block, const char *text)
{
    add_paragraph(block->out, block->look, NULL, "  ", text, block->look->is_verbose ? 0 : MOST_LINES);
}

/* The model, the target and what is wrong, in one line where that fits. `target` "": of the model as such. */
static void add_head(const struct block *block, const char *target, const char *what)
{
    char path[MESSAGE_BYTES], rest[MESSAGE_BYTES];
    (void)npart_plain_text(block->checked->path, path, sizeof path);
    (void)snprintf(rest, sizeof rest, "%s%s%s", target, *target ? "  " : "", what);
    if (columns_of(path) + 2 + columns_of(rest) <= width_of(block->look)) {
        char shown[MESSAGE_BYTES];
        (void)npart_plain_text(target, shown, sizeof shown);
        add_painted(block->out, block->look, PAINT_BOLD, path);
        text_add(block->out, "  ");
        text_add(block->out, shown);
        text_add(block->out, *target ? "  " : "");
        (void)npart_plain_text(what, shown, sizeof shown);
        add_painted(block->out, block->look, PAINT_RED, shown);
        text_add(block->out, "\n");
        return;
    }
    add_paragraph(block->out, block->look, NULL, "", path, 0);
    put_line(block, rest);
}

/* A threshold that is not met either: what was counted stands among the figures. */
static size_t add_told(char *line, size_t used, size_t bytes, const struct npart_gate_outcome *outcome)
{
    static const char most[] = "threshold: at most ";
    const char *limit = strcmp(outcome->threshold, "max-partitions") == 0 ? strstr(outcome->text, most) : NULL;
    const char *noun = !limit ? "" : strcmp(limit + sizeof most - 1, "1") == 0 ? " partition" : " partitions";
    return (size_t)snprintf(line + used, bytes - used, "%s%s%s", used ? "; " : "", limit ? limit : outcome->text, noun);
}

/* The node, and the figures before and after; with thresholds that are not met either. */
static void add_changed(const struct block *block, const struct judged *judged)
{
    const struct npart_compared *compared = &judged->compared;
    char line[2 * MESSAGE_BYTES];
    size_t used;
    if (*compared->changed)
        put_line(block, compared->changed);
    used = (size_t)snprintf(line, sizeof line, "%s", compared->figures);
    for (uint32_t i = 0; i < judged->outcomes.count && used < sizeof line; i++)
        if (judged->is_told[i])
            used += add_told(line, used, sizeof line, &judged->outcomes.items[i]);
    if (used)
        put_line(block, line);
}

/* The first as the report has it, and the first that is new where that is another; with all details the rule, by which
 * a waiver names it. */
static void add_causes(const struct block *block, int target)
{
    const struct npart_compared *compared = &block->checked->judged[target].compared;
    const npart_plan *plan = block->checked->job.plans[target];
    struct npart_cause cause = {.size = sizeof cause};
    char first[MESSAGE_BYTES] = "";
    uint32_t id;
    bool has_place = !*compared->changed;
    if (npart_plan_first_cause(plan, has_place, &id, first, sizeof first))
        add_field(block, "first cause", first);
    if (block->look->is_verbose && npart_plan_cause(plan, id, &cause, NULL, 0))
        add_field(block, "rule", cause.rule_id);
    const char *sentence = strstr(compared->cause, ": ");
    if (*compared->cause && !strstr(first, sentence ? sentence + 2 : compared->cause))
        add_field(block, "new cause", compared->cause);
}

/* The line that mends it; else what to do, with the options or lines of the project file that do it. */
static void add_fix(const struct block *block, int target)
{
    char lines[MESSAGE_BYTES];
    struct npart_action action = {.size = sizeof action};
    const npart_advice *advice = block->checked->job.advice[target];
    if (!advice)
        return;
    if (!npart_advice_action(advice, 0, &action) || strcmp(action.kind, "none") == 0) {
        add_field(block, "fix", "none known");
        return;
    }
    size_t length = npart_action_lines(&action, TEXT_COLUMN, width_of(block->look), lines, sizeof lines);
    if (length && length < sizeof lines) {
        text_add(block->out, "  fix ");
        add_painted(block->out, block->look, PAINT_GREEN, "[*]");
        text_add(block->out, "      ");
        text_add(block->out, lines);
        return;
    }
    (void)npart_action_text(&action, true, lines, sizeof lines);
    add_field(block, "fix", lines);
}

/* The stanza where all is told, or was written just now; else the line that writes it. Nothing where no waiver does. */
static void add_accept(const struct block *block, int target, bool is_whole)
{
    struct text stanza = {0}, line = {0};
    char place[MESSAGE_BYTES];
    const char *problem = add_stanza(&stanza, block->checked, target, block->today, block->checked->asked->reason);
    if (!problem && is_whole && !stanza.has_failed) {
        (void)snprintf(place, sizeof place, "in %s:", block->checked->project->path);
        add_field(block, "accept", place);
        for (size_t i = 0, end; i < stanza.count; i = end + 1) {
            for (end = i; stanza.bytes[end] != '\n'; end++)
                continue;
            text_add(block->out, "    ");
            (void)text_write(block->out, stanza.bytes + i, end + 1 - i);
        }
    } else if (!problem &&
               add_accept_command(&line, block->checked, target, TEXT_COLUMN, width_of(block->look))) {
        text_add(block->out, "  accept       ");
        (void)text_write(block->out, line.bytes, line.count);
    }
    free(line.bytes);
    free(stanza.bytes);
}

/* ---- a target ------------------------------------------------------------------------------------------------ */

/* What an open outcome says by itself: what changed stands below. */
static void write_open(const struct judged *judged, uint32_t outcome, char *out, size_t bytes)
{
    const struct npart_gate_outcome *at = &judged->outcomes.items[outcome];
    bool is_worse = strcmp(at->threshold, BASELINE) == 0;
    bool is_cut = outcome == judged->comparison && judged->own_bytes;
    int length = is_cut && judged->own_bytes < bytes ? (int)judged->own_bytes : (int)bytes - 1;
    (void)snprintf(out, bytes, "%.*s", length, is_worse ? "worse than the baseline" : at->text);
}

static void add_failing(const struct block *block, int target, bool is_whole)
{
    const struct judged *judged = &block->checked->judged[target];
    char text[sizeof judged->outcomes.items[0].text];
    bool is_first = true;
    for (uint32_t i = judged->outcomes.count; i-- > 0;) { /* the comparison comes last, and is told first */
        if (!is_open(judged, i) || strcmp(judged->outcomes.items[i].threshold, BASELINE) != 0)
            continue;
        write_open(judged, i, text, sizeof text);
        add_head(block, block->checked->options->labels[target], text);
        is_first = false;
    }
    for (uint32_t i = 0; i < judged->outcomes.count; i++) {
        if (!is_open(judged, i) || strcmp(judged->outcomes.items[i].threshold, BASELINE) == 0)
            continue;
        write_open(judged, i, text, sizeof text);
        if (is_first)
            add_head(block, block->checked->options->labels[target], text);
        else
            put_line(block, text);
        is_first = false;
    }
    if (judged->comparison != NPART_NONE && is_open(judged, judged->comparison))
        add_changed(block, judged);
    add_causes(block, target);
    add_fix(block, target);
    add_accept(block, target, is_whole);
    text_add(block->out, "\n");
}

/* "1 partition, coverage 98.5 % of MACs" */
static void write_summary(const npart_plan *plan, char *out, size_t bytes)
{
    struct npart_summary summary = {.size = sizeof summary};
    if (!npart_plan_summary(plan, &summary))
        return;
    bool has_macs = summary.has_macs && summary.macs > 0;
    (void)snprintf(out, bytes, "%u partition%s, coverage %.1f %% of %s", summary.partitions,
                   summary.partitions == 1 ? "" : "s", 100 * (has_macs ? summary.mac_coverage : summary.coverage),
                   has_macs ? "MACs" : "nodes");
}

static void add_line(struct text *out, const struct npart_report_options *look, const char *label, const char *path,
                     const char *target, const char *text)
{
    char line[MESSAGE_BYTES], lead[16];
    (void)snprintf(lead, sizeof lead, "%-10s", label);
    (void)snprintf(line, sizeof line, "%s%s%s  %s", path, *target ? "  " : "", target, text);
    add_paragraph(out, look, strcmp(label, "accepted") == 0 ? PAINT_YELLOW : PAINT_GREEN, lead, line, 0);
}

static void add_accepted(struct text *out, const struct npart_report_options *look, const struct checked *checked,
                         const char *target, const char *text, const char *why, bool is_by_baseline)
{
    char line[MESSAGE_BYTES];
    (void)snprintf(line, sizeof line, "%s; %s%s", text, is_by_baseline ? "" : "by waiver ", why);
    add_line(out, look, "accepted", checked->path, target, line);
}

/* What is let through, or fine: a line each. */
static void add_others(struct text *out, const struct checked *checked, int target,
                       const struct npart_report_options *look)
{
    const struct judged *judged = &checked->judged[target];
    const char *name = checked->options->labels[target];
    char summary[160] = "";
    bool is_told = false;
    for (uint32_t i = 0; i < judged->outcomes.count; i++) {
        const struct npart_gate_outcome *outcome = &judged->outcomes.items[i];
        bool is_accepted = !outcome->is_met && *judged->waivers[i];
        if (is_accepted)
            add_accepted(out, look, checked, name, outcome->text, judged->waivers[i], judged->is_known[i]);
        is_told |= is_accepted || is_open(judged, i);
    }
    write_summary(checked->job.plans[target], summary, sizeof summary);
    if (!is_told)
        add_line(out, look, "fine", checked->path, name, summary);
}

/* ---- a model ------------------------------------------------------------------------------------------------- */

static void add_unread(const struct block *block)
{
    char text[MESSAGE_BYTES];
    const struct npart_error *error = &block->checked->error;
    (void)snprintf(text, sizeof text, "%s%s%s", error->place, *error->place ? ": " : "", error->message);
    add_head(block, "", "cannot be read");
    add_paragraph(block->out, block->look, NULL, "  ", text, 0);
    text_add(block->out, "\n");
}

static bool fails(const struct judged *judged)
{
    for (uint32_t i = 0; i < judged->outcomes.count; i++)
        if (is_open(judged, i))
            return true;
    return false;
}

void add_checked(struct text *failing, struct text *others, const struct checked *checked, const char *today,
                 bool is_whole, const struct npart_report_options *look)
{
    const struct block block = {.out = failing, .checked = checked, .look = look, .today = today};
    if (!checked->is_read) {
        add_unread(&block);
        return;
    }
    if (*checked->invalid && !*checked->invalid_waiver) {
        add_head(&block, "", "ONNX Runtime does not load it");
        add_paragraph(failing, look, NULL, "  ", checked->invalid, 0);
        add_accept(&block, -1, is_whole);
        text_add(failing, "\n");
    } else if (*checked->invalid && others) {
        add_accepted(others, look, checked, "", checked->invalid, checked->invalid_waiver, checked->is_invalid_known);
    }
    for (int i = 0; i < checked->options->target_count; i++) {
        if (fails(&checked->judged[i]))
            add_failing(&block, i, is_whole);
        if (others)
            add_others(others, checked, i, look);
    }
}
