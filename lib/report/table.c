/* SPDX-License-Identifier: Apache-2.0
 *
 * Several targets side by side: a line each, with verdict, strip, coverage, partitions, device
 * switches and cost; in a second line what to do first, or why. Details of one are a report of its
 * own, or come with --verbose.
 */
#include "report/page.h"

/* Wide enough to tell one split from many. */
#define STRIP_CELLS 12u
#define LINE_INDENT 4u /* of the second line of a target */

static void put_blanks(struct npart__page *page, size_t count)
{
    npart__append_format(page->out, "%*s", (int)count, "");
}

/* Written apart first, since it is padded as a whole. A "?" stands after costs that rest mostly on assumptions.
 * "0.80-21.0?". In milliseconds, from low to high: the figures of the column are there to be compared, and where
 * ranges overlap nothing is decided. */
static void put_cost(struct npart__page *page)
{
    struct npart__buffer text;
    struct npart__page measured = *page;
    if (page->cost.total.typical_ms < 0) {
        npart__append_format(page->out, " %10s", "not known");
        return;
    }
    npart__buffer_init(&text, page->arena);
    measured.out = &text;
    npart__put_milliseconds(&measured, page->cost.total.low_ms);
    npart__put(&measured, "-");
    npart__put_milliseconds(&measured, page->cost.total.high_ms);
    const char *shown = npart__buffer_text(&text);
    npart__append_format(page->out, " %10s%s", shown, page->cost.is_calibrated ? "" : "?");
    npart__buffer_release(&text);
}

/* Columns and not bytes: names of lists may be in any language. The target is an op list's name with what was asked
 * for, which is outside text. */
static size_t target_columns(struct npart__page *page)
{
    return npart__shown_columns(page, page->info.target, strlen(page->info.target));
}

/* Padded as text, since decimals are written without printf. Of nodes, which is known of every plan; arithmetic may
 * not be. */
static void put_share(struct npart__page *page)
{
    struct npart__buffer text;
    npart__buffer_init(&text, page->arena);
    npart__append_fixed(&text, page->summary.coverage * 100, 1);
    npart__append_format(page->out, "%6s", npart__buffer_text(&text));
    npart__buffer_release(&text);
}

/* The first action by the table's width; where there is none, the first cause. An action of the kind "none" says
 * why nothing can be done: it has no "do first" before it. Cut rather than wrapped, so that the table stays two
 * lines for each target. */
static void put_second_line(struct npart__page *page, const struct npart_plan_pair *pair)
{
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_action action = {.size = sizeof action};
    bool has_action = npart_advice_action(pair->advice, 0, &action);
    const char *label = has_action && strcmp(action.kind, "none") != 0 ? "do first: " : has_action ? "" : "why: ";
    if (!has_action && !npart_plan_cause(page->plan, 0, &cause, NULL, 0))
        return;
    put_blanks(page, LINE_INDENT);
    npart__put(page, label);
    npart__paint(page, NPART__DIM);
    npart__put_cut(page, has_action ? action.text : cause.text, page->width - LINE_INDENT - strlen(label));
    npart__paint(page, "0");
    npart__put(page, "\n");
}

/* Blanks pad what has colour, since widths of printf would count its escapes. A plan with fewer nodes than cells has a
 * shorter strip. Without partitions there is nothing to run on the NPU, and no cost is told. */
static void put_row(struct npart__page *page, const struct npart_plan_pair *pair)
{
    const struct npart_summary *summary = &page->summary;
    uint32_t cells = summary->live < STRIP_CELLS ? summary->live : STRIP_CELLS;
    npart__put_verdict(page, 5);
    npart__put(page, "  ");
    npart__put_strip(page, STRIP_CELLS);
    put_blanks(page, STRIP_CELLS - cells + 1);
    put_share(page);
    npart__append_format(page->out, " %5u %8u", summary->partitions, summary->switches);
    if (summary->partitions)
        put_cost(page);
    npart__put(page, "\n");
    put_second_line(page, pair);
}

void npart__make_row(struct npart__page *page, const struct npart_plan_pair *pair, struct npart__row *out)
{
    struct npart__buffer text, *before = page->out;
    npart__buffer_init(&text, page->arena);
    page->out = &text;
    npart__put_target(page);
    *out = (struct npart__row){.name = npart__keep_text(&text), .name_columns = target_columns(page)};
    put_row(page, pair);
    out->rest = npart__keep_text(&text);
    page->out = before;
}

/* The longest name of a target decides the first column, and the rest is fixed. */
void npart__put_table(struct npart__page *page, const struct npart__row *rows, size_t count)
{
    size_t name_columns = 6;
    for (size_t i = 0; i < count; i++)
        name_columns = rows[i].name_columns > name_columns ? rows[i].name_columns : name_columns;
    npart__put(page, "\n");
    npart__paint(page, NPART__DIM);
    npart__append_format(page->out, "%-*s  verdict%*s %% NPU parts switches   ms a run\n", (int)name_columns,
                         "target", (int)STRIP_CELLS, "");
    npart__paint(page, "0");
    for (size_t i = 0; i < count; i++) {
        npart__put(page, rows[i].name);
        put_blanks(page, name_columns - rows[i].name_columns + 2);
        npart__put(page, rows[i].rest);
    }
    if (!page->options->is_verbose)
        npart__put(page, "\n  % NPU: of nodes; ms a run: 8 of 10, ?: uncalibrated;\n"
                   "  details: one target alone, or --verbose\n");
}
