/* SPDX-License-Identifier: Apache-2.0
 *
 * What a search for rewrites found, for people: before and after, the steps, what was taken back, and what is left.
 */
#include <stdio.h>

#include "report/page.h"

/* What fits on one screen; --verbose shows all. */
#define LEFT_SHOWN 5u
#define NAMES_SHOWN 200u
#define ID_COLUMNS 18 /* of a rewrite's id, with the blanks after it; a longer one has one blank */

/* "4 partitions, 5 of 14 nodes on the CPU, split, ~1.1 ms". Nodes that are undecided, or that fail to compile, are
 * counted as on the CPU: they are live and not accepted. `ms` is negative where it is not known; a session that fails
 * has no run. */
static void put_outcome(struct npart__page *page, const struct npart_summary *at, double ms)
{
    uint32_t left = at->live - at->accepted;
    bool is_whole = at->verdict == NPART_PLAN_WHOLE, fails = at->verdict == NPART_PLAN_FAILS;
    npart__append_format(page->out, "%u partition%s, ", at->partitions, at->partitions == 1 ? "" : "s");
    if (left)
        npart__append_format(page->out, "%u of %u nodes on the CPU, ", left, at->live);
    npart__painted(page, is_whole ? NPART__GREEN : fails ? NPART__RED : NPART__YELLOW,
                   is_whole ? "whole" : fails ? "the session fails" : npart_plan_verdict_text(at->verdict));
    if (ms >= 0 && !fails) {
        npart__put(page, ", ");
        npart__append_estimate(page->out, ms);
    }
    npart__put(page, "\n");
}

/* First of all: such a model is not written. */
static void put_harm(struct npart__page *page, const struct npart_fix_info *info)
{
    if (!info->harm)
        return;
    npart__painted(page, NPART__RED, "  Worse than as it is: ");
    npart__wrapped(page, info->harm, 23, 8);
    npart__put(page, "\n");
}

/* Before: the model as it is in the file. After: the model that would be written, whose plan the page is turned to. */
static void put_targets(struct npart__page *page, const npart_fix *fix, const struct npart_fix_info *info)
{
    for (uint32_t i = 0; i < info->target_count; i++) {
        npart__page_turn(page, npart_fix_plan(fix, i));
        npart__paint(page, NPART__BOLD);
        npart__put_target(page);
        npart__paint(page, "0");
        npart__put(page, "\n  before  ");
        put_outcome(page, &info->before[i], info->before_ms[i]);
        npart__put(page, "  after   ");
        put_outcome(page, &info->after[i], info->after_ms[i]);
    }
}

/* Indented below its step, in the report's width. */
static void put_sentence(struct npart__page *page, const char *lead, const char *text)
{
    npart__put(page, "      ");
    npart__put(page, lead);
    npart__wrapped(page, text, (uint32_t)(6 + strlen(lead)), 8);
    npart__put(page, "\n");
}

/* A list that ends with NULL. Even --verbose stops somewhere: a rewrite may be at thousands of nodes. */
static void put_names(struct npart__page *page, const char *lead, const char *const *names)
{
    for (uint32_t i = 0; i < NAMES_SHOWN && names[i]; i++) {
        npart__put(page, "        ");
        npart__put(page, lead);
        npart__put_text(page, names[i]);
        npart__put(page, "\n");
    }
}

/* For one target what a step brings: "2 -> 1 partitions, 1 -> 0 on the CPU"; on a line of its own where it would pass
 * the end of the one that it begins in at `column`. */
static void put_change(struct npart__page *page, uint32_t column, const struct npart_summary *before,
                       const struct npart_summary *after)
{
    char text[96];
    (void)snprintf(text, sizeof text, "%u -> %u partitions, %u -> %u on the CPU\n", before->partitions,
                   after->partitions, before->live - before->accepted, after->live - after->accepted);
    if (column + strlen(text) > page->width)
        npart__append_format(page->out, "\n%*s", 5 + ID_COLUMNS, "");
    else if (page->out->size && page->out->data[page->out->size - 1] == ';')
        npart__put(page, " ");
    npart__put(page, text);
}

/* "  1  gathernd          bits    1 node -> 2; 2 -> 1 partitions, 1 -> 0 on the CPU", and so for further targets,
 * which stand in lines of their own below the first, from the column after the number and the id on. */
static void put_step(struct npart__page *page, uint32_t index, const struct npart_fix_step *at,
                     const struct npart_summary *before, uint32_t targets)
{
    npart__append_format(page->out, "%3u  ", index + 1);
    npart__paint(page, NPART__BOLD);
    npart__put(page, at->rewrite);
    npart__paint(page, "0");
    size_t length = strlen(at->rewrite);
    npart__append_format(page->out, "%*s%-8s", length < ID_COLUMNS ? (int)(ID_COLUMNS - length) : 1, "",
                         npart_equality_text(at->equality));
    char nodes[48] = "";
    if (at->removed_count || at->added_count)
        (void)snprintf(nodes, sizeof nodes, "%u node%s -> %u;", at->removed_count, at->removed_count == 1 ? "" : "s",
                       at->added_count);
    npart__put(page, nodes);
    put_change(page, (uint32_t)(5 + 8 + (length < ID_COLUMNS ? ID_COLUMNS : length + 1) + strlen(nodes)), before,
               at->after);
    for (uint32_t i = 1; i < targets; i++) {
        npart__append_format(page->out, "%*s", 5 + ID_COLUMNS, "");
        put_change(page, 0, &before[i], &at->after[i]);
    }
    put_sentence(page, "equal: ", at->argument);
    for (uint32_t i = 0; at->caveats[i]; i++)
        put_sentence(page, "note: ", at->caveats[i]);
    if (page->options->is_verbose) {
        put_names(page, "- ", at->removed);
        put_names(page, "+ ", at->added);
    }
}

/* Whether nothing is left to be mended on any target. */
static bool is_whole(const struct npart_fix_info *info)
{
    bool is_left = false;
    for (uint32_t i = 0; i < info->target_count; i++)
        is_left |= info->after[i].accepted < info->after[i].live || info->after[i].partitions > 1;
    return !is_left;
}

/* What bit for bit means in a session with its own optimizations. */
static void put_equality(struct npart__page *page, const npart_fix *fix, const struct npart_fix_info *info)
{
    struct npart_fix_step at = {.size = sizeof at};
    for (uint32_t i = 0; npart_fix_step(fix, i, &at); i++)
        if (at.equality != NPART_EQUAL_BITS)
            return;
    if (!info->step_count)
        return;
    npart__put(page, "Equal bit for bit ");
    npart__wrapped(page,
                   "with graph optimizations off. With a session's default ones ONNX Runtime fuses the two models each "
                   "its own way, and last digits may differ.", 18, 2);
    npart__put(page, "\n");
}

/* Steps build on each other, so each is compared with the one before it and the first with the model as it was. */
static void put_steps(struct npart__page *page, const npart_fix *fix, const struct npart_fix_info *info)
{
    struct npart_fix_step at = {.size = sizeof at};
    const struct npart_summary *before = info->before;
    npart__painted(page, NPART__BOLD, info->step_count ? "Steps\n"
                                      : is_whole(info) ? "Nothing to mend.\n"
                                                       : "No rewrite that may be used helps.\n");
    for (uint32_t i = 0; npart_fix_step(fix, i, &at); i++) {
        put_step(page, i, &at, before, info->target_count);
        before = at.after;
    }
}

/* The heading stands before the first, so there is none without any. */
static void put_taken_back(struct npart__page *page, const npart_fix *fix)
{
    const char *rewrite, *why;
    for (uint32_t i = 0; npart_fix_taken_back(fix, i, &rewrite, &why); i++) {
        npart__painted(page, NPART__BOLD, i ? "" : "Tried, and taken back\n");
        npart__append_format(page->out, "     %s: ", rewrite);
        npart__wrapped(page, why, (uint32_t)(7 + strlen(rewrite)), 8);
        npart__put(page, "\n");
    }
}

/* Why nodes of the model that would be written still fall back. Those that are not shown are counted on, for the
 * last line. */
static void put_left(struct npart__page *page, const npart_fix *fix, uint32_t target)
{
    struct npart_cause at = {.size = sizeof at};
    uint32_t most = page->options->is_verbose ? NPART_NONE : LEFT_SHOWN, count = 0;
    npart__page_turn(page, npart_fix_plan(fix, target));
    for (; npart_plan_cause(page->plan, count, &at, NULL, 0); count++) {
        if (count == 0) {
            npart__paint(page, NPART__BOLD);
            npart__put(page, "Left on ");
            npart__put_target(page);
            npart__paint(page, "0");
            npart__put(page, "\n");
        }
        if (count >= most)
            continue;
        npart__append_format(page->out, "%5u node%s ", at.affected_count, at.affected_count == 1 ? ": " : "s:");
        npart__wrapped(page, at.text, 13, 13);
        npart__put(page, "\n");
    }
    if (count > most)
        npart__append_format(page->out, "     and %u more causes (--verbose, or --format json)\n", count - most);
}

/* Files that the written model refers to. Named once each, as few as there are names of tensors in other lists. */
static void put_absent(struct npart__page *page, const struct npart_fix_info *info)
{
    if (!info->absent[0])
        return;
    npart__put(page, "External data that is not there; put it beside what is written:\n");
    put_names(page, "", info->absent);
}

/* A search has at least one target, so its first plan is there. */
void npart__fix_text(struct npart__report *report)
{
    struct npart__page turned, *page = npart__page_open(&turned, report);
    struct npart_fix_info info = {.size = sizeof info};
    const npart_fix *fix = report->subject->fix;
    (void)npart_fix_info(fix, &info);
    npart__page_turn(page, npart_fix_plan(fix, 0));
    npart__put_text(page, info.path);
    npart__put(page, "\n");
    put_harm(page, &info);
    put_targets(page, fix, &info);
    put_steps(page, fix, &info);
    put_equality(page, fix, &info);
    put_taken_back(page, fix);
    npart__put_fixed_cache(page, report->subject);
    npart__put_ends(page, fix);
    for (uint32_t i = 0; i < info.target_count; i++)
        put_left(page, fix, i);
    if (report->subject->written) {
        npart__put(page, "Written: ");
        npart__put_text(page, report->subject->written);
        npart__put(page, "\n");
        put_absent(page, &info);
    }
}
