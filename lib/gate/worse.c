/* SPDX-License-Identifier: Apache-2.0
 *
 * What of a plan is worse than a baseline has it, in words and figures.
 */
#include <stdio.h>

#include "gate/gate.h"

/* "Clip -> Erf `act`, model.py:41 (encoder): NPU -> CPU" of the first node that is worse, else of the first that is
 * another. */
static void write_node(const npart_diff *diff, char *out, size_t bytes)
{
    struct npart_diff_info info = {.size = sizeof info};
    (void)npart_diff_info(diff, &info);
    const char *const words[] = {
        [NPART_VERDICT_CPU] = "CPU",         [NPART_VERDICT_NPU] = info.after->unit ? info.after->unit : "NPU",
        [NPART_VERDICT_FAIL] = "fails to compile", [NPART_VERDICT_UNKNOWN] = "undecided",
        [NPART_VERDICT_FOLDED] = "folded",   [NPART_VERDICT_FUSED] = "fused",
    };
    struct npart_diff_node at = {.size = sizeof at};
    char index[24] = "";
    out[0] = '\0';
    if (!npart_diff_node(diff, 0, &at) || at.after == NPART_NONE)
        return;
    bool is_replaced = at.state == NPART_NODE_REPLACED, has_name = *at.name != '\0';
    if (!has_name)
        (void)snprintf(index, sizeof index, " (node %u)", at.index);
    (void)snprintf(out, bytes, "%s%s%s%s%s%s%s%s%s%s: %s%s%s", at.state == NPART_NODE_ADDED ? "new " : "",
                   is_replaced ? at.op_before : "", is_replaced ? " -> " : "", at.op, has_name ? " `" : index,
                   at.name, has_name ? "`" : "", *at.place ? ", " : "", at.place,
                   at.change == NPART_CHANGE_WORSE ? "" : " (first changed node)",
                   at.before == NPART_NONE ? "" : words[at.verdict_before], at.before == NPART_NONE ? "" : " -> ",
                   words[at.verdict]);
}

static void list_changed(const npart_diff *diff, struct npart_compared *out)
{
    struct npart_diff_node node = {.size = sizeof node};
    struct npart_diff_cause cause = {.size = sizeof cause};
    for (uint32_t i = 0; npart_diff_node(diff, i, &node) && out->node_count < NPART_MOST_CHANGED; i++)
        if (node.after != NPART_NONE && (node.change == NPART_CHANGE_WORSE || i == 0))
            out->nodes[out->node_count++] = node.after;
    for (uint32_t i = 0; npart_diff_cause(diff, i, &cause) && out->cause_count < NPART_MOST_CHANGED; i++)
        if (cause.after != NPART_NONE && cause.change == NPART_CHANGE_WORSE)
            out->causes[out->cause_count++] = cause.after;
}

/* Figures that are told beside the node, and what each is about; what is not here says nothing of its own. */
static const struct {
    const char *what;
    unsigned kind;
    bool is_text; /* told as the comparison has it */
} told_figures[] = {
    {"partitions", NPART_WORSE_PARTITIONS, false},
    {"cost", NPART_WORSE_TIME, false},
    {"mac-coverage", NPART_WORSE_COVERAGE, true},
    {"failed", NPART_WORSE_FAILED, true},
    {"invalid", NPART_WORSE_INVALID, true},
    {"limits", NPART_WORSE_MEMORY, true},
    {"off-chip", NPART_WORSE_MEMORY, true},
    {"peak", NPART_WORSE_MEMORY, true},
    {"left", NPART_WORSE_COVERAGE, false},
    {"verdict", 0, false},
};

static size_t place_of_figure(const char *what)
{
    size_t at = 0;
    while (at < NPART__COUNT(told_figures) && strcmp(told_figures[at].what, what) != 0)
        at++;
    return at;
}

/* What the node that is told says as well. */
static bool is_implied(const char *what)
{
    return strcmp(what, "verdict") == 0 || strcmp(what, "left") == 0;
}

/* "partitions 1 -> 3, a run ~0.26 ms -> ~0.53 ms", then other figures that are worse. */
static void write_figures(const npart_diff *diff, const struct npart_side *before, const struct npart_side *after,
                          struct npart_compared *out)
{
    struct npart_diff_figure figure = {.size = sizeof figure};
    char was[32] = "not known", is[32] = "not known";
    size_t bytes = sizeof out->figures;
    uint32_t had = before->summary.partitions, has = after->summary.partitions;
    size_t used = (size_t)(had == has ? snprintf(out->figures, bytes, has == 1 ? "%u partition as before"
                                                                               : "%u partitions as before", has)
                                      : snprintf(out->figures, bytes, "partitions %u -> %u", had, has));
    bool had_time = before->cost.typical_ms >= 0, has_time = after->cost.typical_ms >= 0;
    if (had_time)
        (void)npart_estimate_text(before->cost.typical_ms, was, sizeof was);
    if (has_time)
        (void)npart_estimate_text(after->cost.typical_ms, is, sizeof is);
    if (had_time || has_time)
        used += (size_t)snprintf(out->figures + used, bytes - used, ", a run %s -> %s", was, is);
    for (uint32_t i = 0; npart_diff_figure(diff, i, &figure) && used < bytes; i++) {
        size_t at = place_of_figure(figure.what);
        bool is_known = at < NPART__COUNT(told_figures);
        if (figure.change != NPART_CHANGE_WORSE)
            continue;
        out->kinds |= is_known ? told_figures[at].kind : 0;
        if (is_known && told_figures[at].is_text)
            used += (size_t)snprintf(out->figures + used, bytes - used, ", %s", figure.text);
    }
    if (before->summary.partitions && !after->summary.partitions)
        out->kinds |= NPART_WORSE_NONE;
}

/* "worse than the baseline: Clip -> Erf `act`, model.py:41: NPU -> CPU; partitions: 1 -> 3; new: Erf: not supported" */
static void write_worse(const npart_diff *diff, struct npart_compared *out)
{
    struct npart_diff_figure figure = {.size = sizeof figure};
    struct npart_diff_cause cause = {.size = sizeof cause};
    size_t bytes = sizeof out->text;
    write_node(diff, out->changed, sizeof out->changed);
    list_changed(diff, out);
    size_t used = (size_t)snprintf(out->text, bytes, NPART_WORSE "%s", out->changed);
    const char *before = *out->changed ? "; " : "";
    for (uint32_t i = 0; npart_diff_figure(diff, i, &figure) && used < bytes; i++)
        if ((figure.change == NPART_CHANGE_WORSE && !(*out->changed && is_implied(figure.what))) ||
            strcmp(figure.what, "partitions") == 0) {
            used += (size_t)snprintf(out->text + used, bytes - used, "%s%s", before, figure.text);
            before = "; ";
        }
    for (uint32_t i = 0; npart_diff_cause(diff, i, &cause) && used < bytes; i++)
        if (cause.change == NPART_CHANGE_WORSE) {
            used += (size_t)snprintf(out->text + used, bytes - used, "%s%s: %s", before,
                                     npart_cause_change_text(cause.state), cause.text);
            (void)snprintf(out->cause, sizeof out->cause, "%s", cause.text);
            break; /* of further ones the documents tell */
        }
    if (out->cause_count > 1 && used < bytes)
        (void)snprintf(out->text + used, bytes - used, "; and %u more cause%s", out->cause_count - 1,
                       out->cause_count == 2 ? "" : "s");
}

/* Whether all that is counted is what it was. */
static bool is_same_summary(const struct npart_side *before, const struct npart_side *after)
{
    const struct npart_summary *a = &before->summary, *b = &after->summary;
    return a->verdict == b->verdict && a->partitions == b->partitions && a->accepted == b->accepted &&
           a->live == b->live && a->failed == b->failed && a->unknown == b->unknown;
}

static npart_status compare(const struct npart_side *before, const struct npart_side *after, struct npart_compared *out,
                            struct npart_error *error)
{
    npart_diff *diff = NULL;
    struct npart_diff_info info = {.size = sizeof info};
    npart_status status = npart_diff_make(&diff, before, after, NULL, error);
    if (status == NPART_OK && npart_diff_info(diff, &info)) {
        out->is_worse = info.change == NPART_CHANGE_WORSE;
        out->is_same = is_same_summary(before, after);
        write_figures(diff, before, after, out);
        if (out->is_worse)
            write_worse(diff, out);
        else
            (void)snprintf(out->text, sizeof out->text, "no worse than the baseline");
    }
    npart_diff_free(diff);
    return status;
}

/* Of a baseline without its cache: both sides as their lines have them, rounded alike. */
static npart_status compare_words(const struct npart_side *before, const char *line, const struct npart_side *after,
                                  struct npart_compared *out, struct npart_error *error)
{
    struct npart__arena arena;
    npart_sides *sides = NULL;
    uint32_t count;
    npart__arena_init(&arena, NULL);
    const char *now = npart__baseline_line(after, npart__baseline_line_version(line), &arena);
    npart_status status = now ? npart_sides_of_line(&sides, now, NULL, error) : npart__fail_memory(error);
    npart__arena_clear(&arena);
    if (status == NPART_OK)
        status = compare(before, npart_sides_all(sides, &count), out, error);
    out->cause_count = 0; /* which of the plan's they are is not known */
    npart_sides_free(sides);
    return status;
}

/* What the baseline knows, and nothing can be said of now; NULL: nothing. What cannot be compared is no better. */
static const char *find_lost(const struct npart_side *before, const struct npart_side *after)
{
    if (before->summary.has_macs && !after->summary.has_macs)
        return "coverage (MACs) is not known any more";
    bool is_time_lost = before->cost.typical_ms >= 0 && after->cost.typical_ms < 0;
    return is_time_lost ? "the time of a run is not known any more" : NULL;
}

static void tell_worse(struct npart_compared *out, const char *why)
{
    out->is_worse = true;
    (void)snprintf(out->text, sizeof out->text, NPART_WORSE "%s", why);
    (void)snprintf(out->figures, sizeof out->figures, "%s", why);
}

npart_status npart_sides_compare(const npart_sides *baseline, const struct npart_side *before,
                                 const struct npart_side *after, struct npart_compared *out,
                                 struct npart_error *error)
{
    struct npart_compared found = {.size = sizeof found};
    if (!before || !after || !out)
        return npart__fail_null(!before ? "before" : !after ? "after" : "out", error);
    if (out->size != sizeof *out)
        return npart__fail(error, NPART_ERROR_ARGUMENT, "", "out has a size that is not known");
    const char *line = before->listing == NPART_LISTING_NONE ? npart_sides_line(baseline, before) : NULL;
    found.is_known = found.has_before = true;
    found.was_invalid = before->is_invalid;
    found.before = before->summary;
    found.before_ms = before->cost.typical_ms;
    npart_status status = line ? compare_words(before, line, after, &found, error)
                               : compare(before, after, &found, error);
    const char *lost = find_lost(before, after);
    if (status == NPART_OK && !found.is_worse && lost)
        tell_worse(&found, lost);
    if (status == NPART_OK)
        *out = found;
    return status;
}
