/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures in the language of Graphviz: a digraph for each plan. Every text stands in quotes, with what would end them
 * escaped, and `&`, which begins an entity there.
 */
#include <stdlib.h>

#include "report/picture.h"

/* Of a label, in units of the font's size and in lines of one text. */
#define LABEL_WIDTH 24.0
#define LABEL_LINES 3u

/* Digraphs are counted over all models of the document. */
struct dot {
    uint32_t graph_count; /* so far */
};

struct graph {
    npart_document *document;
    struct npart__buffer *out;
    const struct npart__picture *picture;
    uint32_t number; /* of the digraph in the document, from 1 */
};

/* ---- texts ------------------------------------------------------------------------------------------------- */

/* Of plain text. A backslash is one only when it is doubled. In a label Graphviz takes "\N", "\G" and the like for
 * the names of the node and the graph, and "&lt;" for a character. */
static void put_escaped(struct npart__buffer *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '&')
            npart__append_text(out, "&amp;");
        else if (*text == '"' || *text == '\\')
            npart__append(out, *text == '"' ? "\\\"" : "\\\\", 2);
        else
            npart__append(out, text, 1);
    }
}

/* The payload is the buffer. "\l" ends a line and puts it to the left; "\n" would put it in the middle. */
static void put_label_line(void *payload, enum npart__line_kind kind, const char *text)
{
    (void)kind;
    put_escaped(payload, text);
    npart__append_text(payload, "\\l");
}

/* The payload of wrap_label: lines of a box are told one by one, and each may become several of the label. */
struct label {
    struct graph *graph;
    struct npart__buffer *into;
};

static void wrap_label(void *payload, enum npart__line_kind kind, const char *text)
{
    struct label *label = payload;
    npart__wrap_text(&label->graph->document->arena, text, LABEL_WIDTH, LABEL_LINES, put_label_line, label->into, kind);
}

/* The whole, one line after the other. */
static void put_tooltip_line(void *payload, enum npart__line_kind kind, const char *text)
{
    (void)kind;
    put_escaped(payload, text);
    npart__append_text(payload, "\\n");
}

/* ---- boxes ------------------------------------------------------------------------------------------------- */

/* A word of letters and digits, which Graphviz takes without quotes. */
static void put_id(struct graph *at, uint32_t box)
{
    npart__add_box_id(at->out, at->picture, box);
}

/* Shapes and borders tell the kinds apart where colours do not. Colours are those of the page, when it is light. An
 * attribute that is given again replaces the one before, so marks come after the look of the kind. */
static void put_look(struct graph *at, const struct npart__box *box)
{
    static const char *const looks[] = {
        [NPART__BOX_INPUTS] = "shape=note, style=filled, fillcolor=\"#f5f6f8\", color=\"#5a636e\"",
        [NPART__BOX_NPU] = "style=filled, fillcolor=\"#d9efe2\", color=\"#146c3c\", penwidth=2",
        [NPART__BOX_CPU] = "style=\"rounded,filled\", fillcolor=\"#fcebd2\", color=\"#954c00\"",
        [NPART__BOX_OUTPUTS] = "shape=note, style=filled, fillcolor=\"#f5f6f8\", color=\"#5a636e\"",
        [NPART__BOX_REPEATS] = "shape=folder, style=\"filled,dashed\", fillcolor=\"#f5f6f8\", color=\"#5a636e\"",
        [NPART__BOX_REST] = "shape=folder, style=\"filled,dashed\", fillcolor=\"#f5f6f8\", color=\"#5a636e\"",
    };
    npart__append_text(at->out, looks[box->kind]);
    if (box->failing)
        npart__append_text(at->out, ", peripheries=2, color=\"#b91c2b\"");
    else if (box->undecided && box->kind == NPART__BOX_CPU)
        npart__append_text(at->out, ", style=\"rounded,filled,dashed\", color=\"#7a3cad\"");
}

/* It is told twice: short lines in the label, whole ones where the mouse rests. The id is for pages that hold the
 * picture, and has the digraph's number in it, so that ids of a document differ. */
static void put_box(struct graph *at, uint32_t box)
{
    const struct npart__box *found = &at->picture->boxes[box];
    struct label label = {at, at->out};
    npart__append_text(at->out, "  ");
    put_id(at, box);
    npart__append_text(at->out, " [label=\"");
    npart__tell_box(at->document, at->picture, found, wrap_label, &label);
    npart__append_text(at->out, "\", tooltip=\"");
    npart__tell_box(at->document, at->picture, found, put_tooltip_line, at->out);
    npart__append_format(at->out, "\", id=\"plan%u-", at->number);
    put_id(at, box);
    npart__append_text(at->out, "\", ");
    put_look(at, found);
    npart__append_text(at->out, "];\n");
}

/* Bodies are clusters, which lie in each other as deep as they do in the model. Graphviz draws a frame round a
 * subgraph only where its name begins with "cluster". Frames that are hidden stand in no box's list. */
static void put_frame(struct graph *at, uint32_t frame)
{
    const struct npart__frame *found = &at->picture->frames[frame];
    struct npart__buffer title;
    if (found->graph != 0) {
        npart__buffer_init(&title, &at->document->arena);
        npart__add_frame_text(at->document, &title, at->picture, found);
        npart__append_format(at->out, "  subgraph cluster_body%u {\n  label=\"", frame);
        put_escaped(at->out, npart__buffer_text(&title));
        npart__append_format(at->out, "\"; id=\"plan%u-body%u\"; style=\"rounded,dashed\"; color=\"#5a636e\";\n",
                             at->number, frame);
        npart__buffer_release(&title);
    }
    for (uint32_t i = found->first; i < found->first + found->count; i++) {
        put_box(at, i);
        for (uint32_t f = at->picture->boxes[i].first_frame; f != NPART_NONE; f = at->picture->frames[f].next)
            put_frame(at, f);
    }
    npart__append_text(at->out, found->graph != 0 ? "  }\n" : "");
}

/* ---- edges ------------------------------------------------------------------------------------------------- */

static void put_ends(struct graph *at, uint32_t from, uint32_t to)
{
    npart__append_text(at->out, "  ");
    put_id(at, from);
    npart__append_text(at->out, " -> ");
    put_id(at, to);
}

/* What is not transferred is dotted. A change of layout is marked by a diamond where the edge begins, which
 * Graphviz draws only where the direction is "both". */
static void put_edge(struct graph *at, uint32_t index)
{
    const struct npart__edge *edge = &at->picture->edges[index];
    struct npart__buffer text = {.arena = &at->document->arena};
    npart__add_edge_text(at->document, &text, at->picture, edge);
    put_ends(at, edge->from, edge->to);
    npart__append_text(at->out, " [label=\"");
    put_escaped(at->out, npart__buffer_text(&text));
    npart__append_text(at->out, "\", tooltip=\"");
    npart__add_tensors(at->document, at->out, at->picture, edge, put_tooltip_line);
    npart__append_format(at->out, "\", id=\"plan%u-edge%u\"", at->number, index);
    if (!edge->is_transfer)
        npart__append_text(at->out, ", style=dotted, color=\"#5a636e\", fontcolor=\"#5a636e\"");
    else if (edge->conversions)
        npart__append_text(at->out, ", arrowtail=diamond, dir=both");
    npart__append_text(at->out, "];\n");
    npart__buffer_release(&text);
}

static int compare_ends(const void *left, const void *right)
{
    const struct npart__edge *a = left, *b = right;
    int order = NPART__ORDER(a->from, b->from);
    return order ? order : NPART__ORDER(a->to, b->to);
}

/* Edges are sorted by where they begin, then by where they end; frames need not be in the order of their boxes. */
static bool has_edge(const struct npart__picture *picture, uint32_t from, uint32_t to)
{
    const struct npart__edge wanted = {.from = from, .to = to};
    return picture->edge_count &&
           bsearch(&wanted, picture->edges, picture->edge_count, sizeof wanted, compare_ends) != NULL;
}

/* In execution order from top to bottom, also where nothing is passed on. Graphviz ranks boxes by edges alone, so
 * boxes that follow each other in a frame and have no edge get one that is not seen. A body begins below the node that
 * runs it: `lhead` ends that edge at the frame, for which the graph must be "compound". */
static void put_order(struct graph *at)
{
    for (uint32_t f = 0; f < at->picture->frame_count; f++) {
        const struct npart__frame *frame = &at->picture->frames[f];
        for (uint32_t i = frame->first; i + 1 < frame->first + frame->count; i++) {
            if (has_edge(at->picture, i, i + 1))
                continue;
            put_ends(at, i, i + 1);
            npart__append_text(at->out, " [style=invis];\n");
        }
        if (frame->owner == NPART_NONE || frame->count == 0)
            continue;
        put_ends(at, frame->owner, frame->first);
        npart__append_format(at->out, " [lhead=cluster_body%u, style=dashed, color=\"#5a636e\", label=\"runs\"];\n", f);
    }
}

/* ---- digraphs ---------------------------------------------------------------------------------------------- */

/* The label is left open for the lines of the heading; end_heading closes it. A document has one digraph after the
 * other, as a file of Graphviz may. */
static void begin_graph(npart_document *document, const char *path, const char *target)
{
    struct dot *dot = document->state;
    struct npart__buffer *out = &document->out, name;
    npart__buffer_init(&name, &document->arena);
    npart__add_cut(document, &name, path, NPART__LINE_CHARACTERS);
    npart__append_format(&name, "%s%s", *target ? ", " : "", npart__plain_text(document, target));
    npart__append_text(out, dot->graph_count++ ? "\ndigraph \"" : "digraph \"");
    put_escaped(out, npart__buffer_text(&name));
    npart__append_format(out, "\" {\n  graph [id=\"plan%u\", compound=true, fontname=\"Helvetica,Arial,sans-serif\", "
                         "fontsize=13, bgcolor=white, labelloc=t, labeljust=l, ranksep=0.4, label=\"",
                         dot->graph_count);
    put_escaped(out, npart__buffer_text(&name));
    npart__append_text(out, "\\l");
    npart__buffer_release(&name);
}

static void end_heading(npart_document *document)
{
    npart__append_text(&document->out,
                       "\"];\n  node [shape=box, fontname=\"Helvetica,Arial,sans-serif\", fontsize=11, "
                       "fontcolor=\"#1b1f24\"];\n  edge [fontname=\"Helvetica,Arial,sans-serif\", fontsize=10];\n");
}

static void put_heading_line(void *payload, enum npart__line_kind kind, const char *text)
{
    npart_document *document = payload;
    (void)kind;
    put_escaped(&document->out, npart__plain_text(document, text));
    npart__append_text(&document->out, "\\l");
}

/* The picture's memory goes with each plan. Where there was too little, nothing of the digraph is written, and the
 * document fails with the picture's arena. */
static void put_plan(npart_document *document, const struct npart_entry *entry, uint32_t plan)
{
    struct npart__picture picture;
    struct npart__arena own;
    npart__part_open(&own, &document->arena);
    struct npart_plan_info info = {.size = sizeof info, .label = ""};
    const npart_plan *at = entry->plans[plan].plan;
    npart__picture_make(&picture, &own, at, npart__tells_nodes(document->detail));
    (void)npart_plan_info(at, &info);
    if (!own.failed) {
        struct graph graph = {document, &document->out, &picture, 0};
        begin_graph(document, entry->path, info.label);
        graph.number = ((struct dot *)document->state)->graph_count;
        npart__tell_heading(document, entry, plan, &picture, put_heading_line, document);
        end_heading(document);
        for (uint32_t i = 0; i < picture.frame_count; i++)
            if (picture.frames[i].owner == NPART_NONE)
                put_frame(&graph, i);
        for (uint32_t i = 0; i < picture.edge_count; i++)
            put_edge(&graph, i);
        put_order(&graph);
        npart__append_text(&document->out, "}\n");
    }
    npart__part_end(&own, &document->arena);
}

/* What cannot be analyzed has a picture that says so. */
static void put_error(npart_document *document, const struct npart_entry *entry)
{
    struct npart__buffer text = {.arena = &document->arena};
    npart__append_format(&text, "\xc3\x97 cannot be analyzed: %s%s%s", entry->error->place,
                         *entry->error->place ? ": " : "", entry->error->message);
    begin_graph(document, entry->path, "");
    end_heading(document);
    npart__append_text(&document->out, "  error [peripheries=2, color=\"#b91c2b\", label=\"");
    put_escaped(&document->out, npart__plain_text(document, npart__buffer_text(&text)));
    npart__append_text(&document->out, "\"];\n}\n");
    npart__buffer_release(&text);
}

/* NULL only where the arena has failed, and then nothing is added. */
static void begin(npart_document *document)
{
    document->state = npart__arena_zeroed(&document->arena, 1, sizeof(struct dot));
}

static void add(npart_document *document, const struct npart_entry *entry)
{
    for (uint32_t i = 0; i < entry->plan_count && !document->arena.failed; i++)
        put_plan(document, entry, i);
    if (entry->error)
        put_error(document, entry);
}

const struct npart__writer npart__dot_writer = {begin, add, NULL, NULL};
