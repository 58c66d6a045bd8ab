/* SPDX-License-Identifier: Apache-2.0
 *
 * The edges of a picture. What is transferred is what the plan says (npart_plan_crossing). Which box on the CPU makes
 * or takes it, and what passes between boxes on the CPU without being transferred, is found by who uses what in the
 * file.
 */
#include <stdlib.h>

#include "report/picture.h"

/* Who takes a value that is there at run time. On which side is asked of the node: a joined box has nodes of both. */
struct use {
    uint32_t value, box;
    bool is_on_cpu;
};

struct tying {
    struct npart__picture *picture; /* whose ties and edges are made */
    struct use *uses; /* by value, then by box, once they are sorted */
    uint32_t use_count, capacity; /* capacity: of uses */
    size_t room; /* for ties */
};

/* What is constant passes between no boxes: both sides have it from the beginning. A value that the plan does not
 * know counts as one. */
static bool is_constant(const struct npart__picture *picture, uint32_t value)
{
    struct npart_value_plan at = {.size = sizeof at};
    return !npart_plan_value(picture->plan, value, &at) || at.is_constant;
}

/* The value that it is at run time. */
static uint32_t resolve(const struct npart__picture *picture, uint32_t value)
{
    struct npart_value_plan at = {.size = sizeof at};
    return npart_plan_value(picture->plan, value, &at) ? at.stands_for : value;
}

/* ---- who takes and makes ----------------------------------------------------------------------------------------- */

/* Constants are no uses, and what is at a node in no box neither. There is room for all (count_uses). */
static void add_use(struct tying *at, uint32_t value, uint32_t box, bool is_on_cpu)
{
    if (value != NPART_NONE && box != NPART_NONE && at->use_count < at->capacity && !is_constant(at->picture, value))
        at->uses[at->use_count++] = (struct use){resolve(at->picture, value), box, is_on_cpu};
}

static int compare_uses(const void *left, const void *right)
{
    const struct use *a = left, *b = right;
    int order = NPART__ORDER(a->value, b->value);
    return order ? order : NPART__ORDER(a->box, b->box);
}

/* Of a node that runs. */
static bool is_cpu_node(const struct npart__picture *picture, uint32_t node)
{
    struct npart_node_plan plan = {.size = sizeof plan};
    return npart_plan_node(picture->plan, node, &plan) && plan.partition == NPART_NONE;
}

/* The first or the last box of a frame, if that is the one of its inputs or outputs; NPART_NONE: it has none. A
 * frame that is not drawn is a part of its owner's box. */
static uint32_t box_at_edge(const struct npart__picture *picture, uint32_t frame, bool is_end)
{
    const struct npart__frame *at = &picture->frames[frame];
    if (at->count == 0)
        return at->owner; /* hidden */
    uint32_t box = is_end ? at->first + at->count - 1 : at->first;
    return picture->boxes[box].kind == (is_end ? NPART__BOX_OUTPUTS : NPART__BOX_INPUTS) ? box : NPART_NONE;
}

/* Bodies use what is outside by its name, so what a node captures its body's nodes take. Outputs of a graph are
 * used by the box at its end. Sorted, so that the uses of a value follow each other: n log n. */
static void list_uses(struct tying *at)
{
    struct npart__picture *picture = at->picture;
    for (uint32_t id = 0; id < picture->node_count; id++) {
        struct npart_node node = {.size = sizeof node};
        if (picture->box_of[id] == NPART_NONE || !npart_model_node(picture->model, id, &node))
            continue;
        bool is_on_cpu = is_cpu_node(picture, id);
        for (uint32_t i = 0; i < node.input_count; i++)
            add_use(at, node.inputs[i], picture->box_of[id], is_on_cpu);
    }
    for (uint32_t i = 0; i < picture->frame_count; i++) {
        struct npart_graph graph = {.size = sizeof graph};
        (void)npart_model_graph(picture->model, picture->frames[i].graph, &graph);
        for (uint32_t k = 0; k < graph.output_count; k++)
            add_use(at, graph.outputs[k], box_at_edge(picture, i, true), true);
    }
    qsort(at->uses, at->use_count, sizeof *at->uses, compare_uses);
}

/* Where a value comes from: a node, or the inputs of the graph that it belongs to, which are in the CPU's memory.
 * NPART_NONE of a value that nothing in the picture makes. */
static uint32_t home_of(const struct npart__picture *picture, uint32_t value, bool *is_on_cpu)
{
    struct npart_value at = {.size = sizeof at};
    *is_on_cpu = true;
    if (!npart_inference_value(picture->view, value, &at))
        return NPART_NONE;
    if (at.producer < picture->node_count && picture->box_of[at.producer] != NPART_NONE) {
        *is_on_cpu = is_cpu_node(picture, at.producer);
        return picture->box_of[at.producer];
    }
    uint32_t frame = at.graph < picture->graph_count ? picture->frame_of[at.graph] : NPART_NONE;
    return frame == NPART_NONE ? NPART_NONE : box_at_edge(picture, frame, false);
}

/* ---- ties -------------------------------------------------------------------------------------------------------- */

/* What stays within a box is no tie. */
static void add_tie(const struct tying *at, uint32_t from, uint32_t to, uint32_t value, bool is_transfer)
{
    struct npart__picture *picture = at->picture;
    if (from != to && from != NPART_NONE && to != NPART_NONE && picture->tie_count < at->room)
        picture->ties[picture->tie_count++] = (struct npart__tie){from, to, value, is_transfer};
}

/* The first use of a value, or where it would stand. */
static uint32_t first_use(const struct tying *at, uint32_t value)
{
    uint32_t low = 0, high = at->use_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (at->uses[middle].value < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* To every box on the CPU that takes the value; where the file tells none, as a runtime has changed the graph, to the
 * first one after its source. Whoever takes it may stand in the same joined box as its source: then it is known, and
 * there is nothing to draw. */
static void tie_to_cpu(struct tying *at, uint32_t from, uint32_t value)
{
    struct npart__picture *picture = at->picture;
    uint32_t box = NPART_NONE;
    for (uint32_t i = first_use(at, value); i < at->use_count && at->uses[i].value == value; i++)
        if (at->uses[i].is_on_cpu && at->uses[i].box != box) {
            box = at->uses[i].box;
            add_tie(at, from, box, value, true);
        }
    if (box != NPART_NONE)
        return;
    for (box = from + 1; box < picture->box_count && !npart__is_on_cpu(&picture->boxes[box]); box++)
        continue;
    if (box < picture->box_count)
        add_tie(at, from, box, value, true);
}

/* Both ends on the NPU are partitions, whose boxes are known. From the CPU it comes from the box of its maker, and
 * to the CPU it goes to each box that takes it. */
static void tie_crossings(struct tying *at, const uint32_t *box_of_partition)
{
    struct npart__picture *picture = at->picture;
    struct npart_crossing crossing = {.size = sizeof crossing};
    for (uint32_t i = 0; npart_plan_crossing(picture->plan, i, &crossing); i++) {
        uint32_t value = resolve(picture, crossing.value);
        bool is_on_cpu;
        uint32_t from = crossing.from == NPART_NONE ? home_of(picture, value, &is_on_cpu)
                                                    : box_of_partition[crossing.from];
        if (crossing.to != NPART_NONE)
            add_tie(at, from, box_of_partition[crossing.to], value, true);
        else if (from != NPART_NONE)
            tie_to_cpu(at, from, value);
    }
}

/* Not transferred, but one must wait for the other. Uses whose both ends are on the CPU; all others are boundary
 * tensors, which the plan has told. */
static void tie_cpu(struct tying *at)
{
    for (uint32_t i = 0; i < at->use_count; i++) {
        const struct use *use = &at->uses[i];
        bool is_on_cpu;
        uint32_t from = home_of(at->picture, use->value, &is_on_cpu);
        if (is_on_cpu && use->is_on_cpu)
            add_tie(at, from, use->box, use->value, false);
    }
}

static int compare_ties(const void *left, const void *right)
{
    const struct npart__tie *a = left, *b = right;
    int order = NPART__ORDER(a->from, b->from);
    order = order ? order : NPART__ORDER(a->to, b->to);
    order = order ? order : NPART__ORDER(a->value, b->value);
    return order ? order : b->is_transfer - a->is_transfer;
}

/* ---- edges ------------------------------------------------------------------------------------------------------- */

/* Whether the value changes its layout for this side: what needs the other layout is told by its first user. A
 * value that is converted for an output of the graph has no such user, and then the edge to the outputs is meant.
 * What stays on the CPU is never converted on the way. */
bool npart__is_converted(const struct npart__picture *picture, const struct npart_value_plan *value,
                         const struct npart__edge *edge)
{
    if (!value->converted_to || !edge->is_transfer)
        return false;
    uint32_t user = value->converted_for;
    if (user == NPART_NONE)
        return picture->boxes[edge->to].kind == NPART__BOX_OUTPUTS;
    if (user >= picture->node_count || picture->box_of[user] == NPART_NONE)
        return false;
    return npart__is_on_cpu(&picture->boxes[picture->box_of[user]]) == npart__is_on_cpu(&picture->boxes[edge->to]);
}

/* A sum beyond 64 bits stays where it is. */
static void add_to_edge(const struct npart__picture *picture, struct npart__edge *edge, uint32_t value)
{
    struct npart_value_plan at = {.size = sizeof at};
    bool is_known = npart_plan_value(picture->plan, value, &at) && at.has_bytes;
    if (is_known && edge->bytes <= UINT64_MAX - at.bytes)
        edge->bytes += at.bytes;
    edge->is_partial |= !is_known;
    edge->conversions += npart__is_converted(picture, &at, edge);
    edge->count++;
}

/* A tie is found as often as nodes of the same box take the value; the sorted list has such ties next to each
 * other, one that is transferred first. Ties of one pair of boxes become an edge. Done in place, as no more are kept
 * than were read. */
static void gather_edges(struct npart__picture *picture)
{
    static const struct npart__tie none = {.from = NPART_NONE, .to = NPART_NONE};
    uint32_t kept = 0;
    qsort(picture->ties, picture->tie_count, sizeof *picture->ties, compare_ties);
    for (uint32_t i = 0; i < picture->tie_count; i++) {
        struct npart__tie tie = picture->ties[i];
        const struct npart__tie *last = kept ? &picture->ties[kept - 1] : &none;
        bool is_new = tie.from != last->from || tie.to != last->to;
        if (!is_new && tie.value == last->value)
            continue;
        picture->edge_count += is_new;
        struct npart__edge *edge = &picture->edges[picture->edge_count - 1];
        if (is_new)
            *edge = (struct npart__edge){.from = tie.from, .to = tie.to, .first = kept};
        edge->is_transfer |= tie.is_transfer;
        picture->ties[kept++] = tie;
        add_to_edge(picture, edge, tie.value);
    }
    picture->tie_count = kept;
}

/* Room for every use of a value, and for what is transferred of it. Inputs of nodes and outputs of graphs. */
static uint32_t count_uses(const struct npart__picture *picture)
{
    struct npart_node node = {.size = sizeof node};
    struct npart_graph graph = {.size = sizeof graph};
    uint32_t count = 0;
    for (uint32_t i = 0; npart_model_node(picture->model, i, &node); i++)
        count += node.input_count;
    for (uint32_t i = 0; npart_model_graph(picture->model, i, &graph); i++)
        count += graph.output_count;
    return count;
}

void npart__picture_tie(struct npart__picture *picture)
{
    struct tying at = {.picture = picture, .capacity = count_uses(picture)};
    struct npart_plan_info info = {.size = sizeof info};
    struct npart_partition part = {.size = sizeof part};
    uint32_t partitions = picture->summary.partitions;
    (void)npart_plan_info(picture->plan, &info);
    /* A crossing to the CPU has as many ends as boxes there use it; so has a use one at most of its own. */
    at.room = 2 * (size_t)at.capacity + info.crossing_count + 1;
    at.uses = npart__arena_zeroed(picture->arena, at.capacity + (size_t)1, sizeof *at.uses);
    picture->ties = npart__arena_zeroed(picture->arena, at.room, sizeof *picture->ties);
    picture->edges = npart__arena_zeroed(picture->arena, at.room, sizeof *picture->edges);
    uint32_t *box_of_partition = npart__arena_zeroed(picture->arena, partitions + (size_t)1, sizeof *box_of_partition);
    if (picture->arena->failed)
        return;
    list_uses(&at);
    for (uint32_t p = 0; p < partitions && npart_plan_partition(picture->plan, p, &part); p++) {
        /* A partition is one box, so any of its nodes tells which. */
        uint32_t node = part.node_count ? part.nodes[0] : NPART_NONE;
        box_of_partition[p] = node < picture->node_count ? picture->box_of[node] : NPART_NONE;
    }
    tie_crossings(&at, box_of_partition);
    tie_cpu(&at);
    gather_edges(picture);
}
