/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures as SVG, for which no program is needed: one below the other. No script, and nothing from elsewhere: letters
 * are the reader's, colours follow light and dark and are never the only sign. Classes begin with "np-", so that a
 * picture can stand in a page.
 */
#include "report/svg.h"

#define HEADING_TOP 30u   /* of the first line */
#define LANE_TITLE 30u    /* above the boxes */
#define HEADING_WIDTH 780.0 /* of lines above a picture, and the least of the whole */

/* The pictures so far. How large the whole is stands before them, so they are kept until the end. */
struct drawing {
    struct npart__buffer body;
    uint32_t count, y, width; /* pictures; where the next one begins; the widest picture's width */
};

/* What is drawn now, and where to. */
struct drawn {
    npart_document *document;
    struct npart__buffer *out;
    const struct npart__svg *svg;
    const struct npart__picture *picture;
    uint32_t number; /* of the picture, from 1 */
};

/* ---- pieces ------------------------------------------------------------------------------------------------ */

static void put(struct drawn *at, const char *text)
{
    npart__append_text(at->out, text);
}

/* `look` is a class of the style below. The text is plain; what XML would take for markup is escaped here. y is
 * that of the line on which letters stand. */
static void put_text(struct drawn *at, const char *look, uint32_t x, uint32_t y, const char *text)
{
    npart__append_format(at->out, "<text class=\"%s\" x=\"%u\" y=\"%u\">", look, x, y);
    npart__add_xml(at->out, text);
    put(at, "</text>\n");
}

/* Not painted here: fill and border are those of its class, so that a page can have others. */
static void put_rectangle(struct drawn *at, const char *look, uint32_t x, uint32_t y, uint32_t width, uint32_t height,
                          uint32_t round)
{
    npart__append_format(at->out, "<rect class=\"%s\" x=\"%u\" y=\"%u\" width=\"%u\" height=\"%u\" rx=\"%u\"/>\n", look,
                         x, y, width, height, round);
}

/* A head that points down, to the right or to the left, whose tip is at x, y. Drawn as a path of its own, since a
 * marker of SVG 1.1 cannot take the colour of the line that it ends. */
static void put_head(struct drawn *at, const char *look, uint32_t x, uint32_t y, char to)
{
    static const char down[] = "l-4-8h8z", right[] = "l-8-4v8z", left[] = "l8-4v8z";
    npart__append_format(at->out, "<path class=\"np-head %s\" d=\"M%u %u%s\"/>\n", look, x, y,
                         to == 'd' ? down : to == 'r' ? right : left);
}

/* A line callback whose payload is the buffer: for <title>, which browsers show where the pointer rests. */
static void put_title_line(void *payload, enum npart__line_kind kind, const char *text)
{
    struct npart__buffer *out = payload;
    (void)kind;
    npart__add_xml(out, text);
    npart__append_text(out, "\n");
}

/* ---- boxes ------------------------------------------------------------------------------------------------- */

/* Classes by enum npart__box_kind, and by enum npart__line_kind. */
static const char *const box_looks[] = {
    [NPART__BOX_INPUTS] = "np-io",   [NPART__BOX_NPU] = "np-npu",     [NPART__BOX_CPU] = "np-cpu",
    [NPART__BOX_OUTPUTS] = "np-io",  [NPART__BOX_REPEATS] = "np-more", [NPART__BOX_REST] = "np-more",
};
static const char *const line_looks[] = {
    [NPART__LINE_TITLE] = "np-b",   [NPART__LINE_PLAIN] = "np-t", [NPART__LINE_FAILS] = "np-fail",
    [NPART__LINE_UNKNOWN] = "np-un", [NPART__LINE_REASON] = "np-t",
};

/* The lines were wrapped when the box was measured; the mark before each tells its kind (svg.h). SVG breaks no
 * lines by itself, so each is a text. */
static void put_lines(struct drawn *at, const struct npart__svg_box *box)
{
    uint32_t y = box->y + NPART__SVG_PAD + 12;
    struct npart__buffer line = {.arena = at->picture->arena};
    for (const char *from = box->lines; *from && !at->picture->arena->failed; y += NPART__SVG_LINE) {
        size_t length = strcspn(from, "\n");
        line.size = 0;
        npart__append(&line, from + 1, length - 1);
        put_text(at, line_looks[*from - 'a'], box->x + NPART__SVG_PAD, y, npart__buffer_text(&line));
        from += length + 1;
    }
    npart__buffer_release(&line);
}

/* The role makes it an image with a name to a screen reader (WAI-ARIA's graphics module); the id is the same in
 * Graphviz' pictures. Boxes of the NPU have nearly square corners, as colour must not be the only sign. What fails
 * is shown before what is undecided. */
static void put_box(struct drawn *at, uint32_t index)
{
    const struct npart__box *box = &at->picture->boxes[index];
    const struct npart__svg_box *place = &at->svg->boxes[index];
    npart__append_format(at->out, "<g role=\"graphics-symbol img\" id=\"plan%u-", at->number);
    npart__add_box_id(at->out, at->picture, index);
    put(at, "\"><title>");
    npart__tell_box(at->document, at->picture, box, put_title_line, at->out);
    put(at, "</title>\n");
    struct npart__buffer look = {.arena = at->picture->arena};
    npart__append_format(&look, "%s%s%s", box_looks[box->kind], box->failing ? " np-fails" : "",
                         !box->failing && box->undecided ? " np-open" : "");
    put_rectangle(at, npart__buffer_text(&look), place->x, place->y, place->width, place->height,
                  box->kind == NPART__BOX_NPU ? 2 : 10);
    npart__buffer_release(&look);
    put_lines(at, place);
    put(at, "</g>\n");
}

/* ---- edges ------------------------------------------------------------------------------------------------- */

/* Where edges begin and end, towards the other lane; a box over both lanes follows what is at the other end. A
 * quarter of a box from the side that faces the other lane, so edges between boxes of one lane are straight lines.
 * `other` is the box at the other end. */
static uint32_t port_of(const struct drawn *at, uint32_t box, uint32_t other)
{
    const struct npart__box *found = &at->picture->boxes[box];
    if (npart__svg_is_joined(found) && !npart__svg_is_joined(&at->picture->boxes[other]))
        found = &at->picture->boxes[other];
    return npart__is_on_cpu(found) ? at->svg->cpu_x + NPART__SVG_BOX / 4
                                   : at->svg->npu_x + NPART__SVG_BOX - NPART__SVG_BOX / 4;
}

/* Its width tells how much is passed on. Powers of 100, from 10 kB on: a picture of tensors of a few bytes and of
 * megabytes has lines of four widths. Bytes that are not known count for nothing. */
static const char *look_of(const struct npart__edge *edge)
{
    if (!edge->is_transfer)
        return "np-stay";
    return edge->bytes >= 100000000 ? "np-w4"
           : edge->bytes >= 1000000 ? "np-w3"
           : edge->bytes >= 10000   ? "np-w2"
                                    : "np-w1";
}

/* The whole of it, with each tensor: what stands at the line itself is cut. */
static void put_edge_title(struct drawn *at, const struct npart__edge *edge)
{
    struct npart__buffer text = {.arena = at->picture->arena};
    put(at, "<title>");
    npart__add_edge_text(at->document, &text, at->picture, edge);
    put_title_line(at->out, NPART__LINE_PLAIN, npart__buffer_text(&text));
    npart__add_tensors(at->document, at->out, at->picture, edge, put_title_line);
    put(at, "</title>\n");
    npart__buffer_release(&text);
}

/* What stands at an edge, in a width that there is room for. The width is in units of the letters' size, of which
 * the dots are given one. */
static void put_note(struct drawn *at, const char *look, uint32_t x, uint32_t y, const char *text, double width)
{
    struct npart__buffer cut = {.arena = at->picture->arena};
    size_t bytes = npart__fitting_bytes(text, width);
    npart__append(&cut, text, text[bytes] ? npart__fitting_bytes(text, width - 1) : bytes);
    npart__append_text(&cut, text[bytes] ? "..." : "");
    put_text(at, look, x, y, npart__buffer_text(&cut));
    npart__buffer_release(&cut);
}

/* A curve to the box below; its text stands between the two. A cubic curve whose handles are above and below the
 * middle, so that it leaves and arrives upright; between boxes of one lane it is a line. The text is on the side of
 * the other lane, where there is room. */
static void put_next(struct drawn *at, uint32_t index)
{
    const struct npart__edge *edge = &at->picture->edges[index];
    const struct npart__svg_box *from = &at->svg->boxes[edge->from], *to = &at->svg->boxes[edge->to];
    uint32_t x0 = port_of(at, edge->from, edge->to), x1 = port_of(at, edge->to, edge->from);
    uint32_t y0 = from->y + from->height, y1 = to->y, middle = (y0 + y1) / 2;
    const char *look = look_of(edge);
    struct npart__buffer text = {.arena = at->picture->arena};
    npart__add_edge_text(at->document, &text, at->picture, edge);
    npart__append_format(at->out, "<path class=\"np-edge %s\" d=\"M%u %uC%u %u %u %u %u %u\"/>\n", look, x0, y0, x0,
                         middle + 6, x1, middle - 6, x1, y1 - 6);
    put_head(at, look, x1, y1 - 1, 'd');
    double width = (NPART__SVG_BOX + NPART__SVG_GUTTER) / NPART__SVG_NOTE;
    if (x0 != x1)
        put_note(at, "np-n np-mid", (x0 + x1) / 2, middle - 5, npart__buffer_text(&text), width * 0.7);
    else if (x0 < at->svg->cpu_x)
        put_note(at, "np-n", x0 + 9, middle + 4, npart__buffer_text(&text), width);
    else
        put_note(at, "np-n np-end", x0 - 9, middle + 4, npart__buffer_text(&text), width);
    npart__buffer_release(&text);
}

/* Beyond the last slot no text is shown, and lines arrive at the height of the last one. */
static uint32_t slot_y(const struct npart__svg_box *box, uint32_t slot)
{
    uint32_t most = NPART__SVG_MOST_NOTES - 1;
    return box->y + NPART__SVG_PAD + 9 + NPART__SVG_LINE * (slot < most ? slot : most);
}

/* Tracks are counted from the lane outwards. The box has one (svg_layout.c gives it to all that have a trunk). */
static uint32_t track_x(const struct drawn *at, uint32_t box)
{
    uint32_t out = (at->svg->boxes[box].track + 1) * NPART__SVG_TRACK;
    return npart__svg_side(&at->picture->boxes[box]) ? at->svg->cpu_x + NPART__SVG_BOX + out : at->svg->npu_x - out;
}

/* From the trunk to the box, across the other lane where it stands there. Out of the box near its bottom, along the
 * track, and in at the height of the text beside it, with round corners of 6 pixels. All edges of a box share the
 * way to their own turn, which is drawn anew for each; as they lie on each other that is not seen. */
static void put_branch(struct drawn *at, uint32_t index)
{
    const struct npart__edge *edge = &at->picture->edges[index];
    const struct npart__svg_box *from = &at->svg->boxes[edge->from], *to = &at->svg->boxes[edge->to];
    bool is_right = npart__svg_side(&at->picture->boxes[edge->from]);
    uint32_t start = from->x + (is_right ? from->width : 0), end = to->x + (is_right ? to->width : 0);
    uint32_t x = track_x(at, edge->from), y0 = from->y + from->height - NPART__SVG_PAD;
    uint32_t y1 = slot_y(to, at->svg->edges[index].slot);
    const char *look = look_of(edge);
    npart__append_format(at->out, "<path class=\"np-edge %s\" d=\"M%u %uH%uQ%u %u %u %uV%uQ%u %u %u %uH%u\"/>\n", look,
                         start, y0, is_right ? x - 6 : x + 6, x, y0, x, y0 + 6, y1 - 6, x, y1, is_right ? x - 6 : x + 6,
                         y1, is_right ? end + 6 : end - 6);
    put_head(at, look, is_right ? end + 1 : end - 1, y1, is_right ? 'l' : 'r');
}

/* "from NPU 0: 3 tensors, 1.2 MB", beside the box on the other lane. An edge to a graph's outputs is told at the
 * box that makes the tensor, all others at the box that takes it: otherwise the inputs and outputs would have a
 * text for each other box. A box over both lanes has no room beside it. */
static void put_beside(struct drawn *at, uint32_t index)
{
    const struct npart__edge *edge = &at->picture->edges[index];
    bool is_output = at->picture->boxes[edge->to].kind == NPART__BOX_OUTPUTS;
    uint32_t here = is_output ? edge->from : edge->to, other = is_output ? edge->to : edge->from;
    const struct npart__svg_box *box = &at->svg->boxes[here];
    uint32_t slot = at->svg->edges[index].slot;
    bool is_right = npart__is_on_cpu(&at->picture->boxes[here]);
    bool is_last = slot + 1 == NPART__SVG_MOST_NOTES && box->note_count > NPART__SVG_MOST_NOTES;
    if (slot >= NPART__SVG_MOST_NOTES || npart__svg_is_joined(&at->picture->boxes[here]))
        return;
    struct npart__buffer text = {.arena = at->picture->arena};
    if (is_last) {
        npart__append_format(&text, "and %u more edges", box->note_count - slot);
    } else {
        npart__append_text(&text, is_output ? "to " : "from ");
        npart__add_box_name(&text, at->picture, other);
        npart__append_text(&text, ": ");
        npart__add_edge_text(at->document, &text, at->picture, edge);
    }
    put_note(at, is_right ? "np-n np-end" : "np-n", is_right ? box->x - 12 : box->x + box->width + 12,
             slot_y(box, slot) - 3, npart__buffer_text(&text),
             (NPART__SVG_BOX + NPART__SVG_GUTTER - 24) / NPART__SVG_NOTE);
    npart__buffer_release(&text);
}

/* A group even where no line is drawn, so that each edge has its title and id. */
static void put_edge(struct drawn *at, uint32_t index)
{
    const struct npart__edge *edge = &at->picture->edges[index];
    enum npart__svg_way way = at->svg->edges[index].way;
    npart__append_format(at->out, "<g role=\"graphics-symbol img\" id=\"plan%u-edge%u\">", at->number, index);
    put_edge_title(at, edge);
    if (way == NPART__SVG_NEXT)
        put_next(at, index);
    if (way == NPART__SVG_TRUNK)
        put_branch(at, index);
    if (way != NPART__SVG_NEXT)
        put_beside(at, index);
    put(at, "</g>\n");
}

/* ---- bodies and lanes ---------------------------------------------------------------------------------------- */

/* Around the boxes of a body, and the line from the node that runs it. The main graph has no frame, and a body
 * whose holder is not drawn has none either. From the sixth level on frames are equally wide. */
static void put_frame(struct drawn *at, uint32_t index)
{
    const struct npart__frame *frame = &at->picture->frames[index];
    const struct npart__svg_frame *place = &at->svg->frames[index];
    const uint32_t depth = frame->depth < 6 ? frame->depth : 6;
    const uint32_t x = 4 + NPART__SVG_INSET * (frame->depth ? depth - 1 : 0);
    struct npart__buffer title = {.arena = at->picture->arena};
    if (frame->graph == 0 || frame->is_hidden)
        return;
    npart__add_frame_text(at->document, &title, at->picture, frame);
    npart__append_format(at->out, "<g role=\"graphics-object group\" id=\"plan%u-body%u\">\n", at->number, index);
    put_rectangle(at, "np-body", x, place->y, at->svg->width - 2 * x, place->height, 8);
    put_text(at, "np-b", at->svg->npu_x, place->y + 20, npart__buffer_text(&title));
    put(at, "</g>\n");
    npart__buffer_release(&title);
    if (frame->owner == NPART_NONE)
        return;
    const struct npart__svg_box *owner = &at->svg->boxes[frame->owner];
    uint32_t port = port_of(at, frame->owner, frame->owner), y = owner->y + owner->height;
    if (place->y != y + NPART__SVG_GAP)
        return; /* another body of the same node is between the two */
    npart__append_format(at->out, "<path class=\"np-edge np-runs\" d=\"M%u %uV%u\"/>\n", port, y, place->y - 6);
    put_head(at, "np-runs", port, place->y - 1, 'd');
    put_text(at, "np-n np-end", port - 9, y + NPART__SVG_GAP / 2 + 4, "runs");
}

/* Drawn first, as SVG paints in the order of the file: all else lies on them. */
static void put_lanes(struct drawn *at, uint32_t top)
{
    const struct npart__svg *svg = at->svg;
    uint32_t height = svg->height - top - 6;
    put_rectangle(at, "np-lane-npu", svg->npu_x - 8, top, NPART__SVG_BOX + 16, height, 6);
    put_rectangle(at, "np-lane-cpu", svg->cpu_x - 8, top, NPART__SVG_BOX + 16, height, 6);
    put_text(at, "np-b", svg->npu_x, top + 19, at->picture->decided.by ? "Taken" : at->picture->info.unit);
    put_text(at, "np-b", svg->cpu_x, top + 19, "CPU");
}

/* ---- headings ------------------------------------------------------------------------------------------------ */

struct heading {
    npart_document *document;
    struct npart__buffer *out;
    uint32_t y;
};

static void put_heading_line(void *payload, enum npart__line_kind kind, const char *text)
{
    struct heading *heading = payload;
    npart__append_format(heading->out, "<text class=\"%s\" x=\"%u\" y=\"%u\">",
                         kind == NPART__LINE_TITLE ? "np-h" : line_looks[kind], NPART__SVG_MARGIN, heading->y);
    npart__add_xml(heading->out, text);
    npart__append_text(heading->out, "</text>\n");
    heading->y += kind == NPART__LINE_TITLE ? 20 : NPART__SVG_LINE;
}

static void wrap_heading(void *payload, enum npart__line_kind kind, const char *text)
{
    struct heading *heading = payload;
    double size = kind == NPART__LINE_TITLE ? 15 : NPART__SVG_TEXT;
    npart__wrap_text(&heading->document->arena, npart__plain_text(heading->document, text), HEADING_WIDTH / size, 3,
                     put_heading_line, heading, kind);
}

static void put_name(struct heading *heading, const struct npart_entry *entry, const char *target)
{
    struct npart__buffer name = {.arena = &heading->document->arena};
    npart__add_cut(heading->document, &name, entry->path, NPART__LINE_CHARACTERS);
    npart__append_format(&name, "%s%s", *target ? ", " : "", target);
    wrap_heading(heading, NPART__LINE_TITLE, npart__buffer_text(&name));
    npart__buffer_release(&name);
}

/* Each stands below the one before it. Returns its number, from 1. Moving it as a whole lets each picture count
 * from 0. */
static uint32_t begin_picture(struct drawing *drawing)
{
    npart__append_format(&drawing->body, "<g transform=\"translate(0,%u)\" ", drawing->y);
    npart__append_format(&drawing->body, "role=\"graphics-object group\" id=\"plan%u\">\n", drawing->count + 1);
    return ++drawing->count;
}

static void end_picture(struct drawing *drawing, uint32_t width, uint32_t height)
{
    npart__append_text(&drawing->body, "</g>\n");
    drawing->width = width > drawing->width ? width : drawing->width;
    drawing->y += height;
}

/* ---- documents ----------------------------------------------------------------------------------------------- */

/* Lanes, frames, edges and then boxes: the later lies on the earlier, so lines end at boxes rather than on them. */
static void draw(npart_document *document, const struct npart__picture *picture, struct heading *heading,
                 uint32_t number)
{
    struct drawing *drawing = document->state;
    struct npart__svg svg;
    struct drawn at = {document, &drawing->body, &svg, picture, number};
    npart__svg_lay_out(document, &svg, picture, heading->y + LANE_TITLE);
    if (picture->arena->failed)
        return;
    if (picture->box_count)
        put_lanes(&at, heading->y);
    for (uint32_t i = 0; i < picture->frame_count; i++)
        put_frame(&at, i);
    for (uint32_t i = 0; i < picture->edge_count; i++)
        put_edge(&at, i);
    for (uint32_t place = 0; place < svg.place_count; place++)
        put_box(&at, svg.box_at[place]);
    end_picture(drawing, svg.width, svg.height);
}

/* The picture has an arena of its own, which goes with it: a document may hold many. */
static void put_plan(npart_document *document, const struct npart_entry *entry, uint32_t plan)
{
    struct drawing *drawing = document->state;
    struct npart__picture picture;
    struct npart__arena own;
    npart__part_open(&own, &document->arena);
    struct npart_plan_info info = {.size = sizeof info, .label = ""};
    struct heading heading = {document, &drawing->body, HEADING_TOP};
    (void)npart_plan_info(entry->plans[plan].plan, &info);
    npart__picture_make(&picture, &own, entry->plans[plan].plan, npart__tells_nodes(document->detail));
    if (!own.failed) {
        uint32_t number = begin_picture(drawing);
        put_name(&heading, entry, info.label);
        npart__tell_heading(document, entry, plan, &picture, wrap_heading, &heading);
        wrap_heading(&heading, NPART__LINE_PLAIN,
                     "Left: partitions. Right: what runs on the CPU. From top to bottom as they run. Taller boxes take "
                     "longer; wider lines pass on more; what is dotted stays on the CPU.");
        draw(document, &picture, &heading, number);
    }
    npart__part_end(&own, &document->arena);
}

/* What cannot be analyzed is told in words. */
static void put_error(npart_document *document, const struct npart_entry *entry)
{
    struct drawing *drawing = document->state;
    struct heading heading = {document, &drawing->body, HEADING_TOP};
    struct npart__buffer text = {.arena = &document->arena};
    npart__append_format(&text, "\xc3\x97 cannot be analyzed: %s%s%s", entry->error->place,
                         *entry->error->place ? ": " : "", entry->error->message);
    (void)begin_picture(drawing);
    put_name(&heading, entry, "");
    wrap_heading(&heading, NPART__LINE_FAILS, npart__buffer_text(&text));
    end_picture(drawing, (uint32_t)HEADING_WIDTH + 2 * NPART__SVG_MARGIN, heading.y + NPART__SVG_MARGIN);
    npart__buffer_release(&text);
}

static void begin(npart_document *document)
{
    struct drawing *drawing = document->state = npart__arena_zeroed(&document->arena, 1, sizeof *drawing);
    if (!drawing)
        return;
    npart__buffer_init(&drawing->body, &document->arena);
    drawing->width = (uint32_t)HEADING_WIDTH + 2 * NPART__SVG_MARGIN;
}

static void add(npart_document *document, const struct npart_entry *entry)
{
    for (uint32_t i = 0; i < entry->plan_count && !document->arena.failed; i++)
        put_plan(document, entry, i);
    if (entry->error)
        put_error(document, entry);
}

/* Dark where the reader's screen is, light on paper. Colours are those of the page: web/page/base.css. */
static const char style[] =
    "<style>\n"
    ".np-page{fill:#fff}\n"
    ".np-h,.np-b,.np-t,.np-n,.np-fail,.np-un{font-family:Helvetica,Arial,'Liberation Sans',sans-serif;fill:#1b1f24}\n"
    ".np-h{font-size:15px;font-weight:700}.np-b{font-size:13px;font-weight:700}.np-t{font-size:12px}\n"
    ".np-n{font-size:11px;fill:#57606a;paint-order:stroke;stroke:#fff;stroke-width:3px;stroke-linejoin:round}\n"
    ".np-mid{text-anchor:middle}.np-end{text-anchor:end}\n"
    ".np-fail{font-size:12px;font-weight:700;fill:#b91c2b}.np-un{font-size:12px;font-weight:700;fill:#7a3cad}\n"
    ".np-lane-npu{fill:#f1f8f4}.np-lane-cpu{fill:#fdf7ee}\n"
    ".np-npu{fill:#d9efe2;stroke:#146c3c;stroke-width:2}.np-cpu{fill:#fcebd2;stroke:#954c00}\n"
    ".np-io{fill:#f5f6f8;stroke:#5a636e}.np-more{fill:#f5f6f8;stroke:#5a636e;stroke-dasharray:6 4}\n"
    ".np-fails{stroke:#b91c2b;stroke-width:3}.np-open{stroke:#7a3cad;stroke-dasharray:5 3}\n"
    ".np-body{fill:none;stroke:#5a636e;stroke-dasharray:6 4}\n"
    ".np-edge{fill:none;stroke:#57606a;stroke-width:1.3}.np-head{fill:#57606a}\n"
    ".np-w2{stroke-width:2}.np-w3{stroke-width:3}.np-w4{stroke-width:4.5}.np-head{stroke-width:0}\n"
    ".np-stay,.np-runs{stroke:#7d8590;stroke-dasharray:2 3}.np-runs{stroke-dasharray:6 4}\n"
    "@media screen and (prefers-color-scheme:dark){\n"
    ".np-page{fill:#14171b}.np-h,.np-b,.np-t{fill:#e6eaef}.np-n{fill:#a3acb7;stroke:#14171b}\n"
    ".np-fail{fill:#ff7b86}.np-un{fill:#c79bf2}.np-lane-npu{fill:#15211b}.np-lane-cpu{fill:#221c12}\n"
    ".np-npu{fill:#173a29;stroke:#4cc38a}.np-cpu{fill:#46300f;stroke:#f0a04b}\n"
    ".np-io,.np-more{fill:#2a3038;stroke:#98a1ac}.np-fails{stroke:#ff7b86}.np-open{stroke:#c79bf2}\n"
    ".np-edge{stroke:#98a1ac}.np-head{fill:#98a1ac}.np-stay,.np-runs,.np-body{stroke:#79828d}\n"
    "}\n"
    "</style>\n";

/* The first element needs the size of all, which is why the pictures were kept until now. A document without any is
 * an empty page. */
static void end(npart_document *document)
{
    struct drawing *drawing = document->state;
    struct npart__buffer *out = &document->out;
    uint32_t height = drawing->y ? drawing->y : 2 * NPART__SVG_MARGIN;
    npart__append_format(out,
                         "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%u\" height=\"%u\" viewBox=\"0 0 %u %u\" "
                         "role=\"graphics-document document\" aria-labelledby=\"np-title np-desc\">\n",
                         drawing->width, height, drawing->width, height);
    npart__append_text(out, "<title id=\"np-title\">Partitions and what runs on the CPU between them</title>\n"
                       "<desc id=\"np-desc\">Boxes stand in execution order from top to bottom: partitions on "
                       "the left, nodes on the CPU on the right. Lines are boundary tensors.</desc>\n");
    npart__append_text(out, style);
    npart__append_format(out, "<rect class=\"np-page\" width=\"%u\" height=\"%u\"/>\n", drawing->width, height);
    const char *body = npart__buffer_text(&drawing->body); /* which has no size any more where memory has run out */
    npart__append(out, body, drawing->body.size);
    npart__append_text(out, "</svg>\n");
}

static void drop(npart_document *document)
{
    struct drawing *drawing = document->state;
    if (drawing)
        npart__buffer_release(&drawing->body);
}

const struct npart__writer npart__svg_writer = {begin, add, end, drop};
