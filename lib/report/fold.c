/* SPDX-License-Identifier: Apache-2.0
 *
 * Pictures that stay readable: where there are many boxes, those that repeat the ones before them become one, and what
 * is then still more than the limit becomes another. Boxes that are joined follow each other in execution order, so an
 * edge still leads to a later box.
 */
#include "report/picture.h"

void npart__nest(struct npart__picture *picture, uint32_t frame)
{
    struct npart__box *owner = &picture->boxes[picture->frames[frame].owner];
    picture->frames[frame].next = owner->first_frame;
    owner->first_frame = frame;
}

/* Fewer boxes than these are drawn as they are: a picture of two screens. */
#define FOLD_FROM 32u
/* A longer pattern than this is not looked for, and one that comes less often than so many times is drawn. */
#define LONGEST_PATTERN 64u
#define FEWEST_REPEATS 2u

struct folding {
    struct npart__picture *picture; /* with the old boxes until all is folded */
    struct npart__box *boxes; /* the new ones, never more than the old */
    uint32_t count, room;     /* room: how many more may be drawn */
    uint32_t *place_of;       /* of old boxes among the new; NPART_NONE: in none yet */
};

/* The hash is of operators, domains and rules (picture_boxes.c), so sizes and times may differ. Boxes with bodies are
 * drawn by themselves: what stands in the bodies is not in the hash. */
static bool are_alike(const struct npart__box *a, const struct npart__box *b)
{
    return a->kind == b->kind && a->hash == b->hash && a->node_count == b->node_count &&
           a->first_frame == NPART_NONE && b->first_frame == NPART_NONE;
}

/* How often the `length` boxes from `at` on come again right after them. Of A B A B A C the two from 0 on come once
 * again: each box is compared with the one `length` further on, and of these three are the same. */
static uint32_t repeats_of(const struct npart__box *boxes, uint32_t at, uint32_t length, uint32_t end)
{
    uint32_t same = 0;
    while (at + length + same < end && are_alike(&boxes[at + same], &boxes[at + length + same]))
        same++;
    return same / length;
}

/* The pattern that covers most, of these the shortest; 0: there is none. Each length is given up at the first box
 * that differs, and what is found is passed over, so this is linear in the number of boxes. A length that fails has
 * compared fewer than FEWEST_REPEATS times that many boxes. */
static uint32_t find_pattern(const struct npart__box *boxes, uint32_t at, uint32_t end, uint32_t *times)
{
    uint32_t best = 0, covered = 0;
    for (uint32_t length = 1; length <= LONGEST_PATTERN && at + length < end; length++) {
        uint32_t repeats = repeats_of(boxes, at, length, end);
        /* Longer ones must cover more: A A A A is one box that comes again, not a pair of them. */
        if (repeats < FEWEST_REPEATS || repeats * length <= covered)
            continue;
        best = length;
        covered = repeats * length;
        *times = repeats;
    }
    return best;
}

/* ---- joining ------------------------------------------------------------------------------------------------- */

/* Negative is not known, and then the sum is not. */
static double add_known(double sum, double more)
{
    return sum < 0 || more < 0 ? -1 : sum + more;
}

/* Adds a box, which may stand for several already. Boxes of inputs and outputs have no nodes and no time, so theirs
 * does not make the sum unknown; nor does that of the empty box at the beginning. */
static void join(struct npart__box *into, const struct npart__box *box)
{
    bool is_one = box->kind == NPART__BOX_NPU;
    if (box->node_count) {
        into->ms = into->node_count ? add_known(into->ms, box->ms) : box->ms;
        into->mac_share = into->node_count ? add_known(into->mac_share, box->mac_share) : box->mac_share;
    }
    if (into->partition == NPART_NONE)
        into->partition = box->partition;
    if (is_one || box->npu_boxes)
        into->last_partition = is_one ? box->partition : box->last_partition;
    into->npu_boxes += is_one ? 1 : box->npu_boxes;
    into->boxes += box->boxes ? box->boxes : 1;
    into->node_count += box->node_count;
    into->failing += box->failing;
    into->undecided += box->undecided;
}

/* One box for `count` old ones from `first` on. Their nodes follow each other in npart__picture.nodes, so the first
 * place and the sum of their numbers say which. */
static void put_joined(struct folding *at, enum npart__box_kind kind, uint32_t first, uint32_t count, uint32_t times)
{
    const struct npart__box *old = &at->picture->boxes[first];
    struct npart__box *box = &at->boxes[at->count];
    *box = (struct npart__box){.kind = kind,
                               .frame = old->frame,
                               .partition = NPART_NONE,
                               .first = old->first,
                               .times = times,
                               .mac_share = -1,
                               .ms = -1,
                               .first_frame = NPART_NONE};
    for (uint32_t i = 0; i < count; i++) {
        join(box, &old[i]);
        at->place_of[first + i] = at->count;
    }
    at->count++;
}

static void put_same(struct folding *at, uint32_t box)
{
    at->boxes[at->count] = at->picture->boxes[box];
    at->place_of[box] = at->count++;
}

/* The boxes from the new one `first` on, and what of the old ones is not put yet, but for the last of all: the
 * graph's outputs. Places only grow from old box to old box, so those that go are the last ones. A repeat that was
 * joined before goes as the single boxes that it was made of. */
static void put_rest(struct folding *at, uint32_t first, const struct npart__frame *frame)
{
    uint32_t end = frame->first + frame->count - 1, from = end;
    while (from > frame->first && (at->place_of[from - 1] == NPART_NONE || at->place_of[from - 1] >= first))
        from--;
    at->count = first;
    if (from < end) {
        put_joined(at, NPART__BOX_REST, from, end - from, 1);
        at->picture->boxes_left_out += end - from;
    }
    put_same(at, end);
}

/* Boxes are put one after the other: those of a pattern as they are, then one for all that repeat it. Where that is
 * too many, the frame is cut to its room: two of it are for the rest and the last box. A frame has at least one
 * box, since it is begun for a node. */
static void fold_frame(struct folding *at, struct npart__frame *frame)
{
    const struct npart__box *boxes = at->picture->boxes;
    uint32_t first = at->count, end = frame->first + frame->count;
    /* By the boxes of all frames, as it is the picture that must fit two screens. */
    bool is_long = at->picture->box_count > FOLD_FROM;
    for (uint32_t i = frame->first; i < end;) {
        uint32_t times = 0, length = is_long ? find_pattern(boxes, i, end, &times) : 0;
        for (uint32_t k = 0; k < (length ? length : 1); k++)
            put_same(at, i++);
        if (length)
            put_joined(at, NPART__BOX_REPEATS, i, length * times, times);
        i += length * times;
    }
    /* With room for less than two, everything but the last box becomes the rest. */
    if (at->count - first > at->room)
        put_rest(at, first + (at->room < 2 ? 0 : at->room - 2), frame);
    at->room -= at->count - first < at->room ? at->count - first : at->room;
    frame->first = first;
    frame->count = at->count - first;
}

/* ---- frames -------------------------------------------------------------------------------------------------- */

/* A body is drawn where the box that holds it is, and where there is room. The main graph is always drawn. A body
 * whose box stands for several has no place of its own: it is one of those that repeat others, or of the rest. */
static bool is_hidden(const struct folding *at, const struct npart__frame *frame)
{
    if (frame->owner == NPART_NONE)
        return false;
    const struct npart__frame *around = &at->picture->frames[at->picture->boxes[frame->owner].frame];
    uint32_t place = at->place_of[frame->owner];
    return around->is_hidden || at->room == 0 || place == NPART_NONE || at->boxes[place].boxes > 0;
}

/* The outer frames first, since it depends on them whether the inner ones are drawn. Boxes of a frame that is not
 * drawn go to the box that holds it, and with them what is tied to them. It goes through all frames once for
 * each depth. */
static void fold_frames(struct folding *at)
{
    struct npart__picture *picture = at->picture;
    uint32_t deepest = 0;
    for (uint32_t depth = 0; depth <= deepest; depth++)
        for (uint32_t i = 0; i < picture->frame_count; i++) {
            struct npart__frame *frame = &picture->frames[i];
            deepest = frame->depth > deepest ? frame->depth : deepest;
            if (frame->depth != depth)
                continue;
            frame->is_hidden = is_hidden(at, frame);
            if (!frame->is_hidden) {
                fold_frame(at, frame);
                continue;
            }
            for (uint32_t k = 0; k < frame->count; k++)
                at->place_of[frame->first + k] = at->place_of[frame->owner];
            picture->boxes_left_out += frame->count;
            frame->count = 0;
        }
}

/* What refers to old boxes (nodes, frames) then refers to the new ones. Frames are put into their boxes'
 * lists from the last to the first, as a list grows at its beginning (npart__nest). */
void npart__picture_fold(struct npart__picture *picture, uint32_t most)
{
    struct folding at = {.picture = picture, .room = most};
    at.boxes = npart__arena_zeroed(picture->arena, picture->box_count + (size_t)1, sizeof *at.boxes);
    at.place_of = npart__arena_zeroed(picture->arena, picture->box_count + (size_t)1, sizeof *at.place_of);
    if (picture->arena->failed)
        return;
    memset(at.place_of, 0xff, picture->box_count * sizeof *at.place_of); /* NPART_NONE */
    fold_frames(&at);
    for (uint32_t i = 0; i < picture->node_count; i++)
        if (picture->box_of[i] != NPART_NONE)
            picture->box_of[i] = at.place_of[picture->box_of[i]];
    for (uint32_t i = 0; i < at.count; i++)
        at.boxes[i].first_frame = NPART_NONE;
    picture->boxes = at.boxes;
    picture->box_count = at.count;
    for (uint32_t i = picture->frame_count; i-- > 0;) {
        struct npart__frame *frame = &picture->frames[i];
        if (frame->owner == NPART_NONE)
            continue;
        frame->owner = at.place_of[frame->owner];
        if (!frame->is_hidden)
            npart__nest(picture, i);
    }
}
