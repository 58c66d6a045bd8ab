/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures of a plan: partitions and what runs on the CPU between them, as boxes, and the tensors that pass from one
 * to another, as edges. picture_boxes.c forms the boxes, picture_edges.c the edges, box_text.c says what stands in a
 * box; how that is drawn is the formats' own (dot.c, svg.c).
 */
#ifndef NPART_REPORT_PICTURE_H
#define NPART_REPORT_PICTURE_H

#include "report/document.h"

/* Boxes of a picture; what is more stands in one box at the end. With NPART_DETAIL_NODES there is no limit. */
#define NPART__MOST_BOXES 120u

enum npart__box_kind {
    NPART__BOX_INPUTS,  /* of a graph, in the CPU's memory */
    NPART__BOX_NPU,     /* a partition */
    NPART__BOX_CPU,     /* the nodes between two hand-overs */
    NPART__BOX_OUTPUTS,
    NPART__BOX_REPEATS, /* boxes that are like those before them, once or more often */
    NPART__BOX_REST     /* boxes that are more than the limit */
};

/* Nodes that run on one side, one after the other in execution order: a new box begins where control passes to the
 * other side, or to another partition. So an edge leads to a later box, whatever the graph looks like, and the changes
 * of side are the plan's switches. */
struct npart__box {
    enum npart__box_kind kind;
    uint32_t frame;             /* in npart__picture.frames: the graph that it runs in */
    uint32_t partition;         /* of BOX_NPU its id; of BOX_REPEATS and BOX_REST below; else NPART_NONE */
    uint32_t first, node_count; /* in npart__picture.nodes: live nodes */
    uint32_t failing, undecided; /* how many of its nodes are */
    uint32_t boxes, times;      /* of BOX_REPEATS and BOX_REST: how many it stands for, and how often they come */
    uint32_t npu_boxes, last_partition; /* of these partitions; `partition` is the first of them */
    double ms;                  /* of its nodes, typically; negative: not known */
    double mac_share;           /* of the plan's multiply-accumulates; negative: not known */
    uint64_t hash;              /* of what it does: like boxes have the same */
    uint32_t first_reason, reason_count; /* in npart__picture.reasons */
    uint32_t first_frame;       /* the bodies that its nodes hold, by npart__frame.next; NPART_NONE: none */
};

/* A graph that runs by itself: the main one, or a body of an If, Loop or Scan. */
struct npart__frame {
    uint32_t graph;             /* of the model, by its id */
    uint32_t owner, next;       /* the box that holds it, and the next frame of that box; or NPART_NONE */
    uint32_t first, count;      /* boxes */
    uint32_t depth;             /* 0: the main graph */
    bool is_hidden;             /* its owner is not drawn by itself */
};

/* Why a box on the CPU is there: a root, and the partitions that end for it. */
struct npart__box_reason {
    uint32_t box, cause, node;  /* node: one of those that it lies at */
    uint32_t partition;         /* that ends there; NPART_NONE: none does */
};

/* A tensor that passes from one box to another. */
struct npart__tie {
    uint32_t from, to, value; /* boxes, and the value that passes: what it is once the model runs */
    bool is_transfer;         /* from or to the NPU */
};

/* All that pass between two boxes. */
struct npart__edge {
    uint32_t from, to;          /* boxes */
    uint32_t first, count;      /* in npart__picture.ties */
    bool is_transfer;           /* of any of its tensors an end is on the NPU */
    uint64_t bytes;             /* of those that are known */
    bool is_partial;            /* of some they are not known */
    uint32_t conversions;       /* that change their layout on the way */
};

struct npart__picture {
    struct npart__arena *arena;   /* has all arrays, and goes after the picture */
    const npart_plan *plan;
    const npart_inference *view; /* of the plan's runtime, by which values have types */
    const npart_model *model; /* the graph that the runtime sees */
    struct npart_plan_info info;
    struct npart_summary summary;
    struct npart_decided decided; /* `by` is NULL where what is taken is on the NPU */
    const uint32_t *nodes; /* live ones, frame by frame as they run */
    struct npart__box *boxes;
    struct npart__frame *frames; /* the main graph first, if anything of it runs */
    struct npart__box_reason *reasons; /* by box, cause and partition */
    struct npart__tie *ties; /* by the boxes that they connect, then by value; each once */
    struct npart__edge *edges; /* in the order of their ties */
    uint32_t node_count, value_count, graph_count; /* of `model` */
    uint32_t box_count, frame_count, reason_count, tie_count, edge_count;
    uint32_t boxes_left_out;    /* that stand in a BOX_REST */
    uint32_t *box_of;           /* by node; NPART_NONE: it does not run */
    uint32_t *frame_of;         /* by graph; NPART_NONE: nothing of it runs */
};

/* Of a plan; `is_whole`: every box, whether it repeats others or not. What it holds goes with the arena; where that has
 * failed, nothing in it may be used. */
void npart__picture_make(struct npart__picture *out, struct npart__arena *arena, const npart_plan *plan, bool is_whole);
/* Puts a frame before those that its owner has. The owner of the frame must be a box. */
void npart__nest(struct npart__picture *picture, uint32_t frame);
/* picture_edges.c: the edges, once boxes are formed. */
void npart__picture_tie(struct npart__picture *picture);
/* Whether a tensor of the edge changes its layout on the way. `value`: what the plan says of the tensor. */
bool npart__is_converted(const struct npart__picture *picture, const struct npart_value_plan *value,
                         const struct npart__edge *edge);
/* fold.c: puts boxes that repeat others, and those beyond the limit, into one. `most`: how many boxes may stand in
 * all frames together. Boxes, frames, reasons and `box_of` follow, so it comes before the edges are formed. */
void npart__picture_fold(struct npart__picture *picture, uint32_t most);

/* Inputs and outputs of a graph are in the CPU's memory. Boxes that stand for several are on neither side. */
static inline bool npart__is_on_cpu(const struct npart__box *box)
{
    return box->kind == NPART__BOX_CPU || box->kind == NPART__BOX_INPUTS || box->kind == NPART__BOX_OUTPUTS;
}

/* ---- words ------------------------------------------------------------------------------------------------- */

/* box_text.c: what a line of a box is, by which it is drawn. */
enum npart__line_kind {
    NPART__LINE_TITLE,
    NPART__LINE_PLAIN,
    NPART__LINE_FAILS, /* begins with the sign of nodes that fail to compile */
    NPART__LINE_UNKNOWN,
    NPART__LINE_REASON
};

/* The text is good for as long as the call. */
typedef void (*npart__line_callback)(void *payload, enum npart__line_kind kind, const char *text);

/* Tells the lines of a box, from the title on. Texts are plain, and no longer than NPART__LINE_CHARACTERS. */
void npart__tell_box(npart_document *document, const struct npart__picture *picture, const struct npart__box *box,
                     npart__line_callback tell, void *payload);
/* Of a box: "npu3", which stays as long as the model does; and as people call it, "NPU 3". */
void npart__add_box_id(struct npart__buffer *out, const struct npart__picture *picture, uint32_t box);
void npart__add_box_name(struct npart__buffer *out, const struct npart__picture *picture, uint32_t box);
/* "3 tensors, 1.2 MB, 1 changes layout", or the tensor's name where there is one. */
void npart__add_edge_text(npart_document *document, struct npart__buffer *out, const struct npart__picture *picture,
                          const struct npart__edge *edge);
/* A line for each of an edge's tensors, "x float32[1,64], 256 B, layout nhwc to plain", the first twelve of them; the
 * payload of `tell` is `out`, which then says how many more there are. */
void npart__add_tensors(npart_document *document, struct npart__buffer *out, const struct npart__picture *picture,
                        const struct npart__edge *edge, npart__line_callback tell);
/* "body of Loop n0" */
void npart__add_frame_text(npart_document *document, struct npart__buffer *out, const struct npart__picture *picture,
                           const struct npart__frame *frame);
/* Tells what stands above a picture: the summary, thresholds that are not met, what is left out. */
void npart__tell_heading(npart_document *document, const struct npart_entry *entry, size_t plan,
                         const struct npart__picture *picture, npart__line_callback tell, void *payload);
/* A text from outside: plain, and cut to so many characters with "..." at its end. */
void npart__add_cut(npart_document *document, struct npart__buffer *out, const char *text, size_t characters);

/* What is longer is cut: a line of a box, and a name in it. */
#define NPART__LINE_CHARACTERS 160u
#define NPART__NAME_CHARACTERS 48u

/* text_width.c: how many bytes of a text go into a line of that width: up to a blank where there is one, else between
 * characters. Widths are those of a common sans-serif font, in units of its size; a little more rather than less, since
 * fonts differ. */
size_t npart__fitting_bytes(const char *text, double width);
/* The text in lines of that width, at most so many; the last one ends in "..." where not all of it fits. */
void npart__wrap_text(struct npart__arena *arena, const char *text, double width, uint32_t most,
                      npart__line_callback tell, void *payload, enum npart__line_kind kind);

#endif
