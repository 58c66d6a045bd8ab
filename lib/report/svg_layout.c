/* SPDX-License-Identifier: Apache-2.0
 *
 * Where the boxes, bodies and lines of a picture stand.
 *
 * The order of the passes: places from the top, then which edges are drawn how, which tells the tracks and so the
 * columns; then how high boxes are, which depends on the texts beside them; and last where they stand.
 */
#include <math.h>

#include "report/svg.h"

/* Beyond what their texts need, boxes share so much height by the time that they take. */
#define SHARED_HEIGHT 140.0
#define WRAPPED_LINES 3u /* of one text of a box */
/* Deeper bodies are drawn as wide as those. */
#define MOST_INSETS 6u

/* ---- texts of boxes ------------------------------------------------------------------------------------------ */

struct lines {
    struct npart__buffer text; /* as in npart__svg_box.lines */
    struct npart__arena *arena;
    uint32_t count, width; /* width: of the box */
};

/* Gathered in one text instead of an array: how many lines there will be is not known. */
static void keep_line(void *payload, enum npart__line_kind kind, const char *text)
{
    struct lines *lines = payload;
    char mark = (char)('a' + kind);
    npart__append(&lines->text, &mark, 1);
    npart__append_text(&lines->text, text);
    npart__append_text(&lines->text, "\n");
    lines->count++;
}

/* Widths are in units of the letters' size, as npart__wrap_text has them. */
static void wrap_line(void *payload, enum npart__line_kind kind, const char *text)
{
    struct lines *lines = payload;
    double width = (lines->width - 2.0 * NPART__SVG_PAD) / NPART__SVG_TEXT;
    npart__wrap_text(lines->arena, text, width, WRAPPED_LINES, keep_line, lines, kind);
}

/* What the boxes take together, as far as it is known. */
static double total_ms(const struct npart__picture *picture)
{
    double total = 0;
    for (uint32_t i = 0; i < picture->box_count; i++)
        total += picture->boxes[i].ms > 0 ? picture->boxes[i].ms : 0;
    return total;
}

/* A box is as high as its lines or the texts beside it, whichever is more, and higher by its share of the time:
 * with 140 pixels for all, one that takes half of the run gets 70. A sum that is no finite number gives nothing. */
static void measure_boxes(npart_document *document, struct npart__svg *at)
{
    const struct npart__picture *picture = at->picture;
    double total = total_ms(picture);
    for (uint32_t i = 0; i < picture->box_count && !picture->arena->failed; i++) {
        const struct npart__box *box = &picture->boxes[i];
        struct npart__svg_box *out = &at->boxes[i];
        out->width = npart__svg_is_joined(box) ? 2 * NPART__SVG_BOX + NPART__SVG_GUTTER : NPART__SVG_BOX;
        struct lines lines = {.arena = picture->arena, .width = out->width};
        npart__buffer_init(&lines.text, picture->arena);
        npart__tell_box(document, picture, box, wrap_line, &lines);
        out->lines = npart__keep_text(&lines.text);
        out->line_count = lines.count;
        uint32_t notes = out->note_count < NPART__SVG_MOST_NOTES ? out->note_count : NPART__SVG_MOST_NOTES;
        out->height = lines.count * NPART__SVG_LINE + 2 * NPART__SVG_PAD;
        if (out->height < notes * NPART__SVG_LINE + NPART__SVG_PAD)
            out->height = notes * NPART__SVG_LINE + NPART__SVG_PAD;
        if (total > 0 && isfinite(total) && box->ms > 0)
            out->height += (uint32_t)(SHARED_HEIGHT * box->ms / total);
    }
}

/* ---- rows ---------------------------------------------------------------------------------------------------- */

/* A body's boxes come right after the box that holds it. Recurses as deep as bodies are nested, which is limited
 * where the model is read. */
static void order_frame(struct npart__svg *at, uint32_t frame)
{
    const struct npart__picture *picture = at->picture;
    const struct npart__frame *found = &picture->frames[frame];
    for (uint32_t i = found->first; i < found->first + found->count; i++) {
        at->boxes[i].place = at->place_count;
        at->box_at[at->place_count++] = i;
        for (uint32_t f = picture->boxes[i].first_frame; f != NPART_NONE; f = picture->frames[f].next)
            order_frame(at, f);
    }
}

/* Returns where it ends. Recurses as order_frame does, in the same order. A body stands below its box with a gap
 * for the line between them, and has room for its title above and a little below. */
static uint32_t place_frame(struct npart__svg *at, uint32_t frame, uint32_t y)
{
    const struct npart__picture *picture = at->picture;
    const struct npart__frame *found = &picture->frames[frame];
    bool is_body = found->graph != 0;
    at->frames[frame].y = y;
    y += is_body ? NPART__SVG_TITLE : 0;
    for (uint32_t i = found->first; i < found->first + found->count; i++) {
        struct npart__svg_box *box = &at->boxes[i];
        box->y = y += i > found->first ? NPART__SVG_GAP : 0;
        y += box->height;
        for (uint32_t f = picture->boxes[i].first_frame; f != NPART_NONE; f = picture->frames[f].next)
            y = place_frame(at, f, y + NPART__SVG_GAP);
    }
    y += is_body ? NPART__SVG_PAD : 0;
    at->frames[frame].height = y - at->frames[frame].y;
    return y;
}

/* ---- edges --------------------------------------------------------------------------------------------------- */

/* A line from the inputs of a graph would run along all of it, and so would one to its outputs; both are told in
 * words. */
static bool has_trunk(const struct npart__svg *at, const struct npart__edge *edge)
{
    return at->picture->boxes[edge->from].kind != NPART__BOX_INPUTS &&
           at->picture->boxes[edge->to].kind != NPART__BOX_OUTPUTS;
}

/* A text stands beside the box that is not an end of the graph. A curve is drawn where nothing stands between the
 * two boxes: the next place of the same graph. Edges stand in the order of the boxes that they leave. */
static void choose_ways(struct npart__svg *at)
{
    const struct npart__picture *picture = at->picture;
    for (uint32_t i = 0; i < picture->edge_count; i++) {
        const struct npart__edge *edge = &picture->edges[i];
        struct npart__svg_edge *out = &at->edges[i];
        if (at->boxes[edge->from].first_edge == NPART_NONE)
            at->boxes[edge->from].first_edge = i;
        out->way = NPART__SVG_NEXT;
        if (at->boxes[edge->to].place == at->boxes[edge->from].place + 1 &&
            picture->boxes[edge->from].frame == picture->boxes[edge->to].frame)
            continue;
        bool is_output = picture->boxes[edge->to].kind == NPART__BOX_OUTPUTS;
        out->way = has_trunk(at, edge) ? NPART__SVG_TRUNK : NPART__SVG_WORDS;
        out->slot = at->boxes[is_output ? edge->from : edge->to].note_count++;
    }
}

/* The last place to which the box's trunk leads; its own: it has none. The edges of a box follow each other, so all
 * boxes together take time in proportion to the edges. */
static uint32_t end_of_trunk(const struct npart__svg *at, uint32_t box)
{
    uint32_t end = at->boxes[box].place;
    for (uint32_t i = at->boxes[box].first_edge; i < at->picture->edge_count; i++) {
        uint32_t to = at->boxes[at->picture->edges[i].to].place;
        if (at->picture->edges[i].from != box)
            break;
        if (at->edges[i].way == NPART__SVG_TRUNK && to > end)
            end = to;
    }
    return end;
}

/* All at once, since they share one line. */
static void give_up_trunk(struct npart__svg *at, uint32_t box)
{
    for (uint32_t i = at->boxes[box].first_edge;
         i < at->picture->edge_count && at->picture->edges[i].from == box; i++)
        if (at->edges[i].way == NPART__SVG_TRUNK)
            at->edges[i].way = NPART__SVG_WORDS;
}

/* From the top down, each on the innermost track that is free. A track is free from the place after the last box
 * that its trunk leads to: boxes are walked in the order of places, so one number for each track tells that. */
static void choose_tracks(struct npart__svg *at)
{
    uint32_t busy_to[2][NPART__SVG_MOST_TRACKS] = {{0}};
    for (uint32_t place = 0; place < at->place_count; place++) {
        uint32_t box = at->box_at[place], end = end_of_trunk(at, box), track = 0;
        unsigned side = npart__svg_side(&at->picture->boxes[box]);
        if (end == place)
            continue;
        while (track < NPART__SVG_MOST_TRACKS && busy_to[side][track] > place)
            track++;
        if (track == NPART__SVG_MOST_TRACKS) {
            give_up_trunk(at, box);
            continue;
        }
        busy_to[side][track] = end + 1;
        at->boxes[box].track = track;
        at->tracks[side] = track + 1 > at->tracks[side] ? track + 1 : at->tracks[side];
    }
}

/* ---- the whole ------------------------------------------------------------------------------------------------- */

/* From left to right: margin, tracks, NPU, gutter, CPU, tracks, margin. The margins hold the sides of nested
 * frames. A box over both lanes begins with the left one. */
static void choose_columns(struct npart__svg *at)
{
    const struct npart__picture *picture = at->picture;
    uint32_t depth = 0;
    for (uint32_t i = 0; i < picture->frame_count; i++)
        depth = picture->frames[i].depth > depth ? picture->frames[i].depth : depth;
    uint32_t edge = NPART__SVG_MARGIN + NPART__SVG_INSET * (depth < MOST_INSETS ? depth : MOST_INSETS);
    at->npu_x = edge + at->tracks[0] * NPART__SVG_TRACK;
    at->cpu_x = at->npu_x + NPART__SVG_BOX + NPART__SVG_GUTTER;
    at->width = at->cpu_x + NPART__SVG_BOX + at->tracks[1] * NPART__SVG_TRACK + edge;
    for (uint32_t i = 0; i < picture->box_count; i++)
        at->boxes[i].x = npart__is_on_cpu(&picture->boxes[i]) ? at->cpu_x : at->npu_x;
}

/* Frames that no box owns stand one below the other: the main graph, and bodies whose holder is in no box. */
void npart__svg_lay_out(npart_document *document, struct npart__svg *out, const struct npart__picture *picture,
                        uint32_t top)
{
    struct npart__arena *arena = picture->arena;
    uint32_t y = top;
    *out = (struct npart__svg){.picture = picture};
    out->boxes = npart__arena_zeroed(arena, picture->box_count + (size_t)1, sizeof *out->boxes);
    out->frames = npart__arena_zeroed(arena, picture->frame_count + (size_t)1, sizeof *out->frames);
    out->edges = npart__arena_zeroed(arena, picture->edge_count + (size_t)1, sizeof *out->edges);
    out->box_at = npart__arena_zeroed(arena, picture->box_count + (size_t)1, sizeof *out->box_at);
    if (arena->failed)
        return;
    for (uint32_t i = 0; i < picture->box_count; i++)
        out->boxes[i].track = out->boxes[i].first_edge = NPART_NONE;
    for (uint32_t i = 0; i < picture->frame_count; i++)
        if (picture->frames[i].owner == NPART_NONE)
            order_frame(out, i);
    choose_ways(out);
    choose_tracks(out);
    choose_columns(out);
    measure_boxes(document, out);
    for (uint32_t i = 0; i < picture->frame_count; i++)
        if (picture->frames[i].owner == NPART_NONE)
            y = place_frame(out, i, y + (i ? NPART__SVG_GAP : 0));
    out->height = y + NPART__SVG_MARGIN;
}
