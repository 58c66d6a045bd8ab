/* SPDX-License-Identifier: Apache-2.0
 *
 * What stands in the boxes and at the edges of a picture. Every text from a model is made plain and cut here.
 */
#include <stdlib.h>

#include "report/picture.h"

/* That are told by name; of the others how many. */
#define OPS_TOLD 3u
#define TENSORS_TOLD 4u
#define REASONS_TOLD 2u
#define ENDS_TOLD 3u
#define OP_CHARACTERS 24u
#define NAME_END_CHARACTERS 28u
#define TENSORS_NAMED 12u /* of an edge; the others are counted */

struct telling {
    npart_document *document;
    const struct npart__picture *picture;
    const struct npart__box *box;
    npart__line_callback tell;
    void *payload;
    struct npart__buffer line; /* that is being put together, of texts as the model has them; end_line makes it plain */
};

/* ---- pieces -------------------------------------------------------------------------------------------------- */

/* Between characters, whose later bytes are 10xxxxxx. The last three of them give way to the dots: of 10
 * characters, "abcdefghijkl" becomes "abcdefg...", and "abcdefghij" stays. `fits` is where the dots would go, noted
 * on the way, since whether they are needed is known only with the character after the last. An escape may be cut
 * in two: it is text, and half of it does no harm. */
void npart__add_cut(npart_document *document, struct npart__buffer *out, const char *text, size_t characters)
{
    const char *plain = npart__plain_text(document, text), *end = plain, *fits = plain;
    for (size_t count = 0; *end && count <= characters; count++) {
        if (count + 3 == characters)
            fits = end;
        for (end++; ((unsigned char)*end & 0xc0) == 0x80; end++)
            continue;
        if (count == characters) {
            npart__append(out, plain, (size_t)(fits - plain));
            npart__append_text(out, "...");
            return;
        }
    }
    npart__append(out, plain, (size_t)(end - plain));
}

/* Three digits that count, from a microsecond on. 0.0123 -> "0.012 ms", 1.234 -> "1.23 ms", 123.4 -> "123 ms". The
 * limits lie where rounding begins to give one digit more: 9.995 would become 10.00. */
static void add_ms(struct npart__buffer *out, double ms)
{
    npart__append_text(out, ms < 0.0005 ? "under " : "");
    npart__append_fixed(out, ms < 0.0005 ? 0.001 : ms, ms < 0.0995 ? 3 : ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0);
    npart__append_text(out, " ms");
}

/* What a partition is called: that it is on the NPU is said where that is so. */
static const char *npu_word(const struct npart__picture *picture)
{
    return picture->decided.by ? "Partition" : picture->info.unit;
}

/* The noun is one that takes an s, or after x or h an es. "1 box", "2 boxes", "7 device switches". */
static void add_count(struct npart__buffer *out, uint32_t count, const char *noun)
{
    char last = noun[strlen(noun) - 1];
    npart__append_format(out, "%u %s%s", count, noun, count == 1 ? "" : last == 'x' || last == 'h' ? "es" : "s");
}

/* 0.643 -> "64.3 %". */
static void add_share(struct npart__buffer *out, double share)
{
    npart__append_fixed(out, share * 100, 1);
    npart__append_text(out, " %");
}

/* The line so far is told, cut where it is longer than a box can hold, and begun anew. An empty line is none.
 * `tell` gets a text that is gone once it returns. */
static void end_line(struct telling *at, enum npart__line_kind kind)
{
    struct npart__buffer cut;
    if (at->line.size) {
        npart__buffer_init(&cut, at->line.arena);
        npart__add_cut(at->document, &cut, npart__buffer_text(&at->line), NPART__LINE_CHARACTERS);
        at->tell(at->payload, kind, npart__buffer_text(&cut));
        npart__buffer_release(&cut);
    }
    at->line.size = 0;
}

/* ---- operators ----------------------------------------------------------------------------------------------- */

/* Nodes of one op in a box. `first` is the place of the first of them among the box's nodes, by which ops of equal
 * number stand in the order that they run. */
struct tally {
    const char *op;
    uint32_t count, first;
};

/* By name, then by place: qsort need not keep the order of equal ones, and the first of a run of equal names must
 * be the one that comes first. */
static int compare_ops(const void *left, const void *right)
{
    const struct tally *a = left, *b = right;
    int by_name = strcmp(a->op, b->op);
    return by_name ? by_name : (a->first > b->first) - (a->first < b->first);
}

/* The most frequent first, then the one that comes first. */
static int compare_tallies(const void *left, const void *right)
{
    const struct tally *a = left, *b = right;
    if (a->count != b->count)
        return a->count > b->count ? -1 : 1;
    return (a->first > b->first) - (a->first < b->first);
}

/* "12 Conv, 8 Relu, 2 Add and 3 more": the last number is of ops, not of nodes. A box of one node has the op alone.
 * Sorting by name brings equal ops together, so that it takes time in proportion to n log n of a box's nodes,
 * however many ops there are. The names are the model's own memory. */
static void add_ops(struct telling *at, struct npart__arena *arena)
{
    uint32_t kinds = 0;
    struct tally *tallies = npart__arena_zeroed(arena, at->box->node_count + (size_t)1, sizeof *tallies);
    if (!tallies)
        return;
    for (uint32_t i = 0; i < at->box->node_count; i++) {
        struct npart_node node = {.size = sizeof node, .op = ""};
        (void)npart_model_node(at->picture->model, at->picture->nodes[at->box->first + i], &node);
        tallies[i] = (struct tally){node.op, 1, i};
    }
    qsort(tallies, at->box->node_count, sizeof *tallies, compare_ops);
    for (uint32_t i = 0; i < at->box->node_count; i++) {
        if (kinds && strcmp(tallies[kinds - 1].op, tallies[i].op) == 0)
            tallies[kinds - 1].count++;
        else
            tallies[kinds++] = tallies[i];
    }
    qsort(tallies, kinds, sizeof *tallies, compare_tallies);
    for (uint32_t i = 0; i < kinds && i < OPS_TOLD; i++) {
        npart__append_text(&at->line, i ? ", " : "");
        if (at->box->node_count > 1)
            npart__append_format(&at->line, "%u ", tallies[i].count);
        npart__add_cut(at->document, &at->line, tallies[i].op, OP_CHARACTERS);
    }
    if (kinds > OPS_TOLD)
        npart__append_format(&at->line, " and %u more", kinds - OPS_TOLD);
}

/* ---- modules ------------------------------------------------------------------------------------------------- */

/* Of two paths the modules that both begin with. "encoder.layers.1" and "encoder.layers.10" have "encoder.layers"
 * in common: the first is a beginning of the second, but no module around it. 0: none. */
static size_t common_bytes(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    size_t most = a_bytes < b_bytes ? a_bytes : b_bytes, same = 0;
    while (same < most && a[same] == b[same])
        same++;
    bool is_whole = (same == a_bytes || a[same] == '.') && (same == b_bytes || b[same] == '.');
    while (!is_whole && same > 0 && a[same] != '.')
        same--;
    return same;
}

/* The module that all nodes of which one is noted stand in. `module` may go on to the next node's text, as the
 * first `bytes` bytes of both are the same. Once nothing is in common, nothing will be. */
static void add_module(struct telling *at)
{
    const char *module = NULL;
    size_t bytes = 0;
    for (uint32_t i = 0; i < at->box->node_count; i++) {
        struct npart_origin origin = {.size = sizeof origin};
        uint32_t id = at->picture->nodes[at->box->first + i];
        if (!npart_model_node_origin(at->picture->model, id, &origin) || !origin.module)
            continue;
        bytes = module ? common_bytes(module, bytes, origin.module, origin.module_bytes) : origin.module_bytes;
        module = origin.module;
    }
    if (!module || bytes == 0)
        return;
    struct npart__buffer text;
    npart__buffer_init(&text, at->line.arena);
    npart__append(&text, module, bytes);
    npart__append_text(&at->line, "in ");
    npart__add_cut(at->document, &at->line, npart__buffer_text(&text), NPART__NAME_CHARACTERS);
    npart__buffer_release(&text);
    end_line(at, NPART__LINE_PLAIN);
}

/* ---- why ----------------------------------------------------------------------------------------------------- */

/* The node that runs the body with the box, or one around it: that of which the text begins. False: there is none.
 * Texts of such causes are of the form "If: the provider is not offered ...", although the node that they are told
 * of is another. */
static bool find_owner(const struct telling *at, const char *text, struct npart_node *out)
{
    struct npart_graph graph = {.size = sizeof graph, .parent = NPART_NONE, .node = NPART_NONE};
    uint32_t id = at->picture->frames[at->box->frame].graph;
    for (; npart_model_graph(at->picture->model, id, &graph) && graph.node != NPART_NONE; id = graph.parent) {
        size_t length = npart_model_node(at->picture->model, graph.node, out) ? strlen(out->op) : 0;
        if (length && strncmp(text, out->op, length) == 0 && text[length] == ':')
            return true;
    }
    return false;
}

/* Why, after the partitions that end there. What runs a body, and is why its nodes fall back, is told by its name.
 * "If: not supported" becomes "If cond_3: not supported". Of another node the op is told, "ends NPU 2 at Erf: ...",
 * unless the sentence names it already. */
static void add_cause(struct telling *at, uint32_t node, const char *text, bool has_ended)
{
    struct npart_node found = {.size = sizeof found, .op = ""};
    if (find_owner(at, text, &found)) {
        npart__append_text(&at->line, has_ended ? ": " : "");
        npart__add_cut(at->document, &at->line, found.op, OP_CHARACTERS);
        npart__append_text(&at->line, *found.name ? " " : "");
        npart__add_cut(at->document, &at->line, found.name, NPART__NAME_CHARACTERS);
        npart__append_text(&at->line, text + strlen(found.op));
        return;
    }
    (void)npart_model_node(at->picture->model, node, &found);
    if (has_ended && !strstr(text, found.op)) {
        npart__append_text(&at->line, " at ");
        npart__add_cut(at->document, &at->line, found.op, OP_CHARACTERS);
    }
    npart__append_text(&at->line, has_ended && *text ? ": " : "");
    npart__append_text(&at->line, text);
}

/* The partitions of one root, from a place in the reasons on; returns the place after them. Reasons of a box are
 * sorted by cause and then by partition, with NPART_NONE last (picture_boxes.c), so the first `ended` ones have
 * partitions. */
static uint32_t tell_reason(struct telling *at, uint32_t from)
{
    const struct npart__box_reason *reasons = at->picture->reasons, *first = &reasons[from];
    struct npart_cause cause = {.size = sizeof cause, .text = ""};
    uint32_t end = from, ended = 0, last = at->box->first_reason + at->box->reason_count;
    for (; end < last && reasons[end].cause == first->cause; end++)
        ended += reasons[end].partition != NPART_NONE;
    npart__append_text(&at->line, ended ? "ends " : "");
    for (uint32_t i = 0; i < ended && i < ENDS_TOLD; i++)
        npart__append_format(&at->line, "%s %u", i ? "," : npu_word(at->picture), first[i].partition);
    if (ended > ENDS_TOLD)
        npart__append_format(&at->line, " and %u more", ended - ENDS_TOLD);
    (void)npart_plan_cause(at->picture->plan, first->cause, &cause, NULL, 0);
    add_cause(at, first->node, cause.text, ended > 0);
    end_line(at, NPART__LINE_REASON);
    return end;
}

/* The first roots are told, of the others their number; a root has several reasons, one after the other, where it
 * ends several partitions. */
static void tell_reasons(struct telling *at)
{
    /* Roots that are not told are counted once each, however many partitions end for them. */
    uint32_t told = 0, more = 0, end = at->box->first_reason + at->box->reason_count;
    for (uint32_t i = at->box->first_reason; i < end;) {
        if (told++ < REASONS_TOLD) {
            i = tell_reason(at, i);
            continue;
        }
        uint32_t cause = at->picture->reasons[i].cause;
        while (i < end && at->picture->reasons[i].cause == cause)
            i++;
        more++;
    }
    if (more) {
        npart__append_text(&at->line, "and ");
        add_count(&at->line, more, "more cause");
        end_line(at, NPART__LINE_REASON);
    }
}

/* ---- boxes --------------------------------------------------------------------------------------------------- */

static void tell_title(struct telling *at)
{
    const struct npart__box *box = at->box;
    switch (box->kind) {
    case NPART__BOX_INPUTS:
        npart__append_text(&at->line, "Inputs");
        break;
    case NPART__BOX_OUTPUTS:
        npart__append_text(&at->line, "Outputs");
        break;
    case NPART__BOX_NPU:
        npart__append_format(&at->line, "%s %u", npu_word(at->picture), box->partition);
        break;
    case NPART__BOX_CPU:
        npart__append_text(&at->line, "CPU");
        break;
    case NPART__BOX_REPEATS:
        npart__append_format(&at->line, "The same %u more times", box->times);
        break;
    case NPART__BOX_REST:
        add_count(&at->line, box->boxes, "more box");
        break;
    }
    end_line(at, NPART__LINE_TITLE);
}

/* Which partitions stand in a box of several: "NPU 3 to 14 (12 partitions), and 11 on the CPU", of which the first and
 * the last in execution order. */
static void tell_members(struct telling *at)
{
    const struct npart__box *box = at->box;
    if (box->npu_boxes)
        npart__append_format(&at->line, "%s %u", npu_word(at->picture), box->partition);
    if (box->npu_boxes > 1)
        npart__append_format(&at->line, " to %u (%u partitions)", box->last_partition, box->npu_boxes);
    if (box->boxes > box->npu_boxes) {
        npart__append_text(&at->line, box->npu_boxes ? ", and " : "");
        npart__append_format(&at->line, "%u on the CPU", box->boxes - box->npu_boxes);
    }
    end_line(at, NPART__LINE_PLAIN);
}

/* "12 nodes, 0.42 ms, 8.1 % of MACs". A share that would be shown as 0.0 % is told of what is on the NPU, where
 * that is worth knowing, and not of the CPU, where it is the rule. */
static void tell_work(struct telling *at)
{
    const struct npart__box *box = at->box;
    add_count(&at->line, box->node_count, "node");
    if (box->ms >= 0) {
        npart__append_text(&at->line, ", ");
        add_ms(&at->line, box->ms);
    }
    if (box->mac_share >= 0.0005 || (box->mac_share >= 0 && box->kind != NPART__BOX_CPU)) {
        npart__append_text(&at->line, ", ");
        add_share(&at->line, box->mac_share);
        npart__append_text(&at->line, " of MACs");
    }
    end_line(at, NPART__LINE_PLAIN);
}

/* The signs are those of the strip in text. */
static void tell_marks(struct telling *at)
{
    if (at->box->failing) {
        npart__append_text(&at->line, "\xc3\x97 ");
        add_count(&at->line, at->box->failing, "node");
        npart__append_text(&at->line, at->box->failing == 1 ? " fails to compile" : " fail to compile");
        end_line(at, NPART__LINE_FAILS);
    }
    if (at->box->undecided) {
        npart__append_text(&at->line, "? ");
        add_count(&at->line, at->box->undecided, "node");
        npart__append_text(&at->line, " undecided");
        end_line(at, NPART__LINE_UNKNOWN);
    }
}

/* "x float32[1,64]" */
static void add_value(npart_document *document, struct npart__buffer *out, const struct npart__picture *picture,
                      uint32_t value)
{
    struct npart_value at = {.size = sizeof at, .name = ""};
    (void)npart_inference_value(picture->view, value, &at);
    npart__add_cut(document, out, at.name, NPART__NAME_CHARACTERS);
    while (npart__buffer_lacks(&document->scratch,
                               npart_inference_type_text(picture->view, value, NPART__ROOM(&document->scratch))))
        continue;
    npart__append_text(out, *at.name ? " " : "");
    npart__add_cut(document, out, npart__buffer_text(&document->scratch), NPART__NAME_CHARACTERS);
}

/* Of a graph's inputs those that are no constants, all of its outputs. All are counted, so that the last line can
 * say how many are not named. */
static void tell_values(struct telling *at)
{
    struct npart_graph graph = {.size = sizeof graph};
    bool is_input = at->box->kind == NPART__BOX_INPUTS;
    uint32_t told = 0;
    (void)npart_model_graph(at->picture->model, at->picture->frames[at->box->frame].graph, &graph);
    const uint32_t *values = is_input ? graph.inputs : graph.outputs;
    for (uint32_t i = 0; i < (is_input ? graph.input_count : graph.output_count); i++) {
        struct npart_value_plan value = {.size = sizeof value};
        if (is_input && npart_plan_value(at->picture->plan, values[i], &value) && value.is_constant)
            continue;
        if (told++ < TENSORS_TOLD) {
            add_value(at->document, &at->line, at->picture, values[i]);
            end_line(at, NPART__LINE_PLAIN);
        }
    }
    if (told > TENSORS_TOLD) {
        npart__append_format(&at->line, "and %u more", told - TENSORS_TOLD);
        end_line(at, NPART__LINE_PLAIN);
    }
}

/* In this order from top to bottom. Boxes that stand for several have no module and no reasons: those are of single
 * boxes. What is counted for the operators is given back with the box. */
void npart__tell_box(npart_document *document, const struct npart__picture *picture, const struct npart__box *box,
                     npart__line_callback tell, void *payload)
{
    struct telling at = {document, picture, box, tell, payload, {0}};
    struct npart__arena own;
    npart__part_open(&own, &document->arena);
    npart__buffer_init(&at.line, &document->arena);
    tell_title(&at);
    if (box->boxes)
        tell_members(&at);
    if (box->kind == NPART__BOX_INPUTS || box->kind == NPART__BOX_OUTPUTS) {
        tell_values(&at);
    } else {
        tell_work(&at);
        add_ops(&at, &own);
        end_line(&at, NPART__LINE_PLAIN);
        if (!box->boxes)
            add_module(&at);
        tell_marks(&at);
        if (!box->boxes)
            tell_reasons(&at);
    }
    npart__buffer_release(&at.line);
    npart__part_end(&own, &document->arena);
}

/* A partition is one box, so its number tells it from all others. Other boxes have their place in the picture,
 * which may be another when the picture is folded otherwise. */
void npart__add_box_id(struct npart__buffer *out, const struct npart__picture *picture, uint32_t box)
{
    static const char *const words[] = {[NPART__BOX_INPUTS] = "inputs",   [NPART__BOX_NPU] = "npu",
                                        [NPART__BOX_CPU] = "cpu",         [NPART__BOX_OUTPUTS] = "outputs",
                                        [NPART__BOX_REPEATS] = "repeats", [NPART__BOX_REST] = "rest"};
    const struct npart__box *at = &picture->boxes[box];
    npart__append_format(out, "%s%u", words[at->kind], at->kind == NPART__BOX_NPU ? at->partition : box);
}

/* Of a box that stands for several its partitions, as a way to it is a way to one of them; without a partition it
 * is all on the CPU. */
void npart__add_box_name(struct npart__buffer *out, const struct npart__picture *picture, uint32_t box)
{
    const struct npart__box *at = &picture->boxes[box];
    if (at->npu_boxes > 1)
        npart__append_format(out, "%s %u to %u", npu_word(picture), at->partition, at->last_partition);
    else if (at->kind == NPART__BOX_NPU || at->npu_boxes)
        npart__append_format(out, "%s %u", npu_word(picture), at->partition);
    else
        npart__append_text(out, at->kind == NPART__BOX_INPUTS    ? "the inputs"
                           : at->kind == NPART__BOX_OUTPUTS ? "the outputs"
                                                              : "the CPU");
}

/* ---- edges --------------------------------------------------------------------------------------------------- */

/* A tensor of an edge, counted from 0. */
static void add_tensor(npart_document *document, struct npart__buffer *out, const struct npart__picture *picture,
                       const struct npart__edge *edge, uint32_t index)
{
    struct npart_value_plan at = {.size = sizeof at};
    uint32_t value = picture->ties[edge->first + index].value;
    add_value(document, out, picture, value);
    if (!npart_plan_value(picture->plan, value, &at))
        return;
    if (at.has_bytes) {
        npart__append_text(out, ", ");
        npart__append_bytes(out, at.bytes);
    } else {
        npart__append_text(out, ", size unknown");
    }
    if (npart__is_converted(picture, &at, edge))
        npart__append_format(out, ", layout %s to %s", at.layout, at.converted_to);
}

void npart__add_tensors(npart_document *document, struct npart__buffer *out, const struct npart__picture *picture,
                        const struct npart__edge *edge, npart__line_callback tell)
{
    struct npart__buffer text;
    npart__buffer_init(&text, &document->arena);
    for (uint32_t i = 0; i < edge->count && i < TENSORS_NAMED; i++) {
        text.size = 0;
        add_tensor(document, &text, picture, edge, i);
        tell(out, NPART__LINE_PLAIN, npart__buffer_text(&text));
    }
    if (edge->count > TENSORS_NAMED)
        npart__append_format(out, "and %u more", edge->count - TENSORS_NAMED);
    npart__buffer_release(&text);
}

/* Names differ at their ends, so of a long one the end stays. It walks back to the first byte of each character, as
 * the later ones of UTF-8 are 10xxxxxx. */
static void add_name_end(npart_document *document, struct npart__buffer *out, const char *name)
{
    const char *plain = npart__plain_text(document, name), *end = plain + strlen(plain), *from = end;
    for (uint32_t count = 0; from > plain && count < NAME_END_CHARACTERS; count++)
        for (from--; from > plain && ((unsigned char)*from & 0xc0) == 0x80; from--)
            continue;
    npart__append_text(out, from > plain ? "..." : "");
    npart__append_text(out, from);
}

/* "conv1_output, 1.2 MB, nhwc to plain"; "3 tensors, at least 1.2 MB, 1 changes layout" where the size of one of
 * them is not known, and "size unknown" where nothing is known of any. */
void npart__add_edge_text(npart_document *document, struct npart__buffer *out, const struct npart__picture *picture,
                          const struct npart__edge *edge)
{
    struct npart_value_plan value = {.size = sizeof value};
    struct npart_value tensor = {.size = sizeof tensor, .name = ""};
    const struct npart__tie *tie = &picture->ties[edge->first];
    bool is_one = edge->count == 1 && npart_plan_value(picture->plan, tie->value, &value);
    if (is_one && npart_inference_value(picture->view, tie->value, &tensor))
        add_name_end(document, out, tensor.name);
    else
        add_count(out, edge->count, "tensor");
    npart__append_text(out, ", ");
    if (edge->bytes || !edge->is_partial) {
        npart__append_text(out, edge->is_partial ? "at least " : "");
        npart__append_bytes(out, edge->bytes);
    } else {
        npart__append_text(out, "size unknown");
    }
    if (is_one && edge->conversions && value.converted_to)
        npart__append_format(out, ", %s to %s", value.layout, value.converted_to);
    else if (edge->conversions)
        npart__append_format(out, ", %u change%s layout", edge->conversions, edge->conversions == 1 ? "s" : "");
}

/* ---- headings ------------------------------------------------------------------------------------------------ */

/* "then_branch of If cond_3". A frame is told of only where it is a body, so it has a node that runs it. */
void npart__add_frame_text(npart_document *document, struct npart__buffer *out, const struct npart__picture *picture,
                           const struct npart__frame *frame)
{
    struct npart_graph graph = {.size = sizeof graph, .label = "", .node = NPART_NONE};
    struct npart_node node = {.size = sizeof node, .name = "", .op = ""};
    (void)npart_model_graph(picture->model, frame->graph, &graph);
    (void)npart_model_node(picture->model, graph.node, &node);
    npart__add_cut(document, out, graph.label, OP_CHARACTERS);
    npart__append_text(out, " of ");
    npart__add_cut(document, out, node.op, OP_CHARACTERS);
    npart__append_text(out, *node.name ? " " : "");
    npart__add_cut(document, out, node.name, NPART__NAME_CHARACTERS);
}

/* "split: 4 partitions, 7 device switches, 64.3 % of 14 nodes and 100.0 % of MACs on the NPU, 1.09 ms a run" */
static void add_summary(npart_document *document, struct npart__buffer *out, const struct npart__picture *picture)
{
    const struct npart_summary *summary = &picture->summary;
    struct npart_cost cost = {.size = sizeof cost, .total = {-1, -1, -1}};
    (void)npart_plan_cost(picture->plan, &cost);
    npart__append_format(out, "%s: ", npart_plan_verdict_text(summary->verdict));
    add_count(out, summary->partitions, "partition");
    npart__append_text(out, ", ");
    add_count(out, summary->switches, "device switch");
    npart__append_text(out, ", ");
    add_share(out, summary->coverage);
    npart__append_text(out, " of ");
    add_count(out, summary->live, "node");
    if (summary->has_macs && summary->macs) {
        npart__append_text(out, " and ");
        add_share(out, summary->mac_coverage);
        npart__append_text(out, " of MACs");
    }
    npart__append_text(out, picture->decided.by ? " taken by " : " ");
    npart__add_cut(document, out, picture->decided.by ? picture->decided.by : picture->info.on_unit,
                   NPART__NAME_CHARACTERS);
    if (cost.total.typical_ms >= 0) {
        npart__append_text(out, ", ");
        add_ms(out, cost.total.typical_ms);
        npart__append_text(out, " a run");
    }
}

/* Outcomes of the model as a whole stand above the picture of each plan; an accepted one is told, too, since it is not
 * met. */
void npart__tell_heading(npart_document *document, const struct npart_entry *entry, size_t plan,
                         const struct npart__picture *picture, npart__line_callback tell, void *payload)
{
    struct npart__buffer line;
    npart__buffer_init(&line, &document->arena);
    add_summary(document, &line, picture);
    tell(payload, NPART__LINE_PLAIN, npart__buffer_text(&line));
    for (size_t i = 0; i < entry->outcome_count; i++) {
        const struct npart_threshold_outcome held = npart__outcome(entry, i), *at = &held;
        if (at->is_met || (at->plan != plan && at->plan != NPART_NONE))
            continue;
        line.size = 0;
        npart__append_format(&line, "\xc3\x97 %s: ", at->waiver ? "accepted" : "not met");
        npart__add_cut(document, &line, at->text, NPART__LINE_CHARACTERS);
        tell(payload, NPART__LINE_FAILS, npart__buffer_text(&line));
    }
    if (picture->boxes_left_out) {
        line.size = 0;
        npart__append_format(&line,
                             "%u of the boxes are not drawn one by one: a picture has at most %u (--detail nodes draws "
                             "all)", picture->boxes_left_out, NPART__MOST_BOXES);
        tell(payload, NPART__LINE_PLAIN, npart__buffer_text(&line));
    }
    npart__buffer_release(&line);
}
