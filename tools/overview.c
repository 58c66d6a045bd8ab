/* SPDX-License-Identifier: Apache-2.0 */
#include "overview.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "columns.h"
#include "grow.h"

#define MODEL_COLUMNS 30
#define TARGET_COLUMNS 16
#define ACTION_COLUMNS 76 /* of 80 */

struct overview_row {
    char model[4 * MODEL_COLUMNS], target[4 * TARGET_COLUMNS]; /* as they are shown */
    char action[4 * ACTION_COLUMNS];
    struct npart_summary summary;
    bool is_analyzed;
};

/* Of a text that is too long its end, which is what tells paths apart. */
static void show_end(const char *text, char *out, size_t bytes, size_t columns)
{
    char plain[4096];
    (void)npart_plain_text(text, plain, sizeof plain);
    const char *at = plain;
    bool is_cut = columns_of(plain) > columns;
    for (size_t left = columns_of(plain); is_cut && left > columns - 3; left--)
        for (at++; !begins_character(*at); at++)
            continue;
    (void)snprintf(out, bytes, "%s%.*s", is_cut ? "..." : "", (int)bytes - 4, at);
}

/* Of a text that is too long its beginning. */
static void show_beginning(const char *text, char *out, size_t bytes, size_t columns)
{
    char plain[4096];
    (void)npart_plain_text(text, plain, sizeof plain);
    cut_to_columns(plain, columns);
    (void)snprintf(out, bytes, "%.*s", (int)bytes - 1, plain);
}

/* What to do first, or what stands in the way. */
static void find_action(const npart_plan *plan, const npart_advice *advice, struct overview_row *row)
{
    struct npart_cause cause = {.size = sizeof cause};
    struct npart_action action = {.size = sizeof action};
    if (npart_advice_action(advice, 0, &action))
        show_beginning(action.text, row->action, sizeof row->action, ACTION_COLUMNS);
    else if (npart_plan_cause(plan, 0, &cause, NULL, 0))
        show_beginning(cause.text, row->action, sizeof row->action, ACTION_COLUMNS);
}

bool overview_add(struct overview *overview, const char *model, const char *target, const npart_plan *plan,
                  const npart_advice *advice)
{
    overview->rows = grow(overview->rows, sizeof *overview->rows, overview->count, &overview->capacity);
    if (overview->count == overview->capacity)
        return false;
    struct overview_row *row = &overview->rows[overview->count++];
    memset(row, 0, sizeof *row);
    show_end(model, row->model, sizeof row->model, MODEL_COLUMNS);
    show_end(target, row->target, sizeof row->target, TARGET_COLUMNS);
    row->summary.size = sizeof row->summary;
    row->is_analyzed = plan && npart_plan_summary(plan, &row->summary);
    if (row->is_analyzed)
        find_action(plan, advice, row);
    return true;
}

static const char *color_of(const struct overview_row *row)
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

static void write_text(const char *text, npart_write_callback write, void *payload)
{
    (void)write(payload, text, strlen(text)); /* what cannot be written is told when the output is closed */
}

static void write_padded(const char *text, size_t columns, npart_write_callback write, void *payload)
{
    write_text(text, write, payload);
    for (size_t i = columns_of(text); i < columns; i++)
        write_text(" ", write, payload);
}

static void write_row(const struct overview_row *row, size_t model, size_t target, bool use_color,
                      npart_write_callback write, void *payload)
{
    const struct npart_summary *summary = &row->summary;
    const char *verdict = row->is_analyzed ? npart_plan_verdict_text(summary->verdict) : "error";
    char line[128], macs[16] = "-";
    write_padded(row->model, model + 2, write, payload);
    write_padded(row->target, target + 2, write, payload);
    if (use_color) {
        (void)snprintf(line, sizeof line, "\033[%sm", color_of(row));
        write_text(line, write, payload);
    }
    write_padded(verdict, row->is_analyzed ? 7 : 0, write, payload);
    write_text(use_color ? "\033[0m" : "", write, payload);
    if (row->is_analyzed && !summary->has_macs)
        (void)snprintf(macs, sizeof macs, "?");
    else if (row->is_analyzed && summary->macs)
        (void)snprintf(macs, sizeof macs, "%.1f", summary->mac_coverage * 100);
    if (row->is_analyzed)
        (void)snprintf(line, sizeof line, " %5u %6s %7.1f\n", summary->partitions, macs, summary->coverage * 100);
    else
        (void)snprintf(line, sizeof line, "\n");
    write_text(line, write, payload);
    if (*row->action) {
        write_text("  ", write, payload);
        write_text(row->action, write, payload);
        write_text("\n", write, payload);
    }
}

void overview_write(const struct overview *overview, bool use_color, npart_write_callback write, void *payload)
{
    size_t model = 5, target = 6;
    for (size_t i = 0; i < overview->count; i++) {
        size_t wanted = columns_of(overview->rows[i].model);
        model = wanted > model ? wanted : model;
        wanted = columns_of(overview->rows[i].target);
        target = wanted > target ? wanted : target;
    }
    write_padded("model", model + 2, write, payload);
    write_padded("target", target + 2, write, payload);
    write_text("verdict parts % MACs % nodes\n", write, payload);
    for (size_t i = 0; i < overview->count; i++)
        write_row(&overview->rows[i], model, target, use_color, write, payload);
}

void overview_free(struct overview *overview)
{
    free(overview->rows);
    *overview = (struct overview){0};
}
