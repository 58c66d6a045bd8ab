/* SPDX-License-Identifier: Apache-2.0
 *
 * What weights lose when they are rounded: all of it as JSON, and for a person those that lose most.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "report/page.h"

#define LOSSES_SCHEMA 2
#define SHOWN 16u /* weights, without --verbose */
#define NAME_COLUMNS 40u

uint32_t npart__find_rounding(const char *name)
{
    uint32_t at = 0;
    while (npart_rounding_name(at) && strcmp(npart_rounding_name(at), name) != 0)
        at++;
    return at;
}

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* Nine digits that count, whatever the size; null: no number that JSON has. */
static void put_real(struct npart__buffer *out, const char *key, double value)
{
    char text[40] = "null";
    if (isfinite(value))
        (void)snprintf(text, sizeof text, "%.9e", value);
    for (char *at = text; *at; at++)
        if (*at == ',')
            *at = '.';
    npart__json_value(out, key, text);
}

static void put_weight(struct npart__buffer *out, const struct npart_weight_loss *at)
{
    npart__json_open(out, NULL, '{');
    npart__json_text(out, "name", at->name);
    npart__json_text(out, "node", at->node);
    npart__json_text(out, "op", at->op);
    npart__json_open(out, "shape", '[');
    for (uint32_t i = 0; i < at->rank; i++)
        npart__json_number(out, NULL, at->dims[i]);
    npart__json_close(out, ']');
    npart__json_count(out, "elements", at->elements);
    npart__json_count(out, "zeros", at->zeros);
    npart__json_decimal_or_null(out, "two_of_four", at->two_of_four);
    put_real(out, "abs_max", at->abs_max);
    npart__json_count(out, "beyond_float16", at->beyond_float16);
    npart__json_open(out, "db", '{');
    for (uint32_t i = 0; npart_rounding_name(i); i++)
        put_real(out, npart_rounding_name(i), at->is_known[i] ? at->decibels[i] : (double)NAN);
    npart__json_close(out, '}');
    npart__json_close(out, '}');
}

void npart__losses_json(struct npart__report *report)
{
    struct npart__buffer *out = &report->out;
    struct npart_losses_info info = {.size = sizeof info};
    struct npart_weight_loss at = {.size = sizeof at};
    (void)npart_losses_info(report->subject->losses, &info);
    npart__json_begin(out, LOSSES_SCHEMA, NULL);
    npart__json_text(out, "command", "weights");
    npart__json_text(out, "model", report->subject->model ? report->subject->model : "");
    npart__json_open(out, "weights", '[');
    for (uint32_t i = 0; npart_losses_weight(report->subject->losses, i, &at) && !out->failed; i++)
        put_weight(out, &at);
    npart__json_close(out, ']');
    npart__json_count(out, "bytes", info.bytes);
    npart__json_decimal(out, "seconds", report->subject->seconds);
    npart__json_close(out, '}');
    npart__append_text(out, "\n");
}

/* ---- text -------------------------------------------------------------------------------------------------------- */

static int compare_lines(const void *left, const void *right)
{
    const struct npart__loss *a = left, *b = right;
    if (a->worst < b->worst || b->worst < a->worst)
        return a->worst < b->worst ? -1 : 1;
    return a->index < b->index ? -1 : a->index > b->index;
}

static void put_cell(struct npart__page *page, const struct npart_weight_loss *at, const char *rounding)
{
    uint32_t index = npart__find_rounding(rounding);
    struct npart__buffer text = {.arena = page->arena};
    if (at->is_known[index])
        npart__append_fixed(&text, at->decibels[index], 1);
    else
        npart__append_text(&text, "-");
    npart__append_format(page->out, "%8s", npart__buffer_text(&text));
    npart__buffer_release(&text);
}

static void put_line(struct npart__page *page, const struct npart_weight_loss *at)
{
    static const char *const shown[] = {"int8-tensor", "int8-channel", "int4-channel", "int4-block64", "nf4-block64"};
    struct npart__buffer numbers = {.arena = page->arena};
    npart__append_count(&numbers, (uint32_t)(at->elements < UINT32_MAX ? at->elements : UINT32_MAX));
    npart__put(page, "  ");
    npart__put_middle(page, at->name, NAME_COLUMNS);
    size_t columns = npart__shown_columns(page, at->name, strlen(at->name));
    npart__append_format(page->out, "%*s%12s", (int)(columns < NAME_COLUMNS ? NAME_COLUMNS - columns : 0), "",
                         npart__buffer_text(&numbers));
    for (size_t i = 0; i < NPART__COUNT(shown); i++)
        put_cell(page, at, shown[i]);
    npart__put(page, "\n");
    npart__buffer_release(&numbers);
}

/* What is true of all weights together. */
static void put_sums(struct npart__page *page, const struct npart__loss *lines, uint32_t count)
{
    uint64_t zeros = 0, elements = 0, beyond = 0;
    double halves = 0, fours = 0;
    for (uint32_t i = 0; i < count; i++) {
        double groups = lines[i].at.two_of_four >= 0 ? (double)(lines[i].at.elements / 4) : 0;
        fours += groups;
        halves += groups > 0 ? groups * lines[i].at.two_of_four : 0;
        zeros += lines[i].at.zeros;
        elements += lines[i].at.elements;
        beyond += lines[i].at.beyond_float16;
    }
    npart__append_format(page->out, "  %llu of %llu numbers are 0; %llu are beyond FLOAT16\n",
                         (unsigned long long)zeros, (unsigned long long)elements, (unsigned long long)beyond);
    if (halves >= fours * 0.01 && halves > 0)
        npart__append_format(page->out,
                             "  %.0f %% of all groups of four have two zeros or more (2:4); plans take all weights for "
                             "dense\n",
                             100 * halves / fours);
}

/* What is measured of a format such as "w4a16-channel"; past the last: nothing. */
static uint32_t rounding_of(const char *format)
{
    const char *bits = strncmp(format, "w4", 2) == 0 ? "int4" : strncmp(format, "w8", 2) == 0 ? "int8" : "";
    const char *group = strstr(format, "-block") ? strstr(format, "-block") + 1
                        : strstr(format, "-channel") ? "channel" : "tensor";
    char name[40];
    (void)snprintf(name, sizeof name, "%s-%.*s", bits, (int)strcspn(group, "-"), group);
    return npart__find_rounding(name);
}

/* The least that a weight keeps in a rounding, and what half of them keep or more. False where none is known. */
static bool measure_kept(struct npart__page *page, const struct npart__loss *lines, uint32_t count, uint32_t rounding,
                         double kept[2])
{
    struct npart__loss *known = npart__arena_zeroed(page->arena, count + (size_t)1, sizeof *known);
    uint32_t found = 0;
    for (uint32_t i = 0; known && i < count; i++)
        if (npart_rounding_name(rounding) && lines[i].at.is_known[rounding])
            known[found++] = (struct npart__loss){.worst = lines[i].at.decibels[rounding], .index = i};
    if (!found)
        return false;
    qsort(known, found, sizeof *known, compare_lines);
    kept[0] = known[0].worst;
    kept[1] = known[found / 2].worst;
    return true;
}

/* What each target would rather have than the file's formats, with what that loses. */
static void put_instead(struct npart__page *page, const struct npart_subject *subject, const struct npart__loss *lines,
                        uint32_t count)
{
    struct npart_precision at = {.size = sizeof at};
    struct npart_plan_info info = {.size = sizeof info};
    double kept[2];
    for (size_t i = 0; subject->plans && i < subject->count; i++)
        for (uint32_t k = 0; npart_plan_precision(subject->plans[i].plan, k, &at); k++) {
            struct npart__buffer text = {.arena = page->arena};
            if (!*at.instead)
                continue;
            (void)npart_plan_info(subject->plans[i].plan, &info);
            npart__append_format(&text, "%s: %s is native, %s is not: %s keeps ", info.target, at.instead, at.format,
                                 at.instead);
            if (measure_kept(page, lines, count, rounding_of(at.instead), kept)) {
                npart__append_fixed(&text, kept[0], 1);
                npart__append_text(&text, " dB at least, ");
                npart__append_fixed(&text, kept[1], 1);
                npart__append_text(&text, " dB in the middle of all weights");
            } else {
                npart__append_text(&text, "what is not known");
            }
            npart__put_line(page, NULL, "  ", npart__buffer_text(&text), 4);
        }
}

struct npart__loss *npart__sorted_losses(struct npart__report *report, uint32_t *count)
{
    struct npart_losses_info info = {.size = sizeof info};
    uint32_t by = npart__find_rounding("int4-channel");
    (void)npart_losses_info(report->subject->losses, &info);
    struct npart__loss *lines = npart__arena_zeroed(&report->arena, info.weight_count + (size_t)1, sizeof *lines);
    *count = lines ? info.weight_count : 0;
    for (uint32_t i = 0; i < *count; i++) {
        lines[i].at.size = sizeof lines[i].at;
        (void)npart_losses_weight(report->subject->losses, i, &lines[i].at);
        lines[i].worst = lines[i].at.is_known[by] ? lines[i].at.decibels[by] : 1e9;
        lines[i].index = i;
    }
    if (lines)
        qsort(lines, *count, sizeof *lines, compare_lines);
    return lines;
}

void npart__losses_text(struct npart__report *report)
{
    struct npart_losses_info info = {.size = sizeof info};
    struct npart__page turned, *page = npart__page_open(&turned, report);
    uint32_t count;
    (void)npart_losses_info(report->subject->losses, &info);
    struct npart__loss *lines = npart__sorted_losses(report, &count);
    if (!lines)
        return;
    npart__put(page, npart__base_name(report->subject->model ? report->subject->model : ""));
    npart__append_format(page->out, "    %u weight%s, ", count, count == 1 ? "" : "s");
    npart__append_bytes(page->out, info.bytes);
    npart__put(page, "\n\n");
    npart__append_format(page->out, "  %-*s%12s%8s%8s%8s%8s%8s\n", (int)NAME_COLUMNS, "dB, the worst first", "numbers",
                         "int8", "int8/ch", "int4/ch", "int4/64", "nf4");
    uint32_t most = page->options->is_verbose || count <= SHOWN ? count : SHOWN;
    for (uint32_t i = 0; i < most; i++)
        put_line(page, &lines[i].at);
    if (most < count)
        npart__append_format(page->out, "  and %u more: -v\n", count - most);
    put_sums(page, lines, count);
    put_instead(page, report->subject, lines, count);
    npart__put(page, "  /ch: a scale a channel, /64: one for 64 numbers; 6 dB more halve the error\n");
}
