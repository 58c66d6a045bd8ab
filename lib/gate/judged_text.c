/* SPDX-License-Identifier: Apache-2.0
 *
 * What a gate found, for people: a block for each target that fails, which says what changed, what it was before, the
 * first cause, the line that mends it, and the one that accepts it.
 */
#include <stdio.h>

#include "gate/judge.h"

#define TEXT_COLUMN 15u /* in which texts stand, after their labels */
#define MOST_LINES 2u   /* of each, but for what is there to be pasted */
#define MOST_TEXT 8192u /* bytes of a line before it is broken; more is cut */

#define BOLD "1"
#define RED "31"
#define GREEN "32"
#define YELLOW "33"

/* ---- blocks -------------------------------------------------------------------------------------------------- */

struct block {
    struct npart__buffer *out;
    const npart_gate *gate;
    const struct npart_report_options *look;
    bool has_stanzas; /* what would accept it as the lines themselves */
};

static void add_field(const struct block *block, const char *label, const char *text)
{
    char lead[TEXT_COLUMN + 1];
    (void)snprintf(lead, sizeof lead, "  %-*s", (int)TEXT_COLUMN - 2, label);
    npart__put_paragraph(block->out, block->look, NULL, lead, text, block->look->is_verbose ? 0 : MOST_LINES);
}

static void put_line(const struct block *block, const char *text)
{
    npart__put_paragraph(block->out, block->look, NULL, "  ", text, block->look->is_verbose ? 0 : MOST_LINES);
}

/* The model, the target and what is wrong, in one line where that fits. `target` "": of the model as such. */
static void add_head(const struct block *block, const char *target, const char *what)
{
    char path[MOST_TEXT], rest[MOST_TEXT];
    (void)npart_plain_text(block->gate->options.name, path, sizeof path);
    (void)snprintf(rest, sizeof rest, "%s%s%s", target, *target ? "  " : "", what);
    size_t columns = npart__columns_of(path, strlen(path)) + 2 + npart__columns_of(rest, strlen(rest));
    if (columns <= npart__width_of(block->look)) {
        char shown[MOST_TEXT];
        (void)npart_plain_text(target, shown, sizeof shown);
        npart__put_painted(block->out, block->look, BOLD, path);
        npart__append_text(block->out, "  ");
        npart__append_text(block->out, shown);
        npart__append_text(block->out, *target ? "  " : "");
        (void)npart_plain_text(what, shown, sizeof shown);
        npart__put_painted(block->out, block->look, RED, shown);
        npart__append_text(block->out, "\n");
        return;
    }
    npart__put_paragraph(block->out, block->look, NULL, "", path, 0);
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
static void add_changed(const struct block *block, const struct npart__judged *judged)
{
    const struct npart_compared *compared = &judged->compared;
    char line[2 * MOST_TEXT];
    size_t used;
    if (*compared->changed)
        put_line(block, compared->changed);
    used = (size_t)snprintf(line, sizeof line, "%s", compared->figures);
    for (uint32_t i = 0; i < judged->count && used < sizeof line; i++)
        if (judged->is_told[i])
            used += add_told(line, used, sizeof line, &judged->outcomes[i]);
    if (used)
        put_line(block, line);
}

/* The first as the report has it, and the first that is new where that is another; with all details the rule, by which
 * a waiver names it. */
static void add_causes(const struct block *block, const struct npart__judged *judged)
{
    const struct npart_compared *compared = &judged->compared;
    const npart_plan *plan = judged->plan;
    struct npart_cause cause = {.size = sizeof cause};
    char first[MOST_TEXT] = "";
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
static void add_fix(const struct block *block, const npart_advice *advice)
{
    char lines[MOST_TEXT];
    struct npart_action action = {.size = sizeof action};
    if (!advice)
        return;
    if (!npart_advice_action(advice, 0, &action) || strcmp(action.kind, "none") == 0) {
        add_field(block, "fix", "none known");
        return;
    }
    size_t length = npart_action_lines(&action, TEXT_COLUMN, npart__width_of(block->look), lines, sizeof lines);
    if (length && length < sizeof lines) {
        npart__append_text(block->out, "  fix ");
        npart__put_painted(block->out, block->look, GREEN, "[*]");
        npart__append_text(block->out, "      ");
        npart__append_text(block->out, lines);
        return;
    }
    (void)npart_action_text(&action, true, lines, sizeof lines);
    add_field(block, "fix", lines);
}

/* The stanza, or the line that writes it. Nothing where no waiver does. NULL: of the model as such. */
static void add_accept(const struct block *block, const struct npart__judged *judged)
{
    struct npart__buffer stanza, line;
    npart__buffer_init(&line, block->out->arena);
    npart__buffer_init(&stanza, block->out->arena);
    const char *problem = npart__put_stanza(&stanza, block->gate, judged);
    if (!problem && block->has_stanzas) {
        npart__append_format(&line, "in %s:", block->gate->options.project_path);
        add_field(block, "accept", npart__buffer_text(&line));
        for (const char *at = npart__buffer_text(&stanza); *at; at += strcspn(at, "\n") + 1) {
            npart__append_text(block->out, "    ");
            npart__append(block->out, at, strcspn(at, "\n") + 1);
        }
    } else if (!problem && npart__put_accept_command(&line, block->gate, judged, TEXT_COLUMN,
                                                     npart__width_of(block->look))) {
        npart__append_text(block->out, "  accept       ");
        npart__append(block->out, line.data, line.size);
    }
    npart__buffer_release(&stanza);
    npart__buffer_release(&line);
}

/* ---- a target ------------------------------------------------------------------------------------------------ */

/* What an open outcome says by itself: what changed stands below. */
static void write_open(const struct npart__judged *judged, uint32_t outcome, char *out, size_t bytes)
{
    const struct npart_gate_outcome *at = &judged->outcomes[outcome];
    bool is_worse = strcmp(at->threshold, NPART__REGRESSION) == 0;
    bool is_cut = outcome == judged->comparison && judged->own_bytes;
    int length = is_cut && judged->own_bytes < bytes ? (int)judged->own_bytes : (int)bytes - 1;
    (void)snprintf(out, bytes, "%.*s", length, is_worse ? "worse than the baseline" : at->text);
}

static void add_failing(const struct block *block, const struct npart__judged *judged)
{
    char text[sizeof judged->outcomes[0].text];
    bool is_first = true;
    for (uint32_t i = judged->count; i-- > 0;) { /* the comparison comes last, and is told first */
        if (!npart__is_open(judged, i) || strcmp(judged->outcomes[i].threshold, NPART__REGRESSION) != 0)
            continue;
        write_open(judged, i, text, sizeof text);
        add_head(block, judged->label, text);
        is_first = false;
    }
    for (uint32_t i = 0; i < judged->count; i++) {
        if (!npart__is_open(judged, i) || strcmp(judged->outcomes[i].threshold, NPART__REGRESSION) == 0)
            continue;
        write_open(judged, i, text, sizeof text);
        if (is_first)
            add_head(block, judged->label, text);
        else
            put_line(block, text);
        is_first = false;
    }
    if (judged->comparison != NPART_NONE && npart__is_open(judged, judged->comparison))
        add_changed(block, judged);
    add_causes(block, judged);
    add_fix(block, judged->advice);
    add_accept(block, judged);
    npart__append_text(block->out, "\n");
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

static void add_line(const struct block *block, const char *label, const char *target, const char *text)
{
    char line[MOST_TEXT], lead[16];
    (void)snprintf(lead, sizeof lead, "%-10s", label);
    (void)snprintf(line, sizeof line, "%s%s%s  %s", block->gate->options.name, *target ? "  " : "", target, text);
    npart__put_paragraph(block->out, block->look, strcmp(label, "accepted") == 0 ? YELLOW : GREEN, lead, line, 0);
}

static void add_accepted(const struct block *block, const char *target, const char *text, const char *why,
                         bool is_by_baseline)
{
    char line[MOST_TEXT];
    (void)snprintf(line, sizeof line, "%s; %s%s", text, is_by_baseline ? "" : "by waiver ", why);
    add_line(block, "accepted", target, line);
}

/* What is let through, or fine: a line each. */
static void add_others(const struct block *block, const struct npart__judged *judged)
{
    char summary[160] = "";
    bool is_told = false;
    for (uint32_t i = 0; i < judged->count; i++) {
        const struct npart_gate_outcome *outcome = &judged->outcomes[i];
        bool is_accepted = !outcome->is_met && *judged->waivers[i];
        if (is_accepted)
            add_accepted(block, judged->label, outcome->text, judged->waivers[i], judged->is_known[i]);
        is_told |= is_accepted || npart__is_open(judged, i);
    }
    write_summary(judged->plan, summary, sizeof summary);
    if (!is_told)
        add_line(block, "fine", judged->label, summary);
}

/* ---- a model ------------------------------------------------------------------------------------------------- */

static void add_unread(const struct block *block)
{
    char text[MOST_TEXT];
    const struct npart_error *error = block->gate->options.error;
    (void)snprintf(text, sizeof text, "%s%s%s", error->place, *error->place ? ": " : "", error->message);
    add_head(block, "", "cannot be read");
    npart__put_paragraph(block->out, block->look, NULL, "  ", text, 0);
    npart__append_text(block->out, "\n");
}

static void add_invalid(const struct block *block, bool fails)
{
    const npart_gate *gate = block->gate;
    if (!fails) {
        add_accepted(block, "", gate->invalid, gate->invalid_waiver, gate->is_invalid_known);
        return;
    }
    add_head(block, "", "ONNX Runtime does not load it");
    npart__put_paragraph(block->out, block->look, NULL, "  ", gate->invalid, 0);
    add_accept(block, NULL);
    npart__append_text(block->out, "\n");
}

static void add_all(const struct block *block, unsigned parts)
{
    const npart_gate *gate = block->gate;
    bool fails = !*gate->invalid_waiver;
    if (gate->options.error) {
        if (parts & NPART_GATE_FAILING)
            add_unread(block);
        return;
    }
    if (*gate->invalid && parts & (fails ? (unsigned)NPART_GATE_FAILING : (unsigned)NPART_GATE_OTHERS))
        add_invalid(block, fails);
    for (uint32_t i = 0; i < gate->targets.count; i++) {
        const struct npart__judged *judged = gate->targets.items[i];
        if ((parts & NPART_GATE_FAILING) && npart__has_open(judged))
            add_failing(block, judged);
        if (parts & NPART_GATE_OTHERS)
            add_others(block, judged);
    }
}

npart_status npart_gate_text(const npart_gate *gate, const struct npart_report_options *look, unsigned parts,
                             npart_write_callback write, void *payload, struct npart_error *error)
{
    const struct npart_report_options plain = NPART_REPORT_OPTIONS_INIT;
    struct npart__buffer out;
    struct npart__arena arena;
    if (!gate || !write)
        return npart__fail_null(!gate ? "gate" : "write", error);
    npart__buffer_open(&out, &arena, &gate->life->arena.allocator, NULL, NULL);
    add_all(&(struct block){&out, gate, look ? look : &plain, parts & NPART_GATE_STANZAS}, parts);
    return npart__buffer_end(&out, write, payload, NPART_OK, error);
}
