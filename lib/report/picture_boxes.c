/* SPDX-License-Identifier: Apache-2.0
 *
 * The boxes of a picture, in execution order: each partition, and the nodes on the CPU between two hand-overs. Cutting
 * where control passes, rather than joining CPU nodes that are connected, shows what a run does: boxes follow each
 * other, and each hand-over that the summary counts is one to be seen. Bodies of control flow have boxes of their own.
 */
#include <stdlib.h>

#include "report/picture.h"

struct builder {
    struct npart__picture *out;
    const uint32_t *order; /* the plan's live nodes, as they run */
    uint32_t order_count, added; /* added: to out->nodes, so far */
};

/* ---- graphs -------------------------------------------------------------------------------------------------- */

/* The graph that runs by itself which holds a graph: calls, and Ifs with a constant condition, stand in the
 * graph around them. A body counts where its holder runs: an If that was folded away gave its place to one branch.
 * Each step goes to the graph around, so there are no more steps than graphs. */
static uint32_t root_of(const struct npart__picture *at, uint32_t graph)
{
    struct npart_graph found = {.size = sizeof found};
    struct npart_node_plan holder = {.size = sizeof holder};
    for (uint32_t steps = 0; steps < at->graph_count && npart_model_graph(at->model, graph, &found); steps++) {
        if (found.kind == NPART_GRAPH_MAIN)
            break;
        bool is_run = npart_plan_node(at->plan, found.node, &holder) && holder.verdict != NPART_VERDICT_FOLDED &&
                      holder.verdict != NPART_VERDICT_FUSED;
        if (found.kind == NPART_GRAPH_BODY && is_run)
            break;
        graph = found.parent;
    }
    return graph;
}

/* In the frame that was begun last. There is room for it (see allocate); -1 is a time or share that is not known. */
static struct npart__box *add_box(struct builder *at, enum npart__box_kind kind)
{
    struct npart__picture *out = at->out;
    struct npart__box *box = &out->boxes[out->box_count++];
    uint32_t frame = out->frame_count - 1;
    *box = (struct npart__box){.kind = kind,
                               .frame = frame,
                               .partition = NPART_NONE,
                               .first = at->added,
                               .mac_share = -1,
                               .ms = -1,
                               .hash = NPART__HASH,
                               .first_frame = NPART_NONE};
    out->frames[frame].count++;
    return box;
}

/* Inputs that are the same in every run are none: initializers that stand among the inputs, where they may not be
 * overridden. Without any other input the box would be empty. */
static bool has_inputs(const struct npart__picture *at, const struct npart_graph *graph)
{
    for (uint32_t i = 0; i < graph->input_count; i++) {
        struct npart_value_plan value = {.size = sizeof value};
        if (npart_plan_value(at->plan, graph->inputs[i], &value) && !value.is_constant)
            return true;
    }
    return false;
}

/* A frame begins with a box for the inputs of its graph, if it has any, and ends with one for its outputs. */
static void begin_frame(struct builder *at, uint32_t graph)
{
    struct npart__picture *out = at->out;
    struct npart_graph found = {.size = sizeof found};
    out->frame_of[graph] = out->frame_count;
    out->frames[out->frame_count++] = (struct npart__frame){
        .graph = graph, .owner = NPART_NONE, .next = NPART_NONE, .first = out->box_count};
    if (npart_model_graph(out->model, graph, &found) && has_inputs(out, &found))
        (void)add_box(at, NPART__BOX_INPUTS);
}

static void end_frame(struct builder *at)
{
    struct npart__picture *out = at->out;
    struct npart_graph found = {.size = sizeof found};
    uint32_t graph = out->frames[out->frame_count - 1].graph;
    if (npart_model_graph(out->model, graph, &found) && found.output_count)
        (void)add_box(at, NPART__BOX_OUTPUTS);
}

/* ---- boxes --------------------------------------------------------------------------------------------------- */

static void hash_text(uint64_t *hash, const char *text)
{
    *hash = npart__hash(*hash, text, strlen(text) + 1);
}

/* What is not known of one node is not known of all. Times add up; the hash is of operators and rules in the order
 * of running, so boxes that do the same for the same reasons have the same one, whatever their nodes are called.
 * Getters that fail leave the empty texts, as of a node without a cause. */
static void count_node(struct npart__picture *out, struct npart__box *box, uint32_t id,
                       const struct npart_node_plan *plan)
{
    struct npart_node node = {.size = sizeof node, .op = "", .domain = ""};
    struct npart_cause cause = {.size = sizeof cause, .rule_id = ""};
    (void)npart_model_node(out->model, id, &node);
    (void)npart_plan_cause(out->plan, plan->cause, &cause, NULL, 0);
    hash_text(&box->hash, node.op);
    hash_text(&box->hash, node.domain);
    hash_text(&box->hash, cause.rule_id);
    box->failing += plan->verdict == NPART_VERDICT_FAIL;
    box->undecided += plan->verdict == NPART_VERDICT_UNKNOWN;
    if (box->node_count == 0)
        box->ms = plan->ms;
    else if (box->ms >= 0)
        box->ms = plan->ms < 0 ? -1 : box->ms + plan->ms;
    out->box_of[id] = out->box_count - 1;
    box->node_count++;
}

/* The nodes of a frame, which follow each other in the order, one after the other. A frame ends where the next
 * graph begins: npart_plan_order goes graph by graph. A new box begins where the partition is another one, or none;
 * nodes on the CPU are all in none, so those that follow each other share a box. */
static void add_nodes(struct builder *at, uint32_t *nodes)
{
    struct npart__picture *out = at->out;
    struct npart__box *box = NULL;
    uint32_t frame = NPART_NONE;
    for (uint32_t i = 0; i < at->order_count; i++) {
        struct npart_node_plan plan = {.size = sizeof plan};
        struct npart_node node = {.size = sizeof node};
        uint32_t id = at->order[i];
        /* A copy that a runtime makes of a node is none that can be asked about. */
        if (!npart_plan_node(out->plan, id, &plan) || !npart_model_node(out->model, id, &node))
            continue;
        uint32_t graph = root_of(out, node.graph);
        if (out->frame_of[graph] == NPART_NONE) {
            if (frame != NPART_NONE)
                end_frame(at);
            frame = out->frame_count;
            begin_frame(at, graph);
            box = NULL;
        }
        if (!box || box->partition != plan.partition) {
            box = add_box(at, plan.partition == NPART_NONE ? NPART__BOX_CPU : NPART__BOX_NPU);
            box->partition = plan.partition;
        }
        nodes[at->added++] = id;
        count_node(out, box, id, &plan);
    }
    if (frame != NPART_NONE)
        end_frame(at);
}

/* A node that was fused into another stands where that one does: in the box of the node at the end of the chain of
 * fusions, which `into` is at once; the loop is bounded all the same. Nodes that are folded stay in no box. */
static void place_fused(struct npart__picture *out)
{
    for (uint32_t id = 0; id < out->node_count; id++) {
        struct npart_node_plan plan = {.size = sizeof plan, .into = NPART_NONE};
        uint32_t into = id;
        for (uint32_t steps = 0; steps < 8 && npart_plan_node(out->plan, into, &plan) && plan.into < out->node_count &&
                                 out->box_of[into] == NPART_NONE;
             steps++)
            into = plan.into;
        out->box_of[id] = out->box_of[into];
    }
}

/* By the nodes, since npart_partition knows those of partitions alone. A box with nodes of unknown work has the
 * share of the others. Nothing is told where the plan's sum is not known. */
static void share_macs(struct npart__picture *out)
{
    for (uint32_t i = 0; i < out->box_count && out->summary.has_macs && out->summary.macs; i++) {
        struct npart__box *box = &out->boxes[i];
        double macs = 0;
        for (uint32_t k = 0; k < box->node_count; k++) {
            struct npart_work work = {.size = sizeof work};
            npart_status status = npart_plan_work(out->plan, out->nodes[box->first + k], &work, NULL);
            out->arena->failed |= npart__is_shortage(status);
            if (status == NPART_OK && work.macs.value != UINT64_MAX)
                macs += (double)work.macs.value;
        }
        if (box->node_count)
            box->mac_share = macs / (double)out->summary.macs;
    }
}

/* ---- bodies -------------------------------------------------------------------------------------------------- */

/* The last first, so that each box has its frames in the model's order. A frame whose holder is not in a box is
 * drawn after the main graph. The depth is the number of boxes around; its loop ends at the number of frames in any
 * case. */
static void nest_frames(struct npart__picture *out)
{
    for (uint32_t i = out->frame_count; i-- > 0;) {
        struct npart__frame *frame = &out->frames[i];
        struct npart_graph graph = {.size = sizeof graph, .node = NPART_NONE};
        (void)npart_model_graph(out->model, frame->graph, &graph);
        if (graph.node >= out->node_count || out->box_of[graph.node] == NPART_NONE)
            continue;
        frame->owner = out->box_of[graph.node];
        npart__nest(out, i);
    }
    for (uint32_t i = 0; i < out->frame_count; i++) {
        struct npart__frame *frame = &out->frames[i];
        for (uint32_t up = frame->owner; up != NPART_NONE && frame->depth < out->frame_count;
             up = out->frames[out->boxes[up].frame].owner)
            frame->depth++;
    }
}

/* ---- reasons ------------------------------------------------------------------------------------------------- */

/* NPART_NONE, which is the largest number, comes last: reasons that end a partition stand before those that end
 * none. */
static int compare_reasons(const void *left, const void *right)
{
    const struct npart__box_reason *a = left, *b = right;
    int order = NPART__ORDER(a->box, b->box);
    order = order ? order : NPART__ORDER(a->cause, b->cause);
    order = order ? order : NPART__ORDER(a->partition, b->partition);
    return order ? order : NPART__ORDER(a->node, b->node);
}

/* Each root and each partition that it ends once; a root that ends none once, too. There are two sources: nodes
 * with a cause, and the nodes at which partitions end, which tell the partition. In the sorted list a cause without
 * a partition is dropped where the same box has it already with one. Of boxes as they are drawn, as one whose bodies
 * are hidden has the reasons of these, too, and a box's reasons follow each other. n log n in their number. */
static void list_reasons(struct npart__picture *out)
{
    uint32_t count = 0, kept = 0;
    for (uint32_t i = 0; i < out->node_count; i++) {
        struct npart_node_plan node = {.size = sizeof node};
        if (out->box_of[i] != NPART_NONE && npart_plan_node(out->plan, i, &node) && node.cause != NPART_NONE)
            out->reasons[count++] = (struct npart__box_reason){out->box_of[i], node.cause, i, NPART_NONE};
    }
    struct npart_partition part = {.size = sizeof part};
    for (uint32_t p = 0; npart_plan_partition(out->plan, p, &part); p++)
        for (uint32_t i = 0; i < part.end_count; i++) {
            struct npart_node_plan node = {.size = sizeof node, .cause = NPART_NONE};
            (void)npart_plan_node(out->plan, part.ends[i], &node);
            if (part.ends[i] < out->node_count && out->box_of[part.ends[i]] != NPART_NONE)
                out->reasons[count++] =
                    (struct npart__box_reason){out->box_of[part.ends[i]], node.cause, part.ends[i], p};
        }
    qsort(out->reasons, count, sizeof *out->reasons, compare_reasons);
    for (uint32_t i = 0; i < count; i++) {
        struct npart__box_reason *at = &out->reasons[i], *before = kept ? &out->reasons[kept - 1] : NULL;
        bool is_known = before && before->box == at->box && before->cause == at->cause;
        if (is_known && (before->partition == at->partition || at->partition == NPART_NONE))
            continue;
        out->reasons[kept++] = *at;
    }
    out->reason_count = kept;
}

/* Each node makes one box at most, each frame two more; a reason is a node or an end of a partition. The bytes 0xff
 * make NPART_NONE of every entry. */
static bool allocate(struct npart__picture *out, uint32_t order_count, uint32_t **nodes)
{
    struct npart_partition part = {.size = sizeof part};
    size_t ends = 0;
    for (uint32_t p = 0; npart_plan_partition(out->plan, p, &part); p++)
        ends += part.end_count;
    out->box_of = npart__arena_zeroed(out->arena, out->node_count + (size_t)1, sizeof *out->box_of);
    out->frame_of = npart__arena_zeroed(out->arena, out->graph_count + (size_t)1, sizeof *out->frame_of);
    out->frames = npart__arena_zeroed(out->arena, out->graph_count + (size_t)1, sizeof *out->frames);
    out->boxes = npart__arena_zeroed(out->arena, order_count + 2 * (size_t)out->graph_count + 2, sizeof *out->boxes);
    out->reasons = npart__arena_zeroed(out->arena, out->node_count + ends + 1, sizeof *out->reasons);
    *nodes = npart__arena_zeroed(out->arena, order_count + (size_t)1, sizeof **nodes);
    if (out->arena->failed)
        return false;
    memset(out->box_of, 0xff, out->node_count * sizeof *out->box_of);
    memset(out->frame_of, 0xff, out->graph_count * sizeof *out->frame_of);
    return true;
}

/* The order matters: fused nodes and frames need all boxes, reasons need to know where fused nodes are, joining
 * boxes renumbers them, and edges are formed of what is left. */
void npart__picture_make(struct npart__picture *out, struct npart__arena *arena, const npart_plan *plan, bool is_whole)
{
    struct npart_model_info info = {.size = sizeof info};
    struct builder at = {.out = out};
    uint32_t *nodes = NULL;
    *out = (struct npart__picture){.arena = arena, .plan = plan, .view = npart_plan_view(plan)};
    out->model = npart_inference_model(out->view);
    out->info.size = sizeof out->info;
    out->summary.size = sizeof out->summary;
    (void)npart_plan_info(plan, &out->info);
    (void)npart_plan_summary(plan, &out->summary);
    out->decided = (struct npart_decided){.size = sizeof out->decided};
    (void)npart_plan_decided(plan, &out->decided);
    (void)npart_model_info(out->model, &info);
    out->node_count = info.node_count;
    out->value_count = info.value_count;
    out->graph_count = info.graph_count;
    at.order = npart_plan_order(plan, &at.order_count);
    if (!allocate(out, at.order_count, &nodes))
        return;
    out->nodes = nodes;
    add_nodes(&at, nodes);
    place_fused(out);
    share_macs(out);
    nest_frames(out);
    if (!is_whole)
        npart__picture_fold(out, NPART__MOST_BOXES);
    list_reasons(out);
    for (uint32_t i = 0; i < out->reason_count && !arena->failed; i++) {
        struct npart__box *box = &out->boxes[out->reasons[i].box];
        box->first_reason = box->reason_count ? box->first_reason : i;
        box->reason_count++;
    }
    if (!arena->failed)
        npart__picture_tie(out);
}
