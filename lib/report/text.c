/* SPDX-License-Identifier: Apache-2.0
 *
 * The report for a person at a terminal, who has ten seconds: does it run there, is it worth it, what to type, why.
 * What else is known stands below with --verbose.
 */
#include "report/page.h"

/* With --verbose the reasons and the picture stand below, with their rules. */
static void target(struct npart__page *page, const struct npart_plan_pair *pair, bool is_alone)
{
    npart__put_headline(page);
    npart__put_failure(page);
    npart__put(page, "\n");
    npart__put_compiled(page);
    npart__tell_release(page, pair->advice);
    npart__put_fit(page);
    npart__put_decided(page);
    npart__put_wrong(page);
    npart__put_asked_precision(page);
    npart__put_worth(page, pair);
    npart__put_compile(page);
    npart__put_steps(page, pair);
    npart__put_block_weights(page);
    if (!page->options->is_verbose) {
        npart__put_why(page);
        npart__put_nodes(page);
    }
    npart__put_serving(page, pair->advice);
    npart__put_moves(page);
    if (is_alone)
        npart__put_notes(page, true);
    npart__put_checked(page, pair);
    if (page->options->is_verbose)
        npart__put_details(page, pair);
}

static bool has_precisions(const struct npart__row *rows, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (rows[i].as)
            return true;
    return false;
}

/* Head and notes once, as they hold for all targets; several targets are a table, and reports of their own only where
 * more is asked for. These stand after the table, which needs the names of all first, and each plan is asked for
 * once. */
void npart__plans_text(struct npart__report *report)
{
    size_t count = report->subject->count;
    struct npart__page turned, *page = npart__page_open(&turned, report);
    struct npart__buffer details;
    npart__page_turn(page, report->pair.plan);
    npart__buffer_init(&details, page->arena);
    struct npart__row *rows = npart__arena_zeroed(page->arena, count, sizeof *rows);
    npart__put_head(page);
    npart__put_inputs(page);
    npart__put_sizes(page);
    for (size_t i = 0; i < count && !report->arena.failed; i++) {
        if (i && !npart__turn_to_plan(report, i))
            return;
        npart__page_turn(page, report->pair.plan);
        if (count > 1)
            npart__make_row(page, &report->pair, &rows[i]);
        page->out = count > 1 ? &details : &report->out;
        if (count > 1 && page->options->is_verbose)
            npart__put(page, "\n");
        if (count == 1 || page->options->is_verbose)
            target(page, &report->pair, count == 1);
        page->out = &report->out;
    }
    if (report->arena.failed)
        return;
    if (count > 1) {
        (has_precisions(rows, count) ? npart__put_as_table : npart__put_table)(page, rows, count);
        npart__put_notes(page, false);
    }
    npart__append_text(page->out, npart__buffer_text(&details));
}
