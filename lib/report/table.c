/* SPDX-License-Identifier: Apache-2.0
 *
 * Several targets side by side: a line each.
 */
#include <stdio.h>

#include "report/page.h"

#define STRIP_CELLS 12u
#define LEAST_CAUSE_COLUMNS 16u

/* At most so many columns, with "..." where more were; never a part of a character. */
static void put_cut(struct npart__page *page, const char *text, size_t columns)
{
    size_t length = strlen(text), fits = 0, seen = 0;
    if (npart__shown_columns(text, length) <= columns) {
        npart__put_outside(page, text, length);
        return;
    }
    while (fits < length) {
        char shown[NPART__PLAIN_BYTES];
        size_t shown_length, taken = npart__next_plain(text + fits, length - fits, shown, &shown_length);
        seen += npart__shown_columns(text + fits, taken);
        if (seen + 3 > columns)
            break;
        fits += taken;
    }
    npart__put_outside(page, text, fits);
    npart__put(page, "...");
}

/* The target's text, measured without colour. */
static size_t target_columns(struct npart__page *page)
{
    struct npart_report_options plain = *page->options;
    struct npart__buffer text;
    struct npart__page measured = *page;
    plain.use_color = false;
    npart__buffer_init(&text, page->out->arena);
    measured.out = &text;
    measured.options = &plain;
    npart__put_target(&measured);
    page->out->failed |= text.failed;
    return npart__shown_columns(npart__buffer_text(&text), text.size);
}

static void put_blanks(struct npart__page *page, size_t count)
{
    npart__append_format(page->out, "%*s", (int)count, "");
}

static void put_cost(struct npart__page *page)
{
    struct npart__buffer text;
    struct npart__page measured = *page;
    npart__buffer_init(&text, page->out->arena);
    measured.out = &text;
    if (page->plan->summary.partitions) {
        npart__put_milliseconds(&measured, page->plan->cost.total_ms.low);
        npart__put(&measured, "-");
        npart__put_milliseconds(&measured, page->plan->cost.total_ms.high);
    }
    const char *shown = npart__buffer_text(&text);
    npart__append_format(page->out, " %10s%s", shown, page->plan->cost.is_calibrated || !*shown ? "" : "?");
    page->out->failed |= text.failed;
}

static void put_row(struct npart__page *page, size_t name_columns, size_t cause_columns)
{
    const struct npart_summary *summary = &page->plan->summary;
    const struct npart__causes *causes = &page->plan->causes;
    size_t columns = target_columns(page);
    uint32_t cells = summary->live < STRIP_CELLS ? summary->live : STRIP_CELLS;
    npart__put_target(page);
    put_blanks(page, name_columns - columns + 2);
    npart__put_verdict(page, 5);
    npart__put(page, "  ");
    npart__put_strip(page, STRIP_CELLS);
    put_blanks(page, STRIP_CELLS - cells + 1);
    char share[16];
    struct npart__buffer number;
    npart__buffer_init(&number, page->out->arena);
    npart__append_fixed(&number, summary->coverage * 100, 1);
    (void)snprintf(share, sizeof share, "%6s", npart__buffer_text(&number));
    npart__append_format(page->out, "%s %5u %4u", share, summary->partitions, summary->switches);
    if (summary->partitions || causes->items.count)
        put_cost(page);
    if (causes->items.count) {
        npart__put(page, page->plan->cost.is_calibrated || summary->partitions == 0 ? "  " : " ");
        npart__paint(page, NPART__DIM);
        put_cut(page, causes->items.items[0].text, cause_columns);
        npart__paint(page, "0");
    }
    npart__put(page, "\n");
    page->out->failed |= number.failed;
}

void npart__put_table(struct npart__page *page, const struct npart__plan_pair *pairs, size_t count)
{
    size_t name_columns = 6;
    for (size_t i = 0; i < count; i++) {
        page->plan = pairs[i].plan;
        size_t columns = target_columns(page);
        name_columns = columns > name_columns ? columns : name_columns;
    }
    size_t fixed = name_columns + 2 + 5 + 2 + STRIP_CELLS + 1 + 6 + 1 + 5 + 1 + 4 + 1 + 10 + 2;
    size_t cause_columns = page->width > fixed + LEAST_CAUSE_COLUMNS ? page->width - fixed : LEAST_CAUSE_COLUMNS;
    npart__put(page, "\n");
    npart__paint(page, NPART__DIM);
    npart__append_format(page->out, "%-*s  verdict%*s %% NPU parts   sw   ms a run  first cause\n",
                         (int)name_columns, "target", (int)STRIP_CELLS, "");
    npart__paint(page, "0");
    for (size_t i = 0; i < count; i++) {
        page->plan = pairs[i].plan;
        page->graph = page->plan->graph;
        put_row(page, name_columns, cause_columns);
    }
    if (!page->options->is_verbose)
        npart__put(page, "\n  sw: switches; ?: mostly assumed; details: one target alone, or --verbose\n");
}
