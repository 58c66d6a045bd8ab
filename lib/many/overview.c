/* SPDX-License-Identifier: Apache-2.0
 *
 * --summary: a line for each model and target, with what to do first.
 */
#include <stdio.h>

#include "many/many.h"

#define MODEL_COLUMNS 30u
#define TARGET_COLUMNS 16u
#define ACTION_COLUMNS 76u /* of 80 */

struct row {
    const char *model, *target, *action; /* as they are shown; action: NULL: none */
    struct npart_summary summary;
    bool is_analyzed;
};

struct npart_overview {
    struct npart__life *life;
    struct NPART__ARRAY(struct row) rows;
};

npart_status npart_overview_make(npart_overview **out, const struct npart_allocator *allocator,
                                 struct npart_error *error)
{
    if (!out)
        return npart__fail_null("out", error);
    npart_overview *overview = npart__handle_new(sizeof *overview, allocator);
    if (!overview)
        return npart__fail_memory(error);
    *out = overview;
    return NPART_OK;
}

NPART__FREES(overview)

/* As npart_plain_text shows it; of a text that is too long its beginning, or its end, which is what tells paths apart.
 * NULL when out of memory. */
static const char *show(npart_overview *overview, const char *text, size_t columns, bool is_end)
{
    struct npart__buffer plain;
    npart__buffer_init(&plain, &overview->life->arena);
    npart__append_plain(&plain, text, strlen(text));
    char *shown = (char *)(uintptr_t)npart__kept_text(&plain), *at = shown;
    size_t all = shown ? npart__columns_of(shown, strlen(shown)) : 0;
    if (!is_end && shown)
        npart__cut_columns(shown, columns);
    if (!is_end || all <= columns)
        return shown;
    for (size_t left = all; left > columns - 3; left--)
        for (at++; !npart__begins_character(*at); at++)
            continue;
    memcpy(at - 3, "...", 3); /* more than that is cut off */
    return at - 3;
}

/* What to do first, or what stands in the way; "" where there is nothing. */
static const char *first_action(const npart_plan *plan, const npart_advice *advice)
{
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_action action = {.size = sizeof action};
    if (npart_advice_action(advice, 0, &action))
        return action.text;
    return npart_plan_cause(plan, 0, &cause, NULL, 0) ? cause.text : "";
}

npart_status npart_overview_add(npart_overview *overview, const char *model, const char *target, const npart_plan *plan,
                                const npart_advice *advice, struct npart_error *error)
{
    struct row row = {.summary = {.size = sizeof row.summary}};
    if (!overview || !model || !target)
        return npart__fail_null(!overview ? "overview" : !model ? "model" : "target", error);
    row.model = show(overview, model, MODEL_COLUMNS, true);
    row.target = show(overview, target, TARGET_COLUMNS, true);
    row.is_analyzed = npart_plan_summary(plan, &row.summary);
    row.action = show(overview, row.is_analyzed ? first_action(plan, advice) : "", ACTION_COLUMNS, false);
    bool is_added = row.model && row.target && row.action &&
                    NPART__PUSH(&overview->life->arena, &overview->rows, row);
    return is_added ? NPART_OK : npart__settle_for(overview->life, npart__fail_memory(error), error);
}

static const char *color_of(const struct row *row)
{
    switch (row->is_analyzed ? row->summary.verdict : NPART_PLAN_FAILS) {
    case NPART_PLAN_WHOLE:
    case NPART_PLAN_EDGE:
        return "32";
    case NPART_PLAN_SPLIT:
        return "33";
    case NPART_PLAN_EMPTY:
        return "2";
    default:
        return "31";
    }
}

static size_t columns_of(const char *text)
{
    return npart__columns_of(text, strlen(text));
}

static void put_padded(struct npart__buffer *out, const char *text, size_t columns)
{
    npart__append_text(out, text);
    for (size_t i = columns_of(text); i < columns; i++)
        npart__append(out, " ", 1);
}

static void put_row(struct npart__buffer *out, const struct row *row, size_t model, size_t target, bool use_color)
{
    const struct npart_summary *summary = &row->summary;
    char macs[NPART__NUMBER_BYTES] = "-", nodes[NPART__NUMBER_BYTES];
    put_padded(out, row->model, model + 2);
    put_padded(out, row->target, target + 2);
    if (use_color)
        npart__append_format(out, "\033[%sm", color_of(row));
    put_padded(out, row->is_analyzed ? npart_plan_verdict_text(summary->verdict) : "error", row->is_analyzed ? 7 : 0);
    npart__append_text(out, use_color ? "\033[0m" : "");
    if (row->is_analyzed && !summary->has_macs)
        (void)snprintf(macs, sizeof macs, "?");
    else if (row->is_analyzed && summary->macs)
        (void)npart__fixed_text(macs, summary->mac_coverage * 100, 1);
    if (row->is_analyzed)
        npart__append_format(out, " %5u %6s %7s", summary->partitions, macs,
                             npart__fixed_text(nodes, summary->coverage * 100, 1));
    npart__append_text(out, "\n");
    if (*row->action)
        npart__append_format(out, "  %s\n", row->action);
}

npart_status npart_overview_text(const npart_overview *overview, const struct npart_report_options *look,
                                 npart_write_callback write, void *payload, struct npart_error *error)
{
    struct npart__arena arena;
    struct npart__buffer out;
    size_t model = 5, target = 6;
    if (!overview || !write)
        return npart__fail_null(!overview ? "overview" : "write", error);
    npart__buffer_open(&out, &arena, &overview->life->arena.allocator, NULL, NULL);
    for (uint32_t i = 0; i < overview->rows.count; i++) {
        const struct row *row = &overview->rows.items[i];
        model = columns_of(row->model) > model ? columns_of(row->model) : model;
        target = columns_of(row->target) > target ? columns_of(row->target) : target;
    }
    put_padded(&out, "model", model + 2);
    put_padded(&out, "target", target + 2);
    npart__append_text(&out, "verdict parts % MACs % nodes\n");
    for (uint32_t i = 0; i < overview->rows.count; i++)
        put_row(&out, &overview->rows.items[i], model, target, look && look->use_color);
    return npart__buffer_end(&out, write, payload, NPART_OK, error);
}
