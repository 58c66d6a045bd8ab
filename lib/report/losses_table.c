/* SPDX-License-Identifier: Apache-2.0
 *
 * What weights lose, as a table for a spreadsheet and as a picture: a line a weight, the worst first, with a dot where
 * each way of rounding leaves it on one scale of dB.
 */
#include <math.h>

#include "report/document.h"
#include "report/report.h"

#define NAMES 330u      /* pixels: beside the scale */
#define DECIBELS 75u    /* to which it goes */
#define PIXELS 7u       /* a dB */
#define LINE 16u
#define HEAD 48u
#define MOST_LETTERS 50 /* of a name; the end tells more than the beginning */

/* What the picture shows; others lie between these. */
static const struct {
    const char *rounding, *color;
} shown[] = {{"int4-channel", "#c62828"}, {"int4-block64", "#ef6c00"}, {"nf4-block64", "#6a1b9a"},
             {"int8-tensor", "#1565c0"}, {"int8-channel", "#2e7d32"}};

static const char *plain(struct npart__report *report, const char *text)
{
    while (npart__buffer_lacks(&report->plain, npart_plain_text(text, NPART__ROOM(&report->plain))))
        continue;
    return npart__buffer_text(&report->plain);
}

/* ---- CSV: RFC 4180, what begins like a formula after an apostrophe ----------------------------------------------- */

static void put_text(struct npart__report *report, const char *text)
{
    const char *at = plain(report, text);
    npart__append_text(&report->out, *at && strchr("=+-@", *at) ? "\"'" : "\"");
    for (; *at; at++) {
        npart__append(&report->out, at, 1);
        if (*at == '"')
            npart__append(&report->out, at, 1);
    }
    npart__append_text(&report->out, "\",");
}

void npart__losses_csv(struct npart__report *report)
{
    struct npart__buffer *out = &report->out;
    uint32_t count;
    const struct npart__loss *lines = npart__sorted_losses(report, &count);
    npart__append_text(out, "name,node,op,shape,elements,bytes,zeros,two_of_four,abs_max,beyond_float16");
    for (uint32_t i = 0; npart_rounding_name(i); i++)
        npart__append_format(out, ",%s", npart_rounding_name(i));
    for (uint32_t i = 0; i < count; i++) {
        const struct npart_weight_loss *at = &lines[i].at;
        npart__append_text(out, "\r\n");
        put_text(report, at->name);
        put_text(report, at->node);
        put_text(report, at->op);
        for (uint32_t k = 0; k < at->rank; k++)
            npart__append_format(out, "%s%lld", k ? "x" : "", (long long)at->dims[k]);
        npart__append_format(out, ",%llu,%llu,%llu,", (unsigned long long)at->elements, (unsigned long long)at->bytes,
                             (unsigned long long)at->zeros);
        if (at->two_of_four >= 0)
            npart__append_fixed(out, at->two_of_four, 6);
        npart__append_text(out, ",");
        if (isfinite(at->abs_max))
            npart__append_fixed(out, at->abs_max, 6);
        npart__append_format(out, ",%llu", (unsigned long long)at->beyond_float16);
        for (uint32_t k = 0; npart_rounding_name(k); k++) {
            npart__append_text(out, ",");
            if (at->is_known[k])
                npart__append_fixed(out, at->decibels[k], 4);
        }
    }
    npart__append_text(out, "\r\n");
}

/* ---- SVG --------------------------------------------------------------------------------------------------------- */

static void put_name(struct npart__report *report, const char *text, uint32_t x, uint32_t y, const char *anchor)
{
    const char *at = plain(report, text);
    size_t length = strlen(at);
    npart__append_format(&report->out, "<text x=\"%u\" y=\"%u\" text-anchor=\"%s\">", x, y, anchor);
    if (length > MOST_LETTERS) {
        at += length - MOST_LETTERS;
        while (((unsigned char)*at & 0xC0) == 0x80) /* not within a character */
            at++;
        npart__append_text(&report->out, "\xe2\x80\xa6");
    }
    npart__add_xml(&report->out, at);
    npart__append_text(&report->out, "</text>\n");
}

static uint32_t place_of(double decibels)
{
    double most = decibels < 0 ? 0 : decibels > DECIBELS ? DECIBELS : decibels;
    return NAMES + (uint32_t)(most * PIXELS);
}

static void put_scale(struct npart__report *report, uint32_t height)
{
    for (uint32_t i = 0; i < NPART__COUNT(shown); i++) {
        uint32_t x = NAMES + i * 105;
        npart__append_format(&report->out, "<circle cx=\"%u\" cy=\"14\" r=\"4\" fill=\"%s\"/>\n", x, shown[i].color);
        put_name(report, shown[i].rounding, x + 8, 18, "start");
    }
    for (uint32_t i = 0; i <= DECIBELS; i += 10) {
        npart__append_format(&report->out, "<path d=\"M%u %uV%u\" stroke=\"#ccc\"/>\n", place_of(i), HEAD - 8, height);
        put_name(report, npart__arena_format(&report->arena, i ? "%u" : "%u dB", i), place_of(i), HEAD - 12, "middle");
    }
}

void npart__losses_svg(struct npart__report *report)
{
    struct npart__buffer *out = &report->out;
    uint32_t count;
    const struct npart__loss *lines = npart__sorted_losses(report, &count);
    uint32_t width = NAMES + DECIBELS * PIXELS + 20, height = HEAD + count * LINE + 8;
    npart__append_format(out,
                         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
                         "font-family=\"sans-serif\" font-size=\"11\" role=\"img\" aria-labelledby=\"np-title\">\n",
                         width, height, width, height);
    npart__append_text(out, "<title id=\"np-title\">What each weight keeps in 8 and 4 bits, in dB: more is better"
                       "</title>\n");
    npart__append_format(out, "<rect width=\"%u\" height=\"%u\" fill=\"#fff\"/>\n", width, height);
    put_scale(report, height);
    for (uint32_t i = 0; i < count; i++) {
        const struct npart_weight_loss *at = &lines[i].at;
        uint32_t y = HEAD + i * LINE + LINE / 2;
        put_name(report, at->name, NAMES - 10, y + 4, "end");
        for (uint32_t k = 0; k < NPART__COUNT(shown); k++) {
            uint32_t rounding = npart__find_rounding(shown[k].rounding);
            if (at->is_known[rounding])
                npart__append_format(out, "<circle cx=\"%u\" cy=\"%u\" r=\"4\" fill=\"%s\"/>\n",
                                     place_of(at->decibels[rounding]), y, shown[k].color);
        }
    }
    npart__append_text(out, "</svg>\n");
}
