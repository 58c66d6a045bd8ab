/* SPDX-License-Identifier: Apache-2.0
 *
 * How a picture is laid out as SVG: two lanes, partitions on the left and the CPU on the right, in execution order from
 * top to bottom. Each box has a row of its own, so beside it there is room for what comes from afar, and a line may
 * cross the other lane there. All lengths are pixels.
 */
#ifndef NPART_REPORT_SVG_H
#define NPART_REPORT_SVG_H

#include "report/picture.h"

#define NPART__SVG_MARGIN 16u
#define NPART__SVG_BOX 290u    /* width */
#define NPART__SVG_GUTTER 190u /* between the lanes */
#define NPART__SVG_TRACK 14u   /* between lines that run beside the lanes */
#define NPART__SVG_LINE 16u    /* of text */
#define NPART__SVG_PAD 10u     /* in a box */
#define NPART__SVG_GAP 46u     /* between boxes, for an edge and its text */
#define NPART__SVG_TITLE 34u   /* above the boxes of a body */
#define NPART__SVG_INSET 6u    /* of a body within a body */
#define NPART__SVG_TEXT 12.0   /* size of letters in boxes */
#define NPART__SVG_NOTE 11.0   /* at edges */

/* Lines that run beside the lanes, on either side; an edge that finds no room is told in words alone. */
#define NPART__SVG_MOST_TRACKS 8u
/* Texts beside a box; the last of them says how many more there are. */
#define NPART__SVG_MOST_NOTES 6u

enum npart__svg_way {
    NPART__SVG_NEXT,  /* to the box below: a curve between the two */
    NPART__SVG_TRUNK, /* beside the lanes; what leaves one box shares a line */
    NPART__SVG_WORDS  /* no line: from a graph's inputs, to its outputs, or where there is no room */
};

struct npart__svg_box {
    const char *lines;    /* each with a character before it, 'a' + enum npart__line_kind, and a newline after it */
    uint32_t line_count, note_count; /* note_count: edges that are told beside it, drawn or not */
    uint32_t place;       /* from the top, bodies where they stand */
    uint32_t x, y, width, height;
    uint32_t track;       /* of its trunk, from the lane outwards; NPART_NONE: it has none */
    uint32_t first_edge;  /* that leaves it: they follow each other; NPART_NONE: none does */
};

struct npart__svg_frame {
    uint32_t y, height; /* with its title; the main graph has none */
};

struct npart__svg_edge {
    enum npart__svg_way way;
    uint32_t slot; /* of its text beside a box, counted from 0, may be beyond those that are shown; 0 of NEXT */
};

struct npart__svg {
    const struct npart__picture *picture; /* whose arena has the arrays */
    struct npart__svg_box *boxes; /* by the picture's, as the next two are */
    struct npart__svg_frame *frames;
    struct npart__svg_edge *edges;
    uint32_t *box_at;      /* by place */
    uint32_t place_count; /* boxes of frames that are hidden have no place */
    uint32_t tracks[2];    /* how many are used: left, right */
    uint32_t npu_x, cpu_x, width, height; /* left sides of the lanes; of the whole picture */
};

/* `top`: where the boxes begin. What it holds is of the picture's arena. */
void npart__svg_lay_out(npart_document *document, struct npart__svg *out, const struct npart__picture *picture,
                        uint32_t top);

static inline bool npart__svg_is_joined(const struct npart__box *box)
{
    return box->kind == NPART__BOX_REPEATS || box->kind == NPART__BOX_REST;
}

/* The side on which a box has its trunk, and away from which its notes stand: 0 is left. */
static inline unsigned npart__svg_side(const struct npart__box *box)
{
    return npart__is_on_cpu(box) ? 1 : 0;
}

#endif
