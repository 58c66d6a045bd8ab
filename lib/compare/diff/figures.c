/* SPDX-License-Identifier: Apache-2.0
 *
 * Which figures of a plan are worse, better, or only different. A model that grew is not worse for being larger: what
 * counts is what does not run on the NPU, and what that costs. docs/diff.md has the rules in words.
 */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "diff/diff.h"

#define LEAST_SHARE 0.001 /* of coverage, that counts as a change */
#define PART_SHARE 0.1    /* of the change of a run, from which a part of it is told */
#define SAME_SIZE 0.01    /* two models of no more different MACs are of the same size */

/* How a figure is written. 15 as "15", 0.853 as "85.3 %", 1.7 as "1.70 ms", 4200000 as "4.2 MB". */
enum form { AS_COUNT, AS_SHARE, AS_MILLISECONDS, AS_BYTES };

static void append_milliseconds(struct npart__buffer *text, double value)
{
    npart__append_fixed(text, value, value < 1 ? 3 : value < 100 ? 2 : 0);
}

static void append_value(struct npart__buffer *text, double value, enum form form)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    size_t unit = 0;
    if (value < 0) {
        npart__append_text(text, "not known");
        return;
    }
    switch (form) {
    case AS_COUNT:
        npart__append_fixed(text, value, 0);
        break;
    case AS_SHARE:
        npart__append_fixed(text, value * 100, 1);
        npart__append_text(text, " %");
        break;
    case AS_MILLISECONDS:
        append_milliseconds(text, value);
        npart__append_text(text, " ms");
        break;
    case AS_BYTES:
        for (; value >= 1000 && unit + 1 < NPART__COUNT(units); unit++)
            value /= 1000;
        npart__append_fixed(text, value, unit ? 1 : 0);
        npart__append_text(text, " ");
        npart__append_text(text, units[unit]);
        break;
    }
}

static const char *unit_of(const struct npart_side *side)
{
    return side->unit ? side->unit : "NPU";
}

/* "weights on the NPU", "weights in XNNPACK": as the side after calls it. NULL: out of memory. */
static const char *on_unit(const struct npart__comparison *at, const char *what)
{
    const char *unit = unit_of(at->sides[NPART__AFTER]);
    return npart__arena_format(at->arena, strcmp(unit, "NPU") == 0 ? "%s on the %s" : "%s in %s", what, unit);
}

/* "partitions: 1 -> 3" */
static void append_change(struct npart__buffer *text, const char *label, double before, double after, enum form form)
{
    npart__append_format(text, "%s: ", label);
    append_value(text, before, form);
    npart__append_text(text, " -> ");
    append_value(text, after, form);
}

/* A figure that has not changed is not told. False when out of memory, as where there is no text or label. */
static bool keep(struct npart__comparison *at, const char *what, const char *text, double before, double after,
                 enum npart_change change)
{
    struct npart_diff_figure figure = {
        .size = sizeof figure, .change = change, .what = what, .text = text, .before = before, .after = after};
    return change == NPART_CHANGE_NONE || (text && NPART__PUSH(at->arena, &at->figures, figure));
}

static bool add(struct npart__comparison *at, const char *what, const char *label, double before, double after,
                enum form form, enum npart_change change)
{
    struct npart__buffer text = {.arena = at->arena};
    if (!label || change == NPART_CHANGE_NONE)
        return label != NULL;
    append_change(&text, label, before, after, form);
    return keep(at, what, npart__made_text(&text), before, after, change);
}

/* More is worse, unless `is_free`. Negative is not known: what is compared with it only differs. */
static enum npart_change more_is_worse(double before, double after, bool is_free)
{
    if (before == after)
        return NPART_CHANGE_NONE;
    if (before < 0 || after < 0 || is_free)
        return NPART_CHANGE_OTHER;
    return after > before ? NPART_CHANGE_WORSE : NPART_CHANGE_BETTER;
}

/* ---- the verdict ------------------------------------------------------------------------------------------- */

/* From the best on, as the words stand; "empty" and what is not said compare with nothing. */
static bool has_rank(enum npart_plan_verdict verdict)
{
    return verdict < NPART_PLAN_EMPTY;
}

static bool compare_verdicts(struct npart__comparison *at)
{
    enum npart_plan_verdict before = at->sides[NPART__BEFORE]->summary.verdict;
    enum npart_plan_verdict after = at->sides[NPART__AFTER]->summary.verdict;
    const char *a = npart_plan_verdict_text(before), *b = npart_plan_verdict_text(after);
    if (before == after || !a || !b)
        return true;
    enum npart_change change = !has_rank(before) || !has_rank(after) ? NPART_CHANGE_OTHER
                               : after > before                      ? NPART_CHANGE_WORSE
                                                                     : NPART_CHANGE_BETTER;
    return keep(at, "verdict",
                npart__arena_format(at->arena, "verdict: %s -> %s", *a ? a : "not known", *b ? b : "not known"), -1, -1,
                change);
}

/* ---- counts ------------------------------------------------------------------------------------------------ */

static double left_of(const struct npart_summary *at)
{
    return (double)at->live - at->accepted;
}

static bool is_on_npu(const struct npart_summary *at)
{
    return at->partitions > 0;
}

/* Both known, and nearly the same. Two models without a multiplication (0 and 0) are of the same size. */
static bool is_same_size(const struct npart_side *a, const struct npart_side *b)
{
    double x = (double)a->summary.macs, y = (double)b->summary.macs;
    return a->summary.has_macs && b->summary.has_macs && fabs(x - y) <= SAME_SIZE * (x > y ? x : y);
}

/* Negative where it is not known, or there is nothing to multiply: a share of nothing is no figure. */
static double mac_coverage(const struct npart_summary *at)
{
    return at->has_macs && at->macs ? at->mac_coverage : -1;
}

/* A share falls, too, where something on the NPU went: worse only where more is computed on the CPU. From 90 of
 * 100 million MACs on the NPU to 50 of 60 million the share falls from 90 to 83 %, and 10 million are on the CPU
 * as before: different, not worse. Without a total on either side the differences mean nothing, and are not
 * looked at. */
static enum npart_change compare_coverage(const struct npart_summary *a, const struct npart_summary *b)
{
    double before = mac_coverage(a), after = mac_coverage(b);
    double off_before = (double)(a->macs - a->macs_on_npu), off_after = (double)(b->macs - b->macs_on_npu);
    if (before < 0 && after < 0)
        return NPART_CHANGE_NONE;
    if (before < 0 || after < 0)
        return NPART_CHANGE_OTHER;
    if (fabs(before - after) < LEAST_SHARE)
        return NPART_CHANGE_NONE;
    if (after < before)
        return off_after > off_before ? NPART_CHANGE_WORSE : NPART_CHANGE_OTHER;
    return off_after < off_before ? NPART_CHANGE_BETTER : NPART_CHANGE_OTHER;
}

static bool compare_counts(struct npart__comparison *at)
{
    const struct npart_side *x = at->sides[NPART__BEFORE], *y = at->sides[NPART__AFTER];
    const struct npart_summary *a = &x->summary, *b = &y->summary;
    bool is_incomparable = !is_on_npu(a) || !is_on_npu(b); /* none at all is no better than some */
    double share = fabs(a->coverage - b->coverage) < LEAST_SHARE ? a->coverage : b->coverage;
    return add(at, "invalid", "ONNX Runtime does not load the model", x->is_invalid, y->is_invalid, AS_COUNT,
               more_is_worse(x->is_invalid, y->is_invalid, false)) &&
           add(at, "failed", "nodes that fail to compile", a->failed, b->failed, AS_COUNT,
               more_is_worse(a->failed, b->failed, false)) &&
           add(at, "partitions", "partitions", a->partitions, b->partitions, AS_COUNT,
               more_is_worse(a->partitions, b->partitions, is_incomparable)) &&
           add(at, "left", on_unit(at, "live nodes not"), left_of(a), left_of(b), AS_COUNT,
               more_is_worse(left_of(a), left_of(b), false)) &&
           add(at, "mac-coverage", "coverage (MACs)", mac_coverage(a), mac_coverage(b), AS_SHARE,
               compare_coverage(a, b)) &&
           add(at, "coverage", "coverage (nodes)", a->coverage, b->coverage, AS_SHARE,
               more_is_worse(a->coverage, share, true)) &&
           add(at, "nodes", "live nodes", a->live, b->live, AS_COUNT, more_is_worse(a->live, b->live, true));
}

/* ---- estimates --------------------------------------------------------------------------------------------- */

/* Of models of another size what falling back adds is compared: a run above one that is wholly on the NPU. 10 ms
 * where all on the NPU would be 8, then 14 where it would be 11.5, are 2 and 2.5 ms too much, and half a
 * millisecond is within 10 % of 10: the model grew, and nothing is worse. Where growth and what falls back go in
 * different directions neither is said. */
static enum npart_change compare_cost(const struct npart__comparison *at)
{
    const struct npart_side *a = at->sides[NPART__BEFORE], *b = at->sides[NPART__AFTER];
    double before = a->cost.typical_ms, after = b->cost.typical_ms, tolerance = at->options.cost_tolerance;
    double ideal_before = a->npu_whole.typical_ms, ideal_after = b->npu_whole.typical_ms;
    if (before < 0 && after < 0)
        return NPART_CHANGE_NONE;
    if (before < 0 || after < 0)
        return NPART_CHANGE_OTHER;
    if (fabs(after - before) <= tolerance * before)
        return NPART_CHANGE_NONE;
    if (is_same_size(a, b))
        return after > before ? NPART_CHANGE_WORSE : NPART_CHANGE_BETTER;
    if (ideal_before < 0 || ideal_after < 0)
        return NPART_CHANGE_OTHER;
    double added = (after - ideal_after) - (before - ideal_before);
    if (fabs(added) <= tolerance * before || (added > 0) != (after > before))
        return NPART_CHANGE_OTHER;
    return added > 0 ? NPART_CHANGE_WORSE : NPART_CHANGE_BETTER;
}

/* The parts of a run, as they are told. */
static const struct {
    const char *name;
    size_t offset;
} parts[] = {
    {"CPU", offsetof(struct npart_side_parts, cpu_ms)},
    {NULL, offsetof(struct npart_side_parts, npu_ms)}, /* as the unit is called */
    {"launches", offsetof(struct npart_side_parts, launch_ms)},
    {"copies", offsetof(struct npart_side_parts, copy_ms)},
    {"layout", offsetof(struct npart_side_parts, layout_ms)},
    {"quantizing", offsetof(struct npart_side_parts, quantize_ms)},
};

static double part_of(const struct npart_side *side, size_t part)
{
    return *(const double *)((const char *)&side->parts + parts[part].offset);
}

/* Of each side there is some part, or nothing is known of them. */
static bool has_parts(const struct npart_side *side)
{
    double sum = 0;
    for (size_t i = 0; i < NPART__COUNT(parts); i++)
        sum += part_of(side, i);
    return side->cost.typical_ms >= 0 && sum > 0;
}

/* Those that make a tenth of the change or more, the largest first: " (NPU 12.10 -> 0.300, launches 0.260 -> 0.12)". */
static void append_parts(struct npart__buffer *text, const struct npart_side *a, const struct npart_side *b)
{
    double least = PART_SHARE * fabs(b->cost.typical_ms - a->cost.typical_ms), last = INFINITY;
    size_t told = 0, told_last = 0;
    if (!has_parts(a) || !has_parts(b))
        return;
    for (;;) {
        size_t next = NPART__COUNT(parts);
        double most = 0;
        for (size_t i = 0; i < NPART__COUNT(parts); i++) {
            double change = fabs(part_of(b, i) - part_of(a, i));
            bool is_after = change < last || (change == last && i > told_last);
            if (change >= least && is_after && change > most) {
                next = i;
                most = change;
            }
        }
        if (next == NPART__COUNT(parts))
            break;
        last = most;
        told_last = next;
        npart__append_format(text, "%s%s ", told++ ? ", " : " (",
                             parts[next].name ? parts[next].name : unit_of(b));
        append_milliseconds(text, part_of(a, next));
        npart__append_text(text, " -> ");
        append_milliseconds(text, part_of(b, next));
    }
    npart__append_text(text, told ? ")" : "");
}

/* "a run: 14.44 ms -> 0.413 ms", and in what. */
static bool compare_runs(struct npart__comparison *at)
{
    const struct npart_side *a = at->sides[NPART__BEFORE], *b = at->sides[NPART__AFTER];
    struct npart__buffer text = {.arena = at->arena};
    enum npart_change change = compare_cost(at);
    if (change == NPART_CHANGE_NONE)
        return true;
    append_change(&text, "a run", a->cost.typical_ms, b->cost.typical_ms, AS_MILLISECONDS);
    append_parts(&text, a, b);
    return keep(at, "cost", npart__made_text(&text), a->cost.typical_ms, b->cost.typical_ms, change);
}

static double bytes_of(uint64_t bytes)
{
    return bytes == UINT64_MAX ? -1 : (double)bytes;
}

/* Within the tolerance none; a larger model may take more. */
static enum npart_change compare_bytes(const struct npart__comparison *at, uint64_t before, uint64_t after,
                                       bool is_free)
{
    double a = bytes_of(before), b = bytes_of(after);
    if (a >= 0 && b >= 0 && fabs(a - b) <= at->options.memory_tolerance * a)
        return NPART_CHANGE_NONE;
    return more_is_worse(a, b, is_free || !is_same_size(at->sides[0], at->sides[1]));
}

/* What a report does not list is no change. NPART_NONE is what a side has for it, and would be a very large
 * number. */
static enum npart_change compare_listed(uint32_t before, uint32_t after, bool is_free)
{
    return before == NPART_NONE || after == NPART_NONE ? NPART_CHANGE_NONE : more_is_worse(before, after, is_free);
}

/* Partitions that do not fit count as worse only where partitions, nodes taken and size are as they were: one
 * large partition in the place of two small ones is what most targets want. Weights and the NPU's own peak grow
 * when more is taken, so more of them is never worse. */
static bool compare_estimates(struct npart__comparison *at)
{
    const struct npart_side *a = at->sides[NPART__BEFORE], *b = at->sides[NPART__AFTER];
    bool are_others = a->summary.partitions != b->summary.partitions || a->summary.accepted != b->summary.accepted ||
                      !is_same_size(a, b);
    return compare_runs(at) &&
           add(at, "limits", "limits of memory that are passed", a->limits, b->limits, AS_COUNT,
               compare_listed(a->limits, b->limits, false)) &&
           add(at, "off-chip", "partitions that do not fit on the chip", a->off_chip, b->off_chip, AS_COUNT,
               compare_listed(a->off_chip, b->off_chip, are_others)) &&
           add(at, "peak", "peak of activations", bytes_of(a->peak_bytes), bytes_of(b->peak_bytes), AS_BYTES,
               compare_bytes(at, a->peak_bytes, b->peak_bytes, false)) &&
           add(at, "npu-peak", on_unit(at, "peak of activations"), bytes_of(a->npu_peak_bytes),
               bytes_of(b->npu_peak_bytes), AS_BYTES, compare_bytes(at, a->npu_peak_bytes, b->npu_peak_bytes, true)) &&
           add(at, "weights", "weights", bytes_of(a->weight_bytes), bytes_of(b->weight_bytes), AS_BYTES,
               compare_bytes(at, a->weight_bytes, b->weight_bytes, true)) &&
           add(at, "npu-weights", on_unit(at, "weights"), bytes_of(a->npu_weight_bytes), bytes_of(b->npu_weight_bytes),
               AS_BYTES, compare_bytes(at, a->npu_weight_bytes, b->npu_weight_bytes, true));
}

/* Worse, better, other; else as they were found. By moving each to its place: there are about fifteen. */
static void order_figures(struct npart__figures *figures)
{
    uint32_t place = 0;
    for (int change = NPART_CHANGE_WORSE; change > NPART_CHANGE_NONE; change--)
        for (uint32_t i = place; i < figures->count; i++) {
            struct npart_diff_figure figure = figures->items[i];
            if ((int)figure.change != change)
                continue;
            memmove(&figures->items[place + 1], &figures->items[place], (i - place) * sizeof figure);
            figures->items[place++] = figure;
        }
}

bool npart__compare_figures(struct npart__comparison *comparison)
{
    bool is_ok = compare_verdicts(comparison) && compare_counts(comparison) && compare_estimates(comparison);
    if (is_ok)
        order_figures(&comparison->figures);
    return is_ok;
}
